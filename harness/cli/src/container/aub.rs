//! AUB traces: what a driver wrote to memory and to rings of commands, record by record. Addresses are flat in blocks;
//! newer traces have page tables and submit contexts.

use super::{
    Container,
    batch::{ENTRY_ADDRESS, GlobalTable, Kernels, Memory, Processor, Tables, View},
    cursor::Cursor,
};

/// The upper halves of first words: the header of a trace and a block of data.
const HEADER: u32 = 0xE085;
const BLOCK: u32 = 0xE0C1;
/// The same of newer traces: the header, and writes to registers, to memory and to memory in pieces.
const NEWER_HEADER: u32 = 0xF70E;
const REGISTER_WRITE: u32 = 0xF703;
const MEMORY_WRITE: u32 = 0xF706;
const PIECES: u32 = 0xF70B;

/// The opcode of records of newer traces, which count one word less.
const NEWER: u32 = 0x2E;

/// The top three bits of every record.
const RECORD: u32 = 7;

/// What a block does: writes data, or commands for a ring.
const DATA: u32 = 1;
const COMMANDS: u32 = 2;
/// The rings by their types.
const RINGS: std::ops::RangeInclusive<u32> = 2..=4;
/// The memory that addresses of the processor name.
const GTT: u32 = 0;

/// Address spaces of newer traces: the table that all contexts share, memory itself, and the table's entries.
mod space {
    pub(super) const GLOBAL: u32 = 0;
    pub(super) const LOCAL: u32 = 1;
    pub(super) const PHYSICAL: u32 = 2;
    pub(super) const GLOBAL_ENTRIES: u32 = 4;
}

/// Pieces of a write in pieces.
const MOST_PIECES: usize = 63;

/// Engines by the first of their registers: render, copy, and four for video.
const ENGINES: [u32; 6] = [0x2000, 0x2_2000, 0x1_2000, 0x1_C000, 0x1C_0000, 0x1C_4000];
/// The registers of an engine that submit contexts, from its first one on: a port that takes two descriptors in four
/// writes; and from Gen11 on a queue, and what loads it.
const SUBMIT_PORT: u32 = 0x230;
const QUEUE_LOW: u32 = 0x510;
const QUEUE_HIGH: u32 = 0x514;
const LOAD_QUEUE: u32 = 0x550;

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

/// What records have built up.
#[derive(Default)]
struct Trace {
    memory: Memory,
    global: GlobalTable,
    kernels: Option<Kernels>,
    /// What was written to each engine's submit port, and to its queue.
    ports: [Vec<u32>; ENGINES.len()],
    queues: [[u32; 2]; ENGINES.len()],
}

/// Reads a trace.
pub(super) fn read(bytes: &[u8]) -> Result<Container, String> {
    let mut cursor = Cursor::new(bytes);
    let mut trace = Trace::default();
    while !cursor.is_at_end() {
        let at = cursor.at;
        let [first] = cursor.words("a record")?;
        if first >> 29 != RECORD {
            return Err(format!(
                "byte {at}: {first:#010x} is no record; expected 7 in bits 31 to 29"
            ));
        }
        let length = (first & 0xFFFF) as usize;
        let is_newer = first >> 23 & 0x3F == NEWER;
        let words = if is_newer { length } else { length + 1 };
        let body = cursor.take(4 * words, "a record")?;
        let data = match first >> 16 {
            BLOCK => {
                let size = word(body, 3).ok_or_else(|| {
                    format!(
                        "byte {at}: the header of a block has {} words; expected 5 at least",
                        words + 1
                    )
                })?;
                let data = cursor.take((size as usize).next_multiple_of(4), "a block")?;
                &data[..size as usize]
            }
            _ => body,
        };
        trace.take(first >> 16, body, data).map_err(|wrong| format!("byte {at}: {wrong}"))?;
    }
    trace.kernels.ok_or("has no header")?.finish()
}

