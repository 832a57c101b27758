//! Blocks of octwords of which everything but the offset and the mask is known when a program is loaded.

use parallax_isa::shared::{Memory, memory::GRAPHICS_BYTES};

use super::{
    Job, READS_GEN4, READS_GEN45, WRITES, Way,
    buffer::Linear,
    surface::{Surfaces, Target},
};

/// Bytes of an octword.
const OCTWORD: usize = 16;

/// Two, four or eight octwords of a buffer that lies in memory as a whole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OctwordBlock {
    pub(crate) way: Way,
    octwords: usize,
    base: usize,
    /// Bytes of the buffer.
    end: u64,
}

impl OctwordBlock {
    /// The block that a descriptor asks for, if lengths and buffer allow that no message of it is refused.
    pub(crate) fn of(descriptor: u32, surfaces: &Surfaces) -> Option<Self> {
        let reads = |bits: u32| match surfaces.is_gen45 {
            true => READS_GEN45[(bits >> 11 & 7) as usize],
            false => READS_GEN4[(bits >> 12 & 3) as usize],
        };
        let (way, job) = match descriptor >> 24 & 0xF {
            4 if descriptor >> 14 & 3 != 3 => (Way::Load, reads(descriptor)),
            // Without a write commit.
            5 if descriptor >> 15 & 1 == 0 => (Way::Store, WRITES[(descriptor >> 12 & 7) as usize]),
            _ => return None,
        };
        let octwords = match descriptor >> 8 & 7 {
            code @ 2..=4 => 1 << (code - 1),
            _ => return None,
        };
        let index = descriptor as u8;
        let target = surfaces.target(index, 0).ok()?;
        if job != Job::Octwords || !matches!(target, Target::Surface(_)) {
            return None;
        }
        let Linear::Bytes { base, end } = Linear::of(&target, OCTWORD as u64).ok()? else {
            return None;
        };
        let block = Self { way, octwords, base: base as usize, end };
        let lengths = match way {
            Way::Load => [1, block.registers()],
            Way::Store => [1 + block.registers(), 0],
        };
        let has_lengths = [descriptor >> 20 & 0xF, descriptor >> 16 & 0xF].map(|n| n as usize);
        (base + end <= GRAPHICS_BYTES as u64 && lengths == has_lengths).then_some(block)
    }

    /// Registers of data.
    #[inline]
    pub(crate) fn registers(&self) -> usize {
        self.octwords / 2
    }

    /// The first byte of the buffer in memory.
    pub(crate) fn base(&self) -> usize {
        self.base
    }

    /// The last offset of a block that lies in the buffer, if one does.
    pub(crate) fn last_offset(&self) -> Option<usize> {
        (self.end as usize).checked_sub(OCTWORD * self.octwords)
    }

    /// The bytes from an offset on, if all of them are in the buffer and all of them are enabled.
    #[inline]
    fn whole(&self, offset: u32, enables: u16) -> Option<usize> {
        let first = u64::from(offset & !15);
        let is_inside = first + (OCTWORD * self.octwords) as u64 <= self.end;
        (enables == 0xFFFF && is_inside).then(|| self.base + first as usize)
    }

    /// The octwords with the enables of their doublewords, and where they are in memory, if they are.
    fn each(&self, offset: u32, enables: u16) -> impl Iterator<Item = (u16, Option<usize>)> {
        let (base, end) = (self.base, self.end);
        (0..self.octwords).map(move |octword| {
            let at = u64::from(offset & !15) + (OCTWORD * octword) as u64;
            let own = enables >> (octword % 4 * 4) & 0xF;
            (own, (at < end).then(|| base + at as usize))
        })
    }

    /// Loads registers.
    #[inline]
    pub(crate) fn load(
        &self,
        offset: u32,
        enables: u16,
        memory: &Memory,
        registers: &mut [[u8; 32]],
    ) {
        let registers = registers.as_flattened_mut();
        match self.whole(offset, enables) {
            Some(first) => copy_block(&memory.graphics[first..], registers),
            None => self.load_each(offset, enables, memory, registers),
        }
    }

    // Seldom: inlined it would cost those that are whole.
    #[inline(never)]
    fn load_each(&self, offset: u32, enables: u16, memory: &Memory, registers: &mut [u8]) {
        let octwords = registers.as_chunks_mut::<OCTWORD>().0.iter_mut();
        for (octword, (own, place)) in octwords.zip(self.each(offset, enables)) {
            match place {
                _ if own == 0 => {}
                Some(first) => octword.copy_from_slice(&memory.graphics[first..][..OCTWORD]),
                None => *octword = [0; OCTWORD],
            }
        }
    }

    /// Stores registers.
    #[inline]
    pub(crate) fn store(
        &self,
        offset: u32,
        enables: u16,
        memory: &mut Memory,
        registers: &[[u8; 32]],
    ) {
        let registers = registers.as_flattened();
        match self.whole(offset, enables) {
            Some(first) => {
                copy_block(registers, &mut memory.graphics[first..][..OCTWORD * self.octwords]);
            }
            None => self.store_each(offset, enables, memory, registers),
        }
    }

    #[inline(never)]
    fn store_each(&self, offset: u32, enables: u16, memory: &mut Memory, registers: &[u8]) {
        let octwords = registers.as_chunks::<OCTWORD>().0.iter();
        for (octword, (own, place)) in octwords.zip(self.each(offset, enables)) {
            let Some(first) = place else { continue };
            let places = memory.graphics[first..][..OCTWORD].as_chunks_mut::<4>().0.iter_mut();
            for (n, (place, doubleword)) in places.zip(octword.as_chunks::<4>().0).enumerate() {
                if own >> n & 1 == 1 {
                    *place = *doubleword;
                }
            }
        }
    }
}

/// Fills a block of two, four or eight octwords: to copy so many bytes is a few moves instead of a call.
#[inline(always)]
fn copy_block(from: &[u8], to: &mut [u8]) {
    match to.len() {
        32 => to.copy_from_slice(&from[..32]),
        64 => to.copy_from_slice(&from[..64]),
        _ => to.copy_from_slice(&from[..128]),
    }
}
