//! Microcode words to the instructions of fetch clauses: vertex fetches, memory reads and local
//! data share accesses (sections 10.3 to 10.6).

use super::{
    DecodeError, FetchClause, bits,
    code::{fetch as code, memory},
    reserved, words,
};

/// An instruction of a fetch clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum Fetch {
    Vertex(VertexFetch),
    Memory(MemoryRead),
    LocalWrite(LocalWrite),
    LocalRead(LocalRead),
    Texture(TextureFetch),
}

/// What the dwords of an element mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) struct FormatFields {
    pub(in crate::r700) data_format: u32,
    pub(in crate::r700) num_format: u32,
    pub(in crate::r700) signed: bool,
    /// SRF_MODE_NO_ZERO.
    pub(in crate::r700) no_zero: bool,
    pub(in crate::r700) endian_swap: u32,
}

/// FETCH and SEMANTIC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) struct VertexFetch {
    pub(in crate::r700) buffer: u8,
    /// FETCH_WHOLE_QUAD.
    pub(in crate::r700) whole_quad: bool,
    /// 0 adds the base vertex to the index, 1 the start instance, 2 nothing.
    pub(in crate::r700) fetch_type: u8,
    pub(in crate::r700) source: u8,
    pub(in crate::r700) source_relative: bool,
    pub(in crate::r700) source_element: u8,
    pub(in crate::r700) target: VertexTarget,
    pub(in crate::r700) select: [u8; 4],
    /// `None`: that of the fetch constant.
    pub(in crate::r700) format: Option<FormatFields>,
    /// In bytes.
    pub(in crate::r700) offset: u32,
    pub(in crate::r700) no_stride: bool,
    /// Fetch constants of the alternate program type.
    pub(in crate::r700) alternate: bool,
}

/// Where a vertex fetch puts its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum VertexTarget {
    Gpr {
        number: u8,
        relative: bool,
    },
    /// The register that the semantic table has for an id.
    Semantic(u8),
}

/// Buffers that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum MemoryReadBuffer {
    Scratch,
    Reduction,
    Scatter,
}

/// A memory read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) struct MemoryRead {
    pub(in crate::r700) buffer: MemoryReadBuffer,
    /// FETCH_WHOLE_QUAD.
    pub(in crate::r700) whole_quad: bool,
    /// Dwords of an element.
    pub(in crate::r700) element_size: u32,
    pub(in crate::r700) indexed: bool,
    pub(in crate::r700) source: u8,
    pub(in crate::r700) source_relative: bool,
    pub(in crate::r700) source_element: u8,
    pub(in crate::r700) burst: u32,
    pub(in crate::r700) gpr: u8,
    pub(in crate::r700) relative: bool,
    pub(in crate::r700) select: [u8; 4],
    pub(in crate::r700) format: FormatFields,
    pub(in crate::r700) array_base: u32,
    /// In elements.
    pub(in crate::r700) array_size: u32,
}

/// SRC_REL_MODE and DST_REL_MODE of local data share accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum RelativeMode {
    None,
    Loop,
    /// SIMD-global register.
    Global,
}

/// LOCAL_DS_WRITE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) struct LocalWrite {
    pub(in crate::r700) source: u8,
    pub(in crate::r700) source_mode: RelativeMode,
    pub(in crate::r700) select: [u8; 4],
    /// In dwords.
    pub(in crate::r700) index: u32,
    /// Dwords a thread owns.
    pub(in crate::r700) stride: u32,
    /// Threads are numbered from the first of the thread group, not of the wavefront.
    pub(in crate::r700) group_relative: bool,
    pub(in crate::r700) burst: u32,
}

/// MUX_CNTL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum Multiplexer {
    /// DSR_MUX_NONE: an aligned entry of four dwords.
    Entry,
    /// DSR_MUX_FFT_PERMUTE, whose permutation is not published.
    Butterfly,
    /// DSR_MUX_WORD_SELECT: any dword.
    Word,
}

/// LOCAL_DS_READ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) struct LocalRead {
    pub(in crate::r700) source: u8,
    pub(in crate::r700) source_mode: RelativeMode,
    /// Bank (X) and dword address in it (Y).
    pub(in crate::r700) select: [u8; 2],
    pub(in crate::r700) offset: u32,
    pub(in crate::r700) gpr: u8,
    pub(in crate::r700) mode: RelativeMode,
    pub(in crate::r700) write: [bool; 4],
    pub(in crate::r700) broadcast: bool,
    pub(in crate::r700) multiplexer: Multiplexer,
    pub(in crate::r700) burst: u32,
}

