//! `LD`: a texel, not filtered (section 9.4; decision D-r700-texture).

use parallax_isa::r700::{
    microcode::TextureFetch,
    texture::{Kind, Texture},
};

use super::{
    super::{
        format::Interpretation,
        wavefront::{Executed, refuse},
    },
    level::texel,
    resource::offsets,
};

/// Refuses what the manual does not define.
pub(super) fn check(texture: &Texture, word: TextureFetch) -> Executed {
    if word.bc_frac_mode() == 1 {
        return refuse("LD with BC_FRAC_MODE, which is about what is filtered");
    }
    if texture.kind == Kind::Cube {
        return refuse("LD reads no cube maps");
    }
    if texture.samples > 1 {
        return refuse("the manual does not say which of several samples LD reads");
    }
    if offsets(word).iter().any(|halves| halves % 2 != 0) {
        return refuse("an LD with an offset of half a texel");
    }
    Ok(())
}

/// The bits of the texel: `None` outside of the texture.
pub(super) fn load(
    texture: &Texture,
    fields: Interpretation,
    word: TextureFetch,
    source: [u32; 4],
) -> Option<u128> {
    let [x, y, z] = offsets(word).map(|halves| halves / 2);
    let [across, down, deep] = [source[0], source[1], source[2]].map(i64::from);
    let (down, deep) = match texture.kind {
        Kind::Buffer | Kind::Line => (0, 0),
        Kind::LineArray => (0, deep + z),
        Kind::Plane => (down + y, 0),
        Kind::PlaneArray | Kind::Volume | Kind::Cube => (down + y, deep + z),
    };
    let level = if texture.kind == Kind::Buffer { 0 } else { source[3] };
    texel(texture, fields, [across + x, down, deep], level)
}
