//! The fields of descriptors: their names, and what their values stand for.

use super::super::generation::Generation;

/// A field of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// Binding table index.
    Surface,
    /// Sampler state.
    Sampler,
    /// Channels of a sampler message.
    SimdMode,
    /// 16-bit results of the sampler, 16-bit data of a render target.
    HalfPrecision,
    /// Form of a render target write.
    Subtype,
    /// Form of a render target read.
    ReadSubtype,
    /// Channels 31:16 of the dispatch.
    UpperSlots,
    /// Last render target of the pixel.
    LastTarget,
    /// Outputs or inputs for each sample.
    PerSample,
    /// Coarse pixel shading.
    CoarsePixel,
    /// Number of the render target (extended descriptor of Gen12).
    TargetIndex,
    /// Alpha of source 0 is in the payload.
    SourceAlpha,
    /// The colour is dropped.
    NullTarget,
    /// Channels 7:0 or 15:8 of a typed message.
    HighSlots,
    /// The same as a code that has SIMD4x2 too.
    SlotGroup,
    /// Channels of the surface that are left out.
    ChannelMask,
    /// Channels of an untyped read or write.
    SurfaceWidth,
    /// Channels of an atomic operation.
    AtomicWidth,
    /// Lowest bit of the scale of a scaled message.
    Scale,
    /// Atomic operation on integers.
    AtomicOperation,
    /// Atomic operation on floats.
    FloatOperation,
    /// An atomic operation returns the old value.
    ReturnsOld,
    /// Operands of 64 bits.
    Wide,
    /// `OWords` of a block.
    BlockSize,
    /// `OWords` of each block of a dual message.
    DualSize,
    /// Registers of a block.
    Registers,
    /// Registers of a scratch block on Gen7.
    ScratchRegisters,
    /// SIMD8 or SIMD16.
    Width,
    /// Size of a scattered element.
    DataSize,
    /// Size of a scattered element of 64-bit addresses.
    ElementSize,
    /// Scattered elements of a channel.
    Elements,
    /// Line stride override, stride and offset of media blocks.
    LineStride,
    /// A fence waits for its commit.
    Commit,
    /// Offset in the URB or in scratch space.
    Offset,
    /// Offsets for each slot are in the payload.
    PerSlotOffset,
    /// Two URB entries are interleaved.
    Interleave,
    /// The URB handle is handed on.
    Complete,
    /// Channel masks are in the payload.
    Masked,
    /// A scratch block is masked by doublewords, not by `OWords`.
    ByDoubleword,
    /// The cache line is invalidated after the read.
    Invalidate,
    /// The gateway acknowledges.
    Acknowledge,
    /// Notification of the gateway.
    Notify,
    /// A child thread asks.
    Requester,
    /// The URB handle is not dereferenced.
    KeepsHandle,
    /// Interpolation without perspective.
    Linear,
    /// Sample or offset of the pixel interpolator.
    Data,
    /// The message control of a data port as a number.
    Control,
    /// Extended math of signed integers.
    Signed,
    /// Partial precision of extended math.
    Partial,
    /// Saturation of extended math.
    Saturate,
    /// Extended math of a scalar.
    Scalar,
    /// Results of the sampler of Gen4.
    ReturnFormat,
    /// Swizzle of URB data before Gen7.
    Swizzle,
    /// A URB handle is allocated.
    Allocate,
    /// The URB handle is used.
    Used,
    /// The cache that is read through.
    Cache,
    /// Scattered doublewords.
    Doublewords,
}

/// What a field says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(u32),
    /// Whether something is so.
    Flag(bool),
    /// A word of the manual.
    Name(&'static str),
    /// A code that stands for nothing.
    Reserved(u32),
}

/// How a field is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reading {
    /// A number behind this word.
    Number(&'static str),
    /// A number that stands for another one, before this word.
    Count(&'static [u32], &'static str),
    /// Said in these words if set.
    Flag(&'static str),
    /// A word each; those that are empty are reserved.
    Names(&'static [&'static str]),
    /// A part of others, which words do not repeat.
    Raw,
}

const MASKS: [&str; 16] = [
    "RGBA",
    "GBA",
    "RBA",
    "BA",
    "RGA",
    "GA",
    "RA",
    "A",
    "RGB",
    "GB",
    "RB",
    "B",
    "RG",
    "G",
    "R",
    "no channel",
];

const ATOMICS: [&str; 16] = [
    "cmpwr 2w", "and", "or", "xor", "mov", "inc", "dec", "add", "sub", "revsub", "imax", "imin",
    "umax", "umin", "cmpwr", "predec",
];

const TARGETS: [&str; 8] = [
    "SIMD16",
    "SIMD16, one colour",
    "SIMD8, two sources, subspans 0 and 1",
    "SIMD8, two sources, subspans 2 and 3",
    "SIMD8",
    "",
    "",
    "replicated, tiled clear",
];

const BLOCKS: [&str; 6] =
    ["1 OWord, low", "1 OWord, high", "2 OWords", "4 OWords", "8 OWords", "16 OWords"];

const SIMD_MODES: [&str; 7] = ["SIMD4x2", "SIMD8", "SIMD16", "SIMD32/64", "", "SIMD8H", "SIMD16H"];

