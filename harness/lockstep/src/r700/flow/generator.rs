//! Bytes to a structured program.

use parallax_isa::r700::{AluOpcode, case::ProgramType, opcode::Units};

use super::{
    super::generate::ports::{self, Load, Loads},
    tree::{
        Assign, Block, BranchForm, Export, LeaveForm, LoopKind, Place, Relation, Source, Statement,
        Step, Test, Tree, Uniform, UniformForm,
    },
};
use crate::choices::Choices;

/// Registers that statements read and write.
pub(super) const DATA: u8 = 6;
/// Registers whose elements count the trips of loops without a count.
pub(super) const COUNTERS: u8 = 2;
/// The constant of the loop around all of a long program; other loops have those before it.
pub(super) const LONG_LOOP: u8 = 8;
/// Deepest nesting of statements.
const DEPTH: u32 = 4;
/// Most statements of a program.
const BUDGET: usize = 14;

/// Integer instructions that any unit runs.
const ANY: [AluOpcode; 21] = [
    AluOpcode::AddInt,
    AluOpcode::SubInt,
    AluOpcode::AndInt,
    AluOpcode::OrInt,
    AluOpcode::XorInt,
    AluOpcode::NotInt,
    AluOpcode::MaxInt,
    AluOpcode::MinInt,
    AluOpcode::MaxUint,
    AluOpcode::MinUint,
    AluOpcode::SeteInt,
    AluOpcode::SetgtInt,
    AluOpcode::SetgeInt,
    AluOpcode::SetneInt,
    AluOpcode::SetgtUint,
    AluOpcode::SetgeUint,
    AluOpcode::AshrInt,
    AluOpcode::LshlInt,
    AluOpcode::Mov,
    AluOpcode::CndeInt,
    AluOpcode::CndgtInt,
];
/// Integer instructions of Trans.
const TRANS: [AluOpcode; 4] =
    [AluOpcode::MulloInt, AluOpcode::MulhiInt, AluOpcode::MulloUint, AluOpcode::MulhiUint];

/// Where statements stand.
#[derive(Debug, Clone, Copy)]
struct Scope {
    depth: u32,
    /// A loop is around, in the same subroutine.
    in_loop: bool,
    /// A loop that sets aL is around.
    indexed: bool,
    /// Loops without a count around.
    endless: u8,
    /// First subroutine that may be called.
    callable: usize,
}

/// Makes a tree.
pub(super) struct Generator<'c, 'b> {
    pub(super) choices: &'c mut Choices<'b>,
    pub(super) prefer_vector: bool,
    pub(super) kills: bool,
    functions: usize,
    budget: usize,
    /// Counters of loops that were given out.
    counters: u8,
    retiring: bool,
    /// Whether it runs for thousands of steps, on a way that computed values decide: addresses and
    /// numbers of trips too.
    long: bool,
}

impl<'c, 'b> Generator<'c, 'b> {
    pub(super) fn new(choices: &'c mut Choices<'b>, prefer_vector: bool, kills: bool) -> Self {
        Self {
            choices,
            prefer_vector,
            kills,
            functions: 0,
            budget: 0,
            counters: 0,
            retiring: false,
            long: false,
        }
    }

    /// The same for long programs, in which no pixel is killed.
    pub(super) fn long(self) -> Self {
        Self { kills: false, long: true, ..self }
    }

    /// A program and its subroutines.
    pub(super) fn tree(&mut self, program_type: ProgramType) -> Tree {
        self.functions = self.choices.below(3);
        self.retiring = self.kills && self.choices.sometimes(80);
        let scope = Scope { depth: 0, in_loop: false, indexed: false, endless: 0, callable: 0 };
        self.budget = 4 + self.choices.below(BUDGET - 3);
        let main = if self.long { self.around(scope) } else { self.block(scope, 3) };
        let functions = (0..self.functions)
            .map(|number| {
                self.budget = 4;
                self.block(Scope { depth: 2, callable: number + 1, ..scope }, 2)
            })
            .collect();
        self.choices.piece();
        let exports = self.exports(program_type);
        Tree { main, functions, exports, retiring: self.retiring }
    }

