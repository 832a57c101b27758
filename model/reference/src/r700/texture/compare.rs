//! Comparisons of a reference with texels (`SAMPLE_C`, section 9.4; decision D-r700-compare).

use std::cmp::Ordering;

use parallax_isa::{
    Acceptance,
    r700::{sampler::Comparison, texture::Texture},
};

use super::{
    super::{
        format::{FirstComponent, Interpretation},
        number,
        wavefront::{Executed, refuse},
    },
    sum::Component,
};
use crate::number::{Exact, Number, Rounding};

/// The format of what is compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Compared(FirstComponent);

/// A number as the format has it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    Code(i64),
    Float(Number),
}

impl Compared {
    /// The format of a texture whose texels can be compared.
    pub(super) fn of(texture: &Texture, interpretation: Interpretation) -> Executed<Self> {
        if texture.select[0] != 0 {
            return refuse(
                "a comparison with a resource whose X is not the texel's first component",
            );
        }
        match interpretation.first_component() {
            Some(first) => Ok(Self(first)),
            None => refuse(format!(
                "a comparison with texels of data format {}, number format {}",
                texture.data_format, texture.num_format
            )),
        }
    }

    /// What a reference may be converted to: one value, or several for a NaN.
    pub(super) fn reference(self, bits: u32) -> Vec<Value> {
        let number = number::number(bits);
        match self.0 {
            FirstComponent::Float => vec![Value::Float(number)],
            _ if number.is_nan() => {
                let most = self.most();
                let least = if self.is_signed() { vec![-most] } else { Vec::new() };
                [0, most].into_iter().chain(least).map(Value::Code).collect()
            }
            _ => vec![self.converted(number)],
        }
    }

    /// A border's component.
    pub(super) fn border(self, bits: u32) -> Value {
        match number::number(bits) {
            number if number.is_nan() && !matches!(self.0, FirstComponent::Float) => Value::Code(0),
            number => self.converted(number),
        }
    }

    /// A texel, by the bits of its first component and by their number.
    pub(super) fn texel(self, field: u32, bits: u32) -> Value {
        match self.0 {
            FirstComponent::Float => Value::Float(number::number(bits)),
            FirstComponent::Unsigned(_) => Value::Code(field.into()),
            FirstComponent::Signed(width) => {
                let shift = 32 - width;
                let code = i64::from((field << shift).cast_signed() >> shift);
                Value::Code(code.max(-self.most()))
            }
        }
    }

    fn is_signed(self) -> bool {
        matches!(self.0, FirstComponent::Signed(_))
    }

    /// The code of 1.0.
    fn most(self) -> i64 {
        match self.0 {
            FirstComponent::Float => 1,
            FirstComponent::Unsigned(width) => (1 << width) - 1,
            FirstComponent::Signed(width) => (1 << (width - 1)) - 1,
        }
    }

    fn converted(self, number: Number) -> Value {
        if matches!(self.0, FirstComponent::Float) {
            return Value::Float(number);
        }
        let least = if self.is_signed() { -Number::ONE } else { Number::ZERO };
        let within = match number {
            number if number < least => least,
            number if number > Number::ONE => Number::ONE,
            number => number,
        };
        let exact = within.finite().unwrap_or(Exact::ZERO) * Exact::integer(self.most().into());
        Value::Code(exact.to_integer(Rounding::NearestEven) as i64)
    }
}

/// Whether a reference passes the comparison with a texel.
pub(super) fn passes(comparison: Comparison, reference: Value, texel: Value) -> bool {
    let order = match (reference, texel) {
        (Value::Code(reference), Value::Code(texel)) => Some(reference.cmp(&texel)),
        (Value::Float(reference), Value::Float(texel)) => reference.partial_cmp(&texel),
        _ => None,
    };
    match comparison {
        Comparison::Never => false,
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::Equal => order == Some(Ordering::Equal),
        Comparison::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::NotEqual => order != Some(Ordering::Equal),
        Comparison::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        Comparison::Always => true,
    }
}

/// The result of a comparison: the first of what the values of the reference give, or any of them.
pub(super) fn result(values: &[Component]) -> [Component; 4] {
    let mut x = values[0];
    for other in &values[1..] {
        x.accepted = match (x.accepted, other.accepted) {
            (None, None) if other.bits == x.bits => None,
            (None, None) => Some(Acceptance::Or(other.bits.into())),
            (Some(Acceptance::Or(bits)), None)
                if [bits, x.bits.into()].contains(&other.bits.into()) =>
            {
                x.accepted
            }
            _ => Some(Acceptance::Undefined),
        };
    }
    [x, Component::OPEN, Component::OPEN, Component::OPEN]
}
