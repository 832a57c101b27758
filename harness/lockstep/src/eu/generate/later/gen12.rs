//! What instructions of Gen12 have that earlier ones have not: a code of the software scoreboard, and
//! three sources in Align1.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    forms::Form,
    instruction::{ConditionalModifier, ThreadControl},
    operand::{Destination, DestinationRegion, Region, Source, SourceModifier, VerticalStride},
    scoreboard::{Scoreboard, Token, is_out_of_order},
};

use super::{Later, draft::Draft, registers::grf, rows::Types, values};

/// Strides of src0 and src1 of three: vertical and horizontal.
const STRIDES: &[(u8, u8)] = &[(8, 1), (8, 1), (4, 1), (1, 0), (0, 0), (0, 0), (8, 2), (4, 2)];

impl Later<'_, '_> {
    /// An instruction as the generation has it: Gen12 lost hints about dependencies and switches, and
    /// has the scoreboard for them.
    pub(super) fn suited(&mut self, instruction: Instruction) -> Instruction {
        if !self.is_gen12() {
            return instruction;
        }
        let thread_control = match instruction.thread_control {
            ThreadControl::Switch => ThreadControl::Normal,
            other => other,
        };
        Instruction {
            no_dd_clear: false,
            no_dd_check: false,
            thread_control,
            scoreboard: self.scoreboard(instruction.opcode),
            ..instruction
        }
    }

    fn scoreboard(&mut self, opcode: Opcode) -> Scoreboard {
        let bits = self.random.next() as u8;
        let number = bits & 0xF;
        let distance = bits >> 5;
        let (distance, token) = match self.choices.byte() {
            0..=160 => (distance & 3, None),
            161..=185 => (0, Some(Token::Destination(number))),
            186..=210 => (0, Some(Token::Source(number))),
            _ if is_out_of_order(opcode) => (distance, Some(Token::Set(number))),
            _ => (distance, Some(Token::Destination(number))),
        };
        Scoreboard { distance, token }
    }

    /// An integer operation with an immediate of 12 bits, in the plainest form: what has a compact
    /// form, of which few come about otherwise.
    pub(super) fn with_short_immediate(&mut self) -> Instruction {
        use Opcode::{Add, And, Asr, Avg, Cmp, Mul, Or, Sel, Shl, Shr, Xor};
        const TYPES: &[[DataType; 2]] = &[
            [DataType::D, DataType::D],
            [DataType::D, DataType::W],
            [DataType::Ud, DataType::Ud],
            [DataType::Ud, DataType::W],
            [DataType::Uw, DataType::Uw],
        ];
        let [data_type, short] = *self.choices.pick(TYPES);
        let logic = [And, Or, Xor, Shl, Add, Avg, Cmp, Sel];
        let opcode = match data_type {
            DataType::D if short == DataType::W => *self.choices.pick(&[Mul, Add, Asr, Avg]),
            DataType::D => *self.choices.pick(&logic),
            _ if short == DataType::W => *self.choices.pick(&[And, Or, Add, Xor, Shl]),
            _ => *self.choices.pick(&[And, Or, Shr, Add, Xor, Shl]),
        };
        let word = self.choices.word();
        // The sign of the 12 bits goes on above them in signed types.
        let value = match short {
            DataType::D | DataType::W => ((word << 20).cast_signed() >> 20).cast_unsigned(),
            _ => word & 0xFFF,
        };
        let bits = if short.size() == 2 { value << 16 | value & 0xFFFF } else { value };
        let channels = *self.choices.pick(&[8, 16, 8, 16, 1]);
        let registers = (u16::from(channels) * data_type.size() as u16).div_ceil(32) as u8;
        let from = Source::Register {
            register: grf(self.number(registers), 0),
            data_type,
            region: if channels == 1 { Region::SCALAR } else { Region::PACKED8 },
            modifier: SourceModifier::default(),
        };
        let constant = Source::Immediate { data_type: short, bits: bits.into() };
        let mut instruction = Instruction {
            execution_size: channels,
            no_mask: self.choices.sometimes(100),
            destination: Destination {
                register: grf(self.number(registers), 0),
                data_type,
                region: DestinationRegion::Stride(1),
            },
            sources: [from, constant, Source::ABSENT],
            ..Instruction::bare(opcode)
        };
        if matches!(opcode, Cmp | Sel) {
            instruction.condition = ConditionalModifier::Less;
        }
        instruction
    }

