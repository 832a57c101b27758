//! The loop of an engine: questions in, answers out.

use std::io::{self, BufReader, Read};

use crate::{
    frame::{self, HEADER, Header, Kind},
    hello::Hello,
    message::{Case, Flow, Malformed, Reader, Writes, differences},
};

/// The most steps that one answer tells of; the harness asks again for the others.
const MOST_STEPS: u32 = 4096;
/// Bytes of an answer after which no further step is added to it.
const LONG_ANSWER: usize = 1 << 20;

/// Why an engine refuses a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The byte of the program at which the instruction stands that is not taken; `None` if it is
    /// something else.
    pub offset: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// The engine does not have it, and nothing is said of whether the program is right.
    pub is_declined: bool,
}

impl Refusal {
    /// The program is wrong at this byte, or as a whole.
    #[must_use]
    pub fn wrong(offset: Option<u32>, message: impl Into<String>) -> Self {
        Self { offset, message: message.into(), is_declined: false }
    }

    /// The engine does not have the instruction at this byte, or something of the case as a whole.
    #[must_use]
    pub fn declined(offset: Option<u32>, reason: impl Into<String>) -> Self {
        Self { offset, message: reason.into(), is_declined: true }
    }
}

/// An engine that can be served.
pub trait Served {
    /// What it is and has.
    fn hello(&self) -> Hello;

    /// The bytes of each bank, in the order in which [`Hello::banks`] lists them.
    fn bank_bytes(&self) -> Vec<usize>;

    /// Loads a case. The banks already hold the state that it starts from.
    ///
    /// # Errors
    /// If it does not run such a case.
    fn load(&mut self, case: &Case) -> Result<(), Refusal>;

    /// Starts the last case again, from what is in the banks now.
    ///
    /// # Errors
    /// If it does not run such a case.
    fn start(&mut self, case: &Case) -> Result<(), Refusal> {
        self.load(case)
    }

    /// A bank.
    fn bank(&self, number: usize) -> &[u8];

    /// The same, to change.
    fn bank_mut(&mut self, number: usize) -> &mut [u8];

    /// The other side has written to banks while a case runs: values to go on with.
    fn written(&mut self) {}

    /// Takes a step.
    fn step(&mut self) -> Flow;

    /// Takes up to so many steps on the fastest path there is.
    fn run(&mut self, most: u64) -> Flow {
        for _ in 0..most {
            let flow = self.step();
            if flow != Flow::Continue {
                return flow;
            }
        }
        Flow::Continue
    }
}

/// Answers questions until they end.
///
/// # Errors
/// If the streams fail, or what comes is no question of the protocol.
pub fn serve(
    engine: &mut impl Served,
    input: impl Read,
    mut output: impl io::Write,
) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut out = Vec::new();
    let hello = serde_json::to_vec(&engine.hello()).map_err(io::Error::other)?;
    frame::write(&mut out, Kind::Hello, 0, |out| out.extend(hello));
    let sizes = engine.bank_bytes();
    let mut server = Server {
        reported: sizes.iter().map(|bytes| vec![0; *bytes]).collect(),
        engine,
        case: Case::default(),
        over: None,
    };
    let mut content = Vec::new();
    loop {
        // What can be answered at once is sent at once.
        if input.buffer().is_empty() {
            output.write_all(&out)?;
            output.flush()?;
            out.clear();
        }
        let mut header = [0; HEADER];
        match input.read_exact(&mut header) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            read => read?,
        }
        let Header { kind, number, length } = Header::read(header).map_err(io::Error::other)?;
        content.resize(length, 0);
        input.read_exact(&mut content)?;
        if kind == Kind::End {
            break;
        }
        let start = out.len();
        if let Err(error) = server.answer(kind, number, &content, &mut out) {
            out.truncate(start);
            frame::write(&mut out, Kind::Failed, number, |out| out.extend(error.0.as_bytes()));
        }
    }
    output.write_all(&out)?;
    output.flush()
}

/// An engine that is served.
struct Server<'e, E> {
    engine: &'e mut E,
    case: Case,
    /// What was last said of each bank.
    reported: Vec<Vec<u8>>,
    /// How the run ended, if it did.
    over: Option<Flow>,
}

