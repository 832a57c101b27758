//! `--set` and `--const`: how values are written, whatever the device.

use half::f16;
use parallax_isa::eu::DataType;

use crate::output::brief;

/// How `--set` is written, for the help text.
pub(crate) const HELP: &str = "\
REGISTER=VALUE,VALUE,… or REGISTER:TYPE=VALUE,VALUE,…, on every device. The values go to the elements from the \
first on; elements that get none keep theirs. On execution units they may run over into the following registers. \
On rv770 R0=X,Y,Z,W sets the elements of all pixels, R0.x=VALUE one of all pixels, and R0.x=VALUE,VALUE,… that of \
the first pixels.

Values are integers (7, -3), floats (1.0, 2.5f; with a type inf and nan too) and bit patterns (0x1f).

TYPE is ub, b, uw, w, ud, d or f, from Gen7 on df, from Gen8 on uq, q and hf; on rv770 f, d or ud. Without one \
the elements are those of the register: 32 bits of r and m registers, memory and rv770, 16 bits of a0 and flags. A \
subregister number counts elements of the type (r3.4:uw=0x10).

Hexadecimal digits without 0x are all of a register: 64 of them are the bytes of r2 in memory order, 32 the words \
of R0. Words of eight digits are elements of 32 bits (3f800000,40000000) if a letter in one of them shows that they are \
hexadecimal. Without a letter, as in 40000000 alone, they could as well be decimal and are refused: write \
0x40000000, or give a type, with which 40000000 is decimal. On rv770 words may be run together.

Accumulator channels hold integers sign-extended to 64 bits, and floats as the device does: in binary64 before \
Gen7, from there on f in 32 bits, df in 64 and hf in 16.";

/// How constants are written, for the help text.
pub(crate) const CONSTANTS: &str = "\
Constants of an R700 program; may be given several times. KC0=VALUES to KC15=VALUES fill a constant \
buffer, C=VALUES the constant file, both x, y, z, w of the first constant first; \
I0=COUNT,INITIAL,INCREMENT to I31 are loop constants in decimal; B=HEX are the boolean constants, a \
bit each. Values are written as for --set, and KC0:TYPE=VALUES gives their type.";

/// What values without a type may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Untyped {
    /// Bytes of an element.
    pub(crate) element: usize,
    /// Floats that an element holds, if a value may be one.
    pub(crate) float: Option<DataType>,
    /// Whether eight hexadecimal digits may be an element.
    pub(crate) words: bool,
    /// Whether such words may be run together.
    pub(crate) run_together: bool,
}

/// The values of a list, which commas divide, and blanks.
pub(crate) fn items(list: &str) -> Vec<&str> {
    let mut items = Vec::new();
    for part in list.split(',') {
        let before = items.len();
        items.extend(part.split_whitespace());
        if items.len() == before {
            items.push("");
        }
    }
    items
}

