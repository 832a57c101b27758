//! The operations of each shared function by their codes: `eu-sampler-messages-by-gen`, `eu-message-types`,
//! `eu-urb-messages-by-gen`, `eu-pixel-interpolator`; before Gen7 G45 volume 4.

use super::{
    super::generation::Generation::{self, Gen4, Gen7, Gen8, Gen9, Gen12, Gen45, Gen75},
    SharedFunction::{
        self, ConstantCache, DataCache0, DataCache1, DataCache2, DataPortRead, DataPortWrite,
        ExtendedMath, Gateway, PixelInterpolator, ReadOnlyCache, RenderCache, Sampler,
        SamplerCache, ThreadSpawner, Urb,
    },
    bits::bits,
    layout::Form,
};

/// A row: an operation of a shared function.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) function: SharedFunction,
    pub(super) code: u8,
    /// Bits of the descriptor that tell operations of one code apart.
    pub(super) subtype: Option<(u8, u8, u32)>,
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) first: Generation,
    pub(super) last: Generation,
}

const fn row(
    function: SharedFunction,
    code: u8,
    name: &'static str,
    form: Form,
    generations: (Generation, Generation),
) -> Operation {
    Operation {
        function,
        code,
        subtype: None,
        name,
        form,
        first: generations.0,
        last: generations.1,
    }
}

impl Operation {
    /// The same of those of its code that have these bits.
    const fn with(mut self, high: u8, low: u8, value: u32) -> Self {
        self.subtype = Some((high, low, value));
        self
    }
}

const EARLY: (Generation, Generation) = (Gen4, Gen45);
const GEN4: (Generation, Generation) = (Gen4, Gen4);
const GEN45: (Generation, Generation) = (Gen45, Gen45);
const EVERY: (Generation, Generation) = (Gen7, Gen12);
const GEN7: (Generation, Generation) = (Gen7, Gen7);
const GEN75_ON: (Generation, Generation) = (Gen75, Gen12);
const GEN8_ON: (Generation, Generation) = (Gen8, Gen12);
const GEN9_ON: (Generation, Generation) = (Gen9, Gen12);
const GEN12: (Generation, Generation) = (Gen12, Gen12);
const UNTIL_GEN8: (Generation, Generation) = (Gen7, Gen8);
const UNTIL_GEN9: (Generation, Generation) = (Gen7, Gen9);
const GEN9: (Generation, Generation) = (Gen9, Gen9);