    /// A loop around all of a long program: what one trip computes decides the way of the next.
    fn around(&mut self, scope: Scope) -> Block {
        self.budget += BUDGET;
        let inner = Scope { depth: 1, in_loop: true, ..scope };
        let mut body = Vec::new();
        while self.budget > 0 && !self.choices.is_empty() {
            self.budget -= 1;
            self.statement(inner, &mut body);
        }
        let (kind, constant) = (LoopKind::Repeat, LONG_LOOP);
        vec![Statement::Loop { kind, constant, condition: None, body }]
    }

    fn block(&mut self, scope: Scope, most: usize) -> Block {
        let count = 1 + self.choices.below(most);
        let mut block = Vec::new();
        for _ in 0..count {
            if self.budget == 0 && !block.is_empty() {
                break;
            }
            self.budget = self.budget.saturating_sub(1);
            self.statement(scope, &mut block);
        }
        block
    }

    fn statement(&mut self, scope: Scope, block: &mut Block) {
        self.choices.piece();
        let inner = Scope { depth: scope.depth + 1, ..scope };
        let nested = scope.depth < DEPTH && self.budget > 0;
        if self.long && self.choices.sometimes(40) {
            let (index, value) = (self.place(), self.place());
            let base = self.choices.below(usize::from(DATA) - 3) as u8;
            let store = self.choices.sometimes(100);
            return block.push(Statement::Gather { index, base, value, store });
        }
        match self.choices.below(16) {
            0..=3 if nested => {
                let forms = self.forms();
                let statement = self.branch(scope, inner, forms);
                let pushes_before =
                    matches!(statement, Statement::Branch { form: BranchForm::PushBefore, .. });
                block.push(statement);
                if pushes_before && self.choices.sometimes(96) {
                    // One instruction pops what that one pushed and pushes for the next.
                    let next = self.branch(scope, inner, &[BranchForm::Push]);
                    block.push(next);
                }
            }
            4 | 5 if nested => {
                let statement = self.constant_branch(inner);
                block.push(statement);
            }
            6..=8 if nested => self.repeat(scope, inner, block),
            9 | 10 if scope.in_loop => {
                let test = self.test(scope);
                let form = *self.choices.pick(&[LeaveForm::Clause, LeaveForm::Instruction]);
                // The loop around all of a long program goes on.
                let last = self.choices.sometimes(128) && !(self.long && scope.depth == 1);
                block.push(Statement::Leave { last, test, form });
            }
            11 if scope.callable < self.functions => {
                let function = scope.callable + self.choices.below(self.functions - scope.callable);
                // The most levels make the second call one too deep.
                let most = if self.long { 4 } else { 6 };
                let levels = *self.choices.pick(&[1, 1, 0, 2, 17, 31][..most]);
                let condition = self.choices.sometimes(64).then(|| self.uniform());
                block.push(Statement::Call { function, levels, condition });
            }
            12 if self.kills => {
                if self.choices.sometimes(32) {
                    block.push(Statement::KillAll);
                } else {
                    let test = self.test(scope);
                    block.push(Statement::Kill(test));
                }
            }
            13 if self.choices.sometimes(64) => {
                block.push(Statement::Nothing { wait: self.choices.sometimes(128) });
            }
            _ => {
                let steps = self.steps(scope, 3, true);
                block.push(Statement::Compute(steps));
            }
        }
    }