/// Whether a text is hexadecimal digits only.
pub(crate) fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Untyped {
    /// The bytes of values without a type, for elements of `target`, which stands before the equals sign.
    ///
    /// # Errors
    /// If one is no value, or has two readings: a sentence.
    pub(crate) fn bytes(&self, items: &[&str], target: &str) -> Result<Vec<u8>, String> {
        let is_words = |item: &&&str| self.is_words(item);
        let is_hex_only = |item: &&str| self.is_words(item) && self.decimal(item).is_none();
        let shows_hex = items.iter().any(is_hex_only);
        if shows_hex && let Some(other) = items.iter().find(|item| !is_words(item)) {
            return Err(format!(
                "`{}` stands beside words of eight hexadecimal digits; give all values as such words, or with 0x",
                brief(other)
            ));
        }
        let mut bytes = Vec::new();
        for item in items {
            if !self.is_words(item) {
                bytes.extend(self.number(item).ok_or_else(|| self.no_value(item))?);
                continue;
            }
            let words = words(item);
            if let Some(decimal) = self.decimal(item)
                && !shows_hex
                && decimal != words
            {
                return Err(format!(
                    "`{item}` is a decimal number or hexadecimal digits: write {target}:ud={item} for the one, \
                     0x{item} for the other"
                ));
            }
            bytes.extend(words);
        }
        Ok(bytes)
    }

    fn is_words(&self, item: &str) -> bool {
        let is_length = item.len() == 8 || self.run_together && item.len().is_multiple_of(8);
        self.words && is_hex(item) && is_length
    }

    /// What hexadecimal digits are as a decimal number, if they may be one.
    fn decimal(&self, digits: &str) -> Option<Vec<u8>> {
        integer(digits, self.element)
            .ok()
            .filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// A value as it stands: an integer, a bit pattern or a float.
    fn number(&self, item: &str) -> Option<Vec<u8>> {
        if let Ok(bytes) = integer(item, self.element) {
            return Some(bytes);
        }
        let looks_like_float = item.contains('.')
            || item.ends_with('f')
            || item.contains(['e', 'E']) && !item.starts_with("0x");
        let has_digit = item.bytes().any(|byte| byte.is_ascii_digit());
        let float =
            self.float.filter(|_| looks_like_float && has_digit && !item.starts_with("0x"))?;
        let bytes = typed(item, float).ok()?;
        Some([bytes, vec![0; 8]].concat()[..self.element].to_vec())
    }

    fn no_value(&self, item: &str) -> String {
        let is_integer = match item.strip_prefix("0x") {
            Some(digits) => is_hex(digits),
            None => item.parse::<i128>().is_ok(),
        };
        if is_integer && let Err(error) = integer(item, self.element) {
            return error;
        }
        let bits = 8 * self.element;
        let shown = brief(item);
        if is_hex(item) {
            return format!(
                "`{shown}` is no decimal number, and hexadecimal digits have 0x before them unless they are all of \
                 the register: 0x{shown}"
            );
        }
        let floats = if self.float.is_some() { ", a float (1.0, 2.5f)" } else { "" };
        let words = if self.words { " or words of eight hex digits (3f800000)" } else { "" };
        format!(
            "`{shown}` is no value of {bits} bits: expected an integer (7, -3, 0x1f){floats}{words}"
        )
    }
}

/// Words of eight hexadecimal digits, as bytes in memory order.
fn words(digits: &str) -> Vec<u8> {
    let word = |start: usize| u32::from_str_radix(&digits[start..start + 8], 16);
    let words = (0..digits.len()).step_by(8).map(word);
    words.flat_map(|word| word.expect("eight hexadecimal digits").to_le_bytes()).collect()
}

/// One value of a type, as bytes in memory order.
///
/// # Errors
/// If it is none: a sentence.
pub(crate) fn typed(item: &str, data_type: DataType) -> Result<Vec<u8>, String> {
    if !data_type.is_float() || item.starts_with("0x") {
        let bytes = integer(item, data_type.size())?;
        if item.starts_with('-') && !data_type.is_signed_integer() {
            return Err(format!("{item} is negative, :{} is unsigned", data_type.suffix()));
        }
        return Ok(bytes);
    }
    // "inf" ends in f, "1.0f" in a suffix.
    let digits = if item.ends_with("inf") { item } else { item.trim_end_matches('f') };
    let wide: f64 = digits.parse().map_err(|_| no_number(item))?;
    if data_type == DataType::Hf {
        let value = f16::from_f64(wide);
        if value.is_infinite() && !item.contains("inf") {
            return Err(format!("{item} is beyond the largest half float, 65504"));
        }
        return Ok(value.to_le_bytes().to_vec());
    }
    if data_type == DataType::Df {
        return Ok(wide.to_le_bytes().to_vec());
    }
    let value: f32 = digits.parse().map_err(|_| no_number(item))?;
    if value.is_infinite() && !item.contains("inf") {
        return Err(format!("{item} is beyond the largest float, 3.4028235e38"));
    }
    Ok(value.to_le_bytes().to_vec())
}

/// An integer as `size` bytes in memory order; positive ones may use all bits.
///
/// # Errors
/// If it is none: a sentence.
pub(crate) fn integer(item: &str, size: usize) -> Result<Vec<u8>, String> {
    let parsed = match item.strip_prefix("0x") {
        Some(hex) if !hex.starts_with(['+', '-']) => i128::from_str_radix(hex, 16),
        Some(_) => return Err(no_number(item)),
        None => item.parse(),
    };
    let value = parsed.map_err(|_| no_number(item))?;
    let bits = 8 * size;
    if value < -(1 << (bits - 1)) || value >= 1 << bits {
        return Err(format!("{item} does not fit into {bits} bits"));
    }
    Ok(value.to_le_bytes()[..size].to_vec())
}

fn no_number(item: &str) -> String {
    let shown = brief(item);
    match is_hex(item) {
        true => format!(
            "`{shown}` is no decimal number; hexadecimal digits have 0x before them: 0x{shown}"
        ),
        false => format!("`{shown}` is no number"),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const WORDS: Untyped =
        Untyped { element: 4, float: Some(DataType::F), words: true, run_together: true };

    #[rstest]
    #[case("1,2", &[1, 2])]
    #[case("1", &[1])]
    #[case("1 -1,0x10", &[1, u32::MAX, 16])]
    #[case("1.5,2f,1e3", &[0x3FC0_0000, 0x4000_0000, 0x447A_0000])]
    #[case("3f800000", &[0x3F80_0000])]
    // A letter shows what the others are.
    #[case("40000000,3f800000", &[0x4000_0000, 0x3F80_0000])]
    #[case("000003e8", &[1000])]
    // Both readings are one.
    #[case("00000000,00000007", &[0, 7])]
    // More than 32 bits as a decimal number.
    #[case("4000000041000000", &[0x4000_0000, 0x4100_0000])]
    #[case("0x76987961", &[0x7698_7961])]
    fn values_without_a_type(#[case] list: &str, #[case] expected: &[u32]) {
        let bytes = WORDS.bytes(&items(list), "r2").expect("values");
        let expected: Vec<_> = expected.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(bytes, expected);
    }

    #[rstest]
    #[case("76987961", "R0.y:ud=76987961 for the one, 0x76987961 for the other")]
    #[case("40900000,41900000", "`40900000` is a decimal number or hexadecimal digits")]
    #[case("00000010", "`00000010` is a decimal number or hexadecimal digits")]
    #[case("0000001000000020", "is a decimal number or hexadecimal digits")]
    #[case("3f800000,1", "`1` stands beside words")]
    #[case("dead", "hexadecimal digits have 0x before them")]
    #[case("0x1ffffffff", "does not fit into 32 bits")]
    #[case("5000000000", "does not fit into 32 bits")]
    #[case("1,,2", "`` is no value of 32 bits")]
    #[case("inf", "`inf` is no value of 32 bits")]
    fn mistakes_are_explained(#[case] list: &str, #[case] part: &str) {
        let message = WORDS.bytes(&items(list), "R0.y").expect_err("a mistake");
        assert!(message.contains(part), "{message}");
    }
}
