//! Instruction compression: one instruction word executed as two native instructions (G45 volume 4,
//! section 11.5).

use parallax_isa::eu::{
    register::{ArfKind, RegisterFile},
    state::MRF_COUNT,
};

use super::{
    arf,
    instruction::{Compression, Context, Instruction, Layout, Origin, Region, Source},
    operation::Form,
};

/// Bit of an MRF register number that asks for the second half four registers on (Compr4).
const COMPR4: u8 = 0x80;

/// The first native instruction of a compressed one (section 11.5.2).
pub(super) fn first_half(instruction: &Instruction) -> Instruction {
    let mut first = *instruction;
    first.compression = Compression::None;
    first.execution_size /= 2;
    if let (RegisterFile::Mrf, Origin::Direct { number, .. }) =
        (first.destination.file, &mut first.destination.origin)
    {
        *number &= !COMPR4;
    }
    first
}

/// The second native instruction of a compressed one (section 11.5.2).
pub(super) fn second_half(instruction: &Instruction, context: Context) -> Instruction {
    let mut second = *instruction;
    second.compression = Compression::SecHalf;
    second.execution_size /= 2;
    let destination = &mut second.destination;
    match &mut destination.origin {
        Origin::Direct { number, .. } => match destination.file {
            RegisterFile::Mrf if *number & COMPR4 != 0 => *number = (*number & !COMPR4) + 4,
            RegisterFile::Mrf => *number += 1,
            RegisterFile::Grf => *number |= 1,
            RegisterFile::Arf => *number |= accumulator_step(*number),
        },
        Origin::Indirect { subregister, .. } => *subregister |= 1,
    }
    let is_plane = instruction.operation.data().is_some_and(|data| data.form == Form::Plane);
    let packed_dwords = instruction.destination.stride == 1
        && instruction.destination.data_type.size() == 4
        && instruction.execution_size == 16;
    for (index, source) in second.sources.iter_mut().enumerate() {
        let Source::Register(region) = source else { continue };
        let Region { file, data_type, origin, layout, .. } = region;
        let scalar = *layout == Layout::Rows { vertical: Some(0), width: 1, horizontal: 0 };
        match origin {
            Origin::Indirect { subregister, .. } if !scalar || context.early() => *subregister |= 1,
            // A number that no register has may stand there: it stays one. The pairs of registers
            // of a plane go on by two even if the region is a scalar.
            Origin::Direct { number, .. }
                if is_plane && index == 1 && *file != RegisterFile::Arf =>
            {
                *number = number.wrapping_add(2);
            }
            Origin::Direct { number, subregister } if !scalar => {
                let packed_words = match (data_type.size(), *layout) {
                    (2, Layout::Rows { horizontal: 1, .. }) => packed_dwords,
                    (1, Layout::Rows { horizontal: 2, .. }) => packed_dwords,
                    _ => false,
                };
                match file {
                    RegisterFile::Arf => *number |= accumulator_step(*number),
                    _ if packed_words => *subregister |= 16,
                    _ => *number |= 1,
                }
            }
            _ => {}
        }
    }
    second
}

/// The two messages that a compressed send is (D-eu-extended-math).
pub(super) fn messages(send: &Instruction, context: Context) -> [Instruction; 2] {
    let mut second = second_half(send, context);
    second.message_register += 1;
    [first_half(send), second]
}

/// Why a compressed send has no defined effect, if so: its second half needs a place of its own, and
/// only Extended Math takes halves.
pub(super) fn message_fault(send: &Instruction) -> Option<&'static str> {
    let Source::Immediate { bits, .. } = send.sources[1] else {
        return Some("compression and a descriptor in a register");
    };
    // Target, message length and response length.
    if bits >> 16 & 0xFFF != 0x111 {
        return Some("compression of something else than one register to extended math");
    }
    let is_even = match (send.destination.file, send.destination.origin) {
        (RegisterFile::Grf, Origin::Direct { number, .. }) => number & 1 == 0,
        _ => false,
    };
    match send.message_register {
        _ if send.execution_size != 16 => Some("compression of other than 16 channels"),
        _ if !is_even => Some("compression and one place for two replies"),
        register if usize::from(register) + 1 >= MRF_COUNT => {
            Some("compression of the last register")
        }
        _ => None,
    }
}

/// Whether a send is split in two messages.
pub(super) fn is_split(send: &Instruction) -> bool {
    send.compression == Compression::Compressed
        && send.last_dword >> 31 == 0
        && message_fault(send).is_none()
}

/// What the second half sets in an ARF register number: `acc0` becomes `acc1`.
fn accumulator_step(number: u8) -> u8 {
    u8::from(arf::kind(number) == Some(ArfKind::Accumulator))
}
