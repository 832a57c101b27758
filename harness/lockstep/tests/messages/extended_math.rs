//! Messages to Extended Math on both engines: every cell of the table `g45-extmath-special`, which
//! channels are written, and what is refused.

use std::mem::offset_of;

use parallax_isa::{Acceptance, Reference as _, Step};
use parallax_spec::tables::rows;
use rstest::rstest;
use serde::Deserialize;

use super::*;

/// Where things start.
struct Start {
    device: Device,
    is_alternative: bool,
    /// From m1 on.
    payload: Vec<[u32; 8]>,
    flag: u16,
}

impl Default for Start {
    fn default() -> Self {
        let payload = vec![[1, 2, 3, 4, 5, 6, 7, 8].map(|n: u8| f32::from(n).to_bits())];
        Self { device: Device::G45, is_alternative: false, payload, flag: 0 }
    }
}

impl Start {
    fn case(&self, program: &str) -> Case {
        let program = assembled(self.device, program);
        let mut state = with_payload(self.payload.iter().copied());
        for n in 0..16_u8 {
            let value = f32::from(n + 1).to_le_bytes();
            state.grf[2 + usize::from(n / 8)][4 * usize::from(n % 8)..][..4]
                .copy_from_slice(&value);
        }
        state.grf[10..20].as_flattened_mut().fill(OLD as u8);
        state.flag[0] = self.flag;
        state.control[0] = self.is_alternative.into();
        Case::new(self.device, program, state, 10)
    }

    /// Runs a program on both engines: how it ended and the executor's state.
    fn run(&self, program: &str) -> (Outcome, State) {
        on_both_engines(&self.case(program), program)
    }

    /// The first channel of a reply of some registers, from r10 on: the reference's bits, what it
    /// accepts besides, and the executor's bits.
    fn answer(&self, function_control: u32, reply: usize) -> Vec<(u32, Option<Acceptance>, u32)> {
        let message = self.payload.len();
        let descriptor = 1 << 24 | message << 20 | reply << 16 | function_control as usize;
        let program = format!("send (8) r10<1>:f m1 null {descriptor:#010X}");
        let (outcome, state) = self.run(&program);
        assert_eq!(outcome, Outcome::Halted, "{program}");
        let mut reference = Reference::new();
        reference.load(&self.case(&program)).expect("it loads");
        assert_eq!(reference.step(), Step::Continue, "{program}");
        let results = 10..10 + reply;
        let of_register = |register: usize| {
            let place = (offset_of!(State, grf) + 32 * register) as u32;
            let mut open =
                reference.expectations().iter().filter(|open| open.extent.offset == place);
            let open = open.next().map(|open| open.acceptance);
            let first = |state: &State| doublewords(&state.grf[register])[0];
            (first(reference.state()), open, first(&state))
        };
        results.map(of_register).collect()
    }
}

/// A row of the table.
#[derive(Debug, Deserialize)]
struct Cell {
    function: String,
    mode: String,
    src0_class: String,
    src1_class: String,
    resolved: String,
}

const LARGEST: u32 = 0x7F7F_FFFF;
const INFINITY: u32 = 0x7F80_0000;
const SIGN: u32 = 1 << 31;

