//! Faults of groups: operands, results, predicates, operations.

use parallax_isa::r700::{
    Alu, AluOpcode, Group, Profile, Source,
    microcode::{AluOp2, AluOp3, Field},
    opcode::AluFormat,
    state::State,
};

use super::{Fault, R700, alu, case, group, result};

/// Every fault of this kind.
pub(super) const FAULTS: &[Fault<R700>] = &[
    // Operands.
    alu("PV taken for PS", |a| select(a, |s| (s == 254).then_some(255))),
    alu("PS taken for PV", |a| select(a, |s| (s == 255).then_some(254))),
    alu("register off by one", |a| select(a, |s| (s < 100).then_some(s ^ 1))),
    alu("constant off by one", |a| select(a, |s| (s >= 256).then_some(s ^ 1))),
    alu("inline 1.0 taken for integer 1", |a| select(a, |s| (s == 249).then_some(250))),
    alu("inline -1 taken for 0.5", |a| select(a, |s| (s == 251).then_some(252))),
    alu("constant cache sets exchanged", |a| {
        select(a, |s| (128..192).contains(&s).then_some(s ^ 32))
    }),
    alu("halves of the double 1.0 exchanged", |a| {
        select(a, |s| (244..246).contains(&s).then_some(s ^ 1))
    }),
    alu("literal of the wrong element", |a| {
        element(a, |s, element| (s == 253 && element < 2).then_some(element ^ 1))
    }),
    alu("elements X and Z exchanged", |a| {
        element(a, |s, element| (s < 128 && element % 2 == 0).then_some(element ^ 2))
    }),
    alu("element of PV always X", |a| {
        element(a, |s, element| (s == 254 && element != 0).then_some(0))
    }),
    alu("negation of src0 lost", |a| clear(a, AluOp2::SRC0_NEG)),
    alu("negation of src1 lost", |a| clear(a, AluOp2::SRC1_NEG)),
    alu("negation of src2 lost", |a| of_three(a, AluOp3::SRC2_NEG, |_| 0)),
    alu("absolute value lost", |a| of_two(a, AluOp2::SRC0_ABS, |_| 0)),
    alu("absolute value of src1 lost", |a| of_two(a, AluOp2::SRC1_ABS, |_| 0)),
    alu("relative source read as absolute", |a| clear(a, AluOp2::SRC0_REL)),
    alu("relative destination written as absolute", |a| clear(a, AluOp2::DST_REL)),
    alu("aL taken for AR", |a| {
        (relative(*a) && AluOp2::INDEX_MODE.get(&a.dwords()) == 4).then_some(())?;
        set(a, AluOp2::INDEX_MODE, |_| 0)
    }),
    alu("AR.x taken for AR.y with constants", |a| {
        let constant = a
            .operands()
            .iter()
            .any(|o| o.relative && matches!(o.source, Some(Source::Constant(_))));
        (constant && a.index_mode() == 0).then_some(())?;
        set(a, AluOp2::INDEX_MODE, |_| 1)
    }),
    alu("global registers taken for local ones", |a| {
        (relative(*a) && a.index_mode() == 5).then_some(())?;
        clear(a, AluOp2::SRC0_REL)
    }),
    // Results.
    alu("clamp lost", |a| clear(a, AluOp2::CLAMP)),
    alu("clamp without being asked", |a| {
        (a.opcode() == Some(AluOpcode::Add)).then_some(())?;
        set(a, AluOp2::CLAMP, |_| 1)
    }),
    alu("scale lost", |a| of_two(a, AluOp2::OMOD, |_| 0)),
    alu("scale by 2 and by 4 exchanged", |a| {
        of_two(a, AluOp2::OMOD, |omod| [0, 2, 1, 3][omod as usize & 3])
    }),
    alu("write mask ignored", |a| of_two(a, AluOp2::WRITE_MASK, |_| 1)),
    alu("destination register off by one", |a| {
        (a.dst_gpr() < 100).then_some(())?;
        set(a, AluOp2::DST_GPR, |gpr| gpr ^ 1)
    }),
    // Predicates.
    alu("predicate select inverted", |a| {
        (a.pred_sel() != 0).then_some(())?;
        set(a, AluOp2::PRED_SEL, |select| select ^ 1)
    }),
    alu("predicate select ignored", |a| clear(a, AluOp2::PRED_SEL)),
    alu("predicate not stored", |a| of_two(a, AluOp2::UPDATE_PRED, |_| 0)),
    alu("predicate not sent to the execute mask", |a| {
        of_two(a, AluOp2::UPDATE_EXECUTE_MASK, |_| 0)
    }),
    // Operations.
    alu("ADD taken for MUL", |a| taken_for(a, AluOpcode::Mul, AluOpcode::Add)),
    alu("MUL taken for MUL_IEEE", |a| taken_for(a, AluOpcode::MulIeee, AluOpcode::Mul)),
    alu("MAX taken for MAX_DX10", |a| taken_for(a, AluOpcode::MaxDx10, AluOpcode::Max)),
    alu("SETGE taken for SETGT", |a| taken_for(a, AluOpcode::Setgt, AluOpcode::Setge)),
    alu("FLOOR taken for TRUNC", |a| taken_for(a, AluOpcode::Trunc, AluOpcode::Floor)),
    alu("LSHR_INT taken for ASHR_INT", |a| taken_for(a, AluOpcode::AshrInt, AluOpcode::LshrInt)),
    alu("MIN_UINT taken for MIN_INT", |a| taken_for(a, AluOpcode::MinInt, AluOpcode::MinUint)),
    alu("MULHI_UINT taken for MULHI_INT", |a| {
        taken_for(a, AluOpcode::MulhiInt, AluOpcode::MulhiUint)
    }),
    alu("CNDGE taken for CNDGT", |a| taken_for(a, AluOpcode::Cndgt, AluOpcode::Cndge)),
    alu("MOVA_FLOOR taken for MOVA", |a| taken_for(a, AluOpcode::Mova, AluOpcode::MovaFloor)),
    alu("RECIP_UINT taken for RECIP_INT", |a| {
        taken_for(a, AluOpcode::RecipInt, AluOpcode::RecipUint)
    }),
    alu("COS taken for SIN", |a| taken_for(a, AluOpcode::Sin, AluOpcode::Cos)),
    group("scale lost in the last instruction of a group", |group| {
        of_two(group.instructions.last_mut()?, AluOp2::OMOD, |_| 0)
    }),
    alu("DOT4 taken for DOT4_IEEE", |a| taken_for(a, AluOpcode::Dot4Ieee, AluOpcode::Dot4)),
    alu("PRED_SETGE_INT taken for PRED_SETGT_INT", |a| {
        taken_for(a, AluOpcode::PredSetgtInt, AluOpcode::PredSetgeInt)
    }),
    alu("KILLGE_INT taken for KILLGT_INT", |a| {
        taken_for(a, AluOpcode::KillgtInt, AluOpcode::KillgeInt)
    }),
    alu("MULADD_64_M2 taken for MULADD_64", |a| {
        taken_for(a, AluOpcode::Muladd64, AluOpcode::Muladd64M2)
    }),
    // Groups.
    group("words of a double exchanged", double_words),
    group("literals in reverse order", |group| {
        (group.literals.len() == 2).then(|| group.literals.swap(0, 1))
    }),
    result("CUBE takes X where Z is as great", |group, before, after| {
        cube(group, before, after, |[_, s], axis, face| (face >= 4.0 && s == axis).then_some(0.0));
    }),
    result("CUBE takes Y where Z is as great", |group, before, after| {
        cube(group, before, after, |[t, _], axis, face| (face >= 4.0 && t == axis).then_some(2.0));
    }),
    result("CUBE takes X where Y is as great", |group, before, after| {
        cube(group, before, after, |[_, s], axis, face| {
            ((2.0..4.0).contains(&face) && s == axis).then_some(0.0)
        });
    }),
    case("wrong unit for the last instruction", |case| case.prefer_vector = !case.prefer_vector),
    case("other profile", |case| {
        case.profile = match case.profile {
            Profile::Manual => Profile::Silicon,
            Profile::Silicon => Profile::Manual,
        };
    }),
];

