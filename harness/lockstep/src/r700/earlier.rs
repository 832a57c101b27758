//! Cases as traces of versions 1 and 2 hold them: without textures.

use parallax_isa::{
    Device,
    r700::{
        Case, Profile, State,
        case::{Buffers, Constants, LoopConstant, ProgramType, VertexBuffer},
    },
};
use serde::Deserialize;

#[derive(Deserialize)]
struct EarlierConstants {
    file: Vec<[u32; 4]>,
    buffers: Vec<Vec<[u32; 4]>>,
    vertex_buffers: Vec<VertexBuffer>,
}

/// A case without textures.
#[derive(Deserialize)]
pub(super) struct EarlierCase {
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
    constants: EarlierConstants,
    alternate_constants: EarlierConstants,
    loop_constants: Vec<LoopConstant>,
    bool_constants: u32,
    semantic_table: Vec<u8>,
    base_vertex: u32,
    start_instance: u32,
    wavefront: u32,
    buffers: Buffers,
    state: Box<State>,
    step_limit: u64,
}

impl From<EarlierConstants> for Constants {
    fn from(earlier: EarlierConstants) -> Self {
        let EarlierConstants { file, buffers, vertex_buffers } = earlier;
        Self { file, buffers, vertex_buffers, textures: Vec::new() }
    }
}

impl From<EarlierCase> for Case {
    fn from(earlier: EarlierCase) -> Self {
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
            state: earlier.state,
            step_limit: earlier.step_limit,
        }
    }
}
