//! Engines that keep what they should look up again: they are right until something comes again that is the
//! same in one part and not in another.

use std::mem::offset_of;

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Engine, EngineError, Extent, LoadError, Step,
    eu::{Case, State},
};
use parallax_lockstep::{
    eu::{Eu, generate, instruction_at},
    suite::Suite,
    suites::lockstep::LockstepSuite,
};
use rstest::rstest;

use super::early_messages::descriptor;

/// An engine that takes a doubleword of the header from the first message with the same descriptor.
struct Keeping {
    executor: Executor,
    case: Option<Case>,
    dword: usize,
    /// Descriptors, and the doubleword that came with each.
    kept: Vec<(u32, [u8; 4])>,
}

impl Keeping {
    fn new(dword: usize) -> Self {
        Self { executor: Executor::new(), case: None, dword, kept: Vec::new() }
    }

    /// The register of the header of the message that comes next, and its descriptor.
    fn next_message(&self) -> Option<(usize, u32)> {
        let state = Engine::state(&self.executor).ok()?;
        let next = instruction_at(self.case.as_ref()?, state.ip)?;
        let bits = descriptor(&next, &[2])?;
        Some((next.message?.current_destination.into(), bits))
    }

    /// Puts a doubleword into the header.
    fn put(&mut self, register: usize, dword: [u8; 4]) -> Result<(), EngineError> {
        let mut state = Box::new(*Engine::state(&self.executor)?);
        state.mrf[register][4 * self.dword..][..4].copy_from_slice(&dword);
        let place = offset_of!(State, mrf) + 32 * register + 4 * self.dword;
        Engine::adopt(&mut self.executor, Extent::whole(place, 4), &state)
    }
}

impl Engine<Eu> for Keeping {
    fn name(&self) -> &str {
        "keeping"
    }

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        self.kept.clear();
        self.case = Some(case.clone());
        Engine::load(&mut self.executor, case)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        let Some((register, bits)) = self.next_message() else {
            return Engine::step(&mut self.executor);
        };
        let state = Engine::state(&self.executor)?;
        let own = *state.mrf[register][4 * self.dword..].first_chunk().expect("a doubleword");
        match self.kept.iter().find(|(known, _)| *known == bits) {
            Some((_, kept)) => self.put(register, *kept)?,
            None => self.kept.push((bits, own)),
        }
        let step = Engine::step(&mut self.executor)?;
        self.put(register, own)?;
        Ok(step)
    }

    fn state(&self) -> Result<&State, EngineError> {
        Engine::state(&self.executor)
    }

    fn adopt(&mut self, extent: Extent, from: &State) -> Result<(), EngineError> {
        Engine::adopt(&mut self.executor, extent, from)
    }
}

/// Messages to the Sampling Engine with the descriptor of another one say other things in their headers.
#[rstest]
#[case::offsets_and_masks(2)]
#[case::tables_of_samplers(3)]
fn headers_kept_from_other_messages_are_found(
    #[case] dword: usize,
    #[values(Device::G45, Device::Bw)] device: Device,
) {
    let generate = move |bytes: &[u8]| generate::sampler_messages(device, bytes);
    let suite = LockstepSuite::<Eu>::new("kept", device.name(), generate::BYTES, generate)
        .with_engine(move || Box::new(Keeping::new(dword)));
    let mut worker = suite.worker();
    let noticed = |seed| worker.run(seed).diverged;
    assert!((0..200).find_map(noticed).is_some(), "dword {dword} on {device}");
}
