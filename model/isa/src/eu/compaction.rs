//! The 64-bit compact form (G45 volume 4, section 11.6): indices into fixed tables, and the register
//! numbers. The tables of all generations are generated from `g45-compaction` and
//! `eu-compaction-*`. On G45 both directions are exact. The forms of later generations have
//! bits that the expansion drops; an instruction keeps them in `compact_residue`.

use super::{
    bits::{Bits, gather, scatter},
    codes,
    fields::{self, Word, basic},
    generation::Generation,
    opcode::{Format, Opcode},
    types::DataType,
};
use crate::{Device, device::Feature};

/// Whether a device has the compact form.
#[must_use]
pub const fn is_supported(device: Device) -> bool {
    device.has(Feature::Compaction)
}

/// Bit 29 tells the forms apart; in the 128-bit word it is zero.
const COMPACT_CONTROL: u64 = 1 << 29;

/// A word without a compact form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the instruction has no compact form: {table} bits {bits:#b} are not in the compaction table"
)]
pub struct NotCompactable {
    /// Which compaction table lacks the entry, or `unmapped` for bits that cannot be stored.
    pub table: &'static str,
    /// The bits that would have to be there.
    pub bits: u128,
}

/// How the compact form stands for the native one.
#[derive(Debug)]
pub struct Layout {
    /// Fields that are the same in both.
    pub copied: &'static [Copied],
    /// Fields that are an index into a table.
    pub tables: &'static [Table],
    /// The bits of an immediate, which take the place of other fields where a source is one.
    pub immediate: Option<Copied>,
}

/// A field that is copied.
#[derive(Debug, Clone, Copy)]
pub struct Copied {
    /// Its bits in the compact form.
    pub compact: &'static [Bits],
    /// Its bits in the native form.
    pub native: &'static [Bits],
}

/// A field that stands for an entry of a table.
#[derive(Debug)]
pub struct Table {
    /// Which fields of the native form the entries hold.
    pub kind: Kind,
    /// The bits of the index in the compact form.
    pub index: &'static [Bits],
    /// Where the bits of an entry go in the native form, the most significant first.
    pub native: &'static [Bits],
    /// The entries.
    pub entries: &'static [u64],
}

/// Which fields the entries of a compaction table hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Controls of the instruction.
    Control,
    /// Register files, types, and the layout of the destination.
    DataType,
    /// Subregister numbers.
    SubRegister,
    /// Region and modifiers of src0.
    Source0,
    /// Region and modifiers of src1.
    Source1,
    /// Controls of an instruction with three sources.
    TernaryControl,
    /// Regions, types and modifiers of three sources.
    TernarySource,
    /// Subregister numbers of three sources.
    TernarySubRegister,
}

impl Kind {
    /// Its name in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Control | Self::TernaryControl => "control",
            Self::DataType => "data type",
            Self::SubRegister | Self::TernarySubRegister => "subregister",
            Self::Source0 => "source 0",
            Self::Source1 => "source 1",
            Self::TernarySource => "sources",
        }
    }
}

/// The tables as they are.
mod listed {
    use super::{Bits, Copied, Kind, Layout, Table};

    include!(concat!(env!("OUT_DIR"), "/eu_compaction.rs"));
}

/// The compact forms of a generation: that of instructions with up to two sources, and that of
/// instructions with three, where there are such. (Of Gen4.5, DevCTG-B and later have one.)
#[must_use]
pub const fn layouts(generation: Generation) -> [Option<&'static Layout>; 2] {
    match generation {
        Generation::Gen4 => [None, None],
        Generation::Gen45 => [Some(&listed::G45), None],
        Generation::Gen7 | Generation::Gen75 => [Some(&listed::GEN7), None],
        Generation::Gen8 | Generation::Gen9 => [Some(&listed::GEN8), Some(&listed::GEN8_TERNARY)],
        Generation::Gen12 => [Some(&listed::GEN12), Some(&listed::GEN12_TERNARY)],
    }
}

/// The tables of the one layout of Gen4.5, in the order of the manual.
#[must_use]
pub const fn tables_of_g45() -> &'static [Table] {
    listed::G45.tables
}

