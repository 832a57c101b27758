//! Surfaces of 1024x1024 texels decoded: by the executor, by the reference's generic decoder, and by
//! the published decoders; copying the output's bytes is the native work.

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

use super::{KernelResult, time};
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

/// Decodes a block to bytes of red, green, blue and alpha, rows this many bytes apart.
type Rgba = fn(&[u8], &mut [u8], usize);

/// Decodes a surface of a width and height to pixels.
type Pixels = fn(&[u8], usize, usize, &mut [u32]) -> Result<(), &'static str>;

/// A compressed format, decoded to bytes as the published decoders do, and those decoders.
#[derive(Clone, Copy)]
struct Blocks {
    name: &'static str,
    texture2ddecoder: Pixels,
    bcdec_rs: Option<Rgba>,
    dds: Option<dds::Format>,
}

impl Blocks {
    const ALL: [Self; 6] = [
        Self {
            name: "BC1_UNORM",
            texture2ddecoder: texture2ddecoder::decode_bc1,
            bcdec_rs: Some(bcdec_rs::bc1),
            dds: Some(dds::Format::BC1_UNORM),
        },
        Self {
            name: "BC3_UNORM",
            texture2ddecoder: texture2ddecoder::decode_bc3,
            bcdec_rs: Some(bcdec_rs::bc3),
            dds: Some(dds::Format::BC3_UNORM),
        },
        Self {
            name: "BC5_UNORM",
            texture2ddecoder: texture2ddecoder::decode_bc5,
            bcdec_rs: None,
            dds: Some(dds::Format::BC5_UNORM),
        },
        Self {
            name: "BC7_UNORM",
            texture2ddecoder: texture2ddecoder::decode_bc7,
            bcdec_rs: Some(bcdec_rs::bc7),
            dds: Some(dds::Format::BC7_UNORM),
        },
        Self {
            name: "ETC2_RGB8",
            texture2ddecoder: texture2ddecoder::decode_etc2_rgb,
            bcdec_rs: None,
            dds: None,
        },
        Self {
            name: "ETC2_EAC_RGBA8",
            texture2ddecoder: texture2ddecoder::decode_etc2_rgba8,
            bcdec_rs: None,
            dds: None,
        },
    ];
}

/// The names of the kernels.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PLAIN.into_iter().chain(Blocks::ALL.into_iter().map(|blocks| blocks.name))
}

/// Measures the kernels whose suite or name contains `filter`.
pub(super) fn run(filter: Option<&str>) -> Vec<KernelResult> {
    let wanted = |name: &str| {
        filter.is_none_or(|word| {
            "formats".contains(word) || name.contains(word) || name.to_lowercase().contains(word)
        })
    };
    let plain = PLAIN.into_iter().filter(|name| wanted(name)).map(plain);
    let blocks = Blocks::ALL.into_iter().filter(|blocks| wanted(blocks.name));
    plain.chain(blocks.map(compressed)).collect()
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

fn compressed(blocks: Blocks) -> KernelResult {
    let name = blocks.name;
    let (device, format, bytes) = surface(name);
    let family = Family::named(name).expect("a compressed format");
    let mut texels = vec![[0; 4]; SIZE * SIZE];
    let executor = time(1, || {
        let _ = black_box(decode_picture(family, black_box(&bytes), SIZE, black_box(&mut texels)));
    });
    let mut image = vec![0; SIZE * SIZE];
    let whole = time(1, || {
        let _ = black_box((blocks.texture2ddecoder)(
            black_box(&bytes),
            SIZE,
            SIZE,
            black_box(&mut image),
        ));
    });
    let mut peers = vec![("texture2ddecoder".to_owned(), whole)];
    if let Some(decode) = blocks.bcdec_rs {
        let rows = texels.as_flattened_mut();
        let taken = time(1, || {
            let blocks = bytes.chunks_exact(format.block.bytes.into());
            for (n, block) in blocks.enumerate() {
                let start = 4 * (n / (SIZE / 4) * 4 * SIZE + n % (SIZE / 4) * 4);
                decode(black_box(block), &mut rows[start..], 4 * SIZE);
            }
        });
        peers.push(("bcdec_rs".to_owned(), taken));
    }
    if let Some(format) = blocks.dds {
        let rows = texels.as_flattened_mut();
        let size = dds::Size::new(SIZE as u32, SIZE as u32);
        let taken = time(1, || {
            let image = dds::ImageViewMut::new(black_box(rows), size, dds::ColorFormat::RGBA_U8);
            let image = image.expect("a picture of the size");
            let options = dds::DecodeOptions::default();
            let _ = black_box(dds::decode(&mut black_box(&*bytes), image, format, &options));
        });
        peers.push(("dds".to_owned(), taken));
    }
    let source = texels.clone();
    let native = time(1, || black_box(&mut texels).copy_from_slice(black_box(&source)));
    let peer = peers.into_iter().min_by(|(_, a), (_, b)| a.total_cmp(b));
    KernelResult { peer, ..result(device, name, reference(format, &bytes), executor, native) }
}
