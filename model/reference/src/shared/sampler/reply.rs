//! What comes back from the Sampling Engine (G45 volume 4, section 4.8.2).

use parallax_isa::{
    Acceptance,
    device::Generation,
    shared::{Request, Response, Unanswered},
    surface::{BorderMode, Component, Numeric, Source, Texel},
};

use crate::number::{Context, Exact, FloatFormat, Number, Rounding};

use super::{
    super::{OpenDoubleword, Reply, undefined},
    message::{Kind, Message, Mode, ReturnType},
    surface::{Surface, Type},
};
use crate::surface::channels;

/// 1 as binary32.
const ONE: u32 = 0x3F80_0000;

/// Red, green, blue and alpha for an entity, as bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Colour {
    pub(super) bits: [u32; 4],
    /// What else is accepted, channel by channel.
    pub(super) open: [Option<Acceptance>; 4],
    /// A texel of it matches a chroma key that kills pixels.
    pub(super) is_killed: bool,
    /// Nobody says whether it does.
    pub(super) kill_is_open: bool,
}

impl Colour {
    pub(super) const ZERO: Self = Self::of([0; 4]);

    pub(super) const fn of(bits: [u32; 4]) -> Self {
        Self { bits, open: [None; 4], is_killed: false, kill_is_open: false }
    }

    /// A texel; of one that is not sure everything is open.
    pub(super) fn of_texel(texel: Texel, is_sure: bool) -> Self {
        let colour = Self::of(texel.bits().map(|bits| bits as u32));
        if is_sure { colour } else { colour.opened(Acceptance::Undefined) }
    }

    pub(super) fn opened(self, acceptance: Acceptance) -> Self {
        Self { open: [Some(acceptance); 4], kill_is_open: true, ..self }
    }

    /// What `ld` gives for a texel that is not there.
    pub(super) fn outside(surface: &Surface) -> Self {
        let mode = BorderMode::Dx10Ogl;
        let alpha = channels::sources(surface.format, mode).map_or(Source::Zero, |all| all[3]);
        if alpha != Source::One {
            return Self::ZERO;
        }
        if surface.is_compressed() {
            // Blocks have no bits a channel, which alpha depends on.
            let one = u64::from(ONE);
            let open = [None, None, None, Some(Acceptance::Or(one))];
            return Self { open, ..Self::ZERO };
        }
        let is_pad = |component: &Component| component.numeric == Numeric::Pad;
        let mut own = surface.format.layout.components().filter(|c| !is_pad(c));
        if own.all(|component| component.bits == 8) {
            return Self::ZERO;
        }
        Self::of([0, 0, 0, if surface.has_integers() { 1 } else { ONE }])
    }
}

/// The registers of a reply.
pub(super) fn reply(
    request: &Request,
    message: &Message,
    surface: &Surface,
    return_type: ReturnType,
    colours: &[Colour],
) -> Result<Reply, Unanswered> {
    let colours = transported(request, message, surface, return_type, colours)?;
    let mode = message.form.mode;
    let masked = message.header.is_masked;
    let mut reply = Reply {
        registers: vec![Response::default(); request.response_length.into()],
        ..Reply::default()
    };
    // Registers of a channel before which others may be left out.
    let before = |channel: usize| match mode {
        Mode::Simd16 => 2 * masked[..channel].iter().filter(|is_masked| !**is_masked).count(),
        Mode::Simd8 => channel,
        Mode::Simd4x2 => 0,
    };
    for (entity, colour) in message.entities.iter().zip(&colours) {
        for channel in (0..4).filter(|channel| entity.is_active && !masked[*channel]) {
            let (register, dword) = match mode {
                Mode::Simd16 => (before(channel) + entity.number / 8, entity.number % 8),
                Mode::Simd8 => (before(channel), entity.number),
                Mode::Simd4x2 => (before(channel), 4 * entity.number + channel),
            };
            put(&mut reply, register, dword, colour.bits[channel]);
            if let Some(acceptance) = colour.open[channel] {
                reply.open.push(OpenDoubleword::whole(register, dword, acceptance));
            }
        }
    }
    if message.form.kind == Kind::SampleKillpix {
        kill_mask(&mut reply, message, surface, &colours);
    }
    Ok(reply)
}

