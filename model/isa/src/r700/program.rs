//! A whole program: its control-flow instructions and the clauses they run.

use std::collections::BTreeMap;

use super::{
    decode::{self, DecodeError, FetchClause, GroupError},
    instruction::{Cf, Fetch, Group},
    opcode::CfOpcode,
};

/// Longest program that is read, in dwords.
pub const LARGEST: usize = 4 << 20;

/// A decoded program. Addresses count 64-bit words from its start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The control-flow instructions, from address 0 on.
    pub control_flow: Vec<Cf>,
    /// The clauses, by address.
    pub clauses: BTreeMap<u32, Clause>,
    /// Words that belong to no instruction and are not zero, by address.
    pub data: BTreeMap<u32, [u32; 2]>,
    /// Number of 64-bit words, clauses included.
    pub words: u32,
}

/// A clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clause {
    /// ALU groups.
    Alu(Vec<Group>),
    /// Fetch instructions.
    Fetch(FetchClause, Vec<Fetch>),
}

impl Clause {
    /// Its dwords.
    #[must_use]
    pub fn dwords(&self) -> Vec<u32> {
        match self {
            Self::Alu(groups) => groups.iter().flat_map(Group::dwords).collect(),
            Self::Fetch(_, fetches) => fetches.iter().flat_map(|fetch| fetch.dwords()).collect(),
        }
    }
}

/// Where and why a program does not decode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("64-bit word {address}: {problem}")]
pub struct ProgramError {
    /// Address of the instruction, in 64-bit words.
    pub address: u32,
    /// Why.
    pub problem: Problem,
}

