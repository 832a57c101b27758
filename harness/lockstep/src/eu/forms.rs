//! The forms of instructions of execution units: what they can have in common beside the mnemonic.

use std::fmt::Write as _;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        DataType, Instruction, State,
        instruction::{
            AccessMode, Compression, ConditionalModifier as Condition, PredicateControl,
        },
        operand::{DestinationRegion, Region, Register, Source, VerticalStride},
        register::{ArfKind, RegisterFile},
        text,
    },
};

use crate::{
    form::{self, Form},
    spread::Shape,
};

/// Bytes of a register.
const REGISTER: usize = 32;

/// An instruction of a device, and the channels that are off where it is executed.
struct Of<'i>(Device, &'i Instruction, u32);

/// Whether an instruction has a feature.
type Has = fn(&Of<'_>) -> bool;

/// Features of instructions: what rules and engines treat by itself.
const FEATURES: &[(&str, Has)] = &[
    ("NoMask", |i| i.1.no_mask),
    ("NoMask where channels are off", |i| i.1.no_mask && i.has_channels_off()),
    ("channels that are off", |i| !i.1.no_mask && i.has_channels_off()),
    ("Align16", |i| i.1.access_mode == AccessMode::Align16),
    ("AccWrEn", |i| i.1.accumulator_write),
    ("a predicate", |i| i.1.predicate.control != PredicateControl::None),
    ("an inverted predicate", |i| i.is_predicated() && i.1.predicate.inverse),
    ("a predicate of several channels", |i| {
        i.is_predicated() && i.1.predicate.control != PredicateControl::Sequential
    }),
    ("a flag register", |i| i.uses_flags()),
    ("flag register 1", |i| i.uses_flags() && i.1.flag_register == 1),
    ("flag subregister 1", |i| i.uses_flags() && i.1.flag_subregister == 1),
    ("a predicate of flag subregister 1", |i| i.is_predicated() && i.1.flag_subregister == 1),
    ("a conditional modifier", |i| i.1.condition != Condition::None),
    ("a conditional modifier and flag subregister 1", |i| {
        i.1.condition != Condition::None && i.1.flag_subregister == 1
    }),
    (".e", |i| i.1.condition == Condition::Equal),
    (".ne", |i| i.1.condition == Condition::NotEqual),
    (".g", |i| i.1.condition == Condition::Greater),
    (".ge", |i| i.1.condition == Condition::GreaterEqual),
    (".l", |i| i.1.condition == Condition::Less),
    (".le", |i| i.1.condition == Condition::LessEqual),
    (".o", |i| i.1.condition == Condition::Overflow),
    (".u", |i| i.1.condition == Condition::Unordered),
    ("saturation", |i| i.1.saturate),
    ("saturation and a conditional modifier", |i| i.1.saturate && i.1.condition != Condition::None),
    ("several channels", |i| i.1.execution_size > 1),
    ("execution size 1", |i| i.1.execution_size == 1),
    ("execution size 2", |i| i.1.execution_size == 2),
    ("execution size 4", |i| i.1.execution_size == 4),
    ("execution size 8", |i| i.1.execution_size == 8),
    ("execution size 16", |i| i.1.execution_size == 16),
    ("execution size 32", |i| i.1.execution_size == 32),
    ("flags of fewer than 8 channels", |i| {
        i.1.condition != Condition::None && i.1.execution_size < 8
    }),
    ("a first channel above 0", |i| i.1.first_channel > 0),
    ("compression", |i| i.1.compression == Compression::Compressed),
    ("SecHalf", |i| i.1.compression == Compression::SecHalf),
    ("an accumulator as source", |i| {
        i.registers().any(|source| i.arf(source) == Some(ArfKind::Accumulator))
    }),
    ("an accumulator as destination", |i| {
        i.arf(i.1.destination.register) == Some(ArfKind::Accumulator)
    }),
    ("a flag register as source", |i| {
        i.registers().any(|source| i.arf(source) == Some(ArfKind::Flag))
    }),
    ("a null destination", |i| i.1.destination.register.is_null()),
    ("a message register", |i| i.1.destination.register.file() == RegisterFile::Mrf),
    ("a register-indirect destination", |i| {
        matches!(i.1.destination.register, Register::Indirect { .. })
    }),
    ("a register-indirect source", |i| {
        i.registers().any(|source| matches!(source, Register::Indirect { .. }))
    }),
    ("an address a row", |i| {
        i.any_region(|region| {
            matches!(region, Region::Align1 { vertical: VerticalStride::PerRowAddress, .. })
        })
    }),
    ("destination stride 2", |i| i.1.destination.region == DestinationRegion::Stride(2)),
    ("destination stride 4", |i| i.1.destination.region == DestinationRegion::Stride(4)),
    ("channel enables", |i| match i.1.destination.region {
        DestinationRegion::ChannelEnable(channels) => channels != 0xF,
        DestinationRegion::Stride(_) => false,
    }),
    ("a swizzle", |i| {
        i.any_region(
            |region| matches!(region, Region::Align16 { swizzle, .. } if swizzle != [0, 1, 2, 3]),
        )
    }),
    ("a destination subregister", |i| subregister(i.1.destination.register) > 0),
    ("a source subregister", |i| i.registers().any(|source| subregister(source) > 0)),
    ("a source that straddles a register", |i| i.1.sources.iter().any(|s| i.straddles(s))),
    ("a scalar source", |i| i.1.execution_size > 1 && i.any_region(|r| r == Region::SCALAR)),
    ("a repeated row", |i| {
        i.any_rows(|vertical, width, _| vertical == 0 && width > 1 && width < i.1.execution_size)
    }),
    ("rows that overlap", |i| {
        i.any_rows(|vertical, width, horizontal| {
            vertical > 0 && vertical < width * horizontal && width < i.1.execution_size
        })
    }),
    ("rows of 16 elements", |i| i.any_rows(|_, width, _| width == 16)),
    ("horizontal stride 0", |i| i.any_rows(|_, width, horizontal| width > 1 && horizontal == 0)),
    ("horizontal stride 2", |i| i.any_rows(|_, _, horizontal| horizontal == 2)),
    ("horizontal stride 4", |i| i.any_rows(|_, _, horizontal| horizontal == 4)),
    ("an immediate", |i| i.any_immediate(|_| true)),
    (":v", |i| i.any_immediate(|data_type| data_type == DataType::V)),
    (":uv", |i| i.any_immediate(|data_type| data_type == DataType::Uv)),
    (":vf", |i| i.any_immediate(|data_type| data_type == DataType::Vf)),
    ("a negated source", |i| i.any_modified(|negate, _, _| negate)),
    ("an absolute source", |i| i.any_modified(|_, absolute, _| absolute)),
    ("a modified source of bytes", |i| i.any_modified(|_, _, t| !t.is_float() && t.size() == 1)),
    ("a modified source of words", |i| i.any_modified(|_, _, t| !t.is_float() && t.size() == 2)),
    ("a modified source of doublewords", |i| {
        i.any_modified(|_, _, t| !t.is_float() && t.size() == 4)
    }),
    ("a modified source of quadwords", |i| {
        i.any_modified(|_, _, t| !t.is_float() && t.size() == 8)
    }),
    ("a modified source of floats", |i| i.any_modified(|_, _, t| t.is_float())),
    ("a destination :ub", |i| i.writes(DataType::Ub)),
    ("a destination :b", |i| i.writes(DataType::B)),
    ("a destination :uw", |i| i.writes(DataType::Uw)),
    ("a destination :w", |i| i.writes(DataType::W)),
    ("a destination :ud", |i| i.writes(DataType::Ud)),
    ("a destination :d", |i| i.writes(DataType::D)),
    ("a destination :uq", |i| i.writes(DataType::Uq)),
    ("a destination :q", |i| i.writes(DataType::Q)),
    ("a destination :hf", |i| i.writes(DataType::Hf)),
    ("a destination :f", |i| i.writes(DataType::F)),
    ("a destination :df", |i| i.writes(DataType::Df)),
    ("a source :ub", |i| i.reads(DataType::Ub)),
    ("a source :b", |i| i.reads(DataType::B)),
    ("a source :uw", |i| i.reads(DataType::Uw)),
    ("a source :w", |i| i.reads(DataType::W)),
    ("a source :ud", |i| i.reads(DataType::Ud)),
    ("a source :d", |i| i.reads(DataType::D)),
    ("a source :uq", |i| i.reads(DataType::Uq)),
    ("a source :q", |i| i.reads(DataType::Q)),
    ("a source :hf", |i| i.reads(DataType::Hf)),
    ("a source :f", |i| i.reads(DataType::F)),
    ("a source :df", |i| i.reads(DataType::Df)),
    ("integers to floats", |i| {
        i.1.destination.data_type.is_float()
            && i.sources().all(|source| !source.data_type().is_float())
    }),
    ("floats to integers", |i| {
        !i.1.destination.data_type.is_float() && i.sources().any(|s| s.data_type().is_float())
    }),
];

/// Their names.
pub(super) const NAMES: &[&str] = &form::names::<{ FEATURES.len() }, Has>(FEATURES);

impl Of<'_> {
    fn has_channels_off(&self) -> bool {
        let Instruction { execution_size, first_channel, compression, .. } = *self.1;
        let second_half = if compression == Compression::SecHalf { 8 } else { 0 };
        let first_channel = first_channel + second_half;
        let channels = u32::MAX >> (32 - u32::from(execution_size.clamp(1, 32)));
        self.2 & channels << first_channel != 0
    }

    fn is_predicated(&self) -> bool {
        self.1.predicate.control != PredicateControl::None
    }

    fn uses_flags(&self) -> bool {
        self.is_predicated() || self.1.condition != Condition::None
    }

    fn arf(&self, register: Register) -> Option<ArfKind> {
        register.arf_on(self.0.generation()?)
    }

    /// The sources that it has.
    fn sources(&self) -> impl Iterator<Item = &Source> {
        sources(self.1)
    }

    fn registers(&self) -> impl Iterator<Item = Register> {
        self.sources().filter_map(|source| match source {
            Source::Register { register, .. } => Some(*register),
            Source::Immediate { .. } => None,
        })
    }

    fn any_region(&self, is: impl Fn(Region) -> bool) -> bool {
        let mut sources = self.sources();
        sources.any(|source| matches!(source, Source::Register { region, .. } if is(*region)))
    }

    /// Whether a source has such a vertical stride, width and horizontal stride.
    fn any_rows(&self, is: impl Fn(u8, u8, u8) -> bool) -> bool {
        self.any_region(|region| match region {
            Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal } => {
                is(vertical, width, horizontal)
            }
            _ => false,
        })
    }

    fn any_immediate(&self, is: impl Fn(DataType) -> bool) -> bool {
        self.sources()
            .any(|source| matches!(source, Source::Immediate { data_type, .. } if is(*data_type)))
    }

    /// Whether a source has such modifiers, negation and absolute value, and such a type.
    fn any_modified(&self, is: impl Fn(bool, bool, DataType) -> bool) -> bool {
        self.sources().any(|source| match *source {
            Source::Register { modifier, data_type, .. } => {
                (modifier.negate || modifier.absolute)
                    && is(modifier.negate, modifier.absolute, data_type)
            }
            Source::Immediate { .. } => false,
        })
    }

    fn writes(&self, data_type: DataType) -> bool {
        self.1.destination.data_type == data_type
    }

    fn reads(&self, data_type: DataType) -> bool {
        self.sources().any(|source| source.data_type() == data_type)
    }

    /// Whether a source begins in the middle of a register and ends in another.
    fn straddles(&self, source: &Source) -> bool {
        let Source::Register { register, data_type, region, .. } = *source else { return false };
        let Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal } =
            region
        else {
            return false;
        };
        let rows = usize::from(self.1.execution_size / width.max(1)).max(1) - 1;
        let columns = usize::from(self.1.execution_size.min(width)) - 1;
        let last = rows * usize::from(vertical) + columns * usize::from(horizontal);
        let first = subregister(register);
        first > 0 && first + (last + 1) * data_type.size() > REGISTER
    }
}

