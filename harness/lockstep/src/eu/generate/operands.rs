//! Sources and destinations that an instruction in the making can have.

use parallax_isa::{
    Device,
    device::{Feature, Generation},
    eu::{
        DataType, Instruction, Opcode,
        operand::{Region, Register, Source, SourceModifier, VerticalStride},
        register::{ArfKind, RegisterFile},
    },
};

use super::{
    shapes::{Shape, Wanted},
    straight::{Draft, Straight},
};
use crate::choices::Choices;

mod destination;
mod layout;

/// A source and what other operands have to know about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drafted {
    pub(super) operand: Source,
    pub(super) needs_switch: bool,
    spans_two: bool,
    /// Stride the destination must have, where the source is an accumulator.
    stride: Option<u8>,
}

impl Drafted {
    fn plain(operand: Source) -> Self {
        Self { operand, needs_switch: false, spans_two: false, stride: None }
    }
}

pub(super) fn is_accumulator(register: Register) -> bool {
    register.arf() == Some(ArfKind::Accumulator)
}

/// Whether naming a register needs a thread switch.
pub(super) fn switches(register: Register) -> bool {
    use ArfKind::{Control, Mask, MaskStack, MaskStackDepth};
    matches!(register.arf(), Some(Control | Mask | MaskStack | MaskStackDepth))
}

fn architecture(kind: ArfKind, number: u8, subregister: u8) -> Register {
    Register::Direct { file: RegisterFile::Arf, number: kind.code() << 4 | number, subregister }
}

pub(super) fn address_register(subregister: usize) -> Register {
    architecture(ArfKind::Address, 0, 2 * subregister as u8)
}

pub(super) fn accumulator(number: u8) -> Register {
    architecture(ArfKind::Accumulator, number, 0)
}

const ADDRESS_REACH: i32 = 512;

/// The number of a general register, within a window if there is one. Otherwise most are in a small one, so that
/// programs work on their own results.
pub(super) fn draw_register(choices: &mut Choices, window: Option<u8>) -> u8 {
    let byte = choices.byte();
    match window {
        Some(registers) => byte % registers,
        None if byte < 200 => byte % 12,
        None => choices.byte() % 128,
    }
}

impl Straight<'_, '_> {
    /// Both sources; where the operation has one, the second is as absent.
    pub(super) fn sources(&mut self, draft: &Draft) -> Option<[Drafted; 2]> {
        use parallax_isa::eu::opcode::Format;
        let single = draft.opcode.format() == Format::Unary;
        let first = if single && draft.types.immediate {
            Drafted::plain(self.immediate_source(draft.types.sources[0]))
        } else {
            self.source(draft, 0)?
        };
        let second = if single {
            Drafted::plain(Source::null(DataType::Ud))
        } else if draft.types.immediate {
            let operand = match (draft.opcode, draft.types.sources) {
                (Opcode::Mach, [DataType::D | DataType::Ud, data_type])
                    if draft.types.destination == DataType::Ud =>
                {
                    Source::Immediate { data_type, bits: (self.immediate(data_type) >> 1).into() }
                }
                (_, [_, data_type]) => self.immediate_source(data_type),
            };
            Drafted::plain(operand)
        } else if self.choices.sometimes(50)
            && let Some(second) = self.repeated(draft, &first)
        {
            second
        } else {
            self.source(draft, 1)?
        };
        Some([first, second])
    }

    /// The first source once more, where it can be the second too: equal operands are a corner.
    fn repeated(&mut self, draft: &Draft, first: &Drafted) -> Option<Drafted> {
        let Source::Register { register, data_type, region, .. } = first.operand else {
            return None;
        };
        let Register::Direct { file: RegisterFile::Grf, subregister, .. } = register else {
            return None;
        };
        let alike = data_type == draft.types.sources[1];
        let suitable = draft.align16
            || wanted(draft, 1).shapes().all.iter().any(|shape| {
                shape.region() == region && shape.origin == subregister && suits(draft, 1, *shape)
            });
        (alike && suitable && draft.opcode != Opcode::Pln).then(|| {
            let modifier = self.modifier(draft, 1);
            let operand = Source::Register { register, data_type, region, modifier };
            Drafted { operand, ..*first }
        })
    }

    fn immediate_source(&mut self, data_type: DataType) -> Source {
        Source::Immediate { data_type, bits: self.immediate(data_type).into() }
    }

