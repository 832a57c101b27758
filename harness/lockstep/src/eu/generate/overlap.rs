//! Short programs of copies within a few registers: the same bytes are written and read through several regions and
//! types, in part and as a whole. A translator that propagates a copy too far, or removes a write of which a part is
//! still read, leaves a stale value in them at the end.

use std::sync::LazyLock;

use parallax_isa::{
    Device,
    device::Feature,
    eu::{
        Case, DataType, Instruction, Opcode,
        instruction::AccessMode,
        operand::{Register, Source},
        register::RegisterFile,
    },
};

use super::{
    shape::{Has, Shape},
    within::{OfGeneration, Operations},
};
use crate::choices::Choices;

/// Few enough that an operand that spans two of them meets most others.
const WINDOW: u8 = 4;

/// Instructions back to which operands are redirected.
const LAST: usize = 4;

/// Few enough instructions that what one of them writes is often still there at the end.
const SHAPE: Shape = Shape {
    length: (2, 13),
    window: Some(WINDOW),
    has: |instruction| is_cheap(instruction.opcode),
    redirect,
};

/// Operations that move values or compute others in an obvious way.
fn is_cheap(opcode: Opcode) -> bool {
    use Opcode::{Add, And, Mov, Not, Or, Sel, Shl, Xor};
    matches!(opcode, Mov | Sel | Not | And | Or | Xor | Shl | Add)
}

/// Whether programs have an operation with types of its destination and sources: all on integers, and moves between
/// floats of one type.
fn has(opcode: Opcode, destination: DataType, sources: &[DataType]) -> bool {
    let integers = || sources.iter().chain([&destination]).all(|of| !of.is_float());
    let is_copy = || opcode == Opcode::Mov && sources == [destination];
    is_cheap(opcode) && (integers() || is_copy())
}

impl Operations {
    /// The operations that an engine has for programs whose operands overlap; moves are half of the operations.
    pub(in crate::eu) fn overlapping(
        device: Device,
        has: &dyn Fn(Opcode, DataType, &[DataType]) -> bool,
    ) -> Self {
        let has = |opcode, destination, sources: &[DataType]| {
            self::has(opcode, destination, sources) && has(opcode, destination, sources)
        };
        let mut operations = Self { shape: SHAPE, ..Self::new(device, &has) };
        match &mut operations.of_generation {
            OfGeneration::Earlier(all) => make_half(all, |(opcode, _)| *opcode == Opcode::Mov),
            OfGeneration::Later(all) => make_half(all, |of| of.opcode() == Opcode::Mov),
        }
        operations
    }
}

/// Repeats what is of one kind until it is half of all.
fn make_half<T: Clone>(all: &mut Vec<T>, is_kind: impl Fn(&T) -> bool) {
    let (kind, others): (Vec<T>, Vec<T>) = all.iter().cloned().partition(is_kind);
    let missing = others.len().saturating_sub(kind.len());
    all.extend(kind.into_iter().cycle().take(missing));
}

/// A case whose operands overlap.
#[must_use]
pub fn overlapping(device: Device, bytes: &[u8]) -> Case {
    static OPERATIONS: LazyLock<[Operations; Device::EU.len()]> =
        LazyLock::new(|| Device::EU.map(|device| Operations::overlapping(device, &|_, _, _| true)));
    let seed = Choices::new(bytes).seed();
    let place = Device::EU.iter().position(|other| *other == device).unwrap_or_default();
    let may_compact = device.has(Feature::Compaction);
    OPERATIONS[place].straight_line(device, seed, &Has { accepts: &|_| true, may_compact })
}

/// Lets an operand of an instruction begin where one of the last few has its destination or its source, so that it
/// reads what was copied, or writes over a part of that or of where it came from.
fn redirect(choices: &mut Choices, others: &[Instruction], instruction: &mut Instruction) {
    let last = &others[others.len().saturating_sub(LAST)..];
    let is_align16 = instruction.access_mode == AccessMode::Align16;
    if is_align16 || last.is_empty() || !choices.sometimes(200) {
        return;
    }
    let other = choices.pick(last);
    let written = other.destination;
    let (from, of) = match other.sources[0] {
        Source::Register { register, data_type, .. } if choices.sometimes(64) => {
            (register, data_type)
        }
        _ => (written.register, written.data_type),
    };
    if !is_general(from) {
        return;
    }
    let is_alike = choices.sometimes(128);
    if choices.sometimes(80) {
        if is_general(instruction.destination.register) {
            let bytes = if choices.sometimes(128) { 4 << choices.below(3) } else { 0 };
            instruction.destination.register = behind(from, bytes);
        }
    } else if let Source::Register { register, data_type, .. } = &mut instruction.sources[0]
        && is_general(*register)
    {
        *register = from;
        if is_alike {
            *data_type = of;
        }
        if is_alike && instruction.opcode == Opcode::Mov {
            instruction.destination.data_type = of;
        }
    }
}

/// The place so many bytes behind a register, if it lies in the same one: a write there leaves what comes before it.
fn behind(from: Register, bytes: u8) -> Register {
    match from {
        Register::Direct { file, number, subregister } if subregister + bytes < 32 => {
            Register::Direct { file, number, subregister: subregister + bytes }
        }
        other => other,
    }
}

fn is_general(register: Register) -> bool {
    matches!(register, Register::Direct { file: RegisterFile::Grf, .. })
}

#[cfg(test)]
mod tests {
    use parallax_isa::eu::{legality::program, program::Program, text};
    use parallax_spec::Severity;

    use super::*;
    use crate::{eu::generate::BYTES, random::SplitMix64};

    #[test]
    fn programs_are_legal_and_short() {
        for device in Device::EU {
            for seed in 0..1_000 {
                let mut bytes = vec![0; BYTES];
                SplitMix64::new(seed).fill(&mut bytes);
                let case = overlapping(device, &bytes);
                let decoded = Program::decode(device, &case.program).expect("it decodes");
                // On Gen4 more instructions align what follows a compact one.
                let length = decoded.instructions().len();
                assert!((2..26).contains(&length), "{device}: {seed}: {length}");
                let found = program::check(&decoded);
                if let Some(finding) =
                    found.iter().find(|it| it.violation.severity() == Severity::Illegal)
                {
                    let instruction = &decoded.instructions()[finding.index].instruction;
                    let text = text::print(device, instruction);
                    panic!("{device}: {seed}: {text}: {}", finding.violation);
                }
            }
        }
    }
}
