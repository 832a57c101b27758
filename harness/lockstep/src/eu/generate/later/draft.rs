//! An instruction in the making: what its operands have to suit.

use parallax_isa::eu::{DataType, Opcode, forms::Form, types::execution_type};

use super::{Later, rows::Types};

#[derive(Debug, Clone, Copy)]
pub(super) struct Draft {
    pub(super) form: &'static Form,
    pub(super) types: Types,
    /// What it computes in.
    pub(super) execution: DataType,
    /// Channels of the instruction.
    pub(super) channels: u8,
    /// Each element takes two channels: doubles of Gen7.
    pub(super) pairs: bool,
    pub(super) align16: bool,
    /// The accumulator that it may name.
    pub(super) accumulator: u8,
    /// Elements of all operands are neighbours, as compilers have them mostly; executors have shorter
    /// ways for those.
    pub(super) packed: bool,
}

impl Draft {
    pub(super) fn opcode(&self) -> Opcode {
        self.form.opcode
    }

    /// Types of the sources that there are.
    pub(super) fn sources(&self) -> &[DataType] {
        &self.types.sources[..self.form.source_count()]
    }

    /// Bytes by which the regions of a type count.
    pub(super) fn unit(&self, data_type: DataType) -> u8 {
        let size = data_type.size() as u8;
        if self.pairs { size.min(4) } else { size }
    }

    /// F and HF meet in it.
    pub(super) fn is_mixed(&self) -> bool {
        let all = || self.sources().iter().chain([&self.types.destination]);
        all().any(|of| *of == DataType::F) && all().any(|of| *of == DataType::Hf)
    }

    /// It converts between HF and an integer.
    pub(super) fn is_half_and_integer(&self) -> bool {
        let all = || self.sources().iter().chain([&self.types.destination]);
        all().any(|of| *of == DataType::Hf) && all().any(|of| !of.is_float())
    }

    /// Operations that move or combine bits.
    pub(super) fn is_logic(&self) -> bool {
        matches!(self.opcode(), Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not)
    }

    /// A product of which a factor is a doubleword.
    pub(super) fn is_dword_product(&self) -> bool {
        self.opcode() == Opcode::Mul && self.sources().iter().any(|of| is_dword(*of))
    }
}

pub(super) fn is_dword(data_type: DataType) -> bool {
    matches!(data_type, DataType::D | DataType::Ud)
}

impl Later<'_, '_> {
    /// Types, access mode and number of channels of an operation; `None` if they do not go together.
    pub(super) fn draft(&mut self, form: &'static Form, types: Types) -> Option<Draft> {
        use Opcode::*;
        let sources = &types.sources[..form.source_count()];
        let execution = execution_type(sources, types.destination);
        let all = sources.iter().chain([&types.destination]);
        let is_double = |of: &DataType| *of == DataType::Df;
        let has_double = all.clone().any(is_double);
        let is_half = |of: &DataType| *of == DataType::Hf;
        let converts = all.clone().any(|of| *of != types.destination);
        if self.alternative && converts && (has_double || all.clone().any(is_half)) {
            // `gen7.alt.convert-unsupported`.
            return None;
        }
        let pairs = self.is_gen7() && has_double;
        let widest = all.clone().map(|of| of.size()).max().unwrap_or(4);
        let align16 = !self.is_gen12()
            && (sources.len() == 3
                || !matches!(form.opcode, Movi | Line | Pln | Sad2 | Sada2 | F16to32)
                    && widest < 8
                    && (types.destination.size() >= execution.size() || form.opcode == F32to16)
                    && self.choices.sometimes(32));
        let packed = self.choices.sometimes(64);
        let mut draft =
            Draft { form, types, execution, channels: 1, pairs, align16, accumulator: 0, packed };
        let most = self.most_channels(&draft, widest.max(execution.size()));
        let least = match form.opcode {
            Dp2 | Dp3 | Dp4 | Dph => 4,
            Line | Pln => 8,
            Sad2 | Sada2 => 2,
            _ if pairs && align16 => 8,
            _ if pairs => 2,
            _ if align16 => 4,
            _ => 1,
        };
        let sizes = [8, most, 16, 4, 1, 8, most, 2];
        draft.channels = (*self.choices.pick(&sizes)).min(most).max(least);
        draft.accumulator = self.some_accumulator(&draft);
        (draft.channels <= most).then_some(draft)
    }

    /// The most channels that an instruction can have.
    fn most_channels(&self, draft: &Draft, widest: usize) -> u8 {
        use Opcode::*;
        let unit = if draft.pairs { 4 } else { widest };
        let by_size = if unit <= 2 { 32 } else { 64 / unit as u8 };
        let gen7 = self.is_gen7();
        let by_operation = match draft.opcode() {
            Mach | Addc | Subb | Movi => 8,
            // The accumulator has no room for more.
            Mac if draft.execution == DataType::Df => 4 << u8::from(draft.pairs),
            Mac | Sada2 => 16,
            Sel if gen7 => 16,
            Cmp | Cmpn if gen7 && widest >= 4 => 8,
            // 32 channels have no conditional modifier (`leg.enc.simd32-cmod`).
            Cmp | Cmpn if gen7 => 16,
            _ if draft.form.source_count() == 3 && gen7 => 8,
            _ if draft.form.source_count() == 3 && draft.execution.size() == 8 => 4,
            Mov => 32,
            _ => 32,
        };
        let by_mode = if draft.align16 { 16 } else { 32 };
        let is_plain_move = draft.opcode() == Mov && !draft.align16;
        let by_mixture = if draft.is_mixed() && !is_plain_move { 8 } else { 32 };
        by_size.min(by_operation).min(by_mode).min(by_mixture)
    }
}
