//! The devices programs run on.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

pub use crate::generation::Generation;
use crate::nearest;

/// One target device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[serde(into = "String", try_from = "String")]
pub enum Device {
    /// Intel 965 (DevBW).
    Bw,
    /// Intel 965GM (DevCL).
    Cl,
    /// Intel GM45, first stepping (DevCTG-A).
    Ctg,
    /// Intel GM45 and G45 (DevCTG-B and later).
    G45,
    /// Intel Ivy Bridge (Gen7): execution units.
    Ivb,
    /// Intel Skylake (Gen9): execution units.
    Skl,
    /// Intel Xe graphics DG1 (Gen12): execution units, surface formats and pixel operations.
    Dg1,
    /// AMD R700 (RV770).
    Rv770,
}

/// An instruction set that this version runs programs of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// Intel execution units.
    Eu,
    /// AMD R700.
    R700,
}

impl Device {
    /// Every device, in the order they are listed to people.
    pub const ALL: [Self; 8] =
        [Self::Bw, Self::Cl, Self::Ctg, Self::G45, Self::Ivb, Self::Skl, Self::Dg1, Self::Rv770];

    /// The devices whose Intel execution units this version models.
    pub const EU: [Self; 7] =
        [Self::Bw, Self::Cl, Self::Ctg, Self::G45, Self::Ivb, Self::Skl, Self::Dg1];

    /// The devices of the G45 manual: execution units of Gen4 and Gen4.5 and their surface formats.
    pub const GEN4: [Self; 4] = [Self::Bw, Self::Cl, Self::Ctg, Self::G45];

    /// The devices with execution units of Gen7 to Gen9.
    pub const GEN7: [Self; 2] = [Self::Ivb, Self::Skl];

    /// The devices with execution units of Gen7 and later.
    pub const LATER: [Self; 3] = [Self::Ivb, Self::Skl, Self::Dg1];

    /// The name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bw => "bw",
            Self::Cl => "cl",
            Self::Ctg => "ctg",
            Self::G45 => "g45",
            Self::Ivb => "ivb",
            Self::Skl => "skl",
            Self::Dg1 => "dg1",
            Self::Rv770 => "rv770",
        }
    }

    /// The instruction set of its programs.
    #[must_use]
    pub const fn family(self) -> Family {
        match self.generation() {
            Some(_) => Family::Eu,
            None => Family::R700,
        }
    }

    /// The generation of its Intel execution units.
    #[must_use]
    pub const fn generation(self) -> Option<Generation> {
        match self {
            Self::Bw | Self::Cl => Some(Generation::Gen4),
            Self::Ctg | Self::G45 => Some(Generation::Gen45),
            Self::Ivb => Some(Generation::Gen7),
            Self::Skl => Some(Generation::Gen9),
            Self::Dg1 => Some(Generation::Gen12),
            Self::Rv770 => None,
        }
    }

    /// The generation of its execution units.
    ///
    /// # Errors
    /// If the device has none.
    pub const fn execution_unit(self) -> Result<Generation, NoExecutionUnit> {
        match self.generation() {
            Some(generation) => Ok(generation),
            None => Err(NoExecutionUnit(self)),
        }
    }
}

/// A device without Intel execution units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoExecutionUnit(pub Device);

impl fmt::Display for NoExecutionUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = self.0;
        write!(f, "{device} has no Intel execution units")
    }
}

impl std::error::Error for NoExecutionUnit {}

/// What only some devices with Intel execution units have (table `g45-eu-device-params`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feature {
    /// Register-indirect src1.
    IndirectSource1,
    /// Register-indirect message registers as destination.
    IndirectMrf,
    /// The second half of a compressed instruction can write four message registers further.
    Compr4,
    /// Byte destinations may start at the second lowest byte of the execution channel.
    RelaxedByteDestination,
    /// The 64-bit form of instructions.
    Compaction,
    /// Exceptions for overflow and underflow of the mask stacks.
    MaskStackExceptions,
    /// Notification counts of 16 bits instead of 7.
    WideNotificationCount,
}

impl Device {
    /// Whether the device has a feature.
    #[must_use]
    pub const fn has(self, feature: Feature) -> bool {
        has(self, feature)
    }
}

