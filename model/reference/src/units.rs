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

use parallax_isa::{
    Device,
    units::{Answer, Event, address},
};
use parallax_spec::rule;

use commands::State;
use dispatcher::Dispatcher;
use fixed::Pipeline;
use messages::Functions;
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
        }
    }

    /// What an event does, and what is seen of it.
    pub fn take(&mut self, event: &Event) -> Answer {
        let Self { device, registers, pipeline, dispatcher, functions, state } = self;
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
            address => {
                rule!("g45.debug.snapshot.fields");
                Answer::Word(registers.get(address))
            }
        }
    }
}
