//! From elements as they stand in the registers to lanes, and from results back to elements.
//!
//! Elements of bytes and words, and those with gaps between them, become lanes of doublewords (`lanes`);
//! floats are made of integers there and integers of floats. Results are cut to what their elements have and
//! brought to where these are (`store_elsewhere`).

use iced_x86::code_asm::*;
use parallax_isa::eu::DataType;

use super::{
    assemble::{GREATER_EQUAL, Segment},
    description::{CHANNELS, Element, Planned, Shape, Stored},
    layout::CHUNK_BYTES,
    register_allocation::{FIRST, LEFT, LOW, Piece, RIGHT, Source, xmm},
};

type Result<T> = std::result::Result<T, IcedError>;

/// Of the immediate of `vcmpps`: both operands are numbers.
const ORDERED: u32 = 0x07;
/// The first operand is less.
const LESS: u32 = 0x11;
/// The least half float that is no denormal.
const LEAST_HALF: f32 = 1.0 / 16384.0;
/// Two to the power of 31, and of 16.
const BEYOND_SIGNED: f32 = 2_147_483_648.0;
const UPPER_HALF: f32 = 65536.0;

impl Segment {
    /// Integers or floats of a source as lanes of doublewords, without its modifiers. It changes `LOW`.
    pub(super) fn lanes(
        &mut self,
        planned: &Planned,
        index: usize,
        chunk: usize,
        to: AsmRegisterYmm,
    ) -> Result<Source> {
        let operand = &planned.sources[index];
        let Stored { data_type, step, .. } = operand.stored;
        let at = operand.place(chunk);
        let size = data_type.size();
        // What is read at once: an element with the gap behind it, or the doubleword that it is in.
        let unit = if operand.shape == Shape::Splat { 4 } else { usize::from(step) };
        let (first, within) = (at - at % unit, at % unit);
        let bytes = if operand.shape == Shape::Splat { 4 } else { unit * planned.channels };
        if data_type != DataType::F {
            self.registers.make_nans_one(first, bytes)?;
        }
        let is_signed = data_type.is_signed_integer();
        let source = match (operand.shape, unit) {
            (Shape::Splat, _) => Source::Register(self.registers.splat(first)?),
            (_, 4) if planned.channels == CHANNELS => self.registers.packed(first)?,
            (_, 4) => self.registers.part(first, bytes)?,
            (_, 8) => return self.every_other(first, within, planned.channels, to),
            (_, 2) if data_type == DataType::Hf => {
                let piece = self.registers.piece(first, bytes, to)?;
                let asm = &mut self.registers.asm;
                match piece {
                    Piece::Register(from) => asm.vcvtph2ps(to, from)?,
                    Piece::Memory(from) => asm.vcvtph2ps(to, xmmword_ptr(from))?,
                }
                self.flush_halves(planned, to)?;
                return Ok(Source::Register(to));
            }
            _ => {
                self.extended(first, unit, bytes, is_signed && size == unit, to)?;
                if size == unit {
                    return Ok(Source::Register(to));
                }
                Source::Register(to)
            }
        };
        if size == 4 {
            return Ok(source);
        }
        if data_type == DataType::Hf {
            self.lanes_of_halves(planned, source, within, to)?;
            return Ok(Source::Register(to));
        }
        let from = self.registers.in_register(source, to)?;
        let (bits, above) = (8 * size as u32, 32 - 8 * (size + within) as u32);
        let low = self.registers.all(u32::MAX >> (32 - bits));
        let asm = &mut self.registers.asm;
        match (is_signed, within) {
            (false, 0) => asm.vpand(to, from, low)?,
            (true, _) => {
                asm.vpslld(to, from, above)?;
                asm.vpsrad(to, to, 32 - bits)?;
            }
            (false, _) => {
                asm.vpslld(to, from, above)?;
                asm.vpsrld(to, to, 32 - bits)?;
            }
        }
        Ok(Source::Register(to))
    }