/// Operands of a class.
fn operands(class: &str) -> Vec<u32> {
    let negative = |numbers: &[u32]| numbers.iter().map(|bits| bits | SIGN).collect();
    let above = [0x3F80_0001, 0x4000_0000, 0x4123_4567, 0x5F00_0001, LARGEST];
    let below = [0x3F7F_FFFF, 0x3F00_0000, 0x3DCC_CCCD, 0x1234_5678, 0x0080_0000];
    let finite = [above, below].concat();
    let zeros = [0, 1, 0x0040_0000, 0x007F_FFFF];
    match class {
        "+inf" => vec![INFINITY],
        "-inf" => vec![INFINITY | SIGN],
        "+0/+Denorm" => zeros.to_vec(),
        "-0/-Denorm" => negative(&zeros),
        "+F" => [&finite[..], &[0x3F80_0000]].concat(),
        "-F" => negative(&[&finite[..], &[0x3F80_0000]].concat()),
        "abs(F)>1" => [above.to_vec(), negative(&above)].concat(),
        "abs(F)<1" => [below.to_vec(), negative(&below)].concat(),
        "abs(F)==1" => vec![0x3F80_0000, 0xBF80_0000],
        "NaN" => vec![0x7FC0_0000, 0x7F80_0001, 0xFFC0_1234],
        "+INT" => vec![1, 2, 3, 100, 0x7FFF_FFFF],
        "-INT" => [1, 2, 3, 100, 0x7FFF_FFFF].map(u32::wrapping_neg).to_vec(),
        "<>0" => vec![1, 2, 100, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF],
        "0" => vec![0],
        "+ (numerator)" | "+ (denominator)" => vec![1, 7, 100, 0x7FFF_FFFF],
        "- (numerator)" | "- (denominator)" => vec![-1_i32 as u32, -7_i32 as u32, 0x8000_0001],
        "" => vec![0],
        other => panic!("unknown class {other}"),
    }
}

/// Whether a result is what a cell says, with what else is accepted, for operands in its class.
fn holds(resolved: &str, bits: u32, acceptance: Option<Acceptance>) -> bool {
    let exactly = |expected: u32| bits == expected && acceptance.is_none();
    let is_range = matches!(acceptance, Some(Acceptance::Within32(_)) | None);
    let is_positive = bits & SIGN == 0;
    match resolved {
        "+0" => exactly(0),
        "-0" => exactly(SIGN),
        "+1" => exactly(0x3F80_0000),
        "+inf" => exactly(INFINITY),
        "-inf" => exactly(INFINITY | SIGN),
        "+FLT_MAX" => exactly(LARGEST),
        "-FLT_MAX" => exactly(LARGEST | SIGN),
        "NaN" => bits & !SIGN > INFINITY && acceptance == Some(Acceptance::AnyNan32),
        "undefined" => acceptance == Some(Acceptance::Undefined),
        "-1 to 1" => is_range && f32::from_bits(bits).abs() <= 1.0,
        "+F" => is_range && is_positive && bits < INFINITY,
        "+F (or +0 after denormal flush)" | "+F (or +0 after underflow)" => {
            is_range && is_positive && bits < INFINITY
        }
        "+F (or +inf after overflow)" => is_range && is_positive && bits <= INFINITY && bits > 0,
        "+F (or +0/+FLT_MAX after underflow/overflow)" => {
            is_range && is_positive && bits < INFINITY
        }
        "F (log2(|src0|), either sign)" => is_range && bits & !SIGN < INFINITY,
        other if other.contains("disputed") => acceptance == Some(Acceptance::Undefined),
        other => panic!("unknown result {other}"),
    }
}

fn code(function: &str) -> u32 {
    let names = ["INV", "LOG", "EXP", "SQRT", "RSQ", "SIN", "COS", "SINCOS", "", "POW"];
    1 + names.iter().position(|name| *name == function).expect("a function") as u32
}

/// All cells of a function in a mode, how many there are, and how many results they were of.
fn floats(function: &str, mode: &str) -> usize {
    let cells = rows::<Cell>("g45-extmath-special");
    let cells = cells.iter().filter(|cell| (&*cell.function, &*cell.mode) == (function, mode));
    let mut count = 0;
    for cell in cells {
        count += 1;
        for first in operands(&cell.src0_class) {
            for second in operands(&cell.src1_class) {
                let two = function == "POW";
                let payload = if two { vec![[first; 8], [second; 8]] } else { vec![[first; 8]] };
                let is_alternative = mode == "ALT";
                let start = Start { payload, is_alternative, ..Start::default() };
                let [(expected, acceptance, actual)] = start.answer(code(function), 1)[..] else {
                    panic!("one register")
                };
                let what = format!("{cell:?} {first:08X} {second:08X}");
                assert!(
                    holds(&cell.resolved, expected, acceptance),
                    "{what}: {expected:08X} {acceptance:?}"
                );
                let is_open = acceptance == Some(Acceptance::Undefined);
                let accepted = acceptance
                    .is_none_or(|accepted| accepted.accepts(expected.into(), actual.into()));
                let same = acceptance.is_some() || expected == actual;
                assert!(is_open || accepted && same, "{what}: {actual:08X}");
            }
        }
    }
    count
}