/// The table of a kind, if the generation has it.
#[must_use]
pub fn table(generation: Generation, kind: Kind) -> Option<&'static Table> {
    let layouts = layouts(generation).into_iter().flatten();
    layouts.flat_map(|layout| layout.tables).find(|table| table.kind == kind)
}

impl Layout {
    /// The form of an operation in a generation, by its code, if it has one.
    fn of(generation: Generation, word: u128) -> Option<&'static Self> {
        let code = Word { bits: word, generation }.get(&basic::OPCODE) as u8;
        let opcode = Opcode::on(generation, code).unwrap_or(Opcode::Illegal);
        let [two_sources, three_sources] = layouts(generation);
        match opcode.format_on(generation) {
            Format::Ternary => three_sources,
            // E-eu-later-gens-8: sends and sendsc have none.
            Format::SplitMessage => None,
            _ => two_sources,
        }
    }

    /// The immediate's bits, if what the other fields say of the native word makes a source one.
    fn immediate_in(&self, generation: Generation, native: u128) -> Option<&Copied> {
        let word = Word { bits: native, generation };
        let is_one = [0, 1].into_iter().any(|index| fields::is_immediate(word, index));
        self.immediate.as_ref().filter(|_| is_one)
    }

    /// The native word without what an immediate takes the place of.
    fn expanded(&self, compact: u128, immediate: Option<&Copied>) -> u128 {
        let is_kept = |bits: &[Bits]| immediate.is_none_or(|i| !overlap(i.compact, bits));
        let copied = self.copied.iter().filter(|field| is_kept(field.compact));
        let copied = copied
            .fold(0, |word, field| word | scatter(gather(compact, field.compact), field.native));
        let tables = self.tables.iter().filter(|table| is_kept(table.index));
        tables.fold(copied, |word, table| {
            let index = gather(compact, table.index);
            word | scatter(table.entries[index as usize], table.native)
        })
    }
}

/// Whether runs have a bit in common.
fn overlap(some: &[Bits], others: &[Bits]) -> bool {
    scatter(u64::MAX, some) & scatter(u64::MAX, others) != 0
}

/// The 128-bit word that a compact instruction of a generation stands for; `None` if its operation
/// has no compact form there.
#[must_use]
pub fn expand_on(generation: Generation, compact: u64) -> Option<u128> {
    let layout = Layout::of(generation, compact.into())?;
    let compact = u128::from(compact);
    let Some(immediate) = layout.immediate_in(generation, layout.expanded(compact, None)) else {
        return Some(layout.expanded(compact, None));
    };
    let others = layout.expanded(compact, Some(immediate));
    let value = gather(compact, immediate.compact);
    let value = if generation >= Generation::Gen12 {
        widened(immediate_type(Word { bits: others, generation })?, value as u32)?.into()
    } else {
        sign_extended(value, immediate.compact)
    };
    let place = scatter(u64::MAX, immediate.native);
    Some(others & !place | scatter(value, immediate.native))
}

/// The type of the immediate in a word of Gen12.
fn immediate_type(word: Word) -> Option<DataType> {
    let index = usize::from(!fields::is_immediate(word, 0));
    codes::IMMEDIATE_TYPES.meaning(word.generation, word.get(fields::SOURCES[index].data_type))
}

/// The 32 bits that 12 bits stand for as an immediate of a type on Gen12 (rule
/// `gen12.isa.enc.compact-imm`); `None` for types of 64 bits.
fn widened(data_type: DataType, bits: u32) -> Option<u32> {
    let signed = (bits << 20).cast_signed() >> 20;
    let doubled = |half: u32| half << 16 | half & 0xFFFF;
    match data_type {
        DataType::F => Some(bits << 20),
        DataType::Hf => Some(doubled(bits << 4)),
        DataType::Ud | DataType::Uv | DataType::V | DataType::Vf => Some(bits),
        DataType::Uw => Some(doubled(bits)),
        DataType::D => Some(signed.cast_unsigned()),
        DataType::W => Some(doubled(signed.cast_unsigned())),
        _ => None,
    }
}