    /// Floats of half floats that are in the lower or upper words of doublewords. It changes `LOW`.
    fn lanes_of_halves(
        &mut self,
        planned: &Planned,
        source: Source,
        within: usize,
        to: AsmRegisterYmm,
    ) -> Result<()> {
        let from = self.registers.in_register(source, to)?;
        let low = self.registers.all(0xFFFF);
        let asm = &mut self.registers.asm;
        match within {
            0 => asm.vpand(to, from, low)?,
            _ => asm.vpsrld(to, from, 16)?,
        }
        // The words of each half, twice.
        asm.vpackusdw(to, to, to)?;
        asm.vpermq(to, to, 0b1101_1000)?;
        asm.vcvtph2ps(to, xmm(to))?;
        self.flush_halves(planned, to)
    }

    /// Makes zeros of floats that were denormal halves, where they are to be. It changes `LOW`.
    fn flush_halves(&mut self, planned: &Planned, to: AsmRegisterYmm) -> Result<()> {
        if !planned.flushes_halves {
            return Ok(());
        }
        let magnitude = self.registers.all(0x7FFF_FFFF);
        let least = self.registers.all(LEAST_HALF.to_bits());
        let asm = &mut self.registers.asm;
        asm.vandps(LOW, to, magnitude)?;
        asm.vcmpps(LOW, LOW, least, LESS)?;
        asm.vandps(LOW, LOW, magnitude)?;
        asm.vandnps(to, LOW, to)
    }

    /// Makes the half floats of a result of floats in a register, words in doublewords. It changes `LEFT`.
    pub(super) fn halves_of(&mut self, planned: &Planned, lanes: AsmRegisterYmm) -> Result<()> {
        if !planned.saturate {
            self.registers.make_nan_one(lanes)?;
        }
        let (exponent, magnitude) = (self.registers.all(0x7C00), self.registers.all(0x7FFF));
        let zero = self.registers.all(0);
        let asm = &mut self.registers.asm;
        // To nearest.
        asm.vcvtps2ph(xmm(lanes), lanes, 0)?;
        asm.vpmovzxwd(lanes, xmm(lanes))?;
        if !planned.flushes_halves {
            return Ok(());
        }
        asm.vpand(LEFT, lanes, exponent)?;
        asm.vpcmpeqd(LEFT, LEFT, zero)?;
        asm.vpand(LEFT, LEFT, magnitude)?;
        asm.vpandn(lanes, LEFT, lanes)
    }

    /// Doublewords of pairs, the first of each or the second.
    fn every_other(
        &mut self,
        at: usize,
        within: usize,
        channels: usize,
        to: AsmRegisterYmm,
    ) -> Result<Source> {
        let which = if within == 0 { 0b1000_1000 } else { 0b1101_1101 };
        let pairs = self.registers.packed(at)?;
        let pairs = self.registers.in_register(pairs, to)?;
        let further = match channels {
            CHANNELS => self.registers.packed(at + CHUNK_BYTES)?,
            _ => Source::Register(pairs),
        };
        match further {
            Source::Register(further) => self.registers.asm.vshufps(to, pairs, further, which)?,
            Source::Memory(further) => self.registers.asm.vshufps(to, pairs, further, which)?,
        }
        // Each half has two of each.
        self.registers.asm.vpermq(to, to, 0b1101_1000)?;
        Ok(Source::Register(to))
    }

    /// Neighbouring bytes or words as doublewords.
    fn extended(
        &mut self,
        at: usize,
        unit: usize,
        bytes: usize,
        is_signed: bool,
        to: AsmRegisterYmm,
    ) -> Result<()> {
        let piece = self.registers.piece(at, bytes, to)?;
        let asm = &mut self.registers.asm;
        match (unit, is_signed, piece) {
            (1, false, Piece::Register(from)) => asm.vpmovzxbd(to, from),
            (1, false, Piece::Memory(from)) => asm.vpmovzxbd(to, qword_ptr(from)),
            (1, true, Piece::Register(from)) => asm.vpmovsxbd(to, from),
            (1, true, Piece::Memory(from)) => asm.vpmovsxbd(to, qword_ptr(from)),
            (_, false, Piece::Register(from)) => asm.vpmovzxwd(to, from),
            (_, false, Piece::Memory(from)) => asm.vpmovzxwd(to, xmmword_ptr(from)),
            (_, true, Piece::Register(from)) => asm.vpmovsxwd(to, from),
            (_, true, Piece::Memory(from)) => asm.vpmovsxwd(to, xmmword_ptr(from)),
        }
    }

