//! Hostile inputs in numbers: replies of an engine, damaged traces, damaged setup files and messages. None is a
//! panic, takes long or takes much memory. Every test run has some thousands;
//!
//!     cargo test --release -p parallax-lockstep --test integration -- hostile:: --ignored --nocapture
//!
//! has a million replies, 100,000 traces, and a million setup files and messages.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use parallax_lockstep::{
    fuzzed::{self, Held},
    random::SplitMix64,
    subject::UnderTest,
};
use rstest::rstest;

/// Most bytes that one input may take.
const MEMORY: isize = 64 << 20;
/// How long one may take: what counts is that there is an end, on a machine that does other things too.
const TIME: Duration = Duration::from_secs(20);

/// Counts what the thread holds.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let held = HELD.get() + bytes;
    HELD.set(held);
    MOST.set(MOST.get().max(held));
}

// SAFETY: the system's allocator does it all, and what is counted allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What is damaged: the seeds of a target.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(target);
    let entries = fs::read_dir(folder).expect("a folder of seeds");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("readable")).collect()
}

/// Numbers that ask for much.
const LARGE: [&[u8]; 6] =
    [b"4294967295", b"18446744073709551615", b"-1", b"1e308", b"65536", b"2147483648"];

/// Damages bytes in one to four places.
fn damage(random: &mut SplitMix64, bytes: &mut Vec<u8>) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() as u64 + 1) as usize;
        let length = random.below(16).min((bytes.len() - at) as u64) as usize;
        match random.below(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..at + length)),
            2 => {
                let again = bytes[at..at + length].to_vec();
                bytes.splice(at..at, again.repeat(1 + random.below(30) as usize));
            }
            3 => bytes[at..at + length].fill([0, 0xFF, 0x7F, 0x80][random.below(4) as usize]),
            4 => {
                // A number, if one begins there.
                let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                bytes.splice(at..at + digits, LARGE[random.below(6) as usize].iter().copied());
            }
            5 => random.fill(&mut bytes[at..at + length]),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
}

/// Replies that nobody says: any bytes behind a hello that is right, or a seed with damage.
fn reply(random: &mut SplitMix64, seeds: &[Vec<u8>]) -> Vec<u8> {
    if random.below(2) == 0 {
        let mut bytes = vec![0; random.below(200) as usize];
        random.fill(&mut bytes);
        return bytes;
    }
    damaged(random, seeds)
}

fn damaged(random: &mut SplitMix64, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len() as u64) as usize].clone();
    // What chooses a device or a form stays.
    let first = (!bytes.is_empty()).then(|| bytes.remove(0));
    damage(random, &mut bytes);
    bytes.splice(0..0, first);
    bytes
}

fn hold(target: &str, number: u64, make: fn(&mut SplitMix64, &[Vec<u8>]) -> Vec<u8>) {
    let seeds = seeds(target);
    let target = fuzzed::target(target).expect("a target that there is");
    let executor = UnderTest::Named("executor".to_owned());
    let (mut longest, mut most) = (Duration::ZERO, 0);
    for seed in 0..number {
        let input = make(&mut SplitMix64::new(seed), &seeds);
        let (begin, before) = (Instant::now(), HELD.get());
        MOST.set(before);
        let held = target.hold(&input, &executor).expect("every machine has an executor");
        assert!(matches!(held, Held::Holds), "{} {seed}: {held:?}", target.name());
        let (time, memory) = (begin.elapsed(), MOST.get() - before);
        assert!(time < TIME, "{} {seed} takes {time:?}", target.name());
        assert!(memory < MEMORY, "{} {seed} takes {memory} bytes", target.name());
        (longest, most) = (longest.max(time), most.max(memory));
    }
    println!(
        "{}: {number} inputs, none takes more than {longest:?} or {:.1} MB",
        target.name(),
        most as f64 / 1e6
    );
}

#[rstest]
#[case::replies("engine_protocol", 4000, reply)]
#[case::traces("trace_file", 1000, damaged)]
#[case::setup_files("setup_file", 1000, damaged)]
#[case::messages("messages", 500, damaged)]
fn nothing_that_is_said_or_read_does_harm(
    #[case] target: &str,
    #[case] number: u64,
    #[case] make: fn(&mut SplitMix64, &[Vec<u8>]) -> Vec<u8>,
) {
    hold(target, number, make);
}

#[rstest]
#[case::replies("engine_protocol", 1_000_000, reply)]
#[case::traces("trace_file", 100_000, damaged)]
#[case::setup_files("setup_file", 600_000, damaged)]
#[case::messages("messages", 400_000, damaged)]
#[ignore = "minutes"]
fn nothing_of_many_does_harm(
    #[case] target: &str,
    #[case] number: u64,
    #[case] make: fn(&mut SplitMix64, &[Vec<u8>]) -> Vec<u8>,
) {
    hold(target, number, make);
}
