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
#[error("{}", in_words(.0))]
pub(crate) struct DecodeError(#[from] Box<bincode::error::DecodeError>);

/// What is wrong with bytes. What bincode says itself is written for those who debug it.
fn in_words(error: &bincode::error::DecodeError) -> String {
    use bincode::error::DecodeError as Wrong;
    match error {
        Wrong::UnexpectedEnd { .. } => "it ends in the middle of a value".to_owned(),
        Wrong::LimitExceeded => "it announces more than a trace can hold".to_owned(),
        Wrong::UnexpectedVariant { type_name, found, .. } => {
            format!("it has the choice {found} where `{type_name}` has none of that number")
        }
        Wrong::Utf8 { .. } => "a text in it is not UTF-8".to_owned(),
        Wrong::OtherString(sentence) => sentence.clone(),
        Wrong::Other(sentence) => (*sentence).to_owned(),
        _ => "it has a number where that cannot be one".to_owned(),
    }
}

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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(decode::<String>(&[5, b'a']).map(drop), "it ends in the middle of a value")]
    #[case(decode::<String>(&[1, 0xFF]).map(drop), "a text in it is not UTF-8")]
    #[case(decode::<bool>(&[7]).map(drop), "it has a number where that cannot be one")]
    fn damage_is_said_in_words(#[case] read: Result<(), DecodeError>, #[case] words: &str) {
        assert_eq!(read.expect_err("damaged").to_string(), words);
    }
}
