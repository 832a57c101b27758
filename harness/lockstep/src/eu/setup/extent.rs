//! Where a surface of a case lies in graphics memory.

use std::ops::Range;

use parallax_isa::{
    Device,
    eu::Case,
    shared::{environment::SURFACE_STATE_DWORDS, memory::GRAPHICS_BYTES},
};

use super::super::hardware_state::{HardwareState, Tiling};

/// The types of surfaces, by their code in SURFACE_STATE (bits 31:29 of dword 0).
const TYPES: [&str; 8] = ["1D", "2D", "3D", "cube", "buffer", "reserved", "reserved", "null"];

/// The bytes of graphics memory that a surface has by its pitch and height, or by its entries: of a texture
/// the first level. Tiles are whole.
///
/// # Errors
/// If the binding table has no such surface, or it does not lie in one piece of graphics memory: a sentence.
pub fn surface_bytes(case: &Case, index: usize) -> Result<Range<usize>, String> {
    let environment = case.surroundings.shared_functions.environment();
    let environment = environment.ok_or("the case has no surfaces; a setup file gives it some")?;
    if index > 255 {
        return Err(format!("there is no surface {index}; a binding table has 256 at most"));
    }
    let states = &environment.surface_states;
    let dwords_at = |byte: usize| states.get(byte / 4..);
    let missing = || format!("there is no surface {index}");
    let table = dwords_at(environment.binding_table as usize).unwrap_or_default();
    let entries = table.get(..=index).ok_or_else(missing)?;
    // The table ends where the first surface state begins.
    let end = entries.iter().map(|entry| *entry as usize & !31).min().unwrap_or_default();
    if environment.binding_table as usize + 4 * index >= end {
        return Err(missing());
    }
    let entry = entries[index];
    let state = dwords_at(entry as usize & !31).ok_or_else(missing)?;
    let is_later = Device::LATER.contains(&case.device);
    let shape = if is_later { Shape::later(case.device, state) } else { Shape::early(state) };
    let Shape { kind, base, width, height, depth, pitch, tiling } = shape.ok_or_else(missing)?;
    let rows = match (kind, tiling) {
        (0, _) => 1,
        (1, Tiling::X) => (height + 1).next_multiple_of(8),
        (1, Tiling::Y) => (height + 1).next_multiple_of(32),
        (1, Tiling::Linear) => height + 1,
        (4, _) if is_later => (width & 0x7F | height << 7 | depth << 21) + 1,
        (4, _) => (width & 0x7F | height << 7 | depth << 20) + 1,
        (other, _) => {
            let name = TYPES[other as usize];
            return Err(format!("surface {index} is of type {name}, which is not one piece"));
        }
    };
    let start = base as usize;
    let end = (pitch + 1).checked_mul(rows).and_then(|bytes| bytes.checked_add(start));
    match end {
        Some(end) if start < GRAPHICS_BYTES => Ok(start..end.min(GRAPHICS_BYTES)),
        _ => Err(format!(
            "surface {index} begins at byte {start}, beyond the {GRAPHICS_BYTES} of graphics memory"
        )),
    }
}

/// What a surface state says of the size of a surface; sizes are one less.
struct Shape {
    kind: u32,
    base: u32,
    width: usize,
    height: usize,
    depth: usize,
    pitch: usize,
    tiling: Tiling,
}

impl Shape {
    /// Of Gen4 and Gen4.5.
    fn early(dwords: &[u32]) -> Option<Self> {
        let &[first, base, sizes, layout, ..]: &[u32; SURFACE_STATE_DWORDS] =
            dwords.first_chunk()?;
        let [width, height] = [sizes >> 6 & 0x1FFF, sizes >> 19].map(|field| field as usize);
        let [pitch, depth] = [layout >> 3 & 0x1_FFFF, layout >> 21].map(|field| field as usize);
        let tiling = [Tiling::Linear, Tiling::Linear, Tiling::X, Tiling::Y][layout as usize & 3];
        Some(Self { kind: first >> 29, base, width, height, depth, pitch, tiling })
    }

