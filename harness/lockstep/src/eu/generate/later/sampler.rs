//! Messages to the Sampling Engine of Gen7 and later, legal by construction: each has a surface and a sampler
//! of its own that go with it, and coordinates around the edges of that surface.

mod forms;
mod parameters;
mod samplers;
mod textures;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{Case, State},
    shared::{Sampling, SharedFunctions},
};

use super::{Later, addresses, surfaces, surfaces::SurfaceMessage, values};
use crate::{
    choices::Choices,
    eu::{
        generate::{ProgramBuilder, sampler::fill, values::flags},
        hardware_state::SAMPLER_STATE_DWORDS,
    },
    random::SplitMix64,
};
use forms::{Form, Parameter};
use parameters::Mode;
use samplers::State as Sampler;
use textures::Texture;

/// Most messages of a program.
const MOST: u64 = 4;
/// The first general register with a payload; replies are behind the last.
const PAYLOADS: usize = 2;
const REPLIES: usize = 64;
/// Most registers of a message.
const LONGEST: usize = 11;
/// Most registers of a reply.
const LONGEST_REPLY: usize = 8;
/// Samplers of a table.
const SAMPLERS: usize = 16;
/// Dwords from a border colour to the next.
const BORDER: usize = 16;
/// The shared function.
const SAMPLING_ENGINE: u8 = 2;

/// A case of messages to the Sampling Engine.
pub(in crate::eu::generate) fn messages(device: Device, bytes: &[u8]) -> Case {
    let mut choices = Choices::new(bytes);
    let mut random = SplitMix64::new(choices.seed());
    let mut state = Box::new(State::of(device));
    addresses::fill(&mut random, device, &mut state);
    values::fill(&mut random, device, &mut state);
    state.flag.fill_with(|| flags(&mut random));
    fill(&mut random, &mut state);
    let count = 1 + random.below(MOST) as usize;
    let first_surface = if random.below(3) == 0 { random.below(200) as usize } else { 0 };
    let dynamic = Dynamic::new(count, &mut random);
    let plans: Vec<Plan> = (0..count)
        .map(|number| Plan::new(device, first_surface + number, number, &dynamic, &mut random))
        .collect();
    let sampling = dynamic.sampling(&plans, &mut random);
    let states = plans.iter().map(|plan| &plan.texture.state);
    let table = random.below(3) as usize;
    let low_bits = || random.below(32) as u32;
    let environment = surfaces::environment(device, states, first_surface, (table, low_bits));
    let mut program = ProgramBuilder::unaligned(device, false);
    let mut later = Later::new(device, &mut choices, random, &state);
    let mut first = PAYLOADS;
    for plan in &plans {
        surfaces::put(first, &plan.message.registers, &mut state);
        let mut send = later.send_to_surface(&plan.message, first, REPLIES..128, false);
        if let Some(load) = later.load_descriptor_of(&mut send) {
            program.push(load);
        }
        program.push(send);
        first += plan.message.registers.len();
    }
    let mut case = Case::new(device, program.bytes, state, 8 * count as u64);
    case.surroundings.shared_functions =
        SharedFunctions::around(environment).with_sampling(sampling);
    case
}

/// Gives such a case other texels to start from. Its parameters go with its surfaces.
pub(in crate::eu::generate) fn start_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    fill(random, &mut case.state);
    case.state.flag.fill_with(|| flags(random));
}

/// Where samplers and border colours stand from Dynamic State Base Address on, in dwords.
struct Dynamic {
    /// The table that messages without a header mean stands at the beginning.
    second_table: usize,
    borders: usize,
    /// Places in a table, in the order that messages take them.
    places: Vec<usize>,
}

impl Dynamic {
    fn new(count: usize, random: &mut SplitMix64) -> Self {
        let table = SAMPLERS * SAMPLER_STATE_DWORDS;
        let second_table = table + 8 * random.below(3) as usize;
        let borders = (second_table + table).next_multiple_of(BORDER);
        let mut free: Vec<usize> = (0..SAMPLERS).collect();
        let places = (0..count)
            .map(|_| free.swap_remove(random.below(free.len() as u64) as usize))
            .collect();
        Self { second_table, borders, places }
    }

    fn border(&self, number: usize) -> usize {
        self.borders + BORDER * number
    }

    fn sampling(&self, plans: &[Plan], random: &mut SplitMix64) -> Sampling {
        let length = self.border(plans.len());
        let mut dwords: Vec<u32> = (0..length).map(|_| random.next() as u32).collect();
        for (number, plan) in plans.iter().enumerate() {
            let table = if plan.has_second_table { self.second_table } else { 0 };
            let at = table + SAMPLER_STATE_DWORDS * self.places[number];
            dwords[at..][..SAMPLER_STATE_DWORDS].copy_from_slice(&plan.sampler.dwords);
            dwords[self.border(number)..][..4].copy_from_slice(&plan.sampler.border);
        }
        Sampling { general_states: dwords, ..Sampling::default() }
    }
}

/// A message that is going to be sent.
struct Plan {
    texture: Texture,
    sampler: Sampler,
    has_second_table: bool,
    message: SurfaceMessage,
}