/// Gives pixels another face, by the magnitudes of T, S and the major axis and the face that they have,
/// where CUBE leaves them as they are in the previous results; not where all elements are zero or one is
/// infinite.
fn cube(
    group: &Group,
    before: &State,
    after: &mut State,
    other: fn([f32; 2], f32, f32) -> Option<f32>,
) {
    let is_plain = |alu: &Alu| {
        let dwords = alu.dwords();
        [AluOp2::OMOD, AluOp2::CLAMP, AluOp2::PRED_SEL].iter().all(|field| field.get(&dwords) == 0)
    };
    let slots = group.instructions.iter().filter(|alu| alu.opcode() == Some(AluOpcode::Cube));
    if slots.clone().count() != 4 || !slots.clone().all(is_plain) {
        return;
    }
    for pixel in (0..64).filter(|pixel| before.executing >> pixel & 1 == 1) {
        let [t, s, twice, face] =
            [0, 1, 2, 3].map(|unit: usize| f32::from_bits(after.previous[unit][pixel]));
        let axis = twice.abs() / 2.0;
        if axis.is_normal()
            && let Some(face) = other([t.abs(), s.abs()], axis, face)
        {
            after.previous[3][pixel] = face.to_bits();
        }
    }
}

fn set(alu: &mut Alu, field: Field, value: impl Fn(u32) -> u32) -> Option<()> {
    let old = field.get(&alu.dwords());
    let new = value(old);
    *alu = match *alu {
        Alu::Op2(word) => Alu::Op2(word.with(field, new)),
        Alu::Op3(word) => Alu::Op3(word.with(field, new)),
    };
    (old != new).then_some(())
}

