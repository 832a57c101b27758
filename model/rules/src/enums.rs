//! The enumerations of DG1 that belong to no instruction: what each code stands for.

use std::sync::LazyLock;

use parallax_isa::device::Generation::Gen12;
use parallax_spec::RuleId;

use crate::{Rule, codes::Codes};

pub use crate::codes::Enumeration;

/// Counts the rules that decide what a code stands for.
pub fn observe(of: Enumeration, code: u8) {
    for rule in RULES.iter().filter(|rule| rule.holds_of_code(of, code) == Some(true)) {
        rule.count();
    }
}

/// Topologies that are no patches, from code 1 on.
const TOPOLOGIES: [&str; 22] = [
    "pointlist",
    "linelist",
    "linestrip",
    "trilist",
    "tristrip",
    "trifan",
    "quadlist",
    "quadstrip",
    "linelist-adj",
    "linestrip-adj",
    "trilist-adj",
    "tristrip-adj",
    "tristrip-reverse",
    "polygon",
    "rectlist",
    "lineloop",
    "pointlist-bf",
    "linestrip-cont",
    "linestrip-bf",
    "linestrip-cont-bf",
    "reserved-15",
    "trifan-nostipple",
];

/// The code of patches of one control point.
const FIRST_PATCH: u8 = 0x20;

/// The rules, by the codes they are about; what is reserved has none.
pub(crate) static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    use Enumeration::{
        BarrierType, FixedFunction, Precision, SimdMode, Stages, Topology, WrapShortest,
    };
    let mut rules = Vec::new();
    let mut add = |id: String, of, first, last| {
        let rule = |id| Rule::of_codes(id, Codes { of, first, last }).since(Gen12);
        rules.extend(RuleId::find(&id).map(rule));
    };
    for (code, name) in (1..).zip(TOPOLOGIES).filter(|(_, name)| !name.starts_with("reserved")) {
        add(format!("dg1.topology.{name}"), Topology, code, code);
    }
    for points in 1..=32 {
        let code = FIRST_PATCH + points - 1;
        add(format!("dg1.topology.patchlist-{points}"), Topology, code, code);
    }
    for code in 0..8 {
        add(format!("dg1.dpas.code-{code:03b}b"), Precision, code, code);
    }
    add("dg1.dpas.precision".to_owned(), Precision, 0, 7);
    for bit in (0..7).map(|bit| 1 << bit) {
        add(format!("dg1.barrier.code-{bit:#x}"), Stages, bit, bit);
    }
    add("dg1.barrier.stage-bits".to_owned(), Stages, 1, 0x7F);
    add("dg1.barrier.type".to_owned(), BarrierType, 1, 3);
    for code in 0..16 {
        add(format!("dg1.ffid.code-{code:02x}h"), FixedFunction, code, code);
    }
    for code in [0, 1, 2, 4, 5, 6] {
        add(format!("dg1.simdmode.code-{code}"), SimdMode, code, code);
    }
    add("dg1.simdmode.sampler".to_owned(), SimdMode, 0, 6);
    add("dg1.wrapshort.bits".to_owned(), WrapShortest, 1, 0b1111);
    rules
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_has_codes_that_it_decides_and_others() {
        for rule in RULES.iter() {
            let holds = |of| (0..=u8::MAX).filter_map(move |code| rule.holds_of_code(of, code));
            let all: Vec<bool> = ENUMERATIONS.into_iter().flat_map(holds).collect();
            assert!(all.contains(&true) && all.contains(&false), "{}", rule.id());
        }
        assert_eq!(RULES.len(), 21 + 32 + 9 + 8 + 1 + 9 + 7 + 1);
    }

    const ENUMERATIONS: [Enumeration; 7] = [
        Enumeration::Topology,
        Enumeration::Precision,
        Enumeration::WrapShortest,
        Enumeration::Stages,
        Enumeration::BarrierType,
        Enumeration::FixedFunction,
        Enumeration::SimdMode,
    ];
}
