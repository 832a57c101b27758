//! What the enumerations of DG1 that belong to no instruction and no surface are asked for: the words in
//! which two implementations answer.

use std::fmt;

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
