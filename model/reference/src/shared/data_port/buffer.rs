//! Messages to buffers: blocks of octwords and scattered doublewords (sections 5.8 to 5.11).

use parallax_isa::{
    eu::register::REGISTER_BYTES,
    shared::{Request, Unanswered},
};
use parallax_spec::{RuleId, coverage, rule, rule_id};

use super::{
    DataPort,
    message::{Direction, Message, Move},
    space::{Buffer, Place, Space, header},
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
        count_block(direction, octwords, first_at, buffer);
        if self.ignores_bit_11(request, direction) {
            rule!("g45.dataport.owb.desc.bit12-11");
        }
        let offset = i128::from(header(request, 2) >> 4);
        let mut moves = Moves::new();
        for number in 0..octwords {
            let at = first_at + OCTWORD * number;
            // The low byte of the mask is for the first and third register, the high one for the others.
            let enables = request.channel_enables >> (8 * (at / REGISTER_BYTES % 2));
            let octword =
                Octword { at, offset: 16 * (offset + number as i128), beyond: BEYOND_BLOCK };
            octword.move_under(enables, buffer, direction, &mut moves)?;
            if is_read(direction) && octword.own(enables) == 0 {
                rule!("g45.dataport.owb.mask.read-none");
            }
        }
        if request.channel_enables == 0 && !is_read(direction) {
            rule!("g45.dataport.owb.null-mask");
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
        count_dual_block(direction, buffer);
        if self.ignores_bit_11(request, direction) {
            rule!("g45.dataport.owd.desc.bit12-11");
        }
        let mut moves = Moves::new();
        for number in 0..octwords {
            for block in 0..2 {
                let own = doubleword(offsets, 4 * block);
                let offset = (i128::from(header(request, 2)) + i128::from(own)) >> 4;
                let at = REGISTER_BYTES * number + OCTWORD * block;
                let octword =
                    Octword { at, offset: 16 * (offset + number as i128), beyond: BEYOND_DUAL };
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
        count_scattered(direction, buffer);
        if self.ignores_bit_11(request, direction) || request.function_control >> 10 & 1 == 1 {
            rule!("g45.dataport.dws.desc.bits12-10");
        }
        let mut moves = Moves::new();
        for channel in (0..8 * registers).filter(|n| request.channel_enables >> n & 1 == 1) {
            let own = doubleword(&offsets[channel / 8], channel % 8);
            let offset = (i128::from(header(request, 2)) + i128::from(own)) >> 2;
            for byte in 0..4 {
                let place = buffer.place(4 * offset + byte as i128)?;
                count_beyond(place, direction, BEYOND_SCATTERED);
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
    /// The rules of octwords that are not there.
    beyond: Beyond,
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
                count_beyond(place, direction, self.beyond);
                moves.push(Move { at: self.at + byte, place });
            }
        }
        Ok(())
    }
}

fn is_read(direction: Direction) -> bool {
    matches!(direction, Direction::Read(_))
}

// The rules of each message.

fn count_block(direction: Direction, octwords: usize, first_at: usize, buffer: Buffer) {
    coverage::hit_all(BUFFER);
    coverage::hit_all(BLOCK);
    if octwords == 1 {
        rule!("g45.dataport.owb.mask.one-oword");
    } else {
        rule!("g45.dataport.owb.mask.low");
    }
    if octwords > 2 {
        rule!("g45.dataport.owb.mask.high");
    }
    if !buffer.is_null() {
        rule!("g45.dataport.owb.pitch-ignored");
    }
    match (is_read(direction), first_at) {
        (true, 0) => coverage::hit_all(BLOCK_READ),
        (true, _) => {
            coverage::hit_all(BLOCK_READ);
            rule!("g45.dataport.owb.read.layout-high1");
        }
        (false, 0) => coverage::hit_all(BLOCK_WRITE),
        (false, _) => {
            coverage::hit_all(BLOCK_WRITE);
            rule!("g45.dataport.owb.write.layout-high1");
        }
    }
    if octwords == 1 {
        if is_read(direction) {
            rule!("g45.dataport.owb.read.half-preserved");
        } else {
            rule!("g45.dataport.owb.write.half-ignored");
        }
    }
}

fn count_dual_block(direction: Direction, buffer: Buffer) {
    coverage::hit_all(BUFFER);
    coverage::hit_all(DUAL);
    if !buffer.is_null() {
        rule!("g45.dataport.owd.pitch-ignored");
    }
    coverage::hit_all(if is_read(direction) { DUAL_READ } else { DUAL_WRITE });
}

fn count_scattered(direction: Direction, buffer: Buffer) {
    coverage::hit_all(BUFFER);
    coverage::hit_all(SCATTERED);
    if !buffer.is_null() {
        rule!("g45.dataport.dws.pitch-ignored");
    }
    if is_read(direction) {
        rule!("g45.dataport.dws.read.layout");
    } else {
        rule!("g45.dataport.dws.write.layout");
    }
}

/// What is said about elements beyond the end: of reads, and of writes.
type Beyond = [&'static [RuleId]; 2];

const BEYOND_BLOCK: Beyond = [
    &[rule_id!("g45.dataport.owb.oob-read"), rule_id!("g45.dataport.owb.oob-straddle")],
    &[rule_id!("g45.dataport.owb.oob-write"), rule_id!("g45.dataport.owb.oob-straddle")],
];
const BEYOND_DUAL: Beyond =
    [&[rule_id!("g45.dataport.owd.oob-read")], &[rule_id!("g45.dataport.owd.oob-write")]];
const BEYOND_SCATTERED: Beyond =
    [&[rule_id!("g45.dataport.dws.oob-read")], &[rule_id!("g45.dataport.dws.oob-write")]];

fn count_beyond(place: Place, direction: Direction, [reads, writes]: Beyond) {
    if place == Place::Nowhere {
        coverage::hit_all(if is_read(direction) { reads } else { writes });
    }
}

const BUFFER: &[RuleId] = &[
    rule_id!("g45.dataport.buffer.no-conversion"),
    rule_id!("g45.dataport.header.common.applies"),
    rule_id!("g45.dataport.header.common.debug"),
    rule_id!("g45.dataport.header.common.ignored"),
    rule_id!("g45.dataport.header.common.global-offset"),
];
const BLOCK: &[RuleId] = &[
    rule_id!("g45.dataport.owb.operation"),
    rule_id!("g45.dataport.owb.raw"),
    rule_id!("g45.dataport.owb.desc.block-size"),
];
const BLOCK_READ: &[RuleId] = &[
    rule_id!("g45.dataport.owb.read.response-length"),
    rule_id!("g45.dataport.owb.read.units"),
    rule_id!("g45.dataport.owb.read.layout"),
    rule_id!("g45.dataport.owb.mask.read-group"),
];
const BLOCK_WRITE: &[RuleId] = &[
    rule_id!("g45.dataport.owb.write.payload-count"),
    rule_id!("g45.dataport.owb.write.units"),
    rule_id!("g45.dataport.owb.write.layout"),
    rule_id!("g45.dataport.owb.mask.write-dword"),
];
const DUAL: &[RuleId] = &[
    rule_id!("g45.dataport.owd.operation"),
    rule_id!("g45.dataport.owd.raw"),
    rule_id!("g45.dataport.owd.mask.low8"),
    rule_id!("g45.dataport.owd.desc.block-size"),
    rule_id!("g45.dataport.owd.payload.offsets"),
];
const DUAL_READ: &[RuleId] = &[
    rule_id!("g45.dataport.owd.mask.read-group"),
    rule_id!("g45.dataport.owd.read.count"),
    rule_id!("g45.dataport.owd.read.layout"),
];
const DUAL_WRITE: &[RuleId] = &[
    rule_id!("g45.dataport.owd.mask.write-dword"),
    rule_id!("g45.dataport.owd.write.count"),
    rule_id!("g45.dataport.owd.write.layout"),
];
const SCATTERED: &[RuleId] = &[
    rule_id!("g45.dataport.dws.operation"),
    rule_id!("g45.dataport.dws.raw"),
    rule_id!("g45.dataport.dws.mask"),
    rule_id!("g45.dataport.dws.desc.block-size"),
    rule_id!("g45.dataport.dws.payload.offsets"),
];
