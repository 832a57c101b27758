//! Fixed functions and what else stands beside the threads of Gen4: what the volume says of the thread
//! dispatcher, of debug registers (chapter 3), of messages in error, and of commands that load state.
//!
//! Each event is answered by the unit that it reaches; what the units share are the debug registers.

mod commands;
mod dispatcher;
mod fixed;
mod messages;
mod registers;
mod snapshot;

use commands::State;
use dispatcher::Dispatcher;
use fixed::Pipeline;
use messages::Functions;
use parallax_isa::{
    Device,
    units::{Answer, Event, address},
};
use registers::Registers;

/// The units of a device.
#[derive(Debug, Clone)]
pub struct Units {
    device: Device,
    registers: Registers,
    pipeline: Pipeline,
    dispatcher: Dispatcher,
    functions: Functions,
    state: State,
    /// Who looks at it.
    observer: Option<Observer>,
}

/// Looks at what was answered.
pub type Observer = fn(&UnitsStep);

/// An event that was answered.
#[derive(Debug)]
pub struct UnitsStep<'a> {
    /// The device.
    pub device: Device,
    /// What reached the units.
    pub event: &'a Event,
    /// What they answered.
    pub answer: &'a Answer,
    /// Counters were reset before.
    pub were_reset: bool,
    /// Messages in error that the data port has met.
    pub data_port_errors: u32,
    registers: &'a Registers,
}

impl UnitsStep<'_> {
    /// A debug register after the event.
    #[must_use]
    pub fn register(&self, address: u16) -> u32 {
        self.registers.get(address)
    }

    /// Whether debugging is enabled.
    #[must_use]
    pub fn is_debugged(&self) -> bool {
        self.registers.is_debugged
    }
}

impl Units {
    /// After a reset.
    #[must_use]
    pub fn new(device: Device) -> Self {
        Self {
            device,
            registers: Registers::default(),
            pipeline: Pipeline::default(),
            dispatcher: Dispatcher::default(),
            functions: Functions::default(),
            state: State::default(),
            observer: None,
        }
    }

    /// The same units, lending the record of each event to an observer.
    #[must_use]
    pub fn observed_by(mut self, observer: Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// What an event does, and what is seen of it.
    pub fn take(&mut self, event: &Event) -> Answer {
        let answer = self.answer(event);
        if let Some(observe) = self.observer {
            observe(&UnitsStep {
                device: self.device,
                event,
                answer: &answer,
                were_reset: self.pipeline.was_reset,
                data_port_errors: self.functions.data_port_errors,
                registers: &self.registers,
            });
        }
        answer
    }

    fn answer(&mut self, event: &Event) -> Answer {
        let Self { device, registers, pipeline, dispatcher, functions, state, .. } = self;
        let device = *device;
        match event {
            Event::GlobalDebug(is_on) => {
                registers.is_debugged = *is_on;
                Answer::Done
            }
            Event::Flush { resets_counters } => {
                if *resets_counters {
                    pipeline.reset_counters();
                }
                Answer::Done
            }
            Event::Reset => {
                dispatcher.reset();
                Answer::Done
            }
            Event::Write(address, value) => {
                registers.write(*address, *value);
                if *address == address::TD_CTL {
                    dispatcher.arm(*value);
                }
                Answer::Done
            }
            Event::Read(address) => self.read(*address),
            Event::Base(which, value) => {
                registers.change_base(*which, *value);
                Answer::Done
            }
            Event::Draw { start, count } => pipeline.draw(registers, *start, *count),
            Event::Fetched { index, shader } => pipeline.fetch(registers, *index, *shader),
            Event::Entering => fixed::enter_clipper(device, registers),
            Event::Thread(unit, inputs, setting) => {
                let header = pipeline.vertex_thread(registers, *unit, inputs, setting);
                Answer::Begins(dispatcher.dispatch(device, registers, header, setting))
            }
            Event::Primitive { is_culled, rectangle, inputs, setting } => {
                match pipeline.primitive(registers, *is_culled, *rectangle, inputs, setting) {
                    None => Answer::Dropped,
                    Some(setup) => Answer::Setup {
                        number: setup.number,
                        rectangle: setup.rectangle,
                        is_trapped: setup.is_trapped,
                        start: dispatcher.dispatch(device, registers, setup.header, setting),
                    },
                }
            }
            Event::Subspans { at, primitive, is_trapped, kernel, valid, setting } => {
                let subspans = fixed::Subspans {
                    at: *at,
                    primitive: *primitive,
                    is_trapped: *is_trapped,
                    kernel: *kernel,
                };
                match pipeline.subspans(device, registers, &subspans, setting.software) {
                    None => Answer::Dropped,
                    Some(header) => {
                        let mask = dispatcher::mask_of_subspans(*valid);
                        let setting = parallax_isa::units::Setting { mask, ..*setting };
                        Answer::Begins(dispatcher.dispatch(device, registers, header, &setting))
                    }
                }
            }
            Event::Root(identifier, setting) => {
                let header = fixed::root(registers, *identifier);
                Answer::Begins(dispatcher.dispatch(device, registers, header, setting))
            }
            Event::Child(header, setting) => {
                let header = fixed::child(registers, *header);
                Answer::Begins(dispatcher.dispatch(device, registers, header, setting))
            }
            Event::Ended(slot, stacks, depths) => {
                dispatcher.end(*slot, *stacks, *depths);
                Answer::Done
            }
            Event::Notified(slot) => {
                dispatcher.notify(*slot);
                Answer::Done
            }
            Event::HostData(slot, value) => {
                dispatcher.host_data(*slot, *value);
                Answer::Done
            }
            Event::Waits(slot) => {
                dispatcher.wait(*slot);
                Answer::Done
            }
            Event::ClearAttention(slot) => {
                dispatcher.clear_attention(*slot);
                Answer::Done
            }
            Event::Attention(slot) => Answer::Word(dispatcher.attention(*slot)),
            Event::Message(message) => functions.message(message),
            Event::UrbWrite(descriptor, payload, feeds_primitives) => {
                functions.urb_write(registers, *descriptor, payload, *feeds_primitives)
            }
            Event::Pixel(header, colour, bits) => {
                messages::pixel(registers, *header, *colour, *bits)
            }
            Event::StreamedVertex(descriptor) => functions.streamed_vertex(device, *descriptor),
            Event::Dispatched(mask) => {
                functions.dispatched(*mask);
                Answer::Done
            }
            Event::TargetWrite(descriptor, header) => functions.target_write(*descriptor, *header),
            Event::Command(words) => state.command(device, words),
            Event::Key(index) => state.key(*index),
            Event::Palette(which, entry) => state.palette(device, *which, *entry),
        }
    }

    /// What the host reads at an address.
    fn read(&self, address: u16) -> Answer {
        let Self { registers, pipeline, functions, .. } = self;
        match address {
            address::SVG_RDATA => registers.base(),
            address::VF_RDATA => pipeline.vertex_fetch_data(registers),
            // The mux of the vertex shader is described in words about the windower.
            address::VS_RDATA => Answer::Open,
            address::GS_RDATA => pipeline.geometry_data(registers),
            address::CL_RDATA => pipeline.clipper_data(registers),
            address::SF_RDATA => pipeline.setup_data(registers),
            address::WIZ_RDATA => pipeline.windower_data(registers),
            address::MATH_RDATA => functions.math_error(registers),
            address::SAMPLER_RDATA => functions.sampler_error(registers),
            address::DP_RDATA => functions.data_port_error(registers),
            address::URB_RDATA => functions.urb_data(registers),
            address => Answer::Word(registers.get(address)),
        }
    }
}
