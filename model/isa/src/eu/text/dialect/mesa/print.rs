//! Instructions as Mesa prints them.

use super::{
    super::{
        super::{
            names::{self, Choice},
            print::{self, put},
        },
        constant,
    },
    FUNCTIONS, SHARED_FUNCTIONS, words,
};
use crate::eu::{
    generation::Generation,
    instruction::{
        AccessMode, Compression, ConditionalModifier, Descriptor, ExtendedDescriptor, Instruction,
        Message, PredicateControl,
    },
    message::DecodedMessage,
    opcode::{Format, Opcode},
    operand::{DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride},
    register::{ArfKind, RegisterFile},
    scoreboard::Token,
    types::DataType,
};

/// The region of a payload that the text of Gen7 stands for, whatever it says.
pub(in crate::eu::text) const REGION_OF_PAYLOAD: Region =
    Region::Align1 { vertical: VerticalStride::Elements(8), width: 8, horizontal: 1 };

/// Bits of the extended descriptor of Gen9 that Mesa prints as the region of the payload.
pub(in crate::eu::text) const PAYLOAD_REGION_BITS: u32 = 0x0FF0_0000;

/// The text of an instruction; the distances of a branch are written by `distance`.
pub(in crate::eu::text) fn print(
    generation: Generation,
    instruction: &Instruction,
    distance: &dyn Fn(i32) -> String,
) -> String {
    let printer = Printer { generation, instruction, distance };
    let mut text = String::new();
    if printer.format() == Format::Nothing || instruction.opcode == Opcode::Nop {
        let options = match (instruction.opcode, instruction.compact) {
            (Opcode::Nenop, true) => "",
            (Opcode::Nenop, false) => "{ uncompacted }",
            (_, true) => "{ compacted }",
            (_, false) => "",
        };
        return format!("{} {options};", instruction.opcode.mnemonic());
    }
    printer.predicate(&mut text);
    printer.mnemonic(&mut text);
    printer.operands(&mut text);
    printer.options(&mut text);
    text.push(';');
    text
}

struct Printer<'a> {
    generation: Generation,
    instruction: &'a Instruction,
    distance: &'a dyn Fn(i32) -> String,
}

