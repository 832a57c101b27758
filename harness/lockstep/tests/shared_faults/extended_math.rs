//! Faults of messages to Extended Math: descriptors taken for others, results that are a little or wholly
//! wrong, channels that are none.

use parallax_isa::{
    Device,
    eu::{
        DataType, Instruction, State,
        instruction::{Compression, Predicate},
        operand::{Register, Source, SourceModifier},
        register::RegisterFile,
    },
};
use parallax_lockstep::eu::generate;

use super::{
    Eu, Fault, disturb,
    early_messages::{self, reply},
    rewrite,
};
use crate::fault_injection::{Family, all_are_found};

const fn messages(name: &'static str, device: Device, faults: &'static [Fault<Eu>]) -> Family<Eu> {
    Family { name, device, generate: generate::math_messages, bytes: generate::BYTES, faults }
}

static MESSAGES: Family<Eu> = messages("Extended Math", Device::G45, MESSAGE_FAULTS);
static EARLY: Family<Eu> = messages("Extended Math of Gen4", Device::Bw, EARLY_FAULTS);
static VALUES: Family<Eu> = messages("values of Extended Math", Device::G45, VALUE_FAULTS);

#[test]
fn faults_of_messages_to_extended_math_are_found() {
    all_are_found(&MESSAGES);
    all_are_found(&EARLY);
}

#[test]
fn faults_of_results_of_extended_math_are_found() {
    all_are_found(&VALUES);
}

