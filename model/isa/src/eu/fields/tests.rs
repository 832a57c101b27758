use std::collections::HashMap;

use parallax_spec::tables;
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct FieldRow {
    field: String,
    format: String,
    gen4_bits: String,
    gen45_bits: String,
}

fn field_rows() -> Vec<FieldRow> {
    let mut rows = tables::rows::<FieldRow>("eu-inst-fields");
    rows.retain(|row| ["basic-2src", "imm"].contains(&row.format.as_str()));
    rows
}

#[test]
fn every_field_is_where_the_table_has_it() {
    let mut found = 0;
    for row in field_rows() {
        let columns = [row.gen4_bits, row.gen45_bits];
        if row.field.starts_with("reserved") || columns.iter().all(String::is_empty) {
            continue;
        }
        let field = FIELDS.iter().find(|field| field.name == row.field);
        let field = field.unwrap_or_else(|| panic!("no field {}", row.field));
        assert_eq!(Layout::ALL.map(|layout| field.bits(layout)), columns, "{}", row.field);
        found += 1;
    }
    // The three fields that only send has are in another table.
    assert_eq!(found, FIELDS.len() - 3);
}

#[test]
fn no_field_lies_in_reserved_bits() {
    let reserved = field_rows().into_iter().filter(|row| row.field.starts_with("reserved"));
    for row in reserved {
        for (layout, bits) in Layout::ALL.into_iter().zip([row.gen4_bits, row.gen45_bits]) {
            for run in bits.split(',') {
                let (high, low) = run.split_once(':').unwrap_or((run, run));
                let run = Bits { high: high.parse().unwrap(), low: low.parse().unwrap() };
                // An immediate, and so a descriptor, has no reserved bits.
                let unreserved = ["Imm32", "MsgDscpt31", "EOT"];
                for field in FIELDS.iter().filter(|field| !unreserved.contains(&field.name)) {
                    let mask = |run: &Bits| (u128::MAX >> (128 - run.width())) << run.low;
                    let clear = field.position(layout).iter().all(|at| mask(at) & mask(&run) == 0);
                    assert!(clear, "{} overlaps reserved bits {run}", field.name);
                }
            }
        }
    }
}

/// The names the G45 table has for our fields.
fn g45_name(field: &Field) -> &'static str {
    match field.name {
        "QtrCtrl (compression control before Gen6)" => "ComprCtrl",
        "CmptCtrl" => "CompactCtrl / reserved",
        "DstRegFile" => "Dst.RegFile",
        "DstDataType" => "Dst.DstType",
        "DstAddrMode" => "Dst.AddrMode",
        "DstHorzStride" => "Dst.HorzStride",
        "DstRegNum" => "Dst.RegNum",
        "DstSubRegNum (Align1)" => "Dst.SubRegNum",
        "DstSubRegNum (Align16)" => "Dst.SubRegNum[4]",
        "DstChanEn (Align16)" => "Dst.ChanEn",
        "DstAddrSubRegNum" => "Dst.AddrSubRegNum",
        "DstAddrImm (Align1)" => "Dst.AddrImm",
        "DstAddrImm (Align16)" => "Dst.AddrImm[9:4]",
        "Src0RegFile" => "Src0.RegFile",
        "Src0DataType" => "Src0.SrcType",
        "Src0AddrMode" => "Src0.AddrMode",
        "Src0VertStride" => "Src0.VertStride",
        "Src0Width" => "Src0.Width",
        "Src0HorzStride" => "Src0.HorzStride",
        "Src0RegNum" => "Src0.RegNum",
        "Src0SubRegNum (Align1)" => "Src0.SubRegNum",
        "Src0SubRegNum (Align16)" => "Src0.SubRegNum[4]",
        "Src0AddrSubRegNum" => "Src0.AddrSubRegNum",
        "Src0AddrImm (Align1)" => "Src0.AddrImm",
        "Src0AddrImm (Align16)" => "Src0.AddrImm[9:4]",
        "Src1RegFile" => "Src1.RegFile",
        "Src1DataType" => "Src1.SrcType",
        "Src1AddrMode" => "Src1.AddrMode",
        "Src1VertStride" => "Src1.VertStride",
        "Src1Width" => "Src1.Width",
        "Src1HorzStride" => "Src1.HorzStride",
        "Src1RegNum" => "Src1.RegNum",
        "Src1SubRegNum (Align1)" => "Src1.SubRegNum",
        "Src1SubRegNum (Align16)" => "Src1.SubRegNum[4]",
        "Src1AddrSubRegNum" => "Src1.AddrSubRegNum",
        "Src1AddrImm (Align1)" => "Src1.AddrImm",
        "Src1AddrImm (Align16)" => "Src1.AddrImm[9:4]",
        "CurrDst.RegNum" => "CurrDst.RegNum[3:0]",
        name => name,
    }
}

