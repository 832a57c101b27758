//! Settings of `parallax run` in a file, `parallax.toml`: each key is an option of the command line, which wins.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use clap::{ArgMatches, Command, parser::ValueSource};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{failure::Failure, output::brief, selection, suggestion, suites, toml_file::TomlFile};

/// The name of the file that is looked for.
pub(crate) const FILE: &str = "parallax.toml";

/// A setting: an option of `run`.
#[derive(Debug)]
pub(crate) struct Key {
    /// Its name in the file, and with `--` before it on the command line.
    pub(crate) name: &'static str,
    kind: Kind,
    /// Checks that what a word of its value names exists.
    check: fn(&str) -> Result<(), Failure>,
    /// What holds without it, for people.
    pub(crate) default: &'static str,
    /// Whether a run that is resumed has it from its journal.
    is_recorded: bool,
}

/// What a value may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A string.
    Text,
    /// A string or a list of strings.
    List,
    /// A number, or a string that has a unit or another base.
    Number,
    /// A string: the name of a file that is there, from the folder of the settings.
    File,
    /// A string: the name of a folder, from the folder of the settings.
    Folder,
}

impl Kind {
    const fn expected(self) -> &'static str {
        match self {
            Self::Text | Self::File | Self::Folder => "a string",
            Self::List => "a string or a list of strings",
            Self::Number => "a number or a string",
        }
    }
}

const fn key(name: &'static str, kind: Kind, is_recorded: bool, default: &'static str) -> Key {
    Key { name, kind, check: |_| Ok(()), default, is_recorded }
}

/// A key that lists names of what a run is limited to.
const fn names(
    name: &'static str,
    check: fn(&str) -> Result<(), Failure>,
    default: &'static str,
) -> Key {
    Key { name, kind: Kind::List, check, default, is_recorded: true }
}

/// All of them.
pub(crate) static KEYS: [Key; 17] = [
    key("engine", Kind::Text, true, "executor"),
    key("device", Kind::List, true, "all"),
    names("suite", suites::check, "all"),
    names("exclude", suites::check, "none"),
    names("instruction", selection::check_instruction, "all"),
    names("rule", selection::check_rule, "all"),
    key("time", Kind::Number, true, "60s"),
    key("cases", Kind::Number, true, "no limit but the time"),
    key("seed", Kind::Number, true, "a new one each time"),
    key("jobs", Kind::Number, false, "one per processor"),
    key("engine-time", Kind::Text, false, "2s"),
    key("engine-memory", Kind::Number, false, "4096"),
    key("out", Kind::Folder, false, "target/parallax"),
    key("dut-name", Kind::Text, false, "what the engine calls itself"),
    key("dut-version", Kind::Text, false, "none"),
    key("waivers", Kind::File, false, "none"),
    key("minimum-coverage", Kind::Number, false, "none"),
];

/// The options that say how long a run is: one on the command line stands for all of the file.
const BOUNDS: [&str; 3] = ["time", "cases", "instructions"];

impl Key {
    /// The name of the argument in the parser.
    fn id(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Whether the command line decides it.
    fn is_decided_by(&self, given: &ArgMatches) -> bool {
        let is_bound = BOUNDS.contains(&self.name);
        is_given(given, &self.id())
            || is_bound && BOUNDS.iter().any(|bound| is_given(given, bound))
            || self.is_recorded && given.get_flag("resume")
    }

    /// What the command line says of it.
    pub(crate) fn on_command_line(&self, given: &ArgMatches) -> Option<String> {
        let id = self.id();
        let words = given.get_raw(&id).filter(|_| is_given(given, &id))?;
        let words: Vec<_> = words.map(|word| word.to_string_lossy().into_owned()).collect();
        Some(words.join(", "))
    }
}

fn is_given(given: &ArgMatches, id: &str) -> bool {
    given.value_source(id) == Some(ValueSource::CommandLine)
}

/// The settings of a file.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The file.
    pub(crate) path: PathBuf,
    values: Vec<Setting>,
}

/// A key of the file and its value.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) key: &'static Key,
    /// The line of the key, from 1.
    pub(crate) line: usize,
    values: Vec<OsString>,
}

impl Setting {
    /// The value for people.
    pub(crate) fn text(&self) -> String {
        let values: Vec<_> = self.values.iter().map(|value| value.to_string_lossy()).collect();
        values.join(", ")
    }

    /// The options that say the same on the command line.
    fn options(&self) -> impl Iterator<Item = OsString> {
        self.values.iter().map(|value| {
            let mut option = OsString::from(format!("--{}=", self.key.name));
            option.push(value);
            option
        })
    }
}

impl Settings {
    /// The settings that a command asks for: those of `--config`, of the nearest `parallax.toml`, or none. `run` has the
    /// options that they set.
    ///
    /// # Errors
    /// If the file cannot be read, or something in it is wrong: the line, the key, and what was expected.
    pub(crate) fn of_command(
        given: &ArgMatches,
        run: fn() -> Command,
    ) -> Result<Option<Self>, Failure> {
        if let Some(path) = given.get_one::<PathBuf>("config") {
            return Self::read(path, run).map(Some);
        }
        if given.get_flag("no_config") {
            return Ok(None);
        }
        nearest().map(|path| Self::read(&path, run)).transpose()
    }

