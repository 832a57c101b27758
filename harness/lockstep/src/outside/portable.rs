//! What a machine has to have so that its cases can leave this process.

use parallax_engine::{Case as Sent, Hello};
use parallax_isa::{Device, Image as _, Machine};

use super::Outside;

/// A machine whose cases may have a form in the protocol; without any, engines outside of this process
/// cannot run them.
pub trait Portable: Machine {
    /// Whether the protocol has a form for its cases.
    const HAS_FORM: bool = false;

    /// The devices whose cases it has, of those that have one of its banks.
    const DEVICES: &'static [Device] = &Device::ALL;

    /// Whether it has cases of a device.
    #[must_use]
    fn is_on(device: Device) -> bool {
        let has_bank = || Self::State::BANKS.iter().any(|bank| bank.is_on(device));
        Self::DEVICES.contains(&device) && has_bank()
    }

    /// Banks that hold nothing, or something else, once a cut program is at its end: an engine that only runs to
    /// the end is not compared there.
    const INNER_BANKS: &'static [&'static str] = &[];

    /// A case as the protocol has it for engines outside of this process, but for what it starts from;
    /// `None` if the protocol has no form for such cases.
    fn to_outside(case: &Self::Case) -> Option<Sent> {
        let _ = case;
        None
    }

    /// The state that a case starts from, where [`Self::to_outside`] has a form for the case.
    fn start_state(case: &Self::Case) -> Option<&Self::State> {
        let _ = case;
        None
    }

    /// The case that [`Self::to_outside`] has given the form of.
    ///
    /// # Errors
    /// If it is none: why, in a sentence.
    fn of_outside(sent: &Sent, state: &Self::State) -> Result<Self::Case, String> {
        let _ = (sent, state);
        Err(format!("the protocol has no form for cases of the machine `{}`", Self::NAME))
    }

    /// A case that ends after so many steps of another, for engines that only run to the end; `None` if
    /// the other has no more steps than that.
    ///
    /// # Errors
    /// If it cannot be cut there: why, in a sentence.
    fn cut(case: &Self::Case, steps: u64) -> Result<Option<Self::Case>, String> {
        let _ = (case, steps);
        Err(format!("cases of the machine `{}` cannot be cut", Self::NAME))
    }

    /// Holds that what an engine outside of this process says it has exists.
    ///
    /// # Errors
    /// If something does not: what, in a sentence.
    fn check_hello(hello: &Hello) -> Result<(), String> {
        let _ = hello;
        Ok(())
    }

    /// Why an engine outside of this process cannot start from the state of a case. Minimising may come to such a
    /// case.
    fn unsendable(case: &Self::Case, engine: &Outside) -> Option<String> {
        let _ = (case, engine);
        None
    }

    /// Why an engine outside of this process cannot run a case: what it would need and does not have.
    fn beyond(case: &Self::Case, engine: &Outside) -> Option<String> {
        let _ = (case, engine);
        None
    }
}
