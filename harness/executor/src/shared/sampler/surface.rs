//! Surfaces that are sampled, and what they must not be.

use parallax_isa::{
    Device,
    shared::Unanswered,
    surface::{self, BorderMode, Natural, Use},
};

use super::{
    super::{
        refuse,
        surface_state::{Columns, Shape, SurfaceState, Walk},
    },
    channels,
};
use crate::surface::{
    Decoder, View,
    blocks::{Family, sampled},
    format_name,
};

/// How blocks become texels.
#[derive(Debug)]
pub(super) enum Reader {
    Plain(Box<Decoder>),
    Blocks(Family),
}

/// How slices and levels are arranged, in texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// The levels of a slice beside and below each other, slices so many rows apart.
    Trees { distance: i64, is_right: bool },
    /// Levels below each other, ever more slices of one abreast.
    Abreast,
    /// The levels of a slice one behind the other, slices so many texels apart.
    Rows { distance: i64 },
}

/// What a channel that comes back is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Select {
    Zero,
    One,
    Channel(usize),
}

/// A surface.
#[derive(Debug)]
pub(in super::super) struct Surface {
    pub(in super::super) state: SurfaceState,
    pub(super) device: Device,
    pub(in super::super) name: &'static str,
    pub(super) natural: Natural,
    pub(super) reader: Option<Reader>,
    /// Texels and bytes of a block.
    pub(in super::super) block: [i64; 3],
    /// Columns and rows of texels that levels are aligned to.
    pub(super) alignment: [i64; 2],
    pub(super) arrangement: Arrangement,
    /// How many there are from the first one on.
    pub(super) levels: u32,
    pub(super) first_level: u32,
    /// The least level of detail, and what the one below which maps are magnified is raised by, in 256ths
    /// (Gen7 and later).
    pub(super) least_level: i64,
    pub(super) base_level: i64,
    /// What channels that come back are taken from, if not each from itself.
    pub(super) selects: Option<[Select; 4]>,
    pub(super) palette_index: u32,
    /// Bit n: face n is there.
    pub(super) faces: u32,
    pub(super) is_narrow: bool,
    /// Codes of sRGB formats become linear after they were filtered, not before.
    pub(super) linearises_late: bool,
    /// Why its texels cannot be read.
    unreadable: Option<Unanswered>,
    filterable: bool,
    shadowable: bool,
    keyable: bool,
    view: SurfaceView,
}

/// What a sampler says about how texels are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SurfaceView {
    pub(super) border_mode: BorderMode,
    pub(super) keeps_codes: bool,
}

impl SurfaceView {
    /// Without a sampler.
    pub(super) const PLAIN: Self = Self { border_mode: BorderMode::Dx10Ogl, keeps_codes: false };
}

impl Surface {
    pub(super) fn new(
        dwords: &[u32],
        device: Device,
        view: SurfaceView,
        palettes: &[Vec<u32>; 2],
    ) -> Result<Self, Unanswered> {
        let mut surface = Self::without_texels(dwords, device, view)?;
        if surface.state.shape == Shape::Void {
            return Ok(surface);
        }
        if Device::LATER.contains(&device) {
            // Sizes can be asked for without a texel.
            let readable = surface.read_as(Use::Sampling, palettes);
            let readable = readable.and_then(|()| surface.arrange(dwords));
            match readable.and_then(|()| selects(dwords, Columns::of(device))) {
                Ok(selects) => surface.selects = selects,
                Err(why) => surface.unreadable = Some(why),
            }
        } else {
            surface.read_as(Use::Sampling, palettes)?;
            surface.arrange_early(dwords[0] >> 10 & 1 == 1);
            surface.check()?;
        }
        Ok(surface)
    }

    /// A surface that messages other than those of samplers reach from Gen7 on, for a use of its format. It has
    /// one level, whatever the first one of samplers is.
    pub(in super::super) fn of_target(
        dwords: &[u32],
        device: Device,
        purpose: Use,
    ) -> Result<Self, Unanswered> {
        let mut surface = Self::without_texels(dwords, device, SurfaceView::PLAIN)?;
        if surface.state.shape == Shape::Void {
            return Ok(surface);
        }
        surface.state.first_level = 0;
        surface.read_as(purpose, &[const { Vec::new() }; 2])?;
        surface.arrange(dwords)?;
        Ok(surface)
    }

