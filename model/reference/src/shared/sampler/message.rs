//! Messages to the Sampling Engine: descriptor, header and parameters (G45 volume 4, section 4.8.1; tables
//! `eu-sampler-descriptor-by-gen`, `eu-sampler-header-by-gen`).

use parallax_isa::{
    Device,
    device::Generation,
    shared::{Request, Unanswered},
    surface::Numeric,
};

use super::{
    super::undefined,
    forms::{self, EARLY, Form},
    surface::{Surface, Type},
};
use Mode::{Simd4x2, Simd8, Simd16};

/// What a message asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `sample`.
    Sample,
    /// `sample` with a mask of the pixels that a chroma key does not kill.
    SampleKillpix,
    /// `sample_b`: with a bias.
    SampleB,
    /// `sample_l`: of a level of detail, and from Gen7 on `sample_lz`.
    SampleL,
    /// `sample_c`: compares.
    SampleC,
    /// `sample_b_c`.
    SampleBC,
    /// `sample_l_c`, and `sample_c_lz`.
    SampleLC,
    /// `sample_g`: with gradients. From Gen7 on `sample_d` and `sample_d_c`.
    SampleG,
    /// `ld` and `ld_lz`.
    Ld,
    /// `resinfo`.
    Resinfo,
    /// `gather4` and its likes (Gen7 and later).
    Gather4,
    /// `lod` (Gen7 and later).
    Lod,
    /// `sampleinfo` (Gen7 and later).
    Sampleinfo,
    /// `ld_mcs` (Gen7 and later).
    LdMcs,
}

/// How many there are for what is asked, and where their parameters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Sixteen pixels.
    Simd16,
    /// Eight pixels.
    Simd8,
    /// Two samples, whose parameters stand in vectors of four.
    Simd4x2,
}

/// What the numbers of a payload mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// The first coordinate.
    U,
    /// The second one.
    V,
    /// The third one.
    R,
    /// Which cube of an array.
    Ai,
    /// What is added to the level of detail.
    Bias,
    /// The level of detail.
    Lod,
    /// What texels are compared with.
    Reference,
    /// How u changes to the right.
    DuDx,
    /// How v does.
    DvDx,
    /// How r does.
    DrDx,
    /// How u changes downwards.
    DuDy,
    /// How v does.
    DvDy,
    /// How r does.
    DrDy,
    /// What `gather4_po` adds to the first index.
    OffU,
    /// What it adds to the second one.
    OffV,
    /// Nothing.
    Unused,
}

/// What comes back as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReturnType {
    Float32,
    Uint32,
    Sint32,
}

/// A message that is understood.
#[derive(Debug)]
pub struct Message {
    /// What it is, and where its parameters are.
    pub form: Form,
    /// The data return format, where the descriptor has one.
    data_return: Option<ReturnType>,
    /// The index of the surface in the binding table.
    pub surface_index: usize,
    /// The index of the sampler in its table.
    pub sampler_index: u32,
    /// What its header says.
    pub header: Header,
    /// Its pixels or samples.
    pub entities: Vec<Entity>,
    /// The first register of the reply for red, green, blue and alpha, if they come back.
    pub registers: [Option<usize>; 4],
    /// Numbers come back in 16 bits.
    pub is_half: bool,
}

/// What the header says.
#[derive(Debug)]
pub struct Header {
    /// Where the sampler states are, from General State Base Address on, later Dynamic State Base Address.
    pub sampler_states: u32,
    /// Levels of detail are 0 (Gen4 and Gen4.5).
    pub forces_lod_to_zero: bool,
    /// Red, green, blue and alpha that are not written back.
    pub is_masked: [bool; 4],
    /// What is added to texel coordinates.
    pub offsets: [i32; 3],
    /// The channel that gather4 reads.
    pub gathered: usize,
    /// The states of samplers are bindless.
    pub is_bindless: bool,
    /// A mask comes back of the pixels whose texels all have memory (Gen9 and later).
    pub asks_for_mask: bool,
}

/// A pixel or sample with its parameters.
#[derive(Debug)]
pub struct Entity {
    /// Its number in the message.
    pub number: usize,
    /// Something of it is written back.
    pub is_active: bool,
    /// What of red, green, blue and alpha may be written back.
    pub is_written: [bool; 4],
    parameters: Vec<(Parameter, u32)>,
}

impl Entity {
    /// The bits of a parameter; 0 if it was not sent.
    #[must_use]
    pub fn bits(&self, wanted: Parameter) -> u32 {
        let found = self.parameters.iter().find(|(name, _)| *name == wanted);
        found.map_or(0, |(_, bits)| *bits)
    }

    /// The parameters that were sent, in the order of the payload.
    #[must_use]
    pub fn parameters(&self) -> &[(Parameter, u32)] {
        &self.parameters
    }
}

/// Most registers of a message of Gen7 and later.
const LONGEST_MESSAGE: usize = 11;

