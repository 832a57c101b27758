//! The thread whose program runs: its registers and what the reference keeps beside them.

use std::{cell::Cell, mem::offset_of, ops::Range};

use parallax_isa::{
    Acceptance, Device, Expectation, Extent, Image,
    device::Generation,
    eu::{
        State,
        case::EventKind,
        operand::Register,
        register::{ArfKind, REGISTER_BYTES, RegisterFile},
        state::{ACCUMULATOR_COUNT, GRF_COUNT, control, thread_dependency},
    },
    shared::{Environment, LaunchMemory, Rendering, Sampling},
};

use super::{
    breakpoint::BreakpointRegisters,
    exception::Exception,
    number::{ExecutionType, FloatMode},
    record::{Observer, Record, Sent},
};
use crate::shared::{Past, SharedFunction, ThreadStart};

/// Why an instruction cannot be executed: what it does has no defined effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unpredictable(pub(super) String);

/// What an instruction's execution comes to: done, or not executable.
pub(super) type Executed<T = ()> = Result<T, Unpredictable>;

const _: () = assert!(offset_of!(State, grf) == 0, "the image begins with the general registers");

/// How operands are read, and what that has to do with the instruction.
#[derive(Debug, Default)]
pub(super) struct Readings {
    /// The other readings that are in force: a bit for each.
    pub(super) taken: u8,
    /// Those that the instruction has met.
    pub(super) met: Cell<u8>,
    /// What was written, if that is of interest.
    pub(super) written: Option<Vec<Extent>>,
}

impl Readings {
    /// Whether one is in force that is not the first.
    pub(super) fn is_other(&self) -> bool {
        self.taken != 0
    }

    /// Notes that a place is written.
    pub(super) fn wrote(&mut self, place: Extent) {
        if let Some(written) = &mut self.written {
            written.push(place);
        }
    }
}

/// One execution unit thread.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) device: Device,
    pub(super) state: Box<State>,
    /// The execution type in which each accumulator channel was last written; `None` where it is
    /// as the case gave it. Needed for decision D-eu-acc-mode only.
    pub(super) accumulator_mode: [[Option<ExecutionType>; 16]; ACCUMULATOR_COUNT],
    /// The places of this step whose result is not one exact bit pattern.
    pub(super) expectations: Vec<Expectation>,
    /// A bit for each general register that was written since the state was last kept.
    pub(super) written_general: u128,
    /// Ranges of memory in the state image that this step wrote.
    pub(super) written: Vec<Range<usize>>,
    /// Byte offset of the instruction being executed.
    pub(super) instruction_offset: u32,
    /// Byte offset of the instruction to be executed after it.
    pub(super) next_offset: u32,
    /// The instruction there is passed over.
    pub(super) passes_next: bool,
    /// What gives instructions a breakpoint beside their own bit.
    pub(super) breakpoints: BreakpointRegisters,
    /// Byte offset of the system routine (SIP).
    pub(super) system_routine: Option<u32>,
    /// What answers messages, if something does.
    pub(super) shared_function: Option<&'static dyn SharedFunction>,
    /// The memory of the launch that it is a part of, if it is.
    pub(super) launch: Option<Box<LaunchMemory>>,
    /// Bytes of shared local memory that the case has.
    pub(super) local_bytes: usize,
    /// What messages meet beside memory.
    pub(super) environment: Option<Box<Environment>>,
    /// What those to the Sampling Engine meet.
    pub(super) sampling: Option<Box<Sampling>>,
    /// What render target writes meet.
    pub(super) rendering: Option<Box<Rendering>>,
    /// `r0` to `r2` as the case gave them.
    pub(super) start: ThreadStart,
    /// What its messages left behind.
    pub(super) past: Past,
    /// An exception for which the system routine is still to be entered.
    pub(super) pending: Option<Exception>,
    /// How operands are read where that is unspecified.
    pub(super) readings: Readings,
    /// The number of the program, for observers.
    pub(super) program_number: u64,
    /// What the data instruction under way read and wrote.
    pub(super) record: Box<Record>,
    /// The channels for which the branch under way is taken, and the others that execute it.
    pub(super) division: [u32; 2],
    /// Whether the instruction under way says where the thread goes on.
    pub(super) jumps: bool,
    /// The message that it has sent, of two the second one.
    pub(super) sent: Option<Sent>,
    /// What arrived from outside before it.
    pub(super) arrived: Vec<EventKind>,
    /// Whether breakpoint registers name its address, and its opcode.
    pub(super) breakpoint_registers: [bool; 2],
    /// Who looks at it.
    pub(super) observer: Option<Observer>,
}

