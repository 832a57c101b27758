//! What each instruction computes, one rule a generation: `gen7.inst.add.semantics`. Their ids are made of names that
//! the table of instructions has.

use std::sync::LazyLock;

use parallax_isa::{
    device::Generation::{Gen7, Gen8, Gen9, Gen12, Gen75},
    eu::Opcode,
};
use parallax_spec::RuleId;

use crate::Rule;

/// The rules there are, by opcode.
pub(crate) static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let generations = [("gen7", Gen7, Gen75), ("gen9", Gen8, Gen9), ("gen12", Gen12, Gen12)];
    let mut rules = Vec::new();
    for (name, first, last) in generations {
        for opcode in Opcode::ALL {
            let id = format!("{name}.inst.{}.semantics", opcode.mnemonic());
            let rule = |id| {
                Rule::of_id(id)
                    .since(first)
                    .until(last)
                    .of(std::slice::from_ref(opcode))
                    .unconditional()
            };
            rules.extend(RuleId::find(&id).map(rule));
        }
    }
    rules
});
