//! Traces as files: a header — the magic, a version, the length of the content, a checksum over both
//! and over what follows — and the compressed content: the machine's name, then the body. Reading is
//! bounded and total: whatever the bytes are, it ends with a trace or with a [`TraceError`].
//!
//! Places in the state stand in files by the names of their banks, so that a state that grows does
//! not end the traces there are.

use std::{
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

use parallax_isa::{Expectation, Extent, Image, Machine, Outcome, image::Bank};
use serde::{Deserialize, Serialize, Serializer};

use super::{
    accepts::Accepts,
    effects::{Change, Effects, Trace},
    error::{TraceError, damaged},
    limits::{LARGEST_FILE, MOST_STEPS, VERSION},
};
use crate::{
    codec::{self, LARGEST_CONTENT},
    subject::Subject,
    whole::WholeFile,
};

const MAGIC: [u8; 8] = *b"PLXTRACE";
pub(super) const HEADER: usize = 8 + 4 + 4 + 4;

/// What stands in front of the body.
#[derive(Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) machine: String,
}

/// What stands behind the head.
#[derive(Serialize, Deserialize)]
pub(super) struct Body<C, S = Vec<Step>> {
    case: C,
    /// Names of the machine's banks; places and digest are in them.
    banks: Vec<String>,
    steps: S,
    outcome: Outcome,
    digest: u32,
}

/// The steps of a trace as they are written, one after the other: they are many, and a copy of all of
/// them is not made.
pub(super) struct Steps<'t> {
    steps: &'t [Effects],
    banks: &'t [&'static Bank],
}

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.steps.iter().map(|effects| Step::of(effects, self.banks)))
    }
}

/// What a step did.
#[derive(Serialize, Deserialize)]
pub(super) struct Step {
    changes: Vec<(Place, Vec<u8>)>,
    tolerances: Vec<Tolerance>,
}

/// A byte of the state.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Place {
    /// Number of its bank's name.
    bank: u16,
    /// Number of its element in the bank.
    element: u32,
    /// Number of the byte in the element.
    byte: u16,
}

/// A place and what is accepted there.
#[derive(Serialize, Deserialize)]
struct Tolerance {
    place: Place,
    bytes: u8,
    mask: u64,
    accepts: Accepts,
}

impl<'t, C> Body<&'t C, Steps<'t>> {
    pub(super) fn of<M: Machine<Case = C>>(trace: &'t Trace<M>) -> Self {
        Self {
            case: &trace.case,
            banks: trace.banks.iter().map(|bank| bank.name.to_owned()).collect(),
            steps: Steps { steps: &trace.steps, banks: &trace.banks },
            outcome: trace.outcome.clone(),
            digest: trace.digest,
        }
    }
}

impl<C> Body<C> {
    pub(super) fn trace<M: Machine<Case = C>>(self) -> Result<Trace<M>, TraceError> {
        let banks = self.banks.iter().map(|name| M::State::bank_named(name));
        let banks: Vec<&Bank> = banks.collect::<Result<_, _>>().map_err(damaged)?;
        let steps = self.steps.into_iter().map(|step| step.effects(&banks));
        let steps = steps.collect::<Result<_, _>>()?;
        Ok(Trace { case: self.case, banks, steps, outcome: self.outcome, digest: self.digest })
    }
}

impl Step {
    fn of(effects: &Effects, banks: &[&Bank]) -> Self {
        let place = |offset| Place::of(offset, banks);
        let tolerance = |&Expectation { extent, acceptance }: &Expectation| Tolerance {
            place: place(extent.offset as usize),
            bytes: extent.bytes,
            mask: extent.mask,
            accepts: acceptance.into(),
        };
        let changes = effects.changes.iter();
        Self {
            changes: changes.map(|change| (place(change.offset), change.bytes.to_vec())).collect(),
            tolerances: effects.tolerances.iter().map(tolerance).collect(),
        }
    }

