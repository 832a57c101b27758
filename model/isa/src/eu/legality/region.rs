//! Execution sizes and register regions (sections 11.3.8 and 11.3.10).

use super::{
    super::{
        opcode::Opcode,
        operand::{Region, VerticalStride},
        register::{REGISTER_BYTES, RegisterFile},
    },
    Check, DestinationFacts, Facts, SourceFacts, checks,
};
use crate::device::Feature;

checks! {
    Instruction ["g45.rr.1-execsize-max", "g45.simd.max-exec-native", "g45.dw0.execsize.limit"]
        about |f| f.is_data() && !f.compressed && f.opcode != Opcode::Lzd,
        holds |f| f.channels <= native_channels(f),
        "a native instruction handles 8 channels of dwords or 16 of words and bytes; lower the \
         execution size, or compress the instruction";
    Instruction ["g45.simd.max-exec-compressed", "g45.dw0.execsize.32-compressed"]
        about |f| f.is_data() && f.compressed,
        holds |f| f.channels <= native_channels(f),
        "a compressed instruction handles 16 channels of dwords or 32 of words and bytes; lower \
         the execution size or use narrower operands";
    Source ["g45.rr.3-execsize-width", "g45.field.width.limit"]
        about |f, s| f.is_data() && s.width().is_some() && !s.is_null(),
        holds |f, s| s.width() <= Some(f.instruction.execution_size.into()),
        "the width of the region is larger than the execution size; use a width of at most the \
         execution size";
    Source ["g45.rr.4-vstride-consistent"]
        about |f, s| is_single_row(f, s) && s.width() != Some(1) && s.horizontal() != Some(0),
        holds |_, s| s.region().is_some_and(|(vertical, width, horizontal)| {
            vertical == width * horizontal
        }),
        "with one row the vertical stride must be the width times the horizontal stride, as in \
         <8;8,1>";
    Source ["g45.rr.6-width1"] practice "gen4-scalar-1-1-1"
        about |f, s| f.is_data() && !s.is_null() && is_written_as_one_packed(f, s),
        holds |_, _| false,
        "a region of one element must be <0;1,0>";
    Source ["g45.rr.6-width1"]
        about |f, s| {
            f.is_data() && !s.is_null() && s.width() == Some(1) && !is_written_as_one_packed(f, s)
        },
        holds |_, s| s.horizontal() == Some(0),
        "rows of one element must have a horizontal stride of 0, as in <1;1,0>";
    Source ["g45.rr.7-scalar"]
        about |f, s| is_single_row(f, s) && s.width() == Some(1) && s.horizontal() == Some(0),
        holds |_, s| matches!(s.region(), Some((0, _, _))),
        "a region of one element must be <0;1,0>";
    Source ["g45.rr.8-replicate", "g45.region.rule5-8-combo"]
        about |f, s| f.is_data() && !s.is_null() && s.is_scalar(),
        holds |_, s| s.width() == Some(1),
        "a region with both strides 0 replicates one element and must have width 1: <0;1,0>";
    Source ["g45.field.vertstride.size-limit", "g45.rr.15-32-wide"]
        about |f, s| f.is_data() && matches!(s.region(), Some((16 | 32, _, _))),
        holds |_, s| s.region().is_some_and(|(vertical, _, _)| {
            vertical * s.data_type.size() <= REGISTER_BYTES
        }),
        "a vertical stride of 16 is for words and bytes, one of 32 for bytes only; choose a \
         smaller stride";
    Source ["g45.rr.11-align1-src", "g45.grf.src-span"]
        about |f, s| f.moves() && !f.is_align16() && s.placed_rows().is_some(),
        holds |_, s| s.placed_rows().is_none_or(|rows| rows.within(2)),
        "the region reaches beyond two adjacent registers; use smaller strides or a lower \
         execution size";
    Source ["g45.rr.11-1-row", "g45.rr.example-crossing"]
        about |f, s| f.moves() && !f.is_align16() && s.placed_rows().is_some(),
        holds |_, s| s.placed_rows().is_none_or(|rows| !rows.row_crosses()),
        "a row of the region crosses from one register to the next; use narrower rows or another \
         start";
    Source ["g45.rr.11-2-src1"]
        about |f, s| f.is_data() && !f.is_align16() && s.index == 1 && spans_two(s),
        holds |_, s| s.region().is_some_and(|(vertical, _, _)| {
            vertical * s.data_type.size() == REGISTER_BYTES
        }),
        "where src1 spans two registers its vertical stride must be 32 bytes; exchange the \
         sources or change the region";
    Source ["g45.access.align16-src-one-reg"]
        about |f, s| f.is_data() && f.is_align16() && s.placed_rows().is_some(),
        holds |_, s| s.placed_rows().is_none_or(|rows| rows.within(1)),
        "an Align16 source must lie within one register; lower the execution size";
    Source ["g45.access.align16-vstride", "g45.field.vertstride.align16"]
        about |f, s| f.is_data() && f.is_align16() && !s.is_immediate(),
        holds |_, s| s.in_register().is_some_and(|source| match source.region {
            Region::Align16 { vertical, .. } => { ALIGN16_STRIDES.contains(&vertical)
            }
            Region::Align1 { .. } => false,
        }),
        "an Align16 source is <0> or <4> with a swizzle, addressed by one index at most; use \
         Align1 for other regions";
    Source ["g45.dt.natural-alignment"]
        about |f, s| f.moves() && s.placed_rows().is_some(),
        holds |_, s| s.subregister() % s.data_type.size() == 0,
        "the region does not start at a multiple of the element size; change the subregister";
    Source ["g45.field.regnum.grf"]
        about |f, s| f.moves() && direct_in(s, RegisterFile::Grf),
        holds |f, s| s.number() + registers_of(f, s) <= 128,
        "the region reaches beyond r127; start at a lower register";
    Destination ["g45.dt.natural-alignment"]
        about |f, d| f.is_data() && d.is_placed() && d.data_type.size() > f.execution_bytes(),
        holds |_, d| d.subregister() % d.data_type.size() == 0,
        "the destination does not start at a multiple of its element size; change the subregister";
    Destination ["g45.field.regnum.grf"]
        about |f, d| f.is_data() && d.is_placed() && d.file() == RegisterFile::Grf,
        holds |f, d| d.number() + usize::from(f.compressed) < 128,
        "the region reaches beyond r127; start at a lower register";
    Destination ["g45.field.regnum.mrf"]
        about |f, d| f.is_data() && d.is_placed() && d.file() == RegisterFile::Mrf,
        holds |f, d| last_message_register(f, d) < 16,
        "the region reaches beyond m15; start at a lower register";
    Destination ["g45.rr.9-dst-one-register", "g45.grf.dst-span", "g45.region.no-scatter"]
        about |f, d| f.is_data() && !f.compressed && d.is_placed() && d.file() == RegisterFile::Grf,
        holds |_, d| d.subregister() + d.places <= REGISTER_BYTES,
        "the destination crosses a register boundary; lower the execution size or the stride, or \
         compress the instruction";
    Destination ["g45.msg.mrf.region", "g45.rr.9-dst-one-register", "g45.region.no-scatter"]
        about |f, d| f.is_data() && !f.compressed && d.is_placed() && d.file() == RegisterFile::Mrf,
        holds |_, d| d.subregister() + d.places <= REGISTER_BYTES,
        "the destination crosses from one message register to the next; lower the execution size or \
         the stride, or compress the instruction";
    Destination ["g45.arf.no-cross", "g45.rr.9-dst-one-register"]
        about |f, d| f.is_data() && !f.compressed && d.is_placed() && d.file() == RegisterFile::Arf,
        holds |_, d| d.subregister() + d.places <= REGISTER_BYTES,
        "the destination reaches beyond its architecture register; lower the execution size or the \
         stride";
    Destination ["g45.rr.9-1-compressed"]
        about |f, d| f.is_data() && f.compressed && d.is_placed(),
        holds |_, d| d.subregister() + d.places <= REGISTER_BYTES,
        "the two halves of a compressed destination must each lie in one of two adjacent \
         registers; lower the execution size or the stride";
    Destination ["g45.rr.10-1-dst-align"]
        about |f, d| f.is_data() && d.is_placed() && needs_execution_alignment(f, d),
        holds |f, d| d.subregister() % f.execution_bytes() == 0,
        "the destination must start at a multiple of the size of the execution type; change the \
         subregister, or convert in a second instruction";
    Destination ["g45.rr.10-5-bw", "g45.rr.example1"]
        about |f, d| is_aligned_byte_destination(f, d) && !f.device.has(Feature::RelaxedByteDestination),
        holds |f, d| d.subregister() % f.execution_bytes() == 0,
        "bytes must be written to the lowest byte of the execution channel; change the \
         subregister";
    Destination ["g45.rr.10-1-dst-align"]
        about |f, d| is_aligned_byte_destination(f, d) && f.device.has(Feature::RelaxedByteDestination),
        holds |f, d| d.subregister() % f.execution_bytes() < 2,
        "bytes must be written to the lowest or second lowest byte of the execution channel; \
         change the subregister";
    Destination ["g45.rr.10-1-2-dst-stride"]
        about |f, d| {
            f.is_data() && !d.is_null() && d.stride() != 0
                && f.instruction.execution_size > 1 && !is_packed_byte(d) && !f.is_align16()
                && f.opcode != Opcode::Movi
        },
        holds |f, d| d.step() >= f.execution_bytes(),
        "destination elements must be at least the size of the execution type apart; use a larger \
         stride, as in <2>:w for a dword operation";
    Destination ["g45.rr.10-2-dst-stride-one"]
        about |f, d| {
            (f.is_data() && !d.is_null() || f.opcode == Opcode::Send) && !f.is_align16()
        },
        holds |_, d| d.stride() != 0,
        "a destination stride of 0 is illegal; use <1>";
    Destination ["g45.rr.10-3-packed-byte"]
        about |f, d| {
            f.is_data() && is_packed_byte(d) && f.instruction.execution_size > 1
                && !f.is_any(&[Opcode::Sel, Opcode::Movi])
        },
        holds |f, _| f.is_raw_byte_move(),
        "packed bytes <1> can only be written by a mov of the same byte type without modifiers; \
         use <2>, then pack with a mov";
    Destination ["g45.inst.sel.byte-dst"]
        about |f, d| f.opcode == Opcode::Sel && d.data_type.size() == 1 && !d.is_null(),
        holds |_, d| d.stride() != 1 && d.subregister() % 2 == 0,
        "sel writes bytes only with a stride of 2 or 4 and from an even byte on; pack with a mov \
         afterwards";
    Destination ["g45.rr.10-4-2reg-src"]
        about |f, d| f.is_data() && d.is_placed() && f.sources().any(spans_two),
        holds |f, d| fits_owords(f, d),
        "where a source spans two registers the destination must lie in one half of its register \
         or be split evenly between the halves; move one of them";
}

