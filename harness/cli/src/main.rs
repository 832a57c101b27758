//! `parallax`: differential testing of GPU instruction sets from the command line.

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    parallax::run(env::args_os())
}
