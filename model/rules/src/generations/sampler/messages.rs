//! Descriptors, lengths, types and parameters of messages.

use parallax_isa::{
    device::Generation::{Gen8, Gen9, Gen12},
    eu::instruction::Descriptor,
};

use super::SAMPLING_ENGINE;
use crate::{
    Rule,
    flow::Flow,
    generations::messages::{ALL, has_second_part, is_taken},
    rule::{Decides::Result, flow, sample},
    sampler::{
        Kind,
        Mode::{self, Simd4x2, Simd8, Simd16},
        Sample,
    },
};

/// A rule on a type of messages and the order of their parameters.
const fn of_type<const CODE: u32>(id: &str) -> Rule {
    sample(id, |s| {
        let has_order = s.has_order() || s.message.form.parameters.len() < 2;
        s.code() == CODE && s.is_answered() && has_order
    })
}

/// One of Gen7 that another one replaces later.
const fn gen7<const CODE: u32>(id: &str) -> Rule {
    of_type::<CODE>(id).until(Gen8)
}

/// One of Gen9 that another one replaces later.
const fn gen9<const CODE: u32>(id: &str) -> Rule {
    of_type::<CODE>(id).since(Gen9).until(Gen9)
}

const fn gen12<const CODE: u32>(id: &str) -> Rule {
    of_type::<CODE>(id).since(Gen12)
}

/// Whether some channels are enabled and others are not.
fn is_partial(s: Sample) -> bool {
    let mut active = s.message.entities.iter().map(|entity| entity.is_active);
    let first = active.next();
    active.any(|other| Some(other) != first)
}

/// Whether a descriptor names something else than the first surface and sampler.
fn names_states(s: Sample) -> bool {
    s.is_answered() && s.samples() && s.message.surface_index != 0 && s.message.sampler_index != 0
}

fn is_to_sampler(f: Flow) -> bool {
    let target = f.instruction.message.map(|message| message.shared_function);
    is_taken(f) && target == Some(SAMPLING_ENGINE)
}

/// Whether trailing parameters are left out.
fn leaves_parameters_out(s: Sample) -> bool {
    let form = &s.message.form;
    let sent = s.message.entities.first().map_or(0, |entity| entity.parameters().len());
    sent < form.parameters.len() && !matches!(form.kind, Kind::Sampleinfo)
}

/// Whether pixels of a mode have parameters that differ.
fn differs(s: Sample, mode: Mode) -> bool {
    s.mode() == mode && s.has_order()
}

pub(super) const RULES: &[Rule] = &[
    sample("gen7.tex.desc.fields", names_states).until(Gen8),
    sample("gen9.tex.desc.fields", |s| names_states(s) && s.message.is_half).since(Gen9),
    sample("gen7.tex.desc.simd-exec", |s| {
        s.is_answered() && (is_partial(s) || differs(s, Simd16) || differs(s, Simd8))
    }),
    flow("gen7.tex.desc.indirect", Result, ALL, |f| {
        let descriptor = f.instruction.message.map(|message| message.descriptor);
        is_to_sampler(f) && descriptor == Some(Descriptor::Address)
    }),
    flow("gen9.tex.desc.split", Result, ALL, |f| is_to_sampler(f) && has_second_part(f))
        .since(Gen9),
    // Lengths.
    sample("gen7.tex.len.trailing", |s| s.is_answered() && leaves_parameters_out(s)),
    sample("gen9.tex.len.response", |s| {
        !s.request.has_header && s.mode() != Simd4x2 && s.returned() < 4
    })
    .since(Gen9),
    // Types.
    gen7::<0>("gen7.tex.msg.sample"),
    gen9::<0>("gen9.tex.msg.sample"),
    gen12::<0>("gen12.tex.msg.sample"),
    gen7::<1>("gen7.tex.msg.sample_b"),
    gen9::<1>("gen9.tex.msg.sample_b"),
    gen12::<1>("gen12.tex.msg.sample_b"),
    gen7::<2>("gen7.tex.msg.sample_l"),
    gen9::<2>("gen9.tex.msg.sample_l"),
    gen12::<2>("gen12.tex.msg.sample_l"),
    gen7::<3>("gen7.tex.msg.sample_c"),
    gen9::<3>("gen9.tex.msg.sample_c"),
    gen12::<3>("gen12.tex.msg.sample_c"),
    gen7::<4>("gen7.tex.msg.sample_d"),
    gen9::<4>("gen9.tex.msg.sample_d"),
    gen12::<4>("gen12.tex.msg.sample_d"),
    gen7::<5>("gen7.tex.msg.sample_b_c"),
    gen9::<5>("gen9.tex.msg.sample_b_c"),
    gen12::<5>("gen12.tex.msg.sample_b_c"),
    gen7::<6>("gen7.tex.msg.sample_l_c"),
    gen9::<6>("gen9.tex.msg.sample_l_c"),
    gen12::<6>("gen12.tex.msg.sample_l_c"),
    gen7::<7>("gen7.tex.msg.ld"),
    gen9::<7>("gen9.tex.msg.ld"),
    gen12::<7>("gen12.tex.msg.ld"),
    gen7::<8>("gen7.tex.msg.gather4"),
    gen9::<8>("gen9.tex.msg.gather4"),
    gen12::<8>("gen12.tex.msg.gather4"),
    gen7::<9>("gen7.tex.msg.lod"),
    gen9::<9>("gen9.tex.msg.lod"),
    gen12::<9>("gen12.tex.msg.lod"),
    gen7::<10>("gen7.tex.msg.resinfo"),
    gen9::<10>("gen9.tex.msg.resinfo"),
    gen12::<10>("gen12.tex.msg.resinfo"),
    gen7::<11>("gen7.tex.msg.sampleinfo"),
    gen9::<11>("gen9.tex.msg.sampleinfo"),
    gen12::<11>("gen12.tex.msg.sampleinfo"),
    gen7::<16>("gen7.tex.msg.gather4_c"),
    gen9::<16>("gen9.tex.msg.gather4_c"),
    gen12::<16>("gen12.tex.msg.gather4_c"),
    gen7::<17>("gen7.tex.msg.gather4_po"),
    gen9::<17>("gen9.tex.msg.gather4_po"),
    gen12::<17>("gen12.tex.msg.gather4_po"),
    gen7::<18>("gen7.tex.msg.gather4_po_c"),
    gen9::<18>("gen9.tex.msg.gather4_po_c"),
    gen12::<18>("gen12.tex.msg.gather4_po_c"),
    gen9::<20>("gen9.tex.msg.sample_d_c"),
    gen12::<20>("gen12.tex.msg.sample_d_c"),
    gen9::<24>("gen9.tex.msg.sample_lz"),
    gen12::<24>("gen12.tex.msg.sample_lz"),
    gen9::<25>("gen9.tex.msg.sample_c_lz"),
    gen12::<25>("gen12.tex.msg.sample_c_lz"),
    gen9::<26>("gen9.tex.msg.ld_lz"),
    gen12::<26>("gen12.tex.msg.ld_lz"),
    gen7::<29>("gen7.tex.msg.ld_mcs"),
    gen9::<29>("gen9.tex.msg.ld_mcs"),
    gen12::<29>("gen12.tex.msg.ld_mcs"),
];
