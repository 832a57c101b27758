//! What the decoder takes an instruction for, to be held against another decoder's.

use parallax_isa::eu::Reading;

use super::{
    decode,
    fields::Generation,
    instruction::{Instruction, Source},
    math,
    operation::{Action, Operands},
};

/// What the instruction at the start of some machine code is taken for.
///
/// # Errors
/// If it is none.
pub(in crate::eu) fn reading(generation: Generation, code: &[u8]) -> Result<Reading, String> {
    let (instruction, _) = decode::read(generation, code)?;
    let operation = instruction.operation;
    let reading = Reading {
        mnemonic: operation.name,
        scoreboard: instruction.scoreboard,
        ..Reading::default()
    };
    Ok(match operation.operands {
        // `wait` names a register, and computes nothing.
        Operands::One if matches!(operation.action, Action::Flow(_)) => reading,
        Operands::One | Operands::Two | Operands::Three => computing(&instruction, reading),
        Operands::Math => Reading {
            function: math::name(instruction.function),
            ..computing(&instruction, reading)
        },
        Operands::BranchTo(distances) if instruction.source_count == 0 => {
            let parts = instruction.distances;
            let uip = (distances == 2).then_some(parts.uip);
            Reading { distances: [Some(parts.jip), uip], ..reading }
        }
        _ => reading,
    })
}

/// Adds types and immediate of an instruction that computes.
fn computing(instruction: &Instruction, mut reading: Reading) -> Reading {
    reading.types[0] = Some(instruction.destination.data_type);
    for (number, source) in instruction.used_sources().iter().enumerate() {
        reading.types[1 + number] = Some(match source {
            Source::Immediate { data_type, bits } => {
                reading.immediate.get_or_insert(*bits);
                *data_type
            }
            Source::Register(region) => region.data_type,
        });
    }
    reading
}
