//! What DG1 makes of channels: functions rather than operations on a state.

use std::sync::LazyLock;

use parallax_isa::surface::{
    compression::render_compression,
    pixel::{ChannelSelect, VertexComponentControl},
};
use parallax_spec::{RuleId, coverage, rule_id};

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub enum Call<'a> {
    /// What an output channel takes.
    Select(ChannelSelect),
    /// What is stored of a vertex element, and which components a system generated value overwrites.
    Store([VertexComponentControl; 4], [bool; 4]),
    /// Which components are stored in the URB.
    Enable(u8),
    /// How many components an attribute has.
    Attribute(u8),
    /// How a render target of a format is compressed.
    Compress(&'a str),
    /// Whether one of a format can be used as another.
    Cast(&'a str, &'a str),
}

const SWIZZLE: RuleId = rule_id!("dg1.scs.swizzle");
const ENABLES: RuleId = rule_id!("dg1.compen.bits");
const ATTRIBUTES: RuleId = rule_id!("dg1.attrfmt.components");
const CASTING: RuleId = rule_id!("dg1.rc.casting");
const SAME_ENCODING: RuleId = rule_id!("dg1.rc.same-encoding");

/// The rules of each set of enabled components.
static ENABLED: LazyLock<Vec<RuleId>> = LazyLock::new(|| {
    (0..16).filter_map(|code| RuleId::find(&format!("dg1.compen.code-{code:04b}b"))).collect()
});

/// Those of calls that are no members of enumerations.
pub(super) fn rules() -> impl Iterator<Item = RuleId> {
    let own = [SWIZZLE, ENABLES, ATTRIBUTES, CASTING, SAME_ENCODING].into_iter();
    own.chain(ENABLED.iter().copied())
}

/// Counts the rules that decide what a function gives.
pub fn observe_call(call: Call) {
    let code = |format| render_compression(format).map(|row| row.encoding);
    match call {
        Call::Select(select) => {
            coverage::hit(select.rule());
            if !matches!(select, ChannelSelect::Zero | ChannelSelect::One) {
                coverage::hit(SWIZZLE);
            }
        }
        Call::Store(controls, are_overwritten) => {
            let own = controls.into_iter().zip(are_overwritten).filter(|(_, is)| !is);
            own.for_each(|(control, _)| coverage::hit(control.rule()));
        }
        Call::Enable(enables) => {
            ENABLED.get(usize::from(enables)).copied().into_iter().for_each(coverage::hit);
            if enables != 0 {
                coverage::hit(ENABLES);
            }
        }
        Call::Attribute(code) => {
            if code != 0 {
                coverage::hit(ATTRIBUTES);
            }
        }
        Call::Compress(format) => {
            if let Some(row) = render_compression(format) {
                coverage::hit(CASTING);
                coverage::hit(row.rule);
            }
        }
        Call::Cast(from, to) => {
            if code(from).is_some() && code(from) == code(to) {
                coverage::hit(SAME_ENCODING);
            }
        }
    }
}
