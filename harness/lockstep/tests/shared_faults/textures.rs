//! Faults of messages to the Sampling Engine of Gen7 and later.

use parallax_isa::{
    Device,
    eu::{Instruction, State},
};
use parallax_lockstep::eu::generate;

use super::{
    Eu, Fault, Rewrite, around,
    later::{
        change, descriptor, field, format_as, has_header, kind_as, payload, replaced, sent, states,
        with,
    },
    rewrite,
};
use crate::fault_injection::{Family, all_are_found};

const fn family(name: &'static str, device: Device, faults: &'static [Fault<Eu>]) -> Family<Eu> {
    Family { name, device, generate: generate::sampler_messages, bytes: generate::BYTES, faults }
}

static GEN7: Family<Eu> = family("textures of Gen7", Device::Ivb, FAULTS);
static GEN9: Family<Eu> = family("textures of Gen9", Device::Skl, GEN9_FAULTS);
static GEN12: Family<Eu> = family("textures of Gen12", Device::Dg1, GEN12_FAULTS);

#[test]
fn faults_of_textures_of_gen7_are_found() {
    all_are_found(&GEN7);
}

#[test]
fn faults_of_textures_of_gen9_are_found() {
    all_are_found(&GEN9);
}

#[test]
fn faults_of_textures_of_gen12_are_found() {
    all_are_found(&GEN12);
}

const SAMPLER: &[u8] = &[2];

const FAULTS: &[Fault<Eu>] = &[
    rewrite("sample_l taken for sample_b", |i| code_as(i, 2, 1)),
    rewrite("sample_l_c taken for sample_b_c", |i| code_as(i, 6, 5)),
    rewrite("gather4_c taken for gather4", |i| code_as(i, 16, 8)),
    rewrite("another sampler", |i| with(i, SAMPLER, |bits| Some(bits ^ 1 << 8))),
    sent("U offset lost", |i, state| header(i, state, |bits| bits & !0xF00)),
    sent("V offset without a sign", |i, state| header(i, state, |bits| bits & !0x80)),
    sent("R offset lost", |i, state| header(i, state, |bits| bits & !0xF)),
    sent("another channel gathered", |i, state| header(i, state, |bits| bits ^ 1 << 16)),
    sampler("LOD bias lost", |s| replaced(s, 0, 1, 13, |_| 0)),
    sampler("LOD bias without a sign", |s| replaced(s, 0, 1, 13, |bias| bias & 0xFFF)),
    sampler("nearest level taken for none", |s| replaced(s, 0, 20, 2, as_if(1, 0))),
    sampler("two levels taken for the nearest", |s| replaced(s, 0, 20, 2, as_if(3, 1))),
    sampler("linear magnification taken for nearest", |s| replaced(s, 0, 17, 3, as_if(1, 0))),
    sampler("linear minification taken for nearest", |s| replaced(s, 0, 14, 3, as_if(1, 0))),
    sampler("Base Mip Level lost", |s| replaced(s, 0, 22, 5, |_| 0)),
    sampler("PreClamp lost", |s| replaced(s, 0, 28, 1, |_| 0)),
    sampler("LESS taken for GEQUAL", |s| replaced(s, 1, 1, 3, as_if(2, 7))),
    sampler("ALWAYS taken for NEVER", |s| replaced(s, 1, 1, 3, as_if(0, 1))),
    sampler("Min LOD lost", |s| replaced(s, 1, 20, 12, |_| 0)),
    sampler("Max LOD lost", |s| replaced(s, 1, 8, 12, |_| 14 * 256)),
    sampler("Min LOD without a fraction", |s| replaced(s, 1, 20, 12, |lod| lod & !255)),
    sampler("another border colour", |s| replaced(s, 2, 5, 1, |bit| bit ^ 1)),
    sampler("WRAP taken for MIRROR in u", |s| replaced(s, 3, 6, 3, as_if(0, 1))),
    sampler("MIRROR taken for WRAP in u", |s| replaced(s, 3, 6, 3, as_if(1, 0))),
    sampler("CLAMP taken for WRAP in v", |s| replaced(s, 3, 3, 3, as_if(2, 0))),
    sampler("CLAMP_BORDER taken for CLAMP in v", |s| replaced(s, 3, 3, 3, as_if(4, 2))),
    sampler("MIRROR_ONCE taken for CLAMP in u", |s| replaced(s, 3, 6, 3, as_if(5, 2))),
    sampler("texels taken for normalised coordinates", |s| replaced(s, 3, 10, 1, |_| 0)),
    sampler("rounding of u lost where maps are magnified", |s| replaced(s, 3, 18, 1, |_| 0)),
    around("one level too few", |around| field(around, 5, 0, 4, |levels| levels.saturating_sub(1))),
    around("Surface Min LOD lost", |around| field(around, 5, 4, 4, |_| 0)),
    around("Resource Min LOD lost", |around| field(around, 7, 0, 12, |_| 0)),
    around("Minimum Array Element lost", |around| field(around, 4, 18, 11, |_| 0)),
    around("an array of one element", |around| field(around, 3, 21, 11, |_| 0)),
    around("an array taken for a plane", |around| field(around, 0, 28, 1, |_| 0)),
    around("a column too few", |around| field(around, 2, 0, 14, |last| last.saturating_sub(1))),
    around("a row too few", |around| field(around, 2, 16, 14, |last| last.saturating_sub(1))),
    around("a cube taken for a plane", |around| kind_as(around, 3, 1)),
    around("a null surface taken for a plane", |around| kind_as(around, 7, 1)),
    around("RGBA taken for BGRA", |around| format_as(around, 0x0C7, 0x0C0)),
    around("sRGB taken for linear colours", |around| format_as(around, 0x0C8, 0x0C7)),
    around("signed taken for unsigned", |around| format_as(around, 0x0C9, 0x0C7)),
    around("tiles taken for lines", |around| field(around, 0, 14, 1, |_| 0)),
    around("the faces +X and -X exchanged", |around| {
        states(around, |state| {
            let differ = (state[0] >> 4 ^ state[0] >> 5) & 1 == 1;
            (state[0] >> 29 == 3 && differ).then(|| state[0] ^= 3 << 4)
        })
    }),
];

