//! The registers that command buffers of a DPM4 capture set, as programs meet them in a draw.

use std::collections::BTreeMap;

use super::Recorded;

/// Registers by their addresses in bytes.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    values: BTreeMap<u32, u32>,
    /// Whether commands were met that set registers from memory, or are not in the packet.
    pub(crate) is_partial: bool,
}

/// Words of a snapshot of all registers.
const SNAPSHOT: usize = 0x1_0000;

/// Opcodes that set registers, and the address of the first of each.
const SETS: [(u32, u32); 7] = [
    (0x68, 0x8000),
    (0x69, 0x2_8000),
    (0x6A, 0x3_0000),
    (0x6B, 0x3_E380),
    (0x6C, 0x3_E200),
    (0x6D, 0x3_8000),
    (0x6E, 0x3_C000),
];
/// Those that load registers from memory, that call another buffer, and that draw.
const LOADS: std::ops::RangeInclusive<u32> = 0x61..=0x66;
const INDIRECT: u32 = 0x3F;
const DRAWS: [u32; 3] = [0x2B, 0x2D, 0x2E];

/// The registers of a kind of program.
pub(crate) struct OfKind {
    /// The kind, as programs are named.
    pub(crate) kind: &'static str,
    /// Where the program begins, in units of 256 bytes.
    start: u32,
    resources: (u32, &'static str),
    exports: Option<(u32, &'static str)>,
}

/// Vertex programs are those of ES where a geometry program follows.
pub(crate) const KINDS: [OfKind; 5] = [
    OfKind {
        kind: "pixel",
        start: 0x2_8840,
        resources: (0x2_8850, "SQ_PGM_RESOURCES_PS"),
        exports: Some((0x2_8854, "SQ_PGM_EXPORTS_PS")),
    },
    OfKind {
        kind: "vertex",
        start: 0x2_8858,
        resources: (0x2_8868, "SQ_PGM_RESOURCES_VS"),
        exports: None,
    },
    OfKind {
        kind: "geometry",
        start: 0x2_886C,
        resources: (0x2_887C, "SQ_PGM_RESOURCES_GS"),
        exports: None,
    },
    OfKind {
        kind: "vertex",
        start: 0x2_8880,
        resources: (0x2_8890, "SQ_PGM_RESOURCES_ES"),
        exports: None,
    },
    OfKind {
        kind: "fetch",
        start: 0x2_8894,
        resources: (0x2_88A4, "SQ_PGM_RESOURCES_FS"),
        exports: None,
    },
];

/// Registers that stand for all programs of a draw: their range, and what they are.
const SHARED: [(std::ops::Range<u32>, &str); 5] = [
    (0x3_0000..0x3_2000, "words of ALU constants"),
    (0x3_8000..0x3_C000, "words of resources"),
    (0x3_C000..0x3_E200, "words of samplers"),
    (0x3_E200..0x3_E380, "loop constants"),
    (0x3_E380..0x3_E400, "words of boolean constants"),
];

impl Registers {
    /// Takes up a snapshot.
    pub(crate) fn snapshot(&mut self, data: &[u8]) {
        let (words, _) = data.as_chunks::<4>();
        let places = (0..).step_by(4);
        for (address, word) in places.zip(words.iter().take(SNAPSHOT)) {
            self.values.insert(address, u32::from_le_bytes(*word));
        }
    }

    /// Follows a command buffer; `draw` is called at each draw. What is no packet ends it.
    pub(crate) fn follow(&mut self, data: &[u8], draw: &mut dyn FnMut(&Self)) {
        let (words, _) = data.as_chunks::<4>();
        let word = |place: usize| words.get(place).map(|word| u32::from_be_bytes(*word));
        let mut place = 0;
        while let Some(header) = word(place) {
            let count = (header >> 16 & 0x3FFF) as usize + 1;
            let body = |number: usize| word(place + 1 + number);
            place += match header >> 30 {
                0 => {
                    self.set((header & 0xFFFF) * 4, (0..count).map_while(body));
                    1 + count
                }
                2 => 1,
                3 => {
                    self.command(header >> 8 & 0xFF, &body, count);
                    if DRAWS.contains(&(header >> 8 & 0xFF)) {
                        draw(self);
                    }
                    1 + count
                }
                _ => {
                    self.is_partial = true;
                    return;
                }
            };
        }
        self.is_partial |= place > words.len();
    }

    fn command(&mut self, opcode: u32, body: &dyn Fn(usize) -> Option<u32>, count: usize) {
        let set = SETS.iter().find(|(known, _)| *known == opcode);
        if let (Some((_, base)), Some(first)) = (set, body(0)) {
            let values = (1..count).map_while(body);
            self.set(base.wrapping_add((first & 0xFFFF).wrapping_mul(4)), values);
        }
        self.is_partial |= LOADS.contains(&opcode) || opcode == INDIRECT;
    }

    fn set(&mut self, first: u32, values: impl Iterator<Item = u32>) {
        /// Where the last register is.
        const LAST: u32 = 4 * (SNAPSHOT as u32 - 1);
        for (address, value) in (first..=LAST).step_by(4).zip(values) {
            self.values.insert(address, value);
        }
    }

    /// The address of the program of a kind.
    pub(crate) fn start(&self, of: &OfKind) -> Option<u32> {
        self.values.get(&of.start).and_then(|start| start.checked_mul(256))
    }

    /// The state of the program of a kind.
    pub(crate) fn recorded(&self, of: &OfKind, address: u32) -> Recorded {
        let mut recorded = Recorded { address: Some(address.into()), ..Recorded::default() };
        for (register, name) in [Some(of.resources), of.exports].into_iter().flatten() {
            match self.values.get(&register) {
                Some(value) => recorded.register(name, *value),
                None => recorded.lacks(format!("{name}: no command sets it")),
            }
        }
        recorded.declared.resources = self.values.get(&of.resources.0).copied();
        for (range, what) in SHARED {
            let set = self.values.range(range).count();
            if set > 0 {
                recorded.lacks(format!(
                    "{set} {what} that are set for the draw: no document here has those of each kind of program"
                ));
            }
        }
        recorded.lacks("registers at dispatch: a capture does not have them");
        if self.is_partial {
            recorded.lacks("registers that commands load from memory or set in other buffers");
        }
        recorded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    #[test]
    fn draws_see_what_was_set_before() {
        let mut registers = Registers::default();
        let words = [
            0xC002_6900,
            0x210,
            0x10_0001,
            1,           // SET_CONTEXT_REG: the start of the pixel program and its size
            0x8000_0000, // a filler
            0x0000_A214,
            0x0103, // its resources, by their number
            0xC000_2D00,
            3, // a draw
            0x0000_A214,
            0x0104,
        ];
        let mut seen = Vec::new();
        registers.follow(&buffer(&words), &mut |registers| {
            let start = registers.start(&KINDS[0]);
            seen.push((start, registers.recorded(&KINDS[0], 0).declared.resources));
        });
        assert_eq!(seen, [(Some(0x1000_0100), Some(0x103))]);
        assert!(!registers.is_partial);
        assert_eq!(registers.values.get(&0x2_8850), Some(&0x104));
    }

    #[test]
    fn buffers_that_end_early_are_partial() {
        for words in [&[0xC002_6900, 0x210][..], &[0x4000_0000], &[0xC001_3F00, 0, 0]] {
            let mut registers = Registers::default();
            registers.follow(&buffer(words), &mut |_| panic!("no draw"));
            assert!(registers.is_partial, "{words:x?}");
        }
    }
}
