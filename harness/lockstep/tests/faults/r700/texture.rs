//! The faults of filtered textures.

use parallax_isa::r700::{
    Case, Fetch,
    microcode::{Field, TextureFetch},
    sampler::{Comparison, Filter, MipFilter, Sampler, Wrap},
    state::State,
    texture::{Kind, Texture},
};

use super::{Fault, R700, case, disturb, fetch};

/// Every fault of filtered textures.
pub(super) const FAULTS: &[Fault<R700>] = &[
    // Forms.
    fetch("level that the source gives taken for 0", |f| form(f, &[(17, 19), (21, 23)])),
    fetch("level that the source gives computed", |f| form(f, &[(17, 16)])),
    fetch("bias of the instruction not added", |f| form(f, &[(18, 16), (22, 20)])),
    fetch("bias of the instruction always added", |f| form(f, &[(16, 18)])),
    fetch("level zero taken from the source", |f| form(f, &[(19, 17), (23, 21)])),
    fetch("level zero computed", |f| form(f, &[(19, 16)])),
    fetch("gradients that were set not used", |f| form(f, &[(20, 16), (22, 18)])),
    fetch("comparison left out", |f| form(f, &[(24, 16), (25, 17), (26, 18), (27, 19)])),
    fetch("comparison with set gradients left out", |f| form(f, &[(28, 20), (30, 22)])),
    fetch("comparison with set gradients uses the quad's", |f| form(f, &[(28, 24), (30, 26)])),
    fetch("comparison at a level compares at level 0", |f| form(f, &[(25, 27), (29, 31)])),
    fetch("comparison at level 0 at a computed level", |f| form(f, &[(27, 24)])),
    fetch("comparison without its bias", |f| form(f, &[(26, 24), (30, 28)])),
    fetch("gradients down taken for those across", |f| form(f, &[(8, 7)])),
    fetch("level of detail taken for weights", |f| form(f, &[(6, 9)])),
    fetch("horizontal gradients not kept", |f| form(f, &[(10, 12)])),
    fetch("vertical gradients not kept", |f| form(f, &[(10, 11)])),
    fetch("gradients of the second call not set", |f| form(f, &[(12, 11)])),
    fetch("index of cube maps taken from X", |f| {
        field_of(f, &[14], TextureFetch::SRC_SEL_Z, |_| 0)
    }),
    fetch("reference taken from Z", |f| {
        field_of(f, &[24, 26, 27, 28, 30, 31], TextureFetch::SRC_SEL_W, |_| 2)
    }),
    fetch("level taken from Z", |f| field_of(f, &[17, 21], TextureFetch::SRC_SEL_W, |_| 2)),
    // Fields.
    fetch("bias without its sign", |f| field(f, TextureFetch::LOD_BIAS, |n| n & 63)),
    fetch("bias in eighths", |f| field(f, TextureFetch::LOD_BIAS, |n| n << 1 & 127)),
    fetch("half a texel of the offset dropped", |f| field(f, TextureFetch::OFFSET_X, |n| n & 30)),
    fetch("offset down ignored", |f| field(f, TextureFetch::OFFSET_Y, |_| 0)),
    fetch("offset of slices ignored", |f| field(f, TextureFetch::OFFSET_Z, |_| 0)),
    fetch("offset across without its sign", |f| field(f, TextureFetch::OFFSET_X, |n| n & 15)),
    fetch("coordinate X always normalised", |f| field(f, TextureFetch::COORD_TYPE_X, |_| 1)),
    fetch("coordinate Y always normalised", |f| field(f, TextureFetch::COORD_TYPE_Y, |_| 1)),
    fetch("coordinate Z always normalised", |f| field(f, TextureFetch::COORD_TYPE_Z, |_| 1)),
    fetch("fraction of the border not asked for", |f| field(f, TextureFetch::BC_FRAC_MODE, |_| 0)),
    fetch("another sampler", |f| field(f, TextureFetch::SAMPLER_ID, |n| if n < 3 { 0 } else { n })),
    fetch("a sampler's number without its uppermost bit", |f| {
        field(f, TextureFetch::SAMPLER_ID, |n| n & 15)
    }),
    fetch("samplers of the alternate type not used", |f| field(f, TextureFetch::ALT_CONST, |_| 0)),
    fetch("pixels that are not active not fetched for", |f| {
        field(f, TextureFetch::FETCH_WHOLE_QUAD, |_| 0)
    }),
    // Samplers.
    case("textures that repeat end at their edge", |c| wraps(c, Wrap::Wrap, Wrap::ClampLastTexel)),
    case("mirrors repeat", |c| wraps(c, Wrap::Mirror, Wrap::Wrap)),
    case("mirrored once, mirrored for ever", |c| {
        wraps(c, Wrap::MirrorOnceLastTexel, Wrap::Mirror);
    }),
    case("mirrored once, not at all", |c| {
        wraps(c, Wrap::MirrorOnceLastTexel, Wrap::ClampLastTexel);
    }),
    case("half a border is a whole one", |c| wraps(c, Wrap::ClampHalfBorder, Wrap::ClampBorder)),
    case("half a border is none", |c| wraps(c, Wrap::ClampHalfBorder, Wrap::ClampLastTexel)),
    case("half a border, mirrored, is a whole one", |c| {
        wraps(c, Wrap::MirrorOnceHalfBorder, Wrap::MirrorOnceBorder);
    }),
    case("half a border is not mirrored", |c| {
        wraps(c, Wrap::MirrorOnceHalfBorder, Wrap::ClampHalfBorder);
    }),
    case("edge instead of border", |c| wraps(c, Wrap::ClampBorder, Wrap::ClampLastTexel)),
    case("border not mirrored", |c| wraps(c, Wrap::MirrorOnceBorder, Wrap::ClampBorder)),
    case("modes of X and Y exchanged", |c| samplers(c, |sampler| sampler.wrap.swap(0, 1))),
    case("mode of Z is that of Y", |c| samplers(c, |sampler| sampler.wrap[2] = sampler.wrap[1])),
    case("the filter for magnifying minifies", |c| {
        samplers(c, |sampler| sampler.minify = sampler.magnify);
    }),
    case("the filter for minifying magnifies", |c| {
        samplers(c, |sampler| sampler.magnify = sampler.minify);
    }),
    case("texels are never filtered", |c| {
        samplers(c, |sampler| (sampler.magnify, sampler.minify) = (Filter::Point, Filter::Point));
    }),
    case("the nearest level is always the first", |c| mips(c, MipFilter::Point, MipFilter::None)),
    case("levels are not filtered", |c| mips(c, MipFilter::Linear, MipFilter::Point)),
    case("least level of detail ignored", |c| samplers(c, |sampler| sampler.min_lod = 0)),
    case("greatest level of detail ignored", |c| samplers(c, |sampler| sampler.max_lod = 1023)),
    case("bias of the sampler ignored", |c| samplers(c, |sampler| sampler.lod_bias = 0)),
    case("bias of the sampler without its last bit", |c| {
        samplers(c, |sampler| sampler.lod_bias &= !1);
    }),
    case("border black", |c| samplers(c, |sampler| sampler.border = [0; 4])),
    case("border opaque", |c| samplers(c, |sampler| sampler.border[3] = 0x3F80_0000)),
    case("equal is not less or equal", |c| {
        compares(c, Comparison::LessEqual, Comparison::Less);
    }),
    case("equal is not greater or equal", |c| {
        compares(c, Comparison::GreaterEqual, Comparison::Greater);
    }),
    case("sides of a comparison exchanged", |c| compares(c, Comparison::Less, Comparison::Greater)),
    case("always is never", |c| compares(c, Comparison::Always, Comparison::Never)),
    case("a NaN is equal", |c| compares(c, Comparison::NotEqual, Comparison::Always)),
    // Textures.
    case("one level too few", |c| {
        textures(c, |texture| texture.levels = 1.max(texture.levels - 1));
    }),
    case("only the first slice", |c| {
        textures(c, |texture| {
            if matches!(texture.kind, Kind::LineArray | Kind::PlaneArray) {
                texture.depth = 1;
            }
        });
    }),
    case("only the first cube", |c| {
        textures(c, |texture| {
            if texture.kind == Kind::Cube {
                texture.depth = 1;
            }
        });
    }),
    case("components as the texel has them", |c| {
        textures(c, |texture| texture.select = [0, 1, 2, 3]);
    }),
    // Results.
    disturb("the eleventh bit of every result is wrong", |_, before, after| {
        results(before, after, |bits| if bits & 0x7F80_0000 == 0 { bits } else { bits ^ 1 << 12 });
    }),
    disturb("every result of a quad is that of its first pixel", |_, before, after| {
        for register in 6..12 {
            for element in 0..4 {
                let lanes = &mut after.gpr[register][element];
                let old = &before.gpr[register][element];
                for pixel in 0..64 {
                    if lanes[pixel] != old[pixel] {
                        lanes[pixel] = lanes[pixel & !3];
                    }
                }
            }
        }
    }),
];

