//! The harness's side of the protocol, with engines that say what bytes decide, and an engine of this
//! process behind it.

use std::{
    fs,
    io::{Read, Write},
    os::unix::net::UnixStream,
    sync::Arc,
    thread,
    time::Duration,
};

use parallax_engine::{Hello, Served, serve};
use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Engine as _, Image as _,
    eu::{Case, State, text},
};
use parallax_lockstep::{
    Verdict,
    eu::{Eu, flow, generate},
    lockstep,
    outside::{
        Allowance, Outside,
        served::ServedEngine,
        wire::{Broken, Wire},
    },
    random::SplitMix64,
    registry::check_hello,
    scripted,
};
use parallax_reference::eu::Reference;
use parallax_spec::coverage;

/// A socket whose other end is served by a thread.
struct Socket(UnixStream);

impl Wire for Socket {
    fn send(&mut self, bytes: &[u8], _: &mut Duration) -> Result<(), Broken> {
        self.0.write_all(bytes).map_err(|_| Broken::Ended)
    }

    fn receive(&mut self, buffer: &mut Vec<u8>, _: &mut Duration) -> Result<(), Broken> {
        let mut bytes = [0; 4096];
        match self.0.read(&mut bytes) {
            Ok(0) | Err(_) => Err(Broken::Ended),
            Ok(number) => {
                buffer.extend(&bytes[..number]);
                Ok(())
            }
        }
    }

    fn end(&mut self) -> String {
        "it ended".to_owned()
    }
}

/// The executor behind the protocol, which says of itself what `change` makes of it.
struct Changed {
    inner: ServedEngine<Eu>,
    hello: Hello,
    numbers: Vec<usize>,
}

impl Served for Changed {
    fn hello(&self) -> Hello {
        self.hello.clone()
    }
    fn bank_bytes(&self) -> Vec<usize> {
        let all = self.inner.bank_bytes();
        self.numbers.iter().map(|number| all[*number]).collect()
    }
    fn load(&mut self, case: &parallax_engine::Case) -> Result<(), parallax_engine::Refusal> {
        self.inner.load(case)
    }
    fn bank(&self, number: usize) -> &[u8] {
        self.inner.bank(self.numbers[number])
    }
    fn bank_mut(&mut self, number: usize) -> &mut [u8] {
        self.inner.bank_mut(self.numbers[number])
    }
    fn written(&mut self) {
        self.inner.written();
    }
    fn step(&mut self) -> parallax_engine::Flow {
        self.inner.step()
    }
    fn run(&mut self, most: u64) -> parallax_engine::Flow {
        self.inner.run(most)
    }
}

fn executor(change: fn(&mut Hello)) -> Arc<Outside> {
    let connect = move || {
        let (here, there) = UnixStream::pair().map_err(|error| error.to_string())?;
        thread::spawn(move || {
            let inner = ServedEngine::<Eu>::new(Box::new(Executor::new()));
            let mut hello = inner.hello();
            change(&mut hello);
            let number = |name: &String| State::BANKS.iter().position(|bank| bank.name == name);
            let numbers = hello.banks.iter().filter_map(number).collect();
            let mut served = Changed { inner, hello, numbers };
            let output = there.try_clone().expect("a second handle");
            let _ = serve(&mut served, there, output);
        });
        Ok(Box::new(Socket(here)) as Box<dyn Wire>)
    };
    Outside::connect("here", Allowance::default(), check_hello, connect).expect("it says hello")
}

/// Cases from seeds.
fn cases(device: Device, number: u64) -> impl Iterator<Item = Case> {
    (0..number).map(move |seed| {
        let mut bytes = vec![0; generate::BYTES.max(flow::BYTES)];
        SplitMix64::new(seed).fill(&mut bytes);
        if seed % 2 == 0 {
            generate::straight_line(device, &bytes)
        } else {
            flow::any(device, &bytes)
        }
    })
}

#[test]
fn what_the_executor_does_is_what_it_does_behind_the_protocol() {
    for device in [Device::G45, Device::Ivb, Device::Dg1] {
        let outside = executor(|_| ());
        let mut behind = outside.engine::<Eu>().expect("of this machine");
        for case in cases(device, 60) {
            let here = lockstep(&mut Reference::new(), &mut Executor::new(), &case);
            let there = lockstep(&mut Reference::new(), &mut behind, &case);
            assert_eq!(here, there);
        }
    }
}

