//! Reading files within a limit, writing them whole or not at all.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use parallax_lockstep::{
    trace::{self, TraceError},
    whole::WholeFile,
};

use crate::failure::Failure;

/// Reads a file (`-` is standard input) of at most `limit` bytes. `what` names what was expected:
/// `a program`.
pub(crate) fn read(path: &Path, limit: u64, what: &str) -> Result<Vec<u8>, Failure> {
    read_by_head(path, |_| limit, what)
}

/// How much of a file [`read_by_head`] shows to decide on its limit.
const HEAD: u64 = 4096;

/// Reads a file (`-` is standard input) of at most as many bytes as its first ones allow.
pub(crate) fn read_by_head(
    path: &Path,
    limit: impl FnOnce(&[u8]) -> u64,
    what: &str,
) -> Result<Vec<u8>, Failure> {
    if path.is_dir() {
        return Err(Failure::input(format!(
            "{} is a directory where {what} was expected",
            path.display()
        )));
    }
    let mut source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(|error| Failure::file("read", path, error))?)
    };
    let mut bytes = Vec::new();
    let mut read = |most, bytes: &mut Vec<u8>| {
        let read = source.by_ref().take(most).read_to_end(bytes);
        read.map_err(|error| Failure::file("read", path, error))
    };
    read(HEAD, &mut bytes)?;
    let limit = limit(&bytes);
    read((limit + 1).saturating_sub(bytes.len() as u64), &mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(Failure::input(format!(
            "{} is too large for {what}: the limit is {}",
            path.display(),
            size(limit)
        )));
    }
    Ok(bytes)
}

/// Reads a setup file, which is JSON, into a case of a machine.
pub(crate) fn read_setup<C>(
    path: &Path,
    limit: u64,
    case: &mut C,
    apply: fn(&mut C, &[u8]) -> Result<(), String>,
) -> Result<(), Failure> {
    if !path.exists() && path.to_string_lossy().trim_start().starts_with(['{', '[']) {
        return Err(Failure::input(
            "--setup takes the name of a file: write the JSON to one, or to standard input and give -",
        ));
    }
    let bytes = read(path, limit, "a setup")?;
    let wrong = |wrong: &str| Failure::input(format!("{}: {wrong}", path.display()));
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if first.is_some_and(|first| *first != b'{') {
        return Err(wrong("a setup is an object of JSON: {\"key\": value, …}"));
    }
    apply(case, &bytes).map_err(|error| wrong(&error))
}

/// Writes a file so that it is there whole or not at all; missing folders are made.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failure = |error| Failure::file("write", path, error);
    if path.is_dir() {
        return Err(Failure::input(format!("cannot write {}: it is a directory", path.display())));
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder).map_err(failure)?;
    if fs::metadata(path).is_ok_and(|file| !file.is_file()) {
        // A device or a pipe cannot be replaced, only written to.
        return fs::write(path, bytes).map_err(failure);
    }
    trace::write_file(path, bytes).map_err(|error| match error {
        TraceError::File { error, .. } => failure(cause(error)),
        error => Failure::input(error.to_string()),
    })
}

/// A file that is written piece by piece, and there whole or not at all.
pub(crate) struct Pieces {
    path: PathBuf,
    to: BufWriter<Target>,
}

/// Where pieces go.
enum Target {
    /// A file that is put in its place at the end.
    Whole(WholeFile),
    /// A device or a pipe, which gets each at once.
    Stream(File),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Whole(whole) => whole.file().write(bytes),
            Self::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Pieces {
    /// Begins a file; missing folders are made.
    pub(crate) fn begin(path: &Path) -> Result<Self, Failure> {
        check(path)?;
        let target = if fs::metadata(path).is_ok_and(|file| !file.is_file()) {
            File::options().write(true).open(path).map(Target::Stream)
        } else {
            WholeFile::begin(path).map(Target::Whole).map_err(cause)
        };
        let target = target.map_err(|error| Failure::file("write", path, error))?;
        Ok(Self { path: path.to_owned(), to: BufWriter::new(target) })
    }

    /// Writes a piece.
    pub(crate) fn write(&mut self, piece: &str) -> Result<(), Failure> {
        let written = self.to.write_all(piece.as_bytes());
        written.map_err(|error| Failure::file("write", &self.path, error))
    }

    /// Puts the file in its place.
    pub(crate) fn end(self) -> Result<(), Failure> {
        let Self { path, to } = self;
        let ended = to.into_inner().map_err(io::IntoInnerError::into_error);
        let ended = ended.and_then(|target| match target {
            Target::Whole(whole) => whole.put(&path),
            Target::Stream(_) => Ok(()),
        });
        ended.map_err(|error| Failure::file("write", &path, error))
    }
}

/// Holds that a file can be written, before the work whose results go there.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::input(format!("cannot write {}: it is a directory", path.display())));
    }
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => check_folder(parent),
        _ => Ok(()),
    }
}

/// Holds that files can be written into a folder, before the work whose results go there; makes it if
/// it is missing.
pub(crate) fn check_folder(folder: &Path) -> Result<(), Failure> {
    let failure = |error| Failure::file("write into", folder, error);
    fs::create_dir_all(folder).map_err(failure)?;
    tempfile::tempfile_in(folder).map(drop).map_err(|error| failure(cause(error)))
}

/// An error without the name of the temporary file it happened to.
fn cause(error: io::Error) -> io::Error {
    match error.get_ref().and_then(|error| error.source()) {
        Some(cause) => io::Error::new(error.kind(), cause.to_string()),
        None => error,
    }
}

/// A size for people: `16 MiB`.
fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes / 1024),
        _ => format!("{} MiB", bytes / 1_048_576),
    }
}
