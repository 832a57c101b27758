//! Source operands of ALU instructions (sections 4.4 to 4.6).

use parallax_isa::r700::{Alu, Source, instruction::Operand, microcode::CfAluWord, source::Inline};

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

impl Wavefront {
    /// The index that an instruction's `INDEX_MODE` gives a relative register address.
    pub(super) fn register_index(&self, alu: Alu, relative: bool, pixel: usize) -> Index {
        if !relative {
            return Index::None;
        }
        let address_x = i64::from(self.state.ar[0][pixel]);
        match alu.index_mode() {
            0..=3 => Index::Local(address_x),
            4 => Index::Local(i64::from(self.state.current_loop.index)),
            5 => Index::Global(0),
            _ => Index::Global(address_x),
        }
    }

    /// The register that a source address means.
    pub(super) fn source_register(&self, number: u32, index: Index) -> Place {
        // Decision D-r700-addresses.
        match index {
            Index::None => Place::Own(number as usize & 127),
            Index::Local(index) => {
                let sum = i64::from(number) + index;
                if (0..i64::from(self.case.gpr_count)).contains(&sum) {
                    Place::Own(sum as usize)
                } else {
                    Place::Own(0)
                }
            }
            Index::Global(index) => {
                // Decision D-r700-global.
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

    /// Refuses operands whose value no rule gives.
    pub(super) fn check_operands(&self, word: CfAluWord, alu: Alu) -> Executed {
        for Operand { source, relative, .. } in alu.operands() {
            match source {
                None => return refuse("an undefined source select"),
                Some(Source::Constant(_)) if relative && alu.index_mode() > 4 => {
                    return refuse("a constant register with a global index");
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
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// What an operand has for a pixel.
    pub(super) fn source(
        &self,
        word: CfAluWord,
        alu: Alu,
        operand: Operand,
        literals: &[u32],
        pixel: usize,
    ) -> u32 {
        let element = usize::from(operand.element);
        match operand.source {
            Some(Source::Gpr(number)) => {
                let index = self.register_index(alu, operand.relative, pixel);
                let place = self.source_register(u32::from(number), index);
                self.read_register(place, element, pixel)
            }
            Some(Source::Constant(number)) => {
                let mut address = i64::from(number);
                if operand.relative {
                    address += match alu.index_mode() {
                        mode @ 0..=3 => i64::from(self.state.ar[mode as usize][pixel]),
                        _ => i64::from(self.state.current_loop.index),
                    };
                }
                if !(0..256).contains(&address) {
                    return OUT_OF_RANGE;
                }
                let file = &self.constants(word).file;
                file.get(address as usize).map_or(0, |constant| constant[element])
            }
            Some(Source::Kcache(set, number)) => {
                let Some(window) = self.window(word, usize::from(set)) else { return 0 };
                let mut number = usize::from(number);
                if operand.relative {
                    number += self.state.current_loop.index as usize;
                }
                if number >= window.length {
                    return OUT_OF_RANGE;
                }
                let buffer = self.constants(word).buffers.get(window.bank);
                let constant = buffer.and_then(|buffer| buffer.get(window.first + number));
                constant.map_or(0, |constant| constant[element])
            }
            Some(Source::Inline(inline)) => value_of(inline),
            Some(Source::Literal) => literals.get(element).copied().unwrap_or(0),
            Some(Source::PreviousVector) => self.state.previous[element][pixel],
            Some(Source::PreviousScalar) => self.state.previous[TRANS][pixel],
            None => 0,
        }
    }
}

/// An operand with its input modifiers.
pub(super) fn modified(operand: Operand, bits: u32) -> u32 {
    let bits = if operand.absolute { bits & !SIGN } else { bits };
    if operand.negate { bits ^ SIGN } else { bits }
}

/// The constants of the instruction set.
fn value_of(inline: Inline) -> u32 {
    match inline {
        Inline::OneDoubleLow | Inline::HalfDoubleLow | Inline::Zero => 0,
        Inline::OneDoubleHigh => 0x3FF0_0000,
        Inline::HalfDoubleHigh => 0x3FE0_0000,
        Inline::One => 0x3F80_0000,
        Inline::OneInteger => 1,
        Inline::MinusOneInteger => u32::MAX,
        Inline::Half => 0x3F00_0000,
    }
}
