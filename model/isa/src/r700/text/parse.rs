//! Text to programs.

use super::{
    super::{
        instruction::Cf,
        microcode::{CfWord, ExportBuffer, ExportSwizzle},
        opcode::{CfFormat, CfOpcode, Units},
        program::{LARGEST, Program},
    },
    alu::UNITS,
    control::{self, Line},
    cursor::{Cursor, Diagnostic, Read, did_you_mean, number},
    dialect::{Dialect, MANUAL},
    fetch,
    group::OpenGroup,
    layout::{self, Entry, Layout},
    literals::Remark,
};

/// The state of reading a text.
struct Reader {
    dialect: &'static Dialect,
    entries: Vec<Entry>,
    /// Words outside of instructions: address, dwords, line.
    data: Vec<(u32, [u32; 2], usize)>,
    /// Number of the next group or fetch instruction.
    number: u32,
    /// Whether a line has ended the program.
    ended: bool,
    warnings: Vec<Remark>,
}

/// A program and where its words were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembly {
    /// The program.
    pub program: Program,
    /// The line, from 1, of each 64-bit word; `None` for words between clauses.
    pub lines: Vec<Option<usize>>,
    /// What was read otherwise than it is written, such as the address of a clause that did not fit.
    pub warnings: Vec<Diagnostic>,
}

/// Longest line: messages name words as they stand.
const LONGEST_LINE: usize = 4096;

/// The most mistakes that are reported.
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
    assemble_in(source, &MANUAL)
}

/// Reads a program in a dialect of the manual's syntax.
pub(super) fn assemble_in(
    source: &str,
    dialect: &'static Dialect,
) -> Result<Assembly, Vec<Diagnostic>> {
    read_lines(source, dialect, Reader::new(dialect))
}

/// What reads a program line by line.
pub(super) trait LineReader {
    /// Reads a line, whose number counts from 0.
    fn line(&mut self, cursor: &mut Cursor, place: usize) -> Read<()>;

    /// The program of all lines.
    fn finish(self) -> Result<Layout, Remark>;
}

