//! Fixed functions beside the execution units of Gen4, with their debug registers in one array.

mod command;
mod dispatch;
mod error;
mod mmio;
mod trap;

use parallax_isa::{
    Device,
    units::{Answer, Entry, Event, Setting, Unit, address as at},
};

use command::Loaded;
use dispatch::Slots;
use error::Errors;
use mmio::Mmio;
use trap::{Latch, Trap};

/// The units of a device, between two events.
#[derive(Debug, Clone)]
pub struct Units {
    device: Device,
    mmio: Mmio,
    /// Commands, vertices, threads of VS, GS and CL, primitives.
    counters: [u32; 6],
    /// Primitive of the last pixels, threads for it, and how often the place that is looked for came.
    pixels: (u64, u32, u32),
    latched: [Latch; 5],
    slots: Slots,
    errors: Errors,
    trapped: Option<[u32; 8]>,
    streamed: [u32; 3],
    scoreboard: u16,
    loaded: Loaded,
}

const DRAWS: usize = 0;
const VERTICES: usize = 1;
const THREADS: usize = 2;
const PRIMITIVES: usize = 5;

/// Places of what was latched.
const VF: usize = 0;
const GS: usize = 1;
const CL: usize = 2;
const SF: usize = 3;
const WIZ: usize = 4;

impl Units {
    /// Nothing has happened.
    #[must_use]
    pub fn new(device: Device) -> Self {
        Self {
            device,
            mmio: Mmio::default(),
            counters: [0; 6],
            pixels: (u64::MAX, 0, 0),
            latched: [const { Latch::Empty }; 5],
            slots: Slots::default(),
            errors: Errors::default(),
            trapped: None,
            streamed: [0; 3],
            scoreboard: 0,
            loaded: Loaded::new(device),
        }
    }

    /// Takes an event.
    pub fn answer(&mut self, event: &Event) -> Answer {
        match event {
            Event::GlobalDebug(on) => self.mmio.debug = *on,
            Event::Flush { resets_counters: true } => {
                self.counters = [0; 6];
                self.pixels.1 = 0;
                self.pixels.2 = 0;
            }
            Event::Flush { .. } => {}
            Event::Reset => self.slots.forget_notifications(),
            Event::Write(address, value) => {
                self.mmio[*address] = *value;
                if *address == at::TD_CTL {
                    self.slots.halt_next = value & 0x40 != 0;
                }
            }
            Event::Read(address) => return self.read(*address),
            Event::Base(which, value) => self.mmio.base(*which, *value),
            Event::Draw { start, count } => return self.draw(*start, *count),
            Event::Fetched { index, shader } => return self.fetched(*index, *shader),
            Event::Entering => {
                if self.is_late() && self.mmio[at::CL_CTL] & 1 << 30 != 0 {
                    return Answer::Dropped;
                }
            }
            Event::Thread(unit, inputs, setting) => {
                let (control, mask, latch) = match unit {
                    Unit::Vertex => (at::VS_CTL, 0x00FF_FFFF, None),
                    Unit::Geometry => (at::GS_CTL, 0x0FFF_FFFF, Some(GS)),
                    Unit::Clipper => (at::CL_CTL, 0x0FFF_FFFF, Some(CL)),
                };
                let thread = self.count(THREADS + *unit as usize);
                let hit = (self.mmio[control + 4] ^ thread & 0x00FF_FFFF) & mask == 0;
                let trap = self.mmio.trap(control, hit);
                if let (true, Some(latch)) = (trap.taken, latch) {
                    self.latched[latch] = Latch::of_inputs(inputs);
                }
                return self.begin(thread, 0, trap.reported, setting);
            }
            Event::Primitive { is_culled, rectangle, inputs, setting } => {
                let number = self.count(PRIMITIVES);
                return self.primitive(number, *is_culled, *rectangle, inputs, setting);
            }
            Event::Subspans { at, primitive, is_trapped, kernel, valid, setting } => {
                let mut mask = 0;
                for (subspan, _) in valid.iter().enumerate().filter(|(_, valid)| **valid) {
                    mask |= 0xF << (4 * subspan);
                }
                let setting = Setting { mask, ..*setting };
                return self.subspans(*at, *primitive, *is_trapped, *kernel, &setting);
            }
            Event::Root(identifier, setting) => return self.spawn([*identifier, 0], 2, setting),
            Event::Child(header, setting) => return self.spawn(*header, 4, setting),
            Event::Ended(slot, stacks, depths) => self.slots.leave(*slot, stacks, depths),
            Event::Notified(slot) => self.slots[*slot].notifications += 1,
            Event::HostData(slot, value) => self.slots[*slot].attention.1 = *value,
            Event::Waits(slot) => self.slots[*slot].attention.0 = true,
            Event::ClearAttention(slot) => self.slots[*slot].attention = (false, false),
            Event::Attention(slot) => {
                let (attention, data) = self.slots[*slot].attention;
                return Answer::Word(u32::from(attention) + 2 * u32::from(data));
            }
            Event::Message(message) => return self.errors.take(message),
            Event::UrbWrite(descriptor, payload, feeds) => {
                return self.urb_write(*descriptor, payload, *feeds);
            }
            Event::Pixel(header, colour, bits) => {
                let forced = self.mmio.enables(at::RC_CTL) & 4 != 0 && header & 1 << 31 != 0;
                let fixed = self.mmio[at::RC_DEF_CLR].wrapping_shr(32 - u32::from(*bits));
                return Answer::Colour(if forced { [fixed; 4] } else { *colour });
            }
            Event::StreamedVertex(descriptor) => {
                if !matches!(self.device, Device::Bw | Device::Cl) {
                    self.streamed[0] += descriptor >> 10 & 1;
                    self.streamed[1] += descriptor >> 9 & 1;
                    self.streamed[2] += descriptor >> 8 & 1;
                }
                return Answer::Streamed(self.streamed);
            }
            Event::Dispatched(mask) => self.scoreboard |= mask,
            Event::TargetWrite(descriptor, header) => {
                return self.target_write(*descriptor, *header);
            }
            Event::Command(words) => return self.loaded.command(words),
            Event::Key(index) => return self.loaded.key(*index),
            Event::Palette(which, entry) => return self.loaded.entry(*which, *entry),
        }
        Answer::Done
    }

