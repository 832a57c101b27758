//! Where a surface of a case lies in graphics memory.

use std::ops::Range;

use parallax_isa::{
    eu::Case,
    shared::{environment::SURFACE_STATE_DWORDS, memory::GRAPHICS_BYTES},
};

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
    let state = dwords_at(entry as usize & !31).and_then(|rest| rest.first_chunk());
    let Some([first, base, sizes, layout, ..]): Option<&[u32; SURFACE_STATE_DWORDS]> = state else {
        return Err(missing());
    };
    let [width, height] = [sizes >> 6 & 0x1FFF, sizes >> 19].map(|field| field as usize);
    let [pitch, depth] = [layout >> 3 & 0x1_FFFF, layout >> 21].map(|field| field as usize);
    let rows = match (first >> 29, layout & 3) {
        (0, _) => 1,
        (1, 2) => (height + 1).next_multiple_of(8),
        (1, 3) => (height + 1).next_multiple_of(32),
        (1, _) => height + 1,
        (4, _) => (width & 0x7F | height << 7 | depth << 20) + 1,
        (other, _) => {
            let name = TYPES[other as usize];
            return Err(format!("surface {index} is of type {name}, which is not one piece"));
        }
    };
    let start = *base as usize;
    let end = (pitch + 1).checked_mul(rows).and_then(|bytes| bytes.checked_add(start));
    match end {
        Some(end) if start < GRAPHICS_BYTES => Ok(start..end.min(GRAPHICS_BYTES)),
        _ => Err(format!(
            "surface {index} begins at byte {start}, beyond the {GRAPHICS_BYTES} of graphics memory"
        )),
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::{Device, eu::State};
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
