//! What the descriptor of a message says, in words and field by field.

use std::collections::BTreeMap;

use parallax_isa::{
    Device,
    eu::{
        Instruction,
        generation::Generation,
        message::{DecodedMessage, Value},
    },
};
use schemars::JsonSchema;
use serde::Serialize;

/// An immediate message descriptor in the JSON interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DecodedDescriptor {
    /// The shared function.
    function: &'static str,
    /// Its code (SFID).
    sfid: u8,
    /// The operation; null if its code is reserved.
    operation: Option<&'static str>,
    /// Code of the operation; null if the function has none.
    code: Option<u8>,
    /// Fields of the operation: a number, true or false, or a word; the number of a code that is reserved.
    fields: BTreeMap<&'static str, FieldValue>,
    /// Whether the payload begins with a header; false before Gen7, where no bit says so.
    header: bool,
    /// Registers sent, of a split message those of its first part.
    message_length: u8,
    /// Registers of the second part of a split message.
    #[serde(skip_serializing_if = "Option::is_none")]
    extended_length: Option<u8>,
    /// Registers of the reply.
    response_length: u8,
}

/// What a field says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum FieldValue {
    /// A number, or a reserved code.
    Number(u32),
    /// Whether something is so.
    Flag(bool),
    /// A word of the manual.
    Name(&'static str),
}

impl From<Value> for FieldValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Number(number) | Value::Reserved(number) => Self::Number(number),
            Value::Flag(is_set) => Self::Flag(is_set),
            Value::Name(name) => Self::Name(name),
        }
    }
}

/// The message of an instruction, if its descriptor is in the instruction.
fn decoded(device: Device, instruction: &Instruction) -> Option<DecodedMessage> {
    DecodedMessage::of(device.generation().unwrap_or(Generation::Gen4), instruction)
}

/// What it says, in words.
pub(crate) fn described(device: Device, instruction: &Instruction) -> Option<String> {
    decoded(device, instruction).map(|message| message.to_string())
}

/// What it says, field by field.
pub(crate) fn descriptor(device: Device, instruction: &Instruction) -> Option<DecodedDescriptor> {
    let message = decoded(device, instruction)?;
    Some(DecodedDescriptor {
        function: message.function_name(),
        sfid: message.function.code(),
        operation: message.name(),
        code: message.code,
        fields: message.values().map(|(field, value)| (field.key(), value.into())).collect(),
        header: message.has_header,
        message_length: message.message_length,
        extended_length: message.extended_length,
        response_length: message.response_length,
    })
}
