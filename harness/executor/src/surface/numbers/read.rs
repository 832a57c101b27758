//! Numbers of fields to numbers of channels, sixteen at a time.
//!
//! Each function takes the bits of a field, shifted down, and leaves the bits of the channel. They
//! are loops over whole arrays without branches, which the compiler turns into vector code.

/// Texels converted at a time.
pub(crate) const LANES: usize = 16;

/// One channel of [`LANES`] texels.
pub(crate) type Words = [u32; LANES];

#[inline(always)]
fn map(words: &mut Words, convert: impl Fn(u32) -> u32) {
    for word in words {
        *word = convert(*word);
    }
}

#[inline(always)]
fn signed(word: u32, bits: u32) -> i32 {
    (word << (32 - bits)).cast_signed() >> (32 - bits)
}

/// Fractions of the greatest code, up to 24 bits: one correctly rounded division.
#[inline(always)]
pub(crate) fn unorm(words: &mut Words, bits: u32) {
    let greatest = ((1u32 << bits) - 1) as f32;
    map(words, |word| (word.cast_signed() as f32 / greatest).to_bits());
}

/// Fractions of 2³² - 1: the quotient is the code's bits repeated for ever, of which 64 and the
/// knowledge that others follow decide the rounding.
#[inline(always)]
pub(crate) fn unorm32(words: &mut Words) {
    map(words, |word| fraction32(word).to_bits());
}

#[inline(always)]
fn fraction32(word: u32) -> f32 {
    let repeated = u64::from(word) << 32 | u64::from(word);
    let sticky = u64::from(word != 0);
    (repeated | sticky) as f32 * f32::from_bits((127 - 64) << 23)
}

/// Signed fractions, up to 24 bits; the two least codes are -1.
#[inline(always)]
pub(crate) fn snorm(words: &mut Words, bits: u32) {
    let greatest = ((1i32 << (bits - 1)) - 1).max(1);
    let divisor = greatest as f32;
    map(words, |word| (signed(word, bits).max(-greatest) as f32 / divisor).to_bits());
}

/// Signed fractions of 2³¹ - 1.
#[inline(always)]
pub(crate) fn snorm32(words: &mut Words) {
    map(words, |word| {
        let magnitude = u64::from(word.cast_signed().unsigned_abs().min(0x7FFF_FFFF));
        let repeated = magnitude << 31 | magnitude | u64::from(magnitude != 0);
        let fraction = repeated as f32 * f32::from_bits((127 - 62) << 23);
        fraction.to_bits() | word & 1 << 31
    });
}

/// Signed fractions without a zero, up to 24 bits.
#[inline(always)]
pub(crate) fn snorm_no_zero(words: &mut Words, bits: u32) {
    let greatest = ((1u32 << bits) - 1) as f32;
    map(words, |word| ((2 * signed(word, bits) + 1) as f32 / greatest).to_bits());
}

/// Signed fractions without a zero, 32 bits.
#[inline(always)]
pub(crate) fn snorm_no_zero32(words: &mut Words) {
    map(words, |word| {
        let sign = word & 1 << 31;
        let magnitude = if sign == 0 { 2 * word + 1 } else { 2 * !word + 1 };
        fraction32(magnitude).to_bits() | sign
    });
}

/// Two's complement integers.
#[inline(always)]
pub(crate) fn sint(words: &mut Words, bits: u32) {
    map(words, |word| signed(word, bits).cast_unsigned());
}

/// Floats of integers.
#[inline(always)]
pub(crate) fn uscaled(words: &mut Words) {
    map(words, |word| (word as f32).to_bits());
}

/// Floats of two's complement integers.
#[inline(always)]
pub(crate) fn sscaled(words: &mut Words, bits: u32) {
    map(words, |word| (signed(word, bits) as f32).to_bits());
}

/// Two's complement with 16 bits after the point.
#[inline(always)]
pub(crate) fn sfixed(words: &mut Words) {
    map(words, |word| (word.cast_signed() as f32 * (1.0 / 65536.0)).to_bits());
}

/// IEEE binary16.
#[inline(always)]
pub(crate) fn half(words: &mut Words) {
    map(words, |word| float(word & 0x7FFF, 10) | (word & 0x8000) << 16);
}

/// A half float as a float.
pub(crate) fn from_half(bits: u16) -> u32 {
    let mut words = [bits.into(); LANES];
    half(&mut words);
    words[0]
}

/// Floats of 10 or 11 bits without sign.
#[inline(always)]
pub(crate) fn small(words: &mut Words, bits: u32) {
    map(words, |word| float(word, bits - 5));
}

/// A magnitude with five exponent bits and so many fraction bits. Denormals are integers times their
/// last place; products with denormals of the host would be slow.
#[inline(always)]
fn float(magnitude: u32, fraction: u32) -> u32 {
    let mask = |condition: bool| u32::from(condition).wrapping_neg();
    let exponent = magnitude >> fraction;
    let place = f32::from_bits((127 - 14 - fraction) << 23);
    let denormal = (magnitude.cast_signed() as f32 * place).to_bits();
    let rebased = (magnitude << (23 - fraction)) + ((127 - 15) << 23);
    let normal = rebased | mask(exponent == 31) & 0x7F80_0000;
    let is_denormal = mask(exponent == 0);
    denormal & is_denormal | normal & !is_denormal
}

/// Nine bits times the power of two that five others stand for.
#[inline(always)]
pub(crate) fn shared(words: &mut Words, exponents: &Words) {
    for (word, exponent) in words.iter_mut().zip(exponents) {
        let scale = f32::from_bits((exponent + 127 - 24) << 23);
        *word = (word.cast_signed() as f32 * scale).to_bits();
    }
}

/// Looked up.
#[inline(always)]
pub(crate) fn table(words: &mut Words, entries: &[u32]) {
    map(words, |word| entries[word as usize]);
}
