//! A whole text: statements, labels and pragmas, with every mistake collected.

use std::collections::BTreeMap;

use super::{
    cursor::{self, Cursor, Failure},
    diagnostic::Diagnostic,
    dialect::{self, Reader},
    lexer::{Kind, LONGEST_LINE, Lexer, Place, Token},
    settings::Settings,
    statement::{self, Statement, Target},
};
use crate::{
    Device, Syntax,
    eu::{
        encode::{EncodeError, encode},
        fields,
        generation::Generation,
        instruction::Instruction,
        legality::Finding,
        opcode::Opcode,
        operand::Source,
        program::Program,
        types::DataType,
    },
    hex, nearest,
};

/// A text with the program it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembly {
    /// The program.
    pub program: Program,
    /// The line of each of its instructions, from 1.
    pub lines: Vec<usize>,
    /// Its labels: the byte offset of the instruction each stands before, the length of the program
    /// behind the last one.
    pub labels: BTreeMap<String, usize>,
    /// Where each of its instructions stands.
    places: Vec<Place>,
}

impl Assembly {
    /// A broken rule as a mistake in the text.
    ///
    /// # Panics
    /// If the finding is of a longer program.
    #[must_use]
    pub fn diagnostic(&self, finding: &Finding) -> Diagnostic {
        self.places[finding.index].diagnostic(finding.violation.message.clone())
    }
}

/// The text that bytes stand for.
///
/// # Errors
/// If they are not UTF-8: where.
pub fn source(bytes: &[u8]) -> Result<&str, Diagnostic> {
    std::str::from_utf8(bytes).map_err(|error| {
        let (valid, rest) = bytes.split_at(error.valid_up_to());
        let text = String::from_utf8_lossy(valid);
        let line = text.matches('\n').count() + 1;
        let column = text.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Place { line, column, length: 1 }.diagnostic(format!(
            "byte {:#04x} is not UTF-8, in which assembly text is written",
            rest[0]
        ))
    })
}

/// Most mistakes that are reported.
const MOST_DIAGNOSTICS: usize = 100;

/// Assembles a text in this project's own syntax.
///
/// # Errors
/// Every mistake that was found, at most a hundred, in order of lines.
pub fn parse(device: Device, source: &str) -> Result<Assembly, Vec<Diagnostic>> {
    parse_as(device, Syntax::Manual, source)
}

