//! Instructions as IGA text.

use super::super::{
    super::{
        names::{self, Choice},
        print::{self, put},
    },
    constant,
};
use crate::eu::{
    generation::Generation,
    instruction::{
        AccessMode, ConditionalModifier, Descriptor, ExtendedDescriptor, Instruction,
        PredicateControl,
    },
    opcode::{Format, Opcode},
    operand::{Destination, DestinationRegion, Region, Register, Source, VerticalStride},
    register::{ArfKind, RegisterFile},
    scoreboard::Scoreboard,
    types::DataType,
};

/// Words of conditions as IGA prints them.
const CONDITIONS: [(ConditionalModifier, &str); 8] = [
    (ConditionalModifier::Equal, "eq"),
    (ConditionalModifier::NotEqual, "ne"),
    (ConditionalModifier::Greater, "gt"),
    (ConditionalModifier::GreaterEqual, "ge"),
    (ConditionalModifier::Less, "lt"),
    (ConditionalModifier::LessEqual, "le"),
    (ConditionalModifier::Overflow, "ov"),
    (ConditionalModifier::Unordered, "un"),
];

/// The text of an instruction; the distances of a branch are written by `distance`.
pub(in crate::eu::text) fn print(
    generation: Generation,
    instruction: &Instruction,
    distance: &dyn Fn(i32) -> String,
) -> String {
    let printer = Printer { generation, instruction, distance };
    let mut text = String::new();
    printer.predicate(&mut text);
    printer.mnemonic(&mut text);
    printer.operands(&mut text);
    printer.options(&mut text);
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

    fn is_later(&self) -> bool {
        self.generation >= Generation::Gen12
    }

    /// Whether operands have an accumulator of the macros.
    fn is_macro(&self) -> bool {
        self.instruction.opcode == Opcode::Madm
            || self.instruction.math.is_some_and(|f| matches!(f.name(), "invm" | "rsqtm"))
    }

    fn predicate(&self, text: &mut String) {
        let Instruction { predicate, no_mask, .. } = self.instruction;
        let mut parts = Vec::new();
        if *no_mask {
            parts.push("W".to_owned());
        }
        if predicate.control != PredicateControl::None {
            let control = print::predicate_control(predicate.control);
            let sign = if predicate.inverse { "~" } else { "" };
            parts.push(format!("{sign}{}{control}", print::flag(self.instruction)));
        }
        if !parts.is_empty() {
            put(text, format_args!("({}) ", parts.join("&")));
        }
    }

    fn mnemonic(&self, text: &mut String) {
        let Instruction { opcode, execution_size, first_channel, condition, .. } = self.instruction;
        text.push_str(opcode.mnemonic());
        let functions =
            [self.instruction.math.map(|f| f.name()), self.instruction.sync.map(|f| f.name())];
        functions.into_iter().flatten().for_each(|name| put(text, format_args!(".{name}")));
        if let Some(message) = self.instruction.message.filter(|_| self.is_later()) {
            let rows = names::SHARED_FUNCTIONS;
            match rows.iter().find(|(_, code)| *code == message.shared_function) {
                Some((name, _)) => put(text, format_args!(".{name}")),
                None => put(text, format_args!(".{}", message.shared_function)),
            }
        }
        if self.instruction.branch.is_some_and(|branch| branch.control) {
            text.push_str(".b");
        }
        let has_size = !matches!(
            opcode,
            Opcode::Nop | Opcode::Illegal | Opcode::Jmpi | Opcode::Wait | Opcode::Sync
        );
        if has_size || *opcode == Opcode::Sync && (*execution_size, *first_channel) != (1, 0) {
            put(text, format_args!(" ({execution_size}|M{first_channel})"));
        }
        let word = CONDITIONS.iter().find(|(known, _)| known == condition);
        if let Some((_, word)) = word {
            put(text, format_args!(" ({word}){}", print::flag(self.instruction)));
        } else if self.is_macro() && *opcode == Opcode::Math {
            put(text, format_args!(" (eo){}", print::flag(self.instruction)));
        }
    }

    fn operands(&self, text: &mut String) {
        let Instruction { opcode, sources, math, .. } = self.instruction;
        match self.format() {
            Format::Nothing | Format::Controls => {}
            Format::Sync => self.sync(text),
            Format::Branch => self.branch(text),
            Format::Message | Format::SplitMessage => self.message(text),
            _ if *opcode == Opcode::Jmpi => match sources[1] {
                // The word counts from the next instruction.
                Source::Immediate { bits, .. } => {
                    let bytes = (bits as u32).cast_signed().wrapping_add(16);
                    put(text, format_args!(" {}", (self.distance)(bytes)));
                }
                source => self.whole(text, &source),
            },
            _ if *opcode == Opcode::Wait => self.source(text, 0, &sources[0]),
            Format::Unary | Format::ExitCode => self.registers(text, 1),
            Format::Ternary => self.registers(text, 3),
            Format::Binary if math.is_some_and(|f| f.sources() == 1) => self.registers(text, 1),
            Format::Binary => self.registers(text, 2),
        }
    }

    fn registers(&self, text: &mut String, sources: usize) {
        self.destination(text);
        let sources = self.instruction.sources[..sources].iter().enumerate();
        sources.for_each(|(index, source)| self.source(text, index, source));
    }

    fn register(&self, text: &mut String, register: Register, data_type: DataType) {
        match register {
            _ if register.arf_on(self.generation) == Some(ArfKind::Null) => text.push_str("null"),
            Register::Direct { file: RegisterFile::Arf, number, subregister }
                if register.arf_on(self.generation) == Some(ArfKind::Accumulator)
                    && number & 0xF > 1
                    && !self.is_later() =>
            {
                let size = data_type.size() as u8;
                put(text, format_args!("mme{}.{}", (number & 0xF) - 2, subregister / size));
            }
            Register::Direct { file: RegisterFile::Arf, subregister: 0, .. }
                if register.arf_on(self.generation) == Some(ArfKind::Accumulator) =>
            {
                print::write_register(text, self.generation, register, data_type);
                text.push_str(".0");
            }
            Register::Direct { file: RegisterFile::Arf, .. }
                if register.arf_on(self.generation) == Some(ArfKind::ChannelEnable) =>
            {
                text.push_str("ce");
            }
            Register::Direct { file: RegisterFile::Arf, subregister: 0, .. }
                if register.arf_on(self.generation) == Some(ArfKind::Notification) =>
            {
                text.push_str("n0.0");
            }
            _ => print::write_register(text, self.generation, register, data_type),
        }
    }

    /// The accumulator of a macro: `.mme0`, `.nomme`.
    fn accumulator(text: &mut String, register: Register, code: u8) {
        if let Register::Direct { number, .. } = register {
            put(text, format_args!("r{number}"));
        }
        match code {
            8 => text.push_str(".nomme"),
            code => put(text, format_args!(".mme{code}")),
        }
    }

    fn destination(&self, text: &mut String) {
        let Destination { register, data_type, region } = self.instruction.destination;
        text.push(' ');
        text.push_str(if self.instruction.saturate { "(sat)" } else { "" });
        match region {
            DestinationRegion::ChannelEnable(code) if self.is_macro() => {
                Self::accumulator(text, register, code);
            }
            DestinationRegion::Stride(_) if self.is_macro() && self.is_later() => {
                Self::accumulator(text, register, byte_of(register));
            }
            _ => {
                self.register(text, register, data_type);
                let stride = match region {
                    DestinationRegion::Stride(stride) => stride,
                    DestinationRegion::ChannelEnable(_) => 1,
                };
                put(text, format_args!("<{stride}>"));
            }
        }
        put(text, format_args!(":{}", data_type.suffix()));
    }

    fn source(&self, text: &mut String, index: usize, source: &Source) {
        text.push(' ');
        let (register, data_type, region, modifier) = match *source {
            Source::Immediate { data_type, bits } => return immediate(text, data_type, bits),
            Source::Register { register, data_type, region, modifier } => {
                (register, data_type, region, modifier)
            }
        };
        if modifier.negate {
            let is_logic = matches!(
                self.instruction.opcode,
                Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not
            );
            text.push(if is_logic { '~' } else { '-' });
        }
        text.push_str(if modifier.absolute { "(abs)" } else { "" });
        match region {
            Region::Align16 { swizzle: [low, high, ..], .. } if self.is_macro() => {
                Self::accumulator(text, register, low | high << 2);
            }
            _ if self.is_macro() && self.is_later() => {
                Self::accumulator(text, register, byte_of(register));
            }
            _ => {
                self.register(text, register, data_type);
                self.region(text, index, region);
            }
        }
        put(text, format_args!(":{}", data_type.suffix()));
    }

    fn region(&self, text: &mut String, index: usize, region: Region) {
        let is_ternary = self.format() == Format::Ternary;
        match region {
            Region::Align16 { vertical, .. } => text.push_str(match (vertical, index) {
                (VerticalStride::Elements(0), 2) => "<0>",
                (VerticalStride::Elements(0), _) => "<0;0>",
                (_, 2) => "<1>",
                _ => "<2;1>",
            }),
            Region::Align1 { vertical: VerticalStride::Elements(stride), .. }
                if is_ternary && index == 2 =>
            {
                put(text, format_args!("<{stride}>"));
            }
            Region::Align1 { vertical: VerticalStride::Elements(v), horizontal, .. }
                if is_ternary =>
            {
                put(text, format_args!("<{v};{horizontal}>"));
            }
            _ => print::write_region(text, region),
        }
    }

    /// A register without region and type, its subregister written.
    fn whole(&self, text: &mut String, source: &Source) {
        let Source::Register { register, data_type, .. } = *source else { return };
        text.push(' ');
        self.register(text, register, data_type);
    }

    fn sync(&self, text: &mut String) {
        let Source::Immediate { bits, .. } = self.instruction.sources[0] else {
            return text.push_str(" null");
        };
        let tokens = (0..16).filter(|token| bits >> token & 1 == 1);
        let tokens: Vec<_> = tokens.map(|token| format!("${token}")).collect();
        put(text, format_args!(" ({})", tokens.join(",")));
    }

    fn branch(&self, text: &mut String) {
        let Instruction { opcode, destination, sources, branch, .. } = self.instruction;
        let operands = opcode.branch_operands(self.generation);
        if operands.destination {
            text.push(' ');
            self.register(text, destination.register, destination.data_type);
        }
        let Some(branch) = branch else { return };
        match operands.register {
            Some(index) if branch.jip.is_none() => self.whole(text, &sources[index]),
            _ => [branch.jip, branch.uip]
                .into_iter()
                .flatten()
                .for_each(|bytes| put(text, format_args!(" {}", (self.distance)(bytes)))),
        }
    }

    /// Destination, payloads, extended descriptor, descriptor.
    fn message(&self, text: &mut String) {
        let Instruction { destination, sources, message, opcode, .. } = self.instruction;
        let Some(message) = message else { return };
        let is_split = self.format() == Format::SplitMessage;
        let operand = |text: &mut String, register, data_type: DataType, has_type: bool| {
            text.push(' ');
            match register {
                Register::Direct { file: RegisterFile::Grf, number, .. } => {
                    put(text, format_args!("r{number}"));
                }
                _ => self.register(text, register, data_type),
            }
            if has_type {
                put(text, format_args!(":{}", data_type.suffix()));
            }
        };
        let shows_type = matches!(opcode, Opcode::Sends | Opcode::Sendsc)
            || destination.data_type != DataType::Ud;
        operand(text, destination.register, destination.data_type, shows_type && !self.is_later());
        for source in &sources[..1 + usize::from(is_split)] {
            let Source::Register { register, data_type, .. } = *source else { continue };
            operand(text, register, data_type, data_type != DataType::Ud && !self.is_later());
        }
        match message.extended {
            ExtendedDescriptor::Immediate(bits) => {
                let function = if self.is_later() { 0 } else { u32::from(message.shared_function) };
                let end = if self.is_later() { 0 } else { u32::from(message.end_of_thread) << 5 };
                put(text, format_args!(" 0x{:X}", bits | function | end));
            }
            ExtendedDescriptor::Address(number) => put(text, format_args!(" a0.{number}")),
        }
        match message.descriptor {
            Descriptor::Immediate(bits) => put(text, format_args!(" 0x{bits:08X}")),
            Descriptor::Address => text.push_str(" a0.0"),
        }
    }

    fn options(&self, text: &mut String) {
        let instruction = self.instruction;
        let is_implied = self.format() == Format::Ternary || self.is_macro();
        let set = [
            (instruction.access_mode == AccessMode::Align16 && !is_implied, "Align16"),
            (instruction.no_dd_check, "NoDDChk"),
            (instruction.no_dd_clear, "NoDDClr"),
            (print::has(instruction, Choice::Atomic), "Atomic"),
            (print::has(instruction, Choice::Switch), "Switch"),
            (instruction.accumulator_write, "AccWrEn"),
            (instruction.breakpoint, "Breakpoint"),
            (instruction.compact, "Compacted"),
            (print::has(instruction, Choice::EndOfThread), "EOT"),
            (print::has(instruction, Choice::FusionControl), "FusionCtrl"),
            (instruction.mask_control_ex, "MaskCtrlEx"),
        ];
        let mut words: Vec<String> = set
            .into_iter()
            .filter(|(is_set, _)| *is_set)
            .map(|(_, word)| word.to_owned())
            .collect();
        if instruction.scoreboard != Scoreboard::NONE {
            words.push(instruction.scoreboard.to_string().replace(' ', ""));
        }
        if !words.is_empty() {
            put(text, format_args!(" {{{}}}", words.join(",")));
        }
    }
}

