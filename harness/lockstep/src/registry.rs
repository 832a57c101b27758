//! The machines there are. Whatever works with any of them — suites, traces, reports, the command —
//! looks them up here.

mod any_machine;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use parallax_engine::Hello;
use parallax_isa::{
    Device, Engine as _, EngineError, Image, LoadError, Machine, enums::Code, image::Bank,
    query::Queries, units::Event,
};
use serde_json::Value;

use crate::{
    conformance::{Sample, samples},
    elements::written,
    eu::Eu,
    form::{Form, Parts},
    lockstep::{Verdict, lockstep, lockstep_at},
    minimize::{Shrink, minimize_repeated},
    outside::{Allowance, Outside, PREFIX, is_outside},
    r700::R700,
    subject::{NoEngine, Subject, UnderTest, UnknownEngine, reference},
    suite::Suite,
    surface::Surface,
    trace::{self, End, Trace, TraceError},
};

pub use any_machine::{AnyMachine, EndBank, EndTest, Problem, Replayed, Shown, ShownStep, Smaller};

/// Every machine.
pub static MACHINES: [&dyn AnyMachine; 5] = [
    &Registered::<Eu>::NEW,
    &Registered::<R700>::NEW,
    &Registered::<Surface>::NEW,
    &Registered::<Queries<Event>>::NEW,
    &Registered::<Queries<Code>>::NEW,
];

/// Every suite on a device.
#[must_use]
pub fn suites(device: Device) -> Vec<Box<dyn Suite>> {
    MACHINES.iter().flat_map(|machine| machine.suites(device)).collect()
}

/// What instructions of a device can have in common, by the places of [`crate::Features`]; none if there is no
/// such device.
#[must_use]
pub(crate) fn features(device: &str) -> &'static [&'static str] {
    device.parse().map_or(&[], |device| match device {
        Device::Rv770 => R700::FEATURES,
        _ => Eu::FEATURES,
    })
}

/// The machine of a name.
#[must_use]
pub fn machine(name: &str) -> Option<&'static dyn AnyMachine> {
    MACHINES.into_iter().find(|machine| machine.name() == name)
}

/// Holds that some machine has an engine of a name.
///
/// # Errors
/// If none has.
pub fn find_engine(name: &str) -> Result<(), UnknownEngine> {
    let known: BTreeSet<_> = MACHINES.iter().flat_map(|machine| machine.engines()).collect();
    if known.contains(name) {
        return Ok(());
    }
    Err(UnknownEngine { name: name.to_owned(), known: known.into_iter().collect() })
}

/// The engine of a name; `cmd:` and a command starts one in a process of its own, `unix:` and a path takes up
/// one that listens there.
///
/// # Errors
/// If no machine has an engine of that name, or the process does not start or makes no sense.
pub fn under_test(name: &str, allowance: Allowance) -> Result<UnderTest, NoEngine> {
    if is_outside(name) {
        let command = name.strip_prefix(PREFIX).unwrap_or(name);
        return match Outside::start(command.trim(), allowance, check_hello) {
            Ok(outside) => Ok(UnderTest::Outside(outside)),
            Err(why) => Err(NoEngine::Outside(format!("`{name}` is no engine: {why}"))),
        };
    }
    find_engine(name)?;
    Ok(UnderTest::Named(name.to_owned()))
}

