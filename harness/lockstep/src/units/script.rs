//! Random events, each of them one that the manual defines: reserved bits stay zero, values are so small that
//! triggers are met.

use parallax_isa::{
    Device,
    units::{Event, Fault, Inputs, Message, Origin, SLOTS, Setting, Target, Unit, address as at},
};

use crate::random::SplitMix64;

/// Events of a script.
const LENGTH: usize = 400;

/// A register, and the bits of it that are written at random.
type Bits = (u16, u32);

/// Registers with bits that enable and select; of the selects those that are published, and few.
const CONTROLS: &[Bits] = &[
    (at::SVG_CTL, 0x0000_0700),
    (at::VF_CTL, 0x0000_001F),
    (at::VS_CTL, 0x0000_0007),
    (at::GS_CTL, 0x0000_0F07),
    (at::CL_CTL, 0x4000_0707),
    (at::SF_CTL, 0x4000_071F),
    (at::WIZ_CTL, 0x0303_031F),
    (at::TS_CTL, 0x0000_0007),
    (at::TD_CTL, 0x0000_00F4),
    (at::MATH_CTL, 0x0001_0000),
    (at::SAMPLER_CTL, 0x0000_0300),
    (at::DP_CTL, 0x0000_0300),
    (at::RC_CTL, 0x0000_0007),
    (at::URB_CTL, 0x0003_0F01),
];

/// Registers with values.
const VALUES: &[Bits] = &[
    (at::VF_STRG_VAL, 0x7),
    (at::VF_STR_VL_OVR, u32::MAX),
    (at::VF_VC_OVR, u32::MAX),
    (at::VF_STR_PSKIP, 0x7),
    (at::VF_MAX_PRIM, 0xF),
    (at::VS_STRG_VAL, 0x3),
    (at::GS_STRG_VAL, 0x3),
    (at::CL_STRG_VAL, 0x3),
    (at::SF_STRG_VAL, 0x7),
    (at::SF_MIN_PR_IND, 0x3),
    (at::SF_MAX_PR_IND, 0xF),
    (at::SF_CLIP_RMIN, u32::MAX),
    (at::SF_CLIP_RMAX, u32::MAX),
    (at::WIZ_STRG_VAL, 0x0003_0003),
    (at::TS_STRG_0_6VAL, 0x3),
    (at::TS_STRG_0_7VAL, 0x1),
    (at::TD_CTL2, 1 << 28 | 1 << 26 | 1 << 25),
    (at::TD_0_6_EHTRG_VAL, 0x7),
    (at::TD_0_7_EHTRG_VAL, 0x3),
    (at::TD_0_6_EHTRG_MSK, 0x7),
    (at::TD_0_7_EHTRG_MSK, 0x3),
    (at::RC_DEF_CLR, u32::MAX),
];

/// Registers in which units show what they have latched, with those that select it.
const SHOWN: &[(u16, Bits)] = &[
    (at::SVG_RDATA, (at::SVG_CTL, 0x0000_0700)),
    (at::VF_RDATA, (at::VF_CTL, 0)),
    (at::VS_RDATA, (at::VS_CTL, 0)),
    (at::GS_RDATA, (at::GS_CTL, 0x0000_0F00)),
    (at::CL_RDATA, (at::CL_CTL, 0x0000_0700)),
    (at::SF_RDATA, (at::SF_CTL, 0x0000_0700)),
    (at::WIZ_RDATA, (at::WIZ_CTL, 0x0000_0300)),
    (at::MATH_RDATA, (at::MATH_CTL, 0x0001_0000)),
    (at::SAMPLER_RDATA, (at::SAMPLER_CTL, 0x0000_0300)),
    (at::DP_RDATA, (at::DP_CTL, 0x0000_0300)),
    (at::URB_RDATA, (at::URB_CTL, 0x0000_0F00)),
];

/// The events of a seed.
#[must_use]
pub fn events(device: Device, seed: u64) -> Vec<Event> {
    let mut writer = Writer { device, random: SplitMix64::new(seed), written: Vec::new() };
    let mut events = vec![Event::GlobalDebug(true)];
    while events.len() < LENGTH {
        writer.add(&mut events);
    }
    events
}

struct Writer {
    device: Device,
    random: SplitMix64,
    /// Control registers as they were last written.
    written: Vec<(u16, u32)>,
}

