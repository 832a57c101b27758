//! The wavefront whose program runs, and the choice of what its next step is.

use std::{
    cell::{Ref, RefCell},
    collections::BTreeMap,
    mem::offset_of,
    ops::Range,
};

use parallax_isa::{
    Acceptance, Expectation, Extent, Image,
    r700::{
        AluOpcode, Case, Cf, CfOpcode, Group, Program, State, case::Constants,
        microcode::CfAluWord, program::Clause, state,
    },
};

use super::{
    Progress,
    prepared::Prepared,
    record::{Control, FetchRecord, Observer, Record},
};

/// Why a step cannot be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal(pub(super) String);

/// What doing something comes to.
pub(super) type Executed<T = ()> = Result<T, Refusal>;

/// A refusal with a sentence.
pub(super) fn refuse<T>(sentence: impl Into<String>) -> Executed<T> {
    Err(Refusal(sentence.into()))
}

/// Bytes of an element of all pixels.
pub(super) const ROW: usize = size_of::<state::Lanes>();

/// 64 pixels that run a program together.
#[derive(Debug)]
pub(super) struct Wavefront {
    pub(super) case: Case,
    pub(super) program: Program,
    /// Every ALU group by its address.
    groups: BTreeMap<u32, Group>,
    /// Whether the program has an instruction that pushes pixel states.
    pub(super) pushes: bool,
    pub(super) state: Box<State>,
    /// Who looks at what groups do.
    pub(super) observer: Option<Observer>,
    /// The record of the last group, if somebody looks.
    pub(super) record: Option<Box<Record>>,
    /// The record of the last instruction of a fetch clause, if somebody looks.
    fetch_record: Option<Box<RefCell<FetchRecord>>>,
    /// Room for what the program flows by before a step.
    pub(super) control: Option<Box<Control>>,
    pub(super) expectations: Vec<Expectation>,
    /// Whether the step has a result that is not open, beside some that may be.
    pub(super) exact: bool,
    /// Where the step has written to registers, exports and memory, in whole rows.
    pub(super) written: Vec<Range<usize>>,
    /// What texture instructions of the clause have prepared.
    pub(super) prepared: Prepared,
    /// The expectations from here on are for the pixel that is being written.
    pixel_start: usize,
    /// Whether a fetch finds expectations of earlier ones.
    overwrites: bool,
}

impl Wavefront {
    pub(super) fn new(case: Case, program: Program, observer: Option<Observer>) -> Self {
        let mut groups = BTreeMap::new();
        for (&start, clause) in &program.clauses {
            let Clause::Alu(list) = clause else { continue };
            let mut address = start;
            for group in list {
                groups.insert(address, group.clone());
                address += group.words() as u32;
            }
        }
        let pushes = program.control_flow.values().filter_map(|cf| cf.opcode()).any(|opcode| {
            use CfOpcode::*;
            matches!(opcode, Push | PushElse | PopPush | PopPushElse | AluPushBefore | AluElseAfter)
        });
        let state = case.state.clone();
        Self {
            case,
            program,
            groups,
            pushes,
            state,
            observer,
            record: observer.map(|_| Box::new(Record::new())),
            fetch_record: observer.map(|_| Box::new(RefCell::new(FetchRecord::new()))),
            control: None,
            expectations: Vec::new(),
            exact: false,
            written: Vec::new(),
            prepared: Prepared::NOTHING,
            pixel_start: 0,
            overwrites: false,
        }
    }

    /// Executes one control-flow instruction or one group.
    pub(super) fn step(&mut self) -> Executed<Progress> {
        // Everything a refused control-flow instruction may already have changed stands here.
        let control = offset_of!(State, stack)..size_of::<State>();
        let before = self.state.image()[control.clone()].to_vec();
        let done = self.next();
        if done.is_err() {
            self.state.image_mut()[control].copy_from_slice(&before);
            self.expectations.clear();
        }
        done
    }

    fn next(&mut self) -> Executed<Progress> {
        let cf = self.instruction()?;
        if self.state.in_clause != 0 {
            let Cf::Alu(word) = cf else {
                return refuse("the clause that runs belongs to no ALU instruction");
            };
            self.clause_step(word)?;
            return Ok(Progress::Continue);
        }
        self.control_flow(cf)?;
        Ok(if cf.end_of_program() { Progress::End } else { Progress::Continue })
    }

