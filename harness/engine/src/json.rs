//! The same messages as lines of JSON, for an engine that is written in an evening. Bytes are hex
//! digits, banks have their names.

use serde_json::{Map, Value, json};

use crate::{
    frame::{self, HEADER, Header, KINDS, Kind, describe},
    message::{Case, FLOWS, Flow, Malformed, Reader, Write, Writes},
};

/// A question, as a line without its end.
///
/// # Errors
/// If the frame holds none.
pub fn question(header: Header, content: &[u8], banks: &[String]) -> Result<String, Malformed> {
    let mut reader = Reader::new(content);
    let mut fields = Map::new();
    fields.insert("number".to_owned(), header.number.into());
    match header.kind {
        Kind::Case => {
            let Case { device, step_limit, program, settings } = Case::read(&mut reader)?;
            let settings = serde_json::from_str(&settings).unwrap_or(Value::Null);
            fields.insert("device".to_owned(), device.into());
            fields.insert("step_limit".to_owned(), step_limit.into());
            fields.insert("program".to_owned(), hex(&program).into());
            fields.insert("settings".to_owned(), settings);
            fields.insert("state".to_owned(), state(&mut reader, banks)?);
        }
        Kind::Start | Kind::Write => {
            fields.insert("state".to_owned(), state(&mut reader, banks)?);
        }
        Kind::Batch => {
            let starts = (0..reader.u16()?).map(|_| state(&mut reader, banks));
            let starts: Vec<_> = starts.collect::<Result<_, _>>()?;
            fields.insert("starts".to_owned(), starts.into());
        }
        Kind::Step => {
            fields.insert("most".to_owned(), reader.u32()?.into());
        }
        Kind::Run => {
            fields.insert("most".to_owned(), reader.u64()?.into());
        }
        _ => {}
    }
    Ok(json!({ header.kind.name(): fields }).to_string())
}

/// Writes, as a list of lists.
fn state(reader: &mut Reader, banks: &[String]) -> Result<Value, Malformed> {
    let mut list = Vec::new();
    reader.writes(|Write { bank, offset, bytes }| {
        list.push(json!([banks[bank], offset, hex(bytes)]));
        Ok(())
    })?;
    Ok(list.into())
}

/// The frame of an answer that is a line of JSON.
///
/// # Errors
/// If the line is none.
pub fn answer(line: &[u8], banks: &[String]) -> Result<Vec<u8>, Malformed> {
    let shown = || describe(&line[..line.len().min(80)]);
    let wrong = |why: &str| Malformed(format!("{why}: {}", shown()));
    let value: Value =
        serde_json::from_slice(line).map_err(|error| wrong(&format!("no JSON ({error})")))?;
    let message = value.as_object().and_then(|object| object.iter().next());
    let Some((name, fields)) = message else {
        return Err(wrong("an answer is an object with the name of a message"));
    };
    let row = KINDS.iter().find(|(_, known)| known == name);
    let Some((kind, _)) = row else { return Err(wrong("there is no such message")) };
    let mut out = Vec::new();
    if *kind == Kind::Hello {
        frame::write(&mut out, Kind::Hello, 0, |out| out.extend(fields.to_string().as_bytes()));
        return Ok(out);
    }
    let number = fields["number"].as_u64().and_then(|number| u16::try_from(number).ok());
    let number = number.ok_or_else(|| wrong("an answer says the `number` of its question"))?;
    let mut content = Vec::new();
    match kind {
        Kind::Ready => {}
        Kind::Refused | Kind::Declined => {
            let offset = fields["offset"].as_u64().and_then(|offset| u32::try_from(offset).ok());
            content.extend(offset.unwrap_or(u32::MAX).to_le_bytes());
            content.extend(fields["message"].as_str().unwrap_or_default().as_bytes());
        }
        Kind::Failed => content.extend(fields["message"].as_str().unwrap_or_default().as_bytes()),
        Kind::Ran => stepped(fields, banks, &mut content).map_err(|error| wrong(&error.0))?,
        Kind::Stepped | Kind::Batched => {
            let list = if *kind == Kind::Stepped { "steps" } else { "ends" };
            let steps = fields[list].as_array();
            let steps = steps.ok_or_else(|| wrong(&format!("`{name}` has a list of `{list}`")))?;
            let count = u16::try_from(steps.len()).map_err(|_| wrong("too many of them"))?;
            content.extend(count.to_le_bytes());
            for step in steps {
                stepped(step, banks, &mut content).map_err(|error| wrong(&error.0))?;
            }
        }
        _ => return Err(wrong("that is a question and no answer")),
    }
    frame::write(&mut out, *kind, number, |out| out.extend(content));
    Ok(out)
}

/// What a step came to.
fn stepped(step: &Value, banks: &[String], out: &mut Vec<u8>) -> Result<(), Malformed> {
    let malformed = |why: &str| Malformed(why.to_owned());
    let name = step["flow"].as_str().unwrap_or("continue");
    let code = FLOWS.iter().position(|known| *known == name);
    let code = code.ok_or_else(|| malformed("there is no such `flow`"))?;
    Flow::of(code as u8, step["text"].as_str().unwrap_or_default())?.write(out);
    let mut writes = Writes::new(out);
    let list = step["state"].as_array().map(Vec::as_slice).unwrap_or_default();
    for entry in list {
        let parts = (entry[0].as_str(), entry[1].as_u64(), entry[2].as_str().and_then(bytes));
        let (Some(name), Some(offset), Some(bytes)) = parts else {
            return Err(malformed("an entry of `state` is [bank, first byte, hex digits]"));
        };
        let bank = banks.iter().position(|known| known == name);
        let bank = bank.ok_or_else(|| malformed("a bank that was not in the hello"))?;
        let offset = usize::try_from(offset).ok().filter(|offset| *offset < 1 << 31);
        let offset = offset.ok_or_else(|| malformed("no bank has so many bytes"))?;
        // A frame holds shorter ones.
        for (number, bytes) in bytes.chunks(1 << 15).enumerate() {
            writes.add(Write { bank, offset: offset + (number << 15), bytes });
        }
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.as_bytes();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    (digits.len().is_multiple_of(2)).then(|| digits.chunks(2).map(pair).collect())?
}

/// The header and the content of a frame that is whole.
///
/// # Errors
/// If it is none.
pub fn split(frame: &[u8]) -> Result<(Header, &[u8]), Malformed> {
    let Some((header, content)) = frame.split_first_chunk::<HEADER>() else {
        return Err(Malformed("a frame without a header".to_owned()));
    };
    let header = Header::read(*header)?;
    if content.len() == header.length {
        Ok((header, content))
    } else {
        Err(Malformed(format!("{} bytes where {} were announced", content.len(), header.length)))
    }
}
