//! The memory of a launch: buffers of any size, what each thread has for itself, and the shared local memory of the
//! group that runs. An engine that is lent it sends the messages of the data cache there instead of to the
//! [`Memory`] of its case (decision `D-eu-launch-memory`).

use std::{borrow::Cow, cell::Cell, ops::Range};

use super::memory::{BINDING_TABLE, GLOBAL_BYTES, LOCAL_BYTES, Memory, PICTURES, Picture, Surface};

/// Where surfaces and addresses lie in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    /// What is behind the indices of the binding table.
    pub surfaces: Cow<'static, [Option<Surface>]>,
    /// What stateless messages and 64-bit addresses reach, in order; an address is the number of a byte.
    pub ranges: Cow<'static, [Surface]>,
    /// What media blocks reach, from [`super::memory::FIRST_PICTURE`] on.
    pub pictures: &'static [Picture],
    /// The first byte of shared local memory.
    pub local: usize,
}

impl Map {
    /// That of a case.
    pub const CASE: Self = Self {
        surfaces: Cow::Borrowed(&{
            let mut surfaces = [None; BINDING_TABLE.len()];
            let mut index = 0;
            while index < surfaces.len() {
                surfaces[index] = Some(BINDING_TABLE[index]);
                index += 1;
            }
            surfaces
        }),
        ranges: Cow::Borrowed(&[Surface { start: 0, bytes: GLOBAL_BYTES }]),
        pictures: &PICTURES,
        local: GLOBAL_BYTES,
    };
}

/// An access that reaches nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outside {
    /// The index of the surface, if the access was to one.
    pub surface: Option<usize>,
    /// The address, or the offset in the surface, of its first byte.
    pub address: i128,
    /// How many bytes.
    pub bytes: usize,
}

/// Memory of a launch.
#[derive(Debug, Clone)]
pub struct LaunchMemory {
    /// Bytes from address 0 on, and shared local memory behind them.
    bytes: Vec<u8>,
    map: Map,
    /// The first access since that was asked for that reached nothing.
    outside: Cell<Option<Outside>>,
    /// The group whose threads run.
    pub group: Group,
    /// What the reference's last messages wrote, and whether what stands there is open.
    pub written: Vec<(Range<usize>, bool)>,
}

/// A group of threads at its barrier.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Group {
    /// How many threads it has.
    pub threads: u32,
    /// How many have come to the barrier.
    pub arrived: u32,
    /// The thread that took the last step waits for a notification.
    pub waits: bool,
}

impl LaunchMemory {
    /// Memory of so many bytes, all zero, of which messages reach nothing yet but shared local memory. Pages of it
    /// cost nothing before they are touched.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let map = Map {
            surfaces: Cow::Borrowed(&[]),
            ranges: Cow::Borrowed(&[]),
            pictures: &[],
            local: bytes,
        };
        Self {
            bytes: vec![0; bytes + LOCAL_BYTES],
            map,
            outside: Cell::new(None),
            group: Group::default(),
            written: Vec::new(),
        }
    }

    /// Lets messages reach a run of bytes by its address, and by an index of the binding table if it has one. Runs
    /// are added in their order.
    ///
    /// # Panics
    /// If it does not lie in the memory, or not behind the run that was added last.
    pub fn add(&mut self, run: Surface, index: Option<usize>) {
        let last = self.map.ranges.last().map_or(0, |last| last.range().end);
        assert!(
            last <= run.start && run.range().end <= self.map.local,
            "runs lie one behind the other"
        );
        self.map.ranges.to_mut().push(run);
        if let Some(index) = index {
            let surfaces = self.map.surfaces.to_mut();
            surfaces.resize(surfaces.len().max(index + 1), None);
            surfaces[index] = Some(run);
        }
    }

    /// Its bytes, by their addresses.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same, to change.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Begins another group: its shared local memory is zero.
    pub fn begin_group(&mut self, threads: u32) {
        self.group = Group { threads, ..Group::default() };
        self.bytes[self.map.local..].fill(0);
    }

    /// The first access that reached nothing since this was asked for last, if there was one.
    pub fn take_outside(&self) -> Option<Outside> {
        self.outside.take()
    }
}

/// What the messages of a thread reach: the memory of its case, or of the launch that it is a thread of.
#[derive(Debug)]
pub struct Reach<'m> {
    bytes: &'m mut [u8],
    /// Where surfaces and addresses lie in it.
    pub map: &'m Map,
    outside: Option<&'m Cell<Option<Outside>>>,
}

/// Takes note of accesses that reach nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Watch<'m>(Option<&'m Cell<Option<Outside>>>);

impl Watch<'_> {
    /// Takes note of one.
    pub fn note(self, outside: Outside) {
        if let Some(cell) = self.0 {
            cell.set(cell.get().or(Some(outside)));
        }
    }
}

impl<'m> Reach<'m> {
    /// The memory of a launch if there is one, else that of a case.
    pub fn new(memory: &'m mut Memory, launch: Option<&'m mut LaunchMemory>) -> Self {
        const CASE: &Map = &Map::CASE;
        match launch {
            None => Self { bytes: memory.bytes_mut(), map: CASE, outside: None },
            Some(LaunchMemory { bytes, map, outside, .. }) => {
                Self { bytes, map, outside: Some(outside) }
            }
        }
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes
    }

    /// The same, to change.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes
    }

    /// Who takes note of accesses that reach nothing.
    #[must_use]
    pub fn watch(&self) -> Watch<'m> {
        Watch(self.outside)
    }
}
