//! Messages as bytes that move between registers and memory.

use parallax_isa::{
    Acceptance,
    eu::register::REGISTER_BYTES,
    shared::{Request, Response, Unanswered},
};

use super::{
    super::{
        OpenDoubleword, Reply, World, check_lengths,
        order::{Cache, Lines, Others},
    },
    Move, Place,
    store::Store,
};

/// Where data goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// From memory to the thread.
    Read(Cache),
    /// From the thread to memory, with or without an answer when it is committed.
    Write { commits: bool },
}

/// A message that is understood.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) direction: Direction,
    /// Registers of the payload in front of the data.
    pub(super) front: usize,
    /// Registers of data.
    pub(super) registers: usize,
    pub(super) moves: Vec<Move>,
    /// All of the registers come back, also bytes that stand for nothing.
    pub(super) is_whole: bool,
    /// The lines that a message to an X-major surface reaches.
    pub(super) lines: Option<Lines>,
}

impl Message {
    /// A message of one register that moves nothing.
    pub(super) fn without_data(direction: Direction) -> Self {
        let (front, registers, moves) = (1, 0, Vec::new());
        Self { direction, front, registers, moves, is_whole: false, lines: None }
    }

    /// Refuses a message of more or fewer registers than it has, or with a reply of another length.
    pub(super) fn check_lengths(&self, request: &Request) -> Result<(), Unanswered> {
        let (sent, returned) = match self.direction {
            Direction::Read(_) => (self.front, self.registers),
            Direction::Write { commits } => (self.front + self.registers, usize::from(commits)),
        };
        check_lengths(request, sent, returned)
    }

    /// Does what it says.
    pub(super) fn carry_out(&self, request: &Request, world: &mut World) -> Reply {
        match self.direction {
            Direction::Read(cache) => self.read(cache, world),
            Direction::Write { commits } => {
                let data = request.payload[self.front..].as_flattened();
                self.write(data, commits, world)
            }
        }
    }

    /// The answer of a write, which tells only that it is done.
    pub(super) fn reply(&self) -> Reply {
        let registers = match self.direction {
            Direction::Read(_) => self.registers,
            Direction::Write { commits: false } => 0,
            Direction::Write { commits: true } => 1,
        };
        Reply { registers: vec![Response::default(); registers], ..Reply::default() }
    }

    fn read(&self, cache: Cache, world: &mut World) -> Reply {
        let mut reply = self.reply();
        let padding = if self.is_whole { Others::Many } else { Others::None };
        let mut others = vec![[padding; REGISTER_BYTES]; self.registers];
        for Move { at, place } in &self.moves {
            let (register, byte) = (at / REGISTER_BYTES, at % REGISTER_BYTES);
            let (value, besides) = match *place {
                Place::Memory(address) => (
                    world.memory.graphics[address],
                    world.past.order.read(address, cache, self.lines),
                ),
                Place::Nowhere => (0, Others::None),
                Place::BeyondBound => (0, Others::Many),
            };
            reply.registers[register].bytes[byte] = value;
            reply.registers[register].enables |= 1 << (byte / 4);
            others[register][byte] = besides;
        }
        for (register, others) in others.iter().enumerate() {
            if self.is_whole {
                reply.registers[register].enables = 0xFF;
            }
            for (byte, others) in others.iter().enumerate() {
                reply.open.extend(open_byte(register, byte, *others));
            }
        }
        reply
    }

    fn write(&self, data: &[u8], commits: bool, world: &mut World) -> Reply {
        let mut store = Store::default();
        for Move { at, place } in &self.moves {
            if let Place::Memory(address) = *place {
                store.push(address, data[*at]);
            }
        }
        Reply { written: store.carry_out(commits, self.lines, world), ..self.reply() }
    }
}

/// A byte of a register of which something else may be read.
fn open_byte(register: usize, byte: usize, others: Others<u8>) -> Option<OpenDoubleword> {
    let shift = 8 * (byte % 4);
    let acceptance = match others.acceptance()? {
        Acceptance::Or(value) => Acceptance::Or(value << shift),
        acceptance => acceptance,
    };
    Some(OpenDoubleword { register, doubleword: byte / 4, mask: 0xFF << shift, acceptance })
}