/// What a texture instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum TextureOperation {
    /// LD.
    Load,
    /// GET_TEXTURE_RESINFO.
    Sizes,
    /// GET_NUMBER_OF_SAMPLES.
    Samples,
    /// GET_COMP_TEX_LOD.
    Detail,
    /// GET_GRADIENTS_H (0) and GET_GRADIENTS_V (1).
    Slopes(usize),
    /// GET_LERP.
    Weights,
    /// KEEP_GRADIENTS.
    Keep,
    /// SET_GRADIENTS_H (0) and SET_GRADIENTS_V (1).
    SetSlopes(usize),
    /// SET_CUBEMAP_INDEX.
    SetCube,
    /// FETCH4.
    FourTexels,
    /// SAMPLE in all its forms.
    Sample(SampleForm),
}

/// A form of SAMPLE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) struct SampleForm {
    /// C.
    pub(in crate::r700) compare: bool,
    /// G.
    pub(in crate::r700) given_slopes: bool,
    pub(in crate::r700) detail: SampleDetail,
}

/// Where a level of detail comes from, in the order of the two low bits of TEX_INST.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum SampleDetail {
    Slopes,
    /// L.
    Given,
    /// LB.
    Biased,
    /// LZ.
    Zero,
}

/// A texture instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) struct TextureFetch {
    pub(in crate::r700) operation: TextureOperation,
    /// BC_FRAC_MODE.
    pub(in crate::r700) border_fraction: bool,
    /// FETCH_WHOLE_QUAD.
    pub(in crate::r700) whole_quad: bool,
    pub(in crate::r700) resource: u8,
    /// Resources of the alternate program type.
    pub(in crate::r700) alternate: bool,
    pub(in crate::r700) source: u8,
    pub(in crate::r700) source_relative: bool,
    pub(in crate::r700) source_select: [u8; 4],
    pub(in crate::r700) gpr: u8,
    pub(in crate::r700) relative: bool,
    pub(in crate::r700) select: [u8; 4],
    /// In halves of texels.
    pub(in crate::r700) offset: [i32; 3],
    /// SAMPLER_ID.
    pub(in crate::r700) sampler: u8,
    /// LOD_BIAS, in sixteenths.
    pub(in crate::r700) bias: i32,
    /// TEX_NORMALIZED of X, Y, Z.
    pub(in crate::r700) normalised: [bool; 3],
}

/// Decodes the instructions of a clause.
pub(in crate::r700) fn fetches(
    program: &[u32],
    clause: &FetchClause,
) -> Result<Vec<Fetch>, DecodeError> {
    (0..clause.count)
        .map(|number| {
            let address = clause.address.saturating_add(2 * number);
            let (word0, word1) = words(program, address)?;
            let (word2, word3) = words(program, address.saturating_add(1))?;
            Instruction { address, words: [word0, word1, word2, word3] }.decode(clause.texture)
        })
        .collect()
}

/// Four dwords and where they stand.
struct Instruction {
    address: u32,
    words: [u32; 4],
}

impl Instruction {
    fn decode(&self, texture: bool) -> Result<Fetch, DecodeError> {
        match bits(self.words[0], 4, 0) {
            code::FETCH | code::SEMANTIC => self.vertex(),
            code::MEM => match bits(self.words[0], 10, 8) {
                memory::RD_SCRATCH => self.memory_read(MemoryReadBuffer::Scratch),
                memory::RD_REDUC => self.memory_read(MemoryReadBuffer::Reduction),
                memory::RD_SCATTER => self.memory_read(MemoryReadBuffer::Scatter),
                memory::LOCAL_DS_WRITE => self.local_write(),
                memory::LOCAL_DS_READ => self.local_read(),
                code => self.refuse("MEM_OP", code),
            },
            code if !texture => self.refuse("VTX_INST", code),
            code::RESERVED => self.refuse("TEX_INST", code::RESERVED),
            _ => self.texture(),
        }
    }

