//! Messages to the URB and the Message Gateway on both engines, with what has to come of them.

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Model, Outcome,
    eu::{Case, State, text},
    shared::{
        Environment, SharedFunctions,
        environment::{Gateway, OtherThread, UrbEntry},
    },
};
use parallax_lockstep::{
    eu::Eu,
    lockstep::{Verdict, lockstep},
};
use parallax_reference::eu::Reference;
use rstest::rstest;

const OLD: u8 = 0xEE;

/// Runs a program of `g45` with message registers from m1 on. Handle 0x1234 has rows 100 to 107, 0x77 rows 200
/// to 207; thread 2 of execution unit 5 has its registers 20 to 23 open under the key 0xBEEF.
fn run(program: &str, payload: &[[u32; 8]]) -> (Outcome, State) {
    let text = text::parse(Device::G45, program).unwrap_or_else(|error| panic!("{error:?}"));
    let mut state = Box::new(State::new());
    for (register, doublewords) in state.mrf[1..].iter_mut().zip(payload) {
        for (bytes, value) in register.chunks_mut(4).zip(doublewords) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
    }
    state.grf[10..20].as_flattened_mut().fill(OLD);
    state.flag[0] = 0b1011_0110;
    state.memory.urb.as_flattened_mut().fill(OLD);
    state.memory.other_thread.as_flattened_mut().fill(OLD);
    let mut case = Case::new(Device::G45, text.program.bytes().to_vec(), state, 20);
    let entry = |handle, first_row| UrbEntry { handle, first_row, rows: 8 };
    let gateway = Gateway { key: 0xBEEF, first_register: 20, registers: 4 };
    case.surroundings.shared_functions = SharedFunctions::Around(Box::new(Environment {
        urb_entries: vec![entry(0x1234, 100), entry(0x77, 200)],
        free_handles: vec![0xABCD_0042, 7],
        thread: 0x10,
        other_thread: Some(OtherThread { execution_unit: 5, thread: 2, gateway: Some(gateway) }),
        ..Environment::default()
    }));
    let (mut reference, mut executor) = (Reference::new(), Executor::new());
    match lockstep::<Eu>(&mut reference, &mut executor, &case) {
        Verdict::Agreed(agreement) => (agreement.outcome, *Model::state(&executor)),
        verdict => panic!("{program}: {verdict:?}"),
    }
}

fn words(register: &[u8; 32]) -> [u32; 8] {
    let words = register.as_chunks::<4>().0;
    std::array::from_fn(|n| u32::from_le_bytes(words[n]))
}

/// The doublewords of a register that count from a number on.
fn counting(first: u32) -> [u32; 8] {
    std::array::from_fn(|n| first + n as u32)
}

const HEADER: [u32; 8] = [0xFFFF_1234, 0x0077, 9, 9, 9, 9, 9, 9];
const UNWRITTEN: u32 = 0xEEEE_EEEE;

#[test]
fn rows_are_written_whole_from_the_offset_on() {
    let payload = [HEADER, counting(10), counting(20)];
    let (outcome, state) = run("(f0.0) send (8) null<1>:ud m1 null 0x06300030", &payload);
    assert_eq!(outcome, Outcome::Halted);
    let rows = [102, 103, 104, 105].map(|row: usize| words(&state.memory.urb[row]));
    assert_eq!(rows, [[UNWRITTEN; 8], counting(10), counting(20), [UNWRITTEN; 8]]);
}

#[test]
fn halves_of_registers_go_to_two_entries_under_the_channels() {
    let payload = [HEADER, counting(10), counting(20)];
    let (_, state) = run("(f0.0) send (8) null<1>:ud m1 null 0x06300410", &payload);
    let u = UNWRITTEN;
    assert_eq!(words(&state.memory.urb[101]), [u, 11, 12, u, u, 21, 22, u]);
    assert_eq!(words(&state.memory.urb[201]), [14, 15, u, 17, 24, 25, u, 27]);
}

#[test]
fn three_rows_of_coefficients_become_four() {
    let payload = [HEADER, counting(10), counting(20), counting(30)];
    let (_, state) = run("send (8) null<1>:ud m1 null 0x06400820", &payload);
    for pair in 0..4_u32 {
        let [a, b] = [2 * pair, 2 * pair + 1];
        let wanted = [10 + a, 20 + a, 0, 30 + a, 10 + b, 20 + b, 0, 30 + b];
        assert_eq!(words(&state.memory.urb[102 + pair as usize]), wanted);
    }
}

