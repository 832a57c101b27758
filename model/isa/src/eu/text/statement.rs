//! One statement: an instruction with its predicate, modifiers, operands and options.

use super::{
    constant,
    cursor::{self, Cursor, Failure, integer_of},
    diagnostic::Diagnostic,
    flag::{Flag, flag_register},
    forms, hints,
    lexer::{Kind, Place, Token},
    names, operands,
    options::{self, Options},
    print::{self, Implied},
    settings::Settings,
    words,
};
use crate::eu::{
    codes,
    encode::EncodeError,
    generation::Generation,
    instruction::{
        AccessMode, ConditionalModifier, Descriptor, Instruction, Message, PredicateControl,
    },
    opcode::{Format, Opcode},
    operand::{DestinationRegion, Register, Source, SourceModifier},
    register::{ArfKind, RegisterFile},
    types::DataType,
};

mod later;
mod send;

/// A label that a branch goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) label: String,
    pub(super) place: Place,
    /// Levels of the mask stack to pop.
    pub(super) pops: u32,
}

/// An instruction whose branch distance may still be open.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub(super) instruction: Instruction,
    pub(super) target: Option<Target>,
    /// The label that the update distance of a branch of Gen7 and later leads to; `target` is that of
    /// its jump distance.
    pub(super) update_target: Option<Target>,
    /// Whether bits that no field uses are written.
    pub(super) has_residue: bool,
}

/// Reads an instruction; the statement holds nothing else. Mistakes in its options and the first
/// one before them are added to `diagnostics`.
pub(super) fn read(
    tokens: &[Token],
    line: usize,
    target: cursor::Target,
    settings: &Settings,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Statement> {
    let brace = tokens.iter().position(|token| token.is("{")).unwrap_or(tokens.len());
    let (body, options) = tokens.split_at(brace);
    let chosen = options::read(options, line, target, diagnostics);
    let statement = read_body(body, line, target, settings, &chosen);
    let statement = match statement {
        Ok(statement) => statement,
        Err(wrong) => {
            if !chosen.are_displaced {
                diagnostics.push(*wrong);
            }
            return None;
        }
    };
    chosen.is_complete.then_some(statement)
}

/// Reads what stands before the options.
fn read_body(
    body: &[Token],
    line: usize,
    target: cursor::Target,
    settings: &Settings,
    options: &Options,
) -> Result<Statement, Failure> {
    let cursor = &mut Cursor::new(body, line, target);
    let predicate = predicate(cursor)?;
    let mnemonic = mnemonic(cursor)?;
    if mnemonic.text.eq_ignore_ascii_case("jmp") {
        return jump_pseudo(cursor, options);
    }
    let opcode = opcode(mnemonic, cursor)?;
    cursor.opcode = Some(opcode);
    let mut instruction = later::bare(opcode, cursor.target.generation);
    options.apply(&mut instruction)?;
    if opcode == Opcode::Math {
        instruction.math = Some(later::math_function(cursor)?);
    } else if opcode == Opcode::Sync {
        instruction.sync = Some(later::sync_function(cursor)?);
    }
    let shared_function = later::shared_function(cursor, opcode)?.or(options.shared_function);
    let mut flag = modifiers(cursor, &mut instruction)?;
    let sized = cursor.peek().is_some_and(|token| token.is("("))
        && cursor.peek_at(1).is_some_and(|token| token.kind == Kind::Number);
    if sized {
        (instruction.execution_size, instruction.first_channel) = words::execution_size(cursor)?;
    }
    later::talk_modifiers(cursor, &mut instruction, &mut flag)?;
    if let Some(read) = predicate {
        read.check_access_mode(cursor.target.generation, instruction.access_mode)?;
        instruction.predicate = read.predicate;
        instruction.no_mask |= read.no_mask;
        if let (Some((written, place)), Some(flag)) = (read.flag, flag)
            && written != flag
        {
            let message = "predicate and conditional modifier name different flag subregisters";
            let mut wrong = Box::new(place.diagnostic(message));
            wrong.help = Some("an instruction has one: f0.0 or f0.1 for both".to_owned());
            return Err(wrong);
        }
        if let Some((flag, _)) = read.flag {
            flag.apply(&mut instruction);
        }
    }
    if let Some(flag) = flag {
        flag.apply(&mut instruction);
    }
    let (mut target, mut update_target) = (None, None);
    match opcode.format_on(cursor.target.generation) {
        Format::Branch => {
            let targets = [&mut target, &mut update_target];
            later::branch_operands(cursor, &mut instruction, settings, targets)?;
        }
        Format::Message | Format::SplitMessage if cursor.target.generation > Generation::Gen45 => {
            later::message_operands(cursor, &mut instruction, settings, shared_function)?;
        }
        _ => operands_of(cursor, &mut instruction, settings, &mut target)?,
    }
    if !cursor.is_done() {
        let wrong = cursor.unexpected("the end of the instruction or options in braces");
        let form = forms::sentence(cursor.target.device, opcode);
        return Err(if wrong.help.is_none() { Box::new(wrong.with_help(form)) } else { wrong });
    }
    if !sized
        && matches!(opcode.format(), Format::Unary | Format::Binary)
        && print::implied_operands(cursor.target.generation, opcode, instruction.access_mode)
            .is_none()
    {
        instruction.execution_size = settings.execution_size(instruction.destination.data_type);
    }
    options.apply_compr4(&mut instruction)?;
    Ok(Statement { instruction, target, update_target, has_residue: options.residue.is_some() })
}

fn mnemonic<'a>(cursor: &mut Cursor<'a>) -> Result<&'a Token, Failure> {
    let help = match cursor.peek() {
        Some(token) if token.is("(") => "an instruction has one predicate",
        Some(token) if token.kind == Kind::Number => "a label is a word: `L1:`",
        _ => "",
    };
    cursor.word("an instruction").map_err(|wrong| match help {
        "" => wrong,
        help => Box::new(wrong.with_help(help)),
    })
}

