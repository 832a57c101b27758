//! Coordinates around the edges of a surface, and what else a message sends.

use super::{
    super::surfaces::{BUFFER, CUBE, LINE, PLANE, VOLUME},
    forms::{Form, Parameter, Purpose},
    textures::Texture,
};
use crate::{
    corners,
    eu::generate::sampler::parameters::{array_index, coordinate, detail, fraction, reference},
    random::SplitMix64,
};

/// How many pixels a message is for, and where their parameters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Simd16,
    Simd8,
    Simd4x2,
}

impl Mode {
    /// Pixels, or groups of four channels.
    const fn lanes(self) -> usize {
        match self {
            Self::Simd16 => 16,
            Self::Simd8 => 8,
            Self::Simd4x2 => 2,
        }
    }

    /// Registers of so many parameters.
    pub(super) const fn registers(self, parameters: usize) -> usize {
        match self {
            Self::Simd16 => 2 * parameters,
            Self::Simd8 => parameters,
            Self::Simd4x2 => parameters.div_ceil(4),
        }
    }

    /// Register and doubleword of a parameter of a pixel.
    const fn place(self, parameter: usize, lane: usize) -> (usize, usize) {
        match self {
            Self::Simd16 => (2 * parameter + lane / 8, lane % 8),
            Self::Simd8 => (parameter, lane),
            Self::Simd4x2 => (parameter / 4, 4 * lane + parameter % 4),
        }
    }
}

/// Offsets in the header, in directions that a surface has.
pub(super) fn offsets(form: &Form, texture: &Texture, random: &mut SplitMix64) -> u32 {
    let has_own = form.name.starts_with("gather4_po");
    let takes = !form.has_integers() && !has_own && !texture.is_null() && texture.kind != CUBE;
    if !takes || random.below(2) == 0 {
        return 0;
    }
    let bits = |direction: usize| (random.below(16) as u32) << (8 - 4 * direction);
    (0..texture.directions()).map(bits).sum()
}

/// The registers of so many parameters behind the header.
pub(super) fn payload(
    form: &Form,
    texture: &Texture,
    (mode, slots): (Mode, &[Option<Parameter>]),
    counts_texels: bool,
    random: &mut SplitMix64,
) -> Vec<[u32; 8]> {
    let mut registers = vec![[0; 8]; mode.registers(slots.len())];
    let mut subspan = Subspan::new(texture, counts_texels, random);
    for lane in 0..mode.lanes() {
        if lane % 4 == 0 || mode == Mode::Simd4x2 {
            subspan = Subspan::new(texture, counts_texels, random);
        }
        let integers = form.has_integers().then(|| Integers::new(form, texture, random));
        let floats = subspan.pixel(form, texture, lane % 4, random);
        for (slot, parameter) in slots.iter().enumerate() {
            let value = match (parameter, &integers) {
                (None, _) => 0x7FC0_0001,
                (Some(parameter), Some(integers)) => integers.value(*parameter),
                (Some(parameter), None) => floats.value(*parameter, random),
            };
            let (register, dword) = mode.place(slot, lane);
            registers[register][dword] = value;
        }
    }
    registers
}

/// The parameters of a pixel of `ld` and the like.
struct Integers {
    place: [u32; 3],
    lod: u32,
}

impl Integers {
    fn new(form: &Form, texture: &Texture, random: &mut SplitMix64) -> Self {
        let lod = match random.below(6) {
            0 => texture.levels + random.below(2) as u32,
            1 => random.next() as u32,
            _ => random.below(u64::from(texture.levels)) as u32,
        };
        let lod = if texture.kind == BUFFER && form.purpose == Purpose::Load { 0 } else { lod };
        let has_lod = form.parameters.contains(&Parameter::Lod);
        let level = if has_lod { lod.min(20) } else { 0 } + texture.first_level;
        let shrunk = texture.size.map(|size| (size >> level.min(31)).max(1));
        let elements = texture.size[2];
        let sizes = match texture.kind {
            LINE => [shrunk[0], elements, 1],
            PLANE => [shrunk[0], shrunk[1], elements],
            VOLUME => shrunk,
            _ => [texture.entries, 1, 1],
        };
        Self { place: sizes.map(|size| around(size, random)), lod }
    }

    fn value(&self, parameter: Parameter) -> u32 {
        match parameter {
            Parameter::U => self.place[0],
            Parameter::V => self.place[1],
            Parameter::R => self.place[2],
            Parameter::Lod => self.lod,
            _ => 0x1234_5678,
        }
    }
}

