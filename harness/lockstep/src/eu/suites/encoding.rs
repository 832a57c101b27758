//! The suite `eu-encoding`: words of machine code — at random, generated, and generated with a few
//! bits changed — go through two decoders that know nothing of each other.
//!
//! What the model's decoder accepts, the executor's has to accept, and it encodes to the same bytes.
//! Where the instruction is legal and the manual settles what it does, both engines run it on random
//! registers: a field that one of the decoders takes for another shows in what it does. A word with
//! a reserved value, which the model's decoder refuses, means nothing; the executor may refuse it
//! too or make something of it, and is only held to survive it. Such words count as accepted where
//! it does not refuse them.

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, LoadError, Outcome,
    eu::{
        Case, Opcode, Program, State, decode::decode, encode::encode, legality, register::ArfKind,
        text,
    },
};
use parallax_reference::eu::Reference;
use parallax_spec::coverage;

use crate::{
    engine::Engine,
    eu::{Eu, generate},
    lockstep::{Verdict, lockstep},
    random::SplitMix64,
    suite::{Finding, Ran, Suite, Worker, finding},
};

/// Words of each case that are bytes at random.
const RANDOM: usize = 48;
/// Words of each case that are instructions of a generated program, as they are or with bits
/// changed.
const GENERATED: usize = 16;
/// Most steps of a word that is run: most are over after one, a jump may come back.
const STEPS: u64 = 4;

/// The suite on one device.
pub struct Encoding<E = Executor> {
    device: Device,
    engine: fn() -> E,
}

impl Encoding {
    /// The suite on a device.
    #[must_use]
    pub fn new(device: Device) -> Self {
        Self::of(device, Executor::new)
    }
}

impl<E: Engine<Eu>> Encoding<E> {
    /// The suite on a device, with another engine than the executor.
    pub fn of(device: Device, engine: fn() -> E) -> Self {
        Self { device, engine }
    }
}

impl<E: Engine<Eu>> Suite for Encoding<E> {
    fn name(&self) -> &'static str {
        "eu-encoding"
    }

    fn device(&self) -> Device {
        self.device
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Words {
            device: self.device,
            bytes: vec![0; generate::BYTES],
            state: Box::new(State::new()),
            reference: Reference::new(),
            engine: (self.engine)(),
        })
    }
}

struct Words<E> {
    device: Device,
    bytes: Vec<u8>,
    /// Registers that words run on.
    state: Box<State>,
    reference: Reference,
    engine: E,
}

/// A word of machine code, of which a compact instruction takes the first half.
type Word = [u8; 16];

/// What came of a word.
#[derive(Debug, Default, PartialEq, Eq)]
struct Compared {
    /// Comparisons made.
    comparisons: u64,
    /// Places, and words with reserved values, where the engines may differ and do.
    accepted: u64,
}

/// A word that the decoders do not agree on.
#[derive(Debug, PartialEq, Eq)]
struct Disagreement {
    /// What they do not agree on.
    what: &'static str,
    text: String,
    expected: String,
    actual: String,
    /// The case on which the engines differ, if they do not agree on what the word does.
    case: Option<Box<Case>>,
}

impl<E: Engine<Eu>> Words<E> {
    /// The words of a seed's case, and which of them do what the manual settles.
    fn words(&mut self, seed: u64) -> Vec<(Word, bool)> {
        let mut random = SplitMix64::new(seed);
        random.fill(&mut self.bytes);
        let case = generate::straight_line(self.device, &self.bytes);
        *self.state = *case.state;
        let program = Program::decode(self.device, &case.program);
        let count = program.as_ref().map_or(0, |program| program.instructions().len());
        let mut words = Vec::with_capacity(RANDOM + GENERATED);
        for number in 0..RANDOM {
            let mut word = [0; 16];
            random.fill(&mut word);
            // Bit 29 says whether a word is compact: leave it to chance on half of them only.
            if number % 2 == 0 {
                word[3] &= !0x20;
            }
            words.push(word);
        }
        for number in 0..GENERATED.min(count) {
            let mut word = [0; 16];
            if let Ok(program) = &program {
                let code = program.bytes_of(random.below(count as u64) as usize);
                word[..code.len()].copy_from_slice(code);
            }
            for _ in 0..number % 4 {
                let bit = random.below(128) as usize;
                word[bit / 8] ^= 1 << (bit % 8);
            }
            words.push(word);
        }
        words.into_iter().map(|word| (word, is_settled(self.device, &word))).collect()
    }

