//! What the enumerations of DG1 that belong to no instruction and no surface are asked for: the words in
//! which two implementations answer.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Device, query::Query};

/// A question about a code of an enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// The primitives that so many vertices of a topology come to.
    Topology {
        /// The topology.
        code: u8,
        /// How many vertices.
        vertices: u32,
    },
    /// The elements of `dpas` in a doubleword.
    Elements {
        /// Their precision.
        code: u8,
        /// The doubleword.
        doubleword: u32,
    },
    /// The components that are interpolated the short way round, of a mask.
    WrapShortest(u8),
    /// The stages of a render barrier, of a mask.
    Stages(u8),
    /// What a render barrier does.
    Barrier(u8),
    /// A fixed function.
    FixedFunction(u8),
    /// A mode of the sampler's messages.
    SimdMode(u8),
}

impl Query for Code {
    const MACHINE: &'static str = "enums";
    const DEVICES: &'static [Device] = &[Device::Dg1];
    const NAMES: &'static [(&'static str, &'static str)] = &[
        ("topology", "the primitives of a topology"),
        ("elements", "the elements of `dpas` in a doubleword"),
        ("wrap-shortest", "components that are interpolated the short way round"),
        ("stages", "the stages of a render barrier"),
        ("barrier", "what a render barrier does"),
        ("fixed-function", "the name of a fixed function"),
        ("simd-mode", "a mode of the sampler's messages"),
    ];

    fn name(&self) -> &'static str {
        let place = match self {
            Self::Topology { .. } => 0,
            Self::Elements { .. } => 1,
            Self::WrapShortest(_) => 2,
            Self::Stages(_) => 3,
            Self::Barrier(_) => 4,
            Self::FixedFunction(_) => 5,
            Self::SimdMode(_) => 6,
        };
        Self::NAMES[place].0
    }

    fn check(&self) -> Result<(), String> {
        match self {
            Self::Topology { vertices, .. } if *vertices > VERTICES => {
                Err(format!("a topology of {vertices} vertices: there are at most {VERTICES}"))
            }
            _ => Ok(()),
        }
    }
}

/// Most vertices of a topology that are asked for: three of the largest patches and some left over.
pub const VERTICES: u32 = 100;

/// What a code stands for, as words.
pub trait Words {
    /// The words.
    fn words(&self) -> Vec<u32>;
}

/// An answer: 1 and the words of what the code stands for, or 0 for a reserved code.
impl<T: Words> Words for Result<T, Reserved> {
    fn words(&self) -> Vec<u32> {
        match self {
            Ok(meaning) => std::iter::once(1).chain(meaning.words()).collect(),
            Err(_) => vec![0],
        }
    }
}

impl Words for Assembly {
    fn words(&self) -> Vec<u32> {
        let Self { primitives, back_facing, stipple } = self;
        let mut words = vec![u32::from(*back_facing), *stipple as u32, primitives.len() as u32];
        for Primitive { shape, vertices, adjacent, object } in primitives {
            words.extend([*shape as u32, *object, vertices.len() as u32, adjacent.len() as u32]);
            words.extend(vertices);
            words.extend(adjacent);
        }
        words
    }
}

impl Words for Vec<i32> {
    fn words(&self) -> Vec<u32> {
        self.iter().map(|element| element.cast_unsigned()).collect()
    }
}

impl Words for [bool; 4] {
    fn words(&self) -> Vec<u32> {
        self.map(u32::from).to_vec()
    }
}

/// A letter a word.
impl Words for &str {
    fn words(&self) -> Vec<u32> {
        self.chars().map(u32::from).collect()
    }
}

/// Names with a space between them.
impl Words for Vec<&'static str> {
    fn words(&self) -> Vec<u32> {
        self.join(" ").as_str().words()
    }
}

impl Words for BarrierType {
    fn words(&self) -> Vec<u32> {
        vec![*self as u32]
    }
}

impl Words for SimdMode {
    fn words(&self) -> Vec<u32> {
        let Self { pixels, is_half, returns_integers } = *self;
        vec![u32::from(pixels), u32::from(is_half), u32::from(returns_integers)]
    }
}

/// What a primitive is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One vertex.
    Point,
    /// Two.
    Line,
    /// Three, in winding order.
    Triangle,
    /// Four, in winding order.
    Quad,
    /// Three corners of a rectangle in the screen's plane; the fourth lies opposite the second.
    Rectangle,
    /// Control points.
    Patch,
}

/// A primitive: numbers of vertices in the order in which they were sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Primitive {
    /// What it is.
    pub shape: Shape,
    /// Its vertices.
    pub vertices: Vec<u32>,
    /// Vertices of its neighbours: of a line beyond its first and its second end, of a triangle beyond the
    /// edges from its first, second and third vertex.
    pub adjacent: Vec<u32>,
    /// The number of the object that it is part of: a polygon is several triangles.
    pub object: u32,
}

/// What becomes of the stipple pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Stipple {
    /// It begins anew.
    #[default]
    Restarted,
    /// It goes on where the last topology left it.
    Continued,
    /// It is not applied.
    Off,
}

/// What vertices of a topology come to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Assembly {
    /// The primitives, in order.
    pub primitives: Vec<Primitive>,
    /// They come from an object that faces back.
    pub back_facing: bool,
    /// The stipple pattern of them.
    pub stipple: Stipple,
}

/// What a message of the sampler carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SimdMode {
    /// Pixels.
    pub pixels: u8,
    /// Parameters and results have 16 bits.
    pub is_half: bool,
    /// Results are integers.
    pub returns_integers: bool,
}

/// What a render barrier does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BarrierType {
    /// Says that the stages are done.
    Signal,
    /// Waits for that.
    Wait,
    /// Both at once.
    Immediate,
}

/// Why a code has no meaning.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
pub struct Reserved {
    /// What the code is of.
    pub what: &'static str,
    /// The code.
    pub code: u32,
}

impl fmt::Display for Reserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x} is a reserved {}", self.code, self.what)
    }
}
