//! Messages as elements: what each moves from where to where, and of which channel it is.

use parallax_isa::shared::{LONGEST_REPLY, Reach, Request, Unanswered};

use super::{
    super::{OpenDoubleword, Reply, check_lengths, record::CacheElement},
    access,
    atomic::Operation,
    form::{Element, Form, OCTWORD},
    space::{Space, header},
    undefined,
};
use parallax_isa::Acceptance;

/// A message that is understood.
#[derive(Debug)]
pub(super) struct Message<'m> {
    pub(super) space: Space<'m>,
    pub(super) form: Form,
    pub(super) data: Data,
}

/// What becomes of the data.
#[derive(Debug, Clone, Copy)]
pub(super) enum Data {
    Read,
    Written,
    Atomic(Operation),
    /// There is none.
    None,
}

/// What the offset of a block counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Octword,
    /// Bytes, of which only whole doublewords count.
    Doubleword,
    /// 64 bits of bytes, of which only whole octwords count, of unaligned reads whole doublewords.
    Wide,
}

const REGISTER: usize = 32;

impl Form {
    /// Octwords from one offset on. A block is a message of one slot: all of it is carried out.
    pub(super) fn block(
        request: &Request,
        control: u32,
        unit: Unit,
        is_write: bool,
    ) -> Result<Self, Unanswered> {
        if !request.has_header {
            return undefined("a block of octwords without a header");
        }
        let address = i128::from(header(request, 1)) << 32 | i128::from(header(request, 0));
        let low_bits = match (unit, control >> 3 & 3, is_write) {
            (Unit::Wide, 1, false) => 3,
            (Unit::Wide, 3, _) => {
                if control & 7 > 3 {
                    return undefined("a block of more than eight registers");
                }
                let octwords = Self::octwords(2 << (control & 7), 0, address & !0xF);
                return Ok(Self { front: 1, ..octwords });
            }
            (Unit::Wide, 1 | 2, _) => return undefined("a block of a reserved alignment"),
            _ => 0xF,
        };
        let (octwords, first_at) = match control & 7 {
            0 => (1, 0),
            1 => (1, OCTWORD),
            2 => (2, 0),
            3 => (4, 0),
            4 => (8, 0),
            code => return undefined(format!("a block of octwords of size {code}")),
        };
        let offset = match unit {
            Unit::Octword => i128::from(header(request, 2)) * OCTWORD as i128,
            Unit::Doubleword => i128::from(header(request, 2) & !3),
            Unit::Wide => address & !low_bits,
        };
        Ok(Self { front: 1, ..Self::octwords(octwords, first_at, offset) })
    }

    /// Whole registers from a place on that is counted in registers.
    pub(super) fn registers(registers: usize, first: i128) -> Self {
        Self { front: 1, ..Self::octwords(2 * registers, 0, first * REGISTER as i128) }
    }

    /// The doublewords of a block that has one for each channel, without those of channels that are off.
    pub(super) fn of_enabled_channels(self, request: &Request) -> Self {
        // Decision D-eu-wide-scattered.
        let doublewords = self.elements.iter().flat_map(|octword| {
            (0..OCTWORD).step_by(4).map(|byte| Element {
                offset: octword.offset + byte as i128,
                bytes: 4,
                at: octword.at + byte,
            })
        });
        let is_on = |channel: &usize| enabled(request) >> channel & 1 == 1;
        let elements = doublewords.enumerate().filter(|(channel, _)| is_on(channel));
        Self { elements: elements.map(|(_, element)| element).collect(), ..self }
    }

    fn octwords(count: usize, first_at: usize, offset: i128) -> Self {
        let element = |n: usize| Element {
            offset: offset + (n * OCTWORD) as i128,
            bytes: OCTWORD,
            at: first_at + n * OCTWORD,
        };
        let registers = (count * OCTWORD).div_ceil(REGISTER);
        Self { front: 0, registers, elements: (0..count).map(element).collect(), is_block: true }
    }