const GEN9_FAULTS: &[Fault<Eu>] = &[
    sent("ld with its parameters in the order of Gen7", |i, state| {
        let is_ld = |bits: &u32| bits >> 12 & 0x1F == 7 && bits >> 17 & 3 == 1;
        let registers = payload(i);
        if let Some(bits) = descriptor(i, SAMPLER).filter(is_ld)
            && !has_header(bits)
            && registers.len() > 2
        {
            state.grf.swap(registers[1], registers[2]);
        }
    }),
    rewrite("sample_lz taken for sample", |i| code_as(i, 24, 0)),
    around("channels selected in another order", |around| {
        states(around, |state| {
            let (red, blue) = (state[7] >> 25 & 7, state[7] >> 19 & 7);
            let bits = (red ^ blue) << 25 | (red ^ blue) << 19;
            (state[0] >> 29 != 7 && red != blue).then(|| state[7] ^= bits)
        })
    }),
    around("selected zeros taken for ones", |around| {
        field(around, 7, 25, 3, |code| if code == 0 { 1 } else { code })
    }),
    around("layers four rows further apart", |around| field(around, 1, 0, 15, |rows| rows + 1)),
    sampler("HALF_BORDER taken for CLAMP in u", |s| replaced(s, 3, 6, 3, as_if(6, 2))),
    sampler("minimum taken for maximum", |s| {
        (s[3] >> 9 & 1 == 1).then_some(())?;
        replaced(s, 3, 22, 2, as_if(2, 3))
    }),
    sampler("Cube Surface Control Mode lost", |s| replaced(s, 1, 0, 1, |_| 0)),
];

const GEN12_FAULTS: &[Fault<Eu>] = &[
    sampler("sRGB always decoded", |s| replaced(s, 2, 1, 1, |_| 0)),
    sampler("MIRROR_101 taken for MIRROR in u", |s| replaced(s, 3, 6, 3, as_if(7, 1))),
    sampler("clamp of magnified maps lost", |s| replaced(s, 2, 0, 1, |_| 0)),
];

/// A message type taken for another.
fn code_as(i: &mut Instruction, from: u32, to: u32) -> Option<()> {
    with(i, SAMPLER, |bits| (bits >> 12 & 0x1F == from).then_some(bits & !(0x1F << 12) | to << 12))
}

/// Changes doubleword 2 of the header.
fn header(i: &Instruction, state: &mut State, to: fn(u32) -> u32) {
    if descriptor(i, SAMPLER).is_some_and(has_header) {
        change(state, payload(i)[0], 2, to);
    }
}

/// One value of a field taken for another.
fn as_if(from: u32, to: u32) -> impl Fn(u32) -> u32 {
    move |value| if value == from { to } else { value }
}

/// A fault that changes samplers' states before the engine sees them.
const fn sampler(name: &'static str, change: fn(&mut [u32]) -> Option<()>) -> Fault<Eu> {
    Fault::rewrite(name, Rewrite::Table(change))
}
