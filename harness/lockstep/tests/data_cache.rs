//! Messages to the data cache on both engines, with what has to come of them.

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Image, Outcome,
    eu::{Case, State, text},
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
fn generated_messages_agree(#[values(Device::Ivb, Device::Skl)] device: Device) {
    let mut whole = 0;
    for seed in 0..600 {
        let mut bytes = vec![0; generate::BYTES];
        SplitMix64::new(seed).fill(&mut bytes);
        let case = generate::messages(device, &bytes);
        match lockstep::<Eu>(&mut Reference::new(), &mut Executor::new(), &case) {
            Verdict::Agreed(agreement) => whole += u32::from(agreement.outcome == Outcome::Halted),
            other => panic!("{seed}: {other:?}"),
        }
    }
    assert!(whole > 450, "{whole} of 600 programs ran to their end");
}

/// Byte *n* of memory at first.
fn byte(n: usize) -> u8 {
    (n ^ n >> 8) as u8
}

/// The doubleword at a byte of memory at first.
fn dword(n: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|k| byte(n + k)))
}

/// Runs lines of `skl` on both engines. r2 is a header: offset `offset` in doubleword 2, `base` in
/// doubleword 5, all slots in doubleword 7; r3 and r4 have the offsets 0, 8, 16, … 120; r5 and r6 have data 0x500 to 0x50F; r10
/// to r20 have 0xEE in each byte.
fn run(lines: &str, offset: u32, base: u32) -> (Outcome, State) {
    run_on(Device::Skl, lines, offset, base)
}

/// The same of a device.
fn run_on(device: Device, lines: &str, offset: u32, base: u32) -> (Outcome, State) {
    let program = text::parse(device, lines).unwrap_or_else(|error| panic!("{error:?}"));
    let mut state = Box::new(State::of(device));
    let words = |values: [u32; 8]| {
        let bytes = values.map(u32::to_le_bytes);
        *bytes.as_flattened().first_chunk::<32>().expect("eight words")
    };
    state.grf[2] = words([offset, 0, offset, 0, 0, base, 0, 0xFFFF]);
    for half in 0..2_u32 {
        state.grf[3 + half as usize] = words([0, 1, 2, 3, 4, 5, 6, 7].map(|n| 64 * half + 8 * n));
        state.grf[5 + half as usize] =
            words([0, 1, 2, 3, 4, 5, 6, 7].map(|n| 0x500 + 8 * half + n));
    }
    state.grf[10..=20].as_flattened_mut().fill(0xEE);
    state.flag[0] = 0x0F35;
    for (n, place) in state.memory.bytes_mut().iter_mut().enumerate() {
        *place = byte(n);
    }
    let case = Case::new(device, program.program.bytes().to_vec(), state, 10);
    let (mut reference, mut executor) = (Reference::new(), Executor::new());
    let Verdict::Agreed(agreement) = lockstep::<Eu>(&mut reference, &mut executor, &case) else {
        panic!("they differ")
    };
    (agreement.outcome, *parallax_isa::Model::state(&executor))
}

/// What was in memory at first and what a message has written there is in a trace.
#[test]
fn traces_carry_memory() {
    let lines = "send (8|M0) r36:ud r35 0xA 0x02480400\n\
                 sends (8|M0) null:ud r35 r36 0x10A 0x020A0401";
    let program = text::parse(Device::Skl, lines).expect("it assembles").program;
    let mut state = Box::new(State::of(Device::Skl));
    state.memory.global[..128].copy_from_slice(&[7; 128]);
    let case = Case::new(Device::Skl, program.bytes().to_vec(), state, 10);
    let trace = Trace::<Eu>::record(&mut Reference::new(), &case).expect("it runs");
    let written = trace.steps[1].changes.iter().map(|change| State::place(change.offset));
    assert_eq!(written.collect::<Vec<_>>(), ["ip", "mem32.0"]);
    let bytes = trace::to_bytes(&trace).expect("it has a form");
    let mut read: Trace<Eu> = trace::from_bytes(&bytes).expect("a trace");
    assert!(read.case == case);
    assert_eq!(replay(&read, &mut Executor::new()).expect("it loads"), None);
    read.case.state.memory.global[127] = 8;
    assert!(replay(&read, &mut Executor::new()).expect("it loads").is_some());
}

