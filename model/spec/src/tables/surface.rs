//! The tables of surface formats and operations on pixels, row by row.

use serde::Deserialize;

use super::rows;

/// A data format of R700: `r700-data-formats`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct DataFormat {
    /// Value of `DATA_FORMAT`.
    pub code: u16,
    /// Name in the manual: `FMT_8`.
    pub name: String,
    /// Bits of an element, if the manual says.
    pub bits: Option<u16>,
    /// Layout from the least significant bit up: `R:num8@0;G:num8@8`.
    pub channels: String,
    /// Texels and bytes of a block: `4x4,8`.
    pub block: String,
    /// Words: `sampling`, `vertex_buffer`.
    pub uses: String,
    /// Remarks.
    pub notes: String,
}

impl DataFormat {
    /// Every row.
    #[must_use]
    pub fn all() -> Vec<Self> {
        rows("r700-data-formats")
    }
}

/// How DG1 compresses render targets of a format: `dg1-render-compression`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RenderCompression {
    /// Name of the format, or `Reserved`.
    pub format: String,
    /// Granularity: `8b`, `8b*`, `16b`.
    pub casting: String,
    /// The code in hexadecimal: `0x0A`.
    pub encoding: String,
    /// The same in binary.
    pub value_bits: String,
}

impl RenderCompression {
    /// Every row that is not reserved.
    #[must_use]
    pub fn assigned() -> Vec<Self> {
        let mut rows: Vec<Self> = rows("dg1-render-compression");
        rows.retain(|row| row.format != "Reserved");
        rows
    }
}

/// A blend factor or function, comparison, stencil or logic operation of DG1: `dg1-blend` and
/// `dg1-compare-stencil-logic`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PixelOperation {
    /// `factor`, `function`, `compare`, `stencil` or `logicop`.
    pub kind: String,
    /// Its code in hexadecimal, with an `h` behind it.
    pub value: String,
    /// Name in the manual.
    pub name: String,
    /// What it computes, if colours and alpha are treated alike.
    #[serde(default)]
    pub formula: String,
    /// What it computes for colours.
    #[serde(default)]
    pub rgb_formula: String,
    /// What it computes for alpha.
    #[serde(default)]
    pub alpha_formula: String,
    /// Remarks.
    #[serde(default)]
    pub note: String,
}

impl PixelOperation {
    /// Every row that is not reserved.
    #[must_use]
    pub fn assigned() -> Vec<Self> {
        let tables = ["dg1-blend", "dg1-compare-stencil-logic"];
        let mut rows: Vec<Self> = tables.into_iter().flat_map(rows).collect();
        rows.retain(|row| row.name != "Reserved");
        rows
    }

    /// Its code.
    ///
    /// # Panics
    /// If the table has something else there.
    #[must_use]
    pub fn code(&self) -> u32 {
        let digits = self.value.trim_end_matches('h');
        u32::from_str_radix(digits, 16).unwrap_or_else(|_| panic!("the code {}", self.value))
    }
}
