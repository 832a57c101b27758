//! Pages that need nothing beside them, from templates that are part of the source.

use minijinja::{Environment, Value};
use parallax_lockstep::escape;

use super::decisions;
use crate::output::grouped;

const TEMPLATES: [(&str, &str); 11] = [
    ("head.html", include_str!("../../templates/head.html")),
    ("front.html", include_str!("../../templates/front.html")),
    ("report.html", include_str!("../../templates/report.html")),
    ("depths.html", include_str!("../../templates/depths.html")),
    ("exactness.html", include_str!("../../templates/exactness.html")),
    ("printed.html", include_str!("../../templates/printed.html")),
    ("rules.html", include_str!("../../templates/rules.html")),
    ("report.css", include_str!("../../templates/report.css")),
    ("report.js", include_str!("../../templates/report.js")),
    ("history.html", include_str!("../../templates/history.html")),
    ("diff.html", include_str!("../../templates/diff.html")),
];

/// A page from one of the templates and what it shows, in which foreign text is escaped; it says which program
/// made it.
pub(super) fn render(name: &str, shown: Value) -> String {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.add_filter("grouped", grouped);
    environment.add_filter("linked", |text: &str| Value::from_safe_string(decisions::linked(text)));
    environment.add_global("program", concat!("parallax ", env!("CARGO_PKG_VERSION")));
    for (name, text) in TEMPLATES {
        environment.add_template(name, text).expect("the templates are part of the source");
    }
    let template = environment.get_template(name).expect("added above");
    let page = template.render(shown).expect("the templates use what they are given");
    // The template engine escapes slashes too, which HTML does not ask for: a tenth of a megabyte of them.
    escape::lines(&page.replace("&#x2f;", "/")).into_owned()
}
