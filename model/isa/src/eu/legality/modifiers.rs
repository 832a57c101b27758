//! Predication, saturation, conditional and source modifiers, and the table `eu-modifiers`.

use super::prelude::*;
use crate::eu::forms::{Form, Modifiers, form, forms};

checks! {
    Instruction UpToGen45 [each "g45.inst." And "and" Cmp "cmp" Cmpn "cmpn" Frc "frc" Not "not"
            Or "or" Xor "xor" => ".saturate"]
        holds |f| !f.instruction.saturate,
        "{op} cannot saturate; leave out .sat, or saturate in a mov afterwards";
    Instruction UpToGen45 [each "g45.inst." Do "do" Else "else" Endif "endif" Mrest "mrest"
            Msave "msave" Nop "nop" Nenop "nenop" Pop "pop" Push "push" Wait "wait"
            => ".predication"]
        holds |f| !f.is_predicated(),
        "{op} cannot be predicated; leave out the predicate";
    Instruction UpToGen45 ["g45.inst.mach.saturate", "g45.inst.mach.no-sat"] of [Mach]
        holds |f| !f.instruction.saturate,
        "mach cannot saturate; leave out .sat, there and in the mul and mov of the sequence";
    Instruction UpToGen45 ["g45.inst.sel.predication"] of [Sel]
        holds |f| f.is_predicated(),
        "sel selects by its predicate and needs one, as in (f0.0) sel";
    Instruction UpToGen45 ["g45.inst.sel.condmod"] of [Sel]
        holds |f| !f.has_condition(),
        "sel has no conditional modifier; compare with cmp before it";
    Instruction UpToGen45 ["g45.inst.cmp.condmod", "g45.cond.cmp-modifiers"] of [Cmp]
        | UpToGen45 ["g45.inst.cmpn.condmod"] of [Cmpn]
        holds compares,
        "{op} needs one of the conditional modifiers .e .ne .g .ge .l .le";
    Instruction UpToGen45 ["g45.cond.cmpn-modifiers"] of [Cmpn] practice "gen4-cmpn-modifiers"
        about compares,
        holds |f| {
            use ConditionalModifier::{GreaterEqual, Less};
            [Less, GreaterEqual].contains(&f.instruction.condition)
        },
        "cmpn is for .l and .ge only, as in minimum and maximum; use cmp for other comparisons";
    Instruction UpToGen45 ["g45.inst.send.condmod"] of [Send]
        holds |f| !f.has_condition(),
        "send has no conditional modifier: the field holds its message register";
    Instruction UpToGen45 ["g45.inst.mul.dword-no-flags"] of [Mul]
        about |f| f.execution == DataType::D,
        holds |f| !f.instruction.saturate && !f.has_condition(),
        "mul of a dword integer can neither saturate nor set flags; do that in a mov afterwards";
    Source UpToGen45 ["g45.inst.shr.unsigned-src"] of [Shr]
        about |_, s| s.index == 0 && !s.is_immediate(),
        holds is_made_unsigned,
        "shr takes an unsigned src0 without modifier or a signed one with (abs); use asr for \
         signed values";
    Source UpToGen45 ["g45.inst.lzd.srcmod"] of [Lzd]
        about |_, s| !s.is_immediate(),
        holds is_made_unsigned,
        "lzd takes :ud without modifier or :d with (abs)";
    Source UpToGen45 ["g45.inst.mach.ud-dst"] of [Mach]
        about |f, s| s.data_type == DataType::D && f.writes(|d| d.data_type == DataType::Ud),
        holds |_, s| match s.immediate() {
            Some(bits) => (bits as u32).cast_signed() >= 0,
            None => s.modifier().absolute && !s.modifier().negate,
        },
        "mach with a :ud destination takes a :d source only with (abs)";
    Source UpToGen45 ["g45.asm.src.arf-no-modifier"]
        about |f, s| f.is_data() && s.arf().is_some() && !s.is_null() && !s.is_accumulator(),
        holds |_, s| !s.is_modified(),
        "an architecture register takes no source modifier; copy it to a general register first";
}

fn compares(f: &Facts) -> bool {
    use ConditionalModifier::*;
    [Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual].contains(&f.instruction.condition)
}

/// Whether a signed source is made unsigned, and an unsigned one left as it is.
fn is_made_unsigned(_: &Facts, s: &SourceFacts) -> bool {
    !s.modifier().negate && s.modifier().absolute == s.data_type.is_signed_integer()
}

/// What the table allows or not, as messages call it.
type Modifier = &'static str;

const PREDICATE: Modifier = "predicate";
const CONDITION: Modifier = "conditional modifier";
const SATURATION: Modifier = "saturation";
const OF_SOURCES: Modifier = "source modifiers";

