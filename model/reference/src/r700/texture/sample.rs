//! Filtered fetches and what prepares them (section 9.4; decisions D-r700-filter, D-r700-prepared).

use parallax_isa::r700::{
    Fetch, FetchOpcode,
    case::ProgramType,
    microcode::TextureFetch,
    sampler::{Filter, MipFilter, Sampler, Wrap},
    state::PIXELS,
    texture::{Kind, Texture},
};

use super::{
    super::{
        export::selected,
        format::Interpretation,
        number::{self, add, number},
        prepared::Direction,
        wavefront::{Executed, Wavefront, pixels, refuse},
    },
    compare::{self, Compared, Value},
    detail::{Chosen, choose, computed, directions, in_64ths},
    form::{Detail, Form},
    level::{interpretation, texel},
    resource::{bias, offsets},
    sum::{Component, weighted},
    taps::{Place, Source, Tap},
};
use crate::number::{Exact, Number, Rounding};

/// What every pixel's source is, after `SRC_SEL`.
pub(super) type Sources = [[u32; 4]; PIXELS];
/// What an instruction gives for pixels.
pub(super) type Results = Vec<(usize, [Component; 4])>;

/// 1.0, of which white is made.
const WHITE: u32 = 0x3F80_0000;
const OPEN: [Component; 4] = [Component::OPEN; 4];

/// Everything that a sampling instruction has for all pixels.
struct Sampling<'a> {
    word: TextureFetch,
    texture: &'a Texture,
    sampler: &'a Sampler,
}

/// Which coordinates are normalised.
fn normalised(word: TextureFetch) -> [bool; 3] {
    [word.coord_type_x(), word.coord_type_y(), word.coord_type_z()].map(|kind| kind == 1)
}

/// A coordinate, unless it is a NaN or infinite.
fn finite(bits: u32) -> Option<Exact> {
    number(bits).finite()
}

/// The nearest slice or face.
fn nearest(coordinate: Exact, count: u32) -> i64 {
    let number = coordinate.to_integer(Rounding::NearestEven);
    number.clamp(0, i128::from(count) - 1) as i64
}

/// How the source changes to the right or down, in the quad of a pixel: what its first pixel says,
/// whether any of them is active or not.
fn gradient(sources: &Sources, pixel: usize, direction: Direction) -> [u32; 4] {
    // Decision D-r700-quads.
    let first = pixel - pixel % 4;
    let other = first + if direction == Direction::Horizontal { 1 } else { 2 };
    [0, 1, 2, 3].map(|element: usize| {
        let [from, to] = [first, other].map(|pixel| number(sources[pixel][element]));
        number::bits(add(to, -from))
    })
}

