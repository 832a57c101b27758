//! Machine code made wrong in one chosen way, which the comparison with the interpreter has to find.

use std::cell::Cell;

use iced_x86::{Code as Opcode, Instruction as Machine, Mnemonic, Register};
use parallax_isa::r700::case::Profile;

use super::{
    Assembled, Code, Room, around, assembled, constants, difference, groups, interpreted, state,
};
use crate::{
    machine_code::changes::{Change, Random, each, exchange, lost, other},
    r700::{
        alu,
        compiled::{LANES, lower::Entry},
        operand::Modifiers,
    },
    simd::Avx2,
};

/// Blocks among which each fault has to show.
const RUNS: u64 = 3_000;

/// Makes a block wrong, if it concerns it.
type Fault = fn(&mut Assembled) -> bool;

/// Faults of a compiler, by what they do.
const FAULTS: &[(&str, Fault)] = &[
    ("rounded toward zero", |code| control(code, |word| word | 0x6000)),
    ("denormal sources kept", |code| control(code, |word| word & !0x40)),
    ("denormal results flushed too early", |code| control(code, |word| word | 0x8000)),
    ("a difference for a sum", |code| {
        becomes(code, Opcode::VEX_Vaddps_ymm_ymm_ymmm256, Opcode::VEX_Vsubps_ymm_ymm_ymmm256)
    }),
    ("the larger for the smaller", |code| {
        becomes(code, Opcode::VEX_Vminps_ymm_ymm_ymmm256, Opcode::VEX_Vmaxps_ymm_ymm_ymmm256)
    }),
    ("integers larger without sign", |code| {
        becomes(code, Opcode::VEX_Vpmaxsd_ymm_ymm_ymmm256, Opcode::VEX_Vpmaxud_ymm_ymm_ymmm256)
    }),
    ("a shift without sign", |code| {
        becomes(code, Opcode::VEX_Vpsravd_ymm_ymm_ymmm256, Opcode::VEX_Vpsrlvd_ymm_ymm_ymmm256)
    }),
    ("doubles added for multiplied", |code| {
        becomes(code, Opcode::VEX_Vmulpd_ymm_ymm_ymmm256, Opcode::VEX_Vaddpd_ymm_ymm_ymmm256)
    }),
    ("differences the other way round", |code| {
        each(&mut code.bytes, |i| other(i, Mnemonic::Vsubps, exchange))
    }),
    ("masks upside down", |code| {
        each(&mut code.bytes, |i| other(i, Mnemonic::Vblendvps, exchange))
    }),
    ("what is no number is equal", |code| immediate(code, Mnemonic::Vcmpps, 0x04, 0x0C)),
    ("at least for more", |code| immediate(code, Mnemonic::Vcmpps, 0x1E, 0x1D)),
    ("what is no number kept as it is", |code| immediate(code, Mnemonic::Vcmpps, 0x03, 0x07)),
    ("what is no double kept as it is", |code| immediate(code, Mnemonic::Vcmppd, 0x03, 0x07)),
    ("upper dwords for lower ones", |code| immediate(code, Mnemonic::Vshufps, 0x88, 0xDD)),
    ("rounded up for down", |code| immediate(code, Mnemonic::Vroundps, 0b1001, 0b1010)),
    ("a register not written back", |code| {
        each(&mut code.bytes, |i| lost(i, Mnemonic::Vmovups, Register::RDI))
    }),
    ("a mask not written back", |code| {
        each(&mut code.bytes, |i| lost(i, Mnemonic::Mov, Register::R8))
    }),
    ("a value not kept where there is room", |code| {
        each(&mut code.bytes, |i| lost(i, Mnemonic::Vmovups, Register::RSI))
    }),
    ("masks of the first pixels for all", |code| {
        each(&mut code.bytes, |i| (i.mnemonic() == Mnemonic::Inc).then_some(Change::Nothing))
    }),
    ("masks of other pixels", |code| {
        let bits: [u32; LANES] = std::array::from_fn(|lane| 1 << lane);
        let mut chunks = code.constants.iter_mut().filter(|chunk| **chunk == bits);
        chunks.next().map(|chunk| chunk.reverse()).is_some()
    }),
    ("pixels that do not execute written", |code| {
        each(&mut code.bytes, |i| {
            let compares = i.mnemonic() == Mnemonic::Cmp && i.op0_register() == Register::AL;
            compares.then(|| {
                let mut zero = i;
                zero.set_immediate8(0x80);
                Change::Other(zero)
            })
        })
    }),
    ("no NaN looked for", no_way_back),
    ("another register than the one that aL leads to", |code| {
        let mut led = false;
        for entry in &mut code.table {
            if let Entry::Led(number) = entry {
                *number ^= 1;
                led = true;
            }
        }
        led
    }),
    ("constants of aL without modifiers", |code| {
        let mut modified = false;
        for entry in &mut code.table {
            if let Entry::File(.., modifiers) = entry {
                modified |= *modifiers != Modifiers::NONE;
                *modifiers = Modifiers::NONE;
            }
        }
        modified
    }),
];

