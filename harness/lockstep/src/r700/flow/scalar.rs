//! The third oracle: a structured program run for one pixel at a time, as scalar code. It knows the
//! integer operations and nothing of stacks, masks or clauses.

use parallax_isa::r700::{
    AluOpcode, Case, Profile, State,
    state::{EXPORT_SLOTS, export_slot},
};

use super::tree::{
    Assign, BranchForm, Export, LeaveForm, LoopKind, Place, Source, Statement, Step, Test, Tree,
    Uniform, UniformForm,
};
use crate::render;

/// Bits of aL.
const LOOP_INDEX: u32 = 0x1FFF;
/// Deepest nesting of calls.
const DEEPEST_CALL: u32 = 32;
/// Trips after which a loop without a count is given up.
const MOST_TRIPS: u32 = 1000;

/// How a statement goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Next,
    Break,
    Continue,
    /// The pixel was killed and is switched off up to the end of the loop's iteration.
    Retired,
}

/// One pixel.
struct Pixel<'t> {
    tree: &'t Tree,
    case: &'t Case,
    registers: Vec<[u32; 4]>,
    exports: [Option<[u32; 4]>; EXPORT_SLOTS],
    /// Elements of an export that were written, by slot.
    written: [[bool; 4]; EXPORT_SLOTS],
    valid: bool,
    loop_index: u32,
    call_depth: u32,
    /// Results of the units in the last group, inside a clause.
    previous: [u32; 5],
    predicate: bool,
}

/// Runs a tree for every pixel that is active at first, and compares registers, exports and the
/// valid mask with the state an engine ended in.
pub(in crate::r700) fn check(tree: &Tree, case: &Case, end: &State) -> Option<render::Place> {
    let active = case.state.pixels.active;
    (0..64).find_map(|lane| {
        let mut pixel = Pixel::new(tree, case, lane);
        if active >> lane & 1 == 1 {
            pixel.run();
        }
        pixel.compare(end, lane, active >> lane & 1 == 1)
    })
}

impl<'t> Pixel<'t> {
    fn new(tree: &'t Tree, case: &'t Case, lane: usize) -> Self {
        let registers = case.state.gpr[..case.gpr_count as usize].iter();
        Self {
            tree,
            case,
            registers: registers.map(|register| [0, 1, 2, 3].map(|n| register[n][lane])).collect(),
            exports: [None; EXPORT_SLOTS],
            written: [[false; 4]; EXPORT_SLOTS],
            valid: case.state.valid >> lane & 1 == 1,
            loop_index: 0,
            call_depth: 0,
            previous: [0; 5],
            predicate: true,
        }
    }

    fn run(&mut self) {
        let tree = self.tree;
        if self.block(&tree.main) == Then::Retired {
            return;
        }
        for export in &tree.exports {
            self.export(*export);
        }
    }

    fn compare(&self, end: &State, lane: usize, ran: bool) -> Option<render::Place> {
        for (number, register) in self.registers.iter().enumerate() {
            for (element, &expected) in register.iter().enumerate() {
                let actual = end.gpr[number][element][lane];
                if actual != expected {
                    let place = format!("R{number}.{}[{lane}]", ['x', 'y', 'z', 'w'][element]);
                    return Some(render::Place::of_word(place, expected, actual));
                }
            }
        }
        let valid = u32::from(self.valid);
        let actual = (end.valid >> lane & 1) as u32;
        if ran && actual != valid {
            return Some(render::Place::of_word(format!("valid[{lane}]"), valid, actual));
        }
        for (slot, export) in self.exports.iter().enumerate() {
            let values = export.unwrap_or_default();
            for element in 0..4 {
                let expected = if self.written[slot][element] { values[element] } else { 0 };
                let actual = end.exports[slot][element][lane];
                if actual != expected {
                    let place = format!("EXPORT{slot}.{}[{lane}]", ['x', 'y', 'z', 'w'][element]);
                    return Some(render::Place::of_word(place, expected, actual));
                }
            }
        }
        None
    }

    fn block(&mut self, block: &'t [Statement]) -> Then {
        for statement in block {
            let then = self.statement(statement);
            if then != Then::Next {
                return then;
            }
        }
        Then::Next
    }

