//! Pixels to render targets, depths and stencil values beside them.

mod at_once;

use parallax_isa::{
    Device,
    shared::{
        Memory, Rendering, Request, Unanswered,
        memory::GRAPHICS_BYTES,
        rendering::{AlphaTest, DepthBuffer},
    },
    surface::{
        operation::{Colour, DepthFormat, Output, Stencil},
        pixel::{CompareFunction, StencilOp},
    },
};

use super::{
    super::{
        lengths, refuse,
        surface_state::{Shape, Walk},
    },
    surface::{Paint, Surface, Surfaces, Target},
    words,
};
use crate::surface::{
    copy_element,
    pixels::comparison::{passes, stencil_and_depth},
};

/// Slots of a form and where their parts are.
#[derive(Clone, Copy)]
struct Form {
    slots: usize,
    /// The first of the header's sixteen pixels.
    first: usize,
    /// Registers of colours.
    registers: usize,
    is_dual: bool,
    is_flat: bool,
}

const WHOLE: Form = Form { slots: 16, first: 0, registers: 8, is_dual: false, is_flat: false };

/// By bits 10:8.
const FORMS: [Form; 5] = [
    WHOLE,
    Form { registers: 1, is_flat: true, ..WHOLE },
    Form { slots: 8, is_dual: true, ..WHOLE },
    Form { slots: 8, first: 8, is_dual: true, ..WHOLE },
    Form { slots: 8, registers: 4, ..WHOLE },
];

/// The parts of a message, in registers from its first one on; those that it lacks are empty.
#[derive(Clone, Copy)]
struct Parts {
    stencil: bool,
    colours: usize,
    depth: Option<usize>,
    stored_depth: Option<usize>,
    /// Registers there are.
    count: usize,
    is_back: bool,
}

/// Pixels that are written: where they are and their colours.
#[derive(Default)]
struct Pixels {
    places: Vec<usize>,
    colours: Vec<Colour>,
    /// Second ones, if the form has any.
    seconds: Vec<Colour>,
}

/// Elements of one size and their places. Nothing is stored before all of a message is known to be right.
struct Store {
    places: Vec<usize>,
    elements: Vec<u8>,
}

/// Bytes of the largest pixel.
const LARGEST: usize = 16;

impl Store {
    fn carry_out(&self, memory: &mut Memory) {
        let bytes = self.elements.len() / self.places.len();
        for (element, place) in self.elements.chunks_exact(bytes).zip(&self.places) {
            copy_element(element, &mut memory.graphics[*place..*place + bytes]);
        }
    }
}

/// A stencil test that passes everything and changes nothing.
const NO_STENCIL: Stencil = Stencil {
    function: CompareFunction::Always,
    reference: 0,
    read_mask: 0,
    write_mask: 0,
    fail: StencilOp::Keep,
    depth_fail: StencilOp::Keep,
    pass: StencilOp::Keep,
};

/// A Render Target Write, of which so many registers are expected back.
pub(super) fn write(
    request: &Request,
    memory: &mut Memory,
    surfaces: &Surfaces,
    rendering: &Rendering,
    answers: usize,
) -> Result<(), Unanswered> {
    let bits = request.function_control;
    let Some(&form) = FORMS.get((bits >> 8 & 7) as usize) else {
        return refuse("a form of pixels that there is not");
    };
    let surface = match surfaces.target(bits as u8, 0) {
        Ok(Target::Surface(surface)) => Some(surface),
        Ok(Target::Void) => None,
        Ok(Target::Addresses { .. }) => return refuse("pixels without a surface"),
        Err(_) if request.is_last => {
            return Err(Unanswered::NoSuchFunction("no such render target"));
        }
        Err(why) => return Err(why),
    };
    if request.payload.len() < 2 {
        return refuse("pixels without coordinates");
    }
    let second = words(&request.payload[1]);
    let parts = Parts::of(form, second[6])?;
    if form.is_dual {
        let is_known = match surfaces.device {
            Device::Bw => false,
            Device::Cl => form.first == 0,
            _ => true,
        };
        if !is_known || rendering.blend.is_none() || rendering.alpha_test.is_some() {
            return refuse("two colours where there is only one");
        }
    }
    if rendering.blend.is_some() && rendering.logic.is_some() {
        return refuse("blending of bits");
    }
    lengths(request, parts.count, answers)?;
    let Some(surface) = surface else { return Ok(()) };
    let Some(paint) = &surface.paint else { return refuse("a surface that takes no pixels") };
    check(surface, paint, form, rendering)?;
    let element = second[7] >> 16 & 0x7FF;
    if surface.state.shape == Shape::Buffer && element != 0 {
        return refuse("an element of a buffer's array");
    }
    let top = surface.top_of(element);
    if top != 0 && surface.state.origin.1 != 0 {
        return refuse("an origin of lines in an array");
    }
    let depth_buffer = if parts.depth.is_some() || parts.stencil {
        let Some(buffer) = &rendering.depth_buffer else { return refuse("no depth buffer") };
        check_depths(buffer, surface, parts.stencil)?;
        Some(buffer)
    } else {
        None
    };
    let job = Job { form, parts, surface, paint, top, buffer: depth_buffer, rendering };
    if job.write_at_once(request, memory, surfaces.device)? {
        return Ok(());
    }
    let stores = job.stores(request, memory, surfaces.device)?;
    stores.iter().for_each(|store| store.carry_out(memory));
    Ok(())
}

