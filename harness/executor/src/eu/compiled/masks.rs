//! Which channels an operation works on: as bits, and as vectors of lanes.

use iced_x86::code_asm::*;

use super::{
    assemble::{ALL_ACTIVE, Segment},
    description::{CHANNELS, Planned},
    register_allocation::{FLAGS, Mask, xmm},
};

type Result<T> = std::result::Result<T, IcedError>;

impl Segment {
    /// The channels that a predicate and the active channels from a first one on enable, a bit each.
    pub(super) fn channels(
        &mut self,
        to: AsmRegister64,
        flag: Option<(u8, bool)>,
        active: Option<u8>,
    ) -> Result<()> {
        let first = u32::from(active.unwrap_or_default());
        if let Some((bit, inverse)) = flag {
            self.registers.settle_flags(u64::from(u32::MAX) << bit)?;
            let asm = &mut self.registers.asm;
            asm.mov(to, FLAGS)?;
            if bit > 0 {
                asm.shr(to, u32::from(bit))?;
            }
            if inverse {
                asm.not(to)?;
            }
            if active.is_none() {
                return Ok(());
            }
            if first > 0 {
                asm.shl(to, first)?;
            }
            asm.and(to, ALL_ACTIVE)?;
        } else {
            self.registers.asm.mov(to, ALL_ACTIVE)?;
        }
        if first > 0 { self.registers.asm.shr(to, first) } else { Ok(()) }
    }

    /// A flag register from one of its bits on, in all lanes.
    pub(super) fn flag_register(
        &mut self,
        planned: &Planned,
        bit: u8,
        to: AsmRegisterYmm,
    ) -> Result<()> {
        self.channels(rax, Some((bit, false)), None)?;
        let asm = &mut self.registers.asm;
        asm.vmovd(xmm(to), eax)?;
        match planned.has_words() {
            true => asm.vpbroadcastw(to, xmm(to)),
            false => asm.vpbroadcastd(to, xmm(to)),
        }
    }

    /// What the vector mask of a chunk is known by.
    pub(super) fn held(
        planned: &Planned,
        flag: Option<(u8, bool)>,
        thread: bool,
        chunk: usize,
    ) -> Mask {
        let lanes = planned.channels as u8;
        let active = thread.then_some(planned.mask.first);
        let bytes = planned.element.bytes() as u8;
        Mask { flag, active, channel: (CHANNELS * chunk) as u8, lanes, bytes }
    }

    /// The same channels as a vector for those of a chunk.
    pub(super) fn mask(
        &mut self,
        planned: &Planned,
        flag: Option<(u8, bool)>,
        thread: bool,
        chunk: usize,
    ) -> Result<AsmRegisterYmm> {
        let mask = Self::held(planned, flag, thread, chunk);
        if let Some(register) = self.registers.mask_held(mask) {
            return Ok(register);
        }
        let words = planned.has_words();
        let bits = match planned.channels {
            1 => self.registers.all(if words { 0x1_0001 } else { 1 }),
            _ if words => {
                self.registers.constant(std::array::from_fn(|pair| 0x2_0001 << (2 * pair)))
            }
            _ => self.registers.constant(std::array::from_fn(|channel| 1 << channel)),
        };
        let register = self.registers.mask(mask)?;
        self.channels(rax, flag, mask.active)?;
        let asm = &mut self.registers.asm;
        if chunk > 0 {
            asm.shr(eax, (CHANNELS * chunk) as u32)?;
        }
        asm.vmovd(xmm(register), eax)?;
        if words {
            asm.vpbroadcastw(register, xmm(register))?;
            asm.vpand(register, register, bits)?;
            asm.vpcmpeqw(register, register, bits)?;
        } else {
            asm.vpbroadcastd(register, xmm(register))?;
            asm.vpand(register, register, bits)?;
            asm.vpcmpeqd(register, register, bits)?;
        }
        Ok(register)
    }
}
