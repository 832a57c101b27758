//! The system routine: how exceptions enter it and `cr0` leaves it (G45 volume 4, chapter 12);
//! notifications and `wait`.

use parallax_isa::eu::{
    Instruction,
    case::EventKind,
    instruction::SyncFunction,
    operand::Register,
    register::{ArfKind, RegisterFile},
    state::thread_dependency,
};
use parallax_isa::{Device, Outcome, device::Generation};

use super::{
    exception::Exception,
    thread::{Executed, Thread, Unpredictable},
};

/// Master Exception State, in `cr0.0`.
const MASTER: u32 = 1 << 31;
/// Host Notification Data, in `cr0.0`.
const HOST_NOTIFICATION_DATA: u32 = 1 << 8;
/// Breakpoint Suppress, in `cr0.0`.
const BREAKPOINT_SUPPRESS: u32 = 1 << 15;

impl Thread {
    fn in_system_routine(&self) -> bool {
        self.state.control[0] & MASTER != 0
    }

    fn is_enabled(&self, exception: Exception) -> bool {
        if exception == Exception::ExternalHalt && self.since(Generation::Gen7) {
            // Decision D-eu-later-exceptions.
            return true;
        }
        self.state.control[1] & exception.enable() != 0
    }

    fn has_status(&self, exception: Exception) -> bool {
        self.state.control[1] & exception.status() != 0
    }

    /// An exception happens: its status bit is set; if it is enabled, was not set already and the
    /// system routine does not run, the routine is entered next.
    pub(super) fn raise(&mut self, exception: Exception) {
        let lost = self.has_status(exception);
        self.state.control[1] |= exception.status();
        if !lost && !self.in_system_routine() && self.is_enabled(exception) {
            self.pending = Some(self.pending.map_or(exception, |other| {
                if (other as u8) < exception as u8 { other } else { exception }
            }));
        }
    }

    /// Whether an instruction has a breakpoint: of its own, or by its address or opcode (section 3.6).
    fn has_breakpoint(&mut self, instruction: &Instruction) -> bool {
        self.breakpoint_registers = [false; 2];
        if instruction.breakpoint {
            return true;
        }
        // Decision D-eu-breakpoint-registers.
        let code = instruction.undefined_opcode().or(instruction.opcode.code(self.device));
        let ends_thread = instruction.message.is_some_and(|message| message.end_of_thread);
        let by_address = self.breakpoints.name_address(self.aligned(self.state.ip));
        let by_opcode = code.is_some_and(|code| self.breakpoints.name_opcode(code, ends_thread));
        self.breakpoint_registers = [by_address, by_opcode];
        (by_address || by_opcode) && self.is_enabled(Exception::Breakpoint)
    }

    /// The exception for which the system routine is entered instead of executing `next`, if
    /// there is one.
    pub(super) fn recognise(&mut self, next: Option<&Instruction>) -> Option<Exception> {
        // Decision D-eu-exception-entry.
        if let Some(pending) = self.pending.take() {
            return Some(pending);
        }
        let breakpoint = next.is_some_and(|instruction| self.has_breakpoint(instruction));
        if self.in_system_routine() {
            if breakpoint {
                self.raise(Exception::Breakpoint);
            }
            return None;
        }
        let lasting = Exception::LASTING[1..].iter().copied();
        let mut lasting =
            lasting.filter(|&exception| self.has_status(exception) && self.is_enabled(exception));
        let lasting = lasting.next();
        if breakpoint || self.has_status(Exception::Breakpoint) {
            let enabled = self.is_enabled(Exception::Breakpoint);
            if enabled && self.state.control[0] & BREAKPOINT_SUPPRESS != 0 {
                if lasting.is_none() {
                    self.state.control[0] &= !BREAKPOINT_SUPPRESS;
                }
            } else {
                self.state.control[1] |= Exception::Breakpoint.status();
                if enabled {
                    return Some(Exception::Breakpoint);
                }
            }
        }
        lasting
    }

    /// Enters the system routine: AIP = IP, the master bit is set, IP = SIP. Without a system
    /// routine the run ends.
    pub(super) fn enter_system_routine(&mut self, exception: Exception) -> Result<(), Outcome> {
        let Some(system_routine) = self.system_routine else {
            return Err(Outcome::Exception(exception.name().to_owned()));
        };
        self.state.control[2] = self.aligned(self.state.ip);
        self.state.control[0] |= MASTER;
        self.state.ip = self.aligned(system_routine);
        Ok(())
    }

    /// `illegal`, or an opcode without an operation: raises its exception before it is issued; if it
    /// is issued anyway it does nothing.
    pub(super) fn recognise_illegal(&mut self) -> Option<Exception> {
        self.raise(Exception::IllegalOpcode);
        self.pending.take()
    }

    /// Gives `cr0` the value that a write leaves: status bits of exceptions that hardware alone
    /// raises can only be cleared, and clearing the master bit returns from the system routine.
    pub(super) fn settle_control(&mut self, before: [u32; 3]) {
        let [written0, written1, written2] = self.state.control;
        let was_in_system_routine = before[0] & MASTER != 0;
        let returns = was_in_system_routine && written0 & MASTER == 0;
        let master = if returns { 0 } else { before[0] & MASTER };
        self.state.control[0] = master | written0 & self.stored_modes();

        // Decision D-eu-status-write.
        let hardware_only = if self.since(Generation::Gen7) { 0x1800_0000 } else { 0x1F00_0000 };
        let settable = 0xC000_0000;
        let software = Exception::Software.status();
        let kept_software = if was_in_system_routine { 0 } else { before[1] & software };
        let enables = match self.device {
            Device::Bw | Device::Cl => 0xF000,
            _ if self.since(Generation::Gen7) => {
                // Decision D-eu-later-exceptions.
                0xB800
            }
            _ => 0xF800,
        };
        self.state.control[1] = written1 & (settable | software | enables)
            | kept_software
            | written1 & before[1] & hardware_only;

        self.state.control[2] = self.aligned(written2);
        if returns {
            self.jump(self.state.control[2]);
        }
    }

