//! Memory: MEM_* writes, memory reads and the local data share, with their address formulas
//! (sections 2.6.2, 3.4.2, 7.1; decision D-r700-memory).

use parallax_isa::r700::{
    case::{Buffers, MemoryRange},
    state::{MEMORY_DWORDS, State},
};

use super::{
    decode::{
        LocalRead, LocalWrite, MemoryBuffer, MemoryRead, MemoryReadBuffer, MemoryWrite,
        Multiplexer, RelativeMode,
    },
    fetch::{Registers, Target, ones},
    format::Format,
};

/// Threads of a wavefront.
const THREADS: i64 = 64;
/// Banks of the local data share.
const BANKS: u64 = 4;
/// Dwords of a bank.
const BANK_DWORDS: u64 = 1024;

/// Scratch and reduction buffers hold every element for all threads of a wavefront; the others
/// are one array.
fn private_address(element: i64, size: i64, thread: usize) -> i64 {
    (element * THREADS + thread as i64) * size
}

/// Index of a buffer's dword in memory, if it has it.
fn place(range: MemoryRange, address: i64) -> Option<usize> {
    let inside = (0..i64::from(range.size)).contains(&address);
    let place = i64::from(range.base) + address;
    (inside && place < MEMORY_DWORDS as i64).then_some(place as usize)
}

/// A MEM_* instruction: elements of registers to a buffer.
pub(super) fn write(
    write: &MemoryWrite,
    executing: u64,
    buffers: &Buffers,
    registers: Registers,
    state: &mut State,
) {
    let range = match write.buffer {
        MemoryBuffer::Stream(number) => buffers.stream[usize::from(number)],
        MemoryBuffer::Scratch => buffers.scratch,
        MemoryBuffer::Reduction => buffers.reduction,
        MemoryBuffer::Ring => buffers.ring,
        MemoryBuffer::Scatter => buffers.export,
    };
    let (base, size) = (i64::from(write.array_base), i64::from(write.element_size));
    for thread in ones(executing) {
        let index = write.index_gpr.map_or(0, |gpr| state.gpr[usize::from(gpr)][0][thread]);
        let index = i64::from(index.cast_signed());
        for step in 0..write.burst {
            let source = registers.source(write.gpr, step, write.relative, state);
            let step = i64::from(step);
            let inside = index + step < i64::from(write.array_size);
            let address = match write.buffer {
                MemoryBuffer::Scatter => base + index + step * size,
                _ if !inside => continue,
                MemoryBuffer::Scratch | MemoryBuffer::Reduction => {
                    private_address(base + index + step, size, thread)
                }
                MemoryBuffer::Stream(_) | MemoryBuffer::Ring => (base + index + step) * size,
            };
            for element in 0..write.element_size as usize {
                if write.mask >> element & 1 == 1
                    && let Some(place) = place(range, address + element as i64)
                {
                    state.memory[place] = state.gpr[source][element][thread];
                }
            }
        }
    }
}

/// A memory read: elements of a buffer to registers.
pub(super) fn read(
    read: &MemoryRead,
    format: &Format,
    executing: u64,
    buffers: &Buffers,
    registers: Registers,
    state: &mut State,
) {
    let range = match read.buffer {
        MemoryReadBuffer::Scratch => buffers.scratch,
        MemoryReadBuffer::Reduction => buffers.reduction,
        MemoryReadBuffer::Scatter => buffers.export,
    };
    let source = registers.source(read.source, 0, read.source_relative, state);
    let (base, size) = (i64::from(read.array_base), i64::from(read.element_size));
    let last = i64::from(read.array_size) - 1;
    for step in 0..read.burst {
        let target = registers.memory_target(read.gpr, step, read.relative, state);
        let step = i64::from(step);
        for thread in ones(executing) {
            let indices = &state.gpr[source][usize::from(read.source_element)];
            let index = if read.indexed { indices[thread] } else { 0 };
            let index = i64::from(index.cast_signed());
            let (address, inside) = match read.buffer {
                MemoryReadBuffer::Scatter => (base + index + step * size, true),
                MemoryReadBuffer::Scratch | MemoryReadBuffer::Reduction => {
                    let index = index.clamp(0, last);
                    (private_address(base + index + step, size, thread), index + step <= last)
                }
            };
            // Bytes count from the element's first dword on.
            let byte = |at: u64| {
                let dword = (at / 4) as i64;
                match place(range, address + dword) {
                    Some(place) if inside && dword < size => {
                        state.memory[place].to_le_bytes()[(at % 4) as usize]
                    }
                    _ => 0,
                }
            };
            let values = format.read(0, byte);
            target.put(thread, values, read.select, state);
        }
    }
}

