//! Levels of rules: what binds an implementation is must and counts, what programs must not do is a restriction,
//! and no row is both. Lockstep cannot see a rule in the wrong level: it is not asked about it. What would have
//! caught the kind is reading each row for the words of the other level, as this test does.

use parallax_spec::{Level, Rule, RuleId, rules::RULES};

fn level(id: &str) -> Level {
    RuleId::find(id).unwrap_or_else(|| panic!("no rule {id}")).rule().level
}

/// Words with which a sentence binds an implementation, where the rule is about programs.
const BINDING: [&str; 6] = [
    "must be identical in every unit",
    "ABS first, then NEG",
    "apply to the float result",
    "hardware ignores",
    "are dropped",
    "it is preserved",
];

/// Restrictions and undefined results say nothing that binds an implementation.
#[test]
fn rows_that_do_not_count_bind_nothing() {
    let does_not_count = |rule: &&Rule| matches!(rule.level, Level::Restriction | Level::Undefined);
    let ours = |rule: &&Rule| rule.id.starts_with("r700.aluinst.") || rule.id.starts_with("g45.");
    let binds = |rule: &&Rule| BINDING.iter().any(|words| rule.rule.contains(words));
    let found: Vec<_> = RULES.iter().filter(does_not_count).filter(ours).filter(binds).collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// Each row that was split has its binding part as a rule of its own.
#[test]
fn split_rows_have_a_binding_half() {
    let halves = [
        ("g45.acc.no-modifiers", "g45.acc.modifiers-ignored"),
        ("g45.acc.word-overflow", "g45.acc.word-modular"),
        ("gen7.acc.word-overflow", "gen7.acc.word-modular"),
        ("g45.cr.cr3", "g45.cr.cr3-write"),
        ("gen7.cr.sub3-reserved", "gen7.cr.sub3-write"),
        ("g45.exc.grf-oob", "g45.exc.grf-oob-no-exception"),
        ("g45.exc.grf-oob", "g45.exc.grf-oob-isolation"),
        ("g45.exc.mrf-oob", "g45.exc.mrf-oob-no-exception"),
        ("g45.exc.malformed-message", "g45.exc.malformed-message-no-exception"),
        ("g45.msg.error.sfid", "g45.msg.error.sfid-discarded"),
        ("r700.aluinst.sete-dx10.modifiers", "r700.aluinst.sete-dx10.modifiers-apply"),
        ("r700.aluinst.mov.modifiers", "r700.aluinst.mov.modifiers-apply"),
        ("r700.aluinst.int-to-flt.modifiers", "r700.aluinst.int-to-flt.modifiers-apply"),
    ];
    for (rest, binding) in halves {
        assert!(matches!(level(rest), Level::Restriction | Level::Undefined), "{rest}");
        assert_eq!(level(binding), Level::Must, "{binding}");
    }
    for name in ["dp2", "dp3", "dp4", "dph", "frc", "lzd", "rndd", "rndu", "rnde", "rndz"] {
        assert_eq!(level(&format!("g45.inst.{name}.acc-update")), Level::Undefined, "{name}");
        assert_eq!(level(&format!("g45.inst.{name}.acc-preserved")), Level::Must, "{name}");
    }
}

/// Every instruction that any unit can run gives the same result in each, and what modifiers do is said of every
/// instruction that has some.
#[test]
fn units_and_modifiers_of_r700_count() {
    let musts = |end: &str| {
        let of = |rule: &&Rule| rule.id.starts_with("r700.aluinst.") && rule.id.ends_with(end);
        RULES.iter().filter(of).filter(|rule| rule.level == Level::Must).count()
    };
    assert_eq!([musts(".units"), musts(".modifiers"), musts(".modifiers-apply")], [89, 63, 32]);
}

/// What binds no implementation does not count.
#[test]
fn musts_that_bind_nothing_are_none() {
    for id in [
        "g45.asm.compr-optional",
        "g45.sys.devices.config",
        "g45.sys.devices.untagged",
        "gen7.intro.asm-case",
        "gen7.note.math-names",
    ] {
        assert_eq!(level(id), Level::Info, "{id}");
    }
    assert_eq!(level("r700.exp.done"), Level::Restriction);
}

/// Statements of the manuals that had no rule.
#[test]
fn missing_rules_are_there() {
    for id in [
        "r700.memr.program-types",
        "r700.stack.jump-only",
        "gen7.tm.default",
        "gen7.cr.aip-reserved",
        "g45.debug.ts.snapshot-latch",
        "g45.debug.gs.mux",
    ] {
        assert_eq!(level(id), Level::Must, "{id}");
    }
}
