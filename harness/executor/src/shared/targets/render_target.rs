//! Render target writes and reads (tables `eu-rt-descriptor-by-gen`, `eu-rt-header-by-gen`,
//! `eu-rt-payload-sequence`; decision D-eu-later-render-target).

use parallax_isa::{
    Device,
    shared::{Memory, Request, Unanswered},
    surface::Natural,
};

use super::{
    super::{Reply, lengths, refuse, surface_state::Shape},
    FIRST, Register, dword, put,
    surface::Target,
    word,
};
use crate::surface::from_half;

/// Registers of a header.
const HEADER: usize = 2;

/// The pixels of a form and how their colours come.
#[derive(Debug, Clone, Copy)]
struct Form {
    lanes: usize,
    /// The first of the sixteen pixels of a header or dispatch.
    first: usize,
    is_dual: bool,
    /// One colour for all pixels.
    is_flat: bool,
}

const WHOLE: Form = Form { lanes: 16, first: 0, is_dual: false, is_flat: false };

/// By the message subtype.
const FORMS: [Form; 5] = [
    WHOLE,
    Form { is_flat: true, ..WHOLE },
    Form { lanes: 8, is_dual: true, ..WHOLE },
    Form { lanes: 8, first: 8, is_dual: true, ..WHOLE },
    Form { lanes: 8, ..WHOLE },
];

/// Optional parts of a payload.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Present {
    alpha: bool,
    coverage: bool,
    depth: bool,
    stencil: bool,
}

/// Where the parts of a payload are that matter.
#[derive(Debug, Clone, Copy)]
struct Parts {
    coverage: Option<usize>,
    colours: usize,
    /// Registers of a component.
    each: usize,
    in_halves: bool,
}

/// A message, its surface, and the registers that its thread began with.
pub(super) struct Message<'m> {
    pub(super) request: &'m Request<'m>,
    pub(super) target: &'m Target,
    pub(super) device: Device,
    pub(super) first: &'m [Register; FIRST],
}

