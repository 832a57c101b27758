//! Messages that hold every class of operands, each with each where a function has two: what the tables of
//! special values say is met in the first cases, not by luck.

use parallax_isa::{
    Device,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        instruction::{Descriptor, Message},
        operand::{Destination, DestinationRegion, Region, Register, Source, SourceModifier},
        state::control::ALTERNATIVE_FLOAT_MODE,
    },
};

use super::super::{
    ProgramBuilder,
    data_port::{general, immediate, message, packed, unmasked},
    values::{self, CLASSES, of_every_class},
};
use crate::random::SplitMix64;

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
        program.builder.push(unmasked(1, place(n), immediate(bits)));
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
            let all = packed(general(NUMBERS + half, 0));
            self.builder.push(unmasked(8, message(1, 0), all));
            for (function, results) in OF_ONE {
                self.send(function, 1, results);
            }
            for second in 0..CLASSES {
                self.builder.push(unmasked(8, message(2, 0), number(second)));
                self.send(POWER, 2, 1);
            }
        }
    }

    /// One number each: two functions of one number and four second operands, from some place on.
    fn scalars(&mut self, from: usize) {
        for first in 0..CLASSES {
            self.builder.push(unmasked(8, message(1, 0), number(first)));
            for n in 0..2 {
                let (function, results) = OF_ONE[(from + n) % OF_ONE.len()];
                self.send(function, 1, results);
            }
            for n in 0..4 {
                self.builder.push(unmasked(8, message(2, 0), number((from + n) % CLASSES)));
                self.send(POWER, 2, 1);
            }
        }
    }

    fn send(&mut self, function: u32, operands: u32, results: u32) {
        let bits = 1 << 24 | operands << 20 | results << 16 | self.settings | function;
        let reply = REPLIES + 2 * (self.sent % 32);
        self.sent = self.sent.wrapping_add(1);
        self.builder.push(Instruction {
            execution_size: 8,
            no_mask: true,
            destination: Destination {
                register: general(reply, 0),
                data_type: DataType::F,
                region: DestinationRegion::Stride(1),
            },
            sources: [Source::null(DataType::F), Source::null(DataType::Ud), Source::ABSENT],
            message: Some(Message::of_registers(1, Descriptor::Immediate(bits), false)),
            ..Instruction::bare(Opcode::Send)
        });
    }
}

/// One of the numbers, for all channels.
fn number(n: usize) -> Source {
    let modifier = SourceModifier::default();
    let (register, region) = (place(n), Region::SCALAR);
    Source::Register { register, data_type: DataType::Ud, region, modifier }
}

/// Where one of the numbers stands.
fn place(n: usize) -> Register {
    general(NUMBERS + n as u8 / 8, 4 * (n as u8 % 8))
}

#[cfg(test)]
mod tests {
    use parallax_executor::eu::Executor;
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
        coverage::drop_marks();
        let _ = coverage::take();
        for seed in 0..cases {
            let mut case = messages(Device::G45, SplitMix64::new(seed));
            for _ in 0..2 {
                let verdict =
                    lockstep::<Eu>(&mut crate::eu::reference(), &mut Executor::new(), &case);
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