/// The bytes by which an operand is off the start of its register.
fn subregister(register: Register) -> usize {
    match register {
        Register::Direct { file: RegisterFile::Grf | RegisterFile::Mrf, subregister, .. } => {
            usize::from(subregister)
        }
        Register::Direct { .. } | Register::Indirect { .. } => 0,
    }
}

/// The channels that are off in a state, whatever an instruction says of its own.
fn channels_off(device: Device, state: &State) -> u32 {
    match device.generation() {
        Some(Generation::Gen4 | Generation::Gen45) | None => {
            !u32::from(state.mask.iter().fold(u16::MAX, |on, mask| on & mask))
        }
        Some(_) => !state.status[2],
    }
}

/// The form of an instruction where it is executed in a state: `add :f <- :d, :d`, `math.exp :f <- :f`.
pub(super) fn form(device: Device, instruction: &Instruction, state: &State) -> Form {
    let of = Of(device, instruction, channels_off(device, state));
    let name = name(instruction);
    let features = FEATURES.iter().map(|(_, has)| has(&of)).collect();
    Form { name, features, sets_flags: instruction.condition != Condition::None }
}

/// The sources that an instruction has.
fn sources(instruction: &Instruction) -> impl Iterator<Item = &Source> {
    instruction.sources.iter().filter(|source| match source {
        Source::Register { register, .. } => !register.is_null(),
        Source::Immediate { .. } => true,
    })
}