    fn read(path: &Path, run: fn() -> Command) -> Result<Self, Failure> {
        let file = TomlFile::read(path, "a file of settings")?;
        let table = DeTable::parse(&file.text).map_err(|error| file.refused(&error))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut values: Vec<Setting> = Vec::new();
        let mut table: Vec<_> = table.get_ref().iter().collect();
        table.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in table {
            let at = name.span().start;
            let name = name.get_ref();
            let key = KEYS.iter().find(|key| key.name == &**name).ok_or_else(|| {
                let names: Vec<_> = KEYS.iter().map(|key| key.name).collect();
                file.wrong(at, &suggestion::there_is_no("setting", name, &names))
            })?;
            let wrong = |(at, what): Wrong| file.wrong(at, &format!("`{name}`: {what}"));
            let words = read_value(key, at, value, folder).map_err(wrong)?;
            let line = file.line_of(at);
            let mut setting = Setting { key, line, values: Vec::new() };
            for (at, word) in words {
                let word = Setting { key, line, values: vec![word] };
                word.check(run).map_err(|what| wrong((at, what)))?;
                setting.values.extend(word.values);
            }
            if BOUNDS.contains(&key.name)
                && let Some(other) = values.iter().find(|other| BOUNDS.contains(&other.key.name))
            {
                let other = other.key.name;
                return Err(file.wrong(at, &format!("`{name}` cannot be used with `{other}`")));
            }
            values.push(setting);
        }
        Ok(Self { path: path.to_owned(), values })
    }

    /// The setting of a key, unless the command line decides it.
    pub(crate) fn get(&self, key: &Key, given: &ArgMatches) -> Option<&Setting> {
        let setting = self.values.iter().find(|setting| setting.key.name == key.name);
        setting.filter(|setting| !setting.key.is_decided_by(given))
    }

    /// The settings that the command line does not decide.
    pub(crate) fn in_force(mut self, given: &ArgMatches) -> Self {
        self.values.retain(|setting| !setting.key.is_decided_by(given));
        self
    }

    /// The options that say the same on the command line.
    pub(crate) fn options(&self) -> Vec<OsString> {
        self.values.iter().flat_map(Setting::options).collect()
    }

    /// A failure that the values of some keys led to, with the line of the first key that the file has.
    pub(crate) fn located(&self, keys: &[&str], failure: Failure) -> Failure {
        let found = keys.iter().find_map(|key| self.values.iter().find(|s| s.key.name == *key));
        match found {
            None => failure,
            Some(Setting { key, line, .. }) => {
                let (file, name) = (self.path.display(), key.name);
                Failure::input(format!("{file}, line {line}: `{name}`: {failure}"))
            }
        }
    }
}

/// The nearest file of settings, from the current folder upwards.
fn nearest() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let folder = here.ancestors().find(|folder| folder.join(FILE).is_file())?;
    Some(if folder == here { PathBuf::from(FILE) } else { folder.join(FILE) })
}

/// Where a value is wrong, as a byte of the file, and what is wrong.
type Wrong = (usize, String);

/// The words of a value of a key, and where in the file each is: in the item of a list, or at the key. Those that name
/// files and folders go from the folder of the settings.
fn read_value(
    key: &Key,
    at: usize,
    value: &Spanned<DeValue>,
    folder: &Path,
) -> Result<Vec<(usize, OsString)>, Wrong> {
    let expected = key.kind.expected();
    let word = match (key.kind, value.get_ref()) {
        (Kind::List, DeValue::Array(items)) => {
            let items = items.iter().map(|item| match item.get_ref() {
                DeValue::String(text) => Ok((item.span().start, text.to_string().into())),
                other => {
                    let what = format!("expected strings in the list, not {}", kind_of(other));
                    Err((item.span().start, what))
                }
            });
            return items.collect();
        }
        (Kind::File | Kind::Folder, DeValue::String(text)) => {
            let path = folder.join(&**text);
            if key.kind == Kind::File && !path.is_file() {
                return Err((at, format!("there is no file {}", path.display())));
            }
            return Ok(vec![(at, path.into())]);
        }
        (_, DeValue::String(text)) => text.to_string(),
        (Kind::Number, DeValue::Integer(number)) if number.radix() == 10 => {
            number.as_str().to_owned()
        }
        (Kind::Number, DeValue::Integer(number)) if number.radix() == 16 => {
            format!("0x{}", number.as_str())
        }
        (Kind::Number, DeValue::Float(number)) => number.as_str().to_owned(),
        (_, other) => return Err((at, format!("expected {expected}, not {}", kind_of(other)))),
    };
    Ok(vec![(at, word.into())])
}

/// What a value is, for people.
fn kind_of(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

impl Setting {
    /// Checks that the command line takes the value, and that the names in it exist.
    fn check(&self, run: fn() -> Command) -> Result<(), String> {
        if let Err(error) = run().no_binary_name(true).try_get_matches_from(self.options()) {
            let text = error.render().to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            let text = text.split("\n\n").next().unwrap_or_default();
            let words: Vec<_> = text.split_whitespace().collect();
            let text = words.join(" ");
            return Err(if text.is_empty() {
                format!("`{}` is no value", brief(&self.text()))
            } else {
                text
            });
        }
        for value in &self.values {
            for name in value.to_string_lossy().split(',') {
                (self.key.check)(name).map_err(|failure| failure.to_string())?;
            }
        }
        Ok(())
    }
}
