//! Masks and predicates (sections 11.3.4.7, 11.4.8, 11.6 and 14.1), and the instruction fields for them.

use parallax_isa::{
    device::Generation::Gen4,
    eu::{
        instruction::{
            Compression, ConditionalModifier,
            PredicateControl::{
                self, All2H, All4H, All8H, All16H, AllV, Any2H, Any4H, Any8H, Any16H, AnyV,
                ReplicateW, ReplicateX, ReplicateY, ReplicateZ, Sequential,
            },
        },
        operand::DestinationRegion,
    },
};

use super::super::g45;
use crate::{Rule, rule::Decides, step::Step};

fn is_second_half(step: Step) -> bool {
    step.instruction().compression == Compression::SecHalf
}

/// Whether the upper eight bits of masks are those of the channels.
fn uses_upper_half(step: Step) -> bool {
    is_second_half(step) && step.size() <= 8 && step.uses_mask_bits()
}

/// Whether a second half of sixteen channels uses bits of masks.
fn uses_whole_masks(step: Step) -> bool {
    is_second_half(step) && step.size() > 8 && step.uses_mask_bits()
}

/// Whether the instruction ignores masks that would keep channels from being written.
fn ignores_masks(step: Step) -> bool {
    step.instruction().no_mask && step.has_exact_result() && step.stacks_mask()
}

fn has_no_predicate(step: Step) -> bool {
    !step.is_predicated() && step.has_exact_result()
}

/// Whether the destination leaves out channels of each group of four.
fn enables_some(step: Step) -> bool {
    let region = step.destination().region;
    step.has_exact_result()
        && matches!(region, DestinationRegion::ChannelEnable(enable) if enable != 0xF)
}

/// Whether some channels are not written, for whatever reason.
fn keeps_some(step: Step) -> bool {
    step.is_masked() || step.is_selective() || enables_some(step)
}

/// Whether fewer channels than there can be are written.
fn is_narrow(step: Step) -> bool {
    step.size() < 16 && step.has_exact_result()
}

const VERTICAL: &[PredicateControl] = &[AnyV, AllV];
const FOURS: &[PredicateControl] = &[Any4H, All4H];
const REPLICATED: &[PredicateControl] = &[ReplicateX, ReplicateY, ReplicateZ, ReplicateW];
const GROUPS: &[PredicateControl] = &[Any2H, All2H, Any4H, All4H, Any8H, All8H, Any16H, All16H];

pub(in super::super) const RULES: &[Rule] = &[
    g45("g45.exec.variable-width").when(is_narrow),
    g45("g45.exec.masked").when(keeps_some),
    g45("g45.exec.simd4-nomask").when(ignores_masks),
    g45("g45.flag.sechalf").when(uses_upper_half),
    g45("g45.mask.emask").when(|s| s.is_masked()),
    g45("g45.mask.meaning").when(|s| s.is_masked()),
    g45("g45.pred.combined").when(|s| s.is_selective()),
    g45("g45.pred.pmask").when(|s| s.is_selective()),
    g45("g45.pred.align-dependent").when(|s| s.is_selective() && !s.has_control(&[Sequential])),
    g45("g45.pred.never-writes-flag")
        .when(|s| s.is_selective() && s.has_condition(ConditionalModifier::None))
        .decides_of(Decides::KeptFlags),
    g45("g45.pred.disabled").when(has_no_predicate),
    g45("g45.pred.flag-sub").when(|s| {
        s.is_selective() && s.instruction().flag_subregister & 1 == 1 && !s.has_control(VERTICAL)
    }),
    g45("g45.pred.inversion").when(|s| s.is_selective() && s.instruction().predicate.inverse),
    g45("g45.pred.normal").when(|s| s.selects(&[Sequential])),
    g45("g45.pred.align16-any4").when(|s| s.is_align16() && s.selects(FOURS)),
    g45("g45.pred.align16-replicate").when(|s| s.selects(REPLICATED)),
    g45("g45.pred.align1-groups").when(|s| !s.is_align16() && s.selects(GROUPS)),
    g45("g45.pred.vertical").when(|s| s.selects(VERTICAL)),
    g45("g45.compr.flags16").when(|s| s.is_half() && uses_upper_half(s)),
    g45("g45.compr.flags32").when(|s| !s.is_before_ctg() && uses_whole_masks(s)),
    g45("g45.compr.sechalf-flags-bw").until(Gen4).when(uses_whole_masks),
    // Fields of instruction words.
    g45("g45.field.chanen").when(enables_some),
    g45("g45.dw0.predinv").when(|s| s.is_selective() && s.instruction().predicate.inverse),
    g45("g45.dw0.predinv.ignored")
        .when(|s| s.instruction().predicate.inverse && has_no_predicate(s)),
    g45("g45.dw0.predctrl.align1").when(|s| {
        !s.is_align16() && (s.selects(&[Sequential]) || s.selects(VERTICAL) || s.selects(GROUPS))
    }),
    g45("g45.dw0.predctrl.align16").when(|s| {
        s.is_align16() && (s.selects(&[Sequential]) || s.selects(FOURS) || s.selects(REPLICATED))
    }),
    g45("g45.dw0.predctrl.vertical-both")
        .when(|s| s.selects(VERTICAL) && s.instruction().flag_subregister & 1 == 1),
    g45("g45.dw0.comprctrl.normal")
        .when(|s| !is_second_half(s) && s.size() <= 8 && s.uses_mask_bits()),
    g45("g45.dw0.comprctrl.sechalf").when(uses_upper_half),
    g45("g45.dw0.maskctrl.nomask").when(ignores_masks),
    // How execution masks come about.
    g45("g45.exec.all-channels").when(keeps_some),
    g45("g45.conv.wren").when(keeps_some),
    g45("g45.mask.eval.pmask-off").when(has_no_predicate),
    g45("g45.mask.eval.pmask-on").when(|s| s.is_selective()),
    g45("g45.mask.eval.order").when(|s| s.is_masked() && s.is_selective()),
    g45("g45.mask.eval.emask-base").when(|s| s.is_masked()),
    g45("g45.mask.eval.emask-nomask").when(ignores_masks),
    g45("g45.mask.eval.emask-pmask").when(|s| s.is_selective()),
    g45("g45.mask.eval.emask-sechalf").when(uses_upper_half),
    g45("g45.mask.eval.emask-sechalf-32").when(uses_whole_masks),
    g45("g45.mask.eval.emask-exec").when(is_narrow),
    g45("g45.mask.eval.emask-chanen").when(enables_some),
    g45("g45.mask.eval.execmask-init").when(is_narrow),
    g45("g45.mask.eval.destmask-groups").when(|s| s.size() > 4 && enables_some(s)),
    g45("g45.mask.eval.scalar").when(|s| {
        s.size() == 1 && !s.instruction().no_mask && s.has_exact_result() && s.stacks_disable_any()
    }),
    g45("g45.sys.eu.width").when(|s| s.size() == 16 && s.has_several_results()),
    g45("g45.sysroutine.dep-clear").when(|s| s.instruction().no_dd_check && s.writes_no_channel()),
];
