//! Intel execution units as a machine of the harness: engines, cases, explanations.

mod branches;
mod conformance;
mod examples;
pub mod flow;
mod forms;
pub mod generate;
mod hardware_state;
pub mod launch;
mod operand_values;
pub mod outside;
pub mod setup;
mod shrink;
pub mod suites;
mod weakness;

use std::sync::Arc;

pub use parallax_isa::eu::Eu;
use parallax_isa::{
    Device, Image as _, Outcome, Reference,
    eu::{
        Case, Instruction, Program, State,
        case::Surroundings,
        decode::decode,
        instruction::Compression,
        operand::Register,
        register::{ArfKind, RegisterFile},
        text,
    },
    image::Part,
};
use serde_json::Value;

use crate::{
    depth::Depth,
    exactness::Destination,
    form::{Form, Parts},
    outside::{Outside, Portable as _},
    random::SplitMix64,
    spread::Shape,
    subject::{EngineEntry, Subject, Typed, UnderTest, changed},
    suite::Suite,
    verdict::OperandValues,
    wanted::Wanted,
};

/// The reference, which counts the rules that decide its steps.
#[must_use]
pub fn reference() -> parallax_reference::eu::Reference {
    parallax_reference::eu::Reference::new().observed_by(weakness::observe)
}

impl Subject for Eu {
    const WARM_RUNS: u64 = parallax_executor::eu::WARM as u64 + 2;

