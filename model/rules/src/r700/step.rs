//! Conditions that rules share: of a group, of an operation, of an operand, of a pixel. Each is written once.

use std::{
    cell::Cell,
    ops::{Deref, Range},
};

use parallax_isa::r700::{
    Alu, AluOpcode, Group, Profile, Source,
    instruction::Operand,
    opcode::{Role, Units},
};
use parallax_reference::r700::{GroupStep, Slot};

/// Number of the Trans unit.
pub(super) const TRANS: usize = 4;
/// Sign bit of a single.
pub(super) const SIGN: u32 = 1 << 31;

/// The pixels of a mask.
fn pixels(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let pixel = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (pixel < u64::BITS).then_some(pixel as usize)
    })
}

thread_local! {
    /// Units of groups, as bits: X to W, then Trans.
    static OBSERVED: Cell<u8> = const { Cell::new(u8::MAX) };
}

/// Observes groups as if of some units, X to W and then Trans as bits, only something were compared: what the others do
/// decides no rule.
pub fn of_units<T>(units: u8, work: impl FnOnce() -> T) -> T {
    let _before = Before(OBSERVED.replace(units));
    work()
}

/// Goes back to the units that were observed before some work, even if it panics.
struct Before(u8);

impl Drop for Before {
    fn drop(&mut self) {
        OBSERVED.set(self.0);
    }
}

/// What many conditions ask of a group, computed once a group.
pub(crate) struct Facts<'a> {
    group: &'a GroupStep<'a>,
    /// The pixels of which something that each unit did is compared exactly; the first of several that compute together
    /// has those of all.
    decided: [u64; 5],
    /// The units that are observed, as bits.
    observed: u8,
}

impl<'a> Facts<'a> {
    /// The facts of a group.
    pub(super) fn of(group: &'a GroupStep<'a>) -> Self {
        let mut decided = [0; 5];
        let observed = OBSERVED.get();
        for slot in group.slots().filter(|slot| observed >> slot.unit & 1 == 1) {
            decided[slot.unit] |= slot.decided();
            decided[units(slot).start] |= slot.decided();
        }
        Self { group, decided, observed }
    }
}

/// The units of an instruction's operation.
fn units(slot: &Slot) -> Range<usize> {
    let slots = slot.opcode.double_slots();
    match slot.opcode.is_reduction() || slots == 4 {
        true => 0..4,
        false if slots == 2 => slot.unit & 2..(slot.unit & 2) + 2,
        false => slot.unit..slot.unit + 1,
    }
}

/// A group that was executed.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a>(pub(crate) &'a Facts<'a>);

impl<'a> Deref for Step<'a> {
    type Target = GroupStep<'a>;

    fn deref(&self) -> &GroupStep<'a> {
        self.0.group
    }
}

/// An operation: an instruction on its unit, or several that compute together, by the first of them.
#[derive(Clone, Copy)]
pub(crate) struct Operation<'a> {
    step: Step<'a>,
    slot: &'a Slot,
}

impl Deref for Operation<'_> {
    type Target = Slot;

    fn deref(&self) -> &Slot {
        self.slot
    }
}

