//! Kernels as people write them, with the instructions that each stands for, worked out here and not by the
//! assembler.

mod notations;
mod short_forms;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        DataType, Instruction, Opcode,
        instruction::Branch,
        operand::{
            Destination, DestinationRegion, Region, Register, Source, SourceModifier,
            VerticalStride,
        },
        register::{ArfKind, RegisterFile},
        text,
    },
};

use self::short_forms::Declared;
use crate::random::SplitMix64;

/// A text and what it has to become.
pub(in crate::eu) struct KernelText {
    pub(in crate::eu) text: String,
    pub(in crate::eu) instructions: Vec<Instruction>,
}

/// A statement whose branch goes to labels that may still have no place.
struct Open {
    statement: usize,
    jip: usize,
    uip: Option<usize>,
    /// Levels that it leaves, where there are mask stacks.
    pops: u32,
}

fn region(vertical: u8, width: u8, horizontal: u8) -> Region {
    Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal }
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
    /// What G45 has beside its instructions.
    declared: Option<Declared>,
}

/// A kernel with some generated instructions among what it is made of.
pub(in crate::eu) fn kernel_text(
    device: Device,
    random: &mut SplitMix64,
    generated: &[Instruction],
) -> KernelText {
    let declared = Device::GEN4.contains(&device).then(|| Declared::choose(random));
    let count = 6 + random.below(20) as usize;
    let mut labels: Vec<usize> =
        (0..1 + random.below(5)).map(|_| random.below(count as u64 + 1) as usize).collect();
    labels.sort_unstable();
    let (lines, instructions, open) = (Vec::new(), Vec::new(), Vec::new());
    let mut writer = Writer { device, random, lines, instructions, open, labels, declared };
    let markers: [&[&str]; 3] = match declared.is_some() && writer.below(2) == 0 {
        true => [
            &[".kernel Generated", ".reg_count_total 64", ".reg_count_payload 2"],
            &[".code"],
            &[".end_code", ".end_kernel"],
        ],
        false => [&[]; 3],
    };
    let [before, code, end] = markers.map(|lines| lines.iter().map(ToString::to_string));
    writer.lines.extend(before);
    writer.lines.extend(declared.iter().flat_map(Declared::pragmas));
    writer.lines.extend(code);
    for _ in 0..count {
        writer.statement(generated);
    }
    writer.place_labels();
    writer.lines.extend(end);
    writer.finish()
}

impl Writer<'_> {
    fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn statement(&mut self, generated: &[Instruction]) {
        self.place_labels();
        let (text, instruction) = match (self.below(9), self.declared) {
            (0, _) if !generated.is_empty() => self.printed(generated),
            (choice, Some(declared)) => self.short_form(choice, declared),
            (choice, None) => self.in_either_notation(choice),
        };
        let text = if self.declared.is_some() { self.commented(&text) } else { text };
        self.lines.push(text);
        self.instructions.push(instruction);
    }

    /// A generated instruction, where capitals are read now and then in those.
    fn printed(&mut self, generated: &[Instruction]) -> (String, Instruction) {
        let instruction = self.pick(generated);
        let instruction = Instruction { compact: false, compact_residue: 0, ..instruction };
        let text = text::print(self.device, &instruction);
        let has_capitals = self.declared.is_some() && self.below(4) == 0;
        (if has_capitals { text.to_ascii_uppercase() } else { text }, instruction)
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

    /// Where the target of a branch is: one label, or two, and the levels that it leaves.
    fn lead(&mut self, jip: usize, uip: Option<usize>, pops: u32) {
        self.open.push(Open { statement: self.instructions.len(), jip, uip, pops });
    }

    fn label(&mut self) -> usize {
        self.below(self.labels.len() as u64) as usize
    }

    /// Gives branches their distances: every instruction has 16 bytes. Before Gen7 the levels to pop stand above
    /// a distance, whose sixteen bits a negative one must not leave.
    fn finish(mut self) -> KernelText {
        let generation = self.device.generation().expect("it has execution units");
        for Open { statement, jip, uip, pops } in self.open {
            let distance = |label: usize| self.labels[label] as i32 - statement as i32;
            let branch = &mut self.instructions[statement];
            let (jip, uip) = (distance(jip), uip.map(distance));
            let bits = match branch.opcode {
                Opcode::Jmpi if generation < Generation::Gen12 => {
                    let unit = match generation {
                        Generation::Gen4 | Generation::Gen45 => 16,
                        Generation::Gen7 => 8,
                        _ => 1,
                    };
                    (16 * (jip - 1) / unit).cast_unsigned()
                }
                _ if generation < Generation::Gen7 => {
                    pops * 0x1_0000 + (jip & 0xFFFF).cast_unsigned()
                }
                _ => {
                    let (jip, uip) = (Some(16 * jip), uip.map(|uip| 16 * uip));
                    branch.branch = Some(Branch { jip, uip, control: false });
                    continue;
                }
            };
            branch.sources[1] = constant(DataType::D, bits);
        }
        KernelText { text: self.lines.join("\n"), instructions: self.instructions }
    }
}