    /// `mad` in the plainest form: that which has a compact form, of single precision for the most part.
    pub(super) fn plain_mad(&mut self) -> Instruction {
        let takes_halves = !self.alternative && self.choices.sometimes(80);
        let data_type = if takes_halves { DataType::Hf } else { DataType::F };
        let channels = *self.choices.pick(&[8, 16]);
        let registers = (channels * data_type.size() as u8).div_ceil(32);
        let mut scalars = 0;
        let sources = [0, 1, 2].map(|index| {
            let (plain, scalar) = match index {
                2 => ((1, 1, 0), (0, 1, 0)),
                _ => ((8, 8, 1), (0, 1, 0)),
            };
            let is_scalar = self.choices.sometimes(90);
            // Few entries name a subregister, and most of those of one source only.
            let subregister = if is_scalar && scalars == 0 { 4 * self.choices.below(8) } else { 0 };
            scalars += usize::from(is_scalar);
            let (vertical, width, horizontal) = if is_scalar { scalar } else { plain };
            Source::Register {
                register: grf(self.number(registers), subregister as u8),
                data_type,
                region: Region::Align1 {
                    vertical: VerticalStride::Elements(vertical),
                    width,
                    horizontal,
                },
                modifier: SourceModifier {
                    negate: self.choices.sometimes(40),
                    ..SourceModifier::default()
                },
            }
        });
        Instruction {
            execution_size: channels,
            no_mask: self.choices.sometimes(100),
            first_channel: self.group(channels),
            destination: Destination {
                register: grf(self.number(registers), 0),
                data_type,
                region: DestinationRegion::Stride(1),
            },
            sources,
            ..Instruction::bare(Opcode::Mad)
        }
    }

    pub(super) fn ternary_align1(
        &mut self,
        form: &'static Form,
        types: Types,
    ) -> Option<Instruction> {
        let draft = self.draft(form, types)?;
        let mut instruction = self.controls(&draft);
        instruction.sources = [0, 1, 2].map(|index| self.ternary_align1_source(&draft, index));
        let data_type = types.destination;
        let widest = draft.execution.size().max(data_type.size());
        // Elements are as far apart as those of the execution type.
        let mut stride = (widest / data_type.size()).clamp(1, 2) as u8;
        let is_short = usize::from(draft.channels) * data_type.size() <= 32;
        if stride == 1 && is_short && self.choices.sometimes(50) {
            stride = 2;
        }
        let bytes = u16::from(draft.channels) * data_type.size() as u16 * u16::from(stride);
        let subregister = if bytes <= 16 && self.choices.sometimes(100) { 16 } else { 0 };
        let register = grf(self.number(bytes.div_ceil(32) as u8), subregister);
        let region = DestinationRegion::Stride(stride);
        instruction.destination = Destination { register, data_type, region };
        self.finish(&draft, &mut instruction);
        Some(instruction)
    }

    fn ternary_align1_source(&mut self, draft: &Draft, index: usize) -> Source {
        let data_type = draft.types.sources[index];
        let size = data_type.size() as u8;
        if index != 1 && size == 2 && self.choices.sometimes(40) {
            let bits = values::immediate(&mut self.random, data_type);
            return Source::Immediate { data_type, bits };
        }
        let modifier = self.modifier(draft, index);
        let (vertical, horizontal) = if index == 2 {
            // Its rows have one element.
            (*self.choices.pick(&[1, 1, 2, 0]), 0)
        } else if draft.channels == 1 {
            (0, 0)
        } else {
            *self.choices.pick(STRIDES)
        };
        let (vertical, width, horizontal) = self.fitting(draft, vertical, horizontal, size);
        let is_scalar = vertical == 0 && horizontal == 0;
        let subregister =
            if is_scalar { size * self.choices.below(usize::from(32 / size)) as u8 } else { 0 };
        let register = grf(self.number(if is_scalar { 1 } else { 2 }), subregister);
        let vertical = VerticalStride::Elements(vertical);
        let region = Region::Align1 { vertical, width, horizontal };
        Source::Register { register, data_type, region, modifier }
    }

    /// Strides with their width, if rows stay in a register and all elements in two; else one element
    /// for all channels.
    fn fitting(&self, draft: &Draft, vertical: u8, horizontal: u8, size: u8) -> (u8, u8, u8) {
        let width = match horizontal {
            0 => vertical.max(1),
            _ => vertical / horizontal,
        };
        let width = if vertical == 1 || horizontal == 0 { 1 } else { width };
        let rows = u16::from(draft.channels.div_ceil(width));
        let row = u16::from(width - 1) * u16::from(horizontal);
        let bytes = ((rows - 1) * u16::from(vertical) + row + 1) * u16::from(size);
        let in_row = (row + 1) * u16::from(size) <= 32;
        if width <= draft.channels && in_row && bytes <= 64 {
            (vertical, width, horizontal)
        } else {
            (0, 1, 0)
        }
    }
}
