//! Surfaces and samplers given by fields are those given by words.

use std::{
    fs,
    io::{BufRead as _, BufReader},
};

use parallax_isa::{
    Device,
    device::Generation,
    eu::{Case, State},
    shared::environment::surface_state_dwords,
    surface::message_format,
};
use parallax_spec::tables;
use rstest::rstest;
use serde_json::{Map, Value, json};

use super::{
    apply,
    fields::{Field, Form, SAMPLER, SURFACE},
};
use crate::eu::hardware_state::{HardwareState, SAMPLER_STATE_DWORDS};

/// A texture in all of its fields that every device has, with what others depend on.
fn texture(device: Device) -> Value {
    let mut texture = json!({
        "type": "texture", "dimensions": "2d", "base": 256, "width": 20, "height": 10, "pitch": 128,
        "format": "R8G8B8A8_UNORM",
    });
    if [Device::Skl, Device::Dg1].contains(&device) {
        texture["qpitch"] = 64.into();
    }
    texture
}

fn setup(device: Device, surface: &Value, sampler: &Value) -> Result<Case, String> {
    let mut case = Case::new(device, Vec::new(), Box::new(State::of(device)), 1);
    let setup = json!({"surfaces": [surface], "samplers": [sampler]});
    apply(&mut case, setup.to_string().as_bytes()).map(|()| case)
}

fn generation(device: Device) -> Generation {
    device.generation().expect("an execution unit")
}

/// The words of the only surface.
fn surface_words(device: Device, surface: &Value) -> Result<Vec<u32>, String> {
    let case = setup(device, surface, &json!({}))?;
    let environment = case.surroundings.shared_functions.environment().expect("surfaces");
    let first = environment.surface_states[0] as usize / 4;
    let length = surface_state_dwords(generation(device));
    Ok(environment.surface_states[first..first + length].to_vec())
}

/// The words of the only sampler.
fn sampler_words(device: Device, sampler: &Value) -> Result<Vec<u32>, String> {
    let case = setup(device, &json!({"type": "null"}), sampler)?;
    let sampling = case.surroundings.shared_functions.sampling().expect("samplers");
    Ok(sampling.general_states[..SAMPLER_STATE_DWORDS].to_vec())
}

/// Whether fields are those of surfaces, not of samplers.
fn are_of_surfaces(fields: &[Field]) -> bool {
    fields[0].key == SURFACE[0].key
}

/// Words of a surface or a sampler that has a field besides what it has anyway.
fn words_with(
    device: Device,
    fields: &[Field],
    key: &str,
    value: &Value,
) -> Result<Vec<u32>, String> {
    if are_of_surfaces(fields) {
        let mut surface = texture(device);
        surface[key] = value.clone();
        return surface_words(device, &surface);
    }
    sampler_words(device, &json!({key: value}))
}

fn state(device: Device, fields: &[Field], words: &[u32]) -> HardwareState {
    let generation = generation(device);
    let empty = match are_of_surfaces(fields) {
        true => HardwareState::surface(generation),
        false => HardwareState::sampler(generation),
    };
    empty.with_dwords(words)
}

/// Values of a field.
fn values(form: &Form, state: &HardwareState) -> Vec<Value> {
    let greatest = |name: &str| u64::from(state.greatest(name).expect("a field"));
    match form {
        Form::Flag(_) => vec![json!(true), json!(false)],
        Form::Number { name, first, unit } => {
            let last = greatest(name);
            let numbers = [0, last, last / 2].map(|code| code * u64::from(*unit));
            numbers.map(|number| json!(number + u64::from(*first))).to_vec()
        }
        Form::Fixed { name, fraction } => {
            let last = greatest(name) as f64 / f64::from(1_u32 << fraction);
            [0.0, last, 1.5].map(|number| json!(number)).to_vec()
        }
        Form::Choice(_, numbers) => numbers.iter().map(|(number, _)| json!(number)).collect(),
        Form::Word(_, words) | Form::Enabled(_, words, _) => {
            words.iter().map(|(word, _)| json!(word)).collect()
        }
        Form::Coded(_, words) => words.iter().map(|word| json!(word)).collect(),
        Form::Bits(words, _) => {
            let single = words.iter().map(|word| json!([word]));
            single.chain([json!([]), json!(words)]).collect()
        }
        Form::Each(names, words) => {
            let turned = |by: usize| (0..names.len()).map(move |n| words[(n + by) % words.len()].0);
            (0..words.len()).map(|by| turned(by).collect::<Value>()).collect()
        }
    }
}

