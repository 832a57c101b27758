//! Turns the manuals' tables into the rows of the macros that define fields and opcodes, so that no
//! row is written twice.

#[path = "build/r700.rs"]
mod r700;

use std::{env, path::Path};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    r700::generate(Path::new(&out));
}
