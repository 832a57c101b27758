//! Launches of kernels: a kernel of a container, its arguments, and as many threads as its work items take, group by
//! group.

mod arguments;
mod memory;
mod report;
mod threads;

use std::sync::atomic::Ordering;

use clap::Args;
use parallax_isa::eu::Case;
use parallax_lockstep::{
    eu::launch::{Launch as Run, LaunchError, Launched, On, Schedule, Stopped, Why, launch},
    subject::UnderTest,
};

pub(crate) use self::report::Json;
use self::{
    arguments::{Placed, described},
    memory::Layout,
    report::Report,
    threads::{NdRange, Payload, Room},
};
use super::{Arguments, dispatch::bar};
use crate::{
    container::{ArgumentKind, Kernel},
    eu::{case, values},
    failure::{Ending, Failure, note},
    interrupt,
    output::brief,
    start::Start,
};

/// What a kernel of a container is launched with.
#[derive(Debug, Args)]
#[command(next_help_heading = "Kernels of a compiler")]
#[group(skip)]
pub(crate) struct Launch {
    /// Run a kernel on so many work items: 256, 64x16 or 8x8x8
    ///
    /// Groups run one after the other, each on the memory that the one before has left; --schedule says how the threads
    /// of a group take turns.
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
    /// How the threads of a group take turns: barrier, one after the other, each up to where it waits for the others;
    /// reversed, the same from the last thread on; instruction, one instruction of each; or a number, the seed of turns
    /// that are drawn
    #[arg(long, value_name = "ORDER", default_value_t, requires = "global")]
    pub(super) schedule: Schedule,
    /// Run the kernel in four schedules, and fail if what it leaves in buffers depends on them: with barrier, reversed,
    /// instruction, and turns that are drawn from a seed (1, or that of --schedule)
    #[arg(long, requires = "global")]
    pub(super) races: bool,
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
    let mut case = case::of(start)?;
    let mut layout = Layout::default();
    let room = Room::new(&kernel, &range, &mut layout).map_err(in_kernel)?;
    if !kernel.relocations.is_empty() {
        case.program = kernel.relocated(&room.data);
    }
    let placed = Placed::new(&kernel, &arguments.launch.arg, start.device, &mut layout)
        .map_err(Failure::input)?;
    let dumped = placed.dumped(&arguments.dump, start.device).map_err(Failure::input)?;
    let payload = Payload::new(&kernel, &range, &placed, room).map_err(in_kernel)?;
    refuse_set(start, &payload)?;
    let engine = arguments.engine()?;
    let run = |schedule| launched(&case, &range, &payload, &layout, engine.as_ref(), schedule);
    let schedules = schedules(&arguments.launch);
    let (first, others) = schedules.split_first().expect("there is one at least");
    let mut report = Report::new(start.device, &range, &layout, &dumped, *first, run(*first)?);
    for schedule in others {
        if report.launched.stopped.is_some() || report.race.is_some() {
            break;
        }
        report.compare(*schedule, run(*schedule)?);
    }
    if arguments.json {
        report.print_json();
    } else {
        report.print();
    }
    Ok(match report.launched.stopped {
        Some(Stopped { why: Why::Interrupted, .. }) => Ending::Interrupted,
        Some(Stopped { why: Why::Differs(_) | Why::Deadlock(_), .. }) => Ending::Found,
        // What the schedules leave was not compared.
        Some(_) if arguments.launch.races => Ending::Incomplete,
        _ => Ending::found(report.race.is_some()),
    })
}

/// The schedules to run.
fn schedules(launch: &Launch) -> Vec<Schedule> {
    if !launch.races {
        return vec![launch.schedule];
    }
    let drawn = match launch.schedule {
        drawn @ Schedule::Drawn(_) => drawn,
        _ => Schedule::Drawn(1),
    };
    vec![Schedule::Barrier, Schedule::Reversed, Schedule::Instruction, drawn]
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

/// Refuses values for registers that the threads get from the launch.
fn refuse_set(start: &Start, payload: &Payload<'_>) -> Result<(), Failure> {
    let registers = payload.registers();
    for assignment in &start.set {
        let changed = values::changed(start.device, assignment, &registers);
        if let Some(register) = changed.map_err(Failure::input)? {
            let assignment = brief(assignment);
            return Err(Failure::input(format!(
                "--set {assignment}: --global sets {register} in each thread itself"
            )));
        }
    }
    Ok(())
}

/// Refuses kernels that need what is not there.
fn runs_here(kernel: &Kernel) -> Result<(), String> {
    if !kernel.has_launch() {
        return Err("the file does not say how it is launched: run it without --global".to_owned());
    }
    if ![8, 16, 32].contains(&kernel.lanes) {
        return Err(format!("it has {} work items a thread, not 8, 16 or 32", kernel.lanes));
    }
    if let Some(unknown) = kernel.unknown.first() {
        return Err(format!("it needs {unknown}, which is not provided"));
    }
    let mut arguments = kernel.arguments.iter().enumerate();
    match arguments.find(|(_, argument)| argument.kind == ArgumentKind::Other) {
        Some((number, argument)) => {
            Err(format!("argument {number} ({}) is not supported", described(argument)))
        }
        None => Ok(()),
    }
}

/// Runs all threads in a schedule.
fn launched(
    case: &Case,
    range: &NdRange,
    payload: &Payload<'_>,
    layout: &Layout,
    engine: Option<&UnderTest>,
    schedule: Schedule,
) -> Result<Launched, Failure> {
    let (executor, cancel) = (UnderTest::Named("executor".to_owned()), interrupt::listen()?);
    let on = match engine {
        Some(engine @ UnderTest::Named(_)) => On::One(engine),
        Some(engine) => On::Reference(engine),
        None => On::Reference(&executor),
    };
    let bar = bar(range.groups() * range.threads_of_group());
    let run = Run {
        case,
        groups: range.groups(),
        threads: range.threads_of_group() as u32,
        payload: &|group, thread, state| payload.fill(group, thread, state),
        memory: layout.memory(),
        schedule,
    };
    let launched = launch(run, on, &mut |ended| {
        bar.set_position(ended);
        !cancel.load(Ordering::Relaxed)
    });
    bar.finish_and_clear();
    launched.map_err(|error| match error {
        LaunchError::NoEngine(error) => error.into(),
        LaunchError::Engine(error) => error.into(),
        LaunchError::Refused(message) => Failure::input(message),
    })
}
