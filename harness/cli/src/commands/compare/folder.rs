//! Two folders of programs: those of the same name are compared.

use std::{collections::BTreeSet, fs, path::Path};

use parallax_lockstep::escape;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Arguments, Json, PairReport};
use crate::{
    failure::{Ending, Failure},
    files, output,
};

/// What came of a pair, by its name.
type Named = (String, Result<PairReport, Failure>);

/// Compares the programs of two folders that have the same name.
pub(super) fn compare(
    arguments: &Arguments,
    first: &Path,
    second: &Path,
) -> Result<Ending, Failure> {
    let folders = [first, second];
    let [names, others] = [names(folders[0])?, names(folders[1])?];
    if let Some(lonely) = names.symmetric_difference(&others).next() {
        let [has, lacks] = if names.contains(lonely) { folders } else { [folders[1], folders[0]] };
        let (has, lacks) = (has.display(), lacks.display());
        return Err(Failure::input(format!("`{lonely}` of {has} has no counterpart in {lacks}")));
    }
    let mut pairs: Vec<Named> = Vec::new();
    for name in names {
        let [a, b] = folders.map(|folder| folder.join(&name));
        let report = arguments.pair(&arguments.start.of_file(a), &b);
        if !arguments.json {
            let text = match &report {
                Ok(report) => report.text.clone(),
                Err(error) => format!("error: {error}"),
            };
            output::print(format!("{name}: {}", text.trim_end()));
        }
        pairs.push((name, report));
    }
    let code = |(_, report): &Named| report.as_ref().map_or(2, |report| report.ending.code());
    let worst = pairs.iter().map(code).max().unwrap_or_default();
    let same = pairs.iter().filter(|pair| code(pair) == 0).count();
    let all = output::counted(pairs.len() as u64, "pair");
    if let Some(path) = &arguments.junit {
        files::write(path, junit(&pairs).as_bytes())?;
    }
    if arguments.json {
        let all: Vec<Json> =
            pairs.into_iter().map(|(name, report)| json(arguments, name, report)).collect();
        output::print_json(&all);
    } else {
        output::print(format!("{same} of {all} do the same"));
    }
    Ok(match worst {
        0 => Ending::Success,
        1 => Ending::Found,
        3 => Ending::NotSupported,
        4 => Ending::EnginesDiffer,
        _ => Ending::Incomplete,
    })
}

/// The names of the files of a folder.
fn names(folder: &Path) -> Result<BTreeSet<String>, Failure> {
    let failed = |source| Failure::file("read", folder, source);
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().is_file() {
            names.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    match names.is_empty() {
        true => Err(Failure::input(format!("there is no file in {}", folder.display()))),
        false => Ok(names),
    }
}

fn json(arguments: &Arguments, name: String, report: Result<PairReport, Failure>) -> Json {
    let json = match report {
        Ok(report) => report.json,
        Err(error) => Json::verdict("error", &error.to_string(), arguments.starts, arguments.seed),
    };
    json.named(name)
}

/// A test case for each pair: one that differs fails, one that cannot be compared is an error.
pub(super) fn junit(pairs: &[Named]) -> String {
    let mut tests = TestSuite::new("compare");
    for (name, report) in pairs {
        let (kind, text) = match report {
            Ok(PairReport { ending: Ending::Success, .. }) => (None, String::new()),
            Ok(PairReport { ending: Ending::Found, text, .. }) => {
                (Some(NonSuccessKind::Failure), text.clone())
            }
            Ok(report) => (Some(NonSuccessKind::Error), report.text.clone()),
            Err(error) => (Some(NonSuccessKind::Error), error.to_string()),
        };
        let text = escape::lines(&text).into_owned();
        let status = match kind {
            None => TestCaseStatus::success(),
            Some(kind) => {
                let mut status = TestCaseStatus::non_success(kind);
                status.set_message(text.lines().next().unwrap_or_default().to_owned());
                status.set_description(text);
                status
            }
        };
        let mut case = TestCase::new(escape::lines(name).into_owned(), status);
        case.set_classname("compare");
        tests.add_test_case(case);
    }
    let mut document = Report::new("parallax compare");
    document.add_test_suite(tests);
    document.to_string().expect("memory takes what is written")
}
