//! The suites a campaign can run.

use std::{collections::BTreeSet, sync::Arc};

use parallax_isa::Device;
use parallax_lockstep::{
    campaign::Record,
    eu::suites::DP4A,
    outside::Outside,
    registry::{self, MACHINES},
    subject::UnderTest,
    suite::{Suite, has_cases},
};

use crate::{failure::Failure, suggestion, unlisted::Unlisted};

/// The suites of these names on these devices; all where none are named, those of instructions that the
/// documents do not list only with leave.
pub(crate) fn select(
    devices: &[Device],
    names: &[String],
    allowed: &[Unlisted],
    engine: &UnderTest,
    instructions: &[String],
) -> Result<Vec<Box<dyn Suite>>, Failure> {
    let all: Vec<_> = match engine {
        UnderTest::Named(name) if name != "executor" => {
            return Err(Failure::input(format!(
                "the suites compare the executor or an engine of `cmd:` or `unix:` with the reference, not `{name}`"
            )));
        }
        _ if !instructions.is_empty() => {
            let suites =
                all(if devices.is_empty() { &Device::ALL } else { devices }, instructions, engine);
            check_names(names, &suites, instructions)?;
            suites
        }
        UnderTest::Named(_) => Device::ALL.into_iter().flat_map(registry::suites).collect(),
        UnderTest::Outside(engine) => {
            let wanted = |device: &Device| devices.is_empty() || devices.contains(device);
            let suites = Device::ALL.into_iter().filter(wanted).flat_map(|device| {
                MACHINES.iter().flat_map(move |machine| machine.outside_suites(device, engine))
            });
            suites.collect()
        }
    };
    if let (UnderTest::Outside(outside), true) = (engine, all.is_empty()) {
        return Err(no_case(outside, devices));
    }
    let known = |name: &String| all.iter().any(|suite| suite.name() == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let mut known: Vec<_> = all.iter().map(|suite| suite.name()).collect();
        known.sort_unstable();
        known.dedup();
        return Err(Failure::input(suggestion::there_is_no("suite", unknown, &known)));
    }
    let wanted = |suite: &dyn Suite| {
        (devices.is_empty() || devices.iter().any(|device| device.name() == suite.device()))
            && match names {
                [] => suite.name() != DP4A || allowed.contains(&Unlisted::Dp4a),
                names => names.iter().any(|name| name == suite.name()),
            }
    };
    let on_device = |(_, name): &(&str, &str)| devices.iter().any(|device| device.name() == *name);
    let there: BTreeSet<_> = all.iter().map(|suite| (suite.name(), suite.device())).collect();
    let there = there.into_iter().filter(on_device).map(|(name, _)| name);
    let there = there.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ");
    let selected: Vec<_> = all.into_iter().filter(|suite| wanted(&**suite)).collect();
    if selected.is_empty() {
        let devices: Vec<_> = devices.iter().map(|device| device.name()).collect();
        return Err(Failure::input(format!(
            "{} does not run on {}; there are {there}",
            quoted(names),
            devices.join(", ")
        )));
    }
    Ok(selected)
}

/// That an engine declares too little, or something else, to run a case on some devices, on all if none are named.
fn no_case(engine: &Outside, devices: &[Device]) -> Failure {
    let names: Vec<_> = devices.iter().map(|device| device.name()).collect();
    let on = if names.is_empty() { String::new() } else { format!(" on {}", names.join(", ")) };
    let devices = if devices.is_empty() { &Device::ALL[..] } else { devices };
    let mut reasons = devices
        .iter()
        .flat_map(|device| MACHINES.iter().flat_map(|machine| machine.reasons(*device, engine)));
    let why = match reasons.next() {
        Some(first) => {
            let needs = reasons.fold(first, |needs, need| needs + ", others " + &need);
            format!("; they need {needs}, which it does not declare")
        }
        None => format!("; it declares {}", engine.hello().devices.join(", ")),
    };
    Failure::input(format!("there is no case that {} could run{on}{why}", engine.hello().name))
}

