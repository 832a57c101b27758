//! What the tables say of an instruction on a device: a sheet for people, or as data.

pub(crate) mod compare;
pub(crate) mod overview;
pub(crate) mod r700;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        DataType, Opcode, codes, compaction,
        fields::{self, Field},
        forms::{self, Combination, Form, OperandTypes},
        opcode::Format,
        text,
    },
};
use parallax_spec::{Level, rules::RULES};
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use self::overview::mnemonics;
use crate::output;

/// An instruction on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Sheet {
    /// The instruction.
    pub(crate) mnemonic: &'static str,
    /// The device.
    pub(crate) device: &'static str,
    /// Its opcode.
    pub(crate) opcode: u8,
    /// Its operands, in the order of the text.
    pub(crate) operands: Vec<&'static str>,
    /// How its text is written, without predicate, modifiers and options.
    pub(crate) text: Vec<String>,
    /// Whether the device has instructions of 64 bits.
    pub(crate) compact: bool,
    /// Fields of its machine code.
    pub(crate) fields: Vec<Place>,
    /// The operand types that it takes.
    pub(crate) types: Vec<Types>,
    /// The modifiers that it takes; left out for the G45 family, whose manual says so in rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) modifiers: Option<Modifiers>,
    /// The rules about it.
    pub(crate) rules: Vec<Said>,
}

/// A field of its word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Place {
    /// The field.
    pub(crate) name: &'static str,
    /// Its bits, such as `23:21`; if there are several ranges, the most significant first.
    pub(crate) bits: String,
    /// What its values stand for; left out where they are numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) values: Vec<Values>,
}

/// What the values of a field stand for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Values {
    /// Where they stand for this: `Align16`, `immediate`; left out where they always do.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) of: String,
    /// The values that have a name.
    pub(crate) codes: Vec<Code>,
}

/// What a value stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Code {
    /// The value.
    pub(crate) value: u32,
    /// What it stands for, in the words of assembly or of the manual.
    pub(crate) meaning: String,
}

/// Types that go together, any of those with a slash between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Types {
    /// Types of the destination.
    pub(crate) destination: String,
    /// Types of the first source.
    pub(crate) src0: String,
    /// Types of further sources.
    pub(crate) further: String,
    /// Id of the rule that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<String>,
}

/// What it can have besides operands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Modifiers {
    /// Whether it can be predicated.
    pub(crate) predicate: bool,
    /// Whether it takes a conditional modifier.
    pub(crate) conditional_modifier: bool,
    /// Whether it can saturate.
    pub(crate) saturate: bool,
    /// Whether its sources take modifiers.
    pub(crate) source_modifiers: bool,
    /// Id of the rule that says so.
    pub(crate) rule: String,
}

/// A rule about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Said {
    /// Id of the rule.
    pub(crate) id: &'static str,
    /// Its level.
    #[schemars(with = "crate::schema::foreign::Level")]
    pub(crate) level: Level,
    /// The rule, as a sentence.
    pub(crate) rule: &'static str,
}

impl Sheet {
    /// The sheet of an instruction, if the device has it.
    pub(crate) fn of(device: Device, opcode: Opcode) -> Option<Self> {
        let (generation, form) = (device.generation()?, forms::form(device, opcode)?);
        Some(Self {
            mnemonic: opcode.mnemonic(),
            device: device.name(),
            opcode: opcode.code(device)?,
            operands: operands(opcode, generation),
            text: text::forms(device, opcode),
            compact: compaction::is_supported(device),
            fields: places(opcode, generation),
            types: types(form),
            modifiers: form.modifiers.map(modifiers_of),
            rules: rules(opcode, generation),
        })
    }

    /// The sheet for people.
    pub(crate) fn text(&self) -> String {
        printed(self.mnemonic, self.device, self.sections())
    }

    /// Headings, and the lines below each.
    fn sections(&self) -> Vec<(&'static str, Vec<String>)> {
        let mut sections = vec![
            ("code", vec![format!("{:02X}h", self.opcode)]),
            ("operands", vec![self.operands_line()]),
            ("text", self.text.clone()),
            ("fields", self.fields.iter().map(Place::line).collect()),
            ("values", self.fields.iter().flat_map(Place::values).collect()),
            ("types", self.types.iter().map(Types::line).collect()),
        ];
        sections.extend(self.modifiers.iter().map(|all| ("modifiers", vec![all.line()])));
        sections.push(("rules", self.rules.iter().map(Said::line).collect()));
        sections.retain(|(_, lines)| !lines.is_empty());
        sections
    }

