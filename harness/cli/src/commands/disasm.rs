//! `parallax disasm`: machine code to assembly text.

use std::path::PathBuf;

use clap::Args;
use parallax_isa::{Device, Syntax, eu::text::Detail, hex};

use crate::{
    content::Content,
    failure::{Ending, Failure},
    machines, output,
};

/// Disassemble machine code
///
/// Prints assembly text, one instruction a line, in the manual's syntax or another tool's. In the manual's a comment says
/// what an immediate descriptor of a message means. Bits that no field of an instruction uses are left out; with --exact the text assembles to the same bytes again.
/// Instructions that break a rule are reported on standard error (exit code 1 if one is illegal). Words that are no
/// instruction do not keep the others from being printed: they stand there as comments, or as data on
/// rv770, and are reported (exit code 2).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax disasm --device g45 shader.bin
  parallax disasm --device g45 --hex 40000100bd036020210000002a000000
  parallax disasm --device skl --syntax iga kernel.bin
  parallax disasm --device rv770 shaders.gsh --kernel 'vertex 0'")]
pub(crate) struct Arguments {
    /// Raw machine code, machine code as hex text, or a file of kernels or shaders, as `parallax kernels` lists them; - reads standard input
    #[arg(value_name = "FILE", required_unless_present = "hex")]
    file: Option<PathBuf>,
    /// Device the machine code is for: bw, cl, ctg, g45, ivb, skl, dg1, rv770
    #[arg(long)]
    device: Device,
    /// Kernel or shader of a file that holds several, as `parallax kernels` names it
    #[arg(long, value_name = "NAME", conflicts_with = "hex")]
    kernel: Option<String>,
    /// Machine code as hex digits, bytes in memory order
    #[arg(long, conflicts_with = "file", value_name = "HEX", num_args = 1..)]
    hex: Vec<String>,
    /// Print it in this syntax: manual, iga (skl, dg1), mesa (execution units), amd or llvm (rv770)
    #[arg(long, value_name = "SYNTAX", default_value_t)]
    syntax: Syntax,
    /// Print bits that no field uses too, so that the text assembles to the same bytes
    #[arg(long)]
    exact: bool,
    /// Print offsets and machine code beside the text
    #[arg(long)]
    offsets: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let (name, content) = self.content()?;
        let detail = if self.exact { Detail::Exact } else { Detail::Readable };
        if !self.syntax.is_for(self.device) {
            let known: Vec<_> = Syntax::of(self.device).map(Syntax::name).collect();
            return Err(Failure::input(format!(
                "--syntax {}: programs of {} are written in {}",
                self.syntax,
                self.device,
                known.join(", ")
            )));
        }
        let listing = machines::read(self.device, content, None)
            .map_err(|problems| problems.failure(&name))?;
        let listing = machines::print(self.device, listing, self.syntax, detail);
        if self.json {
            output::print_json(&listing.json());
        } else if listing.has_decoded() {
            // Other tools say in their own text what a message is, or not at all.
            output::print(listing.text(self.offsets, self.syntax == Syntax::Manual));
        }
        listing.warn(&name);
        let legal = listing.is_legal();
        listing.decoded().map_err(|problems| problems.failure(&name))?;
        Ok(Ending::found(!legal))
    }

    /// The machine code and the name it has in messages.
    fn content(&self) -> Result<(PathBuf, Content), Failure> {
        match &self.file {
            None => {
                let code = hex::parse(&self.hex.join(" "))
                    .map_err(|error| Failure::input(format!("--hex: {}", error.message)))?;
                Ok(("--hex".into(), Content::MachineCode(code)))
            }
            Some(file) => {
                match Content::read_kernel(file, self.device, self.kernel.as_deref())?.content {
                    Content::Assembly(..) => Err(Failure::input(format!(
                        "{}: is text that is not hexadecimal; expected machine code (`parallax asm` \
                     assembles text)",
                        file.display()
                    ))),
                    code => Ok((file.clone(), code)),
                }
            }
        }
    }
}
