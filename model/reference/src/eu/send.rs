//! `send`, `sendc`, `sends` and `sendsc` of Gen7 and later, whose payload is in general registers.

use std::{mem::offset_of, ops::Range};

use parallax_isa::{
    device::Generation,
    eu::{
        Instruction, Opcode, State,
        case::EventKind,
        instruction::{Descriptor, ExtendedDescriptor, Message},
        operand::{Register, Source},
        register::{REGISTER_BYTES, RegisterFile},
        state::GRF_COUNT,
    },
    shared::{LONGEST_REPLY, Request, Unanswered},
};

use super::{
    mask::Without,
    message::{note_written, write_back},
    number::FloatMode,
    record::Sent,
    thread::{Executed, Thread, Unpredictable},
};
use crate::shared::{RENDER_CACHE, World, record::Lender};

/// A message: with End Of Thread the thread ends, without an effect unless something takes its last message; any other
/// needs a shared function to take it.
pub(super) fn send(thread: &mut Thread, instruction: &Instruction) -> Executed<bool> {
    let Some(message) = instruction.message else {
        return Err(Unpredictable("a send without a message".to_owned()));
    };
    if message.end_of_thread && !is_last_message_taken(thread, &message) {
        return Ok(true);
    }
    let Some(function) = thread.shared_function else {
        return Err(no_such_function(&message));
    };
    // Decision D-eu-later-messages.
    let descriptor = match message.descriptor {
        Descriptor::Immediate(bits) => bits,
        Descriptor::Address => thread.element(offset_of!(State, address), 4) as u32,
    };
    let extended = extended_descriptor(thread, &message);
    let payload = payload(thread, instruction, [descriptor, extended])?;
    let response = response(thread, instruction, descriptor)?;
    let mask = thread.execution_mask(instruction, Without::Nothing)? as u16;
    let is_narrow = instruction.execution_size <= 8;
    let enables = if is_narrow { mask | mask << 8 } else { mask };
    let request = Request {
        target: message.shared_function,
        function_control: descriptor & 0x7_FFFF,
        format_control: format_control(thread, descriptor),
        extended_descriptor: extended,
        has_header: descriptor >> 19 & 1 == 1,
        payload: &payload,
        channel_enables: enables,
        channels: instruction.execution_size,
        response_length: response.len() as u8,
        alternative_float_mode: thread.float_mode() == FloatMode::Alternative,
        is_last: message.end_of_thread,
    };
    let mut world = World {
        memory: &mut thread.state.memory,
        launch: thread.launch.as_deref_mut(),
        local_bytes: thread.local_bytes,
        environment: thread.environment.as_deref(),
        sampling: thread.sampling.as_deref(),
        rendering: thread.rendering.as_deref(),
        thread_start: &thread.start,
        lender: Lender { device: thread.device, observer: thread.observer },
        past: &mut thread.past,
    };
    let reply = function.answer(&request, &mut world).map_err(|why| match why {
        Unanswered::NoSuchFunction(_) => no_such_function(&message),
        why => Unpredictable(why.to_string()),
    })?;
    world.lend(&request, &reply);
    if reply.is_released {
        thread.arrive(EventKind::ThreadNotification);
    }
    write_back(thread, response.start, &reply, true);
    let sent = Sent { descriptor, extended, channel_enables: enables, is_answered: true };
    thread.sent = Some(sent);
    note_written(thread, &reply);
    Ok(message.end_of_thread)
}

/// Whether something takes the last message of a thread: the render cache, where the case has surfaces.
fn is_last_message_taken(thread: &Thread, message: &Message) -> bool {
    // Decision D-eu-later-render-target.
    thread.environment.is_some() && message.shared_function == RENDER_CACHE
}

/// Bits 30:29 of the descriptor, which Gen7 has no fields in.
fn format_control(thread: &Thread, descriptor: u32) -> u8 {
    if thread.since(Generation::Gen9) { (descriptor >> 29 & 3) as u8 } else { 0 }
}

