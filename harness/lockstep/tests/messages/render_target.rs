//! Render target writes on both engines, with what has to come of them.

use parallax_isa::{
    shared::{
        Environment, Rendering, SharedFunctions,
        rendering::{AlphaTest, DepthBuffer},
    },
    surface::{
        operation::{DepthFormat, Equation, Stencil},
        pixel::{BlendFactor, BlendFunction, CompareFunction, LogicOp, StencilOp},
    },
};
use rstest::rstest;

use super::*;

/// Generated messages agree, and most programs of them come to their end.
#[rstest]
fn generated_messages_agree(
    #[values(Device::Bw, Device::Cl, Device::Ctg, Device::G45)] device: Device,
) {
    assert_agree(generate::render_target_messages, device, 600);
}

const R32_UINT: u32 = 0x0D7;
const R8G8B8A8_UNORM: u32 = 0x0C7;

/// A surface of a type in lines: base, width, height and pitch.
fn surface(kind: u32, format: u32, width: u32, height: u32, pitch: u32) -> [u32; 6] {
    let sizes = (height - 1) << 19 | (width - 1) << 6;
    [kind << 29 | format << 18 | 1 << 13, 0, sizes, (pitch - 1) << 3, 0, 0]
}

/// 8 by 8 pixels of a doubleword.
fn plane(format: u32) -> [u32; 6] {
    surface(1, format, 8, 8, 32)
}

struct Start {
    device: Device,
    surface: [u32; 6],
    rendering: Rendering,
    /// Dword 0 of the header.
    enables: u32,
    /// Dwords 6 and 7 of its second register.
    flags: u32,
    array_index: u32,
    corners: [u32; 4],
    /// From m3 on.
    payload: Vec<[u32; 8]>,
}

impl Default for Start {
    fn default() -> Self {
        Self {
            device: Device::G45,
            surface: plane(R32_UINT),
            rendering: Rendering::default(),
            enables: 0xFFFF,
            flags: 0,
            array_index: 0,
            // Two by two subspans.
            corners: [0, 2, 2 << 16, 2 << 16 | 2],
            payload: Vec::new(),
        }
    }
}

impl Start {
    fn case(&self, program: &str) -> Case {
        let program = assembled(self.device, program);
        let [a, b, c, d] = self.corners;
        let first = [self.enables, 9, 9, 9, 9, 9, 9, 9];
        let second = [9, 9, a, b, c, d, self.flags, self.array_index << 16];
        let registers = [first, second].into_iter().chain(self.payload.iter().copied());
        let mut state = with_payload(registers);
        state.memory.graphics.fill(OLD as u8);
        let mut case = Case::new(self.device, program, state, 20);
        let mut surface_states = vec![0; 16];
        surface_states[0] = 32;
        surface_states[8..14].copy_from_slice(&self.surface);
        let environment = Environment { surface_states, ..Environment::default() };
        case.surroundings.shared_functions =
            SharedFunctions::around(environment).with_rendering(self.rendering.clone());
        case
    }

    fn run(&self, program: &str) -> (Outcome, State) {
        on_both_engines(&self.case(program), program)
    }
}

/// The doubleword at a byte of memory.
fn at(state: &State, byte: usize) -> u32 {
    u32::from_le_bytes(state.memory.graphics[byte..byte + 4].try_into().expect("four bytes"))
}

/// Sixteen pixels that count from 100 on in red.
fn sixteen() -> Vec<[u32; 8]> {
    let (low, high) = (counting(100), counting(108));
    vec![low, [1; 8], [2; 8], [3; 8], high, [1; 8], [2; 8], [3; 8]]
}

/// Eight pixels of one colour.
fn eight(colour: [f32; 4]) -> Vec<[u32; 8]> {
    colour.map(|channel| [channel.to_bits(); 8]).to_vec()
}

const SIXTEEN: &str = "send (16) null<1>:uw m1 null 0x05A04800";
const EIGHT: &str = "send (8) null<1>:ud m1 null 0x05604C00";

