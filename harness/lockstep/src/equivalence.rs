//! Whether two programs compute the same: both run from the same starts, and what they leave in the places that
//! count is compared.
//!
//! What the manual leaves open in the first program may be anything in the second one; what it leaves open in the
//! second one only is a difference. To know what depends on an open result, the reference runs the program once more
//! with another value that is accepted there.

use std::{
    borrow::Cow,
    ops::Range,
    time::{Duration, Instant},
};

use parallax_isa::{
    Acceptance, Device, Engine, EngineError, Image, LoadError, Outcome, Reference, Step,
    eu::state::State as Thread, r700,
};

use crate::{
    eu::{self, Eu},
    lockstep::{Divergence, Verdict, lockstep},
    r700::R700,
    random::SplitMix64,
    subject::Subject,
};

/// Of so many starts each is run on both engines, of the later ones one in so many. From others the reference is asked
/// only where the executor sees a difference.
const THOROUGH: u64 = 64;
/// Starts that are tried to make one that shows a difference simpler, and how long that goes on.
const MOST_ATTEMPTS: usize = 2000;
const MOST_TIME: Duration = Duration::from_secs(5);

/// A machine whose programs are compared.
pub trait Comparable: Subject<State: Send> {
    /// The banks that starts are drawn for.
    const INPUTS: &'static [&'static str];
    /// The banks that count unless others are named.
    const OUTPUTS: &'static [&'static str];

    /// The state that a case starts from.
    fn initial_state(case: &mut Self::Case) -> &mut Self::State;

    /// Gives a case another start, as campaigns do.
    fn start_elsewhere(random: &mut SplitMix64, case: &mut Self::Case);

    /// Disables channels or pixels: those that are not in a mask.
    fn enable_only(device: Device, state: &mut Self::State, mask: u64);
}

impl Comparable for Eu {
    const INPUTS: &'static [&'static str] = &["r", "f", "m", "mem", "slm", "gmem"];
    const OUTPUTS: &'static [&'static str] = &["r", "m", "mem", "slm", "gmem", "urb"];

    fn initial_state(case: &mut Self::Case) -> &mut Thread {
        &mut case.state
    }

    fn start_elsewhere(random: &mut SplitMix64, case: &mut Self::Case) {
        eu::generate::start_elsewhere(random, case);
    }

    fn enable_only(device: Device, state: &mut Thread, mask: u64) {
        if Device::GEN4.contains(&device) {
            state.mask.iter_mut().for_each(|of_kind| *of_kind &= mask as u16);
            state.status[1] &= mask as u32 | !0xFFFF;
        } else {
            state.status[2] &= mask as u32;
        }
    }
}

impl Comparable for R700 {
    const INPUTS: &'static [&'static str] = &["R", "MEM", "LDS"];
    const OUTPUTS: &'static [&'static str] = &["EXPORT", "exported", "MEM"];

    fn initial_state(case: &mut Self::Case) -> &mut r700::State {
        &mut case.state
    }

    fn start_elsewhere(random: &mut SplitMix64, case: &mut Self::Case) {
        crate::r700::generate::start_elsewhere(random, case);
    }

    fn enable_only(_: Device, state: &mut r700::State, mask: u64) {
        state.pixels.active &= mask;
        state.valid &= mask;
    }
}

/// How far an element of an output may be off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// Not at all.
    Exact,
    /// Floats, by so many units in the last place. One NaN is as good as another.
    Units(u64),
    /// Floats, by a part of the one of the first program. One NaN is as good as another.
    Part(f64),
}

/// Places that count.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Their bytes in the image of the state.
    pub places: Range<usize>,
    /// Bytes of an element.
    pub size: usize,
    /// How far each element may be off; of 2, 4 or 8 bytes unless it is exact.
    pub tolerance: Tolerance,
}

impl Output {
    /// Whether an element of the second program is as good as that of the first.
    fn accepts(&self, first: &[u8], second: &[u8]) -> bool {
        let bits = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, b| bits << 8 | u64::from(*b));
        let value = |bytes: &[u8]| match self.size {
            2 => half::f16::from_bits(bits(bytes) as u16).to_f64(),
            4 => f64::from(f32::from_bits(bits(bytes) as u32)),
            _ => f64::from_bits(bits(bytes)),
        };
        // Floats in their order as integers.
        let place = |bytes: &[u8]| {
            let (bits, sign) = (bits(bytes), 1 << (8 * self.size - 1));
            let magnitude = i128::from(bits & (sign - 1));
            if bits & sign == 0 { magnitude } else { -magnitude }
        };
        let (a, b) = (value(first), value(second));
        first == second
            || match self.tolerance {
                Tolerance::Exact => false,
                _ if a.is_nan() || b.is_nan() => a.is_nan() && b.is_nan(),
                Tolerance::Units(most) => place(first).abs_diff(place(second)) <= u128::from(most),
                Tolerance::Part(part) => a == b || a.is_finite() && (a - b).abs() <= part * a.abs(),
            }
    }
}

