//! Fetch clauses (chapters 5 to 8) and vertex fetches.

use std::mem::offset_of;

use parallax_isa::{
    Acceptance, Extent,
    r700::{
        Cf, CfOpcode, Fetch, State,
        case::VertexBuffer,
        decode::FetchClause,
        microcode::{CfWord, MemoryRead, SemanticFetch, VertexFetch},
        program::Clause,
    },
};
use parallax_spec::{decision, row, rule};

use super::{
    export::selected,
    format::{self, Interpretation},
    operand::{Index, Place},
    prepared::Prepared,
    texture::sum::Component,
    wavefront::{Executed, ROW, Wavefront, pixels, refuse},
};

/// Data that a fetch has read.
pub(super) struct Fetched {
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// Whether the manual leaves open what they are.
    pub(super) undefined: bool,
}

impl Wavefront {
    /// `TEX`, `VTX`, `VTX_TC`: runs the instructions of a clause for the passing pixels.
    pub(super) fn fetch_clause(&mut self, word: CfWord) -> Executed {
        let executing = self.test(word, self.state.pixels);
        rule!("r700.cf.count.fetch");
        let clause = self.program.clauses.get(&word.addr());
        let Some(Clause::Fetch(kind, fetches)) = clause else {
            return refuse(format!("no fetch clause starts at address {}", word.addr()));
        };
        let (kind, fetches) = (*kind, fetches.clone());
        if executing == 0 {
            return Ok(());
        }
        for (number, fetch) in fetches.iter().enumerate() {
            self.check_fetch(*fetch, &fetches[..number])?;
        }
        self.prepared = Prepared::NOTHING;
        match Cf::Plain(word).opcode() {
            Some(CfOpcode::Tex) => rule!("r700.cf.tex"),
            Some(CfOpcode::Vtx) => rule!("r700.cf.vtx"),
            _ => rule!("r700.cf.vtx-tc"),
        }
        if word.cf_const() | word.pop_count() | word.call_count() != 0 {
            rule!("r700.cf.unused-fields");
        }
        if executing != u64::MAX {
            rule!("r700.vtx.inactive");
        }
        if word.whole_quad_mode() == 1 {
            rule!("r700.tex.wqm");
        }
        if fetches.len() > 1 {
            rule!("r700.org.fetch-inst-size");
        }
        rule!("r700.vtx.no-pred");
        for fetch in fetches {
            self.start_fetch();
            self.fetch(kind, fetch, executing)?;
        }
        Ok(())
    }

    fn fetch(&mut self, kind: FetchClause, fetch: Fetch, executing: u64) -> Executed {
        let in_texture_clause = kind == FetchClause::Texture;
        match fetch {
            Fetch::Vertex(_) | Fetch::Semantic(_) if in_texture_clause => {
                rule!("r700.cf.clause.tex-for-vtx");
            }
            Fetch::Vertex(_) | Fetch::Semantic(_) => rule!("r700.vtx.init"),
            Fetch::MemoryRead(_) if in_texture_clause => {
                rule!("r700.mem.init");
                rule!("r700.tex.op.mem");
            }
            Fetch::MemoryRead(_) => rule!("r700.mem.init"),
            Fetch::LocalWrite(_) | Fetch::LocalRead(_) => {
                rule!("r700.lds.launch");
                rule!("r700.lds.formats");
                rule!("r700.lds.order");
            }
            Fetch::Texture(_) => rule!("r700.tex.init"),
        }
        match fetch {
            Fetch::Vertex(word) => self.vertex_fetch(word, executing),
            Fetch::Semantic(word) => self.semantic_fetch(word, executing),
            Fetch::MemoryRead(word) => self.memory_read_all(word, executing),
            Fetch::LocalWrite(word) => self.local_write(word, executing),
            Fetch::LocalRead(word) => self.local_read(word, executing),
            Fetch::Texture(word) => self.texture_fetch(word, executing),
        }
    }

