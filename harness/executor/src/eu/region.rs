//! Where the elements of an operand are: regions become byte offsets (G45 volume 4, sections 11.4.1
//! and 11.4.2).

use parallax_isa::eu::{
    register::{ArfKind, REGISTER_BYTES, RegisterFile},
    state::{GRF_COUNT, MRF_COUNT},
};

use super::{
    arf, fetch, immediate,
    instruction::{Destination, Layout, Origin, Source},
    lanes::Kind,
    native::{Operand, Target},
    write,
};

/// The kind of architecture register an operand names directly.
pub(super) fn architecture(file: RegisterFile, origin: Origin) -> Option<(ArfKind, u8)> {
    match (file, origin) {
        (RegisterFile::Arf, Origin::Direct { number, .. }) => {
            // Numbers without a register are dropped like null.
            let kind = arf::kind(number).unwrap_or(ArfKind::Null);
            Some((kind, number))
        }
        _ => None,
    }
}

/// Resolves a destination; says where its elements go.
pub(super) fn target(destination: &Destination) -> (Target, write::Place) {
    let Destination { file, data_type, origin, stride, .. } = *destination;
    let step = usize::from(stride) * data_type.size();
    let from = |start: usize| std::array::from_fn(|channel| (start + channel * step) as u16);
    let indirect = matches!(origin, Origin::Indirect { .. });
    let bounded = match file {
        RegisterFile::Grf => Some((indirect, (GRF_COUNT * REGISTER_BYTES) as u16)),
        RegisterFile::Mrf => Some((indirect, (MRF_COUNT * REGISTER_BYTES) as u16)),
        RegisterFile::Arf => None,
    };
    let mut target = Target { offsets: [0; 16], index: 0, file, number: 0, bounded };
    let place = match (file, origin) {
        (_, Origin::Indirect { subregister, offset }) => {
            target.index = subregister;
            target.offsets = from(0).map(|byte| byte.wrapping_add_signed(offset));
            write::Place::Indirect
        }
        (RegisterFile::Arf, Origin::Direct { number, subregister }) => {
            target.number = number;
            target.offsets = from(usize::from(subregister));
            match arf::kind(number) {
                Some(ArfKind::Null | ArfKind::Accumulator) | None => write::Place::Nowhere,
                Some(_) => write::Place::Architecture,
            }
        }
        (_, Origin::Direct { number, subregister }) => {
            target.offsets = from(origin_byte(number, subregister));
            match file {
                RegisterFile::Mrf => write::Place::Message,
                _ => write::Place::General,
            }
        }
    };
    (target, place)
}

fn origin_byte(number: u8, subregister: u8) -> usize {
    usize::from(number) * REGISTER_BYTES + usize::from(subregister)
}

/// Resolves a source into an operand; says where its elements are.
pub(super) fn resolve(
    source: &Source,
    kind: Kind,
    exact: bool,
    operand: &mut Operand,
) -> fetch::Place {
    let region = match source {
        Source::Immediate { data_type, bits } => {
            operand.constant = immediate::lanes(*data_type, *bits, kind, exact);
            return fetch::Place::Immediate;
        }
        Source::Register(region) => region,
    };
    operand.absolute = region.absolute;
    operand.negate = region.negate;
    let elements = elements(region.layout);
    let size = region.data_type.size();
    match region.origin {
        Origin::Indirect { subregister, offset } => {
            let (rows, width) = match region.layout {
                Layout::Rows { vertical: None, width, .. } => (true, usize::from(width)),
                _ => (false, 1),
            };
            operand.offsets =
                elements.map(|element| ((element * size) as u16).wrapping_add_signed(offset));
            operand.index = std::array::from_fn(|channel| {
                subregister + if rows { channel / width } else { 0 } as u8
            });
            fetch::Place::Indirect
        }
        Origin::Direct { number, subregister } => {
            let file = architecture(region.file, region.origin);
            let start = match file {
                Some(_) => usize::from(subregister),
                None => origin_byte(number, subregister),
            };
            operand.offsets = elements.map(|element| (start + element * size) as u16);
            operand.number = number;
            match (region.file, file) {
                (_, Some((ArfKind::Null, _))) | (RegisterFile::Mrf, _) => fetch::Place::Nowhere,
                (_, Some((kind, _))) => fetch::Place::Architecture(kind),
                _ => fetch::Place::General,
            }
        }
    }
}

/// The element each channel reads, counted from the origin (or from its row's address).
fn elements(layout: Layout) -> [usize; 16] {
    std::array::from_fn(|channel| match layout {
        Layout::Rows { vertical, width, horizontal } => {
            // Widths are powers of two.
            let (row, column) =
                (channel >> width.trailing_zeros(), channel & (usize::from(width) - 1));
            row * usize::from(vertical.unwrap_or(0)) + column * usize::from(horizontal)
        }
        Layout::Swizzle { vertical, select } => {
            channel / 4 * usize::from(vertical) + usize::from(select[channel % 4])
        }
    })
}

impl Operand {
    /// A source that an operation does not have, of an instruction at a byte offset.
    pub(super) fn absent(offset: u32) -> Self {
        Self {
            offsets: [0; 16],
            index: [0; 16],
            absolute: false,
            negate: false,
            number: 0,
            ip: offset,
            constant: [0; 16],
            fields_from: None,
        }
    }

    /// Makes the first lanes the dwords of a plane equation, at bytes from the group's start.
    pub(super) fn plane(&mut self, bytes: &[u16]) {
        let group = self.offsets[0] / 16 * 16;
        for (offset, byte) in self.offsets.iter_mut().zip(bytes) {
            *offset = group + byte;
        }
    }

    /// Makes each channel read the field at its destination's place.
    pub(super) fn fields(&mut self, destination: &Destination) {
        let size = destination.data_type.size();
        let start = match destination.origin {
            Origin::Direct { subregister, .. } => usize::from(subregister),
            Origin::Indirect { subregister, offset } => {
                self.fields_from = Some((subregister, offset.cast_unsigned()));
                0
            }
        };
        self.constant = [(REGISTER_BYTES - size) as u64; 16];
        for (channel, index) in self.index.iter_mut().enumerate() {
            *index = (start / size + channel * usize::from(destination.stride)) as u8;
        }
    }
}
