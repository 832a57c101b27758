//! What the instructions of a group must be to each other (sections 4.3 to 4.9 and 9.2).

use parallax_spec::rule_id;

use super::{
    Findings, Settings, alu, breaks, ports,
    units::{self, Placed, Unit},
};
use crate::r700::{
    case::ProgramType,
    instruction::{Alu, Group, Operand},
    opcode::{AluFormat, AluOpcode, Kind, Role},
    source::Source,
};

/// `INDEX_MODE` of the address register: the element of AR, 0 to 3.
const INDEX_AR: std::ops::RangeInclusive<u32> = 0..=3;
/// `INDEX_MODE` of the address register on absolute registers.
const INDEX_GLOBAL_AR_X: u32 = 6;

pub(super) fn check(start: u32, group: &Group, settings: &Settings, findings: &mut Findings) {
    let placed = units::assign(start, group, settings.prefer_vector, findings);
    for instruction in &placed {
        alu::check(instruction, findings);
    }
    ports::check(&placed, findings);
    reductions(&placed, findings);
    doubles(&placed, findings);
    predicates_and_kills(&placed, settings, findings);
    address_register(&placed, findings);
}

/// The instruction in a vector unit.
fn in_unit(placed: &[Placed], element: u32) -> Option<&Placed> {
    placed.iter().find(|instruction| instruction.unit == Unit::Vector(element))
}

fn reductions(placed: &[Placed], findings: &mut Findings) {
    let Some(first) = placed.iter().find(|instruction| instruction.opcode.is_reduction()) else {
        return;
    };
    let (name, address) = (first.opcode.mnemonic(), first.address);
    let four: Vec<&Placed> = (0..4)
        .filter_map(|element| in_unit(placed, element))
        .filter(|instruction| instruction.opcode == first.opcode)
        .collect();
    if four.len() < 4 {
        breaks!(
            findings,
            address,
            ["r700.alu.class.reduction.all-four", "r700.aluinst.group.reduction-four"],
            "{name} must stand in all of X, Y, Z and W"
        );
        return;
    }
    let modifiers = |instruction: &Placed| (instruction.alu.omod(), instruction.alu.clamp());
    if four.iter().any(|instruction| modifiers(instruction) != modifiers(first)) {
        breaks!(
            findings,
            address,
            ["r700.alu.class.reduction.same-mods", "r700.aluinst.group.reduction-omod"],
            "the four {name} must have the same output scale and the same CLAMP"
        );
    }
    if first.opcode == AluOpcode::Cube {
        cube(&four, findings);
    }
}

/// The elements of the direction that `CUBE` takes in X, Y, Z, W: src0 .zzxy, src1 .yxzz.
fn cube(four: &[&Placed], findings: &mut Findings) {
    const ELEMENTS: [[u8; 2]; 4] = [[2, 1], [2, 0], [0, 2], [1, 2]];
    for (instruction, elements) in four.iter().zip(ELEMENTS) {
        let operands = instruction.alu.operands();
        // Literals and constants of the instruction set are the same in every element.
        let is_vector = |operand: &Operand| {
            !matches!(operand.source, Some(Source::Literal | Source::Inline(_)))
        };
        let mut reads = operands.iter().zip(elements);
        if reads.any(|(operand, element)| is_vector(operand) && operand.element != element) {
            breaks!(
                findings,
                instruction.address,
                ["r700.aluinst.cube.swizzles"],
                "CUBE of a direction R takes R.zzxy and R.yxzz in X, Y, Z, W"
            );
        }
    }
}

/// What one double-precision operation says.
struct Double<'a> {
    opcode: AluOpcode,
    slots: Vec<&'a Placed>,
}

fn doubles(placed: &[Placed], findings: &mut Findings) {
    let mut seen = 0u32;
    for first in placed.iter().filter(|instruction| instruction.opcode.double_slots() > 0) {
        let Unit::Vector(element) = first.unit else { continue };
        if seen >> element & 1 == 1 {
            continue;
        }
        let elements = match (first.opcode.double_slots(), element) {
            (4, _) => 0..4,
            (_, 0 | 1) => 0..2,
            _ => 2..4,
        };
        seen |= elements.clone().fold(0, |mask, element| mask | 1 << element);
        let slots: Vec<&Placed> = elements
            .filter_map(|element| in_unit(placed, element))
            .filter(|instruction| instruction.opcode == first.opcode)
            .collect();
        if slots.len() < first.opcode.double_slots() {
            incomplete(first, findings);
        } else {
            double_modifiers(&Double { opcode: first.opcode, slots }, findings);
        }
    }
}

