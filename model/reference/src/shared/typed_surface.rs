//! Typed surface messages of Gen7 and later: reads, writes and atomic operations on texels at integer coordinates
//! (table `eu-typed-surface-by-gen`).

use parallax_isa::{
    Device,
    device::Generation,
    eu::register::REGISTER_BYTES,
    shared::{Request, Unanswered},
    surface::Use,
};

use super::{
    Reply, World, Written, check_lengths,
    data_cache::Operation,
    record::{ReachedTexel, WriteParts},
    sampler::Type,
    texels::{Colour, Texels, doubleword, empty_reply, environment, put},
    undefined,
};

/// Channels of a message.
const CHANNELS: usize = 8;

/// What a message does.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Read,
    Atomic(Operation),
    Write,
}

/// A message that is understood.
#[derive(Debug)]
struct Message {
    kind: Kind,
    /// Red, green, blue and alpha that are not left out.
    has_channel: [bool; 4],
    /// The channels that count.
    enables: u16,
    /// The first register of coordinates.
    first: usize,
}

/// Whether a message type is one of these.
pub(super) fn is_type(code: u32) -> bool {
    matches!(code, READ | ATOMIC | WRITE)
}

const READ: u32 = 5;
const ATOMIC: u32 = 6;
const WRITE: u32 = 13;

/// The reply to a message.
pub(super) fn answer(
    device: Device,
    request: &Request,
    world: &mut World,
) -> Result<Reply, Unanswered> {
    // Decision D-eu-later-typed.
    let message = Message::of(request, device)?;
    let index = request.function_control as usize & 0xFF;
    let texels = Texels::bound(environment(world)?, index, device, message.purpose())?;
    if let Kind::Atomic(_) = message.kind
        && !texels.is_null()
        && !["R32_UINT", "R32_SINT"].contains(&texels.format())
    {
        return undefined(format!("an atomic operation on {}", texels.format()));
    }
    let coordinates = message.coordinates(request, &texels)?;
    let sent = message.first + coordinates + message.data();
    check_lengths(request, sent, message.returned())?;
    let data = message.first + coordinates;
    let registers = &request.payload[message.first..data];
    let places = message.places(registers, &texels)?;
    let reply = match message.kind {
        Kind::Read => message.read(&texels, &places, world)?,
        Kind::Atomic(operation) => operate(operation, request, data, &places, world),
        Kind::Write => message.write(request, &texels, data, &places, world)?,
    };
    let reached = || message.reached(request, registers, &texels);
    world.lend_texels(request, (texels.state(), WriteParts::default()), reached, &reply);
    Ok(reply)
}

type Register = [u8; REGISTER_BYTES];

/// Column, row and layer that the coordinates of a channel name.
fn place(registers: &[Register], texels: &Texels, channel: usize) -> [u32; 3] {
    let coordinate =
        |n: usize| registers.get(n).map_or(0, |register| doubleword(register, channel));
    let (u, v, r) = (coordinate(0), coordinate(1), coordinate(2));
    if texels.kind() == Type::One { [u, 0, v] } else { [u, v, r] }
}

/// The channels that are on, with the graphics address of each, if it is there.
type Places = Vec<(usize, Option<usize>)>;

impl Message {
    fn of(request: &Request, device: Device) -> Result<Self, Unanswered> {
        let control = request.function_control >> 8 & 0x3F;
        let kind = match request.function_control >> 14 & 0xF {
            READ => Kind::Read,
            WRITE => Kind::Write,
            _ => match Operation::of(control & 0xF, 4, control >> 5 & 1 == 1) {
                Some(operation) => Kind::Atomic(operation),
                None => return undefined(format!("atomic operation {}", control & 0xF)),
            },
        };
        if usize::from(request.channels) != CHANNELS {
            return undefined(format!("a typed message of {} channels", request.channels));
        }
        let has_channel = [0, 1, 2, 3].map(|channel| control >> channel & 1 == 0);
        if matches!(kind, Kind::Read | Kind::Write) && has_channel == [false; 4] {
            return undefined("a typed message that leaves out all channels");
        }
        let is_gen7 = device.generation() == Some(Generation::Gen7);
        if is_gen7 && !request.has_header {
            return undefined("a typed message without a header");
        }
        let mut enables = request.channel_enables & 0xFF;
        if request.has_header {
            let mask = doubleword(&request.payload[0], 7) as u16;
            let shift = if kind.takes_high_slots(control, is_gen7)? { 8 } else { 0 };
            enables &= mask >> shift;
        }
        let first = usize::from(request.has_header);
        Ok(Self { kind, has_channel, enables, first })
    }

    fn purpose(&self) -> Use {
        match self.kind {
            Kind::Read => Use::TypedRead,
            Kind::Atomic(_) => Use::TypedAtomic,
            Kind::Write => Use::TypedWrite,
        }
    }

