//! Operands from text: registers, swizzles, types, and what stands around them.

use super::{
    constant::immediate,
    cursor::{Cursor, Failure},
    diagnostic::Diagnostic,
    hints,
    lexer::{Kind, Place, Token},
    names,
    region::{destination_stride, source_region_align1, vertical_stride},
    settings::{Settings, Symbol},
    words::{numbered_register, optional_type},
};
use crate::eu::{
    generation::Generation,
    instruction::AccessMode,
    opcode::Format,
    operand::{
        Destination, DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride,
    },
    register::{ArfKind, RegisterFile},
    types::DataType,
};

/// A register with what its subregister number counts, before the type is known.
struct Named {
    register: Register,
    place: Place,
    /// A subregister in elements that is still to be turned into bytes.
    elements: Option<u32>,
    symbol: Option<Symbol>,
}

impl Named {
    /// The register once the element type is known.
    fn finish(self, data_type: DataType) -> Result<Register, Failure> {
        let Some(elements) = self.elements else { return Ok(self.register) };
        let size = data_type.size() as u32;
        let Register::Direct { file, number, .. } = self.register else { return Ok(self.register) };
        let byte = elements * size;
        if byte >= 32 {
            let message = format!(
                "subregister {elements} is outside the register: with type {} they are 0 to {}",
                data_type.suffix(),
                32 / size - 1
            );
            return Err(Box::new(self.place.diagnostic(message)));
        }
        Ok(Register::Direct { file, number, subregister: byte as u8 })
    }
}

/// What stands where a register is expected, as far as it shows.
fn not_a_register(cursor: &Cursor, wrong: Diagnostic) -> Failure {
    let Some(token) = cursor.peek() else { return Box::new(wrong) };
    let next_is = |text| cursor.peek_at(1).is_some_and(|next: &Token| next.is(text));
    let help = if (token.is("(") && next_is(")"))
        || (token.is("[") && cursor.peek_at(1).is_some_and(|t| t.kind == Kind::Number))
        || (token.kind == Kind::Number && next_is(")"))
    {
        "the execution size stands in parentheses: (8)"
    } else if token.is("(") && cursor.peek_at(1).is_some_and(|t| t.text.starts_with(['f', 'F'])) {
        "a predicate stands before the mnemonic: `(f0.0) mov (8) …`"
    } else if token.is(".") && cursor.peek_at(1).is_some_and(|t| t.kind == Kind::Number) {
        "a number starts with a digit: `0.5:f`"
    } else {
        return Box::new(wrong);
    };
    Box::new(wrong.with_help(help))
}

fn register(cursor: &mut Cursor, settings: &Settings) -> Result<Named, Failure> {
    let start = cursor.place();
    let word = cursor.word("a register").map_err(|wrong| not_a_register(cursor, *wrong))?;
    let bracket = cursor.peek().is_some_and(|token| token.is("["));
    let file = match word.text.to_ascii_lowercase().as_str() {
        "r" => Some(RegisterFile::Grf),
        "m" => Some(RegisterFile::Mrf),
        "arf" => Some(RegisterFile::Arf),
        _ => None,
    };
    if let (Some(file), true) = (file, bracket) {
        let register = indirect(cursor, file, None)?;
        return Ok(Named { register, place: cursor.since(start), elements: None, symbol: None });
    }
    if let Some(symbol) = settings.symbols.get(&word.text) {
        return symbolic(cursor, start, *symbol);
    }
    let (register, elements) = match numbered_register(word)? {
        Some((file, number)) => {
            let (byte, elements) = subregister(cursor)?;
            (Register::Direct { file, number, subregister: byte }, elements)
        }
        None => architecture(cursor, word, settings)?,
    };
    Ok(Named { register, place: cursor.since(start), elements, symbol: None })
}

