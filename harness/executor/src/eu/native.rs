//! Native instructions with everything resolved that the machine code decides.

use parallax_isa::eu::{State, register::RegisterFile};

use super::{
    arf,
    compute::{Compute, Computed, Inputs},
    condition::Condition,
    lanes::{Lanes, word_mode},
    mask::{MaskRule, Predicate},
    modes,
    result::{Final, Finish},
};

pub(super) type Fetch = fn(&Operand, &State, &mut Lanes);
pub(super) type Write = fn(&Target, &mut State, &Final, u16);
pub(super) type Run = fn(&Native, &mut State);

/// A source, resolved.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    /// Byte of each channel's element in its register file, or what is added to an address.
    pub(super) offsets: [u16; 16],
    /// Address subregister of each channel.
    pub(super) index: [u8; 16],
    pub(super) absolute: bool,
    pub(super) negate: bool,
    /// Register number of an architecture register.
    pub(super) number: u8,
    /// Instruction pointer of the instruction: what reading `ip` gives.
    pub(super) ip: u32,
    /// Lanes of an immediate.
    pub(super) constant: Lanes,
    /// `movi` to an addressed destination: its address subregister and offset decide the fields.
    pub(super) fields_from: Option<(u8, u16)>,
}

/// A destination, resolved.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) offsets: [u16; 16],
    /// Address subregister of an indirect destination.
    pub(super) index: u8,
    pub(super) file: RegisterFile,
    pub(super) number: u8,
    /// Whether the address register has a part in where it is, and how many bytes the file has;
    /// `None` for architecture registers.
    pub(super) bounded: Option<(bool, u16)>,
}

/// What becomes of the accumulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccumulatorUpdate {
    /// Not written.
    Never,
    /// Written unless implicit updates are off.
    Implicit,
    /// It is the destination.
    Explicit,
}

/// A native instruction: half of a compressed one, or all of another.
#[derive(Clone)]
pub(super) struct Native {
    pub(super) run: Run,
    pub(super) mask: MaskRule,
    pub(super) lanes: usize,
    pub(super) condition: Condition,
    pub(super) fetch: [Fetch; 3],
    pub(super) compute: Compute,
    pub(super) finish: Finish,
    pub(super) write: Write,
    pub(super) accumulator_update: AccumulatorUpdate,
    /// Which accumulator the update goes to.
    pub(super) accumulator: u8,
    /// Word mode: accumulator channels have 33 bits.
    pub(super) accumulator_words: bool,
    /// What is in the accumulators can matter to it or be held up by it: a source is one, or it writes a register
    /// that is not general.
    pub(super) reads_accumulator: bool,
    pub(super) target: Target,
    pub(super) sources: [Operand; 3],
}

impl Native {
    /// Whether its destination can lie outside the registers.
    pub(super) fn may_escape(&self) -> bool {
        self.target.bounded.is_some_and(|(indirect, bytes)| {
            indirect || self.target.offsets.iter().take(self.lanes).any(|byte| *byte >= bytes)
        })
    }

    /// Whether an enabled channel's destination lies outside the registers.
    pub(super) fn escapes(&self, state: &State) -> bool {
        let Some((indirect, bytes)) = self.target.bounded else { return false };
        let (enabled, _) = self.mask.enabled(state);
        let address = state.address[usize::from(self.target.index & 7)];
        let outside = |offset: &u16| match indirect {
            true => arf::indirect(address, *offset) >= usize::from(bytes),
            false => *offset >= bytes,
        };
        let channels = self.target.offsets.iter().take(self.lanes).enumerate();
        channels.into_iter().any(|(channel, byte)| enabled >> channel & 1 == 1 && outside(byte))
    }

    /// Whether it updates flags that the predicate of a later instruction may read.
    pub(super) fn sets_predicate_of(&self, later: &Self) -> bool {
        self.condition != Condition::None && later.mask.predicate != Predicate::None
    }

