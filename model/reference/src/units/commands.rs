//! Commands that load chroma keys and palettes (sections 4.7.5 to 4.7.7).

use parallax_isa::{Device, units::Answer};

/// What they leave behind.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// Low and high.
    keys: [[u32; 2]; 4],
    /// Entries as the command has them.
    palettes: [[u32; 256]; 2],
}

impl Default for State {
    fn default() -> Self {
        Self { keys: [[0; 2]; 4], palettes: [[0; 256]; 2] }
    }
}

impl State {
    /// Takes a command.
    pub(super) fn command(&mut self, device: Device, words: &[u32]) -> Answer {
        let Some((&header, data)) = words.split_first() else { return Answer::Refused };
        // Command type, subtype and opcode of states of the 3D pipeline.
        if (header >> 29, header >> 27 & 3, header >> 24 & 7) != (3, 3, 1) {
            return Answer::Refused;
        }
        // Bit 24 is of the opcode, not of the sub opcode too.
        let length = header & 0xFF;
        let is_reserved = header >> 8 & 0xFF != 0;
        match header >> 16 & 0xFF {
            0x04 => {
                let &[index, low, high] = data else { return Answer::Refused };
                if is_reserved || length != 2 || index & 0x3FFF_FFFF != 0 {
                    return Answer::Refused;
                }
                self.keys[(index >> 30) as usize] = [low, high];
                Answer::Done
            }
            0x02 => self.load(0, is_reserved, length, first_palette(device), data),
            0x0C if device == Device::G45 => self.load(1, is_reserved, length, 256, data),
            _ => Answer::Refused,
        }
    }

    /// Loads a palette from its first entry on; the others stay.
    fn load(
        &mut self,
        which: usize,
        is_reserved: bool,
        length: u32,
        most: usize,
        data: &[u32],
    ) -> Answer {
        if is_reserved || data.len() != length as usize + 1 || data.len() > most {
            return Answer::Refused;
        }
        self.palettes[which][..data.len()].copy_from_slice(data);
        Answer::Done
    }

    pub(super) fn key(&self, index: u8) -> Answer {
        let [low, high] = self.keys[usize::from(index)];
        Answer::Key(low, high)
    }

    /// Alpha, red, green and blue of an entry; the first devices have no alpha.
    pub(super) fn palette(&self, device: Device, which: u8, entry: u8) -> Answer {
        let colour = self.palettes[usize::from(which)][usize::from(entry)];
        if which == 1 {
            if device != Device::G45 {
                return Answer::Refused;
            }
            return Answer::Word(colour);
        }
        if usize::from(entry) >= first_palette(device) {
            return Answer::Refused;
        }
        let has_alpha = matches!(device, Device::Ctg | Device::G45);
        Answer::Word(if has_alpha { colour } else { colour & 0x00FF_FFFF })
    }
}

/// Entries of the first palette.
fn first_palette(device: Device) -> usize {
    if matches!(device, Device::Bw | Device::Cl) { 16 } else { 256 }
}