/// Two programs.
pub struct Pair<M: Comparable> {
    /// Each with what surrounds it, and the state that it starts from where none is drawn.
    pub cases: [M::Case; 2],
    /// The places that starts are drawn for.
    pub inputs: Vec<Range<usize>>,
    /// Whether channels are disabled in some starts.
    pub masks: bool,
    /// The places that count.
    pub outputs: Vec<Output>,
}

/// What came of a start.
#[derive(Debug)]
pub enum Compared<S> {
    /// Both programs do the same.
    Same,
    /// The first one does not come to a defined end: why.
    Skipped(String),
    /// They differ.
    Different(Box<Difference<S>>),
    /// The engines differ in a program, the first or the second.
    Engines(usize, Box<Divergence>),
}

/// How two programs differ.
#[derive(Debug, Clone)]
pub struct Difference<S> {
    /// The start.
    pub start: Box<S>,
    /// How each program ends, if that is not alike.
    pub outcomes: Option<[Outcome; 2]>,
    /// The elements that differ.
    pub elements: Vec<Differing>,
}

/// An element that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differing {
    /// Its bytes in the image of the state.
    pub places: Range<usize>,
    /// What it is after each program.
    pub bytes: [Vec<u8>; 2],
    /// Whether the manual leaves it open after the second one.
    pub is_open: bool,
}

/// Why programs cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// One of them does not load.
    #[error("the {program} program: {error}")]
    Load {
        /// Which: `first` or `second`.
        program: &'static str,
        /// Why.
        error: LoadError,
    },
    /// An engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Problem {
    fn load(number: usize, error: LoadError) -> Self {
        Self::Load { program: ["first", "second"][number], error }
    }
}

/// Compares two programs, a start at a time.
pub struct Comparison<'p, M: Comparable> {
    pair: &'p Pair<M>,
    cases: [M::Case; 2],
    executors: [Box<dyn Engine<M>>; 2],
    are_loaded: bool,
}

/// How a program ends.
struct End<S> {
    outcome: Outcome,
    state: Box<S>,
    /// How it ends if open results are others.
    other: Option<Box<S>>,
}

impl<'p, M: Comparable> Comparison<'p, M> {
    /// Compares these.
    #[must_use]
    pub fn new(pair: &'p Pair<M>) -> Self {
        let executor = || (M::ENGINES[0].make)();
        let executors = [executor(), executor()];
        Self { pair, cases: pair.cases.clone(), executors, are_loaded: false }
    }

    /// Draws a start of a seed.
    #[must_use]
    pub fn draw(&self, seed: u64) -> Box<M::State> {
        let mut random = SplitMix64::new(seed);
        let mut drawn = self.pair.cases[0].clone();
        let mut start = Box::new(*M::initial_state(&mut drawn));
        M::start_elsewhere(&mut random, &mut drawn);
        let image = M::initial_state(&mut drawn).image();
        for places in &self.pair.inputs {
            start.image_mut()[places.clone()].copy_from_slice(&image[places.clone()]);
        }
        // Half of the starts have all channels, an eighth one.
        if self.pair.masks && random.below(2) == 0 {
            let mask = if random.below(4) == 0 { 1 << random.below(8) } else { random.next() };
            let device = M::device(&drawn).parse().expect("the device of a case");
            M::enable_only(device, &mut start, mask);
        }
        start
    }

    /// Compares both programs from the start of a number, drawn by a seed.
    ///
    /// # Errors
    /// If one does not load, or an engine fails.
    pub fn compare(&mut self, number: u64, seed: u64) -> Result<Compared<M::State>, Problem> {
        let start = self.draw(seed);
        let is_thorough = number < THOROUGH || number.is_multiple_of(THOROUGH);
        match self.quickly(&start)? {
            Some(Compared::Same) if is_thorough => self.thoroughly(&start),
            Some(compared) => Ok(compared),
            None => self.thoroughly(&start),
        }
    }

