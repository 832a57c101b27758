use super::*;

#[test]
fn alu_opcodes_are_the_manual_s() {
    #[derive(serde::Deserialize)]
    struct Row {
        format: String,
        opcode_dec: u32,
        mnemonic: String,
        units: String,
        nsrc: usize,
        updates: String,
    }
    let rows: Vec<Row> = parallax_spec::tables::rows("r700-alu-opcodes");
    assert_eq!(rows.len(), AluOpcode::ALL.len());
    for row in rows {
        let format = if row.format == "OP2" { AluFormat::Op2 } else { AluFormat::Op3 };
        let opcode = AluOpcode::of(format, row.opcode_dec).expect("listed");
        assert_eq!(opcode.mnemonic(), row.mnemonic);
        assert_eq!(AluOpcode::named(&row.mnemonic), Some(opcode));
        assert_eq!(opcode.row().sources.len(), row.nsrc, "{}", row.mnemonic);
        let units = match row.units.as_str() {
            "both" => Units::Any,
            "T" => Units::Trans,
            _ => Units::Vector,
        };
        assert_eq!(opcode.row().units, units, "{}", row.mnemonic);
        let role = match row.updates.as_str() {
            "none" => Role::Plain,
            "kill" => Role::Kill,
            "AR" => Role::Address,
            _ => Role::Predicate,
        };
        assert_eq!(opcode.row().role, role, "{}", row.mnemonic);
    }
}

#[test]
fn control_flow_opcodes_are_the_manual_s() {
    #[derive(serde::Deserialize)]
    struct Row {
        cf_format: String,
        opcode: u32,
        mnemonic: String,
    }
    let rows: Vec<Row> = parallax_spec::tables::rows("r700-cf-opcodes");
    assert_eq!(rows.len(), CfOpcode::ALL.len());
    for row in rows {
        let formats: &[CfFormat] = match row.cf_format.as_str() {
            "CF_WORD" => &[CfFormat::Plain],
            "CF_ALU_WORD" => &[CfFormat::Alu],
            _ => &[CfFormat::Export, CfFormat::Memory],
        };
        let opcode = CfOpcode::of(formats, row.opcode).expect("listed");
        assert_eq!(opcode.mnemonic(), row.mnemonic);
        assert_eq!(CfOpcode::named(&row.mnemonic), Some(opcode));
    }
}

#[test]
fn double_slots_are_the_manual_s() {
    #[derive(serde::Deserialize)]
    struct Row {
        op: String,
        slot_group: String,
    }
    for row in parallax_spec::tables::rows::<Row>("r700-slots") {
        let Some(opcode) = AluOpcode::named(&row.op) else { continue };
        if opcode.double_slots() > 0 {
            let wide = row.slot_group.contains("all") || row.slot_group.split(',').count() == 4;
            assert_eq!(opcode.double_slots() == 4, wide, "{} {}", row.op, row.slot_group);
        }
    }
}
