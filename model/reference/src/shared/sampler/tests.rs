//! Messages of Gen7 and later, on surfaces small enough to compute by hand.

use parallax_isa::{
    Acceptance, Device, Model as _, Reference as _, Step,
    device::Generation,
    eu::{Case, State, text},
    shared::{
        Environment, Request, Sampling, SharedFunctions, Unanswered,
        environment::surface_state_dwords, memory::GRAPHICS_BYTES,
    },
};
use parallax_spec::tables;
use rstest::rstest;
use serde::Deserialize;

use super::{
    super::{Past, Reply, World, later::LaterFunctions, record::Lender},
    coordinate::{Index, Scale, index, texel_address},
    forms,
    message::{Mode, Parameter},
    state::AddressMode,
    surface::Surface,
};
use crate::{eu::Reference, number::Exact};

// Message types.
const SAMPLE_L: u32 = 2;
const SAMPLE_L_C: u32 = 6;
const LD: u32 = 7;
const GATHER4: u32 = 8;
const RESINFO: u32 = 10;
const SAMPLEINFO: u32 = 11;
const LD_MCS: u32 = 29;

// Formats.
const R32G32B32A32_FLOAT: u32 = 0x000;
const R8G8B8A8_UNORM_SRGB: u32 = 0x0C8;
const R32_UINT: u32 = 0x0D7;
const R32_FLOAT: u32 = 0x0D8;

/// A surface, a sampler, a border colour of 7, 8, 9 and 10, and graphics memory, for a message without a header.
struct Setup {
    device: Device,
    surface: Vec<u32>,
    sampler: [u32; 4],
    memory: Vec<u32>,
    header: Option<u32>,
    format_control: u8,
    response: u8,
    enables: u16,
}

impl Setup {
    /// A linear 2D surface of a number of levels whose texels of 32 bits are numbered.
    fn plane(device: Device, format: u32, [width, height]: [u32; 2], levels: u32) -> Self {
        let is_gen7 = device == Device::Ivb;
        let bytes = if format == R32G32B32A32_FLOAT { 16 } else { 4 };
        let mut surface = vec![0; surface_state_dwords(device.generation().expect("it has one"))];
        // Columns and rows are rounded up to four.
        let alignment = if is_gen7 { 1 << 16 } else { 1 << 16 | 1 << 14 };
        surface[0] = 1 << 29 | format << 18 | alignment | 0x3F;
        surface[2] = (height - 1) << 16 | (width - 1);
        surface[3] = width * bytes - 1;
        surface[5] = levels - 1;
        if !is_gen7 {
            surface[7] = 0x0977_0000;
        }
        Self {
            device,
            surface,
            // Filters NEAREST, no clamps, addresses CLAMP.
            sampler: [1 << 20, 14 << 16, 64, 0o222],
            memory: (0..1024).collect(),
            header: None,
            format_control: 0,
            response: 4,
            enables: 0xFF,
        }
    }

    fn filtered(mut self) -> Self {
        self.sampler[0] |= 1 << 14 | 1 << 17;
        self
    }

    /// The reply to a message of SIMD8 with a number of a parameter alike in all channels.
    fn answer(&self, code: u32, parameters: &[u32]) -> Result<Reply, Unanswered> {
        let register = |word: u32| bytes([word; 8]);
        let mut payload: Vec<[u8; 32]> = Vec::new();
        payload.extend(self.header.map(|word| bytes([0, 0, word, 0, 0, 0, 0, 0])));
        payload.extend(parameters.iter().copied().map(register));
        let request = Request {
            target: 2,
            function_control: code << 12 | 1 << 17,
            format_control: self.format_control,
            extended_descriptor: 0,
            has_header: self.header.is_some(),
            payload: &payload,
            channel_enables: self.enables << 8 | self.enables,
            channels: 8,
            response_length: self.response,
            alternative_float_mode: false,
            is_last: false,
        };
        let (environment, sampling, mut state) =
            (self.environment(), self.sampling(), self.state());
        let mut world = World {
            memory: &mut state.memory,
            launch: None,
            local_bytes: 0,
            environment: Some(&environment),
            sampling: Some(&sampling),
            rendering: None,
            thread_start: &[[0; 32]; 3],
            lender: Lender { device: self.device, observer: None },
            past: &mut Past::default(),
        };
        let generation = self.device.generation().expect("it has one");
        let functions = LaterFunctions::of(generation).expect("it has some");
        functions.answer(&request, &mut world)
    }

