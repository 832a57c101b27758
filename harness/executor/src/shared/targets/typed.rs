//! Typed surface messages (table `eu-typed-surface-by-gen`, decision D-eu-later-typed).

use parallax_isa::{
    Device,
    shared::{Memory, Request, Unanswered},
};

use super::{
    super::{Reply, atomic::Atomic, lengths, refuse, surface_state::Shape},
    Job, dword, put,
    surface::Target,
};

/// Channels of a message.
const LANES: usize = 8;

/// Where the texels of channels are: of a channel that is off there is nothing, of one that is beyond the
/// surface there is no place.
type Places = [Option<Option<usize>>; LANES];

/// A message and its surface.
pub(super) struct Message<'m> {
    pub(super) request: &'m Request<'m>,
    pub(super) target: &'m Target,
    pub(super) device: Device,
}

impl Message<'_> {
    pub(super) fn answer(&self, job: Job, memory: &mut Memory) -> Result<Reply, Unanswered> {
        if usize::from(self.request.channels) != LANES {
            return refuse("a typed message of another size than eight channels");
        }
        match job {
            Job::TypedAtomic => self.operate(memory),
            Job::TypedWrite => self.write(memory).map(|()| Reply::default()),
            _ => self.read(memory),
        }
    }

    fn read(&self, memory: &Memory) -> Result<Reply, Unanswered> {
        let left_out = self.left_out()?;
        let front = self.front(0, 4 - left_out.count_ones() as usize)?;
        let mut reply = Reply::default();
        for (lane, place) in on(&self.places(front, self.slots()?)?) {
            let texel = match place {
                Some(place) => self.target.read(memory, place)?,
                None => [0; 4],
            };
            for (register, channel) in present(left_out).enumerate() {
                put(&mut reply, register, lane, texel[channel]);
            }
        }
        Ok(reply)
    }

    fn write(&self, memory: &mut Memory) -> Result<(), Unanswered> {
        let left_out = self.left_out()?;
        let front = self.front(4 - left_out.count_ones() as usize, 0)?;
        for (lane, place) in on(&self.places(front, self.slots()?)?) {
            let Some(place) = place else { continue };
            let mut texel = [0; 4];
            for (register, channel) in self.request.payload[front..].iter().zip(present(left_out)) {
                texel[channel] = dword(register, lane);
            }
            self.target.write(memory, place, texel, left_out);
        }
        Ok(())
    }

    fn operate(&self, memory: &mut Memory) -> Result<Reply, Unanswered> {
        let atomic = Atomic::of(self.control(), false)?;
        let front = self.front(atomic.operands(), atomic.returns.into())?;
        let slots = if self.has_upper_slots_in_bit_4() { 8 } else { 0 };
        let mut reply = Reply::default();
        for (lane, place) in on(&self.places(front, slots)?) {
            let operand = |number: usize| {
                self.request.payload.get(front + number).map_or(0, |data| dword(data, lane).into())
            };
            let operands = [operand(0), operand(1)];
            let back = place
                .map_or(0, |place| atomic.replace(self.target.bytes_mut(memory, place), operands));
            if atomic.returns {
                put(&mut reply, 0, lane, back as u32);
            }
        }
        Ok(reply)
    }

    fn control(&self) -> u32 {
        self.request.function_control >> 8 & 0x3F
    }

    fn has_upper_slots_in_bit_4(&self) -> bool {
        self.control() >> 4 & 1 == 1
    }

    /// Channels of texels that the message does without: bit 0 is red.
    fn left_out(&self) -> Result<u32, Unanswered> {
        match self.control() & 15 {
            15 => refuse("a typed message of no channels"),
            left_out => Ok(left_out),
        }
    }

    /// The first bit of a header's mask for reads and writes.
    fn slots(&self) -> Result<u32, Unanswered> {
        match (self.device, self.control() >> 4) {
            (Device::Ivb, bits) => Ok(8 * (bits >> 1)),
            (_, 1) => Ok(0),
            (_, 2) => Ok(8),
            _ if self.request.has_header => refuse("a slot group that is none of eight"),
            _ => Ok(0),
        }
    }

    /// Registers before the data of a message with so many of them and of the reply.
    fn front(&self, data: usize, returned: usize) -> Result<usize, Unanswered> {
        let header = usize::from(self.request.has_header);
        let sent = self.request.payload.len();
        let addresses = match (self.target.shape(), self.target.is_array()) {
            (Shape::Line, false) | (Shape::Buffer, _) => 1,
            (Shape::Line, true) | (Shape::Plane, false) => 2,
            (Shape::Plane, true) | (Shape::Volume | Shape::Cube, _) => 3,
            // As many as any surface has.
            (Shape::Void, _) => sent.saturating_sub(header + data).clamp(1, 3),
            (Shape::Structures | Shape::Unsupported, _) => {
                return refuse("a typed message to such a surface");
            }
        };
        lengths(self.request, header + addresses + data, returned)?;
        Ok(header + addresses)
    }

    /// Where the texels of the channels are; the mask of a header begins at a bit.
    fn places(&self, front: usize, slots: u32) -> Result<Places, Unanswered> {
        let Request { payload, has_header, channel_enables, .. } = *self.request;
        if !has_header && self.device == Device::Ivb {
            return refuse("a typed message without a header");
        }
        let mask = if has_header { dword(&payload[0], 7) >> slots } else { u32::MAX };
        let enables = u32::from(channel_enables) & mask;
        let addresses = &payload[usize::from(has_header)..front];
        let mut places = [None; LANES];
        for (lane, place) in places.iter_mut().enumerate() {
            if enables >> lane & 1 == 1 {
                let at = |n: usize| addresses.get(n).map_or(0, |register| dword(register, lane));
                *place = Some(self.place([at(0), at(1), at(2)])?);
            }
        }
        Ok(places)
    }

    /// Where a texel is, if it is in level and view.
    fn place(&self, [u, v, r]: [u32; 3]) -> Result<Option<usize>, Unanswered> {
        let (shape, target) = (self.target.shape(), self.target);
        let at = if shape == Shape::Line { [u, 0, v] } else { [u, v, r] };
        let is_there = target.is_in_level([at[0], at[1]])
            && (shape == Shape::Buffer || target.has_layer(at[2]));
        is_there.then(|| target.place(at)).transpose()
    }
}

/// The channels of texels that are not left out.
fn present(left_out: u32) -> impl Iterator<Item = usize> {
    (0..4).filter(move |channel| left_out >> channel & 1 == 0)
}

/// The channels that are on, with their places.
fn on(places: &Places) -> impl Iterator<Item = (usize, Option<usize>)> {
    places.iter().enumerate().filter_map(|(lane, place)| place.map(|place| (lane, place)))
}