    fn statement(&mut self, statement: &'t Statement) -> Then {
        match statement {
            Statement::Compute(steps) => {
                self.clause(steps);
                Then::Next
            }
            Statement::Branch { test, then, otherwise, form } => {
                let holds = self.test(test);
                let arm = if holds { then } else { otherwise };
                // The pixel comes to the else part through an inversion that looks at validity.
                let inverted = !holds && *form != BranchForm::Nested;
                self.arm(arm, inverted)
            }
            Statement::Constant { condition, then, otherwise, form } => {
                let holds = self.holds(*condition);
                let arm = if holds { then } else { otherwise };
                match form {
                    UniformForm::Jump => self.block(arm),
                    UniformForm::Push if !holds => Then::Next,
                    UniformForm::Push => self.arm(arm, false),
                    UniformForm::PushElse => self.arm(arm, holds),
                }
            }
            Statement::Gather { index, base, value, store } => {
                let element = usize::from(value.element);
                let at = self.registers[usize::from(index.register)][usize::from(index.element)];
                let there = usize::from(*base) + (at & 3) as usize;
                let here = usize::from(value.register);
                let (from, to) = if *store { (here, there) } else { (there, here) };
                self.registers[to][element] = self.registers[from][element];
                Then::Next
            }
            Statement::Loop { kind, constant, condition, body } => {
                self.repeat(*kind, *constant, *condition, body)
            }
            Statement::Leave { last, test, form } => {
                if self.test(test) {
                    return if *last { Then::Break } else { Then::Continue };
                }
                if *form == LeaveForm::Instruction { self.popped() } else { Then::Next }
            }
            Statement::Call { function, levels, condition } => {
                let depth = self.call_depth + u32::from(*levels);
                let skipped = condition.is_some_and(|condition| !self.holds(condition));
                if skipped || depth > DEEPEST_CALL {
                    return Then::Next;
                }
                let outer = std::mem::replace(&mut self.call_depth, depth);
                let tree = self.tree;
                let then = self.block(&tree.functions[*function]);
                self.call_depth = outer;
                then
            }
            Statement::Kill(test) => {
                if self.test(test) {
                    self.valid = false;
                }
                Then::Next
            }
            Statement::KillAll => {
                self.valid = false;
                Then::Next
            }
            Statement::Nothing { .. } => Then::Next,
        }
    }

    /// A part of a branch, and the pop behind the branch.
    fn arm(&mut self, arm: &'t [Statement], inverted: bool) -> Then {
        let off = self.tree.retiring && inverted && !self.valid;
        if !off {
            let then = self.block(arm);
            if !matches!(then, Then::Next | Then::Retired) {
                return then;
            }
        }
        self.popped()
    }

    /// What a pop makes of the pixel: one in valid pixel mode switches it off if it is killed.
    fn popped(&self) -> Then {
        if self.tree.retiring && !self.valid { Then::Retired } else { Then::Next }
    }

    fn repeat(
        &mut self,
        kind: LoopKind,
        constant: u8,
        condition: Option<Uniform>,
        body: &'t [Statement],
    ) -> Then {
        if condition.is_some_and(|condition| !self.holds(condition)) {
            return Then::Next;
        }
        let constants = &self.case.loop_constants;
        let constant = constants.get(usize::from(constant)).copied().unwrap_or_default();
        let outer = self.loop_index;
        if kind == LoopKind::Counted {
            self.loop_index = constant.initial & LOOP_INDEX;
        }
        let trips = if kind == LoopKind::Endless { MOST_TRIPS } else { constant.count };
        for _ in 0..trips {
            if self.block(body) == Then::Break {
                break;
            }
            if kind == LoopKind::Counted {
                let next = i64::from(self.loop_index) + i64::from(constant.increment);
                self.loop_index = (next & i64::from(LOOP_INDEX)) as u32;
            }
        }
        self.loop_index = outer;
        Then::Next
    }

    fn holds(&self, condition: Uniform) -> bool {
        (self.case.bool_constants >> condition.constant & 1 == 1) == condition.wanted
    }

    fn clause(&mut self, steps: &[Step]) {
        self.previous = [0; 5];
        self.predicate = true;
        for step in steps {
            self.step(step);
        }
    }

    fn test(&mut self, test: &Test) -> bool {
        self.clause(&test.before);
        let [a, b] = test.sources.map(|source| self.source(source));
        test.relation.holds(a, b)
    }

