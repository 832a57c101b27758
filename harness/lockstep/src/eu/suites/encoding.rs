//! The suite `eu-encoding`: words of machine code — at random, generated, and generated with a few
//! bits changed — go through two decoders that know nothing of each other.
//!
//! What the model's decoder accepts, the executor has to accept as the reference does, and it encodes to
//! the same bytes. On Gen7 and later both say what they take it for: what Gen12 refuses on loading for a
//! type, and what ends a run as undefined, is told by that (`reading`).
//! Where the instruction is legal and the manual settles what it does, both engines run it on random
//! registers: a field that one of the decoders takes for another shows in what it does. A word with
//! a reserved value, which the model's decoder refuses, means nothing; the executor may refuse it
//! too or make something of it, and is only held to survive it. Such words count as accepted where
//! it does not refuse them.

use parallax_isa::{
    Device, Engine, LoadError,
    eu::{
        Case, Opcode, Program, Reading, Reads, State, decode::decode, encode::encode, legality,
        operand::Register, register::ArfKind, text,
    },
    shared::SharedFunctions,
};
use parallax_reference::eu::Reference;
use parallax_spec::coverage::{self, Weight};

use super::reading;
use crate::{
    eu::{Eu, generate},
    lockstep::{Verdict, lockstep},
    random::SplitMix64,
    suite::{Finding, ShrinkLimits},
    suites::{
        comparison::{Comparison, Counts, Mismatch},
        lockstep::finding,
    },
};

/// Words of each case that are bytes at random.
const RANDOM: usize = 48;
/// Words of each case that are instructions of a generated program, as they are or with bits
/// changed.
const GENERATED: usize = 16;
/// Most steps of a word that is run: most are over after one, a jump may come back.
pub(super) const STEPS: u64 = 4;

/// The words of one device, and an engine that decodes them.
pub(super) struct Encodings<E> {
    device: Device,
    bytes: Vec<u8>,
    /// Registers that words run on.
    state: Box<State>,
    reference: Reference,
    engine: E,
    /// The case of the last word that means something else to each engine.
    diverging: Option<Case>,
}

/// A word of machine code, of which a compact instruction takes the first half.
pub(super) type Word = [u8; 16];

impl<E: Engine<Eu> + Reads> Encodings<E> {
    pub(super) fn new(device: Device, engine: E) -> Self {
        Self {
            device,
            bytes: vec![0; generate::BYTES],
            state: Box::new(State::of(device)),
            reference: crate::eu::reference(),
            engine,
            diverging: None,
        }
    }

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
            words.push((word, is_run(self.device, &word)));
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
            words.push((word, is_run(self.device, &word)));
        }
        words
    }

    /// The case of some machine code on the registers; a message comes back, so that its parts show.
    pub(super) fn case(&self, code: Vec<u8>) -> Case {
        let mut case = Case::new(self.device, code, self.state.clone(), STEPS);
        case.surroundings.shared_functions = SharedFunctions::Loopback;
        case
    }

    /// Starts a case on these registers, or those of a seed.
    pub(super) fn start(&mut self, seed: u64, state: Option<&State>) {
        self.diverging = None;
        SplitMix64::new(seed).fill(&mut self.bytes);
        *self.state = match state {
            Some(state) => *state,
            None => *generate::straight_line(self.device, &self.bytes).state,
        };
        // What the generator has used was not compared.
        coverage::drop_marks();
    }

    /// Compares what becomes of one word.
    pub(super) fn word(
        &mut self,
        word: &Word,
        settled: bool,
        counts: &mut Counts,
    ) -> Result<(), Box<Mismatch>> {
        let decoded = decode(self.device, word);
        let length = decoded.as_ref().map_or(word.len(), |(_, length)| *length);
        let code = &word[..length];
        let case = self.case(code.to_vec());
        let loaded = self.engine.load(&case);
        let wrong = |what: &str, text: String, expected: String, actual: String| {
            Err(Box::new(Mismatch {
                kind: format!("{what} of opcode {:#04x}", word[0] & 0x7F),
                location: what.to_owned(),
                instruction: text.lines().next().unwrap_or_default().to_owned(),
                text: format!("{}\n{text}\nexpected {expected}\nactual   {actual}", hex(word)),
                expected,
                actual,
            }))
        };
        counts.instructions += 1;
        counts.comparisons += 1;
        let instruction = match &decoded {
            Ok((instruction, _)) => instruction,
            Err(_) => {
                let refused = matches!(loaded, Err(LoadError::Instruction { offset: 0, .. }));
                counts.accepted += u64::from(!refused);
                coverage::drop_marks();
                return Ok(());
            }
        };
        let text = text::print(self.device, instruction);
        let expected = self.device.generation().map(|of| Reading::of(of, instruction));
        let accepted = self.reference.load(&case);
        // Whether a word is refused, and what it is taken for, follows from the same rules.
        coverage::drop_marks();
        if let Some(expected) = &expected {
            reading::count(self.device, instruction, expected);
        }
        match (accepted, &loaded) {
            (Ok(()), Ok(())) | (Err(_), Err(LoadError::Instruction { offset: 0, .. })) => {}
            (Ok(()), Err(error)) => {
                return wrong("acceptance", text, "accepted".to_owned(), error.to_string());
            }
            (Err(error), Ok(())) => {
                return wrong("acceptance", text, error.to_string(), "accepted".to_owned());
            }
            (Err(expected), Err(actual)) => {
                return wrong("acceptance", text, expected.to_string(), actual.to_string());
            }
        }
        if let (Some(expected), Some(actual)) = (expected, self.engine.reading(self.device, code)) {
            counts.comparisons += 1;
            if actual != Ok(expected) {
                let actual = actual.map_or_else(|why| why, |actual| format!("{actual:?}"));
                return wrong("reading", text, format!("{expected:?}"), actual);
            }
            coverage::finalize(Weight::Exact);
        }
        counts.comparisons += 1;
        match encode(self.device, instruction) {
            Ok(again) if again == code => {}
            Ok(again) => return wrong("encoding", text, hex(code), hex(&again)),
            Err(error) => return wrong("encoding", text, hex(code), error.to_string()),
        }
        // One table of fields read and wrote it: that says nothing about the fields.
        coverage::drop_marks();
        if !settled || loaded.is_err() {
            return Ok(());
        }
        match lockstep::<Eu>(&mut self.reference, &mut self.engine, &case) {
            Verdict::Agreed(agreement) => {
                counts.comparisons += agreement.comparisons;
                counts.accepted += agreement.accepted;
                Ok(())
            }
            Verdict::NotRun(error) => {
                wrong("acceptance", text, "accepted".to_owned(), error.to_string())
            }
            Verdict::Diverged(divergence) => {
                let place = divergence.difference.places().swap_remove(0);
                self.diverging = Some(case);
                wrong("meaning", divergence.to_string(), place.expected, place.actual)
            }
        }
    }
}

