//! Accumulators, which sums and products leave behind: 64 bits a channel, of which words have 33.

use std::mem::offset_of;

use iced_x86::code_asm::*;
use parallax_isa::eu::State;

use super::{
    assemble::{REFUSED, Segment},
    description::{Element, LaneOperation, Planned, Shape},
    register_allocation::{
        FIRST, LEFT, LOW, RIGHT, RegisterAllocation, SECOND, STATE, Source, xmm,
    },
};
use crate::eu::native::Native;

type Result<T> = std::result::Result<T, IcedError>;

impl Segment {
    /// The two places of an accumulator's chunk.
    fn accumulator(planned: &Planned, chunk: usize) -> [usize; 2] {
        let first = usize::from(planned.accumulators[chunk]);
        [first, first + 32]
    }

    /// The four places of an accumulator of words.
    fn accumulator_of_words(planned: &Planned) -> [usize; 4] {
        let [low, high] = planned.accumulators.map(usize::from);
        [low, low + 32, high, high + 32]
    }

    /// What sums and products of words make of the accumulator. Their 33 bits are cut out when it is
    /// looked at: a sum is made of more as of less.
    pub(super) fn word_accumulator(&mut self, planned: &Planned) -> Result<()> {
        use LaneOperation as K;
        for (quarter, at) in Self::accumulator_of_words(planned).into_iter().enumerate() {
            let place = match planned.operation {
                K::MultiplyAdd => self.registers.kept_long(at)?,
                _ => self.registers.target(at)?,
            };
            self.quarter(planned, 0, quarter, LEFT)?;
            self.quarter(planned, 1, quarter, RIGHT)?;
            let asm = &mut self.registers.asm;
            match planned.operation {
                K::Add => asm.vpaddq(place, LEFT, RIGHT)?,
                K::Multiply => asm.vpmuldq(place, LEFT, RIGHT)?,
                _ => {
                    asm.vpmuldq(LEFT, LEFT, RIGHT)?;
                    asm.vpaddq(place, place, LEFT)?;
                }
            }
            self.registers.written_long(at);
            self.normal.retain(|place| *place != at);
        }
        Ok(())
    }

    /// Four words of a source as quadwords.
    fn quarter(
        &mut self,
        planned: &Planned,
        index: usize,
        quarter: usize,
        to: AsmRegisterYmm,
    ) -> Result<()> {
        let operand = &planned.sources[index];
        let at = usize::from(operand.offset);
        let signed = planned.element == Element::W;
        let extend = |registers: &mut RegisterAllocation, from: AsmRegisterXmm| match signed {
            true => registers.asm.vpmovsxwq(to, from),
            false => registers.asm.vpmovzxwq(to, from),
        };
        let source = match operand.shape {
            Shape::Packed => self.registers.packed(at)?,
            Shape::Splat => {
                let word = self.registers.splat_word(at)?;
                extend(&mut self.registers, xmm(word))?;
                return self.negate_quarter(planned, index, to);
            }
            _ => {
                // An immediate may be of the other sign than the registers.
                let half = |half: usize| {
                    let value = operand.elements[4 * quarter + half / 2].cast_signed();
                    if half.is_multiple_of(2) { value } else { value >> 31 }.cast_unsigned()
                };
                let quadwords = self.registers.constant(std::array::from_fn(half));
                return self.registers.asm.vmovups(to, quadwords);
            }
        };
        match source {
            Source::Register(whole) => {
                let mut from = xmm(whole);
                if quarter > 1 {
                    self.registers.asm.vextracti128(xmm(to), whole, 1)?;
                    from = xmm(to);
                }
                if quarter % 2 == 1 {
                    self.registers.asm.vpsrldq(xmm(to), from, 8)?;
                    from = xmm(to);
                }
                extend(&mut self.registers, from)?;
            }
            Source::Memory(_) => {
                let from = qword_ptr(STATE + (at + 8 * quarter));
                match signed {
                    true => self.registers.asm.vpmovsxwq(to, from)?,
                    false => self.registers.asm.vpmovzxwq(to, from)?,
                }
            }
        }
        self.negate_quarter(planned, index, to)
    }

