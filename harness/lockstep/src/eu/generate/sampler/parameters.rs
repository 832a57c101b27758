//! Coordinates around the edges of a surface, and what else a message sends.

use super::{
    forms::{Form, Kind, Slot},
    textures::{BUFFER, CUBE, LINE, PLANE, Texture, VOLUME},
};
use crate::{corners, random::SplitMix64};

/// Offsets in the header, in directions that a surface has.
pub(super) fn offsets(texture: &Texture, random: &mut SplitMix64) -> u32 {
    let directions = match texture.kind {
        CUBE | BUFFER => 0,
        _ if texture.is_null() => 0,
        _ => texture.directions(),
    };
    if random.below(3) != 0 {
        return 0;
    }
    (0..directions)
        .fold(0, |bits, direction| bits | (random.below(16) as u32) << (8 - 4 * direction))
}

/// The registers behind the header.
pub(super) fn payload(form: &Form, texture: &Texture, random: &mut SplitMix64) -> Vec<[u32; 8]> {
    let count = form.slots.len();
    let mut registers = match form.lanes {
        16 => vec![[0; 8]; 2 * count],
        8 => vec![[0; 8]; count],
        _ => vec![[0; 8]; count.div_ceil(4)],
    };
    let mut subspan = Subspan::new(texture, random);
    for lane in 0..form.lanes {
        if lane % 4 == 0 {
            subspan = Subspan::new(texture, random);
        }
        let values = match form.kind {
            Kind::Load | Kind::Size => integers(form, texture, random),
            Kind::Sample | Kind::Compare => subspan.pixel(form, texture, lane % 4, random),
        };
        for (slot, value) in values.into_iter().enumerate() {
            let (register, dword) = match form.lanes {
                16 => (2 * slot + lane / 8, lane % 8),
                8 => (slot, lane),
                _ => (slot / 4, 4 * lane + slot % 4),
            };
            registers[register][dword] = value;
        }
    }
    registers
}

/// Parameters of `ld` and `resinfo`.
fn integers(form: &Form, texture: &Texture, random: &mut SplitMix64) -> Vec<u32> {
    let lod = match random.below(6) {
        0 => texture.levels + random.below(2) as u32,
        1 => random.next() as u32,
        _ => random.below(u64::from(texture.levels)) as u32,
    };
    let lod = if texture.kind == BUFFER { 0 } else { lod };
    let level = if form.slots.contains(&Slot::Lod) { lod.min(20) } else { 0 };
    let mut around = |size: u32| {
        let size = i64::from(size);
        let place = match random.below(12) {
            0 => random.next() as i64,
            1 => i64::from(i32::MAX) - 2 + random.below(8) as i64,
            2 => -(random.below(10) as i64),
            3 => size + random.below(10) as i64 - 4,
            _ => random.below(size as u64) as i64,
        };
        place as u32
    };
    let size = texture.size.map(|size| (size >> (level + texture.first_level).min(31)).max(1));
    let array = |number: u32, around: &mut dyn FnMut(u32) -> u32| match number {
        1 => 0,
        elements => around(elements),
    };
    let elements = texture.size[2];
    let [u, v, r] = match texture.kind {
        LINE => [around(size[0]), array(elements, &mut around), 0],
        PLANE => [around(size[0]), around(size[1]), array(elements, &mut around)],
        VOLUME => [around(size[0]), around(size[1]), around(size[2])],
        _ => [around(texture.entries), random.next() as u32, random.next() as u32],
    };
    let value = |slot: &Slot| match slot {
        Slot::U => u,
        Slot::V => v,
        Slot::R => r,
        Slot::Lod => lod,
        _ => 0x1234_5678,
    };
    form.slots.iter().map(value).collect()
}

/// Four pixels next to each other.
#[derive(Debug)]
struct Subspan {
    /// Coordinates of the first one, and steps to the right and downwards.
    start: [f32; 3],
    steps: [[f32; 3]; 2],
    /// The face of a cube: an axis and a sign.
    face: (usize, f32),
}

impl Subspan {
    fn new(texture: &Texture, random: &mut SplitMix64) -> Self {
        let mut start = texture.size.map(|size| coordinate(size, random));
        let is_far = random.below(40) == 0;
        let scale = 2.0_f32.powi(random.below(if is_far { 60 } else { 9 }) as i32 - 3);
        let mut steps = [[0.0; 3]; 2];
        for step in &mut steps {
            for (step, size) in step.iter_mut().zip(texture.size) {
                *step = match random.below(16) {
                    0..=3 => 0.0,
                    4..=6 => scale / size as f32,
                    // So small that adding it to anything else is not seen.
                    7 => (fraction(random) - 0.5) * 2.0_f32.powi(-70),
                    _ => (fraction(random) - 0.5) * scale / size as f32,
                };
            }
        }
        let [width, height, _] = texture.size;
        if width.is_power_of_two() && height.is_power_of_two() && random.below(12) == 0 {
            // One side of a pixel is exactly so many times as long as the other. Sums with a start of few digits,
            // and their differences, are exact too.
            let ways = random.pick(&[2, 2, 4, 6, 8, 16]) as f32;
            let texels = 2.0_f32.powi(random.below(4) as i32 - 2);
            let (long, along) = (random.below(2) as usize, random.below(2) as usize);
            steps = [[0.0; 3]; 2];
            steps[long][along] = ways * texels / texture.size[along] as f32;
            steps[1 - long][1 - along] = texels / texture.size[1 - along] as f32;
            start = start.map(|part| (part * 256.0).round() / 256.0);
        }
        let sign = [1.0, -1.0][random.below(2) as usize];
        Self { start, steps, face: (random.below(3) as usize, sign) }
    }

