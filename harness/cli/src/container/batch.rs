//! Kernels in the memory that drivers give to a processor: command buffers point to them.

mod processor;

use std::collections::{BTreeMap, BTreeSet};

use parallax_isa::eu::{decode::DecodeError, opcode::Opcode, program};

use self::processor::Layout;
pub(super) use self::processor::Processor;
use super::{Container, Kernel, MOST_CODE, MOST_KERNELS};
use crate::{
    output::grouped,
    recorded::{Recorded, compute},
};

/// Bytes of a page.
const PAGE: usize = 4096;

/// Most pages: a GiB would be more than a processor of these shows.
const MOST_PAGES: usize = (256 << 20) / PAGE;

/// Most commands that are followed.
const MOST_COMMANDS: u64 = 1 << 24;

/// Most command buffers that are called from within one another.
const MOST_LEVELS: usize = 8;

/// Memory by page; pages that were never written are not there.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pages: BTreeMap<u64, Box<[u8; PAGE]>>,
}

impl Memory {
    /// Writes bytes at an address.
    pub(super) fn write(&mut self, mut address: u64, mut bytes: &[u8]) -> Result<(), String> {
        while !bytes.is_empty() {
            let offset = (address % PAGE as u64) as usize;
            let (now, rest) = bytes.split_at(bytes.len().min(PAGE - offset));
            if self.pages.len() >= MOST_PAGES && !self.pages.contains_key(&(address / PAGE as u64))
            {
                let most = (MOST_PAGES * PAGE) >> 20;
                return Err(format!("has too much memory; expected at most {most} MiB"));
            }
            let page = self.pages.entry(address / PAGE as u64);
            let page = page.or_insert_with(|| Box::new([0; PAGE]));
            page[offset..offset + now.len()].copy_from_slice(now);
            address = address.wrapping_add(now.len() as u64);
            bytes = rest;
        }
        Ok(())
    }

    /// The bytes from an address to the end of its page; none if the page is not there.
    fn rest_of_page(&self, address: u64) -> &[u8] {
        let page = self.pages.get(&(address / PAGE as u64));
        page.map_or(&[], |page| &page[(address % PAGE as u64) as usize..])
    }

    /// The entry of a page table at an address.
    fn entry(&self, address: u64) -> Option<u64> {
        self.rest_of_page(address).first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
    }
}

/// The table of an address space that all contexts share: an entry for each page.
pub(super) type GlobalTable = BTreeMap<u64, u64>;

/// The address of the page in an entry of a page table.
pub(super) const ENTRY_ADDRESS: u64 = 0x0000_FFFF_FFFF_F000;

/// How addresses lead to memory.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tables<'t> {
    /// They are those of the memory.
    Flat,
    /// Through the table that all contexts share.
    Global(&'t GlobalTable),
    /// Through a context's own tables of four levels, the first of which is at an address.
    Own(u64),
}

/// Memory as commands address it.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'m> {
    pub(super) memory: &'m Memory,
    pub(super) tables: Tables<'m>,
}

impl<'m> View<'m> {
    /// The address in memory of an address.
    fn physical(&self, address: u64) -> Option<u64> {
        /// Bits of an address that each level takes, and the lowest of the first level.
        const LEVEL: u32 = 9;
        const FIRST: u32 = 39;
        let page = match self.tables {
            Tables::Flat => return Some(address),
            Tables::Global(table) => table.get(&(address / PAGE as u64))? & ENTRY_ADDRESS,
            Tables::Own(first) => {
                let mut table = first;
                for level in 0..4 {
                    let index = address >> (FIRST - LEVEL * level) & 0x1FF;
                    let entry = self.memory.entry(table.wrapping_add(8 * index))?;
                    if entry & 1 == 0 {
                        return None;
                    }
                    table = entry & ENTRY_ADDRESS;
                }
                table
            }
        };
        Some(page | (address % PAGE as u64))
    }

