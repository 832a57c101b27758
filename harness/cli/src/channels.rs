//! How many channels programs of execution units are for.

use parallax_isa::{
    Device,
    eu::{Case, Opcode, Program, instruction::Compression},
};

/// The channels that a program of Gen7 or later is for: 8, 16 or 32. Branches work on all dispatched channels, so
/// that one of eight has to be dispatched with eight: with more, a loop in it would wait for ever for
/// channels that none of its instructions reaches.
pub(crate) fn channels_of(device: Device, program: &[u8]) -> u32 {
    use Opcode::{Break, Cont, Else, Endif, Goto, Halt, If, Join, While};
    const PARTING: [Opcode; 9] = [If, Else, Endif, While, Break, Cont, Halt, Goto, Join];
    let Ok(program) = Program::decode(device, program) else { return 32 };
    let instructions = || program.instructions().iter().map(|placed| placed.instruction);
    if !instructions().any(|instruction| PARTING.contains(&instruction.opcode)) {
        return 32;
    }
    widest(&program).unwrap_or(32)
}

/// The channels that instructions of a program are for: 8, 16 or 32. `None` if none of them is for channels
/// that can be disabled.
fn widest(program: &Program) -> Option<u32> {
    let instructions = program.instructions().iter().map(|placed| placed.instruction);
    let masked = instructions.filter(|instruction| !instruction.no_mask);
    let ends = masked.map(|instruction| {
        let second_half = instruction.compression == Compression::SecHalf;
        let first = instruction.first_channel + if second_half { 8 } else { 0 };
        first + instruction.execution_size
    });
    Some(match ends.max()? {
        0..=8 => 8,
        9..=16 => 16,
        _ => 32,
    })
}

/// The channels that the program of a case is for, and how many the device has.
pub(crate) fn of_case(case: &Case) -> [u32; 2] {
    let most = if Device::GEN4.contains(&case.device) { 16 } else { 32 };
    let program = Program::decode(case.device, &case.program).ok();
    [program.as_ref().and_then(widest).unwrap_or(most), most]
}