/// Refuses what is not defined; `before` are the instructions of the clause before this one.
pub(super) fn check(wavefront: &Wavefront, word: TextureFetch, before: &[Fetch]) -> Executed {
    // Decision D-r700-filter.
    use FetchOpcode::{
        GetCompTexLod, GetGradientsH, GetGradientsV, GetLerp, KeepGradients, SetCubemapIndex,
        SetGradientsH, SetGradientsV,
    };
    let Some(opcode) = word.opcode() else { return refuse("a reserved texture instruction") };
    if matches!(
        opcode,
        GetGradientsH | GetGradientsV | SetGradientsH | SetGradientsV | SetCubemapIndex
    ) {
        return Ok(());
    }
    let texture = wavefront.texture(word)?;
    let sampler = wavefront.sampler(word)?;
    if opcode == KeepGradients {
        return Ok(());
    }
    let form = Form::of(opcode);
    if form.is_none() && !matches!(opcode, GetCompTexLod | GetLerp) {
        let code = word.tex_inst();
        return refuse(format!("the manual does not say what texture instruction {code} does"));
    }
    let fields = interpretation(texture)?;
    if texture.kind == Kind::Buffer {
        return refuse("a buffer is not filtered");
    }
    if texture.samples > 1 {
        return refuse("a texture of several samples is not filtered");
    }
    let normalised = normalised(word);
    let counted = directions(texture.kind);
    if texture.kind == Kind::Cube && normalised[..counted] != [true, true] {
        return refuse("a cube map with coordinates that are not normalised");
    }
    let once_around =
        |wrap| matches!(wrap, Wrap::ClampLastTexel | Wrap::ClampHalfBorder | Wrap::ClampBorder);
    let wrong = (0..counted).find(|n| !normalised[*n] && !once_around(sampler.wrap[*n]));
    if let Some(direction) = wrong {
        return refuse(format!(
            "a coordinate {} that is not normalised, and a sampler that repeats or mirrors",
            ["X", "Y", "Z"][direction]
        ));
    }
    let is_set = |wanted: [FetchOpcode; 2]| {
        before.iter().any(|fetch| match fetch {
            Fetch::Texture(word) => word.opcode().is_some_and(|opcode| wanted.contains(&opcode)),
            _ => false,
        })
    };
    if texture.kind == Kind::Cube && texture.depth > 1 && !is_set([SetCubemapIndex; 2]) {
        return refuse("an array of cube maps, and no SET_CUBEMAP_INDEX before in the clause");
    }
    let Some(form) = form else { return Ok(()) };
    if form.uses_gradients() && form.gradients_are_set {
        let both = is_set([SetGradientsH, KeepGradients]) && is_set([SetGradientsV, KeepGradients]);
        if !both {
            return refuse("set gradients are asked for, and none were set before in the clause");
        }
    }
    if form.uses_gradients()
        && !form.gradients_are_set
        && wavefront.case.program_type != ProgramType::Pixel
    {
        return refuse("a level of detail is computed in pixel shaders only");
    }
    if form.compares {
        if word.bc_frac_mode() == 1 {
            return refuse("a comparison with BC_FRAC_MODE");
        }
        return Compared::of(texture, fields).map(|_| ());
    }
    let is_linear = sampler.magnify == Filter::Bilinear
        || sampler.minify == Filter::Bilinear
        || sampler.mip == MipFilter::Linear;
    if is_linear && fields.has_integers() && word.bc_frac_mode() == 0 {
        return refuse("integers are not filtered");
    }
    Ok(())
}

impl Wavefront {
    /// The results of an instruction for some pixels; nothing for those that only set something.
    pub(super) fn filtered(
        &mut self,
        word: TextureFetch,
        mask: u64,
        sources: &Sources,
    ) -> Executed<Results> {
        use Direction::{Horizontal, Vertical};
        use FetchOpcode::{
            GetGradientsH, GetGradientsV, KeepGradients, SetCubemapIndex, SetGradientsH,
            SetGradientsV,
        };
        let opcode = word.opcode();
        let gradients = |direction| {
            let of = |pixel| {
                let elements = gradient(sources, pixel, direction);
                (pixel, elements.map(Component::of_arithmetic))
            };
            pixels(mask).map(of).collect()
        };
        match opcode {
            Some(GetGradientsH) => Ok(gradients(Horizontal)),
            Some(GetGradientsV) => Ok(gradients(Vertical)),
            Some(SetGradientsH) => Ok(self.set_gradients(Horizontal, mask, sources)),
            Some(SetGradientsV) => Ok(self.set_gradients(Vertical, mask, sources)),
            Some(SetCubemapIndex) => {
                for pixel in pixels(mask) {
                    self.prepared.set_cube_index(pixel, sources[pixel][2]);
                }
                Ok(pixels(mask).map(|pixel| (pixel, OPEN)).collect())
            }
            Some(KeepGradients) => self.keep_gradients(word, mask, sources),
            Some(opcode) => {
                let sampling =
                    Sampling { word, texture: self.texture(word)?, sampler: self.sampler(word)? };
                let result = |pixel| {
                    let found = self.sampled(&sampling, opcode, pixel, sources);
                    (pixel, found.unwrap_or(OPEN))
                };
                Ok(pixels(mask).map(result).collect())
            }
            None => refuse("a reserved texture instruction"),
        }
    }

    fn set_gradients(&mut self, direction: Direction, mask: u64, sources: &Sources) -> Results {
        for pixel in pixels(mask) {
            let [x, y, z, _] = sources[pixel];
            self.prepared.set_gradient(direction, pixel, [x, y, z]);
        }
        pixels(mask).map(|pixel| (pixel, OPEN)).collect()
    }

