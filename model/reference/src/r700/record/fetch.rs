//! The record of an instruction of a fetch clause: for which pixels it was done, what it read for each, and of which of
//! them the result is compared.

use parallax_isa::r700::{Case, Fetch, FetchOpcode, State, microcode::CfWord, state::PIXELS};

use super::super::format::Interpretation;

/// An instruction of a fetch clause that was executed.
#[derive(Debug)]
pub struct FetchStep<'a> {
    /// Everything that decides the run.
    pub case: &'a Case,
    /// The instruction that has started the clause.
    pub word: CfWord,
    /// The instructions before it in its clause.
    pub previous: &'a [Fetch],
    /// The instruction.
    pub fetch: Fetch,
    /// Its opcode.
    pub opcode: FetchOpcode,
    /// The pixels that the clause executes for.
    pub executing: u64,
    /// What it read and did.
    pub record: &'a FetchRecord,
    /// The state after.
    pub after: &'a State,
}

/// What an instruction of a fetch clause read and did.
#[derive(Debug)]
pub struct FetchRecord {
    /// The pixels that it was done for.
    pub pixels: u64,
    /// Those of which something that it wrote is compared exactly.
    pub exact: u64,
    /// The source of each pixel of a texture instruction, as its selects have it.
    pub sources: [[u32; 4]; PIXELS],
    /// How data were read, if they have a format.
    pub format: Option<Interpretation>,
    /// What was read or written beside registers, pixel by pixel.
    pub accesses: Vec<MemoryAccess>,
}

/// An element of a buffer or of a texture, or a dword of the local data share.
#[derive(Debug, Clone, Copy)]
pub struct MemoryAccess {
    /// The pixel.
    pub pixel: usize,
    /// What its register held: the index; of the local data share the bank.
    pub index: u32,
    /// The address: in bytes of a vertex buffer, in dwords of other memory or of a bank.
    pub address: i128,
    /// The bits of the element; `None` outside of what it is in.
    pub bits: Option<u128>,
}

impl FetchRecord {
    /// The record of no instruction.
    pub(in crate::r700) fn new() -> Self {
        Self { pixels: 0, exact: 0, sources: [[0; 4]; PIXELS], format: None, accesses: Vec::new() }
    }

    /// Begins the record of another instruction.
    pub(in crate::r700) fn begin(&mut self) {
        self.pixels = 0;
        self.exact = 0;
        self.format = None;
        self.accesses.clear();
    }
}
