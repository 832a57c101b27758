//! Hunting faults: generated cases, one after the other, until a faulty engine differs from the
//! reference; then the smallest program that shows it.

use std::fmt::Write as _;

use parallax_executor::eu::Executor;
use parallax_isa::Device;
use parallax_lockstep::{
    Verdict,
    eu::{
        Eu,
        faulty::{Family, Fault, Faulty},
    },
    lockstep,
    minimize::{Shrink, minimize},
    random::SplitMix64,
};
use parallax_reference::eu::Reference;
use rayon::prelude::*;

/// Most instructions until a fault is found.
pub(crate) const BUDGET: u64 = 200_000;

/// Instructions of the smallest program are fewer than this.
pub(crate) const FEW: usize = 5;

/// What came of hunting one fault.
pub(crate) struct Hunted {
    pub(crate) family: &'static str,
    pub(crate) fault: Fault,
    /// Instructions that were compared, or refused, in all.
    pub(crate) instructions: u64,
    pub(crate) find: Option<Find>,
}

/// A fault that was found.
pub(crate) struct Find {
    /// Instructions of the smallest program.
    pub(crate) length: usize,
    /// The step that differs there.
    pub(crate) instruction: String,
    /// What is wrong with the find, if anything is.
    pub(crate) objection: Option<&'static str>,
}

impl Hunted {
    /// Whether the fault was found and brought down to a small program that shows it, and nothing
    /// else.
    pub(crate) fn succeeded(&self) -> bool {
        let good = |find: &Find| find.length < FEW && find.objection.is_none();
        self.instructions <= BUDGET && self.find.as_ref().is_some_and(good)
    }
}

/// Hunts every fault of some families.
pub(crate) fn hunt_all<'f>(
    families: impl IntoIterator<Item = &'f Family>,
    device: Device,
) -> Vec<Hunted> {
    let all: Vec<_> = families
        .into_iter()
        .flat_map(|family| family.faults.iter().map(move |fault| (family, *fault)))
        .collect();
    all.into_par_iter().map(|(family, fault)| hunt(family, fault, device)).collect()
}

/// Hunts one fault. Every instruction counts, those of refused programs too.
fn hunt(family: &Family, fault: Fault, device: Device) -> Hunted {
    let mut reference = Reference::new();
    let mut faulty = Faulty::new(Executor::new(), fault);
    let mut random = SplitMix64::new(45);
    let mut bytes = vec![0; family.bytes];
    let mut hunted = Hunted { family: family.name, fault, instructions: 0, find: None };
    while hunted.instructions < BUDGET {
        random.fill(&mut bytes);
        let case = (family.generate)(device, &bytes);
        let verdict = lockstep::<Eu>(&mut reference, &mut faulty, &case);
        hunted.instructions += match &verdict {
            Verdict::Agreed(agreement) => agreement.steps + 1,
            Verdict::NotRun { .. } => Eu::length(&case) as u64,
            Verdict::Diverged(divergence) => divergence.step + 1,
        };
        // Where the engine differs without the fault too, there is no find.
        let differs = |verdict: &Verdict| matches!(verdict, Verdict::Diverged(_));
        if !differs(&verdict)
            || differs(&lockstep::<Eu>(&mut reference, &mut Executor::new(), &case))
        {
            continue;
        }
        let smallest = minimize::<Eu>(&mut reference, &mut faulty, &case).case;
        let with = lockstep::<Eu>(&mut reference, &mut faulty, &smallest);
        let without = lockstep::<Eu>(&mut reference, &mut Executor::new(), &smallest);
        let objection = match (&with, &without) {
            (Verdict::Diverged(_), Verdict::Agreed(_)) => None,
            (Verdict::Diverged(_), _) => Some("the smallest program fails without the fault too"),
            _ => Some("the smallest program does not show the fault"),
        };
        let instruction = match with {
            Verdict::Diverged(divergence) => divergence.instruction,
            _ => String::new(),
        };
        hunted.find = Some(Find { length: Eu::length(&smallest), instruction, objection });
        break;
    }
    hunted
}

/// What came of hunting, as a table for people.
pub(crate) fn table(hunts: &[Hunted]) -> String {
    let mut text =
        format!("{:<58} {:>11}  {:>9}  {}\n", "fault", "found after", "program", "where it shows");
    let mut family = "";
    for hunted in hunts {
        if hunted.family != family {
            family = hunted.family;
            let _ = writeln!(text, "-- {family}");
        }
        let name = hunted.fault.name;
        let _ = match &hunted.find {
            Some(Find { length, instruction, objection }) => writeln!(
                text,
                "{name:<58} {:>11}  {length:>9}  {}",
                hunted.instructions,
                objection.unwrap_or(instruction),
            ),
            None => writeln!(text, "{name:<58} {:>11}  {:>9}", "not found", "-"),
        };
    }
    text
}
