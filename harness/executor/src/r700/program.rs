//! Programs made ready to run: control flow instructions with the groups or fetches of their clauses.

use parallax_isa::r700::Case;

use super::{
    decode::{self, BranchKind, ControlFlow, DecodeError, Fetch, FlowOperation},
    ready::{self, ReadyGroup},
    surroundings::Surroundings,
};

/// Longest program, in dwords.
const LARGEST_PROGRAM: usize = 4 << 20;

/// Most groups that are made ready: many instructions may run the same clause.
const MOST_GROUPS: usize = 1 << 17;

/// A control flow instruction with the groups or the fetches of its clause.
pub(super) struct Ready {
    pub(super) flow: ControlFlow,
    pub(super) groups: Vec<ReadyGroup>,
    pub(super) fetches: Vec<Fetch>,
}

/// What a 64-bit word was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Unknown,
    Flow,
    /// Of a clause that starts at this address.
    Clause(u32, ClauseUse),
}

/// What runs a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClauseUse {
    Alu,
    Texture,
    Vertex,
}

/// The control flow instructions of a program.
#[derive(Default)]
pub(super) struct Flow {
    instructions: Vec<Ready>,
    /// Number of the instruction at each address, `NONE` where there is none.
    numbers: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Flow {
    /// The instruction at an address.
    #[inline]
    pub(super) fn at(&self, address: u32) -> Option<&Ready> {
        self.numbered(address).map(|(_, ready)| ready)
    }

    /// The same with its number.
    #[inline]
    pub(super) fn numbered(&self, address: u32) -> Option<(usize, &Ready)> {
        let number = *self.numbers.get(address as usize)? as usize;
        Some((number, self.instructions.get(number)?))
    }

    /// All of them.
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Ready> {
        self.instructions.iter()
    }

    fn add(&mut self, address: usize, ready: Ready) {
        if self.numbers.len() <= address {
            self.numbers.resize(address + 1, NONE);
        }
        self.numbers[address] = self.instructions.len() as u32;
        self.instructions.push(ready);
    }
}

/// Decodes a program.
///
/// Control flow instructions stand from address 0 to the first clause that one of them runs, or to
/// padding behind the end, and wherever the first instruction, the fetch program, a branch or a call
/// leads, from there to a clause, a RETURN or the end of the program (decision D-r700-step).
pub(super) fn prepare(case: &Case) -> Result<Flow, DecodeError> {
    if case.program.len() > LARGEST_PROGRAM || !case.program.len().is_multiple_of(2) {
        return refuse(0, "the program is too long or cut inside a 64-bit word");
    }
    let mut words = vec![Word::Unknown; case.program.len() / 2];
    let mut program = Flow::default();
    let mut entries = vec![0, case.state.cf, case.fetch_program];
    let (mut taken, mut groups) = (0, 0);
    while let Some(&entry) = entries.get(taken) {
        taken += 1;
        let mut place = entry as usize;
        let mut ended = false;
        while words.get(place) == Some(&Word::Unknown) {
            if ended && case.program[2 * place..][..2] == [0, 0] {
                break;
            }
            let ready = ready(case, place as u32)?;
            groups += ready.groups.len();
            if groups > MOST_GROUPS {
                return refuse(place as u32, "clauses up to here have more than 131072 groups");
            }
            words[place] = Word::Flow;
            if let Some((first, count, user)) = clause_of(&ready.flow.operation) {
                mark(&mut words, (first, count), Word::Clause(first, user))?;
            }
            entries.extend(target(&ready.flow.operation, case.fetch_program));
            ended |= ready.flow.end_of_program;
            let leaves = ended || returns(&ready.flow.operation);
            program.add(place, ready);
            if leaves && entry != 0 {
                break;
            }
            place += 1;
        }
    }
    if program.iter().any(|ready| ready.flow.end_of_program) {
        Ok(program)
    } else {
        refuse(program.numbers.len() as u32, "no instruction has END_OF_PROGRAM")
    }
}

fn refuse<T>(address: u32, message: &str) -> Result<T, DecodeError> {
    Err(DecodeError { address, message: message.to_owned() })
}

/// A control flow instruction with its clause.
fn ready(case: &Case, place: u32) -> Result<Ready, DecodeError> {
    let flow = decode::control_flow(&case.program, place)?;
    let mut ready = Ready { flow, groups: Vec::new(), fetches: Vec::new() };
    match &ready.flow.operation {
        FlowOperation::Alu(clause) => {
            let around = Surroundings::of(case, clause);
            for group in decode::groups(&case.program, clause)? {
                ready.groups.push(ready::prepare(group, case.prefer_vector, &around));
            }
        }
        FlowOperation::Fetch(clause) => ready.fetches = decode::fetches(&case.program, clause)?,
        _ => {}
    }
    Ok(ready)
}

/// First word and number of words of the clause that an instruction runs, and as what.
fn clause_of(operation: &FlowOperation) -> Option<(u32, u32, ClauseUse)> {
    match operation {
        FlowOperation::Alu(clause) => Some((clause.address, clause.count, ClauseUse::Alu)),
        FlowOperation::Fetch(clause) => {
            let user = if clause.texture { ClauseUse::Texture } else { ClauseUse::Vertex };
            Some((clause.address, 2 * clause.count, user))
        }
        _ => None,
    }
}

/// Marks the words of a clause. Several instructions may run the same.
fn mark(words: &mut [Word], (first, count): (u32, u32), as_what: Word) -> Result<(), DecodeError> {
    let (start, end) = (first as usize, first as usize + count as usize);
    let longer = words.get(end) == Some(&as_what);
    let Some(clause) = words.get_mut(start..end) else {
        return refuse(first, "a clause reaches out of the program");
    };
    let again = clause.iter().all(|word| *word == as_what);
    if longer || !again && clause.iter().any(|word| *word != Word::Unknown) {
        return refuse(first, "a clause lies over other instructions");
    }
    clause.fill(as_what);
    Ok(())
}

/// Where an instruction may lead besides the next one.
fn target(operation: &FlowOperation, fetch_program: u32) -> Option<u32> {
    let FlowOperation::Branch(branch) = operation else { return None };
    match branch.kind {
        BranchKind::Pop | BranchKind::Return => None,
        BranchKind::CallFetch => Some(fetch_program.wrapping_add(branch.address)),
        _ => Some(branch.address),
    }
}

fn returns(operation: &FlowOperation) -> bool {
    matches!(operation, FlowOperation::Branch(branch) if branch.kind == BranchKind::Return)
}