/// Where slots are in a target of 8 by 8: four subspans of two by two pixels.
fn place(slot: usize) -> usize {
    let (subspan, pixel) = (slot / 4, slot % 4);
    let (x, y) = (2 * (subspan % 2) + pixel % 2, 2 * (subspan / 2) + pixel / 2);
    32 * y + 4 * x
}

#[test]
fn sixteen_slots_are_four_subspans() {
    // The channels that the send has do not matter.
    let start = Start { payload: sixteen(), enables: 0xFFFF & !(1 << 6), ..Start::default() };
    let (outcome, state) = start.run(&format!("(f0.0) {SIXTEEN}"));
    assert_eq!(outcome, Outcome::Halted);
    for slot in 0..16 {
        let wanted = if slot == 6 { OLD } else { 100 + slot as u32 };
        assert_eq!(at(&state, place(slot)), wanted, "slot {slot}");
    }
    assert_eq!(at(&state, 16), OLD, "beside the subspans");
}

#[test]
fn eight_slots_are_the_first_two_subspans() {
    let payload = vec![counting(100), [1; 8], [2; 8], [3; 8]];
    let start = Start { payload, ..Start::default() };
    let (_, state) = start.run(EIGHT);
    for slot in 0..16 {
        let wanted = if slot < 8 { 100 + slot as u32 } else { OLD };
        assert_eq!(at(&state, place(slot)), wanted, "slot {slot}");
    }
}

#[test]
fn pixels_outside_are_dropped() {
    let corners = [7, 7 << 16, 100, 9 << 16 | 9];
    let start = Start { payload: sixteen(), corners, ..Start::default() };
    let (outcome, state) = start.run(SIXTEEN);
    assert_eq!(outcome, Outcome::Halted);
    let written: Vec<_> = (0..4096).step_by(4).filter(|n| at(&state, *n) != OLD).collect();
    assert_eq!(written, [28, 60, 224, 228], "two of each of the first two subspans");
}

#[rstest]
#[case::x_major(2, 512, |x: usize, y: usize| 512 * y + 4 * x)]
#[case::y_major(3, 128, |x: usize, y: usize| 16 * y + x / 4 * 512 + x % 4 * 4)]
fn one_colour_for_all(
    #[case] walk: u32,
    #[case] pitch: u32,
    #[case] address: fn(usize, usize) -> usize,
) {
    let mut target = surface(1, R32_UINT, 8, 8, pitch);
    target[3] |= walk;
    let payload = vec![[77, 1, 2, 3, 9, 9, 9, 9]];
    let start = Start { surface: target, payload, ..Start::default() };
    let (outcome, state) = start.run("send (16) null<1>:uw m1 null 0x05304900");
    assert_eq!(outcome, Outcome::Halted);
    for (x, y) in (0..8).flat_map(|x| (0..8).map(move |y| (x, y))) {
        let wanted = if x < 4 && y < 4 { 77 } else { OLD };
        assert_eq!(at(&state, address(x, y)), wanted, "{x}, {y}");
    }
}

fn equation(source_factor: BlendFactor, destination_factor: BlendFactor) -> Equation {
    Equation { function: BlendFunction::Add, source_factor, destination_factor }
}

/// The second colour is a factor; of the upper subspans the upper half of the pixel enables counts.
#[rstest]
#[case::low("send (8) null<1>:ud m1 null 0x05A04A00", 0)]
#[case::high("send (8) null<1>:ud m1 null 0x05A04B00", 8)]
fn two_sources(#[case] program: &str, #[case] first: usize) {
    let by_second = equation(BlendFactor::Src1Color, BlendFactor::Zero);
    let rendering = Rendering { blend: Some((by_second, by_second)), ..Rendering::default() };
    let mut payload = eight([1.0, 1.0, 0.5, 1.0]);
    payload.extend(eight([0.4, 1.0, 1.0, 0.2]));
    let enables = 0b1010_0101_0000_1111;
    let start =
        Start { surface: plane(R8G8B8A8_UNORM), rendering, payload, enables, ..Start::default() };
    let (outcome, state) = start.run(program);
    assert_eq!(outcome, Outcome::Halted);
    for slot in 0..16 {
        let is_written = (first..first + 8).contains(&slot) && enables >> slot & 1 == 1;
        let wanted = if is_written { 0x3380_FF66 } else { OLD };
        assert_eq!(at(&state, place(slot)), wanted, "slot {slot}");
    }
}

