//! Machine code that is only decoded, by decoders that know nothing of each other. What runs it stands apart, so
//! that a fuzz target of a hundred thousand inputs a second holds nothing else.

use parallax_executor as executor;
use parallax_isa::{
    Device,
    eu::{Reading, decode::decode, encode::encode},
    r700,
};
use parallax_spec::coverage;

use super::{Held, Input, Layout, Target, code, device, held};
use crate::{registry::Problem, subject::UnderTest};

/// A target whose inputs are only decoded.
pub struct Words {
    name: &'static str,
    check: fn(&[u8]),
    input: fn(&[u8]) -> String,
    layout: Layout,
}

/// Instructions of execution units, of the device that the first byte chooses.
pub static EU: Words = Words {
    name: "eu_decode",
    check: eu,
    input: code::eu_input,
    layout: Layout { head: 1, word: 16 },
};

/// A program of R700.
pub static R700: Words = Words {
    name: "r700_decode",
    check: r700,
    input: code::r700_input,
    layout: Layout { head: 0, word: 8 },
};

impl Words {
    /// Holds an input against what has to hold.
    ///
    /// # Panics
    /// If it does not.
    pub fn check(&self, input: &[u8]) {
        (self.check)(input);
        // What decodes alone covers no rule.
        coverage::drop_marks();
    }

    /// How inputs are divided into instructions.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.layout
    }
}

/// What decodes encodes to the same bytes, and from Gen7 on the executor's decoder takes it for the same: each
/// instruction, up to the first that is none.
fn eu(input: &[u8]) {
    eu_beside(executor::eu::reading, input);
}

/// The same beside what another decoder takes an instruction for.
fn eu_beside(read: impl Fn(Device, &[u8]) -> Option<Result<Reading, String>>, input: &[u8]) {
    let (device, mut code) = device(&Device::EU, input);
    while let Ok((instruction, length)) = decode(device, code) {
        let (word, rest) = code.split_at(length);
        let encoded = encode(device, &instruction).expect("what decodes encodes");
        assert_eq!(encoded, word);
        if let (Some(generation), Some(reading)) = (device.generation(), read(device, word)) {
            assert_eq!(reading, Ok(Reading::of(generation, &instruction)), "{word:02x?}");
        }
        code = rest;
    }
}

/// A program that decodes encodes to the same words.
fn r700(input: &[u8]) {
    let dwords = code::dwords(input);
    if let Ok(program) = r700::Program::decode(&dwords) {
        assert_eq!(program.encode(), dwords);
    }
}

impl Target for Words {
    fn name(&self) -> &'static str {
        self.name
    }

    fn hold(&self, input: &[u8], _: &UnderTest) -> Result<Held, Problem> {
        Ok(held(|| self.check(input)))
    }

    fn input(&self, input: &[u8]) -> Result<Input, Problem> {
        super::text_of(self.input, input)
    }

    fn layout(&self) -> Option<Layout> {
        Some(self.layout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panic_guard::catch;

    /// Two instructions of `skl`.
    fn input() -> Vec<u8> {
        let text = "mov (8) r4<1>:ud r2<8;8,1>:ud\nadd (8) r6<1>:f r4<8;8,1>:f r5<8;8,1>:f";
        let program =
            parallax_isa::eu::text::parse(Device::Skl, text).expect("it assembles").program;
        let number = Device::EU.iter().position(|device| *device == Device::Skl);
        let mut input = vec![number.expect("one of them") as u8];
        input.extend(program.bytes());
        input
    }

    #[test]
    fn a_decoder_that_takes_an_instruction_for_another_is_noticed() {
        let right = executor::eu::reading;
        assert!(catch(|| eu_beside(right, &input())).is_ok());
        let refuses = |_, _: &[u8]| Some(Err("no instruction".to_owned()));
        assert!(catch(|| eu_beside(refuses, &input())).is_err());
        // Wrong in the second of two only.
        let first = input()[1..17].to_vec();
        let mistaken = |device, word: &[u8]| match word == first {
            true => right(device, word),
            false => right(device, &first),
        };
        assert!(catch(|| eu_beside(mistaken, &input())).is_err());
    }
}
