//! Straight-line programs of Gen7 and later, legal by construction (tables `eu-opcodes-by-gen` and
//! `eu-legality-by-gen`).

mod accumulator;
pub(in crate::eu) mod addresses;
mod barriers;
mod data;
mod data_cache;
pub(in crate::eu) mod dependencies;
mod destination;
mod draft;
mod gen12;
mod macros;
mod math;
mod message_types;
mod messages;
mod registers;
mod rows;
pub(super) mod sampler;
mod sequences;
mod settings;
mod shapes;
mod sources;
mod surfaces;
pub(super) mod targets;
mod ternary;
pub(in crate::eu) mod values;

use std::collections::VecDeque;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        Case, DataType, Instruction, State,
        case::{Event, EventKind},
        state::{ACCUMULATOR_COUNT, control},
    },
    shared::SharedFunctions,
};

pub(super) use data_cache::messages;

pub(super) use rows::{Operation, operations_of, operations_with_dp4a, operations_within, typed};

use super::{
    LONGEST, ProgramBuilder,
    shape::{Has, Shape},
};
use crate::{choices::Choices, random::SplitMix64};

/// A program in the making.
pub(in crate::eu) struct Later<'c, 'b> {
    device: Device,
    generation: Generation,
    pub(in crate::eu) choices: &'c mut Choices<'b>,
    pub(in crate::eu) random: SplitMix64,
    /// Address subregisters whose value is known.
    addresses: [Option<u16>; 16],
    /// Operands lie in the first so many general registers, if that is said.
    window: Option<u8>,
    /// The type that each accumulator was last wholly written in, and of how many channels.
    accumulators: [Option<(DataType, u8)>; ACCUMULATOR_COUNT],
    /// Float instructions compute in the alternative mode.
    alternative: bool,
    /// Messages go to the data cache.
    has_data_cache: bool,
    /// Programs name accumulators beyond the first one of Gen12; those that branch read none.
    has_all_accumulators: bool,
    /// Programs have `dp4a`.
    has_dp4a: bool,
    /// What comes next before anything else.
    pending: VecDeque<Instruction>,
}

/// A straight-line case for a device.
pub(super) fn straight_line(device: Device, choices: Choices) -> Case {
    straight_line_of(device, choices, false)
}

/// A straight-line case of Gen12 with `dp4a`.
pub(super) fn with_dp4a(bytes: &[u8]) -> Case {
    straight_line_of(Device::Dg1, Choices::new(bytes), true)
}

/// One case in so many has `math` of every class of operands.
const CLASSES_ONE_IN: u64 = 32;

fn straight_line_of(device: Device, mut choices: Choices, has_dp4a: bool) -> Case {
    let seed = choices.seed();
    let mut random = SplitMix64::new(seed);
    let mut state = Box::new(State::of(device));
    // Every second one of those in either float mode.
    let math_has_every_class = seed.is_multiple_of(CLASSES_ONE_IN);
    let alternates = math_has_every_class && (seed / CLASSES_ONE_IN).is_multiple_of(2);
    if choices.sometimes(20) || alternates {
        state.control[0] |= control::ALTERNATIVE_FLOAT_MODE;
    }
    addresses::fill(&mut random, device, &mut state);
    values::fill(&mut random, device, &mut state);
    values::let_meet(&mut state);
    let count = 8 + choices.below(LONGEST - 8);
    let compacting = choices.sometimes(64);
    let is_answered = choices.sometimes(96);
    let answers = match is_answered {
        true => SharedFunctions::None,
        false => SharedFunctions::Loopback,
    };
    if answers == SharedFunctions::None {
        data_cache::fill(&mut random, &mut state);
    }
    let mut program = ProgramBuilder::unaligned(device, compacting);
    let mut later = Later::new(device, &mut choices, random, &state);
    later.has_data_cache = answers == SharedFunctions::None;
    later.has_all_accumulators = device.generation() >= Some(Generation::Gen12);
    later.has_dp4a = has_dp4a;
    if math_has_every_class {
        later.math_of_every_class();
    }
    for _ in 0..count.max(later.pending.len()) {
        program.push(later.instruction());
    }
    let mut case = Case::new(device, program.bytes, state, 2 * LONGEST as u64);
    case.surroundings.shared_functions = answers;
    if choices.sometimes(48) {
        let step = choices.below(LONGEST) as u64;
        case.surroundings.events = vec![Event { step, kind: EventKind::ContextSwitch }];
        case.surroundings.events.extend(dependencies::ends(device, &mut choices, LONGEST));
        case.surroundings.events.sort_by_key(|event| event.step);
        dependencies::depend(&mut SplitMix64::new(choices.seed()), &mut case);
    }
    case
}

