//! Trees to machine code.

mod values;

use parallax_isa::{
    Device,
    eu::{
        DataType, Instruction, Opcode,
        instruction::{ConditionalModifier, Predicate, PredicateControl, ThreadControl},
        operand::{Region, Register, Source, SourceModifier, VerticalStride},
        register::{ArfKind, RegisterFile},
    },
};

use super::instructions::{
    IP, architecture, branch, constant, general, mask_stack, scalar, scalar_move, single, to,
};
use super::tree::{
    Access, Block, Conditional, Event, IfForm, JumpForm, Loop, Registers, SWITCH, Statement, Test,
    Tree, Wrap,
};
use crate::{eu::generate::ProgramBuilder, random::SplitMix64};

const REGISTERS: Registers = Registers::GEN4;
const NO_CODE: u32 = 0;
/// Exit code of one level, for `else` and `endif`.
const ONE_LEVEL: u32 = 1 << 16;

/// A place in the program that branches lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Label(usize);

/// What is filled in once a label has its place.
#[derive(Debug, Clone, Copy)]
enum Distance {
    /// Slots from the branch, in the low half of src1.
    Branch,
    /// Slots from the instruction after the one at this byte, in src1.
    Index(usize),
    /// Bytes from the start of the program, in src0.
    Absolute,
    /// Bytes from the instruction, in src1.
    Relative,
}

struct Fixup {
    offset: usize,
    instruction: Instruction,
    label: Label,
    distance: Distance,
}

/// What surrounds the statement that is written.
#[derive(Clone, Copy)]
struct Around {
    /// Levels pushed on the IStack since the loop began.
    levels: u32,
    /// Where `break` and `cont` of the loop lead.
    ways_out: Option<(Label, Label)>,
    end: Label,
}

struct Emitter {
    device: Device,
    width: u8,
    assembly: ProgramBuilder,
    labels: Vec<Option<usize>>,
    fixups: Vec<Fixup>,
    random: SplitMix64,
}

/// A program and where its system routine starts.
pub(super) struct Emitted {
    pub(super) bytes: Vec<u8>,
    pub(super) system_routine: Option<u32>,
}

/// Writes a tree down as a program of a device.
pub(super) fn emit(device: Device, tree: &Tree) -> Emitted {
    let mut emitter = Emitter {
        device,
        width: tree.width,
        assembly: ProgramBuilder::new(device, tree.compacting),
        labels: Vec::new(),
        fixups: Vec::new(),
        random: SplitMix64::new(tree.seed),
    };
    let end = emitter.label();
    emitter.block(&tree.body, Around { levels: 0, ways_out: None, end });
    let last = emitter.label();
    emitter.place(end);
    if let Some(message) = tree.end_of_thread {
        emitter.assembly.push(message);
    } else if tree.system_routine.is_some() {
        emitter.jump(JumpForm::Index, None, last);
    }
    let system_routine = tree.system_routine.as_ref().map(|routine| {
        emitter.assembly.align();
        let start = emitter.assembly.bytes.len() as u32;
        for instruction in routine {
            emitter.assembly.push_full(*instruction);
        }
        start
    });
    emitter.place(last);
    Emitted { bytes: emitter.finish(), system_routine }
}

impl Emitter {
    fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Puts a label at the next slot.
    fn place(&mut self, label: Label) {
        self.assembly.align();
        self.labels[label.0] = Some(self.assembly.bytes.len());
    }

    fn here(&mut self) -> Label {
        let label = self.label();
        self.place(label);
        label
    }

    /// Appends an instruction that needs to know where a label is.
    fn lead(&mut self, instruction: Instruction, label: Label, distance: Distance) -> usize {
        self.assembly.align();
        let offset = self.assembly.bytes.len();
        self.fixups.push(Fixup { offset, instruction, label, distance });
        self.assembly.push_full(instruction);
        offset
    }

    fn finish(mut self) -> Vec<u8> {
        for Fixup { offset, mut instruction, label, distance } in std::mem::take(&mut self.fixups) {
            let target = self.labels[label.0].expect("every label is placed") as i64;
            let slots = |from: usize| (target - from as i64) / 16;
            let (index, value) = match distance {
                Distance::Branch => (1, (slots(offset) as u32) & 0xFFFF),
                Distance::Index(base) => (1, slots(base) as u32 - 1),
                Distance::Absolute => (0, target as u32),
                Distance::Relative => (1, (target - offset as i64) as u32),
            };
            let index = match (distance, instruction.opcode) {
                (Distance::Index(_), Opcode::Mov) => 0,
                _ => index,
            };
            if let Source::Immediate { bits, .. } = &mut instruction.sources[index] {
                *bits |= u64::from(value);
            }
            self.assembly.replace(offset, instruction);
        }
        self.assembly.bytes
    }

