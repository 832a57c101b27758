//! Every surface format decoding the same picture on both engines, so that a person sees a wrong
//! channel at once.
//!
//! The picture is encoded by the reference, that of formats it does not write in [`blocks`]. Below
//! the colours stands alpha, as grey.

mod blocks;

use std::sync::OnceLock;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use parallax_isa::{
    Device, Model, Step,
    surface::{
        BorderMode, Case, Codec, Component, Fetch, Format, Layout, Natural, Operation, State,
        Texel, Value, catalogue, layout::Name, layout::Numeric,
    },
};
use parallax_lockstep::surface::Surface;
use parallax_reference::surface::{encode, natural_types};
use serde::Serialize;

use super::Report;
use crate::picture;

/// Texels of the picture; whole blocks of every format.
const WIDTH: usize = 32;
const HEIGHT: usize = 16;

/// The formats of one family of devices.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Wall {
    device: &'static str,
    pictures: Vec<Picture>,
}

/// One format's pictures, as data URIs of PNG files, or as their numbers among [`distinct`] ones.
#[derive(Debug, Clone, Serialize)]
struct Picture {
    format: &'static str,
    kind: String,
    reference: String,
    executor: String,
    difference: String,
    /// Texels that differ in any bit.
    differing: usize,
    /// The campaign's findings about the format: their ids and kinds.
    findings: Vec<(String, String)>,
}

/// Texels of a picture, row by row; nothing for those an engine does not decode.
type Canvas = Vec<Option<Texel>>;

/// The walls of the families that a report's suite of formats ran on, with what the campaign found about
/// each format.
pub(super) fn of_report(report: &Report) -> Vec<Wall> {
    let drawn = report.suites.iter().filter(|suite| suite.name == "formats");
    let devices: Vec<&str> = drawn.map(|suite| suite.device.as_str()).collect();
    let mut walls = walls(&devices);
    for wall in &mut walls {
        for finding in &report.divergences {
            let is_shown = finding.shown.iter().any(|shown| family(&shown.device) == wall.device);
            if !is_shown && family(&finding.device) != wall.device {
                continue;
            }
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let words: Vec<&str> = finding.instruction.split(|c| !is_name(c)).collect();
            for picture in wall.pictures.iter_mut().filter(|it| words.contains(&it.format)) {
                picture.findings.push((finding.id.clone(), finding.kind.clone()));
            }
        }
    }
    walls
}

/// The pictures of walls, each once; the walls name them by their numbers then.
pub(super) fn distinct(walls: &mut [Wall]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for picture in walls.iter_mut().flat_map(|wall| &mut wall.pictures) {
        let mut shown = vec![&mut picture.reference];
        if picture.differing > 0 {
            shown.extend([&mut picture.executor, &mut picture.difference]);
        }
        for uri in shown {
            let place = all.iter().position(|known| known == uri).unwrap_or_else(|| {
                all.push(uri.clone());
                all.len() - 1
            });
            *uri = place.to_string();
        }
    }
    all
}

/// The device that stands for all with the same formats.
fn family(device: &str) -> &str {
    let is_eu = Device::GEN4.iter().any(|eu| eu.name() == device);
    if is_eu { Device::G45.name() } else { device }
}

/// The walls of the families that these devices belong to. Each is drawn once.
fn walls(devices: &[&str]) -> Vec<Wall> {
    static WALLS: [(Device, OnceLock<Wall>); 3] = [
        (Device::G45, OnceLock::new()),
        (Device::Dg1, OnceLock::new()),
        (Device::Rv770, OnceLock::new()),
    ];
    let families: Vec<&str> = devices.iter().map(|name| family(name)).collect();
    let wanted = WALLS.iter().filter(|(device, _)| families.contains(&device.name()));
    wanted.map(|(device, drawn)| drawn.get_or_init(|| wall(*device)).clone()).collect()
}

fn wall(device: Device) -> Wall {
    let formats = catalogue(device).iter().filter(|format| format.is_defined());
    Wall {
        device: device.name(),
        pictures: formats.map(|format| picture(device, format)).collect(),
    }
}

fn picture(device: Device, format: &'static Format) -> Picture {
    let case = Case { device, palettes: palettes(format), operations: operations(format) };
    let mut reference = parallax_reference::surface::Reference::new();
    let mut executor = parallax_executor::surface::Executor::new();
    let expected = canvas(&mut reference, format, &case);
    let actual = canvas(&mut executor, format, &case);
    let pairs = || expected.iter().zip(&actual);
    let ranges = ranges(format);
    let show = |canvas: &Canvas| {
        let shown: Vec<_> = canvas.iter().map(|texel| shown(&ranges, *texel)).collect();
        png(&shown)
    };
    let difference: Vec<[u8; 4]> = pairs()
        .map(|(expected, actual)| {
            let pair = [expected, actual].map(|texel| shown(&ranges, *texel));
            let same = expected == actual;
            // What differs at all is seen, however little it is.
            let channel = |c: usize| pair[0][c].abs_diff(pair[1][c]).max(if same { 0 } else { 96 });
            [channel(0), channel(1), channel(2), channel(3)]
        })
        .collect();
    Picture {
        format: format.name,
        kind: format.kind(),
        reference: show(&expected),
        executor: show(&actual),
        difference: png(&difference),
        differing: pairs().filter(|(expected, actual)| expected != actual).count(),
        findings: Vec::new(),
    }
}

