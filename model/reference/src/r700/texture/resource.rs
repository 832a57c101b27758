//! What the fields of a texture instruction select: a resource, a sampler, offsets.

use parallax_isa::r700::{
    case::Constants, microcode::TextureFetch, sampler::Sampler, texture::Texture,
};

use super::super::wavefront::{Executed, Wavefront, refuse};

/// A signed number of some bits.
const fn signed(field: u32, bits: u32) -> i64 {
    let shift = 32 - bits;
    ((field << shift).cast_signed() >> shift) as i64
}

/// The offsets of an instruction: halves of texels.
pub(super) fn offsets(word: TextureFetch) -> [i64; 3] {
    [word.offset_x(), word.offset_y(), word.offset_z()].map(|field| signed(field, 5))
}

/// The bias of an instruction: sixteenths.
pub(super) fn bias(word: TextureFetch) -> i64 {
    signed(word.lod_bias(), 7)
}

impl Wavefront {
    fn texture_constants(&self, word: TextureFetch) -> &Constants {
        if word.alt_const() == 1 { &self.case.alternate_constants } else { &self.case.constants }
    }

    /// The texture of an instruction.
    pub(super) fn texture(&self, word: TextureFetch) -> Executed<&Texture> {
        match self.texture_constants(word).textures.get(word.resource_id() as usize) {
            Some(texture) => Ok(texture),
            None => refuse(format!("texture {} is not provided", word.resource_id())),
        }
    }

    /// The sampler of an instruction.
    pub(super) fn sampler(&self, word: TextureFetch) -> Executed<&Sampler> {
        match self.texture_constants(word).samplers.get(word.sampler_id() as usize) {
            Some(sampler) => Ok(sampler),
            None => refuse(format!("sampler {} is not provided", word.sampler_id())),
        }
    }
}
