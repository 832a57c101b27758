//! Texture instructions whose resource, sampler and coordinates go together.

use parallax_isa::r700::{
    Case, Fetch, FetchOpcode,
    case::ProgramType,
    microcode::TextureFetch,
    texture::{Kind, Texture},
};

use super::{
    DECLARED,
    places::{COUNTED, GRADIENT, NORMALISED, ON_CUBE, RESULTS},
    resources::{ANY, COMPARED, HELD, INTEGERS, PLAIN, PLAIN_COMPARED, POINT, SAMPLERS},
};
use crate::choices::Choices;

/// Forms of SAMPLE whose level of detail is not computed: with W or zero.
const GIVEN: [FetchOpcode; 8] = {
    use FetchOpcode::*;
    [SampleL, SampleLz, SampleGL, SampleGLz, SampleCL, SampleCLz, SampleCGL, SampleCGLz]
};
/// Those that compute it from gradients that were set.
const SET: [FetchOpcode; 4] = {
    use FetchOpcode::*;
    [SampleG, SampleGLb, SampleCG, SampleCGLb]
};
/// Those that compute it from the quad, as pixel shaders only can.
const COMPUTED: [FetchOpcode; 4] = {
    use FetchOpcode::*;
    [Sample, SampleLb, SampleC, SampleCLb]
};
/// What others of the clause are prepared with.
const PREPARING: [FetchOpcode; 4] = {
    use FetchOpcode::*;
    [SetGradientsH, SetGradientsV, SetCubemapIndex, KeepGradients]
};
/// Questions.
const ASKING: [FetchOpcode; 4] = {
    use FetchOpcode::*;
    [GetGradientsH, GetGradientsV, GetCompTexLod, GetLerp]
};

/// Writes the instructions of a clause, one after the other.
pub(super) struct Writer<'a> {
    case: &'a Case,
    /// Horizontal and vertical gradients, and the index of a cube map, are set.
    is_set: [bool; 3],
}

impl<'a> Writer<'a> {
    pub(super) fn new(case: &'a Case) -> Self {
        Self { case, is_set: [false; 3] }
    }

