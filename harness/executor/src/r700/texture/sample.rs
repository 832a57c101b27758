//! Filtered fetches, and what they are prepared with (section 9.4; decisions D-r700-filter,
//! D-r700-compare, D-r700-prepared).

use parallax_isa::r700::{
    Case,
    case::ProgramType,
    sampler::{Filter, MipFilter, Sampler, Wrap},
    texture::{Kind, Texture},
};

use super::{
    super::{
        decode::{Fetch, SampleDetail, SampleForm, TextureFetch, TextureOperation},
        format::{Depth, Format},
        masks::ones,
        number::{ONE, float, result},
        prepared::Prepared,
        registers::selected,
    },
    compare::{converted, passes, texel},
    detail::{Levels, axes, levels, of_slopes, steps},
    finite,
    level::{FACES, byte, fields, first_texel},
    plane::Plane,
    resource,
    taps::{Place, Tap, taps},
};

/// Sources of all pixels, element by element.
pub(super) type Sources = [[u32; 64]; 4];

/// Why an instruction that filters or prepares that cannot be done, if it cannot. `earlier` are those
/// before it in its clause.
pub(super) fn undefined(fetch: &TextureFetch, earlier: &[Fetch], case: &Case) -> Option<String> {
    use TextureOperation as Does;
    if let Does::Slopes(_) | Does::SetSlopes(_) | Does::SetCube = fetch.operation {
        return None;
    }
    let Some(texture) = resource::texture(fetch, case) else {
        return Some(format!("the case has no texture {}", fetch.resource));
    };
    let Some(sampler) = resource::sampler(fetch, case) else {
        return Some(format!("the case has no sampler {}", fetch.sampler));
    };
    let form = match fetch.operation {
        Does::Keep => return None,
        Does::FourTexels => return Some("FETCH4 is only named".to_owned()),
        Does::Sample(form) => Some(form),
        _ => None,
    };
    let format = Format::of_texel(fields(texture))?;
    let why = match texture.kind {
        Kind::Buffer => "buffers are not filtered",
        _ if texture.samples != 1 => "several samples are not filtered",
        Kind::Cube if !(fetch.normalised[0] && fetch.normalised[1]) => {
            "cube maps have normalised coordinates"
        }
        Kind::Cube if texture.depth > 1 && !was(earlier, |does| does == Does::SetCube) => {
            "no index of a cube map is set"
        }
        _ if repeats_unnormalised(fetch, texture, sampler) => {
            "coordinates that are not normalised neither repeat nor mirror"
        }
        _ => return form.and_then(|form| undefined_form(form, fetch, earlier, case, &format)),
    };
    Some(why.to_owned())
}

/// Whether an instruction of a clause does something.
fn was(earlier: &[Fetch], what: impl Fn(TextureOperation) -> bool) -> bool {
    earlier.iter().any(|fetch| matches!(fetch, Fetch::Texture(fetch) if what(fetch.operation)))
}

fn repeats_unnormalised(fetch: &TextureFetch, texture: &Texture, sampler: &Sampler) -> bool {
    let plain = [Wrap::ClampLastTexel, Wrap::ClampHalfBorder, Wrap::ClampBorder];
    let mut modes = sampler.wrap.iter().zip(fetch.normalised).take(axes(texture.kind));
    modes.any(|(wrap, normalised)| !normalised && !plain.contains(wrap))
}

/// The same for what only forms of SAMPLE ask for.
fn undefined_form(
    form: SampleForm,
    fetch: &TextureFetch,
    earlier: &[Fetch],
    case: &Case,
    format: &Format,
) -> Option<String> {
    use TextureOperation::{Keep, SetSlopes};
    let (texture, sampler) = (resource::texture(fetch, case)?, resource::sampler(fetch, case)?);
    let sloped = matches!(form.detail, SampleDetail::Slopes | SampleDetail::Biased);
    let unset = |axis| !was(earlier, |does| does == Keep || does == SetSlopes(axis));
    let filters = sampler.mip == MipFilter::Linear
        || [sampler.magnify, sampler.minify].contains(&Filter::Bilinear);
    let why = if sloped && form.given_slopes && (unset(0) || unset(1)) {
        "no gradients are set"
    } else if sloped && !form.given_slopes && case.program_type != ProgramType::Pixel {
        "only pixel shaders have neighbours to compute a level of detail from"
    } else if form.compare {
        match (fetch.border_fraction, format.depth(), texture.select[0]) {
            (true, ..) => "a comparison with BC_FRAC_MODE is not defined",
            (_, Some(_), 0) => return None,
            _ => "the texels cannot be compared",
        }
    } else if filters && format.keeps_integers() && !fetch.border_fraction {
        "integers cannot be filtered"
    } else {
        return None;
    };
    Some(why.to_owned())
}

