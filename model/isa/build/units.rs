//! Addresses of debug registers: the table `g45-debug-registers`.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    fs,
    path::Path,
};

/// Writes a constant for each register of debugging: `SVG_CTL`, and `TD_0_6_EHTRG_VAL` for what the
/// table calls `TD_0-6_EHTRG_VAL`. Registers of the command stream have no name there.
pub(crate) fn generate(out: &Path) {
    let rows: Vec<HashMap<String, String>> = parallax_spec::tables::rows("g45-debug-registers");
    let named = rows.iter().filter(|row| !row["register"].contains(' '));
    let registers: BTreeMap<_, _> = named.map(|row| (&row["register"], &row["address"])).collect();
    let mut code = String::new();
    for (register, range) in registers {
        let first = range.split_once('h').map(|(first, _)| u16::from_str_radix(first, 16));
        let Some(Ok(address)) = first else {
            panic!("g45-debug-registers: {register} is at {range}; expected `7400h-7403h`")
        };
        let name = register.replace('-', "_");
        writeln!(code, "/// `{register}`.\npub const {name}: u16 = {address:#06X};")
            .expect("text takes what is written");
    }
    fs::write(out.join("debug_registers.rs"), code).expect("OUT_DIR is writable");
}