impl Writer {
    fn word(&mut self) -> u32 {
        self.random.next() as u32
    }

    fn below(&mut self, bound: u64) -> u32 {
        self.random.below(bound) as u32
    }

    fn flip(&mut self) -> bool {
        self.random.below(2) == 1
    }

    /// One time in some.
    fn rarely(&mut self, times: u64) -> bool {
        self.random.below(times) == 0
    }

    fn slot(&mut self) -> u8 {
        self.below(SLOTS as u64) as u8
    }

    fn write(&mut self, address: u16, value: u32) -> Event {
        self.written.retain(|(there, _)| *there != address);
        self.written.push((address, value));
        Event::Write(address, value)
    }

    fn setting(&mut self) -> Setting {
        Setting {
            slot: self.slot(),
            software: self.word() as u8,
            mask: self.word() as u16,
            is_alternative: self.flip(),
            is_single_program_flow: self.flip(),
            illegal_opcode: self.flip(),
            mask_stack: self.flip(),
            software_exception: self.flip(),
        }
    }

    fn inputs(&mut self, most: u64) -> Inputs {
        let vertices = (0..=self.below(most)).map(|_| Origin {
            unit: self.word() as u8 & 0xF,
            thread: self.word() & 0x00FF_FFFF,
            relative: self.below(4),
        });
        Inputs { vertices: vertices.collect(), kernel: self.word() & !0x3F }
    }

    /// One event, or two that belong together.
    fn add(&mut self, events: &mut Vec<Event>) {
        let event = match self.below(32) {
            0 => Event::GlobalDebug(!self.rarely(4)),
            1 => Event::Flush { resets_counters: self.rarely(2) },
            2 if self.rarely(4) => Event::Reset,
            2..=5 => {
                let (address, bits) = self.random.pick(CONTROLS);
                let mut value = self.word() & self.word() & bits;
                if self.rarely(2) {
                    // What drops everything hides the rest.
                    value &= !(1 << 30 | 3 << 24);
                }
                if self.device != Device::G45 {
                    let reserved = match address {
                        at::CL_CTL => 1 << 30,
                        at::WIZ_CTL => 3 << 24,
                        _ => 0,
                    };
                    value &= !reserved;
                }
                if address == at::WIZ_CTL && value >> 16 & 0xFF == 0 {
                    // Occurrences count from 1.
                    value |= 1 << 16;
                }
                self.write(address, value)
            }
            6..=8 => {
                let (address, bits) = self.random.pick(VALUES);
                let value = self.word() & bits;
                self.write(address, value)
            }
            9..=11 => {
                let (data, (control, bits)) = self.random.pick(SHOWN);
                let there = self.written.iter().find(|(address, _)| *address == control);
                let value = there.map_or(0, |(_, value)| *value) & !bits | self.word() & bits;
                // Reading what a select shows lets go of what was trapped, as hosts do, or not.
                events.push(Event::Read(control));
                events.push(self.write(control, value));
                Event::Read(data)
            }
            12 => Event::Base(self.below(6) as u8, self.word() & !0xFFF),
            13 => Event::Draw { start: self.below(100), count: self.below(100) },
            14 => {
                // Seldom one that differs in a bit of the uppermost byte only.
                let far = if self.rarely(6) { 1 << (24 + self.below(8)) } else { 0 };
                Event::Fetched { index: self.below(8) | far, shader: self.word() & 0x00FF_FFFF }
            }
            15 => Event::Entering,
            16..=17 => {
                let unit = self.random.pick(&[Unit::Vertex, Unit::Geometry, Unit::Clipper]);
                let inputs = self.inputs(if unit == Unit::Geometry { 6 } else { 3 });
                Event::Thread(unit, inputs, self.setting())
            }
            18 => Event::Primitive {
                is_culled: self.rarely(4),
                rectangle: [(); 4].map(|()| self.word() as u16),
                inputs: self.inputs(3),
                setting: self.setting(),
            },
            19..=20 => Event::Subspans {
                at: [(); 2].map(|()| self.below(2) as u16 * 2),
                primitive: self.below(2),
                is_trapped: self.flip(),
                kernel: self.word() & !0x3F,
                valid: [(); 4].map(|()| self.flip()),
                setting: self.setting(),
            },
            21 => {
                let identifier = self.word() & 0xFF00_0003;
                Event::Root(identifier, self.setting())
            }
            22 => {
                let header = [self.word() & 0xFF00_0003, self.word() & 0x7F00_0001];
                Event::Child(header, self.setting())
            }
            23 => self.thread(),
            24..=26 => Event::Message(self.message()),
            27 => {
                let registers = 1 + self.below(4);
                let payload = (0..registers).map(|_| [(); 8].map(|()| self.word()));
                let payload = payload.collect();
                Event::UrbWrite(self.word() & 0xFFFF, payload, self.flip())
            }
            28 => {
                let bits = self.random.pick(&[8, 10, 16, 32]);
                Event::Pixel(self.word(), [(); 4].map(|()| self.word() >> (32 - bits)), bits as u8)
            }
            29 => Event::StreamedVertex(self.word() & 0x700),
            30 => {
                events.push(Event::Dispatched(self.word() as u16));
                let kind = self.below(5) << 8;
                let clears = u32::from(self.flip()) << 11;
                Event::TargetWrite(kind | clears, self.word())
            }
            _ => {
                let command = self.command();
                events.push(command);
                if self.flip() {
                    Event::Key(self.below(4) as u8)
                } else {
                    Event::Palette(u8::from(self.flip()), self.below(32) as u8)
                }
            }
        };
        events.push(event);
    }

