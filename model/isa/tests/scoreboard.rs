//! The check of the software scoreboard on the compiled programs of Gen12: they have no hazard, and with one
//! of their codes taken away they have one where it matters. Whether it matters is worked out here a
//! second way: by walking through the program, keeping what is under way at each step.

use crate::compiled::compiled;
use crate::fixes::fixed;

use parallax_isa::{
    Device,
    eu::{
        Instruction, Opcode, Program,
        hazards::check::{Hazard, hazards},
        instruction::{
            Descriptor, ExtendedDescriptor, MathFunction, PredicateControl, SyncFunction,
        },
        operand::{DestinationRegion, Region, Register, Source, VerticalStride},
        register::RegisterFile,
        scoreboard::{Scoreboard, Token},
        text,
    },
};

/// Those without `if`: where a thread goes on behind one depends on its channels, which walks do not know.
fn without_if() -> Vec<(String, Program)> {
    let mut all = compiled();
    all.retain(|(_, program)| instructions(program).iter().all(|i| i.opcode != Opcode::If));
    all
}

fn instructions(program: &Program) -> Vec<Instruction> {
    program.instructions().iter().map(|placed| placed.instruction).collect()
}

fn described(id: &str, program: &Program, hazard: &Hazard) -> String {
    let placed = &program.instructions()[hazard.consumer];
    let text = text::print(Device::Dg1, &placed.instruction);
    format!("{id} at {}: {text}: {}, {}", placed.offset, hazard.message(program), hazard.fix)
}

#[test]
fn compiled_programs_have_no_hazard() {
    let found: Vec<_> = compiled()
        .iter()
        .flat_map(|(id, program)| {
            let found = hazards(program);
            found.iter().map(|hazard| described(id, program, hazard)).collect::<Vec<_>>()
        })
        .collect();
    assert!(
        found.is_empty(),
        "{} found:\n{}",
        found.len(),
        found[..found.len().min(12)].join("\n")
    );
}

/// The bytes of the general registers that an instruction reads and writes, element by element.
struct Accesses {
    reads: Vec<u64>,
    writes: Vec<u64>,
    /// The shared function of a message.
    function: Option<u8>,
}

const BYTES: usize = 128 * 32;

fn note(map: &mut [u64], byte: usize) {
    if byte < BYTES {
        map[byte / 64] |= 1 << (byte % 64);
    }
}

