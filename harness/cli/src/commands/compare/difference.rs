//! A difference between two programs, for people and as JSON.

use std::{fs, ops::Range, path::Path};

use parallax_isa::{Image, Step, eu::DataType};
use parallax_lockstep::{
    equivalence::{Comparable, Difference, Differing, Pair},
    trace::{self, Trace},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::exec::number_text,
    outputs::Named,
    steps::{self, Row},
};
use crate::{
    failure::Failure,
    output::{Table, grouped},
};

/// Elements that are listed for people.
const LISTED: usize = 16;

/// The JSON interface.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json {
    /// Of folders the name of the files.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// `equal`, `different`, `not-compared` or `engines-differ`; of folders `error` too, where a program is illegal.
    verdict: &'static str,
    /// More about it, if they do not differ.
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
    /// How many starts were asked for.
    starts: u64,
    /// Their seed.
    seed: u64,
    /// The number of the first start that shows a difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    /// What is set in the simplest start that shows it: names and values; the rest is as without `--in`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    start: Vec<(String, String)>,
    /// How each program ends, if that is not alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcomes: Option<[String; 2]>,
    /// The elements that differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outputs: Vec<OutputJson>,
    /// What both programs do from that start, side by side: their first 500 steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<Row>,
}

/// An element that differs.
#[derive(Serialize, JsonSchema)]
struct OutputJson {
    /// Its name, with its type if --out has one.
    element: String,
    /// What each program leaves there: hexadecimal digits, and the number of its type.
    values: [String; 2],
    /// Whether the manual leaves it open in the second program.
    unspecified: bool,
    /// The last step of each program that changes it.
    writers: [Option<WriterJson>; 2],
}

/// A step of a program.
#[derive(Serialize, JsonSchema, Clone)]
struct WriterJson {
    /// Its number, from 0.
    step: u64,
    /// The instruction.
    instruction: String,
}

