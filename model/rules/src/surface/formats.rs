//! Formats: of the G45 (chapter 4), of DG1's enumerations, and of R700's fetches. A component decides a block where its
//! bits are not all zero, which is the same in every format.

use parallax_isa::{
    Device,
    surface::{
        BorderMode, ColorSpace, Component, Document, Fetch, Format, FormatComp, Layout, Name,
        NumFormat, Numeric, Select, SrfMode, Use, format::row_of_r700,
    },
};
use parallax_spec::{RuleId, coverage};

use super::{Block, BlockRule};

const fn g45(id: &str, when: fn(Block) -> bool) -> BlockRule {
    BlockRule::new(Document::G45, id, when)
}

const fn dg1(id: &str, when: fn(Block) -> bool) -> BlockRule {
    BlockRule::new(Document::Dg1, id, when)
}

const fn r700(id: &str, when: fn(Block) -> bool) -> BlockRule {
    BlockRule::new(Document::R700, id, when)
}

impl<'a> Block<'a> {
    /// A block in the default state.
    #[must_use]
    pub fn new(device: Device, format: &'a Format, bytes: &'a [u8]) -> Self {
        let (border_mode, linearise, fetch) = (BorderMode::default(), true, Fetch::default());
        Self {
            device,
            format,
            bytes,
            is_written: false,
            border_mode,
            linearise,
            fetch,
            select: None,
        }
    }

    fn swap(self) -> u8 {
        match self.format.document {
            Document::R700 => self.fetch.endian_swap.code(),
            _ => 0,
        }
    }

    /// Whether bytes are others than those with which a swap exchanges them.
    fn differs_by_exchange(self, exchange: usize) -> bool {
        self.bytes.iter().enumerate().any(|(n, byte)| self.bytes.get(n ^ exchange) != Some(byte))
    }

    /// Some bits of it, in the order of its bytes after a swap.
    fn field(self, offset: u16, bits: u8) -> u64 {
        let exchange = [0, 1, 3][usize::from(self.swap().min(2))];
        let bit = |n: usize| {
            let byte = self.bytes.get((n / 8) ^ exchange).copied().unwrap_or(0);
            u64::from(byte >> (n % 8) & 1)
        };
        let offset = usize::from(offset);
        (0..usize::from(bits)).fold(0, |field, n| field | bit(offset + n) << n)
    }

    /// Its components with their bits, those of each texel.
    fn components(self) -> impl Iterator<Item = (Component, u64)> {
        let (texels, rest) = match &self.format.layout {
            Layout::Packed { component, .. } => (8 / u16::from(component.bits.max(1)), 0),
            Layout::Planar { luma, .. } => (4, 4 * u16::from(luma.bits)),
            _ => (1, 0),
        };
        let all = self.format.layout.components().enumerate();
        let placed = all.flat_map(move |(number, component)| {
            let (count, first) = if number == 0 { (texels, 0) } else { (1, rest) };
            let more = move |n: u16| first + n * u16::from(component.bits);
            (0..count).map(move |n| (component, component.offset + more(n)))
        });
        placed.map(move |(component, offset)| (component, self.field(offset, component.bits)))
    }

    /// Whether a component whose bits are not all zero meets a condition.
    fn any(self, condition: impl Fn(Component) -> bool) -> bool {
        self.components().any(|(component, field)| field != 0 && condition(component))
    }

    fn has(self, numeric: Numeric) -> bool {
        self.any(|component| component.numeric == numeric)
    }

    fn has_float(self, numeric: Numeric, widths: &[u8]) -> bool {
        self.any(|component| component.numeric == numeric && widths.contains(&component.bits))
    }

    fn has_name(self, name: Name) -> bool {
        self.format.layout.components().any(|component| component.name == name)
    }

    /// Whether it is not all zero.
    fn has_bits(self) -> bool {
        self.bytes.iter().any(|byte| *byte != 0)
    }

    fn is_compressed(self) -> bool {
        matches!(self.format.layout, Layout::Compressed(_))
    }

    fn has_pairs(self) -> bool {
        matches!(self.format.layout, Layout::Subsampled(_))
    }

    /// Whether its bits are components side by side, in an order that counts.
    fn has_order(self) -> bool {
        !self.is_compressed() && !self.has_pairs() && self.has_bits() && {
            let mut all = self.format.layout.components();
            all.next().is_some_and(|first| first.bits > 8) || all.next().is_some()
        }
    }

    /// Whether it is of indices into a palette.
    fn has_palette(self) -> bool {
        self.format.palette().is_some()
    }

    /// Whether sRGB codes are made light, or light is made codes.
    fn is_srgb(self) -> bool {
        self.format.color_space == ColorSpace::Srgb && (self.is_written || self.linearise)
    }

