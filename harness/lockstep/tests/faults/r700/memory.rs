//! The faults of memory, fetches and the local data share.

use parallax_isa::r700::{
    Cf, CfOpcode, Fetch,
    microcode::{
        CfWord, ExportBuffer, Field, LocalRead, LocalWrite, MemoryRead, SemanticFetch,
        TextureFetch, VertexFetch,
    },
};

use super::{Fault, R700, case, disturb, fetch, flow};

/// Every fault of memory.
pub(super) const FAULTS: &[Fault<R700>] = &[
    // Vertex fetches.
    fetch("offset of a fetch ignored", |f| vertex(f, VertexFetch::OFFSET, |_| 0)),
    fetch("bytes of a fetch not exchanged", |f| vertex(f, VertexFetch::ENDIAN_SWAP, |_| 0)),
    fetch("signed components taken for unsigned", |f| {
        vertex(f, VertexFetch::FORMAT_COMP_ALL, |_| 0)
    }),
    fetch("mode of signed numbers ignored", |f| vertex(f, VertexFetch::SRF_MODE_ALL, |_| 0)),
    fetch("scaled numbers taken for integers", |f| {
        vertex(f, VertexFetch::NUM_FORMAT_ALL, |numbers| numbers.min(1))
    }),
    fetch("fields of the fetch constant not used", |f| {
        vertex(f, VertexFetch::USE_CONST_FIELDS, |_| 0)
    }),
    fetch("instances counted like vertices", |f| {
        vertex(f, VertexFetch::FETCH_TYPE, |kind| if kind == 1 { 0 } else { kind })
    }),
    fetch("stride of constant buffers not ignored", |f| {
        vertex(f, VertexFetch::CONST_BUF_NO_STRIDE, |_| 0)
    }),
    fetch("fetched element X written for Y", |f| {
        vertex(f, VertexFetch::DST_SEL_Y, |select| if select == 1 { 0 } else { select })
    }),
    fetch("aL not added to what a fetch writes", |f| match f {
        Fetch::Vertex(word) => set(&mut word.0, VertexFetch::DST_REL, |_| 0),
        _ => None,
    }),
    fetch("aL not added to what a fetch reads", |f| vertex(f, VertexFetch::SRC_REL, |_| 0)),
    fetch("fetches for whole quads leave pixels out", |f| {
        vertex(f, VertexFetch::FETCH_WHOLE_QUAD, |_| 0)
    }),
    fetch("alternate fetch constants not used", |f| vertex(f, VertexFetch::ALT_CONST, |_| 0)),
    fetch("semantic id off by four", |f| match f {
        Fetch::Semantic(word) => set(&mut word.0, SemanticFetch::SEMANTIC_ID, |id| id ^ 4),
        _ => None,
    }),
    case("first vertex ignored", |case| case.base_vertex = 0),
    case("instances counted in sixteen bits", |case| case.start_instance &= 0xFFFF),
    case("an element that only begins in its buffer read", |case| {
        for buffer in &mut case.constants.vertex_buffers {
            buffer.bytes.resize(buffer.bytes.len().next_multiple_of(4), 0);
        }
    }),
    case("wavefronts counted in six bits", |case| case.wavefront &= 63),
    case("semantic table in reverse order", |case| case.semantic_table.reverse()),
    fetch("a buffer's number without its uppermost bit", |f| {
        vertex(f, VertexFetch::BUFFER_ID, |id| id & 127)
    }),
    case("a register before the clause temporaries written", |case| case.clause_temporaries += 1),
    // Texture fetches.
    fetch("a texture's number without its uppermost bit", |f| {
        texture(f, TextureFetch::RESOURCE_ID, |id| id & 127)
    }),
    fetch("level of a load ignored", |f| texture(f, TextureFetch::SRC_SEL_W, |_| 4)),
    fetch("texel offset ignored", |f| texture(f, TextureFetch::OFFSET_X, |_| 0)),
    fetch("texel offset without a sign", |f| texture(f, TextureFetch::OFFSET_Y, |n| n & 15)),
    fetch("slice taken for row", |f| texture(f, TextureFetch::SRC_SEL_Z, |_| 1)),
    fetch("samples taken for sizes", |f| {
        texture(f, TextureFetch::TEX_INST, |code| if code == 5 { 4 } else { code })
    }),
    fetch("alternate textures not used", |f| texture(f, TextureFetch::ALT_CONST, |_| 0)),
    case("rows of textures without their pitch", |case| {
        for texture in &mut case.constants.textures {
            texture.pitch = texture.width;
        }
    }),
    case("selects of textures ignored", |case| {
        for texture in &mut case.constants.textures {
            texture.select = [0, 1, 2, 3];
        }
    }),
    // Memory.
    fetch("index of a memory read ignored", |f| match f {
        Fetch::MemoryRead(word) => set(&mut word.0, MemoryRead::INDEXED, |_| 0),
        _ => None,
    }),
    fetch("memory read without its last step", |f| match f {
        Fetch::MemoryRead(word) => {
            set(&mut word.0, MemoryRead::BURST_CNT, |count| count.saturating_sub(1))
        }
        _ => None,
    }),
    fetch("memory reads not clamped", |f| match f {
        Fetch::MemoryRead(word) => set(&mut word.0, MemoryRead::ARRAY_SIZE, |_| 0xFFF),
        _ => None,
    }),
    flow("index of a memory write ignored", |cf, _| write(cf, ExportBuffer::TYPE, |kind| kind & 2)),
    flow("a burst of more than fourteen steps ends there", |cf, _| {
        write(cf, ExportBuffer::BURST_COUNT, |steps| steps.min(13))
    }),
    flow("component mask of a memory write ignored", |cf, _| {
        write(cf, ExportBuffer::COMP_MASK, |_| 15)
    }),
    flow("memory write one element on", |cf, _| {
        write(cf, ExportBuffer::ARRAY_BASE, |base| base + 1)
    }),
    flow("memory writes not clamped", |cf, _| write(cf, ExportBuffer::ARRAY_SIZE, |_| 0xFFF)),
    flow("strip cut after every vertex", |cf, opcode| match cf {
        Cf::Plain(word) if opcode == CfOpcode::EmitVertex => {
            *word = word.with(CfWord::CF_INST, CfOpcode::EmitCutVertex.code());
            Some(())
        }
        _ => None,
    }),
    // Local data share.
    fetch("stride of local writes too wide", |f| match f {
        Fetch::LocalWrite(word) => set(&mut word.0, LocalWrite::DST_STRIDE, |stride| stride + 4),
        _ => None,
    }),
    fetch("threads counted in the wavefront, not in the group", |f| match f {
        Fetch::LocalWrite(word) => set(&mut word.0, LocalWrite::SIMD_WAVE_REL, |_| 0),
        _ => None,
    }),
    fetch("offset of local reads ignored", |f| local(f, LocalRead::RD_OFFSET, |_| 0)),
    fetch("local read of one dword reads four", |f| local(f, LocalRead::MUX_CNTL, |_| 0)),
    fetch("broadcast does not reach every pixel", |f| local(f, LocalRead::BROADCAST, |_| 0)),
    disturb("the last dword of the local data share not written", |_, before, after| {
        let last = after.local.len() - 1;
        after.local[last] = before.local[last];
    }),
    disturb("the last export slot of a parameter not marked", |_, before, after| {
        after.exported &= !(1 << 35) | before.exported;
    }),
    disturb("the last pixel does not cut its strip", |_, before, after| {
        after.cut[63] = before.cut[63];
    }),
    disturb("the last dword of memory not written", |_, before, after| {
        let last = after.memory.len() - 1;
        after.memory[last] = before.memory[last];
    }),
];

