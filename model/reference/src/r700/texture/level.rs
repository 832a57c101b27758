//! Levels of a texture in its bytes, and their texels.

use parallax_isa::r700::texture::{Kind, Texture};

use super::super::{
    format::Interpretation,
    wavefront::{Executed, refuse},
};

/// The size of a level, in texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Slices, those of arrays and faces of cubes too.
    pub(super) slices: u32,
    /// From one row to the next.
    pub(super) pitch: u32,
}

impl Level {
    pub(super) fn of(texture: &Texture, number: u32) -> Self {
        let halved = |size: u32| (size >> number).max(1);
        let slices = match texture.kind {
            Kind::Volume => halved(texture.depth),
            Kind::Cube => 6 * texture.depth,
            _ => texture.depth,
        };
        Self {
            width: halved(texture.width),
            height: halved(texture.height),
            slices,
            pitch: halved(texture.pitch),
        }
    }

    /// Texels, those between the end of a row and the next one included.
    pub(super) fn texels(self) -> u64 {
        u64::from(self.pitch) * u64::from(self.height) * u64::from(self.slices)
    }
}

/// The place of a texel in the bytes of a texture: `None` outside of it.
fn place(texture: &Texture, [x, y, z]: [i64; 3], level: u32, bytes: usize) -> Option<usize> {
    if level >= texture.levels {
        return None;
    }
    let before: u64 = (0..level).map(|number| Level::of(texture, number).texels()).sum();
    let size = Level::of(texture, level);
    let inside = |coordinate: i64, end: u32| (0..i64::from(end)).contains(&coordinate);
    if !(inside(x, size.width) && inside(y, size.height) && inside(z, size.slices)) {
        return None;
    }
    let row = z as u64 * u64::from(size.height) + y as u64;
    let number = before + row * u64::from(size.pitch) + x as u64;
    Some(number as usize * bytes)
}

/// The bits of a texel: `None` outside of the texture.
pub(super) fn texel(
    texture: &Texture,
    interpretation: Interpretation,
    place_of: [i64; 3],
    level: u32,
) -> Option<u128> {
    let first = place(texture, place_of, level, interpretation.bytes())?;
    let exchange = interpretation.exchange();
    let byte = |n: usize| texture.bytes.get((first + n) ^ exchange).copied();
    Some(interpretation.element(|n| byte(n).unwrap_or(0)))
}

/// How the texels of a texture are to be read.
pub(super) fn interpretation(texture: &Texture) -> Executed<Interpretation> {
    let codes = [
        texture.data_format,
        texture.num_format,
        texture.format_comp,
        texture.srf_mode,
        texture.endian_swap,
    ];
    match Interpretation::of_texels(codes) {
        Some(interpretation) => Ok(interpretation),
        None => refuse(format!("texels of data format {} are not modelled", codes[0])),
    }
}
