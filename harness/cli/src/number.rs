//! Whole numbers as arguments.

use std::ops::RangeInclusive;

/// Reads a whole number of a range, decimal or with `0x` before it hexadecimal; `-5` is one that is too small, not an option.
pub(crate) fn within(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let (least, most) = (range.start(), range.end());
        let hex = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+'));
        let number = match hex {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let number = number.filter(|number| range.contains(number));
        number.ok_or_else(|| match *most {
            u64::MAX => format!("expected a whole number, {least} or more"),
            most => format!("expected a whole number, {least} to {most}"),
        })
    }
}
