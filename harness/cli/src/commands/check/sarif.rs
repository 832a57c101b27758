//! What is wrong with a program as SARIF 2.1.0, which code hosts show beside its lines.

use std::path::Path;

use parallax_spec::{RuleId, Severity};
use serde_json::{Value, json};

use crate::listing::Problem;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The problems of a program, those that break a rule and then those that lead where nothing follows.
pub(super) fn sarif(path: &Path, violations: &[Problem], not_followed: &[Problem]) -> Value {
    let problems = violations.iter().chain(not_followed);
    let results: Vec<Value> = problems.map(|problem| result(path, problem)).collect();
    let mut named: Vec<&str> =
        results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    named.sort_unstable();
    named.dedup();
    let rules: Vec<Value> = named.into_iter().filter_map(rule).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "parallax check",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(path: &Path, problem: &Problem) -> Value {
    let Problem { level, rule, line, column, length, message, help, source, .. } = problem;
    let level = match level {
        Some(Severity::Illegal) => "error",
        Some(Severity::Warning) => "warning",
        Some(Severity::Erratum) | None => "note",
    };
    let help = help.as_deref().or(*source);
    let help = help.as_ref().map_or(String::new(), |help| format!("; {help}"));
    let mut result = json!({
        "level": level,
        "message": { "text": format!("{message}{help}") },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(path) },
            "region": {
                "startLine": line.max(&1),
                "startColumn": column.max(&1),
                "endColumn": column.max(&1) + length.max(&1),
            },
        } }],
    });
    if let Some(rule) = rule {
        result["ruleId"] = json!(rule);
    }
    result
}

/// A rule as it is described once for all results; `None` if it is none of the catalogue.
fn rule(id: &str) -> Option<Value> {
    let rule = RuleId::find(id)?.rule();
    Some(json!({
        "id": id,
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": rule.rule },
        "help": { "text": format!("{}, lines {}", rule.catalogue, rule.lines) },
    }))
}

/// A path as a relative or absolute reference, with all escaped that has a meaning there.
fn uri(path: &Path) -> String {
    let mut uri = String::new();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' => uri.push('/'),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_escaped() {
        assert_eq!(uri(Path::new("a dir/ü#.asm")), "a%20dir/%C3%BC%23.asm");
    }
}