impl<'a> Step<'a> {
    /// Its instructions, each by itself.
    pub(super) fn slots(self) -> impl Iterator<Item = Operation<'a>> {
        self.0.group.slots().map(move |slot| Operation { step: self, slot })
    }

    /// Its operations that are observed.
    pub(super) fn operations(self) -> impl Iterator<Item = Operation<'a>> {
        let observed =
            move |slot: &Operation| slot.units().any(|unit| self.0.observed >> unit & 1 == 1);
        self.slots().filter(|slot| slot.units().start == slot.unit).filter(observed)
    }

    /// Whether something of it is compared exactly.
    pub(super) fn is_decided(self) -> bool {
        self.0.decided != [0; 5]
    }

    /// Whether an instruction of which something is compared exactly meets a condition.
    pub(super) fn any(self, condition: impl Fn(Operation<'a>) -> bool) -> bool {
        self.slots().any(|slot| slot.is_decided() && condition(slot))
    }

    /// Whether an operand of such an instruction meets a condition.
    pub(super) fn reads(self, condition: impl Fn(Read<'a>) -> bool) -> bool {
        self.any(|slot| slot.reads().any(&condition))
    }

    /// Whether it has instructions that differ in something.
    pub(super) fn differ(self, what: fn(Alu) -> u32) -> bool {
        let mut values = self.slots().filter(|slot| slot.is_decided()).map(|slot| what(slot.alu));
        let Some(first) = values.next() else { return false };
        values.any(|value| value != first)
    }

    /// Whether an instruction reads what another one of the group writes.
    pub(super) fn reads_before_writes(self) -> bool {
        self.reads(|read| {
            let other = |slot: Operation| slot.unit != read.slot.unit && slot.written != 0;
            read.register().is_some_and(|place| {
                self.slots().any(|slot| other(slot) && register_written(slot.alu) == Some(place))
            })
        })
    }

    /// Whether an instruction reads what the group before wrote.
    pub(super) fn reads_previous(self) -> bool {
        let Some(Group { instructions, .. }) = self.previous else { return false };
        self.reads(|read| {
            read.register().is_some_and(|place| {
                instructions.iter().any(|alu| register_written(*alu) == Some(place))
            })
        })
    }

    /// The results of Trans and of a vector unit that writes to the same place.
    pub(super) fn meeting(self) -> Option<[Operation<'a>; 2]> {
        let trans = self.slots().find(|slot| slot.unit == TRANS)?;
        let place = register_written(trans.alu)?;
        let vector = self.slots().find(|slot| {
            slot.unit != TRANS && register_written(slot.alu) == Some(place) && slot.written != 0
        })?;
        Some([trans, vector])
    }
}

/// Register and element that an instruction names as its destination, if both are fixed and it writes there.
pub(super) fn register_written(alu: Alu) -> Option<(u32, u32)> {
    (alu.write_mask() && alu.dst_rel() == 0).then(|| (alu.dst_gpr(), alu.dst_elem()))
}

impl<'a> Operation<'a> {
    /// The group it is of.
    pub(super) fn step(self) -> Step<'a> {
        self.step
    }

    /// The units of its operation.
    pub(super) fn units(self) -> Range<usize> {
        units(self.slot)
    }

    /// Its instructions.
    pub(super) fn lanes(self) -> impl Iterator<Item = Self> {
        let step = self.step;
        self.units().filter_map(move |unit| Some(Self { step, slot: step.0.group.slot(unit)? }))
    }

    /// The pixels of which something it did is compared exactly.
    pub(super) fn decided(self) -> u64 {
        self.step.0.decided[self.slot.unit]
    }

    /// Whether there is such a pixel.
    pub(super) fn is_decided(self) -> bool {
        self.decided() != 0
    }

    /// Whether a pixel of which something it did is compared exactly meets a condition.
    pub(super) fn any(self, condition: impl Fn(Pixel<'a>) -> bool) -> bool {
        pixels(self.decided()).any(|number| condition(Pixel { operation: self, number }))
    }

    /// Whether a pixel whose result is within a tolerance meets a condition.
    pub(super) fn any_approximate(self, condition: impl Fn(Pixel<'a>) -> bool) -> bool {
        pixels(self.approximate).any(|number| condition(Pixel { operation: self, number }))
    }

    /// The pixels that the predicate kept it from executing for.
    pub(super) fn off(self) -> u64 {
        self.step.executing & !self.on
    }

    /// Whether the predicate let it execute for some pixels and not for others.
    pub(super) fn is_selective(self) -> bool {
        self.on != 0 && self.off() != 0
    }

    pub(super) fn role(self) -> Role {
        self.opcode.row().role
    }

    pub(super) fn unit_class(self) -> Units {
        self.opcode.row().units
    }

    pub(super) fn mnemonic(self) -> &'static str {
        self.opcode.mnemonic()
    }

    pub(super) fn is_double(self) -> bool {
        self.opcode.double_slots() > 0
    }

    /// Its operands.
    pub(super) fn reads(self) -> impl Iterator<Item = Read<'a>> {
        let sources = self.slot.sources.iter().enumerate();
        sources.map(move |(number, operand)| Read { slot: self, number, operand: *operand })
    }

    /// How many of its addresses are relative.
    pub(super) fn relative_addresses(self) -> usize {
        let sources = self.reads().filter(|read| read.is_relative()).count();
        sources + (self.alu.dst_rel() as usize)
    }

    /// The scale of its `OMOD`.
    pub(super) fn scale(self) -> f32 {
        [1.0, 2.0, 4.0, 0.5][self.alu.omod() as usize & 3]
    }

    /// Whether its output scale changes a result.
    pub(super) fn scales(self) -> bool {
        self.alu.omod() != 0
            && (self.is_double() || self.any(|p| p.computed().is_finite() && p.computed() != 0.0))
    }

    /// Whether its clamp changes a result.
    pub(super) fn clamps(self) -> bool {
        self.alu.clamp() == 1
            && (self.is_double()
                || self.any(|p| {
                    let scaled = p.computed() * self.scale();
                    !(0.0..=1.0).contains(&scaled) || scaled.is_sign_negative()
                }))
    }

    /// Whether a scale after the clamp would give another result.
    pub(super) fn clamps_after_scaling(self) -> bool {
        self.alu.omod() != 0
            && self.alu.clamp() == 1
            && self.any(|p| {
                let clamped = |value: f32| if value > 0.0 { value.min(1.0) } else { 0.0 };
                let (value, scale) = (p.computed(), self.scale());
                clamped(value * scale) != clamped(value) * scale
            })
    }

    /// What is added to a relative destination for a pixel.
    pub(super) fn destination_index(self, pixel: usize) -> i64 {
        self.index(0, pixel)
    }

    /// What `INDEX_MODE` adds for a pixel where an address register's element is used.
    fn index(self, element: usize, pixel: usize) -> i64 {
        match self.alu.index_mode() {
            4 => i64::from(self.step.record.current_loop.index),
            5 => 0,
            _ => i64::from(self.step.record.addresses[element][pixel]),
        }
    }

    /// Whether a pixel for which it executed meets a condition on what is added to its destination.
    pub(super) fn any_destination(self, condition: impl Fn(i64) -> bool) -> bool {
        self.alu.dst_rel() == 1
            && pixels(self.on).any(|pixel| condition(self.destination_index(pixel)))
    }
}

