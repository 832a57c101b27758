//! What exports and emissions must be to each other (sections 3.4.1 and 3.5).

use super::{Findings, breaks, graph::Graph};
use crate::r700::{
    instruction::Cf,
    opcode::{CfFormat, CfOpcode},
    program::Program,
};

/// Kinds of exports, by `TYPE`.
const KINDS: [&str; 3] = ["pixel", "position", "parameter"];

pub(super) fn check(program: &Program, graph: &Graph, findings: &mut Findings) {
    for (kind, address) in open(program, graph) {
        breaks!(
            findings,
            address,
            ["r700.exp.done"],
            "the program can end behind this EXPORT without another {kind} export: the last one must be EXPORT_DONE"
        );
    }
    emissions(program, graph, findings);
}

/// Kind and address of `EXPORT` instructions that may be the last of their kind.
fn open<'a>(
    program: &'a Program,
    graph: &'a Graph,
) -> impl Iterator<Item = (&'static str, u32)> + 'a {
    let kind_of = move |address: u32| match program.control_flow.get(&address) {
        Some(Cf::Export(word)) => Some(word.kind() as usize),
        _ => None,
    };
    let is_done = move |address: &u32| {
        let cf = program.control_flow.get(address);
        cf.and_then(|cf| cf.opcode()) == Some(CfOpcode::ExportDone)
    };
    let kinds = KINDS.iter().enumerate();
    kinds.flat_map(move |(kind, name)| {
        let last = graph.last(|address| kind_of(address) == Some(kind)).into_iter();
        last.filter(move |address| !is_done(address)).map(|address| (*name, address))
    })
}

/// An emission announces a vertex that was written.
fn emissions(program: &Program, graph: &Graph, findings: &mut Findings) {
    let opcode = |address: u32| program.control_flow.get(&address).and_then(|cf| cf.opcode());
    let writes = |address: u32| opcode(address).is_some_and(|o| o.format() == CfFormat::Memory);
    for address in graph.never_behind(writes) {
        let Some(opcode @ (CfOpcode::EmitVertex | CfOpcode::EmitCutVertex)) = opcode(address)
        else {
            continue;
        };
        breaks!(
            findings,
            address,
            ["r700.cf.emit.after-export"],
            "{} announces a vertex, but nothing on the way to it writes one to the ring buffer",
            opcode.mnemonic()
        );
    }
}
