//! Records of the AVC loop filter, and the 256 bytes that are made of one.

use parallax_isa::shared::{Memory, Request, Unanswered};

use super::{
    super::{Reply, lengths, refuse},
    buffer::Linear,
    message::Runs,
    surface::{Surfaces, Target},
    words,
};

/// Four strengths of boundaries: the bit of the record where the first one starts, and bits of each.
#[derive(Debug, Clone, Copy)]
struct Strengths(usize, usize);

/// On the left, of both kinds, and above.
const LEFT: [Strengths; 2] = [Strengths(80, 4), Strengths(96, 4)];
const ABOVE: [Strengths; 2] = [Strengths(112, 4), Strengths(128, 4)];

/// Inside: down after 4, 8 and 12 pixels, then across.
const fn inside(number: usize) -> Strengths {
    Strengths(32 + 8 * number, 2)
}

impl Strengths {
    fn of(self, record: &[u8]) -> [u8; 4] {
        let Self(first, bits) = self;
        std::array::from_fn(|n| {
            let bit = first + n * bits;
            record[bit >> 3] >> (bit & 7) & ((1 << bits) - 1)
        })
    }
}

/// Bytes of the reply that hold tc0 of four segments, the segments, and the byte of the record with their
/// index A.
const LIMITS: [(usize, Strengths, usize); 22] = [
    // Luma.
    (96, LEFT[0], 20),
    (100, inside(0), 18),
    (104, inside(1), 18),
    (108, inside(2), 18),
    (112, ABOVE[0], 24),
    (116, inside(3), 18),
    (120, inside(4), 18),
    (124, inside(5), 18),
    (152, LEFT[1], 22),
    (156, ABOVE[1], 26),
    // Cb.
    (160, LEFT[0], 30),
    (164, inside(1), 28),
    (168, ABOVE[0], 34),
    (172, inside(4), 28),
    (232, LEFT[1], 32),
    (236, ABOVE[1], 36),
    // Cr.
    (176, LEFT[0], 40),
    (180, inside(1), 38),
    (184, ABOVE[0], 44),
    (188, inside(4), 38),
    (248, LEFT[1], 42),
    (252, ABOVE[1], 46),
];

/// Bytes of the reply that hold alpha, with beta behind it, and of the record that hold their indices.
const THRESHOLDS: [(usize, usize); 15] = [
    (128, 20),
    (130, 24),
    (132, 18),
    (144, 22),
    (146, 26),
    (192, 30),
    (194, 34),
    (196, 28),
    (224, 32),
    (226, 36),
    (200, 40),
    (202, 44),
    (204, 38),
    (240, 42),
    (242, 46),
];

/// Bytes of the reply that hold both maps of an outer edge.
const OUTER_MAPS: [(usize, Strengths); 4] =
    [(80, LEFT[0]), (84, ABOVE[0]), (88, LEFT[1]), (92, ABOVE[1])];

/// Alpha from index 16 on.
const ALPHA: [u8; 36] = [
    4, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 17, 20, 22, 25, 28, 32, 36, 40, 45, 50, 56, 63, 71, 80,
    90, 101, 113, 127, 144, 162, 182, 203, 226, 255, 255,
];

/// The indices at which tc0 of a strength grows by one.
const STEPS: [&[u8]; 3] = [
    &[23, 33, 37, 40, 43, 44, 46, 47, 48, 49, 50, 51, 51],
    &[21, 31, 35, 38, 40, 42, 43, 44, 46, 46, 47, 48, 49, 50, 50, 51, 51],
    &[
        17, 27, 31, 34, 37, 38, 40, 41, 42, 43, 44, 45, 45, 46, 47, 47, 48, 48, 49, 49, 50, 50, 50,
        51, 51,
    ],
];

fn alpha(index: u8) -> u8 {
    match usize::from(index).checked_sub(16) {
        None => 0,
        Some(n) => ALPHA[n.min(ALPHA.len() - 1)],
    }
}

