//! What an execution unit is: channels, masks, operands.

use parallax_isa::eu::{DataType, Opcode, operand::DestinationRegion, register::ArfKind};

use crate::{
    Rule,
    rule::{Decides, rule},
};

pub(super) const RULES: &[Rule] = &[
    rule("gen7.intro.channel-count-logical").when(|s| s.has_several_results()),
    rule("gen7.intro.example-add16")
        .of(&[Opcode::Add])
        .when(|s| s.size() == 16 && s.is_selective() && s.any_element(DataType::F, |_| true)),
    rule("gen7.intro.grf-size").when(|s| s.any_register(|source| source.is_general_above(63))),
    rule("gen7.intro.mask-chanen").when(|s| {
        let region = s.destination().region;
        !s.instruction().no_mask
            && s.has_exact_result()
            && matches!(region, DestinationRegion::ChannelEnable(enable) if enable != 0xF)
    }),
    rule("gen7.intro.no-memory-access").decides_of(Decides::Memory).unconditional(),
    rule("gen7.intro.operand-count").unconditional(),
    rule("gen7.intro.region-span").when(|s| {
        let size = s.size();
        s.any_region(|source| {
            source.align1().is_some_and(|region| leaves_register(region, size, source.data_type))
        })
    }),
    rule("gen7.intro.swizzle-modulo4").when(|s| {
        s.size() >= 8
            && s.any_region(|source| {
                source.align16().is_some_and(|(swizzle, _)| swizzle != [0, 1, 2, 3])
            })
    }),
    rule("gen7.intro.uncond-branch-mov-ip")
        .of(&[Opcode::Mov])
        .when(|s| s.destination().register.arf() == Some(ArfKind::InstructionPointer))
        .decides_of(Decides::NextInstruction),
    rule("gen7.term.bit-numbering")
        .of(&[Opcode::Fbl])
        .when(|s| s.any(|c| c.are(|[bits]| bits & 1 == 0 && bits != 0))),
    rule("gen7.term.compressed")
        .when(|s| s.size() == 16 && s.destination().data_type.size() == 4 && s.any_in_upper_half()),
    rule("gen7.term.packed").when(|s| {
        s.any_region(|source| {
            matches!(source.align1(), Some((vertical, width, 1)) if width > 1 && vertical == width)
        })
    }),
    rule("gen7.term.qword").when(|s| {
        [DataType::Q, DataType::Uq, DataType::Df]
            .iter()
            .any(|data_type| s.any_element(*data_type, |e| e.bits >> 32 != 0 && e.bits << 32 != 0))
    }),
    rule("gen7.gen.ivb-3src-types")
        .of(&[Opcode::Mad, Opcode::Madm, Opcode::Lrp, Opcode::Bfe, Opcode::Bfi2, Opcode::Csel])
        .unconditional(),
    rule("gen7.gen.ivb-bitops")
        .of(&[Opcode::Bfi1, Opcode::Bfi2, Opcode::Bfrev, Opcode::Cbit, Opcode::Fbh, Opcode::Fbl])
        .unconditional(),
    rule("gen7.gen.ivb-execsize32").when(|s| s.size() == 32 && s.any_above(16)),
    rule("gen7.grf.granularity").when(|s| {
        s.destination().register.arf().is_none()
            && s.destination().data_type.size() < 4
            && s.has_exact_result()
    }),
    rule("gen7.reg.files").unconditional(),
];

/// Whether a region spans more than 32 bytes.
fn leaves_register(
    (vertical, width, horizontal): (u8, u8, u8),
    size: u8,
    data_type: DataType,
) -> bool {
    let width = width.max(1);
    let (rows, last) = (size.div_ceil(width), width.min(size) - 1);
    let elements = u32::from(rows - 1) * u32::from(vertical) + u32::from(last * horizontal) + 1;
    elements as usize * data_type.size() > 32
}
