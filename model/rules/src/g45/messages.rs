//! Messages of every kind (sections 2.1 and 2.6).

use super::of_gen4;
use crate::{Rule, message::Message, rule};

/// All targets, those that there are, and the rest.
const ALL: &[u8] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const ASSIGNED: &[u8] = &[1, 2, 3, 4, 5, 6];
const UNASSIGNED: &[u8] = &[8, 9, 10, 11, 12, 13, 14, 15];

/// A rule of messages to some targets.
const fn message(id: &str, targets: &'static [u8], when: fn(Message) -> bool) -> Rule {
    of_gen4(rule::message(id, targets, when))
}

pub(super) const RULES: &[Rule] = &[
    message("g45.sys.sf.list", ASSIGNED, |_| true).unconditional(),
    message("g45.sys.sf.subfunction", ASSIGNED, |m| m.request.function_control != 0),
    message("g45.sys.sf.null", &[0], |_| true).unconditional(),
    message("g45.exc.malformed-message-no-exception", UNASSIGNED, |_| true).unconditional(),
    message("g45.msg.mrf.inflight-stall", ALL, |m| m.reuses_registers),
    message("g45.msg.mrf.reuse", ALL, |m| m.reuses_registers),
    message("g45.msg.error.sfid-discarded", UNASSIGNED, |_| true).unconditional(),
];
