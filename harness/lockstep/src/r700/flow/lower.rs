//! Structured programs to control-flow instructions and clauses.

use parallax_isa::r700::{
    Alu, AluOpcode, Cf, CfOpcode, Group, Source as Select,
    microcode::{AluOp2, AluOp3, CfAluWord, CfWord, ExportSwizzle, Field},
    opcode::AluFormat,
    program::Clause,
    source::Inline,
};

use super::{
    super::layout::Item,
    tree::{
        Assign, BranchForm, Export, LeaveForm, LoopKind, Place, Relation, Source, Statement, Step,
        Test, Tree, Uniform, UniformForm,
    },
};

/// `COND`.
const ACTIVE: u32 = 0;
/// The same: fails for all pixels.
const FALSE: u32 = 1;

/// The items of a tree.
pub(super) fn lower(tree: &Tree) -> Vec<Item> {
    main_and_functions(tree).0
}

/// The same, and the number of the first item behind the end of the program, where its functions start.
pub(super) fn main_and_functions(tree: &Tree) -> (Vec<Item>, usize) {
    let mut lowering = Lowering {
        items: Vec::new(),
        retiring: tree.retiring,
        calls: Vec::new(),
        leaving: Vec::new(),
        fused: false,
        owed: false,
    };
    lowering.block(&tree.main);
    for (number, export) in tree.exports.iter().enumerate() {
        let last = tree.exports[number + 1..].iter().all(|later| later.kind != export.kind);
        lowering.items.push(exporting(*export, last));
    }
    match lowering.items.pop() {
        Some(item) if !tree.exports.is_empty() => lowering.items.push(item.ending()),
        other => {
            lowering.items.extend(other);
            lowering.items.push(Item::plain(CfOpcode::Nop).ending());
        }
    }
    let end = lowering.items.len();
    let mut starts = Vec::new();
    for function in &tree.functions {
        starts.push(lowering.next());
        lowering.block(function);
        lowering.items.push(Item::plain(CfOpcode::Return));
    }
    for (at, function) in std::mem::take(&mut lowering.calls) {
        lowering.set_target(at, starts[function]);
    }
    (lowering.items, end)
}

struct Lowering {
    items: Vec<Item>,
    retiring: bool,
    /// Calls, to get their addresses at the end.
    calls: Vec<(usize, usize)>,
    /// Breaks and continues of the loops around, to get the address of their end.
    leaving: Vec<Vec<usize>>,
    /// The branch that is next leaves its pop to the one after it.
    fused: bool,
    /// A pop was left to the branch that is next.
    owed: bool,
}

fn word(opcode: CfOpcode) -> CfWord {
    CfWord::default().with(CfWord::CF_INST, opcode.code()).with(CfWord::BARRIER, 1)
}

fn conditional(word: CfWord, condition: Uniform) -> CfWord {
    let test = if condition.wanted { 2 } else { 3 };
    word.with(CfWord::COND, test).with(CfWord::CF_CONST, condition.constant.into())
}

impl Lowering {
    fn next(&self) -> u32 {
        self.items.len() as u32
    }

    fn push(&mut self, word: CfWord) -> usize {
        self.items.push(Item::of(Cf::Plain(word)));
        self.items.len() - 1
    }

    fn set_target(&mut self, at: usize, target: u32) {
        self.items[at] = self.items[at].clone().with_target(target);
    }

    /// Makes an instruction jump to what comes next.
    fn here(&mut self, at: usize) {
        self.set_target(at, self.next());
    }

    fn clause(&mut self, opcode: CfOpcode, groups: Vec<Group>) {
        let word = CfAluWord::default().with(CfAluWord::CF_INST, opcode.code());
        let cf = Cf::Alu(word.with(CfAluWord::BARRIER, 1));
        self.items.push(Item { cf, clause: Some(Clause::Alu(groups)) });
    }

