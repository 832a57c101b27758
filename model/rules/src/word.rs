//! Conditions on the words of machine code that instructions were decoded from.

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        DataType, Instruction, Opcode, decode,
        fields::{self, Field},
        instruction::AccessMode,
        opcode::Format,
        operand::{Destination, Register, Source},
        register::RegisterFile,
    },
};
use parallax_reference::eu::ThreadStep;

/// An instruction that was executed, and the word that it was decoded from.
#[derive(Clone, Copy)]
pub(crate) struct Word<'a> {
    pub(crate) instruction: &'a Instruction,
    /// Its native form.
    native: fields::Word,
    /// Its compact form, if it has one in the program.
    pub(crate) compact: Option<u64>,
}

impl<'a> Word<'a> {
    /// The word of the instruction of a step.
    pub(crate) fn of(step: &ThreadStep<'a>) -> Option<Self> {
        let code = step.program.bytes().get(step.offset as usize..)?;
        Self::new(step.device, step.instruction, code)
    }

    /// The word at the start of machine code, which was decoded.
    fn new(device: Device, instruction: &'a Instruction, code: &[u8]) -> Option<Self> {
        let compact = code.first_chunk().copied().map(u64::from_le_bytes);
        let compact = compact.filter(|_| instruction.compact);
        Some(Self { instruction, native: decode::native(device, code)?, compact })
    }

    pub(crate) fn generation(self) -> Generation {
        self.native.generation
    }

    /// What a field holds.
    pub(crate) fn get(self, field: &Field) -> u32 {
        self.native.get(field)
    }

    pub(crate) fn format(self) -> Format {
        self.instruction.opcode.format_on(self.generation())
    }

    /// Whether it has more than an opcode.
    pub(crate) fn has_controls(self) -> bool {
        self.format() != Format::Nothing
    }

    /// Whether it is one of those with up to two sources.
    pub(crate) fn is_plain(self) -> bool {
        matches!(self.format(), Format::Unary | Format::Binary)
    }

    /// Whether it has three sources.
    pub(crate) fn is_ternary(self) -> bool {
        self.format() == Format::Ternary
    }

    pub(crate) fn is_compact(self) -> bool {
        self.instruction.compact
    }

    /// Whether its conditional modifier is one.
    pub(crate) fn has_condition(self) -> bool {
        self.has_controls() && fields::has_condition(self.generation(), self.instruction.opcode)
    }

    /// The destination, if the word has one in the usual place.
    pub(crate) fn destination(self) -> Option<&'a Destination> {
        let has_one = matches!(self.format(), Format::Unary | Format::Binary | Format::Message);
        has_one.then_some(&self.instruction.destination)
    }

    /// The sources that the word has in the usual places, by their numbers there.
    pub(crate) fn sources(self) -> impl Iterator<Item = (usize, &'a Source)> {
        let places = match (self.format(), self.instruction.math) {
            (Format::ExitCode, _) => 1..2,
            (Format::Binary, Some(function)) => 0..function.sources(),
            (Format::Binary, None) => 0..2,
            (Format::Unary, _) => 0..1,
            (Format::Message, _) if self.generation() <= Generation::Gen45 => 0..1,
            _ => 0..0,
        };
        places.map(move |place| (place, &self.instruction.sources[place]))
    }

    /// The registers among its operands.
    pub(crate) fn registers(self) -> impl Iterator<Item = Register> {
        let of_source = |(_, source): (usize, &Source)| match *source {
            Source::Register { register, .. } => Some(register),
            Source::Immediate { .. } => None,
        };
        let destination = self.destination().map(|destination| destination.register);
        destination.into_iter().chain(self.sources().filter_map(of_source))
    }

    /// Whether a register that is named lies in a file.
    pub(crate) fn names(self, wanted: RegisterFile) -> bool {
        let is_one = |register| matches!(register, Register::Direct { file, .. } if file == wanted);
        self.registers().any(is_one)
    }

    pub(crate) fn has_direct(self) -> bool {
        self.registers().any(|register| !is_indirect(register))
    }

    pub(crate) fn has_indirect(self) -> bool {
        self.registers().any(is_indirect)
    }

    pub(crate) fn is_align16(self) -> bool {
        self.instruction.access_mode == AccessMode::Align16
    }

    /// Whether an immediate meets a condition.
    pub(crate) fn has_immediate(self, is_one: impl Fn(DataType) -> bool) -> bool {
        let mut sources = self.instruction.sources.iter();
        sources.any(
            |source| matches!(source, Source::Immediate { data_type, .. } if is_one(*data_type)),
        )
    }

    /// Whether a source is a register that meets a condition.
    pub(crate) fn source_is(self, place: usize, is_one: impl Fn(Register) -> bool) -> bool {
        let mut sources = self.sources().filter(|(number, _)| *number == place);
        sources.any(
            |(_, source)| matches!(source, Source::Register { register, .. } if is_one(*register)),
        )
    }

    /// Whether a source is an immediate.
    pub(crate) fn source_is_immediate(self, place: usize) -> bool {
        let mut sources = self.sources().filter(|(number, _)| *number == place);
        sources.any(|(_, source)| matches!(source, Source::Immediate { .. }))
    }

    pub(crate) fn is(self, opcode: Opcode) -> bool {
        self.instruction.opcode == opcode
    }
}