    const ENGINES: &'static [EngineEntry<Self>] = &[
        EngineEntry { name: "executor", make: || Box::new(parallax_executor::eu::Executor::new()) },
        EngineEntry {
            name: "interpreted",
            make: || Box::new(parallax_executor::eu::Executor::interpreting()),
        },
        EngineEntry {
            name: "compiled",
            make: || Box::new(parallax_executor::eu::Executor::checking_blocks()),
        },
        EngineEntry { name: "reference", make: || Box::new(reference()) },
    ];

    const LAST_STEP: Outcome = Outcome::EndOfThread;

    fn reference() -> Box<dyn Reference<Self>> {
        Box::new(reference())
    }

    fn suites(device: Device) -> Vec<Box<dyn Suite>> {
        suites::suites(device)
    }

    fn outside_suites(device: Device, engine: &Arc<Outside>) -> Vec<Box<dyn Suite>> {
        suites::outside(device, engine, None)
    }

    fn reasons(device: Device, engine: &Outside) -> Vec<String> {
        let mut bytes = vec![0; generate::BYTES];
        let reason = |seed| {
            SplitMix64::new(seed).fill(&mut bytes);
            Self::beyond(&generate::straight_line(device, &bytes), engine)
        };
        (0..64).filter_map(reason).collect()
    }

    fn narrowed_suites(
        device: Device,
        engine: &UnderTest,
        instructions: &[String],
    ) -> Vec<Box<dyn Suite>> {
        match engine {
            UnderTest::Named(_) => suites::narrowed_to(device, instructions),
            UnderTest::Outside(outside) if outside.runs::<Self>(device) => {
                suites::outside(device, outside, Some(instructions))
            }
            UnderTest::Outside(_) => Vec::new(),
        }
    }

    fn conformance(device: Device, seed: u64) -> Vec<Wanted<Self>> {
        conformance::wanted(device, seed)
    }

    fn start(case: &Case) -> Vec<(String, String)> {
        changed(&*case.state)
    }

    fn surroundings(case: &Case) -> Value {
        if case.surroundings == Surroundings::default() {
            return Value::Null;
        }
        serde_json::to_value(&case.surroundings).unwrap_or_default()
    }

    fn program(case: &Case) -> Vec<String> {
        match Program::decode(case.device, &case.program) {
            Ok(program) => {
                let instructions = program.instructions().iter();
                instructions.map(|placed| text::print(case.device, &placed.instruction)).collect()
            }
            Err(error) => vec![error.to_string()],
        }
    }

    fn describe_next(case: &Case, state: &State) -> String {
        match instruction_at(case, state.ip) {
            Some(instruction) => text::print(case.device, &instruction),
            None => format!("nothing at byte {}", state.ip),
        }
    }

    fn operands(case: &Case, state: &State) -> Vec<OperandValues> {
        operand_values::operands(case, state)
    }

    fn element(case: &Case, state: &State, offset: usize) -> Option<Typed> {
        operand_values::element(case, state, offset)
    }

    fn mnemonic(case: &Case, state: &State) -> String {
        instruction_at(case, state.ip).map_or_else(|| "end".to_owned(), |next| name(&next))
    }

    fn shape(case: &Case, state: &State) -> Shape {
        instruction_at(case, state.ip)
            .map_or_else(Shape::default, |next| forms::shape(case.device, &next))
    }

    fn shapes(case: &Case) -> Vec<Shape> {
        let program = Program::decode(case.device, &case.program);
        let instructions = program.iter().flat_map(Program::instructions);
        instructions.map(|placed| forms::shape(case.device, &placed.instruction)).collect()
    }

    const FEATURES: &'static [&'static str] = forms::NAMES;

    fn executed(case: &Case, state: &State, _: Parts) -> Vec<Form> {
        let next = instruction_at(case, state.ip);
        next.iter().map(|next| forms::form(case.device, next, state)).collect()
    }

    fn without(case: Case, is_left_out: &mut dyn FnMut(&Form) -> bool) -> Option<Case> {
        shrink::without(case, is_left_out)
    }

    fn first_steps(case: &Case, steps: u64) -> Vec<u64> {
        shrink::first_steps(case, steps)
    }

    fn up_to(case: &Case, steps: u64, without: Option<u64>) -> Option<Case> {
        shrink::up_to(case, steps, without)
    }

    /// How many blocks stand around the next instruction.
    fn depth(case: &Case) -> Depth<State> {
        let program = Program::decode(case.device, &case.program);
        let blocks = program.map_or_else(|_| Vec::new(), |program| program.blocks());
        Box::new(move |state| {
            let around = blocks.iter().filter(|block| block.contains(&(state.ip as usize)));
            around.count() as u32
        })
    }

    fn seek(_: &Case, state: &mut State, offset: usize) {
        state.ip = offset as u32;
    }

    /// A mov from register to register.
    fn ordinary(case: &Case) -> Option<Case> {
        let assembly = text::parse(case.device, "mov (8) r4<1>:ud r2<8;8,1>:ud").ok()?;
        let program = assembly.program.bytes().to_vec();
        Some(Case::new(case.device, program, Box::new(State::of(case.device)), 2))
    }

    fn destinations(case: &Case, state: &State) -> Vec<Destination> {
        let Some(instruction) = instruction_at(case, state.ip) else { return Vec::new() };
        let register = instruction.destination.register;
        let bank = match (register.file(), register.arf()) {
            (RegisterFile::Grf, _) => "r",
            (RegisterFile::Mrf, _) => "m",
            (_, Some(ArfKind::Accumulator)) => "acc",
            _ => return Vec::new(),
        };
        let Some(bank) = State::BANKS.iter().find(|known| known.name == bank) else {
            return Vec::new();
        };
        let mnemonic = instruction.opcode.mnemonic();
        let form = instruction.destination.data_type.suffix();
        let elements = u64::from(instruction.execution_size);
        let whole = Destination { mnemonic, form, elements, places: bank.range() };
        let (Part::Channel, Register::Direct { number, .. }) = (bank.part, register) else {
            return vec![whole];
        };
        // The second half of a compressed instruction has the next accumulator. Channels that an instruction does
        // not have are no elements of it.
        let halves = if instruction.compression == Compression::Compressed { 2 } else { 1 };
        let elements = elements / halves;
        let halves = (0..halves as usize).map(|half| {
            let start = bank.range().start + (usize::from(number & 0xF) + half) * bank.bytes;
            let end = bank.range().end.min(start + bank.element * elements as usize);
            Destination { elements, places: start..end, ..whole.clone() }
        });
        halves.collect()
    }

    fn device(case: &Case) -> &'static str {
        case.device.name()
    }
}

/// The mnemonic of an instruction, and its function if it has one: `math.exp`.
fn name(instruction: &Instruction) -> String {
    let mnemonic = instruction.opcode.mnemonic();
    instruction
        .math
        .map_or_else(|| mnemonic.to_owned(), |function| format!("{mnemonic}.{}", function.name()))
}

/// The instruction that starts at a byte of a case's program, if one decodes there.
#[must_use]
pub fn instruction_at(case: &Case, ip: u32) -> Option<Instruction> {
    let bytes = case.program.get(ip as usize..)?;
    decode(case.device, bytes).ok().map(|(instruction, _)| instruction)
}
