//! What surfaces are: `resinfo` and `sampleinfo` (G45 volume 4, section 4.8.1; table `eu-sampler-info`).

use parallax_isa::{Acceptance, Device, device::Generation, shared::Unanswered};

use super::{
    super::{surface_state::Field, undefined},
    message::{Entity, Kind, Message, Parameter},
    reply::Colour,
    surface::{Surface, Type},
};

const OPEN: Option<Acceptance> = Some(Acceptance::Undefined);

/// What comes back from a null surface or through a disabled sampler: zeros.
pub(super) fn nothing(message: &Message, device: Device) -> Colour {
    let open = match message.form.kind {
        Kind::Resinfo if device.generation() == Some(Generation::Gen9) => [None, None, None, OPEN],
        // Whether there is a sample, nobody says.
        Kind::Sampleinfo => [OPEN; 4],
        Kind::Lod => [None, None, OPEN, OPEN],
        _ if message.form.compares() && device.generation() >= Some(Generation::Gen7) => {
            // Beyond red nobody says what comes back; gather4_c has four results.
            let rest = if message.form.kind == Kind::Gather4 { None } else { OPEN };
            [None, rest, rest, rest]
        }
        _ => [None; 4],
    };
    Colour { open, ..Colour::ZERO }
}

/// `resinfo`: the size of a level, and how many levels there are.
pub(super) fn resinfo(surface: &Surface, entity: &Entity) -> Result<Colour, Unanswered> {
    let lod = entity.bits(Parameter::Lod);
    if surface.is_later() {
        return Ok(later_resinfo(surface, lod));
    }
    let level = u64::from(lod) + u64::from(surface.first_level());
    let shifted = |size: u32| if level < 32 { size >> level } else { 0 };
    let (width, height, depth) = surface.base_size();
    let elements = if depth == 1 { 0 } else { depth };
    let colours = match surface.kind() {
        Type::One => [shifted(width), elements, 0],
        Type::Two => [shifted(width), shifted(height), elements],
        Type::Three => [shifted(width), shifted(height), shifted(depth)],
        Type::Cube => [shifted(width), shifted(height), 0],
        Type::Buffer | Type::Null => return undefined("resinfo of a buffer"),
    };
    let [red, green, blue] = colours;
    Ok(Colour::of([red, green, blue, surface.levels()]))
}

/// The same from Gen7 on: sizes are at least 1, a level that is not there has none.
fn later_resinfo(surface: &Surface, lod: u32) -> Colour {
    let is_outside = lod >= surface.levels();
    if surface.kind() == Type::Buffer {
        // Which levels a buffer has, nobody says.
        let red = if is_outside { OPEN } else { None };
        let colour = Colour::of([surface.entries() as u32, 0, 0, 0]);
        return Colour { open: [red, OPEN, OPEN, OPEN], ..colour };
    }
    if is_outside {
        return Colour::of([0, 0, 0, surface.levels()]);
    }
    let (width, height, depth) = surface.size(lod + surface.first_level());
    let elements = if surface.is_array() { depth } else { 0 };
    let [red, green, blue] = match surface.kind() {
        Type::One => [width, elements, 0],
        Type::Two | Type::Cube => [width, height, elements],
        _ => [width, height, depth],
    };
    Colour::of([red, green, blue, surface.levels()])
}

/// `sampleinfo`: how many samples there are, and which positions they have.
pub(super) fn sampleinfo(surface: &Surface) -> Colour {
    let positions = match surface.kind() {
        Type::Two => surface.state.get(Field::SamplePositions),
        _ => 0,
    };
    Colour { open: [None, OPEN, OPEN, None], ..Colour::of([1, 0, 0, positions]) }
}
