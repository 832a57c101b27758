//! Local data share (chapter 8): every thread writes its own part and reads anybody's.

use parallax_isa::r700::state::State;

use super::{
    decode::{LocalRead, LocalWrite, Multiplexer, RelativeMode},
    masks::ones,
    registers::{Registers, selected},
};

/// Threads of a wavefront.
const THREADS: u64 = 64;
/// Banks of the local data share.
const BANKS: u64 = 4;
/// Dwords of a bank.
const BANK_DWORDS: u64 = 1024;

/// Index of a dword of a bank in the local data share.
fn place(bank: u64, dword: u64) -> Option<usize> {
    (dword < BANK_DWORDS).then_some((bank * BANK_DWORDS + dword) as usize)
}

/// LOCAL_DS_WRITE: every thread writes what it owns.
pub(super) fn write(
    write: &LocalWrite,
    executing: u64,
    wavefront: u32,
    registers: Registers,
    state: &mut State,
) {
    let first_thread = if write.group_relative { u64::from(wavefront) * THREADS } else { 0 };
    for step in 0..write.burst {
        for lane in ones(executing) {
            let values = registers.local_source(write.source, step, write.source_mode, lane, state);
            let thread = first_thread + lane as u64;
            let offset = thread / BANKS * u64::from(write.stride)
                + u64::from(write.index)
                + 4 * u64::from(step);
            for (dword, &select) in write.select.iter().enumerate() {
                let Some(value) = selected(values, select) else { continue };
                if let Some(place) = place(thread % BANKS, offset + dword as u64) {
                    state.local[place] = value;
                }
            }
        }
    }
}

/// LOCAL_DS_READ: any thread reads anything, or all read what the first valid one addresses.
pub(super) fn read(read: &LocalRead, executing: u64, registers: Registers, state: &mut State) {
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
                |dword: u64| place(bank % BANKS, dword).map_or(0, |place| state.local[place]);
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
