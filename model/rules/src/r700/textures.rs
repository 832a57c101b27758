//! Texture fetches (chapter 6 and section 9.4).

use parallax_isa::r700::{
    Fetch,
    FetchOpcode::{self, *},
    microcode::TextureFetch,
    texture::{Kind, Texture},
};

use super::{
    fetch::Fetched,
    rule::{Rule, dropped, each_fetch, fetch},
};

const ASKING: &[FetchOpcode] = &[GetTextureResinfo, GetNumberOfSamples];
const COMPARING: &[FetchOpcode] =
    &[SampleC, SampleCL, SampleCLb, SampleCLz, SampleCG, SampleCGL, SampleCGLb, SampleCGLz];
/// Those that add `LOD_BIAS`.
const BIASED: &[FetchOpcode] = &[SampleLb, SampleGLb, SampleCLb, SampleCGLb];
/// Those whose level of detail comes from gradients that were set.
const SET: &[FetchOpcode] = &[SampleG, SampleGLb, SampleCG, SampleCGLb];
/// What `MEM_OP` tells apart.
const MEMORY: &[FetchOpcode] = &[MemRdScratch, MemRdReduc, MemRdScatter, LocalDsWrite, LocalDsRead];
/// Texture instructions.
const TEXTURE: &[FetchOpcode] = &[
    Ld,
    GetTextureResinfo,
    GetNumberOfSamples,
    GetCompTexLod,
    GetGradientsH,
    GetGradientsV,
    GetLerp,
    KeepGradients,
    SetGradientsH,
    SetGradientsV,
    SetCubemapIndex,
    Sample,
    SampleL,
    SampleLb,
    SampleLz,
    SampleG,
    SampleGL,
    SampleGLb,
    SampleGLz,
    SampleC,
    SampleCL,
    SampleCLb,
    SampleCLz,
    SampleCG,
    SampleCGL,
    SampleCGLb,
    SampleCGLz,
];

/// Whether it is a form of `SAMPLE`.
fn samples(f: Fetched) -> bool {
    f.opcode.mnemonic().starts_with("SAMPLE")
}

/// Whether it filters, or says how it would.
fn filters(f: Fetched) -> bool {
    matches!(f.opcode, GetCompTexLod | GetLerp) || samples(f)
}

/// The texture, if the instruction is about one.
fn resource(f: Fetched<'_>) -> Option<&Texture> {
    let word = f.texture()?;
    let is_about =
        filters(f) || matches!(f.opcode, Ld | KeepGradients) || ASKING.contains(&f.opcode);
    f.constants(word.alt_const()).textures.get(word.resource_id() as usize).filter(|_| is_about)
}

fn is_texture(f: Fetched, when: impl Fn(TextureFetch) -> bool) -> bool {
    f.texture().is_some_and(when)
}

/// The source is not that of each element itself.
fn rearranges_source(f: Fetched) -> bool {
    !ASKING.contains(&f.opcode)
        && is_texture(f, |word| {
            [word.src_sel_x(), word.src_sel_y(), word.src_sel_z(), word.src_sel_w()] != [0, 1, 2, 3]
        })
}

/// Whether an offset moves the place that is read.
fn has_offset(f: Fetched) -> bool {
    let Some(texture) = resource(f) else { return false };
    let has_rows = !matches!(texture.kind, Kind::Buffer | Kind::Line | Kind::LineArray);
    let has_slices = matches!(texture.kind, Kind::LineArray | Kind::PlaneArray | Kind::Volume);
    !matches!(f.opcode, GetCompTexLod | KeepGradients)
        && !ASKING.contains(&f.opcode)
        && is_texture(f, |word| {
            word.offset_x() != 0
                || has_rows && word.offset_y() != 0
                || has_slices && word.offset_z() != 0
        })
}

/// Whether a coordinate of a type is filtered at and is not zero, which is the same place in both types.
fn has_coordinate(f: Fetched, normalised: u32) -> bool {
    let Some(texture) = resource(f).filter(|_| filters(f)) else { return false };
    let directions = match texture.kind {
        Kind::Buffer => 0,
        Kind::Line | Kind::LineArray => 1,
        Kind::Plane | Kind::PlaneArray | Kind::Cube => 2,
        Kind::Volume => 3,
    };
    is_texture(f, |word| {
        let types = [word.coord_type_x(), word.coord_type_y(), word.coord_type_z()];
        (0..directions)
            .any(|n| types[n] == normalised && f.any_source(|elements| elements[n] << 1 != 0))
    })
}

/// The last instruction of some before it in the clause.
fn last_of(f: Fetched, of: &[FetchOpcode]) -> Option<FetchOpcode> {
    f.previous.iter().rev().filter_map(|fetch| fetch.opcode()).find(|opcode| of.contains(opcode))
}

/// Whether several before it have set the same gradients.
fn are_set_again(f: Fetched) -> bool {
    let number = |opcode| {
        let sets = |fetch: &&Fetch| {
            fetch.opcode() == Some(opcode) || fetch.opcode() == Some(KeepGradients)
        };
        f.previous.iter().filter(sets).count()
    };
    number(SetGradientsH) > 1 || number(SetGradientsV) > 1
}

