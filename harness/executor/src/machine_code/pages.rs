//! Pages that machine code is written to once and then executed from: never both at a time.

use std::io;

use memmap2::{Mmap, MmapMut};

use crate::simd::Avx2;

/// The most machine code of one piece, in bytes.
const MOST_BYTES: usize = 1 << 18;

/// Machine code, ready to run on this processor.
pub(crate) struct Pages {
    pages: Mmap,
    /// The processor has the instructions that the code is made of.
    _proof: Avx2,
}

impl Pages {
    /// Makes code ready to run; `None` if there is too much of it or no memory for it.
    pub(crate) fn new(proof: Avx2, code: &[u8]) -> Option<Self> {
        if code.is_empty() || code.len() > MOST_BYTES {
            return None;
        }
        Self::try_new(proof, code).ok()
    }

    /// The same for any code, with what the system says if it refuses.
    pub(super) fn try_new(proof: Avx2, code: &[u8]) -> io::Result<Self> {
        let mut writable = MmapMut::map_anon(code.len())?;
        writable.copy_from_slice(code);
        let pages = writable.make_exec()?;
        Ok(Self { pages, _proof: proof })
    }

    /// Its first instruction.
    pub(crate) fn start(&self) -> *const u8 {
        self.pages.as_ptr()
    }

    /// Bytes of memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.pages.len().next_multiple_of(4096)
    }

    /// The machine code.
    #[cfg(test)]
    pub(crate) fn machine_code(&self) -> &[u8] {
        &self.pages
    }
}