/// A doubleword of a general register.
fn of(state: &State, register: usize, n: usize) -> u32 {
    u32::from_le_bytes(state.grf[register][4 * n..][..4].try_into().expect("four bytes"))
}

const OLD: u32 = 0xEEEE_EEEE;

#[test]
fn an_octword_block_is_read_whole_by_the_channels_that_are_on() {
    // Two octwords from octword 3 of surface 1.
    let line = "(f0.0) send (8|M0) r10:ud r2 0xA 0x02180201";
    let (outcome, state) = run(line, 3, 0);
    assert_eq!(outcome, Outcome::Halted);
    for n in 0..8 {
        assert_eq!(of(&state, 10, n), dword(1024 + 48 + 4 * n));
    }
    // One octword, in the upper half.
    let (_, state) = run("send (8|M0) r10:ud r2 0xA 0x02180101", 3, 0);
    assert_eq!([of(&state, 10, 3), of(&state, 10, 4)], [OLD, dword(1024 + 48)]);
}

#[test]
fn what_is_beyond_a_surface_reads_as_zeros() {
    // Surface 6 has 72 bytes: octword 4 is not wholly inside, doubleword 17 is.
    let (_, state) = run("send (8|M0) r10:ud r2 0xA 0x02180206", 3, 0);
    assert_eq!([of(&state, 10, 3), of(&state, 10, 4)], [dword(6144 + 60), 0]);
    let (_, state) = run("send (8|M0) r10:ud r3 0xC 0x02106E06", 0, 0);
    assert_eq!(of(&state, 10, 7), dword(6144 + 56));
    let (_, state) = run("send (16|M0) r10:ud r3 0xC 0x04205E06", 0, 0);
    assert_eq!([of(&state, 11, 0), of(&state, 11, 1)], [dword(6144 + 64), 0]);
}

#[test]
fn scattered_bytes_have_zeros_above_them() {
    // A byte, then a word, of shared local memory.
    let (_, state) = run("(f0.0) send (8|M0) r10:ud r3 0xA 0x021100FE", 0, 0);
    assert_eq!(of(&state, 10, 2), u32::from(byte(8192 + 16)));
    assert_eq!(of(&state, 10, 1), OLD);
    let (_, state) = run("send (8|M0) r10:ud r3 0xA 0x021104FE", 0, 0);
    assert_eq!(of(&state, 10, 2), dword(8192 + 16) & 0xFFFF);
}

#[test]
fn scattered_doublewords_count_doublewords() {
    // A header comes first, whose doubleword 2 counts doublewords too.
    let (_, state) = run("send (8|M0) r10:ud r2 0xA 0x0418C200", 2, 0);
    assert_eq!(of(&state, 10, 3), dword(4 * (24 + 2)));
}

#[test]
fn stateless_messages_have_a_base() {
    // Of 5000 only whole kibibytes count.
    let (_, state) = run("send (8|M0) r10:ud r2 0xC 0x04186EFF", 0, 5000);
    assert_eq!(of(&state, 10, 1), dword(4096 + 8));
}

/// The last doubleword of a header says which slots untyped messages and atomics have.
#[rstest]
#[case::read("0xC 0x04186E02", 2048)]
#[case::increment("0xC 0x0418B503", 3072)]
fn a_header_has_a_mask_of_slots(#[case] message: &str, #[case] first: usize) {
    let mask = 0x12;
    let lines = format!("mov (1|M0) r2.7<1>:ud {mask:#x}:ud\nsend (8|M0) r10:ud r2 {message}");
    let (outcome, state) = run(&lines, 0, 0);
    assert_eq!(outcome, Outcome::Halted);
    for n in 0..8 {
        let expected = if mask >> n & 1 == 1 { dword(first + 8 * n) } else { OLD };
        assert_eq!(of(&state, 10, n), expected, "channel {n}");
    }
}

#[test]
fn scattered_messages_have_no_mask_in_their_header() {
    let lines = "mov (1|M0) r2.7<1>:ud 0:ud\nsend (8|M0) r10:ud r2 0xA 0x04190802";
    let (outcome, state) = run(lines, 0, 0);
    assert_eq!(outcome, Outcome::Halted);
    assert_eq!(of(&state, 10, 2), dword(2048 + 16));
}

