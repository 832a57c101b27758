//! What ALU instructions compute (section 9.2): one function per instruction, in the files below;
//! operands with their modifiers in, effects before output modifiers out.

mod approximation;
mod arithmetic;
mod comparison;
mod conversion;
mod double;
mod integer;
mod movement;
mod predicate;
mod reduction;

pub(super) use double::{Output as DoubleOutput, double};
pub(super) use reduction::reduce;

use parallax_isa::r700::{AluOpcode, Profile};

use super::number;
use crate::number::Number;

/// The operands of one instruction for one pixel, input modifiers applied.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operands {
    /// src0, src1, src2.
    pub(super) bits: [u32; 3],
    /// Which account of the machine is followed.
    pub(super) profile: Profile,
}

impl Operands {
    fn float(&self, number: usize) -> Number {
        number::number(self.bits[number])
    }

    fn signed(&self, number: usize) -> i128 {
        i128::from(self.bits[number].cast_signed())
    }

    fn unsigned(&self, number: usize) -> i128 {
        i128::from(self.bits[number])
    }
}

/// A result before output modifiers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    /// A number that arithmetic gave.
    Float(Number),
    /// A number or another one: the manual leaves open which.
    Either(Number, Number),
    /// A number within the accuracy of an approximation.
    Approximate(Number, Accuracy),
    /// An operand, unchanged unless an output modifier makes a number of it.
    Copy(u32),
    /// Bits that output modifiers do not change.
    Bits(u32),
    /// The same, or others.
    EitherBits(u32, u32),
    /// The same, within some units.
    ApproximateBits(u32, u32),
    /// Anything; the model leaves what is there.
    Undefined,
}

/// How far from the exact value an approximation may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Accuracy {
    /// Units in the last place.
    Units(u32),
    /// A part of the value.
    Relative {
        /// Its power of two.
        power: i32,
        /// The power of two of a difference that is always allowed, if one is.
        least: Option<i32>,
    },
}

/// What an instruction does for one pixel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effect {
    /// Result.
    pub(super) value: Value,
    /// Predicate: execute or skip.
    pub(super) predicate: Option<bool>,
    /// Whether the pixel is killed.
    pub(super) kill: bool,
    /// New address register element.
    pub(super) index: Option<i16>,
}

impl From<Value> for Effect {
    fn from(value: Value) -> Self {
        Self { value, predicate: None, kill: false, index: None }
    }
}

/// What an instruction of one slot computes.
pub(super) type Function = fn(&Operands) -> Effect;

