//! What two decoders take a word for, where no run tells: codes of types that the device refuses, of
//! functions and branches that end a run as undefined, of what is waited for. Each decoder says it by its
//! own tables.

use std::sync::LazyLock;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        DataType, Instruction, Opcode, Reading,
        opcode::Format,
        operand::Source,
        scoreboard::{Scoreboard, Token},
    },
};
use parallax_spec::{
    RuleId, coverage, family,
    rows::{Row, Table},
    rule_id,
};

/// Marks the rules that the reading of an instruction decides.
pub(super) fn count(device: Device, instruction: &Instruction, reading: &Reading) {
    // Decision D-eu-reading.
    let Some(generation) = device.generation() else { return };
    let is_gen12 = generation == Generation::Gen12;
    match instruction.opcode {
        Opcode::Brd | Opcode::Brc if generation == Generation::Gen7 => {
            coverage::hit(rule_id!("gen7.gen.ivb-brc-brd"));
        }
        Opcode::Brd if is_gen12 && reading.distances[0].is_some() => {
            coverage::hit(rule_id!("dg1.opcode.brd"));
        }
        Opcode::Brc if is_gen12 && reading.distances[1].is_some() => {
            coverage::hit(rule_id!("dg1.opcode.brc"));
        }
        _ => {}
    }
    if !is_gen12 {
        return;
    }
    match reading.function {
        Some("invm") => coverage::hit(rule_id!("dg1.math.code-1110b")),
        Some("rsqtm") => coverage::hit(rule_id!("dg1.math.code-1111b")),
        _ => {}
    }
    scoreboard(reading.scoreboard).into_iter().for_each(coverage::hit);
    types(instruction, reading);
}

/// The rule of what an instruction waits for.
fn scoreboard(scoreboard: Scoreboard) -> Option<RuleId> {
    match (scoreboard.distance, scoreboard.token) {
        (0, None) => None,
        (_, None) => Some(rule_id!("gen12.isa.swsb.regdist")),
        (0, Some(Token::Destination(_))) => Some(rule_id!("gen12.isa.swsb.dst")),
        (0, Some(Token::Source(_))) => Some(rule_id!("gen12.isa.swsb.src")),
        (0, Some(Token::Set(_))) => Some(rule_id!("gen12.isa.swsb.set")),
        (_, Some(_)) => Some(rule_id!("gen12.isa.swsb.combo")),
    }
}

/// The rules of a type of 64 bits: of a register, of an immediate, among three sources.
struct Wide {
    data_type: DataType,
    register: RuleId,
    immediate: RuleId,
    ternary: RuleId,
}

static WIDE: LazyLock<[Wide; 3]> = LazyLock::new(|| {
    let of = |data_type, code: &str, kind: &str| {
        let rule = |id: String| family::rule(&id);
        Wide {
            data_type,
            register: rule(format!("dg1.regtype.code-0{code}")),
            immediate: rule(format!("dg1.immtype.code-0{code}")),
            ternary: rule(format!("dg1.ternary.code-{code}.{kind}")),
        }
    };
    let df = |enumeration: &str| family::rule(&format!("dg1.{enumeration}.code-1011b"));
    [
        of(DataType::Uq, "011b", "int"),
        of(DataType::Q, "111b", "int"),
        Wide {
            register: df("regtype"),
            immediate: df("immtype"),
            ..of(DataType::Df, "011b", "float")
        },
    ]
});

/// The row of immediates of 64 bits.
const WIDE_IMMEDIATE: Row = match Table::of(RuleId::named("gen12.isa.enc.imm")) {
    Some(table) => table.row(1),
    None => panic!("it is a table"),
};

/// Marks the rules of types of 64 bits, which both engines refuse by name.
fn types(instruction: &Instruction, reading: &Reading) {
    let is_ternary = instruction.opcode.format_on(Generation::Gen12) == Format::Ternary;
    for (place, data_type) in reading.types.iter().enumerate() {
        let Some(wide) = WIDE.iter().find(|wide| Some(wide.data_type) == *data_type) else {
            continue;
        };
        let source = place.checked_sub(1).map(|number| &instruction.sources[number]);
        coverage::hit(match source {
            _ if is_ternary => wide.ternary,
            Some(Source::Immediate { .. }) => {
                coverage::hit_row(WIDE_IMMEDIATE);
                wide.immediate
            }
            _ => wide.register,
        });
    }
}