/// An operand that an instruction read.
#[derive(Clone, Copy)]
pub(crate) struct Read<'a> {
    pub(super) slot: Operation<'a>,
    /// Its number among the sources.
    pub(super) number: usize,
    pub(super) operand: Operand,
}

impl Read<'_> {
    pub(super) fn source(self) -> Option<Source> {
        self.operand.source
    }

    pub(super) fn is_register(self) -> bool {
        matches!(self.source(), Some(Source::Gpr(_)))
    }

    pub(super) fn is_file(self) -> bool {
        matches!(self.source(), Some(Source::Constant(_)))
    }

    pub(super) fn is_cache(self) -> bool {
        matches!(self.source(), Some(Source::Kcache(..)))
    }

    pub(super) fn is_previous(self) -> bool {
        matches!(self.source(), Some(Source::PreviousVector | Source::PreviousScalar))
    }

    pub(super) fn is_constant(self) -> bool {
        self.source().is_some_and(Source::is_constant)
    }

    pub(super) fn is_inline(self) -> bool {
        matches!(self.source(), Some(Source::Inline(_)))
    }

    /// Whether an index is added to its address.
    pub(super) fn is_relative(self) -> bool {
        self.operand.relative && self.source().is_some_and(Source::is_address)
    }

    /// Register and element, if it names a fixed one.
    pub(super) fn register(self) -> Option<(u32, u32)> {
        match self.source() {
            Some(Source::Gpr(number)) if !self.operand.relative => {
                Some((number.into(), self.operand.element.into()))
            }
            _ => None,
        }
    }

    /// The number in its address.
    pub(super) fn address(self) -> i64 {
        match self.source() {
            Some(Source::Gpr(number) | Source::Constant(number) | Source::Kcache(_, number)) => {
                number.into()
            }
            _ => 0,
        }
    }

    /// Whether it has a relative address, and a pixel whose result depends on it meets a condition on what is added.
    pub(super) fn any_index(self, condition: impl Fn(i64) -> bool) -> bool {
        let element = if self.is_file() { self.slot.alu.index_mode() as usize & 3 } else { 0 };
        self.is_relative()
            && pixels(self.slot.decided()).any(|pixel| condition(self.slot.index(element, pixel)))
    }

    /// The window of the constant cache that it is in.
    pub(super) fn window(self) -> Option<Window> {
        let word = self.slot.step.word;
        match self.source()? {
            Source::Kcache(0, _) => Some(Window {
                mode: word.kcache_mode0(),
                bank: word.kcache_bank0(),
                line: word.kcache_addr0(),
            }),
            Source::Kcache(..) => Some(Window {
                mode: word.kcache_mode1(),
                bank: word.kcache_bank1(),
                line: word.kcache_addr1(),
            }),
            _ => None,
        }
    }

    /// Whether a pixel whose result depends on it meets a condition on what it had, before modifiers.
    pub(super) fn any(self, condition: impl Fn(u32) -> bool) -> bool {
        pixels(self.slot.decided())
            .any(|pixel| condition(self.slot.slot.element(self.number, pixel)))
    }
}