/// The function of an opcode; `None` for reductions and double-precision operations, which take
/// several slots, and for opcodes the manual lists without saying what they do.
#[expect(clippy::too_many_lines, reason = "the table of all instructions")]
pub(super) fn function(opcode: AluOpcode) -> Option<Function> {
    use AluOpcode::*;
    Some(match opcode {
        Add => arithmetic::add,
        Mul => arithmetic::mul,
        MulIeee => arithmetic::mul_ieee,
        Muladd => arithmetic::muladd,
        MuladdM2 => arithmetic::muladd_m2,
        MuladdM4 => arithmetic::muladd_m4,
        MuladdD2 => arithmetic::muladd_d2,
        MuladdIeee => arithmetic::muladd_ieee,
        MuladdIeeeM2 => arithmetic::muladd_ieee_m2,
        MuladdIeeeM4 => arithmetic::muladd_ieee_m4,
        MuladdIeeeD2 => arithmetic::muladd_ieee_d2,
        MulLit => arithmetic::mul_lit,
        MulLitM2 => arithmetic::mul_lit_m2,
        MulLitM4 => arithmetic::mul_lit_m4,
        MulLitD2 => arithmetic::mul_lit_d2,
        Fract => arithmetic::fract,
        Trunc => arithmetic::trunc,
        Ceil => arithmetic::ceil,
        Rndne => arithmetic::rndne,
        Floor => arithmetic::floor,

        Max => comparison::max,
        Min => comparison::min,
        MaxDx10 => comparison::max_dx10,
        MinDx10 => comparison::min_dx10,
        Sete => comparison::sete,
        Setgt => comparison::setgt,
        Setge => comparison::setge,
        Setne => comparison::setne,
        SeteDx10 => comparison::sete_dx10,
        SetgtDx10 => comparison::setgt_dx10,
        SetgeDx10 => comparison::setge_dx10,
        SetneDx10 => comparison::setne_dx10,
        SeteInt => comparison::sete_int,
        SetgtInt => comparison::setgt_int,
        SetgeInt => comparison::setge_int,
        SetneInt => comparison::setne_int,
        SetgtUint => comparison::setgt_uint,
        SetgeUint => comparison::setge_uint,
        Kille => comparison::kille,
        Killgt => comparison::killgt,
        Killge => comparison::killge,
        Killne => comparison::killne,
        KillgtUint => comparison::killgt_uint,
        KillgeUint => comparison::killge_uint,
        KilleInt => comparison::kille_int,
        KillgtInt => comparison::killgt_int,
        KillgeInt => comparison::killge_int,
        KillneInt => comparison::killne_int,

        PredSete => predicate::pred_sete,
        PredSetgt => predicate::pred_setgt,
        PredSetge => predicate::pred_setge,
        PredSetne => predicate::pred_setne,
        PredSetgtUint => predicate::pred_setgt_uint,
        PredSetgeUint => predicate::pred_setge_uint,
        PredSeteInt => predicate::pred_sete_int,
        PredSetgtInt => predicate::pred_setgt_int,
        PredSetgeInt => predicate::pred_setge_int,
        PredSetneInt => predicate::pred_setne_int,
        PredSetInv => predicate::pred_set_inv,
        PredSetPop => predicate::pred_set_pop,
        PredSetClr => predicate::pred_set_clr,
        PredSetRestore => predicate::pred_set_restore,
        PredSetePush => predicate::pred_sete_push,
        PredSetgtPush => predicate::pred_setgt_push,
        PredSetgePush => predicate::pred_setge_push,
        PredSetnePush => predicate::pred_setne_push,
        PredSetePushInt => predicate::pred_sete_push_int,
        PredSetgtPushInt => predicate::pred_setgt_push_int,
        PredSetgePushInt => predicate::pred_setge_push_int,
        PredSetnePushInt => predicate::pred_setne_push_int,
        PredSetltPushInt => predicate::pred_setlt_push_int,
        PredSetlePushInt => predicate::pred_setle_push_int,

        AndInt => integer::and_int,
        OrInt => integer::or_int,
        XorInt => integer::xor_int,
        NotInt => integer::not_int,
        AddInt => integer::add_int,
        SubInt => integer::sub_int,
        MaxInt => integer::max_int,
        MinInt => integer::min_int,
        MaxUint => integer::max_uint,
        MinUint => integer::min_uint,
        AshrInt => integer::ashr_int,
        LshrInt => integer::lshr_int,
        LshlInt => integer::lshl_int,
        MulloInt => integer::mullo_int,
        MulhiInt => integer::mulhi_int,
        MulloUint => integer::mullo_uint,
        MulhiUint => integer::mulhi_uint,
        RecipInt => integer::recip_int,
        RecipUint => integer::recip_uint,

        Mov => movement::mov,
        Nop => movement::nop,
        Mova => movement::mova,
        MovaFloor => movement::mova_floor,
        MovaInt => movement::mova_int,
        Cnde => movement::cnde,
        Cndgt => movement::cndgt,
        Cndge => movement::cndge,
        CndeInt => movement::cnde_int,
        CndgtInt => movement::cndgt_int,
        CndgeInt => movement::cndge_int,

        FltToInt => conversion::flt_to_int,
        FltToUint => conversion::flt_to_uint,
        IntToFlt => conversion::int_to_flt,
        UintToFlt => conversion::uint_to_flt,

        ExpIeee => approximation::exp_ieee,
        LogIeee => approximation::log_ieee,
        LogClamped => approximation::log_clamped,
        RecipIeee => approximation::recip_ieee,
        RecipClamped => approximation::recip_clamped,
        RecipFf => approximation::recip_ff,
        RecipsqrtIeee => approximation::recipsqrt_ieee,
        RecipsqrtClamped => approximation::recipsqrt_clamped,
        RecipsqrtFf => approximation::recipsqrt_ff,
        SqrtIeee => approximation::sqrt_ieee,
        Sin => approximation::sin,
        Cos => approximation::cos,

        Dot4 | Dot4Ieee | Cube | Max4 | Add64 | Mul64 | Muladd64 | Muladd64M2 | Muladd64M4
        | Muladd64D2 | Fract64 | Frexp64 | Ldexp64 | Flt32ToFlt64 | Flt64ToFlt32 | PredSete64
        | PredSetgt64 | PredSetge64 | MovaGprInt => return None,
    })
}
