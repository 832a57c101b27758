//! A small engine of G45: a few instructions on doublewords, in Align1, without flags.
//!
//! ```text
//! cargo build --package parallax-engine --example g45
//! parallax run --device g45 --engine "cmd:target/debug/examples/g45" --time 20s
//! ```
//!
//! `--fault` puts a bug in: `shl` looks at four bits of its count rather than five.

use std::{env, io};

use parallax_engine::{Case, Flow, Hello, Refusal, Served, serve};

const INSTRUCTION: usize = 16;
const FILE_ARF: u32 = 0;
const FILE_IMMEDIATE: u32 = 3;
const STRIDES: [usize; 4] = [0, 1, 2, 4];

/// Code, mnemonic, number of sources and function of each operation.
type Operation = (u32, &'static str, usize, fn(u32, u32) -> u32);

const OPERATIONS: [Operation; 7] = [
    (0x01, "mov", 1, |a, _| a),
    (0x04, "not", 1, |a, _| !a),
    (0x05, "and", 2, |a, b| a & b),
    (0x06, "or", 2, |a, b| a | b),
    (0x07, "xor", 2, |a, b| a ^ b),
    (0x09, "shl", 2, |a, b| a << (b & 31)),
    (0x40, "add", 2, u32::wrapping_add),
];

/// Bits `high` to `low` of an instruction.
fn bits(word: u128, high: u32, low: u32) -> u32 {
    (word >> low) as u32 & (u32::MAX >> (31 - (high - low)))
}

/// Where a source takes its channels from.
struct Source {
    immediate: Option<u32>,
    start: usize,
    vertical: usize,
    width: usize,
    horizontal: usize,
}

impl Source {
    /// The source whose description starts at bit `low`.
    fn new(word: u128, file: u32, low: u32) -> Self {
        let immediate = match file {
            FILE_IMMEDIATE => Some(bits(word, 127, 96)),
            // The null register.
            FILE_ARF => Some(0),
            _ => None,
        };
        Self {
            immediate,
            start: (bits(word, low + 12, low + 5) * 32 + bits(word, low + 4, low)) as usize,
            vertical: (1 << bits(word, low + 24, low + 21)) / 2,
            width: 1 << bits(word, low + 20, low + 18),
            horizontal: STRIDES[bits(word, low + 17, low + 16) as usize],
        }
    }

    fn channel(&self, registers: &[u8], number: usize) -> u32 {
        let (row, column) = (number / self.width, number % self.width);
        let place = self.start + 4 * (row * self.vertical + column * self.horizontal);
        let read = || registers[place..place + 4].try_into().expect("four bytes");
        self.immediate.unwrap_or_else(|| u32::from_le_bytes(read()))
    }
}

/// The engine: general registers and the instruction pointer.
struct Example {
    program: Vec<u8>,
    banks: [Vec<u8>; 2],
    has_fault: bool,
}

impl Example {
    fn operation(&self, word: u128) -> Option<Operation> {
        let known = OPERATIONS.into_iter().find(|(code, ..)| *code == bits(word, 6, 0));
        match known {
            Some((code, "shl", sources, _)) if self.has_fault => {
                Some((code, "shl", sources, |a, b| a << (b & 15)))
            }
            known => known,
        }
    }

    fn execute(&mut self, word: u128) -> Option<()> {
        let (_, _, sources, function) = self.operation(word)?;
        let source = |number: u32, file| Source::new(word, file, 64 + 32 * number);
        let first = source(0, bits(word, 38, 37));
        let second = (sources == 2).then(|| source(1, bits(word, 43, 42)));
        let registers = &mut self.banks[0];
        let result = |channel| {
            let second = second.as_ref().map_or(0, |source| source.channel(registers, channel));
            function(first.channel(registers, channel), second)
        };
        let results: Vec<u32> = (0..1 << bits(word, 23, 21)).map(result).collect();
        if bits(word, 33, 32) == FILE_ARF {
            return Some(());
        }
        let start = (bits(word, 60, 53) * 32 + bits(word, 52, 48)) as usize;
        let stride = STRIDES[bits(word, 62, 61) as usize];
        for (channel, result) in results.into_iter().enumerate() {
            let place = start + 4 * channel * stride;
            registers[place..place + 4].copy_from_slice(&result.to_le_bytes());
        }
        Some(())
    }
}

impl Served for Example {
    fn hello(&self) -> Hello {
        let instructions = OPERATIONS.map(|(_, mnemonic, ..)| mnemonic.to_owned());
        Hello {
            instructions: Some(instructions.into()),
            types: Some(vec!["ud".to_owned(), "d".to_owned()]),
            features: Some(Vec::new()),
            ..Hello::new("rust-example", &["g45"], &["r", "ip"])
        }
    }

    fn bank_bytes(&self) -> Vec<usize> {
        self.banks.iter().map(Vec::len).collect()
    }

    fn load(&mut self, case: &Case) -> Result<(), Refusal> {
        self.program.clone_from(&case.program);
        Ok(())
    }

    fn bank(&self, number: usize) -> &[u8] {
        &self.banks[number]
    }

    fn bank_mut(&mut self, number: usize) -> &mut [u8] {
        &mut self.banks[number]
    }

    fn step(&mut self) -> Flow {
        let ip = u32::from_le_bytes(self.banks[1][..].try_into().expect("four bytes"));
        let at = ip as usize;
        if at == self.program.len() {
            return Flow::Halted;
        }
        let bytes = self.program.get(at..at + INSTRUCTION).and_then(|bytes| bytes.try_into().ok());
        if bytes.and_then(|bytes| self.execute(u128::from_le_bytes(bytes))).is_none() {
            return Flow::Undefined(format!("no instruction that it has starts at byte {ip}"));
        }
        self.banks[1].copy_from_slice(&(ip + INSTRUCTION as u32).to_le_bytes());
        Flow::Continue
    }
}

fn main() -> io::Result<()> {
    let has_fault = env::args().any(|argument| argument == "--fault");
    let banks = [vec![0; 128 * 32], vec![0; 4]];
    let mut engine = Example { program: Vec::new(), banks, has_fault };
    serve(&mut engine, io::stdin().lock(), io::stdout().lock())
}
