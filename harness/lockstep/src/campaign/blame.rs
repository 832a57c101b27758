//! Which rules of what differs are broken: most likely those that decide what differs, and hardly anything that
//! agrees.

use std::collections::{BTreeMap, BTreeSet};

use parallax_spec::{RuleId, coverage::rule_of};
use serde::{Deserialize, Serialize};

/// How much more often the rules of an instruction may fail than one that it shares with others, if that is
/// the one that is wrong: not every instruction shows a mistake alike.
const MARGIN: f64 = 1.5;

/// Steps, and how many of them each rule decided.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Decided {
    steps: u64,
    /// By the places of rules and of rows of tables.
    by_place: BTreeMap<u16, u64>,
}

impl Decided {
    /// Counts a step that these rules decided.
    pub(super) fn count(&mut self, rules: &[u16]) {
        self.steps += 1;
        for place in rules {
            *self.by_place.entry(*place).or_default() += 1;
        }
    }

    /// Adds others.
    pub(super) fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        for (place, number) in &other.by_place {
            *self.by_place.entry(*place).or_default() += number;
        }
    }

    /// How many of them a rule decided.
    fn by(&self, place: u16) -> u64 {
        self.by_place.get(&place).copied().unwrap_or(0)
    }

    /// The rules that decided a third of the steps and more; of one that is a table, a row.
    pub(super) fn common(&self) -> BTreeSet<RuleId> {
        let common = self.by_place.iter().filter(|(_, number)| 3 * **number >= self.steps);
        common.map(|(place, _)| rule_of(*place)).collect()
    }
}

/// Orders rules, those first that most of the steps which they decide differed with. Of equals the order stays.
///
/// `own` are those that only the instruction has. A mistake in what instructions share fails with one of them as often
/// as with another: where its own rules fail much more often than a shared one, that one is wrong in other ways at
/// most, and comes behind.
pub(super) fn ordered(
    rules: &[RuleId],
    own: &[RuleId],
    differed: &Decided,
    agreed: &Decided,
) -> Vec<RuleId> {
    let mut tried: BTreeMap<RuleId, Tried> = BTreeMap::new();
    for place in differed.by_place.keys() {
        let [failed, agreed] = [differed, agreed].map(|decided| decided.by(*place) as f64);
        let of_place = Tried { failed, all: failed + agreed };
        // Of a table the row that is the most suspect.
        let most = tried.entry(rule_of(*place)).or_insert(of_place);
        if of_place.suspicion() > most.suspicion() {
            *most = of_place;
        }
    }
    let tried = |rule: &RuleId| tried.get(rule).copied().unwrap_or_default();
    let own = own.iter().map(tried).filter(|tried| tried.failed > 0.0);
    let least = own.map(Tried::share).min_by(f64::total_cmp).unwrap_or_default();
    let rank = |rule: &RuleId| {
        let tried = tried(rule);
        (MARGIN * tried.share() >= least, tried.suspicion())
    };
    let mut ordered = rules.to_vec();
    ordered.sort_by(|a, b| {
        let [(a_explains, a), (b_explains, b)] = [rank(a), rank(b)];
        b_explains.cmp(&a_explains).then(b.total_cmp(&a))
    });
    ordered
}

/// Steps that a rule decided.
#[derive(Debug, Clone, Copy, Default)]
struct Tried {
    failed: f64,
    all: f64,
}

impl Tried {
    /// The share of them that failed.
    fn share(self) -> f64 {
        self.failed / self.all.max(1.0)
    }

    /// The measure of Ochiai, without what all rules have in common.
    fn suspicion(self) -> f64 {
        self.failed / self.all.sqrt().max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use parallax_spec::{coverage, rows::Table, rule_id};
    use rstest::rstest;

    use super::*;

    const ADD: RuleId = rule_id!("g45.inst.add.semantics");
    const WIDTH: RuleId = rule_id!("g45.field.width.codes");

    /// Steps that rules decided, each as often as it says.
    fn decided(steps: &[(Vec<RuleId>, usize)]) -> Decided {
        let mut decided = Decided::default();
        for (rules, number) in steps {
            let places: Vec<_> = rules.iter().map(|rule| rule.index() as u16).collect();
            (0..*number).for_each(|_| decided.count(&places));
        }
        decided
    }

    /// Of a table the row counts that tells the most.
    #[test]
    fn a_table_tells_what_its_best_row_tells() {
        const TABLE: RuleId = rule_id!("g45.field.condmod.codes");
        let table = Table::of(TABLE).expect("a table");
        let rows = |rows: &[usize]| {
            coverage::uncounted(|| {
                rows.iter().for_each(|row| coverage::hit_row(table.row(*row)));
                coverage::marked_places()
            })
        };
        let [all, fourth] = [rows(&[0, 1, 2]), rows(&[4])];
        let with_add = |mut places: Vec<u16>| {
            places.push(ADD.index() as u16);
            places
        };
        let steps = |rules: &[u16], number: usize| {
            let mut decided = Decided::default();
            (0..number).for_each(|_| decided.count(rules));
            decided
        };
        let with_all = with_add(all);
        let differed = steps(&with_all, 10);
        let mut agreed = steps(&with_all, 90);
        let table_and_add =
            |differed: &Decided, agreed: &Decided| ordered(&[ADD, TABLE], &[], differed, agreed);
        assert_eq!(table_and_add(&differed, &agreed), [ADD, TABLE], "they are equal");
        let mut differed = differed;
        differed.add(&steps(&with_add(fourth.clone()), 10));
        agreed.add(&steps(&with_add(fourth), 2));
        assert_eq!(table_and_add(&differed, &agreed), [TABLE, ADD]);
    }

    const SHL: RuleId = rule_id!("g45.inst.shl.semantics");
    const MOV: RuleId = rule_id!("g45.inst.mov.semantics");

    /// Two mistakes: one in two instructions of its own, each of which fails most of its steps, makes what they share
    /// with others no more suspect than what only they do. Shared by what fails alike it is.
    #[rstest]
    #[case::add_by_itself(
        vec![(ADD, 9, 10), (SHL, 50, 60), (MOV, 0, 100)], [WIDTH, ADD], vec![ADD], [ADD, WIDTH]
    )]
    #[case::most_fails_with_shl(
        vec![(ADD, 9, 10), (SHL, 50, 60), (MOV, 0, 100)], [ADD, WIDTH], vec![], [WIDTH, ADD]
    )]
    #[case::shl_by_itself(
        vec![(ADD, 9, 10), (SHL, 50, 60), (MOV, 0, 100)], [WIDTH, SHL], vec![SHL], [SHL, WIDTH]
    )]
    #[case::all_alike(
        vec![(ADD, 6, 20), (SHL, 6, 20), (MOV, 6, 20)], [ADD, WIDTH], vec![ADD], [WIDTH, ADD]
    )]
    #[case::nothing_is_known(vec![], [ADD, WIDTH], vec![ADD], [ADD, WIDTH])]
    fn what_instructions_share_is_suspected_where_it_explains_what_failed(
        #[case] steps: Vec<(RuleId, usize, usize)>,
        #[case] rules: [RuleId; 2],
        #[case] own: Vec<RuleId>,
        #[case] expected: [RuleId; 2],
    ) {
        let [mut failed, mut agreed] = [(); 2].map(|()| Vec::new());
        for (rule, of_those, all) in steps {
            failed.push((vec![rule, WIDTH], of_those));
            agreed.push((vec![rule, WIDTH], all - of_those));
        }
        let ordered = super::ordered(&rules, &own, &decided(&failed), &decided(&agreed));
        assert_eq!(ordered, expected);
    }
}
