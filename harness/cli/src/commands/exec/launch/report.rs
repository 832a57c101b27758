//! What came of a launch, for people and as JSON.

use parallax_isa::{Device, Outcome};
use parallax_lockstep::eu::launch::{Launched, OutsideAccess, Schedule, Stopped, Why};
use schemars::JsonSchema;
use serde::Serialize;

use super::{memory::Layout, note, threads::NdRange};
use crate::{
    commands::exec::dispatch::Elements,
    output::{self, counted},
};

/// The JSON interface of `exec` for kernels of containers.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json {
    /// How the last thread that ran ended: `eot` if all did, `deadlock` if its group waits at a barrier for ever, else
    /// as of a single program.
    outcome: &'static str,
    /// More about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The thread that did not end as it should, from 0 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<u64>,
    /// The schedule in which it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<String>,
    /// Threads that ran.
    threads: u64,
    /// Groups that there are.
    groups: u64,
    /// Instructions that were executed.
    steps: u64,
    /// The buffers of `--dump`, by its words, as hex digits in memory order.
    buffers: serde_json::Map<String, serde_json::Value>,
    /// Numbers in them; only where `--dump` names a type.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    values: serde_json::Map<String, serde_json::Value>,
    /// Instructions that read or wrote where there is no buffer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outside: Vec<OutsideJson>,
    /// With `--races`, where what the kernel leaves depends on the schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    race: Option<Race>,
}

/// An instruction that read or wrote where there is no buffer.
#[derive(Serialize, JsonSchema)]
struct OutsideJson {
    /// The first thread that did.
    thread: u64,
    /// The instruction.
    instruction: String,
    /// Which bytes.
    access: String,
    /// How often it did, over all threads.
    count: u64,
}

/// Where what a kernel leaves depends on the schedule.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Race {
    /// The first byte that does.
    place: String,
    /// Two schedules, and the byte that each leaves there, in hex digits.
    schedules: [(String, String); 2],
}

/// What came of a launch.
pub(super) struct Report<'l> {
    device: Device,
    range: &'l NdRange,
    layout: &'l Layout,
    dumped: &'l [Elements],
    /// The schedule of what is reported, and those of which nothing else came.
    schedules: Vec<Schedule>,
    pub(super) launched: Launched,
    pub(super) race: Option<Race>,
}

impl<'l> Report<'l> {
    pub(super) fn new(
        device: Device,
        range: &'l NdRange,
        layout: &'l Layout,
        dumped: &'l [Elements],
        schedule: Schedule,
        launched: Launched,
    ) -> Self {
        Self { device, range, layout, dumped, schedules: vec![schedule], launched, race: None }
    }

    /// Compares what the first schedule left with what another one did.
    pub(super) fn compare(&mut self, other: Schedule, launched: Launched) {
        if launched.stopped.is_some() {
            (self.schedules, self.launched) = (vec![other], launched);
            return;
        }
        self.schedules.push(other);
        let memories = [&self.launched.memory, &launched.memory];
        let Some(at) = self.layout.first_difference(memories[0], memories[1]) else { return };
        let [one, two] = memories.map(|memory| format!("{:02x}", memory.bytes()[at]));
        let schedules = [(self.schedules[0].to_string(), one), (other.to_string(), two)];
        self.race = Some(Race { place: self.layout.place_of(at), schedules });
    }

    /// Prints it as JSON.
    pub(super) fn print_json(&self) {
        let image = self.launched.memory.bytes();
        let buffers = self.dumped.iter().map(|buffer| buffer.hex(image)).collect();
        let typed = self.dumped.iter().filter(|buffer| buffer.data_type.is_some());
        let values = typed.map(|buffer| buffer.json(image)).collect();
        let stopped = self.launched.stopped.as_ref();
        let outside = self.launched.outside.iter().map(|outside| OutsideJson {
            thread: outside.thread,
            instruction: outside.instruction.clone(),
            access: self.layout.describe(&outside.access),
            count: outside.count,
        });
        output::print_json(&Json {
            outcome: stopped.map_or("eot", keyword),
            message: stopped.and_then(message),
            thread: stopped.map(|stopped| stopped.thread),
            schedule: stopped.map(|_| self.schedules[0].to_string()),
            threads: self.launched.threads,
            groups: self.range.groups(),
            steps: self.launched.steps,
            buffers,
            values,
            outside: outside.collect(),
            race: self.race.clone(),
        });
    }

    /// Prints it for people.
    pub(super) fn print(&self) {
        for outside in &self.launched.outside {
            let OutsideAccess { thread, instruction, access, count } = outside;
            let access = self.layout.describe(access);
            let times = counted(*count, "time");
            note(format_args!(
                "warning: {instruction} of thread {thread} reaches nothing: {access} ({times} in all)"
            ));
        }
        let image = self.launched.memory.bytes();
        let mut text: String = self.dumped.iter().map(|buffer| buffer.text(image)).collect();
        text += &self.ending();
        if let Some(Race { place, schedules: [one, two] }) = &self.race {
            let [one, two] = [one, two].map(|(schedule, byte)| format!("{byte} with {schedule}"));
            text +=
                &format!("\nrace: what is left depends on the schedule: {place} is {one}, {two}");
        }
        output::print(text);
    }

    fn ending(&self) -> String {
        let Launched { threads, steps, stopped, .. } = &self.launched;
        let groups = counted(self.range.groups(), "group");
        let Some(stopped) = stopped else {
            let (threads, steps) = (counted(*threads, "thread"), counted(*steps, "step"));
            let ended =
                format!("{threads} in {groups} on {}: all ended after {steps}", self.device);
            return match self.schedules.len() {
                many @ 2.. if self.race.is_none() => {
                    format!("{ended}; {many} schedules leave the same")
                }
                _ => ended,
            };
        };
        let [x, y, z] = self.range.group(stopped.thread / self.range.threads_of_group());
        let steps = counted(stopped.steps, "step");
        let message = message(stopped).map_or_else(String::new, |message| format!(": {message}"));
        let at = match stopped.why {
            // The message says where each thread waits.
            Why::Deadlock(_) => String::new(),
            _ => format!(", at {}", stopped.instruction),
        };
        let (thread, keyword) = (stopped.thread, keyword(stopped));
        let schedule = self.schedules[0];
        format!(
            "thread {thread}, in group {x},{y},{z}, schedule {schedule}: {keyword} after {steps}{at}{message}"
        )
    }
}

/// Why a launch stopped, in a word.
fn keyword(stopped: &Stopped) -> &'static str {
    match &stopped.why {
        Why::Outcome(outcome) => outcome.keyword(),
        Why::Differs(_) => "divergence",
        Why::Deadlock(_) => "deadlock",
        Why::Interrupted => "interrupted",
    }
}

/// More about that.
fn message(stopped: &Stopped) -> Option<String> {
    match &stopped.why {
        Why::Outcome(Outcome::Exception(what) | Outcome::Undefined(what)) => Some(what.clone()),
        Why::Differs(divergence) => Some(divergence.to_string()),
        Why::Deadlock(waiting) => {
            let waiting = waiting.iter().map(|(thread, at)| format!("thread {thread} at {at}"));
            let waiting: Vec<_> = waiting.collect();
            Some(format!(
                "all threads of the group that have not ended wait at a barrier: {}",
                waiting.join("; ")
            ))
        }
        Why::Outcome(_) | Why::Interrupted => None,
    }
}
