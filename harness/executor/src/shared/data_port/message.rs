//! Runs of bytes that are copied between registers and memory.

use parallax_isa::shared::{Memory, Unanswered, memory::GRAPHICS_BYTES};

use super::super::{Reply, refuse};

/// Most runs of a message: a rectangle of 256 bytes, each for itself.
const MOST: usize = 256;

/// A run: bytes of the data, and where they are in memory.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    at: u16,
    bytes: u16,
    /// Nothing is there: zeros are loaded, nothing is stored.
    is_void: bool,
    address: u32,
}

/// The runs of a message.
pub(super) struct Runs {
    runs: [Run; MOST],
    count: usize,
    /// Registers of data.
    pub(super) registers: usize,
    /// All registers are loaded whole.
    pub(super) is_whole: bool,
}

impl Runs {
    pub(super) fn new(registers: usize) -> Self {
        Self { runs: [Run::default(); MOST], count: 0, registers, is_whole: false }
    }

    /// Adds bytes that are nowhere.
    pub(super) fn add_void(&mut self, at: usize, bytes: usize) {
        self.push(Run { at: at as u16, bytes: bytes as u16, is_void: true, address: 0 });
    }

    /// Adds bytes from an address on, all of which have to be in memory.
    pub(super) fn add(&mut self, at: usize, bytes: usize, address: u64) -> Result<(), Unanswered> {
        if address + bytes as u64 > GRAPHICS_BYTES as u64 {
            return refuse("an address beyond the memory there is");
        }
        let address = address as u32;
        self.push(Run { at: at as u16, bytes: bytes as u16, is_void: false, address });
        Ok(())
    }

    fn push(&mut self, run: Run) {
        self.runs[self.count] = run;
        self.count += 1;
    }

    pub(super) fn load(&self, memory: &Memory) -> Result<Reply, Unanswered> {
        let mut reply = Reply::default();
        for run in &self.runs[..self.count] {
            let (first, bytes) = (usize::from(run.at), usize::from(run.bytes));
            let response = &mut reply[first / 32];
            let byte = first % 32;
            // Runs shorter than a doubleword enable all of it.
            for doubleword in byte / 4..(byte + bytes).div_ceil(4) {
                response.enables |= 1 << doubleword;
            }
            if !run.is_void {
                let source = &memory.graphics[run.address as usize..][..bytes];
                response.bytes[byte..byte + bytes].copy_from_slice(source);
            }
        }
        if self.is_whole {
            for response in &mut reply[..self.registers] {
                response.enables = 0xFF;
            }
        }
        Ok(reply)
    }

    pub(super) fn store(&self, memory: &mut Memory, data: &[[u8; 32]]) {
        let data = data.as_flattened();
        for run in self.runs[..self.count].iter().filter(|run| !run.is_void) {
            let (first, bytes) = (usize::from(run.at), usize::from(run.bytes));
            memory.graphics[run.address as usize..][..bytes]
                .copy_from_slice(&data[first..first + bytes]);
        }
    }
}
