//! Memory writes and exports.

use parallax_isa::r700::{
    Cf, CfOpcode,
    case::ProgramType,
    microcode::{ExportBuffer, ExportSwizzle},
};

use super::{DECLARED, modes};
use crate::{choices::Choices, r700::layout::Item};

/// A write to a buffer that programs of a kind have.
pub(super) fn write(choices: &mut Choices, kind: ProgramType) -> ExportBuffer {
    use CfOpcode::*;
    use ProgramType::{Compute, Copy, Export, Geometry, Pixel, Vertex};
    let opcodes: &[CfOpcode] = match kind {
        Vertex | Export => &[
            MemExport,
            MemStream0,
            MemStream1,
            MemStream2,
            MemStream3,
            MemRing,
            MemScratch,
            MemReduction,
        ],
        Geometry | Copy | Pixel => &[MemExport, MemRing, MemScratch, MemReduction],
        Compute => &[MemExport, MemScratch, MemReduction],
    };
    let opcode = *choices.pick(opcodes);
    let private = matches!(opcode, MemScratch | MemReduction);
    let element_size = match opcode {
        MemScratch | MemReduction => 3,
        // Only scatter writes have three dwords.
        MemExport => *choices.pick(&[0, 1, 2, 3]),
        _ => *choices.pick(&[0, 1, 3]),
    };
    let steps = if choices.sometimes(32) { 16 } else { 4 };
    let mut below = |bound: usize| choices.below(bound) as u32;
    let word = ExportBuffer::default()
        .with(ExportBuffer::CF_INST, opcode.code())
        .with(ExportBuffer::BARRIER, 1)
        .with(ExportBuffer::TYPE, below(4))
        .with(ExportBuffer::ARRAY_BASE, below(if private { 4 } else { 40 }))
        .with(ExportBuffer::ARRAY_SIZE, below(if private { 6 } else { 300 }))
        .with(ExportBuffer::RW_GPR, below(DECLARED))
        .with(ExportBuffer::RW_REL, below(2))
        .with(ExportBuffer::INDEX_GPR, below(DECLARED))
        .with(ExportBuffer::ELEM_SIZE, element_size)
        .with(ExportBuffer::COMP_MASK, below(16))
        .with(ExportBuffer::BURST_COUNT, below(steps));
    let [quads, valid] = modes(choices);
    word.with(ExportBuffer::WHOLE_QUAD_MODE, quads).with(ExportBuffer::VALID_PIXEL_MODE, valid)
}

/// Makes the last export of each kind an EXPORT_DONE and the others EXPORT.
pub(super) fn finish_exports(items: &mut [Item]) {
    let mut finished = [false; 4];
    for item in items.iter_mut().rev() {
        let Cf::Export(word) = &mut item.cf else { continue };
        let is_last = !std::mem::replace(&mut finished[word.kind() as usize], true);
        let opcode = if is_last { CfOpcode::ExportDone } else { CfOpcode::Export };
        *word = word.with(ExportSwizzle::CF_INST, opcode.code());
    }
}

/// An export, where programs of a kind have them; [`finish_exports`] tells the last ones.
pub(super) fn export(choices: &mut Choices, kind: ProgramType) -> Option<ExportSwizzle> {
    let (target, first, end) = match kind {
        ProgramType::Pixel => *choices.pick(&[(0, 0, 8), (0, 61, 62)]),
        ProgramType::Vertex | ProgramType::Copy => *choices.pick(&[(2, 0, 32), (1, 60, 64)]),
        _ => return None,
    };
    let base = first + choices.below(end - first);
    let steps = if choices.sometimes(32) { 16 } else { 4 };
    let burst = choices.below((end - base).min(steps)) as u32;
    let [x, y, z, w] = [0; 4].map(|_: u32| *choices.pick(&[0, 1, 2, 3, 4, 5, 7]));
    let mut below = |bound: usize| choices.below(bound) as u32;
    let word = ExportSwizzle::default()
        .with(ExportSwizzle::CF_INST, CfOpcode::Export.code())
        .with(ExportSwizzle::BARRIER, 1)
        .with(ExportSwizzle::TYPE, target)
        .with(ExportSwizzle::ARRAY_BASE, base as u32)
        .with(ExportSwizzle::RW_GPR, below(DECLARED))
        .with(ExportSwizzle::RW_REL, below(2))
        .with(ExportSwizzle::ELEM_SIZE, below(4))
        .with(ExportSwizzle::SEL_X, x)
        .with(ExportSwizzle::SEL_Y, y)
        .with(ExportSwizzle::SEL_Z, z)
        .with(ExportSwizzle::SEL_W, w)
        .with(ExportSwizzle::BURST_COUNT, burst);
    let [quads, valid] = modes(choices);
    Some(
        word.with(ExportSwizzle::WHOLE_QUAD_MODE, quads)
            .with(ExportSwizzle::VALID_PIXEL_MODE, valid),
    )
}