fn no_such_function(message: &Message) -> Unpredictable {
    let target = SHARED_FUNCTIONS[usize::from(message.shared_function & 0xF)];
    Unpredictable(Unanswered::NoSuchFunction(target).to_string())
}

/// Shared functions by their codes on Gen7 and Gen9.
const SHARED_FUNCTIONS: [&str; 16] = [
    "Null",
    "reserved",
    "Sampling Engine",
    "Message Gateway",
    "Data Port of the sampler cache or Data Cache 2",
    "Data Port of the render cache",
    "URB",
    "Thread Spawner",
    "Video Motion Estimation",
    "Data Port of the constant cache",
    "Data Port of the data cache",
    "Pixel Interpolator",
    "Data Cache 1",
    "Check and Refinement Engine",
    "reserved",
    "reserved",
];

type Registers = Vec<[u8; 32]>;

/// The extended descriptor: in the instruction, or in a doubleword of the address register.
fn extended_descriptor(thread: &Thread, message: &Message) -> u32 {
    match message.extended {
        ExtendedDescriptor::Immediate(bits) => bits,
        ExtendedDescriptor::Address(number) => {
            let offset = offset_of!(State, address) + 4 * usize::from(number & 7);
            thread.element(offset, 4) as u32
        }
    }
}

/// The registers of a message: those of src0, and of `sends` those of src1 behind them.
fn payload(
    thread: &Thread,
    instruction: &Instruction,
    [descriptor, extended]: [u32; 2],
) -> Executed<Registers> {
    let mut payload =
        registers(thread, &instruction.sources[0], (descriptor >> 25 & 0xF) as usize)?;
    if payload.is_empty() {
        return Err(Unpredictable("a message of no register".to_owned()));
    }
    let is_split = matches!(instruction.opcode, Opcode::Sends | Opcode::Sendsc);
    if is_split || thread.since(Generation::Gen12) {
        // Bits 9:6, on Gen12 10:6.
        let bits = if thread.since(Generation::Gen12) { 0x1F } else { 0xF };
        let length = (extended >> 6 & bits) as usize;
        payload.extend(registers(thread, &instruction.sources[1], length)?);
    }
    Ok(payload)
}

/// Some registers from the one that a source names.
fn registers(thread: &Thread, source: &Source, length: usize) -> Executed<Registers> {
    if length == 0 {
        return Ok(Registers::new());
    }
    let first = match *source {
        Source::Register { register, .. } => whole_register(thread, register),
        Source::Immediate { .. } => None,
    };
    let Some(first) = first else {
        let sentence = "a payload that does not begin at a general register";
        return Err(Unpredictable(sentence.to_owned()));
    };
    let registers = thread.state.grf.get(first..first + length).map(<[_]>::to_vec);
    registers.ok_or_else(|| Unpredictable(format!("a message of {length} registers from r{first}")))
}

/// The general register that is named, or whose first byte the address register points to.
fn whole_register(thread: &Thread, register: Register) -> Option<usize> {
    match register {
        Register::Direct { file: RegisterFile::Grf, number, .. } => Some(number.into()),
        Register::Indirect { file: RegisterFile::Grf, address_subregister, offset } => {
            // Decision D-eu-later-messages.
            let byte = thread.pointed_to(address_subregister, offset, REGISTER_BYTES)?;
            byte.is_multiple_of(REGISTER_BYTES).then_some(byte / REGISTER_BYTES)
        }
        _ => None,
    }
}

/// The general registers that receive the reply.
fn response(thread: &Thread, instruction: &Instruction, descriptor: u32) -> Executed<Range<usize>> {
    let length = (descriptor >> 20 & 0x1F) as usize;
    if length == 0 {
        return Ok(0..0);
    }
    match whole_register(thread, instruction.destination.register) {
        Some(first) if length <= LONGEST_REPLY && first + length <= GRF_COUNT => {
            Ok(first..first + length)
        }
        _ => Err(Unpredictable(format!("a reply of {length} registers has no place"))),
    }
}
