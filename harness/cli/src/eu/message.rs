//! What the descriptor of a message says, in words: before Gen7 by G45 volume 4, sections 2.1.1, 3.2, 4.8.1, 5.7
//! and those of the URB and the Message Gateway, from Gen7 on as the ISA's tables decode it.

use std::collections::BTreeMap;

use parallax_isa::{
    Device,
    eu::{
        Instruction,
        generation::Generation,
        instruction::Descriptor,
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
    /// Whether the payload begins with a header.
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

/// The message of an instruction as its tables decode it, on Gen7 and later.
fn decoded(device: Device, instruction: &Instruction) -> Option<DecodedMessage> {
    DecodedMessage::of(device.generation().unwrap_or(Generation::Gen4), instruction)
}

/// The same for the JSON interface.
pub(crate) fn descriptor(device: Device, instruction: &Instruction) -> Option<DecodedDescriptor> {
    let message = decoded(device, instruction)?;
    Some(DecodedDescriptor {
        function: message.function.name(),
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

/// Shared functions by bits 27:24.
const FUNCTIONS: [&str; 8] = [
    "null",
    "extended math",
    "sampling engine",
    "message gateway",
    "data port read",
    "data port write",
    "URB",
    "thread spawner",
];

/// Messages to the Sampling Engine: type, length, and what they are.
const SAMPLER: [(u32, u32, &str); 24] = [
    (0, 3, "sample u (SIMD16)"),
    (0, 5, "sample u, v (SIMD16)"),
    (0, 7, "sample u, v, r (SIMD16)"),
    (0, 4, "sample u, v, r (SIMD8)"),
    (1, 4, "sample+killpix u, v, r (SIMD8)"),
    (0, 9, "sample_b u, v, r, bias (SIMD16)"),
    (1, 9, "sample_l u, v, r, lod (SIMD16)"),
    (1, 2, "sample_l u, v, r, lod (SIMD4x2)"),
    (2, 9, "sample_c u, v, r, ref (SIMD16)"),
    (0, 2, "sample_c u, v, r, ref (SIMD4x2)"),
    (0, 6, "sample_b_c u, v, r, bias, ref (SIMD8)"),
    (1, 6, "sample_l_c u, v, r, lod, ref (SIMD8)"),
    (1, 3, "sample_l_c u, v, r, lod, ref (SIMD4x2)"),
    (3, 3, "ld u (SIMD16)"),
    (3, 5, "ld u, v (SIMD16)"),
    (3, 7, "ld u, v, r (SIMD16)"),
    (3, 4, "ld u, v, r (SIMD8)"),
    (3, 9, "ld u, v, r, lod (SIMD16)"),
    (3, 2, "ld u, v, r, lod (SIMD4x2)"),
    (2, 7, "sample_g u, v (SIMD8)"),
    (2, 10, "sample_g u, v, r (SIMD8)"),
    (2, 4, "sample_g u, v, r (SIMD4x2)"),
    (2, 3, "resinfo (SIMD16)"),
    (2, 2, "resinfo (SIMD4x2)"),
];

/// Functions of Extended Math by bits 3:0.
const MATH: [&str; 16] = [
    "",
    "INV",
    "LOG",
    "EXP",
    "SQRT",
    "RSQ",
    "SIN",
    "COS",
    "SINCOS",
    "",
    "POW",
    "INT DIV (quotient and remainder)",
    "INT DIV (quotient)",
    "INT DIV (remainder)",
    "",
    "",
];

/// Reads by bits 13:11 of [DevCTG+]; those before have no bit 11.
const READS: [&str; 8] = [
    "OWord block read",
    "",
    "OWord dual block read",
    "AVC loop filter read",
    "media block read",
    "",
    "DWord scattered read",
    "",
];

/// Writes by bits 14:12.
const WRITES: [&str; 8] = [
    "OWord block write",
    "OWord dual block write",
    "media block write",
    "DWord scattered write",
    "render target write",
    "streamed vertex buffer write",
    "",
    "flush render cache",
];

/// Sizes of blocks by bits 10:8.
const BLOCKS: [&str; 8] =
    ["1 OWord, low", "1 OWord, high", "2 OWords", "4 OWords", "8 OWords", "", "", ""];

/// Forms of render target writes by bits 10:8.
const PIXELS: [&str; 8] = [
    "SIMD16",
    "SIMD16, one colour",
    "SIMD8, two sources, subspans 0 and 1",
    "SIMD8, two sources, subspans 2 and 3",
    "SIMD8",
    "",
    "",
    "",
];

const CACHES: [&str; 4] = ["data cache", "render cache", "sampler cache", ""];
const SWIZZLES: [&str; 4] = ["no swizzle", "interleaved", "transposed", ""];

/// What the message of an instruction is, if its descriptor is in the instruction.
pub(crate) fn described(device: Device, instruction: &Instruction) -> Option<String> {
    let Descriptor::Immediate(bits) = instruction.message?.descriptor else { return None };
    if !Device::GEN4.contains(&device) {
        return decoded(device, instruction).map(|message| message.to_string());
    }
    let function = bits >> 24 & 0xF;
    let name = FUNCTIONS.get(function as usize).copied().unwrap_or("reserved function");
    let (sent, returned) = (bits >> 20 & 0xF, bits >> 16 & 0xF);
    let what = match function {
        1 => math(bits),
        2 => sampler(device, bits, sent),
        3 => vec![named(&["open gateway", "close gateway", "forward message", ""], bits & 3)],
        4 => read(device, bits),
        5 => write(bits),
        6 => urb(bits),
        _ => Vec::new(),
    };
    let lengths = format!("{sent} sent, {returned} back");
    let parts: Vec<String> = what.into_iter().chain([lengths]).collect();
    Some(format!("{name}: {}", parts.join(", ")))
}

/// What a code is called.
fn named(names: &[&str], code: u32) -> String {
    match names.get(code as usize) {
        Some(name) if !name.is_empty() => (*name).to_owned(),
        _ => "reserved".to_owned(),
    }
}

fn surface(bits: u32) -> String {
    match bits & 0xFF {
        0xFF => "stateless".to_owned(),
        index => format!("surface {index}"),
    }
}

fn math(bits: u32) -> Vec<String> {
    let mut parts = vec![named(&MATH, bits & 0xF)];
    let options = [(4, "signed"), (5, "partial precision"), (6, "saturate"), (7, "scalar")];
    let set = options.iter().filter(|(bit, _)| bits >> bit & 1 == 1);
    parts.extend(set.map(|(_, name)| (*name).to_owned()));
    parts
}

fn sampler(device: Device, bits: u32, sent: u32) -> Vec<String> {
    let is_early = matches!(device, Device::Bw | Device::Cl);
    let code = if is_early { bits >> 14 & 3 } else { bits >> 12 & 0xF };
    let found = SAMPLER.iter().find(|(own, length, _)| (*own, *length) == (code, sent));
    let name = found.map_or("reserved", |(.., name)| name);
    let mut parts = vec![name.to_owned(), surface(bits), format!("sampler {}", bits >> 8 & 0xF)];
    if is_early {
        parts.push(named(&["FLOAT32", "", "UINT32", "SINT32"], bits >> 12 & 3));
    }
    parts
}

fn read(device: Device, bits: u32) -> Vec<String> {
    let is_early = matches!(device, Device::Bw | Device::Cl);
    let code = if is_early { bits >> 12 << 1 & 7 } else { bits >> 11 & 7 };
    let mut parts = vec![named(&READS, code)];
    match code {
        0 => parts.push(named(&BLOCKS, bits >> 8 & 7)),
        2 => parts.push(named(&["2 times 1 OWord", "", "2 times 4 OWords", ""], bits >> 8 & 3)),
        6 => parts.push(named(&["", "", "8 DWords", "16 DWords"], bits >> 8 & 3)),
        _ => {}
    }
    parts.extend([surface(bits), named(&CACHES, bits >> 14 & 3)]);
    parts
}

fn write(bits: u32) -> Vec<String> {
    let code = bits >> 12 & 7;
    let mut parts = vec![named(&WRITES, code)];
    match code {
        0 => parts.push(named(&BLOCKS, bits >> 8 & 7)),
        1 => parts.push(named(&["2 times 1 OWord", "", "2 times 4 OWords", ""], bits >> 8 & 3)),
        3 => parts.push(named(&["", "", "8 DWords", "16 DWords"], bits >> 8 & 3)),
        4 => parts.push(named(&PIXELS, bits >> 8 & 7)),
        _ => {}
    }
    if code != 7 {
        parts.push(surface(bits));
    }
    let is_last = code == 4 && bits >> 11 & 1 == 1;
    parts.extend(is_last.then(|| "last target".to_owned()));
    parts.extend((bits >> 15 & 1 == 1).then(|| "commit".to_owned()));
    parts
}

fn urb(bits: u32) -> Vec<String> {
    let mut parts = vec![
        named(&["URB write"], bits & 0xF),
        format!("offset {}", bits >> 4 & 0x3F),
        named(&SWIZZLES, bits >> 10 & 3),
    ];
    let options = [(13, "allocate"), (14, "used"), (15, "complete")];
    let set = options.iter().filter(|(bit, _)| bits >> bit & 1 == 1);
    parts.extend(set.map(|(_, name)| (*name).to_owned()));
    parts
}
