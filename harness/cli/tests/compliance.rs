//! What a report says to whoever signs it: page one, waivers, print.

use crate::common::Room;
use insta::assert_snapshot;
use rstest::rstest;
use serde_json::{Value, json};

/// A report with one finding.
fn report() -> Value {
    json!({
        "version": 3, "verdict": "fail", "seed": 7, "elapsed_s": 12.5,
        "suites": [{
            "name": "eu", "device": "g45", "cases": 1234, "instructions": 56789, "comparisons": 56789,
            "divergences": 2, "accepted_undefined": 3, "skipped": 0, "verdict": "fail",
        }],
        "rules": {
            "total": 8469, "must": 6018, "covered": 1, "in_scope": { "must": 3100, "covered": 1 },
            "failed": ["g45.dt.b"], "only_accepted": [], "uncovered": [],
            "uses": {
                "g45.dt.d": { "exact": 5, "accepted": 1, "failed": 0 },
                "g45.dt.b": { "exact": 9, "accepted": 0, "failed": 1 },
            },
            "missing_rows": {},
            "devices": { "g45": ["g45.dt.d"] },
        },
        "divergences": [{
            "id": "eu-g45-1", "device": "g45", "suite": "eu", "step": 3, "instruction": "add (8)",
            "location": "r4.12", "expected": "1", "actual": "2", "rules": ["g45.dt.b", "g45.dt.d"],
            "trace": "", "context": "", "kind": "add result", "cases": 2, "instructions": 1,
            "shown": [{ "suite": "eu", "device": "g45", "cases": 2, "seed": 78 }],
        }],
    })
}

fn room() -> Room {
    let room = Room::new();
    room.file("report.json", report().to_string());
    room
}

#[test]
fn page_one_says_what_was_tested_and_what_was_not() {
    let room = room();
    let arguments = [
        "report",
        "--from",
        "report.json",
        "--html",
        "-",
        "--dut-name",
        "a <b>",
        "--dut-version",
        "2.1",
    ];
    let page = room.run_list(arguments).stdout;
    let (front, rest) = page.split_once("id=\"findings\"").expect("findings");
    for part in [
        "<b>a &lt;b&gt;</b>, version 2.1",
        "applicable rules covered",
        "<span>finding</span>",
        "applicable rules left open",
        "1 rule failed (the first suspect of a cause), 0 implicated",
        "Devices that were not run: bw, cl, ctg, ivb, skl, dg1, rv770.",
        "title=\"g45-eu-environment on g45: 1 of ",
    ] {
        assert!(front.contains(part), "{part}");
    }
    assert!(rest.contains("<summary><b>g45</b>"), "suites are folded by device");
    // Without names those of the engine.
    let page = room.run("report --from report.json --html -").stdout;
    assert!(page.contains("<b>executor</b>"));
    assert!(!page.contains("class=\"annex\""));
    let annex = room.run("report --from report.json --html - --annex").stdout;
    assert!(annex.contains("<body class=\"annex\">"));
    let empty = room.run_list(["report", "--from", "report.json", "--dut-name", " "]);
    assert!(empty.refused().contains("expected a text that is not empty"), "{}", empty.stderr);
}

/// A waiver that is active makes the report pass, in every form; no other does.
#[rstest]
#[case::signature("finding = 'add result'", "2999-12-31", 0)]
#[case::id("finding = 'eu-g45-1'", "2999-12-31", 0)]
#[case::rule("rule = 'g45.dt.b'", "2999-12-31", 0)]
#[case::expired("rule = 'g45.dt.b'", "2020-01-01", 1)]
#[case::not_the_first_suspect("rule = 'g45.dt.d'", "2999-12-31", 1)]
#[case::other("finding = 'mul result'", "2999-12-31", 1)]
fn a_waiver_holds_until_its_last_day(#[case] what: &str, #[case] until: &str, #[case] code: i32) {
    let room = room();
    room.file("w.toml", format!("[[waiver]]\n{what}\nreason = 'a <reason>'\nuntil = '{until}'\n"));
    let run = |form: &str| room.run(&format!("report --from report.json --waivers w.toml {form}"));
    let text = run("");
    assert_eq!(text.code, Some(code), "{}{}", text.stdout, text.stderr);
    let json = run("--json").json();
    assert_eq!(json["verdict"], if code == 0 { "pass" } else { "fail" });
    assert_eq!(json["waived"]["verdict_before"], "fail");
    let [html, md, junit] =
        ["html", "md", "junit"].map(|form| run(&format!("--format {form}")).stdout);
    assert!(html.contains("a &lt;reason&gt;") && !html.contains("a <reason>"));
    assert_eq!(html.contains("waived until 2999"), code == 0);
    assert_eq!(md.contains("waived until 2999"), code == 0, "{md}");
    let case = junit.split("<testcase name=\"eu-g45-1\"").nth(1).expect("the finding");
    let case = case.split("</testcase>").next().expect("it ends");
    assert_eq!(case.contains("<failure"), code == 1, "{case}");
    if code == 1 {
        let word = if until < "2021" { "expired on 2020-01-01" } else { "matched nothing" };
        assert!(text.stdout.contains(word) && md.contains(word) && junit.contains(word), "{md}");
    }
    // What is waived is undone by other waivers.
    room.file("waived.json", json.to_string());
    room.file("none.toml", "");
    let again = room.run("report --from waived.json --waivers none.toml");
    assert_eq!(again.code, Some(1), "{}", again.stdout);
    assert_eq!(room.run("report --from waived.json").code, Some(code));
}

