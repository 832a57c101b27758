//! What a run could test: the rules that the cases of its suites could meet, on an engine that has not everything.

use std::{cell::RefCell, collections::BTreeSet};

use parallax_engine::Hello;
use parallax_isa::{Device, Machine as _, Model as _, Step, eu::Opcode};
use parallax_reference::eu::{Observed, Reference};
use parallax_rules::{Decides, Record, r700, rule_of, rules_of, surface};
use parallax_spec::{Rule, RuleId, sabotage};

use crate::eu::{
    Eu,
    outside::{cases_within, declared_by_executor, narrowed},
};

/// What is done in cases of suites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Done {
    /// Instructions of execution units are executed.
    Data,
    /// Control flow and exceptions.
    Thread,
    /// Messages to any shared function but the Sampling Engine.
    Message,
    /// Messages to the Sampling Engine.
    Sample,
    /// Examples of the manuals, each with its rules.
    Example,
    /// Text is read and written.
    Text,
    /// Machine code is read and written.
    Encoding,
    Codes,
    Units,
    Channels,
    /// Blocks of formats.
    Formats,
    /// Operations on pixels.
    Pixels,
    /// Groups of R700.
    Groups,
    Memory,
    Textures,
    Clauses,
    /// Fields of R700's machine code.
    Fields,
    Ports,
}

/// What is done in the cases of each suite; first what no suite above does. Where only the ends of long programs are
/// compared rules do not count.
const SUITES: [(&str, &[Done]); 28] = [
    ("eu", &[Done::Data]),
    ("overlap", &[Done::Data]),
    ("eu-dp4a", &[Done::Data]),
    ("eu-flow", &[Done::Thread, Done::Data]),
    ("eu-long", &[]),
    ("blocks", &[]),
    ("eu-examples", &[Done::Example]),
    ("messages", &[Done::Message]),
    ("sampler", &[Done::Sample]),
    ("targets", &[Done::Message]),
    ("kernels", &[Done::Sample, Done::Message]),
    ("eu-assembly", &[Done::Text]),
    ("eu-encoding", &[Done::Encoding, Done::Data]),
    ("eu-codes", &[Done::Encoding, Done::Data]),
    ("units", &[Done::Units]),
    ("enums", &[Done::Codes]),
    ("formats", &[Done::Formats]),
    ("rows", &[Done::Formats]),
    ("pixels", &[Done::Pixels]),
    ("channels", &[Done::Channels]),
    ("r700", &[Done::Groups]),
    ("r700-memory", &[Done::Memory]),
    ("r700-texture", &[Done::Textures]),
    ("r700-flow", &[Done::Clauses]),
    ("r700-long", &[]),
    ("r700-assembly", &[Done::Text]),
    ("r700-fields", &[Done::Fields]),
    ("r700-ports", &[Done::Ports]),
];

/// What is done in the cases of a suite.
fn done_in(suite: &str) -> &'static [Done] {
    SUITES.iter().find(|(name, _)| *name == suite).map_or(&[], |(_, done)| done)
}

/// Whether cases of a suite could meet a rule: what is done in them is what its condition is on. Of a rule without one
/// it is what is done in the suites that met it when `sabotage.csv` was written.
#[must_use]
pub fn could_meet(suite: &str, rule: &Rule) -> bool {
    let done = done_in(suite);
    let Some(id) = RuleId::find(rule.id) else { return false };
    let own = rule_of(id).map(|rule| match rule.record() {
        Record::Data => Done::Data,
        Record::Thread => Done::Thread,
        Record::Message => Done::Message,
        Record::Sample => Done::Sample,
        Record::Codes => Done::Codes,
        Record::Units => Done::Units,
    });
    let of_blocks = surface::is_of_blocks(id);
    let of_surfaces = of_blocks.map(|is| if is { Done::Formats } else { Done::Pixels });
    let mut met = sabotage::suites(rule).filter_map(|suite| done_in(suite).first());
    own.is_some_and(|own| done.contains(&own))
        || of_surfaces.is_some_and(|of| done.contains(&of))
        || own.is_none() && met.any(|of| done.contains(of))
}

/// Whether an engine has what a rule speaks of: one of its instructions or functions, and the bank that it decides.
#[must_use]
pub fn is_within(hello: &Hello, rule: &Rule) -> bool {
    let Some(id) = RuleId::find(rule.id) else { return false };
    let has_instruction = |name: &str| hello.has_instruction(name);
    let has_function = |of| hello.messages.as_ref().is_none_or(|list| list.contains(&of));
    let has_bank = |name: &str| hello.banks.iter().any(|bank| bank == name);
    let unit = Opcode::of_mnemonic(rule.unit).map(Opcode::mnemonic);
    let mut of_groups = r700::rules().filter(|rule| rule.id() == id);
    unit.is_none_or(has_instruction)
        && of_groups.all(|rule| rule.speaks_of_any(has_instruction))
        && rule_of(id).is_none_or(|rule| {
            rule.speaks_of_any(has_instruction)
                && rule.speaks_of_messages_to(has_function)
                && bank_of(rule.decides()).is_none_or(has_bank)
        })
}

