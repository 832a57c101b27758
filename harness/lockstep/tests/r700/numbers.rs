//! Numbers that decide random programs.

/// A small generator of numbers: the same every time.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.next() % end
    }

    pub(crate) fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn mask(&mut self) -> u64 {
        let bits = u64::from(self.next()) << 32 | u64::from(self.next());
        match self.below(4) {
            0 => u64::MAX,
            1 => bits & u64::from(self.next()) << 20,
            _ => bits,
        }
    }

    pub(crate) fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u32) as usize]
    }
}
