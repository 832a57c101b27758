//! Messages to the Sampling Engine: descriptor, header and parameters (G45 volume 4, section 4.8.1).

use parallax_isa::{
    Device,
    device::Generation,
    shared::{Request, Unanswered},
    surface::Numeric,
};

use super::{
    super::undefined,
    surface::{Surface, Type},
};

/// What a message asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Sample,
    SampleKillpix,
    SampleB,
    SampleL,
    SampleC,
    SampleBC,
    SampleLC,
    SampleG,
    Ld,
    Resinfo,
}

/// How many there are for what is asked, and where their parameters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Simd16,
    Simd8,
    Simd4x2,
}

/// What the numbers of a payload mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parameter {
    U,
    V,
    R,
    Bias,
    Lod,
    Reference,
    DuDx,
    DvDx,
    DrDx,
    DuDy,
    DvDy,
    DrDy,
    Unused,
}

use Kind::{
    Ld, Resinfo, Sample, SampleB, SampleBC, SampleC, SampleG, SampleKillpix, SampleL, SampleLC,
};
use Mode::{Simd4x2, Simd8, Simd16};
use Parameter::{Bias, DrDx, DrDy, DuDx, DuDy, DvDx, DvDy, Lod, R, Reference, U, Unused, V};

/// A row of the table of messages (section 4.8.1.3).
#[derive(Debug)]
pub(super) struct Form {
    /// The message type of the descriptor.
    code: u32,
    /// Registers of the message, with the header.
    length: usize,
    /// Registers of the reply, if no channel is masked.
    pub(super) response: usize,
    pub(super) mode: Mode,
    pub(super) kind: Kind,
    parameters: &'static [Parameter],
}

macro_rules! forms {
    ($($code:literal $length:literal $response:literal $mode:ident $kind:ident [$($parameter:ident)*];)*) => {
        &[$(Form {
            code: $code,
            length: $length,
            response: $response,
            mode: $mode,
            kind: $kind,
            parameters: &[$($parameter),*],
        }),*]
    };
}

const FORMS: &[Form] = forms! {
    0b00 3 8 Simd16 Sample [U];
    0b00 5 8 Simd16 Sample [U V];
    0b00 7 8 Simd16 Sample [U V R];
    0b00 4 4 Simd8 Sample [U V R];
    0b01 4 5 Simd8 SampleKillpix [U V R];
    0b00 9 8 Simd16 SampleB [U V R Bias];
    0b01 9 8 Simd16 SampleL [U V R Lod];
    0b01 2 1 Simd4x2 SampleL [U V R Lod];
    0b10 9 8 Simd16 SampleC [U V R Reference];
    0b00 2 1 Simd4x2 SampleC [U V R Reference];
    0b00 6 4 Simd8 SampleBC [U V R Bias Reference];
    0b01 6 4 Simd8 SampleLC [U V R Lod Reference];
    0b01 3 1 Simd4x2 SampleLC [U V R Lod Reference];
    0b11 3 8 Simd16 Ld [U];
    0b11 5 8 Simd16 Ld [U V];
    0b11 7 8 Simd16 Ld [U V R];
    0b11 4 4 Simd8 Ld [U V R];
    0b11 9 8 Simd16 Ld [U V R Lod];
    0b11 2 1 Simd4x2 Ld [U V R Lod];
    0b10 7 4 Simd8 SampleG [U V DuDx DvDx DuDy DvDy];
    0b10 10 4 Simd8 SampleG [U V R DuDx DvDx DrDx DuDy DvDy DrDy];
    0b10 4 1 Simd4x2 SampleG [U V R Unused DuDx DvDx DrDx Unused DuDy DvDy DrDy];
    0b10 3 8 Simd16 Resinfo [Lod];
    0b10 2 1 Simd4x2 Resinfo [Unused Unused Unused Lod];
};

/// What a descriptor of [DevBW] and [DevCL] says about the numbers that come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReturnType {
    Float32,
    Uint32,
    Sint32,
}

/// A message that is understood.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) form: &'static Form,
    /// The data return format, where the descriptor has one.
    data_return: Option<ReturnType>,
    pub(super) surface_index: usize,
    pub(super) sampler_index: u32,
    pub(super) header: Header,
    pub(super) entities: Vec<Entity>,
}

/// What the header says.
#[derive(Debug)]
pub(super) struct Header {
    /// Where the sampler states are, from General State Base Address on.
    pub(super) sampler_states: u32,
    pub(super) forces_lod_to_zero: bool,
    /// Red, green, blue and alpha that are not written back.
    pub(super) is_masked: [bool; 4],
    /// What is added to texel coordinates.
    pub(super) offsets: [i32; 3],
}

/// A pixel or sample with its parameters.
#[derive(Debug)]
pub(super) struct Entity {
    pub(super) number: usize,
    /// Something of it is written back.
    pub(super) is_active: bool,
    parameters: Vec<(Parameter, u32)>,
}

impl Entity {
    /// The bits of a parameter; 0 if it was not sent.
    pub(super) fn bits(&self, wanted: Parameter) -> u32 {
        let found = self.parameters.iter().find(|(name, _)| *name == wanted);
        found.map_or(0, |(_, bits)| *bits)
    }
}

