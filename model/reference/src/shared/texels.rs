//! Texels that typed and render target messages reach: one level of a surface, from its view on (tables
//! `eu-surface-state-by-gen`, `eu-surface-layout-by-gen`).

use std::mem::offset_of;

use parallax_isa::{
    Acceptance, Device, Expectation,
    eu::register::REGISTER_BYTES,
    shared::{Environment, Memory, Response, Unanswered},
    surface::{BorderMode, Component, Fetch, Numeric, Texel, Use, Value},
};

use super::{
    Reply, World, Written,
    data_port::memory,
    record::Place,
    sampler::{Surface, Type},
    surface_state::Field,
    undefined,
};
use crate::{
    number::Rounding,
    surface::{
        SurfaceError, View, decode,
        encode::{channel_of, encode_rounded, natural_types},
        open_after_write,
    },
};

#[cfg(test)]
mod tests;

/// Red, green, blue and alpha as they are in registers.
pub(super) type Colour = [u32; 4];

/// The texels of the level that a surface state names.
#[derive(Debug)]
pub(super) struct Texels {
    surface: Surface,
    level: u32,
}

impl Texels {
    /// Those behind an index of the binding table, whose format has to be for this.
    pub(super) fn bound(
        environment: &Environment,
        index: usize,
        device: Device,
        purpose: Use,
    ) -> Result<Self, Unanswered> {
        let surface = Surface::bound_for(environment, index, device, purpose)?;
        let level = surface.state.level();
        let texels = Self { surface, level };
        if !texels.is_null() {
            texels.check_format()?;
        }
        Ok(texels)
    }

    fn check_format(&self) -> Result<(), Unanswered> {
        let format = self.surface.format;
        if format.block.texels() != 1 {
            return undefined(format!("{}, which has several texels a block", format.name));
        }
        natural_types(format, &Fetch::default()).map_err(because)?;
        Ok(())
    }

    /// The words of its state.
    pub(super) fn state(&self) -> &[u32] {
        self.surface.state.words()
    }

    pub(super) fn is_null(&self) -> bool {
        self.kind() == Type::Null
    }

    pub(super) fn kind(&self) -> Type {
        self.surface.kind()
    }

    /// Whether a coordinate of typed messages chooses the layer.
    pub(super) fn is_array(&self) -> bool {
        self.surface.is_array()
    }

