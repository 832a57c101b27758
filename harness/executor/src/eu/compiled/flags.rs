//! Flags that a comparison has left as a vector of lanes: they become bits of the flag registers where these
//! are read, and never if another comparison writes them before.

use iced_x86::code_asm::*;

use super::register_allocation::{FLAGS, Held, RegisterAllocation, SAVING, Truth, xmm};

type Result<T> = std::result::Result<T, IcedError>;

impl RegisterAllocation {
    /// Makes bits of the flag registers current, if a vector stands for them. It changes `rax` and `rcx`.
    pub(super) fn settle_flags(&mut self, bits: u64) -> Result<()> {
        for slot in 0..self.slots.len() {
            if self.slots[slot].truth.is_some_and(|truth| truth.bits & bits != 0) {
                self.write_back_truth(slot)?;
            }
        }
        Ok(())
    }

    /// Notes that a register, which holds a mask, stands for flags.
    pub(super) fn stands_for(&mut self, register: AsmRegisterYmm, truth: Truth) {
        self.slot_of(register).truth = Some(truth);
    }

    /// Forgets masks made of bits of the flags, and what stands for these: they are written now.
    pub(super) fn forget_flags(&mut self, bits: u64) {
        for slot in &mut self.slots {
            if let Some(truth) = &mut slot.truth {
                truth.bits &= !bits;
            }
            slot.truth = slot.truth.filter(|truth| truth.bits != 0);
            if let Some(Held::Mask(mask)) = slot.held
                && mask.flag_bits() & bits != 0
            {
                match slot.truth {
                    Some(_) => slot.held = Some(Held::Truth),
                    None => *slot = Default::default(),
                }
            }
        }
    }

    pub(super) fn write_back_truth(&mut self, slot: usize) -> Result<()> {
        let Some(truth) = self.slots[slot].truth.take() else { return Ok(()) };
        let lanes = self.register(slot);
        let first = u32::from(truth.first);
        let asm = &mut self.asm;
        if truth.has_words {
            lanes_of_words(asm, lanes)?;
        } else {
            asm.vmovmskps(eax, lanes)?;
        }
        let bits = (truth.bits >> first) as i32;
        if truth.inverted {
            asm.not(eax)?;
        }
        asm.and(eax, bits)?;
        if first > 0 {
            asm.shl(rax, first)?;
        }
        match i32::try_from(truth.bits) {
            Ok(bits) => asm.and(FLAGS, !bits)?,
            Err(_) => {
                asm.mov(rcx, !truth.bits)?;
                asm.and(FLAGS, rcx)?;
            }
        }
        asm.or(FLAGS, rax)
    }
}

/// A bit for each channel of a vector of words, in `eax`.
pub(super) fn lanes_of_words(asm: &mut CodeAssembler, words: AsmRegisterYmm) -> Result<()> {
    // A byte each, those of the halves beside each other.
    asm.vpacksswb(SAVING, words, words)?;
    asm.vpermq(SAVING, SAVING, 0b1000)?;
    asm.vpmovmskb(eax, xmm(SAVING))
}