include!(concat!(env!("OUT_DIR"), "/device_features.rs"));

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no device's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown device `{0}`; {suggestion}", suggestion = hint(.0))]
pub struct UnknownDevice(pub String);

/// Names that devices have elsewhere: on boxes, in drivers, of their generation.
const OTHER_NAMES: [(Device, &[&str]); 8] = [
    (Device::Bw, &["965", "g965", "i965", "965g", "965q", "q965", "broadwater", "gen4"]),
    (Device::Cl, &["965gm", "gm965", "gl960", "965gme", "crestline", "x3100"]),
    (Device::Ctg, &["cantiga", "devctg"]),
    (
        Device::G45,
        &["gm45", "gs45", "g43", "g41", "q45", "b43", "eaglelake", "elk", "x4500", "gen45"],
    ),
    (Device::Ivb, &["ivybridge", "gen7", "hd4000", "hd2500"]),
    (Device::Skl, &["skylake", "gen9", "hd530", "hd520"]),
    (Device::Dg1, &["gen12", "xe", "xelp", "tgl", "tigerlake", "irisxe", "irisxemax"]),
    (Device::Rv770, &["r700", "r770", "hd4870", "hd4850", "4870", "4850", "amd", "ati"]),
];

/// A suggestion for an unknown name: the nearest device, or all of them.
fn hint(name: &str) -> String {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    let plain = plain.to_ascii_lowercase();
    let elsewhere = OTHER_NAMES.iter().find(|(_, names)| names.contains(&plain.as_str()));
    let known = Device::ALL.map(Device::name);
    let names = known.join(", ");
    if let Some(name) = known.iter().find(|name| **name == plain) {
        return format!("write `{name}`, in lower case");
    }
    match (elsewhere, nearest(&plain, known)) {
        (Some((device, _)), _) => format!("its name here is `{device}`; the devices are {names}"),
        (None, Some(near)) => format!("did you mean `{near}`? The devices are {names}"),
        (None, None) => format!("the devices are {names}"),
    }
}

// By name, so that recorded traces stay readable when devices are added.
impl From<Device> for String {
    fn from(device: Device) -> Self {
        device.name().to_owned()
    }
}

impl TryFrom<String> for Device {
    type Error = UnknownDevice;

    fn try_from(name: String) -> Result<Self, UnknownDevice> {
        name.parse()
    }
}

impl FromStr for Device {
    type Err = UnknownDevice;

    fn from_str(name: &str) -> Result<Self, UnknownDevice> {
        let found = Self::ALL.into_iter().find(|device| device.name() == name);
        found.ok_or_else(|| UnknownDevice(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_of_execution_units_says_its_generation() {
        let modelled = Device::ALL.into_iter().filter(|device| device.execution_unit().is_ok());
        assert_eq!(modelled.collect::<Vec<_>>(), Device::EU);
        let wrong = Device::Rv770.execution_unit().unwrap_err().to_string();
        assert_eq!(wrong, "rv770 has no Intel execution units");
    }

    #[test]
    fn other_names_are_understood() {
        for (name, hint) in [
            ("G45", "write `g45`, in lower case"),
            ("RV-770", "write `rv770`, in lower case"),
            ("GM45", "its name here is `g45`"),
            ("965", "its name here is `bw`"),
            ("HD 4870", "its name here is `rv770`"),
            ("g46", "did you mean `g45`?"),
        ] {
            let error = name.parse::<Device>().unwrap_err().to_string();
            assert!(error.contains(hint), "{error}");
        }
        for (_, names) in OTHER_NAMES {
            for name in names {
                let others = OTHER_NAMES.iter().filter(|(_, all)| all.contains(name));
                assert_eq!(others.count(), 1, "{name} is a name of one device");
                assert!(name.parse::<Device>().is_err(), "{name} is a name elsewhere");
            }
        }
    }

    #[test]
    fn names_are_read_back() {
        for device in Device::ALL {
            assert_eq!(device.name().parse(), Ok(device));
        }
        let error = "xyzzy".parse::<Device>().unwrap_err();
        assert!(error.to_string().starts_with("unknown device `xyzzy`; the devices are bw, cl,"));
    }
}
