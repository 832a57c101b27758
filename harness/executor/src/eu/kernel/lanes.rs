//! Arrays of lanes, which the compiler makes vectors of. What works on them has to be inlined, to be
//! compiled for what its caller is compiled for.

/// An operation on every lane.
#[inline(always)]
pub(in crate::eu) fn each<A: Copy, B: Copy + Default, const N: usize>(
    lanes: [A; N],
    work: impl Fn(A) -> B,
) -> [B; N] {
    let mut results = [B::default(); N];
    for (result, lane) in results.iter_mut().zip(lanes) {
        *result = work(lane);
    }
    results
}

/// An operation on every two lanes.
#[inline(always)]
pub(in crate::eu) fn pairs<A: Copy, B: Copy, C: Copy + Default, const N: usize>(
    first: [A; N],
    second: [B; N],
    work: impl Fn(A, B) -> C,
) -> [C; N] {
    let mut results = [C::default(); N];
    for (result, (a, b)) in results.iter_mut().zip(first.into_iter().zip(second)) {
        *result = work(a, b);
    }
    results
}

/// The bits of the lanes for which something holds.
#[inline(always)]
pub(in crate::eu) fn bits_of<const N: usize>(truth: [bool; N]) -> u16 {
    let bits = truth.iter().enumerate();
    bits.fold(0, |bits, (lane, truth)| bits | u16::from(*truth) << lane)
}

/// One of two numbers, without a branch.
#[inline(always)]
pub(in crate::eu) fn select32(chosen: bool, yes: u32, no: u32) -> u32 {
    no ^ (no ^ yes) & u32::from(chosen).wrapping_neg()
}

/// The doublewords of the lanes that are enabled written to neighbouring places; the others keep what
/// they have.
#[inline(always)]
pub(in crate::eu) fn store32<const N: usize>(places: &mut [u8], enabled: u32, lanes: [u32; N]) {
    let places = places[..4 * N].as_chunks_mut::<4>().0;
    let kept: [u32; N] = std::array::from_fn(|lane| u32::from_le_bytes(places[lane]));
    for (number, (place, lane)) in places.iter_mut().zip(lanes).enumerate() {
        *place = select32(enabled >> number & 1 == 1, lane, kept[number]).to_le_bytes();
    }
}

/// The words of the lanes that are enabled, in the same way.
#[inline(always)]
pub(in crate::eu) fn store16<const N: usize>(places: &mut [u8], enabled: u32, lanes: [u16; N]) {
    let places = places[..2 * N].as_chunks_mut::<2>().0;
    let kept: [u16; N] = std::array::from_fn(|lane| u16::from_le_bytes(places[lane]));
    for (number, (place, lane)) in places.iter_mut().zip(lanes).enumerate() {
        let chosen = (enabled >> number & 1) as u16;
        let value = kept[number] ^ (kept[number] ^ lane) & chosen.wrapping_neg();
        *place = value.to_le_bytes();
    }
}
