//! Error states of the i915 driver: a text with the registers and buffers of a processor that hung.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

use super::{
    Container,
    batch::{Kernels, Memory, Processor, Tables, View},
};

/// What stands before the id of the processor.
const PROCESSOR: &str = "PCI ID: 0x";
/// What stands between the name of an engine and that of a buffer, and before its address.
const BUFFER: &str = " --- ";
const ADDRESS: &str = " = 0x";

/// What a device coredump of the xe driver begins with. No document here has its form.
const COREDUMP: &[u8] = b"**** Xe Device Coredump ****";

/// The buffers of commands; older drivers call them by their place.
const BATCHES: [&str; 2] = ["batch", "gtt_offset"];

/// Most bytes of the buffers together.
const MOST_BYTES: usize = 256 << 20;

/// How much of a file is looked at to find out whether it is an error state.
const LOOKED_AT: usize = 4096;

/// Whether bytes are an error state.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(LOOKED_AT)];
    let mut lines = head.split(|byte| *byte == b'\n');
    head.starts_with(COREDUMP) || lines.any(|line| line.starts_with(PROCESSOR.as_bytes()))
}

/// Reads an error state.
pub(super) fn read(bytes: &[u8]) -> Result<Container, String> {
    if bytes.starts_with(COREDUMP) {
        return Err("is a device coredump of the xe driver, which is not read; expected an error state of i915, with a \
                    line `PCI ID: 0x`"
            .to_owned());
    }
    let mut processor = None;
    let mut memory = Memory::default();
    let mut batches = Vec::new();
    let mut total = 0;
    // The address of the buffer whose lines follow.
    let mut buffer = None;
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let in_line = |wrong: String| format!("line {number}: {wrong}");
        let line = line.trim_ascii_end();
        let text = String::from_utf8_lossy(&line[..line.len().min(LOOKED_AT)]);
        if let Some(id) = text.strip_prefix(PROCESSOR) {
            let id = u32::from_str_radix(id, 16)
                .map_err(|_| in_line(format!("`{id}` is no PCI ID; expected hex digits")))?;
            processor = Some(Processor::of(id).map_err(in_line)?);
        } else if let Some((name, at)) = heading(&text) {
            let address = address(at).ok_or_else(|| {
                in_line(format!("`0x{at}` is no address; expected 0x and two words in hex digits"))
            })?;
            buffer = Some(address);
            if BATCHES.contains(&name) {
                batches.push(address);
            }
        } else if let Some(address) = buffer {
            let room = MOST_BYTES.saturating_sub(total);
            let (offset, bytes) = match line {
                [b':', digits @ ..] => {
                    (0, inflated(&ascii85(digits, room).map_err(in_line)?, room))
                }
                [b'~', digits @ ..] => (0, ascii85(digits, room)),
                _ => match plain(&text) {
                    Some((offset, word)) => (offset, Ok(word.to_le_bytes().to_vec())),
                    None => {
                        // Registers and other texts.
                        buffer = None;
                        continue;
                    }
                },
            };
            let bytes = bytes.map_err(in_line)?;
            total += bytes.len();
            if total > MOST_BYTES {
                return Err(in_line(too_much()));
            }
            memory.write(address.wrapping_add(offset), &bytes).map_err(in_line)?;
        }
    }
    let processor = processor.ok_or("is an error state without a PCI ID")?;
    if batches.is_empty() {
        return Err("is an error state without buffers of commands; expected a line with `--- batch = 0x`, as \
                    drivers write it where a context has hung"
            .to_owned());
    }
    let mut kernels = Kernels::new("error state", processor);
    let memory = View { memory: &memory, tables: Tables::Flat };
    for batch in batches {
        kernels.follow(memory, batch)?;
    }
    kernels.finish()
}

/// The name of a buffer, and its address without `0x`.
fn heading(line: &str) -> Option<(&str, &str)> {
    line.split_once(BUFFER)?.1.split_once(ADDRESS)
}

/// An address of one word or of two.
fn address(text: &str) -> Option<u64> {
    let word = |text: &str| u32::from_str_radix(text, 16).ok().map(u64::from);
    match text.split_once(' ') {
        None => word(text),
        Some((high, low)) => Some(word(high)? << 32 | word(low)?),
    }
}

/// A line of an offset and a word.
fn plain(line: &str) -> Option<(u64, u32)> {
    let (offset, word) = line.split_once(" : ")?;
    let number = |text: &str| u32::from_str_radix(text.trim(), 16).ok();
    Some((number(offset)?.into(), number(word)?))
}

