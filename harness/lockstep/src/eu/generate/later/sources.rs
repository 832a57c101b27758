//! Sources that an instruction in the making can have.

use parallax_isa::eu::{
    DataType, Opcode,
    operand::{Region, Source, SourceModifier, VerticalStride},
    register::ArfKind,
};

use super::{
    super::operands::draw_register,
    Later,
    draft::{Draft, is_dword},
    registers::{address_count, architecture, grf},
    shapes::{Shape, shapes},
    values,
};

/// A source, and its region if that counts for other operands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drafted {
    pub(super) operand: Source,
    pub(super) shape: Option<Shape>,
}

impl Drafted {
    pub(super) fn of(operand: Source) -> Self {
        Self { operand, shape: None }
    }

    pub(super) fn is_accumulator(&self) -> bool {
        matches!(self.operand, Source::Register { register, .. }
            if register.arf() == Some(ArfKind::Accumulator))
    }
}

impl Later<'_, '_> {
    /// The sources of an operation with one or two.
    pub(super) fn sources(&mut self, draft: &mut Draft) -> Option<[Drafted; 2]> {
        let last = draft.form.source_count() - 1;
        let immediate = self.immediate_source(draft, last);
        let mut sources = [Drafted::of(Source::ABSENT); 2];
        for (index, source) in sources.iter_mut().enumerate().take(draft.form.source_count()) {
            *source = match immediate {
                Some(operand) if index == last => Drafted::of(operand),
                _ => self.source(draft, index)?,
            };
        }
        if last == 1
            && immediate.is_none()
            && draft.types.sources[0] == draft.types.sources[1]
            && !matches!(draft.opcode(), Opcode::Line | Opcode::Pln)
            && !sources[0].is_accumulator()
            && sources[0].shape.is_some()
            && self.choices.sometimes(30)
        {
            // Equal operands are a corner.
            sources[1] = sources[0];
            if let Source::Register { modifier, .. } = &mut sources[1].operand {
                *modifier = self.modifier(draft, 1);
            }
        }
        Some(sources)
    }

    /// An immediate as the last source, sometimes: a vector changes the type of that source.
    fn immediate_source(&mut self, draft: &mut Draft, last: usize) -> Option<Source> {
        use DataType::{B, Df, F, Hf, Q, Ub, Uq, Uv, Uw, V, Vf, W};
        use Opcode::{Cbit, Dp2, Dp3, Dp4, Dph, F16to32, Line, Movi, Pln, Sad2, Sada2};
        let data_type = draft.types.sources[last];
        let special = matches!(
            draft.opcode(),
            Movi | Dp2 | Dp3 | Dp4 | Dph | Line | Pln | Sad2 | Sada2 | F16to32 | Cbit
        );
        let wide_allowed = last == 0 && !self.is_gen7();
        if special
            || data_type.size() == 1
            || data_type.size() == 8 && !wide_allowed
            || draft.pairs && last == 1
            || !self.choices.sometimes(if last == 0 { 40 } else { 56 })
        {
            return None;
        }
        let first = draft.types.sources[0];
        let narrow = last == 0 || matches!(first, Ub | B | Uw | W);
        let is_plain = !draft.align16 && !draft.is_mixed() && !draft.is_half_and_integer();
        let vector = match data_type {
            W if narrow => Some(V),
            Uw if narrow => Some(Uv),
            F => Some(Vf),
            _ => None,
        };
        let vector = vector.filter(|_| {
            is_plain && !draft.pairs && draft.types.destination.size() <= data_type.size()
        });
        let data_type = match vector {
            Some(vector) if self.choices.sometimes(90) => vector,
            _ => data_type,
        };
        if data_type.size() == 8 && draft.opcode() != Opcode::Mov {
            return None;
        }
        debug_assert!(
            !matches!(data_type, Ub | B)
                && (!matches!(data_type, Q | Uq | Df | Hf) || !self.is_gen7())
        );
        draft.types.sources[last] = data_type;
        let bits = values::immediate(&mut self.random, data_type);
        Some(Source::Immediate { data_type, bits })
    }

    fn source(&mut self, draft: &Draft, index: usize) -> Option<Drafted> {
        let data_type = draft.types.sources[index];
        if draft.opcode() == Opcode::Movi {
            return self.gathered(draft);
        }
        if draft.align16 {
            return self.align16_source(draft, index);
        }
        if index == 0
            && self.choices.sometimes(16)
            && let Some(source) = self.accumulator_source(draft)
        {
            return Some(source);
        }
        if index == 0
            && self.choices.sometimes(8)
            && let Some(operand) = self.architecture_source(draft)
        {
            return Some(Drafted::of(operand));
        }
        let shape = self.shape(draft, index)?;
        let modifier = self.modifier(draft, index);
        if self.choices.sometimes(28)
            && let Some((register, region)) = self.indirect(draft, index, shape)
        {
            let operand = Source::Register { register, data_type, region, modifier };
            let shape =
                matches!(region, Region::Align1 { vertical: VerticalStride::Elements(_), .. })
                    .then_some(shape);
            return Some(Drafted { operand, shape });
        }
        let registers = match (draft.opcode(), index) {
            (Opcode::Pln, 1) if draft.channels == 16 => 4,
            (Opcode::Pln, 1) => 2,
            _ => 1 + u8::from(shape.spans_two()),
        };
        let register = grf(self.number(registers), shape.origin);
        let operand = Source::Register { register, data_type, region: shape.region(), modifier };
        Some(Drafted { operand, shape: Some(shape) })
    }

