//! Published decoders of compressed textures: `parallax bench` compares their speed with the executor's.
//!
//! ```
//! use parallax_peers::PEERS;
//!
//! // A block of BC1, four by four texels: white throughout.
//! let block = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0];
//! for peer in PEERS.iter().filter(|peer| peer.format == "BC1_UNORM") {
//!     let mut pixels = [0; 16];
//!     (peer.decode)(&block, 4, &mut pixels)?;
//!     assert_eq!(pixels, [0xFFFF_FFFF; 16], "{}", peer.name);
//! }
//! # Ok::<(), String>(())
//! ```

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
    use parallax_lockstep::random::SplitMix64;
    use rstest::rstest;

    use super::*;

    /// Texels in a row, and rows.
    const SIZE: usize = 64;

    /// Each decodes a whole surface, to what the executor makes of it to within two steps. Of BC5 two
    /// channels count: what stands in the others is a matter of taste.
    #[rstest]
    #[case("BC1_UNORM", 8, 3)]
    #[case("BC3_UNORM", 16, 4)]
    #[case("BC5_UNORM", 16, 2)]
    #[case("BC7_UNORM", 16, 4)]
    #[case("ETC2_RGB8", 8, 3)]
    #[case("ETC2_EAC_RGBA8", 16, 4)]
    fn peers_do_the_same_work(#[case] format: &str, #[case] block: usize, #[case] channels: usize) {
        let mut bytes = vec![0; SIZE * SIZE / 16 * block];
        SplitMix64::new(7).fill(&mut bytes);
        if matches!(format, "BC1_UNORM" | "BC3_UNORM") {
            for block in bytes.chunks_exact_mut(block) {
                // The first endpoint is the greater: on the other order of BC3 decoders differ.
                let colour = block.len() - 8;
                block[colour + 1] |= 0x80;
                block[colour + 3] &= 0x7F;
            }
        }
        let mut ours = vec![[0; 4]; SIZE * SIZE];
        let family = Family::named(format).expect("a compressed format");
        assert!(decode_picture(family, &bytes, SIZE, &mut ours));
        for peer in PEERS.iter().filter(|peer| peer.format == format) {
            let mut pixels = vec![0; SIZE * SIZE];
            let decoded = (peer.decode)(&bytes, SIZE, &mut pixels);
            decoded.unwrap_or_else(|error| panic!("{}: {error}", peer.name));
            for (n, (our, pixel)) in ours.iter().zip(&pixels).enumerate() {
                let mut their = pixel.to_ne_bytes();
                if peer.name == TEXTURE2DDECODER {
                    their.swap(0, 2);
                }
                let mut pairs = our.iter().zip(their).take(channels);
                let near = pairs.all(|(a, b)| a.abs_diff(b) <= 2);
                assert!(near, "{} texel {n}: {our:?} {their:?}", peer.name);
            }
        }
    }
}
