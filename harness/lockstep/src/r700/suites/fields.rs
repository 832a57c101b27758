//! The suite `r700-fields`: programs with one field of one instruction changed. Where what a program
//! does depends on the value of a field, and both engines do the same with either value, the
//! executor's own decoder finds the field where the manual has it.

use std::{collections::HashMap, sync::LazyLock};

use parallax_executor::r700::Executor;
use parallax_isa::{
    Device, Model, Outcome,
    r700::{
        Alu, AluOpcode, Case, Program, State,
        legality::{Settings, Violation, check},
        microcode::{FORMATS, Field, Format},
        program::Clause,
    },
};
use parallax_reference::r700::Reference;
use parallax_spec::{
    RuleId,
    coverage::{self, Weight},
    family, rule_id,
};

use crate::{
    lockstep::{Verdict, lockstep},
    r700::{
        R700, flow,
        generate::{self, memory, texture},
    },
    random::SplitMix64,
    suite::{Finding, ShrinkLimits},
    suites::{
        comparison::{Comparison, Counts, Mismatch},
        lockstep::finding,
    },
};

/// Programs in which a field is changed until that has an effect, and changes in each.
const PROGRAMS: usize = 16;
const CHANGES: usize = 8;

/// In one program of so many both engines run every change. In the others they run those that matter to the executor,
/// which alone is many times as fast as the two step by step.
const UNSCREENED: u64 = 8;

/// One case in so many begins with programs that are none: clauses that lie over what is no part of them.
const BROKEN_ONE_IN: u64 = 4;

/// The code of a source that is a literal.
const LITERAL: u32 = 253;

/// Programs that are looked at for instructions of a format.
const CANDIDATES: usize = 256;

/// Words of 64 bits, at most, between a program and a clause that is put behind it.
const FARTHEST: u64 = 1 << 16;

/// Every field of every format.
static EVERY: LazyLock<Vec<(&Format, &Field)>> = LazyLock::new(|| {
    let of = |format: &'static Format| format.fields.iter().map(move |field| (format, field));
    FORMATS.iter().flat_map(of).collect()
});

/// Rules about the place of a field, by its word and name.
static FIELDS: LazyLock<HashMap<(&str, &str), RuleId>> = LazyLock::new(|| {
    EVERY.iter().map(|(_, field)| ((field.word, field.name), rule_of(field))).collect()
});

/// The fields that say which memory access an instruction is.
static CODES: LazyLock<Vec<(&Format, &Field)>> = LazyLock::new(|| {
    let is_code = |(_, field): &&(&Format, &Field)| {
        field.word.starts_with("MEM_") && ["MEM_OP", "VTX_INST"].contains(&field.name)
    };
    EVERY.iter().filter(is_code).copied().collect()
});

/// Fields that seldom have an effect: of clauses longer than eight instructions, of pixels that were killed and stay
/// active, of levels between others. They come somewhat more often than others.
const SELDOM: [(&str, &str); 9] = [
    ("CF_WORD1", "COUNT_3"),
    ("CF_WORD1", "CALL_COUNT"),
    ("CF_WORD1", "POP_COUNT"),
    ("CF_WORD1", "VALID_PIXEL_MODE"),
    ("TEX_WORD1", "LOD_BIAS"),
    ("TEX_WORD2", "OFFSET_X"),
    ("CF_ALU_WORD0", "KCACHE_BANK1"),
    ("CF_ALU_WORD0", "KCACHE_MODE0"),
    ("CF_ALU_WORD1", "KCACHE_MODE1"),
];

/// The fields among [`EVERY`] that seldom have an effect.
static RARE: LazyLock<Vec<(&Format, &Field)>> = LazyLock::new(|| {
    let is_rare = |(_, field): &&(&Format, &Field)| SELDOM.contains(&(field.word, field.name));
    EVERY.iter().filter(is_rare).copied().collect()
});

