//! What was run: when, where, with which program.

use std::{env, fs, thread, time::SystemTime};

use serde::{Deserialize, Serialize};

use crate::output::quoted;

/// The circumstances of a campaign. They change nothing of what it comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ran {
    /// When it ended: the date and time in UTC.
    pub(crate) date: String,
    /// Operating system and architecture.
    pub(crate) host: String,
    /// The processor, as the system calls it.
    pub(crate) processor: String,
    /// Threads that the processor runs at a time.
    pub(crate) threads: u64,
    /// The command, with its arguments.
    pub(crate) command: String,
    /// The program's version.
    pub(crate) version: String,
    /// The commit that the program was made of, if that was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<String>,
}

impl Ran {
    /// Those of this process, now.
    pub(crate) fn here() -> Self {
        let arguments = env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
        Self {
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
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

/// What Linux says of the first processor.
fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let names = text.lines().filter_map(|line| line.split_once(':'));
    let mut names = names.filter(|(key, _)| key.trim() == "model name");
    names.next().map(|(_, name)| name.trim().to_owned())
}