/// Every suite on some devices, limited to programs of some instructions if any are given.
pub(crate) fn all(
    devices: &[Device],
    instructions: &[String],
    engine: &UnderTest,
) -> Vec<Box<dyn Suite>> {
    if instructions.is_empty() {
        return devices.iter().copied().flat_map(registry::suites).collect();
    }
    let suites = devices.iter().flat_map(|device| {
        MACHINES.iter().flat_map(|machine| machine.narrowed_suites(*device, engine, instructions))
    });
    suites.collect()
}

/// Holds that the suites with programs of some instructions are those that are asked for.
fn check_names(
    names: &[String],
    there: &[Box<dyn Suite>],
    instructions: &[String],
) -> Result<(), Failure> {
    let instructions = instructions.join(", ");
    if there.is_empty() {
        return Err(Failure::input(format!(
            "these settings leave no suite a case: none has programs of {instructions} only"
        )));
    }
    known(names, "suite")?;
    match names.iter().find(|name| !there.iter().any(|suite| suite.name() == *name)) {
        None => Ok(()),
        Some(name) => Err(Failure::input(format!(
            "these settings leave suite `{name}` no case: it has no programs of {instructions} only"
        ))),
    }
}

/// Checks that a suite exists on some device.
pub(crate) fn check(name: &str) -> Result<(), Failure> {
    known(&[name.to_owned()], "suite")
}

/// Checks that there are suites of some names.
fn known(names: &[String], what: &str) -> Result<(), Failure> {
    let all: BTreeSet<_> =
        Device::ALL.into_iter().flat_map(registry::suites).map(|suite| suite.name()).collect();
    match names.iter().find(|name| !all.contains(name.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let all: Vec<_> = all.into_iter().collect();
            Err(Failure::input(suggestion::there_is_no(what, unknown, &all)))
        }
    }
}

/// Names in backquotes.
fn quoted(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Suites without some.
pub(crate) fn without(
    mut suites: Vec<Box<dyn Suite>>,
    excluded: &[String],
) -> Result<Vec<Box<dyn Suite>>, Failure> {
    known(excluded, "suite to exclude")?;
    suites.retain(|suite| excluded.iter().all(|name| name != suite.name()));
    if suites.is_empty() {
        return Err(Failure::input("--exclude leaves no suite to run"));
    }
    Ok(suites)
}

/// The suites that a recorded campaign was begun with, in its order.
pub(crate) fn of_record(
    record: &Record,
    engine: &UnderTest,
    instructions: &[String],
) -> Result<Vec<Box<dyn Suite>>, Failure> {
    let devices: Vec<Device> = record.suites().filter_map(|(_, name)| name.parse().ok()).collect();
    let mut all = select(&devices, &[], &[Unlisted::Dp4a], engine, instructions)?;
    let suites = record.suites().map(|(name, device)| {
        let is_it = |suite: &dyn Suite| suite.name() == name && suite.device() == device;
        let place = all.iter().position(|suite| is_it(&**suite)).ok_or_else(|| {
            Failure::input(format!(
                "the run was begun with the suite {name} on {device}, which there is not"
            ))
        })?;
        Ok(all.swap_remove(place))
    });
    suites.collect()
}

/// Suites whose engine is held against another one, those that have cases which both can run.
///
/// # Errors
/// If none has.
pub(crate) fn held_against(
    mut suites: Vec<Box<dyn Suite>>,
    reference: &Arc<Outside>,
) -> Result<Vec<Box<dyn Suite>>, Failure> {
    suites.retain_mut(|suite| suite.hold_against(reference) && has_cases(&**suite));
    if suites.is_empty() {
        return Err(Failure::input(format!(
            "there is no case that both engines could run: every case made for the engine under test takes something that \
             {} does not declare; put the engine that declares less under test",
            reference.hello().name
        )));
    }
    Ok(suites)
}

/// The devices of suites.
pub(crate) fn devices(suites: &[Box<dyn Suite>]) -> Vec<Device> {
    let has = |device: &Device| suites.iter().any(|suite| suite.device() == device.name());
    Device::ALL.into_iter().filter(has).collect()
}
