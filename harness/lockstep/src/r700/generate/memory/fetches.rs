//! Instructions of fetch clauses.

use parallax_isa::r700::{
    Fetch,
    microcode::{LocalRead, LocalWrite, MemoryRead, SemanticFetch, TextureFetch, VertexFetch},
    opcode::{
        FetchOpcode::{
            LocalDsRead, LocalDsWrite, MemRdReduc, MemRdScatter, MemRdScratch, Semantic,
        },
        VTX_INST_MEM,
    },
};

use super::{DECLARED, INDICES, MOST_TEMPORARIES, resources::FORMATS};
use crate::choices::Choices;

/// First register behind the indices.
const BEHIND: usize = INDICES.end;

/// Registers that no case declares: the last one is before the clause temporaries, where there are most.
const UNDECLARED: [u32; 3] = [DECLARED as u32, 64, 127 - MOST_TEMPORARIES];

/// Selects of a destination.
pub(super) fn selects(choices: &mut Choices) -> [u32; 4] {
    [0; 4].map(|_: u32| *choices.pick(&[0, 1, 2, 3, 0, 1, 4, 5, 7]))
}

pub(super) fn register(choices: &mut Choices) -> u32 {
    choices.below(DECLARED) as u32
}

/// A register that is written, seldom one that is not there.
pub(super) fn target(choices: &mut Choices) -> u32 {
    match choices.below(16) {
        0 => *choices.pick(&UNDECLARED),
        _ => register(choices),
    }
}

pub(super) fn bit(choices: &mut Choices) -> u32 {
    choices.below(2) as u32
}

/// 1 once in so many times.
pub(super) fn once_in(choices: &mut Choices, times: usize) -> u32 {
    u32::from(choices.below(times) + 1 == times)
}

/// Steps of a burst beside the first one, mostly none.
fn burst(choices: &mut Choices) -> u32 {
    *choices.pick(&[0, 0, 0, 0, 1, 2])
}

/// A vertex fetch of one of the two forms.
pub(super) fn vertex(choices: &mut Choices) -> Fetch {
    let [x, y, z, w] = selects(choices);
    let word = VertexFetch::default()
        .with(VertexFetch::FETCH_TYPE, choices.below(3) as u32)
        .with(VertexFetch::FETCH_WHOLE_QUAD, bit(choices))
        .with(VertexFetch::BUFFER_ID, bit(choices))
        .with(VertexFetch::SRC_GPR, register(choices))
        .with(VertexFetch::SRC_REL, bit(choices))
        .with(VertexFetch::SRC_SEL_X, bit(choices))
        .with(VertexFetch::MEGA_FETCH_COUNT, choices.below(64) as u32)
        .with(VertexFetch::DST_GPR, target(choices))
        .with(VertexFetch::DST_REL, bit(choices))
        .with(VertexFetch::DST_SEL_X, x)
        .with(VertexFetch::DST_SEL_Y, y)
        .with(VertexFetch::DST_SEL_Z, z)
        .with(VertexFetch::DST_SEL_W, w)
        .with(VertexFetch::USE_CONST_FIELDS, once_in(choices, 4))
        .with(VertexFetch::DATA_FORMAT, *choices.pick(&FORMATS))
        .with(VertexFetch::NUM_FORMAT_ALL, choices.below(3) as u32)
        .with(VertexFetch::FORMAT_COMP_ALL, bit(choices))
        .with(VertexFetch::SRF_MODE_ALL, bit(choices))
        .with(VertexFetch::OFFSET, *choices.pick(&[0, 4, 8, 12, 3, 600]))
        .with(VertexFetch::ENDIAN_SWAP, choices.below(3) as u32)
        .with(VertexFetch::CONST_BUF_NO_STRIDE, once_in(choices, 5))
        .with(VertexFetch::MEGA_FETCH, bit(choices))
        .with(VertexFetch::ALT_CONST, once_in(choices, 4));
    if !choices.sometimes(64) {
        return Fetch::Vertex(word);
    }
    // The id takes the place of the destination.
    let word = word.with(VertexFetch::DST_GPR, 0).with(VertexFetch::DST_REL, 0);
    let id = *choices.pick(&[3, 7, 9, 200]);
    let word = SemanticFetch(word.0).with(SemanticFetch::VTX_INST, Semantic.code());
    Fetch::Semantic(word.with(SemanticFetch::SEMANTIC_ID, id))
}

