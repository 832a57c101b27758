//! Which rules of what differs are broken: most likely those that decide what differs, and hardly anything that
//! agrees.

use std::collections::BTreeMap;

use parallax_spec::{RuleId, coverage::rule_of};

use super::{census::Decided, signature::Counts};

/// Information, in natural units, by which rules have to be apart to tell which of them says more.
const CHANCE: f64 = 3.0;
/// The same as a share of the most that one says.
const ALIKE: f64 = 0.9;
/// How much more often the rules of an instruction may fail than one that it shares with others, if that is
/// the one that is wrong: not every instruction shows a mistake alike.
const MARGIN: f64 = 1.5;
/// How much more often the steps of a rule have to differ than all that are like those that differ, until it is taken
/// for what is wrong in most findings.
const OFTENER: f64 = 1.5;
/// The share of its steps that differ with a rule that is taken for that however often others do.
const NEARLY_ALL: f64 = 0.9;
/// Findings of which most that blame the same rule are of one mistake: of fewer it may be chance.
const FEW: usize = 4;

/// A finding whose rules are ordered.
pub(super) struct Blamed<'f> {
    pub(super) rules: &'f mut Vec<RuleId>,
    /// Those of them that only its instruction has.
    pub(super) own: Vec<RuleId>,
    /// The steps that differed for the same cause.
    pub(super) of_cause: Decided,
}

/// The rules of the steps of a manual that differed and agreed.
#[derive(Debug, Clone, Default)]
pub(super) struct Steps {
    pub(super) differed: Decided,
    pub(super) agreed: Decided,
}

