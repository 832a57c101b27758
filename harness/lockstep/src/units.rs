//! The suite `units`: fixed functions of Gen4, thread dispatcher, debug registers, registers of errors and
//! commands that load state. Reference and executor take the same random events, and every answer is compared.

mod script;

pub use script::events;

use parallax_executor::units::Units as Executor;
use parallax_isa::{
    Device,
    units::{Answer, Event},
};
use parallax_reference::units::Units as Reference;
use parallax_rules::units::observe;
use parallax_spec::coverage::{self, Weight};

use crate::suite::{
    Suite,
    comparison::{Comparison, ComparisonSuite, Counts, Mismatch},
};

/// The suite on a device.
pub(crate) fn suite(device: Device) -> impl Suite {
    ComparisonSuite::new("units", device, |device| Script { device, change: |_| () })
}

/// Events of a seed, on a device; the executor takes them with a change.
struct Script {
    device: Device,
    change: fn(&mut Event),
}

impl Comparison for Script {
    fn compare(&mut self, seed: u64, counts: &mut Counts) -> Result<(), Box<Mismatch>> {
        let mut reference = Reference::new(self.device).observed_by(observe);
        let mut executor = Executor::new(self.device);
        for event in script::events(self.device, seed) {
            let expected = reference.take(&event);
            let mut taken = event.clone();
            (self.change)(&mut taken);
            let actual = executor.answer(&taken);
            counts.instructions += 1;
            counts.comparisons += 1;
            if expected == Answer::Open {
                counts.accepted += 1;
                coverage::settle(Weight::Accepted);
            } else if expected == actual {
                coverage::settle(Weight::Exact);
            } else {
                return Err(mismatch(&event, &expected, &actual));
            }
        }
        Ok(())
    }
}

fn mismatch(event: &Event, expected: &Answer, actual: &Answer) -> Box<Mismatch> {
    let [event, expected, actual] =
        [format!("{event:?}"), format!("{expected:?}"), format!("{actual:?}")];
    let end = event.find(|c: char| !c.is_alphanumeric()).unwrap_or(event.len());
    Box::new(Mismatch {
        kind: event[..end].to_lowercase(),
        location: "answer".to_owned(),
        text: format!("{event}\n  expected {expected}\n  actual   {actual}"),
        instruction: event,
        expected,
        actual,
    })
}

#[cfg(test)]
mod tests {
    use parallax_isa::units::{Fault, Target, address as at};

    use super::*;

    /// Whether a changed engine is found within some cases.
    fn is_found(device: Device, change: fn(&mut Event)) -> bool {
        let mut script = Script { device, change };
        (0..60).any(|seed| script.compare(seed, &mut Counts::default()).is_err())
    }

    #[test]
    fn both_engines_agree() {
        for device in Device::GEN4 {
            let mut script = Script { device, change: |_| () };
            for seed in 0..60 {
                let compared = script.compare(seed, &mut Counts::default());
                assert_eq!(compared, Ok(()), "seed {seed} on {device}");
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

    #[test]
    fn what_earlier_devices_keep_is_found() {
        let emptied: fn(&mut Event) = change!(Event::Ended(_, _, depths) => *depths = [0; 2]);
        assert!(is_found(Device::Cl, emptied));
        assert!(!is_found(Device::Ctg, emptied));
    }
}
