//! Messages to the loopback function, with what has to come back.

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Model, Outcome,
    eu::{Case, State, text},
    shared::SharedFunctions,
};
use parallax_lockstep::{
    eu::Eu,
    lockstep::{Verdict, lockstep},
};
use parallax_reference::eu::Reference;
use rstest::rstest;

const OLD: u32 = 0xEEEE_EEEE;

/// Runs a line on both engines: m1 to m3 hold 0x100 to 0x117, r10 to r19 `OLD`, r2 1 to 8.
fn run(line: &str, functions: SharedFunctions) -> (Outcome, State) {
    let program = text::parse(Device::G45, line).expect("it assembles").program;
    let mut state = Box::new(State::new());
    for n in 0..24_usize {
        let value = (0x100 + n as u32).to_le_bytes();
        state.mrf[1 + n / 8][4 * (n % 8)..][..4].copy_from_slice(&value);
    }
    state.grf[10..20].as_flattened_mut().fill(OLD as u8);
    for n in 0..8_usize {
        state.grf[2][4 * n] = n as u8 + 1;
    }
    state.flag[0] = 0x0F35;
    state.address[..2].copy_from_slice(&[0x0005, 0x0431]);
    let mut case = Case::new(Device::G45, program.bytes().to_vec(), state, 10);
    case.surroundings.shared_functions = functions;
    let (mut reference, mut executor) = (Reference::new(), Executor::new());
    let verdict = lockstep::<Eu>(&mut reference, &mut executor, &case);
    let Verdict::Agreed(agreement) = verdict else { panic!("{verdict:?}") };
    (agreement.outcome, *Model::state(&executor))
}

fn doublewords(register: &[u8; 32]) -> [u32; 8] {
    let words = register.as_chunks::<4>().0;
    std::array::from_fn(|n| u32::from_le_bytes(words[n]))
}

/// The first replies: register, then what each doubleword is.
#[rstest]
// Two registers of payload, one back: doublewords enabled by all channels.
#[case("send (8) r10<1>:ud m1 null 0x04210002", &[(10, 0xFF, 0x100, 0, 0x0804_0002), (11, 0, 0, 0, 0)])]
// Odd registers of a reply go by enables 15:8, which dwords do not have and words do.
#[case("send (8) r10<1>:ud m1 null 0x04230002", &[(10, 0xFF, 0x100, 0, 0x0804_0002), (11, 0, 0, 0, 0), (12, 0xFF, 0x100, 2, 0x0804_0002)])]
#[case("send (16) r10<1>:uw m1 null 0x04220002", &[(10, 0xFF, 0x100, 0, 0x1004_0002), (11, 0xFF, 0x108, 1, 0x1004_0002)])]
// The implied move, also of channels that are off.
#[case("(f0.0) send (8) r10<1>:ud m5 r2<8;8,1>:ud 0x01110000", &[(10, 0x35, 1, 0, 0x0801_0000)])]
#[case("(f0.0) send (8) r10<1>:ud m1 null 0x01110000 {SecHalf}", &[(10, 0x0F, 0x100, 0, 0x0801_0000)])]
// A subregister moves the enables.
#[case("send (2) r10.4<1>:ud m1 null 0x01110000", &[(10, 0x30, 0x100, 0, 0x0201_0000)])]
#[case("send (4) r10.1<2>:ud m1 null 0x01110000", &[(10, 0xAA, 0x100, 0, 0x0401_0000)])]
// The descriptor in a0: data port read, three registers, one back.
#[case("send (8) r10<1>:ud m1 null a0.0<0;1,0>:ud", &[(10, 0xFF, 0x100, 0, 0x0804_0005)])]
fn loopback_answers(#[case] line: &str, #[case] replies: &[(usize, u8, u32, u32, u32)]) {
    let (outcome, state) = run(line, SharedFunctions::Loopback);
    assert_eq!(outcome, Outcome::Halted, "{line}");
    for &(register, enables, first, rotation, mark) in replies {
        let expected: [u32; 8] = std::array::from_fn(|n| {
            let value = (first + n as u32).rotate_left(rotation) ^ mark;
            if enables >> n & 1 == 1 { value } else { OLD }
        });
        assert_eq!(doublewords(&state.grf[register]), expected, "{line}: r{register}");
    }
}

