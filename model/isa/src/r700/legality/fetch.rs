//! What one instruction of a fetch clause shows by itself (chapters 5 to 7).

use super::{Findings, Settings, breaks};
use crate::r700::{
    case::ProgramType,
    instruction::Fetch,
    microcode::{LocalWrite, MemoryRead, TextureFetch, VertexFetch},
    opcode::{CfOpcode, FetchOpcode},
    program::Program,
};

/// Data formats that only textures can have.
const TEXTURE_FORMATS: [u32; 18] =
    [3, 18, 20, 21, 23, 24, 44, 45, 46, 54, 55, 56, 57, 58, 59, 60, 61, 62];
/// Block-compressed, subsampled, one-bit and `*_AS_*` formats.
const BLOCK_FORMATS: [u32; 11] = [37, 38, 39, 40, 41, 42, 49, 50, 51, 52, 53];

/// The buffers that a program both can read and does write.
pub(super) struct Written {
    scratch: bool,
    reduction: bool,
    scatter: bool,
}

impl Written {
    pub(super) fn by(program: &Program) -> Self {
        let writes =
            |writer: CfOpcode| program.control_flow.values().any(|cf| cf.opcode() == Some(writer));
        Self {
            scratch: writes(CfOpcode::MemScratch),
            reduction: writes(CfOpcode::MemReduction),
            scatter: writes(CfOpcode::MemExport),
        }
    }
}

/// Instructions that chapters 5 and 6 allow in a clause.
const CLAUSE: usize = 8;

pub(super) fn check(
    start: u32,
    fetches: &[Fetch],
    written: &Written,
    settings: &Settings,
    findings: &mut Findings,
) {
    length(start, fetches, findings);
    for (address, fetch) in (start..).step_by(2).zip(fetches) {
        match *fetch {
            Fetch::Vertex(word) => {
                vertex(address, word, findings);
                temporaries(address, &[word.src_gpr(), word.dst_gpr()], settings, findings);
            }
            Fetch::Semantic(word) => {
                vertex(address, VertexFetch(word.0), findings);
                temporaries(address, &[word.src_gpr()], settings, findings);
            }
            Fetch::Texture(word) => {
                texture(address, word, settings, findings);
                temporaries(address, &[word.src_gpr(), word.dst_gpr()], settings, findings);
            }
            Fetch::MemoryRead(word) => {
                memory_read(address, word, written, findings);
                temporaries(address, &[word.src_gpr(), word.dst_gpr()], settings, findings);
            }
            Fetch::LocalWrite(word) => {
                local_write(address, word, findings);
                temporaries(address, &[word.src_gpr()], settings, findings);
            }
            Fetch::LocalRead(word) => {
                temporaries(address, &[word.src_gpr(), word.dst_gpr()], settings, findings);
            }
        }
    }
}

fn length(start: u32, fetches: &[Fetch], findings: &mut Findings) {
    let ninth = start + 2 * CLAUSE as u32;
    match fetches {
        [Fetch::Vertex(_) | Fetch::Semantic(_), ..] if fetches.len() > CLAUSE => breaks!(
            findings,
            ninth,
            ["r700.vtx.clause-max"],
            practice "r700-long-fetch-clauses",
            "the vertex clause has {} instructions: eight are allowed", fetches.len()
        ),
        [Fetch::Texture(_), ..] if fetches.len() > CLAUSE => breaks!(
            findings,
            ninth,
            ["r700.tex.clause-max"],
            practice "r700-long-fetch-clauses",
            "the texture clause has {} instructions: eight are allowed", fetches.len()
        ),
        _ => {}
    }
}

fn temporaries(address: u32, registers: &[u32], settings: &Settings, findings: &mut Findings) {
    for register in registers {
        if settings.is_temporary(*register) {
            breaks!(
                findings,
                address,
                ["r700.vtx.temps"],
                "R{register} is a clause temporary, which fetch instructions cannot use"
            );
        }
    }
}

