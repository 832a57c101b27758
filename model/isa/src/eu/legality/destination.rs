//! Where destinations lie: within registers, beside sources that span two, and narrower than what is computed.

use super::{prelude::*, region::reaches_second, types::is_half_and_integer};

checks! {
    Destination UpToGen45 ["g45.field.regnum.grf"]
        about |f, d| f.is_data() && d.is_general_direct(),
        holds |f, d| d.number() + usize::from(f.compressed) < 128,
        "the region reaches beyond r127; start at a lower register";
    Destination UpToGen45 ["g45.field.regnum.mrf"]
        about |f, d| f.is_data() && d.is_direct() && d.is_in(RegisterFile::Mrf),
        holds |f, d| last_message_register(f, d) < 16,
        "the region reaches beyond m15; start at a lower register";
    Destination UpToGen45 ["g45.rr.9-dst-one-register", "g45.grf.dst-span", "g45.region.no-scatter"]
        about |f, d| is_native(f) && d.is_general_direct(),
        holds |_, d| d.end() <= REGISTER_BYTES,
        "the destination crosses a register boundary; lower the execution size or the stride, or \
         compress the instruction";
    Destination UpToGen45 ["g45.msg.mrf.region", "g45.rr.9-dst-one-register", "g45.region.no-scatter"]
        about |f, d| is_native(f) && d.is_direct() && d.is_in(RegisterFile::Mrf),
        holds |_, d| d.end() <= REGISTER_BYTES,
        "the destination crosses from one message register to the next; lower the execution size or \
         the stride, or compress the instruction";
    Destination UpToGen45 ["g45.arf.no-cross", "g45.rr.9-dst-one-register"]
        about |f, d| is_native(f) && d.is_direct() && d.is_in(RegisterFile::Arf),
        holds |_, d| d.end() <= REGISTER_BYTES,
        "the destination reaches beyond its architecture register; lower the execution size or the \
         stride";
    Destination UpToGen45 ["g45.rr.9-1-compressed"]
        about |f, d| f.is_data() && f.compressed && d.is_direct(),
        holds |_, d| d.end() <= REGISTER_BYTES,
        "the two halves of a compressed destination must each lie in one of two adjacent \
         registers; lower the execution size or the stride";
    Destination UpToGen45 ["g45.rr.10-1-dst-align"]
        about |f, d| f.is_data() && d.is_direct() && d.data_type.size() > 1 && f.opcode != Opcode::Movi
            && !f.is_align16(),
        holds |f, d| d.subregister() % f.execution.size() == 0,
        "the destination must start at a multiple of the size of the execution type; change the \
         subregister, or convert in a second instruction";
    Destination UpToGen45 ["g45.rr.10-5-bw", "g45.rr.example1"]
        about |f, d| is_aligned_byte(f, d) && !f.device.has(Feature::RelaxedByteDestination),
        holds |f, d| d.subregister() % f.execution.size() == 0,
        "bytes must be written to the lowest byte of the execution channel; change the \
         subregister";
    Destination UpToGen45 ["g45.rr.10-1-dst-align"]
        about |f, d| is_aligned_byte(f, d) && f.device.has(Feature::RelaxedByteDestination),
        holds |f, d| d.subregister() % f.execution.size() < 2,
        "bytes must be written to the lowest or second lowest byte of the execution channel; \
         change the subregister";
    Destination UpToGen45 ["g45.rr.10-1-2-dst-stride"]
        about |f, d| f.is_data() && !d.is_null() && d.stride() != 0 && f.channels > 1 && !is_packed_byte(d)
            && !f.is_align16() && f.opcode != Opcode::Movi,
        holds |f, d| d.step() >= f.execution.size(),
        "destination elements must be at least the size of the execution type apart; use a larger \
         stride, as in <2>:w for a dword operation";
    Destination UpToGen45 ["g45.rr.10-2-dst-stride-one"]
        about |f, d| (f.is_data() && !d.is_null() || f.opcode == Opcode::Send) && !f.is_align16(),
        holds |_, d| d.stride() != 0,
        "a destination stride of 0 is illegal; use <1>";
    Destination UpToGen45 ["g45.rr.10-3-packed-byte"]
        about |f, d| f.is_data() && is_packed_byte(d) && f.channels > 1
            && !f.is_any(&[Opcode::Sel, Opcode::Movi]),
        holds |f, _| f.is_raw_byte_move(),
        "packed bytes <1> can only be written by a mov of the same byte type without modifiers; \
         use <2>, then pack with a mov";
    Destination UpToGen45 ["g45.inst.sel.byte-dst"] of [Sel]
        about |_, d| d.data_type.size() == 1 && !d.is_null(),
        holds |_, d| d.stride() != 1 && d.subregister() % 2 == 0,
        "sel writes bytes only with a stride of 2 or 4 and from an even byte on; pack with a mov \
         afterwards";
    Destination UpToGen45 ["g45.rr.10-4-2reg-src"]
        says "where a source spans two registers the destination must lie in one half of its register \
         or be split evenly between the halves; move one of them"
        | Gen7 ["leg.region.dst-oword-split"]
        says "where a source spans two registers, the elements of the destination must lie in 16 bytes \
         or be as many in the lower as in the upper half of the register"
        about |f, d| if f.is_from_gen7() {
            in_align1(f, d) && !d.spans_two() && spanning(f).next().is_some()
        } else {
            f.is_data() && d.is_direct() && f.reads(reaches_second)
        },
        holds |_, d| is_even(d, 16, true);
    Destination Gen7 ["leg.region.dst-even-split"]
        about |f, d| in_align1(f, d) && d.spans_two(),
        holds |_, d| is_even(d, 32, false),
        "a destination in two registers must have as many elements in the first as in the second";
    Destination FromGen9 ["leg.region.dst-even-split-math"] of [Math]
        about |f, d| in_align1(f, d) && d.spans_two(),
        holds |_, d| is_even(d, 32, false),
        "a destination of math in two registers must have as many elements in the first as in the \
         second";
    Source Gen7 ["leg.region.dst-from-one-src"]
        about |f, s| s.spans_two() && !s.is_indirect() && splits(f),
        holds |_, s| halves_in_one_register(s),
        "where source and destination span two registers, the elements of each register of the \
         destination must come from one register";
    Instruction Gen7 ["leg.region.same-offset"]
        about |f| f.is_data() && !f.is_align16() && spanning(f).count() > 1,
        holds |f| {
            // Compilers write odd words beside doublewords (decision D-eu-later-types).
            let mut offsets = spanning(f).map(|s| s.subregister() / 4);
            let first = offsets.next();
            offsets.all(|offset| Some(offset) == first)
        },
        "sources that span two registers must start in the same doubleword of their registers";
    Source Gen7 ["leg.region.src-two-when-dst-two"]
        about |f, s| splits(f) && !s.bytes().is_empty() && !s.is_indirect(),
        holds |f, s| s.spans_two() || s.is_scalar() || are_packed_words(f, s),
        "where the destination spans two registers the source must too, unless it is <0;1,0> or \
         packed words of src0 for packed doublewords";
    Destination FromGen7 ["leg.type.byte-dst-packed", "gen7.data.packed-byte-dst"]
        about |f, d| is_narrowed(f, d) && is_packed_byte(d) && !f.is_align16() && f.channels > 1,
        holds |f, _| f.is_raw_byte_move(),
        "bytes can be packed only by a mov that changes none; use stride 2";
    Destination FromGen7 ["leg.type.dst-size-ratio"]
        about |f, d| is_narrowed(f, d) && !f.is_align16() && f.channels > 1 && !is_packed_byte(d)
            && !f.is_raw_byte_move() && !is_half_result(f, d),
        holds |f, d| if f.pairs { [4, 8].contains(&d.step()) } else { d.step() == f.execution.size() },
        "the destination is narrower than what is computed, so its elements must be as far apart \
         as those would be: use a larger stride";
    Destination FromGen7 ["leg.type.dst-align"]
        about |f, d| has_an_alignment(f, d) && (f.is_gen7() || d.data_type.size() != 2),
        holds is_aligned,
        "the destination is narrower than what is computed, so it must start at a multiple of that \
         size";
    Destination FromGen9 ["leg.type.dst-align", "leg.type.dst-align-word"]
        about |f, d| has_an_alignment(f, d) && d.data_type.size() == 2,
        holds is_aligned,
        "the destination is narrower than what is computed, so it must start at a multiple of that \
         size";
}

