//! Engines outside of this process, which speak the protocol of `PROTOCOL.md`.

mod answers;
mod command;
mod engine;
#[cfg(target_os = "linux")]
mod group;
mod limits;
mod peer;
mod portable;
#[cfg(target_os = "linux")]
mod process;
pub mod served;
#[cfg(unix)]
mod socket;
pub mod wire;

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

pub use command::{Allowance, PREFIX, SOCKET, is_outside, name_of};
pub use engine::OutsideEngine;
pub(crate) use limits::{Limits, Shared};
use parallax_engine::Hello;
use parallax_isa::{
    Device, EngineError, Image as _, Machine, Weaknesses, image::Bank, nearest::nearest,
};
pub use peer::Peer;
pub use portable::Portable;

use self::{command::Program, wire::Wire};
use crate::{escape, form::mnemonics};

/// Makes the other side anew.
type Connect = dyn Fn() -> Result<Box<dyn Wire>, String> + Send + Sync;

/// Holds what an engine says of itself against the machines that there are; says in a sentence what is
/// wrong with it.
pub type Check = fn(&Hello) -> Result<(), String>;

/// An engine outside, and the processes of it, or the connections to it, that have nothing to do.
pub struct Outside {
    /// What starts it, as it was given, or its socket with `unix:` before it.
    pub command: String,
    hello: Hello,
    /// What it does not claim to have right.
    weaknesses: Option<Weaknesses>,
    allowance: Allowance,
    connect: Box<Connect>,
    idle: Mutex<Vec<Peer>>,
}

impl Outside {
    /// Starts an engine by its command, or takes up the one that listens at the socket behind `unix:`, and
    /// hears what it has, which `check` holds against what there is.
    ///
    /// # Errors
    /// If it does not start, or says nothing that makes sense: why, in a sentence.
    pub fn start(command: &str, allowance: Allowance, check: Check) -> Result<Arc<Self>, String> {
        if let Some(path) = command.strip_prefix(SOCKET) {
            let path = PathBuf::from(path);
            return Self::connect(command, allowance, check, move || listening(&path));
        }
        let program = Program::of(command)?;
        Self::connect(command, allowance, check, move || {
            start(&program, allowance.memory).map(|process| process as Box<dyn Wire>)
        })
    }

    /// Takes up an engine over any wire and hears what it has.
    ///
    /// # Errors
    /// As [`Outside::start`].
    pub fn connect(
        command: &str,
        allowance: Allowance,
        check: Check,
        connect: impl Fn() -> Result<Box<dyn Wire>, String> + Send + Sync + 'static,
    ) -> Result<Arc<Self>, String> {
        let one_line = |error: String| escape::reported(&error);
        let peer = Peer::greet(connect()?).map_err(|error| one_line(error.to_string()))?;
        let hello = peer.hello().clone();
        check(&hello).map_err(one_line)?;
        if hello.batch && hello.steps {
            return Err(one_line(format!(
                "{} says `batch`, which is for engines that only run to the end (`steps` false)",
                hello.name
            )));
        }
        let weaknesses = weaknesses(&hello).map_err(one_line)?;
        Ok(Arc::new(Self {
            command: command.to_owned(),
            hello,
            weaknesses,
            allowance,
            connect: Box::new(connect),
            idle: Mutex::new(vec![peer]),
        }))
    }

    /// What it says of itself.
    #[must_use]
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Whether it runs cases of a machine on a device.
    #[must_use]
    pub fn runs<M: Machine>(&self, device: Device) -> bool {
        self.hello.machine == M::NAME && self.hello.devices.iter().any(|d| d == device.name())
    }

    /// A process that has nothing to do, or a new one.
    fn take(&self) -> Result<Peer, EngineError> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        if let Some(peer) = idle {
            return Ok(peer);
        }
        let peer = Peer::greet((self.connect)().map_err(EngineError::Lost)?)?;
        if *peer.hello() == self.hello {
            return Ok(peer);
        }
        Err(EngineError::Nonsense("it says something else of itself than at first".to_owned()))
    }

    fn give_back(&self, peer: Peer) {
        if peer.is_idle()
            && let Ok(mut idle) = self.idle.lock()
        {
            idle.push(peer);
        }
    }

    /// The banks it has, in its order.
    fn banks<M: Machine>(&self) -> Vec<&'static Bank> {
        self.hello.banks.iter().filter_map(|name| M::State::bank_named(name).ok()).collect()
    }

    /// The banks in which it is not compared, of those of a device.
    #[must_use]
    pub fn banks_it_lacks<M: Portable>(&self, device: Device) -> Vec<&'static str> {
        let banks = <M::State as parallax_isa::Image>::BANKS.iter();
        let lacks = |bank: &&Bank| bank.is_on(device) && !self.is_compared::<M>(bank);
        banks.filter(lacks).map(|bank| bank.name).collect()
    }

    fn has_bank(&self, name: &str) -> bool {
        self.hello.banks.iter().any(|bank| bank == name)
    }

    fn is_compared<M: Portable>(&self, bank: &Bank) -> bool {
        self.has_bank(bank.name) && (self.hello.steps || !M::INNER_BANKS.contains(&bank.name))
    }

    /// The places of a state in which it is not compared.
    fn lacks<M: Portable>(&self) -> Vec<Range<usize>> {
        let banks = <M::State as parallax_isa::Image>::BANKS.iter();
        banks.filter(|bank| !self.is_compared::<M>(bank)).map(Bank::range).collect()
    }
}

