//! Messages to shared functions: what an execution unit hands over and gets back (G45 volume 4,
//! sections 2.1 and 14.2.41). Each engine builds its own requests and writes replies back itself;
//! only this interface, and what answers behind it, is common.

use serde::{Deserialize, Serialize};

use super::register::REGISTER_BYTES;

/// Most registers of a reply.
pub const LONGEST_REPLY: usize = 8;

/// A message as it is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    /// Target function, bits 27:24 of the descriptor.
    pub target: u8,
    /// Function control, bits 15:0 of the descriptor.
    pub function_control: u16,
    /// The message registers, as many as the descriptor's message length says: 1 to 15.
    pub payload: &'a [[u8; REGISTER_BYTES]],
    /// The channel enables that travel with the message.
    pub channel_enables: u16,
    /// Registers the sender expects, the descriptor's response length: 0 to 8.
    pub response_length: u8,
    /// The sender computes in the alternative float mode.
    pub alternative_float_mode: bool,
}

/// A register of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Response {
    /// Its bytes.
    pub bytes: [u8; REGISTER_BYTES],
    /// Which of its doublewords are written: bit 0 is the first.
    pub enables: u8,
}

/// Something that takes messages.
pub trait SharedFunction: Sync {
    /// Answers a message: the first `response_length` elements of the result are the registers of
    /// the reply, in order.
    fn answer(&self, request: &Request) -> [Response; LONGEST_REPLY];
}

/// What stands behind the messages of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SharedFunctions {
    /// Nothing: a send other than the last one ends the run as undefined.
    #[default]
    None,
    /// [`Loopback`] behind every target function.
    Loopback,
}

impl SharedFunctions {
    /// What answers.
    #[must_use]
    pub fn handler(self) -> Option<&'static dyn SharedFunction> {
        match self {
            Self::None => None,
            Self::Loopback => Some(&Loopback),
        }
    }
}

/// Sends the payload back, changed so that every part of a request shows in the reply.
///
/// Register `i` of the reply is register `i` modulo the message length of the payload. Each of its
/// doublewords is rotated left by `i` bits, then its low half is exclusive-ored with the function
/// control and its bits 19:16 with the target function; in the alternative float mode bit 31 is
/// inverted. Registers with an even number are written under channel enables 7:0, those with an odd
/// number under 15:8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loopback;

impl SharedFunction for Loopback {
    fn answer(&self, request: &Request) -> [Response; LONGEST_REPLY] {
        let mark = u32::from(request.function_control)
            | u32::from(request.target & 0xF) << 16
            | u32::from(request.alternative_float_mode) << 31;
        let [even, odd] = request.channel_enables.to_le_bytes();
        std::array::from_fn(|index| {
            let mut bytes = [0; REGISTER_BYTES];
            if let Some(source) = index
                .checked_rem(request.payload.len())
                .and_then(|number| request.payload.get(number))
            {
                let doublewords = bytes.as_chunks_mut::<4>().0.iter_mut();
                for (result, value) in doublewords.zip(source.as_chunks::<4>().0) {
                    let value = u32::from_le_bytes(*value).rotate_left(index as u32) ^ mark;
                    *result = value.to_le_bytes();
                }
            }
            Response { bytes, enables: if index % 2 == 0 { even } else { odd } }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_shows_every_part_of_a_request() {
        let payload = [[0x80; 32], [1; 32]];
        let request = Request {
            target: 4,
            function_control: 0x0102,
            payload: &payload,
            channel_enables: 0xA50F,
            response_length: 3,
            alternative_float_mode: false,
        };
        let reply = Loopback.answer(&request);
        let first = |n: usize| u32::from_le_bytes(*reply[n].bytes.first_chunk().unwrap());
        assert_eq!(first(0), 0x8080_8080 ^ 0x0004_0102);
        assert_eq!(first(1), 0x0202_0202 ^ 0x0004_0102);
        assert_eq!(first(2), 0x0202_0202 ^ 0x0004_0102);
        assert_eq!([0, 1, 2].map(|n: usize| reply[n].enables), [0x0F, 0xA5, 0x0F]);
        let alternative = Request { alternative_float_mode: true, ..request };
        let sign = Loopback.answer(&alternative)[0].bytes[31] ^ reply[0].bytes[31];
        assert_eq!(sign, 0x80);
        assert_eq!(Loopback.answer(&Request { payload: &[], ..request })[1].bytes, [0; 32]);
    }
}
