//! Render target writes of Gen7 and later, and reads of Gen9 and later (tables `eu-rt-descriptor-by-gen`,
//! `eu-rt-header-by-gen`, `eu-rt-payload-fields`, `eu-rt-payload-sequence`).

use parallax_isa::{
    Device,
    device::Generation,
    eu::register::REGISTER_BYTES,
    shared::{Request, Unanswered},
    surface::Use,
};

use super::{
    Reply, World, check_lengths,
    record::{ReachedTexel, WriteParts},
    sampler::Type,
    texels::{Colour, Texels, doubleword, empty_reply, environment, put},
    undefined,
};
use crate::number::{Context, FloatFormat};

/// Message types, bits 17:14 of the descriptor.
const WRITE: u32 = 12;
const READ: u32 = 13;
/// Registers of a header.
const HEADER: usize = 2;

/// The forms of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Single16,
    /// One colour for all pixels.
    Replicated,
    /// Two colours for each pixel of subspans 0 and 1.
    DualLow,
    /// The same for subspans 2 and 3.
    DualHigh,
    Single8,
}

/// A write that is understood.
#[derive(Debug)]
struct Write<'r> {
    form: Form,
    /// Components have 16 bits.
    is_half: bool,
    parts: WriteParts,
    request: &'r Request<'r>,
}

/// Where the pixels of a message are, and which of them count.
#[derive(Debug)]
struct Pixels {
    /// M1 of the header, or the register that has its place.
    positions: [u8; REGISTER_BYTES],
    layer: u32,
    enables: u16,
}

/// The reply to a message.
pub(super) fn answer(
    device: Device,
    request: &Request,
    world: &mut World,
) -> Result<Reply, Unanswered> {
    // Decision D-eu-later-render-target.
    check_modelled(device, request)?;
    match request.function_control >> 14 & 0xF {
        WRITE => write(device, request, world),
        READ if device.generation() > Some(Generation::Gen7) => read(device, request, world),
        code => undefined(format!("a message of type {code} to the render cache")),
    }
}

/// Refuses samples and coarse pixels.
fn check_modelled(device: Device, request: &Request) -> Result<(), Unanswered> {
    let (generation, control) = (device.generation(), request.function_control);
    if generation >= Some(Generation::Gen9) && control >> 13 & 1 == 1 {
        return undefined("a render target message for each sample");
    }
    if generation >= Some(Generation::Gen12) && control >> 18 & 1 == 1 {
        return undefined("a render target message of coarse pixels");
    }
    if request.has_header && request.payload.len() < HEADER {
        return undefined("a render target message with half a header");
    }
    Ok(())
}

/// The surface of a message.
fn target(device: Device, request: &Request, world: &World) -> Result<Texels, Unanswered> {
    let index = request.function_control as usize & 0xFF;
    let texels = Texels::bound(environment(world)?, index, device, Use::RenderTarget)?;
    match texels.kind() {
        Type::Two | Type::Three | Type::Cube | Type::Null => Ok(texels),
        Type::One | Type::Buffer => undefined("a line or buffer as a render target"),
    }
}

/// Writes the colours of up to 16 pixels, one after the other.
fn write(device: Device, request: &Request, world: &mut World) -> Result<Reply, Unanswered> {
    let write = Write::of(device, request)?;
    check_lengths(request, write.length(), 0)?;
    let texels = target(device, request, world)?;
    if write.is_half && texels.has_integers() && !texels.is_null() {
        return undefined("integers of 16 bits for a render target");
    }
    let pixels = Pixels::of(device, request, world);
    let is_dropped = device.generation() >= Some(Generation::Gen12)
        && request.extended_descriptor >> 20 & 1 == 1;
    let mut written = Vec::new();
    for slot in (0..write.form.slots()).filter(|_| !is_dropped) {
        let pixel = write.form.first_pixel() + slot;
        if !pixels.counts(pixel) || !write.takes(pixel) {
            continue;
        }
        let Some(address) = texels.address(pixels.place(pixel))? else { continue };
        written.push((address, texels.encoded(write.colour(slot))?));
    }
    let written = texels.write(written, [true; 4], world.memory);
    let reply = Reply { written, ..empty_reply(0) };
    let reached = || {
        let first = write.form.first_pixel();
        let reached = (first..first + write.form.slots()).map(|pixel| ReachedTexel {
            is_sampled: write.takes(pixel),
            colour: write.colour(pixel - first),
            ..pixels.reached(&texels, pixel)
        });
        reached.collect()
    };
    world.lend_texels(request, (texels.state(), write.parts), reached, &reply);
    Ok(reply)
}

