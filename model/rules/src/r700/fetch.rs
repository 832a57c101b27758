//! Conditions on instructions of fetch clauses. Each is written once.

use std::ops::Deref;

use parallax_isa::r700::{
    Cf, CfOpcode, Fetch,
    case::{Constants, VertexBuffer},
    microcode::{TextureFetch, VertexFetch},
};
use parallax_reference::r700::{FetchStep, Field, Interpretation, MemoryAccess};

/// An instruction of a fetch clause that was executed.
#[derive(Clone, Copy)]
pub(crate) struct Fetched<'a>(pub(crate) &'a FetchStep<'a>);

impl<'a> Deref for Fetched<'a> {
    type Target = FetchStep<'a>;

    fn deref(&self) -> &FetchStep<'a> {
        self.0
    }
}

/// An element that was read for a pixel, and how.
#[derive(Clone, Copy)]
pub(super) struct Access<'a> {
    pub(super) step: Fetched<'a>,
    access: &'a MemoryAccess,
}

impl Deref for Access<'_> {
    type Target = MemoryAccess;

    fn deref(&self) -> &MemoryAccess {
        self.access
    }
}

impl<'a> Fetched<'a> {
    /// The words of a vertex fetch; those of the other form have the same fields but for the destination.
    pub(super) fn vertex(self) -> Option<VertexFetch> {
        match self.0.fetch {
            Fetch::Vertex(word) => Some(word),
            Fetch::Semantic(word) => Some(VertexFetch(word.0)),
            _ => None,
        }
    }

    /// Whether it is a vertex fetch that meets a condition.
    pub(super) fn is_vertex(self, when: impl Fn(VertexFetch) -> bool) -> bool {
        self.vertex().is_some_and(when)
    }

    /// The words of a texture fetch.
    pub(super) fn texture(self) -> Option<TextureFetch> {
        match self.0.fetch {
            Fetch::Texture(word) => Some(word),
            _ => None,
        }
    }

    /// Whether its clause is one of texture fetches.
    pub(super) fn is_in_texture_clause(self) -> bool {
        Cf::Plain(self.0.word).opcode() == Some(CfOpcode::Tex)
    }

    /// Whether it is done for the quads of its pixels.
    fn whole_quad(self) -> bool {
        let bit = match self.0.fetch {
            Fetch::Vertex(word) => word.fetch_whole_quad(),
            Fetch::Semantic(word) => word.fetch_whole_quad(),
            Fetch::Texture(word) => word.fetch_whole_quad(),
            Fetch::MemoryRead(word) => word.fetch_whole_quad(),
            Fetch::LocalWrite(_) | Fetch::LocalRead(_) => 0,
        };
        bit == 1
    }

    /// Whether it is done for the quads of its pixels, and a pixel that is not valid is among them.
    pub(super) fn fetches_for_invalid(self) -> bool {
        self.whole_quad() && self.0.record.pixels & !self.0.after.valid != 0
    }

    /// Whether some pixels fail the test of the clause.
    pub(super) fn has_inactive(self) -> bool {
        self.0.executing != u64::MAX
    }

    /// The selects of its destination.
    pub(super) fn selects(self) -> [u32; 4] {
        match self.0.fetch {
            Fetch::Vertex(w) => [w.dst_sel_x(), w.dst_sel_y(), w.dst_sel_z(), w.dst_sel_w()],
            Fetch::Semantic(w) => [w.dst_sel_x(), w.dst_sel_y(), w.dst_sel_z(), w.dst_sel_w()],
            Fetch::Texture(w) => [w.dst_sel_x(), w.dst_sel_y(), w.dst_sel_z(), w.dst_sel_w()],
            Fetch::MemoryRead(w) => [w.dst_sel_x(), w.dst_sel_y(), w.dst_sel_z(), w.dst_sel_w()],
            Fetch::LocalWrite(_) | Fetch::LocalRead(_) => [0, 1, 2, 3],
        }
    }

    /// Whether they do not write each component to its own element.
    pub(super) fn rearranges(self) -> bool {
        self.selects() != [0, 1, 2, 3]
    }

    // Registers.

    /// The number of its source if that is relative.
    pub(super) fn relative_source(self) -> Option<u32> {
        let (number, relative) = match self.0.fetch {
            Fetch::Vertex(word) => (word.src_gpr(), word.src_rel()),
            Fetch::Semantic(word) => (word.src_gpr(), word.src_rel()),
            Fetch::Texture(word) => (word.src_gpr(), word.src_rel()),
            Fetch::MemoryRead(word) => (word.src_gpr(), word.src_rel() & word.indexed()),
            Fetch::LocalWrite(word) => (word.src_gpr(), u32::from(word.src_rel_mode() == 1)),
            Fetch::LocalRead(word) => (word.src_gpr(), u32::from(word.src_rel_mode() == 1)),
        };
        (relative == 1).then_some(number)
    }

