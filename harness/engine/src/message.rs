//! What frames hold, as bytes. Numbers are little-endian.

/// Content that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

/// A program and all it starts from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Case {
    /// The device that the program is for.
    pub device: String,
    /// Steps after which the run is stopped.
    pub step_limit: u64,
    /// Machine code.
    pub program: Vec<u8>,
    /// What the program meets from outside, as JSON; empty if nothing.
    pub settings: String,
}

/// How a step ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flow {
    /// There is a next one.
    Continue,
    /// The program ran to its end.
    Halted,
    /// A message with End Of Thread was sent.
    EndOfThread,
    /// The case's step limit was reached.
    StepLimit,
    /// An exception ended the run: its name in the manual.
    Exception(String),
    /// The program did something whose effect is not defined: what, in a sentence.
    Undefined(String),
    /// The engine does not have the next instruction: why, in a sentence. Nothing was done.
    Declined(String),
}

/// The codes of the ends in order, with their names in JSON.
pub(crate) const FLOWS: [&str; 7] =
    ["continue", "halted", "eot", "step-limit", "exception", "undefined", "declined"];

impl Flow {
    /// Its code.
    pub(crate) const fn code(&self) -> u8 {
        match self {
            Self::Continue => 0,
            Self::Halted => 1,
            Self::EndOfThread => 2,
            Self::StepLimit => 3,
            Self::Exception(_) => 4,
            Self::Undefined(_) => 5,
            Self::Declined(_) => 6,
        }
    }

    /// What it says beyond its code.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Exception(text) | Self::Undefined(text) | Self::Declined(text) => text,
            _ => "",
        }
    }

    /// The flow of a code.
    pub(crate) fn of(code: u8, text: &str) -> Result<Self, Malformed> {
        Ok(match code {
            0 => Self::Continue,
            1 => Self::Halted,
            2 => Self::EndOfThread,
            3 => Self::StepLimit,
            4 => Self::Exception(text.to_owned()),
            5 => Self::Undefined(text.to_owned()),
            6 => Self::Declined(text.to_owned()),
            _ => return Err(Malformed(format!("there is no end of a step with the code {code}"))),
        })
    }

    /// Adds its bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        let text = &self.text().as_bytes()[..self.text().len().min(usize::from(u16::MAX))];
        out.extend([self.code(), 0]);
        out.extend((text.len() as u16).to_le_bytes());
        out.extend(text);
    }
}

/// Bytes of a bank that become something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Write<'b> {
    /// The bank's number in the engine's list.
    pub bank: usize,
    /// The first byte.
    pub offset: usize,
    /// What they become.
    pub bytes: &'b [u8],
}

/// Writes in the making; how many they are stands before them.
pub struct Writes<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
    number: u16,
}

impl<'o> Writes<'o> {
    /// None so far.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        out.extend([0; 2]);
        Self { out, start, number: 0 }
    }

    /// Adds one.
    ///
    /// # Panics
    /// If there are more than 65,535, or one is longer than that.
    pub fn add(&mut self, Write { bank, offset, bytes }: Write) {
        self.number = self.number.checked_add(1).expect("so many writes are none of a state");
        self.out.extend([bank as u8, 0]);
        let length = u16::try_from(bytes.len()).expect("longer runs are cut before");
        self.out.extend(length.to_le_bytes());
        self.out.extend((offset as u32).to_le_bytes());
        self.out.extend(bytes);
        self.out[self.start..self.start + 2].copy_from_slice(&self.number.to_le_bytes());
    }
}

