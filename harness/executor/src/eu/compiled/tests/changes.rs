//! How machine code is made wrong in one chosen way.

use iced_x86::{Code as Opcode, Instruction as Machine, Mnemonic, Register};

pub(in crate::eu) use crate::machine_code::changes::{Change, exchange, lost, other};
use crate::{
    eu::compiled::{
        Planned, Setting,
        assemble::{Assembled, assemble},
        description::LaterNode,
        later::assemble_nodes,
        pages::Code,
    },
    machine_code::changes,
    simd::Avx2,
};

/// Changes instructions of a segment, which stay as long as they are; whether there was one to change.
pub(in crate::eu) fn each(
    assembled: &mut Assembled,
    change: impl Fn(Machine) -> Option<Change>,
) -> bool {
    changes::each(&mut assembled.bytes, change)
}

/// The other of two conditional jumps.
pub(in crate::eu) fn turned(machine: Machine) -> Option<Change> {
    let code = match machine.code() {
        Opcode::Je_rel8_64 => Opcode::Jne_rel8_64,
        Opcode::Jne_rel8_64 => Opcode::Je_rel8_64,
        Opcode::Je_rel32_64 => Opcode::Jne_rel32_64,
        Opcode::Jne_rel32_64 => Opcode::Je_rel32_64,
        _ => return None,
    };
    let mut other = machine;
    other.set_code(code);
    Some(Change::Other(other))
}

/// Leaves out instructions.
pub(in crate::eu) fn without(
    machine: Machine,
    mnemonic: Mnemonic,
    first: Register,
) -> Option<Change> {
    let is_one = machine.mnemonic() == mnemonic && machine.op0_register() == first;
    is_one.then_some(Change::Nothing)
}

/// Gives MXCSR another value for the segment, in place of the right one.
pub(in crate::eu) fn rounding(
    assembled: &mut Assembled,
    right: u32,
    change: fn(u32) -> u32,
) -> bool {
    let mut is_changed = false;
    for chunk in &mut assembled.constants {
        let word = u32::from_le_bytes(chunk[..4].try_into().expect("four bytes"));
        if word == right {
            chunk[..4].copy_from_slice(&change(word).to_le_bytes());
            is_changed = true;
        }
    }
    is_changed
}

/// The test of a sticky flag of MXCSR always says that it is not set.
pub(in crate::eu) fn sticky_flag_not_looked_at(assembled: &mut Assembled, flag: u8) -> bool {
    each(assembled, |machine| {
        let tests = machine.mnemonic() == Mnemonic::And && machine.op0_register() == Register::EAX;
        (tests && machine.immediate8() == flag).then(|| {
            let mut never = machine;
            never.set_immediate8(0);
            Change::Other(never)
        })
    })
}

/// Faults that code of each generation can have, by what they do.
pub(in crate::eu) const OF_ALL: &[(&str, Fault)] = &[
    ("masks upside down", |code| each(code, |i| other(i, Mnemonic::Vblendvps, exchange))),
    ("a shift without sign", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vpsravd, |i| i.set_code(Opcode::VEX_Vpsrlvd_ymm_ymm_ymmm256))
        })
    }),
    ("a register not written back", |code| {
        each(code, |i| lost(i, Mnemonic::Vmovups, Register::RDI))
    }),
    ("flags not written back", |code| each(code, |i| lost(i, Mnemonic::Mov, Register::RDI))),
    ("nothing saved to be taken back", |code| {
        each(code, |i| lost(i, Mnemonic::Vmovups, Register::RSI))
    }),
];