/// A fence is answered by a register if it asks for a commit.
#[rstest]
#[case("0x0219E000", true)]
#[case("0x0209C000", true)]
#[case("0x0209E000", false)]
#[case("0x0219C000", false)]
fn fences_reply_to_commits(#[case] descriptor: &str, #[case] is_answered: bool) {
    let to = if descriptor.starts_with("0x021") { "r10:ud" } else { "null:ud" };
    let (outcome, _) = run(&format!("send (8|M0) {to} r2 0xA {descriptor}"), 0, 0);
    assert_eq!(outcome == Outcome::Halted, is_answered, "{outcome:?}");
}

/// The second part of a message of Gen12 has up to 31 registers: a block read with 16 is one of a wrong length.
#[rstest]
#[case("0xA", true)]
#[case("0x40A", false)]
fn second_parts_of_gen12_have_five_bits_of_length(
    #[case] extended: &str,
    #[case] is_answered: bool,
) {
    let line = format!("send (8|M0) r10:ud r2 r40 {extended} 0x02480400");
    let (outcome, _) = run_on(Device::Dg1, &line, 0, 0);
    assert_eq!(outcome == Outcome::Halted, is_answered, "{outcome:?}");
}

#[test]
fn untyped_data_is_in_planes() {
    // R and B of eight channels.
    let (_, state) = run("send (8|M0) r10:ud r3 0xC 0x02206A02", 0, 0);
    assert_eq!(of(&state, 10, 5), dword(2048 + 40));
    assert_eq!(of(&state, 11, 5), dword(2048 + 40 + 8));
    // A write of two parts, of which r5 is R.
    let (_, state) = run("sends (8|M0) null:ud r3 r5 0x4C 0x02026E02", 0, 0);
    assert_eq!(state.memory.global[2048 + 40..][..4], 0x505_u32.to_le_bytes());
    assert_eq!(state.memory.global[2048 + 44], byte(2048 + 44));
}

/// What eight atomics with 0x500 to 0x507 make of doublewords, and what comes back.
#[rstest]
#[case(1, |old: u32, new: u32| old & new)]
#[case(2, |old: u32, new: u32| old | new)]
#[case(3, |old: u32, new: u32| old ^ new)]
#[case(4, |_: u32, new: u32| new)]
#[case(7, |old: u32, new: u32| old.wrapping_add(new))]
#[case(8, |old: u32, new: u32| old.wrapping_sub(new))]
#[case(9, |old: u32, new: u32| new.wrapping_sub(old))]
#[case(10, |old: u32, new: u32| (old as i32).max(new as i32) as u32)]
#[case(11, |old: u32, new: u32| (old as i32).min(new as i32) as u32)]
#[case(12, |old: u32, new: u32| old.max(new))]
#[case(13, |old: u32, new: u32| old.min(new))]
fn atomics(#[case] code: u32, #[case] compute: fn(u32, u32) -> u32) {
    let descriptor = 0x0210_B003 | code << 8;
    let (outcome, state) = run(&format!("sends (8|M0) r10:ud r3 r5 0x4C {descriptor:#x}"), 0, 0);
    assert_eq!(outcome, Outcome::Halted);
    for n in 0..8 {
        let place = 3072 + 8 * n;
        let new = compute(dword(place), 0x500 + n as u32);
        assert_eq!(of(&state, 10, n), dword(place));
        assert_eq!(state.memory.global[place..][..4], new.to_le_bytes(), "channel {n}");
    }
}

#[rstest]
#[case(5, 1, 0)]
#[case(6, u32::MAX, 0)]
#[case(15, u32::MAX, u32::MAX)]
fn counting_atomics(#[case] code: u32, #[case] step: u32, #[case] back: u32) {
    let descriptor = 0x0210_B003 | code << 8;
    let (_, state) = run(&format!("send (8|M0) r10:ud r3 0xC {descriptor:#x}"), 0, 0);
    let old = dword(3072 + 24);
    assert_eq!(state.memory.global[3096..][..4], old.wrapping_add(step).to_le_bytes());
    assert_eq!(of(&state, 10, 3), old.wrapping_add(back));
}

