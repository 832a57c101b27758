//! What an R700 fetch says about the numbers of a data format (R700 ISA, VTX_WORD1 and VTX_WORD2).

use super::coded::coded;

coded! {
    /// NUM_FORMAT_ALL: what the integers of a format stand for.
    pub enum NumFormat("NUM_FORMAT_ALL") {
        /// Fractions of the greatest value.
        Norm = 0, "NUM_FORMAT_NORM", "r700.fmt.norm.u";
        /// Integers.
        Int = 1, "NUM_FORMAT_INT", "r700.fmt.int.u";
        /// Floats of the same value.
        Scaled = 2, "NUM_FORMAT_SCALED", "r700.fmt.scaled";
    }
}

coded! {
    /// FORMAT_COMP_ALL: whether components have a sign.
    pub enum FormatComp("FORMAT_COMP_ALL") {
        /// They have none.
        Unsigned = 0, "FORMAT_COMP_UNSIGNED", "r700.enc.vtx_word1.format-comp-all";
        /// Two's complement.
        Signed = 1, "FORMAT_COMP_SIGNED", "r700.enc.vtx_word1.format-comp-all";
    }
}

coded! {
    /// SRF_MODE_ALL: how signed fractions are spread.
    pub enum SrfMode("SRF_MODE_ALL") {
        /// With a zero, the two least codes being -1.
        ZeroClampMinusOne = 0, "SRF_MODE_ZERO_CLAMP_MINUS_ONE", "r700.fmt.norm.s.clamp";
        /// Evenly, without a zero.
        NoZero = 1, "SRF_MODE_NO_ZERO", "r700.fmt.norm.s.nozero";
    }
}

coded! {
    /// ENDIAN_SWAP: the order of bytes in memory.
    pub enum EndianSwap("ENDIAN_SWAP") {
        /// As it is.
        None = 0, "ENDIAN_NONE", "r700.fmt.endian.none";
        /// Swapped in each 16-bit word.
        In16 = 1, "ENDIAN_8IN16", "r700.fmt.endian.8in16";
        /// Reversed in each 32-bit word.
        In32 = 2, "ENDIAN_8IN32", "r700.fmt.endian.8in32";
    }
}

coded! {
    /// DST_SEL: what an element of the destination gets.
    pub enum Select("DST_SEL") {
        /// Component X.
        X = 0, "SEL_X", "r700.vtx.dst-sel";
        /// Component Y.
        Y = 1, "SEL_Y", "r700.vtx.dst-sel";
        /// Component Z.
        Z = 2, "SEL_Z", "r700.vtx.dst-sel";
        /// Component W.
        W = 3, "SEL_W", "r700.vtx.dst-sel";
        /// 0.0.
        Zero = 4, "SEL_0", "r700.vtx.dst-sel.int-one";
        /// 1.0, whatever the format.
        One = 5, "SEL_1", "r700.vtx.dst-sel.int-one";
        /// Nothing: it keeps its value.
        Mask = 7, "SEL_MASK", "r700.vtx.dst-sel";
    }
}

/// Everything a fetch says besides the data format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
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
