//! The words in which pixel operations are asked for: the enumerations of DG1, whose meaning is
//! that of the earlier devices too.

use super::coded::coded;

coded! {
    /// Depth, stencil, alpha and shadow comparisons (3D_Compare_Function).
    pub enum CompareFunction("compare function") {
        /// True.
        Always = 0, "COMPAREFUNCTION_ALWAYS", "dg1.compare.always";
        /// False.
        Never = 1, "COMPAREFUNCTION_NEVER", "dg1.compare.never";
        /// Value < reference.
        Less = 2, "COMPAREFUNCTION_LESS", "dg1.compare.less";
        /// Value = reference.
        Equal = 3, "COMPAREFUNCTION_EQUAL", "dg1.compare.equal";
        /// Value ≤ reference.
        Lequal = 4, "COMPAREFUNCTION_LEQUAL", "dg1.compare.lequal";
        /// Value > reference.
        Greater = 5, "COMPAREFUNCTION_GREATER", "dg1.compare.greater";
        /// Value ≠ reference.
        Notequal = 6, "COMPAREFUNCTION_NOTEQUAL", "dg1.compare.notequal";
        /// Value ≥ reference.
        Gequal = 7, "COMPAREFUNCTION_GEQUAL", "dg1.compare.gequal";
    }
}

coded! {
    /// What becomes of a stored stencil value (3D_Stencil_Operation).
    pub enum StencilOp("stencil operation") {
        /// The stored value.
        Keep = 0, "STENCILOP_KEEP", "dg1.stencil.keep";
        /// 0.
        Zero = 1, "STENCILOP_ZERO", "dg1.stencil.zero";
        /// The reference.
        Replace = 2, "STENCILOP_REPLACE", "dg1.stencil.replace";
        /// One more, at most 255.
        Incrsat = 3, "STENCILOP_INCRSAT", "dg1.stencil.incrsat";
        /// One less, at least 0.
        Decrsat = 4, "STENCILOP_DECRSAT", "dg1.stencil.decrsat";
        /// One more, 255 becoming 0.
        Incr = 5, "STENCILOP_INCR", "dg1.stencil.incr";
        /// One less, 0 becoming 255.
        Decr = 6, "STENCILOP_DECR", "dg1.stencil.decr";
        /// Every bit flipped.
        Invert = 7, "STENCILOP_INVERT", "dg1.stencil.invert";
    }
}

coded! {
    /// Bitwise operations of source S and destination D (3D_Logic_Op_Function).
    pub enum LogicOp("logic operation") {
        /// 0.
        Clear = 0, "LOGICOP_CLEAR", "dg1.logicop.clear";
        /// ¬(S ∨ D).
        Nor = 1, "LOGICOP_NOR", "dg1.logicop.nor";
        /// ¬S ∧ D.
        AndInverted = 2, "LOGICOP_AND_INVERTED", "dg1.logicop.and-inverted";
        /// ¬S.
        CopyInverted = 3, "LOGICOP_COPY_INVERTED", "dg1.logicop.copy-inverted";
        /// S ∧ ¬D.
        AndReverse = 4, "LOGICOP_AND_REVERSE", "dg1.logicop.and-reverse";
        /// ¬D.
        Invert = 5, "LOGICOP_INVERT", "dg1.logicop.invert";
        /// S ⊕ D.
        Xor = 6, "LOGICOP_XOR", "dg1.logicop.xor";
        /// ¬(S ∧ D).
        Nand = 7, "LOGICOP_NAND", "dg1.logicop.nand";
        /// S ∧ D.
        And = 8, "LOGICOP_AND", "dg1.logicop.and";
        /// ¬(S ⊕ D).
        Equiv = 9, "LOGICOP_EQUIV", "dg1.logicop.equiv";
        /// D.
        Noop = 10, "LOGICOP_NOOP", "dg1.logicop.noop";
        /// ¬S ∨ D.
        OrInverted = 11, "LOGICOP_OR_INVERTED", "dg1.logicop.or-inverted";
        /// S.
        Copy = 12, "LOGICOP_COPY", "dg1.logicop.copy";
        /// S ∨ ¬D.
        OrReverse = 13, "LOGICOP_OR_REVERSE", "dg1.logicop.or-reverse";
        /// S ∨ D.
        Or = 14, "LOGICOP_OR", "dg1.logicop.or";
        /// 1.
        Set = 15, "LOGICOP_SET", "dg1.logicop.set";
    }
}

