//! Faults in results that are easily taken for open, though the manual or its tables decide them:
//! programs of one instruction whose operands show them.

use parallax_isa::{
    Device,
    r700::{Case, State, case::VertexBuffer, state::Lanes, text},
};
use parallax_lockstep::choices::Choices;

use super::{Fault, R700, disturb};
use crate::fault_injection::{Family, all_are_found};

const SIGN: u32 = 1 << 31;

/// Faults of programs that a generator makes.
const fn family(
    name: &'static str,
    generate: fn(Device, &[u8]) -> Case,
    faults: &'static [Fault<R700>],
) -> Family<R700> {
    Family { name, device: Device::Rv770, generate, bytes: 1024, faults }
}

/// A program with values of R0.x and R0.y, which differ from pixel to pixel.
fn program(source: &str, values: &[u32], bytes: &[u8]) -> Case {
    let program = text::parse(source).unwrap_or_else(|wrong| panic!("{}\n{source}", wrong[0]));
    let mut case = Case::new(program.encode());
    let mut choices = Choices::new(bytes);
    let [x, y, ..] = &mut case.state.gpr[0];
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (*choices.pick(values), *choices.pick(values));
    }
    // No result: what is written differs from it.
    case.state.gpr[1] = [[0x5EED_5EED; 64]; 4];
    case
}

/// A group of one instruction, with R1.x or R1.y as its destination.
fn group(instruction: &str, values: &[u32], bytes: &[u8]) -> Case {
    program(&format!("00 ALU:\n 0  {instruction}\n01 NOP: END_OF_PROGRAM\n"), values, bytes)
}

/// Changes results, given the operands of their pixels.
fn results(before: &State, after: &mut State, change: impl Fn(u32, u32, u32) -> u32) {
    let [x, y, ..]: &[Lanes; 4] = &before.gpr[0];
    for (old, new) in before.gpr[1].iter().zip(&mut after.gpr[1]) {
        for (pixel, result) in new.iter_mut().enumerate().filter(|(n, new)| old[*n] != **new) {
            *result = change(x[pixel], y[pixel], *result);
        }
    }
}

/// Whether an operand may be one of those whose function has no approximation: a zero, also a
/// denormal one, an infinity or a power of two.
fn is_exact(operand: u32) -> bool {
    operand & 0x7F_FFFF == 0 || operand & 0x7F80_0000 == 0
}

static PRODUCTS: Family<R700> = family(
    "products with zero",
    |_, bytes| {
        const VALUES: [u32; 5] = [0, SIGN, 0x3F80_0000, 0xC000_0000, 0xFF80_0000];
        group("x: MUL R1.x, R0.x, R0.y", &VALUES, bytes)
    },
    &[disturb("MUL with the sign of its factors", |_, before, after| {
        results(before, after, |x, y, result| match result & !SIGN {
            0 => (x ^ y) & SIGN,
            _ => result,
        });
    })],
);

static INTEGRAL_PARTS: Family<R700> = family(
    "integral parts",
    |_, bytes| {
        const VALUES: [u32; 4] = [0, 0x3E80_0000, 0x3F00_0000, 0x4040_0000];
        let mnemonic = Choices::new(&bytes[512..]).pick(&["TRUNC", "FLOOR", "RNDNE"]).to_owned();
        group(&format!("x: {mnemonic} R1.x, R0.x"), &VALUES, bytes)
    },
    &[disturb("-0 of a positive number", |_, before, after| {
        results(before, after, |_, _, result| if result == 0 { SIGN } else { result });
    })],
);

static APPROXIMATIONS: Family<R700> = family(
    "approximations",
    |_, bytes| {
        const VALUES: [u32; 4] = [0x4040_0000, 0x40A0_0001, 0x3F12_3456, 0x3DCC_CCCD];
        const MNEMONICS: [&str; 5] =
            ["RECIP_IEEE", "RECIPSQRT_IEEE", "SQRT_IEEE", "EXP_IEEE", "LOG_IEEE"];
        let mnemonic = *Choices::new(&bytes[512..]).pick(&MNEMONICS);
        group(&format!("t: {mnemonic} R1.x, R0.x"), &VALUES, bytes)
    },
    &[
        disturb("two units in the last place up", |_, before, after| {
            results(
                before,
                after,
                |x, _, result| if is_exact(x) { result } else { result.wrapping_add(2) },
            );
        }),
        disturb("two units in the last place down", |_, before, after| {
            results(
                before,
                after,
                |x, _, result| if is_exact(x) { result } else { result.wrapping_sub(2) },
            );
        }),
    ],
);

