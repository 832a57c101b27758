//! The process groups of engines: a group ends as a whole, with the helper processes that its engine has
//! started, and its memory is counted as a whole.

use std::{
    collections::HashMap,
    fs,
    process::Child,
    sync::{
        Arc, Mutex, MutexGuard, Once, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};

/// Time between two samples of the memory of groups.
const SAMPLE: Duration = Duration::from_millis(100);

/// The groups whose engines have not been reaped: their numbers are those of no other group.
static GROUPS: Mutex<Vec<Entry>> = Mutex::new(Vec::new());
/// The thread that counts memory.
static METER: Once = Once::new();

struct Entry {
    id: Pid,
    /// Bytes of address space that its processes may have together.
    limit: Option<u64>,
    exceeded: Arc<AtomicU64>,
}

fn groups() -> MutexGuard<'static, Vec<Entry>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The process group that an engine leads.
pub(super) struct Group {
    id: Pid,
    exceeded: Arc<AtomicU64>,
}

impl Group {
    /// The group of a child process that leads one.
    pub(super) fn of(leader: &Child, limit: Option<u64>) -> Self {
        let (id, exceeded) = (Pid::from_child(leader), Arc::<AtomicU64>::default());
        groups().push(Entry { id, limit, exceeded: Arc::clone(&exceeded) });
        if limit.is_some() {
            METER.call_once(|| {
                // Without the thread the limit of each process is left.
                let _ = thread::Builder::new().name("engine memory".to_owned()).spawn(meter);
            });
        }
        Self { id, exceeded }
    }

    /// Ends all of its processes. The leader must not have been reaped: until then no other group has the number.
    pub(super) fn end(&self) {
        let mut groups = groups();
        if let Some(place) = groups.iter().position(|entry| entry.id == self.id) {
            let _ = kill_process_group(self.id, Signal::KILL);
            groups.swap_remove(place);
        }
    }

    /// Bytes of address space that it had when it was ended for having more than it may.
    pub(super) fn exceeded(&self) -> Option<u64> {
        Some(self.exceeded.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0)
    }
}

/// Ends all groups, before this process does.
pub(super) fn end_all() {
    for entry in groups().drain(..) {
        let _ = kill_process_group(entry.id, Signal::KILL);
    }
}

/// Ends groups that have more memory than they may, for ever.
fn meter() {
    loop {
        thread::sleep(SAMPLE);
        if groups().iter().all(|entry| entry.limit.is_none()) {
            continue;
        }
        let sizes = sizes();
        for entry in groups().iter() {
            let size = sizes.get(&entry.id.as_raw_nonzero().get()).copied().unwrap_or(0);
            if entry.limit.is_some_and(|limit| size > limit) {
                entry.exceeded.store(size, Ordering::Relaxed);
                let _ = kill_process_group(entry.id, Signal::KILL);
            }
        }
    }
}

/// Bytes of address space of each process group.
fn sizes() -> HashMap<i32, u64> {
    let mut sizes = HashMap::new();
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let is_process =
            process.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit);
        if is_process
            && let Ok(stat) = fs::read(process.path().join("stat"))
            && let Some((group, size)) = group_and_size(&stat)
        {
            *sizes.entry(group).or_default() += size;
        }
    }
    sizes
}

/// The group of a process and its bytes of address space, of what proc(5) calls `stat`.
fn group_and_size(stat: &[u8]) -> Option<(i32, u64)> {
    // The name before stands in brackets and may be anything.
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = str::from_utf8(&stat[name_end + 1..]).ok()?.split_ascii_whitespace();
    let group = fields.nth(2)?.parse().ok()?;
    Some((group, fields.nth(17)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_a_group_and_a_size() {
        let line = b"12 (a ) b) S 1 77 12 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 9 1234567 88 9 1";
        assert_eq!(group_and_size(line), Some((77, 1_234_567)));
        let own = fs::read("/proc/self/stat").expect("Linux");
        let (group, size) = group_and_size(&own).expect("a line");
        assert!(sizes()[&group] >= size && size > 1 << 20, "{size}");
    }
}
