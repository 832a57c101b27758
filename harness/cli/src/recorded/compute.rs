//! Surfaces and samplers behind an interface descriptor of Gen8 and later: word 3 points to samplers, word 4 to the
//! binding table. What a program uses of both is read from the descriptors of its messages.

use std::collections::BTreeSet;

use parallax_isa::{
    Device,
    eu::{Program, instruction::Descriptor},
    shared::memory::GRAPHICS_BYTES,
    surface,
};

use super::{Recorded, SURFACES, Sampler, Surface};
use crate::output::grouped;

/// Bytes of graphics memory from an address on, up to a number: those that the file has.
pub(crate) type ReadMemory<'m> = &'m dyn Fn(u64, usize) -> Vec<u8>;

/// The shared functions whose messages name surfaces: the sampler and the ports of the caches (table `eu-sfid-by-gen`).
const SAMPLER: u8 = 2;
const DATA_PORTS: [u8; 5] = [4, 5, 9, DATA_CACHE, 12];
const DATA_CACHE: u8 = 10;

/// Bits of message descriptors (table `eu-message-descriptor`): a scratch message of the data cache has no surface.
const SCRATCH: u32 = 1 << 18;

/// Where pointers count from.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bases {
    pub(crate) surface: Option<u64>,
    pub(crate) dynamic: Option<u64>,
}

/// Surfaces and samplers that the messages of a program name, and whether some get their descriptor from a register.
#[derive(Debug, Default, PartialEq, Eq)]
struct Used {
    surfaces: BTreeSet<u32>,
    samplers: BTreeSet<u32>,
    by_register: bool,
}

impl Used {
    fn by(device: Device, code: &[u8]) -> Option<Self> {
        let program = Program::decode(device, code).ok()?;
        let mut used = Self::default();
        for placed in program.instructions() {
            let Some(message) = placed.instruction.message else { continue };
            let function = message.shared_function;
            if function != SAMPLER && !DATA_PORTS.contains(&function) {
                continue;
            }
            let Descriptor::Immediate(descriptor) = message.descriptor else {
                used.by_register = true;
                continue;
            };
            if function == DATA_CACHE && descriptor & SCRATCH != 0 {
                continue;
            }
            let surface = descriptor & 0xFF;
            if surface < SURFACES {
                used.surfaces.insert(surface);
            }
            if function == SAMPLER {
                used.samplers.insert(descriptor >> 8 & 0xF);
            }
        }
        Some(used)
    }
}

/// The state of a compute program by the words of its descriptor.
pub(crate) fn recorded(
    device: Device,
    code: &[u8],
    descriptor: [u32; 8],
    bases: Bases,
    read: ReadMemory<'_>,
) -> Recorded {
    let mut recorded = Recorded::default();
    let [samplers, table] = [descriptor[3] & !0x1F, descriptor[4] & !0x1F];
    recorded.register("r0.3:ud", samplers);
    recorded.register("r0.4:ud", table);
    recorded.lacks("the rest of r0, work item numbers and constants: no document here has the order in which a walker passes them");
    recorded.lacks("the size of shared local memory: no document here has its bits of the interface descriptor");
    let Some(used) = Used::by(device, code) else {
        recorded.lacks("surfaces and samplers: the program does not decode as a whole");
        return recorded;
    };
    if used.by_register {
        recorded.lacks("surfaces and samplers of messages whose descriptor is in a register");
    }
    match bases.surface {
        Some(base) => {
            for index in used.surfaces {
                let surface = surface_of(device, base, table, index, read);
                recorded.surfaces.push(surface);
            }
        }
        None if used.surfaces.is_empty() => {}
        None => recorded.lacks("surfaces: no command sets Surface State Base Address"),
    }
    match bases.dynamic {
        Some(base) => {
            for index in used.samplers {
                recorded.samplers.push(sampler(base, samplers, index, read));
            }
        }
        None if used.samplers.is_empty() => {}
        None => recorded.lacks("samplers: no command sets Dynamic State Base Address"),
    }
    explain(&mut recorded);
    recorded
}

