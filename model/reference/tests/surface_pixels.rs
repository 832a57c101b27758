//! Pixel operations against the manual's tables, every row.

use parallax_isa::{
    Device,
    surface::{
        BorderMode, Format, Natural, Texel, Value,
        compression::render_compression,
        named,
        operation::{DepthFormat, Equation, Operands, Output, Place, Stencil},
        pixel::{
            BlendFactor, BlendFunction, ChannelSelect, ClampRange, CompareFunction, LogicOp,
            StencilOp, TextureCoordinateMode, VertexComponentControl, WriteMask,
        },
    },
};
use parallax_reference::surface::{
    View,
    channels::channel_select,
    compression::castable,
    decode, linearise,
    pixels::{
        blend::{blend, clamp_colour, logic_operation},
        comparison::{
            compare_floats, compare_integers, depth_test, shadow, shadow_operand, shadow_output,
            stencil_and_depth, stencil_operation, stencil_test, store_depth,
        },
        coordinates::{CubePlace, cube_place, place},
        render_target::write_pixel,
        vertex::{Stored, VertexError, attribute_components, enabled_components, store_components},
    },
};
use parallax_spec::tables::surface::{PixelOperation, RenderCompression};
use rstest::rstest;

fn rows(kind: &str) -> Vec<PixelOperation> {
    let mut rows = PixelOperation::assigned();
    rows.retain(|row| row.kind == kind);
    assert!(!rows.is_empty());
    rows
}

fn format(name: &str) -> &'static Format {
    named(None, name).unwrap_or_else(|error| panic!("{error}")).1
}

const FLOATS: [f32; 9] =
    [f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-45, 0.5, 1.0, f32::INFINITY, f32::NAN];

/// Every row of the compare table on every pair of classes of floats.
#[test]
fn comparisons_are_the_tables() {
    for row in rows("compare") {
        let function: CompareFunction = row.name.parse().expect("a member");
        for value in FLOATS {
            for reference in FLOATS {
                let expected = match row.formula.as_str() {
                    "true" => true,
                    "false" => false,
                    "value < reference" => value < reference,
                    "value == reference" => value == reference,
                    "value <= reference" => value <= reference,
                    "value > reference" => value > reference,
                    "value != reference" => value != reference,
                    "value >= reference" => value >= reference,
                    other => panic!("unknown formula {other}"),
                };
                let got = compare_floats(function, value.to_bits(), reference.to_bits());
                assert_eq!(got, expected, "{} {value} {reference}", row.name);
            }
        }
    }
}

/// Every stencil operation on every stored value, with every write mask of one bit and some more.
#[test]
fn stencil_operations_are_the_tables() {
    for row in rows("stencil") {
        let operation: StencilOp = row.name.parse().expect("a member");
        for s in 0..=255_i32 {
            let reference = 0x5A;
            let new = match row.formula.as_str() {
                "s" => s,
                "0" => 0,
                "ref" => reference,
                "min(s + 1, 255)" => (s + 1).min(255),
                "max(s - 1, 0)" => (s - 1).max(0),
                "(s + 1) mod 256" => (s + 1).rem_euclid(256),
                "(s - 1) mod 256" => (s - 1).rem_euclid(256),
                "~s AND 255" => !s & 255,
                other => panic!("unknown formula {other}"),
            };
            for mask in [0, 1, 2, 4, 8, 16, 32, 64, 128, 0x0F, 0xFF] {
                let expected = (new & mask) | (s & !mask & 255);
                let got = stencil_operation(operation, s as u8, reference as u8, mask as u8);
                assert_eq!(i32::from(got), expected, "{} {s} {mask}", row.name);
            }
        }
    }
}

/// The three ways through stencil and depth test.
#[test]
fn stencil_tests_choose_the_operation() {
    let state = Stencil {
        function: CompareFunction::Equal,
        reference: 0xF5,
        read_mask: 0x0F,
        write_mask: 0xFF,
        fail: StencilOp::Zero,
        depth_fail: StencilOp::Invert,
        pass: StencilOp::Replace,
    };
    assert_eq!(stencil_and_depth(state, 0x06, true), (false, 0));
    assert_eq!(stencil_and_depth(state, 0x35, false), (false, 0xCA));
    assert_eq!(stencil_and_depth(state, 0x35, true), (true, 0xF5));
    // The value is the reference, so LESS passes where the stored one is greater.
    assert!(stencil_test(CompareFunction::Less, 1, 2, 0xFF));
    assert!(!stencil_test(CompareFunction::Less, 1, 2, 0xFD));
}

