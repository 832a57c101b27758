//! A whole program: its control-flow instructions and the clauses they run.

use std::{
    collections::{BTreeMap, VecDeque},
    mem,
    ops::Range,
};

use parallax_spec::RuleId;

use super::{
    case::Case,
    decode::{self, DecodeError, FetchClause, GroupError},
    instruction::{Cf, Fetch, Group},
    opcode::CfOpcode,
};

/// Longest program that is read, in dwords.
pub const LARGEST: usize = 512 << 10;

/// A decoded program. Addresses count 64-bit words from its start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The control-flow instructions, by address.
    pub control_flow: BTreeMap<u32, Cf>,
    /// The clauses, by address.
    pub clauses: BTreeMap<u32, Clause>,
    /// Words that belong to no instruction and are not zero, and those that do not decode, by address.
    pub data: BTreeMap<u32, [u32; 2]>,
    /// Number of 64-bit words, clauses included.
    pub words: u32,
}

/// A clause.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
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

impl ProgramError {
    /// The rules of the catalogue that it breaks: none, where a program is cut or has no end.
    #[must_use]
    pub const fn rules(&self) -> &'static [RuleId] {
        match &self.problem {
            Problem::Instruction(error) => error.rules,
            Problem::Group(error) => error.rules(),
            _ => &[],
        }
    }
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
    /// Control-flow instructions reach from the start to the first clause that one of them runs, to
    /// padding behind the end, or to the last word; others stand wherever a branch or a call leads, up
    /// to a RETURN, the end or a clause.
    ///
    /// # Errors
    /// At the first instruction that does not decode and the first clause that does not fit.
    pub fn decode(dwords: &[u32]) -> Result<Self, ProgramError> {
        Self::entered(dwords, 0, None)
    }

    /// Decodes the program of a case: what its fetch program and its first instruction reach is
    /// control flow too.
    ///
    /// # Errors
    /// As those of [`Program::decode`].
    pub fn of_case(case: &Case) -> Result<Self, ProgramError> {
        Self::entered(&case.program, case.state.cf, Some(case.fetch_program))
    }

    fn entered(dwords: &[u32], first: u32, fetch: Option<u32>) -> Result<Self, ProgramError> {
        let mut reader = Reader::new(dwords);
        reader.read(first, fetch);
        match reader.errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(reader.program),
        }
    }

    /// Reads as much of a program as decodes, and what is wrong with the rest: words that do not decode
    /// are data.
    #[must_use]
    pub fn read(dwords: &[u32]) -> (Self, Vec<ProgramError>) {
        let mut reader = Reader::new(dwords);
        reader.read(0, None);
        (reader.program, reader.errors)
    }

    /// The words of the clause that a control-flow instruction runs, by their addresses.
    #[must_use]
    pub fn clause_of(cf: Cf) -> Option<Range<u32>> {
        Run::of(cf).map(|run| run.start..run.start.saturating_add(run.words()))
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

    /// Its dwords.
    #[must_use]
    pub fn encode(&self) -> Vec<u32> {
        let mut dwords = vec![0; self.words as usize * 2];
        for (&address, cf) in &self.control_flow {
            dwords[address as usize * 2..][..2].copy_from_slice(&cf.dwords());
        }
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
}

/// Reads a program, control flow first.
struct Reader<'a> {
    dwords: &'a [u32],
    program: Program,
    /// The clauses that control flow runs: their words by their first ones.
    runs: BTreeMap<u32, u32>,
    errors: Vec<ProgramError>,
}

impl<'a> Reader<'a> {
    fn new(dwords: &'a [u32]) -> Self {
        let words = u32::try_from(dwords.len() / 2).unwrap_or(u32::MAX);
        let mut reader = Self {
            dwords: &dwords[..words as usize * 2],
            program: Program { words, ..Program::default() },
            runs: BTreeMap::new(),
            errors: Vec::new(),
        };
        if dwords.len() > LARGEST {
            (reader.dwords, reader.program.words) = (&[], 0);
            reader.wrong(0, Problem::TooLong);
        } else if dwords.len() % 2 == 1 {
            reader.wrong(words, Problem::HalfWord);
        }
        reader
    }

    fn wrong(&mut self, address: u32, problem: impl Into<Problem>) {
        self.errors.push(ProgramError { address, problem: problem.into() });
    }

    fn word(&self, address: u32) -> [u32; 2] {
        let place = address as usize * 2;
        [self.dwords[place], self.dwords[place + 1]]
    }

    fn read(&mut self, first: u32, fetch: Option<u32>) {
        let mut open = VecDeque::from_iter([0, first].into_iter().chain(fetch));
        while let Some(entry) = open.pop_front() {
            self.straight_run(entry, fetch.unwrap_or(0), &mut open);
        }
        if !self.program.control_flow.values().any(|cf| cf.end_of_program()) {
            let end = self.program.control_flow.last_key_value().map_or(0, |(last, _)| last + 1);
            self.wrong(end, Problem::NoEnd);
        }
        let known = self.program.encode();
        for (address, (word, known)) in self.dwords.chunks(2).zip(known.chunks(2)).enumerate() {
            if word != known {
                self.program.data.entry(address as u32).or_insert([word[0], word[1]]);
            }
        }
    }

