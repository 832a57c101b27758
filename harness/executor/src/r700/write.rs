//! Results: destination registers under a mask of pixels (section 4.9).

use parallax_isa::r700::state::State;

use super::{
    decode::{AluSlot, IndexMode},
    masks::ones,
    operand::loop_index,
    simd::Lanes,
    surroundings::Surroundings,
};

/// A mask of pixels with the same as lanes of all ones and all zeros.
pub(super) struct LaneMask {
    mask: u64,
    lanes: Lanes,
}

impl LaneMask {
    pub(super) const NONE: Self = Self { mask: 0, lanes: [0; 64] };

    #[inline(always)]
    pub(super) fn set(&mut self, mask: u64) {
        if mask != self.mask {
            self.mask = mask;
            self.lanes =
                std::array::from_fn(|pixel| if mask >> pixel & 1 == 1 { u32::MAX } else { 0 });
        }
    }

    /// Values of pixels in the mask replace the old ones.
    #[inline(always)]
    pub(super) fn merge(&self, old: &mut Lanes, new: &Lanes) {
        if self.mask == u64::MAX {
            copy(old, new);
            return;
        }
        for ((old, new), lane) in old.iter_mut().zip(new).zip(&self.lanes) {
            *old = *old & !lane | *new & lane;
        }
    }
}

/// Copies in quarters, which are moved in vector registers; for the whole the compiler would call
/// a function.
#[inline(always)]
fn copy(old: &mut Lanes, new: &Lanes) {
    if let ([a, b, c, d], [e, f, g, h]) = (old.as_chunks_mut::<16>().0, new.as_chunks().0) {
        (*a, *b, *c, *d) = (*e, *f, *g, *h);
    }
}

/// Writes the result of a slot to its destination.
#[inline(always)]
pub(super) fn write_register(
    slot: &AluSlot,
    result: &Lanes,
    enabled: &LaneMask,
    around: &Surroundings,
    state: &mut State,
) {
    let element = usize::from(slot.element);
    let base = i32::from(slot.gpr);
    if !slot.destination_relative {
        let address = u32::from(slot.gpr);
        if address < around.gpr_count || address >= around.first_temporary {
            enabled.merge(&mut state.gpr[address as usize][element], result);
        }
        return;
    }
    match slot.index_mode {
        IndexMode::Loop => {
            let address = base + loop_index(state);
            if (0..around.gpr_count as i32).contains(&address) {
                enabled.merge(&mut state.gpr[address as usize][element], result);
            }
        }
        mode => {
            for pixel in ones(enabled.mask) {
                let index = i32::from(state.ar[0][pixel]);
                let (address, file, count) = match mode {
                    IndexMode::Global => (base, &mut state.global[..], around.global_count),
                    IndexMode::GlobalAddress => {
                        (base + index, &mut state.global[..], around.global_count)
                    }
                    _ => (base + index, &mut state.gpr[..], around.gpr_count),
                };
                if (0..count as i32).contains(&address) {
                    file[address as usize][element][pixel] = result[pixel];
                }
            }
        }
    }
}