    /// Sometimes true, for what has no effect.
    fn perhaps(&mut self) -> bool {
        self.random.next() & 15 == 0
    }

    fn branch(&mut self, opcode: Opcode, code: u32, when: Option<Test>) -> Instruction {
        let mut instruction = branch(opcode, self.width, code);
        if let Some(test) = when {
            predicate(&mut instruction, test);
        }
        if self.perhaps() {
            instruction.thread_control = ThreadControl::Switch;
        }
        instruction
    }

    fn block(&mut self, block: &Block, around: Around) {
        for statement in block {
            self.statement(statement, around);
        }
    }

    fn statement(&mut self, statement: &Statement, around: Around) {
        match statement {
            Statement::Assign(assignment) => self.assign(assignment),
            Statement::AssignFloat(assignment) => self.assign_float(assignment),
            Statement::Compare(comparison) => self.compare(comparison),
            Statement::Foreign(instruction) => self.assembly.push(*instruction),
            Statement::If(conditional) => self.conditional(conditional, around),
            Statement::Loop(repeated) => self.repeat(repeated, around),
            Statement::Break(when) => self.leave(Opcode::Break, *when, around),
            Statement::Continue(when) => self.leave(Opcode::Cont, *when, around),
            Statement::Halt(when) => {
                let halt = self.branch(Opcode::Halt, NO_CODE, *when);
                self.lead(halt, around.end, Distance::Branch);
            }
            Statement::Jump(form, when, over) => {
                let behind = self.label();
                self.jump(*form, *when, behind);
                self.block(over, around);
                self.place(behind);
            }
            Statement::Wrap(wrap, body) => self.wrapped(*wrap, body, around),
            Statement::Event(event) => self.event(*event),
            // There are none before Gen7.
            Statement::Call(_) | Statement::Return(_) | Statement::Crossing(_) => {}
            Statement::Access(access) => self.access(*access),
            Statement::Switch(selector, blocks) => self.switch(*selector, blocks, around),
        }
    }

    /// Addresses from a variable's low words, then a load or a store that goes there.
    fn access(&mut self, access: Access) {
        let Access { index, value, base, subregister, store, each } = access;
        let width = self.width.min(8);
        // Doublewords for channels on their own, else whole registers of a table.
        let (channels, mask, subregister) =
            if each { (width, 0x1FC, 0) } else { (1, 0x1E0, subregister) };
        let address = |channel| architecture(ArfKind::Address, 2 * channel);
        let words = match channels {
            1 => Region::SCALAR,
            width => Region::Align1 {
                vertical: VerticalStride::Elements(2 * width),
                width,
                horizontal: 2,
            },
        };
        let modifier = SourceModifier::default();
        let data_type = DataType::Uw;
        let register = general(REGISTERS.variable(index), 0);
        let low = Source::Register { register, data_type, region: words, modifier };
        let immediate = |bits: u32| constant(data_type, bits * 0x1_0001);
        let mut set = |opcode, source, bits| {
            let into = to(address(subregister), data_type);
            let sources = [source, immediate(bits)];
            self.assembly
                .push(Instruction { execution_size: channels, ..single(opcode, into, sources) });
        };
        set(Opcode::And, low, mask);
        if base > 0 {
            let region = match channels {
                1 => Region::SCALAR,
                width => Region::Align1 {
                    vertical: VerticalStride::Elements(width),
                    width,
                    horizontal: 1,
                },
            };
            let register = address(subregister);
            let source = Source::Register { register, data_type, region, modifier };
            set(Opcode::Add, source, 32 * u32::from(base));
        }
        let place = Register::Indirect {
            file: RegisterFile::Grf,
            address_subregister: subregister,
            offset: 0,
        };
        let Source::Register { region: packed, .. } = self.register(0, DataType::D) else { return };
        let region = match each {
            _ if width == 1 => Region::SCALAR,
            true => {
                Region::Align1 { vertical: VerticalStride::PerRowAddress, width: 1, horizontal: 0 }
            }
            false => packed,
        };
        let (into, from, region) = if store {
            (place, general(REGISTERS.variable(value), 0), packed)
        } else {
            (general(REGISTERS.variable(value), 0), place, region)
        };
        let data_type = DataType::D;
        let source = Source::Register { register: from, data_type, region, modifier };
        self.assembly.push(Instruction {
            execution_size: width,
            destination: to(into, data_type),
            sources: [source, Source::null(DataType::Ud), Source::ABSENT],
            ..Instruction::bare(Opcode::Mov)
        });
    }

