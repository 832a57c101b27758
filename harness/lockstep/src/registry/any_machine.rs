//! What can be asked of a machine whose types are not known, and the answers.

use std::sync::Arc;

use parallax_engine::Hello;
use parallax_isa::{Acceptance, Device, Outcome, image::Bank};
use parallax_spec::RuleId;
use serde_json::Value;

use crate::{
    conformance::Sample,
    elements::Written,
    form::Form,
    outside::Outside,
    subject::{NoEngine, UnderTest},
    suite::Suite,
    trace::TraceError,
    verdict::Divergence,
};

/// A machine whose types are not known.
pub trait AnyMachine: Sync {
    /// The name in traces and reports.
    fn name(&self) -> &'static str;

    /// Whether the engine protocol has a form for its cases.
    fn has_form(&self) -> bool;

    /// The banks of its state.
    fn banks(&self) -> &'static [Bank];

    /// The names of its engines.
    fn engines(&self) -> Vec<&'static str>;

    /// Every suite on a device.
    fn suites(&self, device: Device) -> Vec<Box<dyn Suite>>;

    /// Whether it has cases of a device.
    fn is_on(&self, device: Device) -> bool;

    /// Every suite on a device that an engine outside of this process can run, limited to what it has.
    fn outside_suites(&self, device: Device, engine: &Arc<Outside>) -> Vec<Box<dyn Suite>>;

    /// What most cases of a device need that an engine outside of this process does not have; empty if it runs no
    /// cases of the device at all.
    fn reasons(&self, device: Device, engine: &Outside) -> Vec<String>;

    /// The suites on a device limited to programs that are made of some instructions only, without those that have no
    /// such programs.
    fn narrowed_suites(
        &self,
        device: Device,
        engine: &UnderTest,
        instructions: &[String],
    ) -> Vec<Box<dyn Suite>>;

    /// The traces of a conformance set for a device, of a seed.
    ///
    /// # Errors
    /// If a trace cannot be written.
    fn conformance(&self, device: Device, seed: u64) -> Result<Vec<Sample>, Problem>;

    /// Holds that what an engine outside of this process says it has exists.
    ///
    /// # Errors
    /// If something does not: what, in a sentence.
    fn check_hello(&self, hello: &Hello) -> Result<(), String>;

    /// The banks of a device that an engine outside of this process does not have.
    fn lacks(&self, device: Device, engine: &Outside) -> Vec<&'static str>;

    /// Holds an engine against a trace file's bytes.
    ///
    /// # Errors
    /// If the bytes are no trace of this machine, or the engine is unknown. That the engine refuses
    /// the case is a difference.
    fn replay(&self, trace: &[u8], engine: &UnderTest) -> Result<Replayed, Problem>;

