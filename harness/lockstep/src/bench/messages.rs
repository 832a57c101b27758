//! Messages to the data port: blocks of octwords, beside copies of as many bytes.

use parallax_isa::{
    Device,
    eu::{Case, State, text},
};

use super::{Exactness, Kernel, Registers, program::scramble};
use crate::eu::setup;

/// Messages of a round, each with a header of its own from this register on.
const BLOCKS: usize = 16;
const HEADERS: usize = 10;
/// How often each is sent.
const ROUNDS: usize = 64;
/// Bytes of a block, and its registers.
const BYTES: usize = 128;
const REGISTERS: usize = BYTES / 32;
/// What is stored.
const DATA: usize = 40;
/// The registers of the results.
const RESULTS: usize = 64;

/// A buffer of 8 KiB that begins here.
const BASE: usize = 4096;
const SETUP: &str = r#"{"surfaces": [{"type": "buffer", "base": 4096, "entries": 512}]}"#;

/// Blocks of eight octwords from memory to registers.
pub(super) fn octword_reads() -> Kernel {
    let send = |n: usize| {
        let (reply, header) = (RESULTS + REGISTERS * n, HEADERS + n);
        format!("send (16) r{reply}<1>:uw m1 r{header}<16;16,1>:uw 0x04140400\n")
    };
    let source = rounds(ROUNDS, &(0..BLOCKS).map(send).collect::<String>());
    Kernel {
        suite: "messages",
        name: "octword block reads",
        case: case(&source, SETUP, start()),
        native: |registers, graphics| {
            for n in (0..ROUNDS).flat_map(|_| 0..BLOCKS) {
                read_block(registers, graphics, n);
            }
        },
        results: RESULTS..RESULTS + REGISTERS * BLOCKS,
        exactness: Exactness::Bits,
    }
}

/// Blocks of eight octwords from registers to memory, of which the results are read afterwards.
pub(super) fn octword_writes() -> Kernel {
    let data = format!(
        "mov (16) m2<1>:ud r{DATA}<8;8,1>:ud {{Compr}}\nmov (16) m4<1>:ud r{}<8;8,1>:ud {{Compr}}\n",
        DATA + 2
    );
    let send =
        |n: usize| format!("send (16) null<1>:uw m1 r{}<16;16,1>:uw 0x05500400\n", HEADERS + n);
    let read = |n: usize| {
        let (reply, header) = (RESULTS + REGISTERS * n, HEADERS + n);
        format!("send (16) r{reply}<1>:uw m1 r{header}<16;16,1>:uw 0x04140400\n")
    };
    let sends: String = (0..BLOCKS).map(send).collect();
    let reads: String = (0..BLOCKS).map(read).collect();
    Kernel {
        suite: "messages",
        name: "octword block writes",
        case: case(&format!("{data}{}{reads}", rounds(ROUNDS, &sends)), SETUP, start()),
        native: |registers, graphics| {
            let data: [[u8; 32]; REGISTERS] = std::array::from_fn(|n| registers[DATA + n]);
            for n in (0..ROUNDS).flat_map(|_| 0..BLOCKS) {
                let first = BASE + offset(registers, n);
                graphics[first..first + BYTES].copy_from_slice(data.as_flattened());
            }
            for n in 0..BLOCKS {
                read_block(registers, graphics, n);
            }
        },
        results: RESULTS..RESULTS + REGISTERS * BLOCKS,
        exactness: Exactness::Bits,
    }
}

/// Reads a block into its registers.
fn read_block(registers: &mut Registers, graphics: &[u8], number: usize) {
    let first = BASE + offset(registers, number);
    let place = RESULTS + REGISTERS * number;
    registers[place..place + REGISTERS]
        .as_flattened_mut()
        .copy_from_slice(&graphics[first..first + BYTES]);
}

/// Where a block is, by its header.
fn offset(registers: &Registers, number: usize) -> usize {
    let [a, b, c, d] = *registers[HEADERS + number][8..].first_chunk().expect("a doubleword");
    u32::from_le_bytes([a, b, c, d]) as usize
}

/// Offsets of blocks in the headers, and in memory and other registers what looks random.
fn start() -> State {
    let mut state = State::of(Device::G45);
    fill(state.grf.as_flattened_mut());
    fill(&mut state.memory.graphics);
    for number in 0..BLOCKS {
        let block = number * 7 % BLOCKS;
        let offset = (3 * BYTES * block + 16 * number) as u32;
        state.grf[HEADERS + number] = [0; 32];
        state.grf[HEADERS + number][8..12].copy_from_slice(&offset.to_le_bytes());
    }
    state
}

/// Bytes that look random.
pub(super) fn fill(bytes: &mut [u8]) {
    for (n, byte) in bytes.iter_mut().enumerate() {
        *byte = (scramble(n) >> 24) as u8;
    }
}

/// A loop over all 16 channels around a few lines, counted in `r2.0`.
pub(super) fn rounds(count: usize, lines: &str) -> String {
    format!(
        "mov (1) r2.0<1>:w 0:w\ndo (16)\nROUND: nop\n{lines}\
         add (1) r2.0<1>:w r2.0<0;1,0>:w 1:w\n\
         cmp.l.f0.0 (16) null<1>:w r2.0<0;1,0>:w {count}:w\n\
         (f0.0) while (16) ROUND\n"
    )
}

/// The case of a program in text with what its messages meet.
///
/// # Panics
/// If text or setup are none, which no kernel's are.
pub(super) fn case(source: &str, setup: &str, state: State) -> Case {
    let program = match text::parse(Device::G45, source) {
        Ok(assembled) => assembled.program.bytes().to_vec(),
        Err(wrong) => panic!("{wrong:?}"),
    };
    let mut case = Case::new(Device::G45, program, Box::new(state), 10_000_000);
    setup::apply(&mut case, setup.as_bytes()).expect("kernels have setups");
    case
}
