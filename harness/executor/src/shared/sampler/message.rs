//! What messages say, the forms that they have, and where in a payload their parameters are.

use parallax_isa::{
    Device,
    shared::{LONGEST_REPLY, Request, Unanswered},
};

use super::super::refuse;

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Job {
    Sample,
    Load,
    Size,
}

/// A form: places of parameters are counted from 0 on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) job: Job,
    /// 16 or 8 pixels, or 2 samples.
    pub(super) lanes: usize,
    /// Registers that come back if no channel is masked.
    pub(super) replies: usize,
    /// Parameters at the start that are coordinates.
    pub(super) coordinates: usize,
    pub(super) bias: Option<usize>,
    pub(super) lod: Option<usize>,
    pub(super) reference: Option<usize>,
    /// Where steps along x and along y start, and how many are in each.
    pub(super) steps: Option<(usize, usize, usize)>,
    pub(super) kills: bool,
}

impl Form {
    const fn new(job: Job, lanes: usize, coordinates: usize) -> Self {
        let replies = match lanes {
            16 => 8,
            8 => 4,
            _ => 1,
        };
        let (bias, lod, reference, steps) = (None, None, None, None);
        Self { job, lanes, replies, coordinates, bias, lod, reference, steps, kills: false }
    }

    const fn bias(self, place: usize) -> Self {
        Self { bias: Some(place), ..self }
    }

    const fn lod(self, place: usize) -> Self {
        Self { lod: Some(place), ..self }
    }

    const fn reference(self, place: usize) -> Self {
        Self { reference: Some(place), ..self }
    }

    const fn steps(self, x: usize, y: usize, count: usize) -> Self {
        Self { steps: Some((x, y, count)), ..self }
    }

    /// The form of a message type with so many registers, that of the header among them.
    pub(super) fn find(code: u32, registers: usize) -> Option<Self> {
        use Job::{Load, Sample, Size};
        Some(match (code, registers) {
            (0, 3) => Self::new(Sample, 16, 1),
            (0, 5) => Self::new(Sample, 16, 2),
            (0, 7) => Self::new(Sample, 16, 3),
            (0, 9) => Self::new(Sample, 16, 3).bias(3),
            (0, 4) => Self::new(Sample, 8, 3),
            (0, 6) => Self::new(Sample, 8, 3).bias(3).reference(4),
            (0, 2) => Self::new(Sample, 2, 3).reference(3),
            (1, 9) => Self::new(Sample, 16, 3).lod(3),
            (1, 4) => Self { kills: true, replies: 5, ..Self::new(Sample, 8, 3) },
            (1, 6) => Self::new(Sample, 8, 3).lod(3).reference(4),
            (1, 2) => Self::new(Sample, 2, 3).lod(3),
            (1, 3) => Self::new(Sample, 2, 3).lod(3).reference(4),
            (2, 9) => Self::new(Sample, 16, 3).reference(3),
            (2, 7) => Self::new(Sample, 8, 2).steps(2, 4, 2),
            (2, 10) => Self::new(Sample, 8, 3).steps(3, 6, 3),
            (2, 4) => Self::new(Sample, 2, 3).steps(4, 8, 3),
            (2, 3) => Self::new(Size, 16, 0).lod(0),
            (2, 2) => Self::new(Size, 2, 0).lod(3),
            (3, 3) => Self::new(Load, 16, 1),
            (3, 5) => Self::new(Load, 16, 2),
            (3, 7) => Self::new(Load, 16, 3),
            (3, 9) => Self::new(Load, 16, 3).lod(3),
            (3, 4) => Self::new(Load, 8, 3),
            (3, 2) => Self::new(Load, 2, 3).lod(3),
            _ => return None,
        })
    }

    /// A parameter of a pixel or sample.
    pub(super) fn word(&self, request: &Request, place: usize, lane: usize) -> u32 {
        let (register, dword) = match self.lanes {
            16 => (2 * place + lane / 8, lane % 8),
            8 => (place, lane),
            _ => (place / 4, 4 * lane + place % 4),
        };
        u32::from_le_bytes(request.payload[1 + register].as_chunks::<4>().0[dword])
    }

    /// A parameter of all pixels, of which there are eight or sixteen.
    pub(super) fn words<'r>(&self, request: &'r Request, place: usize) -> &'r [[u8; 4]] {
        let registers = self.lanes / 8;
        let first = 1 + registers * place;
        request.payload[first..first + registers].as_flattened().as_chunks::<4>().0
    }

    /// Bit n: pixel or sample n is asked for.
    pub(super) fn active(&self, enables: u16) -> u32 {
        match self.lanes {
            16 => enables.into(),
            8 => u32::from(enables) & 0xFF,
            _ => u32::from(enables & 0x0F != 0) | u32::from(enables & 0xF0 != 0) << 1,
        }
    }
}

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
}

impl Order {
    pub(super) fn of(request: &Request, device: Device) -> Result<Self, Unanswered> {
        let is_gen45 = matches!(device, Device::Ctg | Device::G45);
        let bits = request.function_control;
        let (code, returns) =
            if is_gen45 { (bits >> 12 & 15, None) } else { (bits >> 14 & 3, Some(bits >> 12 & 3)) };
        if returns == Some(1) {
            return refuse("a return format that is reserved");
        }
        let Some(form) = Form::find(code, request.payload.len()) else {
            return refuse("no message has this type and length");
        };
        if !is_gen45 && form.lanes == 2 && form.reference.is_some() && form.lod.is_some() {
            return refuse("sample_l_c for two samples");
        }
        let word = |n: usize| u32::from_le_bytes(request.payload[0].as_chunks::<4>().0[n]);
        let control = word(2);
        let masked = control >> 12 & 15;
        if masked == 15 {
            return refuse("no channel comes back");
        }
        let expected = match form.lanes {
            16 => 8 - 2 * masked.count_ones() as usize,
            _ => form.replies,
        };
        if usize::from(request.response_length) != expected || expected > LONGEST_REPLY {
            return refuse("a reply of another length");
        }
        // Nibbles with a sign.
        let nibble = |shift: u32| i64::from((control << (28 - shift)).cast_signed() >> 28);
        Ok(Self {
            form,
            returns,
            surface: bits as u8,
            sampler: bits >> 8 & 15,
            masked,
            offsets: [nibble(8), nibble(4), nibble(0)],
            zero_lod: control >> 16 & 1 == 1,
            states: (word(3) >> 5 << 3) as usize,
        })
    }
}
