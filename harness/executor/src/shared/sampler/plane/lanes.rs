//! All pixels of a message at once, a lane each: where their texels are, what these weigh, and their channels.

use parallax_isa::shared::{Memory, memory::GRAPHICS_BYTES};

use super::{
    super::{
        super::surface_state::Walk,
        filter::{FRACTION, ONE},
        state::Beyond,
    },
    Direction, Texels,
};
use crate::simd::{Avx2, Work};

/// Most pixels of a message.
pub(super) const MOST: usize = 16;

/// A number of each pixel.
pub(super) type Lanes = [u32; MOST];

/// Up to three parameters of the pixels of a message, and which of these are on.
pub(super) struct Pixels<'m> {
    pub(super) texels: &'m Texels,
    /// How they are filtered; loaded if they are not.
    pub(super) linear: Option<[Direction; 2]>,
    /// By how many texels each is moved.
    pub(super) offsets: [i32; 2],
    /// The parameters, as many words each as there are pixels. What computes with them takes them out of
    /// registers itself: copies wait until what wrote them has left the processor.
    pub(super) words: [&'m [[u8; 4]]; 3],
    pub(super) active: u32,
    pub(super) memory: &'m Memory,
}

/// What becomes of them.
#[derive(Debug, Default)]
pub(in super::super) struct Colours {
    /// The four channels of each pixel, as bits.
    pub(super) channels: [Lanes; 4],
    /// Some parameter is for the way of all messages.
    pub(super) is_special: bool,
}

impl Work for Pixels<'_> {
    type Input = ();
    type Output = Colours;

    #[inline(always)]
    fn run(&self, (): &(), colours: &mut Colours) {
        match &self.linear {
            Some(directions) => self.filtered(directions, colours),
            None => self.loaded(colours),
        }
    }
}

impl Pixels<'_> {
    /// The texels of the lanes that are on; what the others become is open.
    pub(super) fn colours(&self, colours: &mut Colours) {
        match Avx2::detect() {
            Some(avx2) => avx2.run(self, &(), colours),
            None => self.run(&(), colours),
        }
    }

    /// How tiles lie is asked once, not for each of the texels.
    #[inline(always)]
    fn loaded(&self, colours: &mut Colours) {
        match self.texels.walk {
            Walk::Linear => self.loaded_along(Walk::Linear, colours),
            Walk::X => self.loaded_along(Walk::X, colours),
            Walk::Y => self.loaded_along(Walk::Y, colours),
        }
    }

    /// One loop over as many lanes as there are: of a number that it knows the compiler makes code that
    /// computes channels together, not lanes, and puts these into their places one by one.
    #[inline(always)]
    fn loaded_along(&self, walk: Walk, colours: &mut Colours) {
        let texels = self.texels;
        let [width, height] = texels.size;
        let [across, down] = self.offsets.map(i32::cast_unsigned);
        let lanes = self.words[0].len().min(MOST);
        let [columns, rows, others] = self.words.map(|words| &words[..lanes]);
        let [red, green, blue, alpha] = &mut colours.channels;
        let mut special = 0;
        for lane in 0..lanes {
            let [column, row, other] =
                [columns, rows, others].map(|words| u32::from_le_bytes(words[lane]));
            let (column, row) = (column.wrapping_add(across), row.wrapping_add(down));
            // What is 0 where a pixel is in the plane.
            let right = column.saturating_sub(width - 1);
            let below = row.saturating_sub(height - 1);
            let beyond = right | below | other;
            special |= (self.active >> lane & 1).wrapping_neg() & beyond;
            let place = texels.row(walk, (row - below).into())
                + texels.column(walk, (column - right).into());
            let texel = texel(place as u32, self.memory);
            red[lane] = fraction(texel, 0).to_bits();
            green[lane] = fraction(texel, 1).to_bits();
            blue[lane] = fraction(texel, 2).to_bits();
            alpha[lane] = fraction(texel, 3).to_bits();
        }
        colours.is_special = special != 0;
    }

    /// Four texels of each with their weights, of which sums and products are exact.
    #[inline(always)]
    fn filtered(&self, directions: &[Direction; 2], colours: &mut Colours) {
        let mut words = [[0; MOST]; 3];
        for (lanes, words) in words.iter_mut().zip(self.words) {
            lanes.iter_mut().zip(words).for_each(|(lane, word)| *lane = u32::from_le_bytes(*word));
        }
        // Levels of detail are of all pixels, whichever are on.
        let parameters = words.as_flattened().iter();
        let infinite = parameters.fold(0, |any, word| any | u32::from(!is_finite(*word)));
        let (texels, offsets) = (self.texels, self.offsets);
        let [width, height] = texels.size;
        let across = directions[0].pair(&words[0], width as i32, offsets[0]);
        let down = directions[1].pair(&words[1], height as i32, offsets[1]);
        colours.is_special = infinite != 0 || across.is_far || down.is_far;
        let columns = [texels.columns(&across.texels[0]), texels.columns(&across.texels[1])];
        let rows = [texels.rows(&down.texels[0]), texels.rows(&down.texels[1])];
        let mut around = [([0; MOST], [0.0; MOST]); 4];
        for (n, (texel, weight)) in around.iter_mut().enumerate() {
            let (column, row) = (n % 2, n / 2);
            *texel = texels.read(&columns[column], &rows[row], self.memory);
            for (lane, weight) in weight.iter_mut().enumerate() {
                *weight = f64::from(across.weights[column][lane] * down.weights[row][lane]);
            }
        }
        for (channel, lanes) in colours.channels.iter_mut().enumerate() {
            for (lane, bits) in lanes.iter_mut().enumerate() {
                let mut sum = 0.0;
                for (texel, weight) in &around {
                    sum += weight[lane] * f64::from(fraction(texel[lane], channel));
                }
                *bits = ((sum * (1.0 / (ONE * ONE) as f64)) as f32).to_bits();
            }
        }
    }
}

