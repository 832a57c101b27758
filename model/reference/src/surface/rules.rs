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

/// Rules of numeric kinds; the width is 0 where any width is meant.
static KINDS: &[(Document, Numeric, u8, RuleId)] = &[
    (Document::G45, Numeric::Unorm, 0, rule_id!("g45.format.type.unorm")),
    (Document::G45, Numeric::Unorm, 24, rule_id!("g45.format.type.unorm24")),
    (Document::G45, Numeric::Snorm, 0, rule_id!("g45.format.type.snorm")),
    (Document::G45, Numeric::Uint, 0, rule_id!("g45.format.type.uint")),
    (Document::G45, Numeric::Sint, 0, rule_id!("g45.format.type.sint")),
    (Document::G45, Numeric::Float, 16, rule_id!("g45.format.type.float16")),
    (Document::G45, Numeric::Float, 32, rule_id!("g45.format.type.float32")),
    (Document::G45, Numeric::Float, 64, rule_id!("g45.format.type.float64")),
    (Document::G45, Numeric::Ufloat, 11, rule_id!("g45.format.type.ufloat11")),
    (Document::G45, Numeric::Ufloat, 10, rule_id!("g45.format.type.ufloat10")),
    (Document::G45, Numeric::Uscaled, 0, rule_id!("g45.format.type.uscaled")),
    (Document::G45, Numeric::Sscaled, 0, rule_id!("g45.format.type.sscaled")),
    (Document::G45, Numeric::Mantissa, 0, rule_id!("g45.format.type.sharedexp")),
    (Document::G45, Numeric::Pad, 0, rule_id!("g45.format.type.pad")),
    (Document::Dg1, Numeric::Unorm, 0, rule_id!("dg1.sf.unorm")),
    (Document::Dg1, Numeric::Snorm, 0, rule_id!("dg1.sf.snorm")),
    (Document::Dg1, Numeric::Uscaled, 0, rule_id!("dg1.sf.scaled")),
    (Document::Dg1, Numeric::Sscaled, 0, rule_id!("dg1.sf.scaled")),
    (Document::Dg1, Numeric::Sfixed, 0, rule_id!("dg1.sf.sfixed")),
    (Document::Dg1, Numeric::Ufloat, 0, rule_id!("dg1.sf.ufloat")),
    (Document::Dg1, Numeric::Mantissa, 0, rule_id!("dg1.sf.sharedexp")),
    (Document::Dg1, Numeric::Pad, 0, rule_id!("dg1.sf.x-channels")),
    (Document::R700, Numeric::Unorm, 0, rule_id!("r700.fmt.norm.u")),
    (Document::R700, Numeric::Snorm, 0, rule_id!("r700.fmt.norm.s.clamp")),
    (Document::R700, Numeric::SnormNoZero, 0, rule_id!("r700.fmt.norm.s.nozero")),
    (Document::R700, Numeric::SnormNoZero, 0, rule_id!("r700.fmt.srf-scope")),
    (Document::R700, Numeric::Uint, 0, rule_id!("r700.fmt.int.u")),
    (Document::R700, Numeric::Sint, 0, rule_id!("r700.fmt.int.s")),
    (Document::R700, Numeric::Uscaled, 0, rule_id!("r700.fmt.scaled")),
    (Document::R700, Numeric::Sscaled, 0, rule_id!("r700.fmt.scaled")),
    (Document::R700, Numeric::Float, 16, rule_id!("r700.fmt.float16")),
    (Document::R700, Numeric::Float, 32, rule_id!("r700.fmt.float32")),
    (Document::R700, Numeric::Float, 0, rule_id!("r700.fmt.float-num")),
    (Document::R700, Numeric::Ufloat, 0, rule_id!("r700.fmt.float11")),
    (Document::R700, Numeric::Mantissa, 0, rule_id!("r700.fmt.sharedexp")),
];

/// Counts the rules that reading or writing a component applies.
pub(super) fn component(format: &Format, component: Component) {
    for (document, numeric, bits, rule) in KINDS {
        let is = (*document, *numeric) == (format.document, component.numeric);
        if is && [0, component.bits].contains(bits) {
            coverage::hit(*rule);
        }
    }
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
    let names = || format.layout.components().map(|component| component.name);
    if names().any(|name| matches!(name, Name::L | Name::I | Name::A)) && names().count() <= 2 {
        rule_of!(format, Dg1: "dg1.sf.l-i-a");
    }
}
