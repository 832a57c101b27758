//! Bytes to trees: nested blocks and loops, data instructions in between.

use parallax_isa::eu::{
    Instruction, Opcode,
    instruction::{ConditionalModifier, PredicateControl},
    operand::{Register, Source},
    register::{ArfKind, RegisterFile},
};

use super::tree::{
    Access, Assignment, BEHIND, Block, COUNTERS, Comparison, Conditional, Domain, Event, FIRST,
    FLOATS, FloatAssignment, IfForm, JumpForm, Loop, Operand, SWITCH, Statement, Test, VARIABLES,
    Wrap, continues, counter,
};
use crate::eu::generate::straight::Straight;

/// What a tree may consist of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
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
pub(super) struct Grower<'s, 'c, 'b> {
    pub(super) straight: &'s mut Straight<'c, 'b>,
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
}

const CONDITIONS: &[ConditionalModifier] = &[
    ConditionalModifier::Equal,
    ConditionalModifier::NotEqual,
    ConditionalModifier::Greater,
    ConditionalModifier::GreaterEqual,
    ConditionalModifier::Less,
    ConditionalModifier::LessEqual,
];

impl Grower<'_, '_, '_> {
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
        while self.budget > 0 && !self.straight.choices.is_empty() {
            self.statement(outermost, &mut body);
        }
        body
    }

    /// A loop around all of the program: what one turn computes decides the way of the next.
    fn long(&mut self) -> Block {
        let place = Self::in_loop(Place::default(), true);
        let mut body = Block::new();
        while self.budget > 0 && !self.straight.choices.is_empty() {
            self.statement(place, &mut body);
        }
        let flag = self.pick(self.limits.flags);
        let start = Some((self.below(VARIABLES) as u8, 7));
        let repeated =
            Loop { counter: 0, turns: 60, start, flag, guarded: true, body, again: None };
        vec![Statement::Loop(repeated)]
    }

    fn sometimes(&mut self, times: u8) -> bool {
        self.straight.choices.sometimes(times)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.straight.choices.below(bound)
    }

    fn pick<T: Copy>(&mut self, options: &[T]) -> T {
        *self.straight.choices.pick(options)
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
            let form = if self.sometimes(128) { IfForm::General } else { IfForm::Fast };
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
            ..place
        }
    }

    fn in_loop(place: Place, continues: bool) -> Place {
        Place { loops: place.loops + 1, levels: 0, outermost: false, continues, ..place }
    }

    fn statement(&mut self, place: Place, block: &mut Block) {
        self.budget = self.budget.saturating_sub(1);
        let choice = self.straight.choices.byte();
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
            239..=246 => self.wrap(place, block),
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
            7 if plain && !self.limits.single_program_flow => IfForm::Masks,
            _ => IfForm::Fast,
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
        block.push(Statement::Loop(Loop { counter, turns, start, flag, guarded, body, again }));
    }

    /// `break` or `cont`.
    fn leave(&mut self, place: Place, block: &mut Block) {
        // The loop around all of a long program goes on.
        if place.loops <= u8::from(self.limits.long) || place.levels > 15 {
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

    fn event(&mut self, place: Place, block: &mut Block) {
        let events = [Event::Software, Event::Illegal, Event::Breakpoint, Event::Wait(0)];
        let event = self.pick(&events);
        let allowed = match event {
            Event::Wait(_) => place.outermost,
            _ => self.limits.exceptions,
        };
        if allowed && !self.limits.long {
            block.push(Statement::Event(event));
        } else {
            block.push(Statement::Compare(self.comparison()));
        }
    }

    fn test(&mut self) -> Test {
        use PredicateControl::{
            All2H, All4H, All8H, All16H, AllV, Any2H, Any4H, Any8H, Any16H, AnyV, Sequential,
        };
        const HORIZONTAL: &[PredicateControl] =
            &[Any2H, All2H, Any4H, All4H, Any8H, All8H, Any16H, All16H];
        let flag = self.pick(self.limits.flags);
        let vertical = !self.limits.scalar || self.limits.flags.len() == 2;
        let control = match self.straight.choices.byte() {
            0..=150 => Sequential,
            151..=180 if vertical => AnyV,
            181..=210 if vertical => AllV,
            211.. if !self.limits.scalar => self.pick(HORIZONTAL),
            _ => Sequential,
        };
        Test { control, inverse: self.sometimes(90), flag }
    }

    fn variable(&mut self) -> Operand {
        Operand::Variable(self.below(VARIABLES) as u8)
    }

    fn operand(&mut self, data_type: parallax_isa::eu::DataType) -> Operand {
        if self.sometimes(80) {
            let small = self.sometimes(128);
            let bits = self.straight.immediate(data_type);
            return Operand::Constant(if small { bits & 7 } else { bits });
        }
        self.variable()
    }

    fn assignment(&mut self) -> Assignment {
        use Opcode::{Add, And, Asr, Avg, Mov, Not, Or, Sel, Shl, Shr, Xor};
        let opcodes = [Mov, Mov, Add, Add, Add, And, Or, Xor, Not, Shl, Shr, Asr, Avg, Sel, Sel];
        let opcode = self.pick(&opcodes);
        let signed = match opcode {
            Asr => true,
            Shr | Shl => false,
            _ => self.sometimes(128),
        };
        let data_type =
            if signed { parallax_isa::eu::DataType::D } else { parallax_isa::eu::DataType::Ud };
        // A constant stands last.
        let sources = match opcode {
            Mov => [self.operand(data_type); 2],
            Not => [self.variable(); 2],
            _ => [self.variable(), self.operand(data_type)],
        };
        let logical = matches!(opcode, And | Or | Xor);
        let flag = (logical && self.sometimes(60)).then(|| {
            let conditions = [ConditionalModifier::Equal, ConditionalModifier::NotEqual];
            (self.pick(&conditions), self.pick(self.limits.flags))
        });
        let mut when = (opcode == Sel || self.sometimes(60)).then(|| self.test());
        // Predicate and conditional modifier name the same flag.
        if let (Some(test), Some((_, flag))) = (&mut when, flag) {
            test.flag = flag;
        }
        let saturate = opcode == Add && self.sometimes(50);
        Assignment {
            opcode,
            signed,
            saturate,
            negate: opcode == Add && !saturate && self.sometimes(50),
            into: self.below(VARIABLES) as u8,
            sources,
            when,
            flag,
            halves: self.sometimes(70),
        }
    }

    fn float_assignment(&mut self) -> FloatAssignment {
        FloatAssignment {
            into: (VARIABLES + self.below(FLOATS)) as u8,
            from: [self.below(VARIABLES) as u8, self.below(VARIABLES) as u8],
            multiply: self.sometimes(128),
        }
    }

    fn comparison(&mut self) -> Comparison {
        use parallax_isa::eu::DataType;
        let domain = match self.below(5) {
            0 => Domain::Float,
            1 | 2 => Domain::Unsigned,
            _ => Domain::Signed,
        };
        let float = |grower: &mut Self| Operand::Variable((VARIABLES + grower.below(FLOATS)) as u8);
        let sources = match domain {
            Domain::Float => [float(self), float(self)],
            Domain::Signed => [self.variable(), self.operand(DataType::D)],
            Domain::Unsigned => [self.variable(), self.operand(DataType::Ud)],
        };
        let flag = self.pick(self.limits.flags);
        let when = self.sometimes(30).then(|| Test { flag, ..self.test() });
        Comparison {
            condition: self.pick(CONDITIONS),
            domain,
            sources,
            flag,
            when,
            halves: self.sometimes(70),
        }
    }

    /// An instruction of the straight-line generator, one of those whose results are exact.
    fn exact(&mut self) -> Option<Statement> {
        (0..4).find_map(|_| {
            let (addresses, results) = (self.straight.addresses, self.straight.logic_results);
            let instruction = self.straight.instruction();
            self.straight.addresses = addresses;
            self.straight.logic_results = results;
            is_exact(&instruction).then_some(Statement::Foreign(instruction))
        })
    }

    /// An instruction of the straight-line generator.
    fn foreign(&mut self) -> Option<Statement> {
        if self.limits.long {
            return self.exact();
        }
        let (addresses, results) = (self.straight.addresses, self.straight.logic_results);
        let instruction = self.straight.instruction();
        if is_harmless(&instruction, self.limits) {
            return Some(Statement::Foreign(instruction));
        }
        self.straight.addresses = addresses;
        self.straight.logic_results = results;
        None
    }
}

/// Whether an instruction's result is exact, mostly, and leaves alone what keeps a long program going:
/// loop counters and what is computed of addresses.
fn is_exact(instruction: &Instruction) -> bool {
    use Opcode::{
        Add, And, Asr, Avg, Cmp, Frc, Lzd, Mov, Mul, Not, Or, Rndd, Rnde, Rndu, Rndz, Sel, Shl,
        Shr, Xor,
    };
    let exact = [
        Mov, Sel, Not, And, Or, Xor, Shr, Shl, Asr, Cmp, Add, Mul, Avg, Lzd, Frc, Rndu, Rndd, Rnde,
        Rndz,
    ];
    let is_plain = |register: Register| match register {
        Register::Direct { file, .. } => {
            file != RegisterFile::Arf || register.arf() == Some(ArfKind::Null)
        }
        Register::Indirect { .. } => false,
    };
    let destination = instruction.destination.register;
    let keeps_counters = match destination {
        Register::Direct { file: RegisterFile::Grf, number, .. } => {
            !(counter(0) - 1..BEHIND).contains(&number)
        }
        _ => true,
    };
    let sources = instruction.sources.iter().all(|source| match source {
        Source::Register { register, .. } => is_plain(*register),
        Source::Immediate { .. } => true,
    });
    exact.contains(&instruction.opcode) && is_plain(destination) && keeps_counters && sources
}

/// Whether an instruction leaves alone what the tree depends on. Addresses are left alone always:
/// what the straight-line generator knows about them must hold on every way through the program.
fn is_harmless(instruction: &Instruction, limits: Limits) -> bool {
    let register = instruction.destination.register;
    if register.arf() == Some(ArfKind::Address) {
        return false;
    }
    let keeps_registers = match register {
        Register::Direct { file: RegisterFile::Grf, number, .. } => {
            number >= BEHIND || number + 1 < FIRST
        }
        Register::Direct { file: RegisterFile::Arf, .. } => {
            matches!(register.arf(), Some(ArfKind::Null | ArfKind::Accumulator))
        }
        Register::Direct { .. } => true,
        Register::Indirect { .. } => false,
    };
    let sets_flags = instruction.condition != ConditionalModifier::None;
    let keeps_flags = !sets_flags
        || instruction.execution_size <= 16
            && !limits.flags.contains(&instruction.flag_subregister);
    !limits.scalar || keeps_registers && keeps_flags
}
