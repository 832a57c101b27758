//! The gateway to the registers of another thread.

use parallax_isa::shared::{
    Environment, Memory, Request, Unanswered,
    environment::{Gateway, OtherThread},
};

use super::{Reply, refuse};

/// Who there is.
#[derive(Debug)]
pub(super) struct Threads {
    own: u8,
    other: Option<OtherThread>,
}

/// Error codes.
const SIZE: u32 = 1;
const CLOSED: u32 = 2;
const KEY: u32 = 3;
const LIMIT: u32 = 4;
const OPCODE: u32 = 5;
const LENGTH: u32 = 6;

impl Threads {
    pub(super) fn of(environment: &Environment) -> Self {
        Self { own: environment.thread & 0xF3, other: environment.other_thread }
    }

    pub(super) fn answer(
        &self,
        request: &Request,
        memory: &mut Memory,
    ) -> Result<Reply, Unanswered> {
        let bits = request.function_control;
        let acknowledges = bits >> 14 & 1;
        let [payload] = request.payload else { return refuse("a gateway takes one register") };
        if bits & 0x3FFC != 0 || u32::from(request.response_length) != acknowledges {
            return refuse("a message that no gateway describes");
        }
        let words = payload.as_chunks::<4>().0;
        let [to, place] = [4, 5].map(|n: usize| u32::from_le_bytes(words[n]));
        if request.is_last && acknowledges == 1 {
            return refuse("an answer to nobody");
        }
        let code = match bits & 3 {
            // Closed, not opened.
            0 if request.is_last => 0,
            0 => open(to, place)?,
            1 => 0,
            2 => self.forward(memory, payload, to, place, bits >> 15 & 1)?,
            _ => OPCODE,
        };
        let mut reply = Reply::default();
        if acknowledges == 1 {
            reply[0].bytes[..4].copy_from_slice(&(0x3_0000 | code).to_le_bytes());
            reply[0].enables = 1;
        }
        Ok(reply)
    }

    fn forward(
        &self,
        memory: &mut Memory,
        payload: &[u8; 32],
        to: u32,
        place: u32,
        notifies: u32,
    ) -> Result<u32, Unanswered> {
        let code = place >> 8 & 7;
        if place & 0xF000_F800 != 0 || code == 1 {
            return refuse("a forward with reserved bits");
        }
        if code > 4 {
            return Ok(LENGTH);
        }
        let bytes = if code == 0 { 1 } else { 2 << (code - 1) };
        let byte = (place >> 16 & 31) as usize;
        if byte & (bytes - 1) != 0 {
            return refuse("a forward to an odd place");
        }
        let recipient = (to >> 20 & 0xF0 | to >> 16 & 3) as u8;
        if recipient == self.own {
            return refuse("a forward to oneself");
        }
        let is_recipient =
            |other: &OtherThread| (other.execution_unit << 4 | other.thread) == recipient;
        let Some(Gateway { key, first_register, registers }) =
            self.other.filter(is_recipient).and_then(|other| other.gateway)
        else {
            return Ok(CLOSED);
        };
        if key != to as u16 {
            return Ok(KEY);
        }
        let number = place >> 21 & 0xFF;
        if number >= registers.into() {
            return Ok(LIMIT);
        }
        let number = usize::from(first_register) + number as usize;
        let Some(register) = memory.other_thread.get_mut(number) else {
            return refuse("a register beyond the last");
        };
        if bytes == 1 && payload[..3] != payload[1..4] {
            return refuse("a byte in unequal copies");
        }
        register[byte..byte + bytes].copy_from_slice(&payload[..bytes]);
        let count = u64::from_le_bytes(memory.other_notification);
        memory.other_notification = count.wrapping_add(notifies.into()).to_le_bytes();
        Ok(0)
    }
}

/// Opening changes nothing that anyone here could see.
fn open(key: u32, range: u32) -> Result<u32, Unanswered> {
    if range & 0xF01F_F800 != 0 || key >> 16 != 0 {
        return refuse("a gateway with reserved bits");
    }
    match (range >> 21, range >> 8 & 7) {
        (_, 6..) => Ok(SIZE),
        (first, size) if first + (1 << size) <= 128 => Ok(0),
        _ => refuse("a gateway beyond the last register"),
    }
}
