//! Memory reads (chapter 7 and section 3.5).

use parallax_isa::r700::{
    Fetch,
    FetchOpcode::{self, MemRdReduc, MemRdScatter, MemRdScratch},
    microcode::MemoryRead,
};
use parallax_spec::{RuleId, coverage, rows::Table};

use super::{
    fetch::{Access, Fetched},
    rule::{Rule, each_fetch, fetch},
};

const READS: &[FetchOpcode] = &[MemRdScratch, MemRdReduc, MemRdScatter];
/// Reads of buffers that have an element of each pixel side by side.
const PER_PIXEL: &[FetchOpcode] = &[MemRdScratch, MemRdReduc];
const SCATTER: &[FetchOpcode] = &[MemRdScatter];

/// Whether it is a memory read that meets a condition.
fn is_read(f: Fetched, when: impl Fn(MemoryRead) -> bool) -> bool {
    matches!(f.fetch, Fetch::MemoryRead(word) if when(word))
}

/// An index other than zero is added.
fn is_indexed(f: Fetched) -> bool {
    is_read(f, |word| word.indexed() == 1) && f.any_access(|access| access.index != 0)
}

/// Whether an index is behind the last element.
fn is_past(f: Fetched) -> bool {
    is_read(f, |word| {
        f.any_access(|access| i64::from(access.index.cast_signed()) > word.array_size().into())
    })
}

/// Whether an index is before the first element.
fn is_before(f: Fetched) -> bool {
    f.any_access(|access| access.index.cast_signed() < 0)
}

/// Whether the program has written what is read.
fn is_written(access: Access) -> bool {
    let Fetch::MemoryRead(word) = access.step.fetch else { return false };
    let range = access.step.case.buffers.export;
    let [before, after] = [&access.step.case.state.memory, &access.step.after.memory];
    let mut inside = (access.address..=access.address + i128::from(word.elem_size()))
        .filter(|address| (0..i128::from(range.size)).contains(address))
        .map(|address| range.base as usize + address as usize);
    inside.any(|place| before[place] != after[place])
}

pub(super) const RULES: &[Rule] = &[
    each_fetch("r700.mem.init", READS),
    each_fetch("r700.mem.kinds", READS),
    each_fetch("r700.mem.like-vtx", READS),
    fetch("r700.mem.index.clamp", PER_PIXEL, |f| is_past(f) || is_before(f)),
    each_fetch("r700.mem.addr.scratch", &[MemRdScratch]),
    each_fetch("r700.mem.addr.reduction", &[MemRdReduc]),
    each_fetch("r700.mem.addr.scatter", SCATTER),
    fetch("r700.mem.scatter.dword-index", SCATTER, |f| {
        is_indexed(f) && is_read(f, |word| word.elem_size() > 0)
    }),
    fetch("r700.mem.thread", PER_PIXEL, |f| f.any_access(|access| access.pixel != 0)),
    fetch("r700.mem.burst.effect", READS, |f| is_read(f, |word| word.burst_cnt() > 0)),
    fetch("r700.mem.src-rel", READS, |f| f.moves(f.relative_source())),
    fetch("r700.mem.dst-rel", READS, |f| f.moves(f.relative_destination())),
    fetch("r700.mem.dst-oob", READS, |f| f.is_beyond(f.relative_destination())),
    fetch("r700.mem.dst-sel", READS, |f| f.rearranges()),
    fetch("r700.mem.array-size", PER_PIXEL, is_past),
    each_fetch("r700.mem.data-format", READS),
    fetch("r700.mem.write-then-read", SCATTER, |f| f.any_access(is_written)),
    // What chapter 3 says of them.
    fetch("r700.memw.export.self", SCATTER, |f| f.any_access(is_written)),
    each_fetch("r700.memr.list", READS),
    fetch("r700.memr.indexed", READS, is_indexed),
    fetch("r700.memr.addr3", PER_PIXEL, |f| {
        is_read(f, |word| word.array_base() != 0) || is_indexed(f)
    }),
    fetch("r700.memr.clamp", PER_PIXEL, is_past),
    fetch("r700.memr.oob", READS, |f| {
        f.is_beyond(f.relative_source()) || f.is_beyond(f.relative_destination())
    }),
];

/// Counts the row of a kind of programs in the table of who may read what.
pub(super) fn observe_tables(step: Fetched) {
    const TYPES: RuleId = RuleId::named("r700.memr.program-types");
    let Fetch::MemoryRead(word) = step.fetch else { return };
    let number = READS.len() * step.case.program_type as usize + word.mem_op() as usize;
    let row = Table::of(TYPES).and_then(|table| table.get(number));
    row.filter(|_| step.record.exact != 0).into_iter().for_each(coverage::hit_row);
}