    /// A byte, word or doubleword for each channel, each in a doubleword of the data.
    pub(super) fn bytes(
        request: &Request,
        control: u32,
        is_16: bool,
        is_wide: bool,
    ) -> Result<Self, Unanswered> {
        let size = match control >> 2 & 3 {
            0 => 1,
            1 => 2,
            2 => 4,
            _ => return undefined("scattered bytes of a reserved size"),
        };
        let slots = Slots::new(request, is_16, is_wide)?;
        let global = if is_wide { 0 } else { i128::from(header(request, 2)) };
        let element =
            |slot: Slot| Element { offset: global + slot.offset, bytes: size, at: 4 * slot.number };
        Ok(slots.form(slots.count / 8, slots.enabled().map(element)))
    }

    /// By 64-bit addresses: bytes, or neighbouring doublewords or quadwords for each channel.
    pub(super) fn scattered(request: &Request, control: u32) -> Result<Self, Unanswered> {
        // Decision D-eu-wide-scattered.
        let is_16 = control >> 4 & 1 == 1;
        let bytes: usize = match control & 3 {
            0 => return Self::bytes(request, control, is_16, true),
            1 => 4,
            2 => 8,
            _ => return undefined("scattered bytes with a status"),
        };
        let slots = Slots::new(request, is_16, true)?;
        let place = |slot: Slot| slot.offset & -(bytes as i128);
        slots.neighbours(1 << (control >> 2 & 3), bytes, place)
    }

    /// Neighbouring doublewords for each channel; offsets count doublewords.
    pub(super) fn doublewords(request: &Request, control: u32) -> Result<Self, Unanswered> {
        let is_16 = match control & 3 {
            2 => false,
            3 => true,
            code => return undefined(format!("scattered doublewords of block size {code}")),
        };
        let slots = Slots::new(request, is_16, false)?;
        let global = i128::from(header(request, 2));
        slots.neighbours(1 << (control >> 2 & 3), 4, |slot| 4 * (global + slot.offset))
    }

    /// Up to four doublewords for each channel: R, G, B and A stand behind each other in memory, and
    /// in registers of their own in the data. A set bit of the mask leaves one out.
    pub(super) fn untyped(
        request: &Request,
        control: u32,
        is_wide: bool,
    ) -> Result<Self, Unanswered> {
        let is_16 = match control >> 4 & 3 {
            1 => true,
            2 => false,
            mode => return undefined(format!("an untyped message of SIMD mode {mode}")),
        };
        let present: Vec<_> = (0..4).filter(|n| control >> n & 1 == 0).collect();
        if present.is_empty() {
            return undefined("an untyped message without R, G, B and A");
        }
        let slots = Slots::new(request, is_16, is_wide)?.under_header(request, is_wide);
        let registers = slots.count / 8;
        let element = |(place, component): (usize, &i128), slot: Slot| Element {
            offset: (slot.offset & !3) + 4 * component,
            bytes: 4,
            at: REGISTER * registers * place + 4 * slot.number,
        };
        let elements = present.iter().enumerate();
        let elements =
            elements.flat_map(|part| slots.enabled().map(move |slot| element(part, slot)));
        Ok(slots.form(registers * present.len(), elements))
    }

    /// A doubleword, or by choice of 64-bit addresses a quadword, for each channel.
    pub(super) fn atomic(
        request: &Request,
        control: u32,
        is_wide: bool,
    ) -> Result<(Self, Operation), Unanswered> {
        let returns = control >> 5 & 1 == 1;
        let bytes = if is_wide && control >> 4 & 1 == 1 { 8 } else { 4 };
        let Some(operation) = Operation::of(control & 0xF, bytes, returns) else {
            return undefined(format!("atomic operation {}", control & 0xF));
        };
        let is_16 = !is_wide && control >> 4 & 1 == 0;
        Ok((Self::one_for_each(request, bytes, is_16, is_wide)?, operation))
    }