fn change(word: &mut TextureFetch, field: Field, value: u32) -> Option<()> {
    let old = field.get(&word.0);
    field.set(&mut word.0, value);
    (old != field.get(&word.0)).then_some(())
}

/// Takes an opcode for another one.
fn form(fetch: &mut Fetch, taken: &[(u32, u32)]) -> Option<()> {
    let Fetch::Texture(word) = fetch else { return None };
    let (_, other) = taken.iter().find(|(code, _)| *code == word.tex_inst())?;
    change(word, TextureFetch::TEX_INST, *other)
}

fn field(fetch: &mut Fetch, field: Field, value: fn(u32) -> u32) -> Option<()> {
    let Fetch::Texture(word) = fetch else { return None };
    let old = field.get(&word.0);
    change(word, field, value(old))
}

/// Changes a field of some opcodes only.
fn field_of(fetch: &mut Fetch, codes: &[u32], of: Field, value: fn(u32) -> u32) -> Option<()> {
    match fetch {
        Fetch::Texture(word) if codes.contains(&word.tex_inst()) => field(fetch, of, value),
        _ => None,
    }
}

fn samplers(case: &mut Case, change: fn(&mut Sampler)) {
    for constants in [&mut case.constants, &mut case.alternate_constants] {
        constants.samplers.iter_mut().for_each(change);
    }
}

