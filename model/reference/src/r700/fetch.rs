//! Fetch clauses (chapters 5 to 8) and vertex fetches.

use std::mem::offset_of;

use parallax_isa::{
    Acceptance, Extent,
    r700::{
        Fetch, State,
        case::VertexBuffer,
        microcode::{CfWord, MemoryRead, SemanticFetch, VertexFetch},
        program::Clause,
    },
};

use super::{
    export::selected,
    format::{self, Interpretation},
    operand::{Index, Place},
    prepared::Prepared,
    record::{FetchRecord, FetchStep, MemoryAccess, Observed},
    texture::sum::Component,
    wavefront::{Executed, ROW, Wavefront, pixels, refuse},
};

/// Data that a fetch has read.
pub(super) struct Fetched {
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// The index that was given.
    pub(super) index: u32,
    /// Address of the first dword in its buffer.
    pub(super) address: i64,
    /// Whether the manual leaves open what they are.
    pub(super) undefined: bool,
}

impl Wavefront {
    /// `TEX`, `VTX`, `VTX_TC`: runs the instructions of a clause for the passing pixels.
    pub(super) fn fetch_clause(&mut self, word: CfWord) -> Executed {
        let executing = self.test(word, self.state.pixels);
        let clause = self.program.clauses.get(&word.addr());
        let Some(Clause::Fetch(_, fetches)) = clause else {
            return refuse(format!("no fetch clause starts at address {}", word.addr()));
        };
        let fetches = fetches.clone();
        if executing == 0 {
            return Ok(());
        }
        for (number, fetch) in fetches.iter().enumerate() {
            self.check_fetch(*fetch, &fetches[..number])?;
        }
        self.prepared = Prepared::NOTHING;
        for (number, fetch) in fetches.iter().enumerate() {
            self.start_fetch();
            self.note(FetchRecord::begin);
            self.fetch(*fetch, executing)?;
            self.observe_fetch(word, &fetches[..=number], executing);
        }
        Ok(())
    }

    fn fetch(&mut self, fetch: Fetch, executing: u64) -> Executed {
        match fetch {
            Fetch::Vertex(word) => self.vertex_fetch(word, executing),
            Fetch::Semantic(word) => self.semantic_fetch(word, executing),
            Fetch::MemoryRead(word) => self.memory_read_all(word, executing),
            Fetch::LocalWrite(word) => self.local_write(word, executing),
            Fetch::LocalRead(word) => self.local_read(word, executing),
            Fetch::Texture(word) => self.texture_fetch(word, executing),
        }
    }

    /// Lends the record of the last of some instructions of a clause to the observer.
    fn observe_fetch(&self, word: CfWord, fetches: &[Fetch], executing: u64) {
        let Some((observer, record)) = self.fetch_record() else { return };
        let Some((&fetch, previous)) = fetches.split_last() else { return };
        let Some(opcode) = fetch.opcode() else { return };
        let (case, after, record) = (&self.case, &*self.state, &*record);
        observer(&Observed::Fetch(FetchStep {
            case,
            word,
            previous,
            fetch,
            opcode,
            executing,
            record,
            after,
        }));
    }

    /// Refuses what is not modelled before anything is done.
    fn check_fetch(&self, fetch: Fetch, before: &[Fetch]) -> Executed {
        match fetch {
            Fetch::Texture(word) => self.check_texture_fetch(word, before),
            Fetch::Vertex(word) => self.description(word, word.buffer_id()).map(|_| ()),
            Fetch::Semantic(word) => {
                self.description(VertexFetch(word.0), word.buffer_id()).map(|_| ())
            }
            Fetch::MemoryRead(word) => match format::is_modelled(word.data_format()) {
                true if word.dst_gpr() + word.burst_cnt() < 128 => Ok(()),
                true => refuse("a burst goes past register 127"),
                false => refuse(format!("data format {} is not modelled", word.data_format())),
            },
            Fetch::LocalWrite(word) if word.src_gpr() + word.burst_cnt() > 127 => {
                refuse("a burst goes past register 127")
            }
            Fetch::LocalRead(word) if word.dst_gpr() + word.burst_cnt() > 127 => {
                refuse("a burst goes past register 127")
            }
            Fetch::LocalRead(word) if word.mux_cntl() == 1 => {
                refuse("the manual does not give the permutation of DSR_MUX_FFT_PERMUTE")
            }
            _ => Ok(()),
        }
    }

    /// The register of a fetch's source address.
    pub(super) fn fetch_source(&self, number: u32, relative: bool) -> Place {
        self.source_register(number, self.loop_index(relative))
    }

    /// The register of a fetch's result.
    pub(super) fn fetch_destination(&self, number: u32, relative: bool) -> Place {
        self.destination(number, self.loop_index(relative))
    }