/// Reads the colours of 8 or 16 pixels.
fn read(device: Device, request: &Request, world: &mut World) -> Result<Reply, Unanswered> {
    let registers = if request.function_control >> 8 & 1 == 1 { 1 } else { 2 };
    check_lengths(request, if request.has_header { HEADER } else { 0 }, 4 * registers)?;
    if is_half(request) {
        return undefined("a render target read of 16 bits");
    }
    if doubleword(&request.payload[0], 0) >> 11 & 0xF != 0 {
        return undefined("a render target read whose header names parts of a write");
    }
    let texels = target(device, request, world)?;
    let pixels = Pixels::of(device, request, world);
    let mut reply = empty_reply(4 * registers);
    for pixel in (0..8 * registers).filter(|pixel| pixels.counts(*pixel)) {
        let address = texels.address(pixels.place(pixel))?;
        let colour = texels.read(address, world.memory)?;
        for (channel, bits) in colour.into_iter().enumerate() {
            put(&mut reply, registers * channel + pixel / 8, pixel % 8, bits);
        }
    }
    let reached = || (0..8 * registers).map(|pixel| pixels.reached(&texels, pixel)).collect();
    world.lend_texels(request, (texels.state(), WriteParts::default()), reached, &reply);
    Ok(reply)
}

/// Whether components have 16 bits: bit 30 of the descriptor.
fn is_half(request: &Request) -> bool {
    request.format_control & 2 == 2
}

impl Pixels {
    fn of(device: Device, request: &Request, world: &World) -> Self {
        let [r0, r1, r2] = *world.thread_start;
        let is_second_group = request.function_control >> 11 & 1 == 1;
        let (first, second, positions) = match (request.has_header, is_second_group) {
            (true, _) => (request.payload[0], request.payload[1], request.payload[1]),
            (false, false) => (r0, r1, r1),
            (false, true) => (r0, r1, r2),
        };
        let layer = match device.generation() {
            Some(Generation::Gen12) => doubleword(&second, 1),
            _ => doubleword(&first, 0),
        };
        let mask = doubleword(&positions, 7) as u16;
        let enables = request.channel_enables & mask;
        Self { positions, layer: layer >> 16 & 0x7FF, enables }
    }

    fn counts(&self, pixel: usize) -> bool {
        self.enables >> pixel & 1 == 1
    }

    /// Column, row and layer of a pixel: four of them from the upper left one of their subspan on.
    fn place(&self, pixel: usize) -> [u32; 3] {
        let upper_left = doubleword(&self.positions, 2 + pixel / 4);
        let (right, down) = (pixel as u32 % 2, pixel as u32 % 4 / 2);
        [(upper_left & 0xFFFF) + right, (upper_left >> 16) + down, self.layer]
    }

    /// The record of a pixel.
    fn reached(&self, texels: &Texels, pixel: usize) -> ReachedTexel {
        let place = self.place(pixel);
        ReachedTexel {
            channel: pixel,
            is_enabled: self.counts(pixel),
            is_sampled: true,
            place,
            address: texels.address(place).ok().flatten(),
            colour: Colour::default(),
        }
    }
}

impl Form {
    fn of(request: &Request) -> Result<Self, Unanswered> {
        Ok(match request.function_control >> 8 & 7 {
            0 => Self::Single16,
            1 => Self::Replicated,
            2 => Self::DualLow,
            3 => Self::DualHigh,
            4 => Self::Single8,
            code => return undefined(format!("a render target write of subtype {code}")),
        })
    }

    fn slots(self) -> usize {
        match self {
            Self::Single16 | Self::Replicated => 16,
            Self::DualLow | Self::DualHigh | Self::Single8 => 8,
        }
    }

