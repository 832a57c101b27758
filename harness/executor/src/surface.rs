//! Surface formats and pixel operations, fast: rows of texels decoded and encoded by code made for
//! their format.
//!
//! A [`Decoder`] or an [`Encoder`] is made once for a format and then works on whole rows.
//! The [`Executor`] does a case's operations one by one with the same code.

pub mod blocks;
pub mod channels;
pub mod compression;
mod decode;
mod element;
mod encode;
mod encodings;
mod engine;
mod fetch;
mod layout;
mod numbers;
pub mod pixels;

pub use decode::{Decoder, Refused, View};
pub(crate) use element::copy_element;
pub use encode::Encoder;
pub use encodings::name as format_name;
pub use engine::Executor;
pub(crate) use numbers::{read::from_half, srgb::light, write::half};
