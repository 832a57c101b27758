//! What is stored of a vertex element.

use parallax_isa::surface::{Natural, Texel, Value, pixel::VertexComponentControl};

use crate::surface::{
    decode::Refused,
    layout::{Layout, Letter},
};

/// What a component of a vertex gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    /// A value.
    Value(Value),
    /// Nothing at all.
    Nothing,
    /// A value that the system generates.
    System,
    /// Anything: the manual leaves it open.
    Open,
}

/// Stores the components of a vertex element. Those of the source go, in order, to the controls that
/// ask for them and that no system generated value overwrites.
///
/// # Errors
/// If a component is stored above one that is not, or the first is not.
pub fn store(
    name: &str,
    element: Texel,
    controls: [VertexComponentControl; 4],
    system: [bool; 4],
) -> Result<[Component; 4], Refused> {
    use VertexComponentControl::{NoStore, Store0, Store1Fp, Store1Int, StoreSrc};
    let first = controls.iter().position(|control| *control == NoStore).unwrap_or(4);
    if first == 0 || controls[first..].iter().any(|control| *control != NoStore) {
        return Err(Refused("a component is stored above one that is not, or none is"));
    }
    let layout = Layout::intel(name).ok_or(Refused("the format has no layout of its own"))?;
    let has = |letter| layout.texels[0].iter().any(|field| field.letter == letter);
    let letters = [Letter::R, Letter::G, Letter::B, Letter::A];
    let narrow = matches!(name, "R64_PASSTHRU" | "R64G64_PASSTHRU");
    let mut next = 0;
    Ok([0, 1, 2, 3].map(|place| {
        if system[place] {
            return Component::System;
        }
        match controls[place] {
            NoStore if narrow && place >= 2 => Component::Nothing,
            NoStore | Store0 => Component::Value(Value::uint32(0)),
            Store1Fp => Component::Value(Value::float32(1.0_f32.to_bits())),
            Store1Int => Component::Value(Value::uint32(1)),
            StoreSrc => {
                let source = next;
                next += 1;
                if has(letters[source]) {
                    Component::Value(element.0[source])
                } else {
                    Component::Open
                }
            }
        }
    }))
}

/// Components of an attribute by its format code.
#[must_use]
pub fn attribute_components(code: u8) -> usize {
    usize::from(code) + usize::from(code > 0)
}

/// The components that an enable mask stores, of those there are.
#[must_use]
pub fn enabled(mask: u8, texel: Texel) -> [Option<Value>; 4] {
    [0, 1, 2, 3].map(|place| {
        let stored = mask >> place & 1 == 1 && texel.0[place].natural != Natural::Absent;
        stored.then_some(texel.0[place])
    })
}
