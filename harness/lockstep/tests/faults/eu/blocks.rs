//! Faults of blocks that run as a whole, as a compiler of them would have: step by step the engine is
//! right.

use parallax_isa::{
    Device,
    eu::{Instruction, Opcode, State, operand::Source, register::RegisterFile},
};
use parallax_lockstep::eu::{flow, suites::BLOCKS};
use rstest::rstest;

use super::{Eu, Fault, disturb};
use crate::kit::{Family, all_are_found_at};

/// Loops around blocks.
const fn family(device: Device) -> Family<Eu> {
    let (name, generate, bytes) = ("blocks", flow::blocks, flow::BLOCKS_BYTES);
    Family { name, device, generate, bytes, faults: FAULTS }
}

/// Most instructions of the smallest case that shows a fault, and how many more than one all have.
const LONGEST: usize = 7;
const SPARE: usize = 24;

#[rstest]
#[case(Device::G45)]
#[case(Device::Bw)]
fn faults_of_compiled_blocks_are_found(#[case] device: Device) {
    all_are_found_at(&family(device), BLOCKS, LONGEST, SPARE);
}

const FAULTS: &[Fault<Eu>] = &[
    disturb("a float sum rounded away from zero", |i, before, after| {
        if i.opcode == Opcode::Add && is_float(i) {
            change_first(before, after);
        }
    })
    .at_a_stretch(),
    disturb("the second half of a compressed instruction not written back", |i, before, after| {
        if i.execution_size == 16 {
            lose_after(before, after, 32);
        }
    })
    .at_a_stretch(),
    disturb("a message register not written back", |_, before, after| {
        after.mrf = before.mrf;
    })
    .at_a_stretch(),
    disturb("flags of a comparison kept in a register for ever", |i, before, after| {
        if i.opcode == Opcode::Cmp && i.execution_size > 1 {
            after.flag = before.flag;
        }
    })
    .at_a_stretch(),
    disturb("a product leaves no accumulator behind", |i, before, after| {
        if i.opcode == Opcode::Mul {
            after.accumulator = before.accumulator;
        }
    })
    .at_a_stretch(),
    disturb("a scalar written to all channels of its register", |i, before, after| {
        if i.execution_size == 1 && i.opcode != Opcode::Jmpi {
            spread(before, after);
        }
    })
    .at_a_stretch(),
    disturb("a selection by the predicate upside down in a predicated sel", |i, before, after| {
        if i.opcode == Opcode::Sel {
            change_first(before, after);
        }
    })
    .at_a_stretch(),
];

fn is_float(instruction: &Instruction) -> bool {
    instruction.destination.data_type.is_float()
        && instruction.destination.register.file() == RegisterFile::Grf
        && matches!(instruction.sources[0], Source::Register { .. })
}

/// Changes the lowest bit of the first byte that was written.
fn change_first(before: &State, after: &mut State) {
    let mut bytes = before.grf.as_flattened().iter().zip(after.grf.as_flattened_mut());
    if let Some((_, new)) = bytes.find(|(old, new)| *old != &**new) {
        *new ^= 1;
    }
}

/// Loses what was written so many bytes behind the first byte that was.
fn lose_after(before: &State, after: &mut State, distance: usize) {
    let (old, new) = (before.grf.as_flattened(), after.grf.as_flattened_mut());
    if let Some(first) = old.iter().zip(&*new).position(|(old, new)| old != new) {
        let behind = (first / 32 * 32 + distance).min(old.len());
        new[behind..].copy_from_slice(&old[behind..]);
    }
}

/// Writes the first doubleword that changed to its whole register.
fn spread(before: &State, after: &mut State) {
    for (old, new) in before.grf.iter().zip(&mut after.grf) {
        let changed = (0..8).find(|n| old[4 * n..4 * n + 4] != new[4 * n..4 * n + 4]);
        if let Some(lane) = changed {
            let word: [u8; 4] = std::array::from_fn(|byte| new[4 * lane + byte]);
            new.as_chunks_mut::<4>().0.fill(word);
            return;
        }
    }
}
