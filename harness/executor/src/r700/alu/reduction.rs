//! Reductions: the four vector slots together compute from all their operands.

use super::{
    comparison::pick,
    operation::{Delivers, OP2, Operation, Role, Units, Work},
};
use crate::r700::{
    number::{float, multiply, multiply_zero, result},
    simd::Lanes,
};

/// The operations of this file.
pub(super) static OPERATIONS: &[Operation] = &[
    row("DOT4", 80, 2, Work::Dot4 { ieee: false }),
    row("DOT4_IEEE", 81, 2, Work::Dot4 { ieee: true }),
    row("CUBE", 82, 2, Work::Cube),
    row("MAX4", 83, 1, Work::Max4),
];

const fn row(name: &'static str, code: u16, sources: usize, work: Work) -> Operation {
    let (delivers, role) = (Delivers::Float, Role::Plain);
    Operation { name, code: OP2 + code, units: Units::Vector, sources, delivers, role, work }
}

/// DOT4 and DOT4_IEEE: `((w + z) + y) + x`, each step rounded (E-r700-alu-20).
#[inline(always)]
pub(in crate::r700) fn dot4(sources: [[&Lanes; 2]; 4], ieee: bool, out: &mut Lanes) {
    let product = if ieee { multiply } else { multiply_zero };
    for (pixel, out) in out.iter_mut().enumerate() {
        let [x, y, z, w] = sources.map(|[a, b]| product(a[pixel], b[pixel]));
        let sum = [z, y, x].into_iter().fold(w, |sum, term| f32::from_bits(result(sum + term)));
        *out = result(sum);
    }
}

/// MAX4: the largest of four elements.
#[inline(always)]
pub(in crate::r700) fn max4(sources: [&Lanes; 4], out: &mut Lanes) {
    for (pixel, out) in out.iter_mut().enumerate() {
        let [x, y, z, w] = sources.map(|a| a[pixel]);
        let larger = |a, b| pick(a, b, float(a) >= float(b));
        *out = larger(larger(larger(w, z), y), x);
    }
}

/// CUBE on sources `R.zzxy`, `R.yxzz`: T, S, twice the major axis, face (E-r700-alu-18).
pub(in crate::r700) fn cube(sources: [[&Lanes; 2]; 4], out: [&mut Lanes; 4]) {
    for pixel in 0..64 {
        // Slot Z reads (x, z), slot W reads (y, z).
        let (x, z) = (float(sources[2][0][pixel]), float(sources[2][1][pixel]));
        let y = float(sources[3][0][pixel]);
        let (s, t, axis, face) = if z.abs() >= x.abs() && z.abs() >= y.abs() {
            if z < 0.0 { (-x, -y, z, 5.0) } else { (x, -y, z, 4.0) }
        } else if y.abs() >= x.abs() {
            if y < 0.0 { (x, -z, y, 3.0) } else { (x, z, y, 2.0) }
        } else if x < 0.0 {
            (z, -y, x, 1.0)
        } else {
            (-z, -y, x, 0.0_f32)
        };
        let values = [t, s, axis * 2.0, face];
        for (number, value) in values.into_iter().enumerate() {
            out[number][pixel] = result(value);
        }
    }
}