/// Rules of steps that change what an engine does not have are only accepted.
#[test]
fn what_was_not_compared_covers_nothing() {
    let covered = |change: fn(&mut Hello)| {
        let outside = executor(change);
        let mut engine = outside.engine::<Eu>().expect("of this machine");
        coverage::discard();
        let _ = coverage::take();
        let source = "add (8) r2<1>:ud r1<8;8,1>:ud 1:ud";
        let program = text::parse(Device::G45, source).expect("it assembles");
        let program = program.program.bytes().to_vec();
        let case = Case::new(Device::G45, program, Box::new(State::of(Device::G45)), 10);
        let verdict = lockstep(&mut Reference::new(), &mut engine, &case);
        assert!(matches!(verdict, Verdict::Agreed(_)), "{verdict:?}");
        coverage::take().covered().map(|rule| rule.rule().id).collect::<Vec<_>>()
    };
    let all = covered(|_| ());
    assert!(all.len() > 20 && all.iter().any(|id| id.starts_with("g45.inst.add.")), "{all:?}");
    // The registers change in the only step that the program has.
    let none = covered(|hello| hello.banks = vec!["f".to_owned(), "cr".to_owned()]);
    // It would have been seen if the step had raised an exception.
    assert!(none.iter().all(|id| id.starts_with("g45.cr.")), "{none:?}");
}

/// An engine that only runs to the end is led to every step by shorter programs.
#[test]
fn an_engine_that_only_runs_to_the_end_is_compared_step_by_step_with_cut_programs() {
    let outside = executor(|hello| hello.steps = false);
    let mut behind = outside.engine::<Eu>().expect("of this machine");
    let (mut agreed, mut others) = (0, Vec::new());
    for case in cases(Device::G45, 12).step_by(2) {
        let here = lockstep(&mut Reference::new(), &mut Executor::new(), &case);
        let there = lockstep(&mut Reference::new(), &mut behind, &case);
        // What an open result has led to cannot be taken over by a program that begins anew.
        if let (Verdict::Agreed(here), Verdict::Agreed(there)) = (&here, &there) {
            assert_eq!(here.outcome, there.outcome);
            agreed += 1;
        } else {
            others.push(there);
        }
    }
    assert!(agreed > 2, "{agreed} agree, not {others:#?}");
    let (_, branching) = (0, cases(Device::G45, 40).skip(1).step_by(2));
    let unable = branching.filter(|case| {
        behind.load(case).is_ok()
            && matches!(behind.step(), Err(parallax_isa::EngineError::Unable(_)))
    });
    assert!(unable.count() > 10);
}

/// Its answer stood before that to the next case (found by `eu-flow` behind the protocol, seed 3).
#[test]
fn an_engine_started_again_without_a_step_is_heard_before_the_next_case() {
    let outside = executor(|_| ());
    let mut behind = outside.engine::<Eu>().expect("of this machine");
    let [first, mut second] =
        [0, 2].map(|number| cases(Device::G45, 3).nth(number).expect("a case"));
    // What is asked for one step is not asked again of another process.
    second.step_limit = 1;
    behind.load(&first).expect("it has all instructions");
    behind.step().expect("it answers");
    behind.restart(&first).expect("it starts again");
    behind.load(&second).expect("it has all instructions");
    behind.step().expect("it answers what it was asked");
}

/// Hostile replies: never a panic, never agreement.
#[test]
fn any_bytes_are_no_engine_that_agrees() {
    let mut random = SplitMix64::new(1);
    let mut heard = 0;
    for _ in 0..40_000 {
        let mut bytes = vec![0; random.below(96) as usize];
        random.fill(&mut bytes);
        // Answers that make some sense come further.
        for byte in bytes.iter_mut().skip(1).step_by(2) {
            if random.next() & 3 != 0 {
                *byte &= 7;
            }
        }
        heard += usize::from(scripted::hold(&bytes).is_some());
    }
    assert!(heard > 10_000, "{heard}");
}

#[test]
fn seeds_of_the_fuzz_target_are_held() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/engine_protocol");
    let files = fs::read_dir(folder).expect("the corpus").map(|entry| entry.expect("an entry"));
    let seeds = files.map(|file| scripted::hold(&fs::read(file.path()).expect("readable")));
    assert!(seeds.flatten().count() >= 6);
}

#[test]
fn the_page_lists_every_bank_and_feature() {
    let page = include_str!("../PROTOCOL.md");
    for bank in State::BANKS {
        let row = format!("| `{}` | {} |", bank.name, bank.len());
        assert!(page.contains(&row), "{row}");
    }
    for (feature, _) in parallax_lockstep::eu::outside::FEATURES {
        assert!(page.contains(&format!("`{feature}`")), "{feature}");
    }
}