fn put(reply: &mut Reply, register: usize, dword: usize, bits: u32) {
    let response = &mut reply.registers[register];
    response.bytes[4 * dword..][..4].copy_from_slice(&bits.to_le_bytes());
    response.enables |= 1 << dword;
}

/// The register with the kill mask.
fn kill_mask(reply: &mut Reply, message: &Message, surface: &Surface, colours: &[Colour]) {
    const REGISTER: usize = 4;
    let (mut mask, mut open) = (u32::MAX, 0);
    let is_early = surface.device.generation() == Some(Generation::Gen4);
    for (entity, colour) in message.entities.iter().zip(colours) {
        let bit = 1 << entity.number;
        if entity.is_active && colour.is_killed {
            mask &= !bit;
        }
        if !entity.is_active && is_early {
            open |= bit;
        }
        if entity.is_active && colour.kill_is_open {
            open |= bit;
        }
    }
    put(reply, REGISTER, 0, mask);
    if open != 0 {
        let acceptance = Acceptance::Undefined;
        reply.open.push(OpenDoubleword {
            register: REGISTER,
            doubleword: 0,
            mask: open,
            acceptance,
        });
    }
}

/// Bits after the binary point of DATA_RETURN_S1.14.
const FRACTION: i32 = 14;

/// The colours as they come over from the Sampling Engine.
fn transported(
    request: &Request,
    message: &Message,
    surface: &Surface,
    return_type: ReturnType,
    colours: &[Colour],
) -> Result<Vec<Colour>, Unanswered> {
    let mut colours = colours.to_vec();
    if return_type != ReturnType::Float32 {
        return Ok(colours);
    }
    if message.form.kind == Kind::Resinfo {
        for bits in colours.iter_mut().flat_map(|colour| &mut colour.bits) {
            *bits = single(Number::integer((*bits).into()));
        }
        return Ok(colours);
    }
    if is_narrow(message, surface)? {
        colours.iter_mut().for_each(narrowed);
    }
    if request.alternative_float_mode {
        for bits in colours.iter_mut().flat_map(|colour| &mut colour.bits) {
            if FloatFormat::BINARY32.decode((*bits).into()).is_infinite() {
                *bits -= 1;
            }
        }
    }
    Ok(colours)
}

/// Whether samples come as DATA_RETURN_S1.14.
fn is_narrow(message: &Message, surface: &Surface) -> Result<bool, Unanswered> {
    if surface.kind() == Type::Null || surface.state.field(0, 27, 27) == 0 {
        return Ok(false);
    }
    if surface.device.generation() != Some(Generation::Gen4) {
        return Ok(false);
    }
    let layout = &surface.format.layout;
    let fits = |component: Component| {
        component.numeric == Numeric::Pad
            || component.bits <= 8 && matches!(component.numeric, Numeric::Unorm | Numeric::Snorm)
    };
    if surface.is_compressed() || !layout.components().all(fits) {
        return undefined("DATA_RETURN_S1.14 of a format that is not UNORM or SNORM of 8 bits");
    }
    if message.form.mode == Mode::Simd4x2 {
        return Ok(false);
    }
    Ok(true)
}

/// Brings a colour to 14 bits after the binary point, in whatever direction.
fn narrowed(colour: &mut Colour) {
    let brought = |bits: u32, rounding| {
        let number = FloatFormat::BINARY32.decode(bits.into()).finite().unwrap_or(Exact::ZERO);
        let steps = number.scaled(FRACTION).to_integer(rounding);
        single(Number::Finite(Exact::integer(steps).scaled(-FRACTION)))
    };
    for (bits, open) in colour.bits.iter_mut().zip(&mut colour.open) {
        let [low, high] = [Rounding::Down, Rounding::Up].map(|rounding| brought(*bits, rounding));
        *bits = brought(*bits, Rounding::NearestEven);
        if let Some(Acceptance::Within32(range)) = open {
            range.low = brought(range.low, Rounding::Down);
            range.high = brought(range.high, Rounding::Up);
        } else if low != high {
            let other = if *bits == low { high } else { low };
            *open = Some(open.unwrap_or(Acceptance::Or(other.into())));
        }
    }
}

/// A number as the nearest binary32.
pub(super) fn single(number: Number) -> u32 {
    Context::IEEE.round(number, FloatFormat::BINARY32).bits as u32
}
