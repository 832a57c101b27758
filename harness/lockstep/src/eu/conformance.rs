//! The traces of a conformance set of execution units.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use parallax_engine::Hello;
use parallax_isa::{
    Device,
    device::Generation,
    eu::{Case, DataType, Instruction, Opcode, Program, register::ArfKind},
};

use super::{
    Eu, examples, flow, generate,
    generate::{Has, Operations},
    name,
    outside::{Limited, Need, needs},
};
use crate::{
    conformance::Shortest,
    outside::Limits as _,
    random::{SplitMix64, case_seed},
    wanted::{Candidate, Wanted},
};

/// Instructions of a trace, beside those that prepare for them.
const INSTRUCTIONS: usize = 6;

/// Combinations of types of one instruction; of more, those of one type and some of the others are taken.
const COMBINATIONS: usize = 24;

/// Combinations of types with which a feature is tried.
const TRIED: usize = 3;

/// Programs of all instructions that are made to find those which no operation is.
const PROGRAMS: u64 = 300;

/// What instructions may have that are as plain as can be; some have nothing plainer than the last of these.
const PLAIN: &[&[&str]] = &[
    &[],
    &["condition"],
    &["predicate"],
    &["condition", "predicate"],
    &["align16"],
    &["align16", "condition"],
    &["align16", "predicate"],
    &["architecture-registers"],
    &["architecture-registers", "align16"],
    &["architecture-registers", "accumulator-write"],
    &["indirect"],
    &["source-modifiers"],
    // Nothing is plain of these.
    &[
        "align16",
        "architecture-registers",
        "channel-groups",
        "compressed",
        "condition",
        "indirect",
        "predicate",
        "saturate",
        "source-modifiers",
    ],
];

/// What they may have besides where they show one thing more.
const BESIDE: &[&[&str]] = &[
    &[],
    &["condition", "predicate"],
    &["align16", "condition", "predicate"],
    &["architecture-registers", "condition"],
];

/// What that may be.
const SPECIAL: &[&str] = &[
    "align16",
    "indirect",
    "architecture-registers",
    "predicate",
    "condition",
    "saturate",
    "source-modifiers",
    "compact",
    "compressed",
    "channel-groups",
    "mask-control-ex",
    "accumulator-write",
];

/// An instruction and its types, first that of the destination.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    opcode: Opcode,
    /// Mnemonic, with its function if it has one.
    name: String,
    types: Vec<DataType>,
}

impl Target {
    /// That of an instruction on a device.
    fn of(device: Device, instruction: &Instruction) -> Self {
        Self {
            opcode: instruction.opcode,
            name: name(instruction),
            types: super::outside::types(device, instruction).collect(),
        }
    }

    fn is_of(&self, instruction: &Instruction) -> bool {
        let sources = instruction.sources.iter().map(|source| source.data_type());
        let types = [instruction.destination.data_type].into_iter().chain(sources);
        instruction.opcode == self.opcode
            && name(instruction) == self.name
            && types.take(self.types.len()).eq(self.types.iter().copied())
    }

    /// The operation with its types; none if it is none of a device's operations.
    fn operations(&self, device: Device) -> Operations {
        Operations::new(device, &|opcode, destination, sources| {
            let types = [destination].into_iter().chain(sources.iter().copied());
            opcode == self.opcode && types.take(self.types.len()).eq(self.types.iter().copied())
        })
    }

    /// `add-d-d-d`.
    fn file_name(&self) -> String {
        let types = self.types.iter().map(|data_type| data_type.suffix());
        let words: Vec<_> = [&*self.name].into_iter().chain(types).collect();
        words.join("-").replace('.', "-")
    }

    /// Whether its operands have one type.
    fn is_uniform(&self) -> bool {
        self.types.iter().all(|data_type| *data_type == self.types[0])
    }
}

/// What instructions of a trace have.
#[derive(Debug, Clone, Copy)]
struct Extent {
    /// The features that they may have.
    features: &'static [&'static str],
    /// One that they all have.
    special: Option<&'static str>,
}

