//! AMD R700 as a machine of the harness: engines, cases, explanations.

pub mod blocks;
mod conformance;
pub mod flow;
mod forms;
pub mod generate;
mod layout;
mod operand_values;
pub mod outside;
pub mod setup;
mod shrink;
pub mod suites;
mod weakness;
mod without;

use std::{collections::BTreeSet, mem::offset_of, sync::Arc};

pub use parallax_isa::r700::R700;
use parallax_isa::{
    Device, Outcome, Reference,
    r700::{
        Alu, AluOpcode, Case, CfOpcode, Group, Program, State, program::Clause, state::PIXELS, text,
    },
};
use parallax_rules::r700::of_units;
use serde_json::Value;

use crate::{
    depth::Depth,
    exactness::Destination,
    form::{Form, Parts},
    outside::Outside,
    spread::Shape,
    subject::{EngineEntry, Subject, Typed, changed},
    suite::Suite,
    verdict::OperandValues,
    wanted::Wanted,
};

/// The reference, which counts the rules that decide its groups.
#[must_use]
pub fn reference() -> parallax_reference::r700::Reference {
    parallax_reference::r700::Reference::new().observed_by(weakness::observe)
}

/// What an instruction of a group is, for those who count.
fn shape(group: &Group, alu: Option<&Alu>) -> Shape {
    let opcode = alu.and_then(|alu| alu.opcode());
    Shape {
        form: opcode.map_or("group", AluOpcode::mnemonic).to_owned(),
        size: format!("group of {}", group.instructions.len()),
        regions: Vec::new(),
    }
}

impl Subject for R700 {
    const WARM_RUNS: u64 = parallax_executor::r700::WARM as u64 + 2;

