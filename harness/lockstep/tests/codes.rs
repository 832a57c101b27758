//! Codes that machine code, cases and traces have in common: each is held against the manuals' tables,
//! value by value, and so is the executor's own list of surface formats.

use std::collections::BTreeMap;

use parallax_executor::surface::format_name;
use parallax_isa::{
    Device,
    eu::register::ArfKind,
    r700::state::export_slot,
    surface::{
        EndianSwap, FormatComp, NumFormat, Select, SrfMode, catalogue,
        pixel::{
            BlendFactor, BlendFunction, ChannelSelect, CompareFunction, LogicOp, StencilOp,
            TextureCoordinateMode, VertexComponentControl,
        },
    },
};
use parallax_spec::tables;
use rstest::rstest;

/// The names of an enumeration by code as the program has them.
macro_rules! values {
    ($type:ty) => {
        <$type>::ALL
            .iter()
            .map(|value| (u32::from(value.code()), value.name().to_owned()))
            .collect()
    };
}

/// A row of a table of enumerations.
#[derive(serde::Deserialize)]
struct Row {
    #[serde(alias = "field")]
    r#enum: String,
    value: String,
    name: String,
}

/// The names that a table lists for an enumeration by code, but those that are reserved.
fn listed(table: &str, wanted: &str) -> BTreeMap<u32, String> {
    let rows = tables::rows::<Row>(table).into_iter().filter(|row| row.r#enum == wanted);
    let value = |row: &Row| match row.value.strip_suffix('h') {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => row.value.parse().ok(),
    };
    let values = rows.filter_map(|row| Some((value(&row)?, row.name)));
    values.filter(|(_, name)| !name.to_lowercase().starts_with("reserved")).collect()
}

/// Each value is listed under its code and its name; what is listed besides has the names given.
#[rstest]
#[case("dg1-enums", "3D_Compare_Function", values!(CompareFunction), &[])]
#[case("dg1-enums", "3D_Stencil_Operation", values!(StencilOp), &[])]
#[case("dg1-enums", "3D_Logic_Op_Function", values!(LogicOp), &[])]
#[case("dg1-enums", "3D_Color_Buffer_Blend_Factor", values!(BlendFactor), &[])]
#[case("dg1-enums", "3D_Color_Buffer_Blend_Function", values!(BlendFunction), &[])]
#[case("dg1-enums", "Shader Channel Select", values!(ChannelSelect), &[])]
#[case("dg1-enums", "Texture Coordinate Mode", values!(TextureCoordinateMode), &[])]
#[case(
    "dg1-enums",
    "3D_Vertex_Component_Control",
    values!(VertexComponentControl),
    &["VFCOMP_STORE_PID"]
)]
#[case("r700-field-values", "NUM_FORMAT_ALL", values!(NumFormat), &["(undefined)"])]
#[case("r700-field-values", "FORMAT_COMP_ALL", values!(FormatComp), &[])]
#[case("r700-field-values", "SRF_MODE_ALL", values!(SrfMode), &[])]
#[case("r700-field-values", "ENDIAN_SWAP", values!(EndianSwap), &["(undefined)"])]
#[case("r700-field-values", "SEL(3)", values!(Select), &[])]
fn enumerations_have_the_codes_of_the_tables(
    #[case] table: &str,
    #[case] name: &str,
    #[case] values: BTreeMap<u32, String>,
    #[case] besides: &[&str],
) {
    let mut listed = listed(table, name);
    for (code, name) in &values {
        assert_eq!(listed.remove(code).as_ref(), Some(name), "code {code}");
    }
    assert_eq!(Vec::from_iter(listed.values()), besides);
}

/// Register numbers name the registers of the table.
#[test]
fn architecture_registers_have_the_numbers_of_the_table() {
    #[derive(serde::Deserialize)]
    struct Row {
        register: String,
        regnum: String,
    }
    let rows = tables::rows::<Row>("g45-arf");
    let numbers: BTreeMap<_, _> =
        rows.into_iter().map(|row| (row.regnum.replace(' ', ""), row.register)).collect();
    for number in 0..=u8::MAX {
        let listed = numbers.get(&format!("{number:08b}"));
        let listed = listed.map(|name| name.trim_end_matches(|c: char| c.is_ascii_digit()));
        let named = ArfKind::of_register_number(number);
        assert_eq!(named.map(ArfKind::code), named.map(|_| number >> 4));
        assert_eq!(listed.or(named.map(ArfKind::name)), named.map(ArfKind::name), "{number:#04x}");
    }
    assert_eq!(numbers.len(), ArfKind::ALL.len() + 2);
}

/// Exports go to the slots in the order of the table: colours, depth; positions, parameters.
#[test]
fn exports_have_the_array_bases_of_the_table() {
    let [pixel, position] = ["EXPORT_PIXEL", "EXPORT_POS"]
        .map(|kind| listed("r700-field-values", &format!("ARRAY_BASE({kind})")));
    for (kind, slots) in [(0, pixel), (1, position)] {
        for (slot, base) in slots.keys().enumerate() {
            assert_eq!(export_slot(kind, *base), Some(slot), "TYPE {kind} ARRAY_BASE {base}");
        }
        let bases = (0..1 << 13).filter(|&base| export_slot(kind, base).is_some());
        assert_eq!(bases.collect::<Vec<_>>(), Vec::from_iter(slots.into_keys()));
    }
    let parameters = (0..1 << 13).map(|index| export_slot(2, index));
    let expected = (0..1 << 13).map(|index| (index < 32).then_some(index + 4));
    assert!(parameters.eq(expected));
}

/// Every encoding stands for the same format in the model's list and in the executor's.
#[rstest]
fn formats_have_one_encoding(#[values(Device::G45, Device::Dg1, Device::Rv770)] device: Device) {
    for code in 0..0x400 {
        let listed = catalogue(device).iter().find(|format| format.code == code);
        let listed = listed.filter(|format| !format.name.contains("RESERVED"));
        let listed = listed.map(|format| format.name).filter(|name| *name != "FMT_INVALID");
        assert_eq!(format_name(device, code), listed, "{device} {code:#05x}");
    }
}