fn data_format(address: u32, format: u32, findings: &mut Findings) {
    if TEXTURE_FORMATS.contains(&format) {
        breaks!(
            findings,
            address,
            ["r700.fmt.texture-only"],
            "DATA_FORMAT {format} is for textures only"
        );
    } else if BLOCK_FORMATS.contains(&format) {
        breaks!(
            findings,
            address,
            ["r700.fmt.texture-block"],
            "DATA_FORMAT {format} has no single elements and is for textures only"
        );
    }
}

fn vertex(address: u32, word: VertexFetch, findings: &mut Findings) {
    if word.use_const_fields() == 0 {
        data_format(address, word.data_format(), findings);
    }
}

fn texture(address: u32, word: TextureFetch, settings: &Settings, findings: &mut Findings) {
    let selects = [word.src_sel_x(), word.src_sel_y(), word.src_sel_z(), word.src_sel_w()];
    if let Some(element) = selects.iter().position(|select| *select > 5) {
        breaks!(
            findings,
            address,
            ["r700.tex.src-sel.range"],
            "SRC_SEL_{} is {}: a coordinate is an element or a constant, 0 to 5",
            ["X", "Y", "Z", "W"][element],
            selects[element]
        );
    }
    use FetchOpcode::{Sample, SampleC, SampleCLb, SampleLb};
    // The other forms are told their gradients (G), the level (L) or that it is zero (LZ).
    let computes_level = matches!(word.opcode(), Some(Sample | SampleLb | SampleC | SampleCLb));
    if computes_level && settings.is_other_than(&[ProgramType::Pixel]) {
        breaks!(
            findings,
            address,
            ["r700.tex.lod.hw-ps"],
            "TEX_INST {} computes its level of detail from neighbouring pixels, which only pixel shaders have; use a form with L or LZ",
            word.tex_inst()
        );
    }
}

fn memory_read(address: u32, word: MemoryRead, written: &Written, findings: &mut Findings) {
    uncached(address, word, written, findings);
    data_format(address, word.data_format(), findings);
    if word.opcode() == Some(FetchOpcode::MemRdReduc) && word.elem_size() != 3 {
        breaks!(
            findings,
            address,
            ["r700.mem.addr.reduction.elem"],
            "ELEM_SIZE of a reduction read must be 3 (four dwords)"
        );
    }
    if word.mem_req_size() != 0 {
        breaks!(findings, address, ["r700.mem.req-size"], "MEM_REQ_SIZE must be 0");
    }
    if word.mega_fetch() != 1 {
        breaks!(findings, address, ["r700.mem.mega"], "MEGA_FETCH must be 1 for memory reads");
    }
    if word.burst_cnt() != 0 {
        breaks!(
            findings,
            address,
            ["r700.mem.burst.devices"],
            "rv770 reads no bursts: BURST_CNT must be 0"
        );
    }
}

/// A buffer that the program writes must be read around the cache.
fn uncached(address: u32, word: MemoryRead, written: &Written, findings: &mut Findings) {
    let (written, buffer) = match word.opcode() {
        Some(FetchOpcode::MemRdScratch) => (written.scratch, "scratch buffer"),
        Some(FetchOpcode::MemRdReduc) => (written.reduction, "reduction buffer"),
        _ => (written.scatter, "scatter buffer"),
    };
    if written && word.uncached() == 0 {
        breaks!(
            findings,
            address,
            ["r700.mem.uncached.must"],
            "the program writes the {buffer}, so UNCACHED must be 1 where it reads it"
        );
    }
}

fn local_write(address: u32, word: LocalWrite, findings: &mut Findings) {
    let index = word.dst_index_ext() << 6 | word.dst_index();
    let stride = word.dst_stride_ext() << 7 | word.dst_stride();
    if !stride.is_multiple_of(4) || !(4..=64).contains(&stride) {
        breaks!(
            findings,
            address,
            ["r700.lds.write.stride-legal"],
            "DST_STRIDE is {stride}: it must be a multiple of 4 from 4 to 64"
        );
    }
    if !index.is_multiple_of(4) || index > 60 || index >= stride {
        breaks!(
            findings,
            address,
            ["r700.lds.write.index-legal", "r700.lds.write.align"],
            "DST_INDEX is {index}: it must be a multiple of 4 from 0 to 60 and below DST_STRIDE ({stride})"
        );
    }
}
