//! Regions of operands.

use super::{
    cursor::{Cursor, Failure},
    words::ANY,
};
use crate::eu::{
    fields,
    generation::Generation,
    operand::{Region, VerticalStride},
};

/// What a region looks like.
const REGION_HELP: &str = "a source region is <vertical stride; width, horizontal stride>, such as \
                           <8;8,1> (packed) or <0;1,0> (scalar)";

/// A stride or width out of those that exist.
fn one_of(cursor: &mut Cursor, what: &str, allowed: &[u8]) -> Result<u8, Failure> {
    let place = cursor.place();
    let value = cursor.integer(what, ANY).map_err(|wrong| {
        let help = wrong.help.clone().unwrap_or_else(|| REGION_HELP.to_owned());
        Box::new(wrong.with_help(help))
    })?;
    let place = cursor.since(place);
    match allowed.iter().find(|a| i64::from(**a) == value) {
        Some(&value) => Ok(value),
        None => {
            let list: Vec<String> = allowed.iter().map(u8::to_string).collect();
            let (last, others) = list.split_last().map_or(("", list.as_slice()), |(l, o)| (l, o));
            let message = format!("{what} is {value}, but can be {} or {last}", others.join(", "));
            Err(Box::new(place.diagnostic(message)))
        }
    }
}

const VERTICAL: &[u8] = &[0, 1, 2, 4, 8, 16, 32];
const VERTICAL_ALIGN16: &[u8] = &[0, 4];
const VERTICAL_ALIGN16_LATER: &[u8] = &[0, 2, 4];
const WIDTH: &[u8] = &[1, 2, 4, 8, 16];
const HORIZONTAL: &[u8] = &[0, 1, 2, 4];

/// `<1>`.
pub(super) fn destination_stride(cursor: &mut Cursor) -> Result<u8, Failure> {
    const HELP: &str = "a destination has one horizontal stride, such as <1>";
    let start = cursor.place();
    cursor.expect("<", "before the horizontal stride")?;
    if cursor.is_followed_by(";", ">") {
        while cursor.next().is_some_and(|token| !token.is(">")) {}
        let wrong = cursor.since(start).diagnostic("this is the region of a source");
        return Err(Box::new(wrong.with_help(HELP)));
    }
    let stride = one_of(cursor, "the horizontal stride", HORIZONTAL)?;
    if !cursor.accept(">") {
        let wrong = cursor.unexpected("`>` after the horizontal stride");
        return Err(Box::new(wrong.with_help(HELP)));
    }
    Ok(stride)
}

/// `<8;8,1>`, or `<4,1>` for one address per row.
pub(super) fn source_region_align1(cursor: &mut Cursor) -> Result<Region, Failure> {
    cursor.expect("<", "before the region")?;
    if cursor.target.generation >= Generation::Gen12 {
        // `<8;1>` and `<1>` of three sources, whose width follows from the strides.
        let is_at = |ahead, mark| cursor.peek_at(ahead).is_some_and(|token| token.is(mark));
        if is_at(1, ";") && is_at(3, ">") {
            let vertical = one_of(cursor, "the vertical stride", VERTICAL)?;
            cursor.accept(";");
            return ternary_end(cursor, Some(vertical));
        }
        if is_at(1, ">") {
            return ternary_end(cursor, None);
        }
    }
    let three = cursor.is_followed_by(";", ",");
    let vertical = if three {
        let stride = one_of(cursor, "the vertical stride", VERTICAL)?;
        cursor.accept(";");
        VerticalStride::Elements(stride)
    } else {
        VerticalStride::PerRowAddress
    };
    let width = one_of(cursor, "the width", WIDTH)?;
    if !cursor.accept(",") && !cursor.accept(";") {
        let wrong = cursor.unexpected("`,` and the horizontal stride");
        return Err(Box::new(wrong.with_help(REGION_HELP)));
    }
    let horizontal = one_of(cursor, "the horizontal stride", HORIZONTAL)?;
    cursor
        .expect(">", "after the region")
        .map_err(|wrong| Box::new(wrong.with_help(REGION_HELP)))?;
    Ok(Region::Align1 { vertical, width, horizontal })
}

fn ternary_end(cursor: &mut Cursor, vertical: Option<u8>) -> Result<Region, Failure> {
    let horizontal = one_of(cursor, "the horizontal stride", HORIZONTAL)?;
    cursor.expect(">", "after the region")?;
    Ok(fields::ternary_region(vertical, horizontal))
}

/// `<4>`, the vertical stride of Align16; `<>` is one address per row.
pub(super) fn vertical_stride(cursor: &mut Cursor) -> Result<VerticalStride, Failure> {
    let start = cursor.place();
    cursor.expect("<", "before the vertical stride")?;
    if cursor.accept(">") {
        return Ok(VerticalStride::PerRowAddress);
    }
    if cursor.is_followed_by(";", ">") {
        while cursor.next().is_some_and(|token| !token.is(">")) {}
        let wrong = cursor.since(start).diagnostic("this is a region of Align1 access mode");
        return Err(Box::new(wrong.with_help(
            "in Align16 a region is the vertical stride alone, such as <4>; or leave {Align16} out",
        )));
    }
    let allowed = if cursor.target.generation > Generation::Gen7 {
        VERTICAL_ALIGN16_LATER
    } else {
        VERTICAL_ALIGN16
    };
    let stride = one_of(cursor, "the vertical stride in Align16", allowed)?;
    cursor.expect(">", "after the vertical stride")?;
    Ok(VerticalStride::Elements(stride))
}
