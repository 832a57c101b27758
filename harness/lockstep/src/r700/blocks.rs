//! Cases for an executor that compiles clauses. Most are loops around clauses of many groups, most of which
//! code can be made of, some with pixels that break off or go around a clause; the others are those of
//! `r700`, `r700-long` and `r700-flow`.

use parallax_isa::{
    Device,
    r700::{Case, Cf, CfOpcode, case::ProgramType, microcode::CfAluWord, program::Clause},
};

use super::{
    flow::{any_by, long_by},
    generate::{self, CLAUSES, clause, groups_by, surroundings},
    layout::{Item, lay_out},
};
use crate::{choices::Choices, corners::AT_THE_BOTTOM, random::SplitMix64};

/// Bytes that are enough for any case.
pub const BLOCKS_BYTES: usize = generate::BYTES;

/// Trips of a loop, and most steps of a case.
const TRIPS: u64 = 10;
const STEPS: u64 = 1500;

/// A case of blocks.
///
/// # Panics
/// If the device is not an R700: other devices have other generators.
#[must_use]
pub fn blocks(device: Device, bytes: &[u8]) -> Case {
    assert_eq!(device, Device::Rv770, "a generator of R700 programs");
    let mut choices = Choices::new(bytes);
    match choices.byte() {
        0..=159 => loops(choices),
        160..=179 => groups_by(choices),
        180..=207 => long_by(choices),
        _ => any_by(choices),
    }
}

/// A loop around clauses.
fn loops(mut choices: Choices) -> Case {
    let mut random = SplitMix64::new(choices.seed());
    let mut case = surroundings(&mut choices, &mut random);
    case.step_limit = STEPS;
    case.loop_constants[0].count = 2 + random.below(TRIPS) as u32;
    if random.next() & 7 == 0 {
        // Products are next to the smallest normal number.
        let declared = case.gpr_count as usize;
        for register in case.state.gpr[..declared].iter_mut().skip(1) {
            for lane in register.as_flattened_mut() {
                *lane = AT_THE_BOTTOM[random.below(8) as usize];
            }
        }
    }
    let constant_file = choices.sometimes(120)
        && matches!(case.program_type, ProgramType::Pixel | ProgramType::Vertex);
    let addresses = choices.sometimes(48);
    let mut items = vec![Item::plain(CfOpcode::LoopStart)];
    for _ in 0..=choices.below(CLAUSES) {
        // What a push takes, a pop gives back.
        let kinds: &[CfOpcode] = match choices.below(8) {
            0..=3 => &[CfOpcode::Alu],
            4 => &[CfOpcode::AluBreak],
            5 => &[CfOpcode::AluContinue],
            6 => &[CfOpcode::AluPushBefore, CfOpcode::AluPopAfter],
            _ => &[CfOpcode::AluElseAfter, CfOpcode::AluPopAfter],
        };
        let mut kinds = kinds.iter();
        while let Some(kind) = kinds.next() {
            choices.piece();
            let item = clause(&mut choices, &case, true, constant_file, addresses);
            let splits = matches!(kind, CfOpcode::AluPushBefore | CfOpcode::AluElseAfter);
            if splits && updates(&item) != 1 {
                // It would have to send one predicate to the active mask.
                items.push(item);
                kinds = [].iter();
            } else {
                items.push(of_kind(item, *kind));
            }
        }
    }
    items.push(Item::plain(CfOpcode::LoopEnd).with_target(1));
    items[0] = items[0].clone().with_target(items.len() as u32);
    items.push(Item::plain(CfOpcode::Nop).ending());
    case.program = lay_out(&items);
    case
}

/// How many instructions of a clause send a predicate to the active mask.
fn updates(item: &Item) -> usize {
    let Some(Clause::Alu(groups)) = &item.clause else { return 0 };
    let instructions = groups.iter().flat_map(|group| &group.instructions);
    instructions.filter(|alu| alu.update_execute_mask()).count()
}

/// The same clause, run by another instruction.
fn of_kind(mut item: Item, kind: CfOpcode) -> Item {
    if let Cf::Alu(word) = &mut item.cf {
        *word = word.with(CfAluWord::CF_INST, kind.code());
    }
    item
}

#[cfg(test)]
mod tests {
    use parallax_isa::r700::{
        Program,
        legality::{Settings, Violation, check},
    };

    use super::*;

    #[test]
    fn loops_are_legal() {
        let mut bytes = vec![0; BLOCKS_BYTES];
        for seed in 0..300 {
            SplitMix64::new(seed).fill(&mut bytes);
            let case = loops(Choices::new(&bytes));
            let program = Program::decode(&case.program).expect("a program");
            let mut violations = check(&program, &Settings::of(&case));
            violations.retain(Violation::is_illegal);
            assert!(violations.is_empty(), "seed {seed}: {violations:?}");
        }
    }
}