fn meet(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

fn general(register: Register) -> Option<usize> {
    let Register::Direct { file: RegisterFile::Grf, number, subregister } = register else {
        return None;
    };
    Some(32 * usize::from(number) + usize::from(subregister))
}

impl Accesses {
    fn of(instruction: &Instruction) -> Self {
        let function = instruction.message.map(|message| message.shared_function);
        let mut all = Self { reads: vec![0; BYTES / 64], writes: vec![0; BYTES / 64], function };
        if let Some(message) = instruction.message {
            let Descriptor::Immediate(descriptor) = message.descriptor else { return all };
            let lengths = [
                descriptor >> 25 & 15,
                match message.extended {
                    ExtendedDescriptor::Immediate(extended) => extended >> 6 & 15,
                    ExtendedDescriptor::Address(_) => 0,
                },
            ];
            for (source, length) in instruction.sources.iter().zip(lengths) {
                let Source::Register { register, .. } = *source else { continue };
                let Some(first) = general(register) else { continue };
                (first..first + 32 * length as usize).for_each(|byte| note(&mut all.reads, byte));
            }
            if let Some(first) = general(instruction.destination.register) {
                let reply = (descriptor >> 20 & 31) as usize;
                (first..first + 32 * reply).for_each(|byte| note(&mut all.writes, byte));
            }
            return all;
        }
        let branches = [Opcode::Jmpi, Opcode::If, Opcode::Else, Opcode::Endif, Opcode::While];
        if instruction.branch.is_some() || branches.contains(&instruction.opcode) {
            return all;
        }
        for channel in 0..usize::from(instruction.execution_size) {
            // Sources that an instruction has not are null, which is no general register.
            for source in instruction.sources {
                let Source::Register { register, data_type, region, .. } = source else { continue };
                let Some(first) = general(register) else { continue };
                let Region::Align1 {
                    vertical: VerticalStride::Elements(vertical),
                    width,
                    horizontal,
                } = region
                else {
                    continue;
                };
                let row = channel / usize::from(width);
                let column = channel - row * usize::from(width);
                let at = row * usize::from(vertical) + column * usize::from(horizontal);
                let size = data_type.size();
                (0..size).for_each(|byte| note(&mut all.reads, first + at * size + byte));
            }
            let destination = instruction.destination;
            let DestinationRegion::Stride(stride) = destination.region else { continue };
            let Some(first) = general(destination.register) else { continue };
            let size = destination.data_type.size();
            let first = first + channel * usize::from(stride) * size;
            (0..size).for_each(|byte| note(&mut all.writes, first + byte));
            if instruction.math == Some(MathFunction::Idiv) {
                (0..size).for_each(|byte| note(&mut all.writes, first + 32 + byte));
            }
        }
        all
    }
}

/// What a walk has under way.
#[derive(Default)]
struct Walk {
    /// The last seven instructions in order that may not have written yet, the newest last.
    in_order: Vec<Option<usize>>,
    /// Messages and `math`: number, token, whether it may not have written, whether not read.
    out_of_order: Vec<(usize, Option<u8>, bool, bool)>,
}

const SLOW: [Opcode; 3] = [Opcode::Send, Opcode::Sendc, Opcode::Math];

impl Walk {
    /// Messages before one to the same shared function are read before it is.
    fn finish(&mut self, accesses: &[Accesses], is_meant: impl Fn(u8) -> bool, writes_too: bool) {
        let mut read = Vec::new();
        for (index, token, unwritten, unread) in self.out_of_order.iter_mut().rev() {
            let function = accesses[*index].function;
            if token.is_some_and(&is_meant) {
                *unread = false;
                *unwritten &= !writes_too;
                read.extend(function);
            } else if function.is_some_and(|function| read.contains(&function)) {
                *unread = false;
            }
        }
    }

    /// Executes an instruction; whether it meets one that has not finished.
    fn step(&mut self, index: usize, instruction: &Instruction, accesses: &[Accesses]) -> bool {
        let Scoreboard { distance, token } = instruction.scoreboard;
        if distance != 0 {
            let finished = (self.in_order.len() + 1).saturating_sub(distance.into());
            self.in_order[..finished].fill(None);
        }
        match token {
            Some(Token::Source(number)) => self.finish(accesses, |token| token == number, false),
            Some(Token::Destination(number) | Token::Set(number)) => {
                self.finish(accesses, |token| token == number, true);
            }
            None => {}
        }
        match instruction.sync {
            Some(SyncFunction::AllRead) => self.finish(accesses, |_| true, false),
            Some(SyncFunction::AllWritten) => self.finish(accesses, |_| true, true),
            _ => {}
        }
        let now = &accesses[index];
        let is_slow = SLOW.contains(&instruction.opcode);
        let touches = |other: &usize, is_slow: bool| {
            let written = &accesses[*other].writes;
            meet(&now.reads, written) || is_slow && meet(&now.writes, written)
        };
        let meets = self.in_order.iter().flatten().any(|other| touches(other, is_slow))
            || self.out_of_order.iter().any(|(other, _, unwritten, unread)| {
                let other_reads =
                    now.function.is_none() || now.function != accesses[*other].function;
                *unwritten && touches(other, true)
                    || *unread && other_reads && meet(&now.writes, &accesses[*other].reads)
            });
        if SLOW.contains(&instruction.opcode) {
            let token = match token {
                Some(Token::Set(number)) => Some(number),
                _ => None,
            };
            self.out_of_order.push((index, token, true, true));
        } else if instruction.opcode != Opcode::Sync {
            self.in_order.push(Some(index));
            if self.in_order.len() > 7 {
                self.in_order.remove(0);
            }
        }
        meets
    }
}

/// Numbers without a pattern.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Whether walks through a program meet something that has not finished.
fn goes_wrong(program: &Program, accesses: &[Accesses], random: &mut Random, walks: usize) -> bool {
    let all = instructions(program);
    let has_branches = all.iter().any(|instruction| instruction.branch.is_some());
    let walks = if has_branches { walks } else { 1 };
    (0..walks).any(|_| {
        let (mut walk, mut index, mut has_jumped) = (Walk::default(), 0, false);
        for _ in 0..4 * all.len() {
            let Some(instruction) = all.get(index) else { break };
            if walk.step(index, instruction, accesses) {
                return true;
            }
            if instruction.message.is_some_and(|message| message.end_of_thread) {
                break;
            }
            let here = program.instructions()[index].offset as i64;
            let branch = instruction.branch;
            let distances = branch.map_or([None; 2], |branch| [branch.jip, branch.uip]);
            let targets = distances.into_iter().flatten();
            let targets = targets.map(|distance| (here + i64::from(distance)) as usize);
            let mut next: Vec<_> = targets.filter_map(|target| program.index_at(target)).collect();
            // A loop without a predicate is left by those only who jumped to its end.
            let always = instruction.predicate.control == PredicateControl::None;
            let stays = instruction.opcode == Opcode::While && always && !has_jumped;
            if instruction.opcode != Opcode::Jmpi && !stays || next.is_empty() {
                next.push(index + 1);
            }
            let came_from = index;
            index = next[random.below(next.len())];
            has_jumped = index != came_from + 1 || instruction.opcode == Opcode::Break;
            if index != came_from + 1 {
                // A jump takes longer than instructions in order do.
                walk.in_order.clear();
            }
        }
        false
    })
}

/// A program with another code on one of its instructions.
fn with_code(program: &Program, index: usize, code: Scoreboard) -> Option<Program> {
    let mut all = instructions(program);
    all[index].scoreboard = code;
    Program::assemble(Device::Dg1, all).ok()
}

/// What became of changed codes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    changed: usize,
    matter: usize,
    found: usize,
    /// Found though no walk met it.
    beyond: usize,
}

