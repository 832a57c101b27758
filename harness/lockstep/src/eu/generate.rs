//! Bytes to a legal case: programs that break no restriction of the manual, on registers weighted
//! to the corners.

mod combinations;
mod data;
mod data_port;
mod extended_math;
pub(super) mod kernel_text;
mod kernels;
pub(super) mod later;
mod message_draft;
mod operands;
mod overlap;
mod render_target;
mod rendering;
mod sampler;
mod sends;
mod shape;
mod shapes;
pub(super) mod straight;
#[cfg(any(test, feature = "proptest"))]
pub mod strategy;
mod surfaces;
mod urb_gateway;
pub(super) mod values;
mod weights;
mod within;

use std::sync::LazyLock;

use parallax_isa::{
    Device,
    device::{Feature, Generation},
    eu::{
        Case, DataType, Instruction, Opcode, State,
        decode::NATIVE_BYTES,
        encode::{EncodeError, encode, encode_shortest},
        instruction::{Descriptor, ExtendedDescriptor, Message},
        operand::{Destination, DestinationRegion, Region, Register, Source, SourceModifier},
        register::RegisterFile,
    },
    shared::SharedFunctions,
};

pub use self::overlap::overlapping;
use self::straight::Straight;
pub(in crate::eu) use self::{shape::Has, within::Operations};
use crate::{choices::Choices, random::SplitMix64};

/// Most instructions of a straight-line program.
const LONGEST: usize = 64;

/// Bytes that are enough for any case.
pub const BYTES: usize = 4096;

/// A straight-line case of Gen12 with `dp4a`, which its document does not list.
#[must_use]
pub fn with_dp4a(bytes: &[u8]) -> Case {
    later::with_dp4a(bytes)
}

/// A straight-line case for a device.
#[must_use]
pub fn straight_line(device: Device, bytes: &[u8]) -> Case {
    straight_line_by(device, Choices::new(bytes))
}

/// The same by any choices.
#[must_use]
pub fn straight_line_by(device: Device, mut choices: Choices) -> Case {
    if Device::LATER.contains(&device) {
        return later::straight_line(device, choices);
    }
    let mut random = SplitMix64::new(choices.seed());
    let mut state = start(&mut random);
    let count = 8 + choices.below(LONGEST - 8);
    let mut program =
        ProgramBuilder::new(device, device.has(Feature::Compaction) && choices.sometimes(64));
    let mut straight = Straight::new(device, &mut choices, random, &mut state);
    for _ in 0..count {
        program.push(straight.instruction());
    }
    if straight.choices.sometimes(40) {
        let send = end_of_thread(device, straight.choices);
        program.push(send);
    }
    let mut case = Case::new(device, program.bytes, state, 2 * LONGEST as u64);
    case.surroundings.shared_functions = SharedFunctions::Loopback;
    case
}

/// Registers that straight-line code before Gen7 starts from.
fn start(random: &mut SplitMix64) -> Box<State> {
    let mut state = Box::new(State::new());
    values::fill(random, &mut state);
    values::let_meet(&mut state);
    values::suit_float_mode(&mut state);
    state
}

/// Messages to shared functions with what prepares them: to Extended Math and to the data port, on a
/// device of Gen7 or later to those that have memory.
#[must_use]
pub fn messages(device: Device, bytes: &[u8]) -> Case {
    messages_by(device, Choices::new(bytes))
}

/// The same by any choices.
#[must_use]
pub fn messages_by(device: Device, mut choices: Choices) -> Case {
    if Device::LATER.contains(&device) {
        return later::messages(device, choices);
    }
    match choices.byte() & 3 {
        0 => extended_math::messages(device, choices),
        _ => data_port::messages(device, choices),
    }
}

/// Messages to Extended Math of a device before Gen7.
#[must_use]
pub fn math_messages(device: Device, bytes: &[u8]) -> Case {
    extended_math::messages(device, Choices::new(bytes))
}