/// Every logic operation by its printed truth table.
#[test]
fn logic_operations_are_the_tables() {
    for row in rows("logicop") {
        let operation: LogicOp = row.name.parse().expect("a member");
        let (_, truth) = row.note.split_once("SD truth table ").expect("a truth table");
        let code = u64::from(row.code());
        let mut cells = 0;
        for cell in truth.split_whitespace() {
            let (inputs, result) = cell.split_once(':').expect("inputs and result");
            let bit = |n: usize| u64::from(inputs.as_bytes()[n] - b'0');
            let got = logic_operation(operation, bit(0), bit(1)) & 1;
            assert_eq!(got.to_string(), result, "{} {cell}", row.name);
            assert_eq!(got, code >> (2 * bit(0) + bit(1)) & 1, "{} {cell}", row.name);
            cells += 1;
        }
        assert_eq!(cells, 4);
    }
}

/// A factor formula of the table, worked out with host floats.
fn formula(text: &str, channel: usize, operands: &Operands) -> f32 {
    let colour = |name: &str| match name {
        "S" => operands.source,
        "S1" => operands.second_source,
        "D" => operands.destination,
        "C" => operands.constant,
        other => panic!("unknown colour {other}"),
    };
    match text.trim() {
        "0" => 0.0,
        "1" => 1.0,
        "min(S.a, 1 - D.a)" => formula("S.a", 3, operands).min(formula("1 - D.a", 3, operands)),
        text => match text.strip_prefix("1 - ") {
            Some(rest) => 1.0 - formula(rest, channel, operands),
            None => {
                let (name, part) = text.split_once('.').expect("a channel");
                let channel = if part == "a" { 3 } else { channel };
                f32::from_bits(colour(name)[channel])
            }
        },
    }
}

fn operands() -> Operands {
    let bits = |colour: [f32; 4]| colour.map(f32::to_bits);
    Operands {
        source: bits([0.1, 0.7, -2.5, 0.6]),
        second_source: bits([0.9, 0.3, 0.2, 0.15]),
        destination: bits([0.4, 1.5, 0.8, 0.25]),
        constant: bits([0.35, 0.45, 0.55, 0.65]),
    }
}

/// Every factor on either side with every function, for colour and for alpha.
#[test]
fn blending_is_the_tables() {
    let operands = operands();
    let factors = rows("factor");
    for function_row in rows("function") {
        let function: BlendFunction = function_row.name.parse().expect("a member");
        for source_row in &factors {
            for destination_row in &factors {
                let member =
                    |row: &PixelOperation| row.name.parse::<BlendFactor>().expect("a member");
                let equation = Equation {
                    function,
                    source_factor: member(source_row),
                    destination_factor: member(destination_row),
                };
                let got = blend(equation, equation, &operands);
                for (channel, got) in got.into_iter().enumerate() {
                    let pick = |row: &PixelOperation| {
                        let text = if channel == 3 { &row.alpha_formula } else { &row.rgb_formula };
                        formula(text, channel, &operands)
                    };
                    let s = f32::from_bits(operands.source[channel]) * pick(source_row);
                    let d = f32::from_bits(operands.destination[channel]) * pick(destination_row);
                    let expected = match function_row.rgb_formula.as_str() {
                        "S.c*Fs.c + D.c*Fd.c" => s + d,
                        "S.c*Fs.c - D.c*Fd.c" => s - d,
                        "D.c*Fd.c - S.c*Fs.c" => d - s,
                        "min(S.c*Fs.c, D.c*Fd.c)" => s.min(d),
                        "max(S.c*Fs.c, D.c*Fd.c)" => s.max(d),
                        other => panic!("unknown formula {other}"),
                    };
                    assert_eq!(
                        f32::from_bits(got),
                        expected,
                        "{function} {} {} channel {channel}",
                        source_row.name,
                        destination_row.name
                    );
                }
            }
        }
    }
}