    fn loop_index(&self, relative: bool) -> Index {
        if relative { Index::Local(i64::from(self.state.current_loop.index)) } else { Index::None }
    }

    /// The vertex buffer of a fetch and how its data are to be read.
    fn description(
        &self,
        word: VertexFetch,
        buffer: u32,
    ) -> Executed<(&VertexBuffer, Interpretation)> {
        let constants = if word.alt_const() == 1 {
            &self.case.alternate_constants
        } else {
            &self.case.constants
        };
        let Some(buffer) = constants.vertex_buffers.get(buffer as usize) else {
            return refuse(format!("vertex buffer {buffer} is not provided"));
        };
        let codes = if word.use_const_fields() == 1 {
            [
                buffer.data_format,
                buffer.num_format,
                buffer.format_comp,
                buffer.srf_mode,
                buffer.endian_swap,
            ]
        } else {
            [
                word.data_format(),
                word.num_format_all(),
                word.format_comp_all(),
                word.srf_mode_all(),
                word.endian_swap(),
            ]
        };
        let Some(interpretation) = Interpretation::of(codes) else {
            return refuse(format!(
                "data format {} (numbers {}) is not modelled",
                codes[0], codes[1]
            ));
        };
        Ok((buffer, interpretation))
    }

    /// The pixels a fetch is done for, and those of them whose result is open.
    pub(super) fn fetched_pixels(&self, executing: u64, whole_quad: bool) -> (u64, u64) {
        let (mask, open) = if whole_quad {
            let quads = (0..16).filter(|quad| executing >> (4 * quad) & 0xF != 0);
            (quads.fold(0, |mask, quad| mask | 0xF << (4 * quad)), 0)
        } else {
            (executing, executing & !self.state.valid)
        };
        self.note(|record| record.pixels = mask);
        (mask, open)
    }

    /// Notes what an instruction has read or written for a pixel.
    pub(super) fn accessed(&self, pixel: usize, index: u32, address: i128, bits: Option<u128>) {
        self.note(|record| record.accesses.push(MemoryAccess { pixel, index, address, bits }));
    }

    /// `FETCH`: an element of a vertex buffer into a register.
    fn vertex_fetch(&mut self, word: VertexFetch, executing: u64) -> Executed {
        let destination = self.fetch_destination(word.dst_gpr(), word.dst_rel() == 1);
        self.fetch_into(word, destination, executing)
    }

    /// `SEMANTIC`: an element of a vertex buffer into the register that the semantic table names.
    fn semantic_fetch(&mut self, word: SemanticFetch, executing: u64) -> Executed {
        let mut table = self.case.semantic_table.iter();
        let found = table.position(|id| u32::from(*id) == word.semantic_id());
        let destination = match found {
            Some(number) => self.destination(number as u32 + 1, Index::None),
            None => Place::Nowhere,
        };
        self.fetch_into(VertexFetch(word.0), destination, executing)
    }

    fn fetch_into(&mut self, word: VertexFetch, destination: Place, executing: u64) -> Executed {
        let (mask, mut open) = self.fetched_pixels(executing, word.fetch_whole_quad() == 1);
        let source = self.fetch_source(word.src_gpr(), word.src_rel() == 1);
        let mut results = Vec::new();
        let any_nan;
        {
            let (buffer, interpretation) = self.description(word, word.buffer_id())?;
            let first = match word.fetch_type() {
                0 => self.case.base_vertex,
                1 => self.case.start_instance,
                _ => 0,
            };
            let stride = if word.const_buf_no_stride() == 1 { 0 } else { u64::from(buffer.stride) };
            self.note(|record| record.format = Some(interpretation));
            for pixel in pixels(mask) {
                let index = self.read_register(source, word.src_sel_x() as usize, pixel);
                if self.reads_open(source, word.src_sel_x() as usize, pixel) {
                    open |= 1 << pixel;
                }
                let element = u64::from(index) + u64::from(first);
                let address = u128::from(stride) * u128::from(element) + u128::from(word.offset());
                // Decision D-r700-fetch.
                let inside = address + interpretation.bytes() as u128 <= buffer.bytes.len() as u128;
                let exchange = interpretation.exchange();
                let bits = inside.then(|| {
                    let first = address as usize;
                    let byte = |n: usize| buffer.bytes.get((first + n) ^ exchange).copied();
                    interpretation.element(|n| byte(n).unwrap_or(0))
                });
                self.accessed(pixel, index, address as i128, bits);
                results.push((pixel, interpretation.components(bits)));
            }
            any_nan = interpretation.widens_floats();
        }
        let selects = [word.dst_sel_x(), word.dst_sel_y(), word.dst_sel_z(), word.dst_sel_w()];
        for (pixel, components) in results {
            let open = open >> pixel & 1 == 1;
            self.write_selected(destination, selects, components, pixel, (open, any_nan));
        }
        Ok(())
    }

