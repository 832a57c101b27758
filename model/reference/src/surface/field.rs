//! Fields of bits in a block taken as one little-endian number.

/// `bits` bits (1 to 64) from bit `offset` on.
pub(super) fn extract(bytes: &[u8], offset: u16, bits: u8) -> u64 {
    (0..usize::from(bits)).fold(0, |field, n| {
        let at = usize::from(offset) + n;
        field | u64::from(bytes[at / 8] >> (at % 8) & 1) << n
    })
}

/// Sets `bits` bits from bit `offset` on; they are zero before.
pub(super) fn insert(bytes: &mut [u8], offset: u16, bits: u8, field: u64) {
    for n in 0..usize::from(bits) {
        let at = usize::from(offset) + n;
        bytes[at / 8] |= u8::from(field >> n & 1 == 1) << (at % 8);
    }
}
