use rstest::rstest;

use super::*;

/// A decoder that gives back the dwords of what it decoded.
type Decoder = fn(&[u32]) -> Result<Vec<u32>, DecodeError>;

fn texture(d: &[u32]) -> Result<Vec<u32>, DecodeError> {
    fetch(FetchClause::Texture, [d[0], d[1], d[2], d[3]]).map(|fetch| fetch.dwords().to_vec())
}

fn vertex(d: &[u32]) -> Result<Vec<u32>, DecodeError> {
    fetch(FetchClause::Vertex, [d[0], d[1], d[2], d[3]]).map(|fetch| fetch.dwords().to_vec())
}

/// Every top half and every bottom half of each dword decodes to what encodes to the same bits, or
/// is refused for a field that holds the value it is said to hold.
#[rstest]
#[case::control_flow(2, &[0, 0], |d: &[u32]| control_flow([d[0], d[1]]).map(|cf| cf.dwords().to_vec()))]
#[case::export(2, &[0, 0x9400_0000], |d: &[u32]| control_flow([d[0], d[1]]).map(|cf| cf.dwords().to_vec()))]
#[case::two_sources(2, &[0, 0], |d: &[u32]| alu([d[0], d[1]]).map(|alu| alu.dwords().to_vec()))]
#[case::three_sources(2, &[0, 16 << 13], |d: &[u32]| alu([d[0], d[1]]).map(|alu| alu.dwords().to_vec()))]
#[case::vertex(4, &[0; 4], vertex)]
#[case::semantic(4, &[1, 0, 0, 0], vertex)]
#[case::memory_read(4, &[2, 0, 0, 0], vertex)]
#[case::local_write(4, &[0x402, 0, 0, 0], texture)]
#[case::local_read(4, &[0x502, 0, 0, 0], texture)]
#[case::texture(4, &[16, 0, 0, 0], texture)]
fn halves(#[case] count: usize, #[case] base: &[u32], #[case] decoder: Decoder) {
    let (mut decoded, mut refused) = (0, 0);
    for dword in 0..count {
        for half in 0..=0xFFFF_u32 {
            for shift in [0, 16] {
                let mut dwords = base.to_vec();
                dwords[dword] = dwords[dword] & !(0xFFFF << shift) | half << shift;
                match decoder(&dwords) {
                    Ok(encoded) => {
                        assert_eq!(encoded, dwords);
                        decoded += 1;
                    }
                    Err(error) => {
                        assert_eq!(error.field.get(&dwords), error.value);
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(decoded > 0 && refused > 0);
}

#[rstest]
#[case::clause(0xA000_0000, "NONE")]
#[case::reserved_alu(0xB000_0000, "CF_INST")]
#[case::reserved_plain(25 << 23, "CF_INST")]
#[case::reserved_export(41 << 23, "CF_INST")]
fn reserved_opcodes_are_named(#[case] word: u32, #[case] field: &str) {
    let result = control_flow([0, word]);
    assert_eq!(result.err().map_or("NONE", |error| error.field.name), field);
}

#[test]
fn literals_follow_the_last_instruction() {
    let literal_y = AluOp2::default().with(AluOp2::SRC0_SEL, 253).with(AluOp2::SRC0_CHAN, 1);
    let literal_z = literal_y.with(AluOp2::SRC0_CHAN, 2).with(AluOp2::LAST, 1);
    let mut dwords = literal_y.0.to_vec();
    dwords.extend(literal_z.0);
    dwords.extend([1, 2, 3, 4, 5, 6]);
    let decoded = group(&dwords).expect("decodes");
    assert_eq!((decoded.instructions.len(), decoded.literals.as_slice()), (2, &[1, 2, 3, 4][..]));
    assert_eq!(decoded.dwords(), dwords[..8]);
    assert_eq!(group(&dwords[..6]), Err(GroupError::Cut));
    assert_eq!(group(&[0; 12]), Err(GroupError::TooLong));
}