/// Says what is not there of surfaces and samplers.
fn explain(recorded: &mut Recorded) {
    let mut missing = Vec::new();
    for Surface { index, state, size, bytes, .. } in &recorded.surfaces {
        match size {
            _ if state.is_empty() => missing.push(format!("the state of surface {index}")),
            None => missing.push(format!(
                "the bytes of surface {index}: levels, layers, samples, tiles or its format are not laid out here"
            )),
            Some(size) if *size > GRAPHICS_BYTES as u64 => missing.push(format!(
                "the bytes of surface {index}: {}, where a case has {}",
                grouped(*size),
                grouped(GRAPHICS_BYTES as u64)
            )),
            Some(size) if (bytes.len() as u64) < *size => {
                let there = grouped(bytes.len() as u64);
                let size = grouped(*size);
                missing.push(format!("bytes of surface {index}: of {size} the file has {there}"));
            }
            Some(_) => {}
        }
    }
    for Sampler { index, state, border } in &recorded.samplers {
        if state.is_empty() {
            missing.push(format!("the state of sampler {index}"));
        } else if border.is_empty() {
            missing.push(format!("the border colour of sampler {index}"));
        }
    }
    missing.into_iter().for_each(|what| recorded.lacks(what));
}

/// Words from an address on; `None` if the file does not have all of them.
fn words<const N: usize>(address: u64, read: ReadMemory<'_>) -> Option<[u32; N]> {
    let bytes = read(address, 4 * N);
    let (words, _) = bytes.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    words.try_into().ok()
}

/// An entry of a binding table, and what it points to (table `eu-surface-state-by-gen`).
fn surface_of(device: Device, base: u64, table: u32, index: u32, read: ReadMemory<'_>) -> Surface {
    /// Bits of an entry that point to a state.
    const POINTER: u32 = !0x3F;
    let mut surface = Surface { index, state: Vec::new(), base: 0, size: None, bytes: Vec::new() };
    let entry = words(base.wrapping_add(u64::from(table) + 4 * u64::from(index)), read);
    let state = entry.and_then(|[entry]: [u32; 1]| {
        words::<16>(base.wrapping_add((entry & POINTER).into()), read)
    });
    let Some(state) = state else { return surface };
    surface.base = u64::from(state[9]) << 32 | u64::from(state[8]);
    surface.size = size(device, &state);
    surface.state = state.to_vec();
    if let Some(size) = surface.size.filter(|size| *size <= GRAPHICS_BYTES as u64) {
        surface.bytes = read(surface.base, size as usize);
    }
    surface
}

/// Types of surfaces: bits 31:29 of word 0.
pub(crate) mod kind {
    pub(crate) const LINE: u32 = 0;
    pub(crate) const PLANE: u32 = 1;
    pub(crate) const BUFFER: u32 = 4;
    pub(crate) const NULL: u32 = 7;
}

/// Bytes of a surface that is one piece of memory: a buffer, or one level and layer of a line or plane (table
/// `eu-surface-layout-by-gen`).
fn size(device: Device, state: &[u32; 16]) -> Option<u64> {
    let [width, height] = [state[2] & 0x3FFF, state[2] >> 16 & 0x3FFF].map(u64::from);
    let [pitch, depth] = [state[3] & 0x3_FFFF, state[3] >> 21].map(u64::from);
    let is_simple = depth == 0 && state[4] & 0x38 == 0 && state[5] & 0xFF == 0;
    match state[0] >> 29 {
        kind::NULL => Some(0),
        kind::BUFFER => Some((1 + (depth << 21 | height << 7 | width)) * (pitch + 1)),
        kind::PLANE | kind::LINE if is_simple => {
            let format = surface::message_format(device, state[0] >> 18 & 0x3FF).ok()?;
            if !format.is_defined() {
                return None;
            }
            let rows = (height + 1).div_ceil(u64::from(format.block.height).max(1));
            let rows = match state[0] >> 12 & 3 {
                0 => rows,
                2 => rows.next_multiple_of(8),
                3 => rows.next_multiple_of(32),
                _ => return None,
            };
            Some(rows * (pitch + 1))
        }
        _ => None,
    }
}

/// A sampler and its border colour (tables `eu-sampler-state-by-gen`, `eu-border-color-by-gen`).
fn sampler(dynamic: u64, table: u32, index: u32, read: ReadMemory<'_>) -> Sampler {
    /// Bits of word 2 that point to the border colour.
    const BORDER: u32 = 0x00FF_FFC0;
    let at = dynamic.wrapping_add(u64::from(table) + 16 * u64::from(index));
    let Some(state) = words::<4>(at, read) else {
        return Sampler { index, state: Vec::new(), border: Vec::new() };
    };
    let border = words::<4>(dynamic.wrapping_add((state[2] & BORDER).into()), read);
    Sampler {
        index,
        state: state.to_vec(),
        border: border.map_or(Vec::new(), |words| words.to_vec()),
    }
}
