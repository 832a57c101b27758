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
    /// The bits of the thread's count of notifications.
    count_mask: u32,
    other: Option<OtherThread>,
    /// The thread's own gateway: its key, and the registers from the first one on.
    open: Option<(u16, u32, u32)>,
    /// What has come through it with the last message.
    arrival: Option<Arrival>,
}

/// Bytes for a register of the thread itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    payload: [u8; 32],
    /// Its first byte among all of the general registers.
    at: usize,
    bytes: usize,
    /// One more notification of a thread, or none, in a count of so many bits.
    notifications: u32,
    count_mask: u32,
}

impl Arrival {
    /// Writes into the registers and counts.
    pub(crate) fn arrive(&self, registers: &mut [u8], count: &mut u32) {
        registers[self.at..self.at + self.bytes].copy_from_slice(&self.payload[..self.bytes]);
        *count = (*count + self.notifications) & self.count_mask;
    }
}

/// Error codes.
const SIZE: u32 = 1;
const CLOSED: u32 = 2;
const KEY: u32 = 3;
const LIMIT: u32 = 4;
const OPCODE: u32 = 5;
const LENGTH: u32 = 6;

impl Threads {
    pub(super) fn of(environment: &Environment, is_g45: bool) -> Self {
        let own = environment.thread & 0xF3;
        let count_mask = if is_g45 { 0xFFFF } else { 0x7F };
        Self { own, count_mask, other: environment.other_thread, open: None, arrival: None }
    }

    /// As before the first message.
    pub(super) fn restart(&mut self) {
        (self.open, self.arrival) = (None, None);
    }

    /// What has come through the thread's own gateway, once.
    pub(super) fn take_arrival(&mut self) -> Option<Arrival> {
        self.arrival.take()
    }

    pub(super) fn answer(
        &mut self,
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
            0 => self.open(to, place)?,
            1 => {
                self.open = None;
                0
            }
            2 => self.forward(memory, payload, to, place, bits)?,
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
        &mut self,
        memory: &mut Memory,
        payload: &[u8; 32],
        to: u32,
        place: u32,
        control: u32,
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
        let is_own = recipient == self.own;
        if is_own && control >> 14 & 1 == 0 {
            return refuse("a forward to oneself that nobody acknowledges");
        }
        let is_recipient =
            |other: &OtherThread| (other.execution_unit << 4 | other.thread) == recipient;
        let elsewhere = self.other.filter(is_recipient).and_then(|other| other.gateway).map(
            |Gateway { key, first_register, registers }| {
                (key, first_register.into(), registers.into())
            },
        );
        let Some((key, first, registers)) = (if is_own { self.open } else { elsewhere }) else {
            return Ok(CLOSED);
        };
        if key != to as u16 {
            return Ok(KEY);
        }
        let number = place >> 21 & 0xFF;
        if number >= registers {
            return Ok(LIMIT);
        }
        let number = (first + number) as usize;
        let notifies = control >> 15 & 1;
        if is_own {
            if bytes == 1 && payload[..3] != payload[1..4] {
                return refuse("a byte in unequal copies");
            }
            let at = 32 * number + byte;
            let (notifications, count_mask) = (notifies, self.count_mask);
            let payload = *payload;
            self.arrival = Some(Arrival { payload, at, bytes, notifications, count_mask });
            return Ok(0);
        }
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

    /// Opens the thread's own gateway.
    fn open(&mut self, key: u32, range: u32) -> Result<u32, Unanswered> {
        if range & 0xF01F_F800 != 0 || key >> 16 != 0 {
            return refuse("a gateway with reserved bits");
        }
        match (range >> 21, range >> 8 & 7) {
            (_, 6..) => Ok(SIZE),
            (first, size) if first + (1 << size) <= 128 => {
                self.open = Some((key as u16, first, 1 << size));
                Ok(0)
            }
            _ => refuse("a gateway beyond the last register"),
        }
    }
}
