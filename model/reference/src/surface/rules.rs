//! Which rules a component's kind and a format's parts apply, by document.

use parallax_isa::surface::{Component, Document, Format, Layout, Name, Numeric};
use parallax_spec::{RuleId, coverage, rule_id};

/// Marks the line that decides a rule that each document states for its own devices.
macro_rules! rule_of {
    ($format:expr, $($document:ident: $id:literal),+ $(,)?) => {
        match $format.document {
            $(parallax_isa::surface::Document::$document => parallax_spec::rule!($id),)+
            #[allow(unreachable_patterns)]
            _ => {}
        }
    };
}
pub(super) use rule_of;

/// Rules of numeric kinds of a document; the width is 0 where any width is meant.
type Kinds = &'static [(Numeric, u8, RuleId)];

static G45_KINDS: Kinds = &[
    (Numeric::Unorm, 0, rule_id!("g45.format.type.unorm")),
    (Numeric::Unorm, 24, rule_id!("g45.format.type.unorm24")),
    (Numeric::Snorm, 0, rule_id!("g45.format.type.snorm")),
    (Numeric::Uint, 0, rule_id!("g45.format.type.uint")),
    (Numeric::Sint, 0, rule_id!("g45.format.type.sint")),
    (Numeric::Float, 16, rule_id!("g45.format.type.float16")),
    (Numeric::Float, 32, rule_id!("g45.format.type.float32")),
    (Numeric::Float, 64, rule_id!("g45.format.type.float64")),
    (Numeric::Ufloat, 11, rule_id!("g45.format.type.ufloat11")),
    (Numeric::Ufloat, 10, rule_id!("g45.format.type.ufloat10")),
    (Numeric::Uscaled, 0, rule_id!("g45.format.type.uscaled")),
    (Numeric::Sscaled, 0, rule_id!("g45.format.type.sscaled")),
    (Numeric::Mantissa, 0, rule_id!("g45.format.type.sharedexp")),
    (Numeric::Pad, 0, rule_id!("g45.format.type.pad")),
];

static DG1_KINDS: Kinds = &[
    (Numeric::Unorm, 0, rule_id!("dg1.sf.unorm")),
    (Numeric::Snorm, 0, rule_id!("dg1.sf.snorm")),
    (Numeric::Uscaled, 0, rule_id!("dg1.sf.scaled")),
    (Numeric::Sscaled, 0, rule_id!("dg1.sf.scaled")),
    (Numeric::Sfixed, 0, rule_id!("dg1.sf.sfixed")),
    (Numeric::Ufloat, 0, rule_id!("dg1.sf.ufloat")),
    (Numeric::Mantissa, 0, rule_id!("dg1.sf.sharedexp")),
    (Numeric::Pad, 0, rule_id!("dg1.sf.x-channels")),
];

static R700_KINDS: Kinds = &[
    (Numeric::Unorm, 0, rule_id!("r700.fmt.norm.u")),
    (Numeric::Snorm, 0, rule_id!("r700.fmt.norm.s.clamp")),
    (Numeric::SnormNoZero, 0, rule_id!("r700.fmt.norm.s.nozero")),
    (Numeric::SnormNoZero, 0, rule_id!("r700.fmt.srf-scope")),
    (Numeric::Uint, 0, rule_id!("r700.fmt.int.u")),
    (Numeric::Sint, 0, rule_id!("r700.fmt.int.s")),
    (Numeric::Uscaled, 0, rule_id!("r700.fmt.scaled")),
    (Numeric::Sscaled, 0, rule_id!("r700.fmt.scaled")),
    (Numeric::Float, 16, rule_id!("r700.fmt.float16")),
    (Numeric::Float, 32, rule_id!("r700.fmt.float32")),
    (Numeric::Float, 0, rule_id!("r700.fmt.float-num")),
    (Numeric::Ufloat, 0, rule_id!("r700.fmt.float11")),
    (Numeric::Mantissa, 0, rule_id!("r700.fmt.sharedexp")),
];

/// Counts the rules that reading or writing a component applies.
pub(super) fn component(format: &Format, component: Component) {
    let kinds = match format.document {
        Document::G45 => G45_KINDS,
        Document::Dg1 => DG1_KINDS,
        Document::R700 => R700_KINDS,
    };
    for (numeric, bits, rule) in kinds {
        if *numeric == component.numeric && [0, component.bits].contains(bits) {
            coverage::hit(*rule);
        }
    }
}

/// Whether luminance, intensity or alpha is all or half of a layout.
fn is_of_one_letter(layout: &Layout) -> bool {
    let names = || layout.components().map(|component| component.name);
    names().any(|name| matches!(name, Name::L | Name::I | Name::A)) && names().count() <= 2
}

/// Counts the rules a format applies whatever its numbers: its own row, the order of components,
/// the way blocks are kept.
pub(super) fn format(format: &Format) {
    format.count();
    match &format.layout {
        Layout::Compressed(_) => {
            rule_of!(format, G45: "g45.sampler.fetch.compressed");
            rule_of!(format, G45: "g45.format.bpe-zero");
        }
        Layout::Subsampled(_) => rule_of!(format, G45: "g45.format.bpe-zero"),
        _ => {
            rule_of!(format, G45: "g45.format.order", R700: "r700.fmt.layout-order");
            rule_of!(format, R700: "r700.fmt.word-read");
        }
    }
    if format.document == Document::Dg1 && is_of_one_letter(&format.layout) {
        coverage::hit(rule_id!("dg1.sf.l-i-a"));
    }
}
