//! Kernels as people write them: short forms, symbols, defaults, labels, replacements, comments and
//! the markers around them, with the instructions that each stands for, worked out here and not by
//! the assembler.

mod later;

use parallax_isa::{
    Device,
    eu::{
        DataType, Instruction, Opcode,
        instruction::{Descriptor, Message, Predicate, PredicateControl},
        operand::{
            Destination, DestinationRegion, Region, Register, Source, SourceModifier,
            VerticalStride,
        },
        register::{ArfKind, RegisterFile},
        text,
    },
};

use crate::random::SplitMix64;

/// A text and what it has to become.
pub(in crate::eu) struct KernelText {
    pub(in crate::eu) text: String,
    pub(in crate::eu) instructions: Vec<Instruction>,
}

/// A statement whose branch goes to a label that may still have no place.
struct Open {
    statement: usize,
    label: usize,
    pops: u32,
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

fn region(vertical: u8, width: u8, horizontal: u8) -> Region {
    Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal }
}

fn region_text(region: Region) -> String {
    match region {
        Region::Align1 { vertical: VerticalStride::Elements(v), width, horizontal } => {
            format!("<{v};{width},{horizontal}>")
        }
        _ => String::new(),
    }
}

fn general(number: u8, byte: u8) -> Register {
    Register::Direct { file: RegisterFile::Grf, number, subregister: byte }
}

fn architecture(kind: ArfKind, number: u8, byte: u8) -> Register {
    let number = kind.code() << 4 | number;
    Register::Direct { file: RegisterFile::Arf, number, subregister: byte }
}

fn source(register: Register, data_type: DataType, region: Region) -> Source {
    Source::Register { register, data_type, region, modifier: SourceModifier::default() }
}

fn to(register: Register, data_type: DataType, stride: u8) -> Destination {
    Destination { register, data_type, region: DestinationRegion::Stride(stride) }
}

fn constant(data_type: DataType, bits: u32) -> Source {
    Source::Immediate { data_type, bits: bits.into() }
}

struct Writer<'r> {
    device: Device,
    random: &'r mut SplitMix64,
    lines: Vec<String>,
    instructions: Vec<Instruction>,
    open: Vec<Open>,
    /// Statements that labels stand before.
    labels: Vec<usize>,
    symbol: Symbol,
    defaults: Defaults,
}