/// The value of a field that a state has.
fn decoded(form: &Form, state: &HardwareState) -> Value {
    let word_of = |words: &[(&str, u32)], code: u32| {
        let found = words.iter().find(|(_, own)| *own == code).expect("a code");
        json!(found.0)
    };
    match form {
        Form::Flag(name) => json!(state.get(name) == 1),
        Form::Number { name, first, unit } => json!(first + unit * state.get(name)),
        Form::Fixed { name, fraction } => {
            json!(f64::from(state.get(name)) / f64::from(1_u32 << fraction))
        }
        Form::Choice(name, numbers) => {
            let found = numbers.iter().find(|(_, code)| *code == state.get(name));
            json!(found.expect("a code").0)
        }
        Form::Word(name, words) => word_of(words, state.get(name)),
        Form::Enabled(name, words, with) => {
            assert_eq!(state.get(with), 1, "{with}");
            word_of(words, state.get(name))
        }
        Form::Coded(name, words) => json!(words[state.get(name) as usize]),
        Form::Bits(words, names) => {
            let set = words.iter().zip(*names).filter(|(_, name)| state.get(name) == 1);
            set.map(|(word, _)| *word).collect()
        }
        Form::Each(names, words) => {
            names.iter().map(|name| word_of(words, state.get(name))).collect()
        }
    }
}

/// Each value of each field comes back from the words that it gives, and changes nothing else in them; a field
/// that a device lacks is refused.
#[rstest]
fn fields_and_words_agree(
    #[values(Device::Bw, Device::G45, Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
    #[values(SURFACE, SAMPLER)] fields: &[Field],
) {
    let none = match are_of_surfaces(fields) {
        true => surface_words(device, &texture(device)),
        false => sampler_words(device, &json!({})),
    };
    let plain = state(device, fields, &none.expect("a setup"));
    let (mut there, mut missing) = (0, 0);
    for field in fields {
        let key = field.key;
        let Some(form) = field.form(device, &plain) else {
            missing += 1;
            let refused = words_with(device, fields, key, &json!(0)).expect_err("it has none");
            assert!(refused.ends_with(&format!(" 0: {key}: {device} has none")), "{refused}");
            continue;
        };
        there += 1;
        for value in values(form, &plain) {
            let words = words_with(device, fields, key, &value)
                .unwrap_or_else(|why| panic!("{key} of {value} on {device}: {why}"));
            let mut with = state(device, fields, &words);
            assert_eq!(decoded(form, &with), value, "{key} on {device}");
            for name in form.fields() {
                with.set(name, plain.get(name));
            }
            assert_eq!(
                with.into_dwords(),
                plain.clone().into_dwords(),
                "{key} of {value} on {device} changes other fields"
            );
        }
    }
    assert!(there > 8 && missing > 0, "{device}: {there} fields, {missing} that it lacks");
}

/// Bits that were read off the tables by hand.
#[rstest]
#[case(Device::G45, "first_level", json!(3), [(4, 0x3000_0000)])]
#[case(Device::G45, "mip_layout", json!("right"), [(0, 0x400)])]
#[case(Device::G45, "write_disables", json!(["red", "alpha"]), [(0, 0x3_0000)])]
#[case(Device::Ivb, "array", json!(true), [(0, 0x1000_0000)])]
#[case(Device::Ivb, "array_spacing", json!("lod0"), [(0, 0x400)])]
#[case(Device::Ivb, "vertical_alignment", json!(4), [(0, 0x1_0000)])]
#[case(Device::Ivb, "first_element", json!(5), [(4, 0x14_0000)])]
#[case(Device::Ivb, "resource_min_lod", json!(1.5), [(7, 0x180)])]
#[case(Device::Ivb, "rotation", json!(270), [(4, 0x6000_0000)])]
#[case(Device::Skl, "qpitch", json!(196), [(1, 0x21)])]
#[case(Device::Skl, "channels", json!(["alpha", "zero", "one", "red"]), [(7, 0x0977_0000 ^ 0x0E0C_0000)])]
#[case(Device::Skl, "base_level", json!(2.5), [(1, 0x28_0000)])]
#[case(Device::Skl, "samples", json!(16), [(4, 0x20)])]
#[case(Device::Skl, "faces", json!(["+z", "-x"]), [(0, 0x1E)])]
#[case(Device::Dg1, "corner_texels", json!(true), [(1, 0x4_0000)])]
#[case(Device::Dg1, "horizontal_alignment", json!(16), [(0, 0x8000)])]
#[case(Device::Dg1, "view_extent", json!(7), [(4, 0x300)])]
fn surfaces_have_bits_in_place(
    #[case] device: Device,
    #[case] key: &str,
    #[case] value: Value,
    #[case] flipped: [(usize, u32); 1],
) {
    let mut expected = surface_words(device, &texture(device)).expect("a texture");
    for (dword, bits) in flipped {
        expected[dword] ^= bits;
    }
    let words = words_with(device, SURFACE, key, &value);
    assert_eq!(words, Ok(expected), "{key} of {value} on {device}");
}

