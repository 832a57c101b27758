//! Render target writes and reads of Gen7 and later.

use parallax_isa::{
    device::Generation::{Gen7, Gen8, Gen12},
    surface::{Name, Numeric},
};
use parallax_reference::eu::{ReachedTexel, WriteParts};

use crate::{
    Rule,
    access::{
        Access,
        Port::{self, RenderTarget, RenderTargetRead},
    },
    rule::{Decides, access},
};

const WRITE: &[Port] = &[RenderTarget];
const READ: &[Port] = &[RenderTargetRead];
const BOTH: &[Port] = &[RenderTarget, RenderTargetRead];

// Subtypes.
const SINGLE_16: u32 = 0;
const REPLICATED: u32 = 1;
const DUAL_LOW: u32 = 2;
const DUAL_HIGH: u32 = 3;
const SINGLE_8: u32 = 4;

// Parts beside the colours, as bits.
const NONE: u32 = 0;
const ALPHA: u32 = 1;
const MASK: u32 = 2;
const DEPTH: u32 = 4;
const STENCIL: u32 = 8;

/// A rule of what writes leave in memory.
const fn write(id: &str, when: fn(Access) -> bool) -> Rule {
    access(id, WRITE, when).decides_of(Decides::Stored)
}

/// A rule of pixels that a write leaves as they are.
const fn keep(id: &str, when: fn(Access) -> bool) -> Rule {
    access(id, WRITE, when).decides_of(Decides::Memory)
}

/// A rule of a sequence of parts of a subtype.
const fn sequence<const SUBTYPE: u32, const PARTS: u32>(id: &str) -> Rule {
    write(id, |s| writes_subtype(s, SUBTYPE) && !is_half(s) && bits(s.parts) == PARTS)
}

/// The same of two colours for each pixel.
const fn dual<const PARTS: u32>(id: &str) -> Rule {
    write(id, |s| writes_two(s) && !is_half(s) && bits(s.parts) == PARTS)
}

fn bits(parts: WriteParts) -> u32 {
    let WriteParts { has_alpha, has_mask, has_depth, has_stencil } = parts;
    [(has_alpha, ALPHA), (has_mask, MASK), (has_depth, DEPTH), (has_stencil, STENCIL)]
        .into_iter()
        .filter(|(has, _)| *has)
        .fold(NONE, |bits, (_, bit)| bits | bit)
}

fn subtype(s: Access) -> u32 {
    s.control(10, 8)
}

/// Whether components have 16 bits.
fn is_half(s: Access) -> bool {
    s.request.format_control & 2 == 2
}

/// Whether the null bit of the extended descriptor drops its colours.
fn has_null_bit(s: Access) -> bool {
    s.device.generation() == Some(Gen12) && s.request.extended_descriptor >> 20 & 1 == 1
}

fn executes(s: Access, texel: &ReachedTexel) -> bool {
    s.request.channel_enables >> texel.channel & 1 == 1
}

/// Whether nothing takes a pixel out.
fn lights(texel: &ReachedTexel) -> bool {
    texel.is_enabled && texel.is_sampled
}

/// The pixels whose colours arrive.
fn written(s: Access<'_>) -> impl Iterator<Item = &ReachedTexel> {
    let texels = s.0.texels.iter().filter(move |_| !has_null_bit(s));
    texels.filter(|texel| lights(texel) && texel.address.is_some())
}

pub(super) fn writes(s: Access) -> bool {
    written(s).next().is_some()
}

fn writes_subtype(s: Access, which: u32) -> bool {
    writes(s) && subtype(s) == which
}

/// Whether two colours for each pixel are sent.
fn writes_two(s: Access) -> bool {
    writes(s) && matches!(subtype(s), DUAL_LOW | DUAL_HIGH)
}

/// Whether some pixels that would change are left as they are, by a condition.
fn keeps(s: Access, which: impl Fn(&ReachedTexel) -> bool) -> bool {
    !has_null_bit(s) && s.0.texels.iter().any(|texel| texel.address.is_some() && which(texel))
}

/// Whether the mask of header or dispatch takes a pixel out that the send executes.
pub(super) fn masks(s: Access) -> bool {
    keeps(s, |texel| !texel.is_enabled && executes(s, texel))
}

/// Whether the format has a component that is no float of 32 bits and no integer.
fn converts(s: Access) -> bool {
    s.surface_format().is_some_and(|format| {
        let is_integer = |numeric| matches!(numeric, Numeric::Uint | Numeric::Sint);
        format.layout.components().any(|c| !is_integer(c.numeric) && c.bits < 32)
    })
}

/// Whether an integer that is written is beyond the range of its component.
fn clamps_integers(s: Access) -> bool {
    s.surface_format().is_some_and(|format| {
        format.layout.components().any(|component| {
            let names = [Name::R, Name::G, Name::B, Name::A];
            let Some(channel) = names.iter().position(|name| *name == component.name) else {
                return false;
            };
            let above = 32_u32.saturating_sub(component.bits.into());
            let fits = |value: u32| match component.numeric {
                Numeric::Uint => value << above >> above == value,
                Numeric::Sint => (value << above).cast_signed() >> above == value.cast_signed(),
                _ => true,
            };
            written(s).any(|texel| !fits(texel.colour[channel]))
        })
    })
}