fn opcode(mnemonic: &Token, cursor: &Cursor) -> Result<Opcode, Failure> {
    const DEFEATURED: [&str; 10] =
        ["sad4", "sada4", "aac", "min", "max", "next", "swz", "dpa2", "rsl", "rsr"];
    let lower = mnemonic.text.to_ascii_lowercase();
    let device = cursor.target.device;
    let message = match Opcode::of_mnemonic(&lower) {
        Some(opcode) if opcode.code(device).is_some() => return Ok(opcode),
        Some(opcode) => EncodeError::Opcode { opcode, device }.to_string(),
        None => format!("unknown instruction `{}`", mnemonic.text),
    };
    let mut wrong = Box::new(mnemonic.place.diagnostic(message));
    if DEFEATURED.contains(&lower.as_str()) {
        wrong.message = format!("the instruction `{lower}` was removed from the architecture");
    }
    wrong.help = hints::mnemonic(&mnemonic.text, cursor.peek(), device);
    Err(wrong)
}

struct ReadPredicate {
    predicate: crate::eu::instruction::Predicate,
    flag: Option<(Flag, Place)>,
    /// Where the control stands.
    control: Option<Place>,
    /// `W`: whatever the channel enables say.
    no_mask: bool,
}

impl ReadPredicate {
    /// Most controls belong to one access mode.
    fn check_access_mode(&self, generation: Generation, mode: AccessMode) -> Result<(), Failure> {
        let codes = codes::predicate_controls(mode);
        let Some(place) =
            self.control.filter(|_| codes.code(generation, self.predicate.control).is_none())
        else {
            return Ok(());
        };
        let allowed =
            names::PREDICATES.iter().filter(|(_, c)| codes.code(generation, *c).is_some());
        let allowed: Vec<&str> = allowed.map(|(name, _)| *name).collect();
        let message = format!("{mode:?} access mode has no such predicate control");
        let help = format!("in {mode:?} they are {}", allowed.join(", "));
        Err(Box::new(place.diagnostic(message).with_help(help)))
    }
}