#[rstest]
#[case("send (8) null<1>:ud m1 null 0x05200000", "halted")]
#[case("send (8) null<1>:ud m1 null 0x05210000", "undefined")]
#[case("send (8) r10<1>:ud m1 null 0x05200000", "undefined")]
#[case("send (8) r10<1>:ud m1 null 0x05010000", "undefined")]
#[case("send (8) r10<1>:ud m14 null 0x05310000", "undefined")]
#[case("send (8) r10<1>:ud m1 null 0x05190000", "undefined")]
#[case("send (8) r125<1>:ud m1 null 0x05140000", "undefined")]
#[case("send (8) r10<1>:ub m1 null 0x05110000", "undefined")]
#[case("send (16) r10<1>:ud m1 null 0x05110000", "undefined")]
#[case("send (16) r10<1>:uw m1 null 0x05110000 {Compr}", "undefined")]
#[case("send (16) r10<1>:f m1 null 0x01110000 {Compr}", "halted")]
#[case("send (16) r11<1>:f m1 null 0x01110000 {Compr}", "undefined")]
#[case("send (16) r10<1>:f m15 null 0x01110000 {Compr}", "undefined")]
#[case("send (16) r10<1>:f m1 null 0x01210000 {Compr}", "undefined")]
#[case("send (16) r10<1>:f m1 null 0x01120000 {Compr}", "undefined")]
#[case("send (16) r10<1>:f m1 null a0.0<0;1,0>:ud {Compr}", "undefined")]
#[case("send (8) r10<1>:f m1 null 0x01110000 {Compr}", "undefined")]
#[case("send (8) m4<1>:ud m1 null 0x05110000", "undefined")]
#[case("send (8) null<1>:ud m1 r2<8;8,1>:ud 0x05110000 {EOT}", "eot")]
fn sends_end_as_their_page_says(#[case] line: &str, #[case] outcome: &str) {
    assert_eq!(run(line, SharedFunctions::Loopback).0.keyword(), outcome, "{line}");
}

#[test]
fn nobody_answers() {
    for target in [2, 3, 4, 5, 6, 7, 8, 15] {
        let line = format!("send (8) r10<1>:ud m1 null 0x0{target:X}110000");
        let (outcome, state) = run(&line, SharedFunctions::None);
        let Outcome::Undefined(why) = outcome else { panic!("{outcome}") };
        // Messages to functions 8 to 15 are discarded; a reply of theirs never comes (D-eu-null).
        let expected = match target {
            0..8 => "no such shared function: ",
            _ => "a reply of a function that does not exist",
        };
        assert!(why.starts_with(expected), "{why}");
        assert_eq!((state.ip, doublewords(&state.grf[10])), (0, [OLD; 8]));
    }
}

/// A message without a reply may name a place before the first register (found by random words).
#[rstest]
#[case(Device::Ivb, "send (8) r[a0.0, -64]<1>:ud r2<8;8,1>:ud 0xa 0x2000000")]
#[case(Device::Skl, "send (8) r[a0.0, -64]<1>:ud r2<8;8,1>:ud 0xa 0x2000000")]
fn a_reply_of_no_register_has_no_place(#[case] device: Device, #[case] line: &str) {
    let program = text::parse(device, line).expect("it assembles").program;
    let mut case = Case::new(device, program.bytes().to_vec(), Box::new(State::of(device)), 10);
    case.surroundings.shared_functions = SharedFunctions::Loopback;
    let verdict = lockstep::<Eu>(&mut Reference::new(), &mut Executor::new(), &case);
    assert!(matches!(verdict, Verdict::Agreed(_)), "{verdict:?}");
}
