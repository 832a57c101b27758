//! Where the fields of a descriptor stand, for each form of message: a column each for Gen4, Gen4.5, Gen7, Gen7.5
//! to Gen9, and Gen12.

use super::{
    super::generation::Generation,
    SharedFunction,
    bits::{Bits, bits},
    field::Field::{self, *},
};

pub(super) const HEADER: Bits = bits(19, 19);
/// In the extended descriptor. Constants of Gen9 have no place for bit 10.
pub(super) const EXTENDED_LENGTH: Bits = bits(10, 6);
/// The shared function in descriptors of Gen4 and Gen4.5.
pub(super) const FUNCTION: Bits = bits(27, 24);

/// Where the numbers of registers sent and returned stand.
pub(super) const fn lengths(generation: Generation) -> (Bits, Bits) {
    match generation {
        Generation::Gen4 | Generation::Gen45 => (bits(23, 20), bits(19, 16)),
        _ => (bits(28, 25), bits(24, 20)),
    }
}

/// Messages with the same fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// No field but those of every message.
    Plain,
    Sampler,
    Gateway,
    Spawner,
    Interpolator,
    Urb,
    UrbSimd8,
    TargetWrite,
    TargetRead,
    /// A surface and nothing else.
    Surface,
    Typed,
    TypedAtomic,
    Untyped,
    UntypedAtomic,
    /// Atomic operations whose number of channels no field says.
    Atomic,
    A64Atomic,
    FloatAtomic,
    A64FloatAtomic,
    Block,
    /// Blocks of registers.
    WideBlock,
    Dual,
    Scattered,
    /// Scattered bytes, words and doublewords.
    Bytes,
    A64Scattered,
    Media,
    Scaled,
    Fence,
    Scratch,
    /// Forms of Gen4 and Gen4.5.
    Math,
    EarlySampler,
    EarlyUrb,
    EarlyRead,
    EarlyReadBlock,
    EarlyReadDual,
    EarlyReadScattered,
    EarlyWrite,
    EarlyWriteBlock,
    EarlyWriteDual,
    EarlyWriteScattered,
    EarlyTarget,
    EarlyFlush,
}

type Columns = [Option<Bits>; 5];

const fn early(high: u8, low: u8) -> Columns {
    [Some(bits(high, low)), Some(bits(high, low)), None, None, None]
}

const fn gen4(high: u8, low: u8) -> Columns {
    [Some(bits(high, low)), None, None, None, None]
}

/// The same from Gen7 on.
const fn all(high: u8, low: u8) -> Columns {
    let bits = Some(bits(high, low));
    [None, None, bits, bits, bits]
}

const fn gen7(high: u8, low: u8) -> Columns {
    [None, None, Some(bits(high, low)), None, None]
}

const fn until_gen9(high: u8, low: u8) -> Columns {
    let bits = Some(bits(high, low));
    [None, None, bits, bits, None]
}

const fn after_gen7(high: u8, low: u8) -> Columns {
    let bits = Some(bits(high, low));
    [None, None, None, bits, bits]
}

const fn gen12(high: u8, low: u8) -> Columns {
    [None, None, None, None, Some(bits(high, low))]
}

/// One place on Gen7, another one after it.
const fn moved(gen7: Bits, later: Bits) -> Columns {
    [None, None, Some(gen7), Some(later), Some(later)]
}