    /// The next instruction.
    pub(super) fn fetch(&mut self, choices: &mut Choices) -> Fetch {
        let opcode = self.opcode(choices);
        match opcode {
            FetchOpcode::SetGradientsH => self.is_set[0] = true,
            FetchOpcode::SetGradientsV => self.is_set[1] = true,
            FetchOpcode::SetCubemapIndex => self.is_set[2] = true,
            FetchOpcode::KeepGradients => [self.is_set[0], self.is_set[1]] = [true; 2],
            _ => {}
        }
        let alternate = u32::from(choices.below(4) == 0);
        let (resource, texture) = self.texture(choices, opcode, alternate);
        let is_cube = texture.kind == Kind::Cube;
        let integers = resource == INTEGERS;
        let normalised = [(); 3].map(|()| is_cube || choices.below(4) > 0);
        // Comparisons with black and white are not defined.
        let fraction = !compares(opcode) && choices.below(8) == 0;
        // Integers are filtered only where they are taken for black and white.
        let sampler = if integers && !fraction {
            POINT
        } else if normalised == [true; 3] {
            choices.below(SAMPLERS) as u32
        } else {
            *choices.pick(&HELD)
        };
        let source = match opcode {
            FetchOpcode::SetGradientsH | FetchOpcode::SetGradientsV => GRADIENT,
            FetchOpcode::SetCubemapIndex => *choices.pick(&[ON_CUBE, GRADIENT]),
            _ if is_cube => ON_CUBE,
            _ if normalised[0] => NORMALISED,
            _ => COUNTED,
        };
        let is_array = matches!(texture.kind, Kind::LineArray | Kind::PlaneArray);
        let z = if is_array || opcode == FetchOpcode::SetCubemapIndex { 3 } else { 2 };
        let offset = |choices: &mut Choices| match choices.below(4) {
            0 => choices.below(32) as u32,
            1 => *choices.pick(&[1, 2, 31, 30]),
            _ => 0,
        };
        let offsets = [(); 3].map(|()| offset(choices));
        let selects = [(); 4].map(|()| *choices.pick(&[0, 1, 2, 3, 0, 1, 4, 5, 7]));
        let selects = if choices.below(3) > 0 { [0, 1, 2, 3] } else { selects };
        let target = RESULTS + choices.below(DECLARED - RESULTS as usize) as u32;
        Fetch::Texture(
            TextureFetch::default()
                .with(TextureFetch::TEX_INST, opcode.code())
                .with(TextureFetch::BC_FRAC_MODE, fraction.into())
                .with(TextureFetch::FETCH_WHOLE_QUAD, choices.below(2) as u32)
                .with(TextureFetch::RESOURCE_ID, resource)
                .with(TextureFetch::SRC_GPR, source)
                .with(TextureFetch::ALT_CONST, alternate)
                .with(TextureFetch::DST_GPR, target)
                .with(TextureFetch::DST_SEL_X, selects[0])
                .with(TextureFetch::DST_SEL_Y, selects[1])
                .with(TextureFetch::DST_SEL_Z, selects[2])
                .with(TextureFetch::DST_SEL_W, selects[3])
                .with(TextureFetch::LOD_BIAS, choices.below(128) as u32)
                .with(TextureFetch::COORD_TYPE_X, normalised[0].into())
                .with(TextureFetch::COORD_TYPE_Y, normalised[1].into())
                .with(TextureFetch::COORD_TYPE_Z, normalised[2].into())
                .with(TextureFetch::COORD_TYPE_W, choices.below(2) as u32)
                .with(TextureFetch::OFFSET_X, offsets[0])
                .with(TextureFetch::OFFSET_Y, offsets[1])
                .with(TextureFetch::OFFSET_Z, offsets[2])
                .with(TextureFetch::SAMPLER_ID, sampler)
                .with(TextureFetch::SRC_SEL_X, *choices.pick(&[0, 0, 0, 0, 1, 4, 5]))
                .with(TextureFetch::SRC_SEL_Y, *choices.pick(&[1, 1, 1, 1, 0, 4, 5]))
                .with(TextureFetch::SRC_SEL_Z, *choices.pick(&[z, z, z, z, 4, 5]))
                .with(TextureFetch::SRC_SEL_W, *choices.pick(&[3, 3, 3, 3, 0, 4, 5])),
        )
    }

    /// An opcode that is defined where it stands.
    fn opcode(&self, choices: &mut Choices) -> FetchOpcode {
        let is_pixel = self.case.program_type == ProgramType::Pixel;
        let [horizontal, vertical, _] = self.is_set;
        match choices.below(12) {
            0 | 1 => *choices.pick(&PREPARING),
            2 | 3 => *choices.pick(&ASKING),
            4..=6 if horizontal && vertical => *choices.pick(&SET),
            4..=9 if is_pixel => *choices.pick(&COMPUTED),
            _ => *choices.pick(&GIVEN),
        }
    }

    /// A texture for an opcode, with its number.
    fn texture(
        &self,
        choices: &mut Choices,
        opcode: FetchOpcode,
        alternate: u32,
    ) -> (u32, &'a Texture) {
        let constants =
            if alternate == 1 { &self.case.alternate_constants } else { &self.case.constants };
        let numbers = if compares(opcode) {
            &COMPARED[..]
        } else if choices.below(10) == 0 {
            &[INTEGERS][..]
        } else {
            &ANY[..]
        };
        let with = |number: u32| (number, &constants.textures[number as usize]);
        // An array of cubes wants its index.
        let usable = |number: &u32| {
            let (_, texture) = with(*number);
            self.is_set[2] || texture.kind != Kind::Cube || texture.depth == 1
        };
        let start = choices.below(numbers.len());
        let found = numbers.iter().cycle().skip(start).take(numbers.len()).find(|n| usable(n));
        match found {
            Some(number) => with(*number),
            None if compares(opcode) => with(PLAIN_COMPARED),
            None => with(PLAIN),
        }
    }
}

/// Whether a form of SAMPLE compares.
fn compares(opcode: FetchOpcode) -> bool {
    use FetchOpcode::*;
    matches!(
        opcode,
        SampleC | SampleCL | SampleCLb | SampleCLz | SampleCG | SampleCGL | SampleCGLb | SampleCGLz
    )
}