/// Messages to the data port of a device before Gen7.
#[must_use]
pub fn data_port_messages(device: Device, bytes: &[u8]) -> Case {
    data_port::messages(device, Choices::new(bytes))
}

/// Messages to the Sampling Engine of a device before Gen7.
#[must_use]
pub fn sampler_messages(device: Device, bytes: &[u8]) -> Case {
    if Device::LATER.contains(&device) {
        return later::sampler::messages(device, bytes);
    }
    sampler::messages(device, bytes)
}

/// Gives a case of messages to the Sampling Engine other texels to start from.
pub fn sampler_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    if Device::LATER.contains(&case.device) {
        return later::sampler::start_elsewhere(random, case);
    }
    sampler::start_elsewhere(random, case);
}

/// Typed surface messages and render target messages of a device of Gen7 or later.
#[must_use]
pub fn target_messages(device: Device, bytes: &[u8]) -> Case {
    later::targets::messages(device, bytes)
}

/// Gives a case of them other texels to start from.
pub fn targets_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    later::targets::start_elsewhere(random, case);
}

/// Render target writes of a device before Gen7, and what they meet.
#[must_use]
pub fn render_target_messages(device: Device, bytes: &[u8]) -> Case {
    data_port::render_targets(device, Choices::new(bytes))
}

/// Programs of several messages that build on each other, of a device before Gen7.
#[must_use]
pub fn kernels(device: Device, bytes: &[u8]) -> Case {
    kernels::kernel(device, bytes)
}

/// Gives such a case other registers and other memory to start from.
pub fn kernels_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    kernels::start_elsewhere(random, case);
}

/// Gives a case of messages other registers to start from.
pub fn messages_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    if Device::LATER.contains(&case.device) {
        return later::start_elsewhere(random, case);
    }
    match case.surroundings.shared_functions.environment() {
        Some(_) => data_port::start_elsewhere(random, case),
        None => extended_math::start_elsewhere(random, case),
    }
}

/// Starts of a straight-line program: decoding it costs as much as running it a few times.
pub const STARTS: usize = 4;

/// Gives a straight-line case other registers to start from. Its program counts on what is in the
/// address register.
pub fn start_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    if Device::LATER.contains(&case.device) {
        return later::start_elsewhere(random, case);
    }
    static NEW: LazyLock<Box<State>> = LazyLock::new(|| Box::new(State::new()));
    let address = case.state.address;
    case.state.take_over(&NEW, case.device);
    values::fill(random, &mut case.state);
    values::let_meet(&mut case.state);
    values::suit_float_mode(&mut case.state);
    case.state.address = address;
}

/// A case for a device that is chosen too.
#[must_use]
pub fn any_straight_line(mut choices: Choices) -> Case {
    let device = *choices.pick(&Device::EU);
    straight_line_by(device, choices)
}

/// A program being put together.
pub(super) struct ProgramBuilder {
    device: Device,
    /// Whether instructions are compacted where they can be.
    compacting: bool,
    /// Whether full instructions start at multiples of 16 bytes.
    aligned: bool,
    pub(super) bytes: Vec<u8>,
}

impl ProgramBuilder {
    pub(super) fn new(device: Device, compacting: bool) -> Self {
        Self { device, compacting, aligned: true, bytes: Vec::with_capacity(16 * (LONGEST + 1)) }
    }

    /// A program of Gen7 or later, in which instructions stand back to back.
    pub(in crate::eu) fn unaligned(device: Device, compacting: bool) -> Self {
        Self { aligned: false, ..Self::new(device, compacting) }
    }

    /// Appends an instruction; a full one after a compact one is aligned with a compact `nenop`.
    ///
    /// # Panics
    /// If the instruction has no machine code: generators make none that has not.
    pub(super) fn push(&mut self, instruction: Instruction) {
        let code = if self.compacting {
            generated(&instruction, encode_shortest(self.device, &instruction))
        } else {
            self.code(&instruction)
        };
        if code.len() == NATIVE_BYTES {
            self.align();
        }
        self.bytes.extend(code);
    }

