//! Typed and render target messages, on surfaces small enough to compute by hand.

mod render;
mod thread;
mod typed;

use parallax_isa::{
    Device,
    eu::State,
    shared::{Environment, Request, Unanswered, environment::surface_state_dwords},
    surface::{Format, Use, message_formats},
};
use proptest::prelude::*;

use super::{
    super::{Past, Reply, ThreadStart, World, later::LaterFunctions, record::Lender},
    doubleword,
};

// Formats.
const R32G32B32A32_FLOAT: u32 = 0x000;
const R8G8B8A8_UNORM: u32 = 0x0C7;
const R8G8B8A8_UNORM_SRGB: u32 = 0x0C8;
const R8G8B8A8_SNORM: u32 = 0x0C9;
const R8G8B8A8_SINT: u32 = 0x0CA;
const R8G8B8A8_UINT: u32 = 0x0CB;
const R16G16_FLOAT: u32 = 0x0D0;
const R11G11B10_FLOAT: u32 = 0x0D3;
const R32_SINT: u32 = 0x0D6;
const R32_UINT: u32 = 0x0D7;
const R32_FLOAT: u32 = 0x0D8;
const B8G8R8X8_UNORM: u32 = 0x0E9;
const B5G5R5A1_UNORM: u32 = 0x102;
const R16_UINT: u32 = 0x10D;
const YCRCB_NORMAL: u32 = 0x182;

// Types of surfaces.
const LINE: u32 = 0;
const PLANE: u32 = 1;
const VOLUME: u32 = 2;
const BUFFER: u32 = 4;
const NULL: u32 = 7;

// Message types and controls of typed messages.
const READ: u32 = 5 << 14;
const ATOMIC: u32 = 6 << 14;
const WRITE: u32 = 13 << 14;
const RED: u32 = 0xE << 8;
const OLD_VALUE: u32 = 1 << 13;

// Types, subtypes and flags of render target messages.
const RENDER: u32 = 12 << 14;
const RENDER_READ: u32 = 13 << 14;
const SIMD8: u32 = 4 << 8;
const READ_SIMD8: u32 = 1 << 8;
const REPLICATED: u32 = 1 << 8;
const DUAL_HIGH: u32 = 3 << 8;
const SECOND_GROUP: u32 = 1 << 11;

/// The three devices.
const DEVICES: [Device; 3] = [Device::Ivb, Device::Skl, Device::Dg1];

/// A surface, graphics memory, and what a message says beside its payload.
struct Setup {
    device: Device,
    surface: Vec<u32>,
    state: Box<State>,
    start: ThreadStart,
    enables: u16,
    channels: u8,
    has_header: bool,
    is_half: bool,
    extended: u32,
}

impl Setup {
    /// A linear surface of 4 by 4 texels, 16 bytes from row to row at least; of a message of eight channels.
    fn new(device: Device, kind: u32, format: u32) -> Self {
        let is_gen7 = device == Device::Ivb;
        let mut surface = vec![0; surface_state_dwords(device.generation().expect("it has one"))];
        // Columns and rows are rounded up to four.
        let alignment = if is_gen7 { 1 << 16 } else { 1 << 16 | 1 << 14 };
        surface[0] = kind << 29 | format << 18 | alignment;
        let rows = if kind == LINE || kind == BUFFER { 0 } else { 3 };
        surface[2] = rows << 16 | 3;
        surface[3] = match (kind, format) {
            (_, R32G32B32A32_FLOAT) => 63,
            (BUFFER, _) => 3,
            _ => 15,
        };
        let start = [[0; 32], first_pixels(), first_pixels()];
        Self {
            device,
            surface,
            state: Box::new(State::of(device)),
            start,
            enables: 0xFF,
            channels: 8,
            has_header: false,
            is_half: false,
            extended: 0,
        }
    }

    /// The same for a render target message of sixteen channels.
    fn wide(mut self) -> Self {
        (self.channels, self.enables) = (16, 0xFFFF);
        self
    }

