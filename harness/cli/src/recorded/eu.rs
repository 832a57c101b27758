//! The case of a program of an execution unit: what a file has of its surfaces and samplers, laid out in the
//! memory of a case (decisions `D-eu-later-surfaces`, `D-eu-memory`).

use std::ops::Range;

use parallax_isa::{
    Device,
    eu::{Case, State},
    shared::{
        Environment, Sampling, SharedFunctions,
        memory::{BINDING_TABLE, GRAPHICS_BYTES},
    },
};

use super::{Recorded, Surface, compute::kind};
use crate::{channels, output::grouped};

/// Devices whose surfaces and samplers are laid out here.
const LAID_OUT: [Device; 2] = [Device::Skl, Device::Dg1];

/// Dwords that surface states and border colours are aligned to.
const ALIGNED: usize = 16;

/// An entry that points beyond all states: a message to it ends the run.
const NOWHERE: u32 = 0xFFFF_FFC0;

/// What tiled surfaces are aligned to, and others.
const TILE: u64 = 4096;
const LINE: u64 = 64;

/// The case of machine code, and what of its state has no place there.
pub(crate) fn case(
    device: Device,
    code: Vec<u8>,
    recorded: &Recorded,
    step_limit: u64,
) -> (Case, Vec<String>) {
    let mut case = Case::new(device, code, Box::new(State::of(device)), step_limit);
    let mut left_out = Vec::new();
    if Device::LATER.contains(&device) {
        let channels =
            recorded.simd.map_or_else(|| channels::of_case(&case)[0], |simd| simd as u32);
        let mask = u32::MAX >> (32 - channels.clamp(1, 32));
        (case.state.status[2], case.state.status[3]) = (mask, mask);
    }
    if LAID_OUT.contains(&device) && !(recorded.surfaces.is_empty() && recorded.samplers.is_empty())
    {
        for surface in &recorded.surfaces {
            buffer(&mut case, surface, &mut left_out);
        }
        let environment = environment(&mut case, &recorded.surfaces, &mut left_out);
        // Messages such as `ld` take a surface and no sampler.
        case.surroundings.shared_functions =
            SharedFunctions::around(environment).with_sampling(sampling(recorded));
    }
    (case, left_out)
}

/// Copies a buffer to where messages of the data cache find the surface of its index.
fn buffer(case: &mut Case, surface: &Surface, left_out: &mut Vec<String>) {
    let Surface { index, state, bytes, .. } = surface;
    if state.first().is_none_or(|first| first >> 29 != kind::BUFFER) {
        return;
    }
    let size = grouped(surface.size.unwrap_or_default());
    match BINDING_TABLE.get(*index as usize) {
        Some(place) if surface.size.is_some_and(|size| size <= place.bytes as u64) => {
            case.state.memory.global[place.start..place.start + bytes.len()].copy_from_slice(bytes);
            if surface.size != Some(place.bytes as u64) {
                let bound = grouped(place.bytes as u64);
                left_out.push(format!(
                    "the bound of surface {index} for messages of the data cache: it has {size} bytes, in a case {bound}"
                ));
            }
        }
        Some(place) => left_out.push(format!(
            "surface {index} for messages of the data cache: it has {size} bytes, in a case {}",
            grouped(place.bytes as u64)
        )),
        None => left_out.push(format!(
            "surface {index} for messages of the data cache: a case has surfaces 0 to {}",
            BINDING_TABLE.len() - 1
        )),
    }
}

/// Binding table and surface states, and the bytes of surfaces in graphics memory.
fn environment(case: &mut Case, surfaces: &[Surface], left_out: &mut Vec<String>) -> Environment {
    let places = Places::of(surfaces);
    let entries = surfaces.iter().map(|surface| surface.index as usize + 1).max().unwrap_or(0);
    let mut states = vec![NOWHERE; entries.next_multiple_of(ALIGNED)];
    for surface in surfaces.iter().filter(|surface| !surface.state.is_empty()) {
        let place = match surface.size {
            Some(0) => Some(0),
            Some(_) => places.of_surface(surface),
            None => None,
        };
        let Some(place) = place else {
            left_out.push(format!(
                "surface {} for other messages: there is no room for it in the {} bytes of graphics memory",
                surface.index,
                grouped(GRAPHICS_BYTES as u64)
            ));
            continue;
        };
        let bytes = &surface.bytes;
        case.state.memory.graphics[place..place + bytes.len()].copy_from_slice(bytes);
        states[surface.index as usize] = 4 * states.len() as u32;
        let start = states.len();
        states.extend(&surface.state);
        states.resize(states.len().next_multiple_of(ALIGNED), 0);
        (states[start + 8], states[start + 9]) = (place as u32, 0);
    }
    Environment { surface_states: states, ..Environment::default() }
}

/// Where in graphics memory surfaces lie: those that share memory there share it here.
struct Places(Vec<(Range<u64>, usize)>);

