//! Which memory a message reaches: the four address models of the talk.

use parallax_isa::{
    device::Generation,
    shared::{
        Request, Unanswered,
        memory::{BINDING_TABLE, GLOBAL_BYTES, LOCAL_BYTES, Picture},
    },
};
use parallax_spec::{decision, rule};

use super::{DataCache, undefined};

/// Memory that offsets count in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Space {
    /// Its first byte, counted from the start of memory.
    start: usize,
    /// How many bytes it has.
    bytes: i128,
    /// What is added to offsets.
    base: i128,
}

impl Space {
    const GLOBAL: Self = Self { start: 0, bytes: GLOBAL_BYTES as i128, base: 0 };
    const LOCAL: Self = Self { start: GLOBAL_BYTES, bytes: LOCAL_BYTES as i128, base: 0 };

    /// The rows of a picture.
    pub(super) fn of(picture: Picture) -> Self {
        Self { start: picture.start, bytes: (picture.pitch * picture.height) as i128, base: 0 }
    }

    /// Where an element is in memory; `None` if not all of it is inside of the space.
    pub(super) fn place(self, offset: i128, bytes: usize) -> Option<usize> {
        let address = self.base + offset;
        let is_inside = address >= 0 && address + bytes as i128 <= self.bytes;
        is_inside.then(|| self.start + address as usize)
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
    pub(super) fn space(&self, request: &Request, is_wide: bool) -> Result<Space, Unanswered> {
        decision!("D-eu-memory");
        rule!("talk.sends.desc-bti");
        let index = request.function_control & 0xFF;
        let is_stateless = index == 255 || index == 253 && self.generation > Generation::Gen7;
        match index as usize {
            _ if is_wide && is_stateless => {
                rule!("talk.addr.a64");
                Ok(Space::GLOBAL)
            }
            _ if is_wide => undefined(format!("a 64-bit address in surface {index}")),
            _ if is_stateless => {
                rule!("talk.addr.a32");
                Ok(Space { base: stateless_base(request), ..Space::GLOBAL })
            }
            254 => {
                rule!("talk.addr.slm");
                Ok(Space::LOCAL)
            }
            index => {
                let Some(surface) = BINDING_TABLE.get(index) else {
                    return undefined(format!("the binding table has no entry {index}"));
                };
                rule!("talk.addr.bts");
                Ok(Space { start: surface.start, bytes: surface.bytes as i128, base: 0 })
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
