//! Kernels of Gen7 and later, in both notations that they have: as G45 is written, and as the talk about
//! Gen8 and Gen9 writes. Each device reads both.

use parallax_isa::{
    device::Generation,
    eu::{
        DataType, Instruction, Opcode,
        instruction::{
            AccessMode, ConditionalModifier, Descriptor, ExtendedDescriptor, MathFunction, Message,
            Predicate, PredicateControl,
        },
        operand::{DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride},
        register::ArfKind,
        scoreboard::{Scoreboard, Token},
    },
};

use super::{Writer, architecture, constant, general, region, source, to};

/// What stands before the operands, in both notations.
struct Head {
    instruction: Instruction,
    predicate: String,
    condition: Option<(&'static str, &'static str)>,
    flag: String,
}

const TYPES: [DataType; 6] =
    [DataType::F, DataType::D, DataType::Ud, DataType::W, DataType::Uw, DataType::F];

/// Conditions: as G45 writes them, and as the talk does.
const CONDITIONS: [(&str, &str, ConditionalModifier); 6] = [
    ("e", "eq", ConditionalModifier::Equal),
    ("ne", "ne", ConditionalModifier::NotEqual),
    ("g", "gt", ConditionalModifier::Greater),
    ("ge", "ge", ConditionalModifier::GreaterEqual),
    ("l", "lt", ConditionalModifier::Less),
    ("le", "le", ConditionalModifier::LessEqual),
];