/// The bytes of digits to the base 85.
fn ascii85(digits: &[u8], most: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let (mut word, mut number) = (0_u32, 0);
    for &digit in digits {
        let of_word = match digit {
            b'z' if number == 0 => Some(0),
            b'!'..=b'u' => {
                let next =
                    word.checked_mul(85).and_then(|it| it.checked_add((digit - b'!').into()));
                word = next.ok_or("five digits of ascii85 are more than a word holds")?;
                number += 1;
                (number == 5).then(|| std::mem::take(&mut word))
            }
            other => {
                let other = char::from(other).escape_default();
                return Err(format!("`{other}` is no digit of ascii85; expected ! to u, or z"));
            }
        };
        if let Some(word) = of_word {
            number = 0;
            bytes.extend(word.to_le_bytes());
            if bytes.len() > most {
                return Err(too_much());
            }
        }
    }
    match number {
        0 => Ok(bytes),
        _ => Err(format!("ends within a group of ascii85: {number} digits of five are there")),
    }
}

/// The bytes that zlib compressed.
fn inflated(compressed: &[u8], most: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(compressed)
        .take(most as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("the buffer does not decompress: {error}"))?;
    Ok(bytes)
}

fn too_much() -> String {
    format!("has buffers of more than {} MiB together", MOST_BYTES >> 20)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use parallax_isa::Device;

    use super::*;
    use crate::container::tests::{example, names, survives};

    const KERNEL: [u8; 32] = [
        0x01, 0x00, 0x60, 0x00, 0xe8, 0x3e, 0x40, 0x21, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x31, 0x00,
        0x60, 0x07, 0x44, 0x02, 0x00, 0x20, 0xe0, 0x0f, 0x8d, 0x06, 0x10, 0x00, 0x00, 0x82,
    ];

    #[test]
    fn kernels_of_interface_descriptors_are_found() {
        let container = read(&example("hang.error")).expect("an error state");
        assert_eq!(container.device, Some(Device::Skl));
        assert_eq!(names(&container), ["compute 0x20040"]);
        assert_eq!(container.kernels[0].code, KERNEL);
    }

    /// A buffer as older drivers write it.
    fn buffer(name: &str, address: u64, words: &[u32]) -> String {
        let mut text = format!("render ring --- {name} = 0x{address:08x}\n");
        for (offset, word) in (0..).step_by(4).zip(words) {
            text += &format!("{offset:08x} : {word:08x}\n");
        }
        text
    }

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    /// The stages of G45, whose states have the addresses of kernels.
    #[test]
    fn kernels_of_states_are_found() {
        let mov = [0x0060_0040, 0x2140_14a5, 0x008d_0040, 0x008d_0060];
        let send = [0x0060_0031, 0x2000_1E3C, 0x0000_0000, 0x8000_0000];
        let heap = [mov, send, mov, mov, mov, send].concat();
        let batch =
            [0x6101_0004, 1, 1, 1, 1, 1, 0x7800_0005, 0x5000, 0x5020, 0x5040, 0x5060, 0x5080, 0];
        // The vertex program's state is not enabled, nor are those of geometry and clip programs.
        let state = [
            "PCI ID: 0x2e22\n".to_owned(),
            buffer("gtt_offset", 0x3000, &batch),
            buffer("user", 0x5000, &[0x9000, 0, 0, 0, 0, 0, 0]),
            buffer("user", 0x5060, &[0x9000]),
            buffer("user", 0x5080, &[0x9040]),
            buffer("user", 0x9000, &heap),
            buffer("user", 0x9040, &heap),
        ];
        let container = read(state.concat().as_bytes()).expect("an error state");
        assert_eq!(container.device, Some(Device::G45));
        assert_eq!(names(&container), ["setup 0x9000", "pixel 0x9040"]);
        assert_eq!(container.kernels[0].code.len(), 32);
    }

    /// The stages of Ivy Bridge, in a buffer that the first one calls.
    #[test]
    fn kernels_of_stages_are_found() {
        let send = [0x0560_0032, 0x2000_0c28, 0x008d_0f80, 0x8803_1400];
        let heap = [send, send, send, send].concat();
        let first = [0x1880_0000, 0x4000, 0x0500_0000];
        let mut batch = vec![0x6101_0008, 1, 1, 1, 1, 0x2_0001, 1, 1, 1, 1];
        batch.extend([0x6904_0000, 0, 0x7810_0004, 0, 0, 0, 0, 1]);
        batch.extend([0x7811_0005, 0x40, 0, 0, 0, 0, 0]);
        batch.extend([0x7820_0006, 0, 0, 0, 0b011, 0, 0x40, 0x80, 0x0500_0000]);
        let state = [
            "PCI ID: 0x0166\n".to_owned(),
            buffer("gtt_offset", 0x3000, &first),
            buffer("user", 0x4000, &batch),
            buffer("user", 0x2_0000, &heap),
            buffer("user", 0x2_0080, &send),
        ];
        let container = read(state.concat().as_bytes()).expect("an error state");
        assert_eq!(names(&container), ["vertex 0x20000", "pixel 0x20000", "pixel 0x20080"]);
        assert_eq!(container.device, Some(Device::Ivb));
    }

    #[test]
    fn kernels_end_with_their_thread() {
        // An instruction, the end of the thread, and more of it.
        let kernel = [0x0003_0061, 0x0a05_4aa0, 0, 0x4000_0000];
        let send = [0x8003_0031, 0x0000_0004, 0x7020_7f0c, 0x1000_0000];
        let batch = [0x7002_0002, 0, 32, 0x2000];
        let state = |kernel: &[u32]| {
            let state = [
                "PCI ID: 0x4905\n".to_owned(),
                buffer("batch", 0x1000, &batch),
                buffer("user", 0x2000, &[0x9000]),
                buffer("user", 0x9000, kernel),
            ];
            read(state.concat().as_bytes()).expect("an error state")
        };
        let whole = state(&[kernel, send, kernel].concat());
        assert_eq!(whole.device, Some(Device::Dg1));
        assert_eq!(whole.kernels[0].code.len(), 32);
        // Over pages, and without an end.
        assert_eq!(state(&[kernel; 600].concat()).kernels[0].code.len(), 9600);
        let long = [&[kernel; 600].concat()[..], &send, &kernel].concat();
        assert_eq!(state(&long).kernels[0].code.len(), 9616);
    }

    /// Buffers that call themselves, and commands without end.
    #[test]
    fn loops_end() {
        let state = |batch: &[u32]| {
            let state = ["PCI ID: 0x1912\n".to_owned(), buffer("batch", 0x3000, batch)].concat();
            read(state.as_bytes())
        };
        assert!(state(&[0x1880_0001, 0x3000, 0]).is_ok());
        assert!(state(&[0, 0, 0x1880_0001, 0x3004, 0, 0x1880_0001, 0x3008, 0]).is_ok());
        assert!(state(&[0x7002_0002, 0, 0x1_FFFF, 0xFFFF_FFE0]).is_ok());
        assert!(state(&[0x7002_FFFF; 64]).is_ok());
        // Descriptors without end: the whole page is one of them.
        let many = [0x7002_0002, 0, 0x1_FFFF, 0x3000].repeat(1_000);
        assert!(state(&many).is_err_and(|wrong| wrong.starts_with("points to kernel")));
    }

    #[test]
    fn decompression_is_bounded() {
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        let zeros = vec![0; 1 << 20];
        for _ in 0..257 {
            zlib.write_all(&zeros).expect("compressed");
        }
        let mut compressed = zlib.finish().expect("compressed");
        compressed.resize(compressed.len().next_multiple_of(4), 0);
        let mut digits = String::new();
        for word in words(&compressed) {
            let powers = [52_200_625, 614_125, 7_225, 85, 1];
            digits.extend(powers.map(|power| char::from(b'!' + (word / power % 85) as u8)));
        }
        let state = format!("PCI ID: 0x1912\nrcs0 --- batch = 0x0 1000\n:{digits}\n");
        let wrong = read(state.as_bytes()).expect_err("too much");
        assert_eq!(wrong, "line 3: has buffers of more than 256 MiB together");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, message) in [
            ("", "is an error state without buffers of commands"),
            ("PCI ID: 0x0001", "line 2: PCI ID 0x0001 is of a processor whose"),
            ("PCI ID: 0xno", "line 2: `no` is no PCI ID"),
            ("rcs0 --- batch = 0xno", "line 2: `0xno` is no address"),
            ("rcs0 --- batch = 0x0 1000\n~abc", "line 3: ends within a group of ascii85: 3 digits"),
            ("rcs0 --- batch = 0x0 1000\n~uuuuu", "line 3: five digits of ascii85 are more than"),
            ("rcs0 --- batch = 0x0 1000\n~ab c!", "line 3: ` ` is no digit of ascii85"),
            ("rcs0 --- batch = 0x0 1000\n:!!!!!", "line 3: the buffer does not decompress: "),
        ] {
            let wrong = read(format!("PCI ID: 0x1912\n{text}\n").as_bytes()).expect_err(message);
            assert!(wrong.contains(message), "{wrong}");
        }
        let batch = [0x7002_0002, 0, 32, 0x2000];
        let state = [
            "PCI ID: 0x1912\n".to_owned(),
            buffer("batch", 0x1000, &batch),
            buffer("user", 0x2000, &[0x9000]),
        ];
        let wrong = read(state.concat().as_bytes()).expect_err("no code");
        assert!(
            wrong.starts_with("points to kernel `compute 0x9000`, but does not have"),
            "{wrong}"
        );
    }

    #[test]
    fn no_file_does_harm() {
        survives(&example("hang.error"));
    }
}
