//! Faults of a compiler of blocks: engines that are right step by step, and wrong in a loop that they run at a
//! runs. They are found by the programs that are made for compilers.

mod later;

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Engine, Model,
    eu::{
        DataType, Instruction, Opcode, State,
        instruction::{Compression, ConditionalModifier as Condition, Descriptor},
        operand::{Register, Source},
        register::RegisterFile,
    },
};
use parallax_lockstep::{Verdict, eu::flow, lockstep::lockstep, random::SplitMix64};
use parallax_reference::eu::Reference;
use rayon::prelude::*;
use rstest::rstest;

use super::{
    Eu, Fault, disturb,
    flow::keep,
    rewrite,
    values::{changed, element, float},
};
use crate::fault_injection::Faulty;

/// Most cases until a fault is found.
const CASES: u64 = 1500;

/// Every fault is found. How small their cases get is what other tables are about: one that takes the loop, and
/// shows in free runs only, takes minutes to minimise.
#[test]
fn faults_of_a_compiler_of_blocks_are_found() {
    are_found(Device::G45, FAULTS);
}

#[test]
fn faults_of_a_compiler_of_later_blocks_are_found() {
    are_found(Device::Skl, later::FAULTS);
}

#[rstest]
#[case(Device::Ivb)]
#[case(Device::Skl)]
#[case(Device::Dg1)]
fn products_that_a_compiler_of_blocks_flushes_are_found(#[case] device: Device) {
    are_found(device, later::ROUNDS_UP);
}

/// What the suite is about is there: where machine code is made at all, much of what its programs do runs as
/// such, on each generation.
#[test]
fn blocks_run_as_machine_code() {
    const PROGRAMS: u64 = 100;
    let compiled = |device| {
        let mut bytes = vec![0; flow::BLOCKS_BYTES];
        let mut executor = Executor::checking_blocks();
        let mut compiled = 0;
        for seed in 0..PROGRAMS {
            SplitMix64::new(seed).fill(&mut bytes);
            if Model::load(&mut executor, &flow::blocks(device, &bytes)).is_ok() {
                executor.run();
                compiled += executor.compiled_instructions();
            }
        }
        compiled
    };
    let of_g45 = compiled(Device::G45);
    for device in Device::LATER {
        let compiled = compiled(device);
        assert!(4 * compiled >= of_g45, "{device}: {compiled} where g45 has {of_g45}");
    }
}

fn are_found(device: Device, faults: &[Fault<Eu>]) {
    let missed: Vec<_> = faults.par_iter().filter(|fault| !is_found(device, **fault)).collect();
    let names: Vec<_> = missed.into_iter().map(|fault| fault.name).collect();
    assert!(names.is_empty(), "not found: {names:?}");
}

fn is_found(device: Device, fault: Fault<Eu>) -> bool {
    let (mut reference, mut faulty) = (Reference::new(), Faulty::new(fault));
    let mut bytes = vec![0; flow::BLOCKS_BYTES];
    (0..CASES).any(|seed| {
        SplitMix64::new(seed).fill(&mut bytes);
        let case = flow::blocks(device, &bytes);
        let mut differs = |engine: &mut dyn Engine<Eu>| {
            matches!(lockstep(&mut reference, engine, &case), Verdict::Diverged(_))
        };
        differs(&mut faulty) && !differs(&mut Executor::new())
    })
}

/// Another message to Extended Math.
fn extended_math(i: &mut Instruction, other: fn(u32) -> Option<u32>) -> Option<()> {
    match &mut i.message.as_mut()?.descriptor {
        Descriptor::Immediate(bits) if *bits >> 24 & 15 == 1 => {
            other(*bits).map(|other| *bits = other)
        }
        _ => None,
    }
}

/// Where the buffer of octwords begins, and its bytes.
const BUFFER_BASE: usize = 4096;
const BUFFER_BYTES: usize = 4096;

/// The byte of the buffer at which a block of octwords ends.
fn block_end(i: &Instruction, before: &State) -> Option<usize> {
    let Descriptor::Immediate(bits) = i.message?.descriptor else { return None };
    let Source::Register {
        register: Register::Direct { file: RegisterFile::Grf, number, .. }, ..
    } = i.sources[0]
    else {
        return None;
    };
    let octwords = [1, 1, 2, 4, 8].get((bits >> 8 & 7) as usize)?;
    let header = before.grf[usize::from(number)];
    let offset = u32::from_le_bytes([header[8], header[9], header[10], header[11]]) & !15;
    matches!(bits >> 24 & 15, 4 | 5).then_some(offset as usize + 16 * octwords)
}

/// Bytes of an element of the first source.
fn element_bytes(i: &Instruction) -> usize {
    i.sources[0].data_type().size()
}

const AMASK: usize = 0;
const IMASK: usize = 1;
const LMASK: usize = 2;
const CMASK: usize = 3;
const ISTACK: usize = 0;
const LSTACK: usize = 1;

