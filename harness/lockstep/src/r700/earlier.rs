//! Cases as traces of versions 1 to 3 hold them.

use parallax_isa::{
    Device,
    r700::{
        Case, Profile,
        case::{Buffers, Constants, LoopConstant, ProgramType, VertexBuffer},
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
struct EarlierConstants {
    file: Vec<[u32; 4]>,
    buffers: Vec<Vec<[u32; 4]>>,
    vertex_buffers: Vec<VertexBuffer>,
}

#[derive(Deserialize)]
struct EarlierCase<C> {
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
    state: Flat<R700>,
    step_limit: u64,
}

impl From<EarlierConstants> for Constants {
    fn from(earlier: EarlierConstants) -> Self {
        let EarlierConstants { file, buffers, vertex_buffers } = earlier;
        Self { file, buffers, vertex_buffers, textures: Vec::new() }
    }
}

impl<C: Into<Constants>> From<EarlierCase<C>> for Case {
    fn from(earlier: EarlierCase<C>) -> Self {
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
            state: earlier.state.0,
            step_limit: earlier.step_limit,
        }
    }
}

/// Reads a case of one of those versions.
pub(super) fn case<'de, D: Deserializer<'de>>(
    version: u32,
    deserializer: D,
) -> Result<Case, D::Error> {
    if version < 3 {
        EarlierCase::<EarlierConstants>::deserialize(deserializer).map(Case::from)
    } else {
        EarlierCase::<Constants>::deserialize(deserializer).map(Case::from)
    }
}