    /// Whether such a code stands for 0 or 1, or for a number between them. A compressed block that is not all zero has
    /// such numbers.
    fn has_code(self, is_end: bool) -> bool {
        if self.is_compressed() {
            return self.is_srgb() && !is_end && self.has_bits();
        }
        let at_end = |component: Component, field| {
            field == 0 || field == u64::MAX >> (64 - u32::from(component.bits.clamp(1, 64)))
        };
        self.is_srgb()
            && self.components().any(|(component, field)| {
                component.name != Name::A && at_end(component, field) == is_end
            })
    }

    /// Whether its format has no component for a channel.
    fn lacks_channels(self) -> bool {
        let own: Vec<Name> = match &self.format.layout {
            Layout::Compressed(codec) => codec.components().to_vec(),
            layout => layout.components().map(|component| component.name).collect(),
        };
        [Name::R, Name::G, Name::B, Name::A].into_iter().any(|name| !own.contains(&name))
    }

    /// Whether luminance, intensity or alpha is all or half of it.
    fn is_of_one_letter(self) -> bool {
        let is_letter = |c: Component| matches!(c.name, Name::L | Name::I | Name::A);
        self.format.layout.components().any(is_letter)
            && self.format.layout.components().count() <= 2
    }

    // Fetches of R700.

    /// Whether a number is one that the fetch says how to read, in a way.
    fn is_number(self, numbers: NumFormat, is_signed: Option<bool>) -> bool {
        let signed = self.fetch.format_comp == FormatComp::Signed;
        self.fetch.num_format == numbers
            && is_signed.is_none_or(|wanted| wanted == signed)
            && self.has(Numeric::Chosen)
    }

    fn is_signed_fraction(self, mode: SrfMode) -> bool {
        self.is_number(NumFormat::Norm, Some(true)) && self.fetch.srf_mode == mode
    }

    /// Whether a number is negative if it has a sign, and it has.
    fn has_sign(self) -> bool {
        self.fetch.format_comp == FormatComp::Signed
            && self.components().any(|(component, field)| {
                let sign = component.bits.clamp(1, 64) - 1;
                component.numeric == Numeric::Chosen && field >> sign & 1 == 1
            })
    }

    /// Whether a mode of signed fractions has no part in what it stands for.
    fn ignores_mode(self) -> bool {
        let is_fraction = self.is_number(NumFormat::Norm, Some(true));
        self.fetch.srf_mode == SrfMode::NoZero && !is_fraction && self.has(Numeric::Chosen)
    }

    fn converts_float(self, widths: &[u8]) -> bool {
        self.has_float(Numeric::Float, widths) || self.has_float(Numeric::Ufloat, widths)
    }

    fn selects(self, condition: impl Fn(&[Select; 4]) -> bool) -> bool {
        self.select.as_ref().is_some_and(condition)
    }

    fn swaps(self, swap: u8, exchange: usize) -> bool {
        self.swap() == swap && self.differs_by_exchange(exchange)
    }
}

