//! Data formats of what is fetched (section 10.3). A component has to be delivered, and not to be zero, which is the same
//! in every format.

use parallax_isa::surface::format::row_of_r700;
use parallax_reference::r700::{
    Field,
    FieldKind::{Float, Mantissa, Number},
    Interpretation,
};
use parallax_spec::coverage;

use super::{
    fetch::{Access, Fetched},
    rule::{Rule, fetch},
};

/// A number of a `NUM_FORMAT_ALL`: a fraction, an integer, or an integer as a float.
fn is_number(format: Interpretation, field: &Field, numbers: u32) -> bool {
    field.kind == Number && format.numbers == numbers
}

/// A fraction of a signed number.
fn is_signed_fraction(format: Interpretation, field: &Field) -> bool {
    is_number(format, field, 0) && format.signed
}

fn converts_float(f: Fetched, widths: &[usize]) -> bool {
    f.converts(|_, field| field.kind == Float && widths.contains(&field.width))
}

/// Whether an `ENDIAN_SWAP` gives another element.
fn swaps(f: Fetched, swap: u32, exchange: usize) -> bool {
    f.record.format.is_some_and(|format| format.swap == swap)
        && f.any_access(|access| access.differs_by_exchange(exchange))
}

pub(super) const RULES: &[Rule] = &[
    fetch("r700.fmt.layout-order", &[], |f| {
        f.record.format.is_some_and(|format| format.fields().count() > 1)
            && f.any_access(Access::differs_by_bytes)
    }),
    fetch("r700.fmt.word-read", &[], |f| f.any_access(Access::differs_by_bytes)),
    fetch("r700.fmt.norm.u", &[], |f| {
        f.converts(|format, field| is_number(format, field, 0) && !format.signed)
    }),
    fetch("r700.fmt.norm.s.clamp", &[], |f| {
        f.converts(|format, field| is_signed_fraction(format, field) && !format.no_zero)
    }),
    fetch("r700.fmt.norm.s.nozero", &[], |f| {
        f.converts(|format, field| is_signed_fraction(format, field) && format.no_zero)
    }),
    fetch("r700.fmt.int.u", &[], |f| {
        f.converts(|format, field| is_number(format, field, 1) && !format.signed)
    }),
    fetch("r700.fmt.int.s", &[], |f| {
        f.converts(|format, field| is_number(format, field, 1) && format.signed)
    }),
    fetch("r700.fmt.scaled", &[], |f| f.converts(|format, field| is_number(format, field, 2))),
    fetch("r700.fmt.comp", &[], |f| {
        f.converts_where(
            |format, field| field.kind == Number && format.signed,
            |field, bits| bits >> (field.width - 1) & 1 == 1,
        )
    }),
    fetch("r700.fmt.srf-scope", &[], |f| {
        f.converts(|format, field| {
            field.kind == Number && format.no_zero && !is_signed_fraction(format, field)
        })
    }),
    fetch("r700.fmt.float16", &[], |f| converts_float(f, &[16])),
    fetch("r700.fmt.float32", &[], |f| converts_float(f, &[32])),
    fetch("r700.fmt.float11", &[], |f| converts_float(f, &[10, 11])),
    fetch("r700.fmt.sharedexp", &[], |f| f.converts(|_, field| field.kind == Mantissa)),
    fetch("r700.fmt.float-num", &[], |f| {
        f.converts(|format, field| field.kind == Float && (format.numbers != 0 || format.signed))
    }),
    fetch("r700.fmt.endian.none", &[], |f| swaps(f, 0, 1)),
    fetch("r700.fmt.endian.8in16", &[], |f| swaps(f, 1, 1)),
    fetch("r700.fmt.endian.8in32", &[], |f| swaps(f, 2, 3)),
];

/// Counts the row of a format in the table of their codes.
pub(super) fn observe_tables(step: Fetched) {
    let Some(format) = step.record.format else { return };
    if step.any_access(|access| access.bits.is_some_and(|bits| bits != 0)) {
        row_of_r700(format.code).into_iter().for_each(coverage::hit_row);
    }
}
