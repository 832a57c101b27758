//! Faults of render target writes.

use parallax_isa::{
    Device,
    eu::instruction::{Predicate, PredicateControl},
    shared::Environment,
    surface::pixel::CompareFunction,
};
use parallax_lockstep::eu::generate;

use super::{
    Disturb, Eu, Fault, around,
    data_port::{byte_too_much, changed, first_byte_lost},
    disturb,
    early_messages::{descriptor, each_surface, reply, with},
    rendering, rewrite,
};
use crate::fault_injection::{Family, all_are_found};

static MESSAGES: Family<Eu> = Family {
    name: "render targets",
    device: Device::G45,
    generate: generate::render_target_messages,
    bytes: generate::BYTES,
    faults: FAULTS,
};

#[test]
fn faults_of_render_target_writes_are_found() {
    all_are_found(&MESSAGES);
}

const WRITE: &[u32] = &[5];

/// Gives a message of a form another descriptor.
const fn form(bits: u32) -> u32 {
    bits >> 8 & 7
}

const FAULTS: &[Fault<Eu>] = &[
    rewrite("the last target's message taken for another", |i| {
        with(i, WRITE, |bits| (bits >> 11 & 1 == 1).then_some(bits ^ 1 << 11))
    }),
    rewrite("another target's message taken for the last", |i| {
        with(i, WRITE, |bits| (bits >> 11 & 1 == 0).then_some(bits ^ 1 << 11))
    }),
    rewrite("upper subspans taken for lower ones", |i| {
        with(i, WRITE, |bits| (form(bits) == 3).then_some(bits ^ 1 << 8))
    }),
    rewrite("lower subspans taken for upper ones", |i| {
        with(i, WRITE, |bits| (form(bits) == 2).then_some(bits ^ 1 << 8))
    }),
    rewrite("two colours taken for sixteen pixels", |i| {
        with(i, WRITE, |bits| (form(bits) == 2).then_some(bits & !(7 << 8)))
    }),
    rewrite("sixteen pixels taken for two colours", |i| {
        with(i, WRITE, |bits| (form(bits) == 0).then_some(bits | 2 << 8))
    }),
    around("red and blue exchanged in the component write disables", |around| {
        each_target(around, |state| {
            let disables = state[0] >> 14 & 0xF;
            let other = disables & 0b1010 | disables >> 2 & 1 | (disables & 1) << 2;
            (other != disables).then(|| state[0] ^= (other ^ disables) << 14)
        })
    }),
    around("component write disables from red on", |around| {
        each_target(around, |state| {
            let disables = state[0] >> 14 & 0xF;
            let other = disables.reverse_bits() >> 28;
            (other != disables).then(|| state[0] ^= (other ^ disables) << 14)
        })
    }),
    around("all components written", |around| {
        each_target(around, |state| (state[0] >> 14 & 0xF != 0).then(|| state[0] &= !(0xF << 14)))
    }),
    around("blending of all surfaces", |around| {
        each_target(around, |state| (state[0] >> 13 & 1 == 0).then(|| state[0] |= 1 << 13))
    }),
    around("blending of no surface", |around| {
        each_target(around, |state| (state[0] >> 13 & 1 == 1).then(|| state[0] ^= 1 << 13))
    }),
    around("a target one pixel less wide", |around| {
        each_target(around, |state| (state[2] >> 6 & 0x7F > 0).then(|| state[2] -= 1 << 6))
    }),
    around("a target one row less high", |around| {
        each_target(around, |state| {
            (state[0] >> 29 != 4 && state[2] >> 19 > 0).then(|| state[2] -= 1 << 19)
        })
    }),
    around("an array of one element", |around| {
        each_target(around, |state| {
            (state[0] >> 29 != 4 && state[3] >> 21 > 0).then(|| state[3] &= (1 << 21) - 1)
        })
    }),
    around("a volume taken for an array", |around| {
        each_target(around, |state| (state[0] >> 29 == 2).then(|| state[0] ^= 3 << 29))
    }),
    around("a cube taken for a surface", |around| {
        each_target(around, |state| (state[0] >> 29 == 3).then(|| state[0] ^= 2 << 29))
    }),
    around("X Offset lost", |around| {
        each_target(around, |state| (state[5] >> 25 != 0).then(|| state[5] &= (1 << 25) - 1))
    }),
    around("Y Offset lost", |around| {
        each_target(around, |state| (state[5] >> 20 & 15 != 0).then(|| state[5] &= !(15 << 20)))
    }),
    Fault::disturb(
        "pixels of 128 bits in Y-major tiles written before the run ends",
        Disturb::Message(|around, i, _, after| {
            let is_write = |bits: &u32| *bits >> 12 & 7 == 4;
            let Some(bits) = descriptor(i, WRITE).filter(is_write) else { return };
            let states = &around.surface_states;
            let place = around.binding_table as usize / 4 + (bits & 0xFF) as usize;
            let first = states.get(place).map_or(0, |entry| *entry as usize / 32 * 8);
            let state = states.get(first..).and_then(|rest| rest.first_chunk::<6>());
            if state.is_some_and(|state| state[0] >> 18 & 0x1FF < 3 && state[3] & 3 == 3) {
                after.memory.graphics[0] ^= 1;
            }
        }),
    )
    .at_open_ends(),
    rendering("no alpha test", |state| state.alpha_test.take().map(|_| ())),
    rendering("an alpha test that passes equal values too", |state| {
        let test = state.alpha_test.as_mut().filter(|t| t.function == CompareFunction::Greater)?;
        test.function = CompareFunction::Gequal;
        Some(())
    }),
    rendering("an alpha test against another number", |state| {
        state.alpha_test.as_mut()?.reference = 0x3F00_0001;
        Some(())
    }),
    rendering("no blending", |state| state.blend.take().map(|_| ())),
    rendering("one equation for colour and alpha", |state| {
        let (colour, alpha) = state.blend.as_mut()?;
        (colour != alpha).then(|| *alpha = *colour)
    }),
    rendering("no blend constant", |state| {
        state.blend?;
        state.constant = [0; 4];
        Some(())
    }),
    rendering("no clamp before blending", |state| state.pre_blend_clamp.take().map(|_| ())),
    rendering("no clamp after blending", |state| state.post_blend_clamp.take().map(|_| ())),
    rendering("no logic operation", |state| state.logic.take().map(|_| ())),
    rendering("front and back exchanged", |state| {
        (state.stencil[0] != state.stencil[1]).then(|| state.stencil.swap(0, 1))
    }),
    rendering("all bits of stencil values written", |state| {
        state.stencil.iter_mut().flatten().for_each(|test| test.write_mask = 0xFF);
        Some(())
    }),
    rendering("all bits of stencil values compared", |state| {
        state.stencil.iter_mut().flatten().for_each(|test| test.read_mask = 0xFF);
        Some(())
    }),
    rendering("one operation for both failures of stencil values", |state| {
        state.stencil.iter_mut().flatten().for_each(|test| test.depth_fail = test.fail);
        Some(())
    }),
    rendering("no depth test", |state| state.depth_test.take().map(|_| ())),
    rendering("depths not written", |state| state.writes_depth.then(|| state.writes_depth = false)),
    rendering("depths always written", |state| {
        (!state.writes_depth).then(|| state.writes_depth = true)
    }),
    rendering("the tiles of the depth buffer taken for lines", |state| {
        let buffer = state.depth_buffer.as_mut().filter(|buffer| buffer.is_tiled)?;
        buffer.is_tiled = false;
        Some(())
    }),
    rendering("lines of the depth buffer further apart", |state| {
        let buffer = state.depth_buffer.as_mut().filter(|buffer| !buffer.is_tiled)?;
        buffer.pitch += 64;
        Some(())
    }),
    disturb("the first byte not written", first_byte_lost),
    disturb("one byte too much written", byte_too_much),
    disturb("the last pixel of memory not written", |i, before, after| {
        let last = after.memory.graphics.len() - 1;
        if changed(i, before, after).last() == Some(last) {
            after.memory.graphics[last] = before.memory.graphics[last];
        }
    }),
    disturb("pixels under the mask of the send", |i, before, after| {
        let off = Predicate { control: PredicateControl::Sequential, inverse: false };
        let flag = before.flag[usize::from(i.flag_subregister)];
        if i.predicate == off && flag & 1 == 0 {
            let first: Vec<usize> = changed(i, before, after).take(4).collect();
            for place in first {
                after.memory.graphics[place] = before.memory.graphics[place];
            }
        }
    }),
    disturb("the answer of a write written", |i, before, after| {
        if let Some(first) = reply(i).filter(|_| changed(i, before, after).next().is_some()) {
            after.grf[first][0] ^= 1;
        }
    }),
];

/// Changes the surface states of render targets, which are behind the others.
fn each_target(
    around: &mut Environment,
    change: impl Fn(&mut [u32; 6]) -> Option<()>,
) -> Option<()> {
    each_surface(around, |state| (state[0] >> 29 < 5).then(|| change(state))?)
}