/// A suite that fails for another reason, or a divergence that belongs to no finding, fails all the same.
#[test]
fn waivers_hide_nothing_else() {
    let room = Room::new();
    room.file("w.toml", "[[waiver]]\nfinding = 'add result'\nreason = 'r'\nuntil = '2999-12-31'\n");
    let mut uncompared = report();
    let mut suite = uncompared["suites"][0].clone();
    (suite["name"], suite["divergences"]) = ("messages".into(), 0.into());
    uncompared["suites"].as_array_mut().expect("a list").push(suite);
    let mut more = report();
    more["suites"][0]["divergences"] = 3.into();
    for report in [uncompared, more] {
        room.file("report.json", report.to_string());
        assert_eq!(room.run("report --from report.json --waivers w.toml").code, Some(1));
    }
}

#[test]
fn mistakes_in_waivers_are_refused() {
    let room = room();
    let good = "reason = 'r'\nuntil = '2999-12-31'\n";
    let files = [
        format!("[[waiver]]\nfinding = 'x'\n{good}because = 'b'\n"),
        format!("[[waiver]]\nrule = 'g45.dt.dd'\n{good}"),
        format!("[[waiver]]\n{good}"),
        format!("[[waiver]]\nrule = 'g45.dt.d'\nfinding = 'x'\n{good}"),
        "[[waiver]]\nfinding = 'x'\nreason = 'r'\nuntil = '2027-02-29'\n".to_owned(),
        "[[waiver]]\nfinding = 'x'\nreason = 'r'\nuntil = 2027\n".to_owned(),
        "[[waiver]]\nfinding = 'x'\nreason = ' '\nuntil = '2027-02-28'\n".to_owned(),
        "[[waiver]]\nfinding = 'x'\nuntil = '2027-02-28'\n".to_owned(),
        "\n[waivers]\n".to_owned(),
        "[[waiver\n".to_owned(),
    ];
    let messages = files.map(|file| {
        room.file("w.toml", file);
        room.run("report --from report.json --waivers w.toml").refused().to_owned()
    });
    assert_snapshot!(messages.join("\n"));
    room.run("report --from report.json --waivers nowhere.toml").refused();
    // Before the run begins.
    room.run("run --device g45 --suite eu --cases 1 --waivers w.toml").refused();
    room.file("w.toml", [b'\n', 0xff]);
    let message = room.run("report --from report.json --waivers w.toml");
    assert!(message.refused().contains("line 2: expected text in UTF-8"), "{}", message.stderr);
}

/// Without a browser the error says what to install; with one, the result is a PDF.
#[test]
fn a_pdf_takes_a_browser() {
    let room = room();
    let arguments = ["report", "--from", "report.json", "--format", "pdf"];
    let without = room.command(arguments).env("PATH", room.path()).output().expect("it starts");
    let without = crate::common::Finished::new(&without);
    assert!(without.refused().contains("apt-get install chromium"), "{}", without.stderr);
    if crate::common::is_there("chromium") {
        let printed = room.command(arguments).output().expect("it starts");
        let error = String::from_utf8_lossy(&printed.stderr);
        assert!(printed.stdout.starts_with(b"%PDF-"), "{error}");
        assert_eq!(printed.status.code(), Some(1), "{error}");
    }
}
