//! Messages to the data port of G45 and its predecessors on both engines, with what has to come of them.

use parallax_isa::{
    Acceptance, Reference as _,
    shared::{Environment, SharedFunctions},
};
use rstest::rstest;

use super::*;

/// Generated messages agree, and most programs of them come to their end.
#[rstest]
fn generated_messages_agree(
    #[values(Device::Bw, Device::Cl, Device::Ctg, Device::G45)] device: Device,
) {
    assert_agree(generate::data_port_messages, device, 680);
}

/// Byte *n* of memory at first.
fn byte(n: usize) -> u8 {
    (n ^ n >> 8) as u8
}

/// The doubleword at a byte of memory at first.
fn dword(n: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|k| byte(n + k)))
}

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
        let program = assembled(self.device, program);
        let mut state = with_payload(self.payload.iter().copied());
        state.grf[10..20].as_flattened_mut().fill(OLD as u8);
        state.flag[0] = self.flag;
        for (n, place) in state.memory.graphics.iter_mut().enumerate() {
            *place = byte(n);
        }
        let mut case = Case::new(self.device, program, state, 20);
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
        case.surroundings.shared_functions = SharedFunctions::around(environment);
        case
    }

    /// Runs a program on both engines: how it ended and the executor's state.
    fn run(&self, program: &str) -> (Outcome, State) {
        on_both_engines(&self.case(program), program)
    }
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
fn a_record_of_a_loop_filter_comes_with_what_its_indices_and_strengths_stand_for() {
    let mut record = [0u8; 64];
    // Strengths 1, 2, 3 and 0 of the first column inside, 4, 3, 1 and 2 on the left, 1 above.
    record[4] = 0b00_11_10_01;
    record[10..12].copy_from_slice(&[0x34, 0x21]);
    record[14..16].copy_from_slice(&[0x11, 0x11]);
    // Indices A and B of luma: inside, on the left, above; those of Cr above.
    record[18..22].copy_from_slice(&[51, 16, 40, 30]);
    record[24..26].copy_from_slice(&[23, 51]);
    record[44..46].copy_from_slice(&[50, 26]);
    record[48] = 2;
    let payload = vec![header([0, 0, 32, 0])];
    let start = Start { payload, surfaces: vec![buffer(256, 6)], flag: 0, ..Start::default() };
    let program = "(f0.0) send (8) r10<1>:ud m1 null 0x04185800";
    let mut case = start.case(program);
    case.state.memory.graphics[256 + 32..][..64].copy_from_slice(&record);
    let (outcome, state) = on_both_engines(&case, program);
    assert_eq!(outcome, Outcome::Halted);
    let reply = state.grf[10..18].as_flattened();
    assert_eq!(reply[..64], record);
    let wanted: [(usize, &[u8]); 11] = [
        // Maps of the first column, then A and B on the left and above.
        (64, &[0xFF, 0x0F, 0, 0]),
        (80, &[0xFF, 0xFF, 0x0F, 0x00]),
        (84, &[0xFF, 0xFF, 0, 0]),
        // tc0 on the left (index 40), in the first column (51) and above (23).
        (96, &[0, 7, 4, 5]),
        (100, &[13, 17, 25]),
        (112, &[1, 1, 1, 1]),
        // Alpha and beta on the left, above and inside.
        (128, &[80, 8, 10, 18, 255, 2, 0, 0]),
        // Cb has indices of 0, Cr strengths of 1 above and an index of 50.
        (168, &[0, 0, 0, 0]),
        (184, &[11, 11, 11, 11]),
        (200, &[0, 0, 255, 6]),
        (208, &[0; 16]),
    ];
    for (at, bytes) in wanted {
        assert_eq!(reply[at..at + bytes.len()], *bytes, "byte {at}");
    }
}

