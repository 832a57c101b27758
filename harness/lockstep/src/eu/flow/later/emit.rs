//! Trees to machine code: blocks, loops, calls and what leaves them.
//!
//! JIP of a branch leads where the thread goes if no channel is left: to the end of the innermost block,
//! where others may wait. UIP leads where the channels wait.

mod computed;
mod data;
pub(super) mod places;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        DataType, Instruction, Opcode,
        instruction::{Branch, Predicate, PredicateControl, ThreadControl},
        operand::{Region, Source, SourceModifier, VerticalStride},
    },
};

use self::places::{Goal, Label, Program};
use super::super::{
    emit::Emitted,
    instructions::{general, to},
    tree::{
        Block, Call, Conditional, Crossing, IfForm, Loop, LoopForm, Registers, Statement, Test,
        Tree,
    },
};
use crate::random::SplitMix64;

/// What surrounds the statement that is written.
#[derive(Clone, Copy)]
struct Around {
    /// The end of the innermost block: where channels may wait that have not left it.
    block_end: Label,
    /// Where `break` and `cont` of the loop send channels.
    ways_out: Option<(Label, Label)>,
    /// Where halted channels wait.
    program_end: Label,
    /// Calls around it.
    calls: u8,
}

/// A routine that is still to be written.
struct Routine<'t> {
    start: Label,
    call: &'t Call,
    program_end: Label,
}

struct Emitter<'t> {
    device: Device,
    registers: Registers,
    width: u8,
    first: u8,
    program: Program,
    routines: Vec<Routine<'t>>,
    random: SplitMix64,
}

/// Writes a tree down as a program of a device.
pub(super) fn emit(device: Device, tree: &Tree) -> Emitted {
    let mut emitter = Emitter {
        device,
        registers: tree.registers,
        width: tree.width,
        first: tree.first,
        program: Program::new(device, tree.compacting),
        routines: Vec::new(),
        random: SplitMix64::new(tree.seed),
    };
    let system_routine = emitter.program(tree);
    Emitted { bytes: emitter.program.finish(), system_routine }
}

impl<'t> Emitter<'t> {
    /// The program; where its system routine starts.
    fn program(&mut self, tree: &'t Tree) -> Option<u32> {
        let program_end = self.program.label();
        let around = Around { block_end: program_end, ways_out: None, program_end, calls: 0 };
        self.block(&tree.body, around);
        self.program.place(program_end);
        self.halt_target();
        let last = self.program.label();
        if let Some(message) = tree.end_of_thread {
            self.program.push(message);
        } else if !self.routines.is_empty() || tree.system_routine.is_some() {
            self.jump_always(last);
        }
        while let Some(routine) = self.routines.pop() {
            self.routine(routine);
        }
        let system_routine = tree.system_routine.as_ref().map(|routine| {
            let start = self.program.length() as u32;
            routine.iter().for_each(|instruction| self.program.push_full(*instruction));
            start
        });
        self.program.place(last);
        system_routine
    }

    /// What halted channels wait at: a `halt` of its own, as compilers write it, or anything.
    fn halt_target(&mut self) {
        if self.random.next() & 1 == 0 {
            return self.program.push(Instruction::bare(Opcode::Nop));
        }
        let behind = self.program.label();
        self.branch(Opcode::Halt, None, [behind, behind]);
        self.program.place(behind);
        self.program.push(Instruction::bare(Opcode::Nop));
    }

    /// Sometimes true, for what has no effect.
    fn perhaps(&mut self) -> bool {
        self.random.next() & 15 == 0
    }

    /// Appends a branch to labels: JIP, and UIP of those that have one.
    fn branch(&mut self, opcode: Opcode, when: Option<Test>, targets: [Label; 2]) {
        self.branch_by(opcode, when, targets, false);
    }