#[test]
fn an_atomic_compares_with_its_first_operand() {
    // r22 is written where r21 is what is there: in all channels but the first.
    let lines = "mov (8|M0) r21.0<1>:ud 0:ud\n\
                 send (8|M0) r21:ud r3 0xC 0x02106E03\n\
                 mov (1|M0) r21.0<1>:ud 1:ud\n\
                 mov (8|M0) r22.0<1>:ud r5.0<8;8,1>:ud\n\
                 sends (8|M0) r10:ud r3 r21 0x8C 0x0210BE03";
    let (outcome, state) = run(lines, 0, 0);
    assert_eq!(outcome, Outcome::Halted);
    assert_eq!(state.memory.global[3072..][..4], dword(3072).to_le_bytes());
    assert_eq!(state.memory.global[3096..][..4], 0x503_u32.to_le_bytes());
    assert_eq!([of(&state, 10, 0), of(&state, 10, 3)], [dword(3072), dword(3096)]);
}

#[test]
fn scratch_is_read_in_registers() {
    // Two registers from register 5 on, 2 KiB behind the base.
    let (_, state) = run("send (8|M0) r10:ud r2 0xA 0x022C1005", 0, 2048);
    assert_eq!(of(&state, 10, 0), dword(2048 + 160));
    assert_eq!(of(&state, 11, 7), dword(2048 + 160 + 60));
    assert_eq!(of(&state, 12, 0), OLD);
}

/// How the talk's histogram gets its image.
#[test]
fn an_image_of_eight_rows_is_read_by_one_message() {
    let lines = "mov (8|M0) r35.0<1>:ud 0:ud\n\
                 mov (1|M0) r35.2<1>:ud 0x7001F:ud\n\
                 send (8|M0) r36:ud r35 0xC 0x02890008";
    let (outcome, state) = run(lines, 0, 0);
    assert_eq!(outcome, Outcome::Halted);
    let image: Vec<u8> = (0..256).map(byte).collect();
    assert_eq!(state.grf[36..44].as_flattened(), image);
}

/// A corner of picture 9, which has 11 rows of 52 bytes, 64 apart, from byte 4096 on: three rows of 12
/// bytes, in the registers 16 apart.
#[rstest]
#[case::inside(4, 2, [[(4, 2), (8, 2), (12, 2)], [(4, 3), (8, 3), (12, 3)], [(4, 4), (8, 4), (12, 4)]])]
#[case::left_of_it(-8, 0, [[(0, 0), (0, 0), (0, 0)], [(0, 1), (0, 1), (0, 1)], [(0, 2), (0, 2), (0, 2)]])]
#[case::beyond_a_corner(44, 9, [[(44, 9), (48, 9), (48, 9)], [(44, 10), (48, 10), (48, 10)], [(44, 10), (48, 10), (48, 10)]])]
fn a_media_block_repeats_the_edges(
    #[case] x: i32,
    #[case] y: i32,
    #[case] expected: [[(usize, usize); 3]; 3],
) {
    let lines = format!(
        "mov (1|M0) r2.0<1>:d {x}:d\n\
         mov (1|M0) r2.1<1>:d {y}:d\n\
         mov (1|M0) r2.2<1>:ud 0x2000B:ud\n\
         send (8|M0) r10:ud r2 0xC 0x02290009"
    );
    let (outcome, state) = run(&lines, 0, 0);
    assert_eq!(outcome, Outcome::Halted);
    for (row, pixels) in expected.into_iter().enumerate() {
        for (column, (x, y)) in pixels.into_iter().enumerate() {
            let at = 4 * row + column;
            assert_eq!(of(&state, 10 + at / 8, at % 8), dword(4096 + 64 * y + x), "{row} {column}");
        }
        // Between the rows nothing is written.
        let gap = 4 * row + 3;
        assert_eq!(of(&state, 10 + gap / 8, gap % 8), OLD);
    }
}

