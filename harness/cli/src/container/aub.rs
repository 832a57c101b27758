//! AUB traces: what a driver wrote to memory and to rings of commands, record by record. Those of the newer kind, in
//! which memory is reached through page tables, are not read.

use super::{
    Container,
    batch::{Kernels, Memory, Processor},
    cursor::Cursor,
};

/// The upper halves of first words: the header of a trace, a block of data, and the header of newer traces.
const HEADER: u32 = 0xE085;
const BLOCK: u32 = 0xE0C1;
const NEWER_HEADER: u32 = 0xF70E;

/// The top three bits of every record.
const RECORD: u32 = 7;

/// What a block does: writes data, or commands for a ring.
const DATA: u32 = 1;
const COMMANDS: u32 = 2;
/// The rings by their types.
const RINGS: std::ops::RangeInclusive<u32> = 2..=4;
/// The memory that addresses of the processor name.
const GTT: u32 = 0;

/// What stands before the id of the processor.
const PROCESSOR: &str = "PCI-ID=";

/// Whether bytes are a trace.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let Ok([first, version]) = Cursor::new(bytes).words("") else { return false };
    match first >> 16 {
        HEADER => version & 0xFFFF == 0 && version != 0,
        NEWER_HEADER => true,
        _ => false,
    }
}

/// Reads a trace.
pub(super) fn read(bytes: &[u8]) -> Result<Container, String> {
    let mut cursor = Cursor::new(bytes);
    let mut memory = Memory::default();
    let mut kernels: Option<Kernels> = None;
    while !cursor.is_at_end() {
        let at = cursor.at;
        let [first] = cursor.words("a record")?;
        if first >> 29 != RECORD {
            return Err(format!(
                "byte {at}: {first:#010x} is no record; expected 7 in bits 31 to 29"
            ));
        }
        let length = (first & 0xFFFF) as usize;
        let in_record = |wrong: String| format!("byte {at}: {wrong}");
        match first >> 16 {
            NEWER_HEADER => {
                return Err("is an AUB trace of the newer kind, with page tables, which is not read; expected one with \
                            blocks at flat addresses"
                    .to_owned());
            }
            HEADER => {
                let header = cursor.take(4 * (length + 1), "the header of the trace")?;
                let processor = processor(header).map_err(in_record)?;
                kernels = Some(Kernels::new("aub", processor));
            }
            BLOCK => {
                let rest = cursor.take(4 * (length + 1), "the header of a block")?;
                let mut rest = Cursor::new(rest);
                let header = rest.words("").map_err(|_| {
                    in_record(format!(
                        "the header of a block has {} words; expected 5 at least",
                        length + 2
                    ))
                })?;
                let [what, _offset, low, size] = header;
                let high = rest.words("").map_or(0, |[high]| high);
                let data = cursor.take((size as usize).next_multiple_of(4), "a block")?;
                let data = &data[..size as usize];
                let address = u64::from(high) << 32 | u64::from(low);
                let [operation, kind, space] = [what, what >> 8, what >> 16].map(|it| it & 0xFF);
                if space != GTT || ![DATA, COMMANDS].contains(&operation) {
                    continue;
                }
                memory.write(address, data).map_err(in_record)?;
                if operation == COMMANDS && RINGS.contains(&kind) {
                    let kernels = kernels.as_mut();
                    let kernels = kernels.ok_or_else(|| {
                        in_record("a ring stands before the header of the trace".to_owned())
                    })?;
                    kernels.follow(&memory, address).map_err(in_record)?;
                }
            }
            _ => {
                // Those of the newer kind count one word less.
                const NEWER: u32 = 0x2E;
                let counted = if first >> 23 & 0x3F == NEWER { length } else { length + 1 };
                cursor.take(4 * counted, "a record")?;
            }
        }
    }
    kernels.ok_or("has no header")?.finish()
}