impl Printer<'_> {
    fn format(&self) -> Format {
        self.instruction.opcode.format_on(self.generation)
    }

    fn is_early(&self) -> bool {
        self.generation <= Generation::Gen45
    }

    fn is_gen12(&self) -> bool {
        self.generation >= Generation::Gen12
    }

    fn is_align16(&self) -> bool {
        self.instruction.access_mode == AccessMode::Align16
    }

    fn predicate(&self, text: &mut String) {
        let predicate = self.instruction.predicate;
        if predicate.control == PredicateControl::None {
            return;
        }
        let control = print::predicate_control(predicate.control);
        let sign = if predicate.inverse { '-' } else { '+' };
        put(text, format_args!("({sign}{}{control}) ", print::flag(self.instruction)));
    }

    fn mnemonic(&self, text: &mut String) {
        let Instruction { opcode, condition, .. } = self.instruction;
        text.push_str(opcode.mnemonic());
        if let Some(function) = self.instruction.math {
            let row = FUNCTIONS.iter().find(|(_, known)| *known == function);
            put(text, format_args!(" {}", row.map_or(function.name(), |(name, _)| name)));
        }
        if let Some(function) = self.instruction.sync {
            put(text, format_args!(" {}", function.name()));
        }
        text.push_str(if self.instruction.saturate { ".sat" } else { "" });
        text.push_str(if self.instruction.breakpoint { ".breakpoint" } else { "" });
        if *condition != ConditionalModifier::None {
            let row = names::CONDITIONS.iter().find(|(_, known)| known == condition);
            put(text, format_args!(".{}", row.map_or("?", |(word, _)| word)));
            let flag = print::flag(self.instruction);
            let is_implied = flag == "f0.0"
                && matches!(opcode, Opcode::Sel | Opcode::Csel | Opcode::If | Opcode::While);
            if !is_implied {
                put(text, format_args!(".{flag}"));
            }
        }
        put(text, format_args!("({})", self.instruction.execution_size));
    }

    fn operands(&self, text: &mut String) {
        let Instruction { opcode, sources, math, .. } = self.instruction;
        match self.format() {
            Format::Nothing | Format::Controls => {}
            Format::Sync => self.sync(text),
            Format::Branch => self.branch(text),
            Format::Message | Format::SplitMessage => self.message(text),
            _ if self.is_early() && super::statement::jumps(*opcode) => self.early_branch(text),
            Format::ExitCode => {}
            _ if *opcode == Opcode::Jmpi => match sources[1] {
                Source::Immediate { bits, .. } => {
                    put(text, format_args!(" {}D", (bits as u32).cast_signed()));
                }
                source => self.source(text, 1, &source),
            },
            _ if *opcode == Opcode::Wait => self.destination(text),
            Format::Unary => self.registers(text, 1),
            Format::Ternary => self.registers(text, 3),
            Format::Binary if math.is_some_and(|function| function.sources() == 1) => {
                self.registers(text, 1);
                text.push_str(match (self.is_align16(), self.is_gen12()) {
                    (true, _) => " null<4>F",
                    (false, true) => " null<0,1,0>UB",
                    (false, false) => " null<8,8,1>F",
                });
            }
            Format::Binary => self.registers(text, 2),
        }
    }

    fn registers(&self, text: &mut String, sources: usize) {
        self.destination(text);
        let sources = self.instruction.sources[..sources].iter().enumerate();
        sources.for_each(|(index, source)| self.source(text, index, source));
    }

    fn register(&self, text: &mut String, register: Register, data_type: DataType) {
        let size = data_type.size() as u8;
        match register {
            Register::Indirect { file, address_subregister, offset } => {
                text.push_str(if file == RegisterFile::Mrf { "m[a0" } else { "g[a0" });
                if address_subregister != 0 {
                    put(text, format_args!(".{address_subregister}"));
                }
                if offset != 0 {
                    put(text, format_args!(" {offset}"));
                }
                text.push(']');
            }
            Register::Direct { file: RegisterFile::Arf, number, subregister } => {
                self.architecture(text, number, subregister, size);
            }
            Register::Direct { file, number, subregister } => {
                let letter = if file == RegisterFile::Mrf { 'm' } else { 'g' };
                // The mark of Compr4 stands in the options.
                let number = if self.is_compr4() { number & 0x7F } else { number };
                put(text, format_args!("{letter}{number}"));
                subregister_of(text, subregister, size);
            }
        }
    }

    fn architecture(&self, text: &mut String, number: u8, subregister: u8, size: u8) {
        let low = number & 0xF;
        match names::architecture_register(self.generation, number) {
            Some(row) if row.kind == ArfKind::Null => text.push_str("null"),
            Some(row) if row.kind == ArfKind::InstructionPointer => text.push_str("ip"),
            Some(row) => {
                let is_mask = row.kind == ArfKind::ChannelEnable;
                text.push_str(if is_mask { "mask0" } else { row.word });
                let unit = names::subregister_unit(row.kind).unwrap_or(size);
                subregister_of(text, subregister, unit);
            }
            None if number >> 4 == ArfKind::Accumulator.code() => {
                put(text, format_args!("acc{low}"));
                subregister_of(text, subregister, size);
            }
            None => {
                put(text, format_args!("ARF{number}"));
                subregister_of(text, subregister, size);
            }
        }
    }

    fn is_compr4(&self) -> bool {
        self.instruction.compression == Compression::Compressed
            && matches!(
                self.instruction.destination.register,
                Register::Direct { file: RegisterFile::Mrf, number: 128.., .. }
            )
    }

    fn destination(&self, text: &mut String) {
        let destination = self.instruction.destination;
        text.push(' ');
        self.register(text, destination.register, destination.data_type);
        match destination.region {
            DestinationRegion::Stride(stride) => put(text, format_args!("<{stride}>")),
            DestinationRegion::ChannelEnable(enable) => {
                text.push_str("<1>");
                if enable != 0xF {
                    put(text, format_args!(".{}", print::channel_letters(enable)));
                }
            }
        }
        text.push_str(&capitals(destination.data_type));
    }

    fn source(&self, text: &mut String, index: usize, source: &Source) {
        text.push(' ');
        let (register, data_type, region, modifier) = match *source {
            Source::Immediate { data_type, bits } => return immediate(text, data_type, bits),
            Source::Register { register, data_type, region, modifier } => {
                (register, data_type, region, modifier)
            }
        };
        self.modifier(text, modifier);
        let is_pointer = register.arf() == Some(ArfKind::InstructionPointer);
        if is_pointer && region == Region::SCALAR && data_type == DataType::Ud {
            return text.push_str("ip");
        }
        self.register(text, register, data_type);
        let is_ternary = self.format() == Format::Ternary;
        if is_ternary && is_scalar(region) && !text.ends_with(']') {
            let is_zero = matches!(register, Register::Direct { subregister: 0, .. });
            text.push_str(if is_zero { ".0" } else { "" });
        }
        match region {
            Region::Align1 { vertical, width, horizontal } => match vertical {
                VerticalStride::Elements(0) if is_ternary => text.push_str("<0,1,0>"),
                VerticalStride::Elements(stride) if is_ternary && index == 2 => {
                    put(text, format_args!("<{stride},1,{stride}>"));
                }
                VerticalStride::Elements(v) => {
                    put(text, format_args!("<{v},{width},{horizontal}>"));
                }
                VerticalStride::PerRowAddress => {
                    put(text, format_args!("<VxH,{width},{horizontal}>"));
                }
            },
            Region::Align16 { vertical, swizzle } => {
                let is_replicated = vertical == VerticalStride::Elements(0);
                match vertical {
                    _ if is_ternary && is_replicated => text.push_str("<0,1,0>"),
                    _ if is_ternary => text.push_str("<4,4,1>"),
                    VerticalStride::Elements(v) => put(text, format_args!("<{v}>")),
                    VerticalStride::PerRowAddress => text.push_str("<VxH>"),
                }
                match swizzle {
                    // The assembler selects the first channel of a scalar.
                    [0, 0, 0, 0] if is_ternary && is_replicated => {}
                    [0, 1, 2, 3] if is_ternary && is_replicated => text.push_str(".xyzw"),
                    _ => write_swizzle(text, swizzle),
                }
            }
        }
        text.push_str(&capitals(data_type));
    }

    fn modifier(&self, text: &mut String, modifier: SourceModifier) {
        if modifier.negate {
            let is_logic = matches!(
                self.instruction.opcode,
                Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not
            );
            text.push(if is_logic && self.generation >= Generation::Gen8 { '~' } else { '-' });
        }
        text.push_str(if modifier.absolute { "(abs)" } else { "" });
    }

    fn sync(&self, text: &mut String) {
        match self.instruction.sources[0] {
            Source::Immediate { data_type, bits } => {
                text.push(' ');
                immediate(text, data_type, bits);
            }
            Source::Register { .. } => text.push_str(" null<0,1,0>UB"),
        }
    }

    /// `Jump: 3 Pop: 1`, of Gen4 and Gen4.5.
    fn early_branch(&self, text: &mut String) {
        let Source::Immediate { bits, .. } = self.instruction.sources[1] else { return };
        let (jump, pops) = (bits as u16 as i16, bits as u32 >> 16);
        let has_pop = !matches!(self.instruction.opcode, Opcode::If | Opcode::Iff | Opcode::While);
        if self.instruction.opcode != Opcode::Endif || jump != 0 {
            put(text, format_args!(" Jump: {jump}"));
        }
        if has_pop || pops != 0 {
            put(text, format_args!(" Pop: {pops}"));
        }
    }

    fn branch(&self, text: &mut String) {
        let Instruction { opcode, sources, branch, .. } = self.instruction;
        let operands = opcode.branch_operands(self.generation);
        if operands.destination {
            self.destination(text);
        }
        let Some(branch) = branch else { return };
        match operands.register {
            Some(index) if branch.jip.is_none() => self.source(text, index, &sources[index]),
            _ => {
                for (name, bytes) in [("JIP", branch.jip), ("UIP", branch.uip)] {
                    let Some(bytes) = bytes else { continue };
                    put(text, format_args!(" {name}: {}", (self.distance)(bytes)));
                }
            }
        }
    }

    /// Operands, descriptors, the shared function and the lengths.
    fn message(&self, text: &mut String) {
        let Instruction { destination, sources, message, .. } = self.instruction;
        let Some(message) = message else { return };
        let is_split = self.format() == Format::SplitMessage;
        if self.is_early() {
            put(text, format_args!(" {}", message.current_destination));
        }
        if is_split {
            text.push(' ');
            self.register(text, destination.register, destination.data_type);
            text.push_str(&capitals(destination.data_type));
        } else {
            self.destination(text);
        }
        for source in &sources[..1 + usize::from(is_split)] {
            let Source::Register { register, data_type, region, .. } = *source else { continue };
            if self.is_early() {
                self.source(text, 0, source);
                continue;
            }
            text.push(' ');
            self.register(text, register, data_type);
            if !is_split {
                self.payload_region(text, region, message);
            }
            text.push_str(&capitals(data_type));
        }
        let ends = u32::from(message.end_of_thread && !is_split) << 31;
        match message.descriptor {
            Descriptor::Immediate(bits) => put(text, format_args!(" {:#010x}", bits | ends)),
            Descriptor::Address => text.push_str(" a0<0>UD"),
        }
        match message.extended {
            ExtendedDescriptor::Immediate(bits) if is_split => {
                put(text, format_args!(" {bits:#010x}"));
            }
            ExtendedDescriptor::Address(0) if is_split => text.push_str(" a0<0>UD"),
            ExtendedDescriptor::Address(number) if is_split => {
                put(text, format_args!(" a0.{number}<0>UD"));
            }
            _ => {}
        }
        let function = match message.descriptor {
            Descriptor::Immediate(bits) if self.is_early() => Some((bits >> 24 & 0xF) as u8),
            Descriptor::Address if self.is_early() => None,
            _ => Some(message.shared_function),
        };
        if let Some(function) = function {
            let early = |name: &str| matches!(name, "read" | "write");
            let is_early = self.is_early();
            let is_shown = |name: &str| {
                !matches!(name, "dp_sampler" | "render") && is_early || !early(name) && !is_early
            };
            let rows = SHARED_FUNCTIONS;
            let row = rows.iter().find(|(name, code)| *code == function && is_shown(name));
            let name = row.map_or(if function == 13 { "cre" } else { "unknown" }, |(name, _)| name);
            put(text, format_args!(" {name} MsgDesc:"));
            self.message_words(text, message);
        }
    }

    /// The region of a payload, which means nothing: Gen9 has the extended descriptor in its bits.
    fn payload_region(&self, text: &mut String, region: Region, message: &Message) {
        let of_bits = |bits: u32| {
            let power = |code: u32| 1_u32.checked_shl(code.wrapping_sub(1)).unwrap_or(0);
            let (width, horizontal) = (1 << (bits >> 22 & 3), power(bits >> 20 & 3));
            format!("<{},{width},{horizontal}>", power(bits >> 24 & 0xF))
        };
        let shown = match (region, message.extended) {
            _ if self.is_align16() => "<4>".to_owned(),
            (_, ExtendedDescriptor::Immediate(bits)) if self.generation >= Generation::Gen9 => {
                of_bits(bits)
            }
            (Region::Align1 { vertical: VerticalStride::Elements(v), width, horizontal }, _) => {
                format!("<{v},{width},{horizontal}>")
            }
            _ => "<8,8,1>".to_owned(),
        };
        text.push_str(&shown);
    }

    /// What stands behind `MsgDesc:`: the message in words, and its lengths.
    fn message_words(&self, text: &mut String, message: &Message) {
        let extended = match message.extended {
            ExtendedDescriptor::Immediate(bits) if self.format() == Format::SplitMessage => {
                format!(" ex_mlen {}", bits >> 6 & 0x1F)
            }
            _ => String::new(),
        };
        let Some(decoded) = DecodedMessage::of(self.generation, self.instruction) else {
            return put(text, format_args!(" indirect{extended}"));
        };
        words::write(text, self.generation, &decoded);
        let (sent, back) = (decoded.message_length, decoded.response_length);
        put(text, format_args!("mlen {sent}{extended} rlen {back}"));
    }

    fn options(&self, text: &mut String) {
        let instruction = self.instruction;
        let mut words = vec![if self.is_align16() { "align16" } else { "align1" }.to_owned()];
        let mut add = |is_set: bool, word: &str| {
            if is_set {
                words.push(word.to_owned());
            }
        };
        add(instruction.no_mask, if self.is_early() { "nomask" } else { "WE_all" });
        match (instruction.no_dd_clear, instruction.no_dd_check) {
            (true, true) => add(true, "NoDDClr,NoDDChk"),
            (clear, check) => {
                add(clear, "NoDDClr");
                add(check, "NoDDChk");
            }
        }
        let is_compressed = instruction.compression == Compression::Compressed;
        if self.is_early() {
            add(is_compressed && !self.is_compr4(), "compr");
            add(is_compressed && self.is_compr4(), "compr4");
            add(instruction.compression == Compression::SecHalf, "sechalf");
        } else {
            add(true, &group(instruction.execution_size, instruction.first_channel));
        }
        let scoreboard = instruction.scoreboard;
        add(scoreboard.distance != 0, &format!("@{}", scoreboard.distance));
        match scoreboard.token {
            Some(Token::Set(number)) => add(true, &format!("${number}")),
            Some(Token::Destination(number)) => add(true, &format!("${number}.dst")),
            Some(Token::Source(number)) => add(true, &format!("${number}.src")),
            None => {}
        }
        add(instruction.compact, "compacted");
        add(print::has(instruction, Choice::Atomic), "atomic");
        add(print::has(instruction, Choice::Switch), "switch");
        add(instruction.accumulator_write, "AccWrEnable");
        add(print::has(instruction, Choice::BranchControl), "BranchCtrl");
        add(print::has(instruction, Choice::EndOfThread), "EOT");
        add(print::has(instruction, Choice::FusionControl), "FusionCtrl");
        add(instruction.mask_control_ex, "MaskCtrlEx");
        words.retain(|word| !word.is_empty());
        put(text, format_args!(" {{ {} }}", words.join(" ")));
    }
}

