//! The words in which pixel operations are asked for: the enumerations of DG1, whose meaning is
//! that of the earlier devices too.

use super::coded::coded;

coded! {
    /// Depth, stencil, alpha and shadow comparisons (3D_Compare_Function).
    pub enum CompareFunction("compare function", "COMPAREFUNCTION_", "dg1.compare.") {
        Always = 0, "ALWAYS", "always", "True.";
        Never = 1, "NEVER", "never", "False.";
        Less = 2, "LESS", "less", "Value < reference.";
        Equal = 3, "EQUAL", "equal", "Value = reference.";
        Lequal = 4, "LEQUAL", "lequal", "Value ≤ reference.";
        Greater = 5, "GREATER", "greater", "Value > reference.";
        Notequal = 6, "NOTEQUAL", "notequal", "Value ≠ reference.";
        Gequal = 7, "GEQUAL", "gequal", "Value ≥ reference.";
    }
}

coded! {
    /// What becomes of a stored stencil value (3D_Stencil_Operation).
    pub enum StencilOp("stencil operation", "STENCILOP_", "dg1.stencil.") {
        Keep = 0, "KEEP", "keep", "The stored value.";
        Zero = 1, "ZERO", "zero", "0.";
        Replace = 2, "REPLACE", "replace", "The reference.";
        Incrsat = 3, "INCRSAT", "incrsat", "One more, at most 255.";
        Decrsat = 4, "DECRSAT", "decrsat", "One less, at least 0.";
        Incr = 5, "INCR", "incr", "One more, 255 becoming 0.";
        Decr = 6, "DECR", "decr", "One less, 0 becoming 255.";
        Invert = 7, "INVERT", "invert", "Every bit flipped.";
    }
}

coded! {
    /// Bitwise operations of source S and destination D (3D_Logic_Op_Function).
    pub enum LogicOp("logic operation", "LOGICOP_", "dg1.logicop.") {
        Clear = 0, "CLEAR", "clear", "0.";
        Nor = 1, "NOR", "nor", "¬(S ∨ D).";
        AndInverted = 2, "AND_INVERTED", "and-inverted", "¬S ∧ D.";
        CopyInverted = 3, "COPY_INVERTED", "copy-inverted", "¬S.";
        AndReverse = 4, "AND_REVERSE", "and-reverse", "S ∧ ¬D.";
        Invert = 5, "INVERT", "invert", "¬D.";
        Xor = 6, "XOR", "xor", "S ⊕ D.";
        Nand = 7, "NAND", "nand", "¬(S ∧ D).";
        And = 8, "AND", "and", "S ∧ D.";
        Equiv = 9, "EQUIV", "equiv", "¬(S ⊕ D).";
        Noop = 10, "NOOP", "noop", "D.";
        OrInverted = 11, "OR_INVERTED", "or-inverted", "¬S ∨ D.";
        Copy = 12, "COPY", "copy", "S.";
        OrReverse = 13, "OR_REVERSE", "or-reverse", "S ∨ ¬D.";
        Or = 14, "OR", "or", "S ∨ D.";
        Set = 15, "SET", "set", "1.";
    }
}

coded! {
    /// What a colour is multiplied with (3D_Color_Buffer_Blend_Factor).
    pub enum BlendFactor("blend factor", "BLENDFACTOR_", "dg1.blend.factor.") {
        One = 0x01, "ONE", "one", "1.";
        SrcColor = 0x02, "SRC_COLOR", "src-color", "Source 0, same channel.";
        SrcAlpha = 0x03, "SRC_ALPHA", "src-alpha", "Alpha of source 0.";
        DstAlpha = 0x04, "DST_ALPHA", "dst-alpha", "Alpha of the destination.";
        DstColor = 0x05, "DST_COLOR", "dst-color", "Destination, same channel.";
        SrcAlphaSaturate = 0x06, "SRC_ALPHA_SATURATE", "src-alpha-saturate", "Source alpha, at most 1 - destination alpha; 1 for alpha.";
        ConstColor = 0x07, "CONST_COLOR", "const-color", "Constant, same channel.";
        ConstAlpha = 0x08, "CONST_ALPHA", "const-alpha", "Alpha of the constant.";
        Src1Color = 0x09, "SRC1_COLOR", "src1-color", "Source 1, same channel.";
        Src1Alpha = 0x0A, "SRC1_ALPHA", "src1-alpha", "Alpha of source 1.";
        Zero = 0x11, "ZERO", "zero", "0.";
        InvSrcColor = 0x12, "INV_SRC_COLOR", "inv-src-color", "1 - source 0, same channel.";
        InvSrcAlpha = 0x13, "INV_SRC_ALPHA", "inv-src-alpha", "1 - alpha of source 0.";
        InvDstAlpha = 0x14, "INV_DST_ALPHA", "inv-dst-alpha", "1 - alpha of the destination.";
        InvDstColor = 0x15, "INV_DST_COLOR", "inv-dst-color", "1 - destination, same channel.";
        InvConstColor = 0x17, "INV_CONST_COLOR", "inv-const-color", "1 - constant, same channel.";
        InvConstAlpha = 0x18, "INV_CONST_ALPHA", "inv-const-alpha", "1 - alpha of the constant.";
        InvSrc1Color = 0x19, "INV_SRC1_COLOR", "inv-src1-color", "1 - source 1, same channel.";
        InvSrc1Alpha = 0x1A, "INV_SRC1_ALPHA", "inv-src1-alpha", "1 - alpha of source 1.";
    }
}