const MESSAGE_FAULTS: &[Fault<Eu>] = &[
    rewrite("INV taken for RSQ", |i| code_as(i, 0x1, 0x5)),
    rewrite("LOG taken for EXP", |i| code_as(i, 0x2, 0x3)),
    rewrite("EXP taken for LOG", |i| code_as(i, 0x3, 0x2)),
    rewrite("SQRT taken for RSQ", |i| code_as(i, 0x4, 0x5)),
    rewrite("SIN taken for COS", |i| code_as(i, 0x6, 0x7)),
    rewrite("COS taken for SIN", |i| code_as(i, 0x7, 0x6)),
    rewrite("a quotient taken for a remainder", |i| code_as(i, 0xC, 0xD)),
    rewrite("a remainder taken for a quotient", |i| code_as(i, 0xD, 0xC)),
    rewrite("scalars taken for vectors", |i| bit_as(i, 7, true)),
    rewrite("vectors taken for scalars", |i| bit_as(i, 7, false)),
    rewrite("saturation forgotten", |i| bit_as(i, 6, true)),
    rewrite("saturation that nobody asked for", |i| {
        with(i, |bits| (bits & 0xF < 0xB && bits >> 6 & 1 == 0).then_some(bits ^ 1 << 6))
    }),
    rewrite("a signed division taken for an unsigned one", |i| bit_as(i, 4, true)),
    rewrite("an unsigned division taken for a signed one", |i| bit_as(i, 4, false)),
    rewrite("sixteen channels taken for eight", |i| {
        with(i, |bits| {
            (bits >> 16 & 0xFF == 0x22 && bits & 0xF < 8)
                .then_some(bits & !0x00FF_0000 | 0x0011_0000)
        })
    }),
    rewrite("the predicate lost", |i| {
        is_math(i)?;
        (i.predicate != Predicate::default()).then(|| i.predicate = Predicate::default())
    }),
    rewrite("not masked", |i| {
        is_math(i)?;
        (!i.no_mask).then(|| i.no_mask = true)
    }),
    rewrite("the other flag", |i| {
        is_math(i)?;
        (i.predicate != Predicate::default()).then(|| i.flag_subregister ^= 1)
    }),
    rewrite("the second half taken for the first", |i| {
        is_math(i)?;
        (i.compression == Compression::SecHalf).then(|| i.compression = Compression::None)
    }),
    rewrite("the second half of a compressed send lost", |i| {
        is_math(i)?;
        (i.compression == Compression::Compressed)
            .then(|| (i.compression, i.execution_size) = (Compression::None, 8))
    }),
    rewrite("the implied move lost", |i| {
        is_math(i)?;
        let has_source = matches!(
            i.sources[0],
            Source::Register { register: Register::Direct { file: RegisterFile::Grf, .. }, .. }
        );
        has_source.then(|| i.sources[0] = Source::null(DataType::F))
    }),
    rewrite("modifiers of the implied move lost", |i| {
        is_math(i)?;
        match &mut i.sources[0] {
            Source::Register { modifier, .. } if *modifier != SourceModifier::default() => {
                *modifier = SourceModifier::default();
                Some(())
            }
            _ => None,
        }
    }),
    rewrite("a message one register later", |i| {
        is_math(i)?;
        let message = i.message.as_mut()?;
        (message.current_destination < 12).then(|| message.current_destination += 1)
    }),
    rewrite("a reply two registers later", |i| {
        is_math(i)?;
        match &mut i.destination.register {
            Register::Direct { number, .. } if *number < 120 => {
                *number += 2;
                Some(())
            }
            _ => None,
        }
    }),
    disturb("the halves of a compressed send exchanged", |i, _, after| {
        if let Some(first) = compressed_reply(i) {
            after.grf.swap(first, first + 1);
        }
    }),
    disturb("the first of two messages from the last register answered", |i, _, after| {
        let is_last = i.message.is_some_and(|message| message.current_destination == 15);
        if let Some(first) = compressed_reply(i).filter(|_| is_last) {
            after.grf[first][0] ^= 1;
        }
    })
    .at_open_ends(),
    disturb("the second half with the operands of the first", |i, _, after| {
        if let Some(first) = compressed_reply(i) {
            after.grf[first + 1] = after.grf[first];
        }
    }),
    disturb("the second message from the register of the first", |i, _, after| {
        if let (Some(_), Some(message)) = (compressed_reply(i), i.message) {
            let first = usize::from(message.current_destination);
            after.mrf[first] = after.mrf[first + 1];
        }
    }),
    disturb("sine and cosine exchanged", |i, _, after| {
        if let Some(first) = reply_of(i, &[0x8]) {
            after.grf.swap(first, first + 1);
        }
    }),
    disturb("the cosine not written", |i, before, after| {
        if let Some(first) = reply_of(i, &[0x8]) {
            after.grf[first + 1] = before.grf[first + 1];
        }
    }),
    disturb("the remainder not written", |i, before, after| {
        if let Some(first) = reply_of(i, &[0xB]) {
            after.grf[first + 1] = before.grf[first + 1];
        }
    }),
    disturb("a channel written that is off", |i, before, after| {
        let Some(first) = reply_of(i, &[1, 2, 3, 4, 5, 6, 7, 8, 10]) else { return };
        let (old, new) = (before.grf[first], &mut after.grf[first]);
        if old[..4] == new[..4] && old != *new {
            new[3] ^= 0x80;
        }
    }),
    disturb("the second group of scalars with the operand of the first", |i, _, after| {
        let is_scalar = descriptor(i).is_some_and(|bits| bits >> 7 & 1 == 1);
        if let Some(first) = reply_of(i, &[1, 2, 3, 4, 5, 6, 7, 8, 10]).filter(|_| is_scalar) {
            let (low, high) = after.grf[first].split_at_mut(16);
            if i.no_mask {
                high.copy_from_slice(low);
            }
        }
    }),
];

const EARLY_FAULTS: &[Fault<Eu>] = &[
    rewrite("SQRT taken for INV", |i| code_as(i, 0x4, 0x1)),
    disturb("the halves of a compressed send exchanged", |i, _, after| {
        if let Some(first) = compressed_reply(i) {
            after.grf.swap(first, first + 1);
        }
    }),
];