#[test]
fn a_media_block_is_written_as_far_as_it_is_inside() {
    // Two rows of two pixels at the lower right corner of picture 8: one pixel is inside.
    let lines = "mov (1|M0) r2.0<1>:ud 28:ud\n\
                 mov (1|M0) r2.1<1>:ud 7:ud\n\
                 mov (1|M0) r2.2<1>:ud 0x10007:ud\n\
                 sends (8|M0) null:ud r2 r5 0x4C 0x020A8008";
    let (outcome, state) = run(lines, 0, 0);
    assert_eq!(outcome, Outcome::Halted);
    let mut image: Vec<u8> = (0..512).map(byte).collect();
    image[252..256].copy_from_slice(&0x500_u32.to_le_bytes());
    assert_eq!(state.memory.global[..512], image);
}

/// The talk's `sends`, of a surface that there is: levels 0, 8, 16, … of picture 10, which is 32 pixels wide and
/// has 16 rows. Only channels that are on get something.
#[test]
fn resinfo_gives_the_size_of_a_level() {
    let lines = "shr (8|M0) r3.0<1>:ud r3.0<8;8,1>:ud 3:ud\n\
                 (f0.0) sends (8|M0) r10:ud r2 r3 0x42 0x024AA30A";
    let (outcome, state) = run(lines, 0, 0);
    assert_eq!(outcome, Outcome::Halted);
    for n in 0..8 {
        let size = [32 >> n, 16 >> n, 0, 1];
        let expected = if 0x35 >> n & 1 == 1 { size } else { [OLD; 4] };
        assert_eq!([10, 11, 12, 13].map(|register| of(&state, register, n)), expected, "{n}");
    }
}

/// How the talk's histogram can get its image from a buffer, and where it can leave buckets.
#[test]
fn an_image_of_eight_rows_is_read_by_two_messages() {
    let lines = "mov (8|M0) r35.0<1>:ud 0:ud\n\
                 send (8|M0) r36:ud r35 0xA 0x02480400\n\
                 mov (1|M0) r35.2<1>:ud 8:ud\n\
                 send (8|M0) r40:ud r35 0xA 0x02480400\n\
                 mov (1|M0) r35.2<1>:ud 16:ud\n\
                 sends (8|M0) null:ud r35 r36 0x10A 0x020A0400";
    let (outcome, state) = run(lines, 0, 0);
    assert_eq!(outcome, Outcome::Halted);
    let image: Vec<u8> = (0..256).map(byte).collect();
    assert_eq!(state.grf[36..44].as_flattened(), image);
    assert_eq!(state.memory.global[256..384], image[..128]);
    assert_eq!(state.memory.global[384], byte(384));
}

#[rstest]
#[case::another_function("send (8|M0) r10:ud r2 0x2 0x02180201")]
#[case::a_block_without_a_header("send (8|M0) r10:ud r2 0xA 0x02100201")]
#[case::a_reserved_size("send (8|M0) r10:ud r2 0xA 0x02180701")]
#[case::an_index_without_a_surface("send (8|M0) r10:ud r2 0xA 0x02180208")]
#[case::a_reply_that_is_too_long("send (8|M0) r10:ud r2 0xA 0x02280201")]
#[case::a_reserved_type("send (8|M0) r10:ud r2 0xA 0x02188201")]
#[case::a_sample("send (8|M0) r10:ud r3 0x2 0x02422008")]
#[case::the_size_of_a_buffer("send (8|M0) r10:ud r3 0x2 0x0242A001")]
#[case::a_size_for_four_channels("send (8|M0) r10:ud r3 0x2 0x0240A008")]
#[case::a_picture_that_is_a_buffer("send (8|M0) r10:ud r2 0xC 0x02190001")]
#[case::a_media_block_without_a_header("send (8|M0) r10:ud r2 0xC 0x02110008")]
#[case::a_media_block_of_a_field("send (8|M0) r10:ud r2 0xC 0x02190408")]
#[case::half_a_pixel("send (8|M0) r10:ud r2 0xC 0x02190008")]
#[case::no_component("send (8|M0) r10:ud r3 0xC 0x02006F02")]
fn messages_without_a_meaning_end_the_run(#[case] line: &str) {
    let (outcome, state) = run(line, 0, 0);
    assert!(matches!(outcome, Outcome::Undefined(_)), "{outcome:?}");
    assert_eq!(of(&state, 10, 0), OLD);
}
