//! How exactly destinations were compared, of all devices by opcode and of each by opcode and type.

use std::collections::BTreeMap;

use parallax_lockstep::{
    campaign::Statistics,
    exactness::{self, Elements},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Destination elements of an opcode, by what is accepted there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Exactness {
    /// The opcode.
    pub(crate) mnemonic: String,
    /// Destination elements for which one bit pattern is accepted.
    pub(crate) exact: u64,
    /// Elements for which several are.
    pub(crate) loose: u64,
    /// Elements that the manual leaves open.
    pub(crate) open: u64,
    /// Why fewer than three in four are exact, if that has a reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// Destination elements of a device: by opcode, then by type, or by element where an opcode has no choice
/// of types.
pub(crate) type OfDevice = BTreeMap<String, BTreeMap<String, Elements>>;

impl Exactness {
    /// Those of all suites together, the least exact first.
    pub(super) fn of(suites: &[Statistics]) -> Vec<Self> {
        let mut all = exactness::Exactness::new();
        suites.iter().for_each(|suite| exactness::merge(&mut all, &suite.exactness));
        let mut rows: Vec<_> = exactness::by_mnemonic(&all).into_iter().collect();
        rows.sort_by(|(_, a), (_, b)| a.share().total_cmp(&b.share()));
        let row = |(mnemonic, elements): (&str, Elements)| Self {
            exact: elements.exact,
            loose: elements.loose,
            open: elements.open,
            reason: exactness::reason(mnemonic).map(str::to_owned),
            mnemonic: mnemonic.to_owned(),
        };
        rows.into_iter().map(row).collect()
    }
}

/// Those of each device that has instructions.
pub(super) fn by_type(suites: &[Statistics]) -> BTreeMap<String, OfDevice> {
    let mut devices: BTreeMap<String, OfDevice> = BTreeMap::new();
    for suite in suites {
        for ((mnemonic, form), elements) in &suite.exactness {
            let device = devices.entry(suite.device.clone().into_owned()).or_default();
            let forms = device.entry(mnemonic.clone().into_owned()).or_default();
            forms.entry(form.clone().into_owned()).or_default().add(*elements);
        }
    }
    devices
}
