//! Bytes to a case of filtered textures: clauses of texture instructions on resources and samplers that go
//! together, at places on and around small textures.

mod fetches;
mod places;
mod resources;

use parallax_isa::{
    Device,
    r700::{
        Case, Cf, CfOpcode, case::ProgramType, decode::FetchClause, microcode::CfWord,
        program::Clause,
    },
};

use super::{
    super::layout::{Item, lay_out},
    behind,
};
use crate::{choices::Choices, r700::generate, random::SplitMix64};

/// Bytes that are enough for any case.
pub const BYTES: usize = 2048;

/// Most clauses of a program.
const CLAUSES: usize = 3;
/// Most instructions of a clause.
const FETCHES: usize = 8;
/// Registers a case declares.
const DECLARED: usize = 12;

/// A case of filtered textures.
///
/// # Panics
/// If the device is not an R700: other devices have other generators.
#[must_use]
pub fn textures(device: Device, bytes: &[u8]) -> Case {
    assert_eq!(device, Device::Rv770, "a generator of R700 programs");
    let mut choices = Choices::new(bytes);
    let mut random = SplitMix64::new(choices.seed());
    let mut case = Case::new(Vec::new());
    // Others have no neighbours to compute a level of detail from.
    case.program_type = *choices.pick(&[
        ProgramType::Pixel,
        ProgramType::Pixel,
        ProgramType::Pixel,
        ProgramType::Pixel,
        ProgramType::Vertex,
        ProgramType::Geometry,
        ProgramType::Compute,
    ]);
    case.gpr_count = DECLARED as u32;
    case.step_limit = 2000;
    for constants in [&mut case.constants, &mut case.alternate_constants] {
        constants.textures = resources::textures(&mut random);
        constants.samplers = resources::samplers(&mut random);
    }
    start_elsewhere(&mut random, &mut case);
    let mut items: Vec<Item> =
        (0..=choices.below(CLAUSES)).map(|_| clause(&mut choices, &case)).collect();
    items.push(Item::plain(CfOpcode::Nop).ending());
    behind::put(&mut choices, &mut case, &mut items);
    case.program = lay_out(&items);
    case
}

/// A clause. It is one step: no instruction reads what another one of it has written.
fn clause(choices: &mut Choices, case: &Case) -> Item {
    let mut writer = fetches::Writer::new(case);
    let count = 1 + choices.below(FETCHES);
    let list = (0..count).map(|_| writer.fetch(choices)).collect();
    let clause = Clause::Fetch(FetchClause::Texture, list);
    let item = Item { clause: Some(clause), ..Item::plain(CfOpcode::Tex) };
    let Cf::Plain(word) = item.cf else { return item };
    let [quads, valid] = *choices.pick(&[[0, 0], [0, 0], [0, 0], [1, 0], [0, 1]]);
    let word = word.with(CfWord::WHOLE_QUAD_MODE, quads).with(CfWord::VALID_PIXEL_MODE, valid);
    Item { cf: Cf::Plain(word), ..item }
}

/// Gives a case other places to sample, and other pixels.
pub fn start_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    places::fill(random, &mut case.state);
    generate::masks(random, &mut case.state);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use parallax_isa::{
        Model as _, Outcome, Step,
        r700::{
            Program,
            legality::{Settings, Violation, check},
        },
    };
    use parallax_reference::r700::Reference;

    use super::*;

    fn bytes(seed: u64) -> Vec<u8> {
        let mut bytes = vec![0; BYTES];
        SplitMix64::new(seed).fill(&mut bytes);
        bytes
    }

    #[test]
    fn generated_programs_are_legal_and_run() {
        let mut broken = BTreeMap::new();
        for seed in 0..400 {
            let case = textures(Device::Rv770, &bytes(seed));
            let program = Program::decode(&case.program).unwrap();
            let found = check(&program, &Settings::of(&case)).into_iter();
            for violation in found.filter(Violation::is_illegal) {
                broken.insert(violation.rule.to_string(), violation.message);
            }
            let mut reference = Reference::new();
            reference.load(&case).unwrap();
            let end = loop {
                if let Step::Finished(outcome) = reference.step() {
                    break outcome;
                }
            };
            assert_eq!(end, Outcome::Halted, "seed {seed}");
        }
        assert!(broken.is_empty(), "{broken:#?}");
    }

    #[test]
    fn few_bytes_give_cases_too() {
        for length in 0..64 {
            let case = textures(Device::Rv770, &bytes(1)[..length]);
            assert!(Program::decode(&case.program).is_ok());
        }
    }
}
