//! The threads of a launch: which work items each has, and its registers before the first instruction.

use parallax_isa::eu::{State, register::REGISTER_BYTES};

use super::arguments::Placed;
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

/// A thread.
pub(super) struct Thread {
    /// Its number, over all groups.
    pub(super) number: u64,
    /// Its group.
    pub(super) group: [u32; 3],
    /// Its number in the group.
    in_group: u64,
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

    /// The threads, group by group.
    pub(super) fn threads(&self) -> impl Iterator<Item = Thread> + use<> {
        let of_group = self.threads_of_group();
        let [x, y] = [0, 1].map(|dimension| u64::from(self.groups_of(dimension)));
        (0..self.groups() * of_group).map(move |number| {
            let group = number / of_group;
            let group = [group % x, group / x % y, group / (x * y)].map(|place| place as u32);
            Thread { number, group, in_group: number % of_group }
        })
    }

    fn dimensions(&self) -> u32 {
        self.global.iter().rposition(|size| *size > 1).map_or(1, |last| last as u32 + 1)
    }
}

impl Thread {
    /// Fills the registers that a thread starts with: the header, the numbers of its work items in their group, and the
    /// data that all threads get.
    pub(super) fn begin(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        placed: &Placed,
        state: &mut State,
    ) -> Result<(), String> {
        let lanes = kernel.lanes;
        let first = self.in_group * range.lanes;
        let active = (range.items_of_group() - first).min(range.lanes);
        let mask = u32::MAX >> (32 - active);
        (state.status[2], state.status[3]) = (mask, mask);
        let mut payload = self.header();
        // Vendor code has a register of them even where it looks at none.
        let registers_of_ids = if lanes == 32 { 2 } else { 1 };
        if kernel.local_ids == 0 {
            payload.extend([0; REGISTER_BYTES]);
        }
        let [width, height, _] = range.local.map(u64::from);
        for dimension in 0..kernel.local_ids.min(3) {
            let mut ids = vec![0; registers_of_ids * REGISTER_BYTES];
            for (lane, bytes) in ids.chunks_exact_mut(2).take(lanes).enumerate() {
                let item = first + lane as u64;
                let place = [item % width, item / width % height, item / (width * height)];
                bytes.copy_from_slice(&(place[dimension] as u16).to_le_bytes());
            }
            payload.extend(ids);
        }
        payload.extend(cross_thread_data(kernel, range, placed)?);
        let registers = state.grf.as_flattened_mut();
        let room = registers.get_mut(..payload.len()).ok_or_else(|| {
            format!("its data takes {} bytes, more than there are registers", payload.len())
        })?;
        room.copy_from_slice(&payload);
        Ok(())
    }

    /// `r0`: the number of the group.
    fn header(&self) -> Vec<u8> {
        let mut words = [0; 8];
        let [x, y, z] = self.group;
        (words[1], words[6], words[7]) = (x, y, z);
        words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect()
    }
}

/// The data that all threads get.
fn cross_thread_data(kernel: &Kernel, range: &NdRange, placed: &Placed) -> Result<Vec<u8>, String> {
    /// Most bytes: more do not fit into registers.
    const MOST: usize = 128 * REGISTER_BYTES;
    let bytes = kernel.cross_thread_bytes;
    if bytes > MOST {
        return Err(format!("its data takes {bytes} bytes, more than there are registers"));
    }
    let mut data = vec![0; bytes.next_multiple_of(REGISTER_BYTES)];
    for parameter in &kernel.parameters {
        let word = |word: u32| word.to_le_bytes().to_vec();
        let value = match parameter.holds {
            Holds::Value { argument, from } => placed.value(argument, from).to_vec(),
            Holds::Address { argument } => placed.address(argument).to_le_bytes().to_vec(),
            Holds::LocalSize(dimension) => word(range.local.get(dimension).copied().unwrap_or(1)),
            Holds::GlobalSize(dimension) => word(range.global.get(dimension).copied().unwrap_or(1)),
            Holds::Groups(dimension) if dimension < 3 => word(range.groups_of(dimension)),
            Holds::Groups(_) => word(1),
            Holds::Dimensions => word(range.dimensions()),
            Holds::GlobalOffset(_) | Holds::Zero | Holds::PrivateBase | Holds::DataAddress(_) => {
                continue;
            }
        };
        let end = parameter.offset.saturating_add(parameter.bytes);
        let room =
            data.get_mut(parameter.offset..end).ok_or("its data names bytes behind its end")?;
        let number = room.len().min(value.len());
        room[..number].copy_from_slice(&value[..number]);
    }
    Ok(data)
}