    /// Runs the words of a seed up to the first one that is not agreed on.
    fn compare(&mut self, seed: u64) -> (u64, Compared, Option<(Word, Disagreement)>) {
        let words = self.words(seed);
        // What generator and legality have used was not compared.
        coverage::discard();
        let mut total = Compared::default();
        for (number, (word, settled)) in words.iter().enumerate() {
            match self.word(word, *settled) {
                Ok(compared) => {
                    total.comparisons += compared.comparisons;
                    total.accepted += compared.accepted;
                }
                Err(disagreement) => {
                    return (number as u64 + 1, total, Some((*word, disagreement)));
                }
            }
        }
        (words.len() as u64, total, None)
    }

    /// Compares what becomes of one word.
    fn word(&mut self, word: &Word, settled: bool) -> Result<Compared, Disagreement> {
        let decoded = decode(self.device, word);
        let length = decoded.as_ref().map_or(word.len(), |(_, length)| *length);
        let case = Case::new(self.device, word[..length].to_vec(), self.state.clone(), STEPS);
        let loaded = self.engine.load(&case);
        let wrong = |what, text, expected: String, actual: String| {
            Err(Disagreement { what, text, expected, actual, case: None })
        };
        let (instruction, text) = match (&decoded, &loaded) {
            (Ok((instruction, _)), Ok(())) => (instruction, text::print(instruction)),
            (Err(_), Err(LoadError::Instruction { offset: 0, .. })) => {
                return Ok(Compared { comparisons: 1, accepted: 0 });
            }
            (Err(_), _) => return Ok(Compared { comparisons: 1, accepted: 1 }),
            (Ok((instruction, _)), Err(error)) => {
                let text = text::print(instruction);
                return wrong("acceptance", text, "accepted".to_owned(), error.to_string());
            }
        };
        match encode(self.device, instruction) {
            Ok(code) if code[..] == word[..length] => {}
            Ok(code) => return wrong("encoding", text, hex(&word[..length]), hex(&code)),
            Err(error) => {
                return wrong("encoding", text, hex(&word[..length]), error.to_string());
            }
        }
        if !settled {
            return Ok(Compared { comparisons: 2, accepted: 0 });
        }
        match lockstep::<Eu>(&mut self.reference, &mut self.engine, &case) {
            Verdict::Agreed(agreement) => {
                let ran = !matches!(agreement.outcome, Outcome::Undefined(_));
                let comparisons = 2 + agreement.steps + u64::from(ran);
                Ok(Compared { comparisons, accepted: agreement.accepted })
            }
            Verdict::NotRun { engine, error } => {
                wrong("acceptance", text, "accepted".to_owned(), format!("{engine}: {error}"))
            }
            Verdict::Diverged(divergence) => {
                let place = divergence.difference.places().swap_remove(0);
                let text = format!("{divergence}\n{}", hex(&word[..length]));
                let (expected, actual) = (place.expected, place.actual);
                Err(Disagreement {
                    what: "meaning",
                    text,
                    expected,
                    actual,
                    case: Some(Box::new(case)),
                })
            }
        }
    }
}