    /// What a state says, but for how texels are read and where they are.
    fn without_texels(
        dwords: &[u32],
        device: Device,
        view: SurfaceView,
    ) -> Result<Self, Unanswered> {
        let state = SurfaceState::of(dwords, device);
        let columns = Columns::of(device);
        let (d0, is_void) = (dwords[0], state.shape == Shape::Void);
        let is_later = Device::LATER.contains(&device);
        if state.shape == Shape::Unsupported {
            return refuse("a reserved surface type");
        }
        if let Some(why) = state.unmodelled.filter(|_| !is_void) {
            return refuse(why);
        }
        // In the state +Z is lowest and -X highest.
        let enables = columns.faces.read(dwords);
        let bits = [4, 5, 2, 3, 0, 1].iter().enumerate();
        let faces = bits.fold(0, |faces, (face, bit)| faces | (enables >> bit & 1) << face);
        Ok(Self {
            state,
            device,
            name: "",
            natural: Natural::Float32,
            reader: None,
            block: [1, 1, 1],
            alignment: [4, 2],
            arrangement: Arrangement::Abreast,
            levels: state.level + 1,
            first_level: state.first_level,
            least_level: columns.least_level.read(dwords).into(),
            base_level: i64::from(columns.base_level.read(dwords)) << 7,
            selects: None,
            palette_index: columns.palette_index.read(dwords),
            faces,
            is_narrow: !is_later && !is_void && d0 >> 27 & 1 == 1,
            linearises_late: false,
            unreadable: None,
            filterable: false,
            shadowable: false,
            keyable: false,
            view,
        })
    }

    /// Finds out how texels of a format are read.
    fn read_as(&mut self, purpose: Use, palettes: &[Vec<u32>; 2]) -> Result<(), Unanswered> {
        let (code, is_later) = (self.state.format, Device::LATER.contains(&self.device));
        // From Gen7 on the layouts are those of the last list.
        let lister = if is_later { Device::Dg1 } else { self.device };
        let name = format_name(lister, code as u16);
        let format = surface::message_format(self.device, code).ok();
        let is_known = |format: &&surface::Format| !is_later || format.is_defined();
        let (Some(name), Some(format)) = (name, format.filter(is_known)) else {
            return refuse("a code that no format has");
        };
        let allows = |purpose| format.allows(self.device, purpose);
        if !allows(purpose) {
            return refuse("a format that does not serve the message");
        }
        self.name = name;
        self.filterable = allows(Use::Filtering);
        self.shadowable = allows(Use::Shadow);
        self.keyable = allows(Use::ChromaKey);
        let palettes = palettes.each_ref().map(Vec::as_slice);
        let view = View { palettes, ..self.decoded_as() };
        self.linearises_late = !is_later && name.ends_with("_SRGB");
        if let Some(family) = sampled::family(name, &view) {
            self.block = [family.width() as i64, 4, family.bytes() as i64];
            self.reader = Some(Reader::Blocks(family));
            return Ok(());
        }
        let decoder = Decoder::new(lister, name, &view)
            .map_err(|why| Unanswered::Undefined(why.0.to_owned()))?;
        if decoder.is_wide() {
            return refuse("a format of 64 bits");
        }
        self.block = [decoder.texels() as i64, 1, decoder.bytes() as i64];
        self.natural = decoder.types()[0];
        self.reader = Some(Reader::Plain(Box::new(decoder)));
        Ok(())
    }

    /// Refuses what surfaces must not be.
    fn check(&self) -> Result<(), Unanswered> {
        let state = &self.state;
        if state.shape == Shape::Buffer {
            return match state.walk {
                Walk::Linear => Ok(()),
                _ => refuse("a tiled buffer"),
            };
        }
        let [columns, rows, bytes] = self.block;
        let (base, pitch) = match state.walk {
            Walk::Linear => (0, 0),
            Walk::X => (4095, 511),
            Walk::Y => (4095, 127),
        };
        if state.base & base != 0 || state.pitch & pitch != 0 {
            return refuse("tiles that are not aligned");
        }
        let blocks = u64::from(state.width).div_ceil(columns as u64);
        if blocks * bytes as u64 > state.pitch {
            return refuse("a row that is longer than the pitch");
        }
        let is_even = [1, 2, 4, 8, 16].contains(&bytes) && columns == 1 && rows == 1;
        let (right, down) = state.origin;
        let (tile_bytes, tile_rows) = match state.walk {
            Walk::Linear => (u64::MAX, u64::MAX),
            Walk::X => (512, 8),
            Walk::Y => (128, 32),
        };
        let edge = right * bytes as u64;
        let is_beyond = edge >= tile_bytes || down >= tile_rows;
        let is_moved = (right, down) != (0, 0);
        if is_moved && (!is_even || is_beyond || edge + blocks * bytes as u64 > state.pitch) {
            return refuse("an origin of such texels");
        }
        let (side, deepest) = match state.shape {
            Shape::Volume => (2048, 2048),
            Shape::Cube => (8192, 1),
            _ => (8192, 512),
        };
        if state.width.max(state.height) > side || state.depth > deepest {
            return refuse("a size beyond the greatest one");
        }
        let plain = state.shape == Shape::Plane && state.depth == 1;
        let wrong = match state.shape {
            Shape::Line => state.height != 1,
            Shape::Cube => state.height != state.width,
            _ => false,
        };
        if wrong {
            return refuse("sides that do not go together");
        }
        if self.levels > 14 || self.first_level > 13 {
            return refuse("levels beyond the last one");
        }
        if state.first_element != 0 && !matches!(state.shape, Shape::Line | Shape::Plane) {
            return refuse("a first element of what has none");
        }
        if state.field.is_some() && (!plain || self.is_packed()) || self.is_right() && !plain {
            return refuse("a layout that only plain planes have");
        }
        Ok(())
    }

