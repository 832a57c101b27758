//! `parallax completions` and `parallax man`: what shells and `man` are to know of the command.

mod reference;

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::{
    failure::{Ending, Failure},
    files, output,
};

/// Print completions of the command for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax completions bash > ~/.local/share/bash-completion/completions/parallax
  parallax completions zsh > ~/.zfunc/_parallax
  parallax completions fish > ~/.config/fish/completions/parallax.fish")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Print the manual page, or write a page for every subcommand
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax man | man -l -
  parallax man --out ~/.local/share/man/man1")]
pub(crate) struct Manual {
    /// Folder to write parallax.1, parallax-run.1 and so on into
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the page of the book about all commands instead
    #[arg(long, hide = true, conflicts_with = "out")]
    markdown: bool,
}

impl Completions {
    pub(crate) fn execute(&self, mut whole: clap::Command) -> Result<Ending, Failure> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut whole, "parallax", &mut text);
        output::print(String::from_utf8_lossy(&text).trim_end());
        Ok(Ending::Success)
    }
}

impl Manual {
    pub(crate) fn execute(&self, mut whole: clap::Command) -> Result<Ending, Failure> {
        whole.build();
        if self.markdown {
            output::print(reference::page(&whole).trim_end());
            return Ok(Ending::Success);
        }
        let Some(folder) = &self.out else {
            output::print(String::from_utf8_lossy(&page(&whole)).trim_end());
            return Ok(Ending::Success);
        };
        let mut written = 0;
        write(folder, "parallax", &whole, &mut written)?;
        output::print(format!(
            "{} in {}",
            output::counted(written, "manual page"),
            folder.display()
        ));
        Ok(Ending::Success)
    }
}

/// Writes the page of a command and those of its subcommands.
fn write(
    folder: &std::path::Path,
    name: &str,
    command: &clap::Command,
    written: &mut u64,
) -> Result<(), Failure> {
    files::write(&folder.join(format!("{name}.1")), &page(command))?;
    *written += 1;
    let real = command.get_subcommands().filter(|sub| sub.get_name() != "help");
    for sub in real {
        write(folder, &format!("{name}-{}", sub.get_name()), sub, written)?;
    }
    Ok(())
}

fn page(command: &clap::Command) -> Vec<u8> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page).expect("memory takes what is written");
    page
}