    fn operands_line(&self) -> String {
        match self.operands[..] {
            [] => "none".to_owned(),
            _ => self.operands.join(", "),
        }
    }
}

/// Headings, and the lines below each, as text.
fn printed(mnemonic: &str, device: &str, sections: Vec<(&str, Vec<String>)>) -> String {
    let lines = sections.into_iter().map(|(heading, lines)| {
        let indented = lines.iter().map(|line| format!("  {line}\n"));
        format!("{heading}\n{}", indented.collect::<String>())
    });
    let sections = lines.collect::<Vec<_>>().join("\n");
    format!("{mnemonic} on {device}\n\n{sections}").trim_end().to_owned()
}

impl Place {
    fn line(&self) -> String {
        format!("{:<24} {}", self.name, self.bits)
    }

    /// What its values stand for, a line for each reading.
    fn values(&self) -> Vec<String> {
        let line = |values: &Values| {
            let codes = values.codes.iter().map(|code| format!("{}={}", code.value, code.meaning));
            let of = if values.of.is_empty() { String::new() } else { format!(", {}", values.of) };
            let codes = output::wrap(&codes.collect::<Vec<_>>().join(", "), 6);
            format!("{}{of}\n{codes}", self.name)
        };
        self.values.iter().map(line).collect()
    }
}

impl Types {
    fn line(&self) -> String {
        let further = if self.further.is_empty() { "" } else { ", " };
        format!("{} = {}{further}{}", self.destination, self.src0, self.further)
    }
}

impl Modifiers {
    fn line(&self) -> String {
        let all = [
            (self.predicate, "predicate"),
            (self.conditional_modifier, "conditional modifier"),
            (self.saturate, "saturation"),
            (self.source_modifiers, "source modifiers"),
        ];
        let has: Vec<_> = all.iter().filter(|(has, _)| *has).map(|(_, name)| *name).collect();
        if has.is_empty() { "none".to_owned() } else { has.join(", ") }
    }
}

impl Said {
    fn line(&self) -> String {
        let level = match self.level {
            Level::Must => "",
            Level::Undefined => " (undefined)",
            Level::Restriction => " (restriction)",
            Level::Info => " (info)",
        };
        format!("{}{level}\n{}", self.id, output::wrap(self.rule, 6))
    }
}

/// What an instruction has, in the order of its text.
fn operands(opcode: Opcode, generation: Generation) -> Vec<&'static str> {
    match opcode.format_on(generation) {
        Format::Nothing | Format::Controls => vec![],
        Format::ExitCode => vec!["exit code"],
        Format::Unary => vec!["dst", "src0"],
        Format::Binary if opcode == Opcode::Math => {
            vec!["function", "dst", "src0", "src1 of functions of two"]
        }
        Format::Binary => vec!["dst", "src0", "src1"],
        Format::Ternary => vec!["dst", "src0", "src1", "src2"],
        Format::Message => vec!["dst", "src0", "descriptor"],
        Format::SplitMessage => vec!["dst", "src0", "src1", "extended descriptor", "descriptor"],
        Format::Sync => vec!["function", "src0"],
        Format::Branch => {
            let operands = opcode.branch_operands(generation);
            let parts = [
                (operands.destination, "dst"),
                (operands.jip, "JIP"),
                (operands.uip, "UIP"),
                (operands.register.is_some(), "or a register"),
            ];
            let has = parts.iter().filter(|(has, _)| *has);
            has.map(|(_, name)| name.trim_start_matches(if operands.jip { "" } else { "or " }))
                .collect()
        }
    }
}

/// The fields of its word: those of its format, and the common ones that these leave room for.
fn places(opcode: Opcode, generation: Generation) -> Vec<Place> {
    let format = opcode.format_on(generation);
    let is_gen12 = generation >= Generation::Gen12;
    let own: Vec<&[&Field]> = match format {
        Format::Nothing => return place(&fields::basic::OPCODE, generation).into_iter().collect(),
        Format::Ternary if is_gen12 => vec![fields::ternary_align1::FIELDS],
        Format::Ternary => vec![fields::ternary_align16::FIELDS],
        Format::Branch => vec![fields::branch::FIELDS],
        Format::Sync => vec![fields::sync::FIELDS],
        Format::SplitMessage if !is_gen12 => vec![fields::sends::FIELDS],
        Format::Message if generation <= Generation::Gen45 => {
            vec![fields::send::FIELDS, fields::send_g45::FIELDS]
        }
        Format::Message | Format::SplitMessage => vec![fields::send::FIELDS],
        Format::Binary if opcode == Opcode::Math => vec![fields::math::FIELDS],
        _ => vec![],
    };
    let own: Vec<&Field> = own.concat();
    let covers = |field: &Field| own.iter().any(|other| overlap(field, other, generation));
    let common = fields::basic::FIELDS.iter().copied().filter(|field| !covers(field));
    let mut all: Vec<&Field> = own.iter().copied().chain(common).collect();
    all.sort_by_key(|field| field.position(generation).last().map(|run| run.low));
    all.dedup_by_key(|field| field.name);
    all.into_iter().filter_map(|field| place(field, generation)).collect()
}

