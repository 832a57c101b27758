//! Formats of surfaces and what is done to pixels: when each rule decides what a block, a pixel or a channel becomes.

mod calls;
mod formats;
mod pixels;

use parallax_isa::{
    Device,
    surface::{
        BorderMode, Document, Fetch, Format, Operation, Select, State, catalogue, lookup,
        pixel::{
            BlendFactor, BlendFunction, ChannelSelect, CompareFunction, LogicOp, StencilOp,
            TextureCoordinateMode, VertexComponentControl,
        },
    },
};
use parallax_reference::surface::SurfaceStep;
use parallax_spec::{RuleId, coverage};

pub use calls::{Call, observe_call};

/// A block that was decoded or encoded.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// The device.
    pub device: Device,
    /// Its format.
    pub format: &'a Format,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// It was encoded.
    pub is_written: bool,
    /// The border colour mode that it was decoded in.
    pub border_mode: BorderMode,
    /// sRGB codes became light.
    pub linearise: bool,
    /// What a fetch of R700 says.
    pub fetch: Fetch,
    /// What it selects.
    pub select: Option<[Select; 4]>,
}

/// A rule that decides what blocks of a document's formats become.
struct BlockRule {
    id: RuleId,
    document: Document,
    /// It decides what is encoded too.
    is_of_writes: bool,
    when: fn(Block) -> bool,
}

impl BlockRule {
    const fn new(document: Document, id: &str, when: fn(Block) -> bool) -> Self {
        Self { id: RuleId::named(id), document, is_of_writes: false, when }
    }

    /// It decides what is encoded too.
    const fn of_writes(self) -> Self {
        Self { is_of_writes: true, ..self }
    }

    fn decides(&self, block: Block) -> bool {
        self.document == block.format.document
            && (self.is_of_writes || !block.is_written)
            && (self.when)(block)
    }
}

/// An operation on pixels that was done.
#[derive(Clone, Copy)]
struct Pixel<'a> {
    device: Device,
    operation: &'a Operation,
    state: &'a State,
}

/// A rule that decides what an operation on pixels does.
struct PixelRule {
    id: RuleId,
    when: fn(Pixel) -> bool,
}

/// Counts the rules that decide an operation; to be lent to
/// [`Reference::observed_by`](parallax_reference::surface::Reference::observed_by).
pub fn observe(step: &SurfaceStep) {
    let &SurfaceStep { device, operation, state } = step;
    let written = |format: &u16, fetch| {
        let Ok(format) = lookup::code(device, (*format).into()) else { return };
        let bytes = state.bytes.get(..format.block.bytes.into()).unwrap_or_default();
        observe_block(Block { is_written: true, fetch, ..Block::new(device, format, bytes) });
    };
    match operation {
        Operation::Decode { format, bytes, border_mode, linearise, fetch, select } => {
            let Ok(format) = lookup::code(device, (*format).into()) else { return };
            let (border_mode, linearise, fetch, select) =
                (*border_mode, *linearise, *fetch, *select);
            let block = Block::new(device, format, bytes);
            observe_block(Block { border_mode, linearise, fetch, select, ..block });
            return;
        }
        Operation::Encode { format, fetch, .. } => return written(format, *fetch),
        Operation::WritePixel { format, .. } => written(format, Fetch::default()),
        _ => {}
    }
    let pixel = Pixel { device, operation, state };
    let deciding = pixels::RULES.iter().filter(|rule| (rule.when)(pixel));
    deciding.for_each(|rule| coverage::hit(rule.id));
    pixels::each_member(pixel, coverage::hit);
}

/// Counts the rules that decide what a block becomes.
pub fn observe_block(block: Block) {
    let deciding = formats::RULES.iter().filter(|rule| rule.decides(block));
    deciding.for_each(|rule| coverage::hit(rule.id));
    formats::count_tables(block);
}

/// Every rule of surfaces.
pub fn rules() -> impl Iterator<Item = RuleId> {
    of_blocks().chain(of_pixels())
}

/// Whether a rule of surfaces decides what blocks become, or else what is done to pixels and channels.
#[must_use]
pub fn is_of_blocks(id: RuleId) -> Option<bool> {
    let is_of_pixels = of_pixels().any(|rule| rule == id);
    (is_of_pixels || of_blocks().any(|rule| rule == id)).then_some(!is_of_pixels)
}

fn of_blocks() -> impl Iterator<Item = RuleId> {
    let rows = formats::RULES.iter().map(|rule| rule.id);
    let all = [Device::G45, Device::Dg1].into_iter().flat_map(catalogue);
    let of_formats = all.flat_map(|format| {
        let maps = format.maps.iter().map(|map| map.rule);
        format.rule.into_iter().filter(|_| format.is_defined()).chain(maps)
    });
    rows.chain(of_formats)
}

fn of_pixels() -> impl Iterator<Item = RuleId> {
    let rows = pixels::RULES.iter().map(|rule| rule.id).chain(calls::rules());
    let members = CompareFunction::ALL.iter().map(|member| member.rule());
    let members = members.chain(StencilOp::ALL.iter().map(|member| member.rule()));
    let members = members.chain(LogicOp::ALL.iter().map(|member| member.rule()));
    let members = members.chain(BlendFactor::ALL.iter().map(|member| member.rule()));
    let members = members.chain(BlendFunction::ALL.iter().map(|member| member.rule()));
    let members = members.chain(TextureCoordinateMode::ALL.iter().map(|member| member.rule()));
    let members = members.chain(ChannelSelect::ALL.iter().map(|member| member.rule()));
    let members = members.chain(VertexComponentControl::ALL.iter().map(|member| member.rule()));
    rows.chain(members)
}
