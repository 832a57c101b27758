//! The suite `eu-assembly`: generated instructions and random machine words become text, and the
//! text becomes the same machine code again.

use parallax_isa::{
    Device,
    eu::{Instruction, Program, decode::decode, text},
};
use parallax_spec::coverage;

use super::generate;
use crate::{
    random::SplitMix64,
    suite::{Finding, Ran, Suite, Worker},
};

/// The suite on one device.
pub struct Assembly {
    device: Device,
}

impl Assembly {
    /// The suite on a device.
    #[must_use]
    pub fn new(device: Device) -> Self {
        Self { device }
    }
}

impl Suite for Assembly {
    fn name(&self) -> &'static str {
        "eu-assembly"
    }

    fn device(&self) -> Device {
        self.device
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Texts { device: self.device, bytes: vec![0; generate::BYTES] })
    }
}

struct Texts {
    device: Device,
    bytes: Vec<u8>,
}

/// A text that does not come back as the machine code it was made from.
struct Lost {
    text: String,
    expected: String,
    actual: String,
}

/// Random machine words beside each generated program.
const WORDS: usize = 16;

impl Texts {
    /// The instructions of a seed's case: those of a generated program, then words at random.
    fn instructions(&mut self, seed: u64) -> Vec<Instruction> {
        let mut random = SplitMix64::new(seed);
        random.fill(&mut self.bytes);
        let case = generate::straight_line(self.device, &self.bytes);
        let program = Program::decode(self.device, &case.program);
        let placed = program.as_ref().map_or(&[][..], Program::instructions);
        let mut instructions: Vec<_> = placed.iter().map(|placed| placed.instruction).collect();
        for _ in 0..WORDS {
            let mut word = [0; 16];
            random.fill(&mut word);
            word[0] &= 0x7F;
            instructions.extend(decode(self.device, &word).map(|(instruction, _)| instruction));
        }
        instructions
    }

    fn lost(&mut self, seed: u64) -> (u64, Option<Lost>) {
        let instructions = self.instructions(seed);
        let count = instructions.len() as u64;
        let lost = instructions.iter().find_map(|instruction| self.compare(instruction));
        (count, lost)
    }

    fn compare(&self, instruction: &Instruction) -> Option<Lost> {
        let text = text::print(instruction);
        let actual = match text::parse(self.device, &text) {
            Ok(assembly) => match assembly.program.instructions() {
                [placed] if placed.instruction == *instruction => return None,
                placed => format!("{placed:x?}"),
            },
            Err(wrong) => wrong.iter().map(|wrong| wrong.render("text", &text)).collect(),
        };
        Some(Lost { text, expected: format!("{instruction:x?}"), actual })
    }
}

impl Worker for Texts {
    fn run(&mut self, seed: u64) -> Ran {
        let (instructions, lost) = self.lost(seed);
        Ran {
            instructions,
            comparisons: instructions,
            compared: true,
            diverged: lost.map(|lost| lost.text.split(' ').next().unwrap_or_default().to_owned()),
            ..Ran::default()
        }
    }

    fn investigate(&mut self, seed: u64) -> Option<Finding> {
        let (_, lost) = self.lost(seed);
        coverage::discard();
        let Lost { text, expected, actual } = lost?;
        Some(Finding {
            id: format!("eu-assembly-{}-{seed:016x}", self.device),
            suite: "eu-assembly",
            device: self.device,
            seed,
            step: 0,
            instructions: 1,
            location: "text".to_owned(),
            expected,
            text: format!("{text}\n{actual}"),
            actual,
            instruction: text,
            rules: Vec::new(),
            trace: None,
        })
    }
}
