//! Inverses and roots, which messages to Extended Math ask for: they are rounded to nearest, and where a
//! message takes them from is a message register.
//!
//! MXCSR is changed where they begin and where other floats do. What its sticky flag has told by then is noted.

use iced_x86::code_asm::*;

use super::{
    assemble::{REFUSED, Segment},
    description::Planned,
    layout::CHUNK_BYTES,
    register_allocation::{FIRST, LEFT},
};

type Result<T> = std::result::Result<T, IcedError>;

/// The bits of MXCSR that say how floats are rounded.
const ROUNDING: u32 = 0x6000;

impl Segment {
    /// Sets MXCSR for an operation, where that matters to it.
    pub(super) fn round_for(&mut self, planned: &Planned) -> Result<()> {
        if planned.is_elementary() {
            self.round(true)?;
        } else if planned.may_be_refused() || planned.converts() {
            self.round(false)?;
            self.tells |= planned.may_be_refused();
        }
        Ok(())
    }

    /// Rounds to nearest or as the setting says from here on.
    pub(super) fn round(&mut self, to_nearest: bool) -> Result<()> {
        if self.to_nearest == to_nearest {
            return Ok(());
        }
        self.to_nearest = to_nearest;
        let rounding = self.setting.rounding;
        let others = if to_nearest { ROUNDING } else { 0 };
        let control = dword_ptr(self.registers.all(rounding.control() & !others));
        let asm = &mut self.registers.asm;
        if std::mem::take(&mut self.tells) {
            asm.stmxcsr(dword_ptr(rsp - 8))?;
            asm.mov(eax, dword_ptr(rsp - 8))?;
            asm.and(eax, rounding.telling().cast_signed())?;
            asm.or(REFUSED, eax)?;
        }
        asm.ldmxcsr(control)
    }

    /// Posts a chunk of the source to a message register, which holds the same from then on.
    pub(super) fn post(
        &mut self,
        planned: &Planned,
        message: usize,
        chunk: usize,
    ) -> Result<AsmRegisterYmm> {
        let at = usize::from(planned.sources[0].offset) + CHUNK_BYTES * chunk;
        let payload = self.registers.packed(at)?;
        let payload = self.registers.in_register(payload, FIRST)?;
        let place = message + CHUNK_BYTES * chunk;
        let register = self.registers.target(place)?;
        self.registers.asm.vmovaps(register, payload)?;
        self.registers.written(place, false);
        Ok(register)
    }

    /// One divided by what is in a register.
    pub(super) fn inverse(&mut self, to: AsmRegisterYmm, of: AsmRegisterYmm) -> Result<()> {
        let one = self.registers.all(1f32.to_bits());
        self.registers.asm.vmovups(LEFT, one)?;
        self.registers.asm.vdivps(to, LEFT, of)
    }
}
