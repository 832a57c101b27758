//! The case that arguments and a setup file describe.

use parallax_isa::r700::{Case, legality::Settings};

use parallax_lockstep::r700::setup;

use super::{program, values};
use crate::{content::Content, failure::Failure, files, listing::Listing, start::Start};

/// A program, what surrounds it, and the registers it starts from.
pub(crate) fn of(start: &Start) -> Result<Case, Failure> {
    start.only_r700()?;
    if start.float_mode.is_some() {
        let message = "--float-mode is for execution units: rv770 has one way to compute";
        return Err(Failure::input(message.to_owned()));
    }
    if start.shared_function.is_some() {
        let message = "--shared-function is for execution units: rv770 sends no messages";
        return Err(Failure::input(message.to_owned()));
    }
    let loaded = start.load()?;
    let mut case = Case::new(Vec::new());
    if let Some(kind) = loaded.program_type {
        case.program_type = kind;
    }
    case.profile = start.profile.into();
    case.step_limit = start.step_limit;
    if let Some(path) = &start.setup {
        files::read_setup(path, setup::LARGEST, &mut case, setup::apply)?;
    }
    if let Some(kind) = start.program_type {
        case.program_type = kind;
    }
    let code = code_for(start, loaded.content, &case)?;
    case.program =
        code.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    for argument in &start.constants {
        values::set_constants(&mut case, argument).map_err(Failure::input)?;
    }
    for argument in &start.set {
        values::set_register(&mut case, argument).map_err(Failure::input)?;
    }
    if let Some(mask) = start.mask {
        case.state.pixels.active = mask;
        case.state.valid = mask;
    }
    Ok(case)
}

/// The machine code of the program. What is illegal is reported, and run nevertheless: most
/// restrictions leave what happens defined.
fn code_for(start: &Start, content: Content, case: &Case) -> Result<Vec<u8>, Failure> {
    let listing = program::read(content, &Settings::of(case))
        .and_then(Listing::decoded)
        .map_err(|problems| problems.failure(start.path()))?;
    listing.warn_before_run(start.path());
    Ok(listing.code)
}
