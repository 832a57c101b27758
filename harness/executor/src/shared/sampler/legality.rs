//! What does not go together.

use parallax_isa::{
    Device,
    shared::Unanswered,
    surface::{BorderMode, Natural},
};

use super::{
    super::{refuse, surface_state::Shape},
    channels,
    message::{Job, Level, Order, Parameter},
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
    if surface.state.shape == Shape::Cube || surface.name == "MONO8" || early && surface.is_right()
    {
        return refuse("a load of such a surface");
    }
    check_offsets(order, surface)
}

/// Refuses a load from Gen7 on that a surface does not take.
pub(super) fn check_load_later(order: &Order, surface: &Surface) -> Result<(), Unanswered> {
    if matches!(surface.state.shape, Shape::Cube | Shape::Structures) || surface.name == "MONO8" {
        return refuse("a load of such a surface");
    }
    if order.offsets != [0; 3] {
        return refuse("an offset of a load");
    }
    Ok(())
}

/// Refuses a sampler, a surface and a message from Gen7 on that do not go together.
pub(super) fn check_later(
    order: &Order,
    surface: &Surface,
    sampler: &Sampler,
    device: Device,
) -> Result<(), Unanswered> {
    let (form, shape, kinds) = (&order.form, surface.state.shape, sampler.beyond);
    let (is_gen7, is_cube) = (device == Device::Ivb, shape == Shape::Cube);
    let (gathers, compares) = (form.job == Job::Gather, form.compares());
    let used = match shape {
        Shape::Line => 1,
        Shape::Plane | Shape::Cube => 2,
        _ => 3,
    };
    let faces = is_cube && !sampler.override_cube;
    let own = |kind: &Beyond| matches!(kind, Beyond::Edge | Beyond::NextFace);
    let point = sampler.filters == [Filter::Point; 2] && sampler.levels != Levels::Two;
    let filters = form.job == Job::Sample && !point;
    let in_texels = sampler.in_texels;
    let clamps = |kind: &Beyond| matches!(kind, Beyond::Edge | Beyond::Border);
    let most = 14 << sampler.fraction;
    let checks: &[(bool, &str)] = &[
        (matches!(shape, Shape::Buffer | Shape::Structures), "a buffer"),
        (faces && kinds[1..] != [kinds[0]; 2], "address modes of a cube that differ"),
        (faces && is_gen7 && !own(&kinds[0]), "address modes of a cube"),
        (
            is_cube && is_gen7 && kinds[0] == Beyond::NextFace && surface.is_integer(),
            "integers on faces of a cube",
        ),
        (!is_cube && kinds.contains(&Beyond::NextFace), "faces of what is no cube"),
        (is_gen7 && shape == Shape::Line && kinds[1] == Beyond::Border, "a border of lines"),
        (is_cube && order.offsets != [0; 3], "an offset on a cube"),
        (is_cube && form.level == Level::Stepped, "steps on a cube"),
        (is_cube && form.has(Parameter::Offu), "offsets on a cube"),
        (
            gathers && (shape == Shape::Volume || shape == Shape::Line && surface.state.is_array),
            "a footprint of such a surface",
        ),
        (gathers && compares && order.gathered != 0, "a comparison of another channel"),
        (
            in_texels
                && (shape != Shape::Plane
                    || sampler.levels != Levels::One
                    || !kinds[..used].iter().all(clamps)),
            "coordinates in texels",
        ),
        (sampler.low > most || sampler.high > most, "a level beyond the fourteenth"),
        (compares && shape == Shape::Volume, "a comparison with a volume"),
        (compares && !surface.is_shadowable(), "a comparison with such a format"),
        (compares && sampler.border_mode == BorderMode::Dx9, "a comparison with a border of bytes"),
        (filters && surface.is_integer(), "a filter of integers"),
        (filters && !compares && !surface.is_filterable(), "a filter"),
        (surface.name == "MONO8" && form.job != Job::Detail, "monochrome texels"),
        (
            is_gen7 && gathers && surface.name == "R32G32_FLOAT" && order.gathered == 1,
            "green of R32G32_FLOAT",
        ),
        (order.is_bindless, "samplers of another base"),
    ];
    match checks.iter().find(|(wrong, _)| *wrong) {
        Some((_, why)) => refuse(why),
        None => Ok(()),
    }
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
    let compares = form.compares();
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
            mono && (form.level != Level::Given || compares),
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
            early && anisotropic && order.zero_lod && form.level != Level::Given,
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
    if form.lanes == 2 && form.level != Level::Given && !order.zero_lod {
        return refuse("a comparison of two samples at a computed level");
    }
    if device == Device::Cl && surface.is_right() {
        return refuse("a comparison with such a layout");
    }
    Ok(())
}
