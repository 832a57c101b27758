//! Where the instructions and clauses of a program stand.

use super::{
    super::{
        instruction::{Cf, Group},
        microcode::{MemoryRead, VertexFetch},
        opcode::CfFormat,
        program::LARGEST,
        source::{Inline, Source},
    },
    control::{self, Line},
    dialect::Dialect,
    group::OpenGroup,
    literals::Remark,
};

/// A control-flow line with the clause below it.
pub(super) struct Entry {
    pub(super) line: Line,
    /// Address of the instruction, in 64-bit words.
    pub(super) address: u32,
    /// Number of its line in the text.
    pub(super) place: usize,
    pub(super) groups: Vec<OpenGroup>,
    /// Fetch instructions with the numbers of their lines.
    pub(super) fetches: Vec<([u32; 4], usize)>,
}

/// A program, word by word.
pub(super) struct Layout {
    pub(super) dwords: Vec<u32>,
    /// The line that each of its 64-bit words comes from.
    pub(super) places: Vec<Option<usize>>,
    pub(super) warnings: Vec<Remark>,
}

/// Words outside of instructions: address, dwords, line.
type Data = Vec<(u32, [u32; 2], usize)>;

/// A clause that has no place yet.
struct OpenClause {
    /// Address of the instruction that runs it.
    number: usize,
    line: Line,
    place: usize,
    dwords: Vec<u32>,
    /// The line of each 64-bit word.
    lines: Vec<usize>,
    /// What `CNT` counts: slots and pairs of literals, or fetch instructions.
    count: u32,
    /// Of these, pairs of literals.
    literals: u32,
    /// Further pairs, if constants of the instruction set were literals.
    inlines: u32,
}

impl OpenClause {
    /// The clause of an entry; `None` if it has none.
    fn of(entry: Entry, warnings: &mut Vec<Remark>) -> Result<Option<Self>, Remark> {
        let Entry { line, address, place, groups, fetches } = entry;
        let (mut dwords, mut lines) = (Vec::new(), Vec::new());
        let (mut literals, mut inlines) = (0, 0);
        let fetched = fetches.len();
        for mut group in groups {
            lines.append(&mut group.places);
            let (group, remarks): (Group, _) = group.close()?;
            warnings.extend(remarks);
            literals += group.literals.len() as u32 / 2;
            inlines += inline_constants(&group).div_ceil(2);
            dwords.extend(group.dwords());
            // The literals belong to the last instruction.
            let last = lines.last().copied().unwrap_or(place);
            lines.resize(dwords.len() / 2, last);
        }
        for (fetch, line) in fetches {
            dwords.extend(fetch);
            lines.extend([line; 2]);
        }
        let count = if fetched > 0 { fetched } else { dwords.len() / 2 } as u32;
        let number = address as usize;
        let clause = Self { number, line, place, dwords, lines, count, literals, inlines };
        Ok((!clause.dwords.is_empty()).then_some(clause))
    }

    /// Words that it takes.
    fn words(&self) -> u32 {
        self.dwords.len() as u32 / 2
    }

    /// Holds a written count against the clause. Some tools leave out literals, others have some for what
    /// is inline here.
    fn check_count(&self, dialect: &Dialect, warnings: &mut Vec<Remark>) -> Result<(), Remark> {
        let Some(said) = self.line.count.filter(|said| *said != self.count) else { return Ok(()) };
        let message = format!("CNT is {said}, but the clause below has {}", self.count);
        let likely = self.count - self.literals..=self.count + self.inlines;
        if !dialect.moves_clauses || !likely.contains(&said) {
            return Err((self.place, 1, message));
        }
        let literals = self.literals;
        warnings.push((self.place, 1, format!("{message}, {literals} of them pairs of literals")));
        Ok(())
    }

    /// Where its `ADDR` says that it stands.
    fn address(&self) -> Option<u32> {
        self.line.address.then(|| address_of(self.line.cf))
    }

    /// Place of a clause in the order that the manual asks for (chapter 2): ALU, texture and vertex,
    /// local data share, memory read.
    fn part_of_layout(&self) -> u32 {
        let dwords = &self.dwords;
        match (self.line.cf, VertexFetch::VTX_INST.get(dwords), MemoryRead::MEM_OP.get(dwords)) {
            (Cf::Plain(_), 2, 4..) => 2,
            (Cf::Plain(_), 2, _) => 3,
            (Cf::Plain(_), ..) => 1,
            _ => 0,
        }
    }
}

/// Operands of a group that other tools read from literals.
fn inline_constants(group: &Group) -> u32 {
    let operands = group.instructions.iter().flat_map(|alu| alu.operands());
    let inline = operands.filter(
        |operand| matches!(operand.source, Some(Source::Inline(inline)) if inline != Inline::Zero),
    );
    inline.count() as u32
}

/// `ADDR` of an instruction that runs a clause.
fn address_of(cf: Cf) -> u32 {
    match cf {
        Cf::Alu(word) => word.addr(),
        Cf::Plain(word) => word.addr(),
        Cf::Export(_) | Cf::Memory(_) => 0,
    }
}

