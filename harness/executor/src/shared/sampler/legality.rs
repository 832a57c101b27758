//! What does not go together.

use parallax_isa::{
    Device,
    shared::Unanswered,
    surface::{BorderMode, Natural},
};

use super::{
    super::{data_port::Shape, refuse},
    channels,
    message::Order,
    state::{Beyond, Filter, Levels, Sampler},
    surface::Surface,
};

/// Refuses a load that a surface does not take.
pub(super) fn check_load(
    order: &Order,
    surface: &Surface,
    device: Device,
) -> Result<(), Unanswered> {
    let early = matches!(device, Device::Bw | Device::Cl);
    if surface.state.shape == Shape::Cube || surface.name == "MONO8" || early && surface.is_right {
        return refuse("a load of such a surface");
    }
    check_offsets(order, surface)
}

fn check_offsets(order: &Order, surface: &Surface) -> Result<(), Unanswered> {
    let directions = match surface.state.shape {
        Shape::Line => 1,
        Shape::Plane => 2,
        Shape::Volume => 3,
        _ => 0,
    };
    if order.offsets[directions..] != [0; 3][directions..] {
        return refuse("an offset that must be zero");
    }
    Ok(())
}

/// Refuses a sampler, a surface and a message that do not go together.
pub(super) fn check(
    order: &Order,
    surface: &Surface,
    sampler: &Sampler,
    device: Device,
) -> Result<(), Unanswered> {
    check_offsets(order, surface)?;
    let early = matches!(device, Device::Bw | Device::Cl);
    let (name, form) = (surface.name, &order.form);
    let cube = surface.state.shape == Shape::Cube;
    let compares = form.reference.is_some();
    let mono = name == "MONO8";
    let [low, high] = sampler.filters;
    let dx9 = sampler.border_mode == BorderMode::Dx9;
    let kinds = sampler.beyond;
    let point = sampler.filters == [Filter::Point; 2] && sampler.levels != Levels::Two;
    let anisotropic = sampler.filters.contains(&Filter::Anisotropic);
    let clamped_cube = cube && !sampler.override_cube;
    let checks: &[(bool, &str)] = &[
        (surface.state.shape == Shape::Buffer, "a buffer"),
        (matches!(surface.natural, Natural::Uint32 | Natural::Sint32), "integers"),
        (
            mono && (form.lod.is_none() || compares),
            "monochrome texels with another message than sample_l",
        ),
        (
            dx9 && (name.contains("24") || ["YCRCB_SWAPUV", "YCRCB_SWAPY"].contains(&name)),
            "a border colour of DX9",
        ),
        (
            early && !dx9 && ["P4A4_UNORM_PALETTE0", "A4P4_UNORM_PALETTE0"].contains(&name),
            "a border colour of DX10",
        ),
        (
            clamped_cube
                && (kinds[1..] != [kinds[0]; 2]
                    || !matches!(kinds[0], Beyond::Edge | Beyond::NextFace)),
            "address modes of a cube",
        ),
        (clamped_cube && kinds[0] == Beyond::Edge && surface.faces != 0x3F, "missing faces"),
        (!cube && kinds.contains(&Beyond::NextFace), "faces of what is no cube"),
        (surface.state.shape == Shape::Line && kinds[1] == Beyond::Border, "a border of lines"),
        (
            surface.state.field.is_some()
                && (kinds != [Beyond::Edge; 3] || sampler.levels != Levels::One),
            "lines of a field",
        ),
        (mono != sampler.filters.contains(&Filter::Mono), "a monochrome filter"),
        (
            mono && ((low, high) != (Filter::Mono, Filter::Mono)
                || surface.state.shape != Shape::Plane
                || sampler.levels != Levels::One
                || kinds != [Beyond::Border; 3]
                || sampler.low != 0
                || surface.first_level != 0
                || !surface.state.width.is_multiple_of(32)
                || sampler.kernel.contains(&0)),
            "monochrome texels",
        ),
        (!mono && !point && !compares && !surface.is_filterable(), "a filter"),
        (surface.state.shape == Shape::Volume && anisotropic, "an anisotropic volume"),
        (
            early && anisotropic && order.zero_lod && form.lod.is_none(),
            "an anisotropic filter at a level that is forced",
        ),
        (sampler.low > 832 || sampler.high > 832 || sampler.base > 832, "a fourteenth level"),
    ];
    if let Some((_, why)) = checks.iter().find(|(wrong, _)| *wrong) {
        return refuse(why);
    }
    if compares {
        check_comparison(order, surface, dx9, device)?;
    }
    if sampler.keyed.is_some()
        && (!surface.is_keyable() || surface.state.shape == Shape::Volume || anisotropic)
    {
        return refuse("a chroma key");
    }
    Ok(())
}

fn check_comparison(
    order: &Order,
    surface: &Surface,
    dx9: bool,
    device: Device,
) -> Result<(), Unanswered> {
    let form = &order.form;
    let cube = surface.state.shape == Shape::Cube;
    let odd = channels::channels(surface.name)
        != channels::Channels::Own([true, false, false, false])
        && ["24X8", "32_FLOAT"].iter().any(|part| surface.name.contains(part));
    if surface.state.shape == Shape::Volume || surface.state.depth > 1 {
        return refuse("a comparison with an array or a volume");
    }
    if !surface.is_shadowable() || dx9 || cube && odd {
        return refuse("a comparison with such a format");
    }
    if form.lanes == 2 && form.lod.is_none() && !order.zero_lod {
        return refuse("a comparison of two samples at a computed level");
    }
    if device == Device::Cl && surface.is_right {
        return refuse("a comparison with such a layout");
    }
    Ok(())
}
