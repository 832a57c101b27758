//! How machine code is made wrong in one chosen way.

use iced_x86::{Code as Opcode, Instruction as Machine, Mnemonic, Register};

pub(in crate::eu) use crate::machine_code::changes::{Change, exchange, lost, other};
use crate::{
    eu::compiled::{
        LaterNode, Planned, Setting,
        assemble::{Assembled, assemble},
        later::assemble_nodes,
        pages::Code,
    },
    machine_code::changes,
    simd::Avx2,
};

/// Changes instructions of a stretch, which stay as long as they are; whether there was one to change.
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

/// Gives MXCSR another value for the stretch, in place of the right one.
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

/// The names of those faults of all and of some more that are not found.
pub(in crate::eu) fn missed(
    faults: &[(&'static str, Fault)],
    is_found: impl Fn(Fault) -> bool,
) -> Vec<&'static str> {
    let all = OF_ALL.iter().chain(faults);
    all.filter(|(_, fault)| !is_found(*fault)).map(|(name, _)| *name).collect()
}

/// Makes a stretch wrong, if it concerns it.
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