impl Message {
    pub(super) fn of(request: &Request, device: Device) -> Result<Self, Unanswered> {
        match device.generation() {
            Some(generation) if generation >= Generation::Gen7 => Self::later(request, generation),
            generation => Self::early(request, device, generation >= Some(Generation::Gen45)),
        }
    }

    /// One of Gen4 or Gen4.5.
    fn early(request: &Request, device: Device, is_ctg: bool) -> Result<Self, Unanswered> {
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
        let Some(row) = EARLY.iter().find(|row| row.code == code && row.length == length) else {
            return undefined(format!("a message of type {code} with {length} registers"));
        };
        let form = row.form;
        if !is_ctg && (form.kind, form.mode) == (Kind::SampleLC, Simd4x2) {
            return undefined("a sample_l_c of SIMD4x2");
        }
        let header = Header::early(&request.payload[0]);
        if header.is_masked == [true; 4] {
            return undefined("a message with all channels masked");
        }
        let is_returned = header.is_masked.map(|is_masked| !is_masked);
        let before = |channel: usize| is_returned[..channel].iter().filter(|is| **is).count();
        let response = match form.mode {
            Simd16 => 2 * before(4),
            Simd8 | Simd4x2 => row.response,
        };
        check_response(request, response)?;
        let first = |channel: usize| match form.mode {
            Simd16 => 2 * before(channel),
            Simd8 => channel,
            Simd4x2 => 0,
        };
        Ok(Self {
            form,
            data_return,
            surface_index: (control & 0xFF) as usize,
            sampler_index: control >> 8 & 0xF,
            entities: form.entities(request, device.generation(), 1),
            registers: [0, 1, 2, 3].map(|channel| is_returned[channel].then(|| first(channel))),
            header,
            is_half: false,
        })
    }

    /// One of Gen7 or later.
    fn later(request: &Request, generation: Generation) -> Result<Self, Unanswered> {
        // Decision D-eu-later-sampler.
        let control = request.function_control;
        let register = request.payload.first().filter(|_| request.has_header);
        let header = Header::later(register, generation);
        let mode = later_mode(request, register, generation)?;
        let code = control >> 12 & 0x1F;
        let Some(form) = forms::later(code, mode, generation) else {
            return undefined(format!("a message of type {code} on {generation}, or in {mode:?}"));
        };
        check_later_length(request, &form)?;
        let is_half = request.format_control & 2 != 0;
        if is_half && mode == Simd4x2 {
            return undefined("a reply of 16-bit numbers for SIMD4x2");
        }
        let reads =
            !matches!(form.kind, Kind::Lod | Kind::Resinfo | Kind::Sampleinfo | Kind::LdMcs);
        if header.asks_for_mask && (is_half || mode == Simd4x2 || !reads) {
            return undefined("a mask of pixels without memory, of such a message");
        }
        Ok(Self {
            data_return: None,
            surface_index: (control & 0xFF) as usize,
            sampler_index: control >> 8 & 0xF,
            entities: form.entities(request, Some(generation), request.has_header.into()),
            registers: later_registers(request, generation, &form, &header)?,
            form,
            header,
            is_half,
        })
    }

