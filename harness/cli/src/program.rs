//! Reading programs, whatever the device.

use parallax_isa::{
    Device,
    device::Family,
    r700::{case::ProgramType, legality::Settings},
};

use crate::{
    content::Content,
    eu,
    listing::{Listing, Problems},
    r700,
};

/// Reads a program for a device. `kind` is the kind of an R700 program, where that is known.
pub(crate) fn read(
    device: Device,
    content: Content,
    kind: Option<ProgramType>,
) -> Result<Listing, Problems> {
    match device.family() {
        Ok(Family::Eu) => eu::program::read(device, content),
        Ok(Family::R700) => {
            let settings = Settings { program_type: kind, ..Settings::default() };
            r700::program::read(content, &settings)
        }
        Err(error) => Err(Problems::of_code(1, error.to_string())),
    }
}
