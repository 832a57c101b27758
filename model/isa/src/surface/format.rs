//! The formats themselves, read from the manuals' tables.

use std::sync::LazyLock;

use parallax_spec::{
    RuleId,
    rows::{Row, Table},
    rule_id,
    tables::{self, surface::DataFormat},
};
use serde::Deserialize;

use super::{
    channels::{self, ChannelMap},
    layout::{Block, Codec, Layout, Numeric},
    rules,
};
use crate::Device;

/// What a device may use a format for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Use {
    /// Reading texels through the sampler.
    Sampling,
    /// Filtering between texels.
    Filtering,
    /// Comparing texels before filtering.
    Shadow,
    /// Chroma keying.
    ChromaKey,
    /// Writing as a render target.
    RenderTarget,
    /// Blending into a render target.
    Blend,
    /// Fetching vertices.
    Vertex,
    /// Streaming vertices out.
    StreamOutput,
    /// Reading as a typed surface, with conversion (Gen7 and later).
    TypedRead,
    /// Writing as a typed surface (Gen7 and later).
    TypedWrite,
    /// Atomic operations on a typed surface (Gen7 and later).
    TypedAtomic,
}

impl Use {
    /// Every use and its word in `format list`.
    pub const WORDS: [(Self, &str); 11] = [
        (Self::Sampling, "sampling"),
        (Self::Filtering, "filtering"),
        (Self::Shadow, "shadow"),
        (Self::ChromaKey, "chroma-key"),
        (Self::RenderTarget, "render-target"),
        (Self::Blend, "blend"),
        (Self::Vertex, "vertex"),
        (Self::StreamOutput, "stream-output"),
        (Self::TypedRead, "typed-read"),
        (Self::TypedWrite, "typed-write"),
        (Self::TypedAtomic, "typed-atomic"),
    ];

    /// The word of `format list`.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(use_, _)| *use_ == self).map_or("?", |(_, word)| word)
    }

    /// The use of a column of the tables.
    fn column(name: &str) -> Option<Self> {
        Some(match name {
            "sampling" => Self::Sampling,
            "filtering" => Self::Filtering,
            "shadow" => Self::Shadow,
            "chroma_key" => Self::ChromaKey,
            "render_target" => Self::RenderTarget,
            "alpha_blend_rt" => Self::Blend,
            "vertex_buffer" => Self::Vertex,
            "stream_out" => Self::StreamOutput,
            _ => return None,
        })
    }
}

/// How numbers stand for colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColorSpace {
    /// In proportion to light.
    Linear,
    /// By the sRGB curve; alpha in proportion.
    Srgb,
    /// Luma and chroma.
    Yuv,
    /// Not colours.
    None,
}

impl ColorSpace {
    /// The word of the tables and of `format list`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Srgb => "srgb",
            Self::Yuv => "yuv",
            Self::None => "none",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Linear, Self::Srgb, Self::Yuv, Self::None].into_iter().find(|s| s.word() == word)
    }
}

/// The document a format is listed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Document {
    /// Intel G45 volume 4.
    G45,
    /// Intel DG1 enumerations.
    Dg1,
    /// AMD R700 ISA.
    R700,
}

/// A surface format of one family of devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    /// Where it is listed.
    pub document: Document,
    /// The manual's name.
    pub name: &'static str,
    /// A second name of the same encoding.
    pub also: Option<&'static str>,
    /// Its encoding.
    pub code: u16,
    /// Bits of a texel; of a block if the format is compressed; 0 where the manual gives none.
    pub bits: u16,
    /// Size of a block; all zero if the layout is undefined.
    pub block: Block,
    /// Where its components are.
    pub layout: Layout,
    /// Its colour space.
    pub color_space: ColorSpace,
    /// The manual's channel mapping rows for it. A format without any has the mapping that follows
    /// from its components; one with rows must not be sampled in a mode they do not name.
    pub maps: Vec<ChannelMap>,
    /// The rule that lists it, if it is one of level must.
    pub rule: Option<RuleId>,
    /// Remarks.
    pub notes: &'static str,
    pub(super) uses: Vec<(Use, &'static [Device])>,
}

