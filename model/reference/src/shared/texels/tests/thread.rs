//! The same messages in threads.

use parallax_isa::{
    Model as _, Outcome, Step,
    eu::{Case, text},
    shared::{Memory, SharedFunctions},
};
use rstest::rstest;

use super::*;
use crate::eu::Reference;

/// A thread writes its pixels with its last message, where registers say it was when it began.
#[test]
fn threads_end_with_their_colours() {
    for device in DEVICES {
        let setup = Setup::new(device, PLANE, R32_UINT);
        let mut state = Box::new(State::of(device));
        state.grf[..3].copy_from_slice(&setup.start);
        state.grf[112..116].fill(bytes(COUNT));
        state.flag[0] = 0xFD;
        let (clear, last) = match device {
            Device::Dg1 => (
                "mov (8|M0) r1.0<1>:ud 0x0:ud",
                "(f0.0) send.rc (8|M0) null r112 null 0x0 0x08031400 {EOT}",
            ),
            Device::Skl => (
                "mov (8|M0) r1.0<1>:ud 0x0:ud",
                "(f0.0) send (8|M0) null:ud r112 0x5 0x08031400 {EOT}",
            ),
            _ => ("mov (8) r1.0<1>:ud 0x0:ud", "(f0.0) send (8) null:ud r112 0x5 0x08031400 {EOT}"),
        };
        let text = format!("{clear}\n{last}");
        let program = text::parse(device, &text).unwrap_or_else(|why| panic!("{device}: {why:?}"));
        let mut case = Case::new(device, program.program.bytes().to_vec(), state, 4);
        case.surroundings.shared_functions = SharedFunctions::around(setup.environment());
        let mut reference = Reference::new();
        reference.load(&case).expect("it loads");
        assert_eq!(reference.step(), Step::Continue);
        assert_eq!(reference.step(), Step::Finished(Outcome::EndOfThread), "{device}");
        let texel = |memory: &Memory, number: usize| memory.graphics[4 * number];
        let row = |y: usize| [0, 1, 2, 3].map(|x| texel(&reference.state().memory, 4 * y + x));
        assert_eq!([row(0), row(1)], [[0, 0, 4, 5], [2, 3, 6, 7]], "{device}");
    }
}

/// Bits of the extended descriptor come with the message: source 0 alpha, and the null bit.
#[rstest]
#[case(0x0000_0000, 3)]
#[case(0x0000_8000, 4)]
#[case(0x0010_0000, 0)]
fn extended_descriptors_of_gen12(#[case] extended: u32, #[case] expected: u32) {
    let setup = Setup::new(Device::Dg1, PLANE, R32_UINT);
    let mut state = Box::new(State::of(Device::Dg1));
    state.grf[..3].copy_from_slice(&setup.start);
    for (number, register) in state.grf[10..15].iter_mut().enumerate() {
        *register = bytes([number as u32 + 3; 8]);
    }
    let text = format!("send.rc (8|M0) null r10 null {extended:#x} 0x0A031400");
    let program = text::parse(Device::Dg1, &text).unwrap_or_else(|why| panic!("{why:?}"));
    let mut case = Case::new(Device::Dg1, program.program.bytes().to_vec(), state, 4);
    case.surroundings.shared_functions = SharedFunctions::around(setup.environment());
    let mut reference = Reference::new();
    reference.load(&case).expect("it loads");
    assert_eq!(reference.step(), Step::Continue);
    assert_eq!(u32::from(reference.state().memory.graphics[0]), expected);
}
