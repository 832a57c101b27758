//! The suites a campaign can run.

use parallax_isa::Device;
use parallax_lockstep::{eu, r700, suite::Suite, surface};

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
    let mut suites = eu::suites::suites(device);
    suites.extend(r700::suites::suites(device));
    suites.extend(surface::suites::suites(device));
    suites
}

/// The catalogues whose rules a suite is about.
pub(crate) fn documents(suite: &dyn Suite) -> &'static [&'static str] {
    match suite.name() {
        name if name.starts_with("eu") => &["g45-eu-environment", "g45-instructions"],
        "formats" | "pixels" | "channels" => match suite.device() {
            "dg1" => &["dg1"],
            // What its fetches do with formats is a small part of a document of the R700 suites.
            "rv770" => &[],
            _ => &["g45-sampler"],
        },
        name if name.starts_with("r700") => {
            &["r700-alu-instructions", "r700-alu-rules", "r700-fetch-mem", "r700-program"]
        }
        _ => &[],
    }
}
