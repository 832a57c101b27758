//! Reading bytes one after the other.

/// A place in bytes.
pub(super) struct Cursor<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) at: usize,
}

impl<'b> Cursor<'b> {
    /// The start of bytes.
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Whether no bytes are left.
    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The next bytes.
    pub(super) fn take(&mut self, number: usize, what: &str) -> Result<&'b [u8], String> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..number).ok_or_else(|| {
            let (at, left) = (self.at, rest.len());
            format!("ends within {what}: {number} bytes at byte {at}, of which {left} are there")
        })?;
        self.at += number;
        Ok(taken)
    }

    /// The next little-endian words.
    pub(super) fn words<const N: usize>(&mut self, what: &str) -> Result<[u32; N], String> {
        self.words_by(u32::from_le_bytes, what)
    }

    /// The next big-endian words.
    pub(super) fn big_words<const N: usize>(&mut self, what: &str) -> Result<[u32; N], String> {
        self.words_by(u32::from_be_bytes, what)
    }

    fn words_by<const N: usize>(
        &mut self,
        word: fn([u8; 4]) -> u32,
        what: &str,
    ) -> Result<[u32; N], String> {
        let (words, _) = self.take(4 * N, what)?.as_chunks::<4>();
        Ok(std::array::from_fn(|place| word(words[place])))
    }
}