/// The same of samplers.
#[rstest]
#[case(Device::G45, "lod_preclamp", json!("ogl"), [(0, 0x1000_0000)])]
#[case(Device::G45, "shadow_function", json!("greater"), [(0, 5)])]
#[case(Device::G45, "rounding", json!(["u_mag", "r_min"]), [(3, 0x4_2000)])]
#[case(Device::G45, "mono_height", json!(5), [(3, 0xA000_0000)])]
#[case(Device::Ivb, "lod_preclamp", json!("ogl"), [(0, 0x1000_0000)])]
#[case(Device::Ivb, "base_level", json!(1.5), [(0, 0xC0_0000)])]
#[case(Device::Ivb, "shadow_function", json!(7), [(1, 0xE)])]
#[case(Device::Ivb, "chroma_key", json!(true), [(3, 0x200_0000)])]
#[case(Device::Skl, "lod_preclamp", json!("ogl"), [(0, 0x1000_0000)])]
#[case(Device::Skl, "cube_mode", json!("override"), [(1, 1)])]
#[case(Device::Skl, "reduction", json!("maximum"), [(3, 0xC0_0200)])]
#[case(Device::Skl, "lod_clamp_magnification", json!("mip_filter"), [(2, 1)])]
#[case(Device::Dg1, "srgb_decode", json!("skip"), [(2, 2)])]
#[case(Device::Dg1, "trilinear_quality", json!("high"), [(3, 0x800)])]
#[case(Device::Dg1, "rounding", json!(["u_min", "v_mag"]), [(3, 0x3_0000)])]
fn samplers_have_bits_in_place(
    #[case] device: Device,
    #[case] key: &str,
    #[case] value: Value,
    #[case] flipped: [(usize, u32); 1],
) {
    let mut expected = sampler_words(device, &json!({})).expect("a sampler");
    for (dword, bits) in flipped {
        expected[dword] ^= bits;
    }
    let words = words_with(device, SAMPLER, key, &value);
    assert_eq!(words, Ok(expected), "{key} of {value} on {device}");
}

/// What a message of the corpus meets on a generation.
#[derive(serde::Deserialize)]
struct Start {
    surface_state: Vec<String>,
    sampler_state: Vec<String>,
}

/// The fields that a state has, by their keys.
fn decoded_fields(device: Device, fields: &[Field], state: &HardwareState) -> Map<String, Value> {
    let there = fields.iter().filter_map(|field| Some((field.key, field.form(device, state)?)));
    let is_set = |form: &Form| match form {
        Form::Enabled(.., with) => state.get(with) == 1,
        _ => true,
    };
    let set = there.filter(|(_, form)| is_set(form));
    set.map(|(key, form)| (key.to_owned(), decoded(form, state))).collect()
}

fn texture_of(device: Device, state: &HardwareState) -> Value {
    let mut texture = decoded_fields(device, SURFACE, state);
    let format = message_format(device, state.get("Surface Format")).expect("a format");
    let one_more = |name: &str| json!(state.get(name) + 1);
    assert_eq!(["Tiled Surface", "Tile Mode"].map(|name| state.get(name)), [0, 0]);
    texture.extend([
        ("type".to_owned(), json!("texture")),
        (
            "dimensions".to_owned(),
            json!(["1d", "2d", "3d", "cube"][state.get("Surface Type") as usize]),
        ),
        ("base".to_owned(), json!(state.get("Surface Base Address"))),
        ("width".to_owned(), one_more("Width")),
        ("height".to_owned(), one_more("Height")),
        ("depth".to_owned(), one_more("Depth")),
        ("levels".to_owned(), one_more("MIP Count / LOD")),
        ("pitch".to_owned(), one_more("Surface Pitch")),
        ("format".to_owned(), json!(format.name)),
    ]);
    texture.into()
}

