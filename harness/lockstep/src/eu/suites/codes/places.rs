//! The fields of a native word that have codes, by generation.

use std::sync::LazyLock;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        Opcode,
        bits::Bits,
        fields::{self, Field},
        opcode::Format,
    },
};

/// Runs of bits of a word: highest and lowest bit, the most significant run first.
type Runs = Vec<(u32, u32)>;

/// A field of a word, and the instructions that have it.
#[derive(Debug)]
pub(super) struct Place {
    runs: Runs,
    formats: fn(Format) -> bool,
}

/// The fields of a native word that have codes (G45 volume 4, section 11.5): operation, access mode,
/// mask control, compression, thread control, predicate and its inverse, execution size, conditional
/// modifier, saturate; file and type of destination, src0 and src1; stride and address mode of the
/// destination; modifiers, address mode, stride, width and vertical stride of src0, flag subregister;
/// the same of src1.
const BEFORE_GEN7: [(u32, u32); 31] = [
    (6, 0),
    (8, 8),
    (9, 9),
    (13, 12),
    (15, 14),
    (19, 16),
    (20, 20),
    (23, 21),
    (27, 24),
    (31, 31),
    (33, 32),
    (36, 34),
    (38, 37),
    (41, 39),
    (43, 42),
    (46, 44),
    (62, 61),
    (63, 63),
    (78, 77),
    (79, 79),
    (81, 80),
    (84, 82),
    (88, 85),
    (89, 89),
    (110, 109),
    (111, 111),
    (113, 112),
    (116, 114),
    (120, 117),
    (121, 121),
    (28, 28),
];

/// The widest field that has codes; wider ones hold numbers, as those of registers do.
const WIDEST: u32 = 7;

impl Place {
    pub(super) fn get(&self, word: u128) -> u128 {
        self.runs.iter().fold(0, |value, (high, low)| {
            value << (high - low + 1) | word >> low & (u128::MAX >> (127 - (high - low)))
        })
    }

    /// The word with a value in the field.
    pub(super) fn put(&self, word: u128, value: u128) -> u128 {
        let (mut word, mut changed) = (word, self.get(word) ^ value);
        for (high, low) in self.runs.iter().rev() {
            let width = high - low + 1;
            word ^= (changed & ((1 << width) - 1)) << low;
            changed >>= width;
        }
        word
    }

    /// Its lowest bit.
    #[cfg(test)]
    pub(super) fn lowest(&self) -> u32 {
        self.runs.last().map_or(0, |(_, low)| *low)
    }

    fn width(&self) -> u32 {
        self.runs.iter().map(|(high, low)| high - low + 1).sum()
    }

    pub(super) fn largest(&self) -> u128 {
        (1 << self.width()) - 1
    }

    /// A place of runs of bits that every instruction has.
    pub(super) fn of(runs: &[Bits]) -> Self {
        let runs = runs.iter().map(|bits| (bits.high.into(), bits.low.into())).collect();
        Self { runs, formats: |_| true }
    }

    /// Whether the instruction in a word has the field.
    pub(super) fn is_in(&self, device: Device, word: u128) -> bool {
        let Some(generation) = device.generation() else { return false };
        let opcode = Opcode::of_code(device, word as u8 & 0x7F).unwrap_or(Opcode::Illegal);
        (self.formats)(opcode.format_on(generation))
    }
}

/// The places of a device.
pub(super) fn places(device: Device) -> &'static [Place] {
    static BEFORE: LazyLock<Vec<Place>> = LazyLock::new(|| {
        BEFORE_GEN7.map(|run| Place { runs: vec![run], formats: |_| true }).into()
    });
    static GEN7: LazyLock<Vec<Place>> = LazyLock::new(|| later(Generation::Gen7));
    static GEN9: LazyLock<Vec<Place>> = LazyLock::new(|| later(Generation::Gen9));
    static GEN12: LazyLock<Vec<Place>> = LazyLock::new(|| later(Generation::Gen12));
    match device {
        Device::Ivb => &GEN7,
        Device::Skl => &GEN9,
        Device::Dg1 => &GEN12,
        _ => &BEFORE,
    }
}

/// The fields with codes of a generation from Gen7 on, by the table `eu-inst-fields`; one with the runs
/// of another is not there twice.
fn later(generation: Generation) -> Vec<Place> {
    type Formats = (&'static [&'static Field], fn(Format) -> bool);
    const BEFORE_GEN12: &[Formats] = &[
        (fields::basic::FIELDS, |_| true),
        (fields::ternary_align16::FIELDS, |format| format == Format::Ternary),
        (fields::branch::FIELDS, |format| format == Format::Branch),
        (fields::send::FIELDS, |format| format == Format::Message),
        (fields::sends::FIELDS, |format| format == Format::SplitMessage),
    ];
    const SINCE_GEN12: &[Formats] = &[
        (fields::basic::FIELDS, |format| !matches!(format, Format::Ternary | Format::SplitMessage)),
        (fields::ternary_align1::FIELDS, |format| format == Format::Ternary),
        (fields::branch::FIELDS, |format| format == Format::Branch),
        (fields::send::FIELDS, |format| format == Format::SplitMessage),
        (fields::sync::FIELDS, |format| format == Format::Sync),
    ];
    let formats = if generation < Generation::Gen12 { BEFORE_GEN12 } else { SINCE_GEN12 };
    let mut places: Vec<Place> = Vec::new();
    for &(fields, formats) in formats {
        let first = places.len();
        for field in fields {
            let place = Place { formats, ..Place::of(field.position(generation)) };
            // The opcode says which format it is: it stands in the same place in all of them.
            let is_opcode = place.runs == [(6, 0)];
            let known = &places[if is_opcode { 0 } else { first }..];
            let is_new = known.iter().all(|known| known.runs != place.runs);
            // Whether a word is compact is no code of the native form.
            let is_length = place.runs == [(29, 29)];
            if (1..=WIDEST).contains(&place.width()) && is_new && !is_length {
                places.push(place);
            }
        }
    }
    places
}