/// `.3`: a subregister in elements; `.3b`: in bytes. Returns bytes, or elements to be scaled.
fn subregister(cursor: &mut Cursor) -> Result<(u8, Option<u32>), Failure> {
    let numbered = cursor.peek_at(1).is_some_and(|token| token.kind == Kind::Number);
    if !numbered || !cursor.accept(".") {
        return Ok((0, None));
    }
    let Some(token) = cursor.next() else { return Ok((0, None)) };
    let wrong = || {
        let message = format!("`{}` is no subregister number: they are 0 to 31", token.text);
        Box::new(token.place.diagnostic(message))
    };
    if let Some(bytes) = token.text.strip_suffix(['b', 'B']) {
        let byte = bytes.parse().ok().filter(|b| *b < 32).ok_or_else(wrong)?;
        return Ok((byte, None));
    }
    let elements = token.text.parse().ok().filter(|e| *e < 32).ok_or_else(wrong)?;
    Ok((0, Some(elements)))
}

fn architecture(
    cursor: &mut Cursor,
    word: &Token,
    settings: &Settings,
) -> Result<(Register, Option<u32>), Failure> {
    let lower = word.text.to_ascii_lowercase();
    let direct =
        |number, subregister| Register::Direct { file: RegisterFile::Arf, number, subregister };
    if let Some(number) = lower.strip_prefix("arf").and_then(|digits| digits.parse().ok()) {
        let (byte, elements) = subregister(cursor)?;
        return Ok((direct(number, byte), elements));
    }
    let generation = cursor.target.generation;
    let exists = |row: &&names::ArfName| row.word == lower && row.exists(generation);
    let Some(row) = names::ARF_NAMES.iter().find(exists) else {
        let wrong = word.place.diagnostic(format!("`{}` is no register or symbol", word.text));
        let symbols = settings.symbols.keys().map(String::as_str);
        return Err(Box::new(wrong.with_help(hints::register(&word.text, symbols, generation))));
    };
    let number = row.kind.code() << 4 | row.number;
    if let Some(byte) = row.alias {
        return Ok((direct(number, byte), None));
    }
    let place = cursor.place();
    let (byte, elements) = subregister(cursor)?;
    match (names::subregister_unit(row.kind), elements) {
        (Some(unit), Some(elements)) => {
            let byte = u32::from(unit) * elements;
            if byte >= 32 {
                let message = format!("{} has no subregister {elements}", row.word);
                return Err(Box::new(place.diagnostic(message)));
            }
            Ok((direct(number, byte as u8), None))
        }
        _ => Ok((direct(number, byte), elements)),
    }
}

/// `[a0.2, -16]` behind a file letter or a symbol; `base` is added to the offset.
fn indirect(
    cursor: &mut Cursor,
    file: RegisterFile,
    symbol: Option<Symbol>,
) -> Result<Register, Failure> {
    cursor.expect("[", "before the address register")?;
    if !cursor.accept_word("a0") {
        return Err(cursor.unexpected("the address register `a0`"));
    }
    let subregisters = if cursor.target.generation >= Generation::Gen8 { 0..=15 } else { 0..=7 };
    let address = if cursor.accept(".") {
        cursor.integer("the address subregister", subregisters)?
    } else {
        0
    };
    let place = cursor.place();
    let signed = cursor.peek().is_some_and(|token| token.is("-"));
    let mut parts = Vec::new();
    if signed {
        parts.push(cursor.integer("the address offset", -512..=511)?);
    }
    while cursor.accept(",") || cursor.accept("+") {
        parts.push(cursor.integer("the address offset", -4096..=4095)?);
    }
    let base = |s: Symbol| i64::from(s.register) * 32;
    let offset = match (symbol, parts.as_slice()) {
        (None, []) => 0,
        (None, [offset]) => *offset,
        (Some(s), []) => base(s),
        (Some(s), [row]) => base(s) + row * 32,
        (Some(s), [row, element]) => {
            let element = i64::from(s.subregister) + element;
            base(s) + row * 32 + element * i64::from(s.element_size)
        }
        _ => {
            let place = cursor.since(place);
            return Err(Box::new(place.diagnostic("too many offsets in the brackets")));
        }
    };
    cursor.expect("]", "after the address")?;
    if !(-512..=511).contains(&offset) {
        let place = cursor.since(place);
        let message = format!("the address offset is {offset} bytes, but can be -512 to 511");
        return Err(Box::new(place.diagnostic(message)));
    }
    Ok(Register::Indirect { file, address_subregister: address as u8, offset: offset as i16 })
}

