//! Traces as JSON, for programs that read no trace files: the same as in a file, bytes as hex digits.

use serde_json::{Value, json};

use super::{
    effects::Trace,
    error::{TraceError, damaged},
    file::Body,
    limits::{MOST_STEPS, MOST_STEPS_IN_JSON, VERSION},
};
use crate::subject::Subject;

/// A trace as JSON.
///
/// # Errors
/// If its case cannot be written so, or what it holds comes to more than is read back.
pub fn to_json<M: Subject>(trace: &Trace<M>) -> Result<Value, TraceError> {
    if trace.length() > MOST_STEPS_IN_JSON {
        return Err(TraceError::Encode(format!(
            "it has {} steps, and JSON is written of at most {MOST_STEPS_IN_JSON}; `parallax show --json` \
             prints any number of them",
            trace.length()
        )));
    }
    let failed = |error: serde_json::Error| TraceError::Encode(error.to_string());
    let body = serde_json::to_value(Body::of(trace)).map_err(failed)?;
    Ok(json!({ "version": VERSION, "machine": M::NAME, "trace": with_digits(body) }))
}

/// The machine that a trace in JSON is for.
///
/// # Errors
/// If it is none, or of another version.
pub fn machine_of_json(json: &Value) -> Result<&str, TraceError> {
    match (json["version"].as_u64(), json["machine"].as_str()) {
        (Some(version), Some(machine)) if version == u64::from(VERSION) => Ok(machine),
        (Some(version), Some(_)) => Err(TraceError::Version(version as u32)),
        _ => Err(damaged("a trace in JSON has `version`, `machine` and `trace`")),
    }
}

/// Reads a trace in JSON.
///
/// # Errors
/// If it is none of the machine `M`.
pub fn from_json<M: Subject>(json: &Value) -> Result<Trace<M>, TraceError> {
    let machine = machine_of_json(json)?;
    if machine != M::NAME {
        return Err(TraceError::Machine { expected: M::NAME, actual: machine.to_owned() });
    }
    let body = with_bytes(json["trace"].clone()).map_err(damaged)?;
    let body: Body<M::Case> = serde_json::from_value(body).map_err(damaged)?;
    let trace: Trace<M> = body.trace()?;
    if trace.steps.len() > MOST_STEPS {
        return Err(damaged(format!("it has more than {MOST_STEPS} steps")));
    }
    Ok(trace)
}

/// Makes lists of bytes hex digits: under these names, and in what changes.
fn with_digits(value: Value) -> Value {
    map(value, &|value| {
        let bytes = value.as_array()?.iter().map(|byte| u8::try_from(byte.as_u64()?).ok());
        let bytes = bytes.collect::<Option<Vec<_>>>()?;
        Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into())
    })
}

/// Makes hex digits lists of bytes.
fn with_bytes(value: Value) -> Result<Value, String> {
    let wrong = std::cell::Cell::new(None);
    let value = map(value, &|value| {
        let digits = value.as_str()?;
        let pairs = digits.as_bytes().chunks(2);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes = pairs.map(byte).collect::<Option<Vec<_>>>();
        let bytes = bytes.filter(|_| digits.len().is_multiple_of(2));
        if bytes.is_none() {
            wrong.set(Some(format!("`{digits}` are no hex digits of bytes")));
        }
        Some(bytes?.into())
    });
    wrong.take().map_or(Ok(value), Err)
}

/// Changes the values that are bytes.
fn map(value: Value, change: &impl Fn(&Value) -> Option<Value>) -> Value {
    let changed = |value: Value| change(&value).unwrap_or(value);
    match value {
        Value::Object(fields) => {
            let field = |(name, value): (String, Value)| {
                // Of a tolerance it is how many bytes it has.
                let is_bytes = matches!(name.as_str(), "program" | "bytes") && !value.is_number();
                let value = if is_bytes { changed(value) } else { map(value, change) };
                let value = if name == "changes" { changes(value, &changed) } else { value };
                (name, value)
            };
            Value::Object(fields.into_iter().map(field).collect())
        }
        Value::Array(values) => values.into_iter().map(|value| map(value, change)).collect(),
        value => value,
    }
}

/// Changes the bytes of changes: the second of each pair.
fn changes(value: Value, changed: &impl Fn(Value) -> Value) -> Value {
    let Value::Array(mut list) = value else { return value };
    for change in &mut list {
        if let Some(bytes) = change.get_mut(1) {
            *bytes = changed(bytes.take());
        }
    }
    Value::Array(list)
}
