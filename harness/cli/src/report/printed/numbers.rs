//! Numbers of the classes that tables name, and how they are written.

const SIGN: u64 = 1 << 31;
const INFINITY: u64 = 0x7F80_0000;
const LARGEST: u64 = 0x7F7F_FFFF;

/// Numbers in single precision of a class, those that are shown first.
pub(super) fn singles(class: &str) -> Vec<u64> {
    let classes = class.split('/').map(str::trim);
    if class.starts_with("+0/") || class.starts_with("-0/") || class.contains(" / ") {
        return classes.flat_map(singles).collect();
    }
    let (sign, magnitude) = match class.split_at_checked(1) {
        Some(("-", rest)) => (SIGN, rest),
        Some(("+", rest)) => (0, rest),
        _ => (0, class),
    };
    let magnitudes: &[u64] = match magnitude {
        "inf" => &[INFINITY],
        "fmax" => &[LARGEST],
        // 1.5 and a number that is not short.
        "Fin" | "finite" | "F" => &[0x3FC0_0000, 0x4248_1234],
        "1.0" => &[0x3F80_0000],
        "denorm" | "Denorm" => &[1, 0x007F_FFFF],
        "0" => &[0],
        "NaN" | "{inf,NaN}" | "{inf NaN}" => &[0x7FC0_0000, 0x7F80_0001],
        "abs(F)>1" => &[0x4000_0000, 0xC040_0000],
        "abs(F)<1" => &[0x3F00_0000, 0xBE80_0000],
        "abs(F)==1" => &[0x3F80_0000, 0xBF80_0000],
        _ => &[],
    };
    magnitudes.iter().map(|magnitude| sign | magnitude).collect()
}

/// Numbers in double precision of a class.
pub(super) fn doubles(class: &str) -> Vec<u64> {
    let class = class.strip_prefix("product ").unwrap_or(class);
    let (sign, magnitude) = match class.split_at_checked(1) {
        Some(("-", rest)) => (1 << 63, rest),
        Some(("+", rest)) => (0, rest),
        _ => (0, class),
    };
    let magnitudes: &[u64] = match magnitude {
        "inf" => &[0x7FF0 << 48],
        "F" | "finite" => &[0x3FF8 << 48, 0x4008_0000_0000_0001],
        "1.0" => &[0x3FF0 << 48],
        "denorm" => &[1, 0x000F_FFFF_FFFF_FFFF],
        "0" => &[0],
        "NaN" => &[0x7FF8_0000_0000_1234],
        _ => &[],
    };
    magnitudes.iter().map(|magnitude| sign | magnitude).collect()
}

pub(super) fn single(bits: u64) -> String {
    let bits = bits as u32;
    let sign = if bits >> 31 == 1 { "-" } else { "+" };
    match bits & 0x7FFF_FFFF {
        0 => format!("{sign}0"),
        magnitude @ 1..0x0080_0000 => format!("{sign}denorm {magnitude:x}h"),
        0x7F7F_FFFF => format!("{sign}fmax"),
        0x7F80_0000 => format!("{sign}inf"),
        0x7F80_0001.. => "NaN".to_owned(),
        _ => short(f32::from_bits(bits).to_string(), f32::from_bits(bits).into()),
    }
}

pub(super) fn double(bits: u64) -> String {
    let sign = if bits >> 63 == 1 { "-" } else { "+" };
    match bits << 1 >> 1 {
        0 => format!("{sign}0"),
        magnitude @ 1..0x0010_0000_0000_0000 => format!("{sign}denorm {magnitude:x}h"),
        0x7FF0_0000_0000_0000 => format!("{sign}inf"),
        0x7FF0_0000_0000_0001.. => "NaN".to_owned(),
        _ => short(f64::from_bits(bits).to_string(), f64::from_bits(bits)),
    }
}

/// A number as it is if that is short, else rounded to a few digits.
fn short(exact: String, value: f64) -> String {
    match value.abs() {
        _ if exact.len() <= 7 => exact,
        0.01..10_000.0 => format!("{value:.3}"),
        _ => format!("{value:.3e}"),
    }
}

pub(super) fn truth(bits: &[u64]) -> String {
    if bits[0] == 0 { "F" } else { "T" }.to_owned()
}

pub(super) fn hexadecimal(bits: u64) -> String {
    format!("{bits:x}h")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("-Fin", "-1.5")]
    #[case("+denorm", "+denorm 1h")]
    #[case("-0/-Denorm", "-0")]
    #[case("+0 / +denorm", "+0")]
    #[case("-inf", "-inf")]
    #[case("-fmax", "-fmax")]
    #[case("{inf,NaN}", "NaN")]
    fn classes_and_numbers_go_together(#[case] class: &str, #[case] text: &str) {
        assert_eq!(single(singles(class)[0]), text);
    }

    #[rstest]
    #[case(0x3FB5_04F3, "1.414")]
    #[case(0x6000_0003, "3.689e19")]
    fn long_numbers_are_rounded(#[case] bits: u64, #[case] text: &str) {
        assert_eq!(single(bits), text);
    }

    #[test]
    fn doubles_are_written_alike() {
        let written = ["-F", "+denorm", "NaN", "-inf", "+0"].map(|class| double(doubles(class)[0]));
        assert_eq!(written, ["-1.5", "+denorm 1h", "NaN", "-inf", "+0"]);
    }
}
