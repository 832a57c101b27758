//! Messages to the data port of G45 and its predecessors on both engines, with what has to come of them.

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Model, Outcome,
    eu::{Case, State, text},
    shared::{Environment, SharedFunctions},
};
use parallax_lockstep::{
    eu::{Eu, generate},
    lockstep::{Verdict, lockstep},
    random::SplitMix64,
    trace::{self, Trace, replay},
};
use parallax_reference::eu::Reference;
use rstest::rstest;

/// Generated messages agree, and most programs of them come to their end.
#[rstest]
fn generated_messages_agree(
    #[values(Device::Bw, Device::Cl, Device::Ctg, Device::G45)] device: Device,
) {
    let (mut whole, mut ends) = (0, std::collections::BTreeMap::<String, u32>::new());
    for seed in 0..800 {
        let mut bytes = vec![0; generate::BYTES];
        SplitMix64::new(seed).fill(&mut bytes);
        let case = generate::data_port_messages(device, &bytes);
        match lockstep::<Eu>(&mut Reference::new(), &mut Executor::new(), &case) {
            Verdict::Agreed(agreement) if agreement.outcome == Outcome::Halted => whole += 1,
            Verdict::Agreed(agreement) => {
                *ends.entry(format!("{:?}", agreement.outcome)).or_default() += 1;
            }
            other => panic!("{seed}: {other:?}"),
        }
    }
    assert!(whole > 680, "{whole} of 800 programs ran to their end: {ends:#?}");
}

/// Byte *n* of memory at first.
fn byte(n: usize) -> u8 {
    (n ^ n >> 8) as u8
}

/// The doubleword at a byte of memory at first.
fn dword(n: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|k| byte(n + k)))
}

const OLD: u32 = 0xEEEE_EEEE;

/// Where things start.
struct Start {
    device: Device,
    /// Surface states by binding table index.
    surfaces: Vec<[u32; 6]>,
    general_state: [u32; 2],
    /// From m1 on.
    payload: Vec<[u32; 8]>,
    flag: u16,
}

impl Default for Start {
    fn default() -> Self {
        Self {
            device: Device::G45,
            surfaces: vec![buffer(256, 6)],
            general_state: [4096, 8192],
            payload: Vec::new(),
            flag: 0xFFFF,
        }
    }
}

/// A buffer of so many elements.
fn buffer(base: u32, entries: u32) -> [u32; 6] {
    let last = entries - 1;
    [4 << 29, base, last >> 7 << 19 | (last & 0x7F) << 6, 0, 0, 0]
}

/// A plane of bytes: base, columns of doublewords, rows, pitch and tile walk.
fn plane(base: u32, width: u32, height: u32, pitch: u32, walk: u32) -> [u32; 6] {
    let format = 0x143 << 18;
    [1 << 29 | format, base, (height - 1) << 19 | (width - 1) << 6, (pitch - 1) << 3 | walk, 0, 0]
}

impl Start {
    fn case(&self, program: &str) -> Case {
        let program = text::parse(self.device, program).unwrap_or_else(|error| panic!("{error:?}"));
        let mut state = Box::new(State::new());
        for (register, doublewords) in state.mrf[1..].iter_mut().zip(&self.payload) {
            for (bytes, value) in register.chunks_mut(4).zip(doublewords) {
                bytes.copy_from_slice(&value.to_le_bytes());
            }
        }
        state.grf[10..20].as_flattened_mut().fill(OLD as u8);
        state.flag[0] = self.flag;
        for (n, place) in state.memory.graphics.iter_mut().enumerate() {
            *place = byte(n);
        }
        let mut case = Case::new(self.device, program.program.bytes().to_vec(), state, 20);
        let first = self.surfaces.len().next_multiple_of(8);
        let mut surface_states = vec![0; first + 8 * self.surfaces.len()];
        for (n, surface) in self.surfaces.iter().enumerate() {
            surface_states[n] = 4 * (first + 8 * n) as u32;
            surface_states[first + 8 * n..][..6].copy_from_slice(surface);
        }
        let [general_state_base, general_state_bound] = self.general_state;
        let environment = Environment {
            general_state_base,
            general_state_bound,
            surface_states,
            ..Environment::default()
        };
        case.surroundings.shared_functions = SharedFunctions::Around(Box::new(environment));
        case
    }