coded! {
    /// How the two terms are joined (3D_Color_Buffer_Blend_Function).
    pub enum BlendFunction("blend function", "BLENDFUNCTION_", "dg1.blend.function.") {
        Add = 0, "ADD", "add", "Source term + destination term.";
        Subtract = 1, "SUBTRACT", "subtract", "Source term - destination term.";
        ReverseSubtract = 2, "REVERSE_SUBTRACT", "reverse-subtract", "Destination term - source term.";
        Min = 3, "MIN", "min", "The lesser colour.";
        Max = 4, "MAX", "max", "The greater colour.";
    }
}

coded! {
    /// What an output channel takes (Shader Channel Select).
    pub enum ChannelSelect("channel select", "", "dg1.scs.") {
        Zero = 0, "ZERO", "code-0", "0.";
        One = 1, "ONE", "code-1", "1, in the type of the format.";
        Red = 4, "RED", "code-4", "Red of the surface.";
        Green = 5, "GREEN", "code-5", "Green of the surface.";
        Blue = 6, "BLUE", "code-6", "Blue of the surface.";
        Alpha = 7, "ALPHA", "code-7", "Alpha of the surface.";
    }
}

coded! {
    /// What lies outside a map (Texture Coordinate Mode).
    pub enum TextureCoordinateMode("texture coordinate mode", "", "dg1.tex.") {
        Wrap = 0, "WRAP", "wrap", "Repeats.";
        Mirror = 1, "MIRROR", "mirror", "Repeats, every other copy mirrored.";
        Clamp = 2, "CLAMP", "clamp", "Edge texels go on for ever.";
        Cube = 3, "CUBE", "cube", "Beyond an edge lies the adjacent face of the cube.";
        ClampBorder = 4, "CLAMP_BORDER", "border", "Beyond the edges lies the border colour.";
        MirrorOnce = 5, "MIRROR_ONCE", "mirror-once", "Mirrored about the origin once, then as CLAMP.";
        HalfBorder = 6, "HALF_BORDER", "half-border", "Beyond the edges lies the mean of edge texel and border colour.";
        Mirror101 = 7, "MIRROR_101", "mirror-101", "Mirrored without repeating the edge texel; 2D surfaces only.";
    }
}

coded! {
    /// What is stored in a component of a vertex element (3D_Vertex_Component_Control).
    pub enum VertexComponentControl("vertex component control", "VFCOMP_", "dg1.vfcomp.") {
        NoStore = 0, "NOSTORE", "passthru", "Nothing of 64-bit unconverted elements; 0 of others.";
        StoreSrc = 1, "STORE_SRC", "store-src-order", "The next component of the source element.";
        Store0 = 2, "STORE_0", "store0", "0.";
        Store1Fp = 3, "STORE_1_FP", "store1fp", "1.0 as binary32.";
        Store1Int = 4, "STORE_1_INT", "store1int", "1 as an integer.";
    }
}

/// Which channels a write changes: bit 0 red, bit 1 green, bit 2 blue, bit 3 alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct WriteMask(u8);

impl WriteMask {
    /// Every channel.
    pub const ALL: Self = Self(0b1111);

    /// The mask of four bits; those above are dropped.
    #[must_use]
    pub const fn new(bits: u8) -> Self {
        Self(bits & 0b1111)
    }

    /// Whether a channel (0 red to 3 alpha) is written.
    #[must_use]
    pub const fn writes(self, channel: usize) -> bool {
        self.0 >> channel & 1 == 1
    }
}

/// Range a colour is clamped to before or after blending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum ClampRange {
    /// 0 to 1.
    Unorm,
    /// -1 to 1.
    Snorm,
    /// What the render target's format can hold.
    RenderTargetFormat,
}
