//! One data instruction after the other.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    forms::Form,
    instruction::{AccessMode, ConditionalModifier, Predicate, PredicateControl, ThreadControl},
    operand::{Source, SourceModifier},
    register::ArfKind,
};

use super::{
    super::shape::{MOST_DRAWN, OTHERS},
    Later,
    accumulator::is_of_quarter,
    dependencies,
    destination::{is_raw_byte_move, start_alike},
    draft::{Draft, is_dword},
    rows::{Operation, Types, operations_of, operations_with_dp4a},
};

/// Attempts to find operands for types before others are taken.
const ATTEMPTS: usize = 6;

/// Predicates by which both channels of a pair are alike.
const PAIRS: &[PredicateControl] = {
    use PredicateControl::*;
    &[Any2H, All2H, Any4H, All4H, Any8H, All8H, Any16H, All16H, Any32H, All32H]
};

impl Later<'_, '_> {
    /// The next instruction of a program that has none but those that are accepted, most of them of some operations;
    /// `None` if none of many is accepted.
    pub(super) fn instruction_within(
        &mut self,
        operations: &[Operation],
        accepts: &dyn Fn(&Instruction) -> bool,
    ) -> Option<Instruction> {
        for _ in 0..MOST_DRAWN {
            let known = (self.addresses, self.accumulators);
            let any = !self.pending.is_empty() || operations.is_empty();
            let instruction = if any || self.choices.sometimes(OTHERS) {
                self.instruction()
            } else {
                let instruction = self.operation_of(operations);
                self.suited(instruction)
            };
            if accepts(&instruction) {
                return Some(instruction);
            }
            // What it leaves behind does not happen, and what builds on it makes no sense.
            (self.addresses, self.accumulators) = known;
            self.pending.clear();
        }
        None
    }

    /// The next instruction.
    pub(super) fn instruction(&mut self) -> Instruction {
        if let Some(pending) = self.pending.pop_front() {
            return self.suited(pending);
        }
        self.piece();
        if self.has_data_cache && self.choices.sometimes(32) {
            return self.data_cache();
        }
        let instruction = match self.choices.byte() {
            0..=9 => self.load_address(),
            10..=13 => self.set_modes(),
            14..=17 => self.set_flags(),
            18..=21 if self.has_macros() => self.exact_sequence(),
            18..=31 => self.math(),
            32..=39 if !self.has_data_cache => self.message(),
            40 if dependencies::has_any(self.device) => self.forget_dependencies(),
            40 => Instruction::bare(Opcode::Nop),
            41..=46 if self.is_gen12() => self.with_short_immediate(),
            47..=50 if self.is_gen12() => self.plain_mad(),
            51 | 52 if !self.is_gen7() => self.read_channel_enables(),
            53 | 54 => self.read_timestamp(),
            _ => self.operation(),
        };
        self.suited(instruction)
    }

    fn operation(&mut self) -> Instruction {
        self.operation_of(match self.has_dp4a {
            true => operations_with_dp4a(),
            false => operations_of(self.device),
        })
    }

    /// An instruction of one of some operations.
    fn operation_of(&mut self, operations: &[Operation]) -> Instruction {
        for _ in 0..ATTEMPTS {
            let Operation { form, types } = self.choices.pick(operations);
            let group = self.choices.pick(types);
            let types = *self.choices.pick(group);
            let made = match form.opcode {
                Opcode::Mach => self.long_product(form, types),
                Opcode::Addc | Opcode::Subb => self.with_carry(form, types),
                _ if form.source_count() < 3 => self.attempt(form, types),
                _ if self.is_gen12() => self.ternary_align1(form, types),
                _ => self.ternary(form, types),
            };
            if let Some(instruction) = made {
                self.pending.push_back(instruction);
                break;
            }
        }
        self.pending.pop_front().unwrap_or_else(|| Instruction::bare(Opcode::Nop))
    }

    fn attempt(&mut self, form: &'static Form, types: Types) -> Option<Instruction> {
        let mut draft = self.draft(form, types)?;
        let sources = self.sources(&mut draft)?;
        if self.is_gen7() && !start_alike(&sources) {
            return None;
        }
        let mut instruction = self.controls(&draft);
        instruction.sources = [sources[0].operand, sources[1].operand, Source::ABSENT];
        if is_raw_byte_move(&draft) && instruction.saturate {
            // What saturates may not pack bytes.
            instruction.saturate = false;
        }
        instruction.destination = match self.accumulator_destination(&draft, &instruction) {
            Some(destination) => destination,
            None => self.destination(&draft, &sources)?,
        };
        self.finish(&draft, &mut instruction);
        Some(instruction)
    }

    /// What depends on operands.
    pub(super) fn finish(&mut self, draft: &Draft, instruction: &mut Instruction) {
        let of_accumulator = |instruction: &Instruction| {
            let is = |register: parallax_isa::eu::operand::Register| {
                register.arf() == Some(ArfKind::Accumulator)
            };
            is(instruction.destination.register)
                || instruction.sources.iter().any(
                    |source| matches!(source, Source::Register { register, .. } if is(*register)),
                )
        };
        let wants = self.choices.sometimes(40);
        let named = of_accumulator(instruction);
        let implicit = matches!(draft.opcode(), Opcode::Mac | Opcode::Sada2);
        if wants && !named && self.may_write_accumulator(draft, instruction) {
            instruction.accumulator_write = true;
            if instruction.destination.register.is_null() && matches!(draft.opcode(), Opcode::Cmp) {
                instruction.accumulator_write = false;
            }
        }
        if named
            || (implicit || instruction.accumulator_write) && !is_of_quarter(draft, instruction)
        {
            // Groups select an accumulator for F only, and integers of Gen7 have none but the first.
            instruction.first_channel = 0;
        }
        let unsigned_negated = draft.is_dword_product()
            && (instruction.accumulator_write || named)
            && draft.sources().contains(&DataType::Ud);
        if unsigned_negated {
            // `gen7.acc.ud-negate`.
            for source in &mut instruction.sources {
                if let Source::Register { modifier, .. } = source {
                    *modifier = SourceModifier::default();
                }
            }
        }
        let is_null_comparison = matches!(draft.opcode(), Opcode::Cmp | Opcode::Cmpn)
            && instruction.destination.register.is_null()
            && self.is_gen7();
        if names_control(instruction) || is_null_comparison {
            instruction.thread_control = ThreadControl::Switch;
        }
        self.set_accumulator(draft, instruction);
        self.note_accumulator(draft, instruction);
    }