/// The two texels of a direction on whose sides each pixel is, and what they weigh.
struct Pair {
    texels: [Lanes; 2],
    weights: [[i32; MOST]; 2],
    /// Some pixel is too far away for numbers of 32 bits.
    is_far: bool,
}

impl Direction {
    /// Those of finite coordinates on so many texels.
    #[inline(always)]
    fn pair(&self, coordinates: &Lanes, size: i32, offset: i32) -> Pair {
        const FAR: f64 = (1_u32 << 30) as f64;
        let half = if self.rounds { 0.5 } else { 0.0 };
        let whole = f64::from(size) * ONE as f64;
        let (mut near, mut share, mut far) = ([0; MOST], [0; MOST], 0);
        for lane in 0..MOST {
            // The product is exact, and so is the sum, but for numbers whose sum has no other floor.
            let place = (f64::from(f32::from_bits(coordinates[lane])) * whole + half).floor();
            far |= u32::from(place.abs() >= FAR);
            let from = integer(place).wrapping_sub(ONE as i32 / 2);
            near[lane] = (from >> FRACTION) + offset;
            share[lane] = from & (ONE as i32 - 1);
        }
        let mut weights = [[0; MOST], share];
        for (weight, share) in weights[0].iter_mut().zip(share) {
            *weight = ONE as i32 - share;
        }
        Pair { texels: self.beyond.pair(near, size), weights, is_far: far != 0 }
    }
}

impl Beyond {
    /// The texels that indices and those behind them stand for.
    #[inline(always)]
    fn pair(self, mut near: [i32; MOST], size: i32) -> [Lanes; 2] {
        // Beyond an edge nothing comes again.
        let period = match self {
            Self::Again => Some(size),
            Self::Reversed => Some(2 * size),
            _ => None,
        };
        if let Some(period) = period {
            for index in &mut near {
                *index -= integer((f64::from(*index) / f64::from(period)).floor()) * period;
            }
        }
        let last = period.map_or(i32::MAX, |period| period - 1);
        let mut next = [0; MOST];
        for (next, index) in next.iter_mut().zip(&near) {
            *next = if *index == last { 0 } else { *index + 1 };
        }
        [self.turned(&near, size), self.turned(&next, size)]
    }