    /// The parameters of one of them.
    fn pixel(
        &self,
        form: &Form,
        texture: &Texture,
        number: usize,
        random: &mut SplitMix64,
    ) -> Vec<u32> {
        let [right, down] = [number & 1, number >> 1].map(|count| count as f32);
        let mut at: [f32; 3] = std::array::from_fn(|n| {
            self.start[n] + right * self.steps[0][n] + down * self.steps[1][n]
        });
        if random.below(6) == 0 {
            at = texture.size.map(|size| coordinate(size, random));
        }
        let element = array_index(texture.size[2], random);
        match texture.kind {
            LINE => at[1] = element,
            PLANE => at[2] = element,
            CUBE if form.has_steps() => {
                at = at.map(|part| 2.0 * part - 1.0);
                at[2] = random.below(6) as f32;
            }
            CUBE => {
                // Parts within the cube, beside its axes.
                at = at.map(|part| (2.0 * part - 1.0).clamp(-0.999_9, 0.999_9));
                let (axis, sign) = match random.below(16) {
                    0 => (random.below(3) as usize, -self.face.1),
                    _ => self.face,
                };
                at[axis] = sign;
                if random.below(16) == 0 {
                    // An edge of the cube, or a corner: of parts that are alike the last one counts.
                    at = at.map(
                        |part| if random.below(2) == 0 { 1.0_f32.copysign(part) } else { part },
                    );
                }
            }
            _ => {}
        }
        if random.below(600) == 0 {
            at[random.below(3) as usize] = f32::from_bits(corners::float(random));
        }
        let mut stepped = 0;
        let value = |slot: &Slot| match slot {
            Slot::U => at[0].to_bits(),
            Slot::V => at[1].to_bits(),
            Slot::R => at[2].to_bits(),
            Slot::Bias => detail(random).clamp(-16.0, 15.99).to_bits(),
            Slot::Lod => detail(random).to_bits(),
            Slot::Reference => reference(random),
            Slot::Step(direction) => {
                stepped += 1;
                let steps = self.steps[usize::from(stepped > form.slots.len() / 3)];
                steps[*direction].to_bits()
            }
            Slot::Unused => 0x7FC0_0001,
        };
        form.slots.iter().map(value).collect()
    }
}

/// A number from 0 up to 1.
pub(in crate::eu::generate) fn fraction(random: &mut SplitMix64) -> f32 {
    (random.next() >> 40) as f32 / (1 << 24) as f32
}

/// A coordinate on a map of so many texels or around it.
pub(in crate::eu::generate) fn coordinate(size: u32, random: &mut SplitMix64) -> f32 {
    let size = size as f32;
    let texel = random.below(3 * size as u64 + 4) as f32 - size - 2.0;
    match random.below(20) {
        // The centre of a texel, and where two meet.
        0..=2 => (texel + 0.5) / size,
        3..=5 => texel / size,
        6 => (texel / size).next_up(),
        7 => (texel / size).next_down(),
        8 => [0.0, -0.0, 1.0, -1.0, 0.5, f32::from_bits(1)][random.below(6) as usize],
        // As many times as a map may be repeated, and beyond.
        9 => (fraction(random) - 0.5) * 64.0,
        10 if random.below(4) == 0 => (fraction(random) - 0.5) * 1e7,
        _ => fraction(random) * 1.5 - 0.25,
    }
}

/// An index into so many elements.
pub(in crate::eu::generate) fn array_index(elements: u32, random: &mut SplitMix64) -> f32 {
    match random.below(8) {
        0 => -2.5 + random.below(6) as f32 / 2.0,
        1 => elements as f32 + fraction(random) * 3.0,
        2 => random.below(u64::from(elements) + 1) as f32 + 0.5,
        _ => random.below(u64::from(elements)) as f32,
    }
}

/// A level of detail, or a bias.
pub(in crate::eu::generate) fn detail(random: &mut SplitMix64) -> f32 {
    match random.below(9) {
        0 => 0.0,
        8 => [-1.0, 1.0][random.below(2) as usize] * 2.0_f32.powi(-70),
        1 => random.below(20) as f32 / 2.0 - 3.0,
        2 => (fraction(random) - 0.5) * 40.0,
        3 => (random.below(512) as f32 - 64.0) / 64.0,
        4 => ((random.below(512) as f32 - 64.0) / 64.0).next_down(),
        _ => fraction(random) * 6.0 - 1.0,
    }
}

/// What texels are compared with.
pub(in crate::eu::generate) fn reference(random: &mut SplitMix64) -> u32 {
    match random.below(8) {
        0 => corners::float(random),
        1 => (random.below(65536) as f32 / 65535.0).to_bits(),
        2 => [0.0_f32, 1.0, 0.5][random.below(3) as usize].to_bits(),
        _ => fraction(random).to_bits(),
    }
}
