//! When which rule was exercised first, for `fuzz/rules-over-time.py`.

use std::{
    env,
    fs::File,
    io::Write as _,
    sync::{LazyLock, Mutex, PoisonError},
    time::Instant,
};

use parallax_spec::{coverage::Coverage, rules::COUNT};

/// The file that `PARALLAX_RULE_LOG` names, if it names one.
static LOG: LazyLock<Option<Mutex<Log>>> = LazyLock::new(|| {
    let file = File::create(env::var_os("PARALLAX_RULE_LOG")?).expect("the log can be written");
    Some(Mutex::new(Log { file, begin: Instant::now(), inputs: 0, seen: Box::new([false; COUNT]) }))
});

struct Log {
    file: File,
    begin: Instant,
    inputs: u64,
    seen: Box<[bool; COUNT]>,
}

/// Writes a line for each rule that no input before has exercised: the time in milliseconds, how many inputs
/// there were, the rule.
pub(crate) fn note(coverage: &Coverage) {
    let Some(log) = &*LOG else { return };
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    log.inputs += 1;
    let at = (log.begin.elapsed().as_millis(), log.inputs);
    for rule in coverage.covered() {
        if !std::mem::replace(&mut log.seen[rule.index()], true) {
            writeln!(log.file, "{} {} {rule}", at.0, at.1).expect("the log can be written");
        }
    }
}
