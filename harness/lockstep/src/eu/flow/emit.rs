//! Trees to machine code.

mod channel_places;
mod computed;
mod mask_stacks;
mod values;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        Instruction, Opcode,
        instruction::{Branch, Predicate, PredicateControl, ThreadControl},
    },
};

use self::channel_places::Routine;
use super::{
    has_mask_stacks, instructions,
    program::{Goal, Label, Program},
    tree::{
        Block, Conditional, IfForm, JumpForm, Loop, LoopForm, Registers, Statement, Test, Tree,
    },
};
use crate::random::SplitMix64;

/// What surrounds the statement that is written.
#[derive(Clone, Copy)]
struct Around {
    /// Levels pushed on the IStack since the loop began.
    levels: u32,
    /// The end of the innermost block: where channels may wait that have not left it.
    block_end: Label,
    /// Where `break` and `cont` of the loop send channels.
    ways_out: Option<(Label, Label)>,
    /// Where halted channels go.
    program_end: Label,
    /// Calls around it.
    calls: u8,
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

/// A program and where its system routine starts.
pub(super) struct Emitted {
    pub(super) bytes: Vec<u8>,
    pub(super) system_routine: Option<u32>,
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
        let [program_end, last] = self.labels();
        let around =
            Around { levels: 0, block_end: program_end, ways_out: None, program_end, calls: 0 };
        self.block(&tree.body, around);
        self.program.place(program_end);
        if !self.has_mask_stacks() {
            self.halt_target();
        }
        if let Some(message) = tree.end_of_thread {
            self.program.push(message);
        } else if !self.routines.is_empty() || tree.system_routine.is_some() {
            self.jump(JumpForm::Index, None, last);
        }
        while let Some(routine) = self.routines.pop() {
            self.routine(routine);
        }
        let system_routine = tree.system_routine.as_ref().map(|routine| {
            let start = self.program.next() as u32;
            routine.iter().for_each(|instruction| self.program.push_full(*instruction));
            start
        });
        self.program.place(last);
        system_routine
    }

    fn labels<const N: usize>(&mut self) -> [Label; N] {
        [(); N].map(|()| self.program.label())
    }

    fn has_mask_stacks(&self) -> bool {
        has_mask_stacks(self.device)
    }

    fn generation(&self) -> Generation {
        self.device.generation().expect("it has execution units")
    }

    /// Sometimes true, for what has no effect.
    fn perhaps(&mut self) -> bool {
        self.random.next() & 15 == 0
    }

    /// Appends a branch to labels: JIP, where the thread goes if no channel is left, which is the end of the
    /// innermost block, where others may wait; and UIP, where the channels go.
    fn branch(&mut self, opcode: Opcode, when: Option<Test>, targets: [Label; 2]) {
        let levels = u32::from(matches!(opcode, Opcode::Else | Opcode::Endif));
        self.branch_by(opcode, when, targets, levels, false);
    }

    /// The same, with the levels of the IStack that it leaves, where there is one, and BranchCtrl.
    fn branch_by(
        &mut self,
        opcode: Opcode,
        when: Option<Test>,
        [jip, uip]: [Label; 2],
        levels: u32,
        control: bool,
    ) {
        let mut instruction = match self.has_mask_stacks() {
            true => instructions::branch(opcode, self.width, levels << 16),
            false => Instruction {
                execution_size: self.width,
                first_channel: self.first,
                branch: Some(Branch { jip: Some(0), uip: None, control }),
                ..Instruction::bare(opcode)
            },
        };
        when.into_iter().for_each(|test| predicate(&mut instruction, test));
        if self.perhaps() {
            instruction.thread_control = ThreadControl::Switch;
        }
        if self.has_mask_stacks() && matches!(opcode, Opcode::Do | Opcode::Endif) {
            return self.program.push(instruction);
        }
        // What NoMask says does not matter to branches.
        instruction.no_mask = !self.has_mask_stacks() && self.perhaps();
        self.program.lead(instruction, Goal::Branch { jip, uip });
    }

