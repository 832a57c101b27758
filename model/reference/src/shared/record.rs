//! The record of a message: what was asked, what each part of it read and computed, and the reply. It is lent to whoever
//! observes the reference ([`crate::eu::Reference::observed_by`]); shared functions themselves read nothing of it.

use parallax_isa::{
    Acceptance, Device,
    shared::{Environment, Rendering, Request, Response, Sampling},
    surface::{Format, Texel},
};

pub use super::order::Met;
use super::{Reply, World};
use crate::{
    eu::{Observed, Observer},
    number::Exact,
};

/// Messages to the Sampling Engine as they are understood.
pub mod sampler {
    pub use super::super::sampler::{Entity, Form, Header, Kind, Message, Mode, Parameter};
}

/// A byte of data.
#[derive(Debug, Clone, Copy)]
pub struct Move {
    /// Where it is in the registers of data that are sent or come back.
    pub at: usize,
    /// What it stands for.
    pub place: Place,
}

/// What a byte of data stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The byte at a graphics address.
    Memory(usize),
    /// Nothing: it reads as 0 and is not written.
    Nowhere,
    /// Something beyond the bound of the stateless model: nobody says what is read.
    BeyondBound,
}

/// A message that was answered.
#[derive(Debug)]
pub struct MessageStep<'a> {
    /// The device of its sender.
    pub device: Device,
    /// What was asked.
    pub request: &'a Request<'a>,
    /// The registers of the reply.
    pub reply: &'a [Response],
    /// It wrote to memory.
    pub stores: bool,
    /// It wrote to a register of its own thread through the gateway.
    pub forwards: bool,
    /// What it met of earlier ones.
    pub met: Met,
    /// A register of its payload held something else in an earlier message.
    pub reuses_registers: bool,
    /// What was set up before the thread ran.
    pub environment: Option<&'a Environment>,
}

/// A message to the Sampling Engine that was answered.
#[derive(Debug)]
pub struct SampleStep<'a> {
    /// The device.
    pub device: Device,
    /// The message.
    pub request: &'a Request<'a>,
    /// How it was understood.
    pub message: &'a sampler::Message,
    /// SURFACE_STATE.
    pub surface: &'a [u32],
    /// The format of its texels.
    pub format: &'a Format,
    /// Samplers, and what belongs to them.
    pub sampling: &'a Sampling,
    /// The registers of the reply.
    pub reply: &'a [Response],
    /// Nothing that comes back is specified.
    pub is_unspecified: bool,
}

/// The levels and texels that are sampled, gathered or loaded for a pixel or sample. Levels of detail are in 64ths, from
/// Gen7 on in 256ths.
#[derive(Debug)]
pub struct PixelStep<'a> {
    /// The device.
    pub device: Device,
    /// The message.
    pub request: &'a Request<'a>,
    /// How it was understood.
    pub message: &'a sampler::Message,
    /// Its number in the message.
    pub number: usize,
    /// SURFACE_STATE.
    pub surface: &'a [u32],
    /// The format of its texels.
    pub format: &'a Format,
    /// SAMPLER_STATE; zeros where the message uses none.
    pub sampler: &'a [u32; 4],
    /// What belongs to samplers.
    pub sampling: &'a Sampling,
    /// The level of detail with its bias, before it is clamped.
    pub lod: i64,
    /// The least level of detail that is allowed.
    pub min: i64,
    /// The greatest one.
    pub max: i64,
    /// It is magnified.
    pub magnifies: bool,
    /// What the second of two levels weighs.
    pub blend: i64,
    /// How many subpixels an anisotropic filter has; 0 of other filters.
    pub subpixels: u32,
    /// Its sides differ more than the sampler allows.
    pub is_too_long: bool,
    /// The element of an array, or the face of a cube.
    pub slice: i64,
    /// The texels that are parts of its colour.
    pub texels: &'a [SampledTexel],
    /// Its colour, in the channels of the reply.
    pub colour: [u32; 4],
    /// Nothing of the colour is specified.
    pub is_unspecified: bool,
}

/// A texel with its part in a colour.
#[derive(Debug, Clone, Copy)]
pub struct SampledTexel {
    /// The level that it is of.
    pub level: u32,
    /// Where the filter is on that level, by direction, in 256ths of a texel.
    pub address: [i64; 3],
    /// The indices of the texel before address modes.
    pub indices: [i64; 3],
    /// Where it comes from.
    pub source: TexelSource,
    /// It is in the range of the chroma key.
    pub is_keyed: bool,
    /// What is compared, or filtered if nothing is.
    pub fetched: Texel,
    /// What is filtered.
    pub(crate) texel: Texel,
    pub(crate) weight: Exact,
    /// It is of a subpixel at an end.
    pub(crate) is_end: bool,
}

impl SampledTexel {
    /// Whether it is in memory.
    #[must_use]
    pub const fn is_fetched(&self) -> bool {
        matches!(self.source, TexelSource::Texel(_))
    }
}

/// Where a texel comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TexelSource {
    /// Column, row, and slice of the level.
    Texel([i64; 3]),
    /// The border colour.
    Border,
    /// Beyond the corner of a cube, where nothing is.
    Corner,
}

/// The slots of a render target write, a bit each.
#[derive(Debug, Default, Clone, Copy)]
pub struct Pixels {
    /// Those whose colour was written.
    pub written: u16,
    /// Those that are lit and outside of the surface.
    pub outside: u16,
    /// Those whose depth was written.
    pub depths: u16,
    /// Those whose stencil value was written.
    pub stencils: u16,
}

/// The parts of a render target write of Gen7 and later beside its colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriteParts {
    /// The alpha of target 0 stands before the colours.
    pub has_alpha: bool,
    /// So do sample masks.
    pub has_mask: bool,
    /// A depth stands behind the colours.
    pub has_depth: bool,
    /// So does a stencil value.
    pub has_stencil: bool,
}

