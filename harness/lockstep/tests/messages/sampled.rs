//! Messages to the Sampling Engine of Gen7 and later on both engines: generated ones, and cases whose results a
//! software rasteriser gave (`corpus/textures/sampling.jsonl.gz`).

use std::io::Read as _;

use parallax_lockstep::eu::setup;
use rstest::rstest;
use serde::Deserialize;
use serde_json::json;

use super::*;

/// Generated messages agree, and most programs of them come to their end.
#[rstest]
fn generated_messages_agree(#[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device) {
    assert_agree(generate::sampler_messages, device, 700);
}

/// So do those to typed surfaces and render targets.
#[rstest]
fn generated_writes_agree(#[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device) {
    assert_agree(generate::target_messages, device, 700);
}

/// A message with its result.
#[derive(Deserialize)]
struct Vector {
    id: String,
    message: String,
    header_dword2: Option<String>,
    /// Red, green, blue and alpha; of a comparison red alone.
    expected: Vec<String>,
    /// 0: the bits; else relative to the greater of 1 and the number.
    tolerance: f64,
    gens: Generations,
}

#[derive(Deserialize)]
struct Generations {
    gen7: Option<Start>,
    gen9: Option<Start>,
    gen12: Option<Start>,
}

/// What a message meets on a generation.
#[derive(Deserialize)]
struct Start {
    surface_state: Vec<String>,
    sampler_state: Vec<String>,
    border: Vec<String>,
    /// Name and word of each parameter, in the order of the payload.
    params: Vec<(String, String)>,
    memory: String,
}

fn vectors() -> Vec<Vector> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/textures/sampling.jsonl.gz");
    let file = std::fs::File::open(path).expect("the corpus");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("it is packed");
    text.lines().map(|line| serde_json::from_str(line).expect("a vector")).collect()
}

fn word(digits: &str) -> u32 {
    u32::from_str_radix(digits, 16).expect("a word")
}

/// The message type (table `eu-sampler-messages-by-gen`).
fn code(message: &str) -> u32 {
    match message {
        "sample_l" => 2,
        "sample_l_c" => 6,
        "ld" => 7,
        "gather4" => 8,
        "resinfo" => 10,
        "gather4_c" => 16,
        other => panic!("{other} is in no vector"),
    }
}

/// A message of SIMD8 to surface 0 with sampler 0: the reply goes to r64 to r67.
fn case(device: Device, vector: &Vector, start: &Start) -> Case {
    let header = vector.header_dword2.as_deref().map(word);
    let length = usize::from(header.is_some()) + start.params.len();
    let descriptor = (length << 25) as u32
        | 4 << 20
        | u32::from(header.is_some()) << 19
        | 1 << 17
        | code(&vector.message) << 12;
    let text = match device {
        Device::Ivb => format!("send (8) r64<1>:ud r2 0x2 {descriptor:#x}"),
        Device::Skl => format!("send (8|M0) r64:ud r2 0x2 {descriptor:#x}"),
        _ => format!("send (8|M0) r64:ud r2 null 0x2 {descriptor:#x}"),
    };
    let mut state = Box::new(State::of(device));
    let header = header.map(|control| [0, 0, control, 0, 0, 0, 0, 0]);
    let parameters = start.params.iter().map(|(_, value)| [word(value); 8]);
    for (register, words) in state.grf[2..].iter_mut().zip(header.into_iter().chain(parameters)) {
        register.copy_from_slice(words.map(u32::to_le_bytes).as_flattened());
    }
    let mut case = Case::new(device, assembled(device, &text), state, 4);
    let joined = |words: &[String]| words.join(" ");
    let memory: Vec<_> = (0..start.memory.len() / 8)
        .map(|n| {
            let bytes = &start.memory[8 * n..][..8];
            format!("{:08x}", word(bytes).swap_bytes())
        })
        .collect();
    let setup = json!({
        "memory": [{"at": 0, "words": joined(&memory)}],
        "surfaces": [{"type": "words", "words": joined(&start.surface_state)}],
        "samplers": [{"words": joined(&start.sampler_state), "border_words": joined(&start.border)}],
    });
    setup::apply(&mut case, setup.to_string().as_bytes()).unwrap_or_else(|why| panic!("{why}"));
    case
}

/// What a rasteriser gave comes back from both engines, on every generation.
#[test]
fn sampled_texels_are_those_of_a_rasteriser() {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for vector in vectors() {
        let Generations { gen7, gen9, gen12 } = &vector.gens;
        for (device, start) in [(Device::Ivb, gen7), (Device::Skl, gen9), (Device::Dg1, gen12)] {
            let Some(start) = start else { continue };
            compared += 1;
            let case = case(device, &vector, start);
            let (outcome, state) = on_both_engines(&case, &vector.id);
            let expected = vector.expected.iter().map(|digits| word(digits));
            let got = state.grf[64..].iter();
            let is_right = expected.zip(got).all(|(expected, got)| {
                got.chunks(4).all(|bytes| {
                    let got = u32::from_le_bytes(bytes.try_into().expect("a word"));
                    is_close(expected, got, vector.tolerance)
                })
            });
            if outcome != Outcome::Halted || !is_right {
                let got = [64, 65, 66, 67].map(|n| {
                    let bytes = state.grf[n].first_chunk().expect("a word");
                    format!("{:08X}", u32::from_le_bytes(*bytes))
                });
                let Vector { id, message, expected, .. } = &vector;
                wrong.push(format!(
                    "{id} {device} {message}: {got:?}, not {expected:?}, {outcome:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong: {wrong:#?}", wrong.len());
    // One line with a border has no case of Gen7.
    assert_eq!(compared, 650);
}

fn is_close(expected: u32, got: u32, tolerance: f64) -> bool {
    if tolerance == 0.0 {
        return expected == got;
    }
    let [expected, got] = [expected, got].map(|bits| f64::from(f32::from_bits(bits)));
    (expected - got).abs() <= tolerance * expected.abs().max(1.0)
}
