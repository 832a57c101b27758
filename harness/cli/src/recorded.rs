//! What files have of the state in which programs ran, beside their machine code: surfaces, samplers, constants and
//! registers, and what is not there.

pub(crate) mod compute;
pub(crate) mod eu;
pub(crate) mod gx2;
pub(crate) mod pm4;
pub(crate) mod r700;

use parallax_isa::shared::environment::MOST_SURFACE_STATE_DWORDS;

/// The state of a program. What a file does not have is empty, and a sentence of `missing`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Recorded {
    /// The stage of the pipeline.
    pub(crate) stage: Option<&'static str>,
    /// The graphics address of its first byte.
    pub(crate) address: Option<u64>,
    /// The byte of the file at which its machine code begins.
    pub(crate) offset: Option<usize>,
    /// Channels, pixels or work items of a thread.
    pub(crate) simd: Option<usize>,
    /// Registers that the file gives values: of the thread at dispatch, and of the fixed function before it.
    pub(crate) registers: Vec<Register>,
    /// Surfaces, by their index in the binding table.
    pub(crate) surfaces: Vec<Surface>,
    /// Samplers, by their number.
    pub(crate) samplers: Vec<Sampler>,
    /// What the program reads by name or number.
    pub(crate) inputs: Vec<Input>,
    /// What a program of R700 declares.
    pub(crate) declared: r700::Declared,
    /// What is not in the file, or not documented, in sentences.
    pub(crate) missing: Vec<String>,
}

/// A register and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Register {
    pub(crate) name: String,
    pub(crate) value: u32,
}

/// A surface of a binding table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Surface {
    /// Its index.
    pub(crate) index: u32,
    /// SURFACE_STATE; empty if the file does not have it.
    pub(crate) state: Vec<u32>,
    /// Where it begins in graphics memory.
    pub(crate) base: u64,
    /// How many bytes it has; `None` where no rule gives its layout one piece.
    pub(crate) size: Option<u64>,
    /// Those that the file has, from its first byte on, if a case has room for all of them.
    pub(crate) bytes: Vec<u8>,
}

/// A sampler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sampler {
    /// Its number.
    pub(crate) index: u32,
    /// SAMPLER_STATE; empty if the file does not have it.
    pub(crate) state: Vec<u32>,
    /// What stands at its border colour pointer; empty if the file does not have it.
    pub(crate) border: Vec<u32>,
}

/// A constant, a buffer, a texture or an attribute, as a file declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Input {
    /// What it is: `uniform block`.
    pub(crate) kind: &'static str,
    /// Its name; empty if it has none.
    pub(crate) name: String,
    /// Its location, as the file counts them.
    pub(crate) location: u32,
    /// Its value, if the file has one.
    pub(crate) value: Vec<u32>,
}

/// Most bytes of state of the programs of a file.
pub(crate) const MOST_STATE: usize = 64 << 20;

impl Recorded {
    /// Nothing but that the state of other programs takes all the memory there is for it.
    pub(crate) fn without_room() -> Self {
        let mut recorded = Self::default();
        recorded
            .lacks(format!("state: that of the programs before it has {} MiB", MOST_STATE >> 20));
        recorded
    }

    /// Bytes that it takes in memory, about.
    pub(crate) fn bytes(&self) -> usize {
        let surfaces: usize = self.surfaces.iter().map(|surface| surface.bytes.len() + 128).sum();
        let inputs: usize = self.inputs.iter().map(|input| input.name.len() + 128).sum();
        let missing: usize = self.missing.iter().map(|missing| missing.len() + 24).sum();
        surfaces + inputs + missing + 128 * self.samplers.len() + 64 * self.registers.len()
    }

    /// Notes that something is missing, once.
    pub(crate) fn lacks(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.missing.contains(&what) {
            self.missing.push(what);
        }
    }

    /// Gives a register a value.
    pub(crate) fn register(&mut self, name: impl Into<String>, value: u32) {
        self.registers.push(Register { name: name.into(), value });
    }
}

/// Indices of binding tables that are surfaces.
pub(crate) const SURFACES: u32 = 240;

const _: () = assert!(SURFACES as usize * 17 <= MOST_SURFACE_STATE_DWORDS, "a full table fits");
