//! Machine code as hexadecimal text.

/// Longest machine code that is read, in bytes.
pub const LARGEST: usize = 16 << 20;

/// Text that is not machine code in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct HexError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong there and what was expected.
    pub message: String,
}

/// The bytes that a hexadecimal text stands for.
///
/// The text is a sequence of numbers between blanks, commas, braces and line ends: bytes in memory
/// order (2 digits each, or run together for 8 bytes or a multiple of them, which are instructions),
/// or doublewords (8 digits, with or without `0x`, most significant digit first, stored
/// little-endian). A comment reaches from `#`, `;` or `//` to the end of the line.
///
/// # Errors
/// At the first thing that is neither, or if there are more than [`LARGEST`] bytes.
pub fn parse(text: &str) -> Result<Vec<u8>, HexError> {
    let mut bytes = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let at = |place: usize, message| HexError {
            line: index + 1,
            column: line[..place].chars().count() + 1,
            message,
        };
        for (place, word) in words(uncommented(line)) {
            append(&mut bytes, word).map_err(|message| at(place, message))?;
            if bytes.len() > LARGEST {
                return Err(at(place, format!("the program is longer than {LARGEST} bytes")));
            }
        }
    }
    Ok(bytes)
}

/// Whether every line of a text could be hexadecimal machine code, and at least one is: tells
/// such a text from assembly and from raw machine code.
#[must_use]
pub fn looks_like_hex(source: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(source) else { return false };
    let mut words = text.lines().flat_map(|line| words(uncommented(line))).peekable();
    words.peek().is_some()
        && words.all(|(_, word)| digits(word).bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn uncommented(line: &str) -> &str {
    let ends = ["#", ";", "//"].iter().filter_map(|mark| line.find(mark));
    &line[..ends.min().unwrap_or(line.len())]
}

/// The words of a line with the bytes they start at.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let separates = |c: char| c.is_whitespace() || [',', '{', '}'].contains(&c);
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(separates);
        if rest.is_empty() {
            return None;
        }
        let place = line.len() - rest.len();
        let end = rest.find(separates).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        Some((place, word))
    })
}

fn digits(word: &str) -> &str {
    word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word)
}

fn append(bytes: &mut Vec<u8>, word: &str) -> Result<(), String> {
    let digits = digits(word);
    if let Some(wrong) = digits.chars().find(|digit| !digit.is_ascii_hexdigit()) {
        return Err(format!("`{wrong}` in `{}` is not a hexadecimal digit", shortened(word)));
    }
    let prefixed = digits.len() != word.len();
    match digits.len() {
        8 => {
            let value = u32::from_str_radix(digits, 16).map_err(|error| error.to_string())?;
            bytes.extend(value.to_le_bytes());
        }
        count if !prefixed && (count == 2 || count > 0 && count.is_multiple_of(16)) => {
            let pairs = (0..digits.len()).step_by(2).map(|start| &digits[start..start + 2]);
            for pair in pairs {
                bytes.push(u8::from_str_radix(pair, 16).map_err(|error| error.to_string())?);
            }
        }
        count => {
            let expected = match prefixed {
                true => "expected 8 behind 0x (a doubleword)",
                false => {
                    "expected 2 (a byte), 8 (a doubleword), or a multiple of 16 (whole \
                     instructions, bytes in memory order)"
                }
            };
            return Err(format!("`{}` has {count} digits; {expected}", shortened(word)));
        }
    }
    Ok(())
}

/// The start of a word, for messages.
fn shortened(word: &str) -> String {
    if word.chars().count() <= 40 {
        return word.to_owned();
    }
    word.chars().take(40).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("", &[])]
    #[case("\n # nothing\n\n", &[])]
    #[case("012603e0050c0600", &[0x01, 0x26, 0x03, 0xE0, 0x05, 0x0C, 0x06, 0x00])]
    #[case(
        "0102030405060708090a0b0c0d0e0f101112131415161718",
        &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]
    )]
    #[case("  01 26\t03 e0 // four bytes\r\n", &[0x01, 0x26, 0x03, 0xE0])]
    #[case("{ 0xE0032601, 00060c05 }, ; two doublewords", &[0x01, 0x26, 0x03, 0xE0, 0x05, 0x0C, 0x06, 0x00])]
    fn numbers_become_bytes(#[case] text: &str, #[case] bytes: &[u8]) {
        assert_eq!(parse(text).as_deref(), Ok(bytes));
    }

    #[rstest]
    #[case("00000000\n  0000x000", 2, 3, "`x` in `0000x000` is not a hexadecimal digit")]
    #[case("# comment\n\n  ä00", 3, 3, "`ä` in `ä00` is not a hexadecimal digit")]
    #[case(
        "00 123",
        1,
        4,
        "`123` has 3 digits; expected 2 (a byte), 8 (a doubleword), or a multiple of 16 (whole \
         instructions, bytes in memory order)"
    )]
    #[case(
        "0x0123456789abcdef",
        1,
        1,
        "`0x0123456789abcdef` has 16 digits; expected 8 behind 0x (a doubleword)"
    )]
    fn errors_name_line_and_column(
        #[case] text: &str,
        #[case] line: usize,
        #[case] column: usize,
        #[case] message: &str,
    ) {
        assert_eq!(parse(text), Err(HexError { line, column, message: message.to_owned() }));
    }

    #[test]
    fn programs_have_a_largest_size() {
        let line = format!("{}\n", "00".repeat(16));
        let error = parse(&line.repeat(LARGEST / 16 + 1)).unwrap_err();
        assert_eq!((error.line, error.column), (LARGEST / 16 + 1, 1));
        assert_eq!(error.message, "the program is longer than 16777216 bytes");
    }

    #[rstest]
    #[case(b"012603e0050c0600\n", true)]
    #[case(b"# comment\n0x00000000, 0x00000001\n", true)]
    #[case(b"# comment\n", false)]
    #[case(b"add (8) r1:f r2:f r3:f\n", false)]
    #[case(&[0x01, 0x26, 0x03, 0xE0, 0x05, 0x0C, 0x06, 0x00], false)]
    fn hexadecimal_is_recognised(#[case] source: &[u8], #[case] expected: bool) {
        assert_eq!(looks_like_hex(source), expected);
    }
}
