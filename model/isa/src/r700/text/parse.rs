//! Text to programs.

use super::{
    super::{
        instruction::{Alu, Cf, Group},
        microcode::{AluOp2, AluOp3, MemoryRead, VertexFetch},
        opcode::{CfFormat, CfOpcode},
        program::{LARGEST, Program},
    },
    alu::{self, Literals, UNITS},
    control::{self, Line},
    cursor::{Cursor, Diagnostic, Read, did_you_mean, number},
    fetch,
};

/// A control-flow line with the clause below it.
struct Entry {
    line: Line,
    /// Address of the instruction, in 64-bit words.
    address: u32,
    /// Number of its line in the text.
    place: usize,
    groups: Vec<OpenGroup>,
    /// Fetch instructions with the numbers of their lines.
    fetches: Vec<([u32; 4], usize)>,
}

/// A group that is being read.
#[derive(Default)]
struct OpenGroup {
    instructions: Vec<Alu>,
    /// The numbers of their lines.
    places: Vec<usize>,
    literals: Literals,
}

impl OpenGroup {
    fn close(self) -> Group {
        let mut instructions = self.instructions;
        if let Some(last) = instructions.last_mut() {
            *last = match *last {
                Alu::Op2(word) => Alu::Op2(word.with(AluOp2::LAST, 1)),
                Alu::Op3(word) => Alu::Op3(word.with(AluOp3::LAST, 1)),
            };
        }
        // Literals follow in pairs, as many as a source field asks for, used or not.
        let slots = instructions.iter().map(|alu| alu.literal_slots()).max().unwrap_or(0);
        let named = self.literals.iter().rposition(Option::is_some).map_or(0, |n| n / 2 + 1);
        let count = 2 * slots.max(named);
        let literals = self.literals.iter().take(count).map(|bits| bits.unwrap_or(0));
        Group { instructions, literals: literals.collect() }
    }
}

/// The state of reading a text.
#[derive(Default)]
struct Reader {
    entries: Vec<Entry>,
    /// Words outside of instructions: address, dwords, line.
    data: Vec<(u32, [u32; 2], usize)>,
}

/// A program and where its words were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembly {
    /// The program.
    pub program: Program,
    /// The line, from 1, of each 64-bit word; `None` for words between clauses.
    pub lines: Vec<Option<usize>>,
}

/// Longest line: messages name words as they stand.
const LONGEST_LINE: usize = 4096;

/// Most mistakes that are told.
const MOST_DIAGNOSTICS: usize = 100;

/// Reads a program.
///
/// # Errors
/// Everything that is wrong with it, line by line.
pub fn parse(source: &str) -> Result<Program, Vec<Diagnostic>> {
    assemble(source).map(|assembly| assembly.program)
}

