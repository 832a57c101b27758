//! The most usual messages by a shorter way: texels of four bytes of a plane, loaded, or filtered two by two
//! where it has one level. What lies beyond memory or is no number is left to the way of all messages.

mod lanes;

use parallax_isa::{
    Device,
    shared::{Memory, Request, memory::GRAPHICS_BYTES},
};

use super::{
    super::{
        Reply,
        surface_state::{Shape, SurfaceState, Walk},
    },
    message::{Form, Job, Level, Order, Parameter},
    state::{Beyond, Filter, Sampler},
    surface::Surface,
};
pub(super) use lanes::Colours;
use lanes::{Lanes, MOST, Pixels};

/// What a message says beside its parameters: the same words are the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Words {
    descriptor: [u32; 3],
    header: [u32; 2],
}

impl Words {
    pub(super) fn of(request: &Request) -> Self {
        // Later, what stands there may be parameters.
        let header = request.payload[0].as_chunks::<4>().0;
        let lengths = [request.payload.len() as u8, request.response_length];
        let others = [request.format_control, u8::from(request.has_header)];
        Self {
            descriptor: [
                request.function_control,
                u16::from_le_bytes(lengths).into(),
                u16::from_le_bytes(others).into(),
            ],
            header: [2, 3].map(|n: usize| u32::from_le_bytes(header[n])),
        }
    }
}

/// A plane with all that the pixels of such a message have in common.
#[derive(Debug)]
pub(super) struct Plane {
    form: Form,
    masked: u32,
    offsets: [i32; 2],
    texels: Texels,
    /// How it is filtered, if it is.
    linear: Option<[Direction; 2]>,
}

/// Texels of which all are in memory.
#[derive(Debug)]
struct Texels {
    /// Columns and rows.
    size: [u32; 2],
    /// Where the first one is: columns and rows from the base on.
    first: [u64; 2],
    base: u64,
    pitch: u64,
    walk: Walk,
}

/// A direction of a plane that is filtered.
#[derive(Debug, Clone, Copy)]
struct Direction {
    rounds: bool,
    beyond: Beyond,
}

impl Plane {
    /// The plane of an order that was carried out once for some pixel, so that nothing of it is refused.
    pub(super) fn of(
        order: &Order,
        surface: &Surface,
        sampler: Option<&Sampler>,
        device: Device,
    ) -> Option<Self> {
        let (form, state) = (order.form, &surface.state);
        let is_narrow = surface.is_narrow && matches!(device, Device::Bw | Device::Cl);
        let is_plain = state.shape == Shape::Plane
            && state.depth == 1
            && state.field.is_none()
            && surface.name == "R8G8B8A8_UNORM"
            && !is_narrow;
        use Parameter::{Bias, Lod, Reference};
        let is_early = Device::GEN4.contains(&device);
        let has_others = [Bias, Lod, Reference].into_iter().any(|parameter| form.has(parameter))
            || form.level == Level::Stepped;
        let is_usual = is_early && is_plain && !has_others && form.has(Parameter::V);
        if !is_usual || form.lanes == 2 || form.kills {
            return None;
        }
        let linear = match (form.job, sampler) {
            (Job::Load, None) => None,
            (Job::Sample, Some(sampler)) => Some(directions(sampler, surface)?),
            _ => return None,
        };
        Some(Self {
            form,
            masked: order.masked,
            offsets: [order.offsets[0] as i32, order.offsets[1] as i32],
            texels: Texels::of(surface)?,
            linear,
        })
    }

    /// Answers a message of that order, if there is nothing special about its parameters.
    #[must_use]
    pub(super) fn answer(
        &self,
        colours: &mut Colours,
        request: &Request,
        memory: &Memory,
        reply: &mut Reply,
    ) -> bool {
        let active = self.form.active(request.channel_enables);
        let pixels = Pixels {
            texels: &self.texels,
            linear: self.linear,
            offsets: self.offsets,
            words: [Parameter::U, Parameter::V, Parameter::R].map(|parameter| {
                let sent = self.form.words(request, parameter);
                sent.unwrap_or(&[[0; 4]; MOST][..self.form.lanes])
            }),
            active,
            memory,
        };
        pixels.colours(colours);
        if !colours.is_special {
            self.reply(&colours.channels, active, reply);
        }
        !colours.is_special
    }

    fn reply(&self, colours: &[Lanes; 4], active: u32, reply: &mut Reply) {
        // Of eight pixels masked channels have their registers all the same.
        let per_channel = self.form.lanes / 8;
        let mut next = 0;
        for (channel, lanes) in colours.iter().enumerate() {
            let is_masked = self.masked >> channel & 1 == 1;
            if !is_masked {
                let registers = reply[next..next + per_channel].iter_mut();
                for (half, (response, lanes)) in registers.zip(lanes.as_chunks::<8>().0).enumerate()
                {
                    response.enables = (active >> (8 * half)) as u8;
                    let places = response.bytes.as_chunks_mut::<4>().0.iter_mut();
                    places.zip(lanes).for_each(|(place, bits)| *place = bits.to_le_bytes());
                }
            }
            next += if is_masked && per_channel == 2 { 0 } else { per_channel };
        }
    }
}

impl Texels {
    /// Those of the first level of a plane.
    fn of(surface: &Surface) -> Option<Self> {
        let (level, state) = (surface.first_level, &surface.state);
        let [width, height, _] = surface.size(level);
        let [left, top] = surface.corner(level, state.first_element.into());
        let first = [left as u64 + state.origin.0, top as u64 + state.origin.1];
        let SurfaceState { base, pitch, walk, .. } = *state;
        let end = walk.end(pitch, 4 * (first[0] + width as u64), first[1] + height as u64);
        let size = [width, height].map(|texels| texels as u32);
        (base + end <= GRAPHICS_BYTES as u64).then_some(Self { size, first, base, pitch, walk })
    }
}

