use super::*;

#[test]
fn opcodes_are_found_by_code_and_by_name() {
    for &opcode in AluOpcode::ALL {
        let row = opcode.row();
        assert_eq!(AluOpcode::of(row.format, row.code), Some(opcode));
        assert_eq!(AluOpcode::named(row.mnemonic), Some(opcode));
    }
    for &opcode in CfOpcode::ALL {
        assert_eq!(CfOpcode::of(&[opcode.format()], opcode.code()), Some(opcode));
        assert_eq!(CfOpcode::named(opcode.mnemonic()), Some(opcode));
    }
    for &opcode in FetchOpcode::ALL {
        assert_eq!(FetchOpcode::of(opcode.format(), opcode.code()), Some(opcode));
        assert_eq!(FetchOpcode::named(opcode.mnemonic()), Some(opcode));
    }
}

#[test]
fn reserved_codes_are_no_opcodes() {
    for code in (84..96).chain([127, 128, 2047]) {
        assert_eq!(AluOpcode::of(AluFormat::Op2, code), None);
    }
    for code in (0..8).chain([27, 31, 32]) {
        assert_eq!(AluOpcode::of(AluFormat::Op3, code), None);
    }
    for code in [25, 27, 31, 41, 57, 59, 127] {
        assert_eq!(
            CfOpcode::of(&[CfFormat::Plain, CfFormat::Export, CfFormat::Memory], code),
            None
        );
    }
    assert_eq!(CfOpcode::of(&[CfFormat::Alu], 12), None);
    assert_eq!(FetchOpcode::of(FetchFormat::Texture, 13), None);
    assert_eq!(FetchOpcode::of_memory(3), None);
}

#[test]
fn operations_that_take_several_slots_are_the_manual_s() {
    let all = || AluOpcode::ALL.iter().filter(|opcode| opcode.row().slots > 1);
    assert!(all().all(|opcode| opcode.row().units == Units::Vector));
    let reductions: Vec<_> = all().filter(|opcode| opcode.is_reduction()).collect();
    use AluOpcode::{Cube, Dot4, Dot4Ieee, Max4};
    assert_eq!(reductions, [&Dot4, &Dot4Ieee, &Cube, &Max4]);
    assert_eq!(AluOpcode::Flt32ToFlt64.double_slots(), 2);
    assert_eq!(AluOpcode::Frexp64.double_slots(), 4);
    assert_eq!(AluOpcode::Muladd.double_slots(), 0);
}