impl Places {
    fn of(surfaces: &[Surface]) -> Self {
        let mut runs: Vec<(Range<u64>, u64)> = surfaces.iter().filter_map(run).collect();
        runs.sort_by_key(|(run, _)| run.start);
        let mut merged: Vec<(Range<u64>, u64)> = Vec::new();
        for (run, aligned) in runs {
            match merged.last_mut() {
                Some((last, of_last)) if run.start < last.end => {
                    last.end = last.end.max(run.end);
                    *of_last = aligned.max(*of_last);
                }
                _ => merged.push((run, aligned)),
            }
        }
        let mut places = Vec::new();
        let mut end = 0_u64;
        for (run, aligned) in merged {
            // As far from a multiple of what it is aligned to as it was.
            let start = end + run.start.wrapping_sub(end) % aligned;
            let next = start + (run.end - run.start);
            if next <= GRAPHICS_BYTES as u64 {
                places.push((run, start as usize));
                end = next;
            }
        }
        Self(places)
    }

    /// The first byte of a surface.
    fn of_surface(&self, surface: &Surface) -> Option<usize> {
        let (run, _) = run(surface)?;
        let mut places = self.0.iter();
        let (of, start) = places.find(|(of, _)| of.start <= run.start && run.end <= of.end)?;
        Some(start + (run.start - of.start) as usize)
    }
}

/// The bytes of a surface, if it has any and a case has room for them, and what they are aligned to.
fn run(surface: &Surface) -> Option<(Range<u64>, u64)> {
    let size = surface.size.filter(|size| (1..=GRAPHICS_BYTES as u64).contains(size))?;
    let is_tiled = surface.state[0] >> 29 != kind::BUFFER && surface.state[0] >> 12 & 3 != 0;
    let aligned = if is_tiled { TILE } else { LINE };
    Some((surface.base..surface.base.checked_add(size)?, aligned))
}

/// Samplers from Dynamic State Base Address on, and border colours behind them.
fn sampling(recorded: &Recorded) -> Sampling {
    /// Dwords of a sampler, and bits of its word 2 that point to a border colour.
    const SAMPLER: usize = 4;
    const BORDER: u32 = 0x00FF_FFC0;
    let entries = recorded.samplers.iter().map(|sampler| sampler.index as usize + 1).max();
    let mut states = vec![0; (SAMPLER * entries.unwrap_or(0)).next_multiple_of(ALIGNED)];
    for sampler in recorded.samplers.iter().filter(|sampler| !sampler.state.is_empty()) {
        let (at, border) = (SAMPLER * sampler.index as usize, states.len());
        states[at..at + SAMPLER].copy_from_slice(&sampler.state);
        states[at + 2] = (states[at + 2] & !BORDER) | (4 * border) as u32;
        states.extend(&sampler.border);
        states.resize(border + ALIGNED, 0);
    }
    Sampling { general_states: states, ..Sampling::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A surface of bytes that are its index, at an address.
    fn surface(index: u32, first: u32, base: u64, size: u64) -> Surface {
        let mut state = vec![0; 16];
        state[0] = first;
        Surface { index, state, base, size: Some(size), bytes: vec![index as u8; size as usize] }
    }

    fn case_of(surfaces: Vec<Surface>) -> (Case, Vec<String>) {
        let recorded = Recorded { surfaces, ..Recorded::default() };
        case(Device::Skl, Vec::new(), &recorded, 1)
    }

    /// The base address in the state of a surface of a case.
    fn base(case: &Case, index: usize) -> Option<u32> {
        let states =
            &case.surroundings.shared_functions.environment().expect("some").surface_states;
        states.get(states[index] as usize / 4 + 8).copied()
    }

    #[test]
    fn surfaces_share_what_they_shared() {
        const PLANE: u32 = kind::PLANE << 29;
        let tiled = surface(2, PLANE | 3 << 12, 0x7000, 4096);
        let (case, left_out) = case_of(vec![
            surface(0, PLANE, 0x1_0020, 256),
            surface(1, PLANE, 0x1_0060, 64),
            tiled,
            surface(3, PLANE, 0x9000, 16_000),
        ]);
        let bases = [0, 1, 2].map(|index| base(&case, index).expect("a state"));
        assert_eq!(bases[1] - bases[0], 0x40);
        assert_eq!([bases[0] % 64, bases[2] % 4096], [0x20, 0]);
        assert_eq!(base(&case, 3), None, "too much");
        assert_eq!(left_out.len(), 1, "{left_out:?}");
        let byte = |address: u32| case.state.memory.graphics[address as usize];
        assert_eq!([byte(bases[0]), byte(bases[1]), byte(bases[2])], [0, 1, 2]);
    }

    #[test]
    fn buffers_are_where_the_data_cache_finds_them() {
        const BUFFER: u32 = kind::BUFFER << 29;
        let (case, left_out) = case_of(vec![
            surface(1, BUFFER, 0x1000, 1024),
            surface(7, BUFFER, 0x2000, 8),
            surface(8, BUFFER, 0x3000, 8),
            surface(5, BUFFER, 0x4000, 1024),
        ]);
        let global = &case.state.memory.global;
        assert_eq!([global[1024], global[2047], global[7 * 1024], global[5 * 1024]], [1, 1, 7, 0]);
        let said: Vec<_> = left_out.iter().map(|said| &said[..24]).collect();
        let [bound, other] = ["the bound of surface 7 f", "surface 8 for messages o"];
        assert_eq!(said, [bound, other, "surface 5 for messages o"]);
    }
}
