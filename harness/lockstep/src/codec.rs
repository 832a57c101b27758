//! The only place that knows how values become bytes in trace files: bincode 2.0.1 with fixed
//! settings, compressed with zlib.

use std::io::{self, Read, Write};

use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use serde::{Serialize, de::DeserializeOwned};

/// Most bytes of a trace before compression. Decoding allocates no more than a small multiple.
pub(crate) const LARGEST_CONTENT: usize = 64 << 20;

const SETTINGS: bincode::config::Configuration<
    bincode::config::LittleEndian,
    bincode::config::Varint,
    bincode::config::Limit<LARGEST_CONTENT>,
> = bincode::config::standard().with_limit::<LARGEST_CONTENT>();

/// A value that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct EncodeError(#[from] Box<bincode::error::EncodeError>);

/// Bytes that are no value of the wanted type.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct DecodeError(#[from] Box<bincode::error::DecodeError>);

/// The bytes of a value.
pub(crate) fn encode(value: &impl Serialize) -> Result<Vec<u8>, EncodeError> {
    bincode::serde::encode_to_vec(value, SETTINGS).map_err(|error| Box::new(error).into())
}

/// The value at the start of some bytes, and how many of them it takes.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, usize), DecodeError> {
    bincode::serde::decode_from_slice(bytes, SETTINGS).map_err(|error| Box::new(error).into())
}

/// Compresses.
pub(crate) fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Decompresses what should come to `length` bytes; reads and allocates at most one more.
pub(crate) fn decompress(bytes: &[u8], length: usize) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    ZlibDecoder::new(bytes).take(length as u64 + 1).read_to_end(&mut content)?;
    if content.len() == length {
        Ok(content)
    } else {
        let message = format!("{} bytes where {length} were announced", content.len());
        Err(io::Error::new(io::ErrorKind::InvalidData, message))
    }
}