/// Bits 17 to 14 disable alpha, red, green and blue.
#[rstest]
#[case(0b1000, 0xEE40_80FF)]
#[case(0b0100, 0xFF40_80EE)]
#[case(0b0010, 0xFF40_EEFF)]
#[case(0b0001, 0xFFEE_80FF)]
fn disabled_components_stay(#[case] disables: u32, #[case] wanted: u32) {
    let mut target = plane(R8G8B8A8_UNORM);
    target[0] |= disables << 14;
    let payload = eight([1.0, 0.5, 0.25, 1.0]);
    let (_, state) = Start { surface: target, payload, ..Start::default() }.run(EIGHT);
    assert_eq!(at(&state, 0), wanted);
}

/// Blending takes the enable of the surface too.
#[rstest]
#[case(true, 0x7777_7777)]
#[case(false, 0x0000_0000)]
fn a_surface_enables_blending(#[case] is_enabled: bool, #[case] wanted: u32) {
    let halves = equation(BlendFactor::One, BlendFactor::ConstColor);
    let rendering = Rendering {
        blend: Some((halves, halves)),
        constant: [0.5_f32.to_bits(); 4],
        ..Rendering::default()
    };
    let mut target = plane(R8G8B8A8_UNORM);
    target[0] = target[0] & !(1 << 13) | u32::from(is_enabled) << 13;
    let payload = eight([0.0; 4]);
    let (_, state) = Start { surface: target, rendering, payload, ..Start::default() }.run(EIGHT);
    assert_eq!(at(&state, 0), wanted);
}

#[test]
fn bits_are_combined() {
    let rendering = Rendering { logic: Some(LogicOp::Xor), ..Rendering::default() };
    let payload = eight([1.0, 0.0, 1.0, 0.0]);
    let start = Start { surface: plane(R8G8B8A8_UNORM), rendering, payload, ..Start::default() };
    assert_eq!(at(&start.run(EIGHT).1, 0), 0xEE11_EE11);
}

#[test]
fn pixels_of_little_alpha_are_dropped() {
    let test = AlphaTest { function: CompareFunction::Greater, reference: 0.5_f32.to_bits() };
    let rendering = Rendering { alpha_test: Some(test), ..Rendering::default() };
    let mut payload = eight([1.0; 4]);
    payload[3][2] = 0.5_f32.to_bits();
    let start = Start { surface: plane(R8G8B8A8_UNORM), rendering, payload, ..Start::default() };
    let (_, state) = start.run(EIGHT);
    let written = (0..8).map(|slot| at(&state, place(slot)) == 0xFFFF_FFFF);
    assert_eq!(written.collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7].map(|slot| slot != 2));
}

const BUFFER: DepthBuffer =
    DepthBuffer { format: DepthFormat::D24Unorm, base: 4096, pitch: 32, is_tiled: false };

/// Depth of the message against that which was in the buffer; only the last target's message writes it.
#[rstest]
#[case::last("send (8) null<1>:ud m1 null 0x05804C00", true)]
#[case::another("send (8) null<1>:ud m1 null 0x05804400", false)]
fn near_pixels_are_written(#[case] program: &str, #[case] is_last: bool) {
    let rendering = Rendering {
        depth_test: Some(CompareFunction::Less),
        writes_depth: true,
        depth_buffer: Some(BUFFER),
        ..Rendering::default()
    };
    let depths = [0.0_f32, 0.25, 0.5, 0.75, 1.0, 0.5, 0.0, 2.0].map(f32::to_bits);
    let mut payload = vec![counting(100), [0; 8], [0; 8], [0; 8]];
    payload.extend([depths, [0xAA80_0000; 8]]);
    let flags = 3 << 28;
    let start = Start { rendering, payload, flags, ..Start::default() };
    let (outcome, state) = start.run(program);
    assert_eq!(outcome, Outcome::Halted);
    let kept = [Some(0), Some(0x40_0000), None, None, None, None, Some(0), None];
    for (slot, depth) in kept.into_iter().enumerate() {
        let colour = if depth.is_some() { 100 + slot as u32 } else { OLD };
        assert_eq!(at(&state, place(slot)), colour, "slot {slot}");
        let depth = depth.filter(|_| is_last).map_or(OLD, |depth| depth | 0xEE00_0000);
        assert_eq!(at(&state, 4096 + place(slot)), depth, "slot {slot}");
    }
}

