//! What is other on one device than on another.

use parallax_isa::Device;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Sheet, overview};
use crate::output::Table;

/// What became of an instruction's sheet: lines that went and came, by section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Difference {
    /// The instruction.
    mnemonic: &'static str,
    /// The first device.
    from: &'static str,
    /// The second device.
    to: &'static str,
    /// The sections of its sheet that differ.
    sections: Vec<Changed>,
}

/// A section of which something changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Changed {
    /// The section.
    section: &'static str,
    /// Lines that only the first device has.
    gone: Vec<String>,
    /// Lines that only the second has.
    new: Vec<String>,
}

/// What is other on the second sheet.
pub(crate) fn sheets(from: &Sheet, to: &Sheet) -> Difference {
    let [before, after] = [from, to].map(Sheet::sections);
    let mut sections = Vec::new();
    for section in ["code", "operands", "fields", "values", "types", "modifiers", "rules"] {
        let lines = |all: &[(&str, Vec<String>)]| {
            let mut found = all.iter().filter(|(heading, _)| *heading == section);
            found.next().map(|(_, lines)| lines.clone()).unwrap_or_default()
        };
        let [before, after] = [lines(&before), lines(&after)];
        let only = |some: &[String], others: &[String]| -> Vec<String> {
            some.iter().filter(|line| !others.contains(line)).cloned().collect()
        };
        let (gone, new) = (only(&before, &after), only(&after, &before));
        if !gone.is_empty() || !new.is_empty() {
            sections.push(Changed { section, gone, new });
        }
    }
    Difference { mnemonic: from.mnemonic, from: from.device, to: to.device, sections }
}

impl Difference {
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}: - {}, + {}\n", self.mnemonic, self.from, self.to);
        for Changed { section, gone, new } in &self.sections {
            text += &format!("\n{section}\n");
            gone.iter().for_each(|line| text += &format!("- {line}\n"));
            new.iter().for_each(|line| text += &format!("+ {line}\n"));
        }
        if self.sections.is_empty() {
            text += "\nnothing changed\n";
        }
        text.trim_end().to_owned()
    }
}

/// What is other on the second device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Devices {
    /// The first device.
    from: &'static str,
    /// The second device.
    to: &'static str,
    /// Instructions that only the first device has.
    gone: Vec<&'static str>,
    /// Instructions that only the second has.
    new: Vec<&'static str>,
    /// Instructions that differ.
    changed: Vec<Instruction>,
}

/// An instruction that both have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Instruction {
    /// The instruction.
    mnemonic: &'static str,
    /// Its opcode on each device.
    opcodes: [u8; 2],
    /// The sections of its sheet that differ, rules aside.
    sections: Vec<&'static str>,
}

pub(crate) fn devices(from: Device, to: Device) -> Devices {
    let [before, after] = [from, to].map(overview::sheets);
    let missing = |some: &[Sheet], others: &[Sheet]| {
        let is_there = |sheet: &Sheet| others.iter().any(|other| other.mnemonic == sheet.mnemonic);
        let missing = some.iter().filter(|sheet| !is_there(sheet));
        missing.map(|sheet| sheet.mnemonic).collect::<Vec<_>>()
    };
    let pairs = before.iter().filter_map(|sheet| {
        let other = after.iter().find(|other| other.mnemonic == sheet.mnemonic)?;
        let changed = sheets(sheet, other).sections.into_iter().map(|changed| changed.section);
        let sections: Vec<_> = changed.filter(|section| *section != "rules").collect();
        let opcodes = [sheet.opcode, other.opcode];
        (!sections.is_empty()).then_some(Instruction {
            mnemonic: sheet.mnemonic,
            opcodes,
            sections,
        })
    });
    Devices {
        from: from.name(),
        to: to.name(),
        gone: missing(&before, &after),
        new: missing(&after, &before),
        changed: pairs.collect(),
    }
}

impl Devices {
    pub(crate) fn text(&self) -> String {
        let list = |names: &[&str]| match names {
            [] => "none".to_owned(),
            names => names.join(" "),
        };
        let mut table = Table::new(&["changed", ">code", ">", "what"]);
        for Instruction { mnemonic, opcodes: [before, after], sections } in &self.changed {
            table.row([
                (*mnemonic).to_owned(),
                format!("{before:02X}h"),
                format!("{after:02X}h"),
                sections.join(", "),
            ]);
        }
        format!(
            "only {}: {}\nonly {}: {}\n\n{table}",
            self.from,
            list(&self.gone),
            self.to,
            list(&self.new)
        )
    }
}