impl Thread {
    /// Whether other threads of its group may let it go on.
    pub(super) fn waits_for_group(&self) -> bool {
        self.launch.as_ref().is_some_and(|launch| launch.group.threads > 1)
    }

    /// Whether the generation is this one or a later one.
    pub(super) fn since(&self, generation: Generation) -> bool {
        self.device.generation() >= Some(generation)
    }

    /// Floating point mode at this moment.
    pub(super) fn float_mode(&self) -> FloatMode {
        if self.state.control[0] & control::ALTERNATIVE_FLOAT_MODE == 0 {
            FloatMode::Ieee
        } else {
            FloatMode::Alternative
        }
    }

    /// Single program flow (bit 2 of `cr0.0`).
    pub(super) fn single_program_flow(&self) -> bool {
        self.state.control[0] & control::SINGLE_PROGRAM_FLOW != 0
    }

    /// Implicit accumulator updates are off (bit 1 of `cr0.0`).
    pub(super) fn accumulator_disable(&self) -> bool {
        self.state.control[0] & control::ACCUMULATOR_DISABLE != 0
    }

    /// The address of the instruction being executed: before Gen7 both halves of a 16-byte slot have
    /// the slot's.
    pub(super) fn instruction_pointer(&self) -> u32 {
        self.aligned(self.instruction_offset)
    }

    /// Continues at an address. Its low four bits, from Gen7 on three, are not stored.
    pub(super) fn jump(&mut self, address: u32) {
        self.next_offset = self.aligned(address);
        self.jumps = true;
    }

    /// An address without the bits that are not stored.
    pub(super) fn aligned(&self, address: u32) -> u32 {
        if self.since(Generation::Gen7) { address & !0x7 } else { address & !0xF }
    }

    /// Adds an expectation for a place of this step.
    pub(super) fn expect(&mut self, extent: Extent, acceptance: Acceptance) {
        if extent.mask != 0 {
            self.expectations.push(Expectation { extent, acceptance });
        }
    }

    /// Writes a place of a register.
    pub(super) fn write_register(&mut self, place: Extent, bits: u64) {
        place.write(self.state.image_mut(), bits);
        self.readings.wrote(place);
        let Range { start, end } = place.range();
        for register in start / REGISTER_BYTES..end.div_ceil(REGISTER_BYTES).min(GRF_COUNT) {
            self.written_general |= 1 << register;
        }
    }

    /// Writes an element. What was open there in this step, as the first half of a compressed
    /// instruction may leave it, is so no more; the rest of an element of which only a part is
    /// written over stays open.
    pub(super) fn write_element(&mut self, element: Extent, bits: u64) {
        self.write_register(element, bits);
        self.expectations.retain_mut(|open| {
            open.narrow(element);
            open.extent.mask != 0
        });
    }

    /// Whether the value at a place is exact. It is not where the first half of a compressed
    /// instruction, in this same step, has put a result that is open.
    pub(super) fn is_settled(&self, place: Extent) -> bool {
        let range = place.range();
        !self.expectations.iter().any(|open| {
            let open = open.extent.range();
            open.start < range.end && range.start < open.end
        })
    }

    /// The value of an element of a register, little-endian.
    pub(super) fn element(&self, offset: usize, bytes: usize) -> u64 {
        Extent::whole(offset, bytes).read(self.state.image())
    }
}

/// Whether a register is `tm0`, of which no bytes but TmEvent are state.
pub(super) fn is_timestamp(device: Device, register: Register) -> bool {
    let is_first = matches!(register, Register::Direct { number, .. } if number & 0xF == 0);
    let kind = device.generation().and_then(|generation| register.arf_on(generation));
    is_first && kind == Some(ArfKind::Timestamp)
}

/// An architecture register that is a run of bytes of the state: all but null and accumulators.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArchitectureRegister {
    kind: ArfKind,
    /// First byte in the state image.
    pub(super) start: usize,
    /// Number of bytes.
    pub(super) bytes: usize,
}

impl ArchitectureRegister {
    /// The register an operand names.
    pub(super) fn of(device: Device, register: Register) -> Option<Self> {
        match register {
            Register::Direct { file: RegisterFile::Arf, number, .. } => {
                Self::named(device, register.arf_on(device.generation()?)?, number)
            }
            _ => None,
        }
    }