pub(crate) fn is_indirect(register: Register) -> bool {
    matches!(register, Register::Indirect { .. })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use parallax_spec::Level;

    use super::*;
    use crate::rules;

    /// Bytes at random, the same in each run.
    fn random(state: &mut u64) -> [u8; 16] {
        let mut next = || {
            *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ mixed >> 31
        };
        (u128::from(next()) << 64 | u128::from(next())).to_le_bytes()
    }

    /// The opcode with most functions.
    const MATH: u8 = 0x38;

    #[test]
    fn each_rule_decides_some_words_and_not_others() {
        let mut seen: BTreeMap<_, [u64; 2]> = BTreeMap::new();
        let of_words: Vec<_> = rules().filter(|rule| rule.is_of_words()).collect();
        for device in Device::EU {
            let generation = device.generation().expect("it has execution units");
            let mut state = 1;
            for number in 0..200_000 {
                // Words with few bits hold fewer codes that are reserved.
                let few = if number % 2 == 0 { [u8::MAX; 16] } else { random(&mut state) };
                let any = random(&mut state);
                let mut code: [u8; 16] = std::array::from_fn(|at| any[at] & few[at]);
                if number % 8 == 1 {
                    code[0] = MATH;
                }
                let Ok((instruction, _)) = decode::decode(device, &code) else { continue };
                let word = Word::new(device, &instruction, &code).expect("it decodes");
                let speaking = of_words.iter();
                for rule in speaking.filter(|r| r.speaks_of(instruction.opcode, generation)) {
                    seen.entry(rule.id()).or_default()[usize::from(rule.decides_word(word))] += 1;
                }
            }
        }
        let of = |which: fn([u64; 2]) -> bool| -> Vec<&str> {
            let seen = |rule: &crate::Rule| seen.get(&rule.id()).copied().unwrap_or_default();
            let binding = of_words.iter().filter(|rule| rule.id().rule().level == Level::Must);
            let rules = binding.filter(|rule| which(seen(rule)));
            rules.map(|rule| rule.id().rule().id).collect()
        };
        assert_eq!(of(|[_, met]| met == 0), [""; 0]);
        let always = of(|[others, met]| others == 0 && met > 0);
        let unconditional = of_words.iter().filter(|rule| rule.is_unconditional());
        let unconditional: Vec<_> = unconditional.map(|rule| rule.id().rule().id).collect();
        assert!(always.iter().all(|id| unconditional.contains(id)), "{always:?}");
    }
}
