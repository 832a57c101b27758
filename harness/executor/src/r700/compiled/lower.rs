//! From groups to values: what a block leaves in registers, in PV and PS, and in the masks of the state.
//!
//! Values are those that executing pixels see; the others keep what they have, of which the end of the
//! block takes care.

use std::{collections::BTreeMap, mem::offset_of};

use parallax_isa::r700::{State, state::PIXELS};

use super::{
    doubles,
    operations::{Computed, Source, compute, cube, largest, product, scaled},
    values::{Node, Value, Values},
};
use crate::r700::{
    alu::Role,
    decode::{AluSlot, IndexMode, Operand, Select},
    operand::{Input, Modifiers},
    ready::{ReadyGroup, ReadySlot, SlotWork, Span, SpanWork},
    surroundings::Surroundings,
};

/// What code finds in a table that is made each time it runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Entry {
    /// A constant of the file, by the number that aL is added to and its element.
    File(u8, u8, Modifiers),
    /// One of a window that depends on aL.
    Window(IndexMode, Operand, Modifiers),
    /// A register that aL leads to, by the number that aL is added to.
    Led(u8),
}

/// What a block leaves behind.
pub(super) struct Lowered {
    pub(super) values: Values,
    /// Lanes by the byte of the state where the first of them stands.
    pub(super) lanes: Vec<(usize, Value)>,
    /// Masks by their byte: a bit for each lane that is all ones.
    pub(super) masks: Vec<(usize, Value)>,
    pub(super) table: Vec<Entry>,
}

/// Values with where they are stored.
pub(super) struct Stores {
    pub(super) values: Values,
    /// A mask that is empty if all is as it was taken to be.
    pub(super) mistrusted: Option<Value>,
    /// The first value that is made when nothing is read any more that stores write over.
    pub(super) first: usize,
    pub(super) lanes: Vec<(usize, Value)>,
    pub(super) masks: Vec<(usize, Value)>,
}

/// Groups in the making.
pub(super) struct Lowering<'a> {
    values: Values,
    around: &'a Surroundings<'a>,
    /// What registers hold that are written, by number and element.
    registers: BTreeMap<(u8, u8), Value>,
    previous: [Option<Value>; 5],
    predicate: Option<Value>,
    execute_set: Option<Value>,
    execute_value: Option<Value>,
    killed: Option<Value>,
    table: Vec<Entry>,
}

/// The byte of an element of a register.
fn register_at(number: u8, element: u8) -> usize {
    let [number, element] = [number, element].map(usize::from);
    offset_of!(State, gpr) + 4 * PIXELS * (4 * number + element)
}

fn previous_at(unit: usize) -> usize {
    offset_of!(State, previous) + 4 * PIXELS * unit
}

impl<'a> Lowering<'a> {
    /// Values are right with any NaN, if they are careful.
    pub(super) fn new(around: &'a Surroundings<'a>, is_careful: bool) -> Self {
        Self {
            values: Values::new(is_careful),
            around,
            registers: BTreeMap::new(),
            previous: [None; 5],
            predicate: None,
            execute_set: None,
            execute_value: None,
            killed: None,
            table: Vec::new(),
        }
    }

    /// How many values there are so far.
    pub(super) fn size(&self) -> usize {
        self.values.len()
    }

    /// Adds a group; `None`, and nothing else is changed, if it is one for the interpreter.
    pub(super) fn group(&mut self, group: &ReadyGroup) -> Option<()> {
        if group.problem.is_some() || group.slots.iter().any(|ready| !self.writes_here(ready)) {
            return None;
        }
        let mut results: [Option<Computed>; 5] = [None; 5];
        for ready in &group.slots {
            match ready.work {
                SlotWork::Lane(_) => {
                    let computed = self.lane(ready)?;
                    results[usize::from(ready.slot.unit)] = Some(computed);
                }
                SlotWork::MoveAddress(_) => return None,
                SlotWork::Nop | SlotWork::Spanned => {}
            }
        }
        for span in &group.spans {
            for (unit, computed) in self.span(span, group)?.into_iter().enumerate() {
                results[unit] = computed.or(results[unit]);
            }
        }
        let writing = group.slots.iter().filter(|ready| !matches!(ready.work, SlotWork::Nop));
        let writing: Option<Vec<_>> =
            writing.map(|ready| Some((ready, results[ready.result]?))).collect();
        self.commit(&writing?);
        Some(())
    }

