//! Shared functions: what answers the messages of execution units (G45 volume 4, section 2.1).

mod barrier;
mod data_cache;
mod data_port;
mod early;
mod extended_math;
mod gateway;
mod later;
mod loopback;
mod order;
mod picture;
pub(crate) mod record;
mod render_target;
mod sampler;
mod surface_state;
mod texels;
mod typed_surface;
mod urb;

use std::{fmt, ops::Range};

use parallax_isa::{
    Acceptance, Device,
    device::Generation,
    eu::register::REGISTER_BYTES,
    shared::{
        Environment, LaunchMemory, Memory, Reach, Rendering, Request, Response, Sampling,
        SharedFunctions, Unanswered, launch::Group,
    },
};

use early::EarlyFunctions;
use later::LaterFunctions;

pub(crate) use early::Past;
pub(crate) use later::RENDER_CACHE;
pub(crate) use loopback::Loopback;

/// Something that takes messages.
pub(crate) trait SharedFunction: fmt::Debug + Sync {
    /// The reply to a message, which may read and write memory.
    ///
    /// # Errors
    /// If what the message asks for is not there, or has no defined effect. Memory is as it was then.
    fn answer(&self, request: &Request, world: &mut World) -> Result<Reply, Unanswered>;
}

/// The registers that a pixel shader's thread begins with.
pub(crate) type ThreadStart = [[u8; REGISTER_BYTES]; 3];

/// What messages reach.
#[derive(Debug)]
pub(crate) struct World<'w> {
    pub(crate) memory: &'w mut Memory,
    /// The memory of the launch that the thread is a part of, if it is.
    pub(crate) launch: Option<&'w mut LaunchMemory>,
    /// Bytes of it that are shared local memory.
    pub(crate) local_bytes: usize,
    /// What was set up before the thread ran.
    pub(crate) environment: Option<&'w Environment>,
    /// The same for the Sampling Engine alone.
    pub(crate) sampling: Option<&'w Sampling>,
    /// Colour calculator state and depth buffer, if the case has any.
    pub(crate) rendering: Option<&'w Rendering>,
    /// `r0` to `r2` as the thread began: where its pixels are (Gen7 and later).
    pub(crate) thread_start: &'w ThreadStart,
    /// Who looks at it.
    pub(crate) lender: record::Lender,
    /// What earlier messages left behind.
    pub(crate) past: &'w mut Past,
}

impl World<'_> {
    /// What messages of the data cache reach.
    fn reach(&mut self) -> Reach<'_> {
        Reach::new(self.memory, self.launch.as_deref_mut())
    }

    /// The group of the thread, if it is a part of one.
    fn group(&mut self) -> Option<&mut Group> {
        self.launch.as_deref_mut().map(|launch| &mut launch.group)
    }
}

/// What comes back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The registers in order, as many as the request expects.
    pub(crate) registers: Vec<Response>,
    /// Words of each register that are written, where its doublewords are too coarse: bit 0 is the first. Empty if
    /// the enables of the registers say it all.
    pub(crate) words: Vec<u16>,
    /// Doublewords that are not one exact bit pattern.
    pub(crate) open: Vec<OpenDoubleword>,
    /// What was written to memory.
    pub(crate) written: Vec<Written>,
    /// What came through the thread's own gateway.
    pub(crate) forwarded: Option<Forwarded>,
    /// A barrier that the thread has come to lets it go on: it gets a notification.
    pub(crate) is_released: bool,
    /// Channel enables that may keep doublewords of the registers from being written, or not.
    pub(crate) perhaps_under: Option<u16>,
}

/// What a thread forwarded to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Forwarded {
    /// The general register that it writes into.
    pub(crate) register: usize,
    /// Its first byte there.
    pub(crate) byte: usize,
    /// A whole payload; the first so many bytes of it are written.
    pub(crate) data: [u8; REGISTER_BYTES],
    pub(crate) bytes: usize,
    /// It counts as a notification of a thread.
    pub(crate) notifies: bool,
}

/// A run of bytes of memory that a message wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// Which, counted from the start of memory.
    pub(crate) range: Range<usize>,
    /// What is accepted besides what is there now; at most eight bytes if it is one thing.
    pub(crate) open: Option<Acceptance>,
    /// The bits of each eight bytes from the first one on that are open, if something is.
    pub(crate) bits: u64,
}

impl Written {
    /// A run of which is known what is there.
    pub(crate) const fn exact(range: Range<usize>) -> Self {
        Self { range, open: None, bits: u64::MAX }
    }

    /// A run that may be open as a whole, as when several channels wrote it.
    pub(crate) fn perhaps(range: Range<usize>, is_open: bool) -> Self {
        Self { range, open: is_open.then_some(Acceptance::Undefined), bits: u64::MAX }
    }
}

impl Reply {
    /// The bits of an enabled doubleword that are written.
    pub(crate) fn written_bits(&self, register: usize, doubleword: usize) -> u32 {
        let Some(words) = self.words.get(register) else { return u32::MAX };
        let [low, high] = [0, 1].map(|word| words >> (2 * doubleword + word) & 1 == 1);
        (if low { 0x0000_FFFF } else { 0 }) | (if high { 0xFFFF_0000 } else { 0 })
    }

    /// What of a doubleword is open.
    pub(crate) fn open_at(
        &self,
        register: usize,
        doubleword: usize,
    ) -> impl Iterator<Item = OpenDoubleword> {
        let place = (register, doubleword);
        self.open.iter().copied().filter(move |open| (open.register, open.doubleword) == place)
    }
}

/// A doubleword of a reply for which something else than its bits is accepted too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenDoubleword {
    /// Register of the reply.
    pub(crate) register: usize,
    /// Doubleword of the register, 0 to 7.
    pub(crate) doubleword: usize,
    /// Its bits of which something else is accepted.
    pub(crate) mask: u32,
    /// What is accepted.
    pub(crate) acceptance: Acceptance,
}

impl OpenDoubleword {
    /// A doubleword all of whose bits are compared by an acceptance.
    pub(crate) const fn whole(register: usize, doubleword: usize, acceptance: Acceptance) -> Self {
        Self { register, doubleword, mask: u32::MAX, acceptance }
    }

    /// A word of a register, compared by an acceptance of 16 bits.
    pub(crate) const fn word(register: usize, word: usize, acceptance: Acceptance) -> Self {
        let mask = 0xFFFF << (16 * (word % 2));
        Self { register, doubleword: word / 2, mask, acceptance }
    }
}

/// What has no effect that the documents describe: why.
fn undefined<T>(why: impl Into<String>) -> Result<T, Unanswered> {
    Err(Unanswered::Undefined(why.into()))
}

/// Refuses a message of more or fewer registers than it has, or with a reply of another length.
fn check_lengths(request: &Request, sent: usize, returned: usize) -> Result<(), Unanswered> {
    let given = request.payload.len();
    if given != sent {
        return undefined(format!("a message of {given} registers that has {sent}"));
    }
    let given = usize::from(request.response_length);
    if given != returned {
        return undefined(format!("a reply of {given} registers that has {returned}"));
    }
    Ok(())
}

/// What takes the messages of a case on a device; nothing, if nothing does.
pub(crate) fn behind(
    choice: &SharedFunctions,
    device: Device,
) -> Option<&'static dyn SharedFunction> {
    match (choice, device.generation()) {
        (SharedFunctions::Loopback, _) => Some(&Loopback),
        (_, Some(Generation::Gen4 | Generation::Gen45)) => Some(EarlyFunctions::of(device)),
        (_, Some(generation)) => LaterFunctions::of(generation),
        (_, None) => None,
    }
}
