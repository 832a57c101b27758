//! Whole programs in another tool's syntax, so that they are read as the same machine code again.

use std::{collections::BTreeMap, fmt};

use super::{
    dialect::{iga, mesa, with_options},
    parser::parse_as,
    print::{print, put},
};
use crate::{
    Device, Syntax,
    eu::{
        encode::encode,
        fields,
        generation::Generation,
        instruction::{ExtendedDescriptor, Instruction, Message},
        opcode::{Format, Opcode},
        operand::{Region, Source, VerticalStride},
        program::{Placed, Program},
        register::ArfKind,
    },
};

/// A program in another syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// The text of each instruction, without labels.
    pub instructions: Vec<String>,
    /// Labels by the number of the instruction that they stand before; the number of instructions is the
    /// end of the program.
    pub labels: BTreeMap<usize, String>,
}

impl fmt::Display for Printed {
    /// The text as it is read back, a line an instruction.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, text) in self.instructions.iter().enumerate() {
            if let Some(label) = self.labels.get(&number) {
                writeln!(f, "{label}:")?;
            }
            writeln!(f, "{text}")?;
        }
        match self.labels.get(&self.instructions.len()) {
            Some(label) => writeln!(f, "{label}:"),
            None => Ok(()),
        }
    }
}

/// How much of machine code a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// All that means something: as the tool prints it.
    Readable,
    /// Every bit: those that no field uses stand as this project's option `Residue(0x…)` where they are
    /// not as the tool sets them, so that the text is read as the same machine code.
    Exact,
}

/// A program in a syntax of its device; in this project's own without labels.
///
/// Instructions that the syntax has no text for stand as their machine code: `.inline_inst` and its
/// doublewords, the one stored last first.
///
/// ```
/// use parallax_isa::{Device, Syntax, eu::text::{self, Detail}};
///
/// let program = text::parse(Device::Skl, "mov (8) r4<1>:f r2<8;8,1>:f {NoMask}").unwrap().program;
/// let iga = text::print_as(Syntax::Iga, Detail::Readable, &program);
/// assert_eq!(iga.instructions, ["(W) mov (8|M0) r4.0<1>:f r2.0<8;8,1>:f"]);
/// ```
#[must_use]
pub fn print_as(syntax: Syntax, detail: Detail, program: &Program) -> Printed {
    let device = program.device();
    let generation = device.generation().unwrap_or(Generation::Gen4);
    if !matches!(syntax, Syntax::Iga | Syntax::Mesa) {
        let instructions = program.instructions().iter();
        let instructions = instructions.map(|placed| own(device, detail, &placed.instruction));
        return Printed { instructions: instructions.collect(), labels: BTreeMap::new() };
    }
    let labels = labels(syntax, program);
    let write = |index: usize, placed: &Placed| {
        let numbers = |bytes: i32| number_of(syntax, generation, bytes);
        let plain = text_of(syntax, generation, &placed.instruction, &numbers);
        let options = missing_options(device, syntax, detail, &placed.instruction, &plain);
        let Some(options) = options else { return inline(program.bytes_of(index), syntax) };
        let label = |bytes: i32| {
            let target = placed.offset.checked_add_signed(bytes as isize);
            let index = target.and_then(|offset| index_at(program, offset));
            match index.and_then(|index| labels.get(&index)) {
                Some(label) => label.clone(),
                None => numbers(bytes),
            }
        };
        let text = text_of(syntax, generation, &placed.instruction, &label);
        let kept = match detail {
            Detail::Readable => readable(device, syntax, &plain, &options),
            Detail::Exact => None,
        };
        match kept {
            Some(kept) => with_options(without_channels(&text), &kept),
            None => with_options(text, &options),
        }
    };
    let instructions = program.instructions().iter().enumerate();
    Printed {
        instructions: instructions.map(|(index, placed)| write(index, placed)).collect(),
        labels,
    }
}

/// An instruction in this project's own syntax.
fn own(device: Device, detail: Detail, instruction: &Instruction) -> String {
    let plain = Instruction { residue: 0, compact_residue: 0, ..*instruction };
    // The code of an undefined operation is in the residue, and some have a compact form only with it.
    let is_text = instruction.undefined_opcode().is_none() && encode(device, &plain).is_ok();
    match detail {
        Detail::Readable if is_text => print(device, &plain),
        _ => print(device, instruction),
    }
}

/// Labels of the places that branches lead to: IGA's are offsets, Mesa's are numbered as it meets them.
fn labels(syntax: Syntax, program: &Program) -> BTreeMap<usize, String> {
    let mut labels = BTreeMap::new();
    for placed in program.instructions() {
        for bytes in distances(syntax, &placed.instruction) {
            let offset = placed.offset.checked_add_signed(bytes as isize);
            let index = offset.and_then(|offset| index_at(program, offset));
            let (Some(index), Some(offset)) = (index, offset) else { continue };
            let number = labels.len();
            labels.entry(index).or_insert_with(|| match syntax {
                Syntax::Iga => format!("L{offset}"),
                _ => format!("LABEL{number}"),
            });
        }
    }
    labels
}

