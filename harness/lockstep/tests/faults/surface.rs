//! Surfaces made wrong: operations changed before the engine sees them, what one left disturbed.

mod blocks;
mod formats;
mod pixels;
mod rows;

use parallax_isa::{
    Device,
    surface::{Case, Operation, State, lookup},
};
use parallax_lockstep::surface::{
    Surface,
    generate::{self, pixels::pixels},
};

use crate::fault_injection::{Family, Fault, Mutate, all_are_found, none_is_found};

/// 1.0 as a binary32 number.
const ONE: u64 = 0x3F80_0000;

/// Changes an operation on a format of some name, if the fault concerns it.
type Rewrite = fn(&str, &mut Operation);

/// Disturbs what an operation on a format of some name left.
#[derive(Clone, Copy)]
pub(crate) enum Disturb {
    Operation(fn(&str, &Operation, &mut State)),
    /// Given the palettes of the case, too.
    Indexed(fn(&[Vec<u32>; 2], &str, &Operation, &mut State)),
}

impl Mutate for Surface {
    type Rewrite = Rewrite;
    type Disturb = Disturb;

    const BUDGET: u64 = 200_000;
    const LONGEST: usize = 1;
    const SPARE: usize = 0;
    const SEED: u64 = 4;

    fn rewritten(case: &Case, rewrite: Rewrite) -> Case {
        let mut changed = case.clone();
        for operation in &mut changed.operations {
            rewrite(name(case.device, operation), operation);
        }
        changed
    }

    fn disturb(case: &Case, disturb: Disturb, before: &State, after: &mut State) {
        if let Some(operation) = case.operations.get(before.done as usize) {
            let name = name(case.device, operation);
            match disturb {
                Disturb::Operation(disturb) => disturb(name, operation, after),
                Disturb::Indexed(disturb) => disturb(&case.palettes, name, operation, after),
            }
        }
    }
}

/// The name of an operation's format; nothing if it has none.
fn name(device: Device, operation: &Operation) -> &'static str {
    let code = operation.format().map(u32::from);
    code.and_then(|code| lookup::code(device, code).ok()).map_or("", |format| format.name)
}

/// A fault that changes operations before the engine sees them.
const fn rewrite(name: &'static str, rewrite: Rewrite) -> Fault<Surface> {
    Fault::rewrite(name, rewrite)
}

/// A fault that disturbs what an operation left.
const fn disturb(name: &'static str, disturb: fn(&str, &Operation, &mut State)) -> Fault<Surface> {
    Fault::disturb(name, Disturb::Operation(disturb))
}

/// Faults that are shown by texels decoded and encoded.
const fn of_formats(
    name: &'static str,
    device: Device,
    faults: &'static [Fault<Surface>],
) -> Family<Surface> {
    Family { name, device, generate: generate::formats, bytes: generate::BYTES, faults }
}

/// Faults that are shown by pixel operations.
const fn of_pixels(device: Device, faults: &'static [Fault<Surface>]) -> Family<Surface> {
    Family { name: "pixels", device, generate: pixels, bytes: generate::BYTES, faults }
}

static FORMATS: [Family<Surface>; 3] = [
    of_formats("formats", Device::G45, formats::G45),
    of_formats("formats", Device::Dg1, formats::DG1),
    of_formats("formats", Device::Rv770, formats::RV770),
];

static BLOCKS: [Family<Surface>; 2] = [
    of_formats("blocks", Device::G45, blocks::G45),
    of_formats("blocks", Device::Dg1, blocks::DG1),
];

static PIXELS: [Family<Surface>; 2] =
    [of_pixels(Device::G45, pixels::G45), of_pixels(Device::Dg1, pixels::DG1)];

/// Faults that are none.
static CONTROLS: Family<Surface> = of_formats(
    "controls",
    Device::G45,
    &[
        rewrite("every operation as it was", |_, _| {}),
        disturb("every result as it was", |_, _, _| {}),
    ],
);

#[test]
fn faults_of_formats_are_found() {
    FORMATS.iter().for_each(all_are_found);
}

#[test]
fn faults_of_blocks_are_found() {
    BLOCKS.iter().for_each(all_are_found);
}

#[test]
fn faults_of_pixels_are_found() {
    PIXELS.iter().for_each(all_are_found);
}

#[test]
fn faults_that_are_none_are_not_found() {
    none_is_found(&CONTROLS, Surface::BUDGET);
}