    /// Indices within a period as texels.
    #[inline(always)]
    fn turned(self, indices: &[i32; MOST], size: i32) -> Lanes {
        let is_reversed = self == Self::Reversed;
        let mut texels = [0; MOST];
        for (texel, index) in texels.iter_mut().zip(indices) {
            let back = if is_reversed { 2 * size - 1 - *index } else { *index };
            *texel = (*index).min(back).clamp(0, size - 1).cast_unsigned();
        }
        texels
    }
}

impl Texels {
    /// What columns add to the places of their texels.
    #[inline(always)]
    fn columns(&self, columns: &Lanes) -> Lanes {
        self.places(columns, |walk, column| self.column(walk, column))
    }

    /// The places of the first texels of rows.
    #[inline(always)]
    fn rows(&self, rows: &Lanes) -> Lanes {
        self.places(rows, |walk, row| self.row(walk, row))
    }

    /// What a column adds.
    #[inline(always)]
    fn column(&self, walk: Walk, column: u64) -> u64 {
        walk.column(4 * (self.first[0] + column))
    }

    /// The place of the first texel of a row.
    #[inline(always)]
    fn row(&self, walk: Walk, row: u64) -> u64 {
        self.base + walk.row(self.pitch, self.first[1] + row)
    }

    /// A place for each number. How tiles lie is asked once, not for each of them.
    #[inline(always)]
    fn places(&self, numbers: &Lanes, place: impl Fn(Walk, u64) -> u64) -> Lanes {
        match self.walk {
            Walk::Linear => each(numbers, |number| place(Walk::Linear, number)),
            Walk::X => each(numbers, |number| place(Walk::X, number)),
            Walk::Y => each(numbers, |number| place(Walk::Y, number)),
        }
    }

    /// The texels of some columns and rows.
    #[inline(always)]
    fn read(&self, columns: &Lanes, rows: &Lanes, memory: &Memory) -> Lanes {
        let mut texels = [0; MOST];
        for (to, (column, row)) in texels.iter_mut().zip(columns.iter().zip(rows)) {
            *to = texel(column + row, memory);
        }
        texels
    }
}

#[inline(always)]
fn texel(place: u32, memory: &Memory) -> u32 {
    // Never beyond, which the compiler cannot know.
    let place = (place as usize).min(GRAPHICS_BYTES - 4);
    let bytes = memory.graphics[place..place + 4].first_chunk();
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

#[inline(always)]
fn each(numbers: &Lanes, place: impl Fn(u64) -> u64) -> Lanes {
    let mut places = [0; MOST];
    for (to, number) in places.iter_mut().zip(numbers) {
        *to = place(u64::from(*number)) as u32;
    }
    places
}

/// One divided by 255, in 16 bits, with which a product of a byte is exact, and in what they lack.
const SHARE: [f32; 2] = {
    let first = f32::from_bits((1.0_f32 / 255.0).to_bits() & !0xFF);
    [first, (1.0 / 255.0 - first as f64) as f32]
};

/// A channel of a texel as a fraction. Sums and products are several at a time where divisions are one after
/// the other, and come to the same.
#[inline(always)]
fn fraction(texel: u32, channel: usize) -> f32 {
    let byte = (texel >> (8 * channel) & 0xFF) as f32;
    byte * SHARE[0] + byte * SHARE[1]
}

#[inline(always)]
fn is_finite(word: u32) -> bool {
    const EXPONENT: u32 = 0x7F80_0000;
    word & EXPONENT != EXPONENT
}

/// An integer of 32 bits out of a number that is one; of others something. There is no conversion in it that
/// processors have for one number only.
#[inline(always)]
fn integer(number: f64) -> i32 {
    // The lower bits of a sum with 1.5 * 2^52 are an integer.
    (number + (3_u64 << 51) as f64).to_bits() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_those_of_a_division() {
        for byte in 0..=u8::MAX {
            let texel = u32::from_le_bytes([!byte, byte, byte / 3, !byte]);
            for (channel, byte) in texel.to_le_bytes().into_iter().enumerate() {
                let divided = f32::from(byte) / 255.0;
                assert_eq!(fraction(texel, channel).to_bits(), divided.to_bits(), "{byte}");
            }
        }
    }
}
