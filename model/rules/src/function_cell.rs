//! Cells of the table of the functions of `math`, and what meets them.

use parallax_isa::eu::{
    DataType::F,
    instruction::MathFunction::{self, Cos, Exp, Inv, Log, Rsqt, Sin, Sqt},
};

use crate::{element::Element, step::Step};

/// A cell of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FunctionCell {
    function: MathFunction,
    is_alternative: bool,
    class: Class,
    denormals: Denormals,
    /// Whether the manual leaves the result unspecified.
    is_unspecified: bool,
}

/// The classes of operands.
#[derive(Debug, Clone, Copy)]
enum Class {
    Infinity { negative: bool },
    Zero { negative: bool },
    Finite { negative: Option<bool> },
    Nan,
}

/// The tables: one with denormals as zeros, one that keeps them, and what holds for both.
#[derive(Debug, Clone, Copy)]
enum Denormals {
    Flushed,
    Kept,
    Either,
}

impl FunctionCell {
    /// The cell that an identifier names: `inv.ieee.pinf.t1`.
    pub(crate) fn named(name: &str, is_unspecified: bool) -> Option<Self> {
        let mut parts = name.split('.');
        let function = match parts.next()? {
            "inv" => Inv,
            "log" => Log,
            "exp" => Exp,
            "sqt" => Sqt,
            "rsqt" => Rsqt,
            "sin" => Sin,
            "cos" => Cos,
            _ => return None,
        };
        let is_alternative = parts.next()? == "alt";
        let class = match parts.next()? {
            "pinf" => Class::Infinity { negative: false },
            "minf" => Class::Infinity { negative: true },
            "nan" => Class::Nan,
            "pzero" | "pzero-pdenorm" => Class::Zero { negative: false },
            "mzero" | "mzero-mdenorm" => Class::Zero { negative: true },
            "pfinite" => Class::Finite { negative: Some(false) },
            "mfinite" => Class::Finite { negative: Some(true) },
            _ => Class::Finite { negative: None },
        };
        let denormals = match parts.next()? {
            "t1" => Denormals::Flushed,
            "t2" => Denormals::Kept,
            _ => Denormals::Either,
        };
        // The alternative mode keeps none: its table is the first one.
        let denormals = if is_alternative { Denormals::Either } else { denormals };
        Some(Self { function, is_alternative, class, denormals, is_unspecified })
    }

    /// Whether an operand is of its class.
    fn has(self, step: Step, element: Element) -> bool {
        let is_zero =
            element.is_zero() || element.is_denormal() && !step.keeps_denormals(element.data_type);
        match self.class {
            Class::Infinity { negative } => {
                element.is_infinite() && element.is_negative() == negative
            }
            Class::Nan => element.is_nan(),
            Class::Zero { negative } => is_zero && element.is_negative() == negative,
            Class::Finite { negative } => {
                element.is_finite()
                    && !is_zero
                    && negative.is_none_or(|negative| element.is_negative() == negative)
            }
        }
    }

    /// Whether it decides a step.
    pub(crate) fn holds(self, step: Step) -> bool {
        let has = |element: Option<Element>| element.is_some_and(|element| self.has(step, element));
        step.applies(&[self.function])
            && if self.is_alternative { step.is_alternative() } else { step.is_ieee() }
            && match self.denormals {
                Denormals::Flushed => step.flushes_denormals(F),
                Denormals::Kept => step.keeps_denormals(F),
                Denormals::Either => true,
            }
            && if self.is_unspecified {
                step.any_written(|c| self.has(step, c.read(0)))
            } else {
                step.any(|c| has(c.element(0)))
            }
    }
}