fn has_second_group(s: Access) -> bool {
    !s.request.has_header && s.control(11, 11) == 1
}

/// Whether the parts are known by the header or the length of the message, and there are some.
fn has_found_parts(s: Access) -> bool {
    bits(s.parts) & !ALPHA != NONE
}

pub(super) const RULES: &[Rule] = &[
    write("gen7.rt.desc.fields", writes),
    access("gen9.rt.desc.fields", BOTH, |s| {
        writes(s) && (s.port() == RenderTargetRead || is_half(s))
    })
    .since(Gen8),
    write("gen12.rt.desc.ex", |s| writes(s) && s.request.extended_descriptor >> 12 & 0xF != 0)
        .since(Gen12),
    write("gen7.rt.subtype", writes),
    write("gen7.rt.hdr.regs", |s| writes(s) && s.request.has_header),
    keep("gen7.rt.mask", |s| keeps(s, |texel| !texel.is_enabled)),
    keep("gen7.rt.mask-kill", |s| s.request.has_header && masks(s)).until(Gen7),
    keep("gen9.rt.mask-kill", |s| !s.request.has_header && keeps(s, |texel| !executes(s, texel)))
        .since(Gen8),
    write("gen7.rt.order", |s| writes(s) && subtype(s) != REPLICATED),
    sequence::<SINGLE_8, NONE>("gen7.rt.seq.colour-simd8"),
    sequence::<SINGLE_16, NONE>("gen7.rt.seq.colour-simd16"),
    sequence::<SINGLE_8, DEPTH>("gen7.rt.seq.colour-depth-simd8"),
    sequence::<SINGLE_16, DEPTH>("gen7.rt.seq.colour-depth-simd16"),
    sequence::<SINGLE_8, MASK>("gen7.rt.seq.omask-colour-simd8"),
    sequence::<SINGLE_16, MASK>("gen7.rt.seq.omask-colour-simd16"),
    sequence::<SINGLE_8, { MASK | DEPTH }>("gen7.rt.seq.omask-colour-depth-simd8"),
    sequence::<SINGLE_16, { MASK | DEPTH }>("gen7.rt.seq.omask-colour-depth-simd16"),
    sequence::<SINGLE_8, ALPHA>("gen7.rt.seq.alpha-colour-simd8"),
    sequence::<SINGLE_16, ALPHA>("gen7.rt.seq.alpha-colour-simd16"),
    sequence::<SINGLE_8, { ALPHA | MASK | DEPTH }>("gen7.rt.seq.alpha-omask-colour-depth-simd8"),
    sequence::<SINGLE_8, STENCIL>("gen9.rt.seq.colour-stencil-simd8").since(Gen8),
    sequence::<SINGLE_8, { DEPTH | STENCIL }>("gen9.rt.seq.colour-depth-stencil-simd8").since(Gen8),
    dual::<NONE>("gen7.rt.seq.dual-source-simd8"),
    dual::<DEPTH>("gen7.rt.seq.dual-source-depth-simd8"),
    sequence::<REPLICATED, NONE>("gen7.rt.seq.replicated-simd16"),
    keep("gen7.rt.omask", |s| keeps(s, |texel| texel.is_enabled && !texel.is_sampled)),
    write("gen7.rt.alpha0", |s| writes(s) && s.parts.has_alpha),
    write("gen7.rt.presence", |s| writes(s) && has_found_parts(s)),
    write("gen7.rt.replicated", |s| writes_subtype(s, REPLICATED)),
    write("gen7.rt.dual", writes_two),
    write("gen7.rt.pixel-xy", |s| written(s).any(|texel| texel.channel % 4 != 0)),
    write("gen7.rt.convert", |s| writes(s) && converts(s)),
    write("gen7.rt.int", clamps_integers),
    write("gen7.rt.last", |s| writes(s) && s.control(12, 12) == 1),
    keep("gen7.rt.null", |s| {
        let is_dropped =
            |texel: &ReachedTexel| lights(texel) && (s.is_null() || texel.address.is_some());
        (s.is_null() || has_null_bit(s)) && s.0.texels.iter().any(is_dropped)
    }),
    keep("gen12.isa.send.null-rt", |s| {
        let is_dropped = |texel: &ReachedTexel| lights(texel) && texel.address.is_some();
        has_null_bit(s) && s.0.texels.iter().any(is_dropped)
    })
    .since(Gen12),
    access("gen9.rt.read", READ, writes).since(Gen8),
    write("gen9.rt.half", |s| writes(s) && is_half(s)).since(Gen8),
    write("gen7.rt.slot-group", |s| writes(s) && has_second_group(s)),
];
