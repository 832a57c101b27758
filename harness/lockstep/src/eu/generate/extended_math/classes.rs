//! Messages that hold every class of operands, each with each where a function has two: what the tables of
//! special values say is met in the first cases, not by luck.

use parallax_isa::{
    Device,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        instruction::{Descriptor, Message},
        operand::{Destination, DestinationRegion, Region, Register, Source, SourceModifier},
        register::RegisterFile,
        state::control::ALTERNATIVE_FLOAT_MODE,
    },
};

use super::super::{ProgramBuilder, values};
use crate::random::SplitMix64;

/// Numbers of every class: so many.
pub(in crate::eu::generate) const CLASSES: usize = 16;

/// A number of every class that a table of special values has.
pub(in crate::eu::generate) fn of_every_class(random: &mut SplitMix64) -> [u32; CLASSES] {
    const SIGN: u32 = 1 << 31;
    let mut bits = |below: u64| random.below(below) as u32;
    let fraction = 1 << 23;
    let denormals = [1 + bits(fraction - 1), SIGN | (1 + bits(fraction - 1))];
    // Between 2^-16 and 1, and from 2 to 2^16.
    let small = [0, SIGN].map(|sign| sign | ((111 + bits(16)) << 23) | bits(fraction));
    let large = [0, SIGN].map(|sign| sign | ((128 + bits(15)) << 23) | bits(fraction));
    let integer = (2.0 + bits(30) as f32).to_bits();
    let nans = [0x7FC0_0000 | bits(1 << 22), 0x7F80_0001 + bits(1 << 22)];
    let ones = [1.0_f32, -1.0].map(f32::to_bits);
    let infinities = [0x7F80_0000, 0xFF80_0000];
    let integers = [integer, SIGN | integer];
    let pairs = [infinities, [0, SIGN], denormals, ones, small, large, nans, integers];
    std::array::from_fn(|n| pairs[n / 2][n % 2])
}

/// The registers that the numbers stand in, and the first that replies go to.
const NUMBERS: u8 = 2;
const REPLIES: u8 = 16;

/// Functions of one number, with how many registers of results they have; and of two.
const OF_ONE: [(u32, u32); 8] =
    [(0x1, 1), (0x2, 1), (0x3, 1), (0x4, 1), (0x5, 1), (0x6, 1), (0x7, 1), (0x8, 2)];
const POWER: u32 = 0xA;

/// Partial precision, and data of which a message has one number for four channels.
const PARTIAL: u32 = 1 << 5;
const SCALAR: u32 = 1 << 7;

/// A case of every class. Its program loads the numbers itself, so that other starts are of use too.
pub(super) fn messages(device: Device, mut random: SplitMix64) -> Case {
    let mut state = Box::new(State::new());
    values::fill(&mut random, &mut state);
    let mut program = Program { builder: ProgramBuilder::new(device, false), settings: 0, sent: 0 };
    for (n, bits) in of_every_class(&mut random).into_iter().enumerate() {
        let to = register(RegisterFile::Grf, NUMBERS + n as u8 / 8, 4 * (n as u8 % 8));
        let number = Source::Immediate { data_type: DataType::Ud, bits: bits.into() };
        program.moved(1, to, number);
    }
    let kind = random.next();
    if kind & 1 == 0 {
        program.settings |= PARTIAL;
    }
    if kind & 2 == 0 {
        program.vectors();
    } else {
        program.settings |= SCALAR;
        program.scalars((kind >> 8) as usize);
    }
    let bytes = program.builder.bytes;
    let steps = 2 * bytes.len() as u64 / 16;
    Case::new(device, bytes, state, steps)
}

/// Gives a start the other float mode than the one before had.
pub(super) fn other_mode(before: u32, state: &mut State) {
    let other = !before & ALTERNATIVE_FLOAT_MODE;
    state.control[0] = state.control[0] & !ALTERNATIVE_FLOAT_MODE | other;
}

/// A program in the making.
struct Program {
    builder: ProgramBuilder,
    /// Bits of descriptors beside the function.
    settings: u32,
    sent: u8,
}

impl Program {
    /// Eight numbers each: all to functions of one, with every second one to the power.
    fn vectors(&mut self) {
        for half in 0..2 {
            let all = packed(NUMBERS + half);
            self.moved(8, message_register(1), all);
            for (function, results) in OF_ONE {
                self.send(function, 1, results);
            }
            for second in 0..CLASSES {
                self.moved(8, message_register(2), number(second));
                self.send(POWER, 2, 1);
            }
        }
    }

