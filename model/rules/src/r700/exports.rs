//! Exports and memory writes (section 3.4).

use parallax_isa::r700::{
    Cf,
    CfOpcode::{
        self, Export, ExportDone, MemExport, MemReduction, MemRing, MemScratch, MemStream0,
        MemStream1, MemStream2, MemStream3,
    },
    case::ProgramType,
    microcode::{ExportBuffer, ExportSwizzle},
    state::PIXELS,
};

use super::{
    control::Flow,
    rule::{Rule, flow},
};
use crate::Decides;

const EXPORTS: &[CfOpcode] = &[Export, ExportDone];
const WRITES: &[CfOpcode] =
    &[MemScratch, MemReduction, MemStream0, MemStream1, MemStream2, MemStream3, MemRing, MemExport];

/// The words of an export that is done for some pixel.
fn export(f: Flow) -> Option<ExportSwizzle> {
    match f.cf {
        Cf::Export(word) if f.base(f.before.pixels.active) & f.before.valid != 0 => Some(word),
        _ => None,
    }
}

/// The words of a memory write that is done for some pixel.
fn write(f: Flow) -> Option<ExportBuffer> {
    match f.cf {
        Cf::Memory(word) if f.base(f.before.pixels.active) != 0 => Some(word),
        _ => None,
    }
}

/// A rule of exports that meet a condition.
fn exports(f: Flow, when: impl Fn(ExportSwizzle) -> bool) -> bool {
    export(f).is_some_and(when)
}

/// A rule of memory writes that meet a condition.
fn writes(f: Flow, when: impl Fn(ExportBuffer) -> bool) -> bool {
    write(f).is_some_and(when)
}

/// Whether a relative register is beyond the declared ones.
fn is_beyond(f: Flow, number: u32, burst: u32) -> bool {
    number + burst + f.before.current_loop.index >= f.case.gpr_count
}

/// Whether a pixel writes an element that is past the array.
fn is_past(f: Flow, word: ExportBuffer) -> bool {
    let executing = f.base(f.before.pixels.active);
    let index = |pixel: usize| match word.kind() & 1 {
        1 => i64::from(f.after.gpr[word.index_gpr() as usize][0][pixel].cast_signed()),
        _ => 0,
    };
    (0..PIXELS)
        .filter(|pixel| executing >> pixel & 1 == 1)
        .any(|pixel| index(pixel) + i64::from(word.burst_count()) > i64::from(word.array_size()))
}

pub(super) const RULES: &[Rule] = &[
    flow("r700.cf.test.no-cond", EXPORTS, |f| export(f).is_some() && f.is_mixed()),
    flow("r700.cf.test.discard", EXPORTS, |f| {
        f.base(f.before.pixels.active) != f.before.pixels.active
    })
    .decides_of(Decides::PixelStates),
    flow("r700.exp.kinds", EXPORTS, |f| export(f).is_some()),
    flow("r700.exp.burst", EXPORTS, |f| exports(f, |word| word.burst_count() > 0)),
    flow("r700.exp.array-base.mrt", EXPORTS, |f| {
        exports(f, |word| word.kind() == 0 && word.array_base() < 8)
    }),
    flow("r700.exp.array-base.z", EXPORTS, |f| {
        exports(f, |word| word.kind() == 0 && word.array_base() > 7)
    }),
    flow("r700.exp.array-base.pos", EXPORTS, |f| exports(f, |word| word.kind() == 1)),
    flow("r700.exp.array-base.param", EXPORTS, |f| exports(f, |word| word.kind() == 2)),
    flow("r700.exp.swizzle", EXPORTS, |f| {
        exports(f, |word| [word.sel_x(), word.sel_y(), word.sel_z(), word.sel_w()] != [0, 1, 2, 3])
    }),
    flow("r700.exp.active", EXPORTS, |f| {
        export(f).is_some() && f.base(f.before.pixels.active) != u64::MAX
    }),
    flow("r700.exp.relative", EXPORTS, |f| {
        exports(f, |word| word.rw_rel() == 1 && f.before.current_loop.index != 0)
    }),
    flow("r700.exp.oob.read", EXPORTS, |f| {
        exports(f, |word| word.rw_rel() == 1 && is_beyond(f, word.rw_gpr(), word.burst_count()))
    }),
    flow("r700.exp.elem-size-ignored", EXPORTS, |f| exports(f, |word| word.elem_size() > 0)),
    flow("r700.memw.list", WRITES, |f| write(f).is_some()),
    flow("r700.memw.any-program", WRITES, |f| {
        write(f).is_some() && f.case.program_type != ProgramType::Pixel
    }),
    flow("r700.memw.total", WRITES, |f| {
        writes(f, |word| word.burst_count() + word.elem_size() > 0)
    }),
    flow("r700.memw.addr", WRITES, |f| f.opcode != MemExport && write(f).is_some()),
    flow("r700.memw.units", WRITES, |f| {
        f.opcode != MemExport && writes(f, |word| word.array_base() != 0)
    }),
    flow("r700.memw.index", WRITES, |f| writes(f, |word| word.kind() & 1 == 1)),
    flow("r700.memw.clamp", WRITES, |f| {
        f.opcode != MemExport && writes(f, |word| is_past(f, word))
    }),
    flow("r700.memw.mask", WRITES, |f| {
        writes(f, |word| !word.comp_mask() & ((2 << word.elem_size()) - 1) != 0)
    }),
    flow("r700.memw.type", WRITES, |f| writes(f, |word| word.kind() > 0)),
    flow("r700.memw.oob", WRITES, |f| {
        writes(f, |word| word.rw_rel() == 1 && is_beyond(f, word.rw_gpr(), word.burst_count()))
    }),
    flow("r700.memw.export.addr", &[MemExport], |f| write(f).is_some()),
    flow("r700.memw.export.es", &[MemExport], |f| {
        writes(f, |word| word.burst_count() > 0 && word.elem_size() > 0)
    }),
    flow("r700.memw.export.size", &[MemExport], |f| writes(f, |word| is_past(f, word))),
    flow("r700.exp.killed", EXPORTS, |f| f.base(f.before.pixels.active) & !f.before.valid != 0),
    flow("r700.memw.burst.gpr", WRITES, |f| writes(f, |word| word.burst_count() > 0)),
    flow("r700.memw.elem.components", WRITES, |f| writes(f, |word| word.elem_size() < 3)),
    flow("r700.memw.rw-rel", WRITES, |f| {
        writes(f, |word| word.rw_rel() == 1 && f.before.current_loop.index != 0)
    }),
];
