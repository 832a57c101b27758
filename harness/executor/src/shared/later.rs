//! What Gen7 and later have behind their messages.

use parallax_isa::shared::{Memory, Request, Unanswered};

use super::{
    Around, Reply,
    data_cache::{self, Traits},
};

/// On Gen7.
pub(super) fn answer_gen7(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
) -> Result<(), Unanswered> {
    answer(request, memory, around, reply, &data_cache::GEN7)
}

/// On Gen9.
pub(super) fn answer_gen9(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
) -> Result<(), Unanswered> {
    answer(request, memory, around, reply, &data_cache::GEN9)
}

/// On Gen12.
pub(super) fn answer_gen12(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
) -> Result<(), Unanswered> {
    answer(request, memory, around, reply, &data_cache::GEN12)
}

/// By the Sampling Engine and what reaches surfaces beside it where there are surfaces, otherwise by the data cache
/// and what goes with it.
fn answer(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
    traits: &Traits,
) -> Result<(), Unanswered> {
    if request.target == 2 && around.has_memory() {
        around.words = around.textures()?.answer(request, memory, reply)?;
        return Ok(());
    }
    if let Some(targets) = around.targets.as_deref_mut().filter(|targets| targets.take(request)) {
        *reply = targets.answer(request, memory)?;
        return Ok(());
    }
    data_cache::answer_by(request, memory, around, reply, traits)
}

#[cfg(test)]
mod tests {
    use parallax_isa::{
        Device, Model, Outcome, Step,
        eu::{Case, State},
        shared::{Environment, Sampling, SharedFunctions},
    };
    use rstest::rstest;

    use crate::eu::Executor;

    /// `sends` of `ld_lz` for eight channels, surface 1, which gives back four registers from r123 on; its last
    /// byte is 2, with bit 6 for words.
    const LD_LZ: [u8; 15] =
        [0x33, 0, 0x60, 2, 0x18, 0x30, 0x60, 0x0F, 0x42, 0, 0, 0, 1, 0xA0, 0x43];
    const RESINFO: [u8; 16] =
        [0x31, 0, 0x60, 2, 0x48, 2, 0xC0, 0x20, 0xE0, 0, 0, 6, 1, 0xA0, 0x12, 2];

    /// A plane of floats, two by two behind index 1: 0.0, 1.0, 2.0, 3.0.
    fn surroundings() -> Environment {
        let mut surface_states = vec![0; 16];
        surface_states[1] = 64;
        let first = 1 << 29 | 0xD8 << 18 | 1 << 16 | 1 << 14;
        surface_states.extend([first, 0, 1 << 16 | 1, 7, 0, 0, 0, 0o4567 << 16, 0]);
        surface_states.resize(32, 0);
        Environment { surface_states, ..Environment::default() }
    }

    /// How a program of one instruction ends, with ones in all registers, and its first four registers.
    fn end(program: &[u8], functions: SharedFunctions) -> (Step, Box<State>) {
        let mut state = Box::new(State::of(Device::Skl));
        state.grf.iter_mut().for_each(|register| {
            register.as_chunks_mut::<4>().0.fill(1_u32.to_le_bytes());
        });
        for (n, place) in
            state.memory.graphics.as_chunks_mut::<4>().0.iter_mut().enumerate().take(4)
        {
            *place = (n as f32).to_le_bytes();
        }
        let mut case = Case::new(Device::Skl, program.to_vec(), state, 4);
        case.surroundings.shared_functions = functions;
        let mut executor = Executor::new();
        executor.load(&case).expect("it loads");
        // A second run finds its memory again.
        executor.state_mut().memory.graphics.fill(0xFF);
        Executor::restart(&mut executor);
        let step = executor.step();
        (step, Box::new(*executor.state()))
    }

    #[rstest]
    #[case::whole(0x02, [3.0_f32.to_bits(); 8])]
    #[case::words(0x42, [0x4200_4200, 0x4200_4200, 0x4200_4200, 0x4200_4200, 1, 1, 1, 1])]
    fn a_program_samples(#[case] last: u8, #[case] red: [u32; 8]) {
        let program = [&LD_LZ[..], &[last]].concat();
        let functions = SharedFunctions::around(surroundings()).with_sampling(Sampling::default());
        let (step, state) = end(&program, functions);
        assert_eq!(step, Step::Continue);
        let register = state.grf[123].as_chunks::<4>().0;
        assert_eq!(
            register.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect::<Vec<_>>(),
            red
        );
    }

    #[rstest]
    #[case::a_surface(SharedFunctions::around(surroundings()).with_sampling(Sampling::default()), Some(0))]
    #[case::no_samplers(SharedFunctions::around(surroundings()), None)]
    #[case::no_picture_of_index_1(SharedFunctions::None, None)]
    fn sizes_are_of_surfaces_where_there_are_some(
        #[case] functions: SharedFunctions,
        #[case] width: Option<u32>,
    ) {
        // There is no level 1.
        let (step, state) = end(&RESINFO, functions);
        assert_eq!(matches!(step, Step::Finished(Outcome::Undefined(_))), width.is_none());
        let word = u32::from_le_bytes(state.grf[6].as_chunks::<4>().0[0]);
        assert_eq!(word, width.unwrap_or(1));
    }
}
