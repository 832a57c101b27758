//! BC7 (public: Direct3D 11 functional specification): eight modes, all arithmetic in integers.

use super::partitions::Partition;

/// What a mode has of everything, in bits.
struct Mode {
    subsets: usize,
    partition: u32,
    rotation: u32,
    index_selection: u32,
    colour: u32,
    alpha: u32,
    /// P bits: none, one an endpoint, or one a subset.
    p_bits: PBits,
    indices: u32,
    second_indices: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PBits {
    None,
    PerEndpoint,
    PerSubset,
}

impl Mode {
    #[rustfmt::skip]
    const ALL: [Self; 8] = [
        Self::new(3, 4, 0, 0, 4, 0, PBits::PerEndpoint, 3, 0),
        Self::new(2, 6, 0, 0, 6, 0, PBits::PerSubset,   3, 0),
        Self::new(3, 6, 0, 0, 5, 0, PBits::None,        2, 0),
        Self::new(2, 6, 0, 0, 7, 0, PBits::PerEndpoint, 2, 0),
        Self::new(1, 0, 2, 1, 5, 6, PBits::None,        2, 3),
        Self::new(1, 0, 2, 0, 7, 8, PBits::None,        2, 2),
        Self::new(1, 0, 0, 0, 7, 7, PBits::PerEndpoint, 4, 0),
        Self::new(2, 6, 0, 0, 5, 5, PBits::PerEndpoint, 2, 0),
    ];

    #[expect(clippy::too_many_arguments, reason = "the columns of the specification's table")]
    const fn new(
        subsets: usize,
        partition: u32,
        rotation: u32,
        index_selection: u32,
        colour: u32,
        alpha: u32,
        p_bits: PBits,
        indices: u32,
        second_indices: u32,
    ) -> Self {
        Self {
            subsets,
            partition,
            rotation,
            index_selection,
            colour,
            alpha,
            p_bits,
            indices,
            second_indices,
        }
    }
}

/// Reads fields from the least significant bit up.
pub(super) struct Bits {
    block: u128,
    at: u32,
}

impl Bits {
    pub(super) const fn new(block: u128) -> Self {
        Self { block, at: 0 }
    }

    /// The next `width` bits, at most 32.
    pub(super) fn take(&mut self, width: u32) -> u32 {
        let field = (self.block >> self.at) as u64 & ((1 << width) - 1);
        self.at += width;
        field as u32
    }
}

/// The weights of indices of 2, 3 and 4 bits, in 64ths.
pub(super) fn weight(index: u32, bits: u32) -> u32 {
    const WEIGHTS_2: [u32; 4] = [0, 21, 43, 64];
    const WEIGHTS_3: [u32; 8] = [0, 9, 18, 27, 37, 46, 55, 64];
    const WEIGHTS_4: [u32; 16] = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];
    let index = index as usize;
    match bits {
        2 => WEIGHTS_2[index],
        3 => WEIGHTS_3[index],
        _ => WEIGHTS_4[index],
    }
}

/// The index of each texel; anchors have one bit less.
pub(super) fn indices(bits: &mut Bits, width: u32, partition: Partition) -> [u32; 16] {
    std::array::from_fn(|texel| bits.take(width - u32::from(partition.is_anchor(texel))))
}

/// The texels of a block, row by row, as red, green, blue, alpha. A block of no mode is all 0.
pub(super) fn decode(block: [u8; 16]) -> [[u8; 4]; 16] {
    let block = u128::from_le_bytes(block);
    let number = block.trailing_zeros() as usize;
    let Some(mode) = Mode::ALL.get(number) else { return [[0; 4]; 16] };
    let mut bits = Bits::new(block);
    bits.take(number as u32 + 1);
    let partition = Partition::new(mode.subsets, bits.take(mode.partition) as usize);
    let rotation = bits.take(mode.rotation);
    let swapped = bits.take(mode.index_selection) == 1;
    let endpoints = endpoints(mode, &mut bits);
    let first = indices(&mut bits, mode.indices, partition);
    let second =
        (mode.second_indices > 0).then(|| indices(&mut bits, mode.second_indices, partition));
    std::array::from_fn(|texel| {
        let primary = weight(first[texel], mode.indices);
        let secondary = second.map_or(primary, |second| weight(second[texel], mode.second_indices));
        let (colour, alpha) = if swapped { (secondary, primary) } else { (primary, secondary) };
        let [a, b] = endpoints[partition.subset(texel)];
        let channel = |n: usize, weight| interpolate(a[n], b[n], weight);
        let mut rgba =
            [channel(0, colour), channel(1, colour), channel(2, colour), channel(3, alpha)];
        // Rotation 1, 2, 3 exchanges alpha with red, green, blue.
        if rotation > 0 {
            rgba.swap(3, rotation as usize - 1);
        }
        rgba
    })
}

/// The two endpoints of each subset, widened to 8 bits; without alpha bits alpha is 255.
fn endpoints(mode: &Mode, bits: &mut Bits) -> [[[u32; 4]; 2]; 3] {
    let mut endpoints = [[[0; 4]; 2]; 3];
    let widths = [mode.colour, mode.colour, mode.colour, mode.alpha];
    for (channel, width) in widths.into_iter().enumerate() {
        for endpoint in endpoints[..mode.subsets].iter_mut().flatten() {
            endpoint[channel] = bits.take(width);
        }
    }
    let mut p_bits = [[None; 2]; 3];
    for subset in &mut p_bits[..mode.subsets] {
        *subset = match mode.p_bits {
            PBits::None => [None; 2],
            PBits::PerEndpoint => [Some(bits.take(1)), Some(bits.take(1))],
            PBits::PerSubset => [Some(bits.take(1)); 2],
        };
    }
    for (subset, p_bits) in endpoints.iter_mut().zip(p_bits) {
        for (endpoint, p_bit) in subset.iter_mut().zip(p_bits) {
            for (channel, width) in endpoint.iter_mut().zip(widths) {
                *channel = if width == 0 { 255 } else { widen(*channel, width, p_bit) };
            }
        }
    }
    endpoints
}

/// A field with its P bit below it, widened to 8 bits by repeating the top ones.
fn widen(field: u32, width: u32, p_bit: Option<u32>) -> u32 {
    let (field, width) = p_bit.map_or((field, width), |bit| (field << 1 | bit, width + 1));
    let top = field << (8 - width);
    top | top >> width
}

fn interpolate(a: u32, b: u32, weight: u32) -> u8 {
    ((a * (64 - weight) + b * weight + 32) >> 6) as u8
}