    /// Runs a program on both engines: how it ended and the executor's state.
    fn run(&self, program: &str) -> (Outcome, State) {
        let case = self.case(program);
        let (mut reference, mut executor) = (Reference::new(), Executor::new());
        match lockstep::<Eu>(&mut reference, &mut executor, &case) {
            Verdict::Agreed(agreement) => (agreement.outcome, *Model::state(&executor)),
            verdict => panic!("{program}: {verdict:?}"),
        }
    }
}

/// A doubleword of a general register.
fn of(state: &State, register: usize, n: usize) -> u32 {
    u32::from_le_bytes(state.grf[register][4 * n..][..4].try_into().expect("four bytes"))
}

/// A header with doublewords 0, 1, 2 and 5.
fn header([d0, d1, d2, d5]: [u32; 4]) -> [u32; 8] {
    [d0, d1, d2, 7, 7, d5, 7, 7]
}

#[test]
fn an_octword_of_a_block_is_read_whole_where_one_of_its_channels_is_on() {
    // Four octwords from octword 4 of six on, of which channels 0 and 9 are on.
    let payload = vec![header([0, 0, 64, 0])];
    let start = Start { payload, flag: 1 << 0 | 1 << 9, ..Start::default() };
    let (outcome, state) = start.run("(f0.0) send (16) r10<1>:uw m1 null 0x04124300");
    assert_eq!(outcome, Outcome::Halted);
    for n in 0..4 {
        assert_eq!(of(&state, 10, n), dword(256 + 64 + 4 * n));
        assert_eq!(of(&state, 10, 4 + n), OLD, "no channel of it is on");
        assert_eq!(of(&state, 11, n), 0, "beyond the end");
        assert_eq!(of(&state, 11, 4 + n), OLD);
    }
}

#[test]
fn a_block_is_written_doubleword_by_doubleword() {
    let payload = vec![header([0, 0, 80, 0]), [1, 2, 3, 4, 5, 6, 7, 8]];
    let start = Start { payload, flag: 0b1010_0110, ..Start::default() };
    let (outcome, state) = start.run("(f0.0) send (8) null<1>:ud m1 null 0x05200200");
    assert_eq!(outcome, Outcome::Halted);
    let at = |n: usize| &state.memory.graphics[256 + 80 + 4 * n..][..4];
    let wanted = [dword(336), 2, 3, dword(348), dword(352), dword(356)];
    for (n, wanted) in wanted.into_iter().enumerate() {
        assert_eq!(at(n), wanted.to_le_bytes(), "{n}");
    }
}

#[test]
fn both_blocks_of_a_pair_have_their_own_offset() {
    let offsets = [16, 9, 9, 9, 48, 9, 9, 9];
    let payload = vec![header([0, 0, 16, 0]), offsets];
    let start = Start { payload, flag: 0b0001_0001, ..Start::default() };
    let (_, state) = start.run("(f0.0) send (8) r10<1>:ud m1 null 0x04245200");
    for row in 0..4 {
        assert_eq!(of(&state, 10 + row, 1), dword(256 + 32 + 16 * row + 4));
        let beyond = row >= 2;
        let wanted = if beyond { 0 } else { dword(256 + 64 + 16 * row + 4) };
        assert_eq!(of(&state, 10 + row, 5), wanted);
    }
}

#[test]
fn stateless_doublewords_start_at_the_general_state_base() {
    let offsets = [0, 4, 8, 1024, 16, 3056, 3072, 40];
    let payload = vec![header([0, 0, 12, 1024 | 0x3FF]), offsets];
    let start = Start { payload, flag: 0xFD, ..Start::default() };
    let (_, state) = start.run("(f0.0) send (8) r10<1>:ud m1 null 0x042172FF");
    let place = |offset: usize| dword(4096 + 1024 + 12 + offset);
    assert_eq!([0, 2, 3, 5].map(|n| of(&state, 10, n)), [0, 8, 1024, 3056].map(place));
    assert_eq!(of(&state, 10, 1), OLD);
}

#[test]
fn a_write_is_answered_without_a_word() {
    let payload = vec![header([0, 0, 0, 0]), [1, 2, 3, 4, 5, 6, 7, 8]];
    let start = Start { payload, ..Start::default() };
    let (outcome, state) = start.run("send (8) r10<1>:ud m1 null 0x05218200");
    assert_eq!(outcome, Outcome::Halted);
    assert_eq!(state.grf[10], [OLD as u8; 32]);
    assert_eq!(state.memory.graphics[256..260], [1, 0, 0, 0]);
    let (outcome, _) = start.run("send (8) null<1>:ud m1 null 0x05208200");
    assert!(matches!(outcome, Outcome::Undefined(_)), "an answer needs a register: {outcome:?}");
}