    /// What happens to threads that run.
    fn thread(&mut self) -> Event {
        let slot = self.slot();
        match self.below(6) {
            0 => {
                let stacks = [(); 2].map(|()| [(); 16].map(|()| self.below(16) as u8));
                Event::Ended(slot, stacks, [(); 2].map(|()| self.below(16) as u16))
            }
            1 => Event::Notified(slot),
            2 => Event::HostData(slot, self.flip()),
            3 => Event::Waits(slot),
            4 => Event::ClearAttention(slot),
            _ => Event::Attention(slot),
        }
    }

    fn message(&mut self) -> Message {
        const FAULTS: [Fault; 10] = [
            Fault::FunctionId,
            Fault::TargetCache,
            Fault::SurfaceType,
            Fault::BlockSize,
            Fault::AddressAlignment,
            Fault::MessageLength,
            Fault::StatelessMode,
            Fault::StatelessBoundary,
            Fault::SurfaceFormat,
            Fault::ReturnLength,
        ];
        let target = match self.below(3) {
            0 => Target::Math(self.below(2) as u8),
            1 => Target::Sampler,
            _ => Target::DataPort,
        };
        let opcode = self.below(16) as u8;
        let due = match (target, opcode) {
            (Target::Math(_), 0xA..=0xD) => 2,
            (Target::Math(_), _) => 1,
            _ => 1 + self.below(9) as u8,
        };
        let length = match target {
            _ if !self.rarely(4) => due,
            // Two registers may be one operand of 16 channels.
            Target::Math(_) => self.random.pick(&[1, 3, 4]),
            _ => 1 + self.below(15) as u8,
        };
        let faults = FAULTS.into_iter().filter(|_| self.rarely(10)).collect();
        Message {
            target,
            unit: self.below(16) as u8,
            execution_unit: self.below(16) as u8,
            thread: self.below(4) as u8,
            ends_thread: self.rarely(8),
            length,
            response: self.below(9) as u8,
            opcode,
            header: [self.word(), self.word()],
            room: if self.rarely(6) { 2 } else { 15 },
            due,
            faults,
        }
    }

    /// A command that loads something, now and then with a bit of its header that is wrong.
    fn command(&mut self) -> Event {
        let mut words = match self.below(3) {
            0 => vec![0x7904_0002, self.below(4) << 30, self.word(), self.word()],
            number => {
                let header = if number == 1 { 0x7902_0000 } else { 0x790C_0000 };
                let most = if self.rarely(4) { 256 } else { 24 };
                let entries = 1 + self.below(most);
                let entries = (0..entries).map(|_| self.word());
                let entries: Vec<_> = entries.collect();
                let mut words = vec![header | (entries.len() as u32 - 1)];
                words.extend(entries);
                words
            }
        };
        if self.rarely(4) {
            words[0] ^= 1 << self.below(32);
        }
        Event::Command(words)
    }
}
