//! The suite `units`: fixed functions of Gen4, thread dispatcher, debug registers, registers of errors and
//! commands that load state. Reference and executor take the same random events, and every answer is compared.

mod script;

pub use script::events;

use parallax_executor::units::Units as Executor;
use parallax_isa::{Device, units::Event};
use parallax_reference::units::Units as Reference;
use parallax_rules::units::observe;

use crate::query::{Answers, Asked};

impl Asked for Event {
    const SUITE: &'static str = "units";

    type Reference = Reference;
    type Executor = Executor;

    fn script(device: Device, seed: u64) -> Vec<Self> {
        events(device, seed)
    }
}

impl Answers<Event> for Reference {
    const NAME: &'static str = "reference";

    fn new(device: Device) -> Self {
        Self::new(device).observed_by(observe)
    }

    fn answer(&mut self, event: &Event) -> Option<Vec<u32>> {
        self.take(event).words()
    }
}

impl Answers<Event> for Executor {
    const NAME: &'static str = "executor";

    fn new(device: Device) -> Self {
        Self::new(device)
    }

    fn answer(&mut self, event: &Event) -> Option<Vec<u32>> {
        Self::answer(self, event).words()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use parallax_isa::{
        enums::Code,
        query::Query,
        units::{Fault, Target, address as at},
    };

    use super::*;
    use crate::{query::suite, suite::Suite as _};

    /// Whether an executor that takes events with a change is found to be wrong within some cases.
    fn is_found(device: Device, change: fn(&mut Event)) -> bool {
        (0..60).any(|seed| {
            let mut reference = <Reference as Answers<Event>>::new(device);
            let mut executor = Executor::new(device);
            events(device, seed).iter().any(|event| {
                let expected = Answers::answer(&mut reference, event);
                let mut changed = event.clone();
                change(&mut changed);
                let actual = Answers::answer(&mut executor, &changed);
                expected.is_some_and(|expected| actual != Some(expected))
            })
        })
    }

    #[test]
    fn both_engines_agree() {
        for device in Device::GEN4 {
            let suite = suite::<Event>(device);
            let mut worker = suite.worker();
            for seed in 0..60 {
                let ran = worker.run(seed);
                assert!(
                    ran.diverged.is_none() && ran.comparisons >= 400,
                    "seed {seed} on {device}: {ran:?}"
                );
            }
        }
    }

    /// Takes a bit out of what the host writes.
    macro_rules! without {
        ($register:path, $bit:expr) => {
            |event: &mut Event| {
                if let Event::Write($register, value) = event {
                    *value &= !(1 << $bit);
                }
            }
        };
    }

    /// Changes an event of a kind.
    macro_rules! change {
        ($kind:pat => $change:expr) => {
            |event: &mut Event| {
                if let $kind = event {
                    $change;
                }
            }
        };
    }

    #[rstest::rstest]
    #[case::vf_snapshot(without!(at::VF_CTL, 0))]
    #[case::vf_range(without!(at::VF_CTL, 1))]
    #[case::vf_max(without!(at::VF_CTL, 2))]
    #[case::vf_skip(without!(at::VF_CTL, 3))]
    #[case::vf_type(without!(at::VF_CTL, 4))]
    #[case::vs_all(without!(at::VS_CTL, 2))]
    #[case::gs_told(without!(at::GS_CTL, 1))]
    #[case::gs_mux(without!(at::GS_CTL, 10))]
    #[case::cl_snapshot(without!(at::CL_CTL, 0))]
    #[case::cl_cull(without!(at::CL_CTL, 30))]
    #[case::cl_mux(without!(at::CL_CTL, 8))]
    #[case::sf_cull(without!(at::SF_CTL, 30))]
    #[case::sf_range(without!(at::SF_CTL, 4))]
    #[case::sf_rectangle(without!(at::SF_CTL, 3))]
    #[case::sf_least(without!(at::SF_MIN_PR_IND, 0))]
    #[case::wiz_instance(without!(at::WIZ_CTL, 4))]
    #[case::wiz_upstream(without!(at::WIZ_CTL, 3))]
    #[case::wiz_all(without!(at::WIZ_CTL, 2))]
    #[case::wiz_kill(without!(at::WIZ_CTL, 24))]
    #[case::wiz_place(without!(at::WIZ_STRG_VAL, 17))]
    #[case::ts_snapshot(without!(at::TS_CTL, 0))]
    #[case::ts_roots(without!(at::TS_CTL, 1))]
    #[case::td_halt_match(without!(at::TD_CTL, 7))]
    #[case::td_halt(without!(at::TD_CTL, 6))]
    #[case::td_override(without!(at::TD_CTL, 5))]
    #[case::td_breakpoints(without!(at::TD_CTL, 4))]
    #[case::td_breakpoint(without!(at::TD_CTL, 2))]
    #[case::td_stack(without!(at::TD_CTL2, 26))]
    #[case::td_mask(without!(at::TD_0_7_EHTRG_MSK, 1))]
    #[case::math_unit(without!(at::MATH_CTL, 16))]
    #[case::dp_mux(without!(at::DP_CTL, 8))]
    #[case::rc_colour(without!(at::RC_CTL, 2))]
    #[case::urb_phase(without!(at::URB_CTL, 16))]
    #[case::svg_mux(without!(at::SVG_CTL, 9))]
    #[case::debug(change!(Event::GlobalDebug(on) => *on = true))]
    #[case::flush(change!(Event::Flush { resets_counters } => *resets_counters = false))]
    #[case::channels(change!(Event::Subspans { valid, .. } => valid.swap(1, 2)))]
    #[case::root(change!(Event::Root(identifier, _) => *identifier &= 0x00FF_FFFF))]
    #[case::depths(change!(Event::Thread(_, _, setting) => setting.mask ^= 1))]
    #[case::notified(change!(Event::Notified(slot) => *slot = 0))]
    #[case::waits(change!(Event::Waits(slot) => *slot ^= 1))]
    #[case::host_data(change!(Event::HostData(_, value) => *value = true))]
    #[case::room(change!(Event::Message(message) => message.room = 15))]
    #[case::last_thread(change!(Event::Message(message) => message.ends_thread = false))]
    #[case::opcode(change!(Event::Message(message) => message.opcode &= 7))]
    #[case::surface(change!(Event::Message(message) => {
        message.faults.retain(|fault| *fault != Fault::SurfaceType);
    }))]
    #[case::sampler_header(change!(Event::Message(message) => {
        if message.target == Target::Sampler {
            message.header.reverse();
        }
    }))]
    #[case::used(change!(Event::UrbWrite(descriptor, ..) => *descriptor |= 1 << 14))]
    #[case::primitive_type(change!(Event::UrbWrite(_, payload, _) => payload[0][2] &= !4))]
    #[case::streamed(change!(Event::StreamedVertex(descriptor) => *descriptor &= !(1 << 9)))]
    #[case::scoreboard(change!(Event::TargetWrite(descriptor, _) => *descriptor |= 1 << 11))]
    #[case::half(change!(Event::TargetWrite(descriptor, _) => *descriptor &= !(1 << 8)))]
    #[case::palette(change!(Event::Command(words) => {
        if let Some(last) = words.last_mut() {
            *last &= 0x00FF_FFFF;
        }
    }))]
    #[case::key(change!(Event::Key(index) => *index &= 1))]
    fn a_broken_unit_is_found(#[case] change: fn(&mut Event)) {
        assert!(is_found(Device::G45, change));
    }

    /// Queries have the names by which engines declare them and the protocol sends them.
    #[test]
    fn names_are_those_of_the_protocol() {
        let all =
            Device::GEN4.into_iter().flat_map(|device| (0..9).flat_map(move |n| events(device, n)));
        let codes = Code::script(Device::Dg1, 0);
        let units: BTreeSet<_> = all.map(|event| named(&event)).collect();
        let enums: BTreeSet<_> = codes.iter().map(named).collect();
        assert_eq!(units, Event::NAMES.iter().map(|(name, _)| *name).collect());
        assert_eq!(enums, Code::NAMES.iter().map(|(name, _)| *name).collect());
    }

    /// The name of a query, which is its key in the protocol.
    fn named<Q: Query>(query: &Q) -> &'static str {
        let sent = serde_json::to_value(query).expect("it has a form");
        let key = sent.as_str().or_else(|| sent.as_object()?.keys().next().map(String::as_str));
        assert_eq!(key, Some(query.name()));
        query.name()
    }

    /// What is generated can be asked, and what would be outside of a table cannot.
    #[test]
    fn queries_are_checked() {
        let all = Device::GEN4.into_iter().flat_map(|device| events(device, 1));
        assert!(all.map(|event| event.check()).all(|checked| checked.is_ok()));
        for (event, says) in [
            (Event::Read(0x7402), "there is no debug register at 0x7402"),
            (Event::Write(0x8800, 1), "there is no debug register at 0x8800"),
            (Event::Base(6, 0), "base 6: there are 6, from 0 on"),
            (Event::Waits(4), "slot 4: there are 4, from 0 on"),
            (Event::Ended(9, [[0; 16]; 2], [0; 2]), "slot 9: there are 4, from 0 on"),
            (Event::UrbWrite(0, Vec::new(), true), "a write to the URB without a register"),
            (Event::Key(4), "chroma key 4: there are 4, from 0 on"),
            (Event::Palette(2, 0), "palette 2: there are 2, from 0 on"),
        ] {
            assert_eq!(event.check(), Err(says.to_owned()));
        }
    }

    #[test]
    fn what_earlier_devices_keep_is_found() {
        let emptied: fn(&mut Event) = change!(Event::Ended(_, _, depths) => *depths = [0; 2]);
        assert!(is_found(Device::Cl, emptied));
        assert!(!is_found(Device::Ctg, emptied));
    }
}
