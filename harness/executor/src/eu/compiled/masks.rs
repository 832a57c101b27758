//! Which channels an operation works on: as bits, and as vectors of lanes.

use iced_x86::code_asm::*;

use super::{
    assemble::{ALL_ACTIVE, FLAGS, Stretch, xmm},
    description::{CHANNELS, Planned},
    places::Mask,
};

type Result<T> = std::result::Result<T, IcedError>;

impl Stretch {
    /// The channels that a predicate and the active channels from a first one on enable, a bit each.
    pub(super) fn channels(
        &mut self,
        to: AsmRegister64,
        flag: Option<(u8, bool)>,
        active: Option<u8>,
    ) -> Result<()> {
        let asm = &mut self.places.asm;
        let first = u32::from(active.unwrap_or_default());
        if let Some((bit, inverse)) = flag {
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
            asm.mov(to, ALL_ACTIVE)?;
        }
        if first > 0 { asm.shr(to, first) } else { Ok(()) }
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
        Mask { flag, active, channel: (CHANNELS * chunk) as u8, lanes }
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
        if let Some(register) = self.places.mask_held(mask) {
            return Ok(register);
        }
        let words = planned.has_words();
        let bits = match planned.channels {
            1 => self.places.all(1),
            _ if words => self.places.constant(std::array::from_fn(|pair| 0x2_0001 << (2 * pair))),
            _ => self.places.constant(std::array::from_fn(|channel| 1 << channel)),
        };
        self.channels(rax, flag, mask.active)?;
        let register = self.places.mask(mask)?;
        let asm = &mut self.places.asm;
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