    /// Appends an instruction in its full size.
    pub(super) fn push_full(&mut self, instruction: Instruction) {
        self.align();
        self.bytes.extend(self.code(&instruction));
    }

    /// Puts another instruction of full size in the place of one.
    pub(super) fn replace(&mut self, offset: usize, instruction: Instruction) {
        let code = self.code(&instruction);
        self.bytes[offset..offset + code.len()].copy_from_slice(&code);
    }

    /// Fills the second half of a slot with a compact `nenop`, so that the next instruction starts
    /// a slot.
    pub(super) fn align(&mut self) {
        if self.aligned && !self.bytes.len().is_multiple_of(16) {
            let padding = Instruction { compact: true, ..Instruction::bare(Opcode::Nenop) };
            self.bytes.extend(self.code(&padding));
        }
    }

    fn code(&self, instruction: &Instruction) -> Vec<u8> {
        generated(instruction, encode(self.device, instruction))
    }
}

/// The machine code of a generated instruction: there always is one.
fn generated(instruction: &Instruction, code: Result<Vec<u8>, EncodeError>) -> Vec<u8> {
    code.unwrap_or_else(|error| panic!("generated {instruction:?}: {error}"))
}

/// A last message.
pub(super) fn end_of_thread(device: Device, choices: &mut Choices) -> Instruction {
    match Device::GEN4.contains(&device) {
        true => last_pixels(choices),
        false => end_at_thread_spawner(device, choices),
    }
}

/// A last message to the data port, with or without an implied move.
fn last_pixels(choices: &mut Choices) -> Instruction {
    let source = if choices.sometimes(128) {
        Source::null(DataType::Ud)
    } else {
        Source::Register {
            register: Register::Direct {
                file: RegisterFile::Grf,
                number: choices.byte() & 0x7F,
                subregister: 0,
            },
            data_type: *choices.pick(&[DataType::Ud, DataType::F, DataType::D]),
            region: Region::PACKED8,
            modifier: SourceModifier::default(),
        }
    };
    let first = choices.below(12) as u8;
    Instruction {
        execution_size: 8,
        destination: Destination {
            register: Register::NULL,
            data_type: match source.data_type() {
                DataType::F => DataType::F,
                _ => DataType::Ud,
            },
            region: DestinationRegion::Stride(1),
        },
        sources: [source, Source::null(DataType::Ud), Source::ABSENT],
        message: Some(Message::of_registers(
            first,
            // Pixels to the data port, four registers long, without a reply.
            Descriptor::Immediate(5 << 24 | 4 << 20 | 4 << 12 | 4 << 8),
            true,
        )),
        ..Instruction::bare(Opcode::Send)
    }
}

/// A last message to the thread spawner, from Gen7 on.
fn end_at_thread_spawner(device: Device, choices: &mut Choices) -> Instruction {
    let number = 112 + (choices.byte() & 15);
    let of = |register| Source::Register {
        register,
        data_type: DataType::Ud,
        region: Region::PACKED8,
        modifier: SourceModifier::default(),
    };
    let payload = of(Register::Direct { file: RegisterFile::Grf, number, subregister: 0 });
    // Messages of Gen12 have a second payload always, which may be none.
    let has_two = device.generation() >= Some(Generation::Gen12);
    // On Gen9 that is an instruction of its own.
    let splits = device.generation() == Some(Generation::Gen9) && choices.sometimes(80);
    let second = if has_two || splits { of(Register::NULL) } else { Source::ABSENT };
    Instruction {
        execution_size: 8,
        no_mask: choices.sometimes(128),
        destination: Destination::null(DataType::Ud),
        sources: [payload, second, Source::ABSENT],
        message: Some(Message {
            current_destination: 0,
            descriptor: Descriptor::Immediate(1 << 25 | 0x10),
            shared_function: 7,
            extended: ExtendedDescriptor::Immediate(0),
            fusion_control: false,
            end_of_thread: true,
        }),
        ..Instruction::bare(if splits { Opcode::Sends } else { Opcode::Send })
    }
}

