//! What fuzz targets share: bytes are held against what the target of a name says, a difference is written
//! as a trace beside the fuzzer's own file, and rule counters are handed to libFuzzer, so that an input
//! that exercises a rule for the first time is kept like one that reaches new code.

mod log;
pub mod words;

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::{
        LazyLock,
        atomic::{AtomicU8, Ordering},
    },
};

use libfuzzer_sys::fuzzer_mutate;
use parallax_lockstep::{
    fuzzed::{self, Held, Layout},
    subject::UnderTest,
};
use parallax_spec::coverage::{self, PLACES};
use sha1::{Digest as _, Sha1};

/// libFuzzer reads this section after every input.
#[unsafe(link_section = "__libfuzzer_extra_counters")]
static RULES: [AtomicU8; PLACES] = [const { AtomicU8::new(0) }; PLACES];

/// Hands the rules and rows of tables that this input has exercised to libFuzzer, unless
/// `PARALLAX_RULE_COUNTERS` is `off`.
fn report_rules() {
    static WITHHELD: LazyLock<bool> =
        LazyLock::new(|| env::var("PARALLAX_RULE_COUNTERS").is_ok_and(|it| it == "off"));
    let mut log = log::of_input();
    coverage::drain(|place, steps| {
        if !*WITHHELD {
            RULES[place].store(u8::try_from(steps).unwrap_or(u8::MAX), Ordering::Relaxed);
        }
        if let Some(log) = &mut log {
            log.note(place);
        }
    });
}

/// Lets the allocator of glibc keep what an input has given back. Engines are new for each, with states of some
/// hundred kilobytes, whose pages would come from the kernel and go back to it again and again.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn keep_memory() {
    static KEPT: std::sync::Once = std::sync::Once::new();
    const MOST: libc::c_int = 256 << 20;
    KEPT.call_once(|| {
        for threshold in [libc::M_MMAP_THRESHOLD, libc::M_TRIM_THRESHOLD] {
            // SAFETY: it takes any number, and refuses what it cannot do.
            unsafe { libc::mallopt(threshold, MOST) };
        }
    });
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn keep_memory() {}

/// Holds an input against what the target of a name says.
///
/// # Panics
/// If something does not hold.
pub fn hold(target: &str, input: &[u8]) {
    keep_memory();
    let target = fuzzed::target(target).expect("a target that there is");
    let executor = UnderTest::Named("executor".to_owned());
    let held = target.hold(input, &executor).expect("every machine has an executor");
    report_rules();
    if let Held::Broken { what, trace } = held {
        let kept = trace.map(|trace| keep(input, &trace)).unwrap_or_default();
        panic!("{what}\n{kept}");
    }
}

/// Writes a trace beside the file that libFuzzer is about to write for an input; says where it is.
fn keep(input: &[u8], trace: &[u8]) -> String {
    let prefix = env::args()
        .filter_map(|argument| argument.strip_prefix("-artifact_prefix=").map(str::to_owned));
    let digits: String = Sha1::digest(input).iter().map(|byte| format!("{byte:02x}")).collect();
    let path = PathBuf::from(format!("{}crash-{digits}.trace", prefix.last().unwrap_or_default()));
    let folder = path.parent().unwrap_or(Path::new(""));
    match fs::create_dir_all(folder).and_then(|()| fs::write(&path, trace)) {
        Ok(()) => format!("the case as a trace: {}", path.display()),
        Err(error) => format!("cannot write {}: {error}", path.display()),
    }
}

/// Changes an input of a target of machine code: every other time an instruction or a field of one, else as
/// libFuzzer does. How many bytes it has then.
pub fn mutate(target: &str, data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let layout = fuzzed::target(target).and_then(fuzzed::Target::layout);
    mutate_by(layout, data, size, most, seed)
}

fn mutate_by(layout: Option<Layout>, data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let room = data.len().min(most.max(size));
    let changed = layout
        .filter(|_| seed.is_multiple_of(2))
        .and_then(|layout| layout.mutate(&mut data[..room], size, seed.into()));
    changed.unwrap_or_else(|| fuzzer_mutate(data, size, most))
}

/// Makes an input of the first instructions of one and the last of another. How many bytes it has.
pub fn cross(target: &str, one: &[u8], other: &[u8], out: &mut [u8], seed: u32) -> usize {
    let layout = fuzzed::target(target).and_then(fuzzed::Target::layout);
    layout.map_or(0, |layout| layout.cross(one, other, out, seed.into()))
}