/// Every operation of Gen7 and later. Of rows of one code those with a subtype stand first.
pub(super) static OPERATIONS: &[Operation] = &[
    row(Sampler, 31, "cache flush", Form::Sampler, EVERY).with(18, 17, 3),
    row(Sampler, 0, "sample", Form::Sampler, EVERY),
    row(Sampler, 1, "sample_b", Form::Sampler, EVERY),
    row(Sampler, 2, "sample_l", Form::Sampler, EVERY),
    row(Sampler, 3, "sample_c", Form::Sampler, EVERY),
    row(Sampler, 4, "sample_d", Form::Sampler, EVERY),
    row(Sampler, 5, "sample_b_c", Form::Sampler, EVERY),
    row(Sampler, 6, "sample_l_c", Form::Sampler, EVERY),
    row(Sampler, 7, "ld", Form::Sampler, EVERY),
    row(Sampler, 8, "gather4", Form::Sampler, EVERY),
    row(Sampler, 9, "lod", Form::Sampler, EVERY),
    row(Sampler, 10, "resinfo", Form::Sampler, EVERY),
    row(Sampler, 11, "sampleinfo", Form::Sampler, EVERY),
    row(Sampler, 12, "sample_killpix", Form::Sampler, EVERY),
    row(Sampler, 16, "gather4_c", Form::Sampler, EVERY),
    row(Sampler, 17, "gather4_po", Form::Sampler, EVERY),
    row(Sampler, 18, "gather4_po_c", Form::Sampler, EVERY),
    row(Sampler, 20, "sample_d_c", Form::Sampler, GEN75_ON),
    row(Sampler, 22, "sample_min", Form::Sampler, GEN9_ON),
    row(Sampler, 23, "sample_max", Form::Sampler, GEN9_ON),
    row(Sampler, 24, "sample_lz", Form::Sampler, GEN9_ON),
    row(Sampler, 25, "sample_c_lz", Form::Sampler, GEN9_ON),
    row(Sampler, 26, "ld_lz", Form::Sampler, GEN9_ON),
    row(Sampler, 28, "ld2dms_w", Form::Sampler, GEN9_ON),
    row(Sampler, 29, "ld_mcs", Form::Sampler, EVERY),
    row(Sampler, 30, "ld2dms", Form::Sampler, EVERY),
    row(Sampler, 31, "ld2dss", Form::Sampler, EVERY),
    row(Gateway, 0, "open gateway", Form::Gateway, UNTIL_GEN9),
    row(Gateway, 1, "close gateway", Form::Gateway, UNTIL_GEN9),
    row(Gateway, 2, "forward message", Form::Gateway, UNTIL_GEN9),
    row(Gateway, 3, "get timestamp", Form::Gateway, UNTIL_GEN9),
    row(Gateway, 4, "barrier", Form::Gateway, EVERY),
    row(Gateway, 5, "update gateway state", Form::Gateway, UNTIL_GEN9),
    row(Gateway, 6, "MMIO read/write", Form::Gateway, UNTIL_GEN9),
    row(SamplerCache, 1, "unaligned OWord block read", Form::Block, UNTIL_GEN8),
    row(SamplerCache, 4, "media block read", Form::Media, UNTIL_GEN8),
    row(DataCache2, 1, "scaled untyped surface read", Form::Scaled, GEN9),
    row(DataCache2, 2, "scaled A64 scattered read", Form::Scaled, GEN9),
    row(DataCache2, 3, "scaled A64 untyped surface read", Form::Scaled, GEN9),
    row(DataCache2, 4, "scaled byte scattered read", Form::Scaled, GEN9),
    row(DataCache2, 9, "scaled untyped surface write", Form::Scaled, GEN9),
    row(DataCache2, 10, "scaled A64 untyped surface write", Form::Scaled, GEN9),
    row(DataCache2, 11, "scaled A64 scattered write", Form::Scaled, GEN9),
    row(DataCache2, 12, "scaled byte scattered write", Form::Scaled, GEN9),
    row(RenderCache, 4, "media block read", Form::Media, EVERY),
    row(RenderCache, 5, "typed surface read", Form::Typed, GEN7),
    row(RenderCache, 6, "typed atomic", Form::TypedAtomic, GEN7),
    row(RenderCache, 7, "memory fence", Form::Fence, EVERY),
    row(RenderCache, 10, "media block write", Form::Media, EVERY),
    row(RenderCache, 12, "render target write", Form::TargetWrite, EVERY),
    row(RenderCache, 13, "typed surface write", Form::Typed, GEN7),
    row(RenderCache, 13, "render target read", Form::TargetRead, GEN9_ON),
    row(Urb, 0, "write HWord", Form::Urb, EVERY),
    row(Urb, 1, "write OWord", Form::Urb, EVERY),
    row(Urb, 2, "read HWord", Form::Urb, EVERY),
    row(Urb, 3, "read OWord", Form::Urb, EVERY),
    row(Urb, 4, "atomic mov", Form::Urb, EVERY),
    row(Urb, 5, "atomic inc", Form::Urb, EVERY),
    row(Urb, 6, "atomic add", Form::Urb, GEN8_ON),
    row(Urb, 7, "SIMD8 write", Form::UrbSimd8, GEN8_ON),
    row(Urb, 8, "SIMD8 read", Form::UrbSimd8, GEN8_ON),
    row(ThreadSpawner, 0, "end of thread", Form::Spawner, EVERY).with(4, 4, 1),
    row(ThreadSpawner, 0, "dereference resource", Form::Spawner, EVERY),
    row(ConstantCache, 0, "OWord block read", Form::Block, UNTIL_GEN8),
    row(ConstantCache, 1, "unaligned OWord block read", Form::Block, UNTIL_GEN8),
    row(ConstantCache, 2, "OWord dual block read", Form::Dual, UNTIL_GEN8),
    row(ConstantCache, 3, "dword scattered read", Form::Scattered, UNTIL_GEN8),
    row(ReadOnlyCache, 0, "OWord block read", Form::Block, GEN9_ON),
    row(ReadOnlyCache, 1, "unaligned OWord block read", Form::Block, GEN9_ON),
    row(ReadOnlyCache, 2, "OWord dual block read", Form::Dual, GEN9),
    row(ReadOnlyCache, 3, "dword scattered read", Form::Scattered, GEN9_ON),
    row(ReadOnlyCache, 4, "sampler cache unaligned OWord block read", Form::Block, GEN9),
    row(ReadOnlyCache, 5, "sampler cache media block read", Form::Media, GEN9),
    row(ReadOnlyCache, 6, "read surface info", Form::Surface, GEN9),
    row(DataCache0, 0, "OWord block read", Form::Block, EVERY),
    row(DataCache0, 1, "unaligned OWord block read", Form::Block, EVERY),
    row(DataCache0, 2, "OWord dual block read", Form::Dual, UNTIL_GEN9),
    row(DataCache0, 3, "dword scattered read", Form::Scattered, EVERY),
    row(DataCache0, 4, "byte scattered read", Form::Bytes, EVERY),
    row(DataCache0, 5, "untyped surface read", Form::Untyped, GEN7),
    row(DataCache0, 5, "qword scattered read", Form::Scattered, GEN12),
    row(DataCache0, 6, "untyped atomic", Form::UntypedAtomic, GEN7),
    row(DataCache0, 7, "memory fence", Form::Fence, EVERY),
    row(DataCache0, 8, "OWord block write", Form::Block, EVERY),
    row(DataCache0, 10, "OWord dual block write", Form::Dual, UNTIL_GEN9),
    row(DataCache0, 11, "dword scattered write", Form::Scattered, EVERY),
    row(DataCache0, 12, "byte scattered write", Form::Bytes, EVERY),
    row(DataCache0, 13, "untyped surface write", Form::Untyped, GEN7),
    row(DataCache0, 13, "qword scattered write", Form::Scattered, GEN12),
    row(PixelInterpolator, 0, "shared offset", Form::Interpolator, EVERY),
    row(PixelInterpolator, 1, "sample position", Form::Interpolator, EVERY),
    row(PixelInterpolator, 2, "centroid", Form::Interpolator, EVERY),
    row(PixelInterpolator, 3, "per-slot offset", Form::Interpolator, EVERY),
    row(DataCache1, 1, "untyped surface read", Form::Untyped, GEN75_ON),
    row(DataCache1, 2, "untyped atomic", Form::UntypedAtomic, GEN75_ON),
    row(DataCache1, 3, "untyped atomic SIMD4x2", Form::Atomic, (Gen75, Gen9)),
    row(DataCache1, 3, "untyped atomic, 16-bit integer", Form::UntypedAtomic, GEN12),
    row(DataCache1, 4, "media block read", Form::Media, GEN75_ON),
    row(DataCache1, 5, "typed surface read", Form::Typed, GEN75_ON),
    row(DataCache1, 6, "typed atomic", Form::TypedAtomic, GEN75_ON),
    row(DataCache1, 7, "typed atomic SIMD4x2", Form::Atomic, GEN75_ON),
    row(DataCache1, 9, "untyped surface write", Form::Untyped, GEN75_ON),
    row(DataCache1, 10, "media block write", Form::Media, GEN75_ON),
    row(DataCache1, 11, "atomic counter", Form::UntypedAtomic, GEN75_ON),
    row(DataCache1, 12, "atomic counter SIMD4x2", Form::Atomic, GEN75_ON),
    row(DataCache1, 13, "typed surface write", Form::Typed, GEN75_ON),
    row(DataCache1, 16, "A64 scattered read", Form::A64Scattered, GEN9_ON),
    row(DataCache1, 17, "A64 untyped surface read", Form::Untyped, GEN8_ON),
    row(DataCache1, 18, "A64 untyped atomic", Form::A64Atomic, GEN8_ON),
    row(DataCache1, 19, "A64 untyped atomic, 16-bit integer", Form::Atomic, GEN12),
    row(DataCache1, 20, "A64 OWord block read", Form::Block, GEN9_ON).with(12, 11, 0),
    row(DataCache1, 20, "A64 unaligned OWord block read", Form::Block, GEN9_ON).with(12, 11, 1),
    row(DataCache1, 20, "A64 HWord block read", Form::WideBlock, GEN9_ON).with(12, 11, 3),
    row(DataCache1, 21, "A64 OWord block write", Form::Block, GEN9_ON).with(12, 11, 0),
    row(DataCache1, 21, "A64 HWord block write", Form::WideBlock, GEN9_ON).with(12, 11, 3),
    row(DataCache1, 25, "A64 untyped surface write", Form::Untyped, GEN8_ON),
    row(DataCache1, 26, "A64 scattered write", Form::A64Scattered, GEN8_ON),
    row(DataCache1, 27, "untyped atomic float", Form::FloatAtomic, GEN9_ON),
    row(DataCache1, 28, "untyped atomic, 16-bit float", Form::FloatAtomic, GEN12),
    row(DataCache1, 29, "A64 untyped atomic float", Form::A64FloatAtomic, GEN9_ON),
    row(DataCache1, 30, "A64 untyped atomic, 16-bit float", Form::A64FloatAtomic, GEN12),
];

