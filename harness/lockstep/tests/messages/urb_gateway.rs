//! Messages to the URB and the Message Gateway on both engines, with what has to come of them.

use parallax_isa::shared::{
    Environment, SharedFunctions,
    environment::{Gateway, OtherThread, UrbEntry},
};
use rstest::rstest;

use super::*;

/// Runs a program of `g45` with message registers from m1 on. Handle 0x1234 has rows 100 to 107, 0x77 rows 200
/// to 207; thread 2 of execution unit 5 has its registers 20 to 23 open under the key 0xBEEF.
fn run(program: &str, payload: &[[u32; 8]]) -> (Outcome, State) {
    let bytes = assembled(Device::G45, program);
    let mut state = with_payload(payload.iter().copied());
    state.grf[10..20].as_flattened_mut().fill(OLD as u8);
    state.flag[0] = 0b1011_0110;
    state.memory.urb.as_flattened_mut().fill(OLD as u8);
    state.memory.other_thread.as_flattened_mut().fill(OLD as u8);
    let mut case = Case::new(Device::G45, bytes, state, 20);
    let entry = |handle, first_row| UrbEntry { handle, first_row, rows: 8 };
    let gateway = Gateway { key: 0xBEEF, first_register: 20, registers: 4 };
    case.surroundings.shared_functions = SharedFunctions::around(Environment {
        urb_entries: vec![entry(0x1234, 100), entry(0x77, 200), entry(0x42, 300)],
        free_handles: vec![0xABCD_0042, 7],
        thread: 0x10,
        other_thread: Some(OtherThread { execution_unit: 5, thread: 2, gateway: Some(gateway) }),
        ..Environment::default()
    });
    on_both_engines(&case, program)
}

const HEADER: [u32; 8] = [0xFFFF_1234, 0x0077, 9, 9, 9, 9, 9, 9];

#[test]
fn rows_are_written_whole_from_the_offset_on() {
    let payload = [HEADER, counting(10), counting(20)];
    let (outcome, state) = run("(f0.0) send (8) null<1>:ud m1 null 0x06300030", &payload);
    assert_eq!(outcome, Outcome::Halted);
    let rows = [102, 103, 104, 105].map(|row: usize| doublewords(&state.memory.urb[row]));
    assert_eq!(rows, [[OLD; 8], counting(10), counting(20), [OLD; 8]]);
}

#[test]
fn halves_of_registers_go_to_two_entries_under_the_channels() {
    let payload = [HEADER, counting(10), counting(20)];
    let (_, state) = run("(f0.0) send (8) null<1>:ud m1 null 0x06300410", &payload);
    let u = OLD;
    assert_eq!(doublewords(&state.memory.urb[101]), [u, 11, 12, u, u, 21, 22, u]);
    assert_eq!(doublewords(&state.memory.urb[201]), [14, 15, u, 17, 24, 25, u, 27]);
}

#[test]
fn three_rows_of_coefficients_become_four() {
    let payload = [HEADER, counting(10), counting(20), counting(30)];
    let (_, state) = run("send (8) null<1>:ud m1 null 0x06400820", &payload);
    for pair in 0..4_u32 {
        let [a, b] = [2 * pair, 2 * pair + 1];
        let wanted = [10 + a, 20 + a, 0, 30 + a, 10 + b, 20 + b, 0, 30 + b];
        assert_eq!(doublewords(&state.memory.urb[102 + pair as usize]), wanted);
    }
}

#[test]
fn handles_are_allocated_one_after_the_other() {
    let program = "send (8) r10<1>:ud m1 null 0x0611A000\nsend (8) r11<1>:ud m1 null 0x0611A000";
    let (outcome, state) = run(program, &[HEADER]);
    assert_eq!(outcome, Outcome::Halted);
    assert_eq!(doublewords(&state.grf[10]), [0xABCD_0042, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(doublewords(&state.grf[11]), [7, 0, 0, 0, 0, 0, 0, 0]);
}

/// The last message of a thread stores its data; after Complete nothing more may come.
#[rstest]
#[case::complete("send (8) null<1>:ud m1 null 0x0620C030 {EOT}", Some(103))]
#[case::dereferenced("send (8) null<1>:ud m1 null 0x06208030 {EOT}", Some(103))]
#[case::nothing_written("send (8) null<1>:ud m1 null 0x06100030 {EOT}", None)]
#[case::closed("send (8) null<1>:ud m1 null 0x03100001 {EOT}", None)]
#[case::opened("send (8) null<1>:ud m1 null 0x03100000 {EOT}", None)]
fn last_messages(#[case] line: &str, #[case] row: Option<usize>) {
    let (outcome, state) = run(line, &[HEADER, counting(10)]);
    assert_eq!(outcome, Outcome::EndOfThread);
    for (n, stored) in state.memory.urb.iter().enumerate() {
        let wanted = if Some(n) == row { counting(10) } else { [OLD; 8] };
        assert_eq!(doublewords(stored), wanted, "row {n}");
    }
}

/// What the table of Complete, Used, Allocate and End Of Thread does not have, and what may not follow a
/// message that completes.
#[rstest]
#[case::allocation_at_the_end(
    "send (8) r10<1>:ud m1 null 0x0621E000 {EOT}",
    "a last message that allocates"
)]
#[case::part_at_the_end("send (8) null<1>:ud m1 null 0x06200000 {EOT}", "a partial write that")]
#[case::allocation_of_a_part("send (8) r10<1>:ud m1 null 0x06212000", "a partial write that")]
#[case::begun(
    "send (8) null<1>:ud m1 null 0x06200000\nsend (8) null<1>:ud m1 null 0x06100000 {EOT}",
    "begun and not completed"
)]
#[case::allocated(
    "send (8) r10<1>:ud m1 null 0x0611A000\nsend (8) null<1>:ud m1 null 0x06100000 {EOT}",
    "begun and not completed"
)]
#[case::written_again(
    "send (8) null<1>:ud m1 null 0x0620C000\nsend (8) null<1>:ud m1 null 0x06200010",
    "was marked complete"
)]
#[case::answer_at_the_end(
    "send (8) r10<1>:ud m1 null 0x03114001 {EOT}",
    "to a thread that has ended"
)]
fn entries_are_complete_in_the_end(#[case] program: &str, #[case] why: &str) {
    let (outcome, _) = run(program, &[HEADER, counting(10)]);
    assert!(
        matches!(&outcome, Outcome::Undefined(sentence) if sentence.contains(why)),
        "{program}: {outcome:?}"
    );
}

