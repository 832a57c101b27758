//! `send` (G45 volume 4, section 14.2).

use std::mem::offset_of;

use parallax_isa::{
    Acceptance, Extent, Image,
    eu::{
        Instruction, State,
        operand::{DestinationRegion, Register, Source},
        register::{REGISTER_BYTES, RegisterFile},
        state::MRF_COUNT,
    },
};
use parallax_spec::rule;

use super::{
    convert::{to_destination_type, to_execution_type},
    number::ExecutionType,
    region::Place,
    thread::{Executed, Thread, Unpredictable},
};

/// `send`: the implied move of src0 to the first message register, then the message. Only the end
/// of the thread is modelled: there is no shared function to answer.
pub(super) fn send(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let Some(message) = instruction.message else {
        return Err(Unpredictable("a send without a message".to_owned()));
    };
    if !message.end_of_thread {
        let sentence = "no such shared function: only messages that end the thread are modelled";
        return Err(Unpredictable(sentence.to_owned()));
    }
    implied_move(thread, instruction, usize::from(message.current_destination))?;
    rule!("g45.inst.send.semantics");
    rule!("g45.inst.send.acc-update");
    rule!("g45.inst.send.eot");
    rule!("g45.eot.send");
    rule!("g45.eot.ordering");
    rule!("g45.field.eot");
    Ok(())
}

/// Copies src0 to a message register, whatever masks and predicate say. Bytes of the register that
/// the move does not reach are undefined afterwards.
fn implied_move(
    thread: &mut Thread,
    instruction: &Instruction,
    message_register: usize,
) -> Executed {
    let Source::Register { register, data_type, region, modifier } = instruction.sources[0] else {
        return Err(Unpredictable("send has an immediate source".to_owned()));
    };
    if register.is_null() {
        rule!("g45.inst.send.no-implied-move");
        rule!("g45.null.send");
        return Ok(());
    }
    if register.file() != RegisterFile::Grf || message_register >= MRF_COUNT {
        return Err(Unpredictable("send takes its source from a general register".to_owned()));
    }
    let channels = usize::from(instruction.execution_size).min(super::region::CHANNELS);
    let places = thread.source_places(register, region, data_type.size(), channels)?;
    let destination = instruction.destination;
    let subregister = match destination.register {
        Register::Direct { subregister, .. } => usize::from(subregister),
        Register::Indirect { .. } => 0,
    };
    let stride = match destination.region {
        DestinationRegion::Stride(stride) => usize::from(stride),
        DestinationRegion::ChannelEnable(_) => 1,
    };
    rule!("g45.inst.send.implied-move");
    rule!("g45.inst.send.implied-move-source");
    rule!("g45.inst.send.implied-move-region");
    rule!("g45.inst.send.msg-even-if-masked-move");
    if modifier != Default::default() {
        rule!("g45.inst.send.srcmod");
    }
    let size = destination.data_type.size();
    let raw = data_type == destination.data_type && modifier == Default::default();
    let execution_type = ExecutionType::of(&[data_type]);
    let mode = thread.float_mode();
    let start = offset_of!(State, mrf) + REGISTER_BYTES * message_register;
    let mut elements = [(0, None); super::region::CHANNELS];
    for channel in 0..channels {
        let byte = subregister + channel * stride * size;
        if byte + size > REGISTER_BYTES {
            return Err(Unpredictable("the implied move leaves its message register".to_owned()));
        }
        let bits = match places[channel] {
            Place::Byte(offset) => {
                let bits = thread.element(offset, data_type.size());
                let value = to_execution_type(bits, data_type, modifier, execution_type);
                let converted = to_destination_type(value, destination.data_type, false, mode);
                Some(if raw { bits } else { converted.bits })
            }
            _ => None,
        };
        elements[channel] = (byte, bits);
    }
    let mut reached = 0_u32;
    for &(byte, bits) in &elements[..channels] {
        let element = Extent::whole(start + byte, size);
        if let Some(bits) = bits {
            element.write(thread.state.image_mut(), u64::from(bits));
            reached |= ((1_u64 << size) as u32 - 1) << byte;
        }
    }
    rule!("g45.inst.send.implied-move-all-bytes");
    for byte in (0..REGISTER_BYTES).filter(|byte| reached >> byte & 1 == 0) {
        thread.expect(Extent::whole(start + byte, 1), Acceptance::Undefined);
    }
    Ok(())
}
