use parallax_spec::tables;
use rstest::rstest;
use serde::Deserialize;

use super::*;

/// Every opcode value on every device: the operation the G45 table has, or none.
#[rstest]
#[case(Device::Bw, &["movi", "pln", "nenop"])]
#[case(Device::Cl, &["movi", "pln", "nenop"])]
#[case(Device::Ctg, &["pln", "nenop"])]
#[case(Device::G45, &[])]
fn all_128_values(#[case] device: Device, #[case] missing: &[&str]) {
    #[derive(Deserialize)]
    struct Row {
        opcode_hex: String,
        mnemonic: String,
    }
    let rows = tables::rows::<Row>("g45-opcodes");
    assert_eq!(rows.len(), 128);
    for row in rows {
        let code = u8::from_str_radix(row.opcode_hex.strip_prefix("0x").unwrap(), 16).unwrap();
        let expected = match row.mnemonic.as_str() {
            "reserved" => None,
            name if missing.contains(&name) => None,
            name => Some(name),
        };
        assert_eq!(Opcode::of_code(device, code).map(Opcode::mnemonic), expected, "{code:#x}");
        if let Some(opcode) = Opcode::of_code(device, code) {
            assert_eq!(opcode.code(device), Some(code));
        }
    }
}

#[test]
fn no_operation_belongs_to_another_family() {
    assert_eq!(Opcode::of_code(Device::Rv770, 1), None);
    assert_eq!(Opcode::Mov.code(Device::Rv770), None);
}

#[test]
fn codes_are_those_of_the_generation() {
    let code = |opcode: Opcode, generation: Generation| CODES[opcode as usize][generation as usize];
    assert_eq!(code(Opcode::Mov, Generation::Gen9), Some(0x01));
    assert_eq!(code(Opcode::Mov, Generation::Gen12), Some(0x61));
    assert_eq!(code(Opcode::Mad, Generation::Gen45), None);
    assert_eq!(code(Opcode::Mad, Generation::Gen7), Some(0x5B));
    // The table of generations has it, the G45 manual reserves the code.
    assert_eq!(code(Opcode::Sendc, Generation::Gen45), None);
    assert_eq!(code(Opcode::Sendc, Generation::Gen7), Some(0x32));
}

#[test]
fn only_later_generations_have_three_sources() {
    for opcode in Opcode::ALL.iter().filter(|opcode| opcode.format() == Format::Ternary) {
        assert!(Device::GEN4.iter().all(|device| opcode.code(*device).is_none()), "{opcode:?}");
    }
}
