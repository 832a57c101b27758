//! Malformed assembly programs, each a mistake that people make, and what is reported of them.

use std::fmt::Write as _;

use parallax_isa::{
    Device,
    eu::{
        legality,
        text::{self, Diagnostic},
    },
};

/// Every program of `tests/malformed` has a snapshot with all of its diagnostics. A first line
/// `// device: bw` names the device, which is `g45` otherwise.
#[test]
fn mistakes_are_explained() {
    insta::glob!("malformed/*.asm", |path| {
        let bytes = std::fs::read(path).expect("the file can be read");
        let name = path.file_name().expect("a file").to_string_lossy();
        let reported = explained(&name, &bytes);
        assert!(!reported.is_empty(), "{name} has no mistake");
        insta::assert_snapshot!(reported);
    });
}

#[test]
fn there_are_enough_of_them() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/malformed");
    let programs = std::fs::read_dir(folder).expect("the folder is there").count();
    assert!(programs >= 120, "{programs} malformed programs");
}

fn explained(name: &str, bytes: &[u8]) -> String {
    let shown = String::from_utf8_lossy(bytes);
    let device = shown.strip_prefix("// device: ").and_then(|rest| rest.lines().next());
    let device: Device = device.unwrap_or("g45").parse().expect("a device");
    let (diagnostics, rules) = match text::source(bytes).map_err(|wrong| vec![wrong]) {
        Err(wrong) => (wrong, Vec::new()),
        Ok(source) => match text::parse(device, source) {
            Err(wrong) => (wrong, Vec::new()),
            Ok(assembly) => violations(&assembly),
        },
    };
    let mut reported = String::new();
    for (number, diagnostic) in diagnostics.iter().enumerate() {
        let _ = write!(reported, "{}", diagnostic.render(name, &shown));
        if let Some(rule) = rules.get(number) {
            let _ = writeln!(reported, "  = rule: {rule}");
        }
    }
    reported
}

/// What is illegal in a program that assembles, and the rules that say so.
fn violations(assembly: &text::Assembly) -> (Vec<Diagnostic>, Vec<String>) {
    let findings = legality::program::check(&assembly.program);
    let reported = findings
        .into_iter()
        .map(|finding| (assembly.diagnostic(&finding), finding.violation.rule.to_string()));
    reported.unzip()
}
