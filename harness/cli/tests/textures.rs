//! Textures and samplers that a setup file gives by the names of their fields, on `ivb`, `skl` and `dg1`.

use rstest::rstest;
use serde_json::{Value, json};

use crate::common::Room;

/// A message to the Sampling Engine: its code, and parameters in the order of payloads of Gen9.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Message {
    SampleL = 2,
    SampleLC = 6,
    Ld = 7,
    Gather4 = 8,
    Resinfo = 10,
}

/// A texture of R32_FLOAT at byte 0, where each word of memory is its own number.
fn texture(dimensions: &str, [width, height, depth]: [u32; 3], fields: Value) -> Value {
    let mut texture = json!({
        "type": "texture", "dimensions": dimensions, "base": 0, "width": width, "height": height,
        "depth": depth, "pitch": 4 * width, "format": "R32_FLOAT",
    });
    for (key, value) in fields.as_object().expect("fields") {
        texture[key] = value.clone();
    }
    texture
}

/// The words of the first channel that a message of SIMD8 returns on both engines.
fn sampled(
    device: &str,
    message: Message,
    parameters: &[u32],
    mut surface: Value,
    sampler: &Value,
) -> [u32; 4] {
    let room = Room::new();
    let mut parameters = parameters.to_vec();
    if device == "ivb" {
        if message == Message::Ld {
            // u, lod, v and r there.
            parameters.swap(1, 2);
        }
        // Faces and layers follow each other, as they do later.
        surface["array_spacing"] = "lod0".into();
    }
    let has_header = message == Message::Gather4;
    let length = parameters.len() + usize::from(has_header);
    let descriptor =
        length << 25 | 4 << 20 | usize::from(has_header) << 19 | 1 << 17 | (message as usize) << 12;
    let send = match device {
        "ivb" => format!("send (8) r64<1>:ud r2 0x2 {descriptor:#x}"),
        "skl" => format!("send (8|M0) r64:ud r2 0x2 {descriptor:#x}"),
        _ => format!("send (8|M0) r64:ud r2 null 0x2 {descriptor:#x}"),
    };
    room.file("send.asm", format!("{send}\n"));
    let numbers: Vec<_> = (0..256).map(|n| format!("{:08x}", (n as f32).to_bits())).collect();
    let setup = json!({
        "memory": [{"at": 0, "words": numbers.join(" ")}],
        "surfaces": [surface],
        "samplers": [sampler],
    });
    room.file("setup.json", setup.to_string());
    let first = 2 + usize::from(has_header);
    let sets = (first..).zip(&parameters).map(|(register, word)| {
        let digits: String = word.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        format!(" --set r{register}={}", digits.repeat(8))
    });
    let sets: String = sets.collect();
    let exec = "exec --json send.asm --setup setup.json --dump r64..r67";
    let done = room.run(&format!("{exec} --device {device}{sets}"));
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let answer: Value = serde_json::from_str(&done.stdout).expect("JSON");
    [64, 65, 66, 67].map(|register| {
        let digits = answer["registers"][format!("r{register}")].as_str().expect("a register");
        u32::from_str_radix(&digits[..8], 16).expect("hex digits").swap_bytes()
    })
}

/// One message of each kind to one surface of each kind.
#[rstest]
#[case::line(Message::SampleL, &[0.0, 0.875], texture("1d", [4, 1, 1], json!({})), json!({}), [3.0, 0.0, 0.0, 1.0])]
#[case::plane(
    Message::SampleL, &[0.0, 0.5, 0.25], texture("2d", [4, 2, 1], json!({"tiling": "linear"})),
    json!({"mag": "linear", "min": "linear", "address": ["clamp", "clamp", "clamp"], "lod_preclamp": "ogl"}),
    [1.5, 0.0, 0.0, 1.0]
)]
#[case::border(
    Message::SampleL, &[0.0, -1.0, 0.25], texture("2d", [4, 2, 1], json!({})),
    json!({"address": ["clamp_border", "clamp", "clamp"], "border": [7.5, 1, 2, 3], "border_mode": "dx10"}),
    [7.5, 0.0, 0.0, 1.0]
)]
#[case::level(
    Message::SampleL, &[0.0, 0.3125, 0.375], texture("2d", [8, 8, 1], json!({"levels": 2})),
    json!({"mip": "nearest", "min_lod": 1, "max_lod": 1}), [73.0, 0.0, 0.0, 1.0]
)]
#[case::volume(Message::SampleL, &[0.0, 0.75, 0.375, 0.75], texture("3d", [2, 4, 2], json!({})), json!({}), [11.0, 0.0, 0.0, 1.0])]
#[case::cube(
    Message::SampleL, &[0.0, 0.25, 0.25, 1.0], texture("cube", [4, 4, 1], json!({"faces": ["+x", "-x", "+y", "-y", "+z", "-z"]})),
    json!({"address": ["cube", "cube", "cube"]}), [70.0, 0.0, 0.0, 1.0]
)]
#[case::layer(
    Message::SampleL, &[0.0, 0.375, 0.625, 1.0], texture("2d", [4, 4, 2], json!({"array": true, "first_element": 1})),
    json!({}), [41.0, 0.0, 0.0, 1.0]
)]
#[case::compared(
    Message::SampleLC, &[1.5, 0.0, 0.375, 0.25], texture("2d", [4, 2, 1], json!({})),
    json!({"shadow_function": "greater"}), [1.0, 0.0, 0.0, 0.0]
)]
#[case::gathered(
    Message::Gather4, &[0.5, 0.5], texture("2d", [4, 2, 1], json!({})),
    json!({"mag": "linear", "min": "linear", "rounding": ["u_min", "u_mag", "v_min", "v_mag"]}), [5.0, 6.0, 2.0, 1.0]
)]
fn fields_say_what_is_sampled(
    #[values("ivb", "skl", "dg1")] device: &str,
    #[case] message: Message,
    #[case] parameters: &[f32],
    #[case] surface: Value,
    #[case] sampler: Value,
    #[case] expected: [f32; 4],
) {
    let parameters: Vec<_> = parameters.iter().map(|number| number.to_bits()).collect();
    let words = sampled(device, message, &parameters, surface, &sampler);
    // Of a comparison only red is said.
    let channels = if message == Message::SampleLC { 1 } else { 4 };
    assert_eq!(words.map(f32::from_bits)[..channels], expected[..channels]);
}