/// Adds the runs of a bank in which two contents differ, in pieces that are whole multiples of
/// `GRAIN` bytes from the start of the bank on.
pub fn differences(writes: &mut Writes, bank: usize, before: &[u8], after: &[u8]) {
    const GRAIN: usize = 16;
    /// The most bytes of one piece.
    const MOST: usize = 32 << 10;
    if before == after {
        return;
    }
    let mut run: Option<usize> = None;
    let pieces = before.chunks(GRAIN).zip(after.chunks(GRAIN)).enumerate();
    let mut add = |start: usize, end: usize| {
        writes.add(Write { bank, offset: start, bytes: &after[start..end] });
    };
    for (number, (before, after)) in pieces {
        let place = number * GRAIN;
        match run {
            Some(start) if before == after || place - start >= MOST => {
                add(start, place);
                run = (before != after).then_some(place);
            }
            None if before != after => run = Some(place),
            _ => {}
        }
    }
    if let Some(start) = run {
        add(start, after.len());
    }
}

/// Reads content from its start on.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    /// At the first of some bytes.
    #[must_use]
    pub const fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What is left.
    #[must_use]
    pub const fn rest(&self) -> &'b [u8] {
        self.rest
    }

    /// The next so many bytes.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn bytes(&mut self, number: usize) -> Result<&'b [u8], Malformed> {
        let Some((bytes, rest)) = self.rest.split_at_checked(number) else {
            return Err(Malformed(format!(
                "a frame ends where {number} more bytes belong, there are {}",
                self.rest.len()
            )));
        };
        self.rest = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        Ok(self.bytes(N)?.try_into().expect("as many as asked for"))
    }

    /// The next number of 8 bits.
    ///
    /// # Errors
    /// If the content ends before.
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.array::<1>()?[0])
    }

    /// The next number of 16 bits.
    ///
    /// # Errors
    /// If the content ends before.
    pub fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    /// The next number of 32 bits.
    ///
    /// # Errors
    /// If the content ends before.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    /// The next number of 64 bits.
    ///
    /// # Errors
    /// If the content ends before.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// The next so many bytes, which are text.
    ///
    /// # Errors
    /// If they are none.
    pub fn text(&mut self, bytes: usize) -> Result<&'b str, Malformed> {
        let bytes = self.bytes(bytes)?;
        std::str::from_utf8(bytes).map_err(|_| Malformed("text that is not UTF-8".to_owned()))
    }

    /// How a step ends.
    ///
    /// # Errors
    /// If there is no such end.
    pub fn flow(&mut self) -> Result<Flow, Malformed> {
        let code = self.u8()?;
        self.u8()?;
        let length = self.u16()?;
        Flow::of(code, self.text(usize::from(length))?)
    }

    /// The writes that come, one after the other.
    ///
    /// # Errors
    /// If there are fewer than announced, or as `each` says.
    pub fn writes(
        &mut self,
        mut each: impl FnMut(Write<'b>) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        for _ in 0..self.u16()? {
            let bank = usize::from(self.u8()?);
            self.u8()?;
            let length = usize::from(self.u16()?);
            let offset = self.u32()? as usize;
            each(Write { bank, offset, bytes: self.bytes(length)? })?;
        }
        Ok(())
    }

    /// Holds that nothing is left.
    ///
    /// # Errors
    /// If something is.
    pub fn end(&self) -> Result<(), Malformed> {
        match self.rest.len() {
            0 => Ok(()),
            more => Err(Malformed(format!("{more} bytes more than a frame of this kind has"))),
        }
    }
}

impl Case {
    /// Adds its bytes; the writes of its state follow.
    pub fn write(&self, out: &mut Vec<u8>) {
        let Self { device, step_limit, program, settings } = self;
        out.extend(step_limit.to_le_bytes());
        for length in [program.len(), settings.len(), device.len()] {
            out.extend((length as u32).to_le_bytes());
        }
        out.extend(program);
        out.extend(settings.as_bytes());
        out.extend(device.as_bytes());
    }

    /// Reads it.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(reader: &mut Reader) -> Result<Self, Malformed> {
        let step_limit = reader.u64()?;
        let [program, settings, device] = [reader.u32()?, reader.u32()?, reader.u32()?];
        Ok(Self {
            step_limit,
            program: reader.bytes(program as usize)?.to_vec(),
            settings: reader.text(settings as usize)?.to_owned(),
            device: reader.text(device as usize)?.to_owned(),
        })
    }
}
