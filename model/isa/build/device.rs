//! What devices have: the table `g45-eu-device-params`.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::Path,
};

/// Parameters of the table, the value that means yes, and the features they are in Rust.
const FEATURES: [(&str, &str, &str); 7] = [
    ("indirect_src1", "yes", "IndirectSource1"),
    ("mrf_indirect_addressing", "yes", "IndirectMrf"),
    ("compr4", "yes", "Compr4"),
    ("relaxed_byte_destination_alignment", "yes", "RelaxedByteDestination"),
    ("instruction_compaction", "yes", "Compaction"),
    ("mask_stack_exceptions", "yes", "MaskStackExceptions"),
    ("n0_count_bits", "16", "WideNotificationCount"),
];

/// What devices of Gen7 and later have of these: src1 may be indirect (`eu-inst-fields` has its
/// fields), there is a compact form (`eu-compaction-gen7`), byte destinations may start at the second
/// lowest byte, notification counts have 16 bits (`gen7-arf`). Message registers and mask stacks are
/// gone.
const LATER: [&str; 4] =
    ["IndirectSource1", "RelaxedByteDestination", "Compaction", "WideNotificationCount"];

/// Devices as the table names them; those it names besides are not among ours.
const DEVICES: [(&str, &[&str]); 5] = [
    ("DevBW", &["Bw"]),
    ("DevCL", &["Cl"]),
    ("DevCTG-A", &["Ctg"]),
    ("DevCTG-B", &["G45"]),
    ("DevCTG", &["Ctg", "G45"]),
];

/// Writes the function that says which device has which feature.
pub(crate) fn generate(out: &Path) {
    let rows: Vec<HashMap<String, String>> = parallax_spec::tables::rows("g45-eu-device-params");
    let mut pairs = BTreeSet::new();
    for (parameter, yes, feature) in FEATURES {
        let mut rows = rows.iter().filter(|row| row["parameter"] == parameter).peekable();
        assert!(rows.peek().is_some(), "g45-eu-device-params: no parameter {parameter}");
        for row in rows.filter(|row| row["value"] == yes) {
            let devices = DEVICES.iter().filter(|(name, _)| *name == row["device"]);
            for device in devices.flat_map(|(_, devices)| *devices) {
                pairs.insert(format!("(Device::{device}, Feature::{feature})"));
            }
        }
    }
    for device in ["Ivb", "Skl", "Dg1"] {
        pairs.extend(LATER.map(|feature| format!("(Device::{device}, Feature::{feature})")));
    }
    let code = format!(
        "const fn has(device: Device, feature: Feature) -> bool {{\n\
         matches!((device, feature), {})\n}}\n",
        pairs.into_iter().collect::<Vec<_>>().join(" | "),
    );
    fs::write(out.join("device_features.rs"), code).expect("OUT_DIR is writable");
}
