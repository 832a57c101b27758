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

use parallax_engine::{
    Capability, Hello, Instructions, Served,
    banks::{ENUMS_BANKS, EU_BANKS, R700_BANKS, SURFACE_BANKS, UNITS_BANKS},
    serve,
};
use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Engine, EngineError, Extent, Image, LoadError, Outcome, Step, Weaknesses,
    enums::Code,
    eu::{Case, Program, State, text},
    image::Bank,
    query::Query as _,
    r700::{self, R700, microcode::AluOp2, program::Clause},
    units::Event,
};
use parallax_lockstep::{
    Subject, Verdict,
    eu::{Eu, flow, generate},
    lockstep,
    outside::{
        Allowance, Outside,
        served::ServedEngine,
        wire::{Broken, Wire},
    },
    r700::{flow as r700_flow, generate as r700_generate},
    random::SplitMix64,
    registry::{MACHINES, check_hello},
    scripted,
    subject::UnderTest,
};
use parallax_reference::eu::Reference;
use parallax_spec::coverage;
use rstest::rstest;

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

/// An engine behind the protocol, which says of itself what `change` makes of it.
struct Changed<M: Subject> {
    inner: ServedEngine<M>,
    hello: Hello,
    numbers: Vec<usize>,
}

impl<M: Subject> Served for Changed<M> {
    fn hello(&self) -> Hello {
        self.hello.clone()
    }
    fn bank_bytes(&self) -> Vec<usize> {
        let all = self.inner.bank_bytes();
        self.numbers.iter().map(|number| all[*number]).collect()
    }
    fn load(&mut self, case: &parallax_engine::Case) -> Result<(), parallax_engine::Refusal> {
        // What it does not have is as it is before anything is set.
        let usual = Box::<M::State>::default();
        for (number, bank) in <M::State as Image>::BANKS.iter().enumerate() {
            if !self.numbers.contains(&number) {
                self.inner.bank_mut(number).copy_from_slice(&usual.image()[bank.range()]);
            }
        }
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

fn served<M: Subject>(engine: fn() -> Box<dyn Engine<M>>, change: fn(&mut Hello)) -> Arc<Outside> {
    let connect = move || {
        let (here, there) = UnixStream::pair().map_err(|error| error.to_string())?;
        thread::spawn(move || {
            let inner = ServedEngine::<M>::new(engine());
            let mut hello = inner.hello();
            change(&mut hello);
            let banks = <M::State as Image>::BANKS;
            let number = |name: &String| banks.iter().position(|bank| bank.name == name);
            let numbers = hello.banks.iter().filter_map(number).collect();
            let mut served = Changed { inner, hello, numbers };
            let output = there.try_clone().expect("a second handle");
            let _ = serve(&mut served, there, output);
        });
        Ok(Box::new(Socket(here)) as Box<dyn Wire>)
    };
    Outside::connect("here", Allowance::default(), check_hello, connect).expect("it says hello")
}

fn executor(change: fn(&mut Hello)) -> Arc<Outside> {
    served::<Eu>(|| Box::new(Executor::new()), change)
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
        coverage::drop_marks();
        let _ = coverage::take();
        let source = "add (8) r2<1>:ud r1<8;8,1>:ud 1:ud";
        let program = text::parse(Device::G45, source).expect("it assembles");
        let program = program.program.bytes().to_vec();
        let case = Case::new(Device::G45, program, Box::new(State::of(Device::G45)), 10);
        let verdict = lockstep(&mut parallax_lockstep::eu::reference(), &mut engine, &case);
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

/// Each start of a batch ends as it does by itself.
#[test]
fn starts_of_a_batch_end_as_each_does_by_itself() {
    let outside = executor(|hello| (hello.steps, hello.batch) = (false, true));
    let mut behind = outside.engine::<Eu>().expect("of this machine");
    let mut compared = 0;
    for case in cases(Device::Skl, 20) {
        let mut random = SplitMix64::new(7);
        let starts = (0..4).map(|_| {
            let mut start = case.clone();
            start.state.grf.iter_mut().for_each(|register| random.fill(register));
            start
        });
        let starts: Vec<_> = starts.collect();
        let mut executor = Executor::new();
        let mut end_of = |start: &Case| {
            Engine::<Eu>::load(&mut executor, start).expect("it has all instructions");
            let end = Engine::<Eu>::run_for(&mut executor, u64::MAX).expect("it answers");
            (end, Box::new(*Engine::<Eu>::state(&executor).expect("at its end")))
        };
        let ends: Vec<_> = starts.iter().map(&mut end_of).collect();
        if ends.iter().any(|(end, _)| *end == Step::Finished(Outcome::StepLimit)) {
            // Who runs to the end does not count steps.
            continue;
        }
        compared += 1;
        behind.load(&case).expect("it has all instructions");
        behind.announce(&mut starts.iter().cloned());
        for (start, (end, state)) in starts.iter().zip(&ends) {
            behind.start_again(start).expect("it has run that");
            assert_eq!(behind.state().expect("at its start").grf, start.state.grf);
            assert_eq!(behind.run_for(u64::MAX).as_ref(), Ok(end));
            assert_eq!(behind.state().expect("at its end").image(), state.image());
        }
    }
    assert!(compared > 10, "{compared}");
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

/// The banks of the machines that the protocol has, by machine.
fn banks() -> Vec<(&'static str, &'static [Bank])> {
    let machines = MACHINES.iter().filter(|machine| machine.has_form());
    machines.map(|machine| (machine.name(), machine.banks())).collect()
}

#[test]
fn the_page_lists_every_bank_and_feature() {
    let page = include_str!("../PROTOCOL.md");
    let machines = banks();
    assert_eq!(
        machines.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["eu", "r700", "surface", "units", "enums"]
    );
    for bank in machines.iter().flat_map(|(_, banks)| *banks) {
        let row = format!("| `{}` | {} |", bank.name, bank.len());
        assert!(page.contains(&row), "{row}");
    }
    let r700 = parallax_lockstep::r700::outside::FEATURES;
    for (feature, _) in parallax_lockstep::eu::outside::FEATURES.iter().chain(&r700) {
        assert!(page.contains(&format!("`{feature}`")), "{feature}");
    }
    for (name, _) in parallax_lockstep::surface::outside::OPERATIONS {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
    let queries = Event::NAMES.iter().chain(Code::NAMES);
    for (name, _) in queries {
        assert!(page.contains(&format!("\"{name}\"")), "{name}");
    }
    for (name, _) in Weaknesses::NAMES {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
    let case = r700::Case { gpr_count: 9, ..r700::Case::new(Vec::new()) };
    for setting in R700::surroundings(&case).as_object().expect("an object").keys() {
        let is_there = setting == "step_limit" || page.contains(&format!("`{setting}`"));
        assert!(is_there, "{setting}");
    }
}

/// A kit with other sizes, or without a bank of the page, shifts or loses state. Lockstep cannot see it: the
/// examples have few banks.
#[test]
fn the_kits_have_every_bank() {
    let python = include_str!("../../engines/python/parallax_engine/__init__.py");
    let javascript = include_str!("../../engines/javascript/parallax-engine.js");
    let c = include_str!("../../engines/c/parallax_engine.h");
    for (machine, banks) in banks() {
        let expected: Vec<_> =
            banks.iter().map(|bank| format!("{}:{}", bank.name, bank.len())).collect();
        for kit in [python, javascript] {
            let start = format!("{}_BANKS = {{", machine.to_uppercase());
            let (_, table) = kit.split_once(&start).expect("the table");
            let (table, _) = table.split_once('}').expect("its end");
            let row = |row: &str| row.replace(['"', ' ', '\n'], "");
            let rows: Vec<_> = table.split(',').map(row).filter(|row| !row.is_empty()).collect();
            assert_eq!(rows, expected);
        }
        let rust = match machine {
            "eu" => EU_BANKS,
            "r700" => R700_BANKS,
            "surface" => SURFACE_BANKS,
            "units" => UNITS_BANKS,
            _ => ENUMS_BANKS,
        };
        let rows: Vec<_> = rust.iter().map(|(name, bytes)| format!("{name}:{bytes}")).collect();
        assert_eq!(rows, expected);
        for bank in banks {
            let name = bank.name.replace(['-', '.'], "_");
            let row = format!("PARALLAX_{}_{name} = {},", machine.to_uppercase(), bank.len());
            assert!(c.contains(&row), "{row}");
        }
    }
}

/// Cases of R700 from seeds: clauses, then whole programs.
fn r700_cases(number: u64) -> impl Iterator<Item = r700::Case> {
    (0..number).map(|seed| {
        let mut bytes = vec![0; r700_generate::BYTES.max(r700_flow::BYTES)];
        SplitMix64::new(seed).fill(&mut bytes);
        if seed.is_multiple_of(2) {
            r700_generate::groups(Device::Rv770, &bytes)
        } else {
            r700_flow::any(Device::Rv770, &bytes)
        }
    })
}

#[test]
fn the_executor_of_r700_does_the_same_behind_the_protocol() {
    let outside = served::<R700>(|| Box::new(parallax_executor::r700::Executor::new()), |_| ());
    let mut behind = outside.engine::<R700>().expect("of this machine");
    for case in r700_cases(60) {
        let mut executor = parallax_executor::r700::Executor::new();
        let here = lockstep::<R700>(&mut *R700::reference(), &mut executor, &case);
        let there = lockstep::<R700>(&mut *R700::reference(), &mut behind, &case);
        assert_eq!(here, there);
    }
}

/// What an engine of R700 says of itself that is wrong, and what the sentence names.
#[test]
fn a_hello_of_r700_that_is_wrong_is_refused_in_a_sentence() {
    let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
    let instructions = |names: &[&'static str]| Some(names.iter().copied().collect());
    let hello = || Hello { machine: "r700".to_owned(), ..Hello::new("mine", &["rv770"], &["R"]) };
    assert_eq!(check_hello(&hello()), Ok(()));
    let each = |name: &str| {
        let capability = Capability { predicate: Some(false), ..Capability::default() };
        Some(Instructions::Each([(name.to_owned(), capability)].into()))
    };
    let rows: [(Hello, &str); 13] = [
        (Hello { instructions: each("MOV"), ..hello() }, "says what it has of `MOV`, which only"),
        (Hello { machine: "r600".to_owned(), ..hello() }, "the protocol has eu, r700"),
        (Hello { machine: "units".to_owned(), ..hello() }, "no device of the machine `units`"),
        (Hello { devices: vec!["g45".to_owned()], ..hello() }, "those are rv770"),
        (Hello { banks: vec!["r".to_owned()], ..hello() }, "the machine `r700` has R, G, PV,"),
        (Hello { banks: vec!["R".to_owned(); 2], ..hello() }, "names the bank `R` twice"),
        (Hello { banks: Vec::new(), ..hello() }, "nothing could be compared"),
        (
            Hello { instructions: instructions(&["MOV", "LSHR_IN"]), ..hello() },
            "the instruction `LSHR_IN`, which there is not; did you mean `LSHR_INT`?",
        ),
        (
            Hello { instructions: instructions(&["mov"]), ..hello() },
            "the instruction `mov`, which there is not; did you mean `MOV`?",
        ),
        (
            Hello { features: names(&["predication"]), ..hello() },
            "the feature `predication`, which there is not; there are constants, relative,",
        ),
        (
            Hello { profiles: names(&["silikon"]), ..hello() },
            "the profile `silikon`, which there is not; did you mean `silicon`?",
        ),
        (Hello { profiles: names(&[]), ..hello() }, "names no profile"),
        (Hello { types: names(&["f"]), ..hello() }, "`types`, which only the machine `eu` has"),
    ];
    for (hello, sentence) in rows {
        let error = check_hello(&hello).expect_err(sentence);
        assert!(error.contains(sentence) && error.starts_with("mine "), "{error}");
    }
    let eu = Hello { profiles: names(&["manual"]), ..Hello::new("mine", &["g45"], &["r"]) };
    let error = check_hello(&eu).expect_err("execution units have none");
    assert!(error.contains("`profiles`, which only the machine `r700` has"), "{error}");
    let eu =
        Hello { instructions: instructions(&["movv"]), ..Hello::new("mine", &["g45"], &["r"]) };
    assert!(check_hello(&eu).expect_err("no such").contains("did you mean `mov`?"));
}

/// Whatever an engine of R700 declares, the executor agrees within it, and no case goes beyond.
#[rstest]
#[case::no_settings(|hello: &mut Hello| hello.features = Some(Vec::new()), 1)]
#[case::silicon(|hello: &mut Hello| {
    let all = parallax_lockstep::r700::outside::FEATURES.iter().map(|(name, _)| (*name).to_owned());
    hello.features = Some(all.filter(|name| name != "surroundings").collect());
    hello.profiles = Some(vec!["silicon".to_owned()]);
}, 3)]
#[case::few_banks(|hello: &mut Hello| {
    hello.banks = ["R", "EXPORT", "MEM", "LDS"].map(str::to_owned).into();
}, 2)]
#[case::only_exports(|hello: &mut Hello| hello.banks = vec!["EXPORT".to_owned()], 1)]
#[case::at_the_end(|hello: &mut Hello| {
    (hello.steps, hello.features) = (false, Some(vec!["constants".to_owned()]));
}, 1)]
fn the_executor_of_r700_agrees_within_what_it_declares(
    #[case] change: fn(&mut Hello),
    #[case] most: usize,
) {
    let outside = served::<R700>(|| Box::new(parallax_executor::r700::Executor::new()), change);
    let suites = R700::outside_suites(Device::Rv770, &outside);
    assert!(suites.len() >= most, "{}", suites.len());
    for suite in suites {
        let (mut worker, mut compared) = (suite.worker(), 0);
        for seed in 0..60 {
            let ran = worker.run(seed);
            assert_eq!(ran.diverged, None, "{} {seed}", suite.name());
            compared += ran.comparisons;
        }
        assert!(compared > 0, "{}", suite.name());
    }
}