impl Format {
    /// Whether a device may use it for this.
    #[must_use]
    pub fn allows(&self, device: Device, purpose: Use) -> bool {
        self.uses.iter().any(|(use_, devices)| *use_ == purpose && devices.contains(&device))
    }

    /// What a device may use it for.
    pub fn uses(&self, device: Device) -> impl Iterator<Item = Use> + '_ {
        let all = Use::WORDS.into_iter().map(|(purpose, _)| purpose);
        all.filter(move |&purpose| self.allows(device, purpose))
    }

    /// Whether it can be decoded at all.
    #[must_use]
    pub fn is_defined(&self) -> bool {
        self.layout != Layout::Undefined
    }

    /// Which palette its indices are for, if it has any.
    #[must_use]
    pub fn palette(&self) -> Option<usize> {
        let number = self.name.rsplit_once("_PALETTE")?.1;
        number.parse().ok()
    }

    /// Its numeric kinds: `unorm`, `snorm+unorm`, `sharedexp`, …
    #[must_use]
    pub fn kind(&self) -> String {
        let codec = match self.layout {
            Layout::Undefined => return "undefined".into(),
            Layout::Compressed(codec) => Some(codec),
            _ => None,
        };
        if let Some(codec) = codec {
            return match codec {
                Codec::Bc6h { .. } => "float",
                Codec::Bc4 { signed: true } | Codec::Bc5 { signed: true } => "snorm",
                Codec::EacR11 { signed: true } | Codec::EacRg11 { signed: true } => "snorm",
                _ => "unorm",
            }
            .into();
        }
        let mut words: Vec<&str> = Vec::new();
        for component in self.layout.components().filter(|c| c.numeric != Numeric::Pad) {
            let word = match component.numeric {
                Numeric::Mantissa | Numeric::Exponent => "sharedexp",
                numeric => numeric.word(),
            };
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words.join("+")
    }
}

/// Formats of DG1 that have a code and no rule of their own.
const DG1_WITHOUT_RULE: [&str; 3] = ["R1_UNORM", "MONO8", "RESERVED_192"];

const G45_ALL: &[Device] = &[Device::Bw, Device::Cl, Device::Ctg, Device::G45];
const CTG_ON: &[Device] = &[Device::Ctg, Device::G45];
const CTG_B_ON: &[Device] = &[Device::G45];
const DG1: &[Device] = &[Device::Dg1];
const RV770: &[Device] = &[Device::Rv770];

#[derive(Deserialize)]
struct G45Row {
    encoding_hex: String,
    name: String,
    bpe: u16,
    sampling: String,
    filtering: String,
    shadow: String,
    chroma_key: String,
    render_target: String,
    alpha_blend_rt: String,
    vertex_buffer: String,
    stream_out: String,
    channels: String,
    block: String,
    colorspace: String,
    name_as_written: String,
    adopted_support: String,
    notes: String,
}

impl G45Row {
    /// The columns of uses; those the manual lost are in `adopted_support` as `column=mark`.
    fn uses(&self) -> Option<Vec<(Use, &'static [Device])>> {
        let printed = [
            ("sampling", &self.sampling),
            ("filtering", &self.filtering),
            ("shadow", &self.shadow),
            ("chroma_key", &self.chroma_key),
            ("render_target", &self.render_target),
            ("alpha_blend_rt", &self.alpha_blend_rt),
            ("vertex_buffer", &self.vertex_buffer),
            ("stream_out", &self.stream_out),
        ];
        let adopted = self.adopted_support.split(';').filter_map(|cell| cell.split_once('='));
        printed
            .into_iter()
            .map(|(column, mark)| (column, mark.as_str()))
            .chain(adopted)
            .filter(|(_, mark)| !mark.is_empty())
            .map(|(column, mark)| {
                let devices = match mark {
                    "Y" => G45_ALL,
                    "Y*" => CTG_ON,
                    "Y+" => CTG_B_ON,
                    _ => return None,
                };
                Some((Use::column(column)?, devices))
            })
            .collect()
    }