/// Reads a program and keeps the line of each instruction.
///
/// # Errors
/// What is wrong with it, line by line; of more than a hundred mistakes the first.
pub fn assemble(source: &str) -> Result<Assembly, Vec<Diagnostic>> {
    let lines: Vec<&str> = source.lines().collect();
    let diagnostic = |place: usize, column: usize, message: String| Diagnostic {
        line: place + 1,
        column,
        message,
        text: lines.get(place).copied().unwrap_or("").trim_end().to_owned(),
        rules: &[],
    };
    let mut reader = Reader::default();
    let mut wrong = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let read = match line.len() {
            ..=LONGEST_LINE => reader.line(&mut Cursor::new(line), place),
            bytes => Err((1, format!("a line of {bytes} bytes is longer than any instruction"))),
        };
        if let Err((column, message)) = read {
            wrong.push(diagnostic(place, column, message));
        }
        if wrong.len() == MOST_DIAGNOSTICS {
            break;
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let last = lines.len().saturating_sub(1);
    let (dwords, places) =
        reader.assemble().map_err(|(place, message)| vec![diagnostic(place, 1, message)])?;
    let program = Program::decode(&dwords).map_err(|error| {
        let place = places.get(error.address as usize).copied().flatten().unwrap_or(last);
        let rules = error.rules();
        vec![Diagnostic { rules, ..diagnostic(place, 1, error.problem.to_string()) }]
    })?;
    Ok(Assembly { program, lines: places.into_iter().map(|place| Some(place? + 1)).collect() })
}

impl Reader {
    fn line(&mut self, cursor: &mut Cursor, place: usize) -> Read<()> {
        if cursor.at_end() {
            return Ok(());
        }
        let mut ahead = cursor.clone();
        let numbered = ahead.peek().is_some_and(|c| c.is_ascii_digit());
        if numbered {
            ahead.decimal()?;
        }
        ahead.skip_blanks();
        let column = ahead.column();
        let mut after = ahead.clone();
        let word = after.word();
        if let [letter] = word.as_bytes()
            && let Some(unit) = UNITS.iter().position(|unit| *unit == char::from(*letter))
            && after.take(':')
        {
            return self.instruction(&mut after, unit, numbered, (place, column));
        }
        match word.as_str() {
            "literal" => return self.literal(&mut after),
            "DATA" => return self.data_line(&mut after, place),
            "END_OF_PROGRAM" => return self.end_of_program(column),
            name if fetch::is_fetch(name) => {
                let (dwords, _) = fetch::parse(&mut ahead)?;
                self.clause(column, "a fetch instruction")?.fetches.push((dwords, place));
                return Ok(());
            }
            _ => {}
        }
        let Some(opcode) = control::opcode(&word) else {
            let message = if word.is_empty() {
                "expected an instruction".to_owned()
            } else {
                format!("`{word}` is not an instruction{}", did_you_mean(&word, control::names()))
            };
            return Err((column, message));
        };
        let mut address = self.entries.last().map_or(0, |entry| entry.address + 1);
        if numbered {
            let number = cursor.decimal()?;
            if number < address || self.entries.is_empty() && number > 0 {
                return Err((column, format!("this is control-flow instruction {address}")));
            }
            if number as usize >= LARGEST / 2 {
                return Err((column, format!("addresses are at most {}", LARGEST / 2 - 1)));
            }
            address = number;
        }
        let line = control::parse(&mut after, opcode)?;
        self.entries.push(Entry { line, address, place, groups: Vec::new(), fetches: Vec::new() });
        Ok(())
    }

    /// The entry whose clause a line belongs to.
    fn clause(&mut self, column: usize, what: &str) -> Read<&mut Entry> {
        let wanted = |opcode: CfOpcode| match what {
            "an ALU instruction" => opcode.format() == CfFormat::Alu,
            _ => matches!(opcode, CfOpcode::Tex | CfOpcode::Vtx | CfOpcode::VtxTc),
        };
        match self.entries.last_mut() {
            Some(entry) if entry.line.cf.opcode().is_some_and(wanted) => Ok(entry),
            _ => Err((column, format!("{what} must stand below the instruction that runs it"))),
        }
    }

    fn instruction(
        &mut self,
        cursor: &mut Cursor,
        unit: usize,
        first: bool,
        (place, column): (usize, usize),
    ) -> Read<()> {
        let entry = self.clause(column, "an ALU instruction")?;
        if first || entry.groups.is_empty() {
            entry.groups.push(OpenGroup { literals: vec![None; 4], ..OpenGroup::default() });
        }
        let Some(group) = entry.groups.last_mut() else { return Ok(()) };
        if group.instructions.len() == 5 {
            return Err((column, "a group has at most five instructions".to_owned()));
        }
        let alu = alu::parse(cursor, &mut group.literals)?;
        if unit < 4 && alu.dst_elem() as usize != unit {
            let message = format!("the unit {} writes only element {0}", UNITS[unit]);
            return Err((column, message));
        }
        group.instructions.push(alu);
        group.places.push(place);
        Ok(())
    }

    /// `literal z: 0x1234`: a literal dword that no operand names.
    fn literal(&mut self, cursor: &mut Cursor) -> Read<()> {
        let column = cursor.column();
        let name = cursor.word();
        let place = UNITS[..4].iter().position(|unit| name == unit.to_string());
        cursor.expect(':')?;
        cursor.skip_blanks();
        let value_column = cursor.column();
        let bits = number(&cursor.word());
        let (Some(place), Some(bits)) = (place, bits) else {
            return Err((value_column, "expected an element and a number: literal z: 0x1".into()));
        };
        let group = self.entries.last_mut().and_then(|entry| entry.groups.last_mut());
        match group {
            Some(group) => {
                group.literals[place] = Some(bits);
                Ok(())
            }
            None => Err((column, "a literal must stand below its group".to_owned())),
        }
    }

    /// `DATA ADDR(9) LOW(0x1) HIGH(0x2)`: a word that belongs to no instruction.
    fn data_line(&mut self, cursor: &mut Cursor, place: usize) -> Read<()> {
        let (mut address, mut dwords) = (None, [0; 2]);
        for attribute in cursor.attributes()? {
            match attribute.name.as_str() {
                "ADDR" => address = Some(attribute.number()?),
                "LOW" => dwords[0] = attribute.number()?,
                "HIGH" => dwords[1] = attribute.number()?,
                name => return Err((attribute.column, format!("data have no {name}"))),
            }
        }
        match address {
            Some(address) if (address as usize) < LARGEST / 2 => {
                self.data.push((address, dwords, place));
                Ok(())
            }
            Some(_) => Err((1, format!("ADDR is at most {}", LARGEST / 2 - 1))),
            None => Err((1, "data need an ADDR".to_owned())),
        }
    }

    /// A line of its own that ends the program after the instruction above.
    fn end_of_program(&mut self, column: usize) -> Read<()> {
        let Some(entry) = self.entries.last_mut() else {
            return Err((column, "no instruction stands before the end of the program".to_owned()));
        };
        use super::super::microcode::{CfWord, ExportBuffer, ExportSwizzle};
        entry.line.cf = match entry.line.cf {
            Cf::Plain(word) => Cf::Plain(word.with(CfWord::END_OF_PROGRAM, 1)),
            Cf::Export(word) => Cf::Export(word.with(ExportSwizzle::END_OF_PROGRAM, 1)),
            Cf::Memory(word) => Cf::Memory(word.with(ExportBuffer::END_OF_PROGRAM, 1)),
            Cf::Alu(_) => {
                return Err((column, "an ALU clause cannot end a program".to_owned()));
            }
        };
        Ok(())
    }

    /// The dwords of the program, and for each of its 64-bit words the line it comes from.
    #[expect(clippy::type_complexity, reason = "dwords and their lines")]
    fn assemble(self) -> Result<(Vec<u32>, Vec<Option<usize>>), (usize, String)> {
        let (mut words, mut places) = (Vec::new(), Vec::new());
        for entry in &self.entries {
            let address = entry.address as usize;
            put(&mut words, &mut places, address, entry.line.cf.dwords(), entry.place)?;
        }
        // Clauses without an address come after everything that has one.
        let mut clauses = Vec::new();
        for entry in self.entries {
            let number = entry.address as usize;
            let place = entry.place;
            let count = if entry.fetches.is_empty() { None } else { Some(entry.fetches.len()) };
            let (mut dwords, mut lines) = (Vec::new(), Vec::new());
            for mut group in entry.groups {
                lines.append(&mut group.places);
                dwords.extend(group.close().dwords());
                // The literals belong to the last instruction.
                let last = lines.last().copied().unwrap_or(place);
                lines.resize(dwords.len() / 2, last);
            }
            for (fetch, line) in entry.fetches {
                dwords.extend(fetch);
                lines.extend([line; 2]);
            }
            if dwords.is_empty() {
                continue;
            }
            let count = count.unwrap_or(dwords.len() / 2) as u32;
            if let Some(said) = entry.line.count
                && said != count
            {
                return Err((place, format!("CNT is {said}, but the clause below has {count}")));
            }
            clauses.push((number, entry.line, (dwords, lines), count, place));
        }
        let mut free = words.len() as u32;
        for (_, line, (dwords, _), ..) in clauses.iter().filter(|(_, line, ..)| line.address) {
            free = free.max(address_of(line.cf).saturating_add(dwords.len() as u32 / 2));
        }
        for (address, ..) in &self.data {
            free = free.max(address + 1);
        }
        clauses.sort_by_key(|(_, line, (dwords, _), ..)| part_of_layout(line.cf, dwords));
        for (number, line, (dwords, lines), count, place) in clauses {
            let address = if line.address {
                address_of(line.cf)
            } else {
                let aligned =
                    if matches!(line.cf, Cf::Plain(_)) { free.next_multiple_of(2) } else { free };
                free = aligned + dwords.len() as u32 / 2;
                aligned
            };
            let cf = control::with_clause(line.cf, address, count).map_err(|m| (place, m))?;
            words[number] = cf.dwords();
            for (offset, (word, line)) in dwords.chunks_exact(2).zip(lines).enumerate() {
                put(&mut words, &mut places, address as usize + offset, [word[0], word[1]], line)?;
            }
        }
        for (address, word, place) in self.data {
            put(&mut words, &mut places, address as usize, word, place)?;
        }
        Ok((words.into_iter().flatten().collect(), places))
    }
}

/// `ADDR` of an instruction that runs a clause.
fn address_of(cf: Cf) -> u32 {
    match cf {
        Cf::Alu(word) => word.addr(),
        Cf::Plain(word) => word.addr(),
        Cf::Export(_) | Cf::Memory(_) => 0,
    }
}

/// Place of a clause in the order that the manual asks for (chapter 2): ALU, texture and vertex, local data share,
/// memory read.
fn part_of_layout(cf: Cf, dwords: &[u32]) -> u32 {
    match (cf, VertexFetch::VTX_INST.get(dwords), MemoryRead::MEM_OP.get(dwords)) {
        (Cf::Plain(_), 2, 4..) => 2,
        (Cf::Plain(_), 2, _) => 3,
        (Cf::Plain(_), ..) => 1,
        _ => 0,
    }
}

/// Puts a word at an address where there is none yet.
fn put(
    words: &mut Vec<[u32; 2]>,
    places: &mut Vec<Option<usize>>,
    address: usize,
    word: [u32; 2],
    place: usize,
) -> Result<(), (usize, String)> {
    if address >= LARGEST / 2 {
        return Err((place, format!("address {address} lies beyond the largest program")));
    }
    if address >= words.len() {
        words.resize(address + 1, [0; 2]);
        places.resize(address + 1, None);
    }
    if places[address].is_some() {
        return Err((place, format!("another instruction stands at address {address}")));
    }
    words[address] = word;
    places[address] = Some(place);
    Ok(())
}