    fn keep_gradients(
        &mut self,
        word: TextureFetch,
        mask: u64,
        sources: &Sources,
    ) -> Executed<Results> {
        for pixel in pixels(mask) {
            for direction in [Direction::Horizontal, Direction::Vertical] {
                let [x, y, z, _] = gradient(sources, pixel, direction);
                self.prepared.set_gradient(direction, pixel, [x, y, z]);
            }
        }
        let (texture, sampler) = (self.texture(word)?, self.sampler(word)?);
        let border = texture.select.map(|n| selected(n, sampler.border).unwrap_or(0));
        Ok(pixels(mask).map(|pixel| (pixel, border.map(Component::exactly))).collect())
    }

    /// The gradients that count for a pixel: `None` where they are open.
    fn gradients(
        &self,
        are_set: bool,
        pixel: usize,
        sources: &Sources,
        count: usize,
    ) -> Option<[[Exact; 3]; 2]> {
        let both = if are_set {
            self.prepared.gradients(pixel)?
        } else {
            [Direction::Horizontal, Direction::Vertical].map(|direction| {
                let [x, y, z, _] = gradient(sources, pixel, direction);
                [x, y, z]
            })
        };
        let mut gradients = [[Exact::ZERO; 3]; 2];
        for (gradient, bits) in gradients.iter_mut().zip(both) {
            for (step, bits) in gradient.iter_mut().zip(bits).take(count) {
                *step = finite(bits)?;
            }
        }
        Some(gradients)
    }

    /// The levels that are sampled for a pixel: `None` where they are open.
    fn chosen(
        &self,
        sampling: &Sampling<'_>,
        form: Option<Form>,
        pixel: usize,
        sources: &Sources,
    ) -> Option<Chosen> {
        let Sampling { word, texture, sampler } = *sampling;
        let from_gradients = |are_set| {
            let gradients = self.gradients(are_set, pixel, sources, directions(texture.kind))?;
            Some(computed(texture, normalised(word), gradients))
        };
        let lod_bias = i64::from(sampler.lod_bias);
        let sum = match form.map(|form| (form.detail, form.gradients_are_set)) {
            None => from_gradients(false)? + lod_bias,
            Some((Detail::Computed, are_set)) => from_gradients(are_set)? + lod_bias,
            // Sixteenths are four 64ths.
            Some((Detail::Biased, are_set)) => from_gradients(are_set)? + lod_bias + 4 * bias(word),
            Some((Detail::Source, _)) => in_64ths(finite(sources[pixel][3])?) + lod_bias,
            Some((Detail::Zero, _)) => 0,
        };
        Some(choose(sum, texture, sampler))
    }

    /// What a pixel gets: `None` where it is open.
    fn sampled(
        &self,
        sampling: &Sampling<'_>,
        opcode: FetchOpcode,
        pixel: usize,
        sources: &Sources,
    ) -> Option<[Component; 4]> {
        let sampler = sampling.sampler;
        let form = Form::of(opcode);
        let chosen = self.chosen(sampling, form, pixel, sources)?;
        let exactly = |units: i64, bits: i32| {
            let number = Exact::integer(units.into()).scaled(-bits);
            Component::exactly(number::bits(Number::Finite(number)))
        };
        if opcode == FetchOpcode::GetCompTexLod {
            let [clamped, unclamped] =
                [chosen.clamped, chosen.unclamped].map(|lod| exactly(lod, 6));
            return Some([clamped, unclamped, Component::OPEN, Component::OPEN]);
        }
        let filter = if chosen.magnifies { sampler.magnify } else { sampler.minify };
        let place = self.place(sampling, filter, pixel, sources)?;
        let first = place.taps(chosen.level)?;
        if opcode == FetchOpcode::GetLerp {
            let [x, y, z] = first.blends.map(|blend| exactly(blend, 8));
            return Some([x, y, z, exactly(chosen.blend, 6)]);
        }
        let mut taps = first.list;
        let mut granule = first.granule;
        if chosen.blend > 0 {
            let second = place.taps(chosen.level + 1)?;
            granule = granule.min(second.granule) + chosen.blend.trailing_zeros() as i32 - 6;
            let weighing = |taps: Vec<Tap>, units: i64| {
                let weight = Exact::integer(units.into()).scaled(-6);
                taps.into_iter().map(move |tap| Tap { weight: tap.weight * weight, ..tap })
            };
            taps = weighing(taps, 64 - chosen.blend)
                .chain(weighing(second.list, chosen.blend))
                .collect();
        }
        let fields = interpretation(sampling.texture).ok()?;
        self.note(|record| record.format = Some(fields));
        let read = |place, level| {
            let bits = texel(sampling.texture, fields, place, level);
            self.accessed(pixel, 0, 0, bits);
            bits
        };
        Some(match form {
            Some(form) if form.compares => {
                compared(sampling, &taps, granule, fields, sources[pixel][3], read)
            }
            _ => filtered(sampling, &taps, granule, fields, read),
        })
    }

