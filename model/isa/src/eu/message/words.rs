//! Messages in words: `sampler: sample_l, SIMD16, surface 1, sampler 0, 2+2 sent, 8 back`.

use std::fmt;

use super::{
    super::generation::Generation,
    DecodedMessage,
    field::{Field, Reading, Value},
};

impl fmt::Display for DecodedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.function_name())?;
        match (self.name(), self.code) {
            (Some(name), _) => write!(f, "{name}, ")?,
            (None, Some(code)) => write!(f, "reserved ({code}), ")?,
            (None, None) => {}
        }
        for (field, value) in self.values() {
            if let Some(words) = self.words(field, value) {
                write!(f, "{words}, ")?;
            }
        }
        if self.has_header {
            f.write_str("header, ")?;
        }
        write!(f, "{}", self.message_length)?;
        if let Some(length) = self.extended_length {
            write!(f, "+{length}")?;
        }
        write!(f, " sent, {} back", self.response_length)
    }
}

impl DecodedMessage {
    /// A field in words; nothing where it says nothing.
    fn words(&self, field: Field, value: Value) -> Option<String> {
        match (field.reading(), value) {
            (Reading::Number(_), Value::Number(index)) if field == Field::Surface => {
                Some(self.surface(index))
            }
            // What is the rule stays unsaid.
            (Reading::Number(_), Value::Number(0))
                if matches!(field, Field::Notify | Field::LineStride) =>
            {
                None
            }
            (Reading::Number(word), Value::Number(number)) => Some(format!("{word} {number}")),
            (Reading::Count(_, word), Value::Number(1)) => {
                Some(format!("1 {}", word.trim_end_matches('s')))
            }
            (Reading::Count(_, word), Value::Number(count)) => Some(format!("{count} {word}")),
            (Reading::Flag(words), Value::Flag(true)) => Some(words.to_owned()),
            (_, Value::Name(name)) => Some(name.to_owned()),
            (_, Value::Reserved(code)) => Some(format!("{} reserved ({code})", field.key())),
            _ => None,
        }
    }

    /// A binding table index; some stand for no entry of the table (`eu-message-surfaces`).
    fn surface(&self, index: u32) -> String {
        let is_recent = self.generation >= Generation::Gen9;
        let has_memory = self.function.is_data_port()
            && !matches!(self.name(), Some("render target write" | "render target read"));
        match index {
            255 if has_memory => "stateless".to_owned(),
            254 if has_memory => "shared local memory".to_owned(),
            253 if has_memory && is_recent => "stateless, not coherent".to_owned(),
            252 if is_recent => "bindless surface".to_owned(),
            index => format!("surface {index}"),
        }
    }
}