/// The code of an accumulator of Gen12, which stands where the subregister does.
fn byte_of(register: Register) -> u8 {
    match register {
        Register::Direct { subregister, .. } => subregister,
        Register::Indirect { .. } => 0,
    }
}

fn immediate(text: &mut String, data_type: DataType, wide: u64) {
    let bits = wide as u32;
    let is_replicated = bits >> 16 == bits & 0xFFFF;
    match data_type {
        DataType::F => float(text, f64::from(f32::from_bits(bits)), bits.into(), (8, 23)),
        DataType::Df => float(text, f64::from_bits(wide), wide, (11, 52)),
        DataType::Hf if is_replicated => float(text, half(bits as u16), wide & 0xFFFF, (5, 10)),
        DataType::Q => put(text, format_args!("{}", wide.cast_signed())),
        DataType::D => put(text, format_args!("{}", bits.cast_signed())),
        DataType::W if is_replicated => put(text, format_args!("{}", bits as u16 as i16)),
        DataType::Uw if is_replicated => put(text, format_args!("0x{:X}", bits & 0xFFFF)),
        DataType::Uq => put(text, format_args!("0x{wide:X}")),
        _ => put(text, format_args!("0x{bits:X}")),
    }
    put(text, format_args!(":{}", data_type.suffix()));
}