    fn format(self) -> Option<Format> {
        let block = Block::parse(&self.block)?;
        let layout = Layout::parse(&self.channels)?;
        let bits = match &layout {
            Layout::Compressed(_) => u16::from(block.bytes) * 8,
            Layout::Subsampled(_) => u16::from(block.bytes) * 8 / u16::from(block.width),
            _ => self.bpe,
        };
        let uses = self.uses()?;
        let written = self.name_as_written.split_once('/').filter(|(first, _)| *first == self.name);
        Some(Format {
            document: Document::G45,
            also: written.map(|(_, second)| &*second.to_owned().leak()),
            code: u16::from_str_radix(&self.encoding_hex, 16).ok()?,
            bits,
            block,
            layout,
            color_space: ColorSpace::parse(&self.colorspace)?,
            maps: channels::G45.get(&self.name).cloned().unwrap_or_default(),
            rule: Some(rules::of_format("g45.format.", &self.name, "")),
            name: self.name.leak(),
            notes: self.notes.leak(),
            uses,
        })
    }
}

#[derive(Deserialize)]
struct Dg1Row {
    encoding_hex: String,
    name: String,
    bpe: Option<u16>,
    channels: String,
    block: String,
    colorspace: String,
    uses: String,
    notes: String,
}

/// The uses of a column of words, all on the same devices.
fn words(column: &str, devices: &'static [Device]) -> Option<Vec<(Use, &'static [Device])>> {
    column.split_whitespace().map(|word| Some((Use::column(word)?, devices))).collect()
}

impl Dg1Row {
    fn format(self) -> Option<Format> {
        let layout = Layout::parse(&self.channels)?;
        Some(Format {
            document: Document::Dg1,
            also: None,
            code: u16::from_str_radix(&self.encoding_hex, 16).ok()?,
            bits: self.bpe.unwrap_or(0),
            block: Block::parse(&self.block)
                .or((layout == Layout::Undefined).then(Block::default))?,
            layout,
            color_space: ColorSpace::parse(&self.colorspace)?,
            maps: Vec::new(),
            rule: (!DG1_WITHOUT_RULE.contains(&self.name.as_str()))
                .then(|| rules::of_format("dg1.format.", &self.name, "")),
            name: self.name.leak(),
            notes: self.notes.leak(),
            uses: words(&self.uses, DG1)?,
        })
    }
}

fn r700_format(row: DataFormat) -> Option<Format> {
    let layout = Layout::parse(&row.channels)?;
    let bits = row.bits.unwrap_or(0);
    let pair = matches!(layout, Layout::Subsampled(_));
    Some(Format {
        document: Document::R700,
        also: None,
        code: row.code,
        bits: if pair { bits / 2 } else { bits },
        block: Block::parse(&row.block).or((layout == Layout::Undefined).then(Block::default))?,
        layout,
        color_space: ColorSpace::Linear,
        maps: Vec::new(),
        rule: Some(rule_id!("r700.fmt.codes")),
        name: row.name.leak(),
        notes: row.notes.leak(),
        uses: words(&row.uses, RV770)?,
    })
}

fn read<Row>(table: &str, rows: Vec<Row>, format: impl Fn(Row) -> Option<Format>) -> Vec<Format> {
    let rows = rows.into_iter().enumerate();
    rows.map(|(n, row)| format(row).unwrap_or_else(|| panic!("{table}: row {n} is faulty")))
        .collect()
}

/// The formats of G45 and its forerunners, by code.
pub(super) static G45_FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    read("g45-surface-formats", tables::rows("g45-surface-formats"), G45Row::format)
});

/// The formats of DG1, by code.
pub(super) static DG1_FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    read("dg1-surface-formats", tables::rows("dg1-surface-formats"), Dg1Row::format)
});

/// The data formats of R700, by code.
pub(super) static R700_FORMATS: LazyLock<Vec<Format>> =
    LazyLock::new(|| read("r700-data-formats", DataFormat::all(), r700_format));

/// The row of a data format of R700 in the table of their codes, if it has a layout.
#[must_use]
pub fn row_of_r700(code: u32) -> Option<Row> {
    static ROWS: LazyLock<Vec<Option<Row>>> = LazyLock::new(|| {
        let mut rows = Table::of(rule_id!("r700.fmt.codes")).into_iter().flat_map(Table::rows);
        R700_FORMATS
            .iter()
            .map(|format| if format.is_defined() { rows.next() } else { None })
            .collect()
    });
    ROWS.get(code as usize).copied().flatten()
}