/// Vertical strides of Align16.
const ALIGN16_STRIDES: [VerticalStride; 2] =
    [VerticalStride::Elements(0), VerticalStride::Elements(4)];

/// The most channels of a native instruction for its widest operand.
fn native_channels(f: &Facts) -> usize {
    if f.widest() >= 4 { 8 } else { 16 }
}

/// Whether it is one element written as `<1;1,1>`.
fn is_written_as_one_packed(f: &Facts, s: &SourceFacts) -> bool {
    f.instruction.execution_size == 1 && s.region() == Some((1, 1, 1))
}

/// Whether the region is a single row of the whole instruction.
fn is_single_row(f: &Facts, s: &SourceFacts) -> bool {
    f.is_data()
        && !s.is_null()
        && s.region()
            .is_some_and(|(_, width, _)| width == usize::from(f.instruction.execution_size))
}

fn spans_two(s: &SourceFacts) -> bool {
    s.placed_rows().is_some_and(|rows| !rows.within(1))
}

fn direct_in(s: &SourceFacts, file: RegisterFile) -> bool {
    s.placed_rows().is_some() && s.register().is_some_and(|register| register.file() == file)
}

/// Registers from the one that is named to the last that is read.
fn registers_of(f: &Facts, s: &SourceFacts) -> usize {
    let native = s.placed_rows().map_or(1, |rows| rows.end().div_ceil(REGISTER_BYTES));
    let second_half = f.compressed && !s.is_scalar() && s.number().is_multiple_of(2);
    native + usize::from(second_half)
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

/// Rule 10.1: all but bytes, which have rules of their own.
fn needs_execution_alignment(f: &Facts, d: &DestinationFacts) -> bool {
    d.data_type.size() > 1 && f.opcode != Opcode::Movi && !f.is_align16()
}

/// Rule 10.5: bytes other than a raw move's.
fn is_aligned_byte_destination(f: &Facts, d: &DestinationFacts) -> bool {
    f.is_data()
        && d.is_placed()
        && d.data_type.size() == 1
        && !f.is_raw_byte_move()
        && !f.is_any(&[Opcode::Sel, Opcode::Movi])
}

/// Rule 10.4: all elements in one oword, or as many in the lower as in the upper.
fn fits_owords(f: &Facts, d: &DestinationFacts) -> bool {
    let lower = (0..f.channels).filter(|n| d.subregister() + n * d.step() < 16).count();
    lower == 0 || lower == f.channels || lower * 2 == f.channels
}