    /// The same, with BranchCtrl.
    fn branch_by(
        &mut self,
        opcode: Opcode,
        when: Option<Test>,
        targets: [Label; 2],
        control: bool,
    ) {
        let mut instruction = Instruction {
            execution_size: self.width,
            first_channel: self.first,
            branch: Some(Branch { jip: Some(0), uip: None, control }),
            ..Instruction::bare(opcode)
        };
        when.into_iter().for_each(|test| predicate(&mut instruction, test));
        if self.perhaps() {
            instruction.thread_control = ThreadControl::Switch;
        }
        // What NoMask says does not matter to branches.
        instruction.no_mask = self.perhaps();
        self.program.lead(instruction, Goal::Branch { jip: targets[0], uip: targets[1] });
    }

    fn block(&mut self, block: &'t Block, around: Around) {
        for statement in block {
            self.statement(statement, around);
        }
    }

    fn statement(&mut self, statement: &'t Statement, around: Around) {
        let Around { block_end, program_end, .. } = around;
        match statement {
            Statement::Assign(assignment) => self.assign(assignment),
            Statement::AssignFloat(assignment) => self.assign_float(assignment),
            Statement::Compare(comparison) => self.compare(comparison),
            Statement::Foreign(instruction) => self.program.push(*instruction),
            Statement::If(conditional) => self.conditional(conditional, around),
            Statement::Loop(repeated) => self.repeat(repeated, around),
            Statement::Crossing(crossing) => self.cross(crossing, around),
            Statement::Call(call) => self.call(call, around),
            Statement::Return(when) => self.ret(*when, around.calls - 1),
            Statement::Break(when) => {
                let Some((target, _)) = around.ways_out else { return };
                self.branch(Opcode::Break, *when, [block_end, target]);
            }
            Statement::Continue(when) => {
                let Some((_, target)) = around.ways_out else { return };
                self.branch(Opcode::Cont, *when, [block_end, target]);
            }
            Statement::Halt(when) => self.branch(Opcode::Halt, *when, [block_end, program_end]),
            Statement::Jump(form, when, over) => {
                let behind = self.program.label();
                self.jump(*form, *when, behind);
                self.block(over, around);
                self.program.place(behind);
            }
            // There are no mask stacks.
            Statement::Wrap(_, body) => self.block(body, around),
            Statement::Event(event) => self.event(*event),
            Statement::Access(access) => self.access(*access),
            Statement::Switch(selector, blocks) => self.switch(*selector, blocks, around),
        }
    }

    fn conditional(&mut self, conditional: &'t Conditional, around: Around) {
        let when = Some(conditional.test);
        let end = self.program.label();
        let inside = Around { block_end: end, ..around };
        if conditional.form == IfForm::Goto {
            self.leave_unless(conditional.test, [end, end]);
            self.block(&conditional.then, inside);
            return self.join(end, around);
        }
        match &conditional.otherwise {
            None => {
                self.branch(Opcode::If, when, [end, end]);
                self.block(&conditional.then, inside);
            }
            Some(otherwise) => {
                let [middle, behind] = [self.program.label(), self.program.label()];
                self.branch(Opcode::If, when, [behind, end]);
                self.block(&conditional.then, Around { block_end: middle, ..around });
                self.program.place(middle);
                let control = self.has_uip(Opcode::Else) && self.perhaps();
                self.branch_by(Opcode::Else, None, [end, end], control);
                self.program.place(behind);
                self.block(otherwise, inside);
            }
        }
        self.program.place(end);
        self.branch(Opcode::Endif, None, [around.block_end; 2]);
    }

    fn generation(&self) -> Generation {
        self.device.generation().expect("it has execution units")
    }

    fn has_uip(&self, opcode: Opcode) -> bool {
        opcode.branch_operands(self.generation()).uip
    }

    /// A forward `goto` of the channels for which a test fails: up to Gen9 it takes those, on Gen12
    /// the others.
    fn leave_unless(&mut self, test: Test, targets: [Label; 2]) {
        let takes_true = self.generation() >= Generation::Gen12;
        let test = Test { inverse: test.inverse != takes_true, ..test };
        self.branch(Opcode::Goto, Some(test), targets);
    }

