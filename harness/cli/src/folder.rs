//! The folder that a run writes into: it belongs to one run at a time.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use crate::{failure::Failure, files};

/// A folder that no other run writes into as long as this is there.
pub(crate) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Takes a folder, makes it if it is missing, and puts findings of an earlier run aside.
    pub(crate) fn take(path: &Path) -> Result<Self, Failure> {
        files::check_folder(path)?;
        let name = path.join(".lock");
        let failure = |error| Failure::file("write", &name, error);
        let lock = File::options().create(true).append(true).open(&name).map_err(failure)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::input(format!(
                    "another run writes into {}; use --out for another folder",
                    path.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failure(error)),
        }
        let folder = Self { path: path.to_owned(), _lock: lock };
        folder.put_findings_aside()?;
        Ok(folder)
    }

    /// Where findings go.
    pub(crate) fn findings(&self) -> PathBuf {
        self.path.join("findings")
    }

    /// What is in the folder of findings is of this run. Those of the run before are kept beside.
    fn put_findings_aside(&self) -> Result<(), Failure> {
        let (findings, previous) = (self.findings(), self.path.join("findings.previous"));
        if !findings.is_dir() {
            return Ok(());
        }
        match fs::remove_dir_all(&previous) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Failure::file("remove", &previous, error));
            }
            _ => {}
        }
        fs::rename(&findings, &previous)
            .map_err(|error| Failure::file("put aside", &findings, error))
    }
}
