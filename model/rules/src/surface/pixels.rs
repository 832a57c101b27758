//! What is done to pixels: chroma keys and comparisons of the G45's sampler, and the enumerations of DG1.

use std::cmp::Ordering;

use parallax_isa::{
    Device,
    surface::{
        Component, Format, Layout, Numeric, Operation, lookup,
        operation::{Equation, Key, Stencil},
        pixel::{CompareFunction, StencilOp},
    },
};
use parallax_spec::RuleId;

use super::{Pixel, PixelRule};

const fn pixel(id: &str, when: fn(Pixel) -> bool) -> PixelRule {
    PixelRule { id: RuleId::named(id), when }
}

impl<'a> Pixel<'a> {
    fn format(self) -> Option<&'static Format> {
        lookup::code(self.device, self.operation.format()?.into()).ok()
    }

    /// Whether a component of its format meets a condition.
    fn has(self, condition: impl Fn(Component) -> bool) -> bool {
        self.format().is_some_and(|format| format.layout.components().any(condition))
    }

    fn has_numeric(self, numeric: Numeric) -> bool {
        self.has(|component| component.numeric == numeric)
    }

    /// The chroma key that it is held against.
    fn key(self) -> Option<Key> {
        match self.operation {
            Operation::ChromaKey { key, .. } => Some(*key),
            _ => None,
        }
    }

    /// Whether a key has other bounds for channels, of those that a condition tells apart.
    fn has_key(self, condition: fn(Key) -> bool) -> bool {
        self.key().is_some_and(condition)
    }

    /// The function, texel and reference of a comparison before filtering.
    fn shadow(self) -> Option<(CompareFunction, f32, f32)> {
        match self.operation {
            Operation::Shadow { function, texel, reference, .. } => {
                Some((*function, f32::from_bits(*texel), f32::from_bits(*reference)))
            }
            _ => None,
        }
    }

    fn compares_by(self, function: CompareFunction) -> bool {
        self.shadow().is_some_and(|(own, ..)| own == function)
    }

    /// Whether a comparison before filtering depends on what is compared.
    fn compares(self) -> Option<(f32, f32)> {
        let (function, texel, reference) = self.shadow()?;
        let is_fixed = matches!(function, CompareFunction::Always | CompareFunction::Never);
        (!is_fixed).then_some((texel, reference))
    }

    fn is_early(self) -> bool {
        matches!(self.device, Device::Bw | Device::Cl)
    }
}

/// Whether bytes of a word differ: its channels are not alike.
fn has_order(word: u32) -> bool {
    word != word.rotate_left(8)
}

pub(super) static RULES: &[PixelRule] = &[
    // Chroma keys.
    pixel("g45.sampler.ckey.match", |s| s.has_key(|key| key.low != 0 || key.high != u32::MAX)),
    pixel("g45.sampler.ckey.layout", |s| {
        s.has_key(|key| has_order(key.low) || has_order(key.high))
    }),
    pixel("g45.sampler.ckey.expand", |s| {
        s.key().is_some() && s.has(|c| c.bits < 8 && c.numeric != Numeric::Pad)
    }),
    pixel("g45.sampler.ckey.yuv", |s| {
        let is_pair = |format: &Format| matches!(format.layout, Layout::Subsampled(_));
        let has_next = matches!(s.operation, Operation::ChromaKey { next: Some(_), .. });
        has_next && s.format().is_some_and(is_pair)
    }),
    pixel("g45.sampler.ckey.snorm", |s| s.key().is_some() && s.has_numeric(Numeric::Snorm)),
    pixel("g45.sampler.ckey.mixed", |s| {
        s.key().is_some() && s.has_numeric(Numeric::Snorm) && s.has_numeric(Numeric::Unorm)
    }),
    // Comparisons.
    pixel("g45.sampler.shadow.inverted", |s| s.compares().is_some()),
    pixel("g45.sampler.shadow.always", |s| s.compares_by(CompareFunction::Always)),
    pixel("g45.sampler.shadow.never", |s| s.compares_by(CompareFunction::Never)),
    pixel("g45.sampler.shadow.less", |s| s.compares_by(CompareFunction::Less)),
    pixel("g45.sampler.shadow.equal", |s| s.compares_by(CompareFunction::Equal)),
    pixel("g45.sampler.shadow.lequal", |s| s.compares_by(CompareFunction::Lequal)),
    pixel("g45.sampler.shadow.greater", |s| s.compares_by(CompareFunction::Greater)),
    pixel("g45.sampler.shadow.notequal", |s| s.compares_by(CompareFunction::Notequal)),
    pixel("g45.sampler.shadow.gequal", |s| s.compares_by(CompareFunction::Gequal)),
    pixel("g45.sampler.shadow.nan", |s| {
        s.compares().is_some_and(|(texel, reference)| texel.is_nan() || reference.is_nan())
    }),
    pixel("g45.sampler.shadow.a16-nan", |s| {
        let is_a16 = s.format().is_some_and(|format| format.name == "A16_FLOAT");
        is_a16 && s.is_early() && s.shadow().is_some_and(|(_, texel, _)| texel.is_nan())
    }),
];

/// Calls for each rule of a member of an enumeration that decides an operation.
pub(super) fn each_member(pixel: Pixel, each: impl Fn(RuleId)) {
    match pixel.operation {
        Operation::Test { stencil, stored_stencil, depth_function, .. } => {
            each(stencil.function.rule());
            let (passes, operation) = tested(stencil, *stored_stencil, pixel.state.result != 0);
            if passes {
                each(depth_function.rule());
            }
            if stencil.write_mask != 0 {
                each(operation.rule());
            }
        }
        Operation::Shadow { function, .. } => each(function.rule()),
        Operation::Coordinate { mode, index, size }
            if !(0..i64::from(*size)).contains(&i64::from(*index)) =>
        {
            each(mode.rule());
        }
        Operation::WritePixel { output, .. } => {
            let writes = |channels: &[usize]| channels.iter().any(|n| output.write_mask.writes(*n));
            if let Some(logic) = output.logic.filter(|_| writes(&[0, 1, 2, 3])) {
                each(logic.rule());
            }
            let is_integer = |c: Component| matches!(c.numeric, Numeric::Uint | Numeric::Sint);
            let Some((colour, alpha)) = output.blend.filter(|_| !pixel.has(is_integer)) else {
                return;
            };
            let of = |equation: Equation| {
                each(equation.function.rule());
                each(equation.source_factor.rule());
                each(equation.destination_factor.rule());
            };
            if writes(&[0, 1, 2]) {
                of(colour);
            }
            if writes(&[3]) {
                of(alpha);
            }
        }
        _ => {}
    }
}

/// Whether a stencil test passes, and what is done to the stored value.
fn tested(stencil: &Stencil, stored: u8, both_pass: bool) -> (bool, StencilOp) {
    let order = (stencil.reference & stencil.read_mask).cmp(&(stored & stencil.read_mask));
    let passes = match stencil.function {
        CompareFunction::Always => true,
        CompareFunction::Never => false,
        CompareFunction::Less => order == Ordering::Less,
        CompareFunction::Equal => order == Ordering::Equal,
        CompareFunction::Lequal => order != Ordering::Greater,
        CompareFunction::Greater => order == Ordering::Greater,
        CompareFunction::Notequal => order != Ordering::Equal,
        CompareFunction::Gequal => order != Ordering::Less,
    };
    let operation = match (passes, both_pass) {
        (false, _) => stencil.fail,
        (true, false) => stencil.depth_fail,
        (true, true) => stencil.pass,
    };
    (passes, operation)
}
