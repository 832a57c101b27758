//! What one ALU instruction shows by itself: modifiers, swizzles, fields it must leave alone.

use std::sync::LazyLock;

use parallax_spec::RuleId;

use super::{
    Findings, breaks, restrictions,
    units::{Placed, Unit},
};
use crate::r700::{
    instruction::Alu,
    opcode::{AluFormat, AluOpcode, AluRow, Kind, Role},
    source::Source,
};

pub(super) fn check(placed: &Placed, findings: &mut Findings) {
    input_modifiers(placed, findings);
    output_modifiers(placed, findings);
    predicate_fields(placed, findings);
    unused_literals(placed, findings);
    let Placed { alu, opcode, unit, address } = *placed;
    if unit == Unit::Trans && alu.bank_swizzle() > 3 {
        breaks!(
            findings,
            address,
            ["r700.alu.port.scl.values"],
            "BANK_SWIZZLE {} has no meaning in ALU.Trans: 0 (SCL_210) to 3 (SCL_221) have",
            alu.bank_swizzle()
        );
    }
    if unit == Unit::Trans && opcode == AluOpcode::Muladd {
        breaks!(
            findings,
            address,
            ["r700.aluinst.muladd.units"],
            practice "r700-muladd-in-trans",
            "MULADD runs in ALU.Trans, where drivers of R7xx do not put it"
        );
    }
    if opcode == AluOpcode::MovaGprInt {
        breaks!(
            findings,
            address,
            ["r700.alu.opcode.mova-gpr-int"],
            "MOVA_GPR_INT is in the list of opcodes but nowhere described"
        );
    }
}

/// The restrictions of an opcode's modifiers, if there are any, before others.
fn with_own_rule(opcode: AluOpcode, others: &[RuleId]) -> Vec<RuleId> {
    static RULES: LazyLock<Vec<Vec<RuleId>>> =
        LazyLock::new(|| restrictions(&["modifiers", "src-modifiers"]));
    [&RULES[opcode as usize], others].concat()
}

/// Logic on 32 bits: neither sign nor magnitude mean anything there.
const fn is_logic(opcode: AluOpcode) -> bool {
    matches!(opcode, AluOpcode::AndInt | AluOpcode::OrInt | AluOpcode::XorInt | AluOpcode::NotInt)
}

fn input_modifiers(placed: &Placed, findings: &mut Findings) {
    let Placed { alu, opcode, address, .. } = *placed;
    let AluRow { mnemonic, sources, .. } = opcode.row();
    for (number, (operand, kind)) in alu.operands().iter().zip(*sources).enumerate() {
        let takes = kind.is_float() && !is_logic(opcode);
        if (operand.negate || operand.absolute) && !takes {
            let rules = const {
                &[
                    parallax_spec::rule_id!("r700.alu.src.mod.int"),
                    parallax_spec::rule_id!("r700.aluinst.modifier.int-input"),
                ]
            };
            findings.add(
                address,
                &with_own_rule(opcode, rules),
                format!("source {number} of {mnemonic} is an integer, which takes no - and no | |"),
            );
        }
    }
}

fn output_modifiers(placed: &Placed, findings: &mut Findings) {
    let Placed { alu, opcode, address, .. } = *placed;
    let AluRow { mnemonic, result, .. } = opcode.row();
    if matches!(result, Kind::F32 | Kind::F64) && opcode != AluOpcode::Frexp64
        || *result == Kind::Bits && !is_logic(opcode)
    {
        return;
    }
    let what = match opcode {
        AluOpcode::Frexp64
        | AluOpcode::PredSete64
        | AluOpcode::PredSetgt64
        | AluOpcode::PredSetge64 => {
            if alu.omod() != 0 || alu.clamp() != 0 {
                breaks!(
                    findings,
                    address,
                    [
                        "r700.aluinst.f64.output-modifier-none",
                        "r700.aluinst.frexp-64.no-output-mod"
                    ],
                    "{mnemonic} takes neither an output scale nor CLAMP"
                );
            }
            return;
        }
        _ if *result == Kind::Address => "an index",
        _ if *result == Kind::None => "nothing",
        _ => "an integer",
    };
    if alu.omod() != 0 {
        let rules = const {
            &[
                parallax_spec::rule_id!("r700.alu.out.omod.int"),
                parallax_spec::rule_id!("r700.aluinst.omod.integer"),
            ]
        };
        findings.add(
            address,
            &with_own_rule(opcode, rules),
            format!("{mnemonic} yields {what}, which takes no output scale (OMOD)"),
        );
    }
    if alu.clamp() != 0 {
        let rules = const {
            &[
                parallax_spec::rule_id!("r700.alu.out.clamp.int"),
                parallax_spec::rule_id!("r700.aluinst.clamp.integer"),
            ]
        };
        findings.add(
            address,
            &with_own_rule(opcode, rules),
            format!("{mnemonic} yields {what}, which takes no CLAMP"),
        );
    }
}

fn predicate_fields(placed: &Placed, findings: &mut Findings) {
    let Placed { alu, opcode, address, .. } = *placed;
    if (alu.update_pred() || alu.update_execute_mask()) && opcode.row().role != Role::Predicate {
        breaks!(
            findings,
            address,
            ["r700.alu.pred.must-clear"],
            "{} computes no predicate: UPDATE_PRED and UPDATE_EXECUTE_MASK must be 0",
            opcode.mnemonic()
        );
    }
}

/// Literals in source fields that the opcode does not read.
fn unused_literals(placed: &Placed, findings: &mut Findings) {
    let Placed { alu, opcode, address, .. } = *placed;
    let row = opcode.row();
    let fields = match alu {
        Alu::Op2(_) => 2,
        Alu::Op3(_) => 3,
    };
    debug_assert_eq!(fields == 3, row.format == AluFormat::Op3);
    for (number, operand) in alu.encoded_operands().iter().enumerate().skip(row.sources.len()) {
        if operand.source == Some(Source::Literal) {
            breaks!(
                findings,
                address,
                ["r700.alu.literal.clear-unused"],
                "source field {number}, which {} does not read, asks for a literal",
                row.mnemonic
            );
        }
    }
}
