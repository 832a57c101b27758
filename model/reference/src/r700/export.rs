//! Exports of pixels, positions and parameters (section 3.4.1).

use std::mem::offset_of;

use parallax_isa::r700::{State, microcode::ExportSwizzle, state::export_slot};

use super::{
    masks::Mode,
    operand::{Index, Place},
    wavefront::{Executed, ROW, Wavefront, pixels, refuse},
};

/// What a select of three bits gives: an element, a constant or nothing.
pub(super) fn selected(select: u32, elements: [u32; 4]) -> Option<u32> {
    match select {
        0..=3 => Some(elements[select as usize]),
        4 => Some(0),
        5 => Some(0x3F80_0000),
        _ => None,
    }
}

impl Wavefront {
    /// The register of a burst step; aL is added if the address is relative.
    pub(super) fn burst_register(&self, first: u32, step: u32, relative: bool) -> Executed<Place> {
        let number = first + step;
        if relative {
            let index = i64::from(self.state.current_loop.index);
            return Ok(self.source_register(number, Index::Local(index)));
        }
        if number > 127 {
            return refuse(format!("a burst reads register {number}, the last one is 127"));
        }
        Ok(self.source_register(number, Index::None))
    }

    /// `EXPORT`, `EXPORT_DONE`.
    pub(super) fn export(&mut self, word: ExportSwizzle) -> Executed {
        let mode = Mode::of(word.whole_quad_mode() == 1, word.valid_pixel_mode() == 1);
        // Decision D-r700-invalid-exports.
        let executing = self.base(self.state.pixels, mode) & self.state.valid;
        let mut exports = Vec::new();
        for step in 0..=word.burst_count() {
            let index = word.array_base() + step;
            let Some(slot) = export_slot(word.kind(), index) else {
                return refuse(format!("there is no export {index} of type {}", word.kind()));
            };
            exports.push((slot, self.burst_register(word.rw_gpr(), step, word.rw_rel() == 1)?));
        }
        let selects = [word.sel_x(), word.sel_y(), word.sel_z(), word.sel_w()];
        for (slot, register) in exports {
            for pixel in pixels(executing) {
                let elements = [0, 1, 2, 3].map(|n| self.read_register(register, n, pixel));
                for (element, select) in selects.into_iter().enumerate() {
                    if let Some(bits) = selected(select, elements) {
                        self.state.exports[slot][element][pixel] = bits;
                        self.wrote(offset_of!(State, exports) + (slot * 4 + element) * ROW);
                    }
                }
            }
            if executing != 0 {
                self.state.exported |= 1 << slot;
            }
        }
        Ok(())
    }
}