/// Alpha has an equation of its own.
#[test]
fn alpha_blends_apart() {
    let equation = |function| Equation {
        function,
        source_factor: BlendFactor::One,
        destination_factor: BlendFactor::One,
    };
    let got = blend(equation(BlendFunction::Add), equation(BlendFunction::Max), &operands());
    assert_eq!(f32::from_bits(got[0]), 0.1 + 0.4);
    assert_eq!(f32::from_bits(got[3]), 0.6);
}

#[rstest]
#[case(ClampRange::Unorm, "R8G8B8A8_UNORM", [0.0, 1.0, 0.5, 0.0])]
#[case(ClampRange::Snorm, "R8G8B8A8_UNORM", [-1.0, 1.0, 0.5, 0.0])]
#[case(ClampRange::RenderTargetFormat, "R8G8B8A8_UNORM", [0.0, 1.0, 0.5, 0.0])]
#[case(ClampRange::RenderTargetFormat, "R8G8B8A8_SNORM", [-1.0, 1.0, 0.5, 0.0])]
#[case(ClampRange::RenderTargetFormat, "R16G16B16A16_FLOAT", [-3.0, 7.0, 0.5, f32::NAN])]
#[case(ClampRange::RenderTargetFormat, "B5G6R5_UNORM", [0.0, 1.0, 0.5, 0.0])]
#[case(ClampRange::RenderTargetFormat, "A8_UNORM", [0.0, 1.0, 0.5, 0.0])]
#[case(ClampRange::RenderTargetFormat, "R8_SNORM", [-1.0, 1.0, 0.5, 0.0])]
#[case(ClampRange::RenderTargetFormat, "R11G11B10_FLOAT", [-3.0, 7.0, 0.5, f32::NAN])]
fn colours_are_clamped(#[case] range: ClampRange, #[case] name: &str, #[case] expected: [f32; 4]) {
    let colour = [-3.0, 7.0, 0.5, f32::NAN].map(f32::to_bits);
    assert_eq!(clamp_colour(range, &format(name).layout, colour), expected.map(f32::to_bits));
}

/// A pixel through blending, conversion, logic operation and write mask.
#[test]
fn pixels_are_written() {
    let bits = |colour: [f32; 4]| colour.map(f32::to_bits);
    let source = bits([1.0, 0.0, 0.5, 0.5]);
    let stored = [11, 20, 30, 255];
    let write = |name: &str, state: &Output, stored: &[u8]| {
        write_pixel(format(name), state, source, [0; 4], stored).expect("writable")
    };
    let plain = Output::default();
    assert_eq!(write("R8G8B8A8_UNORM", &plain, &stored), [255, 0, 128, 128]);
    assert_eq!(write("B8G8R8A8_UNORM", &plain, &stored), [128, 0, 255, 128]);
    let masked = Output { write_mask: WriteMask::new(0b1010), ..plain };
    assert_eq!(write("R8G8B8A8_UNORM", &masked, &stored), [11, 0, 30, 128]);
    let logic = Output { logic: Some(LogicOp::Xor), ..plain };
    assert_eq!(write("R8G8B8A8_UNORM", &logic, &stored), [244, 20, 158, 127]);
    let over = Equation {
        function: BlendFunction::Add,
        source_factor: BlendFactor::SrcAlpha,
        destination_factor: BlendFactor::InvSrcAlpha,
    };
    let blended = Output { blend: Some((over, over)), ..plain };
    assert_eq!(write("R8G8B8A8_UNORM", &blended, &stored), [133, 10, 79, 191]);
    // Blending happens in linear light: half of white over black is code 188.
    let white = write_pixel(
        format("R8G8B8A8_UNORM_SRGB"),
        &blended,
        bits([1.0, 1.0, 1.0, 0.5]),
        [0; 4],
        &[0, 0, 0, 0],
    );
    assert_eq!(white.expect("writable")[0], 188);
    // A target without alpha counts as opaque.
    let opaque = Equation {
        source_factor: BlendFactor::Zero,
        destination_factor: BlendFactor::DstAlpha,
        ..over
    };
    let state = Output { blend: Some((opaque, opaque)), ..plain };
    assert_eq!(write("R8_UNORM", &state, &[64]), [64]);
    let unsigned = write_pixel(format("R8G8_UINT"), &plain, [300, 7, 0, 0], [0; 4], &[0, 0]);
    assert_eq!(unsigned.expect("writable"), [255, 7]);
    for name in ["BC1_UNORM", "YCRCB_NORMAL"] {
        let bytes = vec![0; usize::from(format(name).block.bytes)];
        write_pixel(format(name), &plain, source, source, &bytes).expect_err("no pixel of its own");
    }
    write_pixel(format("R8_UNORM"), &plain, source, source, &[]).expect_err("no bytes");
}

