//! Surfaces of 1024x1024 texels decoded: by the executor, by the reference's generic decoder, and by
//! peers; copying the output's bytes is the native work.

use std::hint::black_box;

use parallax_executor::surface::{
    Decoder, View,
    blocks::{Family, decode_picture},
};
use parallax_isa::{
    Device,
    surface::{Format, named},
};
use parallax_reference::surface as model;

use super::{KernelResult, Peer, time};
use crate::random::SplitMix64;

/// Texels in a row, and rows.
const SIZE: usize = 1024;

/// Texels the reference decodes; its time is scaled up to the whole surface.
const SAMPLE: usize = 4096;

/// Plain formats, decoded to four floats a texel.
const PLAIN: [&str; 10] = [
    "R8G8B8A8_UNORM",
    "B8G8R8A8_UNORM",
    "R8G8B8A8_UNORM_SRGB",
    "R8_UNORM",
    "B5G6R5_UNORM",
    "R10G10B10A2_UNORM",
    "R11G11B10_FLOAT",
    "R9G9B9E5_SHAREDEXP",
    "R16G16B16A16_FLOAT",
    "R16G16B16A16_SNORM",
];

/// Compressed formats, decoded to bytes as published decoders do.
const COMPRESSED: [&str; 6] =
    ["BC1_UNORM", "BC3_UNORM", "BC5_UNORM", "BC7_UNORM", "ETC2_RGB8", "ETC2_EAC_RGBA8"];

/// The names of the kernels.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PLAIN.into_iter().chain(COMPRESSED)
}

/// Measures the kernels whose suite or name contains `filter`.
pub(super) fn run(filter: Option<&str>, peers: &[Peer]) -> Vec<KernelResult> {
    let wanted = |name: &str| {
        filter.is_none_or(|word| {
            "formats".contains(word) || name.contains(word) || name.to_lowercase().contains(word)
        })
    };
    let plain = PLAIN.into_iter().filter(|name| wanted(name)).map(plain);
    let compressed = COMPRESSED.into_iter().filter(|name| wanted(name));
    plain.chain(compressed.map(|name| self::compressed(name, peers))).collect()
}

/// A format with a surface of random bytes.
fn surface(name: &str) -> (Device, &'static Format, Vec<u8>) {
    let (device, format) = named(None, name).expect("a format of the list");
    let blocks = SIZE * SIZE / format.block.texels();
    let mut bytes = vec![0; blocks * usize::from(format.block.bytes)];
    SplitMix64::new(4).fill(&mut bytes);
    (device, format, bytes)
}

/// Nanoseconds the reference takes for the whole surface.
fn reference(format: &Format, bytes: &[u8]) -> f64 {
    let view = model::View { linearise: true, ..model::View::default() };
    let blocks = SAMPLE / format.block.texels();
    let sample = || bytes.chunks_exact(format.block.bytes.into()).take(blocks);
    let taken = time(1, || {
        for block in sample() {
            let _ = black_box(model::decode(format, black_box(block), &view));
        }
    });
    taken * (SIZE * SIZE / SAMPLE) as f64
}

fn result(device: Device, name: &str, reference: f64, executor: f64, native: f64) -> KernelResult {
    KernelResult {
        suite: "formats".to_owned(),
        name: name.to_owned(),
        device,
        instructions: (SIZE * SIZE) as u64,
        reference_ns: reference,
        executor_ns: executor,
        native_ns: native,
        peer: None,
    }
}

fn plain(name: &str) -> KernelResult {
    let (device, format, bytes) = surface(name);
    let decoder = Decoder::new(device, name, &View::default()).expect("a plain format");
    let mut texels = vec![[0; 4]; SIZE * SIZE];
    let executor = time(1, || {
        let _ = black_box(decoder.rows(black_box(&bytes), black_box(&mut texels)));
    });
    let source = texels.clone();
    let native = time(1, || black_box(&mut texels).copy_from_slice(black_box(&source)));
    result(device, name, reference(format, &bytes), executor, native)
}

fn compressed(name: &str, peers: &[Peer]) -> KernelResult {
    let (device, format, bytes) = surface(name);
    let family = Family::named(name).expect("a compressed format");
    let mut texels = vec![[0; 4]; SIZE * SIZE];
    let executor = time(1, || {
        let _ = black_box(decode_picture(family, black_box(&bytes), SIZE, black_box(&mut texels)));
    });
    let source = texels.clone();
    let native = time(1, || black_box(&mut texels).copy_from_slice(black_box(&source)));
    let peer = fastest(peers.iter().filter(|peer| peer.format == name), &bytes);
    KernelResult { peer, ..result(device, name, reference(format, &bytes), executor, native) }
}

/// The peer that decodes a surface fastest, and its nanoseconds. One that refuses it is none.
fn fastest<'p>(peers: impl Iterator<Item = &'p Peer>, bytes: &[u8]) -> Option<(String, f64)> {
    let mut pixels = vec![0; SIZE * SIZE];
    let able: Vec<_> =
        peers.filter(|peer| (peer.decode)(bytes, SIZE, &mut pixels).is_ok()).collect();
    let times = able.into_iter().map(|peer| {
        let taken = time(1, || {
            let _ = black_box((peer.decode)(black_box(bytes), SIZE, black_box(&mut pixels)));
        });
        (peer.name.to_owned(), taken)
    });
    times.min_by(|(_, a), (_, b)| a.total_cmp(b))
}