/// The rule about the place of a field.
fn rule_of(field: &Field) -> RuleId {
    let word = field.word.to_lowercase();
    let name = field.name.to_lowercase().replace('_', "-");
    let chapter = if word.starts_with("alu_") { "alu.enc" } else { "enc" };
    // Words with variants have one rule for what the variants share.
    let shared = ["_swiz", "_buf", "_gpr", "_sem"].iter().find_map(|end| word.strip_suffix(end));
    let words = [Some(word.as_str()), shared].into_iter().flatten();
    let ids: Vec<_> = words.map(|word| format!("r700.{chapter}.{word}.{name}")).collect();
    family::own_or_shared(&ids)
}

/// The instructions of a program: the first dword of each, and its format.
fn instructions(program: &Program) -> Vec<(usize, Format)> {
    let flow = program.control_flow.iter();
    let mut places: Vec<_> = flow.map(|(&n, cf)| (2 * n as usize, cf.format())).collect();
    for (&address, clause) in &program.clauses {
        let mut at = 2 * address as usize;
        match clause {
            Clause::Alu(groups) => {
                for group in groups {
                    // The slots of CUBE have one direction between them, those of a double-precision
                    // operation the words of its operands: no change to one slot leaves them whole.
                    let is_one_of_several = |alu: &Alu| {
                        let opcode = alu.opcode();
                        opcode.is_some_and(|o| o == AluOpcode::Cube || o.double_slots() > 0)
                    };
                    if !group.instructions.iter().any(is_one_of_several) {
                        let instructions = group.instructions.iter().enumerate();
                        places.extend(instructions.map(|(n, alu)| (at + 2 * n, alu.format())));
                    }
                    at += 2 * group.words();
                }
            }
            Clause::Fetch(_, fetches) => {
                places.extend(fetches.iter().enumerate().map(|(n, f)| (at + 4 * n, f.format())));
            }
        }
    }
    places
}

/// Whether a program is legal where a case says how much there is of everything.
fn is_legal(case: &Case, dwords: &[u32]) -> bool {
    let program = Program::decode(dwords);
    coverage::uncounted(|| {
        program.is_ok_and(|p| !check(&p, &Settings::of(case)).iter().any(Violation::is_illegal))
    })
}

/// Programs of a device, and the engines that run them.
pub(super) struct Fields {
    device: Device,
    bytes: Vec<u8>,
    reference: Reference,
    engine: Executor,
    /// The last case on which they differ.
    diverging: Option<Case>,
}

/// A legal program, and the first dwords of its instructions with their formats.
struct Subject {
    case: Case,
    places: Vec<(usize, Format)>,
    program: Program,
}

/// Puts a clause that differs in a bit behind a program, mostly not far from its end: the address where it begins.
fn append_another(clause: &Clause, program: &mut Vec<u32>, random: &mut SplitMix64) -> u32 {
    let gap = random.below(FARTHEST) >> random.below(u64::from(FARTHEST.ilog2()) + 1);
    let address = (program.len() / 2 + gap as usize).next_multiple_of(2);
    let mut dwords = clause.dwords();
    let dword = random.below(dwords.len() as u64) as usize;
    dwords[dword] ^= 1 << random.below(32);
    program.resize(2 * address, 0);
    program.extend(dwords);
    address as u32
}

impl Subject {
    /// The case with a field of an instruction changed, if it is legal.
    fn changed(&self, random: &mut SplitMix64, at: usize, field: &Field) -> Option<Case> {
        let mut changed = self.case.clone();
        let here = at..at + self.dwords(at);
        let old = field.get(&changed.program[here.clone()]);
        let bits = u64::from(field.high - field.low) + 1;
        let clause = self.program.clauses.get(&old).filter(|_| field.name == "ADDR");
        // What runs a clause gets another one to run. Else mostly one bit, which leaves a program legal more often than
        // another number.
        let new = if let Some(clause) = clause {
            append_another(clause, &mut changed.program, random)
        } else if random.below(4) == 0 {
            random.below(1 << bits) as u32
        } else {
            old ^ 1 << random.below(bits)
        };
        field.set(&mut changed.program[here], new);
        (new != old && is_legal(&self.case, &changed.program)).then_some(changed)
    }

