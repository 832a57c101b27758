//! Source operands: selects, modifiers, relative addresses, previous results, constants (sections 4.4 to 4.7).

use parallax_isa::r700::{Alu, Source, source::Inline};

use super::{
    rule::{Rule, rule},
    step::{Operation, Read, SIGN, Step, TRANS},
};

/// Whether a constant of the instruction set is read.
fn reads_inline(step: Step, inline: Inline) -> bool {
    step.reads(|read| read.source() == Some(Source::Inline(inline)))
}

fn reads_double_inline(step: Step) -> bool {
    use Inline::{HalfDoubleHigh, HalfDoubleLow, OneDoubleHigh, OneDoubleLow};
    [OneDoubleLow, OneDoubleHigh, HalfDoubleLow, HalfDoubleHigh]
        .iter()
        .any(|inline| reads_inline(step, *inline))
}

/// Whether an index that is not zero is added to an address of a kind in an index mode.
pub(super) fn adds(step: Step, modes: &[u32], kind: fn(Read) -> bool) -> bool {
    step.reads(|read| {
        modes.contains(&read.slot.alu.index_mode()) && kind(read) && read.any_index(|i| i != 0)
    })
}

/// The same of an address of a register, be it of a source or of the destination.
fn adds_to_register(step: Step, modes: &[u32]) -> bool {
    adds(step, modes, |read| read.is_register()) || {
        let is_moved = |slot: Operation| {
            modes.contains(&slot.alu.index_mode())
                && slot.alu.write_mask()
                && slot.any_destination(|index| index != 0)
        };
        step.slots().any(is_moved)
    }
}

/// Whether a register of all wavefronts is read or written in an index mode.
pub(super) fn uses_global(step: Step, modes: &[u32]) -> bool {
    step.any(|slot| {
        modes.contains(&slot.alu.index_mode())
            && (slot.reads().any(|read| read.is_register() && read.is_relative())
                || slot.alu.dst_rel() == 1 && slot.written != 0)
    })
}

/// Index modes that add an element of the address register, those that are of the wavefront's own registers first.
pub(super) const ADDRESS_MODES: &[u32] = &[0, 1, 2, 3];
pub(super) const LOOP_MODE: &[u32] = &[4];
pub(super) const GLOBAL_MODE: &[u32] = &[5];
pub(super) const GLOBAL_ADDRESS_MODE: &[u32] = &[6, 7];

/// Whether a relative read of the constant cache goes beyond the lines that are locked.
fn beyond_lines(step: Step, lines: i64) -> bool {
    step.reads(|read| {
        read.is_cache()
            && read.window().is_some_and(|window| window.lines() == lines)
            && read.any_index(|index| read.address() + index >= 16 * lines)
    })
}

/// Whether the wavefront's own registers end before a relative address.
fn is_beyond(step: Step, slot: Operation, address: i64) -> bool {
    slot.alu.index_mode() <= 4 && !(0..i64::from(step.case.gpr_count)).contains(&address)
}

/// A `MOV` that only makes a previous result.
pub(super) fn keeps_previous(step: Step) -> bool {
    step.any(|slot| slot.mnemonic() == "MOV" && !slot.alu.write_mask())
}

/// Whether a modifier works on an operand that is not as it makes it.
fn makes_absolute(step: Step) -> bool {
    step.reads(|read| read.operand.absolute && read.any(|bits| bits & SIGN != 0))
}

pub(super) fn negates_absolute(step: Step) -> bool {
    step.reads(|read| read.operand.absolute && read.operand.negate)
}

/// Whether the sign of an operand is changed that is a NaN, an infinity, a zero or a denormal.
pub(super) fn modifies_special(step: Step) -> bool {
    step.reads(|read| {
        let changes = |bits: u32| read.operand.negate || bits & SIGN != 0;
        (read.operand.negate || read.operand.absolute)
            && read.any(|bits| changes(bits) && matches!(bits >> 23 & 0xFF, 0 | 0xFF))
    })
}