    fn source(&mut self, draft: &Draft, index: usize) -> Option<Drafted> {
        let data_type = draft.types.sources[index];
        if draft.opcode == Opcode::Movi {
            return self.gathered(draft);
        }
        if draft.align16 {
            return self.align16_source(draft, index);
        }
        if self.choices.sometimes(20)
            && let Some(source) = self.accumulator_source(draft, index)
        {
            return Some(source);
        }
        if self.choices.sometimes(12)
            && let Some(source) = self.architecture_source(draft, index)
        {
            return Some(source);
        }
        let shape = self.shape(draft, index)?;
        let modifier = self.modifier(draft, index);
        if self.choices.sometimes(28)
            && let Some((register, region)) = self.indirect_source(draft, index, shape)
        {
            let operand = Source::Register { register, data_type, region, modifier };
            return Some(Drafted::plain(operand));
        }
        let number = self.source_number(draft, index, shape);
        let register =
            Register::Direct { file: RegisterFile::Grf, number, subregister: shape.origin };
        let operand = Source::Register { register, data_type, region: shape.region(), modifier };
        Some(Drafted { spans_two: shape.spans_two(), ..Drafted::plain(operand) })
    }

    /// A region for a source.
    fn shape(&mut self, draft: &Draft, index: usize) -> Option<Shape> {
        let shapes = wanted(draft, index).shapes();
        let favourites = match self.choices.byte() & 7 {
            0 => &shapes.scalar,
            1..=3 => &shapes.packed,
            _ => &shapes.all,
        };
        // From a random place on, the first that suits; the favourite kinds first.
        let start = self.choices.below(1 << 16);
        let find = |shapes: &[Shape]| {
            let (before, after) = shapes.split_at((start * shapes.len()) >> 16);
            after.iter().chain(before).find(|shape| suits(draft, index, **shape)).copied()
        };
        find(favourites).or_else(|| find(&shapes.all))
    }

    /// A register a source can start in.
    fn source_number(&mut self, draft: &Draft, index: usize, shape: Shape) -> u8 {
        let even =
            draft.compressed && !shape.is_scalar() || draft.opcode == Opcode::Pln && index == 1;
        let registers = match (draft.opcode, draft.compressed) {
            (Opcode::Pln, true) if index == 1 => 4,
            (Opcode::Pln, false) if index == 1 => 2,
            (_, true) => 2,
            (_, false) => 1 + u8::from(shape.spans_two()),
        };
        self.number(registers, even)
    }

    /// A general register with `registers - 1` more behind it.
    fn number(&mut self, registers: u8, even: bool) -> u8 {
        let number = draw_register(self.choices, self.window);
        let number = if even { number & !1 } else { number };
        number.min(128 - registers) & if even { !1 } else { !0 }
    }

    fn modifier(&mut self, draft: &Draft, index: usize) -> SourceModifier {
        let data_type = draft.types.sources[index];
        let absolute_only = match draft.opcode {
            Opcode::Shr => index == 0,
            Opcode::Lzd => true,
            Opcode::Mach => data_type == DataType::D && draft.types.destination == DataType::Ud,
            _ => false,
        };
        if absolute_only {
            return SourceModifier { absolute: data_type.is_signed_integer(), negate: false };
        }
        let bits = self.choices.byte();
        SourceModifier { absolute: bits >> 5 == 7, negate: bits & 3 == 3 }
    }

    /// The source of movi: one address for all, elements a word, dword or byte apart.
    fn gathered(&mut self, draft: &Draft) -> Option<Drafted> {
        let data_type = draft.types.sources[0];
        let region =
            Region::Align1 { vertical: VerticalStride::Elements(0), width: 1, horizontal: 0 };
        let reachable = |n: u8| self.address(n).is_some_and(|address| address % 4 == 0);
        if !(0..draft.execution_size).all(reachable) {
            return None;
        }
        let register =
            Register::Indirect { file: RegisterFile::Grf, address_subregister: 0, offset: 0 };
        let modifier = self.modifier(draft, 0);
        let operand = Source::Register { register, data_type, region, modifier };
        Some(Drafted::plain(operand))
    }

    fn align16_source(&mut self, draft: &Draft, index: usize) -> Option<Drafted> {
        let data_type = draft.types.sources[index];
        let replicated = matches!(draft.opcode, Opcode::Line | Opcode::Pln) && index == 0;
        let rows = draft.execution_size.div_ceil(4);
        let repeats = replicated || self.choices.sometimes(40);
        let length = if repeats { 4 } else { 4 * rows } * data_type.size() as u8;
        if length > 32 {
            return None;
        }
        let whole = draft.opcode == Opcode::Pln && index == 1;
        let upper = length <= 16 && !whole && self.choices.sometimes(100);
        let vertical = VerticalStride::Elements(if repeats { 0 } else { 4 });
        let bits = self.choices.byte();
        let swizzle = match (replicated, bits & 1) {
            (true, _) => [bits >> 6; 4],
            (false, 0) => [0, 1, 2, 3],
            (false, _) => [0, 2, 4, 6].map(|shift| self.random.next() as u8 >> shift & 3),
        };
        let number = self.number(if whole { 2 } else { 1 }, whole);
        let register = Register::Direct {
            file: RegisterFile::Grf,
            number,
            subregister: if upper { 16 } else { 0 },
        };
        let modifier = self.modifier(draft, index);
        let region = Region::Align16 { vertical, swizzle };
        Some(Drafted::plain(Source::Register { register, data_type, region, modifier }))
    }

