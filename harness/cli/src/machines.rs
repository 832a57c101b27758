//! The machines that run programs: what the command line does for each.

use parallax_isa::{
    Device, Syntax,
    device::Family,
    eu::text::Detail,
    r700::{case::ProgramType, legality::Settings},
};
use parallax_lockstep::{eu::Eu, r700::R700};

use crate::{
    commands::{exec, record},
    content::Content,
    eu,
    failure::{Ending, Failure},
    listing::{Listing, Problems},
    r700,
};

/// What the command line does for a machine.
pub(crate) struct Front {
    family: Family,
    /// Reads a program for a device. The last argument is the kind of an R700 program, where that is
    /// known.
    pub(crate) read: fn(Device, Content, Option<ProgramType>) -> Result<Listing, Problems>,
    /// The listing of machine code in a syntax.
    print: fn(Device, Listing, Syntax, Detail) -> Listing,
    /// Runs a program and prints what came of it.
    pub(crate) exec: fn(&exec::Arguments) -> Result<Ending, Failure>,
    /// Runs a program as one thread: what `--json` prints of it.
    pub(crate) answer: fn(&exec::Arguments) -> Result<exec::Answer, Failure>,
    /// Runs a program and records every step.
    pub(crate) record: fn(&record::Arguments) -> Result<Ending, Failure>,
}

/// Every machine that runs programs.
static FRONTS: [Front; 2] = [
    Front {
        family: Family::Eu,
        read: |device, content, _| eu::program::read(device, content),
        print: eu::program::print,
        exec: exec::eu::execute,
        answer: exec::eu::answer,
        record: |arguments| arguments.record::<Eu>(&eu::case::of(&arguments.start)?),
    },
    Front {
        family: Family::R700,
        read: |_, content, kind| {
            r700::program::read(content, &Settings { program_type: kind, ..Settings::default() })
        },
        print: r700::program::print,
        exec: exec::r700::execute,
        answer: exec::r700::answer,
        record: |arguments| arguments.record::<R700>(&r700::case::of(&arguments.start)?),
    },
];

/// The machine whose programs a device runs.
pub(crate) fn of(device: Device) -> &'static Front {
    let front = FRONTS.iter().find(|front| front.family == device.family());
    front.expect("every family has a row")
}

/// Reads a program for a device.
pub(crate) fn read(
    device: Device,
    content: Content,
    kind: Option<ProgramType>,
) -> Result<Listing, Problems> {
    (of(device).read)(device, content, kind)
}

/// The listing of machine code for a device in a syntax.
pub(crate) fn print(device: Device, listing: Listing, syntax: Syntax, detail: Detail) -> Listing {
    (of(device).print)(device, listing, syntax, detail)
}