    /// Whether a program changes something that counts from a start.
    ///
    /// # Errors
    /// If one does not load, or an engine fails.
    pub fn writes(&mut self, seed: u64) -> Result<bool, Problem> {
        let start = self.draw(seed);
        self.start(&start)?;
        for executor in &mut self.executors {
            executor.run_for(u64::MAX)?;
            let (before, after) = (start.image(), executor.state()?.image());
            let mut outputs = self.pair.outputs.iter().map(|output| output.places.clone());
            if outputs.any(|places| before[places.clone()] != after[places]) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Lets both executors begin.
    fn start(&mut self, start: &M::State) -> Result<(), Problem> {
        for (number, (case, executor)) in self.cases.iter_mut().zip(&mut self.executors).enumerate()
        {
            *M::initial_state(case) = *start;
            let loaded =
                if self.are_loaded { executor.start_again(case) } else { executor.load(case) };
            loaded.map_err(|error| Problem::load(number, error))?;
        }
        self.are_loaded = true;
        Ok(())
    }

    /// Compares them on the executor; `None` if it is not clear that they do the same.
    fn quickly(&mut self, start: &M::State) -> Result<Option<Compared<M::State>>, Problem> {
        self.start(start)?;
        let mut outcomes = Vec::new();
        for executor in &mut self.executors {
            match executor.run_for(u64::MAX)? {
                // The reference would take long to come to a limit of steps.
                Step::Finished(outcome) if outcomes.is_empty() && !is_defined(&outcome) => {
                    return Ok(Some(Compared::Skipped(outcome.to_string())));
                }
                Step::Finished(outcome) => outcomes.push(outcome),
                Step::Continue => return Ok(None),
            }
        }
        if !end_alike(&outcomes[0], &outcomes[1]) {
            return Ok(None);
        }
        let [first, second] = [0, 1].map(|number: usize| self.executors[number].state());
        let (first, second) = (first?.image(), second?.image());
        let mut outputs = self.pair.outputs.iter().map(|output| output.places.clone());
        let are_same = outputs.all(|places| first[places.clone()] == second[places]);
        Ok(are_same.then_some(Compared::Same))
    }

    /// Compares them on the reference, and holds the executor against it.
    fn thoroughly(&mut self, start: &M::State) -> Result<Compared<M::State>, Problem> {
        for (number, case) in self.cases.iter_mut().enumerate() {
            *M::initial_state(case) = *start;
            self.are_loaded = false;
            let executor = &mut *self.executors[number];
            match lockstep::<M>(&mut *M::reference(), executor, case) {
                Verdict::Agreed(_) => {}
                Verdict::NotRun(error) => return Err(Problem::load(number, error)),
                Verdict::Diverged(divergence) => return Ok(Compared::Engines(number, divergence)),
            }
        }
        self.on_reference(start)
    }

    fn on_reference(&mut self, start: &M::State) -> Result<Compared<M::State>, Problem> {
        let mut end = |number: usize| {
            let case = &mut self.cases[number];
            *M::initial_state(case) = *start;
            end::<M>(case).map_err(|problem| match problem {
                Failed::Load(error) => Problem::load(number, error),
                Failed::Engine(error) => Problem::Engine(error),
            })
        };
        let first = end(0)?;
        if !is_defined(&first.outcome) {
            return Ok(Compared::Skipped(first.outcome.to_string()));
        }
        let second = end(1)?;
        let outcomes = (!end_alike(&first.outcome, &second.outcome))
            .then(|| [first.outcome.clone(), second.outcome.clone()]);
        let outputs = self.pair.outputs.iter();
        let elements: Vec<_> =
            outputs.flat_map(|output| differing::<M>(output, &first, &second)).collect();
        if outcomes.is_none() && elements.is_empty() {
            return Ok(Compared::Same);
        }
        let start = Box::new(*start);
        Ok(Compared::Different(Box::new(Difference { start, outcomes, elements })))
    }

    /// A difference from a simpler start: as many inputs as possible are zero, and channels enabled.
    ///
    /// # Errors
    /// If one does not load, or an engine fails.
    pub fn simpler(
        &mut self,
        difference: Difference<M::State>,
    ) -> Result<Difference<M::State>, Problem> {
        let mut found = difference;
        let (began, mut attempts) = (Instant::now(), 0);
        let mut attempt = |this: &mut Self, found: &mut Difference<_>, start: &M::State| {
            attempts += 1;
            if attempts <= MOST_ATTEMPTS
                && began.elapsed() < MOST_TIME
                && let Compared::Different(simpler) = this.on_reference(start)?
            {
                *found = *simpler;
            }
            Ok::<_, Problem>(())
        };
        let mut all_channels = *M::initial_state(&mut self.pair.cases[0].clone());
        for places in &self.pair.inputs {
            let drawn = &found.start.image()[places.clone()];
            all_channels.image_mut()[places.clone()].copy_from_slice(drawn);
        }
        attempt(self, &mut found, &all_channels)?;
        for size in [4096, 512, 128, 32, 4] {
            for places in &self.pair.inputs {
                for first in places.clone().step_by(size) {
                    let chunk = first..(first + size).min(places.end);
                    let mut start = found.start.clone();
                    let bytes = &mut start.image_mut()[chunk];
                    if bytes.iter().any(|byte| *byte != 0) {
                        bytes.fill(0);
                        attempt(self, &mut found, &start)?;
                    }
                }
            }
        }
        Ok(found)
    }
}

/// Whether an end says something of what is left.
const fn is_defined(outcome: &Outcome) -> bool {
    !matches!(outcome, Outcome::Undefined(_) | Outcome::StepLimit)
}

/// Whether two programs end in the same way.
fn end_alike(first: &Outcome, second: &Outcome) -> bool {
    let is_plain = |outcome: &Outcome| matches!(outcome, Outcome::Halted | Outcome::EndOfThread);
    is_plain(first) && is_plain(second) || first == second
}

/// The elements of an output that differ between two ends.
fn differing<M: Comparable>(
    output: &Output,
    first: &End<M::State>,
    second: &End<M::State>,
) -> Vec<Differing> {
    let bytes =
        |end: &'_ End<M::State>, places: &Range<usize>| end.state.image()[places.clone()].to_vec();
    let is_open = |end: &End<M::State>, places: &Range<usize>| {
        let other = end.other.as_ref();
        other.is_some_and(|other| other.image()[places.clone()] != bytes(end, places))
    };
    let elements = output.places.clone().step_by(output.size.max(1));
    let elements = elements.map(|first| first..(first + output.size).min(output.places.end));
    elements
        .filter(|places| !is_open(first, places))
        .filter_map(|places| {
            let [a, b] = [bytes(first, &places), bytes(second, &places)];
            let is_open = is_open(second, &places);
            let differs = is_open || !output.accepts(&a, &b);
            differs.then_some(Differing { places, bytes: [a, b], is_open })
        })
        .collect()
}

/// Why a program does not come to an end.
enum Failed {
    Load(LoadError),
    Engine(EngineError),
}

/// Runs a program on the reference: twice if the manual leaves results open, with other values there.
fn end<M: Comparable>(case: &M::Case) -> Result<End<M::State>, Failed> {
    let mut reference = M::reference();
    let (outcome, state, has_open) = run::<M>(&mut *reference, case, false)?;
    let other = match has_open && is_defined(&outcome) {
        false => None,
        true => {
            let (other_outcome, other, _) = run::<M>(&mut *reference, case, true)?;
            if other_outcome != outcome {
                let why = "how it ends depends on a result that the manual leaves open".to_owned();
                return Ok(End { outcome: Outcome::Undefined(why), state, other: None });
            }
            Some(other)
        }
    };
    Ok(End { outcome, state, other })
}

/// Runs a program, with its own results or with others where they are open; whether there were such.
fn run<M: Comparable>(
    reference: &mut dyn Reference<M>,
    case: &M::Case,
    with_others: bool,
) -> Result<(Outcome, Box<M::State>, bool), Failed> {
    reference.load(case).map_err(Failed::Load)?;
    let mut has_open = false;
    loop {
        if let Step::Finished(outcome) = reference.step().map_err(Failed::Engine)? {
            let state = reference.state().map_err(Failed::Engine)?;
            return Ok((outcome, Box::new(*state), has_open));
        }
        let expectations = Cow::Borrowed(reference.expectations());
        has_open |= !expectations.is_empty();
        if !with_others || expectations.is_empty() {
            continue;
        }
        let expectations = expectations.into_owned();
        let mut others = Box::new(*reference.state().map_err(Failed::Engine)?);
        for expectation in &expectations {
            let extent = expectation.extent;
            let value = other(expectation.acceptance, extent.read(others.image()), extent.mask);
            extent.write(others.image_mut(), value);
        }
        for expectation in &expectations {
            reference.adopt(expectation.extent, &others).map_err(Failed::Engine)?;
        }
    }
}

/// Another value that is accepted, if there is one.
fn other(acceptance: Acceptance, bits: u64, mask: u64) -> u64 {
    match acceptance {
        Acceptance::Undefined => !bits & mask,
        Acceptance::Or(other) => other,
        Acceptance::Within32(range) => {
            u64::from(if bits == u64::from(range.low) { range.high } else { range.low })
        }
        Acceptance::AnyNan16
        | Acceptance::AnyNan32
        | Acceptance::AnyNan64
        | Acceptance::NonZero
        | Acceptance::Ulp32(_)
        | Acceptance::Ulp64(_) => {
            let near = [bits ^ 1, bits ^ 2];
            near.into_iter().find(|near| acceptance.accepts(bits, *near)).unwrap_or(bits)
        }
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::Range32;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(Tolerance::Exact, 1.0, 1.0, true)]
    #[case(Tolerance::Exact, 0.0, -0.0, false)]
    #[case(Tolerance::Exact, f32::NAN, -f32::NAN, false)]
    #[case(Tolerance::Units(0), 0.0, -0.0, true)]
    #[case(Tolerance::Units(1), 1.0, 1.000_000_1, true)]
    #[case(Tolerance::Units(1), 1.0, 1.000_000_2, false)]
    #[case(Tolerance::Units(2), f32::from_bits(1), -f32::from_bits(1), true)]
    #[case(Tolerance::Units(1), f32::NAN, -f32::NAN, true)]
    #[case(Tolerance::Units(u64::MAX), f32::NAN, 1.0, false)]
    #[case(Tolerance::Part(1e-3), 1000.0, 1000.9, true)]
    #[case(Tolerance::Part(1e-3), 1000.0, 1001.1, false)]
    #[case(Tolerance::Part(1e-3), f32::INFINITY, f32::MAX, false)]
    #[case(Tolerance::Part(1e-3), 0.0, 1e-30, false)]
    fn floats_may_be_off(
        #[case] tolerance: Tolerance,
        #[case] first: f32,
        #[case] second: f32,
        #[case] expected: bool,
    ) {
        let output = Output { places: 0..4, size: 4, tolerance };
        assert_eq!(output.accepts(&first.to_le_bytes(), &second.to_le_bytes()), expected);
    }

    /// A name that no bank has would leave out what counts.
    #[test]
    fn inputs_and_outputs_are_banks() {
        fn are_banks<M: Comparable>() {
            let mut names = M::INPUTS.iter().chain(M::OUTPUTS);
            let is_bank = |name: &&str| M::State::BANKS.iter().any(|bank| bank.name == *name);
            assert_eq!(names.find(|name| !is_bank(name)), None);
        }
        are_banks::<Eu>();
        are_banks::<R700>();
    }

    /// Another value is another one, and accepted: else nothing would be seen of what depends on an open result.
    #[rstest]
    #[case(Acceptance::Undefined, 7, 0xFFFF_FFFF)]
    #[case(Acceptance::Or(0x8000_0000), 0, 0xFFFF_FFFF)]
    #[case(Acceptance::AnyNan16, 0x7E00, 0xFFFF)]
    #[case(Acceptance::AnyNan32, 0x7F80_0001, 0xFFFF_FFFF)]
    #[case(Acceptance::AnyNan64, 0x7FF0_0000_0000_0001, u64::MAX)]
    #[case(Acceptance::NonZero, 1, 0xF)]
    #[case(Acceptance::Ulp32(1), 0x3F80_0000, 0xFFFF_FFFF)]
    #[case(Acceptance::Ulp64(2), 0x3FF0_0000_0000_0000, u64::MAX)]
    #[case(Acceptance::Within32(Range32 { low: 0x3F80_0000, high: 0x4000_0000 }), 0x3F80_0000, 0xFFFF_FFFF)]
    fn another_value_is_accepted(
        #[case] acceptance: Acceptance,
        #[case] bits: u64,
        #[case] mask: u64,
    ) {
        let other = other(acceptance, bits, mask);
        assert_ne!(other, bits);
        assert!(acceptance.accepts(bits, other), "{other:x}");
    }
}