/// Holds that what an engine outside of this process says of itself is something that the machines here
/// know.
///
/// # Errors
/// If it is not: what, in a sentence.
pub fn check_hello(hello: &Hello) -> Result<(), String> {
    let Hello { name, machine, devices, banks, .. } = hello;
    let Some(known) = self::machine(machine).filter(|known| known.has_form()) else {
        let known = MACHINES.iter().filter(|known| known.has_form()).map(|known| known.name());
        return Err(format!(
            "{name} says it runs the machine `{machine}`; the protocol has {}",
            known.collect::<Vec<_>>().join(", ")
        ));
    };
    if devices.is_empty() {
        return Err(format!("{name} names no device that it runs cases of"));
    }
    let is_on = |device: Device| known.is_on(device);
    for (number, device) in devices.iter().enumerate() {
        if devices[..number].contains(device) {
            return Err(format!("{name} names the device {device} twice"));
        }
        if !is_on(device.parse::<Device>().map_err(|error| format!("{name}: {error}"))?) {
            let its: Vec<_> =
                Device::ALL.iter().filter(|d| is_on(**d)).map(|device| device.name()).collect();
            return Err(format!(
                "{name} says it runs cases of {device}, which is no device of the machine `{machine}`; \
                 those are {}",
                its.join(", ")
            ));
        }
    }
    if banks.is_empty() {
        return Err(format!("{name} names no bank that it has: nothing could be compared"));
    }
    for (number, bank) in banks.iter().enumerate() {
        if !known.banks().iter().any(|there| there.name == bank) {
            let names: Vec<_> = known.banks().iter().map(|bank| bank.name).collect();
            return Err(format!(
                "{name} says it has a bank `{bank}`; the machine `{machine}` has {}",
                names.join(", ")
            ));
        }
        if banks[..number].contains(bank) {
            return Err(format!("{name} names the bank `{bank}` twice"));
        }
    }
    known.check_hello(hello)
}

/// Most reasons that are given for an engine without cases.
const MOST_REASONS: usize = 3;

/// What every step of a trace did, one after the other, for people.
///
/// # Errors
/// If the case of the trace does not load.
pub fn shown_steps<M: Subject>(
    trace: Trace<M>,
) -> Result<impl Iterator<Item = ShownStep>, TraceError> {
    let mut reference = M::reference();
    reference.load(&trace.case)?;
    let mut before = Box::new(*reference.state()?);
    let mut after = before.clone();
    let place = |offset| M::State::place(offset);
    Ok((0..trace.length()).map(move |number| {
        let effects = &trace.steps[number];
        let instruction = M::describe_next(&trace.case, &before);
        effects.apply(&mut *after);
        let changed = effects.changes.iter();
        let changed = changed.flat_map(|c| c.offset..c.offset + c.bytes.len());
        let elements = written::<M>(&trace.case, &before, &after, changed);
        effects.apply(&mut *before);
        let writes = effects.changes.iter().map(|c| (place(c.offset), c.bytes.to_vec()));
        let accepted = effects.tolerances.iter();
        let accepted = accepted.map(|e| (place(e.extent.offset as usize), e.acceptance)).collect();
        ShownStep { instruction, elements, writes: writes.collect(), accepted }
    }))
}

/// A machine in the registry.
pub struct Registered<M>(std::marker::PhantomData<fn() -> M>);

impl<M> Registered<M> {
    /// The machine.
    pub const NEW: Self = Self(std::marker::PhantomData);
}

