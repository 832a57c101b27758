//! Bytes to trees: nested blocks and loops, data instructions in between.

mod fitting;
mod values;

use parallax_isa::{
    Device,
    eu::{
        Instruction, Opcode,
        instruction::{ConditionalModifier, PredicateControl},
    },
};

use fitting::{is_exact, is_harmless};

pub(super) use fitting::is_simple;

use super::{
    foreign::Foreign,
    has_mask_stacks,
    tree::{
        Access, Block, COUNTERS, Call, Conditional, Crossing, DEEPEST_CALL, Event, IfForm,
        JumpForm, Loop, LoopForm, Registers, SWITCH, Statement, Test, VARIABLES, Wrap, continues,
    },
};

/// What a tree may consist of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// What programs are for.
    pub(super) device: Device,
    /// Only what scalar code can follow: instructions the tree knows nothing about leave its
    /// registers and flags alone, and no channel looks at another's flags.
    pub(super) scalar: bool,
    /// Single program flow: the mask stacks do nothing.
    pub(super) single_program_flow: bool,
    /// Flag subregisters that tests use.
    pub(super) flags: &'static [u8],
    /// Most levels of conditional blocks.
    pub(super) conditionals: u8,
    /// Most levels of loops.
    pub(super) loops: u8,
    /// Whether exceptions can be raised and returned from.
    pub(super) exceptions: bool,
    /// Whether it runs for thousands of steps, on a way that computed values decide: jumps, addresses
    /// and numbers of turns too.
    pub(super) long: bool,
}

/// Makes a tree.
pub(super) struct Generator<'s, 'c, 'b> {
    pub(super) source: &'s mut (dyn Foreign<'b> + 'c),
    pub(super) limits: Limits,
    /// Statements that may still be made.
    pub(super) budget: usize,
}

/// Where a block stands.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    conditionals: u8,
    loops: u8,
    /// Levels of conditional blocks since the loop began.
    levels: u8,
    /// Whether a `cont` of the innermost loop is allowed.
    continues: bool,
    /// Whether a wait is reached exactly once.
    outermost: bool,
    /// Routines that it stands in, and loops around the innermost.
    calls: u8,
    loops_around: u8,
    /// Whether all channels of the routine that go on are here.
    returns: bool,
}

const CONDITIONS: &[ConditionalModifier] = &[
    ConditionalModifier::Equal,
    ConditionalModifier::NotEqual,
    ConditionalModifier::Greater,
    ConditionalModifier::GreaterEqual,
    ConditionalModifier::Less,
    ConditionalModifier::LessEqual,
];

