//! Rules whose ids are made of names that stand elsewhere: those of opcodes, fields or formats.
//!
//! [`rule_id!`](crate::rule_id) checks ids that are written out; an id that is put together at run time
//! is looked up here, so that a misspelt one fails whatever test gets there first, instead of never
//! being counted.

use crate::RuleId;

/// The rule of an id that is put together at run time.
///
/// # Panics
/// If no rule has the id.
#[must_use]
pub fn rule(id: &str) -> RuleId {
    RuleId::find(id).unwrap_or_else(|| panic!("no rule of the catalogue is called {id}"))
}

/// The rule about a thing that has one of its own, or else shares one with others: that of the first
/// id there is.
///
/// # Panics
/// If no rule has any of the ids.
#[must_use]
pub fn own_or_shared(ids: &[String]) -> RuleId {
    let found = ids.iter().find_map(|id| RuleId::find(id));
    found.unwrap_or_else(|| panic!("no rule of the catalogue is called one of {ids:?}"))
}

/// The rules of things that have one each, of their own or shared, but for those that are said to have
/// none.
///
/// # Panics
/// If a thing has none, or one that is said to have none has one.
pub fn all_but<Thing: std::fmt::Debug + PartialEq>(
    things: impl IntoIterator<Item = Thing>,
    without: &[Thing],
    ids: impl Fn(&Thing) -> Vec<String>,
) -> Vec<Option<RuleId>> {
    let rule = |thing: Thing| {
        let ids = ids(&thing);
        if !without.contains(&thing) {
            return Some(own_or_shared(&ids));
        }
        let has_one = ids.iter().any(|id| RuleId::find(id).is_some());
        assert!(!has_one, "{thing:?} has one of the rules {ids:?}");
        None
    };
    things.into_iter().map(rule).collect()
}

/// The rules about each of some things, where not every thing has a rule of every kind: a row for each
/// thing, in it a place for each part. `id` makes a rule's id of a thing's name and a part.
///
/// # Panics
/// If no thing at all has a rule of some part: the part is misspelt, or the way ids are made.
pub fn family<Thing>(
    things: impl IntoIterator<Item = Thing>,
    parts: &[&str],
    id: impl Fn(&Thing, &str) -> String,
) -> Vec<Vec<Option<RuleId>>> {
    let rules_of =
        |thing| parts.iter().map(|part| RuleId::find(&id(&thing, part))).collect::<Vec<_>>();
    let rules: Vec<_> = things.into_iter().map(rules_of).collect();
    for (column, part) in parts.iter().enumerate() {
        let named = rules.iter().any(|row| row[column].is_some());
        assert!(named, "no rule of the catalogue has {part:?} as this part of its id");
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_instruction(name: &&str, part: &str) -> String {
        format!("g45.inst.{name}.{part}")
    }

    #[test]
    fn things_have_some_of_the_rules() {
        let rules = family(["add", "send"], &["saturate", "sideband"], of_instruction);
        assert_eq!(rules[0], [RuleId::find("g45.inst.add.saturate"), None]);
        assert_eq!(rules[1][1], Some(rule("g45.inst.send.sideband")));
    }

    #[test]
    #[should_panic(expected = "no rule of the catalogue has \"satturate\"")]
    fn a_part_without_rules_is_refused() {
        let _ = family(["add", "send"], &["satturate"], of_instruction);
    }

    #[test]
    fn the_first_id_that_exists_counts() {
        let ids = ["add.no-such-rule", "add.saturate", "add.alt-overflow"];
        let ids = ids.map(|id| format!("g45.inst.{id}"));
        assert_eq!(own_or_shared(&ids), rule("g45.inst.add.saturate"));
    }

    #[test]
    fn things_are_said_to_have_no_rule() {
        let ids = |code: &u32| vec![format!("dg1.chanoff.code-{code:03b}b")];
        assert_eq!(all_but([7, 8], &[8], ids), [Some(rule("dg1.chanoff.code-111b")), None]);
    }

    #[test]
    #[should_panic(expected = "7 has one of the rules")]
    fn a_thing_that_has_a_rule_is_refused() {
        let _ = all_but([7], &[7], |code| vec![format!("dg1.chanoff.code-{code:03b}b")]);
    }

    #[test]
    #[should_panic(expected = "is called one of [\"dg1.chanoff.code-1000b\"]")]
    fn a_thing_without_a_rule_is_refused() {
        let _ = all_but([8], &[], |code| vec![format!("dg1.chanoff.code-{code:03b}b")]);
    }

    #[test]
    #[should_panic(expected = "is called one of [\"g45.inst.add.satturate\"]")]
    fn unknown_ids_are_refused() {
        let _ = own_or_shared(&["g45.inst.add.satturate".to_owned()]);
    }

    #[test]
    #[should_panic(expected = "is called g45.inst.add.satturate")]
    fn an_unknown_id_is_refused() {
        let _ = rule("g45.inst.add.satturate");
    }
}
