//! Faults of compressed blocks: fields misread, modes mistaken, halves exchanged.

use parallax_isa::surface::{Operation, State};

use super::{Fault, Surface, disturb, rewrite};

/// Changes the bytes of blocks of formats whose name has a word.
fn bytes(name: &str, word: &str, operation: &mut Operation, change: impl Fn(&mut [u8])) {
    if let (true, Operation::Decode { bytes, .. }) = (name.contains(word), operation)
        && matches!(bytes.len(), 8 | 16)
    {
        change(bytes);
    }
}

/// Changes 16-byte blocks as one number.
fn bits(name: &str, word: &str, operation: &mut Operation, change: impl Fn(u128) -> u128) {
    bytes(name, word, operation, |bytes| {
        if let Ok(block) = <[u8; 16]>::try_from(&*bytes) {
            bytes.copy_from_slice(&change(u128::from_le_bytes(block)).to_le_bytes());
        }
    });
}

/// The number of a BC7 block's mode.
const fn bc7_mode(block: u128) -> u32 {
    block.trailing_zeros()
}

/// Takes blocks of one format for those of another: encodings on DG1.
fn taken_for(operation: &mut Operation, one: u16, other: u16) {
    if let Operation::Decode { format, .. } = operation
        && *format == one
    {
        *format = other;
    }
}

/// Changes each channel of decoded texels of formats whose name has a word.
fn numbers(
    name: &str,
    word: &str,
    operation: &Operation,
    state: &mut State,
    change: fn(f32) -> f32,
) {
    if name.contains(word) && matches!(operation, Operation::Decode { .. }) {
        for bits in state.texels.iter_mut().flatten() {
            *bits = change(f32::from_bits(*bits as u32)).to_bits().into();
        }
    }
}