    fn refuse<T>(&self, field: &str, value: u32) -> Result<T, DecodeError> {
        Err(reserved(self.address, field, value))
    }

    /// Selects of three bits from `low` on in a dword; 6 has no meaning.
    fn selects<const N: usize>(
        &self,
        field: &str,
        word: usize,
        low: u32,
    ) -> Result<[u8; N], DecodeError> {
        let mut selects = [0; N];
        for (select, low) in selects.iter_mut().zip((low..).step_by(3)) {
            *select = bits(self.words[word], low + 2, low) as u8;
            if *select == 6 {
                return self.refuse(field, 6);
            }
        }
        Ok(selects)
    }

    /// The format fields, which stand in the same places in vertex fetches and memory reads.
    fn format(&self) -> Result<FormatFields, DecodeError> {
        let [_, word1, word2, _] = self.words;
        let format = FormatFields {
            data_format: bits(word1, 27, 22),
            num_format: bits(word1, 29, 28),
            signed: bits(word1, 30, 30) == 1,
            no_zero: bits(word1, 31, 31) == 1,
            endian_swap: bits(word2, 17, 16),
        };
        match format {
            FormatFields { num_format: 3, .. } => self.refuse("NUM_FORMAT_ALL", 3),
            FormatFields { endian_swap: 3, .. } => self.refuse("ENDIAN_SWAP", 3),
            format => Ok(format),
        }
    }

    fn vertex(&self) -> Result<Fetch, DecodeError> {
        let [word0, word1, word2, _] = self.words;
        let fetch_type = bits(word0, 6, 5) as u8;
        if fetch_type == 3 {
            return self.refuse("FETCH_TYPE", 3);
        }
        Ok(Fetch::Vertex(VertexFetch {
            buffer: bits(word0, 15, 8) as u8,
            whole_quad: bits(word0, 7, 7) == 1,
            fetch_type,
            source: bits(word0, 22, 16) as u8,
            source_relative: bits(word0, 23, 23) == 1,
            source_element: bits(word0, 25, 24) as u8,
            target: if bits(word0, 4, 0) == code::SEMANTIC {
                VertexTarget::Semantic(bits(word1, 7, 0) as u8)
            } else {
                VertexTarget::Gpr {
                    number: bits(word1, 6, 0) as u8,
                    relative: bits(word1, 7, 7) == 1,
                }
            },
            select: self.selects("DST_SEL", 1, 9)?,
            format: if bits(word1, 21, 21) == 1 { None } else { Some(self.format()?) },
            offset: bits(word2, 15, 0),
            no_stride: bits(word2, 18, 18) == 1,
            alternate: bits(word2, 20, 20) == 1,
        }))
    }

    fn memory_read(&self, buffer: MemoryReadBuffer) -> Result<Fetch, DecodeError> {
        let [word0, word1, word2, _] = self.words;
        let element_size = bits(word0, 6, 5) + 1;
        if element_size == 3 {
            return self.refuse("ELEM_SIZE", 2);
        }
        Ok(Fetch::Memory(MemoryRead {
            buffer,
            whole_quad: bits(word0, 7, 7) == 1,
            element_size,
            indexed: bits(word0, 12, 12) == 1,
            source: bits(word0, 22, 16) as u8,
            source_relative: bits(word0, 23, 23) == 1,
            source_element: bits(word0, 25, 24) as u8,
            burst: bits(word0, 29, 26) + 1,
            gpr: bits(word1, 6, 0) as u8,
            relative: bits(word1, 7, 7) == 1,
            select: self.selects("DST_SEL", 1, 9)?,
            format: self.format()?,
            array_base: bits(word2, 12, 0),
            array_size: bits(word2, 31, 20) + 1,
        }))
    }

    fn relative_mode(&self, field: &str, mode: u32) -> Result<RelativeMode, DecodeError> {
        match mode {
            0 => Ok(RelativeMode::None),
            1 => Ok(RelativeMode::Loop),
            2 => Ok(RelativeMode::Global),
            mode => self.refuse(field, mode),
        }
    }