/// What an instruction works with.
struct Sampling<'a> {
    fetch: &'a TextureFetch,
    texture: &'a Texture,
    sampler: &'a Sampler,
    format: Format,
    /// Numbers of the first texels of all levels.
    first: [u64; 14],
}

/// Does an instruction that is not [`undefined`]; what every executing pixel gets.
pub(super) fn run(
    fetch: &TextureFetch,
    executing: u64,
    case: &Case,
    sources: &Sources,
    prepared: &mut Prepared,
    mut put: impl FnMut(usize, [u32; 4]),
) {
    match fetch.operation {
        TextureOperation::Slopes(axis) => {
            for pixel in ones(executing) {
                put(pixel, [0, 1, 2, 3].map(|element| slope(&sources[element], pixel, axis)));
            }
        }
        TextureOperation::SetSlopes(axis) => {
            for pixel in ones(executing) {
                prepared.slopes[axis][pixel] =
                    [0, 1, 2].map(|element: usize| sources[element][pixel]);
                put(pixel, [0; 4]);
            }
        }
        TextureOperation::SetCube => {
            for pixel in ones(executing) {
                prepared.cube[pixel] = sources[2][pixel];
                put(pixel, [0; 4]);
            }
        }
        _ => {
            let Some(texture) = resource::texture(fetch, case) else { return };
            let Some(sampler) = resource::sampler(fetch, case) else { return };
            let Some(format) = Format::of_texel(fields(texture)) else { return };
            let mut first = [0; 14];
            for (first, level) in first.iter_mut().zip(0..texture.levels) {
                *first = first_texel(texture, level);
            }
            let plane = Plane::of(fetch, texture, sampler, &format);
            let sampling = Sampling { fetch, texture, sampler, format, first };
            for pixel in ones(executing) {
                let [x, y] = [0, 1].map(|element: usize| sources[element][pixel]);
                let short = plane.as_ref().and_then(|plane| plane.fetch([x, y]));
                let values = short.or_else(|| sampling.of_pixel(pixel, sources, prepared));
                put(pixel, values.unwrap_or([0; 4]));
            }
        }
    }
}

/// How an element changes in a pixel's quad: from its first pixel to the next (0) or below (1).
fn slope(lanes: &[u32; 64], pixel: usize, axis: usize) -> u32 {
    let corner = pixel & !3;
    result(float(lanes[corner + 1 + axis]) - float(lanes[corner]))
}

/// The number nearest to a slice, within what there are.
fn slice(number: f64, count: u32) -> u64 {
    let last = f64::from(count - 1);
    number.round_ties_even().max(0.0).min(last) as u64
}