    /// A jump into a table of jumps to the blocks.
    fn switch(&mut self, selector: u8, blocks: &[Block; SWITCH], around: Around) {
        let (index, data_type) = (general(REGISTERS.jump_index, 0), DataType::D);
        let value = scalar(general(REGISTERS.variable(selector), 0), data_type);
        let low = constant(data_type, SWITCH as u32 - 1);
        self.assembly.push_full(single(Opcode::And, to(index, data_type), [value, low]));
        let ip = to(architecture(IP, 0), DataType::Ud);
        let from_ip = scalar(architecture(IP, 0), DataType::Ud);
        self.assembly.push_full(Instruction {
            no_mask: true,
            destination: ip,
            sources: [from_ip, scalar(index, data_type), Source::ABSENT],
            ..Instruction::bare(Opcode::Jmpi)
        });
        let starts = [(); SWITCH].map(|()| self.label());
        for start in starts {
            self.jump(JumpForm::Index, None, start);
        }
        let behind = self.label();
        for (block, start) in blocks.iter().zip(starts) {
            self.place(start);
            self.block(block, around);
            self.jump(JumpForm::Index, None, behind);
        }
        self.place(behind);
    }

    fn leave(&mut self, opcode: Opcode, when: Option<Test>, around: Around) {
        let Some((break_to, continue_to)) = around.ways_out else { return };
        let target = if opcode == Opcode::Break { break_to } else { continue_to };
        let leave = self.branch(opcode, around.levels.min(15) << 16, when);
        self.lead(leave, target, Distance::Branch);
    }

    fn conditional(&mut self, conditional: &Conditional, around: Around) {
        let inside = Around { levels: around.levels + 1, ..around };
        let when = Some(conditional.test);
        let [otherwise, behind] = [self.label(), self.label()];
        match conditional.form {
            IfForm::General => {
                let opening = self.branch(Opcode::If, NO_CODE, when);
                self.lead(opening, otherwise, Distance::Branch);
                self.block(&conditional.then, inside);
                self.place(otherwise);
                if let Some(block) = &conditional.otherwise {
                    let middle = self.branch(Opcode::Else, ONE_LEVEL, None);
                    self.lead(middle, behind, Distance::Branch);
                    self.block(block, inside);
                }
                let closing = self.branch(Opcode::Endif, ONE_LEVEL, None);
                self.assembly.push(closing);
            }
            // There is no `goto` before Gen8.
            IfForm::Fast | IfForm::Goto => {
                let opening = self.branch(Opcode::Iff, NO_CODE, when);
                self.lead(opening, behind, Distance::Branch);
                self.block(&conditional.then, inside);
                let closing = self.branch(Opcode::Endif, ONE_LEVEL, None);
                self.assembly.push(closing);
            }
            IfForm::Masks => {
                let imask = architecture(ArfKind::Mask, 2);
                self.assembly.push(mask_stack(Opcode::Push, 0, 1, 0));
                let flag = architecture(ArfKind::Flag, 2 * conditional.test.flag);
                let sources = [scalar(imask, DataType::Uw), scalar(flag, DataType::Uw)];
                self.assembly.push(single(Opcode::And, to(imask, DataType::Uw), sources));
                self.block(&conditional.then, inside);
                self.assembly.push(mask_stack(Opcode::Mrest, 0, 1, 0));
            }
        }
        self.place(behind);
    }

    fn wrapped(&mut self, wrap: Wrap, body: &Block, around: Around) {
        let (before, after) = match wrap {
            Wrap::PushPop => (Opcode::Push, Opcode::Pop),
            Wrap::SaveRestore => (Opcode::Msave, Opcode::Mrest),
            Wrap::PushRestore => (Opcode::Push, Opcode::Mrest),
        };
        self.assembly.push(mask_stack(before, 0, 1, 0));
        self.block(body, Around { levels: around.levels + 1, ..around });
        self.assembly.push(mask_stack(after, 0, 1, 1));
    }

