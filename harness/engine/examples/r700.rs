//! A small engine of R700: six ALU operations on registers, literals and inline constants.
//!
//! ```text
//! cargo build --package parallax-engine --example r700
//! parallax run --device rv770 --engine "cmd:target/debug/examples/r700" --time 20s
//! ```
//!
//! `--fault` puts a bug in: `LSHR_INT` shifts in the sign.

use std::{env, io};

use parallax_engine::{Case, Flow, Hello, Refusal, Served, serve};

const PIXELS: usize = 64;
/// Source selects behind the 128 registers: a literal, and the inline constants from 244 on.
const LITERAL: usize = 253;
const FIRST_INLINE: usize = 244;
const INLINE: [u32; 9] =
    [0, 0x3FF0_0000, 0, 0x3FE0_0000, 0, 0x3F80_0000, 1, 0xFFFF_FFFF, 0x3F00_0000];
/// The banks, in the order of the hello.
const BANKS: [(&str, usize); 4] = [("R", 131_072), ("cf", 4), ("group", 4), ("in-clause", 4)];
const R: usize = 0;
const CF: usize = 1;
const GROUP: usize = 2;
const IN_CLAUSE: usize = 3;

/// Code, mnemonic, number of sources and function of each operation.
type Operation = (u64, &'static str, usize, fn(u32, u32) -> u32);

const OPERATIONS: [Operation; 6] = [
    (0x00, "ADD", 2, |a, b| single(number(a) + number(b))),
    (0x02, "MUL_IEEE", 2, |a, b| single(number(a) * number(b))),
    (0x19, "MOV", 1, |a, _| a),
    (0x30, "AND_INT", 2, |a, b| a & b),
    (0x34, "ADD_INT", 2, u32::wrapping_add),
    (0x71, "LSHR_INT", 2, |a, b| a.checked_shr(b).unwrap_or(0)),
];

/// A denormal counts as a zero of its sign.
fn flushed(bits: u32) -> u32 {
    if bits & 0x7F80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

fn number(bits: u32) -> f32 {
    f32::from_bits(flushed(bits))
}

fn single(value: f32) -> u32 {
    flushed(value.to_bits())
}

/// Bits `high` to `low` of a word of the program.
fn bits(word: u64, high: u32, low: u32) -> usize {
    (word >> low & (u64::MAX >> (63 - (high - low)))) as usize
}

/// The select and element of both sources that an instruction has places for.
fn sources(alu: u64) -> [(usize, usize); 2] {
    [(bits(alu, 8, 0), bits(alu, 11, 10)), (bits(alu, 21, 13), bits(alu, 24, 23))]
}

/// Words of literals that an instruction asks for, even if its operation has no use for them.
fn literals(alu: u64) -> usize {
    let asked = sources(alu).map(|(select, element)| match select {
        LITERAL => 1 + element / 2,
        _ => 0,
    });
    asked[0].max(asked[1])
}

/// The engine: registers and the place in the program.
struct Example {
    program: Vec<u64>,
    banks: [Vec<u8>; 4],
    has_fault: bool,
}

impl Example {
    fn get(&self, bank: usize) -> usize {
        u32::from_le_bytes(self.banks[bank][..].try_into().expect("four bytes")) as usize
    }

    fn set(&mut self, bank: usize, value: usize) {
        self.banks[bank].copy_from_slice(&(value as u32).to_le_bytes());
    }

    fn word(&self, address: usize) -> u64 {
        self.program.get(address).copied().unwrap_or(0)
    }

    /// A source of a pixel; the literals of its group start at an address.
    fn source(&self, (select, element): (usize, usize), pixel: usize, literals: usize) -> u32 {
        match select {
            0..128 => {
                let place = 4 * (PIXELS * (4 * select + element) + pixel);
                let bytes = &self.banks[R][place..place + 4];
                u32::from_le_bytes(bytes.try_into().expect("four bytes"))
            }
            LITERAL => (self.word(literals + element / 2) >> (32 * (element % 2))) as u32,
            _ => INLINE.get(select.wrapping_sub(FIRST_INLINE)).copied().unwrap_or(0),
        }
    }

    /// The results of an instruction.
    fn results(&self, alu: u64, literals: usize) -> Option<[u32; PIXELS]> {
        let code = bits(alu, 32 + 17, 32 + 7) as u64;
        let (_, mnemonic, _, function) =
            OPERATIONS.into_iter().find(|(known, ..)| *known == code)?;
        let function = match mnemonic {
            "LSHR_INT" if self.has_fault => {
                |a: u32, b: u32| (a.cast_signed() >> b.min(31)).cast_unsigned()
            }
            _ => function,
        };
        let [a, b] = sources(alu);
        Some(std::array::from_fn(|pixel| {
            function(self.source(a, pixel, literals), self.source(b, pixel, literals))
        }))
    }

    /// Executes the group at an address; gives the address behind it.
    fn execute(&mut self, start: usize) -> Option<usize> {
        let all = self.program.get(start..)?;
        let count = 1 + all.iter().position(|alu| bits(*alu, 31, 31) == 1)?;
        let group: Vec<u64> = all[..count].to_vec();
        // All of them read before one writes.
        let results: Option<Vec<_>> =
            group.iter().map(|alu| self.results(*alu, start + count)).collect();
        for (alu, results) in group.iter().zip(results?) {
            let element = 4 * bits(*alu, 32 + 27, 32 + 21) + bits(*alu, 32 + 30, 32 + 29);
            let place = 4 * PIXELS * element;
            if bits(*alu, 36, 36) == 1 {
                let pixels = self.banks[R][place..place + 4 * PIXELS].chunks_mut(4);
                pixels
                    .zip(results)
                    .for_each(|(to, value)| to.copy_from_slice(&value.to_le_bytes()));
            }
        }
        Some(start + count + group.iter().map(|alu| literals(*alu)).max().unwrap_or(0))
    }
}

impl Served for Example {
    fn hello(&self) -> Hello {
        let instructions = OPERATIONS.map(|(_, mnemonic, ..)| mnemonic);
        Hello {
            machine: "r700".to_owned(),
            instructions: Some(instructions.into_iter().collect()),
            features: Some(Vec::new()),
            ..Hello::new("rust-r700-example", &["rv770"], &BANKS.map(|(name, _)| name))
        }
    }

    fn bank_bytes(&self) -> Vec<usize> {
        self.banks.iter().map(Vec::len).collect()
    }

    fn load(&mut self, case: &Case) -> Result<(), Refusal> {
        let words = case.program.chunks_exact(8);
        self.program =
            words.map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect();
        Ok(())
    }

    fn bank(&self, number: usize) -> &[u8] {
        &self.banks[number]
    }

    fn bank_mut(&mut self, number: usize) -> &mut [u8] {
        &mut self.banks[number]
    }

    fn step(&mut self) -> Flow {
        let cf = self.get(CF);
        let Some(&word) = self.program.get(cf) else {
            return Flow::Undefined(format!("no instruction stands at address {cf}"));
        };
        if bits(word, 61, 61) == 0 {
            // NOP
            self.set(CF, cf + 1);
            return if bits(word, 53, 53) == 1 { Flow::Halted } else { Flow::Continue };
        }
        if self.get(IN_CLAUSE) == 0 {
            // ALU
            self.set(IN_CLAUSE, 1);
            self.set(GROUP, bits(word, 21, 0));
            return Flow::Continue;
        }
        let group = self.get(GROUP);
        let Some(next) = self.execute(group) else {
            return Flow::Declined(format!("an operation of the group at {group}"));
        };
        let is_over = next > bits(word, 21, 0) + bits(word, 56, 50);
        self.set(GROUP, if is_over { 0 } else { next });
        if is_over {
            self.set(IN_CLAUSE, 0);
            self.set(CF, cf + 1);
        }
        Flow::Continue
    }
}

fn main() -> io::Result<()> {
    let has_fault = env::args().any(|argument| argument == "--fault");
    let banks = BANKS.map(|(_, bytes)| vec![0; bytes]);
    let mut engine = Example { program: Vec::new(), banks, has_fault };
    serve(&mut engine, io::stdin().lock(), io::stdout().lock())
}