/// The values of the message against the reference, with one state for each facing.
#[rstest]
#[case::front(0, 5)]
#[case::back(1 << 31, 7)]
fn stencil_values_are_counted(#[case] facing: u32, #[case] reference: u8) {
    let state = |reference| Stencil {
        function: CompareFunction::Lequal,
        reference,
        read_mask: 0xFF,
        write_mask: 0xFF,
        fail: StencilOp::Decr,
        depth_fail: StencilOp::Zero,
        pass: StencilOp::Incr,
    };
    let rendering = Rendering {
        stencil: [Some(state(5)), Some(state(7))],
        depth_buffer: Some(BUFFER),
        ..Rendering::default()
    };
    let mut payload = vec![[0x0706_0504, 0x0908_0706, 0, 0, 0, 0, 0, 0]];
    payload.extend([counting(100), [0; 8], [0; 8], [0; 8]]);
    let start = Start { rendering, payload, flags: facing | 1 << 27, ..Start::default() };
    let (outcome, after) = start.run("send (8) null<1>:ud m1 null 0x05704C00");
    assert_eq!(outcome, Outcome::Halted);
    for (slot, stored) in [4, 5, 6, 7, 6, 7, 8, 9_u8].into_iter().enumerate() {
        let passes = reference <= stored;
        let colour = if passes { 100 + slot as u32 } else { OLD };
        assert_eq!(at(&after, place(slot)), colour, "slot {slot}");
        let left = if passes { stored + 1 } else { stored - 1 };
        let wanted = 0x00EE_EEEE | u32::from(left) << 24;
        assert_eq!(at(&after, 4096 + place(slot)), wanted, "slot {slot}");
    }
}

/// Array elements are h0 + h1 + 22 rows apart, slices and faces h0; beyond the last one is the first.
#[rstest]
#[case::array(1, 3, 0, 2, 2 * (8 + 4 + 22))]
#[case::beyond_an_array(1, 3, 0, 4, 0)]
#[case::least_element(1, 1, 1, 1, 2 * (8 + 4 + 22))]
#[case::beyond_from_the_least(1, 1, 1, 2, 8 + 4 + 22)]
#[case::volume(2, 4, 0, 3, 3 * 8)]
#[case::cube(3, 0, 0, 5, 5 * 8)]
#[case::beyond_a_cube(3, 0, 0, 6, 0)]
fn array_elements(
    #[case] kind: u32,
    #[case] last: u32,
    #[case] least: u32,
    #[case] array_index: u32,
    #[case] row: usize,
) {
    let mut target = surface(kind, R32_UINT, 8, 8, 32);
    target[3] |= last << 21;
    target[4] = least << 17 | last << 8;
    let payload = vec![counting(100), [0; 8], [0; 8], [0; 8]];
    let start = Start { surface: target, payload, array_index, ..Start::default() };
    let (outcome, state) = start.run(EIGHT);
    assert_eq!(outcome, Outcome::Halted);
    assert_eq!(at(&state, 32 * row), 100);
}

/// Elements of a buffer by X alone.
#[test]
fn buffers_are_rows() {
    let mut target = surface(4, R32_UINT, 6, 1, 12);
    target[1] = 256;
    let corners = [0, 4, 0, 0];
    let payload = vec![counting(100), [0; 8], [0; 8], [0; 8]];
    let start = Start { surface: target, corners, payload, ..Start::default() };
    let (outcome, state) = start.run(EIGHT);
    assert_eq!(outcome, Outcome::Halted);
    let elements = [0, 1, 2, 4, 5, 6].map(|n| at(&state, 256 + 12 * n));
    assert_eq!(elements, [100, 101, OLD, 104, 105, OLD]);
}