#[rstest]
#[case::stateless(0x041858FF, 32)]
#[case::an_offset_between_octwords(0x04185800, 40)]
#[case::a_shorter_reply(0x04175800, 32)]
fn a_record_of_a_loop_filter_needs_a_surface_an_octword_and_its_length(
    #[case] descriptor: u32,
    #[case] offset: u32,
) {
    let start = Start { payload: vec![header([0, 0, offset, 0])], ..Start::default() };
    let (outcome, _) = start.run(&format!("send (8) r10<1>:ud m1 null {descriptor:#010x}"));
    assert!(matches!(outcome, Outcome::Undefined(_)), "{outcome:?}");
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
#[case(0x147, [0, 0, 0, 0], [3, 3, 3, 3])]
#[case(0x110, [0, 1, 0, 1], [2, 3, 2, 3])]
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

/// What a byte beyond the left edge is, for each of the 512 codes, by the manual's table of formats: those of 8,
/// 16 and 32 bits, and the four of pairs, which it gives no size. Everything else is undefined.
#[test]
fn codes_of_formats_beyond_the_edges() {
    let table = include_str!("../../../../model/spec/tables/g45-surface-formats.csv");
    let sizes: std::collections::HashMap<u32, &str> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .map(|row| (u32::from_str_radix(row[0], 16).expect("a code"), row[2]))
        .collect();
    let mut readable = 0;
    for code in 0..512 {
        let order = match (code, sizes.get(&code).copied()) {
            (0x182 | 0x18F, _) => Some([0, 1, 0, 3]),
            (0x183 | 0x190, _) => Some([0, 1, 2, 1]),
            (_, Some("8")) => Some([0, 0, 0, 0]),
            (_, Some("16")) => Some([0, 1, 0, 1]),
            (_, Some("32")) => Some([0, 1, 2, 3]),
            _ => None,
        };
        let mut surface = plane(4096, 4, 4, 32, 0);
        surface[0] = 1 << 29 | code << 18;
        let payload = vec![header([(-4_i32).cast_unsigned(), 1, 3, 0])];
        let start = Start { surfaces: vec![surface], payload, ..Start::default() };
        let (outcome, state) = start.run("send (8) r10<1>:ud m1 null 0x04116000");
        match order {
            Some(order) => {
                let wanted = u32::from_le_bytes(order.map(|n| byte(4096 + 32 + n)));
                assert_eq!((outcome, of(&state, 10, 0)), (Outcome::Halted, wanted), "{code:#x}");
                readable += 1;
            }
            None => assert!(matches!(outcome, Outcome::Undefined(_)), "{code:#x}: {outcome:?}"),
        }
    }
    assert!(readable > 60, "{readable} codes");
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

/// Surface 1 is a plane, on which a rectangle of four bytes can be read through two caches.
#[rstest]
#[case::reserved_cache("send (8) r10<1>:ud m1 null 0x0411C000", "through cache 3")]
#[case::reserved_size("send (8) r10<1>:ud m1 null 0x04114700", "octwords of size 7")]
#[case::reserved_type("send (8) r10<1>:ud m1 null 0x04116800", "of type 5")]
#[case::no_surface("send (8) r10<1>:ud m1 null 0x04114019", "beyond its bound")]
#[case::another_length("send (8) r10<1>:ud m1 null 0x04214000", "of 2 registers that has 1")]
#[case::rectangle_of_a_buffer("send (8) r10<1>:ud m1 null 0x04116000", "not 2D")]
#[case::rectangle_in_the_data_cache("send (8) r10<1>:ud m1 null 0x04112001", "the data cache")]
#[case::stateless_rectangle("send (8) r10<1>:ud m1 null 0x041160FF", "a stateless media block")]
#[case::last_read("send (8) null<1>:ud m1 null 0x04104000 {EOT}", "a last message")]
#[case::last_write("send (8) null<1>:ud m1 null 0x05200200 {EOT}", "a last message")]
fn what_is_not_described_ends_the_run(#[case] line: &str, #[case] why: &str) {
    let surfaces = vec![buffer(256, 6), plane(4096, 8, 4, 32, 0)];
    let payload = vec![header([0, 0, 3, 0]); 2];
    let start = Start { surfaces, payload, ..Start::default() };
    let (outcome, state) = start.run(line);
    assert!(
        matches!(&outcome, Outcome::Undefined(sentence) if sentence.contains(why)),
        "{line}: {outcome:?}"
    );
    assert_eq!(state.grf[10], [OLD as u8; 32]);
}

#[rstest]
#[case::render_cache("send (8) r10<1>:ud m1 null 0x04116000")]
#[case::sampler_cache("send (8) r10<1>:ud m1 null 0x0411A000")]
fn rectangles_come_out_of_two_caches(#[case] line: &str) {
    let surfaces = vec![plane(4096, 8, 4, 32, 0)];
    let start = Start { surfaces, payload: vec![header([0, 0, 3, 0])], ..Start::default() };
    let (outcome, state) = start.run(line);
    assert_eq!((outcome, of(&state, 10, 0)), (Outcome::Halted, dword(4096)));
}

/// X Offset in units of four pixels of 32 bits, Y Offset in units of two lines; `None`: undefined.
#[rstest]
#[case::inside(3, 128, 256, 7, 15, Some(7 * 512 + 30 * 16))]
#[case::x_beyond_the_tile(3, 4, 256, 8, 0, None)]
#[case::last_x(2, 4, 512, 31, 3, Some(31 * 16 + 3 * 2 * 512))]
#[case::x_beyond_an_x_tile(2, 4, 1024, 32, 0, None)]
#[case::y_beyond_an_x_tile(2, 4, 512, 0, 4, None)]
#[case::beyond_the_pitch(2, 512, 512, 1, 0, None)]
#[case::linear(0, 4, 512, 1, 0, None)]
#[case::linear_lines(0, 4, 512, 0, 1, None)]
fn surfaces_start_in_their_first_tile(
    #[case] walk: u32,
    #[case] width: u32,
    #[case] pitch: u32,
    #[case] right: u32,
    #[case] down: u32,
    #[case] address: Option<usize>,
) {
    let mut surface = plane(0, width / 4, 2, pitch, walk);
    surface[5] = right << 25 | down << 20;
    let payload = vec![header([0, 0, 3, 0])];
    let start = Start { surfaces: vec![surface], payload, ..Start::default() };
    let (outcome, state) = start.run("send (8) r10<1>:ud m1 null 0x04116000");
    match address {
        Some(address) => {
            assert_eq!((outcome, of(&state, 10, 0)), (Outcome::Halted, dword(address)));
        }
        None => assert!(matches!(outcome, Outcome::Undefined(_)), "{outcome:?}"),
    }
}

/// Reads beyond the bound of the stateless model are open (E-g45-dataport-math-urb-13): an engine that
/// has something else there agrees.
#[test]
fn what_is_read_beyond_the_stateless_bound_is_open() {
    let payload = vec![header([0, 0, 4096 - 16, 0])];
    let start = Start { payload, ..Start::default() };
    let case = start.case("send (8) r10<1>:ud m1 null 0x041142FF");
    let mut reference = Reference::new();
    reference.load(&case).expect("it loads");
    reference.step();
    let open: u32 = reference.expectations().iter().map(|open| open.extent.mask.count_ones()).sum();
    assert_eq!(open, 128, "one octword of two");
}

/// After a write that nobody waited for, what is there is old or new, and nothing else.
#[test]
fn a_read_after_an_uncommitted_write_gets_the_old_or_the_new() {
    let payload = vec![header([0, 0, 0, 0]), [0x0101_0101; 8]];
    let start = Start { payload, ..Start::default() };
    let program = "send (8) null<1>:ud m1 null 0x05200000\nsend (8) r10<1>:ud m1 null 0x04114000";
    let case = start.case(program);
    let mut reference = Reference::new();
    reference.load(&case).expect("it loads");
    reference.step();
    assert!(reference.expectations().is_empty(), "the write itself is not open");
    reference.step();
    let wanted: Vec<_> =
        (0..16).map(|n| Acceptance::Or(u64::from(byte(256 + n)) << (8 * (n % 4)))).collect();
    let given: Vec<_> = reference.expectations().iter().map(|open| open.acceptance).collect();
    assert_eq!(given, wanted);
}

/// Channels that write the same place leave what one of them wrote.
#[rstest]
#[case::two(0b11, Some(Acceptance::Or(1)))]
#[case::three(0b111, Some(Acceptance::Undefined))]
#[case::one(0b1, None)]
fn channels_that_meet(#[case] flag: u16, #[case] wanted: Option<Acceptance>) {
    let payload = vec![header([0, 0, 0, 0]), [0; 8], [1, 2, 3, 4, 5, 6, 7, 8]];
    let start = Start { payload, flag, ..Start::default() };
    let case = start.case("(f0.0) send (8) null<1>:ud m1 null 0x05303200");
    let mut reference = Reference::new();
    reference.load(&case).expect("it loads");
    reference.step();
    let lowest = reference.expectations().first().map(|open| open.acceptance);
    assert_eq!(lowest, wanted);
}

#[test]
fn null_takes_anything_without_any_option() {
    let program = "send (8) null<1>:ud m1 null 0x00300123";
    let state = Box::new(State::new());
    let case = Case::new(Device::Bw, assembled(Device::Bw, program), state, 9);
    assert_eq!(on_both_engines(&case, program).0, Outcome::Halted);
}

/// Surroundings, memory and what is written there are in a trace.
#[test]
fn traces_carry_surfaces() {
    let payload = vec![header([0, 0, 16, 0]), [1; 8]];
    let start = Start { payload, ..Start::default() };
    let case = start.case("send (8) null<1>:ud m1 null 0x05200000");
    let mut read = traced(&case);
    assert!(read.case == case);
    read.case.state.memory.graphics[300] ^= 8;
    assert!(replay(&read, &mut Executor::new()).expect("it loads").is_some());
}
