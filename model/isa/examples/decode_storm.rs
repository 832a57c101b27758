//! Decodes random words on every device with execution units: none may panic, and each that
//! decodes must encode to the same bytes. Every second word is made likelier to decode.
//!
//!     cargo run --release -p parallax-isa --example decode_storm -- [WORDS] [SEED]

use std::{collections::BTreeMap, env, process::ExitCode};

use parallax_isa::{
    Device,
    eu::{
        Opcode,
        decode::{DecodeError, decode},
        encode::encode,
    },
};

/// SplitMix64: every seed gives another sequence, all of them long enough.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }
}

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1).map(|argument| argument.parse::<u64>());
    let (words, seed) = match (arguments.next(), arguments.next()) {
        (None, _) => (1_000_000, 1),
        (Some(Ok(words)), None) => (words, 1),
        (Some(Ok(words)), Some(Ok(seed))) => (words, seed),
        _ => {
            eprintln!("usage: decode_storm [WORDS] [SEED], both numbers");
            return ExitCode::from(2);
        }
    };
    let mut random = Random(seed);
    let (mut decoded, mut compact) = (0_u64, 0_u64);
    let mut refusals: BTreeMap<&'static str, u64> = BTreeMap::new();
    for n in 0..words {
        let device = Device::GEN4[(n / 2 % 4) as usize];
        let mut word = u128::from(random.next()) << 64 | u128::from(random.next());
        if n % 2 == 1 {
            word = likely(device, word, random.next());
        }
        let bytes = word.to_le_bytes();
        match decode(device, &bytes) {
            Ok((instruction, length)) => {
                if encode(device, &instruction).as_deref() != Ok(&bytes[..length]) {
                    eprintln!("{device}: {bytes:02x?} decodes to {instruction:?}, which differs");
                    return ExitCode::FAILURE;
                }
                decoded += 1;
                compact += u64::from(instruction.compact);
            }
            Err(error) => *refusals.entry(reason(&error)).or_default() += 1,
        }
    }
    println!("{words} words: {decoded} decode ({compact} of them compact) and encode back");
    for (reason, count) in refusals {
        println!("{count:>12} refused for {reason}");
    }
    ExitCode::SUCCESS
}

/// The word with an operation of the device, and without most reserved codes.
fn likely(device: Device, word: u128, choice: u64) -> u128 {
    let codes: Vec<_> = Opcode::ALL.iter().filter_map(|opcode| opcode.code(device)).collect();
    let code = codes[choice as usize % codes.len()];
    // Compact form; upper codes of size, condition, predicate, thread control and compression;
    // upper register numbers, widths and strides.
    let reserved: [u32; 14] = [29, 27, 23, 19, 14, 12, 33, 38, 60, 76, 84, 108, 116, 120];
    let kept = reserved.into_iter().fold(word, |word, bit| word & !(1 << bit));
    kept & !0x7F | u128::from(code)
}

fn reason(error: &DecodeError) -> &'static str {
    match error {
        DecodeError::Device(_) => "their device",
        DecodeError::Truncated { .. } => "their length",
        DecodeError::Compact(_) | DecodeError::NoCompactForm { .. } => "CmptCtrl",
        DecodeError::Field { field, .. } => field,
    }
}