    /// Memory reads of all burst steps.
    fn memory_read_all(&mut self, word: MemoryRead, executing: u64) -> Executed {
        let codes = [
            word.data_format(),
            word.num_format_all(),
            word.format_comp_all(),
            word.srf_mode_all(),
            word.endian_swap(),
        ];
        let Some(interpretation) = Interpretation::of(codes) else {
            return refuse(format!("data format {} is not modelled", codes[0]));
        };
        self.note(|record| record.format = Some(interpretation));
        let selects = [word.dst_sel_x(), word.dst_sel_y(), word.dst_sel_z(), word.dst_sel_w()];
        let (mask, open) = self.fetched_pixels(executing, word.fetch_whole_quad() == 1);
        for step in 0..=word.burst_cnt() {
            if step > 0 {
                self.start_fetch();
            }
            let index = self.loop_index(word.dst_rel() == 1);
            let destination = match self.destination(word.dst_gpr() + step, index) {
                Place::Nowhere if word.dst_rel() == 1 => Place::Own(0),
                place => place,
            };
            let mut results = Vec::new();
            for pixel in pixels(mask) {
                let fetched = self.memory_read(word, step, pixel);
                let exchange = interpretation.exchange();
                let byte = |n: usize| fetched.bytes.get(n ^ exchange).copied().unwrap_or(0);
                let open = fetched.undefined || open >> pixel & 1 == 1;
                let bits = interpretation.element(byte);
                self.accessed(pixel, fetched.index, fetched.address.into(), Some(bits));
                results.push((pixel, interpretation.components(Some(bits)), open));
            }
            let any_nan = interpretation.widens_floats();
            for (pixel, components, open) in results {
                self.write_selected(destination, selects, components, pixel, (open, any_nan));
            }
        }
        Ok(())
    }

    /// Writes components through destination selects. They may be open, or any NaN where they are
    /// one.
    pub(super) fn write_selected(
        &mut self,
        place: Place,
        selects: [u32; 4],
        components: [u32; 4],
        pixel: usize,
        (open, any_nan): (bool, bool),
    ) {
        let component =
            if any_nan { Component::of_arithmetic } else { Component::exactly as fn(u32) -> _ };
        self.write_components(place, selects, components.map(component), (pixel, open));
    }

    /// Writes components, each with what is accepted for it, through destination selects. All that a
    /// pixel gets may be open.
    pub(super) fn write_components(
        &mut self,
        place: Place,
        selects: [u32; 4],
        components: [Component; 4],
        (pixel, open): (usize, bool),
    ) {
        self.start_fetched_pixel();
        for (element, select) in selects.into_iter().enumerate() {
            if let Some(constant) = selected(select, [0; 4]) {
                let component = components.get(select as usize);
                let component = component.copied().unwrap_or(Component::exactly(constant));
                let Component { bits, accepted } = component;
                let accepted = if open { Some(Acceptance::Undefined) } else { accepted };
                self.write_register(place, element, pixel, bits, accepted);
            }
        }
    }

    /// Writes an element of a register.
    pub(super) fn write_register(
        &mut self,
        place: Place,
        element: usize,
        pixel: usize,
        bits: u32,
        acceptance: Option<Acceptance>,
    ) {
        let Some(extent) = register_extent(place, element, pixel) else { return };
        match place {
            Place::Nowhere => return,
            Place::Own(number) => {
                self.state.gpr[number][element][pixel] = bits;
                self.wrote(offset_of!(State, gpr) + (number * 4 + element) * ROW);
            }
            Place::Global(number) => self.state.global[number][element][pixel] = bits,
        }
        if acceptance.is_none_or(Acceptance::is_exact) {
            self.exact = true;
            self.note(|record| record.exact |= 1 << pixel);
        }
        match acceptance {
            Some(acceptance) => self.expect(extent, acceptance),
            None => self.forget(extent),
        }
    }

    /// Whether an earlier fetch of the clause, or of the burst, left open what an element of a register
    /// is: then what is found with it is open too.
    pub(super) fn reads_open(&self, place: Place, element: usize, pixel: usize) -> bool {
        register_extent(place, element, pixel).is_some_and(|extent| self.is_left_open(extent))
    }
}

/// Where an element of a register is for a pixel; `None` of a register that is not there.
fn register_extent(place: Place, element: usize, pixel: usize) -> Option<Extent> {
    let (array, number) = match place {
        Place::Nowhere => return None,
        Place::Own(number) => (offset_of!(State, gpr), number),
        Place::Global(number) => (offset_of!(State, global), number),
    };
    Some(Extent::whole(array + ((number * 4 + element) * 64 + pixel) * 4, 4))
}
