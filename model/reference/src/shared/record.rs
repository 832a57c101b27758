//! The record of a message: what was asked, what each part of it read and computed, and the reply. It is lent to whoever
//! observes the reference ([`crate::eu::Reference::observed_by`]); shared functions themselves read nothing of it.

use parallax_isa::{
    Acceptance, Device,
    shared::{Request, Response, environment::SURFACE_STATE_DWORDS},
};

use super::World;
pub use super::{
    data_port::{Move, Place},
    order::Met,
};
use crate::eu::{Observed, Observer};

/// A message that was answered.
#[derive(Debug)]
pub struct MessageStep<'a> {
    /// The device of its sender.
    pub device: Device,
    /// What was asked.
    pub request: &'a Request<'a>,
    /// The registers of the reply.
    pub reply: &'a [Response],
}

/// A message to the data port that was answered, but for render target writes.
#[derive(Debug)]
pub struct AccessStep<'a> {
    /// The device.
    pub device: Device,
    /// The message.
    pub request: &'a Request<'a>,
    /// SURFACE_STATE, unless it is stateless.
    pub surface: Option<&'a [u32; SURFACE_STATE_DWORDS]>,
    /// The bytes of data, and what they stand for.
    pub moves: &'a [Move],
    /// What it met of earlier ones.
    pub met: Met,
    /// The registers of the reply.
    pub reply: &'a [Response],
}

/// A result of a channel of a message to Extended Math.
#[derive(Debug)]
pub struct MathStep<'a> {
    /// The device.
    pub device: Device,
    /// The message.
    pub request: &'a Request<'a>,
    /// Which result of the function it is: 0, of two the second one is 1.
    pub which: usize,
    /// The channel, of the second register of 16 channels 8 and more.
    pub channel: usize,
    /// The operands as they stand in the payload; without a second one the first again.
    pub operands: [u32; 2],
    /// The result.
    pub result: u32,
    /// What is accepted besides it.
    pub acceptance: Option<Acceptance>,
    /// How it came about.
    pub path: MathPath,
}

/// How a result of Extended Math comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MathPath {
    /// It is the function of a number, not a cell of a table.
    pub is_computed: bool,
    /// Saturation changed it.
    pub is_clamped: bool,
    /// It is too small for a normal number.
    pub is_tiny: bool,
    /// It is too large for a number.
    pub overflows: bool,
}

/// Who a message is lent to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lender {
    pub(crate) device: Device,
    pub(crate) observer: Option<Observer>,
}

impl Lender {
    /// Lends a record to the observer, if there is one.
    pub(super) fn lend<'a>(self, record: impl FnOnce(Device) -> Observed<'a>) {
        if let Some(observe) = self.observer {
            observe(&record(self.device));
        }
    }
}

impl World<'_> {
    /// Lends a message that was answered.
    pub(crate) fn lend(&self, request: &Request, reply: &[Response]) {
        self.lender.lend(|device| Observed::Message(MessageStep { device, request, reply }));
    }
}