/// The distances of a branch from its start, in bytes, in the order in which Mesa numbers labels.
fn distances(syntax: Syntax, instruction: &Instruction) -> Vec<i32> {
    if let Some(branch) = instruction.branch {
        return [branch.uip, branch.jip].into_iter().flatten().collect();
    }
    match instruction.sources[1] {
        Source::Immediate { bits, .. }
            if instruction.opcode == Opcode::Jmpi && syntax == Syntax::Iga =>
        {
            vec![(bits as u32).cast_signed().wrapping_add(16)]
        }
        _ => Vec::new(),
    }
}

/// The number of the instruction at an offset, or of the end of the program.
fn index_at(program: &Program, offset: usize) -> Option<usize> {
    match offset == program.bytes().len() {
        true => Some(program.instructions().len()),
        false => program.index_at(offset),
    }
}

/// A distance of so many bytes as a syntax counts it.
fn number_of(syntax: Syntax, generation: Generation, bytes: i32) -> String {
    let unit = if syntax == Syntax::Iga { 1 } else { fields::jump_unit(generation) };
    (bytes / unit).to_string()
}

fn text_of(
    syntax: Syntax,
    generation: Generation,
    instruction: &Instruction,
    distance: &dyn Fn(i32) -> String,
) -> String {
    match syntax {
        Syntax::Iga => iga::print::print(generation, instruction, distance),
        _ => mesa::print::print(generation, instruction, distance),
    }
}

/// The options that a text keeps without those that say nothing; none if it is no text then: an instruction
/// may have a compact form only with the bits that no field uses.
fn readable(device: Device, syntax: Syntax, text: &str, options: &[String]) -> Option<Vec<String>> {
    let kept: Vec<_> = options.iter().filter(|one| !one.contains("Residue")).cloned().collect();
    let text = with_options(without_channels(text), &kept);
    parse_as(device, syntax, &text).ok().map(|_| kept)
}

/// The text without the channels of scalars in Mesa's text.
fn without_channels(text: &str) -> String {
    text.replace("<0,1,0>.xyzw", "<0,1,0>")
}

/// Options that a text needs in addition to be read as the instruction; none if it is read as another one
/// whatever is added.
fn missing_options(
    device: Device,
    syntax: Syntax,
    detail: Detail,
    instruction: &Instruction,
    text: &str,
) -> Option<Vec<String>> {
    let compared = |instruction: Instruction| match detail {
        Detail::Readable => meaning(device, syntax, instruction),
        Detail::Exact => instruction,
    };
    let instruction = &compared(*instruction);
    let read = |text: &str| {
        let assembly = parse_as(device, syntax, text).ok()?;
        match assembly.program.instructions() {
            [placed] => Some(compared(placed.instruction)),
            _ => None,
        }
    };
    let found = read(text)?;
    let mut options = Vec::new();
    let flag = |of: &Instruction| (of.flag_register, of.flag_subregister);
    if flag(&found) != flag(instruction) {
        let (register, subregister) = flag(instruction);
        options.push(format!("Flag(f{register}.{subregister})"));
    }
    if found.residue != instruction.residue {
        options.push(format!("Residue({:#x})", instruction.residue));
    }
    if found.compact_residue != instruction.compact_residue {
        options.push(format!("CompactResidue({:#x})", instruction.compact_residue));
    }
    if options.is_empty() {
        return (found == *instruction).then_some(options);
    }
    let completed = read(&with_options(text.to_owned(), &options))?;
    (completed == *instruction).then_some(options)
}

/// The instruction with one form for what means the same: the channels of a scalar in Align16, the region
/// with which a branch reads the instruction pointer, and what Mesa takes for the region of a payload.
fn meaning(device: Device, syntax: Syntax, mut instruction: Instruction) -> Instruction {
    use Opcode::{Break, Cont, Else, Halt, If, Iff, While};
    if matches!(instruction.opcode, Break | Cont | Else | Halt | If | Iff | While)
        && let Source::Register { register, region, .. } = &mut instruction.sources[0]
        && register.arf() == Some(ArfKind::InstructionPointer)
    {
        *region = Region::SCALAR;
    }
    if instruction.opcode.format() == Format::Ternary {
        for source in &mut instruction.sources {
            if let Source::Register { region: Region::Align16 { vertical, swizzle }, .. } = source
                && *vertical == VerticalStride::Elements(0)
            {
                *swizzle = [0; 4];
            }
        }
    }
    let generation = device.generation().unwrap_or(Generation::Gen4);
    let is_message = instruction.opcode.format_on(generation) == Format::Message;
    if syntax == Syntax::Mesa && is_message && generation >= Generation::Gen7 {
        if let Source::Register { region: region @ Region::Align1 { .. }, .. } =
            &mut instruction.sources[0]
        {
            *region = mesa::print::REGION_OF_PAYLOAD;
        }
        if let Some(Message { extended: ExtendedDescriptor::Immediate(bits), .. }) =
            &mut instruction.message
        {
            *bits &= !mesa::print::PAYLOAD_REGION_BITS;
        }
    }
    instruction
}

/// Machine code as it is: its doublewords, the one stored last first.
fn inline(bytes: &[u8], syntax: Syntax) -> String {
    let mut text = String::from(".inline_inst");
    for part in bytes.chunks_exact(4).rev() {
        text.push_str(" 0x");
        part.iter().rev().for_each(|byte| put(&mut text, format_args!("{byte:02X}")));
    }
    text.push_str(if syntax == Syntax::Mesa { ";" } else { "" });
    text
}