#[test]
fn every_field_is_where_the_g45_table_has_it() {
    #[derive(Deserialize)]
    struct Row {
        format: String,
        dword: String,
        bits: String,
        field: String,
    }
    let mut places: HashMap<String, Vec<String>> = HashMap::new();
    for row in tables::rows::<Row>("g45-encoding-fields") {
        // Rows that only restrict a field of another format do not place it.
        let restricting = ["flow-", "mask-", "wait", "line", "pln", "imm-src0"];
        let Some(dword) = row.dword.strip_prefix("DW") else { continue };
        if restricting.iter().any(|format| row.format.starts_with(format)) {
            continue;
        }
        let (high, low) = row.bits.split_once(':').unwrap_or((&row.bits, &row.bits));
        let Ok(low) = low.parse::<u8>() else { continue };
        let base = 32 * dword.parse::<u8>().unwrap();
        let run = Bits { high: base + high.parse::<u8>().unwrap(), low: base + low };
        let name = row.field.strip_suffix(" (reserved)").unwrap_or(&row.field);
        places.entry(name.to_owned()).or_default().push(run.to_string());
    }
    for field in FIELDS {
        // Modifiers and swizzles are one row of two or more fields.
        let split = ["Negate", "Abs", "ChanSel"];
        if split.iter().any(|part| field.name.contains(part)) {
            continue;
        }
        let bits = field.bits(Layout::Gen45);
        let places = places.get(g45_name(field)).unwrap_or_else(|| panic!("no {}", field.name));
        assert!(places.contains(&bits), "{} at {bits}, table {places:?}", field.name);
    }
}

#[test]
fn type_codes_are_the_tables() {
    #[derive(Deserialize)]
    struct Row {
        r#type: String,
        role: String,
        gen4: String,
        gen45: String,
    }
    let rows = tables::rows::<Row>("eu-type-encodings");
    let value = |text: &str| u32::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    for (layout, column) in [(Layout::Gen4, 0), (Layout::Gen45, 1)] {
        for (role, codes) in [("reg", register_types(layout)), ("imm", immediate_types(layout))] {
            let listed: Vec<(u32, String)> = rows
                .iter()
                .filter(|row| row.role == role)
                .filter_map(|row| {
                    let code = value([&row.gen4, &row.gen45][column])?;
                    Some((code, row.r#type.to_lowercase()))
                })
                .collect();
            for (code, name) in &listed {
                assert_eq!(codes.meaning(*code).map(DataType::suffix), Some(name.as_str()));
            }
            assert_eq!(codes.codes.len(), listed.len());
        }
    }
}

/// Codes of the G45 value table: how many of a field are not reserved.
#[rstest::rstest]
#[case("ExecSize", EXECUTION_SIZES.codes.len())]
#[case("CondModifier", CONDITIONAL_MODIFIERS.codes.len())]
#[case("VertStride", VERTICAL_STRIDES.codes.len())]
#[case("Width", WIDTHS.codes.len())]
#[case("HorzStride", HORIZONTAL_STRIDES.codes.len())]
#[case("PredCtrl.Align1", predicate_controls(AccessMode::Align1).codes.len())]
#[case("PredCtrl.Align16", predicate_controls(AccessMode::Align16).codes.len())]
#[case("ThreadCtrl", THREAD_CONTROLS.codes.len())]
#[case("ComprCtrl", COMPRESSIONS.codes.len())]
#[case("AccessMode", ACCESS_MODES.codes.len())]
#[case("SrcType.register", register_types(Layout::Gen45).codes.len())]
#[case("SrcType.immediate", immediate_types(Layout::Gen45).codes.len())]
#[case("RegFile.dst", REGISTER_FILES.codes.len())]
fn the_value_table_has_as_many_codes(#[case] name: &str, #[case] codes: usize) {
    #[derive(Deserialize)]
    struct Row {
        field: String,
        name: String,
    }
    let rows = tables::rows::<Row>("g45-field-values");
    let listed = rows.iter().filter(|row| row.field == name && row.name != "reserved");
    assert_eq!(listed.count(), codes);
}

/// Codes whose meaning is a number: the table's name is that number.
#[rstest::rstest]
#[case("ExecSize", &EXECUTION_SIZES)]
#[case("Width", &WIDTHS)]
#[case("HorzStride", &HORIZONTAL_STRIDES)]
fn number_codes_are_the_tables(#[case] name: &str, #[case] codes: &Codes<u8>) {
    #[derive(Deserialize)]
    struct Row {
        field: String,
        value_bin: String,
        name: String,
    }
    for row in tables::rows::<Row>("g45-field-values").iter().filter(|row| row.field == name) {
        let code = u32::from_str_radix(&row.value_bin, 2).unwrap();
        assert_eq!(codes.meaning(code), row.name.parse().ok(), "{name} {code}");
    }
}
