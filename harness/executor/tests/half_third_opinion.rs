//! Half floats against the crate `half`: every pattern read, and numbers of every class written.

use half::f16;
use parallax_executor::surface::{Decoder, Encoder, View};
use parallax_isa::{Device, surface::Fetch};

#[test]
fn every_pattern_is_read_alike() {
    let decoder = Decoder::new(Device::G45, "R16_FLOAT", &View::default()).expect("a format");
    let bytes: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let mut texels = vec![[0; 4]; 1 << 16];
    decoder.rows(&bytes, &mut texels).expect("no palette");
    for (pattern, texel) in (0..=u16::MAX).zip(texels) {
        let (theirs, ours) = (f16::from_bits(pattern).to_f32(), f32::from_bits(texel[0]));
        assert!(
            theirs.to_bits() == texel[0] || theirs.is_nan() && ours.is_nan(),
            "{pattern:04x} is {ours:e}, half has {theirs:e}"
        );
    }
}

#[test]
fn numbers_are_written_alike() {
    let encoder = Encoder::new(Device::G45, "R16_FLOAT", &Fetch::default()).expect("a format");
    // A stride that meets every exponent and many fractions, ties among them.
    let numbers = (0..=u32::MAX).step_by(4093).chain((0..1 << 19).map(|n| n << 12 | 0x1000));
    for bits in numbers.filter(|bits| !f32::from_bits(*bits).is_nan()) {
        let mut bytes = [0; 2];
        encoder.rows(&[[bits, 0, 0, 0]], &mut bytes);
        let theirs = f16::from_f32(f32::from_bits(bits)).to_bits();
        assert_eq!(u16::from_le_bytes(bytes), theirs, "{bits:08x}");
    }
}
