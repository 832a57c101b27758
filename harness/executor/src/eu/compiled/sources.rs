//! Sources as lanes of what an operation is computed on.

use iced_x86::code_asm::*;

use super::{
    assemble::{Segment, emit},
    description::{CHANNELS, Operand, Planned, Shape},
    layout::CHUNK_BYTES,
    register_allocation::{FIRST, LOW, RIGHT, SECOND, Source},
};

type Result<T> = std::result::Result<T, IcedError>;

impl Segment {
    /// A source's elements as they stand in the registers.
    pub(super) fn elements(
        &mut self,
        planned: &Planned,
        index: usize,
        chunk: usize,
    ) -> Result<Source> {
        let operand = &planned.sources[index];
        let at = usize::from(operand.offset);
        let in_registers = matches!(operand.shape, Shape::Packed | Shape::Splat);
        let scratch = [FIRST, SECOND, RIGHT][index];
        if in_registers && !operand.stored.are_lanes(planned.element) {
            return self.lanes(planned, index, chunk, scratch);
        }
        if in_registers && planned.reads_bits() {
            let each = if operand.shape == Shape::Packed { planned.channels } else { 1 };
            let bytes = each * planned.element.bytes();
            self.registers.make_nans_one(at + bytes * chunk, bytes)?;
        }
        Ok(match operand.shape {
            Shape::Packed if planned.channels == planned.width() => {
                self.registers.packed(at + CHUNK_BYTES * chunk)?
            }
            Shape::Packed if planned.channels > 1 => {
                self.registers.part(at, planned.channels * planned.element.bytes())?
            }
            Shape::Packed | Shape::Splat if planned.has_words() => {
                Source::Register(self.registers.splat_word(at)?)
            }
            Shape::Packed | Shape::Splat => Source::Register(self.registers.splat(at)?),
            Shape::Constant => {
                let elements = &operand.elements;
                let only_first = planned.channels == 1;
                let lane = |lane| match planned.has_words() {
                    true if only_first => (elements[0] & 0xFFFF) * 0x1_0001,
                    true => elements[2 * lane] & 0xFFFF | elements[2 * lane + 1] << 16,
                    false if only_first => elements[0],
                    false => elements[CHANNELS * chunk + lane],
                };
                Source::Memory(self.registers.constant(std::array::from_fn(lane)))
            }
            Shape::Accumulator(count) => {
                self.accumulated_words(planned, count, scratch)?;
                Source::Register(scratch)
            }
            Shape::Flags(bit) => {
                self.flag_register(planned, bit, scratch)?;
                Source::Register(scratch)
            }
        })
    }

    /// A source with its modifiers.
    pub(super) fn source(
        &mut self,
        planned: &Planned,
        index: usize,
        chunk: usize,
        scratch: AsmRegisterYmm,
    ) -> Result<Source> {
        let operand = &planned.sources[index];
        let mut source = self.elements(planned, index, chunk)?;
        if operand.shape == Shape::Constant {
            return Ok(source);
        }
        let is_float = operand.stored.is_float();
        // What keeps its width is modified before it becomes a float.
        let in_floats = planned.is_float() && !operand.keeps_width;
        if in_floats && !is_float {
            self.floats_of(operand.stored, source, scratch)?;
            source = Source::Register(scratch);
        }
        if operand.absolute && (in_floats || operand.stored.data_type.is_signed_integer()) {
            if in_floats {
                let from = self.registers.in_register(source, scratch)?;
                let magnitude = self.registers.all(0x7FFF_FFFF);
                self.registers.asm.vandps(scratch, from, magnitude)?;
            } else if planned.has_words() {
                emit!(self.vpabsw(scratch; source))?;
            } else {
                emit!(self.vpabsd(scratch; source))?;
            }
            source = Source::Register(scratch);
        }
        if operand.negate {
            if is_float {
                let from = self.registers.in_register(source, scratch)?;
                let sign = self.registers.all(0x8000_0000);
                self.registers.asm.vxorps(scratch, from, sign)?;
            } else if operand.inverts {
                let from = self.registers.in_register(source, scratch)?;
                let ones = self.registers.all(u32::MAX);
                self.registers.asm.vpxor(scratch, from, ones)?;
            } else {
                self.registers.asm.vpxor(LOW, LOW, LOW)?;
                match (in_floats, planned.has_words()) {
                    // A float that was an integer zero is none with a sign.
                    (true, _) => emit!(self.vsubps(scratch, LOW; source))?,
                    (_, true) => emit!(self.vpsubw(scratch, LOW; source))?,
                    _ => emit!(self.vpsubd(scratch, LOW; source))?,
                }
            }
            source = Source::Register(scratch);
        }
        let is_modified = operand.absolute || operand.negate;
        if operand.keeps_width && is_modified && is_word_in_a_doubleword(planned, operand) {
            let from = self.registers.in_register(source, scratch)?;
            self.registers.asm.vpslld(scratch, from, 16)?;
            self.registers.asm.vpsrad(scratch, scratch, 16)?;
            source = Source::Register(scratch);
        }
        if planned.is_float() && operand.keeps_width {
            self.floats_of(operand.stored, source, scratch)?;
            source = Source::Register(scratch);
        }
        Ok(source)
    }
}

/// Whether a source of words is computed on in lanes of doublewords.
fn is_word_in_a_doubleword(planned: &Planned, operand: &Operand) -> bool {
    operand.stored.data_type.size() == 2 && !planned.has_words()
}
