//! Rows converted by code compiled for AVX2, where the processor has it.
//!
//! The code is the same as elsewhere, loops over arrays, and so are its results: nothing here
//! computes anything of its own.
#![allow(unsafe_code)]

use super::{decode::Decoder, encode::Encoder};

/// [`Decoder::rows_of`].
pub(super) fn decode<const BYTES: usize>(decoder: &Decoder, bytes: &[u8], texels: &mut [[u32; 4]]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions that the function is compiled for.
        return unsafe { decode_avx2::<BYTES>(decoder, bytes, texels) };
    }
    decoder.rows_of::<BYTES>(bytes, texels);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn decode_avx2<const BYTES: usize>(decoder: &Decoder, bytes: &[u8], texels: &mut [[u32; 4]]) {
    decoder.rows_of::<BYTES>(bytes, texels);
}

/// [`Encoder::rows_of`].
pub(super) fn encode(encoder: &Encoder, texels: &[[u32; 4]], bytes: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions that the function is compiled for.
        return unsafe { encode_avx2(encoder, texels, bytes) };
    }
    encoder.rows_of(texels, bytes);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn encode_avx2(encoder: &Encoder, texels: &[[u32; 4]], bytes: &mut [u8]) {
    encoder.rows_of(texels, bytes);
}
