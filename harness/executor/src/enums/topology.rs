//! Vertices as they arrive, one after the other, made into primitives by a small machine that remembers
//! some of them.

use parallax_isa::enums::{Assembly, Primitive, Reserved, Shape, Stipple};

/// Primitives of some vertices; those that are not enough for another are dropped.
///
/// # Errors
/// If the code is reserved.
pub fn primitives(code: u8, vertices: u32) -> Result<Assembly, Reserved> {
    let mut made = Made::default();
    let all: Vec<u32> = (0..vertices).collect();
    match code {
        0x01 | 0x11 => all.iter().for_each(|&vertex| made.add(Shape::Point, &[vertex])),
        0x02 => all.chunks_exact(2).for_each(|pair| made.add(Shape::Line, pair)),
        0x03 | 0x12..=0x14 => all.windows(2).for_each(|pair| made.add(Shape::Line, pair)),
        0x04 => all.chunks_exact(3).for_each(|three| made.add(Shape::Triangle, three)),
        0x05 | 0x0D => {
            for (place, three) in all.windows(3).enumerate() {
                let &[a, b, c] = three else { continue };
                let is_turned = (place & 1 != 0) ^ (code == 0x0D);
                made.add(Shape::Triangle, &if is_turned { [a, c, b] } else { [a, b, c] });
            }
        }
        0x06 | 0x16 | 0x0E => {
            for pair in all.get(1..).unwrap_or_default().windows(2) {
                made.add(Shape::Triangle, &[0, pair[0], pair[1]]);
            }
        }
        0x07 => all.chunks_exact(4).for_each(|four| made.add(Shape::Quad, four)),
        0x08 => {
            for four in all.windows(4).step_by(2) {
                made.add(Shape::Quad, &[four[0], four[1], four[3], four[2]]);
            }
        }
        0x09 => {
            for four in all.chunks_exact(4) {
                made.add_beside(Shape::Line, &[four[1], four[2]], &[four[0], four[3]]);
            }
        }
        0x0A => {
            for four in all.windows(4) {
                made.add_beside(Shape::Line, &[four[1], four[2]], &[four[0], four[3]]);
            }
        }
        0x0B => {
            for six in all.chunks_exact(6) {
                let every_other = |from: usize| [six[from], six[from + 2], six[from + 4]];
                made.add_beside(Shape::Triangle, &every_other(0), &every_other(1));
            }
        }
        0x0C => with_neighbours(&mut made, &all),
        0x0F => all.chunks_exact(3).for_each(|three| made.add(Shape::Rectangle, three)),
        0x10 => {
            all.windows(2).for_each(|pair| made.add(Shape::Line, pair));
            if let [first, .., last] = all[..] {
                made.add(Shape::Line, &[last, first]);
            }
        }
        0x20..=0x3F => {
            let points = usize::from(code & 0x1F) + 1;
            all.chunks_exact(points).for_each(|patch| made.add(Shape::Patch, patch));
        }
        _ => return Err(Reserved { what: "primitive topology", code: code.into() }),
    }
    if code == 0x0E {
        made.0.iter_mut().for_each(|part| part.object = 0);
    }
    Ok(Assembly {
        primitives: made.0,
        back_facing: matches!(code, 0x11 | 0x13 | 0x14),
        stipple: match code {
            0x12 | 0x14 => Stipple::Continued,
            0x16 => Stipple::Off,
            _ => Stipple::Restarted,
        },
    })
}

/// The primitives so far.
#[derive(Default)]
struct Made(Vec<Primitive>);

impl Made {
    fn add(&mut self, shape: Shape, vertices: &[u32]) {
        self.add_beside(shape, vertices, &[]);
    }

    fn add_beside(&mut self, shape: Shape, vertices: &[u32], adjacent: &[u32]) {
        let object = self.0.len() as u32;
        let (vertices, adjacent) = (vertices.to_vec(), adjacent.to_vec());
        self.0.push(Primitive { shape, vertices, adjacent, object });
    }
}

/// A strip in which the odd vertices belong to neighbours: a pair of vertices ends each triangle.
fn with_neighbours(made: &mut Made, all: &[u32]) {
    let pairs: Vec<_> = all.chunks_exact(2).collect();
    for (number, three) in pairs.windows(3).enumerate() {
        let [a, b, c] = [three[0][0], three[1][0], three[2][0]];
        let behind = if number == 0 { pairs[0][1] } else { pairs[number - 1][0] };
        let ahead = pairs.get(number + 3).map_or(three[2][1], |next| next[0]);
        let outside = three[1][1];
        match number % 2 {
            0 => made.add_beside(Shape::Triangle, &[a, b, c], &[behind, ahead, outside]),
            _ => made.add_beside(Shape::Triangle, &[a, c, b], &[outside, ahead, behind]),
        }
    }
}
