//! Machine code of a thread's blocks, and how it is run.
#![allow(unsafe_code)]

use parallax_isa::{Image as _, eu::State};

use super::{
    assemble::Assembled,
    layout::{CHUNK_BYTES, Chunk, TAKEN_BACK},
};
use crate::{machine_code::Pages, simd::Avx2};

/// The code's convention: the state, room for the chunks it writes before its end, its constants, and the
/// channels that are active or, of blocks with branches, the steps that it may take. A segment gives zero
/// if it ran to its end; blocks with branches give the steps that are left, or `TAKEN_BACK`.
type Entry = unsafe extern "sysv64" fn(*mut u8, *mut Chunk, *const Chunk, u64) -> u64;

/// A segment of micro-ops as machine code.
pub(in crate::eu) struct Code {
    pages: Pages,
    constants: Box<[Chunk]>,
    /// The chunks of the state that the code saves before it writes them early, in order.
    saved: Box<[u16]>,
}

impl Code {
    /// Makes assembled code ready to run; `None` if there is too much of it or no memory for it.
    pub(super) fn new(proof: Avx2, assembled: Assembled) -> Option<Self> {
        let Assembled { bytes, constants, saved } = assembled;
        let pages = Pages::new(proof, &bytes)?;
        Some(Self { pages, constants, saved })
    }

    /// Runs it on the active channels, if it does not find these in the state itself; false if it has
    /// changed nothing, because a result is none that it can give. `room` is where it saves what it may
    /// have to take back.
    pub(in crate::eu) fn run(&self, state: &mut State, room: &mut Vec<Chunk>, active: u32) -> bool {
        if room.len() < self.saved.len() {
            room.resize(self.saved.len(), [0; CHUNK_BYTES]);
        }
        let refused = self.enter(state, room, active.into());
        if refused != 0 {
            self.take_back(state, room);
        }
        refused == 0
    }

    /// Runs blocks with branches for so many steps at most (above these stand the channels that were
    /// dispatched, of Gen7 and later), and says how many are left; `None` if it
    /// has changed nothing. What it may have to take back is saved before.
    pub(in crate::eu) fn run_for(
        &self,
        state: &mut State,
        room: &mut Vec<Chunk>,
        steps: u64,
    ) -> Option<u64> {
        room.clear();
        let chunks = self.saved.iter().map(|at| {
            let chunk = state.image()[usize::from(*at)..].first_chunk();
            *chunk.expect("memory is behind the registers")
        });
        room.extend(chunks);
        let left = self.enter(state, room, steps);
        if left == TAKEN_BACK {
            self.take_back(state, room);
            return None;
        }
        Some(left)
    }

    fn enter(&self, state: &mut State, room: &mut Vec<Chunk>, last: u64) -> u64 {
        let image: *mut u8 = state.image_mut().as_mut_ptr();
        // SAFETY: the pages hold a whole function of this type, which only `assemble` and `branches`
        // make. It reads and writes no bytes of the state but those of the places that are checked
        // there (`place` and `REGISTERS`), and of memory those of a block that it has found to lie within a
        // buffer that lies in memory (`messages`); as many chunks of `room` as `saved` names, for which there
        // is room, and the constants it was assembled with. It keeps to the convention of the type: it
        // changes registers that the caller gives away, the red zone below the stack, and leaves MXCSR
        // as it was. It ends: each block takes steps, of which there are so many. `Pages` has proof that
        // the processor has AVX2.
        unsafe {
            let entry: Entry = std::mem::transmute(self.pages.start());
            entry(image, room.as_mut_ptr(), self.constants.as_ptr(), last)
        }
    }

    fn take_back(&self, state: &mut State, room: &[Chunk]) {
        for (at, chunk) in self.saved.iter().zip(room) {
            state.image_mut()[usize::from(*at)..][..CHUNK_BYTES].copy_from_slice(chunk);
        }
    }

    /// Bytes of pages it takes.
    pub(in crate::eu) fn bytes(&self) -> usize {
        self.pages.bytes()
    }

    /// The machine code.
    #[cfg(test)]
    pub(super) fn machine_code(&self) -> &[u8] {
        self.pages.machine_code()
    }

    /// Its constants, for tests of what the code reads of them.
    #[cfg(test)]
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.constants.len(), self.saved.len())
    }
}
