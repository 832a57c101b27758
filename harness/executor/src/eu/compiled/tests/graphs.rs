//! Blocks with branches between them against the interpreter: loops and ways around them, nested, some
//! with a branch that leads anywhere.

use std::{cell::Cell, mem::offset_of};

use iced_x86::{Code as Opcode, Instruction as Machine, Mnemonic, Register};
use parallax_isa::{
    Device,
    eu::{DataType, State, register::RegisterFile, state::control},
};
use proptest::prelude::*;

use super::{
    Random,
    changes::{Change, Fault, each, turned, without},
    compiled_instruction, setting, state, stays_in_its_places,
};
use crate::{
    eu::{
        compiled::{
            Ran, branches::assemble_graph, compiled_graph::CompiledGraph, graph::Graph, pages::Code,
        },
        condition::Condition,
        flow,
        instruction::{Compression, Destination, Instruction, Origin, Source},
        mask::Predicate,
        program::Program,
    },
    simd::Avx2,
};

/// Programs among which each fault has to show.
const PROGRAMS: u64 = 4_000;
/// The most instructions of a program, about.
const LENGTH: usize = 40;

/// A program being written.
struct Text {
    instructions: Vec<Instruction>,
}

impl Text {
    fn branch(&mut self, random: &mut Random, name: &str) -> usize {
        let operation = flow::ROWS.iter().find(|row| row.name == name).expect("a branch");
        let zero = Source::Immediate { data_type: DataType::D, bits: 0 };
        let is_predicated = !matches!(name, "else" | "endif" | "do") && !random.one_in(4);
        self.instructions.push(Instruction {
            operation,
            execution_size: [8, 16][random.below(2)],
            align16: false,
            no_mask: random.one_in(16),
            compression: Compression::None,
            predicate: if is_predicated { Predicate::Sequential } else { Predicate::None },
            predicate_inverse: random.one_in(2),
            condition: Condition::None,
            flag: random.below(2) as u8,
            saturate: false,
            breakpoint: false,
            destination: Destination {
                file: RegisterFile::Arf,
                data_type: DataType::D,
                origin: Origin::Direct { number: 0, subregister: 0 },
                stride: 1,
                channel_enable: 0xF,
            },
            sources: [zero, zero],
            last_dword: 0,
            message_register: 0,
        });
        self.instructions.len() - 1
    }

    /// Gives a branch its target and the levels that it pops.
    fn lead(&mut self, branch: usize, target: usize, pops: u32) {
        let distance = (target as i16).wrapping_sub(branch as i16);
        let branch = &mut self.instructions[branch];
        branch.last_dword = pops << 16 | u32::from(distance.cast_unsigned());
        let bits = u32::from(distance.wrapping_sub(1).cast_unsigned());
        branch.sources[1] = Source::Immediate { data_type: DataType::D, bits };
    }

    /// Instructions one after the other, within so many ifs of a loop if they are in one; the branches
    /// out of the loop are added to those given.
    fn body(&mut self, random: &mut Random, depth: usize, ifs: u32, out: &mut Vec<(usize, u32)>) {
        for _ in 0..1 + random.below(4) {
            if self.instructions.len() > LENGTH {
                return;
            }
            match random.below(if depth < 3 { 9 } else { 5 }) {
                4 => {
                    let name = ["break", "cont", "halt", "jmpi"][random.below(4)];
                    let branch = self.branch(random, name);
                    self.lead(branch, branch + 1, ifs);
                    match name {
                        "break" | "cont" => out.push((branch, ifs)),
                        _ => {
                            let target = branch + 1 + random.below(4);
                            self.lead(branch, target, 0);
                        }
                    }
                }
                5 | 6 => {
                    let name = ["if", "if", "iff"][random.below(3)];
                    let begin = self.branch(random, name);
                    self.body(random, depth + 1, ifs + 1, out);
                    let middle = random.one_in(2).then(|| {
                        let middle = self.branch(random, "else");
                        self.body(random, depth + 1, ifs + 1, out);
                        middle
                    });
                    let end = self.branch(random, "endif");
                    self.lead(end, end, 1);
                    self.lead(begin, middle.unwrap_or(end), 1);
                    if let Some(middle) = middle {
                        self.lead(middle, end + 1, 1);
                    }
                }
                7 | 8 => {
                    let begin = self.branch(random, "do");
                    let mut out = Vec::new();
                    self.body(random, depth + 1, 0, &mut out);
                    let end = self.branch(random, "while");
                    self.lead(end, begin + 1, 0);
                    for (branch, ifs) in out {
                        let is_break = self.instructions[branch].operation.name == "break";
                        self.lead(branch, if is_break { end + 1 } else { end }, ifs);
                    }
                }
                _ => self.instructions.push(compiled_instruction(random)),
            }
        }
    }
}