    /// That of its last destination.
    pub(super) fn relative_destination(self) -> Option<u32> {
        let (number, relative) = match self.0.fetch {
            Fetch::Vertex(word) => (word.dst_gpr(), word.dst_rel()),
            Fetch::Texture(word) => (word.dst_gpr(), word.dst_rel()),
            Fetch::MemoryRead(word) => (word.dst_gpr() + word.burst_cnt(), word.dst_rel()),
            Fetch::LocalRead(word) => {
                (word.dst_gpr() + word.burst_cnt(), u32::from(word.dst_rel_mode() == 1))
            }
            Fetch::Semantic(_) | Fetch::LocalWrite(_) => (0, 0),
        };
        (relative == 1).then_some(number)
    }

    /// What relative addresses add.
    fn index(self) -> u32 {
        self.0.after.current_loop.index
    }

    /// Whether a relative address moves.
    pub(super) fn moves(self, number: Option<u32>) -> bool {
        number.is_some() && self.index() != 0
    }

    /// Whether a relative register is beyond the declared ones.
    pub(super) fn is_beyond(self, number: Option<u32>) -> bool {
        number.is_some_and(|number| number + self.index() >= self.0.case.gpr_count)
    }

    // What is read.

    /// The constants that are chosen.
    pub(super) fn constants(self, alternate: u32) -> &'a Constants {
        match alternate {
            1 => &self.0.case.alternate_constants,
            _ => &self.0.case.constants,
        }
    }

    /// The vertex buffer.
    pub(super) fn buffer(self) -> Option<&'a VertexBuffer> {
        let word = self.vertex()?;
        self.constants(word.alt_const()).vertex_buffers.get(word.buffer_id() as usize)
    }

    /// The elements that were read for pixels of which something is compared exactly.
    pub(super) fn accesses(self) -> impl Iterator<Item = Access<'a>> {
        let FetchStep { record, .. } = self.0;
        let decided = record.accesses.iter().filter(|access| record.exact >> access.pixel & 1 == 1);
        decided.map(move |access| Access { step: self, access })
    }

    /// Whether one of them meets a condition.
    pub(super) fn any_access(self, when: impl Fn(Access<'a>) -> bool) -> bool {
        self.accesses().any(when)
    }

    /// Whether the source of a pixel of which something is compared exactly meets a condition.
    pub(super) fn any_source(self, when: impl Fn([u32; 4]) -> bool) -> bool {
        let record = self.0.record;
        let mut sources = record.sources.iter().enumerate();
        sources.any(|(pixel, source)| record.exact >> pixel & 1 == 1 && when(*source))
    }

    /// Whether a component of the format reaches the destination.
    fn delivers(self, field: &Field) -> bool {
        let select = match self.0.fetch {
            Fetch::Texture(word) => {
                let textures = &self.constants(word.alt_const()).textures;
                textures.get(word.resource_id() as usize).map_or([0; 4], |texture| texture.select)
            }
            _ => [0, 1, 2, 3],
        };
        let chosen =
            |select_of: &u32| select.get(*select_of as usize) == Some(&(field.element as u32));
        self.selects().iter().any(chosen)
    }

    /// Whether a component of a kind is converted and is not zero.
    pub(super) fn converts(self, kind: impl Fn(Interpretation, &Field) -> bool) -> bool {
        self.converts_where(kind, |_, bits| bits != 0)
    }

    /// Whether a component of a kind is converted and its bits meet a condition.
    pub(super) fn converts_where(
        self,
        kind: impl Fn(Interpretation, &Field) -> bool,
        when: impl Fn(&Field, u32) -> bool,
    ) -> bool {
        let Some(format) = self.0.record.format else { return false };
        let mut fields =
            format.fields().filter(|field| kind(format, field) && self.delivers(field));
        fields.any(|field| {
            let holds = |bits: u128| when(field, field.of(bits));
            self.any_access(|access| access.bits.is_some_and(holds))
        })
    }
}

impl Access<'_> {
    /// The bytes of the element, if it was read by a format.
    fn bytes(self) -> Option<([u8; 16], usize)> {
        let format = self.step.record.format?;
        Some((self.bits?.to_le_bytes(), format.bytes()))
    }

    /// Whether its bytes in another order are another element.
    pub(super) fn differs_by_bytes(self) -> bool {
        self.bytes()
            .is_some_and(|(bytes, number)| bytes[..number].windows(2).any(|two| two[0] != two[1]))
    }

    /// Whether a byte of it with its bits in the opposite order is another one.
    pub(super) fn differs_by_bits(self) -> bool {
        self.bytes().is_some_and(|(bytes, _)| bytes.iter().any(|byte| *byte != byte.reverse_bits()))
    }

    /// Whether it is another element where the numbers of its bytes are exclusive-ored with a number.
    pub(super) fn differs_by_exchange(self, exchange: usize) -> bool {
        self.bytes().is_some_and(|(bytes, number)| {
            (0..number).any(|n| n ^ exchange < number && bytes[n] != bytes[n ^ exchange])
        })
    }
}
