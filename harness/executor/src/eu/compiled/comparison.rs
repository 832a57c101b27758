//! Comparisons, whose results are flags.

use iced_x86::code_asm::*;

use super::{
    assemble::{FLAGS, GREATER_EQUAL, Stretch, emit, xmm},
    places::{FIRST, LEFT, RIGHT, SECOND, Source},
    plan::{Planned, comparison},
};
use crate::eu::kernel::element::Element;

type Result<T> = std::result::Result<T, IcedError>;

/// Of the immediate of `vcmpps`: an operand is not a number.
const UNORDERED: u32 = 0x03;

impl Stretch {
    /// A comparison, whose results are flags.
    pub(super) fn compare(&mut self, planned: &Planned, chunk: usize) -> Result<()> {
        let a = self.source(planned, 0, chunk, FIRST)?;
        let a = self.places.in_register(a, FIRST)?;
        let b = self.source(planned, 1, chunk, SECOND)?;
        let Some(condition) = comparison(planned.condition) else { return Ok(()) };
        let every = (1u32 << planned.channels) - 1;
        let inverted = if planned.is_float() {
            emit!(self.vcmpps(LEFT, a; b, float_predicate(condition)))?;
            if planned.op.second_nan_wins {
                let b = self.places.in_register(b, SECOND)?;
                let asm = &mut self.places.asm;
                asm.vcmpps(RIGHT, b, b, UNORDERED)?;
                match condition {
                    [true, false, true] => asm.vandnps(LEFT, RIGHT, LEFT)?,
                    _ => asm.vorps(LEFT, LEFT, RIGHT)?,
                }
            }
            self.places.asm.vmovmskps(eax, LEFT)?;
            false
        } else {
            let b = self.places.in_register(b, SECOND)?;
            self.compare_integers(planned, condition, a, b)?
        };
        self.places.asm.and(eax, every)?;
        let flag = planned.mask.flag_written();
        let (first, shift) = (8 * chunk as u32, 16 * u32::from(flag));
        let read = planned.mask.flag_read();
        let thread = planned.mask.reads_thread_masks(self.setting.open);
        if thread || read.is_some() {
            self.channels(ecx, read, thread)?;
            let asm = &mut self.places.asm;
            asm.and(ecx, every << first)?;
            if first > 0 {
                asm.shl(eax, first)?;
            }
            asm.and(eax, ecx)?;
            if shift > 0 {
                asm.shl(ecx, shift)?;
            }
            asm.not(ecx)?;
            asm.and(FLAGS, ecx)?;
            if shift > 0 {
                asm.shl(eax, shift)?;
            }
        } else {
            let asm = &mut self.places.asm;
            asm.and(FLAGS, (!(every << (first + shift))).cast_signed())?;
            if first + shift > 0 {
                asm.shl(eax, first + shift)?;
            }
        }
        self.places.asm.or(FLAGS, eax)?;
        self.places.forget_flag(flag);
        if read.is_some() {
            return Ok(());
        }
        // The lanes are the mask that the next instruction with this predicate would make.
        let held = Self::held(planned, Some((flag, inverted)), thread, chunk);
        if thread {
            let active = self.mask(planned, None, true, chunk)?;
            let register = self.places.mask(held)?;
            self.places.asm.vandps(register, LEFT, active)
        } else {
            let register = self.places.mask(held)?;
            self.places.asm.vmovaps(register, LEFT)
        }
    }

    /// The channels for which a condition holds between integers, in `eax`; whether the lanes of `LEFT`
    /// are the others.
    fn compare_integers(
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
            let sign = self.places.all(if words { 0x8000_8000 } else { 0x8000_0000 });
            self.places.asm.vpxor(FIRST, a, sign)?;
            self.places.asm.vpxor(SECOND, b, sign)?;
            (a, b) = (FIRST, SECOND);
        }
        let asm = &mut self.places.asm;
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
        if words {
            // A byte each, those of the halves beside each other.
            asm.vpacksswb(RIGHT, LEFT, LEFT)?;
            asm.vpermq(RIGHT, RIGHT, 0b1000)?;
            asm.vpmovmskb(eax, xmm(RIGHT))?;
        } else {
            asm.vmovmskps(eax, LEFT)?;
        }
        if inverted {
            asm.xor(eax, if words { 0xFFFF } else { 0xFF })?;
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
