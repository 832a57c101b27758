//! Threads that a thread depends on (`tdr0`), and what looks at them or ends them.

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        case::{Event, EventKind},
        operand::{Destination, DestinationRegion, Source},
        register::ArfKind,
        state::thread_dependency,
    },
};

use super::{Later, registers::architecture};
use crate::{choices::Choices, random::SplitMix64};

/// Fixed function threads that there are in a case.
const THREADS: u8 = 4;

/// Whether threads of a device can depend on others.
pub(in crate::eu) fn has_any(device: Device) -> bool {
    device.generation() < Some(Generation::Gen12)
}

/// Ids of threads on which none depends.
pub(super) fn fill(random: &mut SplitMix64, device: Device, state: &mut State) {
    if has_any(device) {
        let bits = random.next();
        let id = |n: usize| (bits >> (4 * n)) as u16 % u16::from(THREADS);
        state.thread_dependency = std::array::from_fn(id);
    }
}

/// The end of each thread, in some of the first steps.
pub(in crate::eu) fn ends(device: Device, choices: &mut Choices, steps: usize) -> Vec<Event> {
    let threads = if has_any(device) { 0..THREADS } else { 0..0 };
    let end = |thread| Event {
        step: choices.below(steps) as u64,
        kind: EventKind::ThreadRetired { thread },
    };
    let mut events: Vec<_> = threads.map(end).collect();
    events.sort_by_key(|event| event.step);
    events
}

/// Lets the thread of a case depend on others, if they end while it runs.
pub(in crate::eu) fn depend(random: &mut SplitMix64, case: &mut Case) {
    let is_end = |event: &Event| matches!(event.kind, EventKind::ThreadRetired { .. });
    if case.surroundings.events.iter().any(is_end) {
        let bits = random.next();
        for (n, dependency) in case.state.thread_dependency.iter_mut().enumerate() {
            if bits >> n & 1 == 1 {
                *dependency |= thread_dependency::VALID;
            }
        }
    }
}

impl Later<'_, '_> {
    /// Writes some thread dependencies, which forgets them.
    pub(super) fn forget_dependencies(&mut self) -> Instruction {
        let data_type = *self.choices.pick(&[DataType::Uw, DataType::Uw, DataType::Ud]);
        let size = data_type.size() as u8;
        let channels = 1 << self.choices.below(if size == 2 { 4 } else { 3 });
        let first = size * self.choices.below(usize::from(16 / size - channels) + 1) as u8;
        let bits = u64::from(self.random.next() as u16) * 0x1_0001;
        Instruction {
            execution_size: channels,
            no_mask: self.choices.sometimes(80),
            destination: Destination {
                register: architecture(ArfKind::ThreadDependency, 0, first),
                data_type,
                region: DestinationRegion::Stride(1),
            },
            sources: [Source::Immediate { data_type, bits }, Source::ABSENT, Source::ABSENT],
            ..Instruction::bare(Opcode::Mov)
        }
    }
}