/// A read of scratch, reduction or scatter memory.
pub(super) fn memory_read(choices: &mut Choices) -> Fetch {
    let operation = *choices.pick(&[MemRdScratch, MemRdReduc, MemRdScatter]);
    let element_size = match operation {
        MemRdReduc => 3,
        _ => *choices.pick(&[3, 0, 1]),
    };
    let format = match element_size {
        0 => *choices.pick(&[13, 14, 26, 25, 16]),
        1 => *choices.pick(&[29, 30, 31, 32]),
        _ => *choices.pick(&[34, 35, 35, 47]),
    };
    let [x, y, z, w] = selects(choices);
    Fetch::MemoryRead(
        MemoryRead::default()
            .with(MemoryRead::VTX_INST, VTX_INST_MEM)
            .with(MemoryRead::ELEM_SIZE, element_size)
            .with(MemoryRead::MEM_OP, operation.code())
            .with(MemoryRead::FETCH_WHOLE_QUAD, once_in(choices, 4))
            .with(MemoryRead::UNCACHED, 1)
            .with(MemoryRead::INDEXED, bit(choices))
            .with(MemoryRead::SRC_GPR, register(choices))
            .with(MemoryRead::SRC_REL, bit(choices))
            .with(MemoryRead::SRC_SEL_X, bit(choices))
            .with(MemoryRead::BURST_CNT, burst(choices))
            .with(MemoryRead::DST_GPR, target(choices))
            .with(MemoryRead::DST_REL, bit(choices))
            .with(MemoryRead::DST_SEL_X, x)
            .with(MemoryRead::DST_SEL_Y, y)
            .with(MemoryRead::DST_SEL_Z, z)
            .with(MemoryRead::DST_SEL_W, w)
            .with(MemoryRead::DATA_FORMAT, format)
            .with(MemoryRead::NUM_FORMAT_ALL, choices.below(3) as u32)
            .with(MemoryRead::FORMAT_COMP_ALL, bit(choices))
            .with(MemoryRead::SRF_MODE_ALL, bit(choices))
            .with(
                MemoryRead::ARRAY_BASE,
                choices.below(if operation == MemRdScatter { 100 } else { 4 }) as u32,
            )
            .with(MemoryRead::ENDIAN_SWAP, choices.below(3) as u32)
            .with(MemoryRead::MEGA_FETCH, 1)
            .with(MemoryRead::ARRAY_SIZE, choices.below(6) as u32),
    )
}

/// The same fetch with its index in a register that its clause does not write.
pub(super) fn unchained(choices: &mut Choices, fetch: Fetch) -> Fetch {
    let source = (INDICES.start + choices.below(INDICES.len())) as u32;
    let other = (BEHIND + choices.below(DECLARED - BEHIND)) as u32;
    let destination = |register: u32| if register < DECLARED as u32 { other } else { register };
    match fetch {
        Fetch::Vertex(word) => Fetch::Vertex(
            word.with(VertexFetch::SRC_GPR, source)
                .with(VertexFetch::SRC_REL, 0)
                .with(VertexFetch::DST_GPR, destination(word.dst_gpr())),
        ),
        Fetch::Semantic(word) => Fetch::Semantic(
            word.with(SemanticFetch::SRC_GPR, source).with(SemanticFetch::SRC_REL, 0),
        ),
        Fetch::MemoryRead(word) => Fetch::MemoryRead(
            word.with(MemoryRead::SRC_GPR, source)
                .with(MemoryRead::SRC_REL, 0)
                .with(MemoryRead::DST_GPR, destination(word.dst_gpr())),
        ),
        Fetch::Texture(word) => Fetch::Texture(
            word.with(TextureFetch::SRC_GPR, source)
                .with(TextureFetch::SRC_REL, 0)
                .with(TextureFetch::DST_GPR, destination(word.dst_gpr())),
        ),
        other => other,
    }
}

/// A write of every thread's own part of the local data share.
pub(super) fn local_write(choices: &mut Choices) -> Fetch {
    let [x, y, z, w] = [0; 4].map(|_: u32| *choices.pick(&[0, 1, 2, 3, 4, 5, 7]));
    let parts = 1 + choices.below(16);
    let stride = 4 * parts as u32;
    let index = 4 * choices.below(parts.min(16)) as u32;
    // What has no room in the field is in its extension.
    Fetch::LocalWrite(
        LocalWrite::default()
            .with(LocalWrite::VTX_INST, VTX_INST_MEM)
            .with(LocalWrite::MEM_OP, LocalDsWrite.code())
            .with(LocalWrite::SRC_GPR, register(choices))
            .with(LocalWrite::SRC_REL_MODE, choices.below(3) as u32)
            .with(LocalWrite::SRC_SEL_X, x)
            .with(LocalWrite::SRC_SEL_Y, y)
            .with(LocalWrite::SRC_SEL_Z, z)
            .with(LocalWrite::SRC_SEL_W, w)
            .with(LocalWrite::DST_INDEX, index & 63)
            .with(LocalWrite::DST_INDEX_EXT, index >> 6)
            .with(LocalWrite::DST_STRIDE, stride & 127)
            .with(LocalWrite::DST_STRIDE_EXT, stride >> 7)
            .with(LocalWrite::SIMD_WAVE_REL, bit(choices))
            .with(LocalWrite::BURST_CNT, burst(choices)),
    )
}

/// A read of anybody's part.
pub(super) fn local_read(choices: &mut Choices) -> Fetch {
    Fetch::LocalRead(
        LocalRead::default()
            .with(LocalRead::VTX_INST, VTX_INST_MEM)
            .with(LocalRead::MEM_OP, LocalDsRead.code())
            .with(LocalRead::SRC_GPR, register(choices))
            .with(LocalRead::SRC_REL_MODE, choices.below(3) as u32)
            .with(LocalRead::SRC_SEL_X, *choices.pick(&[0, 1, 4]))
            .with(LocalRead::SRC_SEL_Y, *choices.pick(&[0, 1, 4]))
            .with(LocalRead::RD_OFFSET, choices.below(64) as u32)
            .with(LocalRead::DST_GPR, target(choices))
            .with(LocalRead::DST_REL_MODE, choices.below(3) as u32)
            .with(LocalRead::DST_WR_X, bit(choices))
            .with(LocalRead::DST_WR_Y, bit(choices))
            .with(LocalRead::DST_WR_Z, bit(choices))
            .with(LocalRead::DST_WR_W, bit(choices))
            .with(LocalRead::BROADCAST, once_in(choices, 4))
            .with(LocalRead::WATERFALL, 1 - once_in(choices, 4))
            .with(LocalRead::MUX_CNTL, *choices.pick(&[0, 0, 2]))
            .with(LocalRead::BURST_CNT, burst(choices)),
    )
}