/// Quarter, half or nibble of the first channel.
fn group(size: u8, first: u8) -> String {
    match size {
        32 if first == 0 => String::new(),
        16 if first.is_multiple_of(16) => format!("{}H", first / 16 + 1),
        8 | 16 | 32 if first.is_multiple_of(8) => format!("{}Q", first / 8 + 1),
        _ => format!("{}N", first / 4 + 1),
    }
}

fn is_scalar(region: Region) -> bool {
    matches!(
        region,
        Region::Align1 { vertical: VerticalStride::Elements(0), .. }
            | Region::Align16 { vertical: VerticalStride::Elements(0), .. }
    )
}

/// `.3`, in units of so many bytes.
fn subregister_of(text: &mut String, byte: u8, unit: u8) {
    if byte != 0 && byte.is_multiple_of(unit) {
        put(text, format_args!(".{}", byte / unit));
    } else if byte != 0 {
        put(text, format_args!(".{byte}b"));
    }
}

/// `.x` for four equal channels, nothing for all in order.
fn write_swizzle(text: &mut String, swizzle: [u8; 4]) {
    let letters = swizzle.map(|channel| ['x', 'y', 'z', 'w'][usize::from(channel & 3)]);
    match swizzle {
        [0, 1, 2, 3] => {}
        [first, rest @ ..] if rest == [first; 3] => put(text, format_args!(".{}", letters[0])),
        _ => {
            text.push('.');
            text.extend(letters);
        }
    }
}