    /// Refuses what is not modelled before anything is done.
    fn check_fetch(&self, fetch: Fetch, before: &[Fetch]) -> Executed {
        match fetch {
            Fetch::Texture(word) => self.check_texture_fetch(word, before),
            Fetch::Vertex(word) => self.description(word, word.buffer_id()).map(|_| ()),
            Fetch::Semantic(word) => {
                self.description(VertexFetch(word.0), word.buffer_id()).map(|_| ())
            }
            Fetch::MemoryRead(word) => match format::format(word.data_format()) {
                Some(_) if word.dst_gpr() + word.burst_cnt() < 128 => Ok(()),
                Some(_) => refuse("a burst goes past register 127"),
                None => refuse(format!("data format {} is not modelled", word.data_format())),
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
        let register = self.source_register(number, self.loop_index(relative));
        if relative {
            rule!("r700.vtx.src-rel");
            if register == Place::Own(0) {
                rule!("r700.vtx.oob.read");
            }
        }
        register
    }

    /// The register of a fetch's result.
    pub(super) fn fetch_destination(&self, number: u32, relative: bool) -> Place {
        let register = self.destination(number, self.loop_index(relative));
        if relative {
            rule!("r700.vtx.dst-rel");
            if register == Place::Nowhere {
                rule!("r700.vtx.oob.write");
            }
        }
        register
    }

    fn loop_index(&self, relative: bool) -> Index {
        if relative {
            rule!("r700.state.al.uses");
            Index::Local(i64::from(self.state.current_loop.index))
        } else {
            Index::None
        }
    }

    /// The vertex buffer of a fetch and how its data are to be read.
    fn description(
        &self,
        word: VertexFetch,
        buffer: u32,
    ) -> Executed<(&VertexBuffer, Interpretation)> {
        let constants = if word.alt_const() == 1 {
            rule!("r700.vtx.alt-const");
            &self.case.alternate_constants
        } else {
            &self.case.constants
        };
        rule!("r700.vtx.buffer-id");
        let Some(buffer) = constants.vertex_buffers.get(buffer as usize) else {
            return refuse(format!("vertex buffer {buffer} is not provided"));
        };
        let codes = if word.use_const_fields() == 1 {
            rule!("r700.vtx.const-fields");
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
        if whole_quad {
            rule!("r700.vtx.fwq");
            let quads = (0..16).filter(|quad| executing >> (4 * quad) & 0xF != 0);
            (quads.fold(0, |mask, quad| mask | 0xF << (4 * quad)), 0)
        } else {
            (executing, executing & !self.state.valid)
        }
    }

    /// `FETCH`: an element of a vertex buffer into a register.
    fn vertex_fetch(&mut self, word: VertexFetch, executing: u64) -> Executed {
        rule!("r700.vtx.fetch");
        rule!("r700.vtx.semantic-or-gpr");
        let destination = self.fetch_destination(word.dst_gpr(), word.dst_rel() == 1);
        self.fetch_into(word, destination, executing)
    }

    /// `SEMANTIC`: an element of a vertex buffer into the register that the semantic table names.
    fn semantic_fetch(&mut self, word: SemanticFetch, executing: u64) -> Executed {
        rule!("r700.vtx.semantic");
        rule!("r700.vtx.semantic-or-gpr");
        rule!("r700.vtx.semantic.id-width");
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
            rule!("r700.vtx.fetch-type");
            let first = match word.fetch_type() {
                0 => self.case.base_vertex,
                1 => self.case.start_instance,
                _ => 0,
            };
            let stride = if word.const_buf_no_stride() == 1 {
                rule!("r700.vtx.no-stride");
                0
            } else {
                u64::from(buffer.stride)
            };
            for pixel in pixels(mask) {
                rule!("r700.vtx.index.unsigned");
                let index = self.read_register(source, word.src_sel_x() as usize, pixel);
                if self.reads_open(source, word.src_sel_x() as usize, pixel) {
                    open |= 1 << pixel;
                }
                let element = u64::from(index) + u64::from(first);
                rule!("r700.vtx.offset");
                let address = u128::from(stride) * u128::from(element) + u128::from(word.offset());
                decision!("D-r700-fetch");
                let inside = address + interpretation.bytes() as u128 <= buffer.bytes.len() as u128;
                let exchange = interpretation.exchange();
                let components = if inside {
                    let first = address as usize;
                    let byte = |n: usize| buffer.bytes.get((first + n) ^ exchange).copied();
                    interpretation.components(|n| byte(n).unwrap_or(0))
                } else {
                    [0; 4]
                };
                results.push((pixel, components));
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
        rule!("r700.mem.data-format");
        rule!("r700.mem.like-vtx");
        rule!("r700.mem.dst-sel");
        rule!("r700.memr.list");
        let program_type = self.case.program_type as usize;
        row!("r700.memr.program-types", 3 * program_type + (word.mem_op() as usize).min(2));
        if word.indexed() == 1 && word.src_rel() == 1 {
            rule!("r700.mem.src-rel");
        }
        if word.dst_rel() == 1 {
            rule!("r700.mem.dst-rel");
        }
        let selects = [word.dst_sel_x(), word.dst_sel_y(), word.dst_sel_z(), word.dst_sel_w()];
        let (mask, open) = self.fetched_pixels(executing, word.fetch_whole_quad() == 1);
        for step in 0..=word.burst_cnt() {
            if step > 0 {
                rule!("r700.mem.burst.effect");
                self.start_fetch();
            }
            let index = self.loop_index(word.dst_rel() == 1);
            let destination = match self.destination(word.dst_gpr() + step, index) {
                Place::Nowhere if word.dst_rel() == 1 => {
                    rule!("r700.mem.dst-oob");
                    rule!("r700.memr.oob");
                    Place::Own(0)
                }
                place => place,
            };
            let mut results = Vec::new();
            for pixel in pixels(mask) {
                let fetched = self.memory_read(word, step, pixel);
                let exchange = interpretation.exchange();
                let byte = |n: usize| fetched.bytes.get(n ^ exchange).copied().unwrap_or(0);
                let open = fetched.undefined || open >> pixel & 1 == 1;
                results.push((pixel, interpretation.components(byte), open));
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
            rule!("r700.vtx.dst-sel");
            if let Some(constant) = selected(select, [0; 4]) {
                rule!("r700.vtx.dst-sel.int-one");
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
        self.exact |= acceptance.is_none_or(Acceptance::is_exact);
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
