//! What the tables say of an R700 instruction.

use parallax_isa::r700::{
    microcode::{
        AluOp2, AluOp3, CfAluWord, CfWord, ExportBuffer, ExportSwizzle, Field, Format, LocalRead,
        LocalWrite, MemoryRead, SemanticFetch, TextureFetch, VertexFetch,
    },
    opcode::{
        AluFormat, AluOpcode, CfFormat, CfOpcode, FetchFormat, FetchOpcode, Kind, Role, Units,
    },
};
use parallax_spec::{
    rules::RULES,
    tables::r700::{FieldValue, MicrocodeField},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Code, Place, Said, Values, printed};
use crate::output::Table;

/// An instruction of `rv770`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Sheet {
    /// The instruction.
    mnemonic: &'static str,
    /// The device.
    device: &'static str,
    /// The words that it is made of, from the first.
    words: Vec<&'static str>,
    /// The code in its opcode field.
    opcode: u32,
    /// What an ALU instruction computes.
    #[serde(skip_serializing_if = "Option::is_none")]
    alu: Option<Alu>,
    /// The fields of its words.
    fields: Vec<Place>,
    /// The rules about it.
    rules: Vec<Said>,
}

/// What an ALU instruction computes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Alu {
    /// The units that can run it.
    units: &'static str,
    /// What its sources are.
    sources: Vec<&'static str>,
    /// What its result is.
    result: &'static str,
    /// What it changes beside its destination; left out where that is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<&'static str>,
    /// The slots of a group that one operation takes.
    slots: usize,
}

/// An instruction in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Listed {
    /// The words that it is made of, from the first.
    words: Vec<&'static str>,
    /// The code in its opcode field.
    opcode: u32,
    /// The instruction.
    mnemonic: &'static str,
    /// What an ALU instruction computes.
    #[serde(skip_serializing_if = "Option::is_none")]
    alu: Option<Alu>,
    /// Number of rules about it.
    rules: usize,
}

/// An instruction of any clause.
#[derive(Debug, Clone, Copy)]
enum Opcode {
    ControlFlow(CfOpcode),
    Alu(AluOpcode),
    Fetch(FetchOpcode),
}

impl Opcode {
    /// Every instruction, by clause.
    fn all() -> impl Iterator<Item = Self> {
        let control_flow = CfOpcode::ALL.iter().copied().map(Self::ControlFlow);
        let alu = AluOpcode::ALL.iter().copied().map(Self::Alu);
        control_flow.chain(alu).chain(FetchOpcode::ALL.iter().copied().map(Self::Fetch))
    }

    const fn mnemonic(self) -> &'static str {
        match self {
            Self::ControlFlow(opcode) => opcode.mnemonic(),
            Self::Alu(opcode) => opcode.mnemonic(),
            Self::Fetch(opcode) => opcode.mnemonic(),
        }
    }

    const fn code(self) -> u32 {
        match self {
            Self::ControlFlow(opcode) => opcode.code(),
            Self::Alu(opcode) => opcode.row().code,
            Self::Fetch(opcode) => opcode.code(),
        }
    }

    const fn format(self) -> Format {
        match self {
            Self::ControlFlow(opcode) => match opcode.format() {
                CfFormat::Plain => CfWord::FORMAT,
                CfFormat::Alu => CfAluWord::FORMAT,
                CfFormat::Export => ExportSwizzle::FORMAT,
                CfFormat::Memory => ExportBuffer::FORMAT,
            },
            Self::Alu(opcode) => match opcode.row().format {
                AluFormat::Op2 => AluOp2::FORMAT,
                AluFormat::Op3 => AluOp3::FORMAT,
            },
            Self::Fetch(opcode) => match opcode.format() {
                FetchFormat::Vertex => VertexFetch::FORMAT,
                FetchFormat::Semantic => SemanticFetch::FORMAT,
                FetchFormat::Texture => TextureFetch::FORMAT,
                FetchFormat::MemoryRead => MemoryRead::FORMAT,
                FetchFormat::LocalWrite => LocalWrite::FORMAT,
                FetchFormat::LocalRead => LocalRead::FORMAT,
            },
        }
    }

    fn words(self) -> Vec<&'static str> {
        let mut words: Vec<_> = self.format().fields.iter().map(|field| field.word).collect();
        words.dedup();
        words
    }

    fn alu(self) -> Option<Alu> {
        let Self::Alu(opcode) = self else { return None };
        let row = opcode.row();
        Some(Alu {
            units: match row.units {
                Units::Any => "any",
                Units::Vector => "x, y, z, w",
                Units::Trans => "trans",
            },
            sources: row.sources.iter().copied().map(name_of).collect(),
            result: name_of(row.result),
            changes: match row.role {
                Role::Plain => None,
                Role::Predicate => Some("predicate"),
                Role::Kill => Some("valid pixels"),
                Role::Address => Some("address register"),
            },
            slots: row.slots,
        })
    }

    /// The rules of which a part of the name is the instruction's.
    fn rules(self) -> Vec<Said> {
        let name = self.mnemonic().to_ascii_lowercase().replace('_', "-");
        let is_about = |id: &str| id.starts_with("r700.") && id.split('.').any(|part| part == name);
        let about = RULES.iter().filter(|rule| is_about(rule.id));
        about.map(|rule| Said { id: rule.id, level: rule.level, rule: rule.rule }).collect()
    }
}

const fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::F32 => "f32",
        Kind::F64 => "f64",
        Kind::I32 => "i32",
        Kind::U32 => "u32",
        Kind::Bits => "bits",
        Kind::Address => "signed 9-bit index",
        Kind::None => "none",
    }
}

/// The names of all instructions.
pub(crate) fn mnemonics() -> impl Iterator<Item = &'static str> {
    Opcode::all().map(Opcode::mnemonic)
}

/// All instructions, by clause.
pub(crate) fn list() -> Vec<Listed> {
    let listed = |opcode: Opcode| Listed {
        words: opcode.words(),
        opcode: opcode.code(),
        mnemonic: opcode.mnemonic(),
        alu: opcode.alu(),
        rules: opcode.rules().len(),
    };
    Opcode::all().map(listed).collect()
}

pub(crate) fn list_text(all: &[Listed]) -> String {
    let headings = ["last word", ">code", "instruction", "units", "sources", "result", ">rules"];
    let mut table = Table::new(&headings);
    for listed in all {
        let alu = listed.alu.as_ref();
        table.row([
            listed.words.last().copied().unwrap_or_default().to_owned(),
            listed.opcode.to_string(),
            listed.mnemonic.to_owned(),
            alu.map_or_else(String::new, |alu| alu.units.to_owned()),
            alu.map_or_else(String::new, |alu| alu.sources.join(", ")),
            alu.map_or_else(String::new, |alu| alu.result.to_owned()),
            listed.rules.to_string(),
        ]);
    }
    table.to_string()
}

impl Sheet {
    /// The sheet of an instruction by its name in the manual, in upper or lower case.
    pub(crate) fn of(mnemonic: &str) -> Option<Self> {
        let mut all = Opcode::all();
        let opcode = all.find(|opcode| opcode.mnemonic().eq_ignore_ascii_case(mnemonic))?;
        Some(Self {
            mnemonic: opcode.mnemonic(),
            device: "rv770",
            words: opcode.words(),
            opcode: opcode.code(),
            alu: opcode.alu(),
            fields: places(opcode.format()),
            rules: opcode.rules(),
        })
    }

    /// The sheet for people.
    pub(crate) fn text(&self) -> String {
        let mut sections =
            vec![("code", vec![self.opcode.to_string()]), ("words", vec![self.words.join(", ")])];
        sections.extend(self.alu.iter().map(|alu| ("operation", alu.lines())));
        sections.push(("fields", self.fields.iter().map(Place::line).collect()));
        sections.push(("values", self.fields.iter().flat_map(Place::values).collect()));
        sections.push(("rules", self.rules.iter().map(Said::line).collect()));
        sections.retain(|(_, lines)| !lines.is_empty());
        printed(self.mnemonic, self.device, sections)
    }
}

impl Alu {
    fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("units    {}", self.units),
            format!("sources  {}", self.sources.join(", ")),
            format!("result   {}", self.result),
        ];
        lines.extend(self.changes.map(|changes| format!("changes  {changes}")));
        if self.slots > 1 {
            lines.push(format!("slots    {}", self.slots));
        }
        lines
    }
}

/// The fields of a format, with what their values stand for.
fn places(format: Format) -> Vec<Place> {
    let (rows, values) = (MicrocodeField::all(), FieldValue::all());
    let place = |field: &Field| {
        let row = rows.iter().find(|row| row.word == field.word && row.name == field.name);
        let bits = match (field.high, field.low) {
            (high, low) if high == low => format!("{high}"),
            (high, low) => format!("{high}:{low}"),
        };
        let values = row.map_or_else(Vec::new, |row| readings(row, &values));
        Place { name: field.name, bits: format!("{} {bits}", field.word), values }
    };
    format.fields.iter().map(place).collect()
}

/// What the values of a field stand for, as far as the manual names them: `see BANK_SWIZZLE` is `BANK_SWIZZLE(vector)`
/// and `BANK_SWIZZLE(scalar)`, and of `0..5, see SEL(3)` only the first six values are the field's.
fn readings(row: &MicrocodeField, values: &[FieldValue]) -> Vec<Values> {
    let (range, kinds) = row.values.split_once("see ").unwrap_or(("", &row.name));
    let largest = range.split([',', ' ']).next().and_then(|range| range.split_once(".."));
    let largest = largest.and_then(|(_, largest)| largest.parse().ok()).unwrap_or(u32::MAX);
    let is_named = |name: &str| !["reserved", "(undefined)", "-"].contains(&name);
    let mut readings: Vec<(&str, Vec<Code>)> = Vec::new();
    for FieldValue { field, value, name } in values {
        let of_kind = |kind: &str| {
            let rest = field.strip_prefix(kind);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('('))
        };
        let Ok(value) = value.parse() else { continue };
        if kinds.split(" / ").any(of_kind) && is_named(name) && value <= largest {
            let code = Code { value, meaning: name.clone() };
            match readings.iter_mut().find(|(reading, _)| reading == field) {
                Some((_, codes)) => codes.push(code),
                None => readings.push((field, vec![code])),
            }
        }
    }
    let are_several = readings.len() > 1;
    let of = |field: &str| match field.split_once('(') {
        Some((_, of)) if are_several => of.trim_end_matches(')').to_owned(),
        _ => String::new(),
    };
    readings.into_iter().map(|(field, codes)| Values { of: of(field), codes }).collect()
}