impl Sampling<'_> {
    /// What a pixel gets; `None` where it may be anything.
    fn of_pixel(
        &self,
        pixel: usize,
        sources: &Sources,
        prepared: &mut Prepared,
    ) -> Option<[u32; 4]> {
        let slopes = [0, 1].map(|axis| [0, 1, 2].map(|n: usize| slope(&sources[n], pixel, axis)));
        match self.fetch.operation {
            TextureOperation::Keep => {
                for (kept, slope) in prepared.slopes.iter_mut().zip(slopes) {
                    kept[pixel] = slope;
                }
                Some(self.select(self.sampler.border))
            }
            TextureOperation::Detail => {
                let levels = self.levels(None, slopes, sources[3][pixel])?;
                let [free, bound] = levels.detail.map(|detail| (detail as f32 / 64.0).to_bits());
                Some([bound, free, 0, 0])
            }
            TextureOperation::Weights => {
                let levels = self.levels(None, slopes, sources[3][pixel])?;
                let place = self.place(pixel, sources, prepared)?;
                let taps = self.taps(levels.first, self.filter(levels), place)?;
                let [x, y, z] = taps.farther.map(|weight| (weight as f32 / 256.0).to_bits());
                Some([x, y, z, (levels.next as f32 / 64.0).to_bits()])
            }
            TextureOperation::Sample(form) => {
                let slopes = if form.given_slopes {
                    [0, 1].map(|axis: usize| prepared.slopes[axis][pixel])
                } else {
                    slopes
                };
                let levels = self.levels(Some(form), slopes, sources[3][pixel])?;
                let place = self.place(pixel, sources, prepared)?;
                let filter = self.filter(levels);
                let near = self.taps(levels.first, filter, place)?;
                let mut all = [(0, 0, None); 16];
                let mut count = 0;
                let mut add = |list: &[Tap], level: u32, weight: u32| {
                    for &(own, texel) in list {
                        all[count] = (u64::from(own) * u64::from(weight), level, texel);
                        count += 1;
                    }
                };
                add(near.list(), levels.first, 64 - levels.next);
                if levels.next > 0 {
                    let next = self.taps(levels.first + 1, filter, place)?;
                    add(next.list(), levels.first + 1, levels.next);
                }
                let whole = f64::from(near.whole) * 64.0;
                Some(self.sum(form, &all[..count], whole, sources[3][pixel]))
            }
            _ => None,
        }
    }

    fn filter(&self, levels: Levels) -> Filter {
        if levels.detail[1] <= 0 { self.sampler.magnify } else { self.sampler.minify }
    }

    fn taps(&self, level: u32, filter: Filter, place: Place) -> Option<super::taps::Taps> {
        taps(self.fetch, self.texture, self.sampler, filter, level, place)
    }

    fn levels(&self, form: Option<SampleForm>, slopes: [[u32; 3]; 2], w: u32) -> Option<Levels> {
        let from_slopes = || {
            let count = axes(self.texture.kind);
            let mut numbers = [[0.0; 3]; 2];
            for (numbers, slope) in numbers.iter_mut().zip(slopes) {
                for (number, bits) in numbers.iter_mut().zip(slope).take(count) {
                    *number = finite(bits)?;
                }
            }
            Some(of_slopes(numbers, self.texture, self.fetch.normalised))
        };
        let own = self.sampler.lod_bias;
        let detail = match form.map_or(SampleDetail::Slopes, |form| form.detail) {
            SampleDetail::Slopes => from_slopes()? + own,
            SampleDetail::Biased => from_slopes()? + own + (self.fetch.bias << 2),
            SampleDetail::Given => steps(finite(w)?) + own,
            SampleDetail::Zero => 0,
        };
        Some(levels(detail, self.texture, self.sampler))
    }

    fn place(&self, pixel: usize, sources: &Sources, prepared: &Prepared) -> Option<Place> {
        let kind = self.texture.kind;
        let mut coordinates = [0.0; 3];
        for (coordinate, lanes) in coordinates.iter_mut().zip(sources).take(axes(kind)) {
            *coordinate = finite(lanes[pixel])?;
        }
        let z = || Some(f64::from(finite(sources[2][pixel])?));
        let slice = match kind {
            Kind::LineArray | Kind::PlaneArray => {
                // Too small to be kept in the sum, but it may tip the scales.
                let least = f64::from(1.0_f32 / (1 << 30) as f32);
                let z = z()?;
                let z = if z != 0.0 && z.abs() < least { least.copysign(z) } else { z };
                slice(z + f64::from(self.fetch.offset[2]) * 0.5, self.texture.depth)
            }
            Kind::Cube => {
                let face = slice(z()?, FACES as u32);
                let cube = match self.texture.depth {
                    1 => 0,
                    depth => slice(finite(prepared.cube[pixel])?.into(), depth),
                };
                cube * FACES + face
            }
            _ => 0,
        };
        Some(Place { coordinates, slice })
    }

    fn select(&self, components: [u32; 4]) -> [u32; 4] {
        self.texture.select.map(|select| selected(components, select as u8).unwrap_or(0))
    }

    /// Adds up texels of levels by their weights, which are `whole` together.
    fn sum(
        &self,
        form: SampleForm,
        taps: &[(u64, u32, Option<u64>)],
        whole: f64,
        reference: u32,
    ) -> [u32; 4] {
        if form.compare {
            let Some(depth) = self.format.depth() else { return [0; 4] };
            let passed = taps.iter().filter(|(_, level, texel)| {
                let side = self.side(depth, *level, *texel);
                passes(self.sampler.compare, converted(depth, reference), side)
            });
            let weight: u64 = passed.map(|(weight, ..)| weight).sum();
            return [((weight as f64 / whole) as f32).to_bits(), 0, 0, 0];
        }
        if let [(_, level, texel)] = taps {
            return self.texel(*level, *texel);
        }
        let mut sums = [0.0_f64; 4];
        for (weight, level, texel) in taps {
            for (sum, component) in sums.iter_mut().zip(self.texel(*level, *texel)) {
                *sum += *weight as f64 * f64::from(f32::from_bits(component));
            }
        }
        sums.map(|sum| result((sum / whole) as f32))
    }

    fn address(&self, level: u32, texel: u64) -> u64 {
        (self.first[level as usize] + texel) * self.format.bytes() as u64
    }

    /// The selected components of a texel, or of the border.
    fn texel(&self, level: u32, texel: Option<u64>) -> [u32; 4] {
        self.select(match (texel, self.fetch.border_fraction) {
            (Some(_), true) => [0; 4],
            (None, true) => [ONE; 4],
            (Some(texel), false) => {
                let address = self.address(level, texel);
                self.format.read(address, |at| byte(self.texture, at))
            }
            (None, false) => self.sampler.border,
        })
    }

    /// What a reference is compared with.
    fn side(&self, depth: Depth, level: u32, found: Option<u64>) -> super::compare::Side {
        match found {
            Some(number) => {
                let address = self.address(level, number);
                texel(depth, self.format.raw(address, |at| byte(self.texture, at)))
            }
            None => converted(depth, self.sampler.border[0]),
        }
    }
}