fn program(random: &mut Random) -> Program {
    let mut text = Text { instructions: vec![compiled_instruction(random)] };
    while text.instructions.len() < LENGTH / 2 {
        text.body(random, 0, 0, &mut Vec::new());
    }
    if random.one_in(4) {
        let target = random.below(text.instructions.len());
        let branches = text.instructions.iter().enumerate();
        let branches = branches.filter(|(_, instruction)| instruction.data().is_none());
        let branches: Vec<usize> = branches.map(|(index, _)| index).collect();
        if !branches.is_empty() {
            let branch = branches[random.below(branches.len())];
            text.lead(branch, target, random.below(4) as u32);
        }
    }
    Program::of(Device::G45, &text.instructions)
}

/// A state at the begin of a program, some of whose stacks are nearly full.
fn start(random: &mut Random, open: bool) -> State {
    let mut state = state(random, open);
    state.ip = 0;
    state.mask_stack_depth =
        std::array::from_fn(|_| [0, 3, 10, 11, 12, 13, 14, 15][random.below(8)]);
    let depths = state.mask_stack_depth;
    for (counters, depth) in state.mask_stack.iter_mut().zip(depths) {
        for counter in counters {
            let most = if random.one_in(4) { usize::from(depth) } else { 2 };
            *counter = random.below(most + 1) as u8;
        }
    }
    state
}

/// What a fault makes of the code of a program, or no fault; `None` if there is no code or no fault to
/// make.
fn run(
    proof: Avx2,
    random: &mut Random,
    open: bool,
    fault: Option<Fault>,
) -> Option<(CompiledGraph, Ran)> {
    let program = program(random);
    let mut state = start(random, open);
    let accumulator_disabled = state.control[0] & control::ACCUMULATOR_DISABLE != 0;
    let setting = setting(false, accumulator_disabled);
    let graph = Graph::of(&program, 0, setting)?;
    let mut assembled = assemble_graph(&program, &graph, setting).expect("what is planned");
    if !fault.is_none_or(|fault| fault(&mut assembled)) {
        return None;
    }
    let compiled = CompiledGraph::of(Code::new(proof, assembled).expect("little code"), setting);
    let steps = random.below(300) as u64;
    let ran = compiled.run_checked(&program, &mut state, &mut Vec::new(), steps);
    Some((compiled, ran))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn compiled_branches_do_what_the_interpreter_does(seed in any::<u64>(), open in any::<bool>()) {
        let Some(proof) = Avx2::detect() else { return Ok(()) };
        if let Some((compiled, ran)) = run(proof, &mut Random(seed), open, None) {
            prop_assert_ne!(ran, Ran::Otherwise);
            stays_in_its_places(compiled.code())?;
        }
    }
}

#[test]
fn programs_run_through_their_branches() {
    let Some(proof) = Avx2::detect() else { return };
    let steps = (0..500).filter_map(|seed| match run(proof, &mut Random(seed), true, None)?.1 {
        Ran::Steps(steps) => Some(steps),
        _ => None,
    });
    let many = steps.filter(|steps| *steps > 20).count();
    assert!(many > 25, "{many} of 500");
}

