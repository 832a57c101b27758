//! An engine that says what bytes decide: for tests and fuzz targets of the harness's side.

use std::{sync::Arc, time::Duration};

use parallax_engine::{
    Hello,
    frame::{HEADER, MAGIC},
};
use parallax_isa::{
    Device, Machine as _,
    eu::{Case, State, text},
    r700::{self, R700, text as r700_text},
};

use crate::{
    Verdict,
    eu::Eu,
    lockstep,
    outside::{
        Allowance, Outside,
        wire::{Broken, Wire},
    },
    registry::check_hello,
    subject::Subject,
};

/// The other side of a wire that says what bytes decide.
struct Scripted {
    script: Arc<[u8]>,
    place: usize,
    /// What was said and not heard.
    ready: Vec<u8>,
    /// The numbers of questions.
    asked: Vec<u16>,
}

impl Scripted {
    fn next(&mut self) -> Option<u8> {
        let byte = self.script.get(self.place).copied();
        self.place += 1;
        byte
    }

    /// The next answer, mostly one to the question; none where the script ends.
    fn say(&mut self) -> Option<()> {
        let how = self.next()?;
        let number = if self.asked.is_empty() { 0 } else { self.asked.remove(0) };
        let kind = match how & 7 {
            0 | 1 => 0x82,
            2 | 3 => 0x84,
            4 | 5 => 0x85,
            6 => 0x83,
            _ => self.next()?,
        };
        let number = if how & 0x70 == 0x70 { number.wrapping_add(1) } else { number };
        let length = usize::from(self.next()?);
        let content: Vec<u8> = (0..length).map_while(|_| self.next()).collect();
        let announced =
            if how & 0x88 == 0x88 { length as u32 * 0x0101_0101 } else { content.len() as u32 };
        self.ready.extend([MAGIC, kind]);
        self.ready.extend(number.to_le_bytes());
        self.ready.extend(announced.to_le_bytes());
        self.ready.extend(content);
        Some(())
    }
}

impl Wire for Scripted {
    fn send(&mut self, bytes: &[u8], _: &mut Duration) -> Result<(), Broken> {
        let mut rest = bytes;
        while let Some((header, content)) = rest.split_first_chunk::<HEADER>() {
            let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
            self.asked.push(u16::from_le_bytes([header[2], header[3]]));
            rest = content.get(length..).unwrap_or_default();
        }
        Ok(())
    }

    fn receive(&mut self, buffer: &mut Vec<u8>, _: &mut Duration) -> Result<(), Broken> {
        if self.ready.is_empty() {
            self.say().ok_or(Broken::Ended)?;
        }
        buffer.append(&mut self.ready);
        Ok(())
    }

    fn end(&mut self) -> String {
        "its script ended".to_owned()
    }
}

/// Runs a program of a few instructions beside an engine that says what bytes decide; whether that went
/// as it should: it never agrees by nonsense, it never panics.
///
/// # Panics
/// If the harness takes nonsense for an answer of the engine.
pub fn hold(bytes: &[u8]) -> Option<Verdict> {
    let (first, script) = bytes.split_first()?;
    let script: Arc<[u8]> = script.into();
    let begins_well = first & 3 != 0;
    let steps = first & 4 == 0;
    let is_r700 = first & 0x18 == 0x18;
    let connect = move || {
        let mut ready = Vec::new();
        if begins_well {
            let hello = if is_r700 {
                let hello = Hello::new("scripted", &["rv770"], &["R", "active", "cf"]);
                Hello { machine: R700::NAME.to_owned(), ..hello }
            } else {
                Hello::new("scripted", &["g45"], &["r", "acc", "ip"])
            };
            let hello = serde_json::to_vec(&Hello { steps, ..hello });
            let hello = hello.map_err(|error| error.to_string())?;
            parallax_engine::frame::write(&mut ready, parallax_engine::Kind::Hello, 0, |out| {
                out.extend(hello);
            });
        } else {
            ready.extend(&script[..]);
        }
        let script = Arc::clone(&script);
        Ok(Box::new(Scripted { script, place: 0, ready, asked: Vec::new() }) as Box<dyn Wire>)
    };
    let outside = Outside::connect("scripted", Allowance::default(), check_hello, connect).ok()?;
    let verdict = if outside.hello().machine == R700::NAME {
        let source = "00 ALU:\n0 x: ADD_INT R1.x, R2.x, 1\n01 NOP: END_OF_PROGRAM";
        let program = r700_text::parse(source).ok()?.encode();
        beside::<R700>(&outside, &r700::Case::new(program))?
    } else {
        let source = "add (8) r2<1>:ud r1<8;8,1>:ud 1:ud\nxor (8) r3<1>:ud r2<8;8,1>:ud 2:ud";
        let program = text::parse(Device::G45, source).ok()?.program.bytes().to_vec();
        let case = Case::new(Device::G45, program, Box::new(State::of(Device::G45)), 10);
        beside::<Eu>(&outside, &case)?
    };
    // Within so few bytes nobody says what the accumulators, or the registers of all pixels, become.
    assert!(!matches!(verdict, Verdict::Agreed(_)), "the harness agrees with nonsense");
    Some(verdict)
}

fn beside<M: Subject>(outside: &Arc<Outside>, case: &M::Case) -> Option<Verdict> {
    let mut engine = outside.engine::<M>().ok()?;
    Some(lockstep(&mut *M::reference(), &mut engine, case))
}