/// Every field of each form, in the order in which it is said.
static FIELDS: &[(Form, &[(Field, Columns)])] = &[
    (Form::Plain, &[]),
    (
        Form::Sampler,
        &[
            (SimdMode, moved(bits(18, 17), bits(18, 17).below(29))),
            (HalfPrecision, after_gen7(30, 30)),
            (Surface, all(7, 0)),
            (Sampler, all(11, 8)),
        ],
    ),
    (
        Form::Gateway,
        &[
            (Acknowledge, early(14, 14)),
            (Acknowledge, until_gen9(14, 14)),
            (Notify, until_gen9(16, 15)),
        ],
    ),
    (Form::Spawner, &[(Requester, all(1, 1)), (KeepsHandle, all(4, 4))]),
    (
        Form::Interpolator,
        &[
            (Width, all(16, 16)),
            (Linear, all(14, 14)),
            (UpperSlots, all(11, 11)),
            (Data, all(7, 0)),
        ],
    ),
    (
        Form::Urb,
        &[
            (Offset, moved(bits(13, 3), bits(14, 4))),
            (PerSlotOffset, moved(bits(16, 16), bits(17, 17))),
            (Interleave, moved(bits(14, 14), bits(15, 15))),
            (Complete, gen7(15, 15)),
        ],
    ),
    (
        Form::UrbSimd8,
        &[
            (Offset, after_gen7(14, 4)),
            (PerSlotOffset, after_gen7(17, 17)),
            (Masked, after_gen7(15, 15)),
        ],
    ),
    (
        Form::TargetWrite,
        &[
            (Subtype, all(10, 8)),
            (UpperSlots, all(11, 11)),
            (LastTarget, all(12, 12)),
            (PerSample, after_gen7(13, 13)),
            (CoarsePixel, gen12(18, 18)),
            (HalfPrecision, after_gen7(30, 30)),
            (Surface, all(7, 0)),
        ],
    ),
    (
        Form::TargetRead,
        &[
            (ReadSubtype, after_gen7(8, 8)),
            (UpperSlots, after_gen7(11, 11)),
            (PerSample, after_gen7(13, 13)),
            (HalfPrecision, after_gen7(30, 30)),
            (Surface, all(7, 0)),
        ],
    ),
    (Form::Surface, &[(Surface, all(7, 0))]),
    (
        Form::Typed,
        &[
            (HighSlots, gen7(13, 13)),
            (SlotGroup, after_gen7(13, 12)),
            (ChannelMask, all(11, 8)),
            (Surface, all(7, 0)),
        ],
    ),
    (
        Form::TypedAtomic,
        &[
            (AtomicOperation, all(11, 8)),
            (HighSlots, all(12, 12)),
            (ReturnsOld, all(13, 13)),
            (Surface, all(7, 0)),
        ],
    ),
    (
        Form::Untyped,
        &[(SurfaceWidth, all(13, 12)), (ChannelMask, all(11, 8)), (Surface, all(7, 0))],
    ),
    (
        Form::UntypedAtomic,
        &[
            (AtomicOperation, all(11, 8)),
            (AtomicWidth, all(12, 12)),
            (ReturnsOld, all(13, 13)),
            (Surface, all(7, 0)),
        ],
    ),
    (
        Form::Atomic,
        &[(AtomicOperation, all(11, 8)), (ReturnsOld, all(13, 13)), (Surface, all(7, 0))],
    ),
    (
        Form::A64Atomic,
        &[
            (AtomicOperation, all(11, 8)),
            (Wide, all(12, 12)),
            (ReturnsOld, all(13, 13)),
            (Surface, all(7, 0)),
        ],
    ),
    (
        Form::FloatAtomic,
        &[
            (FloatOperation, all(10, 8)),
            (AtomicWidth, all(12, 12)),
            (ReturnsOld, all(13, 13)),
            (Surface, all(7, 0)),
        ],
    ),
    (
        Form::A64FloatAtomic,
        &[(FloatOperation, all(10, 8)), (ReturnsOld, all(13, 13)), (Surface, all(7, 0))],
    ),
    (Form::Block, &[(BlockSize, all(10, 8)), (Surface, all(7, 0))]),
    (Form::WideBlock, &[(Registers, all(10, 8)), (Surface, all(7, 0))]),
    (Form::Dual, &[(DualSize, all(9, 8)), (Surface, all(7, 0))]),
    (Form::Scattered, &[(Width, all(8, 8)), (Elements, all(11, 10)), (Surface, all(7, 0))]),
    (Form::Bytes, &[(Width, all(8, 8)), (DataSize, all(11, 10)), (Surface, all(7, 0))]),
    (
        Form::A64Scattered,
        &[
            (Width, all(12, 12)),
            (ElementSize, all(9, 8)),
            (Elements, all(11, 10)),
            (Surface, all(7, 0)),
        ],
    ),
    (Form::Media, &[(LineStride, all(10, 8)), (Surface, all(7, 0))]),
    (Form::Scaled, &[(Scale, all(14, 14)), (Surface, all(7, 0))]),
    (Form::Fence, &[(Commit, all(13, 13)), (Surface, all(7, 0))]),
    (
        Form::Scratch,
        &[
            (ScratchRegisters, gen7(13, 12)),
            (Registers, after_gen7(13, 12)),
            (Offset, all(11, 0)),
            (ByDoubleword, until_gen9(16, 16)),
            (Invalidate, all(15, 15)),
        ],
    ),
    (
        Form::Math,
        &[
            (Signed, early(4, 4)),
            (Partial, early(5, 5)),
            (Saturate, early(6, 6)),
            (Scalar, early(7, 7)),
        ],
    ),
    (
        Form::EarlySampler,
        &[(Surface, early(7, 0)), (Sampler, early(11, 8)), (ReturnFormat, gen4(13, 12))],
    ),
    (
        Form::EarlyUrb,
        &[
            (Offset, early(9, 4)),
            (Swizzle, early(11, 10)),
            (Allocate, early(13, 13)),
            (Used, early(14, 14)),
            (Complete, early(15, 15)),
        ],
    ),
    (Form::EarlyRead, &[(Surface, early(7, 0)), (Cache, early(15, 14))]),
    (
        Form::EarlyReadBlock,
        &[(BlockSize, early(10, 8)), (Surface, early(7, 0)), (Cache, early(15, 14))],
    ),
    (
        Form::EarlyReadDual,
        &[(DualSize, early(9, 8)), (Surface, early(7, 0)), (Cache, early(15, 14))],
    ),
    (
        Form::EarlyReadScattered,
        &[(Doublewords, early(9, 8)), (Surface, early(7, 0)), (Cache, early(15, 14))],
    ),
    (Form::EarlyWrite, &[(Surface, early(7, 0)), (Commit, early(15, 15))]),
    (
        Form::EarlyWriteBlock,
        &[(BlockSize, early(10, 8)), (Surface, early(7, 0)), (Commit, early(15, 15))],
    ),
    (
        Form::EarlyWriteDual,
        &[(DualSize, early(9, 8)), (Surface, early(7, 0)), (Commit, early(15, 15))],
    ),
    (
        Form::EarlyWriteScattered,
        &[(Doublewords, early(9, 8)), (Surface, early(7, 0)), (Commit, early(15, 15))],
    ),
    (
        Form::EarlyTarget,
        &[
            (Subtype, early(10, 8)),
            (Surface, early(7, 0)),
            (LastTarget, early(11, 11)),
            (Commit, early(15, 15)),
        ],
    ),
    (Form::EarlyFlush, &[(Commit, early(15, 15))]),
];

