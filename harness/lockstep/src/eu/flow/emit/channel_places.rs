//! What channels do that wait at a place of their own: `goto` and `join`, calls and returns, halts.

use parallax_isa::{
    device::Generation,
    eu::{DataType, Instruction, Opcode, instruction::Branch, operand::Source},
};

use super::{
    super::{
        instructions::{general, return_address, to},
        program::{Goal, Label},
        tree::{Call, Crossing, Test},
    },
    Around, Emitter, predicate,
};

/// A routine that is still to be written.
pub(super) struct Routine<'t> {
    start: Label,
    call: &'t Call,
    program_end: Label,
}

impl<'t> Emitter<'t> {
    /// What halted channels wait at: a `halt` of its own, as compilers write it, or anything.
    pub(super) fn halt_target(&mut self) {
        if self.random.next() & 1 == 0 {
            return self.program.push(Instruction::bare(Opcode::Nop));
        }
        let behind = self.program.label();
        self.branch(Opcode::Halt, None, [behind, behind]);
        self.program.place(behind);
        self.program.push(Instruction::bare(Opcode::Nop));
    }

    /// A forward `goto` of the channels for which a test fails: up to Gen9 it takes those, on Gen12
    /// the others.
    pub(super) fn leave_unless(&mut self, test: Test, targets: [Label; 2]) {
        let takes_true = self.generation() >= Generation::Gen12;
        let test = Test { inverse: test.inverse != takes_true, ..test };
        self.branch(Opcode::Goto, Some(test), targets);
    }

    /// `join` at the end of a block.
    pub(super) fn join(&mut self, end: Label, around: Around) {
        self.program.place(end);
        self.branch(Opcode::Join, None, [around.block_end; 2]);
    }

    pub(super) fn cross(&mut self, Crossing { tests, blocks }: &'t Crossing, around: Around) {
        let [first, second] = self.labels();
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

    /// A call; its routine stands behind the program.
    pub(super) fn call(&mut self, call: &'t Call, around: Around) {
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

    pub(super) fn routine(&mut self, Routine { start, call, program_end }: Routine<'t>) {
        let end = self.program.label();
        let calls = call.depth + 1;
        self.program.place(start);
        let inside = Around { levels: 0, block_end: end, ways_out: None, program_end, calls };
        self.block(&call.body, inside);
        self.program.place(end);
        self.ret(None, call.depth);
    }

    /// Back to where the routine of a depth was called.
    pub(super) fn ret(&mut self, when: Option<Test>, depth: u8) {
        let link = general(self.registers.link(depth), 0);
        let mut instruction = Instruction {
            execution_size: 2,
            first_channel: self.first,
            sources: [return_address(link), Source::ABSENT, Source::ABSENT],
            branch: Some(Branch::default()),
            ..Instruction::bare(Opcode::Ret)
        };
        when.into_iter().for_each(|test| predicate(&mut instruction, test));
        self.program.push(instruction);
    }
}