/// Assembles a text in some syntax.
///
/// ```
/// use parallax_isa::{Device, Syntax, eu::text};
///
/// let mesa = "add(8) g2<1>F g3<8,8,1>F 1.0F { align1 1Q };";
/// let assembly = text::parse_as(Device::Skl, Syntax::Mesa, mesa).expect("is Mesa's");
/// assert_eq!(
///     text::print(Device::Skl, &assembly.program.instructions()[0].instruction),
///     "add (8|M0) r2.0<1>:f r3.0<8;8,1>:f 1.0:f",
/// );
/// ```
///
/// # Errors
/// Every mistake that was found, at most a hundred, in order of lines; or that programs of the device
/// are not written in this syntax.
pub fn parse_as(device: Device, syntax: Syntax, source: &str) -> Result<Assembly, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    if source.len() > hex::LARGEST {
        let place = Place { line: 1, column: 1, length: 1 };
        let message = format!(
            "the text is {} bytes long, more than the {} that are read",
            source.len(),
            hex::LARGEST
        );
        return Err(vec![place.diagnostic(message)]);
    }
    let generation = device.execution_unit().map_err(|error| {
        let place = Place { line: 1, column: 1, length: 1 };
        vec![place.diagnostic(error.to_string())]
    })?;
    if !syntax.is_for(device) {
        let place = Place { line: 1, column: 1, length: 1 };
        let wrong = place.diagnostic(format!("{device} has no programs in {}", syntax.title()));
        let others: Vec<&str> = Syntax::of(device).map(Syntax::name).collect();
        return Err(vec![wrong.with_help(format!("its syntaxes are {}", others.join(", ")))]);
    }
    let target = cursor::Target { device, generation };
    let mut parser = Parser::new(target, syntax);
    let mut reader = Reader::new(syntax, target);
    let mut lexer = Lexer::new(syntax);
    let source = source.strip_prefix('\u{FEFF}').unwrap_or(source);
    for (index, line) in source.lines().enumerate() {
        if line.len() > LONGEST_LINE {
            let place = Place { line: index + 1, column: 1, length: 1 };
            let bytes = line.len();
            let message = format!("a line of {bytes} bytes is longer than any instruction");
            diagnostics.push(place.diagnostic(message));
            break;
        }
        if reader.skips(line) {
            continue;
        }
        let known = diagnostics.len();
        let tokens = lexer.line(index + 1, line, &mut diagnostics);
        let before = diagnostics.len();
        for statement in reader.line(tokens.clone(), lexer.is_in_comment()) {
            let read =
                statement.and_then(|tokens| parser.line(&tokens, index + 1, &mut diagnostics));
            if let Err(wrong) = read {
                diagnostics.push(*wrong);
            }
        }
        if before > known {
            // A line with characters that mean nothing is not explained any further.
            diagnostics.truncate(before);
        }
        parser.drop_consequences(&tokens, before, &mut diagnostics);
        if diagnostics.len() >= MOST_DIAGNOSTICS {
            break;
        }
    }
    if diagnostics.len() < MOST_DIAGNOSTICS {
        // Every line was read.
        diagnostics.extend(lexer.end());
        diagnostics.extend(reader.end().map(|wrong| *wrong));
    }
    parser.check_structure(&mut diagnostics);
    let instructions = parser.finish(device, &mut diagnostics);
    if !diagnostics.is_empty() {
        diagnostics.sort_by_key(|wrong| (wrong.line, wrong.column));
        diagnostics.truncate(MOST_DIAGNOSTICS);
        return Err(diagnostics);
    }
    let places: Vec<Place> = parser.statements.iter().map(|placed| placed.place).collect();
    let lines = places.iter().map(|place| place.line).collect();
    match Program::assemble(device, instructions) {
        Ok(program) => {
            let offset = |index: usize| {
                program.instructions().get(index).map_or(program.bytes().len(), |next| next.offset)
            };
            let labels = parser.labels.into_iter();
            let labels = labels.map(|(name, index)| (name, offset(index))).collect();
            Ok(Assembly { program, lines, labels, places })
        }
        Err(error) => {
            let place = Place { line: 1, column: 1, length: 1 };
            Err(vec![place.diagnostic(error.to_string())])
        }
    }
}

struct PlacedStatement {
    statement: Statement,
    place: Place,
}

/// The markers of a kernel, in the order they stand in.
const MARKERS: [&str; 4] = ["kernel", "code", "end_code", "end_kernel"];

struct Parser {
    target: cursor::Target,
    syntax: Syntax,
    settings: Settings,
    statements: Vec<PlacedStatement>,
    /// Labels with the number of the statement they stand before.
    labels: BTreeMap<String, usize>,
    /// Markers of the kernel that were seen.
    markers: Vec<(usize, Place)>,
    /// Whether a marker that is out of order was reported.
    out_of_order: bool,
    /// `.reg_count_total` and `.reg_count_payload` of the kernel.
    counts: [bool; 2],
}

impl Parser {
    fn new(target: cursor::Target, syntax: Syntax) -> Self {
        Self {
            target,
            syntax,
            settings: Settings::default(),
            statements: Vec::new(),
            labels: BTreeMap::new(),
            markers: Vec::new(),
            out_of_order: false,
            counts: [false; 2],
        }
    }