    /// Whether the second level stands right of the first.
    pub(super) fn is_right(&self) -> bool {
        matches!(self.arrangement, Arrangement::Trees { is_right: true, .. })
    }

    /// Whether several rows are in a block.
    pub(super) fn is_packed(&self) -> bool {
        self.block[1] > 1
    }

    /// Whether its texels are integers.
    pub(super) fn is_integer(&self) -> bool {
        matches!(self.natural, Natural::Uint32 | Natural::Sint32)
    }

    /// The channels of a texel as they come back.
    pub(super) fn selected(&self, texel: [u32; 4]) -> [u32; 4] {
        let Some(selects) = self.selects else { return texel };
        selects.map(|select| match select {
            Select::Zero => 0,
            Select::One => channels::one(self.natural),
            Select::Channel(channel) => texel[channel],
        })
    }

    pub(super) fn is_filterable(&self) -> bool {
        self.filterable
    }

    pub(super) fn is_shadowable(&self) -> bool {
        self.shadowable
    }

    pub(super) fn is_keyable(&self) -> bool {
        self.keyable
    }

    /// `resinfo`.
    pub(super) fn resinfo(&self, lod: u32) -> Result<[u32; 4], Unanswered> {
        let by = u64::from(lod) + u64::from(self.first_level);
        let at = |size: u32| if by > 31 { 0 } else { size >> by };
        let elements = if self.state.depth > 1 { self.state.depth } else { 0 };
        let [width, height] = [at(self.state.width), at(self.state.height)];
        Ok(match self.state.shape {
            Shape::Line => [width, elements, 0, self.levels],
            Shape::Plane => [width, height, elements, self.levels],
            Shape::Volume => [width, height, at(self.state.depth), self.levels],
            Shape::Cube => [width, height, 0, self.levels],
            Shape::Buffer | Shape::Structures | Shape::Void | Shape::Unsupported => {
                return refuse("the size of a buffer");
            }
        })
    }

    /// `resinfo` from Gen7 on: elements only of arrays, no side below 1, nothing of levels that are not there.
    pub(super) fn resinfo_later(&self, lod: u32) -> [u32; 4] {
        let state = &self.state;
        if matches!(state.shape, Shape::Buffer | Shape::Structures) {
            return [state.entries as u32, 0, 0, 0];
        }
        if lod > state.level {
            return [0, 0, 0, self.levels];
        }
        let at = |size: u32| (size >> (lod + self.first_level)).max(1);
        let elements = if state.is_array { state.depth } else { 0 };
        let [width, height] = [at(state.width), at(state.height)];
        match state.shape {
            Shape::Line => [width, elements, 0, self.levels],
            Shape::Volume => [width, height, at(state.depth), self.levels],
            _ => [width, height, elements, self.levels],
        }
    }

    /// Refuses a surface without texels that can be read.
    pub(super) fn check_readable(&self) -> Result<(), Unanswered> {
        self.unreadable.clone().map_or(Ok(()), Err)
    }

    /// What decoders need to know.
    pub(super) fn decoded_as(&self) -> View<'static> {
        let is_later = Device::LATER.contains(&self.device);
        let linearise = is_later && !self.view.keeps_codes;
        let border_mode = if is_later { BorderMode::Dx10Ogl } else { self.view.border_mode };
        View { border_mode, linearise, ..View::default() }
    }
}

/// What channels are taken from, if not each from itself.
fn selects(dwords: &[u32], columns: &Columns) -> Result<Option<[Select; 4]>, Unanswered> {
    let Some(fields) = columns.selects else { return Ok(None) };
    let codes = fields.map(|field| field.read(dwords));
    if codes.iter().any(|code| [2, 3].contains(code)) {
        return refuse("a reserved channel select");
    }
    let selects = codes.map(|code| match code {
        0 => Select::Zero,
        1 => Select::One,
        channel => Select::Channel(channel as usize - 4),
    });
    Ok((codes != [4, 5, 6, 7]).then_some(selects))
}
