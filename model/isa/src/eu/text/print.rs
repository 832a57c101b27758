//! [`Instruction`] to canonical text.

use std::fmt::Write as _;

use super::names::{self, Choice};
use crate::{
    Device,
    eu::{
        generation::Generation,
        instruction::{
            AccessMode, Compression, ConditionalModifier, Descriptor, Instruction,
            PredicateControl, ThreadControl,
        },
        opcode::{Format, Opcode},
        operand::{
            Destination, DestinationRegion, NULL, Region, Register, Source, SourceModifier,
            VerticalStride,
        },
        register::{ArfKind, RegisterFile},
        scoreboard::Scoreboard,
        types::DataType,
    },
};

pub(super) mod later;

/// The canonical text of an instruction, without a line end.
#[must_use]
pub fn print(device: Device, instruction: &Instruction) -> String {
    let generation = device.generation().unwrap_or(Generation::Gen4);
    let mut text = String::new();
    let talk = is_talk(generation);
    write_predicate(&mut text, talk, instruction);
    text.push_str(instruction.opcode.mnemonic());
    let functions = [instruction.math.map(|f| f.name()), instruction.sync.map(|f| f.name())];
    for function in functions.into_iter().flatten() {
        put(&mut text, format_args!(".{function}"));
    }
    if instruction.saturate && !talk {
        text.push_str(".sat");
    }
    let has_condition = instruction.condition != ConditionalModifier::None;
    if has_condition && !talk {
        let row = names::CONDITIONS.iter().find(|(_, c)| *c == instruction.condition);
        let word = row.map_or("?", |(word, _)| word);
        put(&mut text, format_args!(".{word}.{}", flag(instruction)));
    }
    let format = instruction.opcode.format_on(generation);
    let Instruction { execution_size: size, first_channel: first, .. } = *instruction;
    if format != Format::Nothing && (format != Format::Controls || (size, first) != (1, 0)) {
        match first {
            0 if !talk => put(&mut text, format_args!(" ({size})")),
            first => put(&mut text, format_args!(" ({size}|M{first})")),
        }
    }
    if has_condition && talk {
        let row = names::TALK_CONDITIONS.iter().find(|(_, c)| *c == instruction.condition);
        let word = row.map_or("?", |(word, _)| word);
        put(&mut text, format_args!(" [({word}){}]", flag(instruction)));
    }
    if instruction.saturate && talk {
        text.push_str(" (sat)");
        let mut operands = String::new();
        write_operands(&mut operands, generation, instruction);
        text.push_str(operands.trim_start());
    } else {
        write_operands(&mut text, generation, instruction);
    }
    write_options(&mut text, generation, instruction);
    text
}

/// Whether text of a generation is written as in the talk about Gen8 and Gen9, whose notation later
/// generations keep.
pub(super) fn is_talk(generation: Generation) -> bool {
    generation >= Generation::Gen8
}

/// A source as it stands in the text of an instruction.
#[must_use]
pub fn print_source(device: Device, source: &Source) -> String {
    source_text(device.generation().unwrap_or(Generation::Gen4), source)
}

fn source_text(generation: Generation, source: &Source) -> String {
    let mut text = String::new();
    write_source(&mut text, generation, source);
    text.split_off(1)
}

/// The destination as it stands in the text of an instruction.
#[must_use]
pub fn print_destination(device: Device, instruction: &Instruction) -> String {
    let generation = device.generation().unwrap_or(Generation::Gen4);
    let compr4 = writes_destination(instruction.opcode.format()) && is_compr4(instruction);
    let mut text = String::new();
    write_destination(&mut text, generation, &instruction.destination, compr4);
    text.split_off(1)
}

/// The flag subregister that predicate and conditional modifier name: `f0.1`.
pub(super) fn flag(instruction: &Instruction) -> String {
    format!("f{}.{}", instruction.flag_register, instruction.flag_subregister)
}

pub(super) fn put(text: &mut String, arguments: std::fmt::Arguments) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(arguments);
}