pub(super) const RULES: &[Rule] = &[
    rule("r700.alu.src.gpr", |s| s.reads(Read::is_register)),
    rule("r700.alu.src.kcache0", |s| {
        s.reads(|read| matches!(read.source(), Some(Source::Kcache(0, _))))
    }),
    rule("r700.alu.src.kcache1", |s| {
        s.reads(|read| matches!(read.source(), Some(Source::Kcache(1, _))))
    }),
    rule("r700.alu.src.cfile", |s| s.reads(Read::is_file)),
    rule("r700.alu.src.inline.0", |s| reads_inline(s, Inline::Zero)),
    rule("r700.alu.src.inline.1", |s| reads_inline(s, Inline::One)),
    rule("r700.alu.src.inline.1int", |s| reads_inline(s, Inline::OneInteger)),
    rule("r700.alu.src.inline.m1int", |s| reads_inline(s, Inline::MinusOneInteger)),
    rule("r700.alu.src.inline.half", |s| reads_inline(s, Inline::Half)),
    rule("r700.alu.src.inline.dbl", reads_double_inline),
    rule("r700.alu.src.inline.swizzle", |s| {
        s.reads(|read| read.is_inline() && (read.number > 0 || read.operand.element > 0))
    }),
    rule("r700.alu.src.literal", |s| s.reads(|read| read.source() == Some(Source::Literal))),
    rule("r700.alu.src.pv", |s| s.reads(|read| read.source() == Some(Source::PreviousVector))),
    rule("r700.alu.src.ps", |s| s.reads(|read| read.source() == Some(Source::PreviousScalar))),
    // Modifiers.
    rule("r700.alu.src.mod.neg", |s| s.reads(|read| read.operand.negate)),
    rule("r700.alu.src.mod.abs", makes_absolute),
    rule("r700.alu.src.mod.order", negates_absolute),
    rule("r700.alu.src.mod.op3", |s| {
        s.reads(|read| read.operand.negate && matches!(read.slot.alu, Alu::Op3(_)))
    }),
    rule("r700.alu.src.broadcast", |s| {
        s.reads(|read| {
            let other = |other: Read| other.operand.element != read.operand.element;
            read.source().is_some_and(Source::is_address)
                && s.reads(|second| {
                    second.source().is_some_and(Source::is_address) && other(second)
                })
        })
    }),
    // Relative addresses.
    rule("r700.alu.rel.one-index", |s| s.any(|slot| slot.relative_addresses() > 1)),
    rule("r700.alu.rel.bit", |s| {
        s.reads(|read| read.any_index(|index| index != 0))
            || s.slots().any(|slot| slot.any_destination(|index| index != 0))
    }),
    rule("r700.alu.rel.ar-gpr", |s| adds_to_register(s, ADDRESS_MODES)),
    rule("r700.alu.rel.ar-const", |s| adds(s, ADDRESS_MODES, |read| read.is_file())),
    rule("r700.alu.rel.loop", |s| {
        adds_to_register(s, LOOP_MODE) || adds(s, LOOP_MODE, |read| !read.is_register())
    }),
    rule("r700.alu.rel.global", |s| uses_global(s, GLOBAL_MODE)),
    rule("r700.alu.rel.global-ar", |s| adds_to_register(s, GLOBAL_ADDRESS_MODE)),
    rule("r700.alu.rel.static-uniform", |s| {
        s.reads(|read| {
            (read.is_file() || read.is_cache())
                && (!read.is_relative() || read.slot.alu.index_mode() == 4)
                && read.slot.decided().count_ones() > 1
        })
    }),
    rule("r700.alu.oob.gpr.read", |s| {
        s.reads(|read| {
            read.is_register() && read.any_index(|i| is_beyond(s, read.slot, read.address() + i))
        })
    }),
    rule("r700.alu.oob.gpr.write", |s| {
        s.slots().any(|slot| {
            slot.alu.write_mask()
                && slot.any_destination(|i| is_beyond(s, slot, i64::from(slot.alu.dst_gpr()) + i))
        })
    }),
    rule("r700.alu.oob.cfile", |s| {
        s.reads(|read| {
            read.is_file() && read.any_index(|i| !(0..256).contains(&(read.address() + i)))
        })
    }),
    rule("r700.alu.oob.kcache.lock1", |s| beyond_lines(s, 1)),
    rule("r700.alu.oob.kcache.lock2", |s| beyond_lines(s, 2)),
    // Previous results.
    rule("r700.alu.pv.content", |s| s.any(|slot| slot.unit != TRANS && slot.exact != 0)),
    rule("r700.alu.ps.content", |s| s.any(|slot| slot.unit == TRANS && slot.exact != 0)),
    rule("r700.alu.pvps.write-anyway", |s| s.any(|slot| slot.exact & !slot.written != 0)),
    rule("r700.alu.pvps.preserve", keeps_previous),
    rule("r700.alu.pvps.predicated", |s| s.slots().any(|slot| slot.off() != 0)),
    rule("r700.alu.pvps.trans-override", |s| {
        s.meeting().is_some_and(|[trans, vector]| trans.written & vector.exact & trans.exact != 0)
    }),
    rule("r700.alu.pvps.free-use", |s| {
        s.reads(|read| read.is_previous() && read.slot.unit != TRANS)
    }),
    // Constants.
    rule("r700.alu.const.types", |s| s.reads(Read::is_constant)),
    rule("r700.alu.const.dx10.buffers", |s| s.reads(Read::is_cache)),
    rule("r700.kcache.lock", |s| s.reads(Read::is_cache)),
    rule("r700.kcache.mode.lock1", |s| s.reads(|read| read.window().is_some_and(|w| w.mode == 1))),
    rule("r700.kcache.mode.lock2", |s| s.reads(|read| read.window().is_some_and(|w| w.mode == 2))),
    rule("r700.kcache.mode.loop", |s| s.reads(|read| read.window().is_some_and(|w| w.mode == 3))),
    rule("r700.kcache.line-units", |s| s.reads(|read| read.window().is_some_and(|w| w.line != 0))),
    rule("r700.kcache.banks", |s| s.reads(|read| read.window().is_some_and(|w| w.bank != 0))),
    rule("r700.cf.alt-const", |s| {
        s.word.alt_const() == 1 && s.reads(|read| read.is_file() || read.is_cache())
    }),
    rule("r700.kcache.indep-sets", |s| {
        let reads = |set| move |read: Read| matches!(read.source(), Some(Source::Kcache(of, _)) if of == set);
        s.reads(reads(0)) && s.reads(reads(1))
    }),
];
