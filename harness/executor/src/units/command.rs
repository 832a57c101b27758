//! Chroma keys and palettes, as commands load them.

use parallax_isa::{Device, units::Answer};

/// What was loaded.
#[derive(Debug, Clone)]
pub(super) struct Loaded {
    keys: [(u32, u32); 4],
    /// Entries of the first palette, and of the second where there is one.
    palettes: [Vec<u32>; 2],
    /// Bits that an entry of the first has.
    mask: u32,
}

impl Loaded {
    pub(super) fn new(device: Device) -> Self {
        let (first, second, mask) = match device {
            Device::G45 => (256, 256, u32::MAX),
            Device::Ctg => (256, 0, u32::MAX),
            _ => (16, 0, 0x00FF_FFFF),
        };
        Self { keys: [(0, 0); 4], palettes: [vec![0; first], vec![0; second]], mask }
    }

    pub(super) fn command(&mut self, words: &[u32]) -> Answer {
        match words {
            [0x7904_0002, index, low, high] if index << 2 == 0 => {
                self.keys[(index >> 30) as usize] = (*low, *high);
            }
            [header, entries @ ..] => {
                let (which, mask) = match header & 0xFFFF_FF00 {
                    0x7902_0000 => (0, self.mask),
                    0x790C_0000 => (1, u32::MAX),
                    _ => return Answer::Refused,
                };
                let palette = &mut self.palettes[which];
                let is_whole = entries.len() == (header & 0xFF) as usize + 1;
                if !is_whole || entries.len() > palette.len() {
                    return Answer::Refused;
                }
                palette.iter_mut().zip(entries).for_each(|(to, from)| *to = from & mask);
            }
            [] => return Answer::Refused,
        }
        Answer::Done
    }

    pub(super) fn key(&self, index: u8) -> Answer {
        let (low, high) = self.keys[usize::from(index)];
        Answer::Key(low, high)
    }

    pub(super) fn entry(&self, which: u8, entry: u8) -> Answer {
        let entry = self.palettes[usize::from(which)].get(usize::from(entry));
        entry.map_or(Answer::Refused, |colour| Answer::Word(*colour))
    }
}
