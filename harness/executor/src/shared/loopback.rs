//! The payload back, marked by everything else a request holds.

use parallax_isa::shared::{Memory, Request, Unanswered};

use super::{Around, Reply};

/// Each doubleword rotated by the number of its register, under one mark for the whole message.
pub(super) fn answer(
    request: &Request,
    _: &mut Memory,
    _: &mut Around,
    reply: &mut Reply,
) -> Result<(), Unanswered> {
    let [low, high, top, _] = request.function_control.to_le_bytes();
    let [_, _, upper, uppermost] = request.extended_descriptor.to_le_bytes().map(u8::reverse_bits);
    let (low, high) = (low ^ uppermost, high ^ upper);
    let third = request.target & 0xF | (top & 7) << 4 | u8::from(request.has_header) << 7;
    let fourth = request.channels & 0x3F | u8::from(request.alternative_float_mode) << 7;
    let mark = u32::from_le_bytes([low, high, third, fourth]);
    let enables = request.channel_enables.to_le_bytes();
    let payload = request.payload.iter().cycle();
    for (number, (register, source)) in reply.iter_mut().zip(payload).enumerate() {
        register.enables = enables[number & 1];
        let doublewords = register.bytes.as_chunks_mut::<4>().0.iter_mut();
        for (place, bytes) in doublewords.zip(source.as_chunks::<4>().0) {
            let rotated = u32::from_le_bytes(*bytes).rotate_left(number as u32);
            *place = (rotated ^ mark).to_le_bytes();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use parallax_isa::shared::Response;

    use super::*;

    const REQUEST: Request = Request {
        target: 4,
        function_control: 0x0102,
        format_control: 0,
        extended_descriptor: 0,
        has_header: false,
        payload: &[[0x80; 32], [1; 32]],
        channel_enables: 0xA50F,
        channels: 16,
        response_length: 3,
        alternative_float_mode: false,
        is_last: false,
    };

    /// What it answers everything with.
    fn replied(request: &Request) -> Reply {
        let mut reply = Reply::default();
        answer(request, &mut Memory::default(), &mut Around::default(), &mut reply)
            .expect("it answers everything");
        reply
    }

    fn first(register: &Response) -> [u8; 4] {
        *register.bytes.first_chunk().expect("32 bytes")
    }

    #[test]
    fn every_part_of_a_request_shows() {
        let reply = replied(&REQUEST);
        assert_eq!(first(&reply[0]), [0x82, 0x81, 0x84, 0x90]);
        assert_eq!(first(&reply[1]), [0x00, 0x03, 0x06, 0x12]);
        assert_eq!(first(&reply[2]), [0x00, 0x03, 0x06, 0x12]);
        assert_eq!([0, 1, 2].map(|n: usize| reply[n].enables), [0x0F, 0xA5, 0x0F]);
    }

    #[test]
    fn the_alternative_mode_shows_in_the_sign() {
        let request = Request { alternative_float_mode: true, ..REQUEST };
        let reply = replied(&request);
        assert_eq!(first(&reply[0]), [0x82, 0x81, 0x84, 0x10]);
    }

    #[test]
    fn what_later_generations_add_shows() {
        let request = Request {
            target: 0,
            function_control: 0x5_0000,
            extended_descriptor: 0x8002_0000,
            has_header: true,
            channels: 32,
            payload: &[[0; 32]],
            ..REQUEST
        };
        let reply = replied(&request);
        assert_eq!(first(&reply[0]), [0x01, 0x40, 0xD0, 0x20]);
    }

    #[test]
    fn an_empty_payload_leaves_zeros() {
        let request = Request { payload: &[], ..REQUEST };
        let reply = replied(&request);
        assert_eq!(reply[0].bytes, [0; 32]);
    }
}
