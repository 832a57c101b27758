//! Execution sizes, register regions, and addresses of regions with one for each row.

use super::prelude::*;

checks! {
    Instruction UpToGen45 ["g45.rr.1-execsize-max", "g45.simd.max-exec-native", "g45.dw0.execsize.limit"]
        about |f| f.is_data() && !f.compressed && f.opcode != Opcode::Lzd,
        holds |f| f.native <= native_channels(f),
        "a native instruction handles 8 channels of dwords or 16 of words and bytes; lower the \
         execution size, or compress the instruction";
    Instruction UpToGen45 ["g45.simd.max-exec-compressed", "g45.dw0.execsize.32-compressed"]
        about |f| f.is_data() && f.compressed,
        holds |f| f.native <= native_channels(f),
        "a compressed instruction handles 16 channels of dwords or 32 of words and bytes; lower \
         the execution size or use narrower operands";
    Source UpToGen45 ["g45.rr.3-execsize-width", "g45.field.width.limit"]
        says "the width of the region is larger than the execution size; use a width of at most the \
         execution size"
        | FromGen7 ["leg.region.exec-ge-width", "dg1.execsize.width", "dg1.width.limit"]
        says "the width of the region is larger than the execution size"
        about |f, s| is_region(f, s) && s.width().is_some(),
        holds |f, s| s.width() <= Some(f.channels);
    Source UpToGen45 ["g45.rr.4-vstride-consistent"] | FromGen7 ["leg.region.row-stride"]
        about |f, s| is_row(f, s) && s.horizontal() != Some(0) && (s.width() != Some(1) || f.is_from_gen7()),
        holds |_, s| s.region().is_some_and(|(vertical, width, horizontal)| {
            vertical == width * horizontal
        }),
        "with one row the vertical stride must be the width times the horizontal stride, as in \
         <8;8,1>";
    Source UpToGen45 ["g45.rr.6-width1"] practice "gen4-scalar-1-1-1"
        about is_written_as_one_packed,
        holds |_, _| false,
        "a region of one element must be <0;1,0>";
    Source UpToGen45 ["g45.rr.6-width1"] | FromGen7 ["leg.region.width1"]
        about |f, s| is_region(f, s) && s.width() == Some(1)
            && (f.is_from_gen7() || !is_written_as_one_packed(f, s)),
        holds |_, s| s.horizontal() == Some(0),
        "rows of one element must have a horizontal stride of 0, as in <1;1,0>";
    Source UpToGen45 ["g45.rr.7-scalar"] | FromGen7 ["leg.region.scalar"]
        about |f, s| is_row(f, s) && s.width() == Some(1) && s.horizontal() == Some(0)
            && !is_third_of_gen12(f, s),
        holds |_, s| matches!(s.region(), Some((0, ..))),
        "a region of one element must be <0;1,0>";
    Source UpToGen45 ["g45.rr.8-replicate", "g45.region.rule5-8-combo"]
        | FromGen7 ["leg.region.zero-strides", "talk.region.replicate-8-legality"]
        about |f, s| is_region(f, s) && s.is_scalar(),
        holds |_, s| s.width() == Some(1),
        "a region with both strides 0 replicates one element and must have width 1: <0;1,0>";
    Source UpToGen45 ["g45.field.vertstride.size-limit", "g45.rr.15-32-wide"]
        about |f, s| f.is_data() && matches!(s.region(), Some((16 | 32, ..))),
        holds |_, s| row_distance(s) <= Some(REGISTER_BYTES),
        "a vertical stride of 16 is for words and bytes, one of 32 for bytes only; choose a \
         smaller stride";
    Source UpToGen45 ["g45.rr.11-align1-src", "g45.grf.src-span"]
        about |f, s| moves(f) && !f.is_align16() && s.is_placed(),
        holds |_, s| s.end() <= 2 * REGISTER_BYTES,
        "the region reaches beyond two adjacent registers; use smaller strides or a lower \
         execution size";
    Source UpToGen45 ["g45.rr.11-1-row", "g45.rr.example-crossing"] | FromGen7 ["leg.region.row-crossing"]
        about |f, s| if f.is_from_gen7() {
            is_region(f, s) && !s.is_scalar()
        } else {
            moves(f) && !f.is_align16() && s.is_placed()
        },
        holds |_, s| !s.row_crosses(),
        "a row of the region crosses from one register to the next; use narrower rows or another \
         start";
    Source Gen12 ["dg1.vstride.16-types"]
        about |f, s| is_region(f, s) && matches!(s.region(), Some((16, ..))),
        holds |_, s| row_distance(s) <= Some(REGISTER_BYTES),
        "rows of doublewords cannot be 16 elements apart";
    Source Gen12 ["dg1.vstride.32-types"]
        about |f, s| is_region(f, s) && matches!(s.region(), Some((32, ..))),
        holds |_, s| row_distance(s) <= Some(REGISTER_BYTES),
        "only rows of bytes can be 32 elements apart";
    Source FromGen7 ["leg.region.src-two-regs", "gen7.grf.src-two-registers", "talk.region.illegal-span"]
        about is_region,
        holds |_, s| s.end() <= 2 * REGISTER_BYTES,
        "the region reaches beyond two adjacent registers; use smaller strides or a lower \
         execution size";
    Source UpToGen45 ["g45.rr.11-2-src1"]
        about |f, s| f.is_data() && !f.is_align16() && s.index == 1 && reaches_second(s),
        holds |_, s| row_distance(s) == Some(REGISTER_BYTES),
        "where src1 spans two registers its vertical stride must be 32 bytes; exchange the \
         sources or change the region";
    Source UpToGen45 ["g45.access.align16-src-one-reg"]
        about |f, s| f.is_data() && f.is_align16() && s.is_placed(),
        holds |_, s| s.end() <= REGISTER_BYTES,
        "an Align16 source must lie within one register; lower the execution size";
    Source UpToGen45 ["g45.access.align16-vstride", "g45.field.vertstride.align16"]
        about |f, s| f.is_data() && f.is_align16() && !s.is_immediate(),
        holds |_, s| has_vertical(s, &[0, 4]),
        "an Align16 source is <0> or <4> with a swizzle, addressed by one index at most; use \
         Align1 for other regions";
    Destination FromGen7 ["leg.region.dst-two-regs", "gen7.grf.dst-one-register"]
        about |f, d| f.is_data() && d.is_general(),
        holds |_, d| d.end() <= 2 * REGISTER_BYTES,
        "the destination reaches beyond two adjacent registers; use a smaller stride or a lower \
         execution size";
    Source UpToGen45 ["g45.dt.natural-alignment"] | FromGen7 ["gen7.data.align-natural"]
        about |f, s| if f.is_from_gen7() { is_region(f, s) } else { moves(f) && s.is_placed() },
        holds |_, s| s.subregister() % s.data_type.size() == 0,
        "the region does not start at a multiple of the element size; change the subregister";
    Source UpToGen45 ["g45.field.regnum.grf"]
        about |f, s| moves(f) && s.is_general_direct(),
        holds |f, s| s.number() + registers_of(f, s) <= 128,
        "the region reaches beyond r127; start at a lower register";
    Destination UpToGen45 ["g45.dt.natural-alignment"] | FromGen7 ["gen7.data.align-natural"]
        about |f, d| f.is_data() && !d.is_null() && (f.is_from_gen7() || d.data_type.size() > f.execution.size()),
        holds |_, d| d.subregister() % d.data_type.size() == 0,
        "the destination does not start at a multiple of its element size; change the subregister";
    Source Gen7 ["leg.region.indirect-span-gen7", "gen7.simd8.indirect-limit", "gen7.a0.per-channel-limit"]
        about |_, s| s.is_multi_index(),
        holds |f, _| f.channels <= 8,
        "a region whose rows have an address each is limited to 8 channels";
    Source Gen7 ["gen7.simd8.indirect-limit"] practice "gen7-two-registers-by-address"
        about |f, s| s.is_indirect() && !s.is_multi_index()
            && f.writes(|d| d.is_general_direct() && d.spans_two()),
        holds |_, _| false,
        "the second of the two registers gets wrong elements through an address: split it into halves";
    Source FromGen9 ["leg.region.indirect-span-gen8"]
        about |_, s| s.is_multi_index(),
        holds |f, _| f.channels <= 16,
        "a region whose rows have an address each is limited to 16 channels";
    Source FromGen7 ["leg.region.indirect-src0-only", "dg1.vstride.src1-0xf"]
        about |_, s| s.is_multi_index(),
        holds |_, s| s.index == 0,
        "only src0 can have an address for each row; exchange the sources";
    Source FromGen7 ["gen7.a0.group-align"]
        about |_, s| s.is_multi_index(),
        holds is_aligned_group,
        "the address subregisters of a region start at a multiple of their number";
    Instruction Gen7 ["leg.region.ivb-df"]
        about |f| f.pairs && !f.is_align16(),
        holds |f| f.channels >= 2 && f.sources().all(takes_pairs),
        "a double takes two channels: execution size, width and vertical stride must be even, the \
         horizontal stride 1, as in <4;4,1>";
    Instruction Gen9 ["leg.region.align16-64bit-exec"]
        about |f| f.is_align16() && !f.is_ternary() && f.writes(|d| d.data_type.size() == 8)
            && f.reads(|s| s.data_type.size() < 8),
        holds |f| f.channels <= 2,
        "Align16 from narrower types to 64 bits is limited to 2 channels";
}