/// Gives MXCSR another value for the block.
fn control(code: &mut Assembled, change: fn(u32) -> u32) -> bool {
    let sets = code.constants[0].iter().all(|word| *word == 0x1FFF);
    code.constants[0] = code.constants[0].map(change);
    sets
}

/// Makes instructions others of the same form.
fn becomes(code: &mut Assembled, from: Opcode, to: Opcode) -> bool {
    each(&mut code.bytes, |i| {
        other(i, i.mnemonic(), |i| {
            if i.code() == from {
                i.set_code(to);
            }
        })
    })
}

/// Gives instructions another immediate in place of one.
fn immediate(code: &mut Assembled, mnemonic: Mnemonic, from: u8, to: u8) -> bool {
    each(&mut code.bytes, |i| {
        let is_one = i.mnemonic() == mnemonic && i.immediate8() == from;
        is_one.then(|| {
            let mut changed = i;
            changed.set_immediate8(to);
            Change::Other(changed)
        })
    })
}

/// Leaves out the first jump that is taken unless a result is zero. The last one of all is that of the loop
/// over pixels.
fn no_way_back(code: &mut Assembled) -> bool {
    let jumps = Cell::new(0);
    let mut copy = code.bytes.clone();
    let count = |i: &Machine| i.mnemonic() == Mnemonic::Jne && jumps.replace(jumps.get() + 1) == 0;
    each(&mut copy, |i| count(&i).then_some(Change::Nothing));
    if jumps.replace(0) == 1 {
        return false;
    }
    each(&mut code.bytes, |i| count(&i).then_some(Change::Nothing))
}

#[test]
fn faults_of_machine_code_are_found() {
    let Some(proof) = Avx2::detect() else { return };
    let missed = FAULTS.iter().filter(|(_, fault)| !is_found(proof, *fault));
    let missed: Vec<_> = missed.map(|(name, _)| *name).collect();
    assert!(missed.is_empty(), "not found: {missed:?}");
}

fn is_found(proof: Avx2, fault: Fault) -> bool {
    let all: Vec<_> = (0..512).filter_map(alu::operation).collect();
    let mut room = Room::default();
    (0..RUNS).any(|seed| {
        let random = &mut Random(seed);
        let constants = constants(random);
        let profile = [Profile::Manual, Profile::Silicon][random.below(2)];
        let around = around(&constants, profile);
        let first = all[random.below(all.len())];
        let groups = groups(random, first, &around);
        let mut code = assembled(&groups, &around);
        if !fault(&mut code) {
            return false;
        }
        let code = Code::new(proof, code).expect("little code");
        let start = state(random);
        let interpreted = interpreted(&groups, &around, &start);
        let mut ran = start.clone();
        code.run(&around, &mut room, &mut ran);
        difference(&interpreted, &ran).is_some()
    })
}
