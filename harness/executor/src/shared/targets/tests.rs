//! Messages to small surfaces, worked out by hand.

mod programs;
mod rendered;
mod setup;
mod typed;

use super::*;
use setup::Setup;

const R32G32B32A32_FLOAT: u32 = 0x000;
const R16G16B16A16_FLOAT: u32 = 0x084;
const R8G8B8A8_UNORM: u32 = 0x0C7;
const R8G8B8A8_UNORM_SRGB: u32 = 0x0C8;
const R8G8B8A8_SNORM: u32 = 0x0C9;
const R8G8B8A8_SINT: u32 = 0x0CA;
const R8G8B8A8_UINT: u32 = 0x0CB;
const R11G11B10_FLOAT: u32 = 0x0D3;
const R32_SINT: u32 = 0x0D6;
const R32_UINT: u32 = 0x0D7;
const R32_FLOAT: u32 = 0x0D8;
const B8G8R8X8_UNORM: u32 = 0x0E9;
const B5G5R5A1_UNORM: u32 = 0x102;
const YCRCB_NORMAL: u32 = 0x182;

const LINE: u32 = 0;
const PLANE: u32 = 1;
const VOLUME: u32 = 2;
const CUBE: u32 = 3;
const BUFFER: u32 = 4;
const NULL: u32 = 7;

const READ: u32 = 5;
const ATOMIC: u32 = 6;
const WRITE: u32 = 13;

/// What nothing was written to.
const UNTOUCHED: u32 = 0xEEEE_EEEE;

/// Subspans at (0, 0), (2, 0), (4, 0) and (6, 0), all pixels lit.
const ROW: [u32; 8] = [0, 0, 0, 2, 4, 6, 0, 0xFFFF];

const COUNT: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

fn float(number: f32) -> u32 {
    number.to_bits()
}

/// Every format that a device may use for a purpose has what reads and writes it, if it is documented and has one
/// texel in a block.
#[test]
fn formats_have_their_encoders() {
    let uses = [Use::TypedRead, Use::TypedWrite, Use::RenderTarget];
    for device in Device::LATER {
        for purpose in uses {
            let formats = parallax_isa::surface::message_formats().iter().filter(|format| {
                format.is_defined() && format.allows(device, purpose) && format.block.texels() == 1
            });
            for format in formats {
                let dwords = [1 << 29 | u32::from(format.code) << 18 | 1 << 16 | 1 << 14, 0, 0, 63];
                let mut state = dwords.to_vec();
                state.resize(16, 0);
                let target = Target::new(&state, device, purpose);
                assert!(target.is_ok(), "{device} {purpose:?} {}: {target:?}", format.name);
            }
        }
    }
}
