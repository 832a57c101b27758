//! `parallax config`: the settings in force.

use std::{ffi::OsString, path::PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::run;
use crate::{
    failure::{Ending, Failure},
    output::{self, Table},
    settings::{KEYS, Settings},
};

/// Print the settings of `parallax run` and where each comes from
///
/// They come from the command line, from parallax.toml in this folder or the nearest one above it, or are defaults.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax config
  parallax config --json
  parallax config -- --device g45 --time 10s")]
pub(crate) struct Arguments {
    /// File of settings, instead of parallax.toml in this folder or one above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Options of `parallax run` that are to be taken into account
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<OsString>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON interface.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json {
    /// The file of settings; null if there is none.
    file: Option<String>,
    /// The settings in force.
    settings: Vec<Entry>,
}

/// A setting in force.
#[derive(Serialize, JsonSchema)]
struct Entry {
    /// Name of the setting.
    key: &'static str,
    /// Its value.
    value: String,
    /// Where the value comes from.
    source: Source,
    /// Line of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

/// Where a setting comes from.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Source {
    /// An option.
    CommandLine,
    /// The file of settings.
    File,
    /// Neither.
    Default,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let file = self.config.iter().flat_map(|path| ["--config".into(), path.into()]);
        let words = [OsString::from("run")].into_iter().chain(file).chain(self.options);
        let given = run::Arguments::command().try_get_matches_from(words).map_err(|error| {
            let text = error.render().to_string();
            Failure::input(text.trim().trim_start_matches("error: ").to_owned())
        })?;
        let settings = Settings::of_command(&given, run::Arguments::command)?;
        let entry = |key: &'static crate::settings::Key| {
            let name = key.name;
            if let Some(value) = key.on_command_line(&given) {
                return Entry { key: name, value, source: Source::CommandLine, line: None };
            }
            match settings.as_ref().and_then(|settings| settings.get(key, &given)) {
                Some(setting) => Entry {
                    key: name,
                    value: setting.text(),
                    source: Source::File,
                    line: Some(setting.line),
                },
                None => {
                    let value = key.default.to_owned();
                    Entry { key: name, value, source: Source::Default, line: None }
                }
            }
        };
        let entries = KEYS.iter().map(entry).collect();
        let file = settings.as_ref().map(|settings| settings.path.display().to_string());
        let json = Json { file, settings: entries };
        if self.json {
            output::print_json(&json);
        } else {
            json.print();
        }
        Ok(Ending::Success)
    }
}

impl Json {
    fn print(&self) {
        let mut table = Table::new(&["setting", "value", "from"]);
        for Entry { key, value, source, line } in &self.settings {
            let from = match source {
                Source::CommandLine => format!("command line, --{key}"),
                Source::Default => "default".to_owned(),
                Source::File => {
                    let file = self.file.as_deref().unwrap_or_default();
                    format!("{file}, line {}, {key}", line.unwrap_or_default())
                }
            };
            table.row([(*key).to_owned(), value.clone(), from]);
        }
        output::print(table);
    }
}
