//! ETC1 and ETC2 (public: Khronos Data Format Specification). A block is a big-endian 64-bit
//! word; bits are numbered from its least significant.

/// Red, green and blue, or with alpha.
type Rgb = [i32; 3];

/// What a subblock's codes add: small and large, by table.
const MODIFIERS: [[i32; 2]; 8] =
    [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];

/// The distances of the T and H modes.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

/// `high:low` of the word.
fn bits(word: u64, high: u32, low: u32) -> i32 {
    (word >> low & ((1 << (high - low + 1)) - 1)) as i32
}

/// A 3-bit two's complement number whose top bit is `high`.
fn delta(word: u64, high: u32) -> i32 {
    let value = bits(word, high, high - 2);
    if value >= 4 { value - 8 } else { value }
}

/// 4, 5, 6 or 7 bits widened to 8 by repeating the top ones.
fn widen(value: i32, width: u32) -> i32 {
    match width {
        4 => value << 4 | value,
        _ => value << (8 - width) | value >> (2 * width - 8),
    }
}

fn clamped(colour: Rgb) -> [u8; 3] {
    colour.map(|channel| channel.clamp(0, 255) as u8)
}

fn shifted(colour: Rgb, by: i32) -> [u8; 3] {
    clamped(colour.map(|channel| channel + by))
}

/// The 2-bit code of texel (x, y): its high bits are in 31:16, its low bits in 15:0, column by
/// column.
fn code(word: u64, x: usize, y: usize) -> usize {
    let place = 4 * x + y;
    (word >> (16 + place) & 1) as usize * 2 + (word >> place & 1) as usize
}

/// 16 texels, row by row.
fn texels<T>(texel: impl Fn(usize, usize) -> T) -> [T; 16] {
    std::array::from_fn(|n| texel(n % 4, n / 4))
}

/// The block's mode and what it says.
enum Mode {
    /// Two subblocks, each with a base colour.
    Subblocks([Rgb; 2]),
    /// Four colours, in the order of their codes.
    Colours([[u8; 3]; 4]),
    /// Colours at the origin, at x = 4 and at y = 4.
    Planar { origin: Rgb, horizontal: Rgb, vertical: Rgb },
}

/// Base colours of 4 bits each.
fn individual(word: u64) -> Mode {
    let base = |offset: u32| [60, 52, 44].map(|low| bits(word, low + 3 - offset, low - offset));
    Mode::Subblocks([0, 4].map(|offset| base(offset).map(|channel| widen(channel, 4))))
}

/// The first base colour, of 5 bits, and the second as the sum of it and a difference, which may
/// lie outside 0 to 31.
fn differential_bases(word: u64) -> [Rgb; 2] {
    let first = [59, 51, 43].map(|low| bits(word, low + 4, low));
    let differences = [58, 50, 42].map(|high| delta(word, high));
    [first, std::array::from_fn(|channel| first[channel] + differences[channel])]
}

/// The mode of an ETC2 block whose differential bit counts as set: which sum leaves the range, if
/// any, chooses T, H or planar.
fn differential(word: u64) -> Mode {
    let bases = differential_bases(word);
    let outside = bases[1].map(|channel| !(0..=31).contains(&channel));
    match outside {
        [true, ..] => t_mode(word),
        [_, true, _] => h_mode(word),
        [_, _, true] => planar(word),
        _ => Mode::Subblocks(bases.map(|base| base.map(|channel| widen(channel, 5)))),
    }
}

/// T: one colour alone, and one with two more at a distance.
fn t_mode(word: u64) -> Mode {
    let red = bits(word, 60, 59) << 2 | bits(word, 57, 56);
    let first = [red, bits(word, 55, 52), bits(word, 51, 48)].map(|channel| widen(channel, 4));
    let second = [47, 43, 39].map(|high| widen(bits(word, high, high - 3), 4));
    let distance = DISTANCES[(bits(word, 35, 34) << 1 | bits(word, 32, 32)) as usize];
    Mode::Colours([
        clamped(first),
        shifted(second, distance),
        clamped(second),
        shifted(second, -distance),
    ])
}

