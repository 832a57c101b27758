//! The same from Gen7 on (rules `gen7.tex.*`, `gen9.tex.*`, `gen12.tex.*`; decision D-eu-later-sampler).

use parallax_isa::{
    device::Generation,
    shared::Unanswered,
    surface::{BorderMode, Numeric, Use},
};

use super::super::{
    super::undefined,
    message::{Kind, Message, Mode, Parameter},
    state::{AddressMode, MapFilter, MipFilter, SamplerState},
    surface::{Surface, Type},
};

/// 14 in 256ths: the greatest level of detail.
const LAST_LOD: i128 = 14 * 256;

pub(super) fn check(
    message: &Message,
    surface: &Surface,
    sampler: &SamplerState,
) -> Result<(), Unanswered> {
    if matches!(surface.kind(), Type::Buffer | Type::Null) {
        return undefined("a buffer that is sampled");
    }
    if message.header.is_bindless {
        return undefined("bindless sampler states");
    }
    if let Some(what) = sampler.unmodelled() {
        return undefined(what);
    }
    check_message(message, surface)?;
    check_filters(message, surface, sampler)?;
    check_address_modes(surface, sampler)?;
    check_levels(surface, sampler)?;
    if sampler.border_mode() == BorderMode::Dx9 && !has_bytes(surface) {
        return undefined("DX9 border colour mode of such a format");
    }
    if message.form.compares() {
        check_comparison(surface, sampler)?;
    }
    Ok(())
}

/// What a message says that surfaces of a type do not take.
fn check_message(message: &Message, surface: &Surface) -> Result<(), Unanswered> {
    let (form, header) = (message.form, &message.header);
    header.check_offsets(surface.kind())?;
    if form.kind == Kind::SampleG && form.mode == Mode::Simd16 && surface.kind() != Type::One {
        return undefined("sample_d of SIMD16 with more than one direction");
    }
    if form.kind != Kind::Gather4 {
        return Ok(());
    }
    match surface.kind() {
        Type::Three => return undefined("gather4 of a volume"),
        Type::One if surface.is_array() => return undefined("gather4 of an array of lines"),
        Type::Cube if form.has(Parameter::OffU) => return undefined("gather4_po of a cube"),
        _ => {}
    }
    if form.has(Parameter::OffU) && header.has_offsets() {
        return undefined("gather4_po with offsets of its header");
    }
    if form.compares() && header.gathered != 0 {
        return undefined("gather4_c of another channel than red");
    }
    let is_ivb = surface.generation() == Generation::Gen7;
    if is_ivb && surface.format.name == "R32G32_FLOAT" && header.gathered == 1 {
        return undefined("gather4 of green of R32G32_FLOAT");
    }
    Ok(())
}

fn check_filters(
    message: &Message,
    surface: &Surface,
    sampler: &SamplerState,
) -> Result<(), Unanswered> {
    let filters = [sampler.mag, sampler.min];
    if filters.iter().any(|filter| matches!(filter, MapFilter::Anisotropic | MapFilter::Mono)) {
        return undefined("an anisotropic or monochrome filter");
    }
    let is_point = filters == [MapFilter::Nearest; 2] && sampler.mip != MipFilter::Linear;
    if surface.has_integers() && !is_point {
        return undefined("a filter of integers");
    }
    let filters_well = surface.format.allows(surface.device, Use::Filtering);
    let is_filtered = !message.form.compares() && message.form.kind != Kind::Gather4;
    if !is_point && !filters_well && is_filtered {
        return undefined("a filter of a format that is not filtered");
    }
    Ok(())
}