/// A straight-line case of instructions that an engine has.
pub(super) fn straight_line_within(
    device: Device,
    mut choices: Choices,
    operations: &[Operation],
    shape: Shape,
    engine: &Has,
) -> Case {
    let mut random = SplitMix64::new(choices.seed());
    let mut state = Box::new(State::of(device));
    if choices.sometimes(20) {
        state.control[0] |= control::ALTERNATIVE_FLOAT_MODE;
    }
    addresses::fill(&mut random, device, &mut state);
    values::fill(&mut random, device, &mut state);
    values::let_meet(&mut state);
    let count = shape.count(&mut choices);
    let mut program =
        ProgramBuilder::unaligned(device, engine.may_compact && choices.sometimes(64));
    let mut later = Later::new(device, &mut choices, random, &state);
    later.window = shape.window;
    later.has_all_accumulators = device.generation() >= Some(Generation::Gen12);
    let mut instructions = Vec::new();
    for _ in 0..count {
        let Some(instruction) = later.instruction_within(operations, engine.accepts) else { break };
        let choices = &mut *later.choices;
        let instruction = shape.placed(device, choices, &instructions, instruction, engine);
        instructions.push(instruction);
        program.push(instruction);
    }
    Case::new(device, program.bytes, state, 2 * LONGEST as u64)
}

/// Gives a straight-line case other registers to start from. Its program counts on what is in the
/// address register and on the float mode.
pub(super) fn start_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    let (address, control) = (case.state.address, case.state.control);
    *case.state = State::of(case.device);
    (case.state.address, case.state.control) = (address, control);
    values::fill(random, case.device, &mut case.state);
    values::let_meet(&mut case.state);
    if case.surroundings.shared_functions.has_data_cache() {
        data_cache::fill(random, &mut case.state);
    }
    dependencies::depend(random, case);
}

impl<'c, 'b> Later<'c, 'b> {
    pub(in crate::eu) fn new(
        device: Device,
        choices: &'c mut Choices<'b>,
        random: SplitMix64,
        state: &State,
    ) -> Self {
        Self {
            device,
            generation: device.generation().unwrap_or(Generation::Gen7),
            choices,
            random,
            addresses: std::array::from_fn(|n| {
                (n < registers::address_count(device)).then_some(state.address[n])
            }),
            window: None,
            accumulators: [None; ACCUMULATOR_COUNT],
            alternative: state.control[0] & control::ALTERNATIVE_FLOAT_MODE != 0,
            has_data_cache: false,
            has_all_accumulators: false,
            has_dp4a: false,
            pending: VecDeque::new(),
        }
    }

    /// An instruction that others may come between: nothing that it leaves behind is counted on.
    pub(in crate::eu) fn alone(&mut self) -> Instruction {
        let addresses = self.addresses;
        let instruction = self.instruction();
        (self.addresses, self.accumulators) = (addresses, [None; ACCUMULATOR_COUNT]);
        self.pending.clear();
        instruction
    }

    /// A piece of the case begins.
    pub(in crate::eu) fn piece(&mut self) {
        if let Some(random) = self.choices.piece() {
            self.random = random;
        }
    }

    fn is_gen7(&self) -> bool {
        self.generation == Generation::Gen7
    }

