//! Files that are there whole or not at all, and leave nothing behind when their writer is stopped.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use tempfile::TempPath;

/// A file that is being written, of which nothing is seen until it is put in its place.
pub struct WholeFile {
    file: File,
    folder: PathBuf,
    /// Its name meanwhile, where the system has no files without one.
    aside: Option<TempPath>,
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl WholeFile {
    /// Begins a file that is to stand at a path later, in the folder of which it is written.
    ///
    /// # Errors
    /// If nothing can be written there.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let folder = folder_of(path).to_owned();
        if let Some(file) = nameless::create(&folder) {
            return Ok(Self { file, folder, aside: None });
        }
        let (file, aside) = temporary().tempfile_in(&folder)?.into_parts();
        Ok(Self { file, folder, aside: Some(aside) })
    }

    /// The file, to be written.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Puts the file in its place; what stood there is replaced.
    ///
    /// # Errors
    /// If that fails; what stood there is still there then.
    pub fn put(self, path: &Path) -> io::Result<()> {
        let Self { mut file, folder, aside } = self;
        let aside = match aside {
            Some(aside) => aside,
            None => match nameless::link(&file, path) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    let linked = temporary().make_in(&folder, |path| nameless::link(&file, path));
                    linked?.into_temp_path()
                }
                // It cannot get a name.
                Err(_) => {
                    let mut copy = temporary().tempfile_in(&folder)?;
                    io::Seek::rewind(&mut file)?;
                    io::copy(&mut file, &mut copy)?;
                    copy.into_temp_path()
                }
            },
        };
        aside.persist(path).map_err(|error| error.error)
    }
}

/// A temporary file with the rights of any other: who may read it, the process's mask says.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

#[cfg(target_os = "linux")]
mod nameless {
    use std::{fs::File, io, os::fd::AsRawFd, path::Path};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

    /// A file without a name, if the file system has such.
    pub(super) fn create(folder: &Path) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        open(folder, flags, Mode::from_raw_mode(0o666)).ok().map(File::from)
    }

    /// Gives it a name.
    pub(super) fn link(file: &File, path: &Path) -> io::Result<()> {
        let open = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(linkat(CWD, open.as_str(), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    }
}

#[cfg(not(target_os = "linux"))]
mod nameless {
    use std::{fs::File, io, path::Path};

    pub(super) fn create(_: &Path) -> Option<File> {
        None
    }

    pub(super) fn link(_: &File, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::*;

    #[test]
    fn a_file_has_no_name_until_it_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.trace");
        let names = || {
            let entries = fs::read_dir(folder.path()).expect("the folder");
            entries.map(|entry| entry.expect("an entry").file_name()).collect::<Vec<_>>()
        };
        for content in ["first", "second"] {
            let before = names();
            let mut file = WholeFile::begin(&path).expect("a writable folder");
            file.file().write_all(content.as_bytes()).expect("a writable folder");
            if file.aside.is_none() {
                assert_eq!(names(), before, "a writer that is killed leaves nothing");
            }
            file.put(&path).expect("a writable folder");
            assert_eq!(fs::read_to_string(&path).expect("there"), content);
            assert_eq!(names(), ["a.trace"]);
        }
    }

    #[test]
    fn a_file_that_is_given_up_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.trace");
        let mut file = WholeFile::begin(&path).expect("a writable folder");
        file.file().write_all(b"begun").expect("a writable folder");
        drop(file);
        let file = WholeFile::begin(&path).expect("a writable folder");
        let missing = folder.path().join("missing").join("a.trace");
        assert!(file.put(&missing).is_err());
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0);
    }
}
