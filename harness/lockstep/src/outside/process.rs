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
    process::{Pid, Resource, Rlimit, WaitId, WaitIdOptions, prlimit, waitid},
};

use super::{
    command::Program,
    group::Group,
    wire::{Broken, Wire},
};
use crate::{escape, heartbeat};

/// Bytes of standard error that are kept.
const LAST_WORDS: usize = 2048;
/// Time between two signs of life while an engine is waited for.
const BEAT: Duration = Duration::from_millis(200);
/// How long a process that was told to end is waited for.
const ENDING: Duration = Duration::from_millis(300);
/// Bytes read at once.
const CHUNK: usize = 1 << 16;

/// A child process, and those that it starts.
pub(super) struct Process {
    child: Child,
    group: Group,
    input: Option<ChildStdin>,
    output: ChildStdout,
    error: Option<ChildStderr>,
    last_words: Vec<u8>,
    inbox: Vec<u8>,
    buffer: Vec<u8>,
    /// How it ended, once it has; `None` inside if it had to be stopped.
    ended: Option<Option<ExitStatus>>,
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
        // One that dies in every tenth case spends its time on backtraces, which hide what it said of its panic.
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|how| how != "full") {
            command.env("RUST_BACKTRACE", "0");
        }
        let mut child =
            command.spawn().map_err(|error| format!("cannot start `{name}`: {error}"))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(error)) = pipes else {
            unreachable!("pipes were asked for");
        };
        let group = Group::of(&child, memory);
        let process = Self {
            child,
            group,
            input: Some(input),
            output,
            error: Some(error),
            last_words: Vec::new(),
            inbox: Vec::new(),
            buffer: vec![0; CHUNK],
            ended: None,
        };
        process.prepare(memory).map_err(|error| format!("cannot talk to `{name}`: {error}"))?;
        Ok(process)
    }

    /// Limits its memory, and makes its pipes ones that nobody waits at.
    fn prepare(&self, memory: Option<u64>) -> rustix::io::Result<()> {
        if let Some(bytes) = memory {
            let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
            prlimit(Some(Pid::from_child(&self.child)), Resource::As, limit)?;
        }
        let pipes = [self.input.as_ref().map(AsFd::as_fd), self.error.as_ref().map(AsFd::as_fd)];
        for pipe in pipes.into_iter().flatten().chain([self.output.as_fd()]) {
            let flags = fcntl_getfl(pipe)?;
            fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?;
        }
        Ok(())
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
            // Its helpers may hold the pipes open when it is gone.
            Ok(0) if self.has_ended() => return Err(Broken::Ended),
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

    /// Whether the process has ended. It is not reaped: its group keeps its number.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let ended = waitid(WaitId::Pid(Pid::from_child(&self.child)), options);
        !matches!(ended, Ok(None) | Err(rustix::io::Errno::INTR))
    }

    /// Closes its input, waits for its end, so long and no longer, and ends what is left of its group.
    fn finish(&mut self, longest: Duration) -> Option<ExitStatus> {
        if let Some(ended) = self.ended {
            return ended;
        }
        self.input = None;
        let start = Instant::now();
        while !self.has_ended() && start.elapsed() <= longest {
            thread::sleep(Duration::from_millis(2));
        }
        let has_ended = self.has_ended();
        self.group.end();
        let status = self.child.wait().ok().filter(|_| has_ended);
        self.ended = Some(status);
        status
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
            Ok(false) => heartbeat::beat(),
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
        let status = self.finish(ENDING);
        self.listen();
        let how = match (self.group.exceeded(), status) {
            (Some(bytes), _) => format!(
                "it was stopped: its processes had {} MB of address space, more than --engine-memory allows",
                bytes >> 20
            ),
            (None, None) => "it was stopped".to_owned(),
            (None, Some(status)) => match (status.signal(), status.code()) {
                (Some(signal), _) => format!("it ended with signal {}", signal_name(signal)),
                (None, Some(code)) => format!("it ended with exit code {code}"),
                (None, None) => "it ended".to_owned(),
            },
        };
        let words = String::from_utf8_lossy(&self.last_words);
        let lines: Vec<_> = words.lines().rev().take(3).filter(|line| !line.is_empty()).collect();
        if lines.is_empty() {
            return how;
        }
        let lines: Vec<_> = lines.into_iter().rev().map(escape::line).collect();
        format!("{how}; the last that it said on standard error: {}", lines.join(" / "))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.finish(ENDING / 3);
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
        (25, "SIGXFSZ"),
    ];
    match names.iter().find(|(number, _)| *number == signal) {
        Some((number, name)) => format!("{number} ({name})"),
        None => signal.to_string(),
    }
}
