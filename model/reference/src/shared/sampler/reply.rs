//! What comes back from the Sampling Engine (G45 volume 4, section 4.8.2; table `eu-sampler-response`).

use parallax_isa::{
    Acceptance,
    device::Generation,
    shared::{Request, Response, Unanswered},
    surface::{BorderMode, Component, Numeric, Source, Texel, pixel::ChannelSelect},
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

    /// Whether nothing of it is specified.
    pub(super) fn is_unspecified(&self) -> bool {
        self.open.iter().all(|open| matches!(open, Some(Acceptance::Undefined)))
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
        let has_bytes = own.all(|component| component.bits == 8);
        if has_bytes && !surface.is_later() {
            return Self::ZERO;
        }
        let colour = Self::of([0, 0, 0, if surface.has_integers() { 1 } else { ONE }]);
        // Whether the erratum of G45 still holds, nobody says.
        let open = [None, None, None, has_bytes.then_some(Acceptance::Or(0))];
        Self { open, ..colour }
    }

    /// What the channels of a reply take of this one.
    pub(super) fn selected(self, selects: Option<[ChannelSelect; 4]>, has_integers: bool) -> Self {
        let Some(selects) = selects else { return self };
        let one = if has_integers { 1 } else { ONE };
        let of = |channel: usize| (self.bits[channel], self.open[channel]);
        let taken = selects.map(|select| match select {
            ChannelSelect::Zero => (0, None),
            ChannelSelect::One => (one, None),
            ChannelSelect::Red => of(0),
            ChannelSelect::Green => of(1),
            ChannelSelect::Blue => of(2),
            ChannelSelect::Alpha => of(3),
        });
        Self { bits: taken.map(|(bits, _)| bits), open: taken.map(|(_, open)| open), ..self }
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
    let mut colours = transported(request, message, surface, return_type, colours)?;
    let mode = message.form.mode;
    let mut reply = Reply {
        registers: vec![Response::default(); request.response_length.into()],
        ..Reply::default()
    };
    if message.is_half {
        colours.iter_mut().for_each(|colour| halve(colour, return_type));
        put_words(&mut reply, message, &colours);
        return Ok(reply);
    }
    for (entity, colour) in message.entities.iter().zip(&colours) {
        for (channel, first) in message.registers.into_iter().enumerate() {
            let Some(first) = first.filter(|_| entity.is_written[channel]) else { continue };
            let (register, dword) = match mode {
                Mode::Simd16 => (first + entity.number / 8, entity.number % 8),
                Mode::Simd8 => (first, entity.number),
                Mode::Simd4x2 => (first, 4 * entity.number + channel),
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
    if message.header.asks_for_mask {
        memory_mask(&mut reply, message, surface);
    }
    Ok(reply)
}

fn put(reply: &mut Reply, register: usize, dword: usize, bits: u32) {
    let response = &mut reply.registers[register];
    response.bytes[4 * dword..][..4].copy_from_slice(&bits.to_le_bytes());
    response.enables |= 1 << dword;
}

/// Brings a colour to 16 bits a channel.
fn halve(colour: &mut Colour, return_type: ReturnType) {
    let half = |bits: u32| match return_type {
        ReturnType::Float32 => {
            let number = FloatFormat::BINARY32.decode(bits.into());
            Context::IEEE.round(number, FloatFormat::BINARY16).bits as u32
        }
        ReturnType::Uint32 | ReturnType::Sint32 => bits & 0xFFFF,
    };
    for (bits, open) in colour.bits.iter_mut().zip(&mut colour.open) {
        let number = FloatFormat::BINARY32.decode((*bits).into());
        let is_nan = return_type == ReturnType::Float32 && number.is_nan();
        *open = match *open {
            None | Some(Acceptance::AnyNan32) if is_nan => Some(Acceptance::AnyNan16),
            Some(Acceptance::Or(other)) => Some(Acceptance::Or(half(other as u32).into())),
            open => open,
        };
        *bits = half(*bits);
    }
}

/// Puts channels of 16 bits into the words of registers. Of eight channels the upper half of a register is open.
fn put_words(reply: &mut Reply, message: &Message, colours: &[Colour]) {
    reply.words = vec![0; reply.registers.len()];
    for (entity, colour) in message.entities.iter().zip(colours) {
        for (channel, register) in message.registers.into_iter().enumerate() {
            let Some(register) = register.filter(|_| entity.is_written[channel]) else { continue };
            let word = entity.number;
            let response = &mut reply.registers[register];
            let bits = (colour.bits[channel] as u16).to_le_bytes();
            response.bytes[2 * word..][..2].copy_from_slice(&bits);
            response.enables |= 1 << (word / 2);
            reply.words[register] |= 1 << word;
            if let Some(acceptance) = colour.open[channel] {
                reply.open.push(OpenDoubleword::word(register, word, acceptance));
            }
        }
    }
    if message.form.mode == Mode::Simd8 {
        for (register, response) in reply.registers.iter_mut().enumerate() {
            response.enables |= 0xF0;
            reply.words[register] |= 0xFF00;
            let open = |dword| OpenDoubleword::whole(register, dword, Acceptance::Undefined);
            reply.open.extend((4..8).map(open));
        }
    }
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

/// The register behind the channels with the mask of pixels whose texels all have memory: here all have. No document says
/// what else stands in the register, or whether a null surface has memory.
fn memory_mask(reply: &mut Reply, message: &Message, surface: &Surface) {
    let register = reply.registers.len() - 1;
    let count = message.form.count();
    put(reply, register, 0, u32::MAX >> (32 - count));
    let first = if surface.kind() == Type::Null { 0 } else { 1 };
    for dword in first..8 {
        reply.registers[register].enables |= 1 << dword;
        reply.open.push(OpenDoubleword::whole(register, dword, Acceptance::Undefined));
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
        for colour in &mut colours {
            for (bits, open) in colour.bits.iter_mut().zip(&mut colour.open) {
                if !FloatFormat::BINARY32.decode((*bits).into()).is_infinite() {
                    continue;
                }
                // From Gen7 on nobody says that infinities become numbers.
                if surface.is_later() {
                    *open = Some(open.unwrap_or(Acceptance::Or(u64::from(*bits) - 1)));
                } else {
                    *bits -= 1;
                }
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
        let number = FloatFormat::BINARY32.decode(bits.into()).finite();
        // Greater numbers have no bits below those.
        let is_small =
            |number: &Exact| Exact { negative: false, ..*number } < Exact::integer(1 << 24);
        let Some(number) = number.filter(is_small) else { return bits };
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