#[rstest]
#[case("INV", "IEEE", 5)]
#[case("INV", "ALT", 5)]
#[case("LOG", "IEEE", 6)]
#[case("LOG", "ALT", 6)]
#[case("EXP", "IEEE", 6)]
#[case("EXP", "ALT", 6)]
#[case("SQRT", "IEEE", 6)]
#[case("SQRT", "ALT", 6)]
#[case("RSQ", "IEEE", 6)]
#[case("RSQ", "ALT", 6)]
#[case("SIN", "IEEE", 6)]
#[case("SIN", "ALT", 6)]
#[case("COS", "IEEE", 6)]
#[case("COS", "ALT", 6)]
#[case("POW", "IEEE", 56)]
#[case("POW", "ALT", 49)]
fn special_values(#[case] function: &str, #[case] mode: &str, #[case] cells: usize) {
    assert_eq!(floats(function, mode), cells);
}

/// The cells of divisions: 7 and 4 of results, 2 and 2 of divisions by zero, 4 of signs.
#[test]
fn divisions() {
    let mut count = 0;
    for cell in rows::<Cell>("g45-extmath-special") {
        if cell.function != "INT DIV" {
            continue;
        }
        count += 1;
        let is_signed = cell.mode.starts_with("signed");
        for numerator in operands(&cell.src0_class) {
            for denominator in operands(&cell.src1_class) {
                let payload = vec![[denominator; 8], [numerator; 8]];
                let start = Start { payload, ..Start::default() };
                let control = 0xB | u32::from(is_signed) << 4;
                let [(q, None, quotient), (r, None, remainder)] = start.answer(control, 2)[..]
                else {
                    panic!("two exact registers: {cell:?}")
                };
                let what = format!("{cell:?} {numerator:08X} / {denominator:08X}");
                assert_eq!((q, r), (quotient, remainder), "{what}");
                assert_divided(&cell, (numerator, denominator), (q, r), is_signed);
                let single = |code: u32| start.answer(control & !0xF | code, 1)[0];
                assert_eq!((single(0xC), single(0xD)), ((q, None, q), (r, None, r)), "{what}");
            }
        }
    }
    assert_eq!(count, 17);
}

fn assert_divided(cell: &Cell, (n, d): (u32, u32), (q, r): (u32, u32), is_signed: bool) {
    let what = format!("{cell:?} {n:08X} / {d:08X} = {q:08X} {r:08X}");
    if d == 0 {
        let limit = match n.cast_signed() {
            _ if !is_signed => u32::MAX,
            0.. => 0x7FFF_FFFF,
            _ => 0x8000_0000,
        };
        assert_eq!((q, r), (limit, limit), "{what}");
        assert!(cell.resolved.contains(&format!("Q:0x{q:08X} R:0x{r:08X}")), "{what}");
        return;
    }
    assert_eq!(q.wrapping_mul(d).wrapping_add(r), n, "{what}");
    let number = |bits: u32| match is_signed {
        true => i64::from(bits.cast_signed()),
        false => i64::from(bits),
    };
    let (n, d, q, r) = (number(n), number(d), number(q), number(r));
    assert!(r.abs() < d.abs() && (r == 0 || (r < 0) == (n < 0)), "{what}");
    assert!(q == 0 || (q < 0) == ((n < 0) != (d < 0)), "{what}");
    let sign_of = |number: i64, name: char| {
        let sign = if number < 0 { '-' } else { '+' };
        number == 0 || cell.resolved.contains(&format!("{name}:{sign}"))
    };
    if cell.resolved.starts_with("Q:") {
        assert!(sign_of(q, 'Q') && sign_of(r, 'R'), "{what}");
    } else if cell.resolved == "0" {
        assert_eq!((q, r), (0, 0), "{what}");
    }
}