    /// `break`, `cont` or `halt`.
    fn leave(&mut self, opcode: Opcode, when: Option<Test>, target: Label, around: Around) {
        let levels = if opcode == Opcode::Halt { 0 } else { around.levels.min(15) };
        self.branch_by(opcode, when, [around.block_end, target], levels, false);
    }

    fn block(&mut self, block: &'t Block, around: Around) {
        for statement in block {
            self.statement(statement, around);
        }
    }

    fn statement(&mut self, statement: &'t Statement, around: Around) {
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
                self.leave(Opcode::Break, *when, target, around);
            }
            Statement::Continue(when) => {
                let Some((_, target)) = around.ways_out else { return };
                self.leave(Opcode::Cont, *when, target, around);
            }
            Statement::Halt(when) => self.leave(Opcode::Halt, *when, around.program_end, around),
            Statement::Jump(form, when, over) => {
                let behind = self.program.label();
                self.jump(*form, *when, behind);
                self.block(over, around);
                self.program.place(behind);
            }
            Statement::Wrap(wrap, body) => self.wrapped(*wrap, body, around),
            Statement::Event(event) => self.event(*event),
            Statement::Access(access) => self.access(*access),
            Statement::Switch(selector, blocks) => self.switch(*selector, blocks, around),
        }
    }

    fn conditional(&mut self, conditional: &'t Conditional, around: Around) {
        let Conditional { test, form, then, otherwise } = conditional;
        let when = Some(*test);
        let [middle, inner, end, behind] = self.labels();
        let inside = Around { levels: around.levels + 1, block_end: end, ..around };
        // With mask stacks `if` goes to `else` itself, and `else` and `iff` go over `endif`.
        let has_stacks = self.has_mask_stacks();
        let over = if has_stacks { behind } else { end };
        match (form, otherwise) {
            (IfForm::Goto, _) => {
                self.leave_unless(*test, [end, end]);
                self.block(then, inside);
                return self.join(end, around);
            }
            (IfForm::Masks, _) => return self.masked(*test, then, inside),
            (IfForm::Fast, _) => {
                self.branch(Opcode::Iff, when, [over; 2]);
                self.block(then, inside);
            }
            (IfForm::General, None) => {
                self.branch(Opcode::If, when, [end; 2]);
                self.block(then, inside);
            }
            (IfForm::General, Some(otherwise)) => {
                let targets = if has_stacks { [middle; 2] } else { [inner, end] };
                self.branch(Opcode::If, when, targets);
                self.block(then, Around { block_end: middle, ..inside });
                self.program.place(middle);
                let control = self.has_uip(Opcode::Else) && self.perhaps();
                self.branch_by(Opcode::Else, None, [over; 2], 1, control);
                self.program.place(inner);
                self.block(otherwise, inside);
            }
        }
        self.program.place(end);
        self.branch(Opcode::Endif, None, [around.block_end; 2]);
        self.program.place(behind);
    }

    fn has_uip(&self, opcode: Opcode) -> bool {
        opcode.branch_operands(self.generation()).uip
    }

    fn repeat(&mut self, repeated: &'t Loop, around: Around) {
        let [turn, behind] = self.labels();
        self.reset(repeated);
        if self.has_mask_stacks() {
            self.branch(Opcode::Do, None, [turn; 2]);
        }
        let again = self.program.here();
        // A `while` without mask stacks passes over those that a `break` sent to it; a `goto` does not.
        let passes_over = repeated.form == LoopForm::While && !self.has_mask_stacks();
        let leave_to = if passes_over { turn } else { behind };
        let ways_out = Some((leave_to, turn));
        let inside = Around { levels: 0, block_end: turn, ways_out, ..around };
        let flagged =
            Test { control: PredicateControl::Sequential, inverse: false, flag: repeated.flag };
        if repeated.guarded {
            self.count(repeated);
            self.leave(Opcode::Break, Some(flagged), leave_to, inside);
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
                self.branch_by(Opcode::Goto, when, [behind, again], 0, true);
                self.join(behind, around);
            }
        }
    }
}

fn predicate(instruction: &mut Instruction, test: Test) {
    instruction.predicate = Predicate { control: test.control, inverse: test.inverse };
    (instruction.flag_register, instruction.flag_subregister) = (test.flag / 2, test.flag % 2);
}