const VALUE_FAULTS: &[Fault<Eu>] = &[
    disturb("INV two units off", |i, b, a| each(i, b, a, &[0x1], |s| s.off(2))),
    disturb("SQRT two units off", |i, b, a| each(i, b, a, &[0x4], |s| s.off(2))),
    disturb("RSQ two units off", |i, b, a| each(i, b, a, &[0x5], |s| s.off(2))),
    disturb("RSQ two units below", |i, b, a| each(i, b, a, &[0x5], |s| s.off(-2))),
    disturb("LOG with partial precision", |i, b, a| {
        each(i, b, a, &[0x2], |s| if s.is_partial { None } else { s.relative(-12) });
    }),
    disturb("LOG off by 2^-19", |i, b, a| {
        each(i, b, a, &[0x2], |s| if s.is_partial { None } else { s.relative(-19) });
    }),
    disturb("LOG worse than partial precision", |i, b, a| {
        each(i, b, a, &[0x2], |s| s.relative(-8));
    }),
    disturb("EXP with partial precision", |i, b, a| {
        each(i, b, a, &[0x3], |s| if s.is_partial { None } else { s.relative(-12) });
    }),
    disturb("EXP off by 2^-19", |i, b, a| {
        each(i, b, a, &[0x3], |s| if s.is_partial { None } else { s.relative(-19) });
    }),
    disturb("POW off by 2^-13", |i, b, a| each(i, b, a, &[0xA], |s| s.relative(-13))),
    disturb("SIN off by 0.001", |i, b, a| {
        each(i, b, a, &[0x6], |s| s.is_angle().then(|| s.nearer(0.001)));
    }),
    disturb("COS off by 0.001", |i, b, a| {
        each(i, b, a, &[0x7], |s| s.is_angle().then(|| s.nearer(0.001)));
    }),
    disturb("SIN above one far out", |i, b, a| {
        each(i, b, a, &[0x6], |s| (s.is_finite() && !s.is_angle()).then_some(0x3F80_0001));
    }),
    disturb("SQRT of minus zero is zero", |i, b, a| {
        each(i, b, a, &[0x4], |s| (s.result == SIGN).then_some(0));
    }),
    disturb("INV of minus infinity is zero", |i, b, a| {
        each(i, b, a, &[0x1], |s| (s.result == SIGN).then_some(0));
    }),
    disturb("SIN of minus zero is zero", |i, b, a| {
        each(i, b, a, &[0x6], |s| (s.result == SIGN && s.first & !SIGN == 0).then_some(0));
    }),
    disturb("RSQ of minus zero is infinity", |i, b, a| {
        each(i, b, a, &[0x5], |s| (s.result == INFINITY | SIGN).then_some(INFINITY));
    }),
    disturb("COS of zero is zero", |i, b, a| {
        each(i, b, a, &[0x7], |s| (s.first & !SIGN == 0).then_some(0));
    }),
    disturb("INV in the alternative mode gives infinity", |i, b, a| {
        each(i, b, a, &[0x1], |s| s.infinite());
    }),
    disturb("RSQ in the alternative mode gives infinity", |i, b, a| {
        each(i, b, a, &[0x5], |s| s.infinite());
    }),
    disturb("LOG in the alternative mode gives infinity", |i, b, a| {
        each(i, b, a, &[0x2], |s| s.infinite());
    }),
    disturb("EXP in the alternative mode gives infinity", |i, b, a| {
        each(i, b, a, &[0x3], |s| s.infinite());
    }),
    disturb("POW in the alternative mode gives infinity", |i, b, a| {
        each(i, b, a, &[0xA], |s| s.infinite());
    }),
    disturb("EXP in IEEE mode gives FLT_MAX", |i, b, a| {
        each(i, b, a, &[0x3], |s| (s.result == INFINITY).then_some(LARGEST));
    }),
    disturb("SQRT of a negative number in the alternative mode is a NaN", |i, b, a| {
        each(i, b, a, &[0x4], |s| (s.is_alternative && s.is_negative()).then_some(NAN));
    }),
    disturb("LOG of a negative number in IEEE mode is one of its magnitude", |i, b, a| {
        each(i, b, a, &[0x2], |s| (!s.is_alternative && s.is_negative()).then_some(ONE));
    }),
    disturb("RSQ of a negative number in IEEE mode is one of its magnitude", |i, b, a| {
        each(i, b, a, &[0x5], |s| (!s.is_alternative && s.is_negative()).then_some(ONE));
    }),
    disturb("LOG of one is not zero", |i, b, a| {
        each(i, b, a, &[0x2], |s| (s.first == ONE).then_some(0x3300_0000));
    }),
    disturb("denormal operands kept", |i, b, a| {
        each(i, b, a, &[0x1], |s| is_denormal(s.first).then_some(0x7F00_0000));
    }),
    disturb("denormal results kept", |i, b, a| {
        each(i, b, a, &[0x1], |s| (s.result & !SIGN == 0).then_some(s.result | 0x0040_0000));
    }),
    disturb("denormal powers of two kept", |i, b, a| {
        each(i, b, a, &[0x3], |s| (s.result == 0 && s.is_finite()).then_some(0x0040_0000));
    }),
    disturb("zero to the power of zero in IEEE mode is one", |i, b, a| {
        each(i, b, a, &[0xA], |s| {
            let is_zero = |bits| bits & !SIGN == 0 || is_denormal(bits);
            (!s.is_alternative && is_zero(s.first) && is_zero(s.second)).then_some(ONE)
        });
    }),
    disturb("zero to the power of zero in the alternative mode is a NaN", |i, b, a| {
        each(i, b, a, &[0xA], |s| {
            let is_zero = |bits| bits & !SIGN == 0 || is_denormal(bits);
            (s.is_alternative && is_zero(s.first) && is_zero(s.second)).then_some(NAN)
        });
    }),
    disturb("POW of a negative base is a NaN", |i, b, a| {
        each(i, b, a, &[0xA], |s| (s.is_negative() && s.second != 0).then_some(NAN));
    }),
    disturb("POW with operands exchanged", |i, b, a| {
        each(i, b, a, &[0xA], |s| {
            let [base, by] = [s.second, s.first].map(|bits| f64::from(f32::from_bits(bits)));
            Some((base.abs().powf(by) as f32).to_bits())
        });
    }),
    disturb("saturation leaves what is above one", |i, b, a| {
        each(i, b, a, &[0x5], |s| (s.saturates && s.result == ONE).then_some(0x4000_0000));
    }),
    disturb("saturation leaves what is below zero", |i, b, a| {
        each(i, b, a, &[0x2], |s| (s.saturates && s.result == 0).then_some(ONE | SIGN));
    }),
    disturb("numerator and denominator exchanged", |i, b, a| {
        each(i, b, a, &[0xC], |s| s.first.checked_div(s.second));
    }),
    disturb("a remainder with the sign of the denominator", |i, b, a| {
        each(i, b, a, &[0xD], |s| {
            let [d, n] = [s.first, s.second].map(u32::cast_signed);
            (s.is_signed && d != 0 && (d < 0) != (n < 0)).then(|| s.result.wrapping_neg())
        });
    }),
    disturb("a quotient rounded down", |i, b, a| {
        each(i, b, a, &[0xC], |s| {
            let [d, n] = [s.first, s.second].map(u32::cast_signed);
            let rounds = s.is_signed && d != 0 && (d < 0) != (n < 0) && n.wrapping_rem(d) != 0;
            rounds.then(|| s.result.wrapping_sub(1))
        });
    }),
    disturb("a division by zero gives zero", |i, b, a| {
        each(i, b, a, &[0xC], |s| (s.first == 0).then_some(0));
    }),
    disturb("a remainder of a division by zero is the numerator", |i, b, a| {
        each(i, b, a, &[0xD], |s| (s.first == 0).then_some(s.second));
    }),
    disturb("the remainder of a negative number divided by zero is the greatest", |i, b, a| {
        each(i, b, a, &[0xD], |s| (s.first == 0 && s.result == SIGN).then_some(!SIGN));
    }),
];

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7F80_0000;
const LARGEST: u32 = INFINITY - 1;
const NAN: u32 = 0x7FC0_0000;
const ONE: u32 = 0x3F80_0000;

