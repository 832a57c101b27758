//! The record of a step: of a group what its instructions read for each pixel, for which pixels they executed, and what
//! came of it; of fetches the same; of control flow what the masks, the stack and the loop were. It is kept while the step is done, if somebody
//! looks, and lent to whoever observes the reference ([`super::Reference::observed_by`]); the reference itself reads
//! nothing of it.

mod fetch;

use parallax_isa::{
    Acceptance,
    r700::{
        Alu, AluOpcode, Case, Cf, CfOpcode, Group, State,
        instruction::Operands,
        microcode::CfAluWord,
        state::{Frame, Loop, PIXELS, PixelStates, STACK_FRAMES},
    },
};

use super::{
    alu::{Effect, Value},
    number::bits,
    output::Output,
};

pub use fetch::{FetchRecord, FetchStep, MemoryAccess};

/// Looks at what was done. Of what is refused it sees nothing.
pub type Observer = fn(&Observed);

/// Something that was done.
#[derive(Debug)]
pub enum Observed<'a> {
    /// An ALU group.
    Group(GroupStep<'a>),
    /// An instruction of a fetch clause.
    Fetch(FetchStep<'a>),
    /// A control-flow instruction or the end of an ALU clause.
    Flow(FlowStep<'a>),
}

/// A control-flow instruction that was executed, or the end of an ALU clause.
#[derive(Debug)]
pub struct FlowStep<'a> {
    /// Everything that decides the run.
    pub case: &'a Case,
    /// The instruction.
    pub cf: Cf,
    /// Its opcode.
    pub opcode: CfOpcode,
    /// Whether the clause that it has started ends.
    pub is_end: bool,
    /// Whether the program has an instruction that pushes pixel states.
    pub pushes: bool,
    /// What programs flow by, before.
    pub before: &'a Control,
    /// The state after.
    pub after: &'a State,
}

/// What programs flow by: fields of the state.
#[derive(Debug, Clone, Copy)]
pub struct Control {
    /// The stack: frames beyond its depth are none of it.
    stack: [Frame; STACK_FRAMES],
    stack_depth: u32,
    /// How deep calls are.
    pub call_depth: u32,
    /// The pixels' states.
    pub pixels: PixelStates,
    /// The pixels that are valid.
    pub valid: u64,
    /// Their predicates.
    pub predicate: u64,
    /// The pixels that execute the clause.
    pub executing: u64,
    /// The pixels of which a predicate went to the execute mask.
    pub execute_set: u64,
    /// That predicate.
    pub execute_value: u64,
    /// The loop.
    pub current_loop: Loop,
    /// The address of the instruction.
    pub cf: u32,
}

impl Control {
    /// That of no program.
    pub(super) fn new() -> Self {
        Self {
            stack: [Frame::default(); STACK_FRAMES],
            stack_depth: 0,
            call_depth: 0,
            pixels: PixelStates::default(),
            valid: 0,
            predicate: 0,
            executing: 0,
            execute_set: 0,
            execute_value: 0,
            current_loop: Loop::default(),
            cf: 0,
        }
    }

    /// Takes what it is now.
    pub(super) fn take(&mut self, state: &State) {
        let frames = state.stack_depth as usize;
        self.stack[..frames].copy_from_slice(&state.stack[..frames]);
        self.stack_depth = state.stack_depth;
        self.call_depth = state.call_depth;
        self.pixels = state.pixels;
        self.valid = state.valid;
        self.predicate = state.predicate;
        self.executing = state.executing;
        self.execute_set = state.execute_set;
        self.execute_value = state.execute_value;
        self.current_loop = state.current_loop;
        self.cf = state.cf;
    }

    /// The frames on the stack.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.stack[..self.stack_depth as usize]
    }
}

/// A value of each pixel.
type Of<T> = [T; PIXELS];
/// The elements X, Y, Z, W of each pixel.
type Elements<T> = [Of<T>; 4];

/// A group that was executed.
#[derive(Debug)]
pub struct GroupStep<'a> {
    /// Everything that decides the run.
    pub case: &'a Case,
    /// The instruction whose clause the group stands in.
    pub word: CfAluWord,
    /// The group.
    pub group: &'a Group,
    /// The group before it in its clause.
    pub previous: Option<&'a Group>,
    /// The pixels that the clause executes for.
    pub executing: u64,
    /// What it read and did.
    pub record: &'a Record,
}

/// What the units did.
#[derive(Debug)]
pub struct Record {
    units: [Option<Slot>; 5],
    /// The pixels of which a group before had sent a predicate to the execute mask.
    pub execute_set: u64,
    /// The address registers before.
    pub addresses: Elements<i16>,
    /// The loop that is around the clause.
    pub current_loop: Loop,
}