/// The processor that the text of a header names.
fn processor(header: &[u8]) -> Result<Processor, String> {
    let text = String::from_utf8_lossy(header);
    let id = text.split_once(PROCESSOR).map(|(_, id)| id);
    let id =
        id.ok_or_else(|| format!("the header does not name a processor; expected {PROCESSOR}"))?;
    let digits = |text: &str, radix| {
        let end = text.find(|c: char| !c.is_digit(radix)).unwrap_or(text.len());
        u32::from_str_radix(&text[..end], radix).ok()
    };
    let number = match id.strip_prefix("0x") {
        Some(id) => digits(id, 16),
        None => digits(id, 10),
    };
    Processor::of(number.ok_or_else(|| format!("the header has no number behind {PROCESSOR}"))?)
}

#[cfg(test)]
mod tests {
    use parallax_isa::Device;

    use super::*;
    use crate::container::tests::{example, names, survives};

    #[test]
    fn kernels_are_found_through_the_ring() {
        let container = read(&example("submit.aub")).expect("a trace");
        assert_eq!(container.device, Some(Device::Skl));
        assert_eq!(names(&container), ["compute 0x20040"]);
        assert_eq!(container.kernels[0].code.len(), 32);
    }

    /// The header of a trace of a processor, and records.
    fn trace(processor: &str, records: &[&[u32]]) -> Vec<u8> {
        let mut comment = processor.as_bytes().to_vec();
        comment.resize(comment.len().next_multiple_of(4), 0);
        let words = [HEADER << 16 | (11 + comment.len() as u32 / 4), 4 << 24];
        let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        bytes.resize(bytes.len() + 44, 0);
        bytes.extend(comment);
        bytes.extend(records.concat().into_iter().flat_map(u32::to_le_bytes));
        bytes
    }

    #[test]
    fn what_is_wrong_is_said() {
        let block = BLOCK << 16 | 4;
        for (bytes, message) in [
            (trace("", &[]), "byte 0: the header does not name a processor; expected PCI-ID="),
            (trace("PCI-ID=x", &[]), "byte 0: the header has no number behind PCI-ID="),
            (trace("PCI-ID=11810", &[]), "byte 0: PCI ID 0x2e22 is of Gen4"),
            (
                trace("PCI-ID=0x1912", &[&[5]]),
                "0x00000005 is no record; expected 7 in bits 31 to 29",
            ),
            (
                trace("PCI-ID=0x1912", &[&[BLOCK << 16, 1]]),
                "the header of a block has 2 words; expected 5 at least",
            ),
            (
                trace("PCI-ID=0x1912", &[&[block, 1, 0, 0, u32::MAX, 0]]),
                "ends within a block: 4294967296 bytes at byte",
            ),
            (trace("PCI-ID=0x1912", &[&[0xF70E_0004]]), "of the newer kind"),
        ] {
            let wrong = read(&bytes).expect_err(message);
            assert!(wrong.contains(message), "{wrong}");
        }
    }

    /// Two million blocks, at as many pages, and rings that lead to themselves.
    #[test]
    fn memory_and_commands_are_bounded() {
        let block = |page: u32| [BLOCK << 16 | 4, 1, 0, page << 12, 4, 0, 0];
        let blocks: Vec<_> = (0..100_000).flat_map(block).collect();
        let wrong = read(&trace("PCI-ID=0x1912", &[&blocks])).expect_err("too many pages");
        assert!(wrong.ends_with("has too much memory; expected at most 256 MiB"), "{wrong}");
        let same = block(1).repeat(2_000_000);
        assert!(read(&trace("PCI-ID=0x1912", &[&same])).is_ok());
        // A page of no operation, submitted again and again.
        let page = [&[BLOCK << 16 | 4, 0x202, 0, 0x1000, 4096, 0][..], &[0; 1024]].concat();
        let ring = [BLOCK << 16 | 4, 0x202, 0, 0x1000, 0, 0].repeat(40_000);
        let wrong = read(&trace("PCI-ID=0x1912", &[&page, &ring])).expect_err("too many commands");
        assert!(wrong.contains("has too many commands"), "{wrong}");
    }

    #[test]
    fn no_file_does_harm() {
        survives(&example("submit.aub"));
    }
}