impl Extent {
    fn has(&self, feature: &str) -> bool {
        self.features.contains(&feature) || self.special == Some(feature)
    }

    /// The banks of what an instruction may have.
    fn banks(&self, opcode: Opcode) -> Vec<&'static str> {
        let sums = [Opcode::Mac, Opcode::Mach, Opcode::Sada2, Opcode::Addc, Opcode::Subb];
        let registers = self.has("architecture-registers");
        let of = [
            ("r", true),
            ("f", registers || self.has("predicate") || self.has("condition")),
            ("acc", registers || self.has("accumulator-write") || sums.contains(&opcode)),
            ("a", registers || self.has("indirect")),
        ];
        of.into_iter().filter(|(_, is_in)| *is_in).map(|(bank, _)| bank).collect()
    }
}

/// What a device's set should have.
pub(super) fn wanted(device: Device, seed: u64) -> Vec<Wanted<Eu>> {
    if device.generation().is_none() {
        return Vec::new();
    }
    let Found { functions, mut shortest } = Found::new(device, seed);
    let operations = Operations::new(device, &|_, _, _| true).typed();
    let others = Opcode::ALL.iter().filter(|opcode| opcode.code(device).is_some());
    let others: BTreeSet<_> = others.map(|opcode| opcode.mnemonic()).collect();
    let operations = operations.into_iter().map(|(opcode, types)| Target {
        opcode,
        name: opcode.mnemonic().to_owned(),
        types,
    });
    let mut targets: BTreeMap<String, Vec<Target>> = BTreeMap::new();
    for target in operations.chain(functions) {
        targets.entry(target.name.clone()).or_default().push(target);
    }
    let is_known = |mnemonic: &&&str| targets.contains_key(**mnemonic) || **mnemonic == "math";
    let others: Vec<_> = others.iter().filter(|name| !is_known(name)).copied().collect();
    let mut wanted = Vec::new();
    for (instruction, mut targets) in targets {
        // Those of one type first, the others in any order.
        targets.sort_by_cached_key(|target| {
            (!target.is_uniform(), case_seed(seed, &target.file_name(), device.name(), 0))
        });
        targets.truncate(COMBINATIONS);
        for is_float in [false, true] {
            let of_class = targets.iter().filter(|target| target.types[0].is_float() == is_float);
            let of_class: Vec<_> = of_class.take(TRIED).collect();
            let special = SPECIAL.iter().filter(|special| has_any(device, special));
            wanted.extend(special.map(|special| {
                let targets = of_class.iter().map(|target| special_case(device, target, special));
                Wanted::optional(instruction.clone(), targets.collect())
            }));
        }
        wanted.extend(targets.into_iter().map(|target| {
            let name = target.file_name();
            let mut candidates = vec![plain(device, target)];
            candidates.extend(shortest.candidates(&name, &name));
            Wanted::new(instruction.clone(), candidates)
        }));
    }
    let programs = others
        .into_iter()
        .map(|mnemonic| Wanted::new(mnemonic.to_owned(), shortest.candidates(mnemonic, mnemonic)));
    wanted.extend(programs);
    wanted
}

/// Whether instructions of a device can have a feature.
fn has_any(device: Device, feature: &str) -> bool {
    let generation = device.generation().unwrap_or(Generation::Gen4);
    match feature {
        "align16" => generation < Generation::Gen12,
        "compressed" | "mask-control-ex" => Device::GEN4.contains(&device),
        "accumulator-write" => !Device::GEN4.contains(&device),
        _ => true,
    }
}

/// An instruction that is as plain as can be.
fn plain(device: Device, target: Target) -> Candidate<Eu> {
    Candidate::new(target.file_name(), move |seed| {
        let operations = target.operations(device);
        let mut extents = PLAIN.iter().map(|features| Extent { features, special: None });
        extents.find_map(|extent| case(device, &target, &operations, extent, seed))
    })
}