/// Words and the lines they come from.
#[derive(Default)]
pub(super) struct Words {
    pub(super) words: Vec<[u32; 2]>,
    pub(super) places: Vec<Option<usize>>,
}

impl Words {
    /// Puts a word at an address where there is none yet.
    pub(super) fn put(
        &mut self,
        address: usize,
        word: [u32; 2],
        place: usize,
    ) -> Result<(), Remark> {
        if address >= LARGEST / 2 {
            let message = format!("address {address} lies beyond the largest program");
            return Err((place, 1, message));
        }
        if address >= self.words.len() {
            self.words.resize(address + 1, [0; 2]);
            self.places.resize(address + 1, None);
        }
        if self.places[address].is_some() {
            return Err((place, 1, format!("another instruction stands at address {address}")));
        }
        self.words[address] = word;
        self.places[address] = Some(place);
        Ok(())
    }

    /// The program of these words.
    pub(super) fn finish(self, mut warnings: Vec<Remark>) -> Layout {
        let dwords = self.words.into_iter().flatten().collect();
        warnings.sort();
        Layout { dwords, places: self.places, warnings }
    }
}

/// Lays a program out.
pub(super) fn lay_out(
    entries: Vec<Entry>,
    data: Data,
    dialect: &Dialect,
    mut warnings: Vec<Remark>,
) -> Result<Layout, Remark> {
    let mut words = Words::default();
    for entry in &entries {
        words.put(entry.address as usize, entry.line.cf.dwords(), entry.place)?;
    }
    let mut clauses = Vec::new();
    let mut others = Vec::new();
    for entry in entries {
        let (place, address, cf) = (entry.place, entry.line.address, entry.line.cf);
        match OpenClause::of(entry, &mut warnings)? {
            Some(clause) => {
                clause.check_count(dialect, &mut warnings)?;
                clauses.push(clause);
            }
            None if control::runs_clause(cf) => others.push((place, address)),
            None => {}
        }
    }
    if dialect.moves_clauses {
        if let Some((place, _)) = others.iter().find(|(_, address)| !address) {
            return Err((*place, 1, "a clause has at least one instruction".to_owned()));
        }
        if !fits(&words, &clauses, &data) {
            if let Some((place, _)) = others.first() {
                let message = "the clause that ADDR leads to had to be moved: it does not fit";
                return Err((*place, 1, message.to_owned()));
            }
            for clause in &mut clauses {
                clause.line.moved = clause.address();
                clause.line.address = false;
            }
        }
    }
    // Clauses without an address come after everything that has one.
    let mut free = words.words.len() as u32;
    for clause in &clauses {
        if let Some(address) = clause.address() {
            free = free.max(address.saturating_add(clause.words()));
        }
    }
    for (address, ..) in &data {
        free = free.max(address + 1);
    }
    free = free.min(LARGEST as u32);
    clauses.sort_by_key(OpenClause::part_of_layout);
    // A kind of clauses begins at a multiple of its own; TEX-only programs too leave the ALU's free.
    if dialect.moves_clauses && clauses.iter().any(|clause| clause.address().is_none()) {
        free = free.next_multiple_of(32);
    }
    let mut kind = None;
    for clause in clauses {
        let format =
            if matches!(clause.line.cf, Cf::Plain(_)) { CfFormat::Plain } else { CfFormat::Alu };
        let address = clause.address().unwrap_or_else(|| {
            let step = match (format, kind.replace(format) == Some(format)) {
                (CfFormat::Alu, false) if dialect.moves_clauses => 32,
                (CfFormat::Plain, false) if dialect.moves_clauses => 16,
                (CfFormat::Plain, _) => 2,
                _ => 1,
            };
            let aligned = free.next_multiple_of(step);
            free = aligned + clause.words();
            aligned
        });
        if let Some(said) = clause.line.moved.filter(|said| *said != address) {
            let message = format!("ADDR is {said}, but the clause below stands at {address}");
            warnings.push((clause.place, 1, message));
        }
        let cf = control::with_clause(clause.line.cf, address, clause.count)
            .map_err(|message| (clause.place, 1, message))?;
        words.words[clause.number] = cf.dwords();
        for (offset, (word, line)) in clause.dwords.chunks_exact(2).zip(clause.lines).enumerate() {
            words.put(address as usize + offset, [word[0], word[1]], line)?;
        }
    }
    for (address, word, place) in data {
        words.put(address as usize, word, place)?;
    }
    Ok(words.finish(warnings))
}

/// Whether every clause fits where its `ADDR` says.
fn fits(words: &Words, clauses: &[OpenClause], data: &Data) -> bool {
    let instructions = words.places.iter().enumerate().filter(|(_, place)| place.is_some());
    let instructions = instructions.map(|(address, _)| (address as u32, 1));
    let data = data.iter().map(|(address, ..)| (*address, 1));
    let placed = clauses.iter().filter_map(|clause| Some((clause.address()?, clause.words())));
    let mut taken: Vec<(u32, u32)> = instructions.chain(data).chain(placed).collect();
    taken.sort_unstable();
    taken.windows(2).all(|pair| pair[0].0.saturating_add(pair[0].1) <= pair[1].0)
        && taken.last().is_none_or(|(address, _)| (*address as usize) < LARGEST / 2)
}
