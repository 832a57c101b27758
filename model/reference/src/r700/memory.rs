//! Memory writes (section 3.4) and memory-read clauses (chapter 7).

use std::mem::offset_of;

use parallax_isa::r700::{
    Cf, CfOpcode, FetchOpcode, State,
    case::MemoryRange,
    microcode::{ExportBuffer, MemoryRead},
};

use super::{
    fetch::Fetched,
    masks::Mode,
    wavefront::{Executed, Wavefront, pixels},
};

/// How the elements of a buffer lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// An element of every pixel side by side: scratch, reduction.
    PerPixel,
    /// One array for all pixels, indexed by elements: stream, ring.
    Shared,
    /// One array for all pixels, indexed by dwords: scatter.
    Scatter,
}

/// An access of one pixel.
struct Access {
    layout: Layout,
    /// `ARRAY_BASE`.
    base: i64,
    index: i64,
    step: i64,
    /// Dwords of an element.
    dwords: i64,
    pixel: i64,
}

impl Access {
    /// Address of the element's first dword in its buffer.
    fn address(&self) -> i64 {
        // Decision D-r700-memory.
        match self.layout {
            Layout::PerPixel => (self.element() * 64 + self.pixel) * self.dwords,
            Layout::Shared => self.element() * self.dwords,
            Layout::Scatter => self.base + self.index + self.step * self.dwords,
        }
    }

    /// Number of the element in its array, counted from the buffer's start.
    fn element(&self) -> i64 {
        self.base + self.index + self.step
    }
}

impl Wavefront {
    /// The place of a dword of a buffer in memory, if it lies inside.
    fn dword(&self, range: MemoryRange, address: i64) -> Option<usize> {
        let inside = (0..i64::from(range.size)).contains(&address);
        inside.then(|| range.base as usize + address as usize)
    }

    /// `MEM_*`: writes elements of registers to memory.
    pub(super) fn memory_write(&mut self, word: ExportBuffer) -> Executed {
        let opcode = Cf::Memory(word).opcode().unwrap_or(CfOpcode::MemScratch);
        let buffers = &self.case.buffers;
        let (range, layout) = match opcode {
            CfOpcode::MemScratch => (buffers.scratch, Layout::PerPixel),
            CfOpcode::MemReduction => (buffers.reduction, Layout::PerPixel),
            CfOpcode::MemStream0 => (buffers.stream[0], Layout::Shared),
            CfOpcode::MemStream1 => (buffers.stream[1], Layout::Shared),
            CfOpcode::MemStream2 => (buffers.stream[2], Layout::Shared),
            CfOpcode::MemStream3 => (buffers.stream[3], Layout::Shared),
            CfOpcode::MemRing => (buffers.ring, Layout::Shared),
            _ => (buffers.export, Layout::Scatter),
        };
        let indexed = word.kind() & 1 == 1;
        let dwords = word.elem_size() + 1;
        let mode = Mode::of(word.whole_quad_mode() == 1, word.valid_pixel_mode() == 1);
        let executing = self.base(self.state.pixels, mode);
        let mut sources = Vec::new();
        for step in 0..=word.burst_count() {
            sources.push(self.burst_register(word.rw_gpr(), step, word.rw_rel() == 1)?);
        }
        for pixel in pixels(executing) {
            for (step, register) in sources.iter().enumerate() {
                let index = self.state.gpr[word.index_gpr() as usize][0][pixel].cast_signed();
                let access = Access {
                    layout,
                    base: i64::from(word.array_base()),
                    index: if indexed { i64::from(index) } else { 0 },
                    step: step as i64,
                    dwords: i64::from(dwords),
                    pixel: pixel as i64,
                };
                let end = access.base + i64::from(word.array_size()) + 1;
                if layout != Layout::Scatter && access.element() >= end {
                    continue;
                }
                for element in 0..dwords as usize {
                    if word.comp_mask() >> element & 1 == 0 {
                        continue;
                    }
                    let address = access.address() + element as i64;
                    if let Some(place) = self.dword(range, address) {
                        self.state.memory[place] = self.read_register(*register, element, pixel);
                        self.wrote(offset_of!(State, memory) + 4 * place);
                    }
                }
            }
        }
        Ok(())
    }

    /// What a memory read gives a pixel in a burst step.
    pub(super) fn memory_read(&self, word: MemoryRead, step: u32, pixel: usize) -> Fetched {
        let (range, layout) = match word.opcode() {
            Some(FetchOpcode::MemRdScratch) => (self.case.buffers.scratch, Layout::PerPixel),
            Some(FetchOpcode::MemRdReduc) => (self.case.buffers.reduction, Layout::PerPixel),
            _ => (self.case.buffers.export, Layout::Scatter),
        };
        let (mut index, mut is_open) = (0, false);
        if word.indexed() == 1 {
            let register = self.fetch_source(word.src_gpr(), word.src_rel() == 1);
            is_open = self.reads_open(register, word.src_sel_x() as usize, pixel);
            let bits = self.read_register(register, word.src_sel_x() as usize, pixel);
            index = i64::from(bits.cast_signed());
        }
        let unclamped = index as u32;
        if layout == Layout::PerPixel {
            index = index.clamp(0, i64::from(word.array_size()));
        }
        let access = Access {
            layout,
            base: i64::from(word.array_base()),
            index,
            step: i64::from(step),
            dwords: i64::from(word.elem_size()) + 1,
            pixel: pixel as i64,
        };
        let first = access.address();
        let words = (0..access.dwords).map(|n| {
            let place = self.dword(range, first + n);
            place.map_or(0, |place| self.state.memory[place])
        });
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        let past = access.element() > access.base + i64::from(word.array_size());
        let undefined = is_open || layout == Layout::PerPixel && past;
        Fetched { bytes, index: unclamped, address: first, undefined }
    }
}