/// Whether the manual settles what a word does: it is a legal instruction, and none of the two whose
/// effect is left open all the same. A `nenop` is dropped on arrival; it is not said whether its
/// breakpoint is noticed before. The instruction pointer is one doubleword; it is not said what
/// becomes of further channels that are written to it.
fn is_settled(device: Device, word: &Word) -> bool {
    let Ok((instruction, _)) = decode(device, word) else { return false };
    let dropped = instruction.opcode == Opcode::Nenop && instruction.breakpoint;
    let to_ip = instruction.destination.register.arf() == Some(ArfKind::InstructionPointer);
    let beyond = to_ip && instruction.execution_size > 1;
    !dropped && !beyond && legality::is_legal(device, &instruction)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl<E: Engine<Eu>> Worker for Words<E> {
    fn run(&mut self, seed: u64) -> Ran {
        let (instructions, compared, disagreement) = self.compare(seed);
        Ran {
            instructions,
            comparisons: compared.comparisons,
            accepted_undefined: compared.accepted,
            compared: true,
            diverged: disagreement.map(|(word, disagreement)| {
                format!("{} of opcode {:#04x}", disagreement.what, word[0] & 0x7F)
            }),
            ..Ran::default()
        }
    }

    fn investigate(&mut self, seed: u64) -> Option<Finding> {
        let (_, _, disagreement) = self.compare(seed);
        coverage::discard();
        let (word, Disagreement { what, text, expected, actual, case }) = disagreement?;
        let id = format!("eu-encoding-{}-{seed:016x}", self.device);
        if let Some(case) = case
            && let Some(found) = finding::<Eu>(&mut self.reference, &mut self.engine, &case)
        {
            return Some(Finding { id, suite: "eu-encoding", seed, ..found });
        }
        Some(Finding {
            id,
            suite: "eu-encoding",
            device: self.device,
            seed,
            step: 0,
            instructions: 1,
            location: what.to_owned(),
            text: format!("{}\n{text}\nexpected {expected}\nactual   {actual}", hex(&word)),
            expected,
            actual,
            instruction: text.lines().next().unwrap_or_default().to_owned(),
            rules: Vec::new(),
            trace: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::eu::generate::values;

    fn words<E: Engine<Eu>>(device: Device, engine: E) -> Words<E> {
        let mut state = Box::new(State::new());
        values::fill(&mut SplitMix64::new(5), &mut state);
        Words {
            device,
            bytes: vec![0; generate::BYTES],
            state,
            reference: Reference::new(),
            engine,
        }
    }

    /// Cases of 64 words on each device; `ENCODING_CASES` asks for more.
    fn seeds() -> u64 {
        let asked = std::env::var("ENCODING_CASES");
        asked.map_or(300, |asked| asked.parse().expect("a number"))
    }

    #[rstest]
    fn both_decoders_take_the_same_words(
        #[values(Device::Bw, Device::Cl, Device::Ctg, Device::G45)] device: Device,
    ) {
        let mut words = words(device, Executor::new());
        for seed in 0..seeds() {
            let (_, compared, disagreement) = words.compare(seed);
            assert_eq!(disagreement, None, "seed {seed}");
            assert!(compared.comparisons > (RANDOM + GENERATED) as u64);
        }
    }

    /// Every opcode value, with the other fields zero, those of an ordinary instruction, and at
    /// random.
    #[rstest]
    fn every_opcode_value_is_taken_alike(
        #[values(Device::Bw, Device::Cl, Device::Ctg, Device::G45)] device: Device,
    ) {
        let mut words = words(device, Executor::new());
        let mut random = SplitMix64::new(128);
        let ordinary =
            text::parse(device, "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f").expect("it assembles");
        for opcode in 0..128 {
            for compact in [0, 0x20] {
                for number in 0..40 {
                    let mut word = [0; 16];
                    match number {
                        0 => {}
                        1 => word.copy_from_slice(ordinary.program.bytes()),
                        _ => random.fill(&mut word),
                    }
                    word[0] = word[0] & 0x80 | opcode;
                    word[3] = word[3] & !0x20 | compact;
                    let agreed = words.word(&word, is_settled(device, &word));
                    assert!(agreed.is_ok(), "{} {agreed:#?}", hex(&word));
                }
            }
        }
    }
}
