//! Cases of execution units for engines outside of this process: their form in the protocol, and what
//! an engine has to have to run them.

mod capabilities;

use std::{borrow::Cow, sync::Arc};

use parallax_engine::{Case as Sent, Hello};
use parallax_isa::{
    Device, Image as _, Machine as _,
    device::Generation,
    eu::{
        Case, DataType, Instruction, Opcode, Program, State,
        case::Surroundings,
        instruction::{AccessMode, Compression, ConditionalModifier, PredicateControl},
        opcode::Format,
        operand::{Register, Source},
        register::{ArfKind, RegisterFile},
        state::control,
    },
    shared::SharedFunctions,
};

use super::{
    Eu,
    branches::{has_branches, is_straight},
    generate::{self, Has, Operations},
    shrink::without_those,
};
use crate::{
    outside::{Limits, Outside, Portable, check_instructions, check_names, has},
    random::SplitMix64,
};

/// What an engine may have beyond plain instructions, and what that is.
pub const FEATURES: [(&str, &str); 14] = [
    ("align16", "the access mode Align16"),
    ("indirect", "operands that the address register names"),
    ("architecture-registers", "operands in the architecture register file, but for `null`"),
    ("predicate", "predicates"),
    ("condition", "conditional modifiers"),
    ("saturate", "`.sat`"),
    ("source-modifiers", "`-` and `(abs)` before sources"),
    ("compact", "the compact form of machine code"),
    ("compressed", "two native instructions in one (Gen4 and Gen4.5)"),
    ("channel-groups", "other channels of masks and flags than the first"),
    ("mask-control-ex", "`MaskCtrlEx` (CTG and G45)"),
    ("accumulator-write", "`AccWrEn` (Gen7 and later)"),
    ("reserved-bits", "machine code with reserved bits set, and breakpoints"),
    (
        "surroundings",
        "a system routine, events, surfaces, and the loopback function behind messages",
    ),
];

