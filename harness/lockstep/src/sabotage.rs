//! The engine under test with one rule broken: where the reference applies the rule, one bit of what the step did
//! is wrong. A campaign that does not notice has not tested the rule, however often it was applied.

use std::{ops::Range, sync::Arc};

use parallax_isa::{Engine, EngineError, Extent, Image, LoadError, Machine, Step, image::Bank};
use parallax_rules::{Decides, decides};
use parallax_spec::{RuleId, coverage};

use crate::{
    forward::forward_claims,
    subject::{Maker, NEXT_INSTRUCTION},
    suspects::Differs,
};

/// The bit of a byte that is wrong: of the highest byte of a float it is the highest bit of the exponent, which no
/// tolerance lets pass.
const WRONG: u8 = 0x40;
/// The banks that are memory.
const MEMORY: [&str; 8] = ["mem", "slm", "gmem", "urb", "other", "othern", "MEM", "LDS"];
/// Bytes of an instruction that has as many as any: who goes further jumps.
const LONGEST_INSTRUCTION: u64 = 16;

/// An engine with one rule broken. It goes by what the reference has marked on this thread in the same step, so it
/// is wrong step by step only.
pub(crate) struct Sabotaged<M: Machine> {
    engine: Box<dyn Engine<M>>,
    rule: RuleId,
    name: String,
}

impl<M: Machine> Sabotaged<M> {
    /// Breaks a rule of an engine.
    pub(crate) fn new(engine: Box<dyn Engine<M>>, rule: RuleId) -> Self {
        let name = format!("{} without {rule}", engine.name());
        Self { engine, rule, name }
    }

    /// Breaks a rule of all engines that a maker makes.
    pub(crate) fn making(engine: Maker<M>, rule: RuleId) -> Maker<M> {
        Arc::new(move || Box::new(Self::new(engine(), rule)))
    }
}

/// The state after a step or a run with one bit wrong of what it did, and the byte that has it; `None` if it did
/// nothing that the rule could decide.
pub(crate) fn spoiled<M: Machine>(
    rule: RuleId,
    before: &M::State,
    after: &M::State,
    lacks: &[Range<usize>],
) -> Option<(Extent, Box<M::State>)> {
    let offset = place::<M>(rule, before, after, lacks)?;
    let mut wrong = Box::new(*after);
    wrong.image_mut()[offset] ^= WRONG;
    Some((Extent::whole(offset, 1), wrong))
}

/// Whether a rule may decide what stands in a bank.
pub(crate) fn may_decide(rule: RuleId, bank: &Bank) -> bool {
    let mut all = decides(rule).peekable();
    all.peek().is_none() || all.any(|decides| may_be(decides, bank))
}

/// Whether what a rule decides may stand in a bank.
fn may_be(decides: Decides, bank: &Bank) -> bool {
    match decides {
        Decides::Word => true,
        Decides::Flags | Decides::KeptFlags => bank.name == "f",
        Decides::Accumulator | Decides::KeptAccumulator => bank.name == "acc",
        Decides::NextInstruction => NEXT_INSTRUCTION.contains(&bank.name),
        Decides::Memory | Decides::Stored => MEMORY.contains(&bank.name),
        Decides::Masks | Decides::KeptMasks => bank.name == "mask",
        Decides::MaskStacks | Decides::KeptMaskStacks => ["ms", "msd"].contains(&bank.name),
        Decides::Places | Decides::KeptPlaces => bank.name == "pcip",
        Decides::Exceptions => bank.name == "cr",
        Decides::Predicate => {
            ["predicate", "execute-set", "execute-value", "active"].contains(&bank.name)
        }
        Decides::AddressRegister => bank.name == "AR",
        Decides::ValidPixels => bank.name == "valid",
        Decides::PixelStates => {
            ["active", "inactive-continue", "inactive-break"].contains(&bank.name)
        }
        Decides::Stack => ["stack", "stack-depth", "call-depth"].contains(&bank.name),
        Decides::Loop => bank.name == "aL" || bank.name.starts_with("loop."),
        Decides::Result => !NEXT_INSTRUCTION.contains(&bank.name),
    }
}

