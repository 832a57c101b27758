//! Primitive topologies (3D_Prim_Topo_Type): what a number of vertices comes to.

use parallax_isa::enums::{Assembly, Primitive, Reserved, Shape, Stipple};

/// How vertices become primitives.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// Each primitive has vertices of its own: shape, how many it takes, which of them it is made of, which are
    /// its neighbours'.
    List(Shape, u32, &'static [u32], &'static [u32]),
    /// A primitive for each vertex, or for each `step` vertices, with those behind it.
    Strip(Shape, u32, &'static [u32], &'static [u32]),
    /// Triangles, of which every other one turns the other way; of a reversed strip the first does.
    Triangles { reversed: bool },
    /// Triangles around the first vertex.
    Fan,
    /// One object of such triangles.
    Polygon,
    /// A strip of lines that comes back to the first vertex.
    Loop,
    /// Triangles of every other vertex, those between are of the neighbours.
    AdjacentTriangles,
}

/// A topology.
struct Topology {
    code: u8,
    form: Form,
    back_facing: bool,
    stipple: Stipple,
}

const fn plain(code: u8, form: Form) -> Topology {
    Topology { code, form, back_facing: false, stipple: Stipple::Restarted }
}

const POINTS: Form = Form::List(Shape::Point, 1, &[0], &[]);
const LINES: Form = Form::Strip(Shape::Line, 1, &[0, 1], &[]);

/// The topologies that are no patches.
const TOPOLOGIES: &[Topology] = &[
    plain(0x01, POINTS),
    plain(0x02, Form::List(Shape::Line, 2, &[0, 1], &[])),
    plain(0x03, LINES),
    plain(0x04, Form::List(Shape::Triangle, 3, &[0, 1, 2], &[])),
    plain(0x05, Form::Triangles { reversed: false }),
    plain(0x06, Form::Fan),
    plain(0x07, Form::List(Shape::Quad, 4, &[0, 1, 2, 3], &[])),
    plain(0x08, Form::Strip(Shape::Quad, 2, &[0, 1, 3, 2], &[])),
    plain(0x09, Form::List(Shape::Line, 4, &[1, 2], &[0, 3])),
    plain(0x0A, Form::Strip(Shape::Line, 1, &[1, 2], &[0, 3])),
    plain(0x0B, Form::List(Shape::Triangle, 6, &[0, 2, 4], &[1, 3, 5])),
    plain(0x0C, Form::AdjacentTriangles),
    plain(0x0D, Form::Triangles { reversed: true }),
    plain(0x0E, Form::Polygon),
    plain(0x0F, Form::List(Shape::Rectangle, 3, &[0, 1, 2], &[])),
    plain(0x10, Form::Loop),
    Topology { back_facing: true, ..plain(0x11, POINTS) },
    Topology { stipple: Stipple::Continued, ..plain(0x12, LINES) },
    Topology { back_facing: true, ..plain(0x13, LINES) },
    Topology { back_facing: true, stipple: Stipple::Continued, ..plain(0x14, LINES) },
    Topology { stipple: Stipple::Off, ..plain(0x16, Form::Fan) },
];

/// The code of patches of one control point; those of more follow, up to 32.
const FIRST_PATCH: u8 = 0x20;
const LAST_PATCH: u8 = 0x3F;

/// The primitives that so many vertices of a topology come to. What is left over at the end comes to
/// none.
///
/// # Errors
/// If the code is reserved.
pub fn assemble(code: u8, vertices: u32) -> Result<Assembly, Reserved> {
    // Decision D-enums-topology.
    if (FIRST_PATCH..=LAST_PATCH).contains(&code) {
        return Ok(patches(u32::from(code - FIRST_PATCH) + 1, vertices));
    }
    let topology = TOPOLOGIES.iter().find(|topology| topology.code == code);
    let topology = topology.ok_or(Reserved { what: "primitive topology", code: code.into() })?;
    let primitives = match topology.form {
        Form::List(shape, count, own, adjacent) => {
            let starts = (0..vertices / count).map(|number| number * count);
            numbered(starts.map(|start| (shape, behind(start, own), behind(start, adjacent))))
        }
        Form::Strip(shape, step, own, adjacent) => {
            let last = own.iter().chain(adjacent).max().copied().unwrap_or(0);
            let starts = (0..vertices).step_by(step as usize);
            let whole = starts.take_while(|start| start + last < vertices);
            numbered(whole.map(|start| (shape, behind(start, own), behind(start, adjacent))))
        }
        Form::Triangles { reversed } => numbered((2..vertices).map(|last| {
            let first = last - 2;
            let turns = (first % 2 == 1) != reversed;
            let corners = if turns { [first, last, last - 1] } else { [first, last - 1, last] };
            (Shape::Triangle, corners.into(), Vec::new())
        })),
        Form::Fan => numbered(around_first(vertices)),
        Form::Polygon => {
            let triangles = numbered(around_first(vertices)).into_iter();
            triangles.map(|triangle| Primitive { object: 0, ..triangle }).collect()
        }
        Form::Loop => {
            let lines = if vertices < 2 { 0 } else { vertices };
            let line = |first| vec![first, (first + 1) % vertices];
            numbered((0..lines).map(|first| (Shape::Line, line(first), Vec::new())))
        }
        Form::AdjacentTriangles => adjacent_triangles(vertices),
    };
    let Topology { back_facing, stipple, .. } = *topology;
    Ok(Assembly { primitives, back_facing, stipple })
}

/// Vertices some places behind one.
fn behind(start: u32, places: &[u32]) -> Vec<u32> {
    places.iter().map(|place| start + place).collect()
}

/// Primitives of their own, each an object.
fn numbered(all: impl Iterator<Item = (Shape, Vec<u32>, Vec<u32>)>) -> Vec<Primitive> {
    let primitive =
        |(object, (shape, vertices, adjacent))| Primitive { shape, vertices, adjacent, object };
    (0..).zip(all).map(primitive).collect()
}

fn around_first(vertices: u32) -> impl Iterator<Item = (Shape, Vec<u32>, Vec<u32>)> {
    (2..vertices).map(|last| (Shape::Triangle, vec![0, last - 1, last], Vec::new()))
}

/// Triangle *i* has the corners 2*i*, 2*i* + 2 and 2*i* + 4. Beyond the edge to the triangle before lies that one's
/// first corner, or vertex 1 where there is none; beyond the edge to the next one lies that one's last
/// corner, or the last vertex; beyond the outer edge the vertex between its ends.
fn adjacent_triangles(vertices: u32) -> Vec<Primitive> {
    let count = (vertices / 2).saturating_sub(2);
    numbered((0..count).map(|number| {
        let first = 2 * number;
        let before = if number == 0 { 1 } else { first - 2 };
        let next = if number == count - 1 { first + 5 } else { first + 6 };
        let outer = first + 3;
        let (corners, adjacent) = if number % 2 == 0 {
            ([first, first + 2, first + 4], [before, next, outer])
        } else {
            ([first, first + 4, first + 2], [outer, next, before])
        };
        (Shape::Triangle, corners.into(), adjacent.into())
    }))
}

fn patches(points: u32, vertices: u32) -> Assembly {
    let patches = (0..vertices / points).map(|number| {
        let first = number * points;
        (Shape::Patch, (first..first + points).collect(), Vec::new())
    });
    Assembly { primitives: numbered(patches), ..Assembly::default() }
}
