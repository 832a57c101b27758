//! The machines that run programs: how a program of each is read and printed.

use parallax_isa::{
    Device, Syntax,
    device::Family,
    eu::text::Detail,
    r700::{case::ProgramType, legality::Settings},
};

use crate::{
    content::Content,
    eu,
    listing::{Listing, Problems},
    r700,
};

/// Reads a program for a device, of a kind where that is known (rv770).
pub(crate) fn read(
    device: Device,
    content: Content,
    kind: Option<ProgramType>,
) -> Result<Listing, Problems> {
    match device.family() {
        Family::Eu => eu::program::read(device, content),
        Family::R700 => {
            r700::program::read(content, &Settings { program_type: kind, ..Settings::default() })
        }
    }
}

/// The listing of machine code for a device in a syntax.
pub(crate) fn print(device: Device, listing: Listing, syntax: Syntax, detail: Detail) -> Listing {
    match device.family() {
        Family::Eu => eu::program::print(device, listing, syntax, detail),
        Family::R700 => r700::program::print(device, listing, syntax, detail),
    }
}