/// Reads a program, or says what is wrong with it line by line.
pub(super) fn read_lines(
    source: &str,
    dialect: &'static Dialect,
    mut reader: impl LineReader,
) -> Result<Assembly, Vec<Diagnostic>> {
    let lines: Vec<&str> = source.lines().collect();
    let diagnostic = |place: usize, column: usize, message: String| Diagnostic {
        line: place + 1,
        column,
        message,
        text: lines.get(place).copied().unwrap_or("").trim_end().to_owned(),
        rules: &[],
    };
    let mut wrong = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let read = match line.len() {
            ..=LONGEST_LINE => reader.line(&mut Cursor::new(line, dialect), place),
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
    let whole = |(place, column, message)| vec![diagnostic(place, column, message)];
    let Layout { dwords, places, warnings } = reader.finish().map_err(whole)?;
    let program = Program::decode(&dwords).map_err(|error| {
        let place = places.get(error.address as usize).copied().flatten().unwrap_or(last);
        let rules = error.rules();
        vec![Diagnostic { rules, ..diagnostic(place, 1, error.problem.to_string()) }]
    })?;
    let warnings = warnings
        .into_iter()
        .map(|(place, column, message)| diagnostic(place, column, message))
        .collect();
    let lines = places.into_iter().map(|place| Some(place? + 1)).collect();
    Ok(Assembly { program, lines, warnings })
}

impl LineReader for Reader {
    fn line(&mut self, cursor: &mut Cursor, place: usize) -> Read<()> {
        self.statement(cursor, place)
    }

    fn finish(mut self) -> Result<Layout, Remark> {
        let ends = self.entries.iter().any(|entry| entry.line.cf.end_of_program());
        if self.dialect.implied_end && !ends && !self.entries.is_empty() {
            self.end_of_program(1).map_err(|(column, message)| (0, column, message))?;
        }
        layout::lay_out(self.entries, self.data, self.dialect, self.warnings)
    }
}

impl Reader {
    fn new(dialect: &'static Dialect) -> Self {
        Self {
            dialect,
            entries: Vec::new(),
            data: Vec::new(),
            number: 0,
            ended: false,
            warnings: Vec::new(),
        }
    }

    fn statement(&mut self, cursor: &mut Cursor, place: usize) -> Read<()> {
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
        if self.ended {
            return Err((column, "nothing can follow the end of the program".to_owned()));
        }
        if let [letter] = word.as_bytes()
            && let Some(unit) = UNITS.iter().position(|unit| *unit == char::from(*letter))
            && after.take(':')
        {
            self.check_number(cursor, numbered)?;
            self.instruction(&mut after, unit, numbered, (place, column))?;
            self.note(place, after);
            return Ok(());
        }
        match word.as_str() {
            "literal" => return self.literal(&mut after),
            "DATA" => return self.data_line(&mut after, place),
            "END_OF_PROGRAM" => {
                if self.dialect.implied_end && !after.at_end() {
                    return after.fail("expected the end of the line");
                }
                return self.end_of_program(column);
            }
            name if self.dialect.fetch(name).is_some() => {
                self.check_number(cursor, numbered)?;
                let (dwords, _) = fetch::parse(&mut ahead)?;
                self.clause(column, "a fetch instruction")?.fetches.push((dwords, place));
                self.number += u32::from(!numbered);
                self.note(place, ahead);
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
        let next = self.entries.last().map_or(0, |entry| entry.address + 1);
        if self.dialect.strict_numbers && address != next && line.at != Some(address) {
            let message = format!("this is control-flow instruction {next}");
            return Err((column, message));
        }
        self.note(place, after);
        self.entries.push(Entry { line, address, place, groups: Vec::new(), fetches: Vec::new() });
        Ok(())
    }

    /// Checks the number of a group or fetch instruction, if it has one.
    fn check_number(&mut self, cursor: &mut Cursor, numbered: bool) -> Read<()> {
        if !numbered {
            return Ok(());
        }
        let column = cursor.column();
        let number = cursor.decimal()?;
        if self.dialect.strict_numbers && number != self.number {
            return Err((column, format!("number {number} should be {}", self.number)));
        }
        self.number += 1;
        Ok(())
    }

    /// Keeps what was read otherwise than written.
    fn note(&mut self, place: usize, cursor: Cursor) {
        let warnings = cursor.warnings.into_iter();
        self.warnings.extend(warnings.map(|(column, message)| (place, column, message)));
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
        let is_unnumbered = !first && entry.groups.is_empty();
        if first || is_unnumbered {
            entry.groups.push(OpenGroup::default());
        }
        let Some(group) = entry.groups.last_mut() else { return Ok(()) };
        if group.instructions.len() == 5 {
            return Err((column, "a group has at most five instructions".to_owned()));
        }
        if let Some(taken) = group.taken.get_mut(unit)
            && std::mem::replace(taken, true)
        {
            let unit = UNITS[unit];
            return Err((
                column,
                format!("unit {unit} has an instruction in this group; `t:` is free"),
            ));
        }
        let alu = group.read(cursor, unit, place)?;
        let element = alu.dst_elem() as usize;
        let runs_anywhere = alu.opcode().is_some_and(|opcode| opcode.row().units == Units::Any);
        let is_ours = !cursor.dialect.implied_elements;
        if is_ours && unit == 4 && runs_anywhere && !group.taken[element] {
            let element = UNITS[element];
            let message = format!(
                "the machine code does not say `t:`: with prefer_vector, which cases have, the unit {element} runs it, as \
                 that is free"
            );
            cursor.warn(column, message);
        }
        if unit < 4 && alu.dst_elem() as usize != unit {
            if !cursor.dialect.implied_elements {
                let message = format!("the unit {} writes only element {0}", UNITS[unit]);
                return Err((column, message));
            }
            let element = UNITS[alu.dst_elem() as usize];
            let message = format!("what writes element {element} runs in the unit of that name");
            cursor.warn(column, message);
        }
        self.number += u32::from(is_unnumbered);
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
                group.literals.state(place, bits, self.dialect);
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
        self.ended = self.dialect.implied_end;
        entry.line.cf = match entry.line.cf {
            Cf::Plain(word) => Cf::Plain(word.with(CfWord::END_OF_PROGRAM, 1)),
            Cf::Export(word) => Cf::Export(word.with(ExportSwizzle::END_OF_PROGRAM, 1)),
            Cf::Memory(word) => Cf::Memory(word.with(ExportBuffer::END_OF_PROGRAM, 1)),
            Cf::Alu(_) if self.dialect.implied_end => {
                self.end_with_nop();
                return Ok(());
            }
            Cf::Alu(_) => {
                return Err((column, "an ALU clause cannot end a program".to_owned()));
            }
        };
        Ok(())
    }

    /// Ends a program whose last instruction has no bit for it.
    fn end_with_nop(&mut self) {
        let Some(last) = self.entries.last() else { return };
        let (address, place) = (last.address + 1, last.place);
        let message = "an ALU clause cannot end a program: a NOP was added".to_owned();
        self.warnings.push((place, 1, message));
        let nop = CfWord::default().with(CfWord::BARRIER, 1).with(CfWord::END_OF_PROGRAM, 1);
        let line = Line { cf: Cf::Plain(nop), address: false, count: None, moved: None, at: None };
        self.entries.push(Entry { line, address, place, groups: Vec::new(), fetches: Vec::new() });
    }
}
