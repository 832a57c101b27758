//! Memory: MEM_* writes and memory reads, with their address formulas (sections 2.6.2, 3.4.2, 7.1;
//! decision D-r700-memory).

use parallax_isa::r700::{
    case::{Buffers, MemoryRange},
    state::{MEMORY_DWORDS, State},
};

use super::{
    decode::{MemoryBuffer, MemoryRead, MemoryReadBuffer, MemoryWrite},
    format::Format,
    masks::ones,
    registers::Registers,
};

/// Threads of a wavefront.
const THREADS: i64 = 64;

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