coded! {
    /// What a colour is multiplied with (3D_Color_Buffer_Blend_Factor).
    pub enum BlendFactor("blend factor") {
        /// 1.
        One = 0x01, "BLENDFACTOR_ONE", "dg1.blend.factor.one";
        /// Source 0, same channel.
        SrcColor = 0x02, "BLENDFACTOR_SRC_COLOR", "dg1.blend.factor.src-color";
        /// Alpha of source 0.
        SrcAlpha = 0x03, "BLENDFACTOR_SRC_ALPHA", "dg1.blend.factor.src-alpha";
        /// Alpha of the destination.
        DstAlpha = 0x04, "BLENDFACTOR_DST_ALPHA", "dg1.blend.factor.dst-alpha";
        /// Destination, same channel.
        DstColor = 0x05, "BLENDFACTOR_DST_COLOR", "dg1.blend.factor.dst-color";
        /// Source alpha, at most 1 - destination alpha; 1 for alpha.
        SrcAlphaSaturate = 0x06, "BLENDFACTOR_SRC_ALPHA_SATURATE", "dg1.blend.factor.src-alpha-saturate";
        /// Constant, same channel.
        ConstColor = 0x07, "BLENDFACTOR_CONST_COLOR", "dg1.blend.factor.const-color";
        /// Alpha of the constant.
        ConstAlpha = 0x08, "BLENDFACTOR_CONST_ALPHA", "dg1.blend.factor.const-alpha";
        /// Source 1, same channel.
        Src1Color = 0x09, "BLENDFACTOR_SRC1_COLOR", "dg1.blend.factor.src1-color";
        /// Alpha of source 1.
        Src1Alpha = 0x0A, "BLENDFACTOR_SRC1_ALPHA", "dg1.blend.factor.src1-alpha";
        /// 0.
        Zero = 0x11, "BLENDFACTOR_ZERO", "dg1.blend.factor.zero";
        /// 1 - source 0, same channel.
        InvSrcColor = 0x12, "BLENDFACTOR_INV_SRC_COLOR", "dg1.blend.factor.inv-src-color";
        /// 1 - alpha of source 0.
        InvSrcAlpha = 0x13, "BLENDFACTOR_INV_SRC_ALPHA", "dg1.blend.factor.inv-src-alpha";
        /// 1 - alpha of the destination.
        InvDstAlpha = 0x14, "BLENDFACTOR_INV_DST_ALPHA", "dg1.blend.factor.inv-dst-alpha";
        /// 1 - destination, same channel.
        InvDstColor = 0x15, "BLENDFACTOR_INV_DST_COLOR", "dg1.blend.factor.inv-dst-color";
        /// 1 - constant, same channel.
        InvConstColor = 0x17, "BLENDFACTOR_INV_CONST_COLOR", "dg1.blend.factor.inv-const-color";
        /// 1 - alpha of the constant.
        InvConstAlpha = 0x18, "BLENDFACTOR_INV_CONST_ALPHA", "dg1.blend.factor.inv-const-alpha";
        /// 1 - source 1, same channel.
        InvSrc1Color = 0x19, "BLENDFACTOR_INV_SRC1_COLOR", "dg1.blend.factor.inv-src1-color";
        /// 1 - alpha of source 1.
        InvSrc1Alpha = 0x1A, "BLENDFACTOR_INV_SRC1_ALPHA", "dg1.blend.factor.inv-src1-alpha";
    }
}

