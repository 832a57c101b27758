//! Local data share (chapter 8): every thread writes its own part and reads anybody's.

use std::mem::offset_of;

use parallax_isa::r700::{
    State,
    microcode::{LocalRead, LocalWrite},
};
use parallax_spec::rule;

use super::{
    export::selected,
    operand::{Index, Place},
    wavefront::{Executed, Wavefront, pixels, refuse},
};

/// Dwords of a bank.
const BANK: i64 = 1024;

impl Wavefront {
    /// An index by its `REL_MODE`.
    fn rel_mode(&self, mode: u32) -> Index {
        rule!("r700.lds.src-rel");
        match mode {
            0 => Index::None,
            1 => Index::Local(i64::from(self.state.current_loop.index)),
            _ => Index::Global(0),
        }
    }

    /// The register of a burst step.
    fn step_register(&self, first: u32, step: u32, mode: u32) -> Executed<Place> {
        let number = first + step;
        if number > 127 {
            return refuse(format!("a burst uses register {number}, the last one is 127"));
        }
        Ok(self.source_register(number, self.rel_mode(mode)))
    }

    /// Place of a dword of a bank; `None` beyond its end.
    fn local_dword(bank: i64, offset: i64) -> Option<usize> {
        rule!("r700.lds.size");
        (0..BANK).contains(&offset).then_some((bank * BANK + offset) as usize)
    }

    /// A write of the threads' own parts.
    pub(super) fn local_write(&mut self, word: LocalWrite, executing: u64) -> Executed {
        rule!("r700.lds.write.ext");
        rule!("r700.lds.write.active");
        let stride = i64::from(word.dst_stride_ext() << 7 | word.dst_stride());
        let index = i64::from(word.dst_index_ext() << 6 | word.dst_index());
        let selects = [word.src_sel_x(), word.src_sel_y(), word.src_sel_z(), word.src_sel_w()];
        if word.simd_wave_rel() == 0 && stride == 64 {
            rule!("r700.lds.write.abs-64");
        }
        for step in 0..=word.burst_cnt() {
            if step > 0 {
                rule!("r700.lds.write.burst");
            }
            let register = self.step_register(word.src_gpr(), step, word.src_rel_mode())?;
            for pixel in pixels(executing) {
                let thread = if word.simd_wave_rel() == 1 {
                    rule!("r700.lds.write.thread1");
                    pixel as i64 + 64 * i64::from(self.case.wavefront)
                } else {
                    rule!("r700.lds.write.thread0");
                    pixel as i64
                };
                rule!("r700.lds.write.bank");
                rule!("r700.lds.write.offset");
                rule!("r700.lds.write.owner");
                let first = (thread >> 2) * stride + index + 4 * i64::from(step);
                let elements = [0, 1, 2, 3].map(|n| self.read_register(register, n, pixel));
                for (dword, select) in (0..).zip(selects) {
                    rule!("r700.lds.write.dwords");
                    let place = Self::local_dword(thread % 4, first + dword);
                    if let (Some(bits), Some(place)) = (selected(select, elements), place) {
                        self.state.local[place] = bits;
                        self.wrote(offset_of!(State, local) + 4 * place);
                    }
                }
            }
        }
        Ok(())
    }

    /// A read of any part.
    pub(super) fn local_read(&mut self, word: LocalRead, executing: u64) -> Executed {
        if word.mux_cntl() == 1 {
            return refuse("the manual does not give the permutation of DSR_MUX_FFT_PERMUTE");
        }
        if word.mux_cntl() == 2 {
            rule!("r700.lds.read.mux.word");
        } else {
            rule!("r700.lds.read.mux.none");
            rule!("r700.lds.read.width");
        }
        if word.waterfall() == 1 {
            rule!("r700.lds.read.waterfall");
        }
        rule!("r700.lds.read.dst");
        if word.broadcast() == 1 && word.dst_rel_mode() == 2 {
            rule!("r700.lds.read.broadcast.shared");
        }
        let written = [word.dst_wr_x(), word.dst_wr_y(), word.dst_wr_z(), word.dst_wr_w()];
        for step in 0..=word.burst_cnt() {
            if step > 0 {
                rule!("r700.lds.read.burst");
            }
            let source = self.step_register(word.src_gpr(), 0, word.src_rel_mode())?;
            let number = word.dst_gpr() + step;
            let destination = self.destination(number, self.rel_mode(word.dst_rel_mode()));
            let readers = if word.broadcast() == 1 {
                rule!("r700.lds.read.broadcast");
                u64::MAX
            } else {
                executing
            };
            let first_valid = pixels(self.state.valid).next();
            let mut results = Vec::new();
            for pixel in pixels(readers) {
                let owner = if word.broadcast() == 1 { first_valid } else { Some(pixel) };
                let Some(owner) = owner else { continue };
                rule!("r700.lds.read.addr");
                rule!("r700.lds.read.rd-offset");
                let elements = [0, 1, 2, 3].map(|n| self.read_register(source, n, owner));
                let pick = |select| selected(select, elements).unwrap_or(0);
                let bank = i64::from(pick(word.src_sel_x()) % 4);
                let offset = i64::from(pick(word.src_sel_y()))
                    + i64::from(word.rd_offset())
                    + 4 * i64::from(step);
                let data = [0, 1, 2, 3].map(|n| {
                    let at = if word.mux_cntl() == 2 { offset } else { offset & !3 };
                    let n = if word.mux_cntl() == 2 { 0 } else { n };
                    let Some(place) = Self::local_dword(bank, at + n) else { return 0 };
                    if self.state.local[place] != self.case.state.local[place] {
                        rule!("r700.lds.exchange");
                        if bank != pixel as i64 % 4 {
                            rule!("r700.lds.read.any");
                        }
                    }
                    self.state.local[place]
                });
                results.push((pixel, data));
            }
            for (pixel, data) in results {
                for element in 0..4 {
                    rule!("r700.lds.read.wr-mask");
                    if written[element] == 1 {
                        self.write_register(destination, element, pixel, data[element], None);
                    }
                }
            }
        }
        Ok(())
    }
}
