//! What the manual does not allow together: message, surface and sampler (G45 volume 4, sections 4.7 and
//! 4.8). A message that does so ends the run as undefined.

mod later;

use parallax_isa::{
    Device,
    device::Generation,
    shared::{Sampling, Unanswered},
    surface::{BorderMode, Numeric, Use},
};

use crate::surface::channels;

use super::{
    super::undefined,
    message::{Kind, Message, Mode},
    state::{AddressMode, MapFilter, MipFilter, SamplerState},
    surface::{Surface, Type},
};

/// 13 in 64ths: the greatest level of detail.
const LAST_LOD: i128 = 13 * 64;
/// 13 in halves: the greatest base level.
const LAST_BASE: u32 = 13 * 2;

pub(super) fn check(
    message: &Message,
    surface: &Surface,
    sampler: &SamplerState,
    sampling: &Sampling,
) -> Result<(), Unanswered> {
    if surface.is_later() {
        return later::check(message, surface, sampler);
    }
    message.header.check_offsets(surface.kind())?;
    check_format(message, surface, sampler)?;
    check_address_modes(surface, sampler)?;
    check_filters(message, surface, sampler)?;
    check_comparison(message, surface, sampler)?;
    if sampler.chroma_key(sampling).is_some() {
        check_chroma_key(surface, sampler)?;
    }
    if sampler.min_lod() > LAST_LOD || sampler.max_lod() > LAST_LOD {
        return undefined("a level of detail beyond 13");
    }
    if sampler.base_level() > LAST_BASE {
        return undefined("a base mip level beyond 13");
    }
    Ok(())
}

fn check_format(
    message: &Message,
    surface: &Surface,
    sampler: &SamplerState,
) -> Result<(), Unanswered> {
    let format = surface.format;
    if matches!(surface.kind(), Type::Buffer | Type::Null) {
        return undefined("a buffer that is sampled");
    }
    if surface.has_integers() {
        return undefined("an integer format that is sampled");
    }
    let is_mono = format.name == "MONO8";
    if is_mono && message.form.kind != Kind::SampleL {
        return undefined("MONO8 with another message than sample_l");
    }
    let mode = sampler.border_mode();
    if let Err(why) = channels::sources(format, mode) {
        return undefined(why.to_string());
    }
    if mode == BorderMode::Dx9 {
        let fits = |bits: u8, numeric| bits <= 16 || numeric == Numeric::Float && bits == 32;
        let mut components = format.layout.components().filter(|c| c.numeric != Numeric::Pad);
        if !components.all(|component| fits(component.bits, component.numeric)) {
            return undefined("DX9 border colour mode of channels wider than 16 bits");
        }
        if matches!(format.name, "YCRCB_SWAPUV" | "YCRCB_SWAPY") {
            return undefined("DX9 border colour mode of YCRCB_SWAPUV or YCRCB_SWAPY");
        }
    }
    let is_early = surface.device.generation() == Some(Generation::Gen4);
    let has_index = ["P4A4_UNORM_PALETTE0", "A4P4_UNORM_PALETTE0"].contains(&format.name);
    if is_early && has_index && mode == BorderMode::Dx10Ogl {
        return undefined("DX10/OGL border colour mode of P4A4_UNORM or A4P4_UNORM");
    }
    Ok(())
}

fn check_address_modes(surface: &Surface, sampler: &SamplerState) -> Result<(), Unanswered> {
    let modes = sampler.addresses;
    if surface.kind() == Type::Cube {
        let overrides = sampler.overrides_cubes();
        let alike = modes.iter().all(|mode| *mode == modes[0]);
        let goes_with_cubes = matches!(modes[0], AddressMode::Clamp | AddressMode::Cube);
        if !(overrides || alike && goes_with_cubes) {
            return undefined("a cube with address modes that are not CLAMP or CUBE alike");
        }
        let is_clamped = !overrides && modes[0] == AddressMode::Clamp;
        if is_clamped && !(0..6).all(|face| surface.face_is_enabled(face)) {
            return undefined("CLAMP of a cube with disabled faces");
        }
        return Ok(());
    }
    if modes.contains(&AddressMode::Cube) {
        return undefined("TEXCOORDMODE_CUBE of a surface that is no cube");
    }
    if surface.kind() == Type::One && modes[1] == AddressMode::ClampBorder {
        return undefined("CLAMP_BORDER in the second direction of a 1D surface");
    }
    let is_clamped = modes.iter().all(|mode| *mode == AddressMode::Clamp);
    if surface.is_field() && !(is_clamped && sampler.mip == MipFilter::None) {
        return undefined("lines of a field without CLAMP and MIPFILTER_NONE");
    }
    Ok(())
}

