//! What descriptors of messages say: the shared function, the operation, its fields and the lengths. Layouts are those
//! of G45 volume 4 (sections 2.1.1, 3.2, 4.8.1, 5.7 and those of the URB and the Message Gateway) before Gen7, then
//! those of the tables `eu-sfid-by-gen`, `eu-message-descriptor`, `eu-message-types`, `eu-atomic-ops`,
//! `eu-sampler-descriptor-by-gen`, `eu-rt-descriptor-by-gen`, `eu-urb-messages-by-gen` and `eu-pixel-interpolator`.
//!
//! ```
//! use parallax_isa::eu::{generation::Generation, message::{DecodedMessage, Field}};
//!
//! let message = DecodedMessage::decode(Generation::Gen9, 2, 0x0484_2001, Some(0x80));
//! assert_eq!(message.name(), Some("sample_l"));
//! assert_eq!(message.field(Field::Surface), Some(1));
//! assert_eq!(
//!     message.to_string(),
//!     "sampler: sample_l, SIMD16, surface 1, sampler 0, 2+2 sent, 8 back"
//! );
//! ```

use super::{
    generation::Generation,
    instruction::{Descriptor, ExtendedDescriptor, Instruction},
    opcode::Format,
};

mod bits;
mod field;
mod function;
mod layout;
mod operation;
#[cfg(test)]
mod tests;
mod words;

pub use field::{Field, Value};
pub use function::SharedFunction;

use bits::Bits;
use operation::Operation;

/// A message as its descriptor says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedMessage {
    generation: Generation,
    /// The shared function that it goes to.
    pub function: SharedFunction,
    /// Code of the operation; `None` where the function has no documented one.
    pub code: Option<u8>,
    operation: Option<&'static Operation>,
    fields: Vec<(Field, u32)>,
    /// Whether the payload begins with a header; before Gen7 no bit says so.
    pub has_header: bool,
    /// Registers sent, of a split message those of its first part.
    pub message_length: u8,
    /// Registers of the second part of a split message.
    pub extended_length: Option<u8>,
    /// Registers of the reply.
    pub response_length: u8,
}

impl DecodedMessage {
    /// The message of an instruction; `None` where a register holds the descriptor.
    #[must_use]
    pub fn of(generation: Generation, instruction: &Instruction) -> Option<Self> {
        let message = instruction.message?;
        let Descriptor::Immediate(descriptor) = message.descriptor else { return None };
        let is_split = instruction.opcode.format_on(generation) == Format::SplitMessage;
        let extended = match message.extended {
            ExtendedDescriptor::Immediate(bits) if is_split => Some(bits),
            _ => None,
        };
        let function = match generation {
            Generation::Gen4 | Generation::Gen45 => layout::FUNCTION.of(descriptor) as u8,
            _ => message.shared_function,
        };
        Some(Self::decode(generation, function, descriptor, extended))
    }

    /// What a descriptor says to a shared function; `extended` is the descriptor of a split message.
    #[must_use]
    pub fn decode(
        generation: Generation,
        function: u8,
        descriptor: u32,
        extended: Option<u32>,
    ) -> Self {
        let function = SharedFunction::of(generation, function);
        let code = function.operation_bits(generation).map(|bits| bits.of(descriptor) as u8);
        let operation = operation::of(generation, function, descriptor, code);
        let form = operation.map(|operation| operation.form);
        let read = |(field, bits): (Field, Bits)| (field, bits.of(descriptor));
        let own = layout::fields(generation, function, form).map(read);
        let read = |(field, bits): (Field, Bits)| (field, bits.of(extended.unwrap_or(0)));
        let of_extended = layout::extended_fields(generation, form).map(read);
        let is_split = extended.is_some();
        let (sent, returned) = layout::lengths(generation);
        Self {
            generation,
            function,
            code,
            operation,
            fields: own.chain(of_extended.filter(|_| is_split)).collect(),
            has_header: generation >= Generation::Gen7 && layout::HEADER.of(descriptor) == 1,
            message_length: sent.of(descriptor) as u8,
            extended_length: extended.map(|bits| layout::EXTENDED_LENGTH.of(bits) as u8),
            response_length: returned.of(descriptor) as u8,
        }
    }

    /// Name of the shared function in running text.
    #[must_use]
    pub fn function_name(&self) -> &'static str {
        self.function.name(self.generation)
    }

    /// Name of the operation; `None` where the code is reserved.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.operation.map(|operation| operation.name)
    }

    /// The bits of a field; `None` where the message has no such field.
    #[must_use]
    pub fn field(&self, field: Field) -> Option<u32> {
        self.fields.iter().find(|(known, _)| *known == field).map(|(_, bits)| *bits)
    }

    /// Whether a field of one bit is there and set.
    #[must_use]
    pub fn has(&self, field: Field) -> bool {
        self.field(field) == Some(1)
    }

    /// Every field with what its bits stand for.
    pub fn values(&self) -> impl Iterator<Item = (Field, Value)> {
        self.fields.iter().map(|&(field, bits)| (field, field.value(self.generation, bits)))
    }
}
