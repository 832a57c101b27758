//! Bit fields and counts: `bfrev`, `bfe`, `bfi1`, `bfi2`, `cbit`, `fbh`, `fbl`, `lzd`.

use super::{
    compute::{binary, ternary, unary},
    operation::{Operands, Operation, data},
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(0x17, "bfrev", Operands::One)
        .integer(|i, _, out| unary(i, out, |a| (a as u32).reverse_bits().into())),
    // Whether the field has a sign is a matter of what it is taken from, not of its width.
    data(0x18, "bfe", Operands::Three).integer_by_sizes(|sizes| match sizes.factors_signed[1] {
        true => |i, _, out| ternary(i, out, |a, b, c| i128::from(field_signed(a, b, c))),
        false => |i, _, out| ternary(i, out, |a, b, c| i128::from(field(a, b, c))),
    }),
    data(0x19, "bfi1", Operands::Two).integer(|i, _, out| {
        binary(i, out, |width, offset| (((1_i128 << (width & 31)) - 1) << (offset & 31)) & MASK);
    }),
    data(0x1A, "bfi2", Operands::Three).integer(|i, _, out| {
        ternary(i, out, |mask, insert, base| {
            let (mask, insert, base) = (mask as u32, insert as u32, base as u32);
            let inserted = insert.checked_shl(mask.trailing_zeros()).unwrap_or(0);
            i128::from(inserted & mask | base & !mask)
        });
    }),
    data(0x4A, "lzd", Operands::One)
        .integer(|i, _, out| unary(i, out, |a| (a as u32).leading_zeros().into())),
    data(0x4B, "fbh", Operands::One).integer_by_sizes(|sizes| match sizes.signed {
        true => |i, _, out| {
            unary(i, out, |a| first(((a ^ (a >> 127)) as u32).leading_zeros()));
        },
        false => |i, _, out| unary(i, out, |a| first((a as u32).leading_zeros())),
    }),
    data(0x4C, "fbl", Operands::One)
        .integer(|i, _, out| unary(i, out, |a| first((a as u32).trailing_zeros()))),
    data(0x4D, "cbit", Operands::One)
        .integer(|i, _, out| unary(i, out, |a| (a as u32).count_ones().into())),
];

const MASK: i128 = 0xFFFF_FFFF;

/// A place, or all ones if there is no such bit.
fn first(place: u32) -> i128 {
    if place == 32 { MASK } else { place.into() }
}

fn field(width: i128, offset: i128, from: i128) -> u32 {
    let (width, offset, from) = ((width & 31) as u32, (offset & 31) as u32, from as u32);
    match width {
        0 => 0,
        _ if width + offset < 32 => from << (32 - width - offset) >> (32 - width),
        _ => from >> offset,
    }
}

fn field_signed(width: i128, offset: i128, from: i128) -> i32 {
    let (width, offset, from) = ((width & 31) as u32, (offset & 31) as u32, from as i32);
    match width {
        0 => 0,
        _ if width + offset < 32 => from << (32 - width - offset) >> (32 - width),
        _ => from >> offset,
    }
}