/// An executor with a fault, behind the protocol.
struct ArithmeticShift(parallax_executor::r700::Executor);

impl Engine<R700> for ArithmeticShift {
    fn name(&self) -> &str {
        "arithmetic-shift"
    }

    /// The program with every `LSHR_INT` made an `ASHR_INT`.
    fn load(&mut self, case: &r700::Case) -> Result<(), LoadError> {
        let mut program = r700::Program::of_case(case).unwrap_or_default();
        for clause in program.clauses.values_mut() {
            let Clause::Alu(groups) = clause else { continue };
            for alu in groups.iter_mut().flat_map(|group| &mut group.instructions) {
                if alu.opcode() == Some(r700::AluOpcode::LshrInt) {
                    *alu = alu.with(AluOp2::ALU_INST, r700::AluOpcode::AshrInt.row().code);
                }
            }
        }
        self.0.load(&r700::Case { program: program.encode(), ..case.clone() })
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        Engine::<R700>::step(&mut self.0)
    }

    fn state(&self) -> Result<&r700::State, EngineError> {
        Engine::<R700>::state(&self.0)
    }

    fn adopt(&mut self, extent: Extent, from: &r700::State) -> Result<(), EngineError> {
        Engine::<R700>::adopt(&mut self.0, extent, from)
    }
}

