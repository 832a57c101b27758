//! Instructions that a device may have though its document does not list them: they are legal only where
//! that is allowed.

use clap::{Args, ValueEnum};
use parallax_isa::{
    Device,
    eu::{Opcode, Program},
};
use parallax_spec::{RuleId, rule_id};

/// An instruction that is not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unlisted {
    /// The products of four bytes (dg1)
    Dp4a,
}

/// What a command allows.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct WithUnlisted {
    /// Take an instruction for legal that the document of the device does not list, and run its suite
    #[arg(long, value_enum, value_name = "INSTRUCTION")]
    pub(crate) allow: Vec<Unlisted>,
}

impl Unlisted {
    /// The rule that leaves it out.
    pub(crate) fn rule(self) -> RuleId {
        match self {
            Self::Dp4a => rule_id!("gen12.isa.op.dp4a-status"),
        }
    }
}

/// The instructions of a program that are not listed, by number.
pub(crate) fn of_program(program: &Program) -> impl Iterator<Item = (usize, Unlisted)> {
    let is_dg1 = program.device() == Device::Dg1;
    let placed = program.instructions().iter().enumerate().filter(move |_| is_dg1);
    placed.filter_map(|(index, placed)| match placed.instruction.opcode {
        Opcode::Dp4a => Some((index, Unlisted::Dp4a)),
        _ => None,
    })
}