/// Rules of other tables that say the same of some operations and modifiers.
static ALSO: &[(&[Opcode], &[Modifier], RuleId)] = {
    use Opcode::*;
    const BUT_PREDICATE: &[Modifier] = &[CONDITION, SATURATION, OF_SOURCES];
    const OF_BITS: &[Opcode] = &[Bfe, Bfi1, Bfi2, Bfrev, Cbit, Fbh, Fbl];
    const BRANCHES: &[Opcode] =
        &[If, Else, Endif, While, Break, Cont, Halt, Goto, Join, Brd, Brc, Call, Calla, Ret, Jmpi];
    &[
        (OF_BITS, BUT_PREDICATE, rule_id!("leg.inst.bit-ops-mods")),
        (OF_BITS, BUT_PREDICATE, rule_id!("gen7.isa.bit.mods")),
        (&[Bfi2], &[CONDITION, SATURATION], rule_id!("leg.inst.bfi2-mods")),
        (&[Frc], &[SATURATION], rule_id!("leg.inst.frc-sat")),
        (&[Addc], &[SATURATION, OF_SOURCES], rule_id!("leg.inst.addc-subb")),
        (&[Subb], &[OF_SOURCES], rule_id!("leg.inst.addc-subb")),
        (&[Csel], &[PREDICATE], rule_id!("leg.inst.csel-pred")),
        (&[Mach], &[CONDITION, SATURATION], rule_id!("gen12.isa.op.mach-mods")),
        (&[Rol, Ror], &[SATURATION, OF_SOURCES], rule_id!("leg.inst.rot")),
        (&[Pln], &[OF_SOURCES], rule_id!("leg.inst.pln-mods")),
        (&[Smov], BUT_PREDICATE, rule_id!("gen9.isa.op.smov-types")),
        (&[Send, Sendc, Sends, Sendsc], BUT_PREDICATE, rule_id!("leg.send.predication")),
        (&[Else, Endif], &[PREDICATE], rule_id!("leg.cf.endif-pred")),
        (&[Else, Endif], &[PREDICATE], rule_id!("gen7.isa.cf.no-pred-on-endif")),
        (BRANCHES, BUT_PREDICATE, rule_id!("leg.cf.branch-cmod")),
        (&[Wait], &[PREDICATE], rule_id!("leg.inst.wait")),
    ]
};

/// The rules this module enforces.
pub(super) fn rules() -> impl Iterator<Item = RuleId> {
    let forms =
        Device::LATER.into_iter().flat_map(|device| forms(device).map(move |f| (device, f)));
    let rows = forms.filter_map(|(device, form)| {
        form.modifiers.filter(|row| can_be_broken(device, form, row)).map(|row| row.rule)
    });
    let also = ALSO.iter().map(|(.., rule)| *rule);
    rows.chain(also).chain([rule_id!("gen7.intro.sat-per-instruction")])
}

/// Whether a machine word can say something that a row forbids.
fn can_be_broken(device: Device, form: &Form, row: &Modifiers) -> bool {
    let (opcode, Some(generation)) = (form.opcode, device.generation()) else { return false };
    let format = opcode.format_on(generation);
    let has_modifiers = generation < Generation::Gen12 || format != Format::SplitMessage;
    !row.predicate
        || !row.condition && fields::has_condition(generation, opcode)
        || !row.saturate && fields::has_saturation(generation, format)
        || !row.source_modifiers && has_modifiers
}

/// Holds the modifiers of an instruction against the table.
pub(super) fn check(f: &Facts, violations: &mut Vec<Violation>) {
    let Some(row) = form(f.device, f.opcode).and_then(|form| form.modifiers) else { return };
    let has_modified = f.reads(SourceFacts::is_modified);
    let refused = [
        (PREDICATE, !row.predicate && f.is_predicated()),
        (CONDITION, !row.condition && f.has_condition()),
        (SATURATION, !row.saturate && f.instruction.saturate),
        (OF_SOURCES, !row.source_modifiers && has_modified),
    ];
    for (what, _) in refused.into_iter().filter(|(_, is_wrong)| *is_wrong) {
        let same = |(opcodes, modifiers, _): &&(&[_], &[Modifier], _)| {
            opcodes.contains(&f.opcode) && modifiers.contains(&what)
        };
        let mut also: Vec<_> = ALSO.iter().filter(same).map(|row| row.2).collect();
        if what == SATURATION && f.is_data() {
            also.push(rule_id!("gen7.intro.sat-per-instruction"));
        }
        let message = format!("{} takes no {}; leave that out", f.opcode.mnemonic(), what);
        violations.push(Violation::naming(row.rule, also, message));
    }
}