fn is_denormal(bits: u32) -> bool {
    bits & INFINITY == 0 && bits & !SIGN != 0
}

const TARGETS: &[u32] = &[1];

/// The descriptor of a message to Extended Math that has it with it.
fn descriptor(i: &Instruction) -> Option<u32> {
    early_messages::descriptor(i, TARGETS)
}

fn is_math(i: &Instruction) -> Option<()> {
    descriptor(i).map(|_| ())
}

/// Gives a message another descriptor.
fn with(i: &mut Instruction, change: impl FnOnce(u32) -> Option<u32>) -> Option<()> {
    early_messages::with(i, TARGETS, change)
}

/// A function taken for another.
fn code_as(i: &mut Instruction, from: u32, to: u32) -> Option<()> {
    with(i, |bits| (bits & 0xF == from).then_some(bits & !0xF | to))
}

/// A bit that is set, or is not, taken for its opposite.
fn bit_as(i: &mut Instruction, bit: u32, is_set: bool) -> Option<()> {
    with(i, |bits| (bits >> bit & 1 == u32::from(is_set)).then_some(bits ^ 1 << bit))
}

/// The first register of the reply to a compressed send.
fn compressed_reply(i: &Instruction) -> Option<usize> {
    descriptor(i)?;
    reply(i).filter(|_| i.compression == Compression::Compressed)
}

