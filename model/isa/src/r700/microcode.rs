//! Microcode: the formats of 32-bit words that programs are made of, each field by its name in the
//! manual (chapter 10).
//!
//! A format keeps its dwords as they are, so that whatever is read is written back bit for bit,
//! reserved bits included.

/// A field of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Field {
    /// Word of the manual it stands in: `CF_WORD1`.
    pub word: &'static str,
    /// Name in the manual: `POP_COUNT`.
    pub name: &'static str,
    /// Number of its dword, from 0.
    pub dword: usize,
    /// Most significant bit.
    pub high: u32,
    /// Least significant bit.
    pub low: u32,
}

impl Field {
    /// Largest value that fits.
    #[must_use]
    pub const fn largest(self) -> u32 {
        u32::MAX >> (31 - (self.high - self.low))
    }

    /// Its bits in its dword.
    #[must_use]
    pub const fn mask(self) -> u32 {
        self.largest() << self.low
    }

    /// Its value in some dwords.
    #[must_use]
    pub const fn get(self, dwords: &[u32]) -> u32 {
        dwords[self.dword] >> self.low & self.largest()
    }

    /// Sets its value in some dwords; bits that do not fit are dropped.
    pub const fn set(self, dwords: &mut [u32], value: u32) {
        let kept = dwords[self.dword] & !self.mask();
        dwords[self.dword] = kept | (value & self.largest()) << self.low;
    }
}

/// A format and its fields, for tests, tables and error messages.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Name of the type.
    pub name: &'static str,
    /// Dwords it has.
    pub dwords: usize,
    /// Its fields, from the least significant bit up.
    pub fields: &'static [Field],
}

impl Format {
    /// The bits of each dword that no field covers: reserved, unused or padding.
    #[must_use]
    pub fn reserved(&self) -> Vec<u32> {
        let mut reserved = vec![u32::MAX; self.dwords];
        for field in self.fields {
            reserved[field.dword] &= !field.mask();
        }
        reserved
    }

    /// The field of a name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().find(|field| field.name == name).copied()
    }
}

macro_rules! formats {
    ($($(#[$meta:meta])* $format:ident $dwords:literal {
        $($field:ident $getter:ident $word:literal $dword:literal $high:literal $low:literal;)*
    })*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
            pub struct $format(pub [u32; $dwords]);

            impl $format {
                $(
                    #[doc = concat!("`", stringify!($field), "` of `", $word, "`.")]
                    pub const $field: Field = Field {
                        word: $word,
                        name: stringify!($field),
                        dword: $dword,
                        high: $high,
                        low: $low,
                    };
                )*

                /// The format and its fields.
                pub const FORMAT: Format = Format {
                    name: stringify!($format),
                    dwords: $dwords,
                    fields: &[$(Self::$field),*],
                };

                $(
                    #[doc = concat!("Value of `", stringify!($field), "`.")]
                    #[must_use]
                    pub const fn $getter(self) -> u32 {
                        Self::$field.get(&self.0)
                    }
                )*

                /// The same with another value of one field; bits that do not fit are dropped.
                #[must_use]
                pub const fn with(mut self, field: Field, value: u32) -> Self {
                    field.set(&mut self.0, value);
                    self
                }

                /// The bits set outside of all fields, dword by dword.
                #[must_use]
                pub fn reserved(self) -> [u32; $dwords] {
                    let mut bits = self.0;
                    for field in Self::FORMAT.fields {
                        bits[field.dword] &= !field.mask();
                    }
                    bits
                }
            }
        )*

        /// Every format.
        pub const FORMATS: &[Format] = &[$($format::FORMAT),*];
    };
}