impl Writer<'_> {
    fn is_gen7(&self) -> bool {
        self.device.generation() == Some(Generation::Gen7)
    }

    fn is_gen12(&self) -> bool {
        self.device.generation() >= Some(Generation::Gen12)
    }

    pub(super) fn in_either_notation(&mut self, choice: u64) -> (String, Instruction) {
        match choice {
            1..=3 => self.binary(),
            4 if self.is_gen12() => self.ternary_align1(),
            4 => self.ternary(),
            5 => self.math(),
            6 => self.message(),
            _ => self.branch(),
        }
    }

    /// Execution size, first channel, predicate and condition.
    fn head(&mut self, opcode: Opcode, with_condition: bool) -> Head {
        let execution_size = self.pick(&[1, 2, 4, 8, 16]);
        let groups = 32 / execution_size.max(4);
        let first_channel = match self.below(3) {
            0 => self.below(groups.into()) as u8 * execution_size.max(4),
            _ => 0,
        };
        let (flag_register, flag_subregister) = (self.below(2) as u8, self.below(2) as u8);
        let flag = format!("f{flag_register}.{flag_subregister}");
        let mut instruction = Instruction {
            execution_size,
            first_channel,
            flag_register,
            flag_subregister,
            ..Instruction::bare(opcode)
        };
        let mut predicate = String::new();
        if self.below(3) == 0 {
            let (word, control) = self.pick(&[
                ("", PredicateControl::Sequential),
                (".anyv", PredicateControl::AnyV),
                (".all8h", PredicateControl::All8H),
                (".any32h", PredicateControl::Any32H),
            ]);
            let inverse = self.below(2) == 0;
            let sign = if !inverse { "" } else { self.pick(&["~", "-", "!"]) };
            predicate = format!("({sign}{flag}{word}) ");
            instruction.predicate = Predicate { control, inverse };
        }
        let condition = (with_condition && self.below(3) == 0).then(|| {
            let (old, talk, condition) = self.pick(&CONDITIONS);
            instruction.condition = condition;
            (old, talk)
        });
        if predicate.is_empty() && condition.is_none() {
            (instruction.flag_register, instruction.flag_subregister) = (0, 0);
        }
        Head { instruction, predicate, condition, flag }
    }

    /// The text up to the operands, in one of the notations.
    fn head_text(&mut self, head: &Head, mnemonic: &str) -> String {
        let Head { instruction, predicate, condition, flag } = head;
        let Instruction { execution_size: size, first_channel: first, saturate, .. } = instruction;
        let size = match first {
            0 if self.below(2) == 0 => format!("({size})"),
            _ => format!("({size}|M{first})"),
        };
        if self.below(2) == 0 {
            let saturate = if *saturate { ".sat" } else { "" };
            let condition = condition.map_or(String::new(), |(old, _)| format!(".{old}.{flag}"));
            format!("{predicate}{mnemonic}{saturate}{condition} {size} ")
        } else {
            let saturate = if *saturate { "(sat)" } else { "" };
            let condition =
                condition.map_or(String::new(), |(_, talk)| format!("[({talk}){flag}] "));
            format!("{predicate}{mnemonic} {size} {condition}{saturate}")
        }
    }

    /// A general register as a source, with modifiers.
    fn operand(&mut self, data_type: DataType) -> (String, Source) {
        let number = self.below(120) as u8;
        let element = self.below(32 / data_type.size() as u64 / 2) as u8;
        let (vertical, width, horizontal) =
            self.pick(&[(8, 8, 1), (0, 1, 0), (4, 4, 1), (2, 2, 1), (8, 4, 2)]);
        let register = general(number, element * data_type.size() as u8);
        let (sign, modifier) = self.pick(&[
            ("", SourceModifier::default()),
            ("-", SourceModifier { negate: true, absolute: false }),
            ("(abs)", SourceModifier { negate: false, absolute: true }),
            ("-(abs)", SourceModifier { negate: true, absolute: true }),
        ]);
        let text = format!(
            "{sign}r{number}.{element}<{vertical};{width},{horizontal}>:{}",
            data_type.suffix()
        );
        let region = region(vertical, width, horizontal);
        (text, Source::Register { register, data_type, region, modifier })
    }

    fn binary(&mut self) -> (String, Instruction) {
        let opcode = self.pick(&[Opcode::Add, Opcode::Mul, Opcode::Sel, Opcode::Cmp, Opcode::Avg]);
        let mut head = self.head(opcode, true);
        let data_type = self.pick(&TYPES);
        head.instruction.saturate = self.below(4) == 0;
        let (number, stride) = (self.below(120) as u8, self.pick(&[1, 2]));
        let (first, a) = self.operand(data_type);
        let (second, b) = match self.below(3) {
            0 => {
                let bits = self.below(200) as u32;
                (format!("{bits:#x}:ud"), constant(DataType::Ud, bits))
            }
            _ => self.operand(data_type),
        };
        let into = format!("r{number}.0<{stride}>:{}", data_type.suffix());
        let text = self.head_text(&head, opcode.mnemonic());
        let instruction = Instruction {
            destination: to(general(number, 0), data_type, stride),
            sources: [a, b, Source::ABSENT],
            ..head.instruction
        };
        (format!("{text}{into} {first} {second}"), instruction)
    }

    /// Three sources, in Align16.
    fn ternary(&mut self) -> (String, Instruction) {
        let mut head = self.head(Opcode::Mad, true);
        let size = self.pick(&[4, 8]);
        (head.instruction.execution_size, head.instruction.first_channel) = (size, 0);
        if matches!(
            head.instruction.predicate.control,
            PredicateControl::AnyV | PredicateControl::All8H | PredicateControl::Any32H
        ) {
            head.predicate = String::new();
            head.instruction.predicate = Predicate::default();
            if head.condition.is_none() {
                head.instruction.flag_register = 0;
                head.instruction.flag_subregister = 0;
            }
        }
        let numbers = [0; 4].map(|_| self.below(120) as u8);
        let mut texts = Vec::new();
        let sources = [1, 2, 3].map(|n| {
            let (select, swizzle) =
                self.pick(&[("", [0, 1, 2, 3]), (".wzyx", [3, 2, 1, 0]), (".yyxx", [1, 1, 0, 0])]);
            texts.push(format!("r{}.0<4>{select}:f", numbers[n]));
            Source::Register {
                register: general(numbers[n], 0),
                data_type: DataType::F,
                region: Region::Align16 { vertical: VerticalStride::Elements(4), swizzle },
                modifier: SourceModifier::default(),
            }
        });
        let (enable, bits) = self.pick(&[("", 0xF), (".xz", 5), (".w", 8)]);
        let text = self.head_text(&head, "mad");
        let mut destination = to(general(numbers[0], 0), DataType::F, 1);
        destination.region = DestinationRegion::ChannelEnable(bits);
        let instruction = Instruction {
            access_mode: AccessMode::Align16,
            destination,
            sources,
            ..head.instruction
        };
        (format!("{text}r{}.0<1>{enable}:f {}", numbers[0], texts.join(" ")), instruction)
    }

    fn math(&mut self) -> (String, Instruction) {
        let (name, function) = self.pick(&[
            ("inv", MathFunction::Inv),
            ("sqt", MathFunction::Sqt),
            if self.is_gen12() { ("iqot", MathFunction::Iqot) } else { ("pow", MathFunction::Pow) },
        ]);
        let data_type =
            if function.sources() == 2 && self.is_gen12() { DataType::D } else { DataType::F };
        let head = self.head(Opcode::Math, false);
        let number = self.below(120) as u8;
        let (first, a) = self.operand(data_type);
        let (second, b) = match function.sources() {
            2 => self.operand(data_type),
            _ => (String::new(), Source::ABSENT),
        };
        let text = self.head_text(&head, &format!("math.{name}"));
        let instruction = Instruction {
            math: Some(function),
            destination: to(general(number, 0), data_type, 1),
            sources: [a, b, Source::ABSENT],
            ..head.instruction
        };
        let suffix = data_type.suffix();
        let (note, scoreboard) = self.scoreboard(true);
        let text = format!("{text}r{number}.0<1>:{suffix} {first} {second}{note}");
        (text, Instruction { scoreboard, ..instruction })
    }

    /// A code of the software scoreboard as an option, where there is one.
    fn scoreboard(&mut self, out_of_order: bool) -> (String, Scoreboard) {
        if !self.is_gen12() || self.below(2) == 0 {
            return (String::new(), Scoreboard::default());
        }
        let (number, steps) = (self.below(16) as u8, 1 + self.below(7) as u8);
        let (note, distance, token) = match self.below(if out_of_order { 5 } else { 4 }) {
            0 => (format!("@{steps}"), steps, None),
            1 => (format!("${number}.dst"), 0, Some(Token::Destination(number))),
            2 => (format!("${number}.src"), 0, Some(Token::Source(number))),
            3 if out_of_order => (format!("@{steps}, ${number}"), steps, Some(Token::Set(number))),
            3 => (format!("@{steps}, ${number}.dst"), steps, Some(Token::Destination(number))),
            _ => (format!("${number}"), 0, Some(Token::Set(number))),
        };
        (format!(" {{{note}}}"), Scoreboard { distance, token })
    }

    /// Three sources, in Align1.
    fn ternary_align1(&mut self) -> (String, Instruction) {
        let head = self.head(Opcode::Mad, true);
        let data_type = self.pick(&[DataType::F, DataType::Hf, DataType::D, DataType::W]);
        let suffix = data_type.suffix();
        let (into, stride) = (self.below(120) as u8, self.pick(&[1, 2]));
        let mut texts = Vec::new();
        let sources = [0, 1, 2].map(|index| {
            let number = self.below(120) as u8;
            // The width is what the strides make of it; the third has rows of one element.
            let (vertical, width, horizontal) = match index {
                2 => self.pick(&[(1, 1, 0), (2, 1, 0), (0, 1, 0)]),
                _ => self.pick(&[(8, 8, 1), (4, 4, 1), (0, 1, 0), (8, 4, 2)]),
            };
            if index == 2 && data_type.size() == 2 && self.below(3) == 0 {
                let bits = self.below(0x100);
                texts.push(format!("{bits:#x}:{suffix}"));
                return Source::Immediate { data_type, bits: bits << 16 | bits };
            }
            texts.push(format!("r{number}.0<{vertical};{width},{horizontal}>:{suffix}"));
            Source::Register {
                register: general(number, 0),
                data_type,
                region: region(vertical, width, horizontal),
                modifier: SourceModifier::default(),
            }
        });
        let text = self.head_text(&head, "mad");
        let (note, scoreboard) = self.scoreboard(false);
        let text = format!("{text}r{into}.0<{stride}>:{suffix} {}{note}", texts.join(" "));
        let destination = to(general(into, 0), data_type, stride);
        (text, Instruction { destination, sources, scoreboard, ..head.instruction })
    }

    fn message(&mut self) -> (String, Instruction) {
        let [into, from] = [0; 2].map(|_| self.below(120) as u8);
        let function = 1 + self.below(12) as u8;
        let descriptor = self.below(1 << 28) as u32;
        let ends = self.below(4) == 0;
        let size = self.pick(&[8, 16]);
        let payload = |register| source(register, DataType::Ud, Region::PACKED8);
        // Messages of Gen12 have a second payload, which may be none.
        let (second, last) = match (self.is_gen12(), self.below(120) as u8) {
            (false, _) => (String::new(), Source::ABSENT),
            (true, 0..=40) => (" null".to_owned(), payload(Register::NULL)),
            (true, number) => (format!(" r{number}"), payload(general(number, 0))),
        };
        let instruction = Instruction {
            execution_size: size,
            destination: to(general(into, 0), DataType::Ud, 1),
            sources: [payload(general(from, 0)), last, Source::ABSENT],
            message: Some(Message {
                current_destination: 0,
                descriptor: Descriptor::Immediate(descriptor),
                shared_function: function,
                extended: ExtendedDescriptor::Immediate(0),
                fusion_control: false,
                end_of_thread: ends,
            }),
            ..Instruction::bare(Opcode::Send)
        };
        let eot = if ends { " {EOT}" } else { "" };
        let text =
            format!("send ({size}) r{into}:ud r{from}{second} {function:#x} {descriptor:#x}{eot}");
        (text, instruction)
    }

    /// A branch to labels, to one or two.
    fn branch(&mut self) -> (String, Instruction) {
        use Opcode::{Break, Cont, Else, Endif, Goto, Halt, If, Jmpi, Join, While};
        let known = [If, Else, Endif, While, Break, Cont, Halt, Jmpi, Goto, Join];
        let opcode = self.pick(if self.is_gen7() { &known[..8] } else { &known });
        if opcode == Jmpi {
            return self.jump();
        }
        let takes_predicate = !matches!(opcode, Else | Endif | Join);
        let mut head = self.head(opcode, false);
        if !takes_predicate {
            (head.predicate, head.instruction.predicate) = Default::default();
            (head.instruction.flag_register, head.instruction.flag_subregister) = (0, 0);
        }
        let text = self.head_text(&head, opcode.mnemonic());
        let has_two =
            matches!(opcode, If | Break | Cont | Halt | Goto) || opcode == Else && !self.is_gen7();
        let (jip, uip) = (self.label(), has_two.then(|| self.label()));
        let targets = match uip {
            Some(uip) => format!("L{jip} L{uip}"),
            None => format!("L{jip}"),
        };
        self.lead(jip, uip, 0);
        (format!("{text}{targets}"), head.instruction)
    }

    /// `jmpi` to a label.
    fn jump(&mut self) -> (String, Instruction) {
        let label = self.label();
        self.lead(label, None, 0);
        let bare = Instruction { no_mask: true, ..Instruction::bare(Opcode::Jmpi) };
        let ip = architecture(ArfKind::InstructionPointer, 0, 0);
        let sources =
            [source(ip, DataType::Ud, Region::SCALAR), constant(DataType::D, 0), Source::ABSENT];
        let instruction = match self.is_gen12() {
            true => bare,
            false => Instruction { destination: to(ip, DataType::Ud, 1), sources, ..bare },
        };
        (format!("jmpi (1) L{label} {{NoMask}}"), instruction)
    }
}
