//! Regions and addresses (sections 11.3.5 to 11.3.7 and 11.4.2).

use parallax_isa::eu::{
    operand::{DestinationRegion, Register},
    register::{ArfKind, RegisterFile},
};

use super::super::g45;
use crate::{
    Rule,
    step::{RegisterSource, Step},
};

const WHOLE_GROUP: [u8; 4] = [0, 1, 2, 3];

/// Whether elements of a source are chosen among those of a group of four.
fn swizzles(step: Step) -> bool {
    step.any_region(|source| source.align16().is_some_and(|(swizzle, _)| swizzle != WHOLE_GROUP))
}

/// Whether a source is read in rows of several elements of which there are several.
fn has_rows(step: Step) -> bool {
    step.any_region(|source| source.has_rows(step.size()))
}

fn is_direct(source: RegisterSource) -> bool {
    source.arf().is_none() && !source.is_indirect()
}

/// Whether a source starts within a general register.
fn starts_within(step: Step) -> bool {
    step.any_register(|source| is_direct(source) && source.subregister() != Some(0))
}

/// Whether rows have an address each, of some width.
fn has_addresses(step: Step, which: impl Fn(u8) -> bool) -> bool {
    step.any_region(|source| source.row_addresses().is_some_and(&which))
}

fn is_indirect(step: Step) -> bool {
    step.any_register(|source| source.is_indirect())
}

/// Whether elements of some bytes are read of a region that the manual names.
fn is_example(step: Step, bytes: usize, region: (u8, u8, u8)) -> bool {
    step.any_region(|source| source.data_type.size() == bytes && source.align1() == Some(region))
}

/// Whether a row is read again and again, in part, or one element of it.
fn has_special_shape(step: Step) -> bool {
    step.any_region(|source| match source.align1() {
        Some((0, width, 1)) => width < step.size(),
        Some((1, 2.., 1) | (1.., 2.., 0)) => true,
        _ => false,
    })
}

/// Whether results of several channels go to a destination of some file.
fn writes(step: Step, file: RegisterFile) -> bool {
    step.has_exact_result() && step.destination().register.file() == file
}

/// Whether the destination has bytes between its elements, or after them.
fn leaves_bytes(step: Step) -> bool {
    let destination = step.destination();
    let is_sparse = matches!(destination.region, DestinationRegion::Stride(stride) if stride > 1);
    let is_short = usize::from(step.size()) * destination.data_type.size() < 32;
    destination.register.arf().is_none() && step.has_exact_result() && (is_sparse || is_short)
}

/// Whether an architecture register is read that has several elements.
fn reads_architecture(step: Step) -> bool {
    use ArfKind::{Accumulator, Null};
    step.any_register(|source| source.arf().is_some_and(|kind| kind != Null && kind != Accumulator))
}