/// The same of eight channels, for some functions.
fn reply_of(i: &Instruction, codes: &[u32]) -> Option<usize> {
    let bits = descriptor(i)?;
    let is_narrow = i.execution_size == 8 && i.compression != Compression::Compressed;
    reply(i).filter(|_| is_narrow && codes.contains(&(bits & 0xF)))
}

/// A channel of a result and what it was computed from.
struct Seen {
    first: u32,
    second: u32,
    result: u32,
    is_alternative: bool,
    /// Partial precision is enough.
    is_partial: bool,
    is_signed: bool,
    saturates: bool,
}

impl Seen {
    fn is_finite(&self) -> bool {
        f32::from_bits(self.first).is_finite()
    }

    /// Within 100 pi, with something to spare.
    fn is_angle(&self) -> bool {
        f32::from_bits(self.first).abs() < 314.0
    }

    /// A negative number that is neither denormal nor infinite.
    fn is_negative(&self) -> bool {
        let number = f32::from_bits(self.first);
        number.is_normal() && number < 0.0
    }

    fn is_normal_result(&self) -> bool {
        let magnitude = self.result & !SIGN;
        (0x0100_0000..0x7F00_0000).contains(&magnitude) && !self.saturates
    }

    /// Some units of the last place off.
    fn off(&self, units: i32) -> Option<u32> {
        // At a power of two the units below are half as large.
        let is_inside = self.result & 0x007F_FFFF > 4;
        (self.is_normal_result() && is_inside).then(|| self.result.wrapping_add_signed(units))
    }

    /// Off by a part of itself, two to this power.
    fn relative(&self, power: i32) -> Option<u32> {
        let number = f32::from_bits(self.result);
        self.is_normal_result().then(|| (number + number * 2_f32.powi(power)).to_bits())
    }

    /// A number nearer to zero, or beyond it.
    fn nearer(&self, distance: f32) -> u32 {
        let result = f32::from_bits(self.result);
        (result - distance.copysign(result)).to_bits()
    }

    /// Infinity in the place of FLT_MAX.
    fn infinite(&self) -> Option<u32> {
        (self.is_alternative && self.result & !SIGN == LARGEST).then(|| self.result + 1)
    }
}

/// Gives written channels of the first result of some functions another value.
fn each(
    i: &Instruction,
    before: &State,
    after: &mut State,
    codes: &[u32],
    change: fn(&Seen) -> Option<u32>,
) {
    let (Some(number), Some(bits), Some(message)) = (reply_of(i, codes), descriptor(i), i.message)
    else {
        return;
    };
    let first = usize::from(message.current_destination);
    let is_scalar = bits >> 7 & 1 == 1;
    let is_alternative = before.control[0] & 1 == 1;
    let doubleword = |register: &[u8; 32], n: usize| {
        u32::from_le_bytes(register[4 * n..][..4].try_into().expect("four bytes"))
    };
    for channel in 0..8 {
        let old = doubleword(&before.grf[number], channel);
        let result = doubleword(&after.grf[number], channel);
        if old == result {
            continue;
        }
        let from = if is_scalar { channel & 4 } else { channel };
        let seen = Seen {
            first: doubleword(&after.mrf[first], from),
            second: doubleword(&after.mrf[(first + 1) & 15], from),
            result,
            is_alternative,
            is_partial: is_alternative && bits >> 5 & 1 == 1,
            is_signed: bits >> 4 & 1 == 1,
            saturates: bits >> 6 & 1 == 1,
        };
        if let Some(value) = change(&seen) {
            after.grf[number][4 * channel..][..4].copy_from_slice(&value.to_le_bytes());
        }
    }
}