/// The texel at which a channel of a typed or render target message of Gen7 and later is.
#[derive(Debug, Clone, Copy)]
pub struct ReachedTexel {
    /// The number of the channel or pixel.
    pub channel: usize,
    /// The execution mask and that of header or dispatch have the channel.
    pub is_enabled: bool,
    /// The sample mask has the sample, if there is one.
    pub is_sampled: bool,
    /// Column, row and layer of the view.
    pub place: [u32; 3],
    /// Its graphics address, if there is such a texel.
    pub address: Option<usize>,
    /// The components that a write sends.
    pub colour: [u32; 4],
}

/// A message to a port of the data cache or the render cache that was answered.
#[derive(Debug)]
pub struct AccessStep<'a> {
    /// The device.
    pub device: Device,
    /// The message.
    pub request: &'a Request<'a>,
    /// SURFACE_STATE, unless it is stateless.
    pub surface: Option<&'a [u32]>,
    /// The bytes of data, and what they stand for.
    pub moves: &'a [Move],
    /// The texels at which its channels are, of typed and render target messages of Gen7 and later.
    pub texels: &'a [ReachedTexel],
    /// What a render target write of these has beside its colours.
    pub parts: WriteParts,
    /// What a render target write of Gen4 and Gen4.5 did.
    pub pixels: Pixels,
    /// Colour calculator state and depth buffer, if the case has any.
    pub rendering: Option<&'a Rendering>,
    /// What it met of earlier ones.
    pub met: Met,
    /// The registers of the reply.
    pub reply: &'a [Response],
}

/// A message to the data cache of Gen7 and later, or to the cache of constants, that was answered.
#[derive(Debug)]
pub struct CacheStep<'a> {
    /// The device.
    pub device: Device,
    /// The message.
    pub request: &'a Request<'a>,
    /// What its addresses count in.
    pub space: CacheSpace,
    /// What is added to its addresses: of stateless messages the base in the header.
    pub base: i128,
    /// Registers of the payload in front of the data: header and addresses.
    pub front: usize,
    /// Registers of data, of one operand of an atomic operation.
    pub registers: usize,
    /// What was carried out, in this order: nothing of channels that are off.
    pub elements: &'a [CacheElement],
    /// The registers of the reply.
    pub reply: &'a [Response],
}

/// What addresses of messages to the data cache count in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheSpace {
    /// No memory: the message moves nothing.
    Nothing,
    /// All that has an address.
    Addresses,
    /// A surface, or the rows of a picture.
    Surface,
    /// Shared local memory.
    Local,
}

/// A piece of data of a message to the data cache.
#[derive(Debug, Clone, Copy)]
pub struct CacheElement {
    /// Its byte offset, with what is added to it; of shared local memory also bits that do not count.
    pub address: i128,
    /// How many bytes it has.
    pub bytes: usize,
    /// The byte at which it stands in the registers of data.
    pub at: usize,
    /// Its first byte in memory; `None` if not all of it is inside of the space.
    pub place: Option<usize>,
    /// What was there before the message; 0 if it is outside.
    pub before: u128,
    /// What is there after it.
    pub after: u128,
}

/// A result of a channel of a message to Extended Math.
#[derive(Debug)]
pub struct MathStep<'a> {
    /// The device.
    pub device: Device,
    /// The message.
    pub request: &'a Request<'a>,
    /// Which result of the function it is: 0, of two the second one is 1.
    pub which: usize,
    /// The channel, of the second register of 16 channels 8 and more.
    pub channel: usize,
    /// The operands as they stand in the payload; without a second one the first again.
    pub operands: [u32; 2],
    /// The result.
    pub result: u32,
    /// What is accepted besides it.
    pub acceptance: Option<Acceptance>,
    /// How it came about.
    pub path: MathPath,
}

/// How a result of Extended Math comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MathPath {
    /// It is the function of a number, not a cell of a table.
    pub is_computed: bool,
    /// Saturation changed it.
    pub is_clamped: bool,
    /// It is too small for a normal number.
    pub is_tiny: bool,
    /// It is too large for a number.
    pub overflows: bool,
}

/// Who a message is lent to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lender {
    pub(crate) device: Device,
    pub(crate) observer: Option<Observer>,
}

impl Lender {
    /// Lends a record to the observer, if there is one.
    pub(super) fn lend<'a>(self, record: impl FnOnce(Device) -> Observed<'a>) {
        if let Some(observe) = self.observer {
            observe(&record(self.device));
        }
    }
}

impl World<'_> {
    /// Lends a message to texels of Gen7 and later that was answered. What it reached is looked up only for an observer.
    pub(super) fn lend_texels(
        &self,
        request: &Request,
        (surface, parts): (&[u32], WriteParts),
        reached: impl FnOnce() -> Vec<ReachedTexel>,
        reply: &Reply,
    ) {
        let Some(observe) = self.lender.observer else { return };
        observe(&Observed::Access(AccessStep {
            device: self.lender.device,
            request,
            surface: Some(surface),
            moves: &[],
            texels: &reached(),
            parts,
            pixels: Pixels::default(),
            rendering: self.rendering,
            met: self.past.order.met,
            reply: &reply.registers,
        }));
    }

    /// Lends a message that was answered.
    pub(crate) fn lend(&self, request: &Request, reply: &Reply) {
        self.lender.lend(|device| {
            Observed::Message(MessageStep {
                device,
                request,
                reply: &reply.registers,
                stores: !reply.written.is_empty(),
                forwards: reply.forwarded.is_some(),
                met: self.past.order.met,
                reuses_registers: self.past.reuses_registers,
                environment: self.environment,
            })
        });
    }
}