    /// [DevCTG-B+].
    fn is_late(&self) -> bool {
        self.device == Device::G45
    }

    /// The number of something, which then counts if anything does.
    fn count(&mut self, counter: usize) -> u32 {
        let number = self.counters[counter];
        self.counters[counter] = number.wrapping_add(self.mmio.debug.into());
        number
    }

    fn read(&self, address: u16) -> Answer {
        let select = |control: u16| (self.mmio[control] >> 8 & 0xFF) as usize;
        let word = match address {
            at::SVG_RDATA => self.mmio.latched_base(select(at::SVG_CTL)),
            at::VS_RDATA => None,
            at::VF_RDATA => self.latched[VF].word(select(at::VF_CTL)),
            at::GS_RDATA => self.latched[GS].geometry(select(at::GS_CTL)),
            at::CL_RDATA => self.latched[CL].triangle(select(at::CL_CTL)),
            at::SF_RDATA => self.latched[SF].triangle(select(at::SF_CTL)),
            at::WIZ_RDATA => self.latched[WIZ].word(select(at::WIZ_CTL)),
            at::MATH_RDATA => self.errors.math(self.mmio[at::MATH_CTL]),
            at::SAMPLER_RDATA => self.errors.sampler(select(at::SAMPLER_CTL)),
            at::DP_RDATA => self.errors.data_port(select(at::DP_CTL)),
            at::URB_RDATA => {
                let index = select(at::URB_CTL).wrapping_sub(8);
                self.trapped.as_ref().and_then(|words| words.get(index)).copied()
            }
            other => Some(self.mmio[other]),
        };
        word.map_or(Answer::Open, Answer::Word)
    }

    fn draw(&mut self, start: u32, count: u32) -> Answer {
        let number = self.count(DRAWS);
        let enables = self.mmio.enables(at::VF_CTL);
        let below = |register: u16| number < self.mmio[register] & 0x00FF_FFFF;
        let skipped = enables & 8 != 0 && below(at::VF_STR_PSKIP);
        let beyond = enables & 4 != 0 && !below(at::VF_MAX_PRIM);
        if skipped || beyond {
            Answer::Dropped
        } else if enables & 2 != 0 {
            Answer::Draw(self.mmio[at::VF_STR_VL_OVR], self.mmio[at::VF_VC_OVR])
        } else {
            Answer::Draw(start, count)
        }
    }

    fn fetched(&mut self, index: u32, shader: u32) -> Answer {
        let number = self.count(VERTICES);
        let by_index = self.mmio[at::VF_CTL] & 0x10 != 0;
        let wanted = self.mmio[at::VF_STRG_VAL];
        let hit = match by_index {
            true => wanted == index,
            false => wanted << 8 == number << 8,
        };
        if self.mmio.snap(at::VF_CTL, hit) {
            self.latched[VF] = Latch::Words(if by_index { vec![] } else { vec![shader] });
        }
        Answer::Word(self.mmio[at::VF_CTL])
    }

    /// Begins a thread of a number, with what else stands in R0.7.
    fn begin(&mut self, number: u32, low: u32, reported: bool, setting: &Setting) -> Answer {
        let header = [
            number & 0x00FF_FFFF | u32::from(setting.software) << 24,
            low | u32::from(reported) << 31,
        ];
        Answer::Begins(self.slots.begin(self.device, &self.mmio, header, setting))
    }