    /// The name of its format.
    pub(super) fn format(&self) -> &'static str {
        self.surface.format.name
    }

    pub(super) fn has_integers(&self) -> bool {
        let is_integer = |part: Component| matches!(part.numeric, Numeric::Uint | Numeric::Sint);
        self.surface.format.layout.components().any(is_integer)
    }

    /// Bytes of a texel.
    fn bytes(&self) -> usize {
        self.surface.format.block.bytes.into()
    }

    /// The graphics address of a texel of a layer or slice of the view; nothing beyond level and view, and of a null
    /// surface.
    pub(super) fn address(&self, [x, y, layer]: [u32; 3]) -> Result<Option<usize>, Unanswered> {
        // Decisions D-eu-later-typed, D-eu-later-render-target.
        let (width, height, _) = self.surface.size(self.level);
        let start = match self.kind() {
            Type::Null => return Ok(None),
            Type::Buffer if i128::from(x) >= self.surface.entries() => return Ok(None),
            Type::Buffer => self.surface.state.base() + i128::from(x) * self.surface.state.pitch(),
            _ if x >= width || y >= height || layer > self.view_extent() => return Ok(None),
            _ => {
                let slice = self.surface.first_element() + layer;
                let position = self.surface.position(self.level, [x, y, slice].map(i64::from));
                self.surface.address(position.x, position.y, 0)
            }
        };
        // Tiles have sixteen neighbouring bytes at least: those of a texel are neighbours.
        let last = start + self.bytes() as i128 - 1;
        match (memory(start)?, memory(last)?) {
            (Place::Memory(first), Place::Memory(_)) => Ok(Some(first)),
            _ => undefined("a texel that is nowhere"),
        }
    }

    /// Render Target View Extent: the last layer of the view.
    fn view_extent(&self) -> u32 {
        self.surface.state.get(Field::ViewExtent)
    }

    /// The colour of a texel, as samples are converted; what is not there is 0.
    pub(super) fn read(
        &self,
        address: Option<usize>,
        memory: &Memory,
    ) -> Result<Colour, Unanswered> {
        let Some(address) = address else { return Ok([0; 4]) };
        let bytes = &memory.graphics[address..address + self.bytes()];
        let view = View { border_mode: BorderMode::Dx10Ogl, linearise: true, ..View::default() };
        let texel = decode(self.surface.format, bytes, &view).map_err(because)?[0];
        Ok(texel.bits().map(|bits| bits as u32))
    }

    /// The bytes of a texel of a colour: floats are clamped and rounded to nearest even, integers clamped.
    pub(super) fn encoded(&self, colour: Colour) -> Result<Vec<u8>, Unanswered> {
        // Decision D-eu-later-render-target.
        let format = self.surface.format;
        let types = natural_types(format, &Fetch::default()).map_err(because)?;
        let texel = Texel(std::array::from_fn(|channel| Value {
            natural: types[channel],
            bits: colour[channel].into(),
        }));
        let ties = Rounding::NearestEven;
        encode_rounded(format, &[texel], &Fetch::default(), ties).map_err(because)
    }

    /// A colour of which integers have no more bits than the format keeps.
    pub(super) fn with_low_bits(&self, mut colour: Colour) -> Colour {
        // Decision D-eu-later-typed.
        for part in self.surface.format.layout.components() {
            let Some(channel) = channel_of(part.name) else { continue };
            let above = 32_u32.saturating_sub(part.bits.into());
            let value = &mut colour[channel];
            match part.numeric {
                Numeric::Uint => *value = *value << above >> above,
                Numeric::Sint => {
                    *value = ((*value << above).cast_signed() >> above).cast_unsigned();
                }
                _ => {}
            }
        }
        colour
    }

    /// The bits of a texel that a write of some channels leaves as they are.
    fn kept_bits(&self, is_written: [bool; 4]) -> Vec<u8> {
        let mut kept = vec![0; self.bytes()];
        for part in self.surface.format.layout.components() {
            if channel_of(part.name).is_none_or(|channel| is_written[channel]) {
                continue;
            }
            for bit in usize::from(part.offset)..usize::from(part.offset) + usize::from(part.bits) {
                kept[bit / 8] |= 1 << (bit % 8);
            }
        }
        kept
    }

    /// Writes texels one after the other, some channels of each.
    pub(super) fn write(
        &self,
        texels: Vec<(usize, Vec<u8>)>,
        is_written: [bool; 4],
        memory: &mut Memory,
    ) -> Vec<Written> {
        let kept = self.kept_bits(is_written);
        let mut open: Vec<Expectation> = Vec::new();
        for (address, new) in &texels {
            let place = &mut memory.graphics[*address..address + new.len()];
            for ((byte, new), kept) in place.iter_mut().zip(new).zip(&kept) {
                *byte = *byte & kept | new & !kept;
            }
            cover(&mut open, *address, new.len());
            open.extend(self.open_parts(*address, new, is_written));
        }
        let start = offset_of!(Memory, graphics);
        let whole = texels
            .iter()
            .map(|(address, new)| Written::exact(start + address..start + address + new.len()));
        let open = open.into_iter().map(|Expectation { extent, acceptance }| {
            let range = extent.range();
            let range = start + range.start..start + range.end;
            Written { range, open: Some(acceptance), bits: extent.mask }
        });
        whole.chain(open).collect()
    }

    /// What else is accepted in a texel that was written: which NaN a float is, nobody says.
    fn open_parts(
        &self,
        address: usize,
        bytes: &[u8],
        is_written: [bool; 4],
    ) -> impl Iterator<Item = Expectation> {
        let is_open =
            move |part: Component| channel_of(part.name).is_some_and(|channel| is_written[channel]);
        let parts = open_after_write(self.surface.format, bytes, is_open);
        parts.into_iter().map(move |mut part| {
            part.extent.offset += address as u32;
            part
        })
    }
}

/// Forgets what was open in bytes that are written over; of what is written over in part, anything is left.
fn cover(open: &mut Vec<Expectation>, address: usize, bytes: usize) {
    open.retain_mut(|part| {
        let range = part.extent.range();
        if range.end <= address || address + bytes <= range.start {
            return true;
        }
        part.acceptance = Acceptance::Undefined;
        !(address <= range.start && range.end <= address + bytes)
    });
}

/// A format that has no such texels.
fn because(why: SurfaceError) -> Unanswered {
    Unanswered::Undefined(why.to_string())
}

/// A doubleword of a register.
pub(super) fn doubleword(register: &[u8; REGISTER_BYTES], number: usize) -> u32 {
    let bytes = &register[4 * number..][..4];
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// A reply of so many registers of which nothing is written yet.
pub(super) fn empty_reply(registers: usize) -> Reply {
    Reply { registers: vec![Response::default(); registers], ..Reply::default() }
}

/// Puts a doubleword into a reply.
pub(super) fn put(reply: &mut Reply, register: usize, number: usize, bits: u32) {
    let response = &mut reply.registers[register];
    response.bytes[4 * number..][..4].copy_from_slice(&bits.to_le_bytes());
    response.enables |= 1 << number;
}

/// The surfaces of a case.
pub(super) fn environment<'w>(world: &World<'w>) -> Result<&'w Environment, Unanswered> {
    world.environment.ok_or(Unanswered::NoSuchFunction("a surface, without surfaces"))
}