    /// A number of single precision for each channel.
    pub(super) fn float_atomic(
        request: &Request,
        control: u32,
        is_wide: bool,
    ) -> Result<(Self, Operation), Unanswered> {
        // Decision D-eu-float-atomics.
        let Some(operation) = Operation::of_floats(control & 7, control >> 5 & 1 == 1) else {
            return undefined(format!("atomic operation {} of floats", control & 7));
        };
        let has_8 = control >> 4 & 1 == 1;
        if is_wide && has_8 {
            return undefined("an atomic operation of wider floats");
        }
        Ok((Self::one_for_each(request, 4, !is_wide && !has_8, is_wide)?, operation))
    }

    /// What atomic operations work on: aligned, one for each channel.
    fn one_for_each(
        request: &Request,
        bytes: usize,
        is_16: bool,
        is_wide: bool,
    ) -> Result<Self, Unanswered> {
        let slots = Slots::new(request, is_16, is_wide)?.under_header(request, is_wide);
        let element = |slot: Slot| Element {
            offset: slot.offset & -(bytes as i128),
            bytes,
            at: bytes * slot.number,
        };
        let registers = slots.count * bytes / REGISTER;
        Ok(slots.form(registers, slots.enabled().map(element)))
    }
}

/// The channels of a message with an offset for each.
struct Slots {
    /// 8 or 16.
    count: usize,
    /// Registers in front of the data.
    front: usize,
    offsets: Vec<Option<i128>>,
}

/// A channel that is enabled.
#[derive(Debug, Clone, Copy)]
struct Slot {
    number: usize,
    offset: i128,
}

impl Slots {
    /// Those of a message whose payload has them behind the header, if there is one.
    fn new(request: &Request, is_16: bool, is_wide: bool) -> Result<Self, Unanswered> {
        let count = if is_16 { 16 } else { 8 };
        let size = if is_wide { 8 } else { 4 };
        let header = usize::from(request.has_header);
        let front = header + count * size / REGISTER;
        let Some(registers) = request.payload.get(header..front) else {
            return undefined("a message without all of its addresses");
        };
        let channels = count.min(request.channels.into());
        let offset = |(number, bytes): (usize, &[u8])| {
            let is_enabled = number < channels && request.channel_enables >> number & 1 == 1;
            let value =
                bytes.iter().rev().fold(0_i128, |value, byte| value << 8 | i128::from(*byte));
            is_enabled.then_some(value)
        };
        let offsets = registers.as_flattened().chunks(size).enumerate().map(offset).collect();
        Ok(Self { count, front, offsets })
    }

    /// The same without those that the header leaves out, bits 15:0 of its doubleword 7: of untyped messages and atomic
    /// operations by 32-bit offsets.
    fn under_header(self, request: &Request, is_wide: bool) -> Self {
        // Decision D-eu-data-cache.
        if is_wide || !request.has_header {
            return self;
        }
        let mask = header(request, 7);
        let offsets = self.offsets.into_iter().enumerate();
        let under =
            |(number, offset): (usize, Option<i128>)| offset.filter(|_| mask >> number & 1 == 1);
        Self { offsets: offsets.map(under).collect(), ..self }
    }

    fn enabled(&self) -> impl Iterator<Item = Slot> + '_ {
        let slots = self.offsets.iter().enumerate();
        slots.filter_map(|(number, offset)| offset.map(|offset| Slot { number, offset }))
    }

    /// Some neighbouring elements for each channel: all channels of the first one, then those of the next.
    fn neighbours(
        &self,
        elements: usize,
        bytes: usize,
        place: impl Fn(Slot) -> i128,
    ) -> Result<Form, Unanswered> {
        let registers = self.count * bytes / REGISTER;
        if registers * elements > LONGEST_REPLY {
            return undefined("scattered data of more registers than a reply has");
        }
        let of_slot = |n: usize, slot: Slot| Element {
            offset: place(slot) + (n * bytes) as i128,
            bytes,
            at: n * registers * REGISTER + bytes * slot.number,
        };
        let all = (0..elements).flat_map(|n| self.enabled().map(move |slot| (n, slot)));
        let all = all.map(|(n, slot)| of_slot(n, slot));
        Ok(self.form(registers * elements, all))
    }

    fn form(&self, registers: usize, elements: impl Iterator<Item = Element>) -> Form {
        Form { front: self.front, registers, elements: elements.collect(), is_block: false }
    }
}

