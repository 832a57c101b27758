//! Traces: a case with the accepted effects of each step, to be replayed against any engine, for
//! ever.
//!
//! A file is a header — the magic, a version, the length of the content, a checksum over both and
//! over what follows — and the compressed content: the machine's name, then the body. Reading is
//! bounded and total: whatever the bytes are, it ends with a trace or with a [`TraceError`].

use std::{
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use parallax_isa::{
    Acceptance, Engine, EngineError, Extent, Image, LoadError, Machine, Outcome, Reference, Step,
};
use serde::{Deserialize, Serialize};

use crate::{
    codec::{self, LARGEST_CONTENT},
    lockstep::{Difference, Divergence, accepted_places, is_same_flow, mismatches},
    subject::Subject,
};

const MAGIC: [u8; 8] = *b"PLXTRACE";
/// The version that is written. Version 1 had cases of execution units without shared functions,
/// versions 1 and 2 cases of R700 without textures.
const VERSION: u32 = 3;
const HEADER: usize = 8 + 4 + 4 + 4;

/// Most bytes of a trace file.
pub const LARGEST_FILE: u64 = 16 << 20;
/// Most steps of a trace.
pub const MOST_STEPS: usize = 1 << 20;

/// A case and what it has to come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace<M: Machine> {
    /// The case.
    pub case: M::Case,
    /// Effects of each step, in order.
    pub steps: Vec<Effects>,
    /// How the run ends.
    pub outcome: Outcome,
    /// CRC-32 of the last state.
    pub digest: u32,
}

/// What one step did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Effects {
    /// Bytes of the state image that changed.
    pub changes: Vec<Change>,
    /// Places where something else is accepted too.
    pub tolerances: Vec<Tolerance>,
}

/// Neighbouring bytes that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// First byte in the state image.
    pub offset: u32,
    /// Their new values.
    pub bytes: Vec<u8>,
}

/// A place and what is accepted there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tolerance {
    offset: u32,
    bytes: u8,
    mask: u64,
    accepts: Accepts,
}

/// [`Acceptance`] as it stands in files: variants are only ever added at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Accepts {
    Undefined,
    AnyNan32,
    AnyNan64,
    Ulp32(u32),
    Ulp64(u64),
    Or(u64),
}

/// What stands in front of the body.
#[derive(Serialize, Deserialize)]
struct Head {
    machine: String,
}

/// What stands behind the head: the same in all versions but for the case.
#[derive(Serialize, Deserialize)]
struct Body<C> {
    case: C,
    steps: Vec<Effects>,
    outcome: Outcome,
    digest: u32,
}

/// A case of an earlier version.
struct Earlier<M: Subject, const V: u32>(M::Case);

impl<'de, M: Subject, const V: u32> Deserialize<'de> for Earlier<M, V> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        M::earlier_case(V, deserializer).map(Self)
    }
}

impl<C> Body<C> {
    fn map<T>(self, change: impl FnOnce(C) -> T) -> Body<T> {
        let Self { case, steps, outcome, digest } = self;
        Body { case: change(case), steps, outcome, digest }
    }
}

/// A trace that cannot be read, written or recorded.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file system refused.
    #[error("{path}: cannot {action}: {error}", path = path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// `read`, `write`.
        action: &'static str,
        /// Why.
        error: io::Error,
    },
    /// Too large to be a trace.
    #[error("not a trace: it has {0} bytes or more, and no trace has more than {LARGEST_FILE}")]
    TooLarge(u64),
    /// Another kind of file.
    #[error("not a trace: it does not start with `PLXTRACE`")]
    NotATrace,
    /// Written by a later version.
    #[error(
        "the trace is of version {0}, and this program reads versions 1 to {VERSION}; use a newer \
         one"
    )]
    Version(u32),
    /// Cut off or changed.
    #[error("the trace is damaged: {0}")]
    Damaged(String),
    /// Of another machine.
    #[error("the trace is for the machine `{actual}`, and `{expected}` was expected")]
    Machine {
        /// The machine asked for.
        expected: &'static str,
        /// The machine in the file.
        actual: String,
    },
    /// The case does not start.
    #[error("the case cannot be run: {0}")]
    Load(#[from] LoadError),
    /// The engine whose run is recorded failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// More steps than a trace can hold.
    #[error("the run has more than {MOST_STEPS} steps; lower its step limit")]
    TooLong,
    /// It cannot be put into bytes.
    #[error("the trace cannot be written: {0}")]
    Encode(String),
}

