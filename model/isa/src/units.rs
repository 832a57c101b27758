//! Fixed functions of Gen4 and what else stands beside its threads: the thread dispatcher, debug registers,
//! registers of errors, commands that load state. They take events one after the other and answer each; these
//! are the words in which two implementations do.

/// Addresses of debug registers (chapter 3), by the names of the table `g45-debug-registers`.
pub mod address {
    include!(concat!(env!("OUT_DIR"), "/debug_registers.rs"));
}

/// Threads that an execution unit holds.
pub const SLOTS: usize = 4;

/// A fixed function that dispatches threads for vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Vertex shader.
    Vertex,
    /// Geometry shader.
    Geometry,
    /// Clipper.
    Clipper,
}

/// Where a vertex came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The fixed function, four bits.
    pub unit: u8,
    /// Its thread or sequence number, 24 bits.
    pub thread: u32,
    /// The vertex's number within what the thread gave.
    pub relative: u32,
}

/// What a thread is dispatched for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Inputs {
    /// Up to six vertices of a geometry shader, up to three of others.
    pub vertices: Vec<Origin>,
    /// The kernel.
    pub kernel: u32,
}

/// How a thread is to begin, as the state of its fixed function says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// Extended Math, and which of its units.
    Math(u8),
    /// Sampling Engine.
    Sampler,
    /// Data port.
    DataPort,
}

/// What a data port finds wrong with a message beside its length and its end of thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
