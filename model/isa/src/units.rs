//! Fixed functions of Gen4 and what else stands beside its threads: the thread dispatcher, debug registers,
//! registers of errors, commands that load state. They take events one after the other and answer each; these
//! are the words in which two implementations do.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Device, query::Query};

/// Addresses of debug registers (chapter 3), by the names of the table `g45-debug-registers`.
pub mod address {
    include!(concat!(env!("OUT_DIR"), "/debug_registers.rs"));
}

/// Where debug registers are.
const REGISTERS: Range<u16> = 0x7400..0x8800;
/// Base addresses and bounds, with the system instruction pointer.
const BASES: u64 = 6;
/// Units of Extended Math.
const MATH_UNITS: u64 = 3;
/// Chroma keys.
const KEYS: u64 = 4;
/// Palettes.
const PALETTES: u64 = 2;

/// Threads that an execution unit holds.
pub const SLOTS: usize = 4;

/// A fixed function that dispatches threads for vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Vertex shader.
    Vertex,
    /// Geometry shader.
    Geometry,
    /// Clipper.
    Clipper,
}

/// Where a vertex came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The fixed function, four bits.
    pub unit: u8,
    /// Its thread or sequence number, 24 bits.
    pub thread: u32,
    /// The vertex's number within what the thread gave.
    pub relative: u32,
}

/// What a thread is dispatched for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    /// Up to six vertices of a geometry shader, up to three of others.
    pub vertices: Vec<Origin>,
    /// The kernel.
    pub kernel: u32,
}

/// How a thread is to begin, as the state of its fixed function says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Its place in the execution unit.
    pub slot: u8,
    /// Bits 31:24 of R0.6.
    pub software: u8,
    /// Channels.
    pub mask: u16,
    /// Floats of the alternative mode.
    pub is_alternative: bool,
    /// Branches are for the thread as a whole.
    pub is_single_program_flow: bool,
    /// Illegal instructions raise an exception.
    pub illegal_opcode: bool,
    /// Mask stacks that are full or empty do.
    pub mask_stack: bool,
    /// A bit of `cr0` does.
    pub software_exception: bool,
}

/// The shared function of a message in error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// Extended Math, and which of its units.
    Math(u8),
    /// Sampling Engine.
    Sampler,
    /// Data port.
    DataPort,
}

/// What a data port finds wrong with a message beside its length and its end of thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the words are the manual's")]
pub enum Fault {
    FunctionId,
    TargetCache,
    SurfaceType,
    BlockSize,
    AddressAlignment,
    MessageLength,
    StatelessMode,
    StatelessBoundary,
    SurfaceFormat,
    ReturnLength,
}

/// A message to a shared function, with what goes beside its registers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Where it goes.
    pub target: Target,
    /// The fixed function of the thread.
    pub unit: u8,
    /// Its execution unit.
    pub execution_unit: u8,
    /// Its number there.
    pub thread: u8,
    /// It is the thread's last.
    pub ends_thread: bool,
    /// Registers.
    pub length: u8,
    /// Registers that are expected back.
    pub response: u8,
    /// Bits 3:0 of the function control.
    pub opcode: u8,
    /// Doublewords 6 and 7 of its first register.
    pub header: [u32; 2],
    /// Registers that the target has room for.
    pub room: u8,
    /// Registers that a sampler or data port takes for such a message.
    pub due: u8,
    /// What a data port finds.
    pub faults: Vec<Fault>,
}

