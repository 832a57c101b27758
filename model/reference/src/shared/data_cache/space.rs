//! Which memory a message reaches: the four address models of the talk.

use parallax_isa::{
    device::Generation,
    shared::{
        Request, Unanswered,
        launch::{Map, Outside, Reach, Watch},
        memory::{Picture, Surface},
    },
};

use super::{super::record::CacheSpace, DataCache, form::Element, undefined};

/// Memory that offsets count in.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Space<'m> {
    kind: Kind<'m>,
    /// What is added to offsets.
    base: i128,
    /// Who takes note of what is not there.
    watch: Watch<'m>,
}

/// What offsets count from.
#[derive(Debug, Clone, Copy, Default)]
enum Kind<'m> {
    /// No memory at all.
    #[default]
    Nothing,
    /// Address 0, from which on some runs of bytes are there.
    Addresses(&'m [Surface]),
    /// The first byte of a surface, with its index in the binding table.
    Surface(Surface, usize),
    /// The first byte of shared local memory, of whose addresses only the low 16 bits count.
    Local(Surface),
}

impl<'m> Space<'m> {
    /// All that has an address, with what is added to that.
    fn addresses(reach: &Reach<'m>, base: i128) -> Self {
        Self { kind: Kind::Addresses(&reach.map.ranges), base, watch: reach.watch() }
    }

    /// So many bytes of shared local memory.
    fn local(map: &Map, bytes: usize) -> Self {
        let kind = Kind::Local(Surface { start: map.local, bytes });
        Self { kind, ..Self::default() }
    }

    /// The rows of a picture.
    pub(super) fn of(picture: Picture) -> Self {
        let rows = Surface { start: picture.start, bytes: picture.pitch * picture.height };
        Self { kind: Kind::Surface(rows, 0), ..Self::default() }
    }

    /// What is added to offsets.
    pub(super) const fn base(self) -> i128 {
        self.base
    }

    /// What it is to observers.
    pub(super) const fn observed(self) -> CacheSpace {
        match self.kind {
            Kind::Nothing => CacheSpace::Nothing,
            Kind::Addresses(_) => CacheSpace::Addresses,
            Kind::Surface(..) => CacheSpace::Surface,
            Kind::Local(_) => CacheSpace::Local,
        }
    }

    /// Where an element is in memory; `None` if not all of it is inside of the space.
    pub(super) fn place(self, offset: i128, bytes: usize) -> Option<usize> {
        let address = self.base + offset;
        let within = |run: &Surface, address: i128| {
            address >= 0 && address + bytes as i128 <= run.bytes as i128
        };
        match self.kind {
            Kind::Nothing => None,
            Kind::Addresses(runs) => {
                let holds = |run: &&Surface| within(run, address - run.start as i128);
                runs.iter().find(holds).map(|_| address as usize)
            }
            Kind::Surface(run, _) => within(&run, address).then(|| run.start + address as usize),
            Kind::Local(run) => {
                let address = address & 0xFFFF;
                within(&run, address).then(|| run.start + address as usize)
            }
        }
    }

    /// The same where it is about to be read or written: if it is not there, that is noted.
    pub(super) fn reached(self, offset: i128, bytes: usize) -> Option<usize> {
        let place = self.place(offset, bytes);
        if place.is_none() {
            let surface = match self.kind {
                Kind::Surface(_, index) => Some(index),
                _ => None,
            };
            self.watch.note(Outside { surface, address: self.base + offset, bytes });
        }
        place
    }

    /// Refuses elements beyond the shared local memory of the case.
    pub(super) fn check(self, elements: &[Element]) -> Result<(), Unanswered> {
        let Kind::Local(Surface { bytes: of_case, .. }) = self.kind else { return Ok(()) };
        // Decision D-eu-local-memory.
        let is_beyond = |element: &&Element| self.place(element.offset, element.bytes).is_none();
        match elements.iter().find(is_beyond) {
            None => Ok(()),
            Some(Element { offset, bytes, .. }) => undefined(format!(
                "{bytes} bytes at {:#x} of shared local memory, of which the case has {} bytes",
                offset & 0xFFFF,
                of_case
            )),
        }
    }
}

/// A doubleword of a message's header; 0 without one.
pub(super) fn header(request: &Request, doubleword: usize) -> u32 {
    if !request.has_header {
        return 0;
    }
    let bytes = &request.payload[0][4 * doubleword..][..4];
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// The base of stateless messages: bits 31:10 of doubleword 5 of the header. The general state base
/// address is 0.
fn stateless_base(request: &Request) -> i128 {
    i128::from(header(request, 5) & !0x3FF)
}

impl DataCache {
    /// The memory behind a binding table index (bits 7:0).
    pub(super) fn space<'m>(
        &self,
        request: &Request,
        is_wide: bool,
        reach: &Reach<'m>,
        local_bytes: usize,
    ) -> Result<Space<'m>, Unanswered> {
        // Decision D-eu-memory.
        let index = request.function_control & 0xFF;
        let is_stateless = index == 255 || index == 253 && self.generation > Generation::Gen7;
        match index as usize {
            _ if is_wide && is_stateless => Ok(Space::addresses(reach, 0)),
            _ if is_wide => undefined(format!("a 64-bit address in surface {index}")),
            _ if is_stateless => Ok(Space::addresses(reach, stateless_base(request))),
            254 => Ok(Space::local(reach.map, local_bytes)),
            index => {
                let Some(Some(surface)) = reach.map.surfaces.get(index) else {
                    return undefined(format!("the binding table has no entry {index}"));
                };
                let kind = Kind::Surface(*surface, index);
                Ok(Space { kind, base: 0, watch: reach.watch() })
            }
        }
    }

    /// The memory of scratch blocks, which are stateless.
    pub(super) fn scratch_space<'m>(
        &self,
        request: &Request,
        reach: &Reach<'m>,
    ) -> Result<Space<'m>, Unanswered> {
        if !request.has_header {
            return undefined("a scratch block without a header");
        }
        Ok(Space::addresses(reach, stateless_base(request)))
    }
}
