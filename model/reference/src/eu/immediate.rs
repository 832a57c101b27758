//! Immediate operands (G45 volume 4, sections 10.2 and 11.3.8).

use parallax_isa::eu::DataType;
use parallax_spec::rule;

use super::{convert::element_mask, number::wrap_signed};

/// The element of an immediate that a channel reads.
pub(super) fn immediate_element(data_type: DataType, bits: u32, channel: usize) -> u32 {
    rule!("g45.imm.forms");
    rule!("g45.exec.immediates");
    match data_type {
        DataType::V => {
            rule!("g45.gen.term.v");
            rule!("g45.dt.v-expand");
            rule!("g45.dt.halfbyte-range");
            rule!("g45.dt.halfbyte-not-addressable");
            rule!("g45.imm.v-type");
            rule!("g45.pg.vec.layout");
            rule!("g45.pg.vec.range");
            rule!("g45.vec.v");
            rule!("g45.operand.imm-vector");
            let half_byte = bits >> (4 * (channel % 8)) & 0xF;
            wrap_signed(i128::from(half_byte), 4) as u32 & 0xFFFF
        }
        DataType::Vf => {
            rule!("g45.gen.term.vf");
            rule!("g45.dt.vf-expand");
            rule!("g45.imm.vf-type");
            rule!("g45.operand.imm-vector");
            restricted_float(bits >> (8 * (channel % 4)) & 0xFF)
        }
        _ => {
            rule!("g45.operand.imm-scalar-broadcast");
            rule!("g45.field.imm32.ranges");
            rule!("g45.field.imm32.bits");
            bits & element_mask(data_type)
        }
    }
}

/// The binary32 number of a restricted 8-bit float: sign, 3-bit exponent, 4-bit fraction
/// (section 10.2.3).
fn restricted_float(code: u32) -> u32 {
    rule!("g45.dt.vf-format");
    rule!("g45.dt.vf-no-special");
    rule!("g45.vec.vf");
    if code & 0x7F == 1 {
        rule!("g45.dt.vf-min-magnitude");
    }
    let (sign, exponent, fraction) = (code >> 7, code >> 4 & 0x7, code & 0xF);
    if exponent == 0 && fraction == 0 {
        rule!("g45.dt.vf-zero");
        return sign << 31;
    }
    rule!("g45.dt.vf-exp");
    rule!("g45.dt.vf-no-denorm");
    rule!("g45.dt.vf-table");
    sign << 31 | (exponent + 124) << 23 | fraction << 19
}