/// How the only level of a surface is filtered, if that is the same for minified and for magnified maps.
fn directions(sampler: &Sampler, surface: &Surface) -> Option<[Direction; 2]> {
    let is_linear = sampler.filters == [Filter::Linear; 2] && surface.levels == 1;
    let directions = [0, 1].map(|axis| {
        let ([rounds, other], beyond) = (sampler.rounds[axis], sampler.beyond[axis]);
        let is_usual = matches!(beyond, Beyond::Again | Beyond::Reversed | Beyond::Edge);
        (rounds == other && is_usual).then_some(Direction { rounds, beyond })
    });
    match directions {
        [Some(across), Some(down)] if is_linear && sampler.keyed.is_none() => Some([across, down]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::{
        eu::State,
        shared::{Environment, Response, Sampling},
    };
    use proptest::prelude::*;

    use super::{super::Textures, *};

    const R8G8B8A8_UNORM: u32 = 0x0C7;
    const SIDE: u32 = 16;

    /// A plane of 16 by 16 texels behind index 0, and a linear sampler.
    fn textures(
        walk: u32,
        [across, down]: [u32; 2],
        rounds: u32,
        [levels, first_level, first_element, origin]: [u32; 4],
    ) -> Textures {
        let pitch = if walk == 2 { 512 } else { 128 };
        let origin = if walk == 0 { 0 } else { origin << 25 | origin << 20 };
        let state = [
            1 << 29 | R8G8B8A8_UNORM << 18,
            4096,
            (SIDE - 1) << 19 | (SIDE - 1) << 6 | levels << 2,
            (pitch - 1) << 3 | walk,
            first_level << 28 | first_element << 17,
            origin,
        ];
        let mut surface_states = vec![32, 0, 0, 0, 0, 0, 0, 0];
        surface_states.extend(state);
        surface_states.extend([0; 2]);
        let environment = Environment { surface_states, ..Environment::default() };
        let sampler = [1 << 14 | 1 << 17, across << 6 | down << 3, 0, rounds];
        let sampling = Sampling { general_states: sampler.to_vec(), ..Sampling::default() };
        Textures::of(&environment, &sampling, Device::G45)
    }

    /// What is written of a reply.
    fn written(reply: &Reply) -> Vec<Option<[u8; 4]>> {
        let doublewords = |response: &Response| {
            let enables = response.enables;
            let all = response.bytes.as_chunks::<4>().0.iter().copied().enumerate();
            all.map(|(n, bytes)| (enables >> n & 1 == 1).then_some(bytes)).collect::<Vec<_>>()
        };
        reply.iter().flat_map(doublewords).collect()
    }

    fn coordinate() -> impl Strategy<Value = u32> {
        prop_oneof![
            20 => (-2.0_f32..3.0).prop_map(f32::to_bits),
            1 => any::<u32>(),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// The first message goes the way of all messages, the same again the shorter one.
        #[test]
        fn the_shorter_way_leads_to_the_same(
            walk in prop::sample::select(vec![0_u32, 2, 3]),
            modes in prop::array::uniform2(0..3_u32),
            rounds in prop::sample::select(vec![0_u32, 0b11 << 15, 0b11 << 17, 0b1111 << 15]),
            layout in (0..3_u32, 0..2_u32, 0..2_u32, 0..3_u32),
            header in prop::sample::select(vec![0_u32, 0x3000, 0x0710, 0x8190]),
            loads: bool,
            places in prop::array::uniform32(coordinate()),
            texels in prop::array::uniform32(0..SIDE + 1),
            enables: u16,
            seed: u32,
        ) {
            let mut memory = Box::new(State::new()).memory;
            for (n, byte) in memory.graphics.iter_mut().enumerate() {
                *byte = (n as u32 ^ seed).wrapping_mul(0x9E37_79B1).to_be_bytes()[0];
            }
            let mut payload = [[0; 32]; 5];
            payload[0][8..12].copy_from_slice(&header.to_le_bytes());
            let words = if loads { texels } else { places };
            let slots = payload[1..].as_flattened_mut().as_chunks_mut::<4>().0.iter_mut();
            slots.zip(words).for_each(|(slot, word)| *slot = word.to_le_bytes());
            let masked = (header >> 12 & 15).count_ones() as u8;
            let request = Request {
                target: 2,
                function_control: if loads { 0x3000 } else { 0 },
                format_control: 0,
                extended_descriptor: 0,
                has_header: false,
                payload: &payload,
                channel_enables: enables,
                channels: 16,
                response_length: 8 - 2 * masked,
                alternative_float_mode: false,
                is_last: false,
            };
            let mut textures = textures(walk, modes, rounds, layout.into());
            let [first, second] = [0, 1].map(|_| {
                let mut reply = Reply::default();
                textures.answer(&request, &memory, &mut reply).map(|_| reply)
            });
            match (first, second) {
                (Ok(first), Ok(second)) => {
                    let is_plain = loads || layout.0 == 0;
                    // There is memory for 24 lines of the longer tiles.
                    let (_, level, element, origin) = layout;
                    let lines = 46 * element + SIDE + SIDE / 2 * level + 2 * origin;
                    let is_in_memory = walk != 2 || lines <= 24;
                    let planes = usize::from(enables != 0 && is_plain && is_in_memory);
                    prop_assert_eq!(textures.planes.len(), planes);
                    prop_assert_eq!(written(&first), written(&second));
                }
                (Err(first), Err(second)) => {
                    prop_assert_eq!(first.to_string(), second.to_string());
                }
                (first, second) => prop_assert!(false, "{first:?} {second:?}"),
            }
        }
    }
}