    fn effects(self, banks: &[&'static Bank]) -> Result<Effects, TraceError> {
        let change = |(place, bytes): (Place, Vec<u8>)| -> Result<_, TraceError> {
            Ok(Change { offset: place.offset(bytes.len(), banks)?, bytes: bytes.into() })
        };
        let expectation = |tolerance: Tolerance| -> Result<_, TraceError> {
            let Tolerance { place, bytes, mask, accepts } = tolerance;
            if !(1..=8).contains(&bytes) {
                return Err(damaged(format!("it accepts something in {bytes} bytes, not 1 to 8")));
            }
            let offset = place.offset(bytes.into(), banks)? as u32;
            Ok(Expectation { extent: Extent { offset, bytes, mask }, acceptance: accepts.into() })
        };
        Ok(Effects {
            changes: self.changes.into_iter().map(change).collect::<Result<_, _>>()?,
            tolerances: self.tolerances.into_iter().map(expectation).collect::<Result<_, _>>()?,
        })
    }
}

impl Place {
    /// The place of a byte of the image, which lies in one of the banks.
    fn of(offset: usize, banks: &[&Bank]) -> Self {
        let index = banks.iter().position(|bank| bank.range().contains(&offset));
        let index = index.expect("effects lie in the banks of the trace");
        let (start, element) = (offset - banks[index].offset, banks[index].element);
        Self {
            bank: index as u16,
            element: (start / element) as u32,
            byte: (start % element) as u16,
        }
    }

    /// The place's byte in the image, if so many bytes from there on are in its bank.
    fn offset(self, bytes: usize, banks: &[&Bank]) -> Result<usize, TraceError> {
        let bank = banks
            .get(usize::from(self.bank))
            .ok_or_else(|| damaged(format!("it names bank {} of {}", self.bank, banks.len())))?;
        let start = (self.element as usize)
            .checked_mul(bank.element)
            .and_then(|start| start.checked_add(usize::from(self.byte)));
        start
            .filter(|start| start.checked_add(bytes).is_some_and(|end| end <= bank.len()))
            .map(|start| bank.offset + start)
            .ok_or_else(|| {
                let elements = bank.len() / bank.element;
                damaged(format!(
                    "element {} lies outside of the bank `{}`, which has {elements}",
                    self.element, bank.name
                ))
            })
    }
}

/// The bytes of a trace file.
///
/// # Errors
/// If the trace is larger than trace files can be.
pub fn to_bytes<M: Machine>(trace: &Trace<M>) -> Result<Vec<u8>, TraceError> {
    let failed = |error: &dyn ToString| TraceError::Encode(error.to_string());
    let head = Head { machine: M::NAME.to_owned() };
    let mut content = codec::encode(&head).map_err(|error| failed(&error))?;
    let body = Body::of(trace);
    content.extend(codec::encode(&body).map_err(|error| failed(&error))?);
    with_header(&content)
}

/// A file with this content, whatever it is: header, checksum, compression. Fuzzing starts here, since
/// bytes at random have no checksum that fits.
///
/// # Errors
/// If the content is larger than that of trace files can be.
pub fn with_header(content: &[u8]) -> Result<Vec<u8>, TraceError> {
    let packed = codec::compress(content).map_err(|error| TraceError::Encode(error.to_string()))?;
    let file = HEADER as u64 + packed.len() as u64;
    if content.len() > LARGEST_CONTENT || file > LARGEST_FILE {
        return Err(TraceError::TooLarge(file));
    }
    let length = content.len() as u32;
    let mut bytes = Vec::with_capacity(HEADER + packed.len());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(checksum(VERSION, length, &packed).to_le_bytes());
    bytes.extend(packed);
    Ok(bytes)
}

pub(super) fn checksum(version: u32, length: u32, packed: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&version.to_le_bytes());
    hasher.update(&length.to_le_bytes());
    hasher.update(packed);
    hasher.finalize()
}

/// The machine a trace file is for.
///
/// # Errors
/// If the bytes are no intact trace.
pub fn machine_of(bytes: &[u8]) -> Result<String, TraceError> {
    let content = content(bytes)?;
    Ok(head(&content)?.0.machine)
}

