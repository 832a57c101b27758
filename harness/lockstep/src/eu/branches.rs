//! Instructions that may go on somewhere else.

use parallax_engine::Hello;
use parallax_isa::eu::{Instruction, register::ArfKind};

/// What can go on somewhere else than behind itself, or waits for other threads before it does.
const BRANCHES: [&str; 27] = [
    "jmpi", "if", "iff", "else", "endif", "do", "while", "break", "cont", "halt", "msave", "mrest",
    "push", "pop", "brc", "brd", "call", "calla", "ret", "goto", "join", "wait", "case", "fork",
    "illegal", "sendc", "sendsc",
];

/// Whether an instruction goes on behind itself.
pub(super) fn is_straight(instruction: &Instruction) -> bool {
    let writes_ip = instruction.destination.register.arf() == Some(ArfKind::InstructionPointer);
    !BRANCHES.contains(&instruction.opcode.mnemonic()) && !writes_ip
}

/// Whether an engine has any branch.
pub(super) fn has_branches(hello: &Hello) -> bool {
    BRANCHES.iter().any(|name| hello.has_instruction(name))
}