fn incomplete(first: &Placed, findings: &mut Findings) {
    let name = first.opcode.mnemonic();
    if first.opcode == AluOpcode::Frexp64 {
        breaks!(
            findings,
            first.address,
            ["r700.aluinst.f64.four-complete", "r700.alu.dp.slots", "r700.aluinst.frexp-64.slots"],
            "{name} must stand in all of X, Y, Z and W"
        );
    } else if first.opcode.double_slots() == 4 {
        breaks!(
            findings,
            first.address,
            ["r700.aluinst.f64.four-complete", "r700.alu.dp.slots"],
            "{name} must stand in all of X, Y, Z and W"
        );
    } else {
        breaks!(
            findings,
            first.address,
            ["r700.aluinst.f64.pair-complete", "r700.alu.dp.slots"],
            "{name} must stand in X and Y or in Z and W"
        );
    }
}

fn double_modifiers(double: &Double<'_>, findings: &mut Findings) {
    let name = double.opcode.mnemonic();
    let signs = |placed: &Placed| -> Vec<(bool, bool)> {
        placed.alu.operands().iter().map(|o| (o.negate, o.absolute)).collect()
    };
    let has_signs = |placed: &Placed| {
        signs(placed).contains(&(true, false)) || signs(placed).iter().any(|s| s.1)
    };
    let first = double.slots[0];
    if double.slots.len() == 2 {
        if has_signs(double.slots[1]) {
            breaks!(
                findings,
                double.slots[1].address,
                ["r700.aluinst.f64.input-modifier-slot"],
                "- and | | of {name} stand in its first slot, which reads the high dwords"
            );
        }
    } else if double.opcode != AluOpcode::Frexp64 {
        let agree = double.slots[1..3].iter().all(|slot| signs(slot) == signs(first));
        if !agree || has_signs(double.slots[3]) {
            breaks!(
                findings,
                first.address,
                ["r700.aluinst.f64.input-modifier-four"],
                "- and | | of {name} are the same in X, Y and Z and absent in W"
            );
        }
    }
    for slot in &double.slots {
        let Unit::Vector(element) = slot.unit else { continue };
        if element % 2 == 1 && (slot.alu.omod() != 0 || slot.alu.clamp() != 0) {
            let mut rules = vec![rule_id!("r700.aluinst.f64.output-modifier-slot")];
            if double.opcode.row().format == AluFormat::Op3 {
                rules.push(rule_id!("r700.aluinst.muladd-64.clamp"));
            }
            let message = format!("output scale and CLAMP of {name} stand in X or Z");
            findings.add(slot.address, &rules, message);
        }
    }
}

/// The predicates of a group; one of double precision takes two slots.
fn predicates(placed: &[Placed]) -> Vec<&Placed> {
    let is_second_slot = |predicate: &Placed| {
        predicate.opcode.double_slots() == 2 && matches!(predicate.unit, Unit::Vector(1 | 3))
    };
    let predicates = placed.iter().filter(|p| p.opcode.row().role == Role::Predicate);
    predicates.filter(|predicate| !is_second_slot(predicate)).collect()
}

/// Whether two predicates of double precision leave predicate and active mask to at most one of them:
/// that X, Y and Z, W then each have their result, sections 9.2 and 4.8.1.1 do not contradict.
fn computes_only(predicates: &[&Placed], placed: &[Placed]) -> bool {
    let updates = |predicate: &Placed| {
        let is_slot = |other: &&Placed| match (predicate.unit, other.unit) {
            (Unit::Vector(first), Unit::Vector(second)) => first / 2 == second / 2,
            _ => false,
        };
        let mut slots = placed.iter().filter(is_slot);
        slots.any(|slot| slot.alu.update_pred() || slot.alu.update_execute_mask())
    };
    let updating = predicates.iter().filter(|predicate| updates(predicate)).count();
    updating < 2 && predicates.iter().all(|predicate| predicate.opcode.double_slots() == 2)
}

