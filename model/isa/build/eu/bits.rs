//! Runs of bits as the tables print them.

/// A run of neighbouring bits, both ends included: `(high, low)`.
pub(super) type Run = (u8, u8);

/// Reads `95+72:64`: runs with the most significant first. `None` for anything else.
pub(super) fn runs(text: &str) -> Option<Vec<Run>> {
    text.split(['+', ',']).map(run).collect()
}

/// Reads `72:64` or `95`.
pub(super) fn run(text: &str) -> Option<Run> {
    let (high, low) = text.split_once(':').unwrap_or((text, text));
    let (high, low) = (high.trim().parse().ok()?, low.trim().parse().ok()?);
    (low <= high).then_some((high, low))
}

/// The runs as a slice of `Bits` in Rust.
pub(super) fn source(runs: &[Run]) -> String {
    let runs = runs.iter().map(|(high, low)| format!("Bits {{ high: {high}, low: {low} }}, "));
    format!("&[{}]", runs.collect::<String>())
}
