//! Faults of messages to the Sampling Engine: descriptors, headers, surfaces and samplers taken for others,
//! results that are a little wrong.

use parallax_isa::{
    Device,
    eu::{
        DataType, Instruction, Opcode, State,
        instruction::{Compression, Predicate},
        operand::{Register, Source},
        register::RegisterFile,
    },
    shared::{Environment, Sampling},
};
use parallax_lockstep::eu::generate;

use super::{
    Disturb, Eu, Fault, Rewrite, around, disturb,
    early_messages::{self, each_surface, reply},
    later::replaced,
    rewrite,
};
use crate::fault_injection::{Family, all_are_found};

const fn family(name: &'static str, device: Device, faults: &'static [Fault<Eu>]) -> Family<Eu> {
    Family { name, device, generate: generate::sampler_messages, bytes: generate::BYTES, faults }
}

static MESSAGES: Family<Eu> = family("sampler", Device::G45, MESSAGE_FAULTS);
static EARLY: Family<Eu> = family("sampler of Gen4", Device::Bw, EARLY_FAULTS);
static CL: Family<Eu> = family("sampler of [DevCL]", Device::Cl, CL_FAULTS);
static SURFACES: Family<Eu> = family("textures", Device::G45, SURFACE_FAULTS);
static SAMPLERS: Family<Eu> = family("samplers", Device::G45, SAMPLER_FAULTS);

#[test]
fn faults_of_messages_to_the_sampling_engine_are_found() {
    all_are_found(&MESSAGES);
    all_are_found(&EARLY);
    all_are_found(&CL);
}

#[test]
fn faults_of_textures_are_found() {
    all_are_found(&SURFACES);
}

#[test]
fn faults_of_samplers_are_found() {
    all_are_found(&SAMPLERS);
}

const MESSAGE_FAULTS: &[Fault<Eu>] = &[
    rewrite("sample_b taken for sample_l", |i| code_as(i, 9, 0, 1)),
    rewrite("sample_l taken for sample_b", |i| code_as(i, 9, 1, 0)),
    rewrite("sample_c taken for sample_l", |i| code_as(i, 9, 2, 1)),
    rewrite("ld taken for sample_c", |i| code_as(i, 9, 3, 2)),
    rewrite("sample_b_c taken for sample_l_c", |i| code_as(i, 6, 0, 1)),
    rewrite("sample_l_c taken for sample_b_c", |i| code_as(i, 6, 1, 0)),
    rewrite("sample_l of two samples taken for sample_c", |i| code_as(i, 2, 1, 0)),
    rewrite("sample_c of two samples taken for sample_l", |i| code_as(i, 2, 0, 1)),
    rewrite("resinfo taken for ld", |i| code_as(i, 3, 2, 3)),
    rewrite("ld taken for sample", |i| code_as(i, 5, 3, 0)),
    rewrite("sample taken for ld", |i| code_as(i, 5, 0, 3)),
    rewrite("another surface", |i| with(i, |bits| (bits & 0xFF < 2).then_some(bits ^ 1))),
    rewrite("a surface's number without its uppermost bit", |i| {
        with(i, |bits| (bits & 1 << 7 != 0).then_some(bits & !(1 << 7)))
    }),
    rewrite("another sampler", |i| with(i, |bits| Some(bits ^ 1 << 8))),
    rewrite("the predicate lost", |i| {
        descriptor(i)?;
        (i.predicate != Predicate::default()).then(|| i.predicate = Predicate::default())
    }),
    rewrite("not masked", |i| {
        descriptor(i)?;
        (!i.no_mask).then(|| i.no_mask = true)
    }),
    rewrite("the second half taken for the first", |i| {
        descriptor(i)?;
        (i.compression == Compression::SecHalf).then(|| i.compression = Compression::None)
    }),
    rewrite("red written back", |i| header(i, 2, |word| word & 1 << 12, |word| word & !(1 << 12))),
    rewrite("alpha written back", |i| {
        header(i, 2, |word| word & 1 << 15, |word| word & !(1 << 15))
    }),
    rewrite("red and blue masks exchanged", |i| {
        let differ = |word: u32| (word >> 12 ^ word >> 14) & 1;
        header(i, 2, differ, |word| word ^ (1 << 12 | 1 << 14))
    }),
    rewrite("U Offset lost", |i| header(i, 2, |word| word & 0xF00, |word| word & !0xF00)),
    rewrite("V Offset lost", |i| header(i, 2, |word| word & 0xF0, |word| word & !0xF0)),
    rewrite("R Offset lost", |i| header(i, 2, |word| word & 0xF, |word| word & !0xF)),
    rewrite("U Offset without a sign", |i| header(i, 2, |word| word & 0x800, |word| word & !0x800)),
    rewrite("Force LOD to Zero lost", |i| {
        header(i, 2, |word| word & 1 << 16, |word| word & !(1 << 16))
    }),
    rewrite("a table of samplers 32 bytes later", |i| {
        header(i, 3, |_| 1, |word| word.wrapping_add(32))
    }),
    disturb("a result one unit too large", |i, before, after| {
        nudge(i, before, after, |bits| (bits & 0x7FFF_FFFF > 0).then_some(bits ^ 1));
    }),
    Fault::disturb(
        "a line of subpixels that is a whole number of times as long as it is wide",
        Disturb::Sample(of_whole_ratio),
    ),
    disturb("results without their lowest bits", |i, before, after| {
        nudge(i, before, after, |bits| Some(bits & !0xFF));
    }),
    disturb("kill masks without those of disabled channels", |i, before, after| {
        if let Some(register) = kill_mask(i, before, after) {
            after.grf[register][0] &= before.flag[0] as u8;
        }
    }),
    disturb("the kill mask has eight bits", |i, before, after| {
        if let Some(register) = kill_mask(i, before, after) {
            after.grf[register][1] = 0;
        }
    }),
];

