//! Launches of kernels: a kernel of a container, its arguments, and as many threads as its work items take, one after
//! the other.

mod arguments;
mod threads;

use clap::Args;
use parallax_isa::{Device, Image, Outcome, eu::Case};
use parallax_lockstep::eu::Eu;
use schemars::JsonSchema;
use serde::Serialize;

use self::{
    arguments::Placed,
    threads::{NdRange, Thread},
};
use super::{Arguments, dispatch::Elements, run::Run};
use crate::{
    container::{Holds, Kernel, Parameter},
    eu::case,
    failure::{Ending, Failure},
    output::{self, counted},
};

/// What a kernel of a container is launched with.
#[derive(Debug, Args)]
#[command(next_help_heading = "Kernels of a compiler")]
#[group(skip)]
pub(crate) struct Launch {
    /// Run a kernel on so many work items: 256, 64x16 or 8x8x8
    ///
    /// Threads run one after the other, group by group, each on the memory that the one before has left. A kernel in
    /// which threads of a group wait for each other needs groups of one thread.
    #[arg(long, value_name = "SIZE", value_parser = threads::size, allow_negative_numbers = true)]
    pub(super) global: Option<[u32; 3]>,
    /// Work items of a group [default: those of --global, one group]
    #[arg(long, value_name = "SIZE", value_parser = threads::size, requires = "global", allow_negative_numbers = true)]
    pub(super) local: Option<[u32; 3]>,
    /// An argument of the kernel, by its number from 0 on; every one has to be given
    ///
    /// A value is NUMBER=VALUES:TYPE (2=42:d, 3=1.5,2.5:f), a buffer the same, or NUMBER=FILE for the bytes of a file, or
    /// NUMBER=zeros:BYTES, and shared local memory NUMBER=local:BYTES. `parallax kernels` lists what a kernel takes. --dump
    /// arg:NUMBER prints a buffer at the end, --dump arg:NUMBER:TYPE as numbers.
    #[arg(
        long = "arg",
        value_name = "NUMBER=VALUE",
        requires = "global",
        allow_hyphen_values = true
    )]
    pub(super) arg: Vec<String>,
}

/// The JSON interface of `exec` for kernels of containers.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json {
    /// How the last thread that ran ended: `eot` if all did, else as of a single program.
    outcome: &'static str,
    /// More about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The thread that did not end as it should, from 0 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<u64>,
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
}

/// What a launch came to.
struct Launched {
    threads: u64,
    steps: u64,
    /// The thread that did not end as it should, and its run.
    stopped: Option<(Thread, Run<Eu>)>,
}

/// Launches the kernel and prints what came of it.
pub(super) fn execute(arguments: &Arguments, global: [u32; 3]) -> Result<Ending, Failure> {
    let start = &arguments.start;
    refuse_others(arguments)?;
    let kernel = start.kernel()?;
    let in_kernel = |message: String| {
        Failure::input(format!("{}: kernel {}: {message}", start.path().display(), kernel.name))
    };
    runs_here(&kernel).map_err(in_kernel)?;
    let range = NdRange::new(global, arguments.launch.local.unwrap_or(global), kernel.lanes)
        .map_err(Failure::input)?;
    if kernel.has_barriers && range.threads_of_group() > 1 {
        return Err(in_kernel(format!(
            "its threads wait for each other at a barrier, which only groups of one thread can: of {} work items at \
             most, here there are {}",
            kernel.lanes,
            range.items_of_group()
        )));
    }
    let mut case = case::of(start)?;
    let placed = Placed::new(&kernel, &arguments.launch.arg, start.device, &mut case)
        .map_err(Failure::input)?;
    let dumped = placed.dumped(&arguments.dump, start.device).map_err(Failure::input)?;
    let launched = launch(arguments, &kernel, &range, &placed, &mut case)?;
    let differs = launched.stopped.as_ref().is_some_and(|(_, run)| run.divergence.is_some());
    if arguments.json {
        output::print_json(&json(&launched, &range, &dumped, &case));
    } else {
        output::print(text(start.device, &launched, &range, &dumped, &case));
    }
    Ok(Ending::found(differs))
}