/// A fault of the engine is found behind the protocol, step by step and at the end, and is what it is called.
#[test]
fn a_wrong_shift_of_r700_is_found_behind_the_protocol() {
    for without in [|_: &mut Hello| (), |hello: &mut Hello| hello.steps = false] {
        let faulty = || {
            let executor = parallax_executor::r700::Executor::new();
            Box::new(ArithmeticShift(executor)) as Box<dyn Engine<R700>>
        };
        let outside = served::<R700>(faulty, without);
        let suites = R700::outside_suites(Device::Rv770, &outside);
        let suite = suites.iter().find(|suite| suite.name() == "r700").expect("it has cases");
        let mut worker = suite.worker();
        let wrong = (0..400).find(|seed| worker.run(*seed).diverged.is_some()).expect("found");
        let finding = worker.investigate(wrong).expect("it stays");
        assert!(finding.kind.starts_with("LSHR_INT result"), "{}", finding.text);
        assert!(finding.instruction.contains("LSHR_INT"), "{}", finding.text);
        assert_eq!(finding.instructions, 1, "{}", finding.text);
    }
}

/// The suffixes of the types in an instruction's text, an account of them that is not the harness's.
fn types_in(text: &str) -> Vec<&str> {
    let suffix = |part: &str| part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
    text.split(':').skip(1).map(|part| &part[..suffix(part)]).collect()
}