const EARLY_FAULTS: &[Fault<Eu>] = &[
    rewrite("sizes as floats taken for integers", |i| {
        let is_size = |bits: u32| bits >> 14 & 3 == 2 && bits >> 20 & 0xF <= 3;
        with(i, |bits| (is_size(bits) && bits >> 12 & 3 == 0).then_some(bits | 2 << 12))
    }),
    rewrite("unsigned taken for signed", |i| {
        with(i, |bits| (bits >> 12 & 3 == 2).then_some(bits | 1 << 12))
    }),
    around("fourteen bits lost", |around| {
        each_surface(around, |state| (state[0] >> 27 & 1 == 1).then(|| state[0] &= !(1 << 27)))
    }),
    sampling("the second palette entry lost", |sampling| {
        sampling.palettes[0].get_mut(1).map(|entry| *entry ^= 0x00FF_FFFF)
    }),
];

const CL_FAULTS: &[Fault<Eu>] = &[around("Minimum Array Element lost", |around| {
    each_surface(around, |state| (state[4] >> 17 & 0x7FF != 0).then(|| state[4] &= !(0x7FF << 17)))
})];

const SURFACE_FAULTS: &[Fault<Eu>] = &[
    around("a line taken for a plane", |around| kind_as(around, 0, 1)),
    around("a volume taken for an array", |around| kind_as(around, 2, 1)),
    around("an array taken for a volume", |around| kind_as(around, 1, 2)),
    around("a cube taken for a plane", |around| kind_as(around, 3, 1)),
    around("a null surface taken for a plane", |around| kind_as(around, 7, 1)),
    around("RGBA taken for BGRA", |around| format_as(around, 0x0C7, 0x0C0)),
    around("sRGB taken for linear colours", |around| format_as(around, 0x0C8, 0x0C7)),
    around("signed taken for unsigned", |around| format_as(around, 0x0C9, 0x0C7)),
    around("luminance taken for intensity", |around| format_as(around, 0x146, 0x145)),
    around("luminance taken for red", |around| format_as(around, 0x112, 0x10A)),
    around("BC2 taken for BC3", |around| format_as(around, 0x187, 0x188)),
    around("the first palette taken for the second", |around| format_as(around, 0x14D, 0x14B)),
    around("Cb first taken for Cr first", |around| format_as(around, 0x182, 0x18F)),
    around("one level too many", |around| field(around, 2, 2, 4, |levels| levels + 1)),
    around("one level too few", |around| field(around, 2, 2, 4, |levels| levels.saturating_sub(1))),
    around("Surface Min LOD lost", |around| field(around, 4, 28, 4, |_| 0)),
    around("Minimum Array Element lost", |around| field(around, 4, 17, 11, |_| 0)),
    around("Minimum Array Element of what is no array lost", |around| {
        each_surface(around, |state| {
            let is_alone = state[0] >> 29 < 2 && state[3] >> 21 == 0;
            (is_alone && state[4] >> 17 & 0x7FF != 0).then(|| state[4] &= !(0x7FF << 17))
        })
    }),
    around("a width without its uppermost bit", |around| field(around, 2, 6, 13, |w| w & 0xFFF)),
    around("levels without their uppermost bit", |around| field(around, 2, 2, 4, |n| n & 7)),
    around("Surface Min LOD without its uppermost bit", |around| {
        field(around, 4, 28, 4, |lod| lod & 7)
    }),
    around("a row too wide", |around| field(around, 2, 6, 13, |width| width.saturating_sub(1))),
    around("a row too few", |around| field(around, 2, 19, 13, |height| height.saturating_sub(1))),
    around("an element too few", |around| {
        field(around, 3, 21, 11, |depth| depth.saturating_sub(1))
    }),
    around("levels below taken for levels to the right", |around| field(around, 0, 10, 1, |_| 0)),
    around("lines of a field taken for those of a frame", |around| field(around, 0, 12, 1, |_| 0)),
    around("the second field taken for the first", |around| field(around, 0, 11, 1, |_| 0)),
    around("X-major taken for linear", |around| {
        each_surface(around, |state| (state[3] & 3 == 2).then(|| state[3] &= !3))
    }),
    around("Y-major taken for X-major", |around| {
        each_surface(around, |state| {
            (state[3] & 3 == 3 && (state[3] >> 3 & 0x1_FFFF) % 512 == 511).then(|| state[3] &= !1)
        })
    }),
    around("X Offset lost", |around| field(around, 5, 25, 7, |_| 0)),
    around("Y Offset lost", |around| field(around, 5, 20, 4, |_| 0)),
    around("the faces +X and -X exchanged", |around| {
        each_surface(around, |state| {
            let differ = (state[0] >> 4 ^ state[0] >> 5) & 1 == 1;
            (state[0] >> 29 == 3 && differ).then(|| state[0] ^= 3 << 4)
        })
    }),
    around("a face of six is there always", |around| {
        each_surface(around, |state| {
            (state[0] >> 29 == 3 && state[0] & 1 == 0).then(|| state[0] |= 1)
        })
    }),
];