    /// The bytes from an address to the end of its page; none if the page is not there.
    fn rest_of_page(&self, address: u64) -> &'m [u8] {
        self.physical(address).map_or(&[], |address| self.memory.rest_of_page(address))
    }

    /// The word at an address.
    pub(super) fn word(&self, address: u64) -> Option<u32> {
        let bytes = self.rest_of_page(address & !3).first_chunk();
        bytes.map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// The bytes from an address on that are there, up to a number.
    fn run(&self, mut address: u64, most: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < most {
            let rest = self.rest_of_page(address);
            if rest.is_empty() {
                break;
            }
            bytes.extend(&rest[..rest.len().min(most - bytes.len())]);
            address = address.wrapping_add(rest.len() as u64);
        }
        bytes
    }
}

/// Kernels that were found.
#[derive(Debug)]
pub(super) struct Kernels {
    container: Container,
    processor: Processor,
    /// Stages and addresses of all that commands pointed to.
    known: BTreeSet<(&'static str, u64)>,
    /// Those whose memory is not there.
    missing: Vec<String>,
    commands: u64,
    code: usize,
}

/// What commands have set.
#[derive(Debug, Clone, Copy, Default)]
struct Bases {
    general: Option<u64>,
    surface: Option<u64>,
    dynamic: Option<u64>,
    instruction: Option<u64>,
}

impl Bases {
    /// A kernel counts from the base of instructions, on Gen4 of general state: 0 until a command sets it.
    fn kernel(self, pointer: u64) -> u64 {
        self.of_kernels().unwrap_or(0).wrapping_add(pointer)
    }

    fn of_kernels(self) -> Option<u64> {
        self.instruction.or(self.general)
    }
}

/// The words of the command at an address.
struct Command<'m> {
    memory: View<'m>,
    address: u64,
    words: u64,
}

impl Command<'_> {
    /// A word; 0 behind the command's end, or where there is no memory.
    fn word(&self, number: u64) -> u32 {
        if number >= self.words {
            return 0;
        }
        self.memory.word(self.address.wrapping_add(4 * number)).unwrap_or(0)
    }

    /// Whether a bit of a word is set.
    fn bit(&self, number: u64, bit: u32) -> bool {
        self.word(number) >> bit & 1 != 0
    }

    /// The address in one word or two.
    fn pointer(&self, number: u64, layout: Layout) -> u64 {
        let high = match layout {
            Layout::States | Layout::Short => 0,
            Layout::Long => u64::from(self.word(number + 1) & 0xFFFF) << 32,
        };
        high | u64::from(self.word(number))
    }
}

/// A stage of the 3D pipeline.
struct Stage {
    /// The command that sets it.
    command: u32,
    name: &'static str,
    /// The word of its kernel's address.
    kernel: u64,
    /// The word and bit that enable it where addresses have a word, and where they have two.
    enables: [(u64, u32); 2],
}

const STAGES: [Stage; 4] = [
    Stage { command: 0x7810, name: "vertex", kernel: 1, enables: [(5, 0), (7, 0)] },
    Stage { command: 0x781B, name: "hull", kernel: 3, enables: [(2, 31), (2, 31)] },
    Stage { command: 0x781D, name: "domain", kernel: 1, enables: [(5, 0), (7, 0)] },
    Stage { command: 0x7811, name: "geometry", kernel: 1, enables: [(5, 0), (7, 0)] },
];

/// The stages of Gen4: the word of `3DSTATE_PIPELINED_POINTERS` with the address of a stage's state, its name, and
/// whether bit 0 of that word enables it.
const STAGES_OF_GEN4: [(u64, &str, bool); 5] = [
    (1, "vertex", false),
    (2, "geometry", true),
    (3, "clip", true),
    (4, "setup", false),
    (5, "pixel", false),
];

/// The word and bit of the state of vertex programs of Gen4 that enables them.
const VERTEX_ENABLE_OF_GEN4: (u64, u32) = (6, 0);

/// The commands beside those of [`STAGES`] that matter, by the upper half of their first word.
mod command {
    pub(super) const STATE_BASE_ADDRESS: u32 = 0x6101;
    pub(super) const MEDIA_INTERFACE_DESCRIPTOR_LOAD: u32 = 0x7002;
    pub(super) const PIXEL: u32 = 0x7820;
    pub(super) const PIPELINED_POINTERS: u32 = 0x7800;
    /// Those of one word: PIPELINE_SELECT and 3DSTATE_VF_STATISTICS, of which the 965 has others.
    pub(super) const OF_ONE_WORD: [u32; 4] = [0x6104, 0x6904, 0x680B, 0x780B];
}