const FAULTS: &[Fault<Eu>] = &[
    // Other instructions, as a compiler has them that forgets a part.
    rewrite("cmpn compiled as cmp", |i| (i.opcode == Opcode::Cmpn).then(|| i.opcode = Opcode::Cmp))
        .in_free_runs(),
    rewrite("inverses compiled as roots", |i| {
        extended_math(i, |bits| (bits & 15 == 1).then_some(bits ^ 5))
    })
    .in_free_runs(),
    rewrite("roots compiled as reciprocals of them", |i| {
        extended_math(i, |bits| (bits & 15 == 4).then_some(bits ^ 1))
    })
    .in_free_runs(),
    rewrite("results of extended math not saturated", |i| {
        extended_math(i, |bits| (bits & 0x40 != 0).then_some(bits & !0x40))
    })
    .in_free_runs(),
    rewrite("magnitudes of doublewords compiled as they are", |i| magnitude_of(i, DataType::D))
        .in_free_runs(),
    rewrite("magnitudes of words compiled as they are", |i| magnitude_of(i, DataType::W))
        .in_free_runs(),
    rewrite("a compressed instruction compiled as its first half", |i| {
        let whole = i.compression == Compression::Compressed;
        whole.then(|| (i.compression, i.execution_size) = (Compression::None, 8))
    })
    .in_free_runs(),
    rewrite("shifts of words by four bits of the count", |i| {
        let words = i.destination.data_type.size() == 2 && i.opcode == Opcode::Shl;
        match &mut i.sources[1] {
            Source::Immediate { bits, .. } if words && *bits & 16 != 0 => {
                // A word stands in both halves.
                *bits &= !0x10_0010;
                Some(())
            }
            _ => None,
        }
    })
    .in_free_runs(),
    // Effects from the third turn on.
    disturb(
        "a flag of the upper channels stale from the third comparison on",
        |i, before, after| {
            if i.opcode == Opcode::Cmp && i.compression == Compression::Compressed {
                let flag = usize::from(i.flag_subregister & 1);
                after.flag[flag] = after.flag[flag] & 0xFF | before.flag[flag] & 0xFF00;
            }
        },
    )
    .after(2)
    .in_free_runs(),
    disturb("a sum of doublewords whose register is written back late", |i, before, after| {
        let adds = i.opcode == Opcode::Add && i.destination.data_type == DataType::D;
        for channel in (0..i.execution_size).filter(|_| adds) {
            let old = element(i, 0, channel, before);
            changed(i, channel, before, after, |bits| old.unwrap_or(bits));
        }
    })
    .after(6)
    .in_free_runs(),
    disturb("products added in single precision from the second on", |i, before, after| {
        if i.opcode != Opcode::Mac || i.destination.data_type != DataType::F {
            return;
        }
        for channel in 0..i.execution_size {
            let [a, b] = [0, 1].map(|index: usize| float(i, index, channel, before));
            if let [Some(a), Some(b)] = [a, b]
                && a * b != 0.0
                && f64::from(a * b) != f64::from(a) * f64::from(b)
            {
                changed(i, channel, before, after, |bits| bits ^ 2);
            }
        }
    })
    .after(1)
    .in_free_runs(),
    disturb("sums of products of words that keep 32 bits", |i, _, after| {
        if i.opcode == Opcode::Mac && i.destination.data_type.size() == 2 {
            for channel in after.accumulator.as_flattened_mut() {
                *channel = i64::from(*channel as i32).cast_unsigned();
            }
        }
    })
    .after(1)
    .in_free_runs(),
    disturb("the accumulator of words shifted by one bit less", |i, before, after| {
        let shifts = matches!(i.opcode, Opcode::Asr | Opcode::Shr);
        if let (true, Some(0x20), Source::Immediate { bits, .. }) =
            (shifts, architecture(i), i.sources[1])
        {
            let count = (bits as u32 & 31).saturating_sub(1);
            for channel in 0..16 {
                let held = before.accumulator[0][usize::from(channel)].cast_signed();
                changed(i, channel, before, after, |_| (held >> count).cast_unsigned());
            }
        }
    })
    .in_free_runs(),
    disturb("a flag register read as it was before the second comparison", |i, before, after| {
        if i.opcode == Opcode::Mov && architecture(i) == Some(0x30) {
            changed(i, 0, before, after, |bits| bits ^ 1);
        }
    })
    .after(1)
    .in_free_runs(),
    disturb("the second register of a block of octwords not loaded", |i, before, after| {
        let second = usize::from(reply(i).unwrap_or_default()) + 1;
        if second > 1 && before.memory == after.memory {
            after.grf[second] = before.grf[second];
        }
    })
    .after(1)
    .in_free_runs(),
    disturb("the last byte of a block of octwords not stored", |i, before, after| {
        let bytes = before.memory.graphics.iter().zip(&mut after.memory.graphics);
        let changed = bytes.filter(|(before, after)| *before != *after).last();
        if let (Opcode::Send, Some((before, after))) = (i.opcode, changed) {
            *after = *before;
        }
    })
    .in_free_runs(),
    disturb("a block of octwords that ends with its buffer not stored", |i, before, after| {
        if block_end(i, before) == Some(BUFFER_BYTES) {
            after.memory.graphics = before.memory.graphics;
        }
    })
    .in_free_runs(),
    disturb("the octword behind a buffer loaded", |i, before, after| {
        let last = reply(i).zip(block_end(i, before)).filter(|_| before.memory == after.memory);
        if let Some((_, end)) = last.filter(|(_, end)| *end == BUFFER_BYTES + 16) {
            let registers = usize::from(i.message.map_or(0, |message| match message.descriptor {
                Descriptor::Immediate(bits) => (bits >> 16 & 15) as u8,
                Descriptor::Address => 0,
            }));
            let last = usize::from(reply(i).unwrap_or_default()) + registers - 1;
            let behind = BUFFER_BASE + end - 16;
            after.grf[last][16..].copy_from_slice(&before.memory.graphics[behind..behind + 16]);
        }
    })
    .in_free_runs(),
    disturb("an endif at a depth of 13 or more leaves IMask alone", |i, before, after| {
        if before.mask_stack_depth[ISTACK] >= 13 {
            keep(i, Opcode::Endif, IMASK, before, after);
        }
    })
    .in_free_runs(),
    disturb("a cont out of ifs leaves IMask alone", |i, before, after| {
        if before.mask_stack_depth[ISTACK] > after.mask_stack_depth[ISTACK] {
            keep(i, Opcode::Cont, IMASK, before, after);
        }
    })
    .in_free_runs(),
    disturb("a part of the flags read as it was before it was compared", |i, before, after| {
        if i.opcode == Opcode::Mov && architecture(i) == Some(0x30) && element_bytes(i) == 1 {
            changed(i, 0, before, after, |bits| bits ^ 0x10);
        }
    })
    .after(1)
    .in_free_runs(),
    disturb("an accumulator that a turn leaves lost", |_, before, after| {
        after.accumulator = before.accumulator;
    })
    .after(3)
    .in_free_runs(),
    disturb(
        "what a sel under an inverted predicate chose taken from the other",
        |i, before, after| {
            if i.opcode == Opcode::Sel && i.predicate.inverse && i.condition == Condition::None {
                for channel in 0..i.execution_size {
                    let flag = before.flag[usize::from(i.flag_subregister & 1)];
                    let other = usize::from(flag >> channel & 1 == 0);
                    if let Some(other) = element(i, 1 - other, channel, before) {
                        changed(i, channel, before, after, |_| other);
                    }
                }
            }
        },
    )
    .after(2)
    .in_free_runs(),
    disturb("the counter of a loop not taken up again", |i, before, after| {
        if i.opcode == Opcode::Jmpi && after.ip < before.ip {
            after.ip = before.ip + 16;
        }
    })
    .after(3)
    .in_free_runs(),
    disturb("a while leaves LMask alone from its second turn on", |i, before, after| {
        keep(i, Opcode::While, LMASK, before, after);
    })
    .after(1)
    .in_free_runs(),
    disturb("a while leaves CMask alone from its second turn on", |i, before, after| {
        keep(i, Opcode::While, CMASK, before, after);
    })
    .after(1)
    .in_free_runs(),
    disturb("a program goes on behind the halt of its last channels", |i, before, after| {
        // As code that looks for another mask than none.
        if i.opcode == Opcode::Halt && after.mask[AMASK] == 0 && before.mask[AMASK] != 0 {
            after.ip = before.ip + 16;
        }
    })
    .in_free_runs(),
    disturb("a while whose stack has one level leaves one", |i, before, after| {
        if i.opcode == Opcode::While && before.mask_stack_depth[LSTACK] == 1 {
            after.mask_stack_depth[LSTACK] ^= 1;
        }
    })
    .in_free_runs(),
    disturb("a break of the second turn leaves CMask alone", |i, before, after| {
        keep(i, Opcode::Break, CMASK, before, after);
    })
    .after(1)
    .in_free_runs(),
    disturb("what was left of a run that was cut off in a block", |i, before, after| {
        if i.opcode == Opcode::Add {
            after.grf = before.grf;
        }
    })
    .after_a_cut()
    .in_free_runs(),
];

/// The number of the first source, if that is no general register.
fn architecture(i: &Instruction) -> Option<u8> {
    match i.sources[0] {
        Source::Register {
            register: Register::Direct { file: RegisterFile::Arf, number, .. },
            ..
        } => Some(number),
        _ => None,
    }
}

/// The first register that a message loads.
fn reply(i: &Instruction) -> Option<u8> {
    match i.destination.register {
        Register::Direct { file: RegisterFile::Grf, number, .. } if i.opcode == Opcode::Send => {
            Some(number)
        }
        _ => None,
    }
}

/// Drops the magnitude of sources of a type.
fn magnitude_of(i: &mut Instruction, of: DataType) -> Option<()> {
    let mut any = None;
    for source in &mut i.sources {
        if let Source::Register { modifier, data_type, .. } = source
            && modifier.absolute
            && *data_type == of
        {
            modifier.absolute = false;
            any = Some(());
        }
    }
    any
}