/// A place of so many, or beside them.
fn around(size: u32, random: &mut SplitMix64) -> u32 {
    let size = i64::from(size);
    let place = match random.below(14) {
        0 => random.next() as i64,
        1 => i64::from(i32::MAX) - 2 + random.below(8) as i64,
        2 => -(random.below(10) as i64),
        3 => size + random.below(10) as i64 - 4,
        _ => random.below(size as u64) as i64,
    };
    place as u32
}

/// Four pixels next to each other.
struct Subspan {
    /// Coordinates of the first one, and steps to the right and downwards.
    start: [f32; 3],
    steps: [[f32; 3]; 2],
    /// The face of a cube: an axis and a sign.
    face: (usize, f32),
    /// Texels to a coordinate of 1 where coordinates count texels.
    scale: [f32; 3],
}

impl Subspan {
    fn new(texture: &Texture, counts_texels: bool, random: &mut SplitMix64) -> Self {
        let start = texture.size.map(|size| coordinate(size, random));
        let far = if random.below(40) == 0 { 60 } else { 9 };
        let scale = 2.0_f32.powi(random.below(far) as i32 - 3);
        let mut steps = [[0.0; 3]; 2];
        for step in &mut steps {
            for (step, size) in step.iter_mut().zip(texture.size) {
                *step = match random.below(16) {
                    0..=3 => 0.0,
                    4..=6 => scale / size as f32,
                    _ => (fraction(random) - 0.5) * scale / size as f32,
                };
            }
        }
        let face = (random.below(3) as usize, [1.0, -1.0][random.below(2) as usize]);
        let scale = match counts_texels {
            true => texture.size.map(|size| size as f32),
            false => [1.0; 3],
        };
        Self { start, steps, face, scale }
    }

    /// The parameters of one of them.
    fn pixel(
        &self,
        form: &Form,
        texture: &Texture,
        number: usize,
        random: &mut SplitMix64,
    ) -> Floats {
        let [right, down] = [number & 1, number >> 1].map(|count| count as f32);
        let mut at: [f32; 3] = std::array::from_fn(|n| {
            (self.start[n] + right * self.steps[0][n] + down * self.steps[1][n]) * self.scale[n]
        });
        if random.below(6) == 0 {
            let elsewhere = texture.size.map(|size| coordinate(size, random));
            at = std::array::from_fn(|n| elsewhere[n] * self.scale[n]);
        }
        let element = array_index(texture.size[2], random);
        match texture.kind {
            LINE => at[1] = element,
            PLANE => at[2] = element,
            CUBE => at = self.direction(at, random),
            _ => {}
        }
        if random.below(600) == 0 {
            at[random.below(3) as usize] = f32::from_bits(corners::float(random));
        }
        let steps =
            if form.compares() && texture.kind == CUBE { [[0.0; 3]; 2] } else { self.steps };
        Floats { at, element, steps }
    }

    /// A direction into a cube, most often one whose greatest part is 1.
    fn direction(&self, at: [f32; 3], random: &mut SplitMix64) -> [f32; 3] {
        let mut at = at.map(|part| (2.0 * part - 1.0).clamp(-0.999_9, 0.999_9));
        let (axis, sign) = match random.below(16) {
            0 => (random.below(3) as usize, -self.face.1),
            _ => self.face,
        };
        at[axis] = sign;
        if random.below(16) == 0 {
            // An edge of the cube, or a corner.
            at = at.map(|part| if random.below(2) == 0 { 1.0_f32.copysign(part) } else { part });
        }
        match random.below(8) {
            0 => at.map(|part| part * 4.0),
            1 => at.map(|part| part * 0.125),
            _ => at,
        }
    }
}

/// The parameters of a pixel that is sampled.
struct Floats {
    at: [f32; 3],
    element: f32,
    steps: [[f32; 3]; 2],
}

impl Floats {
    fn value(&self, parameter: Parameter, random: &mut SplitMix64) -> u32 {
        match parameter {
            Parameter::U => self.at[0].to_bits(),
            Parameter::V => self.at[1].to_bits(),
            Parameter::R => self.at[2].to_bits(),
            Parameter::Cube => self.element.to_bits(),
            Parameter::Bias => detail(random).clamp(-16.0, 15.99).to_bits(),
            Parameter::Lod => detail(random).to_bits(),
            Parameter::Reference => reference(random),
            Parameter::Step(direction, down) => self.steps[usize::from(down)][direction].to_bits(),
            Parameter::Offset(_) => random.next() as u32,
        }
    }
}
