//! What ALU operations compute, on 64 pixels at a time: a row for each, in the files below.

mod approximation;
mod arithmetic;
mod comparison;
mod conversion;
mod double;
mod integer;
mod movement;
mod operation;
mod predicate;
mod reduction;

pub(super) use double::{run as run_double, split as split_double};
pub(super) use movement::move_address;
pub(super) use operation::{
    Delivers, Executes, MoveAddress, OP2, OP3, Operation, Role, Units, Work,
};
pub(super) use reduction::{cube, dot4, max4};

use std::sync::LazyLock;

/// Every operation, in no order.
fn all() -> impl Iterator<Item = &'static Operation> {
    let tables = [
        approximation::OPERATIONS,
        arithmetic::OPERATIONS,
        comparison::OPERATIONS,
        conversion::OPERATIONS,
        double::OPERATIONS,
        double::FREXP_64,
        integer::OPERATIONS,
        movement::OPERATIONS,
        movement::WITHOUT_RESULT,
        predicate::OPERATIONS,
        reduction::OPERATIONS,
    ];
    tables.into_iter().flatten()
}

/// The operation of a code: [`OP2`] or [`OP3`] and the value of `ALU_INST`.
pub(super) fn operation(code: u16) -> Option<&'static Operation> {
    static BY_CODE: LazyLock<[Option<&Operation>; 512]> = LazyLock::new(|| {
        let mut by_code = [None; 512];
        for operation in all() {
            by_code[usize::from(operation.code)] = Some(operation);
        }
        by_code
    });
    BY_CODE.get(usize::from(code)).copied().flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::r700::{
        number::{INFINITY, MAX_FLOAT, NAN, ONE, SIGN},
        simd::{Kernel, Lanes, Pair},
    };

    /// Words that are special to some operation, or any.
    fn words() -> impl Strategy<Value = Vec<u32>> {
        let word = prop_oneof![
            prop::sample::select(vec![
                0,
                SIGN,
                1,
                ONE,
                NAN,
                INFINITY,
                MAX_FLOAT,
                0x0080_0000,
                0x007F_FFFF,
                u32::MAX,
            ]),
            0..64_u32,
            any::<u32>(),
            (-100.0_f32..100.0).prop_map(f32::to_bits),
        ];
        prop::collection::vec(word, 3 * 64)
    }

    fn lanes(words: &[u32], number: usize) -> Lanes {
        std::array::from_fn(|pixel| words[64 * number + pixel])
    }

    #[test]
    fn every_code_has_one_row() {
        let mut codes: Vec<_> = all().map(|operation| operation.code).collect();
        codes.sort_unstable();
        assert!(codes.windows(2).all(|pair| pair[0] != pair[1]));
        let defined = |code| operation(code).is_some();
        assert!((OP2..OP2 + 256).all(|code| defined(code) == matches!(code, 0..=83 | 96..=126)));
        assert!((0..256).all(|code| defined(OP3 + code) == matches!(code, 8..=26 | 28..=30)));
    }

    proptest! {
        #[test]
        fn forms_of_kernels_agree(words in words(), silicon: bool) {
            let sources = [0, 1, 2].map(|number| lanes(&words, number));
            for operation in all() {
                let Work::Lane { manual, silicon: other } = operation.work else { continue };
                let forms = if silicon { other() } else { manual() };
                let run = |function: Kernel| {
                    let mut out = [0; 64];
                    function(&sources.each_ref(), &mut out);
                    out
                };
                let portable = run(forms.portable);
                for special in forms.special.into_iter().flatten() {
                    prop_assert_eq!(run(special), portable, "{:?}", operation);
                }
            }
        }

        #[test]
        fn forms_of_double_operations_agree(words in words()) {
            let [a, b, c] = [0, 1, 2].map(|number| lanes(&words, number));
            let halves = [[&a, &b, &c], [&c, &a, &b]];
            for operation in all() {
                let (Work::TwoSlots(forms) | Work::FourSlots(forms)) = operation.work else {
                    continue;
                };
                let run = |function: Pair| {
                    let mut out = [[0; 64]; 2];
                    let [low, high] = &mut out;
                    function(&halves, low, high);
                    out
                };
                let portable = run(forms().portable);
                for special in forms().special.into_iter().flatten() {
                    prop_assert_eq!(run(special), portable, "{:?}", operation);
                }
            }
        }
    }
}
