//! States in files: by the names of their banks, so that a state that grows does not end the files
//! there are.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{Bank, Image};

/// Gives a state its form in files.
macro_rules! in_files {
    ($state:ty) => {
        impl serde::Serialize for $state {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::image::serial::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $state {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::image::serial::deserialize(deserializer)
            }
        }
    };
}

pub(crate) use in_files;

/// A bank that is not as at the start of a program: zero, but for these runs.
#[derive(Serialize, Deserialize)]
struct Section {
    bank: String,
    runs: Vec<Run>,
}

/// Neighbouring elements.
#[derive(Serialize, Deserialize)]
struct Run {
    /// Number of the first one.
    element: u32,
    bytes: Vec<u8>,
}

/// Elements of zeros that end a run.
const GAP: usize = 4;

/// Writes a state. A bank that is as in [`Default`] is left out.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<I: Image, S: Serializer>(state: &I, serializer: S) -> Result<S::Ok, S::Error> {
    let usual = Box::new(I::default());
    let sections = I::BANKS.iter().filter_map(|bank| {
        let bytes = &state.image()[bank.range()];
        let differs = *bytes != usual.image()[bank.range()];
        differs.then(|| Section { bank: bank.name.to_owned(), runs: runs(bank, bytes) })
    });
    sections.collect::<Vec<_>>().serialize(serializer)
}

/// The runs of elements that are not zero.
fn runs(bank: &Bank, bytes: &[u8]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut zeros = GAP;
    for (number, element) in bytes.chunks(bank.element).enumerate() {
        if element.iter().all(|byte| *byte == 0) {
            zeros += 1;
            continue;
        }
        match runs.last_mut() {
            Some(last) if zeros < GAP => {
                last.bytes.resize(last.bytes.len() + zeros * bank.element, 0);
                last.bytes.extend(element);
            }
            _ => runs.push(Run { element: number as u32, bytes: element.to_vec() }),
        }
        zeros = 0;
    }
    runs
}

/// Reads a state.
///
/// # Errors
/// If there is no such bank, or an element lies outside of it.
pub fn deserialize<'de, I: Image, D: Deserializer<'de>>(deserializer: D) -> Result<I, D::Error> {
    let mut state = I::default();
    for Section { bank, runs } in <Vec<Section>>::deserialize(deserializer)? {
        let bank = I::bank_named(&bank).map_err(D::Error::custom)?;
        let place = &mut state.image_mut()[bank.range()];
        place.fill(0);
        for Run { element, bytes } in runs {
            let start = (element as usize).saturating_mul(bank.element);
            let range = start..start.saturating_add(bytes.len());
            let run = place.get_mut(range).ok_or_else(|| {
                let elements = bank.len() / bank.element;
                D::Error::custom(format!(
                    "element {element} with {} bytes lies outside of the bank `{}`, which has \
                     {elements} of {}",
                    bytes.len(),
                    bank.name,
                    bank.element
                ))
            })?;
            run.copy_from_slice(&bytes);
        }
    }
    Ok(state)
}