/// `.any4h`: a predicate control; nothing for the sequential one.
pub(super) fn predicate_control(control: PredicateControl) -> String {
    let row = names::PREDICATES.iter().find(|(_, known)| *known == control);
    row.map_or(String::new(), |(word, _)| format!(".{word}"))
}

/// The letters of channel enables.
pub(super) fn channel_letters(enable: u8) -> String {
    let letters = "xyzw".chars().enumerate();
    letters.filter(|(bit, _)| enable >> bit & 1 == 1).map(|(_, letter)| letter).collect()
}

fn write_predicate(text: &mut String, talk: bool, instruction: &Instruction) {
    let predicate = instruction.predicate;
    let sign = match predicate.inverse {
        true if talk => "~",
        true => "-",
        false => "",
    };
    match predicate.control {
        PredicateControl::None if predicate.inverse => put(text, format_args!("({sign}) ")),
        PredicateControl::None => {}
        control => {
            let word = predicate_control(control);
            put(text, format_args!("({sign}{}{word}) ", flag(instruction)));
        }
    }
}

fn write_operands(text: &mut String, generation: Generation, instruction: &Instruction) {
    let Instruction { destination, sources, message, .. } = instruction;
    if let Some(short) = short_operands(generation, instruction) {
        text.push(' ');
        text.push_str(&short);
        return;
    }
    if let Some(code) = instruction.undefined_opcode() {
        put(text, format_args!(" {code:#04x}"));
    }
    let compr4 = is_compr4(instruction);
    match instruction.opcode.format_on(generation) {
        Format::Nothing | Format::Controls => {}
        Format::Branch => later::write_branch(text, generation, instruction),
        Format::Message | Format::SplitMessage if generation > Generation::Gen45 => {
            later::write_message(text, generation, instruction);
        }
        Format::Binary if instruction.math.is_some_and(|function| function.sources() == 1) => {
            write_destination(text, generation, destination, compr4);
            write_source(text, generation, &sources[0]);
        }
        Format::ExitCode => write_source(text, generation, &sources[1]),
        Format::Sync => later::write_sync(text, generation, &sources[0]),
        Format::Unary => {
            write_destination(text, generation, destination, compr4);
            write_source(text, generation, &sources[0]);
        }
        Format::Binary => {
            write_destination(text, generation, destination, compr4);
            write_source(text, generation, &sources[0]);
            write_source(text, generation, &sources[1]);
        }
        Format::Ternary => {
            write_destination(text, generation, destination, compr4);
            sources.iter().for_each(|source| write_source(text, generation, source));
        }
        Format::Message | Format::SplitMessage => {
            write_destination(text, generation, destination, false);
            if let Some(message) = message {
                put(text, format_args!(" m{}", message.current_destination));
            }
            write_source(text, generation, &sources[0]);
            match message.map(|message| message.descriptor) {
                Some(Descriptor::Immediate(bits)) => put(text, format_args!(" {bits:#010x}")),
                _ => text.push_str(" a0.0<0;1,0>:ud"),
            }
        }
    }
}

/// The short operand forms of branches and `wait`, where the long form says nothing more.
fn short_operands(generation: Generation, instruction: &Instruction) -> Option<String> {
    let mode = instruction.access_mode;
    let implied = implied_operands(generation, instruction.opcode, mode)?;
    let Instruction { destination, sources, .. } = instruction;
    match implied {
        Implied::ExitCode => exit_code(&sources[1]),
        Implied::Branch(ip_destination, ip_source) => {
            if *destination != ip_destination || sources[0] != ip_source {
                return None;
            }
            if instruction.opcode != Opcode::Jmpi {
                return exit_code(&sources[1]);
            }
            match sources[1] {
                Source::Immediate { data_type: DataType::D, bits } => {
                    Some((bits as u32).cast_signed().to_string())
                }
                source => Some(source_text(generation, &source)),
            }
        }
        Implied::Wait if generation > Generation::Gen45 => (0..3).find_map(|number| {
            (later::wait_operands(number, mode) == (*destination, *sources))
                .then(|| format!("n0.{number}"))
        }),
        Implied::Wait => (0..2).find_map(|number| {
            let register = ArfKind::Notification.code() << 4 | number;
            (wait_operands(register, mode) == (*destination, *sources))
                .then(|| format!("n{number}"))
        }),
    }
}