    /// The register of a kind and number.
    pub(super) fn named(device: Device, kind: ArfKind, number: u8) -> Option<Self> {
        if device.generation() >= Some(Generation::Gen7) {
            return Self::named_later(device, kind, number);
        }
        let (start, bytes) = match (kind, number & 0xF) {
            (ArfKind::Address, 0) => (offset_of!(State, address), 16),
            (ArfKind::Flag, 0) => (offset_of!(State, flag), 4),
            (ArfKind::Mask, 0) => (offset_of!(State, mask), 8),
            (ArfKind::MaskStack, 0) => (offset_of!(State, mask_stack), 32),
            (ArfKind::MaskStackDepth, 0) => (offset_of!(State, mask_stack_depth), 4),
            (ArfKind::State, 0) => (offset_of!(State, status), 8),
            (ArfKind::Control, 0) => (offset_of!(State, control), 12),
            (ArfKind::Notification, number @ 0..=1) => {
                (offset_of!(State, notification) + 4 * usize::from(number), 4)
            }
            (ArfKind::InstructionPointer, 0) => (offset_of!(State, ip), 4),
            _ => return None,
        };
        Some(Self { kind, start, bytes })
    }
}

impl ArchitectureRegister {
    /// The register of a kind and number on Gen7 and later: no masks and stacks, two flag registers, one
    /// notification register, from Gen8 on sixteen address words.
    fn named_later(device: Device, kind: ArfKind, number: u8) -> Option<Self> {
        let (start, bytes) = match (kind, number & 0xF) {
            (ArfKind::Address, 0) if device.generation() >= Some(Generation::Gen8) => {
                (offset_of!(State, address), 32)
            }
            (ArfKind::Address, 0) => (offset_of!(State, address), 16),
            (ArfKind::Flag, number @ 0..=1) => {
                (offset_of!(State, flag) + 4 * usize::from(number), 4)
            }
            (ArfKind::State, 0) => (offset_of!(State, status), 16),
            (ArfKind::Control, 0) => (offset_of!(State, control), 12),
            (ArfKind::Notification, 0) => (offset_of!(State, notification_count), 12),
            (ArfKind::ThreadDependency, 0) if device.generation() < Some(Generation::Gen12) => {
                (offset_of!(State, thread_dependency), 16)
            }
            (ArfKind::InstructionPointer, 0) => (offset_of!(State, ip), 4),
            _ => return None,
        };
        Some(Self { kind, start, bytes })
    }
}

impl Thread {
    /// The bytes of an architecture register; those beyond its end are zero.
    pub(super) fn read_register(&self, register: ArchitectureRegister) -> [u8; 32] {
        let mut bytes = [0; 32];
        let range = register.start..register.start + register.bytes;
        bytes[..register.bytes].copy_from_slice(&self.state.image()[range]);
        bytes
    }

    /// Gives an architecture register, whose bytes an instruction has just written, the value it
    /// really takes: fields that are not stored are zero, those that cannot be written are as
    /// `before`. Bit *n* of `written` is its byte *n*.
    pub(super) fn settle_register(
        &mut self,
        register: ArchitectureRegister,
        before: [u8; 32],
        written: u32,
    ) {
        let restore = |state: &mut State| {
            let range = register.start..register.start + register.bytes;
            state.image_mut()[range].copy_from_slice(&before[..register.bytes]);
        };
        let read_only_stacks = self.single_program_flow();
        let stores_all_addresses = self.since(Generation::Gen8);
        let state = &mut *self.state;
        match register.kind {
            ArfKind::Address if stores_all_addresses => {}
            ArfKind::Address => {
                state.address[2..].iter_mut().for_each(|subregister| *subregister &= 0xFFF);
            }
            ArfKind::Flag | ArfKind::Mask => {}
            ArfKind::MaskStack | ArfKind::MaskStackDepth if read_only_stacks => {
                restore(state);
            }
            ArfKind::MaskStack => {
                state.mask_stack.as_flattened_mut().iter_mut().for_each(|counter| *counter &= 0xF);
            }
            ArfKind::MaskStackDepth => {
                state.mask_stack_depth.iter_mut().for_each(|depth| *depth &= 0xF);
            }
            ArfKind::State => {
                restore(state);
            }
            ArfKind::Notification => {
                restore(state);
            }
            ArfKind::Control => {
                let dword = |n: usize| u32::from_le_bytes([0, 1, 2, 3].map(|b| before[4 * n + b]));
                self.settle_control([dword(0), dword(1), dword(2)]);
            }
            ArfKind::ThreadDependency => {
                restore(state);
                for (number, dependency) in state.thread_dependency.iter_mut().enumerate() {
                    if written >> (2 * number) & 0b11 != 0 {
                        *dependency &= !thread_dependency::VALID;
                    }
                }
            }
            ArfKind::InstructionPointer => {
                let address = state.ip;
                restore(state);
                self.jump(address);
            }
            // No bytes of the state: nothing was written.
            _ => {}
        }
    }
}
