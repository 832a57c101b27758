//! Which channels execute: masks, predicates, channel groups.

use parallax_isa::{
    device::Generation::Gen8,
    eu::{
        Opcode::Sel,
        instruction::PredicateControl::{
            self, All2H, All4H, All8H, All16H, All32H, AllV, Any2H, Any4H, Any8H, Any16H, Any32H,
            AnyV, ReplicateW, ReplicateX, ReplicateY, ReplicateZ,
        },
        operand::DestinationRegion,
        register::ArfKind,
    },
};

use crate::{
    Rule,
    rule::{Decides, flow, rule},
    step::Step,
};

const ANY: &[PredicateControl] = &[Any2H, Any4H, Any8H, Any16H, Any32H];
const ALL: &[PredicateControl] = &[All2H, All4H, All8H, All16H, All32H];
const REPLICATED: &[PredicateControl] = &[ReplicateX, ReplicateY, ReplicateZ, ReplicateW];

/// Whether flags are combined of which some are those of channels that masks switch off.
fn combines_disabled(step: Step) -> bool {
    step.is_masked() && (step.selects(ANY) || step.selects(ALL))
}

/// Whether the predicate leaves channels out though masks are ignored.
fn selects_without_mask(step: Step) -> bool {
    step.instruction().no_mask && step.is_selective()
}

/// Whether masks or flags are those of channels that do not begin with the first eight.
fn uses_later_quarter(step: Step) -> bool {
    step.instruction().first_channel >= 8 && step.uses_mask_bits()
}

/// Whether they begin in the middle of eight.
fn uses_nibble(step: Step) -> bool {
    step.instruction().first_channel & 4 != 0 && step.uses_mask_bits()
}

/// Whether the destination leaves out channels that `enables` does not have.
fn leaves_out(step: Step, leaves: fn(u8) -> bool) -> bool {
    let region = step.destination().region;
    step.has_exact_result()
        && matches!(region, DestinationRegion::ChannelEnable(enable) if leaves(enable & 0xF))
}

pub(super) const RULES: &[Rule] = &[
    rule("gen7.intro.pcip-eligibility").when(|s| s.is_masked()),
    rule("gen7.intro.spf-single-ip").when(|s| s.is_alone() && s.has_exact_result()),
    rule("gen7.intro.pmask").when(|s| s.is_selective()),
    rule("gen7.intro.mask-exec-size").when(|s| s.size() < 16 && s.has_exact_result()),
    rule("gen7.intro.mask-emask").when(|s| s.is_masked()),
    rule("gen7.intro.mask-pcip").when(|s| s.is_masked()),
    rule("gen7.intro.mask-pmask").when(|s| s.is_selective()),
    rule("gen7.term.spf-eligibility").when(|s| s.is_alone() && s.has_exact_result()),
    rule("gen7.gen.ivb-nibctrl").when(uses_nibble),
    rule("gen7.simd4.w-unwritten")
        .when(|s| s.instruction().no_mask && leaves_out(s, |enable| enable & 8 == 0)),
    flow("gen7.simd4.nomask", Decides::Result, &[], |f| f.instruction.no_mask && f.waiting() != 0),
    rule("gen7.flag.qtr-nib")
        .when(|s| s.instruction().first_channel != 0 && (s.is_selective() || s.sets_flags())),
    rule("gen7.cr.vme").when(|s| s.has_vector_mask() && s.is_masked()),
    rule("gen7.isa.mask.vmask").when(|s| s.has_vector_mask() && s.is_masked()),
    flow("gen7.isa.cf.nomask-in-block", Decides::Result, &[], |f| {
        f.instruction.no_mask && f.waiting() != 0
    }),
    rule("gen7.isa.mask.qtr").when(uses_later_quarter),
    rule("gen7.isa.mask.second-half")
        .when(|s| s.size() == 16 && s.any_in_upper_half() && s.uses_mask_bits()),
    rule("gen7.isa.mask.nib").when(uses_nibble),
    rule("gen7.isa.mask.nomask-pred").when(selects_without_mask),
    rule("gen7.isa.mask.ce-gen8").since(Gen8).when(|s| {
        s.any_register(|source| source.register.arf_on(Gen8) == Some(ArfKind::ChannelEnable))
    }),
    rule("gen7.isa.pred.anyv-allv").when(|s| s.selects(&[AnyV, AllV])),
    rule("gen7.isa.pred.any-h").when(|s| s.selects(ANY)),
    rule("gen7.isa.pred.all-h").when(|s| s.selects(ALL)),
    rule("gen7.isa.pred.any-disabled").when(combines_disabled),
    rule("gen7.isa.pred.invert").when(|s| s.is_selective() && s.instruction().predicate.inverse),
    rule("gen7.isa.pred.align16").when(|s| s.selects(REPLICATED)),
    rule("gen7.isa.pred.32h").when(|s| s.selects(&[Any32H, All32H])),
    rule("gen7.isa.pred.sel-not-mask")
        .of(&[Sel])
        .when(|s| s.is_predicated() && s.has_exact_result()),
    rule("gen7.isa.op.align16-chanen").when(|s| leaves_out(s, |enable| enable != 0xF)),
];
