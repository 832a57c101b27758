//! Atomic operations on bytes of memory.

use parallax_isa::shared::Unanswered;

use super::refuse;

/// An operation with its size.
pub(super) struct Atomic {
    code: u32,
    pub(super) is_quad: bool,
    pub(super) returns: bool,
    is_float: bool,
}

const INCREMENT: u32 = 5;
const DECREMENT: u32 = 6;
const COMPARE_AND_WRITE: u32 = 14;
const PRE_DECREMENT: u32 = 15;
const FLOAT_MAXIMUM: u32 = 1;
const FLOAT_MINIMUM: u32 = 2;
const FLOAT_COMPARE_AND_WRITE: u32 = 3;

impl Atomic {
    /// The operation of a message control.
    pub(super) fn of(control: u32, is_quad: bool) -> Result<Self, Unanswered> {
        if control & 15 == 0 {
            return refuse("no atomic operation");
        }
        let returns = control >> 5 & 1 == 1;
        Ok(Self { code: control & 15, is_quad, returns, is_float: false })
    }

    /// That of floats.
    pub(super) fn of_floats(control: u32) -> Result<Self, Unanswered> {
        let code = control & 7;
        if !(FLOAT_MAXIMUM..=FLOAT_COMPARE_AND_WRITE).contains(&code) {
            return refuse("no atomic operation of floats");
        }
        Ok(Self { code, is_quad: false, returns: control >> 5 & 1 == 1, is_float: true })
    }

    /// How many operands it has.
    pub(super) fn operands(&self) -> usize {
        match self.code {
            FLOAT_COMPARE_AND_WRITE if self.is_float => 2,
            _ if self.is_float => 1,
            INCREMENT | DECREMENT | PRE_DECREMENT => 0,
            COMPARE_AND_WRITE => 2,
            _ => 1,
        }
    }

    /// Does it once, on bytes in memory: the value that goes back.
    pub(super) fn replace(&self, bytes: &mut [u8], operands: [u64; 2]) -> u64 {
        let old = load(bytes);
        let new = self.combine(old, operands[0], operands[1]);
        bytes.copy_from_slice(&new.to_le_bytes()[..bytes.len()]);
        if self.code == PRE_DECREMENT && !self.is_float { new } else { old }
    }

    /// What is written; its upper bits are not, if it is a doubleword.
    fn combine(&self, old: u64, first: u64, second: u64) -> u64 {
        if self.is_float {
            let [was, operand] = [old, first].map(|bits| f32::from_bits(bits as u32));
            return match self.code {
                FLOAT_MAXIMUM if was < operand => first,
                FLOAT_MINIMUM if was > operand => first,
                FLOAT_COMPARE_AND_WRITE if was == operand => second,
                _ => old,
            };
        }
        // A doubleword at the top of 64 bits keeps its order, as signed and as unsigned number.
        let shift = if self.is_quad { 0 } else { 32 };
        let signed = |value: u64| (value << shift).cast_signed();
        match self.code {
            1 => old & first,
            2 => old | first,
            3 => old ^ first,
            4 => first,
            INCREMENT => old.wrapping_add(1),
            DECREMENT | PRE_DECREMENT => old.wrapping_sub(1),
            7 => old.wrapping_add(first),
            8 => old.wrapping_sub(first),
            9 => first.wrapping_sub(old),
            10 if signed(old) < signed(first) => first,
            11 if signed(old) > signed(first) => first,
            12 => old.max(first),
            13 => old.min(first),
            COMPARE_AND_WRITE if old == first => second,
            _ => old,
        }
    }
}

/// The number that bytes stand for, the lowest first.
pub(super) fn load(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}
