//! A trace as a test of its own in C or Python: the case, the end it comes to, and one function behind
//! which an emulator stands.

use std::fmt::Write as _;

use minijinja::{Environment, UndefinedBehavior, context};
use parallax_lockstep::registry::EndTest;
use serde::Serialize;

use super::Format;
use crate::output;

/// Most bytes of a run; longer ones become several, for the sake of readers and compilers.
const LONGEST: usize = 32;

/// A list of runs in a test.
#[derive(Serialize)]
struct List {
    name: &'static str,
    what: &'static str,
    runs: Vec<Run>,
}

/// Bytes that follow each other in a bank.
#[derive(Serialize)]
struct Run {
    bank: usize,
    name: &'static str,
    first: usize,
    length: usize,
    /// As text in C.
    bytes: String,
    digits: String,
}

/// A kind of state.
#[derive(Serialize)]
struct Bank {
    name: &'static str,
    /// Its name as C writes names.
    identifier: String,
    length: usize,
    register: usize,
    is_numbered: bool,
}

/// The test of a machine's trace, for a file of a name.
pub(super) fn of(test: &EndTest, machine: &str, format: Format, name: &str) -> String {
    let (template, ending) = match format {
        Format::Python => (include_str!("../../../templates/test.py"), "py"),
        _ => (include_str!("../../../templates/test.c"), "c"),
    };
    // What stands in comments and in text.
    let plain = |letter: char| letter.is_alphanumeric() || "-_.+".contains(letter);
    let name: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    let banks = test.banks.iter().map(|bank| Bank {
        name: bank.bank.name,
        identifier: bank.bank.name.replace(['-', '.'], "_"),
        length: bank.start.len(),
        register: bank.bank.bytes,
        is_numbered: bank.bank.is_numbered,
    });
    let listing =
        test.listing.iter().map(|line| line.replace("*/", "* /").replace(['\\', '"'], "'"));
    let zeros = |length| vec![0; length];
    let lists = [
        List {
            name: "start",
            what: "What the case starts from; all else is zero.",
            runs: runs(test, |bank| (zeros(bank.start.len()), &bank.start)),
        },
        List {
            name: "end",
            what: "What is different at the end.",
            runs: runs(test, |bank| (bank.start.clone(), &bank.end)),
        },
        List {
            name: "exact",
            what: "Bits that have to be as they are at the end, where these are not all: the manual leaves the others open.",
            runs: runs(test, |bank| (vec![0xFF; bank.exact.len()], &bank.exact)),
        },
    ];
    let numbers = |bytes: &[u8]| {
        bytes.iter().fold(String::new(), |mut list, byte| {
            write!(list, "{byte}, ").expect("a string takes what is written");
            list
        })
    };
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let case = &test.case;
    let rendered = environment.render_str(
        template,
        context! {
            title => format!("{name}: a test of one program, and what it comes to."),
            name, machine, lists,
            file => format!("{name}.{ending}"),
            device => case.device,
            steps => output::counted(test.steps as u64, "step"),
            outcome => test.outcome.keyword(),
            listing => listing.collect::<Vec<_>>(),
            banks => banks.collect::<Vec<_>>(),
            program => numbers(&case.program),
            digits => output::hex(&case.program),
            settings => serde_json::Value::from(case.settings.clone()).to_string(),
            settings_bytes => numbers(case.settings.as_bytes()),
            step_limit => case.step_limit,
        },
    );
    rendered.expect("the templates are right")
}

/// The bytes of all banks that are not as others are.
fn runs<'t>(
    test: &'t EndTest,
    pair: impl Fn(&'t parallax_lockstep::registry::EndBank) -> (Vec<u8>, &'t Vec<u8>),
) -> Vec<Run> {
    let mut runs = Vec::new();
    for (number, bank) in test.banks.iter().enumerate() {
        let (usual, bytes) = pair(bank);
        let mut at = 0;
        while at < bytes.len() {
            let is_other = |at: &usize| usual[*at] != bytes[*at];
            let length = (at..bytes.len()).take_while(is_other).take(LONGEST).count();
            if length > 0 {
                let bytes = &bytes[at..at + length];
                let digits = output::hex(bytes);
                let text: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
                let bytes = format!("\"{text}\"");
                let name = bank.bank.name;
                runs.push(Run { bank: number, name, first: at, length, bytes, digits });
            }
            at += length.max(1);
        }
    }
    runs
}
