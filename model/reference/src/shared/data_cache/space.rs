//! Which memory a message reaches: the four address models of the talk.

use parallax_isa::{
    device::Generation,
    shared::{
        Request, Unanswered,
        memory::{BINDING_TABLE, GLOBAL_BYTES, Picture},
    },
};

use super::{DataCache, form::Element, undefined};

/// Memory that offsets count in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Space {
    /// Its first byte, counted from the start of memory.
    start: usize,
    /// How many bytes it has.
    bytes: i128,
    /// What is added to offsets.
    base: i128,
    /// It is shared local memory, of whose addresses only the low 16 bits count.
    is_local: bool,
}

impl Space {
    const GLOBAL: Self = Self { start: 0, bytes: GLOBAL_BYTES as i128, base: 0, is_local: false };

    /// So many bytes of shared local memory.
    fn local(bytes: usize) -> Self {
        Self { start: GLOBAL_BYTES, bytes: bytes as i128, base: 0, is_local: true }
    }

    /// The rows of a picture.
    pub(super) fn of(picture: Picture) -> Self {
        let bytes = (picture.pitch * picture.height) as i128;
        Self { start: picture.start, bytes, ..Self::GLOBAL }
    }

    /// Where an element is in memory; `None` if not all of it is inside of the space.
    pub(super) fn place(self, offset: i128, bytes: usize) -> Option<usize> {
        let address = self.base + offset;
        let address = if self.is_local { address & 0xFFFF } else { address };
        let is_inside = address >= 0 && address + bytes as i128 <= self.bytes;
        is_inside.then(|| self.start + address as usize)
    }

    /// Refuses elements beyond the shared local memory of the case.
    pub(super) fn check(self, elements: &[Element]) -> Result<(), Unanswered> {
        if !self.is_local {
            return Ok(());
        }
        // Decision D-eu-local-memory.
        let is_beyond = |element: &&Element| self.place(element.offset, element.bytes).is_none();
        match elements.iter().find(is_beyond) {
            None => Ok(()),
            Some(Element { offset, bytes, .. }) => undefined(format!(
                "{bytes} bytes at {:#x} of shared local memory, of which the case has {} bytes",
                offset & 0xFFFF,
                self.bytes
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
    pub(super) fn space(
        &self,
        request: &Request,
        is_wide: bool,
        local_bytes: usize,
    ) -> Result<Space, Unanswered> {
        // Decision D-eu-memory.
        let index = request.function_control & 0xFF;
        let is_stateless = index == 255 || index == 253 && self.generation > Generation::Gen7;
        match index as usize {
            _ if is_wide && is_stateless => Ok(Space::GLOBAL),
            _ if is_wide => undefined(format!("a 64-bit address in surface {index}")),
            _ if is_stateless => Ok(Space { base: stateless_base(request), ..Space::GLOBAL }),
            254 => Ok(Space::local(local_bytes)),
            index => {
                let Some(surface) = BINDING_TABLE.get(index) else {
                    return undefined(format!("the binding table has no entry {index}"));
                };
                let bytes = surface.bytes as i128;
                Ok(Space { start: surface.start, bytes, ..Space::GLOBAL })
            }
        }
    }

    /// The memory of scratch blocks, which are stateless.
    pub(super) fn scratch_space(&self, request: &Request) -> Result<Space, Unanswered> {
        if !request.has_header {
            return undefined("a scratch block without a header");
        }
        Ok(Space { base: stateless_base(request), ..Space::GLOBAL })
    }
}