    /// An instruction that pops or inverts: in valid pixel mode if killed pixels are to be off.
    fn restoring(&self, opcode: CfOpcode, pops: u32) -> CfWord {
        word(opcode)
            .with(CfWord::POP_COUNT, pops)
            .with(CfWord::VALID_PIXEL_MODE, self.retiring.into())
    }

    fn pop(&mut self, count: u32) {
        let at = self.push(self.restoring(CfOpcode::Pop, count));
        self.here(at);
    }

    fn block(&mut self, block: &[Statement]) {
        for (at, statement) in block.iter().enumerate() {
            // Where a branch that pushes follows, its push takes over the pop of this one.
            self.fused = matches!(
                (statement, block.get(at + 1)),
                (
                    Statement::Branch { form: BranchForm::PushBefore, .. },
                    Some(Statement::Branch { form: BranchForm::Push, .. })
                )
            );
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Compute(steps) => self.clause(CfOpcode::Alu, groups(steps)),
            Statement::Branch { test, then, otherwise, form } => {
                self.branch(test, then, otherwise, *form);
            }
            Statement::Constant { condition, then, otherwise, form } => {
                self.constant_branch(*condition, then, otherwise, *form);
            }
            Statement::Loop { kind, constant, condition, body } => {
                self.repeat(*kind, *constant, *condition, body);
            }
            Statement::Leave { last, test, form } => self.leave(*last, test, *form),
            Statement::Call { function, levels, condition } => {
                let mut call = word(CfOpcode::Call).with(CfWord::CALL_COUNT, (*levels).into());
                if let Some(condition) = condition {
                    call = conditional(call, *condition);
                }
                let at = self.push(call);
                self.calls.push((at, *function));
            }
            Statement::Kill(test) => {
                let mut list = groups(&test.before);
                list.push(comparison(test.relation.kill(), test.sources, false));
                self.clause(CfOpcode::Alu, list);
            }
            Statement::KillAll => {
                let at = self.push(word(CfOpcode::Kill));
                self.here(at);
            }
            Statement::Gather { index, base, value, store } => {
                self.clause(CfOpcode::Alu, gather(*index, *base, *value, *store));
            }
            Statement::Nothing { wait } => {
                let opcode = if *wait { CfOpcode::WaitAck } else { CfOpcode::Nop };
                self.push(word(opcode));
            }
        }
    }

    fn branch(
        &mut self,
        test: &Test,
        then: &[Statement],
        otherwise: &[Statement],
        form: BranchForm,
    ) {
        let fused = std::mem::take(&mut self.fused);
        let owed = std::mem::take(&mut self.owed);
        match form {
            BranchForm::PushBefore | BranchForm::ElseAfter => {
                if form == BranchForm::PushBefore {
                    self.clause(CfOpcode::AluPushBefore, tested(test, false));
                } else {
                    // The inversion after the clause makes active what fails.
                    self.clause(CfOpcode::AluElseAfter, tested(test, true));
                }
                self.arms(then, otherwise);
                if fused {
                    self.owed = true;
                } else {
                    self.pop(1);
                }
            }
            BranchForm::Push => {
                let push = if owed {
                    self.push(self.restoring(CfOpcode::PopPush, 1))
                } else {
                    self.push(word(CfOpcode::Push))
                };
                self.clause(CfOpcode::Alu, tested(test, false));
                self.arms(then, otherwise);
                let pop = self.push(self.restoring(CfOpcode::PopJump, 1));
                self.here(pop);
                self.here(push);
            }
            BranchForm::PoppingJump => {
                self.clause(CfOpcode::AluPushBefore, tested(test, false));
                let jump = self.push(word(CfOpcode::Jump).with(CfWord::POP_COUNT, 1));
                self.block(then);
                self.pop(1);
                self.here(jump);
            }
            BranchForm::PopAfter => {
                self.clause(CfOpcode::AluPushBefore, tested(test, false));
                let jump = self.push(word(CfOpcode::Jump).with(CfWord::POP_COUNT, 1));
                self.popping_block(then, 1);
                self.here(jump);
            }
            BranchForm::Nested => {
                self.clause(CfOpcode::AluPushBefore, tested(test, false));
                let jump = self.push(word(CfOpcode::Jump).with(CfWord::POP_COUNT, 1));
                if let [Statement::Branch { test, then, .. }] = then {
                    self.clause(CfOpcode::AluPushBefore, tested(test, false));
                    let inner = self.push(word(CfOpcode::Jump).with(CfWord::POP_COUNT, 2));
                    self.popping_block(then, 2);
                    self.here(inner);
                } else {
                    self.popping_block(then, 1);
                }
                self.here(jump);
            }
        }
    }