/// Mnemonic and types.
fn name(instruction: &Instruction) -> String {
    let mut name = super::name(instruction);
    let _ = write!(name, " :{} <-", instruction.destination.data_type.suffix());
    for (place, source) in sources(instruction).enumerate() {
        let comma = if place > 0 { "," } else { "" };
        let _ = write!(name, "{comma} :{}", source.data_type().suffix());
    }
    name
}

/// What an instruction is, for those who count.
pub(super) fn shape(device: Device, instruction: &Instruction) -> Shape {
    let region = |source: &Source| {
        let text = text::print_source(device, source);
        let region =
            text.find('<').zip(text.rfind('>')).map(|(from, to)| text[from..=to].to_owned());
        region.unwrap_or_else(|| "immediate".to_owned())
    };
    Shape {
        form: name(instruction),
        size: instruction.execution_size.to_string(),
        regions: sources(instruction).map(region).collect(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The features that tell an instruction of Gen9 from others.
    #[rstest]
    #[case("add (8) r4<1>:f r2<8;8,1>:d r3<8;8,1>:d", "add :f <- :d, :d", &["integers to floats"])]
    #[case("mov (16) r4<1>:w r2<16;16,1>:w", "mov :w <- :w", &["rows of 16 elements"])]
    #[case("mov (8) r4<1>:d r2.4<8;8,1>:d", "mov :d <- :d", &["a source that straddles a register"])]
    #[case("mov (8) r4<1>:f 0x30000000:vf", "mov :f <- :vf", &[":vf", "an immediate"])]
    #[case("cmp.ne.f0.1 (4) null<1>:f r2<4;4,1>:f r3<4;4,1>:f", "cmp :f <- :f, :f",
        &[".ne", "flag subregister 1", "flags of fewer than 8 channels", "a null destination"])]
    fn a_form_tells_an_instruction_from_others(
        #[case] text: &str,
        #[case] name: &str,
        #[case] features: &[&str],
    ) {
        let assembly = parallax_isa::eu::text::parse(Device::Skl, text);
        let program = assembly.unwrap_or_else(|error| panic!("{text}: {error:?}")).program;
        let form =
            form(Device::Skl, &program.instructions()[0].instruction, &State::of(Device::Skl));
        assert_eq!(form.name, name);
        let has: Vec<_> = form.features.places().map(|place| NAMES[usize::from(place)]).collect();
        assert!(features.iter().all(|feature| has.contains(feature)), "{text}: {has:?}");
    }
}
