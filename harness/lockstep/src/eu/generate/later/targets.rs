//! Typed surface messages, render target writes and reads of Gen7 and later, legal by construction
//! (tables `eu-typed-surface-by-gen`, `eu-rt-descriptor-by-gen`, `eu-rt-payload-sequence`).

use parallax_isa::{
    Device,
    device::Generation,
    eu::{Case, State},
    shared::{Sampling, SharedFunctions},
    surface::{self, Format, Use},
};

use super::{
    Later, addresses,
    surfaces::{self, BUFFER, CUBE, Kind, LINE, NULL, PLANE, SurfaceMessage, VOLUME},
    values,
};
use crate::{
    choices::Choices,
    corners,
    eu::{
        generate::{ProgramBuilder, sampler::fill, values::flags},
        hardware_state::{HardwareState, TexelSurface},
    },
    formats,
    random::SplitMix64,
};

/// Most messages of a program.
const MOST: u64 = 4;
/// The first general register with a payload, behind those that a thread begins with.
const PAYLOADS: usize = 3;
/// The first one that receives a reply; those from `LAST` on are the payload of the last message.
const REPLIES: usize = 70;
const LAST: usize = 112;
const RENDER_CACHE: u8 = 5;
const DATA_CACHE_1: u8 = 12;

/// A case of messages to typed surfaces and render targets.
pub(in crate::eu::generate) fn messages(device: Device, bytes: &[u8]) -> Case {
    let mut choices = Choices::new(bytes);
    let mut random = SplitMix64::new(choices.seed());
    let mut state = Box::new(State::of(device));
    addresses::fill(&mut random, device, &mut state);
    values::fill(&mut random, device, &mut state);
    state.flag.fill_with(|| flags(&mut random));
    fill(&mut random, &mut state);
    let thread = [(); 3].map(|()| positions(&mut random));
    surfaces::put(0, &thread, &mut state);
    let count = 1 + random.below(MOST) as usize;
    let plans: Vec<Plan> =
        (0..count).map(|number| Plan::new(device, number as u32, &mut random)).collect();
    let mut program = ProgramBuilder::unaligned(device, false);
    let mut later = Later::new(device, &mut choices, random, &state);
    let mut first = PAYLOADS;
    for (number, plan) in plans.iter().enumerate() {
        // The one that ends the thread is in the last registers.
        let ends = number + 1 == count && plan.can_end && later.choices.sometimes(96);
        let place = if ends { LAST } else { first };
        surfaces::put(place, &plan.message.registers, &mut state);
        program.push(later.send_to_surface(&plan.message, place, REPLIES..LAST, ends));
        first += plan.message.registers.len();
    }
    let mut case = Case::new(device, program.bytes, state, 8 * count as u64);
    let states = plans.iter().map(|plan| &plan.target.state);
    let environment = surfaces::environment(device, states, 0, (0, || 0));
    case.surroundings.shared_functions =
        SharedFunctions::around(environment).with_sampling(Sampling::default());
    case
}

/// Gives such a case other texels to start from. Its payloads go with its surfaces.
pub(in crate::eu::generate) fn start_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    fill(random, &mut case.state);
    case.state.flag.fill_with(|| flags(random));
}

/// A register of a pixel shader's start: layer, positions of subspans and pixel mask.
fn positions(random: &mut SplitMix64) -> [u32; 8] {
    let mut register = [(); 8].map(|()| random.next() as u32);
    for dword in [0, 1] {
        register[dword] &= !0x07FF_0000;
        register[dword] |= (random.below(3) as u32) << 16;
    }
    for subspan in &mut register[2..6] {
        let mut place = || match random.below(12) {
            0 => random.below(1 << 16) as u32,
            _ => 2 * random.below(12) as u32,
        };
        *subspan = place() | place() << 16;
    }
    if random.below(3) != 0 {
        register[7] |= 0xFFFF;
    }
    register
}

/// A surface that is written or read.
struct Target {
    state: Vec<u32>,
    kind: Kind,
    /// Texels of the level, and layers that can be reached.
    size: [u32; 3],
    is_array: bool,
    has_integers: bool,
}

