use parallax_engine::Hello;
use parallax_isa::{Device, Image as _, r700::text};
use rstest::rstest;

use super::*;
use crate::{
    outside::Limits as _,
    r700::{flow, generate},
    random::SplitMix64,
};

const CLAUSE: &str = "00 ALU:
    0 x: ADD_INT R1.x, R2.x, R3.x
      y: LSHR_INT R1.y, R2.y, R3.y
    1 x: MOV R4.x, PV.y
01 NOP: END_OF_PROGRAM";

fn case(source: &str) -> Case {
    Case::new(text::parse(source).expect("it assembles").encode())
}

/// An engine of these instructions that has nothing else but these features.
fn engine(instructions: &[&str], features: &[&str], banks: &[&str]) -> Hello {
    let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
    Hello {
        machine: "r700".to_owned(),
        instructions: Some(instructions.iter().copied().collect()),
        features: names(features),
        ..Hello::new("mine", &["rv770"], banks)
    }
}

fn generated(seed: u64) -> Case {
    let mut bytes = vec![0; generate::BYTES.max(flow::BYTES)];
    SplitMix64::new(seed).fill(&mut bytes);
    if seed.is_multiple_of(2) {
        generate::groups(Device::Rv770, &bytes)
    } else {
        flow::any(Device::Rv770, &bytes)
    }
}

#[test]
fn a_case_comes_back_as_it_was_sent() {
    for seed in 0..60 {
        let case = generated(seed);
        let sent = R700::to_outside(&case).expect("it has a form");
        let back = R700::of_outside(&sent, &case.state).expect("it was one");
        assert!(back == case, "{seed}");
    }
}

#[test]
fn a_plain_case_has_no_settings() {
    assert_eq!(R700::to_outside(&case(CLAUSE)).expect("a form").settings, "");
}

#[rstest]
#[case("{\"gpr_cuont\": 9}", "unknown field `gpr_cuont`")]
#[case("{\"profile\": \"paper\"}", "unknown variant `paper`")]
#[case("[", "settings: EOF")]
fn settings_that_are_none_are_refused(#[case] settings: &str, #[case] sentence: &str) {
    let sent = R700::to_outside(&case(CLAUSE)).expect("a form");
    let sent = Sent { settings: settings.to_owned(), ..sent };
    let error = R700::of_outside(&sent, &State::new()).expect_err("it is none");
    assert!(error.contains(sentence), "{error}");
}

/// What each part of a case takes.
#[rstest]
#[case("0 x: ADD R1.x, R2.x, R3.x", Some("the instruction `ADD`"))]
#[case("0 x: MOV R1.x, R2.x", None)]
#[case("0 x: MOV R1.x, -R2.x", Some("the feature `source-modifiers`"))]
#[case("0 x: MOV R1.x, |R2.x|", Some("the feature `source-modifiers`"))]
#[case("0 x: MOV R1.x, R2.x CLAMP", Some("the feature `output-modifiers`"))]
#[case("0 x: MOV R1.x, R2.x *2", Some("the feature `output-modifiers`"))]
#[case("0 x: MOV R1.x, C3.x", Some("the feature `constants`"))]
#[case("0 x: MOV R1.x, R2.x\n1 x: MOV R3.x, PV.x", Some("the bank `PV`"))]
#[case("0 t: MOV R1.x, R2.x\n1 x: MOV R3.x, PS", Some("the bank `PS`"))]
#[case("0 x: MOV R1.x, (0x3f800000, 1.0).x", None)]
#[case("0 x: MOV R1.x, R2[AR.x].x", Some("the feature `relative`"))]
fn what_an_engine_does_not_have_is_named(#[case] groups: &str, #[case] need: Option<&str>) {
    let source = format!("00 ALU:\n{groups}\n01 NOP: END_OF_PROGRAM");
    let hello = engine(&["MOV"], &[], &["R"]);
    assert_eq!(case_beyond(&case(&source), &hello).as_deref(), need);
}

/// An address that the manual leaves open can be taken over only from who is asked for it.
#[rstest]
#[case("MOV R1.x, R2[AR.x].x", Some("the bank `AR`"))]
#[case("MOV R1.x, R2[aL].x", None)]
fn an_index_takes_its_bank(#[case] group: &str, #[case] need: Option<&str>) {
    let source = format!("00 ALU:\n0 x: {group}\n01 NOP: END_OF_PROGRAM");
    let mut hello = engine(&["MOV"], &["relative"], &["R"]);
    assert_eq!(case_beyond(&case(&source), &hello).as_deref(), need);
    hello.banks.push("AR".to_owned());
    assert_eq!(case_beyond(&case(&source), &hello), None);
}

