//! Finding formats by name and by encoding, and saying clearly why one cannot be used.

use super::by_generation::FORMATS as BY_GENERATION;
use super::format::{DG1_FORMATS, Format, G45_FORMATS, R700_FORMATS, Use};
use crate::Device;

/// A request for a format that cannot be met.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// A name no format has.
    #[error("no surface format{} is called `{name}`{}", on(*device), hint(close))]
    UnknownName {
        /// The name.
        name: String,
        /// The device asked for.
        device: Option<Device>,
        /// Names much like it.
        close: Vec<&'static str>,
    },
    /// An encoding no format has.
    #[error("surface format encoding {code:03X}h is not assigned on {device}")]
    UnknownCode {
        /// The encoding.
        code: u32,
        /// The device.
        device: Device,
    },
    /// A reserved encoding, or one whose layout no manual gives.
    #[error("{name} cannot be decoded: {reason}")]
    Undefined {
        /// The format.
        name: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// A purpose the device does not allow.
    #[error("{name} cannot be used for {} on {device}{}", purpose.word(), allowed(uses))]
    NotUsable {
        /// The format.
        name: &'static str,
        /// The device.
        device: Device,
        /// The purpose.
        purpose: Use,
        /// What it can be used for.
        uses: Vec<Use>,
    },
}

fn on(device: Option<Device>) -> String {
    device.map_or_else(String::new, |device| format!(" of {device}"))
}

fn hint(close: &[&str]) -> String {
    match close {
        [] => "; `parallax format list` shows all".into(),
        close => format!("; did you mean {}?", close.join(", ")),
    }
}

fn allowed(uses: &[Use]) -> String {
    match uses {
        [] => ", nor for anything else there".into(),
        uses => {
            let words: Vec<_> = uses.iter().map(|purpose| purpose.word()).collect();
            format!(", only for {}", words.join(", "))
        }
    }
}

/// The formats of a device, in order of encoding; none where only execution units are modelled.
#[must_use]
pub fn catalogue(device: Device) -> &'static [Format] {
    match device {
        Device::Bw | Device::Cl | Device::Ctg | Device::G45 => &G45_FORMATS,
        Device::Ivb | Device::Skl => &[],
        Device::Dg1 => &DG1_FORMATS,
        Device::Rv770 => &R700_FORMATS,
    }
}

/// The format of a name, without regard to case, on a device; or, if none is given, on the first
/// of G45, DG1 and R700 that has it.
///
/// # Errors
/// If there is none.
pub fn named(device: Option<Device>, name: &str) -> Result<(Device, &'static Format), FormatError> {
    let devices = device.map_or(vec![Device::G45, Device::Dg1, Device::Rv770], |one| vec![one]);
    let is = |format: &&Format| {
        let names = [Some(format.name), format.also];
        names.into_iter().flatten().any(|known| known.eq_ignore_ascii_case(name))
    };
    for &device in &devices {
        // A name reserved on one device is looked for on the next.
        let found = catalogue(device).iter().find(is);
        if let Some(format) = found.filter(|f| f.is_defined() || devices.len() == 1) {
            return Ok((device, format));
        }
    }
    let last = devices.iter().find_map(|&d| Some((d, catalogue(d).iter().find(is)?)));
    last.ok_or_else(|| FormatError::UnknownName {
        name: name.to_owned(),
        device,
        close: close_names(&devices, name),
    })
}

/// The format of an encoding on a device.
///
/// # Errors
/// If the encoding is not assigned.
pub fn code(device: Device, code: u32) -> Result<&'static Format, FormatError> {
    let found = catalogue(device).iter().find(|format| u32::from(format.code) == code);
    found.ok_or(FormatError::UnknownCode { code, device })
}

/// The formats of surfaces that messages of Gen7 and later reach, by code.
#[must_use]
pub fn message_formats() -> &'static [Format] {
    &BY_GENERATION
}

/// The format of an encoding in the surface states that messages of a device meet. Before Gen7 that is
/// the one of [`code`]; from there on the uses are those of table `eu-surface-formats-by-gen`, on
/// every device.
///
/// # Errors
/// If the encoding is not assigned.
///
/// # Examples
/// ```
/// use parallax_isa::{Device, surface::{Use, message_format}};
///
/// let format = message_format(Device::Skl, 0xC7)?;
/// assert_eq!(format.name, "R8G8B8A8_UNORM");
/// assert!(format.allows(Device::Skl, Use::TypedWrite));
/// # Ok::<_, parallax_isa::surface::FormatError>(())
/// ```
pub fn message_format(device: Device, code: u32) -> Result<&'static Format, FormatError> {
    if !Device::LATER.contains(&device) {
        return self::code(device, code);
    }
    let found = BY_GENERATION.iter().find(|format| u32::from(format.code) == code);
    found.ok_or(FormatError::UnknownCode { code, device })
}

impl Format {
    /// Checks that a device may use the format for this.
    ///
    /// # Errors
    /// If it may not.
    pub fn require(&self, device: Device, purpose: Use) -> Result<(), FormatError> {
        if self.allows(device, purpose) {
            return Ok(());
        }
        let uses = self.uses(device).collect();
        Err(FormatError::NotUsable { name: self.name, device, purpose, uses })
    }

    /// Checks that the format has a layout.
    ///
    /// # Errors
    /// If it is reserved or the manual gives no layout.
    pub fn require_defined(&self) -> Result<(), FormatError> {
        if self.is_defined() {
            return Ok(());
        }
        Err(FormatError::Undefined { name: self.name, reason: self.notes })
    }
}

/// Up to four names that contain the wanted one, are contained in it or differ in few letters.
fn close_names(devices: &[Device], wanted: &str) -> Vec<&'static str> {
    let wanted = wanted.to_uppercase();
    let mut ranked: Vec<_> = devices
        .iter()
        .flat_map(|&device| catalogue(device))
        .map(|format| (distance(&wanted, format.name), format.name))
        .filter(|&(distance, name)| distance <= 3 || (wanted.len() > 2 && name.contains(&wanted)))
        .collect();
    ranked.sort_unstable();
    ranked.dedup();
    ranked.into_iter().take(4).map(|(_, name)| name).collect()
}

/// Number of single-letter edits between two words; names longer than any format are far.
fn distance(a: &str, b: &str) -> usize {
    if a.len() > 40 {
        return usize::MAX;
    }
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.bytes().enumerate() {
            let replaced = previous[j] + usize::from(x != y);
            row.push(replaced.min(previous[j + 1] + 1).min(row[j] + 1));
        }
        previous = row;
    }
    previous[b.len()]
}
