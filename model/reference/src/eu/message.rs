//! `send` (G45 volume 4, section 14.2).

use std::{mem::offset_of, ops::Range};

use parallax_isa::{
    Acceptance, Extent, Image,
    eu::{
        Instruction, State,
        case::EventKind,
        instruction::{Compression, Descriptor, Message},
        operand::{Destination, DestinationRegion, Register, Source},
        register::{REGISTER_BYTES, RegisterFile},
        state::{GRF_COUNT, MRF_COUNT},
    },
    shared::{LONGEST_REPLY, Request, Unanswered},
};

use super::{
    compression,
    convert::{to_destination_type, to_execution_type},
    mask::Without,
    number::{ExecutionType, FloatMode},
    record::Sent,
    region::Place,
    settings::Settings,
    thread::{Executed, Thread, Unpredictable},
};
use crate::shared::{Forwarded, Reply, World, record::Lender};

/// `send`: the implied move of src0 to the first message register, then the message. With End Of
/// Thread the thread ends; any other message needs a shared function to take it. A compressed one is
/// two messages.
pub(super) fn send(thread: &mut Thread, instruction: &Instruction) -> Executed<bool> {
    let is_last = instruction.message.is_some_and(|message| message.end_of_thread);
    let is_compressed = instruction.compression == Compression::Compressed;
    if !is_compressed || is_last || thread.shared_function.is_none() {
        return send_one(thread, instruction);
    }
    // Decision D-eu-extended-math.
    check_compressed(instruction)?;
    let mut halves = compression::halves(instruction, thread.device);
    if let Some(message) = &mut halves[1].message {
        message.current_destination += 1;
    }
    for half in halves {
        send_one(thread, &half)?;
    }
    Ok(false)
}

/// Whether both halves of a compressed send can be sent, and do not reply to one register.
fn check_compressed(send: &Instruction) -> Executed {
    let refuse = |why: &str| Err(Unpredictable(format!("a compressed send {why}")));
    let Some(Message { descriptor: Descriptor::Immediate(bits), current_destination, .. }) =
        send.message
    else {
        return refuse("whose message is not in the instruction");
    };
    let field = |low: u32| bits >> low & 0xF;
    if field(24) != EXTENDED_MATH {
        return refuse("to something else than Extended Math");
    }
    if send.execution_size != 16 {
        return refuse("of another size than 16");
    }
    if [field(20), field(16)] != [1, 1] || usize::from(current_destination) + 1 >= MRF_COUNT {
        return refuse("whose second message has no place");
    }
    match send.destination.register {
        Register::Direct { file: RegisterFile::Grf, number, .. } if number % 2 == 0 => Ok(()),
        _ => refuse("whose replies have one place"),
    }
}