/// The bank that something decided lies in.
const fn bank_of(decides: Decides) -> Option<&'static str> {
    Some(match decides {
        Decides::Flags | Decides::KeptFlags => "f",
        Decides::Accumulator | Decides::KeptAccumulator => "acc",
        Decides::Masks | Decides::KeptMasks => "mask",
        Decides::MaskStacks | Decides::KeptMaskStacks => "ms",
        Decides::Places | Decides::KeptPlaces => "pcip",
        Decides::Exceptions => "cr",
        _ => return None,
    })
}

/// Programs that show what instructions of an engine are like.
const PROGRAMS: u64 = 512;

thread_local! {
    static SEEN: RefCell<BTreeSet<RuleId>> = const { RefCell::new(BTreeSet::new()) };
}

fn look(observed: &Observed) {
    if let Observed::Data(step) = observed {
        SEEN.with_borrow_mut(|seen| seen.extend(rules_of(step).iter().map(|rule| rule.id())));
    }
}

/// What an engine declares, or the executor, limited to some instructions if any are given; `None` if that is everything.
#[must_use]
pub fn declared(device: Device, hello: Option<&Hello>, instructions: &[String]) -> Option<Hello> {
    match (hello, instructions) {
        (None, []) => None,
        (None, _) => Some(declared_by_executor(device, instructions)),
        (Some(hello), []) => Some(hello.clone()),
        (Some(hello), _) => Some(narrowed(hello, instructions)),
    }
}

/// The rules of which an instruction of an engine could meet the condition on data instructions on a device, by its
/// operation, types, operands and features: the others speak of what the engine lacks. `None` if it lacks nothing, or
/// runs no such instructions.
#[must_use]
pub fn met_within(device: Device, hello: &Hello) -> Option<BTreeSet<RuleId>> {
    let Hello { machine, instructions, types, features, .. } = hello;
    let lacks = instructions.is_some() || types.is_some() || features.is_some();
    if *machine != Eu::NAME || device.generation().is_none() || !lacks {
        return None;
    }
    SEEN.take();
    let mut reference = Reference::new().observed_by(look);
    for case in cases_within(device, hello, PROGRAMS) {
        if reference.load(&case).is_ok() {
            while reference.step() == Step::Continue {}
        }
    }
    Some(SEEN.take())
}

/// Whether a rule has a condition on data instructions.
#[must_use]
pub fn is_of_data(rule: &Rule) -> bool {
    let own = RuleId::find(rule.id).and_then(rule_of);
    own.is_some_and(|rule| rule.record() == Record::Data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::MACHINES;

    #[test]
    fn every_suite_has_a_row() {
        let devices = Device::ALL.into_iter();
        let suites = devices.flat_map(|d| MACHINES.iter().flat_map(move |m| m.suites(d)));
        let names: BTreeSet<_> = suites.map(|suite| suite.name()).collect();
        assert_eq!(names, SUITES.iter().map(|(name, _)| *name).collect());
    }

    fn rule(id: &str) -> &'static Rule {
        RuleId::find(id).expect("a rule").rule()
    }

    #[rstest::rstest]
    #[case("g45.inst.add.semantics", "overlap", "messages")]
    #[case("g45.asm.options", "eu-assembly", "eu")]
    #[case("g45.gateway.desc.notify", "messages", "sampler")]
    #[case("dg1.dpas.precision", "enums", "eu")]
    #[case("r700.alu.port.vec.map", "r700-ports", "r700-flow")]
    fn suites_meet_what_is_done_in_them(
        #[case] id: &str,
        #[case] suite: &str,
        #[case] other: &str,
    ) {
        assert!(could_meet(suite, rule(id)));
        assert!(!could_meet(other, rule(id)));
    }

    #[test]
    fn an_engine_of_some_instructions_and_types_meets_their_rules() {
        let banks = ["r", "f"];
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let hello = Hello {
            instructions: Some(
                ["mov", "add", "and", "or", "xor", "not"].map(str::to_owned).into_iter().collect(),
            ),
            types: Some(names(&["d", "ud"])),
            features: Some(Vec::new()),
            ..Hello::new("small", &["g45"], &banks)
        };
        let met = met_within(Device::G45, &hello).expect("it lacks something");
        let has = |id| {
            let is_met = !is_of_data(rule(id)) || met.iter().any(|met| met.rule().id == id);
            is_met && is_within(&hello, rule(id))
        };
        for id in ["g45.inst.add.semantics", "g45.dt.d"] {
            assert!(has(id), "{id}");
        }
        for id in ["g45.inst.mul.semantics", "g45.float.ieee.nan-propagate", "g45.acc.precision-f"]
        {
            assert!(!has(id), "{id}");
        }
    }
}