const SAMPLER_FAULTS: &[Fault<Eu>] = &[
    sampler("disabled taken for enabled", |s| bits_as(s, 0, 31, 1, |_| 0)),
    sampler("DX9 taken for DX10", |s| bits_as(s, 0, 29, 1, |_| 0)),
    sampler("PreClamp lost", |s| bits_as(s, 0, 28, 1, |_| 0)),
    sampler("Base Mip Level lost", |s| bits_as(s, 0, 22, 5, |_| 0)),
    sampler("Base Mip Level in wholes", |s| bits_as(s, 0, 22, 5, |base| base & !1)),
    sampler("MIPFILTER_NEAREST taken for NONE", |s| bits_if(s, 0, 20, 2, 1, 0)),
    sampler("MIPFILTER_LINEAR taken for NEAREST", |s| bits_if(s, 0, 20, 2, 3, 1)),
    sampler("MIPFILTER_NONE taken for NEAREST", |s| bits_if(s, 0, 20, 2, 0, 1)),
    sampler("Mag LINEAR taken for NEAREST", |s| bits_if(s, 0, 17, 3, 1, 0)),
    sampler("Min LINEAR taken for NEAREST", |s| bits_if(s, 0, 14, 3, 1, 0)),
    sampler("Mag ANISOTROPIC taken for LINEAR", |s| bits_if(s, 0, 17, 3, 2, 1)),
    sampler("Min ANISOTROPIC taken for LINEAR", |s| bits_if(s, 0, 14, 3, 2, 1)),
    sampler("Min LINEAR taken for ANISOTROPIC", |s| {
        (s[3] >> 25 & 1 == 0).then_some(())?;
        bits_if(s, 0, 14, 3, 1, 2)
    }),
    sampler("Maximum Anisotropy lost", |s| bits_as(s, 3, 19, 3, |_| 0)),
    sampler("Maximum Anisotropy one step more", |s| bits_as(s, 3, 19, 3, |most| (most + 1).min(7))),
    sampler("Maximum Anisotropy one step less", |s| {
        bits_as(s, 3, 19, 3, |most| most.saturating_sub(1))
    }),
    sampler("Min and Mag exchanged", |s| {
        let (mag, min) = (s[0] >> 17 & 7, s[0] >> 14 & 7);
        (mag != min).then(|| s[0] = s[0] & !(0x3F << 14) | min << 17 | mag << 14)
    }),
    sampler("Texture LOD Bias lost", |s| bits_as(s, 0, 3, 11, |_| 0)),
    sampler("Texture LOD Bias without a sign", |s| bits_as(s, 0, 3, 11, |bias| bias & 0x3FF)),
    sampler("Texture LOD Bias one 64th less", |s| {
        bits_as(s, 0, 3, 11, |bias| if bias == 0 { 0 } else { bias.wrapping_sub(1) & 0x7FF })
    }),
    sampler("ALWAYS taken for NEVER", |s| bits_if(s, 0, 0, 3, 0, 1)),
    sampler("LESS taken for GEQUAL", |s| bits_if(s, 0, 0, 3, 2, 7)),
    sampler("LESS taken for LEQUAL", |s| bits_if(s, 0, 0, 3, 2, 4)),
    sampler("EQUAL taken for NOTEQUAL", |s| bits_if(s, 0, 0, 3, 3, 6)),
    sampler("GREATER taken for GEQUAL", |s| bits_if(s, 0, 0, 3, 5, 7)),
    sampler("NOTEQUAL taken for ALWAYS", |s| bits_if(s, 0, 0, 3, 6, 0)),
    sampler("Min LOD lost", |s| bits_as(s, 1, 22, 10, |_| 0)),
    sampler("Min LOD without a fraction", |s| bits_as(s, 1, 22, 10, |lod| lod & !63)),
    sampler("Max LOD lost", |s| bits_as(s, 1, 12, 10, |_| 832)),
    sampler("Max LOD without a fraction", |s| bits_as(s, 1, 12, 10, |lod| lod & !63)),
    sampler("Max LOD of a 64th above a level taken for the level", |s| {
        (s[1] >> 12 & 63 == 1).then(|| s[1] &= !(1 << 12))
    }),
    sampler("a column of MONO lost", |s| {
        bits_as(s, 3, 26, 3, |columns| if columns > 1 { columns - 1 } else { columns })
    }),
    sampler("Cube Surface Control Mode lost", |s| bits_as(s, 1, 9, 1, |_| 0)),
    sampler("WRAP taken for MIRROR in u", |s| bits_if(s, 1, 6, 3, 0, 1)),
    sampler("MIRROR taken for WRAP in u", |s| bits_if(s, 1, 6, 3, 1, 0)),
    sampler("CLAMP taken for WRAP in v", |s| bits_if(s, 1, 3, 3, 2, 0)),
    sampler("CLAMP_BORDER taken for CLAMP in v", |s| bits_if(s, 1, 3, 3, 4, 2)),
    sampler("CLAMP_BORDER taken for CLAMP in r", |s| bits_if(s, 1, 0, 3, 4, 2)),
    sampler("MIRROR_ONCE taken for CLAMP in u", |s| bits_if(s, 1, 6, 3, 5, 2)),
    sampler("MIRROR_ONCE taken for MIRROR in v", |s| bits_if(s, 1, 3, 3, 5, 1)),
    sampler("CUBE taken for CLAMP", |s| {
        (s[1] & 0x1FF == 0o333).then(|| s[1] = s[1] & !0x1FF | 0o222)
    }),
    sampler("modes of u and v exchanged", |s| {
        let (u, v) = (s[1] >> 6 & 7, s[1] >> 3 & 7);
        (u != v).then(|| s[1] = s[1] & !(0x3F << 3) | v << 6 | u << 3)
    }),
    sampler("another border colour", |s| {
        s[2] ^= 32;
        Some(())
    }),
    sampler("rows and columns of MONO exchanged", |s| {
        let (rows, columns) = (s[3] >> 29, s[3] >> 26 & 7);
        (rows != columns).then(|| s[3] = s[3] & !(0x3F << 26) | columns << 29 | rows << 26)
    }),
    sampler("ChromaKey lost", |s| bits_as(s, 3, 25, 1, |_| 0)),
    sampler("another chroma key", |s| {
        s[3] ^= 1 << 23;
        Some(())
    }),
    sampler("REPLACE_BLACK taken for KILL", |s| bits_as(s, 3, 22, 1, |_| 0)),
    sampler("KILL taken for REPLACE_BLACK", |s| bits_as(s, 3, 22, 1, |_| 1)),
    sampler("rounding of u lost where maps are magnified", |s| bits_as(s, 3, 18, 1, |_| 0)),
    sampler("rounding of u lost where maps are minified", |s| bits_as(s, 3, 17, 1, |_| 0)),
    sampler("rounding of v lost where maps are magnified", |s| bits_as(s, 3, 16, 1, |_| 0)),
    sampler("rounding of v lost where maps are minified", |s| bits_as(s, 3, 15, 1, |_| 0)),
    sampler("rounding of r lost where maps are magnified", |s| bits_as(s, 3, 14, 1, |_| 0)),
    sampler("rounding of r lost where maps are minified", |s| bits_as(s, 3, 13, 1, |_| 0)),
    sampling("border colours below 0 taken for 0", |sampling| {
        let is_below = |word: u32| [-1.0_f32, -0.25, -2.0].map(f32::to_bits).contains(&word);
        let mut words =
            sampling.general_states.iter_mut().filter(|word| is_below(**word)).peekable();
        words.peek()?;
        words.for_each(|word| *word = 0);
        Some(())
    }),
    sampling("palettes exchanged", |sampling| {
        sampling.palettes.swap(0, 1);
        Some(())
    }),
    sampling("red and blue of palettes exchanged", |sampling| {
        for entry in sampling.palettes.iter_mut().flatten() {
            let [blue, green, red, alpha] = entry.to_le_bytes();
            *entry = u32::from_le_bytes([red, green, blue, alpha]);
        }
        Some(())
    }),
    sampling("keys from low to below high", |sampling| {
        for [_, high] in &mut sampling.chroma_keys {
            *high = high.wrapping_sub(0x0001_0101);
        }
        Some(())
    }),
    sampling("chroma replicated", |sampling| {
        sampling.interpolates_chroma.then(|| sampling.interpolates_chroma = false)
    }),
];