impl Json {
    /// What is said of programs that do not differ.
    pub(super) fn verdict(verdict: &'static str, text: &str, starts: u64, seed: u64) -> Self {
        Self {
            file: None,
            verdict,
            message: text.to_owned(),
            starts,
            seed,
            number: None,
            start: Vec::new(),
            outcomes: None,
            outputs: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// The same of files of a name.
    pub(super) fn named(self, name: String) -> Self {
        Self { file: Some(name), ..self }
    }
}

/// A difference, with all that is reported of it.
pub(super) struct Found<M: Comparable> {
    cases: [M::Case; 2],
    start: Vec<(String, String)>,
    outcomes: Option<[String; 2]>,
    outputs: Vec<OutputJson>,
    steps: Vec<Row>,
}

impl<M: Comparable> Found<M> {
    pub(super) fn new(
        pair: &Pair<M>,
        outputs: &[Named],
        difference: &Difference<M::State>,
    ) -> Result<Self, Failure> {
        let mut cases = pair.cases.clone();
        for case in &mut cases {
            *M::initial_state(case) = *difference.start;
        }
        let places: Vec<_> = difference.elements.iter().map(|e| e.places.clone()).collect();
        let writers = [writers::<M>(&cases[0], &places)?, writers::<M>(&cases[1], &places)?];
        let elements = difference.elements.iter().enumerate();
        let outputs = elements.map(|(number, Differing { places, bytes, is_open })| {
            let output = outputs.iter().find(|output| {
                let Range { start, end } = output.places.places;
                start <= places.start && places.end <= end
            });
            let data_type = output.and_then(|output| output.data_type);
            OutputJson {
                element: name::<M::State>(places.start, data_type),
                values: [0, 1].map(|program: usize| shown(&bytes[program], data_type)),
                unspecified: *is_open,
                writers: [0, 1].map(|program: usize| writers[program][number].clone()),
            }
        });
        let outputs = outputs.collect();
        let usual = M::start(&pair.cases[0]);
        let mut start = M::start(&cases[0]);
        start.retain(|register| !usual.contains(register));
        let outcomes = difference.outcomes.as_ref();
        let outcomes = outcomes.map(|outcomes| outcomes.clone().map(|outcome| outcome.to_string()));
        // Runs that are too long for a trace are not listed.
        let traces = cases.each_ref().map(|case| Trace::record(&mut *M::reference(), case));
        let steps = match traces {
            [Ok(first), Ok(second)] => steps::side_by_side::<M>([first, second]),
            _ => Vec::new(),
        };
        Ok(Self { cases, start, outcomes, outputs, steps })
    }

    /// For people.
    pub(super) fn text(
        &self,
        [first, second]: &[String; 2],
        number: u64,
        starts: u64,
        seed: u64,
    ) -> String {
        let (number, starts) = (grouped(number), grouped(starts));
        let mut text = format!("the programs differ: start {number} of {starts}, seed {seed}\n");
        text += "\nthe simplest start that shows it\n";
        if self.start.is_empty() {
            text += "  nothing is set\n";
        }
        for (name, value) in &self.start {
            text += &format!("  {name:<8} {value}\n");
        }
        text.push('\n');
        if let Some([a, b]) = &self.outcomes {
            text += &format!("{first} ends: {a}\n{second} ends: {b}\n");
        }
        let mut table = Table::new(&["output", "first", "second"]);
        for output in self.outputs.iter().take(LISTED) {
            let [a, b] = output.values.clone();
            let b = if output.unspecified { format!("{b} (unspecified)") } else { b };
            table.row([output.element.clone(), a, b]);
            let step = |writer: &Option<WriterJson>| match writer {
                Some(WriterJson { step, instruction }) => format!("step {step}: {instruction}"),
                None => "not written".to_owned(),
            };
            let [a, b] = [0, 1].map(|program: usize| step(&output.writers[program]));
            table.row([String::new(), a, b]);
        }
        if !self.outputs.is_empty() {
            text += &table.to_string();
        }
        let more = self.outputs.len().saturating_sub(LISTED);
        if more > 0 {
            text += &format!("\nand {more} more, with --json");
        }
        if !self.steps.is_empty() {
            text += &format!("\n\n{}", steps::text(&self.steps));
        }
        text
    }

    pub(super) fn json(self, number: u64, starts: u64, seed: u64) -> Json {
        Json {
            file: None,
            verdict: "different",
            message: String::new(),
            starts,
            seed,
            number: Some(number),
            start: self.start,
            outcomes: self.outcomes,
            outputs: self.outputs,
            steps: self.steps,
        }
    }

    /// Records both programs.
    pub(super) fn write_traces(&self, folder: &Path) -> Result<(), Failure> {
        let failed = |source| Failure::file("write", folder, source);
        fs::create_dir_all(folder).map_err(failed)?;
        for (name, case) in ["first.trace", "second.trace"].into_iter().zip(&self.cases) {
            let trace = Trace::<M>::record(&mut *M::reference(), case);
            let trace = trace.map_err(|error| Failure::input(error.to_string()))?;
            let bytes =
                trace::to_bytes(&trace).map_err(|error| Failure::input(error.to_string()))?;
            let path = folder.join(name);
            fs::write(&path, bytes).map_err(|source| Failure::file("write", &path, source))?;
        }
        Ok(())
    }
}

/// The last step of a program that changes each of some places.
fn writers<M: Comparable>(
    case: &M::Case,
    places: &[Range<usize>],
) -> Result<Vec<Option<WriterJson>>, Failure> {
    let mut reference = M::reference();
    reference.load(case).map_err(|error| Failure::input(error.to_string()))?;
    let mut last: Vec<Option<u64>> = vec![None; places.len()];
    let mut texts = Vec::new();
    loop {
        let before = Box::new(*reference.state()?);
        let finished = matches!(reference.step()?, Step::Finished(_));
        let after = reference.state()?;
        let is_changed =
            |places: &Range<usize>| before.image()[places.clone()] != after.image()[places.clone()];
        let step = texts.len() as u64;
        let mut changes = false;
        for (place, last) in places.iter().zip(&mut last) {
            if is_changed(place) {
                *last = Some(step);
                changes = true;
            }
        }
        // Texts are made of few steps only: what loops writes the same places again and again.
        texts.push(changes.then(|| M::describe_next(case, &before)));
        if finished {
            break;
        }
    }
    let writer = |step: u64| {
        let instruction = texts[step as usize].clone().unwrap_or_default();
        WriterJson { step, instruction }
    };
    Ok(last.into_iter().map(|step| step.map(writer)).collect())
}

/// The name of the element at a place of the image, in its type: `r10.1:f`.
fn name<S: Image>(offset: usize, data_type: Option<DataType>) -> String {
    let bank = S::bank(offset);
    match data_type {
        Some(data_type) if bank.bytes <= 64 => {
            let (register, byte) =
                ((offset - bank.offset) / bank.bytes, (offset - bank.offset) % bank.bytes);
            let element = byte / data_type.size();
            format!("{}.{element}:{}", bank.register(register), data_type.suffix())
        }
        Some(data_type) => format!("{}:{}", S::place(offset), data_type.suffix()),
        None => S::place(offset),
    }
}

/// An element as digits, and as the number that it is.
fn shown(bytes: &[u8], data_type: Option<DataType>) -> String {
    let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    match data_type {
        Some(data_type) => format!("{} {digits}", number_text(data_type, bytes)),
        None => digits,
    }
}