    /// Whether it is known where a slot's result goes.
    fn writes_here(&self, ready: &ReadySlot) -> bool {
        !(ready.slot.write && ready.slot.destination_relative)
    }

    fn lane(&mut self, ready: &ReadySlot) -> Option<Computed> {
        let sources = self.sources(ready)?;
        let name = ready.slot.operation.name;
        let mut computed = compute(&mut self.values, name, self.around.profile, sources)?;
        if ready.modified {
            computed.result = self.modified(computed.result, &ready.slot);
        }
        Some(computed)
    }

    /// OMOD, then CLAMP.
    fn modified(&mut self, mut value: Value, slot: &AluSlot) -> Value {
        let values = &mut self.values;
        if slot.output_modifier != 0 {
            let factor = [1.0, 2.0, 4.0, 0.5][usize::from(slot.output_modifier)];
            value = scaled(values, value, factor);
        }
        if slot.clamp {
            // What is no number, and a negative zero, gives zero.
            let (zero, one) = (values.all(0), values.float(1.0));
            value = values.larger(value, zero);
            value = values.smaller(value, one);
        }
        value
    }

    fn sources(&mut self, ready: &ReadySlot) -> Option<[Source; 3]> {
        let mut sources = [Source { value: self.values.all(0), modifiers: Modifiers::NONE }; 3];
        for (number, out) in sources.iter_mut().enumerate().take(ready.source_count) {
            *out = self.source(ready, number)?;
        }
        Some(sources)
    }

    /// A source; `None` if every pixel has its own, or if the block may have written it without it being
    /// known where.
    fn source(&mut self, ready: &ReadySlot, number: usize) -> Option<Source> {
        let source = &ready.sources[number];
        let mut modifiers = source.modifiers;
        let value = match &source.input {
            &Input::Register { number, element } => self.register(number, element),
            &Input::Previous(unit) => {
                let unit = usize::from(unit);
                self.previous[unit].unwrap_or_else(|| self.values.lanes(previous_at(unit)))
            }
            Input::Constant(uniform) => {
                modifiers = Modifiers::NONE;
                self.values.all(uniform.0[0])
            }
            &Input::LoopRegister { number, element } => {
                if self.registers.keys().any(|(_, written)| *written == element) {
                    return None;
                }
                let entry = self.entry(Entry::Led(number));
                self.values.led(entry, 4 * PIXELS * usize::from(element))
            }
            Input::LoopConstant => {
                modifiers = Modifiers::NONE;
                let operand = ready.slot.sources[number];
                let with = source.modifiers;
                let entry = match operand.select {
                    Select::ConstantFile(number) => Entry::File(number, operand.element, with),
                    _ => Entry::Window(ready.slot.index_mode, operand, with),
                };
                let entry = self.entry(entry);
                self.values.entry(entry)
            }
            Input::Gathered => return None,
        };
        Some(Source { value, modifiers })
    }

    fn register(&mut self, number: u8, element: u8) -> Value {
        match self.registers.get(&(number, element)) {
            Some(value) => *value,
            None => self.values.lanes(register_at(number, element)),
        }
    }

    /// The number of an entry of the table.
    fn entry(&mut self, entry: Entry) -> u16 {
        let known = self.table.iter().position(|known| *known == entry);
        known.unwrap_or_else(|| {
            self.table.push(entry);
            self.table.len() - 1
        }) as u16
    }

