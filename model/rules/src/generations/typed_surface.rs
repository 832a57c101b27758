//! Typed surface messages of Gen7 and later.

use parallax_isa::device::Generation::{Gen7, Gen8};
use parallax_reference::eu::ReachedTexel;

use crate::{
    Rule,
    access::{
        Access,
        Port::{self, TypedAtomic, TypedRead, TypedWrite},
    },
    message::doubleword,
    rule::{Decides, access},
};

const ALL: &[Port] = &[TypedRead, TypedAtomic, TypedWrite];
const READ: &[Port] = &[TypedRead];
const PLAIN: &[Port] = &[TypedRead, TypedWrite];
const ATOMIC: &[Port] = &[TypedAtomic];

/// Atomic operations without an operand: increment, decrement, decrement before it is returned.
const WITHOUT_OPERAND: [u32; 3] = [5, 6, 15];

/// Whether some channel that is on meets a condition.
fn any(s: Access, condition: impl Fn(&ReachedTexel) -> bool) -> bool {
    s.0.texels.iter().any(|texel| texel.is_enabled && condition(texel))
}

/// Whether it reaches a texel.
fn reaches(s: Access) -> bool {
    any(s, |texel| texel.address.is_some())
}

/// Whether the other byte of the header's mask has other channels than the one that counts, at texels that are there.
fn chooses_slots(s: Access) -> bool {
    let mask = doubleword(s.request.payload.first(), 7);
    s.0.texels.iter().any(|texel| {
        let bit = |channel: usize| mask >> channel & 1;
        let is_executed = s.request.channel_enables >> texel.channel & 1 == 1;
        is_executed && texel.address.is_some() && bit(texel.channel) != bit(texel.channel + 8)
    })
}

/// Whether it takes the second eight of the mask's slots.
fn takes_upper_slots(s: Access) -> bool {
    match s.port() {
        TypedAtomic => s.control(12, 12) == 1,
        _ if s.device.generation() <= Some(Gen7) => s.control(13, 13) == 1,
        _ => s.control(13, 12) == 2,
    }
}

/// Whether the format is another than the plain formats of one doubleword.
fn converts(s: Access) -> bool {
    let is_plain = |name| matches!(name, "R32_UINT" | "R32_SINT" | "R32_FLOAT");
    s.surface_format().is_some_and(|format| !is_plain(format.name))
}

pub(super) const RULES: &[Rule] = &[
    access("gen7.typed.where", ALL, reaches),
    access("gen7.typed.header", ALL, |s| {
        let is_left_out = |texel: &ReachedTexel| {
            !texel.is_enabled && s.request.channel_enables >> texel.channel & 1 == 1
        };
        reaches(s) && s.0.texels.iter().any(is_left_out)
    })
    .until(Gen7),
    access("gen9.typed.header", ALL, |s| !s.request.has_header && reaches(s)).since(Gen8),
    access("gen7.typed.mask", PLAIN, |s| s.control(11, 8) != 0 && reaches(s)),
    access("gen7.typed.slot", PLAIN, |s| reaches(s) && chooses_slots(s)).until(Gen7),
    access("gen9.typed.slot", PLAIN, |s| {
        !s.request.has_header && s.control(13, 12) == 2 && reaches(s)
    })
    .since(Gen8),
    access("gen7.typed.addr", ALL, reaches),
    access("gen7.typed.atomic", ATOMIC, |s| {
        reaches(s) && !WITHOUT_OPERAND.contains(&s.control(11, 8))
    })
    .decides_of(Decides::Stored),
    access("gen7.typed.atomic-ret", ATOMIC, |s| reaches(s) && !s.reply.is_empty()),
    access("gen7.typed.formats", READ, reaches).until(Gen7),
    access("gen9.typed.formats", PLAIN, |s| reaches(s) && converts(s)).since(Gen8),
    access("gen7.typed.oob", ALL, |s| !s.is_null() && any(s, |texel| texel.address.is_none())),
    access("talk.dp.typed", PLAIN, |s| reaches(s) && converts(s)).since(Gen8),
    access("gen7.msg.typed.coords", ALL, |s| {
        any(s, |texel| texel.address.is_some() && texel.place[1] != 0)
    }),
    access("gen7.msg.typed.slots", ALL, |s| {
        s.request.has_header && takes_upper_slots(s) && chooses_slots(s)
    }),
    access("gen7.msg.typed.conv", PLAIN, |s| reaches(s) && converts(s)),
];