/// The same of messages with whole numbers.
#[rstest]
#[case::loaded(Message::Ld, &[2, 1, 0], texture("2d", [8, 8, 1], json!({"first_level": 1})), [74.0_f32.to_bits(), 0, 0, 1.0_f32.to_bits()])]
#[case::layer(Message::Ld, &[1, 2, 0, 2], texture("2d", [4, 4, 3], json!({"array": true})), [41.0_f32.to_bits(), 0, 0, 1.0_f32.to_bits()])]
#[case::size(Message::Resinfo, &[1], texture("2d", [8, 4, 1], json!({"levels": 3})), [4, 2, 0, 3])]
#[case::layers(Message::Resinfo, &[0], texture("1d", [8, 1, 5], json!({"array": true, "view_extent": 5})), [8, 5, 0, 1])]
fn fields_say_what_is_loaded(
    #[values("ivb", "skl", "dg1")] device: &str,
    #[case] message: Message,
    #[case] parameters: &[u32],
    #[case] surface: Value,
    #[case] expected: [u32; 4],
) {
    assert_eq!(sampled(device, message, parameters, surface, &json!({})), expected);
}

/// Channels are those that a surface selects, texels those that a reduction leaves.
#[rstest]
fn later_fields_count(#[values("skl", "dg1")] device: &str) {
    let fields = json!({"channels": ["one", "red", "zero", "red"]});
    let surface = texture("2d", [4, 2, 1], fields);
    let parameters = [0.0_f32, 0.5, 0.25].map(f32::to_bits);
    let sampler = json!({"mag": "linear", "min": "linear", "reduction": "maximum"});
    let words = sampled(device, Message::SampleL, &parameters, surface, &sampler);
    assert_eq!(words.map(f32::from_bits), [1.0, 2.0, 0.0, 2.0]);
}

/// Mistakes end with exit code 2, and say what and where.
#[rstest]
#[case("skl", "surfaces", json!({"array_spacing": "lod0"}), "surface 0: array_spacing: skl has none")]
#[case("ivb", "surfaces", json!({"chanels": []}), "surface 0: unknown field `chanels`; did you mean channels?")]
#[case("dg1", "surfaces", json!({"samples": 3}), "surface 0: samples is 3, not 1, 2, 4, 8 or 16")]
#[case("g45", "surfaces", json!({"array": true}), "surface 0: array: g45 has none")]
#[case("ivb", "samplers", json!({"reduction": "minimum"}), "sampler 0: reduction: ivb has none")]
#[case("dg1", "samplers", json!({"shadow_function": "le"}), "sampler 0: shadow_function is \"le\", not always, ")]
fn mistakes_are_named(
    #[case] device: &str,
    #[case] of: &str,
    #[case] fields: Value,
    #[case] sentence: &str,
) {
    let room = Room::new();
    room.file("nop.asm", "nop\n");
    let (surface, sampler) = match of {
        "surfaces" => (texture("2d", [4, 2, 1], fields), json!({})),
        _ => (texture("2d", [4, 2, 1], json!({})), fields),
    };
    room.file("setup.json", json!({"surfaces": [surface], "samplers": [sampler]}).to_string());
    let refused = room.run(&format!("exec --device {device} nop.asm --setup setup.json"));
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains(sentence), "{}", refused.stderr);
}