/// Something that reaches the units.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// Debugging begins or ends, for all units.
    GlobalDebug(bool),
    /// The pipeline is flushed, perhaps with the counters.
    Flush {
        /// Counters begin anew.
        resets_counters: bool,
    },
    /// The device is reset: notifications go.
    Reset,
    /// The host writes a register.
    Write(u16, u32),
    /// The host reads a register.
    Read(u16),
    /// A base address or bound, or the system instruction pointer, gets a value: in the order of `SVG_CTL`.
    Base(u8, u32),
    /// A command of primitives reaches vertex fetch.
    Draw {
        /// The first vertex.
        start: u32,
        /// How many.
        count: u32,
    },
    /// Vertex fetch fetches a vertex.
    Fetched {
        /// Its index.
        index: u32,
        /// The thread that shades it.
        shader: u32,
    },
    /// A vertex reaches the clipper.
    Entering,
    /// A unit dispatches a thread.
    Thread(Unit, Inputs, Setting),
    /// A primitive reaches strips and fans.
    Primitive {
        /// It faces back, or has no area.
        is_culled: bool,
        /// The drawing rectangle: least x and y, greatest x and y.
        rectangle: [u16; 4],
        /// What it is of.
        inputs: Inputs,
        /// How its setup thread is to begin.
        setting: Setting,
    },
    /// Subspans reach the windower: a thread for pixels.
    Subspans {
        /// Its first pixel.
        at: [u16; 2],
        /// The primitive's number.
        primitive: u32,
        /// Strips and fans have trapped that.
        is_trapped: bool,
        /// The kernel.
        kernel: u32,
        /// Which of its four subspans there are.
        valid: [bool; 4],
        /// How the thread is to begin, but for its channels.
        setting: Setting,
    },
    /// The thread spawner begins a root thread, of a debug identifier.
    Root(u32, Setting),
    /// A thread asks it for a child, with doublewords 6 and 7 of the child's R0.
    Child([u32; 2], Setting),
    /// A thread in a slot ends, and leaves counters and depths of its mask stacks behind.
    Ended(u8, [[u8; 16]; 2], [u16; 2]),
    /// A thread in a slot is notified by another.
    Notified(u8),
    /// A thread in a slot gives its Host Notification Data a value.
    HostData(u8, bool),
    /// A thread in a slot waits for the host.
    Waits(u8),
    /// The host clears a thread's attention.
    ClearAttention(u8),
    /// The host looks at a thread's attention: bit 0 is Attn, bit 1 AData.
    Attention(u8),
    /// A message reaches a shared function.
    Message(Message),
    /// A message with a write to the URB: descriptor, registers, and whether it is for the geometry shader
    /// or the clipper.
    UrbWrite(u32, Vec<[u32; 8]>, bool),
    /// The render cache writes a pixel: doubleword 7 of the message's header, channels, and bits of each.
    Pixel(u32, [u32; 4], u8),
    /// A streamed vertex is written: the descriptor.
    StreamedVertex(u32),
    /// Pixels are dispatched: the scoreboard has them.
    Dispatched(u16),
    /// A render target write: descriptor and doubleword 0 of the header.
    TargetWrite(u32, u32),
    /// A command.
    Command(Vec<u32>),
    /// What a chroma key is: low and high.
    Key(u8),
    /// What an entry of the first or second palette is.
    Palette(u8, u8),
}

/// How a thread begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Start {
    /// R0.6 and R0.7.
    pub header: [u32; 2],
    /// `cr0.0` and `cr0.1`.
    pub control: [u32; 2],
    /// `mask0`: the active, the if, the loop and the continue mask.
    pub masks: [u16; 4],
    /// `ms0`.
    pub stacks: [[u8; 16]; 2],
    /// `msd0`.
    pub depths: [u16; 2],
    /// `n0`.
    pub notifications: u16,
}

/// An entry of the URB, as its owner sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry {
    /// It is an output; if not, its handles are given back.
    pub is_used: bool,
    /// Type of the primitive, and whether the vertex is its first and its last: for geometry shader and clipper.
    pub primitive: Option<(u8, bool, bool)>,
}

/// What the units answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Answer {
    /// It is done.
    Done,
    /// The manual leaves it open.
    Open,
    /// It goes no further.
    Dropped,
    /// It is none that a program may give.
    Refused,
    /// A word.
    Word(u32),
    /// The first vertex and how many.
    Draw(u32, u32),
    /// A thread begins.
    Begins(Start),
    /// A setup thread begins.
    Setup {
        /// The primitive's number.
        number: u32,
        /// The rectangle that is drawn in.
        rectangle: [u16; 4],
        /// The windower is told that it is trapped.
        is_trapped: bool,
        /// The thread.
        start: Start,
    },
    /// A message arrives.
    Message {
        /// As how many registers it is arbitrated.
        arbitrated: u8,
        /// How many are sent.
        sent: u8,
        /// It is answered; if not, it is dropped and the driver interrupted.
        is_answered: bool,
    },
    /// What the owner of an entry sees, if the thread is done with it.
    Entry(Option<Entry>),
    /// Channels.
    Colour([u32; 4]),
    /// Streamed vertex buffer index, primitives written, storage needed.
    Streamed([u32; 3]),
    /// Low and high.
    Key(u32, u32),
}

