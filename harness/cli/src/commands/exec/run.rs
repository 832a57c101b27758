//! Running a case on one engine or on both.

use parallax_isa::{Device, Engine, LoadError, Outcome, Step};
use parallax_lockstep::{
    Divergence, Subject, Verdict,
    lockstep::{Agreement, Difference},
    subject::{UnderTest, engine},
    unspecified::{Unspecified, Watched, watched},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    commands::show::accepts,
    failure::Failure,
    output::{self, Table},
    waiting::Waiting,
};

/// The failure of a case that the reference refuses.
fn refused(error: &LoadError) -> Failure {
    Failure::input(error.sentence("the reference"))
}

/// What both engines came to, or how they differ. What the manual does not allow is a mistake of the
/// input, whatever the other engine says.
pub(in crate::commands) fn agreed(
    verdict: Verdict,
) -> Result<Result<Agreement, Box<Divergence>>, Failure> {
    match verdict {
        Verdict::Agreed(agreement) => Ok(Ok(agreement)),
        Verdict::NotRun(error) => Err(refused(&error)),
        Verdict::Diverged(divergence) => match &divergence.difference {
            Difference::Load { expected: Some(error), .. } => Err(refused(error)),
            _ => Ok(Err(divergence)),
        },
    }
}

/// An element that holds an unspecified result, in the JSON interface.
#[derive(Serialize, JsonSchema)]
pub(super) struct UnspecifiedJson<'r> {
    /// The element.
    element: &'r str,
    /// Number of the step that wrote it.
    step: u64,
    /// The instruction of that step.
    instruction: &'r str,
    /// What the reference accepts there.
    accepts: String,
    /// The reference's value.
    reference: &'r str,
    /// The engine's value.
    engine: &'r str,
}

/// What a run came to.
pub(super) struct Run<M: Subject> {
    pub(super) engine: String,
    /// The engine that ran beside the reference.
    beside: Option<String>,
    pub(super) steps: u64,
    /// `None` if the engines differ.
    pub(super) outcome: Option<Outcome>,
    /// The last state: if both engines ran, the reference's.
    pub(super) state: Box<M::State>,
    pub(super) divergence: Option<Box<Divergence>>,
    /// The elements of the last state that hold unspecified results.
    pub(super) unspecified: Vec<Unspecified>,
    /// The banks of state in which nothing was compared, as the engine does not have them.
    not_compared: Vec<&'static str>,
}

impl<M: Subject> Run<M> {
    /// Runs a case on an engine, or on both in lockstep.
    pub(super) fn of(case: &M::Case, under_test: Option<&UnderTest>) -> Result<Self, Failure> {
        let _waiting = Waiting::start("running", 1);
        match under_test {
            Some(engine @ UnderTest::Outside(outside)) => {
                if let Some(beyond) = engine.beyond::<M>(case) {
                    let name = engine.name();
                    return Err(Failure::input(format!("{name} does not have {beyond}")));
                }
                let run = Self::both(&mut *engine.engine::<M>()?, engine.name(), case)?;
                let device = M::device(case).parse::<Device>().expect("the device of a case");
                Ok(Self { not_compared: outside.banks_it_lacks::<M>(device), ..run })
            }
            Some(engine) => Self::alone(&mut *engine.engine::<M>()?, case),
            None => Self::both(&mut *engine::<M>("executor")?, "executor", case),
        }
    }

    fn alone(engine: &mut dyn Engine<M>, case: &M::Case) -> Result<Self, Failure> {
        let name = engine.name().to_owned();
        let refused = |error: LoadError| Failure::input(error.sentence(&format!("the {name}")));
        engine.load(case).map_err(refused)?;
        let mut steps = 0;
        let outcome = loop {
            match engine.step()? {
                Step::Continue => steps += 1,
                Step::Finished(outcome) => break outcome,
            }
        };
        let steps = steps + u64::from(outcome == M::LAST_STEP);
        let state = Box::new(*engine.state()?);
        Ok(Self {
            engine: name,
            beside: None,
            steps,
            outcome: Some(outcome),
            state,
            divergence: None,
            unspecified: Vec::new(),
            not_compared: Vec::new(),
        })
    }