fn sampler_of(device: Device, state: &HardwareState) -> Value {
    let mut sampler = decoded_fields(device, SAMPLER, state);
    let filter = |name: &str| ["nearest", "linear", "anisotropic"][state.get(name) as usize];
    let modes = [
        "wrap",
        "mirror",
        "clamp",
        "cube",
        "clamp_border",
        "mirror_once",
        "half_border",
        "mirror_101",
    ];
    let address = ["TCX", "TCY", "TCZ"]
        .map(|axis| modes[state.get(&format!("{axis} Address Control Mode")) as usize]);
    let level = |name: &str| f64::from(state.get(name)) / 256.0;
    let bias = (state.get("Texture LOD Bias") << 19).cast_signed() >> 19;
    sampler.extend([
        ("mag".to_owned(), json!(filter("Mag Mode Filter"))),
        ("min".to_owned(), json!(filter("Min Mode Filter"))),
        (
            "mip".to_owned(),
            json!(["none", "nearest", "", "linear"][state.get("Mip Mode Filter") as usize]),
        ),
        ("address".to_owned(), json!(address)),
        ("lod_bias".to_owned(), json!(f64::from(bias) / 256.0)),
        ("min_lod".to_owned(), json!(level("Min LOD"))),
        ("max_lod".to_owned(), json!(level("Max LOD"))),
        ("max_anisotropy".to_owned(), json!(2 * (state.get("Maximum Anisotropy") + 1))),
        ("non_normalized".to_owned(), json!(state.get("Non-normalized Coordinate Enable") == 1)),
    ]);
    sampler.into()
}

/// The states of the corpus, which a driver wrote for a rasteriser's cases, can be said by fields, to the bit.
#[test]
fn states_of_drivers_have_fields() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/textures/sampling.jsonl.gz");
    let file = std::fs::File::open(path).expect("the corpus");
    let lines = BufReader::new(flate2::read::GzDecoder::new(file)).lines();
    let mut count = 0;
    for line in lines {
        let mut case: Value = serde_json::from_str(&line.expect("text")).expect("a case");
        for (name, device) in [("gen7", Device::Ivb), ("gen9", Device::Skl), ("gen12", Device::Dg1)]
        {
            let Ok(start) = serde_json::from_value::<Start>(case["gens"][name].take()) else {
                continue;
            };
            let [surface, sampler] =
                [(SURFACE, start.surface_state), (SAMPLER, start.sampler_state)].map(
                    |(fields, words)| {
                        let words = words.iter().map(|word| u32::from_str_radix(word, 16));
                        let words: Vec<_> = words.collect::<Result<_, _>>().expect("hex digits");
                        state(device, fields, &words)
                    },
                );
            let words = surface_words(device, &texture_of(device, &surface));
            assert_eq!(words, Ok(surface.into_dwords()), "{} on {device}", case["id"]);
            let words = sampler_words(device, &sampler_of(device, &sampler)).expect("a sampler");
            let mut own = state(device, SAMPLER, &words);
            own.set("Border Color Pointer", 0);
            assert_eq!(own.into_dwords(), sampler.into_dwords(), "{} on {device}", case["id"]);
            count += 1;
        }
    }
    assert_eq!(count, 650);
}

/// Slices are as far apart as levels of the alignment that is given take; what is given itself counts.
#[rstest]
#[case(json!({"depth": 3, "levels": 2}), 12 + 8)]
#[case(json!({"depth": 3, "levels": 2, "vertical_alignment": 16}), 16 + 16)]
#[case(json!({"depth": 3, "levels": 1, "first_level": 1}), 12 + 8)]
#[case(json!({"depth": 3, "levels": 2, "qpitch": 400}), 400)]
fn slices_are_apart(#[case] fields: Value, #[case] rows: u32) {
    let mut surface = texture(Device::Ivb);
    for (key, value) in fields.as_object().expect("fields") {
        surface[key] = value.clone();
    }
    let words = surface_words(Device::Skl, &surface).expect("a texture");
    assert_eq!(4 * (words[1] & 0x7FFF), rows);
}