/// Index of a dword of a bank in the local data share.
fn local_place(bank: u64, dword: u64) -> Option<usize> {
    (dword < BANK_DWORDS).then_some((bank * BANK_DWORDS + dword) as usize)
}

/// LOCAL_DS_WRITE: every thread writes what it owns.
pub(super) fn local_write(
    write: &LocalWrite,
    executing: u64,
    wavefront: u32,
    registers: Registers,
    state: &mut State,
) {
    let first_thread = if write.group_relative { u64::from(wavefront) * THREADS as u64 } else { 0 };
    for step in 0..write.burst {
        for lane in ones(executing) {
            let values = registers.local_source(write.source, step, write.source_mode, lane, state);
            let thread = first_thread + lane as u64;
            let offset = thread / BANKS * u64::from(write.stride)
                + u64::from(write.index)
                + 4 * u64::from(step);
            for (dword, &select) in write.select.iter().enumerate() {
                let Some(value) = selected(values, select) else { continue };
                if let Some(place) = local_place(thread % BANKS, offset + dword as u64) {
                    state.local[place] = value;
                }
            }
        }
    }
}

/// LOCAL_DS_READ: any thread reads anything, or all read what the first valid one addresses.
pub(super) fn local_read(
    read: &LocalRead,
    executing: u64,
    registers: Registers,
    state: &mut State,
) {
    let first_valid = ones(state.valid).next();
    let (threads, address_from) = match (read.broadcast, first_valid) {
        (false, _) => (executing, None),
        (true, Some(first)) => (u64::MAX, Some(first)),
        (true, None) => return,
    };
    let select = read.write.map(|write| if write { 0 } else { 7 });
    let select = [0, 1, 2, 3].map(|element: u8| element | select[usize::from(element)]);
    for step in 0..read.burst {
        let mut addresses = [[0; 2]; 64];
        for (lane, address) in addresses.iter_mut().enumerate() {
            let lane = address_from.unwrap_or(lane);
            let values = registers.local_source(read.source, 0, read.source_mode, lane, state);
            *address = read.select.map(|select| selected(values, select).unwrap_or(0));
        }
        for lane in ones(threads) {
            let [bank, offset] = addresses[lane].map(u64::from);
            let dword = offset + u64::from(read.offset) + 4 * u64::from(step);
            let fetch =
                |dword: u64| local_place(bank % BANKS, dword).map_or(0, |place| state.local[place]);
            let values = match read.multiplexer {
                Multiplexer::Word => [fetch(dword); 4],
                _ => [0, 1, 2, 3].map(|element| fetch((dword & !3) + element)),
            };
            let target = match read.mode {
                RelativeMode::None => registers.target(read.gpr, step, false, state),
                RelativeMode::Loop => registers.target(read.gpr, step, true, state),
                RelativeMode::Global => registers.global_target(read.gpr, step),
            };
            target.put(lane, values, select, state);
        }
    }
}

/// The dword a select gives; `None`: masked.
pub(super) fn selected(values: [u32; 4], select: u8) -> Option<u32> {
    match select {
        0..=3 => Some(values[usize::from(select)]),
        4 => Some(0),
        5 => Some(0x3F80_0000),
        _ => None,
    }
}

impl Target {
    /// Writes the selected values of one pixel.
    pub(super) fn put(self, pixel: usize, values: [u32; 4], select: [u8; 4], state: &mut State) {
        let register = match self {
            Self::Gpr(number) => &mut state.gpr[number],
            Self::Global(number) => &mut state.global[number],
            Self::Nowhere => return,
        };
        for (lanes, select) in register.iter_mut().zip(select) {
            if let Some(value) = selected(values, select) {
                lanes[pixel] = value;
            }
        }
    }
}
