//! The steps of two runs side by side, aligned by what they write.

use parallax_lockstep::{
    elements::Written,
    equivalence::Comparable,
    registry::{ShownStep, shown_steps},
    subject::NEXT_INSTRUCTION,
    trace::Trace,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::output::Table;

/// Steps of each run that are aligned: the first.
const MOST: usize = 500;
/// Rows that are shown to people.
const LISTED: usize = 40;
/// Rows before the first one that differs that are shown to people.
const CONTEXT: usize = 3;

/// A step of either program, or one of both that write alike.
#[derive(Serialize, JsonSchema)]
pub(super) struct Row {
    /// Both steps write the same values.
    same: bool,
    /// The step of the first program.
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<StepJson>,
    /// The step of the second program.
    #[serde(skip_serializing_if = "Option::is_none")]
    second: Option<StepJson>,
}

/// A step, and what it changes.
#[derive(Serialize, JsonSchema, Clone)]
struct StepJson {
    /// Its number, from 0.
    step: u64,
    /// The instruction.
    instruction: String,
    /// The elements that it changes: a name, and a number of its type with hexadecimal digits.
    writes: Vec<(String, String)>,
}

impl StepJson {
    fn of((number, step): (usize, ShownStep)) -> Self {
        let is_result = |written: &Written| !NEXT_INSTRUCTION.contains(&&*written.place);
        let written = step.elements.into_iter().filter(is_result);
        Self {
            step: number as u64,
            instruction: step.instruction,
            writes: written.map(|written| (written.place, written.after)).collect(),
        }
    }

    /// Whether a step of the other program writes the same values, wherever.
    fn writes_values_of(&self, other: &Self) -> bool {
        self.writes.iter().map(|(_, value)| value).eq(other.writes.iter().map(|(_, value)| value))
    }

    /// Whether it writes to the same places.
    fn writes_places_of(&self, other: &Self) -> bool {
        self.writes.iter().map(|(place, _)| place).eq(other.writes.iter().map(|(place, _)| place))
    }

    /// How well a step of the other program fits: 0 if it does not. Places count more than values: many a value is 0.
    fn fits(&self, other: &Self) -> u32 {
        match self.writes.is_empty() && other.writes.is_empty() {
            true => 2 * u32::from(self.instruction == other.instruction),
            false => {
                3 * u32::from(self.writes_places_of(other))
                    + 2 * u32::from(self.writes_values_of(other))
            }
        }
    }

    /// The instruction, and below it what it writes.
    fn cells(&self) -> [String; 2] {
        let written = match &*self.writes {
            [] => String::new(),
            [(place, value)] => format!("     {place} = {value}"),
            [(place, value), more @ ..] => {
                format!("     {place} = {value} and {} more", more.len())
            }
        };
        [format!("{:>3}: {}", self.step, self.instruction), written]
    }
}

/// The steps of two runs, in order. Steps that write the same values stand side by side; of the others those that
/// write to the same places.
pub(super) fn side_by_side<M: Comparable>(traces: [Trace<M>; 2]) -> Vec<Row> {
    let steps = |trace| -> Vec<StepJson> {
        let steps = shown_steps::<M>(trace).into_iter().flatten();
        steps.take(MOST).enumerate().map(StepJson::of).collect()
    };
    let [first, second] = traces.map(steps);
    let fits = |n: usize, k: usize| first[n].fits(&second[k]);
    // What the steps from n and k on come to at best.
    let mut best = vec![vec![0; second.len() + 1]; first.len() + 1];
    for n in (0..first.len()).rev() {
        for k in (0..second.len()).rev() {
            let apart = best[n + 1][k].max(best[n][k + 1]);
            let fit = fits(n, k);
            let together = if fit > 0 { best[n + 1][k + 1] + fit } else { 0 };
            best[n][k] = apart.max(together);
        }
    }
    let (mut n, mut k, mut rows) = (0, 0, Vec::new());
    while n < first.len() || k < second.len() {
        let both = n < first.len() && k < second.len();
        let fit = if both { fits(n, k) } else { 0 };
        let is_pair = fit > 0 && best[n][k] == best[n + 1][k + 1] + fit;
        let is_first =
            is_pair || k == second.len() || n < first.len() && best[n][k] == best[n + 1][k];
        let first = first.get(n).filter(|_| is_first);
        let second = second.get(k).filter(|_| is_pair || !is_first);
        n += usize::from(first.is_some());
        k += usize::from(second.is_some());
        let same = first.zip(second).is_some_and(|(first, second)| first.writes_values_of(second));
        rows.push(Row { same, first: first.cloned(), second: second.cloned() });
    }
    rows
}

/// Rows for people, from a little before the first that differs.
pub(super) fn text(rows: &[Row]) -> String {
    let first = rows.iter().position(|row| !row.same).unwrap_or(0);
    let skipped = first.saturating_sub(CONTEXT);
    let mut table = Table::new(&["", "first", "second"]);
    for row in rows.iter().skip(skipped).take(LISTED) {
        let mark = match (row.same, &row.first, &row.second) {
            (true, ..) => "=",
            (false, Some(_), Some(_)) => "|",
            (false, Some(_), None) => "<",
            (false, None, _) => ">",
        };
        let cells =
            |step: &Option<StepJson>| step.as_ref().map(StepJson::cells).unwrap_or_default();
        let ([a, a_writes], [b, b_writes]) = (cells(&row.first), cells(&row.second));
        table.row([mark.to_owned(), a, b]);
        if !(a_writes.is_empty() && b_writes.is_empty()) {
            table.row([String::new(), a_writes, b_writes]);
        }
    }
    let mut text =
        "the steps: = both write the same values, | others, < > only one of them\n".to_owned();
    if skipped > 0 {
        text += &format!("{skipped} rows above are the same\n");
    }
    text += &table.to_string();
    match rows.len().saturating_sub(skipped + LISTED) {
        0 => text,
        more => format!("{text}\nand {more} more rows, with --json"),
    }
}
