//! Runs fetch clauses: vertex fetches here, memory reads and the local data share in
//! [`memory`](super::memory), texture instructions in [`texture`](super::texture).

use parallax_isa::r700::{
    Case,
    case::{Constants, VertexBuffer},
    state::{GLOBAL_COUNT, GPR_COUNT, State},
};

use super::{
    decode::{Fetch, FormatFields, Multiplexer, RelativeMode, VertexFetch, VertexTarget},
    flow::whole_quads,
    format::Format,
    memory, texture,
};

/// The pixels of a mask, in ascending order.
pub(super) fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let pixel = (mask != 0).then_some(mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(pixel)
    })
}

/// Which registers a program has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Registers {
    pub(super) declared: u32,
    pub(super) first_temporary: u32,
    pub(super) global: u32,
}

/// Where a result goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Gpr(usize),
    Global(usize),
    Nowhere,
}

impl Registers {
    pub(super) fn of(case: &Case) -> Self {
        Self {
            declared: case.gpr_count.min(GPR_COUNT as u32),
            first_temporary: 128 - case.clause_temporaries.min(128),
            global: case.global_gprs.min(GLOBAL_COUNT as u32),
        }
    }

    fn address(number: u8, step: u32, relative: bool, state: &State) -> u32 {
        u32::from(number) + step + if relative { state.current_loop.index } else { 0 }
    }

    /// The register read; 0 where a relative address leaves the declared ones.
    pub(super) fn source(self, number: u8, step: u32, relative: bool, state: &State) -> usize {
        let address = Self::address(number, step, relative, state);
        let end = if relative { self.declared } else { GPR_COUNT as u32 };
        if address < end { address as usize } else { 0 }
    }

    /// The register written, if there is one (decision D-r700-addresses).
    pub(super) fn target(self, number: u8, step: u32, relative: bool, state: &State) -> Target {
        let address = Self::address(number, step, relative, state);
        let temporary = !relative && (self.first_temporary..GPR_COUNT as u32).contains(&address);
        if address < self.declared || temporary {
            Target::Gpr(address as usize)
        } else {
            Target::Nowhere
        }
    }

    /// The same for memory reads: a relative address outside goes to register 0 (section 4.6.3).
    pub(super) fn memory_target(
        self,
        number: u8,
        step: u32,
        relative: bool,
        state: &State,
    ) -> Target {
        match self.target(number, step, relative, state) {
            Target::Nowhere if relative => Target::Gpr(0),
            target => target,
        }
    }

    pub(super) fn global_target(self, number: u8, step: u32) -> Target {
        let address = u32::from(number) + step;
        if address < self.global { Target::Global(address as usize) } else { Target::Nowhere }
    }

    /// The source of a local data share access for one pixel.
    pub(super) fn local_source(
        self,
        number: u8,
        step: u32,
        mode: RelativeMode,
        pixel: usize,
        state: &State,
    ) -> [u32; 4] {
        let register = match mode {
            RelativeMode::Global => match self.global_target(number, step) {
                Target::Global(number) => &state.global[number],
                _ => return [0; 4],
            },
            mode => &state.gpr[self.source(number, step, mode == RelativeMode::Loop, state)],
        };
        [0, 1, 2, 3].map(|element: usize| register[element][pixel])
    }
}

/// Why an instruction of a clause cannot be run, if it cannot.
pub(super) fn problem(fetch: &Fetch, case: &Case) -> Option<String> {
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
        Fetch::Texture(fetch) => texture::undefined(fetch, case),
    }
}

fn unreadable(format: FormatFields) -> Option<String> {
    let code = format.data_format;
    Format::of(format).is_none().then(|| format!("DATA_FORMAT {code} cannot be fetched"))
}

/// Runs an instruction without a [`problem`].
pub(super) fn run(fetch: &Fetch, executing: u64, case: &Case, state: &mut State) {
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
            memory::local_write(write, executing, case.wavefront, registers, state);
        }
        Fetch::LocalRead(read) => memory::local_read(read, executing, registers, state),
        Fetch::Texture(fetch) => {
            texture::run(fetch, quads(fetch.whole_quad), case, registers, state);
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