    /// The case with a clause, or a part of one, where something else is: dwords that are no program then.
    fn broken(&self, random: &mut SplitMix64) -> Option<Case> {
        let runs_clause = |format: &Format| {
            ["ADDR", "COUNT"].iter().all(|name| format.fields.iter().any(|f| f.name == *name))
        };
        let places: Vec<_> = self.places.iter().filter(|(_, f)| runs_clause(f)).collect();
        if places.is_empty() {
            return None;
        }
        let (at, format) = *random.pick(&places);
        let name = random.pick(&["ADDR", "COUNT"]);
        let field = format.fields.iter().find(|field| field.name == name)?;
        let mut changed = self.case.clone();
        let dwords = &mut changed.program[at..at + format.dwords];
        // A little farther, or a little longer.
        let new = field.get(dwords).wrapping_add_signed(random.below(9) as i32 - 4);
        field.set(dwords, new);
        coverage::uncounted(|| Program::decode(&changed.program).is_err()).then_some(changed)
    }

    fn dwords(&self, at: usize) -> usize {
        self.places.iter().find(|place| place.0 == at).map_or(0, |(_, format)| format.dwords)
    }
}

impl Fields {
    pub(super) fn new(device: Device) -> Self {
        Self {
            device,
            bytes: vec![0; generate::BYTES.max(flow::BYTES).max(memory::BYTES).max(texture::BYTES)],
            reference: crate::r700::reference(),
            engine: Executor::new(),
            diverging: None,
        }
    }

    /// Runs a case: the state it ends with, if the manual says what that is.
    fn run(
        &mut self,
        case: &Case,
        counts: &mut Counts,
    ) -> Result<Option<Box<State>>, Box<Mismatch>> {
        match lockstep::<R700>(&mut self.reference, &mut self.engine, case) {
            Verdict::Agreed(agreement) => {
                counts.instructions += agreement.steps;
                counts.comparisons += agreement.comparisons;
                counts.accepted += agreement.accepted;
                let is_open = agreement.is_open();
                Ok((!is_open).then(|| Box::new(*Model::state(&self.reference))))
            }
            Verdict::NotRun(_) => Ok(None),
            Verdict::Diverged(divergence) => {
                self.diverging = Some(case.clone());
                let place = divergence.difference.places().swap_remove(0);
                Err(Box::new(Mismatch {
                    kind: divergence.mnemonic.clone(),
                    location: place.name,
                    instruction: divergence.instruction.clone(),
                    expected: place.expected,
                    actual: place.actual,
                    text: divergence.to_string(),
                }))
            }
        }
    }

    /// The state in which the executor alone ends a case, if it is defined.
    fn glance(&mut self, case: &Case) -> Option<Box<State>> {
        coverage::uncounted(|| {
            self.engine.load(case).ok()?;
            let is_defined = !matches!(self.engine.run(), Outcome::Undefined(_));
            is_defined.then(|| Box::new(*Model::state(&self.engine)))
        })
    }
}

impl Comparison for Fields {
    fn compare(&mut self, seed: u64, counts: &mut Counts) -> Result<(), Box<Mismatch>> {
        self.diverging = None;
        let mut random = SplitMix64::new(seed);
        if random.below(BROKEN_ONE_IN) == 0 {
            self.refusals(&mut random, counts)?;
        }
        for (format, field) in CODES.iter() {
            self.code_of_nothing(&mut random, format, field, counts)?;
        }
        for _ in 0..PROGRAMS {
            if self.unread_literal(&mut random, counts)? {
                break;
            }
        }
        let compared_before = counts.comparisons;
        // Some fields have no effect, some programs end where the manual says nothing more.
        while counts.comparisons == compared_before {
            let (format, field) =
                if random.below(8) == 0 { random.pick(&RARE) } else { random.pick(&EVERY) };
            for _ in 0..PROGRAMS {
                if self.program(&mut random, format, field, counts)? {
                    break;
                }
            }
        }
        Ok(())
    }