fn check_address_modes(surface: &Surface, sampler: &SamplerState) -> Result<(), Unanswered> {
    let modes = sampler.addresses;
    let is_ivb = surface.generation() == Generation::Gen7;
    if sampler.counts_texels() {
        check_texel_coordinates(surface, sampler)?;
    }
    if surface.kind() == Type::Cube {
        return check_cube_modes(surface, sampler);
    }
    if modes.contains(&AddressMode::Cube) {
        return undefined("TEXCOORDMODE_CUBE of a surface that is no cube");
    }
    if is_ivb && surface.kind() == Type::One && modes[1] == AddressMode::ClampBorder {
        return undefined("CLAMP_BORDER in the second direction of a 1D surface");
    }
    let is_clamped = modes.iter().all(|mode| *mode == AddressMode::Clamp);
    if surface.is_field() && !(is_clamped && sampler.mip == MipFilter::None) {
        return undefined("lines of a field without CLAMP and MIPFILTER_NONE");
    }
    Ok(())
}

fn check_cube_modes(surface: &Surface, sampler: &SamplerState) -> Result<(), Unanswered> {
    let modes = sampler.addresses;
    let is_ivb = surface.generation() == Generation::Gen7;
    if is_ivb && sampler.overrides_cubes() {
        return undefined("Cube Surface Control Mode of Gen7");
    }
    let alike = modes.iter().all(|mode| *mode == modes[0]);
    let goes_with_cubes = !is_ivb || matches!(modes[0], AddressMode::Clamp | AddressMode::Cube);
    if !(sampler.overrides_cubes() || alike && goes_with_cubes) {
        return undefined("a cube with address modes that are not alike, or not for cubes");
    }
    let is_seamless = sampler.overrides_cubes() || modes[0] == AddressMode::Cube;
    if is_ivb && is_seamless && surface.has_integers() {
        return undefined("TEXCOORDMODE_CUBE with integers");
    }
    if !is_seamless && !(0..6).all(|face| surface.face_is_enabled(face)) {
        return undefined("single faces of a cube with disabled ones");
    }
    Ok(())
}

/// Non-normalised coordinates go with a single level of a 2D surface.
fn check_texel_coordinates(surface: &Surface, sampler: &SamplerState) -> Result<(), Unanswered> {
    let goes_with_texels =
        |mode: &AddressMode| matches!(mode, AddressMode::Clamp | AddressMode::ClampBorder);
    let is_legal = surface.kind() == Type::Two
        && !surface.is_array()
        && surface.levels() == 1
        && sampler.mip == MipFilter::None
        && sampler.addresses[..2].iter().all(goes_with_texels);
    if !is_legal {
        return undefined("coordinates in texels with what they do not go with");
    }
    Ok(())
}

fn check_levels(surface: &Surface, sampler: &SamplerState) -> Result<(), Unanswered> {
    if sampler.min_lod() > LAST_LOD || sampler.max_lod() > LAST_LOD {
        return undefined("a level of detail beyond 14");
    }
    let last = surface.first_level() + surface.levels() - 1;
    if surface.least_lod() > last << 8 {
        return undefined("Resource Min LOD beyond the last level");
    }
    Ok(())
}

fn check_comparison(surface: &Surface, sampler: &SamplerState) -> Result<(), Unanswered> {
    if surface.kind() == Type::Three {
        return undefined("a comparison with a volume");
    }
    if !surface.format.allows(surface.device, Use::Shadow) {
        return undefined("a comparison with a format that is not for shadow mapping");
    }
    if sampler.border_mode() == BorderMode::Dx9 {
        return undefined("a comparison in DX9 border colour mode");
    }
    if sampler.reduction.is_some() {
        return undefined("the least or greatest of comparisons");
    }
    Ok(())
}

/// Whether a format has border colours of DX9: channels of UNORM of up to eight bits, on Gen7 alone.
fn has_bytes(surface: &Surface) -> bool {
    let mut components =
        surface.format.layout.components().filter(|c| c.numeric != Numeric::Pad).peekable();
    surface.generation() < Generation::Gen8
        && components.peek().is_some()
        && components.all(|component| component.numeric == Numeric::Unorm && component.bits <= 8)
}