    /// Whether a word is one of a clause.
    fn is_in_clause(&self, address: u32) -> bool {
        let before = self.runs.range(..=address).next_back();
        before.is_some_and(|(start, words)| address - start < *words)
    }

    /// Decodes control-flow instructions one after the other from an entry on, and notes where they
    /// lead.
    fn straight_run(&mut self, entry: u32, fetch: u32, open: &mut VecDeque<u32>) {
        let (mut address, mut ended) = (entry, false);
        while address < self.program.words
            && !self.program.control_flow.contains_key(&address)
            && !self.program.data.contains_key(&address)
            && !self.is_in_clause(address)
            && (!ended || self.word(address) != [0, 0])
        {
            match decode::control_flow(self.word(address)) {
                Ok(cf) => {
                    self.program.control_flow.insert(address, cf);
                    self.run(address, cf);
                    open.extend(cf.target());
                    if cf.opcode() == Some(CfOpcode::CallFs)
                        && let Cf::Plain(word) = cf
                    {
                        open.push_back(fetch.wrapping_add(word.addr()));
                    }
                    ended |= cf.end_of_program();
                    // What follows the end at the start of a program up to padding may be a fetch
                    // program that only the host knows of.
                    if entry != 0 && (ended || cf.opcode() == Some(CfOpcode::Return)) {
                        return;
                    }
                }
                Err(error) => {
                    self.program.data.insert(address, self.word(address));
                    self.wrong(address, error);
                }
            }
            address += 1;
        }
    }

    /// Decodes the clause that a control-flow instruction runs.
    fn run(&mut self, address: u32, cf: Cf) {
        let Some(run) = Run::of(cf) else { return };
        let (start, length, words) = (run.start, run.words(), self.program.words);
        let Some(end) = start.checked_add(length).filter(|end| *end <= words) else {
            let instruction = cf.opcode().map_or("", CfOpcode::mnemonic);
            return self.wrong(address, Problem::Outside { instruction, start, length, words });
        };
        let before = self.runs.range(..end).next_back();
        let clause = before.filter(|(other, words)| **other + **words > start);
        let same = clause.is_some_and(|(other, words)| (*other, *words) == (start, length));
        let is_new =
            clause.is_none() && self.program.control_flow.range(start..end).next().is_none();
        if is_new {
            self.runs.insert(start, length);
            self.clause(&run);
        } else if !same || !self.is_kind(&run) {
            self.wrong(start, Problem::Overlap(start));
        }
    }

    /// Whether the clause at the start of a run was decoded as one of its kind.
    fn is_kind(&self, run: &Run) -> bool {
        match (self.program.clauses.get(&run.start), &run.kind) {
            (Some(Clause::Fetch(known, _)), RunKind::Fetch(kind, _)) => known == kind,
            (Some(Clause::Alu(_)), RunKind::Alu(_)) | (None, _) => true,
            _ => false,
        }
    }

    /// Decodes a clause, which lies inside the program: piece by piece around what does not decode.
    fn clause(&mut self, run: &Run) {
        let end = run.start + run.words();
        let (mut piece, mut address) = (run.start, run.start);
        let dwords = self.dwords;
        let mut groups = Vec::new();
        let mut fetches = Vec::new();
        while address < end {
            let rest = &dwords[address as usize * 2..end as usize * 2];
            let decoded = match run.kind {
                RunKind::Alu(_) => decode::group(rest).map_err(Problem::from).map(|group| {
                    let words = group.words() as u32;
                    groups.push(group);
                    words
                }),
                RunKind::Fetch(kind, _) => {
                    decode::fetch(kind, [rest[0], rest[1], rest[2], rest[3]])
                        .map_err(Problem::from)
                        .map(|fetch| {
                            fetches.push(fetch);
                            2
                        })
                }
            };
            match decoded {
                Ok(words) => address += words,
                Err(problem) => {
                    if let Problem::Group(GroupError::Instruction { number, .. }) = problem {
                        // What stands before it in its group is kept.
                        let before = rest.chunks_exact(2).take(number);
                        let instructions =
                            before.filter_map(|dwords| decode::alu([dwords[0], dwords[1]]).ok());
                        let instructions: Vec<_> = instructions.collect();
                        if number > 0 {
                            groups.push(Group { instructions, literals: Vec::new() });
                        }
                        address += number as u32;
                    }
                    self.keep(piece, run, &mut groups, &mut fetches);
                    self.wrong(address, problem);
                    let words = if matches!(run.kind, RunKind::Alu(_)) { 1 } else { 2 };
                    for address in address..address + words {
                        self.program.data.insert(address, self.word(address));
                    }
                    address += words;
                    piece = address;
                }
            }
        }
        self.keep(piece, run, &mut groups, &mut fetches);
    }

    fn keep(&mut self, start: u32, run: &Run, groups: &mut Vec<Group>, fetches: &mut Vec<Fetch>) {
        let clause = match run.kind {
            RunKind::Alu(_) if groups.is_empty() => return,
            RunKind::Alu(_) => Clause::Alu(mem::take(groups)),
            RunKind::Fetch(..) if fetches.is_empty() => return,
            RunKind::Fetch(kind, _) => Clause::Fetch(kind, mem::take(fetches)),
        };
        self.program.clauses.insert(start, clause);
    }
}

#[cfg(test)]
mod tests;
