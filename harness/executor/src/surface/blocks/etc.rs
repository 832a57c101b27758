//! ETC1 and ETC2: base colours with modifiers, paint colours, planes.
//!
//! Blocks are big-endian 64-bit words; bits are numbered as in the Khronos data format
//! specification. Texels go down the columns.

use super::output::{Picture, block};

/// The modifiers of codes 0 and 1; codes 2 and 3 are their negatives.
const MODIFIERS: [[i32; 2]; 8] =
    [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];

/// The distances of paint colours in modes T and H.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

type Rgb = [i32; 3];

/// A 64-bit block.
#[derive(Clone, Copy)]
struct Word {
    all: u64,
    /// Alpha of its opaque texels, in place.
    alpha: u32,
}

/// Alpha 1 of a texel as bytes.
const OPAQUE: u32 = 255 << 24;

impl Word {
    #[inline(always)]
    fn new(bytes: [u8; 8], alpha: u32) -> Self {
        Self { all: u64::from_be_bytes(bytes), alpha }
    }

    /// The `count` bits from bit `low` up.
    #[inline(always)]
    fn bits(self, low: u32, count: u32) -> i32 {
        (self.all >> low & ((1 << count) - 1)) as i32
    }

    /// A two's complement number of 3 bits.
    #[inline(always)]
    fn signed3(self, low: u32) -> i32 {
        (self.bits(low, 3) ^ 4) - 4
    }

    /// The code of a texel: its bit in the upper plane and its bit in the lower plane.
    #[inline(always)]
    fn code(self, x: usize, y: usize) -> usize {
        let codes = self.all as u32 >> (4 * x + y);
        (codes >> 15 & 2 | codes & 1) as usize
    }

    /// A colour moved by the same number in each channel, as bytes.
    #[inline(always)]
    fn texel(self, colour: Rgb, by: i32) -> u32 {
        let [red, green, blue] = colour.map(|channel| (channel + by).clamp(0, 255) as u32);
        red | green << 8 | blue << 16 | self.alpha
    }
}

#[inline(always)]
fn widen4(number: i32) -> i32 {
    number * 17
}

#[inline(always)]
fn widen5(number: i32) -> i32 {
    number << 3 | number >> 2
}

#[inline(always)]
fn widen6(number: i32) -> i32 {
    number << 2 | number >> 4
}

#[inline(always)]
fn widen7(number: i32) -> i32 {
    number << 1 | number >> 6
}

/// The texel of a transparent colour.
const CLEAR: u32 = 0;

/// ETC1. Sums of the differential mode wrap.
#[inline(always)]
pub(super) fn etc1(bytes: [u8; 8]) -> Picture {
    let word = Word::new(bytes, OPAQUE);
    if word.bits(33, 1) == 0 {
        return halves(word, individual(word), false);
    }
    let (first, second) = differential(word);
    halves(word, [first, second.map(|channel| channel & 31)].map(|c| c.map(widen5)), false)
}

/// ETC2: ETC1, whose overflows say that a block is of another mode.
#[inline(always)]
pub(super) fn etc2(bytes: [u8; 8]) -> Picture {
    etc2_word(Word::new(bytes, OPAQUE))
}

/// ETC2 to be merged with alpha.
#[inline(always)]
pub(super) fn etc2_without_alpha(bytes: [u8; 8]) -> Picture {
    etc2_word(Word::new(bytes, 0))
}

#[inline(always)]
fn etc2_word(word: Word) -> Picture {
    if word.bits(33, 1) == 0 {
        return halves(word, individual(word), false);
    }
    overflowing(word, false)
}

/// ETC2 in which the bit of the differential mode says instead that all texels are opaque.
#[inline(always)]
pub(super) fn etc2_punch_through(bytes: [u8; 8]) -> Picture {
    let word = Word::new(bytes, OPAQUE);
    overflowing(word, word.bits(33, 1) == 0)
}

/// The base colours of 4 bits.
#[inline(always)]
fn individual(word: Word) -> [Rgb; 2] {
    let base = |low: u32| [low + 16, low + 8, low].map(|low| widen4(word.bits(low, 4)));
    [base(44), base(40)]
}

/// The base colour of 5 bits and its sum with the differences of 3 bits.
#[inline(always)]
fn differential(word: Word) -> (Rgb, Rgb) {
    let first = [59, 51, 43].map(|low| word.bits(low, 5));
    let lows = [56, 48, 40];
    (first, std::array::from_fn(|channel| first[channel] + word.signed3(lows[channel])))
}