/// Refuses what has no meaning for kernels.
fn refuse_others(arguments: &Arguments) -> Result<(), Failure> {
    let given = [
        (arguments.start.mask.is_some(), "--mask"),
        (arguments.start.setup.is_some(), "--setup"),
        (arguments.dispatch.are_there(), "--payload or --grid"),
        (arguments.verbose, "--verbose"),
    ];
    match given.iter().find(|(is_given, _)| *is_given) {
        Some((_, name)) => Err(Failure::input(format!("--global does not go with {name}"))),
        None => arguments.dispatch.only_many(),
    }
}

/// Refuses kernels that need what is not there.
fn runs_here(kernel: &Kernel) -> Result<(), String> {
    if !kernel.has_launch() {
        return Err("the file does not say how it is launched: run it without --global".to_owned());
    }
    if ![8, 16, 32].contains(&kernel.lanes) {
        return Err(format!("it has {} work items a thread, not 8, 16 or 32", kernel.lanes));
    }
    if kernel.scratch_bytes > 0 {
        return Err("it needs memory for each thread (scratch), which is not there".to_owned());
    }
    if kernel.private_bytes > 0 {
        return Err("it needs private memory for each thread, which is not there".to_owned());
    }
    if let Some(unknown) = kernel.unknown.first() {
        return Err(format!("it needs {unknown}, which is not provided"));
    }
    let takes_address = |it: &Parameter| matches!(it.holds, Holds::DataAddress(_));
    if !kernel.relocations.is_empty() || kernel.parameters.iter().any(takes_address) {
        return Err("addresses of constants are not filled in".to_owned());
    }
    Ok(())
}

/// Runs all threads on a case, whose memory is what they leave at the end.
fn launch(
    arguments: &Arguments,
    kernel: &Kernel,
    range: &NdRange,
    placed: &Placed,
    case: &mut Case,
) -> Result<Launched, Failure> {
    let engine = arguments.engine()?;
    let mut launched = Launched { threads: 0, steps: 0, stopped: None };
    let start = case.state.clone();
    for thread in range.threads() {
        let memory = case.state.memory;
        case.state.clone_from(&start);
        case.state.memory = memory;
        thread.begin(kernel, range, placed, &mut case.state).map_err(Failure::input)?;
        let run = Run::<Eu>::of(case, engine.as_ref())?;
        launched.threads += 1;
        launched.steps += run.steps;
        case.state.memory = run.state.memory;
        if run.outcome != Some(Outcome::EndOfThread) {
            launched.stopped = Some((thread, run));
            break;
        }
    }
    Ok(launched)
}

fn json(launched: &Launched, range: &NdRange, dumped: &[Elements], case: &Case) -> Json {
    let image = case.state.image();
    let buffers = dumped.iter().map(|buffer| buffer.hex(image)).collect();
    let typed = dumped.iter().filter(|buffer| buffer.data_type.is_some());
    let values = typed.map(|buffer| buffer.json(image)).collect();
    let (thread, run) = launched
        .stopped
        .as_ref()
        .map_or((None, None), |(thread, run)| (Some(thread.number), Some(run)));
    Json {
        outcome: run.map_or("eot", Run::keyword),
        message: run.and_then(Run::message),
        thread,
        threads: launched.threads,
        groups: range.groups(),
        steps: launched.steps,
        buffers,
        values,
    }
}

fn text(
    device: Device,
    launched: &Launched,
    range: &NdRange,
    dumped: &[Elements],
    case: &Case,
) -> String {
    let image = case.state.image();
    let mut text: String = dumped.iter().map(|buffer| buffer.text(image)).collect();
    let groups = counted(range.groups(), "group");
    let steps = counted(launched.steps, "step");
    match &launched.stopped {
        None => {
            let threads = counted(launched.threads, "thread");
            text += &format!("{threads} in {groups} on {device}: all ended after {steps}");
        }
        Some((thread, run)) => {
            let Thread { number, group: [x, y, z], .. } = thread;
            text += &format!("thread {number}, in group {x},{y},{z}: {}", run.ending().trim_end());
        }
    }
    text
}
