//! Messages to Extended Math, legal by construction: operands are put into message registers, the
//! message is sent, and what comes back is computed with.

mod classes;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        instruction::{Compression, Descriptor, Message, Predicate},
        operand::{
            Destination, DestinationRegion, Region, Register, Source, SourceModifier,
            VerticalStride,
        },
        register::RegisterFile,
    },
};

use super::{ProgramBuilder, sends::no_source, straight::Straight, values};
use crate::{
    choices::Choices,
    corners::{float, integer},
    random::SplitMix64,
};

/// A function by its code: how many operands and results it has.
struct Function {
    code: u32,
    operands: usize,
    results: usize,
}

const fn function(code: u32, operands: usize, results: usize) -> Function {
    Function { code, operands, results }
}

const FUNCTIONS: &[Function] = &[
    function(0x1, 1, 1),
    function(0x2, 1, 1),
    function(0x3, 1, 1),
    function(0x4, 1, 1),
    function(0x5, 1, 1),
    function(0x6, 1, 1),
    function(0x7, 1, 1),
    function(0x8, 1, 2),
    function(0xA, 2, 1),
    function(0xA, 2, 1),
    function(0xB, 2, 2),
    function(0xC, 2, 1),
    function(0xD, 2, 1),
];

/// The first code of a division of integers.
const DIVISION: u32 = 0xB;

/// How many channels a message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Eight,
    /// Sixteen channels in one message.
    Wide,
    /// Sixteen channels in two messages.
    Compressed,
}

/// A descriptor with what it asks for.
#[derive(Debug, Clone, Copy)]
struct Draft {
    bits: u32,
    form: Form,
    message_length: usize,
    response_length: usize,
    is_division: bool,
}

/// One case in so many holds every class of operands.
const CLASSES_ONE_IN: u64 = 8;

/// A case of messages to Extended Math and what comes before and after them.
pub(super) fn messages(device: Device, mut choices: Choices) -> Case {
    let seed = choices.seed();
    let mut random = SplitMix64::new(seed);
    if seed.is_multiple_of(CLASSES_ONE_IN) {
        return classes::messages(device, random);
    }
    let mut state = Box::new(State::new());
    fill(&mut random, &mut state);
    let count = 3 + choices.below(8);
    let mut program = ProgramBuilder::new(device, false);
    let mut straight = Straight::new(device, &mut choices, random, &mut state);
    if straight.choices.sometimes(60) {
        // A descriptor that the address register holds: the square root of eight channels.
        let bits = 0x0111_0004 | straight.choices.word() & 0x1F0;
        state.address[..2].copy_from_slice(&[bits as u16, (bits >> 16) as u16]);
        for (known, value) in straight.addresses.iter_mut().zip(state.address).take(2) {
            *known = Some(value);
        }
    }
    let mut last_reply = None;
    for _ in 0..count {
        straight.piece();
        straight.extended_math(&mut program, &mut last_reply);
    }
    Case::new(device, program.bytes, state, 16 * count as u64)
}

/// Gives such a case other registers to start from. Its program counts on what is in the address
/// register.
pub(super) fn start_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    let (address, control) = (case.state.address, case.state.control[0]);
    case.state.take_over(&State::new(), case.device);
    fill(random, &mut case.state);
    case.state.address = address;
    classes::other_mode(control, &mut case.state);
}

/// General registers that hold operands.
const OPERANDS: usize = 40;
/// The first general register that replies go to.
const REPLIES: usize = 44;

/// Fills the registers that a program can read.
fn fill(random: &mut SplitMix64, state: &mut State) {
    values::fill(random, state);
    for register in state.grf[..OPERANDS].iter_mut().chain(&mut state.mrf) {
        let kind = random.next() & 7;
        for place in register.chunks_exact_mut(4) {
            place.copy_from_slice(&operand(random, kind).to_le_bytes());
        }
    }
}

/// An operand of a kind: corners, any binade, where functions turn over, integers.
fn operand(random: &mut SplitMix64, kind: u64) -> u32 {
    let bits = random.next();
    let (low, high) = (bits as u32, (bits >> 32) as u32);
    let near = |exponent: u32| low & 0x807F_FFFF | exponent << 23;
    match kind {
        0 => float(random),
        // Any binade.
        1 | 2 => low,
        // From 2^-7 to 2^9: angles, exponents of powers.
        3 => near(120 + high % 17),
        // Next to 1, from which logarithms and powers start.
        4 => {
            (0x3F80_0000_u32.wrapping_add_signed(low.cast_signed() >> (high & 31)))
                ^ (high & 0x8000_0000)
        }
        // Where inverses and powers end: the greatest and smallest binades, and their square roots.
        5 => near([1, 2, 62, 64, 189, 191, 252, 253, 254, 0][(high % 10) as usize]),
        6 => integer(random),
        _ => low >> (high & 31),
    }
}