    /// Results of units of an operation over several slots.
    fn span(&mut self, span: &Span, group: &ReadyGroup) -> Option<[Option<Computed>; 5]> {
        let slots = span.places.map(|place| &group.slots[place]);
        let slot = &slots[span.first].slot;
        let is_modified = slot.output_modifier != 0 || slot.clamp;
        let name = slot.operation.name;
        let mut results = [None; 5];
        match span.work {
            SpanWork::Dot4 { ieee } => {
                let mut products = Vec::new();
                for ready in slots {
                    let [a, b, _] =
                        self.sources(ready)?.map(|source| source.float(&mut self.values));
                    products.push(product(&mut self.values, ieee, a, b));
                }
                let sums = products.into_iter().rev();
                let sum = sums.reduce(|sum, product| self.values.sum(sum, product))?;
                results[0] = Some(self.modified(sum, slot).into());
            }
            SpanWork::Max4 => {
                let [x, y, z, w] = slots.map(|ready| self.source(ready, 0));
                let largest = largest(&mut self.values, [x?, y?, z?, w?]);
                results[0] = Some(self.modified(largest, slot).into());
            }
            SpanWork::Cube => {
                // Slot Z reads X and Z, slot W reads Y.
                let [x, z] = [0, 1].map(|number| self.source(slots[2], number));
                let y = self.source(slots[3], 0);
                let [t, s, axis, face] = cube(&mut self.values, [x?, y?, z?]);
                for (result, value) in results.iter_mut().zip([t, s, axis]) {
                    *result = Some(self.modified(value, slot).into());
                }
                // The number of the face is left alone.
                results[3] = Some(face.into());
            }
            SpanWork::FourSlots(..) if !is_modified => {
                let [high, .., low] = slots.map(|ready| self.sources(ready));
                let [low, high] = doubles::compute(&mut self.values, name, high?, low?)?;
                (results[0], results[1]) = (Some(low), Some(high));
            }
            SpanWork::TwoSlots(..) if !is_modified => {
                let first = span.first;
                let [high, low] = [first, first + 1].map(|unit| self.sources(slots[unit]));
                let [low, high] = doubles::compute(&mut self.values, name, high?, low?)?;
                (results[first], results[first + 1]) = (Some(low), Some(high));
            }
            _ => return None,
        }
        Some(results)
    }

    /// Writes everything a group delivers.
    fn commit(&mut self, writing: &[(&ReadySlot, Computed)]) {
        let predicate = self.predicate;
        let mut new_predicate = predicate;
        for (ready, computed) in writing {
            let slot = &ready.slot;
            let unit = usize::from(slot.unit);
            // Of the pixels that execute at all.
            let enabled = match slot.predicate_select {
                0 => None,
                select => {
                    let at = offset_of!(State, predicate);
                    let bits = predicate.unwrap_or_else(|| self.values.mask(at));
                    Some(if select == 2 { self.values.not(bits) } else { bits })
                }
            };
            let old = self.previous[unit];
            let old = |this: &mut Self| old.unwrap_or_else(|| this.values.lanes(previous_at(unit)));
            self.previous[unit] = Some(self.merged(enabled, computed.result, old));
            let is_written = slot.write
                && (u32::from(slot.gpr) < self.around.gpr_count
                    || u32::from(slot.gpr) >= self.around.first_temporary);
            if is_written {
                let place = (slot.gpr, slot.element);
                let old = |this: &mut Self| this.register(place.0, place.1);
                let value = self.merged(enabled, computed.result, old);
                self.registers.insert(place, value);
            }
            if let (Role::Predicate(_), Some(passes)) = (ready.role, computed.passes) {
                if slot.update_predicate {
                    let old = |this: &mut Self| {
                        let at = offset_of!(State, predicate);
                        new_predicate.unwrap_or_else(|| this.values.mask(at))
                    };
                    new_predicate = Some(self.merged(enabled, passes, old));
                }
                if slot.update_execute_mask {
                    self.update_execute_mask(enabled, passes);
                }
            }
            if ready.role == Role::Kill && self.around.pixel_program {
                self.kill(enabled, computed.result);
            }
        }
        self.predicate = new_predicate;
    }