fn place(field: &'static Field, generation: Generation) -> Option<Place> {
    let bits = field.bits(generation);
    let values = codes::values(generation, field).into_iter().map(|(of, codes)| {
        let code = |(value, meaning)| Code { value, meaning };
        Values { of: of.to_owned(), codes: codes.into_iter().map(code).collect() }
    });
    (!bits.is_empty()).then(|| Place { name: field.name, bits, values: values.collect() })
}

fn overlap(one: &Field, other: &Field, generation: Generation) -> bool {
    one.position(generation).iter().any(|run| {
        let meets =
            |other: &parallax_isa::eu::bits::Bits| run.low <= other.high && other.low <= run.high;
        other.position(generation).iter().any(meets)
    })
}

fn types(form: &Form) -> Vec<Types> {
    let types = |row: &OperandTypes| Types {
        destination: names(&row.destination),
        src0: names(row.of_source(0)),
        further: names(row.of_source(1)),
        rule: Some(row.rule.rule().id.to_owned()),
    };
    form.types.iter().map(types).chain(combined(form)).collect()
}

/// The legal combinations of types of Gen4 and Gen4.5, those of the same first source and destinations in one.
fn combined(form: &Form) -> Vec<Types> {
    let mut all: Vec<(&Combination, Vec<DataType>)> = Vec::new();
    for row in form.combinations.iter().filter(|row| row.is_legal) {
        let is_same = |(known, _): &&mut (&Combination, Vec<DataType>)| {
            known.first == row.first && known.destinations == row.destinations
        };
        match all.iter_mut().find(is_same) {
            Some((_, further)) => further.extend(row.second.filter(|of| !further.contains(of))),
            None => all.push((row, row.second.into_iter().collect())),
        }
    }
    let types = |(row, further): (&Combination, Vec<DataType>)| Types {
        destination: names(&row.destinations),
        src0: names(&[row.first]),
        further: names(&further),
        rule: None,
    };
    all.into_iter().map(types).collect()
}

/// Types as the tables name them.
fn names(types: &[DataType]) -> String {
    let names: Vec<_> = types.iter().map(|of| of.suffix().to_ascii_uppercase()).collect();
    names.join("/")
}

fn modifiers_of(row: forms::Modifiers) -> Modifiers {
    Modifiers {
        predicate: row.predicate,
        conditional_modifier: row.condition,
        saturate: row.saturate,
        source_modifiers: row.source_modifiers,
        rule: row.rule.rule().id.to_owned(),
    }
}

/// How the ids of a generation's rules begin. What later documents do not say of Gen9 and Gen12 is as on
/// Gen7, but rules of Gen7 alone are not theirs.
const fn documents(generation: Generation) -> &'static [&'static str] {
    match generation {
        Generation::Gen7 => &["gen7.", "talk."],
        Generation::Gen12 => &["gen12.", "dg1.opcode.", "dg1.math.code", "dg1.sync."],
        Generation::Gen4 | Generation::Gen45 => &["g45."],
        _ => &["gen9.", "talk."],
    }
}

/// The rules about it: of which it is the unit, or part of the id.
fn rules(opcode: Opcode, generation: Generation) -> Vec<Said> {
    let mnemonic = opcode.mnemonic();
    let names = |text: &str| {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| word.eq_ignore_ascii_case(mnemonic))
    };
    let is_meant = |id: &str, unit: &str| {
        // Rows of the tables above.
        let is_row = id.contains(".isa.types.") || id.contains(".isa.mods.");
        let of_generation = documents(generation).iter().any(|start| id.starts_with(start));
        of_generation && !is_row && (names(unit) || id.split('.').any(|part| part == mnemonic))
    };
    let meant = RULES.iter().filter(|rule| is_meant(rule.id, rule.unit));
    meant.map(|rule| Said { id: rule.id, level: rule.level, rule: rule.rule }).collect()
}