/// A message that is not compressed.
fn send_one(thread: &mut Thread, instruction: &Instruction) -> Executed<bool> {
    let Some(message) = instruction.message else {
        return Err(Unpredictable("a send without a message".to_owned()));
    };
    let first = usize::from(message.current_destination);
    let descriptor = descriptor(thread, message.descriptor);
    thread.sent = Some(Sent { descriptor, ..Sent::default() });
    if message.end_of_thread && !is_last_message_taken(thread, descriptor) {
        implied_move(thread, instruction, first)?;
        return Ok(true);
    }
    let Some(function) = thread.shared_function else {
        return Err(no_such_function(descriptor));
    };
    // Decision D-eu-send-without-effect.
    let enables = channel_enables(thread, instruction)?;
    let payload = payload_registers(descriptor, first)?;
    let response = response_registers(thread, descriptor, instruction)?;
    implied_move(thread, instruction, first)?;
    // What the implied move left open is open in the reply too.
    let message_bytes = offset_of!(State, mrf) + REGISTER_BYTES * payload.start..;
    let is_settled = message_bytes
        .step_by(8)
        .take(payload.len() * REGISTER_BYTES / 8)
        .all(|start| thread.is_settled(Extent::whole(start, 8)));
    let alternative_float_mode = thread.float_mode() == FloatMode::Alternative;
    let target = (descriptor >> 24 & 0xF) as u8;
    let reaches_memory = thread.environment.is_some() && target > EXTENDED_MATH as u8;
    if reaches_memory && !is_settled {
        return Err(Unpredictable("a message of which bytes are open".to_owned()));
    }
    let State { mrf, memory, .. } = &mut *thread.state;
    let request = Request {
        target,
        function_control: descriptor & 0xFFFF,
        format_control: 0,
        extended_descriptor: 0,
        has_header: false,
        payload: &mrf[payload.clone()],
        channel_enables: enables,
        channels: instruction.execution_size,
        response_length: response.len() as u8,
        alternative_float_mode,
        is_last: message.end_of_thread,
    };
    let (environment, sampling) = (thread.environment.as_deref(), thread.sampling.as_deref());
    let rendering = thread.rendering.as_deref();
    let past = &mut thread.past;
    past.begin(payload.start, request.payload);
    let local_bytes = thread.local_bytes;
    let lender = Lender { device: thread.device, observer: thread.observer };
    let mut world = World {
        memory,
        launch: None,
        local_bytes,
        environment,
        sampling,
        rendering,
        thread_start: &thread.start,
        lender,
        past,
    };
    let reply = match function.answer(&request, &mut world) {
        Ok(reply) => {
            world.lend(&request, &reply);
            reply
        }
        Err(Unanswered::NoSuchFunction(_)) if message.end_of_thread => Reply::default(),
        Err(Unanswered::NoSuchFunction(_)) => return Err(no_such_function(descriptor)),
        Err(why) => return Err(Unpredictable(why.to_string())),
    };
    if let Some(forwarded) = reply.forwarded {
        if response.contains(&forwarded.register) {
            let sentence = "a forward to the register of its own acknowledgement";
            return Err(Unpredictable(sentence.to_owned()));
        }
        let Forwarded { register, byte, data, bytes, notifies } = forwarded;
        thread.state.grf[register][byte..byte + bytes].copy_from_slice(&data[..bytes]);
        thread.written_general |= 1 << register;
        if notifies {
            thread.arrive(EventKind::ThreadNotification);
        }
    }
    write_back(thread, response.start, &reply, is_settled);
    note_written(thread, &reply);
    let sent = Sent { descriptor, extended: 0, channel_enables: enables, is_answered: true };
    thread.sent = Some(sent);
    Ok(message.end_of_thread)
}

/// Whether something takes the last message of a thread: what has surroundings and shows what came of it.
fn is_last_message_taken(thread: &Thread, descriptor: u32) -> bool {
    // Decision D-eu-last-message.
    thread.environment.is_some() && LAST_MESSAGES.contains(&(descriptor >> 24 & 0xF))
}

fn no_such_function(descriptor: u32) -> Unpredictable {
    let code = (descriptor >> 24 & 0xF) as usize;
    let target = SHARED_FUNCTIONS.get(code).copied().unwrap_or("reserved");
    Unpredictable(Unanswered::NoSuchFunction(target).to_string())
}

/// The code of Extended Math.
const EXTENDED_MATH: u32 = 1;

/// The codes of those that take the last message of a thread: Message Gateway, data port, URB.
const LAST_MESSAGES: [u32; 4] = [3, 4, 5, 6];

/// Shared functions by bits 27:24 of a descriptor.
const SHARED_FUNCTIONS: [&str; 8] = [
    "Null",
    "Extended Math",
    "Sampling Engine",
    "Message Gateway",
    "Data Port Read",
    "Data Port Write",
    "URB",
    "Thread Spawner",
];

/// The 31 bits of the descriptor.
fn descriptor(thread: &Thread, descriptor: Descriptor) -> u32 {
    match descriptor {
        Descriptor::Immediate(bits) => bits,
        Descriptor::Address => thread.element(offset_of!(State, address), 4) as u32 & 0x7FFF_FFFF,
    }
}

