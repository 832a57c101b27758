//! What an R700 fetch says about the numbers of a data format (R700 ISA, VTX_WORD1 and VTX_WORD2).

use super::coded::coded;

coded! {
    /// NUM_FORMAT_ALL: what the integers of a format stand for.
    pub enum NumFormat("NUM_FORMAT_ALL", "NUM_FORMAT_", "r700.fmt.") {
        Norm = 0, "NORM", "norm.u", "Fractions of the greatest value.";
        Int = 1, "INT", "int.u", "Integers.";
        Scaled = 2, "SCALED", "scaled", "Floats of the same value.";
    }
}

coded! {
    /// FORMAT_COMP_ALL: whether components have a sign.
    pub enum FormatComp("FORMAT_COMP_ALL", "FORMAT_COMP_", "r700.enc.vtx_word1.") {
        Unsigned = 0, "UNSIGNED", "format-comp-all", "They have none.";
        Signed = 1, "SIGNED", "format-comp-all", "Two's complement.";
    }
}

coded! {
    /// SRF_MODE_ALL: how signed fractions are spread.
    pub enum SrfMode("SRF_MODE_ALL", "SRF_MODE_", "r700.fmt.norm.s.") {
        ZeroClampMinusOne = 0, "ZERO_CLAMP_MINUS_ONE", "clamp", "With a zero, the two least codes being -1.";
        NoZero = 1, "NO_ZERO", "nozero", "Evenly, without a zero.";
    }
}

coded! {
    /// ENDIAN_SWAP: the order of bytes in memory.
    pub enum EndianSwap("ENDIAN_SWAP", "ENDIAN_", "r700.fmt.endian.") {
        None = 0, "NONE", "none", "As it is.";
        In16 = 1, "8IN16", "8in16", "Swapped in each 16-bit word.";
        In32 = 2, "8IN32", "8in32", "Reversed in each 32-bit word.";
    }
}

coded! {
    /// DST_SEL: what an element of the destination gets.
    pub enum Select("DST_SEL", "SEL_", "r700.vtx.") {
        X = 0, "X", "dst-sel", "Component X.";
        Y = 1, "Y", "dst-sel", "Component Y.";
        Z = 2, "Z", "dst-sel", "Component Z.";
        W = 3, "W", "dst-sel", "Component W.";
        Zero = 4, "0", "dst-sel.int-one", "0.0.";
        One = 5, "1", "dst-sel.int-one", "1.0, whatever the format.";
        Mask = 7, "MASK", "dst-sel", "Nothing: it keeps its value.";
    }
}

/// Everything a fetch says besides the data format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Fetch {
    /// What integers stand for.
    pub num_format: NumFormat,
    /// Whether components have a sign.
    pub format_comp: FormatComp,
    /// How signed fractions are spread.
    pub srf_mode: SrfMode,
    /// The order of bytes.
    pub endian_swap: EndianSwap,
    /// What the four elements of the destination get.
    pub select: [Select; 4],
}

impl Default for Fetch {
    fn default() -> Self {
        Self {
            num_format: NumFormat::Norm,
            format_comp: FormatComp::Unsigned,
            srf_mode: SrfMode::ZeroClampMinusOne,
            endian_swap: EndianSwap::None,
            select: [Select::X, Select::Y, Select::Z, Select::W],
        }
    }
}