/// Faults of sources that become lanes, and of lanes that become results.
pub(in crate::eu) const OF_CONVERSIONS: &[(&str, Fault)] = &[
    ("words without sign", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vpmovsxwd, |i| i.set_code(Opcode::VEX_Vpmovzxwd_ymm_xmmm128))
        })
    }),
    ("words that have no sign with one", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vpmovzxwd, |i| i.set_code(Opcode::VEX_Vpmovsxwd_ymm_xmmm128))
        })
    }),
    ("bytes without sign", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vpmovsxbd, |i| i.set_code(Opcode::VEX_Vpmovzxbd_ymm_xmmm64))
        })
    }),
    ("bytes that have no sign with one", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vpmovzxbd, |i| i.set_code(Opcode::VEX_Vpmovsxbd_ymm_xmmm64))
        })
    }),
    ("elements with gaps without sign", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vpsrad, |i| match i.code() {
                Opcode::VEX_Vpsrad_ymm_ymm_imm8 => i.set_code(Opcode::VEX_Vpsrld_ymm_ymm_imm8),
                code => i.set_code(code),
            })
        })
    }),
    ("elements with what is in the gaps behind them", |code| {
        each(code, |i| {
            let cuts = i.mnemonic() == Mnemonic::Vpand
                && i.memory_base() == Register::RDX
                && matches!(i.op0_register(), Register::YMM0 | Register::YMM1);
            cuts.then_some(Change::Nothing)
        })
    }),
    ("elements not moved within a doubleword", |code| {
        each(code, |i| other(i, Mnemonic::Vpslld, |i| i.set_immediate8(0)))
    }),
    ("the first bytes of a half for others", |code| {
        each(code, |i| other(i, Mnemonic::Vpsrldq, |i| i.set_immediate8(0)))
    }),
    ("the first half for the second", |code| {
        each(code, |i| other(i, Mnemonic::Vextracti128, |i| i.set_immediate8(0)))
    }),
    ("bits of integers for floats", |code| {
        each(code, |i| {
            let converts = i.mnemonic() == Mnemonic::Vcvtdq2ps;
            (converts && i.op0_register() == i.op1_register()).then_some(Change::Nothing)
        })
    }),
    ("floats of the lower half", |code| {
        each(code, |i| {
            let adds = i.mnemonic() == Mnemonic::Vaddps && i.op2_register() == Register::YMM2;
            (adds && i.op0_register() == i.op1_register()).then_some(Change::Nothing)
        })
    }),
    ("floats of both halves alike", |code| {
        each(code, |i| {
            let scales = i.mnemonic() == Mnemonic::Vmulps && i.op0_register() == Register::YMM2;
            scales.then_some(Change::Nothing)
        })
    }),
    ("floats beyond integers the smallest", |code| {
        each(code, |i| is_changed_by(i, Mnemonic::Vpxor, Register::YMM4).then_some(Change::Nothing))
    }),
    ("not a number no zero", |code| {
        each(code, |i| is_changed_by(i, Mnemonic::Vpand, Register::YMM5).then_some(Change::Nothing))
    }),
    ("floats beyond doublewords wrapped", |code| {
        each(code, |i| is_changed_by(i, Mnemonic::Vpor, Register::YMM5).then_some(Change::Nothing))
    }),
    ("large floats not less by half", |code| {
        each(code, |i| {
            is_changed_by(i, Mnemonic::Vsubps, Register::YMM5).then_some(Change::Nothing)
        })
    }),
    ("no most of short integers", |code| {
        each(code, |i| (i.mnemonic() == Mnemonic::Vpminsd).then_some(Change::Nothing))
    }),
    ("no least of short integers", |code| {
        each(code, |i| (i.mnemonic() == Mnemonic::Vpmaxsd).then_some(Change::Nothing))
    }),
    ("no most of integers without sign", |code| {
        each(code, |i| (i.mnemonic() == Mnemonic::Vpminud).then_some(Change::Nothing))
    }),
    ("short results left in their lanes", |code| {
        each(code, |i| (i.mnemonic() == Mnemonic::Vpshufb).then_some(Change::Nothing))
    }),
    ("neighbours for every other", |code| {
        each(code, |i| other(i, Mnemonic::Vshufps, |i| i.set_immediate8(0b0100_0100)))
    }),
    ("the first of two for the second", |code| {
        each(code, |i| {
            (i.mnemonic() == Mnemonic::Vshufps && i.immediate8() == 0b1101_1101).then(|| {
                let mut first = i;
                first.set_immediate8(0b1000_1000);
                Change::Other(first)
            })
        })
    }),
    ("halves of every other not sorted", |code| {
        each(code, |i| with_order(i, 0b1101_1000, 0b1110_0100))
    }),
    ("four channels of words for eight", |code| each(code, |i| with_order(i, 0b1000_1000, 0))),
    ("four results at the beginning of a register", |code| {
        each(code, |i| with_order(i, 0b0100_0100, 0b1110_0100))
    }),
    ("bytes of the first four channels", |code| {
        each(code, |i| {
            let joins = i.mnemonic() == Mnemonic::Vpermd && i.op1_register() == Register::YMM5;
            joins.then_some(Change::Nothing)
        })
    }),
    ("few results at the beginning of a register", |code| {
        each(code, |i| {
            let repeats = matches!(
                i.mnemonic(),
                Mnemonic::Vpbroadcastb | Mnemonic::Vpbroadcastw | Mnemonic::Vpbroadcastq
            );
            let is_result = i.op0_register() == Register::YMM0;
            (repeats && is_result && i.op1_register() == Register::XMM0).then_some(Change::Nothing)
        })
    }),
    ("what is between results written too", |code| {
        each(code, |i| {
            let cuts = i.mnemonic() == Mnemonic::Vpand
                && i.op0_register() == Register::YMM4
                && i.op1_register() == Register::YMM4;
            cuts.then_some(Change::Nothing)
        })
    }),
];

