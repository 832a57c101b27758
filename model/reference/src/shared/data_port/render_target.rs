//! Render Target Write (sections 5.7 and 5.10.6).

use parallax_isa::{
    Device,
    eu::register::REGISTER_BYTES,
    shared::{Environment, Rendering, Request, Unanswered},
    surface::operation::Colour,
};

use super::{
    super::{Reply, World, check_lengths},
    DataPort,
    fragment::Fragment,
    lend,
    message::{Direction, Message},
    space::header,
    store::Store,
    surface::SurfaceState,
    target::{DepthTarget, Target},
    undefined,
};
use crate::shared::record::Pixels;

/// The forms of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Single16,
    Replicated,
    /// Two colours for each pixel of subspans 0 and 1.
    DualLow,
    /// The same for subspans 2 and 3.
    DualHigh,
    Single8,
}

/// What stands in the second register of the header besides coordinates.
#[derive(Debug, Clone, Copy)]
struct Flags {
    is_back_facing: bool,
    has_source_depth: bool,
    has_destination_depth: bool,
    has_stencil: bool,
    has_antialias_alpha: bool,
}

/// The message, taken apart.
#[derive(Debug)]
struct Write<'r> {
    form: Form,
    flags: Flags,
    is_last_target: bool,
    payload: &'r [[u8; REGISTER_BYTES]],
}

impl DataPort {
    /// Writes the colours, depths and stencil values of up to 16 pixels.
    pub(super) fn render_target_write(
        &self,
        request: &Request,
        world: &mut World,
        environment: &Environment,
    ) -> Result<Reply, Unanswered> {
        // Decision D-eu-render-target.
        let index = request.function_control as usize & 0xFF;
        if index == 255 {
            return undefined("a stateless render target");
        }
        let surface = match SurfaceState::bound(environment, index, self.device) {
            Err(_) if request.is_last => return Err(Unanswered::NoSuchFunction("render targets")),
            surface => surface?,
        };
        let state = world.rendering.cloned().unwrap_or_default();
        let write = self.taken_apart(request, &state)?;
        let commits = request.function_control >> 15 & 1 == 1;
        check_lengths(request, write.length()?, usize::from(commits))?;
        let array_index = header_of(request, 1, 7) >> 16 & 0x7FF;
        let target = self.target(surface, array_index, &state)?;
        let message = Message::without_data(Direction::Write { commits });
        let Some(target) = target else {
            let reply = message.reply();
            lend(request, Some(&surface), &[], Pixels::default(), &reply, world);
            return Ok(reply);
        };
        if write.form == Form::Replicated && target.is_linear() {
            return undefined("replicated data to a linear render target");
        }
        let depths = write.depth_target(&state, &target)?;
        let (stores, pixels) = write.stores(&state, &target, depths.as_ref(), world)?;
        let mut reply = message.reply();
        reply.written = stores.carry_out(commits, target.lines(), world);
        lend(request, Some(&surface), &[], pixels, &reply, world);
        Ok(reply)
    }

    fn taken_apart<'r>(
        &self,
        request: &Request<'r>,
        state: &Rendering,
    ) -> Result<Write<'r>, Unanswered> {
        let form = match request.function_control >> 8 & 7 {
            0 => Form::Single16,
            1 => Form::Replicated,
            2 => Form::DualLow,
            3 => Form::DualHigh,
            4 => Form::Single8,
            code => return undefined(format!("a render target write of type {code}")),
        };
        if request.payload.len() < 2 {
            return undefined("a render target write without a header");
        }
        if form.is_dual() {
            match self.device {
                Device::Bw => return undefined("two sources, which [DevBW] does not have"),
                Device::Cl if form == Form::DualHigh => {
                    return undefined(
                        "two sources of subspans 2 and 3, which [DevCL] does not have",
                    );
                }
                _ if state.blend.is_none() => return undefined("two sources and no blending"),
                _ if state.alpha_test.is_some() => {
                    return undefined("two sources and an alpha test");
                }
                _ => {}
            }
        }
        let bits = header_of(request, 1, 6);
        let flag = |bit: u32| bits >> bit & 1 == 1;
        let flags = Flags {
            is_back_facing: flag(31),
            has_source_depth: flag(29),
            has_destination_depth: flag(28),
            has_stencil: flag(27),
            has_antialias_alpha: flag(26),
        };
        if flags.has_antialias_alpha {
            return undefined("antialias alpha, of which nobody says what it does");
        }
        if state.logic.is_some() && state.blend.is_some() {
            return undefined("a logic operation and blending");
        }
        let is_last_target = request.function_control >> 11 & 1 == 1;
        Ok(Write { form, flags, is_last_target, payload: request.payload })
    }
}

/// A doubleword of a register of the header.
fn header_of(request: &Request, register: usize, number: usize) -> u32 {
    match register {
        0 => header(request, number),
        _ => doubleword(&request.payload[register], number),
    }
}

