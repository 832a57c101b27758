//! Suggestions for wrong input: text of another machine, mistyped words.

use parallax_isa::{
    Device,
    device::Family,
    eu::{Opcode, text},
    nearest,
    r700::CfOpcode,
};

use parallax_spec::{RuleId, rules::RULES};

use crate::{
    failure::Failure,
    listing::Problems,
    output::{brief, counted},
};

/// Longest text that is read as one of other devices too.
const LONGEST: usize = 1 << 16;

/// `; did you mean …?`, if a known word is near; nothing otherwise.
pub(crate) fn instead<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = nearest(word, known);
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// A list of names without one that was asked for, and the nearest of them.
pub(crate) fn there_is_no(what: &str, word: &str, known: &[&str]) -> String {
    let near = nearest(word, known.iter().copied());
    let (word, known) = (brief(word), known.join(", "));
    match near {
        Some(near) => {
            format!("there is no {what} `{word}`; did you mean `{near}`? There are {known}")
        }
        None => format!("there is no {what} `{word}`; there are {known}"),
    }
}

/// The rule of an id.
///
/// # Errors
/// If there is none: the nearest, and how many have the id as a part of theirs.
pub(crate) fn rule(id: &str) -> Result<RuleId, Failure> {
    RuleId::find(id).ok_or_else(|| {
        let near = instead(id, RULES.iter().map(|rule| rule.id));
        let within = RULES.iter().filter(|rule| rule.id.contains(id)).count();
        let more = match within {
            0 => String::new(),
            number => format!(" (`parallax rules {id}` lists {})", counted(number as u64, "rule")),
        };
        Failure::input(format!("there is no rule `{}`{near}{more}", brief(id)))
    })
}

/// Says of a text that a device does not take which device's it looks like. Of a text of another
/// machine only the first mistake is left: line by line they say little.
pub(crate) fn of_another_device(device: Device, mut problems: Problems) -> Problems {
    let family = family(&problems.source);
    let help = match family {
        Some(family) if family != device.family() => {
            problems.list.truncate(1);
            match family {
                Family::R700 => "the text looks like one of rv770: try `--device rv770`".to_owned(),
                Family::Eu => {
                    "the text looks like one of Intel execution units: try `--device g45`, \
                               or another of bw, cl, ctg, ivb, skl and dg1"
                        .to_owned()
                }
            }
        }
        _ => match taken_by(device, &problems.source) {
            Some(other) => format!("{other} takes the text as it stands: `--device {other}`"),
            None => return problems,
        },
    };
    if let Some(first) = problems.list.first_mut() {
        first.help = match first.help.take() {
            Some(before) if family == Some(device.family()) => Some(format!("{before}; {help}")),
            _ => Some(help),
        };
    }
    problems
}

/// The machine that a text is of, as its first line with an instruction shows.
fn family(source: &str) -> Option<Family> {
    source.lines().find_map(|line| {
        let line = line.split("//").next().unwrap_or_default().trim();
        let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let word = |text: &str| {
            let text = text.trim_start();
            let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            text[..end.unwrap_or(text.len())].to_owned()
        };
        if numbered.len() < line.len() {
            let name = word(numbered);
            let exports = ["EXP", "EXP_DONE"].contains(&name.as_str());
            return (exports || CfOpcode::named(&name).is_some()).then_some(Family::R700);
        }
        // A predicate stands before the mnemonic.
        let line = match line.strip_prefix('(') {
            Some(predicated) => predicated.split_once(')').map_or("", |(_, rest)| rest),
            None => line,
        };
        let name = word(line);
        let behind = line.trim_start()[name.len()..].trim_start();
        let is_mnemonic = Opcode::of_mnemonic(&name.to_lowercase()).is_some();
        (is_mnemonic && behind.starts_with(['(', '.', '['])).then_some(Family::Eu)
    })
}

/// Another device with execution units that takes a text, the oldest first.
fn taken_by(device: Device, source: &str) -> Option<Device> {
    if device.family() != Family::Eu || source.len() > LONGEST {
        return None;
    }
    let others = [Device::G45, Device::Ivb, Device::Skl, Device::Dg1].into_iter();
    let mut others = others.filter(|other| other.generation() != device.generation());
    others.find(|other| text::parse(*other, source).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_show_their_machine() {
        let intel = "// sum\n(f0.0) add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f\n";
        assert_eq!(family(intel), Some(Family::Eu));
        assert_eq!(family("L1:\nADD.z (8) g4<1>F g2<8,8,1>F g3<8,8,1>F\n"), Some(Family::Eu));
        assert_eq!(family("00 ALU:\n      0  x: MOV R1.x, R0.x\n"), Some(Family::R700));
        assert_eq!(family("; pixel\n 00 EXP_DONE: PIX0, R0\n"), Some(Family::R700));
        assert_eq!(family("frobnicate (8) r4\n12 monkeys\n"), None);
        assert_eq!(family(""), None);
    }
}