    /// Where a pixel samples: `None` where that is open.
    fn place<'a>(
        &self,
        sampling: &Sampling<'a>,
        filter: Filter,
        pixel: usize,
        sources: &Sources,
    ) -> Option<Place<'a>> {
        let Sampling { word, texture, sampler } = *sampling;
        let [x, y, z, _] = sources[pixel];
        let mut coordinates = [Exact::ZERO; 3];
        for (coordinate, bits) in
            coordinates.iter_mut().zip([x, y, z]).take(directions(texture.kind))
        {
            *coordinate = finite(bits)?;
        }
        let offsets = offsets(word);
        let slice = match texture.kind {
            Kind::LineArray | Kind::PlaneArray => {
                let halves = Exact::integer(offsets[2].into()).scaled(-1);
                let place = Exact::sum(&[finite(z)?, halves], Rounding::NearestEven);
                nearest(place, texture.depth)
            }
            Kind::Cube => {
                let cube = match self.prepared.cube_index(pixel) {
                    _ if texture.depth == 1 => 0,
                    Some(index) => nearest(finite(index)?, texture.depth),
                    None => return None,
                };
                6 * cube + nearest(finite(z)?, 6)
            }
            _ => 0,
        };
        let normalised = normalised(word);
        Some(Place { texture, sampler, coordinates, normalised, offsets, slice, filter })
    }
}

/// The sum of taps, component by component as the resource chooses them.
fn filtered(
    sampling: &Sampling<'_>,
    taps: &[Tap],
    granule: i32,
    fields: Interpretation,
    read: impl Fn([i64; 3], u32) -> Option<u128>,
) -> [Component; 4] {
    let Sampling { word, texture, sampler } = *sampling;
    let is_fraction = word.bc_frac_mode() == 1;
    let components = taps.iter().map(|tap| {
        let components = match tap.source {
            Source::Texel(place, level) if !is_fraction => fields.components(read(place, level)),
            Source::Border if !is_fraction => sampler.border,
            Source::Texel(..) => [0; 4],
            Source::Border => [WHITE; 4],
        };
        (tap.weight, texture.select.map(|n| selected(n, components).unwrap_or(0)))
    });
    let components: Vec<(Exact, [u32; 4])> = components.collect();
    let is_narrow = fields.widens_floats();
    [0, 1, 2, 3].map(|n: usize| {
        let terms: Vec<(Exact, u32)> =
            components.iter().map(|(weight, texel)| (*weight, texel[n])).collect();
        match weighted(&terms, granule) {
            // Of a NaN in a narrower float all that is said is that it stays one.
            Component { bits, accepted: None } if is_narrow => Component::of_arithmetic(bits),
            component => component,
        }
    })
}

/// The weights of the taps that pass a comparison.
fn compared(
    sampling: &Sampling<'_>,
    taps: &[Tap],
    granule: i32,
    fields: Interpretation,
    reference: u32,
    read: impl Fn([i64; 3], u32) -> Option<u128>,
) -> [Component; 4] {
    let Sampling { texture, sampler, .. } = *sampling;
    let Ok(format) = Compared::of(texture, fields) else { return OPEN };
    // Decision D-r700-compare.
    let values: Vec<Value> = taps
        .iter()
        .map(|tap| match tap.source {
            Source::Border => format.border(sampler.border[0]),
            Source::Texel(place, level) => {
                let bits = read(place, level);
                format.texel(fields.first_field(bits), fields.components(bits)[0])
            }
        })
        .collect();
    let with = |reference: Value| {
        let term = |(tap, value): (&Tap, &Value)| {
            let passed = compare::passes(sampler.compare, reference, *value);
            (tap.weight, if passed { WHITE } else { 0 })
        };
        weighted(&taps.iter().zip(&values).map(term).collect::<Vec<_>>(), granule)
    };
    let results: Vec<Component> = format.reference(reference).into_iter().map(with).collect();
    compare::result(&results)
}
