//! Fields of compact forms of Gen12 (table eu-compaction-gen12).

use parallax_isa::{
    Device,
    eu::{DataType, Opcode, decode::decode, operand::Source},
};

use super::{Eu, Fault, compact_form as compact};

/// Every fault of this kind.
pub(super) const FAULTS: &[Fault<Eu>] = &[
    compact("another destination register", |word| two_sources(word, 16)),
    compact("another entry of controls", |word| two_sources(word, 24)),
    compact("an entry of controls 16 on", |word| two_sources(word, 28)),
    compact("another entry of types", |word| two_sources(word, 30)),
    compact("an entry of types 16 on", |word| two_sources(word, 34)),
    compact("another entry of subregisters", |word| two_sources(word, 35)),
    compact("an entry of subregisters 16 on", |word| two_sources(word, 39)),
    compact("another first register", |word| two_sources(word, 40)),
    compact("another entry of the first source", |word| two_sources(word, 48)),
    compact("another entry of the second source", |word| two_sources(word, 52)),
    compact("another second register", |word| two_sources(word, 56)),
    compact("parts of a short immediate in the order of Gen9", |word| {
        immediate(word)?;
        let value = word >> 52;
        Some(word << 12 >> 12 | (value << 8 & 0xF00 | value >> 4) << 52)
    }),
    compact("short immediate of D without its sign", |word| without_sign(word, DataType::D)),
    compact("short immediate of W without its sign", |word| without_sign(word, DataType::W)),
    compact("short immediate of F one place lower", |word| one_place_lower(word, DataType::F)),
    compact("short immediate of UW one place lower", |word| one_place_lower(word, DataType::Uw)),
    compact("short immediate of UD one place lower", |word| one_place_lower(word, DataType::Ud)),
    compact("three sources: another destination register", |word| three_sources(word, 16)),
    compact("three sources: another entry of controls", |word| three_sources(word, 24)),
    compact("three sources: another entry of sources", |word| three_sources(word, 31)),
    compact("three sources: another entry of subregisters", |word| three_sources(word, 35)),
    compact("three sources: another first register", |word| three_sources(word, 40)),
    compact("three sources: another third register", |word| three_sources(word, 48)),
    compact("three sources: another second register", |word| three_sources(word, 56)),
];

fn has_three_sources(word: u64) -> bool {
    let code = (word & 0x7F) as u8;
    let ternary = [Opcode::Mad, Opcode::Csel, Opcode::Bfe, Opcode::Bfi2];
    ternary.iter().any(|opcode| opcode.code(Device::Dg1) == Some(code))
}

fn two_sources(word: u64, bit: u32) -> Option<u64> {
    (!has_three_sources(word)).then_some(word ^ 1 << bit)
}

fn three_sources(word: u64, bit: u32) -> Option<u64> {
    has_three_sources(word).then_some(word ^ 1 << bit)
}

/// The type of the immediate, if there is one.
fn immediate(word: u64) -> Option<DataType> {
    let (instruction, _) = decode(Device::Dg1, &word.to_le_bytes()).ok()?;
    let mut sources = instruction.sources[..2].iter();
    let is_one = |source: &&Source| matches!(source, Source::Immediate { .. });
    (!has_three_sources(word)).then(|| sources.find(is_one).map(Source::data_type))?
}

fn without_sign(word: u64, data_type: DataType) -> Option<u64> {
    (immediate(word)? == data_type && word >> 63 == 1).then_some(word & !(1 << 63))
}

fn one_place_lower(word: u64, data_type: DataType) -> Option<u64> {
    (immediate(word)? == data_type).then_some(word << 12 >> 12 | word >> 53 << 52)
}