impl<M: Shrink> AnyMachine for Registered<M> {
    fn name(&self) -> &'static str {
        M::NAME
    }

    fn has_form(&self) -> bool {
        M::HAS_FORM
    }

    fn banks(&self) -> &'static [Bank] {
        <M as Machine>::State::BANKS
    }

    fn engines(&self) -> Vec<&'static str> {
        M::ENGINES.iter().map(|entry| entry.name).collect()
    }

    fn suites(&self, device: Device) -> Vec<Box<dyn Suite>> {
        M::suites(device)
    }

    fn is_on(&self, device: Device) -> bool {
        M::is_on(device)
    }

    fn outside_suites(&self, device: Device, engine: &Arc<Outside>) -> Vec<Box<dyn Suite>> {
        if engine.runs::<M>(device) { M::outside_suites(device, engine) } else { Vec::new() }
    }

    fn reasons(&self, device: Device, engine: &Outside) -> Vec<String> {
        if !engine.runs::<M>(device) {
            return Vec::new();
        }
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for reason in M::reasons(device, engine) {
            *counts.entry(reason).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| Reverse(*count));
        counts.into_iter().take(MOST_REASONS).map(|(reason, _)| reason).collect()
    }

    fn narrowed_suites(
        &self,
        device: Device,
        engine: &UnderTest,
        instructions: &[String],
    ) -> Vec<Box<dyn Suite>> {
        M::narrowed_suites(device, engine, instructions)
    }

    fn conformance(&self, device: Device, seed: u64) -> Result<Vec<Sample>, Problem> {
        Ok(samples::<M>(M::conformance(device, seed), device.name(), seed)?)
    }

    fn check_hello(&self, hello: &Hello) -> Result<(), String> {
        M::check_hello(hello)
    }

    fn lacks(&self, device: Device, engine: &Outside) -> Vec<&'static str> {
        engine.banks_it_lacks::<M>(device)
    }

    fn replay(&self, trace: &[u8], engine: &UnderTest) -> Result<Replayed, Problem> {
        let trace: Trace<M> = trace::from_bytes(trace)?;
        // Only engines of others get a table of them.
        let rules = match engine {
            UnderTest::Named(_) => Vec::new(),
            UnderTest::Outside(_) => trace::rules::<M>(&trace),
        };
        if let Some(beyond) = engine.beyond::<M>(&trace.case) {
            let beyond = Some(beyond);
            return Ok(Replayed { steps: 0, difference: None, step: None, beyond, rules });
        }
        let runs = engine.warm_runs::<M>();
        let mut engine = engine.engine::<M>()?;
        let mut step = None;
        let replayed = match engine.stops_within(&trace.case) {
            true => trace::replay_repeated(&trace, &mut *engine, runs),
            // It comes to none of the states that were recorded but the last.
            false => match lockstep(&mut reference::<M>(), &mut *engine, &trace.case) {
                Verdict::Agreed(_) => Ok(None),
                Verdict::Diverged(divergence) => Ok(Some(*divergence)),
                Verdict::NotRun(error) => Err(error.into()),
            },
        };
        let difference = match replayed {
            Ok(divergence) => divergence.map(|divergence| {
                step = Some(divergence.step);
                divergence.to_string()
            }),
            Err(
                TraceError::Load(LoadError::Engine(EngineError::Declined(declined)))
                | TraceError::Engine(EngineError::Declined(declined)),
            ) => {
                let beyond = Some(declined.reason);
                return Ok(Replayed { steps: 0, difference: None, step, beyond, rules });
            }
            Err(error) => Some(error.to_string()),
        };
        Ok(Replayed { steps: trace.length(), difference, step, beyond: None, rules })
    }

    fn forms(&self, trace: &[u8], steps: usize) -> Result<(&'static str, Vec<Vec<Form>>), Problem> {
        let trace = trace::from_bytes::<M>(trace)?;
        let mut reference = reference::<M>();
        reference.load(&trace.case).map_err(TraceError::from)?;
        let mut state = Box::new(*reference.state().map_err(TraceError::from)?);
        let steps = trace.steps.iter().take(trace.length().min(steps));
        let forms = steps.map(|effects| {
            let forms = M::executed(&trace.case, &state, Parts::WHOLE);
            effects.apply(&mut *state);
            forms
        });
        Ok((M::device(&trace.case), forms.collect()))
    }

    fn record_anew(&self, trace: &[u8]) -> Result<Vec<u8>, Problem> {
        let case = trace::from_bytes::<M>(trace)?.case;
        Ok(trace::to_bytes(&Trace::<M>::record(&mut reference::<M>(), &case)?)?)
    }

    fn export(&self, trace: &[u8]) -> Result<Value, Problem> {
        Ok(trace::to_json(&trace::from_bytes::<M>(trace)?)?)
    }

    fn end_test(&self, trace: &[u8]) -> Result<EndTest, Problem> {
        let trace: Trace<M> = trace::from_bytes(trace)?;
        let Some(case) = M::to_outside(&trace.case) else {
            let machine = M::NAME;
            return Err(Problem::Case(format!(
                "cases of the machine `{machine}` have no form outside of this program but JSON"
            )));
        };
        let End { start, state, exact } = trace.end()?;
        let device = case.device.parse::<Device>();
        let is_there = |bank: &&Bank| device.as_ref().is_ok_and(|device| bank.is_on(*device));
        let banks = M::State::BANKS.iter().filter(is_there).map(|bank| EndBank {
            bank,
            start: start.image()[bank.range()].to_vec(),
            end: state.image()[bank.range()].to_vec(),
            exact: exact[bank.range()].to_vec(),
        });
        Ok(EndTest {
            case,
            listing: M::program(&trace.case),
            steps: trace.length(),
            outcome: trace.outcome.clone(),
            banks: banks.collect(),
        })
    }

    fn import(&self, json: &Value) -> Result<Vec<u8>, Problem> {
        Ok(trace::to_bytes(&trace::from_json::<M>(json)?)?)
    }

    fn show(&self, trace: &[u8]) -> Result<Shown, Problem> {
        let trace: Trace<M> = trace::from_bytes(trace)?;
        Ok(Shown {
            device: M::device(&trace.case),
            program: M::program(&trace.case),
            start: M::start(&trace.case),
            surroundings: M::surroundings(&trace.case),
            outcome: trace.outcome.clone(),
            digest: trace.digest,
            steps: Box::new(shown_steps(trace)?),
        })
    }

    fn last_forms(&self, trace: &[u8]) -> Result<(&'static str, Vec<String>), Problem> {
        let trace = trace::from_bytes::<M>(trace)?;
        let mut reference = reference::<M>();
        let lost = |error: &dyn std::fmt::Display| Problem::Case(error.to_string());
        reference.load(&trace.case).map_err(|error| lost(&error))?;
        // What does nothing stands behind the instruction that differs where only ends are compared.
        let does_something = |name: &String| !name.is_empty() && !name.eq_ignore_ascii_case("nop");
        let mut last = Vec::new();
        for step in 0..trace.length().max(1) {
            if step > 0 {
                reference.step().map_err(|error| lost(&error))?;
            }
            let state = reference.state().map_err(|error| lost(&error))?;
            let forms =
                M::executed(&trace.case, state, Parts::WHOLE).into_iter().map(|form| form.name);
            let forms: Vec<_> = forms.filter(does_something).collect();
            if !forms.is_empty() {
                last = forms;
            }
        }
        Ok((M::device(&trace.case), last))
    }

    fn minimize(&self, trace: &[u8], engine: &UnderTest) -> Result<Smaller, Problem> {
        let case = trace::from_bytes::<M>(trace)?.case;
        let engine_name = engine.name();
        if let Some(beyond) = engine.beyond::<M>(&case) {
            return Err(Problem::Case(format!("{engine_name} does not have {beyond}")));
        }
        let runs = engine.warm_runs::<M>();
        let (mut reference, mut engine) = (reference::<M>(), engine.engine::<M>()?);
        let small = minimize_repeated(&mut reference, &mut *engine, &case, runs);
        let divergence = match lockstep_at(small.pace, &mut reference, &mut *engine, &small.case) {
            Verdict::Diverged(divergence) => divergence,
            Verdict::Agreed(_) => {
                return Err(Problem::Case(format!(
                    "reference and {engine_name} agree on this case, there is nothing to minimize"
                )));
            }
            Verdict::NotRun(error) => {
                return Err(Problem::Case(format!("both engines refuse the case: {error}")));
            }
        };
        let trace = Trace::<M>::record_difference(&mut reference, &mut *engine, &small.case)?;
        Ok(Smaller {
            trace: trace::to_bytes(&trace)?,
            before: M::length(&case),
            after: M::length(&small.case),
            attempts: small.attempts,
            divergence,
        })
    }
}