/// A target of a level is a texture that has levels up to it.
#[rstest]
fn targets_are_a_level(#[values(Device::G45, Device::Ivb, Device::Dg1)] device: Device) {
    let surface = |kind: &str, key: &str, number: u32| {
        json!({
            "type": kind, "dimensions": "3d", "base": 0, "width": 8, "height": 8, "depth": 4,
            "pitch": 64, "format": "R8G8B8A8_UNORM", key: number,
        })
    };
    let target = surface_words(device, &surface("target", "level", 2));
    assert!(target.is_ok());
    assert_eq!(target, surface_words(device, &surface("texture", "levels", 3)));
}

#[rstest]
#[case(Device::Skl, json!({"arrray": true}), "unknown field `arrray`; did you mean array?")]
#[case(Device::Skl, json!({"frobnicate": 1}), "unknown field `frobnicate`, expected one of dimensions, base, ")]
#[case(Device::Ivb, json!({"channels": ["red", "red", "red", "one"]}), "channels: ivb has none")]
#[case(Device::Skl, json!({"array_spacing": "lod0"}), "array_spacing: skl has none")]
#[case(Device::Skl, json!({"corner_texels": true}), "corner_texels: skl has none")]
#[case(Device::Bw, json!({"array": true}), "array: bw has none")]
#[case(Device::Skl, json!({"array": 1}), "array is 1, not true or false")]
#[case(Device::Skl, json!({"first_level": 16}), "first_level is 16, not a whole number from 0 to 15")]
#[case(Device::Skl, json!({"first_level": -1}), "first_level is -1, not a whole number from 0 to 15")]
#[case(Device::Skl, json!({"view_extent": 0}), "view_extent is 0, not a whole number from 1 to 2048")]
#[case(Device::Skl, json!({"qpitch": 6}), "qpitch is 6, not a whole number from 0 to 131068, a multiple of 4")]
#[case(Device::Skl, json!({"base_level": 16}), "base_level is 16, not a number from 0 to 15.5")]
#[case(Device::Skl, json!({"resource_min_lod": "x"}), "resource_min_lod is \"x\", not a number from 0 to 15.99609375")]
#[case(Device::Ivb, json!({"samples": 16}), "samples is 16, not 1, 4 or 8")]
#[case(Device::Ivb, json!({"vertical_alignment": 8}), "vertical_alignment is 8, not 2 or 4")]
#[case(Device::Ivb, json!({"array_spacing": "half"}), "array_spacing is \"half\", not full or lod0")]
#[case(Device::Skl, json!({"faces": ["+w"]}), "faces is [\"+w\"], not a list of +z, -z, +y, -y, +x, -x")]
#[case(Device::Skl, json!({"channels": ["red"]}), "channels is [\"red\"], not a list of 4, each one of zero, ")]
#[case(Device::Skl, json!({"levels": 16}), "levels is 16, not 1 to 15")]
#[case(Device::Skl, json!({"level": 1}), "level: of targets; a texture has levels and first_level")]
#[case(Device::Skl, json!({"blends": false}), "blends: of targets")]
#[case(Device::Skl, json!({"dimensions": null}), "missing field `dimensions`")]
#[case(Device::Skl, json!({"type": "target", "levels": 1}), "levels: of textures; a target is one level")]
#[case(Device::Skl, json!({"type": "target", "height": null}), "missing field `height`")]
#[case(Device::Skl, json!({"type": "target", "level": 15}), "level is 15, not 0 to 14")]
#[case(Device::G45, json!({"type": "target", "level": 14}), "level is 14, not 0 to 13")]
#[case(Device::G45, json!({"levels": 15}), "levels is 15, not 1 to 14")]
fn mistakes_in_surfaces(#[case] device: Device, #[case] fields: Value, #[case] sentence: &str) {
    let mut surface = texture(device);
    for (key, value) in fields.as_object().expect("fields") {
        surface[key] = value.clone();
    }
    let refused = surface_words(device, &surface).expect_err("it is wrong");
    assert!(refused.starts_with(&format!("surface 0: {sentence}")), "{refused}");
}