    /// The device of a trace file's bytes, and the forms of the instructions of its first steps, at most so many, those
    /// of each together.
    ///
    /// # Errors
    /// If the bytes are no trace of this machine, or the reference does not take its case.
    fn forms(&self, trace: &[u8], steps: usize) -> Result<(&'static str, Vec<Vec<Form>>), Problem>;

    /// The case of a trace file's bytes, recorded anew with the reference of today.
    ///
    /// # Errors
    /// If the bytes are no trace of this machine, or the reference cannot run its case.
    fn record_anew(&self, trace: &[u8]) -> Result<Vec<u8>, Problem>;

    /// A trace file's bytes as JSON.
    ///
    /// # Errors
    /// If the bytes are no trace of this machine.
    fn export(&self, trace: &[u8]) -> Result<Value, Problem>;

    /// A trace file's bytes as the case and the end it comes to, for whoever only looks at that.
    ///
    /// # Errors
    /// If the bytes are no trace of this machine, its cases have no form for engines outside of this
    /// process, or the end is left open.
    fn end_test(&self, trace: &[u8]) -> Result<EndTest, Problem>;

    /// The trace file's bytes that [`AnyMachine::export`] has made JSON of.
    ///
    /// # Errors
    /// If it is no trace of this machine.
    fn import(&self, json: &Value) -> Result<Vec<u8>, Problem>;

    /// What a trace file's bytes hold, for people.
    ///
    /// # Errors
    /// If the bytes are no trace of this machine.
    fn show(&self, trace: &[u8]) -> Result<Shown, Problem>;

    /// The device of a trace file's bytes, and the forms of the instructions of its last step, by their names.
    ///
    /// # Errors
    /// If the bytes are no trace of this machine, or the reference does not come to its end.
    fn last_forms(&self, trace: &[u8]) -> Result<(&'static str, Vec<String>), Problem>;

    /// Brings the case of a trace file's bytes down to what the difference between the reference and
    /// the engine of a name needs.
    ///
    /// # Errors
    /// If the bytes are no trace of this machine, the engine is unknown, or they do not differ.
    fn minimize(&self, trace: &[u8], engine: &UnderTest) -> Result<Smaller, Problem>;
}

/// Why something cannot be done with a trace.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The trace.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The engine.
    #[error(transparent)]
    Engine(#[from] NoEngine),
    /// What the trace is for.
    #[error("{0}")]
    Case(String),
}

/// What came of a replay.
#[derive(Debug)]
pub struct Replayed {
    /// Steps of the trace; that a run is at its end is none.
    pub steps: usize,
    /// Where the engine differs, in words.
    pub difference: Option<String>,
    /// The number of the step that differs; none if the engine failed before the first one.
    pub step: Option<u64>,
    /// What the engine does not have and the trace takes: it was not replayed.
    pub beyond: Option<String>,
    /// The rules that the trace is about, for an engine outside of this process.
    pub rules: Vec<RuleId>,
}

/// What a trace holds, for people.
pub struct Shown {
    /// The device.
    pub device: &'static str,
    /// How the run ends.
    pub outcome: Outcome,
    /// CRC-32 of the last state.
    pub digest: u32,
    /// The program, an instruction a line.
    pub program: Vec<String>,
    /// What it starts from: names and values.
    pub start: Vec<(String, String)>,
    /// What the case has besides, if anything.
    pub surroundings: Value,
    /// What every step did, one after the other: as text those of a long run would fill the memory.
    pub steps: Box<dyn Iterator<Item = ShownStep>>,
}

/// A step of a trace.
#[derive(Debug)]
pub struct ShownStep {
    /// The instruction.
    pub instruction: String,
    /// The elements it changed, whole.
    pub elements: Vec<Written>,
    /// Places and the bytes they got.
    pub writes: Vec<(String, Vec<u8>)>,
    /// Places where something else than the recorded value is accepted, and what.
    pub accepted: Vec<(String, Acceptance)>,
}

/// A case and the end it comes to.
#[derive(Debug)]
pub struct EndTest {
    /// The case, but for what it starts from, as the protocol for engines outside of this process has it.
    pub case: parallax_engine::Case,
    /// The program, an instruction a line.
    pub listing: Vec<String>,
    /// Steps of the run.
    pub steps: usize,
    /// How the run ends.
    pub outcome: Outcome,
    /// The banks of the device.
    pub banks: Vec<EndBank>,
}

/// What a bank holds before and after a run.
#[derive(Debug)]
pub struct EndBank {
    /// Which it is.
    pub bank: &'static Bank,
    /// What the case starts from.
    pub start: Vec<u8>,
    /// What it comes to.
    pub end: Vec<u8>,
    /// The bits that have to be so.
    pub exact: Vec<u8>,
}

/// A trace that was brought down.
#[derive(Debug)]
pub struct Smaller {
    /// The bytes of its file.
    pub trace: Vec<u8>,
    /// Instructions of the case before.
    pub before: usize,
    /// Instructions of the smaller one.
    pub after: usize,
    /// How many candidates were tried.
    pub attempts: usize,
    /// In what the engines differ on the smaller one.
    pub divergence: Box<Divergence>,
}
