//! The talk on the Gen8 and Gen9 instruction set. What it says holds for all generations from Gen7 on.

mod flow;
mod messages;

use parallax_isa::eu::{
    DataType::{D, Ud, Uw, W},
    Opcode::{
        self, Avg, Bfe, Bfi1, Bfi2, Bfrev, Cbit, Cmp, Cmpn, Fbh, Fbl, Line, Lrp, Lzd, Mov, Pln,
        Rndd, Rnde, Rndu, Rndz, Sad2, Sada2,
    },
    instruction::ConditionalModifier::{Overflow, Unordered},
    register::ArfKind,
};

use crate::{
    Rule,
    bits::{self, low_five},
    comparison::differ_beyond_their_type,
    rule::{Decides, rule},
};

/// A rounding to an integral number: of numbers that are none.
const fn rounding(id: &str, opcodes: &'static [Opcode]) -> Rule {
    rule(id).of(opcodes).when(|s| s.any(|c| c.any(|e| e.has_a_fraction())))
}

pub(crate) const RULES: &[&[Rule]] = &[flow::RULES, DATA, messages::RULES];

const DATA: &[Rule] = &[
    rule("talk.region.src-row-col").when(|s| s.any_region(|source| source.has_rows(s.size()))),
    rule("talk.region.contiguous-float").when(|s| s.reads((1, 1, 0))),
    rule("talk.region.replicate-8").when(|s| s.size() == 8 && s.reads_scalar()),
    rule("talk.region.replicate-4").when(|s| s.reads((16, 4, 0))),
    rule("talk.region.interleaved").when(|s| s.reads((1, 4, 2))),
    rule("talk.region.block-2x4").when(|s| s.reads((16, 4, 1))),
    rule("talk.indirect.1x1").when(|s| {
        s.any_register(|source| source.is_indirect() && source.row_addresses().is_none())
    }),
    rule("talk.indirect.vx1").when(|s| s.any_region(|source| source.row_addresses() == Some(1))),
    // Masks.
    rule("talk.mask.implicit").when(|s| s.is_masked()),
    rule("talk.mask.notation").when(|s| s.instruction().first_channel != 0 && s.has_exact_result()),
    rule("talk.mask.arf-part").when(|s| {
        s.instruction().first_channel != 0 && (s.is_masked() || s.is_selective() || s.sets_flags())
    }),
    rule("talk.mask.flow-changes").when(|s| s.is_masked()),
    // Flags and predicates.
    rule("talk.flag.two-registers")
        .when(|s| s.is_selective() && s.instruction().flag_register == 1),
    rule("talk.flag.explicit-set").when(|s| s.tests_its_result()).decides_of(Decides::Flags),
    rule("talk.pred.selective").when(|s| s.is_selective()),
    rule("talk.pred.width").when(|s| s.is_selective()),
    rule("talk.pred.offset").when(|s| s.instruction().first_channel != 0 && s.is_selective()),
    rule("talk.pred.invert").when(|s| s.is_selective() && s.instruction().predicate.inverse),
    rule("talk.pred.and-emask").when(|s| s.is_selective() && s.is_masked()),
    rule("talk.pred.example")
        .of(&[Mov])
        .when(|s| s.is_selective() && s.instruction().predicate.inverse && s.has_any_immediate()),
    rule("talk.cmod.form").when(|s| s.sets_flags()).decides_of(Decides::Flags),
    rule("talk.cmod.codes")
        .when(|s| s.sets_flags() && !s.has_condition(Overflow) && !s.has_condition(Unordered))
        .decides_of(Decides::Flags),
    rule("talk.cmod.zero-compare")
        .when(|s| s.tests_its_result() && !s.has_condition(Overflow) && !s.has_condition(Unordered))
        .decides_of(Decides::Flags),
    rule("talk.cmod.cmp-sources")
        .of(&[Cmp, Cmpn])
        .when(|s| s.sets_flags() && s.any(|c| c.pair(differ_beyond_their_type)))
        .decides_of(Decides::Flags),
    rule("talk.cmod.overflow")
        .when(|s| s.tests_its_result() && s.has_condition(Overflow) && s.any(|c| c.overflowed()))
        .decides_of(Decides::Flags),
    rule("talk.cmod.unordered")
        .when(|s| {
            s.tests_its_result() && s.has_condition(Unordered) && s.any(|c| c.result().is_nan())
        })
        .decides_of(Decides::Flags),
    rule("talk.sat.clamp").when(|s| s.clamps()),
    // Operations.
    rule("talk.op.avg").of(&[Avg]).when(|s| s.any(|c| c.are(|[a, b]| (a + b) & 1 == 1))),
    rule("talk.op.avg-extreme").of(&[Avg]).when(|s| {
        s.any(|c| {
            let types = [s.0.source_type(0), s.0.source_type(1)];
            c.are(|pair| match types {
                [Ud, Ud] => pair == [0xFFFF_FFFF; 2],
                [D, D] => [[-1, 0], [0, -1], [i32::MIN.into(); 2]].contains(&pair),
                _ => false,
            })
        })
    }),
    rule("talk.op.bfe").of(&[Bfe]).when(|s| {
        // A field of several bits that has an end below bit 31, so that what is beside it is left out.
        s.any(|c| {
            c.are(|[width, offset, source]| {
                let (width, offset) = (low_five(width), low_five(offset));
                width != 0 && width + offset < 32 && (source as u32) >> offset >> width != 0
            })
        })
    }),
    rule("talk.op.bfe-width0")
        .of(&[Bfe])
        .when(|s| s.any(|c| c.are(|[width, _, source]| low_five(width) == 0 && source != 0))),
    rule("talk.op.bfe-overrun").of(&[Bfe]).when(|s| {
        s.any(|c| {
            c.are(|[width, offset, source]| {
                let (width, offset) = (low_five(width), low_five(offset));
                // All of the source that is left: a field cut off at its width would not be the same.
                width != 0 && width + offset > 32 && (source as u32) >> offset != 0
            })
        })
    }),
    rule("talk.op.bfi1").of(&[Bfi1]).when(|s| {
        s.any(|c| c.are(|[width, offset]| low_five(width) != 0 && low_five(offset) != 0))
    }),
    rule("talk.op.bfi2").of(&[Bfi2]).when(|s| {
        s.any(|c| c.are(|[mask, field, _]| mask as u32 & 1 == 0 && mask != 0 && field != 0))
    }),
    rule("talk.op.bfi2-mask0").of(&[Bfi2]).when(bits::inserts_nothing),
    rule("talk.op.bfi-pair").of(&[Bfi2]).when(|s| {
        s.any(|c| {
            c.are(|[mask, field, _]| {
                let mask = mask as u32;
                mask != 0
                    && field != 0
                    && (mask >> mask.trailing_zeros()).wrapping_add(1).is_power_of_two()
            })
        })
    }),
    rule("talk.op.bfrev").of(&[Bfrev]).when(bits::reverses),
    rule("talk.op.cbit").of(&[Cbit]).when(bits::counts_several),
    rule("talk.op.fbh-unsigned").of(&[Fbh]).when(|s| s.any_of_sources(Ud, |e| e.bits != 0)),
    rule("talk.op.fbh-signed").of(&[Fbh]).when(|s| s.any_of_sources(D, |e| e.is_negative())),
    rule("talk.op.fbl").of(&[Fbl]).when(bits::searches_upwards),
    rule("talk.op.line").of(&[Line]).unconditional(),
    rule("talk.op.lrp").of(&[Lrp]).unconditional(),
    rule("talk.op.lzd").of(&[Lzd]).when(|s| s.any(|c| c.are(|[bits]| bits != 0))),
    rule("talk.op.lzd-vs-fbh").of(&[Fbh, Lzd]).when(bits::searches_zero),
    rule("talk.op.pln").of(&[Pln]).unconditional(),
    rounding("talk.op.rndd", &[Rndd]),
    rounding("talk.op.rnde", &[Rnde]),
    rounding("talk.op.rndu", &[Rndu]),
    rounding("talk.op.rndz", &[Rndz]),
    rule("talk.op.sad2").of(&[Sad2]).unconditional(),
    rule("talk.op.sada2").of(&[Sada2]).unconditional(),
    rule("talk.bigint.flag-read").of(&[Mov]).when(|s| {
        s.any_register(|source| {
            source.arf() == Some(ArfKind::Flag) && [Uw, W].contains(&source.data_type)
        })
    }),
];