#[rstest]
#[case(Device::Dg1, json!({"lod_preclmp": "ogl"}), "unknown field `lod_preclmp`; did you mean lod_preclamp?")]
#[case(Device::Dg1, json!({"lod_preclamp": true}), "lod_preclamp is true, not none or ogl")]
#[case(Device::Dg1, json!({"shadow_function": 8}), "shadow_function is 8, not always, never, ")]
#[case(Device::Dg1, json!({"base_level": 1}), "base_level: dg1 has none")]
#[case(Device::Ivb, json!({"reduction": "minimum"}), "reduction: ivb has none")]
#[case(Device::Ivb, json!({"trilinear_quality": "high"}), "trilinear_quality is \"high\", not full, medium or low")]
#[case(Device::Skl, json!({"srgb_decode": "skip"}), "srgb_decode: skl has none")]
#[case(Device::Skl, json!({"address": ["mirror_101", "wrap", "wrap"]}), "address mode mirror_101 is of later generations")]
#[case(Device::Skl, json!({"min_lod": 15}), "min_lod is 15, not 0 to 14")]
#[case(Device::G45, json!({"trilinear_quality": "full"}), "trilinear_quality: g45 has none")]
#[case(Device::Skl, json!({"words": "0 0", "mag": "linear"}), "words: with them no field goes but border")]
#[case(Device::Skl, json!({"words": "0 0", "disabled": true}), "words: with them no field goes but border")]
#[case(Device::Skl, json!({"border": [0, 0, 0, 0], "border_words": "00000000"}), "border and border_words: ")]
fn mistakes_in_samplers(#[case] device: Device, #[case] fields: Value, #[case] sentence: &str) {
    let refused = sampler_words(device, &fields).expect_err("it is wrong");
    assert!(refused.starts_with(&format!("sampler 0: {sentence}")), "{refused}");
}

#[test]
fn keys_are_given_once() {
    let mut case = Case::new(Device::Skl, Vec::new(), Box::new(State::of(Device::Skl)), 1);
    let twice = br#"{"samplers": [{"cube_mode": "override", "cube_mode": "override"}]}"#;
    let refused = apply(&mut case, twice).expect_err("it is there twice");
    assert!(refused.contains("duplicate field `cube_mode`"), "{refused}");
}

/// A row of a table of states.
#[derive(serde::Deserialize)]
struct Row {
    field: String,
    changes_results: String,
}

/// What the tables say changes results can be given by a field.
#[rstest]
#[case("eu-surface-state-by-gen", SURFACE, &[
    // Keys of their own.
    "Tile Walk", "Tiled Surface", "Tile Mode", "Surface Format", "Surface Type", "Surface Base Address", "Width",
    "Height", "Surface Pitch", "Depth", "MIP Count / LOD",
    // Of surfaces and generations that setups do not have.
    "Strbuf Minimum Array Element", "Integer Surface Format",
])]
#[case("eu-sampler-state-by-gen", SAMPLER, &[
    "Texture LOD Bias", "Min Mode Filter", "Mag Mode Filter", "Mip Mode Filter", "Max LOD", "Min LOD",
    "Border Color Pointer", "TCX Address Control Mode", "TCY Address Control Mode", "TCZ Address Control Mode",
    "Non-normalized Coordinate Enable", "Maximum Anisotropy",
])]
fn what_changes_results_has_a_field(
    #[case] table: &str,
    #[case] fields: &[Field],
    #[case] others: &[&str],
) {
    let forms = fields.iter().flat_map(|field| field.places).map(|place| &place.form);
    let named: Vec<_> = forms.flat_map(Form::fields).collect();
    for Row { field, changes_results } in tables::rows(table) {
        let has_key = named.contains(&field.as_str()) || others.contains(&field.as_str());
        assert!(has_key || changes_results == "no", "{field} has no key");
    }
}

/// The guide names every field.
#[test]
fn the_guide_has_every_field() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/guides/threads.md");
    let guide = fs::read_to_string(guide).expect("the guide");
    for Field { key, .. } in SURFACE.iter().chain(SAMPLER) {
        assert!(guide.contains(&format!("`{key}`")), "{key} is not in the guide");
        assert!(super::HELP.contains(key), "{key} is not in the help text");
    }
}