/// An instruction that has something besides.
fn special_case(device: Device, target: &Target, special: &'static str) -> Candidate<Eu> {
    let name = format!("{}-{special}", target.file_name());
    let target = target.clone();
    Candidate::new(name, move |seed| {
        let operations = target.operations(device);
        let special = Some(special);
        let mut extents = BESIDE.iter().map(|features| Extent { features, special });
        extents.find_map(|extent| case(device, &target, &operations, extent, seed))
    })
}

/// Whether an instruction gives an accumulator a value for one that reads it.
fn prepares(device: Device, instruction: &Instruction) -> bool {
    let generation = device.generation().unwrap_or(Generation::Gen4);
    let to = instruction.destination.register.arf_on(generation);
    matches!(instruction.opcode, Opcode::Mov | Opcode::Mul) && to == Some(ArfKind::Accumulator)
}

/// The byte behind an instruction of a program.
fn end_of(program: &Program, number: usize) -> usize {
    program.instructions().get(number + 1).map_or(program.bytes().len(), |next| next.offset)
}

/// The machine code up to an instruction, without what prepares for nothing: another instruction before the next
/// target writes the same register.
fn without_idle(
    program: &Program,
    last: usize,
    is_target: &dyn Fn(&Instruction) -> bool,
) -> Vec<u8> {
    let instructions = &program.instructions()[..=last];
    let is_idle = |number: usize| {
        let this = &instructions[number].instruction;
        let behind = instructions[number + 1..].iter().map(|placed| &placed.instruction);
        let mut preparing = behind.take_while(|next| !is_target(next));
        !is_target(this)
            && preparing.any(|next| next.destination.register == this.destination.register)
    };
    let kept = (0..=last).filter(|number| !is_idle(*number));
    let code =
        |number: usize| &program.bytes()[instructions[number].offset..end_of(program, number)];
    kept.flat_map(code).copied().collect()
}

/// The case of a seed of an instruction with what an extent has.
fn case(
    device: Device,
    target: &Target,
    operations: &Operations,
    extent: Extent,
    seed: u64,
) -> Option<Case> {
    let banks = extent.banks(target.opcode);
    let is_within = |instruction: &Instruction| {
        needs(device, instruction).into_iter().all(|need| match need {
            Need::Instruction(_) | Need::Type(_) => true,
            Need::Feature(feature) => extent.has(feature),
            Need::Bank(bank) => banks.contains(&bank),
            Need::Message(_) => false,
        })
    };
    let is_special = |instruction: &Instruction| {
        let is = |feature| needs(device, instruction).contains(&Need::Feature(feature));
        // Whether it is compact, its machine code shows.
        extent.special.is_none_or(|feature| feature == "compact" || is(feature))
    };
    let reads_accumulators = banks.contains(&"acc");
    let count = Cell::new(0);
    let accepts = |instruction: &Instruction| {
        let is_it = target.is_of(instruction) && is_within(instruction) && is_special(instruction);
        if count.get() == INSTRUCTIONS || !is_it {
            let is_preparing = reads_accumulators && prepares(device, instruction);
            return count.get() < INSTRUCTIONS && is_preparing;
        }
        count.set(count.get() + 1);
        true
    };
    let may_compact = extent.has("compact");
    let engine = Has { accepts: &accepts, may_compact };
    let mut case = operations.straight_line(device, seed, &engine);
    let program = Program::decode(device, &case.program).ok()?;
    let instructions = program.instructions();
    let last = instructions.iter().rposition(|placed| target.is_of(&placed.instruction))?;
    let is_compact = instructions[..=last].iter().any(|placed| placed.instruction.compact);
    if extent.special == Some("compact") && !is_compact {
        return None;
    }
    case.program = match is_compact {
        true => case.program[..end_of(&program, last)].to_vec(),
        false => without_idle(&program, last, &|placed| target.is_of(placed)),
    };
    let hello = Hello::new("", &[device.name()], &banks);
    let instructions = Some([target.opcode.mnemonic().to_owned()].into_iter().collect());
    Limited::whole(Hello { instructions, ..hello }).start(&mut case);
    Some(case)
}