/// A word of a record, from the one behind its first on.
fn word(body: &[u8], number: usize) -> Option<u32> {
    body.get(4 * number..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

impl Trace {
    /// Takes up a record.
    fn take(&mut self, record: u32, body: &[u8], data: &[u8]) -> Result<(), String> {
        let word = |number| word(body, number).unwrap_or(0);
        let long = |number| u64::from(word(number + 1)) << 32 | u64::from(word(number));
        match record {
            HEADER | NEWER_HEADER => {
                self.kernels = Some(Kernels::new("aub", processor(body)?));
            }
            BLOCK => {
                let address = u64::from(word(4)) << 32 | u64::from(word(2));
                let [operation, kind, space] =
                    [word(0), word(0) >> 8, word(0) >> 16].map(|it| it & 0xFF);
                if space != GTT || ![DATA, COMMANDS].contains(&operation) {
                    return Ok(());
                }
                self.memory.write(address, data)?;
                if operation == COMMANDS && RINGS.contains(&kind) {
                    let memory = View { memory: &self.memory, tables: Tables::Flat };
                    kernels(&mut self.kernels)?.follow(memory, address)?;
                }
            }
            REGISTER_WRITE => self.set_register(word(0), word(4))?,
            MEMORY_WRITE => {
                let size = word(3) as usize;
                let data = body.get(16..).and_then(|data| data.get(..size)).ok_or_else(|| {
                    format!("a record of {} bytes writes {size} to memory", body.len() + 4)
                })?;
                self.write(word(2) >> 28, long(0), data)?;
            }
            PIECES => {
                let mut data = body.get(4 + 12 * MOST_PIECES..).unwrap_or_default();
                // Those that are not there have no bytes.
                for piece in 0..MOST_PIECES {
                    let place = 1 + 3 * piece;
                    let size = word(place + 2) as usize;
                    let (now, rest) = data.split_at_checked(size).ok_or_else(|| {
                        format!(
                            "piece {piece} of a write has {size} bytes, of which {} are there",
                            data.len()
                        )
                    })?;
                    self.write(word(0) >> 28, long(place), now)?;
                    data = rest;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes to an address space.
    fn write(&mut self, space: u32, address: u64, data: &[u8]) -> Result<(), String> {
        /// Bytes of an entry and of a page, and entries of a table.
        const ENTRY: u64 = 8;
        const PAGE: u64 = 4096;
        const ENTRIES: u64 = 1 << 20;
        match space {
            space::GLOBAL_ENTRIES => {
                let (entries, _) = data.as_chunks::<{ ENTRY as usize }>();
                let last = address / ENTRY + entries.len() as u64;
                if last > ENTRIES {
                    return Err(format!(
                        "writes entry {last} of the table of all contexts; expected at most {ENTRIES}"
                    ));
                }
                for (number, entry) in (0..).zip(entries) {
                    self.global.insert(address / ENTRY + number, u64::from_le_bytes(*entry));
                }
            }
            space::GLOBAL => {
                let (mut address, mut data) = (address, data);
                while !data.is_empty() {
                    let offset = address % PAGE;
                    let (now, rest) = data.split_at(data.len().min((PAGE - offset) as usize));
                    let entry = self.global.get(&(address / PAGE)).ok_or_else(|| {
                        format!("writes to {address:#x}, for which the table of all contexts has no entry")
                    })?;
                    self.memory.write(entry & ENTRY_ADDRESS | offset, now)?;
                    (address, data) = (address.wrapping_add(now.len() as u64), rest);
                }
            }
            space::LOCAL | space::PHYSICAL => self.memory.write(address, data)?,
            _ => {}
        }
        Ok(())
    }

    /// Writes to a register.
    fn set_register(&mut self, register: u32, value: u32) -> Result<(), String> {
        for (engine, base) in ENGINES.into_iter().enumerate() {
            let queue = self.queues[engine];
            match register.wrapping_sub(base) {
                SUBMIT_PORT => {
                    let port = &mut self.ports[engine];
                    port.push(value);
                    // The second context comes first, and of each descriptor the upper half.
                    if let [high_1, low_1, high_0, low_0] = port[..] {
                        port.clear();
                        self.submit([low_0, high_0])?;
                        self.submit([low_1, high_1])?;
                    }
                }
                QUEUE_LOW => self.queues[engine][0] = value,
                QUEUE_HIGH => self.queues[engine][1] = value,
                LOAD_QUEUE => self.submit(queue)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Follows the ring of a context, by its descriptor; 0 is none.
    fn submit(&mut self, [descriptor, _]: [u32; 2]) -> Result<(), String> {
        /// Where the registers are, behind a page for the processor.
        const REGISTERS: u64 = 4096;
        if descriptor == 0 {
            return Ok(());
        }
        let all = View { memory: &self.memory, tables: Tables::Global(&self.global) };
        let image = u64::from(descriptor & 0xFFFF_F000) + REGISTERS;
        let register = |number: u64| all.word(image + 4 * number).unwrap_or(0);
        let [head, tail, start, control] = [5, 7, 9, 11].map(register);
        let tables = u64::from(register(49)) << 32 | u64::from(register(51));
        let own = View { memory: &self.memory, tables: Tables::Own(tables & ENTRY_ADDRESS) };
        let bytes = u64::from(control & 0x1F_F000) + 4096;
        let words = [u64::from(head & 0x1F_FFFC) / 4, u64::from(tail & 0x1F_FFFC) / 4, bytes / 4];
        kernels(&mut self.kernels)?.follow_ring(all, start.into(), words, own)
    }
}

/// What has found kernels, as soon as the processor is known.
fn kernels(kernels: &mut Option<Kernels>) -> Result<&mut Kernels, String> {
    kernels.as_mut().ok_or_else(|| "commands stand before the header of the trace".to_owned())
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

    /// A record of a newer trace that writes words to an address space.
    fn write(space: u32, address: u64, words: &[u32]) -> Vec<u32> {
        let [low, high] = [address as u32, (address >> 32) as u32];
        let length = 4 + words.len() as u32;
        let head = [MEMORY_WRITE << 16 | length, low, high, space << 28, 4 * words.len() as u32];
        [&head[..], words].concat()
    }

    fn register(offset: u32, value: u32) -> Vec<u32> {
        vec![REGISTER_WRITE << 16 | 5, offset, 0, 0, 0, value]
    }

    /// A newer trace: the first context has its ring at 0x3000 and its tables at 0x10000, which lead addresses from
    /// 0x200000 on to memory from 0x20000 on.
    fn newer(submits: &[Vec<u32>]) -> Vec<u8> {
        let text = *b"PCI-ID=6418\0\0\0\0\0";
        let text = text.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
        let header: Vec<u32> =
            [NEWER_HEADER << 16 | 8, 0, 0, 0, 0].into_iter().chain(text).collect();
        // Pages 1 to 3 of all contexts are at 0x71000 and up: a context, its registers, its ring.
        let entries = [0x7_1001, 0, 0x7_2001, 0, 0x7_3001, 0];
        let mut image = vec![0; 52];
        (image[7], image[9], image[51]) = (12, 0x3000, 0x1_0000);
        let ring = [0x1880_0101, 0x20_0000, 0];
        let mut batch = vec![0x6101_0011, 1, 0, 0, 1, 0, 0x20_1001, 0, 1, 0, 0x20_2001];
        batch.extend([0, 1, 1, 1, 1, 0, 0, 0, 0x7002_0002, 0, 32, 0x40, 0x0500_0000]);
        let kernel = [0x0060_0001, 0x2140_3ee8, 0, 0x4000_0000, 0x0760_0031, 0x2000_0244];
        let kernel = [&kernel[..], &[0x068d_0fe0, 0x8200_0010]].concat();
        let records = [
            header,
            write(space::GLOBAL_ENTRIES, 8, &entries),
            write(space::GLOBAL, 0x2000, &image),
            write(space::GLOBAL, 0x3000, &ring),
            write(space::PHYSICAL, 0x1_0000, &[0x1_1001, 0]),
            write(space::PHYSICAL, 0x1_1000, &[0x1_2001, 0]),
            write(space::PHYSICAL, 0x1_2008, &[0x1_3001, 0]),
            write(space::PHYSICAL, 0x1_3000, &[0x2_0001, 0, 0x2_1001, 0, 0x2_2001, 0]),
            write(space::PHYSICAL, 0x2_0000, &batch),
            write(space::PHYSICAL, 0x2_1040, &[0x80, 0, 0, 0, 0, 0, 0, 0]),
            write(space::PHYSICAL, 0x2_2080, &kernel),
        ];
        let records = [&records[..], submits].concat().concat();
        records.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    fn by_port() -> Vec<Vec<u32>> {
        [0, 0, 0, 0x1100].map(|value| register(0x2230, value)).to_vec()
    }

    #[test]
    fn kernels_are_found_through_page_tables() {
        let by_queue = vec![register(0x2510, 0x1100), register(0x2514, 0), register(0x2550, 1)];
        for submits in [by_port(), by_queue] {
            let container = read(&newer(&submits)).expect("a trace");
            assert_eq!(names(&container), ["compute 0x202080"]);
            assert_eq!(container.device, Some(Device::Skl));
            assert_eq!(container.kernels[0].code.len(), 32);
        }
        assert!(read(&newer(&[])).is_ok_and(|container| container.kernels.is_empty()));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let block = BLOCK << 16 | 4;
        let skl = "PCI-ID=0x1912";
        for (bytes, message) in [
            (trace("", &[]), "byte 0: the header does not name a processor; expected PCI-ID="),
            (trace("PCI-ID=x", &[]), "byte 0: the header has no number behind PCI-ID="),
            (
                trace("PCI-ID=4660", &[]),
                "byte 0: PCI ID 0x1234 is of a processor whose commands are not",
            ),
            (trace(skl, &[&[5]]), "0x00000005 is no record; expected 7 in bits 31 to 29"),
            (
                trace(skl, &[&[BLOCK << 16, 1]]),
                "the header of a block has 2 words; expected 5 at least",
            ),
            (
                trace(skl, &[&[block, 1, 0, 0, u32::MAX, 0]]),
                "ends within a block: 4294967296 bytes at byte",
            ),
            (trace(skl, &[&[0xF700_FFFF]]), "ends within a record: 262140 bytes at byte"),
            (
                trace(skl, &[&[MEMORY_WRITE << 16 | 4, 0, 0, 0, u32::MAX]]),
                "a record of 20 bytes writes 4294967295 to memory",
            ),
            (
                trace(skl, &[&write(space::GLOBAL, 0x5000, &[1])]),
                "writes to 0x5000, for which the table of all contexts has no entry",
            ),
            (
                trace(skl, &[&write(space::GLOBAL_ENTRIES, 8 << 20, &[1, 0])]),
                "writes entry 1048577 of the table of all contexts; expected at most 1048576",
            ),
        ] {
            let wrong = read(&bytes).expect_err(message);
            assert!(wrong.contains(message), "{wrong}");
        }
    }

    #[test]
    fn writes_in_pieces_are_taken_apart() {
        let mut record =
            vec![PIECES << 16 | 192, space::PHYSICAL << 28 | 2, 0x1000, 0, 4, 0x2000, 0, 4];
        record.resize(1 + 1 + 3 * MOST_PIECES, 0);
        record.extend([5, 6]);
        record[0] = PIECES << 16 | (record.len() as u32 - 1);
        let bytes = |record: &[u32]| -> Vec<u8> {
            record.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let mut trace = Trace::default();
        let body = bytes(&record[1..]);
        trace.take(PIECES, &body, &body).expect("a record");
        let memory = View { memory: &trace.memory, tables: Tables::Flat };
        assert_eq!((memory.word(0x1000), memory.word(0x2000)), (Some(5), Some(6)));
        record[7] = u32::MAX;
        let body = bytes(&record[1..]);
        let wrong = trace.take(PIECES, &body, &body).expect_err("too long");
        assert_eq!(wrong, "piece 1 of a write has 4294967295 bytes, of which 4 are there");
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
        // The ring of a context, without end.
        let submits = vec![by_port(); 100_000].concat();
        assert!(read(&newer(&submits)).is_ok());
    }

    #[test]
    fn no_file_does_harm() {
        survives(&example("submit.aub"));
        survives(&newer(&by_port()));
    }
}
