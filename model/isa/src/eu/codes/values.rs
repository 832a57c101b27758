//! What the codes of a field stand for, in the words of assembly: what somebody needs who writes a decoder.

use super::{
    ACCESS_MODES, COMPRESSIONS, CONDITIONAL_MODIFIERS, Codes, EXECUTION_SIZES, HORIZONTAL_STRIDES,
    MATH_FUNCTIONS, REGISTER_FILES, SYNC_FUNCTIONS, TERNARY_DESTINATION_STRIDES,
    TERNARY_VERTICAL_STRIDES, THREAD_CONTROLS, TypeField, VERTICAL_STRIDES,
    VERTICAL_STRIDES_ALIGN16, WIDTHS, predicate_controls, types,
};
use crate::eu::{
    fields::{Field, IMMEDIATE_FILE, ternary_align1, ternary_align16},
    generation::Generation,
    instruction::{AccessMode, MathFunction, PredicateControl, SyncFunction},
    names::{PREDICATES, TALK_CONDITIONS},
    operand::VerticalStride,
};

/// Codes of a field that stand for the same under a heading: `Align16`, `immediate`, or nothing where there is
/// one reading only.
pub type Values = (&'static str, Vec<(u32, String)>);

/// What the codes of a field stand for in a generation; empty for a field whose value is a number.
///
/// ```
/// use parallax_isa::{device::Generation, eu::{codes, fields::basic}};
///
/// let sizes = codes::values(Generation::Gen9, &basic::EXEC_SIZE);
/// assert_eq!(sizes[0].1[3], (3, "8".to_owned()));
/// ```
#[must_use]
pub fn values(generation: Generation, field: &'static Field) -> Vec<Values> {
    let has = |fields: &[&'static Field]| fields.iter().any(|other| std::ptr::eq(*other, field));
    let readings = if has(ternary_align1::FIELDS) {
        of_ternary_align1(generation, field.name)
    } else if has(ternary_align16::FIELDS) && field.name.ends_with("DataType") {
        vec![("", of_types(generation, TypeField::TernaryAlign16))]
    } else {
        of_basic(generation, field.name)
    };
    readings.into_iter().filter(|(_, codes)| !codes.is_empty()).collect()
}

fn of_basic(generation: Generation, field: &str) -> Vec<Values> {
    let number = |codes: &'static Codes<u8>| listed(codes, generation, |number| number.to_string());
    let vertical = |codes| listed(codes, generation, vertical_stride);
    let predicate = |mode| listed(predicate_controls(mode), generation, predicate_control);
    match field {
        "ExecSize" => vec![("", number(&EXECUTION_SIZES))],
        "AccessMode" => vec![("", listed(&ACCESS_MODES, generation, |mode| format!("{mode:?}")))],
        "QtrCtrl (compression control before Gen6)" if generation <= Generation::Gen45 => {
            vec![("", listed(&COMPRESSIONS, generation, |control| format!("{control:?}")))]
        }
        "ThreadCtrl" => {
            vec![("", listed(&THREAD_CONTROLS, generation, |control| format!("{control:?}")))]
        }
        "CondModifier" => vec![(
            "",
            listed(&CONDITIONAL_MODIFIERS, generation, |condition| {
                word(&TALK_CONDITIONS, condition).unwrap_or("none").to_owned()
            }),
        )],
        "PredCtrl" if generation >= Generation::Gen12 => vec![("", predicate(AccessMode::Align1))],
        "PredCtrl" => vec![
            ("Align1", predicate(AccessMode::Align1)),
            ("Align16", predicate(AccessMode::Align16)),
        ],
        "DstRegFile" | "Src0RegFile" | "Src1RegFile" => {
            let files =
                listed(&REGISTER_FILES, generation, |file| format!("{file:?}").to_uppercase());
            let has_immediates = field != "DstRegFile" && generation < Generation::Gen12;
            let immediate = has_immediates.then(|| (IMMEDIATE_FILE, "immediate".to_owned()));
            vec![("", files.into_iter().chain(immediate).collect())]
        }
        "DstDataType" => vec![("", of_types(generation, TypeField::Register))],
        "Src0DataType" | "Src1DataType" => vec![
            ("register", of_types(generation, TypeField::Register)),
            ("immediate", of_types(generation, TypeField::Immediate)),
        ],
        "DstHorzStride" | "Src0HorzStride" | "Src1HorzStride" => {
            vec![("", number(&HORIZONTAL_STRIDES))]
        }
        "Src0Width" | "Src1Width" => vec![("", number(&WIDTHS))],
        "Src0VertStride" | "Src1VertStride" if generation >= Generation::Gen12 => {
            vec![("", vertical(&VERTICAL_STRIDES))]
        }
        "Src0VertStride" | "Src1VertStride" => vec![
            ("Align1", vertical(&VERTICAL_STRIDES)),
            ("Align16", vertical(&VERTICAL_STRIDES_ALIGN16)),
        ],
        "MathFunction" => {
            vec![("", listed(&MATH_FUNCTIONS, generation, |f: MathFunction| f.name().to_owned()))]
        }
        "SyncFunction" => {
            vec![("", listed(&SYNC_FUNCTIONS, generation, |f: SyncFunction| f.name().to_owned()))]
        }
        _ => vec![],
    }
}

fn of_ternary_align1(generation: Generation, field: &str) -> Vec<Values> {
    let number = |codes: &'static Codes<u8>| listed(codes, generation, |number| number.to_string());
    match field {
        "DstDataType" | "Src0DataType" | "Src1DataType" | "Src2DataType" => {
            let all = types(generation, TypeField::TernaryAlign1).iter();
            let of = |is_float| {
                let of_kind = all.clone().filter(move |(_, t)| t.is_float() == is_float);
                of_kind.map(|(code, t)| (*code, t.suffix().to_owned())).collect()
            };
            vec![("integers", of(false)), ("floats", of(true))]
        }
        "Src0VertStride" | "Src1VertStride" => vec![("", number(&TERNARY_VERTICAL_STRIDES))],
        "DstHorzStride" => vec![("", number(&TERNARY_DESTINATION_STRIDES))],
        "Src0HorzStride" | "Src1HorzStride" | "Src2HorzStride" => {
            vec![("", number(&HORIZONTAL_STRIDES))]
        }
        _ => of_basic(generation, field),
    }
}

fn listed<T: Copy + PartialEq>(
    codes: &'static Codes<T>,
    generation: Generation,
    name: impl Fn(T) -> String,
) -> Vec<(u32, String)> {
    let rows = codes.of(generation).iter();
    rows.map(|(code, meaning)| (*code, name(*meaning))).collect()
}

fn of_types(generation: Generation, field: TypeField) -> Vec<(u32, String)> {
    let rows = types(generation, field).iter();
    rows.map(|(code, data_type)| (*code, data_type.suffix().to_owned())).collect()
}

fn vertical_stride(stride: VerticalStride) -> String {
    match stride {
        VerticalStride::Elements(elements) => elements.to_string(),
        VerticalStride::PerRowAddress => "an address a row".to_owned(),
    }
}

fn predicate_control(control: PredicateControl) -> String {
    match control {
        PredicateControl::None => "none".to_owned(),
        PredicateControl::Sequential => "one flag a channel".to_owned(),
        other => word(&PREDICATES, other).unwrap_or_default().to_owned(),
    }
}

/// The first word of a meaning.
fn word<T: PartialEq>(words: &[(&'static str, T)], meaning: T) -> Option<&'static str> {
    words.iter().find(|(_, listed)| *listed == meaning).map(|(word, _)| *word)
}
