//! Changes of inputs that are machine code, an instruction or a field at a time: what stands behind keeps
//! its place in a word, as it does not when bytes come and go.

use crate::random::SplitMix64;

/// How an input is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Bytes before the first instruction.
    pub head: usize,
    /// Bytes of an instruction.
    pub word: usize,
}

impl Layout {
    /// The bytes of a word.
    const fn place(self, number: usize) -> std::ops::Range<usize> {
        let start = self.head + number * self.word;
        start..start + self.word
    }

    /// How many whole words an input of so many bytes has.
    const fn words(self, size: usize) -> usize {
        size.saturating_sub(self.head) / self.word
    }

    /// Changes the first `size` bytes of a buffer, which may grow to all of it: two words change places,
    /// one is repeated or left out, or a field of one has another value. How many bytes there are then;
    /// `None` if there is no word.
    pub fn mutate(self, buffer: &mut [u8], size: usize, seed: u64) -> Option<usize> {
        let mut random = SplitMix64::new(seed);
        let size = size.min(buffer.len());
        let words = self.words(size);
        let mut draw = |bound: usize| random.below(bound as u64) as usize;
        if words == 0 {
            return None;
        }
        let [one, other] = [self.place(draw(words)), self.place(draw(words))];
        let size = match draw(6) {
            0 => {
                for (one, other) in one.zip(other) {
                    buffer.swap(one, other);
                }
                size
            }
            1 if size + self.word <= buffer.len() => {
                // A copy of one before another.
                let copy = buffer[one].to_vec();
                buffer.copy_within(other.start..size, other.end);
                buffer[other].copy_from_slice(&copy);
                size + self.word
            }
            2 if words > 1 => {
                buffer.copy_within(one.end..size, one.start);
                size - self.word
            }
            // A field of one to eight bits, wherever it is; also what one word has there to another.
            how => {
                let (first, bits) = (draw(8 * self.word), 1 + draw(8));
                let drawn = draw(256);
                for bit in first..(first + bits).min(8 * self.word) {
                    let (byte, mask) = (bit / 8, 1 << (bit % 8));
                    let is_set = match how {
                        3 => buffer[other.start + byte] & mask != 0,
                        _ => drawn >> (bit - first) & 1 == 1,
                    };
                    let place = &mut buffer[one.start + byte];
                    *place = if is_set { *place | mask } else { *place & !mask };
                }
                size
            }
        };
        Some(size)
    }

    /// Makes an input of the first words of one and the last of another. How many bytes it has.
    pub fn cross(self, one: &[u8], other: &[u8], out: &mut [u8], seed: u64) -> usize {
        let mut random = SplitMix64::new(seed);
        let mut cut = |size: usize| {
            let words = random.below(self.words(size) as u64 + 1) as usize;
            (self.head + words * self.word).min(size)
        };
        let (first, last) = (&one[..cut(one.len())], &other[cut(other.len())..]);
        let mut size = 0;
        for (place, byte) in out.iter_mut().zip(first.iter().chain(last)) {
            *place = *byte;
            size += 1;
        }
        size
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EU: Layout = Layout { head: 1, word: 16 };

    proptest! {
        /// Whatever is mutated stays within the buffer, with the head and what is no whole word.
        #[test]
        fn words_stay_words(
            input in prop::collection::vec(any::<u8>(), 0..80),
            room in 0..40_usize,
            seed in any::<u64>(),
        ) {
            let mut buffer = input.clone();
            buffer.resize(input.len() + room, 0);
            let Some(size) = EU.mutate(&mut buffer, input.len(), seed) else {
                prop_assert!(input.len() < 17);
                return Ok(());
            };
            prop_assert!(size <= buffer.len());
            prop_assert!(size.abs_diff(input.len()) % 16 == 0);
            prop_assert_eq!(buffer[0], input[0]);
            let rest = (input.len() - 1) % 16;
            prop_assert_eq!(&buffer[size - rest..size], &input[input.len() - rest..]);
            // Another word at most has another content.
            let is_known = |word: &&[u8]| input[1..].chunks_exact(16).any(|known| *known == **word);
            let others = buffer[1..size].chunks_exact(16).filter(|word| !is_known(word)).count();
            prop_assert!(others <= 1, "{others} words are new");
        }

        #[test]
        fn a_cross_is_a_beginning_and_an_end(
            one in prop::collection::vec(any::<u8>(), 0..80),
            other in prop::collection::vec(any::<u8>(), 0..80),
            room in 0..160_usize,
            seed in any::<u64>(),
        ) {
            let mut out = vec![0; room];
            let size = EU.cross(&one, &other, &mut out, seed);
            prop_assert!(size <= room);
            let begins = out[..size].iter().zip(&one).take_while(|(a, b)| a == b).count();
            let ends = (0..=size).any(|cut| cut <= begins && other.ends_with(&out[cut..size]));
            prop_assert!(ends || size == room, "{size}");
        }
    }

    #[test]
    fn every_way_to_change_is_taken() {
        let input: Vec<u8> = (0..49).collect();
        let mut sizes = [0; 3];
        for seed in 0..200 {
            let mut buffer = [input.clone(), vec![0; 16]].concat();
            let size = EU.mutate(&mut buffer, 49, seed).expect("there are words");
            sizes[(size - 33) / 16] += 1;
        }
        assert!(sizes.iter().all(|times| *times > 10), "{sizes:?}");
    }
}