/// H: two colours, each at a distance to both sides. The order of the colours is the last bit of
/// the distance.
fn h_mode(word: u64) -> Mode {
    let green = bits(word, 58, 56) << 1 | bits(word, 52, 52);
    let blue = bits(word, 51, 51) << 3 | bits(word, 49, 47);
    let first = [bits(word, 62, 59), green, blue].map(|channel| widen(channel, 4));
    let second = [46, 42, 38].map(|high| widen(bits(word, high, high - 3), 4));
    let order = usize::from(first >= second);
    let index = (bits(word, 34, 34) << 2 | bits(word, 32, 32) << 1) as usize | order;
    let distance = DISTANCES[index];
    Mode::Colours([
        shifted(first, distance),
        shifted(first, -distance),
        shifted(second, distance),
        shifted(second, -distance),
    ])
}

/// Planar: three colours of 6, 7 and 6 bits.
fn planar(word: u64) -> Mode {
    let colour = |red: i32, green: i32, blue: i32| [widen(red, 6), widen(green, 7), widen(blue, 6)];
    let blue = bits(word, 48, 48) << 5 | bits(word, 44, 43) << 3 | bits(word, 41, 39);
    let green = bits(word, 56, 56) << 6 | bits(word, 54, 49);
    Mode::Planar {
        origin: colour(bits(word, 62, 57), green, blue),
        horizontal: colour(
            bits(word, 38, 34) << 1 | bits(word, 32, 32),
            bits(word, 31, 25),
            bits(word, 24, 19),
        ),
        vertical: colour(bits(word, 18, 13), bits(word, 12, 6), bits(word, 5, 0)),
    }
}

/// The colour of a texel of a mode; `opaque` is false in blocks with punched-through texels, whose
/// small modifiers are 0.
fn colour(word: u64, mode: &Mode, x: usize, y: usize, opaque: bool) -> [u8; 3] {
    let code = code(word, x, y);
    match mode {
        Mode::Subblocks(bases) => {
            let flipped = bits(word, 32, 32) == 1;
            let second = if flipped { y >= 2 } else { x >= 2 };
            let table = if second { bits(word, 36, 34) } else { bits(word, 39, 37) };
            let [small, large] = MODIFIERS[table as usize];
            let small = if opaque { small } else { 0 };
            shifted(bases[usize::from(second)], [small, large, -small, -large][code])
        }
        Mode::Colours(colours) => colours[code],
        Mode::Planar { origin, horizontal, vertical } => {
            let (x, y) = (x as i32, y as i32);
            let channel = |n: usize| {
                let (o, h, v) = (origin[n], horizontal[n], vertical[n]);
                (x * (h - o) + y * (v - o) + 4 * o + 2) >> 2
            };
            clamped([channel(0), channel(1), channel(2)])
        }
    }
}

/// ETC1. A second base colour outside the range wraps: no encoder makes one.
pub(super) fn etc1(bytes: [u8; 8]) -> [[u8; 3]; 16] {
    // Decision D-surface-etc1-overflow.
    let word = u64::from_be_bytes(bytes);
    let mode = if bits(word, 33, 33) == 0 {
        individual(word)
    } else {
        let wrapped = differential_bases(word).map(|base| base.map(|channel| channel & 31));
        Mode::Subblocks(wrapped.map(|base| base.map(|channel| widen(channel, 5))))
    };
    texels(|x, y| colour(word, &mode, x, y, true))
}

/// ETC2 RGB.
pub(super) fn etc2(bytes: [u8; 8]) -> [[u8; 3]; 16] {
    let word = u64::from_be_bytes(bytes);
    let mode = if bits(word, 33, 33) == 0 { individual(word) } else { differential(word) };
    texels(|x, y| colour(word, &mode, x, y, true))
}

/// ETC2 RGB with punch-through alpha: always differential; the differential bit says that every
/// texel is opaque, else code 2 is transparent black, but in planar blocks.
pub(super) fn etc2_punch_through(bytes: [u8; 8]) -> [[u8; 4]; 16] {
    let word = u64::from_be_bytes(bytes);
    let opaque = bits(word, 33, 33) == 1;
    let mode = differential(word);
    texels(|x, y| {
        let holes = !opaque && !matches!(mode, Mode::Planar { .. });
        if holes && code(word, x, y) == 2 {
            return [0; 4];
        }
        let [r, g, b] = colour(word, &mode, x, y, opaque);
        [r, g, b, 255]
    })
}
