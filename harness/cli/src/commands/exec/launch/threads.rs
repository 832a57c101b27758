//! The threads of a launch: which work items each has, and its registers before the first instruction.

use parallax_isa::eu::{State, register::REGISTER_BYTES, state::GRF_COUNT};

use super::{
    arguments::Placed,
    memory::{Content, Layout},
};
use crate::container::{Holds, Kernel};

/// Most work items of a launch.
const MOST_ITEMS: u64 = 1 << 24;
/// Most work items of a group.
const MOST_OF_GROUP: u64 = 1024;

/// Sizes in up to three dimensions, as in 64x16.
pub(super) fn size(text: &str) -> Result<[u32; 3], String> {
    let wrong =
        || "expected a size in one to three dimensions, as in 256, 64x16 or 8x8x8".to_owned();
    let mut sizes = [1; 3];
    for (place, number) in text.split('x').enumerate() {
        let size = number.parse().ok().filter(|size: &u32| *size > 0).ok_or_else(wrong)?;
        *sizes.get_mut(place).ok_or_else(wrong)? = size;
    }
    Ok(sizes)
}

/// The work items of a launch, in groups.
pub(super) struct NdRange {
    global: [u32; 3],
    local: [u32; 3],
    lanes: u64,
}

fn product(sizes: [u32; 3]) -> u64 {
    sizes.iter().fold(1, |product: u64, size| product.saturating_mul(u64::from(*size)))
}

impl NdRange {
    pub(super) fn new(global: [u32; 3], local: [u32; 3], lanes: usize) -> Result<Self, String> {
        let range = Self { global, local, lanes: lanes as u64 };
        if product(global) > MOST_ITEMS {
            return Err(format!("--global: at most {MOST_ITEMS} work items"));
        }
        if range.items_of_group() > MOST_OF_GROUP {
            let items = range.items_of_group();
            return Err(format!(
                "--local: a group has at most {MOST_OF_GROUP} work items, not {items}; without --local all are one group"
            ));
        }
        if global.iter().zip(local).any(|(global, local)| !global.is_multiple_of(local)) {
            let [global, local] = [global, local].map(|[x, y, z]| format!("{x}x{y}x{z}"));
            return Err(format!("--local: groups of {local} do not divide {global} work items"));
        }
        Ok(range)
    }

    pub(super) fn items_of_group(&self) -> u64 {
        product(self.local)
    }

    pub(super) fn threads_of_group(&self) -> u64 {
        self.items_of_group().div_ceil(self.lanes)
    }

    fn groups_of(&self, dimension: usize) -> u32 {
        self.global[dimension] / self.local[dimension]
    }

    pub(super) fn groups(&self) -> u64 {
        product([0, 1, 2].map(|dimension| self.groups_of(dimension)))
    }

    /// A group, by its number.
    pub(super) fn group(&self, number: u64) -> [u32; 3] {
        let [x, y] = [0, 1].map(|dimension| u64::from(self.groups_of(dimension)));
        [number % x, number / x % y, number / (x * y)].map(|place| place as u32)
    }

    fn dimensions(&self) -> u32 {
        self.global.iter().rposition(|size| *size > 1).map_or(1, |last| last as u32 + 1)
    }
}

/// What the registers of threads hold before the first instruction.
pub(super) struct Payload<'k> {
    kernel: &'k Kernel,
    range: &'k NdRange,
    /// The data that all threads get.
    of_all: Vec<u8>,
    room: Room,
}

impl<'k> Payload<'k> {
    /// # Errors
    /// If it does not fit into registers.
    pub(super) fn new(
        kernel: &'k Kernel,
        range: &'k NdRange,
        placed: &Placed,
        room: Room,
    ) -> Result<Self, String> {
        let of_all = cross_thread_data(kernel, range, placed, &room)?;
        let payload = Self { kernel, range, of_all, room };
        let bytes = payload.of(0, 0).len();
        if bytes > GRF_COUNT * REGISTER_BYTES {
            return Err(format!("its data takes {bytes} bytes, more than there are registers"));
        }
        Ok(payload)
    }

    /// Fills the registers of a thread of a group.
    pub(super) fn fill(&self, group: u64, thread: u32, state: &mut State) {
        let first = u64::from(thread) * self.range.lanes;
        let active = (self.range.items_of_group() - first).min(self.range.lanes);
        let mask = u32::MAX >> (32 - active);
        (state.status[2], state.status[3]) = (mask, mask);
        let payload = self.of(group, thread);
        state.grf.as_flattened_mut()[..payload.len()].copy_from_slice(&payload);
    }

    /// The registers that it fills, and those of the active channels.
    pub(super) fn registers(&self) -> Vec<String> {
        let general = self.of(0, 0).len() / REGISTER_BYTES;
        let general = (0..general).map(|number| format!("r{number}"));
        general.chain(["sr0.2", "sr0.3"].map(str::to_owned)).collect()
    }