impl Field {
    /// The name of its key in JSON, and how it is read.
    const fn row(self) -> (&'static str, Reading) {
        use Reading::{Count, Flag, Names, Number, Raw};
        match self {
            Self::Surface => ("surface", Number("surface")),
            Self::Sampler => ("sampler", Number("sampler")),
            Self::SimdMode => ("simd", Names(&SIMD_MODES)),
            Self::HalfPrecision => ("half_precision", Flag("16 bits")),
            Self::Subtype => ("subtype", Names(&TARGETS)),
            Self::ReadSubtype => ("subtype", Names(&["SIMD16", "SIMD8"])),
            Self::UpperSlots => ("upper_slots", Flag("slots 31:16")),
            Self::LastTarget => ("last_target", Flag("last target")),
            Self::PerSample => ("per_sample", Flag("per sample")),
            Self::CoarsePixel => ("coarse_pixel", Flag("coarse pixels")),
            Self::TargetIndex => ("target", Number("target")),
            Self::SourceAlpha => ("source_alpha", Flag("source 0 alpha")),
            Self::NullTarget => ("null_target", Flag("null target")),
            Self::HighSlots => ("slots", Names(&["slots 7:0", "slots 15:8"])),
            Self::SlotGroup => ("slots", Names(&["SIMD4x2", "slots 7:0", "slots 15:8"])),
            Self::ChannelMask => ("channels", Names(&MASKS)),
            Self::SurfaceWidth => ("simd", Names(&["SIMD4x2", "SIMD16", "SIMD8"])),
            Self::AtomicWidth => ("simd", Names(&["SIMD16", "SIMD8"])),
            Self::Scale => ("scale", Raw),
            Self::AtomicOperation => ("atomic", Names(&ATOMICS)),
            Self::FloatOperation => ("atomic", Names(&["", "fmax", "fmin", "fcmpwr"])),
            Self::ReturnsOld => ("returns_old", Flag("old value returned")),
            Self::Wide => ("wide", Flag("64 bits")),
            Self::BlockSize => ("block", Names(&BLOCKS)),
            Self::DualSize => ("block", Names(&["2 times 1 OWord", "", "2 times 4 OWords"])),
            Self::Registers => ("registers", Count(&[1, 2, 4, 8], "registers")),
            Self::ScratchRegisters => ("registers", Count(&[1, 2, 0, 4], "registers")),
            Self::Width => ("simd", Names(&["SIMD8", "SIMD16"])),
            Self::DataSize => ("element", Names(&["byte", "word", "dword"])),
            Self::ElementSize => ("element", Names(&["byte", "dword", "qword", "hword"])),
            Self::Elements => ("elements", Count(&[1, 2, 4, 8], "elements")),
            Self::LineStride => ("line_stride", Number("line stride")),
            Self::Commit => ("commit", Flag("commit")),
            Self::Offset => ("offset", Number("offset")),
            Self::PerSlotOffset => ("per_slot_offset", Flag("offsets per slot")),
            Self::Interleave => ("interleave", Flag("interleaved")),
            Self::Complete => ("complete", Flag("complete")),
            Self::Masked => ("channel_masks", Flag("channel masks")),
            Self::ByDoubleword => ("by_dword", Flag("masked by dword")),
            Self::Invalidate => ("invalidate", Flag("invalidate")),
            Self::Acknowledge => ("acknowledge", Flag("acknowledged")),
            Self::Notify => ("notify", Number("notify")),
            Self::Requester => ("child", Flag("child thread")),
            Self::KeepsHandle => ("keeps_handle", Flag("URB handle kept")),
            Self::Linear => ("linear", Flag("linear")),
            Self::Data => ("data", Number("data")),
            Self::Control => ("control", Raw),
            Self::Signed => ("signed", Flag("signed")),
            Self::Partial => ("partial_precision", Flag("partial precision")),
            Self::Saturate => ("saturate", Flag("saturate")),
            Self::Scalar => ("scalar", Flag("scalar")),
            Self::ReturnFormat => ("format", Names(&["FLOAT32", "", "UINT32", "SINT32"])),
            Self::Swizzle => ("swizzle", Names(&["no swizzle", "interleaved", "transposed"])),
            Self::Allocate => ("allocate", Flag("allocate")),
            Self::Used => ("used", Flag("used")),
            Self::Cache => ("cache", Names(&["data cache", "render cache", "sampler cache"])),
            Self::Doublewords => ("block", Names(&["", "", "8 DWords", "16 DWords"])),
        }
    }

    /// Its name as a key.
    #[must_use]
    pub const fn key(self) -> &'static str {
        self.row().0
    }

    pub(super) const fn reading(self) -> Reading {
        self.row().1
    }

    /// Whether earlier generations lack a code.
    fn is_later(self, generation: Generation, bits: u32) -> bool {
        match (self, bits) {
            (Self::Subtype, 7) => generation < Generation::Gen9,
            (Self::BlockSize, 5) => generation < Generation::Gen12,
            _ => false,
        }
    }

    /// What its bits stand for.
    #[must_use]
    pub fn value(self, generation: Generation, bits: u32) -> Value {
        let index = bits as usize;
        match self.reading() {
            _ if self.is_later(generation, bits) => Value::Reserved(bits),
            // The code of SIMD4x2 until Gen8.
            Reading::Names(_)
                if self == Self::SimdMode && bits == 0 && generation >= Generation::Gen9 =>
            {
                Value::Name("SIMD8D")
            }
            Reading::Number(_) | Reading::Raw => Value::Number(bits),
            Reading::Flag(_) => Value::Flag(bits == 1),
            Reading::Count(counts, _) => match counts.get(index) {
                Some(count) if *count > 0 => Value::Number(*count),
                _ => Value::Reserved(bits),
            },
            Reading::Names(names) => match names.get(index) {
                Some(name) if !name.is_empty() => Value::Name(name),
                _ => Value::Reserved(bits),
            },
        }
    }
}
