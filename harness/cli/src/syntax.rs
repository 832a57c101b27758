//! The syntax of assembly text on the command line.

use clap::Args;
use parallax_isa::Syntax;

/// Which syntax a text is in.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct SyntaxArgument {
    /// Syntax of assembly text: manual, iga (skl, dg1), mesa (execution units), amd or llvm (rv770)
    /// [default: what its content shows, which is said where it is not manual]
    #[arg(long, value_name = "SYNTAX")]
    pub(crate) syntax: Option<Syntax>,
}