    /// One number each: two functions of one number and four second operands, from some place on.
    fn scalars(&mut self, from: usize) {
        for first in 0..CLASSES {
            self.moved(8, message_register(1), number(first));
            for n in 0..2 {
                let (function, results) = OF_ONE[(from + n) % OF_ONE.len()];
                self.send(function, 1, results);
            }
            for n in 0..4 {
                self.moved(8, message_register(2), number((from + n) % CLASSES));
                self.send(POWER, 2, 1);
            }
        }
    }

    fn moved(&mut self, channels: u8, register: Register, from: Source) {
        self.builder.push(Instruction {
            execution_size: channels,
            no_mask: true,
            destination: Destination {
                register,
                data_type: DataType::Ud,
                region: DestinationRegion::Stride(1),
            },
            sources: [from, Source::ABSENT, Source::ABSENT],
            ..Instruction::bare(Opcode::Mov)
        });
    }

    fn send(&mut self, function: u32, operands: u32, results: u32) {
        let bits = 1 << 24 | operands << 20 | results << 16 | self.settings | function;
        let reply = REPLIES + 2 * (self.sent % 32);
        self.sent = self.sent.wrapping_add(1);
        self.builder.push(Instruction {
            execution_size: 8,
            no_mask: true,
            destination: Destination {
                register: register(RegisterFile::Grf, reply, 0),
                data_type: DataType::F,
                region: DestinationRegion::Stride(1),
            },
            sources: [Source::null(DataType::F), Source::null(DataType::Ud), Source::ABSENT],
            message: Some(Message::of_registers(1, Descriptor::Immediate(bits), false)),
            ..Instruction::bare(Opcode::Send)
        });
    }
}

const fn register(file: RegisterFile, number: u8, subregister: u8) -> Register {
    Register::Direct { file, number, subregister }
}

const fn message_register(number: u8) -> Register {
    register(RegisterFile::Mrf, number, 0)
}

/// A register of numbers.
fn packed(number: u8) -> Source {
    source(register(RegisterFile::Grf, number, 0), Region::PACKED8)
}

/// One of the numbers.
fn number(n: usize) -> Source {
    let n = n as u8;
    source(register(RegisterFile::Grf, NUMBERS + n / 8, 4 * (n % 8)), Region::SCALAR)
}

fn source(register: Register, region: Region) -> Source {
    let modifier = SourceModifier::default();
    Source::Register { register, data_type: DataType::Ud, region, modifier }
}

#[cfg(test)]
mod tests {
    use parallax_executor::eu::Executor;
    use parallax_reference::eu::Reference;
    use parallax_spec::{Level, RuleId, coverage};

    use super::*;
    use crate::{
        eu::Eu,
        lockstep::{Verdict, lockstep},
    };

    /// Rules of a function's result for classes of operands in one mode. Those of one negative number are
    /// mostly accepted within some units.
    fn special() -> Vec<RuleId> {
        let is_special = |rule: &RuleId| {
            let rule = rule.rule();
            let has_mode = [".ieee.", ".alt."].iter().any(|mode| rule.id.contains(mode));
            let is_open = rule.id.ends_with(".mfin") && !rule.id.contains(".pow.");
            rule.id.starts_with("g45.extmath.") && has_mode && !is_open && rule.level == Level::Must
        };
        RuleId::all().filter(is_special).collect()
    }

    /// Those that no exact comparison depends on in so many cases.
    fn not_met(cases: u64, messages: fn(Device, SplitMix64) -> Case) -> Vec<RuleId> {
        coverage::discard();
        let _ = coverage::take();
        for seed in 0..cases {
            let mut case = messages(Device::G45, SplitMix64::new(seed));
            for _ in 0..2 {
                let verdict = lockstep::<Eu>(&mut Reference::new(), &mut Executor::new(), &case);
                assert!(matches!(verdict, Verdict::Agreed(_)), "{seed}: {verdict:?}");
                let control = case.state.control[0];
                other_mode(control, &mut case.state);
            }
        }
        let met = coverage::take();
        special().into_iter().filter(|rule| met.hits(*rule) == 0).collect()
    }

    #[test]
    fn few_cases_meet_every_special_value() {
        assert!(special().len() > 130, "{}", special().len());
        assert_eq!(not_met(4, messages), []);
        // Those of one number for four channels do by themselves.
        let scalars = |device, random| {
            let of_scalars = |bytes: &Case| bytes.program.len() / 16 > 150;
            let mut random: SplitMix64 = random;
            std::iter::repeat_with(|| messages(device, SplitMix64::new(random.next())))
                .find(of_scalars)
                .expect("one of two")
        };
        assert_eq!(not_met(24, scalars), []);
    }
}
