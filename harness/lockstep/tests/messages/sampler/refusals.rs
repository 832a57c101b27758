//! What is not allowed ends a run.

use super::*;

#[rstest]
#[case::reserved_type("send (8) r10<1>:ud m1 null 0x02444000")]
#[case::no_such_length("send (8) r10<1>:ud m1 null 0x02840000")]
#[case::another_reply("send (8) r10<1>:ud m1 null 0x02410000")]
#[case::no_surface("send (8) r10<1>:ud m1 null 0x02440009")]
#[case::no_sampler("send (8) r10<1>:ud m1 null 0x02440500")]
#[case::no_levels_for_two_samples("send (8) r10<1>:ud m1 null 0x02210000")]
fn messages_that_are_not_described_end_the_run(#[case] line: &str) {
    let surface = surface(1, R8G8B8A8_UNORM, [4, 4, 1], 32);
    let start = Start { surface, payload: vec![[0; 8]; 8], ..Start::default() };
    let (outcome, state) = start.run(line);
    assert!(matches!(outcome, Outcome::Undefined(_)), "{line}: {outcome:?}");
    assert_eq!(state.grf[10], [OLD as u8; 32]);
}

#[rstest]
#[case::not_square(surface(3, R8_UNORM, [4, 5, 1], 32))]
#[case::reserved_type(surface(5, R8_UNORM, [4, 4, 1], 32))]
#[case::no_format(surface(1, 0x1FF, [4, 4, 1], 32))]
#[case::not_sampled(surface(1, 0x193, [4, 4, 1], 32))]
#[case::wider_than_its_pitch(surface(1, R8_UNORM, [33, 4, 1], 32))]
#[case::beyond_memory([1 << 29 | R8_UNORM << 18, 0xFFFF_FFFF, 0, 31 << 3, 0, 0])]
#[case::tiles_that_are_not_aligned([1 << 29 | R8_UNORM << 18, 32, 0, 511 << 3 | 2, 0, 0])]
#[case::a_buffer(surface(4, R8_UNORM, [4, 1, 1], 1))]
#[case::integers(surface(1, R8G8B8A8_UINT, [4, 4, 1], 32))]
fn surfaces_that_cannot_be_sampled_end_the_run(#[case] surface: [u32; 6]) {
    let start = Start { surface, payload: vec![[0; 8]; 3], ..Start::default() };
    let (outcome, _) = start.run("send (8) r10<1>:ud m1 null 0x02440000");
    assert!(matches!(outcome, Outcome::Undefined(_)), "{outcome:?}");
}

#[rstest]
#[case::map_filter([3 << 17, 0, 0, 0])]
#[case::mip_filter([2 << 20, 0, 0, 0])]
#[case::address_mode([0, 7 << 6, 0, 0])]
#[case::faces_of_a_plane([0, 3 << 6, 0, 0])]
#[case::monochrome([6 << 17 | 6 << 14, 4 << 6 | 4 << 3 | 4, 0, 1 << 29 | 1 << 26])]
#[case::fourteenth_level([0, 833 << 22, 0, 0])]
#[case::chroma_key([0, 0, 0, 1 << 25])]
fn samplers_that_do_not_go_with_a_surface_end_the_run(#[case] sampler: [u32; 4]) {
    let surface = surface(1, R8G8B8A8_UNORM, [4, 4, 1], 32);
    let start = Start { surface, sampler, payload: vec![[0; 8]; 3], ..Start::default() };
    let (outcome, _) = start.run("send (8) r10<1>:ud m1 null 0x02440000");
    assert!(matches!(outcome, Outcome::Undefined(_)), "{outcome:?}");
}

#[rstest]
#[case(f32::NAN)]
#[case(f32::INFINITY)]
fn coordinates_that_are_no_numbers_end_the_run(#[case] u: f32) {
    let surface = surface(1, R8G8B8A8_UNORM, [4, 4, 1], 32);
    let payload = vec![[u.to_bits(); 8], [0; 8], [0; 8]];
    let start = Start { surface, payload, ..Start::default() };
    let (outcome, _) = start.run("send (8) r10<1>:ud m1 null 0x02440000");
    assert!(matches!(outcome, Outcome::Undefined(_)), "{outcome:?}");
}

#[test]
fn a_case_without_samplers_does_not_answer() {
    let program = "send (8) r10<1>:ud m1 null 0x02440000";
    let state = Box::new(State::new());
    let mut case = Case::new(Device::G45, assembled(Device::G45, program), state, 9);
    case.surroundings.shared_functions = SharedFunctions::around(Environment::default());
    assert!(matches!(on_both_engines(&case, program).0, Outcome::Undefined(_)));
}

/// Samplers, palettes and keys are in a trace.
#[test]
fn traces_carry_samplers() {
    let case = generated(generate::sampler_messages, Device::G45, 7);
    let read = traced(&case);
    assert!(read.case == case);
}

/// A generated case of which words, by what they are of, have another bit, or end where they stand.
fn damaged(device: Device, seed: u64, damage: &[(usize, u16, u32, bool)]) -> Case {
    let mut case = generated(generate::sampler_messages, device, seed);
    let parts = &mut case.surroundings.shared_functions;
    let SharedFunctions::Around { environment, sampling: Some(sampling), .. } = parts else {
        panic!("it has samplers");
    };
    for &(what, place, bit, is_cut) in damage {
        let place = usize::from(place);
        let list = match what {
            0 => &mut environment.surface_states,
            1 => &mut sampling.general_states,
            2 => &mut sampling.palettes[place & 1],
            _ => {
                // A parameter, or its sign or exponent.
                let parameters = case.state.grf[2..40].as_flattened_mut();
                let at = place % parameters.len();
                parameters[at] ^= 1 << (bit % 8);
                continue;
            }
        };
        let at = place % list.len().max(1);
        if is_cut && place % 5 == 0 {
            list.truncate(at);
        } else if let Some(word) = list.get_mut(at) {
            *word ^= 1 << bit;
        }
    }
    case
}

/// A disabled sampler looks at no texel: the format of a surface need not be one that it could read.
#[test]
fn a_disabled_sampler_reads_no_format() {
    let case = damaged(Device::Ctg, 12_041_076_651_417_948_286, &[(0, 23144, 21, false)]);
    on_both_engines(&case, "a disabled sampler");
}

/// A border of 2^127 comes back as it is, though the surface returns 14 bits after the point.
#[test]
fn great_numbers_have_no_fraction_to_lose() {
    let case = damaged(Device::Bw, 12_037_281_699_731_042_196, &[(1, 12800, 30, false)]);
    on_both_engines(&case, "a great border");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    /// Whatever surfaces, samplers, borders and parameters become: the engines agree, and none panics.
    #[test]
    fn damaged_cases_agree(
        device in prop::sample::select(vec![Device::Bw, Device::Cl, Device::Ctg, Device::G45]),
        seed: u64,
        damage in prop::collection::vec((0_usize..4, any::<u16>(), 0_u32..32, any::<bool>()), 1..6),
    ) {
        let case = damaged(device, seed, &damage);
        match lockstep::<Eu>(&mut Reference::new(), &mut Executor::new(), &case) {
            Verdict::Agreed(_) => {}
            other => prop_assert!(false, "{other:?}"),
        }
    }
}