/// Each depth format keeps what it is given, and a depth just stored compares equal.
#[rstest]
#[case(DepthFormat::D16Unorm, 0.5, 32768)]
#[case(DepthFormat::D16Unorm, 2.0, 0xFFFF)]
#[case(DepthFormat::D24Unorm, 1.0, 0x00FF_FFFF)]
#[case(DepthFormat::D24Unorm, -1.0, 0)]
#[case(DepthFormat::D24Unorm, f32::NAN, 0)]
#[case(DepthFormat::D32Float, 0.3, 0.3_f32.to_bits())]
#[case(DepthFormat::D32Float, 1.5, 1.0_f32.to_bits())]
fn depths_are_kept(#[case] format: DepthFormat, #[case] depth: f32, #[case] stored: u32) {
    assert_eq!(store_depth(format, depth.to_bits()), stored);
    let test = |function, stored| depth_test(function, format, depth.to_bits(), stored);
    assert!(test(CompareFunction::Equal, stored));
    assert!(test(CompareFunction::Lequal, stored));
    assert!(!test(CompareFunction::Notequal, stored));
    if stored > 0 {
        assert!(test(CompareFunction::Greater, stored - 1));
        assert!(!test(CompareFunction::Less, stored - 1));
    }
}

#[test]
fn depth_nans_are_unordered() {
    let (nan, half) = (f32::NAN.to_bits(), 0.5_f32.to_bits());
    let test = |function| depth_test(function, DepthFormat::D32Float, nan, half);
    let passing: Vec<_> = CompareFunction::ALL.iter().filter(|&&f| test(f)).collect();
    assert_eq!(passing, [&CompareFunction::Always, &CompareFunction::Notequal]);
    assert!(compare_integers(CompareFunction::Gequal, u32::MAX, 0));
}

/// The G45 shadow functions: 0.0 where the name's condition holds.
#[test]
fn shadows_are_inverted() {
    let r32 = format("R32_FLOAT");
    let compare = |function, texel: f32, reference: f32| {
        let bits = shadow(Device::G45, function, r32, texel.to_bits(), reference.to_bits());
        f32::from_bits(bits)
    };
    for &function in CompareFunction::ALL {
        for texel in FLOATS {
            for reference in FLOATS {
                let holds = compare_floats(function, texel.to_bits(), reference.to_bits());
                assert_eq!(compare(function, texel, reference), if holds { 0.0 } else { 1.0 });
            }
        }
    }
    // The catalogue's own examples.
    assert_eq!(compare(CompareFunction::Always, 0.0, 1.0), 0.0);
    assert_eq!(compare(CompareFunction::Never, 0.0, 1.0), 1.0);
    assert_eq!(compare(CompareFunction::Less, f32::NAN, 1.0), 1.0);
    assert_eq!(compare(CompareFunction::Notequal, f32::NAN, 1.0), 0.0);
    // 965 takes a NaN texel of A16_FLOAT for infinity.
    let (nan, one) = (f32::NAN.to_bits(), 1.0_f32.to_bits());
    let a16 = |device| shadow(device, CompareFunction::Greater, format("A16_FLOAT"), nan, one);
    assert_eq!((a16(Device::Bw), a16(Device::G45)), (0, one));
}

#[rstest]
#[case("R32_FLOAT", [0.25, 0.0, 0.0, 1.0])]
#[case("L16_UNORM", [0.25, 0.25, 0.25, 1.0])]
#[case("I16_UNORM", [0.25; 4])]
#[case("A16_UNORM", [0.0, 0.0, 0.0, 0.25])]
fn shadow_results_stand_in_the_formats_channel(#[case] name: &str, #[case] expected: [f32; 4]) {
    let texel = shadow_output(format(name), BorderMode::Dx10Ogl, 0.25_f32.to_bits());
    assert_eq!(texel.expect("listed").bits().map(|b| f32::from_bits(b as u32)), expected);
}