coded! {
    /// How the two terms are joined (3D_Color_Buffer_Blend_Function).
    pub enum BlendFunction("blend function") {
        /// Source term + destination term.
        Add = 0, "BLENDFUNCTION_ADD", "dg1.blend.function.add";
        /// Source term - destination term.
        Subtract = 1, "BLENDFUNCTION_SUBTRACT", "dg1.blend.function.subtract";
        /// Destination term - source term.
        ReverseSubtract = 2, "BLENDFUNCTION_REVERSE_SUBTRACT", "dg1.blend.function.reverse-subtract";
        /// The lesser colour.
        Min = 3, "BLENDFUNCTION_MIN", "dg1.blend.function.min";
        /// The greater colour.
        Max = 4, "BLENDFUNCTION_MAX", "dg1.blend.function.max";
    }
}

coded! {
    /// What an output channel takes (Shader Channel Select).
    pub enum ChannelSelect("channel select") {
        /// 0.
        Zero = 0, "ZERO", "dg1.scs.code-0";
        /// 1, in the type of the format.
        One = 1, "ONE", "dg1.scs.code-1";
        /// Red of the surface.
        Red = 4, "RED", "dg1.scs.code-4";
        /// Green of the surface.
        Green = 5, "GREEN", "dg1.scs.code-5";
        /// Blue of the surface.
        Blue = 6, "BLUE", "dg1.scs.code-6";
        /// Alpha of the surface.
        Alpha = 7, "ALPHA", "dg1.scs.code-7";
    }
}

coded! {
    /// What lies outside a map (Texture Coordinate Mode).
    pub enum TextureCoordinateMode("texture coordinate mode") {
        /// Repeats.
        Wrap = 0, "WRAP", "dg1.tex.wrap";
        /// Repeats, every other copy mirrored.
        Mirror = 1, "MIRROR", "dg1.tex.mirror";
        /// Edge texels go on for ever.
        Clamp = 2, "CLAMP", "dg1.tex.clamp";
        /// Beyond an edge lies the adjacent face of the cube.
        Cube = 3, "CUBE", "dg1.tex.cube";
        /// Beyond the edges lies the border colour.
        ClampBorder = 4, "CLAMP_BORDER", "dg1.tex.border";
        /// Mirrored about the origin once, then as CLAMP.
        MirrorOnce = 5, "MIRROR_ONCE", "dg1.tex.mirror-once";
        /// Beyond the edges lies the mean of edge texel and border colour.
        HalfBorder = 6, "HALF_BORDER", "dg1.tex.half-border";
        /// Mirrored without repeating the edge texel; 2D surfaces only.
        Mirror101 = 7, "MIRROR_101", "dg1.tex.mirror-101";
    }
}

coded! {
    /// What is stored in a component of a vertex element (3D_Vertex_Component_Control).
    pub enum VertexComponentControl("vertex component control") {
        /// Nothing of 64-bit unconverted elements; 0 of others.
        NoStore = 0, "VFCOMP_NOSTORE", "dg1.vfcomp.passthru";
        /// The next component of the source element.
        StoreSrc = 1, "VFCOMP_STORE_SRC", "dg1.vfcomp.store-src-order";
        /// 0.
        Store0 = 2, "VFCOMP_STORE_0", "dg1.vfcomp.store0";
        /// 1.0 as binary32.
        Store1Fp = 3, "VFCOMP_STORE_1_FP", "dg1.vfcomp.store1fp";
        /// 1 as an integer.
        Store1Int = 4, "VFCOMP_STORE_1_INT", "dg1.vfcomp.store1int";
    }
}

/// Which channels a write changes: bit 0 red, bit 1 green, bit 2 blue, bit 3 alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
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
pub enum ClampRange {
    /// 0 to 1.
    Unorm,
    /// -1 to 1.
    Snorm,
    /// What the render target's format can hold.
    RenderTargetFormat,
}