/// `Sym`, `Sym(row)`, `Sym(row, element)` or `Sym[a0.0, …]`.
fn symbolic(cursor: &mut Cursor, start: Place, symbol: Symbol) -> Result<Named, Failure> {
    if cursor.peek().is_some_and(|token| token.is("[")) {
        let register = indirect(cursor, symbol.file, Some(symbol))?;
        let place = cursor.since(start);
        return Ok(Named { register, place, elements: None, symbol: Some(symbol) });
    }
    let (mut row, mut element) = (0, 0);
    if cursor.accept("(") {
        row = cursor.integer("the register offset", -127..=127)?;
        if cursor.accept(",") {
            element = cursor.integer("the subregister offset", -31..=31)?;
        }
        cursor.expect(")", "after the offsets of the symbol")?;
    }
    let place = cursor.since(start);
    let number = i64::from(symbol.register) + row;
    let byte = (i64::from(symbol.subregister) + element) * i64::from(symbol.element_size);
    let last = if symbol.file == RegisterFile::Mrf { 15 } else { 127 };
    if !(0..=last).contains(&number) || !(0..32).contains(&byte) {
        let message = format!(
            "the symbol comes to register {number}, byte {byte}: registers are 0 to {last}, bytes 0 \
             to 31"
        );
        return Err(Box::new(place.diagnostic(message)));
    }
    let register =
        Register::Direct { file: symbol.file, number: number as u8, subregister: byte as u8 };
    Ok(Named { register, place, elements: None, symbol: Some(symbol) })
}

/// Architecture registers that are written without region and type: doublewords.
fn is_bare(register: Register) -> bool {
    use ArfKind::{
        Control, InstructionPointer, MaskStack, MaskStackDepth, Notification, Null, State,
    };
    let kinds = [Control, InstructionPointer, MaskStack, MaskStackDepth, Notification, Null, State];
    register.arf().is_some_and(|kind| kinds.contains(&kind))
}

/// The type of an operand: written, declared with its symbol, or the default.
fn operand_type(
    written: Option<DataType>,
    named: &Named,
    cursor: &Cursor,
    settings: &Settings,
) -> Result<DataType, Failure> {
    let declared = named.symbol.and_then(|symbol| symbol.data_type);
    let default = || settings.register_type(named.register.file());
    let bare = || is_bare(named.register).then_some(DataType::Ud);
    written.or(declared).or_else(default).or_else(bare).ok_or_else(|| {
        let wrong = cursor.unexpected("a type such as `:f`");
        let help = match cursor.peek() {
            Some(token) if token.is("(") => "a region stands in angle brackets: <8;8,1>".to_owned(),
            Some(token) if hints::is_type(token) => {
                format!("a type stands behind a colon: `:{}`", token.text)
            }
            _ => "write it, or set a default with .default_register_type".to_owned(),
        };
        Box::new(wrong.with_help(help))
    })
}

/// Channels after a point: `.xyz`; `what` they are is said where they cannot be.
fn channels<'a>(
    cursor: &mut Cursor<'a>,
    mode: AccessMode,
    what: &str,
) -> Result<Option<&'a Token>, Failure> {
    let at_point = cursor.peek().is_some_and(|token| token.is("."));
    let Some(token) = cursor.peek_at(1).filter(|token| at_point && token.kind == Kind::Word) else {
        return Ok(None);
    };
    if mode == AccessMode::Align1 {
        let wrong = if token.text.chars().all(|letter| channel_number(letter).is_some()) {
            let wrong = token.place.diagnostic(format!("{what} need Align16 access mode"));
            wrong.with_help("add {Align16}")
        } else {
            let wrong = token.place.diagnostic(format!("`{}` is no subregister", token.text));
            wrong.with_help("subregisters are numbered: `r2.3`")
        };
        return Err(Box::new(wrong));
    }
    cursor.accept(".");
    cursor.next();
    Ok(Some(token))
}

fn channel_number(letter: char) -> Option<u8> {
    "xyzw".find(letter.to_ascii_lowercase()).map(|n| n as u8)
}