    /// An accumulator as src0.
    fn accumulator_source(&mut self, draft: &Draft, index: usize) -> Option<Drafted> {
        use Opcode::*;
        let data_type = draft.types.sources[index];
        let execution_type = draft.types.execution_type();
        let reads = !matches!(
            draft.opcode,
            Dp2 | Dp3
                | Dp4
                | Dph
                | Line
                | Mac
                | Mach
                | Mul
                | Pln
                | Sad2
                | Sada2
                | Frc
                | Rndu
                | Rndd
                | Rnde
                | Rndz
                | Lzd
        );
        let is_like = data_type.is_float() == execution_type.is_float()
            && data_type.size() == execution_type.size();
        let number = if draft.compressed { 0 } else { self.choices.byte() & 1 };
        let logical = matches!(draft.opcode, And | Or | Xor | Not);
        // What shr shifts is unsigned, or made so by (abs).
        let signed = draft.opcode == Shr && data_type.is_signed_integer();
        let tainted =
            self.logic_results[usize::from(number)] || draft.compressed && self.logic_results[1];
        let wide = draft.types.widest() <= 4
            && draft.channels() <= if data_type.size() == 4 { 8 } else { 16 };
        if index != 0 || !reads || signed || !is_like || !wide || tainted && !logical {
            return None;
        }
        let (vertical, width) = match draft.channels() {
            1 => (0, 1),
            channels @ 2..=8 if draft.execution_size == channels => (channels, channels),
            _ => (8, 8),
        };
        let region = Region::Align1 {
            vertical: VerticalStride::Elements(vertical),
            width,
            horizontal: u8::from(width > 1),
        };
        let operand = Source::Register {
            register: architecture(ArfKind::Accumulator, number, 0),
            data_type,
            region,
            modifier: SourceModifier::default(),
        };
        let stride = (draft.execution_size > 1).then_some(1);
        Some(Drafted { stride, ..Drafted::plain(operand) })
    }

    /// Another architecture register, one element of it for all channels.
    fn architecture_source(&mut self, draft: &Draft, index: usize) -> Option<Drafted> {
        use ArfKind::*;
        let data_type = draft.types.sources[index];
        let plain = matches!(draft.opcode, Opcode::Shr | Opcode::Lzd | Opcode::Mach)
            && data_type.is_signed_integer();
        let special = matches!(
            draft.opcode,
            Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph | Opcode::Line | Opcode::Pln
        );
        if draft.compressed || plain || special || data_type.is_float() || data_type.size() == 1 {
            return None;
        }
        let size = data_type.size() as u8;
        let registers: &[(ArfKind, u8, u8)] = if size == 2 {
            &[(Address, 0, 16), (Flag, 0, 4), (Mask, 0, 8), (MaskStackDepth, 0, 4)]
        } else {
            &[
                (Address, 0, 16),
                (Flag, 0, 4),
                (Mask, 0, 8),
                (State, 0, 8),
                (Control, 0, 12),
                (Notification, 0, 4),
                (Notification, 1, 4),
                (InstructionPointer, 0, 4),
                (MaskStackDepth, 0, 4),
            ]
        };
        let &(kind, number, bytes) = self.choices.pick(registers);
        let subregister = size * self.choices.below(usize::from(bytes / size)) as u8;
        let register = architecture(kind, number, subregister);
        let operand = Source::Register {
            register,
            data_type,
            region: Region::SCALAR,
            modifier: SourceModifier::default(),
        };
        Some(Drafted { needs_switch: switches(register), ..Drafted::plain(operand) })
    }

    /// The same region, reached through the address register.
    fn indirect_source(
        &mut self,
        draft: &Draft,
        index: usize,
        shape: Shape,
    ) -> Option<(Register, Region)> {
        let pln = matches!(draft.opcode, Opcode::Pln | Opcode::Line);
        if index == 1 && !self.has(Feature::IndirectSource1) || shape.spans_two() || pln {
            return None;
        }
        let size = draft.types.sources[index].size() as u8;
        let rows = draft.channels() / shape.width.min(draft.channels());
        if index == 0 && !draft.compressed && rows <= 8 && self.choices.sometimes(96) {
            return self.row_addresses(draft, shape, rows, size);
        }
        let address_subregister =
            self.choices.below(8) as u8 & if draft.compressed { !1 } else { !0 };
        let address = self.address(address_subregister)?;
        let even = draft.compressed && !shape.is_scalar();
        let last = if draft.compressed { 126 } else { 127 };
        let wish = i32::from(address / 32) + self.choices.below(20) as i32 - 10;
        let number = wish.clamp(0, last) & if even { !1 } else { !0 };
        let offset = number * 32 + i32::from(shape.origin) - i32::from(address);
        let register = self.indirect(address_subregister, offset, size)?;
        Some((register, shape.region()))
    }