fn one_instruction(device: Device, source: &str) -> Case {
    let program = text::parse(device, source).expect("it assembles");
    Case::new(device, program.program.bytes().to_vec(), Box::new(State::of(device)), 10)
}

/// An engine that lists types gets instructions of these only: destinations and sources that are `null` have
/// types too, which decide how the others are converted.
#[test]
fn cases_keep_to_the_types_of_the_hello() {
    let outside = executor(|hello| hello.types = Some(vec!["ud".to_owned(), "d".to_owned()]));
    let engine = UnderTest::Outside(outside);
    for (device, source, is_beyond) in [
        (Device::G45, "or (4) null<4>:b r2<4;4,1>:d r3<4;4,1>:d", true),
        (Device::Ivb, "mov (4) null<1>:df r2<4;4,1>:d", true),
        (Device::G45, "add (8) r4<1>:d null<8;8,1>:w r3<8;8,1>:d", true),
        (Device::G45, "or (8) null<1>:d r2<8;8,1>:d r3<8;8,1>:d", false),
        (Device::G45, "nop", false),
    ] {
        let beyond = engine.beyond::<Eu>(&one_instruction(device, source));
        assert_eq!(beyond.is_some(), is_beyond, "{source}: {beyond:?}");
    }
    let (mut given, mut kept_back) = (0, 0);
    for device in [Device::G45, Device::Ivb, Device::Skl, Device::Dg1] {
        for case in cases(device, 120) {
            let program = Program::decode(device, &case.program).expect("generated");
            for placed in program.instructions() {
                let code = &case.program[placed.offset..][..placed.instruction.bytes()];
                let one = Case::new(device, code.to_vec(), Box::new(State::of(device)), 1);
                let text = text::print(device, &placed.instruction);
                let types = types_in(&text);
                if engine.beyond::<Eu>(&one).is_some() {
                    kept_back += 1;
                    continue;
                }
                given += usize::from(!types.is_empty());
                let allowed = |of: &&str| matches!(*of, "ud" | "d");
                assert!(types.iter().all(allowed), "{text}");
            }
        }
    }
    assert!(given > 300 && kept_back > 300, "{given} given, {kept_back} kept back");
}

/// A device of another machine has none of the banks: its cases cannot be generated.
#[test]
fn a_hello_names_devices_of_its_machine() {
    for (machine, device, is_one) in [
        ("eu", "rv770", false),
        ("eu", "dg1", true),
        ("r700", "g45", false),
        ("r700", "rv770", true),
    ] {
        let bank = if machine == "eu" { "r" } else { "R" };
        let hello = Hello { machine: machine.to_owned(), ..Hello::new("mine", &[device], &[bank]) };
        let checked = check_hello(&hello);
        assert_eq!(checked.is_ok(), is_one, "{machine} on {device}: {checked:?}");
        if let Err(sentence) = checked {
            assert!(sentence.contains("no device of the machine"), "{sentence}");
        }
    }
}