/// `MI_BATCH_BUFFER_END` and `MI_BATCH_BUFFER_START`, and from where on those of more than a word are.
const BATCH_END: u32 = 0x0A;
const BATCH_START: u32 = 0x31;
const FIRST_OF_MANY_WORDS: u32 = 0x10;

/// Bytes of an interface descriptor.
const DESCRIPTOR: u64 = 32;

/// Words of a command.
fn length(first: u32) -> Option<u64> {
    let counted = |bits: u32| u64::from(first & ((1 << bits) - 1)) + 2;
    match first >> 29 {
        0 if first >> 23 & 0x3F < FIRST_OF_MANY_WORDS => Some(1),
        0 | 2 => Some(counted(8)),
        3 if command::OF_ONE_WORD.contains(&(first >> 16)) => Some(1),
        // Those of the media pipeline carry data.
        3 if first >> 27 & 3 == 2 => Some(counted(16)),
        3 => Some(counted(8)),
        _ => None,
    }
}

impl Kernels {
    /// None yet.
    pub(super) fn new(form: &'static str, processor: Processor) -> Self {
        Self {
            container: Container::new(form, processor.device),
            processor,
            known: BTreeSet::new(),
            missing: Vec::new(),
            commands: 0,
            code: 0,
        }
    }

    /// All that were found.
    pub(super) fn finish(self) -> Result<Container, String> {
        match self.missing.first() {
            Some(first) if self.container.kernels.is_empty() => Err(format!(
                "points to kernel `{first}`, but does not have its code, nor that of another kernel"
            )),
            _ => Ok(self.container),
        }
    }

    /// Counts commands, and what takes as long.
    fn count(&mut self, commands: u64) -> Result<(), String> {
        self.commands += commands;
        if self.commands > MOST_COMMANDS {
            let most = grouped(MOST_COMMANDS);
            return Err(format!("has too many commands; expected at most {most}"));
        }
        Ok(())
    }

    /// Follows the commands from an address on.
    pub(super) fn follow(&mut self, memory: View<'_>, start: u64) -> Result<(), String> {
        let mut bases = Bases::default();
        let mut address = start;
        let mut callers = Vec::new();
        // Where command buffers have led to already: they may lead to themselves.
        let mut begun = BTreeSet::from([start]);
        while let Some(first) = memory.word(address) {
            self.count(1)?;
            let Some(words) = length(first) else { break };
            let found = Command { memory, address, words };
            let next = address.wrapping_add(4 * words);
            address = match (first >> 29, first >> 23 & 0x3F) {
                (0, BATCH_END) => match callers.pop() {
                    Some(caller) => caller,
                    None => break,
                },
                (0, BATCH_START) => {
                    let target = found.pointer(1, self.processor.layout) & !3;
                    if !begun.insert(target) {
                        next
                    } else {
                        // A ring, and buffers of the second level, go on behind it.
                        let returns = callers.is_empty() || first >> 22 & 1 != 0;
                        if returns && callers.len() < MOST_LEVELS {
                            callers.push(next);
                        }
                        target
                    }
                }
                _ => {
                    self.take(&found, &mut bases)?;
                    next
                }
            };
        }
        Ok(())
    }

    /// Follows the command buffers that a ring starts: its commands are in the words from a first to a last one, of as
    /// many as it has. `batches` is the memory of commands whose address space is the context's own.
    pub(super) fn follow_ring(
        &mut self,
        ring: View<'_>,
        start: u64,
        [first, last, words]: [u64; 3],
        batches: View<'_>,
    ) -> Result<(), String> {
        let left = (last + words).wrapping_sub(first) % words.max(1);
        let word = |place: u64| {
            let place = (first + place) % words;
            ring.word(start.wrapping_add(4 * place)).unwrap_or(0)
        };
        let mut place = 0;
        while place < left {
            self.count(1)?;
            let command = word(place);
            let Some(length) = length(command) else { break };
            if command >> 23 == BATCH_START {
                let high = if length > 2 { word(place + 2) & 0xFFFF } else { 0 };
                let address = u64::from(high) << 32 | u64::from(word(place + 1) & !3);
                let is_own = command >> 8 & 1 != 0;
                self.follow(if is_own { batches } else { ring }, address)?;
            }
            place += length;
        }
        Ok(())
    }

