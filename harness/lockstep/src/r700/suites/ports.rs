//! The suite `r700-ports`: groups with any bank swizzles. What legality says is loaded through the read ports on
//! which cycle, or that it cannot be, is compared with what the executor says of the machine code.

use parallax_executor::r700::ports as executor;
use parallax_isa::r700::{
    AluOpcode, Group, Source,
    legality::{self, Loads},
    source::Inline,
};
use parallax_rules::r700::observe_ports;
use parallax_spec::{
    RuleId,
    coverage::{self, Weight},
    rule_id,
};

use crate::{
    r700::generate::{
        opcodes::FAMILIES,
        slot::{self, Operand, Slot},
    },
    random::SplitMix64,
    suites::comparison::{Comparison, Counts, Mismatch},
};

/// Groups of a seed.
const GROUPS: usize = 64;

/// What an engine says of a group's dwords.
type Answer = fn(&[u32], bool) -> Option<Loads>;

/// The ports of an engine.
pub(super) struct Ports(Answer);

impl Ports {
    pub(super) fn new() -> Self {
        Self(executor::loads)
    }
}

impl Comparison for Ports {
    fn compare(&mut self, seed: u64, counts: &mut Counts) -> Result<(), Box<Mismatch>> {
        let mut random = SplitMix64::new(seed);
        for (rule, slots, is_legal) in examples() {
            let group = of_slots(&slots);
            // What the manual says of an example is held against both.
            assert_eq!(legality::loads(&group, true).is_some(), is_legal, "{rule}");
            coverage::drop_marks();
            coverage::hit(rule);
            self.group(&group, true, counts)?;
        }
        for _ in 0..GROUPS {
            let slots = slots(&mut random);
            self.group(&of_slots(&slots), random.below(2) == 0, counts)?;
        }
        Ok(())
    }
}

impl Ports {
    fn group(
        &self,
        group: &Group,
        prefer_vector: bool,
        counts: &mut Counts,
    ) -> Result<(), Box<Mismatch>> {
        observe_ports(group, prefer_vector);
        let expected = legality::loads(group, prefer_vector);
        let actual = (self.0)(&group.dwords(), prefer_vector);
        counts.instructions += group.instructions.len() as u64;
        counts.comparisons += 1;
        if expected == actual {
            coverage::finalize(Weight::Exact);
            return Ok(());
        }
        let instruction = format!("{group:?}");
        let [expected, actual] = [format!("{expected:?}"), format!("{actual:?}")];
        Err(Box::new(Mismatch {
            kind: "ports".to_owned(),
            location: "registers by cycle and element".to_owned(),
            text: format!("{instruction}\n  expected {expected}\n  actual   {actual}"),
            instruction,
            expected,
            actual,
        }))
    }
}

/// An instruction, the code of its bank swizzle, and its unit's place in the group.
type Swizzled = (Slot, u8);

fn of_slots(slots: &[Swizzled]) -> Group {
    let instructions = slots.iter().enumerate();
    let instructions = instructions
        .map(|(at, (slot, code))| slot::instruction(slot, *code, at + 1 == slots.len()))
        .collect::<Vec<_>>();
    let literals = instructions.iter().map(|alu| alu.literal_slots()).max().unwrap_or(0);
    Group { instructions, literals: vec![0; 2 * literals] }
}

/// Instructions of some vector units, and perhaps of Trans behind them.
fn slots(random: &mut SplitMix64) -> Vec<Swizzled> {
    let mut slots = Vec::new();
    for element in 0..4 {
        if random.below(2) == 0 {
            slots.push((slot::bare(random.pick(&FAMILIES.any), element), random.below(4) as u8));
        }
    }
    if slots.is_empty() || random.below(2) == 0 {
        let element = random.below(4) as usize;
        slots.push((slot::bare(random.pick(&FAMILIES.trans), element), random.below(4) as u8));
    } else if let Some((last, _)) = slots.last_mut() {
        // One that no other unit runs stays where it is, with swizzles that Trans does not have.
        last.opcode = AluOpcode::Cube;
    }
    for (slot, code) in &mut slots {
        if slot.opcode == AluOpcode::Cube {
            *code = random.below(6) as u8;
        }
        let number = slot.opcode.row().sources.len();
        slot.sources = (0..number).map(|_| source(random)).collect();
        if number > 1 && random.below(4) == 0 {
            let from = random.below(number as u64) as usize;
            slot.sources[number - 1] = slot.sources[from];
        }
    }
    slots
}

/// A source: mostly one of few registers.
fn source(random: &mut SplitMix64) -> Operand {
    let source = match random.below(16) {
        0 => Source::Constant(random.below(3) as u8),
        1 => Source::Inline(Inline::Zero),
        2 => Source::PreviousVector,
        3 => Source::Literal,
        _ => Source::Gpr(random.below(3) as u8),
    };
    let element = random.below(4) as u8;
    let relative = random.below(16) == 0 && matches!(source, Source::Gpr(_));
    Operand { source, element, relative, ..Operand::ZERO }
}