impl<E: Engine<Eu> + Reads> Comparison for Encodings<E> {
    fn compare(&mut self, seed: u64, counts: &mut Counts) -> Result<(), Box<Mismatch>> {
        self.diverging = None;
        let words = self.words(seed);
        // What generator and legality have used was not compared.
        coverage::drop_marks();
        words.iter().try_for_each(|(word, settled)| self.word(word, *settled, counts))
    }

    fn minimized(&mut self) -> Option<Finding> {
        let case = self.diverging.take()?;
        let limits = ShrinkLimits::default();
        finding::<Eu>(&mut self.reference, &mut self.engine, &case, 1, &limits).ok()
    }
}

/// Whether the manual settles what a word does: it is a legal instruction, and none of the two whose
/// effect is left open all the same. A `nenop` is dropped on arrival; it is not said whether its
/// breakpoint is noticed before. The instruction pointer is one doubleword; it is not said what
/// becomes of further channels that are written to it, or of a part of it.
pub(super) fn is_settled(device: Device, word: &Word) -> bool {
    let Ok((instruction, _)) = decode(device, word) else { return false };
    let dropped = instruction.opcode == Opcode::Nenop && instruction.breakpoint;
    let destination = &instruction.destination;
    let to_ip = destination.register.arf() == Some(ArfKind::InstructionPointer);
    let is_one_dword = instruction.execution_size == 1
        && destination.data_type.size() == 4
        && matches!(destination.register, Register::Direct { subregister: 0, .. });
    !dropped && (!to_ip || is_one_dword) && legality::is_legal(device, &instruction)
}

/// Whether a word is run: what it does is settled, or its opcode is no operation of the device and raises the
/// illegal opcode exception (D-eu-undefined-opcode). Legality wants `illegal` for that.
fn is_run(device: Device, word: &Word) -> bool {
    let unlisted = |word: &Word| {
        decode(device, word).is_ok_and(|(instruction, _)| instruction.opcode == Opcode::Illegal)
    };
    is_settled(device, word) || unlisted(word)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use parallax_executor::eu::Executor;
    use rstest::rstest;

    use super::*;
    use crate::eu::generate::values;

    /// Cases of 64 words on each device; `ENCODING_CASES` asks for more.
    fn seeds() -> u64 {
        let asked = std::env::var("ENCODING_CASES");
        asked.map_or(300, |asked| asked.parse().expect("a number"))
    }

    #[rstest]
    fn both_decoders_take_the_same_words(
        #[values(
            Device::Bw,
            Device::Cl,
            Device::Ctg,
            Device::G45,
            Device::Ivb,
            Device::Skl,
            Device::Dg1
        )]
        device: Device,
    ) {
        let mut words = Encodings::new(device, Executor::new());
        for seed in 0..seeds() {
            let mut counts = Counts::default();
            assert_eq!(words.compare(seed, &mut counts), Ok(()), "seed {seed}");
            assert!(counts.comparisons > (RANDOM + GENERATED) as u64);
        }
    }

    /// Every opcode value, with the other fields zero, those of an ordinary instruction, and at
    /// random.
    #[rstest]
    fn every_opcode_value_is_taken_alike(
        #[values(
            Device::Bw,
            Device::Cl,
            Device::Ctg,
            Device::G45,
            Device::Ivb,
            Device::Skl,
            Device::Dg1
        )]
        device: Device,
    ) {
        let mut words = Encodings::new(device, Executor::new());
        values::fill(&mut SplitMix64::new(5), &mut words.state);
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
                    let settled = is_run(device, &word);
                    let agreed = words.word(&word, settled, &mut Counts::default());
                    assert!(agreed.is_ok(), "{} {agreed:#?}", hex(&word));
                }
            }
        }
    }
}