impl Message {
    pub(super) fn of(request: &Request, device: Device) -> Result<Self, Unanswered> {
        let is_ctg = device.generation() >= Some(Generation::Gen45);
        let control = request.function_control;
        let (code, data_return) = if is_ctg {
            (control >> 12 & 0xF, None)
        } else {
            let data_return = match control >> 12 & 3 {
                0 => ReturnType::Float32,
                2 => ReturnType::Uint32,
                3 => ReturnType::Sint32,
                _ => return undefined("data return format 1"),
            };
            (control >> 14 & 3, Some(data_return))
        };
        let length = request.payload.len();
        let is_this = |form: &&Form| form.code == code && form.length == length;
        let Some(form) = FORMS.iter().find(is_this) else {
            return undefined(format!("a message of type {code} with {length} registers"));
        };
        if !is_ctg && (form.kind, form.mode) == (SampleLC, Simd4x2) {
            return undefined("a sample_l_c of SIMD4x2");
        }
        let header = Header::of(&request.payload[0])?;
        let response = match form.mode {
            Simd16 => 2 * header.is_masked.iter().filter(|is_masked| !**is_masked).count(),
            Simd8 | Simd4x2 => form.response,
        };
        let given = usize::from(request.response_length);
        if given != response {
            return undefined(format!("a reply of {given} registers that has {response}"));
        }
        Ok(Self {
            form,
            data_return,
            surface_index: (control & 0xFF) as usize,
            sampler_index: control >> 8 & 0xF,
            header,
            entities: form.entities(request),
        })
    }

    /// What comes back from a surface, which its format decides from [DevCTG] on. Before, the descriptor
    /// has to agree.
    pub(super) fn return_type(&self, surface: &Surface) -> Result<ReturnType, Unanswered> {
        if self.form.kind == Resinfo {
            return match self.data_return {
                None => Ok(ReturnType::Uint32),
                Some(ReturnType::Sint32) => undefined("a resinfo that returns SINT32"),
                Some(asked) => Ok(asked),
            };
        }
        let of_format = if surface.kind() == Type::Null {
            self.data_return.unwrap_or(ReturnType::Float32)
        } else {
            let own = |wanted| surface.format.layout.components().any(|c| c.numeric == wanted);
            if own(Numeric::Uint) {
                ReturnType::Uint32
            } else if own(Numeric::Sint) {
                ReturnType::Sint32
            } else {
                ReturnType::Float32
            }
        };
        match self.data_return {
            None => Ok(of_format),
            Some(asked) if asked == of_format => Ok(of_format),
            Some(_) => undefined("a data return format that is not that of the surface"),
        }
    }
}

impl Form {
    /// Pixels or samples.
    fn count(&self) -> usize {
        match self.mode {
            Simd16 => 16,
            Simd8 => 8,
            Simd4x2 => 2,
        }
    }

    fn entities(&self, request: &Request) -> Vec<Entity> {
        let enables = request.channel_enables;
        let is_active = |number: usize| match self.mode {
            Simd16 => enables >> number & 1 == 1,
            Simd8 => enables >> number & 1 == 1,
            Simd4x2 => enables >> (4 * number) & 0xF != 0,
        };
        // Register and doubleword of a parameter of an entity.
        let place = |parameter: usize, number: usize| match self.mode {
            Simd16 => (1 + 2 * parameter + number / 8, number % 8),
            Simd8 => (1 + parameter, number),
            Simd4x2 => (1 + parameter / 4, 4 * number + parameter % 4),
        };
        let parameters = |number: usize| {
            let named = self.parameters.iter().enumerate();
            let read = named.map(|(parameter, name)| {
                let (register, dword) = place(parameter, number);
                (*name, doubleword(&request.payload[register], dword))
            });
            read.collect()
        };
        let entity = |number| Entity {
            number,
            is_active: is_active(number),
            parameters: parameters(number),
        };
        (0..self.count()).map(entity).collect()
    }

    /// Whether a parameter is sent.
    pub(super) fn has(&self, parameter: Parameter) -> bool {
        self.parameters.contains(&parameter)
    }

    /// Whether texels are compared with a reference value.
    pub(super) fn compares(&self) -> bool {
        self.has(Reference)
    }
}

impl Header {
    fn of(register: &[u8; 32]) -> Result<Self, Unanswered> {
        let second = doubleword(register, 2);
        let is_masked = [12, 13, 14, 15].map(|bit| second >> bit & 1 == 1);
        if is_masked == [true; 4] {
            return undefined("a message with all channels masked");
        }
        // Four bits in two's complement.
        let signed = |low: u32| {
            let field = (second >> low & 0xF).cast_signed();
            if field < 8 { field } else { field - 16 }
        };
        Ok(Self {
            sampler_states: doubleword(register, 3) & !31,
            forces_lod_to_zero: second >> 16 & 1 == 1,
            is_masked,
            offsets: [8, 4, 0].map(signed),
        })
    }

    /// Refuses offsets in directions that a surface does not have.
    pub(super) fn check_offsets(&self, kind: Type) -> Result<(), Unanswered> {
        let directions = match kind {
            Type::One => 1,
            Type::Two => 2,
            Type::Three => 3,
            Type::Cube | Type::Buffer | Type::Null => 0,
        };
        if self.offsets[directions..].iter().any(|offset| *offset != 0) {
            return undefined("an offset in a direction that the surface does not have");
        }
        Ok(())
    }
}

fn doubleword(register: &[u8; 32], number: usize) -> u32 {
    register[4 * number..][..4].iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}