/// The value of a half float that is no NaN.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    let magnitude = match exponent {
        0 => fraction * 2.0_f64.powi(-24),
        31 => f64::INFINITY,
        _ => (1024.0 + fraction) * 2.0_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// A float of so many exponent and fraction bits: six decimal digits where they are enough, then seven, the bits
/// otherwise.
fn float(text: &mut String, value: f64, bits: u64, (exponent, fraction): (u32, u32)) {
    let payload = bits & ((1 << fraction) - 1);
    let is_special = bits >> fraction & ((1 << exponent) - 1) == (1 << exponent) - 1;
    let sign = if bits >> (exponent + fraction) & 1 == 1 { "-" } else { "" };
    if is_special {
        let quiet = 1 << (fraction - 1);
        return match payload {
            0 => put(text, format_args!("{sign}inf")),
            _ if payload & quiet != 0 => {
                put(text, format_args!("{sign}qnan(0x{:X})", payload ^ quiet));
            }
            _ => put(text, format_args!("{sign}snan(0x{payload:X})")),
        };
    }
    let is_exact = |decimal: &String| {
        let read: f64 = decimal.parse().unwrap_or(f64::NAN);
        if fraction == 23 { f64::from(read as f32) == value } else { read == value }
    };
    let decimals = [constant::six_digits(value), constant::six_decimals(value)];
    match decimals.iter().find(|decimal| is_exact(decimal)) {
        Some(decimal) => text.push_str(decimal),
        None => put(text, format_args!("0x{bits:X}")),
    }
}
