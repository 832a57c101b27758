//! An engine of Gen9 with many mistakes at once, behind the engine protocol, as a stranger's engine is on its first
//! evening: what a campaign makes of it is what its author would see.
//!
//! ```text
//! cargo build -p parallax-lockstep --example mistaken
//! parallax run --device skl --engine cmd:target/debug/examples/mistaken --time 5m
//! ```
//!
//! `mistaken NAME…` has only the mistakes of these names, `mistaken --list` prints all names.

#[allow(dead_code)]
#[path = "../../tests/fault_injection/mod.rs"]
mod fault_injection;

#[allow(dead_code)]
#[path = "../../tests/faults/eu/values.rs"]
mod values;

/// The modules by the names that they have among the tests.
mod faults {
    pub(crate) mod eu {
        pub(crate) use crate::values;
    }
}

#[path = "../../tests/faults/many/mistakes.rs"]
mod mistakes;

use std::{io, process::ExitCode};

use parallax_isa::Device;
use parallax_lockstep::{eu::Eu, outside::served::ServedEngine};

use fault_injection::many::Mistaken;
use mistakes::mistakes;

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if names == ["--list"] {
        mistakes().iter().for_each(|mistake| println!("{}", mistake.name));
        return ExitCode::SUCCESS;
    }
    if let Some(unknown) = names.iter().find(|name| !mistakes().iter().any(|m| m.name == **name)) {
        eprintln!("no mistake is called `{unknown}`; `--list` prints their names");
        return ExitCode::from(2);
    }
    let chosen =
        mistakes().into_iter().filter(|m| names.is_empty() || names.iter().any(|n| n == m.name));
    let engine = Box::new(Mistaken::<Eu>::new(chosen.collect()));
    let mut served = ServedEngine::new(engine).on(Device::Skl);
    match parallax_engine::serve(&mut served, io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