impl Target {
    fn new(device: Device, kinds: &[Kind], purpose: Use, random: &mut SplitMix64) -> Self {
        let generation = device.generation().unwrap_or(Generation::Gen9);
        let mut below = |bound: usize| random.below(bound as u64) as usize;
        let kind = if below(30) == 0 { NULL } else { kinds[below(kinds.len())] };
        let suits = |format: &&Format| {
            format.is_defined() && format.allows(device, purpose) && format.block.texels() == 1
        };
        let mut formats: Vec<&Format> = surface::message_formats().iter().filter(suits).collect();
        if purpose == Use::TypedAtomic {
            formats.retain(|format| ["R32_UINT", "R32_SINT"].contains(&format.name));
        } else if below(2) == 0 {
            formats::retain_one_kind(&mut formats, &mut below);
        }
        let format = formats[below(formats.len())];
        let is_array = matches!(kind, LINE | PLANE) && below(3) == 0;
        let tiling = surfaces::tiling(kind, format, below(4));
        let level = if below(3) == 0 { below(3) as u32 } else { 0 };
        let size = [(); 3].map(|()| 1 + below(20) as u32);
        let mut first_element = if is_array && below(3) == 0 { 1 } else { 0 };
        let elements = if is_array { size[2].min(4) } else { 1 };
        let [width, height, depth] = match kind {
            LINE => [size[0], 1, elements],
            VOLUME => [size[0], size[1], size[2].min(5)],
            CUBE => [size[0], size[0], 1],
            _ => [size[0], size[1], elements],
        };
        let surface = TexelSurface {
            kind: if kind == NULL { PLANE } else { kind },
            format,
            base: 0,
            width,
            height,
            depth,
            is_array,
            levels: level + 1,
            first_level: 0,
            gap: 0,
            pitch: 1,
            tiling,
            alignment: [4; 2],
        };
        let places = [64 * below(8) as u32, 4096];
        let surface = surfaces::fit(surface, generation, &mut first_element, places);
        let level = surface.levels - 1;
        let entries = 1 + below(40) as u32;
        let mut state = HardwareState::surface(generation);
        match kind {
            NULL => surfaces::describe_null(&mut state, format),
            BUFFER => {
                let (base, more) = (16 * below(64) as u32, below(3) as u32);
                surfaces::describe_buffer(&mut state, format, base, (entries, more));
            }
            CUBE => {
                surface.describe(&mut state, generation);
                state.set("Render Target View Extent", 5);
            }
            _ => {
                surface.describe(&mut state, generation);
                state.set("Minimum Array Element", first_element);
            }
        }
        // Only samples come from there.
        state.set("Surface Min LOD", below(4) as u32);
        let shrunk = |size: u32| (size >> level).max(1);
        let size = match kind {
            BUFFER => [entries, 1, 1],
            CUBE => [shrunk(surface.width), shrunk(surface.width), 6],
            VOLUME => [shrunk(surface.width), shrunk(surface.height), surface.depth],
            LINE => [shrunk(surface.width), surface.depth, 1],
            _ => [shrunk(surface.width), shrunk(surface.height), surface.depth],
        };
        let has_integers = surfaces::has_integers(format);
        Self { state: state.into_dwords(), kind, size, is_array, has_integers }
    }

    /// How many coordinates a typed message gives.
    fn coordinates(&self) -> usize {
        match (self.kind, self.is_array) {
            (LINE, true) => 2,
            (LINE | BUFFER, _) => 1,
            (PLANE | NULL, false) => 2,
            _ => 3,
        }
    }
}

/// A message that is going to be sent.
struct Plan {
    target: Target,
    message: SurfaceMessage,
    /// It may be the last message of the thread.
    can_end: bool,
}

impl Plan {
    fn new(device: Device, surface: u32, random: &mut SplitMix64) -> Self {
        match random.below(8) {
            0 | 1 => Self::typed_write(device, surface, random),
            2 => Self::typed_read(device, surface, random),
            3 => Self::typed_atomic(device, surface, random),
            4 if device != Device::Ivb => Self::read(device, surface, random),
            _ => Self::write(device, surface, random),
        }
    }