/// The message registers that a message consists of.
fn payload_registers(descriptor: u32, first: usize) -> Executed<Range<usize>> {
    let length = (descriptor >> 20 & 0xF) as usize;
    if length == 0 || first + length > MRF_COUNT {
        return Err(Unpredictable(format!("a message of {length} registers from m{first}")));
    }
    Ok(first..first + length)
}

/// The general registers that receive the reply.
fn response_registers(
    thread: &Thread,
    descriptor: u32,
    instruction: &Instruction,
) -> Executed<Range<usize>> {
    let length = (descriptor >> 16 & 0xF) as usize;
    let refuse = |why: &str| Err(Unpredictable(format!("a reply of {length} registers {why}")));
    match instruction.destination.register {
        register if register.is_null() => {
            if length != 0 {
                return refuse("to null");
            }
            Ok(0..0)
        }
        Register::Direct { file: RegisterFile::Grf, .. } | Register::Indirect { .. } => {
            let first = posted_destination(thread, &instruction.destination)? / REGISTER_BYTES;
            if length == 0 || length > LONGEST_REPLY || first + length > GRF_COUNT {
                return refuse(&format!("from r{first} on"));
            }
            Ok(first..first + length)
        }
        _ => refuse("to something else than a general register or null"),
    }
}

/// The byte of the general registers at which the posted destination begins; of null, the byte in its register.
fn posted_destination(thread: &Thread, destination: &Destination) -> Executed<usize> {
    let size = destination.data_type.size();
    match destination.register {
        Register::Direct { file: RegisterFile::Grf, number, subregister } => {
            Ok(usize::from(number) * REGISTER_BYTES + usize::from(subregister))
        }
        Register::Direct { subregister, .. } => Ok(subregister.into()),
        Register::Indirect { file: RegisterFile::Grf, address_subregister, offset } => {
            // Decision D-eu-posted-destination.
            let byte = thread.pointed_to(address_subregister, offset, size);
            byte.filter(|byte| byte.is_multiple_of(size)).ok_or_else(|| {
                Unpredictable("the destination of a send points to no register".to_owned())
            })
        }
        Register::Indirect { .. } => {
            Err(Unpredictable("a send whose destination is no general register".to_owned()))
        }
    }
}

/// The channel enables that travel with a message: a bit for each element of the destination region
/// whose channel is enabled, at the place of the element in the register.
fn channel_enables(thread: &Thread, instruction: &Instruction) -> Executed<u16> {
    let destination = instruction.destination;
    let subregister = posted_destination(thread, &destination)? % REGISTER_BYTES;
    let stride = match destination.region {
        DestinationRegion::Stride(stride) => usize::from(stride),
        DestinationRegion::ChannelEnable(_) => 1,
    };
    let size = destination.data_type.size();
    if ![2, 4].contains(&size) {
        return Err(Unpredictable("a send with a destination of bytes".to_owned()));
    }
    let mask = thread.mask_of_stacks(instruction, Without::Nothing);
    let mut enables = 0;
    for channel in 0..usize::from(instruction.execution_size).min(super::record::CHANNELS) {
        let byte = subregister + channel * stride * size;
        if byte + size > REGISTER_BYTES {
            let sentence = "the destination region of a send leaves its register";
            return Err(Unpredictable(sentence.to_owned()));
        }
        if mask >> channel & 1 == 1 {
            enables |= 1 << (byte / size);
        }
    }
    Ok(enables)
}