impl Query for Event {
    const MACHINE: &'static str = "units";
    const DEVICES: &'static [Device] = &Device::GEN4;
    const NAMES: &'static [(&'static str, &'static str)] = &[
        ("global-debug", "debugging begins or ends"),
        ("flush", "the pipeline is flushed"),
        ("reset", "the device is reset"),
        ("write", "the host writes a debug register"),
        ("read", "the host reads one"),
        ("base", "a base address or bound gets a value"),
        ("draw", "primitives reach vertex fetch"),
        ("fetched", "vertex fetch fetches a vertex"),
        ("entering", "a vertex reaches the clipper"),
        ("thread", "a unit dispatches a thread"),
        ("primitive", "a primitive reaches strips and fans"),
        ("subspans", "subspans reach the windower"),
        ("root", "the thread spawner begins a root thread"),
        ("child", "a thread asks for a child"),
        ("ended", "a thread ends"),
        ("notified", "a thread is notified"),
        ("host-data", "a thread writes its Host Notification Data"),
        ("waits", "a thread waits for the host"),
        ("clear-attention", "the host clears a thread's attention"),
        ("attention", "the host looks at a thread's attention"),
        ("message", "a message reaches a shared function"),
        ("urb-write", "a message writes to the URB"),
        ("pixel", "the render cache writes a pixel"),
        ("streamed-vertex", "a streamed vertex is written"),
        ("dispatched", "pixels are dispatched"),
        ("target-write", "a thread writes to a render target"),
        ("command", "a command loads state"),
        ("key", "what a chroma key is"),
        ("palette", "what an entry of a palette is"),
    ];

    fn name(&self) -> &'static str {
        let place = match self {
            Self::GlobalDebug(_) => 0,
            Self::Flush { .. } => 1,
            Self::Reset => 2,
            Self::Write(..) => 3,
            Self::Read(_) => 4,
            Self::Base(..) => 5,
            Self::Draw { .. } => 6,
            Self::Fetched { .. } => 7,
            Self::Entering => 8,
            Self::Thread(..) => 9,
            Self::Primitive { .. } => 10,
            Self::Subspans { .. } => 11,
            Self::Root(..) => 12,
            Self::Child(..) => 13,
            Self::Ended(..) => 14,
            Self::Notified(_) => 15,
            Self::HostData(..) => 16,
            Self::Waits(_) => 17,
            Self::ClearAttention(_) => 18,
            Self::Attention(_) => 19,
            Self::Message(_) => 20,
            Self::UrbWrite(..) => 21,
            Self::Pixel(..) => 22,
            Self::StreamedVertex(_) => 23,
            Self::Dispatched(_) => 24,
            Self::TargetWrite(..) => 25,
            Self::Command(_) => 26,
            Self::Key(_) => 27,
            Self::Palette(..) => 28,
        };
        Self::NAMES[place].0
    }

    fn check(&self) -> Result<(), String> {
        let within = |what: &str, number: u64, count: u64| match number < count {
            true => Ok(()),
            false => Err(format!("{what} {number}: there are {count}, from 0 on")),
        };
        let slot = |slot: u8| within("slot", slot.into(), SLOTS as u64);
        let register =
            |address: u16| match REGISTERS.contains(&address) && address.is_multiple_of(4) {
                true => Ok(()),
                false => Err(format!("there is no debug register at {address:#x}")),
            };
        match self {
            Self::Write(address, _) | Self::Read(address) => register(*address),
            Self::Base(which, _) => within("base", (*which).into(), BASES),
            Self::Thread(_, _, setting) | Self::Root(_, setting) | Self::Child(_, setting) => {
                slot(setting.slot)
            }
            Self::Primitive { setting, .. } | Self::Subspans { setting, .. } => slot(setting.slot),
            Self::Ended(at, ..) | Self::HostData(at, _) => slot(*at),
            Self::Notified(at)
            | Self::Waits(at)
            | Self::ClearAttention(at)
            | Self::Attention(at) => slot(*at),
            Self::Message(Message { target: Target::Math(unit), .. }) => {
                within("unit of Extended Math", (*unit).into(), MATH_UNITS)
            }
            Self::UrbWrite(_, registers, _) if registers.is_empty() => {
                Err("a write to the URB without a register".to_owned())
            }
            Self::Key(index) => within("chroma key", (*index).into(), KEYS),
            Self::Palette(which, _) => within("palette", (*which).into(), PALETTES),
            _ => Ok(()),
        }
    }
}

impl Answer {
    /// The answer as words: its kind, from 0 for [`Answer::Done`], then what it holds, a word for each number; `None` if
    /// the manual leaves it open.
    #[must_use]
    pub fn words(&self) -> Option<Vec<u32>> {
        Some(match self {
            Self::Done => vec![0],
            Self::Open => return None,
            Self::Dropped => vec![1],
            Self::Refused => vec![2],
            Self::Word(word) => vec![3, *word],
            Self::Draw(first, count) => vec![4, *first, *count],
            Self::Begins(start) => std::iter::once(5).chain(start.words()).collect(),
            Self::Setup { number, rectangle, is_trapped, start } => {
                let words = [6, *number, u32::from(*is_trapped)].into_iter();
                words.chain(rectangle.map(u32::from)).chain(start.words()).collect()
            }
            Self::Message { arbitrated, sent, is_answered } => {
                vec![7, u32::from(*arbitrated), u32::from(*sent), u32::from(*is_answered)]
            }
            Self::Entry(None) => vec![8],
            Self::Entry(Some(Entry { is_used, primitive })) => {
                let primitive = primitive.iter().flat_map(|(kind, first, last)| {
                    [u32::from(*kind), u32::from(*first), u32::from(*last)]
                });
                [9, u32::from(*is_used)].into_iter().chain(primitive).collect()
            }
            Self::Colour(channels) => std::iter::once(10).chain(*channels).collect(),
            Self::Streamed(numbers) => std::iter::once(11).chain(*numbers).collect(),
            Self::Key(low, high) => vec![12, *low, *high],
        })
    }
}

impl Start {
    /// Its numbers in order.
    fn words(&self) -> impl Iterator<Item = u32> {
        let Self { header, control, masks, stacks, depths, notifications } = *self;
        let words = header.into_iter().chain(control).chain(masks.map(u32::from));
        let words = words.chain(stacks.into_iter().flatten().map(u32::from));
        words.chain(depths.map(u32::from)).chain([u32::from(notifications)])
    }
}
