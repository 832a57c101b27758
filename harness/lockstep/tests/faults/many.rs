//! An engine with many mistakes at once, as a stranger's engine is on its first evening: each has a finding of
//! its own, without any of them being mended in between.

use std::{collections::BTreeMap, sync::atomic::AtomicBool};

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Engine,
    eu::{
        Case, DataType, Instruction, Opcode,
        instruction::{ConditionalModifier as Condition, MathFunction, PredicateControl},
        operand::{Region, Register, Source, VerticalStride},
    },
};
use parallax_lockstep::{
    campaign::{Bound, Cause, campaign},
    eu::{Eu, generate},
    suite::{Suite, lockstep::LockstepSuite},
    trace::{self, Trace},
};

use crate::{
    campaign::plan,
    eu::later::fault,
    kit::{Fault, Faulty, divergence, eu::rewrite},
    suspects::cards,
};

/// Mistakes that one instruction makes with some operands, or several with some types.
const OWN: &[Fault<Eu>] = &[
    rewrite("f0.1 taken for f1.0", |i| {
        let uses = i.predicate.control != PredicateControl::None || i.condition != Condition::None;
        let is_it =
            uses && (i.flag_register, i.flag_subregister) == (0, 1) && i.execution_size < 32;
        is_it.then(|| (i.flag_register, i.flag_subregister) = (1, 0))
    }),
    rewrite("cmp of :ud compared as signed", |i| {
        (i.opcode == Opcode::Cmp).then_some(())?;
        retype(i, DataType::Ud, DataType::D)
    }),
    rewrite("sel of :ud compared as signed", |i| {
        (i.opcode == Opcode::Sel && i.condition != Condition::None).then_some(())?;
        retype(i, DataType::Ud, DataType::D)
    }),
    rewrite("negation in logic dropped", |i| {
        let is_logic = matches!(i.opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not);
        is_logic.then_some(())?;
        modified(i, |_| true)
    }),
    rewrite("modifiers of words dropped", |i| {
        let is_arithmetic =
            !matches!(i.opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not);
        is_arithmetic.then_some(())?;
        modified(i, |data_type| data_type == DataType::W)
    }),
    rewrite("rows of 16 elements repeat 8", |i| {
        i.sources.iter_mut().find_map(|source| match source {
            Source::Register {
                region: Region::Align1 { vertical, width: width @ 16, horizontal: 1 },
                ..
            } => {
                (*vertical, *width) = (VerticalStride::Elements(0), 8);
                Some(())
            }
            _ => None,
        })
    }),
    rewrite("mov :f <- :ud converts signed numbers", |i| {
        (i.opcode == Opcode::Mov && i.destination.data_type == DataType::F).then_some(())?;
        retype(i, DataType::Ud, DataType::D)
    }),
    rewrite("signed quotients taken for unsigned ones", |i| {
        matches!(i.math, Some(MathFunction::Iqot)).then_some(())?;
        i.destination.data_type = DataType::Ud;
        retype(i, DataType::D, DataType::Ud)
    }),
    rewrite("subregister of coefficients ignored", |i| {
        matches!(i.opcode, Opcode::Line | Opcode::Pln).then_some(())?;
        match &mut i.sources[0] {
            Source::Register { register: Register::Direct { subregister, .. }, .. }
                if *subregister > 0 =>
            {
                *subregister = 0;
                Some(())
            }
            _ => None,
        }
    }),
    rewrite("add of integers to :f negates one", |i| {
        let integers = i.sources[..2].iter().all(|source| !source.data_type().is_float());
        let is_it = i.opcode == Opcode::Add && i.destination.data_type == DataType::F && integers;
        is_it.then_some(())?;
        match &mut i.sources[0] {
            Source::Register { modifier, .. } => {
                modifier.negate = !modifier.negate;
                Some(())
            }
            Source::Immediate { .. } => None,
        }
    }),
];

/// Gives all sources of a type another one.
fn retype(i: &mut Instruction, from: DataType, to: DataType) -> Option<()> {
    let mut changed = None;
    for source in &mut i.sources {
        match source {
            Source::Register { data_type, .. } | Source::Immediate { data_type, .. }
                if *data_type == from =>
            {
                *data_type = to;
                changed = Some(());
            }
            _ => {}
        }
    }
    changed
}