    const ENGINES: &'static [EngineEntry<Self>] = &[
        EngineEntry {
            name: "executor",
            make: || Box::new(parallax_executor::r700::Executor::new()),
        },
        EngineEntry {
            name: "interpreted",
            make: || Box::new(parallax_executor::r700::Executor::interpreting()),
        },
        EngineEntry {
            name: "compiled",
            make: || Box::new(parallax_executor::r700::Executor::checking_blocks()),
        },
        EngineEntry { name: "reference", make: || Box::new(reference()) },
    ];

    const LAST_STEP: Outcome = Outcome::Halted;

    fn reference() -> Box<dyn Reference<Self>> {
        Box::new(reference())
    }

    fn suites(device: Device) -> Vec<Box<dyn Suite>> {
        suites::suites(device)
    }

    fn outside_suites(device: Device, engine: &Arc<Outside>) -> Vec<Box<dyn Suite>> {
        suites::outside(device, engine)
    }

    fn reasons(_: Device, engine: &Outside) -> Vec<String> {
        outside::reasons(engine.hello())
    }

    fn seek(case: &Case, state: &mut State, offset: usize) {
        let address = offset as u32 / 8;
        let program = Program::decode(&case.program).unwrap_or_default();
        state.in_clause = program.group_at(address).is_some().into();
        *(if state.in_clause == 1 { &mut state.group } else { &mut state.cf }) = address;
    }

    /// Groups of a MOV.
    fn ordinary(_: &Case) -> Option<Case> {
        let clause = "00 ALU:\n0 x: MOV R1.x, R2.x\n1 x: MOV R1.x, R2.x\n01 NOP: END_OF_PROGRAM";
        let program = text::parse(clause).ok()?;
        Some(Case::new(program.encode()))
    }

    fn device(case: &Case) -> &'static str {
        case.device.name()
    }

    fn conformance(device: Device, seed: u64) -> Vec<Wanted<Self>> {
        conformance::wanted(device, seed)
    }

    fn start(case: &Case) -> Vec<(String, String)> {
        changed(&*case.state)
    }

    fn surroundings(case: &Case) -> Value {
        let case = Case { program: Vec::new(), state: Box::default(), ..case.clone() };
        let mut fields = serde_json::to_value(&case).unwrap_or_default();
        if let Some(fields) = fields.as_object_mut() {
            fields.retain(|name, _| !["device", "program", "state"].contains(&name.as_str()));
        }
        fields
    }

    fn program(case: &Case) -> Vec<String> {
        match Program::of_case(case) {
            Ok(program) => text::print(&program).lines().map(str::to_owned).collect(),
            Err(error) => vec![error.to_string()],
        }
    }

    fn describe_next(case: &Case, state: &State) -> String {
        let Ok(program) = Program::of_case(case) else {
            return "a program that does not decode".to_owned();
        };
        if state.in_clause != 0
            && let Some(group) = program.group_at(state.group)
        {
            let instructions = text::print_group(group).lines().collect::<Vec<_>>().join("; ");
            return format!("group at {}: {instructions}", state.group);
        }
        match program.control_flow.get(&state.cf) {
            Some(cf) => format!("{:02} {}", state.cf, text::print_control_flow(*cf)),
            None => format!("nothing at address {}", state.cf),
        }
    }

    /// Of a group the elements of registers that are named directly.
    fn destinations(case: &Case, state: &State) -> Vec<Destination> {
        let Ok(program) = Program::decode(&case.program) else { return Vec::new() };
        let group = program.group_at(state.group).filter(|_| state.in_clause != 0);
        let element_bytes = size_of::<[u32; PIXELS]>();
        let written = |alu: &Alu| {
            let direct = alu.write_mask() && alu.dst_rel() == 0;
            let element = 4 * alu.dst_gpr() as usize + alu.dst_elem() as usize;
            let start = offset_of!(State, gpr) + element * element_bytes;
            Some(Destination {
                mnemonic: alu.opcode().filter(|_| direct)?.mnemonic(),
                form: ["x", "y", "z", "w"][alu.dst_elem() as usize],
                elements: PIXELS as u64,
                places: start..start + element_bytes,
            })
        };
        group.into_iter().flat_map(|group| group.instructions.iter().filter_map(written)).collect()
    }

    /// Frames of the stack and calls.
    fn depth(_: &Case) -> Depth<State> {
        Box::new(|state| state.stack_depth + state.call_depth)
    }

    fn operands(case: &Case, state: &State) -> Vec<OperandValues> {
        operand_values::operands(case, state)
    }

    fn element(case: &Case, state: &State, offset: usize) -> Option<Typed> {
        operand_values::element(case, state, offset)
    }

    fn shape(case: &Case, state: &State) -> Shape {
        let program = Program::of_case(case).unwrap_or_default();
        match program.group_at(state.group).filter(|_| state.in_clause != 0) {
            Some(group) => shape(group, group.instructions.first()),
            None => Shape { form: Self::mnemonic(case, state), ..Shape::default() },
        }
    }

    fn shapes(case: &Case) -> Vec<Shape> {
        let program = Program::of_case(case).unwrap_or_default();
        let groups = program.clauses.values().flat_map(|clause| match clause {
            Clause::Alu(groups) => groups.as_slice(),
            Clause::Fetch(..) => &[],
        });
        let each = |group: &Group| {
            group.instructions.iter().map(|alu| shape(group, Some(alu))).collect::<Vec<_>>()
        };
        groups.flat_map(each).collect()
    }

    fn executed(case: &Case, state: &State, parts: Parts) -> Vec<Form> {
        forms::executed(case, state, parts)
    }

    fn parts(case: &Case, state: &State, place: &str) -> Parts {
        forms::parts(case, state, place)
    }

    fn of_parts<T>(Parts(units): Parts, work: impl FnOnce() -> T) -> T {
        of_units(units, work)
    }

    const FEATURES: &'static [&'static str] = forms::NAMES;

    fn form(case: &Case, state: &State, place: &str) -> Form {
        let mut forms = forms::writing(case, state, place);
        if forms.len() == 1 { forms.swap_remove(0) } else { Form::default() }
    }

    fn without(case: Case, is_left_out: &mut dyn FnMut(&Form) -> bool) -> Option<Case> {
        without::without(case, is_left_out)
    }

    fn first_steps(case: &Case, steps: u64) -> Vec<u64> {
        without::first_steps(case, steps)
    }

    fn up_to(case: &Case, steps: u64, without: Option<u64>) -> Option<Case> {
        without::up_to(case, steps, without)
    }

    fn mnemonic(case: &Case, state: &State) -> String {
        if state.in_clause != 0 {
            return "group".to_owned();
        }
        let program = Program::of_case(case).unwrap_or_default();
        let opcode = program.control_flow.get(&state.cf).and_then(|cf| cf.opcode());
        opcode.map_or("end", CfOpcode::mnemonic).to_owned()
    }

    /// The instruction of a group that writes the element, all that may where that is not known; of a fetch clause the
    /// last fetch that may.
    fn writer(case: &Case, state: &State, place: &str) -> String {
        let forms = forms::writing(case, state, place);
        let first = if state.in_clause == 0 { forms.len().saturating_sub(1) } else { 0 };
        let sorted: BTreeSet<_> = forms[first..].iter().map(Form::mnemonic).collect();
        sorted.into_iter().collect::<Vec<_>>().join("+")
    }

    fn kept_writer(case: &Case, state: &State, place: &str) -> String {
        match state.in_clause {
            0 => Self::mnemonic(case, state),
            _ => Self::writer(case, state, place),
        }
    }
}
