//! The data cache of Gen7 and later, ports 0 and 1, and the constant cache: blocks of octwords, scattered bytes,
//! doublewords and quadwords, untyped surfaces, atomic operations (tables `eu-sfid-by-gen`,
//! `eu-dataport-control`; the talk's table of data port messages). Beside them the barriers of the gateway.

mod access;
mod atomic;
mod form;
mod media;
mod message;
mod space;

use std::ops::RangeInclusive;

use parallax_isa::{
    device::Generation,
    shared::{Reach, Request, Unanswered},
};

use super::{
    Reply, SharedFunction, World, barrier,
    picture::{self, SAMPLING_ENGINE},
    record::CacheStep,
    undefined,
};
use crate::eu::Observed;
pub(super) use atomic::Operation;
use form::Form;
use message::{Data, Message};
use space::Space;

/// The data cache of a generation.
#[derive(Debug)]
pub(crate) struct DataCache {
    generation: Generation,
}

/// Codes of shared functions.
const CONSTANT: u8 = 9;
const PORT0: u8 = 10;
const PORT1: u8 = 12;

/// What a message of a type does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Neighbouring octwords.
    Block,
    /// Neighbouring octwords from any doubleword on.
    UnalignedBlock,
    /// A rectangle of a picture.
    Media,
    /// A byte, word or doubleword for each channel; by 64-bit addresses also doublewords and quadwords.
    Bytes,
    /// Neighbouring doublewords for each channel.
    Doublewords,
    /// Up to four neighbouring doublewords for each channel.
    Untyped,
    /// Reads, computes and writes a doubleword for each channel.
    Atomic,
    /// The same with numbers of single precision.
    FloatAtomic,
    /// Waits until earlier messages are done.
    Fence,
}

/// A message type.
struct Type {
    port: u8,
    code: u32,
    generations: RangeInclusive<Generation>,
    kind: Kind,
    is_write: bool,
    /// Its addresses have 64 bits.
    is_wide: bool,
}

/// The message types that have a meaning here (table `eu-sfid-by-gen`).
const TYPES: &[Type] = {
    const fn on_all(code: u32, kind: Kind, is_write: bool) -> Type {
        let generations = Generation::Gen7..=Generation::Gen12;
        Type { port: PORT0, code, generations, kind, is_write, is_wide: false }
    }
    const fn of_constants(code: u32, kind: Kind, since: Generation) -> Type {
        let generations = since..=Generation::Gen12;
        Type { port: CONSTANT, code, generations, kind, is_write: false, is_wide: false }
    }
    const fn on_gen7(code: u32, kind: Kind, is_write: bool) -> Type {
        let generations = Generation::Gen7..=Generation::Gen7;
        Type { port: PORT0, code, generations, kind, is_write, is_wide: false }
    }
    const fn on_gen9(code: u32, kind: Kind, is_write: bool, is_wide: bool) -> Type {
        let generations = Generation::Gen9..=Generation::Gen12;
        Type { port: PORT1, code, generations, kind, is_write, is_wide }
    }
    &[
        on_all(0, Kind::Block, false),
        on_all(1, Kind::UnalignedBlock, false),
        on_all(3, Kind::Doublewords, false),
        on_all(4, Kind::Bytes, false),
        on_all(7, Kind::Fence, false),
        on_all(8, Kind::Block, true),
        on_all(11, Kind::Doublewords, true),
        on_all(12, Kind::Bytes, true),
        on_gen7(5, Kind::Untyped, false),
        on_gen7(6, Kind::Atomic, true),
        on_gen7(13, Kind::Untyped, true),
        on_gen9(1, Kind::Untyped, false, false),
        on_gen9(2, Kind::Atomic, true, false),
        on_gen9(4, Kind::Media, false, false),
        on_gen9(9, Kind::Untyped, true, false),
        on_gen9(10, Kind::Media, true, false),
        on_gen9(16, Kind::Bytes, false, true),
        on_gen9(17, Kind::Untyped, false, true),
        on_gen9(18, Kind::Atomic, true, true),
        on_gen9(20, Kind::Block, false, true),
        on_gen9(21, Kind::Block, true, true),
        on_gen9(25, Kind::Untyped, true, true),
        on_gen9(26, Kind::Bytes, true, true),
        on_gen9(27, Kind::FloatAtomic, true, false),
        on_gen9(29, Kind::FloatAtomic, true, true),
        of_constants(0, Kind::Block, Generation::Gen7),
        of_constants(1, Kind::UnalignedBlock, Generation::Gen7),
        of_constants(3, Kind::Doublewords, Generation::Gen7),
    ]
};

