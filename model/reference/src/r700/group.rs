//! One ALU group: every instruction reads before any writes (section 4.1).

use parallax_isa::r700::{
    Alu, AluOpcode, Group, Profile, case::ProgramType, microcode::CfAluWord, opcode::Role,
};
use parallax_spec::{coverage, decision, rule};

use super::{
    alu::{self, Effect, Operands, Value},
    operand::Reads,
    shape::{self, Shape},
    units::{Slots, TRANS, assign, slots_of},
    wavefront::{Executed, Wavefront, opcode_of, pixels, refuse},
    write::Output,
};

/// What one unit does for one pixel.
#[derive(Debug, Clone, Copy)]
struct Done {
    unit: usize,
    alu: Alu,
    opcode: AluOpcode,
    effect: Effect,
}

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
        for pixel in pixels(self.state.executing) {
            let done = self.compute(word, group, &slots, pixel);
            self.start_pixel();
            self.commit(&done, &slots, pixel);
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

    fn operands(&self, word: CfAluWord, alu: Alu, literals: &[u32], pixel: usize) -> Operands {
        let mut bits = [0; 3];
        for (value, operand) in bits.iter_mut().zip(alu.operands()) {
            *value = self.operand(word, alu, operand, literals, pixel);
        }
        Operands { bits, profile: self.case.profile }
    }

    /// The operands of a slot that holds low words, which take no modifiers.
    fn plain_operands(
        &self,
        word: CfAluWord,
        alu: Alu,
        literals: &[u32],
        pixel: usize,
    ) -> Operands {
        let mut bits = [0; 3];
        for (value, mut operand) in bits.iter_mut().zip(alu.operands()) {
            operand.negate = false;
            operand.absolute = false;
            *value = self.operand(word, alu, operand, literals, pixel);
        }
        Operands { bits, profile: self.case.profile }
    }

    /// What every unit does for a pixel.
    fn compute(&self, word: CfAluWord, group: &Group, slots: &Slots, pixel: usize) -> Vec<Done> {
        let literals = &group.literals;
        let mut effects: [Option<Effect>; 5] = [None; 5];
        for unit in 0..slots.len() {
            let Some(alu) = slots[unit] else { continue };
            let Some(opcode) = alu.opcode() else { continue };
            let range = slots_of(opcode, unit);
            if opcode.is_reduction() && unit == 0 {
                let sources = [0, 1, 2, 3].map(|slot| match slots[slot] {
                    Some(alu) => self.operands(word, alu, literals, pixel),
                    None => Operands { bits: [0; 3], profile: Profile::Manual },
                });
                alu::count_operands(opcode, &sources);
                for (slot, value) in alu::reduce(opcode, &sources).into_iter().enumerate() {
                    effects[slot] = Some(value.into());
                }
            } else if opcode.double_slots() > 0 && unit == range.start {
                let slots = slots[range.clone()].iter().flatten().enumerate();
                let sources: Vec<Operands> = slots
                    .map(|(number, &alu)| match number {
                        0 => self.operands(word, alu, literals, pixel),
                        _ => self.plain_operands(word, alu, literals, pixel),
                    })
                    .collect();
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
            } else if let Some(function) = alu::function(opcode) {
                let compute = || {
                    let operands = self.operands(word, alu, literals, pixel);
                    alu::count_operands(opcode, &[operands]);
                    function(&operands)
                };
                effects[unit] = Some(coverage::of_result(compute, |effect| {
                    effect.is_exact() && self.is_on(alu, pixel)
                }));
            }
        }
        let units = slots.iter().zip(effects).enumerate();
        let done = units.filter_map(|(unit, (alu, effect))| {
            let alu = (*alu)?;
            let done = Done { unit, alu, opcode: alu.opcode()?, effect: effect? };
            if !self.predicated_on(alu, pixel) {
                rule!("r700.alu.pred.off.effect");
                rule!("r700.alu.pvps.predicated");
                return None;
            }
            Some(done)
        });
        done.collect()
    }

    /// Writes what the units did for a pixel, X to W and then Trans.
    fn commit(&mut self, done: &[Done], slots: &Slots, pixel: usize) {
        for (unit, alu) in slots.iter().enumerate() {
            if alu.is_none() {
                decision!("D-r700-unused");
                rule!("r700.alu.assign.implicit-nop");
                self.previous_result(unit, pixel, Output::UNDEFINED);
            }
        }
        for &Done { unit, alu, opcode, effect } in done {
            let killing = opcode.row().role == Role::Kill;
            if killing && self.case.program_type != ProgramType::Pixel {
                // Not available there: nothing happens.
                self.previous_result(unit, pixel, Output::UNDEFINED);
                continue;
            }
            let output = Output::of(opcode, alu, effect.value);
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
    fn commit_masks(&mut self, alu: Alu, effect: Effect, unit: usize, pixel: usize) {
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
