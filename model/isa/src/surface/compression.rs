//! How DG1 compresses render targets: the code and channel granularity of each format.

use std::sync::LazyLock;

use parallax_spec::{RuleId, tables::surface as table};

use super::rules;

/// The granularity a compressor takes channels in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Casting {
    /// 8 bits.
    Bits8,
    /// 8 bits, for formats whose channels are not 8 bits wide (`8b*`).
    Bits8Packed,
    /// 16 bits.
    Bits16,
}

/// One row of the compression table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderCompression {
    /// The format.
    pub format: String,
    /// The 5-bit code; formats that share it share a layout and can be cast to each other.
    pub encoding: u8,
    /// The granularity.
    pub casting: Casting,
    /// The rule it is.
    pub rule: RuleId,
}

static TABLE: LazyLock<Vec<RenderCompression>> = LazyLock::new(|| {
    let rows = table::RenderCompression::assigned().into_iter();
    rows.map(|row| {
        let name = row.format.clone();
        parse(row).unwrap_or_else(|| panic!("render compression of {name} is faulty"))
    })
    .collect()
});

fn parse(row: table::RenderCompression) -> Option<RenderCompression> {
    Some(RenderCompression {
        rule: rules::of_format("dg1.rc.", &row.format, ""),
        encoding: u8::from_str_radix(row.encoding.strip_prefix("0x")?, 16).ok()?,
        casting: match row.casting.as_str() {
            "8b" => Casting::Bits8,
            "8b*" => Casting::Bits8Packed,
            "16b" => Casting::Bits16,
            _ => return None,
        },
        format: row.format,
    })
}

/// How a format's render targets are compressed; nothing if they cannot be.
#[must_use]
pub fn render_compression(format: &str) -> Option<&'static RenderCompression> {
    TABLE.iter().find(|row| row.format == format)
}
