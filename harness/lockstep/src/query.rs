//! Functions that answer queries ([`parallax_isa::query`]) as a machine of the harness.

use std::sync::{Arc, LazyLock};

use parallax_engine::{Case as Sent, Hello};
use parallax_isa::{
    Acceptance, Device, Expectation, Extent, Image as _, LoadError, Model, Outcome, Reference,
    Step,
    query::{Case, Queries, Query, State},
};
use serde::{Deserialize, Serialize};

use crate::{
    minimize::{Shrink, steps::shorter},
    outside::{
        Limits, Outside, OutsideEngine, Portable, check_instructions, check_only_instructions,
    },
    subject::{EngineEntry, Maker, Subject},
    suite::{Suite, has_cases},
    suites::lockstep::LockstepSuite,
};

/// Queries that the reference and the executor answer.
pub(crate) trait Asked: Query {
    /// The suite of them.
    const SUITE: &'static str;
    /// What the reference answers with.
    type Reference: Answers<Self>;
    /// What the executor answers with.
    type Executor: Answers<Self>;

    /// The queries of a seed.
    fn script(device: Device, seed: u64) -> Vec<Self>;
}

/// Something that answers queries one after the other.
pub(crate) trait Answers<Q> {
    /// The name of the engine.
    const NAME: &'static str;

    /// After a reset.
    fn new(device: Device) -> Self;

    /// The words of an answer; `None` if the manual leaves it open.
    fn answer(&mut self, query: &Q) -> Option<Vec<u32>>;
}

/// An engine made of what answers.
pub(crate) struct Answering<Q, A> {
    case: Option<Case<Q>>,
    answers: Option<A>,
    state: Box<State>,
    is_open: bool,
}

impl<Q, A> Default for Answering<Q, A> {
    fn default() -> Self {
        Self { case: None, answers: None, state: Box::default(), is_open: false }
    }
}

impl<Q: Query, A: Answers<Q>> Model for Answering<Q, A> {
    type Machine = Queries<Q>;

    const NAME: &'static str = A::NAME;

    fn load(&mut self, case: &Case<Q>) -> Result<(), LoadError> {
        case.queries.iter().try_for_each(Query::check).map_err(LoadError::Case)?;
        (self.case, self.answers) = (Some(case.clone()), Some(A::new(case.device)));
        *self.state = State::default();
        self.is_open = false;
        Ok(())
    }

    fn step(&mut self) -> Step {
        self.is_open = false;
        let Self { case: Some(case), answers: Some(answers), state, .. } = self else {
            return Step::Finished(Outcome::Halted);
        };
        let Some(query) = case.next(state) else { return Step::Finished(Outcome::Halted) };
        let words = answers.answer(query);
        self.is_open = words.is_none();
        self.state.answer(&words.unwrap_or_default());
        Step::Continue
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

/// An answer that is left open may be anything.
static OPEN: LazyLock<Vec<Expectation>> = LazyLock::new(|| {
    let banks = State::BANKS.iter().filter(|bank| bank.name != "done");
    let extents = banks.flat_map(|bank| bank.range().step_by(8)).map(|at| Extent::whole(at, 8));
    extents.map(|extent| Expectation { extent, acceptance: Acceptance::Undefined }).collect()
});

impl<Q: Query, A: Answers<Q>> Reference<Queries<Q>> for Answering<Q, A> {
    fn expectations(&self) -> &[Expectation] {
        if self.is_open { &OPEN } else { &[] }
    }
}

impl<Q: Asked> Subject for Queries<Q> {
    const ENGINES: &'static [EngineEntry<Self>] = &[
        EngineEntry { name: "executor", make: || Box::new(Answering::<Q, Q::Executor>::default()) },
        EngineEntry {
            name: "reference",
            make: || Box::new(Answering::<Q, Q::Reference>::default()),
        },
    ];

    // After the last query comes a step that finds nothing to answer.
    const LAST_STEP: Outcome = Outcome::Halted;

    fn reference() -> Box<dyn Reference<Self>> {
        Box::new(Answering::<Q, Q::Reference>::default())
    }

    fn suites(device: Device) -> Vec<Box<dyn Suite>> {
        let suites = Q::DEVICES.contains(&device).then(|| suite::<Q>(device));
        suites.into_iter().map(|suite| Box::new(suite) as Box<dyn Suite>).collect()
    }

    fn outside_suites(device: Device, engine: &Arc<Outside>) -> Vec<Box<dyn Suite>> {
        let limits: Arc<dyn Limits<Self>> = Arc::new(Declared(Arc::new(engine.hello().clone())));
        let make: Maker<Self> = {
            let outside = Arc::clone(engine);
            Arc::new(move || Box::new(OutsideEngine::<Self>::new(Arc::clone(&outside))))
        };
        let suite = suite::<Q>(device).outside(make, limits);
        if has_cases(&suite) { vec![Box::new(suite)] } else { Vec::new() }
    }

    fn reasons(device: Device, engine: &Outside) -> Vec<String> {
        let queries = Q::script(device, 0);
        queries.iter().filter_map(|query| beyond(query, engine.hello())).collect()
    }

    fn program(case: &Case<Q>) -> Vec<String> {
        case.queries.iter().map(written).collect()
    }

    fn describe_next(case: &Case<Q>, state: &State) -> String {
        case.next(state).map_or_else(|| "end".to_owned(), written)
    }

    fn mnemonic(case: &Case<Q>, state: &State) -> String {
        case.next(state).map_or("end", Query::name).to_owned()
    }

    fn seek(_: &Case<Q>, state: &mut State, offset: usize) {
        state.done = offset as u64;
    }

    fn device(case: &Case<Q>) -> &'static str {
        case.device.name()
    }
}