impl Plan {
    /// A message to a surface of the binding table with the sampler that stands there for it.
    fn new(
        device: Device,
        surface: usize,
        number: usize,
        dynamic: &Dynamic,
        random: &mut SplitMix64,
    ) -> Self {
        let generation = device.generation().unwrap_or(Generation::Gen9);
        let form = Form::new(generation, random);
        let texture = Texture::new(device, form, random);
        let border = 4 * dynamic.border(number) as u32;
        let sampler = samplers::state(device, form, &texture, border, random);
        let (mode, slots) = shape(form, &texture, generation, random);
        let offsets = parameters::offsets(form, &texture, random);
        let has_second_table = random.below(4) == 0;
        let is_simd4x2 = mode == Mode::Simd4x2;
        let is_early = generation < Generation::Gen9;
        let needs_header =
            offsets != 0 || has_second_table || slots.is_empty() || is_simd4x2 && !is_early;
        let has_header =
            needs_header || form.purpose != forms::Purpose::Load && random.below(4) == 0;
        let room = LONGEST - usize::from(has_header);
        let fits = mode.registers(slots.len()) <= room;
        let (mode, slots) = match fits {
            true => (mode, slots),
            false => (Mode::Simd8, slots.into_iter().take(room).collect()),
        };
        let mut masked = match random.below(3) {
            0 if has_header && !form.gathers() && !is_simd4x2 => random.below(15) as u32,
            _ => 0,
        };
        let is_half = !is_early && !is_simd4x2 && random.below(5) == 0;
        let each = if mode == Mode::Simd16 && !is_half { 2 } else { 1 };
        let mut returned = if is_simd4x2 { 1 } else { (4 - masked.count_ones() as usize) * each };
        if !has_header && !is_early && !is_simd4x2 && !form.gathers() && random.below(3) == 0 {
            returned = each * (1 + random.below(4) as usize);
            masked = 0;
        }
        let takes_mask = has_header && !is_early && !is_simd4x2 && !is_half && form.reads_texels();
        let has_mask = takes_mask && returned < LONGEST_REPLY && random.below(8) == 0;
        returned += usize::from(has_mask);
        let mut registers = Vec::new();
        if has_header {
            let mut header = [(); 8].map(|()| random.next() as u32);
            let channel = if form.compares() { 0 } else { random.below(4) as u32 };
            let simd4x2 = u32::from(is_simd4x2 && !is_early) << 22;
            let mask = u32::from(has_mask) << 23;
            header[2] = mask | simd4x2 | channel << 16 | masked << 12 | offsets;
            let table = if has_second_table { 4 * dynamic.second_table as u32 } else { 0 };
            let ignored = if generation >= Generation::Gen12 { 0 } else { random.below(32) as u32 };
            header[3] = table | ignored;
            registers.push(header);
        }
        let counts_texels = sampler.counts_texels;
        registers.extend(parameters::payload(
            form,
            &texture,
            (mode, &slots),
            counts_texels,
            random,
        ));
        let simd = match mode {
            Mode::Simd4x2 => 0,
            Mode::Simd8 => 1,
            Mode::Simd16 => 2,
        };
        let place = dynamic.places[number] as u32;
        let descriptor = surface as u32
            | place << 8
            | form.code << 12
            | simd << 17
            | u32::from(has_header) << 19
            | u32::from(is_half) << 30;
        if random.below(100) == 0 {
            // Not what it has: that has no defined effect.
            returned = (returned + 1) % (LONGEST_REPLY + 1);
        }
        let message = SurfaceMessage {
            registers,
            function: SAMPLING_ENGINE,
            descriptor,
            extended: 0,
            returned,
            channels: if mode == Mode::Simd16 { 16 } else { 8 },
        };
        Self { texture, sampler, has_second_table, message }
    }
}

/// The mode of a message and what its parameters are, some of those at the end left out.
fn shape(
    form: &Form,
    texture: &Texture,
    generation: Generation,
    random: &mut SplitMix64,
) -> (Mode, Vec<Option<Parameter>>) {
    if let Some(slots) = in_vectors(form).filter(|_| random.below(8) == 0) {
        return (Mode::Simd4x2, slots);
    }
    let needed = form.needed(texture.kind, texture.is_array);
    let all = form.parameters.len();
    let count = match random.below(3) {
        0 => needed + random.below((all - needed) as u64 + 1) as usize,
        _ => needed,
    };
    let slots: Vec<_> = form.parameters[..count].iter().copied().map(Some).collect();
    // It has a header alone.
    let is_wide = form.name != "sampleinfo";
    // Gradients in steps are for eight pixels.
    let has_steps = form.name.starts_with("sample_d") && generation == Generation::Gen7;
    match random.below(2) {
        0 if is_wide && !has_steps => (Mode::Simd16, slots),
        _ => (Mode::Simd8, slots),
    }
}

/// The parameters of a message in vectors of four (table `eu-sampler-payload-simd4x2`).
fn in_vectors(form: &Form) -> Option<Vec<Option<Parameter>>> {
    use Parameter::{Cube, Lod, Offset, R, Reference, Step, U, V};
    let place = [Some(U), Some(V), Some(R), Some(Cube)];
    let with = |more: &[Parameter]| {
        place.iter().copied().chain(more.iter().copied().map(Some)).collect::<Vec<_>>()
    };
    let steps = [
        Step(0, false),
        Step(0, true),
        Step(1, false),
        Step(1, true),
        Step(2, false),
        Step(2, true),
    ];
    Some(match form.name.as_str() {
        "sample_l" => with(&[Lod]),
        "sample_l_c" => with(&[Reference, Lod]),
        "sample_d" => with(&steps),
        "ld" | "ld_mcs" => vec![Some(U), Some(V), Some(R), Some(Lod)],
        "resinfo" => vec![Some(Lod)],
        "gather4" => with(&[]),
        "gather4_c" => with(&[Reference]),
        "gather4_po" => vec![Some(U), Some(V), Some(R), None, Some(Offset(0)), Some(Offset(1))],
        "gather4_po_c" => {
            vec![Some(U), Some(V), Some(R), Some(Reference), Some(Offset(0)), Some(Offset(1))]
        }
        _ => return None,
    })
}