    fn line(
        &mut self,
        tokens: &[Token],
        line: usize,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<(), Failure> {
        let mut rest = tokens;
        while let [name, colon, after @ ..] = rest {
            let starts_label = name.kind == Kind::Word && colon.is(":");
            if !starts_label || !statement::is_label(&name.text) {
                break;
            }
            self.label(name)?;
            rest = after;
        }
        let Some(first) = rest.first() else { return Ok(()) };
        if first.is(".") {
            return self.pragma(rest, line);
        }
        let place = rest.iter().fold(first.place, |place, token| place.to(token.place));
        let tokens = self.settings.replaced(rest.to_vec())?;
        if let Some(statement) =
            statement::read(&tokens, line, self.target, &self.settings, diagnostics)
        {
            self.statements.push(PlacedStatement { statement, place });
        }
        Ok(())
    }

    /// Takes back what is wrong with a line because of a symbol whose declaration is wrong.
    fn drop_consequences(
        &self,
        tokens: &[Token],
        before: usize,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let refused = |wrong: &Diagnostic| {
            let at = tokens.iter().find(|token| token.place.column == wrong.column);
            at.is_some_and(|token| self.settings.refused.contains(&token.text))
        };
        let is_pragma = tokens.first().is_some_and(|token| token.is("."));
        if !is_pragma && diagnostics[before..].iter().any(refused) {
            diagnostics.truncate(before);
        }
    }

    fn label(&mut self, name: &Token) -> Result<(), Failure> {
        if self.labels.insert(name.text.clone(), self.statements.len()).is_some() {
            let message = format!("the label `{}` stands twice in the program", name.text);
            let wrong = name.place.diagnostic(message);
            return Err(Box::new(wrong.with_help("give one of them another name")));
        }
        Ok(())
    }

    fn pragma(&mut self, tokens: &[Token], line: usize) -> Result<(), Failure> {
        let cursor = &mut Cursor::new(tokens, line, self.target);
        let start = cursor.place();
        cursor.accept(".");
        let name = cursor.word("a pragma")?;
        let place = cursor.since(start);
        let lower = name.text.to_ascii_lowercase();
        if let Some(marker) = MARKERS.iter().position(|marker| *marker == lower) {
            self.marker(marker, place)?;
            if marker == 0 {
                cursor.word("the name of the kernel")?;
            }
        } else if let Some(count) =
            ["reg_count_total", "reg_count_payload"].iter().position(|count| *count == lower)
        {
            self.counts[count] = true;
            cursor.integer("the number of registers", 0..=128)?;
        } else if !self.settings.pragma(&name.text, cursor)? {
            let mut wrong = Box::new(place.diagnostic(format!("unknown pragma `.{}`", name.text)));
            let known = [
                "declare",
                "define",
                "kernel",
                "code",
                "end_code",
                "end_kernel",
                "reg_count_total",
                "reg_count_payload",
                "default_execution_size",
                "default_register_type",
                "default_source_register_region",
                "default_destination_register_region",
            ];
            wrong.help = Some(match nearest(&lower, known) {
                Some(near) => format!("did you mean `.{near}`?"),
                None => format!("pragmas are .{}", known.join(", .")),
            });
            return Err(wrong);
        }
        if cursor.is_done() { Ok(()) } else { Err(cursor.unexpected("the end of the line")) }
    }

    /// The markers of a kernel stand in their order, each once.
    fn marker(&mut self, marker: usize, place: Place) -> Result<(), Failure> {
        if self.out_of_order {
            return Ok(());
        }
        if marker != self.markers.len() {
            self.out_of_order = true;
            let (message, help) = match self.markers.len() {
                4 => {
                    ("a file holds one kernel, and this one has ended".to_owned(), "split the file")
                }
                n => (
                    format!("`.{}` is expected before `.{}`", MARKERS[n], MARKERS[marker]),
                    "a kernel is .kernel NAME, .code, its instructions, .end_code, .end_kernel",
                ),
            };
            return Err(Box::new(place.diagnostic(message).with_help(help)));
        }
        self.markers.push((marker, place));
        Ok(())
    }

    /// A text with a kernel has all of its markers and both counts.
    fn check_structure(&self, diagnostics: &mut Vec<Diagnostic>) {
        let Some(&(_, place)) = self.markers.last() else { return };
        if let Some(missing) = MARKERS.get(self.markers.len()).filter(|_| !self.out_of_order) {
            diagnostics.push(place.diagnostic(format!("`.{missing}` is missing after this")));
        }
        for (given, name) in self.counts.iter().zip(["total", "payload"]) {
            if !given {
                let message = format!("the kernel has no `.reg_count_{name}`");
                let wrong = self.markers[0].1.diagnostic(message);
                let help = format!("add a line such as `.reg_count_{name} 16`");
                diagnostics.push(wrong.with_help(help));
            }
        }
    }

    /// Resolves labels and checks that every instruction has machine code.
    fn finish(&self, device: Device, diagnostics: &mut Vec<Diagnostic>) -> Vec<Instruction> {
        let offsets: Vec<usize> = std::iter::once(0)
            .chain(self.statements.iter().scan(0, |offset, placed| {
                *offset += placed.statement.instruction.bytes();
                Some(*offset)
            }))
            .collect();
        let mut instructions = Vec::new();
        for (number, placed) in self.statements.iter().enumerate() {
            let mut instruction = placed.statement.instruction;
            if let Some(branch) = &mut instruction.branch {
                let targets = [&placed.statement.target, &placed.statement.update_target];
                for (target, distance) in
                    targets.into_iter().zip([&mut branch.jip, &mut branch.uip])
                {
                    let Some(target) = target else { continue };
                    match self.bytes(target, number, &offsets) {
                        Ok(bytes) => *distance = Some(bytes),
                        Err(wrong) => diagnostics.push(*wrong),
                    }
                }
            } else if let Some(target) = &placed.statement.target {
                match self.distance(target, number, instruction.opcode, &offsets) {
                    Ok(distance) => {
                        let bits = if instruction.opcode == Opcode::Jmpi {
                            distance.cast_unsigned()
                        } else {
                            target.pops << 16 | distance.cast_unsigned() & 0xFFFF
                        };
                        let data_type = DataType::D;
                        instruction.sources[1] = Source::Immediate { data_type, bits: bits.into() };
                    }
                    Err(wrong) => diagnostics.push(*wrong),
                }
            }
            if !placed.statement.has_residue {
                dialect::complete(self.syntax, self.target, &mut instruction);
            }
            match encode(device, &instruction) {
                Ok(_) => instructions.push(instruction),
                Err(error) => diagnostics.push(not_encodable(placed.place, &error)),
            }
        }
        instructions
    }

    /// The distance from an instruction to a label, in bytes.
    fn bytes(&self, target: &Target, from: usize, offsets: &[usize]) -> Result<i32, Failure> {
        let to = self.labelled(target)?;
        let bytes = offsets[to] as i64 - offsets[from] as i64;
        i32::try_from(bytes).map_err(|_| {
            let message = format!("`{}` is too far away: {bytes} bytes", target.label);
            Box::new(target.place.diagnostic(message))
        })
    }

    /// The number of the instruction that a label stands before.
    fn labelled(&self, target: &Target) -> Result<usize, Failure> {
        self.labels.get(&target.label).copied().ok_or_else(|| {
            let message = format!("there is no label `{}`", target.label);
            let wrong = target.place.diagnostic(message);
            let known = self.labels.keys().map(String::as_str);
            let help = match nearest(&target.label, known.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if self.labels.is_empty() => "the program has no labels".to_owned(),
                None => format!("the labels are {}", known.take(10).collect::<Vec<_>>().join(", ")),
            };
            Box::new(wrong.with_help(help))
        })
    }

    /// The distance of a branch, in units of 16 bytes from the branch itself, for jmpi from the
    /// instruction after it and in the units of the generation.
    fn distance(
        &self,
        target: &Target,
        from: usize,
        opcode: Opcode,
        offsets: &[usize],
    ) -> Result<i32, Failure> {
        let to = self.labelled(target)?;
        let origin = if opcode == Opcode::Jmpi { from + 1 } else { from };
        let bytes = offsets[to] as i64 - offsets[origin] as i64;
        if self.target.generation > Generation::Gen45 {
            return Ok(bytes as i32 / fields::jump_unit(self.target.generation));
        }
        if bytes % 16 != 0 {
            let message = format!("`{}` is {bytes} bytes away, no multiple of 16", target.label);
            let mut wrong = Box::new(target.place.diagnostic(message));
            wrong.help = Some("pad with a compact nenop before one of them".to_owned());
            return Err(wrong);
        }
        i16::try_from(bytes / 16).map(i32::from).map_err(|_| {
            let message =
                format!("`{}` is too far away: {} instructions", target.label, bytes / 16);
            Box::new(target.place.diagnostic(message))
        })
    }
}

fn not_encodable(place: Place, error: &EncodeError) -> Diagnostic {
    let mut wrong = place.diagnostic(error.to_string());
    wrong.help = match error {
        EncodeError::NotCompactable { .. } | EncodeError::Compact(_) => {
            Some("leave {Compact} out".to_owned())
        }
        _ => None,
    };
    wrong
}
