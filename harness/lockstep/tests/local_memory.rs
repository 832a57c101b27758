//! Shared local memory of Gen7 and later: which bits of an address count, and where it ends.

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Model, Outcome, Step,
    eu::{Case, State, text},
};
use parallax_lockstep::eu::{Eu, setup};
use parallax_reference::eu::Reference;
use rstest::rstest;

/// `r20` has the address of each channel, 4 bytes apart from this one on, `r21` what is stored there.
fn case(device: Device, line: &str, address: u32, setup: &str) -> Case {
    let program = text::parse(device, line).unwrap_or_else(|error| panic!("{line}: {error:?}"));
    let mut state = Box::new(State::of(device));
    for channel in 0..8_u32 {
        let at = 4 * channel as usize;
        state.grf[20][at..at + 4].copy_from_slice(&(address + 4 * channel).to_le_bytes());
        state.grf[21][at..at + 4].copy_from_slice(&(0xC0DE_0000 + channel).to_le_bytes());
    }
    for (number, byte) in state.memory.local.iter_mut().enumerate() {
        *byte = (number / 4) as u8;
    }
    let mut case = Case::new(device, program.program.bytes().to_vec(), state, 4);
    setup::apply(&mut case, setup.as_bytes()).expect("a setup");
    case
}

fn run(model: &mut impl Model<Machine = Eu>, case: &Case) -> (Outcome, State) {
    model.load(case).expect("it loads");
    let Step::Finished(outcome) = model.run_for(4) else { panic!("the program is one step long") };
    (outcome, *model.state())
}

/// How a case ends, and the state then, on both engines alike.
fn end(case: &Case) -> (Outcome, State) {
    let (outcome, state) = run(&mut Reference::new(), case);
    let (actual, other) = run(&mut Executor::new(), case);
    assert_eq!(std::mem::discriminant(&actual), std::mem::discriminant(&outcome));
    assert!(other == state, "the engines differ");
    (outcome, state)
}

/// A doubleword for each channel: untyped messages to the surface of index 254.
const LOADS: [(Device, &str); 2] = [
    (Device::Ivb, "send (8|M0) r10:ud r20 0xA 0x02116EFE"),
    (Device::Skl, "send (8|M0) r10:ud r20 0xC 0x02106EFE"),
];
const STORES: [(Device, &str); 2] = [
    (Device::Ivb, "send (8|M0) null:ud r20 0xA 0x04036EFE"),
    (Device::Skl, "send (8|M0) null:ud r20 0xC 0x04026EFE"),
];

/// Compilers set bit 28.
#[rstest]
fn only_16_bits_of_an_slm_address_count(
    #[values(0, 1)] device: usize,
    #[values(0, 0x1000_0000, 0xABCD_0000)] above: u32,
    #[values(0x40, 0x8000, 0xFFE0)] address: u32,
) {
    let (device, load) = LOADS[device];
    let (outcome, state) = end(&case(device, load, above | address, "{}"));
    assert_eq!(outcome, Outcome::Halted);
    assert_eq!(state.grf[10][0], (address / 4) as u8);
    let (_, store) = STORES[usize::from(device == Device::Skl)];
    let (outcome, state) = end(&case(device, store, above | address, "{}"));
    assert_eq!(outcome, Outcome::Halted);
    let first = address as usize;
    assert_eq!(state.memory.local[first..first + 4], [0, 0, 0xDE, 0xC0]);
    assert_eq!(state.memory.local[first + 28], 7);
}

/// An access beyond the configured size is an error of the case, and nothing of the message is done.
#[rstest]
#[case(1024, 992, true)]
#[case(1024, 996, false)]
#[case(1024, 0x1000_0400, false)]
#[case(65536, 0xFFE0, true)]
#[case(65536, 0xFFE4, true)]
#[case(3, 0, false)]
fn accesses_beyond_the_slm_of_a_case_end_the_run(
    #[values(0, 1)] device: usize,
    #[values(false, true)] stores: bool,
    #[case] bytes: u32,
    #[case] address: u32,
    #[case] is_inside: bool,
) {
    let (device, line) = if stores { STORES[device] } else { LOADS[device] };
    let setup = format!("{{\"shared_local_memory\": {bytes}}}");
    let case = case(device, line, address, &setup);
    let (outcome, state) = end(&case);
    match outcome {
        Outcome::Halted => assert!(is_inside, "{device}: {address:#x} of {bytes}"),
        Outcome::Undefined(why) => {
            assert!(!is_inside && why.contains("shared local memory"), "{device}: {why}");
            assert!(state.memory == case.state.memory, "{device}: a part of the message was done");
        }
        other => panic!("{device}: {other:?}"),
    }
}

#[rstest]
#[case(Device::Skl, 0, "not 1 to 65536")]
#[case(Device::Skl, 65537, "not 1 to 65536")]
#[case(Device::G45, 4096, "g45 has none")]
fn sizes_of_slm_are_checked(#[case] device: Device, #[case] bytes: u32, #[case] why: &str) {
    let mut case = Case::new(device, vec![0; 16], Box::new(State::of(device)), 1);
    let setup = format!("{{\"shared_local_memory\": {bytes}}}");
    let error = setup::apply(&mut case, setup.as_bytes()).expect_err("it is refused");
    assert!(error.contains(why), "{error}");
}