/// Whether a source is a region of registers that counts.
fn is_region(f: &Facts, s: &SourceFacts) -> bool {
    f.is_data() && !s.is_null() && !s.is_immediate()
}

/// Whether the region is a single row of the whole instruction.
fn is_row(f: &Facts, s: &SourceFacts) -> bool {
    is_region(f, s) && s.region().is_some_and(|(_, width, _)| width == f.channels)
}

/// Whether it is one element written as `<1;1,1>`.
fn is_written_as_one_packed(f: &Facts, s: &SourceFacts) -> bool {
    is_region(f, s) && f.channels == 1 && s.region() == Some((1, 1, 1))
}

/// Of three sources on Gen12 the last has one stride, that from a channel to the next.
fn is_third_of_gen12(f: &Facts, s: &SourceFacts) -> bool {
    f.is_ternary() && !f.is_align16() && s.index == 2
}

/// Whether it moves the elements of its sources: data instructions, and send with its implied move.
fn moves(f: &Facts) -> bool {
    f.is_data() || f.opcode == Opcode::Send
}

/// The most channels of a native instruction for its widest operand.
fn native_channels(f: &Facts) -> usize {
    if f.has_type(|of| of.size() >= 4) { 8 } else { 16 }
}

/// Bytes from the start of a row to that of the next.
fn row_distance(s: &SourceFacts) -> Option<usize> {
    s.region().map(|(vertical, ..)| vertical * s.data_type.size())
}

