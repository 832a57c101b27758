//! The case of a program of an execution unit: what a file has of its surfaces and samplers, laid out in the memory of a
//! case (decisions `D-eu-later-surfaces`, `D-eu-memory`).

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
use crate::{eu::case, output::grouped};

/// Devices whose surfaces and samplers are laid out here.
const LAID_OUT: [Device; 2] = [Device::Skl, Device::Dg1];

/// Dwords that surface states and border colours are aligned to.
const ALIGNED: usize = 16;

/// An entry that points beyond all states: a message to it ends the run.
const NOWHERE: u32 = 0xFFFF_FFC0;

/// What tiles are aligned to, and other surfaces.
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
        let channels = recorded.simd.map_or_else(|| case::channels(&case)[0], |simd| simd as u32);
        let mask = u32::MAX >> (32 - channels.clamp(1, 32));
        (case.state.status[2], case.state.status[3]) = (mask, mask);
    }
    if LAID_OUT.contains(&device) && !(recorded.surfaces.is_empty() && recorded.samplers.is_empty())
    {
        for surface in &recorded.surfaces {
            buffer(&mut case, surface, &mut left_out);
        }
        let environment = environment(&mut case, &recorded.surfaces, &mut left_out);
        let mut functions = SharedFunctions::around(environment);
        if !recorded.samplers.is_empty() {
            functions = functions.with_sampling(sampling(recorded));
        }
        case.surroundings.shared_functions = functions;
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
        let mut runs: Vec<Range<u64>> = surfaces.iter().filter_map(run).collect();
        runs.sort_by_key(|run| run.start);
        let mut merged: Vec<Range<u64>> = Vec::new();
        for run in runs {
            match merged.last_mut() {
                Some(last) if run.start < last.end => last.end = last.end.max(run.end),
                _ => merged.push(run),
            }
        }
        let mut places = Vec::new();
        let mut end = 0;
        for run in merged {
            // What is aligned to a tile stays so.
            let start = u64::next_multiple_of(end, LINE);
            let start =
                if run.start.is_multiple_of(TILE) { start.next_multiple_of(TILE) } else { start };
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
        let run = run(surface)?;
        let mut places = self.0.iter();
        let (of, start) = places.find(|(of, _)| of.start <= run.start && run.end <= of.end)?;
        Some(start + (surface.base - of.start) as usize)
    }
}

/// The aligned bytes that a surface lies in, if it has any and a case has room for them.
fn run(surface: &Surface) -> Option<Range<u64>> {
    let size = surface.size.filter(|size| (1..=GRAPHICS_BYTES as u64).contains(size))?;
    let aligned = if surface.state[0] >> 12 & 3 == 0 { LINE } else { TILE };
    let start = surface.base - surface.base % aligned;
    Some(start..surface.base.checked_add(size)?)
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
        states[at + 2] = states[at + 2] & !BORDER | 4 * border as u32;
        states.extend(&sampler.border);
        states.resize(border + ALIGNED, 0);
    }
    Sampling { general_states: states, ..Sampling::default() }
}
