//! Where the fields of a descriptor stand, for each form of message: a column each for Gen7, Gen7.5 to
//! Gen9, and Gen12.

use super::{
    super::generation::Generation,
    SharedFunction,
    field::Field::{self, *},
    operation::Operation,
};

/// A range of bits, with the bits that stand elsewhere and go before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bits {
    pub(super) high: u8,
    pub(super) low: u8,
    pub(super) above: Option<u8>,
}

/// Bits `high:low`.
pub(super) const fn bits(high: u8, low: u8) -> Bits {
    Bits { high, low, above: None }
}

impl Bits {
    /// The same with one bit more, which counts most.
    const fn below(self, bit: u8) -> Self {
        Self { above: Some(bit), ..self }
    }

    /// Their value.
    pub(super) const fn of(self, word: u32) -> u32 {
        let width = self.high - self.low + 1;
        let value = word >> self.low & (u32::MAX >> (32 - width));
        match self.above {
            Some(bit) => (word >> bit & 1) << width | value,
            None => value,
        }
    }
}

pub(super) const HEADER: Bits = bits(19, 19);
pub(super) const RESPONSE_LENGTH: Bits = bits(24, 20);
pub(super) const MESSAGE_LENGTH: Bits = bits(28, 25);
/// In the extended descriptor.
pub(super) const EXTENDED_LENGTH: Bits = bits(9, 6);

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
    Fence,
    Scratch,
}

type Columns = [Option<Bits>; 3];

/// The same on every generation.
const fn all(high: u8, low: u8) -> Columns {
    [Some(bits(high, low)); 3]
}

const fn gen7(high: u8, low: u8) -> Columns {
    [Some(bits(high, low)), None, None]
}

const fn until_gen9(high: u8, low: u8) -> Columns {
    [Some(bits(high, low)), Some(bits(high, low)), None]
}

const fn after_gen7(high: u8, low: u8) -> Columns {
    [None, Some(bits(high, low)), Some(bits(high, low))]
}

const fn gen12(high: u8, low: u8) -> Columns {
    [None, None, Some(bits(high, low))]
}

/// Every field of each form, in the order in which it is said.
static FIELDS: &[(Form, &[(Field, Columns)])] = &[
    (Form::Plain, &[]),
    (
        Form::Sampler,
        &[
            (
                SimdMode,
                [
                    Some(bits(18, 17)),
                    Some(bits(18, 17).below(29)),
                    Some(bits(18, 17).below(29)),
                ],
            ),
            (HalfPrecision, after_gen7(30, 30)),
            (Surface, all(7, 0)),
            (Sampler, all(11, 8)),
        ],
    ),
    (Form::Gateway, &[(Acknowledge, until_gen9(14, 14)), (Notify, until_gen9(16, 15))]),
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
            (Offset, [Some(bits(13, 3)), Some(bits(14, 4)), Some(bits(14, 4))]),
            (PerSlotOffset, [Some(bits(16, 16)), Some(bits(17, 17)), Some(bits(17, 17))]),
            (Interleave, [Some(bits(14, 14)), Some(bits(15, 15)), Some(bits(15, 15))]),
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
    (
        Form::Scattered,
        &[(Width, all(8, 8)), (Elements, all(11, 10)), (Surface, all(7, 0))],
    ),
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
];

/// Fields of render target writes in the extended descriptor of Gen12.
static TARGET_FIELDS: [(Field, Bits); 3] = [
    (TargetIndex, bits(14, 12)),
    (SourceAlpha, bits(15, 15)),
    (NullTarget, bits(20, 20)),
];

const fn column(generation: Generation) -> usize {
    match generation {
        Generation::Gen4 | Generation::Gen45 | Generation::Gen7 => 0,
        Generation::Gen75 | Generation::Gen8 | Generation::Gen9 => 1,
        Generation::Gen12 => 2,
    }
}

/// The fields of an operation; of a reserved one to a data port those that all share.
pub(super) fn fields(
    generation: Generation,
    function: SharedFunction,
    operation: Option<&Operation>,
) -> impl Iterator<Item = (Field, Bits)> {
    let form = match (operation, function) {
        (Some(operation), _) => operation.form,
        (None, SharedFunction::Sampler) => Form::Sampler,
        (None, SharedFunction::Urb) => Form::Urb,
        (None, SharedFunction::Gateway) => Form::Gateway,
        (None, function) if function.is_data_port() => Form::Surface,
        (None, _) => Form::Plain,
    };
    let row = FIELDS.iter().find(|(known, _)| *known == form);
    let own = row.map_or(&[] as &[_], |(_, fields)| fields).iter();
    let own = own.filter_map(move |(field, columns)| Some((*field, columns[column(generation)]?)));
    own.chain(function.is_data_port().then_some((Control, bits(13, 8))))
}

/// The fields of an operation in its extended descriptor.
pub(super) fn extended_fields(
    generation: Generation,
    operation: Option<&Operation>,
) -> impl Iterator<Item = (Field, Bits)> {
    let is_target = operation.is_some_and(|operation| operation.form == Form::TargetWrite);
    let rows = if is_target && generation >= Generation::Gen12 { &TARGET_FIELDS[..] } else { &[] };
    rows.iter().copied()
}
