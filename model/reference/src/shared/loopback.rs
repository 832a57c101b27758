//! The function that sends the payload back ([`SharedFunctions::Loopback`] says how).
//!
//! [`SharedFunctions::Loopback`]: parallax_isa::shared::SharedFunctions::Loopback

use parallax_isa::{
    eu::register::REGISTER_BYTES,
    shared::{Request, Response, Unanswered},
};

use super::{Reply, SharedFunction, World};

/// Behind every target.
#[derive(Debug)]
pub(crate) struct Loopback;

impl SharedFunction for Loopback {
    fn answer(&self, request: &Request, _: &mut World) -> Result<Reply, Unanswered> {
        let payload = request.payload.iter().cycle().zip(0..request.response_length);
        let registers = payload.map(|(payload, number)| register(request, payload, number));
        Ok(Reply { registers: registers.collect(), ..Reply::default() })
    }
}

/// A register of the reply: a register of the payload, by the number of the reply's.
fn register(request: &Request, payload: &[u8; REGISTER_BYTES], number: u8) -> Response {
    let mut bytes = [0; REGISTER_BYTES];
    for (doubleword, place) in payload.chunks(4).zip(bytes.chunks_mut(4)) {
        let value =
            doubleword.iter().rev().fold(0, |value: u32, byte| (value << 8) | u32::from(*byte));
        let mut value = value.rotate_left(number.into());
        value ^= request.function_control & 0xFFFF;
        value ^= (request.extended_descriptor >> 16).reverse_bits() >> 16;
        value ^= u32::from(request.target) << 16;
        value ^= (request.function_control >> 16 & 7) << 20;
        value ^= u32::from(request.has_header) << 23;
        value ^= u32::from(request.channels) << 24;
        if request.alternative_float_mode {
            value ^= 0x8000_0000;
        }
        place.copy_from_slice(&value.to_le_bytes());
    }
    let is_even = number.is_multiple_of(2);
    let enables = if is_even { request.channel_enables } else { request.channel_enables >> 8 };
    Response { bytes, enables: enables as u8 }
}

#[cfg(test)]
mod tests {
    use parallax_isa::shared::Memory;

    use super::*;
    use crate::shared::Past;

    fn request(payload: &[[u8; REGISTER_BYTES]]) -> Request<'_> {
        Request {
            target: 4,
            function_control: 0x0102,
            format_control: 0,
            extended_descriptor: 0,
            has_header: false,
            payload,
            channel_enables: 0xA50F,
            channels: 16,
            response_length: 3,
            alternative_float_mode: false,
            is_last: false,
        }
    }

    /// Doubleword 0 of each register, and the enables.
    fn answer(request: &Request) -> Vec<(u32, u8)> {
        let (mut memory, mut past) = (Memory::default(), Past::default());
        let lender =
            crate::shared::record::Lender { device: parallax_isa::Device::G45, observer: None };
        let mut world = World {
            launch: None,
            lender,
            memory: &mut memory,
            local_bytes: 0,
            environment: None,
            sampling: None,
            rendering: None,
            thread_start: &[[0; 32]; 3],
            past: &mut past,
        };
        let reply = Loopback.answer(request, &mut world).expect("it answers everything");
        assert_eq!(reply.open, [], "it is exact");
        let first = |bytes: &[u8]| u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"));
        let registers = reply.registers.iter();
        registers.map(|register| (first(&register.bytes), register.enables)).collect()
    }

    #[test]
    fn every_part_of_a_request_shows() {
        let payload = [[0x80; 32], [1; 32]];
        let expected = [(0x9084_8182, 0x0F), (0x1206_0300, 0xA5), (0x1206_0300, 0x0F)];
        assert_eq!(answer(&request(&payload)), expected);
    }

    #[test]
    fn the_alternative_mode_shows_in_the_sign() {
        let request = Request { alternative_float_mode: true, ..request(&[[0x80; 32]]) };
        assert_eq!(answer(&request)[0], (0x1084_8182, 0x0F));
    }

    #[test]
    fn a_short_payload_comes_again() {
        let payload = [[0x81, 0, 0, 0].repeat(8).try_into().expect("32 bytes")];
        let all_clear =
            Request { target: 0, function_control: 0, channels: 0, ..request(&payload) };
        let values: Vec<_> = answer(&all_clear).into_iter().map(|(value, _)| value).collect();
        assert_eq!(values, [0x81, 0x102, 0x204]);
    }

    #[test]
    fn what_later_generations_add_shows() {
        let later = Request {
            target: 0,
            function_control: 0x5_0000,
            extended_descriptor: 0x8002_0000,
            has_header: true,
            channels: 32,
            ..request(&[[0; 32]])
        };
        assert_eq!(answer(&later)[0].0, 0x20D0_4001);
    }
}