    fn negate_quarter(
        &mut self,
        planned: &Planned,
        index: usize,
        lanes: AsmRegisterYmm,
    ) -> Result<()> {
        if !planned.sources[index].negate {
            return Ok(());
        }
        let asm = &mut self.registers.asm;
        asm.vpxor(LOW, LOW, LOW)?;
        asm.vpsubq(lanes, LOW, lanes)
    }

    /// Words of the accumulator's channels, shifted right by so many bits. It changes `FIRST` and `SECOND`.
    pub(super) fn accumulated_words(
        &mut self,
        planned: &Planned,
        count: u8,
        to: AsmRegisterYmm,
    ) -> Result<()> {
        // Of what lies within the 33 bits those above do not matter.
        let is_within = count <= 33 - 16;
        for (quarter, at) in Self::accumulator_of_words(planned).into_iter().enumerate() {
            let from =
                if is_within { self.registers.kept_long(at)? } else { self.registers.kept(at)? };
            let (word, pair) = ([FIRST, SECOND, LEFT, RIGHT][quarter], [FIRST, LEFT][quarter / 2]);
            let asm = &mut self.registers.asm;
            asm.vpsllq(word, from, 48 - u32::from(count))?;
            asm.vpsrlq(word, word, 48)?;
            if quarter % 2 == 1 {
                asm.vpackusdw(pair, pair, word)?;
            }
        }
        let order = self.registers.constant([0, 4, 1, 5, 2, 6, 3, 7]);
        let asm = &mut self.registers.asm;
        asm.vpackusdw(FIRST, FIRST, LEFT)?;
        asm.vmovups(SECOND, order)?;
        asm.vpermd(to, SECOND, FIRST)
    }

    /// The 64 bits of an average, which has no more than its sources have.
    fn average_accumulator(&mut self, planned: &Planned, chunk: usize) -> Result<()> {
        let a = self.source(planned, 0, chunk, FIRST)?;
        let a = self.registers.in_register(a, FIRST)?;
        let b = self.source(planned, 1, chunk, SECOND)?;
        self.average(planned, FIRST, a, b)?;
        let words = planned.has_words();
        let parts = match words {
            true => Self::accumulator_of_words(planned).to_vec(),
            false => Self::accumulator(planned, chunk).to_vec(),
        };
        let each_half = parts.len() / 2;
        for (part, at) in parts.into_iter().enumerate() {
            let target = self.registers.target(at)?;
            let (lanes, asm) = (xmm(LOW), &mut self.registers.asm);
            asm.vextracti128(lanes, FIRST, (part / each_half) as u32)?;
            if part % each_half == 1 {
                asm.vpsrldq(lanes, lanes, 8)?;
            }
            match planned.element {
                Element::W => asm.vpmovsxwq(target, lanes)?,
                Element::Uw => asm.vpmovzxwq(target, lanes)?,
                Element::D => asm.vpmovsxdq(target, lanes)?,
                _ => asm.vpmovzxdq(target, lanes)?,
            }
            self.registers.written(at, false);
            self.normal.retain(|place| *place != at);
        }
        Ok(())
    }

    /// The 64 bits of a sum or an average of integers.
    pub(super) fn integer_accumulator(&mut self, planned: &Planned, chunk: usize) -> Result<()> {
        if planned.operation == LaneOperation::Average {
            return self.average_accumulator(planned, chunk);
        }
        if planned.has_words() {
            return self.word_accumulator(planned);
        }
        let a = self.elements(planned, 0, chunk)?;
        let a = self.registers.in_register(a, FIRST)?;
        let b = self.elements(planned, 1, chunk)?;
        let b = self.registers.in_register(b, SECOND)?;
        for (half, at) in Self::accumulator(planned, chunk).into_iter().enumerate() {
            let target = self.registers.target(at)?;
            for (index, from, to) in [(0, a, LEFT), (1, b, RIGHT)] {
                let asm = &mut self.registers.asm;
                asm.vextracti128(xmm(LOW), from, half as u32)?;
                match planned.element {
                    Element::D => asm.vpmovsxdq(to, xmm(LOW))?,
                    _ => asm.vpmovzxdq(to, xmm(LOW))?,
                }
                let view = &planned.sources[index];
                if view.negate && view.shape != Shape::Constant {
                    asm.vpxor(LOW, LOW, LOW)?;
                    asm.vpsubq(to, LOW, to)?;
                }
            }
            self.registers.asm.vpaddq(target, LEFT, RIGHT)?;
            self.registers.written(at, false);
            self.normal.retain(|place| *place != at);
        }
        Ok(())
    }

