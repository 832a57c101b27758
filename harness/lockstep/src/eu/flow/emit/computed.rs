//! What computed values decide: jumps, addresses of the general registers, one of some blocks; and what raises
//! an exception or waits.

use parallax_isa::{
    device::Generation,
    eu::{
        DataType, Instruction, Opcode,
        decode::NATIVE_BYTES,
        instruction::SyncFunction,
        operand::{Region, Register, Source, SourceModifier, VerticalStride},
        register::{ArfKind, RegisterFile},
    },
};

use super::{
    super::{
        instructions::{
            IP, architecture, constant, general, jmpi, scalar, scalar_move, single, sync, to, wait,
        },
        program::{Goal, Label},
        tree::{Access, Block, Event, JumpForm, SWITCH, Test},
    },
    Around, Emitter, predicate,
    values::packed,
};

/// Most channels with an address each, or of a store: they fill a register.
const MOST: u8 = 8;

/// Software Exception Status, in `cr0.1`.
const SOFTWARE: u32 = 1 << 29;

impl<'t> Emitter<'t> {
    /// Addresses from a variable's low words, then a load or a store that goes there.
    pub(super) fn access(&mut self, access: Access) {
        let Access { index, value, base, subregister, store, each } = access;
        let width = self.width.min(MOST);
        // Doublewords for channels on their own, else whole registers of a table.
        let (channels, mask, subregister) =
            if each { (width, 0x1FC, 0) } else { (1, 0x1E0, subregister) };
        self.addresses(index, channels, subregister, (mask, base));
        let place = Register::Indirect {
            file: RegisterFile::Grf,
            address_subregister: subregister,
            offset: 0,
        };
        let variable = general(self.registers.variable(value), 0);
        let per_channel =
            Region::Align1 { vertical: VerticalStride::PerRowAddress, width: 1, horizontal: 0 };
        let (into, from, region) = match (store, each && width > 1) {
            (true, _) => (place, variable, packed(width)),
            (false, true) => (variable, place, per_channel),
            (false, false) => (variable, place, packed(width)),
        };
        let (data_type, modifier) = (DataType::D, SourceModifier::default());
        let source = Source::Register { register: from, data_type, region, modifier };
        self.program.push(Instruction {
            execution_size: width,
            first_channel: self.first,
            destination: to(into, data_type),
            sources: [source, Source::ABSENT, Source::ABSENT],
            ..Instruction::bare(Opcode::Mov)
        });
    }

    /// Some bits of the low words of a variable, behind the first register of a table, into address
    /// subregisters.
    fn addresses(&mut self, index: u8, channels: u8, subregister: u8, (mask, base): (u32, u8)) {
        let (data_type, modifier) = (DataType::Uw, SourceModifier::default());
        let address = architecture(ArfKind::Address, 2 * subregister);
        let words = |stride: u8| match channels {
            1 => Region::SCALAR,
            width => Region::Align1 {
                vertical: VerticalStride::Elements(stride * width),
                width,
                horizontal: stride,
            },
        };
        let of = |register, stride| Source::Register {
            register,
            data_type,
            region: words(stride),
            modifier,
        };
        let low = of(general(self.registers.variable(index), 0), 2);
        let mut set = |opcode, source, bits: u32| {
            let sources = [source, constant(data_type, bits * 0x1_0001)];
            let set = single(opcode, to(address, data_type), sources);
            self.program.push(Instruction { execution_size: channels, ..set });
        };
        set(Opcode::And, low, mask);
        if base > 0 {
            set(Opcode::Add, of(address, 1), 32 * u32::from(base));
        }
    }

