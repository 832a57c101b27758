//! What restrictions ask about an operand.

use super::prelude::*;

/// What destinations and sources are asked alike.
pub(super) trait Operand {
    /// None if it is an immediate.
    fn register(&self) -> Option<Register>;

    fn data_type(&self) -> DataType;

    /// Where elements start, from the start of the register, by channel: of a region whose rows the
    /// instruction places next to each other, not null, not an accumulator, whose channels do not lie at
    /// byte offsets.
    fn bytes(&self) -> &[usize];

    /// Bytes of an element in one register: half of a double that takes two channels.
    fn unit(&self) -> usize;

    /// Bytes from the start of the register to the end of its last element.
    fn end(&self) -> usize {
        self.bytes().iter().max().map_or(0, |last| last + self.unit())
    }

    fn spans_two(&self) -> bool {
        self.bytes().iter().any(|byte| *byte >= REGISTER_BYTES)
    }

    fn arf(&self) -> Option<ArfKind> {
        self.register().and_then(Register::arf)
    }

    fn is_arf(&self, kind: ArfKind) -> bool {
        self.arf() == Some(kind)
    }

    fn is_accumulator(&self) -> bool {
        self.is_arf(ArfKind::Accumulator)
    }

    fn is_null(&self) -> bool {
        self.is_arf(ArfKind::Null)
    }

    fn is_indirect(&self) -> bool {
        matches!(self.register(), Some(Register::Indirect { .. }))
    }

    fn is_in(&self, file: RegisterFile) -> bool {
        self.register().is_some_and(|register| register.file() == file)
    }

    fn is_general(&self) -> bool {
        self.is_in(RegisterFile::Grf)
    }

    /// Whether the instruction names a general register and no address.
    fn is_general_direct(&self) -> bool {
        self.is_general() && !self.is_indirect()
    }

    /// Byte offset in the register; 0 where only the address register says.
    fn subregister(&self) -> usize {
        match self.register() {
            Some(Register::Direct { subregister, .. }) => subregister.into(),
            _ => 0,
        }
    }

    fn number(&self) -> usize {
        match self.register() {
            Some(Register::Direct { number, .. }) => number.into(),
            _ => 0,
        }
    }

    /// The address subregister that an indirect operand starts with.
    fn address(&self) -> Option<usize> {
        match self.register() {
            Some(Register::Indirect { address_subregister, .. }) => {
                Some(address_subregister.into())
            }
            _ => None,
        }
    }
}

/// A destination that an instruction has.
pub(super) struct DestinationFacts {
    pub(super) register: Register,
    pub(super) data_type: DataType,
    pub(super) region: DestinationRegion,
    bytes: Vec<usize>,
    unit: usize,
}

/// A source that an instruction has.
pub(super) struct SourceFacts {
    pub(super) index: usize,
    pub(super) data_type: DataType,
    source: Source,
    bytes: Vec<usize>,
    unit: usize,
}

impl Operand for DestinationFacts {
    fn register(&self) -> Option<Register> {
        Some(self.register)
    }

    fn data_type(&self) -> DataType {
        self.data_type
    }

    fn bytes(&self) -> &[usize] {
        &self.bytes
    }

    fn unit(&self) -> usize {
        self.unit
    }
}

impl Operand for SourceFacts {
    fn register(&self) -> Option<Register> {
        match self.source {
            Source::Register { register, .. } => Some(register),
            Source::Immediate { .. } => None,
        }
    }

    fn data_type(&self) -> DataType {
        self.data_type
    }

    fn bytes(&self) -> &[usize] {
        if self.is_null() || self.is_accumulator() { &[] } else { &self.bytes }
    }

    fn unit(&self) -> usize {
        self.unit
    }
}

impl DestinationFacts {
    /// That of so many channels, the elements of which have so many bytes.
    pub(super) fn of(destination: Destination, channels: usize, unit: usize) -> Self {
        let Destination { register, data_type, region } = destination;
        let mut facts = Self { register, data_type, region, bytes: Vec::new(), unit };
        let start = |channel| facts.subregister() + channel * facts.step();
        facts.bytes = (0..channels).map(start).collect();
        facts
    }

    /// Elements between neighbouring channels; 1 in Align16.
    pub(super) fn stride(&self) -> usize {
        match self.region {
            DestinationRegion::Stride(stride) => stride.into(),
            DestinationRegion::ChannelEnable(_) => 1,
        }
    }

    /// Bytes between neighbouring channels.
    pub(super) fn step(&self) -> usize {
        self.stride() * self.unit
    }

    /// Whether it has elements in a place the instruction names: neither null nor indirect.
    pub(super) fn is_direct(&self) -> bool {
        !self.is_null() && !self.is_indirect()
    }
}