/// `(f0.1)`, `(-f0.0.any4h)`, `(+f0)`; from Gen7 on also `(W)` and `(W&f0.1)`.
fn predicate(cursor: &mut Cursor) -> Result<Option<ReadPredicate>, Failure> {
    if !cursor.accept("(") {
        return Ok(None);
    }
    let no_mask = cursor.target.generation > Generation::Gen45 && cursor.accept_word("w");
    let is_alone = no_mask && cursor.accept(")");
    if no_mask && !is_alone {
        cursor.expect("&", "or `)` after `(W`")?;
    }
    let inverse = !is_alone && (cursor.accept("-") || cursor.accept("!") || cursor.accept("~"));
    if !is_alone && !inverse {
        cursor.accept("+");
    }
    let mut read = ReadPredicate {
        predicate: crate::eu::instruction::Predicate { control: PredicateControl::None, inverse },
        flag: None,
        control: None,
        no_mask,
    };
    if is_alone || inverse && cursor.accept(")") {
        return Ok(Some(read));
    }
    let place = cursor.place();
    let flag = flag_register(cursor)?;
    read.flag = Some((flag, cursor.since(place)));
    read.predicate.control = PredicateControl::Sequential;
    if cursor.accept(".") {
        let word = cursor.word("a predicate control such as `any4h`")?;
        let lower = word.text.to_ascii_lowercase();
        let row = names::PREDICATES.iter().find(|(name, _)| *name == lower);
        read.predicate.control = row.map(|(_, control)| *control).ok_or_else(|| {
            let message = format!("`{}` is no predicate control", word.text);
            Box::new(
                word.place
                    .diagnostic(message)
                    .with_help(hints::predicate_control(&lower, cursor.target.generation)),
            )
        })?;
        read.control = Some(word.place);
    }
    cursor.expect(")", "after the predicate")?;
    Ok(Some(read))
}

/// `.sat` and `.cmod.f0.n`, in either order. Returns the flag subregister that was named.
fn modifiers(cursor: &mut Cursor, instruction: &mut Instruction) -> Result<Option<Flag>, Failure> {
    let mut flag = None;
    while cursor.accept(".") {
        let word = cursor.word("`sat` or a conditional modifier")?;
        let lower = word.text.to_ascii_lowercase();
        if lower == "sat" {
            instruction.saturate = true;
            continue;
        }
        let row = names::CONDITIONS.iter().find(|(name, _)| *name == lower);
        let Some((_, condition)) = row else {
            let message = format!("`.{}` is no modifier", word.text);
            let wrong = word.place.diagnostic(message).with_help(hints::modifier(&word.text));
            return Err(Box::new(wrong));
        };
        if instruction.condition != ConditionalModifier::None {
            let message = "an instruction has one conditional modifier";
            return Err(Box::new(word.place.diagnostic(message)));
        }
        instruction.condition = *condition;
        if cursor.peek().is_some_and(|token| token.is("."))
            && cursor.peek_at(1).is_some_and(|token| {
                ["f0", "f1"].iter().any(|flag| token.text.eq_ignore_ascii_case(flag))
            })
        {
            cursor.accept(".");
            flag = Some(flag_register(cursor)?);
        }
    }
    Ok(flag)
}