    /// Floats of lanes of integers, rounded once. It changes `LOW`.
    pub(super) fn floats_of(
        &mut self,
        stored: Stored,
        from: Source,
        to: AsmRegisterYmm,
    ) -> Result<()> {
        // All that is shorter has a sign here.
        if stored.data_type.is_signed_integer() || stored.data_type.size() < 4 {
            return match from {
                Source::Register(from) => self.registers.asm.vcvtdq2ps(to, from),
                Source::Memory(from) => self.registers.asm.vcvtdq2ps(to, from),
            };
        }
        let from = self.registers.in_register(from, to)?;
        let low = self.registers.all(0xFFFF);
        let upper = self.registers.all(UPPER_HALF.to_bits());
        let asm = &mut self.registers.asm;
        // Both halves are exact; their sum is rounded.
        asm.vpsrld(LOW, from, 16)?;
        asm.vcvtdq2ps(LOW, LOW)?;
        asm.vmulps(LOW, LOW, upper)?;
        asm.vpand(to, from, low)?;
        asm.vcvtdq2ps(to, to)?;
        asm.vaddps(to, to, LOW)
    }

    /// Makes the integers of a result of floats in a register, truncated and clamped; what is not a number
    /// becomes zero. It changes `LEFT` and `RIGHT`.
    pub(super) fn integers_of(&mut self, result: Stored, lanes: AsmRegisterYmm) -> Result<()> {
        let beyond = self.registers.all(BEYOND_SIGNED.to_bits());
        let zero = self.registers.all(0);
        let asm = &mut self.registers.asm;
        if Bounds::of(result).is_none() && !result.data_type.is_signed_integer() {
            // The second operand is the result where one is not a number.
            asm.vmaxps(lanes, lanes, zero)?;
            asm.vcmpps(LEFT, lanes, beyond, GREATER_EQUAL)?;
            asm.vandps(RIGHT, LEFT, beyond)?;
            asm.vsubps(lanes, lanes, RIGHT)?;
            asm.vcvttps2dq(lanes, lanes)?;
            // The sign tells what is beyond all doublewords, which becomes the largest.
            asm.vpslld(LEFT, LEFT, 31)?;
            asm.vpsrad(RIGHT, lanes, 31)?;
            asm.vpxor(lanes, lanes, LEFT)?;
            return asm.vpor(lanes, lanes, RIGHT);
        }
        asm.vcmpps(LEFT, lanes, beyond, GREATER_EQUAL)?;
        asm.vcmpps(RIGHT, lanes, lanes, ORDERED)?;
        // What does not fit becomes the smallest integer.
        asm.vcvttps2dq(lanes, lanes)?;
        asm.vpxor(lanes, lanes, LEFT)?;
        asm.vpand(lanes, lanes, RIGHT)?;
        self.clamp(result, Element::D, lanes)
    }

    /// Makes integers those next to them that elements have.
    pub(super) fn clamp(
        &mut self,
        result: Stored,
        element: Element,
        lanes: AsmRegisterYmm,
    ) -> Result<()> {
        let bounds = Bounds::of(result);
        if element == Element::Ud {
            let most = match (bounds, result.data_type.is_signed_integer()) {
                (Some(Bounds { most, .. }), _) => most.cast_unsigned(),
                (None, true) => i32::MAX.cast_unsigned(),
                (None, false) => return Ok(()),
            };
            let most = self.registers.all(most);
            return self.registers.asm.vpminud(lanes, lanes, most);
        }
        let least = match bounds {
            Some(Bounds { most, .. }) => {
                let most = self.registers.all(most.cast_unsigned());
                self.registers.asm.vpminsd(lanes, lanes, most)?;
                bounds.map(|bounds| bounds.least)
            }
            None => (!result.data_type.is_signed_integer()).then_some(0),
        };
        let Some(least) = least else { return Ok(()) };
        let least = self.registers.all(least.cast_unsigned());
        self.registers.asm.vpmaxsd(lanes, lanes, least)
    }