    /// Both parts of a branch behind its test.
    fn arms(&mut self, then: &[Statement], otherwise: &[Statement]) {
        let jump = self.push(word(CfOpcode::Jump));
        self.block(then);
        self.here(jump);
        if !otherwise.is_empty() {
            let inversion = self.push(self.restoring(CfOpcode::Else, 0));
            self.block(otherwise);
            self.here(inversion);
        }
    }

    /// A block whose last clause pops, or that ends with a pop.
    fn popping_block(&mut self, block: &[Statement], count: u32) {
        match block.split_last() {
            Some((Statement::Compute(steps), rest)) => {
                for statement in rest {
                    self.statement(statement);
                }
                let opcode =
                    if count == 1 { CfOpcode::AluPopAfter } else { CfOpcode::AluPop2After };
                self.clause(opcode, groups(steps));
            }
            _ => {
                self.block(block);
                self.pop(count);
            }
        }
    }

    fn constant_branch(
        &mut self,
        condition: Uniform,
        then: &[Statement],
        otherwise: &[Statement],
        form: UniformForm,
    ) {
        match form {
            UniformForm::Push => {
                let push = self.push(conditional(word(CfOpcode::Push), condition));
                self.block(then);
                self.pop(1);
                self.here(push);
            }
            UniformForm::PushElse => {
                let push = self.push(conditional(word(CfOpcode::PushElse), condition));
                self.block(otherwise);
                self.here(push);
                let inversion = self.push(self.restoring(CfOpcode::Else, 0));
                self.block(then);
                self.here(inversion);
                self.pop(1);
            }
            UniformForm::Jump => {
                let to_else = self.push(conditional(word(CfOpcode::Jump), condition));
                self.block(then);
                let to_end = self.push(word(CfOpcode::Jump).with(CfWord::COND, FALSE));
                self.here(to_else);
                self.block(otherwise);
                self.here(to_end);
            }
        }
    }

    fn repeat(
        &mut self,
        kind: LoopKind,
        constant: u8,
        condition: Option<Uniform>,
        body: &[Statement],
    ) {
        // A jump does not enter a loop: it goes in front of it.
        let here = self.next();
        if self.items.iter().any(|item| item.target() == Some(here)) {
            self.push(word(CfOpcode::Nop));
        }
        let opcode = match kind {
            LoopKind::Counted => CfOpcode::LoopStart,
            LoopKind::Repeat => CfOpcode::LoopStartNoAl,
            LoopKind::Endless => CfOpcode::LoopStartDx10,
        };
        let mut start = word(opcode).with(CfWord::COND, ACTIVE);
        // One field names the loop's constant and the condition's: they are the same number.
        match condition {
            Some(condition) => start = conditional(start, condition),
            None => start = start.with(CfWord::CF_CONST, constant.into()),
        }
        let start = self.push(start);
        self.leaving.push(Vec::new());
        self.block(body);
        for at in self.leaving.pop().unwrap_or_default() {
            self.here(at);
        }
        let end = self.push(word(CfOpcode::LoopEnd));
        self.set_target(end, start as u32 + 1);
        self.here(start);
    }