/// Whether an instruction changes the first register by another one.
fn is_changed_by(machine: Machine, mnemonic: Mnemonic, other: Register) -> bool {
    machine.mnemonic() == mnemonic
        && machine.op0_register() == Register::YMM0
        && machine.op1_register() == Register::YMM0
        && machine.op2_register() == other
}

/// Another order of quadwords than this one.
fn with_order(machine: Machine, order: u8, wrong: u8) -> Option<Change> {
    let is_it = machine.mnemonic() == Mnemonic::Vpermq && machine.immediate8() == order;
    is_it.then(|| {
        let mut other = machine;
        other.set_immediate8(wrong);
        Change::Other(other)
    })
}

/// The names of those faults of all and of some more that are not found.
pub(in crate::eu) fn missed(
    faults: &[(&'static str, Fault)],
    is_found: impl Fn(Fault) -> bool,
) -> Vec<&'static str> {
    let all = OF_ALL.iter().chain(OF_CONVERSIONS).chain(faults);
    all.filter(|(_, fault)| !is_found(*fault)).map(|(name, _)| *name).collect()
}

/// Makes a segment wrong, if it concerns it.
pub(in crate::eu) type Fault = fn(&mut Assembled) -> bool;

/// The code of blocks of Gen7 or later with the branches between them, with a fault or none; `None` if there
/// is no fault to make.
pub(in crate::eu) fn code_of_nodes(
    proof: Avx2,
    nodes: &[LaterNode],
    fault: Option<Fault>,
) -> Option<Code> {
    let mut assembled = assemble_nodes(nodes).expect("what is planned");
    let is_made = fault.is_none_or(|fault| fault(&mut assembled));
    is_made.then(|| Code::new(proof, assembled).expect("little code"))
}

/// The code of operations with a fault, if it concerns any.
pub(in crate::eu) fn wrong(
    proof: Avx2,
    planned: &[Planned],
    setting: Setting,
    fault: Fault,
) -> Option<Code> {
    let mut assembled = assemble(planned, setting).expect("what is planned");
    let is_wrong = !planned.is_empty() && fault(&mut assembled);
    is_wrong.then(|| Code::new(proof, assembled).expect("little code"))
}