fn set<const N: usize>(
    dwords: &mut [u32; N],
    field: Field,
    value: impl Fn(u32) -> u32,
) -> Option<()> {
    let old = field.get(dwords);
    field.set(dwords, value(old));
    (field.get(dwords) != old).then_some(())
}

/// Changes a field that both forms of vertex fetches have at the same place.
fn vertex(fetch: &mut Fetch, field: Field, value: fn(u32) -> u32) -> Option<()> {
    match fetch {
        Fetch::Vertex(word) => set(&mut word.0, field, value),
        Fetch::Semantic(word) => set(&mut word.0, field, value),
        _ => None,
    }
}

fn texture(fetch: &mut Fetch, field: Field, value: fn(u32) -> u32) -> Option<()> {
    match fetch {
        Fetch::Texture(word) => set(&mut word.0, field, value),
        _ => None,
    }
}

fn local(fetch: &mut Fetch, field: Field, value: fn(u32) -> u32) -> Option<()> {
    match fetch {
        Fetch::LocalRead(word) => set(&mut word.0, field, value),
        _ => None,
    }
}

fn write(cf: &mut Cf, field: Field, value: fn(u32) -> u32) -> Option<()> {
    match cf {
        Cf::Memory(word) => set(&mut word.0, field, value),
        _ => None,
    }
}

/// Faults that no clause of fewer than nine fetches shows.
pub(super) const OF_LONG_CLAUSES: &[Fault<R700>] =
    &[flow("a fetch clause of more than eight cut to eight fewer", |cf, opcode| match cf {
        Cf::Plain(word) => {
            let is_fetching = [CfOpcode::Vtx, CfOpcode::VtxTc, CfOpcode::Tex].contains(&opcode);
            (is_fetching && word.count_3() == 1).then(|| *word = word.with(CfWord::COUNT_3, 0))
        }
        _ => None,
    })];