    fn primitive(
        &mut self,
        number: u32,
        culled: bool,
        drawn: [u16; 4],
        inputs: &parallax_isa::units::Inputs,
        setting: &Setting,
    ) -> Answer {
        let enables = self.mmio.enables(at::SF_CTL);
        let range = self.mmio[at::SF_MIN_PR_IND] & !(0xF << 28)
            ..=self.mmio[at::SF_MAX_PR_IND] & !(0xF << 28);
        let outside = enables & 0x10 != 0 && !range.contains(&number);
        if culled || outside || self.mmio[at::SF_CTL] & 1 << 30 != 0 {
            return Answer::Dropped;
        }
        let Trap { taken, reported } =
            self.mmio.trap(at::SF_CTL, self.mmio[at::SF_STRG_VAL] & !(0xF << 28) == number);
        if taken {
            self.latched[SF] = Latch::of_inputs(inputs);
        }
        let rectangle = if enables & 8 != 0 {
            let [least, greatest] = [at::SF_CLIP_RMIN, at::SF_CLIP_RMAX].map(|at| self.mmio[at]);
            [least as u16, (least >> 16) as u16, greatest as u16, (greatest >> 16) as u16]
        } else {
            drawn
        };
        match self.begin(number, 0, reported, setting) {
            Answer::Begins(start) => Answer::Setup { number, rectangle, is_trapped: taken, start },
            other => other,
        }
    }

    fn subspans(
        &mut self,
        place: [u16; 2],
        primitive: u32,
        upstream: bool,
        kernel: u32,
        setting: &Setting,
    ) -> Answer {
        let control = self.mmio[at::WIZ_CTL];
        if self.is_late() && control & 3 << 24 != 0 {
            return Answer::Dropped;
        }
        if self.pixels.0 != u64::from(primitive) {
            self.pixels = (primitive.into(), 0, self.pixels.2);
        }
        let counted = u32::from(self.mmio.debug);
        let thread = self.pixels.1;
        self.pixels.1 += counted;
        let here = u32::from(place[0]) | u32::from(place[1]) << 16;
        let mut hit = (here ^ self.mmio[at::WIZ_STRG_VAL]) & 0xFFFE_FFFE == 0;
        if hit {
            self.pixels.2 += counted;
        }
        let enables = self.mmio.enables(at::WIZ_CTL);
        if enables & 0x10 != 0 {
            hit &= self.pixels.2 == control >> 16 & 0xFF;
        }
        let allowed = upstream || enables & 8 == 0;
        let taken = match enables & 4 {
            0 => self.mmio.snap(at::WIZ_CTL, hit && allowed),
            _ => allowed,
        };
        let primitive = primitive & 0x00FF_FFFF;
        if taken {
            self.latched[WIZ] = Latch::Words(vec![kernel, self.pixels.2, primitive]);
        }
        self.begin(thread, primitive, taken && enables & 2 != 0, setting)
    }

    /// A root thread or a child; `all` is the enable that traps each of its kind.
    fn spawn(&mut self, header: [u32; 2], all: u32, setting: &Setting) -> Answer {
        let enables = self.mmio.enables(at::TS_CTL);
        let reported = if enables & 6 != 0 {
            enables & 1 != 0 && enables & all != 0
        } else {
            let differs = (header[0] ^ self.mmio[at::TS_STRG_0_6VAL])
                | (header[1] ^ self.mmio[at::TS_STRG_0_7VAL]);
            self.mmio.snap(at::TS_CTL, differs << 8 == 0)
        };
        let header = [header[0], header[1] | u32::from(reported) << 31];
        Answer::Begins(self.slots.begin(self.device, &self.mmio, header, setting))
    }

    fn urb_write(&mut self, descriptor: u32, payload: &[[u32; 8]], feeds: bool) -> Answer {
        let [_, _, vertex, .., flagged] = payload[0];
        if self.mmio.snap(at::URB_CTL, flagged >> 31 != 0) {
            let register = self.mmio[at::URB_CTL] >> 16 & 0xF;
            self.trapped = payload.get(register as usize).copied();
        }
        if descriptor & 0x8000 == 0 {
            return Answer::Entry(None);
        }
        let primitive = || ((vertex as u8 & 0x7C) >> 2, vertex & 2 == 2, vertex & 1 == 1);
        Answer::Entry(Some(Entry {
            is_used: descriptor & 0x4000 != 0,
            primitive: if feeds { Some(primitive()) } else { None },
        }))
    }

    fn target_write(&mut self, descriptor: u32, header: u32) -> Answer {
        // The pixels that a message of each type is about.
        const HALVES: [u16; 5] = [0xFFFF, 0xFFFF, 0x00FF, 0xFF00, 0x00FF];
        let Some(half) = HALVES.get((descriptor >> 8 & 7) as usize) else {
            return Answer::Refused;
        };
        if descriptor & 0x800 != 0 {
            self.scoreboard &= !((header >> 16) as u16 & half);
        }
        Answer::Word(self.scoreboard.into())
    }
}
