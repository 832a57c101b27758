//! The case that arguments describe.

use parallax_isa::{
    Device,
    eu::{Case, State, state::control},
};

use parallax_lockstep::eu::setup;

use super::{program, values};
use crate::{
    channels,
    failure::Failure,
    files,
    listing::Listing,
    start::{FloatMode, Start},
};

/// A program with the registers it starts from.
pub(crate) fn of(start: &Start) -> Result<Case, Failure> {
    start.only_execution_unit()?;
    let listing = listing(start)?;
    let system_routine = start.system_routine.as_deref();
    let system_routine = system_routine.map(|place| routine(place, &listing)).transpose()?;
    let program = listing.code;
    let mut state = Box::new(State::of(start.device));
    enable_channels(&mut state, start, &program)?;
    if start.float_mode == Some(FloatMode::Alt) {
        state.control[0] |= control::ALTERNATIVE_FLOAT_MODE;
    }
    for assignment in &start.set {
        values::set(&mut state, start.device, assignment).map_err(Failure::input)?;
    }
    let mut case = Case::new(start.device, program, state, start.step_limit);
    case.surroundings.shared_functions =
        start.shared_function.map_or_else(Default::default, Into::into);
    if let Some(path) = &start.setup {
        files::read_setup(path, setup::LARGEST, &mut case, setup::apply)?;
    }
    case.surroundings.system_routine = system_routine;
    case.surroundings.events.clone_from(&start.events);
    case.surroundings.events.sort_by_key(|event| event.step);
    Ok(case)
}

/// Enables the channels of `--mask`: in the execution masks, from Gen7 on in the dispatch mask. Without it all are, or as
/// many as the program is for.
fn enable_channels(state: &mut State, start: &Start, program: &[u8]) -> Result<(), Failure> {
    let too_many =
        |channels: u8| Failure::input(format!("--mask: an execution unit has {channels} channels"));
    if Device::GEN4.contains(&start.device) {
        let Some(mask) = start.mask else { return Ok(()) };
        let mask = u16::try_from(mask).map_err(|_| too_many(16))?;
        state.mask = [mask; 4];
        state.status[1] = state.status[1] & !0xFFFF | u32::from(mask);
    } else {
        let mask = match start.mask {
            Some(mask) => u32::try_from(mask).map_err(|_| too_many(32))?,
            None => u32::MAX >> (32 - channels::channels_of(start.device, program)),
        };
        state.status[2] = mask;
        state.status[3] = mask;
    }
    Ok(())
}

/// Leaves only the first channels enabled, of those that are.
pub(crate) fn enable_first(case: &mut Case, channels: usize) {
    let state = &mut case.state;
    let mask = u32::MAX >> (32 - channels);
    if Device::GEN4.contains(&case.device) {
        state.mask.iter_mut().for_each(|enabled| *enabled &= mask as u16);
        state.status[1] &= !0xFFFF | mask;
    } else {
        state.status[2] &= mask;
        state.status[3] &= mask;
    }
}

/// The program, which has to be legal unless illegal ones are allowed.
fn listing(start: &Start) -> Result<Listing, Failure> {
    let judge = |listing: Listing| {
        let listing = listing.allowing(&start.unlisted);
        if start.allow_illegal {
            listing.warn_before_run(start.path());
            return Ok(listing);
        }
        listing.legal()
    };
    program::read(start.device, start.load()?.content)
        .and_then(Listing::decoded)
        .and_then(judge)
        .map_err(|problems| problems.failure(start.path()))
}

/// The byte offset of a label, or one written as a number.
fn routine(place: &str, listing: &Listing) -> Result<u32, Failure> {
    let wrong = |why: &str| Failure::input(format!("--system-routine {place}: {why}"));
    let number = match place.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => place.parse().ok(),
    };
    let of_label = || listing.labels.get(place).and_then(|&offset| u32::try_from(offset).ok());
    let offset = number.or_else(of_label).ok_or_else(|| {
        let labels: Vec<_> = listing.labels.keys().map(String::as_str).collect();
        match labels.as_slice() {
            [] => wrong("expected a byte offset; the program has no labels"),
            labels => wrong(&format!("no such label; there are {}", labels.join(", "))),
        }
    })?;
    let starts = |start: usize| listing.instructions.iter().any(|i| i.offset == start);
    if offset % 16 != 0 || !starts(offset as usize) {
        return Err(wrong("a system routine starts with an instruction at a multiple of 16 bytes"));
    }
    Ok(offset)
}
