//! Cases that keep to what an engine declares.

use std::sync::Arc;

use parallax_engine::Hello;
use parallax_isa::{
    Image as _,
    r700::{
        Alu, AluOpcode, Case, Cf, CfOpcode, Group, Program, R700, State,
        instruction::Operand,
        legality::{self, Violation},
        microcode::{AluOp2, AluOp3, CfAluWord, Field},
        opcode::{AluFormat, AluRow, Role, Units},
        program::Clause,
    },
};

use super::{
    case_beyond, has,
    inner::reads_open,
    needs::{FIELDS, LOOP_INDEX, alu_beyond, fields_of, source_beyond},
    settings::Settings,
};
use crate::{
    outside::Limits,
    r700::{
        layout::{Item, items, lay_out},
        shrink::regroup,
    },
    random::SplitMix64,
};

/// How cases are limited to what an engine declares.
pub(in crate::r700) enum Limited {
    /// Clauses one after the other: of several programs, the instructions that it has.
    Gathered(Arc<Hello>),
    /// Programs that it has all instructions of; the others are left out.
    Whole(Arc<Hello>),
}

/// Instructions that are enough for a program.
const ENOUGH: usize = 24;
/// Programs that are made for them.
const MOST_PROGRAMS: u64 = 32;
/// The mode of a constant window that aL moves.
const LOCK_LOOP: u32 = 3;
/// The mode of one that stays where it is.
const LOCK_TWO: u32 = 2;

impl Limited {
    fn hello(&self) -> &Hello {
        match self {
            Self::Gathered(hello) | Self::Whole(hello) => hello,
        }
    }
}

/// Makes what an engine does not have as it is at the start of a program without settings. Whether that has changed
/// the settings.
pub(super) fn make_usual(case: &mut Case, hello: &Hello) -> bool {
    let usual = State::new();
    for bank in State::BANKS {
        if !hello.banks.iter().any(|name| name == bank.name) {
            let range = bank.range();
            case.state.image_mut()[range.clone()].copy_from_slice(&usual.image()[range]);
        }
    }
    if hello.features.is_none() && hello.profiles.is_none() {
        return false;
    }
    let settings = Settings::of(case);
    let had = settings.clone().had(hello);
    let is_changed = had != settings;
    had.apply(case);
    is_changed
}

/// Whether a program that starts at its first word is legal in the settings of a case.
fn is_legal(program: &[u32], case: &Case) -> bool {
    let Ok(program) = Program::decode(program) else { return false };
    !legality::check(&program, &legality::Settings::of(case)).iter().any(Violation::is_illegal)
}

/// The selects of sources, and the fields that make them relative.
const SOURCES: [[Field; 2]; 3] = [
    [AluOp2::SRC0_SEL, AluOp2::SRC0_REL],
    [AluOp2::SRC1_SEL, AluOp2::SRC1_REL],
    [AluOp3::SRC2_SEL, AluOp3::SRC2_REL],
];

/// Registers that every program has declared.
const DECLARED: u32 = 4;

/// A source that an engine has in the place of each that it has not: a register, by some of the bits of the instruction.
fn with_known_sources(alu: Alu, hello: &Hello) -> Alu {
    let operands = alu.encoded_operands();
    let lacking = |operand: &Operand| source_beyond(*operand, hello).is_some();
    let places = SOURCES.iter().zip(&operands).filter(|(_, operand)| lacking(operand));
    places.fold(alu, |alu, ([select, relative], operand)| {
        let number = u32::from(operand.element) + alu.dwords()[1] % DECLARED;
        alu.with(*select, number % DECLARED).with(*relative, 0)
    })
}

/// An operation that an engine has in the place of one that it has not, of the same format and for the same units: so
/// groups keep the instructions that they have.
fn with_known_operation(alu: Alu, hello: &Hello) -> Alu {
    let Some(row) = alu.opcode().map(AluOpcode::row) else { return alu };
    if hello.has_instruction(row.mnemonic) {
        return alu;
    }
    let is_like = |other: &AluRow| {
        (other.format, other.role, other.slots) == (row.format, Role::Plain, 1)
            && (other.units == Units::Any || other.units == row.units)
    };
    let rows = AluOpcode::ALL.iter().map(|opcode| opcode.row());
    let known: Vec<_> =
        rows.filter(|other| is_like(other) && hello.has_instruction(other.mnemonic)).collect();
    let [first, second] = alu.dwords();
    let Some(other) = known.get((first ^ second >> 3) as usize % known.len().max(1)) else {
        return alu;
    };
    let alu = FIELDS
        .iter()
        .filter(|(feature, _)| feature.ends_with("modifiers"))
        .flat_map(|(_, fields)| fields_of(alu, fields))
        .fold(alu, |alu, field| alu.with(field, 0));
    match other.format {
        AluFormat::Op2 => alu.with(AluOp2::ALU_INST, other.code),
        AluFormat::Op3 => alu.with(AluOp3::ALU_INST, other.code),
    }
}

/// An instruction without what an engine does not have; `None` if there is none.
fn fitted(alu: Alu, hello: &Hello) -> Option<Alu> {
    let mut alu = with_known_sources(with_known_operation(alu, hello), hello);
    let clear =
        |alu: Alu, fields| fields_of(alu, fields).fold(alu, |alu, field| alu.with(field, 0));
    for (feature, fields) in FIELDS {
        let has_no_index = feature == "relative"
            && (alu.index_mode() == LOOP_INDEX || !hello.banks.iter().any(|bank| bank == "AR"));
        if has_no_index || !has(&hello.features, feature) {
            alu = clear(alu, fields);
        }
    }
    if !hello.steps {
        alu = clear(alu, &[AluOp2::UPDATE_EXECUTE_MASK]);
    }
    alu_beyond(alu, hello).is_none().then_some(alu)
}