fn operands_of(
    cursor: &mut Cursor,
    instruction: &mut Instruction,
    settings: &Settings,
    target: &mut Option<Target>,
) -> Result<(), Failure> {
    let mode = instruction.access_mode;
    let opcode = instruction.opcode;
    // The long form of these instructions has every operand, each with its type.
    let types = cursor.remaining().iter().filter(|token| token.is(":")).count();
    let generation = cursor.target.generation;
    match print::implied_operands(generation, opcode, mode) {
        Some(Implied::ExitCode) if cursor.is_done() => {
            // The manual's grammar leaves the exit code of endif out; one level is popped.
            instruction.sources[1] =
                Source::Immediate { data_type: DataType::D, bits: 0x0001_0000 };
            return Ok(());
        }
        Some(Implied::ExitCode) if types == 0 => {
            instruction.sources[1] = exit_code(cursor, opcode, target)?;
            return Ok(());
        }
        Some(Implied::Branch(destination, source)) if types < 2 => {
            instruction.destination = destination;
            instruction.sources[0] = source;
            instruction.sources[1] = if opcode == Opcode::Jmpi && is_register(cursor, settings) {
                operands::source(cursor, settings, mode)?
            } else {
                exit_code(cursor, opcode, target)?
            };
            return Ok(());
        }
        Some(Implied::Wait) if types < 2 => {
            let place = cursor.place();
            if !cursor_at_word(cursor, "n0") && !cursor_at_word(cursor, "n1") {
                let message = "wait needs a notification register: n0 or n1";
                return Err(Box::new(place.diagnostic(message)));
            }
            let register = operands::destination(cursor, settings, AccessMode::Align1)?.register;
            let Register::Direct { number, subregister, .. } = register else {
                return Err(cursor.unexpected("n0 or n1"));
            };
            (instruction.destination, instruction.sources) = if generation > Generation::Gen45 {
                print::later::wait_operands(subregister / 4, mode)
            } else {
                print::wait_operands(number, mode)
            };
            return Ok(());
        }
        _ => {}
    }
    match opcode.format() {
        Format::Nothing | Format::Controls => {
            if opcode == Opcode::Illegal && !cursor.is_done() {
                instruction.residue |= cursor.integer("the undefined opcode", 0..=0x7F)? as u128;
            }
        }
        Format::Sync => instruction.sources[0] = later::sync_operand(cursor, settings)?,
        Format::ExitCode => instruction.sources[1] = operands::source(cursor, settings, mode)?,
        Format::Unary => {
            instruction.destination = operands::destination(cursor, settings, mode)?;
            instruction.sources[0] = operands::source(cursor, settings, mode)?;
        }
        Format::Binary if opcode == Opcode::Pop && types < 3 => {
            let (destination, source, depth) = pop_operands(cursor, settings)?;
            instruction.destination = destination;
            instruction.sources = [source, depth, Source::ABSENT];
        }
        Format::Ternary => {
            instruction.destination = operands::destination(cursor, settings, mode)?;
            for source in &mut instruction.sources {
                *source = operands::source(cursor, settings, mode)?;
            }
        }
        Format::Binary if instruction.math.is_some_and(|function| function.sources() == 1) => {
            instruction.destination = operands::destination(cursor, settings, mode)?;
            instruction.sources[0] = operands::source(cursor, settings, mode)?;
        }
        Format::Binary => {
            instruction.destination = operands::destination(cursor, settings, mode)?;
            instruction.sources[0] = register_source(cursor, settings, mode)?;
            instruction.sources[1] = operands::source(cursor, settings, mode)?;
        }
        Format::Message | Format::SplitMessage | Format::Branch => {
            send::operands_of(cursor, instruction, settings)?;
        }
    }
    Ok(())
}

/// A source that cannot be a constant because another one follows.
fn register_source(
    cursor: &mut Cursor,
    settings: &Settings,
    mode: AccessMode,
) -> Result<Source, Failure> {
    let start = cursor.place();
    let source = operands::source(cursor, settings, mode)?;
    if let Source::Immediate { .. } = source {
        let wrong = cursor.since(start).diagnostic("only the last source can be a constant");
        return Err(Box::new(
            wrong.with_help("exchange the sources, or move the constant to a register first"),
        ));
    }
    Ok(source)
}

fn cursor_at_word(cursor: &Cursor, word: &str) -> bool {
    cursor.peek().is_some_and(|token| token.text.eq_ignore_ascii_case(word))
}

/// Whether the next operand is a register rather than a label or number.
fn is_register(cursor: &Cursor, settings: &Settings) -> bool {
    let Some(token) = cursor.peek().filter(|token| token.kind == Kind::Word) else {
        return cursor.peek_at(1).is_some_and(|t| t.kind == Kind::Word);
    };
    settings.symbols.contains_key(&token.text)
        || matches!(words::numbered_register(token), Ok(Some(_)))
        || names::ARF_NAMES.iter().any(|row| token.text.eq_ignore_ascii_case(row.word))
        || token.text.strip_prefix("arf").is_some_and(|number| number.parse::<u8>().is_ok())
        || cursor.peek_at(1).is_some_and(|next| next.is("["))
}

/// A branch's distance in instructions of 16 bytes or its label, and `pop` with a count. The
/// distance of jmpi fills the exit code, that of the others its low half.
fn exit_code(
    cursor: &mut Cursor,
    opcode: Opcode,
    target: &mut Option<Target>,
) -> Result<Source, Failure> {
    let data_type = DataType::D;
    if is_typed_constant(cursor, opcode) {
        return constant::immediate(cursor);
    }
    if let Some(token) = cursor.peek().filter(|token| token.kind == Kind::Word) {
        cursor.next();
        let pops = pop_count(cursor)?;
        *target = Some(Target { label: token.text.clone(), place: token.place, pops });
        return Ok(Source::Immediate { data_type, bits: u64::from(pops) << 16 });
    }
    let distance = if is_hexadecimal(cursor) || opcode == Opcode::Jmpi {
        cursor.integer("the branch distance", -(1 << 31)..=(1 << 32) - 1)?
    } else {
        cursor.integer("the branch distance", -0x8000..=0x7FFF)?
    };
    if cursor.accept(":") {
        words::type_word(cursor)?;
    }
    if !cursor_at_word(cursor, "pop") {
        let small = i16::try_from(distance).ok().filter(|_| opcode != Opcode::Jmpi);
        let small = small.map(|distance| u32::from(distance.cast_unsigned()));
        let bits = small.unwrap_or(distance as u32).into();
        return Ok(Source::Immediate { data_type, bits });
    }
    let place = cursor.place();
    let pops = pop_count(cursor)?;
    let Ok(distance) = i16::try_from(distance) else {
        let message = "a branch distance beside a pop count is -32768 to 32767";
        return Err(Box::new(place.diagnostic(message)));
    };
    let bits = (pops << 16 | u32::from(distance.cast_unsigned())).into();
    Ok(Source::Immediate { data_type, bits })
}

