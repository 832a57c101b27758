//! The enumerations of DG1 that belong to no instruction and no surface, as functions of their codes.

mod topology;

pub use topology::assemble;

use parallax_isa::enums::{BarrierType, Reserved, SimdMode};

/// A code and what it stands for.
type Row<T> = (u8, T);

/// What a code stands for in a table.
fn listed<T: Copy>(table: &[Row<T>], what: &'static str, code: u8) -> Result<T, Reserved> {
    let row = table.iter().find(|(listed, _)| *listed == code);
    row.map(|(_, meaning)| *meaning).ok_or(Reserved { what, code: code.into() })
}

/// Fixed Function ID: who asked for a thread.
const FIXED_FUNCTIONS: &[Row<&str>] = &[
    (0x0, "Null"),
    (0x3, "POSH Vertex Shader"),
    (0x4, "Hull Shader"),
    (0x5, "Domain Shader"),
    (0x6, "Texel Shader"),
    (0x7, "General Purpose Thread Spawner"),
    (0x8, "General Purpose Asynchronous Thread Spawner"),
    (0x9, "Vertex Shader"),
    (0xC, "Geometry Shader"),
];

/// The fixed function of an id.
///
/// # Errors
/// If the id is reserved.
pub fn fixed_function(id: u8) -> Result<&'static str, Reserved> {
    listed(FIXED_FUNCTIONS, "fixed function id", id)
}

const fn simd(pixels: u8, is_half: bool, returns_integers: bool) -> SimdMode {
    SimdMode { pixels, is_half, returns_integers }
}

/// SIMD Mode of the sampler's messages.
const SIMD_MODES: &[Row<SimdMode>] = &[
    (0, simd(8, false, true)),
    (1, simd(8, false, false)),
    (2, simd(16, false, false)),
    (4, simd(16, false, true)),
    (5, simd(8, true, false)),
    (6, simd(16, true, false)),
];

/// What a message of the sampler carries, by its mode.
///
/// # Errors
/// If the mode is reserved.
pub fn simd_mode(code: u8) -> Result<SimdMode, Reserved> {
    listed(SIMD_MODES, "SIMD mode", code)
}

const STAGES: &[Row<&str>] = &[
    (0x01, "TOP"),
    (0x02, "Color"),
    (0x04, "Gpgpu"),
    (0x08, "Copy"),
    (0x10, "Geom"),
    (0x20, "Z"),
    (0x40, "PS"),
];

/// The stages of a render barrier, a bit each, in order of the bits.
///
/// # Errors
/// If the mask has a bit that is no stage's.
pub fn barrier_stages(mask: u8) -> Result<Vec<&'static str>, Reserved> {
    let bits = (0..8).map(|bit| 1 << bit).filter(|bit| mask & bit != 0);
    bits.map(|bit| listed(STAGES, "stage of a render barrier", bit)).collect()
}

/// What a render barrier does, by its code.
///
/// # Errors
/// If the code is reserved.
pub fn barrier_type(code: u8) -> Result<BarrierType, Reserved> {
    const TYPES: &[Row<BarrierType>] =
        &[(1, BarrierType::Signal), (2, BarrierType::Wait), (3, BarrierType::Immediate)];
    listed(TYPES, "render barrier type", code)
}

/// Which components of an attribute are interpolated the short way round, x first.
///
/// # Errors
/// If the mask has more than four bits.
pub fn wrap_shortest(mask: u8) -> Result<[bool; 4], Reserved> {
    if mask > 0b1111 {
        return Err(Reserved { what: "wrap-shortest mask", code: mask.into() });
    }
    Ok(std::array::from_fn(|component| mask >> component & 1 == 1))
}

/// Element precisions: bits of an element, and whether it has a sign.
const PRECISIONS: &[Row<(u32, bool)>] = &[
    (0b000, (1, false)),
    (0b001, (2, false)),
    (0b010, (4, false)),
    (0b011, (8, false)),
    (0b100, (1, true)),
    (0b101, (2, true)),
    (0b110, (4, true)),
    (0b111, (8, true)),
];

/// The elements of a doubleword of a precision, from the least significant bits up.
///
/// # Errors
/// If the precision is reserved.
pub fn dpas_elements(precision: u8, doubleword: u32) -> Result<Vec<i32>, Reserved> {
    let (bits, is_signed) = listed(PRECISIONS, "element precision", precision)?;
    let values = 1_i64 << bits;
    let element = |number: u32| {
        let value = i64::from(doubleword) / values.pow(number) % values;
        let is_negative = is_signed && value >= values / 2;
        (if is_negative { value - values } else { value }) as i32
    };
    Ok((0..32 / bits).map(element).collect())
}
