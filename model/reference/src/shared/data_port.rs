//! The data port of G45 and its predecessors, read and write (G45 volume 4, chapter 5).

mod buffer;
mod fragment;
mod loop_filter;
mod media;
mod message;
mod render_target;
mod space;
mod store;
mod target;
mod vertex;

use parallax_isa::{
    Device,
    device::Generation,
    shared::{Request, Unanswered},
};

pub(super) use super::record::Place;
use super::{
    Reply, World,
    order::Cache,
    record::{AccessStep, Move, Pixels, WriteParts},
    surface_state::{self as surface, SurfaceState},
    undefined,
};
use crate::eu::Observed;
use message::{Direction, Message};
use space::Space;
pub(super) use space::memory;

/// The data port of a device.
#[derive(Debug)]
pub(crate) struct DataPort {
    pub(super) device: Device,
}

/// The codes of its two functions.
const READ: u8 = 4;
/// The type of a Render Target Write.
const RENDER_TARGET_WRITE: u32 = 4;

/// What a message does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Neighbouring octwords.
    OwordBlock,
    /// Neighbouring octwords at two places.
    OwordDualBlock,
    /// A rectangle of bytes.
    MediaBlock,
    /// A doubleword for each channel.
    DwordScattered,
    /// What a loop filter needs of a macroblock.
    LoopFilter,
    /// Up to four doublewords of a vertex.
    StreamedVertexBuffer,
    /// The render cache goes to memory.
    Flush,
}

impl DataPort {
    /// The reply to a message, as soon as the case has surfaces.
    pub(super) fn answer(&self, request: &Request, world: &mut World) -> Result<Reply, Unanswered> {
        let Some(environment) = world.environment else {
            return Err(Unanswered::NoSuchFunction("the data port, without surfaces"));
        };
        // Decision D-eu-data-port.
        if request.target != READ && request.function_control >> 12 & 7 == RENDER_TARGET_WRITE {
            return self.render_target_write(request, world, environment);
        }
        if request.is_last {
            return undefined("a last message to the data port that is no render target write");
        }
        let control = request.function_control;
        let (kind, direction) = if request.target == READ {
            self.read_type(control)?
        } else {
            self.write_type(control)?
        };
        if kind == Kind::Flush {
            let reply = flush(request, direction, world)?;
            lend(request, None, &[], Pixels::default(), &reply, world);
            return Ok(reply);
        }
        let space = Space::of(environment, request, self.device)?;
        if kind == Kind::LoopFilter {
            let (reply, moves) = self.loop_filter(request, space, direction, world)?;
            lend(request, space.state(), &moves, Pixels::default(), &reply, world);
            return Ok(reply);
        }
        let message = match kind {
            Kind::OwordBlock => self.oword_block(request, space, direction)?,
            Kind::OwordDualBlock => self.oword_dual_block(request, space, direction)?,
            Kind::DwordScattered => self.dword_scattered(request, space, direction)?,
            Kind::StreamedVertexBuffer => self.streamed_vertex(request, space, direction)?,
            Kind::MediaBlock => self.media_block(request, space, direction)?,
            Kind::LoopFilter | Kind::Flush => unreachable!("it was answered"),
        };
        message.check_lengths(request)?;
        let reply = message.carry_out(request, world);
        lend(request, space.state(), &message.moves, Pixels::default(), &reply, world);
        Ok(reply)
    }

    /// Whether the device is a [DevCTG] or later.
    fn is_ctg(&self) -> bool {
        self.device.generation() >= Some(Generation::Gen45)
    }

    /// What a message to the read port does, and through which cache.
    fn read_type(&self, control: u32) -> Result<(Kind, Direction), Unanswered> {
        let cache = match control >> 14 & 3 {
            0 => Cache::Data,
            1 => Cache::Render,
            2 => Cache::Sampler,
            _ => return undefined("a read through cache 3"),
        };
        let kind = if self.is_ctg() {
            match control >> 11 & 7 {
                0 => Kind::OwordBlock,
                2 => Kind::OwordDualBlock,
                3 => Kind::LoopFilter,
                4 => Kind::MediaBlock,
                6 => Kind::DwordScattered,
                code => return undefined(format!("a read message of type {code}")),
            }
        } else {
            match control >> 12 & 3 {
                0 => Kind::OwordBlock,
                1 => Kind::OwordDualBlock,
                2 => Kind::MediaBlock,
                _ => Kind::DwordScattered,
            }
        };
        Ok((kind, Direction::Read(cache)))
    }

    /// What a message to the write port does, and whether it is answered when that is done.
    fn write_type(&self, control: u32) -> Result<(Kind, Direction), Unanswered> {
        let kind = match control >> 12 & 7 {
            0 => Kind::OwordBlock,
            1 => Kind::OwordDualBlock,
            2 => Kind::MediaBlock,
            3 => Kind::DwordScattered,
            5 => Kind::StreamedVertexBuffer,
            7 => Kind::Flush,
            code => return undefined(format!("a write message of type {code}")),
        };
        Ok((kind, Direction::Write { commits: control >> 15 & 1 == 1 }))
    }
}

/// Lends what a message did.
fn lend(
    request: &Request,
    surface: Option<&SurfaceState>,
    moves: &[Move],
    pixels: Pixels,
    reply: &Reply,
    world: &World,
) {
    let (met, reply) = (world.past.order.met, &reply.registers);
    let surface = surface.map(SurfaceState::words);
    world.lender.lend(|device| {
        Observed::Access(AccessStep {
            device,
            request,
            surface,
            moves,
            texels: &[],
            parts: WriteParts::default(),
            pixels,
            met,
            reply,
            rendering: world.rendering,
        })
    });
}

/// Flush Render Cache: what was written is in memory, if the thread waits for the answer.
fn flush(request: &Request, direction: Direction, world: &mut World) -> Result<Reply, Unanswered> {
    let message = Message::without_data(direction);
    message.check_lengths(request)?;
    let Direction::Write { commits } = direction else {
        return undefined("a flush that reads");
    };
    if commits {
        world.past.order.flush();
    }
    Ok(message.reply())
}