pub(in super::super) const RULES: &[Rule] = &[
    g45("g45.gen.term.horzstride").when(|s| {
        s.any_region(|source| matches!(source.align1(), Some((_, 2.., 2..))))
    }),
    g45("g45.gen.term.vertstride").when(has_rows),
    g45("g45.gen.term.subregister").when(starts_within),
    g45("g45.gen.term.mrf-writeonly").when(|s| writes(s, RegisterFile::Mrf)),
    g45("g45.exec.simd4").when(|s| s.size() == 4 && s.is_align16() && s.has_several_results()),
    g45("g45.exec.simd4x2").when(|s| s.size() == 8 && s.any_in_second_group() && swizzles(s)),
    g45("g45.exec.simd4x2-vstride0").when(|s| {
        s.size() == 8
            && s.any_in_second_group()
            && s.any_region(|source| source.align16().is_some_and(|(_, repeats)| repeats))
    }),
    g45("g45.rf.files").when(|s| s.any_register(|source| source.arf().is_none())),
    g45("g45.grf.size").when(|s| s.any_register(is_direct)),
    g45("g45.mrf.properties").when(|s| writes(s, RegisterFile::Mrf)),
    g45("g45.arf.region").when(reads_architecture),
    g45("g45.region.row-major").when(has_rows),
    g45("g45.region.address").when(|s| s.any_region(|source| source.align1().is_some())),
    g45("g45.region.height").when(has_rows),
    g45("g45.region.origin").when(starts_within),
    g45("g45.region.interleave").when(|s| s.any_region(|source| source.interleaves())),
    g45("g45.region.scalar").when(|s| s.reads_scalar()),
    g45("g45.region.shapes").when(has_special_shape),
    g45("g45.region.dst-1d").when(|s| s.has_several_results()),
    g45("g45.region.dst-size").when(|s| s.has_several_results()),
    g45("g45.region.dst-implies-bytes").when(leaves_bytes),
    g45("g45.addr.direct").when(|s| s.any_region(is_direct)),
    g45("g45.addr.indirect-origin").when(is_indirect),
    g45("g45.addr.index-unsigned").when(is_indirect),
    g45("g45.addr.indirect-1x1").when(|s| {
        s.any_register(|source| source.is_indirect() && source.row_addresses().is_none())
    }),
    g45("g45.addr.group-count").when(|s| has_addresses(s, |_| true)),
    g45("g45.addr.indirect-vx1").when(|s| has_addresses(s, |width| width > 1)),
    g45("g45.addr.indirect-vxh").when(|s| has_addresses(s, |width| width == 1)),
    g45("g45.access.align1").when(|s| s.any_region(|source| source.align1().is_some())),
    g45("g45.access.align16-swizzle").when(swizzles),
    g45("g45.rr.2-mapping").when(has_rows),
    g45("g45.rr.5-vstride-free").when(|s| {
        s.has_several_results()
            && s.any_register(|source| {
                matches!(source.align1(), Some((1.., width, 0)) if width == s.size())
            })
    }),
    g45("g45.rr.10-5-byte-odd").when(|s| {
        s.destination().data_type.size() == 1
            && writes(s, RegisterFile::Grf)
            && matches!(s.destination().register, Register::Direct { subregister, .. } if subregister % 2 == 1)
    }),
    g45("g45.vec.region-r4-1").when(|s| is_example(s, 1, (32, 8, 4))),
    g45("g45.vec.region-r5-0")
        .when(|s| is_example(s, 1, (1, 8, 4)) || is_example(s, 2, (1, 8, 2))),
    g45("g45.vec.region-two-sources").when(|s| is_example(s, 1, (16, 8, 1))),
    g45("g45.vec.region-replicated").when(|s| is_example(s, 1, (16, 8, 0))),
    g45("g45.vec.gather-uw")
        .when(|s| has_addresses(s, |width| usize::from(width) * 8 == usize::from(s.size()))),
    // Fields, units and the manual's programs.
    g45("g45.field.regnum.address").when(starts_within),
    g45("g45.field.vertstride.vxh").when(|s| has_addresses(s, |_| true)),
    g45("g45.field.chansel.semantics").when(swizzles),
    g45("g45.dw1.dst.align16-stride").when(|s| s.is_align16() && s.has_several_results()),
    g45("g45.dw2.align16.region").when(|s| s.any_region(|source| source.align16().is_some())),
    g45("g45.pg.ex.trans").when(|s| is_example(s, 4, (0, 8, 1))),
    g45("g45.pg.ex.trans-indirect").when(|s| {
        s.any_register(|source| matches!(source.register, Register::Indirect { offset, .. } if offset != 0))
    }),
    g45("g45.pg.ex.trans-vx1").when(|s| has_addresses(s, |width| width > 1)),
    g45("g45.pg.ex.trans-vxh").when(|s| has_addresses(s, |width| width == 1)),
    g45("g45.pg.vec.px-index").when(|s| has_addresses(s, |width| width == 1)),
    g45("g45.sys.units.subregister").when(starts_within),
];
