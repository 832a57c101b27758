//! `parallax show`: what a trace holds.

use std::{borrow::Borrow, cell::Cell, io, path::PathBuf};

use clap::Args;
use parallax_isa::Acceptance;
use parallax_lockstep::{
    elements::Written,
    escape,
    registry::{Shown, ShownStep},
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::{
    failure::{Ending, Failure},
    output,
    traces::File,
};

/// Print what a trace holds: program, start, and what every step did
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  parallax show add.trace")]
pub(crate) struct Arguments {
    /// The trace
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON interface of `show`. Its steps are all there, or come one after the other.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<S = Vec<Step>> {
    /// The machine.
    machine: &'static str,
    /// The device.
    device: &'static str,
    /// How the program ended.
    outcome: &'static str,
    /// Digest of the state at the end.
    digest: String,
    /// The instructions, as text.
    program: Vec<String>,
    /// Registers at the start, as hex digits, by name.
    start: serde_json::Map<String, Value>,
    /// What else the case has, such as `shared_functions` with surfaces and samplers, as in `export`; null if
    /// nothing.
    surroundings: Value,
    /// The steps.
    steps: S,
}

/// Steps that are made when they are written, which can be once.
struct Coming(Cell<Option<Box<dyn Iterator<Item = ShownStep>>>>);

impl Serialize for Coming {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten().map(Step::of))
    }
}

/// A step of a trace.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Step {
    /// The instruction.
    instruction: String,
    /// The elements that it changed, whole: a number of their type and hex digits.
    elements: Vec<Element>,
    /// The bytes that it changed.
    writes: Vec<Write>,
    /// Places where other values are accepted too.
    accepted: Vec<Accepted>,
}

/// A whole element that a step changed: a number of its type, or hex digits.
#[derive(Serialize, JsonSchema)]
struct Element {
    /// The element.
    place: String,
    /// Its value before.
    before: String,
    /// Its value after.
    after: String,
}

impl From<Written> for Element {
    fn from(Written { place, before, after }: Written) -> Self {
        Self { place, before, after }
    }
}

/// Neighbouring bytes that a step changed.
#[derive(Serialize, JsonSchema)]
struct Write {
    /// Where the bytes are.
    place: String,
    /// The bytes, as hex digits.
    hex: String,
}

/// A place where something else than the recorded value is accepted.
#[derive(Serialize, JsonSchema)]
struct Accepted {
    /// The place.
    place: String,
    /// What is accepted there.
    accepts: String,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let file = File::read(&self.file)?;
        let shown = file.machine.show(&file.bytes).map_err(|problem| file.failure(&problem))?;
        let (head, steps) = Json::head(file.machine.name(), shown);
        let escape = if self.json { escape::json } else { escape::lines };
        output::stream(escape, |to| {
            if self.json {
                let steps = Coming(Cell::new(Some(steps)));
                serde_json::to_writer_pretty(&mut *to, &head.with(steps))?;
                writeln!(to)
            } else {
                head.write(steps.map(Step::of), to)
            }
        });
        Ok(Ending::Success)
    }
}

/// What is accepted, for people.
pub(super) fn accepts(acceptance: Acceptance) -> String {
    match acceptance {
        Acceptance::Undefined => "anything".to_owned(),
        Acceptance::AnyNan16 | Acceptance::AnyNan32 | Acceptance::AnyNan64 => "any NaN".to_owned(),
        Acceptance::NonZero => "any bits that are not all zero".to_owned(),
        Acceptance::Ulp32(most) => format!("up to {most} ulp away"),
        Acceptance::Ulp64(most) => format!("up to {most} ulp away"),
        Acceptance::Or(other) => format!("{other:x} too"),
        Acceptance::Within32(range) => {
            let [low, high] = [range.low, range.high].map(f32::from_bits);
            format!("from {low:?} to {high:?}")
        }
    }
}

impl Step {
    fn of(step: ShownStep) -> Self {
        let write = |(place, bytes): (String, Vec<u8>)| Write { place, hex: output::hex(&bytes) };
        let accepted = |(place, acceptance)| Accepted { place, accepts: accepts(acceptance) };
        Self {
            instruction: step.instruction,
            elements: step.elements.into_iter().map(Element::from).collect(),
            writes: step.writes.into_iter().map(write).collect(),
            accepted: step.accepted.into_iter().map(accepted).collect(),
        }
    }
}

