//! Exports of pixels, positions and parameters (section 3.4.1).

use parallax_isa::r700::{
    Case,
    state::{Register, State},
};

use super::decode::Export;

/// Where an export goes: colours 0 to 7, then depth; positions 0 to 3, then parameters (`TYPE` and
/// `ARRAY_BASE` of CF_ALLOC_EXPORT_WORD0).
const fn slot(target: u8, index: u32) -> Option<usize> {
    const PIXEL: u8 = 0;
    const POSITION: u8 = 1;
    const PARAMETER: u8 = 2;
    Some(match (target, index as usize) {
        (PIXEL, colour @ ..8) => colour,
        (PIXEL, 61) => 8,
        (POSITION, index @ 60..64) => index - 60,
        (PARAMETER, parameter @ ..32) => 4 + parameter,
        _ => return None,
    })
}

/// EXPORT and EXPORT_DONE: registers to the output of each executing pixel that is valid.
pub(super) fn run(
    export: &Export,
    executing: u64,
    case: &Case,
    state: &mut State,
) -> Result<(), String> {
    let executing = executing & state.valid;
    let slot_of = |step| {
        let index = export.array_base + step;
        slot(export.target, index)
            .ok_or_else(|| format!("there is no export {index} of type {}", export.target))
    };
    // What cannot be done as a whole changes nothing.
    (0..export.burst).try_for_each(|step| slot_of(step).map(drop))?;
    for step in 0..export.burst {
        let slot = slot_of(step)?;
        let base = u32::from(export.gpr) + step;
        let address = if export.relative { base + state.current_loop.index } else { base };
        let address = if address < 128 && (!export.relative || address < case.gpr_count) {
            address as usize
        } else {
            0
        };
        let source: Register = state.gpr[address];
        for (element, &select) in export.select.iter().enumerate() {
            let lanes = match select {
                0..=3 => source[usize::from(select)],
                4 => [0; 64],
                5 => [0x3F80_0000; 64],
                _ => continue,
            };
            let out = &mut state.exports[slot][element];
            for pixel in (0..64).filter(|pixel| executing >> pixel & 1 == 1) {
                out[pixel] = lanes[pixel];
            }
        }
        if executing != 0 {
            state.exported |= 1 << slot;
        }
    }
    Ok(())
}