impl Straight<'_, '_> {
    /// A message with what comes before and after it.
    fn extended_math(&mut self, program: &mut ProgramBuilder, last_reply: &mut Option<u8>) {
        let draft = self.math_draft();
        let room = 17 - draft.message_length;
        let first = self.choices.below(room - usize::from(draft.is_split())) as u8;
        // The second of two messages from the last register has none: that has no defined effect. Bits that
        // functions of floats do not look at decide it.
        let reaches_beyond = draft.is_split() && draft.bits & 0x190 == 0x190;
        let first = if reaches_beyond { room as u8 - 1 } else { first };
        let data_type = match (draft.form, draft.is_division) {
            (Form::Wide, _) => DataType::Uw,
            (_, true) => *self.choices.pick(&[DataType::D, DataType::Ud]),
            (_, false) => DataType::F,
        };
        // What is not moved by the message itself.
        for number in first..first + draft.message_length as u8 {
            if self.choices.sometimes(120) {
                let source = self.math_operand(data_type, 8, *last_reply);
                let to = Register::Direct { file: RegisterFile::Mrf, number, subregister: 0 };
                program.push(self.computed(Opcode::Mov, to, [source, Source::ABSENT]));
            }
        }
        let (message, reply) = self.math_message(draft, first, data_type, *last_reply);
        program.push(message);
        *last_reply = Some(reply);
        if self.choices.sometimes(80) {
            let opcode = *self.choices.pick(&[Opcode::Add, Opcode::Mul, Opcode::Mov]);
            let packed = self.reply_source(reply);
            let other = match opcode {
                Opcode::Mov => Source::ABSENT,
                _ => self.math_operand(DataType::F, 8, None),
            };
            let number = self.choices.below(OPERANDS) as u8;
            let to = Register::Direct { file: RegisterFile::Grf, number, subregister: 0 };
            program.push(self.computed(opcode, to, [packed, other]));
        }
        if self.choices.sometimes(50) {
            program.push(self.instruction());
            // What has to come right behind it.
            while let Some(pending) = self.pending.take() {
                program.push(pending);
            }
        }
    }

    fn reply_source(&mut self, number: u8) -> Source {
        Source::Register {
            register: Register::Direct { file: RegisterFile::Grf, number, subregister: 0 },
            data_type: DataType::F,
            region: Region::PACKED8,
            modifier: SourceModifier::default(),
        }
    }

    /// An instruction of eight floats or integers.
    fn computed(&mut self, opcode: Opcode, to: Register, [a, b]: [Source; 2]) -> Instruction {
        let data_type = a.data_type();
        let destination_type = if data_type.size() < 4 { DataType::Ud } else { data_type };
        Instruction {
            execution_size: 8,
            no_mask: self.choices.sometimes(200),
            destination: Destination {
                register: to,
                data_type: destination_type,
                region: DestinationRegion::Stride(1),
            },
            sources: [a, b, Source::ABSENT],
            ..Instruction::bare(opcode)
        }
    }

    /// A function, its settings and its form.
    fn math_draft(&mut self) -> Draft {
        self.math_draft_of(None)
    }

    /// The same in a form.
    fn math_draft_of(&mut self, form: Option<Form>) -> Draft {
        let function = self.choices.pick(FUNCTIONS);
        let is_division = function.code >= DIVISION;
        let is_single = function.operands == 1 && function.results == 1;
        let has_wide = self.device.generation() > Some(Generation::Gen4);
        let form = form.unwrap_or_else(|| match self.choices.byte() {
            0..=40 if is_single && has_wide => Form::Wide,
            41..=100 if is_single => Form::Compressed,
            _ => Form::Eight,
        });
        let lengths = match form {
            Form::Wide => (2, 2),
            Form::Compressed => (1, 1),
            Form::Eight => (function.operands, function.results),
        };
        let mut settings = self.choices.word() & 0x1F0;
        if is_division || self.choices.sometimes(120) {
            settings &= !(1 << 6);
        }
        let (message_length, response_length) = lengths;
        let lengths = (message_length << 20 | response_length << 16) as u32;
        let bits = 1 << 24 | lengths | settings | function.code;
        Draft { bits, form, message_length, response_length, is_division }
    }

    /// A descriptor for a shared function that takes any message.
    pub(super) fn math_descriptor(&mut self) -> (u32, usize, usize) {
        let draft = self.math_draft_of(Some(Form::Eight));
        (draft.bits, draft.message_length, draft.response_length)
    }