/// Whether a constant follows whose type is its own: any of jmpi, of other branches what is not `:d`.
fn is_typed_constant(cursor: &Cursor, opcode: Opcode) -> bool {
    let sign = usize::from(cursor.peek().is_some_and(|token| token.is("-")));
    cursor.peek_at(sign).is_some_and(|token| token.kind == Kind::Number)
        && cursor.peek_at(sign + 1).is_some_and(|token| token.is(":"))
        && cursor.peek_at(sign + 2).is_some_and(|token| {
            opcode == Opcode::Jmpi || !token.text.eq_ignore_ascii_case(DataType::D.suffix())
        })
}

/// Hexadecimal digits are the bits of a field, whatever is legal there.
fn is_hexadecimal(cursor: &Cursor) -> bool {
    cursor.peek().is_some_and(|token| token.text.starts_with("0x") || token.text.starts_with("0X"))
}

fn pop_count(cursor: &mut Cursor) -> Result<u32, Failure> {
    if !cursor.accept_word("pop") {
        return Ok(0);
    }
    let most = if is_hexadecimal(cursor) { 0xFFFF } else { 15 };
    Ok(cursor.integer("the pop count", 0..=most)? as u32)
}

type PopOperands = (crate::eu::operand::Destination, Source, Source);

/// `pop (1) ms0 3`: the stack as destination and src0, then the depth.
fn pop_operands(cursor: &mut Cursor, settings: &Settings) -> Result<PopOperands, Failure> {
    let mut destination = operands::destination(cursor, settings, AccessMode::Align1)?;
    destination.region = DestinationRegion::Stride(1);
    let source = Source::Register {
        register: destination.register,
        data_type: destination.data_type,
        region: crate::eu::operand::Region::SCALAR,
        modifier: SourceModifier::default(),
    };
    let typed = cursor.peek_at(1).is_some_and(|token| token.is(":"));
    let depth = if typed {
        operands::source(cursor, settings, AccessMode::Align1)?
    } else {
        let most = if is_hexadecimal(cursor) { i64::from(u32::MAX) } else { 15 };
        let bits = cursor.integer("the depth", 0..=most)? as u64;
        Source::Immediate { data_type: DataType::Ud, bits }
    };
    Ok((destination, source, depth))
}

/// `jmp n`: `add (1) ip ip n*16`.
fn jump_pseudo(cursor: &mut Cursor, options: &Options) -> Result<Statement, Failure> {
    if cursor.peek().is_some_and(|token| token.kind == Kind::Word) {
        let wrong = cursor.unexpected("the distance in instructions");
        return Err(Box::new(wrong.with_help("jmpi goes to labels: `jmpi (1) END {NoMask}`")));
    }
    let distance = cursor.integer("the distance in instructions", -(1 << 27)..=(1 << 27) - 1)?;
    if !cursor.is_done() {
        return Err(cursor.unexpected("the end of the instruction"));
    }
    let mut instruction = Instruction::bare(Opcode::Add);
    let (destination, source) =
        print::arf_pair(ArfKind::InstructionPointer.code() << 4, AccessMode::Align1);
    let bits = (distance * 16) as u32;
    instruction.destination = destination;
    let distance = Source::Immediate { data_type: DataType::D, bits: bits.into() };
    instruction.sources = [source, distance, Source::ABSENT];
    options.apply(&mut instruction)?;
    Ok(Statement { instruction, target: None, update_target: None, has_residue: false })
}

/// Whether a word can be a label.
pub(super) fn is_label(word: &str) -> bool {
    integer_of(word).is_none()
}
