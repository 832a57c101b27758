//! Browsing rules, and reports made from a finished campaign's report.json.

mod common;

use common::Room;
use insta::assert_snapshot;
use serde_json::{Value, json};

/// A report with one divergence, whose text needs escaping in HTML and XML.
fn report() -> Value {
    json!({
        "version": 1, "verdict": "fail", "seed": 7, "elapsed_s": 12.5,
        "suites": [{
            "name": "eu", "device": "g45", "cases": 1234, "instructions": 56789,
            "comparisons": 56789, "divergences": 1, "accepted_undefined": 3, "skipped": 0,
        }],
        "rules": {
            "total": 569, "must": 389, "covered": 2, "uncovered": [],
            "documents": ["g45-eu-environment"], "hits": { "g45.dt.d": 5, "g45.dt.w": 1 },
        },
        "divergences": [{
            "id": "eu-g45-1", "device": "g45", "suite": "eu", "step": 3,
            "instruction": "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f", "location": "r4.12",
            "expected": "3f800000", "actual": "3f800001", "rules": ["g45.dt.f"],
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
    report["version"] = json!(2);
    room.file("report.json", report.to_string());
    assert_snapshot!(room.run("report --from report.json").refused());
}

#[test]
fn rules_are_found_by_document_unit_level_and_word() {
    let room = Room::new();
    assert_snapshot!(room.run("rules --doc g45-instructions --unit avg worked").stdout);
    let all = room.run("rules --json").json();
    assert_eq!(all.as_array().map(Vec::len), Some(7715));
    let restrictions = room.run("rules --doc g45 --level restriction --json").json();
    let restrictions = restrictions.as_array().expect("a list");
    assert!(restrictions.len() > 100);
    assert!(restrictions.iter().all(|rule| rule["state"] == "restriction" && rule["hits"] == 0));
}

#[test]
fn a_report_tells_which_rules_are_covered() {
    let room = Room::new();
    room.file("report.json", report().to_string());
    let rules =
        room.run("rules --from report.json --doc g45-eu-environment --kind datatype --json");
    let rules = rules.json();
    let find = |id: &str| {
        let rules = rules.as_array().expect("a list");
        rules.iter().find(|rule| rule["id"] == id).cloned().expect("in the catalogue")
    };
    assert_eq!(
        (&find("g45.dt.d")["state"], &find("g45.dt.d")["hits"]),
        (&json!("covered"), &json!(5))
    );
    assert_eq!(find("g45.dt.ud")["state"], "uncovered");
    let uncovered = room.run("rules --uncovered --from report.json --unit D").stdout;
    assert!(!uncovered.contains("g45.dt.d "), "{uncovered}");
}