    /// Everything but operands.
    pub(super) fn controls(&mut self, draft: &Draft) -> Instruction {
        let opcode = draft.opcode();
        let channels = draft.channels;
        let mut condition = self.condition(draft);
        let mut predicate = self.predicate(draft);
        if opcode == Opcode::Sel {
            // Either, not both and not neither.
            match condition {
                ConditionalModifier::None if predicate == Predicate::default() => {
                    predicate.control = match draft.pairs {
                        true => *self.choices.pick(PAIRS),
                        false => PredicateControl::Sequential,
                    };
                }
                ConditionalModifier::None => {}
                _ => predicate = Predicate::default(),
            }
        }
        let simd32 = channels == 32 && self.is_gen7();
        if simd32 {
            // `leg.enc.simd32-mask` and `leg.enc.simd32-cmod`.
            predicate = Predicate::default();
            condition = ConditionalModifier::None;
        }
        let first_channel = self.group(channels);
        let flags_in_half = first_channel + channels <= 16;
        Instruction {
            execution_size: channels,
            access_mode: if draft.align16 { AccessMode::Align16 } else { AccessMode::Align1 },
            no_mask: self.choices.sometimes(if draft.pairs { 200 } else { 110 }),
            first_channel,
            predicate,
            condition,
            flag_register: self.choices.byte() & 1,
            flag_subregister: self.choices.byte() & u8::from(flags_in_half),
            saturate: self.saturate(draft),
            no_dd_clear: self.choices.sometimes(4),
            no_dd_check: self.choices.sometimes(4),
            thread_control: match self.choices.byte() {
                0..=5 => ThreadControl::Switch,
                6 | 7 => ThreadControl::Atomic,
                _ => ThreadControl::Normal,
            },
            ..Instruction::bare(opcode)
        }
    }

    /// The first channel, by quarter and nibble.
    pub(super) fn group(&mut self, channels: u8) -> u8 {
        if !self.choices.sometimes(56) {
            return 0;
        }
        let unit = channels.max(4);
        let groups = 32 / unit;
        unit * self.choices.below(groups.into()) as u8
    }

    pub(super) fn predicate(&mut self, draft: &Draft) -> Predicate {
        use PredicateControl::*;
        const ALIGN1: &[PredicateControl] = &[
            Sequential, Sequential, Sequential, AnyV, AllV, Any2H, All2H, Any4H, All4H, Any8H,
            All8H, Any16H, All16H, Any32H, All32H,
        ];
        const ALIGN16: &[PredicateControl] =
            &[Sequential, Sequential, ReplicateX, ReplicateY, ReplicateZ, ReplicateW, Any4H, All4H];
        let often = if draft.opcode() == Opcode::Sel { 160 } else { 80 };
        if !draft.form.allows(|may| may.predicate) || !self.choices.sometimes(often) {
            return Predicate::default();
        }
        let control = *self.choices.pick(match (draft.align16, draft.pairs) {
            (true, false) => ALIGN16,
            (true, true) => &[ReplicateX, ReplicateZ, Any4H, All4H],
            (false, true) => PAIRS,
            (false, false) => ALIGN1,
        });
        Predicate { control, inverse: self.choices.sometimes(80) }
    }

    fn condition(&mut self, draft: &Draft) -> ConditionalModifier {
        use ConditionalModifier::*;
        const ALL: &[ConditionalModifier] =
            &[Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual, Overflow, Unordered];
        let comparisons = &ALL[..6];
        match draft.opcode() {
            Opcode::Cmp | Opcode::Cmpn => *self.choices.pick(&ALL[..6]),
            Opcode::Csel => *self.choices.pick(comparisons),
            Opcode::Sel if self.choices.sometimes(120) => {
                // Minima and maxima for the most part.
                const SELECTING: &[ConditionalModifier] =
                    &[GreaterEqual, Less, GreaterEqual, Less, Greater, LessEqual, Equal, NotEqual];
                *self.choices.pick(SELECTING)
            }
            Opcode::Sel => None,
            _ if !draft.form.allows(|may| may.condition) || draft.is_dword_product() => None,
            _ if !self.choices.sometimes(60) => None,
            _ if draft.is_logic() => *self.choices.pick(&ALL[..2]),
            _ => *self.choices.pick(ALL),
        }
    }

    fn saturate(&mut self, draft: &Draft) -> bool {
        let never = draft.is_dword_product()
            && draft.sources().iter().any(|of| is_dword(*of))
            && !draft.types.destination.is_float();
        draft.form.allows(|may| may.saturate) && !never && self.choices.sometimes(56)
    }
}

/// Whether `cr0` is a source (`leg.cr.switch`).
pub(super) fn names_control(instruction: &Instruction) -> bool {
    instruction.sources.iter().any(|source| {
        matches!(source, Source::Register { register, .. }
            if register.arf() == Some(ArfKind::Control))
    })
}
