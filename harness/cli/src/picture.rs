//! Pictures as files.

use std::{collections::BTreeMap, path::Path};

/// A kind of picture file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Png,
    Ppm,
}

impl Kind {
    /// The kind that the ending of a file's name says.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "png" => Some(Self::Png),
            "ppm" => Some(Self::Ppm),
            _ => None,
        }
    }

    /// A picture, row by row from the top, as the bytes of such a file.
    pub(crate) fn file(self, width: u32, pixels: &[[u8; 3]]) -> Vec<u8> {
        match self {
            Self::Png => png(width, pixels),
            Self::Ppm => ppm(width, pixels),
        }
    }
}

/// Colours that a PNG file may list, so that a pixel is one byte.
const LISTED: usize = 256;

/// A picture as the bytes of a PNG file, with a list of its colours where there are few.
pub(crate) fn png(width: u32, pixels: &[[u8; 3]]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, pixels.len() as u32 / width);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let bytes = match listed(pixels) {
        Some((colours, numbers)) => {
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_palette(colours);
            numbers
        }
        None => {
            encoder.set_color(png::ColorType::Rgb);
            pixels.as_flattened().to_vec()
        }
    };
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&bytes));
    written.expect("a picture of the size announced, in memory");
    file
}

/// The colours of a picture and the number of each pixel's, if they are few.
fn listed(pixels: &[[u8; 3]]) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut numbers = BTreeMap::new();
    for pixel in pixels {
        numbers.insert(*pixel, 0);
        if numbers.len() > LISTED {
            return None;
        }
    }
    (0..).zip(numbers.values_mut()).for_each(|(n, number)| *number = n as u8);
    let colours = numbers.keys().flatten().copied().collect();
    Some((colours, pixels.iter().map(|pixel| numbers[pixel]).collect()))
}

/// A picture as the bytes of a PPM file (P6).
fn ppm(width: u32, pixels: &[[u8; 3]]) -> Vec<u8> {
    let height = pixels.len() as u32 / width;
    let mut file = format!("P6\n{width} {height}\n255\n").into_bytes();
    file.extend(pixels.as_flattened());
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a PNG file as colours.
    fn read(file: &[u8]) -> (u32, Vec<u8>) {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().expect("a PNG file");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a small picture")];
        let info = reader.next_frame(&mut pixels).expect("a picture");
        pixels.truncate(info.buffer_size());
        (info.width, pixels)
    }

    #[test]
    fn pictures_are_read_as_they_were_written() {
        for colours in [2, LISTED, LISTED + 1, 512] {
            let pixels: Vec<_> =
                (0..512).map(|n| n % colours).map(|n| [n as u8, (n >> 8) as u8, 7]).collect();
            let (width, read) = read(&png(32, &pixels));
            assert_eq!((width, read.as_slice()), (32, pixels.as_flattened()), "{colours} colours");
        }
    }

    #[test]
    fn colours_are_listed_where_there_are_few() {
        let pixels: Vec<_> = (0..4096).map(|n| [n as u8; 3]).collect();
        assert!(listed(&pixels).is_some_and(|(colours, _)| colours.len() == 3 * LISTED));
        assert!(listed(&[pixels, vec![[1, 2, 3]]].concat()).is_none());
    }

    #[test]
    fn a_ppm_file_is_a_heading_and_bytes() {
        assert_eq!(
            Kind::Ppm.file(1, &[[1, 2, 3], [4, 5, 6]]),
            b"P6\n1 2\n255\n\x01\x02\x03\x04\x05\x06"
        );
        assert_eq!(Kind::of(Path::new("a.b/c.PNG")), Some(Kind::Png));
        assert_eq!([Kind::of(Path::new("png")), Kind::of(Path::new("a.gif"))], [None, None]);
    }
}
