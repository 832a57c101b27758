//! 32-bit words as people write them.

/// Whether a text is whole 32-bit words of eight hex digits.
#[must_use]
fn is_words(digits: &str) -> bool {
    let digits = digits.as_bytes();
    !digits.is_empty() && digits.len().is_multiple_of(8) && digits.iter().all(u8::is_ascii_hexdigit)
}

/// 32-bit words of eight hex digits, between commas or blanks or run together.
///
/// # Errors
/// If it has something else: what, in a sentence.
pub fn words(text: &str) -> Result<Vec<u32>, String> {
    let mut words = Vec::new();
    for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
        let digits = part.strip_prefix("0x").unwrap_or(part);
        if !is_words(digits) {
            let part = brief(part);
            return Err(format!("`{part}` is not a number of words of eight hex digits"));
        }
        for start in (0..digits.len()).step_by(8) {
            let word = u32::from_str_radix(&digits[start..start + 8], 16);
            words.push(word.map_err(|error| error.to_string())?);
        }
    }
    Ok(words)
}

/// An argument, cut where it gets long.
#[must_use]
pub fn brief(argument: &str) -> String {
    match argument.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &argument[..end]),
        None => argument.to_owned(),
    }
}