/// What an operation's operands are when only the last one is written.
pub(super) enum Implied {
    /// Only an exit code.
    ExitCode,
    /// `ip` as destination and src0.
    Branch(Destination, Source),
    /// One notification register for destination and src0.
    Wait,
}

pub(super) fn implied_operands(
    generation: Generation,
    opcode: Opcode,
    mode: AccessMode,
) -> Option<Implied> {
    if opcode.format_on(generation) == Format::Branch {
        return None;
    }
    use Opcode::{Break, Cont, Else, Endif, Halt, If, Iff, Jmpi, Wait, While};
    match opcode {
        Endif => Some(Implied::ExitCode),
        Jmpi | If | Iff | Else | While | Break | Cont | Halt => {
            let (destination, source) = arf_pair(ArfKind::InstructionPointer.code() << 4, mode);
            Some(Implied::Branch(destination, source))
        }
        Wait => Some(Implied::Wait),
        _ => None,
    }
}

/// A register of the ARF as destination `<1>:ud` and as source `<0;1,0>:ud`, in Align16 `<0>:ud`.
pub(super) fn arf_pair(number: u8, mode: AccessMode) -> (Destination, Source) {
    let register = Register::Direct { file: RegisterFile::Arf, number, subregister: 0 };
    let data_type = DataType::Ud;
    let (written, read) = match mode {
        AccessMode::Align1 => (DestinationRegion::Stride(1), Region::SCALAR),
        AccessMode::Align16 => (
            DestinationRegion::ChannelEnable(0xF),
            Region::Align16 { vertical: VerticalStride::Elements(0), swizzle: [0, 1, 2, 3] },
        ),
    };
    let modifier = SourceModifier::default();
    (
        Destination { register, data_type, region: written },
        Source::Register { register, data_type, region: read, modifier },
    )
}

/// The operands of `wait` on a notification register.
pub(super) fn wait_operands(number: u8, mode: AccessMode) -> (Destination, [Source; 3]) {
    let (destination, source) = arf_pair(number, mode);
    let (_, null) = arf_pair(NULL, mode);
    (destination, [source, null, Source::ABSENT])
}

/// A branch's exit code: the signed distance, and the pop count where there is one.
fn exit_code(source: &Source) -> Option<String> {
    let Source::Immediate { data_type: DataType::D, bits } = *source else { return None };
    let (distance, pops) = (bits as u16 as i16, bits as u32 >> 16);
    Some(match pops {
        0 => distance.to_string(),
        1..16 => format!("{distance} pop {pops}"),
        _ => format!("{distance} pop {pops:#x}"),
    })
}

/// Whether the instruction is written with `Compr4`: compressed, with the mark in the number of
/// its message register.
fn is_compr4(instruction: &Instruction) -> bool {
    instruction.compression == Compression::Compressed
        && matches!(
            instruction.destination.register,
            Register::Direct { file: RegisterFile::Mrf, number: 128.., .. }
        )
}

fn write_destination(
    text: &mut String,
    generation: Generation,
    destination: &Destination,
    compr4: bool,
) {
    let mut register = destination.register;
    if let Register::Direct { number, .. } = &mut register
        && compr4
    {
        *number &= 0x7F;
    }
    text.push(' ');
    write_register(text, generation, register, destination.data_type);
    match destination.region {
        DestinationRegion::Stride(stride) => put(text, format_args!("<{stride}>")),
        DestinationRegion::ChannelEnable(enable) => {
            text.push_str("<1>");
            if enable != 0xF {
                text.push('.');
                text.push_str(if enable == 0 { "_" } else { "" });
                text.push_str(&channel_letters(enable));
            }
        }
    }
    put(text, format_args!(":{}", destination.data_type.suffix()));
}

fn write_source(text: &mut String, generation: Generation, source: &Source) {
    text.push(' ');
    match *source {
        Source::Immediate { data_type, bits } => write_immediate(text, data_type, bits),
        Source::Register { register, data_type, region, modifier } => {
            text.push_str(if modifier.negate { "-" } else { "" });
            text.push_str(if modifier.absolute { "(abs)" } else { "" });
            write_register(text, generation, register, data_type);
            write_region(text, region);
            put(text, format_args!(":{}", data_type.suffix()));
        }
    }
}

