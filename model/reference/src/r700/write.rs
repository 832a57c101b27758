//! Results: previous results and destination registers (section 4.9).

use std::mem::offset_of;

use parallax_isa::{
    Acceptance, Extent,
    r700::{Alu, State},
};

use super::{
    operand::{Index, Place},
    output::Output,
    wavefront::Wavefront,
};

/// The place of a lane of an array of lanes in the state's image.
fn lane(array: usize, row: usize, pixel: usize) -> Extent {
    Extent::whole(array + (row * 64 + pixel) * 4, 4)
}

impl Wavefront {
    /// Makes a result the previous one of its unit.
    pub(super) fn previous_result(&mut self, unit: usize, pixel: usize, output: Output) {
        if let Some(bits) = output.bits {
            self.state.previous[unit][pixel] = bits;
            self.exact |= output.acceptance.is_none_or(Acceptance::is_exact);
        }
        let extent = lane(offset_of!(State, previous), unit, pixel);
        if let Some(acceptance) = output.acceptance {
            self.expect_new(extent, acceptance);
        }
    }

    /// Writes a result to its destination, if there is one; whether there is.
    pub(super) fn write_destination(&mut self, alu: Alu, output: Output, pixel: usize) -> bool {
        let index = self.register_index(alu, alu.dst_rel() == 1, pixel);
        let element = alu.dst_elem() as usize;
        let extent = match self.destination(alu.dst_gpr(), index) {
            Place::Nowhere => return false,
            Place::Own(number) => lane(offset_of!(State, gpr), number * 4 + element, pixel),
            Place::Global(number) => lane(offset_of!(State, global), number * 4 + element, pixel),
        };
        self.write_place(extent, output);
        true
    }

    /// Writes a result to a place, over what the same step wrote there before.
    pub(super) fn write_place(&mut self, extent: Extent, output: Output) {
        use parallax_isa::Image;
        if let Some(bits) = output.bits {
            extent.write(self.state.image_mut(), u64::from(bits));
            self.wrote(extent.offset as usize);
            self.exact |= output.acceptance.is_none_or(Acceptance::is_exact);
        }
        match output.acceptance {
            Some(acceptance) => self.expect(extent, acceptance),
            None => self.forget(extent),
        }
    }

    /// The register that a destination address means.
    pub(super) fn destination(&self, number: u32, index: Index) -> Place {
        // Decision D-r700-addresses.
        let (declared, temporaries) = (self.case.gpr_count, self.case.clause_temporaries);
        match index {
            Index::None if number < declared || number >= 128 - temporaries => {
                Place::Own(number as usize)
            }
            Index::None => Place::Nowhere,
            Index::Local(index) => {
                let sum = i64::from(number) + index;
                if (0..i64::from(declared)).contains(&sum) {
                    Place::Own(sum as usize)
                } else {
                    Place::Nowhere
                }
            }
            Index::Global(_) => self.source_register(number, index),
        }
    }
}
