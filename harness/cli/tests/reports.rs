//! Browsing rules, and reports made from a finished campaign's report.json.

mod common;

use common::Room;
use insta::assert_snapshot;
use serde_json::{Value, json};

/// A report with one divergence, whose text needs escaping in HTML and XML.
fn report() -> Value {
    json!({
        "version": 2, "verdict": "fail", "seed": 7, "elapsed_s": 12.5,
        "suites": [{
            "name": "eu", "device": "g45", "cases": 1234, "instructions": 56789,
            "comparisons": 56789, "divergences": 1, "accepted_undefined": 3, "skipped": 0,
        }],
        "rules": {
            "total": 7715, "must": 5391, "covered": 2, "in_scope": { "must": 3100, "covered": 2 },
            "failed": ["g45.dt.f-format"], "only_accepted": ["g45.dt.ub"], "uncovered": ["g45.dt.ud"],
            "uses": {
                "g45.dt.d": { "exact": 5, "accepted": 1, "failed": 0 },
                "g45.dt.w": { "exact": 1, "accepted": 0, "failed": 0 },
                "g45.dt.f-format": { "exact": 9, "accepted": 0, "failed": 1 },
                "g45.dt.ub": { "exact": 0, "accepted": 3, "failed": 0 },
            },
            "missing_rows": { "g45.field.width.codes": [4] },
        },
        "divergences": [{
            "id": "eu-g45-1", "device": "g45", "suite": "eu", "step": 3,
            "instruction": "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f", "location": "r4.12",
            "expected": "3f800000", "actual": "3f800001", "rules": ["g45.dt.f-format"],
            "trace": "target/parallax/findings/eu-g45-1.trace", "context": "a < b & \"c\"",
        }],
    })
}

#[test]
fn a_report_in_every_form() {
    let room = Room::new();
    room.file("report.json", report().to_string());
    let summary = room.run("report --from report.json");
    assert_eq!(summary.code, Some(1), "divergences");
    assert_snapshot!("summary", summary.stdout);
    assert_snapshot!("junit", room.run("report --from report.json --junit -").stdout);
    let html = room.run("report --from report.json --html -").stdout;
    assert!(html.contains("a &lt; b &amp;"), "text is escaped");
    assert!(html.contains("3f800001") && html.contains("g45-eu-environment"));
    assert!(html.contains("failed") && html.contains("only-accepted"), "states of rules");
    assert!(!html.contains("{{") && !html.contains("http"), "rendered whole, and self-contained");
    assert_eq!(room.run("report --from report.json --out all").code, Some(1));
    for name in ["report.json", "report.html", "junit.xml"] {
        assert!(room.path().join("all").join(name).is_file(), "{name}");
    }
    let again = room.run("report --from all/report.json --json").json();
    assert_eq!(again["divergences"], report()["divergences"]);
}

#[test]
fn reports_of_other_versions_are_refused() {
    let room = Room::new();
    let mut report = report();
    report["version"] = json!(3);
    room.file("report.json", report.to_string());
    assert_snapshot!(room.run("report --from report.json").refused());
}

#[test]
fn rules_are_found_by_document_unit_level_and_word() {
    let room = Room::new();
    assert_snapshot!(room.run("rules --doc g45-instructions --unit avg worked").stdout);
    let all = room.run("rules --json").json();
    assert_eq!(all.as_array().map(Vec::len), Some(7928));
    let restrictions = room.run("rules --doc g45 --level restriction --json").json();
    let restrictions = restrictions.as_array().expect("a list");
    assert!(restrictions.len() > 100);
    assert!(restrictions.iter().all(|rule| rule["state"] == "restriction" && rule["hits"] == 0));
}

#[test]
fn a_report_tells_which_rules_are_covered() {
    let room = Room::new();
    room.file("report.json", report().to_string());
    let rules = room.run("rules --from report.json --doc g45-eu-environment --json");
    let rules = rules.json();
    let find = |id: &str| {
        let rules = rules.as_array().expect("a list");
        rules.iter().find(|rule| rule["id"] == id).cloned().expect("in the catalogue")
    };
    assert_eq!(
        (&find("g45.dt.d")["state"], &find("g45.dt.d")["hits"]),
        (&json!("covered"), &json!(5))
    );
    for (id, state) in
        [("g45.dt.ud", "uncovered"), ("g45.dt.f-format", "failed"), ("g45.dt.ub", "only-accepted")]
    {
        assert_eq!(find(id)["state"], state, "{id}");
    }
    let table = room.run("rules --uncovered --from report.json --unit Width").stdout;
    assert!(table.contains("rows without a comparison: 4"), "{table}");
    let uncovered = room.run("rules --uncovered --from report.json --unit D").stdout;
    assert!(!uncovered.contains("g45.dt.d "), "{uncovered}");
}
