//! Atomic operations, slot after slot.

use parallax_isa::shared::{Reach, Request, Unanswered};

use super::{
    super::{
        Reply,
        atomic::{Atomic, load},
    },
    lengths,
    slots::Slots,
    window::Window,
};

impl Atomic {
    /// Does it for each slot.
    pub(super) fn run(
        &self,
        request: &Request,
        memory: &mut Reach,
        window: &Window<'_>,
        slots: &Slots,
    ) -> Result<Reply, Unanswered> {
        let size = if self.is_quad { 8 } else { 4 };
        let registers = slots.registers() * size / 4;
        let returned = if self.returns { registers } else { 0 };
        lengths(request, slots.front + self.operands() * registers, returned)?;
        let data = request.payload[slots.front..].as_flattened();
        let aligned = |slot: usize| slots.offset(slot) & !(size as u128 - 1);
        window.check(slots.enabled().map(aligned), size as u64)?;
        let mut reply = Reply::default();
        for slot in slots.enabled() {
            let operand = |number: usize| {
                let at = 32 * registers * number + size * slot;
                if number < self.operands() { load(&data[at..at + size]) } else { 0 }
            };
            let place = window.reached(aligned(slot), size as u64);
            let back = match place {
                Some(place) => {
                    let bytes = &mut memory.bytes_mut()[place..place + size];
                    self.replace(bytes, [operand(0), operand(1)])
                }
                None => 0,
            };
            if self.returns {
                let at = size * slot;
                let response = &mut reply[at / 32];
                response.bytes[at % 32..][..size].copy_from_slice(&back.to_le_bytes()[..size]);
                response.enables |= (if self.is_quad { 3 } else { 1 }) << (at % 32 / 4);
            }
        }
        Ok(reply)
    }
}
