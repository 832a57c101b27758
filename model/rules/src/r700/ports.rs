//! Read ports (sections 4.7.5 to 4.7.8): on which cycle the operands of an instruction are loaded.

use parallax_isa::r700::{
    Source,
    instruction::{Alu, Group, Operand},
    legality::{Register, Unit, units},
};
use parallax_spec::{RuleId, coverage};

/// A register that is loaded through a read port, and its element.
type Port = (Register, u8);

/// An instruction whose operands are loaded through read ports.
struct Loading {
    alu: Alu,
    unit: Unit,
    /// The ports of its operands.
    ports: Vec<Option<Port>>,
    /// Whether an instruction of another vector unit loads one of them too.
    is_shared: bool,
}

impl Loading {
    fn is_of_trans(&self) -> bool {
        self.unit == Unit::Trans
    }

    fn is_of_vector(&self) -> bool {
        !self.is_of_trans()
    }
}

fn port(operand: &Operand) -> Option<Port> {
    match operand.source? {
        Source::Gpr(number) => Some(((number, operand.relative), operand.element)),
        _ => None,
    }
}

fn has_constant(loading: &Loading) -> bool {
    let operands = loading.alu.operands();
    operands.iter().any(|operand| operand.source.is_some_and(Source::is_constant))
}

/// A rule, and its condition.
type Row = (RuleId, fn(&Loading) -> bool);

/// When each rule decides what an instruction loads.
const RULES: [Row; 12] = [
    rule("r700.alu.enc.alu_word1_op2.bank-swizzle", |l| matches!(l.alu, Alu::Op2(_))),
    rule("r700.alu.enc.alu_word1_op3.bank-swizzle", |l| matches!(l.alu, Alu::Op3(_))),
    rule("r700.alu.port.cycles", |_| true),
    rule("r700.alu.port.which-map", |_| true),
    rule("r700.alu.port.vec.map", Loading::is_of_vector),
    rule("r700.alu.port.scl.map", Loading::is_of_trans),
    rule("r700.alu.port.share-across", |l| l.is_of_vector() && l.is_shared),
    rule("r700.alu.port.const-cycle", |l| l.is_of_vector() && has_constant(l)),
    rule("r700.alu.port.same-src01", |l| {
        l.is_of_vector()
            && matches!(l.ports[..], [Some(first), Some(second), ..] if first == second)
    }),
    rule("r700.alu.port.same-src01.only", |l| {
        let is_third = |ports: &[Option<Port>]| matches!(ports, [first, second, third @ Some(_)] if [first, second].contains(&third));
        l.is_of_vector() && is_third(&l.ports)
    }),
    rule("r700.alu.port.trans.reuse", |l| l.is_of_trans() && l.is_shared),
    // Two of three swizzles load two operands on one cycle.
    rule("r700.alu.port.trans.same-cycle", |l| {
        l.is_of_trans() && l.ports.iter().flatten().count() > 1
    }),
];

const fn rule(id: &str, when: fn(&Loading) -> bool) -> (RuleId, fn(&Loading) -> bool) {
    (RuleId::named(id), when)
}

/// Counts the rules that decide what a group loads, and on which cycle.
pub fn observe_ports(group: &Group, prefer_vector: bool) {
    let placed: Vec<_> = units(group, prefer_vector).collect();
    for (alu, unit) in &placed {
        let ports: Vec<_> = alu.operands().iter().map(port).collect();
        if ports.iter().all(Option::is_none) {
            continue;
        }
        let others = placed.iter().filter(|(_, other)| *other != Unit::Trans && other != unit);
        let elsewhere: Vec<_> =
            others.flat_map(|(alu, _)| alu.operands()).filter_map(|o| port(&o)).collect();
        let is_shared = ports.iter().flatten().any(|port| elsewhere.contains(port));
        let loading = Loading { alu: *alu, unit: *unit, ports, is_shared };
        let deciding = RULES.iter().filter(|(_, when)| when(&loading));
        deciding.for_each(|(id, _)| coverage::hit(*id));
    }
}
