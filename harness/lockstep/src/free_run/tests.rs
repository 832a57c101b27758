use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Extent,
    eu::{Case, State, text},
};
use parallax_reference::eu::Reference as Model;
use rstest::rstest;

use super::*;
use crate::{eu::Eu, lockstep};

/// The executor, but a bit of `r46` is another one after some numbers of steps in a row.
struct Leaping {
    executor: Executor,
    state: Box<State>,
    bit: usize,
    is_wrong_after: fn(u64) -> bool,
}

/// After two or more steps in a row.
const LEAPS: fn(u64) -> bool = |steps| steps > 1;
/// After single steps.
const STEPS: fn(u64) -> bool = |steps| steps == 1;

impl Leaping {
    fn shown(&mut self, is_wrong: bool) -> Result<(), EngineError> {
        *self.state = *Engine::<Eu>::state(&self.executor)?;
        if is_wrong {
            self.state.grf[46][self.bit / 8] ^= 1 << (self.bit % 8);
        }
        Ok(())
    }
}

impl Engine<Eu> for Leaping {
    fn name(&self) -> &str {
        "leaping"
    }

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        Engine::<Eu>::load(&mut self.executor, case)?;
        Ok(self.shown(false)?)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        let step = Engine::<Eu>::step(&mut self.executor)?;
        self.shown((self.is_wrong_after)(1))?;
        Ok(step)
    }

    fn run_for(&mut self, steps: u64) -> Result<Step, EngineError> {
        let step = Engine::<Eu>::run_for(&mut self.executor, steps)?;
        self.shown((self.is_wrong_after)(steps))?;
        Ok(step)
    }

    fn state(&self) -> Result<&State, EngineError> {
        Ok(&self.state)
    }

    fn adopt(&mut self, extent: Extent, from: &State) -> Result<(), EngineError> {
        Engine::<Eu>::adopt(&mut self.executor, extent, from)?;
        self.shown(false)
    }
}

/// Of the product of a NaN and 1, channel 6, any NaN is accepted after any number of steps, but not a number;
/// channel 0 is exact.
#[rstest]
#[case::the_sign_of_a_nan(32 * 6 + 31, LEAPS, true)]
#[case::a_bit_of_its_payload(32 * 6 + 3, LEAPS, true)]
#[case::what_the_reference_would_choose(32 * 6 + 31, STEPS, true)]
#[case::an_exponent(32 * 6 + 30, LEAPS, false)]
#[case::a_bit_of_a_number(3, LEAPS, false)]
fn a_free_run_may_choose_what_a_step_leaves_open(
    #[case] bit: usize,
    #[case] is_wrong_after: fn(u64) -> bool,
    #[case] is_accepted: bool,
) {
    let lines = "mul (8) r46<1>:f r2<8;8,1>:f r3<8;8,1>:f\nmov (1) r9<1>:ud 7:ud\nnop\nnop\n";
    let program = text::parse(Device::G45, lines).expect("it assembles").program;
    let mut state = Box::new(State::of(Device::G45));
    for (register, bits) in [(2, 0x7FC0_0000_u32), (3, 0x3F80_0000)] {
        state.grf[register][24..28].copy_from_slice(&bits.to_le_bytes());
    }
    let case = Case::new(Device::G45, program.bytes().to_vec(), state, 10);
    let state = Box::new(State::of(Device::G45));
    let mut leaping = Leaping { executor: Executor::new(), state, bit, is_wrong_after };
    match lockstep::run::<Eu>(&mut Model::new(), &mut leaping, &case) {
        Run::Agreed(_) => assert!(is_accepted),
        Run::Diverged { path: Path::FreeRun, step: 1, .. } => assert!(!is_accepted),
        other => panic!("{other:?}"),
    }
}
