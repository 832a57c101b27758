//! The shared functions of G45 and its predecessors, by the target of a message.

use parallax_isa::{
    Device,
    device::Generation,
    eu::{register::REGISTER_BYTES, state::MRF_COUNT},
    shared::{Request, Unanswered, environment::Gateway},
};
use parallax_spec::{RuleId, coverage, decision, each_rule, rule, rule_id};

use super::{
    Reply, SharedFunction, World,
    data_port::DataPort,
    extended_math::ExtendedMath,
    gateway,
    order::Order,
    sampler, undefined,
    urb::{self, Entries},
};

/// What messages leave behind that is not in memory.
#[derive(Debug, Default)]
pub(crate) struct Past {
    /// In which order those to the data port are done.
    pub(super) order: Order,
    /// What became of the entries of the URB.
    pub(super) entries: Entries,
    /// The thread's own gateway, if it has opened it.
    pub(super) gateway: Option<Gateway>,
    /// What the message registers held when they were last sent.
    sent: [Option<[u8; REGISTER_BYTES]>; MRF_COUNT],
}

impl Past {
    /// Registers of a message that was answered. What was written to one of them since an earlier message is
    /// in this one, and was not in that one.
    pub(crate) fn note_sent(&mut self, first: usize, payload: &[[u8; REGISTER_BYTES]]) {
        for (sent, register) in self.sent[first..].iter_mut().zip(payload) {
            if sent.replace(*register).is_some_and(|earlier| earlier != *register) {
                rule!("g45.msg.mrf.reuse");
                rule!("g45.msg.mrf.inflight-stall");
            }
        }
    }
}

/// Those of a device.
#[derive(Debug)]
pub(crate) struct EarlyFunctions {
    math: ExtendedMath,
    data_port: DataPort,
}

const BW: EarlyFunctions = EarlyFunctions::new(Device::Bw, ExtendedMath::GEN4);
const CL: EarlyFunctions = EarlyFunctions::new(Device::Cl, ExtendedMath::GEN4);
const CTG: EarlyFunctions = EarlyFunctions::new(Device::Ctg, ExtendedMath::GEN45);
const G45: EarlyFunctions = EarlyFunctions::new(Device::G45, ExtendedMath::GEN45);

impl EarlyFunctions {
    const fn new(device: Device, math: ExtendedMath) -> Self {
        Self { math, data_port: DataPort { device } }
    }

    /// Those of a device of Gen4 or Gen4.5.
    pub(super) fn of(device: Device) -> &'static Self {
        match device {
            Device::Bw => &BW,
            Device::Cl => &CL,
            Device::Ctg => &CTG,
            _ => &G45,
        }
    }
}

impl SharedFunction for EarlyFunctions {
    fn answer(&self, request: &Request, world: &mut World) -> Result<Reply, Unanswered> {
        debug_assert!(self.data_port.device.generation() <= Some(Generation::Gen45));
        coverage::hit_all(CHOICE);
        match request.target {
            0 => null(request),
            1 => self.math.answer(request, world),
            4 | 5 => {
                rule!("g45.dataport.general.two-functions");
                self.data_port.answer(request, world)
            }
            2 => sampler::answer(self.data_port.device, request, world),
            3 => gateway::answer(request, world),
            6 => urb::answer(self.data_port.device, request, world),
            8.. => unassigned(request),
            _ => Err(Unanswered::NoSuchFunction("one that nothing stands behind")),
        }
    }
}

/// Who is chosen how.
const CHOICE: &[RuleId] = &[rule_id!("g45.sys.sf.list"), rule_id!("g45.sys.sf.subfunction")];

/// What goes to a function that does not exist is discarded; a reply never comes.
fn unassigned(request: &Request) -> Result<Reply, Unanswered> {
    decision!("D-eu-null");
    if request.response_length != 0 {
        return undefined("a reply of a function that does not exist");
    }
    each_rule!("g45.msg.error.sfid-discarded", "g45.exc.malformed-message-no-exception");
    Ok(Reply::default())
}

/// Null takes any message and does nothing.
fn null(request: &Request) -> Result<Reply, Unanswered> {
    decision!("D-eu-null");
    if request.response_length != 0 {
        return undefined("Null does not reply");
    }
    rule!("g45.sys.sf.null");
    Ok(Reply::default())
}
