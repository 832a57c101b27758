//! Operands of Gen7 and later: distances of branches, messages with their payloads in registers.

use super::{
    AccessMode, ArfKind, Descriptor, Destination, Format, Generation, Instruction, Register,
    RegisterFile, Source, SourceModifier, put, write_destination, write_register, write_source,
};
use crate::eu::{
    fields,
    instruction::{ExtendedDescriptor, Message},
    types::DataType,
};

/// `12 30`: the jump distance and the update distance, in the units of the machine word; `r4<0;1,0>:d`
/// where a register holds them.
pub(super) fn write_branch(text: &mut String, generation: Generation, instruction: &Instruction) {
    let operands = instruction.opcode.branch_operands(generation);
    if operands.destination {
        write_destination(text, generation, &instruction.destination, false);
    }
    let Some(branch) = instruction.branch else { return };
    match operands.register {
        Some(index) if branch.jip.is_none() => {
            write_source(text, generation, &instruction.sources[index]);
        }
        _ => {
            let unit = fields::jump_unit(generation);
            let distances = [branch.jip, branch.uip].into_iter().flatten();
            distances.for_each(|bytes| put(text, format_args!(" {}", bytes / unit)));
        }
    }
}

/// `null`, where `sync` waits for all it can, or the mask of tokens.
pub(super) fn write_sync(text: &mut String, generation: Generation, mask: &Source) {
    if *mask == Source::null(DataType::Ub) {
        text.push_str(" null");
    } else {
        write_source(text, generation, mask);
    }
}

/// Destination, payloads, extended descriptor with the shared function, descriptor:
/// `r4:ud r8 r9 0x42 0x24aa019`.
pub(super) fn write_message(text: &mut String, generation: Generation, instruction: &Instruction) {
    let Instruction { destination, sources, access_mode: mode, .. } = instruction;
    let Some(message) = instruction.message else { return };
    if instruction.opcode.format_on(generation) == Format::SplitMessage {
        write_whole(text, generation, destination.register, DataType::F);
        put(text, format_args!(":{}", destination.data_type.suffix()));
        write_payload(text, generation, *mode, &sources[0]);
        write_payload(text, generation, *mode, &sources[1]);
    } else {
        write_destination(text, generation, destination, false);
        write_payload(text, generation, *mode, &sources[0]);
    }
    match message.extended {
        ExtendedDescriptor::Immediate(bits) => {
            put(text, format_args!(" {:#x}", bits | u32::from(message.shared_function)));
        }
        ExtendedDescriptor::Address(number) => put(text, format_args!(" a0.{number}<0;1,0>:ud")),
    }
    match message.descriptor {
        Descriptor::Immediate(bits) => put(text, format_args!(" {bits:#010x}")),
        Descriptor::Address => text.push_str(" a0.0<0;1,0>:ud"),
    }
}

/// The shared function, where the extended descriptor does not show it.
pub(super) fn hidden_function(instruction: &Instruction) -> Option<u8> {
    let Message { shared_function, extended, .. } = instruction.message?;
    (matches!(extended, ExtendedDescriptor::Address(_)) && shared_function != 0)
        .then_some(shared_function)
}

/// Whole registers: `r8`, with the type where it is not `ud`.
fn write_payload(text: &mut String, generation: Generation, mode: AccessMode, source: &Source) {
    match *source {
        Source::Register { register, data_type, region, modifier }
            if region == fields::payload_region(mode)
                && modifier == SourceModifier::default()
                && !matches!(register, Register::Direct { subregister: 1.., .. }) =>
        {
            write_whole(text, generation, register, data_type);
            if data_type != DataType::Ud {
                put(text, format_args!(":{}", data_type.suffix()));
            }
        }
        _ => write_source(text, generation, source),
    }
}

/// A register without subregister and region.
fn write_whole(text: &mut String, generation: Generation, register: Register, data_type: DataType) {
    text.push(' ');
    match register {
        Register::Direct { file: RegisterFile::Grf, number, .. } => {
            put(text, format_args!("r{number}"));
        }
        _ => write_register(text, generation, register, data_type),
    }
}

/// The operands of `wait` on a notification count (table `eu-canonical-fields`).
pub(in crate::eu::text) fn wait_operands(
    number: u8,
    mode: AccessMode,
) -> (Destination, [Source; 3]) {
    let register = Register::Direct {
        file: RegisterFile::Arf,
        number: ArfKind::Notification.code() << 4,
        subregister: 4 * number,
    };
    let (mut destination, mut source) = super::arf_pair(0, mode);
    destination.register = register;
    if let Source::Register { register: read, .. } = &mut source {
        *read = register;
    }
    let absent = Source::Register {
        register: Register::NULL,
        data_type: DataType::F,
        region: fields::payload_region(mode),
        modifier: SourceModifier::default(),
    };
    (destination, [source, absent, Source::ABSENT])
}