/// A last message is carried out if the case has its target, and ends the run untouched if not.
#[rstest]
#[case("send (8) null<1>:ud m1 null 0x05604C00 {EOT}", 100)]
#[case("send (8) null<1>:ud m1 null 0x05604C20 {EOT}", OLD)]
fn last_messages(#[case] program: &str, #[case] wanted: u32) {
    let payload = vec![counting(100), [0; 8], [0; 8], [0; 8]];
    let (outcome, state) = Start { payload, ..Start::default() }.run(program);
    assert_eq!((outcome, at(&state, 0)), (Outcome::EndOfThread, wanted));
}

#[rstest]
#[case::stateless("send (8) null<1>:ud m1 null 0x05604CFF", 0, "a stateless render target")]
#[case::reserved_form("send (8) null<1>:ud m1 null 0x05604D00", 0, "of type 5")]
#[case::in_lines("send (16) null<1>:uw m1 null 0x05304900", 0, "to a linear render target")]
#[case::no_blending("send (8) null<1>:ud m1 null 0x05A04A00", 0, "and no blending")]
#[case::another_length("send (8) null<1>:ud m1 null 0x05704C00", 0, "of 7 registers that has 6")]
#[case::no_depth_buffer("send (8) null<1>:ud m1 null 0x05704C00", 1 << 29, "without a depth buffer")]
#[case::no_source_depth("send (8) null<1>:ud m1 null 0x05704C00", 1 << 28, "without source depth")]
#[case::antialiased("send (8) null<1>:ud m1 null 0x05704C00", 1 << 26, "antialias alpha")]
#[case::no_target("send (8) null<1>:ud m1 null 0x05604C20", 0, "beyond its bound")]
fn what_is_not_described_ends_the_run(
    #[case] program: &str,
    #[case] flags: u32,
    #[case] why: &str,
) {
    let start = Start { payload: sixteen(), flags, ..Start::default() };
    let (outcome, state) = start.run(program);
    assert!(
        matches!(&outcome, Outcome::Undefined(sentence) if sentence.contains(why)),
        "{program}: {outcome:?}"
    );
    assert!(state.memory.graphics.iter().all(|byte| *byte == OLD as u8));
}

/// Targets that cannot be: dwords 0 and 3 of the surface state, or one of them.
#[rstest]
#[case::format(0, 0x003 << 18, "of format 0x3")]
#[case::field(0, R32_UINT << 18 | 1 << 12, "in field mode")]
#[case::narrow(3, 15 << 3, "do not fit in its pitch")]
#[case::level(2, 7 << 19 | 7 << 6 | 1 << 2, "level of detail")]
fn targets_that_cannot_be(#[case] dword: usize, #[case] bits: u32, #[case] why: &str) {
    let mut target = plane(R32_UINT);
    target[dword] = if dword == 0 { 1 << 29 | bits } else { bits };
    let start = Start { surface: target, payload: sixteen(), ..Start::default() };
    let (outcome, _) = start.run(EIGHT);
    assert!(
        matches!(&outcome, Outcome::Undefined(sentence) if sentence.contains(why)),
        "{outcome:?}"
    );
}

/// State of the colour calculator and what is written to both buffers are in a trace.
#[test]
fn traces_carry_the_colour_calculator() {
    let test = AlphaTest { function: CompareFunction::Greater, reference: 0.5_f32.to_bits() };
    let rendering = Rendering { alpha_test: Some(test), ..Rendering::default() };
    let payload = eight([1.0; 4]);
    let start = Start { surface: plane(R8G8B8A8_UNORM), rendering, payload, ..Start::default() };
    let mut read = traced(&start.case(EIGHT));
    assert!(read.case == start.case(EIGHT));
    let never = AlphaTest { function: CompareFunction::Never, ..test };
    if let Some(rendering) = read.case.surroundings.shared_functions.rendering_mut() {
        rendering.alpha_test = Some(never);
    }
    assert!(replay(&read, &mut Executor::new()).expect("it loads").is_some());
}
