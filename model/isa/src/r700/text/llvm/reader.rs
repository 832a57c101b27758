//! A program, line by line.

use std::collections::BTreeMap;

use super::{
    super::{
        super::{
            instruction::{Alu, Cf},
            microcode::ExportSwizzle,
            opcode::CfOpcode,
            program::Program,
        },
        cursor::{Cursor, Read},
        layout::{Layout, Words},
        literals::Remark,
        parse::LineReader,
    },
    alu, control, fetch,
};

/// What the lines below a heading are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Part {
    #[default]
    ControlFlow,
    Alu,
    Fetch,
    Data,
}

/// The headings; LLVM itself has those of clauses.
pub(super) const HEADINGS: [(&str, Part); 4] = [
    ("ALU clause starting at ", Part::Alu),
    ("Fetch clause starting at ", Part::Fetch),
    ("Control flow starting at ", Part::ControlFlow),
    ("Data starting at ", Part::Data),
];

/// What a heading says: the kind of lines below it and the address of the first.
pub(super) fn heading(line: &str) -> Option<(Part, u32)> {
    let text = line.trim().strip_suffix(':')?;
    let mut rests =
        HEADINGS.iter().filter_map(|(name, part)| Some((part, text.strip_prefix(name)?)));
    let (part, address) = rests.next()?;
    Some((*part, address.trim().parse().ok()?))
}

/// The instructions of a group so far.
#[derive(Default)]
struct OpenGroup {
    instructions: Vec<Alu>,
    /// Whether its last instruction was read.
    closed: bool,
    /// Pairs of literals read.
    pairs: usize,
}

/// The state of reading a text.
#[derive(Default)]
pub(super) struct Reader {
    words: Words,
    part: Part,
    /// Address of the next word.
    next: u32,
    group: OpenGroup,
    /// The end of each clause, by its first word.
    clauses: BTreeMap<u32, u32>,
    /// First word of the clause that is being read.
    clause: u32,
    /// The control-flow instructions: address, line, whether it is an export without a target.
    control_flow: Vec<(Cf, u32, usize, bool)>,
}

impl LineReader for Reader {
    fn line(&mut self, cursor: &mut Cursor, place: usize) -> Read<()> {
        if cursor.at_end() || cursor.peek() == Some('.') {
            return Ok(());
        }
        let column = cursor.column();
        let text = cursor.clone().rest();
        if let Some((part, address)) = heading(&text) {
            self.end_group(column)?;
            (self.part, self.next) = (part, address);
            if matches!(part, Part::Alu | Part::Fetch) {
                self.clause = address;
                self.clauses.insert(address, address);
            }
            return Ok(());
        }
        if let Some(label) = text.trim_end().strip_suffix(':').filter(|label| is_label(label)) {
            if !self.words.words.is_empty() {
                let message =
                    format!("`{label}` begins a second program; one text stands for one program");
                return Err((column, message));
            }
            return Ok(());
        }
        match self.part {
            Part::ControlFlow => {
                let line = control::parse(cursor)?;
                self.control_flow.push((line.cf, self.next, place, line.is_open_export));
                self.put(line.cf.dwords(), column, place)
            }
            Part::Alu => self.alu(cursor, column, place),
            Part::Fetch => {
                let (dwords, _) = fetch::parse(cursor)?;
                self.put([dwords[0], dwords[1]], column, place)?;
                self.put([dwords[2], dwords[3]], column, place)?;
                self.extend_clause();
                Ok(())
            }
            Part::Data => {
                let pair = alu::literals(cursor)?;
                self.put(pair, column, place)
            }
        }
    }

    fn finish(mut self) -> Result<Layout, Remark> {
        let last = self.words.places.iter().rev().find_map(|place| *place).unwrap_or(0);
        self.end_group(1).map_err(|(column, message)| (last, column, message))?;
        for (cf, _, place, _) in &self.control_flow {
            self.check_clause(*cf).map_err(|message| (*place, 1, message))?;
        }
        let warnings = self.export_targets();
        Ok(self.words.finish(warnings))
    }
}

/// Whether a text can be the name of a function.
fn is_label(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_.$@".contains(c))
}

