//! AVC Loop Filter Read (section 5.10.8).

use parallax_isa::device::Generation::Gen45;
use parallax_spec::{coverage, rows::Table, rule_id};

use super::access;
use crate::{
    Rule,
    access::{Access, Port, Port::LoopFilter},
};

const READ: &[Port] = &[LoopFilter];
/// Indices of the tables.
const INDICES: usize = 52;

/// A rule of the message.
const fn filter(id: &str, when: fn(Access) -> bool) -> Rule {
    access(id, READ, when).since(Gen45)
}

/// Whether a register of the reply has a bit in some doublewords.
fn returns(step: Access, register: usize, doublewords: &[usize]) -> bool {
    doublewords.iter().any(|number| step.reply(register, *number) != 0)
}

const EACH: &[usize] = &[0, 1, 2, 3, 4, 5, 6, 7];

/// Whether the strength of a segment of an external edge meets a condition.
fn any_strength(step: Access, which: impl Fn(u32) -> bool) -> bool {
    external(step).any(which)
}

/// The strengths of segments of external edges: from the second half of DW2 to the first one of DW4.
fn external(step: Access) -> impl Iterator<Item = u32> {
    (4..20).map(move |n| step.reply(0, 2 + n / 8) >> (4 * (n % 8)) & 0xF)
}

pub(super) const RULES: &[Rule] = &[
    filter("g45.dataport.avc.operation", |_| true).unconditional(),
    filter("g45.dataport.avc.mask-ignored", |s| s.request.channel_enables != 0xFFFF),
    filter("g45.dataport.avc.oob", |s| s.is_beyond_end()),
    filter("g45.dataport.avc.struct", |s| returns(s, 0, EACH)),
    filter("g45.dataport.avc.struct.flags", |s| returns(s, 0, &[0])),
    filter("g45.dataport.avc.struct.bs-internal", |s| returns(s, 2, &[0, 1, 2])),
    filter("g45.dataport.avc.struct.bs-external", |s| returns(s, 2, &[4, 5, 6, 7])),
    filter("g45.dataport.avc.struct.index-y", |s| returns(s, 4, &[0, 1, 4])),
    filter("g45.dataport.avc.struct.index-c", |s| returns(s, 6, EACH)),
    filter("g45.dataport.avc.struct.idc", |s| s.reply(1, 4) & 3 != 0),
    filter("g45.dataport.avc.desc", |s| s.control(10, 8) != 0),
    filter("g45.dataport.avc.header", |s| s.header(2) != 0),
    filter("g45.dataport.avc.alphabeta-use", |s| returns(s, 4, &[0, 1, 4])),
    filter("g45.dataport.avc.tc0-bs4", |s| any_strength(s, |strength| strength == 4)),
    filter("g45.dataport.avc.tc0-external0", |s| returns(s, 3, &[0, 4])),
    filter("g45.dataport.avc.tc0-external1", |s| returns(s, 4, &[6, 7])),
    filter("g45.dataport.avc.tc0-internal", |s| returns(s, 3, &[1, 2, 3, 5, 6, 7])),
    filter("g45.dataport.avc.tc0-chroma", |s| returns(s, 5, EACH)),
    filter("g45.dataport.avc.map-internal", |s| returns(s, 2, &[0, 1, 2])),
    filter("g45.dataport.avc.map-a", |s| any_strength(s, |strength| (1..=4).contains(&strength))),
    filter("g45.dataport.avc.map-b", |s| any_strength(s, |strength| strength == 4)),
    filter("g45.dataport.avc.map-name", |s| returns(s, 2, EACH)),
    filter("g45.dataport.avc.wb.passthrough", |s| returns(s, 0, EACH)),
    filter("g45.dataport.avc.wb.w1-high", |s| returns(s, 1, &[4, 5, 6, 7])),
    filter("g45.dataport.avc.wb.w2", |s| returns(s, 2, EACH)),
    filter("g45.dataport.avc.wb.w3", |s| returns(s, 3, EACH)),
    filter("g45.dataport.avc.wb.w4", |s| returns(s, 4, EACH)),
    filter("g45.dataport.avc.wb.w5", |s| returns(s, 5, EACH)),
    filter("g45.dataport.avc.wb.w6", |s| returns(s, 6, EACH)),
    filter("g45.dataport.avc.wb.w7", |s| returns(s, 7, EACH)),
];

/// The rules that are tables: by index, tc0 strength by strength.
const ALPHA: Table = Table::of(rule_id!("g45.dataport.avc.alpha")).expect("a table");
const BETA: Table = Table::of(rule_id!("g45.dataport.avc.beta")).expect("a table");
const TC0: Table = Table::of(rule_id!("g45.dataport.avc.tc0")).expect("a table");

/// The bytes at which the pairs of indices of luma, Cb and Cr begin: inside, left, left of mixed frames, top, top of those.
const COMPONENTS: [usize; 3] = [4 * 4 + 2, 7 * 4, 9 * 4 + 2];

/// Counts the rows of tables that a message reads.
pub(crate) fn observe_tables(step: Access) {
    if step.port() != LoopFilter || step.reply.is_empty() {
        return;
    }
    let byte =
        |n: usize| step.reply.get(n / 32).map_or(0, |reply| usize::from(reply.bytes[n % 32]));
    let segments = |first: usize, width: usize| {
        (0..4)
            .map(move |n| first + width * n)
            .map(move |bit| byte(bit / 8) >> (bit % 8) & ((1 << width) - 1))
    };
    for (component, first) in COMPONENTS.into_iter().enumerate() {
        for pair in 0..5 {
            let [a, b] = [byte(first + 2 * pair), byte(first + 2 * pair + 1)];
            if b < INDICES {
                coverage::hit_row(BETA.row(b));
            }
            if a >= INDICES {
                continue;
            }
            coverage::hit_row(ALPHA.row(a));
            let strengths: Vec<usize> = match (pair, component) {
                (0, 0) => (0..6).flat_map(|edge| segments(32 + 8 * edge, 2)).collect(),
                // Chroma has the middle edges alone.
                (0, _) => [1, 4].into_iter().flat_map(|edge| segments(32 + 8 * edge, 2)).collect(),
                (edge, _) => segments(2 * 32 + 16 * edge, 4).collect(),
            };
            for strength in strengths.into_iter().filter(|strength| (1..=3).contains(strength)) {
                coverage::hit_row(TC0.row(INDICES * (strength - 1) + a));
            }
        }
    }
}
