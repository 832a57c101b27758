//! Which instructions have a breakpoint (G45 volume 4, sections 3.4.4 and 3.6).

use parallax_isa::eu::{Instruction, case::DebugRegister};
use parallax_spec::{decision, rule};

use super::{exception::Exception, rules::count, thread::Thread};

/// The breakpoint registers of the instruction cache.
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
}

impl Thread {
    /// Whether an instruction has a breakpoint: of its own, or by its address or opcode.
    pub(super) fn has_breakpoint(&self, instruction: &Instruction) -> bool {
        if instruction.breakpoint {
            count(rules!["g45": "dw0.debugctrl", "debug.bp.sources", "debug.bp.timing"]);
            return true;
        }
        decision!("D-eu-breakpoint-registers");
        if !self.is_at_breakpoint_address() && !self.is_breakpoint_opcode(instruction) {
            return false;
        }
        count(rules!["g45.debug.bp": "sources", "timing", "enable"]);
        self.is_enabled(Exception::Breakpoint)
    }

    fn is_at_breakpoint_address(&self) -> bool {
        let address = self.aligned(self.state.ip);
        let found = self.breakpoints.addresses.iter().any(|register| {
            let is_enabled = register & ENABLE != 0;
            is_enabled && register >> 4 == address >> 4
        });
        if found {
            rule!("g45.debug.l1.addr-bp");
        }
        found
    }

    fn is_breakpoint_opcode(&self, instruction: &Instruction) -> bool {
        let code = instruction.undefined_opcode().or(instruction.opcode.code(self.device));
        let ends_thread = instruction.message.is_some_and(|message| message.end_of_thread);
        let [first, second] = self.breakpoints.opcodes.map(|register| {
            register & ENABLE != 0 && Some(register >> 16 & 0xFF) == code.map(u32::from)
        });
        let first_is_limited = self.breakpoints.opcodes[0] & END_OF_THREAD_ENABLE != 0;
        let found = first && (!first_is_limited || ends_thread) || second;
        if found {
            rule!("g45.debug.l1.opc-bp");
        }
        found
    }
}
