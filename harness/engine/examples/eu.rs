//! A small engine of execution units: a few instructions on doublewords, in Align1, without flags.
//!
//! ```text
//! cargo build --package parallax-engine --example eu
//! parallax run --device g45 --engine "cmd:target/debug/examples/eu" --time 20s
//! ```
//!
//! `--fault` puts a bug in: `shl` looks at four bits of its count rather than five.

use std::{env, io};

use parallax_engine::{Case, Flow, Hello, Refusal, Served, serve};

const INSTRUCTION: usize = 16;
const FILE_ARF: u32 = 0;
const FILE_IMMEDIATE: u32 = 3;
const STRIDES: [usize; 4] = [0, 1, 2, 4];

/// The highest and lowest bit of a field.
type Field = (u32, u32);

/// Where the fields of an instruction are, those of a source from its first bit on.
struct Layout {
    size: Field,
    files: [Field; 2],
    destination_file: Field,
    number: Field,
    subregister: Field,
    stride: Field,
    source_number: Field,
    source_subregister: Field,
    vertical: Field,
    width: Field,
    horizontal: Field,
    /// The bits that say that a source is an immediate, where they are no file.
    immediates: Option<[u32; 2]>,
    /// What is added to the codes of operations but `add`.
    moved: u32,
}

const GEN4: Layout = Layout {
    size: (23, 21),
    files: [(38, 37), (43, 42)],
    destination_file: (33, 32),
    number: (60, 53),
    subregister: (52, 48),
    stride: (62, 61),
    source_number: (12, 5),
    source_subregister: (4, 0),
    vertical: (24, 21),
    width: (20, 18),
    horizontal: (17, 16),
    immediates: None,
    moved: 0,
};

const GEN9: Layout = Layout { files: [(42, 41), (90, 89)], destination_file: (36, 35), ..GEN4 };

const GEN12: Layout = Layout {
    size: (18, 16),
    files: [(66, 66), (98, 98)],
    destination_file: (50, 50),
    number: (63, 56),
    subregister: (55, 51),
    stride: (49, 48),
    source_number: (15, 8),
    source_subregister: (7, 3),
    vertical: (23, 20),
    width: (19, 17),
    horizontal: (1, 0),
    immediates: Some([46, 47]),
    moved: 0x60,
};

/// The devices, and where their fields are.
const DEVICES: [(&str, &Layout); 7] = [
    ("bw", &GEN4),
    ("cl", &GEN4),
    ("ctg", &GEN4),
    ("g45", &GEN4),
    ("ivb", &GEN4),
    ("skl", &GEN9),
    ("dg1", &GEN12),
];

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
fn bits(word: u128, (high, low): Field) -> u32 {
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
    fn new(word: u128, layout: &Layout, number: usize) -> Self {
        let first = 64 + 32 * number as u32;
        let field = |(high, low): Field| bits(word, (first + high, first + low));
        let file = bits(word, layout.files[number]);
        let is_immediate = match layout.immediates {
            Some(at) => bits(word, (at[number], at[number])) == 1,
            None => file == FILE_IMMEDIATE,
        };
        let immediate = match file {
            _ if is_immediate => Some(bits(word, (127, 96))),
            // The null register.
            FILE_ARF => Some(0),
            _ => None,
        };
        Self {
            immediate,
            start: (field(layout.source_number) * 32 + field(layout.source_subregister)) as usize,
            vertical: (1 << field(layout.vertical)) / 2,
            width: 1 << field(layout.width),
            horizontal: STRIDES[field(layout.horizontal) as usize],
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
    layout: &'static Layout,
    banks: [Vec<u8>; 2],
    has_fault: bool,
}

impl Example {
    fn operation(&self, word: u128) -> Option<Operation> {
        let code = bits(word, (6, 0));
        let code = if code >= 0x60 { code.checked_sub(self.layout.moved)? } else { code };
        let known = OPERATIONS.into_iter().find(|(known, ..)| *known == code);
        match known {
            Some((code, "shl", sources, _)) if self.has_fault => {
                Some((code, "shl", sources, |a, b| a << (b & 15)))
            }
            known => known,
        }
    }

    fn execute(&mut self, word: u128) -> Option<()> {
        let (_, _, sources, function) = self.operation(word)?;
        let layout = self.layout;
        let first = Source::new(word, layout, 0);
        let second = (sources == 2).then(|| Source::new(word, layout, 1));
        let registers = &mut self.banks[0];
        let result = |channel| {
            let second = second.as_ref().map_or(0, |source| source.channel(registers, channel));
            function(first.channel(registers, channel), second)
        };
        let results: Vec<u32> = (0..1 << bits(word, layout.size)).map(result).collect();
        if bits(word, layout.destination_file) == FILE_ARF {
            return Some(());
        }
        let start = (bits(word, layout.number) * 32 + bits(word, layout.subregister)) as usize;
        let stride = STRIDES[bits(word, layout.stride) as usize];
        for (channel, result) in results.into_iter().enumerate() {
            let place = start + 4 * channel * stride;
            registers[place..place + 4].copy_from_slice(&result.to_le_bytes());
        }
        Some(())
    }
}

impl Served for Example {
    fn hello(&self) -> Hello {
        let instructions = OPERATIONS.map(|(_, mnemonic, ..)| mnemonic);
        Hello {
            instructions: Some(instructions.into_iter().collect()),
            types: Some(vec!["ud".to_owned(), "d".to_owned()]),
            features: Some(Vec::new()),
            ..Hello::new("rust-example", &DEVICES.map(|(device, _)| device), &["r", "ip"])
        }
    }

    fn bank_bytes(&self) -> Vec<usize> {
        self.banks.iter().map(Vec::len).collect()
    }

    fn load(&mut self, case: &Case) -> Result<(), Refusal> {
        let known = DEVICES.iter().find(|(device, _)| *device == case.device);
        self.layout = known.map_or(&GEN4, |(_, layout)| layout);
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
    let mut engine = Example { program: Vec::new(), layout: &GEN4, banks, has_fault };
    serve(&mut engine, io::stdin().lock(), io::stdout().lock())
}
