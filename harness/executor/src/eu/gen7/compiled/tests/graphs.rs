//! Blocks with branches between them against the interpreter: loops whose channels leave one by one, and ways
//! around what some of them do not do.

use std::{collections::HashSet, mem::discriminant};

use iced_x86::{Mnemonic, Register};
use parallax_isa::{Device, eu::text};
use proptest::prelude::*;

use super::super::graph::{Graph, nodes};
use crate::{
    eu::{
        compiled::{
            Ran,
            tests::{
                changes::{Fault, code_of_nodes, each, other, turned, without},
                stays_in_its_places,
            },
        },
        description::{LaterBehind, LaterKind},
        gen7::{fields::Generation, program::Program},
    },
    machine_code::changes::Random,
    simd::Avx2,
};

/// Programs among which each fault has to show.
const PROGRAMS: u64 = 2_000;

/// A program being written.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    labels: usize,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn place(&mut self, label: &str) {
        self.line(&format!("{label}: nop"));
    }

    fn predicate(&mut self) -> &'static str {
        ["(f0.0)", "(-f0.0)", "(f1.0)", "(-f1.0)"][self.random.below(4)]
    }

    fn register(&mut self) -> String {
        format!("r{}.0", 2 + 2 * self.random.below(6))
    }

    /// Instructions within so many ifs of a loop; channels that leave go by the end of the innermost to
    /// the last instruction of the loop.
    fn body(&mut self, depth: usize, end: &str, turn: &str) {
        for _ in 0..1 + self.random.below(4) {
            let [a, b, c] = [(); 3].map(|()| self.register());
            match self.random.below(if depth < 3 { 6 } else { 4 }) {
                0 | 1 => {
                    self.line(&format!("add (16|M0) {a}<1>:d {b}<8;8,1>:d {c}<8;8,1>:d"));
                }
                2 => {
                    let flag = self.random.below(2);
                    self.line(&format!(
                        "cmp.l.f{flag}.0 (16|M0) null<1>:d {b}<8;8,1>:d {c}<8;8,1>:d"
                    ));
                }
                3 => {
                    let way = ["break", "cont"][self.random.below(2)];
                    let when = self.predicate();
                    self.line(&format!("{when} {way} (16|M0) {end} {turn}"));
                }
                _ => self.conditional(depth, end, turn),
            }
        }
    }

    fn conditional(&mut self, depth: usize, end: &str, turn: &str) {
        let (own, when) = (self.label(), self.predicate());
        if self.random.one_in(3) {
            self.line(&format!("{when} goto (16|M0) {own} {own}"));
            self.body(depth + 1, &own, turn);
            return self.line(&format!("{own}: join (16|M0) {end}"));
        }
        if self.random.one_in(2) {
            let [middle, behind] = [(); 2].map(|()| self.label());
            self.line(&format!("{when} if (16|M0) {behind} {own}"));
            self.body(depth + 1, &middle, turn);
            self.line(&format!("{middle}: else (16|M0) {own} {own}"));
            self.place(&behind);
        } else {
            self.line(&format!("{when} if (16|M0) {own} {own}"));
        }
        self.body(depth + 1, &own, turn);
        self.line(&format!("{own}: endif (16|M0) {end}"));
    }

    fn repeat(&mut self) {
        let [top, turn] = [(); 2].map(|()| self.label());
        self.place(&top);
        self.body(0, &turn, &turn);
        let when = self.predicate();
        if self.random.one_in(2) {
            return self.line(&format!("{turn}: {when} while (16|M0) {top}"));
        }
        let behind = self.label();
        self.line(&format!("{turn}: {when} goto (16|M0) {behind} {top} {{BranchCtrl}}"));
        self.line(&format!("{behind}: join (16|M0) {behind}"));
    }
}

fn program(random: &mut Random) -> Program {
    let mut writer = Writer { random, text: String::new(), labels: 0 };
    writer.line("add (16|M0) r2.0<1>:d r2.0<8;8,1>:d r4.0<8;8,1>:d");
    for _ in 0..1 + writer.random.below(2) {
        writer.repeat();
    }
    writer.line("nop");
    let assembly = text::parse(Device::Skl, &writer.text)
        .unwrap_or_else(|wrong| panic!("{wrong:?} in\n{}", writer.text));
    let bytes = assembly.program.bytes();
    Program::load(Generation::Gen9, bytes).expect("it loads")
}