    /// A typed message of a type and control: header, coordinates, and so many registers of data.
    fn typed(
        device: Device,
        surface: u32,
        target: Target,
        (code, mut control): (u32, u32),
        (data, returned): (usize, usize),
        random: &mut SplitMix64,
    ) -> Self {
        let is_gen7 = device == Device::Ivb;
        let has_header = is_gen7 || random.below(4) == 0;
        let slots = random.below(2) as u32;
        match (is_gen7, code) {
            (true, 6) => control |= slots << 4,
            (true, _) => control |= slots << 5,
            // The same bits have the operation's old value.
            (false, 6) => control |= slots << 4,
            (false, _) => control |= (1 + slots) << 4,
        }
        let mut registers = Vec::new();
        if has_header {
            let mut header = [(); 8].map(|()| random.next() as u32);
            header[7] |= if random.below(2) == 0 { 0xFFFF } else { 0 };
            registers.push(header);
        }
        for direction in 0..target.coordinates() {
            let size = target.size[direction];
            registers.push([(); 8].map(|()| match random.below(12) {
                0 => random.next() as u32,
                1 => size,
                2 => size.wrapping_sub(1),
                _ => random.below(size.into()) as u32,
            }));
        }
        for _ in 0..data {
            registers.push([(); 8].map(|()| component(random)));
        }
        let descriptor = surface | control << 8 | code << 14 | u32::from(has_header) << 19;
        let function = if is_gen7 { RENDER_CACHE } else { DATA_CACHE_1 };
        let message =
            SurfaceMessage { registers, function, descriptor, extended: 0, returned, channels: 8 };
        Self { target, message, can_end: false }
    }

    fn typed_write(device: Device, surface: u32, random: &mut SplitMix64) -> Self {
        let target = Target::new(device, &TYPED, Use::TypedWrite, random);
        let mask = if random.below(2) == 0 { random.below(15) as u32 } else { 0 };
        let data = 4 - mask.count_ones() as usize;
        Self::typed(device, surface, target, (13, mask), (data, 0), random)
    }

    fn typed_read(device: Device, surface: u32, random: &mut SplitMix64) -> Self {
        let target = Target::new(device, &TYPED, Use::TypedRead, random);
        let mask = if random.below(2) == 0 { random.below(15) as u32 } else { 0 };
        let returned = 4 - mask.count_ones() as usize;
        Self::typed(device, surface, target, (5, mask), (0, returned), random)
    }

    fn typed_atomic(device: Device, surface: u32, random: &mut SplitMix64) -> Self {
        let target = Target::new(device, &TYPED, Use::TypedAtomic, random);
        // Codes with their operands (table `eu-atomic-ops`).
        const OPERATIONS: [(u32, usize); 15] = [
            (1, 1),
            (2, 1),
            (3, 1),
            (4, 1),
            (5, 0),
            (6, 0),
            (7, 1),
            (8, 1),
            (9, 1),
            (10, 1),
            (11, 1),
            (12, 1),
            (13, 1),
            (14, 2),
            (15, 0),
        ];
        let (operation, data) = random.pick(&OPERATIONS);
        let returns = random.below(2) as u32;
        let control = operation | returns << 5;
        Self::typed(device, surface, target, (6, control), (data, returns as usize), random)
    }

    /// Two registers of header, as a pixel shader makes it from those it begins with.
    fn header(random: &mut SplitMix64) -> [[u32; 8]; 2] {
        let mut header = [positions(random), positions(random)];
        header[0][0] &= !0x7800;
        header
    }