static CLAMPED: Family<R700> = family(
    "approximations that are clamped",
    |_, bytes| group("t: RECIP_IEEE R1.x, R0.x CLAMP", &[0x3E80_0000, 0xBF12_3456], bytes),
    &[disturb("one unit below a clamped 1.0", |_, before, after| {
        results(before, after, |_, _, result| result - u32::from(result == 0x3F80_0000));
    })],
);

static SINES: Family<R700> = family(
    "sines",
    |_, bytes| group("t: SIN R1.x, R0.x", &[0x3400_0000, 0xB380_0000, 0x2000_0000], bytes),
    NEAR_ZERO,
);

static COSINES: Family<R700> = family(
    "cosines",
    |_, bytes| group("t: COS R1.x, R0.x", &[0x3FC9_0FDB, 0xBFC9_0FDA], bytes),
    NEAR_ZERO,
);

const NEAR_ZERO: &[Fault<R700>] = &[
    disturb("zero for a small result", |_, before, after| {
        results(before, after, |_, _, result| match f32::from_bits(result).abs() {
            small if small < 1e-6 => 0,
            _ => result,
        });
    }),
    disturb("a small result a thousandth too large", |_, before, after| {
        results(before, after, |_, _, result| match f32::from_bits(result) {
            small if small.abs() < 1e-6 => (small * 1.001).to_bits(),
            _ => result,
        });
    }),
];

static NARROWED: Family<R700> = family(
    "doubles that become singles",
    |_, bytes| {
        const VALUES: [u32; 4] = [0x7FF8_0000, 0xFFF8_0000, 0x7FF0_0001, 0x3FF0_0000];
        group("x: FLT64_TO_FLT32 R1.x, R0.x\n    y: FLT64_TO_FLT32 ____.y, R0.y", &VALUES, bytes)
    },
    &[disturb("a NaN of the other sign", |_, before, after| {
        results(before, after, |_, _, result| match result & !SIGN {
            0x7FC0_0000 => result ^ SIGN,
            _ => result,
        });
    })],
);

static DOUBLES: Family<R700> = family(
    "NaNs of doubles",
    |_, bytes| {
        const VALUES: [u32; 4] = [0x7FF0_0000, 0xFFF0_0000, 0x7FF8_1234, 0x3FF0_0000];
        // High words first, and the high word of the result last.
        const GROUP: &str = "x: ADD_64 R1.x, R0.x, R0.y\n    y: ADD_64 R1.y, R2.x, R2.y";
        group(GROUP, &VALUES, bytes)
    },
    &[
        disturb("NaN64 with the other sign", |_, before, after| {
            results(before, after, |_, _, result| match result {
                0xFFF8_0000 => result ^ SIGN,
                _ => result,
            });
        }),
        disturb("a NaN without its payload", |_, before, after| {
            results(before, after, |_, _, result| match result {
                0x7FF8_1234 => 0x7FF8_0000,
                _ => result,
            });
        }),
    ],
);

/// Two fetches to the same register: the first leaves pixels open that are not valid, the second is
/// done for whole quads.
static FETCHES: Family<R700> = family(
    "fetches over fetches",
    |_, bytes| {
        const SOURCE: &str = "00 VTX:\n FETCH R1.x___, R0.x DATA_FORMAT(13)\n \
            FETCH R1.x___, R0.y DATA_FORMAT(13) FETCH_WHOLE_QUAD(1)\n01 NOP: END_OF_PROGRAM\n";
        let mut case = program(SOURCE, &[0, 1, 2, 3], bytes);
        let data = [0x1111_1111_u32, 0x2222_2222, 0x3333_3333, 0x4444_4444];
        let buffer = VertexBuffer {
            bytes: data.into_iter().flat_map(u32::to_le_bytes).collect(),
            stride: 4,
            ..VertexBuffer::default()
        };
        case.constants.vertex_buffers = vec![buffer];
        case.state.valid = 0x5555_5555_5555_5555;
        case
    },
    &[disturb("the first of two fetches stays in invalid pixels", |_, before, after| {
        let valid = before.valid;
        let written = before.gpr[1][0] != after.gpr[1][0];
        for (pixel, result) in after.gpr[1][0].iter_mut().enumerate().filter(|_| written) {
            if valid >> pixel & 1 == 0 {
                *result = 0;
            }
        }
    })],
);

#[test]
fn faults_in_what_is_not_open_are_found() {
    for family in [
        &PRODUCTS,
        &INTEGRAL_PARTS,
        &APPROXIMATIONS,
        &CLAMPED,
        &SINES,
        &COSINES,
        &NARROWED,
        &DOUBLES,
        &FETCHES,
    ] {
        all_are_found(family);
    }
}