/// A kernel with some generated instructions among what it is made of.
pub(in crate::eu) fn kernel_text(
    device: Device,
    random: &mut SplitMix64,
    generated: &[Instruction],
) -> KernelText {
    if Device::LATER.contains(&device) {
        return later::kernel_text(device, random, generated);
    }
    let symbol = Symbol { register: 8 + random.below(6) as u8, subregister: random.below(4) as u8 };
    let defaults = Defaults::choose(random);
    let count = 6 + random.below(20) as usize;
    let mut labels: Vec<usize> =
        (0..1 + random.below(5)).map(|_| random.below(count as u64 + 1) as usize).collect();
    labels.sort_unstable();
    let mut writer = Writer {
        device,
        random,
        lines: Vec::new(),
        instructions: Vec::new(),
        open: Vec::new(),
        labels,
        symbol,
        defaults,
    };
    let kernel = writer.random.below(2) == 0;
    if kernel {
        writer.lines.push(".kernel Generated".to_owned());
        writer.lines.push(".reg_count_total 64".to_owned());
        writer.lines.push(".reg_count_payload 2".to_owned());
    }
    writer.pragmas();
    if kernel {
        writer.lines.push(".code".to_owned());
    }
    for _ in 0..count {
        writer.statement(generated);
    }
    writer.place_labels();
    if kernel {
        writer.lines.push(".end_code".to_owned());
        writer.lines.push(".end_kernel".to_owned());
    }
    writer.finish()
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
    fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    /// Replacements, the declaration and the defaults.
    fn pragmas(&mut self) {
        let Symbol { register, subregister } = self.symbol;
        self.lines.push(format!(
            ".declare Rows Base=r{register}.{subregister} ElementSize=4 SrcRegion=<4;4,1> \
             DstRegion=<1> Type=d"
        ));
        self.lines.push(".define First r2<8;8,1>:f".to_owned());
        // The second replacement names the first.
        self.lines.push(".define Both First r3<0;1,0>:f".to_owned());
        self.lines.extend(self.defaults.pragmas());
    }

    fn statement(&mut self, generated: &[Instruction]) {
        self.place_labels();
        let (text, instruction) = match self.below(9) {
            0 if !generated.is_empty() => {
                let instruction = generated[self.below(generated.len() as u64) as usize];
                let text = text::print(self.device, &Instruction { compact: false, ..instruction });
                let capitals = self.below(4) == 0;
                let text = if capitals { text.to_ascii_uppercase() } else { text };
                (text, Instruction { compact: false, ..instruction })
            }
            1 => self.by_default(),
            2 => self.by_symbol(),
            3 => self.replaced(),
            4 | 5 => self.branch(),
            6 => self.mask_control(),
            7 => self.accumulated(),
            _ => self.special(),
        };
        let text = self.commented(&text);
        self.lines.push(text);
        self.instructions.push(instruction);
    }

    /// The labels that stand before the next statement.
    fn place_labels(&mut self) {
        let next = self.instructions.len();
        for label in 0..self.labels.len() {
            if self.labels[label] == next {
                self.lines.push(format!("L{label}:"));
            }
        }
    }

    /// A text with comments, of one line or two.
    fn commented(&mut self, text: &str) -> String {
        match self.below(6) {
            0 => format!("{text} // then mov (8) r0<1>:f 0.0:f /* not a block"),
            1 => text.replacen(' ', " /* ; { ' // */ ", 2),
            2 => format!("/* a block\n mov (8) r9<1>:f 1.0:f\n*/ {text}"),
            _ => text.to_owned(),
        }
    }

    /// Size, types and regions are left out.
    fn by_default(&mut self) -> (String, Instruction) {
        let [a, b, c] = [0; 3].map(|_| self.below(120) as u8);
        let data_type = self.defaults.of_general();
        let (stride, region) = (self.defaults.stride(data_type), self.defaults.region(data_type));
        let of = |number| source(general(number, 0), data_type, region);
        let instruction = Instruction {
            execution_size: self.defaults.size(data_type),
            destination: to(general(a, 0), data_type, stride),
            sources: [of(b), of(c), Source::ABSENT],
            ..Instruction::bare(Opcode::Add)
        };
        (format!("add r{a} r{b} r{c}"), instruction)
    }

    /// The declared symbol, directly and through the address register.
    fn by_symbol(&mut self) -> (String, Instruction) {
        let Symbol { register, subregister } = self.symbol;
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
    fn branch(&mut self) -> (String, Instruction) {
        use Opcode::{Break, Cont, Do, Else, Endif, Halt, If, Iff, Jmpi, While};
        let forms = [If, Iff, Else, While, Break, Cont, Halt, Jmpi, Do, Endif];
        let opcode = forms[self.below(10) as usize];
        let width = if opcode == Jmpi { 1 } else { SIZES[self.below(4) as usize] * 2 };
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
        let label = self.below(self.labels.len() as u64) as usize;
        let pops = if opcode == Jmpi { 0 } else { self.below(16) as u32 };
        self.open.push(Open { statement: self.instructions.len(), label, pops });
        let pop = if pops == 0 { String::new() } else { format!(" pop {pops}") };
        (format!("{predicate}{mnemonic} ({width}) L{label}{pop}"), instruction)
    }

    fn predicate(&mut self) -> (String, Predicate) {
        let (word, control) = [
            ("f0.0", PredicateControl::Sequential),
            ("f0", PredicateControl::Sequential),
            ("f0.0.anyv", PredicateControl::AnyV),
            ("f0.0.ALL8H", PredicateControl::All8H),
        ][self.below(4) as usize];
        let (sign, inverse) =
            [("", false), ("+", false), ("-", true), ("!", true)][self.below(4) as usize];
        (format!("({sign}{word}) "), Predicate { control, inverse })
    }

    /// `push`, `pop`, `msave`, `mrest` and `wait`.
    fn mask_control(&mut self) -> (String, Instruction) {
        let (stack, mask) = (self.below(2) as u8, self.below(4) as u8);
        let stack_register = architecture(ArfKind::MaskStack, 0, 16 * stack);
        let mask_register = architecture(ArfKind::Mask, 0, 2 * mask);
        let mask_name = ["amask", "imask", "lmask", "cmask"][usize::from(mask)];
        let data_type = DataType::Uw;
        let saved = |opcode| Instruction {
            destination: to(stack_register, data_type, 1),
            sources: [
                source(mask_register, data_type, Region::SCALAR),
                Source::null(DataType::Ud),
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
                        Source::null(DataType::Ud),
                        Source::ABSENT,
                    ],
                    ..Instruction::bare(Opcode::Mrest)
                };
                let text = format!("mrest (1) {mask_name}<1>:uw ms0.{}<0;1,0>:uw", 16 * stack);
                (text, instruction)
            }
            3 => {
                let depth = self.below(16) as u32;
                let data_type = self.defaults.register_type;
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
                        Source::null(DataType::Ud),
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
        let opcode = [Add, Avg, Sel, Shl, Asr, Cmp][self.below(6) as usize];
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
                        Source::null(DataType::Ud),
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

    /// Gives branches their exit codes: the levels to pop above the distance, whose sixteen bits a
    /// negative one must not leave.
    fn finish(mut self) -> KernelText {
        for Open { statement, label, pops } in self.open {
            let distance = self.labels[label] as i32 - statement as i32;
            let branch = &mut self.instructions[statement];
            let bits = if branch.opcode == Opcode::Jmpi {
                (distance - 1).cast_unsigned()
            } else {
                pops * 0x1_0000 + (distance & 0xFFFF).cast_unsigned()
            };
            branch.sources[1] = constant(DataType::D, bits);
        }
        KernelText { text: self.lines.join("\n"), instructions: self.instructions }
    }
}
