use std::collections::HashMap;

use parallax_spec::tables;
use rstest::rstest;
use serde::Deserialize;

use super::*;

#[test]
fn rows_are_in_the_order_of_the_opcodes() {
    for (row, opcode) in OPCODES.iter().zip(Opcode::ALL) {
        assert_eq!(row.opcode, *opcode);
    }
}

#[test]
fn codes_are_the_generation_tables() {
    #[derive(Deserialize)]
    struct Row {
        mnemonic: String,
        gen4: String,
        gen45: String,
    }
    let rows = tables::rows::<Row>("eu-opcodes-by-gen");
    let rows: HashMap<_, _> = rows.into_iter().map(|row| (row.mnemonic.clone(), row)).collect();
    let value = |text: &str| u8::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    for row in &OPCODES {
        let listed = &rows[row.opcode.mnemonic()];
        assert_eq!(row.codes, [value(&listed.gen4), value(&listed.gen45)], "{:?}", row.opcode);
    }
}

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
