//! Messages to the Sampling Engine of G45 and its predecessors on both engines, with what has to come of them.

mod anisotropic;
mod colours;
mod loads;
mod places;
mod refusals;

use parallax_isa::shared::{Environment, Sampling, SharedFunctions};
use proptest::prelude::*;
use rstest::rstest;

use super::*;

/// Generated messages agree, and most programs of them come to their end.
#[rstest]
fn generated_messages_agree(
    #[values(Device::Bw, Device::Cl, Device::Ctg, Device::G45)] device: Device,
) {
    assert_agree(generate::sampler_messages, device, 770);
}

/// Programs of several messages agree, and most come to their end.
#[rstest]
fn generated_kernels_agree(
    #[values(Device::Bw, Device::Cl, Device::Ctg, Device::G45)] device: Device,
) {
    assert_agree(generate::kernels, device, 600);
}

/// What a message meets.
struct Start {
    device: Device,
    surface: [u32; 6],
    sampler: [u32; 4],
    /// Red, green, blue and alpha.
    border: [u32; 4],
    sampling: Sampling,
    /// From m1 on: a header of which dword 2 is given, and parameters.
    control: u32,
    payload: Vec<[u32; 8]>,
    flag: u16,
    texels: fn(usize) -> u8,
}

impl Default for Start {
    fn default() -> Self {
        Self {
            device: Device::G45,
            surface: [0; 6],
            sampler: [0; 4],
            border: [0.25, 0.5, 0.75, 1.0].map(f32::to_bits),
            sampling: Sampling::default(),
            control: 0,
            payload: Vec::new(),
            flag: 0xFFFF,
            texels: |n| (n ^ n >> 8) as u8,
        }
    }
}

impl Start {
    fn case(&self, program: &str) -> Case {
        let program = assembled(self.device, program);
        let header = [0, 0, self.control, 0, 0, 0, 0, 0];
        let registers = std::iter::once(&header).chain(&self.payload);
        let mut state = with_payload(registers.copied());
        state.grf[10..20].as_flattened_mut().fill(OLD as u8);
        state.flag[0] = self.flag;
        for (n, place) in state.memory.graphics.iter_mut().enumerate() {
            *place = (self.texels)(n);
        }
        let mut case = Case::new(self.device, program, state, 20);
        let mut surface_states = vec![32, 0, 0, 0, 0, 0, 0, 0];
        surface_states.extend(self.surface);
        let environment = Environment { surface_states, ..Environment::default() };
        let mut sampler = self.sampler;
        sampler[2] |= 64;
        let mut general_states = [[0; 4], [0; 4], [0; 4], [0; 4], self.border].concat();
        general_states[..4].copy_from_slice(&sampler);
        let sampling = Sampling { general_states, ..self.sampling.clone() };
        case.surroundings.shared_functions =
            SharedFunctions::around(environment).with_sampling(sampling);
        case
    }

    /// Runs a program on both engines: how it ended and the executor's state.
    fn run(&self, program: &str) -> (Outcome, State) {
        on_both_engines(&self.case(program), program)
    }

    /// A channel of the registers that come back from r10 on.
    fn floats(&self, program: &str, register: usize) -> [f32; 8] {
        let (outcome, state) = self.run(program);
        assert_eq!(outcome, Outcome::Halted, "{program}");
        [0, 1, 2, 3, 4, 5, 6, 7].map(|n| f32::from_bits(of(&state, register, n)))
    }
}

const R8_UNORM: u32 = 0x140;
const R8G8B8A8_UNORM: u32 = 0x0C7;
const R8G8B8A8_UINT: u32 = 0x0CB;
const R16_UNORM: u32 = 0x10A;

/// A linear surface at address 0.
fn surface(kind: u32, format: u32, [width, height, depth]: [u32; 3], pitch: u32) -> [u32; 6] {
    let size = (height - 1) << 19 | (width - 1) << 6;
    [kind << 29 | format << 18, 0, size, (depth - 1) << 21 | (pitch - 1) << 3, 0, 0]
}
