//! How deep control flow was nested on each device.

use std::collections::BTreeMap;

use parallax_lockstep::{
    campaign::Statistics,
    depth::{self, Depths},
};
use serde::Serialize;

use super::{Report, chart};

/// Steps of each device by depth, of those with any inside a block.
pub(super) fn by_device(suites: &[Statistics]) -> BTreeMap<String, Depths> {
    let mut devices: BTreeMap<String, Depths> = BTreeMap::new();
    for suite in suites.iter().filter(|suite| suite.depths.keys().any(|depth| *depth > 0)) {
        let device = devices.entry(suite.device.clone().into_owned()).or_default();
        depth::merge(device, &suite.depths);
    }
    devices
}

/// The chart of a device.
#[derive(Debug, Serialize)]
pub(super) struct OfDevice {
    device: String,
    deepest: u32,
    /// Steps that were counted.
    steps: u64,
    /// Steps at each depth from 0.
    by_depth: Vec<u64>,
    svg: String,
}

/// The charts of all devices.
pub(super) fn charts(report: &Report) -> Vec<OfDevice> {
    let devices = report.devices().into_iter();
    let counted = devices.filter_map(|device| Some((device, report.depths.get(device)?)));
    counted.map(|(device, depths)| OfDevice::new(device, depths)).collect()
}

/// Most depths that a chart has a bar for; what is deeper stands in the last.
const MOST: u32 = 64;

impl OfDevice {
    fn new(device: &str, depths: &Depths) -> Self {
        let deepest = depths.keys().next_back().copied().unwrap_or_default();
        let mut by_depth = vec![0; deepest.min(MOST) as usize + 1];
        for (depth, steps) in depths {
            by_depth[(*depth).min(MOST) as usize] += steps;
        }
        let steps: u64 = by_depth.iter().sum();
        let share = |of: &u64| 100.0 * *of as f64 / steps.max(1) as f64;
        let shares: Vec<f64> = by_depth.iter().map(share).collect();
        Self { device: device.to_owned(), deepest, steps, svg: chart::bars(&shares), by_depth }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_deep_stands_in_the_last_bar() {
        let chart = OfDevice::new("g45", &Depths::from([(0, 3), (2, 1), (70, 4), (u32::MAX, 1)]));
        assert_eq!((chart.deepest, chart.steps, chart.by_depth.len()), (u32::MAX, 9, 65));
        assert_eq!((chart.by_depth[1], chart.by_depth[2], chart.by_depth[64]), (0, 1, 5));
    }
}