#[test]
fn handles_are_allocated_one_after_the_other() {
    let program = "send (8) r10<1>:ud m1 null 0x06112000\nsend (8) r11<1>:ud m1 null 0x06112000";
    let (outcome, state) = run(program, &[HEADER]);
    assert_eq!(outcome, Outcome::Halted);
    assert_eq!(words(&state.grf[10]), [0xABCD_0042, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(words(&state.grf[11]), [7, 0, 0, 0, 0, 0, 0, 0]);
}

#[rstest]
#[case::opcode("send (8) null<1>:ud m1 null 0x06200001")]
#[case::swizzle("send (8) null<1>:ud m1 null 0x06200C00")]
#[case::beyond_the_entry("send (8) null<1>:ud m1 null 0x06200080")]
#[case::one_register_for_two("send (8) null<1>:ud m1 null 0x06200400")]
#[case::two_registers_transposed("send (8) null<1>:ud m1 null 0x06300800")]
#[case::no_handle_expected("send (8) null<1>:ud m1 null 0x06202000")]
#[case::reserved_bits_of_the_gateway("send (8) null<1>:ud m1 null 0x03100004")]
#[case::no_acknowledgement("send (8) r10<1>:ud m1 null 0x03110001")]
fn what_is_not_described_ends_the_run(#[case] line: &str) {
    let (outcome, state) = run(line, &[HEADER, counting(1), counting(2), counting(3)]);
    assert!(matches!(outcome, Outcome::Undefined(_)), "{line}: {outcome:?}");
    assert!(state.memory.urb.as_flattened().iter().all(|byte| *byte == OLD));
}

/// A forward of a length to a register and byte of the gateway.
fn forward(length: u32, register: u32, byte: u32, to: u32) -> [u32; 8] {
    let place = register << 21 | byte << 16 | length << 8 | 0x55;
    [0x4444_4444, 2, 3, 4, to, place, 7, 7]
}

const TO: u32 = 0x0502_BEEF;

#[rstest]
#[case(forward(0, 1, 9, TO), 0, 36 + 5, 1)]
#[case(forward(2, 1, 8, TO), 0, 32 + 8, 4)]
#[case(forward(3, 3, 24, TO | 0xF0FC_0000), 0, 96 + 24, 8)]
#[case(forward(4, 0, 16, TO), 0, 16, 16)]
#[case(forward(4, 0, 16, TO ^ 1), 3, 0, 0)]
#[case(forward(4, 4, 16, TO), 4, 0, 0)]
#[case(forward(5, 0, 16, TO), 6, 0, 0)]
#[case(forward(4, 0, 16, TO ^ 0x0100_0000), 2, 0, 0)]
#[case(forward(4, 0, 16, TO ^ 0x0001_0000), 2, 0, 0)]
fn forwards(
    #[case] payload: [u32; 8],
    #[case] code: u32,
    #[case] place: usize,
    #[case] bytes: usize,
) {
    let (outcome, state) = run("send (8) r10<1>:ud m1 null 0x0311C002", &[payload]);
    assert_eq!(outcome, Outcome::Halted);
    let acknowledgement = words(&state.grf[10]);
    assert_eq!(acknowledgement[0] & 0xF_0007, 3 << 16 | code);
    assert_eq!(acknowledgement[1..], [UNWRITTEN; 7]);
    let source: Vec<u8> = payload.iter().flat_map(|word| word.to_le_bytes()).collect();
    let written = state.memory.other_thread.as_flattened();
    for (n, byte) in written.iter().enumerate() {
        let own = n.checked_sub(20 * 32 + place).filter(|n| *n < bytes);
        assert_eq!(*byte, own.map_or(OLD, |n| source[n]), "byte {n}");
    }
    let count = u64::from_le_bytes(state.memory.other_notification);
    assert_eq!(count, u64::from(code == 0));
}

#[rstest]
#[case::open("send (8) r10<1>:ud m1 null 0x03114000", [0, 0, 0, 0, 5, 3 << 21 | 5 << 8, 0, 0], 0)]
#[case::too_large("send (8) r10<1>:ud m1 null 0x03114000", [0, 0, 0, 0, 5, 3 << 21 | 6 << 8, 0, 0], 1)]
#[case::close("send (8) r10<1>:ud m1 null 0x03114001", [9; 8], 0)]
#[case::no_such_message("send (8) r10<1>:ud m1 null 0x03114003", [9; 8], 5)]
fn acknowledgements(#[case] line: &str, #[case] payload: [u32; 8], #[case] code: u32) {
    let (outcome, state) = run(line, &[payload]);
    assert_eq!(outcome, Outcome::Halted);
    assert_eq!(words(&state.grf[10])[0] & 0xF_0007, 3 << 16 | code);
}