/// Rainbows of as many entries as the format's indices choose from; the second goes backwards.
fn palettes(format: &Format) -> [Vec<u32>; 2] {
    let index = format.layout.components().find(|component| component.name == Name::P);
    let last = index.map_or(255, |component| (1 << component.bits) - 1);
    let entry = |n: u32| {
        let share = n * 255 / last;
        let blue = 255 - (2 * share).abs_diff(255);
        0xFF << 24 | share << 16 | (255 - share) << 8 | blue
    };
    [(0..=last).map(entry).collect(), (0..=last).rev().map(entry).collect()]
}

/// Decoding of each block of the picture.
fn operations(format: &Format) -> Vec<Operation> {
    let (width, height) = (usize::from(format.block.width), usize::from(format.block.height));
    let mut operations = Vec::new();
    for row in (0..HEIGHT).step_by(height) {
        for column in (0..WIDTH).step_by(width) {
            let texels = (0..width * height)
                .map(|n| test_picture(column + n % width, row + n / width))
                .collect::<Vec<_>>();
            let signed = ranges(format)[0].0 < 0.0;
            let bytes = encoded(format, &texels).or_else(|| blocks::block(format, &texels, signed));
            operations.push(Operation::Decode {
                format: format.code,
                bytes: bytes.unwrap_or_else(|| vec![0; format.block.bytes.into()]),
                border_mode: BorderMode::Dx10Ogl,
                linearise: true,
                fetch: Fetch::default(),
                select: None,
            });
        }
    }
    operations
}

/// A ramp above, eight bars of a test picture below, with alpha rising to the right there.
fn test_picture(x: usize, y: usize) -> [f64; 4] {
    let along = x as f64 / (WIDTH - 1) as f64;
    if y < HEIGHT / 2 {
        return [along, y as f64 / (HEIGHT / 2 - 1) as f64, 1.0 - along, 1.0];
    }
    let bar = 7 - x * 8 / WIDTH;
    let light = |bit: usize| (bar >> bit & 1) as f64 * if y < 3 * HEIGHT / 4 { 1.0 } else { 0.5 };
    [light(1), light(2), light(0), along]
}

/// Least and greatest value of a component.
fn range(component: Component) -> (f64, f64) {
    let greatest = |bits: u8| 2_f64.powi(bits.into()) - 1.0;
    match component.numeric {
        Numeric::Uint | Numeric::Uscaled | Numeric::Raw if component.bits < 64 => {
            (0.0, greatest(component.bits))
        }
        Numeric::Sint | Numeric::Sscaled => (0.0, greatest(component.bits - 1)),
        Numeric::Snorm => (-1.0, 1.0),
        _ => (0.0, 1.0),
    }
}

/// The range of each channel.
fn ranges(format: &Format) -> [(f64, f64); 4] {
    let mut ranges = [(0.0, 1.0); 4];
    if format.layout.components().any(|component| component.numeric == Numeric::Index) {
        return ranges;
    }
    for component in format.layout.components() {
        let channels = match component.name {
            Name::R | Name::Cr => 0..1,
            Name::G | Name::Y | Name::Y0 | Name::Y1 | Name::G0 | Name::G1 => 1..2,
            Name::B | Name::Cb => 2..3,
            Name::A => 3..4,
            Name::L => 0..3,
            Name::I | Name::T => 0..4,
            Name::P | Name::E | Name::X => continue,
        };
        ranges[channels].fill(range(component));
    }
    if let Layout::Compressed(codec) = format.layout
        && format.kind() == "snorm"
    {
        let channels = match codec {
            Codec::Bc4 { .. } | Codec::EacR11 { .. } => 1,
            Codec::Bc5 { .. } | Codec::EacRg11 { .. } => 2,
            _ => 3,
        };
        ranges[..channels].fill((-1.0, 1.0));
    }
    ranges
}

/// The bytes of a block of the picture, if the format can be written.
fn encoded(format: &Format, texels: &[[f64; 4]]) -> Option<Vec<u8>> {
    let types = natural_types(format, &Fetch::default()).ok()?;
    let ranges = ranges(format);
    let value = |colour: [f64; 4], c: usize| {
        let number = ranges[c].0 + colour[c] * (ranges[c].1 - ranges[c].0);
        match types[c] {
            Natural::Float32 => Value::float32((number as f32).to_bits()),
            Natural::Uint32 => Value::uint32(number.round() as u32),
            Natural::Sint32 => Value::sint32(number.round() as i32),
            Natural::Float64 => Value::float64(number.to_bits()),
            Natural::Raw64 => Value::raw64(number.to_bits()),
            Natural::Absent => Value::ABSENT,
        }
    };
    let texel = |colour: &[f64; 4]| Texel([0, 1, 2, 3].map(|c| value(*colour, c)));
    let texels: Vec<Texel> = texels.iter().map(texel).collect();
    encode(format, &texels, &Fetch::default()).ok()
}

