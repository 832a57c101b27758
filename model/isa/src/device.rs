//! The devices programs run on.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// One target device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
}

impl Device {
    /// Whether the device has a feature.
    #[must_use]
    pub const fn has(self, feature: Feature) -> bool {
        match self {
            Self::Bw | Self::Dg1 | Self::Rv770 => false,
            Self::Cl => matches!(feature, Feature::IndirectSource1),
            Self::Ctg => !matches!(feature, Feature::Compaction),
            Self::G45 => true,
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
    use parallax_spec::tables;
    use rstest::rstest;
    use serde::Deserialize;

    use super::*;

    #[rstest]
    #[case("indirect_src1", Feature::IndirectSource1)]
    #[case("mrf_indirect_addressing", Feature::IndirectMrf)]
    #[case("compr4", Feature::Compr4)]
    #[case("relaxed_byte_destination_alignment", Feature::RelaxedByteDestination)]
    #[case("instruction_compaction", Feature::Compaction)]
    fn features_are_the_tables(#[case] parameter: &str, #[case] feature: Feature) {
        #[derive(Deserialize)]
        struct Row {
            parameter: String,
            device: String,
            value: String,
        }
        let mut found = 0;
        let rows = tables::rows::<Row>("g45-eu-device-params");
        for row in rows.into_iter().filter(|row| row.parameter == parameter) {
            let devices: &[Device] = match row.device.as_str() {
                "DevBW" => &[Device::Bw],
                "DevCL" => &[Device::Cl],
                "DevCTG-A" => &[Device::Ctg],
                "DevCTG-B" => &[Device::G45],
                "DevCTG" => &[Device::Ctg, Device::G45],
                _ => &[],
            };
            for device in devices {
                assert_eq!(device.has(feature), row.value == "yes", "{parameter} {device}");
                found += 1;
            }
        }
        assert!(found >= 4, "{parameter} is not in the table for every device");
    }

    #[test]
    fn names_are_read_back() {
        for device in Device::ALL {
            assert_eq!(device.name().parse(), Ok(device));
        }
        let error = "g54".parse::<Device>().unwrap_err();
        assert!(error.to_string().starts_with("unknown device `g54`; the devices are bw, cl,"));
    }
}