/// The mode is that of the first channel whose sum is not one of 5 bits.
#[inline(always)]
fn overflowing(word: Word, punched: bool) -> Picture {
    let (first, second) = differential(word);
    match second.iter().position(|channel| !(0..32).contains(channel)) {
        None => halves(word, [first, second].map(|colour| colour.map(widen5)), punched),
        Some(0) => painted(word, paints_t(word), punched),
        Some(1) => painted(word, paints_h(word), punched),
        Some(_) => planar(word),
    }
}

/// Two halves, beside or above each other, with a base colour and a row of modifiers each.
#[inline(always)]
fn halves(word: Word, bases: [Rgb; 2], punched: bool) -> Picture {
    let tables = [37, 34].map(|low| MODIFIERS[word.bits(low, 3) as usize]);
    let colours: [[u32; 4]; 2] = std::array::from_fn(|half| {
        let ([small, large], base) = (tables[half], bases[half]);
        let small = if punched { 0 } else { small };
        let third = if punched { CLEAR } else { word.texel(base, -small) };
        [word.texel(base, small), word.texel(base, large), third, word.texel(base, -large)]
    });
    let flipped = word.bits(32, 1) == 1;
    block(|x, y| colours[if flipped { y / 2 } else { x / 2 }][word.code(x, y)])
}

/// A paint colour a texel; of the punched ones the third is transparent.
#[inline(always)]
fn painted(word: Word, mut paints: [u32; 4], punched: bool) -> Picture {
    if punched {
        paints[2] = CLEAR;
    }
    let paints = paints;
    block(|x, y| paints[word.code(x, y)])
}

/// Mode T: the first colour, and the second one with two beside it.
#[inline(always)]
fn paints_t(word: Word) -> [u32; 4] {
    let red = word.bits(59, 2) << 2 | word.bits(56, 2);
    let first = [red, word.bits(52, 4), word.bits(48, 4)].map(widen4);
    let second = [44, 40, 36].map(|low| widen4(word.bits(low, 4)));
    let distance = DISTANCES[(word.bits(34, 2) << 1 | word.bits(32, 1)) as usize];
    [
        word.texel(first, 0),
        word.texel(second, distance),
        word.texel(second, 0),
        word.texel(second, -distance),
    ]
}

/// Mode H: two colours beside each of two. Their order is the last bit of the distance.
#[inline(always)]
fn paints_h(word: Word) -> [u32; 4] {
    let green = word.bits(56, 3) << 1 | word.bits(52, 1);
    let blue = word.bits(51, 1) << 3 | word.bits(47, 3);
    let first = [word.bits(59, 4), green, blue];
    let second = [43, 39, 35].map(|low| word.bits(low, 4));
    let ordered = i32::from(first >= second);
    let distance = word.bits(34, 1) << 2 | word.bits(32, 1) << 1 | ordered;
    let distance = DISTANCES[distance as usize];
    let [first, second] = [first, second].map(|colour| colour.map(widen4));
    let beside = |colour| [word.texel(colour, distance), word.texel(colour, -distance)];
    let ([a, b], [c, d]) = (beside(first), beside(second));
    [a, b, c, d]
}

/// Planar mode: the colour at the origin and four texels from it in both directions.
#[inline(always)]
fn planar(word: Word) -> Picture {
    let origin = [
        widen6(word.bits(57, 6)),
        widen7(word.bits(56, 1) << 6 | word.bits(49, 6)),
        widen6(word.bits(48, 1) << 5 | word.bits(43, 2) << 3 | word.bits(39, 3)),
    ];
    let horizontal = [
        widen6(word.bits(34, 5) << 1 | word.bits(32, 1)),
        widen7(word.bits(25, 7)),
        widen6(word.bits(19, 6)),
    ];
    let vertical = [widen6(word.bits(13, 6)), widen7(word.bits(6, 7)), widen6(word.bits(0, 6))];
    block(|x, y| {
        let colour = std::array::from_fn(|channel| {
            let o = origin[channel];
            let [right, down] = [horizontal[channel] - o, vertical[channel] - o];
            (x as i32 * right + y as i32 * down + 4 * o + 2) >> 2
        });
        word.texel(colour, 0)
    })
}
