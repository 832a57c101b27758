//! The system routine: how exceptions enter it and `cr0` leaves it (G45 volume 4, chapter 12);
//! notifications and `wait`.

use parallax_isa::eu::{
    Instruction,
    case::EventKind,
    operand::Register,
    register::{ArfKind, RegisterFile},
    state::control,
};
use parallax_isa::{Device, Outcome};
use parallax_spec::{decision, rule};

use super::rules::{Rules, count};
use super::{
    exception::Exception,
    thread::{Executed, Thread, Unpredictable},
};

/// Master Exception State, in `cr0.0`.
const MASTER: u32 = 1 << 31;
/// Breakpoint Suppress, in `cr0.0`.
const BREAKPOINT_SUPPRESS: u32 = 1 << 15;

impl Thread {
    fn in_system_routine(&self) -> bool {
        self.state.control[0] & MASTER != 0
    }

    fn is_enabled(&self, exception: Exception) -> bool {
        rule!("g45.exc.enables");
        self.state.control[1] & exception.enable() != 0
    }

    fn has_status(&self, exception: Exception) -> bool {
        self.state.control[1] & exception.status() != 0
    }

    /// An exception happens: its status bit is set; if it is enabled, was not set already and the
    /// system routine does not run, the routine is entered next.
    pub(super) fn raise(&mut self, exception: Exception) {
        count(rules!["g45.exc": "types", "disabled-status"]);
        let lost = self.has_status(exception);
        self.state.control[1] |= exception.status();
        if lost {
            rule!("g45.exc.one-per-type");
        } else if self.in_system_routine() {
            rule!("g45.exc.no-nesting");
        } else if self.is_enabled(exception) {
            self.pending = Some(self.pending.map_or(exception, |other| {
                if (other as u8) < exception as u8 { other } else { exception }
            }));
        }
    }

    /// The exception for which the system routine is entered instead of executing `next`, if
    /// there is one.
    pub(super) fn recognise(&mut self, next: Option<&Instruction>) -> Option<Exception> {
        decision!("D-eu-exception-entry");
        if let Some(pending) = self.pending.take() {
            return Some(pending);
        }
        let breakpoint = next.is_some_and(|instruction| instruction.breakpoint);
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
            count(rules!["g45": "exc.breakpoint", "dw0.debugctrl"]);
            let enabled = self.is_enabled(Exception::Breakpoint);
            if enabled && self.state.control[0] & BREAKPOINT_SUPPRESS != 0 {
                count(rules!["g45": "cr.bp-suppress", "exc.singlestep", "cr.status-set-sticky"]);
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
        count(match lasting {
            Some(Exception::Software) => rules!["g45.exc": "software", "reenter"],
            Some(Exception::ExternalHalt) => rules!["g45.exc": "halt", "reenter"],
            _ => rules![],
        });
        lasting
    }

    /// Enters the system routine: AIP = IP, the master bit is set, IP = SIP. Without a system
    /// routine the run ends.
    pub(super) fn enter_system_routine(&mut self, exception: Exception) -> Result<(), Outcome> {
        let Some(system_routine) = self.system_routine else {
            return Err(Outcome::Exception(exception.name().to_owned()));
        };
        count(ENTRY);
        self.state.control[2] = self.state.ip & !0xF;
        self.state.control[0] |= MASTER;
        self.state.ip = system_routine & !0xF;
        Ok(())
    }

    /// `illegal`, or an opcode without an operation: raises its exception before it is issued; if it
    /// is issued anyway it does nothing.
    pub(super) fn recognise_illegal(&mut self, instruction: &Instruction) -> Option<Exception> {
        if instruction.undefined_opcode().is_some() {
            count(rules!["g45": "exc.undefined-opcode", "opcode.reserved", "asm.defeatured"]);
        }
        count(rules!["g45": "exc.illegal", "inst.illegal.semantics", "special.illegal-use"]);
        self.raise(Exception::IllegalOpcode);
        self.pending.take()
    }

    /// Gives `cr0` the value that a write leaves: status bits of exceptions that hardware alone
    /// raises can only be cleared, and clearing the master bit returns from the system routine.
    pub(super) fn settle_control(&mut self, before: [u32; 3]) {
        let [written0, written1, written2] = self.state.control;
        let was_in_system_routine = before[0] & MASTER != 0;
        let returns = was_in_system_routine && written0 & MASTER == 0;
        count(CONTROL_WRITE);
        if written0 & control::ACCUMULATOR_DISABLE != 0 {
            rule!("g45.sysroutine.acc-disable");
        }
        if was_in_system_routine && before[1] & !written1 & 0xFF00_0000 != 0 {
            rule!("g45.sysroutine.service-structure");
        }
        let master = if returns { 0 } else { before[0] & MASTER };
        self.state.control[0] = master | written0 & 0x0000_8107;

        decision!("D-eu-status-write");
        let hardware_only = 0x1F00_0000;
        let settable = 0xC000_0000;
        let software = Exception::Software.status();
        let kept_software = if was_in_system_routine { 0 } else { before[1] & software };
        let enables = match self.device {
            Device::Bw | Device::Cl => {
                rule!("g45.cr.mask-bw");
                0xF000
            }
            _ => 0xF800,
        };
        self.state.control[1] = written1 & (settable | software | enables)
            | kept_software
            | written1 & before[1] & hardware_only;

        self.state.control[2] = written2 & !0xF;
        if returns {
            count(rules!["g45": "exc.return", "sysroutine.master-exit"]);
            self.jump(self.state.control[2]);
        }
    }

    /// Something arrives from outside.
    pub(super) fn arrive(&mut self, event: EventKind) {
        match event {
            EventKind::ExternalHalt => {
                rule!("g45.exc.halt");
                self.state.control[1] |= Exception::ExternalHalt.status();
            }
            EventKind::ThreadNotification => {
                count(rules!["g45": "inst.wait.wake", "notif.n0-width"]);
                let width = if self.device == Device::G45 { 0xFFFF } else { 0x7F };
                self.state.notification[0] = self.state.notification[0].wrapping_add(1) & width;
            }
            EventKind::HostNotification => {
                count(rules!["g45.notif": "n1-width", "host-collapse"]);
                self.state.notification[1] = 1;
            }
        }
    }

    /// `wait`: takes one notification; `false` if there is none and the thread stalls.
    pub(super) fn wait(&mut self, instruction: &Instruction) -> Executed<bool> {
        let number = match instruction.destination.register {
            register @ Register::Direct { file: RegisterFile::Arf, number, .. }
                if register.arf() == Some(ArfKind::Notification) && number & 0xF < 2 =>
            {
                usize::from(number & 0xF)
            }
            _ => return Err(Unpredictable("wait names no notification register".to_owned())),
        };
        count(WAIT);
        let count = &mut self.state.notification[number];
        if *count == 0 {
            return Ok(false);
        }
        rule!("g45.inst.wait.one-per");
        *count -= 1;
        Ok(true)
    }
}

// What the manual says in several places.

const ENTRY: Rules = rules!["g45": "exc.entry", "exc.no-app-issue", "exc.state-shared",
    "exc.masks-inherited", "gen.term.aip", "gen.term.sip", "cr.aip", "cr.aip-values",
    "exc.registers"];
const WAIT: Rules = rules!["g45": "inst.wait.semantics", "inst.wait.registers",
    "inst.wait.acc-update", "notif.wait-block", "notif.properties"];
const CONTROL_WRITE: Rules =
    rules!["g45": "cr.master", "cr.status-sw-write", "cr.software-raise", "exc.aip-stable"];