    /// `join` at the end of a block.
    fn join(&mut self, end: Label, around: Around) {
        self.program.place(end);
        self.branch(Opcode::Join, None, [around.block_end; 2]);
    }

    fn cross(&mut self, Crossing { tests, blocks }: &'t Crossing, around: Around) {
        let [first, second] = [self.program.label(), self.program.label()];
        let until_first = Around { block_end: first, ..around };
        let until_second = Around { block_end: second, ..around };
        self.leave_unless(tests[0], [first, first]);
        self.block(&blocks[0], until_first);
        self.leave_unless(tests[1], [first, second]);
        self.block(&blocks[1], until_first);
        self.join(first, until_second);
        self.block(&blocks[2], until_second);
        self.join(second, around);
    }

    fn repeat(&mut self, repeated: &'t Loop, around: Around) {
        let [turn, behind] = [self.program.label(), self.program.label()];
        self.reset(repeated);
        let again = self.program.here();
        // A `while` passes over those that a `break` sent to it; a `goto` does not.
        let leave_to = if repeated.form == LoopForm::While { turn } else { behind };
        let inside = Around { block_end: turn, ways_out: Some((leave_to, turn)), ..around };
        let flagged =
            Test { control: PredicateControl::Sequential, inverse: false, flag: repeated.flag };
        if repeated.guarded {
            self.count(repeated);
            self.branch(Opcode::Break, Some(flagged), [turn, leave_to]);
            self.block(&repeated.body, inside);
        } else {
            self.block(&repeated.body, inside);
            self.count(repeated);
        }
        let when = if repeated.guarded { repeated.again } else { Some(flagged) };
        self.program.place(turn);
        match repeated.form {
            LoopForm::While => {
                self.branch(Opcode::While, when, [again, again]);
                self.program.place(behind);
            }
            LoopForm::Goto => {
                self.branch_by(Opcode::Goto, when, [behind, again], true);
                self.join(behind, around);
            }
        }
    }

    /// A call; its routine stands behind the program.
    fn call(&mut self, call: &'t Call, around: Around) {
        let start = self.program.label();
        let link = to(general(self.registers.link(call.depth), 0), DataType::Ud);
        let mut instruction = Instruction {
            execution_size: 2,
            first_channel: self.first,
            destination: link,
            branch: Some(Branch { jip: Some(0), uip: None, control: false }),
            ..Instruction::bare(Opcode::Call)
        };
        call.when.into_iter().for_each(|test| predicate(&mut instruction, test));
        self.program.lead(instruction, Goal::Branch { jip: start, uip: start });
        self.routines.push(Routine { start, call, program_end: around.program_end });
    }

    fn routine(&mut self, Routine { start, call, program_end }: Routine<'t>) {
        let end = self.program.label();
        let calls = call.depth + 1;
        self.program.place(start);
        self.block(&call.body, Around { block_end: end, ways_out: None, program_end, calls });
        self.program.place(end);
        self.ret(None, call.depth);
    }

    /// Back to where the routine of a depth was called.
    fn ret(&mut self, when: Option<Test>, depth: u8) {
        let vertical = VerticalStride::Elements(2);
        let mut instruction = Instruction {
            execution_size: 2,
            first_channel: self.first,
            sources: [
                Source::Register {
                    register: general(self.registers.link(depth), 0),
                    data_type: DataType::Ud,
                    region: Region::Align1 { vertical, width: 2, horizontal: 1 },
                    modifier: SourceModifier::default(),
                },
                Source::ABSENT,
                Source::ABSENT,
            ],
            branch: Some(Branch::default()),
            ..Instruction::bare(Opcode::Ret)
        };
        when.into_iter().for_each(|test| predicate(&mut instruction, test));
        self.program.push(instruction);
    }
}

fn predicate(instruction: &mut Instruction, test: Test) {
    instruction.predicate = Predicate { control: test.control, inverse: test.inverse };
    (instruction.flag_register, instruction.flag_subregister) = (test.flag / 2, test.flag % 2);
}