/// What a case or an instruction takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Need {
    Instruction(&'static str),
    Type(&'static str),
    Feature(&'static str),
    Bank(&'static str),
    /// The number of the shared function that a message is for, if that is known before it is sent.
    Message(Option<u8>),
}

impl Need {
    /// What it is, if an engine does not have it.
    fn beyond(&self, engine: &Hello) -> Option<String> {
        let (has, what): (_, Cow<str>) = match self {
            Self::Instruction(name) => {
                (engine.has_instruction(name), format!("the instruction `{name}`").into())
            }
            Self::Type(name) => (has(&engine.types, name), format!("the type `{name}`").into()),
            Self::Feature(name) => {
                (has(&engine.features, name), format!("the feature `{name}`").into())
            }
            Self::Bank(name) => {
                let has = engine.banks.iter().any(|bank| bank == name);
                (has, format!("the bank `{name}`").into())
            }
            Self::Message(target) => {
                let answers = |list: &Vec<u8>| target.is_some_and(|target| list.contains(&target));
                (engine.messages.as_ref().is_none_or(answers), "the function of a message".into())
            }
        };
        (!has).then(|| what.into_owned())
    }
}

/// The bank that an architecture register lies in.
fn bank_of(kind: ArfKind, device: Device) -> Option<&'static str> {
    Some(match kind {
        ArfKind::Address => "a",
        ArfKind::Accumulator => "acc",
        ArfKind::Flag => "f",
        ArfKind::Mask => "mask",
        ArfKind::MaskStack => "ms",
        ArfKind::MaskStackDepth => "msd",
        ArfKind::State => "sr",
        ArfKind::Control => "cr",
        ArfKind::Notification if Device::GEN4.contains(&device) => "n",
        ArfKind::Notification => "n0",
        ArfKind::InstructionPointer => "ip",
        ArfKind::ThreadDependency if [Device::Ivb, Device::Skl].contains(&device) => "tdr0",
        _ => return None,
    })
}

/// What an instruction takes.
pub(super) fn needs(device: Device, instruction: &Instruction) -> Vec<Need> {
    let Instruction { opcode, destination, sources, .. } = instruction;
    let mut needs = vec![Need::Instruction(opcode.mnemonic())];
    let mut register = |register: Register| match register {
        Register::Indirect { file, .. } => {
            needs.extend([Need::Feature("indirect"), Need::Bank("a")]);
            needs.push(Need::Bank(if file == RegisterFile::Mrf { "m" } else { "r" }));
        }
        Register::Direct { file: RegisterFile::Grf, .. } => needs.push(Need::Bank("r")),
        Register::Direct { file: RegisterFile::Mrf, .. } => needs.push(Need::Bank("m")),
        Register::Direct { file: RegisterFile::Arf, .. } => {
            let generation = device.generation().unwrap_or(Generation::Gen4);
            match register.arf_on(generation) {
                Some(ArfKind::Null) => {}
                Some(kind) => needs.extend([
                    Need::Feature("architecture-registers"),
                    bank_of(kind, device).map_or(Need::Feature("reserved-bits"), Need::Bank),
                ]),
                None => needs.push(Need::Feature("reserved-bits")),
            }
        }
    };
    register(destination.register);
    for source in sources {
        if let Source::Register { register: named, .. } = source {
            register(*named);
        }
    }
    needs.extend(types(device, instruction).map(|of| Need::Type(of.suffix())));
    let is_modified = |source: &Source| matches!(source, Source::Register { modifier, .. } if *modifier != Default::default());
    let predicated = instruction.predicate.control != PredicateControl::None;
    let conditional = instruction.condition != ConditionalModifier::None;
    let in_group =
        instruction.first_channel != 0 || instruction.compression == Compression::SecHalf;
    let features = [
        ("align16", instruction.access_mode == AccessMode::Align16),
        ("predicate", predicated),
        ("condition", conditional),
        ("saturate", instruction.saturate),
        ("source-modifiers", sources.iter().any(is_modified)),
        ("compact", instruction.compact),
        ("compressed", instruction.compression == Compression::Compressed),
        ("channel-groups", in_group),
        ("mask-control-ex", instruction.mask_control_ex),
        ("accumulator-write", instruction.accumulator_write),
        ("reserved-bits", instruction.residue != 0 || instruction.breakpoint),
    ];
    let taken = features.into_iter().filter(|(_, is_taken)| *is_taken);
    needs.extend(taken.map(|(feature, _)| Need::Feature(feature)));
    if predicated || conditional {
        needs.push(Need::Bank("f"));
    }
    let sums = [Opcode::Mac, Opcode::Mach, Opcode::Sada2, Opcode::Addc, Opcode::Subb];
    if sums.contains(opcode) || instruction.accumulator_write {
        needs.push(Need::Bank("acc"));
    }
    if let Some(message) = &instruction.message {
        needs.push(Need::Message(target(device, message)));
    }
    needs
}

/// The types of an instruction's operands, those of `null` too: they decide how it executes. What the format
/// of the instruction has no operand for is `null` in the instruction, and has none.
pub(super) fn types(device: Device, instruction: &Instruction) -> impl Iterator<Item = DataType> {
    let generation = device.generation().unwrap_or(Generation::Gen4);
    let Instruction { opcode, destination, sources, math, .. } = instruction;
    let (has_destination, operands) = match opcode.format_on(generation) {
        Format::Unary | Format::Message => (true, 1),
        Format::Binary => (true, math.map_or(2, |function| function.sources())),
        Format::Ternary => (true, 3),
        Format::SplitMessage => (true, 2),
        Format::Nothing | Format::Controls | Format::Branch | Format::ExitCode | Format::Sync => {
            (false, 0)
        }
    };
    let is_null =
        |source: &Source| matches!(source, Source::Register { register, .. } if register.is_null());
    let written = has_destination || !destination.register.is_null();
    let read = sources.iter().enumerate();
    let read = read.filter(move |(number, source)| *number < operands || !is_null(source));
    let read = read.map(|(_, source)| source.data_type());
    written.then_some(destination.data_type).into_iter().chain(read)
}

/// The function that a message is for, if its instruction says so.
fn target(device: Device, message: &parallax_isa::eu::instruction::Message) -> Option<u8> {
    use parallax_isa::eu::instruction::Descriptor;
    if !Device::GEN4.contains(&device) {
        return Some(message.shared_function);
    }
    match message.descriptor {
        Descriptor::Immediate(bits) => Some((bits >> 24 & 0xF) as u8),
        _ => None,
    }
}

/// What an instruction takes that an engine does not have.
fn instruction_beyond(device: Device, instruction: &Instruction, engine: &Hello) -> Option<String> {
    needs(device, instruction).iter().find_map(|need| need.beyond(engine)).or_else(|| {
        let declared = engine.instructions.as_ref()?;
        let capability = declared.capability(instruction.opcode.mnemonic())?;
        let types: Vec<_> = types(device, instruction).collect();
        capabilities::beyond(device, instruction, &types, capability)
    })
}

/// Banks that decide what a program does without being named in it.
const STEERING: [&str; 5] = ["mask", "cr", "ms", "msd", "pcip"];

/// Whether a bank decides what a program does without being named in it. The state register only where
/// it holds the dispatch mask.
fn steers(bank: &str, device: Device) -> bool {
    STEERING.contains(&bank) || bank == "sr" && !Device::GEN4.contains(&device)
}

/// Whether a program takes its instructions one after the other, each once.
fn is_straight_line(case: &Case, program: &Program) -> bool {
    let mut instructions = program.instructions().iter();
    case.state.ip == 0
        && case.surroundings.system_routine.is_none()
        && instructions.all(|placed| is_straight(&placed.instruction))
}

impl Portable for Eu {
    const HAS_FORM: bool = true;

    fn to_outside(case: &Case) -> Option<Sent> {
        let is_plain = case.surroundings == Surroundings::default();
        let settings = || serde_json::to_string(&case.surroundings).unwrap_or_default();
        Some(Sent {
            device: case.device.name().to_owned(),
            step_limit: case.step_limit,
            program: case.program.clone(),
            settings: if is_plain { String::new() } else { settings() },
        })
    }

    fn start_state(case: &Case) -> Option<&State> {
        Some(&case.state)
    }

    fn of_outside(sent: &Sent, state: &State) -> Result<Case, String> {
        let device = sent.device.parse().map_err(|error| format!("{error}"))?;
        let surroundings = match sent.settings.as_str() {
            "" => Surroundings::default(),
            settings => {
                serde_json::from_str(settings).map_err(|error| format!("settings: {error}"))?
            }
        };
        let state = Box::new(*state);
        Ok(Case { surroundings, ..Case::new(device, sent.program.clone(), state, sent.step_limit) })
    }

    fn cut(case: &Case, steps: u64) -> Result<Option<Case>, String> {
        let program =
            Program::decode(case.device, &case.program).map_err(|error| error.to_string())?;
        let instructions = program.instructions();
        if !is_straight_line(case, &program) {
            return Err(
                "it only runs to the end, and a program with branches cannot be cut".to_owned()
            );
        }
        // That the program is at its end is a step more than it has instructions.
        let ends = instructions.iter().map(|placed| placed.offset).chain([case.program.len()]);
        let end = usize::try_from(steps).ok().and_then(|steps| ends.clone().nth(steps));
        Ok(end.map(|end| {
            let mut cut = Case { program: case.program[..end].to_vec(), ..case.clone() };
            // What is due at the last step arrives before the next, which a program that ends there begins too.
            cut.surroundings.events.retain(|event| event.step < steps);
            cut
        }))
    }

    fn check_hello(hello: &Hello) -> Result<(), String> {
        if hello.profiles.is_some() {
            return Err(format!(
                "{} says `profiles`, which only the machine `r700` has",
                hello.name
            ));
        }
        let instructions: Vec<_> = Opcode::ALL.iter().map(|opcode| opcode.mnemonic()).collect();
        check_instructions(hello, &instructions)?;
        capabilities::check(hello)?;
        check_names(hello, "type", &hello.types, &DataType::ALL.map(DataType::suffix))?;
        check_names(hello, "feature", &hello.features, &FEATURES.map(|(feature, _)| feature))
    }

    fn beyond(case: &Case, engine: &Outside) -> Option<String> {
        case_beyond(case, engine.hello())
    }
}

/// What a case takes that an engine does not have.
fn case_beyond(case: &Case, hello: &Hello) -> Option<String> {
    if hello.machine != Eu::NAME || !hello.devices.iter().any(|name| name == case.device.name()) {
        return Some(format!("the device {}", case.device));
    }
    let program = Program::decode(case.device, &case.program).ok()?;
    let instructions = program.instructions();
    if case.surroundings != Surroundings::default() {
        let only_loopback =
            case.surroundings.system_routine.is_none() && case.surroundings.events.is_empty();
        let sends = instructions.iter().any(|placed| placed.instruction.message.is_some());
        if sends || !only_loopback {
            let need = Need::Feature("surroundings").beyond(hello);
            if need.is_some() {
                return need;
            }
        }
    }
    let usual = State::of(case.device);
    for bank in State::BANKS.iter().filter(|bank| steers(bank.name, case.device)) {
        let mut start = case.state.image()[bank.range()].to_vec();
        if bank.name == "cr" {
            start[0] &= !(control::ACCUMULATOR_DISABLE as u8);
        }
        let is_usual = start == usual.image()[bank.range()];
        let need = Need::Bank(bank.name).beyond(hello).filter(|_| !is_usual);
        if need.is_some() {
            return need;
        }
    }
    instructions
        .iter()
        .find_map(|placed| instruction_beyond(case.device, &placed.instruction, hello))
}

/// What the engine of this process declares where a run is limited to some instructions: everything else.
pub(crate) fn declared_by_executor(device: Device, instructions: &[String]) -> Hello {
    let banks: Vec<_> = State::BANKS.iter().map(|bank| bank.name).collect();
    let hello = Hello::new("executor", &[device.name()], &banks);
    Hello { instructions: Some(instructions.iter().cloned().collect()), ..hello }
}

/// What an engine declares, without the instructions that are not among some.
pub(crate) fn narrowed(hello: &Hello, instructions: &[String]) -> Hello {
    let wanted = |name: &str| instructions.iter().any(|wanted| wanted == name);
    let instructions = match &hello.instructions {
        Some(has) => has.only(wanted),
        None => instructions.iter().cloned().collect(),
    };
    Hello { instructions: Some(instructions), ..hello.clone() }
}

/// How cases are limited to what an engine declares.
pub(super) enum Limited {
    /// Straight-line programs of instructions that it has.
    Within(Arc<Hello>, Operations),
    /// Programs that it has all instructions of; the others are left out.
    Whole(Arc<Hello>),
}

/// Whether an engine has an operation with types of its destination and sources.
fn has_operation(hello: &Hello) -> impl Fn(Opcode, DataType, &[DataType]) -> bool {
    move |opcode, destination, sources| {
        let has_type = |of: &DataType| has(&hello.types, of.suffix());
        hello.has_instruction(opcode.mnemonic())
            && has_type(&destination)
            && sources.iter().all(has_type)
    }
}

impl Limited {
    /// Programs as they are, with a start that an engine has.
    pub(super) fn whole(hello: Hello) -> Self {
        Self::Whole(Arc::new(hello))
    }

    /// Straight-line programs of a device within what an engine declares.
    pub(super) fn within(device: Device, hello: Arc<Hello>) -> Self {
        let operations = Operations::new(device, &has_operation(&hello));
        Self::Within(hello, operations)
    }

    /// The same of programs whose operands overlap.
    pub(super) fn overlapping(device: Device, hello: Arc<Hello>) -> Self {
        let operations = Operations::overlapping(device, &has_operation(&hello));
        Self::Within(hello, operations)
    }

    /// The same of Gen12 with `dp4a`.
    pub(super) fn within_dp4a(hello: Arc<Hello>) -> Self {
        let operations = Operations::with_dp4a(&has_operation(&hello));
        Self::Within(hello, operations)
    }

    fn hello(&self) -> &Hello {
        match self {
            Self::Within(hello, _) | Self::Whole(hello) => hello,
        }
    }

    /// Makes what an engine does not have as it is at the start of a program without settings.
    fn make_usual(&self, case: &mut Case) {
        let hello = self.hello();
        let usual = State::of(case.device);
        for bank in State::BANKS {
            if !hello.banks.iter().any(|name| name == bank.name) {
                let range = bank.range();
                case.state.image_mut()[range.clone()].copy_from_slice(&usual.image()[range]);
            }
        }
        let has_accumulators = hello.banks.iter().any(|name| name == "acc");
        if Device::GEN4.contains(&case.device) && !has_accumulators {
            case.state.control[0] |= control::ACCUMULATOR_DISABLE;
        }
        let sends = hello
            .instructions
            .as_ref()
            .is_none_or(|list| list.names().any(|name| name.starts_with("send")));
        if !sends {
            case.surroundings.shared_functions = SharedFunctions::None;
        }
    }
}

impl Limits<Eu> for Limited {
    fn case(&self, seed: u64, generate: &mut dyn FnMut(u64) -> Case) -> Option<Case> {
        let mut case = generate(seed);
        self.make_usual(&mut case);
        if case_beyond(&case, self.hello()).is_none() {
            return Some(case);
        }
        match self {
            Self::Within(hello, operations) => {
                self.made_within(hello, operations, case.device, seed)
            }
            // Without branches little is left of programs that are about them.
            Self::Whole(hello) if has_branches(hello) => {
                let device = case.device;
                let rest = without_those(case, |placed| {
                    is_straight(&placed.instruction)
                        && instruction_beyond(device, &placed.instruction, hello).is_some()
                })?;
                case_beyond(&rest, hello).is_none().then_some(rest)
            }
            Self::Whole(_) => None,
        }
    }

    fn start(&self, case: &mut Case) -> bool {
        self.make_usual(case);
        true
    }
}

impl Limited {
    /// The case of a seed made of what an engine has; `None` if it has too little for any.
    fn made_within(
        &self,
        hello: &Hello,
        operations: &Operations,
        device: Device,
        seed: u64,
    ) -> Option<Case> {
        let accepts = |instruction: &Instruction| {
            (hello.steps || is_straight(instruction))
                && instruction_beyond(device, instruction, hello).is_none()
        };
        let engine = Has { accepts: &accepts, may_compact: has(&hello.features, "compact") };
        let mut case = operations.straight_line(device, seed, &engine);
        self.make_usual(&mut case);
        (!case.program.is_empty() && case_beyond(&case, hello).is_none()).then_some(case)
    }
}

/// Straight-line programs of a device within what an engine declares.
pub(crate) fn cases_within(
    device: Device,
    hello: &Hello,
    programs: u64,
) -> impl Iterator<Item = Case> {
    let limited = Limited::within(device, Arc::new(hello.clone()));
    let mut bytes = vec![0; generate::BYTES];
    let mut generate = move |seed| {
        SplitMix64::new(seed).fill(&mut bytes);
        generate::straight_line(device, &bytes)
    };
    (0..programs).filter_map(move |seed| limited.case(seed, &mut generate))
}

#[cfg(test)]
mod tests;
