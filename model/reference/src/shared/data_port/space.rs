//! Which memory a message reaches: surfaces, or what starts at an address of the message itself.

use parallax_isa::{
    Device,
    shared::{Environment, Request, Unanswered, memory::GRAPHICS_BYTES},
};

use super::{
    Place,
    surface::{SurfaceState, Type},
    undefined,
};

/// What a binding table index stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Space {
    /// The stateless model: from an address on.
    Stateless { base: i128, bound: Option<i128> },
    /// A surface that is there.
    Surface(SurfaceState),
    /// A surface of type SURFTYPE_NULL.
    Null(SurfaceState),
}

/// Memory of which elements are counted in bytes from its start on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Buffer {
    Stateless { base: i128, bound: Option<i128> },
    Sized { base: i128, bytes: i128 },
    Null,
}

/// The index of the stateless model.
const STATELESS: u32 = 255;

/// A doubleword of the header.
pub(super) fn header(request: &Request, doubleword: usize) -> u32 {
    let bytes = &request.payload[0][4 * doubleword..][..4];
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

impl Space {
    pub(super) fn of(
        environment: &Environment,
        request: &Request,
        device: Device,
    ) -> Result<Self, Unanswered> {
        let index = request.function_control & 0xFF;
        if index == STATELESS {
            let base = i128::from(environment.general_state_base)
                + i128::from(header(request, 5) & !0x3FF);
            let bound = environment.general_state_bound;
            return Ok(Self::Stateless { base, bound: (bound != 0).then_some(bound.into()) });
        }
        let surface = SurfaceState::bound(environment, index as usize, device)?;
        match surface.kind() {
            Type::Null => Ok(Self::Null(surface)),
            _ => Ok(Self::Surface(surface)),
        }
    }

    /// The surface state that it has.
    pub(super) fn state(&self) -> Option<&SurfaceState> {
        match self {
            Self::Stateless { .. } => None,
            Self::Surface(surface) | Self::Null(surface) => Some(surface),
        }
    }

    /// The same for a message that only reaches buffers, in elements of 16 bytes, and needs a base that
    /// is a multiple of `alignment`.
    pub(super) fn buffer(self, alignment: i128) -> Result<Buffer, Unanswered> {
        match self {
            Self::Null(_) => Ok(Buffer::Null),
            Self::Stateless { base, bound } => {
                // Decision D-eu-data-port.
                if base % alignment != 0 {
                    return undefined("a general state base that is not aligned");
                }
                Ok(Buffer::Stateless { base, bound })
            }
            Self::Surface(surface) => {
                if surface.kind() != Type::Buffer {
                    return undefined("a buffer message to a surface that is no buffer");
                }
                if surface.tiling() != super::surface::Tiling::Linear {
                    return undefined("a buffer that is tiled");
                }
                if surface.base() % alignment != 0 {
                    return undefined("a buffer whose base address is not aligned");
                }
                Ok(Buffer::Sized { base: surface.base(), bytes: 16 * surface.entries() })
            }
        }
    }
}

impl Buffer {
    /// The place of a byte.
    pub(super) fn place(self, offset: i128) -> Result<Place, Unanswered> {
        match self {
            Self::Null => Ok(Place::Nowhere),
            Self::Sized { base, bytes } if offset < bytes => memory(base + offset),
            Self::Sized { .. } => Ok(Place::Nowhere),
            Self::Stateless { base, bound } => {
                if bound.is_some_and(|bound| base + offset >= bound) {
                    // Decision D-eu-data-port.
                    return Ok(Place::BeyondBound);
                }
                memory(base + offset)
            }
        }
    }
}

/// The byte at a graphics address, which has to be in the memory that the case has.
pub(in crate::shared) fn memory(address: i128) -> Result<Place, Unanswered> {
    let place = usize::try_from(address).ok().filter(|address| *address < GRAPHICS_BYTES);
    match place {
        Some(place) => Ok(Place::Memory(place)),
        None => undefined(format!("the case has no memory at graphics address {address:#x}")),
    }
}
