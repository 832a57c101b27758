//! The arguments of a launch: buffers in memory, values, and runs of shared local memory.

use std::{ops::Range, path::Path};

use parallax_isa::{Device, shared::memory::LOCAL_BYTES};

use super::{
    super::dispatch::Elements,
    memory::{Content, Layout, MOST_BYTES},
};
use crate::{
    assignment::{items, typed},
    container::{Argument, ArgumentKind, Kernel},
    eu::values::split_type,
    failure::Failure,
    files,
    output::{brief, grouped},
};

/// The arguments of a kernel.
pub(super) struct Placed(Vec<Given>);

/// What an argument is.
enum Given {
    /// A value.
    Value(Vec<u8>),
    /// Bytes of memory.
    Buffer(Range<usize>),
    /// The offset of a run of shared local memory.
    Local(u64),
}

/// What `--arg` says of an argument.
enum Written {
    Content(Content),
    Local(usize),
}

impl Placed {
    /// Reads the arguments, and gives buffers a place in memory.
    pub(super) fn new(
        kernel: &Kernel,
        written: &[String],
        device: Device,
        layout: &mut Layout,
    ) -> Result<Self, String> {
        let mut given: Vec<Option<Written>> = kernel.arguments.iter().map(|_| None).collect();
        for assignment in written {
            let wrong = |message: String| format!("--arg {}: {message}", brief(assignment));
            let (number, value) = assignment.split_once('=').ok_or_else(|| {
                wrong("expected NUMBER=VALUE, as in 0=in.bin, 1=zeros:64 or 2=42:d".to_owned())
            })?;
            let number: usize = number.parse().map_err(|_| {
                wrong(format!("{number} is no number of an argument; the first is 0"))
            })?;
            let there_are = kernel.arguments.len();
            let place = given.get_mut(number).ok_or_else(|| {
                wrong(format!("kernel {} has {there_are} arguments, from 0 on", kernel.name))
            })?;
            if place.replace(read(value, device).map_err(wrong)?).is_some() {
                return Err(wrong("the argument is given twice".to_owned()));
            }
        }
        let mut local = kernel.local_bytes;
        let mut all = Vec::new();
        for (number, (argument, written)) in kernel.arguments.iter().zip(given).enumerate() {
            let what = described(argument);
            let written = written.ok_or_else(|| {
                format!("argument {number} ({what}) is missing: give --arg {number}=…")
            })?;
            let wrong = |message: String| format!("--arg {number}: {what}: {message}");
            all.push(match (argument.kind, written) {
                (ArgumentKind::Value { bytes }, Written::Content(value)) => {
                    let given = value.len();
                    if given != bytes {
                        return Err(wrong(format!(
                            "expected a value of {bytes} bytes, not {given}"
                        )));
                    }
                    Given::Value(value.into_bytes())
                }
                (ArgumentKind::Buffer { binding }, Written::Content(content)) => {
                    let name = format!("argument {number} ({what})");
                    Given::Buffer(layout.add(name, content, binding).map_err(wrong)?)
                }
                (ArgumentKind::Local { alignment }, Written::Local(bytes)) => {
                    let start = local.next_multiple_of(alignment);
                    local = start.saturating_add(bytes);
                    if local > LOCAL_BYTES {
                        let most = grouped(LOCAL_BYTES as u64);
                        return Err(wrong(format!("shared local memory has {most} bytes")));
                    }
                    Given::Local(start as u64)
                }
                (ArgumentKind::Local { .. }, _) => {
                    return Err(wrong(format!("expected its size, as in {number}=local:256")));
                }
                (ArgumentKind::Other, _) => return Err(wrong("is not supported".to_owned())),
                (_, Written::Local(_)) => {
                    return Err(wrong("is no shared local memory".to_owned()));
                }
            });
        }
        Ok(Self(all))
    }

    /// The bytes of a value from one on.
    pub(super) fn value(&self, argument: usize, from: usize) -> &[u8] {
        match self.0.get(argument) {
            Some(Given::Value(bytes)) => bytes.get(from..).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Where a buffer or a run of shared local memory begins.
    pub(super) fn address(&self, argument: usize) -> u64 {
        match self.0.get(argument) {
            Some(Given::Buffer(range)) => range.start as u64,
            Some(Given::Local(offset)) => *offset,
            _ => 0,
        }
    }

    /// The buffers that `--dump` names.
    pub(super) fn dumped(&self, dump: &[String], device: Device) -> Result<Vec<Elements>, String> {
        let of_item = |item: &str| {
            let wrong = |message: &str| format!("--dump {}: {message}", brief(item));
            let rest = item.strip_prefix("arg:");
            let rest = rest.ok_or_else(|| wrong("of a kernel there are buffers, as in arg:0"))?;
            let (number, data_type) =
                split_type(device, rest).map_err(|message| wrong(&message))?;
            let argument: usize =
                number.parse().map_err(|_| wrong("expected the number of an argument"))?;
            match self.0.get(argument) {
                Some(Given::Buffer(range)) => {
                    Ok(Elements::of_buffer(item.to_owned(), range.clone(), data_type))
                }
                Some(_) => Err(wrong("is no buffer")),
                None => Err(wrong("there is no such argument")),
            }
        };
        dump.iter().flat_map(|list| list.split(',')).map(of_item).collect()
    }
}

/// What an argument is, for messages.
pub(super) fn described(argument: &Argument) -> String {
    match (&*argument.type_name, &*argument.name) {
        ("", "") => argument.kind.to_string(),
        (type_name, name) => format!("{} {}", brief(type_name), brief(name)),
    }
}

/// What stands behind the equals sign.
fn read(value: &str, device: Device) -> Result<Written, String> {
    let size = |text: &str, most: usize| {
        let number = text.parse::<usize>().ok().filter(|size| *size <= most);
        let most = grouped(most as u64);
        number.ok_or_else(|| format!("`{}` is no number of bytes up to {most}", brief(text)))
    };
    if let Some(bytes) = value.strip_prefix("zeros:") {
        return Ok(Written::Content(Content::Zeros(size(bytes, MOST_BYTES)?)));
    }
    if let Some(bytes) = value.strip_prefix("local:") {
        return Ok(Written::Local(size(bytes, LOCAL_BYTES)?));
    }
    if let Some((values, _)) = value.rsplit_once(':')
        && values.starts_with(|c: char| c.is_ascii_digit() || ['-', '+', '.'].contains(&c))
    {
        return numbers(value, device).map(Content::Bytes).map(Written::Content);
    }
    let read = files::read(Path::new(value), MOST_BYTES as u64, "a buffer");
    read.map(Content::Bytes).map(Written::Content).map_err(|failure| match failure {
        Failure::Input(message) => message,
        other => other.to_string(),
    })
}

/// Numbers of a type, as in `1,2,3:d`.
fn numbers(value: &str, device: Device) -> Result<Vec<u8>, String> {
    let (list, suffix) = value.rsplit_once(':').unwrap_or((value, ""));
    let (_, data_type) = split_type(device, &format!("value:{suffix}"))?;
    let data_type = data_type.ok_or("expected a type behind the values, as in 42:d")?;
    let bytes: Result<Vec<_>, _> =
        items(list).into_iter().map(|item| typed(item, data_type)).collect();
    Ok(bytes?.concat())
}