/// Reads the bytes of a trace file.
///
/// # Errors
/// If they are no intact trace of the machine `M`.
pub fn from_bytes<M: Subject>(bytes: &[u8]) -> Result<Trace<M>, TraceError> {
    let content = content(bytes)?;
    let (head, start) = head(&content)?;
    if head.machine != M::NAME {
        return Err(TraceError::Machine { expected: M::NAME, actual: head.machine });
    }
    let (body, length) = codec::decode::<Body<M::Case>>(&content[start..]).map_err(damaged)?;
    let trace = body.trace::<M>()?;
    if start + length != content.len() {
        return Err(damaged("there are bytes behind its end"));
    }
    if trace.steps.len() > MOST_STEPS {
        return Err(damaged(format!("it has more than {MOST_STEPS} steps")));
    }
    Ok(trace)
}

/// Checks the header and decompresses the content.
pub(super) fn content(bytes: &[u8]) -> Result<Vec<u8>, TraceError> {
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(TraceError::TooLarge(bytes.len() as u64));
    }
    let Some(rest) = bytes.strip_prefix(&MAGIC) else {
        let cut = !bytes.is_empty() && MAGIC.starts_with(bytes);
        return Err(if cut { damaged("it ends in its header") } else { TraceError::NotATrace });
    };
    let Some((numbers, packed)) = rest.split_first_chunk::<12>() else {
        return Err(damaged("it ends in its header"));
    };
    let number = |at: usize| {
        u32::from_le_bytes([numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]])
    };
    let (version, length, sum) = (number(0), number(4), number(8));
    if version != VERSION {
        return Err(TraceError::Version(version));
    }
    if checksum(version, length, packed) != sum {
        return Err(damaged("the checksum does not match; it was cut off or changed"));
    }
    if length as usize > LARGEST_CONTENT {
        return Err(damaged("it announces more content than any trace has"));
    }
    codec::decompress(packed, length as usize).map_err(damaged)
}

fn head(content: &[u8]) -> Result<(Head, usize), TraceError> {
    codec::decode(content).map_err(damaged)
}

/// Reads a trace file.
///
/// # Errors
/// If it cannot be read, is too large, or is no intact trace of the machine `M`.
pub fn read<M: Subject>(path: &Path) -> Result<Trace<M>, TraceError> {
    from_bytes(&read_file(path)?)
}

/// The bytes of a file that should be a trace; never more than a trace can have.
///
/// # Errors
/// If it cannot be read or is too large.
pub fn read_file(path: &Path) -> Result<Vec<u8>, TraceError> {
    let failed = |error| TraceError::File { path: path.to_owned(), action: "read", error };
    let file = File::open(path).map_err(failed)?;
    let announced = file.metadata().map_err(failed)?.len();
    if announced > LARGEST_FILE {
        return Err(TraceError::TooLarge(announced));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// Writes a trace file: the whole of it or nothing.
///
/// # Errors
/// If it is too large or cannot be written; what stood at `path` before is still there then.
pub fn write<M: Machine>(path: &Path, trace: &Trace<M>) -> Result<(), TraceError> {
    write_file(path, &to_bytes(trace)?)
}

/// Writes bytes to a file: all of them or none.
///
/// # Errors
/// If they cannot be written; what stood at `path` before is still there then.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), TraceError> {
    write_with(path, |file| file.write_all(bytes))
}

/// Writes a file and puts it at `path` once it is on the disk.
pub(super) fn write_with(
    path: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), TraceError> {
    let failed = |error| TraceError::File { path: path.to_owned(), action: "write", error };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    std::fs::create_dir_all(folder.unwrap_or(Path::new("."))).map_err(failed)?;
    let mut whole = WholeFile::begin(path).map_err(failed)?;
    fill(whole.file()).map_err(failed)?;
    whole.file().sync_all().map_err(failed)?;
    whole.put(path).map_err(failed)
}