impl Generator<'_, '_, '_> {
    /// The body of a program.
    pub(super) fn program(&mut self) -> Block {
        let outermost = Place { outermost: true, ..Place::default() };
        let mut body = Block::new();
        if self.limits.long {
            return self.long();
        }
        if self.sometimes(40) {
            let deepest = self.limits.conditionals.max(self.limits.loops);
            let height = 1 + self.below(usize::from(deepest));
            body.extend(self.tower(outermost, height));
        }
        while self.budget > 0 && !self.source.choices().is_empty() {
            self.statement(outermost, &mut body);
        }
        body
    }

    /// A loop around all of the program: what one turn computes decides the way of the next.
    fn long(&mut self) -> Block {
        let place = Self::in_loop(Place::default(), true);
        let mut body = Block::new();
        while self.budget > 0 && !self.source.choices().is_empty() {
            self.statement(place, &mut body);
        }
        let flag = self.pick(self.limits.flags);
        let start = Some((self.below(VARIABLES) as u8, 7));
        let repeated = Loop {
            form: LoopForm::While,
            counter: 0,
            turns: 60,
            start,
            flag,
            guarded: true,
            body,
            again: None,
        };
        vec![Statement::Loop(repeated)]
    }

    fn sometimes(&mut self, times: u8) -> bool {
        self.source.choices().sometimes(times)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.source.choices().below(bound)
    }

    fn pick<T: Copy>(&mut self, options: &[T]) -> T {
        options[self.below(options.len())]
    }

    /// Blocks around blocks, up to a limit of the mask stacks.
    fn tower(&mut self, place: Place, height: usize) -> Block {
        let mut block = Block::new();
        self.statement(place, &mut block);
        if height == 0 || self.budget == 0 {
            return block;
        }
        let loops = place.loops < self.limits.loops
            && self.sometimes(if place.loops < 2 { 110 } else { 40 });
        if loops {
            let (counter, flag) = (place.loops, self.pick(self.limits.flags));
            let body = self.tower(Self::in_loop(place, true), height - 1);
            let turns = if self.sometimes(90) { 2 } else { 1 };
            block.push(Statement::Loop(Loop {
                form: LoopForm::While,
                counter,
                turns,
                start: None,
                flag,
                guarded: true,
                body,
                again: None,
            }));
        } else if place.conditionals < self.limits.conditionals {
            block.push(Statement::Compare(self.comparison()));
            let test = self.test();
            let inside = Self::in_block(place);
            let then = self.tower(inside, height - 1);
            let form = if self.sometimes(128) { IfForm::General } else { self.short_form() };
            let otherwise = (form == IfForm::General && self.sometimes(100)).then(|| {
                let mut otherwise = Block::new();
                self.statement(inside, &mut otherwise);
                otherwise
            });
            block.push(Statement::If(Conditional { test, form, then, otherwise }));
        }
        block
    }

    fn in_block(place: Place) -> Place {
        Place {
            conditionals: place.conditionals + 1,
            levels: place.levels + 1,
            outermost: false,
            returns: false,
            ..place
        }
    }

    fn in_loop(place: Place, continues: bool) -> Place {
        Place {
            loops: place.loops + 1,
            levels: 0,
            outermost: false,
            returns: false,
            continues,
            ..place
        }
    }

    fn statement(&mut self, place: Place, block: &mut Block) {
        self.budget = self.budget.saturating_sub(1);
        self.source.piece();
        let choice = self.source.choices().byte();
        if self.limits.long && self.sometimes(40) {
            return self.computed(place, block);
        }
        match choice {
            0..=63 => block.push(Statement::Assign(self.assignment())),
            64..=69 => block.push(Statement::AssignFloat(self.float_assignment())),
            70..=94 => block.push(Statement::Compare(self.comparison())),
            95..=144 => block.extend(self.foreign()),
            145..=182 => self.conditional(place, block),
            183..=200 => self.repeat(place, block),
            201..=228 => self.leave(place, block),
            229..=233 => self.halt(place, block),
            234..=238 => self.jump(place, block),
            239..=246 if self.has_stacks() => self.wrap(place, block),
            239..=246 => self.elsewhere(place, block),
            _ => self.event(place, block),
        }
    }

    /// What goes where a computed value leads.
    fn computed(&mut self, place: Place, block: &mut Block) {
        if self.sometimes(70) {
            let selector = self.below(VARIABLES) as u8;
            let inside = Place { outermost: false, ..place };
            let blocks = [(); SWITCH].map(|()| {
                let mut block = Block::new();
                self.statement(inside, &mut block);
                block
            });
            return block.push(Statement::Switch(selector, blocks));
        }
        let store = self.sometimes(100);
        block.push(Statement::Access(Access {
            index: self.below(VARIABLES) as u8,
            value: self.below(VARIABLES) as u8,
            base: 16 * self.below(3) as u8,
            subregister: self.below(8) as u8,
            store,
            each: !store && self.sometimes(128),
        }));
    }

    fn has_stacks(&self) -> bool {
        has_mask_stacks(self.limits.device)
    }

    fn has_goto(&self) -> bool {
        Opcode::Goto.code(self.limits.device).is_some()
    }

    /// How a conditional block without `else` can be written besides.
    fn short_form(&self) -> IfForm {
        if self.has_stacks() {
            IfForm::Fast
        } else if self.has_goto() {
            IfForm::Goto
        } else {
            IfForm::General
        }
    }

    fn body(&mut self, place: Place) -> Block {
        let mut block = Block::new();
        for _ in 0..1 + self.below(4) {
            self.statement(place, &mut block);
        }
        block
    }

    fn conditional(&mut self, place: Place, block: &mut Block) {
        if place.conditionals >= self.limits.conditionals || self.budget == 0 {
            return;
        }
        // A fresh comparison, or flags as they happen to be.
        if self.sometimes(200) {
            block.push(Statement::Compare(self.comparison()));
        }
        let inside = Self::in_block(place);
        let test = self.test();
        let plain = test.control == PredicateControl::Sequential && !test.inverse;
        let form = match self.below(8) {
            0..=4 => IfForm::General,
            7 if plain && self.has_stacks() && !self.limits.single_program_flow => IfForm::Masks,
            _ => self.short_form(),
        };
        let then = self.body(inside);
        let otherwise = (form == IfForm::General && self.sometimes(140)).then(|| self.body(inside));
        block.push(Statement::If(Conditional { test, form, then, otherwise }));
    }

    fn repeat(&mut self, place: Place, block: &mut Block) {
        if place.loops >= self.limits.loops || self.budget == 0 {
            return;
        }
        let guarded = self.sometimes(150);
        let flag = self.pick(self.limits.flags);
        let (most, start) = match (self.limits.long, place.loops) {
            (true, 1) => (12, Some((self.below(VARIABLES) as u8, 3))),
            (true, 2) => (5, self.sometimes(128).then(|| (self.below(VARIABLES) as u8, 1))),
            (_, 0 | 1) => (4, None),
            _ => (2, None),
        };
        let turns = 1 + self.below(most) as u32;
        let mut body = self.body(Self::in_loop(place, guarded || !self.limits.scalar));
        let again = (guarded && self.sometimes(128)).then(|| {
            body.push(Statement::Compare(self.comparison()));
            self.test()
        });
        let counter = place.loops % COUNTERS as u8;
        let guarded = guarded || continues(&body);
        let form = match self.has_goto() && self.sometimes(80) {
            true => LoopForm::Goto,
            false => LoopForm::While,
        };
        block.push(Statement::Loop(Loop {
            form,
            counter,
            turns,
            start,
            flag,
            guarded,
            body,
            again,
        }));
    }

    /// `break` or `cont`.
    fn leave(&mut self, place: Place, block: &mut Block) {
        // The loop around all of a long program goes on.
        let around = place.loops_around.max(u8::from(self.limits.long));
        if place.loops <= around || place.levels > 15 {
            return block.push(Statement::Assign(self.assignment()));
        }
        let when = self.when(block);
        let leaves = !place.continues || self.sometimes(128);
        block.push(if leaves { Statement::Break(when) } else { Statement::Continue(when) });
    }

    fn halt(&mut self, place: Place, block: &mut Block) {
        // Early exits are rare: little runs after them.
        if self.limits.long || place.outermost && self.sometimes(128) {
            return;
        }
        let when = self.when(block);
        block.push(Statement::Halt(when));
    }

    /// A test behind a comparison, mostly.
    fn when(&mut self, block: &mut Block) -> Option<Test> {
        if self.sometimes(40) {
            return None;
        }
        if self.sometimes(200) {
            block.push(Statement::Compare(self.comparison()));
        }
        Some(self.test())
    }

    fn jump(&mut self, place: Place, block: &mut Block) {
        let forms =
            [JumpForm::Index, JumpForm::IndexRegister, JumpForm::Absolute, JumpForm::Relative];
        let form = self.pick(&forms);
        let when = (!self.limits.scalar && self.sometimes(128)).then(|| self.test());
        let over = self.body(Place { outermost: false, ..place });
        block.push(Statement::Jump(form, when, over));
    }

    fn wrap(&mut self, place: Place, block: &mut Block) {
        if place.conditionals >= self.limits.conditionals {
            return;
        }
        let wrap = self.pick(&[Wrap::PushPop, Wrap::SaveRestore, Wrap::PushRestore]);
        let body = self.body(Self::in_block(place));
        block.push(Statement::Wrap(wrap, body));
    }

    /// A call, a return, or `goto` over ends of blocks.
    fn elsewhere(&mut self, place: Place, block: &mut Block) {
        if self.budget == 0 {
            return;
        }
        if place.returns && self.sometimes(90) {
            let when = self.when(block);
            return block.push(Statement::Return(when));
        }
        if self.has_goto() && place.conditionals < self.limits.conditionals && self.sometimes(110) {
            block.push(Statement::Compare(self.comparison()));
            let tests = [self.test(), self.test()];
            let inside = Self::in_block(place);
            let blocks = [0; 3].map(|_| self.body(inside));
            return block.push(Statement::Crossing(Crossing { tests, blocks }));
        }
        if place.calls == DEEPEST_CALL {
            return block.push(Statement::Assign(self.assignment()));
        }
        let when = self.when(block);
        let calls = place.calls + 1;
        let inside = Place {
            calls,
            loops_around: place.loops,
            returns: true,
            outermost: false,
            continues: false,
            ..place
        };
        let body = self.body(inside);
        block.push(Statement::Call(Call { when, depth: place.calls, body }));
    }

    fn event(&mut self, place: Place, block: &mut Block) {
        let events = [Event::Software, Event::Illegal, Event::Breakpoint, Event::Wait];
        let event = self.pick(&events);
        let allowed = match event {
            Event::Wait => place.outermost,
            _ => self.limits.exceptions,
        };
        if allowed && !self.limits.long {
            block.push(Statement::Event(event));
        } else {
            block.push(Statement::Compare(self.comparison()));
        }
    }

    /// An instruction of the straight-line generator; in a long program one of those whose results are
    /// exact.
    fn foreign(&mut self) -> Option<Statement> {
        let limits = self.limits;
        if limits.long {
            let registers = Registers::of(limits.device);
            let fits = |instruction: &Instruction| match has_mask_stacks(limits.device) {
                true => is_exact(instruction, registers),
                false => is_simple(instruction, registers),
            };
            return (0..4).find_map(|_| self.source.instruction(&fits)).map(Statement::Foreign);
        }
        let fits = |instruction: &Instruction| is_harmless(instruction, limits);
        self.source.instruction(&fits).map(Statement::Foreign)
    }
}
