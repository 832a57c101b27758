//! R700 programs on the command line: reading, running, listing.

pub(crate) mod exec;
pub(crate) mod listing;
mod registers;
pub(crate) mod values;

use parallax_isa::r700::{Program, text};

use crate::program::Content;

/// Reads a program: assembly text, or dwords in memory order.
pub(crate) fn program(content: Content) -> Result<Program, String> {
    match content {
        Content::Assembly(source) => text::parse(&source).map_err(|wrong| {
            let lines: Vec<String> = wrong.iter().take(20).map(ToString::to_string).collect();
            lines.join("\n")
        }),
        Content::MachineCode(bytes) => {
            if !bytes.len().is_multiple_of(8) {
                return Err(format!(
                    "the program is cut: {} bytes are no whole number of 64-bit words",
                    bytes.len()
                ));
            }
            let dwords =
                bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            Program::decode(&dwords.collect::<Vec<_>>()).map_err(|error| error.to_string())
        }
    }
}
