//! What fetches read.

use parallax_isa::r700::case::VertexBuffer;

use crate::random::SplitMix64;

/// Formats a vertex fetch or a memory read may use.
pub(super) const FORMATS: [u32; 30] = [
    1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 22, 25, 26, 27, 28, 29, 30, 31, 32,
    34, 35, 43, 47, 48,
];

/// Bytes in which every kind of number has its corners.
pub(super) fn bytes(random: &mut SplitMix64, length: usize) -> Vec<u8> {
    let byte = |_| {
        let bits = random.next();
        match bits >> 60 {
            0 | 1 => 0,
            2 | 3 => 0xFF,
            4 => 0x80,
            5 => 0x7F,
            6 => 0x7C,
            7 => 0x01,
            _ => bits as u8,
        }
    };
    (0..length).map(byte).collect()
}

/// A vertex buffer with every kind of number in it.
pub(super) fn vertex_buffer(random: &mut SplitMix64) -> VertexBuffer {
    let bits = random.next();
    let code = |at: u32, end: u64| ((bits >> at & 0xFF) % end) as u32;
    VertexBuffer {
        bytes: bytes(random, [1024, 1024, 512, 100, 511, 97, 90][code(0, 7) as usize]),
        stride: [16, 12, 8, 20, 4, 0][code(8, 6) as usize],
        data_format: FORMATS[code(16, FORMATS.len() as u64) as usize],
        num_format: code(24, 3),
        format_comp: code(32, 2),
        srf_mode: code(40, 2),
        endian_swap: code(48, 3),
    }
}
