//! When which rule was exercised first, for `scripts/rules-over-time.py`.

use std::{
    collections::HashSet,
    env,
    fs::File,
    io::Write as _,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use parallax_spec::coverage::Coverage;

/// The file that `PARALLAX_RULE_LOG` names, if it names one.
static LOG: LazyLock<Option<Mutex<Log>>> = LazyLock::new(|| {
    let file = File::create(env::var_os("PARALLAX_RULE_LOG")?).expect("the log can be written");
    let rules = Coverage::places().map(|(rule, _)| rule).collect();
    Some(Mutex::new(Log { file, begin: Instant::now(), inputs: 0, rules, seen: HashSet::new() }))
});

pub(crate) struct Log {
    file: File,
    begin: Instant,
    inputs: u64,
    /// The rule of each place.
    rules: Vec<&'static str>,
    seen: HashSet<&'static str>,
}

/// The log, for what one more input exercises; `None` if none is kept.
pub(crate) fn of_input() -> Option<MutexGuard<'static, Log>> {
    let mut log = LOG.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
    log.inputs += 1;
    Some(log)
}

impl Log {
    /// Writes a line for a rule that no input before has exercised: the time in milliseconds, how many inputs
    /// there were, the rule.
    pub(crate) fn note(&mut self, place: usize) {
        let rule = self.rules[place];
        if self.seen.insert(rule) {
            let at = self.begin.elapsed().as_millis();
            writeln!(self.file, "{at} {} {rule}", self.inputs).expect("the log can be written");
        }
    }
}