/// What an engine does not claim to have right, if anything.
fn weaknesses(hello: &Hello) -> Result<Option<Weaknesses>, String> {
    let known = Weaknesses::NAMES.map(|(name, _)| name);
    check_names(hello, "weakness", &hello.weaknesses, &known)?;
    let names = hello.weaknesses.iter().flatten().map(String::as_str);
    let approximations = hello.approximations.clone().unwrap_or_default();
    let devices = hello.devices.iter().filter_map(|device| device.parse().ok());
    let mnemonics: Vec<String> = devices.flat_map(mnemonics).collect();
    let mnemonics: Vec<_> = mnemonics.iter().map(String::as_str).collect();
    check_names(hello, "function", &Some(approximations.keys().cloned().collect()), &mnemonics)?;
    let named = Weaknesses::named(names).unwrap_or_default();
    let weaknesses = Weaknesses { approximations, ..named };
    Ok(Some(weaknesses).filter(|weaknesses| !weaknesses.is_empty()))
}

/// Checks the names of a list of a hello against those that there are.
///
/// # Errors
/// If one does not exist: a sentence with the nearest one.
pub(crate) fn check_names(
    hello: &Hello,
    kind: &str,
    list: &Option<Vec<String>>,
    known: &[&str],
) -> Result<(), String> {
    let Some(name) = list.iter().flatten().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    let instead = match nearest(name, known.iter().copied()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if known.len() <= MOST_NAMES => format!("; there are {}", known.join(", ")),
        None => String::new(),
    };
    Err(format!("{} says it has the {kind} `{name}`, which there is not{instead}", hello.name))
}

/// Checks the instructions of a hello against those that there are.
///
/// # Errors
/// If one does not exist, or there is none: a sentence.
pub(crate) fn check_instructions(hello: &Hello, known: &[&'static str]) -> Result<(), String> {
    let names = hello.instructions.as_ref().map(|has| has.names().map(str::to_owned).collect());
    check_names(hello, "instruction", &names, known)
}

/// Holds that a hello says nothing that a machine without programs does not have, nor one of some keys.
///
/// # Errors
/// If it does: a sentence.
pub(crate) fn check_only_instructions(hello: &Hello, others: &[&str]) -> Result<(), String> {
    let Hello { name, machine, types, features, messages, profiles, .. } = hello;
    let Hello { weaknesses, approximations, .. } = hello;
    if !hello.steps {
        return Err(format!("{name} says that it does not step: each operation is a step"));
    }
    let said = [
        ("features", features.is_some()),
        ("messages", messages.is_some()),
        ("profiles", profiles.is_some()),
        ("weaknesses", weaknesses.is_some()),
        ("approximations", approximations.is_some()),
        ("types", types.is_some() && others.contains(&"types")),
    ];
    match said.into_iter().find(|(_, is_said)| *is_said) {
        Some((key, _)) => {
            Err(format!("{name} says `{key}`, which the machine `{machine}` does not have"))
        }
        None => Ok(()),
    }
}

/// Most names that a sentence lists.
const MOST_NAMES: usize = 20;

/// Whether a list of a hello has a name; one that was left out has all.
pub(crate) fn has(list: &Option<Vec<String>>, name: &str) -> bool {
    list.as_ref().is_none_or(|list| list.iter().any(|known| known == name))
}

/// Ends the processes of all engines, and those that they have started. For a program that ends before it has
/// dropped its engines.
pub fn end_all() {
    #[cfg(target_os = "linux")]
    group::end_all();
}

#[cfg(target_os = "linux")]
fn start(program: &Program, memory: Option<u64>) -> Result<Box<process::Process>, String> {
    process::Process::start(program, memory).map(Box::new)
}

#[cfg(not(target_os = "linux"))]
fn start(_: &Program, _: Option<u64>) -> Result<Box<dyn Wire>, String> {
    Err("engines in processes of their own need Linux so far".to_owned())
}

#[cfg(unix)]
fn listening(path: &Path) -> Result<Box<dyn Wire>, String> {
    socket::Socket::connect(path).map(|socket| Box::new(socket) as Box<dyn Wire>)
}

#[cfg(not(unix))]
fn listening(_: &Path) -> Result<Box<dyn Wire>, String> {
    Err("engines behind a socket need Unix".to_owned())
}