    fn environment(&self) -> Environment {
        let surface_states = [&[64; 16], &self.surface[..]].concat();
        Environment { surface_states, ..Environment::default() }
    }

    fn sampling(&self) -> Sampling {
        let border = [7_u8, 8, 9, 10].map(float);
        let general_states = [&self.sampler[..], &[0; 12], &border].concat();
        Sampling { general_states, ..Sampling::default() }
    }

    fn state(&self) -> Box<State> {
        let mut state = Box::new(State::of(self.device));
        for (bytes, word) in state.memory.graphics.chunks_mut(4).zip(&self.memory) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        state
    }

    /// Red to alpha of the first channel.
    fn colour(&self, code: u32, parameters: &[u32]) -> Vec<u32> {
        let reply = self.answer(code, parameters).expect("it is answered");
        reply.registers.iter().map(|register| word(&register.bytes, 0)).collect()
    }

    fn refuses(&self, code: u32, parameters: &[u32]) -> bool {
        matches!(self.answer(code, parameters), Err(Unanswered::Undefined(_)))
    }
}

fn bytes(words: [u32; 8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.chunks_mut(4).zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
    bytes
}

fn word(bytes: &[u8; 32], number: usize) -> u32 {
    bytes[4 * number..][..4].iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// A small number as binary32.
fn float(number: impl Into<f32>) -> u32 {
    number.into().to_bits()
}

/// A row of table `eu-surface-layout-examples`.
#[derive(Deserialize)]
struct Example {
    #[serde(rename = "gen")]
    generation: String,
    name: String,
    surface_state_dwords: String,
    #[serde(rename = "level,slice:x,y of its first element (elements)")]
    places: String,
}

#[test]
fn levels_and_slices_are_where_the_examples_have_them() {
    let examples: Vec<Example> = tables::rows("eu-surface-layout-examples");
    let mut compared = 0;
    for example in examples {
        // Multisampled surfaces and tiles W are not modelled.
        if ["4x", "stencil"].iter().any(|what| example.name.contains(what)) {
            continue;
        }
        let device = match &*example.generation {
            "gen7" => Device::Ivb,
            "gen9" => Device::Skl,
            _ => Device::Dg1,
        };
        let hex = |word: &str| u32::from_str_radix(word, 16).expect("a word in hex");
        let words = example.surface_state_dwords.split(' ').map(hex);
        let surface_states = [64; 16].into_iter().chain(words).collect();
        let environment = Environment { surface_states, ..Environment::default() };
        let surface = Surface::bound(&environment, 0, device).expect("a surface");
        let block = surface.format.block;
        for place in example.places.split(' ') {
            let numbers: Vec<i64> =
                place.split([',', ':']).map(|number| number.parse().expect("a number")).collect();
            let [level, slice, mut x, mut y] = numbers[..] else { panic!("{place}") };
            if surface.is_straight() {
                // Its elements are 576 texels apart, one behind the other.
                (x, y) = (x + 576 * y, 0);
            }
            let at = surface.position(level as u32, [0, 0, slice]);
            let found = (at.x / i128::from(block.width), at.y / i128::from(block.height));
            assert_eq!(
                found,
                (x.into(), y.into()),
                "{}, {}, {place}",
                example.generation,
                example.name
            );
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
}

#[rstest]
#[case(24, Mode::Simd8, Generation::Gen7, None)]
#[case(24, Mode::Simd8, Generation::Gen9, Some(&[Parameter::U, Parameter::V, Parameter::R, Parameter::Ai]))]
#[case(7, Mode::Simd16, Generation::Gen7, Some(&[Parameter::U, Parameter::Lod, Parameter::V, Parameter::R]))]
#[case(7, Mode::Simd16, Generation::Gen12, Some(&[Parameter::U, Parameter::V, Parameter::Lod, Parameter::R]))]
#[case(7, Mode::Simd4x2, Generation::Gen7, Some(&[Parameter::U, Parameter::V, Parameter::R, Parameter::Lod]))]
#[case(0, Mode::Simd4x2, Generation::Gen7, None)]
#[case(12, Mode::Simd8, Generation::Gen7, None)]
#[case(22, Mode::Simd8, Generation::Gen9, None)]
fn messages_have_parameters_by_generation(
    #[case] code: u32,
    #[case] mode: Mode,
    #[case] generation: Generation,
    #[case] expected: Option<&[Parameter; 4]>,
) {
    let form = forms::later(code, mode, generation);
    assert_eq!(form.map(|form| form.parameters), expected.map(|parameters| &parameters[..]));
}

#[rstest]
#[case(AddressMode::HalfBorder, -1, Index::Border)]
#[case(AddressMode::HalfBorder, 3, Index::Texel(3))]
#[case(AddressMode::Mirror101, -1, Index::Texel(1))]
#[case(AddressMode::Mirror101, 4, Index::Texel(2))]
#[case(AddressMode::Mirror101, 6, Index::Texel(0))]
#[case(AddressMode::Mirror, 4, Index::Texel(3))]
fn indices_outside_of_four_texels(
    #[case] mode: AddressMode,
    #[case] at: i64,
    #[case] expected: Index,
) {
    assert_eq!(index(mode, at, 4), expected);
}

#[rstest]
// A third of the way from the middle to the edge of 3 texels: 2 texels.
#[case(Scale::Face(Exact::integer(3)), 1, 3, AddressMode::Clamp, 512)]
// Six fourteenths of 5 texels are 548 and four sevenths of 256ths.
#[case(Scale::Face(Exact::integer(7)), -1, 5, AddressMode::Clamp, 548)]
#[case(Scale::Texels, -2, 4, AddressMode::Clamp, -512)]
#[case(Scale::Map, 2, 4, AddressMode::HalfBorder, 1024)]
#[case(Scale::Map, -2, 4, AddressMode::HalfBorder, 0)]
fn addresses_count_what_they_scale(
    #[case] scale: Scale,
    #[case] coordinate: i128,
    #[case] size: u32,
    #[case] mode: AddressMode,
    #[case] expected: i64,
) {
    let coordinate = Exact::integer(coordinate);
    assert_eq!(texel_address(coordinate, Exact::ZERO, scale, size, mode, false), expected);
}

#[rstest]
#[case(Device::Ivb, &[2, 0, 1], 8 + 2)]
#[case(Device::Ivb, &[1, 1, 2], 64 + 16 + 1)]
#[case(Device::Skl, &[2, 1, 0], 8 + 2)]
#[case(Device::Dg1, &[1, 2, 1], 64 + 16 + 1)]
#[case(Device::Skl, &[8, 0, 0], 0)]
#[case(Device::Skl, &[0, u32::MAX, 0], 0)]
#[case(Device::Ivb, &[0, 4, 0], 0)]
fn ld_reads_a_texel(#[case] device: Device, #[case] parameters: &[u32], #[case] red: u32) {
    let plane = Setup::plane(device, R32_UINT, [8, 8], 4);
    assert_eq!(plane.colour(LD, parameters), [red, 0, 0, 1]);
}

#[rstest]
#[case(2.5, 64 + 4)]
#[case(2.501_953_1, 64 + 4)]
#[case(2.503_906_3, 64 + 32 + 4)]
#[case(0.5, 0)]
#[case(1.0, 64)]
#[case(7.0, 64 + 32 + 4)]
fn the_nearest_level_is_the_lower_one_of_two(#[case] lod: f32, #[case] red: u32) {
    for device in [Device::Ivb, Device::Skl, Device::Dg1] {
        let plane = Setup::plane(device, R32_UINT, [8, 8], 4);
        assert_eq!(plane.colour(SAMPLE_L, &[float(lod), 0, 0])[0], red, "{device}");
    }
}

#[test]
fn srgb_is_linear_before_the_filter() {
    let half = [float(0.0), float(0.5), float(0.5)];
    let mut plane = Setup::plane(Device::Dg1, R8G8B8A8_UNORM_SRGB, [2, 1], 1).filtered();
    plane.memory = vec![0xFF00_0000, 0xFFFF_FFFF];
    assert_eq!(plane.colour(SAMPLE_L, &half), [float(0.5), float(0.5), float(0.5), float(1.0)]);
    // A code of a fifth, as it is.
    plane.memory = vec![0xFF33_3333; 2];
    plane.sampler[2] |= 2;
    assert_eq!(plane.colour(SAMPLE_L, &half)[0], float(0.2));
}

#[rstest]
#[case(Device::Ivb, 0.5, 1.0)]
#[case(Device::Ivb, 0.75, 0.0)]
#[case(Device::Dg1, 0.5, 1.0)]
#[case(Device::Dg1, f32::NAN, 1.0)]
fn shadows_are_0_where_the_comparison_holds(
    #[case] device: Device,
    #[case] reference: f32,
    #[case] red: f32,
) {
    let mut plane = Setup::plane(device, R32_FLOAT, [1, 1], 1);
    plane.memory = vec![float(0.5)];
    plane.sampler[1] |= 2 << 1;
    let reply = plane.answer(SAMPLE_L_C, &[float(reference), 0, 0, 0]).expect("it is answered");
    assert_eq!(word(&reply.registers[0].bytes, 0), float(red));
    let open = |register| reply.open_at(register, 0).next().map(|open| open.acceptance);
    assert_eq!([0, 1, 2, 3].map(open), [None, Some(Acceptance::Undefined), open(1), open(1)]);
}

#[rstest]
// The lower left, lower right, upper right and upper left one.
#[case(None, [8, 9, 1, 0])]
// A texel to the right and one up, where the map ends.
#[case(Some(0x1F0), [1, 2, 2, 1])]
fn gather4_goes_round(#[case] header: Option<u32>, #[case] numbers: [u32; 4]) {
    for device in [Device::Ivb, Device::Skl, Device::Dg1] {
        let mut plane = Setup::plane(device, R32_UINT, [8, 8], 1);
        plane.header = header;
        assert_eq!(plane.colour(GATHER4, &[float(0.125), float(0.125)]), numbers);
    }
}

#[test]
fn gather4_has_the_channel_that_the_surface_selects() {
    let mut plane = Setup::plane(Device::Skl, R32G32B32A32_FLOAT, [2, 2], 1);
    // Green takes alpha, the rest is 0 or 1.
    plane.surface[7] = 1 << 25 | 7 << 22 | 1 << 16;
    plane.header = Some(0x1_0000);
    assert_eq!(plane.colour(GATHER4, &[float(0.5), float(0.5)]), [11, 15, 7, 3]);
    plane.header = Some(0x2_0000);
    assert_eq!(plane.colour(GATHER4, &[float(0.5), float(0.5)]), [0; 4]);
    assert_eq!(plane.colour(LD, &[1, 0]), [float(1.0), 7, 0, float(1.0)]);
}

#[test]
fn sizes_are_at_least_1() {
    for device in [Device::Ivb, Device::Skl, Device::Dg1] {
        let mut plane = Setup::plane(device, R32_UINT, [8, 2], 4);
        assert_eq!(plane.colour(RESINFO, &[0]), [8, 2, 0, 4]);
        assert_eq!(plane.colour(RESINFO, &[3]), [1, 1, 0, 4]);
        assert_eq!(plane.colour(RESINFO, &[4]), [0, 0, 0, 4]);
        // An array of three.
        plane.surface[0] |= 1 << 28;
        plane.surface[3] |= 2 << 21;
        assert_eq!(plane.colour(RESINFO, &[1]), [4, 1, 3, 4]);
        plane.header = Some(0);
        assert_eq!(plane.colour(SAMPLEINFO, &[])[0], 1);
        plane.header = None;
        assert_eq!(plane.colour(LD_MCS, &[0]), [0; 4]);
    }
}

#[test]
fn a_clamped_coordinate_meets_half_the_border() {
    let mut plane = Setup::plane(Device::Skl, R32_FLOAT, [2, 1], 1);
    plane.memory = vec![float(1.0), float(3.0)];
    plane.sampler[3] = 0o622;
    let far = [0, float(9.0), 0];
    assert_eq!(plane.colour(SAMPLE_L, &far), [float(3.0), 0, 0, float(1.0)]);
    let plane = plane.filtered();
    assert_eq!(plane.colour(SAMPLE_L, &far), [float(5.0), 0, 0, float(1.0)]);
}

#[rstest]
#[case(2, 3.0)]
#[case(3, 9.0)]
fn a_reduction_takes_one_texel(#[case] kind: u32, #[case] red: f32) {
    let mut plane = Setup::plane(Device::Skl, R32_FLOAT, [2, 1], 1).filtered();
    plane.memory = vec![float(9.0), float(3.0)];
    plane.sampler[3] |= kind << 22 | 1 << 9;
    assert_eq!(plane.colour(SAMPLE_L, &[0, float(0.5), 0])[0], float(red));
}

#[test]
fn numbers_of_16_bits_are_written_word_by_word() {
    let mut plane = Setup::plane(Device::Dg1, R32_FLOAT, [1, 1], 1);
    plane.memory = vec![float(1.5)];
    (plane.format_control, plane.response, plane.enables) = (2, 2, 0b1001);
    let reply = plane.answer(SAMPLE_L, &[0, 0, 0]).expect("it is answered");
    let [red, green] = &reply.registers[..] else { panic!("two registers") };
    assert_eq!((word(&red.bytes, 0), word(&red.bytes, 1)), (0x3E00, 0x3E00_0000));
    assert_eq!(word(&green.bytes, 1), 0);
    // Those of channels that are off stay; the upper half is open.
    assert_eq!(reply.words, [0xFF09; 2]);
    assert_eq!([0, 1, 2].map(|n| reply.written_bits(0, n)), [0xFFFF, 0xFFFF_0000, 0]);
    assert_eq!((4..8).filter(|n| reply.open_at(1, *n).count() == 1).count(), 4);
}

/// Doublewords 0 to 3 of r10 after an `ld` of texels 0 to 7, of 32 or 16 bits, by all channels but the third.
#[rstest]
#[case(Device::Ivb, 0x0242_7000, [0, 1, 0xEEEE_EEEE, 3])]
#[case(Device::Skl, 0x0212_7000, [0, 1, 0xEEEE_EEEE, 3])]
#[case(Device::Skl, 0x4212_7000, [1 << 16, 3 << 16 | 0xEEEE, 5 << 16 | 4, 7 << 16 | 6])]
#[case(Device::Dg1, 0x4212_7000, [1 << 16, 3 << 16 | 0xEEEE, 5 << 16 | 4, 7 << 16 | 6])]
fn threads_get_texels(#[case] device: Device, #[case] descriptor: u32, #[case] expected: [u32; 4]) {
    let plane = Setup::plane(device, R32_UINT, [8, 8], 1);
    let mut state = plane.state();
    state.grf[2] = bytes([0, 1, 2, 3, 4, 5, 6, 7]);
    state.grf[10] = [0xEE; 32];
    state.flag[0] = 0xFB;
    let line = match device {
        Device::Dg1 => format!("(f0.0) send.smpl (8|M0) r10 r2 null 0x0 {descriptor:#x}"),
        _ => format!("(f0.0) send (8|M0) r10:ud r2 0x2 {descriptor:#x}"),
    };
    let program = text::parse(device, &line).expect("it assembles").program;
    let mut case = Case::new(device, program.bytes().to_vec(), state, 4);
    case.surroundings.shared_functions =
        SharedFunctions::around(plane.environment()).with_sampling(plane.sampling());
    let mut reference = Reference::new();
    reference.load(&case).expect("it loads");
    assert_eq!(reference.step(), Step::Continue);
    let red = &reference.state().grf[10];
    assert_eq!([0, 1, 2, 3].map(|number| word(red, number)), expected);
    // The upper half of a register with 16-bit numbers.
    let is_half = descriptor >> 30 == 1;
    assert_eq!(reference.expectations().len(), if is_half { 4 } else { 0 });
}

#[test]
fn a_mask_says_that_all_pixels_have_memory() {
    let plane = Setup::plane(Device::Skl, R32_FLOAT, [4, 4], 1);
    let setup = Setup { header: Some(1 << 23 | 0xE000), response: 2, ..plane };
    for code in [SAMPLE_L, LD] {
        let reply = setup.answer(code, &[0, 0, 0]).expect("a reply");
        let [red, mask] = &reply.registers[..] else { panic!("two registers") };
        assert_eq!((red.enables, mask.enables), (0xFF, 0xFF));
        assert_eq!(mask.bytes[..4], [0xFF, 0, 0, 0]);
        let open: Vec<_> = reply.open.iter().map(|it| (it.register, it.doubleword)).collect();
        assert_eq!(open, [1, 2, 3, 4, 5, 6, 7].map(|dword| (1, dword)));
    }
    assert!(setup.refuses(RESINFO, &[0]));
    assert!(Setup { format_control: 2, ..setup }.refuses(LD, &[0, 0, 0]));
}

/// Whether a texel whose address is rounded, or one of no doubt, comes back where memory ends behind three of
/// four rows.
#[rstest]
#[case::sure_beside_what_is_missing(GRAPHICS_BYTES - 48, 0.4, Some(false))]
#[case::open_inside(GRAPHICS_BYTES - 64, 0.4999, Some(true))]
#[case::open_beside_what_is_missing(GRAPHICS_BYTES - 48, 0.4999, None)]
fn where_any_texel_may_be_met_all_have_to_be_there(
    #[case] base: usize,
    #[case] u: f32,
    #[case] is_open: Option<bool>,
) {
    let mut plane = Setup::plane(Device::Skl, R32_FLOAT, [4, 4], 1);
    plane.surface[8] = base as u32;
    plane.sampler[3] |= 0x3F << 13;
    let reply = plane.answer(SAMPLE_L, &[0, u.to_bits(), 0]);
    let found = reply.ok().map(|reply| reply.open_at(0, 0).next().is_some());
    assert_eq!(found, is_open);
}

#[test]
fn what_the_rules_leave_out_ends_the_run() {
    let plane = || Setup::plane(Device::Skl, R32_FLOAT, [4, 4], 1);
    let with = |change: &dyn Fn(&mut Setup)| {
        let mut setup = plane();
        change(&mut setup);
        setup
    };
    assert!(!plane().refuses(SAMPLE_L, &[0, 0, 0]));
    let refused = [
        ("another length", with(&|setup| setup.response = 5)),
        ("16-bit parameters", with(&|setup| setup.format_control = 1)),
        ("all channels masked", with(&|setup| (setup.header, setup.response) = (Some(0xF000), 0))),
        ("no register for a mask", with(&|setup| setup.header = Some(1 << 23))),
        ("an R offset", with(&|setup| setup.header = Some(1))),
        ("multisamples", with(&|setup| setup.surface[4] = 1 << 3)),
        ("an auxiliary surface", with(&|setup| setup.surface[6] = 1)),
        ("tiles W", with(&|setup| setup.surface[0] |= 1 << 12)),
        ("a reserved select", with(&|setup| setup.surface[7] = 2 << 25)),
        ("an anisotropic filter", with(&|setup| setup.sampler[0] |= 2 << 14)),
        ("trilinear quality", with(&|setup| setup.sampler[3] |= 1 << 11)),
        ("a chroma key", with(&|setup| setup.sampler[1] |= 1 << 7)),
        ("MIRROR_101", with(&|setup| setup.sampler[3] |= 7)),
        ("CUBE of a plane", with(&|setup| setup.sampler[3] = 0o333)),
        ("a surface outside of memory", with(&|setup| setup.surface[8] = 16384)),
    ];
    for (what, setup) in refused {
        assert!(setup.refuses(SAMPLE_L, &[0, 0, 0]), "{what}");
    }
    assert!(plane().refuses(SAMPLE_L, &[0, f32::INFINITY.to_bits(), 0]));
    assert!(plane().refuses(SAMPLE_L, &[0; 6]));
}