/// A message whose parts and whose surface are known to be right.
struct Job<'j> {
    form: Form,
    parts: Parts,
    surface: &'j Surface,
    paint: &'j Paint,
    /// The line of its array element, slice or face.
    top: u64,
    buffer: Option<&'j DepthBuffer>,
    rendering: &'j Rendering,
}

impl Job<'_> {
    /// What is stored, pixel by pixel.
    fn stores(
        &self,
        request: &Request,
        memory: &Memory,
        device: Device,
    ) -> Result<Vec<Store>, Unanswered> {
        let Self { form, parts, surface, paint, top, rendering, .. } = *self;
        let payload = Payload(request.payload);
        let mut stores = Vec::new();
        // Written one by one where depths lie between them, otherwise all together.
        let mut pixels = Pixels {
            places: Vec::with_capacity(form.slots),
            colours: Vec::with_capacity(form.slots),
            seconds: Vec::new(),
        };
        let mut seen = (!payload.has_subspans_apart()).then(Vec::new);
        for slot in 0..form.slots {
            let pixel = form.first + slot;
            let Some((x, y)) = self.place(payload, pixel)? else { continue };
            if let Some(seen) = &mut seen {
                if seen.contains(&(x, y)) {
                    return refuse("a pixel twice");
                }
                seen.push((x, y));
            }
            let colour = payload.colour(form, &parts, slot);
            if let Some(AlphaTest { function, reference }) = rendering.alpha_test
                && !passes(function, f32::from_bits(colour[3]), f32::from_bits(reference))
            {
                continue;
            }
            if let Some(buffer) = self.buffer {
                let stored = parts.stencil.then(|| request.payload[2][pixel]);
                let (is_visible, left) = tested(rendering, buffer, &parts, payload, slot, stored);
                if request.function_control >> 11 & 1 == 1 {
                    store_depths(&mut stores, buffer, (x, top + y), left)?;
                }
                if !is_visible {
                    continue;
                }
            }
            let place = surface.pixel(paint.bytes, x, y, top);
            let end = place + paint.bytes;
            if end > GRAPHICS_BYTES as u64 {
                return refuse("a pixel beyond the memory there is");
            }
            pixels.places.push(place as usize);
            pixels.colours.push(colour);
            if form.is_dual {
                pixels.seconds.push(payload.second_colour(&parts, slot));
            }
            if self.buffer.is_some() {
                stores.extend(self.coloured(&mut pixels, memory, device)?);
            }
        }
        stores.extend(self.coloured(&mut pixels, memory, device)?);
        Ok(stores)
    }

    /// What is stored of the colours of some pixels, which are taken.
    fn coloured(
        &self,
        pixels: &mut Pixels,
        memory: &Memory,
        device: Device,
    ) -> Result<Option<Store>, Unanswered> {
        let Pixels { places, colours, seconds } = std::mem::take(pixels);
        if places.is_empty() {
            return Ok(None);
        }
        let unwritable = || refuse("a format that takes no pixels");
        let Ok(writer) = self.paint.writer(device) else { return unwritable() };
        let bytes = writer.bytes();
        if bytes as u64 != self.paint.bytes || bytes > LARGEST {
            return unwritable();
        }
        let mut elements = vec![0; places.len() * bytes];
        for (element, place) in elements.chunks_exact_mut(bytes).zip(&places) {
            copy_element(&memory.graphics[*place..*place + bytes], element);
        }
        match writer.write_all(&self.output(), &colours, &seconds, &mut elements) {
            Ok(()) => Ok(Some(Store { places, elements })),
            Err(_) => unwritable(),
        }
    }

    /// Where a pixel of the header is, if it is lit and in the surface.
    fn place(&self, payload: Payload, pixel: usize) -> Result<Option<(u64, u64)>, Unanswered> {
        let (column, row) = payload.corner(pixel / 4);
        if row != 0 && matches!(self.surface.state.shape, Shape::Buffer | Shape::Line) {
            return refuse("a second row of a line");
        }
        let x = u64::from(column) + (pixel & 1) as u64;
        let y = u64::from(row) + (pixel >> 1 & 1) as u64;
        let is_there = payload.word(0, 0) >> pixel & 1 == 1 && self.surface.has_pixel(x, y);
        Ok(is_there.then_some((x, y)))
    }

    fn output(&self) -> Output {
        let Self { rendering, paint, .. } = self;
        Output {
            pre_blend_clamp: rendering.pre_blend_clamp,
            blend: rendering.blend.filter(|_| paint.blends),
            constant: rendering.constant,
            post_blend_clamp: rendering.post_blend_clamp,
            logic: rendering.logic,
            write_mask: paint.mask,
        }
    }
}

