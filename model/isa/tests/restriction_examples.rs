//! The examples of restrictions (`model/spec/examples/*.toml`): legality finds nothing in a legal one, and
//! in an illegal one nothing but the rule it is an example of.
//!
//! Legality is one implementation, so lockstep cannot see a lost exception ("except", "only as source", "only
//! where") or a check that is too broad: only an example that uses the exception can.

use std::collections::BTreeSet;

use parallax_isa::{
    Device,
    device::Family,
    eu::{
        self,
        hazards::check::hazards,
        legality as eu_legality,
        program::{ProgramError, words},
    },
    hex,
    r700::{self, case::ProgramType, legality as r700_legality},
};
use parallax_spec::{
    Level, RuleId,
    examples::{self, Example, Pair},
    rules::RULES,
};

/// What is wrong with a program: for each finding the rules it names and what it says.
type Findings = Vec<(Vec<RuleId>, String)>;

/// All that `parallax check` finds in a program.
fn check(pair: &Pair, program: &str) -> Result<Findings, String> {
    let device: Device = pair.device.parse().map_err(|error| format!("{error}"))?;
    let code = hex::looks_like_hex(program.as_bytes()).then(|| hex::parse(program));
    let code = code.transpose().map_err(|error| error.to_string())?;
    match device.family() {
        Family::Eu => check_eu(device, program, code),
        Family::R700 => check_r700(pair, program, code),
    }
}

fn check_eu(device: Device, text: &str, code: Option<Vec<u8>>) -> Result<Findings, String> {
    let named = |violation: &eu_legality::Violation| (violation.rules(), violation.message.clone());
    let program = match code {
        None => {
            let mistakes = |wrong: Vec<eu::text::Diagnostic>| wrong[0].render("text", text);
            eu::text::parse(device, text).map_err(mistakes)?.program
        }
        Some(code) => match eu::Program::decode(device, &code) {
            Ok(program) => program,
            Err(ProgramError::Decode { .. }) => {
                let found = words(device, &code).flat_map(|word| match word.decoded {
                    Ok(instruction) => {
                        eu_legality::check(device, &instruction).iter().map(named).collect()
                    }
                    Err(error) => vec![(error.rules().to_vec(), error.to_string())],
                });
                return Ok(found.collect());
            }
            Err(error) => return Err(error.to_string()),
        },
    };
    let findings = eu_legality::program::check(&program);
    let findings = findings.iter().map(|finding| named(&finding.violation));
    let has_scoreboard = device == Device::Dg1;
    let hazards = if has_scoreboard { hazards(&program) } else { Vec::new() };
    let hazards = hazards.iter().map(|it| (vec![it.rule(&program)], it.message(&program)));
    Ok(findings.chain(hazards).collect())
}

fn check_r700(pair: &Pair, text: &str, code: Option<Vec<u8>>) -> Result<Findings, String> {
    let program_type = match pair.program_type {
        None => None,
        Some(name) => {
            let mut all = ProgramType::ALL.into_iter();
            Some(all.find(|kind| kind.name() == name).ok_or(format!("no kind {name}"))?)
        }
    };
    let settings = r700_legality::Settings { program_type, ..Default::default() };
    let program = match code {
        None => {
            match r700::text::assemble(text) {
                Ok(assembly) => assembly.program,
                // What is written correctly but does not decode breaks a rule.
                Err(wrong) if wrong.iter().all(|mistake| !mistake.rules.is_empty()) => {
                    let named = |it: r700::text::Diagnostic| (it.rules.to_vec(), it.message);
                    return Ok(wrong.into_iter().map(named).collect());
                }
                Err(wrong) => return Err(format!("{wrong:?}")),
            }
        }
        Some(code) => {
            let dwords = code.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            let (program, errors) = r700::Program::read(&dwords.collect::<Vec<_>>());
            if !errors.is_empty() {
                return Ok(errors.iter().map(|it| (it.rules().to_vec(), it.to_string())).collect());
            }
            program
        }
    };
    let found = r700_legality::check(&program, &settings).into_iter().map(|violation| {
        ([&[violation.rule], violation.also.as_slice()].concat(), violation.message)
    });
    Ok(found.collect())
}

/// What is wrong with a pair of examples of a rule.
fn faults(rule: RuleId, pair: &Pair) -> Vec<String> {
    let mut faults = Vec::new();
    match check(pair, pair.legal) {
        Ok(found) if found.is_empty() => {}
        Ok(found) => faults.push(format!("the legal one is not: {}", listed(&found))),
        Err(error) => faults.push(format!("the legal one cannot be read: {error}")),
    }
    match check(pair, pair.illegal) {
        Ok(found) if found.is_empty() => {
            faults.push("nothing is wrong with the illegal one".into());
        }
        Ok(found) if found.iter().all(|(rules, _)| rules.contains(&rule)) => {}
        Ok(found) => faults.push(format!("the illegal one breaks others: {}", listed(&found))),
        Err(error) => faults.push(format!("the illegal one cannot be read: {error}")),
    }
    faults
}

