//! The suite `eu-assembly`: generated instructions and random machine words become text, and the
//! text becomes the same machine code again; kernels written as people write them become the
//! instructions they stand for.

use parallax_isa::{
    Device,
    eu::{Instruction, Program, decode::decode, text},
};
use parallax_spec::{
    RuleId,
    coverage::{self, Weight},
};

use super::forms::{self, Wrong};

use crate::{
    eu::{
        flow,
        generate::{self, kernel_text::kernel_text},
    },
    random::SplitMix64,
    suites::comparison::{Comparison, Counts, Mismatch},
};

/// Texts of one device.
pub(super) struct Texts {
    device: Device,
    bytes: Vec<u8>,
    /// Rules of which wrong forms are refused, and what is not as it should be.
    guarded: Vec<RuleId>,
    wrong: Vec<Wrong>,
}

/// Random machine words beside each generated program.
const WORDS: usize = 16;

impl Texts {
    pub(super) fn new(device: Device) -> Self {
        let (guarded, wrong) = forms::guarded(device);
        Self { device, bytes: vec![0; generate::BYTES.max(flow::BYTES)], guarded, wrong }
    }

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

    /// Reads a text, which should stand for some instructions.
    fn read(&self, text: String, meant: &[Instruction]) -> Result<(), Box<Mismatch>> {
        let number = format!("{} instructions", meant.len());
        let (expected, actual) = match text::parse(self.device, &text) {
            Ok(assembly) => {
                if Device::GEN4.contains(&self.device) {
                    parallax_rules::text::observe(&text, &assembly);
                }
                let placed = assembly.program.instructions();
                let read = placed.iter().map(|placed| &placed.instruction);
                match read.zip(meant).enumerate().find(|(_, (read, meant))| read != meant) {
                    None if placed.len() == meant.len() => return Ok(()),
                    None => (number, placed.len().to_string()),
                    Some((at, (read, meant))) => {
                        (format!("{at}: {meant:x?}"), format!("{at}: {read:x?}"))
                    }
                }
            }
            Err(wrong) => (number, wrong.iter().map(|wrong| wrong.render("text", &text)).collect()),
        };
        Err(Box::new(Mismatch {
            kind: text.split(' ').next().unwrap_or_default().to_owned(),
            location: "text".to_owned(),
            instruction: text.lines().next().unwrap_or_default().to_owned(),
            text: format!("{text}\n{actual}"),
            expected,
            actual,
        }))
    }
}

/// A right form that is not read, or a wrong one that is.
fn refusal((rule, text, is_right): Wrong) -> Box<Mismatch> {
    let said = |read: bool| if read { "read" } else { "refused" }.to_owned();
    Box::new(Mismatch {
        kind: rule.to_string(),
        location: "text".to_owned(),
        instruction: text.lines().last().unwrap_or_default().to_owned(),
        expected: said(is_right),
        actual: said(!is_right),
        text: format!("{text}\nby {rule}"),
    })
}

impl Comparison for Texts {
    fn compare(&mut self, seed: u64, counts: &mut Counts) -> Result<(), Box<Mismatch>> {
        let instructions = self.instructions(seed);
        let kernel = kernel_text(self.device, &mut SplitMix64::new(!seed), &instructions);
        // What the generators have used was not compared.
        coverage::drop_marks();
        counts.instructions = (instructions.len() + kernel.instructions.len()) as u64;
        counts.comparisons = counts.instructions;
        for instruction in instructions {
            self.read(text::print(self.device, &instruction), &[instruction])?;
        }
        // The tables that print are those that read: only what stands for instructions that were worked
        // out elsewhere says something about the rules, and only if a wrong form is refused.
        coverage::drop_marks();
        self.read(kernel.text, &kernel.instructions)?;
        if !Device::GEN4.contains(&self.device) {
            // Of later generations the forms are what was compared.
            self.guarded.iter().copied().for_each(coverage::hit);
        }
        coverage::finalize_only(&self.guarded, Weight::Exact);
        self.wrong.first().map_or(Ok(()), |wrong| Err(refusal(*wrong)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_what_they_stand_for() {
        for device in [&Device::GEN4[..], &Device::LATER].concat() {
            for seed in 0..60 {
                let read = Texts::new(device).compare(seed, &mut Counts::default());
                assert!(read.is_ok(), "{device} {seed}: {read:#?}");
            }
        }
    }

    /// A kernel that means something else than its text says is noticed.
    #[test]
    fn another_meaning_is_noticed() {
        for device in [Device::G45, Device::Ivb, Device::Skl, Device::Dg1] {
            let texts = Texts::new(device);
            let mut noticed = 0;
            for seed in 0..20 {
                let mut kernel = kernel_text(device, &mut SplitMix64::new(seed), &[]);
                let Some(last) = kernel.instructions.last_mut() else { continue };
                last.execution_size ^= 3;
                noticed += usize::from(texts.read(kernel.text, &kernel.instructions).is_err());
            }
            assert_eq!(noticed, 20, "{device}");
        }
    }
}
