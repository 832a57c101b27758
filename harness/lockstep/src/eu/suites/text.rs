//! The suite `eu-assembly`: generated instructions and random machine words become text, and the
//! text becomes the same machine code again; kernels written as people write them become the
//! instructions they stand for.

use parallax_isa::{
    Device,
    eu::{Instruction, Program, decode::decode, text},
};
use parallax_spec::coverage;

use crate::{
    eu::{
        flow,
        generate::{
            self,
            kernel_text::{KernelText, kernel_text},
        },
    },
    random::SplitMix64,
    suite::{Finding, Ran, Suite, Worker},
};

/// The suite on one device.
pub(super) struct Text {
    device: Device,
}

impl Text {
    /// The suite on a device.
    pub(super) fn new(device: Device) -> Self {
        Self { device }
    }
}

impl Suite for Text {
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
        let branching = flow::any(self.device, &self.bytes);
        if let Ok(program) = Program::decode(self.device, &branching.program) {
            instructions.extend(program.instructions().iter().map(|placed| placed.instruction));
        }
        for _ in 0..WORDS {
            let mut word = [0; 16];
            random.fill(&mut word);
            word[0] &= 0x7F;
            instructions.extend(decode(self.device, &word).map(|(instruction, _)| instruction));
        }
        instructions
    }

    /// Reads the texts of a seed's case; the number of instructions in them, and the first text that
    /// is read as something else.
    fn lost(&mut self, seed: u64) -> (u64, Option<Lost>) {
        let instructions = self.instructions(seed);
        let mut random = SplitMix64::new(!seed);
        let kernel = kernel_text(&mut random, &instructions);
        // What the generators have used was not compared.
        coverage::discard();
        let count = (instructions.len() + kernel.instructions.len()) as u64;
        let lost = instructions.iter().find_map(|instruction| self.compare(instruction));
        (count, lost.or_else(|| self.compare_kernel(&kernel)))
    }

    fn compare_kernel(&self, kernel: &KernelText) -> Option<Lost> {
        let KernelText { text, instructions } = kernel;
        let (text, number) = (text.clone(), instructions.len());
        match text::parse(self.device, &text) {
            Ok(assembly) => {
                let placed = assembly.program.instructions();
                let read = placed.iter().map(|placed| &placed.instruction);
                let both = read.zip(instructions).enumerate();
                let mut wrong = both.filter(|(_, (read, meant))| read != meant);
                let (expected, actual) = match wrong.next() {
                    None if placed.len() == number => return None,
                    None => (format!("{number} instructions"), format!("{}", placed.len())),
                    Some((number, (read, meant))) => {
                        (format!("{number}: {meant:x?}"), format!("{number}: {read:x?}"))
                    }
                };
                Some(Lost { text, expected, actual })
            }
            Err(wrong) => {
                let actual = wrong.iter().map(|wrong| wrong.render("text", &text)).collect();
                Some(Lost { text, expected: format!("{number} instructions"), actual })
            }
        }
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
            instruction: text.lines().next().unwrap_or_default().to_owned(),
            rules: Vec::new(),
            trace: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(device: Device) -> Texts {
        Texts { device, bytes: vec![0; generate::BYTES] }
    }

    #[test]
    fn texts_are_read_as_what_they_stand_for() {
        for device in Device::EU {
            for seed in 0..60 {
                let lost = texts(device).lost(seed).1;
                assert!(lost.is_none(), "{device} {seed}: {:#?}", lost.map(|l| (l.text, l.actual)));
            }
        }
    }

    /// A kernel that means something else than its text says is noticed.
    #[test]
    fn another_meaning_is_noticed() {
        let texts = texts(Device::G45);
        let mut noticed = 0;
        for seed in 0..20 {
            let mut kernel = kernel_text(&mut SplitMix64::new(seed), &[]);
            let Some(last) = kernel.instructions.last_mut() else { continue };
            last.execution_size ^= 3;
            noticed += usize::from(texts.compare_kernel(&kernel).is_some());
        }
        assert_eq!(noticed, 20);
    }
}