fn is_nan(bits: u32) -> bool {
    bits << 1 > 0xFF00_0000
}

pub(super) const RULES: &[Rule] = &[
    each_fetch("r700.tex.init", TEXTURE),
    fetch("r700.tex.resource", TEXTURE, |f| {
        resource(f).is_some()
            && is_texture(f, |word| word.resource_id() != 0 || filters(f) && word.sampler_id() != 0)
    }),
    fetch("r700.tex.resource.shared-space", TEXTURE, |f| {
        resource(f).is_some_and(|texture| texture.kind == Kind::Buffer)
    }),
    fetch("r700.tex.src", TEXTURE, |f| !ASKING.contains(&f.opcode)),
    each_fetch("r700.tex.dst", TEXTURE),
    fetch("r700.tex.src-sel", TEXTURE, rearranges_source),
    fetch("r700.tex.dst-sel", TEXTURE, |f| f.rearranges()),
    dropped("r700.tex.oob", TEXTURE, |f| f.is_beyond(f.relative_destination())),
    each_fetch("r700.tex.no-pred", TEXTURE),
    fetch("r700.tex.fwq", TEXTURE, |f| f.fetches_for_invalid()),
    fetch("r700.tex.quad.invalid", TEXTURE, |f| f.fetches_for_invalid()),
    fetch("r700.tex.alt-const", TEXTURE, |f| {
        resource(f).is_some() && is_texture(f, |word| word.alt_const() == 1)
    }),
    fetch("r700.tex.lod-bias", BIASED, |f| is_texture(f, |word| word.lod_bias() != 0)),
    fetch("r700.tex.offset", TEXTURE, has_offset),
    fetch("r700.tex.coord.unnorm", TEXTURE, |f| has_coordinate(f, 0)),
    fetch("r700.tex.coord.norm", TEXTURE, |f| has_coordinate(f, 1)),
    fetch("r700.tex.bc-frac", TEXTURE, |f| {
        samples(f) && is_texture(f, |word| word.bc_frac_mode() == 1)
    }),
    // Instructions.
    each_fetch("r700.tex.op.ld", &[Ld]),
    each_fetch("r700.tex.op.resinfo", &[GetTextureResinfo]),
    each_fetch("r700.tex.op.samples", &[GetNumberOfSamples]),
    each_fetch("r700.tex.op.lod", &[GetCompTexLod]),
    each_fetch("r700.tex.op.grad-h", &[GetGradientsH]),
    each_fetch("r700.tex.op.grad-v", &[GetGradientsV]),
    each_fetch("r700.tex.op.lerp", &[GetLerp]),
    fetch("r700.tex.op.keep", SET, |f| {
        last_of(f, &[SetGradientsH, KeepGradients]) == Some(KeepGradients)
            || last_of(f, &[SetGradientsV, KeepGradients]) == Some(KeepGradients)
    }),
    each_fetch("r700.tex.op.keep.ret", &[KeepGradients]),
    fetch("r700.tex.op.set-h", SET, |f| {
        last_of(f, &[SetGradientsH, KeepGradients]) == Some(SetGradientsH)
    }),
    fetch("r700.tex.op.set-v", SET, |f| {
        last_of(f, &[SetGradientsV, KeepGradients]) == Some(SetGradientsV)
    }),
    fetch("r700.tex.op.set-last", SET, are_set_again),
    fetch("r700.tex.op.cubemap-index", TEXTURE, |f| {
        filters(f)
            && f.opcode != GetCompTexLod
            && resource(f).is_some_and(|texture| texture.kind == Kind::Cube && texture.depth > 1)
    }),
    each_fetch("r700.tex.op.sample", &[Sample]),
    each_fetch("r700.tex.op.l", &[SampleL]),
    each_fetch("r700.tex.op.lb", &[SampleLb]),
    each_fetch("r700.tex.op.lz", &[SampleLz]),
    each_fetch("r700.tex.op.g", &[SampleG]),
    each_fetch("r700.tex.op.g-l", &[SampleGL]),
    each_fetch("r700.tex.op.g-lb", &[SampleGLb]),
    each_fetch("r700.tex.op.g-lz", &[SampleGLz]),
    each_fetch("r700.tex.op.c", &[SampleC]),
    fetch("r700.tex.op.c.nan", COMPARING, |f| f.any_source(|elements| is_nan(elements[3]))),
    each_fetch("r700.tex.op.c-l", &[SampleCL]),
    each_fetch("r700.tex.op.c-lb", &[SampleCLb]),
    each_fetch("r700.tex.op.c-lz", &[SampleCLz]),
    each_fetch("r700.tex.op.c-g", &[SampleCG]),
    each_fetch("r700.tex.op.c-g-l", &[SampleCGL]),
    each_fetch("r700.tex.op.c-g-lb", &[SampleCGLb]),
    each_fetch("r700.tex.op.c-g-lz", &[SampleCGLz]),
    fetch("r700.tex.op.mem", MEMORY, |f| f.is_in_texture_clause()),
];