impl<E: Served> Server<'_, E> {
    fn answer(
        &mut self,
        kind: Kind,
        number: u16,
        content: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Malformed> {
        let mut reader = Reader::new(content);
        match kind {
            Kind::Case => {
                self.case = Case::read(&mut reader)?;
                self.begin(&mut reader)?;
                reader.end()?;
                let loaded = self.engine.load(&self.case);
                loading(loaded, number, out);
            }
            Kind::Start => {
                self.begin(&mut reader)?;
                reader.end()?;
                let loaded = self.engine.start(&self.case);
                loading(loaded, number, out);
            }
            Kind::Write => {
                self.write(&mut reader)?;
                reader.end()?;
                self.engine.written();
                frame::write(out, Kind::Ready, number, |_| ());
            }
            Kind::Step => {
                let most = reader.u32()?.clamp(1, MOST_STEPS);
                frame::write(out, Kind::Stepped, number, |out| self.steps(most, out));
            }
            Kind::Run => {
                let most = reader.u64()?;
                let flow = self.over.clone().unwrap_or_else(|| self.engine.run(most));
                frame::write(out, Kind::Ran, number, |out| self.report(flow, out));
            }
            Kind::Batch => {
                let mut ends = Vec::new();
                match self.batch(&mut reader, &mut ends)? {
                    Ok(()) => frame::write(out, Kind::Batched, number, |out| out.extend(ends)),
                    refused => loading(refused, number, out),
                }
            }
            other => return Err(Malformed(format!("`{}` is no question", other.name()))),
        }
        Ok(())
    }

    /// Empties the banks and writes what a run starts from.
    fn begin(&mut self, reader: &mut Reader) -> Result<(), Malformed> {
        self.over = None;
        (0..self.reported.len()).for_each(|bank| self.engine.bank_mut(bank).fill(0));
        self.write(reader)
    }

    fn write(&mut self, reader: &mut Reader) -> Result<(), Malformed> {
        let engine = &mut *self.engine;
        let banks = self.reported.len();
        reader.writes(|write| {
            let place = if write.bank < banks { engine.bank_mut(write.bank) } else { &mut [] };
            let range = write.offset..write.offset.saturating_add(write.bytes.len());
            let Some(place) = place.get_mut(range) else {
                return Err(Malformed(format!("bank {} has no byte {}", write.bank, write.offset)));
            };
            place.copy_from_slice(write.bytes);
            Ok(())
        })?;
        for (number, bank) in self.reported.iter_mut().enumerate() {
            bank.copy_from_slice(self.engine.bank(number));
        }
        Ok(())
    }

    /// Runs the last case from each of some starts to its end; the first start that the engine does not run ends that.
    fn batch(
        &mut self,
        reader: &mut Reader,
        out: &mut Vec<u8>,
    ) -> Result<Result<(), Refusal>, Malformed> {
        let starts = reader.u16()?;
        out.extend(starts.to_le_bytes());
        for _ in 0..starts {
            self.begin(reader)?;
            if let Err(refusal) = self.engine.start(&self.case) {
                return Ok(Err(refusal));
            }
            let flow = self.engine.run(self.case.step_limit);
            self.report(flow, out);
        }
        reader.end()?;
        Ok(Ok(()))
    }

    /// Takes steps and tells of each.
    fn steps(&mut self, most: u32, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([0; 2]);
        let mut taken = 0u16;
        while u32::from(taken) < most && out.len() - start < LONG_ANSWER {
            let flow = self.over.clone().unwrap_or_else(|| self.engine.step());
            let is_over = flow != Flow::Continue;
            self.report(flow, out);
            taken += 1;
            if is_over {
                break;
            }
        }
        out[start..start + 2].copy_from_slice(&taken.to_le_bytes());
    }

    /// Tells how a step ended and what is in another way than it was said last.
    fn report(&mut self, flow: Flow, out: &mut Vec<u8>) {
        flow.write(out);
        let mut writes = Writes::new(out);
        for (number, bank) in self.reported.iter_mut().enumerate() {
            let now = self.engine.bank(number);
            if bank[..] != *now {
                differences(&mut writes, number, bank, now);
                bank.copy_from_slice(now);
            }
        }
        if flow != Flow::Continue {
            self.over = Some(flow);
        }
    }
}

/// Reports whether a case was loaded.
fn loading(loaded: Result<(), Refusal>, number: u16, out: &mut Vec<u8>) {
    match loaded {
        Ok(()) => frame::write(out, Kind::Ready, number, |_| ()),
        Err(Refusal { offset, message, is_declined }) => {
            let kind = if is_declined { Kind::Declined } else { Kind::Refused };
            frame::write(out, kind, number, |out| {
                out.extend(offset.unwrap_or(u32::MAX).to_le_bytes());
                out.extend(message.as_bytes());
            });
        }
    }
}
