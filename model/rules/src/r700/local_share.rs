//! The local data share (chapter 8).

use parallax_isa::r700::{
    Fetch,
    FetchOpcode::{self, LocalDsRead, LocalDsWrite},
    microcode::{LocalRead, LocalWrite},
};

use super::{
    fetch::{Access, Fetched},
    rule::{Rule, each_fetch, fetch},
};

const ACCESSES: &[FetchOpcode] = &[LocalDsWrite, LocalDsRead];
const WRITE: &[FetchOpcode] = &[LocalDsWrite];
const READ: &[FetchOpcode] = &[LocalDsRead];
/// Dwords of a bank.
const BANK: usize = 1024;

fn is_write(f: Fetched, when: impl Fn(LocalWrite) -> bool) -> bool {
    matches!(f.fetch, Fetch::LocalWrite(word) if when(word))
}

fn is_read(f: Fetched, when: impl Fn(LocalRead) -> bool) -> bool {
    matches!(f.fetch, Fetch::LocalRead(word) if when(word))
}

/// Dwords from a thread to the fourth one behind it.
fn stride(word: LocalWrite) -> u32 {
    word.dst_stride_ext() << 7 | word.dst_stride()
}

/// Whether it stands in the bank of another thread than the one that reads it.
fn is_of_another(access: Access) -> bool {
    access.index as usize != access.pixel % 4
}

/// Whether an instruction before it in the clause has written it.
fn is_written(access: Access) -> bool {
    let place = access.index as usize * BANK + access.address as usize;
    let before = access.step.case.state.local.get(place).copied();
    access.bits.is_some_and(|bits| before.is_some_and(|before| bits != before.into()))
        && access.step.previous.iter().any(|fetch| matches!(fetch, Fetch::LocalWrite(_)))
}

/// Whether a mode of a register's address adds something or names a global one.
fn is_relative(f: Fetched, mode: u32) -> bool {
    mode == 2 || mode == 1 && f.after.current_loop.index != 0
}

pub(super) const RULES: &[Rule] = &[
    fetch("r700.lds.size", ACCESSES, |f| f.any_access(|access| access.bits.is_none())),
    each_fetch("r700.lds.launch", ACCESSES),
    each_fetch("r700.lds.formats", ACCESSES),
    fetch("r700.lds.order", READ, |f| f.any_access(is_written)),
    fetch("r700.lds.exchange", READ, |f| f.any_access(is_written)),
    each_fetch("r700.lds.write.owner", WRITE),
    fetch("r700.lds.write.bank", WRITE, |f| f.any_access(|access| access.pixel % 4 != 0)),
    each_fetch("r700.lds.write.offset", WRITE),
    fetch("r700.lds.write.thread0", WRITE, |f| {
        f.case.wavefront != 0 && is_write(f, |word| word.simd_wave_rel() == 0)
    }),
    fetch("r700.lds.write.thread1", WRITE, |f| {
        f.case.wavefront != 0 && is_write(f, |word| word.simd_wave_rel() == 1)
    }),
    fetch("r700.lds.write.dwords", WRITE, |f| {
        is_write(f, |word| {
            [word.src_sel_x(), word.src_sel_y(), word.src_sel_z(), word.src_sel_w()] != [0, 1, 2, 3]
        })
    }),
    fetch("r700.lds.write.ext", WRITE, |f| {
        is_write(f, |word| word.dst_index_ext() | word.dst_stride_ext() != 0)
    }),
    fetch("r700.lds.write.burst", WRITE, |f| is_write(f, |word| word.burst_cnt() > 0)),
    fetch("r700.lds.write.active", WRITE, |f| f.has_inactive()),
    fetch("r700.lds.write.abs-64", WRITE, |f| {
        is_write(f, |word| word.simd_wave_rel() == 0 && stride(word) == 64)
    }),
    fetch("r700.lds.src-rel", ACCESSES, |f| match f.fetch {
        Fetch::LocalWrite(word) => is_relative(f, word.src_rel_mode()),
        Fetch::LocalRead(word) => {
            is_relative(f, word.src_rel_mode()) || is_relative(f, word.dst_rel_mode())
        }
        _ => false,
    }),
    each_fetch("r700.lds.read.addr", READ),
    fetch("r700.lds.read.width", READ, |f| is_read(f, |word| word.mux_cntl() == 0)),
    fetch("r700.lds.read.any", READ, |f| {
        f.any_access(|access| is_of_another(access) && is_written(access))
    }),
    fetch("r700.lds.read.mux.none", READ, |f| is_read(f, |word| word.mux_cntl() == 0)),
    fetch("r700.lds.read.mux.word", READ, |f| is_read(f, |word| word.mux_cntl() == 2)),
    fetch("r700.lds.read.waterfall", READ, |f| is_read(f, |word| word.waterfall() == 1)),
    fetch("r700.lds.read.broadcast", READ, |f| is_read(f, |word| word.broadcast() == 1)),
    fetch("r700.lds.read.broadcast.shared", READ, |f| {
        is_read(f, |word| word.broadcast() == 1 && word.dst_rel_mode() == 2)
    }),
    fetch("r700.lds.read.dst", READ, |f| is_read(f, |word| is_relative(f, word.dst_rel_mode()))),
    fetch("r700.lds.read.wr-mask", READ, |f| {
        is_read(f, |word| {
            word.dst_wr_x() & word.dst_wr_y() & word.dst_wr_z() & word.dst_wr_w() == 0
        })
    }),
    fetch("r700.lds.read.burst", READ, |f| is_read(f, |word| word.burst_cnt() > 0)),
    fetch("r700.lds.read.rd-offset", READ, |f| is_read(f, |word| word.rd_offset() != 0)),
];
