//! The engine that a command puts under test.

use std::{path::Path, sync::Arc, time::Duration};

use clap::Args;
use parallax_engine::Hello;
use parallax_executor::why_not_compiling;
use parallax_isa::{Device, Weaknesses};
use parallax_lockstep::{
    escape,
    outside::{Allowance, Outside, is_outside, name_of},
    registry::{MACHINES, under_test},
    subject::UnderTest,
    suite::Suite,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{failure::Failure, interrupt, number, output::brief};

/// The engine that compares all code that it compiles with the interpreter.
const COMPILED: &str = "compiled";

/// What an engine outside of this process may take.
#[derive(Debug, Clone, Args)]
pub(crate) struct Allowed {
    /// Longest time to wait for an engine of `cmd:` in one case; one that does not answer is waited for some
    /// twenty times more to minimise the case, even when the time of the campaign is over [default: 2s]
    #[arg(long, value_name = "TIME", value_parser = some_time)]
    engine_time: Option<Duration>,
    /// Megabytes of address space that an engine of `cmd:` may have together with the processes it starts, 0
    /// for no limit (sanitizers reserve terabytes) [default: 4096]
    #[arg(long, value_name = "MB", value_parser = number::within(0..=u64::MAX), allow_negative_numbers = true)]
    engine_memory: Option<u64>,
}

/// A time that is longer than none, in which no engine could answer.
fn some_time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if time.is_zero() {
        return Err("no engine answers in no time: say how long to wait, like 2s".to_owned());
    }
    Ok(time)
}

impl Allowed {
    fn allowance(&self) -> Allowance {
        let usual = Allowance::default();
        let time = self.engine_time.unwrap_or(usual.time);
        let memory = self.engine_memory.map(|megabytes| megabytes.saturating_mul(1 << 20));
        let memory = memory.map_or(usual.memory, |bytes| (bytes > 0).then_some(bytes));
        Allowance { time, memory }
    }

    /// The engine of a name, of a command after `cmd:`, or of a socket after `unix:`.
    pub(crate) fn engine(&self, name: &str) -> Result<UnderTest, Failure> {
        if let (COMPILED, Some(why)) = (name, why_not_compiling()) {
            return Err(Failure::input(format!("the engine `{name}` cannot compile: {why}")));
        }
        if is_outside(name) {
            interrupt::end_engines()?;
        }
        if !is_outside(name) && is_command(name) {
            let name = brief(name);
            return Err(Failure::input(format!(
                "there is no engine `{name}`; did you mean `cmd:{name}`? `cmd:` starts a program that \
                 speaks the engine protocol"
            )));
        }
        Ok(under_test(name, self.allowance())?)
    }

    /// The engine of a command or socket that an engine under test is held against in place of the model.
    ///
    /// # Errors
    /// If it cannot be.
    pub(crate) fn reference(
        &self,
        name: &str,
        engine: &UnderTest,
    ) -> Result<Arc<Outside>, Failure> {
        let UnderTest::Outside(reference) = self.engine(name)? else {
            return Err(Failure::input(format!(
                "`{name}` cannot take the model's place: --reference takes `cmd:` and what starts an engine, or `unix:` \
                 and its socket"
            )));
        };
        let UnderTest::Outside(engine) = engine else {
            return Err(Failure::input(
                "--reference holds two engines of `cmd:` or `unix:` against each other: name the other one with --engine",
            ));
        };
        let [of_engine, of_reference] = [engine, &reference].map(|engine| engine.hello());
        if of_engine.machine != of_reference.machine {
            return Err(Failure::input(format!(
                "{} runs the machine `{}` and {} the machine `{}`: they have no case in common",
                of_engine.name, of_engine.machine, of_reference.name, of_reference.machine
            )));
        }
        if of_engine.steps && !of_reference.steps {
            return Err(Failure::input(format!(
                "{} only runs to the end, so that no step of {} could be held against it: exchange the two",
                of_reference.name, of_engine.name
            )));
        }
        Ok(reference)
    }
}

/// Whether a name looks like what starts a program: a path, a file that is there, or several words.
fn is_command(name: &str) -> bool {
    name.contains(['/', '\\'])
        || name.trim().contains(char::is_whitespace)
        || Path::new(name).is_file()
}