    /// The forms that a branch can have here.
    fn forms(&self) -> &'static [BranchForm] {
        use BranchForm::{ElseAfter, Nested, PopAfter, PoppingJump, Push, PushBefore};
        if self.retiring {
            // Every pop is to be the same for all pixels.
            &[PushBefore, Push]
        } else {
            &[PushBefore, Push, PoppingJump, PopAfter, ElseAfter, Nested]
        }
    }

    fn branch(&mut self, scope: Scope, inner: Scope, forms: &[BranchForm]) -> Statement {
        let test = self.test(scope);
        let mut then = self.block(inner, 2);
        let form = *self.choices.pick(forms);
        if form == BranchForm::Nested {
            let test = self.test(scope);
            let innermost = std::mem::take(&mut then);
            let form = BranchForm::PoppingJump;
            then = vec![Statement::Branch { test, then: innermost, otherwise: Vec::new(), form }];
        }
        if matches!(form, BranchForm::PopAfter | BranchForm::Nested) && self.choices.sometimes(200)
        {
            // Something for the last clause to pop after.
            let steps = self.steps(inner, 2, false);
            match (&mut then[..], form) {
                ([Statement::Branch { then, .. }], BranchForm::Nested) => {
                    then.push(Statement::Compute(steps));
                }
                _ => then.push(Statement::Compute(steps)),
            }
        }
        let both =
            matches!(form, BranchForm::PushBefore | BranchForm::Push | BranchForm::ElseAfter);
        let otherwise =
            if both && self.choices.sometimes(128) { self.block(inner, 2) } else { Vec::new() };
        Statement::Branch { test, then, otherwise, form }
    }

    fn constant_branch(&mut self, inner: Scope) -> Statement {
        let condition = self.uniform();
        let form =
            *self.choices.pick(&[UniformForm::Push, UniformForm::PushElse, UniformForm::Jump]);
        let then = self.block(inner, 2);
        let otherwise = match form {
            UniformForm::Push => Vec::new(),
            _ => self.block(inner, 2),
        };
        Statement::Constant { condition, then, otherwise, form }
    }

    fn repeat(&mut self, scope: Scope, inner: Scope, block: &mut Block) {
        let kinds = [LoopKind::Counted, LoopKind::Counted, LoopKind::Repeat, LoopKind::Endless];
        let mut kind = *self.choices.pick(&kinds);
        if self.counters == COUNTERS * 4 && kind == LoopKind::Endless {
            kind = LoopKind::Counted;
        }
        let endless = kind == LoopKind::Endless;
        let scope_inside = Scope {
            in_loop: true,
            indexed: scope.indexed || kind == LoopKind::Counted,
            endless: scope.endless + u8::from(endless),
            ..inner
        };
        let mut body = self.block(scope_inside, 3);
        if endless {
            let counter = self.counter();
            let set = if self.long {
                let low = vec![Source::Register(self.place()), Source::Literal(3)];
                self.single(AluOpcode::AndInt, low, counter)
            } else {
                self.single(AluOpcode::Mov, vec![Source::Small(0)], counter)
            };
            block.push(Statement::Compute(vec![set]));
            let one = vec![Source::Register(counter), Source::Small(1)];
            let before = vec![self.single(AluOpcode::AddInt, one, counter)];
            let trips = 2 + self.choices.below(if self.long { 6 } else { 2 }) as u32;
            let sources = [Source::Register(counter), Source::Literal(trips)];
            let test = Test { before, relation: Relation::GreaterEqual, sources };
            let form = *self.choices.pick(&[LeaveForm::Clause, LeaveForm::Instruction]);
            body.insert(0, Statement::Leave { last: true, test, form });
        }
        let constant = self.choices.below(LONG_LOOP.into()) as u8;
        // One field of the instruction names the loop's constant and the condition's.
        let condition = self.choices.sometimes(40).then(|| Uniform { constant, ..self.uniform() });
        block.push(Statement::Loop { kind, constant, condition, body });
    }

    fn counter(&mut self) -> Place {
        let number = self.counters;
        self.counters += 1;
        Place { register: DATA + number / 4, element: number % 4, relative: false }
    }

    fn uniform(&mut self) -> Uniform {
        let constant = self.choices.below(32) as u8;
        Uniform { constant, wanted: self.choices.sometimes(128) }
    }

    fn test(&mut self, scope: Scope) -> Test {
        let before =
            if self.choices.sometimes(100) { self.steps(scope, 2, false) } else { Vec::new() };
        let relation = *self.choices.pick(&Relation::ALL);
        let first = Source::Register(self.place());
        let second = match self.choices.below(4) {
            0 => Source::Small(self.choices.below(3) as i8 - 1),
            1 => Source::Literal(self.choices.word()),
            2 => Source::Literal(self.choices.byte().into()),
            _ => Source::Register(self.place()),
        };
        Test { before, relation, sources: [first, second] }
    }

    fn place(&mut self) -> Place {
        let register = self.choices.below(usize::from(DATA)) as u8;
        Place { register, element: self.choices.below(4) as u8, relative: false }
    }

    /// The groups of a clause.
    fn steps(&mut self, scope: Scope, most: usize, predicates: bool) -> Vec<Step> {
        let count = 1 + self.choices.below(most);
        let mut previous = Vec::new();
        let mut predicated = false;
        let mut steps = Vec::new();
        for _ in 0..count {
            if predicates && self.choices.sometimes(40) {
                let step = self.predicate_step();
                previous = vec![step[0].unit];
                predicated = true;
                steps.push(step);
                continue;
            }
            let step = self.step(scope, &previous, predicated);
            previous = step.iter().filter(|a| a.when.is_none()).map(|a| a.unit).collect();
            steps.push(step);
        }
        steps
    }

    /// A group that sets the predicate of those after it.
    fn predicate_step(&mut self) -> Step {
        let opcode = self.choices.pick(&Relation::ALL).predicate();
        let sources = vec![Source::Register(self.place()), Source::Register(self.place())];
        let place = self.place();
        let mut step = self.single(opcode, sources, place);
        step[0].write = self.choices.sometimes(64);
        step[0].predicate = true;
        step
    }

    /// A group of one instruction.
    fn single(&mut self, opcode: AluOpcode, sources: Vec<Source>, place: Place) -> Step {
        let mut step = vec![assign(opcode, sources, place)];
        self.finish(&mut step);
        step
    }

    fn step(&mut self, scope: Scope, previous: &[u8], predicated: bool) -> Step {
        let units = self.choices.byte() | 1 << self.choices.below(4);
        let mut step = Vec::new();
        for element in (0..4).filter(|element| units >> element & 1 == 1) {
            let opcode = *self.choices.pick(&ANY);
            step.push((opcode, element));
        }
        if units >> 4 & 3 == 0 {
            let opcode = *self.choices.pick(&TRANS);
            step.push((opcode, self.choices.below(4) as u8));
        } else if units >> 4 & 3 == 1 {
            let (_, occupied) = *self.choices.pick(&step);
            step.push((*self.choices.pick(&ANY), occupied));
        }
        let mut step: Step = step
            .into_iter()
            .map(|(opcode, element)| {
                let count = opcode.row().sources.len();
                let sources = (0..count).map(|_| self.source(scope, previous)).collect();
                let mut place = Place { element, ..self.place() };
                place.relative = scope.indexed && scope.endless == 0 && self.choices.sometimes(32);
                let mut assign = assign(opcode, sources, place);
                if opcode.row().sources.len() < 3 {
                    assign.write = !self.choices.sometimes(24);
                }
                let bits = self.choices.byte();
                assign.when = (predicated && bits & 1 == 1).then_some(bits & 2 == 2);
                assign
            })
            .collect();
        self.finish(&mut step);
        step
    }

    fn source(&mut self, scope: Scope, previous: &[u8]) -> Source {
        match self.choices.below(12) {
            0 => Source::Small(self.choices.below(3) as i8 - 1),
            1 => Source::Literal(self.choices.word()),
            2 => Source::Literal(self.choices.below(40) as u32),
            3 | 4 if !previous.is_empty() => match *self.choices.pick(previous) {
                4 => Source::Scalar,
                element => Source::Vector(element),
            },
            5 if scope.indexed => Source::Register(Place { relative: true, ..self.place() }),
            _ => Source::Register(self.place()),
        }
    }

    /// Units, at most four literals, and bank swizzles; operands that cannot be loaded give way.
    fn finish(&mut self, step: &mut [Assign]) {
        let mut taken = [false; 4];
        let count = step.len();
        for (at, assign) in step.iter_mut().enumerate() {
            let element = usize::from(assign.place.element);
            let any = assign.opcode.row().units == Units::Any;
            let trans = !any || taken[element] || (at + 1 == count && !self.prefer_vector);
            assign.unit = if trans { 4 } else { element as u8 };
            if !trans {
                taken[element] = true;
            }
        }
        let mut literals: Vec<u32> = Vec::new();
        for source in step.iter_mut().flat_map(|assign| &mut assign.sources) {
            if let Source::Literal(bits) = *source
                && !literals.contains(&bits)
            {
                if literals.len() == 4 {
                    *source = Source::Literal(literals[3]);
                } else {
                    literals.push(bits);
                }
            }
        }
        let wanted: Vec<u8> = step.iter().map(|_| self.choices.byte() % 6).collect();
        loop {
            let loads: Vec<Loads> = step.iter().map(loads).collect();
            if let Some(codes) = ports::swizzles(&loads, &wanted) {
                for (assign, code) in step.iter_mut().zip(codes) {
                    assign.swizzle = code;
                }
                return;
            }
            give_way(step);
        }
    }

    fn exports(&mut self, program_type: ProgramType) -> Vec<Export> {
        let count = 1 + self.choices.below(2);
        let mut exports = Vec::new();
        for number in 0..count {
            let (kind, base, most) = match program_type {
                ProgramType::Pixel if number == 1 => (0, 61, 1),
                ProgramType::Pixel => (0, self.choices.below(4) as u32, 4),
                ProgramType::Vertex if number == 0 => (1, 60, 2),
                ProgramType::Vertex => (2, self.choices.below(20) as u32, 4),
                _ => return exports,
            };
            let count = 1 + self.choices.below(most) as u32;
            let register = self.choices.below(usize::from(DATA) - count as usize) as u8;
            let selects = [0; 4].map(|_| *self.choices.pick(&[0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 7]));
            exports.push(Export { kind, base, count, register, selects });
        }
        exports
    }
}

