//! Turns the manuals' tables of machine code (`model/spec/tables`) into static tables.

mod device;
mod eu;
mod r700;
mod units;

use std::{env, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/generation.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    device::generate(&out);
    eu::generate(&out);
    r700::generate(&out);
    units::generate(&out);
}