#[test]
fn every_cell_has_a_test() {
    assert_eq!(rows::<Cell>("g45-extmath-special").len(), 187 + 17);
}

/// Square roots of what is in r2 and r3: 1 to 16.
fn roots(numbers: [u8; 8]) -> [u32; 8] {
    numbers.map(|number| if number == 0 { OLD } else { f32::from(number).sqrt().to_bits() })
}

#[rstest]
#[case("send (8) r10<1>:f m1 null 0x01110004", [[1, 2, 3, 4, 5, 6, 7, 8], [0; 8]])]
#[case("send (8) r10<1>:f m1 null 0x01110104", [[1, 2, 3, 4, 5, 6, 7, 8], [0; 8]])]
#[case("send (8) r10<1>:f m5 r2<8;8,1>:f 0x01110004", [[1, 2, 3, 4, 5, 6, 7, 8], [0; 8]])]
#[case("send (8) r10<1>:f m1 null 0x01110084", [[1, 1, 1, 1, 5, 5, 5, 5], [0; 8]])]
#[case("(f0.0) send (8) r10<1>:f m1 null 0x01110004", [[0, 2, 0, 4, 0, 6, 0, 0], [0; 8]])]
#[case("(f0.0) send (8) r10<1>:f m1 null 0x01110084", [[0, 1, 0, 1, 0, 5, 0, 0], [0; 8]])]
#[case("(f0.0) send (8) r10<1>:f m1 null 0x01110004 {SecHalf}", [[1, 2, 0, 0, 0, 0, 0, 8], [0; 8]])]
#[case("(f0.0) send (8) r10<1>:f m1 null 0x01110084 {SecHalf}", [[1, 1, 0, 0, 0, 0, 0, 5], [0; 8]])]
#[case("send (4) r10.4<1>:f m1 null 0x01110004", [[0, 0, 0, 0, 5, 6, 7, 8], [0; 8]])]
// Two messages.
#[case("send (16) r10<1>:f m5 r2<8;8,1>:f 0x01110004 {Compr}",
    [[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16]])]
#[case("send (16) r10<1>:f m5 r2<8;8,1>:f 0x01110084 {Compr}",
    [[1, 1, 1, 1, 5, 5, 5, 5], [9, 9, 9, 9, 13, 13, 13, 13]])]
#[case("send (16) r10<1>:f m5 r2.5<0;1,0>:f 0x01110004 {Compr}", [[6; 8]; 2])]
#[case("(f0.0) send (16) r10<1>:f m5 r2<8;8,1>:f 0x01110004 {Compr}",
    [[0, 2, 0, 4, 0, 6, 0, 0], [9, 10, 0, 0, 0, 0, 0, 16]])]
// One message of 16 channels.
#[case("send (16) r10<1>:uw m1 null 0x01220004",
    [[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16]])]
#[case("(f0.0) send (16) r10<1>:uw m1 null 0x01220004",
    [[0, 2, 0, 4, 0, 6, 0, 0], [9, 10, 0, 0, 0, 0, 0, 16]])]
#[case("(f0.0) send (16) r10<1>:uw m1 null 0x01220084",
    [[0, 1, 0, 1, 0, 5, 0, 0], [9, 9, 0, 0, 0, 0, 0, 13]])]
