//! Whether the codes of the software scoreboard of a program guard everything that has to wait.
//!
//! Every path of a program is followed, but for those whose target a register holds. An instruction must
//! not read what one before it has not written yet, nor write over it if either is out of order, nor write over what
//! `send` or `math` has not read. What an instruction may find under way is a set that grows along the paths until nothing
//! changes.

use std::collections::{BTreeMap, VecDeque};

use parallax_spec::{RuleId, rule_id};

use super::{
    fix::{Fix, Waits},
    footprint::{Bytes, Footprint},
    paths::{self, Place, Step},
};
use crate::eu::{
    instruction::{Instruction, SyncFunction},
    opcode::Opcode,
    operand::Source,
    program::Program,
    register::REGISTER_BYTES,
    scoreboard::{Scoreboard, Token, is_out_of_order},
};

/// What is wrong between two instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conflict {
    /// The later one reads what the earlier one has not written.
    ReadsUnwritten,
    /// It writes over what the earlier one has not written.
    OverwritesUnwritten,
    /// It writes over what the earlier one has not read.
    OverwritesUnread,
}

/// An instruction that does not wait for one that may still be under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hazard {
    /// The number of the instruction that does not wait.
    pub consumer: usize,
    /// The number of the one that it should wait for.
    pub producer: usize,
    /// What is wrong.
    pub conflict: Conflict,
    /// The first general register that both have to do with.
    pub register: usize,
    /// The fix of it, and of all others at the same consumer.
    pub fix: Fix,
}

impl Hazard {
    /// The rule that is broken.
    #[must_use]
    pub fn rule(&self, program: &Program) -> RuleId {
        let producer = program.instructions()[self.producer].instruction.opcode;
        match self.conflict {
            Conflict::OverwritesUnread if producer != Opcode::Math => {
                rule_id!("gen12.isa.swsb.war")
            }
            _ if is_out_of_order(producer) => rule_id!("leg.swsb.ooo"),
            _ => rule_id!("leg.swsb.inorder"),
        }
    }

    /// What is wrong, in a sentence.
    #[must_use]
    pub fn message(&self, program: &Program) -> String {
        let producer = &program.instructions()[self.producer];
        let what = match self.conflict {
            Conflict::ReadsUnwritten => "reads",
            Conflict::OverwritesUnwritten | Conflict::OverwritesUnread => "writes over",
        };
        let unfinished = match self.conflict {
            Conflict::OverwritesUnread => "read",
            _ => "written",
        };
        let (register, offset) = (self.register, producer.offset);
        let mnemonic = producer.instruction.opcode.mnemonic();
        let mut code = producer.instruction.scoreboard.to_string();
        if !code.is_empty() {
            code = format!(" {{{code}}}");
        }
        format!(
            "{what} r{register}, which the {mnemonic}{code} at byte {offset} may not have \
             {unfinished} yet"
        )
    }
}

/// The farthest that a distance says.
const FARTHEST: u8 = 7;

/// What may be under way of an instruction out of order.
const UNWRITTEN: u8 = 1;
const UNREAD: u8 = 2;

/// What may be under way where an instruction begins, by the number of the producer. Of one in order bit *n*
/// says that it may be *n* + 1 such instructions back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct UnderWay(Vec<(usize, u8)>);

impl UnderWay {
    /// Adds what may be under way on another path; whether there was anything new.
    fn join(&mut self, other: &Self) -> bool {
        let mut is_new = false;
        for &(producer, bits) in &other.0 {
            match self.0.binary_search_by_key(&producer, |(known, _)| *known) {
                Ok(place) => {
                    let known = &mut self.0[place].1;
                    is_new |= *known | bits != *known;
                    *known |= bits;
                }
                Err(place) => {
                    self.0.insert(place, (producer, bits));
                    is_new = true;
                }
            }
        }
        is_new
    }

    fn change(&mut self, mut change: impl FnMut(usize, u8) -> u8) {
        self.0.iter_mut().for_each(|(producer, bits)| *bits = change(*producer, *bits));
        self.0.retain(|(_, bits)| *bits != 0);
    }
}

/// The instructions behind which not every path is followed: a register says where the thread goes on.
#[must_use]
pub fn not_followed(program: &Program) -> Vec<usize> {
    paths::not_followed(program)
}

/// Two instructions that meet, and how.
#[derive(Debug, Clone, Copy)]
struct Meeting {
    consumer: usize,
    producer: usize,
    conflict: Conflict,
    /// The first byte that both have to do with.
    byte: usize,
    /// What is under way of the producer.
    bits: u8,
}

/// What may be under way where one may come in two ways.
fn of_both(ways: &[Option<UnderWay>]) -> Option<UnderWay> {
    let mut ways = ways.iter().flatten();
    let mut all = ways.next()?.clone();
    ways.for_each(|way| _ = all.join(way));
    Some(all)
}

/// A program taken apart.
struct Checker<'p> {
    program: &'p Program,
    footprints: Vec<Footprint>,
    successors: Vec<Vec<Step>>,
    /// The first and the last instruction of each jump back.
    loops: Vec<[usize; 2]>,
}