    /// Sums and products as an accumulator has them, which `mac` makes its result of, in `LOW`.
    pub(super) fn float_accumulator(
        &mut self,
        planned: &Planned,
        chunk: usize,
        a: AsmRegisterYmm,
        b: AsmRegisterYmm,
    ) -> Result<()> {
        let accumulates = planned.operation == LaneOperation::MultiplyAdd;
        for (half, at) in Self::accumulator(planned, chunk).into_iter().enumerate() {
            let place = match accumulates {
                true => self.registers.kept(at)?,
                false => self.registers.target(at)?,
            };
            if accumulates {
                self.refuse_denormals(at, place)?;
            }
            let asm = &mut self.registers.asm;
            asm.vextractf128(xmm(LEFT), a, half as u32)?;
            asm.vcvtps2pd(LEFT, xmm(LEFT))?;
            asm.vextractf128(xmm(RIGHT), b, half as u32)?;
            asm.vcvtps2pd(RIGHT, xmm(RIGHT))?;
            let to = if planned.updates_accumulator { place } else { LEFT };
            match planned.operation {
                LaneOperation::Add => asm.vaddpd(to, LEFT, RIGHT)?,
                LaneOperation::Multiply => asm.vmulpd(to, LEFT, RIGHT)?,
                _ => {
                    asm.vmulpd(LEFT, LEFT, RIGHT)?;
                    asm.vaddpd(to, LEFT, place)?;
                }
            }
            if accumulates && half == 0 {
                asm.vcvtpd2ps(xmm(LOW), to)?;
            } else if accumulates {
                asm.vcvtpd2ps(xmm(LEFT), to)?;
                asm.vinsertf128(LOW, LOW, xmm(LEFT), 1)?;
            }
            if planned.updates_accumulator {
                self.registers.written(at, false);
                if !self.normal.contains(&at) {
                    self.normal.push(at);
                }
            }
        }
        Ok(())
    }

    /// Notes an accumulator channel that is a denormal, which would be taken for zero here.
    fn refuse_denormals(&mut self, at: usize, channels: AsmRegisterYmm) -> Result<()> {
        if self.normal.contains(&at) {
            return Ok(());
        }
        self.normal.push(at);
        let zero = self.registers.all(0);
        let exponents: [u32; 8] =
            std::array::from_fn(|half| if half % 2 == 1 { 0x7FF0_0000 } else { 0 });
        let exponents = self.registers.constant(exponents);
        let asm = &mut self.registers.asm;
        asm.vpand(LEFT, channels, exponents)?;
        asm.vpcmpeqq(LEFT, LEFT, zero)?;
        asm.vpsllq(RIGHT, channels, 1)?;
        asm.vpcmpeqq(RIGHT, RIGHT, zero)?;
        asm.vpandn(LEFT, RIGHT, LEFT)?;
        asm.vmovmskpd(eax, LEFT)?;
        asm.or(REFUSED, eax)
    }
}

/// First bytes of the accumulators of an instruction's chunks: those of its halves, or of both eights of words.
pub(super) fn accumulators(natives: &[Native]) -> [u16; 2] {
    [0, 1].map(|chunk| {
        let register = usize::from(natives[0].accumulator);
        let (register, channel) = match natives.len() {
            2 => ((register + chunk) & 1, 0),
            _ => (register & 1, 8 * chunk),
        };
        (offset_of!(State, accumulator) + 128 * register + 8 * channel) as u16
    })
}
