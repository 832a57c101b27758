//! Breakpoints that the host sets for an address or an opcode (G45 volume 4, section 3.4.4).

use parallax_isa::eu::case::DebugRegister;

/// The registers that the host has written.
#[derive(Clone, Copy, Default)]
pub(super) struct Breakpoints {
    /// The addresses, as numbers of 16-byte slots.
    slots: [Option<u32>; 2],
    opcodes: [Option<Opcode>; 2],
}

#[derive(Clone, Copy)]
struct Opcode {
    code: u8,
    /// Only where the instruction ends the thread.
    at_end_only: bool,
}

/// What they look at of an instruction.
#[derive(Clone, Copy)]
pub(super) struct Looked {
    pub(super) opcode: u8,
    pub(super) ends_thread: bool,
}

impl Breakpoints {
    /// The host writes a register.
    pub(super) fn write(&mut self, register: DebugRegister, value: u32) {
        let is_on = value & 1 == 1;
        let slot = is_on.then_some(value >> 4);
        let opcode =
            |at_end_only| is_on.then_some(Opcode { code: (value >> 16) as u8, at_end_only });
        match register {
            DebugRegister::BreakpointAddress1 => self.slots[0] = slot,
            DebugRegister::BreakpointAddress2 => self.slots[1] = slot,
            DebugRegister::BreakpointOpcode1 => self.opcodes[0] = opcode(value & 2 == 2),
            DebugRegister::BreakpointOpcode2 => self.opcodes[1] = opcode(false),
        }
    }

    /// Whether none is set.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.slots == [None; 2] && self.opcodes.iter().all(Option::is_none)
    }

    /// Whether the instruction at an address has one.
    pub(super) fn hit(&self, ip: u32, instruction: Looked) -> bool {
        self.slots.contains(&Some(ip >> 4))
            || self.opcodes.iter().flatten().any(|opcode| {
                opcode.code == instruction.opcode
                    && (instruction.ends_thread || !opcode.at_end_only)
            })
    }
}
