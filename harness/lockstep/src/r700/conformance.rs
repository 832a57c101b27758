//! The traces of a conformance set of R700.

use std::collections::BTreeSet;

use parallax_engine::Hello;
use parallax_isa::{
    Device,
    r700::{AluOpcode, Case, CfOpcode, FetchOpcode, Program, R700, program::Clause},
};

use super::{
    flow, generate,
    generate::{memory, texture},
    outside::{Limited, case_beyond},
};
use crate::{
    conformance::Shortest,
    minimize::Shrink as _,
    outside::{Limits as _, Portable as _},
    random::{SplitMix64, case_seed},
    wanted::{Candidate, Wanted},
};

/// Steps of a case: the start of a clause is one, and so is each of its groups.
const STEPS: u64 = 6;

/// Pixels whose registers differ: those of the others repeat them.
const PIXELS: usize = 8;

/// Programs of all instructions that are made to find those which are none of ALU clauses.
const PROGRAMS: u64 = 200;

/// What groups may have that show one thing more, and the banks that this takes.
const SPECIAL: [(&str, &[&str]); 5] = [
    ("constants", &[]),
    ("relative", &["AR"]),
    ("predicate", &["predicate"]),
    ("source-modifiers", &[]),
    ("output-modifiers", &[]),
];

/// The name of a trace: `mul-ieee`.
fn file_name(mnemonic: &str) -> String {
    mnemonic.to_lowercase().replace('_', "-")
}

/// What a device's set should have.
pub(super) fn wanted(device: Device, seed: u64) -> Vec<Wanted<R700>> {
    if device != Device::Rv770 {
        return Vec::new();
    }
    let mut wanted = Vec::new();
    for opcode in AluOpcode::ALL {
        let mnemonic = opcode.mnemonic();
        let name = file_name(mnemonic);
        let plain = Candidate::new(name.clone(), move |seed| {
            case(mnemonic, None, seed).or_else(|| case(mnemonic, Some(SPECIAL[2]), seed))
        });
        wanted.push(Wanted::new(name.clone(), vec![plain]));
        wanted.extend(SPECIAL.map(|special| {
            let of = format!("{name}-{}", special.0);
            let special = Candidate::new(of, move |seed| case(mnemonic, Some(special), seed));
            Wanted::optional(name.clone(), vec![special])
        }));
    }
    let mut shortest = programs(device, seed);
    let flow = CfOpcode::ALL.iter().map(|opcode| format!("cf-{}", file_name(opcode.mnemonic())));
    let fetches = FetchOpcode::ALL.iter().map(|opcode| file_name(opcode.mnemonic()));
    wanted.extend(
        flow.chain(fetches)
            .map(|name| Wanted::new(name.clone(), shortest.candidates(&name, &name))),
    );
    wanted
}

/// An engine that has one instruction and some features.
fn engine(mnemonic: &str, features: &[&str], banks: &[&str]) -> Hello {
    let hello = Hello::new("", &[Device::Rv770.name()], &[&["R"], banks].concat());
    Hello {
        machine: "r700".to_owned(),
        instructions: Some([mnemonic.to_owned()].into_iter().collect()),
        features: Some(features.iter().map(|feature| (*feature).to_owned()).collect()),
        ..hello
    }
}

/// The case of a seed of groups of an instruction that have a feature.
fn case(mnemonic: &str, special: Option<(&str, &[&str])>, seed: u64) -> Option<Case> {
    let (features, banks): (Vec<&str>, &[&str]) = match special {
        Some((feature, banks)) => (vec![feature], banks),
        None => (Vec::new(), &[]),
    };
    let limited = Limited::Gathered(engine(mnemonic, &features, banks).into());
    let mut bytes = vec![0; generate::BYTES];
    let mut generate = |seed| {
        SplitMix64::new(seed).fill(&mut bytes);
        generate::groups(Device::Rv770, &bytes)
    };
    let case = limited.case(seed, &mut generate)?;
    let mut case = R700::cut(&case, STEPS).ok().flatten().unwrap_or(case);
    for lanes in case.state.gpr.as_flattened_mut() {
        let (first, rest) = lanes.split_at_mut(PIXELS);
        rest.chunks_mut(PIXELS).for_each(|pixels| pixels.copy_from_slice(first));
    }
    // It shows the feature only if an engine without it could not run it.
    let is_special = || case_beyond(&case, &engine(mnemonic, &[], &[])).is_some();
    (special.is_none() || is_special()).then_some(case)
}

/// The shortest of many programs, by the control-flow instructions and fetches that they have.
fn programs(device: Device, seed: u64) -> Shortest<Case> {
    let mut shortest = Shortest::new();
    let mut bytes = vec![0; memory::BYTES.max(texture::BYTES).max(flow::BYTES)];
    for number in 0..PROGRAMS {
        SplitMix64::new(case_seed(seed, "programs", device.name(), number)).fill(&mut bytes);
        for make in [generate::groups, memory::memory, texture::textures, flow::any] {
            let case = make(device, &bytes);
            let Ok(program) = Program::of_case(&case) else { continue };
            let control_flow = program.control_flow.values().filter_map(|cf| cf.opcode());
            let flow = control_flow.map(|opcode| format!("cf-{}", file_name(opcode.mnemonic())));
            let fetches = program.clauses.values().flat_map(|clause| match clause {
                Clause::Fetch(_, fetches) => fetches.clone(),
                Clause::Alu(_) => Vec::new(),
            });
            let fetches = fetches.filter_map(|fetch| fetch.opcode());
            let fetches = fetches.map(|opcode| file_name(opcode.mnemonic()));
            let names: BTreeSet<_> = flow.chain(fetches).collect();
            shortest.offer(&case, R700::length(&case), names.into_iter());
        }
    }
    shortest
}