    /// The message, and the first register of its reply.
    fn math_message(
        &mut self,
        draft: Draft,
        first: u8,
        data_type: DataType,
        last_reply: Option<u8>,
    ) -> (Instruction, u8) {
        let execution_size = match draft.form {
            Form::Eight => *self.choices.pick(&[8, 8, 8, 8, 8, 8, 4, 2, 1]),
            Form::Wide | Form::Compressed => 16,
        };
        let is_narrow = execution_size < 8;
        // Fewer channels than eight leave the rest of a moved register open.
        let moves = draft.form != Form::Wide && !is_narrow && self.choices.sometimes(150);
        let source = match moves {
            false => no_source(self.choices, data_type, execution_size),
            true => self.math_operand(data_type, execution_size.min(8), last_reply),
        };
        let source = if draft.is_split() { evened(source) } else { source };
        let reply = match self.choices.byte() {
            // Where its operands were.
            0..=30 => self.choices.below(OPERANDS / 2) * 2,
            31..=50 => 128 - 2 * draft.response_length,
            _ => REPLIES + self.choices.below(8) * 2,
        } as u8;
        let bytes = usize::from(execution_size) * data_type.size();
        let subregister = if is_narrow { self.choices.below(32 / bytes) * bytes } else { 0 } as u8;
        let predicate = match self.predicate(Opcode::Send, false) {
            _ if is_narrow => Predicate::default(),
            predicate => predicate,
        };
        let descriptor = match [self.addresses[0], self.addresses[1]] {
            [Some(low), Some(high)]
                if draft.form == Form::Eight
                    && draft.bits & 0x00FF_000F == 0x0011_0004
                    && (u32::from(high) << 16 | u32::from(low)) & 0xFFFF_FE0F == 0x0111_0004 =>
            {
                Descriptor::Address
            }
            _ => Descriptor::Immediate(draft.bits),
        };
        let message = Instruction {
            execution_size,
            no_mask: self.choices.sometimes(80),
            compression: match draft.form {
                Form::Compressed => Compression::Compressed,
                Form::Eight if execution_size == 8 && self.choices.sometimes(50) => {
                    Compression::SecHalf
                }
                _ => Compression::None,
            },
            predicate,
            flag_subregister: u8::from(self.choices.sometimes(80)),
            destination: Destination {
                register: Register::Direct { file: RegisterFile::Grf, number: reply, subregister },
                data_type,
                region: DestinationRegion::Stride(1),
            },
            sources: [source, Source::null(DataType::Ud), Source::ABSENT],
            message: Some(Message::of_registers(first, descriptor, false)),
            ..Instruction::bare(Opcode::Send)
        };
        (message, reply)
    }

    /// A register of operands, or the last reply; a whole one or one number of it.
    fn math_operand(&mut self, data_type: DataType, width: u8, last_reply: Option<u8>) -> Source {
        let number = match last_reply {
            Some(reply) if self.choices.sometimes(90) => reply,
            _ => self.choices.below(OPERANDS) as u8,
        };
        let data_type = if data_type.size() < 4 { DataType::F } else { data_type };
        let is_scalar = self.choices.sometimes(40);
        let subregister = if is_scalar { 4 * self.choices.below(8) as u8 } else { 0 };
        let region = |vertical, width, horizontal| Region::Align1 {
            vertical: VerticalStride::Elements(vertical),
            width,
            horizontal,
        };
        let region = match is_scalar {
            true => Region::SCALAR,
            // Elements that come several times, which no register has one after the other.
            false if width == 8 && self.choices.sometimes(12) => {
                let &(vertical, width, horizontal) =
                    self.choices.pick(&[(8, 8, 0), (4, 4, 0), (0, 4, 1)]);
                region(vertical, width, horizontal)
            }
            false => region(width, width, 1),
        };
        Source::Register {
            register: Register::Direct { file: RegisterFile::Grf, number, subregister },
            data_type,
            region,
            modifier: SourceModifier {
                absolute: self.choices.sometimes(20),
                negate: self.choices.sometimes(20),
            },
        }
    }
}

impl Draft {
    fn is_split(self) -> bool {
        self.form == Form::Compressed
    }
}

/// A source of a compressed instruction: from a register of an even number on, unless it is one number.
fn evened(source: Source) -> Source {
    let Source::Register {
        register: Register::Direct { file: RegisterFile::Grf, number, subregister },
        data_type,
        region,
        modifier,
    } = source
    else {
        return source;
    };
    let number = if region == Region::SCALAR { number } else { number & !1 };
    let register = Register::Direct { file: RegisterFile::Grf, number, subregister };
    Source::Register { register, data_type, region, modifier }
}