/// What is compared: red, or alpha where there is nothing else.
#[rstest]
#[case("R32_FLOAT", 1.0)]
#[case("L16_UNORM", 1.0)]
#[case("R24_UNORM_X8_TYPELESS", 1.0)]
#[case("A16_UNORM", 4.0)]
#[case("A24X8_UNORM", 4.0)]
fn shadows_compare_one_channel(#[case] name: &str, #[case] expected: f32) {
    let texel = Texel([1.0_f32, 2.0, 3.0, 4.0].map(|c| Value::float32(c.to_bits())));
    assert_eq!(f32::from_bits(shadow_operand(format(name), texel)), expected);
}

/// Each mode around a map of four texels, from -9 to 12.
#[rstest]
#[case(TextureCoordinateMode::Wrap, [3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0])]
#[case(TextureCoordinateMode::Mirror, [0, 0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3])]
#[case(TextureCoordinateMode::Clamp, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3])]
#[case(TextureCoordinateMode::MirrorOnce, [3, 3, 3, 3, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3])]
#[case(TextureCoordinateMode::Mirror101, [3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0])]
fn coordinates_stay_in_the_map(#[case] mode: TextureCoordinateMode, #[case] expected: [u32; 22]) {
    for (index, expected) in (-9..13).zip(expected) {
        assert_eq!(place(mode, index, 4), Place::Texel(expected), "{mode} {index}");
    }
    for index in [i64::from(i32::MIN), -1, 0, 1, i64::from(i32::MAX)] {
        assert_eq!(place(mode, index, 1), Place::Texel(0), "a map of one texel");
    }
}

#[test]
fn borders_lie_outside() {
    let border = |index| place(TextureCoordinateMode::ClampBorder, index, 4);
    assert_eq!(
        [border(-1), border(0), border(3), border(4)],
        [Place::Border, Place::Texel(0), Place::Texel(3), Place::Border]
    );
    let half = |index| place(TextureCoordinateMode::HalfBorder, index, 4);
    assert_eq!(
        [half(-7), half(2), half(4)],
        [Place::HalfBorder(0), Place::Texel(2), Place::HalfBorder(3)]
    );
    assert_eq!(place(TextureCoordinateMode::Cube, 4, 4), Place::AdjacentFace);
}

/// Crossing an edge of a cube and coming back leads to the texel one started from, and leaves one
/// just inside the edge.
#[test]
fn cube_edges_lead_to_neighbours() {
    const N: u32 = 4;
    let n = i64::from(N);
    for face in 0..6 {
        for along in 0..n {
            for outside in [(-1, along), (n, along), (along, -1), (along, n)] {
                let place = CubePlace { face, x: outside.0, y: outside.1 };
                let there = cube_place(place, N).expect("one face beyond an edge");
                assert_ne!(there.face, face);
                assert!((0..n).contains(&there.x) && (0..n).contains(&there.y), "{there:?}");
                let edge = [there.x, there.y].iter().any(|c| *c == 0 || *c == n - 1);
                assert!(edge, "{place:?} -> {there:?}");
                // From there, one of the four steps outside comes back to the start's edge texel.
                let back = [(-1, there.y), (n, there.y), (there.x, -1), (there.x, n)]
                    .map(|(x, y)| cube_place(CubePlace { face: there.face, x, y }, N));
                let start =
                    CubePlace { face, x: outside.0.clamp(0, n - 1), y: outside.1.clamp(0, n - 1) };
                assert!(back.contains(&Some(start)), "{place:?} -> {there:?}");
            }
        }
    }
    assert_eq!(cube_place(CubePlace { face: 0, x: -1, y: -1 }, N), None, "a corner");
    let inside = CubePlace { face: 3, x: 2, y: 1 };
    assert_eq!(cube_place(inside, N), Some(inside));
    // Left of +Z lies -X, right of it +X (public: OpenGL cube maps).
    assert_eq!(
        cube_place(CubePlace { face: 4, x: -1, y: 2 }, N),
        Some(CubePlace { face: 1, x: 3, y: 2 })
    );
    assert_eq!(
        cube_place(CubePlace { face: 4, x: 4, y: 2 }, N),
        Some(CubePlace { face: 0, x: 0, y: 2 })
    );
}