    /// Of Gen7 and later.
    fn later(device: Device, dwords: &[u32]) -> Option<Self> {
        let state = HardwareState::read_surface(device.generation()?, dwords)?;
        let size = |field: &str| state.get(field) as usize;
        let tiling =
            match (state.get("Tiled Surface"), state.get("Tile Walk"), state.get("Tile Mode")) {
                (1, 0, _) | (_, _, 2) => Tiling::X,
                (1, _, _) | (_, _, 3) => Tiling::Y,
                _ => Tiling::Linear,
            };
        Some(Self {
            kind: state.get("Surface Type"),
            base: state.get("Surface Base Address"),
            width: size("Width"),
            height: size("Height"),
            depth: size("Depth"),
            pitch: size("Surface Pitch"),
            tiling,
        })
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::eu::State;
    use rstest::rstest;

    use super::*;
    use crate::eu::setup::apply;

    #[rstest]
    #[case::buffer(r#"{"type": "buffer", "base": 256, "entries": 300, "pitch": 4}"#, Ok(256..1456))]
    #[case::plane(
        r#"{"type": "plane", "base": 64, "width": 4, "height": 3, "pitch": 32, "format": "R32_UINT"}"#,
        Ok(64..160)
    )]
    #[case::whole_tiles(
        r#"{"type": "plane", "base": 4096, "width": 4, "height": 9, "pitch": 512, "format": "R32_UINT", "tiling": "x"}"#,
        Ok(4096..12288)
    )]
    #[case::up_to_the_end_of_memory(
        r#"{"type": "buffer", "base": 16368, "entries": 9}"#,
        Ok(16368..16384)
    )]
    #[case::beyond_memory(
        r#"{"type": "buffer", "base": 16384, "entries": 9}"#,
        Err("surface 0 begins at byte 16384, beyond the 16384 of graphics memory")
    )]
    #[case::nothing(
        r#"{"type": "null"}"#,
        Err("surface 0 is of type null, which is not one piece")
    )]
    fn surfaces_have_bytes(#[case] surface: &str, #[case] bytes: Result<Range<usize>, &str>) {
        let mut case = Case::new(Device::G45, Vec::new(), Box::new(State::new()), 1);
        let json = format!(r#"{{"surfaces": [{surface}]}}"#);
        apply(&mut case, json.as_bytes()).expect("a setup file");
        assert_eq!(surface_bytes(&case, 0), bytes.map_err(str::to_owned));
    }

    #[rstest]
    fn later_surfaces_have_bytes_too(
        #[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
    ) {
        let surfaces = [
            r#"{"type": "buffer", "base": 256, "entries": 300, "pitch": 4}"#,
            r#"{"type": "target", "base": 4096, "width": 4, "height": 9, "pitch": 512, "format": "R32_UINT", "tiling": "x"}"#,
        ];
        let mut case = Case::new(device, Vec::new(), Box::new(State::new()), 1);
        let json = format!(r#"{{"surfaces": [{}]}}"#, surfaces.join(", "));
        apply(&mut case, json.as_bytes()).expect("a setup file");
        assert_eq!(surface_bytes(&case, 0), Ok(256..1456));
        assert_eq!(surface_bytes(&case, 1), Ok(4096..12288));
    }

    #[test]
    fn surfaces_that_are_not_there_have_none() {
        let mut case = Case::new(Device::G45, Vec::new(), Box::new(State::new()), 1);
        let none = "the case has no surfaces; a setup file gives it some";
        assert_eq!(surface_bytes(&case, 0), Err(none.to_owned()));
        apply(&mut case, br#"{"surfaces": [{"type": "null"}]}"#).expect("a setup file");
        for index in [1, 7, 8, 9, 255] {
            assert_eq!(surface_bytes(&case, index), Err(format!("there is no surface {index}")));
        }
        let beyond = "there is no surface 256; a binding table has 256 at most";
        assert_eq!(surface_bytes(&case, 256), Err(beyond.to_owned()));
    }
}
