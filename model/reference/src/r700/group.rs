//! One ALU group: every instruction reads before any writes (section 4.1).

use parallax_isa::r700::{
    Alu, AluOpcode, Group, Profile, case::ProgramType, instruction, microcode::CfAluWord,
    opcode::Role,
};
use parallax_spec::{coverage, decision, rows::Row, rule};

use super::{
    alu::{self, Effect, Function, Operands, Value},
    operand::Reads,
    shape::{self, Shape},
    units::{Slots, TRANS, assign, slots_of},
    wavefront::{Executed, Wavefront, opcode_of, pixels, refuse},
    write::Output,
};

/// An instruction of a group on its unit: what is the same for all pixels.
struct Issued {
    alu: Alu,
    opcode: AluOpcode,
    sources: instruction::Operands,
    /// What it computes, if it takes one slot.
    function: Option<Function>,
    /// Rows of the rules about its unit and modifiers.
    rows: Vec<Row>,
}

impl Issued {
    fn of(alu: Alu, unit: usize) -> Executed<Self> {
        let opcode = opcode_of(alu)?;
        let (sources, function) = (alu.operands(), alu::function(opcode));
        Ok(Self { alu, opcode, sources, function, rows: alu::rows(opcode, alu, unit) })
    }

    fn count_rows(&self) {
        self.rows.iter().for_each(|row| coverage::hit_row(*row));
    }