impl Message<'_> {
    /// Writes pixels in the order of channels.
    pub(super) fn write(&self, memory: &mut Memory) -> Result<(), Unanswered> {
        self.check()?;
        let Some(&form) = FORMS.get((self.bits() >> 8 & 7) as usize) else {
            return refuse("a subtype that no render target write has");
        };
        let parts = self.parts(form)?;
        // Bit 20 of the extended descriptor.
        let is_null = self.device == Device::Dg1 && self.request.extended_descriptor >> 20 & 1 == 1;
        if is_null || self.target.is_void() {
            return Ok(());
        }
        let mut pixels = Vec::with_capacity(form.lanes);
        for lane in self.lit(form) {
            let is_covered = parts.coverage.is_none_or(|register| {
                word(&self.request.payload[register], form.first + lane) & 1 == 1
            });
            if is_covered && let Some(place) = self.place(form.first + lane)? {
                pixels.push((place, self.colour(form, &parts, lane)));
            }
        }
        for (place, colour) in pixels {
            self.target.write(memory, place, colour, 0);
        }
        Ok(())
    }

    /// Reads pixels.
    pub(super) fn read(&self, memory: &Memory) -> Result<Reply, Unanswered> {
        self.check()?;
        let form = if self.bits() >> 8 & 1 == 1 { Form { lanes: 8, ..WHOLE } } else { WHOLE };
        let registers = form.lanes / 8;
        let header = if self.request.has_header { HEADER } else { 0 };
        lengths(self.request, header, 4 * registers)?;
        let mut reply = Reply::default();
        for lane in self.lit(form) {
            let colour = match self.place(lane)? {
                Some(place) => self.target.read(memory, place)?,
                None => [0; 4],
            };
            for (channel, bits) in colour.into_iter().enumerate() {
                put(&mut reply, channel * registers + lane / 8, lane % 8, bits);
            }
        }
        Ok(reply)
    }

    fn bits(&self) -> u32 {
        self.request.function_control
    }

    /// Refuses what is not modelled.
    fn check(&self) -> Result<(), Unanswered> {
        let bits = self.bits();
        if self.request.has_header && self.request.payload.len() < HEADER {
            return refuse("half a header");
        }
        if self.device != Device::Ivb && bits >> 13 & 1 == 1 {
            return refuse("pixels sample by sample");
        }
        if self.device == Device::Dg1 && bits >> 18 & 1 == 1 {
            return refuse("coarse pixels");
        }
        match self.target.shape() {
            Shape::Plane | Shape::Volume | Shape::Cube | Shape::Void => Ok(()),
            _ => refuse("a render target that is no plane"),
        }
    }

    /// The registers with the layer, with positions and with the pixel mask.
    fn thread(&self) -> [&Register; 2] {
        let second = 1 + (self.bits() >> 11 & 1) as usize;
        match self.request.has_header {
            true => [&self.request.payload[0], &self.request.payload[1]],
            false => [&self.first[0], &self.first[second]],
        }
    }

    /// The render target array index.
    fn layer(&self) -> u32 {
        let bits = match (self.device, self.request.has_header) {
            (Device::Dg1, true) => dword(&self.request.payload[1], 1),
            (Device::Dg1, false) => dword(&self.first[1], 1),
            _ => dword(self.thread()[0], 0),
        };
        bits >> 16 & 0x7FF
    }

    /// The channels whose pixels count.
    fn lit(&self, form: Form) -> impl Iterator<Item = usize> + use<> {
        let channels = u32::MAX >> (32 - u32::from(self.request.channels).min(16));
        let enables = u32::from(self.request.channel_enables) & channels;
        let lit = enables & dword(self.thread()[1], 7) >> form.first;
        (0..form.lanes).filter(move |lane| lit >> lane & 1 == 1)
    }

    /// Where a pixel of the sixteen is, if it is in level and view.
    fn place(&self, pixel: usize) -> Result<Option<usize>, Unanswered> {
        let corner = dword(self.thread()[1], 2 + pixel / 4);
        let x = (corner & 0xFFFF) + (pixel & 1) as u32;
        let y = (corner >> 16) + (pixel >> 1 & 1) as u32;
        let (target, layer) = (self.target, self.layer());
        let is_there = target.has_pixel([x, y]) && target.has_layer(layer);
        is_there.then(|| target.place([x, y, layer])).transpose()
    }

    /// Where the parts are, if all of the payload is some part.
    fn parts(&self, form: Form) -> Result<Parts, Unanswered> {
        let in_halves = self.device != Device::Ivb && self.request.format_control >> 1 & 1 == 1;
        if in_halves && form.is_flat {
            return refuse("one colour of half floats");
        }
        let is_integer = |natural: &Natural| matches!(natural, Natural::Uint32 | Natural::Sint32);
        if in_halves && self.target.types().iter().any(is_integer) {
            return refuse("half floats for integers");
        }
        let registers = form.lanes / 8;
        let each = if in_halves { 1 } else { registers };
        let colours = match form {
            Form { is_flat: true, .. } => 1,
            Form { is_dual: true, .. } => 8 * each,
            _ => 4 * each,
        };
        let header = if self.request.has_header { HEADER } else { 0 };
        let present = match self.request.has_header && self.device != Device::Dg1 {
            true => self.present_by_header(),
            false => {
                let alpha =
                    self.device == Device::Dg1 && self.request.extended_descriptor >> 15 & 1 == 1;
                let front = header + colours + if alpha { each } else { 0 };
                let more = self.request.payload.len().checked_sub(front);
                present_by_length(alpha, registers, more)?
            }
        };
        let coverage = header + if present.alpha { each } else { 0 };
        let first_colour = coverage + usize::from(present.coverage);
        let depth = if present.depth { registers } else { 0 };
        let behind = first_colour + colours + depth + usize::from(present.stencil);
        lengths(self.request, behind, 0)?;
        let coverage = present.coverage.then_some(coverage);
        Ok(Parts { coverage, colours: first_colour, each, in_halves })
    }

    /// The parts that a header says.
    fn present_by_header(&self) -> Present {
        let flag = |bit: u32| dword(&self.request.payload[0], 0) >> bit & 1 == 1;
        Present {
            alpha: flag(11),
            coverage: flag(12),
            depth: flag(13),
            stencil: self.device == Device::Skl && flag(14),
        }
    }

    /// The colour of a channel.
    fn colour(&self, form: Form, parts: &Parts, lane: usize) -> [u32; 4] {
        let registers = &self.request.payload[parts.colours..];
        std::array::from_fn(|channel| {
            let first = channel * parts.each;
            match (form.is_flat, parts.in_halves) {
                (true, _) => dword(&registers[0], channel),
                (_, true) => from_half(word(&registers[first], lane)),
                _ => dword(&registers[first + lane / 8], lane % 8),
            }
        })
    }
}

/// The parts of a message without flags of them, which has so many more registers than colours and alpha.
fn present_by_length(
    alpha: bool,
    registers: usize,
    more: Option<usize>,
) -> Result<Present, Unanswered> {
    let (coverage, depth) = match (registers, more) {
        (_, Some(0)) => (false, false),
        (1, Some(1)) | (2, Some(2)) => (false, true),
        (2, Some(1)) => (true, false),
        (1, Some(2)) | (2, Some(3)) => (true, true),
        _ => return refuse("a render target write of no such length"),
    };
    Ok(Present { alpha, coverage, depth, stencil: false })
}