fn capitals(data_type: DataType) -> String {
    data_type.suffix().to_ascii_uppercase()
}

fn immediate(text: &mut String, data_type: DataType, wide: u64) {
    let bits = wide as u32;
    let is_replicated = bits >> 16 == bits & 0xFFFF;
    let suffix = capitals(data_type);
    let gloss = |text: &mut String, value: f64| {
        let short = constant::six_digits(value);
        let short = short.strip_suffix(".0").unwrap_or(&short);
        put(text, format_args!(" /* {short}{suffix} */"));
    };
    match data_type {
        DataType::F => {
            put(text, format_args!("{bits:#010x}F"));
            gloss(text, f32::from_bits(bits).into());
        }
        DataType::Df => {
            put(text, format_args!("{wide:#018x}DF"));
            gloss(text, f64::from_bits(wide));
        }
        DataType::Vf => {
            let values = bits.to_le_bytes().map(|byte| {
                let short = constant::six_digits(restricted(byte));
                format!("{}F", short.strip_suffix(".0").unwrap_or(&short))
            });
            put(text, format_args!("{bits:#010x}VF /* [{}]VF */", values.join(", ")));
        }
        DataType::D => put(text, format_args!("{}D", bits.cast_signed())),
        DataType::W if is_replicated => put(text, format_args!("{}W", bits as u16 as i16)),
        DataType::Uw | DataType::Hf if is_replicated => {
            put(text, format_args!("{:#06x}{suffix}", bits & 0xFFFF));
        }
        DataType::Q | DataType::Uq => put(text, format_args!("{wide:#018x}{suffix}")),
        _ => put(text, format_args!("{bits:#010x}{suffix}")),
    }
}

/// The value of a restricted float: a sign, three bits of exponent, four of fraction.
fn restricted(byte: u8) -> f64 {
    let magnitude = match byte & 0x7F {
        0 => 0.0,
        bits => f64::from(16 + (bits & 0xF)) / 16.0 * 2.0_f64.powi(i32::from(bits >> 4) - 3),
    };
    if byte >> 7 == 1 { -magnitude } else { magnitude }
}