    /// A group: all instructions read before any writes.
    fn step(&mut self, step: &[Assign]) {
        let enabled = |assign: &&Assign| assign.when.is_none_or(|when| when == self.predicate);
        let results: Vec<_> = step
            .iter()
            .filter(enabled)
            .map(|assign| {
                let values: Vec<_> =
                    assign.sources.iter().map(|source| self.source(*source)).collect();
                (assign, values)
            })
            .collect();
        for (assign, values) in results {
            let value = self.compute(assign.opcode, &values);
            self.previous[usize::from(assign.unit)] = value;
            if assign.predicate {
                // Predicate setters give 0.0 where they hold.
                self.predicate = value == 0;
            }
            if assign.write
                && let Some(register) = self.register(assign.place)
            {
                self.registers[register][usize::from(assign.place.element)] = value;
            }
        }
    }

    /// The register a place means; `None` outside of the declared ones.
    fn register(&self, place: Place) -> Option<usize> {
        let index = if place.relative { self.loop_index as usize } else { 0 };
        let number = usize::from(place.register) + index;
        (number < self.registers.len()).then_some(number)
    }

    fn source(&self, source: Source) -> u32 {
        match source {
            Source::Register(place) => {
                let register = self.register(place).unwrap_or(0);
                self.registers[register][usize::from(place.element)]
            }
            Source::Literal(bits) => bits,
            Source::Small(number) => i32::from(number).cast_unsigned(),
            Source::Vector(element) => self.previous[usize::from(element)],
            Source::Scalar => self.previous[4],
        }
    }

    fn compute(&self, opcode: AluOpcode, values: &[u32]) -> u32 {
        use AluOpcode::*;
        let at = |n: usize| values.get(n).copied().unwrap_or(0);
        let (a, b, c) = (at(0), at(1), at(2));
        let (s, t) = (a.cast_signed(), b.cast_signed());
        let truth = |holds: bool| if holds { u32::MAX } else { 0 };
        let silicon = self.case.profile == Profile::Silicon;
        let count = if silicon { b & 31 } else { b };
        match opcode {
            AddInt => a.wrapping_add(b),
            SubInt if silicon => a.wrapping_sub(b),
            SubInt => b.wrapping_sub(a),
            AndInt => a & b,
            OrInt => a | b,
            XorInt => a ^ b,
            NotInt => !a,
            MaxInt => s.max(t).cast_unsigned(),
            MinInt => s.min(t).cast_unsigned(),
            MaxUint => a.max(b),
            MinUint => a.min(b),
            SeteInt => truth(a == b),
            SetneInt => truth(a != b),
            SetgtInt => truth(s > t),
            SetgeInt => truth(s >= t),
            SetgtUint => truth(a > b),
            SetgeUint => truth(a >= b),
            AshrInt => (s >> count.min(31)).cast_unsigned(),
            LshrInt => a.checked_shr(count).unwrap_or(0),
            LshlInt => a.checked_shl(count).unwrap_or(0),
            MulloInt | MulloUint => a.wrapping_mul(b),
            MulhiUint => ((u64::from(a) * u64::from(b)) >> 32) as u32,
            MulhiInt => ((i64::from(s) * i64::from(t)) >> 32) as u32,
            CndeInt => [c, b][usize::from(a == 0)],
            CndgtInt => [c, b][usize::from(s > 0)],
            CndgeInt => [c, b][usize::from(s >= 0)],
            PredSeteInt => [0x3F80_0000, 0][usize::from(a == b)],
            PredSetgtInt => [0x3F80_0000, 0][usize::from(s > t)],
            PredSetgeInt => [0x3F80_0000, 0][usize::from(s >= t)],
            PredSetneInt => [0x3F80_0000, 0][usize::from(a != b)],
            PredSetgtUint => [0x3F80_0000, 0][usize::from(a > b)],
            PredSetgeUint => [0x3F80_0000, 0][usize::from(a >= b)],
            _ => a,
        }
    }

    fn export(&mut self, export: Export) {
        if !self.valid {
            return;
        }
        for step in 0..export.count {
            let Some(slot) = export_slot(export.kind, export.base + step) else { continue };
            let register = self.registers[usize::from(export.register) + step as usize];
            let values = self.exports[slot].get_or_insert([0; 4]);
            for (element, select) in export.selects.into_iter().enumerate() {
                let value = match select {
                    0..=3 => register[usize::from(select)],
                    4 => 0,
                    5 => 0x3F80_0000,
                    _ => continue,
                };
                values[element] = value;
                self.written[slot][element] = true;
            }
        }
    }
}