/// Fields of render target writes in the extended descriptor of Gen12.
static TARGET_FIELDS: [(Field, Bits); 3] =
    [(TargetIndex, bits(14, 12)), (SourceAlpha, bits(15, 15)), (NullTarget, bits(20, 20))];

const fn column(generation: Generation) -> usize {
    match generation {
        Generation::Gen4 => 0,
        Generation::Gen45 => 1,
        Generation::Gen7 => 2,
        Generation::Gen75 | Generation::Gen8 | Generation::Gen9 => 3,
        Generation::Gen12 => 4,
    }
}

/// The fields of an operation of a form; of a reserved one to a data port those that all share.
pub(super) fn fields(
    generation: Generation,
    function: SharedFunction,
    form: Option<Form>,
) -> impl Iterator<Item = (Field, Bits)> {
    let is_early = generation <= Generation::Gen45;
    let form = match (form, function) {
        (Some(form), _) => form,
        (None, SharedFunction::Sampler) if is_early => Form::EarlySampler,
        (None, SharedFunction::Sampler) => Form::Sampler,
        (None, SharedFunction::ExtendedMath) => Form::Math,
        (None, SharedFunction::DataPortRead) => Form::EarlyRead,
        (None, SharedFunction::DataPortWrite) => Form::EarlyWrite,
        (None, SharedFunction::Urb) if is_early => Form::EarlyUrb,
        (None, SharedFunction::Urb) => Form::Urb,
        (None, SharedFunction::Gateway) => Form::Gateway,
        (None, SharedFunction::DataCache2) => Form::Scaled,
        (None, function) if function.is_data_port() => Form::Surface,
        (None, _) => Form::Plain,
    };
    let row = FIELDS.iter().find(|(known, _)| *known == form);
    let own = row.map_or(&[] as &[_], |(_, fields)| fields).iter();
    let own = own.filter_map(move |(field, columns)| Some((*field, columns[column(generation)]?)));
    let control = match (function, generation) {
        (SharedFunction::DataPortRead, Generation::Gen45) => bits(10, 8),
        (_, Generation::Gen4 | Generation::Gen45) => bits(11, 8),
        _ => bits(13, 8),
    };
    own.chain(function.is_data_port().then_some((Control, control)))
}

/// The fields of an operation of a form in its extended descriptor.
pub(super) fn extended_fields(
    generation: Generation,
    form: Option<Form>,
) -> impl Iterator<Item = (Field, Bits)> {
    let is_target = form == Some(Form::TargetWrite);
    let rows = if is_target && generation >= Generation::Gen12 { &TARGET_FIELDS[..] } else { &[] };
    rows.iter().copied()
}
