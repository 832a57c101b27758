//! The suites a campaign can run.

use parallax_isa::Device;
use parallax_lockstep::{registry::MACHINES, suite::Suite};

use crate::failure::Failure;

/// The suites of these names on these devices; all where none are named.
pub(crate) fn select(devices: &[Device], names: &[String]) -> Result<Vec<Box<dyn Suite>>, Failure> {
    let all: Vec<_> = Device::ALL.into_iter().flat_map(on).collect();
    let known = |name: &String| all.iter().any(|suite| suite.name() == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let mut known: Vec<_> = all.iter().map(|suite| suite.name()).collect();
        known.sort_unstable();
        known.dedup();
        return Err(Failure::input(format!(
            "there is no suite `{unknown}`; there are {}",
            known.join(", ")
        )));
    }
    let wanted = |suite: &dyn Suite| {
        (devices.is_empty() || devices.iter().any(|device| device.name() == suite.device()))
            && (names.is_empty() || names.iter().any(|name| name == suite.name()))
    };
    let selected: Vec<_> = all.into_iter().filter(|suite| wanted(&**suite)).collect();
    if selected.is_empty() {
        let devices: Vec<_> = devices.iter().map(|device| device.name()).collect();
        return Err(Failure::input(format!("none of these suites runs on {}", devices.join(", "))));
    }
    Ok(selected)
}

/// Every suite on a device.
fn on(device: Device) -> Vec<Box<dyn Suite>> {
    MACHINES.iter().flat_map(|machine| machine.suites(device)).collect()
}
