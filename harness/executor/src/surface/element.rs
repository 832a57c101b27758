//! Bytes of elements.

/// Copies an element. Nearly all have one of a few lengths, and to copy so many bytes is a move instead of
/// a call.
#[inline(always)]
pub(crate) fn copy_element(from: &[u8], to: &mut [u8]) {
    match to.len() {
        1 => to.copy_from_slice(&from[..1]),
        2 => to.copy_from_slice(&from[..2]),
        4 => to.copy_from_slice(&from[..4]),
        8 => to.copy_from_slice(&from[..8]),
        16 => to.copy_from_slice(&from[..16]),
        _ => to.copy_from_slice(from),
    }
}

#[cfg(test)]
mod tests {
    use super::copy_element;

    #[test]
    fn elements_of_all_lengths_are_copied() {
        let from: [u8; 32] = std::array::from_fn(|n| n as u8 + 1);
        for length in 0..=from.len() {
            let mut to = [0; 33];
            copy_element(&from[..length], &mut to[1..=length]);
            assert_eq!(to[1..=length], from[..length], "{length}");
            assert!(to[..1].iter().chain(&to[length + 1..]).all(|byte| *byte == 0), "{length}");
        }
    }
}