#[test]
fn profiles_and_starts_are_kept_to() {
    let mut case = case(CLAUSE);
    let mut hello = engine(&["ADD_INT", "LSHR_INT", "MOV"], &[], &["R", "PV"]);
    assert_eq!(case_beyond(&case, &hello), None);
    case.profile = Profile::Silicon;
    assert_eq!(case_beyond(&case, &hello).as_deref(), Some("the profile `silicon`"));
    hello.profiles = Some(vec!["silicon".to_owned()]);
    assert_eq!(case_beyond(&case, &hello), None);
    case.gpr_count = 20;
    assert_eq!(case_beyond(&case, &hello).as_deref(), Some("the feature `surroundings`"));
    case = Case { gpr_count: 124, ..case };
    case.state.pixels.active = 1;
    assert_eq!(case_beyond(&case, &hello).as_deref(), Some("the bank `active`"));
}

/// Of generated cases an engine of six instructions without any feature gets such only, and enough of them.
#[rstest]
#[case(true)]
#[case(false)]
fn cases_are_made_of_what_is_declared(#[case] steps: bool) {
    let six = ["MOV", "ADD", "MUL_IEEE", "AND_INT", "ADD_INT", "LSHR_INT"];
    let hello = Hello { steps, ..engine(&six, &[], &["R", "cf", "group", "in-clause"]) };
    let limited = Limited::Gathered(std::sync::Arc::new(hello));
    let mut instructions = std::collections::BTreeMap::new();
    let (mut groups_of_several, mut all_groups) = (0, 0);
    for seed in 0..40 {
        let mut generate = |seed: u64| generated(2 * (seed % 100_000));
        let Some(case) = limited.case(seed, &mut generate) else { continue };
        assert_eq!(R700::to_outside(&case).expect("a form").settings, "");
        let program = Program::decode(&case.program).expect("a program");
        let groups = program.clauses.values().flat_map(|clause| match clause {
            Clause::Alu(groups) => groups.as_slice(),
            Clause::Fetch(..) => panic!("no fetches are declared"),
        });
        let groups: Vec<_> = groups.collect();
        all_groups += groups.len();
        groups_of_several += groups.iter().filter(|group| group.instructions.len() > 1).count();
        for alu in groups.into_iter().flat_map(|group| &group.instructions) {
            *instructions.entry(alu.opcode().expect("decoded").mnemonic()).or_insert(0) += 1;
        }
    }
    assert!(
        instructions
            .keys()
            .copied()
            .eq(["ADD", "ADD_INT", "AND_INT", "LSHR_INT", "MOV", "MUL_IEEE"])
    );
    assert!(instructions.values().all(|count| *count >= 20), "{instructions:?}");
    // A group keeps the instructions that it had, with operations that the engine has.
    assert!(2 * groups_of_several > all_groups, "{groups_of_several} of {all_groups}");
}

/// A cut program comes to the state after so many steps, but for what lives inside clauses.
#[test]
fn a_cut_program_ends_where_it_was_cut() {
    let (mut cuts, mut branching) = (0, 0);
    for seed in 0..40 {
        let case = generated(seed);
        let mut whole = Reference::new();
        whole.load(&case).expect("it loads");
        for steps in 0..12 {
            match R700::cut(&case, steps) {
                Err(_) => {
                    branching += 1;
                    break;
                }
                Ok(None) => {
                    assert_ne!(whole.step(), Step::Continue);
                    break;
                }
                Ok(Some(cut)) => {
                    let mut reference = Reference::new();
                    reference.load(&cut).expect("it loads");
                    while reference.step() == Step::Continue {}
                    for bank in State::BANKS {
                        if !R700::INNER_BANKS.contains(&bank.name) {
                            let [here, there] = [whole.state(), reference.state()]
                                .map(|s| &s.image()[bank.range()]);
                            assert!(here == there, "{seed}: {} after {steps} steps", bank.name);
                        }
                    }
                    cuts += 1;
                    whole.step();
                }
            }
        }
    }
    assert!(cuts > 60 && branching > 10, "{cuts} cuts, {branching} branching");
}

#[rstest]
#[case("t: MOV R1.x, R2.x", false)]
#[case("t: RECIP_IEEE R1.x, R2.x", true)]
#[case("t: RECIP_IEEE R1.x, R2.x\n1 t: MOV R1.x, R2.x", false)]
fn who_only_runs_to_the_end_is_not_asked_for_open_previous_results(
    #[case] groups: &str,
    #[case] is_open: bool,
) {
    let mut case = case(&format!("00 ALU:\n0 {groups}\n2 x: MOV R3.x, PS\n01 NOP: END_OF_PROGRAM"));
    case.state.gpr[2][0] = [3.0_f32.to_bits(); 64];
    case.prefer_vector = false;
    let mut hello = engine(&["MOV", "RECIP_IEEE"], &[], &["R", "PS"]);
    hello.features = None;
    assert_eq!(case_beyond(&case, &hello), None);
    hello.steps = false;
    assert_eq!(case_beyond(&case, &hello).is_some(), is_open);
}
