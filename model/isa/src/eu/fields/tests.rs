use std::collections::HashMap;

use parallax_spec::tables;
use proptest::prelude::*;
use rstest::rstest;
use serde::Deserialize;

use super::*;
use crate::eu::bits::scatter;

/// What cells of the table say besides plain runs of bits.
#[rstest]
#[case(&basic::OPCODE, Generation::Gen12, "6:0")]
#[case(&basic::DST_ADDR_IMM_ALIGN1, Generation::Gen9, "47+56:48")]
#[case(&basic::MASK_CTRL_EX, Generation::Gen7, "")]
#[case(&branch::JIP, Generation::Gen75, "111:96")]
#[case(&branch::JIP_BRD_BRC_CALL_CALLA, Generation::Gen75, "127:96")]
#[case(&branch::JIP_BRD_BRC_CALL_CALLA, Generation::Gen7, "111:96")]
#[case(&branch::UIP_BRC, Generation::Gen75, "95:64")]
#[case(&send::MSG_DESC, Generation::Gen12, "123:122+71:67+55:51+121:113+91:81")]
#[case(&ternary_align1::SRC0_VERT_STRIDE, Generation::Gen12, "43+35")]
#[case(&basic::RESERVED_BITS, Generation::Gen4, "47+95:90+126:121")]
fn fields_are_runs_of_bits(
    #[case] field: &Field,
    #[case] generation: Generation,
    #[case] bits: &str,
) {
    assert_eq!(field.bits(generation), bits);
}

#[test]
fn no_field_lies_in_reserved_bits() {
    for generation in Generation::ALL {
        let mask = |field: &Field| scatter(u64::MAX, field.position(generation));
        let reserved = mask(&basic::RESERVED_BITS) | mask(&basic::RESERVED_BIT_7);
        // They are reserved where operands are direct: offsets of Gen8 and Gen9 have a bit there.
        let meant = |field: &&&Field| {
            !field.name.starts_with("reserved") && !field.name.contains("AddrImm")
        };
        for field in basic::FIELDS.iter().filter(meant) {
            assert_eq!(mask(field) & reserved, 0, "{} on {generation}", field.name);
        }
    }
}

proptest! {
    #[test]
    fn what_was_put_is_there(
        generation in proptest::sample::select(&Generation::ALL),
        format in proptest::sample::select(vec![
            basic::FIELDS, immediate::FIELDS, ternary_align16::FIELDS, ternary_align1::FIELDS,
            branch::FIELDS, send::FIELDS, sends::FIELDS, message::FIELDS,
        ]),
        field: proptest::sample::Index,
        value: u32,
    ) {
        let field = format[field.index(format.len())];
        let mut word = Word { bits: 0, generation };
        word.put(field, value);
        prop_assert_eq!(word.get(field), value & field.largest(generation));
        prop_assert_eq!(word.bits, scatter(value.into(), field.position(generation)));
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
        "BaseMRF" => "CurrDst.RegNum[3:0]",
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
    let message = [&immediate::IMM32, &send::BASE_MRF, &send::EOT, &send_g45::MSG_DSCPT31];
    let operands = basic::FIELDS.iter().filter(|field| !field.name.starts_with("reserved"));
    for field in operands.copied().chain(message) {
        if field.position(Generation::Gen45).is_empty() {
            continue;
        }
        // Modifiers and swizzles are one row of two or more fields.
        let split = ["Negate", "Abs", "ChanSel"];
        if split.iter().any(|part| field.name.contains(part)) {
            continue;
        }
        let bits = field.bits(Generation::Gen45);
        let places = places.get(g45_name(field)).unwrap_or_else(|| panic!("no {}", field.name));
        assert!(places.contains(&bits), "{} at {bits}, table {places:?}", field.name);
    }
}
