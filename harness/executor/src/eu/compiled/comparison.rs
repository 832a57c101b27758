//! Comparisons, whose results are flags.

use iced_x86::code_asm::*;

use super::{
    Rounding,
    assemble::{GREATER_EQUAL, Segment},
    description::{Channels, Element, Planned, comparison},
    flags::lanes_of_words,
    register_allocation::{FIRST, FLAGS, LEFT, RIGHT, SECOND, Truth},
};

type Result<T> = std::result::Result<T, IcedError>;

/// Of the immediate of `vcmpps`: an operand is not a number.
pub(super) const UNORDERED: u32 = 0x03;

impl Segment {
    /// A comparison, whose results are flags.
    pub(super) fn compare(&mut self, planned: &Planned, chunk: usize) -> Result<()> {
        self.round_for(planned)?;
        let a = self.source(planned, 0, chunk, FIRST)?;
        let a = self.registers.in_register(a, FIRST)?;
        let b = self.source(planned, 1, chunk, SECOND)?;
        let b = self.registers.in_register(b, SECOND)?;
        let Some(condition) = comparison(planned.condition) else { return Ok(()) };
        let mut inverted = match planned.is_float() {
            true => self.compare_floats(planned, condition, a, b)?,
            false => self.compare_integers(planned, condition, a, b)?,
        };
        let mut truth = LEFT;
        if planned.writes {
            truth = FIRST;
            if std::mem::take(&mut inverted) {
                let ones = self.registers.all(u32::MAX);
                self.registers.asm.vpxor(FIRST, LEFT, ones)?;
            } else {
                self.registers.asm.vmovaps(FIRST, LEFT)?;
            }
            let is_bit = self.setting.rounding == Rounding::TowardZero;
            if is_bit || !planned.writes_lanes() {
                // What is written changes on its way.
                truth = SECOND;
                self.registers.asm.vmovaps(SECOND, FIRST)?;
            }
            if is_bit {
                self.registers.asm.vpsrld(FIRST, FIRST, 31)?;
            }
            self.store(planned, chunk)?;
        }
        let Channels { predicate, first: first_active, flag, .. } = planned.mask;
        let every = (1u32 << planned.channels) - 1;
        let (first, shift) = (8 * chunk as u32, u32::from(flag));
        let thread = planned.mask.reads_active(self.setting.open);
        let bits = u64::from(every) << (first + shift);
        // The lanes are the mask that the next instruction with this predicate would make.
        let held = Self::held(planned, Some((flag, inverted)), thread, chunk);
        if !thread && predicate.is_none() {
            self.registers.forget_flags(bits);
            let register = self.registers.mask(held)?;
            self.registers.asm.vmovaps(register, truth)?;
            let (first, has_words) = ((first + shift) as u8, planned.has_words());
            self.registers.stands_for(register, Truth { bits, first, inverted, has_words });
            return Ok(());
        }
        self.registers.settle_flags(bits)?;
        self.channels(rcx, predicate, thread.then_some(first_active))?;
        let asm = &mut self.registers.asm;
        match planned.has_words() {
            true => lanes_of_words(asm, truth)?,
            false => asm.vmovmskps(eax, truth)?,
        }
        if inverted {
            asm.xor(eax, every.cast_signed())?;
        }
        asm.and(eax, every)?;
        asm.and(ecx, every << first)?;
        if first > 0 {
            asm.shl(eax, first)?;
        }
        asm.and(eax, ecx)?;
        if shift > 0 {
            asm.shl(rcx, shift)?;
        }
        asm.not(rcx)?;
        asm.and(FLAGS, rcx)?;
        if shift > 0 {
            asm.shl(rax, shift)?;
        }
        asm.or(FLAGS, rax)?;
        self.registers.forget_flags(bits);
        if predicate.is_some() {
            return Ok(());
        }
        let active = self.mask(planned, None, true, chunk)?;
        let register = self.registers.mask(held)?;
        self.registers.asm.vandps(register, truth, active)
    }

    /// The channels for which a condition holds between floats, in `LEFT`; never the others.
    pub(super) fn compare_floats(
        &mut self,
        planned: &Planned,
        condition: [bool; 3],
        a: AsmRegisterYmm,
        b: AsmRegisterYmm,
    ) -> Result<bool> {
        let asm = &mut self.registers.asm;
        asm.vcmpps(LEFT, a, b, float_predicate(condition))?;
        if planned.second_nan_wins {
            asm.vcmpps(RIGHT, b, b, UNORDERED)?;
            match condition {
                [true, false, true] => asm.vandnps(LEFT, RIGHT, LEFT)?,
                _ => asm.vorps(LEFT, LEFT, RIGHT)?,
            }
        }
        Ok(false)
    }

    /// The channels for which a condition holds between integers, in `LEFT`; whether those are the others.
    pub(super) fn compare_integers(
        &mut self,
        planned: &Planned,
        condition: [bool; 3],
        a: AsmRegisterYmm,
        b: AsmRegisterYmm,
    ) -> Result<bool> {
        let [greater, equal, less] = condition;
        let (mut a, mut b) = (a, b);
        let words = planned.has_words();
        if matches!(planned.element, Element::Ud | Element::Uw) && greater != less {
            let sign = self.registers.all(if words { 0x8000_8000 } else { 0x8000_0000 });
            self.registers.asm.vpxor(FIRST, a, sign)?;
            self.registers.asm.vpxor(SECOND, b, sign)?;
            (a, b) = (FIRST, SECOND);
        }
        let asm = &mut self.registers.asm;
        // What holds, or what does not where equal ones are to be with greater or less ones.
        let (equals, first, second, inverted) = match (greater, equal, less) {
            (false, true, false) => (true, a, b, false),
            (true, false, true) => (true, a, b, true),
            (true, false, false) => (false, a, b, false),
            (true, true, _) => (false, b, a, true),
            (false, false, _) => (false, b, a, false),
            (false, true, true) => (false, a, b, true),
        };
        match (words, equals) {
            (false, true) => asm.vpcmpeqd(LEFT, first, second)?,
            (false, false) => asm.vpcmpgtd(LEFT, first, second)?,
            (true, true) => asm.vpcmpeqw(LEFT, first, second)?,
            (true, false) => asm.vpcmpgtw(LEFT, first, second)?,
        }
        Ok(inverted)
    }
}

/// The predicate of `vcmpps`; what is not a number is equal to nothing.
fn float_predicate(condition: [bool; 3]) -> u32 {
    match condition {
        [true, true, _] => GREATER_EQUAL,
        [true, false, true] => 0x04,
        [true, false, false] => 0x1E,
        [false, true, false] => 0x00,
        [false, true, true] => 0x12,
        [false, false, _] => 0x11,
    }
}
