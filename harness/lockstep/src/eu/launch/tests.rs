use parallax_executor::eu::Executor;
use parallax_isa::{Device, Engine, Extent, LoadError, Step, eu::text, shared::memory::Surface};
use rstest::rstest;

use super::*;

/// Each thread leaves its numbers in shared local memory, and puts those of its neighbour into the buffer. Registers:
/// r1 its own offsets, r2 those of its neighbour, r3 its numbers, r4 the payload of the barrier.
const EXCHANGE: &str = "\
mov (8|M0) r10.0<1>:ud r1.0<8;8,1>:ud
mov (8|M0) r11.0<1>:ud r3.0<8;8,1>:ud
send (8|M0) null<1>:ud r10 0xc 0x04026efe
BARRIER
send (8|M0) r21.0<1>:ud r2 0xc 0x02106efe
mov (8|M0) r20.0<1>:ud r1.0<8;8,1>:ud
send (8|M0) null<1>:ud r20 0xc 0x04026e00
send (8|M0) null<1>:ud r127 0x7 0x02000010 {NoMask, EOT}";

const BARRIER: &str = "\
mov (1|M0) n0<1>:ud 0x0:ud {Switch, NoMask}
send (1|M0) null<1>:ud r4 0x3 0x02000004 {NoMask}
wait (1|M0) n0<1>:ud n0<0;1,0>:ud null<0;1,0>:ud {NoMask}";

const THREADS: u32 = 4;
/// Where the buffer lies, behind which nothing is.
const BUFFER: Surface = Surface { start: 0x1000, bytes: 32 * THREADS as usize };

fn case(program: &str) -> Case {
    let assembly = text::parse(Device::Skl, program).expect("it is a program");
    let mut state = Box::new(State::new());
    (state.status[2], state.status[3]) = (0xFF, 0xFF);
    Case::new(Device::Skl, assembly.program.bytes().to_vec(), state, 1000)
}

fn payload(group: u64, thread: u32, state: &mut State) {
    let neighbour = (thread + 1) % THREADS;
    let of = |first: u32, step: u32| {
        let mut register = [0; 32];
        for (lane, bytes) in (0..).zip(register.as_chunks_mut::<4>().0) {
            *bytes = (first + step * lane).to_le_bytes();
        }
        register
    };
    state.grf[1] = of(32 * thread, 4);
    state.grf[2] = of(32 * neighbour, 4);
    state.grf[3] = of(8 * thread + 100 * group as u32, 1);
    // Four threads.
    state.grf[4][8..10].copy_from_slice(&(0x8000_u16 | 4 << 9).to_le_bytes());
}

fn of<'l>(case: &'l Case, groups: u64, schedule: Schedule) -> Launch<'l> {
    let mut memory = LaunchMemory::new(BUFFER.range().end);
    memory.add(BUFFER, Some(0));
    Launch { case, groups, threads: THREADS, payload: &payload, memory, schedule }
}

