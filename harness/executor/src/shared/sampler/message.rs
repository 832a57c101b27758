//! What messages say, the forms that they have, and where in a payload their parameters are.

mod forms;

use parallax_isa::{
    Device,
    shared::{LONGEST_REPLY, Request, Unanswered},
};

use super::super::refuse;
pub(super) use forms::{Form, Job, Level, Parameter};

/// Most registers of a payload (Gen7 and later).
const MOST_SENT: usize = 11;

/// What a message says beside its parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order {
    pub(super) form: Form,
    /// Data return format, where there is one.
    pub(super) returns: Option<u32>,
    pub(super) surface: u8,
    pub(super) sampler: u32,
    /// Channels that do not come back: bit 0 is red.
    pub(super) masked: u32,
    pub(super) offsets: [i64; 3],
    pub(super) zero_lod: bool,
    pub(super) states: usize,
    /// The channel of texels that are gathered.
    pub(super) gathered: usize,
    /// Channels come back as words.
    pub(super) in_words: bool,
    /// Another base than that of dynamic states is asked for.
    pub(super) is_bindless: bool,
    /// A register behind the channels says which pixels met only pages that are there.
    pub(super) has_residency: bool,
}

impl Order {
    pub(super) fn of(request: &Request, device: Device) -> Result<Self, Unanswered> {
        if Device::LATER.contains(&device) {
            return Self::later(request, device);
        }
        let is_gen45 = matches!(device, Device::Ctg | Device::G45);
        let bits = request.function_control;
        let (code, returns) =
            if is_gen45 { (bits >> 12 & 15, None) } else { (bits >> 14 & 3, Some(bits >> 12 & 3)) };
        if returns == Some(1) {
            return refuse("a return format that is reserved");
        }
        let Some(form) = Form::early(code, request.payload.len()) else {
            return refuse("no message has this type and length");
        };
        let is_compared = form.compares();
        if !is_gen45 && form.lanes == 2 && is_compared && form.level == Level::Given {
            return refuse("sample_l_c for two samples");
        }
        let header = Header::of(request, true);
        if header.masked() == 15 {
            return refuse("no channel comes back");
        }
        let expected = match form.lanes {
            16 => 8 - 2 * header.masked().count_ones() as usize,
            _ => form.replies,
        };
        check_reply(request, expected)?;
        Ok(Self {
            returns,
            masked: header.masked(),
            zero_lod: header.control >> 16 & 1 == 1,
            gathered: 0,
            is_bindless: false,
            has_residency: false,
            ..Self::new(form, header, bits)
        })
    }

    /// What descriptors and headers of all generations have in common.
    fn new(form: Form, header: Header, bits: u32) -> Self {
        Self {
            form,
            returns: None,
            surface: bits as u8,
            sampler: bits >> 8 & 15,
            masked: 0,
            offsets: header.offsets(),
            zero_lod: false,
            states: (header.states >> 5 << 3) as usize,
            gathered: (header.control >> 16 & 3) as usize,
            in_words: false,
            is_bindless: header.states & 1 == 1,
            has_residency: header.control >> 23 & 1 == 1,
        }
    }

    /// A message of Gen7 or later.
    fn later(request: &Request, device: Device) -> Result<Self, Unanswered> {
        let (bits, has_header) = (request.function_control, request.has_header);
        let is_gen7 = device == Device::Ivb;
        let sent = request.payload.len();
        if sent > MOST_SENT {
            return refuse("a message of more than eleven registers");
        }
        let header = Header::of(request, has_header);
        let lanes = match (request.format_control & 1, bits >> 17 & 3) {
            (0, 0) if is_gen7 || header.control >> 22 & 1 == 1 => 2,
            (0, 1) => 8,
            (0, 2) => 16,
            _ => return refuse("a SIMD mode that is not modelled"),
        };
        let parts = sent - usize::from(has_header);
        let form = Form::later(bits >> 12 & 31, lanes, parts, usize::from(has_header), device)?;
        let in_words = request.format_control >> 1 == 1;
        if in_words && lanes == 2 {
            return refuse("words of two samples");
        }
        let mut order = Self { in_words, ..Self::new(form, header, bits) };
        order.has_residency &= !is_gen7;
        let has_texels = matches!(form.job, Job::Sample | Job::Gather | Job::Load);
        if order.has_residency && (in_words || lanes == 2 || !has_texels) {
            return refuse("pages that a message without colours of whole registers meets");
        }
        order.masked = order.masked_by(request, header, is_gen7)?;
        // Before Gen11 the low bits of the pointer are ignored.
        order.is_bindless &= device == Device::Dg1;
        Ok(order)
    }

    /// Registers of a channel in a reply.
    pub(super) fn channel_registers(&self) -> usize {
        if self.in_words { 1 } else { (self.form.lanes / 8).max(1) }
    }

    /// Channels that do not come back of a message of Gen7 or later.
    fn masked_by(
        &self,
        request: &Request,
        header: Header,
        is_gen7: bool,
    ) -> Result<u32, Unanswered> {
        let (masked, registers) = (header.masked(), self.channel_registers());
        let more = usize::from(self.has_residency);
        if self.form.job == Job::Gather {
            check_reply(request, if self.form.lanes == 2 { 1 } else { 4 * registers + more })?;
            return Ok(0);
        }
        if masked == 15 {
            return refuse("no channel comes back");
        }
        if self.form.lanes == 2 {
            check_reply(request, 1)?;
            return Ok(masked);
        }
        let returned = usize::from(request.response_length) / registers;
        let masked = match request.has_header || is_gen7 || !(1..4).contains(&returned) {
            true => masked,
            false => 15 << returned & 15,
        };
        check_reply(request, registers * (4 - masked.count_ones() as usize) + more)?;
        Ok(masked)
    }
}

/// What matters of a header; nothing is set without one.
#[derive(Debug, Clone, Copy, Default)]
struct Header {
    /// Doubleword 2.
    control: u32,
    /// Doubleword 3.
    states: u32,
}

impl Header {
    fn of(request: &Request, has_header: bool) -> Self {
        let Some(first) = request.payload.first().filter(|_| has_header) else {
            return Self::default();
        };
        let word = |n: usize| u32::from_le_bytes(first.as_chunks::<4>().0[n]);
        Self { control: word(2), states: word(3) }
    }

    fn masked(self) -> u32 {
        self.control >> 12 & 15
    }

    /// Nibbles with a sign.
    fn offsets(self) -> [i64; 3] {
        [8, 4, 0].map(|shift: u32| i64::from((self.control << (28 - shift)).cast_signed() >> 28))
    }
}

fn check_reply(request: &Request, expected: usize) -> Result<(), Unanswered> {
    if usize::from(request.response_length) != expected || expected > LONGEST_REPLY {
        return refuse("a reply of another length");
    }
    Ok(())
}
