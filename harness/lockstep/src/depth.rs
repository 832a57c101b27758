//! How deep control flow is nested where instructions are executed: a suite of flat programs proves
//! little about stacks.

use std::collections::BTreeMap;

use parallax_isa::{Machine, Reference, Step};
use parallax_spec::coverage;

/// One case in so many is counted: what that costs is a percent of a campaign.
pub(crate) const SAMPLED: u64 = 64;

/// Most steps of a case that are counted.
const STEPS: usize = 256;

/// Steps by the depth at which they were.
pub type Depths = BTreeMap<u32, u64>;

/// The depth of a state; see [`Subject::depth`](crate::subject::Subject::depth).
pub type Depth<S> = Box<dyn Fn(&S) -> u32>;

/// Adds what others counted.
pub fn merge(into: &mut Depths, from: &Depths) {
    for (depth, steps) in from {
        *into.entry(*depth).or_default() += steps;
    }
}

/// Runs a case on the reference alone and counts its steps by depth. Rules do not count.
pub(crate) fn count<M: Machine>(
    reference: &mut dyn Reference<M>,
    case: &M::Case,
    depth: impl Fn(&M::State) -> u32,
    counted: &mut Depths,
) {
    coverage::uncounted(|| {
        if reference.load(case).is_err() {
            return;
        }
        for _ in 0..STEPS {
            let Ok(at) = reference.state().map(&depth) else { return };
            if !matches!(reference.step(), Ok(Step::Continue)) {
                return;
            }
            *counted.entry(at).or_default() += 1;
        }
    });
}

#[cfg(test)]
mod tests {
    use parallax_isa::{
        Device,
        eu::{self, Eu},
        r700::{self, R700},
    };
    use rstest::rstest;

    use super::*;
    use crate::subject::Subject;

    fn counted<M: Subject>(case: &M::Case) -> Vec<(u32, u64)> {
        let mut depths = Depths::new();
        count::<M>(&mut *M::reference(), case, M::depth(case), &mut depths);
        depths.into_iter().collect()
    }

    fn counted_eu(device: Device, program: &str) -> Vec<(u32, u64)> {
        let program = eu::text::parse(device, program).expect("it assembles").program;
        let state = Box::new(eu::State::of(device));
        counted::<Eu>(&eu::Case::new(device, program.bytes().to_vec(), state, 64))
    }

    const EARLY: &str = "do (8)
        if (8) done
        mov (8) r4<1>:ud r4<8;8,1>:ud
        done: endif (8)
        last: (f0.0) while (8) last
        mov (8) r5<1>:ud r4<8;8,1>:ud
        nop";

    const LATER: &str = "top: if (8) done done
        mov (8) r4<1>:ud r4<8;8,1>:ud
        done: endif (8) last
        last: (f0.0) while (8) top
        mov (8) r5<1>:ud r4<8;8,1>:ud
        nop";

    #[rstest]
    #[case::g45(Device::G45, EARLY, &[(0, 3), (1, 2), (2, 2)])]
    #[case::ivb(Device::Ivb, LATER, &[(0, 2), (1, 2), (2, 2)])]
    #[case::skl(Device::Skl, LATER, &[(0, 2), (1, 2), (2, 2)])]
    #[case::dg1(Device::Dg1, LATER, &[(0, 2), (1, 2), (2, 2)])]
    fn a_thread_counts_the_blocks_around_an_instruction(
        #[case] device: Device,
        #[case] program: &str,
        #[case] depths: &[(u32, u64)],
    ) {
        assert_eq!(counted_eu(device, program), depths);
    }

    #[test]
    fn a_wavefront_counts_its_stack_and_calls() {
        let program = "00 CALL: ADDR(3)\n01 NOP\n02 NOP: END_OF_PROGRAM\n03 RETURN";
        let program = r700::text::parse(program).expect("it assembles");
        let case = r700::case::Case::new(program.encode());
        assert_eq!(counted::<R700>(&case), [(0, 2), (1, 1)]);
    }
}
