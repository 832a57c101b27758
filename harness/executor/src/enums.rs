//! Codes of DG1 that name neither an instruction nor a surface, worked out from their bits where these mean
//! something.

mod topology;

pub use topology::primitives;

use parallax_isa::enums::{BarrierType, Reserved, SimdMode};

fn reserved(what: &'static str, code: u8) -> Reserved {
    Reserved { what, code: code.into() }
}

/// Who a thread was dispatched by.
///
/// # Errors
/// If the id is reserved.
pub fn fixed_function_name(id: u8) -> Result<&'static str, Reserved> {
    const SHADERS: [&str; 7] = [
        "POSH Vertex Shader",
        "Hull Shader",
        "Domain Shader",
        "Texel Shader",
        "General Purpose Thread Spawner",
        "General Purpose Asynchronous Thread Spawner",
        "Vertex Shader",
    ];
    match id {
        0 => Ok("Null"),
        12 => Ok("Geometry Shader"),
        3..=9 => Ok(SHADERS[usize::from(id - 3)]),
        _ => Err(reserved("fixed function id", id)),
    }
}

/// Pixels and widths of a sampler message.
///
/// # Errors
/// If the mode is reserved.
pub fn sampler_mode(code: u8) -> Result<SimdMode, Reserved> {
    if code > 6 || code == 3 {
        return Err(reserved("SIMD mode", code));
    }
    // 0 and 4 return integers; 5 and 6 are 1 and 2 in half the width.
    let pixels = match code {
        0 | 1 | 5 => 8,
        _ => 16,
    };
    Ok(SimdMode { pixels, is_half: code > 4, returns_integers: code & 3 == 0 })
}

/// Names of the stages in a mask, lowest bit first.
///
/// # Errors
/// If bit 7 is set.
pub fn stages_of_barrier(mask: u8) -> Result<Vec<&'static str>, Reserved> {
    const NAMES: [&str; 7] = ["TOP", "Color", "Gpgpu", "Copy", "Geom", "Z", "PS"];
    if mask & 0x80 != 0 {
        return Err(reserved("stage of a render barrier", 0x80));
    }
    let named = NAMES.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
    Ok(named.map(|(_, name)| *name).collect())
}

/// What a barrier of a type does.
///
/// # Errors
/// If the type is reserved.
pub fn type_of_barrier(code: u8) -> Result<BarrierType, Reserved> {
    Ok(match code {
        1 => BarrierType::Signal,
        2 => BarrierType::Wait,
        3 => BarrierType::Immediate,
        _ => return Err(reserved("render barrier type", code)),
    })
}

/// Components that wrap the short way, x in the lowest bit.
///
/// # Errors
/// If the mask has more bits than there are components.
pub fn shortest_components(mask: u8) -> Result<[bool; 4], Reserved> {
    match mask >> 4 {
        0 => Ok([1, 2, 4, 8].map(|bit| mask & bit != 0)),
        _ => Err(reserved("wrap-shortest mask", mask)),
    }
}

/// Unpacks a doubleword into elements of 1, 2, 4 or 8 bits, widened by sign where bit 2 of the code is set.
///
/// # Errors
/// If the code has more than three bits.
pub fn unpacked(precision: u8, doubleword: u32) -> Result<Vec<i32>, Reserved> {
    if precision > 7 {
        return Err(reserved("element precision", precision));
    }
    let width = 1 << (precision & 3);
    let shift = 32 - width;
    let widened = |at: u32| {
        let top = doubleword >> at << shift;
        if precision & 4 == 0 { (top >> shift).cast_signed() } else { top.cast_signed() >> shift }
    };
    Ok((0..32).step_by(width as usize).map(widened).collect())
}