/// Every operation of Gen4 and Gen4.5. What the sampler does follows from its code and the message length.
pub(super) static EARLY_OPERATIONS: &[Operation] = &[
    row(ExtendedMath, 1, "INV", Form::Math, EARLY),
    row(ExtendedMath, 2, "LOG", Form::Math, EARLY),
    row(ExtendedMath, 3, "EXP", Form::Math, EARLY),
    row(ExtendedMath, 4, "SQRT", Form::Math, EARLY),
    row(ExtendedMath, 5, "RSQ", Form::Math, EARLY),
    row(ExtendedMath, 6, "SIN", Form::Math, EARLY),
    row(ExtendedMath, 7, "COS", Form::Math, EARLY),
    row(ExtendedMath, 8, "SINCOS", Form::Math, EARLY),
    row(ExtendedMath, 10, "POW", Form::Math, EARLY),
    row(ExtendedMath, 11, "INT DIV (quotient and remainder)", Form::Math, EARLY),
    row(ExtendedMath, 12, "INT DIV (quotient)", Form::Math, EARLY),
    row(ExtendedMath, 13, "INT DIV (remainder)", Form::Math, EARLY),
    row(Sampler, 0, "sample u (SIMD16)", Form::EarlySampler, EARLY).with(23, 20, 3),
    row(Sampler, 0, "sample u, v (SIMD16)", Form::EarlySampler, EARLY).with(23, 20, 5),
    row(Sampler, 0, "sample u, v, r (SIMD16)", Form::EarlySampler, EARLY).with(23, 20, 7),
    row(Sampler, 0, "sample u, v, r (SIMD8)", Form::EarlySampler, EARLY).with(23, 20, 4),
    row(Sampler, 1, "sample+killpix u, v, r (SIMD8)", Form::EarlySampler, EARLY).with(23, 20, 4),
    row(Sampler, 0, "sample_b u, v, r, bias (SIMD16)", Form::EarlySampler, EARLY).with(23, 20, 9),
    row(Sampler, 1, "sample_l u, v, r, lod (SIMD16)", Form::EarlySampler, EARLY).with(23, 20, 9),
    row(Sampler, 1, "sample_l u, v, r, lod (SIMD4x2)", Form::EarlySampler, EARLY).with(23, 20, 2),
    row(Sampler, 2, "sample_c u, v, r, ref (SIMD16)", Form::EarlySampler, EARLY).with(23, 20, 9),
    row(Sampler, 0, "sample_c u, v, r, ref (SIMD4x2)", Form::EarlySampler, EARLY).with(23, 20, 2),
    row(Sampler, 0, "sample_b_c u, v, r, bias, ref (SIMD8)", Form::EarlySampler, EARLY)
        .with(23, 20, 6),
    row(Sampler, 1, "sample_l_c u, v, r, lod, ref (SIMD8)", Form::EarlySampler, EARLY)
        .with(23, 20, 6),
    row(Sampler, 1, "sample_l_c u, v, r, lod, ref (SIMD4x2)", Form::EarlySampler, EARLY)
        .with(23, 20, 3),
    row(Sampler, 3, "ld u (SIMD16)", Form::EarlySampler, EARLY).with(23, 20, 3),
    row(Sampler, 3, "ld u, v (SIMD16)", Form::EarlySampler, EARLY).with(23, 20, 5),
    row(Sampler, 3, "ld u, v, r (SIMD16)", Form::EarlySampler, EARLY).with(23, 20, 7),
    row(Sampler, 3, "ld u, v, r (SIMD8)", Form::EarlySampler, EARLY).with(23, 20, 4),
    row(Sampler, 3, "ld u, v, r, lod (SIMD16)", Form::EarlySampler, EARLY).with(23, 20, 9),
    row(Sampler, 3, "ld u, v, r, lod (SIMD4x2)", Form::EarlySampler, EARLY).with(23, 20, 2),
    row(Sampler, 2, "sample_g u, v (SIMD8)", Form::EarlySampler, EARLY).with(23, 20, 7),
    row(Sampler, 2, "sample_g u, v, r (SIMD8)", Form::EarlySampler, EARLY).with(23, 20, 10),
    row(Sampler, 2, "sample_g u, v, r (SIMD4x2)", Form::EarlySampler, EARLY).with(23, 20, 4),
    row(Sampler, 2, "resinfo (SIMD16)", Form::EarlySampler, EARLY).with(23, 20, 3),
    row(Sampler, 2, "resinfo (SIMD4x2)", Form::EarlySampler, EARLY).with(23, 20, 2),
    row(Gateway, 0, "open gateway", Form::Gateway, EARLY),
    row(Gateway, 1, "close gateway", Form::Gateway, EARLY),
    row(Gateway, 2, "forward message", Form::Gateway, EARLY),
    row(DataPortRead, 0, "OWord block read", Form::EarlyReadBlock, GEN4),
    row(DataPortRead, 0, "OWord block read", Form::EarlyReadBlock, GEN45),
    row(DataPortRead, 1, "OWord dual block read", Form::EarlyReadDual, GEN4),
    row(DataPortRead, 2, "OWord dual block read", Form::EarlyReadDual, GEN45),
    row(DataPortRead, 3, "AVC loop filter read", Form::EarlyRead, GEN45),
    row(DataPortRead, 2, "media block read", Form::EarlyRead, GEN4),
    row(DataPortRead, 4, "media block read", Form::EarlyRead, GEN45),
    row(DataPortRead, 3, "DWord scattered read", Form::EarlyReadScattered, GEN4),
    row(DataPortRead, 6, "DWord scattered read", Form::EarlyReadScattered, GEN45),
    row(DataPortWrite, 0, "OWord block write", Form::EarlyWriteBlock, EARLY),
    row(DataPortWrite, 1, "OWord dual block write", Form::EarlyWriteDual, EARLY),
    row(DataPortWrite, 2, "media block write", Form::EarlyWrite, EARLY),
    row(DataPortWrite, 3, "DWord scattered write", Form::EarlyWriteScattered, EARLY),
    row(DataPortWrite, 4, "render target write", Form::EarlyTarget, EARLY),
    row(DataPortWrite, 5, "streamed vertex buffer write", Form::EarlyWrite, EARLY),
    row(DataPortWrite, 7, "flush render cache", Form::EarlyFlush, EARLY),
    row(Urb, 0, "URB write", Form::EarlyUrb, EARLY),
];

/// Scratch blocks of data port 0: bit 17 of the descriptor instead of a code.
static SCRATCH: [Operation; 2] = [
    row(DataCache0, 0, "scratch block read", Form::Scratch, EVERY),
    row(DataCache0, 1, "scratch block write", Form::Scratch, EVERY),
];

/// The operation of a descriptor.
pub(super) fn of(
    generation: Generation,
    function: SharedFunction,
    descriptor: u32,
    code: Option<u8>,
) -> Option<&'static Operation> {
    if function == DataCache0 && bits(18, 18).of(descriptor) == 1 {
        return SCRATCH.get(bits(17, 17).of(descriptor) as usize);
    }
    OPERATIONS.iter().chain(EARLY_OPERATIONS).find(|row| {
        let has = |(high, low, value): (u8, u8, u32)| bits(high, low).of(descriptor) == value;
        row.function == function
            && Some(row.code) == code
            && row.subtype.is_none_or(has)
            && (row.first..=row.last).contains(&generation)
    })
}
