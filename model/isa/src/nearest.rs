//! Suggestions for mistyped words.

/// Longest word that is looked at, in letters: no word of ours is longer.
const LONGEST: usize = 64;

/// The entry of a list of words that a word most likely was meant to be, if any is near. Capitals do
/// not count. Of two that are as near, one that begins the word or begins with it is meant: who writes
/// `ad` has left something out of `add`.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().take(LONGEST + 1).collect();
    if word.len() > LONGEST {
        return None;
    }
    let limit = if word.len() <= 5 { 1 } else { 2 };
    let near = known.into_iter().filter_map(|entry| {
        let letters: Vec<char> = entry.to_lowercase().chars().collect();
        if word.len().abs_diff(letters.len()) > limit {
            return None;
        }
        let distance = distance(&word, &letters);
        let begins = letters.starts_with(&word) || word.starts_with(&letters);
        (distance <= limit).then_some(((distance, !begins), entry))
    });
    near.min_by_key(|(rank, _)| *rank).map(|(_, entry)| entry)
}

/// Edits (insertions, deletions, changes, exchanges of neighbours) between two words.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let above = &rows[i - 1];
            let changed = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut edits = changed.min(row[j - 1] + 1).min(above[j] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                edits = edits.min(rows[i - 2][j - 2] + 1);
            }
            row.push(edits);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found() {
        assert_eq!(nearest("ad", ["and", "add", "mov"]), Some("add"));
        assert_eq!(nearest("MOVE", ["MOVA", "MOV"]), Some("MOV"));
        assert_eq!(nearest("mvo", ["add", "mov"]), Some("mov"));
        assert_eq!(nearest("NoMsk", ["NoMask", "NoDDChk"]), Some("NoMask"));
        assert_eq!(nearest("frobnicate", ["add", "and"]), None);
        assert_eq!(nearest(&"a".repeat(1 << 20), ["add", "and"]), None);
    }
}