/// Another instruction with the same operands.
fn instead(machine: Machine, from: Opcode, to: Opcode) -> Option<Change> {
    (machine.code() == from).then(|| {
        let mut other = machine;
        other.set_code(to);
        Change::Other(other)
    })
}

/// Faults of a compiler of branches, by what they do.
const FAULTS: &[(&str, Fault)] = &[
    ("branches turned", |code| each(code, turned)),
    ("channels not active any more", |code| {
        each(code, |i| without(i, Mnemonic::And, Register::R9W))
    }),
    ("levels that are not pushed", |code| {
        each(code, |i| without(i, Mnemonic::Vpsubb, Register::XMM0))
    }),
    ("levels that are not popped", |code| {
        each(code, |i| without(i, Mnemonic::Vpsubusb, Register::XMM0))
    }),
    ("counters below zero", |code| {
        each(code, |i| {
            instead(i, Opcode::VEX_Vpsubusb_xmm_xmm_xmmm128, Opcode::VEX_Vpsubb_xmm_xmm_xmmm128)
        })
    }),
    ("channels of a level for those of none", |code| {
        each(code, |i| {
            instead(i, Opcode::VEX_Vpcmpeqb_xmm_xmm_xmmm128, Opcode::VEX_Vpcmpgtb_xmm_xmm_xmmm128)
        })
    }),
    ("a full stack not noticed", |code| each(code, |i| without(i, Mnemonic::Ja, Register::None))),
    ("a stack of more than twelve levels not noticed", |code| {
        // An `if` looks for twelve levels, and no more, instead of for more than eleven.
        let looks = Cell::new(false);
        each(code, |i| match i.mnemonic() {
            Mnemonic::Cmp if i.memory_base() == Register::RDI => {
                looks.set(i.immediate8() == 11);
                looks.get().then(|| {
                    let mut other = i;
                    other.set_immediate8(12);
                    Change::Other(other)
                })
            }
            Mnemonic::Ja if looks.take() => {
                let code = match i.code() {
                    Opcode::Ja_rel8_64 => Opcode::Je_rel8_64,
                    _ => Opcode::Je_rel32_64,
                };
                instead(i, i.code(), code)
            }
            _ => None,
        })
    }),
    ("a cont that leaves the mask of the ifs it goes out of", |code| {
        let place = |mask: usize| (offset_of!(State, mask) + 2 * mask) as u64;
        let continues = Cell::new(false);
        each(code, |i| {
            let at = i.memory_displacement64();
            match i.mnemonic() {
                Mnemonic::Movzx if i.op0_register() == Register::EAX && at == place(3) => {
                    continues.set(true);
                    None
                }
                Mnemonic::Mov if i.op1_register() == Register::AX && at == place(1) => {
                    continues.take().then_some(Change::Nothing)
                }
                Mnemonic::Jmp => {
                    continues.set(false);
                    None
                }
                _ => None,
            }
        })
    }),
    ("depths not counted", |code| {
        each(code, |i| {
            let is_depth = i.memory_base() == Register::RDI && i.op0_register() == Register::None;
            (is_depth && i.mnemonic() == Mnemonic::Add).then_some(Change::Nothing)
        })
    }),
    ("steps that a branch did not take", |code| {
        each(code, |i| without(i, Mnemonic::Add, Register::R11))
    }),
    ("the loop masks not restored", |code| {
        each(code, |i| without(i, Mnemonic::Vpmovmskb, Register::EAX))
    }),
];

#[test]
fn faults_of_branches_are_found() {
    let Some(proof) = Avx2::detect() else { return };
    let is_found = |fault: Fault| {
        (0..PROGRAMS).any(|seed| {
            let open = seed % 2 == 0;
            let ran = run(proof, &mut Random(seed), open, Some(fault));
            ran.is_some_and(|(_, ran)| ran == Ran::Otherwise)
        })
    };
    let missed = FAULTS.iter().filter(|(_, fault)| !is_found(*fault));
    let missed: Vec<_> = missed.map(|(name, _)| name).collect();
    assert!(missed.is_empty(), "not found: {missed:?}");
}