fn numbers(launched: &Launched) -> Vec<u32> {
    let bytes = &launched.memory.bytes()[BUFFER.range()];
    bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

const ALL: [Schedule; 4] =
    [Schedule::Barrier, Schedule::Reversed, Schedule::Instruction, Schedule::Drawn(5)];

fn named(name: &str) -> UnderTest {
    UnderTest::Named(name.to_owned())
}

/// In every schedule and on every engine a barrier makes the others' numbers visible.
#[rstest]
#[case::reference(false, "reference")]
#[case::executor(false, "executor")]
#[case::both(true, "executor")]
fn threads_exchange_numbers_at_a_barrier(#[case] has_two: bool, #[case] engine: &str) {
    let case = case(&EXCHANGE.replace("BARRIER", BARRIER));
    let engine = named(engine);
    let on = if has_two { On::Reference(&engine) } else { On::One(&engine) };
    for schedule in ALL {
        let launched = launch(of(&case, 3, schedule), on, &mut |_| true).expect("it runs");
        assert!(launched.stopped.is_none(), "{schedule}: {:?}", launched.stopped);
        assert_eq!((launched.threads, launched.outside.len()), (12, 0), "{schedule}");
        let expected: Vec<u32> = (0..32).map(|n| 200 + (n + 8) % 32).collect();
        assert_eq!(numbers(&launched), expected, "{schedule}");
    }
}

/// Without the barrier it depends on the schedule what they see.
#[test]
fn a_race_shows_in_the_schedules() {
    let case = case(&EXCHANGE.replace("BARRIER\n", ""));
    let engine = named("executor");
    let [first, second] = [Schedule::Barrier, Schedule::Reversed].map(|schedule| {
        let launched = launch(of(&case, 1, schedule), On::Reference(&engine), &mut |_| true);
        numbers(&launched.expect("it runs"))
    });
    assert_eq!((first[0], first[24]), (0, 0), "the first thread reads before the second writes");
    assert_eq!((second[0], second[24]), (8, 0));
}

/// Who waits for a barrier to which nobody comes, and where.
#[test]
fn a_deadlock_is_named() {
    let case = case("wait (1|M0) n0<1>:ud n0<0;1,0>:ud null<0;1,0>:ud {NoMask}");
    let engine = named("executor");
    let launched = launch(of(&case, 1, Schedule::Barrier), On::Reference(&engine), &mut |_| true);
    let stopped = launched.expect("it runs").stopped.expect("it stops");
    let Why::Deadlock(waiting) = stopped.why else { panic!("{:?}", stopped.why) };
    assert_eq!(waiting.iter().map(|(thread, _)| *thread).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(waiting[0].1.starts_with("wait"), "{}", waiting[0].1);
}

/// A barrier for another number of threads than the group has.
#[test]
fn a_barrier_of_others_is_undefined() {
    let case = case(&EXCHANGE.replace("BARRIER", BARRIER));
    let engine = named("executor");
    let launch_of = Launch { threads: 2, ..of(&case, 1, Schedule::Barrier) };
    let launched = launch(launch_of, On::Reference(&engine), &mut |_| true).expect("it runs");
    let stopped = launched.stopped.expect("it stops");
    assert!(
        matches!(&stopped.why, Why::Outcome(Outcome::Undefined(why)) if why.contains("4 threads")),
        "{:?}",
        stopped.why
    );
}

/// What lies in no run reads as zeros, and is named.
#[rstest]
#[case::reference("reference")]
#[case::executor("executor")]
fn accesses_outside_of_buffers_are_named(#[case] engine: &str) {
    let case = case(&EXCHANGE.replace("BARRIER", "mov (8|M0) r1.0<1>:ud 0x7f:ud"));
    let engine = named(engine);
    let launched = launch(of(&case, 1, Schedule::Barrier), On::One(&engine), &mut |_| true);
    let launched = launched.expect("it runs");
    assert!(launched.stopped.is_none());
    assert_eq!(launched.outside.len(), 0, "untyped messages leave the low bits of addresses out");
    let case = super::tests::case(&EXCHANGE.replace("BARRIER", "mov (8|M0) r1.0<1>:ud 0x80:ud"));
    let launched = launch(of(&case, 1, Schedule::Barrier), On::One(&engine), &mut |_| true);
    let outside = launched.expect("it runs").outside;
    let [OutsideAccess { thread: 0, access, count: 4, instruction }] = &outside[..] else {
        panic!("{outside:?}")
    };
    assert_eq!(*access, Outside { surface: Some(0), address: 0x80, bytes: 4 });
    assert!(instruction.starts_with("send"), "{instruction}");
}

/// The executor with a mistake in what it does to the memory of a launch.
struct Wrong {
    executor: Executor,
    mistake: fn(&mut LaunchMemory),
}

impl Engine<Eu> for Wrong {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        Engine::load(&mut self.executor, case)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        Engine::step(&mut self.executor)
    }

    fn exchange_memory(&mut self, memory: &mut Option<Box<LaunchMemory>>) -> bool {
        let can = Engine::exchange_memory(&mut self.executor, memory);
        if let Some(memory) = memory {
            (self.mistake)(memory);
        }
        can
    }

    fn state(&self) -> Result<&State, EngineError> {
        Engine::state(&self.executor)
    }

    fn adopt(&mut self, extent: Extent, from: &State) -> Result<(), EngineError> {
        Engine::adopt(&mut self.executor, extent, from)
    }
}

/// A mistake in memory, in local memory, and at the barrier is noticed.
#[rstest]
#[case::memory(|memory: &mut LaunchMemory| memory.bytes_mut()[BUFFER.start + 5] = 77, "address 0x1005")]
#[case::last(|memory: &mut LaunchMemory| memory.bytes_mut()[BUFFER.range().end - 1] = 77, "address 0x107f")]
#[case::local(|memory: &mut LaunchMemory| memory.bytes_mut()[BUFFER.range().end + 9] = 77, "address 0x1089")]
#[case::barrier(|memory: &mut LaunchMemory| memory.group.arrived = 0, "threads at the barrier")]
#[case::waiting(|memory: &mut LaunchMemory| memory.group.waits = false, "whether the thread waits")]
fn mistakes_are_noticed(#[case] mistake: fn(&mut LaunchMemory), #[case] place: &str) {
    let case = case(&EXCHANGE.replace("BARRIER", BARRIER));
    let engines = || {
        let wrong = Wrong { executor: Executor::new(), mistake };
        Ok(Engines::Both(Eu::reference(), Box::new(wrong)))
    };
    let run = Run::new(of(&case, 1, Schedule::Barrier), &engines).expect("it begins");
    let stopped = run.run(&mut |_| true).expect("it runs").stopped.expect("it is noticed");
    let Why::Differs(divergence) = stopped.why else { panic!("{:?}", stopped.why) };
    let text = divergence.to_string();
    assert!(text.contains(place), "{text}");
}
