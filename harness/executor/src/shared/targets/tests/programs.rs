//! Programs that end with a render target write.

use parallax_isa::{
    Model, Outcome, Step,
    eu::{Case, State, text},
    shared::{Environment, SharedFunctions},
};
use rstest::rstest;

use super::*;
use crate::eu::Executor;

/// A plane of eight by four bytes of red, 64 bytes a row, behind index 0.
fn surroundings(device: Device) -> Environment {
    let mut surface_states = vec![64; 16];
    let alignment = if device == Device::Ivb { 0 } else { 1 << 16 | 1 << 14 };
    // R8_UNORM.
    let state = [PLANE << 29 | 0x140 << 18 | alignment, 0, 3 << 16 | 7, 63];
    surface_states.extend(state);
    surface_states.resize(32, 0);
    Environment { surface_states, ..Environment::default() }
}

/// Red of 1.0 for the pixels that a thread begins with.
fn case(device: Device, line: &str, functions: SharedFunctions) -> Case {
    let assembly = text::parse(device, line).unwrap_or_else(|why| panic!("{line}: {why:?}"));
    let mut state = Box::new(State::of(device));
    state.grf[1] = ROW.map(u32::to_le_bytes).as_flattened().try_into().expect("32 bytes");
    state.grf[112] = [1.0_f32.to_le_bytes(); 8].as_flattened().try_into().expect("32 bytes");
    let mut case = Case::new(device, assembly.program.bytes().to_vec(), state, 9);
    case.surroundings.shared_functions = functions;
    case
}

/// Writes other positions first, which messages without a header do not mean.
#[rstest]
#[case::gen7(
    Device::Ivb,
    "mov (8) r1<1>:ud 0x70007:ud\nsend (8) null<1>:ud r112 0x5 0x08031400 {EOT}"
)]
#[case::gen9(
    Device::Skl,
    "mov (8|M0) r1<1>:ud 0x70007:ud\nsend (8|M0) null:ud r112 0x5 0x08031400 {EOT}"
)]
#[case::gen12(
    Device::Dg1,
    "mov (8|M0) r1<1>:ud 0x70007:ud\nsend (8|M0) null r112 null 0x5 0x08031400 {EOT}"
)]
fn the_last_message_is_performed(#[case] device: Device, #[case] lines: &str) {
    let around = SharedFunctions::around(surroundings(device));
    let mut executor = Executor::new();
    executor.load(&case(device, lines, around)).expect("it loads");
    for _ in 0..2 {
        assert_eq!(executor.run(), Outcome::EndOfThread);
        let graphics = &executor.state().memory.graphics;
        let row = [255, 255, 255, 255, 0];
        assert_eq!([&graphics[..5], &graphics[64..69]], [row; 2]);
        Executor::restart(&mut executor);
        assert_eq!(executor.state().memory.graphics[0], 0);
    }
    // With nothing around it the thread only ends.
    executor.load(&case(device, lines, SharedFunctions::None)).expect("it loads");
    assert_eq!(executor.run(), Outcome::EndOfThread);
    assert!(executor.state().memory.graphics.iter().all(|byte| *byte == 0));
}

#[test]
fn a_last_message_that_is_refused_ends_the_run_as_undefined() {
    let line = "send (8|M0) null:ud r112 0x5 0x06031400 {EOT}";
    let around = SharedFunctions::around(surroundings(Device::Skl));
    let mut executor = Executor::new();
    executor.load(&case(Device::Skl, line, around)).expect("it loads");
    assert!(matches!(executor.step(), Step::Finished(Outcome::Undefined(_))));
    assert_eq!(executor.state().ip, 0);
}

/// Bit 15 of the extended descriptor comes from the instruction or from an address register.
#[rstest]
#[case::immediate("send (8|M0) null r111 null 0x8005 0x0A031400 {EOT}")]
#[case::null("send (8|M0) null r111 null 0x108005 0x0A031400 {EOT}")]
#[case::none("send (8|M0) null r111 null 0x5 0x0A031400 {EOT}")]
fn source_0_alpha_is_in_the_extended_descriptor(#[case] line: &str) {
    let around = SharedFunctions::around(surroundings(Device::Dg1));
    let mut executor = Executor::new();
    executor.load(&case(Device::Dg1, line, around)).expect("it loads");
    assert_eq!(executor.run(), Outcome::EndOfThread);
    let red = match line.contains("0x8005") {
        true => 255,
        // Without it the first register, of zeros, is red.
        false => 0,
    };
    assert_eq!(executor.state().memory.graphics[0], red);
}
