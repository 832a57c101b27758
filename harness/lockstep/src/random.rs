//! Reproducible random numbers: the same seed gives the same cases for ever, on every platform.

/// SplitMix64 (Steele, Lea and Flood 2014): one multiplication chain per number, no state to warm
/// up, and every seed is a good one.
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator that starts from `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A number below `bound`; 0 if `bound` is 0.
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.next() as u128 * bound as u128) >> 64) as u64
    }

    /// One of several options.
    ///
    /// # Panics
    /// If there is none.
    pub const fn pick<T: Copy>(&mut self, options: &[T]) -> T {
        options[self.below(options.len() as u64) as usize]
    }

    /// Fills a buffer.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        let mut chunks = buffer.chunks_exact_mut(8);
        for chunk in &mut chunks {
            chunk.copy_from_slice(&self.next().to_le_bytes());
        }
        let rest = chunks.into_remainder();
        rest.copy_from_slice(&self.next().to_le_bytes()[..rest.len()]);
    }
}

/// The seed of one case of a campaign: a function of where it stands, so that the cases do not
/// depend on how they are spread over threads.
#[must_use]
pub fn case_seed(seed: u64, suite: &str, device: &str, index: u64) -> u64 {
    let text = suite.bytes().chain([0]).chain(device.bytes());
    let mixed = text.fold(seed, |seed, byte| SplitMix64::new(seed ^ u64::from(byte)).next());
    SplitMix64::new(mixed.wrapping_add(index)).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        let mut random = SplitMix64::new(1_234_567);
        let first: Vec<_> = (0..3).map(|_| random.next()).collect();
        let published =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(first, published);
    }

    #[test]
    fn suites_devices_and_indices_have_seeds_of_their_own() {
        let mut seeds = vec![
            case_seed(0, "eu", "g45", 0),
            case_seed(0, "eu", "g45", 1),
            case_seed(0, "eu", "ctg", 0),
            case_seed(0, "eug", "45", 0),
            case_seed(1, "eu", "g45", 0),
        ];
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 5);
    }

    #[test]
    fn bounds_hold() {
        let mut random = SplitMix64::new(5);
        assert!((0..1000).all(|_| random.below(7) < 7));
        assert_eq!(random.below(0), 0);
    }
}
