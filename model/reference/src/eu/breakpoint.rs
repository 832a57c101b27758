//! The breakpoint registers of the instruction cache (G45 volume 4, section 3.4.4).

use parallax_isa::eu::case::DebugRegister;

/// What the host has written to them.
#[derive(Debug, Clone, Default)]
pub(super) struct BreakpointRegisters {
    /// Breakpoint Address 1 and 2.
    addresses: [u32; 2],
    /// Breakpoint Opcode 1 and 2.
    opcodes: [u32; 2],
}

/// Bit 0 of each of them.
const ENABLE: u32 = 1;
/// Bit 1 of Breakpoint Opcode 1.
const END_OF_THREAD_ENABLE: u32 = 1 << 1;

impl BreakpointRegisters {
    /// The host writes one of them.
    pub(super) fn write(&mut self, register: DebugRegister, value: u32) {
        let written = match register {
            DebugRegister::BreakpointAddress1 => &mut self.addresses[0],
            DebugRegister::BreakpointAddress2 => &mut self.addresses[1],
            DebugRegister::BreakpointOpcode1 => &mut self.opcodes[0],
            DebugRegister::BreakpointOpcode2 => &mut self.opcodes[1],
        };
        *written = value;
    }

    /// Whether one names the address of an instruction.
    pub(super) fn name_address(&self, address: u32) -> bool {
        self.addresses.iter().any(|register| {
            let is_enabled = register & ENABLE != 0;
            is_enabled && register >> 4 == address >> 4
        })
    }

    /// Whether one names an opcode; the first may be limited to instructions that end the thread.
    pub(super) fn name_opcode(&self, code: u8, ends_thread: bool) -> bool {
        let [first, second] = self
            .opcodes
            .map(|register| register & ENABLE != 0 && register >> 16 & 0xFF == u32::from(code));
        let first_is_limited = self.opcodes[0] & END_OF_THREAD_ENABLE != 0;
        first && (!first_is_limited || ends_thread) || second
    }
}
