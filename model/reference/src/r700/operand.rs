//! Source operands of ALU instructions (sections 4.4 to 4.6).

use parallax_isa::r700::{Alu, Source, instruction::Operand, microcode::CfAluWord, source::Inline};
use parallax_spec::{decision, rule};

use super::{
    number::SIGN,
    units::TRANS,
    wavefront::{Executed, Wavefront, refuse},
};

/// What a relative constant address outside of its range gives.
const OUT_OF_RANGE: u32 = 0x7FFF_FFFF;

/// An index to add to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Index {
    /// None: the address is absolute.
    None,
    /// A number for the wavefront's own registers.
    Local(i64),
    /// A number for the SIMD-global registers.
    Global(i64),
}

/// A general register or a global one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// General register.
    Own(usize),
    /// SIMD-global register.
    Global(usize),
    /// None.
    Nowhere,
}

/// Which constants instructions read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reads {
    /// A register of the constant file.
    pub(super) constant_file: bool,
    /// A constant of the instruction set or a literal.
    pub(super) immediate: bool,
}

impl Wavefront {
    /// The index that an instruction's `INDEX_MODE` gives a relative register address.
    pub(super) fn register_index(&self, alu: Alu, relative: bool, pixel: usize) -> Index {
        if !relative {
            return Index::None;
        }
        rule!("r700.alu.rel.bit");
        rule!("r700.alu.rel.one-index");
        let address_x = i64::from(self.state.ar[0][pixel]);
        match alu.index_mode() {
            0..=3 => {
                rule!("r700.alu.rel.ar-gpr");
                Index::Local(address_x)
            }
            4 => {
                rule!("r700.alu.rel.loop");
                Index::Local(i64::from(self.state.current_loop.index))
            }
            5 => {
                rule!("r700.alu.rel.global");
                rule!("r700.share.global-gpr");
                Index::Global(0)
            }
            _ => {
                rule!("r700.alu.rel.global-ar");
                rule!("r700.share.global-gpr.ar");
                Index::Global(address_x)
            }
        }
    }

    /// The register that a source address means.
    pub(super) fn source_register(&self, number: u32, index: Index) -> Place {
        decision!("D-r700-addresses");
        match index {
            Index::None => Place::Own(number as usize & 127),
            Index::Local(index) => {
                let sum = i64::from(number) + index;
                if (0..i64::from(self.case.gpr_count)).contains(&sum) {
                    Place::Own(sum as usize)
                } else {
                    rule!("r700.alu.oob.gpr.read");
                    Place::Own(0)
                }
            }
            Index::Global(index) => {
                decision!("D-r700-global");
                let sum = i64::from(number) + index;
                if (0..i64::from(self.case.global_gprs)).contains(&sum) {
                    Place::Global(sum as usize)
                } else {
                    Place::Nowhere
                }
            }
        }
    }

    /// The contents of an element of a register.
    pub(super) fn read_register(&self, place: Place, element: usize, pixel: usize) -> u32 {
        match place {
            Place::Own(number) => self.state.gpr[number][element][pixel],
            Place::Global(number) => self.state.global[number][element][pixel],
            Place::Nowhere => 0,
        }
    }

    /// Refuses operands whose value no rule gives; says what the others read. `later` if another group
    /// of the clause stands before the instruction's.
    pub(super) fn check_operands(&self, word: CfAluWord, alu: Alu, later: bool) -> Executed<Reads> {
        let mut reads = Reads::default();
        let mut indexed = alu.dst_rel() == 1;
        for Operand { source, relative, absolute, negate, .. } in alu.operands() {
            indexed |= relative;
            match source {
                None => return refuse("an undefined source select"),
                Some(Source::Constant(_)) => {
                    if relative && alu.index_mode() > 4 {
                        return refuse("a constant register with a global index");
                    }
                    rule!("r700.conv.reg.cr-shape");
                    reads.constant_file = true;
                }
                Some(Source::Kcache(set, number)) => {
                    if relative && alu.index_mode() != 4 {
                        return refuse(
                            "a constant cache operand indexed by something else than aL",
                        );
                    }
                    let window = self.window(word, usize::from(set));
                    if window.is_none_or(|window| usize::from(number) >= window.length) {
                        return refuse(format!("constant {number} of set {set} is not locked"));
                    }
                    rule!("r700.alu.const.dx10.buffers");
                }
                Some(Source::Gpr(number)) if later => {
                    rule!("r700.alu.dep.forward");
                    rule!("r700.alu.dep.model");
                    if u32::from(number) >= 128 - self.case.clause_temporaries {
                        rule!("r700.alu.clause-temp.scope");
                    }
                }
                Some(Source::Inline(_)) => {
                    rule!("r700.alu.src.inline.swizzle");
                    reads.immediate = true;
                }
                Some(Source::Literal) => reads.immediate = true,
                Some(Source::PreviousVector | Source::PreviousScalar) => {
                    rule!("r700.alu.pvps.free-use");
                    rule!("r700.aluinst.glossary.pv");
                }
                Some(Source::Gpr(_)) => {}
            }
            if source.is_some_and(Source::is_constant) {
                rule!("r700.alu.const.types");
                if !relative || alu.index_mode() == 4 {
                    rule!("r700.alu.rel.static-uniform");
                }
            }
            if negate || absolute {
                rule!("r700.aluinst.modifier.bits");
            }
            if negate && matches!(alu, Alu::Op3(_)) {
                rule!("r700.alu.src.mod.op3");
            }
        }
        match alu.index_mode() {
            0..=3 if indexed && later => {
                rule!("r700.aluinst.mova.scope");
                rule!("r700.alu.dep.detected.ar");
            }
            4 if indexed && later => {
                rule!("r700.state.al.uses");
                rule!("r700.alu.dep.detected.abs-loop");
            }
            _ => {}
        }
        Ok(reads)
    }

