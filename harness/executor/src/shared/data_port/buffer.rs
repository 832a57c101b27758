//! Messages to buffers.

use parallax_isa::shared::{Request, Unanswered};

use super::{
    super::{
        refuse,
        surface_state::{Shape, Walk},
    },
    Way,
    message::Runs,
    surface::Target,
    words,
};

type Resolved = Result<(Runs, usize), Unanswered>;

/// A linear range of memory.
#[derive(Debug, Clone, Copy)]
pub(super) enum Linear {
    Void,
    /// From an address on; beyond `end`, counted from there, is nothing.
    Bytes {
        base: u64,
        end: u64,
    },
}

impl Linear {
    /// A target seen as 16 bytes an element, if its base is a multiple of `alignment`.
    pub(super) fn of(target: &Target, alignment: u64) -> Result<Self, Unanswered> {
        let (base, end) = match *target {
            Target::Void => return Ok(Self::Void),
            Target::Addresses { base, end } => (base, end.saturating_sub(base)),
            Target::Surface(surface) => {
                let state = &surface.state;
                if (state.shape, state.walk) != (Shape::Buffer, Walk::Linear) {
                    return refuse("something else than a linear buffer");
                }
                (state.base, state.entries << 4)
            }
        };
        if base & (alignment - 1) != 0 {
            return refuse("a buffer at an odd place");
        }
        Ok(Self::Bytes { base, end })
    }

    /// Adds an aligned run.
    pub(super) fn add(
        self,
        runs: &mut Runs,
        at: usize,
        bytes: usize,
        offset: u64,
    ) -> Result<(), Unanswered> {
        match self {
            Self::Bytes { base, end } if offset < end => runs.add(at, bytes, base + offset),
            _ => {
                runs.add_void(at, bytes);
                Ok(())
            }
        }
    }

    /// Adds an octword under the enables of its four doublewords.
    fn add_octword(
        self,
        runs: &mut Runs,
        way: Way,
        at: usize,
        offset: u64,
        enables: u16,
    ) -> Result<(), Unanswered> {
        match (way, enables & 0xF) {
            (_, 0) => Ok(()),
            (Way::Load, _) | (Way::Store, 0xF) => self.add(runs, at, 16, offset),
            (Way::Store, enables) => {
                for doubleword in (0..4).filter(|n| enables >> n & 1 == 1) {
                    self.add(runs, at + 4 * doubleword, 4, offset + 4 * doubleword as u64)?;
                }
                Ok(())
            }
        }
    }
}

/// Octwords one behind the other.
pub(super) fn octwords(
    request: &Request,
    target: &Target,
    header: &[u32; 8],
    way: Way,
    is_gen45: bool,
) -> Resolved {
    let linear = Linear::of(target, 16)?;
    let enables = request.channel_enables;
    let (count, start) = match request.function_control >> 8 & 7 {
        code @ (0 | 1) => (1, 16 * code as usize),
        code @ 2..=4 => (1 << (code - 1), 0),
        _ => return refuse("a block of no size"),
    };
    if count == 1 && !is_gen45 && enables & !(0xF << (start / 4)) != 0 {
        return refuse("one octword and more channels than it has");
    }
    let first = u64::from(header[2] & !15);
    let mut runs = Runs::new(((start + 16 * count) / 16).div_ceil(2));
    for octword in 0..count {
        let at = start + 16 * octword;
        // Registers use the two bytes of the mask by turns, octwords the halves of those.
        let own = enables >> (at / 16 % 4 * 4);
        linear.add_octword(&mut runs, way, at, first + 16 * octword as u64, own)?;
    }
    Ok((runs, 1))
}

/// Octwords from two places on, beside each other.
pub(super) fn pairs(request: &Request, target: &Target, header: &[u32; 8], way: Way) -> Resolved {
    let linear = Linear::of(target, 16)?;
    let Some(offsets) = request.payload.get(1).map(words) else {
        return refuse("no offsets");
    };
    let count = match request.function_control >> 8 & 3 {
        0 => 1,
        2 => 4,
        _ => return refuse("a dual block of no size"),
    };
    let mut runs = Runs::new(count);
    for half in 0..2 {
        let first = (u64::from(header[2]) + u64::from(offsets[4 * half])) & !15;
        let enables = request.channel_enables >> (4 * half);
        for row in 0..count {
            let (at, offset) = (32 * row + 16 * half, first + 16 * row as u64);
            linear.add_octword(&mut runs, way, at, offset, enables)?;
        }
    }
    Ok((runs, 2))
}

/// A doubleword for each channel.
pub(super) fn scattered(request: &Request, target: &Target, header: &[u32; 8]) -> Resolved {
    let linear = Linear::of(target, 4)?;
    let code = request.function_control >> 8 & 3;
    let registers = match code {
        2 | 3 => code as usize - 1,
        _ => return refuse("neither 8 nor 16 doublewords"),
    };
    let Some(offsets) = request.payload.get(1..=registers) else {
        return refuse("no offsets");
    };
    let mut runs = Runs::new(registers);
    for (group, offsets) in offsets.iter().map(words).enumerate() {
        let enables = request.channel_enables >> (8 * group);
        for (lane, offset) in offsets.into_iter().enumerate() {
            if enables >> lane & 1 == 1 {
                let offset = (u64::from(offset) + u64::from(header[2])) & !3;
                linear.add(&mut runs, 32 * group + 4 * lane, 4, offset)?;
            }
        }
    }
    Ok((runs, 1 + registers))
}

/// The doublewords of a vertex, which stand in the header itself.
pub(super) fn vertex(request: &Request, target: &Target, header: &[u32; 8]) -> Resolved {
    let mut runs = Runs::new(1);
    let surface = match target {
        Target::Void => return Ok((runs, 0)),
        Target::Addresses { .. } => return refuse("a vertex without a surface"),
        Target::Surface(surface) => surface,
    };
    let state = &surface.state;
    let is_linear_buffer = (state.shape, state.walk) == (Shape::Buffer, Walk::Linear);
    if !is_linear_buffer || surface.vertex == 0 || (state.base | state.pitch) & 3 != 0 {
        return refuse("a vertex to a surface that takes none");
    }
    let index = u64::from(header[5]);
    if index < state.entries {
        let first = state.base + index * state.pitch;
        for channel in (0..surface.vertex).filter(|n| request.channel_enables >> n & 1 == 1) {
            runs.add(4 * channel, 4, first + 4 * channel as u64)?;
        }
    }
    Ok((runs, 0))
}