/// What an instruction did on its unit.
#[derive(Debug)]
pub struct Slot {
    /// The instruction.
    pub alu: Alu,
    /// Its opcode.
    pub opcode: AluOpcode,
    /// Its unit: X, Y, Z, W, Trans.
    pub unit: usize,
    /// What it reads; the slots of low words have no modifiers.
    pub sources: Operands,
    /// What each source had, before modifiers.
    elements: Of<[u32; 3]>,
    /// The pixels that it executed for: the predicate let it.
    pub on: u64,
    /// Those whose result is compared exactly.
    pub exact: u64,
    /// Those whose result is accepted within a tolerance.
    pub approximate: u64,
    /// Those of which the result went to a register.
    pub written: u64,
    /// Those that it killed.
    pub killed: u64,
    /// Those of which it computed a predicate.
    pub predicated: u64,
    /// The predicates.
    pub predicates: u64,
    /// The results before output modifiers.
    computed: Of<u32>,
    /// The results.
    results: Of<u32>,
    /// Those whose address register it wrote.
    pub addressed: u64,
    /// What it wrote there.
    indices: Of<i16>,
}

/// A result and what became of it.
pub(super) struct Written<'e> {
    pub(super) effect: &'e Effect,
    pub(super) output: Output,
    pub(super) to_register: bool,
    /// Whether the unit's previous result is undefined.
    pub(super) is_hidden: bool,
}

impl Record {
    /// The record of no group.
    pub(super) fn new() -> Self {
        Self {
            units: [const { None }; 5],
            execute_set: 0,
            addresses: [[0; PIXELS]; 4],
            current_loop: Loop::default(),
        }
    }

    /// Begins the record of another group.
    pub(super) fn begin(&mut self, state: &State) {
        self.units.fill_with(|| None);
        self.execute_set = state.execute_set;
        self.addresses = state.ar;
        self.current_loop = state.current_loop;
    }

    /// Adds an instruction on its unit.
    pub(super) fn issue(&mut self, unit: usize, alu: Alu, opcode: AluOpcode, sources: &Operands) {
        self.units[unit] = Some(Slot {
            alu,
            opcode,
            unit,
            sources: sources.clone(),
            elements: [[0; 3]; PIXELS],
            on: 0,
            exact: 0,
            approximate: 0,
            written: 0,
            killed: 0,
            predicated: 0,
            predicates: 0,
            computed: [0; PIXELS],
            results: [0; PIXELS],
            addressed: 0,
            indices: [0; PIXELS],
        });
    }

    /// Keeps what the sources had for a pixel.
    pub(super) fn read(&mut self, unit: usize, pixel: usize, elements: [u32; 3]) {
        if let Some(slot) = &mut self.units[unit] {
            slot.elements[pixel] = elements;
        }
    }

    /// Keeps what an instruction did for a pixel that it executed for.
    pub(super) fn wrote(&mut self, unit: usize, pixel: usize, written: &Written) {
        let &Written { effect, output, to_register, is_hidden } = written;
        let Some(slot) = &mut self.units[unit] else { return };
        let bit = 1 << pixel;
        let set = |mask: &mut u64, condition: bool| *mask |= if condition { bit } else { 0 };
        let is_seen = to_register || !is_hidden;
        set(&mut slot.on, true);
        set(&mut slot.written, to_register);
        set(&mut slot.killed, effect.kill);
        set(&mut slot.predicated, effect.predicate.is_some());
        set(&mut slot.predicates, effect.predicate == Some(true));
        let is_approximate = matches!(output.acceptance, Some(Acceptance::Ulp32(_)));
        let is_exact = output.bits.is_some() && !is_approximate;
        set(&mut slot.exact, is_seen && is_exact);
        set(&mut slot.approximate, is_seen && is_approximate);
        set(&mut slot.addressed, effect.index.is_some());
        slot.indices[pixel] = effect.index.unwrap_or_default();
        slot.results[pixel] = output.bits.unwrap_or_default();
        slot.computed[pixel] = match effect.value {
            Value::Float(value) | Value::Either(value, _) | Value::Approximate(value, _) => {
                bits(value)
            }
            Value::Copy(bits)
            | Value::Bits(bits)
            | Value::EitherBits(bits, _)
            | Value::ApproximateBits(bits, _) => bits,
            Value::Undefined => 0,
        };
    }
}

impl<'a> GroupStep<'a> {
    /// What the instructions did, X to W and then Trans.
    pub fn slots(&self) -> impl Iterator<Item = &'a Slot> + use<'a> {
        self.record.units.iter().flatten()
    }

    /// What the instruction on a unit did.
    #[must_use]
    pub fn slot(&self, unit: usize) -> Option<&'a Slot> {
        self.record.units[unit].as_ref()
    }
}

impl Slot {
    /// The pixels of which something it did is compared exactly.
    #[must_use]
    pub fn decided(&self) -> u64 {
        self.exact | self.predicated | self.killed | self.addressed
    }

    /// What a source had for a pixel, before modifiers.
    #[must_use]
    pub fn element(&self, source: usize, pixel: usize) -> u32 {
        self.elements[pixel][source]
    }

    /// The result for a pixel before output modifiers.
    #[must_use]
    pub fn computed(&self, pixel: usize) -> u32 {
        self.computed[pixel]
    }

    /// The result for a pixel.
    #[must_use]
    pub fn result(&self, pixel: usize) -> u32 {
        self.results[pixel]
    }

    /// What it wrote to the address register for a pixel.
    #[must_use]
    pub fn index(&self, pixel: usize) -> i16 {
        self.indices[pixel]
    }
}