// Enables 15:8 are of no channel of eight.
#[case("send (16) r10<1>:uw m1 null 0x01110004", [[1, 2, 3, 4, 5, 6, 7, 8], [0; 8]])]
fn channels(#[case] line: &str, #[case] expected: [[u8; 8]; 2]) {
    let payload =
        [1_u8, 9].map(|first| std::array::from_fn(|n| f32::from(first + n as u8).to_bits()));
    let start = Start { payload: payload.to_vec(), flag: 0x832A, ..Start::default() };
    let (outcome, state) = start.run(line);
    assert_eq!(outcome, Outcome::Halted, "{line}");
    let actual = [10, 11].map(|register| doublewords(&state.grf[register]));
    assert_eq!(actual, expected.map(roots), "{line}");
}

/// The reply of the first half is there before the second half reads.
#[test]
fn halves_come_one_after_the_other() {
    let line = "send (16) r2<1>:f m5 r2.5<0;1,0>:f 0x01110004 {Compr}";
    let (outcome, state) = Start::default().run(line);
    assert_eq!(outcome, Outcome::Halted);
    let [first, second] = [2, 3].map(|register| doublewords(&state.grf[register])[0]);
    let root = 6_f32.sqrt();
    assert_eq!([first, second], [root, root.sqrt()].map(f32::to_bits));
}

#[rstest]
#[case(0, 0x0111_0000, "a reserved function")]
#[case(0, 0x0111_0009, "a reserved function")]
#[case(0, 0x0111_000E, "a reserved function")]
#[case(0, 0x0111_000F, "a reserved function")]
#[case(0, 0x0111_0204, "reserved bits")]
#[case(0, 0x0111_8004, "reserved bits")]
#[case(0, 0x0121_004C, "saturated integers")]
#[case(0, 0x0112_0004, "two registers of one result")]
#[case(0, 0x0131_0004, "three registers of one operand")]
#[case(0, 0x0111_000A, "one operand of two")]
#[case(0, 0x0122_000A, "two results of one")]
#[case(0, 0x0142_000A, "16 channels of two operands")]
#[case(0, 0x0111_0008, "one result of two")]
#[case(0, 0x0111_000B, "one operand of two")]
#[case(0, 0x0122_000C, "two results of one")]
#[case(0, 0x0121_0004, "16 channels and a reply for eight")]
#[case(0, 0x0122_0008, "16 channels of two results")]
#[case(0, 0x0124_0008, "16 channels of two results")]
#[case(1, 0x0122_0004, "16 channels")]
fn refused(#[case] early: usize, #[case] descriptor: u32, #[case] what: &str) {
    let devices = [[Device::G45, Device::Ctg], [Device::Bw, Device::Cl]][early];
    for device in devices {
        let start = Start { device, ..Start::default() };
        let line = format!("send (8) r10<1>:f m1 r2<8;8,1>:f {descriptor:#010X}");
        let case = start.case(&line);
        let (outcome, state) = start.run(&line);
        assert_eq!(outcome.keyword(), "undefined", "{what}");
        assert!(state == *case.state, "{what}: nothing has happened");
    }
}

/// Every function of one operand in every binade, 16 numbers of each sign a binade and mode: all of them
/// within what the reference accepts, on both engines step by step and in a free run.
#[rstest]
fn every_binade(
    #[values("INV", "LOG", "EXP", "SQRT", "RSQ", "SIN", "COS", "SINCOS")] function: &str,
) {
    hold_in_binades(function, 1);
}

/// The same of 1,024 numbers of a binade and mode, and of 1,008 powers:
///
///     cargo test --release -p parallax-lockstep --test integration -- binade --ignored
#[rstest]
#[ignore = "minutes"]
fn every_binade_in_full(
    #[values("INV", "LOG", "EXP", "SQRT", "RSQ", "SIN", "COS", "SINCOS")] function: &str,
) {
    hold_in_binades(function, 32);
}