impl Tally {
    fn judge(&mut self, changed: &Program, accesses: &[Accesses], random: &mut Random) -> bool {
        let is_found = !hazards(changed).is_empty();
        // What is found may stand on a path that few walks take.
        let matters = goes_wrong(changed, accesses, random, 40)
            || is_found && goes_wrong(changed, accesses, random, 4000);
        self.changed += 1;
        self.matter += usize::from(matters);
        self.found += usize::from(matters && is_found);
        self.beyond += usize::from(!matters && is_found);
        !matters || is_found
    }
}

/// Each code that is taken away is found where walks say that it matters, and only there.
#[test]
fn codes_taken_away_are_found() {
    let (mut tally, mut random) = (Tally::default(), Random(7));
    for (id, program) in without_if() {
        let all = instructions(&program);
        let accesses: Vec<_> = all.iter().map(Accesses::of).collect();
        for (index, instruction) in all.iter().enumerate() {
            if instruction.scoreboard != Scoreboard::NONE {
                let changed = with_code(&program, index, Scoreboard::NONE).expect("it has code");
                assert!(tally.judge(&changed, &accesses, &mut random), "{id} {index}");
            }
        }
    }
    println!("taken away: {tally:?}");
    assert_eq!((tally.found, tally.beyond), (tally.matter, 0), "{tally:?}");
    assert!(tally.matter > 2000, "{tally:?}");
}

/// The same of codes replaced by others.
#[test]
fn damaged_codes_are_found() {
    let (mut tally, mut random) = (Tally::default(), Random(11));
    let programs = without_if();
    while tally.matter < 1000 {
        let (id, program) = &programs[random.below(programs.len())];
        let all = instructions(program);
        let accesses: Vec<_> = all.iter().map(Accesses::of).collect();
        let coded: Vec<_> =
            (0..all.len()).filter(|n| all[*n].scoreboard != Scoreboard::NONE).collect();
        if coded.is_empty() {
            continue;
        }
        let index = coded[random.below(coded.len())];
        let code = random.below(256) as u8;
        let Some(code) = Scoreboard::of_code(code, all[index].opcode) else { continue };
        let Some(changed) = with_code(program, index, code) else { continue };
        assert!(tally.judge(&changed, &accesses, &mut random), "{id} {index} {code}");
    }
    println!("damaged: {tally:?}");
    assert_eq!((tally.found, tally.beyond), (tally.matter, 0), "{tally:?}");
}

/// What is named as a fix fixes all that is found at its instruction. Programs that branch are left out:
/// what stands before an instruction would move their targets.
#[test]
fn fixes_fix() {
    let (mut fixes, mut of_several, mut with_sync) = (0, 0, 0);
    for (id, program) in compiled() {
        let all = instructions(&program);
        if all.iter().any(|instruction| instruction.branch.is_some()) {
            continue;
        }
        for (index, instruction) in all.iter().enumerate() {
            if instruction.scoreboard == Scoreboard::NONE {
                continue;
            }
            let changed = with_code(&program, index, Scoreboard::NONE).expect("it has code");
            let found = hazards(&changed);
            for of_one in found.chunk_by(|one, other| one.consumer == other.consumer) {
                let again = fixed(&changed, of_one);
                let consumer = text::print(Device::Dg1, &all[of_one[0].consumer]);
                assert!(hazards(&again).len() + of_one.len() <= found.len(), "{id}: {consumer}");
                fixes += 1;
                of_several += usize::from(of_one.len() > 1);
                with_sync += usize::from(!of_one[0].fix.consumer.before.is_empty());
            }
        }
    }
    println!("{fixes} fixes, {of_several} of several hazards, {with_sync} with sync");
    assert!(fixes > 1000 && of_several > 100, "{fixes} {of_several}");
}