    /// A general register that an address register points to, so many bytes on.
    pub(super) fn indirect(
        &self,
        address_subregister: u8,
        offset: i32,
        size: u8,
    ) -> Option<Register> {
        let reachable = (-ADDRESS_REACH..ADDRESS_REACH).contains(&offset);
        let broken =
            self.device == Device::Cl && address_subregister == 7 && size == 1 && offset < 0;
        (reachable && !broken).then_some(Register::Indirect {
            file: RegisterFile::Grf,
            address_subregister,
            offset: offset as i16,
        })
    }

    /// Vx1 or VxH: each row at its own address.
    fn row_addresses(
        &mut self,
        draft: &Draft,
        shape: Shape,
        rows: u8,
        size: u8,
    ) -> Option<(Register, Region)> {
        if shape.width == 1 && draft.execution_size > 8
            || shape.is_scalar() && draft.execution_size > 1
        {
            return None;
        }
        // One row needs the vertical stride of rule 4, which PerRowAddress takes the place of.
        if rows < 2 {
            return None;
        }
        let first = rows * self.choices.below(usize::from(8 / rows)) as u8;
        if self.device.generation() == Some(Generation::Gen4) && rows == 2 && first == 6 {
            return None;
        }
        let offset = 4 * (self.choices.below(16) as i32 - 8);
        let length = (i32::from(shape.width) - 1) * i32::from(shape.horizontal) * i32::from(size)
            + i32::from(size);
        // Rarely, some rows lie before or behind all registers.
        let anywhere = self.choices.sometimes(8);
        for subregister in first..first + rows {
            let start = i32::from(self.address(subregister)?) + offset;
            let inside = (0..=4096 - length).contains(&start);
            if !inside && !anywhere || start % 32 + length > 32 || start % i32::from(size) != 0 {
                return None;
            }
        }
        let register = self.indirect(first, offset, size)?;
        let region = Region::Align1 {
            vertical: VerticalStride::PerRowAddress,
            width: shape.width,
            horizontal: shape.horizontal,
        };
        Some((register, region))
    }

    /// Keeps account of what later instructions have to know.
    pub(super) fn note_effects(&mut self, instruction: &Instruction) {
        let register = instruction.destination.register;
        match register.arf() {
            Some(ArfKind::Address) => self.addresses = [None; 8],
            Some(ArfKind::Accumulator) => {
                use Opcode::{And, Not, Or, Xor};
                let logical = matches!(instruction.opcode, And | Or | Xor | Not);
                self.logic_results = match register {
                    Register::Direct { number, .. } if number & 1 == 1 => {
                        [self.logic_results[0], logical]
                    }
                    _ => [logical, self.logic_results[1] || logical],
                };
            }
            _ => {}
        }
    }
}

/// The shapes to ask for.
fn wanted(draft: &Draft, source: usize) -> Wanted {
    Wanted {
        execution_size: draft.execution_size,
        compressed: draft.compressed,
        size: draft.types.sources[source].size() as u8,
        source,
    }
}

/// Whether a shape goes with the operation and the other types.
fn suits(draft: &Draft, index: usize, shape: Shape) -> bool {
    let data_type = draft.types.sources[index];
    let by_operation = match (draft.opcode, index) {
        (Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph, _) => shape.horizontal == 1,
        (Opcode::Line | Opcode::Pln, 0) => shape.is_scalar() && shape.origin.is_multiple_of(16),
        (Opcode::Pln, _) => {
            let packed = shape.horizontal == 1 && shape.vertical == shape.width;
            shape.origin == 0 && (packed && !shape.spans_two() || shape.is_scalar())
        }
        _ => true,
    };
    let compressed = !draft.compressed || shape.is_scalar() || {
        // Where the destination is packed dwords, halves fill registers.
        let packed_dwords = draft.types.destination.size() == 4;
        let half = data_type.size() == 2 && shape.horizontal == 1
            || data_type.size() == 1 && shape.horizontal == 2;
        !packed_dwords
            || shape.origin == 0 && (data_type.size() > 1 || shape.horizontal == 2 && half)
    };
    by_operation && compressed
}
