//! One ALU group: every instruction reads before any writes (section 4.1).

use parallax_isa::r700::{
    Alu, AluOpcode, Group, case::ProgramType, instruction, microcode::CfAluWord, opcode::Role,
};

use super::{
    alu::{self, Effect, Function, Operands},
    operand::modified,
    output::Output,
    record::{GroupStep, Observed, Record, Written},
    units::{Slots, TRANS, assign, slots_of},
    wavefront::{Executed, Wavefront, opcode_of, pixels, refuse},
};

/// An instruction of a group on its unit: what is the same for all pixels.
struct Issued {
    alu: Alu,
    opcode: AluOpcode,
    sources: instruction::Operands,
    /// What it computes, if it takes one slot.
    function: Option<Function>,
}

impl Issued {
    fn of(alu: Alu) -> Executed<Self> {
        let opcode = opcode_of(alu)?;
        Ok(Self { alu, opcode, sources: alu.operands(), function: alu::function(opcode) })
    }

    /// The same in a slot that holds low words, which take no modifiers.
    fn without_modifiers(&self) -> Self {
        let plain = |source: &instruction::Operand| instruction::Operand {
            negate: false,
            absolute: false,
            ..*source
        };
        Self { sources: self.sources.iter().map(plain).collect(), ..*self }
    }
}

/// A group whose instructions are assigned to units.
struct Assigned<'g> {
    /// The clause it stands in.
    word: CfAluWord,
    literals: &'g [u32],
    issued: [Option<Issued>; 5],
}

impl<'g> Assigned<'g> {
    fn new(word: CfAluWord, group: &'g Group, slots: &Slots) -> Executed<Self> {
        let mut issued = [const { None }; 5];
        for (unit, alu) in slots.iter().enumerate() {
            issued[unit] = alu.map(Issued::of).transpose()?;
        }
        // Beside the first slot of a double-precision operation stand low words.
        for (unit, slot) in issued[..TRANS].iter_mut().enumerate() {
            let Some(found) = slot else { continue };
            let first = slots_of(found.opcode, unit).start;
            if found.opcode.double_slots() > 0 && unit != first {
                *found = found.without_modifiers();
            }
        }
        Ok(Self { word, literals: &group.literals, issued })
    }
}

/// What each unit does for one pixel, if it does something.
type Effects = [Option<Effect>; 5];

impl Wavefront {
    /// Executes a group.
    pub(super) fn execute_group(&mut self, word: CfAluWord, group: &Group) -> Executed {
        let slots = assign(group, self.case.prefer_vector)?;
        for alu in slots.into_iter().flatten() {
            let opcode = opcode_of(alu)?;
            let several = opcode.is_reduction() || opcode.double_slots() > 0;
            if !several && alu::function(opcode).is_none() {
                return refuse(format!("the manual does not say what {} does", opcode.mnemonic()));
            }
            self.check_operands(word, alu)?;
        }
        let units = Assigned::new(word, group, &slots)?;
        let mut record = self.record.take();
        if let Some(record) = &mut record {
            record.begin(&self.state);
            for (unit, issued) in units.issued.iter().enumerate() {
                let Some(Issued { alu, opcode, sources, .. }) = issued else { continue };
                record.issue(unit, *alu, *opcode, sources);
            }
        }
        for pixel in pixels(self.state.executing) {
            let effects = self.compute(&units, pixel, record.as_deref_mut());
            self.start_pixel();
            self.commit(&units, &effects, pixel, record.as_deref_mut());
        }
        self.record = record;
        self.observe(word, group);
        Ok(())
    }

    /// Lends the record of a group to the observer.
    fn observe(&self, word: CfAluWord, group: &Group) {
        let (Some(observer), Some(record)) = (self.observer, &self.record) else { return };
        let previous = self.group_before(word.addr(), self.state.group);
        let executing = self.state.executing;
        let case = &self.case;
        let step = GroupStep { case, word, group, previous, executing, record };
        observer(&Observed::Group(step));
    }

    /// Whether the predicate lets an instruction execute for a pixel.
    fn is_on(&self, alu: Alu, pixel: usize) -> bool {
        let predicate = self.state.predicate >> pixel & 1 == 1;
        match alu.pred_sel() {
            0 => true,
            2 => !predicate,
            _ => predicate,
        }
    }

