//! Vector arithmetic: `sad2`, `sada2`, `dp4`, `dph`, `dp3`, `dp2`, `line`, `pln` (G45 volume 4,
//! section 14.2).

use parallax_isa::{
    Extent,
    device::Generation,
    eu::{
        DataType,
        operand::{Region, Source},
        register::RegisterFile,
    },
};

use super::{
    arithmetic::product_of,
    convert::to_execution_type,
    execution::Execution,
    number::{FloatMode, fused_sum, product},
    operand::{Operand, Operands},
    region::Place,
    result::Computed,
    sum,
    thread::{Executed, Unpredictable},
};
use crate::number::Number;

/// `sad2`: for each even channel the sum of the absolute differences of it and the next.
pub(super) fn sad2(x: &mut Execution) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    x.each(|n| {
        if n % 2 == 1 {
            return Computed::UNDEFINED;
        }
        sum_of_absolute_differences(&a, &b, n)
    })
}

/// `sada2`: as `sad2`, added to the accumulator.
pub(super) fn sada2(x: &mut Execution) -> Executed {
    let (a, b, accumulator) = (x.source(0)?, x.source(1)?, x.accumulator_source());
    x.each(|n| {
        if n % 2 == 1 {
            return Computed::UNDEFINED;
        }
        let differences = sum_of_absolute_differences(&a, &b, n);
        let sum = differences.value.integer() + accumulator[n].integer();
        Computed { value: super::number::Value::Integer(sum), ..differences }.of(&[&accumulator[n]])
    })
}

fn sum_of_absolute_differences(a: &Operands, b: &Operands, n: usize) -> Computed {
    let difference = |n: usize| (a[n].integer() - b[n].integer()).abs();
    let sum = difference(n) + difference(n + 1);
    Computed::integer(sum).of(&[&a[n], &b[n], &a[n + 1], &b[n + 1]])
}

/// `dp4`: each channel of a group of four = the dot product of the group.
pub(super) fn dp4(x: &mut Execution) -> Executed {
    dot_product(x, 4, false)
}

/// `dph`: as `dp4`, the fourth element of src0 taken as 1.0.
pub(super) fn dph(x: &mut Execution) -> Executed {
    dot_product(x, 4, true)
}

/// `dp3`: as `dp4`, of the first three elements.
pub(super) fn dp3(x: &mut Execution) -> Executed {
    dot_product(x, 3, false)
}

/// `dp2`: as `dp4`, of the first two elements.
pub(super) fn dp2(x: &mut Execution) -> Executed {
    dot_product(x, 2, false)
}

fn dot_product(x: &mut Execution, elements: usize, homogeneous: bool) -> Executed {
    let (mut a, b) = (x.source(0)?, x.source(1)?);
    if homogeneous {
        let one = super::number::Value::Float(Number::ONE);
        for fourth in a.iter_mut().skip(3).step_by(4) {
            *fourth = Operand { value: one, bits: 0, defined: true };
        }
    }
    let dot = |group: usize| {
        let members = 4 * group..4 * group + elements;
        let mut products = [Number::ZERO; 4];
        for (product, n) in products.iter_mut().zip(members.clone()) {
            *product = if x.since(Generation::Gen7) {
                a[n].float().times(b[n].float())
            } else {
                product_of(&a[n], &b[n])
            };
        }
        let defined = members.clone().all(|n| a[n].defined && b[n].defined);
        if x.since(Generation::Gen7) {
            let sum =
                sum::of_any_order(&products[..elements], 2 * elements as u32 - 1, &x.settings);
            return Computed { defined, ..sum };
        }
        Computed { defined, ..Computed::fused(fused_sum(&products[..elements]), true) }
    };
    let groups = 0..x.channels().end.div_ceil(4);
    let results: Vec<_> = groups.flat_map(|group| std::iter::repeat_n(dot(group), 4)).collect();
    x.write(&results)
}

/// `line`: dst = p * src1 + q, p and q being the first and the last of a group of four floats of
/// src0.
pub(super) fn line(x: &mut Execution) -> Executed {
    let [p, _, _, q] = coefficients(x)?;
    let u = x.source(1)?;
    if x.since(Generation::Gen7) {
        let settings = x.settings;
        return x.each(|n| {
            let terms = [p.float().times(u[n].float()), q.float()];
            sum::of_any_order(&terms, 2, &settings).of(&[&p, &q, &u[n]])
        });
    }
    x.each(|n| {
        let terms = [product(p.float(), u[n].float()), q.float()];
        Computed::fused(fused_sum(&terms), true).of(&[&p, &q, &u[n]])
    })
}

/// `pln`: dst = p * u + q * v + r, p, q and r being the first, second and last of a group of four
/// floats of src0, u the register src1 and v the one after it.
pub(super) fn pln(x: &mut Execution) -> Executed {
    let [p, q, _, r] = coefficients(x)?;
    if x.since(Generation::Gen7) {
        return later_pln(x, &[p, q, r]);
    }
    let u = x.source(1)?;
    let v = x.source_registers_on(1, 1)?;
    x.each(|n| {
        let terms = [product(p.float(), u[n].float()), product(q.float(), v[n].float()), r.float()];
        Computed::fused(fused_sum(&terms), true).of(&[&p, &q, &r, &u[n], &v[n]])
    })
}

/// `pln` on Gen7 and later: src1 names u of eight channels, v is in the next register, and two further on
/// are those of the other eight channels.
fn later_pln(x: &mut Execution, [p, q, r]: &[Operand; 3]) -> Executed {
    // Decision D-eu-later-pln.
    if !matches!(x.instruction.sources[1], Source::Register { region: Region::PACKED8, .. }) {
        return Err(Unpredictable("src1 of pln is not named as whole registers".to_owned()));
    }
    let mut pair = [x.source(1)?, x.source_registers_on(1, 1)?];
    if x.channels().end > 8 {
        // Channel 8 of a packed region is one register on already.
        let further = [x.source_registers_on(1, 1)?, x.source_registers_on(1, 2)?];
        for (first, second) in pair.iter_mut().zip(&further) {
            first[8..].copy_from_slice(&second[8..]);
        }
    }
    let [u, v] = pair;
    let settings = x.settings;
    x.each(|n| {
        let products = [p.float().times(u[n].float()), q.float().times(v[n].float())];
        let terms = [products[0], products[1], r.float()];
        sum::of_any_order(&terms, 4, &settings).of(&[p, q, r, &u[n], &v[n]])
    })
}

/// The four floats of the 16-byte group that src0 names the first of. Modifiers apply to all.
fn coefficients(x: &Execution) -> Executed<[Operand; 4]> {
    // Decision D-eu-line-modifiers.
    let not_general = || Unpredictable("src0 of line and pln is no general register".to_owned());
    let Source::Register { register, data_type: DataType::F, modifier, .. } =
        x.instruction.sources[0]
    else {
        return Err(not_general());
    };
    let places = x.thread.source_places(register, Region::SCALAR, [4, 4], 1)?;
    let (RegisterFile::Grf, Place::Byte(first)) = (register.file(), places[0]) else {
        return Err(not_general());
    };
    let starts_group = first.is_multiple_of(16);
    Ok([0, 4, 8, 12].map(|byte| {
        let place = (first & !0xF) + byte;
        let bits = x.thread.element(place, 4);
        let value = to_execution_type(bits, DataType::F, modifier, x.execution_type, &x.settings);
        let is_number = x.mode == FloatMode::Ieee || value.float().is_finite();
        let settled = x.thread.is_settled(Extent::whole(place, 4));
        let defined = starts_group && is_number && settled;
        Operand { value, bits, defined }
    }))
}