    /// Takes up what a command sets.
    fn take(&mut self, found: &Command<'_>, bases: &mut Bases) -> Result<(), String> {
        let layout = self.processor.layout;
        if layout == Layout::States {
            return self.take_of_gen4(found, bases);
        }
        let kernel = |place: u64| found.pointer(place, layout) & !0x3F;
        match found.word(0) >> 16 {
            command::STATE_BASE_ADDRESS => {
                // The surface base of Gen7 is of no use here: what points to its surfaces is not documented.
                let [surface, dynamic, instruction] =
                    if layout == Layout::Long { [4, 6, 10] } else { [u64::MAX, 3, 5] };
                for (base, place) in [
                    (&mut bases.surface, surface),
                    (&mut bases.dynamic, dynamic),
                    (&mut bases.instruction, instruction),
                ] {
                    if found.bit(place, 0) {
                        *base = Some(found.pointer(place, layout) & !0xFFF);
                    }
                }
            }
            command::MEDIA_INTERFACE_DESCRIPTOR_LOAD => {
                let at = bases.dynamic.unwrap_or(0).wrapping_add(u64::from(found.word(3)));
                let number = u64::from(found.word(2) & 0x1_FFFF) / DESCRIPTOR;
                self.count(number)?;
                for number in 0..number {
                    let address = at.wrapping_add(DESCRIPTOR * number);
                    if found.memory.word(address).is_some() {
                        let descriptor = Command { memory: found.memory, address, words: 8 };
                        self.compute(&descriptor, *bases)?;
                    }
                }
            }
            command::PIXEL => {
                let (enables, places) =
                    if layout == Layout::Long { (6, [1, 8, 10]) } else { (4, [1, 6, 7]) };
                // The kernel of the narrowest threads is the first; with others those of 16 pixels are the third.
                let [of_8, of_16, of_32] = [0, 1, 2].map(|bit| found.bit(enables, bit));
                let several = [of_8, of_16, of_32].into_iter().filter(|is| *is).count() > 1;
                let narrowest = [of_8, of_16, of_32].iter().position(|is| *is);
                let widths = [
                    narrowest.filter(|width| *width == 0 || !several).map(|width| 8 << width),
                    (several && of_32).then_some(32),
                    (several && of_16).then_some(16),
                ];
                for (place, width) in places.into_iter().zip(widths) {
                    if width.is_some() {
                        self.stage(found.memory, "pixel", *bases, kernel(place), width)?;
                    }
                }
            }
            other => {
                let Some(stage) = STAGES.iter().find(|stage| stage.command == other) else {
                    return Ok(());
                };
                let [short, long] = stage.enables;
                let (word, bit) = if layout == Layout::Long { long } else { short };
                if found.bit(word, bit) {
                    self.stage(found.memory, stage.name, *bases, kernel(stage.kernel), None)?;
                }
            }
        }
        Ok(())
    }

