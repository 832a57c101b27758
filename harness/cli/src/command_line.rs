//! The command line: parses the arguments and adds the options of a settings file.

use std::{
    ffi::OsString,
    io::{self, Write as _},
};

use clap::{CommandFactory, FromArgMatches, Parser};
use parallax_lockstep::escape;

use crate::{
    commands::{Command, run},
    failure::Failure,
    invocation,
    settings::Settings,
};

/// Differential testing of GPU instruction sets: a slow obvious reference model and a fast
/// executor run the same programs and are compared after every step.
///
/// Without a subcommand, runs a campaign as `parallax run` does.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(crate) struct CommandLine {
    /// The subcommand, if one is named.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// The arguments of `run`, the default subcommand.
    #[command(flatten)]
    pub(crate) run: run::Arguments,
    /// When to colour help and messages
    #[allow(dead_code, reason = "read before the other arguments, which may be wrong")]
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    color: clap::ColorChoice,
}

impl CommandLine {
    /// Parses the arguments, the command's name first. `--color` also applies to the error messages of the parser.
    pub(crate) fn parse_all(arguments: Vec<OsString>) -> Result<Self, Unread> {
        invocation::keep(&arguments);
        let color = color(&arguments);
        match color {
            clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
            clap::ColorChoice::Always => anstream::ColorChoice::Always,
            clap::ColorChoice::Never => anstream::ColorChoice::Never,
        }
        .write_global();
        let mut words = without_first_color(arguments);
        let matches = Self::command().color(color).try_get_matches_from(&words)?;
        let run = match matches.subcommand() {
            None => Some((&matches, 1)),
            Some(("run", given)) => Some((given, 2)),
            Some(_) => None,
        };
        let Some((given, place)) = run else { return Ok(Self::from_arg_matches(&matches)?) };
        let Some(settings) = Settings::of_command(given, run::Arguments::command)? else {
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

/// Why the command line was not parsed.
pub(crate) enum Unread {
    /// It is wrong, or asks for help.
    Usage(clap::Error),
    /// A settings file is wrong.
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

/// The value of `--color`, even if the other arguments are wrong.
fn color(arguments: &[OsString]) -> clap::ColorChoice {
    let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
    let words = words.iter().map(|word| &**word).take_while(|word| *word != "--");
    let words: Vec<&str> = words.collect();
    let behind = words.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1]);
    let joined = words.iter().filter_map(|word| word.strip_prefix("--color="));
    match behind.chain(joined).last() {
        Some("always") => clap::ColorChoice::Always,
        Some("never") => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    }
}

/// Drops a leading `--color`: options of `run` conflict with subcommands, and clap takes a `--color` before the
/// subcommand for one of them.
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
  PARALLAX_ISA  avx512, avx2 or portable: the executor's kernels of surfaces and R700, and its machine
                code (avx2), use no better instruction set of this processor [default: the best it has]
  PARALLAX_BLOCKS  compiled or interpreted: whether the executor makes machine code of blocks of
                execution units and clauses of R700 that run often [default: compiled]

Exit codes: 0 all agree, 1 a difference was found, 2 not everything was run, or a usage, input or I/O
error, 130 interrupted.";

/// Prints a usage error or help. File names among the arguments may hold escape sequences, which look like
/// those of colours: such text is escaped and printed without colours.
pub(crate) fn print(error: &clap::Error) -> io::Result<()> {
    let is_hostile =
        |word: &OsString| escape::line(&word.to_string_lossy()) != word.to_string_lossy();
    // The name of the command too: usage lines quote it.
    if invocation::whole().iter().any(is_hostile) {
        let plain = error.render().to_string();
        return io::stderr().write_all(escape::lines(&plain).as_bytes());
    }
    error.print()
}
