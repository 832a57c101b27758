//! What was run: when, where, with which program.

use std::{
    env, fs, thread,
    time::{SystemTime, UNIX_EPOCH},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{invocation, output::quoted};

/// The circumstances of a campaign. They change nothing of what it comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Ran {
    /// When it ended: date and time in UTC.
    pub(crate) date: String,
    /// Operating system and architecture.
    pub(crate) host: String,
    /// The processor, as the system calls it.
    pub(crate) processor: String,
    /// Hardware threads of the processor.
    pub(crate) threads: u64,
    /// The command with its arguments.
    pub(crate) command: String,
    /// Version of the program.
    pub(crate) version: String,
    /// Commit that the program was built from, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<String>,
}

impl Ran {
    /// Those of this process, now.
    pub(crate) fn here() -> Self {
        let arguments = invocation::arguments().map(|word| quoted(&word.to_string_lossy()));
        Self {
            date: date(SystemTime::now()),
            host: format!("{} {}", env::consts::OS, env::consts::ARCH),
            processor: processor().unwrap_or_else(|| "unknown".to_owned()),
            threads: thread::available_parallelism().map_or(1, |number| number.get() as u64),
            command: ["parallax".to_owned()]
                .into_iter()
                .chain(arguments)
                .collect::<Vec<_>>()
                .join(" "),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: option_env!("PARALLAX_COMMIT").map(str::to_owned),
        }
    }
}

/// A time as a date in UTC; a clock that stands before 1970 or after 9999, for which there is none, is wrong.
fn date(time: SystemTime) -> String {
    let is_date = time.duration_since(UNIX_EPOCH).is_ok_and(|since| since.as_secs() <= LAST_SECOND);
    match is_date {
        true => humantime::format_rfc3339_seconds(time).to_string(),
        false => "unknown".to_owned(),
    }
}

/// The last second of the year 9999, since 1970.
const LAST_SECOND: u64 = 253_402_300_799;

/// What Linux says of the first processor.
fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let names = text.lines().filter_map(|line| line.split_once(':'));
    let mut names = names.filter(|(key, _)| key.trim() == "model name");
    names.next().map(|(_, name)| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn wrong_clocks_are_no_dates() {
        let second = Duration::from_secs(1);
        let last = UNIX_EPOCH + Duration::from_secs(LAST_SECOND);
        assert_eq!(date(UNIX_EPOCH), "1970-01-01T00:00:00Z");
        assert_eq!(date(last + second / 2), "9999-12-31T23:59:59Z");
        for wrong in [UNIX_EPOCH - second, last + second, last + 10_000 * second] {
            assert_eq!(date(wrong), "unknown");
        }
    }
}
