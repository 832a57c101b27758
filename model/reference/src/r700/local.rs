//! Local data share (chapter 8): every thread writes its own part and reads anybody's.

use std::mem::offset_of;

use parallax_isa::r700::{
    State,
    microcode::{LocalRead, LocalWrite},
};

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
        (0..BANK).contains(&offset).then_some((bank * BANK + offset) as usize)
    }

    /// A write of the threads' own parts.
    pub(super) fn local_write(&mut self, word: LocalWrite, executing: u64) -> Executed {
        let stride = i64::from(word.dst_stride_ext() << 7 | word.dst_stride());
        let index = i64::from(word.dst_index_ext() << 6 | word.dst_index());
        let selects = [word.src_sel_x(), word.src_sel_y(), word.src_sel_z(), word.src_sel_w()];
        self.note(|record| record.pixels = executing);
        for step in 0..=word.burst_cnt() {
            let register = self.step_register(word.src_gpr(), step, word.src_rel_mode())?;
            for pixel in pixels(executing) {
                let wavefronts = word.simd_wave_rel() * self.case.wavefront;
                let thread = pixel as i64 + 64 * i64::from(wavefronts);
                let first = (thread >> 2) * stride + index + 4 * i64::from(step);
                let elements = [0, 1, 2, 3].map(|n| self.read_register(register, n, pixel));
                for (dword, select) in (0..).zip(selects) {
                    let Some(bits) = selected(select, elements) else { continue };
                    let (bank, offset) = (thread % 4, first + dword);
                    let place = Self::local_dword(bank, offset);
                    let written = place.map(|_| bits.into());
                    self.accessed(pixel, bank as u32, offset.into(), written);
                    if let Some(place) = place {
                        self.state.local[place] = bits;
                        self.wrote(offset_of!(State, local) + 4 * place);
                        self.note(|record| record.exact |= 1 << pixel);
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
        let written = [word.dst_wr_x(), word.dst_wr_y(), word.dst_wr_z(), word.dst_wr_w()];
        for step in 0..=word.burst_cnt() {
            let source = self.step_register(word.src_gpr(), 0, word.src_rel_mode())?;
            let number = word.dst_gpr() + step;
            let destination = self.destination(number, self.rel_mode(word.dst_rel_mode()));
            let readers = if word.broadcast() == 1 { u64::MAX } else { executing };
            self.note(|record| record.pixels = readers);
            let first_valid = pixels(self.state.valid).next();
            let mut results = Vec::new();
            for pixel in pixels(readers) {
                let owner = if word.broadcast() == 1 { first_valid } else { Some(pixel) };
                let Some(owner) = owner else { continue };
                let elements = [0, 1, 2, 3].map(|n| self.read_register(source, n, owner));
                let pick = |select| selected(select, elements).unwrap_or(0);
                let bank = i64::from(pick(word.src_sel_x()) % 4);
                let offset = i64::from(pick(word.src_sel_y()))
                    + i64::from(word.rd_offset())
                    + 4 * i64::from(step);
                let data = [0, 1, 2, 3].map(|n| {
                    let at = if word.mux_cntl() == 2 { offset } else { offset & !3 };
                    let n = if word.mux_cntl() == 2 { 0 } else { n };
                    let place = Self::local_dword(bank, at + n);
                    let bits = place.map(|place| self.state.local[place]);
                    self.accessed(pixel, bank as u32, (at + n).into(), bits.map(u128::from));
                    bits.unwrap_or(0)
                });
                results.push((pixel, data));
            }
            for (pixel, data) in results {
                for element in 0..4 {
                    if written[element] == 1 {
                        self.write_register(destination, element, pixel, data[element], None);
                    }
                }
            }
        }
        Ok(())
    }
}
