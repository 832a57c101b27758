use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Extent,
    eu::{Case, State, text},
};
use parallax_reference::eu::Reference as Model;
use rstest::rstest;

use super::*;
use crate::{eu::Eu, lockstep};

/// The executor, but a bit of `r46` is another one after two or more steps in a row.
struct Leaping {
    executor: Executor,
    state: Box<State>,
    bit: usize,
}

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
        self.shown(false)?;
        Ok(step)
    }

    fn run_for(&mut self, steps: u64) -> Result<Step, EngineError> {
        let step = Engine::<Eu>::run_for(&mut self.executor, steps)?;
        self.shown(steps > 1)?;
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

/// Of the product of two NaNs, channel 6, any NaN is accepted after any number of steps, but not a number;
/// channel 0 is exact.
#[rstest]
#[case::the_sign_of_a_nan(32 * 6 + 31, true)]
#[case::a_bit_of_its_payload(32 * 6 + 3, true)]
#[case::an_exponent(32 * 6 + 30, false)]
#[case::a_bit_of_a_number(3, false)]
fn a_stretch_may_choose_what_a_step_leaves_open(#[case] bit: usize, #[case] is_accepted: bool) {
    let lines = "mul (8) r46<1>:f r2<8;8,1>:f r3<8;8,1>:f\nmov (1) r9<1>:ud 7:ud\nnop\n";
    let program = text::parse(Device::G45, lines).expect("it assembles").program;
    let mut state = Box::new(State::of(Device::G45));
    for (register, nan) in [(2, 0x7FC0_1234_u32), (3, 0xFFC0_4321)] {
        state.grf[register][24..28].copy_from_slice(&nan.to_le_bytes());
    }
    let case = Case::new(Device::G45, program.bytes().to_vec(), state, 10);
    let state = Box::new(State::of(Device::G45));
    let mut leaping = Leaping { executor: Executor::new(), state, bit };
    match lockstep::run::<Eu>(&mut Model::new(), &mut leaping, &case) {
        Run::Agreed(_) => assert!(is_accepted),
        Run::Diverged { path: Path::Stretch, step: 1, .. } => assert!(!is_accepted),
        other => panic!("{other:?}"),
    }
}
