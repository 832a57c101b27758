//! Regions and the examples of them (sections on region parameters and on SIMD modes).

use parallax_isa::eu::{
    Opcode::{Add, Sad2, Sada2},
    operand::{Region, Register, VerticalStride},
};

use crate::{Rule, rule::rule};

pub(super) const RULES: &[Rule] = &[
    rule("gen7.region.model").when(|s| s.any_region(|_| true)),
    rule("gen7.region.address").when(|s| s.any_region(|source| source.align1().is_some())),
    rule("gen7.region.row-major").when(|s| s.any_region(|source| source.has_rows(s.size()))),
    rule("gen7.region.origin").when(|s| {
        s.any_register(|source| matches!(source.register, Register::Direct { subregister, .. } if subregister != 0))
    }),
    rule("gen7.region.type").unconditional(),
    rule("gen7.region.width").when(|s| s.any_region(|source| source.has_rows(s.size()))),
    rule("gen7.region.horzstride").when(|s| {
        s.any_region(|source| matches!(source.align1(), Some((_, width, horizontal)) if width > 1 && horizontal > 1))
    }),
    rule("gen7.region.vertstride").when(|s| {
        s.any_region(|source| {
            source.has_rows(s.size())
                && source.align1().is_some_and(|(vertical, width, horizontal)| vertical != width * horizontal)
        })
    }),
    rule("gen7.region.rows").when(|s| s.any_region(|source| source.has_rows(s.size()))),
    rule("gen7.region.byte-array").when(|s| {
        s.any_register(|source| match source.register {
            Register::Direct { subregister, .. } => source.arf().is_none() && subregister != 0,
            Register::Indirect { .. } => true,
        })
    }),
    rule("gen7.region.interleave").when(|s| s.any_region(|source| source.interleaves())),
    rule("gen7.region.example-16-8-2").when(|s| s.size() == 16 && s.reads((16, 8, 2))),
    rule("gen7.region.example-1-8-2").when(|s| s.size() == 16 && s.reads((1, 8, 2))),
    rule("gen7.region.dst-size").of(&[Sad2, Sada2]).unconditional(),
    rule("gen7.simd4.execsize-limit").when(|s| {
        s.has_exact_result() && usize::from(s.size()) * s.destination().data_type.size() < 32
    }),
    rule("gen7.simd4.example").of(&[Add]).when(|s| {
        s.size() == 4 && s.any_region(|source| source.align16().is_some_and(|(swizzle, _)| swizzle != [0, 1, 2, 3]))
    }),
    rule("gen7.simd4x2.example").of(&[Add]).when(|s| {
        s.size() == 8 && s.any_region(|source| source.align16().is_some_and(|(swizzle, _)| swizzle != [0, 1, 2, 3]))
    }),
    rule("gen7.simd4x2.shared-constant").when(|s| {
        s.size() == 8 && s.any_in_second_group()
            && s.any_region(|source| {
                matches!(source.region, Region::Align16 { vertical: VerticalStride::Elements(0), .. })
            })
    }),
    rule("gen7.simd8.sechalf").when(|s| s.size() == 16 && s.any_in_upper_half()),
    rule("gen7.simd16.example").of(&[Add]).when(|s| s.size() == 16 && s.any_in_upper_half()),
    rule("gen7.simd16.exec-mask").when(|s| s.size() == 16 && s.is_masked()),
    rule("gen7.simd16.scalar-replicate").when(|s| s.size() == 16 && s.reads_scalar()),
];