/// The 12 bits that may stand for 32 bits of an immediate: what [`widened`] keeps of them.
const fn narrowed(data_type: DataType, bits: u32) -> u32 {
    match data_type {
        DataType::F => bits >> 20,
        DataType::Hf => bits >> 4 & 0xFFF,
        _ => bits & 0xFFF,
    }
}

/// The two's complement number in some runs, as 64 bits.
fn sign_extended(value: u64, runs: &[Bits]) -> u64 {
    let unused = 64 - runs.iter().map(|run| run.width()).sum::<u32>();
    ((value << unused).cast_signed() >> unused).cast_unsigned()
}

/// The compact form of a 128-bit word of a generation.
///
/// # Errors
/// If the operation has none, a table lacks the entry that the word needs, or the word has a bit set
/// for which the compact form has no place.
pub fn compacted_on(generation: Generation, word: u128) -> Result<u64, NotCompactable> {
    let no_form = NotCompactable { table: "unmapped", bits: word };
    let layout = Layout::of(generation, word).ok_or(no_form)?;
    let immediate = layout.immediate_in(generation, word);
    // What the immediate overlays in the native word has no meaning in entries.
    let overlaid = immediate.map_or(0, |immediate| scatter(u64::MAX, immediate.native));
    let is_kept = |bits: &[Bits]| immediate.is_none_or(|i| !overlap(i.compact, bits));
    let mut compact = COMPACT_CONTROL;
    for field in layout.copied.iter().filter(|field| is_kept(field.compact)) {
        compact |= scatter(gather(word, field.native), field.compact) as u64;
    }
    for table in layout.tables.iter().filter(|table| is_kept(table.index)) {
        let wanted = gather(word & !overlaid, table.native);
        let counts = gather(!overlaid, table.native);
        let position = |test: &dyn Fn(&u64) -> bool| table.entries.iter().position(test);
        let index = position(&|listed| *listed == wanted)
            .or_else(|| position(&|listed| *listed & counts == wanted));
        let Some(index) = index else {
            let table = table.kind.name();
            return Err(NotCompactable { table, bits: wanted.into() });
        };
        compact |= scatter(index as u64, table.index) as u64;
    }
    if let Some(immediate) = immediate {
        let bits = gather(word, immediate.native);
        let data_type = immediate_type(Word { bits: word, generation });
        let bits = match data_type.filter(|_| generation >= Generation::Gen12) {
            Some(data_type) => narrowed(data_type, bits as u32).into(),
            None => bits,
        };
        compact |= scatter(bits, immediate.compact) as u64;
    }
    match expand_on(generation, compact).unwrap_or(!word) ^ word {
        0 => Ok(compact),
        lost => Err(NotCompactable { table: "unmapped", bits: lost }),
    }
}

/// The 128-bit word that a compact instruction of G45 stands for. Every pattern stands for one.
#[must_use]
pub fn expand(compact: u64) -> u128 {
    let compact = u128::from(compact);
    let copied = listed::G45
        .copied
        .iter()
        .fold(0, |word, field| word | scatter(gather(compact, field.compact), field.native));
    listed::G45.tables.iter().fold(copied, |word, table| {
        let index = gather(compact, table.index);
        word | scatter(table.entries[index as usize], table.native)
    })
}

/// The compact form of a 128-bit word of G45.
///
/// # Errors
/// If a table lacks the entry that the word needs, or the word has a bit set for which the compact
/// form has no place.
pub fn compacted(word: u128) -> Result<u64, NotCompactable> {
    let mut compact = COMPACT_CONTROL;
    for field in listed::G45.copied {
        compact |= scatter(gather(word, field.native), field.compact) as u64;
    }
    for table in listed::G45.tables {
        let entry = gather(word, table.native);
        let mut entries = table.entries.iter();
        let Some(index) = entries.position(|&listed| listed == entry) else {
            let table = table.kind.name();
            return Err(NotCompactable { table, bits: entry.into() });
        };
        compact |= scatter(index as u64, table.index) as u64;
    }
    match expand(compact) ^ word {
        0 => Ok(compact),
        lost => Err(NotCompactable { table: "unmapped", bits: lost }),
    }
}

#[cfg(test)]
mod tests;