    fn leave(&mut self, last: bool, test: &Test, form: LeaveForm) {
        match form {
            LeaveForm::Clause => {
                // Pixels for which the predicate is 0 leave.
                let opcode = if last { CfOpcode::AluBreak } else { CfOpcode::AluContinue };
                self.clause(opcode, tested(test, true));
            }
            LeaveForm::Instruction => {
                self.clause(CfOpcode::AluPushBefore, tested(test, false));
                let jump = self.push(word(CfOpcode::Jump));
                let opcode = if last { CfOpcode::LoopBreak } else { CfOpcode::LoopContinue };
                let at = self.push(word(opcode));
                if let Some(leaving) = self.leaving.last_mut() {
                    leaving.push(at);
                }
                self.here(jump);
                self.pop(1);
            }
        }
    }
}

/// The groups that compute an index, put it into AR, and move an element there or from there.
fn gather(index: Place, base: u8, value: Place, store: bool) -> Vec<Group> {
    let single = |opcode, sources: Vec<Source>, place, write| {
        let (when, predicate, swizzle) = (None, false, 0);
        group(&[Assign { opcode, sources, place, unit: 0, write, when, predicate, swizzle }])
    };
    let x = |place: Place| Place { element: 0, ..place };
    let three = Source::Literal(3);
    let low = single(AluOpcode::AndInt, vec![Source::Register(index), three], x(value), false);
    let address = single(AluOpcode::MovaInt, vec![Source::Vector(0)], x(value), false);
    let there = Place { register: base, element: value.element, relative: false };
    let (from, to) = if store { (value, there) } else { (there, value) };
    let mut moved = single(AluOpcode::Mov, vec![Source::Register(from)], to, true);
    for alu in &mut moved.instructions {
        let relative = if store { AluOp2::DST_REL } else { AluOp2::SRC0_REL };
        *alu = alu.with(relative, 1);
    }
    vec![low, address, moved]
}

/// The groups of a test, the last of which sends its predicate to the execute mask.
fn tested(test: &Test, opposite: bool) -> Vec<Group> {
    let mut list = groups(&test.before);
    let (relation, sources) = if opposite {
        let [a, b] = test.sources;
        match test.relation {
            Relation::Equal => (Relation::NotEqual, [a, b]),
            Relation::NotEqual => (Relation::Equal, [a, b]),
            // Not greater is less or equal: the operands change places.
            Relation::Greater => (Relation::GreaterEqual, [b, a]),
            Relation::GreaterEqual => (Relation::Greater, [b, a]),
            Relation::Above => (Relation::AboveEqual, [b, a]),
            Relation::AboveEqual => (Relation::Above, [b, a]),
        }
    } else {
        (test.relation, test.sources)
    };
    list.push(comparison(relation.predicate(), sources, true));
    list
}

/// A group of one comparison that writes no register.
fn comparison(opcode: AluOpcode, sources: [Source; 2], execute: bool) -> Group {
    let place = Place { register: 0, element: 0, relative: false };
    let assign = Assign {
        opcode,
        sources: sources.to_vec(),
        place,
        unit: 0,
        write: false,
        when: None,
        predicate: false,
        swizzle: 0,
    };
    let mut group = group(&[assign]);
    if execute && let Some(Alu::Op2(word)) = group.instructions.first_mut() {
        *word = word.with(AluOp2::UPDATE_EXECUTE_MASK, 1).with(AluOp2::UPDATE_PRED, 1);
    }
    group
}

fn groups(steps: &[Step]) -> Vec<Group> {
    steps.iter().map(|step| group(step)).collect()
}

fn group(step: &[Assign]) -> Group {
    let mut literals = Vec::new();
    let count = step.len();
    let mut instructions = Vec::new();
    for (at, assign) in step.iter().enumerate() {
        instructions.push(instruction(assign, at + 1 == count, &mut literals));
    }
    let wanted = instructions.iter().map(|alu: &Alu| alu.literal_slots()).max().unwrap_or(0);
    literals.resize(2 * wanted, 0);
    Group { instructions, literals }
}

