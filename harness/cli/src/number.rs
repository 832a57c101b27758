//! Whole numbers as arguments.

use std::ops::RangeInclusive;

/// Reads a whole number of a range; `-5` is one that is too small, not an option.
pub(crate) fn within(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let (least, most) = (range.start(), range.end());
        let number = text.parse::<u64>().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| match *most {
            u64::MAX => format!("expected a whole number, {least} or more"),
            most => format!("expected a whole number, {least} to {most}"),
        })
    }
}
