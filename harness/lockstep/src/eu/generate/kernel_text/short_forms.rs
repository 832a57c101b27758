//! What G45 is written with beside instructions: symbols, defaults, replacements, comments, the markers around a
//! kernel and the short forms of instructions.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{Descriptor, Message, Predicate, PredicateControl},
    operand::{Destination, Region, Register, Source, VerticalStride},
    register::{ArfKind, RegisterFile},
};

use super::{Writer, architecture, constant, general, region, source, to};
use crate::random::SplitMix64;

/// What a kernel declares.
#[derive(Clone, Copy)]
pub(super) struct Declared {
    symbol: Symbol,
    defaults: Defaults,
}

/// The symbol every kernel declares: its element is a doubleword.
#[derive(Clone, Copy)]
struct Symbol {
    register: u8,
    /// In elements.
    subregister: u8,
}

/// Defaults that a kernel sets.
#[derive(Clone, Copy)]
struct Defaults {
    /// `.default_execution_size`, of all types and of floats.
    execution_size: Option<u8>,
    float_execution_size: Option<u8>,
    /// `.default_register_type` and the one of general registers.
    register_type: DataType,
    general_type: Option<DataType>,
    /// `.default_source_register_region`, of all types and of words.
    source: Region,
    word_source: Option<Region>,
    /// `.default_destination_register_region`, of all types and of doublewords.
    stride: u8,
    doubleword_stride: Option<u8>,
}

const SIZES: [u8; 4] = [1, 2, 4, 8];
const TYPES: [DataType; 5] = [DataType::F, DataType::D, DataType::Ud, DataType::W, DataType::Uw];

fn region_text(region: Region) -> String {
    match region {
        Region::Align1 { vertical: VerticalStride::Elements(v), width, horizontal } => {
            format!("<{v};{width},{horizontal}>")
        }
        _ => String::new(),
    }
}

impl Declared {
    pub(super) fn choose(random: &mut SplitMix64) -> Self {
        let symbol =
            Symbol { register: 8 + random.below(6) as u8, subregister: random.below(4) as u8 };
        Self { symbol, defaults: Defaults::choose(random) }
    }

    /// Replacements, the declaration and the defaults.
    pub(super) fn pragmas(&self) -> Vec<String> {
        let Symbol { register, subregister } = self.symbol;
        let mut lines = vec![
            format!(
                ".declare Rows Base=r{register}.{subregister} ElementSize=4 SrcRegion=<4;4,1> \
                 DstRegion=<1> Type=d"
            ),
            ".define First r2<8;8,1>:f".to_owned(),
            // The second replacement names the first.
            ".define Both First r3<0;1,0>:f".to_owned(),
        ];
        lines.extend(self.defaults.pragmas());
        lines
    }
}

impl Defaults {
    fn choose(random: &mut SplitMix64) -> Self {
        let mut size = || (random.next() & 1 == 0).then(|| SIZES[random.below(4) as usize]);
        let (execution_size, float_execution_size) = (size(), size());
        let mut data_type = || TYPES[random.below(5) as usize];
        let (register_type, general_type) = (data_type(), data_type());
        let bits = random.next();
        Self {
            execution_size,
            float_execution_size,
            register_type,
            general_type: (bits & 1 == 0).then_some(general_type),
            source: if bits & 2 == 0 { Region::PACKED8 } else { Region::SCALAR },
            word_source: (bits & 4 == 0).then_some(region(4, 4, 1)),
            stride: 1,
            doubleword_stride: (bits & 8 == 0).then_some(2),
        }
    }

    fn pragmas(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(size) = self.execution_size {
            lines.push(format!(".default_execution_size ({size})"));
        }
        if let Some(size) = self.float_execution_size {
            lines.push(format!(".default_execution_size_f ({size})"));
        }
        lines.push(format!(".default_register_type :{}", self.register_type.suffix()));
        if let Some(data_type) = self.general_type {
            lines.push(format!(".default_register_type_r :{}", data_type.suffix()));
        }
        let all = region_text(self.source);
        lines.push(format!(".default_source_register_region {all}"));
        if let Some(words) = self.word_source {
            lines.push(format!(".default_source_register_region_w {}", region_text(words)));
        }
        lines.push(format!(".default_destination_register_region <{}>", self.stride));
        if let Some(stride) = self.doubleword_stride {
            lines.push(format!(".default_destination_register_region_d <{stride}>"));
        }
        lines
    }

