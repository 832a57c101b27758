//! Whether a sample shows that a share is above its limit, or may be chance.

/// The chance at most that a share within its limit is taken for one above it: one in ten thousand.
const MISTAKEN: f64 = 1e-4;

/// Whether `count` of `cases` shows, with 99.99 % confidence, that what is counted happens in a larger share
/// of all cases than `limit` (0 to 1): the binomial chance of so many or more at the limit is below
/// [`MISTAKEN`].
pub(super) fn is_above(limit: f64, count: u64, cases: u64) -> bool {
    at_least(limit, count, cases) < MISTAKEN
}

/// The chance that at least `count` of `cases` independent events happen that have a chance of `share` each.
/// Up to the mean it is 1, which is near enough for [`is_above`].
fn at_least(share: f64, count: u64, cases: u64) -> f64 {
    let (n, k) = (cases as f64, count as f64);
    if count == 0 || k <= n * share {
        return 1.0;
    }
    if share <= 0.0 || count > cases {
        return 0.0;
    }
    let ways = ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
    let mut term = (ways + k * share.ln() + (n - k) * (1.0 - share).ln()).exp();
    // Above the mean each term is smaller than the one before it.
    let (mut sum, mut k) = (0.0, k);
    while k <= n && term > sum * f64::EPSILON {
        sum += term;
        term *= (n - k) / (k + 1.0) * share / (1.0 - share);
        k += 1.0;
    }
    sum
}

/// The logarithm of a factorial, after Stirling.
fn ln_factorial(n: f64) -> f64 {
    if n < 2.0 {
        return 0.0;
    }
    let series = 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3)) + 1.0 / (1260.0 * n.powi(5));
    (n + 0.5) * n.ln() - n + 0.5 * std::f64::consts::TAU.ln() + series
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::random::SplitMix64;

    #[rstest]
    #[case::one_of_one(0.01, 1, 1, 0.01)]
    #[case::both_of_two(0.01, 2, 2, 1e-4)]
    #[case::one_of_two(0.01, 1, 2, 0.0199)]
    #[case::heads_in_ten_throws(0.5, 8, 10, 56.0 / 1024.0)]
    #[case::never(0.0, 1, 1_000_000, 0.0)]
    #[case::none(0.0, 0, 10, 1.0)]
    #[case::always(1.0, 10, 10, 1.0)]
    fn chances_are_those_of_the_binomial_distribution(
        #[case] share: f64,
        #[case] count: u64,
        #[case] cases: u64,
        #[case] chance: f64,
    ) {
        let actual = at_least(share, count, cases);
        assert!((actual - chance).abs() <= 1e-5 * chance, "{actual}, not {chance}");
    }

    /// How many of `cases` happen that have a chance of `share` each.
    fn drawn(random: &mut SplitMix64, share: f64, cases: u64) -> u64 {
        let below = (share * 2f64.powi(53)) as u64;
        (0..cases).map(|_| u64::from(random.next() >> 11 < below)).sum()
    }

    /// Whether campaigns fail whose suites compare nothing in a share of their cases: so many of 10,000.
    fn failed(limit: f64, share: f64, cases: u64) -> usize {
        let mut random = SplitMix64::new(36);
        let fails = |_: &u64| is_above(limit, drawn(&mut random, share, cases), cases);
        (0..10_000).filter(fails).count()
    }

    /// Lockstep could not have shown this: the engines agreed, and the verdict was wrong. What shows the
    /// kind is to simulate the numbers that a verdict is made of.
    #[rstest]
    #[case::as_it_was_seen(0.02, 0.0135, 97)]
    #[case::at_the_limit(0.02, 0.02, 97)]
    #[case::few_cases(0.02, 0.02, 7)]
    #[case::many_cases(0.03, 0.03, 1500)]
    #[case::most_are(0.7, 0.7, 200)]
    fn of_10_000_campaigns_within_the_limit_hardly_one_fails(
        #[case] limit: f64,
        #[case] share: f64,
        #[case] cases: u64,
    ) {
        // One is expected at the limit; more than six come of it once in ten thousand times.
        assert!(failed(limit, share, cases) <= 6, "{}", failed(limit, share, cases));
    }

    #[rstest]
    #[case::four_times_the_limit(0.02, 0.08, 800)]
    #[case::a_third_more(0.03, 0.04, 20_000)]
    #[case::all(0.02, 1.0, 3)]
    #[case::one_that_may_not_be(0.0, 1.0, 1)]
    fn of_10_000_campaigns_above_the_limit_nearly_all_fail(
        #[case] limit: f64,
        #[case] share: f64,
        #[case] cases: u64,
    ) {
        let failed = failed(limit, share, cases);
        assert!(failed > 9_990, "{failed}");
    }

    #[test]
    fn numbers_of_long_campaigns_have_an_answer() {
        let cases = 20_000_000_000;
        assert!(!is_above(0.02, 400_030_000, cases));
        assert!(is_above(0.02, 400_100_000, cases));
        assert!(is_above(0.02, cases, cases));
    }
}