fn check_filters(
    message: &Message,
    surface: &Surface,
    sampler: &SamplerState,
) -> Result<(), Unanswered> {
    let filters = [sampler.mag, sampler.min];
    let is_mono = surface.format.name == "MONO8";
    if is_mono != filters.contains(&MapFilter::Mono) {
        return undefined("MAPFILTER_MONO and MONO8 without each other");
    }
    if is_mono {
        let is_border = sampler.addresses.iter().all(|mode| *mode == AddressMode::ClampBorder);
        let (rows, columns) = sampler.mono_size();
        let is_legal = filters == [MapFilter::Mono; 2]
            && surface.kind() == Type::Two
            && sampler.mip == MipFilter::None
            && is_border
            && sampler.min_lod() == 0
            && surface.first_level() == 0
            && surface.base_size().0.is_multiple_of(32)
            && rows != 0
            && columns != 0;
        return match is_legal {
            true => Ok(()),
            false => undefined("MAPFILTER_MONO with what it does not go with"),
        };
    }
    let is_point = filters == [MapFilter::Nearest; 2] && sampler.mip != MipFilter::Linear;
    let filters_well = surface.format.allows(surface.device, Use::Filtering);
    if !is_point && !filters_well && !message.form.compares() {
        return undefined("a filter of a format that is not filtered");
    }
    if !filters.contains(&MapFilter::Anisotropic) {
        return Ok(());
    }
    if surface.kind() == Type::Three {
        return undefined("an anisotropic filter of a volume");
    }
    let has_lod = matches!(message.form.kind, Kind::SampleL | Kind::SampleLC);
    if !surface.is_ctg() && message.header.forces_lod_to_zero && !has_lod {
        return undefined("an anisotropic filter with Force LOD to Zero on [DevBW] or [DevCL]");
    }
    Ok(())
}

fn check_comparison(
    message: &Message,
    surface: &Surface,
    sampler: &SamplerState,
) -> Result<(), Unanswered> {
    let form = message.form;
    if !form.compares() {
        return Ok(());
    }
    let format = surface.format;
    if !matches!(surface.kind(), Type::One | Type::Two | Type::Cube) || surface.base_size().2 > 1 {
        return undefined("a comparison with a volume or an array");
    }
    if !format.allows(surface.device, Use::Shadow) {
        return undefined("a comparison with a format that is not for shadow mapping");
    }
    if sampler.border_mode() == BorderMode::Dx9 {
        return undefined("a comparison in DX9 border colour mode");
    }
    if form.mode == Mode::Simd4x2
        && form.kind == Kind::SampleC
        && !message.header.forces_lod_to_zero
    {
        return undefined("a sample_c of SIMD4x2 without Force LOD to Zero");
    }
    if surface.kind() == Type::Cube && OPEN_ON_CUBES.contains(&format.name) {
        return undefined("a comparison with a cube of such a format");
    }
    if surface.device == Device::Cl && surface.is_right() {
        return undefined("a comparison with a surface of MIPLAYOUT_RIGHT");
    }
    Ok(())
}

const OPEN_ON_CUBES: [&str; 6] =
    ["I24X8_UNORM", "L24X8_UNORM", "A24X8_UNORM", "I32_FLOAT", "L32_FLOAT", "A32_FLOAT"];

fn check_chroma_key(surface: &Surface, sampler: &SamplerState) -> Result<(), Unanswered> {
    if !surface.format.allows(surface.device, Use::ChromaKey) {
        return undefined("a chroma key for a format that has none");
    }
    if surface.kind() == Type::Three {
        return undefined("a chroma key for a volume");
    }
    if [sampler.mag, sampler.min].contains(&MapFilter::Anisotropic) {
        return undefined("a chroma key with an anisotropic filter");
    }
    Ok(())
}
