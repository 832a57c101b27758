//! Running the built program as a user does.

#![allow(dead_code, reason = "each test file uses its part")]

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A folder of its own for a test, removed afterwards.
pub(crate) struct Room {
    folder: tempfile::TempDir,
}

/// What a command left behind.
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Room {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder for temporary files") }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file and gives its name.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, content).expect("a writable folder");
        path
    }

    /// `parallax` with arguments, to be run in this folder.
    pub(crate) fn command<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parallax"));
        command.args(arguments).current_dir(self.path());
        command
    }

    /// Runs `parallax` with arguments separated by blanks.
    pub(crate) fn run(&self, arguments: &str) -> Finished {
        self.run_list(arguments.split_whitespace())
    }

    /// Runs `parallax` with arguments.
    pub(crate) fn run_list<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Finished {
        let output = self.command(arguments).output().expect("the program starts");
        Finished::new(&output)
    }
}

impl Finished {
    pub(crate) fn new(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }

    /// The message, after holding that the exit code is 2 and nothing else was printed.
    #[track_caller]
    pub(crate) fn refused(&self) -> &str {
        assert_eq!(self.code, Some(2), "{}{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "");
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self.stderr.trim_end()
    }
}