    /// Writes what is in `FIRST` to the elements of the channels that are enabled, wherever these are.
    pub(super) fn store_elsewhere(&mut self, planned: &Planned, chunk: usize) -> Result<()> {
        let at = planned.target_of(chunk);
        let (step, size) = (usize::from(planned.result.step), planned.result.data_type.size());
        let place = at / CHUNK_BYTES * CHUNK_BYTES;
        if self.may_have_any_nan(planned) {
            self.registers.make_nan_one(FIRST)?;
        }
        let kept = self.registers.kept(place)?;
        self.registers.make_nans_one(place, CHUNK_BYTES)?;
        let written = |byte: usize| {
            (0..planned.channels).any(|channel| {
                let element = at - place + step * channel;
                (element..element + size).contains(&byte)
            })
        };
        let written: [u32; 8] =
            std::array::from_fn(|lane| {
                u32::from_le_bytes(std::array::from_fn(|byte| {
                    if written(4 * lane + byte) { 0xFF } else { 0 }
                }))
            });
        if !at.is_multiple_of(step) {
            self.registers.asm.vpslld(FIRST, FIRST, 8 * (at % step) as u32)?;
        }
        self.repeat(planned, FIRST, FIRST)?;
        if planned.is_masked(self.setting) {
            let flag = planned.mask.predicate.filter(|_| planned.mask.predicate_disables());
            let thread = planned.mask.reads_active(self.setting.open);
            let enabled = self.mask(planned, flag, thread, chunk)?;
            self.repeat(planned, LEFT, enabled)?;
            let written = self.registers.constant(written);
            self.registers.asm.vpand(LEFT, LEFT, written)?;
            self.registers.asm.vpblendvb(kept, kept, FIRST, LEFT)?;
        } else if written.iter().all(|lane| matches!(*lane, 0 | u32::MAX)) {
            let lanes = (0..8).fold(0, |all, lane| all | (written[lane] & 1) << lane);
            self.registers.asm.vpblendd(kept, kept, FIRST, lanes)?;
        } else {
            let written = self.registers.constant(written);
            self.registers.asm.vmovups(LEFT, written)?;
            self.registers.asm.vpblendvb(kept, kept, FIRST, LEFT)?;
        }
        self.registers.written(place, false);
        Ok(())
    }

    /// The low bits of lanes as elements that have so many bytes each, again and again.
    fn repeat(
        &mut self,
        planned: &Planned,
        to: AsmRegisterYmm,
        from: AsmRegisterYmm,
    ) -> Result<()> {
        let step = usize::from(planned.result.step);
        let mut lanes = from;
        if step < 4 {
            // The first bytes of each half are those of its four lanes.
            let order = self.registers.constant(std::array::from_fn(|lane| {
                u32::from_le_bytes(std::array::from_fn(|byte| {
                    let nth = 4 * (lane % 4) + byte;
                    if nth < 4 * step { (4 * (nth / step) + nth % step) as u8 } else { 0x80 }
                }))
            }));
            self.registers.asm.vpshufb(to, from, order)?;
            lanes = to;
        }
        let asm = &mut self.registers.asm;
        let first = xmm(lanes);
        match step * planned.channels {
            1 => asm.vpbroadcastb(to, first),
            2 => asm.vpbroadcastw(to, first),
            4 => asm.vpbroadcastd(to, first),
            // Four bytes of each half.
            8 if step == 1 => {
                let order = self.registers.constant([0, 4, 0, 4, 0, 4, 0, 4]);
                let asm = &mut self.registers.asm;
                asm.vmovups(RIGHT, order)?;
                asm.vpermd(to, RIGHT, lanes)
            }
            8 => asm.vpbroadcastq(to, first),
            // Eight of each half, or all of the first.
            16 if step == 2 => asm.vpermq(to, lanes, 0b1000_1000),
            16 => asm.vpermq(to, lanes, 0b0100_0100),
            _ if to != lanes => asm.vmovaps(to, lanes),
            _ => Ok(()),
        }
    }
}

/// The least and the most integer of elements shorter than lanes.
#[derive(Clone, Copy)]
struct Bounds {
    least: i32,
    most: i32,
}

impl Bounds {
    fn of(stored: Stored) -> Option<Self> {
        let bits = 8 * stored.data_type.size();
        (bits < 32).then(|| match stored.data_type.is_signed_integer() {
            true => Self { least: -(1 << (bits - 1)), most: (1 << (bits - 1)) - 1 },
            false => Self { least: 0, most: (1 << bits) - 1 },
        })
    }
}