/// Writes the registers of the reply, from `first` on: the doublewords they are enabled for. A reply
/// to what is not settled is open as a whole.
pub(super) fn write_back(thread: &mut Thread, first: usize, reply: &Reply, is_settled: bool) {
    let place = |register: usize, doubleword: usize| {
        let start = offset_of!(State, grf) + REGISTER_BYTES * (first + register);
        Extent::whole(start + 4 * doubleword, 4)
    };
    let is_perhaps_kept =
        |doubleword| reply.perhaps_under.is_some_and(|enables| enables >> doubleword & 1 == 0);
    for (register, response) in reply.registers.iter().enumerate() {
        for doubleword in (0..8).filter(|n| response.enables >> n & 1 == 1) {
            let bytes = &response.bytes[4 * doubleword..][..4];
            let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
            let place = place(register, doubleword);
            let old = place.read(thread.state.image());
            let written = u64::from(reply.written_bits(register, doubleword));
            thread.write_register(place, old & !written | value & written);
            if !is_settled {
                thread.expect(place, Acceptance::Undefined);
                continue;
            }
            let mut rest = place.mask;
            for open in reply.open_at(register, doubleword) {
                thread.expect(part(place, open.mask), open.acceptance);
                rest &= !u64::from(open.mask);
            }
            if is_perhaps_kept(doubleword) {
                // Decision D-eu-reply-enables.
                thread.expect(Extent { mask: rest, ..place }, Acceptance::Or(old & rest));
            }
        }
    }
}

/// Some bits of a doubleword; a word is a place of its own, so that 16-bit numbers are compared as such.
const fn part(place: Extent, mask: u32) -> Extent {
    match mask {
        0x0000_FFFF => Extent::whole(place.offset as usize, 2),
        0xFFFF_0000 => Extent::whole(place.offset as usize + 2, 2),
        mask => Extent { mask: mask as u64, ..place },
    }
}

