//! The folder that a run writes into: it belongs to one run at a time, and its journal says how far
//! that is.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use parallax_lockstep::campaign::{
    Campaign, Record,
    journal::{self, Journal},
};

use crate::{
    failure::{Failure, note},
    files,
    selection::Selection,
};

/// Time between two entries of the journal, at least.
const NOW_AND_THEN: Duration = Duration::from_millis(250);

/// A folder that no other run writes into as long as this is there.
pub(crate) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Takes a folder; makes it if it is missing.
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
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// Where findings go.
    pub(crate) fn findings(&self) -> PathBuf {
        self.path.join("findings")
    }

    /// Takes a folder that a run was begun in, and says how far that is.
    pub(crate) fn with_journal(path: &Path) -> Result<(Self, Journal), Failure> {
        // Nothing is made where there is nothing to go on with.
        read_journal(path)?;
        let folder = Self::take(path)?;
        let journal = read_journal(path)?;
        Ok((folder, journal))
    }

    /// Puts aside what a run has left here, so that findings and the journal are those of the next.
    pub(crate) fn put_aside(&self) -> Result<(), Failure> {
        for name in ["findings", "journal"] {
            let (here, previous) =
                (self.path.join(name), self.path.join(format!("{name}.previous")));
            if !here.exists() {
                continue;
            }
            let removed = if previous.is_dir() {
                fs::remove_dir_all(&previous)
            } else {
                fs::remove_file(&previous)
            };
            match removed {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Failure::file("remove", &previous, error));
                }
                _ => {}
            }
            fs::rename(&here, &previous)
                .map_err(|error| Failure::file("put aside", &here, error))?;
        }
        Ok(())
    }
}

/// Reads the journal of a folder.
pub(crate) fn read_journal(folder: &Path) -> Result<Journal, Failure> {
    let path = folder.join("journal");
    if folder.is_dir() && !path.exists() {
        let folder = folder.display();
        return Err(Failure::input(format!(
            "there is no journal in {folder}: no run was begun there"
        )));
    }
    let bytes = files::read(&path, journal::LARGEST_FILE, "a journal")?;
    Journal::from_bytes(&bytes)
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

/// Keeps the journal of a run.
pub(crate) struct Keeper {
    path: PathBuf,
    engine: String,
    reference: Option<String>,
    selection: Selection,
    kept: Instant,
    /// It could not be written; that was said.
    has_failed: bool,
}

impl Keeper {
    /// In a folder, of a run with an engine as it was named, and the one that it is held against if it is not the model.
    pub(crate) fn new(
        folder: &Folder,
        engine: String,
        reference: Option<String>,
        selection: Selection,
    ) -> Self {
        let path = folder.path.join("journal");
        Self { path, engine, reference, selection, kept: Instant::now(), has_failed: false }
    }

    /// Writes it.
    pub(crate) fn keep(&mut self, record: Record) -> Result<(), Failure> {
        let Selection { instructions, rules, sabotage } = self.selection.clone();
        let (engine, reference) = (self.engine.clone(), self.reference.clone());
        let journal = Journal { engine, reference, instructions, rules, sabotage, record };
        self.kept = Instant::now();
        journal
            .write(&self.path)
            .map_err(|error| Failure::input(format!("the journal was not kept: {error}")))
    }

    /// Writes it if that was not done for a while. If it fails, the one before is still there and the
    /// run goes on.
    pub(crate) fn keep_now_and_then(&mut self, campaign: &Campaign) {
        if self.kept.elapsed() < NOW_AND_THEN {
            return;
        }
        if let Err(error) = self.keep(campaign.record())
            && !std::mem::replace(&mut self.has_failed, true)
        {
            note(format_args!("warning: {error}"));
        }
    }
}