impl SharedFunction for DataCache {
    fn answer(&self, request: &Request, world: &mut World) -> Result<Reply, Unanswered> {
        // Decision D-eu-data-cache.
        if request.target == SAMPLING_ENGINE && self.generation > Generation::Gen7 {
            return picture::resinfo(request, world.reach().map);
        }
        if request.target == barrier::GATEWAY {
            return barrier::answer(request, self.generation, world.group());
        }
        let (local_bytes, lender) = (world.local_bytes, world.lender);
        let mut reach = world.reach();
        let is_scratch = request.target == PORT0 && request.function_control >> 18 & 1 == 1;
        let message = if is_scratch {
            self.scratch_block(request, &reach)?
        } else {
            self.message(self.message_type(request)?, request, &reach, local_bytes)?
        };
        message.check_lengths(request)?;
        message.check_places(request)?;
        if lender.observer.is_none() {
            return Ok(message.carry_out(request, &mut reach));
        }
        let mut elements = message.before(request, &reach);
        let reply = message.carry_out(request, &mut reach);
        message.after(&mut elements, &reach);
        lender.lend(|device| {
            Observed::Cache(CacheStep {
                device,
                request,
                space: message.space.observed(),
                base: message.space.base(),
                front: message.form.front,
                registers: message.form.registers,
                elements: &elements,
                reply: &reply.registers,
            })
        });
        Ok(reply)
    }
}

impl DataCache {
    pub(crate) const GEN7: Self = Self { generation: Generation::Gen7 };
    pub(crate) const GEN9: Self = Self { generation: Generation::Gen9 };
    pub(crate) const GEN12: Self = Self { generation: Generation::Gen12 };

    /// The type of a message: bits 17:14 of the descriptor for port 0, 18:14 for port 1.
    fn message_type(&self, request: &Request) -> Result<&'static Type, Unanswered> {
        let has_port1 = self.generation > Generation::Gen7;
        let code = match request.target {
            PORT0 | CONSTANT => request.function_control >> 14 & 0xF,
            PORT1 if has_port1 => request.function_control >> 14 & 0x1F,
            _ => return Err(Unanswered::NoSuchFunction("another one than the data cache")),
        };
        let found = TYPES.iter().find(|known| {
            (known.port, known.code) == (request.target, code)
                && known.generations.contains(&self.generation)
        });
        found.map_or_else(|| undefined(format!("data cache message type {code}")), Ok)
    }

    /// A message of a type, by its message control (bits 13:8) and header.
    fn message<'m>(
        &self,
        kind: &Type,
        request: &Request,
        reach: &Reach<'m>,
        local_bytes: usize,
    ) -> Result<Message<'m>, Unanswered> {
        let control = request.function_control >> 8 & 0x3F;
        let space = || self.space(request, kind.is_wide, reach, local_bytes);
        let data = if kind.is_write { Data::Written } else { Data::Read };
        let form = match kind.kind {
            Kind::Fence => return Ok(Message::fence(request)),
            Kind::Block | Kind::UnalignedBlock => {
                let unit = match kind.kind {
                    _ if kind.is_wide => message::Unit::Wide,
                    Kind::Block => message::Unit::Octword,
                    _ => message::Unit::Doubleword,
                };
                Form::block(request, control, unit, kind.is_write)?
            }
            Kind::Media => {
                let picture = picture::behind(request, reach.map)?;
                let space = Space::of(picture);
                let form = Form::media(request, control, picture, kind.is_write)?;
                return Ok(Message { space, form, data });
            }
            Kind::Bytes if kind.is_wide => Form::scattered(request, control)?,
            Kind::Bytes => Form::bytes(request, control, control & 1 == 1, false)?,
            Kind::Doublewords => Form::doublewords(request, control)?,
            Kind::Untyped => Form::untyped(request, control, kind.is_wide)?,
            Kind::Atomic => {
                let (form, operation) = Form::atomic(request, control, kind.is_wide)?;
                return Ok(Message { space: space()?, form, data: Data::Atomic(operation) });
            }
            Kind::FloatAtomic => {
                let (form, operation) = Form::float_atomic(request, control, kind.is_wide)?;
                return Ok(Message { space: space()?, form, data: Data::Atomic(operation) });
            }
        };
        Ok(Message { space: space()?, form, data })
    }

    /// A scratch block: bit 17 of the descriptor is a write, bit 16 another layout, bits 13:12 give
    /// the number of registers, bits 11:0 the first one.
    fn scratch_block<'m>(
        &self,
        request: &Request,
        reach: &Reach<'m>,
    ) -> Result<Message<'m>, Unanswered> {
        let control = request.function_control;
        let registers = match (control >> 12 & 3, self.generation) {
            (0, _) => 1,
            (1, _) => 2,
            (3, Generation::Gen7) => 4,
            (2, Generation::Gen9 | Generation::Gen12) => 4,
            (3, Generation::Gen9 | Generation::Gen12) => 8,
            (code, _) => return undefined(format!("a scratch block of size {code}")),
        };
        let space = self.scratch_space(request, reach)?;
        let (is_written, by_doublewords) = (control >> 17 & 1 == 1, control >> 16 & 1 == 1);
        let form = Form::registers(registers, i128::from(control & 0xFFF));
        let form = match by_doublewords && !message::is_whole(request) {
            false => form,
            true if is_written && 8 * registers == usize::from(request.channels) => {
                form.of_enabled_channels(request)
            }
            true => return undefined("a scratch block by doublewords of which channels are off"),
        };
        let data = if is_written { Data::Written } else { Data::Read };
        Ok(Message { space, form, data })
    }
}