    /// The bits of `cr0.0` that a device has, but for the master bit.
    fn stored_modes(&self) -> u32 {
        if self.since(Generation::Gen8) {
            0x84FF
        } else if self.since(Generation::Gen7) {
            0x807F
        } else {
            0x8107
        }
    }

    /// The notification counts of Gen7 and later, which are one register.
    fn arrive_later(&mut self, event: EventKind) {
        let counts = &mut self.state.notification_count;
        match event {
            EventKind::ThreadNotification => counts[0] = counts[0].wrapping_add(1) & 0xFFFF,
            EventKind::HostNotification => counts[1] = 1,
            EventKind::ExternalHalt => {
                self.state.control[1] |= Exception::ExternalHalt.status();
            }
            EventKind::ThreadRetired { thread } => self.retire(thread),
            EventKind::ContextSwitch => {
                self.state.timestamp_event = 1;
            }
            EventKind::AttentionClear | EventKind::DebugRegister { .. } => {}
        }
    }

    /// A thread has ended: what depends on it does so no longer.
    fn retire(&mut self, thread: u8) {
        if self.device.generation() >= Some(Generation::Gen12) {
            return;
        }
        for dependency in &mut self.state.thread_dependency {
            if *dependency & thread_dependency::THREAD == u16::from(thread) {
                *dependency &= !thread_dependency::VALID;
            }
        }
    }

    /// Whether a `sendc` has to wait: a thread that this one depends on is still in flight.
    pub(super) fn depends_on_a_thread(&self) -> bool {
        let mut dependencies = self.state.thread_dependency.iter();
        dependencies.any(|dependency| dependency & thread_dependency::VALID != 0)
    }

    /// Something arrives from outside.
    pub(super) fn arrive(&mut self, event: EventKind) {
        if self.since(Generation::Gen7) {
            return self.arrive_later(event);
        }
        match event {
            EventKind::ExternalHalt => {
                self.state.control[1] |= Exception::ExternalHalt.status();
            }
            EventKind::ThreadNotification => {
                let width = if self.device == Device::G45 { 0xFFFF } else { 0x7F };
                self.state.notification[0] = self.state.notification[0].wrapping_add(1) & width;
            }
            EventKind::HostNotification => {
                self.state.notification[1] = 1;
            }
            EventKind::AttentionClear => {
                self.state.notification[1] = 1;
                self.state.control[0] &= !HOST_NOTIFICATION_DATA;
            }
            EventKind::DebugRegister { register, value } => {
                self.breakpoints.write(register, value);
            }
            EventKind::ThreadRetired { .. } | EventKind::ContextSwitch => {}
        }
    }

    /// `wait`: takes one notification; `false` if there is none and the thread stalls.
    pub(super) fn wait(&mut self, instruction: &Instruction) -> Executed<bool> {
        if self.since(Generation::Gen7) {
            return self.wait_later(instruction);
        }
        let number = match instruction.destination.register {
            register @ Register::Direct { file: RegisterFile::Arf, number, .. }
                if register.arf() == Some(ArfKind::Notification) && number & 0xF < 2 =>
            {
                usize::from(number & 0xF)
            }
            _ => return Err(Unpredictable("wait names no notification register".to_owned())),
        };
        let count = &mut self.state.notification[number];
        if *count == 0 {
            return Ok(false);
        }
        *count -= 1;
        Ok(true)
    }

    /// `wait` on Gen7 and later: the counts are subregisters of `n0`.
    fn wait_later(&mut self, instruction: &Instruction) -> Executed<bool> {
        let number = match instruction.destination.register {
            register @ Register::Direct { file: RegisterFile::Arf, number, subregister }
                if register.arf() == Some(ArfKind::Notification) && number & 0xF == 0 =>
            {
                usize::from(subregister / 4)
            }
            _ => 3,
        };
        let taken = self.take_notification(number);
        taken.ok_or_else(|| Unpredictable("wait names no notification count".to_owned()))
    }

    /// Takes one of the notifications of a count, if there is one; nothing if there is no such count.
    fn take_notification(&mut self, number: usize) -> Option<bool> {
        let count = self.state.notification_count.get_mut(number)?;
        let taken = *count != 0;
        *count -= u32::from(taken);
        Some(taken)
    }

    /// `sync` (Gen12): one instruction ends before the next begins here, so that only notifications are
    /// waited for; `false` if there is none.
    pub(super) fn sync(&mut self, instruction: &Instruction) -> Executed<bool> {
        let Some(function) = instruction.sync else {
            return Err(Unpredictable("sync without a function".to_owned()));
        };
        let count_of = match function {
            SyncFunction::Nop | SyncFunction::AllRead | SyncFunction::AllWritten => {
                return Ok(true);
            }
            SyncFunction::Barrier => 0,
            SyncFunction::Host => 1,
        };
        Ok(self.take_notification(count_of).unwrap_or_default())
    }
}