fn textures(case: &mut Case, change: fn(&mut Texture)) {
    for constants in [&mut case.constants, &mut case.alternate_constants] {
        constants.textures.iter_mut().for_each(change);
    }
}

fn each_sampler(case: &mut Case) -> impl Iterator<Item = &mut Sampler> {
    let Case { constants, alternate_constants, .. } = case;
    constants.samplers.iter_mut().chain(&mut alternate_constants.samplers)
}

fn wraps(case: &mut Case, of: Wrap, other: Wrap) {
    for wrap in each_sampler(case).flat_map(|sampler| &mut sampler.wrap) {
        if *wrap == of {
            *wrap = other;
        }
    }
}

fn mips(case: &mut Case, of: MipFilter, other: MipFilter) {
    for sampler in each_sampler(case).filter(|sampler| sampler.mip == of) {
        sampler.mip = other;
    }
}

fn compares(case: &mut Case, of: Comparison, other: Comparison) {
    for sampler in each_sampler(case).filter(|sampler| sampler.compare == of) {
        sampler.compare = other;
    }
}

/// Changes what a step has written to registers that results go to.
fn results(before: &State, after: &mut State, change: fn(u32) -> u32) {
    for register in 6..12 {
        for element in 0..4 {
            let old = &before.gpr[register][element];
            for (lane, old) in after.gpr[register][element].iter_mut().zip(old) {
                if lane != old {
                    *lane = change(*lane);
                }
            }
        }
    }
}
