//! Cases as traces of versions 1 to 4 hold them.

use parallax_isa::{
    Device,
    r700::{
        Case, Profile, State,
        case::{Buffers, Constants, LoopConstant, ProgramType, VertexBuffer},
        texture::Texture,
    },
};
use serde::{Deserialize, Deserializer};

use super::R700;
use crate::{subject::Layout, trace::Flat};

/// The state of those versions.
pub(super) const LAYOUT: Layout = &[
    ("R", 131_072),
    ("G", 8192),
    ("PV", 1024),
    ("PS", 256),
    ("AR", 512),
    ("EXPORT", 36_864),
    ("MEM", 16_384),
    ("LDS", 16_384),
    ("emitted", 256),
    ("cut", 256),
    ("stack", 3584),
    ("exported", 8),
    ("valid", 8),
    ("active", 8),
    ("inactive-continue", 8),
    ("inactive-break", 8),
    ("predicate", 8),
    ("executing", 8),
    ("execute-set", 8),
    ("execute-value", 8),
    ("loop.count", 4),
    ("aL", 4),
    ("loop.increment", 4),
    ("loop.kind", 4),
    ("stack-depth", 4),
    ("call-depth", 4),
    ("cf", 4),
    ("group", 4),
    ("in-clause", 4),
    ("reserved", 4),
];

/// Constants of versions 1 and 2: without textures.
#[derive(Deserialize)]
struct FirstConstants {
    file: Vec<[u32; 4]>,
    buffers: Vec<Vec<[u32; 4]>>,
    vertex_buffers: Vec<VertexBuffer>,
}

/// Constants of versions 3 and 4: without samplers.
#[derive(Deserialize)]
struct ThirdConstants {
    file: Vec<[u32; 4]>,
    buffers: Vec<Vec<[u32; 4]>>,
    vertex_buffers: Vec<VertexBuffer>,
    textures: Vec<Texture>,
}

/// A case with these constants, and a state as the version's files hold it.
#[derive(Deserialize)]
struct EarlierCase<C, S> {
    device: Device,
    profile: Profile,
    program_type: ProgramType,
    program: Vec<u32>,
    fetch_program: u32,
    prefer_vector: bool,
    gpr_count: u32,
    clause_temporaries: u32,
    global_gprs: u32,
    stack_size: u32,
    constants: C,
    alternate_constants: C,
    loop_constants: Vec<LoopConstant>,
    bool_constants: u32,
    semantic_table: Vec<u8>,
    base_vertex: u32,
    start_instance: u32,
    wavefront: u32,
    buffers: Buffers,
    state: S,
    step_limit: u64,
}

impl From<FirstConstants> for Constants {
    fn from(earlier: FirstConstants) -> Self {
        let FirstConstants { file, buffers, vertex_buffers } = earlier;
        Self { file, buffers, vertex_buffers, textures: Vec::new(), samplers: Vec::new() }
    }
}

impl From<ThirdConstants> for Constants {
    fn from(earlier: ThirdConstants) -> Self {
        let ThirdConstants { file, buffers, vertex_buffers, textures } = earlier;
        Self { file, buffers, vertex_buffers, textures, samplers: Vec::new() }
    }
}

impl From<Flat<R700>> for Box<State> {
    fn from(flat: Flat<R700>) -> Self {
        flat.0
    }
}

impl<C: Into<Constants>, S: Into<Box<State>>> From<EarlierCase<C, S>> for Case {
    fn from(earlier: EarlierCase<C, S>) -> Self {
        Self {
            device: earlier.device,
            profile: earlier.profile,
            program_type: earlier.program_type,
            program: earlier.program,
            fetch_program: earlier.fetch_program,
            prefer_vector: earlier.prefer_vector,
            gpr_count: earlier.gpr_count,
            clause_temporaries: earlier.clause_temporaries,
            global_gprs: earlier.global_gprs,
            stack_size: earlier.stack_size,
            constants: earlier.constants.into(),
            alternate_constants: earlier.alternate_constants.into(),
            loop_constants: earlier.loop_constants,
            bool_constants: earlier.bool_constants,
            semantic_table: earlier.semantic_table,
            base_vertex: earlier.base_vertex,
            start_instance: earlier.start_instance,
            wavefront: earlier.wavefront,
            buffers: earlier.buffers,
            state: earlier.state.into(),
            step_limit: earlier.step_limit,
        }
    }
}

/// Reads a case of versions 1 to 3.
pub(super) fn case<'de, D: Deserializer<'de>>(
    version: u32,
    deserializer: D,
) -> Result<Case, D::Error> {
    if version < 3 {
        EarlierCase::<FirstConstants, Flat<R700>>::deserialize(deserializer).map(Case::from)
    } else {
        EarlierCase::<ThirdConstants, Flat<R700>>::deserialize(deserializer).map(Case::from)
    }
}

/// Reads a case of version 4.
pub(super) fn fourth_case<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Case, D::Error> {
    EarlierCase::<ThirdConstants, Box<State>>::deserialize(deserializer).map(Case::from)
}
