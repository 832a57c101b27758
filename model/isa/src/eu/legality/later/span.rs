//! Operands that span two registers (Gen7), and where narrow destinations lie.

use super::{
    super::super::{opcode::Opcode, types::DataType},
    Check, DestinationFacts, Facts, SourceFacts, checks,
    types::is_half_and_integer,
};

checks! {
    Gen7 Destination ["leg.region.dst-oword-split"]
        about |f, d| in_align1(f, d) && !d.spans_two() && spanning(f).next().is_some(),
        holds |_, d| is_even(d, 16, true),
        "where a source spans two registers, the elements of the destination must lie in 16 bytes \
         or be as many in the lower as in the upper half of the register";
    Gen7 Destination ["leg.region.dst-even-split"]
        about |f, d| in_align1(f, d) && d.spans_two(),
        holds |_, d| is_even(d, 32, false),
        "a destination in two registers must have as many elements in the first as in the second";
    FromGen9 Destination ["leg.region.dst-even-split-math"]
        about |f, d| in_align1(f, d) && d.spans_two() && f.opcode == Opcode::Math,
        holds |_, d| is_even(d, 32, false),
        "a destination of math in two registers must have as many elements in the first as in the \
         second";
    Gen7 Source ["leg.region.dst-from-one-src"]
        about |f, s| s.spans_two() && !s.is_indirect() && splits(f),
        holds |_, s| halves_in_one_register(s),
        "where source and destination span two registers, the elements of each register of the \
         destination must come from one register";
    Gen7 Instruction ["leg.region.same-offset"]
        about |f| f.is_data() && !f.is_align16() && spanning(f).count() > 1,
        holds |f| {
            // Compilers write odd words beside doublewords (decision D-eu-later-types).
            let mut offsets = spanning(f).map(|s| s.subregister() / 4);
            let first = offsets.next();
            offsets.all(|offset| Some(offset) == first)
        },
        "sources that span two registers must start in the same doubleword of their registers";
    Gen7 Source ["leg.region.src-two-when-dst-two"]
        about |f, s| splits(f) && !s.bytes().is_empty() && !s.is_indirect(),
        holds |f, s| s.spans_two() || s.is_scalar() || are_packed_words(f, s),
        "where the destination spans two registers the source must too, unless it is <0;1,0> or \
         packed words of src0 for packed doublewords";
    All Destination ["leg.type.byte-dst-packed", "gen7.data.packed-byte-dst"]
        about |f, d| is_narrowed(f, d) && d.data_type.size() == 1 && d.stride() == 1 && !f.is_align16()
            && f.channels > 1,
        holds |f, _| f.is_raw_byte_move(),
        "bytes can be packed only by a mov that changes none; use stride 2";
    All Destination ["leg.type.dst-size-ratio"]
        about |f, d| is_narrowed(f, d) && !f.is_align16() && f.channels > 1
            && (d.data_type.size() != 1 || d.stride() != 1) && !f.is_raw_byte_move() && !is_half_result(f, d),
        holds |f, d| if f.pairs { [4, 8].contains(&d.step()) } else { d.step() == f.execution.size() },
        "the destination is narrower than what is computed, so its elements must be as far apart \
         as those would be: use a larger stride";
    Gen7 Destination ["leg.type.dst-align"]
        about has_an_alignment,
        holds |f, d| is_aligned(f, d),
        "the destination is narrower than what is computed, so it must start at a multiple of that \
         size";
    FromGen9 Destination ["leg.type.dst-align"]
        about |f, d| has_an_alignment(f, d) && d.data_type.size() != 2,
        holds |f, d| is_aligned(f, d),
        "the destination is narrower than what is computed, so it must start at a multiple of that \
         size";
    FromGen9 Destination ["leg.type.dst-align", "leg.type.dst-align-word"]
        about |f, d| has_an_alignment(f, d) && d.data_type.size() == 2,
        holds |f, d| is_aligned(f, d),
        "the destination is narrower than what is computed, so it must start at a multiple of that \
         size";
}

/// A destination of an Align1 instruction that lies in known general registers.
fn in_align1(f: &Facts, d: &DestinationFacts) -> bool {
    f.is_data() && !f.is_align16() && d.is_placed()
}

/// Whether the destination spans two registers.
fn splits(f: &Facts) -> bool {
    f.destination.as_ref().is_some_and(|d| in_align1(f, d) && d.spans_two())
}

fn spanning<'a>(f: &'a Facts) -> impl Iterator<Item = &'a SourceFacts> {
    f.sources().filter(|source| source.spans_two() && !source.is_indirect())
}

/// Whether as many elements lie below a byte as above, or all of them on one side.
fn is_even(d: &DestinationFacts, middle: usize, may_be_one: bool) -> bool {
    let lower = d.bytes().iter().filter(|byte| **byte < middle).count();
    let all = d.bytes().len();
    2 * lower == all || may_be_one && (lower == 0 || lower == all)
}

fn halves_in_one_register(source: &SourceFacts) -> bool {
    let bytes = source.bytes();
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let in_one = |half: &[usize]| half.iter().all(|byte| byte / 32 == half[0] / 32);
    in_one(first) && in_one(second)
}

fn are_packed_words(f: &Facts, source: &SourceFacts) -> bool {
    let Some(destination) = &f.destination else { return false };
    let neighbours = source.bytes().windows(2).all(|pair| pair[1] == pair[0] + 2);
    source.index == 0
        && matches!(source.data_type, DataType::W | DataType::Uw)
        && neighbours
        && destination.step() == 4
}

/// Whether elements of the destination are smaller than what is computed.
fn is_narrowed(f: &Facts, d: &DestinationFacts) -> bool {
    f.is_data()
        && !f.is_ternary()
        && !f.is_any(&[Opcode::Movi, Opcode::F32to16])
        && !d.is_null()
        && !d.is_accumulator()
        && d.data_type.size() < f.execution.size()
}

/// Whether the destination must start at a multiple of the size of what is computed.
fn has_an_alignment(f: &Facts, d: &DestinationFacts) -> bool {
    is_narrowed(f, d)
        && d.is_placed()
        && !f.is_align16()
        && !f.is_raw_byte_move()
        && !is_half_result(f, d)
}

/// Half precision from single precision or beside integers, which have rules of their own
/// (`leg.type.f-hf-stride`, `leg.type.hf-int-stride`).
fn is_half_result(f: &Facts, d: &DestinationFacts) -> bool {
    d.data_type == DataType::Hf && f.execution == DataType::F || is_half_and_integer(f)
}

/// Bytes may be the odd ones, words of doublewords too (`leg.type.dst-align-word`).
fn is_aligned(f: &Facts, d: &DestinationFacts) -> bool {
    let within = d.subregister() % f.execution.size();
    let is_odd_word =
        d.data_type.size() == 2 && within == 2 && !f.is_gen7() && f.execution.size() == 4;
    within == 0 || d.data_type.size() == 1 && within == 1 || is_odd_word
}
