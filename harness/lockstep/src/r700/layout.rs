//! Programs put together from control-flow instructions and the clauses they run.

use std::collections::BTreeMap;

use parallax_isa::r700::{
    Cf, CfOpcode, Fetch, Program,
    microcode::{CfAluWord, CfWord},
    program::Clause,
};

/// A control-flow instruction and the clause it runs, if it runs one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// The instruction. The address of a clause is set when the program is put together; the address
    /// of a branch is the number of an item.
    pub(super) cf: Cf,
    /// What it runs.
    pub(super) clause: Option<Clause>,
}

impl Item {
    /// An instruction without a clause.
    pub(super) const fn of(cf: Cf) -> Self {
        Self { cf, clause: None }
    }

    /// An instruction of the plain format.
    pub(super) fn plain(opcode: CfOpcode) -> Self {
        let word = CfWord::default().with(CfWord::CF_INST, opcode.code());
        Self::of(Cf::Plain(word.with(CfWord::BARRIER, 1)))
    }

    /// Whether its address is that of another control-flow instruction, in `CALL_FS` counted from the
    /// fetch program.
    pub(super) fn jumps(&self) -> bool {
        use CfOpcode::*;
        let opcode = self.cf.opcode();
        matches!(self.cf, Cf::Plain(_))
            && opcode
                .is_some_and(|opcode| !matches!(opcode, Nop | Tex | Vtx | VtxTc | Return | WaitAck))
    }

    /// The item it jumps to.
    pub(super) fn target(&self) -> Option<u32> {
        match self.cf {
            Cf::Plain(word) if self.jumps() => Some(word.addr()),
            _ => None,
        }
    }

    /// The same instruction with another target.
    pub(super) fn with_target(mut self, target: u32) -> Self {
        if let Cf::Plain(word) = &mut self.cf {
            *word = word.with(CfWord::ADDR, target);
        }
        self
    }

    /// The same instruction with END_OF_PROGRAM, where its format has the field.
    pub(super) fn ending(mut self) -> Self {
        use parallax_isa::r700::microcode::{ExportBuffer, ExportSwizzle};
        match &mut self.cf {
            Cf::Plain(word) => *word = word.with(CfWord::END_OF_PROGRAM, 1),
            Cf::Export(word) => *word = word.with(ExportSwizzle::END_OF_PROGRAM, 1),
            Cf::Memory(word) => *word = word.with(ExportBuffer::END_OF_PROGRAM, 1),
            Cf::Alu(_) => {}
        }
        self
    }
}

/// The items of a decoded program. Where control flow stands in several places, branches go to the
/// numbers of items as if it stood in one.
pub(super) fn items(program: &Program) -> Vec<Item> {
    let numbers: BTreeMap<u32, u32> = program.control_flow.keys().copied().zip(0..).collect();
    let item = |cf: &Cf| {
        let start = match (*cf, cf.opcode()) {
            (Cf::Alu(word), _) => Some(word.addr()),
            (Cf::Plain(word), Some(CfOpcode::Tex | CfOpcode::Vtx | CfOpcode::VtxTc)) => {
                Some(word.addr())
            }
            _ => None,
        };
        let clause = start.and_then(|start| program.clauses.get(&start)).cloned();
        let item = Item { cf: *cf, clause };
        match item.target().and_then(|target| numbers.get(&target)) {
            Some(number) if cf.opcode() != Some(CfOpcode::CallFs) => item.with_target(*number),
            _ => item,
        }
    };
    program.control_flow.values().map(item).collect()
}

/// Where clauses of a kind lie: ALU clauses first, then texture and vertex, local data share and
/// memory read clauses.
fn part(clause: &Clause) -> usize {
    match clause {
        Clause::Alu(_) => 0,
        Clause::Fetch(_, fetches) => match fetches.first() {
            Some(Fetch::LocalWrite(_) | Fetch::LocalRead(_)) => 2,
            Some(Fetch::MemoryRead(_)) => 3,
            _ => 1,
        },
    }
}

/// The dwords of a program: the control-flow instructions, then the clauses by kind.
pub(super) fn lay_out(items: &[Item]) -> Vec<u32> {
    lay_out_at(items, 0)
}

/// The dwords of a program of which all but a jump stands at an address far from the start, two at least.
pub(super) fn lay_out_far(items: &[Item], start: usize) -> Vec<u32> {
    // No pixel passes this condition, so that the jump is always taken.
    const FALSE: u32 = 1;
    let jump = CfWord::default()
        .with(CfWord::CF_INST, CfOpcode::Jump.code())
        .with(CfWord::BARRIER, 1)
        .with(CfWord::COND, FALSE)
        .with(CfWord::ADDR, start as u32);
    // What is behind it belongs to no program.
    let end = Item::plain(CfOpcode::Nop).ending();
    let mut program: Vec<u32> =
        [Cf::Plain(jump), end.cf].iter().flat_map(|cf| cf.dwords()).collect();
    program.resize(2 * start, 0);
    program.extend(lay_out_at(&moved(items, 0, start as u32), start));
    program
}

/// The items of a program of which those from a first one on stand further back.
fn moved(items: &[Item], first: usize, by: u32) -> Vec<Item> {
    let moved = |item: &Item| match item.target() {
        Some(target) if target as usize >= first => item.clone().with_target(target + by),
        _ => item.clone(),
    };
    items.iter().map(moved).collect()
}

/// The dwords of a program with its control flow in two places, each before its own clauses. What comes before
/// the item from which on it stands in the second one does not go on there.
pub(super) fn lay_out_apart(items: &[Item], second: usize) -> Vec<u32> {
    let end = lay_out(&items[..second]).len() / 2;
    let items = moved(items, second, (end - second) as u32);
    let mut program = lay_out(&items[..second]);
    program.extend(lay_out_at(&items[second..], end));
    program
}

/// The dwords of a part of a program from an address on. Fetch clauses start at even addresses.
fn lay_out_at(items: &[Item], base: usize) -> Vec<u32> {
    let mut control_flow: Vec<Cf> = items.iter().map(|item| item.cf).collect();
    let mut clauses: Vec<u32> = Vec::new();
    let mut place = |at: usize, dwords: Vec<u32>, even: bool| {
        let mut start = base + items.len() + clauses.len() / 2;
        if even && !start.is_multiple_of(2) {
            clauses.extend([0, 0]);
            start += 1;
        }
        let length = dwords.len() as u32 / 2;
        clauses.extend(dwords);
        match &mut control_flow[at] {
            Cf::Alu(word) => {
                let count = length.saturating_sub(1);
                *word = word.with(CfAluWord::ADDR, start as u32).with(CfAluWord::COUNT, count);
            }
            Cf::Plain(word) => {
                let count = (length / 2).saturating_sub(1);
                *word = word
                    .with(CfWord::ADDR, start as u32)
                    .with(CfWord::COUNT, count & 7)
                    .with(CfWord::COUNT_3, count >> 3);
            }
            Cf::Export(_) | Cf::Memory(_) => {}
        }
    };
    let clauses_of = |wanted: usize| {
        items.iter().enumerate().filter_map(move |(at, item)| {
            let clause = item.clause.as_ref()?;
            (part(clause) == wanted).then(|| (at, clause.dwords()))
        })
    };
    for kind in 0..4 {
        for (at, dwords) in clauses_of(kind) {
            place(at, dwords, kind > 0);
        }
    }
    let mut program: Vec<u32> = control_flow.iter().flat_map(|cf| cf.dwords()).collect();
    program.extend(clauses);
    program
}