const fn assign(opcode: AluOpcode, sources: Vec<Source>, place: Place) -> Assign {
    Assign {
        opcode,
        sources,
        place,
        unit: 0,
        write: true,
        when: None,
        predicate: false,
        swizzle: 0,
    }
}

fn loads(assign: &Assign) -> Loads {
    let load = |source: &Source| match *source {
        Source::Register(place) => Load::Register {
            register: u32::from(place.register) | u32::from(place.relative) << 8,
            element: place.element,
        },
        Source::Literal(_) | Source::Small(_) => Load::Immediate,
        Source::Vector(_) | Source::Scalar => Load::Previous,
    };
    Loads { operands: assign.sources.iter().map(load).collect(), trans: assign.unit == 4 }
}

/// Makes one operand easier to load: the last of a vector unit that is a register, else all of Trans.
fn give_way(step: &mut [Assign]) {
    let register = |source: &Source| matches!(source, Source::Register(_));
    let trans_constants = |assign: &Assign| {
        assign.unit == 4 && assign.sources.iter().filter(|source| !register(source)).count() > 2
    };
    if !step.iter().any(trans_constants) {
        let vector: Vec<&mut Assign> = step.iter_mut().rev().filter(|a| a.unit != 4).collect();
        for assign in vector {
            if let Some(source) = assign.sources.iter_mut().rfind(|source| register(source)) {
                *source = Source::Small(0);
                return;
            }
        }
    }
    let first = Source::Register(Place { register: 0, element: 0, relative: false });
    for assign in step.iter_mut().filter(|assign| assign.unit == 4) {
        assign.sources.fill(first);
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::r700::opcode::Kind;

    use super::*;

    #[test]
    fn instructions_of_the_lists_are_integer_ones() {
        for opcode in ANY.iter().chain(&TRANS) {
            let kinds = opcode.row().sources.iter().chain([&opcode.row().result]);
            assert!(kinds.into_iter().all(|kind| *kind != Kind::F32), "{opcode:?}");
        }
    }
}