formats! {
    /// A control-flow instruction that is neither an ALU clause nor an export: `CF_WORD0`, `CF_WORD1`.
    CfWord 2 {
        ADDR addr "CF_WORD0" 0 31 0;
        POP_COUNT pop_count "CF_WORD1" 1 2 0;
        CF_CONST cf_const "CF_WORD1" 1 7 3;
        COND cond "CF_WORD1" 1 9 8;
        COUNT count "CF_WORD1" 1 12 10;
        CALL_COUNT call_count "CF_WORD1" 1 18 13;
        COUNT_3 count_3 "CF_WORD1" 1 19 19;
        END_OF_PROGRAM end_of_program "CF_WORD1" 1 21 21;
        VALID_PIXEL_MODE valid_pixel_mode "CF_WORD1" 1 22 22;
        CF_INST cf_inst "CF_WORD1" 1 29 23;
        WHOLE_QUAD_MODE whole_quad_mode "CF_WORD1" 1 30 30;
        BARRIER barrier "CF_WORD1" 1 31 31;
    }
    /// A control-flow instruction that runs an ALU clause: `CF_ALU_WORD0`, `CF_ALU_WORD1`.
    CfAluWord 2 {
        ADDR addr "CF_ALU_WORD0" 0 21 0;
        KCACHE_BANK0 kcache_bank0 "CF_ALU_WORD0" 0 25 22;
        KCACHE_BANK1 kcache_bank1 "CF_ALU_WORD0" 0 29 26;
        KCACHE_MODE0 kcache_mode0 "CF_ALU_WORD0" 0 31 30;
        KCACHE_MODE1 kcache_mode1 "CF_ALU_WORD1" 1 1 0;
        KCACHE_ADDR0 kcache_addr0 "CF_ALU_WORD1" 1 9 2;
        KCACHE_ADDR1 kcache_addr1 "CF_ALU_WORD1" 1 17 10;
        COUNT count "CF_ALU_WORD1" 1 24 18;
        ALT_CONST alt_const "CF_ALU_WORD1" 1 25 25;
        CF_INST cf_inst "CF_ALU_WORD1" 1 29 26;
        WHOLE_QUAD_MODE whole_quad_mode "CF_ALU_WORD1" 1 30 30;
        BARRIER barrier "CF_ALU_WORD1" 1 31 31;
    }
    /// An export: `CF_ALLOC_EXPORT_WORD0`, `CF_ALLOC_EXPORT_WORD1_SWIZ`.
    ExportSwizzle 2 {
        ARRAY_BASE array_base "CF_ALLOC_EXPORT_WORD0" 0 12 0;
        TYPE kind "CF_ALLOC_EXPORT_WORD0" 0 14 13;
        RW_GPR rw_gpr "CF_ALLOC_EXPORT_WORD0" 0 21 15;
        RW_REL rw_rel "CF_ALLOC_EXPORT_WORD0" 0 22 22;
        INDEX_GPR index_gpr "CF_ALLOC_EXPORT_WORD0" 0 29 23;
        ELEM_SIZE elem_size "CF_ALLOC_EXPORT_WORD0" 0 31 30;
        SEL_X sel_x "CF_ALLOC_EXPORT_WORD1_SWIZ" 1 2 0;
        SEL_Y sel_y "CF_ALLOC_EXPORT_WORD1_SWIZ" 1 5 3;
        SEL_Z sel_z "CF_ALLOC_EXPORT_WORD1_SWIZ" 1 8 6;
        SEL_W sel_w "CF_ALLOC_EXPORT_WORD1_SWIZ" 1 11 9;
        BURST_COUNT burst_count "CF_ALLOC_EXPORT_WORD1_SWIZ" 1 20 17;
        END_OF_PROGRAM end_of_program "CF_ALLOC_EXPORT_WORD1_SWIZ" 1 21 21;
        VALID_PIXEL_MODE valid_pixel_mode "CF_ALLOC_EXPORT_WORD1_SWIZ" 1 22 22;
        CF_INST cf_inst "CF_ALLOC_EXPORT_WORD1_SWIZ" 1 29 23;
        WHOLE_QUAD_MODE whole_quad_mode "CF_ALLOC_EXPORT_WORD1_SWIZ" 1 30 30;
        BARRIER barrier "CF_ALLOC_EXPORT_WORD1_SWIZ" 1 31 31;
    }
    /// A memory write: `CF_ALLOC_EXPORT_WORD0`, `CF_ALLOC_EXPORT_WORD1_BUF`.
    ExportBuffer 2 {
        ARRAY_BASE array_base "CF_ALLOC_EXPORT_WORD0" 0 12 0;
        TYPE kind "CF_ALLOC_EXPORT_WORD0" 0 14 13;
        RW_GPR rw_gpr "CF_ALLOC_EXPORT_WORD0" 0 21 15;
        RW_REL rw_rel "CF_ALLOC_EXPORT_WORD0" 0 22 22;
        INDEX_GPR index_gpr "CF_ALLOC_EXPORT_WORD0" 0 29 23;
        ELEM_SIZE elem_size "CF_ALLOC_EXPORT_WORD0" 0 31 30;
        ARRAY_SIZE array_size "CF_ALLOC_EXPORT_WORD1_BUF" 1 11 0;
        COMP_MASK comp_mask "CF_ALLOC_EXPORT_WORD1_BUF" 1 15 12;
        BURST_COUNT burst_count "CF_ALLOC_EXPORT_WORD1_BUF" 1 20 17;
        END_OF_PROGRAM end_of_program "CF_ALLOC_EXPORT_WORD1_BUF" 1 21 21;
        VALID_PIXEL_MODE valid_pixel_mode "CF_ALLOC_EXPORT_WORD1_BUF" 1 22 22;
        CF_INST cf_inst "CF_ALLOC_EXPORT_WORD1_BUF" 1 29 23;
        WHOLE_QUAD_MODE whole_quad_mode "CF_ALLOC_EXPORT_WORD1_BUF" 1 30 30;
        BARRIER barrier "CF_ALLOC_EXPORT_WORD1_BUF" 1 31 31;
    }
    /// An ALU instruction of at most two sources: `ALU_WORD0`, `ALU_WORD1_OP2`.
    AluOp2 2 {
        SRC0_SEL src0_sel "ALU_WORD0" 0 8 0;
        SRC0_REL src0_rel "ALU_WORD0" 0 9 9;
        SRC0_CHAN src0_chan "ALU_WORD0" 0 11 10;
        SRC0_NEG src0_neg "ALU_WORD0" 0 12 12;
        SRC1_SEL src1_sel "ALU_WORD0" 0 21 13;
        SRC1_REL src1_rel "ALU_WORD0" 0 22 22;
        SRC1_CHAN src1_chan "ALU_WORD0" 0 24 23;
        SRC1_NEG src1_neg "ALU_WORD0" 0 25 25;
        INDEX_MODE index_mode "ALU_WORD0" 0 28 26;
        PRED_SEL pred_sel "ALU_WORD0" 0 30 29;
        LAST last "ALU_WORD0" 0 31 31;
        SRC0_ABS src0_abs "ALU_WORD1_OP2" 1 0 0;
        SRC1_ABS src1_abs "ALU_WORD1_OP2" 1 1 1;
        UPDATE_EXECUTE_MASK update_execute_mask "ALU_WORD1_OP2" 1 2 2;
        UPDATE_PRED update_pred "ALU_WORD1_OP2" 1 3 3;
        WRITE_MASK write_mask "ALU_WORD1_OP2" 1 4 4;
        OMOD omod "ALU_WORD1_OP2" 1 6 5;
        ALU_INST alu_inst "ALU_WORD1_OP2" 1 17 7;
        BANK_SWIZZLE bank_swizzle "ALU_WORD1_OP2" 1 20 18;
        DST_GPR dst_gpr "ALU_WORD1_OP2" 1 27 21;
        DST_REL dst_rel "ALU_WORD1_OP2" 1 28 28;
        DST_ELEM dst_elem "ALU_WORD1_OP2" 1 30 29;
        CLAMP clamp "ALU_WORD1_OP2" 1 31 31;
    }
    /// An ALU instruction of three sources: `ALU_WORD0`, `ALU_WORD1_OP3`.
    AluOp3 2 {
        SRC0_SEL src0_sel "ALU_WORD0" 0 8 0;
        SRC0_REL src0_rel "ALU_WORD0" 0 9 9;
        SRC0_CHAN src0_chan "ALU_WORD0" 0 11 10;
        SRC0_NEG src0_neg "ALU_WORD0" 0 12 12;
        SRC1_SEL src1_sel "ALU_WORD0" 0 21 13;
        SRC1_REL src1_rel "ALU_WORD0" 0 22 22;
        SRC1_CHAN src1_chan "ALU_WORD0" 0 24 23;
        SRC1_NEG src1_neg "ALU_WORD0" 0 25 25;
        INDEX_MODE index_mode "ALU_WORD0" 0 28 26;
        PRED_SEL pred_sel "ALU_WORD0" 0 30 29;
        LAST last "ALU_WORD0" 0 31 31;
        SRC2_SEL src2_sel "ALU_WORD1_OP3" 1 8 0;
        SRC2_REL src2_rel "ALU_WORD1_OP3" 1 9 9;
        SRC2_CHAN src2_chan "ALU_WORD1_OP3" 1 11 10;
        SRC2_NEG src2_neg "ALU_WORD1_OP3" 1 12 12;
        ALU_INST alu_inst "ALU_WORD1_OP3" 1 17 13;
        BANK_SWIZZLE bank_swizzle "ALU_WORD1_OP3" 1 20 18;
        DST_GPR dst_gpr "ALU_WORD1_OP3" 1 27 21;
        DST_REL dst_rel "ALU_WORD1_OP3" 1 28 28;
        DST_ELEM dst_elem "ALU_WORD1_OP3" 1 30 29;
        CLAMP clamp "ALU_WORD1_OP3" 1 31 31;
    }
    /// A vertex fetch into a named register: `VTX_WORD0`, `VTX_WORD1_GPR`, `VTX_WORD2` and padding.
    VertexFetch 4 {
        VTX_INST vtx_inst "VTX_WORD0" 0 4 0;
        FETCH_TYPE fetch_type "VTX_WORD0" 0 6 5;
        FETCH_WHOLE_QUAD fetch_whole_quad "VTX_WORD0" 0 7 7;
        BUFFER_ID buffer_id "VTX_WORD0" 0 15 8;
        SRC_GPR src_gpr "VTX_WORD0" 0 22 16;
        SRC_REL src_rel "VTX_WORD0" 0 23 23;
        SRC_SEL_X src_sel_x "VTX_WORD0" 0 25 24;
        MEGA_FETCH_COUNT mega_fetch_count "VTX_WORD0" 0 31 26;
        DST_GPR dst_gpr "VTX_WORD1_GPR" 1 6 0;
        DST_REL dst_rel "VTX_WORD1_GPR" 1 7 7;
        DST_SEL_X dst_sel_x "VTX_WORD1_GPR" 1 11 9;
        DST_SEL_Y dst_sel_y "VTX_WORD1_GPR" 1 14 12;
        DST_SEL_Z dst_sel_z "VTX_WORD1_GPR" 1 17 15;
        DST_SEL_W dst_sel_w "VTX_WORD1_GPR" 1 20 18;
        USE_CONST_FIELDS use_const_fields "VTX_WORD1_GPR" 1 21 21;
        DATA_FORMAT data_format "VTX_WORD1_GPR" 1 27 22;
        NUM_FORMAT_ALL num_format_all "VTX_WORD1_GPR" 1 29 28;
        FORMAT_COMP_ALL format_comp_all "VTX_WORD1_GPR" 1 30 30;
        SRF_MODE_ALL srf_mode_all "VTX_WORD1_GPR" 1 31 31;
        OFFSET offset "VTX_WORD2" 2 15 0;
        ENDIAN_SWAP endian_swap "VTX_WORD2" 2 17 16;
        CONST_BUF_NO_STRIDE const_buf_no_stride "VTX_WORD2" 2 18 18;
        MEGA_FETCH mega_fetch "VTX_WORD2" 2 19 19;
        ALT_CONST alt_const "VTX_WORD2" 2 20 20;
    }
    /// A vertex fetch into the register that the semantic table names: `VTX_WORD0`, `VTX_WORD1_SEM`, `VTX_WORD2` and padding.
    SemanticFetch 4 {
        VTX_INST vtx_inst "VTX_WORD0" 0 4 0;
        FETCH_TYPE fetch_type "VTX_WORD0" 0 6 5;
        FETCH_WHOLE_QUAD fetch_whole_quad "VTX_WORD0" 0 7 7;
        BUFFER_ID buffer_id "VTX_WORD0" 0 15 8;
        SRC_GPR src_gpr "VTX_WORD0" 0 22 16;
        SRC_REL src_rel "VTX_WORD0" 0 23 23;
        SRC_SEL_X src_sel_x "VTX_WORD0" 0 25 24;
        MEGA_FETCH_COUNT mega_fetch_count "VTX_WORD0" 0 31 26;
        SEMANTIC_ID semantic_id "VTX_WORD1_SEM" 1 7 0;
        DST_SEL_X dst_sel_x "VTX_WORD1_SEM" 1 11 9;
        DST_SEL_Y dst_sel_y "VTX_WORD1_SEM" 1 14 12;
        DST_SEL_Z dst_sel_z "VTX_WORD1_SEM" 1 17 15;
        DST_SEL_W dst_sel_w "VTX_WORD1_SEM" 1 20 18;
        USE_CONST_FIELDS use_const_fields "VTX_WORD1_SEM" 1 21 21;
        DATA_FORMAT data_format "VTX_WORD1_SEM" 1 27 22;
        NUM_FORMAT_ALL num_format_all "VTX_WORD1_SEM" 1 29 28;
        FORMAT_COMP_ALL format_comp_all "VTX_WORD1_SEM" 1 30 30;
        SRF_MODE_ALL srf_mode_all "VTX_WORD1_SEM" 1 31 31;
        OFFSET offset "VTX_WORD2" 2 15 0;
        ENDIAN_SWAP endian_swap "VTX_WORD2" 2 17 16;
        CONST_BUF_NO_STRIDE const_buf_no_stride "VTX_WORD2" 2 18 18;
        MEGA_FETCH mega_fetch "VTX_WORD2" 2 19 19;
        ALT_CONST alt_const "VTX_WORD2" 2 20 20;
    }
    /// A texture instruction: `TEX_WORD0` to `TEX_WORD2` and padding.
    TextureFetch 4 {
        TEX_INST tex_inst "TEX_WORD0" 0 4 0;
        BC_FRAC_MODE bc_frac_mode "TEX_WORD0" 0 5 5;
        FETCH_WHOLE_QUAD fetch_whole_quad "TEX_WORD0" 0 7 7;
        RESOURCE_ID resource_id "TEX_WORD0" 0 15 8;
        SRC_GPR src_gpr "TEX_WORD0" 0 22 16;
        SRC_REL src_rel "TEX_WORD0" 0 23 23;
        ALT_CONST alt_const "TEX_WORD0" 0 24 24;
        DST_GPR dst_gpr "TEX_WORD1" 1 6 0;
        DST_REL dst_rel "TEX_WORD1" 1 7 7;
        DST_SEL_X dst_sel_x "TEX_WORD1" 1 11 9;
        DST_SEL_Y dst_sel_y "TEX_WORD1" 1 14 12;
        DST_SEL_Z dst_sel_z "TEX_WORD1" 1 17 15;
        DST_SEL_W dst_sel_w "TEX_WORD1" 1 20 18;
        LOD_BIAS lod_bias "TEX_WORD1" 1 27 21;
        COORD_TYPE_X coord_type_x "TEX_WORD1" 1 28 28;
        COORD_TYPE_Y coord_type_y "TEX_WORD1" 1 29 29;
        COORD_TYPE_Z coord_type_z "TEX_WORD1" 1 30 30;
        COORD_TYPE_W coord_type_w "TEX_WORD1" 1 31 31;
        OFFSET_X offset_x "TEX_WORD2" 2 4 0;
        OFFSET_Y offset_y "TEX_WORD2" 2 9 5;
        OFFSET_Z offset_z "TEX_WORD2" 2 14 10;
        SAMPLER_ID sampler_id "TEX_WORD2" 2 19 15;
        SRC_SEL_X src_sel_x "TEX_WORD2" 2 22 20;
        SRC_SEL_Y src_sel_y "TEX_WORD2" 2 25 23;
        SRC_SEL_Z src_sel_z "TEX_WORD2" 2 28 26;
        SRC_SEL_W src_sel_w "TEX_WORD2" 2 31 29;
    }
    /// A read of scratch, reduction or scatter memory: `MEM_RD_WORD0` to `MEM_RD_WORD2` and padding.
    MemoryRead 4 {
        VTX_INST vtx_inst "MEM_RD_WORD0" 0 4 0;
        ELEM_SIZE elem_size "MEM_RD_WORD0" 0 6 5;
        FETCH_WHOLE_QUAD fetch_whole_quad "MEM_RD_WORD0" 0 7 7;
        MEM_OP mem_op "MEM_RD_WORD0" 0 10 8;
        UNCACHED uncached "MEM_RD_WORD0" 0 11 11;
        INDEXED indexed "MEM_RD_WORD0" 0 12 12;
        MEM_REQ_SIZE mem_req_size "MEM_RD_WORD0" 0 14 13;
        SRC_GPR src_gpr "MEM_RD_WORD0" 0 22 16;
        SRC_REL src_rel "MEM_RD_WORD0" 0 23 23;
        SRC_SEL_X src_sel_x "MEM_RD_WORD0" 0 25 24;
        BURST_CNT burst_cnt "MEM_RD_WORD0" 0 29 26;
        DST_GPR dst_gpr "MEM_RD_WORD1" 1 6 0;
        DST_REL dst_rel "MEM_RD_WORD1" 1 7 7;
        DST_SEL_X dst_sel_x "MEM_RD_WORD1" 1 11 9;
        DST_SEL_Y dst_sel_y "MEM_RD_WORD1" 1 14 12;
        DST_SEL_Z dst_sel_z "MEM_RD_WORD1" 1 17 15;
        DST_SEL_W dst_sel_w "MEM_RD_WORD1" 1 20 18;
        DATA_FORMAT data_format "MEM_RD_WORD1" 1 27 22;
        NUM_FORMAT_ALL num_format_all "MEM_RD_WORD1" 1 29 28;
        FORMAT_COMP_ALL format_comp_all "MEM_RD_WORD1" 1 30 30;
        SRF_MODE_ALL srf_mode_all "MEM_RD_WORD1" 1 31 31;
        ARRAY_BASE array_base "MEM_RD_WORD2" 2 12 0;
        ENDIAN_SWAP endian_swap "MEM_RD_WORD2" 2 17 16;
        MEGA_FETCH mega_fetch "MEM_RD_WORD2" 2 19 19;
        ARRAY_SIZE array_size "MEM_RD_WORD2" 2 31 20;
    }
    /// A local data share write: `MEM_DSW_WORD0` to `MEM_DSW_WORD2` and padding.
    LocalWrite 4 {
        VTX_INST vtx_inst "MEM_DSW_WORD0" 0 4 0;
        MEM_OP mem_op "MEM_DSW_WORD0" 0 10 8;
        SRC_GPR src_gpr "MEM_DSW_WORD0" 0 17 11;
        SRC_REL_MODE src_rel_mode "MEM_DSW_WORD0" 0 19 18;
        SRC_SEL_X src_sel_x "MEM_DSW_WORD0" 0 22 20;
        SRC_SEL_Y src_sel_y "MEM_DSW_WORD0" 0 25 23;
        SRC_SEL_Z src_sel_z "MEM_DSW_WORD0" 0 28 26;
        SRC_SEL_W src_sel_w "MEM_DSW_WORD0" 0 31 29;
        DST_INDEX dst_index "MEM_DSW_WORD1" 1 5 0;
        DST_INDEX_EXT dst_index_ext "MEM_DSW_WORD1" 1 7 6;
        DST_STRIDE dst_stride "MEM_DSW_WORD1" 1 22 16;
        DST_STRIDE_EXT dst_stride_ext "MEM_DSW_WORD1" 1 24 23;
        SIMD_WAVE_REL simd_wave_rel "MEM_DSW_WORD1" 1 31 31;
        BURST_CNT burst_cnt "MEM_DSW_WORD2" 2 3 0;
    }
    /// A local data share read: `MEM_DSR_WORD0` to `MEM_DSR_WORD2` and padding.
    LocalRead 4 {
        VTX_INST vtx_inst "MEM_DSR_WORD0" 0 4 0;
        MEM_OP mem_op "MEM_DSR_WORD0" 0 10 8;
        SRC_GPR src_gpr "MEM_DSR_WORD0" 0 17 11;
        SRC_REL_MODE src_rel_mode "MEM_DSR_WORD0" 0 19 18;
        SRC_SEL_X src_sel_x "MEM_DSR_WORD0" 0 22 20;
        SRC_SEL_Y src_sel_y "MEM_DSR_WORD0" 0 25 23;
        RD_OFFSET rd_offset "MEM_DSR_WORD0" 0 31 26;
        DST_GPR dst_gpr "MEM_DSR_WORD1" 1 6 0;
        DST_REL_MODE dst_rel_mode "MEM_DSR_WORD1" 1 8 7;
        DST_WR_X dst_wr_x "MEM_DSR_WORD1" 1 9 9;
        DST_WR_Y dst_wr_y "MEM_DSR_WORD1" 1 10 10;
        DST_WR_Z dst_wr_z "MEM_DSR_WORD1" 1 11 11;
        DST_WR_W dst_wr_w "MEM_DSR_WORD1" 1 12 12;
        BROADCAST broadcast "MEM_DSR_WORD1" 1 16 16;
        WATERFALL waterfall "MEM_DSR_WORD1" 1 17 17;
        MUX_CNTL mux_cntl "MEM_DSR_WORD1" 1 22 20;
        BURST_CNT burst_cnt "MEM_DSR_WORD2" 2 3 0;
    }
}

#[cfg(test)]
mod tests;
