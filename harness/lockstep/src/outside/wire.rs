//! Bytes to and from the other side, whatever that is.

use std::time::Duration;

/// Why no bytes come or go any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// The other side has ended.
    Ended,
    /// It took longer than it may.
    Late,
}

/// Bytes to and from the other side.
pub trait Wire: Send {
    /// Hands over bytes. What may be spent waiting is taken off.
    ///
    /// # Errors
    /// If the other side is gone or does not read in time.
    fn send(&mut self, bytes: &[u8], left: &mut Duration) -> Result<(), Broken>;

    /// Adds what has come to a buffer, a byte at least. What may be spent waiting is taken off.
    ///
    /// # Errors
    /// If the other side is gone or says nothing in time.
    fn receive(&mut self, buffer: &mut Vec<u8>, left: &mut Duration) -> Result<(), Broken>;

    /// Ends the other side, and says for people how it ended.
    fn end(&mut self) -> String;
}