impl Parts {
    /// Where the parts of a message are, if it is a sequence that there is.
    fn of(form: Form, bits: u32) -> Result<Self, Unanswered> {
        let [has_alpha, stencil, has_stored, has_depth] =
            [26, 27, 28, 29].map(|bit: u32| bits >> bit & 1 == 1);
        let is_wrong = has_stored && !has_depth
            || form.is_flat && (stencil || has_depth)
            || form.is_dual && stencil && has_stored;
        if has_alpha || is_wrong {
            return refuse("parts that do not go together");
        }
        let each = form.slots / 8;
        let colours = 2 + usize::from(stencil);
        let behind = colours + form.registers;
        let depth = has_depth.then_some(behind);
        let stored_depth = has_stored.then_some(behind + each);
        let count = behind + each * (usize::from(has_depth) + usize::from(has_stored));
        Ok(Self { stencil, colours, depth, stored_depth, count, is_back: bits >> 31 == 1 })
    }
}

/// The registers of a message.
#[derive(Clone, Copy)]
struct Payload<'m>(&'m [[u8; 32]]);

impl Payload<'_> {
    fn word(self, register: usize, lane: usize) -> u32 {
        u32::from_le_bytes(self.0[register].as_chunks::<4>().0[lane])
    }

    /// Column and row of a subspan's first pixel.
    fn corner(self, subspan: usize) -> (u16, u16) {
        let corner = self.word(1, 2 + subspan);
        (corner as u16, (corner >> 16) as u16)
    }

    /// Whether no two of the four subspans have pixels in common.
    fn has_subspans_apart(self) -> bool {
        let corners = [0, 1, 2, 3].map(|subspan| self.corner(subspan));
        let mut others = corners.iter().enumerate().flat_map(|(n, one)| {
            corners[..n].iter().map(move |other| (one.0.abs_diff(other.0), one.1.abs_diff(other.1)))
        });
        others.all(|(across, down)| across > 1 || down > 1)
    }

    /// The colour of a slot.
    fn colour(self, form: Form, parts: &Parts, slot: usize) -> Colour {
        if form.is_flat {
            return [0, 1, 2, 3].map(|channel| self.word(parts.colours, channel));
        }
        let first = parts.colours + slot / 8 * 4;
        [0, 1, 2, 3].map(|channel| self.word(first + channel, slot % 8))
    }

    /// The other one, of a form that has two.
    fn second_colour(self, parts: &Parts, slot: usize) -> Colour {
        [4, 5, 6, 7].map(|channel| self.word(parts.colours + channel, slot))
    }
}

/// What the tests leave of depth and stencil.
struct Left {
    depth: Option<u32>,
    stencil: Option<u8>,
}

fn tested(
    rendering: &Rendering,
    buffer: &DepthBuffer,
    parts: &Parts,
    payload: Payload,
    slot: usize,
    stored: Option<u8>,
) -> (bool, Left) {
    let at =
        |register: Option<usize>| register.map(|first| payload.word(first + slot / 8, slot % 8));
    let depth = at(parts.depth);
    let stored_depth = at(parts.stored_depth);
    let stencil = rendering.stencil[usize::from(parts.is_back)].filter(|_| stored.is_some());
    let function = match (rendering.depth_test, stored_depth) {
        (Some(function), Some(_)) => function,
        _ => CompareFunction::Always,
    };
    let (is_visible, new, kept) = stencil_and_depth(
        stencil.as_ref().unwrap_or(&NO_STENCIL),
        stored.unwrap_or(0),
        function,
        buffer.format,
        (depth.unwrap_or(0), stored_depth.unwrap_or(0)),
    );
    let writes = is_visible && rendering.writes_depth && depth.is_some();
    let left = Left { depth: writes.then_some(kept), stencil: stencil.map(|_| new) };
    (is_visible, left)
}