    /// The type of a general register without one.
    fn of_general(&self) -> DataType {
        self.general_type.unwrap_or(self.register_type)
    }

    /// The execution size of an instruction without one.
    fn size(&self, destination: DataType) -> u8 {
        let of_floats = self.float_execution_size.filter(|_| destination == DataType::F);
        of_floats.or(self.execution_size).unwrap_or(match destination {
            DataType::W | DataType::Uw => 16,
            _ => 8,
        })
    }

    fn region(&self, data_type: DataType) -> Region {
        self.word_source.filter(|_| data_type == DataType::W).unwrap_or(self.source)
    }

    fn stride(&self, data_type: DataType) -> u8 {
        self.doubleword_stride.filter(|_| data_type == DataType::D).unwrap_or(self.stride)
    }
}

impl Writer<'_> {
    pub(super) fn short_form(
        &mut self,
        choice: u64,
        Declared { symbol, defaults }: Declared,
    ) -> (String, Instruction) {
        match choice {
            1 => self.by_default(defaults),
            2 => self.by_symbol(symbol),
            3 => self.replaced(),
            4 | 5 => self.short_branch(),
            6 => self.mask_control(defaults),
            7 => self.accumulated(),
            _ => self.special(),
        }
    }

    /// A text with comments, of one line or two.
    pub(super) fn commented(&mut self, text: &str) -> String {
        match self.below(6) {
            0 => format!("{text} // then mov (8) r0<1>:f 0.0:f /* not a block"),
            1 => text.replacen(' ', " /* ; { ' // */ ", 2),
            2 => format!("/* a block\n mov (8) r9<1>:f 1.0:f\n*/ {text}"),
            _ => text.to_owned(),
        }
    }

    /// Size, types and regions are left out.
    fn by_default(&mut self, defaults: Defaults) -> (String, Instruction) {
        let [a, b, c] = [0; 3].map(|_| self.below(120) as u8);
        let data_type = defaults.of_general();
        let (stride, region) = (defaults.stride(data_type), defaults.region(data_type));
        let of = |number| source(general(number, 0), data_type, region);
        let instruction = Instruction {
            execution_size: defaults.size(data_type),
            destination: to(general(a, 0), data_type, stride),
            sources: [of(b), of(c), Source::ABSENT],
            ..Instruction::bare(Opcode::Add)
        };
        (format!("add r{a} r{b} r{c}"), instruction)
    }

    /// The declared symbol, directly and through the address register.
    fn by_symbol(&mut self, Symbol { register, subregister }: Symbol) -> (String, Instruction) {
        let (row, element) = (self.below(3) as u8, self.below(4) as u8);
        let (address, offset) = (self.below(8) as u8, i16::from(register) * 32);
        let direct = general(register + row, (subregister + element) * 4);
        let far = offset + i16::from(row) * 32;
        let (text, offset) = match self.below(3) {
            0 => (format!("Rows[a0.{address}]"), offset),
            1 => (format!("Rows[ a0.{address} , {row} ]"), far),
            _ => {
                let bytes = i16::from(subregister + element) * 4;
                (format!("Rows[a0.{address}, {row}, {element}]"), far + bytes)
            }
        };
        let indirect =
            Register::Indirect { file: RegisterFile::Grf, address_subregister: address, offset };
        let instruction = Instruction {
            execution_size: 4,
            destination: to(direct, DataType::D, 1),
            sources: [
                source(indirect, DataType::D, region(4, 4, 1)),
                source(general(register + row, subregister * 4), DataType::D, Region::SCALAR),
                Source::ABSENT,
            ],
            ..Instruction::bare(Opcode::Avg)
        };
        let text = format!("avg (4) Rows({row},{element}) {text} Rows({row})<0;1,0>:d");
        (text, instruction)
    }

    /// Words that stand for others, one within the other.
    fn replaced(&mut self) -> (String, Instruction) {
        let number = self.below(120) as u8;
        let first = source(general(2, 0), DataType::F, Region::PACKED8);
        let second = source(general(3, 0), DataType::F, Region::SCALAR);
        let instruction = Instruction {
            execution_size: 8,
            destination: to(general(number, 0), DataType::F, 1),
            sources: [first, second, Source::ABSENT],
            ..Instruction::bare(Opcode::Mul)
        };
        (format!("mul (8) r{number}<1>:f Both"), instruction)
    }

    /// Branches to labels, by a distance, and through a register.
    fn short_branch(&mut self) -> (String, Instruction) {
        use Opcode::{Break, Cont, Do, Else, Endif, Halt, If, Iff, Jmpi, While};
        let forms = [If, Iff, Else, While, Break, Cont, Halt, Jmpi, Do, Endif];
        let opcode = self.pick(&forms);
        let width = if opcode == Jmpi { 1 } else { 2 * self.pick(&SIZES) };
        let ip = architecture(ArfKind::InstructionPointer, 0, 0);
        let mut instruction = Instruction { execution_size: width, ..Instruction::bare(opcode) };
        let (mut predicate, mnemonic) = (String::new(), opcode.mnemonic());
        if matches!(opcode, If | Iff | While | Break | Cont | Halt | Jmpi) && self.below(2) == 0 {
            (predicate, instruction.predicate) = self.predicate();
        }
        match opcode {
            Do => return (format!("do ({width})"), instruction),
            Endif => {
                instruction.execution_size = 1;
                instruction.sources[1] = constant(DataType::D, 1 << 16);
                return ("endif".to_owned(), instruction);
            }
            _ => {}
        }
        instruction.destination = to(ip, DataType::Ud, 1);
        instruction.sources[0] = source(ip, DataType::Ud, Region::SCALAR);
        if opcode == Jmpi && self.below(3) == 0 {
            let number = self.below(120) as u8;
            instruction.sources[1] = source(general(number, 0), DataType::D, Region::SCALAR);
            return (format!("{predicate}jmpi (1) r{number}<0;1,0>:d"), instruction);
        }
        let label = self.label();
        let pops = if opcode == Jmpi { 0 } else { self.below(16) as u32 };
        self.lead(label, None, pops);
        let pop = if pops == 0 { String::new() } else { format!(" pop {pops}") };
        (format!("{predicate}{mnemonic} ({width}) L{label}{pop}"), instruction)
    }

    fn predicate(&mut self) -> (String, Predicate) {
        let (word, control) = self.pick(&[
            ("f0.0", PredicateControl::Sequential),
            ("f0", PredicateControl::Sequential),
            ("f0.0.anyv", PredicateControl::AnyV),
            ("f0.0.ALL8H", PredicateControl::All8H),
        ]);
        let (sign, inverse) = self.pick(&[("", false), ("+", false), ("-", true), ("!", true)]);
        (format!("({sign}{word}) "), Predicate { control, inverse })
    }

    /// `push`, `pop`, `msave`, `mrest` and `wait`.
    fn mask_control(&mut self, defaults: Defaults) -> (String, Instruction) {
        let (stack, mask) = (self.below(2) as u8, self.below(4) as u8);
        let stack_register = architecture(ArfKind::MaskStack, 0, 16 * stack);
        let mask_register = architecture(ArfKind::Mask, 0, 2 * mask);
        let mask_name = ["amask", "imask", "lmask", "cmask"][usize::from(mask)];
        let data_type = DataType::Uw;
        let saved = |opcode| Instruction {
            destination: to(stack_register, data_type, 1),
            sources: [
                source(mask_register, data_type, Region::SCALAR),
                Source::ABSENT,
                Source::ABSENT,
            ],
            ..Instruction::bare(opcode)
        };
        let (into, from) = (format!("ms0.{}<1>:uw", 16 * stack), format!("{mask_name}<0;1,0>:uw"));
        match self.below(5) {
            0 => (format!("push (1) {into} {from}"), saved(Opcode::Push)),
            1 => (format!("msave (1) {into} {from}"), saved(Opcode::Msave)),
            2 => {
                let instruction = Instruction {
                    destination: to(mask_register, data_type, 1),
                    sources: [
                        source(stack_register, data_type, Region::SCALAR),
                        Source::ABSENT,
                        Source::ABSENT,
                    ],
                    ..Instruction::bare(Opcode::Mrest)
                };
                let text = format!("mrest (1) {mask_name}<1>:uw ms0.{}<0;1,0>:uw", 16 * stack);
                (text, instruction)
            }
            3 => {
                let depth = self.below(16) as u32;
                let data_type = defaults.register_type;
                let instruction = Instruction {
                    destination: to(stack_register, data_type, 1),
                    sources: [
                        source(stack_register, data_type, Region::SCALAR),
                        constant(DataType::Ud, depth),
                        Source::ABSENT,
                    ],
                    ..Instruction::bare(Opcode::Pop)
                };
                (format!("pop (1) ms0.{} {depth}", 16 * stack), instruction)
            }
            _ => {
                let number = self.below(2) as u8;
                let register = architecture(ArfKind::Notification, number, 0);
                let instruction = Instruction {
                    destination: to(register, DataType::Ud, 1),
                    sources: [
                        source(register, DataType::Ud, Region::SCALAR),
                        Source::ABSENT,
                        Source::ABSENT,
                    ],
                    ..Instruction::bare(Opcode::Wait)
                };
                (format!("wait n{number}"), instruction)
            }
        }
    }

    /// A binary operation on an accumulator.
    fn accumulated(&mut self) -> (String, Instruction) {
        use Opcode::{Add, Asr, Avg, Cmp, Sel, Shl};
        let opcode = self.pick(&[Add, Avg, Sel, Shl, Asr, Cmp]);
        let (number, accumulator) = (self.below(120) as u8, self.below(2) as u8);
        let register = architecture(ArfKind::Accumulator, accumulator, 0);
        let instruction = Instruction {
            execution_size: 8,
            destination: to(general(number, 0), DataType::D, 1),
            sources: [
                source(register, DataType::D, Region::PACKED8),
                constant(DataType::D, 3),
                Source::ABSENT,
            ],
            ..Instruction::bare(opcode)
        };
        let mnemonic = opcode.mnemonic();
        (format!("{mnemonic} (8) r{number}<1>:d acc{accumulator}<8;8,1>:d 3:d"), instruction)
    }

    /// `jmp`, `nop`, `illegal` and the last message.
    fn special(&mut self) -> (String, Instruction) {
        match self.below(4) {
            0 => {
                let distance = self.below(200) as i32 - 100;
                let ip = architecture(ArfKind::InstructionPointer, 0, 0);
                let instruction = Instruction {
                    destination: to(ip, DataType::Ud, 1),
                    sources: [
                        source(ip, DataType::Ud, Region::SCALAR),
                        constant(DataType::D, (16 * distance).cast_unsigned()),
                        Source::ABSENT,
                    ],
                    ..Instruction::bare(Opcode::Add)
                };
                (format!("jmp {distance}"), instruction)
            }
            1 => ("nop".to_owned(), Instruction::bare(Opcode::Nop)),
            2 => ("illegal".to_owned(), Instruction::bare(Opcode::Illegal)),
            _ => {
                let (first, number) = (self.below(12) as u8, self.below(120) as u8);
                let descriptor = 5 << 24 | (1 + self.below(4) as u32) << 20;
                let message = Message::of_registers(first, Descriptor::Immediate(descriptor), true);
                let instruction = Instruction {
                    execution_size: 8,
                    destination: Destination::null(DataType::Ud),
                    sources: [
                        source(general(number, 0), DataType::Ud, Region::PACKED8),
                        Source::ABSENT,
                        Source::ABSENT,
                    ],
                    message: Some(message),
                    ..Instruction::bare(Opcode::Send)
                };
                let text = format!(
                    "send (8) null<1>:ud m{first} r{number}<8;8,1>:ud {descriptor:#x} {{EOT}}"
                );
                (text, instruction)
            }
        }
    }
}