    fn write(device: Device, surface: u32, random: &mut SplitMix64) -> Self {
        let target = Target::new(device, &RENDERED, Use::RenderTarget, random);
        let is_gen12 = device == Device::Dg1;
        let subtype = [0, 0, 4, 4, 1, 2, 3][random.below(7) as usize];
        let is_wide = subtype < 2;
        let is_dual = matches!(subtype, 2 | 3);
        let takes_half = device != Device::Ivb && subtype != 1 && !target.has_integers;
        let is_half = takes_half && random.below(4) == 0;
        let has_header = random.below(2) == 0;
        let has_alpha =
            !is_dual && subtype != 1 && random.below(5) == 0 && (has_header || is_gen12);
        let parts = if subtype == 1 { 0 } else { [0, 0, 0, 1, 2, 3][random.below(6) as usize] };
        let (mut has_mask, has_depth) = (parts & 1 == 1, parts & 2 == 2);
        if (is_gen12 || !has_header) && !is_wide && !has_depth {
            // One register more would be depth.
            has_mask = false;
        }
        let has_stencil =
            device == Device::Skl && has_header && subtype == 4 && random.below(3) == 0;
        let each = if is_wide { 2 } else { 1 };
        let colour = if is_half { 1 } else { each };
        let mut registers = Vec::new();
        if has_header {
            let mut header = Self::header(random);
            if !is_gen12 {
                header[0][0] |= u32::from(has_alpha) << 11
                    | u32::from(has_mask) << 12
                    | u32::from(has_depth) << 13
                    | u32::from(has_stencil) << 14;
            }
            registers.extend(header);
        }
        let float = |random: &mut SplitMix64| [(); 8].map(|()| component(random));
        let alphas = if has_alpha { colour } else { 0 };
        registers.extend((0..alphas).map(|_| float(random)));
        if has_mask {
            registers.push([(); 8].map(|()| random.next() as u32));
        }
        let colours = if subtype == 1 { 1 } else { 4 * colour * if is_dual { 2 } else { 1 } };
        for _ in 0..colours {
            let register = if is_half { [(); 8].map(|()| halves(random)) } else { float(random) };
            registers.push(register);
        }
        if has_depth {
            registers.extend((0..each).map(|_| float(random)));
        }
        if has_stencil {
            registers.push([(); 8].map(|()| random.next() as u32));
        }
        let slots = if is_wide { random.below(2) as u32 } else { 0 };
        let descriptor = surface
            | subtype << 8
            | slots << 11
            | (random.below(2) as u32) << 12
            | 12 << 14
            | u32::from(has_header) << 19
            | u32::from(is_half) << 30;
        let extended = match is_gen12 {
            true => {
                (random.below(8) as u32) << 12
                    | u32::from(has_alpha) << 15
                    | u32::from(random.below(10) == 0) << 20
            }
            false => 0,
        };
        let message = SurfaceMessage {
            registers,
            function: RENDER_CACHE,
            descriptor,
            extended,
            returned: 0,
            channels: if is_wide { 16 } else { 8 },
        };
        let can_end = LAST + message.registers.len() <= 128;
        Self { target, message, can_end }
    }

    fn read(device: Device, surface: u32, random: &mut SplitMix64) -> Self {
        let target = Target::new(device, &RENDERED, Use::RenderTarget, random);
        let is_narrow = random.below(2) as u32;
        let slots = if is_narrow == 0 { random.below(2) as u32 } else { 0 };
        let registers = Self::header(random).to_vec();
        let descriptor = surface | is_narrow << 8 | slots << 11 | 13 << 14 | 1 << 19;
        let (returned, channels) = if is_narrow == 1 { (4, 8) } else { (8, 16) };
        let function = RENDER_CACHE;
        let message =
            SurfaceMessage { registers, function, descriptor, extended: 0, returned, channels };
        Self { target, message, can_end: false }
    }
}

/// Types of surfaces that typed messages reach, and those that are rendered to.
const TYPED: [Kind; 7] = [LINE, PLANE, PLANE, PLANE, VOLUME, CUBE, BUFFER];
const RENDERED: [Kind; 6] = [PLANE, PLANE, PLANE, PLANE, VOLUME, CUBE];

/// A component of a colour: a float around the ends of formats, a corner value, or an integer.
fn component(random: &mut SplitMix64) -> u32 {
    let fraction = (random.next() >> 40) as f32 / (1 << 24) as f32;
    match random.below(10) {
        0 => corners::float(random),
        1 => random.next() as u32,
        2 => random.below(1 << 17) as u32,
        3 => (random.below(256) as f32 / 255.0).to_bits(),
        4 => ((random.below(512) as f32 + 0.5) / 255.0).to_bits(),
        5 => (-(random.below(300) as i32)).cast_unsigned(),
        6 => (2.0 * fraction - 1.0).to_bits(),
        _ => fraction.to_bits(),
    }
}

/// Two half floats.
fn halves(random: &mut SplitMix64) -> u32 {
    let half = |random: &mut SplitMix64| match random.below(4) {
        0 => random.next() as u16,
        1 => [0x3C00, 0x3800, 0xBC00, 0x7C00, 0x7E00, 0][random.below(6) as usize],
        _ => (0x2000 + random.below(0x1C00)) as u16,
    };
    u32::from(half(random)) | u32::from(half(random)) << 16
}