impl Message<'_> {
    /// A fence, which moves nothing. With a commit, bit 13 of the descriptor, a register comes back.
    pub(super) fn fence(request: &Request) -> Self {
        let registers = (request.function_control >> 13 & 1) as usize;
        let form = Form { front: request.payload.len(), registers, ..Form::default() };
        Self { space: Space::default(), form, data: Data::None }
    }

    /// Refuses a message of more or fewer registers than it needs, or with a reply of another length
    /// than it has.
    pub(super) fn check_lengths(&self, request: &Request) -> Result<(), Unanswered> {
        let data = self.form.registers;
        let (sent, returned) = match self.data {
            Data::Read => (0, data),
            Data::Written => (data, 0),
            Data::Atomic(operation) => {
                (operation.operands * data, if operation.returns { data } else { 0 })
            }
            Data::None => (0, data),
        };
        let sent = self.form.front + sent;
        check_lengths(request, sent, returned)
    }

    /// Refuses a message that reaches beyond the shared local memory of the case.
    pub(super) fn check_places(&self, request: &Request) -> Result<(), Unanswered> {
        if self.is_off(request) { Ok(()) } else { self.space.check(&self.form.elements) }
    }

    /// Whether it is a block whose slot is off: a block is carried out if any channel is on.
    fn is_off(&self, request: &Request) -> bool {
        self.form.is_block && enabled(request) == 0
    }

    /// What it is about to carry out, for observers.
    pub(super) fn before(&self, request: &Request, memory: &Reach) -> Vec<CacheElement> {
        if self.is_off(request) {
            return Vec::new();
        }
        let observed = |element: &Element| CacheElement {
            address: self.space.base() + element.offset,
            bytes: element.bytes,
            at: element.at,
            place: self.space.place(element.offset, element.bytes),
            before: number(&access::found(self.space, element, memory)),
            after: 0,
        };
        self.form.elements.iter().map(observed).collect()
    }

    /// Notes what is in memory now.
    pub(super) fn after(&self, elements: &mut [CacheElement], memory: &Reach) {
        for (observed, element) in elements.iter_mut().zip(&self.form.elements) {
            observed.after = number(&access::found(self.space, element, memory));
        }
    }

    /// Does what it says.
    pub(super) fn carry_out(&self, request: &Request, memory: &mut Reach) -> Reply {
        let data = request.payload[self.form.front..].as_flattened();
        match self.data {
            _ if self.is_off(request) => access::unchanged(request.response_length.into()),
            Data::Read => access::read(self.space, &self.form, memory),
            Data::Written => access::write(self.space, &self.form, data, memory),
            Data::Atomic(operation) => operation.carry_out(self.space, &self.form, data, memory),
            Data::None => {
                let mut reply = access::unchanged(request.response_length.into());
                for (register, response) in reply.registers.iter_mut().enumerate() {
                    response.enables = 0xFF;
                    reply.open.extend((0..8).map(|doubleword| {
                        OpenDoubleword::whole(register, doubleword, Acceptance::Undefined)
                    }));
                }
                reply
            }
        }
    }
}

/// Bytes as a number, the first one the lowest.
fn number(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte))
}

/// The enabled channels of a send.
fn enabled(request: &Request) -> u32 {
    u32::from(request.channel_enables) & ((1 << request.channels.min(16)) - 1)
}

/// Whether all channels of a send are enabled.
pub(super) fn is_whole(request: &Request) -> bool {
    enabled(request) == (1 << request.channels.min(16)) - 1
}
