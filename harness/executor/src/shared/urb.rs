//! URB_WRITE: registers scattered over the rows of entries.

use parallax_isa::shared::{
    Environment, Memory, Request, Unanswered,
    environment::UrbEntry,
    memory::{EARLY_URB_ROWS, URB_ROWS},
};

use super::{Reply, refuse};

/// The entries of a case.
#[derive(Debug)]
pub(super) struct Urb {
    entries: Vec<UrbEntry>,
    free: Vec<u32>,
    /// How many of the free handles are gone.
    taken: usize,
    rows: usize,
    /// Handles that the thread has begun with or is done with.
    stages: Vec<(u16, Stage)>,
}

/// How far an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Open,
    Complete,
}

impl Urb {
    pub(super) fn of(environment: &Environment, is_ctg_b: bool) -> Self {
        Self {
            entries: environment.urb_entries.clone(),
            free: environment.free_handles.clone(),
            taken: 0,
            rows: if is_ctg_b { URB_ROWS } else { EARLY_URB_ROWS },
            stages: Vec::new(),
        }
    }

    /// All handles are free again.
    pub(super) fn restart(&mut self) {
        self.taken = 0;
        self.stages.clear();
    }

    fn set_stage(&mut self, handle: u16, stage: Stage) {
        self.stages.retain(|(other, _)| *other != handle);
        self.stages.push((handle, stage));
    }

    /// Refuses writes behind the last one, and handing over to others with entries that are not whole.
    fn check_stages(
        &self,
        handles: &[u16],
        has_data: bool,
        is_complete: bool,
        hands_over: bool,
    ) -> Result<(), Unanswered> {
        let is = |stage| self.stages.iter().filter(move |(_, other)| *other == stage);
        if has_data && is(Stage::Complete).any(|(handle, _)| handles.contains(handle)) {
            return refuse("data after the last data");
        }
        if hands_over && !is_complete && (has_data || is(Stage::Open).next().is_some()) {
            return refuse("an entry left half written");
        }
        Ok(())
    }

    /// The first of so many rows of an entry, all of which have to be there.
    fn rows(&self, handle: u16, first: usize, count: usize) -> Result<usize, Unanswered> {
        let Some(entry) = self.entries.iter().find(|entry| entry.handle == handle) else {
            return refuse("a handle of no entry");
        };
        let start = usize::from(entry.first_row) + first;
        if first + count > entry.rows.into() || start + count > self.rows {
            return refuse("rows beyond the entry");
        }
        Ok(start)
    }

    pub(super) fn answer(
        &mut self,
        request: &Request,
        memory: &mut Memory,
    ) -> Result<Reply, Unanswered> {
        let bits = request.function_control;
        let allocates = bits >> 13 & 1 == 1;
        if request.is_last && self.entries.is_empty() {
            return Err(Unanswered::NoSuchFunction("no entries"));
        }
        if request.is_last && allocates {
            return refuse("a handle for nobody");
        }
        if bits & 15 != 0 || request.response_length != u8::from(allocates) {
            return refuse("URB opcodes or replies that there are not");
        }
        let handle = match (allocates, self.free.get(self.taken)) {
            (true, None) => return refuse("no free handle"),
            (true, Some(handle)) => Some(*handle),
            (false, _) => None,
        };
        let first = (bits >> 4 & 63) as usize;
        let header = &request.payload[0];
        let handles = [0, 4].map(|n| u16::from(header[n]) | u16::from(header[n + 1]) << 8);
        let data = &request.payload[1..];
        let is_complete = bits >> 15 & 1 == 1;
        let used = if bits >> 10 & 3 == 1 { &handles[..] } else { &handles[..1] };
        self.check_stages(used, !data.is_empty(), is_complete, allocates || request.is_last)?;
        match (bits >> 10 & 3, data.len()) {
            (0..=2, 0) => {}
            (0, count) => {
                let start = self.rows(handles[0], first, count)?;
                memory.urb[start..start + count].copy_from_slice(data);
            }
            (1, count @ 2..) if request.channel_enables < 0x100 => {
                let rows = count.div_ceil(2);
                let starts =
                    [self.rows(handles[0], first, rows)?, self.rows(handles[1], first, rows)?];
                interleave(memory, starts, data, request.channel_enables);
            }
            (2, count) if count.is_multiple_of(3) && first.is_multiple_of(2) => {
                let start = self.rows(handles[0], first, count / 3 * 4)?;
                for (set, sources) in data.chunks_exact(3).enumerate() {
                    transpose(&mut memory.urb[start + 4 * set..][..4], sources);
                }
            }
            _ => return refuse("a swizzle of registers that it does not take"),
        }
        for &handle in used.iter().filter(|_| is_complete || !data.is_empty()) {
            self.set_stage(handle, if is_complete { Stage::Complete } else { Stage::Open });
        }
        let mut reply = Reply::default();
        if let Some(handle) = handle {
            self.taken += 1;
            self.set_stage(handle as u16, Stage::Open);
            reply[0].bytes[..4].copy_from_slice(&handle.to_le_bytes());
            reply[0].enables = 0xFF;
        }
        Ok(reply)
    }
}

/// Lower halves one after the other to the first entry, upper ones to the second.
fn interleave(memory: &mut Memory, starts: [usize; 2], data: &[[u8; 32]], enables: u16) {
    for (number, source) in data.iter().enumerate() {
        for lane in (0..8).filter(|lane| enables >> lane & 1 == 1) {
            let row = starts[lane / 4] + number / 2;
            let to = 16 * (number % 2) + 4 * (lane % 4);
            memory.urb[row][to..to + 4].copy_from_slice(&source[4 * lane..4 * lane + 4]);
        }
    }
}

/// Three rows of eight become four rows of two times four, the third of which is zero.
fn transpose(rows: &mut [[u8; 32]], sources: &[[u8; 32]]) {
    for (n, half) in rows.as_flattened_mut().chunks_exact_mut(16).enumerate() {
        let lane = 4 * n..4 * n + 4;
        half[0..4].copy_from_slice(&sources[0][lane.clone()]);
        half[4..8].copy_from_slice(&sources[1][lane.clone()]);
        half[8..12].fill(0);
        half[12..16].copy_from_slice(&sources[2][lane]);
    }
}