/// A destination is neither a constant nor modified.
fn refuse_signs_and_constants(cursor: &Cursor) -> Result<(), Failure> {
    let Some(token) = cursor.peek() else { return Ok(()) };
    let next = cursor.peek_at(1);
    let message = if token.kind == Kind::Number && next.is_some_and(|t| t.is(":")) {
        "a constant cannot be the destination"
    } else if token.is("-") && next.is_some_and(|t| t.kind == Kind::Word) {
        "a destination has no sign"
    } else {
        return Ok(());
    };
    Err(Box::new(token.place.diagnostic(message).with_help("the first operand is a register")))
}

pub(super) fn destination(
    cursor: &mut Cursor,
    settings: &Settings,
    mode: AccessMode,
) -> Result<Destination, Failure> {
    destination_or(cursor, settings, mode, None)
}

/// Where the reply to a message goes: whole registers of type `ud` if nothing else is said.
pub(super) fn response(
    cursor: &mut Cursor,
    settings: &Settings,
    mode: AccessMode,
) -> Result<Destination, Failure> {
    destination_or(cursor, settings, mode, Some(DataType::Ud))
}

/// A destination. With a default type it may leave out its own.
fn destination_or(
    cursor: &mut Cursor,
    settings: &Settings,
    mode: AccessMode,
    default: Option<DataType>,
) -> Result<Destination, Failure> {
    refuse_signs_and_constants(cursor)?;
    let named = register(cursor, settings)?;
    let place = cursor.place();
    let stride = match cursor.peek() {
        Some(token) if token.is("<") => Some(destination_stride(cursor)?),
        _ => None,
    };
    if mode == AccessMode::Align16
        && let Some(stride) = stride.filter(|stride| *stride != 1)
    {
        let message = format!("the stride of an Align16 destination is {stride}, but can be 1");
        return Err(Box::new(cursor.since(place).diagnostic(message)));
    }
    let mask = channels(cursor, mode, "channel enables")?;
    let written = optional_type(cursor)?.or(default);
    let data_type = operand_type(written, &named, cursor, settings)?;
    let stride = stride
        .or(named.symbol.and_then(|symbol| symbol.destination_stride))
        .or_else(|| settings.destination_stride(data_type))
        .unwrap_or(1);
    let region = match mode {
        AccessMode::Align1 => DestinationRegion::Stride(stride),
        AccessMode::Align16 => DestinationRegion::ChannelEnable(channel_enables(mask)?),
    };
    Ok(Destination { register: named.finish(data_type)?, data_type, region })
}

fn channel_enables(mask: Option<&Token>) -> Result<u8, Failure> {
    let Some(mask) = mask else { return Ok(0xF) };
    if mask.text == "_" {
        return Ok(0);
    }
    let mut enables = 0;
    for letter in mask.text.chars() {
        let bit = channel_number(letter).map(|n| 1_u8 << n).filter(|bit| *bit > enables);
        let Some(bit) = bit else {
            let message = format!("`.{}` is no set of channels", mask.text);
            let mut wrong = Box::new(mask.place.diagnostic(message));
            wrong.help = Some("name each of x, y, z and w at most once, in this order".to_owned());
            return Err(wrong);
        };
        enables |= bit;
    }
    Ok(enables)
}

pub(super) fn source(
    cursor: &mut Cursor,
    settings: &Settings,
    mode: AccessMode,
) -> Result<Source, Failure> {
    source_or(cursor, settings, mode, None)
}

/// The payload of a message: a source that is whole registers of type `ud` if nothing else is said.
pub(super) fn payload(
    cursor: &mut Cursor,
    settings: &Settings,
    mode: AccessMode,
) -> Result<Source, Failure> {
    source_or(cursor, settings, mode, Some(DataType::Ud))
}