    fn minimized(&mut self) -> Option<Finding> {
        let case = self.diverging.take()?;
        let limits = ShrinkLimits::default();
        finding::<R700>(&mut self.reference, &mut self.engine, &case, 1, &limits).ok()
    }
}

impl Fields {
    /// A legal program with instructions of a format; `None` if none of some programs is one.
    fn with(&mut self, random: &mut SplitMix64, format: &Format) -> Option<Subject> {
        (0..CANDIDATES).find_map(|_| {
            random.fill(&mut self.bytes);
            // Of few bytes programs are short: long ones are seldom exact as a whole.
            let bytes = &self.bytes[..self.bytes.len() >> random.below(7)];
            let is_memory = format.name.starts_with("Memory") || format.name.starts_with("Local");
            let mut case = match random.below(4) {
                _ if is_memory && random.below(4) != 0 => memory::memory(self.device, bytes),
                0 => generate::groups(self.device, bytes),
                1 => memory::memory(self.device, bytes),
                2 => texture::textures(self.device, bytes),
                _ => flow::any(self.device, bytes),
            };
            let program = Program::decode(&case.program).ok()?;
            let places = instructions(&program);
            let is_one = places.iter().any(|(_, other)| other.name == format.name)
                && is_legal(&case, &case.program);
            if random.below(4) == 0 {
                // Within a program there is more to see: subroutines, loops, what a clause keeps.
                case.step_limit = 1 + random.below(32);
            }
            if random.below(4) == 0 {
                // As if these had been killed before.
                case.state.valid = random.next();
            }
            is_one.then_some(Subject { case, places, program })
        })
    }

    /// A memory access whose code is that of nothing is refused by both engines: nobody reads the code elsewhere.
    fn code_of_nothing(
        &mut self,
        random: &mut SplitMix64,
        format: &Format,
        field: &Field,
        counts: &mut Counts,
    ) -> Result<(), Box<Mismatch>> {
        let Some(subject) = self.with(random, format) else { return Ok(()) };
        let Some(at) = subject.places.iter().find(|(_, other)| other.name == format.name) else {
            return Ok(());
        };
        let mut changed = subject.case.clone();
        let bits = u64::from(field.high - field.low) + 1;
        field.set(&mut changed.program[at.0..at.0 + format.dwords], random.below(1 << bits) as u32);
        if coverage::uncounted(|| Program::decode(&changed.program).is_ok()) {
            return Ok(());
        }
        // An engine that takes it diverges.
        self.run(&changed, counts)?;
        coverage::hit(FIELDS[&(field.word, field.name)]);
        coverage::finalize(Weight::Exact);
        Ok(())
    }

    /// An operand field that the operation does not read asks for a literal: what stands behind the group is no
    /// instruction then. Whether a program shows it.
    fn unread_literal(
        &mut self,
        random: &mut SplitMix64,
        counts: &mut Counts,
    ) -> Result<bool, Box<Mismatch>> {
        let Some(&(format, field)) = EVERY.iter().find(|(_, field)| field.name == "SRC1_SEL")
        else {
            return Ok(false);
        };
        let Some(subject) = self.with(random, format) else { return Ok(false) };
        let mut places = Vec::new();
        for (&address, clause) in &subject.program.clauses {
            let Clause::Alu(groups) = clause else { continue };
            let mut at = 2 * address as usize;
            for group in groups {
                let reads_one = |alu: &Alu| {
                    let sources = alu.opcode().map(|opcode| opcode.row().sources.len());
                    matches!(alu, Alu::Op2(_)) && sources == Some(1)
                };
                if group.literals.is_empty() {
                    let unary = group.instructions.iter().enumerate();
                    let unary = unary.filter(|(_, alu)| reads_one(alu));
                    places.extend(unary.map(|(n, _)| at + 2 * n));
                }
                at += 2 * group.words();
            }
        }
        if places.is_empty() {
            return Ok(false);
        }
        let at = random.pick(&places);
        let mut changed = subject.case.clone();
        field.set(&mut changed.program[at..at + 2], LITERAL);
        if coverage::uncounted(|| Program::decode(&changed.program).is_err()) {
            return Ok(false);
        }
        let Some(end) = self.run(&subject.case, counts)? else { return Ok(false) };
        let differs = self.run(&changed, counts)?.is_some_and(|state| *state != *end);
        if differs {
            coverage::hit(rule_id!("r700.alu.literal.all-fields"));
            coverage::finalize(Weight::Exact);
        }
        Ok(differs)
    }