fn instruction(assign: &Assign, last: bool, literals: &mut Vec<u32>) -> Alu {
    let mut selects = [(0, 0, 0); 3];
    for (select, source) in selects.iter_mut().zip(&assign.sources) {
        *select = operand(*source, literals);
    }
    let relative = assign.place.relative || selects.iter().any(|(_, _, relative)| *relative == 1);
    let mut dwords = [0; 2];
    let fields: [(Field, u32); 12] = [
        (AluOp2::SRC0_SEL, selects[0].0),
        (AluOp2::SRC0_CHAN, selects[0].1),
        (AluOp2::SRC0_REL, selects[0].2),
        (AluOp2::SRC1_SEL, selects[1].0),
        (AluOp2::SRC1_CHAN, selects[1].1),
        (AluOp2::SRC1_REL, selects[1].2),
        (AluOp2::INDEX_MODE, if relative { 4 } else { 0 }),
        (AluOp2::PRED_SEL, assign.when.map_or(0, |when| 2 + u32::from(when))),
        (AluOp2::LAST, last.into()),
        (AluOp2::BANK_SWIZZLE, assign.swizzle.into()),
        (AluOp2::DST_GPR, assign.place.register.into()),
        (AluOp2::DST_ELEM, assign.place.element.into()),
    ];
    for (field, value) in fields {
        field.set(&mut dwords, value);
    }
    AluOp2::DST_REL.set(&mut dwords, assign.place.relative.into());
    let row = assign.opcode.row();
    match row.format {
        AluFormat::Op2 => Alu::Op2(
            AluOp2(dwords)
                .with(AluOp2::ALU_INST, row.code)
                .with(AluOp2::WRITE_MASK, assign.write.into())
                .with(AluOp2::UPDATE_PRED, assign.predicate.into()),
        ),
        AluFormat::Op3 => Alu::Op3(
            AluOp3(dwords)
                .with(AluOp3::ALU_INST, row.code)
                .with(AluOp3::SRC2_SEL, selects[2].0)
                .with(AluOp3::SRC2_CHAN, selects[2].1)
                .with(AluOp3::SRC2_REL, selects[2].2),
        ),
    }
}

/// Select, element and relative bit of an operand.
fn operand(source: Source, literals: &mut Vec<u32>) -> (u32, u32, u32) {
    match source {
        Source::Register(place) => {
            (place.register.into(), place.element.into(), place.relative.into())
        }
        Source::Literal(bits) => {
            let at = literals.iter().position(|literal| *literal == bits).unwrap_or_else(|| {
                literals.push(bits);
                literals.len() - 1
            });
            (Select::Literal.select(), at as u32, 0)
        }
        Source::Small(number) => {
            let inline = match number {
                0 => Inline::Zero,
                1 => Inline::OneInteger,
                _ => Inline::MinusOneInteger,
            };
            (Select::Inline(inline).select(), 0, 0)
        }
        Source::Vector(element) => (Select::PreviousVector.select(), element.into(), 0),
        Source::Scalar => (Select::PreviousScalar.select(), 0, 0),
    }
}

/// `last`: whether no export of its kind follows.
fn exporting(export: Export, last: bool) -> Item {
    let opcode = if last { CfOpcode::ExportDone } else { CfOpcode::Export };
    let [x, y, z, w] = export.selects.map(u32::from);
    let word = ExportSwizzle::default()
        .with(ExportSwizzle::CF_INST, opcode.code())
        .with(ExportSwizzle::BARRIER, 1)
        .with(ExportSwizzle::TYPE, export.kind)
        .with(ExportSwizzle::ARRAY_BASE, export.base)
        .with(ExportSwizzle::BURST_COUNT, export.count - 1)
        .with(ExportSwizzle::RW_GPR, export.register.into())
        .with(ExportSwizzle::SEL_X, x)
        .with(ExportSwizzle::SEL_Y, y)
        .with(ExportSwizzle::SEL_Z, z)
        .with(ExportSwizzle::SEL_W, w);
    Item::of(Cf::Export(word))
}