    fn repeat(&mut self, repeated: &Loop, around: Around) {
        let (break_to, continue_to) = (self.label(), self.label());
        let number = REGISTERS.counter(repeated.counter);
        if let Some((from, bits)) = repeated.start {
            let data_type = DataType::Ud;
            let sources = [
                Some(self.register(REGISTERS.variable(from), data_type)),
                Some(constant(data_type, bits)),
            ];
            self.dword(Opcode::And, data_type, number, sources, false, |_| {});
        } else {
            self.dword(Opcode::Mov, DataType::D, number, [self.constant(0), None], false, |_| {});
        }
        let opening = self.branch(Opcode::Do, NO_CODE, None);
        self.assembly.push(opening);
        let again = self.here();
        let inside = Around { levels: 0, ways_out: Some((break_to, continue_to)), end: around.end };
        let flagged =
            Test { control: PredicateControl::Sequential, inverse: false, flag: repeated.flag };
        if repeated.guarded {
            self.count(repeated, ConditionalModifier::Greater);
            self.leave(Opcode::Break, Some(flagged), inside);
            self.block(&repeated.body, inside);
        } else {
            self.block(&repeated.body, inside);
            self.count(repeated, ConditionalModifier::Less);
        }
        self.place(continue_to);
        let when = if repeated.guarded { repeated.again } else { Some(flagged) };
        let closing = self.branch(Opcode::While, NO_CODE, when);
        self.lead(closing, again, Distance::Branch);
        self.place(break_to);
    }

    /// Adds 1 to a loop's counter and compares it with the number of turns.
    fn count(&mut self, repeated: &Loop, condition: ConditionalModifier) {
        let (number, data_type) = (REGISTERS.counter(repeated.counter), DataType::Ud);
        let sources = [Some(self.register(number, data_type)), Some(constant(data_type, 1))];
        self.dword(Opcode::Add, data_type, number, sources, false, |_| {});
        let sources =
            [Some(self.register(number, data_type)), Some(constant(data_type, repeated.turns))];
        self.comparison(data_type, sources, false, |instruction| {
            instruction.condition = condition;
            instruction.flag_subregister = repeated.flag;
        });
    }

    fn jump(&mut self, form: JumpForm, when: Option<Test>, target: Label) {
        let (ip, data_type) = (to(architecture(IP, 0), DataType::Ud), DataType::Ud);
        let from_ip = scalar(architecture(IP, 0), DataType::Ud);
        let jmpi = |index| {
            let mut jmpi = Instruction {
                no_mask: true,
                destination: ip,
                sources: [from_ip, index, Source::ABSENT],
                ..Instruction::bare(Opcode::Jmpi)
            };
            when.into_iter().for_each(|test| predicate(&mut jmpi, test));
            jmpi
        };
        match form {
            JumpForm::Index => {
                self.assembly.align();
                let base = self.assembly.bytes.len();
                self.lead(jmpi(constant(DataType::D, 0)), target, Distance::Index(base));
            }
            JumpForm::IndexRegister => {
                let index = general(REGISTERS.jump_index, 0);
                let load = scalar_move(to(index, DataType::D), constant(DataType::D, 0));
                self.assembly.align();
                let base = self.assembly.bytes.len() + 16;
                self.lead(load, target, Distance::Index(base));
                self.assembly.push_full(jmpi(scalar(index, DataType::D)));
            }
            JumpForm::Absolute => {
                let mut mov = scalar_move(ip, constant(data_type, 0));
                when.into_iter().for_each(|test| predicate(&mut mov, test));
                self.lead(mov, target, Distance::Absolute);
            }
            JumpForm::Relative => {
                let mut add = single(Opcode::Add, ip, [from_ip, constant(data_type, 0)]);
                when.into_iter().for_each(|test| predicate(&mut add, test));
                self.lead(add, target, Distance::Relative);
            }
        }
    }

    fn event(&mut self, event: Event) {
        let control = architecture(ArfKind::Control, 4);
        match event {
            Event::Software => {
                let sources = [scalar(control, DataType::Ud), constant(DataType::Ud, 1 << 29)];
                self.assembly.push(single(Opcode::Or, to(control, DataType::Ud), sources));
            }
            Event::Illegal => self.assembly.push_full(Instruction::bare(Opcode::Illegal)),
            Event::Breakpoint => {
                let nop = Instruction { breakpoint: true, ..Instruction::bare(Opcode::Nop) };
                self.assembly.push_full(nop);
            }
            Event::Wait(number) => {
                let register = Register::Direct {
                    file: RegisterFile::Arf,
                    number: ArfKind::Notification.code() << 4 | number,
                    subregister: 0,
                };
                let wait = Instruction {
                    destination: to(register, DataType::Ud),
                    sources: [
                        scalar(register, DataType::Ud),
                        Source::null(DataType::Ud),
                        Source::ABSENT,
                    ],
                    ..Instruction::bare(Opcode::Wait)
                };
                self.assembly.push(wait);
                self.assembly.push(Instruction::bare(Opcode::Nop));
            }
        }
        debug_assert!(Device::GEN4.contains(&self.device));
    }
}

fn predicate(instruction: &mut Instruction, test: Test) {
    instruction.predicate = Predicate { control: test.control, inverse: test.inverse };
    instruction.flag_subregister = test.flag;
}