fn doubleword(register: &[u8; REGISTER_BYTES], number: usize) -> u32 {
    let bytes = &register[4 * number..][..4];
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

impl Form {
    fn is_dual(self) -> bool {
        matches!(self, Self::DualLow | Self::DualHigh)
    }

    fn slots(self) -> usize {
        match self {
            Self::Single16 | Self::Replicated => 16,
            Self::DualLow | Self::DualHigh | Self::Single8 => 8,
        }
    }

    /// The pixel of the header that slot 0 is.
    fn first_pixel(self) -> usize {
        if self == Self::DualHigh { 8 } else { 0 }
    }

    fn colour_registers(self) -> usize {
        match self {
            Self::Replicated => 1,
            Self::Single8 => 4,
            Self::Single16 | Self::DualLow | Self::DualHigh => 8,
        }
    }

    /// Registers of depths of one kind.
    fn depth_registers(self) -> usize {
        self.slots() / 8
    }
}

impl Write<'_> {
    /// Where colours start: behind the header and stencil values.
    fn first_colour(&self) -> usize {
        if self.flags.has_stencil { 3 } else { 2 }
    }

    fn first_depth(&self) -> usize {
        self.first_colour() + self.form.colour_registers()
    }

    /// How many registers it has, if it is one of the sequences there are.
    fn length(&self) -> Result<usize, Unanswered> {
        let Flags { has_source_depth, has_destination_depth, has_stencil, .. } = self.flags;
        if has_destination_depth && !has_source_depth {
            return undefined("destination depth without source depth");
        }
        if self.form == Form::Replicated && (has_source_depth || has_stencil) {
            return undefined("replicated data with depth or stencil");
        }
        if self.form.is_dual() && has_destination_depth && has_stencil {
            return undefined("two sources with both depths and stencil");
        }
        let kinds = usize::from(has_source_depth) + usize::from(has_destination_depth);
        Ok(self.first_depth() + kinds * self.form.depth_registers())
    }

    /// The depth buffer, where something is there for it.
    fn depth_target(
        &self,
        state: &Rendering,
        target: &Target,
    ) -> Result<Option<DepthTarget>, Unanswered> {
        if !self.flags.has_source_depth && !self.flags.has_stencil {
            return Ok(None);
        }
        let Some(buffer) = state.depth_buffer else {
            return undefined("depth or stencil without a depth buffer");
        };
        DepthTarget::new(buffer, self.flags.has_stencil, target).map(Some)
    }

    fn colour(&self, source: usize, slot: usize) -> Colour {
        let first = self.first_colour();
        std::array::from_fn(|channel| match self.form {
            Form::Replicated => doubleword(&self.payload[first], channel),
            Form::Single16 => doubleword(&self.payload[first + 4 * (slot / 8) + channel], slot % 8),
            _ => doubleword(&self.payload[first + 4 * source + channel], slot),
        })
    }

    /// The depth of a slot: the source's, or the one that was in the buffer.
    fn depth(&self, kind: usize, slot: usize) -> u32 {
        let first = self.first_depth() + kind * self.form.depth_registers();
        doubleword(&self.payload[first + slot / 8], slot % 8)
    }

    fn fragment(&self, slot: usize) -> Fragment {
        let pixel = self.form.first_pixel() + slot;
        let second = usize::from(self.form.is_dual());
        let flags = self.flags;
        Fragment {
            source: self.colour(0, slot),
            second_source: self.colour(second, slot),
            is_back_facing: flags.is_back_facing,
            depth: flags.has_source_depth.then(|| self.depth(0, slot)),
            stored_depth: flags.has_destination_depth.then(|| self.depth(1, slot)),
            stored_stencil: flags.has_stencil.then(|| self.payload[2][pixel]),
        }
    }

    /// The coordinates of a slot's pixel.
    fn coordinates(&self, slot: usize) -> (i128, i128) {
        let pixel = self.form.first_pixel() + slot;
        let upper_left = doubleword(&self.payload[1], 2 + pixel / 4);
        let (right, down) = (pixel % 2, pixel % 4 / 2);
        (
            i128::from(upper_left & 0xFFFF) + right as i128,
            i128::from(upper_left >> 16) + down as i128,
        )
    }

    /// What is written to both buffers.
    fn stores(
        &self,
        state: &Rendering,
        target: &Target,
        depths: Option<&DepthTarget>,
        world: &mut World,
    ) -> Result<(Store, Pixels), Unanswered> {
        let enables = doubleword(&self.payload[0], 0);
        let mut store = Store::default();
        let mut done = Pixels::default();
        let mut pixels = Vec::new();
        for slot in 0..self.form.slots() {
            let (x, y) = self.coordinates(slot);
            target.check_coordinates(y - (slot as i128 % 4 / 2))?;
            if enables >> (self.form.first_pixel() + slot) & 1 == 0 {
                continue;
            }
            let Some(element) = target.element(x, y)? else {
                done.outside |= 1 << slot;
                continue;
            };
            if pixels.contains(&(x, y)) {
                return undefined("a render target write with one pixel in two slots");
            }
            pixels.push((x, y));
            let fragment = self.fragment(slot);
            let left = fragment.tested(state, depths.map(DepthTarget::format));
            if let Some(depths) = depths.filter(|_| self.is_last_target) {
                depths.write(target, (x, y), &left, &mut store)?;
            }
            if left.is_written {
                done.written |= 1 << slot;
                target.write(state, &fragment, element, &mut store, world)?;
            }
            done.depths |= u16::from(left.depth.is_some()) << slot;
            done.stencils |= u16::from(left.stencil.is_some()) << slot;
        }
        Ok((store, done))
    }
}
