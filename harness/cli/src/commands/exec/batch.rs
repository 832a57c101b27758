//! Many programs in one process: `parallax exec --batch`.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write as _},
    path::Path,
};

use clap::Parser;
use parallax_isa::{device::Family, nearest::nearest};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Arguments, answer::Answer, eu, r700};
use crate::{
    failure::{Ending, Failure},
    output,
};

/// Lines that are read before the first of them is answered.
const AT_ONCE: usize = 256;
/// Bytes of a line, at most.
const LONGEST: usize = 64 << 20;

/// How many values an option has.
#[derive(Clone, Copy)]
enum Values {
    None,
    One,
    Several,
}

use Values::{One, Several};

/// Options that lines may have.
const KEYS: [(&str, Values); 16] = [
    ("program", One),
    ("device", One),
    ("set", Several),
    ("const", Several),
    ("dump", Several),
    ("mask", One),
    ("float_mode", One),
    ("profile", One),
    ("program_type", One),
    ("setup", One),
    ("shared_function", One),
    ("system_routine", One),
    ("event", Several),
    ("step_limit", One),
    ("engine", One),
    ("allow_illegal", Values::None),
];

/// What is printed of a line.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Line {
    /// Its number, from 1.
    line: u64,
    /// What `exec` would have ended with: 0, 1 if the engines differ, 2 if the program or an option is wrong.
    exit_code: u8,
    /// What `exec --json` prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The options of a line as words.
#[derive(Parser)]
#[command(name = "exec", no_binary_name = true)]
struct Words {
    #[command(flatten)]
    arguments: Arguments,
}

/// Answers each line of the file.
pub(super) fn execute(arguments: &Arguments) -> Result<Ending, Failure> {
    let path = arguments.start.file().unwrap_or(Path::new("-"));
    let mut lines: Box<dyn BufRead> = match path.to_str() {
        Some("-") => Box::new(io::stdin().lock()),
        _ => {
            let file = File::open(path).map_err(|source| Failure::file("read", path, source))?;
            Box::new(BufReader::new(file))
        }
    };
    let (mut number, mut worst) = (0, None);
    loop {
        let mut some = Vec::new();
        while some.len() < AT_ONCE {
            let read = next_line(&mut *lines);
            let Some(text) = read.map_err(|source| Failure::file("read", path, source))? else {
                break;
            };
            number += 1;
            if !text.trim_ascii().is_empty() {
                some.push((number, text));
            }
        }
        if some.is_empty() {
            break;
        }
        let answer = |(number, text): &(u64, Vec<u8>)| line(arguments, *number, text);
        let answers: Vec<_> = some.par_iter().map(answer).collect();
        output::attempt(|out| {
            for answer in &answers {
                serde_json::to_writer(&mut *out, answer)?;
                writeln!(out)?;
            }
            out.flush()
        });
        worst = answers.iter().map(|answer| answer.exit_code).max().max(worst);
    }
    match worst {
        None => Err(Failure::input(format!("there is no program in {}", path.display()))),
        Some(0) => Ok(Ending::Success),
        Some(1) => Ok(Ending::Found),
        Some(_) => Ok(Ending::Incomplete),
    }
}

/// The next line, without what ends it; of one that is too long only so much that this shows.
fn next_line(lines: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    loop {
        let (used, is_over) = {
            let bytes = lines.fill_buf()?;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            let room = (LONGEST + 1).saturating_sub(text.len());
            text.extend(&piece[..piece.len().min(room)]);
            (piece.len() + usize::from(end.is_some()), end.is_some() || bytes.is_empty())
        };
        lines.consume(used);
        if is_over {
            return Ok((used > 0 || !text.is_empty()).then_some(text));
        }
    }
}

/// Answers a line.
fn line(arguments: &Arguments, number: u64, text: &[u8]) -> Line {
    match words(arguments, text).and_then(|words| answer(&words)) {
        Ok(Answer { json, differs }) => {
            Line { line: number, exit_code: differs.into(), result: Some(json), error: None }
        }
        Err(error) => Line { line: number, exit_code: 2, result: None, error: Some(error) },
    }
}

fn answer(words: &[String]) -> Result<Answer, String> {
    // What is wrong with options is said in some lines, of which the first says what.
    let of_clap = |error: clap::Error| {
        let text = error.to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        first.trim_start_matches("error: ").replace('\n', " ")
    };
    let Words { arguments } = Words::try_parse_from(words).map_err(of_clap)?;
    let answer = match arguments.start.device.family() {
        Family::Eu => eu::answer(&arguments),
        Family::R700 => r700::answer(&arguments),
    };
    answer.map_err(|error| error.to_string())
}

/// The words of a command that does what a line says.
fn words(arguments: &Arguments, text: &[u8]) -> Result<Vec<String>, String> {
    if text.len() > LONGEST {
        return Err(format!("the line is longer than {} MiB", LONGEST >> 20));
    }
    let object: Map<String, Value> =
        serde_json::from_slice(text).map_err(|error| format!("expected a JSON object: {error}"))?;
    if !object.contains_key("program") {
        return Err("there is no \"program\"".to_owned());
    }
    let mut words = arguments.shared_by_lines(|key| object.contains_key(key));
    for (key, value) in &object {
        let Some((_, values)) = KEYS.iter().find(|(known, _)| known == key) else {
            let near = nearest(key, KEYS.iter().map(|(known, _)| *known));
            let near = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            return Err(format!("{} is no key of a line{near}", output::quoted(key)));
        };
        let option = if key == "program" {
            "--text".to_owned()
        } else {
            format!("--{}", key.replace('_', "-"))
        };
        let word = |value: &Value| match value {
            Value::String(text) => Ok(format!("{option}={text}")),
            Value::Number(number) => Ok(format!("{option}={number}")),
            _ => Err(format!("\"{key}\" has to be a text")),
        };
        match (values, value) {
            (Values::None, Value::Bool(is_set)) => words.extend(is_set.then(|| option.clone())),
            (Values::None, _) => return Err(format!("\"{key}\" has to be true or false")),
            (One, Value::String(engine)) if key == "engine" && engine.contains(':') => {
                return Err(format!(
                    "a line starts no engine of others, {}; give it with --engine for all lines",
                    output::quoted(engine)
                ));
            }
            (Several, Value::Array(items)) => {
                for item in items {
                    words.push(word(item)?);
                }
            }
            _ => words.push(word(value)?),
        }
    }
    Ok(words)
}

impl Arguments {
    /// The options that hold for all lines of a batch but for those that a line has itself, as words.
    fn shared_by_lines(&self, has: impl Fn(&str) -> bool) -> Vec<String> {
        let start = &self.start;
        let mut words = Vec::new();
        let mut add = |key: &str, values: Vec<String>| {
            if !has(key) {
                let option = key.replace('_', "-");
                words.extend(values.into_iter().map(|value| format!("--{option}={value}")));
            }
        };
        add("device", vec![start.device.to_string()]);
        add("set", start.set.clone());
        add("const", start.constants.clone());
        add("dump", self.dump.clone());
        add("mask", start.mask.iter().map(|mask| format!("{mask:x}")).collect());
        add("step_limit", vec![start.step_limit.to_string()]);
        add("engine", self.engine.iter().cloned().collect());
        if start.allow_illegal && !has("allow_illegal") {
            words.push("--allow-illegal".to_owned());
        }
        words
    }
}
