use parallax_spec::tables;
use rstest::rstest;
use serde::Deserialize;

use super::*;

/// The value table of the G45 manual and the table of generations have as many types.
#[rstest]
#[case("SrcType.register", TypeField::Register)]
#[case("SrcType.immediate", TypeField::Immediate)]
fn the_g45_table_has_as_many_types(#[case] name: &str, #[case] field: TypeField) {
    #[derive(Deserialize)]
    struct Row {
        field: String,
        name: String,
    }
    let rows = tables::rows::<Row>("g45-field-values");
    let listed = rows.iter().filter(|row| row.field == name && row.name != "reserved").count();
    assert_eq!(types(Generation::Gen4, field).len(), listed);
    assert_eq!(types(Generation::Gen45, field).len(), listed);
}

#[rstest]
#[case(Generation::Gen45, 1, None)]
#[case(Generation::Gen7, 1, Some(ThreadControl::Atomic))]
#[case(Generation::Gen9, 2, Some(ThreadControl::Switch))]
#[case(Generation::Gen9, 3, None)]
#[case(Generation::Gen12, 2, None)]
fn thread_controls_are_those_of_the_generation(
    #[case] generation: Generation,
    #[case] code: u32,
    #[case] meaning: Option<ThreadControl>,
) {
    assert_eq!(THREAD_CONTROLS.meaning(generation, code), meaning);
}

/// A type has another code in another generation, and in another field.
#[rstest]
#[case(Generation::Gen7, TypeField::Register, &[DataType::Df], &[DataType::Hf, DataType::Q])]
#[case(Generation::Gen8, TypeField::Immediate, &[DataType::Hf, DataType::Uq], &[DataType::B])]
#[case(Generation::Gen12, TypeField::TernaryAlign1, &[DataType::Uw], &[DataType::V])]
#[case(Generation::Gen12, TypeField::TernaryAlign16, &[], &[DataType::F])]
#[case(Generation::Gen45, TypeField::Immediate, &[DataType::Vf], &[DataType::Uv, DataType::Ub])]
fn types_are_those_of_the_generation(
    #[case] generation: Generation,
    #[case] field: TypeField,
    #[case] there: &[DataType],
    #[case] missing: &[DataType],
) {
    assert!(there.iter().all(|data_type| has_type(generation, field, *data_type)));
    assert!(!missing.iter().any(|data_type| has_type(generation, field, *data_type)));
}

/// No code of a field means two things, and no meaning has two codes.
#[test]
fn codes_and_meanings_are_one_to_one() {
    fn check<T: Copy + PartialEq + fmt::Debug>(codes: &Codes<T>) {
        for generation in Generation::ALL {
            for (code, meaning) in codes.of(generation) {
                assert_eq!(codes.meaning(generation, *code), Some(*meaning), "{generation}");
                assert_eq!(codes.code(generation, *meaning), Some(*code), "{generation}");
            }
        }
    }
    check(&EXECUTION_SIZES);
    check(&ACCESS_MODES);
    check(&COMPRESSIONS);
    check(&THREAD_CONTROLS);
    check(&CONDITIONAL_MODIFIERS);
    check(predicate_controls(AccessMode::Align1));
    check(predicate_controls(AccessMode::Align16));
    check(&REGISTER_FILES);
    check(&REGISTER_TYPES);
    check(&IMMEDIATE_TYPES);
    check(&VERTICAL_STRIDES);
    check(&VERTICAL_STRIDES_ALIGN16);
    check(&WIDTHS);
    check(&HORIZONTAL_STRIDES);
}