/// A source. With a default type it may leave out type and region, which is packed then.
fn source_or(
    cursor: &mut Cursor,
    settings: &Settings,
    mode: AccessMode,
    default: Option<DataType>,
) -> Result<Source, Failure> {
    let start = cursor.place();
    let after_sign = cursor.peek_at(usize::from(cursor.peek().is_some_and(|t| t.is("-"))));
    if after_sign.is_some_and(|token| token.kind == Kind::Number) {
        return immediate(cursor);
    }
    let negate = cursor.accept("-");
    let absolute =
        cursor.peek_at(1).is_some_and(|t| t.text.eq_ignore_ascii_case("abs")) && cursor.accept("(");
    if absolute {
        cursor.next();
        cursor.expect(")", "after `(abs`")?;
        if cursor.peek().is_some_and(|token| token.is("-")) {
            let wrong = cursor.since(start).diagnostic("`(abs)-` is no modifier");
            return Err(Box::new(
                wrong.with_help("write `-(abs)`: the absolute value is taken first"),
            ));
        }
    }
    if (negate || absolute)
        && cursor
            .peek_at(usize::from(cursor.peek().is_some_and(|t| t.is("-"))))
            .is_some_and(|t| t.kind == Kind::Number)
    {
        let wrong = cursor.since(start).diagnostic("a constant has no modifiers");
        return Err(Box::new(wrong.with_help("write the value itself")));
    }
    let named = register(cursor, settings)?;
    let bracket = cursor.peek().is_some_and(|token| token.is("<"));
    let written = match (bracket, mode) {
        (false, _) => None,
        (true, AccessMode::Align1) => Some(source_region_align1(cursor)?),
        (true, AccessMode::Align16) => {
            let vertical = vertical_stride(cursor)?;
            Some(Region::Align16 { vertical, swizzle: [0, 1, 2, 3] })
        }
    };
    let selected = channels(cursor, mode, "swizzles")?;
    let data_type = optional_type(cursor)?.or(default);
    let data_type = operand_type(data_type, &named, cursor, settings)?;
    let written = written.or_else(|| default.map(|_| Region::PACKED8));
    let region = match mode {
        AccessMode::Align1 => region_align1(written, &named, data_type, settings)?,
        AccessMode::Align16 => {
            let vertical = match written {
                Some(Region::Align16 { vertical, .. }) => vertical,
                // Other assemblers of these generations take such a source for a scalar.
                _ if cursor.opcode.is_some_and(|opcode| opcode.format() == Format::Ternary)
                    && cursor.target.generation >= Generation::Gen8 =>
                {
                    let wrong = named.place.diagnostic("the source has no region");
                    let help = "write <4> for the channels as they are, or <0> for one of them";
                    return Err(Box::new(wrong.with_help(help)));
                }
                _ => VerticalStride::Elements(4),
            };
            Region::Align16 { vertical, swizzle: swizzle(selected)? }
        }
    };
    let register = named.finish(data_type)?;
    let modifier = SourceModifier { absolute, negate };
    Ok(Source::Register { register, data_type, region, modifier })
}

fn region_align1(
    written: Option<Region>,
    named: &Named,
    data_type: DataType,
    settings: &Settings,
) -> Result<Region, Failure> {
    let declared = named.symbol.and_then(|symbol| symbol.source_region);
    let default = || settings.source_region(data_type);
    let bare = || is_bare(named.register).then_some(Region::SCALAR);
    // An accumulator is written with its type only: its channels follow those of the destination.
    let accumulator =
        || (named.register.arf() == Some(ArfKind::Accumulator)).then_some(Region::PACKED8);
    written.or(declared).or_else(default).or_else(bare).or_else(accumulator).ok_or_else(|| {
        let mut wrong = Box::new(named.place.diagnostic("the source has no region"));
        wrong.help = Some(
            "write one such as <8;8,1> (packed) or <0;1,0> (scalar) before the type, or set \
             .default_source_register_region"
                .to_owned(),
        );
        wrong
    })
}

fn swizzle(selected: Option<&Token>) -> Result<[u8; 4], Failure> {
    let Some(selected) = selected else { return Ok([0, 1, 2, 3]) };
    let numbers: Option<Vec<u8>> = selected.text.chars().map(channel_number).collect();
    match numbers.as_deref() {
        Some(&[one]) => Ok([one; 4]),
        Some(&[x, y, z, w]) => Ok([x, y, z, w]),
        _ => {
            let message = format!("`.{}` is no swizzle", selected.text);
            let mut wrong = Box::new(selected.place.diagnostic(message));
            wrong.help = Some("a swizzle is one or four of x, y, z and w".to_owned());
            Err(wrong)
        }
    }
}
