//! `parallax`: differential testing of GPU instruction sets from the command line.

mod assignment;
mod bundle;
mod commands;
mod container;
mod content;
mod documents;
mod eu;
mod failure;
mod files;
mod folder;
mod instruction_set;
mod interesting;
mod interrupt;
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
    env,
    ffi::OsString,
    io::{self, Write as _},
    process::ExitCode,
};

use clap::{CommandFactory, FromArgMatches, Parser};
use commands::Command;
use failure::Failure;
use parallax_lockstep::{escape, outside};
use settings::Settings;

/// Differential testing of GPU instruction sets: a slow obvious reference model and a fast
/// executor run the same programs and are compared after every step.
///
/// Without a subcommand, runs a campaign as `parallax run` does.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: commands::run::Arguments,
    /// When to colour help and messages
    #[allow(dead_code, reason = "read before the other arguments, which may be wrong")]
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    color: clap::ColorChoice,
}

impl CommandLine {
    /// Reads the arguments. `--color` holds for what is wrong with the others too.
    fn read() -> Result<Self, Unread> {
        let color = color(env::args_os());
        match color {
            clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
            clap::ColorChoice::Always => anstream::ColorChoice::Always,
            clap::ColorChoice::Never => anstream::ColorChoice::Never,
        }
        .write_global();
        let mut words = without_first_color(env::args_os().collect());
        let matches = Self::command().color(color).try_get_matches_from(&words)?;
        let run = match matches.subcommand() {
            None => Some((&matches, 1)),
            Some(("run", given)) => Some((given, 2)),
            Some(_) => None,
        };
        let Some((given, place)) = run else { return Ok(Self::from_arg_matches(&matches)?) };
        let Some(settings) = Settings::of_command(given)? else {
            return Ok(Self::from_arg_matches(&matches)?);
        };
        let settings = settings.in_force(given);
        words.splice(place..place, settings.options());
        let matches = Self::command().color(color).try_get_matches_from(words)?;
        let mut line = Self::from_arg_matches(&matches)?;
        let run = match &mut line.command {
            Some(Command::Run(run)) => run,
            _ => &mut line.run,
        };
        run.settings = Some(settings);
        Ok(line)
    }
}

/// Why there is no command line to go by.
enum Unread {
    /// It is wrong, or asks for help.
    Usage(clap::Error),
    /// A file of settings is wrong.
    Settings(Failure),
}

impl From<clap::Error> for Unread {
    fn from(error: clap::Error) -> Self {
        Self::Usage(error)
    }
}

impl From<Failure> for Unread {
    fn from(failure: Failure) -> Self {
        Self::Settings(failure)
    }
}

/// What `--color` asks for, whatever stands around it.
fn color(arguments: impl Iterator<Item = OsString>) -> clap::ColorChoice {
    let words: Vec<_> = arguments.map(|word| word.to_string_lossy().into_owned()).collect();
    let words = words.iter().map(String::as_str).take_while(|word| *word != "--");
    let words: Vec<&str> = words.collect();
    let behind = words.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1]);
    let joined = words.iter().filter_map(|word| word.strip_prefix("--color="));
    match behind.chain(joined).last() {
        Some("always") => clap::ColorChoice::Always,
        Some("never") => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    }
}

/// The words without a `--color` ahead of everything else: options of `run` conflict with subcommands, and clap takes
/// this one for such an option there.
fn without_first_color(mut words: Vec<OsString>) -> Vec<OsString> {
    let is_choice = |word: &str| matches!(word, "auto" | "always" | "never");
    let text = |words: &[OsString], at: usize| {
        words.get(at).map(|word| word.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let first = text(&words, 1);
    if first == "--color" && is_choice(&text(&words, 2)) {
        words.drain(1..3);
    } else if first.strip_prefix("--color=").is_some_and(is_choice) {
        words.remove(1);
    }
    words
}

const EXAMPLES: &str = "\
Examples:
  parallax                                     every suite on every device for a minute
  parallax run --device g45 --time 10s         one device, ten seconds
  parallax exec --device g45 add.asm --set r2:f=1,2,3 --dump r4
  parallax rules --doc g45-instructions --unit add

Environment:
  PARALLAX_ISA  avx512, avx2 or portable: the executor's kernels use no better instruction set
                of this processor [default: the best it has]
  PARALLAX_BLOCKS  compiled or interpreted: whether the executor makes machine code of blocks of
                execution units and clauses of R700 that run often [default: compiled]

Exit codes: 0 all agree, 1 a difference was found, 2 not everything was run, or a usage, input or I/O
error, 130 interrupted.";

fn main() -> ExitCode {
    interrupt::fail_at_file_size_limit();
    let ending = match CommandLine::read() {
        Ok(CommandLine { command, run, .. }) => {
            instruction_set::choose().and_then(|()| match command {
                Some(command) => command.execute(CommandLine::command),
                None => run.execute(),
            })
        }
        Err(Unread::Settings(failure)) => Err(failure),
        Err(Unread::Usage(error)) => match print(&error).and_then(|()| io::stdout().flush()) {
            // A help that was asked for may not come to be written.
            Err(lost) if !error.use_stderr() => Err(Failure::Output(lost)),
            _ => return ExitCode::from(error.exit_code() as u8),
        },
    };
    // An engine that is still waited for elsewhere, with the processes that it has started.
    outside::end_all();
    match ending {
        Ok(ending) => ending.report(),
        Err(failure) => failure.report(),
    }
}

/// Prints what is wrong with arguments, or help. Arguments may be names of files, which hold anything: with
/// such ones the text has no colours, of which nothing could tell the escape sequences in them.
fn print(error: &clap::Error) -> io::Result<()> {
    let is_hostile =
        |word: OsString| escape::line(&word.to_string_lossy()) != word.to_string_lossy();
    if env::args_os().any(is_hostile) {
        let plain = error.render().to_string();
        return io::stderr().write_all(escape::lines(&plain).as_bytes());
    }
    error.print()
}