pub(super) fn reaches_second(s: &SourceFacts) -> bool {
    s.is_placed() && s.end() > REGISTER_BYTES
}

/// Registers from the one that is named to the last that is read.
fn registers_of(f: &Facts, s: &SourceFacts) -> usize {
    let second_half = f.compressed && !s.is_scalar() && s.number().is_multiple_of(2);
    s.end().div_ceil(REGISTER_BYTES) + usize::from(second_half)
}

/// Whether addresses start at a multiple of their number.
pub(super) fn is_aligned_group(f: &Facts, s: &SourceFacts) -> bool {
    s.address().is_none_or(|address| address.is_multiple_of(rows(f, s)))
}

/// Rows of a region, each of which has an address.
pub(super) fn rows(f: &Facts, s: &SourceFacts) -> usize {
    s.width().map_or(1, |width| f.native / width.clamp(1, f.native))
}

/// Whether it is a region of Align16 with one of some vertical strides.
pub(super) fn has_vertical(s: &SourceFacts, allowed: &[u8]) -> bool {
    matches!(s.align16(), Some((VerticalStride::Elements(stride), _)) if allowed.contains(&stride))
}

/// Whether the elements of a region of doubles are pairs of channels.
fn takes_pairs(s: &SourceFacts) -> bool {
    let is_pair =
        |(vertical, width, horizontal)| horizontal == 1 && width % 2 == 0 && vertical % 2 == 0;
    s.data_type != DataType::Df || s.is_accumulator() || s.region().is_none_or(is_pair)
}