/// The manual's examples: their rule, the group, and whether it can be loaded.
fn examples() -> Vec<(RuleId, Vec<Swizzled>, bool)> {
    const VEC_012: u8 = 0;
    const VEC_120: u8 = 2;
    const VEC_102: u8 = 3;
    const VEC_201: u8 = 4;
    const VEC_210: u8 = 5;
    const SCL_210: u8 = 0;
    const SCL_221: u8 = 3;
    // An instruction of a unit on registers and elements.
    let of = |element: usize, sources: &[(u8, u8)], code: u8| -> Swizzled {
        let (unit, opcode) = match (element, sources.len()) {
            (4, _) => (0, AluOpcode::MulloInt),
            (unit, 3) => (unit, AluOpcode::Muladd),
            (unit, _) => (unit, AluOpcode::Mul),
        };
        let mut slot = slot::bare(opcode, unit);
        let operand = |(register, element): &(u8, u8)| Operand {
            source: Source::Gpr(*register),
            element: *element,
            ..Operand::ZERO
        };
        slot.sources = sources.iter().map(operand).collect();
        (slot, code)
    };
    const X: u8 = 0;
    const Y: u8 = 1;
    const Z: u8 = 2;
    const W: u8 = 3;
    vec![
        (
            rule_id!("r700.alu.rpm.ex.two-cycles"),
            vec![of(0, &[(1, X), (2, X), (1, X)], VEC_012)],
            true,
        ),
        (
            rule_id!("r700.alu.rpm.ex.legal1"),
            vec![of(0, &[(1, X), (1, X)], VEC_012), of(1, &[(1, Y), (1, Y)], VEC_120)],
            true,
        ),
        (
            rule_id!("r700.alu.rpm.ex.legal2"),
            vec![
                of(0, &[(1, X), (1, X)], VEC_012),
                of(1, &[(1, Y), (1, Y)], VEC_102),
                of(2, &[(2, Y), (2, X)], VEC_012),
            ],
            true,
        ),
        (
            rule_id!("r700.alu.rpm.ex.illegal"),
            vec![
                of(0, &[(1, X), (2, X)], VEC_012),
                of(1, &[(3, X), (1, Y)], VEC_012),
                of(2, &[(2, X), (1, Y)], VEC_012),
            ],
            false,
        ),
        (
            rule_id!("r700.alu.rpm.ex.fixed"),
            vec![
                of(0, &[(1, X), (2, X)], VEC_012),
                of(1, &[(3, X), (1, Y)], VEC_201),
                of(2, &[(2, X), (1, Y)], VEC_102),
            ],
            true,
        ),
        (
            rule_id!("r700.alu.rpm.ex.trans1"),
            vec![
                of(0, &[(1, X), (2, X)], VEC_012),
                of(1, &[(3, X), (1, Y)], VEC_210),
                of(4, &[(3, Z), (3, W)], SCL_221),
            ],
            true,
        ),
        (
            rule_id!("r700.alu.rpm.ex.trans2"),
            vec![
                of(0, &[(1, X), (2, X)], VEC_210),
                of(1, &[(3, X), (1, Y)], VEC_012),
                of(4, &[(1, X), (1, Y)], SCL_210),
            ],
            true,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_found(answer: Answer) -> bool {
        let mut ports = Ports(answer);
        (0..20).any(|seed| ports.compare(seed, &mut Counts::default()).is_err())
    }

    /// The executor's answer for a group with other bits of its second dwords.
    fn changed(dwords: &[u32], change: fn(u32) -> u32) -> Option<Loads> {
        let mut dwords = dwords.to_vec();
        dwords.iter_mut().skip(1).step_by(2).for_each(|word| *word = change(*word));
        executor::loads(&dwords, true)
    }

    #[test]
    fn both_agree() {
        assert!(!is_found(executor::loads));
    }

    #[rstest::rstest]
    #[case::no_swizzle(|dwords: &[u32], _: bool| changed(dwords, |word| word & !(7 << 18)))]
    #[case::no_high_bit(|dwords: &[u32], _: bool| changed(dwords, |word| word & !(4 << 18)))]
    #[case::other_units(|dwords: &[u32], prefer_vector: bool| executor::loads(dwords, !prefer_vector))]
    #[case::always_free(|dwords: &[u32], prefer: bool| executor::loads(dwords, prefer).or(Some(Loads::default())))]
    #[case::other_cycle(|dwords: &[u32], prefer: bool| executor::loads(dwords, prefer).map(|[a, b, c]| [b, a, c]))]
    #[case::other_element(|dwords: &[u32], prefer: bool| executor::loads(dwords, prefer).map(|mut loads| {
        loads[0].swap(0, 1);
        loads
    }))]
    fn wrong_ports_are_found(#[case] answer: Answer) {
        assert!(is_found(answer));
    }
}
