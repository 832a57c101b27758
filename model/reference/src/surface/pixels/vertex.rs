//! What is stored of a fetched vertex element (3D_Vertex_Component_Control).

use parallax_isa::surface::{Format, Layout, Natural, Texel, Value, pixel::VertexComponentControl};

/// What a component of the vertex gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// A value.
    Value(Value),
    /// Nothing: the component keeps no place.
    Nothing,
    /// A system generated value stands there.
    SystemValue,
    /// A value the manual leaves open.
    Unpredictable,
}

/// Component controls no program may use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VertexError {
    /// NOSTORE of the first component.
    #[error("VFCOMP_NOSTORE is not allowed for component 0")]
    FirstNotStored,
    /// A component stored above one that is not.
    #[error("component {0} must be VFCOMP_NOSTORE, as component {below} is", below = .0 - 1)]
    Hole(usize),
}

/// The four components of a vertex element of a format. `system_values` marks those that a system
/// generated value overwrites.
///
/// # Errors
/// If the controls leave a hole or begin with NOSTORE.
pub fn store_components(
    format: &Format,
    element: Texel,
    controls: [VertexComponentControl; 4],
    system_values: [bool; 4],
) -> Result<[Stored; 4], VertexError> {
    check(controls)?;
    let present = components(format);
    let mut next = 0;
    let mut stored = [Stored::Nothing; 4];
    for (n, control) in controls.into_iter().enumerate() {
        stored[n] = match control {
            _ if system_values[n] => Stored::SystemValue,
            VertexComponentControl::NoStore if n >= 2 && passed_through(format) => Stored::Nothing,
            VertexComponentControl::NoStore | VertexComponentControl::Store0 => {
                Stored::Value(Value::uint32(0))
            }
            VertexComponentControl::StoreSrc => {
                next += 1;
                if next <= present {
                    Stored::Value(element.0[next - 1])
                } else {
                    Stored::Unpredictable
                }
            }
            VertexComponentControl::Store1Fp => {
                Stored::Value(Value::float32(crate::surface::float::ONE))
            }
            VertexComponentControl::Store1Int => Stored::Value(Value::uint32(1)),
        };
    }
    Ok(stored)
}

fn check(controls: [VertexComponentControl; 4]) -> Result<(), VertexError> {
    let not_stored = controls.map(|control| control == VertexComponentControl::NoStore);
    if not_stored[0] {
        return Err(VertexError::FirstNotStored);
    }
    match (1..3).find(|&n| not_stored[n] && !not_stored[n + 1]) {
        Some(n) => Err(VertexError::Hole(n + 1)),
        None => Ok(()),
    }
}

/// How many components the format has.
fn components(format: &Format) -> usize {
    let Layout::Plain(all) = &format.layout else { return 4 };
    let channels =
        all.iter().filter_map(|component| crate::surface::encode::channel_of(component.name));
    channels.count()
}

/// Whether the element is R64_PASSTHRU or R64G64_PASSTHRU.
fn passed_through(format: &Format) -> bool {
    ["R64_PASSTHRU", "R64G64_PASSTHRU"].contains(&format.name)
}

/// The components of an attribute by its 2-bit format: none, xy, xyz, xyzw.
///
/// # Panics
/// If the code has more than two bits.
#[must_use]
pub fn attribute_components(code: u8) -> usize {
    [0, 2, 3, 4][usize::from(code)]
}

/// The values of a texel that are stored in the URB under 4 component enables, bit 0 being x.
#[must_use]
pub fn enabled_components(enables: u8, texel: Texel) -> [Option<Value>; 4] {
    std::array::from_fn(|n| {
        let value = texel.0[n];
        (enables >> n & 1 == 1 && value.natural != Natural::Absent).then_some(value)
    })
}