/// Whether it is one native instruction that computes.
fn is_native(f: &Facts) -> bool {
    f.is_data() && !f.compressed
}

fn last_message_register(f: &Facts, d: &DestinationFacts) -> usize {
    let first = d.number() & 0x7F;
    match (f.compressed, d.number() & 0x80 != 0) {
        (false, _) => first,
        (true, false) => first + 1,
        (true, true) => first + 4,
    }
}

fn is_packed_byte(d: &DestinationFacts) -> bool {
    d.data_type.size() == 1 && d.stride() == 1
}

/// Rule 10.5: bytes other than a raw move's.
fn is_aligned_byte(f: &Facts, d: &DestinationFacts) -> bool {
    f.is_data()
        && d.is_direct()
        && d.data_type.size() == 1
        && !f.is_raw_byte_move()
        && !f.is_any(&[Opcode::Sel, Opcode::Movi])
}

/// A destination of an Align1 instruction that lies in known general registers.
fn in_align1(f: &Facts, d: &DestinationFacts) -> bool {
    f.is_data() && !f.is_align16() && d.is_general_direct()
}

/// Whether the destination spans two registers.
fn splits(f: &Facts) -> bool {
    f.writes(|d| in_align1(f, d) && d.spans_two())
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
        && d.is_general_direct()
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
