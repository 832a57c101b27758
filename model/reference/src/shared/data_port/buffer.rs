//! Messages to buffers: blocks of octwords and scattered doublewords (sections 5.8 to 5.11).

use parallax_isa::{
    eu::register::REGISTER_BYTES,
    shared::{Request, Unanswered},
};

use super::{
    DataPort, Move,
    message::{Direction, Message},
    space::{Buffer, Space, header},
    undefined,
};

const OCTWORD: usize = 16;
/// Doublewords of an octword.
const GROUP: usize = 4;

/// Moves that come together.
type Moves = Vec<Move>;

impl DataPort {
    /// OWord Block Read or Write: neighbouring octwords from the header's offset on.
    pub(super) fn oword_block(
        &self,
        request: &Request,
        space: Space,
        direction: Direction,
    ) -> Result<Message, Unanswered> {
        let (octwords, first_at) = match request.function_control >> 8 & 7 {
            0 => (1, 0),
            1 => (1, OCTWORD),
            2 => (2, 0),
            3 => (4, 0),
            4 => (8, 0),
            code => return undefined(format!("a block of octwords of size {code}")),
        };
        let buffer = space.buffer(OCTWORD as i128)?;
        if octwords == 1 {
            self.check_mask_of_one(request, first_at)?;
        }
        let offset = i128::from(header(request, 2) >> 4);
        let mut moves = Moves::new();
        for number in 0..octwords {
            let at = first_at + OCTWORD * number;
            // The low byte of the mask is for the first and third register, the high one for the others.
            let enables = request.channel_enables >> (8 * (at / REGISTER_BYTES % 2));
            let octword = Octword { at, offset: 16 * (offset + number as i128) };
            octword.move_under(enables, buffer, direction, &mut moves)?;
        }
        let registers = (first_at + OCTWORD * octwords).div_ceil(REGISTER_BYTES);
        Ok(message(direction, 1, registers, moves))
    }

    /// A block of one octword has no other channels on before [DevCTG].
    fn check_mask_of_one(&self, request: &Request, at: usize) -> Result<(), Unanswered> {
        let own = 0xF << (at / GROUP);
        if !self.is_ctg() && request.channel_enables & !own != 0 {
            return undefined("a block of one octword with other channels enabled");
        }
        Ok(())
    }

    /// OWord Dual Block Read or Write: octwords from two offsets on, beside each other in registers.
    pub(super) fn oword_dual_block(
        &self,
        request: &Request,
        space: Space,
        direction: Direction,
    ) -> Result<Message, Unanswered> {
        let octwords = match request.function_control >> 8 & 3 {
            0 => 1,
            2 => 4,
            code => return undefined(format!("a dual block of octwords of size {code}")),
        };
        let Some(offsets) = request.payload.get(1) else {
            return undefined("a dual block without its offsets");
        };
        let buffer = space.buffer(OCTWORD as i128)?;
        let mut moves = Moves::new();
        for number in 0..octwords {
            for block in 0..2 {
                let own = doubleword(offsets, 4 * block);
                let offset = (i128::from(header(request, 2)) + i128::from(own)) >> 4;
                let at = REGISTER_BYTES * number + OCTWORD * block;
                let octword = Octword { at, offset: 16 * (offset + number as i128) };
                octword.move_under(request.channel_enables, buffer, direction, &mut moves)?;
            }
        }
        Ok(message(direction, 2, octwords, moves))
    }

    /// DWord Scattered Read or Write: a doubleword for each channel, at an offset of its own.
    pub(super) fn dword_scattered(
        &self,
        request: &Request,
        space: Space,
        direction: Direction,
    ) -> Result<Message, Unanswered> {
        let registers = match request.function_control >> 8 & 3 {
            2 => 1,
            3 => 2,
            code => return undefined(format!("scattered doublewords of block size {code}")),
        };
        let Some(offsets) = request.payload.get(1..=registers) else {
            return undefined("scattered doublewords without their offsets");
        };
        let buffer = space.buffer(4)?;
        let mut moves = Moves::new();
        for channel in (0..8 * registers).filter(|n| request.channel_enables >> n & 1 == 1) {
            let own = doubleword(&offsets[channel / 8], channel % 8);
            let offset = (i128::from(header(request, 2)) + i128::from(own)) >> 2;
            for byte in 0..4 {
                let place = buffer.place(4 * offset + byte as i128)?;
                moves.push(Move { at: 4 * channel + byte, place });
            }
        }
        Ok(message(direction, 1 + registers, registers, moves))
    }
}

fn message(direction: Direction, front: usize, registers: usize, moves: Moves) -> Message {
    Message { direction, front, registers, moves, is_whole: false, lines: None }
}

fn doubleword(register: &[u8; REGISTER_BYTES], number: usize) -> u32 {
    let bytes = &register[4 * number..][..4];
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// An octword of a buffer and of the data.
#[derive(Debug, Clone, Copy)]
struct Octword {
    /// Its first byte in the registers of data.
    at: usize,
    /// Its first byte in the buffer.
    offset: i128,
}

impl Octword {
    /// Its own four of the enables of a register's doublewords.
    fn own(self, enables: u16) -> u16 {
        enables >> (self.at % REGISTER_BYTES / 4) & 0xF
    }

    /// Moves it under the enables of the doublewords of its register: it is read as a whole if one of
    /// its own is on, and written doubleword by doubleword.
    fn move_under(
        self,
        enables: u16,
        buffer: Buffer,
        direction: Direction,
        moves: &mut Moves,
    ) -> Result<(), Unanswered> {
        let own = self.own(enables);
        for doubleword in 0..GROUP {
            let is_moved = match direction {
                Direction::Read(_) => own != 0,
                Direction::Write { .. } => own >> doubleword & 1 == 1,
            };
            if !is_moved {
                continue;
            }
            for byte in 4 * doubleword..4 * doubleword + 4 {
                let place = buffer.place(self.offset + byte as i128)?;
                moves.push(Move { at: self.at + byte, place });
            }
        }
        Ok(())
    }
}