pub(super) fn write_region(text: &mut String, region: Region) {
    match region {
        Region::Align1 { vertical: VerticalStride::Elements(v), width, horizontal } => {
            put(text, format_args!("<{v};{width},{horizontal}>"));
        }
        Region::Align1 { vertical: VerticalStride::PerRowAddress, width, horizontal } => {
            put(text, format_args!("<{width},{horizontal}>"));
        }
        Region::Align16 { vertical, swizzle } => {
            match vertical {
                VerticalStride::Elements(v) => put(text, format_args!("<{v}>")),
                VerticalStride::PerRowAddress => text.push_str("<>"),
            }
            if swizzle != [0, 1, 2, 3] {
                text.push('.');
                text.extend(swizzle.map(|c| ['x', 'y', 'z', 'w'][usize::from(c & 3)]));
            }
        }
    }
}

pub(super) fn write_register(
    text: &mut String,
    generation: Generation,
    register: Register,
    data_type: DataType,
) {
    match register {
        Register::Indirect { file, address_subregister, offset } => {
            let letter = file_letter(file);
            put(text, format_args!("{letter}[a0.{address_subregister}"));
            if offset != 0 {
                put(text, format_args!(",{offset}"));
            }
            text.push(']');
        }
        Register::Direct { file: RegisterFile::Arf, number, subregister } => {
            write_arf(text, generation, number, subregister, data_type);
        }
        Register::Direct { file, number, subregister } => {
            put(text, format_args!("{}{number}", file_letter(file)));
            if subregister == 0 && is_talk(generation) {
                text.push_str(".0");
            }
            write_subregister(text, subregister, data_type.size() as u8);
        }
    }
}

/// The letter of a register file; `arf` for indirect operands of the ARF, which no device has.
fn file_letter(file: RegisterFile) -> &'static str {
    match file {
        RegisterFile::Arf => "arf",
        RegisterFile::Grf => "r",
        RegisterFile::Mrf => "m",
    }
}

fn write_arf(
    text: &mut String,
    generation: Generation,
    number: u8,
    subregister: u8,
    data_type: DataType,
) {
    let Some(row) = names::architecture_register(generation, number) else {
        put(text, format_args!("arf{number}"));
        return write_subregister(text, subregister, data_type.size() as u8);
    };
    if row.kind == ArfKind::Mask && matches!(subregister, 0 | 2 | 4 | 6) {
        text.push_str(["amask", "imask", "lmask", "cmask"][usize::from(subregister / 2)]);
        return;
    }
    text.push_str(row.word);
    match names::subregister_unit(row.kind) {
        Some(_) if row.kind == ArfKind::Notification && subregister == 0 => {}
        Some(unit) if subregister.is_multiple_of(unit) => {
            put(text, format_args!(".{}", subregister / unit));
        }
        Some(_) => put(text, format_args!(".{subregister}b")),
        None if row.kind == ArfKind::Address && subregister == 0 => text.push_str(".0"),
        None => write_subregister(text, subregister, data_type.size() as u8),
    }
}

/// A subregister in elements; in bytes, marked with a `b`, where it is not on one.
fn write_subregister(text: &mut String, byte: u8, size: u8) {
    if byte == 0 {
    } else if byte.is_multiple_of(size) {
        put(text, format_args!(".{}", byte / size));
    } else {
        put(text, format_args!(".{byte}b"));
    }
}