/// Lines 4389 to 4400: the rows that a surface of four rows, or a field of two, gives for rows -4 to 7.
#[rstest]
#[case(0, [0, 0], "000001233333")]
#[case(0, [1, 0], "000002222222")]
#[case(0, [1, 1], "111113333333")]
#[case(2, [0, 0], "000001233333")]
#[case(2, [1, 0], "000002333333")]
#[case(2, [1, 1], "000013333333")]
#[case(3, [0, 0], "010101232323")]
#[case(3, [1, 0], "000002222222")]
#[case(3, [1, 1], "111113333333")]
fn rows_beyond_the_edges(
    #[case] mode: u32,
    #[case] field: [u32; 2],
    #[case] behaviour: &str,
    #[values(false, true)] overrides: bool,
) {
    let [stride, offset] = field;
    // Rows of 32 bytes; overridden, the surface itself is a frame.
    let rows = if stride == 1 && !overrides { 2 } else { 4 };
    let mut surface = plane(4096, 8, rows, 32, 0);
    surface[0] |= mode << 6;
    if !overrides {
        surface[0] |= stride << 12 | offset << 11;
    }
    let lines = if overrides { 4 | stride << 1 | offset } else { 0 };
    for (number, line) in behaviour.chars().enumerate() {
        let y = (number as i32 - 4).cast_unsigned();
        let payload = vec![header([8, y, 3, 0])];
        let start = Start { surfaces: vec![surface], payload, ..Start::default() };
        let descriptor = 0x0411_6000 | lines << 8;
        let (outcome, state) = start.run(&format!("send (8) r10<1>:ud m1 null {descriptor:#010x}"));
        assert_eq!(outcome, Outcome::Halted);
        let line = line.to_digit(10).expect("a digit") as usize;
        assert_eq!(of(&state, 10, 0), dword(4096 + 32 * line + 8), "row {number}");
    }
}

/// Dwords beyond the left and right edge, by format (lines 4714 to 4722).
#[rstest]
#[case(0x143, [0, 0, 0, 0], [3, 3, 3, 3])]
#[case(0x10D, [0, 1, 0, 1], [2, 3, 2, 3])]
#[case(0x0D7, [0, 1, 2, 3], [0, 1, 2, 3])]
#[case(0x182, [0, 1, 0, 3], [2, 1, 2, 3])]
#[case(0x18F, [0, 1, 0, 3], [2, 1, 2, 3])]
#[case(0x190, [0, 1, 2, 1], [0, 3, 2, 3])]
#[case(0x183, [0, 1, 2, 1], [0, 3, 2, 3])]
fn columns_beyond_the_edges(
    #[case] format: u32,
    #[case] left: [usize; 4],
    #[case] right: [usize; 4],
) {
    let mut surface = plane(4096, 4, 4, 32, 0);
    surface[0] = 1 << 29 | format << 18;
    let read = |x: i32| {
        let payload = vec![header([x.cast_unsigned(), 1, 11, 0])];
        let start = Start { surfaces: vec![surface], payload, ..Start::default() };
        start.run("send (8) r10<1>:ud m1 null 0x04116000").1
    };
    let bytes = |first: usize, order: [usize; 4]| {
        u32::from_le_bytes(order.map(|n| byte(4096 + 32 + first + n)))
    };
    let state = read(-8);
    assert_eq!(
        [0, 1, 2].map(|n| of(&state, 10, n)),
        [bytes(0, left), bytes(0, left), bytes(0, [0, 1, 2, 3])]
    );
    let state = read(12);
    assert_eq!(
        [0, 1, 2].map(|n| of(&state, 10, n)),
        [bytes(12, [0, 1, 2, 3]), bytes(12, right), bytes(12, right)]
    );
}