    /// The value of an operand for a pixel, input modifiers applied.
    pub(super) fn operand(
        &self,
        word: CfAluWord,
        alu: Alu,
        operand: Operand,
        literals: &[u32],
        pixel: usize,
    ) -> u32 {
        let bits = self.source(word, alu, operand, literals, pixel);
        let bits = if operand.absolute {
            rule!("r700.alu.src.mod.abs");
            bits & !SIGN
        } else {
            bits
        };
        if operand.negate {
            rule!("r700.alu.src.mod.neg");
            if operand.absolute {
                rule!("r700.alu.src.mod.order");
                rule!("r700.aluinst.modifier.order");
            }
            bits ^ SIGN
        } else {
            bits
        }
    }

    fn source(
        &self,
        word: CfAluWord,
        alu: Alu,
        operand: Operand,
        literals: &[u32],
        pixel: usize,
    ) -> u32 {
        let element = usize::from(operand.element);
        if let Some(source) = operand.source
            && operand.relative
            && !source.is_address()
        {
            rule!("r700.alu.rel.non-address");
        }
        match operand.source {
            Some(Source::Gpr(number)) => {
                rule!("r700.alu.src.gpr");
                let index = self.register_index(alu, operand.relative, pixel);
                let place = self.source_register(u32::from(number), index);
                self.read_register(place, element, pixel)
            }
            Some(Source::Constant(number)) => {
                rule!("r700.alu.src.cfile");
                let mut address = i64::from(number);
                if operand.relative {
                    address += match alu.index_mode() {
                        mode @ 0..=3 => {
                            rule!("r700.alu.rel.ar-const");
                            i64::from(self.state.ar[mode as usize][pixel])
                        }
                        _ => i64::from(self.state.current_loop.index),
                    };
                }
                if !(0..256).contains(&address) {
                    rule!("r700.alu.oob.cfile");
                    return OUT_OF_RANGE;
                }
                let file = &self.constants(word).file;
                file.get(address as usize).map_or(0, |constant| constant[element])
            }
            Some(Source::Kcache(set, number)) => {
                if set == 0 {
                    rule!("r700.alu.src.kcache0");
                } else {
                    rule!("r700.alu.src.kcache1");
                }
                let Some(window) = self.window(word, usize::from(set)) else { return 0 };
                let mut number = usize::from(number);
                if operand.relative {
                    number += self.state.current_loop.index as usize;
                }
                if number >= window.length {
                    rule!("r700.alu.oob.kcache.lock1");
                    rule!("r700.alu.oob.kcache.lock2");
                    return OUT_OF_RANGE;
                }
                let buffer = self.constants(word).buffers.get(window.bank);
                let constant = buffer.and_then(|buffer| buffer.get(window.first + number));
                constant.map_or(0, |constant| constant[element])
            }
            Some(Source::Inline(inline)) => value_of(inline),
            Some(Source::Literal) => {
                rule!("r700.alu.src.literal");
                rule!("r700.alu.literal.raw");
                literals.get(element).copied().unwrap_or(0)
            }
            Some(Source::PreviousVector) => {
                rule!("r700.alu.src.pv");
                self.state.previous[element][pixel]
            }
            Some(Source::PreviousScalar) => {
                rule!("r700.alu.src.ps");
                self.state.previous[TRANS][pixel]
            }
            None => 0,
        }
    }
}

/// The constants of the instruction set.
fn value_of(inline: Inline) -> u32 {
    match inline {
        Inline::OneDoubleLow | Inline::HalfDoubleLow => {
            rule!("r700.alu.src.inline.dbl");
            0
        }
        Inline::OneDoubleHigh => {
            rule!("r700.alu.src.inline.dbl");
            0x3FF0_0000
        }
        Inline::HalfDoubleHigh => {
            rule!("r700.alu.src.inline.dbl");
            0x3FE0_0000
        }
        Inline::Zero => {
            rule!("r700.alu.src.inline.0");
            0
        }
        Inline::One => {
            rule!("r700.alu.src.inline.1");
            0x3F80_0000
        }
        Inline::OneInteger => {
            rule!("r700.alu.src.inline.1int");
            1
        }
        Inline::MinusOneInteger => {
            rule!("r700.alu.src.inline.m1int");
            u32::MAX
        }
        Inline::Half => {
            rule!("r700.alu.src.inline.half");
            0x3F00_0000
        }
    }
}
