//! The suite `eu-examples`: the programs and statements that the documents themselves show, and messages
//! for which they give numbers, on random registers and texels, in lockstep and against plain Rust that
//! does what the document says they do.
//!
//! An example's rules count when the registers at its end are those that the plain Rust comes to.

mod gen4;
mod gen7;
mod gen9;
mod limits;
mod registers;
mod sampler;
mod scratch;
mod talk;

use std::sync::LazyLock;

use parallax_isa::{
    Device,
    eu::{Case, State, text},
    shared::SharedFunctions,
};
use parallax_spec::{
    RuleId,
    coverage::{self, Weight},
};

use self::registers::Registers;
use crate::{choices::Choices, random::SplitMix64, render::Place};

/// Bytes that are enough for any case: a seed of its registers.
pub(super) const BYTES: usize = 16;

/// Starts from which each example is run.
pub(super) const STARTS: usize = 4;

/// Most steps of an example.
const STEPS: u64 = 1000;

/// A program of a document.
pub(super) struct Example {
    name: &'static str,
    text: &'static str,
    /// Devices that it is for, as far as their assemblers take it.
    devices: &'static [Device],
    /// What its messages go to.
    meets: fn() -> SharedFunctions,
    /// Gives the registers that it reads values for which the document settles what happens.
    prepare: fn(&mut SplitMix64, &mut Registers),
    /// Does the same in plain Rust: turns the registers of the start into those of the end.
    scalar: fn(&mut Registers),
    /// General registers whose contents at the end do not matter.
    scratch: &'static [usize],
    /// What the document says with it.
    rules: &'static [RuleId],
}

impl Example {
    /// What the document says with it.
    pub(super) const fn rules(&self) -> &'static [RuleId] {
        self.rules
    }
}

/// The examples, in the order of their documents.
const EXAMPLES: [&[Example]; 7] = [
    gen4::EXAMPLES,
    limits::EXAMPLES,
    scratch::EXAMPLES,
    sampler::EXAMPLES,
    gen7::EXAMPLES,
    gen9::EXAMPLES,
    talk::EXAMPLES,
];

/// An example as machine code of a device.
struct Assembled {
    device: Device,
    example: &'static Example,
    program: Vec<u8>,
    shared_functions: SharedFunctions,
}

/// The devices that have examples.
fn devices() -> impl Iterator<Item = Device> {
    Device::GEN4.into_iter().chain(Device::LATER)
}

/// The examples that a device's assembler takes.
fn examples(device: Device) -> impl Iterator<Item = &'static Assembled> {
    static ALL: LazyLock<Vec<Assembled>> = LazyLock::new(|| {
        let of_device =
            |device| EXAMPLES.into_iter().flatten().map(move |example| (device, example));
        let assembled = |(device, example): (Device, &'static Example)| {
            if !example.devices.contains(&device) {
                return None;
            }
            let read = coverage::uncounted(|| text::parse(device, example.text)).ok()?;
            let program = read.program.bytes().to_vec();
            Some(Assembled { device, example, program, shared_functions: (example.meets)() })
        };
        devices().flat_map(of_device).filter_map(assembled).collect()
    });
    ALL.iter().filter(move |assembled| assembled.device == device)
}

impl Assembled {
    /// The case of the example from registers on.
    fn case(&self, state: Box<State>) -> Case {
        let mut case = Case::new(self.device, self.program.clone(), state, STEPS);
        case.surroundings.shared_functions = self.shared_functions.clone();
        case
    }

    fn is_of(&self, case: &Case) -> bool {
        // Examples of messages differ in what they meet.
        self.program == case.program && self.shared_functions == case.surroundings.shared_functions
    }
}

/// Random registers of an example on a device.
fn start(example: &Example, device: Device, random: &mut SplitMix64) -> Box<State> {
    let mut state = Box::new(State::of(device));
    random.fill(state.grf.as_flattened_mut());
    let (flags, addresses) = (random.next(), [random.next(), random.next()]);
    for (n, flag) in state.flag.iter_mut().enumerate() {
        *flag = (flags >> (16 * n)) as u16;
    }
    for (n, address) in state.address.iter_mut().take(8).enumerate() {
        *address = (addresses[n / 4] >> (16 * (n % 4))) as u16 & 0xFFF;
    }
    (example.prepare)(random, &mut Registers(&mut state));
    state
}

