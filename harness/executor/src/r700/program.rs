//! Programs made ready to run: control flow instructions with the groups or fetches of their clauses.

use parallax_isa::r700::Case;

use super::{
    decode::{self, ControlFlow, Fetch, FlowOperation},
    ready::{self, ReadyGroup},
    surroundings::Surroundings,
};

/// Longest program, in dwords.
const LARGEST_PROGRAM: usize = 4 << 20;

/// A control flow instruction with the groups or the fetches of its clause.
pub(super) struct Ready {
    pub(super) flow: ControlFlow,
    pub(super) groups: Vec<ReadyGroup>,
    pub(super) fetches: Vec<Fetch>,
}

/// Decodes the control flow instructions, which stand from address 0 to the first clause that one
/// of them runs, and their clauses (decision D-r700-step).
pub(super) fn prepare(case: &Case) -> Result<Vec<Ready>, decode::DecodeError> {
    let refuse = |address: u32, message: &str| {
        Err(decode::DecodeError { address, message: message.to_owned() })
    };
    if case.program.len() > LARGEST_PROGRAM || !case.program.len().is_multiple_of(2) {
        return refuse(0, "the program is too long or cut inside a 64-bit word");
    }
    let mut end = case.program.len() as u32 / 2;
    let mut program = Vec::new();
    let mut clauses = Vec::new();
    let mut ends = false;
    while (program.len() as u32) < end {
        let place = program.len() as u32;
        let flow = decode::control_flow(&case.program, place)?;
        let mut ready = Ready { flow, groups: Vec::new(), fetches: Vec::new() };
        let clause = match &ready.flow.operation {
            FlowOperation::Alu(clause) => {
                let around = Surroundings::of(case, clause);
                for group in decode::groups(&case.program, clause)? {
                    ready.groups.push(ready::prepare(group, case.prefer_vector, &around));
                }
                Some((clause.address, clause.count))
            }
            FlowOperation::Fetch(clause) => {
                ready.fetches = decode::fetches(&case.program, clause)?;
                Some((clause.address, 2 * clause.count))
            }
            _ => None,
        };
        if let Some((address, length)) = clause {
            if address <= place {
                return refuse(address, "a clause lies over control flow instructions");
            }
            end = end.min(address);
            clauses.push((address, length));
        }
        ends |= ready.flow.end_of_program;
        program.push(ready);
    }
    clauses.sort_unstable();
    clauses.dedup();
    if let Some(pair) = clauses.windows(2).find(|pair| pair[1].0 < pair[0].0 + pair[0].1) {
        return refuse(pair[1].0, "clauses lie over one another");
    }
    if ends { Ok(program) } else { refuse(end, "no instruction has END_OF_PROGRAM") }
}