    /// The control-flow instruction that is next or whose clause runs.
    pub(super) fn instruction(&self) -> Executed<Cf> {
        let address = self.state.cf;
        match self.program.control_flow.get(&address) {
            Some(cf) => Ok(*cf),
            None => refuse(format!("no control-flow instruction stands at address {address}")),
        }
    }

    /// The ALU group at an address.
    pub(super) fn group_at(&self, address: u32) -> Executed<&Group> {
        match self.groups.get(&address) {
            Some(group) => Ok(group),
            None => refuse(format!("no ALU group starts at address {address}")),
        }
    }

    /// The group before another one of a clause that starts at an address.
    pub(super) fn group_before(&self, start: u32, address: u32) -> Option<&Group> {
        self.groups.range(start..address).next_back().map(|(_, group)| group)
    }

    /// The constants a clause reads.
    pub(super) fn constants(&self, word: CfAluWord) -> &Constants {
        if word.alt_const() == 1 { &self.case.alternate_constants } else { &self.case.constants }
    }

    /// Notes something of an instruction of a fetch clause, if somebody looks.
    pub(super) fn note(&self, note: impl FnOnce(&mut FetchRecord)) {
        if let Some(record) = &self.fetch_record {
            note(&mut record.borrow_mut());
        }
    }

    /// The record of such an instruction and who looks at it.
    pub(super) fn fetch_record(&self) -> Option<(Observer, Ref<'_, FetchRecord>)> {
        Some((self.observer?, self.fetch_record.as_ref()?.borrow()))
    }

    /// Notes that the step has written the row, an element of all pixels, that a byte of the image
    /// belongs to.
    pub(super) fn wrote(&mut self, offset: usize) {
        let start = offset - offset % ROW;
        if self.written.last().is_none_or(|last| last.start != start) {
            self.written.push(start..start + ROW);
        }
    }

    /// Adds what is accepted at a place, instead of what was accepted there before.
    pub(super) fn expect(&mut self, extent: Extent, acceptance: Acceptance) {
        self.forget(extent);
        self.expectations.push(Expectation { extent, acceptance });
    }

    /// Adds what is accepted at a place that nothing else of this step has written.
    pub(super) fn expect_new(&mut self, extent: Extent, acceptance: Acceptance) {
        self.expectations.push(Expectation { extent, acceptance });
    }

    /// A place got another, exact value in the same step.
    pub(super) fn forget(&mut self, extent: Extent) {
        let of_pixel = &self.expectations[self.pixel_start..];
        let found = of_pixel.iter().position(|old| old.extent.offset == extent.offset);
        if let Some(number) = found {
            self.expectations.remove(self.pixel_start + number);
        }
    }

    /// From here on another pixel is written.
    pub(super) fn start_pixel(&mut self) {
        self.pixel_start = self.expectations.len();
    }

    /// From here on another fetch of the clause writes, perhaps over what earlier ones left open.
    pub(super) fn start_fetch(&mut self) {
        self.overwrites = !self.expectations.is_empty();
        self.pixel_start = 0;
    }

    /// Whether an earlier fetch of the clause left open what a place holds.
    pub(super) fn is_left_open(&self, extent: Extent) -> bool {
        let is_open =
            |one: &Expectation| one.extent.offset == extent.offset && !one.acceptance.is_exact();
        self.overwrites && self.expectations.iter().any(is_open)
    }

    /// From here on another pixel is written by a fetch.
    pub(super) fn start_fetched_pixel(&mut self) {
        if !self.overwrites {
            self.start_pixel();
        }
    }
}

/// The opcode of a decoded ALU instruction.
pub(super) fn opcode_of(alu: parallax_isa::r700::Alu) -> Executed<AluOpcode> {
    match alu.opcode() {
        Some(opcode) => Ok(opcode),
        None => refuse("an ALU instruction with a reserved opcode"),
    }
}

/// The pixels of a mask, in order.
pub(super) fn pixels(mask: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |pixel| mask >> pixel & 1 == 1)
}