    /// A region for a source.
    fn shape(&mut self, draft: &Draft, index: usize) -> Option<Shape> {
        let data_type = draft.types.sources[index];
        let all = shapes(draft.channels, draft.unit(data_type));
        let pairs = draft.pairs && data_type == DataType::Df;
        // How many elements rows may be apart: `dg1.vstride.16-types`, `dg1.vstride.32-types`.
        let most_apart = match data_type.size() {
            2 if self.is_gen12() => 16,
            4.. if self.is_gen12() => 8,
            _ => 32,
        };
        let suits = |shape: &Shape| {
            (!pairs || shape.has_pairs())
                && shape.vertical <= most_apart
                && match (draft.opcode(), index) {
                    (Opcode::Line | Opcode::Pln, 0) => {
                        shape.is_scalar() && shape.origin.is_multiple_of(16)
                    }
                    (Opcode::Pln, 1) => shape.is_packed() && shape.origin == 0 && shape.width == 8,
                    _ => true,
                }
        };
        let favourite: fn(&Shape) -> bool = match self.choices.byte() & 7 {
            0 => |shape| shape.is_scalar(),
            1..=3 => |shape| shape.is_packed(),
            _ if draft.packed => |shape| shape.is_packed(),
            _ => |_| true,
        };
        // From a random place on, the first that suits; the favourite kind first.
        let start = (self.choices.below(1 << 16) * all.len()) >> 16;
        let (before, after) = all.split_at(start);
        let around = || after.iter().chain(before).filter(|shape| suits(shape));
        around().find(|shape| favourite(shape)).or_else(|| around().next()).copied()
    }

    /// A general register with `registers - 1` more behind it.
    pub(super) fn number(&mut self, registers: u8) -> u8 {
        draw_register(self.choices, self.window).min(128 - registers)
    }

    pub(super) fn modifier(&mut self, draft: &Draft, index: usize) -> SourceModifier {
        let bits = self.choices.byte();
        // `gen12.isa.op.mul-mods`, and the same of factors of `mad`.
        let is_product = draft.is_dword_product()
            || draft.opcode() == Opcode::Mad
                && index > 0
                && draft.sources()[1..].iter().any(|of| is_dword(*of));
        if !draft.form.allows(|may| may.source_modifiers) || self.is_gen12() && is_product {
            return SourceModifier::default();
        }
        SourceModifier {
            // Undefined for logic from Gen8 on (`gen9.isa.op.logic-abs`).
            absolute: bits >> 5 == 7 && (self.is_gen7() || !draft.is_logic()),
            negate: bits & 3 == 3,
        }
    }

    fn align16_source(&mut self, draft: &Draft, index: usize) -> Option<Drafted> {
        let data_type = draft.types.sources[index];
        let repeats = !draft.is_mixed() && self.choices.sometimes(40);
        let rows = if repeats { 4 } else { draft.channels.max(4) };
        let length = u16::from(rows) * data_type.size() as u16;
        let upper = length <= 16 && self.choices.sometimes(100);
        let bits = self.choices.byte();
        let reads_accumulator =
            matches!(draft.opcode(), Opcode::Mac | Opcode::Mach | Opcode::Sada2);
        let swizzle = match bits & 1 {
            // `gen7.acc.no-swizzle`.
            _ if reads_accumulator => [0, 1, 2, 3],
            0 => [0, 1, 2, 3],
            _ => [0, 2, 4, 6].map(|shift| self.random.next() as u8 >> shift & 3),
        };
        let vertical = VerticalStride::Elements(if repeats { 0 } else { 4 });
        let operand = Source::Register {
            register: grf(self.number(length.div_ceil(32) as u8), if upper { 16 } else { 0 }),
            data_type,
            region: Region::Align16 { vertical, swizzle },
            modifier: self.modifier(draft, index),
        };
        Some(Drafted::of(operand))
    }

    /// An architecture register other than the accumulator, one element of it for all channels.
    fn architecture_source(&mut self, draft: &Draft) -> Option<Source> {
        use ArfKind::{Address, Control, Flag, InstructionPointer, State, ThreadDependency};
        let data_type = draft.types.sources[0];
        let size = data_type.size() as u8;
        if data_type.is_float() || !(2..=4).contains(&size) || draft.execution.size() == 8 {
            return None;
        }
        let addresses = 2 * address_count(self.device) as u8;
        let registers: &[(ArfKind, u8, u8, u8)] = if size == 2 {
            &[
                (Address, 0, 0, addresses),
                (Flag, 0, 0, 4),
                (Flag, 1, 0, 4),
                (ThreadDependency, 0, 0, 16),
            ]
        } else {
            &[
                (Address, 0, 0, addresses),
                (Flag, 0, 0, 4),
                (Flag, 1, 0, 4),
                (State, 0, 8, 16),
                (Control, 0, 0, 12),
                (InstructionPointer, 0, 0, 4),
                (ThreadDependency, 0, 0, 16),
            ]
        };
        let &(kind, number, from, to) = self.choices.pick(registers);
        let subregister = from + size * self.choices.below(usize::from((to - from) / size)) as u8;
        Some(Source::Register {
            register: architecture(kind, number, subregister),
            data_type,
            region: Region::SCALAR,
            modifier: self.modifier(draft, 0),
        })
    }
}
