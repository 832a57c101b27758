//! BC4: every code at every texel, for every class of endpoints; ETC2: every mode is reached.

use parallax_isa::surface::{Format, named};
use parallax_reference::surface::{View, decode};
use rstest::rstest;

fn format(name: &str) -> &'static Format {
    named(None, name).unwrap_or_else(|error| panic!("{error}")).1
}

/// The value of a code of BC4 by the public specification, with host arithmetic.
fn bc4_value(signed: bool, [first, second]: [u8; 2], code: u32) -> f64 {
    let endpoint = |byte: u8| match signed {
        true => (f64::from(byte.cast_signed()) / 127.0).max(-1.0),
        false => f64::from(byte) / 255.0,
    };
    let (a, b, code) = (endpoint(first), endpoint(second), f64::from(code));
    match code as u32 {
        0 => a,
        1 => b,
        _ if a > b => (a * (8.0 - code) + b * (code - 1.0)) / 7.0,
        6 => {
            if signed {
                -1.0
            } else {
                0.0
            }
        }
        7 => 1.0,
        _ => (a * (6.0 - code) + b * (code - 1.0)) / 5.0,
    }
}

#[rstest]
fn bc4_codes(
    #[values(false, true)] signed: bool,
    #[values([200, 10], [10, 200], [77, 77], [255, 0], [0, 255], [0x80, 0x81], [0x81, 0x80], [0x7F, 0x80], [0x80, 0x7F])]
    endpoints: [u8; 2],
) {
    let format = format(if signed { "BC4_SNORM" } else { "BC4_UNORM" });
    for place in 0..16 {
        for code in 0..8_u64 {
            // The others have another code, so that a wrong place shows.
            let other = (code + 3) % 8;
            let codes = (0..16)
                .fold(0, |codes, n| codes | (if n == place { code } else { other }) << (3 * n));
            let word = u64::from(endpoints[0]) | u64::from(endpoints[1]) << 8 | codes << 16;
            let texels = decode(format, &word.to_le_bytes(), &View::default()).expect("decodes");
            for (n, texel) in texels.iter().enumerate() {
                let code = if n as u64 == place { code } else { other };
                let expected = bc4_value(signed, endpoints, code as u32);
                let got = f64::from(f32::from_bits(texel.bits()[0] as u32));
                assert!(
                    (got - expected).abs() < 1e-7,
                    "{endpoints:?} code {code}: {got} {expected}"
                );
            }
        }
    }
}

/// A block of each mode of ETC2, chosen by which sum of the differential bases leaves 0 to 31.
#[rstest]
#[case::individual([0x00, 0x00, 0x00, 0x00])]
#[case::differential([0x80, 0x80, 0x80, 0x02])]
#[case::t([0x07, 0x80, 0x80, 0x02])]
#[case::h([0x00, 0x07, 0x80, 0x02])]
#[case::planar([0x00, 0x00, 0x07, 0x02])]
fn etc2_modes_differ(#[case] head: [u8; 4]) {
    let block = [head[0], head[1], head[2], head[3], 0x12, 0x34, 0x56, 0x78];
    let texels = |name: &str| decode(format(name), &block, &View::default()).expect("decodes");
    let (etc1, etc2) = (texels("ETC1_RGB8"), texels("ETC2_RGB8"));
    // Valid ETC1 blocks are ETC2 blocks of the same colours, the new modes are not.
    let valid = head[0] != 7 && head[1] != 7 && head[2] != 7;
    assert_eq!(etc1 == etc2, valid);
}