    fn present(&self) -> impl Iterator<Item = usize> + '_ {
        (0..4).filter(|channel| self.has_channel[*channel])
    }

    /// Registers of data that are sent.
    fn data(&self) -> usize {
        match self.kind {
            Kind::Read => 0,
            Kind::Atomic(operation) => operation.operands,
            Kind::Write => self.present().count(),
        }
    }

    /// Registers that come back.
    fn returned(&self) -> usize {
        match self.kind {
            Kind::Read => self.present().count(),
            Kind::Atomic(operation) => operation.returns.into(),
            Kind::Write => 0,
        }
    }

    /// How many registers of coordinates there are; a null surface takes any.
    fn coordinates(&self, request: &Request, texels: &Texels) -> Result<usize, Unanswered> {
        Ok(match (texels.kind(), texels.is_array()) {
            (Type::Buffer, _) | (Type::One, false) => 1,
            (Type::One, true) | (Type::Two, false) => 2,
            (Type::Two, true) | (Type::Three | Type::Cube, _) => 3,
            (Type::Null, _) => {
                let others = self.first + self.data();
                request.payload.len().saturating_sub(others).clamp(1, 3)
            }
        })
    }

    fn is_enabled(&self, channel: usize) -> bool {
        self.enables >> channel & 1 == 1
    }

    /// Where the channels that are on go to, by their coordinates.
    fn places(&self, registers: &[Register], texels: &Texels) -> Result<Places, Unanswered> {
        let address = |channel| Ok((channel, texels.address(place(registers, texels, channel))?));
        (0..CHANNELS).filter(|channel| self.is_enabled(*channel)).map(address).collect()
    }

    /// The record of the channels, and the components that a write sends.
    fn reached(
        &self,
        request: &Request,
        registers: &[Register],
        texels: &Texels,
    ) -> Vec<ReachedTexel> {
        let data = self.first + registers.len();
        let texel = |channel| {
            let place = place(registers, texels, channel);
            let colour = match self.kind {
                Kind::Write => self.colour(&request.payload[data..], channel),
                Kind::Read | Kind::Atomic(_) => Colour::default(),
            };
            ReachedTexel {
                channel,
                is_enabled: self.is_enabled(channel),
                is_sampled: true,
                place,
                address: texels.address(place).ok().flatten(),
                colour,
            }
        };
        (0..CHANNELS).map(texel).collect()
    }

    /// The components of a channel of a write; those that are left out are 0.
    fn colour(&self, data: &[Register], channel: usize) -> Colour {
        let mut colour = Colour::default();
        for (register, component) in self.present().enumerate() {
            colour[component] = doubleword(&data[register], channel);
        }
        colour
    }

    fn read(&self, texels: &Texels, places: &Places, world: &World) -> Result<Reply, Unanswered> {
        let mut reply = empty_reply(self.returned());
        for (channel, address) in places {
            let colour = texels.read(*address, world.memory)?;
            for (register, component) in self.present().enumerate() {
                put(&mut reply, register, *channel, colour[component]);
            }
        }
        Ok(reply)
    }

    /// Writes in the order of channels, so that of two at one texel the higher one's stays.
    fn write(
        &self,
        request: &Request,
        texels: &Texels,
        data: usize,
        places: &Places,
        world: &mut World,
    ) -> Result<Reply, Unanswered> {
        let mut written = Vec::new();
        for (channel, address) in places {
            let Some(address) = address else { continue };
            let colour = self.colour(&request.payload[data..], *channel);
            written.push((*address, texels.encoded(texels.with_low_bits(colour))?));
        }
        let written = texels.write(written, self.has_channel, world.memory);
        Ok(Reply { written, ..empty_reply(0) })
    }
}

impl Kind {
    /// Whether the mask of its channels is bits 15:8 of the header's.
    fn takes_high_slots(self, control: u32, is_gen7: bool) -> Result<bool, Unanswered> {
        match (self, control >> 4 & 3) {
            (Self::Atomic(_), slots) => Ok(slots & 1 == 1),
            (_, slots) if is_gen7 => Ok(slots & 2 == 2),
            (_, 1) => Ok(false),
            (_, 2) => Ok(true),
            (_, slots) => undefined(format!("slot group {slots} of a typed message")),
        }
    }
}

/// Does an atomic operation for each channel, one after the other; of texels that are not there the old value is 0.
fn operate(
    operation: Operation,
    request: &Request,
    data: usize,
    places: &Places,
    world: &mut World,
) -> Reply {
    let start = std::mem::offset_of!(parallax_isa::shared::Memory, graphics);
    let mut reply = empty_reply(operation.returns.into());
    for (channel, address) in places {
        let operand = |n: usize| {
            request.payload.get(data + n).map_or(0, |register| doubleword(register, *channel))
        };
        let back = match address {
            None => 0,
            Some(address) => {
                let place = &mut world.memory.graphics[*address..address + 4];
                let old = place.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
                let (new, back) = operation.on_doubleword(old, [operand(0), operand(1)]);
                place.copy_from_slice(&new.to_le_bytes());
                reply.written.push(Written::exact(start + address..start + address + 4));
                back
            }
        };
        if operation.returns {
            put(&mut reply, 0, *channel, back);
        }
    }
    reply
}
