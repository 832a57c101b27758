//! Blocks that instructions on mask stacks surround.

use parallax_isa::eu::{DataType, Opcode, register::ArfKind};

use super::{
    super::{
        instructions::{architecture, mask_stack, scalar, single, to},
        tree::{Block, Test, Wrap},
    },
    Around, Emitter,
};

impl<'t> Emitter<'t> {
    /// A conditional block whose IMask is pushed, combined with a flag, and restored.
    pub(super) fn masked(&mut self, test: Test, then: &'t Block, inside: Around) {
        let imask = architecture(ArfKind::Mask, 2);
        self.program.push(mask_stack(Opcode::Push, 0, 1, 0));
        let flag = architecture(ArfKind::Flag, 2 * test.flag);
        let sources = [scalar(imask, DataType::Uw), scalar(flag, DataType::Uw)];
        self.program.push(single(Opcode::And, to(imask, DataType::Uw), sources));
        self.block(then, inside);
        self.program.push(mask_stack(Opcode::Mrest, 0, 1, 0));
    }

    pub(super) fn wrapped(&mut self, wrap: Wrap, body: &'t Block, around: Around) {
        let (before, after) = match wrap {
            Wrap::PushPop => (Opcode::Push, Opcode::Pop),
            Wrap::SaveRestore => (Opcode::Msave, Opcode::Mrest),
            Wrap::PushRestore => (Opcode::Push, Opcode::Mrest),
        };
        self.program.push(mask_stack(before, 0, 1, 0));
        self.block(body, Around { levels: around.levels + 1, ..around });
        self.program.push(mask_stack(after, 0, 1, 1));
    }
}