/// A case of one of the examples, which bytes choose.
pub(super) fn generate(device: Device, bytes: &[u8]) -> (Case, Option<&'static Example>) {
    let mut choices = Choices::new(bytes);
    let mut random = SplitMix64::new(choices.word().into());
    let known: Vec<_> = examples(device).collect();
    let known = known[random.below(known.len() as u64) as usize];
    let state = start(known.example, device, &mut random);
    (known.case(state), Some(known.example))
}

/// Other registers for the example of a case.
pub(super) fn start_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    if let Some(known) = examples(case.device).find(|known| known.is_of(case)) {
        case.state = start(known.example, case.device, random);
    }
}

/// Does in plain Rust what the document says of an example; the first register that is something else
/// in the state at the end of an engine's run.
pub(super) fn check(example: &&'static Example, case: &Case, end: &State) -> Option<Place> {
    let mut expected = case.state.clone();
    (example.scalar)(&mut Registers(&mut expected));
    let place = first_difference(example, &expected, end);
    coverage::drop_marks();
    coverage::hit_all(example.rules);
    coverage::finalize(if place.is_none() { Weight::Exact } else { Weight::Failed });
    place
}

fn first_difference(example: &Example, expected: &State, end: &State) -> Option<Place> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let general = expected.grf.iter().zip(&end.grf).enumerate();
    let mut differing = general
        .filter(|(number, (expected, end))| expected != end && !example.scratch.contains(number));
    if let Some((number, (expected, end))) = differing.next() {
        let name = format!("{}: r{number}", example.name);
        return Some(Place { name, bytes: None, expected: hex(expected), actual: hex(end) });
    }
    let memory = expected.memory.graphics.iter().zip(&end.memory.graphics).enumerate();
    let mut memory = memory.filter(|(_, (expected, end))| expected != end);
    if let Some((address, (expected, end))) = memory.next() {
        let name = format!("{}: graphics address {address:#x}", example.name);
        return Some(Place::of_word(name, (*expected).into(), (*end).into()));
    }
    let words = |state: &State| [&state.flag[..], &state.address].concat();
    let pairs = words(expected).into_iter().zip(words(end)).enumerate();
    let (number, (expected, end)) =
        pairs.into_iter().find(|(_, (expected, end))| expected != end)?;
    let register = match number {
        0..4 => format!("f{}.{}", number / 2, number % 2),
        _ => format!("a0.{}", number - 4),
    };
    let name = format!("{}: {register}", example.name);
    Some(Place::of_word(name, expected.into(), end.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eu::Eu;
    use parallax_executor::eu::Executor;
    use parallax_isa::Model as _;
    use parallax_reference::eu::Reference;

    /// What the reference ends with for an example on a device.
    fn end(case: &Case) -> Box<State> {
        let mut reference = Reference::new();
        let verdict = crate::lockstep::lockstep::<Eu>(&mut reference, &mut Executor::new(), case);
        assert!(matches!(verdict, crate::lockstep::Verdict::Agreed(_)), "{verdict:?}");
        Box::new(*reference.state())
    }

    #[test]
    fn examples_do_what_their_documents_say() {
        let of_all = devices().flat_map(examples);
        for assembled in of_all {
            let Assembled { device, example, .. } = assembled;
            let mut random = SplitMix64::new(7);
            for _ in 0..50 {
                let case = assembled.case(start(example, *device, &mut random));
                let place = check(example, &case, &end(&case));
                assert_eq!(place, None, "{device} {}", example.name);
            }
        }
    }

    /// Another start of a case is one of its own example.
    #[test]
    fn each_example_is_told_from_the_others() {
        for device in devices() {
            for assembled in examples(device) {
                let case = assembled.case(Box::new(State::of(device)));
                let of_case: Vec<_> = examples(device).filter(|known| known.is_of(&case)).collect();
                let names: Vec<_> = of_case.iter().map(|known| known.example.name).collect();
                assert_eq!(names, [assembled.example.name], "{device}");
            }
        }
    }

    /// Every example is one of some device, and plain Rust that leaves everything as it was is
    /// noticed in each.
    #[test]
    fn each_example_can_fail() {
        for example in EXAMPLES.into_iter().flatten() {
            let on = |device| examples(device).find(|known| known.example.name == example.name);
            let assembled = devices().find_map(on).expect("it fits a device");
            let idle = Example { scalar: |_| (), ..*example };
            let mut random = SplitMix64::new(11);
            let noticed = (0..20).any(|_| {
                let case = assembled.case(start(example, assembled.device, &mut random));
                first_difference(&idle, &case.state, &end(&case)).is_some()
            });
            assert!(noticed, "{}", example.name);
        }
    }
}