    /// There are steps of exact quotients and roots; in the alternative mode nothing says what they do.
    fn has_macros(&self) -> bool {
        self.generation == Generation::Gen9 && !self.alternative
    }

    fn is_gen12(&self) -> bool {
        self.generation >= Generation::Gen12
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use parallax_executor::eu::Executor;
    use parallax_isa::eu::{legality, program::Program, text};
    use parallax_spec::{Level, RuleId, Severity, coverage};

    use super::{super::BYTES, *};
    use crate::{
        eu::Eu,
        lockstep::{Verdict, lockstep},
    };

    #[test]
    fn programs_decode_and_have_every_operation() {
        for device in Device::LATER {
            let mut opcodes = BTreeSet::new();
            for seed in 0..300 {
                let mut bytes = vec![0; BYTES];
                SplitMix64::new(seed).fill(&mut bytes);
                let case = straight_line(device, Choices::new(&bytes));
                let program = Program::decode(device, &case.program).expect("it decodes");
                let instructions = program.instructions().iter();
                opcodes.extend(instructions.map(|placed| placed.instruction.opcode.mnemonic()));
                assert!(case == straight_line(device, Choices::new(&bytes)));
            }
            let all = operations_of(device).iter().map(|operation| operation.opcode().mnemonic());
            let missing: BTreeSet<_> = all.filter(|opcode| !opcodes.contains(opcode)).collect();
            assert!(missing.is_empty(), "{device}: {missing:?}");
        }
    }

    /// The restrictions that a program shows, each as often as it is broken.
    #[test]
    fn programs_are_legal() {
        let mut broken: BTreeMap<_, (usize, String)> = BTreeMap::new();
        for device in Device::LATER {
            for seed in 0..3_000 {
                let mut bytes = vec![0; BYTES];
                SplitMix64::new(seed).fill(&mut bytes);
                let case = straight_line(device, Choices::new(&bytes));
                let program = Program::decode(device, &case.program).expect("it decodes");
                let found = legality::program::check(&program).into_iter();
                for finding in found.filter(|it| it.violation.severity() == Severity::Illegal) {
                    let instruction = &program.instructions()[finding.index].instruction;
                    let text = text::print(device, instruction);
                    let entry = broken
                        .entry((device.name(), finding.violation.rule))
                        .or_insert((0, String::new()));
                    *entry = (entry.0 + 1, format!("{text}: {}", finding.violation));
                }
            }
        }
        assert!(broken.is_empty(), "{broken:#?}");
    }

    /// Of the first cases that have `math` of every class on DG1 each special value is compared.
    #[test]
    fn few_cases_meet_every_special_value_of_math() {
        let is_special = |rule: &RuleId| {
            let rule = rule.rule();
            let has_table = [".t1", ".t2"].iter().any(|table| rule.id.ends_with(table));
            rule.id.starts_with("dg1.math.") && has_table && rule.level == Level::Must
        };
        coverage::drop_marks();
        let _ = coverage::take();
        for n in 0..12 {
            let seed = n * CLASSES_ONE_IN;
            let case = straight_line(Device::Dg1, Choices::new(&seed.to_le_bytes()));
            let verdict = lockstep::<Eu>(&mut crate::eu::reference(), &mut Executor::new(), &case);
            assert!(matches!(verdict, Verdict::Agreed(_)), "{seed}: {verdict:?}");
        }
        let met = coverage::take();
        let special: Vec<_> = RuleId::all().filter(is_special).collect();
        assert!(special.len() > 80, "{}", special.len());
        let missing: Vec<_> = special.into_iter().filter(|rule| met.hits(*rule) == 0).collect();
        assert_eq!(missing, []);
    }

    #[test]
    fn few_bytes_give_programs_too() {
        for length in 0..64 {
            let bytes: Vec<u8> = (0..length).map(|n: u8| n.wrapping_mul(37)).collect();
            for device in Device::LATER {
                assert!(
                    Program::decode(device, &straight_line(device, Choices::new(&bytes)).program)
                        .is_ok()
                );
            }
        }
    }
}
