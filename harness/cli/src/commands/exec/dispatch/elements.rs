//! What is looked at when a thread has ended: elements of its state, as text and as light.

use std::ops::Range;

use half::f16;
use parallax_isa::eu::DataType;

use crate::output;

/// Characters that a line of elements takes, at about.
const LINE: usize = 96;

/// Elements beside each other in the image of a state.
#[derive(Debug, Clone)]
pub(crate) struct Elements {
    /// What they are called together, with their type if they have one.
    pub(super) name: String,
    /// What their columns are called: each its own, or one for all of them where no type is given.
    pub(super) columns: Vec<String>,
    /// Their bytes.
    pub(super) range: Range<usize>,
    /// Where what goes on behind them ends.
    pub(super) room: usize,
    /// Bytes from one of a type to the next.
    pub(super) step: usize,
    /// What they are; if that is not known, bytes.
    pub(in crate::commands::exec) data_type: Option<DataType>,
    /// Whether bytes are written as words are, the highest of four first.
    pub(super) is_words: bool,
}

impl Elements {
    /// Their bytes in the image of the state.
    pub(crate) fn places(&self) -> Range<usize> {
        self.range.clone()
    }

    /// What they are, if that is known.
    pub(crate) fn data_type(&self) -> Option<DataType> {
        self.data_type
    }

    /// A run of memory, by its place in the image; without a type it is digits.
    pub(in crate::commands::exec) fn of_buffer(
        name: String,
        range: Range<usize>,
        data_type: Option<DataType>,
    ) -> Self {
        let (room, step) = (range.end, data_type.map_or(4, DataType::size));
        Self { name, columns: Vec::new(), range, room, step, data_type, is_words: false }
    }

    /// Its bytes as hexadecimal digits, for the JSON interface.
    pub(in crate::commands::exec) fn hex(&self, image: &[u8]) -> (String, serde_json::Value) {
        (self.name.clone(), output::hex(&image[self.range.clone()]).into())
    }

    /// Adds their values to a line of CSV.
    pub(super) fn print(&self, image: &[u8], line: &mut String) {
        let bytes = &image[self.range.clone()];
        let Some(data_type) = self.data_type else {
            line.push(',');
            if self.is_words {
                bytes.chunks(4).for_each(|word| *line += &format!("{:08x}", bits(word)));
            } else {
                line.push_str(&output::hex(bytes));
            }
            return;
        };
        for element in bytes.chunks_exact(self.step) {
            line.push(',');
            line.push_str(&text(data_type, &element[..data_type.size()]));
        }
    }

    /// The name and the values of each, for the JSON interface.
    pub(in crate::commands::exec) fn json(&self, image: &[u8]) -> (String, serde_json::Value) {
        let values: Vec<_> = self.values(image).map(|(_, value)| value).collect();
        (self.name.clone(), values.into())
    }

    /// Lines for people: digits, and the numbers that they are below or beside them.
    pub(in crate::commands::exec) fn text(&self, image: &[u8]) -> String {
        let values: Vec<_> = self.values(image).collect();
        if self.is_words { self.runs(&values) } else { self.lines(&values) }
    }

    /// As many elements as a line has room for, and their numbers below.
    fn lines(&self, values: &[(String, String)]) -> String {
        let widest = values.iter().map(|(digits, number)| digits.len().max(number.len()));
        let width = widest.max().unwrap_or_default().max(2) + 1;
        let room = (LINE / width).max(1);
        let margin = (self.name.len() + 1).max(8);
        let mut text = String::new();
        for (line, values) in values.chunks(1 << room.ilog2()).enumerate() {
            let heading = if line == 0 { self.name.as_str() } else { "" };
            let row = |cell: fn(&(String, String)) -> &str| {
                let cells = values.iter().map(|value| format!("{:<width$}", cell(value)));
                cells.collect::<String>().trim_end().to_owned()
            };
            text += &format!("{heading:<margin$}{}\n", row(|(digits, _)| digits));
            text += &format!("{:<margin$}{}\n", "", row(|(_, number)| number));
        }
        text
    }

    /// A line for each run of pixels that have the same.
    fn runs(&self, values: &[(String, String)]) -> String {
        let (mut text, mut first) = (String::new(), 0);
        for run in values.chunk_by(|a, b| a == b) {
            let last = first + run.len() - 1;
            let pixels = match () {
                () if run.len() == values.len() => String::new(),
                () if first == last => format!(" [{first}]"),
                () => format!(" [{first}..{last}]"),
            };
            let (digits, number) = &run[0];
            text += &match self.data_type {
                Some(_) => format!("{}{pixels}: {digits}  ({number})\n", self.name),
                None => format!("{}{pixels}: {digits}\n", self.name),
            };
            first = last + 1;
        }
        text
    }

    /// Each element as digits and as a number; of words without a type only digits.
    fn values(&self, image: &[u8]) -> impl Iterator<Item = (String, String)> {
        let data_type = self.data_type;
        let size = data_type.map_or(4, DataType::size);
        let step = data_type.map_or(4, |_| self.step);
        image[self.range.clone()].chunks_exact(step).map(move |bytes| {
            let bytes = &bytes[..size];
            let digits = format!("{:0w$x}", bits(bytes), w = 2 * size);
            let number = data_type.map_or(digits.clone(), |data_type| text(data_type, bytes));
            (digits, number)
        })
    }

    /// About as many characters as their values take.
    pub(super) fn characters(&self) -> usize {
        // A byte as hex digits or as part of a float; one by itself has three digits, a sign and a comma.
        self.range.len() * if self.data_type.is_some_and(|of| of.size() == 1) { 5 } else { 4 }
    }