    fn word(&self, number: usize) -> u32 {
        self.state.memory.graphics[4 * number..][..4]
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u32::from(*byte))
    }

    fn set(&mut self, number: usize, value: u32) {
        self.state.memory.graphics[4 * number..][..4].copy_from_slice(&value.to_le_bytes());
    }

    fn environment(&self) -> Environment {
        let surface_states = [&[64; 16], &self.surface[..]].concat();
        Environment { surface_states, ..Environment::default() }
    }

    fn send(
        &mut self,
        target: u8,
        control: u32,
        payload: &[[u32; 8]],
        returned: u8,
    ) -> Result<Reply, Unanswered> {
        let payload: Vec<_> = payload.iter().copied().map(bytes).collect();
        let enables =
            if self.channels <= 8 { self.enables << 8 | self.enables } else { self.enables };
        let request = Request {
            target,
            function_control: control,
            format_control: if self.is_half { 2 } else { 0 },
            extended_descriptor: self.extended,
            has_header: self.has_header,
            payload: &payload,
            channel_enables: enables,
            channels: self.channels,
            response_length: returned,
            alternative_float_mode: false,
            is_last: false,
        };
        let environment = self.environment();
        let mut world = World {
            memory: &mut self.state.memory,
            launch: None,
            local_bytes: 0,
            environment: Some(&environment),
            sampling: None,
            rendering: None,
            thread_start: &self.start,
            lender: Lender { device: self.device, observer: None },
            past: &mut Past::default(),
        };
        let generation = self.device.generation().expect("it has one");
        LaterFunctions::of(generation).expect("it has some").answer(&request, &mut world)
    }

    /// A typed message: on Gen7 behind a header with all channels.
    fn typed(
        &mut self,
        control: u32,
        payload: &[[u32; 8]],
        returned: u8,
    ) -> Result<Reply, Unanswered> {
        let is_gen7 = self.device == Device::Ivb;
        let header = [[0, 0, 0, 0, 0, 0, 0, 0xFFFF]];
        let with_header = [&header[..], payload].concat();
        self.has_header = is_gen7;
        let payload = if is_gen7 { &with_header[..] } else { payload };
        self.send(if is_gen7 { 5 } else { 12 }, control, payload, returned)
    }

    fn render(&mut self, control: u32, payload: &[[u32; 8]]) -> Result<Reply, Unanswered> {
        self.send(5, control, payload, 0)
    }

    /// A colour alike in eight channels.
    fn fill(&mut self, colour: [u32; 4]) -> Reply {
        self.render(RENDER | SIMD8, &colour.map(|value| [value; 8])).expect("it is answered")
    }
}

/// Subspans at columns 0 and 2 of row 0, then of row 2; all sixteen pixels.
fn first_pixels() -> [u8; 32] {
    bytes([0, 0, 0, 2, 2 << 16, 2 << 16 | 2, 0, 0xFFFF])
}

fn bytes(words: [u32; 8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.chunks_mut(4).zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
    bytes
}

fn float(number: f32) -> u32 {
    number.to_bits()
}

/// 0 to 7.
const COUNT: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

fn register(reply: &Reply, number: usize) -> [u32; 8] {
    COUNT.map(|n| doubleword(&reply.registers[number].bytes, n as usize))
}

fn is_refused(answer: &Result<Reply, Unanswered>) -> bool {
    matches!(answer, Err(Unanswered::Undefined(_)))
}

proptest! {
    /// Whatever a message says, and however long it is, it is answered with the registers that it expects, or refused
    /// without an effect.
    #[test]
    fn every_message_is_answered_or_refused(
        device in prop::sample::select(&DEVICES[..]),
        kind in 0..8_u32,
        format in prop::sample::select(usable_formats()),
        changed in prop::option::of((1..8_usize, any::<u32>())),
        control in 0..0x40_u32,
        code in prop::sample::select(vec![READ, ATOMIC, WRITE, RENDER, RENDER_READ]),
        (has_header, is_half) in any::<(bool, bool)>(),
        extended in any::<u32>(),
        payload in prop::collection::vec(prop::array::uniform8(0..6_u32), 20),
    ) {
        let mut setup = Setup::new(device, kind, format);
        if let Some((number, bits)) = changed {
            setup.surface[number] ^= bits;
        }
        (setup.has_header, setup.is_half, setup.extended) = (has_header, is_half, extended);
        let is_typed = ![RENDER, RENDER_READ].contains(&code);
        if !is_typed {
            setup = setup.wide();
        }
        let target = if is_typed && device != Device::Ivb { 12 } else { 5 };
        for (length, returned) in (1..20).flat_map(|length| (0..9).map(move |n| (length, n))) {
            let before = setup.state.memory.graphics;
            match setup.send(target, control << 8 | code, &payload[..length], returned) {
                Ok(reply) => prop_assert_eq!(reply.registers.len(), usize::from(returned)),
                Err(_) => prop_assert!(setup.state.memory.graphics == before),
            }
        }
    }
}

/// The formats that some message takes.
fn usable_formats() -> Vec<u32> {
    let uses = [Use::RenderTarget, Use::TypedWrite, Use::TypedAtomic];
    let is_used =
        |format: &&Format| uses.iter().any(|purpose| format.allows(Device::Dg1, *purpose));
    message_formats().iter().filter(is_used).map(|format| format.code.into()).collect()
}