    /// What a place holds where some pixels only are written.
    fn merged(
        &mut self,
        enabled: Option<Value>,
        new: Value,
        old: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        match enabled {
            None => new,
            Some(enabled) => {
                let old = old(self);
                self.values.select(enabled, new, old)
            }
        }
    }

    fn update_execute_mask(&mut self, enabled: Option<Value>, passes: Value) {
        let (set, value) = (self.execute_set, self.execute_value);
        self.execute_set = Some(match enabled {
            None => self.values.all(u32::MAX),
            Some(enabled) => {
                let set = set.unwrap_or_else(|| self.values.mask(offset_of!(State, execute_set)));
                self.values.or(set, enabled)
            }
        });
        self.execute_value = Some(self.merged(enabled, passes, |this| {
            value.unwrap_or_else(|| this.values.mask(offset_of!(State, execute_value)))
        }));
    }

    fn kill(&mut self, enabled: Option<Value>, result: Value) {
        let (tight, zero) = (self.values.tight(result), self.values.all(0));
        let kept = self.values.equal(tight, zero);
        let mut killed = self.values.not(kept);
        if let Some(enabled) = enabled {
            killed = self.values.and(killed, enabled);
        }
        if let Some(others) = self.killed {
            killed = self.values.or(killed, others);
        }
        self.killed = Some(killed);
    }

    /// What is left behind; `to_the_end` of the clause, where PV and PS go.
    pub(super) fn finish(mut self, to_the_end: bool) -> Lowered {
        let mut lanes: Vec<_> = self
            .registers
            .iter()
            .map(|(&(number, element), &value)| (register_at(number, element), value))
            .collect();
        if !to_the_end {
            let previous = self.previous.iter().enumerate();
            lanes.extend(previous.filter_map(|(unit, value)| Some((previous_at(unit), (*value)?))));
        }
        let values = &mut self.values;
        lanes.retain(|&(at, value)| values.node(value) != Node::Lanes(at as u32));
        // What is written over is read before.
        for (_, value) in &mut lanes {
            if matches!(values.node(*value), Node::Lanes(_) | Node::Led(..)) {
                *value = values.copy(*value);
            }
        }
        let mut masks = Vec::new();
        // The predicate ends with the clause, but is left as a run that is cut off there shows it.
        masks.extend(self.predicate.map(|value| (offset_of!(State, predicate), value)));
        masks.extend(self.execute_set.map(|value| (offset_of!(State, execute_set), value)));
        masks.extend(self.execute_value.map(|value| (offset_of!(State, execute_value), value)));
        if let Some(killed) = self.killed {
            let valid = values.mask(offset_of!(State, valid));
            masks.push((offset_of!(State, valid), values.without(killed, valid)));
        }
        Lowered { values: self.values, lanes, masks, table: self.table }
    }
}

impl Lowered {
    /// What is stored where all pixels execute, or only some, of which the others keep what they have.
    /// Values that are made for that read nothing that another place's store writes over.
    pub(super) fn stores(&self, all_execute: bool) -> Stores {
        let mut values = self.values.clone();
        let mut lanes = self.lanes.clone();
        let mut masks = self.masks.clone();
        let loose = lanes.iter().map(|(_, value)| *value).filter(|value| values.is_loose(*value));
        let loose: Vec<_> = loose.collect();
        for value in &loose {
            values.trust(*value);
        }
        let mistrusted = values.mistrusted(&loose);
        let first = values.len();
        if all_execute {
            lanes.iter_mut().for_each(|(_, value)| *value = values.tight(*value));
        } else {
            let executing = values.mask(offset_of!(State, executing));
            for (at, value) in &mut lanes {
                let old = values.lanes(*at);
                *value = values.select(executing, *value, old);
            }
            for (at, value) in &mut masks {
                let old = values.mask(*at);
                *value = values.select(executing, *value, old);
            }
        }
        Stores { values, mistrusted, first, lanes, masks }
    }
}