impl Tolerance {
    fn new(extent: Extent, acceptance: Acceptance) -> Self {
        let accepts = match acceptance {
            Acceptance::Undefined => Accepts::Undefined,
            Acceptance::AnyNan32 => Accepts::AnyNan32,
            Acceptance::AnyNan64 => Accepts::AnyNan64,
            Acceptance::Ulp32(most) => Accepts::Ulp32(most),
            Acceptance::Ulp64(most) => Accepts::Ulp64(most),
            Acceptance::Or(other) => Accepts::Or(other),
        };
        Self { offset: extent.offset, bytes: extent.bytes, mask: extent.mask, accepts }
    }

    /// Where.
    #[must_use]
    pub fn extent(&self) -> Extent {
        Extent { offset: self.offset, bytes: self.bytes, mask: self.mask }
    }

    /// What.
    #[must_use]
    pub fn acceptance(&self) -> Acceptance {
        match self.accepts {
            Accepts::Undefined => Acceptance::Undefined,
            Accepts::AnyNan32 => Acceptance::AnyNan32,
            Accepts::AnyNan64 => Acceptance::AnyNan64,
            Accepts::Ulp32(most) => Acceptance::Ulp32(most),
            Accepts::Ulp64(most) => Acceptance::Ulp64(most),
            Accepts::Or(other) => Acceptance::Or(other),
        }
    }

    fn is_inside(&self, image: usize) -> bool {
        (1..=8).contains(&self.bytes) && self.extent().range().end <= image
    }
}

impl Effects {
    /// What changed from one state image to the next.
    fn between(before: &[u8], after: &[u8]) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        for (offset, (old, new)) in before.iter().zip(after).enumerate() {
            if old == new {
                continue;
            }
            match changes.last_mut() {
                Some(last) if last.offset as usize + last.bytes.len() == offset => {
                    last.bytes.push(*new);
                }
                _ => changes.push(Change { offset: offset as u32, bytes: vec![*new] }),
            }
        }
        changes
    }

    /// Carries out what a step changed.
    pub fn apply(&self, state: &mut impl Image) {
        for change in &self.changes {
            let start = change.offset as usize;
            state.image_mut()[start..start + change.bytes.len()].copy_from_slice(&change.bytes);
        }
    }

    fn is_inside(&self, image: usize) -> bool {
        self.changes.iter().all(|change| change.offset as usize + change.bytes.len() <= image)
            && self.tolerances.iter().all(|tolerance| tolerance.is_inside(image))
    }
}

impl<M: Machine> Trace<M> {
    /// Runs a case on the reference and keeps what every step did.
    ///
    /// # Errors
    /// If the case cannot be started or has too many steps.
    pub fn record(
        reference: &mut (impl Reference<M> + ?Sized),
        case: &M::Case,
    ) -> Result<Self, TraceError> {
        Self::record_steps(reference, case, |_, _| Ok(Vec::new()))
    }

