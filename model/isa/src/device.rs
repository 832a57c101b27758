//! The devices programs run on.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// One target device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// Intel 965 (DevBW).
    Bw,
    /// Intel 965GM (DevCL).
    Cl,
    /// Intel GM45, first stepping (DevCTG-A).
    Ctg,
    /// Intel GM45 and G45 (DevCTG-B and later).
    G45,
    /// Intel Xe graphics DG1 (Gen12): surface formats and pixel operations.
    Dg1,
    /// AMD R700 (RV770).
    Rv770,
}

/// The instruction set family a device belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Intel execution units.
    Eu,
    /// AMD R700.
    R700,
}

impl Device {
    /// Every device, in the order they are listed to people.
    pub const ALL: [Self; 6] = [Self::Bw, Self::Cl, Self::Ctg, Self::G45, Self::Dg1, Self::Rv770];

    /// The devices with Intel G45-style execution units.
    pub const EU: [Self; 4] = [Self::Bw, Self::Cl, Self::Ctg, Self::G45];

    /// The name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bw => "bw",
            Self::Cl => "cl",
            Self::Ctg => "ctg",
            Self::G45 => "g45",
            Self::Dg1 => "dg1",
            Self::Rv770 => "rv770",
        }
    }

    /// The instruction set family.
    #[must_use]
    pub const fn family(self) -> Family {
        match self {
            Self::Bw | Self::Cl | Self::Ctg | Self::G45 | Self::Dg1 => Family::Eu,
            Self::Rv770 => Family::R700,
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no device's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown device `{0}`; the devices are {names}", names = Device::ALL.map(Device::name).join(", "))]
pub struct UnknownDevice(pub String);

impl FromStr for Device {
    type Err = UnknownDevice;

    fn from_str(name: &str) -> Result<Self, UnknownDevice> {
        let found = Self::ALL.into_iter().find(|device| device.name() == name);
        found.ok_or_else(|| UnknownDevice(name.to_owned()))
    }
}