/// Drops the modifiers of sources of some types.
fn modified(i: &mut Instruction, is: fn(DataType) -> bool) -> Option<()> {
    let mut changed = None;
    for source in &mut i.sources {
        if let Source::Register { modifier, data_type, .. } = source
            && is(*data_type)
            && (modifier.negate || modifier.absolute)
        {
            *modifier = Default::default();
            changed = Some(());
        }
    }
    changed
}

/// Mistakes that other tables have.
const OTHERS: &[&str] = &[
    "exp taken for log",
    "frc taken for rndd",
    "not taken for mov",
    "operands of shl swapped",
    "shr taken for asr",
    "packed floats in another order",
    "packed signed vector read as unsigned",
    "NoMask ignored",
    "bfrev taken for not",
    "avg taken for add",
    "cbit taken for fbl",
    "dp3 taken for dp4",
    "sel by order takes the other one",
];

fn mistakes() -> Vec<Fault<Eu>> {
    let others = OTHERS.iter().map(|name| fault(name).unwrap_or_else(|| panic!("no fault {name}")));
    OWN.iter().copied().chain(others).collect()
}

/// The findings of a campaign against an engine with all mistakes, those that showed in most cases first.
fn findings(cases: u64) -> Vec<Cause> {
    let device = Device::Skl;
    let generate = move |bytes: &[u8]| generate::straight_line(device, bytes);
    let suite = LockstepSuite::<Eu>::new("planted", device.name(), generate::BYTES, generate);
    let suite = suite.with_engine(|| {
        let right: Box<dyn Engine<Eu>> = Box::new(Executor::new());
        mistakes().into_iter().fold(right, |engine, fault| Box::new(Faulty::around(engine, fault)))
    });
    let suites: Vec<Box<dyn Suite>> = vec![Box::new(suite)];
    let summary = campaign(&plan(11, Bound::Cases(cases)), suites, &AtomicBool::new(false), |_| ());
    summary.expect("it starts").findings
}

/// The mistakes that the smallest case of a cause shows, each by itself.
fn shown(cause: &Cause) -> Vec<&'static str> {
    let trace = cause.finding.trace.as_ref().expect("a trace");
    let trace: Trace<Eu> = trace::from_bytes(trace).expect("a whole trace");
    let case: &Case = &trace.case;
    let shows = |fault: &Fault<Eu>| divergence(&mut Faulty::new(*fault), case).is_some();
    mistakes().into_iter().filter(shows).map(|fault| fault.name).collect()
}

/// Nine in ten mistakes have a finding of their own, and none hides behind another one.
#[test]
fn each_of_many_mistakes_has_a_finding_of_its_own() {
    let findings = findings(3000);
    let cards = cards(&findings);
    let mut by_mistake: BTreeMap<&str, usize> = BTreeMap::new();
    let mut mixed = Vec::new();
    for card in &cards {
        let shown: Vec<_> = card.iter().map(|place| shown(&findings[*place])).collect();
        for place in card {
            let Cause { finding, signature, .. } = &findings[*place];
            let (cases, signature) = (findings[*place].cases(), signature.as_deref());
            let signature = signature.unwrap_or("-");
            println!("{cases:5} {:14} [{signature}] {}", finding.kind, finding.instruction);
        }
        println!("      {shown:?}");
        let first = shown[0].first().copied().unwrap_or("nothing");
        *by_mistake.entry(first).or_default() += 1;
        if shown.iter().any(|shown| shown.len() != 1 || shown[0] != first) {
            mixed.push(first);
        }
    }
    let hidden: Vec<_> = mistakes()
        .into_iter()
        .map(|m| m.name)
        .filter(|name| !by_mistake.contains_key(name))
        .collect();
    println!(
        "{} cards, {} mistakes, hidden {hidden:?}, mixed {mixed:?}",
        cards.len(),
        mistakes().len()
    );
    println!("{by_mistake:?}");
    assert!(hidden.len() * 10 <= mistakes().len(), "{hidden:?}");
    assert!(cards.len() <= mistakes().len() * 3 / 2, "{} cards", cards.len());
    assert!(mixed.is_empty(), "{mixed:?}");
}