    /// What comes back from a surface, which its format decides from [DevCTG] on. Before, the descriptor
    /// has to agree.
    pub(super) fn return_type(&self, surface: &Surface) -> Result<ReturnType, Unanswered> {
        match self.form.kind {
            Kind::Sampleinfo | Kind::LdMcs => return Ok(ReturnType::Uint32),
            Kind::Lod => return Ok(ReturnType::Float32),
            _ => {}
        }
        if self.form.kind == Kind::Resinfo {
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
    /// The pixels or samples of a payload whose parameters begin with a register.
    fn entities(
        &self,
        request: &Request,
        generation: Option<Generation>,
        first: usize,
    ) -> Vec<Entity> {
        let enables = request.channel_enables;
        let is_enabled = |channel: usize| enables >> channel & 1 == 1;
        let is_active = |number: usize| match self.mode {
            Simd16 | Simd8 => is_enabled(number),
            Simd4x2 => enables >> (4 * number) & 0xF != 0,
        };
        // From Gen7 on each doubleword has its channel.
        let is_written = |number: usize| match self.mode {
            Simd4x2 if generation >= Some(Generation::Gen7) => {
                [0, 1, 2, 3].map(|channel| is_enabled(4 * number + channel))
            }
            _ => [is_active(number); 4],
        };
        // Register and doubleword of a parameter of an entity.
        let place = |parameter: usize, number: usize| match self.mode {
            Simd16 => (first + 2 * parameter + number / 8, number % 8),
            Simd8 => (first + parameter, number),
            Simd4x2 => (first + parameter / 4, 4 * number + parameter % 4),
        };
        let parameters = |number: usize| {
            let named = self.parameters.iter().enumerate();
            let read = named.filter_map(|(parameter, name)| {
                let (register, dword) = place(parameter, number);
                Some((*name, doubleword(request.payload.get(register)?, dword)))
            });
            read.collect()
        };
        let entity = |number| Entity {
            number,
            is_active: is_active(number),
            is_written: is_written(number),
            parameters: parameters(number),
        };
        (0..self.count()).map(entity).collect()
    }
}

/// The SIMD mode of a message of Gen7 or later.
fn later_mode(
    request: &Request,
    header: Option<&[u8; 32]>,
    generation: Generation,
) -> Result<Mode, Unanswered> {
    if request.format_control & 1 == 1 {
        return undefined("parameters of 16 bits");
    }
    let extends = header.is_some_and(|header| doubleword(header, 2) >> 22 & 1 == 1);
    match request.function_control >> 17 & 3 {
        0 if generation < Generation::Gen9 || extends => Ok(Simd4x2),
        1 => Ok(Simd8),
        2 => Ok(Simd16),
        mode => undefined(format!("SIMD mode {mode} of the Sampling Engine")),
    }
}

/// Refuses more parameters than a message of Gen7 or later has, and half ones.
fn check_later_length(request: &Request, form: &Form) -> Result<(), Unanswered> {
    let length = request.payload.len();
    let sent = length - usize::from(request.has_header);
    let (most, unit) = match form.mode {
        Simd16 => (2 * form.parameters.len(), 2),
        Simd8 => (form.parameters.len(), 1),
        Simd4x2 => (form.parameters.len().div_ceil(4), 1),
    };
    if length > LONGEST_MESSAGE || sent > most || !sent.is_multiple_of(unit) {
        return undefined(format!("a message of {length} registers"));
    }
    if form.kind == Kind::Sampleinfo && !request.has_header {
        return undefined("a sampleinfo without a header");
    }
    Ok(())
}

/// Where the channels of a reply of Gen7 or later begin (table `eu-sampler-response`).
fn later_registers(
    request: &Request,
    generation: Generation,
    form: &Form,
    header: &Header,
) -> Result<[Option<usize>; 4], Unanswered> {
    let is_half = request.format_control & 2 != 0;
    let width = if form.mode == Simd16 && !is_half { 2 } else { 1 };
    let given = usize::from(request.response_length);
    let is_short = !request.has_header && generation >= Generation::Gen9;
    let is_returned = |channel: usize| match form.kind {
        Kind::Gather4 => true,
        _ if is_short && form.mode != Simd4x2 => channel < given / width,
        _ => !header.is_masked[channel],
    };
    let returned = [0, 1, 2, 3].map(is_returned);
    let before = |channel: usize| returned[..channel].iter().filter(|is| **is).count();
    if before(4) == 0 {
        return undefined("a message whose channels all stay away");
    }
    let channels = if form.mode == Simd4x2 { 1 } else { width * before(4) };
    check_response(request, channels + usize::from(header.asks_for_mask))?;
    let first = |channel: usize| match form.mode {
        Simd4x2 => 0,
        _ => width * before(channel),
    };
    Ok([0, 1, 2, 3].map(|channel| returned[channel].then(|| first(channel))))
}

/// Refuses a reply of another length than it has.
fn check_response(request: &Request, response: usize) -> Result<(), Unanswered> {
    let given = usize::from(request.response_length);
    if given != response {
        return undefined(format!("a reply of {given} registers that has {response}"));
    }
    Ok(())
}

impl Header {
    fn early(register: &[u8; 32]) -> Self {
        let second = doubleword(register, 2);
        Self { forces_lod_to_zero: second >> 16 & 1 == 1, ..Self::of(register) }
    }

    /// That of Gen7 or later. Without one everything is 0.
    fn later(register: Option<&[u8; 32]>, generation: Generation) -> Self {
        let register = register.unwrap_or(&[0; 32]);
        let (second, third) = (doubleword(register, 2), doubleword(register, 3));
        Self {
            gathered: (second >> 16 & 3) as usize,
            is_bindless: generation >= Generation::Gen12 && third & 31 != 0,
            asks_for_mask: generation >= Generation::Gen8 && second >> 23 & 1 == 1,
            ..Self::of(register)
        }
    }

    /// What all generations have at the same places.
    fn of(register: &[u8; 32]) -> Self {
        let second = doubleword(register, 2);
        // Four bits in two's complement.
        let signed = |low: u32| {
            let field = (second >> low & 0xF).cast_signed();
            if field < 8 { field } else { field - 16 }
        };
        Self {
            sampler_states: doubleword(register, 3) & !31,
            forces_lod_to_zero: false,
            is_masked: [12, 13, 14, 15].map(|bit| second >> bit & 1 == 1),
            offsets: [8, 4, 0].map(signed),
            gathered: 0,
            is_bindless: false,
            asks_for_mask: false,
        }
    }

    /// Whether it moves texel coordinates.
    pub(super) fn has_offsets(&self) -> bool {
        self.offsets != [0; 3]
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