    /// What is no program is refused by both engines.
    fn refusals(
        &mut self,
        random: &mut SplitMix64,
        counts: &mut Counts,
    ) -> Result<(), Box<Mismatch>> {
        let (format, _) = random.pick(&EVERY);
        let Some(subject) = self.with(random, format) else { return Ok(()) };
        for _ in 0..CHANGES {
            if let Some(broken) = subject.broken(random) {
                self.run(&broken, counts)?;
            }
        }
        Ok(())
    }

    /// Compares what becomes of a program where a field is changed with what becomes of it else: first the
    /// wanted one, then each that its instructions have. Whether the wanted one makes a difference.
    fn program(
        &mut self,
        random: &mut SplitMix64,
        format: &Format,
        field: &Field,
        counts: &mut Counts,
    ) -> Result<bool, Box<Mismatch>> {
        let Some(subject) = self.with(random, format) else { return Ok(false) };
        let is_screened = random.below(UNSCREENED) != 0;
        let Some(seen) = self.glance(&subject.case) else { return Ok(false) };
        let mut formats: Vec<_> = subject.places.iter().map(|(_, format)| *format).collect();
        formats.sort_by_key(|format| format.name);
        formats.dedup_by_key(|format| format.name);
        let wanted = std::iter::repeat_n((*format, field), CHANGES);
        let every = formats.iter().flat_map(|of| of.fields.iter().map(move |field| (*of, field)));
        let mut end = None;
        let mut done: Vec<&Field> = Vec::new();
        for (format, field) in wanted.chain(every) {
            if done.contains(&field) {
                continue;
            }
            let of_format = subject.places.iter().filter(|(_, other)| other.name == format.name);
            let of_format: Vec<_> = of_format.map(|(at, _)| *at).collect();
            let at = random.pick(&of_format);
            let Some(changed) = subject.changed(random, at, field) else { continue };
            if is_screened && self.glance(&changed).is_none_or(|state| *state == *seen) {
                continue;
            }
            if end.is_none() {
                end = self.run(&subject.case, counts)?;
            }
            let Some(end) = &end else { return Ok(false) };
            if self.run(&changed, counts)?.is_some_and(|state| state != *end) {
                coverage::hit(FIELDS[&(field.word, field.name)]);
                coverage::finalize(Weight::Exact);
                done.push(field);
            }
        }
        Ok(done.contains(&field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which fields no program of some hundred depends on: they have no effect, or none that is modelled.
    #[test]
    fn programs_depend_on_most_fields() {
        let mut fields = Fields::new(Device::Rv770);
        coverage::drop_marks();
        for seed in 0..1000 {
            let compared = fields.compare(seed, &mut Counts::default());
            assert!(compared.is_ok(), "seed {seed}: {compared:?}");
        }
        let coverage = coverage::take();
        let without: Vec<_> = FIELDS
            .iter()
            .filter(|(_, rule)| coverage.hits(**rule) == 0)
            .map(|(name, _)| name)
            .collect();
        // Hints, order of execution, what needs a program as a whole, and seldom ones.
        assert!(without.len() < 36, "{without:?}");
        assert!(!without.iter().any(|(_, name)| *name == "ADDR"), "{without:?}");
    }
}
