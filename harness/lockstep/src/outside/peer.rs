//! Questions and answers: frames over a wire, each answer held to be that of its question.

use std::{collections::VecDeque, time::Duration};

use parallax_engine::{
    Hello, Kind, VERSION,
    frame::{self, HEADER, Header, LARGEST, MAGIC, describe},
    json,
};
use parallax_isa::EngineError;

use super::wire::{Broken, Wire};
use crate::escape;

/// Time for the first words: some languages start slowly.
const FIRST_WORDS: Duration = Duration::from_secs(10);

/// An engine at the other end of a wire, after its first words.
pub struct Peer {
    wire: Box<dyn Wire>,
    hello: Hello,
    is_json: bool,
    /// What has come and was not looked at yet.
    inbox: Vec<u8>,
    /// Frames that were not sent yet.
    outbox: Vec<u8>,
    /// Numbers of questions without an answer.
    open: VecDeque<u16>,
    next: u16,
}

impl Peer {
    /// Hears the first words of an engine.
    ///
    /// # Errors
    /// If there are none that make sense.
    pub fn greet(mut wire: Box<dyn Wire>) -> Result<Self, EngineError> {
        let mut left = FIRST_WORDS;
        let mut inbox = Vec::new();
        if let Err(broken) = wire.receive(&mut inbox, &mut left) {
            return Err(gone(&mut *wire, broken, "before its first words"));
        }
        let is_json = inbox[0] == b'{';
        let hello = Hello::new("", &[], &[]);
        let (outbox, open) = (Vec::new(), VecDeque::new());
        let mut peer = Self { wire, hello, is_json, inbox, outbox, open, next: 1 };
        let mut content = Vec::new();
        let header = peer.frame(&mut content, &mut left)?;
        if header.kind != Kind::Hello {
            return Err(
                peer.nonsense(format!("its first words are `{}`, not `hello`", header.kind.name()))
            );
        }
        let protocol = serde_json::from_slice::<serde_json::Value>(&content);
        let protocol = protocol.map(|hello| hello["protocol"].as_u64());
        match protocol {
            Ok(Some(version)) if !(1..=u64::from(VERSION)).contains(&version) => {
                return Err(EngineError::Nonsense(format!(
                    "it speaks version {version} of the protocol, this program speaks 1 to {VERSION}"
                )));
            }
            _ => {}
        }
        peer.hello = serde_json::from_slice(&content)
            .map_err(|error| peer.nonsense(format!("its hello cannot be read: {error}")))?;
        peer.hello.name = escape::reported(&peer.hello.name);
        Ok(peer)
    }

    /// What the engine said of itself.
    #[must_use]
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Whether every question has its answer.
    pub(super) fn is_idle(&self) -> bool {
        self.open.is_empty() && self.outbox.is_empty() && self.inbox.is_empty()
    }

    /// Adds a question to those that are sent next.
    pub(super) fn ask(&mut self, kind: Kind, fill: impl FnOnce(&mut Vec<u8>)) {
        let number = self.next;
        self.next = self.next.checked_add(1).unwrap_or(1);
        self.open.push_back(number);
        if self.is_json {
            let mut frame = Vec::new();
            frame::write(&mut frame, kind, number, fill);
            let line = json::split(&frame)
                .and_then(|(header, content)| json::question(header, content, &self.hello.banks));
            self.outbox.extend(line.expect("it was just made").into_bytes());
            self.outbox.push(b'\n');
        } else {
            frame::write(&mut self.outbox, kind, number, fill);
        }
    }

    /// Waits for the answer to the first question that has none.
    pub(super) fn answer(
        &mut self,
        content: &mut Vec<u8>,
        left: &mut Duration,
    ) -> Result<Kind, EngineError> {
        let Some(number) = self.open.pop_front() else {
            return Err(EngineError::Nonsense("it was asked nothing".to_owned()));
        };
        if !self.outbox.is_empty() {
            if let Err(broken) = self.wire.send(&self.outbox, left) {
                return Err(gone(&mut *self.wire, broken, "while it was asked"));
            }
            self.outbox.clear();
        }
        let header = self.frame(content, left)?;
        if header.number != number {
            return Err(self.nonsense(format!(
                "it answers question {} where question {number} was asked (each has one answer)",
                header.number
            )));
        }
        if header.kind == Kind::Failed {
            let text = String::from_utf8_lossy(content);
            return Err(EngineError::Lost(format!("it gave up: {}", escape::reported(&text))));
        }
        Ok(header.kind)
    }

    /// The next frame.
    fn frame(&mut self, content: &mut Vec<u8>, left: &mut Duration) -> Result<Header, EngineError> {
        content.clear();
        if self.is_json {
            return self.line(content, left);
        }
        self.wait_for(HEADER, left)?;
        let header: [u8; HEADER] = self.inbox[..HEADER].try_into().expect("as many as waited for");
        if header[0] != MAGIC {
            return Err(self.no_frame());
        }
        let header = Header::read(header).map_err(|error| self.nonsense(error.0))?;
        self.wait_for(HEADER + header.length, left)?;
        content.extend(&self.inbox[HEADER..HEADER + header.length]);
        self.inbox.drain(..HEADER + header.length);
        Ok(header)
    }

    /// The next line of JSON as a frame.
    fn line(&mut self, content: &mut Vec<u8>, left: &mut Duration) -> Result<Header, EngineError> {
        let mut searched = 0;
        let end = loop {
            if let Some(end) = self.inbox[searched..].iter().position(|byte| *byte == b'\n') {
                break searched + end;
            }
            searched = self.inbox.len();
            if searched > 2 * LARGEST {
                return Err(self.nonsense("a line that does not end".to_owned()));
            }
            self.wait_for(searched + 1, left)?;
        };
        let line: Vec<u8> = self.inbox.drain(..=end).collect();
        let frame = json::answer(&line[..end], &self.hello.banks);
        let frame = frame.map_err(|error| self.nonsense(error.0))?;
        let (header, inside) = json::split(&frame).map_err(|error| self.nonsense(error.0))?;
        content.extend(inside);
        Ok(header)
    }

    /// Waits until so many bytes have come.
    fn wait_for(&mut self, bytes: usize, left: &mut Duration) -> Result<(), EngineError> {
        while self.inbox.len() < bytes {
            if let Err(broken) = self.wire.receive(&mut self.inbox, left) {
                if broken == Broken::Ended && !self.inbox.is_empty() && self.inbox[0] != MAGIC {
                    return Err(self.no_frame());
                }
                return Err(gone(&mut *self.wire, broken, "where an answer belongs"));
            }
        }
        Ok(())
    }

    /// What came is text, or anything else that is no frame.
    fn no_frame(&self) -> EngineError {
        let line = self.inbox.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let shown = describe(&line[..line.len().min(60)]);
        self.nonsense(format!(
            "a frame begins with the byte {MAGIC:#04x}, this with {shown} (standard output is for frames; \
             text for people belongs on standard error)"
        ))
    }

    fn nonsense(&self, what: String) -> EngineError {
        let (name, what) = (&self.hello.name, escape::reported(&what));
        EngineError::Nonsense(if name.is_empty() { what } else { format!("{name}: {what}") })
    }
}

/// What it means that nothing comes or goes any more.
fn gone(wire: &mut dyn Wire, broken: Broken, when: &str) -> EngineError {
    let how = wire.end();
    match broken {
        Broken::Ended => EngineError::Lost(format!("{how}, {when}")),
        Broken::Late => EngineError::TimedOut(format!("nothing came {when}; {how}")),
    }
}