/// Changes results of `sample_d` with an anisotropic filter where one side of a pixel is exactly so many times as
/// long as the other as there are subpixels.
fn of_whole_ratio(
    around: &Environment,
    sampling: &Sampling,
    i: &Instruction,
    _: &State,
    after: &mut State,
) {
    const SAMPLE_D: u32 = 2;
    const LENGTHS: [u32; 2] = [7, 4];
    let (Some(bits), Some(first)) = (descriptor(i), reply(i)) else { return };
    let header = i.message.map_or(0, |message| usize::from(message.current_destination));
    if bits >> 12 & 15 != SAMPLE_D || [bits >> 20 & 15, bits >> 16 & 15] != LENGTHS {
        return;
    }
    let word = |register: usize, dword: usize| {
        let bytes = &after.mrf[register][4 * dword..][..4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    };
    let table = word(header, 3) as usize / 32 * 8;
    let filters = sampling.general_states.get(table + 4 * (bits >> 8 & 15) as usize);
    let is_anisotropic = filters.is_some_and(|s| s >> 14 & 7 == 2 && s >> 17 & 7 == 2);
    let place = around.binding_table as usize / 4 + (bits & 0xFF) as usize;
    let surface = around.surface_states.get(place).map_or(0, |entry| *entry as usize / 32 * 8);
    let Some(size) = around.surface_states.get(surface + 2).filter(|_| is_anisotropic) else {
        return;
    };
    let size = [(size >> 6 & 0x1FFF) + 1, (size >> 19) + 1].map(f64::from);
    for lane in 0..8 {
        let texels = |n: usize| f64::from(f32::from_bits(word(header + 3 + n, lane))) * size[n % 2];
        let [a, b] = [0, 2].map(|n| texels(n).powi(2) + texels(n + 1).powi(2));
        let [minor, major] = [a.min(b), a.max(b)];
        let is_whole = |ways: u32| minor > 0.0 && major == minor * f64::from(ways * ways);
        if (2..=16).step_by(2).any(is_whole) {
            for register in &mut after.grf[first..first + 4] {
                register[4 * lane + 2] ^= 0x40;
            }
        }
    }
}

// Descriptors and headers

const TARGETS: &[u32] = &[2];

fn descriptor(i: &Instruction) -> Option<u32> {
    early_messages::descriptor(i, TARGETS)
}

fn with(i: &mut Instruction, change: impl FnOnce(u32) -> Option<u32>) -> Option<()> {
    early_messages::with(i, TARGETS, change)
}

/// A message type taken for another, of messages of so many registers.
fn code_as(i: &mut Instruction, length: u32, from: u32, to: u32) -> Option<()> {
    with(i, |bits| {
        let is_one = bits >> 20 & 0xF == length && bits >> 12 & 0xF == from;
        is_one.then_some(bits & !(0xF << 12) | to << 12)
    })
}

/// Changes a doubleword of a header, where something of it is not zero.
fn header(
    i: &mut Instruction,
    dword: u8,
    matters: impl Fn(u32) -> u32,
    change: impl Fn(u32) -> u32,
) -> Option<()> {
    let is_header = i.opcode == Opcode::Mov && i.execution_size == 1;
    let Register::Direct { file: RegisterFile::Mrf, subregister, .. } = i.destination.register
    else {
        return None;
    };
    let Source::Immediate { data_type: DataType::Ud, bits } = &mut i.sources[0] else {
        return None;
    };
    let word = *bits as u32;
    (is_header && subregister == 4 * dword && matters(word) != 0).then(|| {
        *bits = change(word).into();
    })
}

/// The register of the kill mask that a message wrote.
fn kill_mask(i: &Instruction, before: &State, after: &State) -> Option<usize> {
    let bits = descriptor(i)?;
    let kills = (bits >> 12 & 0xF, bits >> 20 & 0xF) == (1, 4) && before.grf != after.grf;
    kills.then(|| reply(i)).flatten().map(|first| first + 4)
}

/// Changes the doublewords that a message wrote.
fn nudge(i: &Instruction, before: &State, after: &mut State, change: fn(u32) -> Option<u32>) {
    if descriptor(i).is_none() {
        return;
    }
    for (new, old) in after.grf.iter_mut().zip(&before.grf) {
        for (new, old) in new.chunks_mut(4).zip(old.chunks(4)) {
            if new != old {
                let bits = u32::from_le_bytes([new[0], new[1], new[2], new[3]]);
                if let Some(changed) = change(bits) {
                    new.copy_from_slice(&changed.to_le_bytes());
                }
            }
        }
    }
}

// Surfaces

/// Changes the surface states behind the binding table.
fn kind_as(around: &mut Environment, from: u32, to: u32) -> Option<()> {
    each_surface(around, |state| {
        (state[0] >> 29 == from).then(|| state[0] = state[0] & !(7 << 29) | to << 29)
    })
}

fn format_as(around: &mut Environment, from: u32, to: u32) -> Option<()> {
    each_surface(around, |state| {
        (state[0] >> 18 & 0x1FF == from).then(|| state[0] = state[0] & !(0x1FF << 18) | to << 18)
    })
}

/// Changes a field of all surface states that is not what it becomes.
fn field(
    around: &mut Environment,
    dword: usize,
    low: u32,
    width: u32,
    change: fn(u32) -> u32,
) -> Option<()> {
    each_surface(around, |state| replaced(state, dword, low, width, change))
}

// Samplers

/// A fault that changes samplers' states before the engine sees them.
const fn sampler(name: &'static str, change: fn(&mut [u32]) -> Option<()>) -> Fault<Eu> {
    Fault::rewrite(name, Rewrite::Sampler(change))
}

/// A fault that changes what else samplers meet.
const fn sampling(name: &'static str, change: fn(&mut Sampling) -> Option<()>) -> Fault<Eu> {
    Fault::rewrite(name, Rewrite::Sampling(change))
}

fn bits_as(
    state: &mut [u32],
    dword: usize,
    low: u32,
    width: u32,
    change: fn(u32) -> u32,
) -> Option<()> {
    replaced(state, dword, low, width, change)
}

fn bits_if(
    state: &mut [u32],
    dword: usize,
    low: u32,
    width: u32,
    from: u32,
    to: u32,
) -> Option<()> {
    replaced(state, dword, low, width, |value| if value == from { to } else { value })
}
