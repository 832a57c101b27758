//! Patterns as people write them.

use parallax_isa::{Device, eu::DataType, nearest::nearest};

use crate::{form::mnemonics, pattern::Pattern, registry::features};

/// Stands for all mnemonics.
const ANY: &str = "any instruction";
/// Stands between a mnemonic and a feature.
const WITH: &str = " with ";
/// Stands between the types of destination and sources.
const FROM: &str = " <-";

/// Words that stand for no instructions of a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} `{word}` on {device}{}", suggestion(.near.as_deref()))]
pub struct NoPattern {
    /// What is unknown of it.
    what: &'static str,
    word: String,
    device: Device,
    near: Option<String>,
}

fn suggestion(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

impl Pattern {
    /// The instructions of a device that words stand for.
    ///
    /// # Errors
    /// If the device has no such mnemonic, feature or type: the nearest that it has.
    pub fn parse(text: &str, device: Device) -> Result<Self, NoPattern> {
        let unknown = |what, word: &str, known: &[&str]| {
            let near = nearest(word, known.iter().copied()).map(str::to_owned);
            NoPattern { what, word: word.to_owned(), device, near }
        };
        let mnemonic = |word: &str| {
            let known = mnemonics(device);
            match known.iter().any(|name| name == word) {
                true => Ok(Some(word.to_owned())),
                false => {
                    let known: Vec<_> = known.iter().map(String::as_str).collect();
                    Err(unknown("instruction", word, &known))
                }
            }
        };
        let text = text.trim();
        let whole = text.to_owned();
        if let Some((first, feature)) = text.split_once(WITH) {
            let known = features(device.name());
            let place = known.iter().position(|name| *name == feature);
            let place = place.ok_or_else(|| unknown("feature", feature, known))?;
            let mnemonic = if first == ANY { None } else { mnemonic(first)? };
            return Ok(Self::new(whole, mnemonic, u8::try_from(place).ok(), None));
        }
        let first = text.split(' ').next().unwrap_or_default();
        if device != Device::Rv770 && text.contains(FROM) {
            let words = text.split(' ').skip(1).map(|word| word.trim_end_matches(','));
            let types = words.filter(|word| *word != FROM.trim());
            let is_type = |word: &str| {
                let suffix = word.strip_prefix(':');
                suffix.is_some_and(|suffix| DataType::of_suffix(suffix).is_some())
            };
            if let Some(word) = types.into_iter().find(|word| !is_type(word)) {
                let known = DataType::ALL.map(|of| format!(":{}", of.suffix()));
                let known: Vec<_> = known.iter().map(String::as_str).collect();
                return Err(unknown("type", word, &known));
            }
            return Ok(Self::new(whole.clone(), mnemonic(first)?, None, Some(whole)));
        }
        Ok(Self::new(whole, mnemonic(text)?, None, None))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::form::Form;

    fn form(name: &str, features: &[&str]) -> Form {
        let has = super::features("skl").iter().map(|feature| features.contains(feature));
        Form { name: name.to_owned(), features: has.collect(), sets_flags: false }
    }

    #[rstest]
    #[case("xor", "xor :d <- :d, :d", &[], true)]
    #[case("xor", "or :d <- :d, :d", &[], false)]
    #[case("add :f <- :d, :d", "add :f <- :d, :d", &["NoMask"], true)]
    #[case("add :f <- :d, :d", "add :f <- :d, :f", &[], false)]
    #[case("mov with :vf", "mov :f <- :vf", &[":vf"], true)]
    #[case("mov with :vf", "add :f <- :vf, :f", &[":vf"], false)]
    #[case("any instruction with NoMask", "add :f <- :vf, :f", &["NoMask"], true)]
    #[case("any instruction with NoMask", "add :f <- :vf, :f", &[], false)]
    #[case("math.exp", "math.exp :f <- :f", &[], true)]
    fn patterns_mean_what_their_words_say(
        #[case] text: &str,
        #[case] name: &str,
        #[case] features: &[&str],
        #[case] is_of: bool,
    ) {
        let pattern = Pattern::parse(text, Device::Skl).expect("it is known");
        assert_eq!(pattern.is_of(&form(name, features)), is_of);
        assert!(!pattern.is_of(&Form::default()));
    }

    #[rstest]
    #[case("xorr", Device::Skl, "there is no instruction `xorr` on skl; did you mean `xor`?")]
    #[case("mov with :vff", Device::Skl, "there is no feature `:vff` on skl; did you mean")]
    #[case("add :f <- :dd, :d", Device::Skl, "there is no type `:dd` on skl; did you mean `:d")]
    #[case("bfe", Device::G45, "there is no instruction `bfe` on g45")]
    #[case("MULL", Device::Rv770, "there is no instruction `MULL` on rv770; did you mean `MUL`?")]
    #[case("MUL with NoMask", Device::Rv770, "there is no feature `NoMask` on rv770")]
    #[case("", Device::Skl, "there is no instruction `` on skl")]
    fn what_there_is_not_is_named(
        #[case] text: &str,
        #[case] device: Device,
        #[case] sentence: &str,
    ) {
        let error = Pattern::parse(text, device).expect_err("it is unknown").to_string();
        assert!(error.starts_with(sentence), "{error}");
    }
}
