//! Published decoders of compressed textures, which `parallax bench` measures the executor beside.

use parallax_lockstep::bench::Peer;

const BCDEC_RS: &str = "bcdec_rs";
const DDS: &str = "dds";
const TEXTURE2DDECODER: &str = "texture2ddecoder";

/// Every decoder of every format that the benchmark decodes.
pub static PEERS: [Peer; 13] = [
    peer(TEXTURE2DDECODER, "BC1_UNORM", |bytes, size, pixels| {
        message(texture2ddecoder::decode_bc1(bytes, size, size, pixels))
    }),
    peer(TEXTURE2DDECODER, "BC3_UNORM", |bytes, size, pixels| {
        message(texture2ddecoder::decode_bc3(bytes, size, size, pixels))
    }),
    peer(TEXTURE2DDECODER, "BC5_UNORM", |bytes, size, pixels| {
        message(texture2ddecoder::decode_bc5(bytes, size, size, pixels))
    }),
    peer(TEXTURE2DDECODER, "BC7_UNORM", |bytes, size, pixels| {
        message(texture2ddecoder::decode_bc7(bytes, size, size, pixels))
    }),
    peer(TEXTURE2DDECODER, "ETC2_RGB8", |bytes, size, pixels| {
        message(texture2ddecoder::decode_etc2_rgb(bytes, size, size, pixels))
    }),
    peer(TEXTURE2DDECODER, "ETC2_EAC_RGBA8", |bytes, size, pixels| {
        message(texture2ddecoder::decode_etc2_rgba8(bytes, size, size, pixels))
    }),
    peer(BCDEC_RS, "BC1_UNORM", |bytes, size, pixels| {
        blocks::<8>(bcdec_rs::bc1, bytes, size, pixels)
    }),
    peer(BCDEC_RS, "BC3_UNORM", |bytes, size, pixels| {
        blocks::<16>(bcdec_rs::bc3, bytes, size, pixels)
    }),
    peer(BCDEC_RS, "BC7_UNORM", |bytes, size, pixels| {
        blocks::<16>(bcdec_rs::bc7, bytes, size, pixels)
    }),
    peer(DDS, "BC1_UNORM", |bytes, size, pixels| {
        surface(dds::Format::BC1_UNORM, bytes, size, pixels)
    }),
    peer(DDS, "BC3_UNORM", |bytes, size, pixels| {
        surface(dds::Format::BC3_UNORM, bytes, size, pixels)
    }),
    peer(DDS, "BC5_UNORM", |bytes, size, pixels| {
        surface(dds::Format::BC5_UNORM, bytes, size, pixels)
    }),
    peer(DDS, "BC7_UNORM", |bytes, size, pixels| {
        surface(dds::Format::BC7_UNORM, bytes, size, pixels)
    }),
];

/// Decodes a square surface of a size to pixels.
type Decode = fn(&[u8], usize, &mut [u32]) -> Result<(), String>;

const fn peer(name: &'static str, format: &'static str, decode: Decode) -> Peer {
    Peer { name, format, decode }
}

fn message(decoded: Result<(), &'static str>) -> Result<(), String> {
    decoded.map_err(str::to_owned)
}

/// Decodes block by block with a function that takes the distance of rows in bytes.
fn blocks<const BYTES: usize>(
    decode: fn(&[u8], &mut [u8], usize),
    bytes: &[u8],
    size: usize,
    pixels: &mut [u32],
) -> Result<(), String> {
    let (across, row) = (size / 4, 4 * size);
    let picture: &mut [u8] = bytemuck::cast_slice_mut(pixels);
    for (n, block) in bytes.chunks_exact(BYTES).enumerate() {
        decode(block, &mut picture[n / across * 4 * row + n % across * 16..], row);
    }
    Ok(())
}

fn surface(
    format: dds::Format,
    bytes: &[u8],
    size: usize,
    pixels: &mut [u32],
) -> Result<(), String> {
    let picture: &mut [u8] = bytemuck::cast_slice_mut(pixels);
    let size = dds::Size::new(size as u32, size as u32);
    let image = dds::ImageViewMut::new(picture, size, dds::ColorFormat::RGBA_U8);
    let image = image.ok_or("the picture is not of the size")?;
    let options = dds::DecodeOptions::default();
    dds::decode(&mut { bytes }, image, format, &options).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use parallax_executor::surface::blocks::{Family, decode_picture};

    use super::*;

    /// Each decodes a whole surface, and what the executor decodes: red or blue first, to a step or
    /// two.
    #[test]
    fn peers_do_the_same_work() {
        const SIZE: usize = 32;
        for Peer { name, format, decode } in &PEERS {
            let family = Family::named(format).expect("a compressed format");
            let length = if matches!(*format, "BC1_UNORM" | "ETC2_RGB8") { 8 } else { 16 };
            // Endpoints in falling order: in the other one, decoders make BC1 and BC3 differ.
            let block =
                |n: usize| (0..length).map(move |at| (0xF1 - 13 * at + 31 * n * (at / 4)) as u8);
            let bytes: Vec<u8> = (0..SIZE * SIZE / 16).flat_map(block).collect();
            let mut ours = vec![[0; 4]; SIZE * SIZE];
            assert!(decode_picture(family, &bytes, SIZE, &mut ours));
            let mut pixels = vec![0; SIZE * SIZE];
            decode(&bytes, SIZE, &mut pixels).unwrap_or_else(|error| panic!("{name}: {error}"));
            let channels = match (*name, *format) {
                // Two channels: what stands in the third is a matter of taste.
                (TEXTURE2DDECODER, "BC5_UNORM") => [2, 1, 1],
                (_, "BC5_UNORM") => [0, 1, 1],
                (TEXTURE2DDECODER, _) => [2, 1, 0],
                _ => [0, 1, 2],
            };
            for (n, (our, their)) in ours.iter().zip(&pixels).enumerate() {
                let their = their.to_ne_bytes();
                for (channel, place) in channels.into_iter().enumerate() {
                    let our = our[if channel == 2 && *format == "BC5_UNORM" { 1 } else { channel }];
                    let near = our.abs_diff(their[place]) <= 2;
                    assert!(near, "{name} {format} texel {n}: {our} and {}", their[place]);
                }
            }
        }
    }
}