    fn both(engine: &mut dyn Engine<M>, name: &str, case: &M::Case) -> Result<Self, Failure> {
        let Watched { verdict, state, unspecified } = watched::<M>(engine, case)?;
        let (steps, outcome, divergence) = match agreed(verdict)? {
            Ok(agreement) => {
                let last = u64::from(agreement.outcome == M::LAST_STEP);
                (agreement.steps + last, Some(agreement.outcome), None)
            }
            Err(divergence) => (divergence.step, None, Some(divergence)),
        };
        let beside = Some(name.to_owned());
        Ok(Self {
            engine: "both".to_owned(),
            beside,
            steps,
            outcome,
            state,
            divergence,
            unspecified,
            not_compared: Vec::new(),
        })
    }

    /// The outcome in a word.
    pub(super) fn keyword(&self) -> &'static str {
        self.outcome.as_ref().map_or("divergence", Outcome::keyword)
    }

    /// What ended the run in more than a word, or how the engines differ.
    pub(super) fn message(&self) -> Option<String> {
        match (&self.outcome, &self.divergence) {
            (Some(Outcome::Exception(what) | Outcome::Undefined(what)), _) => Some(what.clone()),
            (_, Some(divergence)) => Some(divergence.to_string()),
            _ => None,
        }
    }

    /// The outcome for people, in a line or more.
    pub(super) fn ending(&self) -> String {
        let ending = self.outcome_text() + &self.unspecified_text();
        if self.not_compared.is_empty() {
            return ending;
        }
        let name = self.beside.as_deref().unwrap_or(&self.engine);
        let banks = self.not_compared.join(", ");
        format!("{}\nnot compared, as {name} does not have them: {banks}", ending.trim_end())
    }

    /// What is unspecified, for people: a line for each element, those that differ first.
    fn unspecified_text(&self) -> String {
        /// Elements that are listed.
        const LISTED: usize = 16;
        if self.unspecified.is_empty() || self.divergence.is_some() {
            return String::new();
        }
        let name = self.beside.as_deref().unwrap_or(&self.engine);
        let mut table = Table::new(&["unspecified", "step", "accepted", "reference", name]);
        let (differing, same): (Vec<_>, Vec<_>) =
            self.unspecified.iter().partition(|unspecified| unspecified.differs());
        for unspecified in differing.into_iter().chain(same).take(LISTED) {
            let Unspecified { element, step, acceptance, reference, engine, .. } = unspecified;
            table.row([
                element.clone(),
                step.to_string(),
                accepts(*acceptance),
                reference.clone(),
                engine.clone(),
            ]);
        }
        match self.unspecified.len().saturating_sub(LISTED) {
            0 => format!("\n{table}"),
            more => format!("\n{table}\nand {more} more, with --json"),
        }
    }

    /// The same for `--json`.
    pub(super) fn unspecified_json(&self) -> Vec<UnspecifiedJson<'_>> {
        let all = self.unspecified.iter();
        all.map(|unspecified| UnspecifiedJson {
            element: &unspecified.element,
            step: unspecified.step,
            instruction: &unspecified.instruction,
            accepts: accepts(unspecified.acceptance),
            reference: &unspecified.reference,
            engine: &unspecified.engine,
        })
        .collect()
    }

    fn outcome_text(&self) -> String {
        let steps = output::counted(self.steps, "step");
        let engines = match &self.beside {
            // What the engine does behind an undefined end is not compared.
            Some(name) if matches!(self.outcome, Some(Outcome::Undefined(_))) => {
                format!(", up to which reference and {name} agree")
            }
            Some(name) if !self.unspecified.is_empty() => {
                format!(", reference and {name} agree on what is specified")
            }
            Some(name) => format!(", reference and {name} agree"),
            None => format!(" on the {}", self.engine),
        };
        match (&self.outcome, self.message()) {
            (Some(outcome), None) => format!("{outcome} after {steps}{engines}"),
            (Some(outcome), Some(message)) => {
                format!("{} after {steps}{engines}: {message}", outcome.keyword())
            }
            (None, message) => {
                format!("the engines differ after {steps}\n{}", message.unwrap_or_default())
            }
        }
    }
}
