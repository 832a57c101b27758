//! `parallax exec`: runs one program, as one thread or as many, and prints registers and the outcome.

mod answer;
mod batch;
mod dispatch;
pub(crate) mod eu;
pub(crate) mod launch;
mod path;
pub(crate) mod r700;
pub(super) mod run;

pub(crate) use self::{
    batch::Line,
    dispatch::{Dispatched, Summary, number_text},
};
use clap::Args;
use parallax_isa::device::Family;
use parallax_lockstep::subject::UnderTest;

use crate::{
    failure::{Ending, Failure},
    interesting::Interesting,
    start::Start,
    under_test::Allowed,
};

/// Options that a batch takes from its lines only, or not at all.
const NOT_OF_BATCHES: [&str; 17] = [
    "text",
    "json",
    "verbose",
    "kernel",
    "float_mode",
    "profile",
    "program_type",
    "setup",
    "shared_function",
    "system_routine",
    "events",
    "payload",
    "grid",
    "thread",
    "threads",
    "output",
    "global",
];

/// Run one program and print registers and the outcome
///
/// All registers start as zero and all channels are enabled. Without --engine the program runs on
/// both engines, compared after every step; where they differ the step is shown and the exit code
/// is 1. An illegal program is refused, unless --allow-illegal is given; on rv770, where most restrictions
/// leave what happens defined, it runs after a warning. A run that ends as undefined is an answer too: the exit code is 0.
///
/// With --batch many programs run in one process, a JSON line each.
///
/// With --payload or --grid the program runs as many threads. Without --engine each runs on both engines, which are
/// compared at its end, at once: --thread looks at every step of one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax exec --device g45 add.asm --set r2:f=1,2,3 --set r3:f=10,20,30 --dump r4
  parallax exec --device g45 -e 'add (8) r4<1>:d r2<8;8,1>:d 1:d' --dump r4
  parallax exec --device g45 shader.hex --set r2=0x40900000,0x41900000 --dump m3..m10 --json
  parallax exec --device g45 --engine reference add.asm --mask 00ff --float-mode alt
  parallax exec --device rv770 --profile silicon shader.hex --const KC0=3f800000,40000000 --json
  parallax exec --device rv770 shader.asm --set R0.x=0,1,2,3 --set R1=0.5,0.5,0.0,1.0 --dump R2..R4
  parallax exec --device skl --batch cases.jsonl > results.jsonl
  parallax exec --device g45 add.asm --payload rows.csv --dump r4:f > results.csv
  parallax exec --device g45 shader.asm --grid 640x480 --x r2:f --y r4:f --image picture.png --pixel r10:f,r12:f,r14:f")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) start: Start,
    /// Engine to run it on: reference or executor [default: both, compared]; one of `cmd:` or `unix:` runs beside
    /// the reference
    #[arg(long)]
    engine: Option<String>,
    #[command(flatten)]
    allowed: Allowed,
    /// Registers to print: names and ranges (m3..m10,r4,f0,acc0) [default: all; of many threads none]. They may have a
    /// type, as in r4..r6:f; mem:2 is the memory of surface 2 of a setup file
    #[arg(long, value_name = "REGISTERS")]
    dump: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Say on standard error which paths of the executor the program takes: what its kernels are compiled for, and
    /// how much runs as machine code of compiled blocks or clauses
    #[arg(long)]
    verbose: bool,
    /// The file is no program but has many, a JSON object in a line each; - is standard input. For each an object is
    /// printed in a line: {"line": 1, "exit_code": 0, "result": what --json prints} or {"line": 2, "exit_code": 2,
    /// "error": why}. Its keys are the options of this command without their dashes (set, dump, step_limit, …; lists
    /// where they may be given several times, true where they have no value) and "program", its text or its machine code as
    /// hex text. --device, --set, --const, --dump, --mask, --step-limit, --engine and --allow-illegal beside --batch hold
    /// for every line that does not say otherwise
    #[arg(long, conflicts_with_all = NOT_OF_BATCHES)]
    batch: bool,
    #[command(flatten)]
    dispatch: dispatch::Dispatch,
    #[command(flatten)]
    launch: launch::Launch,
    #[command(flatten)]
    interesting: Interesting,
}

impl Arguments {
    /// Does it.
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let ending = match self.batch {
            true => batch::execute(&self),
            false => match self.start.device.family() {
                Family::Eu => eu::execute(&self),
                Family::R700 => r700::execute(&self),
            },
        };
        ending.map(|ending| self.interesting.of(ending))
    }

    /// The engine that was asked for.
    fn engine(&self) -> Result<Option<UnderTest>, Failure> {
        self.engine.as_deref().map(|name| self.allowed.engine(name)).transpose()
    }
}