/// All hazards of a program, in order of the instructions that should wait.
#[must_use]
pub fn hazards(program: &Program) -> Vec<Hazard> {
    // Decision D-eu-gen12-scoreboard.
    let placed = program.instructions();
    let footprints = placed.iter().map(|place| Footprint::of(&place.instruction)).collect();
    let successors = paths::successors(program);
    let steps = successors.iter().enumerate();
    let steps = steps.flat_map(|(number, steps)| {
        steps.iter().map(move |step| [step.to.index, Place::of_number(number).index])
    });
    let mut loops: Vec<_> = steps.filter(|[to, from]| to <= from).collect();
    loops.sort_unstable();
    loops.dedup();
    let checker = Checker { program, footprints, successors, loops };
    let mut found = Vec::new();
    for (index, before) in checker.under_way().into_iter().enumerate() {
        if let Some(mut before) = before {
            checker.begin(index, &mut before);
            found.extend(checker.meetings(index, &before));
        }
    }
    checker.fixed(&found)
}

impl Checker<'_> {
    fn instruction(&self, index: usize) -> &Instruction {
        &self.program.instructions()[index].instruction
    }

    fn is_out_of_order(&self, index: usize) -> bool {
        is_out_of_order(self.instruction(index).opcode)
    }

    /// What may be under way before each instruction; nothing of those that no path leads to.
    fn under_way(&self) -> Vec<Option<UnderWay>> {
        let mut before: Vec<Option<UnderWay>> = vec![None; self.successors.len()];
        let mut changed = VecDeque::new();
        if let Some(first) = before.get_mut(Place::FIRST.number()) {
            *first = Some(UnderWay::default());
            changed.push_back(Place::FIRST.number());
        }
        while let Some(number) = changed.pop_front() {
            let mut after = before[number].clone().unwrap_or_default();
            self.pass(Place::of_number(number).index, &mut after);
            for step in &self.successors[number] {
                let next = step.to.number();
                let mut arriving = after.clone();
                if step.is_jump {
                    arriving.change(|producer, bits| match self.is_out_of_order(producer) {
                        true => bits,
                        false => 0,
                    });
                }
                let is_new = match &mut before[next] {
                    Some(known) => known.join(&arriving),
                    unknown => {
                        *unknown = Some(arriving);
                        true
                    }
                };
                if is_new && !changed.contains(&next) {
                    changed.push_back(next);
                }
            }
        }
        before.chunks(2).map(of_both).collect()
    }

    /// From before an instruction to behind it.
    fn pass(&self, index: usize, under_way: &mut UnderWay) {
        self.begin(index, under_way);
        // What has been found once is not found again at every later instruction.
        let found: Vec<_> = self.meetings(index, under_way).collect();
        under_way.change(|producer, bits| {
            let conflicts = found.iter().filter(|meeting| meeting.producer == producer);
            conflicts.fold(bits, |bits, meeting| match meeting.conflict {
                Conflict::OverwritesUnread => bits & !UNREAD,
                _ => 0,
            })
        });
        self.issue(index, under_way);
    }

    /// What an instruction waits for, is not under way any more.
    fn begin(&self, index: usize, under_way: &mut UnderWay) {
        let instruction = self.instruction(index);
        let Scoreboard { distance, token } = instruction.scoreboard;
        if distance != 0 {
            let nearer = (1 << (distance - 1)) - 1;
            under_way.change(|producer, bits| match self.is_out_of_order(producer) {
                true => bits,
                false => bits & nearer,
            });
        }
        match token {
            // A token has to be free before it is given again.
            Some(Token::Set(number) | Token::Destination(number)) => {
                self.wait(under_way, 1 << number, UNWRITTEN | UNREAD);
            }
            Some(Token::Source(number)) => self.wait(under_way, 1 << number, UNREAD),
            None => {}
        }
        match instruction.sync {
            Some(SyncFunction::AllRead) => self.wait(under_way, tokens_of(instruction), UNREAD),
            Some(SyncFunction::AllWritten) => {
                self.wait(under_way, tokens_of(instruction), UNWRITTEN | UNREAD);
            }
            Some(SyncFunction::Nop | SyncFunction::Barrier | SyncFunction::Host) | None => {}
        }
    }

    /// Waits for tokens, a bit each. Messages that came to a shared function before one that has been read have
    /// been read too.
    fn wait(&self, under_way: &mut UnderWay, tokens: u32, what: u8) {
        let is_named =
            |producer: usize| self.token_of(producer).is_some_and(|token| tokens >> token & 1 == 1);
        let producers = under_way.0.iter().map(|(producer, _)| *producer);
        let named: Vec<_> = producers.filter(|producer| is_named(*producer)).collect();
        under_way.change(|producer, bits| match is_named(producer) {
            true => bits & !what,
            false if named.iter().any(|later| self.is_read_before(producer, *later)) => {
                bits & !UNREAD
            }
            false => bits,
        });
    }

    /// Whether a message is always sent before another one to the same shared function.
    fn is_read_before(&self, earlier: usize, later: usize) -> bool {
        let is_around = |[first, last]: &[usize; 2]| *first <= earlier && later <= *last;
        earlier < later
            && self.are_to_one_function(earlier, later)
            && !self.loops.iter().any(is_around)
    }

    /// The token that an instruction out of order is known by.
    fn token_of(&self, index: usize) -> Option<u8> {
        match self.instruction(index).scoreboard.token {
            Some(Token::Set(number)) if self.is_out_of_order(index) => Some(number),
            _ => None,
        }
    }

    /// The instruction itself is under way.
    fn issue(&self, index: usize, under_way: &mut UnderWay) {
        let instruction = self.instruction(index);
        let footprint = &self.footprints[index];
        let bits = if self.is_out_of_order(index) {
            let unwritten = if footprint.writes.is_empty() { 0 } else { UNWRITTEN };
            let unread = if footprint.unread.is_empty() { 0 } else { UNREAD };
            unwritten | unread
        } else if instruction.opcode == Opcode::Sync {
            0
        } else {
            under_way.change(|producer, bits| match self.is_out_of_order(producer) {
                true => bits,
                false => bits << 1 & ((1 << FARTHEST) - 1),
            });
            u8::from(!footprint.writes.is_empty())
        };
        if bits != 0 {
            under_way.join(&UnderWay(vec![(index, bits)]));
        }
    }

    /// What is wrong at an instruction.
    fn meetings(&self, consumer: usize, under_way: &UnderWay) -> impl Iterator<Item = Meeting> {
        under_way.0.iter().filter_map(move |&(producer, bits)| {
            let (conflict, byte) = self.conflict(consumer, producer, bits)?;
            Some(Meeting { consumer, producer, conflict, byte, bits })
        })
    }

    fn conflict(&self, index: usize, producer: usize, bits: u8) -> Option<(Conflict, usize)> {
        let [now, before] = [index, producer].map(|index| &self.footprints[index]);
        let are_in_order = ![index, producer].iter().any(|index| self.is_out_of_order(*index));
        let is_unwritten = !self.is_out_of_order(producer) || bits & UNWRITTEN != 0;
        let is_unread = self.is_out_of_order(producer)
            && bits & UNREAD != 0
            && !self.are_to_one_function(index, producer);
        let meet = |is_under_way: bool, one: &Bytes, other: &Bytes| {
            if is_under_way { one.first_common(other) } else { None }
        };
        let kinds = [
            (Conflict::ReadsUnwritten, meet(is_unwritten, &now.reads, &before.writes)),
            (
                Conflict::OverwritesUnwritten,
                meet(is_unwritten && !are_in_order, &now.writes, &before.writes),
            ),
            (Conflict::OverwritesUnread, meet(is_unread, &now.writes, &before.unread)),
        ];
        kinds.into_iter().find_map(|(conflict, byte)| Some((conflict, byte?)))
    }

    /// Whether both are messages to one shared function, which reads payloads in the order they come.
    fn are_to_one_function(&self, one: usize, other: usize) -> bool {
        let [one, other] =
            [one, other].map(|index| self.instruction(index).message.map(|m| m.shared_function));
        one.is_some() && one == other
    }

    /// The hazards, each with the fix for all that were found.
    fn fixed(&self, found: &[Meeting]) -> Vec<Hazard> {
        let mut waits = BTreeMap::new();
        let free = self.free_token();
        for meeting in found {
            let &Meeting { consumer, producer, conflict, bits, .. } = meeting;
            let of = |index| Waits::of(self.instruction(index));
            if self.is_without_token(producer) {
                waits.entry(producer).or_insert_with(|| of(producer)).give(free);
            }
            let waits = waits.entry(consumer).or_insert_with(|| of(consumer));
            if self.is_out_of_order(producer) {
                let number = self.token_of(producer).unwrap_or(free);
                waits.for_token(number, conflict != Conflict::OverwritesUnread);
            } else {
                waits.for_distance(bits.trailing_zeros() as u8 + 1);
            }
        }
        let codes = |index: usize| waits[&index].codes(self.instruction(index));
        let hazard = |meeting: &Meeting| {
            let Meeting { consumer, producer, conflict, byte, .. } = *meeting;
            let is_apart = producer != consumer && self.is_without_token(producer);
            let fix =
                Fix { producer: is_apart.then(|| codes(producer)), consumer: codes(consumer) };
            Hazard { consumer, producer, conflict, register: byte / REGISTER_BYTES, fix }
        };
        found.iter().map(hazard).collect()
    }

    fn is_without_token(&self, index: usize) -> bool {
        self.is_out_of_order(index) && self.token_of(index).is_none()
    }

    /// A token that no instruction has, or else any: who gets one that is not free waits for it.
    fn free_token(&self) -> u8 {
        let taken: Vec<_> = (0..self.footprints.len()).filter_map(|n| self.token_of(n)).collect();
        (0..16).find(|number| !taken.contains(number)).unwrap_or(0)
    }
}

/// The tokens that a `sync` names, a bit each: all where it names none.
fn tokens_of(instruction: &Instruction) -> u32 {
    match instruction.sources[0] {
        Source::Immediate { bits, .. } => bits as u32,
        Source::Register { .. } => u32::MAX,
    }
}