impl Steps {
    /// Orders the rules of the findings of an engine, the most suspect ones of each first.
    pub(super) fn order(&self, findings: &mut [Blamed<'_>]) {
        let by_share: Vec<_> = findings.iter().map(|blamed| self.by_share(blamed)).collect();
        let of_most = self.rule_of_most(findings, &by_share);
        for (blamed, by_share) in findings.iter_mut().zip(by_share) {
            // What few steps have in common says less than what explains others.
            let are_few = blamed.of_cause.steps < FEW as u64;
            let is_explained = are_few && by_share.first().is_some_and(|rule| self.explains(*rule));
            let is_of_one =
                of_most.is_some() || is_explained || self.is_of_one_mistake(&blamed.of_cause);
            *blamed.rules = if is_of_one { by_share } else { self.by_information(blamed) };
            of_most.into_iter().for_each(|rule| self.blame_on(rule, blamed));
        }
    }

    /// Puts the rule that most findings have in front there in another one too, if it decided nearly all that differed:
    /// what is in front is shared by instructions as it is.
    fn blame_on(&self, rule: RuleId, Blamed { rules, own, .. }: &mut Blamed<'_>) {
        let decided = self.differed.by_place.iter().filter(|(place, _)| rule_of(**place) == rule);
        let most = decided.map(|(_, number)| *number).max().unwrap_or_default();
        let is_of_all = most as f64 >= NEARLY_ALL * self.differed.steps as f64;
        let is_shared = rules.first().is_some_and(|first| !own.contains(first));
        if let Some(place) =
            rules.iter().position(|of| *of == rule).filter(|_| is_of_all && is_shared)
        {
            rules[..=place].rotate_right(1);
        }
    }

    /// The rule that half of some findings have in front, which their instructions share with others.
    fn rule_of_most(&self, findings: &[Blamed<'_>], orders: &[Vec<RuleId>]) -> Option<RuleId> {
        let mut numbers: BTreeMap<RuleId, usize> = BTreeMap::new();
        for (blamed, order) in findings.iter().zip(orders) {
            let first = order.first().filter(|rule| !blamed.own.contains(rule));
            first.into_iter().for_each(|rule| *numbers.entry(*rule).or_default() += 1);
        }
        let (rule, most) = numbers.into_iter().max_by_key(|(_, number)| *number)?;
        let are_many = findings.len() >= FEW && 2 * most >= findings.len();
        (are_many && self.explains(rule)).then_some(rule)
    }

    /// Whether nearly all steps with a rule differ, or many more of them than of others like them.
    fn explains(&self, rule: RuleId) -> bool {
        let with = most_of_each(self.tried()).get(&rule).map_or(0.0, |(_, tried)| tried.share());
        let differed = self.differed.steps as f64;
        let all =
            Tried { failed: differed, all: differed + self.like_those_that_differed() as f64 };
        with >= NEARLY_ALL || with >= OFTENER * all.share()
    }

    /// The steps that agreed of the sort that differed, as groups are if none of control flow did: those of the rule
    /// that decided the most of them, of those that decided all steps which differed.
    fn like_those_that_differed(&self) -> u64 {
        let Self { differed, agreed } = self;
        let of_all = differed.by_place.iter().filter(|(_, number)| **number == differed.steps);
        of_all.map(|(place, _)| agreed.by(*place)).max().unwrap_or(agreed.steps)
    }

    /// Whether a rule that decided most steps of a cause decided nearly all that differed, and little of what agreed.
    fn is_of_one_mistake(&self, of_cause: &Decided) -> bool {
        let Self { differed, agreed } = self;
        let alike = self.like_those_that_differed();
        let of_most = of_cause.by_place.iter().filter(|(_, number)| 2 * **number >= of_cause.steps);
        of_cause.steps == 0
            || of_most.into_iter().any(|(place, _)| {
                10 * differed.by(*place) >= 9 * differed.steps && 2 * agreed.by(*place) <= alike
            })
    }

    /// The rules of the steps that differed, by how suspect they are.
    fn tried(&self) -> impl Iterator<Item = (RuleId, f64, Tried)> {
        self.differed.by_place.iter().map(|(place, number)| {
            let failed = *number as f64;
            let tried = Tried { failed, all: failed + self.agreed.by(*place) as f64 };
            (rule_of(*place), tried.suspicion(), tried)
        })
    }

    /// Orders rules, those first that most of the steps which they decide differed with. Of equals the order stays.
    ///
    /// A mistake in what instructions share fails with one of them as often as with another: where its own rules fail
    /// much more often than a shared one, that one is wrong in other ways at most, and comes behind.
    fn by_share(&self, Blamed { rules, own, .. }: &Blamed<'_>) -> Vec<RuleId> {
        let tried = most_of_each(self.tried());
        let tried = |rule: &RuleId| tried.get(rule).copied().unwrap_or_default();
        let own = own.iter().map(tried).filter(|(_, tried)| tried.failed > 0.0);
        let least = own.map(|(_, tried)| tried.share()).min_by(f64::total_cmp).unwrap_or_default();
        let rank = |rule: &RuleId| {
            let (suspicion, tried) = tried(rule);
            (MARGIN * tried.share() >= least, suspicion)
        };
        let mut ordered = rules.to_vec();
        ordered.sort_by(|a, b| {
            let [(a_explains, a), (b_explains, b)] = [rank(a), rank(b)];
            b_explains.cmp(&a_explains).then(b.total_cmp(&a))
        });
        ordered
    }

    /// Orders rules, those first that tell the most of whether a step differs for a cause or agrees. Of those that tell
    /// about as much the order stays.
    fn by_information(&self, Blamed { rules, of_cause, .. }: &Blamed<'_>) -> Vec<RuleId> {
        let telling = most_of_each(of_cause.by_place.keys().map(|place| {
            let [differed, agreed] = [of_cause, &self.agreed].map(|steps| steps.split(*place));
            let counts = Counts { differed, agreed };
            let information = if counts.tells() { counts.information() } else { 0.0 };
            (rule_of(*place), information, ())
        }));
        let tells = |rule: &RuleId| telling.get(rule).map_or(0.0, |(information, ())| *information);
        let most = rules.iter().map(tells).fold(0.0, f64::max);
        let about_as_much = (ALIKE * most).min(most - CHANCE).max(0.0);
        let rank = |rule: &RuleId| tells(rule).min(about_as_much);
        let mut ordered = rules.to_vec();
        ordered.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        ordered
    }
}

/// What is known of each rule, by how much that is; of one that is a table that of the row of which it is the most.
fn most_of_each<T>(places: impl Iterator<Item = (RuleId, f64, T)>) -> BTreeMap<RuleId, (f64, T)> {
    let mut all: BTreeMap<RuleId, (f64, T)> = BTreeMap::new();
    for (rule, most, known) in places {
        if all.get(&rule).is_none_or(|(before, _)| most > *before) {
            all.insert(rule, (most, known));
        }
    }
    all
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
        let table_and_add = |differed: &Decided, agreed: &Decided| {
            let steps = Steps { differed: differed.clone(), agreed: agreed.clone() };
            let rules = &mut vec![ADD, TABLE];
            steps.by_share(&Blamed { rules, own: Vec::new(), of_cause: Decided::default() })
        };
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
        let steps = Steps { differed: decided(&failed), agreed: decided(&agreed) };
        let rules = &mut rules.to_vec();
        let blamed = Blamed { rules, own, of_cause: Decided::default() };
        assert_eq!(steps.by_share(&blamed), expected);
    }

    const NO_MASK: RuleId = rule_id!("g45.dw0.maskctrl.nomask");

    /// With several mistakes, what tells the steps of one of them from those that agree.
    #[rstest]
    #[case::one_instruction_is_wrong(vec![(vec![ADD, WIDTH], 20), (vec![ADD, NO_MASK, WIDTH], 20)], [ADD, NO_MASK, WIDTH])]
    #[case::what_instructions_share_is_wrong(vec![(vec![NO_MASK, WIDTH], 30), (vec![ADD, NO_MASK, WIDTH], 5)], [NO_MASK, ADD, WIDTH])]
    #[case::one_step_tells_little(vec![(vec![NO_MASK, ADD, WIDTH], 1)], [ADD, NO_MASK, WIDTH])]
    fn what_tells_the_most_comes_first(
        #[case] of_cause: Vec<(Vec<RuleId>, usize)>,
        #[case] expected: [RuleId; 3],
    ) {
        let of_cause = decided(&of_cause);
        let mut differed = decided(&[(vec![SHL, WIDTH], 60)]);
        differed.add(&of_cause);
        let agreed = [(vec![WIDTH], 60), (vec![ADD, WIDTH], 4), (vec![NO_MASK, WIDTH], 6)];
        let steps = Steps { differed, agreed: decided(&agreed) };
        let mut rules = vec![ADD, NO_MASK, WIDTH];
        steps.order(&mut [Blamed { rules: &mut rules, own: vec![ADD], of_cause }]);
        assert_eq!(rules, expected);
    }
}