impl Reader {
    fn put(&mut self, word: [u32; 2], column: usize, place: usize) -> Read<()> {
        let put = self.words.put(self.next as usize, word, place);
        self.next = self.next.saturating_add(1);
        put.map_err(|(_, _, message)| (column, message))
    }

    fn extend_clause(&mut self) {
        self.clauses.insert(self.clause, self.next);
    }

    /// An instruction or a pair of literals.
    fn alu(&mut self, cursor: &mut Cursor, column: usize, place: usize) -> Read<()> {
        if cursor.peek().is_some_and(|c| c.is_ascii_digit() || c == '-') {
            if !self.group.closed {
                let message = "literals stand below the last instruction of a group, marked by *";
                return Err((column, message.to_owned()));
            }
            let pair = alu::literals(cursor)?;
            self.group.pairs += 1;
            self.put(pair, column, place)?;
            self.extend_clause();
            return Ok(());
        }
        if self.group.closed {
            self.end_group(column)?;
        }
        let alu = alu::parse(cursor)?;
        self.group.instructions.push(alu);
        self.group.closed = alu.last() == 1;
        self.put(alu.dwords(), column, place)?;
        self.extend_clause();
        Ok(())
    }

    /// Checks that a group is complete and begins the next one.
    fn end_group(&mut self, column: usize) -> Read<()> {
        let group = std::mem::take(&mut self.group);
        let Some(needed) = group.instructions.iter().map(|alu| alu.literal_slots()).max() else {
            return Ok(());
        };
        if !group.closed {
            return Err((
                column,
                "the group above has no last instruction, marked by *".to_owned(),
            ));
        }
        if group.pairs != needed {
            let message = format!(
                "the group above reads {needed} pairs of literals, but {} stand below it",
                group.pairs
            );
            return Err((column, message));
        }
        Ok(())
    }

    /// Holds the clause that an instruction runs against what the text has there.
    fn check_clause(&self, cf: Cf) -> Result<(), String> {
        let Some(range) = Program::clause_of(cf) else { return Ok(()) };
        let clause = self.clauses.get_key_value(&range.start);
        let length = range.end - range.start;
        match clause {
            Some((start, end)) if end - start == length => Ok(()),
            Some((start, end)) => Err(format!(
                "this runs {length} words, but the clause at {start} has {}",
                end - start
            )),
            None => Err(format!("no clause starts at {}", range.start)),
        }
    }

    /// Gives the exports that do not say where they go the targets that LLVM gives them.
    fn export_targets(&mut self) -> Vec<Remark> {
        let is_vertex =
            self.control_flow.iter().any(|(cf, ..)| cf.opcode() == Some(CfOpcode::CallFs));
        let end = self.control_flow.iter().find(|(cf, ..)| cf.end_of_program());
        let end = end.map(|(_, address, ..)| *address);
        let open = self.control_flow.iter().filter(|(.., is_open)| *is_open);
        let open: Vec<_> = open.map(|(cf, address, place, _)| (*cf, *address, *place)).collect();
        let mut warnings = Vec::new();
        for (number, (cf, address, place)) in open.iter().enumerate() {
            let number = number as u32;
            let (kind, base, name) = match (is_vertex, number) {
                (false, _) => (0, number, format!("PIX{number}")),
                (true, 0) => (1, 60, "POS0".to_owned()),
                (true, _) => (2, number - 1, format!("PARAM{}", number - 1)),
            };
            // The last export of a kind ends it, the very last one the program.
            let is_last = number as usize + 1 == open.len();
            let mut word = ExportSwizzle(cf.dwords())
                .with(ExportSwizzle::TYPE, kind)
                .with(ExportSwizzle::ARRAY_BASE, base);
            if is_last || kind == 1 {
                word = word.with(ExportSwizzle::CF_INST, CfOpcode::ExportDone.code());
            }
            if is_last && end == Some(address + 1) {
                word = word.with(ExportSwizzle::END_OF_PROGRAM, 1);
            }
            self.words.words[*address as usize] = word.0;
            let message = format!("LLVM leaves out where an export goes: {name} is assumed");
            warnings.push((*place, 1, message));
        }
        warnings
    }
}
