//! What was decided where a manual is silent or contradicts itself, for the page: each decision with links to
//! the rules and the other decisions that it names.

use minijinja::HtmlEscape;
use parallax_spec::{DECISION_LOG, RuleId, rules::is_decision};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html::push_html};
use serde::Serialize;

/// A decision as the page shows it.
#[derive(Debug, Serialize)]
pub(super) struct Decision {
    id: &'static str,
    title: &'static str,
    /// What the log says of it, as HTML.
    text: String,
}

/// All of them, in the order of the log.
pub(super) fn all() -> Vec<Decision> {
    let sections = DECISION_LOG.split("\n### ").skip(1).filter(|section| section.starts_with("D-"));
    let decision = |section: &'static str| {
        let (heading, text) = section.split_once('\n').unwrap_or((section, ""));
        let (id, title) = heading.split_once(' ').unwrap_or((heading, ""));
        // The next chapter begins behind the last decision of one.
        let text = text.split("\n## ").next().unwrap_or_default();
        Decision { id, title, text: html(text) }
    };
    sections.map(decision).collect()
}

fn html(text: &str) -> String {
    let mut html = String::new();
    let mut is_code = false;
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).map(|event| {
        match &event {
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            _ => {}
        }
        match event {
            Event::Code(id) if RuleId::find(&id).is_some() => {
                Event::InlineHtml(format!("<a href=\"#{id}\"><code>{id}</code></a>").into())
            }
            Event::Code(id) if is_decision(&id) => Event::InlineHtml(link(&id).into()),
            Event::Text(text) if !is_code && text.contains("D-") => {
                Event::InlineHtml(CowStr::from(linked(&text)))
            }
            event => event,
        }
    });
    push_html(&mut html, events);
    html
}

/// A text as HTML in which the decisions that it names lead to them.
pub(super) fn linked(text: &str) -> String {
    let is_of_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let mut html = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("D-") {
        let length = rest[start + 2..].find(|c| !is_of_id(c)).unwrap_or(rest.len() - start - 2) + 2;
        let id = &rest[start..start + length];
        html += &escaped(&rest[..start]);
        html += &if is_decision(id) { link(id) } else { escaped(id) };
        rest = &rest[start + length..];
    }
    html + &escaped(rest)
}

fn link(id: &str) -> String {
    format!("<a href=\"#{id}\">{id}</a>")
}

fn escaped(text: &str) -> String {
    HtmlEscape(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decision_stands_there_once() {
        let decisions = all();
        let mut ids: Vec<_> = decisions.iter().map(|decision| decision.id).collect();
        assert!(ids.len() > 50, "{}", ids.len());
        assert!(
            decisions
                .iter()
                .all(|d| is_decision(d.id) && !d.title.is_empty() && !d.text.is_empty())
        );
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), decisions.len());
        let last = decisions.last().map(|decision| decision.text.as_str()).unwrap_or_default();
        assert!(!last.contains("Out of scope"), "{last}");
    }

    #[test]
    fn what_a_text_names_is_linked() {
        assert_eq!(
            linked("a < b (D-eu-acc-mode, D-no-such)"),
            "a &lt; b (<a href=\"#D-eu-acc-mode\">D-eu-acc-mode</a>, D-no-such)"
        );
        let text = html("`g45.dt.d` and `x < y`, see D-eu-acc-mode.\n");
        assert_eq!(
            text,
            "<p><a href=\"#g45.dt.d\"><code>g45.dt.d</code></a> and <code>x &lt; y</code>, see \
             <a href=\"#D-eu-acc-mode\">D-eu-acc-mode</a>.</p>\n"
        );
    }
}