/// Faults that show on DG1.
pub(super) const DG1: &[Fault<Surface>] = &[
    rewrite("BC7 not there", |name, operation| {
        if let (true, Operation::Decode { bytes, .. }) = (name.starts_with("BC7"), operation) {
            bytes.clear();
        }
    }),
    rewrite("BC1 endpoints exchanged", |name, operation| {
        bytes(name, "BC1", operation, |bytes| bytes[..4].rotate_left(2));
    }),
    rewrite("BC1 transparent colour opaque", |_, operation| taken_for(operation, 0x186, 0x191)),
    disturb("BC1 interpolated in 8 bits", |name, operation, state| {
        numbers(name, "BC1_UNORM", operation, state, |n| (n * 255.0).round() / 255.0);
    }),
    rewrite("BC2 alpha read high half first", |name, operation| {
        bytes(name, "BC2", operation, |bytes| {
            bytes[..8].iter_mut().for_each(|byte| *byte = byte.rotate_left(4));
        });
    }),
    rewrite("BC2 read as BC3", |_, operation| taken_for(operation, 0x187, 0x188)),
    rewrite("BC3 colour before alpha", |name, operation| {
        bytes(name, "BC3", operation, |bytes| bytes.rotate_left(8));
    }),
    rewrite("BC3 alpha endpoints exchanged", |name, operation| {
        bytes(name, "BC3", operation, |bytes| bytes.swap(0, 1));
    }),
    rewrite("BC4 signed read as unsigned", |_, operation| taken_for(operation, 0x199, 0x189)),
    rewrite("BC5 channels exchanged", |name, operation| {
        bytes(name, "BC5", operation, |bytes| bytes.rotate_left(8));
    }),
    rewrite("BC6H signed read as unsigned", |_, operation| taken_for(operation, 0x1A1, 0x1A4)),
    rewrite("BC6H high bits not reversed", |name, operation| {
        // Bits 10 and 11 of red in the mode of 12 bits.
        bits(name, "BC6H", operation, |block| match block & 31 {
            0b01011 => block & !(3 << 43) | (block >> 43 & 1) << 44 | (block >> 44 & 1) << 43,
            _ => block,
        });
    }),
    rewrite("BC6H wrong partition", |name, operation| {
        bits(name, "BC6H", operation, |block| if block & 3 < 2 { block ^ 1 << 77 } else { block });
    }),
    rewrite("BC7 wrong partition of two", |name, operation| {
        bits(name, "BC7", operation, |block| match bc7_mode(block) {
            mode @ (1 | 3 | 7) => block ^ 1 << (mode + 1),
            _ => block,
        });
    }),
    rewrite("BC7 wrong partition of three", |name, operation| {
        bits(name, "BC7", operation, |block| match bc7_mode(block) {
            mode @ (0 | 2) => block ^ 1 << (mode + 1),
            _ => block,
        });
    }),
    rewrite("BC7 rotation ignored", |name, operation| {
        bits(name, "BC7", operation, |block| match bc7_mode(block) {
            mode @ (4 | 5) => block & !(3 << (mode + 1)),
            _ => block,
        });
    }),
    rewrite("BC7 index selection ignored", |name, operation| {
        bits(name, "BC7", operation, |block| match bc7_mode(block) {
            4 => block & !(1 << 7),
            _ => block,
        });
    }),
    rewrite("BC7 shared low bits exchanged", |name, operation| {
        // Behind 2 bits of mode, 6 of partition and 12 times 6 of endpoints.
        bits(name, "BC7", operation, |block| match bc7_mode(block) {
            1 => block & !(3 << 80) | (block >> 80 & 1) << 81 | (block >> 81 & 1) << 80,
            _ => block,
        });
    }),
    rewrite("ETC1 flip bit ignored", |name, operation| {
        bytes(name, "ETC1", operation, |bytes| bytes[3] &= !1);
    }),
    rewrite("ETC2 modes T, H and planar ignored", |_, operation| {
        taken_for(operation, 0x1AA, 0x1A9);
    }),
    rewrite("ETC2 modifier tables exchanged", |name, operation| {
        bytes(name, "ETC2_RGB8", operation, |bytes| {
            let tables = bytes[3];
            bytes[3] = tables & 3 | tables >> 3 & 0x1C | (tables & 0x1C) << 3;
        });
    }),
    rewrite("ETC2 punch-through alpha ignored", |name, operation| {
        bytes(name, "_PTA", operation, |bytes| bytes[3] |= 2);
    }),
    disturb("ETC2 texels by rows", |name, operation, state| {
        if name.contains("ETC2") && matches!(operation, Operation::Decode { .. }) {
            state.texels.swap(1, 4);
        }
    }),
    rewrite("EAC alpha behind colour", |name, operation| {
        bytes(name, "ETC2_EAC", operation, |bytes| bytes.rotate_left(8));
    }),
    rewrite("EAC multiplier 0 taken for 1", |name, operation| {
        bytes(name, "R11", operation, |bytes| {
            if bytes[1] >> 4 == 0 {
                bytes[1] |= 0x10;
            }
        });
    }),
    rewrite("EAC next row of modifiers", |name, operation| {
        bytes(name, "EAC", operation, |bytes| bytes[1] ^= 1);
    }),
    rewrite("EAC signed base of -127 taken for -126", |name, operation| {
        bytes(name, "EAC_SIGNED", operation, |bytes| {
            for half in bytes.chunks_mut(8).filter(|half| half[0] == 0x81) {
                half[0] = 0x82;
            }
        });
    }),
    rewrite("EAC signed read as unsigned", |_, operation| taken_for(operation, 0x1AD, 0x1AB)),
    disturb("EAC of 8 bits where there are 11", |name, operation, state| {
        numbers(name, "EAC_R", operation, state, |n| (n * 255.0).round() / 255.0);
    }),
];

/// Faults that show on G45.
pub(super) const G45: &[Fault<Surface>] = &[
    rewrite("FXT1 halves of one code", |name, operation| {
        bytes(name, "FXT1", operation, |bytes| bytes.copy_within(..4, 4));
    }),
    rewrite("FXT1 lerp ignored", |name, operation| {
        bits(name, "FXT1", operation, |block| match block >> 125 {
            0b011 => block & !(1 << 124),
            _ => block,
        });
    }),
    rewrite("FXT1 last bit of green lost", |name, operation| {
        bits(name, "FXT1", operation, |block| match block >> 127 {
            1 => block & !(3 << 125),
            _ => block,
        });
    }),
];
