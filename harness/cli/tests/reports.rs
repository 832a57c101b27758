//! Browsing rules, and reports made from a finished campaign's report.json.

use crate::common::Room;
use insta::assert_snapshot;
use serde_json::{Value, json};

/// A report with one divergence, whose text needs escaping in HTML and XML.
fn report() -> Value {
    json!({
        "version": 3, "verdict": "fail", "seed": 7, "elapsed_s": 12.5,
        "suites": [{
            "name": "eu", "device": "g45", "cases": 1234, "instructions": 56789,
            "comparisons": 56789, "divergences": 1, "accepted_undefined": 3, "skipped": 0,
        }],
        "rules": {
            "total": 8469, "must": 6018, "covered": 2, "in_scope": { "must": 3100, "covered": 2 },
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
            "kind": "add result", "cases": 12, "instructions": 1, "shown": [
                { "suite": "eu", "device": "bw", "cases": 5, "seed": 77 },
                { "suite": "eu", "device": "g45", "cases": 7, "seed": 78 },
            ],
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
    let junit = room.run("report --from report.json --junit -").stdout;
    let (suites, _) = junit.split_once("  <testsuite name=\"rules.").expect("rules");
    assert_snapshot!("junit", suites);
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
    // One form alone goes to a file.
    let printed = room.run("report --from report.json --format md").stdout;
    assert_eq!(room.run("report --from report.json --format md -o one.md").stdout, "");
    assert_eq!(std::fs::read_to_string(room.path().join("one.md")).expect("written"), printed);
}

/// What a real campaign says, whether it agrees or not, is what the schema says it is.
#[test]
fn reports_are_as_the_schema_says() {
    let room = Room::new();
    room.run("run --device g45 --suite eu --suite formats --cases 30 --json agrees.json");
    room.file("fails.json", report().to_string());
    room.run("report --from fails.json --out fails");
    let schema = crate::common::closed_schema(&room, "report");
    for file in ["agrees.json", "fails/report.json"] {
        let read = std::fs::read_to_string(room.path().join(file)).expect("written");
        let report: Value = serde_json::from_str(&read).expect("JSON");
        if let Err(error) = schema.validate(&report) {
            panic!("{file}: {}: {error}", error.instance_path());
        }
        // What is missing or misspelt is noticed.
        for change in ["verdict", "rules", "suites"] {
            let mut wrong = report.clone();
            wrong[change] = json!("something else");
            assert!(!schema.is_valid(&wrong), "{file}: {change}");
        }
        let mut more = report.clone();
        more["no_such_key"] = json!(1);
        assert!(!schema.is_valid(&more), "{file}");
    }
}

/// The ids of the rows of the page's table of rules.
fn rows(page: &str) -> Vec<&str> {
    let table = page.split("id=\"rule-table\"").nth(1).expect("a table of rules");
    let body = table.split("</table>").next().expect("it ends");
    body.split("<tr><td><code>").skip(1).filter_map(|row| row.split('<').next()).collect()
}

/// JUnit has a test case for each applicable rule and counts the others; a suspect fails only if it is
/// the first of a cause.
#[test]
fn every_applicable_rule_is_a_test_case_once() {
    let room = Room::new();
    let mut implicating = report();
    implicating["rules"]["uses"]["g45.dt.b"] = json!({ "exact": 1, "accepted": 0, "failed": 1 });
    let mut other = implicating["divergences"][0].clone();
    (other["id"], other["rules"]) = ("eu-g45-2".into(), json!(["g45.dt.f-format", "g45.dt.b"]));
    implicating["divergences"].as_array_mut().expect("a list").push(other);
    implicating["rules"]["implicated"] = json!(["g45.dt.b"]);
    room.file("report.json", implicating.to_string());
    let junit = room.run("report --from report.json --junit -").stdout;
    let count = |text: &str| junit.matches(text).count();
    let rules = room.run("rules --json --from report.json").json();
    let (mut applicable, mut all) = (0, 0);
    for rule in rules.as_array().expect("a list") {
        let [id, document, state] =
            ["id", "doc", "state"].map(|key| rule[key].as_str().expect("a text"));
        all += 1;
        let is_binding = !["out-of-scope", "info", "undefined", "restriction"].contains(&state);
        let start = format!("<testcase name=\"{id}\" classname=\"rules.{document}\"");
        let is_applicable = count(&start);
        let may_be = is_binding && document.starts_with("g45-");
        assert!(is_applicable <= usize::from(may_be), "{id}");
        applicable += is_applicable;
    }
    let case = |id: &str| {
        let rest = junit.split(&format!("<testcase name=\"{id}\"")).nth(1).expect("a case");
        rest.split("<testcase").next().expect("it ends").to_owned()
    };
    assert!(case("g45.dt.f-format").contains("<failure"), "the first suspect");
    assert!(case("g45.dt.b").contains("<skipped message=\"implicated"), "the second suspect");
    assert!(!case("g45.dt.d").contains("<skipped"), "covered");
    assert!(case("g45.dt.ud").contains("<skipped message=\"uncovered"));
    for (name, number) in [
        ("applicable", applicable),
        ("covered", 2),
        ("failed", 1),
        ("implicated", 1),
        ("open", applicable - 4),
        ("not-applicable", all - applicable),
    ] {
        assert_eq!(count(&format!("<property name=\"{name}\" value=\"{number}\"/>")), 1, "{name}");
    }
    let total = |name: &str| {
        let number =
            junit.split(&format!(" {name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
        number.and_then(|number| number.parse::<usize>().ok()).expect("a number")
    };
    assert_eq!(total("tests"), count("<testcase "));
    assert_eq!(total("failures"), count("<failure "));
    assert_eq!(total("skipped"), count("<skipped "));
}

/// A folder of reports: by date, with what is none of a run that has ended left out.
#[test]
fn a_folder_of_reports_is_a_history() {
    let room = Room::new();
    let dated = |date: &str, covered: u64| {
        let mut report = report();
        report["run"] = json!({
            "date": date, "host": "linux x86_64", "processor": "a <processor>", "threads": 2,
            "command": "parallax run", "version": "0.1.0", "commit": "0123456789abcdef",
        });
        report["rules"]["covered"] = covered.into();
        report.to_string()
    };
    for folder in ["nights", "nights/second", "nights/empty", "none"] {
        std::fs::create_dir(room.path().join(folder)).expect("a writable folder");
    }
    room.file("nights/third.json", dated("2026-03-03T01:00:00Z", 30));
    room.file("nights/second/report.json", dated("2026-03-02T01:00:00Z", 25));
    room.file("nights/zero.json", dated("2026-03-01T01:00:00Z", 20));
    room.file("nights/undated.json", report().to_string());
    room.file("nights/cut.json", &dated("2026-03-04T01:00:00Z", 40)[..90]);
    room.file("nights/other.json", "{\"version\": 1}");
    room.file("nights/notes.txt", "no report");
    let mut running = report();
    running["running"] = true.into();
    room.file("nights/running.json", running.to_string());
    let history = room.run("report --history nights");
    assert_eq!(history.code, Some(0));
    assert_snapshot!("history", format!("{}{}", history.stdout, history.stderr));
    let json = room.run("report --history nights --json").json();
    let covered = json["runs"].as_array().expect("runs").iter().map(|run| run["covered"].as_u64());
    assert_eq!(covered.flatten().collect::<Vec<_>>(), [2, 20, 25, 30]);
    assert_eq!(room.run("report --history nights --html history.html").code, Some(0));
    let page = std::fs::read_to_string(room.path().join("history.html")).expect("written");
    assert!(page.contains("2026-03-02T01:00:00Z") && page.contains("<polyline"), "{page}");
    assert!(!page.contains("{{") && !page.contains("http"), "rendered whole, and self-contained");
    assert_snapshot!(
        "history-refused",
        ["none", "absent", "nights/zero.json"]
            .map(|folder| { room.run(&format!("report --history {folder}")).refused().to_owned() })
            .join("\n")
    );
}

#[test]
fn every_rule_stands_on_the_page_once() {
    let room = Room::new();
    room.file("report.json", report().to_string());
    let page = room.run("report --from report.json --format html").stdout;
    let mut shown = rows(&page);
    shown.sort_unstable();
    let rules = room.run("rules --json").json();
    let rules = rules.as_array().expect("a list").iter();
    let mut all: Vec<_> = rules.map(|rule| rule["id"].as_str().expect("a text")).collect();
    all.sort_unstable();
    assert_eq!(shown, all);
    assert!(page.len() < 2_500_000, "{} bytes", page.len());
    // Every link leads somewhere.
    for link in page.split("href=\"#").skip(1).filter_map(|link| link.split('"').next()) {
        // The script makes the ids of rules.
        let is_rule = shown.binary_search(&link).is_ok();
        let number = page.matches(&format!(" id=\"{link}\"")).count();
        assert_eq!(number, usize::from(!is_rule), "{link}");
    }
    // The sums count every rule.
    let all = page.split("data-show=\"\">").nth(1).and_then(|all| all.split('<').next());
    assert_eq!(all.map(|all| all.replace(',', "")), Some(shown.len().to_string()));
}

/// A format that the campaign found something about says so in the gallery, and no other does.
#[test]
fn the_gallery_shows_what_the_campaign_found() {
    let room = Room::new();
    let mut with_formats = report();
    with_formats["suites"][0]["name"] = "formats".into();
    let finding = &mut with_formats["divergences"][0];
    finding["instruction"] = "decode R8G8B8A8_SNORM of 80 7f 01 00".into();
    finding["kind"] = "decode-R8G8B8A8_SNORM texel".into();
    room.file("report.json", with_formats.to_string());
    let page = room.run("report --from report.json --html -").stdout;
    let wrong: Vec<_> = page.split("<figure class=\"picture wrong\">").skip(1).collect();
    assert_eq!(wrong.len(), 1);
    let figure = wrong[0].split("</figure>").next().expect("it ends");
    assert!(figure.contains("<code>R8G8B8A8_SNORM</code>"), "{figure}");
    assert!(figure.contains("href=\"#eu-g45-1\">decode-R8G8B8A8_SNORM texel</a>"), "{figure}");
    assert!(page.contains("the campaign found something about 1<"));
}

/// A cause that is probably the same mistake as a card before it is folded into that.
#[test]
fn causes_of_one_rule_stand_in_one_card() {
    let room = Room::new();
    let mut report = report();
    let first = report["divergences"][0].clone();
    let like = |id: &str, kind: &str, rule: &str| {
        let mut other = first.clone();
        (other["id"], other["kind"]) = (id.into(), kind.into());
        (other["cases"], other["rules"]) = (3.into(), json!([rule]));
        other
    };
    let others = [
        like("eu-g45-2", "mov result", "g45.inst.mov.semantics"),
        like("eu-g45-3", "mul result", "g45.dt.f-format"),
        like("eu-g45-4", "shl result", "g45.dt.f-format"),
    ];
    report["divergences"].as_array_mut().expect("a list").extend(others);
    report["suites"][0]["divergences"] = 21.into();
    room.file("report.json", report.to_string());
    let page = room.run("report --from report.json --html -").stdout;
    let cards: Vec<_> = page.split("<section class=\"card\" id=\"eu-g45-").skip(1).collect();
    assert_eq!(cards.iter().map(|card| &card[..1]).collect::<String>(), "1342");
    let folded = "probably the same in 6 cases of mul result, shl result</summary>";
    assert!(cards[0].contains(folded) && !cards[0].contains("</section>"), "{}", cards[0]);
    assert!(cards[1].contains("<h4>mul result") && cards[3].contains("<h3>mov result"));
    let summary = room.run("report --from report.json").stdout;
    assert!(
        summary.contains("  probably the same in 6 cases of mul result, shl result\n"),
        "{summary}"
    );
    assert!(!summary.contains("eu-g45-3\n"), "{summary}");
    assert!(summary.contains("21 divergences in 4 kinds, probably of 2 causes"), "{summary}");
}

#[test]
fn a_summary_for_a_change_is_markdown() {
    let room = Room::new();
    room.file("report.json", report().to_string());
    let markdown = room.run("report --from report.json --format md");
    assert_eq!(markdown.code, Some(1), "divergences");
    assert_snapshot!("markdown", markdown.stdout);
}

#[test]
fn reports_are_compared() {
    let room = Room::new();
    room.file("old.json", report().to_string());
    let same = room.run("report --diff old.json old.json");
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    let mut new = report();
    new["rules"]["uses"] = json!({ "g45.dt.d": { "exact": 5, "accepted": 1, "failed": 0 },
        "g45.dt.w": { "exact": 0, "accepted": 1, "failed": 0 },
        "g45.dt.ud": { "exact": 7, "accepted": 0, "failed": 0 } });
    new["divergences"][0]["kind"] = json!("mul result");
    new["elapsed_s"] = json!(25.0);
    room.file("new.json", new.to_string());
    let changes = room.run("report --diff old.json new.json");
    assert_eq!(changes.code, Some(1), "a rule is lost");
    assert_snapshot!("changes", changes.stdout);
    let json = room.run("report --diff old.json new.json --json").json();
    assert_eq!(json["rules_lost"], json!([{ "id": "g45.dt.w", "state": "only-accepted" }]));
    // The other way round the rule is gained, but the finding is new all the same.
    new["divergences"] = json!([]);
    room.file("fixed.json", new.to_string());
    new["rules"] = report()["rules"].clone();
    room.file("better.json", new.to_string());
    let better = room.run("report --diff old.json better.json");
    assert_eq!(better.code, Some(0), "{}", better.stdout);
    assert!(better.stdout.contains("fixed     1 finding"), "{}", better.stdout);
}

#[test]
fn reports_that_cannot_be_compared_are_refused() {
    let room = Room::new();
    room.file("old.json", report().to_string());
    let refused = |name: &str, content: String| {
        room.file(name, content);
        room.run(&format!("report --diff old.json {name}")).refused().to_owned()
    };
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut report = report();
        change(&mut report);
        report.to_string()
    };
    let messages = [
        refused("other.json", changed(&|report| report["version"] = json!(1))),
        refused("half.json", report().to_string()[..300].to_owned()),
        refused(
            "rules.json",
            changed(&|report| {
                report["rules"]["uses"]["g45.no.such"] =
                    json!({ "exact": 1, "accepted": 0, "failed": 0 });
            }),
        ),
        refused("skl.json", changed(&|report| report["suites"][0]["device"] = json!("skl"))),
        refused("running.json", changed(&|report| report["running"] = json!(true))),
        room.run("report --diff old.json nowhere.json").refused().to_owned(),
        room.run("report --diff old.json").refused().to_owned(),
        room.run("report").refused().to_owned(),
    ];
    assert_snapshot!("reports_that_cannot_be_compared", messages.join("\n"));
}

/// The report of the last run needs no name.
#[test]
fn the_last_run_is_reported_without_a_name() {
    let room = Room::new();
    std::fs::create_dir_all(room.path().join("target/parallax")).expect("a writable folder");
    room.file("target/parallax/report.json", report().to_string());
    let named = room.run("report --from target/parallax");
    let unnamed = room.run("report");
    assert_eq!(unnamed.stdout, named.stdout);
    assert!(unnamed.stdout.contains("1 divergence"), "{}", unnamed.stderr);
}

/// What another catalogue has been held to makes no page of this one, but can be compared with it.
#[test]
fn a_report_of_another_catalogue_makes_no_page() {
    let room = Room::new();
    let mut old = report();
    old["rules"]["total"] = json!(7715);
    room.file("old.json", old.to_string());
    room.file("new.json", report().to_string());
    assert_eq!(
        room.run("report --from old.json --html old.html").refused(),
        "error: old.json is a report of another catalogue, of 7,715 rules; this program has 8,469. \
         --diff and --history take it"
    );
    assert!(!room.path().join("old.html").exists());
    assert_eq!(room.run("report --diff old.json new.json").code, Some(0));
}

/// What changed is a page too, with every rule; which devices were not run stands above it.
#[test]
fn changes_are_a_page_too() {
    let room = Room::new();
    let mut old = report();
    let mut other = old["suites"][0].clone();
    other["device"] = json!("bw");
    old["suites"].as_array_mut().expect("a list").push(other);
    let mut new = report();
    new["rules"]["uses"]["g45.dt.d"]["exact"] = json!(0);
    new["divergences"][0]["kind"] = json!("mul <result>");
    room.file("old.json", old.to_string());
    room.file("new.json", new.to_string());
    let text = room.run("report --diff old.json new.json").stdout;
    assert!(text.contains("\nnot run   bw\n"), "{text}");
    let written = room.run("report --diff old.json new.json --html changes.html");
    assert_eq!((written.code, written.stdout.as_str()), (Some(1), ""), "{}", written.stderr);
    let page = std::fs::read_to_string(room.path().join("changes.html")).expect("written");
    for part in [
        "<strong>Worse</strong>",
        "<dd>bw</dd>",
        "Rules lost: 1<",
        "<code>g45.dt.d</code>",
        "Findings new: 1<",
        "mul &lt;result&gt;: 12 cases",
        "Findings fixed: 1<",
    ] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    assert!(!page.contains("{{") && !page.contains("http"), "rendered whole, and self-contained");
    let same = room.run("report --diff new.json new.json --html -");
    assert_eq!(same.code, Some(0));
    assert!(same.stdout.contains("Nothing is worse"), "{}", same.stdout);
}

#[test]
fn reports_of_other_versions_are_refused() {
    let room = Room::new();
    let mut report = report();
    report["version"] = json!(4);
    room.file("report.json", report.to_string());
    assert_snapshot!(room.run("report --from report.json").refused());
}

#[test]
fn rules_are_found_by_document_unit_level_and_word() {
    let room = Room::new();
    assert_snapshot!(room.run("rules --doc g45-instructions --unit avg worked").stdout);
    let all = room.run("rules --json").json();
    assert_eq!(all.as_array().map(Vec::len), Some(8469));
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
    // Each says why: `decisions.md`, or the run.
    let rows = room.run("rules --uncovered --level must --from report.json --json").json();
    let rows = rows.as_array().expect("a list").clone();
    let reason = |row: &Value| row["reason"].as_str().unwrap_or_default().to_owned();
    assert!(rows.len() > 3000 && rows.iter().all(|row| !reason(row).is_empty()));
    let of = |id: &str| reason(rows.iter().find(|row| row["id"] == id).expect("it is uncovered"));
    assert_eq!(
        of("g45.dt.ud"),
        "This run did not meet it; nothing is known that would keep a longer one from it."
    );
    assert_eq!(of("g45.dt.f-format"), "The engines differ in steps that use it.");
    assert!(of("gen7.reg.thread-context").starts_with("A case is one thread"));
    let text = room.run("rules --uncovered --level must --from report.json").stdout;
    assert_eq!(text.matches("    not covered: ").count(), rows.len());
    let table = room.run("rules --uncovered --from report.json --unit Width").stdout;
    assert!(table.contains("rows without a comparison: 4"), "{table}");
    let uncovered = room.run("rules --uncovered --from report.json --unit D").stdout;
    assert!(!uncovered.contains("g45.dt.d "), "{uncovered}");
}
