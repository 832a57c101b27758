//! What a program can change, so that it can be restarted without copying everything.

use parallax_isa::r700::state::{GPR_COUNT, State};

use super::{
    decode::{AluSlot, FlowOperation, IndexMode},
    program::Flow,
};

/// The large parts of the state that the instructions of a program can write; the small ones count as
/// written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// Bit *n* is general register *n*.
    registers: u128,
    global: bool,
    exports: bool,
    memory: bool,
    local: bool,
}

impl Written {
    /// What the instructions of a program can write.
    pub(super) fn by(program: &Flow) -> Self {
        let mut written = Self::default();
        for ready in program.iter() {
            match ready.flow.operation {
                FlowOperation::Export(_) => written.exports = true,
                FlowOperation::MemoryWrite(_) => written.memory = true,
                FlowOperation::Fetch(_) => {
                    written.registers = u128::MAX;
                    (written.global, written.local) = (true, true);
                }
                FlowOperation::Alu(_) => {
                    let slots = ready.groups.iter().flat_map(|group| &group.slots);
                    slots.for_each(|ready| written.add(&ready.slot));
                }
                FlowOperation::Nop | FlowOperation::Branch(_) | FlowOperation::Emit { .. } => {}
            }
        }
        written
    }

    fn add(&mut self, slot: &AluSlot) {
        match (slot.write, slot.destination_relative, slot.index_mode) {
            (false, ..) => {}
            (true, false, _) => self.registers |= 1 << slot.gpr,
            (true, true, IndexMode::Loop | IndexMode::Address(_)) => self.registers = u128::MAX,
            (true, true, IndexMode::Global | IndexMode::GlobalAddress) => self.global = true,
        }
    }

    /// Gives a state that only the program has changed the values it started with.
    pub(super) fn restore(&self, state: &mut State, start: &State) {
        // All fields by name, so that none is forgotten.
        let &State {
            ref gpr,
            ref global,
            ref exports,
            ref memory,
            ref local,
            previous,
            ar,
            emitted,
            cut,
            stack,
            exported,
            valid,
            pixels,
            predicate,
            executing,
            execute_set,
            execute_value,
            current_loop,
            stack_depth,
            call_depth,
            cf,
            group,
            in_clause,
            reserved,
        } = start;
        for number in (0..GPR_COUNT).filter(|number| self.registers >> number & 1 == 1) {
            state.gpr[number] = gpr[number];
        }
        if self.global {
            state.global = *global;
        }
        if self.exports {
            state.exports = *exports;
        }
        if self.memory {
            state.memory = *memory;
        }
        if self.local {
            state.local = *local;
        }
        state.previous = previous;
        state.ar = ar;
        state.emitted = emitted;
        state.cut = cut;
        state.stack = stack;
        state.exported = exported;
        state.valid = valid;
        state.pixels = pixels;
        state.predicate = predicate;
        state.executing = executing;
        state.execute_set = execute_set;
        state.execute_value = execute_value;
        state.current_loop = current_loop;
        state.stack_depth = stack_depth;
        state.call_depth = call_depth;
        state.cf = cf;
        state.group = group;
        state.in_clause = in_clause;
        state.reserved = reserved;
    }
}