    /// What the instruction on a unit reads for a pixel.
    fn operands(
        &self,
        units: &Assigned,
        unit: usize,
        pixel: usize,
        record: Option<&mut Record>,
    ) -> Operands {
        let mut operands = Operands { bits: [0; 3], profile: self.case.profile };
        let Some(issued) = &units.issued[unit] else { return operands };
        let mut elements = [0; 3];
        for (number, source) in issued.sources.iter().enumerate() {
            elements[number] = self.source(units.word, issued.alu, *source, units.literals, pixel);
            operands.bits[number] = modified(*source, elements[number]);
        }
        if let Some(record) = record {
            record.read(unit, pixel, elements);
        }
        operands
    }

    /// What every unit does for a pixel.
    fn compute(&self, units: &Assigned, pixel: usize, mut record: Option<&mut Record>) -> Effects {
        let mut effects: Effects = [None; 5];
        for (unit, issued) in units.issued.iter().enumerate() {
            let Some(issued) = issued else { continue };
            let &Issued { alu, opcode, function, .. } = issued;
            let mut operands = |slot| self.operands(units, slot, pixel, record.as_deref_mut());
            if let Some(function) = function {
                effects[unit] = Some(function(&operands(unit)));
            } else if opcode.is_reduction() && unit == 0 {
                let sources = [0, 1, 2, 3].map(operands);
                for (slot, value) in alu::reduce(opcode, &sources).into_iter().enumerate() {
                    effects[slot] = Some(value.into());
                }
            } else if opcode.double_slots() > 0 && unit == slots_of(opcode, unit).start {
                let range = slots_of(opcode, unit);
                let sources: Vec<Operands> = range.clone().map(operands).collect();
                let output = alu::DoubleOutput { scale: alu.omod(), clamp: alu.clamp() == 1 };
                let result = alu::double(opcode, &sources, output);
                for (slot, value) in range.zip(result.values) {
                    effects[slot] = Some(Effect { predicate: result.predicate, ..value.into() });
                }
            }
        }
        for (issued, effect) in units.issued.iter().zip(&mut effects) {
            if issued.as_ref().is_some_and(|issued| !self.is_on(issued.alu, pixel)) {
                *effect = None;
            }
        }
        effects
    }

    /// Writes what the units did for a pixel, X to W and then Trans.
    fn commit(
        &mut self,
        units: &Assigned,
        effects: &Effects,
        pixel: usize,
        mut record: Option<&mut Record>,
    ) {
        for (unit, issued) in units.issued.iter().enumerate() {
            if issued.is_none() {
                // Decision D-r700-unused.
                self.previous_result(unit, pixel, Output::UNDEFINED);
            }
        }
        for (unit, (issued, effect)) in units.issued.iter().zip(effects).enumerate() {
            let (Some(issued), Some(effect)) = (issued, effect) else { continue };
            let &Issued { alu, opcode, .. } = issued;
            let killing = opcode.row().role == Role::Kill;
            if killing && self.case.program_type != ProgramType::Pixel {
                // Not available there: nothing happens.
                self.previous_result(unit, pixel, Output::UNDEFINED);
                continue;
            }
            let output = Output::of(opcode, alu, &effect.value);
            let reduced = opcode.is_reduction() && opcode != AluOpcode::Cube;
            let is_hidden = reduced && unit != 0;
            self.previous_result(unit, pixel, if is_hidden { Output::UNDEFINED } else { output });
            let to_register = alu.write_mask()
                && opcode != AluOpcode::Nop
                && self.write_destination(alu, output, pixel);
            if let Some(record) = record.as_deref_mut() {
                record.wrote(unit, pixel, &Written { effect, output, to_register, is_hidden });
            }
            self.commit_masks(alu, effect, unit, pixel);
        }
    }

    /// Writes the address register, the predicates and the valid mask.
    fn commit_masks(&mut self, alu: Alu, effect: &Effect, unit: usize, pixel: usize) {
        self.exact |= effect.index.is_some() || effect.kill || effect.predicate.is_some();
        let state = &mut self.state;
        let bit = 1 << pixel;
        if let Some(index) = effect.index {
            state.ar[unit][pixel] = index;
        }
        if effect.kill {
            state.valid &= !bit;
        }
        let Some(execute) = effect.predicate else { return };
        // Decision D-r700-predicates.
        let with = |mask: u64| if execute { mask | bit } else { mask & !bit };
        if alu.update_pred() {
            state.predicate = with(state.predicate);
        }
        if alu.update_execute_mask() {
            state.execute_set |= bit;
            state.execute_value = with(state.execute_value);
        }
    }
}