/// Keeps what a message wrote to memory, and what is open of it.
pub(super) fn note_written(thread: &mut Thread, reply: &Reply) {
    if let Some(launch) = &mut thread.launch {
        let written = reply.written.iter();
        launch.written.extend(written.map(|it| (it.range.clone(), it.open.is_some())));
        return;
    }
    for written in &reply.written {
        let [start, end] =
            [written.range.start, written.range.end].map(|byte| offset_of!(State, memory) + byte);
        if let Some(acceptance) = written.open {
            for first in (start..end).step_by(8) {
                let place = Extent::whole(first, (end - first).min(8));
                let mask = place.mask & written.bits;
                thread.expect(Extent { mask, ..place }, acceptance);
            }
        }
        thread.written.push(start..end);
    }
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
        return Ok(());
    }
    if register.file() != RegisterFile::Grf || message_register >= MRF_COUNT {
        return Err(Unpredictable("send takes its source from a general register".to_owned()));
    }
    let channels = usize::from(instruction.execution_size).min(super::record::CHANNELS);
    let places = thread.source_places(register, region, [data_type.size(); 2], channels)?;
    let destination = instruction.destination;
    let subregister = posted_destination(thread, &destination)? % REGISTER_BYTES;
    let stride = match destination.region {
        DestinationRegion::Stride(stride) => usize::from(stride),
        DestinationRegion::ChannelEnable(_) => 1,
    };
    let size = destination.data_type.size();
    let raw = data_type == destination.data_type && modifier == Default::default();
    let execution_type = ExecutionType::of(&[data_type]);
    let settings = Settings::of(thread.device, thread.state.control[0]);
    let start = offset_of!(State, mrf) + REGISTER_BYTES * message_register;
    let mut elements = [(0, None); super::record::CHANNELS];
    for channel in 0..channels {
        let byte = subregister + channel * stride * size;
        if byte + size > REGISTER_BYTES {
            return Err(Unpredictable("the implied move leaves its message register".to_owned()));
        }
        let bits = match places[channel] {
            Place::Byte(offset) => {
                let bits = thread.element(offset, data_type.size());
                let value = to_execution_type(bits, data_type, modifier, execution_type, &settings);
                let to = destination.data_type;
                let converted = to_destination_type(value, execution_type, to, false, &settings);
                // The first half of a compressed send may have left its reply open.
                let is_settled = thread.is_settled(Extent::whole(offset, data_type.size()));
                is_settled.then_some(if raw { bits } else { converted.bits })
            }
            _ => None,
        };
        elements[channel] = (byte, bits);
    }
    let mut reached = 0_u32;
    for &(byte, bits) in &elements[..channels] {
        let element = Extent::whole(start + byte, size);
        let bytes = ((1_u64 << size) as u32 - 1) << byte;
        match bits {
            Some(bits) => {
                thread.write_register(element, bits);
                reached |= bytes;
            }
            // Elements may lie over each other: then the last one counts.
            None => reached &= !bytes,
        }
    }
    for byte in (0..REGISTER_BYTES).filter(|byte| reached >> byte & 1 == 0) {
        thread.expect(Extent::whole(start + byte, 1), Acceptance::Undefined);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use parallax_isa::{
        Device, Expectation, Model, Outcome, Reference as _, Step,
        eu::{Case, text},
        shared::Response,
    };

    use super::*;
    use crate::{
        eu::Reference,
        shared::{OpenDoubleword, SharedFunction, World},
    };

    /// Answers a register of ones of which the second is an approximation.
    #[derive(Debug)]
    struct Approximation;

    impl SharedFunction for Approximation {
        fn answer(&self, _: &Request, _: &mut World) -> Result<Reply, Unanswered> {
            let open = OpenDoubleword::whole(0, 1, Acceptance::Ulp32(2));
            let ones = Response { bytes: [0xFF; REGISTER_BYTES], enables: 0b11 };
            Ok(Reply { registers: vec![ones], open: vec![open], ..Reply::default() })
        }
    }

    /// Answers words of ones, of which the second and third are written, and the third is a NaN.
    #[derive(Debug)]
    struct Words;

    impl SharedFunction for Words {
        fn answer(&self, _: &Request, _: &mut World) -> Result<Reply, Unanswered> {
            let open = vec![OpenDoubleword::word(0, 2, Acceptance::AnyNan16)];
            let ones = Response { bytes: [0xFF; REGISTER_BYTES], enables: 0b11 };
            Ok(Reply { registers: vec![ones], words: vec![0b110], open, ..Reply::default() })
        }
    }

    /// Has nothing to say.
    #[derive(Debug)]
    struct Refusal;

    impl SharedFunction for Refusal {
        fn answer(&self, _: &Request, _: &mut World) -> Result<Reply, Unanswered> {
            Err(Unanswered::Undefined("a surface that is not there".to_owned()))
        }
    }

    fn step(function: &'static dyn SharedFunction) -> (Step, Reference) {
        let line = "send (8) r10<1>:ud m1 r2<8;8,1>:ud 0x01110000";
        let program = text::parse(Device::G45, line).expect("it assembles").program;
        let mut state = Box::new(State::new());
        state.grf[2] = [7; REGISTER_BYTES];
        let case = Case::new(Device::G45, program.bytes().to_vec(), state, 4);
        let mut reference = Reference::new();
        reference.load(&case).expect("it loads");
        reference.thread.shared_function = Some(function);
        (reference.step(), reference)
    }

    #[test]
    fn a_function_says_what_it_accepts() {
        let (step, reference) = step(&Approximation);
        assert_eq!(step, Step::Continue);
        let start = offset_of!(State, grf) + 10 * REGISTER_BYTES;
        let extent = Extent::whole(start + 4, 4);
        let expected = Expectation { extent, acceptance: Acceptance::Ulp32(2) };
        assert_eq!(reference.expectations(), [expected]);
        let (written, rest) = reference.state().grf[10].split_at(8);
        assert_eq!((written, rest), (&[0xFF; 8][..], &[0; 24][..]));
    }

    #[test]
    fn words_are_written_one_by_one() {
        let (_, reference) = step(&Words);
        assert_eq!(reference.state().grf[10][..8], [0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0]);
        let start = offset_of!(State, grf) + 10 * REGISTER_BYTES;
        let extent = Extent::whole(start + 4, 2);
        let expected = Expectation { extent, acceptance: Acceptance::AnyNan16 };
        assert_eq!(reference.expectations(), [expected]);
    }

    #[test]
    fn a_message_without_a_reply_has_no_effect() {
        let (step, reference) = step(&Refusal);
        let why = "a surface that is not there".to_owned();
        assert_eq!(step, Step::Finished(Outcome::Undefined(why)));
        assert_eq!(reference.state().mrf, State::new().mrf);
        assert_eq!(reference.state().ip, 0);
    }
}
