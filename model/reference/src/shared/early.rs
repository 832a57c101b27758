//! The shared functions of G45 and its predecessors, by the target of a message.

use parallax_isa::{
    Device,
    device::Generation,
    eu::{register::REGISTER_BYTES, state::MRF_COUNT},
    shared::{Request, Unanswered, environment::Gateway},
};

use super::{
    Reply, SharedFunction, World,
    data_port::DataPort,
    extended_math::ExtendedMath,
    gateway,
    order::{Met, Order},
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
    /// A register of the last message held something else in an earlier one.
    pub(super) reuses_registers: bool,
}

impl Past {
    /// Begins a message of some registers. What was written to one of them since an earlier message is in this one, and
    /// was not in that one.
    pub(crate) fn begin(&mut self, first: usize, payload: &[[u8; REGISTER_BYTES]]) {
        self.order.met = Met::default();
        let sent = self.sent[first..].iter_mut().zip(payload);
        let changed = sent.filter_map(|(sent, register)| {
            sent.replace(*register).filter(|earlier| earlier != register)
        });
        self.reuses_registers = changed.count() > 0;
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
        match request.target {
            0 => null(request),
            1 => self.math.answer(request, world),
            4 | 5 => self.data_port.answer(request, world),
            2 => sampler::answer(self.data_port.device, request, world),
            3 => gateway::answer(request, world),
            6 => urb::answer(self.data_port.device, request, world),
            8.. => unassigned(request),
            _ => Err(Unanswered::NoSuchFunction("one that nothing stands behind")),
        }
    }
}

/// What goes to a function that does not exist is discarded; a reply never comes.
fn unassigned(request: &Request) -> Result<Reply, Unanswered> {
    // Decision D-eu-null.
    if request.response_length != 0 {
        return undefined("a reply of a function that does not exist");
    }
    Ok(Reply::default())
}

/// Null takes any message and does nothing.
fn null(request: &Request) -> Result<Reply, Unanswered> {
    // Decision D-eu-null.
    if request.response_length != 0 {
        return undefined("Null does not reply");
    }
    Ok(Reply::default())
}