/// What a fault makes of the code of a program, or no fault; `None` if there is no fault to make.
fn run(proof: Avx2, random: &mut Random, fault: Option<Fault>) -> Option<(Graph, Ran)> {
    let program = program(random);
    let mut state = super::state(random);
    state.channel_ip = [0; 32];
    state.status[2..].fill(if random.one_in(2) { u32::MAX } else { random.bits() });
    state.ip = 0;
    let nodes = nodes(&program, 0, &state);
    let graph = Graph { code: code_of_nodes(proof, &nodes, fault)? };
    let steps = random.below(400) as u64;
    let ran = graph.run_checked(&program, &mut state, &mut Vec::new(), steps);
    Some((graph, ran))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn compiled_branches_of_gen7_do_what_the_interpreter_does(seed in any::<u64>()) {
        let Some(proof) = Avx2::detect() else { return Ok(()) };
        let (graph, ran) = run(proof, &mut Random(seed), None).expect("no fault to make");
        prop_assert_ne!(ran, Ran::Otherwise);
        stays_in_its_places(&graph.code)?;
    }
}

#[test]
fn programs_of_gen7_run_through_their_branches() {
    let Some(proof) = Avx2::detect() else { return };
    let steps = (0..200).filter_map(|seed| match run(proof, &mut Random(seed), None)?.1 {
        Ran::Steps(steps) => Some(steps),
        _ => None,
    });
    let many = steps.filter(|steps| *steps > 20).count();
    assert!(many > 50, "{many} of 200");
}

#[test]
fn programs_of_gen7_have_every_branch_that_moves_channels() {
    let mut random = Random(1);
    let state = super::state(&mut random);
    let kinds: HashSet<_> = (0..50)
        .flat_map(|_| nodes(&program(&mut random), 0, &state))
        .filter_map(|node| match node.behind {
            LaterBehind::Branch(branch) => Some(discriminant(&branch.kind)),
            LaterBehind::Next(_) => None,
        })
        .collect();
    use LaterKind::{Break, Continue, Else, EndIf, GotoBack, If, While};
    let all = [If { to: 0 }, Else { to: 0 }, EndIf, While, Break, Continue, GotoBack];
    let missing: Vec<_> =
        all.into_iter().filter(|kind| !kinds.contains(&discriminant(kind))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Faults of a compiler of branches, by what they do.
const FAULTS: &[(&str, Fault)] = &[
    ("branches turned", |code| each(code, turned)),
    ("channels that wait nowhere", |code| {
        each(code, |i| without(i, Mnemonic::Vblendvps, Register::YMM0))
    }),
    ("channels that are active while they wait", |code| {
        each(code, |i| without(i, Mnemonic::Not, Register::ECX))
    }),
    ("channels that go on and wait", |code| {
        each(code, |i| without(i, Mnemonic::Vpandn, Register::YMM0))
    }),
    ("channels that a break sent wait for ever", |code| {
        each(code, |i| without(i, Mnemonic::Vpor, Register::YMM5))
    }),
    ("channels that were not dispatched", |code| {
        each(code, |i| without(i, Mnemonic::And, Register::ECX))
    }),
    ("eights of channels for others", |code| {
        each(code, |i| {
            other(i, Mnemonic::Shl, |i| {
                if i.op0_register() == Register::EAX && i.immediate8() == 8 {
                    i.set_immediate8(16);
                }
            })
        })
    }),
    ("an else that nobody waits behind", |code| {
        each(code, |i| without(i, Mnemonic::Or, Register::EAX))
    }),
];

#[test]
fn faults_of_branches_of_gen7_are_found() {
    let Some(proof) = Avx2::detect() else { return };
    let is_found = |fault: Fault| {
        (0..PROGRAMS).any(|seed| {
            let ran = run(proof, &mut Random(seed), Some(fault));
            ran.is_some_and(|(_, ran)| ran == Ran::Otherwise)
        })
    };
    let missed = FAULTS.iter().filter(|(_, fault)| !is_found(*fault));
    let missed: Vec<_> = missed.map(|(name, _)| name).collect();
    assert!(missed.is_empty(), "not found: {missed:?}");
}
