//! `parallax`, the command, as a library: differential testing of GPU instruction sets.
//!
//! [`run`] is the whole interface. To test an engine from Rust, use `parallax-lockstep`; to write one, `parallax-engine`.
//!
//! ```
//! use std::{ffi::OsString, process::ExitCode};
//!
//! // Prints the texel's channels as numbers and as bits.
//! let arguments = ["parallax", "format", "decode", "R8G8B8A8_UNORM", "ff804020"];
//! assert_eq!(parallax::run(arguments.map(OsString::from)), ExitCode::SUCCESS);
//! ```

mod assignment;
mod bundle;
mod channels;
mod command_line;
mod commands;
mod container;
mod content;
mod descriptor;
mod documents;
mod eu;
mod failure;
mod files;
mod folder;
mod instruction_set;
mod interesting;
mod interrupt;
mod invocation;
mod known;
mod listing;
mod machines;
mod number;
mod output;
mod picture;
mod progress;
mod r700;
mod recorded;
mod report;
mod schema;
mod selection;
mod settings;
mod sheet;
mod start;
mod suggestion;
mod suites;
mod syntax;
mod toml_file;
mod traces;
mod under_test;
mod unlisted;
mod waiting;

use std::{
    ffi::OsString,
    io::{self, Write as _},
    process::ExitCode,
};

use clap::CommandFactory as _;
use command_line::{CommandLine, Unread};
use failure::Failure;
use parallax_lockstep::outside;

/// Runs one command and returns its exit code. The first argument is the name of the command, as in
/// [`std::env::args_os`].
///
/// It writes to standard output and standard error, and changes the process: whether output is coloured, the handlers
/// of Ctrl-C and of the file size limit, the instruction set that the executor uses. Run one command at a time.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    interrupt::fail_at_file_size_limit();
    let ending = match CommandLine::parse_all(arguments.into_iter().collect()) {
        Ok(CommandLine { command, run, .. }) => {
            instruction_set::choose().and_then(|()| match command {
                Some(command) => command.execute(CommandLine::command),
                None => run.execute(),
            })
        }
        Err(Unread::Settings(failure)) => Err(failure),
        Err(Unread::Usage(error)) => {
            match command_line::print(&error).and_then(|()| io::stdout().flush()) {
                // Requested help that could not be written is an error.
                Err(lost) if !error.use_stderr() => Err(Failure::Output(lost)),
                _ => return ExitCode::from(error.exit_code() as u8),
            }
        }
    };
    // Ends engines that another thread still waits for, and the processes that they started.
    outside::end_all();
    match ending {
        Ok(ending) => ending.report(),
        Err(failure) => failure.report(),
    }
}