    /// The same in a slot that holds low words, which take no modifiers.
    fn without_modifiers(&self) -> Self {
        let plain = |source: &instruction::Operand| instruction::Operand {
            negate: false,
            absolute: false,
            ..*source
        };
        let sources = self.sources.iter().map(plain).collect();
        Self { sources, rows: self.rows.clone(), ..*self }
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
            issued[unit] = alu.map(|alu| Issued::of(alu, unit)).transpose()?;
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
        rule!("r700.alu.group.composition");
        let slots = assign(group, self.case.prefer_vector)?;
        let later = self.state.group != word.addr();
        let mut reads = Reads::default();
        for alu in slots.into_iter().flatten() {
            let opcode = opcode_of(alu)?;
            let several = opcode.is_reduction() || opcode.double_slots() > 0;
            if !several && alu::function(opcode).is_none() {
                return refuse(format!("the manual does not say what {} does", opcode.mnemonic()));
            }
            let Reads { constant_file, immediate } = self.check_operands(word, alu, later)?;
            reads.constant_file |= constant_file;
            reads.immediate |= immediate;
        }
        if reads.constant_file && reads.immediate {
            rule!("r700.alu.cport.mix");
        }
        shape::count(&Shape { case: &self.case, word, group, slots: &slots });
        rule!("r700.alu.units");
        rule!("r700.alu.out.atomic");
        let units = Assigned::new(word, group, &slots)?;
        for pixel in pixels(self.state.executing) {
            let effects = self.compute(&units, pixel);
            self.start_pixel();
            self.commit(&units, &effects, pixel);
        }
        Ok(())
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

    /// The same; counts the rule that says so.
    fn predicated_on(&self, alu: Alu, pixel: usize) -> bool {
        match alu.pred_sel() {
            0 => rule!("r700.alu.pred.sel.off"),
            2 => rule!("r700.alu.pred.sel.zero"),
            _ => rule!("r700.alu.pred.sel.one"),
        }
        self.is_on(alu, pixel)
    }

    fn operands(&self, units: &Assigned, issued: &Issued, pixel: usize) -> Operands {
        let mut bits = [0; 3];
        for (value, source) in bits.iter_mut().zip(&issued.sources) {
            *value = self.operand(units.word, issued.alu, *source, units.literals, pixel);
        }
        Operands { bits, profile: self.case.profile }
    }

    /// What every unit does for a pixel.
    fn compute(&self, units: &Assigned, pixel: usize) -> Effects {
        let mut effects: Effects = [None; 5];
        for (unit, issued) in units.issued.iter().enumerate() {
            let Some(issued) = issued else { continue };
            let &Issued { alu, opcode, function, .. } = issued;
            if let Some(function) = function {
                let mut read = None;
                let compute = || {
                    let operands = self.operands(units, issued, pixel);
                    alu::count_operands(opcode, &[operands]);
                    issued.count_rows();
                    read = Some(operands);
                    function(&operands)
                };
                let is_on = self.is_on(alu, pixel);
                let effect = coverage::of_result(compute, |effect| effect.is_exact() && is_on);
                effects[unit] = Some(effect);
                if let Some(operands) = read.filter(|_| is_on && alu.clamp() == 0) {
                    alu::count_told_apart(opcode, &operands);
                }
            } else if opcode.is_reduction() && unit == 0 {
                let sources = [0, 1, 2, 3].map(|slot| match &units.issued[slot] {
                    Some(issued) => self.operands(units, issued, pixel),
                    None => Operands { bits: [0; 3], profile: Profile::Manual },
                });
                alu::count_operands(opcode, &sources);
                units.issued[..TRANS].iter().flatten().for_each(Issued::count_rows);
                for (slot, value) in alu::reduce(opcode, &sources).into_iter().enumerate() {
                    effects[slot] = Some(value.into());
                }
            } else if opcode.double_slots() > 0 && unit == slots_of(opcode, unit).start {
                let range = slots_of(opcode, unit);
                let slots = units.issued[range.clone()].iter().flatten();
                let sources: Vec<Operands> =
                    slots.map(|issued| self.operands(units, issued, pixel)).collect();
                let output = alu::DoubleOutput { scale: alu.omod(), clamp: alu.clamp() == 1 };
                let result = coverage::of_result(
                    || {
                        alu::count_operands(opcode, &sources);
                        alu::double(opcode, &sources, output)
                    },
                    |result| {
                        let exact =
                            result.predicate.is_some() || result.values.iter().any(Value::is_exact);
                        exact && self.is_on(alu, pixel)
                    },
                );
                for (slot, value) in range.zip(result.values) {
                    effects[slot] = Some(Effect { predicate: result.predicate, ..value.into() });
                }
            }
        }
        for (issued, effect) in units.issued.iter().zip(&mut effects) {
            if let (Some(issued), Some(_)) = (issued, &effect)
                && !self.predicated_on(issued.alu, pixel)
            {
                rule!("r700.alu.pred.off.effect");
                rule!("r700.alu.pvps.predicated");
                *effect = None;
            }
        }
        effects
    }

    /// Writes what the units did for a pixel, X to W and then Trans.
    fn commit(&mut self, units: &Assigned, effects: &Effects, pixel: usize) {
        for (unit, issued) in units.issued.iter().enumerate() {
            if issued.is_none() {
                decision!("D-r700-unused");
                rule!("r700.alu.assign.implicit-nop");
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
            if reduced && unit != 0 {
                rule!("r700.alu.class.reduction.pvx");
                self.previous_result(unit, pixel, Output::UNDEFINED);
            } else {
                self.previous_result(unit, pixel, output);
            }
            if alu.write_mask() && opcode != AluOpcode::Nop {
                if unit == TRANS {
                    rule!("r700.alu.trans-element");
                } else {
                    rule!("r700.alu.vector-unit-element");
                }
                self.write_destination(alu, output, pixel);
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
            rule!("r700.alu.mova.ar-element");
            rule!("r700.alu.mova.range");
            state.ar[unit][pixel] = index;
        }
        if effect.kill {
            rule!("r700.alu.kill.effect");
            rule!("r700.state.valid.cleared-by");
            state.valid &= !bit;
        }
        let Some(execute) = effect.predicate else { return };
        decision!("D-r700-predicates");
        let with = |mask: u64| if execute { mask | bit } else { mask & !bit };
        if alu.update_pred() {
            rule!("r700.alu.pred.update");
            state.predicate = with(state.predicate);
        }
        if alu.update_execute_mask() {
            rule!("r700.alu.pred.update-exec");
            rule!("r700.state.active-mask.last");
            state.execute_set |= bit;
            state.execute_value = with(state.execute_value);
        }
    }
}