/// What many programs of a device have.
struct Found {
    /// The functions of `math`.
    functions: Vec<Target>,
    /// The shortest of them by what their instructions are: mnemonics, and for functions the names of traces.
    shortest: Shortest<Case>,
}

impl Found {
    fn new(device: Device, seed: u64) -> Self {
        let mut functions: BTreeMap<String, Target> = BTreeMap::new();
        let mut shortest = Shortest::new();
        let mut bytes = vec![0; flow::LONG_BYTES];
        let programs = [generate::straight_line, generate::messages, flow::any, flow::blocks];
        for number in 0..PROGRAMS {
            SplitMix64::new(case_seed(seed, "programs", device.name(), number)).fill(&mut bytes);
            let generated = programs.iter().map(|make| make(device, &bytes));
            let example = examples::generate(device, &bytes).0;
            for case in generated.chain([example]) {
                let Ok(program) = Program::decode(device, &case.program) else { continue };
                let instructions = program.instructions().iter().map(|placed| &placed.instruction);
                let names = instructions.map(|instruction| {
                    let is_message = instruction.message.is_some();
                    if instruction.math.is_none() || is_message {
                        return instruction.opcode.mnemonic().to_owned();
                    }
                    let target = Target::of(device, instruction);
                    let name = target.file_name();
                    functions.entry(name.clone()).or_insert(target);
                    name
                });
                shortest.offer(&case, program.instructions().len(), names);
            }
        }
        Self { functions: functions.into_values().collect(), shortest }
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::eu::program::Placed;

    use super::*;

    /// The features that a trace's instructions take are those that its name says.
    #[test]
    fn plain_cases_take_no_features() {
        let target =
            Target { opcode: Opcode::Add, name: "add".to_owned(), types: vec![DataType::D; 3] };
        for device in Device::EU {
            let plain = Extent { features: &[], special: None };
            let operations = target.operations(device);
            let mut sizes = BTreeSet::new();
            for seed in 0..4 {
                let case = case(device, &target, &operations, plain, seed).expect("a plain case");
                let program = Program::decode(device, &case.program).expect("a program");
                assert_eq!(program.instructions().len(), INSTRUCTIONS);
                for placed in program.instructions() {
                    assert!(target.is_of(&placed.instruction));
                    let features = needs(device, &placed.instruction);
                    assert!(!features.iter().any(|need| matches!(need, Need::Feature(_))));
                    sizes.insert(placed.instruction.execution_size);
                }
            }
            assert!(sizes.len() > 1, "{device}: {sizes:?}");
        }
    }

    /// Before an instruction that reads accumulators stands no more than gives them a value: one instruction, or on Gen7
    /// one for each half.
    #[test]
    fn nothing_is_prepared_in_vain() {
        let types = vec![DataType::F; 3];
        let target = Target { opcode: Opcode::Mac, name: "mac".to_owned(), types };
        let extent = Extent { features: &["architecture-registers"], special: None };
        let features = ["architecture-registers", "source-modifiers", "compressed"];
        for device in Device::EU {
            let operations = target.operations(device);
            for seed in 0..4 {
                let Some(case) = case(device, &target, &operations, extent, seed) else { continue };
                let program = Program::decode(device, &case.program).expect("a program");
                let is_target = |placed: &&Placed| target.is_of(&placed.instruction);
                let targets = program.instructions().iter().filter(is_target).count();
                let others = program.instructions().len() - targets;
                assert!((1..=INSTRUCTIONS).contains(&targets), "{device}");
                assert!(others <= 2 * targets, "{device}: {others} before {targets}");
                for placed in program.instructions() {
                    let needs = needs(device, &placed.instruction);
                    let is_had = |need: &Need| match need {
                        Need::Feature(feature) => features.contains(feature),
                        _ => true,
                    };
                    assert!(needs.iter().all(is_had), "{device}: {needs:?}");
                }
            }
        }
    }
}