    /// Runs a case on the reference beside an engine and keeps what every step did. Where the
    /// reference accepts a value of the engine it goes on with it, as it does in lockstep: what
    /// differs there differs when the trace is replayed. The reference's own value is accepted too.
    /// After a step that differs the reference goes on alone.
    ///
    /// # Errors
    /// If the case cannot be started or has too many steps.
    pub fn record_beside(
        reference: &mut (impl Reference<M> + ?Sized),
        engine: &mut (impl Engine<M> + ?Sized),
        case: &M::Case,
    ) -> Result<Self, TraceError> {
        engine.load(case)?;
        let mut together = true;
        Self::record_steps(reference, case, |reference, step| {
            if !together || matches!(step, Step::Finished(Outcome::Undefined(_))) {
                return Ok(Vec::new());
            }
            let Ok(flow) = engine.step() else {
                together = false;
                return Ok(Vec::new());
            };
            let (expected, actual) = (reference.state()?, engine.state()?);
            let places = accepted_places::<M>(reference.expectations(), expected, actual);
            let own = |extent: Extent| Acceptance::Or(extent.read(expected.image()));
            let own = places.iter().map(|extent| Tolerance::new(*extent, own(*extent))).collect();
            for extent in places {
                reference.adopt(extent, actual)?;
            }
            together = is_same_flow(step, &flow) && reference.state()?.image() == actual.image();
            Ok(own)
        })
    }

    /// Keeps what every step does. `beside` is called after each; it may let the reference adopt
    /// values, and gives what else is to be accepted then.
    fn record_steps<R: Reference<M> + ?Sized>(
        reference: &mut R,
        case: &M::Case,
        mut beside: impl FnMut(&mut R, &Step) -> Result<Vec<Tolerance>, EngineError>,
    ) -> Result<Self, TraceError> {
        reference.load(case)?;
        let mut steps = Vec::new();
        loop {
            let before = *reference.state()?;
            let step = reference.step()?;
            let tolerances = reference.expectations().iter();
            let mut tolerances: Vec<_> =
                tolerances.map(|e| Tolerance::new(e.extent, e.acceptance)).collect();
            tolerances.extend(beside(reference, &step)?);
            let changes = Effects::between(before.image(), reference.state()?.image());
            steps.push(Effects { changes, tolerances });
            if let Step::Finished(outcome) = step {
                let digest = crc32fast::hash(reference.state()?.image());
                return Ok(Self { case: case.clone(), steps, outcome, digest });
            }
            if steps.len() >= MOST_STEPS {
                return Err(TraceError::TooLong);
            }
        }
    }
}

/// Runs a trace's case on an engine and holds every step against the recorded effects. `None` if
/// all of them are accepted.
///
/// # Errors
/// If the engine cannot start the case.
pub fn replay<M: Subject>(
    trace: &Trace<M>,
    engine: &mut (impl Engine<M> + ?Sized),
) -> Result<Option<Divergence>, TraceError> {
    engine.load(&trace.case)?;
    let mut expected = *engine.state()?;
    for (number, effects) in trace.steps.iter().enumerate() {
        let before = expected;
        effects.apply(&mut expected);
        let last = number + 1 == trace.steps.len();
        let wanted = if last { Step::Finished(trace.outcome.clone()) } else { Step::Continue };
        let difference = match held(engine, &wanted, &expected, effects) {
            Ok(None) => continue,
            Ok(Some(difference)) => difference,
            Err(error) => Difference::Failure { engine: engine.name().to_owned(), error },
        };
        return Ok(Some(Divergence {
            step: number as u64,
            instruction: M::describe_next(&trace.case, &before),
            mnemonic: M::mnemonic(&trace.case, &before),
            operands: M::operands(&trace.case, &before),
            difference,
            rules: Vec::new(),
        }));
    }
    Ok(None)
}

