//! A child process as the other side: its standard input and output carry frames, and the last that it
//! said on standard error is kept.

use std::{
    io::{ErrorKind, Read, Write},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::process::{CommandExt, ExitStatusExt},
    },
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit},
};

use super::{
    command::Program,
    wire::{Broken, Wire},
};
use crate::pulse;

/// Bytes of standard error that are kept.
const LAST_WORDS: usize = 2048;
/// Time between two signs of life while an engine is waited for.
const BEAT: Duration = Duration::from_millis(200);
/// How long a process that was told to end is waited for.
const ENDING: Duration = Duration::from_millis(300);
/// Bytes read at once.
const CHUNK: usize = 1 << 16;

/// A child process.
pub(super) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    error: Option<ChildStderr>,
    last_words: Vec<u8>,
    inbox: Vec<u8>,
    buffer: Vec<u8>,
    is_killed: bool,
}

impl Process {
    /// Starts a program.
    ///
    /// # Errors
    /// If that cannot be done: why, in a sentence.
    pub(super) fn start(program: &Program, memory: Option<u64>) -> Result<Self, String> {
        let (name, arguments) = (&program.words[0], &program.words[1..]);
        let mut command = Command::new(name);
        // In a group of its own: an interrupt from the terminal is for the harness.
        command.args(arguments).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            command.spawn().map_err(|error| format!("cannot start `{name}`: {error}"))?;
        let failed = |error: rustix::io::Errno| format!("cannot talk to `{name}`: {error}");
        if let Some(bytes) = memory {
            let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
            let pid = Pid::from_child(&child);
            prlimit(Some(pid), Resource::As, limit).map_err(failed)?;
        }
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(error)) = pipes else {
            return Err(format!("`{name}` has no pipes"));
        };
        for pipe in [input.as_fd(), output.as_fd(), error.as_fd()] {
            let flags = fcntl_getfl(pipe).map_err(failed)?;
            fcntl_setfl(pipe, flags | OFlags::NONBLOCK).map_err(failed)?;
        }
        Ok(Self {
            child,
            input: Some(input),
            output,
            error: Some(error),
            last_words: Vec::new(),
            inbox: Vec::new(),
            buffer: vec![0; CHUNK],
            is_killed: false,
        })
    }

    /// Writes and reads what can be, after waiting for that at most so long.
    fn pump(&mut self, out: &mut &[u8], wait: Duration) -> Result<(), Broken> {
        let Some(input) = &self.input else { return Err(Broken::Ended) };
        let mut interests = vec![PollFd::new(&self.output, PollFlags::IN)];
        if let Some(error) = &self.error {
            interests.push(PollFd::new(error, PollFlags::IN));
        }
        if !out.is_empty() {
            interests.push(PollFd::new(input, PollFlags::OUT));
        }
        let wait = Timespec {
            tv_sec: wait.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: wait.subsec_nanos().into(),
        };
        match poll(&mut interests, Some(&wait)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(()),
            Ok(_) => {}
            Err(_) => return Err(Broken::Ended),
        }
        let is_ready = |fd: BorrowedFd, interests: &[PollFd]| {
            let of = |interest: &&PollFd| {
                std::os::fd::AsRawFd::as_raw_fd(&interest.as_fd())
                    == std::os::fd::AsRawFd::as_raw_fd(&fd)
            };
            interests.iter().find(of).is_some_and(|interest| !interest.revents().is_empty())
        };
        let says = is_ready(self.output.as_fd(), &interests);
        let complains = self.error.as_ref().is_some_and(|e| is_ready(e.as_fd(), &interests));
        let takes = !out.is_empty() && is_ready(input.as_fd(), &interests);
        drop(interests);
        if complains {
            self.listen();
        }
        if says {
            self.read()?;
        }
        if takes {
            self.write(out)?;
        }
        Ok(())
    }

    /// Takes what stands on standard output.
    fn read(&mut self) -> Result<(), Broken> {
        match self.output.read(&mut self.buffer) {
            Ok(0) if self.inbox.is_empty() => Err(Broken::Ended),
            Ok(number) => {
                self.inbox.extend(&self.buffer[..number]);
                Ok(())
            }
            Err(error) if is_passing(error.kind()) => Ok(()),
            Err(_) => Err(Broken::Ended),
        }
    }

    /// Takes what stands on standard error.
    fn listen(&mut self) {
        let Some(error) = &mut self.error else { return };
        match error.read(&mut self.buffer) {
            Ok(0) => self.error = None,
            Ok(number) => {
                self.last_words.extend(&self.buffer[..number]);
                let old = self.last_words.len().saturating_sub(LAST_WORDS);
                self.last_words.drain(..old);
            }
            Err(error) if is_passing(error.kind()) => {}
            Err(_) => self.error = None,
        }
    }

    /// Writes what the pipe takes.
    fn write(&mut self, out: &mut &[u8]) -> Result<(), Broken> {
        let Some(input) = &mut self.input else { return Err(Broken::Ended) };
        match input.write(out) {
            Ok(number) => {
                *out = &out[number..];
                Ok(())
            }
            Err(error) if is_passing(error.kind()) => Ok(()),
            // What it said before may still be read.
            Err(_) => Err(Broken::Ended),
        }
    }

    /// Waits for the end, so long and no longer.
    fn wait(&mut self, longest: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if start.elapsed() > longest {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Whether something may be tried again.
fn is_passing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Does something until it is done, in the time that is left.
fn until(
    left: &mut Duration,
    mut step: impl FnMut(Duration) -> Result<bool, Broken>,
) -> Result<(), Broken> {
    loop {
        let start = Instant::now();
        let is_done = step((*left).min(BEAT));
        *left = left.saturating_sub(start.elapsed());
        match is_done {
            Ok(false) if left.is_zero() => return Err(Broken::Late),
            Ok(false) => pulse::beat(),
            Ok(true) => return Ok(()),
            Err(broken) => return Err(broken),
        }
    }
}

impl Wire for Process {
    fn send(&mut self, bytes: &[u8], left: &mut Duration) -> Result<(), Broken> {
        let mut out = bytes;
        // Mostly the pipe takes all of it.
        self.write(&mut out)?;
        if out.is_empty() {
            return Ok(());
        }
        until(left, |wait| {
            self.pump(&mut out, wait)?;
            Ok(out.is_empty())
        })
    }

    fn receive(&mut self, buffer: &mut Vec<u8>, left: &mut Duration) -> Result<(), Broken> {
        until(left, |wait| {
            if self.inbox.is_empty() {
                self.pump(&mut &[][..], wait)?;
            }
            let has_come = !self.inbox.is_empty();
            buffer.append(&mut self.inbox);
            Ok(has_come)
        })
    }

    fn end(&mut self) -> String {
        self.input = None;
        let status = self.wait(ENDING).or_else(|| {
            self.is_killed = true;
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            self.wait(10 * ENDING)
        });
        self.listen();
        let how = match status {
            _ if self.is_killed => "it was stopped".to_owned(),
            Some(status) => match (status.signal(), status.code()) {
                (Some(signal), _) => format!("it ended with signal {}", signal_name(signal)),
                (None, Some(code)) => format!("it ended with exit code {code}"),
                (None, None) => "it ended".to_owned(),
            },
            None => "it does not end".to_owned(),
        };
        let words = String::from_utf8_lossy(&self.last_words);
        let lines: Vec<_> = words.lines().rev().take(3).filter(|line| !line.is_empty()).collect();
        if lines.is_empty() {
            return how;
        }
        let lines: Vec<_> = lines.into_iter().rev().collect();
        format!("{how}; the last that it said on standard error: {}", lines.join(" / "))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        if self.wait(ENDING / 3).is_none() {
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// A signal's number, and its name where it is one that crashes have.
fn signal_name(signal: i32) -> String {
    let names = [
        (4, "SIGILL"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (15, "SIGTERM"),
        (24, "SIGXCPU"),
    ];
    match names.iter().find(|(number, _)| *number == signal) {
        Some((number, name)) => format!("{number} ({name})"),
        None => signal.to_string(),
    }
}