/// An entry that was allocated again may be written again.
#[test]
fn an_allocated_entry_is_written() {
    let program = "send (8) null<1>:ud m1 null 0x0620C000
        send (8) r10<1>:ud m1 null 0x06112000
        mov (1) m1.0<1>:uw r10.0<0;1,0>:uw
        send (8) null<1>:ud m1 null 0x0620C020";
    let (outcome, state) = run(program, &[HEADER, counting(10)]);
    assert_eq!(outcome, Outcome::Halted);
    assert_eq!(doublewords(&state.memory.urb[302]), counting(10));
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
    assert!(state.memory.urb.as_flattened().iter().all(|byte| *byte == OLD as u8));
}

/// A forward of a length to a register and byte of the gateway.
fn forward(length: u32, register: u32, byte: u32, to: u32) -> [u32; 8] {
    let place = register << 21 | byte << 16 | length << 8 | 0x55;
    // A byte comes in four copies.
    let data = if length == 0 { 0x4444_4444 } else { 0x0403_0201 };
    [data, 2, 3, 4, to, place, 7, 7]
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
    let acknowledgement = doublewords(&state.grf[10]);
    assert_eq!(acknowledgement[0] & 0xF_0007, 3 << 16 | code);
    assert_eq!(acknowledgement[1..], [OLD; 7]);
    let source: Vec<u8> = payload.iter().flat_map(|word| word.to_le_bytes()).collect();
    let written = state.memory.other_thread.as_flattened();
    for (n, byte) in written.iter().enumerate() {
        let own = n.checked_sub(20 * 32 + place).filter(|n| *n < bytes);
        assert_eq!(*byte, own.map_or(OLD as u8, |n| source[n]), "byte {n}");
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
    assert_eq!(doublewords(&state.grf[10])[0] & 0xF_0007, 3 << 16 | code);
}

/// The thread is number 0 of execution unit 1.
const TO_ITSELF: u32 = 0x0100_BEEF;
/// A gateway of registers 40 to 43 under the key 0xBEEF.
const GATEWAY: [u32; 8] = [7, 7, 7, 7, 0xBEEF, 40 << 21 | 2 << 8, 7, 7];

#[rstest]
#[case::inside(forward(3, 3, 8, TO_ITSELF), 0)]
#[case::behind_the_last_register(forward(3, 4, 8, TO_ITSELF), 4)]
#[case::another_key(forward(3, 3, 8, TO_ITSELF ^ 1), 3)]
fn a_thread_writes_through_its_own_gateway(#[case] payload: [u32; 8], #[case] code: u32) {
    let program = "send (8) null<1>:ud m1 null 0x03100000
                   send (8) r10<1>:ud m2 null 0x0311C002
                   send (8) null<1>:ud m1 null 0x03100001
                   send (8) r11<1>:ud m2 null 0x0311C002";
    let (outcome, state) = run(program, &[GATEWAY, payload]);
    assert_eq!(outcome, Outcome::Halted);
    assert_eq!(doublewords(&state.grf[10])[0] & 0xF_0007, 3 << 16 | code);
    let written = doublewords(&state.grf[43]);
    let wanted = if code == 0 { [0, 0, payload[0], payload[1], 0, 0, 0, 0] } else { [0; 8] };
    assert_eq!(written, wanted);
    assert_eq!(state.notification[0], u32::from(code == 0));
    // It is closed then.
    assert_eq!(doublewords(&state.grf[11])[0] & 0xF_0007, 3 << 16 | 2);
}

#[rstest]
#[case::nobody_says_when_it_is_done("send (8) null<1>:ud m2 null 0x03100002")]
#[case::the_acknowledgement_goes_there_too("send (8) r43<1>:ud m2 null 0x03114002")]
fn a_forward_to_itself_of_which_the_order_is_open_ends_the_run(#[case] line: &str) {
    let program = format!("send (8) null<1>:ud m1 null 0x03100000\n{line}");
    let (outcome, _) = run(&program, &[GATEWAY, forward(3, 3, 8, TO_ITSELF)]);
    assert!(matches!(outcome, Outcome::Undefined(_)), "{outcome:?}");
}
