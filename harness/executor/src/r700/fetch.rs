//! Fetch clauses (chapters 5 to 8) and vertex fetches.

use parallax_isa::r700::{
    Case,
    case::{Constants, VertexBuffer},
    state::State,
};

use super::{
    decode::{Fetch, FormatFields, Multiplexer, VertexFetch, VertexTarget},
    format::Format,
    local,
    masks::{ones, whole_quads},
    memory,
    prepared::Prepared,
    registers::{Registers, Target},
    texture,
};

/// A fetch clause as a whole; it is skipped if no pixel executes it.
pub(super) fn run_clause(
    fetches: &[Fetch],
    executing: u64,
    case: &Case,
    state: &mut State,
) -> Result<(), String> {
    if executing == 0 {
        return Ok(());
    }
    let mut numbered = fetches.iter().enumerate();
    if let Some(problem) = numbered.find_map(|(at, fetch)| problem(fetch, &fetches[..at], case)) {
        return Err(problem);
    }
    let mut prepared = Prepared::new();
    for fetch in fetches {
        run(fetch, executing, case, &mut prepared, state);
    }
    Ok(())
}

/// Why an instruction of a clause cannot be run, if it cannot.
fn problem(fetch: &Fetch, earlier: &[Fetch], case: &Case) -> Option<String> {
    match fetch {
        Fetch::Vertex(fetch) => {
            let Some(buffer) = vertex_buffer(fetch, case) else {
                return Some(format!("the case has no vertex buffer {}", fetch.buffer));
            };
            unreadable(vertex_format(fetch, buffer))
        }
        Fetch::Memory(read) => unreadable(read.format),
        Fetch::LocalRead(read) if read.multiplexer == Multiplexer::Butterfly => {
            Some("the permutation of DSR_MUX_FFT_PERMUTE is not published".to_owned())
        }
        Fetch::LocalRead(_) | Fetch::LocalWrite(_) => None,
        Fetch::Texture(fetch) => texture::undefined(fetch, earlier, case),
    }
}

fn unreadable(format: FormatFields) -> Option<String> {
    let code = format.data_format;
    Format::of(format).is_none().then(|| format!("DATA_FORMAT {code} cannot be fetched"))
}

/// Runs an instruction without a [`problem`].
fn run(fetch: &Fetch, executing: u64, case: &Case, prepared: &mut Prepared, state: &mut State) {
    let registers = Registers::of(case);
    // The pixels of a quad that has one to fetch for, valid or not (section 6.3).
    let quads = |whole_quad| if whole_quad { whole_quads(executing) } else { executing };
    match fetch {
        Fetch::Vertex(fetch) => {
            vertex(fetch, quads(fetch.whole_quad), case, registers, state);
        }
        Fetch::Memory(read) => {
            if let Some(format) = Format::of(read.format) {
                let executing = quads(read.whole_quad);
                memory::read(read, &format, executing, &case.buffers, registers, state);
            }
        }
        Fetch::LocalWrite(write) => {
            local::write(write, executing, case.wavefront, registers, state);
        }
        Fetch::LocalRead(read) => local::read(read, executing, registers, state),
        Fetch::Texture(fetch) => {
            let executing = quads(fetch.whole_quad);
            texture::run(fetch, executing, case, registers, prepared, state);
        }
    }
}

fn constants(alternate: bool, case: &Case) -> &Constants {
    if alternate { &case.alternate_constants } else { &case.constants }
}

fn vertex_buffer<'a>(fetch: &VertexFetch, case: &'a Case) -> Option<&'a VertexBuffer> {
    constants(fetch.alternate, case).vertex_buffers.get(usize::from(fetch.buffer))
}

fn vertex_format(fetch: &VertexFetch, buffer: &VertexBuffer) -> FormatFields {
    fetch.format.unwrap_or(FormatFields {
        data_format: buffer.data_format,
        num_format: buffer.num_format,
        signed: buffer.format_comp == 1,
        no_zero: buffer.srf_mode == 1,
        endian_swap: buffer.endian_swap,
    })
}

/// FETCH and SEMANTIC (chapter 5; erratum E-r700-program-50).
fn vertex(
    fetch: &VertexFetch,
    executing: u64,
    case: &Case,
    registers: Registers,
    state: &mut State,
) {
    let Some(buffer) = vertex_buffer(fetch, case) else { return };
    let Some(format) = Format::of(vertex_format(fetch, buffer)) else { return };
    let target = match fetch.target {
        VertexTarget::Gpr { number, relative } => registers.target(number, 0, relative, state),
        // Entry i belongs to register i + 1; an id that is not there writes nothing.
        VertexTarget::Semantic(id) => {
            let entry = case.semantic_table.iter().position(|&known| known == id);
            let number = entry.and_then(|entry| u8::try_from(entry + 1).ok());
            number.map_or(Target::Nowhere, |number| registers.target(number, 0, false, state))
        }
    };
    let source = registers.source(fetch.source, 0, fetch.source_relative, state);
    let indices = state.gpr[source][usize::from(fetch.source_element)];
    let index_offset = match fetch.fetch_type {
        0 => case.base_vertex,
        1 => case.start_instance,
        _ => 0,
    };
    let stride = if fetch.no_stride { 0 } else { u64::from(buffer.stride) };
    let byte = |at: u64| {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        buffer.bytes.get(at).copied().unwrap_or(0)
    };
    for pixel in ones(executing) {
        let index = u64::from(indices[pixel]) + u64::from(index_offset);
        // Far outside of any buffer is as good as farther.
        let address = stride.saturating_mul(index).min(1 << 62) + u64::from(fetch.offset);
        // An element that is not wholly in the buffer is zero (decision D-r700-fetch).
        let inside = address + format.bytes() as u64 <= buffer.bytes.len() as u64;
        let values = if inside { format.read(address, byte) } else { [0; 4] };
        target.put(pixel, values, fetch.select, state);
    }
}