/// Lets an engine take a step and holds what it did against what was recorded.
fn held<M: Machine>(
    engine: &mut (impl Engine<M> + ?Sized),
    wanted: &Step,
    expected: &M::State,
    effects: &Effects,
) -> Result<Option<Difference>, EngineError> {
    let step = engine.step()?;
    for tolerance in &effects.tolerances {
        let extent = tolerance.extent();
        let values = [expected, engine.state()?].map(|state| extent.read(state.image()));
        if values[0] != values[1] && tolerance.acceptance().accepts(values[0], values[1]) {
            engine.adopt(extent, expected)?;
        }
    }
    let actual = engine.state()?;
    Ok(if expected.image() != actual.image() {
        Some(Difference::State(mismatches(expected, actual)))
    } else if !is_same_flow(wanted, &step) {
        Some(Difference::Flow { expected: wanted.clone(), actual: step })
    } else {
        None
    })
}

/// The bytes of a trace file.
///
/// # Errors
/// If the trace is larger than trace files can be.
pub fn to_bytes<M: Machine>(trace: &Trace<M>) -> Result<Vec<u8>, TraceError> {
    let failed = |error: &dyn ToString| TraceError::Encode(error.to_string());
    let head = Head { machine: M::NAME.to_owned() };
    let mut content = codec::encode(&head).map_err(|error| failed(&error))?;
    let body = Body {
        case: &trace.case,
        steps: trace.steps.clone(),
        outcome: trace.outcome.clone(),
        digest: trace.digest,
    };
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

fn checksum(version: u32, length: u32, packed: &[u8]) -> u32 {
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
    let (_, content) = content(bytes)?;
    Ok(head(&content)?.0.machine)
}

/// Reads the bytes of a trace file.
///
/// # Errors
/// If they are no intact trace of the machine `M`.
pub fn from_bytes<M: Subject>(bytes: &[u8]) -> Result<Trace<M>, TraceError> {
    let (version, content) = content(bytes)?;
    let (head, start) = head(&content)?;
    if head.machine != M::NAME {
        return Err(TraceError::Machine { expected: M::NAME, actual: head.machine });
    }
    let rest = &content[start..];
    let body = match version {
        1 => codec::decode::<Body<Earlier<M, 1>>>(rest)
            .map(|(body, length)| (body.map(|case| case.0), length)),
        2 => codec::decode::<Body<Earlier<M, 2>>>(rest)
            .map(|(body, length)| (body.map(|case| case.0), length)),
        _ => codec::decode::<Body<M::Case>>(rest),
    };
    let (body, length) = body.map_err(|error| TraceError::Damaged(error.to_string()))?;
    if start + length != content.len() {
        return Err(TraceError::Damaged("there are bytes behind its end".to_owned()));
    }
    let Body { case, steps, outcome, digest } = body;
    let image = size_of::<M::State>();
    if steps.len() > MOST_STEPS || !steps.iter().all(|effects| effects.is_inside(image)) {
        return Err(TraceError::Damaged(
            "an effect lies outside of the machine's state".to_owned(),
        ));
    }
    Ok(Trace { case, steps, outcome, digest })
}

/// Checks the header and decompresses the content; the version and the content.
fn content(bytes: &[u8]) -> Result<(u32, Vec<u8>), TraceError> {
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(TraceError::TooLarge(bytes.len() as u64));
    }
    let damaged = |what: &str| TraceError::Damaged(what.to_owned());
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
    if !(1..=VERSION).contains(&version) {
        return Err(TraceError::Version(version));
    }
    if checksum(version, length, packed) != sum {
        return Err(damaged("the checksum does not match; it was cut off or changed"));
    }
    if length as usize > LARGEST_CONTENT {
        return Err(damaged("it announces more content than any trace has"));
    }
    let content = codec::decompress(packed, length as usize);
    content.map(|content| (version, content)).map_err(|error| damaged(&error.to_string()))
}

fn head(content: &[u8]) -> Result<(Head, usize), TraceError> {
    codec::decode(content).map_err(|error| TraceError::Damaged(error.to_string()))
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

/// Writes a temporary file beside `path` and puts it in its place once it is on the disk.
fn write_with(
    path: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), TraceError> {
    let failed = |error| TraceError::File { path: path.to_owned(), action: "write", error };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    fill(file.as_file_mut()).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests;
