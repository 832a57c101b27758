//! Random ALU groups on random registers: reference and executor in lockstep.

use parallax_executor::r700::Executor;
use parallax_isa::r700::{
    AluOpcode, Case, Profile,
    microcode::{AluOp2, AluOp3},
    opcode::{AluFormat, Role, Units},
};
use parallax_lockstep::{Verdict, lockstep::lockstep, r700::R700};
use parallax_reference::r700::Reference;

use crate::r700::numbers::Numbers;

/// Words at the corners of the number formats.
const CORNERS: [u32; 16] = [
    0,
    0x8000_0000,
    0x3F80_0000,
    0xBF80_0000,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0x7F7F_FFFF,
    0x0080_0000,
    0x0000_0001,
    0x807F_FFFF,
    0xFFFF_FFFF,
    0x4F00_0000,
    0x0000_001F,
    0x3EFF_FFFF,
    0xC000_0000,
];

fn word(numbers: &mut Numbers) -> u32 {
    match numbers.below(3) {
        0 => CORNERS[numbers.below(16) as usize],
        1 => (numbers.below(40) + 107) << 23 | numbers.next() & 0x807F_FFFF,
        _ => numbers.next(),
    }
}

/// An instruction for a unit: 0 to 3 the vector units, 4 Trans.
fn instruction(numbers: &mut Numbers, unit: u32, element: u32, last: bool) -> [u32; 2] {
    let opcode = loop {
        let all = AluOpcode::ALL;
        let opcode = all[numbers.below(all.len() as u32) as usize];
        let row = opcode.row();
        let fits = match row.units {
            Units::Any => true,
            Units::Vector => unit < 4,
            Units::Trans => unit == 4,
        };
        let alone = !opcode.is_reduction() && opcode.double_slots() == 0;
        let plain = row.role == Role::Plain || row.role == Role::Address;
        if fits && alone && plain && opcode != AluOpcode::MovaGprInt {
            break opcode;
        }
    };
    let sources = [0; 3].map(|_: u32| match numbers.below(4) {
        0 => 248 + numbers.below(5),
        1 => 254 + numbers.below(2),
        _ => numbers.below(4),
    });
    let channels = [0; 3].map(|_: u32| numbers.below(4));
    let float = opcode.row().sources.iter().all(|kind| kind.is_float())
        && !opcode.mnemonic().ends_with("_INT");
    let modifiers = if float { numbers.next() } else { 0 };
    // Conditional moves on integers may move integers: no output modifiers.
    let moves = opcode.mnemonic().starts_with("CND") && !float;
    let result = if opcode.row().result.is_float() && !moves { numbers.next() } else { 15 };
    match opcode.row().format {
        AluFormat::Op2 => {
            let word = AluOp2::default()
                .with(AluOp2::ALU_INST, opcode.row().code)
                .with(AluOp2::SRC0_SEL, sources[0])
                .with(AluOp2::SRC1_SEL, sources[1])
                .with(AluOp2::SRC0_CHAN, channels[0])
                .with(AluOp2::SRC1_CHAN, channels[1])
                .with(AluOp2::SRC0_NEG, modifiers)
                .with(AluOp2::SRC1_NEG, modifiers >> 1)
                .with(AluOp2::SRC0_ABS, modifiers >> 2)
                .with(AluOp2::SRC1_ABS, modifiers >> 3)
                .with(AluOp2::OMOD, if result & 3 == 0 { result >> 4 } else { 0 })
                .with(AluOp2::CLAMP, u32::from(result & 0xC == 0))
                .with(AluOp2::WRITE_MASK, u32::from(numbers.below(8) != 0))
                .with(AluOp2::DST_GPR, numbers.below(4))
                .with(AluOp2::DST_ELEM, element)
                .with(AluOp2::LAST, last.into());
            word.0
        }
        AluFormat::Op3 => {
            let word = AluOp3::default()
                .with(AluOp3::ALU_INST, opcode.row().code)
                .with(AluOp3::SRC0_SEL, sources[0])
                .with(AluOp3::SRC1_SEL, sources[1])
                .with(AluOp3::SRC2_SEL, sources[2])
                .with(AluOp3::SRC0_CHAN, channels[0])
                .with(AluOp3::SRC1_CHAN, channels[1])
                .with(AluOp3::SRC2_CHAN, channels[2])
                .with(AluOp3::SRC0_NEG, modifiers)
                .with(AluOp3::SRC2_NEG, modifiers >> 1)
                .with(AluOp3::CLAMP, u32::from(result & 0xC == 0))
                .with(AluOp3::DST_GPR, numbers.below(4))
                .with(AluOp3::DST_ELEM, element)
                .with(AluOp3::LAST, last.into());
            word.0
        }
    }
}

/// A program of one clause with some groups.
fn program(numbers: &mut Numbers, groups: u32) -> Vec<u32> {
    let mut clause = Vec::new();
    for _ in 0..groups {
        for unit in 0..5 {
            let element = if unit == 4 { numbers.below(4) } else { unit };
            clause.extend(instruction(numbers, unit, element, unit == 4));
        }
    }
    let words = clause.len() as u32 / 2;
    let mut dwords = vec![2, 0xA000_0000 | (words - 1) << 18, 0, 0x8020_0000];
    dwords.extend(clause);
    dwords
}

#[test]
fn random_groups_agree() {
    let mut numbers = Numbers::new(1);
    let mut failed = Vec::new();
    for round in 0..150 {
        let mut case = Case::new(program(&mut numbers, 20));
        case.profile = if round % 2 == 0 { Profile::Manual } else { Profile::Silicon };
        for lanes in case.state.gpr[..4].iter_mut().flatten() {
            for lane in lanes {
                *lane = word(&mut numbers);
            }
        }
        let verdict = lockstep::<R700>(&mut Reference::new(), &mut Executor::new(), &case);
        if !matches!(verdict, Verdict::Agreed(_)) {
            let mut text = format!("{verdict:?}");
            text.truncate(900);
            failed.push(format!("round {round} ({:?}): {text}", case.profile));
        }
    }
    assert!(failed.is_empty(), "{} rounds:\n{}", failed.len(), failed.join("\n\n"));
}