    /// The header, the numbers of the thread's work items in their group, and the data that all threads get.
    fn of(&self, group: u64, thread: u32) -> Vec<u8> {
        let Self { kernel, range, .. } = self;
        let mut payload = self.header(group, thread);
        // Vendor code has a register of them even where it reads none.
        let registers_of_ids = if kernel.lanes == 32 { 2 } else { 1 };
        if kernel.local_ids == 0 {
            payload.extend([0; REGISTER_BYTES]);
        }
        let first = u64::from(thread) * range.lanes;
        let [width, height, _] = range.local.map(u64::from);
        for dimension in 0..kernel.local_ids.min(3) {
            let mut ids = vec![0; registers_of_ids * REGISTER_BYTES];
            for (lane, bytes) in ids.chunks_exact_mut(2).take(kernel.lanes).enumerate() {
                let item = first + lane as u64;
                let place = [item % width, item / width % height, item / (width * height)];
                bytes.copy_from_slice(&(place[dimension] as u16).to_le_bytes());
            }
            payload.extend(ids);
        }
        payload.extend(&self.of_all);
        payload
    }

    /// `r0`: the number of the group; where the thread's scratch space is, how large, and which of those that run the
    /// thread is.
    fn header(&self, group: u64, thread: u32) -> Vec<u8> {
        let [x, y, z] = self.range.group(group);
        let scratch = self.room.scratch + thread * self.room.scratch_bytes;
        let size = (self.room.scratch_bytes / SCRATCH_UNIT).checked_ilog2().unwrap_or(0);
        let words = [0, x, 0, size, 0, scratch | thread, y, z];
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// What the sizes of scratch spaces are powers of two of.
const SCRATCH_UNIT: u32 = 1024;

/// Where in memory that is which a kernel needs beside its arguments.
#[derive(Default)]
pub(super) struct Room {
    /// Scratch space of the first thread of a group; those of the others follow.
    scratch: u32,
    /// Bytes of that of each thread.
    scratch_bytes: u32,
    /// Private memory of the first thread of a group; that of the others follows.
    private: u64,
    /// The data of the program, by their numbers.
    pub(super) data: Vec<u64>,
}

impl Room {
    /// Makes room in memory.
    ///
    /// # Errors
    /// If there is not enough.
    pub(super) fn new(
        kernel: &Kernel,
        range: &NdRange,
        layout: &mut Layout,
    ) -> Result<Self, String> {
        let threads = range.threads_of_group() as usize;
        let mut room = Self::default();
        if kernel.scratch_bytes > 0 {
            let unit = SCRATCH_UNIT as usize;
            let bytes = kernel.scratch_bytes.max(unit).checked_next_power_of_two();
            let bytes = bytes.unwrap_or(usize::MAX);
            let place = layout.work("scratch space", bytes, threads)?;
            (room.scratch, room.scratch_bytes) = (place.start as u32, bytes as u32);
        }
        if kernel.private_bytes > 0 {
            let place = layout.work("private memory", kernel.private_bytes, threads)?;
            room.private = place.start as u64;
        }
        let mut places = Vec::new();
        for data in &kernel.data {
            let content = Content::Bytes(data.bytes.to_vec());
            places.push(layout.add("data of the program".to_owned(), content, data.binding)?);
        }
        room.data = places.iter().map(|place| place.start as u64).collect();
        for (data, place) in kernel.data.iter().zip(places) {
            layout.put(&place, data.relocated(&room.data));
        }
        Ok(room)
    }
}

/// The data that all threads get.
fn cross_thread_data(
    kernel: &Kernel,
    range: &NdRange,
    placed: &Placed,
    room: &Room,
) -> Result<Vec<u8>, String> {
    /// Most bytes: more do not fit into registers.
    const MOST: usize = 128 * REGISTER_BYTES;
    let bytes = kernel.cross_thread_bytes;
    if bytes > MOST {
        return Err(format!("its data takes {bytes} bytes, more than there are registers"));
    }
    let mut data = vec![0; bytes.next_multiple_of(REGISTER_BYTES)];
    for parameter in &kernel.parameters {
        let word = |word: u32| word.to_le_bytes().to_vec();
        let address = |address: u64| address.to_le_bytes().to_vec();
        let value = match parameter.holds {
            Holds::Value { argument, from } => placed.value(argument, from).to_vec(),
            Holds::Address { argument } => address(placed.address(argument)),
            Holds::LocalSize(dimension) => word(range.local.get(dimension).copied().unwrap_or(1)),
            Holds::GlobalSize(dimension) => word(range.global.get(dimension).copied().unwrap_or(1)),
            Holds::Groups(dimension) if dimension < 3 => word(range.groups_of(dimension)),
            Holds::Groups(_) => word(1),
            Holds::Dimensions => word(range.dimensions()),
            Holds::PrivateBase => address(room.private),
            Holds::DataAddress(number) => {
                let number = room.data.get(number).copied();
                address(number.ok_or("it takes the address of data that are not there")?)
            }
            Holds::GlobalOffset(_) | Holds::Zero => continue,
        };
        let end = parameter.offset.saturating_add(parameter.bytes);
        let room =
            data.get_mut(parameter.offset..end).ok_or("its data names bytes behind its end")?;
        let number = room.len().min(value.len());
        room[..number].copy_from_slice(&value[..number]);
    }
    Ok(data)
}
