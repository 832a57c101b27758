//! `parallax exec --batch`, from the outside.

use serde_json::{Value, json};

use crate::common::{Finished, Room, closed_schema, ends};

const ADD: &str = "add (8) r4<1>:d r2<8;8,1>:d 1:d";

/// Runs a batch of lines for `g45`.
fn batch(room: &Room, lines: &[Value], more: &str) -> (Finished, Vec<Value>) {
    let text: Vec<_> = lines.iter().map(ToString::to_string).collect();
    room.file("cases.jsonl", text.join("\n"));
    let finished = room.run(&format!("exec --device g45 --batch cases.jsonl {more}"));
    let answers = finished.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let answers = answers.collect();
    (finished, answers)
}

/// Each line says what `exec --json` says of it.
#[test]
fn lines_say_what_exec_says() {
    let room = Room::new();
    let lines = [
        json!({"program": ADD, "set": ["r2:d=1,2"], "dump": ["r4:d"]}),
        json!({"program": "mov (8|M0) r10<1>:d r2<8;8,1>:d", "device": "skl", "set": ["r2:d=7"], "dump": ["r10"]}),
        json!({"program": "00 ALU:\n0 x: ADD_INT R2.x, R0.x, R0.x\n01 NOP: END_OF_PROGRAM", "device": "rv770",
            "set": ["R0.x:ud=21"], "dump": ["R2"], "profile": "silicon"}),
        json!({"program": ADD, "engine": "reference", "mask": "0f", "float_mode": "alt", "step_limit": 5}),
    ];
    let (finished, answers) = batch(&room, &lines, "");
    ends(&finished, 0);
    assert_eq!(answers.len(), lines.len());
    let alone = room.run_list([
        "exec", "--device", "g45", "-e", ADD, "--set", "r2:d=1,2", "--dump", "r4:d", "--json",
    ]);
    assert_eq!(answers[0], json!({"line": 1, "exit_code": 0, "result": alone.json()}));
    let result = |line: usize| &answers[line]["result"];
    assert!(result(1)["registers"]["r10"].as_str().expect("digits").starts_with("07000000"));
    assert_eq!(result(2)["registers"]["R2"]["x"][0], "0000002a");
    assert_eq!(result(2)["profile"], "silicon");
    assert_eq!(result(3)["engine"], "reference");
    let schema = closed_schema(&room, "exec-batch");
    assert!(answers.iter().all(|answer| schema.is_valid(answer)), "{answers:?}");
}

/// A wrong line says what is wrong, and the others are answered.
#[test]
fn a_wrong_line_does_not_stop_the_others() {
    let room = Room::new();
    let right = json!({"program": ADD});
    let wrong = [
        (json!({"prgram": ADD}), "there is no \"program\""),
        (json!({"program": ADD, "dumb": ["r4"]}), "did you mean \"dump\"?"),
        (json!({"program": ADD, "set": "r2=1"}), ""),
        (json!({"program": ADD, "set": [["r2"]]}), "\"set\" has to be a text"),
        (json!({"program": ADD, "mask": "zz"}), "expected hex digits"),
        (json!({"program": "addd (8) r4"}), "addd"),
        (json!({"program": ADD, "allow_illegal": 1}), "has to be true or false"),
        (json!({"program": ADD, "device": "g46"}), "g46"),
        (
            json!({"program": ADD, "engine": "cmd:touch started"}),
            "a line starts no engine of others",
        ),
        (json!({"program": ADD, "engine": "unix:socket"}), "give it with --engine for all lines"),
        (json!([1]), "expected a JSON object"),
    ];
    let mut lines: Vec<_> = wrong.iter().map(|(line, _)| line.clone()).collect();
    lines.push(right);
    let (finished, answers) = batch(&room, &lines, "");
    ends(&finished, 2);
    for ((line, sentence), answer) in wrong.iter().zip(&answers) {
        let said = answer["error"].as_str().unwrap_or_default();
        assert!(said.contains(sentence), "{line}: {answer}");
        assert_eq!(answer["exit_code"] == 2, !sentence.is_empty(), "{line}: {answer}");
    }
    assert_eq!(answers.last().expect("an answer")["exit_code"], 0);
}

/// Options beside `--batch` hold for lines that do not say otherwise; blank lines are none; numbers are those of lines.
#[test]
fn options_beside_hold_for_all_lines() {
    let room = Room::new();
    let mut text = String::from("\r\n");
    for number in 0..600 {
        text += &json!({"program": ADD, "set": [format!("r2:d={number}")]}).to_string();
        text += "\n\n";
    }
    text += &json!({"program": ADD, "dump": ["r2"]}).to_string();
    room.file("cases.jsonl", text);
    let finished =
        room.run("exec --device g45 --batch cases.jsonl --dump r4.0:d --engine executor");
    ends(&finished, 0);
    let answers: Vec<Value> =
        finished.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), 601);
    for (number, answer) in answers[..600].iter().enumerate() {
        assert_eq!(answer["line"], 2 * number + 2);
        assert_eq!(answer["result"]["values"]["r4.0:d"][0], (number + 1).to_string(), "{answer}");
    }
    assert!(answers[600]["result"]["registers"]["r2"].is_string());
    let refused = room.run("exec --device g45 --batch cases.jsonl --float-mode alt");
    ends(&refused, 2);
    assert!(refused.stderr.contains("--float-mode"), "{}", refused.stderr);
    ends(&room.run("exec --device g45 --batch no-such-file.jsonl"), 2);
    room.file("empty.jsonl", "\n\n");
    let empty = room.run("exec --device g45 --batch empty.jsonl");
    ends(&empty, 2);
    assert!(empty.stderr.contains("there is no program in empty.jsonl"), "{}", empty.stderr);
}