fn listed(findings: &Findings) -> String {
    let listed = findings.iter().map(|(rules, message)| format!("\n    {rules:?} {message}"));
    listed.collect()
}

/// Of every pair the illegal program breaks that rule alone, and the legal one none.
#[test]
fn examples_break_exactly_their_rule() {
    let mut wrong = Vec::new();
    for (id, _, example) in examples::all() {
        let (Some(rule), Example::Pairs(pairs)) = (RuleId::find(id), example) else { continue };
        for (number, pair) in pairs.iter().enumerate() {
            let faults = faults(rule, pair);
            wrong.extend(faults.iter().map(|fault| format!("{id} ({}): {fault}", number + 1)));
        }
    }
    assert!(wrong.is_empty(), "{} examples are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// The legal and the illegal program of a pair differ, but not in length by much: one is a change of the
/// other.
#[test]
fn pairs_differ_in_little() {
    for (id, _, example) in examples::all() {
        let Example::Pairs(pairs) = example else { continue };
        for Pair { legal, illegal, .. } in pairs {
            assert_ne!(legal, illegal, "{id}");
            let (one, other) = (legal.lines().count(), illegal.lines().count());
            assert!(one.abs_diff(other) <= 2, "{id}: {one} lines, {other} lines");
        }
    }
}

/// Every example is one of a restriction, in the file of its catalogue.
#[test]
fn examples_are_of_restrictions() {
    let mut wrong = Vec::new();
    for (id, catalogue, _) in examples::all() {
        match RuleId::find(id).map(RuleId::rule) {
            None => wrong.push(format!("{id}: the catalogue has no such rule")),
            Some(rule) if rule.level != Level::Restriction => {
                wrong.push(format!("{id}: is no restriction"));
            }
            Some(rule) if rule.catalogue != catalogue => {
                wrong.push(format!(
                    "{id}: belongs to {}.toml, not {catalogue}.toml",
                    rule.catalogue
                ));
            }
            Some(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every restriction has an example.
#[test]
fn every_restriction_has_an_example() {
    let without: Vec<_> = RULES
        .iter()
        .filter(|rule| rule.level == Level::Restriction)
        .filter(|rule| examples::of(RuleId::find(rule.id).unwrap()).is_none())
        .map(|rule| format!("{} ({}): {}", rule.id, rule.catalogue, rule.rule))
        .collect();
    assert!(without.is_empty(), "{} have none:\n{}", without.len(), without.join("\n"));
}

/// What is enforced has an example.
#[test]
fn what_is_enforced_has_an_example() {
    let without: BTreeSet<_> = eu_legality::enforced_rules()
        .filter(|rule| rule.rule().level == Level::Restriction)
        .filter(|rule| !matches!(examples::of(*rule), Some(Example::Pairs(_))))
        .collect();
    assert!(without.is_empty(), "{without:#?}");
}

/// What no static check can see has no check.
#[test]
fn what_is_not_static_is_not_enforced() {
    let enforced: BTreeSet<RuleId> = eu_legality::enforced_rules().collect();
    for (id, _, example) in examples::all() {
        let Example::NotStatic(reason) = example else { continue };
        assert!(reason.ends_with('.'), "{id}: the reason is a sentence");
        let is_enforced = RuleId::find(id).is_some_and(|rule| enforced.contains(&rule));
        assert!(!is_enforced, "{id} is enforced, and said not to be static: {reason}");
    }
}

/// The test sees what it is there for: a rule that is broken by a legal example, one that the illegal one
/// does not break, and another that it breaks too.
#[test]
fn wrong_examples_are_found() {
    let rule = |id| RuleId::find(id).unwrap();
    let pair = |legal, illegal| Pair { device: "g45", program_type: None, legal, illegal };
    let scalar = "mov (1) r10.0<1>:f r2.0<0;1,0>:f";
    let strided = "mov (1) r10.0<1>:f r2.0<1;1,0>:f";
    let faults = |id, legal, illegal| faults(rule(id), &pair(legal, illegal));
    assert_eq!(faults("g45.rr.7-scalar", scalar, strided), Vec::<String>::new());
    assert_eq!(faults("g45.rr.7-scalar", strided, strided).len(), 1);
    assert_eq!(faults("g45.rr.7-scalar", scalar, scalar).len(), 1);
    assert_eq!(faults("g45.rr.6-width1", scalar, strided).len(), 1);
    assert_eq!(faults("g45.rr.6-width1", scalar, "nonsense").len(), 1);
}