/// Channel selects, with 1 in the type of the format.
#[test]
fn channels_are_selected() {
    let texel = Texel([10, 20, 30, 40].map(Value::uint32));
    let expected = [0, 1, 10, 20, 30, 40];
    for (select, expected) in ChannelSelect::ALL.iter().zip(expected) {
        assert_eq!(channel_select(*select, texel), Value::uint32(expected), "{select}");
    }
    let floats = Texel([Value::float32(0); 4]);
    assert_eq!(channel_select(ChannelSelect::One, floats).bits, u64::from(1.0_f32.to_bits()));
    for reserved in [2, 3] {
        ChannelSelect::from_code(reserved).expect_err("reserved");
    }
}

/// Vertex components in order of their controls.
#[test]
fn vertex_components_are_stored_in_order() {
    use VertexComponentControl::{NoStore, Store0, Store1Fp, Store1Int, StoreSrc};
    let element = Texel([1, 2, 3, 4].map(Value::uint32));
    let store =
        |name: &str, controls, system| store_components(format(name), element, controls, system);
    let none = [false; 4];
    let value = |bits| Stored::Value(Value::uint32(bits));
    let one = Stored::Value(Value::float32(1.0_f32.to_bits()));
    // The second STORE_SRC takes component 1, though it stands third.
    assert_eq!(
        store("R32G32B32A32_UINT", [StoreSrc, Store0, StoreSrc, Store1Fp], none),
        Ok([value(1), value(0), value(2), one])
    );
    // A system value does not use up a component.
    assert_eq!(
        store(
            "R32G32B32A32_UINT",
            [StoreSrc, StoreSrc, StoreSrc, Store1Int],
            [true, false, false, false]
        ),
        Ok([Stored::SystemValue, value(1), value(2), value(1)])
    );
    assert_eq!(
        store("R32_UINT", [StoreSrc, StoreSrc, Store0, Store0], none).expect("legal")[1],
        Stored::Unpredictable
    );
    assert_eq!(
        store("R64_PASSTHRU", [StoreSrc, NoStore, NoStore, NoStore], none),
        Ok([value(1), value(0), Stored::Nothing, Stored::Nothing])
    );
    assert_eq!(
        store("R32G32_UINT", [StoreSrc, StoreSrc, NoStore, NoStore], none),
        Ok([value(1), value(2), value(0), value(0)])
    );
    assert_eq!(store("R32_UINT", [NoStore; 4], none), Err(VertexError::FirstNotStored));
    let hole = store("R32_UINT", [StoreSrc, NoStore, Store0, Store0], none).expect_err("a hole");
    assert_eq!(hole.to_string(), "component 2 must be VFCOMP_NOSTORE, as component 1 is");
    assert_eq!([0, 1, 2, 3].map(attribute_components), [0, 2, 3, 4]);
    for enables in 0..16 {
        let stored = enabled_components(enables, element);
        for (n, value) in stored.iter().enumerate() {
            assert_eq!(value.is_some(), enables >> n & 1 == 1);
        }
    }
}

/// Every row of the render compression table.
#[test]
fn render_targets_cast_within_an_encoding() {
    let rows = RenderCompression::assigned();
    assert_eq!(rows.len(), 59);
    for row in &rows {
        let known = render_compression(&row.format).expect("listed");
        let bits = u8::from_str_radix(row.value_bits.trim_end_matches('b'), 2).expect("binary");
        assert_eq!(known.encoding, bits, "{}", row.format);
        named(Some(Device::Dg1), &row.format).expect("a format of DG1");
        for other in &rows {
            assert_eq!(castable(&row.format, &other.format), row.encoding == other.encoding);
        }
    }
    assert!(!castable("BC1_UNORM", "BC1_UNORM"), "never a render target");
}

/// Making a filtered texel linear later is the same as doing it at once, for unfiltered texels.
#[test]
fn linearising_can_wait() {
    let srgb = format("R8G8B8A8_UNORM_SRGB");
    for code in 0..=255 {
        let bytes = [code, 255 - code, code / 2, code];
        let at_once = decode(srgb, &bytes, &View::default()).expect("decodes")[0];
        let codes = decode(srgb, &bytes, &View { linearise: false, ..View::default() });
        let later = linearise(codes.expect("decodes")[0]);
        // The code was rounded to binary32 before the curve: at most a unit in the last place.
        for (a, b) in at_once.0.iter().zip(later.0) {
            assert!(a.natural == Natural::Float32 && a.bits.abs_diff(b.bits) <= 2);
        }
    }
}