impl Json<()> {
    /// What is shown of a trace but for its steps, and those.
    fn head(machine: &'static str, shown: Shown) -> (Self, Box<dyn Iterator<Item = ShownStep>>) {
        let Shown { device, outcome, digest, program, start, surroundings, steps } = shown;
        let head = Self {
            machine,
            device,
            outcome: outcome.keyword(),
            digest: format!("{digest:08x}"),
            program,
            start: start.into_iter().map(|(name, value)| (name, value.into())).collect(),
            surroundings,
            steps: (),
        };
        (head, steps)
    }
}

impl Json {
    /// What is shown of a trace.
    pub(crate) fn of(machine: &'static str, shown: Shown) -> Self {
        let (head, steps) = Json::head(machine, shown);
        head.with(steps.map(Step::of).collect())
    }

    /// The same for people.
    pub(crate) fn text(&self) -> String {
        let mut text = Vec::new();
        self.write(self.steps.iter(), &mut text).expect("memory takes what is written");
        String::from_utf8(text).expect("it is text").trim_end().to_owned()
    }
}

impl<S> Json<S> {
    fn with<T>(self, steps: T) -> Json<T> {
        let Self { machine, device, outcome, digest, program, start, surroundings, steps: _ } =
            self;
        Json { machine, device, outcome, digest, program, start, surroundings, steps }
    }

    /// Writes it for people, with steps that it has or that come one after the other.
    fn write(
        &self,
        steps: impl Iterator<Item = impl Borrow<Step>>,
        to: &mut dyn io::Write,
    ) -> io::Result<()> {
        writeln!(to, "{} on {}\n\nprogram", self.machine, self.device)?;
        for line in &self.program {
            writeln!(to, "  {line}")?;
        }
        writeln!(to, "\nstart")?;
        for (name, hex) in &self.start {
            writeln!(to, "  {name:<8} {}", hex.as_str().unwrap_or_default())?;
        }
        if !self.surroundings.is_null() {
            writeln!(to, "\nsurroundings")?;
            surroundings(&mut String::new(), &self.surroundings, to)?;
        }
        for (number, step) in steps.enumerate() {
            let Step { instruction, elements, accepted, .. } = step.borrow();
            writeln!(to, "\nstep {number}: {instruction}")?;
            for Element { place, before, after } in elements {
                writeln!(to, "  {place:<10} {after}  (was {before})")?;
            }
            for Accepted { place, accepts } in accepted {
                writeln!(to, "  {place:<10} {accepts}")?;
            }
        }
        writeln!(to, "\n{}, digest of the last state {}", self.outcome, self.digest)
    }
}

/// Numbers of a row, and most rows of a list.
const ROW: usize = 8;
const ROWS: usize = 16;

/// Writes what a case has besides for people: what is neither zero nor empty, with the way to it. Rows of
/// numbers are in hex, behind the number of the first.
fn surroundings(path: &mut String, value: &Value, to: &mut dyn io::Write) -> io::Result<()> {
    let mut below = |name: &str, value: &Value, to: &mut dyn io::Write| {
        let length = path.len();
        if length > 0 {
            path.push('.');
        }
        path.push_str(name);
        let written = surroundings(path, value, to);
        path.truncate(length);
        written
    };
    match value {
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| below(name, value, to)),
        Value::Array(values) => match numbers(values) {
            Some(numbers) => rows(path, &numbers, to),
            None => (values.iter().enumerate())
                .try_for_each(|(number, value)| below(&number.to_string(), value, to)),
        },
        Value::Null | Value::Bool(false) => Ok(()),
        Value::Number(number) if number.as_u64() == Some(0) => Ok(()),
        Value::String(text) => writeln!(to, "  {path}  {text}"),
        value => writeln!(to, "  {path}  {value}"),
    }
}

/// Values that all are numbers of at most 64 bits.
fn numbers(values: &[Value]) -> Option<Vec<u64>> {
    values.iter().map(Value::as_u64).collect()
}

fn rows(path: &str, numbers: &[u64], to: &mut dyn io::Write) -> io::Result<()> {
    let rows = numbers.chunks(ROW).enumerate();
    let mut rows = rows.filter(|(_, numbers)| numbers.iter().any(|number| *number != 0));
    for (row, numbers) in rows.by_ref().take(ROWS) {
        let hex: Vec<_> = numbers.iter().map(|number| format!("{number:08x}")).collect();
        writeln!(to, "  {path}[{}]  {}", ROW * row, hex.join(" "))?;
    }
    match rows.count() {
        0 => Ok(()),
        more => writeln!(to, "  {path}  {more} rows more, which --json has"),
    }
}
