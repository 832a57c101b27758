//! Source regions by their numbers, and addresses of indirect ones.

use super::{
    super::super::{operand::Register, types::DataType},
    Check, Facts, SourceFacts, checks,
};

checks! {
    All Source ["leg.region.exec-ge-width", "dg1.execsize.width", "dg1.width.limit"]
        about |f, s| is_region(f, s) && s.row().is_some(),
        holds |f, s| s.row().is_some_and(|(width, _)| width <= f.channels),
        "the width of the region is larger than the execution size";
    All Source ["leg.region.row-stride"]
        about |f, s| is_region(f, s)
            && matches!(s.region(), Some((_, width, horizontal))
                if width == f.channels && horizontal != 0),
        holds |_, s| s.region().is_some_and(|(vertical, width, horizontal)| {
            vertical == width * horizontal
        }),
        "with one row the vertical stride must be the width times the horizontal stride, as in \
         <8;8,1>";
    All Source ["leg.region.width1"]
        about |f, s| is_region(f, s) && matches!(s.row(), Some((1, _))),
        holds |_, s| matches!(s.row(), Some((_, 0))),
        "rows of one element must have a horizontal stride of 0, as in <1;1,0>";
    All Source ["leg.region.scalar"]
        about |f, s| is_region(f, s) && f.channels == 1 && matches!(s.region(), Some((_, 1, 0)))
            && !is_third_of_gen12(f, s),
        holds |_, s| matches!(s.region(), Some((0, ..))),
        "a region of one element must be <0;1,0>";
    All Source ["leg.region.zero-strides", "talk.region.replicate-8-legality"]
        about |f, s| is_region(f, s) && s.is_scalar(),
        holds |_, s| matches!(s.row(), Some((1, _))),
        "a region with both strides 0 replicates one element and must have width 1: <0;1,0>";
    All Source ["leg.region.row-crossing"]
        about |f, s| is_region(f, s) && s.row().is_some() && !s.is_scalar(),
        holds |_, s| !row_crosses(s),
        "a row of the region crosses from one register to the next; use narrower rows or another \
         start";
    Gen12 Source ["dg1.vstride.16-types"]
        about |f, s| is_region(f, s) && matches!(s.region(), Some((16, ..))),
        holds |_, s| s.data_type.size() <= 2,
        "rows of doublewords cannot be 16 elements apart";
    Gen12 Source ["dg1.vstride.32-types"]
        about |f, s| is_region(f, s) && matches!(s.region(), Some((32, ..))),
        holds |_, s| s.data_type.size() == 1,
        "only rows of bytes can be 32 elements apart";
    All Source ["leg.region.src-two-regs", "gen7.grf.src-two-registers", "talk.region.illegal-span"]
        about |f, s| is_region(f, s) && !s.bytes().is_empty(),
        holds |_, s| s.end() <= 64,
        "the region reaches beyond two adjacent registers; use smaller strides or a lower \
         execution size";
    All Destination ["leg.region.dst-two-regs", "gen7.grf.dst-one-register"]
        about |f, d| f.is_data() && d.is_general(),
        holds |_, d| d.end() <= 64,
        "the destination reaches beyond two adjacent registers; use a smaller stride or a lower \
         execution size";
    All Source ["gen7.data.align-natural"]
        about |f, s| f.is_data() && !s.is_null() && !s.is_immediate(),
        holds |_, s| s.subregister() % s.data_type.size() == 0,
        "the region does not start at a multiple of the element size; change the subregister";
    All Destination ["gen7.data.align-natural"]
        about |f, d| f.is_data() && !d.is_null(),
        holds |_, d| d.subregister() % d.data_type.size() == 0,
        "the destination does not start at a multiple of its element size; change the subregister";
    Gen7 Source ["leg.region.indirect-span-gen7", "gen7.simd8.indirect-limit", "gen7.a0.per-channel-limit"]
        about |_, s| s.is_multi_index(),
        holds |f, _| f.channels <= 8,
        "a region whose rows have an address each is limited to 8 channels";
    Gen7 Source ["gen7.simd8.indirect-limit"] practice "gen7-two-registers-by-address"
        about |f, s| s.is_indirect() && !s.is_multi_index() && f.destination.as_ref().is_some_and(
            |d| d.is_placed() && d.spans_two()),
        holds |_, _| false,
        "the second of the two registers gets wrong elements through an address: split it into halves";
    FromGen9 Source ["leg.region.indirect-span-gen8"]
        about |_, s| s.is_multi_index(),
        holds |f, _| f.channels <= 16,
        "a region whose rows have an address each is limited to 16 channels";
    All Source ["leg.region.indirect-src0-only", "dg1.vstride.src1-0xf"]
        about |_, s| s.is_multi_index(),
        holds |_, s| s.index == 0,
        "only src0 can have an address for each row; exchange the sources";
    All Source ["gen7.a0.group-align"]
        about |_, s| s.is_multi_index(),
        holds |f, s| is_aligned_group(f, s),
        "the address subregisters of a region start at a multiple of their number";
    Gen7 Instruction ["leg.region.ivb-df"]
        about |f| f.pairs && !f.is_align16(),
        holds |f| f.channels >= 2 && f.sources().all(takes_pairs),
        "a double takes two channels: execution size, width and vertical stride must be even, the \
         horizontal stride 1, as in <4;4,1>";
    Gen9 Instruction ["leg.region.align16-64bit-exec"]
        about |f| f.is_align16() && !f.is_ternary()
            && f.destination.as_ref().is_some_and(|d| d.data_type.size() == 8)
            && f.sources().any(|s| s.data_type.size() < 8),
        holds |f| f.channels <= 2,
        "Align16 from narrower types to 64 bits is limited to 2 channels";
}

/// Of three sources on Gen12 the last has one stride, that from a channel to the next.
fn is_third_of_gen12(f: &Facts, source: &SourceFacts) -> bool {
    f.is_ternary() && !f.is_align16() && source.index == 2
}

/// Whether a source is a region of registers that counts.
fn is_region(f: &Facts, source: &SourceFacts) -> bool {
    f.is_data() && !source.is_null() && !source.is_immediate()
}

fn row_crosses(source: &SourceFacts) -> bool {
    let Some((width, _)) = source.row() else { return false };
    let rows = source.bytes().chunks(width.max(1));
    rows.into_iter().any(|row| {
        let registers = row.iter().flat_map(|byte| [byte / 32, (byte + source.unit() - 1) / 32]);
        let (first, last) = (registers.clone().min(), registers.max());
        first != last
    })
}

fn is_aligned_group(f: &Facts, source: &SourceFacts) -> bool {
    let Some(Register::Indirect { address_subregister, .. }) = source.register() else {
        return true;
    };
    let rows = source.row().map_or(1, |(width, _)| f.channels / width.clamp(1, f.channels));
    usize::from(address_subregister) % rows.max(1) == 0
}

/// Whether the elements of a region of doubles are pairs of channels.
fn takes_pairs(source: &SourceFacts) -> bool {
    if source.data_type != DataType::Df || source.is_accumulator() {
        return true;
    }
    match source.region() {
        Some((vertical, width, horizontal)) => {
            horizontal == 1 && width % 2 == 0 && vertical % 2 == 0
        }
        None => true,
    }
}