fn clear(alu: &mut Alu, field: Field) -> Option<()> {
    set(alu, field, |_| 0)
}

/// Changes a field of the format with two sources.
pub(super) fn of_two(alu: &mut Alu, field: Field, value: fn(u32) -> u32) -> Option<()> {
    matches!(alu, Alu::Op2(_)).then_some(())?;
    set(alu, field, value)
}

/// The same for the format with three.
fn of_three(alu: &mut Alu, field: Field, value: fn(u32) -> u32) -> Option<()> {
    matches!(alu, Alu::Op3(_)).then_some(())?;
    set(alu, field, value)
}

fn relative(alu: Alu) -> bool {
    alu.dst_rel() == 1 || alu.operands().iter().any(|operand| operand.relative)
}

/// The select and element fields of the sources an instruction reads.
fn sources(alu: Alu) -> Vec<(Field, Field)> {
    let fields = [
        (AluOp2::SRC0_SEL, AluOp2::SRC0_CHAN),
        (AluOp2::SRC1_SEL, AluOp2::SRC1_CHAN),
        (AluOp3::SRC2_SEL, AluOp3::SRC2_CHAN),
    ];
    fields[..alu.operands().len()].to_vec()
}

/// Changes the selects of sources.
fn select(alu: &mut Alu, change: fn(u32) -> Option<u32>) -> Option<()> {
    let mut changed = None;
    for (field, _) in sources(*alu) {
        if let Some(new) = change(field.get(&alu.dwords())) {
            changed = set(alu, field, |_| new).or(changed);
        }
    }
    changed
}

/// Changes the elements of sources, given their selects.
fn element(alu: &mut Alu, change: fn(u32, u32) -> Option<u32>) -> Option<()> {
    let mut changed = None;
    for (select, field) in sources(*alu) {
        let dwords = alu.dwords();
        if let Some(new) = change(select.get(&dwords), field.get(&dwords)) {
            changed = set(alu, field, |_| new).or(changed);
        }
    }
    changed
}

/// Makes one opcode another one of the same format.
pub(in crate::faults) fn taken_for(alu: &mut Alu, from: AluOpcode, to: AluOpcode) -> Option<()> {
    (alu.opcode() == Some(from)).then_some(())?;
    let field = match from.row().format {
        AluFormat::Op2 => AluOp2::ALU_INST,
        AluFormat::Op3 => AluOp3::ALU_INST,
    };
    set(alu, field, |_| to.row().code)
}

/// Exchanges the sources of the two slots of an ADD_64.
fn double_words(group: &mut Group) -> Option<()> {
    let double = |alu: &Alu| alu.opcode() == Some(AluOpcode::Add64);
    let first = group.instructions.iter().position(double)?;
    let (a, b) = match group.instructions.get(first..first + 2)? {
        [a, b] if double(b) => (a.dwords(), b.dwords()),
        _ => return None,
    };
    let low = [AluOp2::SRC0_SEL, AluOp2::SRC0_CHAN, AluOp2::SRC0_REL];
    for field in low {
        set(&mut group.instructions[first], field, |_| field.get(&b));
        set(&mut group.instructions[first + 1], field, |_| field.get(&a));
    }
    (field_differs(a, b, &low)).then_some(())
}

fn field_differs(a: [u32; 2], b: [u32; 2], fields: &[Field]) -> bool {
    fields.iter().any(|field| field.get(&a) != field.get(&b))
}
