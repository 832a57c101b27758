//! Frames: eight bytes that say what comes, and as many bytes as they say.

use crate::message::Malformed;

/// The first byte of every frame. No text begins with it.
pub const MAGIC: u8 = 0xA5;
/// Bytes before the content.
pub const HEADER: usize = 8;
/// The most bytes of content.
pub const LARGEST: usize = 16 << 20;

/// What a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A program and all it starts from.
    Case = 0x01,
    /// The program of the last case from this start.
    Start = 0x02,
    /// Up to so many steps, the state after each.
    Step = 0x03,
    /// Up to so many steps, the state after the last.
    Run = 0x04,
    /// Values to take over.
    Write = 0x05,
    /// Nothing more will come.
    End = 0x06,
    /// The program of the last case from each of these starts, to its ends.
    Batch = 0x07,
    /// What an engine is and has: its first words.
    Hello = 0x81,
    /// It is done.
    Ready = 0x82,
    /// The case is refused.
    Refused = 0x83,
    /// What each step came to.
    Stepped = 0x84,
    /// What the last step came to.
    Ran = 0x85,
    /// The engine noticed that it cannot go on.
    Failed = 0x86,
    /// The engine does not have what the case takes.
    Declined = 0x87,
    /// What the run from each start of a batch came to.
    Batched = 0x88,
}

/// Every kind, with its name in JSON.
pub const KINDS: [(Kind, &str); 15] = [
    (Kind::Case, "case"),
    (Kind::Start, "start"),
    (Kind::Step, "step"),
    (Kind::Run, "run"),
    (Kind::Write, "write"),
    (Kind::End, "end"),
    (Kind::Batch, "batch"),
    (Kind::Hello, "hello"),
    (Kind::Ready, "ready"),
    (Kind::Refused, "refused"),
    (Kind::Stepped, "stepped"),
    (Kind::Ran, "ran"),
    (Kind::Failed, "failed"),
    (Kind::Declined, "declined"),
    (Kind::Batched, "batched"),
];

impl Kind {
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS[self.row()].1
    }

    fn row(self) -> usize {
        KINDS.iter().position(|(kind, _)| *kind == self).expect("every kind has a row")
    }
}

/// What stands before the content of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What it holds.
    pub kind: Kind,
    /// The number of a question, or of the question that is answered.
    pub number: u16,
    /// Bytes of content.
    pub length: usize,
}

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(bytes: [u8; HEADER]) -> Result<Self, Malformed> {
        let [magic, kind, n0, n1, l0, l1, l2, l3] = bytes;
        if magic != MAGIC {
            return Err(Malformed(format!(
                "a frame begins with the byte {MAGIC:#04x}, this with {}",
                describe(&bytes)
            )));
        }
        let row = KINDS.iter().find(|(known, _)| *known as u8 == kind);
        let Some((kind, _)) = row else {
            return Err(Malformed(format!("there is no frame of kind {kind:#04x}")));
        };
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        if length > LARGEST {
            return Err(Malformed(format!(
                "a frame of {length} bytes, more than the {LARGEST} that are read"
            )));
        }
        Ok(Self { kind: *kind, number: u16::from_le_bytes([n0, n1]), length })
    }
}

/// Some bytes, for people: as text where they are text.
#[must_use]
pub fn describe(bytes: &[u8]) -> String {
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    if bytes.iter().all(is_text) {
        format!("the text {:?}", String::from_utf8_lossy(bytes))
    } else {
        let hex: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("the bytes {}", hex.join(" "))
    }
}

/// Adds a frame whose content `fill` writes.
pub fn write(out: &mut Vec<u8>, kind: Kind, number: u16, fill: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend([MAGIC, kind as u8]);
    out.extend(number.to_le_bytes());
    out.extend([0; 4]);
    fill(out);
    let length = (out.len() - start - HEADER) as u32;
    out[start + 4..start + HEADER].copy_from_slice(&length.to_le_bytes());
}