fn beta(index: u8) -> u8 {
    match index.min(51) {
        ..=15 => 0,
        16..=18 => 2,
        19..=22 => 3,
        23..=25 => 4,
        index => index / 2 - 7,
    }
}

fn limit(index: u8, strength: u8) -> u8 {
    match strength {
        1..=3 => {
            let steps = STEPS[usize::from(strength) - 1];
            steps.iter().take_while(|step| **step <= index).count() as u8
        }
        _ => 0,
    }
}

/// One bit for each strength, widened to four.
fn map(strengths: [u8; 4], is_set: impl Fn(u8) -> bool) -> u16 {
    let nibble = |(n, strength)| if is_set(strength) { 0xF_u16 << (4 * n) } else { 0 };
    strengths.into_iter().enumerate().map(nibble).sum()
}

/// What the loop filter needs of a record: eight registers, the first two of which are the record.
fn expand(record: [u8; 64]) -> [u8; 256] {
    let mut all = [0; 256];
    all[..64].copy_from_slice(&record);
    for n in 0..6 {
        let map = map(inside(n).of(&record), |strength| strength > 0);
        all[64 + 2 * n..][..2].copy_from_slice(&map.to_le_bytes());
    }
    for (at, edge) in OUTER_MAPS {
        let strengths = edge.of(&record);
        let maps = [map(strengths, |n| n > 0), map(strengths, |n| n >= 4)];
        all[at..][..4].copy_from_slice(maps.map(u16::to_le_bytes).as_flattened());
    }
    for (at, edge, index) in LIMITS {
        let limits = edge.of(&record).map(|strength| limit(record[index], strength));
        all[at..][..4].copy_from_slice(&limits);
    }
    for (at, indices) in THRESHOLDS {
        all[at] = alpha(record[indices]);
        all[at + 1] = beta(record[indices + 1]);
    }
    all
}

/// A read of the record of a macroblock.
pub(super) fn read(
    request: &Request,
    memory: &Memory,
    surfaces: &Surfaces,
) -> Result<Reply, Unanswered> {
    let header = words(&request.payload[0]);
    let target = surfaces.target(request.function_control as u8, header[5])?;
    if matches!(target, Target::Addresses { .. }) {
        return refuse("the record of a loop filter without a surface");
    }
    if header[2] & 15 != 0 {
        return refuse("the record of a loop filter at an odd place");
    }
    lengths(request, 1, 8)?;
    let linear = Linear::of(&target, 4)?;
    let mut runs = Runs::new(2);
    for octword in 0..4 {
        linear.add(&mut runs, 16 * octword, 16, u64::from(header[2]) + 16 * octword as u64)?;
    }
    let mut reply = runs.load(memory)?;
    let mut record = [0; 64];
    for (half, register) in record.chunks_exact_mut(32).zip(&reply) {
        half.copy_from_slice(&register.bytes);
    }
    for (register, bytes) in reply.iter_mut().zip(expand(record).as_chunks::<32>().0) {
        register.bytes = *bytes;
        register.enables = 0xFF;
    }
    Ok(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_indices_and_strengths_have_the_greatest_values() {
        assert_eq!([alpha(51), beta(51)], [255, 18]);
        assert_eq!([1, 2, 3, 4].map(|strength| limit(51, strength)), [13, 17, 25, 0]);
        assert_eq!([1, 2, 3].map(|strength| limit(16, strength)), [0; 3]);
    }

    /// No byte of the reply is said twice.
    #[test]
    fn parts_of_the_reply_do_not_overlap() {
        let maps = OUTER_MAPS.map(|(at, _)| (at, 4));
        let limits = LIMITS.map(|(at, ..)| (at, 4));
        let thresholds = THRESHOLDS.map(|(at, _)| (at, 2));
        let mut taken = [false; 256];
        for (at, bytes) in
            [(0, 64), (64, 12)].into_iter().chain(maps).chain(limits).chain(thresholds)
        {
            for place in &mut taken[at..at + bytes] {
                assert!(!std::mem::replace(place, true), "byte {at}");
            }
        }
    }
}