/// A byte that stays as it is, where that is what a rule decides.
pub(crate) fn kept_place<M: Machine>(rule: RuleId) -> Option<usize> {
    use Decides::{KeptAccumulator, KeptFlags, KeptMaskStacks, KeptMasks, KeptPlaces, Memory};
    decides(rule).find(|decides| {
        matches!(
            decides,
            Memory | KeptFlags | KeptAccumulator | KeptMasks | KeptMaskStacks | KeptPlaces
        )
    })?;
    M::State::BANKS.iter().find(|bank| may_decide(rule, bank)).map(|bank| bank.offset)
}

/// Bytes of a bank that are compared at once, most of which are the same after a step.
const PIECE: usize = 256;

/// The byte to make wrong: one that changed, in the bank of which rules of this kind say the most, and there the
/// highest of an element. Where a program goes on is decided by rules about control flow, and by those of an
/// instruction that does nothing else than jump.
pub(crate) fn place<M: Machine>(
    rule: RuleId,
    before: &M::State,
    after: &M::State,
    lacks: &[Range<usize>],
) -> Option<usize> {
    let (old, new) = (before.image(), after.image());
    let has = |offset: &usize| !lacks.iter().any(|range| range.contains(offset));
    let differs = |offset: &usize| old[*offset] != new[*offset];
    let changed = |bank: &Bank| {
        let mut pieces =
            bank.range().step_by(PIECE).map(|start| start..bank.range().end.min(start + PIECE));
        let first = pieces.find_map(|piece| {
            let is_same = old[piece.clone()] == new[piece.clone()];
            if is_same { None } else { piece.filter(has).find(differs) }
        })?;
        let element = first - (first - bank.offset) % bank.element;
        (element..element + bank.element).rev().find(differs)
    };
    let kind = rule.rule().kind;
    let mut banks: Vec<_> = M::State::BANKS.iter().filter(|bank| may_decide(rule, bank)).collect();
    if let Some(kept) = kept_place::<M>(rule) {
        return Some(kept);
    }
    banks.sort_by_key(|bank| Differs::of_bank(bank).distance(kind));
    if kind == "controlflow" {
        return banks.into_iter().find_map(changed);
    }
    let (next, others): (Vec<_>, Vec<_>) = banks.into_iter().partition(|bank| bank.name == "ip");
    let jumps = |bank: &&&Bank| {
        let word = Extent::whole(bank.offset, bank.bytes.min(8));
        word.read(new).wrapping_sub(word.read(old)) > LONGEST_INSTRUCTION
    };
    let jump = || next.iter().filter(jumps).find_map(|bank| changed(bank));
    others.into_iter().find_map(changed).or_else(jump)
}

impl<M: Machine> Engine<M> for Sabotaged<M> {
    fn name(&self) -> &str {
        &self.name
    }

    fn load(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.engine.load(case)
    }

    fn restart(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.engine.restart(case)
    }

    fn start_again(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.engine.start_again(case)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        if !coverage::is_marked(self.rule) {
            return self.engine.step();
        }
        let before = Box::new(*self.engine.state()?);
        let step = self.engine.step()?;
        let wrong = spoiled::<M>(self.rule, &before, self.engine.state()?, self.engine.lacks());
        if let Some((byte, wrong)) = wrong {
            self.engine.adopt(byte, &wrong)?;
        }
        Ok(step)
    }

    fn run_for(&mut self, steps: u64) -> Result<Step, EngineError> {
        self.engine.run_for(steps)
    }

    fn state(&self) -> Result<&M::State, EngineError> {
        self.engine.state()
    }

    fn adopt(&mut self, extent: Extent, from: &M::State) -> Result<(), EngineError> {
        self.engine.adopt(extent, from)
    }

    forward_claims!(engine);
}