    /// Runs it: fetch, compute, finish, write under mask.
    pub(super) fn elementwise(&self, state: &mut State) {
        let (enabled, inputs) = self.inputs(state);
        let mut computed = Computed::new();
        (self.compute)(&inputs, &mut computed);
        if self.accumulator_words && self.accumulator_update != AccumulatorUpdate::Explicit {
            // A word channel computes modulo 2^33, before anything is converted.
            computed.lanes =
                computed.lanes.map(|lane| word_mode(lane.cast_signed()).cast_unsigned());
        }
        self.update_accumulator(state, &computed.lanes);
        let mut result = Final::new();
        (self.finish)(&computed.lanes, modes::alternative(state), &mut result);
        result.increment = computed.increment;
        (self.write)(&self.target, state, &result, enabled);
        self.mask.update_flags(state, enabled, self.condition, &result);
    }

    /// Runs a move of elements as they are, which writes neither flags nor accumulators.
    pub(super) fn move_bits(&self, state: &mut State) {
        let (enabled, _) = self.mask.enabled(state);
        let mut lanes = [0; 16];
        (self.fetch[0])(&self.sources[0], state, &mut lanes);
        let mut result = Final::new();
        result.bits = lanes.map(|lane| lane as u32);
        (self.write)(&self.target, state, &result, enabled);
    }

    /// Runs a comparison: the flags come from the sources, the destination from the flags.
    pub(super) fn compare(&self, state: &mut State) {
        let (enabled, inputs) = self.inputs(state);
        let mut computed = Computed::new();
        (self.compute)(&inputs, &mut computed);
        let mut result = computed.compared;
        let truth = self.condition.holds(&result);
        for (channel, bits) in result.bits.iter_mut().enumerate() {
            *bits = u32::from(truth >> channel & 1);
        }
        (self.write)(&self.target, state, &result, enabled);
        self.mask.update_flags(state, enabled, self.condition, &result);
    }

    /// `sel` whose first source has the destination's type: moved as it is, the other converted.
    pub(super) fn select_first_moved(&self, state: &mut State) {
        self.select_moved(state, true);
    }

    /// The same with the second source.
    pub(super) fn select_second_moved(&self, state: &mut State) {
        self.select_moved(state, false);
    }

    fn select_moved(&self, state: &mut State, first: bool) {
        let (enabled, inputs) = self.inputs(state);
        let (moved, converted, from_moved) = if first {
            (&inputs.a, &inputs.b, inputs.select)
        } else {
            (&inputs.b, &inputs.a, !inputs.select)
        };
        let mut result = Final::new();
        (self.finish)(converted, modes::alternative(state), &mut result);
        for (channel, bits) in result.bits.iter_mut().enumerate() {
            if from_moved >> channel & 1 == 1 {
                *bits = moved[channel] as u32;
            }
        }
        (self.write)(&self.target, state, &result, enabled);
        self.mask.update_flags(state, enabled, self.condition, &result);
    }

    fn inputs(&self, state: &State) -> (u16, Inputs) {
        let (enabled, select) = self.mask.enabled(state);
        let mut inputs = Inputs { a: [0; 16], b: [0; 16], c: [0; 16], select };
        (self.fetch[0])(&self.sources[0], state, &mut inputs.a);
        (self.fetch[1])(&self.sources[1], state, &mut inputs.b);
        (self.fetch[2])(&self.sources[2], state, &mut inputs.c);
        (enabled, inputs)
    }

    /// Accumulators have no channel enables: every channel of the instruction is written.
    fn update_accumulator(&self, state: &mut State, lanes: &Lanes) {
        let writes = match self.accumulator_update {
            AccumulatorUpdate::Never => false,
            AccumulatorUpdate::Implicit => !modes::accumulator_disabled(state),
            AccumulatorUpdate::Explicit => true,
        };
        if !writes {
            return;
        }
        let accumulator = &mut state.accumulator[usize::from(self.accumulator)];
        for (value, channel) in lanes.iter().zip(accumulator).take(self.lanes) {
            *channel = if self.accumulator_words {
                word_mode(value.cast_signed()).cast_unsigned()
            } else {
                *value
            };
        }
    }
}