/// A window of the constant cache that a clause locks.
pub(super) struct Window {
    pub(super) mode: u32,
    pub(super) bank: u32,
    pub(super) line: u32,
}

impl Window {
    /// The lines that are locked.
    pub(super) fn lines(&self) -> i64 {
        if self.mode == 1 { 1 } else { 2 }
    }
}

/// A pixel that an operation decided.
#[derive(Clone, Copy)]
pub(crate) struct Pixel<'a> {
    pub(super) operation: Operation<'a>,
    number: usize,
}

/// A single as the ALUs read it: a denormal one is a zero of its sign.
fn single(bits: u32) -> f32 {
    let is_small = bits & 0x7F80_0000 == 0;
    f32::from_bits(if is_small { bits & SIGN } else { bits })
}

impl<'a> Pixel<'a> {
    /// The bits of a source, with its modifiers.
    pub(super) fn bits(self, source: usize) -> u32 {
        let Some(operand) = self.operation.slot.sources.get(source) else { return 0 };
        let bits = self.operation.slot.element(source, self.number);
        let bits = if operand.absolute { bits & !SIGN } else { bits };
        if operand.negate { bits ^ SIGN } else { bits }
    }

    /// A source as a single.
    pub(super) fn float(self, source: usize) -> f32 {
        single(self.bits(source))
    }

    /// A source as a signed integer.
    pub(super) fn signed(self, source: usize) -> i64 {
        self.bits(source).cast_signed().into()
    }

    /// The words of a source of a double-precision operation.
    fn words(self, source: usize) -> u64 {
        let low = match self.operation.opcode {
            AluOpcode::Frexp64 => 1,
            _ => self.operation.units().len() - 1,
        };
        let low = self.operation.lanes().nth(low).map_or(0, |slot| self.of(slot).bits(source));
        u64::from(self.bits(source)) << 32 | u64::from(low)
    }

    /// A source as a double.
    pub(super) fn double(self, source: usize) -> f64 {
        let bits = self.words(source);
        let is_small = bits >> 52 & 0x7FF == 0;
        f64::from_bits(if is_small { bits & 1 << 63 } else { bits })
    }

    /// Whether a source is a double below all normal ones, and no zero.
    pub(super) fn is_denormal_double(self, source: usize) -> bool {
        let bits = self.words(source);
        bits >> 52 & 0x7FF == 0 && bits << 12 != 0
    }

    /// The exponent field of a double.
    pub(super) fn exponent(self, source: usize) -> i64 {
        (self.bits(source) >> 20 & 0x7FF).into()
    }

    /// The same of another lane of its operation.
    fn of(self, operation: Operation<'a>) -> Self {
        Self { operation, ..self }
    }

    /// The same of each lane of its operation.
    pub(super) fn lanes(self) -> impl Iterator<Item = Self> {
        self.operation.lanes().map(move |lane| self.of(lane))
    }

    /// The result.
    pub(super) fn result(self) -> u32 {
        self.operation.slot.result(self.number)
    }

    /// The result before output modifiers, as a single.
    pub(super) fn computed(self) -> f32 {
        single(self.operation.slot.computed(self.number))
    }

    pub(super) fn profile(self) -> Profile {
        self.operation.step.case.profile
    }
}