    /// The same on Gen4, where a stage's state has its kernel, and both count from one base.
    fn take_of_gen4(&mut self, found: &Command<'_>, bases: &mut Bases) -> Result<(), String> {
        match found.word(0) >> 16 {
            command::STATE_BASE_ADDRESS if found.bit(1, 0) => {
                bases.general = Some(u64::from(found.word(1) & !0xFFF));
            }
            command::PIPELINED_POINTERS => {
                for (place, name, has_enable) in STAGES_OF_GEN4 {
                    let pointer = found.word(place);
                    let address = bases.kernel((pointer & !0x1F).into());
                    let state = Command { memory: found.memory, address, words: 8 };
                    let (word, bit) = VERTEX_ENABLE_OF_GEN4;
                    let is_off = has_enable && pointer & 1 == 0
                        || name == "vertex" && !state.bit(word, bit)
                        || found.memory.word(address).is_none();
                    if !is_off {
                        let kernel = u64::from(state.word(0) & !0x3F);
                        self.stage(found.memory, name, *bases, kernel, None)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds the kernel of an interface descriptor, with its surfaces and samplers from Gen8 on.
    fn compute(&mut self, descriptor: &Command<'_>, bases: Bases) -> Result<(), String> {
        let Processor { layout, decoded_as: device, .. } = self.processor;
        let memory = descriptor.memory;
        let kernel = bases.kernel(descriptor.pointer(0, layout) & !0x3F);
        let words = std::array::from_fn(|number| descriptor.word(number as u64));
        let of_code = |code: &[u8]| {
            if layout != Layout::Long {
                let mut recorded = Recorded::default();
                recorded.lacks("surfaces, samplers and registers: no document here has the interface descriptor of Gen7");
                return recorded;
            }
            let bases = compute::Bases { surface: bases.surface, dynamic: bases.dynamic };
            compute::recorded(device, code, words, bases, &|address, bytes| {
                memory.run(address, bytes)
            })
        };
        self.add(memory, "compute", kernel, bases, of_code)
    }

    /// Adds the kernel of a stage of the 3D pipeline at a pointer, with so many channels if that is known.
    fn stage(
        &mut self,
        memory: View<'_>,
        name: &'static str,
        bases: Bases,
        pointer: u64,
        simd: Option<usize>,
    ) -> Result<(), String> {
        self.add(memory, name, bases.kernel(pointer), bases, |_| {
            let mut recorded = Recorded { simd, ..Recorded::default() };
            recorded.lacks("surfaces, samplers and constants: no document here has the commands that set those of 3D stages");
            recorded.lacks("registers at dispatch: they are not in such a file");
            recorded
        })
    }

    /// Adds the kernel of a stage at an address, if it is a new one; `of_code` finds its state.
    fn add(
        &mut self,
        memory: View<'_>,
        stage: &'static str,
        address: u64,
        bases: Bases,
        of_code: impl FnOnce(&[u8]) -> Recorded,
    ) -> Result<(), String> {
        if !self.known.insert((stage, address)) {
            return Ok(());
        }
        if self.known.len() > MOST_KERNELS {
            let most = grouped(MOST_KERNELS as u64);
            return Err(format!("points to too many kernels; expected at most {most}"));
        }
        let name = format!("{stage} {address:#x}");
        let code = self.code(memory, address);
        if code.is_empty() {
            if self.missing.is_empty() {
                self.missing.push(name);
            }
            return Ok(());
        }
        self.code += code.len();
        if self.code > MOST_CODE {
            return Err(format!("has kernels of more than {} MiB", MOST_CODE >> 20));
        }
        let mut recorded = match self.container.has_room_for_state() {
            true => of_code(&code),
            false => Recorded::without_room(),
        };
        (recorded.stage, recorded.address) = (Some(stage), Some(address));
        if bases.of_kernels().is_none() {
            recorded.lacks("the base address of kernels: no command sets it, it is taken to be 0");
        }
        let recorded = Box::new(recorded);
        self.container.add(Kernel { name, code, recorded, ..Kernel::default() })
    }

    /// The machine code of the kernel at an address: to the send that ends its thread, or to where there are no
    /// instructions any more.
    fn code(&self, memory: View<'_>, address: u64) -> Vec<u8> {
        let mut most = PAGE;
        loop {
            let mut bytes = memory.run(address, most);
            let (end, is_whole) = self.end(&bytes);
            if is_whole || bytes.len() < most || most >= program::LARGEST {
                bytes.truncate(end);
                return bytes;
            }
            most *= 2;
        }
    }

    /// Where the kernel at the start of bytes ends, and whether that is before they do.
    fn end(&self, bytes: &[u8]) -> (usize, bool) {
        let mut end = 0;
        for word in program::words(self.processor.decoded_as, bytes) {
            match &word.decoded {
                Err(DecodeError::Truncated { .. }) => return (end, false),
                Err(_) => return (end, true),
                // Zeros too.
                Ok(instruction) if instruction.opcode == Opcode::Illegal => return (end, true),
                Ok(instruction) => {
                    end = word.offset + word.bytes.len();
                    if instruction.message.is_some_and(|message| message.end_of_thread) {
                        return (end, true);
                    }
                }
            }
        }
        (end, false)
    }
}