/// So many rounds of 32 numbers in each binade and mode.
fn hold_in_binades(function: &str, rounds: u32) {
    let mut random = SplitMix64::new(6);
    let code = code(function);
    let line = |n: usize| match function {
        // Two results: a message of eight channels each.
        "SINCOS" => {
            let (to, from, descriptor) = (10 + 2 * n, 2 + n, 0x0112_0000 | code);
            format!("send (8) r{to}<1>:f m1 r{from}<8;8,1>:f {descriptor:#010X}\n")
        }
        _ => {
            let (to, from, descriptor) = (10 + 2 * n, 2 + 2 * n, 0x0111_0000 | code);
            format!("send (16) r{to}<1>:f m1 r{from}<8;8,1>:f {descriptor:#010X} {{Compr}}\n")
        }
    };
    let lines = if function == "SINCOS" { 4 } else { 2 };
    let program: Vec<String> = (0..lines).map(line).collect();
    let mut reference = Reference::new();
    let mut executor = Executor::new();
    let start = Start::default();
    let first = start.case(&program.concat());
    for (exponent, is_alternative, _) in in_binades(0..256, rounds) {
        let mut case = first.clone();
        case.state.control[0] = is_alternative.into();
        for (n, place) in case.state.grf[2..6].as_flattened_mut().chunks_mut(4).enumerate() {
            let sign = if n % 2 == 0 { 0 } else { SIGN };
            let number = sign | exponent << 23 | random.next() as u32 & 0x007F_FFFF;
            place.copy_from_slice(&number.to_le_bytes());
        }
        let verdict = lockstep::<Eu>(&mut reference, &mut executor, &case);
        let Verdict::Agreed(agreement) = verdict else {
            panic!("{function} {exponent} {is_alternative}: {verdict:?}")
        };
        assert_eq!((agreement.outcome, agreement.steps), (Outcome::Halted, lines as u64));
    }
}

/// Exponents, both float modes, and rounds.
fn in_binades(
    exponents: std::ops::Range<u32>,
    rounds: u32,
) -> impl Iterator<Item = (u32, bool, u32)> {
    exponents.flat_map(move |exponent| {
        [false, true].into_iter().flat_map(move |is_alternative| {
            (0..rounds).map(move |round| (exponent, is_alternative, round))
        })
    })
}

/// Powers of a base of every binade, by exponents of 16 binades: from those that give about 1 to those
/// that overflow.
#[test]
fn powers_of_every_binade() {
    hold_powers_in_binades(1);
}

/// The same of 1,008 of a binade and mode.
#[test]
#[ignore = "minutes"]
fn powers_of_every_binade_in_full() {
    hold_powers_in_binades(63);
}

/// So many rounds of 16 powers in each binade and mode.
fn hold_powers_in_binades(rounds: u32) {
    let mut random = SplitMix64::new(7);
    let (mut reference, mut executor) = (Reference::new(), Executor::new());
    let line = "send (8) r10<1>:f m1 null 0x0121000A\nsend (8) r12<1>:f m3 null 0x0121000A\n";
    let start = Start { payload: vec![[0; 8]; 4], ..Start::default() };
    let first = start.case(line);
    for (exponent, is_alternative, _) in in_binades(1..255, rounds) {
        let mut case = first.clone();
        case.state.control[0] = is_alternative.into();
        let mut number = |exponent: u32| {
            let bits = random.next() as u32;
            (bits & 0x807F_FFFF | exponent << 23).to_le_bytes()
        };
        for message in [1, 3] {
            for channel in 0..8 {
                let place = 4 * channel..4 * channel + 4;
                case.state.mrf[message][place.clone()].copy_from_slice(&number(exponent));
                let by = 118 + (channel + 4 * (message - 1)) as u32;
                case.state.mrf[message + 1][place].copy_from_slice(&number(by));
            }
        }
        match lockstep::<Eu>(&mut reference, &mut executor, &case) {
            Verdict::Agreed(agreement) => assert_eq!(agreement.outcome, Outcome::Halted),
            verdict => panic!("{exponent} {is_alternative}: {verdict:?}"),
        }
    }
}