/// What legality finds in a case that is to be legal. What nothing or the loopback function answers may have
/// any descriptor, and a few other messages are not what the device takes, ask for another reply than there is, or
/// end a thread that they cannot end.
#[cfg(test)]
pub(super) fn mistakes(case: &Case) -> Vec<parallax_isa::eu::legality::Finding> {
    use parallax_isa::eu::{legality::program, program::Program};
    use parallax_spec::Severity;
    let program = Program::decode(case.device, &case.program).expect("it was encoded");
    let meant: &[&str] = match case.surroundings.shared_functions.environment() {
        None => &[
            "g45.dataport.",
            "g45.smsg.",
            "g45.gateway.",
            "g45.urb.",
            "g45.msg.error.",
            // The second of two messages from the last register.
            "g45.inst.send.compression",
        ],
        Some(_) => &[
            "g45.dataport.commit.response-length",
            "g45.dataport.eot.general",
            "g45.dataport.rt.dual.devices",
            "g45.dataport.rtw.desc.type",
            "g45.dataport.svb.no-eot",
            "g45.gateway.desc.ackreq-rules",
            "g45.msg.error.rlen-check",
            "g45.smsg.desc.bad",
            "g45.smsg.killpix.simd",
            "g45.smsg.wb.simd8-rlen",
        ],
    };
    let is_meant = |id: &str| meant.iter().any(|start| id.starts_with(start));
    let mut findings = program::check(&program);
    findings.retain(|finding| {
        let violation = &finding.violation;
        violation.severity() == Severity::Illegal && !is_meant(violation.rule.rule().id)
    });
    findings
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use parallax_isa::eu::program::Program;

    use super::*;

    fn bytes(seed: u64) -> Vec<u8> {
        let mut bytes = vec![0; BYTES];
        SplitMix64::new(seed).fill(&mut bytes);
        bytes
    }

    #[test]
    fn generated_programs_are_legal() {
        let mut broken: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for device in Device::GEN4 {
            for seed in 0..400 {
                let case = straight_line(device, &bytes(seed));
                let program = Program::decode(device, &case.program).unwrap();
                for finding in mistakes(&case) {
                    let instruction = program.instructions()[finding.index].instruction;
                    let entry = broken
                        .entry(format!("{} {device}", finding.violation.rule))
                        .or_insert((0, format!("{}: {instruction:?}", finding.violation.message)));
                    entry.0 += 1;
                }
            }
        }
        assert!(broken.is_empty(), "{broken:#?}");
    }

    #[test]
    fn generated_messages_are_legal() {
        for device in Device::GEN4 {
            for seed in 0..400 {
                let case = messages(device, &bytes(seed));
                let program = Program::decode(device, &case.program).unwrap();
                let findings = mistakes(&case);
                let instruction = findings
                    .first()
                    .map(|finding| &program.instructions()[finding.index].instruction);
                assert!(findings.is_empty(), "{device} {seed}: {findings:?} {instruction:?}");
            }
        }
    }

    #[test]
    fn generated_kernels_are_legal() {
        for device in Device::GEN4 {
            for seed in 0..400 {
                let findings = mistakes(&kernels(device, &bytes(seed)));
                assert!(findings.is_empty(), "{device} {seed}: {findings:?}");
            }
        }
    }

    #[test]
    fn the_same_bytes_give_the_same_case() {
        assert!(straight_line(Device::G45, &bytes(7)) == straight_line(Device::G45, &bytes(7)));
        assert!(straight_line(Device::G45, &bytes(7)) != straight_line(Device::G45, &bytes(8)));
    }

    #[test]
    fn few_bytes_and_none_give_cases_too() {
        for length in 0..64 {
            let case = any_straight_line(Choices::new(&bytes(1)[..length]));
            assert!(Program::decode(case.device, &case.program).is_ok());
        }
    }
}