/// A clause that starts outside of loops and branches, without what an engine does not have.
fn fitted_word(mut word: CfAluWord, case: &Case, hello: &Hello) -> CfAluWord {
    word = word.with(CfAluWord::CF_INST, CfOpcode::Alu.code());
    if !has(&hello.features, "pixel-modes") {
        word = word.with(CfAluWord::WHOLE_QUAD_MODE, 0);
    }
    if case.alternate_constants.buffers.is_empty() {
        word = word.with(CfAluWord::ALT_CONST, 0);
    }
    for mode in [CfAluWord::KCACHE_MODE0, CfAluWord::KCACHE_MODE1] {
        if !has(&hello.features, "constants") {
            word = word.with(mode, 0);
        } else if mode.get(&word.0) == LOCK_LOOP {
            word = word.with(mode, LOCK_TWO);
        }
    }
    word
}

/// A group of the instructions that an engine has.
fn fitted_group(group: &Group, hello: &Hello) -> Option<Group> {
    let instructions = group.instructions.iter().filter_map(|alu| fitted(*alu, hello));
    let instructions: Vec<_> = instructions.collect();
    (!instructions.is_empty()).then(|| regroup(instructions, &group.literals))
}

/// The program of some clauses.
fn program_of(clauses: &[Item]) -> Vec<u32> {
    let mut items = clauses.to_vec();
    items.push(Item::plain(CfOpcode::Nop).ending());
    lay_out(&items)
}

/// A clause of the groups of which an engine has something, as far as they are legal one after the other.
fn fitted_clause(item: &Item, case: &Case, hello: &Hello) -> Option<Item> {
    let (Cf::Alu(word), Some(Clause::Alu(groups))) = (item.cf, &item.clause) else { return None };
    let cf = Cf::Alu(fitted_word(word, case, hello));
    let legal = |groups: &[Group]| {
        let item = Item { cf, clause: Some(Clause::Alu(groups.to_vec())) };
        is_legal(&program_of(std::slice::from_ref(&item)), case).then_some(item)
    };
    let groups: Vec<_> = groups.iter().filter_map(|group| fitted_group(group, hello)).collect();
    if groups.is_empty() {
        return None;
    }
    legal(&groups).or_else(|| {
        let mut kept: Vec<Group> = Vec::new();
        for group in groups {
            kept.push(group);
            if legal(&kept).is_none() {
                kept.pop();
            }
        }
        (!kept.is_empty()).then(|| legal(&kept)).flatten()
    })
}

/// Most groups that are taken out of a program because they read something unspecified.
const MOST_TAKEN_OUT: usize = 32;

/// Takes the groups out of a program that read what an engine that only runs to the end cannot be asked for.
fn without_open_reads(case: &mut Case) {
    for _ in 0..MOST_TAKEN_OUT {
        let Ok(program) = Program::decode(&case.program) else { return };
        let Some(address) = reads_open(case, &program) else { return };
        let mut clauses = items(&program);
        clauses.pop();
        for item in &mut clauses {
            let (Cf::Alu(word), Some(Clause::Alu(groups))) = (item.cf, &mut item.clause) else {
                continue;
            };
            let mut place = word.addr();
            groups.retain(|group| {
                let is_it = place == address;
                place += group.words() as u32;
                !is_it
            });
        }
        clauses.retain(|item| item.clause != Some(Clause::Alu(Vec::new())));
        case.program = program_of(&clauses);
    }
}

impl Limits<R700> for Limited {
    fn case(&self, seed: u64, generate: &mut dyn FnMut(u64) -> Case) -> Option<Case> {
        let mut case = generate(seed);
        let hello = self.hello();
        let is_changed = make_usual(&mut case, hello);
        if case_beyond(&case, hello).is_none() && (!is_changed || is_legal(&case.program, &case)) {
            return Some(case);
        }
        let Self::Gathered(hello) = self else { return None };
        let mut random = SplitMix64::new(seed);
        let mut clauses = Vec::new();
        let mut count = 0;
        let mut program = std::mem::take(&mut case.program);
        for _ in 0..MOST_PROGRAMS {
            let decoded = Program::decode(&program).ok()?;
            for item in items(&decoded) {
                if let Some(item) = fitted_clause(&item, &case, hello) {
                    if let Some(Clause::Alu(groups)) = &item.clause {
                        count += groups.iter().map(|group| group.instructions.len()).sum::<usize>();
                    }
                    clauses.push(item);
                }
            }
            if count >= ENOUGH {
                break;
            }
            program = generate(random.next()).program;
        }
        if clauses.is_empty() {
            return None;
        }
        case.program = program_of(&clauses);
        if !hello.steps {
            without_open_reads(&mut case);
        }
        Some(case).filter(|case| case_beyond(case, hello).is_none())
    }

    /// Whether a program reads what the manual leaves open depends on the values that it starts from.
    fn start(&self, case: &mut Case) -> bool {
        make_usual(case, self.hello());
        case_beyond(case, self.hello()).is_none()
    }
}
