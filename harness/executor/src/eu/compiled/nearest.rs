//! What floats of Gen7 and later have of their own: results that are not a number are all one, sums of
//! products are rounded once, and a selection by order takes the second of two that are no numbers.
//!
//! The processor makes what is not a number of its sources. Where a whole chunk of floats is written, that is
//! put right only when somebody looks at the bits: arithmetic is not among these.

use iced_x86::code_asm::*;

use super::{
    Rounding,
    assemble::Segment,
    comparison::UNORDERED,
    description::{Planned, comparison},
    register_allocation::{FIRST, LEFT, LOW, RIGHT, RegisterAllocation, SAVING, SECOND, Source},
};
use crate::eu::description::NAN_SINGLE;

type Result<T> = std::result::Result<T, IcedError>;

impl Segment {
    /// Whether a result may be none of the numbers, and another one than it has to be.
    pub(super) fn may_have_any_nan(&self, planned: &Planned) -> bool {
        self.setting.rounding == Rounding::NearestEven
            && !planned.reads_bits()
            && planned.gives_floats()
            && !planned.compares()
            && !planned.saturate
    }

    /// The first source and the product of the others.
    pub(super) fn add_product(
        &mut self,
        to: AsmRegisterYmm,
        a: AsmRegisterYmm,
        b: Source,
        c: Source,
    ) -> Result<()> {
        let b = self.registers.in_register(b, SECOND)?;
        if to == a && to != b {
            return match c {
                Source::Register(c) => self.registers.asm.vfmadd231ps(to, b, c),
                Source::Memory(c) => self.registers.asm.vfmadd231ps(to, b, c),
            };
        }
        let asm = &mut self.registers.asm;
        asm.vmovaps(LOW, b)?;
        match c {
            Source::Register(c) => asm.vfmadd213ps(LOW, c, a)?,
            Source::Memory(c) => {
                asm.vmovups(RIGHT, c)?;
                asm.vfmadd213ps(LOW, RIGHT, a)?;
            }
        }
        asm.vmovaps(to, LOW)
    }

    /// The source for which the condition holds, bit for bit.
    pub(super) fn select_by_order(
        &mut self,
        planned: &Planned,
        to: AsmRegisterYmm,
        a: AsmRegisterYmm,
        b: AsmRegisterYmm,
    ) -> Result<()> {
        let Some(condition) = comparison(planned.condition) else { return Ok(()) };
        let (mut a, mut b) = (a, b);
        let inverted = if planned.is_float() {
            let inverted = self.compare_floats(planned, condition, a, b)?;
            let asm = &mut self.registers.asm;
            asm.vcmpps(RIGHT, b, b, UNORDERED)?;
            asm.vcmpps(LOW, a, a, UNORDERED)?;
            asm.vandps(RIGHT, RIGHT, LOW)?;
            asm.vandnps(LEFT, RIGHT, LEFT)?;
            inverted
        } else {
            // The comparison may take the registers for intermediate values.
            for (source, copy) in [(&mut a, LOW), (&mut b, RIGHT)] {
                if matches!(*source, FIRST | SECOND) {
                    self.registers.asm.vmovaps(copy, *source)?;
                    *source = copy;
                }
            }
            self.compare_integers(planned, condition, a, b)?
        };
        if inverted {
            (a, b) = (b, a);
        }
        match planned.has_words() {
            true => self.registers.asm.vpblendvb(to, b, a, LEFT),
            false => self.registers.asm.vblendvps(to, b, a, LEFT),
        }
    }
}

impl RegisterAllocation {
    /// Makes what is not a number in a register the one that arithmetic gives.
    pub(super) fn make_nan_one(&mut self, register: AsmRegisterYmm) -> Result<()> {
        let nan = self.all(NAN_SINGLE);
        self.asm.vcmpps(SAVING, register, register, UNORDERED)?;
        self.asm.vblendvps(register, register, nan, SAVING)
    }
}