    /// The pixel that slot 0 is.
    fn first_pixel(self) -> usize {
        if self == Self::DualHigh { 8 } else { 0 }
    }
}

impl<'r> Write<'r> {
    fn of(device: Device, request: &'r Request<'r>) -> Result<Self, Unanswered> {
        let form = Form::of(request)?;
        let is_half = is_half(request);
        if is_half && form == Form::Replicated {
            return undefined("a replicated colour of 16 bits");
        }
        let mut write = Self { form, is_half, parts: WriteParts::default(), request };
        let is_gen12 = device.generation() >= Some(Generation::Gen12);
        if request.has_header && !is_gen12 {
            write.parts = parts_of_header(device, doubleword(&request.payload[0], 0));
        } else {
            write.parts.has_alpha = is_gen12 && request.extended_descriptor >> 15 & 1 == 1;
            write.parts = write.parts_by_length()?;
        }
        Ok(write)
    }

    /// What stands beside the colours, by how many registers there are more.
    fn parts_by_length(&self) -> Result<WriteParts, Unanswered> {
        let Some(more) = self.request.payload.len().checked_sub(self.length()) else {
            return undefined("a render target write without all of its colours");
        };
        let (has_mask, has_depth) = match (self.form.slots(), more) {
            (_, 0) => (false, false),
            (8, 1) | (16, 2) => (false, true),
            (8, 2) | (16, 3) => (true, true),
            (16, 1) => (true, false),
            _ => return undefined(format!("{more} registers beside the colours of a write")),
        };
        Ok(WriteParts { has_mask, has_depth, ..self.parts })
    }

    /// Registers of a component of all pixels.
    fn component_registers(&self) -> usize {
        if self.is_half { 1 } else { self.form.slots() / 8 }
    }

    fn colour_registers(&self) -> usize {
        match self.form {
            Form::Replicated => 1,
            Form::Single8 | Form::Single16 => 4 * self.component_registers(),
            Form::DualLow | Form::DualHigh => 8 * self.component_registers(),
        }
    }

    /// The register of the sample masks, if there is one: behind header and alpha.
    fn mask_register(&self) -> usize {
        let header = if self.request.has_header { HEADER } else { 0 };
        header + if self.parts.has_alpha { self.component_registers() } else { 0 }
    }

    fn first_colour(&self) -> usize {
        self.mask_register() + usize::from(self.parts.has_mask)
    }

    /// How many registers it has.
    fn length(&self) -> usize {
        let depth = if self.parts.has_depth { self.form.slots() / 8 } else { 0 };
        let stencil = usize::from(self.parts.has_stencil);
        self.first_colour() + self.colour_registers() + depth + stencil
    }

    /// Whether the sample mask of a pixel has its one sample.
    fn takes(&self, pixel: usize) -> bool {
        !self.parts.has_mask || word(&self.request.payload[self.mask_register()], pixel) & 1 == 1
    }

    fn colour(&self, slot: usize) -> Colour {
        let first = self.first_colour();
        let register = |number: usize| &self.request.payload[first + number];
        std::array::from_fn(|channel| match self.form {
            Form::Replicated => doubleword(register(0), channel),
            _ if self.is_half => binary32(word(register(channel), slot)),
            Form::Single16 => doubleword(register(2 * channel + slot / 8), slot % 8),
            _ => doubleword(register(channel), slot),
        })
    }
}

/// The parts that doubleword 0 of the header names.
fn parts_of_header(device: Device, bits: u32) -> WriteParts {
    let flag = |bit: u32| bits >> bit & 1 == 1;
    WriteParts {
        has_alpha: flag(11),
        has_mask: flag(12),
        has_depth: flag(13),
        has_stencil: flag(14) && device.generation() >= Some(Generation::Gen9),
    }
}

/// A word of a register.
fn word(register: &[u8; REGISTER_BYTES], number: usize) -> u16 {
    u16::from_le_bytes([register[2 * number], register[2 * number + 1]])
}

/// A half float as one of single precision.
fn binary32(half: u16) -> u32 {
    let number = FloatFormat::BINARY16.decode(half.into());
    Context::IEEE.round(number, FloatFormat::BINARY32).bits as u32
}