/// Decodes every block of a case.
fn canvas(engine: &mut impl Model<Machine = Surface>, format: &Format, case: &Case) -> Canvas {
    let mut canvas = vec![None; WIDTH * HEIGHT];
    let (width, height) = (usize::from(format.block.width), usize::from(format.block.height));
    if engine.load(case).is_err() {
        return canvas;
    }
    for block in 0..case.operations.len() {
        if engine.step() != Step::Continue {
            break;
        }
        let (row, column) = (block / (WIDTH / width) * height, block % (WIDTH / width) * width);
        for texel in 0..width * height {
            let place = (row + texel / width) * WIDTH + column + texel % width;
            canvas[place] = Some(texel_of(engine.state(), texel));
        }
    }
    canvas
}

fn texel_of(state: &State, texel: usize) -> Texel {
    let natural = |word: u8| match word {
        1 => Natural::Float32,
        2 => Natural::Uint32,
        3 => Natural::Sint32,
        4 => Natural::Float64,
        5 => Natural::Raw64,
        _ => Natural::Absent,
    };
    let value =
        |c: usize| Value { natural: natural(state.types[texel][c]), bits: state.texels[texel][c] };
    Texel([0, 1, 2, 3].map(value))
}

/// A texel as four bytes to look at, in proportion to the range of each channel: the picture is the
/// same for all formats, those of sRGB too. What was not decoded is grey.
fn shown(ranges: &[(f64, f64); 4], texel: Option<Texel>) -> [u8; 4] {
    let Some(Texel(values)) = texel else { return [128; 4] };
    let channel = |c: usize| {
        let number = match values[c].natural {
            Natural::Float32 => f64::from(f32::from_bits(values[c].bits as u32)),
            Natural::Uint32 => values[c].bits as f64,
            Natural::Sint32 => f64::from((values[c].bits as u32).cast_signed()),
            Natural::Float64 | Natural::Raw64 => f64::from_bits(values[c].bits),
            Natural::Absent => return if c == 3 { 255 } else { 0 },
        };
        let (least, greatest) = ranges[c];
        let share = ((number - least) / (greatest - least)).clamp(0.0, 1.0);
        (share * 255.0).round() as u8
    };
    [channel(0), channel(1), channel(2), channel(3)]
}

/// A picture as the data URI of a PNG file: colours, and below them alpha as grey.
fn png(texels: &[[u8; 4]]) -> String {
    let colours = texels.iter().map(|[r, g, b, _]| [*r, *g, *b]);
    let alpha = texels.iter().map(|[.., a]| [*a; 3]);
    let pixels: Vec<_> = colours.chain(alpha).collect();
    format!("data:image/png;base64,{}", STANDARD.encode(picture::png(WIDTH as u32, &pixels)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_pictures_and_both_engines_draw_the_same() {
        let walls = walls(&["bw", "g45", "dg1", "rv770"]);
        let counts: Vec<_> = walls.iter().map(|wall| wall.pictures.len()).collect();
        assert_eq!(counts[0], 168);
        assert!(counts[1] >= 220 && counts[2] >= 44, "{counts:?}");
        for wall in walls {
            let differing: Vec<_> =
                wall.pictures.iter().filter(|p| p.differing > 0).map(|p| p.format).collect();
            assert!(differing.is_empty(), "{}: {differing:?}", wall.device);
        }
    }

    /// The bars of formats that are not encoded by the reference have their colours.
    #[test]
    fn compressed_formats_show_the_picture() {
        let mut shown_formats = 0;
        for device in [Device::G45, Device::Dg1, Device::Rv770] {
            let compressed = |format: &&Format| matches!(format.layout, Layout::Compressed(_));
            for format in catalogue(device).iter().filter(compressed) {
                let case =
                    Case { device, palettes: palettes(format), operations: operations(format) };
                let mut reference = parallax_reference::surface::Reference::new();
                let canvas = canvas(&mut reference, format, &case);
                let ranges = ranges(format);
                let name = format.name;
                let one = name.contains("BC4") || name.ends_with("R11");
                let two = name.contains("BC5") || name.ends_with("RG11");
                let channels = match (one, two) {
                    (true, _) => 0..1,
                    (_, true) => 0..2,
                    _ => 0..3,
                };
                for x in 0..WIDTH {
                    let y = HEIGHT / 2;
                    let bytes = shown(&ranges, canvas[y * WIDTH + x]);
                    let wanted = test_picture(x, y);
                    for channel in channels.clone() {
                        let actual = f64::from(bytes[channel]) / 255.0;
                        let difference = (actual - wanted[channel]).abs();
                        assert!(difference < 0.05, "{name}: {bytes:?} at {x}, {y}");
                    }
                }
                shown_formats += 1;
            }
        }
        assert!(shown_formats > 35, "{shown_formats}");
    }

    #[test]
    fn a_campaign_without_formats_has_no_gallery() {
        assert!(walls(&[]).is_empty());
    }
}
