//! What restrictions ask about an operand, whatever the generation. In which bytes its elements lie is
//! worked out as the restrictions of a generation ask for it: `Places`.

use super::super::{
    instruction::Instruction,
    operand::{DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride},
    register::{ArfKind, RegisterFile},
    types::DataType,
};

/// A destination that an instruction has.
pub(super) struct DestinationFacts<Places> {
    pub(super) register: Register,
    pub(super) data_type: DataType,
    pub(super) region: DestinationRegion,
    pub(super) places: Places,
}

/// A source that an instruction has.
pub(super) struct SourceFacts<Places> {
    pub(super) index: usize,
    pub(super) data_type: DataType,
    pub(super) operand: Operand<Places>,
}

pub(super) enum Operand<Places> {
    Immediate(u64),
    Register(RegisterSource<Places>),
}

pub(super) struct RegisterSource<Places> {
    pub(super) register: Register,
    pub(super) region: Region,
    pub(super) modifier: SourceModifier,
    pub(super) places: Places,
}

impl<Places> DestinationFacts<Places> {
    pub(super) fn new(instruction: &Instruction, places: Places) -> Self {
        let destination = instruction.destination;
        Self {
            register: destination.register,
            data_type: destination.data_type,
            region: destination.region,
            places,
        }
    }

    /// Elements between neighbouring channels; 1 in Align16.
    pub(super) fn stride(&self) -> usize {
        stride(self.region)
    }

    pub(super) fn arf(&self) -> Option<ArfKind> {
        self.register.arf()
    }

    pub(super) fn is_accumulator(&self) -> bool {
        self.arf() == Some(ArfKind::Accumulator)
    }

    pub(super) fn is_null(&self) -> bool {
        self.register.is_null()
    }

    pub(super) fn is_indirect(&self) -> bool {
        matches!(self.register, Register::Indirect { .. })
    }

    pub(super) fn file(&self) -> RegisterFile {
        self.register.file()
    }

    /// Byte offset in the register; 0 where only the address register says.
    pub(super) fn subregister(&self) -> usize {
        subregister(self.register)
    }

    pub(super) fn number(&self) -> usize {
        number(self.register)
    }
}

impl<Places> SourceFacts<Places> {
    pub(super) fn new(
        index: usize,
        source: &Source,
        places: impl FnOnce(Register, Region, DataType) -> Places,
    ) -> Self {
        let operand = match *source {
            Source::Immediate { bits, .. } => Operand::Immediate(bits),
            Source::Register { register, region, modifier, data_type } => {
                let places = places(register, region, data_type);
                Operand::Register(RegisterSource { register, region, modifier, places })
            }
        };
        Self { index, data_type: source.data_type(), operand }
    }

    /// What messages call it.
    pub(super) fn name(&self) -> &'static str {
        ["src0: ", "src1: ", "src2: "][self.index]
    }

    pub(super) fn in_register(&self) -> Option<&RegisterSource<Places>> {
        match &self.operand {
            Operand::Register(register) => Some(register),
            Operand::Immediate(_) => None,
        }
    }

    pub(super) fn immediate(&self) -> Option<u64> {
        match self.operand {
            Operand::Immediate(bits) => Some(bits),
            Operand::Register(_) => None,
        }
    }

    pub(super) fn is_immediate(&self) -> bool {
        self.in_register().is_none()
    }

    pub(super) fn register(&self) -> Option<Register> {
        self.in_register().map(|source| source.register)
    }

    pub(super) fn arf(&self) -> Option<ArfKind> {
        self.register().and_then(Register::arf)
    }

    pub(super) fn is_accumulator(&self) -> bool {
        self.arf() == Some(ArfKind::Accumulator)
    }

    pub(super) fn is_null(&self) -> bool {
        self.arf() == Some(ArfKind::Null)
    }

    pub(super) fn is_indirect(&self) -> bool {
        matches!(self.register(), Some(Register::Indirect { .. }))
    }

    pub(super) fn is_modified(&self) -> bool {
        self.modifier() != SourceModifier::default()
    }

    pub(super) fn modifier(&self) -> SourceModifier {
        self.in_register().map(|source| source.modifier).unwrap_or_default()
    }

    /// Vertical stride, width and horizontal stride of an Align1 region with one address at most.
    pub(super) fn region(&self) -> Option<(usize, usize, usize)> {
        match self.in_register()?.region {
            Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal } => {
                Some((vertical.into(), width.into(), horizontal.into()))
            }
            _ => None,
        }
    }

    /// Width and horizontal stride of an Align1 region.
    pub(super) fn row(&self) -> Option<(usize, usize)> {
        match self.in_register()?.region {
            Region::Align1 { width, horizontal, .. } => Some((width.into(), horizontal.into())),
            Region::Align16 { .. } => None,
        }
    }

    /// Whether each row has an address subregister of its own.
    pub(super) fn is_multi_index(&self) -> bool {
        let region = self.in_register().map(|source| source.region);
        matches!(region, Some(Region::Align1 { vertical: VerticalStride::PerRowAddress, .. }))
    }

    /// `<0;1,0>`: one element for every channel. (`<0;w,0>` counts too.)
    pub(super) fn is_scalar(&self) -> bool {
        matches!(self.region(), Some((0, _, 0)))
    }

    pub(super) fn subregister(&self) -> usize {
        self.register().map_or(0, subregister)
    }

    pub(super) fn number(&self) -> usize {
        self.register().map_or(0, number)
    }
}

/// Elements between neighbouring channels of a destination; 1 in Align16.
pub(super) fn stride(region: DestinationRegion) -> usize {
    match region {
        DestinationRegion::Stride(stride) => stride.into(),
        DestinationRegion::ChannelEnable(_) => 1,
    }
}

/// Byte offset in the register; 0 where only the address register says.
pub(super) fn subregister(register: Register) -> usize {
    match register {
        Register::Direct { subregister, .. } => subregister.into(),
        Register::Indirect { .. } => 0,
    }
}

fn number(register: Register) -> usize {
    match register {
        Register::Direct { number, .. } => number.into(),
        Register::Indirect { .. } => 0,
    }
}