/// What a report says of an engine outside of this process, and what was therefore not tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct EngineReport {
    /// Its name.
    pub(crate) name: String,
    /// The command that started it.
    pub(crate) command: String,
    /// What it said of itself when it started, as the engine protocol has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub(crate) hello: Option<Hello>,
    /// The engine that it was held against in place of the model, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reference: Option<OtherEngine>,
    /// The instructions that it has; left out if it has all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<Vec<String>>,
    /// Banks of state that it does not have: nothing there was compared.
    pub(crate) banks_not_compared: Vec<String>,
    /// Suites of its devices that were not run, because they do not run outside engines or it has none of their
    /// cases.
    pub(crate) suites_not_run: Vec<String>,
}

/// An engine outside of this process that took the model's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct OtherEngine {
    /// Its name.
    pub(crate) name: String,
    /// The command that started it.
    pub(crate) command: String,
}

impl EngineReport {
    /// What is to be said of an engine that runs some suites on some devices.
    pub(crate) fn new(engine: &Outside, devices: &[Device], suites: &[Box<dyn Suite>]) -> Self {
        let hello = engine.hello();
        let machine = MACHINES.iter().find(|machine| machine.name() == hello.machine);
        let of_devices = |names: fn(Device, &Outside) -> Vec<String>| {
            let mut all: Vec<String> =
                devices.iter().flat_map(|device| names(*device, engine)).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let banks_not_compared = machine.map_or_else(Vec::new, |_| {
            of_devices(|device, engine| {
                let machine = MACHINES.iter().find(|m| m.name() == engine.hello().machine);
                let lacks = machine.map(|machine| machine.lacks(device, engine));
                lacks.unwrap_or_default().into_iter().map(str::to_owned).collect()
            })
        });
        let runs = |name: &String| suites.iter().any(|suite| suite.name() == name);
        let all = of_devices(|device, _| {
            let suites = MACHINES.iter().flat_map(|machine| machine.suites(device));
            suites.map(|suite| suite.name().to_owned()).collect()
        });
        Self {
            name: hello.name.clone(),
            command: engine.command.clone(),
            hello: Some(hello.clone()),
            reference: None,
            instructions: hello
                .instructions
                .as_ref()
                .map(|instructions| instructions.names().map(str::to_owned).collect()),
            banks_not_compared,
            suites_not_run: all.into_iter().filter(|name| !runs(name)).collect(),
        }
    }

    /// The same of an engine that was held against another one, if it was.
    pub(crate) fn held_against(self, reference: Option<&Outside>) -> Self {
        let reference = reference.map(|engine| OtherEngine {
            name: engine.hello().name.clone(),
            command: engine.command.clone(),
        });
        Self { reference, ..self }
    }

    /// What it does not claim to have right, in words.
    pub(crate) fn weaknesses(&self) -> Vec<String> {
        let Some(hello) = &self.hello else { return Vec::new() };
        let names = hello.weaknesses.iter().flatten();
        let classes = names.filter_map(|name| {
            let class = Weaknesses::NAMES.into_iter().find(|(known, _)| known == name);
            class.map(|(name, what)| format!("{what} (`{name}`)"))
        });
        let approximations = hello.approximations.iter().flatten();
        let approximations = approximations.map(|(name, most)| format!("{name} within {most} ULP"));
        classes.chain(approximations).collect()
    }

    /// The same for people, in a few lines.
    pub(crate) fn text(&self) -> String {
        let Self { name, command, reference, instructions, .. } = self;
        let Self { banks_not_compared, suites_not_run, .. } = self;
        let list = |names: &[String]| {
            let names = escape::line(&names.join(", ")).into_owned();
            if names.is_empty() { "nothing".to_owned() } else { names }
        };
        let name = escape::line(name);
        let has = instructions.as_ref().map_or("all instructions".to_owned(), |has| list(has));
        let weaknesses = self.weaknesses();
        let weak = match weaknesses.is_empty() {
            true => String::new(),
            false => format!("         not claimed to be right: {}\n", list(&weaknesses)),
        };
        let against = reference.as_ref().map_or(String::new(), |OtherEngine { name, command }| {
            let (name, command) = (escape::line(name), name_of(command));
            let command = escape::line(&command);
            format!("         held against {name} ({command}), not against the model\n")
        });
        format!(
            "engine   {name} ({}): {has}\n{against}         not compared, as it does not have them: \
             {}\n{weak}         suites not run: {}\n",
            escape::line(&name_of(command)),
            list(banks_not_compared),
            list(suites_not_run)
        )
    }
}
