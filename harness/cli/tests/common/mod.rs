//! Running the built program as a user does.

#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod recorder;

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// The folder of engines and of the harness.
pub(crate) const HARNESS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Whether a program is there; says so if a test is skipped for want of it.
pub(crate) fn is_there(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok();
    if !is_there {
        println!("SKIPPED: there is no `{program}`");
    }
    is_there
}

/// A schema of the program that takes no keys but those it has: `parallax schema NAME` leaves room for new ones.
pub(crate) fn closed_schema(room: &Room, name: &str) -> jsonschema::Validator {
    fn close(schema: &mut serde_json::Value) {
        match schema {
            serde_json::Value::Array(items) => items.iter_mut().for_each(close),
            serde_json::Value::Object(members) => {
                if members.contains_key("properties")
                    && !members.contains_key("additionalProperties")
                {
                    members.insert("additionalProperties".to_owned(), false.into());
                }
                members.values_mut().for_each(close);
            }
            _ => {}
        }
    }
    let mut schema = room.run(&format!("schema {name}")).json();
    close(&mut schema);
    jsonschema::validator_for(&schema).expect("a schema")
}

/// Holds that an engine is refused in a sentence that says a hello, with some keys changed, and nothing else.
#[track_caller]
pub(crate) fn refuses_hello(
    mut hello: serde_json::Value,
    changes: serde_json::Value,
    sentence: &str,
) {
    if !is_there("python3") {
        return;
    }
    let device = hello["devices"][0].as_str().expect("a device").to_owned();
    let changes = changes.as_object().expect("keys").clone();
    hello.as_object_mut().expect("keys").extend(changes);
    let hello = serde_json::json!({ "hello": hello }).to_string();
    let script = format!("import sys\nprint({hello:?}, flush=True)\nsys.stdin.read()\n");
    let room = Room::new();
    let engine = format!("cmd:python3 '{}'", room.file("saying.py", script).display());
    let arguments = ["run", "--device", &device, "--cases", "3", "--engine", &engine];
    let refused = room.run_list(arguments);
    assert!(refused.refused().contains(sentence), "{}", refused.stderr);
}

/// Runs a campaign of a device with an engine, always of the same cases.
pub(crate) fn campaign(room: &Room, device: &str, engine: &str, more: &str) -> Finished {
    let arguments = ["run", "--device", device, "--seed", "5", "--jobs", "2", "--engine", engine];
    room.run_list(arguments.into_iter().chain(more.split_whitespace()))
}

/// Holds that a command ended with a code.
#[track_caller]
pub(crate) fn ends(finished: &Finished, code: i32) {
    assert_eq!(finished.code, Some(code), "{}{}", finished.stdout, finished.stderr);
}

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

    /// A program in C, by its path in [`HARNESS`], built as strictly as its users may.
    pub(crate) fn compiled(&self, source: &str) -> PathBuf {
        let program = self.path().join("example");
        let source = Path::new(HARNESS).join(source);
        let flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O2", "-o"];
        let built = Command::new("cc").args(flags).arg(&program).arg(source).output();
        let built = built.expect("the compiler starts");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        program
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