fn store_depths(
    stores: &mut Vec<Store>,
    buffer: &DepthBuffer,
    (x, row): (u64, u64),
    left: Left,
) -> Result<(), Unanswered> {
    let bytes = depth_bytes(buffer.format);
    let walk = if buffer.is_tiled { Walk::Y } else { Walk::Linear };
    let place = u64::from(buffer.base) + walk.offset(buffer.pitch.into(), bytes * x, row);
    if place + bytes > GRAPHICS_BYTES as u64 {
        // What is not written does not have to be there.
        return if left.depth.is_none() && left.stencil.is_none() {
            Ok(())
        } else {
            refuse("a depth beyond the memory there is")
        };
    }
    let place = place as usize;
    if let Some(depth) = left.depth {
        let kept = if buffer.format == DepthFormat::D24Unorm { 3 } else { bytes as usize };
        let elements = depth.to_le_bytes()[..kept].to_vec();
        stores.push(Store { places: vec![place], elements });
    }
    if let Some(stencil) = left.stencil {
        stores.push(Store { places: vec![place + 3], elements: vec![stencil] });
    }
    Ok(())
}

const fn depth_bytes(format: DepthFormat) -> u64 {
    match format {
        DepthFormat::D16Unorm => 2,
        DepthFormat::D24Unorm | DepthFormat::D32Float => 4,
    }
}

/// Refuses surfaces that do not stand in memory as render targets do.
fn check(
    surface: &Surface,
    paint: &Paint,
    form: Form,
    rendering: &Rendering,
) -> Result<(), Unanswered> {
    if rendering.blend.is_some() && paint.blends && !paint.can_blend {
        return refuse("blending into a format that does not take it");
    }
    let is_linear = surface.state.walk == Walk::Linear;
    if form.is_flat && is_linear {
        return refuse("one colour for a surface in lines");
    }
    let state = &surface.state;
    if state.field.is_some() || state.level != 0 {
        return refuse("fields or levels of a render target");
    }
    if state.shape == Shape::Buffer {
        return match is_linear && state.base.is_multiple_of(paint.bytes) {
            true => Ok(()),
            false => refuse("a buffer at an odd place"),
        };
    }
    if matches!(state.shape, Shape::Unsupported | Shape::Void) {
        return refuse("a reserved shape");
    }
    let (base, pitch, width, height) = match state.walk {
        Walk::Linear => (paint.bytes, paint.bytes, 1, 1),
        Walk::X => (4096, 512, 512, 8),
        Walk::Y => (4096, 128, 128, 32),
    };
    if !state.base.is_multiple_of(base) || !state.pitch.is_multiple_of(pitch) {
        return refuse("pixels at an odd place");
    }
    if state.walk == Walk::Y && paint.bytes == 16 {
        return refuse("pixels too large for these tiles");
    }
    let (right, down) = state.origin;
    if (right, down) != (0, 0) && !paint.bytes.is_power_of_two() {
        return refuse("an origin of odd pixels");
    }
    let (start, row) = (paint.bytes * right, paint.bytes * u64::from(state.width));
    if start >= width || down >= height || start + row > state.pitch {
        return refuse("rows that do not fit");
    }
    Ok(())
}

fn check_depths(
    buffer: &DepthBuffer,
    surface: &Surface,
    has_stencil: bool,
) -> Result<(), Unanswered> {
    if has_stencil && buffer.format != DepthFormat::D24Unorm {
        return refuse("stencil without a place");
    }
    let (base, pitch) = if buffer.is_tiled { (4096, 128) } else { (64, 1) };
    let is_aligned = buffer.base.is_multiple_of(base) && buffer.pitch.is_multiple_of(pitch);
    if !is_aligned || surface.state.shape == Shape::Buffer {
        return refuse("a depth buffer that does not suit");
    }
    if u64::from(surface.state.width) * depth_bytes(buffer.format) > buffer.pitch.into() {
        return refuse("a depth buffer that is not wide enough");
    }
    Ok(())
}
