//! `parallax asm`: assembly text to machine code.

use std::path::PathBuf;

use clap::Args;
use parallax_isa::Device;

use crate::{
    content::Content,
    failure::{Ending, Failure},
    files,
    listing::Listing,
    machines, output,
    syntax::SyntaxArgument,
};

/// Assemble text to machine code
///
/// Prints the machine code as hex text, one instruction a line, or writes it raw with --output.
/// Instructions that break a rule are assembled and reported on standard error (exit code 1 if one is illegal).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax asm --device g45 add.asm
  echo 'add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f' | parallax asm --device g45 -
  parallax asm --device g45 add.asm --output add.bin
  parallax asm --device skl --syntax iga kernel.asm")]
pub(crate) struct Arguments {
    /// The assembly text; - reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Device to assemble for: bw, cl, ctg, g45, ivb, skl, dg1
    #[arg(long)]
    device: Device,
    #[command(flatten)]
    syntax: SyntaxArgument,
    /// Write raw machine code to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Hexadecimal digits of a line: those of the longest instruction.
const DIGITS: usize = 32;

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let content = Content::read(&self.file)?.with_syntax(&self.syntax);
        if let Content::MachineCode(_) = content {
            return Err(Failure::input(format!(
                "{}: is machine code already; `parallax disasm` turns it into text",
                self.file.display()
            )));
        }
        let listing = machines::read(self.device, content, None)
            .and_then(Listing::decoded)
            .map_err(|problems| problems.failure(&self.file))?;
        if let Some(file) = &self.output {
            files::write(file, &listing.code)?;
        }
        if self.json {
            output::print_json(&listing.json());
        } else if self.output.is_none() {
            // Padding is a row however long it is.
            let lines = listing.instructions.iter().flat_map(|i| i.hex.as_bytes().chunks(DIGITS));
            let lines: Vec<_> = lines.map(String::from_utf8_lossy).collect();
            output::print(lines.join("\n"));
        }
        listing.warn(&self.file);
        Ok(Ending::found(!listing.is_legal()))
    }
}