    /// A jump into a table of jumps to the blocks.
    pub(super) fn switch(&mut self, selector: u8, blocks: &'t [Block; SWITCH], around: Around) {
        let (index, data_type) = (general(self.registers.jump_index, 0), DataType::D);
        let generation = self.generation();
        let value = scalar(general(self.registers.variable(selector), 0), data_type);
        // An entry is an instruction; on Gen12 steps count from the jump itself.
        let entry = (NATIVE_BYTES as i32 / self.program.jump_unit()).ilog2();
        let mut set = |opcode, source, bits| {
            let sources = [source, constant(data_type, bits)];
            self.program.push(single(opcode, to(index, data_type), sources));
        };
        set(Opcode::And, value, SWITCH as u32 - 1);
        if entry > 0 {
            set(Opcode::Shl, scalar(index, data_type), entry);
        }
        if generation >= Generation::Gen12 {
            set(Opcode::Add, scalar(index, data_type), 16);
        }
        let first_channel = self.first;
        let jump = jmpi(generation, scalar(index, data_type));
        self.program.push_full(Instruction { first_channel, ..jump });
        let starts = self.labels::<SWITCH>();
        for start in starts {
            self.jump(JumpForm::Index, None, start);
        }
        let behind = self.program.label();
        for (block, start) in blocks.iter().zip(starts) {
            self.program.place(start);
            self.block(block, around);
            self.jump(JumpForm::Index, None, behind);
        }
        self.program.place(behind);
    }

    pub(super) fn event(&mut self, event: Event) {
        match event {
            Event::Software => {
                let control = architecture(ArfKind::Control, 4);
                let sources = [scalar(control, DataType::Ud), constant(DataType::Ud, SOFTWARE)];
                self.program.push(single(Opcode::Or, to(control, DataType::Ud), sources));
            }
            Event::Illegal => {
                // Channels that wait at what the system routine skips would wait for ever.
                if !self.has_mask_stacks() {
                    self.program.push(Instruction::bare(Opcode::Nop));
                }
                self.program.push_full(Instruction::bare(Opcode::Illegal));
            }
            Event::Breakpoint => {
                let nop = Instruction { breakpoint: true, ..Instruction::bare(Opcode::Nop) };
                self.program.push_full(nop);
            }
            // Gen12 has `sync` in its place, whose function says which notification.
            Event::Wait if self.generation() >= Generation::Gen12 => {
                self.program.push(sync(SyncFunction::Barrier));
            }
            Event::Wait => {
                self.program.push(wait(architecture(ArfKind::Notification, 0)));
                if self.has_mask_stacks() {
                    self.program.push(Instruction::bare(Opcode::Nop));
                }
            }
        }
    }

    /// A jump of the thread as a whole.
    pub(super) fn jump(&mut self, form: JumpForm, when: Option<Test>, target: Label) {
        let (ip, data_type) = (to(architecture(IP, 0), DataType::Ud), DataType::Ud);
        let from_ip = scalar(architecture(IP, 0), DataType::Ud);
        let first_channel = self.first;
        let conditional = |mut instruction: Instruction| {
            when.into_iter().for_each(|test| predicate(&mut instruction, test));
            Instruction { first_channel, ..instruction }
        };
        let generation = self.generation();
        match form {
            JumpForm::Index => {
                let jump = conditional(jmpi(generation, constant(DataType::D, 0)));
                self.program.lead(jump, Goal::Jump(target));
            }
            JumpForm::IndexRegister => {
                let index = general(self.registers.jump_index, 0);
                let load = scalar_move(to(index, DataType::D), constant(DataType::D, 0));
                let jump = self.program.next() + NATIVE_BYTES;
                let base = self.program.jump_base(jump);
                self.program.lead(load, Goal::Index { label: target, base });
                // The jump must not be shorter than the distance counts on.
                let jump = jmpi(generation, scalar(index, DataType::D));
                self.program.push_full(conditional(jump));
            }
            JumpForm::Absolute => {
                let mov = conditional(scalar_move(ip, constant(data_type, 0)));
                self.program.lead(mov, Goal::Absolute(target));
            }
            JumpForm::Relative => {
                let add = single(Opcode::Add, ip, [from_ip, constant(data_type, 0)]);
                self.program.lead(conditional(add), Goal::Relative(target));
            }
        }
    }
}