/// Why a program does not decode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// An instruction that has no meaning.
    #[error(transparent)]
    Instruction(#[from] DecodeError),
    /// A group that has no meaning.
    #[error(transparent)]
    Group(#[from] GroupError),
    /// The number of dwords is odd.
    #[error("the program is cut in the middle of a 64-bit word")]
    HalfWord,
    /// More than [`LARGEST`] dwords.
    #[error("the program is longer than {LARGEST} dwords")]
    TooLong,
    /// A clause that does not lie inside the program.
    #[error("{instruction} runs {length} words at address {start}, the program has {words} words")]
    Outside {
        /// Mnemonic of the instruction that runs it.
        instruction: &'static str,
        /// First word.
        start: u32,
        /// Words.
        length: u32,
        /// Words of the program.
        words: u32,
    },
    /// Two clauses of different kinds, or a clause and an instruction, share words.
    #[error("the clause at address {0} overlaps other instructions")]
    Overlap(u32),
    /// No instruction ends the program.
    #[error("no control-flow instruction has END_OF_PROGRAM set")]
    NoEnd,
}

impl Program {
    /// Decodes a program.
    ///
    /// The control-flow instructions reach from the start to the first clause that one of them runs, or
    /// to the end of the program.
    ///
    /// # Errors
    /// At the first instruction that does not decode and the first clause that does not fit.
    pub fn decode(dwords: &[u32]) -> Result<Self, ProgramError> {
        let words = u32::try_from(dwords.len() / 2).unwrap_or(u32::MAX);
        let at = |address: u32, problem| ProgramError { address, problem };
        if dwords.len() > LARGEST {
            return Err(at(0, Problem::TooLong));
        }
        if dwords.len() % 2 == 1 {
            return Err(at(words, Problem::HalfWord));
        }
        let mut program = Self { words, ..Self::default() };
        let mut end = words;
        let mut address = 0;
        while address < end {
            let place = address as usize * 2;
            let cf = decode::control_flow([dwords[place], dwords[place + 1]])
                .map_err(|error| at(address, error.into()))?;
            if let Some(run) = Run::of(cf) {
                let last = run.start.checked_add(run.words());
                if last.is_none_or(|last| last > words) {
                    let instruction = cf.opcode().map_or("", CfOpcode::mnemonic);
                    let (start, length) = (run.start, run.words());
                    return Err(at(
                        address,
                        Problem::Outside { instruction, start, length, words },
                    ));
                }
                if run.start <= address {
                    return Err(at(address, Problem::Overlap(run.start)));
                }
                end = end.min(run.start);
                let clause = run.decode(dwords)?;
                match program.clauses.insert(run.start, clause.clone()) {
                    Some(other) if other != clause => {
                        return Err(at(address, Problem::Overlap(run.start)));
                    }
                    _ => {}
                }
            }
            program.control_flow.push(cf);
            address += 1;
        }
        if !program.control_flow.iter().any(|cf| cf.end_of_program()) {
            return Err(at(address, Problem::NoEnd));
        }
        program.check_overlaps().map_err(|start| at(start, Problem::Overlap(start)))?;
        let unused = program.encode();
        for (address, (word, known)) in dwords.chunks(2).zip(unused.chunks(2)).enumerate() {
            if word != known {
                program.data.insert(address as u32, [word[0], word[1]]);
            }
        }
        Ok(program)
    }

    /// The ALU group that starts at an address.
    #[must_use]
    pub fn group_at(&self, address: u32) -> Option<&Group> {
        let (start, Clause::Alu(groups)) = self.clauses.range(..=address).next_back()? else {
            return None;
        };
        let mut place = *start;
        groups.iter().find(|group| {
            let here = place == address;
            place += group.words() as u32;
            here
        })
    }

    /// Finds a clause that starts inside another.
    fn check_overlaps(&self) -> Result<(), u32> {
        let mut free = self.control_flow.len();
        for (&start, clause) in &self.clauses {
            if (start as usize) < free {
                return Err(start);
            }
            free = start as usize + clause.dwords().len() / 2;
        }
        Ok(())
    }

    /// Its dwords.
    #[must_use]
    pub fn encode(&self) -> Vec<u32> {
        let mut dwords: Vec<u32> = self.control_flow.iter().flat_map(|cf| cf.dwords()).collect();
        dwords.resize(self.words as usize * 2, 0);
        for (&address, word) in &self.data {
            dwords[address as usize * 2..][..2].copy_from_slice(word);
        }
        for (&start, clause) in &self.clauses {
            let clause = clause.dwords();
            let place = start as usize * 2;
            dwords[place..place + clause.len()].copy_from_slice(&clause);
        }
        dwords
    }
}

/// What a control-flow instruction runs.
struct Run {
    start: u32,
    kind: RunKind,
}

enum RunKind {
    /// An ALU clause of some 64-bit words.
    Alu(u32),
    /// A fetch clause of some instructions.
    Fetch(FetchClause, u32),
}

impl Run {
    fn of(cf: Cf) -> Option<Self> {
        match (cf, cf.opcode()?) {
            (Cf::Alu(word), _) => {
                Some(Self { start: word.addr(), kind: RunKind::Alu(word.count() + 1) })
            }
            (Cf::Plain(word), CfOpcode::Tex) => Some(Self {
                start: word.addr(),
                kind: RunKind::Fetch(FetchClause::Texture, word.clause_length()),
            }),
            (Cf::Plain(word), CfOpcode::Vtx | CfOpcode::VtxTc) => Some(Self {
                start: word.addr(),
                kind: RunKind::Fetch(FetchClause::Vertex, word.clause_length()),
            }),
            _ => None,
        }
    }

    fn words(&self) -> u32 {
        match self.kind {
            RunKind::Alu(words) => words,
            RunKind::Fetch(_, instructions) => 2 * instructions,
        }
    }

    /// Decodes the clause, which lies inside the program.
    fn decode(&self, dwords: &[u32]) -> Result<Clause, ProgramError> {
        let first = self.start as usize * 2;
        let mut rest = &dwords[first..first + self.words() as usize * 2];
        let total = rest.len();
        match self.kind {
            RunKind::Alu(_) => {
                let mut groups = Vec::new();
                while !rest.is_empty() {
                    let address = self.start + ((total - rest.len()) / 2) as u32;
                    let group = decode::group(rest)
                        .map_err(|error| ProgramError { address, problem: error.into() })?;
                    rest = &rest[group.words() * 2..];
                    groups.push(group);
                }
                Ok(Clause::Alu(groups))
            }
            RunKind::Fetch(kind, _) => {
                let fetches = rest.chunks_exact(4).enumerate().map(|(number, dwords)| {
                    let address = self.start + 2 * number as u32;
                    decode::fetch(kind, [dwords[0], dwords[1], dwords[2], dwords[3]])
                        .map_err(|error| ProgramError { address, problem: error.into() })
                });
                Ok(Clause::Fetch(kind, fetches.collect::<Result<_, _>>()?))
            }
        }
    }
}

#[cfg(test)]
mod tests;