    fn local_write(&self) -> Result<Fetch, DecodeError> {
        let [word0, word1, word2, _] = self.words;
        Ok(Fetch::LocalWrite(LocalWrite {
            source: bits(word0, 17, 11) as u8,
            source_mode: self.relative_mode("SRC_REL_MODE", bits(word0, 19, 18))?,
            select: self.selects("SRC_SEL", 0, 20)?,
            index: bits(word1, 7, 0),
            stride: bits(word1, 24, 16),
            group_relative: bits(word1, 31, 31) == 1,
            burst: bits(word2, 3, 0) + 1,
        }))
    }

    fn local_read(&self) -> Result<Fetch, DecodeError> {
        let [word0, word1, word2, _] = self.words;
        let select: [u8; 2] = self.selects("SRC_SEL", 0, 20)?;
        if select.contains(&7) {
            return self.refuse("SRC_SEL", 7);
        }
        Ok(Fetch::LocalRead(LocalRead {
            source: bits(word0, 17, 11) as u8,
            source_mode: self.relative_mode("SRC_REL_MODE", bits(word0, 19, 18))?,
            select,
            offset: bits(word0, 31, 26),
            gpr: bits(word1, 6, 0) as u8,
            mode: self.relative_mode("DST_REL_MODE", bits(word1, 8, 7))?,
            write: [9, 10, 11, 12].map(|bit| bits(word1, bit, bit) == 1),
            broadcast: bits(word1, 16, 16) == 1,
            multiplexer: match bits(word1, 22, 20) {
                0 => Multiplexer::Entry,
                1 => Multiplexer::Butterfly,
                2 => Multiplexer::Word,
                mux => return self.refuse("MUX_CNTL", mux),
            },
            burst: bits(word2, 3, 0) + 1,
        }))
    }

    fn texture(&self) -> Result<Fetch, DecodeError> {
        let [word0, word1, word2, _] = self.words;
        let select = self.selects("DST_SEL", 1, 9)?;
        let source_select: [u8; 4] = self.selects("SRC_SEL", 2, 20)?;
        let sampler = bits(word2, 19, 15);
        if sampler >= 18 {
            return self.refuse("SAMPLER_ID", sampler);
        }
        Ok(Fetch::Texture(TextureFetch {
            operation: texture_operation(bits(word0, 4, 0)),
            border_fraction: bits(word0, 5, 5) == 1,
            whole_quad: bits(word0, 7, 7) == 1,
            resource: bits(word0, 15, 8) as u8,
            alternate: bits(word0, 24, 24) == 1,
            source: bits(word0, 22, 16) as u8,
            source_relative: bits(word0, 23, 23) == 1,
            source_select,
            gpr: bits(word1, 6, 0) as u8,
            relative: bits(word1, 7, 7) == 1,
            select,
            offset: [0, 5, 10].map(|low| (bits(word2, low + 4, low) << 27).cast_signed() >> 27),
            sampler: sampler as u8,
            bias: (bits(word1, 27, 21) << 25).cast_signed() >> 25,
            normalised: [28, 29, 30].map(|bit| bits(word1, bit, bit) == 1),
        }))
    }
}

/// What a code of TEX_INST that is a texture instruction's does; those from 16 on are flags.
fn texture_operation(inst: u32) -> TextureOperation {
    match inst {
        code::LD => TextureOperation::Load,
        code::GET_TEXTURE_RESINFO => TextureOperation::Sizes,
        code::GET_NUMBER_OF_SAMPLES => TextureOperation::Samples,
        code::GET_COMP_TEX_LOD => TextureOperation::Detail,
        code::GET_GRADIENTS_H => TextureOperation::Slopes(0),
        code::GET_GRADIENTS_V => TextureOperation::Slopes(1),
        code::GET_LERP => TextureOperation::Weights,
        code::KEEP_GRADIENTS => TextureOperation::Keep,
        code::SET_GRADIENTS_H => TextureOperation::SetSlopes(0),
        code::SET_GRADIENTS_V => TextureOperation::SetSlopes(1),
        code::SET_CUBEMAP_INDEX => TextureOperation::SetCube,
        code::FETCH4 => TextureOperation::FourTexels,
        form => TextureOperation::Sample(SampleForm {
            compare: form & 8 != 0,
            given_slopes: form & 4 != 0,
            detail: [
                SampleDetail::Slopes,
                SampleDetail::Given,
                SampleDetail::Biased,
                SampleDetail::Zero,
            ][form as usize & 3],
        }),
    }
}
