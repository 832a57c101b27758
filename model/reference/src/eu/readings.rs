//! Operands that may be read in more than one way because nobody says which one is right: the negation
//! of the most negative number where the execution type is wider than the source, word accumulators of
//! Gen12. An instruction that meets one is carried out in every way; the reference goes on with the
//! first result and accepts the others.

use std::{mem::offset_of, ops::Range};

use parallax_isa::{
    Acceptance, Expectation, Extent, Image,
    device::Generation,
    eu::{
        Instruction, Opcode, State,
        operand::{Register, Source},
        register::ArfKind,
        state::{ACCUMULATOR_COUNT, REGISTERS},
    },
};

use super::{
    accumulator,
    exception::Exception,
    number::ExecutionType,
    thread::{Executed, Thread, Unpredictable},
};

/// Another reading than the reference's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// The most negative number is negated at the width of its type, not of the execution type; in an
    /// accumulator the other way round.
    OtherWidth = 1,
    /// Word accumulators have 16 bits.
    ShortAccumulators = 2,
}

/// All combinations of the readings.
const COMBINATIONS: Range<u8> = 0..4;

/// What an instruction on elements changes of a thread. It writes no memory.
struct Effect {
    registers: Box<[u8]>,
    accumulator_mode: [[Option<ExecutionType>; 16]; ACCUMULATOR_COUNT],
    expectations: Vec<Expectation>,
    goes_on: (u32, bool, Option<Exception>),
}

impl Effect {
    fn of(thread: &Thread) -> Self {
        Self {
            registers: thread.state.image()[REGISTERS].into(),
            accumulator_mode: thread.accumulator_mode,
            expectations: thread.expectations.clone(),
            goes_on: (thread.next_offset, thread.passes_next, thread.pending),
        }
    }

    fn restore(&self, thread: &mut Thread) {
        thread.state.image_mut()[REGISTERS].copy_from_slice(&self.registers);
        thread.accumulator_mode = self.accumulator_mode;
        thread.expectations.clone_from(&self.expectations);
        (thread.next_offset, thread.passes_next, thread.pending) = self.goes_on;
    }
}

impl Thread {
    /// Whether another reading is in force. Asking for it says that it matters to the instruction.
    pub(super) fn takes(&self, reading: Reading) -> bool {
        let bit = reading as u8;
        self.readings.met.set(self.readings.met.get() | bit);
        self.readings.taken & bit != 0
    }

    /// Executes an instruction on elements in each reading of its operands.
    ///
    /// # Errors
    /// Those of the instruction, or if the thread goes on elsewhere in another reading.
    pub(super) fn in_each_reading(
        &mut self,
        instruction: &Instruction,
        execute: impl Fn(&mut Self) -> Executed,
    ) -> Executed {
        if !may_have_others(self, instruction) {
            return execute(self);
        }
        let before = Effect::of(self);
        self.readings.met.set(0);
        self.readings.written = Some(Vec::new());
        let executed = self.in_other_readings(&before, execute);
        self.readings.written = None;
        self.readings.taken = 0;
        executed
    }

    fn in_other_readings(
        &mut self,
        before: &Effect,
        execute: impl Fn(&mut Self) -> Executed,
    ) -> Executed {
        execute(self)?;
        let met = self.readings.met.get();
        if met == 0 {
            return Ok(());
        }
        let own = Effect::of(self);
        let mut accepted = Vec::new();
        for taken in COMBINATIONS.filter(|taken| *taken != 0 && taken & !met == 0) {
            before.restore(self);
            self.readings.taken = taken;
            execute(self)?;
            let other = Effect::of(self);
            if other.goes_on != own.goes_on {
                let sentence = "where the thread goes on depends on an unspecified value";
                return Err(Unpredictable(sentence.to_owned()));
            }
            let written = self.readings.written.as_deref().unwrap_or_default();
            accepted.extend(accepted_of(&own, &other, written));
        }
        own.restore(self);
        for expectation in accepted {
            if !self.expectations.contains(&expectation) {
                self.expectations.push(expectation);
            }
        }
        Ok(())
    }
}

/// Whether an operand of an instruction may be one that is read in several ways.
fn may_have_others(thread: &Thread, instruction: &Instruction) -> bool {
    let may_be_negated = |source: &Source| {
        matches!(source, Source::Register { data_type, modifier, .. }
            if data_type.is_signed_integer() && modifier.absolute != modifier.negate)
    };
    let is_accumulator = |register: Register| register.arf() == Some(ArfKind::Accumulator);
    let reads_accumulator = |source: &Source| matches!(source, Source::Register { register, .. } if is_accumulator(*register));
    // Before Gen12 accumulators have the bits that the manual says.
    let uses_accumulator = || {
        matches!(instruction.opcode, Opcode::Mac | Opcode::Mach)
            || instruction.accumulator_write
            || is_accumulator(instruction.destination.register)
            || instruction.sources.iter().any(reads_accumulator)
    };
    instruction.sources.iter().any(may_be_negated)
        || thread.since(Generation::Gen12) && uses_accumulator()
}

/// What is accepted of an effect beside another one: what it accepts itself, and its own values where
/// they differ. Flags are accepted bit by bit, accumulators by channel, elements whole.
fn accepted_of(own: &Effect, other: &Effect, written: &[Extent]) -> Vec<Expectation> {
    const FLAGS: Range<usize> = offset_of!(State, flag)..offset_of!(State, mask);
    let read = |effect: &Effect, extent: Extent| extent.read(&effect.registers);
    let differs = |extent: Extent| read(own, extent) != read(other, extent);
    let mut accepted: Vec<Expectation> = Vec::new();
    for &Expectation { extent, acceptance } in &other.expectations {
        let acceptance = match acceptance {
            // Of a value that is not the reference's own.
            Acceptance::Ulp32(_) | Acceptance::Ulp64(_) if differs(extent) => Acceptance::Undefined,
            acceptance => acceptance,
        };
        accepted.push(Expectation { extent, acceptance });
    }
    let mut left: Vec<u8> =
        own.registers.iter().zip(&other.registers).map(|(own, other)| own ^ other).collect();
    let channels = (0..16 * ACCUMULATOR_COUNT).map(|n| accumulator::extent(n / 16, n % 16));
    let elements = written.iter().copied().filter(|extent| !FLAGS.contains(&extent.range().start));
    for extent in elements.chain(channels).filter(|extent| differs(*extent)) {
        let acceptance = Acceptance::Or(read(other, extent));
        accepted.push(Expectation { extent, acceptance });
        extent.write(&mut left, 0);
    }
    for (byte, bits) in left.into_iter().enumerate().filter(|(_, bits)| *bits != 0) {
        let extent = Extent { mask: bits.into(), ..Extent::whole(byte, 1) };
        accepted.push(Expectation { extent, acceptance: Acceptance::Undefined });
    }
    accepted
}