fn write_immediate(text: &mut String, data_type: DataType, wide: u64) {
    let bits = wide as u32;
    let replicated = bits >> 16 == bits & 0xFFFF;
    match data_type {
        DataType::F => {
            let value = f32::from_bits(bits);
            let decimal = format!("{value:?}");
            if value.is_finite() && decimal.parse().map(f32::to_bits) == Ok(bits) {
                text.push_str(&decimal);
            } else {
                put(text, format_args!("{bits:#010x}"));
            }
        }
        DataType::Df => {
            let value = f64::from_bits(wide);
            let decimal = format!("{value:?}");
            if value.is_finite() && decimal.parse().map(f64::to_bits) == Ok(wide) {
                text.push_str(&decimal);
            } else {
                put(text, format_args!("{wide:#018x}"));
            }
        }
        DataType::Q => put(text, format_args!("{}", wide.cast_signed())),
        DataType::Uq => put(text, format_args!("{wide:#018x}")),
        DataType::D => put(text, format_args!("{}", bits.cast_signed())),
        DataType::W if replicated => put(text, format_args!("{}", bits as u16 as i16)),
        DataType::Uw | DataType::Hf if replicated => {
            put(text, format_args!("{:#06x}", bits & 0xFFFF));
        }
        _ => put(text, format_args!("{bits:#010x}")),
    }
    put(text, format_args!(":{}", data_type.suffix()));
}

fn write_options(text: &mut String, generation: Generation, instruction: &Instruction) {
    let format = instruction.opcode.format_on(generation);
    let is_later = generation > Generation::Gen45;
    let shows_flag = instruction.condition != ConditionalModifier::None
        || instruction.predicate.control != PredicateControl::None;
    let set = |choice: Choice| match choice {
        Choice::Align16 => {
            // The only one that three sources have.
            let implied = is_later && format == Format::Ternary;
            instruction.access_mode == AccessMode::Align16 && !implied
        }
        Choice::SecHalf => instruction.compression == Compression::SecHalf,
        Choice::Compressed => {
            instruction.compression == Compression::Compressed
                && !(writes_destination(format) && is_compr4(instruction))
        }
        Choice::Compressed4 => writes_destination(format) && is_compr4(instruction),
        Choice::Flag1 => {
            !shows_flag && (instruction.flag_register, instruction.flag_subregister) == (0, 1)
        }
        other => has(instruction, other),
    };
    let mut words: Vec<String> = names::OPTIONS
        .iter()
        .filter(|(_, choice)| set(*choice))
        .map(|(word, _)| (*word).to_owned())
        .collect();
    if instruction.flag_register != 0 && !shows_flag {
        words.push(format!("Flag({})", flag(instruction)));
    }
    if let Some(shared_function) = later::hidden_function(instruction) {
        words.push(format!("Sfid({shared_function:#x})"));
    }
    if instruction.scoreboard != Scoreboard::NONE {
        words.push(instruction.scoreboard.to_string());
    }
    if instruction.compact_residue != 0 {
        words.push(format!("CompactResidue({:#x})", instruction.compact_residue));
    }
    let undefined_opcode = u128::from(instruction.undefined_opcode().unwrap_or(0));
    let residue = instruction.residue & !undefined_opcode;
    if residue != 0 {
        words.push(format!("Residue({residue:#x})"));
    }
    if !words.is_empty() {
        put(text, format_args!(" {{{}}}", words.join(", ")));
    }
}

/// Whether an instruction has an option whose bit stands for itself.
pub(super) fn has(instruction: &Instruction, choice: Choice) -> bool {
    match choice {
        Choice::Switch => instruction.thread_control == ThreadControl::Switch,
        Choice::Atomic => instruction.thread_control == ThreadControl::Atomic,
        Choice::NoDdCheck => instruction.no_dd_check,
        Choice::NoDdClear => instruction.no_dd_clear,
        Choice::NoMask => instruction.no_mask,
        Choice::Breakpoint => instruction.breakpoint,
        Choice::EndOfThread => instruction.message.is_some_and(|m| m.end_of_thread),
        Choice::Compact => instruction.compact,
        Choice::MaskControlEx => instruction.mask_control_ex,
        Choice::AccumulatorWrite => instruction.accumulator_write,
        Choice::FusionControl => instruction.message.is_some_and(|m| m.fusion_control),
        Choice::BranchControl => instruction.branch.is_some_and(|branch| branch.control),
        _ => false,
    }
}

/// Whether the destination of a format can carry the Compr4 mark in text.
fn writes_destination(format: Format) -> bool {
    matches!(format, Format::Unary | Format::Binary)
}