impl SourceFacts {
    /// That of so many channels, the elements of which have so many bytes.
    pub(super) fn of(
        index: usize,
        source: Source,
        generation: Generation,
        channels: usize,
        unit: usize,
    ) -> Self {
        let mut facts = Self { index, data_type: source.data_type(), source, bytes: vec![], unit };
        facts.bytes = facts.starts(generation < Generation::Gen7, channels);
        facts
    }

    /// Where the element of each channel starts. Of Align16, where a swizzle may read any of four elements,
    /// rows count whole if `whole_rows`, and a row that has an address of its own counts as if it were the first.
    fn starts(&self, whole_rows: bool, channels: usize) -> Vec<usize> {
        use VerticalStride::{Elements, PerRowAddress};
        let Some(region) = self.shape() else { return vec![] };
        let place = |channel: usize| {
            let elements = match region {
                Region::Align1 { vertical, width, horizontal } => {
                    let width = usize::from(width.max(1));
                    let vertical = match vertical {
                        Elements(vertical) => vertical.into(),
                        PerRowAddress if whole_rows => 0,
                        PerRowAddress => return None,
                    };
                    channel / width * vertical + channel % width * usize::from(horizontal)
                }
                Region::Align16 { vertical: Elements(0), .. } if whole_rows => channel % 4,
                Region::Align16 { vertical: Elements(0), .. } => 0,
                Region::Align16 { .. } => channel,
            };
            Some(self.subregister() + elements * self.unit)
        };
        let is_whole = whole_rows && matches!(region, Region::Align16 { .. });
        let counted = if is_whole { channels.next_multiple_of(4) } else { channels };
        (0..counted).map_while(place).collect()
    }

    /// What messages call it.
    pub(super) fn name(&self) -> &'static str {
        ["src0: ", "src1: ", "src2: "][self.index]
    }

    pub(super) fn immediate(&self) -> Option<u64> {
        match self.source {
            Source::Immediate { bits, .. } => Some(bits),
            Source::Register { .. } => None,
        }
    }

    pub(super) fn is_immediate(&self) -> bool {
        self.immediate().is_some()
    }

    pub(super) fn modifier(&self) -> SourceModifier {
        match self.source {
            Source::Register { modifier, .. } => modifier,
            Source::Immediate { .. } => SourceModifier::default(),
        }
    }

    pub(super) fn is_modified(&self) -> bool {
        self.modifier() != SourceModifier::default()
    }

    /// The region, of a register.
    pub(super) fn shape(&self) -> Option<Region> {
        match self.source {
            Source::Register { region, .. } => Some(region),
            Source::Immediate { .. } => None,
        }
    }

    /// Vertical stride, width and horizontal stride of an Align1 region.
    fn align1(&self) -> Option<(VerticalStride, usize, usize)> {
        match self.shape()? {
            Region::Align1 { vertical, width, horizontal } => {
                Some((vertical, width.into(), horizontal.into()))
            }
            Region::Align16 { .. } => None,
        }
    }

    /// The same, if it has one address at most.
    pub(super) fn region(&self) -> Option<(usize, usize, usize)> {
        match self.align1()? {
            (VerticalStride::Elements(vertical), width, horizontal) => {
                Some((vertical.into(), width, horizontal))
            }
            _ => None,
        }
    }

    /// Elements in a row of an Align1 region.
    pub(super) fn width(&self) -> Option<usize> {
        self.align1().map(|(_, width, _)| width)
    }

    /// Elements between neighbours of a row of an Align1 region.
    pub(super) fn horizontal(&self) -> Option<usize> {
        self.align1().map(|(.., horizontal)| horizontal)
    }

    /// Whether each row has an address subregister of its own.
    pub(super) fn is_multi_index(&self) -> bool {
        matches!(self.align1(), Some((VerticalStride::PerRowAddress, ..)))
    }

    /// The vertical stride and the swizzle of an Align16 region.
    pub(super) fn align16(&self) -> Option<(VerticalStride, [u8; 4])> {
        match self.shape()? {
            Region::Align16 { vertical, swizzle } => Some((vertical, swizzle)),
            Region::Align1 { .. } => None,
        }
    }

    /// `<0;1,0>`: one element for every channel. (`<0;w,0>` counts too.)
    pub(super) fn is_scalar(&self) -> bool {
        matches!(self.region(), Some((0, _, 0)))
    }

    /// Whether the instruction alone says where its elements are.
    pub(super) fn is_placed(&self) -> bool {
        let is_elsewhere = self.is_null() || self.is_accumulator() || self.is_indirect();
        !self.is_immediate() && !is_elsewhere
    }

    /// Whether a row reaches from one register to the next.
    pub(super) fn row_crosses(&self) -> bool {
        let Some(width) = self.width() else { return false };
        self.bytes().chunks(width.max(1)).any(|row| {
            let (first, last) = (row.iter().min(), row.iter().max());
            let register = |byte: usize| byte / REGISTER_BYTES;
            first.map(|byte| register(*byte)) != last.map(|byte| register(byte + self.unit - 1))
        })
    }
}
