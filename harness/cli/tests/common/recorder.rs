//! Writes recordings as drivers' tools do, from the description of their forms alone: it shares nothing with what reads
//! them.

use std::io::Write as _;

/// What a driver has given to a processor: bytes at graphics addresses, and the commands that start a kernel.
pub(crate) struct Recording {
    /// Bytes by their addresses.
    pub(crate) memory: Vec<(u32, Vec<u8>)>,
    /// The command buffer.
    pub(crate) batch: Vec<u32>,
}

/// Where things are.
const SURFACE_BASE: u32 = 0x0010_0000;
const DYNAMIC_BASE: u32 = 0x0020_0000;
const INSTRUCTION_BASE: u32 = 0x0030_0000;
const BATCH: u32 = 0x0060_0000;
const PCI_ID: &str = "0x1912";

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A surface state of Gen8 and later: a type with a format, sizes less one, and an address.
fn surface_state(first: u32, [width, height]: [u32; 2], pitch: u32, address: u32) -> Vec<u8> {
    let mut words = [0; 16];
    (words[0], words[2], words[3], words[8]) = (first, height << 16 | width, pitch, address);
    bytes_of(&words)
}

impl Recording {
    /// A compute kernel of skl with surface 0, a buffer of 64 bytes 0 to 63, surface 3, four rows of four texels,
    /// and sampler 1 with a border colour.
    pub(crate) fn compute(code: &[u8]) -> Self {
        let descriptor = bytes_of(&[0x80, 0, 0, 0x100 | 1 << 2, 0x200 | 4, 0, 1, 0]);
        let table = bytes_of(&[0x400, 0, 0, 0x440]);
        // R8G8B8A8_UNORM is C7h, RAW is 1FFh; drivers set the tail of levels to 15.
        let buffer = surface_state(4 << 29 | 0x1FF << 18, [63, 0], 0, 0x0040_0020);
        let plane = surface_state(1 << 29 | 0xC7 << 18, [3, 3], 15, 0x0050_0000);
        let sampler = bytes_of(&[0, 0, 0x300, 0]);
        let border = bytes_of(&[1_f32, 0.5, 0.25, 0.0].map(f32::to_bits));
        let memory = vec![
            (INSTRUCTION_BASE + 0x80, code.to_vec()),
            (DYNAMIC_BASE + 0x40, descriptor),
            (DYNAMIC_BASE + 0x110, sampler),
            (DYNAMIC_BASE + 0x300, border),
            (SURFACE_BASE + 0x200, table),
            (SURFACE_BASE + 0x400, buffer),
            (SURFACE_BASE + 0x440, plane),
            (0x0040_0020, (0..64).collect()),
            (0x0050_0000, vec![0x11; 64]),
        ];
        let mut batch = vec![0x6101_0011, 1, 0, 0, SURFACE_BASE | 1, 0, DYNAMIC_BASE | 1, 0, 1, 0];
        batch.extend([INSTRUCTION_BASE | 1, 0, 0xFFFF_F001, 0x1001, 0xFFFF_F001, 0x1001, 0, 0, 0]);
        batch.extend([0x7002_0002, 0, 32, 0x40, 0x0500_0000]);
        Self { memory, batch }
    }

    /// As an AUB trace of blocks with flat addresses.
    pub(crate) fn aub(&self) -> Vec<u8> {
        let block = |operation: u32, address: u32, data: &[u8]| {
            let mut block = bytes_of(&[0xE0C1_0004, operation, 0, address, data.len() as u32, 0]);
            block.extend(data);
            block.resize(block.len().next_multiple_of(4), 0);
            block
        };
        let mut comment = format!("PCI-ID={PCI_ID}").into_bytes();
        comment.resize(comment.len().next_multiple_of(4), 0);
        let length = 13 + comment.len() / 4 - 2;
        let mut trace = bytes_of(&[0xE085_0000 | length as u32, 4 << 24]);
        trace.extend([0; 32]);
        trace.extend(bytes_of(&[0, 0, comment.len() as u32]));
        trace.extend(comment);
        for (address, data) in &self.memory {
            trace.extend(block(1, *address, data));
        }
        trace.extend(block(1 | 1 << 8, BATCH, &bytes_of(&self.batch)));
        trace.extend(block(2 | 2 << 8, 0, &bytes_of(&[0x1880_0101, BATCH, 0, 0])));
        trace
    }

    /// As the error state of a hang.
    pub(crate) fn error_state(&self) -> String {
        let mut text = format!("GPU HANG: ecode 9:1:00000000\nPCI ID: {PCI_ID}\n");
        text +=
            &format!("rcs0 command stream:\n  HEAD: 0x00000000\n  ACTHD: 0x00000000 {BATCH:08x}\n");
        text += &buffer("batch", BATCH, &bytes_of(&self.batch));
        for (address, data) in &self.memory {
            text += &buffer("user", *address, data);
        }
        text
    }
}

/// A buffer: compressed by zlib, in words of which each is five digits to the base 85.
pub(crate) fn buffer(name: &str, address: u32, data: &[u8]) -> String {
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(data).expect("compressed");
    let mut compressed = zlib.finish().expect("compressed");
    compressed.resize(compressed.len().next_multiple_of(4), 0);
    let mut text = format!("rcs0 --- {name} = 0x00000000 {address:08x}\n:");
    for word in compressed.as_chunks::<4>().0 {
        let mut word = u32::from_le_bytes(*word);
        if word == 0 {
            text.push('z');
            continue;
        }
        let mut digits = [0; 5];
        for digit in digits.iter_mut().rev() {
            *digit = b'!' + (word % 85) as u8;
            word /= 85;
        }
        text.extend(digits.map(char::from));
    }
    text + "\n"
}