/// The rules in the order of their documents.
pub(super) static RULES: &[BlockRule] = &[
    // Texels.
    g45("g45.sampler.fetch.palette", |b| b.has_palette()),
    g45("g45.sampler.fetch.yuv-odd", |b| b.has_pairs()),
    g45("g45.sampler.fetch.yuv-raw", |b| b.has_pairs() && b.has_bits()),
    g45("g45.sampler.fetch.compressed", |b| b.is_compressed()),
    g45("g45.sampler.gamma.enable", |b| b.is_srgb() && b.has_bits()),
    g45("g45.sampler.gamma.rgb", |b| b.is_srgb() && b.has_name(Name::A)),
    g45("g45.sampler.gamma.function", |b| b.has_code(false)),
    g45("g45.sampler.gamma.luminance", |b| b.is_srgb() && b.has_name(Name::L)),
    g45("g45.sampler.gamma.vectors", |b| b.has_code(true)),
    g45("g45.sampler.cmd.pal-use", |b| b.has_palette()),
    // Formats.
    g45("g45.format.legend", |b| {
        let sampled = |device| b.format.allows(device, Use::Sampling);
        sampled(b.device) && !sampled(Device::Bw)
    }),
    g45("g45.format.order", |b| b.has_order()).of_writes(),
    g45("g45.format.bpe-zero", |b| b.is_compressed() || b.has_pairs()).of_writes(),
    g45("g45.format.type.unorm", |b| b.has(Numeric::Unorm)),
    g45("g45.format.type.snorm", |b| b.has(Numeric::Snorm)),
    g45("g45.format.type.uint", |b| b.has(Numeric::Uint)),
    g45("g45.format.type.sint", |b| b.has(Numeric::Sint)),
    g45("g45.format.type.float32", |b| b.has_float(Numeric::Float, &[32])),
    g45("g45.format.type.float16", |b| b.has_float(Numeric::Float, &[16])),
    g45("g45.format.type.ufloat11", |b| b.has_float(Numeric::Ufloat, &[11])),
    g45("g45.format.type.ufloat10", |b| b.has_float(Numeric::Ufloat, &[10])),
    g45("g45.format.type.sharedexp", |b| b.has(Numeric::Mantissa)),
    g45("g45.format.type.uscaled", |b| b.has(Numeric::Uscaled)),
    g45("g45.format.type.sscaled", |b| b.has(Numeric::Sscaled)),
    g45("g45.format.type.float64", |b| b.has_float(Numeric::Float, &[64])),
    g45("g45.format.type.pad", |b| b.has(Numeric::Pad)),
    g45("g45.format.type.unorm24", |b| b.has_float(Numeric::Unorm, &[24])),
    g45("g45.chan.rgba", |b| b.format.maps.is_empty() && !b.lacks_channels() && b.has_bits()),
    g45("g45.chan.blank", |b| map(b).is_some_and(|(mode, _)| mode.is_none())),
    // Formats of DG1.
    dg1("dg1.sf.unorm", |b| b.has(Numeric::Unorm)).of_writes(),
    dg1("dg1.sf.snorm", |b| b.has(Numeric::Snorm)).of_writes(),
    dg1("dg1.sf.scaled", |b| b.has(Numeric::Uscaled) || b.has(Numeric::Sscaled)),
    dg1("dg1.sf.sfixed", |b| b.has(Numeric::Sfixed)).of_writes(),
    dg1("dg1.sf.ufloat", |b| b.has(Numeric::Ufloat)).of_writes(),
    dg1("dg1.sf.sharedexp", |b| b.has(Numeric::Mantissa)).of_writes(),
    dg1("dg1.sf.srgb", |b| b.has_code(false)).of_writes(),
    dg1("dg1.sf.x-channels", |b| {
        b.has(Numeric::Pad)
            || b.is_written && b.format.layout.components().any(|c| c.numeric == Numeric::Pad)
    })
    .of_writes(),
    dg1("dg1.sf.missing", |b| b.lacks_channels() && !b.is_of_one_letter()),
    dg1("dg1.sf.l-i-a", |b| b.is_of_one_letter() && b.has_bits()),
    // Formats of R700.
    r700("r700.vtx.dst-sel", |b| {
        b.selects(|select| *select != [Select::X, Select::Y, Select::Z, Select::W])
    }),
    r700("r700.vtx.dst-sel.int-one", |b| {
        b.selects(|select| select.contains(&Select::Zero) || select.contains(&Select::One))
    }),
    r700("r700.fmt.layout-order", |b| b.has_order() && b.differs_by_exchange(1)).of_writes(),
    r700("r700.fmt.word-read", |b| b.bytes.len() > 1 && b.differs_by_exchange(1)).of_writes(),
    r700("r700.fmt.norm.u", |b| b.is_number(NumFormat::Norm, Some(false))),
    r700("r700.fmt.norm.s.clamp", |b| b.is_signed_fraction(SrfMode::ZeroClampMinusOne)),
    r700("r700.fmt.norm.s.nozero", |b| b.is_signed_fraction(SrfMode::NoZero)),
    r700("r700.fmt.int.u", |b| b.is_number(NumFormat::Int, Some(false))),
    r700("r700.fmt.int.s", |b| b.is_number(NumFormat::Int, Some(true))),
    r700("r700.fmt.scaled", |b| b.is_number(NumFormat::Scaled, None)),
    r700("r700.fmt.comp", |b| b.has_sign()),
    r700("r700.fmt.srf-scope", |b| b.ignores_mode()),
    r700("r700.fmt.float16", |b| b.converts_float(&[16])),
    r700("r700.fmt.float32", |b| b.converts_float(&[32])),
    r700("r700.fmt.float11", |b| b.converts_float(&[10, 11])),
    r700("r700.fmt.sharedexp", |b| b.has(Numeric::Mantissa)),
    r700("r700.fmt.float-num", |b| {
        b.has(Numeric::Float)
            && (b.fetch.num_format != NumFormat::Norm || b.fetch.format_comp == FormatComp::Signed)
    }),
    r700("r700.fmt.endian.none", |b| b.swaps(0, 1)).of_writes(),
    r700("r700.fmt.endian.8in16", |b| b.swaps(1, 1)).of_writes(),
    r700("r700.fmt.endian.8in32", |b| b.swaps(2, 3)).of_writes(),
];

/// The row of the channel mapping that a block is decoded by: its mode, and its rule.
fn map(block: Block) -> Option<(Option<BorderMode>, RuleId)> {
    let fits = |mode: Option<BorderMode>| mode.is_none_or(|mode| mode == block.border_mode);
    let map = block.format.maps.iter().find(|map| fits(map.mode))?;
    (!block.is_written && block.has_bits()).then_some((map.mode, map.rule))
}

/// Counts the row of its format, and that of its channels.
pub(super) fn count_tables(block: Block) {
    if !block.has_bits() {
        return;
    }
    match block.format.document {
        Document::R700 => {
            row_of_r700(block.format.code.into()).into_iter().for_each(coverage::hit_row);
        }
        _ => block.format.rule.into_iter().for_each(coverage::hit),
    }
    map(block).into_iter().for_each(|(_, rule)| coverage::hit(rule));
}