fn predicates_and_kills(placed: &[Placed], settings: &Settings, findings: &mut Findings) {
    let of_role = |role: Role| placed.iter().filter(move |p| p.opcode.row().role == role);
    let kills: Vec<&Placed> = of_role(Role::Kill).collect();
    let predicates = predicates(placed);
    if let [first, second, ..] = predicates[..]
        && !computes_only(&[first, second], placed)
    {
        let mut rules = vec![rule_id!("r700.aluinst.group.pred-pred")];
        for predicate in [first, second] {
            rules.extend(match predicate.opcode {
                AluOpcode::PredSete64 => Some(rule_id!("r700.aluinst.pred-sete-64.coissue")),
                AluOpcode::PredSetge64 => Some(rule_id!("r700.aluinst.pred-setge-64.coissue")),
                AluOpcode::PredSetgt64 => Some(rule_id!("r700.aluinst.pred-setgt-64.coissue")),
                _ => None,
            });
        }
        rules.dedup();
        let name = second.opcode.mnemonic();
        findings.add(
            second.address,
            &rules,
            format!("{name} is the second predicate of its group: at most one is allowed"),
        );
    }
    if let ([predicate, ..], [kill, ..]) = (&predicates[..], &kills[..]) {
        breaks!(
            findings,
            kill.address,
            ["r700.aluinst.group.pred-kill"],
            "{} cannot share a group with {}",
            kill.opcode.mnemonic(),
            predicate.opcode.mnemonic()
        );
    }
    if let [_, second, ..] = kills[..] {
        breaks!(
            findings,
            second.address,
            ["r700.aluinst.group.kill-kill"],
            practice "r700-several-kills",
            "{} is the second kill of its group: at most one is allowed",
            second.opcode.mnemonic()
        );
    }
    if let [kill, ..] = kills[..]
        && settings.is_other_than(&[ProgramType::Pixel])
    {
        breaks!(
            findings,
            kill.address,
            ["r700.alu.kill.ps", "r700.aluinst.group.kill-ps-only"],
            "{} belongs to pixel shaders",
            kill.opcode.mnemonic()
        );
    }
}

/// How an instruction uses the address register.
pub(super) struct AddressUse {
    /// `INDEX_MODE`.
    pub(super) mode: u32,
    /// Elements of AR that are read.
    pub(super) elements: u32,
}

/// The use of the address register by an instruction's relative operands, if it has any.
pub(super) fn address_use(alu: Alu) -> Option<AddressUse> {
    let mode = alu.index_mode();
    if !INDEX_AR.contains(&mode) && mode != INDEX_GLOBAL_AR_X {
        return None;
    }
    let mut elements = 0;
    for operand in alu.operands().iter().filter(|operand| operand.relative) {
        elements |= match operand.source {
            Some(Source::Gpr(_)) => 1,
            Some(Source::Constant(_) | Source::Kcache(..)) => 1 << (mode % INDEX_GLOBAL_AR_X),
            _ => 0,
        };
    }
    if alu.dst_rel() == 1 && alu.write_mask() {
        elements |= 1;
    }
    (elements != 0).then_some(AddressUse { mode, elements })
}

fn address_register(placed: &[Placed], findings: &mut Findings) {
    let writes = placed.iter().any(|p| p.opcode.row().result == Kind::Address);
    let mut mode = None;
    for instruction in placed {
        let Some(usage) = address_use(instruction.alu) else { continue };
        let (name, address) = (instruction.opcode.mnemonic(), instruction.address);
        if writes {
            let mut rules = vec![
                rule_id!("r700.alu.rel.ar.not-with-mova"),
                rule_id!("r700.aluinst.mova.group-index"),
            ];
            if instruction.opcode.row().result == Kind::Address {
                rules.push(rule_id!("r700.alu.mova.split"));
            }
            let message = format!("{name} uses the address register in a group that writes it");
            findings.add(address, &rules, message);
        }
        let kcache =
            instruction.alu.operands().into_iter().any(|operand| {
                operand.relative && matches!(operand.source, Some(Source::Kcache(..)))
            });
        if kcache {
            breaks!(
                findings,
                address,
                ["r700.alu.rel.ar-kcache"],
                "{name} indexes the constant cache with the address register: only aL may (INDEX_LOOP)"
            );
        }
        if *mode.get_or_insert(usage.mode) != usage.mode {
            breaks!(
                findings,
                address,
                ["r700.alu.rel.ar.one-element"],
                "{name} uses another element of the address register than the rest of its group"
            );
        }
    }
}
