//! Surface formats and pixel operations, fast: rows of texels decoded and encoded by code made for
//! their format.
//!
//! A [`Decoder`] or an [`Encoder`] is made once for a format and then works on whole rows.
//! The [`Executor`] does a case's operations one by one with the same code.

pub mod blocks;
pub mod channels;
pub mod compression;
mod decode;
mod encode;
mod encodings;
mod engine;
mod fetch;
mod layout;
mod numbers;
pub mod pixels;

pub use decode::{Decoder, Refused, View};
pub use encode::Encoder;
pub use encodings::name as format_name;
pub use engine::Executor;
use parallax_isa::Device;

/// Whether blocks of a format are decoded here, by the manual's name for it.
#[must_use]
pub fn decodes(device: Device, name: &str) -> bool {
    let view = View::default();
    match blocks::sampled::family(name, &view) {
        Some(family) => blocks::sampled::is_known(family),
        None => Decoder::new(device, name, &View { palettes: [&[0; 256]; 2], ..view }).is_ok(),
    }
}