    /// How many elements there are from the first on, whatever register they are in.
    pub(super) fn reach(&self) -> usize {
        let step = self.data_type.map_or(1, |_| self.step);
        (self.room - self.range.start) / step
    }

    /// Why their values are no light, if they are not.
    pub(super) fn no_light(&self) -> Option<&'static str> {
        match self.data_type {
            None => Some("say what type its values have, as in r10:f or r10:ud"),
            Some(_) => None,
        }
    }

    /// The light of a channel: 0 to 255 as integers are, 0.0 to 1.0 of floats; what is darker or lighter is
    /// black or white.
    pub(super) fn light(&self, image: &[u8], channel: usize) -> u8 {
        let Some(data_type) = self.data_type else { return 0 };
        let at = self.range.start + channel * self.step;
        let bits = bits(&image[at..at + data_type.size()]);
        let share = match data_type {
            DataType::F => f64::from(f32::from_bits(bits as u32)) * 255.0,
            DataType::Df => f64::from_bits(bits) * 255.0,
            DataType::Hf => f16::from_bits(bits as u16).to_f64() * 255.0,
            _ => integer(data_type, bits) as f64,
        };
        // NaN is black.
        share.round() as u8
    }
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// The number that bits of an integer type are.
fn integer(data_type: DataType, bits: u64) -> i128 {
    if !data_type.is_signed_integer() {
        return bits.into();
    }
    let unused = 64 - 8 * data_type.size() as u32;
    i128::from((bits << unused).cast_signed() >> unused)
}

/// A value as `--set` takes it.
pub(crate) fn text(data_type: DataType, bytes: &[u8]) -> String {
    let bits = bits(bytes);
    match data_type {
        DataType::F if !f32::from_bits(bits as u32).is_nan() => {
            format!("{:?}", f32::from_bits(bits as u32))
        }
        DataType::Df if !f64::from_bits(bits).is_nan() => format!("{:?}", f64::from_bits(bits)),
        DataType::Hf if !f16::from_bits(bits as u16).is_nan() => {
            format!("{:?}", f16::from_bits(bits as u16).to_f32())
        }
        _ if data_type.is_float() => format!("0x{bits:0w$x}", w = 2 * bytes.len()),
        _ => integer(data_type, bits).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn elements(data_type: Option<DataType>) -> Elements {
        let name = data_type.map_or("r4".to_owned(), |of| format!("r4:{}", of.suffix()));
        let step = data_type.map_or(1, DataType::size);
        Elements {
            name,
            columns: Vec::new(),
            range: 0..8,
            room: 16,
            step,
            data_type,
            is_words: false,
        }
    }

    #[rstest]
    #[case(None, ",0000c03f0000c07f")]
    #[case(Some(DataType::F), ",1.5,0x7fc00000")]
    #[case(Some(DataType::Hf), ",0.0,1.9375,0.0,0x7fc0")]
    #[case(Some(DataType::B), ",0,0,-64,63,0,0,-64,127")]
    #[case(Some(DataType::Uw), ",0,16320,0,32704")]
    #[case(Some(DataType::Df), ",2.247116952239408e307")]
    #[case(Some(DataType::Q), ",9205357639414841344")]
    fn values_are_written_as_they_are_set(#[case] data_type: Option<DataType>, #[case] line: &str) {
        let image = [1.5_f32.to_le_bytes(), f32::NAN.to_le_bytes()].concat();
        let mut printed = String::new();
        elements(data_type).print(&image, &mut printed);
        assert_eq!(printed, line);
    }

    #[rstest]
    #[case(DataType::F, "r4:f    3fc00000   7fc00000\n        1.5        0x7fc00000\n")]
    #[case(
        DataType::Hf,
        "r4:hf   0000   3fc0   0000   7fc0\n        0.0    1.9375 0.0    0x7fc0\n"
    )]
    #[case(
        DataType::B,
        "r4:b    00  00  c0  3f  00  00  c0  7f\n        0   0   -64 63  0   0   -64 127\n"
    )]
    fn numbers_stand_below_digits(#[case] data_type: DataType, #[case] lines: &str) {
        let image = [1.5_f32.to_le_bytes(), f32::NAN.to_le_bytes()].concat();
        assert_eq!(elements(Some(data_type)).text(&image), lines);
    }

    #[test]
    fn runs_of_pixels_are_lines() {
        let image: Vec<u8> = [7_i32, 7, 7, -1].iter().flat_map(|word| word.to_le_bytes()).collect();
        let name = "R0.x:d".to_owned();
        let elements =
            Elements { name, range: 0..16, is_words: true, ..elements(Some(DataType::D)) };
        let expected = "R0.x:d [0..2]: 00000007  (7)\nR0.x:d [3]: ffffffff  (-1)\n";
        assert_eq!(elements.text(&image), expected);
    }

    #[rstest]
    #[case(DataType::F, [0.0_f32, 1.0, 0.5, -3.0].map(f32::to_bits), [0, 255, 128, 0])]
    #[case(DataType::F, [2.0_f32, f32::INFINITY, f32::NAN, 0.1].map(f32::to_bits), [255, 255, 0, 26])]
    #[case(DataType::D, [-1_i32, 255, 256, 7].map(i32::cast_unsigned), [0, 255, 255, 7])]
    #[case(DataType::Ud, [u32::MAX, 1, 0, 200], [255, 1, 0, 200])]
    fn values_are_light(
        #[case] data_type: DataType,
        #[case] words: [u32; 4],
        #[case] light: [u8; 4],
    ) {
        let image: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let elements = elements(Some(data_type));
        assert_eq!([0, 1, 2, 3].map(|channel| elements.light(&image, channel)), light);
        assert_eq!(elements.reach(), 4);
    }
}