/// A query as the protocol has it.
fn written<Q: Query>(query: &Q) -> String {
    serde_json::to_string(query).expect("a query has a form in JSON")
}

/// The suite of a device.
pub(crate) fn suite<Q: Asked>(device: Device) -> LockstepSuite<Queries<Q>> {
    let generate = move |bytes: &[u8]| {
        let seed = bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        Case { device, queries: Q::script(device, seed) }
    };
    LockstepSuite::new(Q::SUITE, device.name(), size_of::<u64>(), generate)
}

/// Cases of the queries that an engine answers.
struct Declared(Arc<Hello>);

impl<Q: Asked> Limits<Queries<Q>> for Declared {
    fn case(&self, seed: u64, generate: &mut dyn FnMut(u64) -> Case<Q>) -> Option<Case<Q>> {
        let mut case = generate(seed);
        case.queries.retain(|query| beyond(query, &self.0).is_none());
        (!case.queries.is_empty()).then_some(case)
    }

    fn start(&self, _: &mut Case<Q>) -> bool {
        true
    }
}

/// What a query takes that an engine does not have.
fn beyond<Q: Query>(query: &Q, hello: &Hello) -> Option<String> {
    let name = query.name();
    (!hello.has_instruction(name)).then(|| format!("the query `{name}`"))
}

/// The queries of a case, as the protocol has them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings<Q> {
    queries: Vec<Q>,
}

/// What every case starts from.
static START: LazyLock<State> = LazyLock::new(State::default);

impl<Q: Query> Portable for Queries<Q> {
    const HAS_FORM: bool = true;
    const DEVICES: &'static [Device] = Q::DEVICES;

    fn to_outside(case: &Case<Q>) -> Option<Sent> {
        let Case { device, queries } = case.clone();
        Some(Sent {
            device: device.name().to_owned(),
            // That there is nothing left to answer is a step more.
            step_limit: queries.len() as u64 + 1,
            program: Vec::new(),
            settings: serde_json::to_string(&Settings { queries }).ok()?,
        })
    }

    fn start_state(_: &Case<Q>) -> Option<&State> {
        Some(&START)
    }

    fn of_outside(sent: &Sent, _: &State) -> Result<Case<Q>, String> {
        let device = sent.device.parse().map_err(|error| format!("{error}"))?;
        let settings = serde_json::from_str(&sent.settings).map_err(|error| error.to_string())?;
        let Settings { queries } = settings;
        Ok(Case { device, queries })
    }

    fn check_hello(hello: &Hello) -> Result<(), String> {
        check_only_instructions(hello, &["types"])?;
        let names: Vec<_> = Q::NAMES.iter().map(|(name, _)| *name).collect();
        check_instructions(hello, &names)
    }

    fn beyond(case: &Case<Q>, engine: &Outside) -> Option<String> {
        let hello = engine.hello();
        if !hello.devices.iter().any(|device| device == case.device.name()) {
            return Some(format!("the device {}", case.device));
        }
        case.queries.iter().find_map(|query| beyond(query, hello))
    }
}

impl<Q: Asked> Shrink for Queries<Q> {
    fn simpler(case: &Case<Q>, step: u64) -> Box<dyn Iterator<Item = Case<Q>> + '_> {
        let with = |queries| Case { queries, ..case.clone() };
        // What comes behind the answer that differs, and all but the query for it.
        let asked = usize::try_from(step).ok().filter(|at| *at < case.queries.len());
        let until = asked.filter(|at| at + 1 < case.queries.len());
        let until = until.map(|at| case.queries[..=at].to_vec());
        let only =
            asked.filter(|_| case.queries.len() > 1).map(|at| vec![case.queries[at].clone()]);
        Box::new(only.into_iter().chain(until).chain(shorter(&case.queries)).map(with))
    }

    fn length(case: &Case<Q>) -> usize {
        case.queries.len()
    }
}
