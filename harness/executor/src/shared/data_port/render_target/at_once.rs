//! The most usual pixels by a shorter way: those that are apart from each other and only converted, all together.

use parallax_isa::{
    Device,
    shared::{Memory, Request, Unanswered, memory::GRAPHICS_BYTES},
};

use super::{super::super::refuse, Job, LARGEST, Payload};
use crate::surface::copy_element;

/// Most pixels of a message.
const MOST: usize = 16;

impl Job<'_> {
    /// Writes the pixels of a message, if they are such ones; otherwise nothing has happened.
    pub(super) fn write_at_once(
        &self,
        request: &Request,
        memory: &mut Memory,
        device: Device,
    ) -> Result<bool, Unanswered> {
        let Self { form, parts, surface, paint, top, buffer, rendering } = *self;
        let payload = Payload(request.payload);
        let is_plain = buffer.is_none()
            && rendering.alpha_test.is_none()
            && !(form.is_dual || form.is_flat)
            && payload.has_subspans_apart();
        if !is_plain {
            return Ok(false);
        }
        let Ok(writer) = paint.writer(device) else { return Ok(false) };
        let bytes = writer.bytes();
        let fits = bytes as u64 == paint.bytes && bytes <= LARGEST;
        if !fits || !writer.converts(&self.output()) {
            return Ok(false);
        }
        let (mut places, mut lit) = ([0; MOST], 0_u32);
        for (slot, to) in places.iter_mut().enumerate().take(form.slots) {
            let Some((x, y)) = self.place(payload, form.first + slot)? else { continue };
            let place = surface.pixel(paint.bytes, x, y, top);
            if place + paint.bytes > GRAPHICS_BYTES as u64 {
                return refuse("a pixel beyond the memory there is");
            }
            *to = place as usize;
            lit |= 1 << slot;
        }
        let mut channels = [[0; MOST]; 4];
        let registers = &request.payload[parts.colours..][..form.slots / 2];
        for (half, registers) in registers.as_chunks::<4>().0.iter().enumerate() {
            for (lanes, register) in channels.iter_mut().zip(registers) {
                let lanes = lanes[8 * half..].iter_mut();
                lanes.zip(register.as_chunks::<4>().0).for_each(|(lane, word)| {
                    *lane = u32::from_le_bytes(*word);
                });
            }
        }
        let words = writer.converted(&channels);
        for slot in (0..form.slots).filter(|slot| lit >> slot & 1 == 1) {
            let element = words.map(|word| word[slot].to_le_bytes());
            let stored = &mut memory.graphics[places[slot]..places[slot] + bytes];
            copy_element(&element.as_flattened()[..bytes], stored);
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::{
        eu::State,
        shared::{Environment, Rendering, rendering::AlphaTest},
        surface::pixel::CompareFunction,
    };
    use proptest::prelude::*;

    use super::{
        super::{super::surface::Surfaces, write},
        *,
    };

    /// R8G8B8A8_UNORM, B8G8R8A8_UNORM, R32G32B32A32_FLOAT, R16G16B16A16_FLOAT, R8_UNORM and R10G10B10A2_UNORM.
    const FORMATS: [u32; 6] = [0x0C7, 0x0C0, 0x000, 0x084, 0x140, 0x0C2];
    const SIDE: u32 = 8;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// A test that every pixel passes is for the way of all messages, which leads to the same.
        #[test]
        fn the_shorter_way_leads_to_the_same(
            format in prop::sample::select(FORMATS.to_vec()),
            walk in prop::sample::select(vec![0_u32, 2, 3]),
            halves: bool,
            lit: u16,
            corners in prop::array::uniform4((0..10_u32, 0..10_u32)),
            base in prop::sample::select(vec![0_u32, 8192, 12288]),
            colours in prop::array::uniform32(prop::array::uniform2(any::<u32>())),
            small: bool,
        ) {
            let state = [1 << 29 | format << 18, base, (SIDE - 1) << 19 | (SIDE - 1) << 6, 511 << 3 | walk, 0, 0];
            let mut surface_states = vec![32, 0, 0, 0, 0, 0, 0, 0];
            surface_states.extend(state);
            surface_states.extend([0; 2]);
            let surfaces = Surfaces::of(&Environment { surface_states, ..Environment::default() }, Device::G45);
            let mut payload = [[0; 32]; 10];
            payload[0][..2].copy_from_slice(&lit.to_le_bytes());
            for (place, (column, row)) in payload[1].as_chunks_mut::<4>().0[2..].iter_mut().zip(corners) {
                *place = (row << 16 | column).to_le_bytes();
            }
            let words = payload[2..].as_flattened_mut().as_chunks_mut::<4>().0.iter_mut();
            for (word, bits) in words.zip(colours.as_flattened()) {
                *word = if small { bits >> 8 | 0x3F00_0000 } else { *bits }.to_le_bytes();
            }
            let request = Request {
                target: 5,
                function_control: if halves { 4 << 8 } else { 0 } | 0x4000,
                format_control: 0,
                extended_descriptor: 0,
                has_header: false,
                payload: if halves { &payload[..6] } else { &payload },
                channel_enables: 0xFFFF,
                channels: 16,
                response_length: 0,
                alternative_float_mode: false,
                is_last: false,
            };
            let always = AlphaTest { function: CompareFunction::Always, reference: 0 };
            let [short, long] = [None, Some(always)].map(|alpha_test| {
                let mut memory = Box::new(State::new()).memory;
                memory.graphics.fill(0xA5);
                let rendering = Rendering { alpha_test, ..Rendering::default() };
                let written = write(&request, &mut memory, &surfaces, &rendering, 0);
                (written.map_err(|why| why.to_string()), memory.graphics)
            });
            prop_assert!(short.0 == long.0, "{:?} {:?}", short.0, long.0);
            prop_assert!(short.1 == long.1);
        }
    }
}