/// A byte of a plane two tiles wide, by line and column.
#[rstest]
#[case(2, 1024, 9, 516, 2 * 4096 + 4096 + 512 + 4)]
#[case(2, 1024, 7, 508, 7 * 512 + 508)]
#[case(3, 256, 33, 132, 2 * 4096 + 4096 + 16 + 4)]
#[case(3, 256, 31, 36, 2 * 512 + 31 * 16 + 4)]
fn tiles(
    #[case] walk: u32,
    #[case] pitch: u32,
    #[case] line: u32,
    #[case] column: u32,
    #[case] address: usize,
) {
    let payload = vec![header([column, line, 3, 0]), [0x1234_5678; 8]];
    let surfaces = vec![plane(0, pitch / 4, 48, pitch, walk)];
    let start = Start { surfaces, payload, ..Start::default() };
    let (_, state) = start.run("send (8) r10<1>:ud m1 null 0x04116000");
    assert_eq!(of(&state, 10, 0), dword(address));
    let (_, state) = start.run("send (8) null<1>:ud m1 null 0x05202000");
    assert_eq!(state.memory.graphics[address..address + 4], 0x1234_5678_u32.to_le_bytes());
}

#[test]
fn a_vertex_has_as_many_doublewords_as_its_format() {
    // R32G32B32_FLOAT, 20 bytes from vertex to vertex.
    let mut surface = buffer(512, 3);
    surface[0] |= 0x040 << 18;
    surface[3] |= 19 << 3;
    let run = |index: u32| {
        let payload = vec![[1, 2, 3, 4, 5, index, 7, 8]];
        let start = Start { surfaces: vec![surface], payload, flag: 0b1101, ..Start::default() };
        start.run("(f0.0) send (8) null<1>:ud m1 null 0x05105000").1
    };
    let at = |state: &State, n: usize| {
        u32::from_le_bytes(state.memory.graphics[512 + 40 + 4 * n..][..4].try_into().expect("four"))
    };
    let state = run(2);
    let wanted = [1, dword(512 + 44), 3, dword(512 + 52)];
    assert_eq!([0, 1, 2, 3].map(|n| at(&state, n)), wanted);
    let state = run(3);
    assert!((0..4096).all(|n| state.memory.graphics[n] == byte(n)), "beyond the last vertex");
}

#[rstest]
#[case::reserved_cache("send (8) r10<1>:ud m1 null 0x0411C000")]
#[case::reserved_size("send (8) r10<1>:ud m1 null 0x04114700")]
#[case::reserved_type("send (8) r10<1>:ud m1 null 0x04116800")]
#[case::no_surface("send (8) r10<1>:ud m1 null 0x04114009")]
#[case::another_length("send (8) r10<1>:ud m1 null 0x04214000")]
#[case::rectangle_of_a_buffer("send (8) r10<1>:ud m1 null 0x04116000")]
#[case::rectangle_in_the_data_cache("send (8) r10<1>:ud m1 null 0x04112001")]
#[case::stateless_rectangle("send (8) r10<1>:ud m1 null 0x041160FF")]
fn what_is_not_described_ends_the_run(#[case] line: &str) {
    let start = Start { payload: vec![header([0, 0, 0, 0]); 2], ..Start::default() };
    let (outcome, state) = start.run(line);
    assert!(matches!(outcome, Outcome::Undefined(_)), "{line}: {outcome:?}");
    assert_eq!(state.grf[10], [OLD as u8; 32]);
}

#[test]
fn null_takes_anything_without_any_option() {
    let program = text::parse(Device::Bw, "send (8) null<1>:ud m1 null 0x00300123");
    let program = program.expect("it assembles").program;
    let case = Case::new(Device::Bw, program.bytes().to_vec(), Box::new(State::new()), 9);
    match lockstep::<Eu>(&mut Reference::new(), &mut Executor::new(), &case) {
        Verdict::Agreed(agreement) => assert_eq!(agreement.outcome, Outcome::Halted),
        other => panic!("{other:?}"),
    }
}

/// Surroundings, memory and what is written there are in a trace.
#[test]
fn traces_carry_surfaces() {
    let payload = vec![header([0, 0, 16, 0]), [1; 8]];
    let start = Start { payload, ..Start::default() };
    let case = start.case("send (8) null<1>:ud m1 null 0x05200000");
    let trace = Trace::<Eu>::record(&mut Reference::new(), &case).expect("it runs");
    let bytes = trace::to_bytes(&trace).expect("it has a form");
    let mut read: Trace<Eu> = trace::from_bytes(&bytes).expect("a trace");
    assert!(read.case == case);
    assert_eq!(replay(&read, &mut Executor::new()).expect("it loads"), None);
    read.case.state.memory.graphics[300] ^= 8;
    assert!(replay(&read, &mut Executor::new()).expect("it loads").is_some());
}
