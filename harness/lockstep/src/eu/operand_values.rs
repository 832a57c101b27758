//! Instructions and the values they read, as text for people who look into a divergence.

use std::mem::offset_of;

use parallax_isa::{
    Extent, Image,
    eu::{
        Case, DataType, Instruction, State,
        instruction::Compression,
        opcode::Format,
        operand::{Destination, DestinationRegion, Region, Register, Source, VerticalStride},
        register::{ArfKind, RegisterFile},
    },
};

use crate::subject::OperandValues;

/// What an instruction reads, channel by channel, and where it writes.
pub(super) fn operands(case: &Case, state: &State) -> Vec<OperandValues> {
    let Some(instruction) = super::instruction_at(case, state.ip) else { return Vec::new() };
    let count = match instruction.opcode.format() {
        Format::Nothing | Format::Controls => return Vec::new(),
        Format::Unary | Format::Message => 1,
        Format::ExitCode | Format::Binary | Format::Ternary => 2,
    };
    let sources = instruction.sources[..count].iter().enumerate();
    let sources = sources.map(|(index, source)| OperandValues {
        name: format!("src{index} {}", name(source)),
        channels: channels(&instruction, source, state),
    });
    let destination = OperandValues {
        name: format!("dst  {}", destination_name(&instruction.destination)),
        channels: Vec::new(),
    };
    let state = OperandValues {
        name: format!(
            "f0 {:08x}  masks {:04x} {:04x} {:04x} {:04x}  cr0.0 {:08x}  a0 {:03x?}{}",
            u32::from(state.flag[1]) << 16 | u32::from(state.flag[0]),
            state.mask[0],
            state.mask[1],
            state.mask[2],
            state.mask[3],
            state.control[0],
            state.address,
            if instruction.no_mask { "  NoMask" } else { "" },
        ),
        channels: Vec::new(),
    };
    sources.chain([destination, state]).collect()
}

fn register_name(register: Register) -> String {
    match register {
        Register::Direct { file: RegisterFile::Grf, number, subregister } => {
            format!("r{number}.{subregister}")
        }
        Register::Direct { file: RegisterFile::Mrf, number, subregister } => {
            format!("m{number}.{subregister}")
        }
        Register::Direct { file: RegisterFile::Arf, number, subregister } => {
            match ArfKind::of_register_number(number) {
                Some(ArfKind::Null) => "null".to_owned(),
                Some(kind) => format!("{}{}.{subregister}", kind.name(), number & 0xF),
                None => format!("arf {number:#04x}.{subregister}"),
            }
        }
        Register::Indirect { file, address_subregister, offset } => {
            let file = if file == RegisterFile::Grf { "r" } else { "m" };
            format!("{file}[a0.{address_subregister}{offset:+}]")
        }
    }
}

fn name(source: &Source) -> String {
    match *source {
        Source::Immediate { data_type, bits } => format!("{bits:#010x}:{}", data_type.suffix()),
        Source::Register { register, data_type, region, modifier } => {
            let stride = |vertical| match vertical {
                VerticalStride::Elements(elements) => elements.to_string(),
                VerticalStride::PerRowAddress => "VxH".to_owned(),
            };
            let region = match region {
                Region::Align1 { vertical, width, horizontal } => {
                    format!("<{};{width},{horizontal}>", stride(vertical))
                }
                Region::Align16 { vertical, swizzle } => {
                    let names =
                        swizzle.map(|channel| ['x', 'y', 'z', 'w'][usize::from(channel & 3)]);
                    format!("<{}>.{}", stride(vertical), names.iter().collect::<String>())
                }
            };
            format!(
                "{}{}{}{region}:{}",
                if modifier.negate { "-" } else { "" },
                if modifier.absolute { "(abs)" } else { "" },
                register_name(register),
                data_type.suffix(),
            )
        }
    }
}

fn destination_name(destination: &Destination) -> String {
    let region = match destination.region {
        DestinationRegion::Stride(stride) => format!("<{stride}>"),
        DestinationRegion::ChannelEnable(enable) => {
            let enabled = |(bit, name): (usize, char)| (enable >> bit & 1 == 1).then_some(name);
            let names: String = "xyzw".chars().enumerate().filter_map(enabled).collect();
            format!(".{names}")
        }
    };
    format!("{}{region}:{}", register_name(destination.register), destination.data_type.suffix())
}

/// The raw values a source gives to each channel, before modifiers.
fn channels(instruction: &Instruction, source: &Source, state: &State) -> Vec<String> {
    let Source::Register { register, data_type, region, .. } = *source else { return Vec::new() };
    let compressed = instruction.compression == Compression::Compressed;
    let native = usize::from(instruction.execution_size) >> usize::from(compressed);
    (0..native.max(1)).map(|channel| value(register, data_type, region, channel, state)).collect()
}

fn value(
    register: Register,
    data_type: DataType,
    region: Region,
    channel: usize,
    state: &State,
) -> String {
    let size = data_type.size();
    let (row, element) = match region {
        Region::Align1 { vertical, width, horizontal } => {
            let width = usize::from(width.max(1));
            let (row, column) = (channel / width, channel % width);
            let down = match vertical {
                VerticalStride::Elements(elements) => row * usize::from(elements),
                VerticalStride::PerRowAddress => 0,
            };
            let per_row = vertical == VerticalStride::PerRowAddress;
            (if per_row { row } else { 0 }, down + column * usize::from(horizontal))
        }
        Region::Align16 { vertical, swizzle } => {
            let down = if vertical == VerticalStride::Elements(0) { 0 } else { channel / 4 * 4 };
            (0, down + usize::from(swizzle[channel % 4]))
        }
    };
    let start = match register {
        Register::Direct { file: RegisterFile::Grf, number, subregister } => {
            Some(32 * usize::from(number) + usize::from(subregister))
        }
        Register::Indirect { address_subregister, offset, .. } => {
            let address = state.address.get(usize::from(address_subregister) + row);
            address
                .and_then(|address| usize::try_from(i32::from(*address) + i32::from(offset)).ok())
        }
        Register::Direct { file: RegisterFile::Arf, number, subregister } => {
            return architecture(
                number,
                usize::from(subregister) / size + element,
                data_type,
                state,
            );
        }
        Register::Direct { file: RegisterFile::Mrf, .. } => None,
    };
    let byte = start.map(|start| start + element * size);
    match byte.filter(|byte| byte + size <= std::mem::size_of_val(&state.grf)) {
        Some(byte) => typed(Extent::whole(byte, size).read(state.image()) as u32, data_type),
        None => "outside".to_owned(),
    }
}

/// An element of an accumulator, all of its 64 bits; of another architecture register its bits.
fn architecture(number: u8, element: usize, data_type: DataType, state: &State) -> String {
    let start = match ArfKind::of_register_number(number) {
        Some(ArfKind::Accumulator) => {
            let bits = state.accumulator[usize::from(number & 1)].get(element);
            return bits.map_or("outside".to_owned(), |bits| format!("{bits:016x}"));
        }
        Some(ArfKind::Address) => offset_of!(State, address),
        Some(ArfKind::Flag) => offset_of!(State, flag),
        Some(ArfKind::Mask) => offset_of!(State, mask),
        Some(ArfKind::State) => offset_of!(State, status),
        Some(ArfKind::Control) => offset_of!(State, control),
        Some(ArfKind::Notification) => {
            offset_of!(State, notification) + 4 * usize::from(number & 1)
        }
        Some(ArfKind::InstructionPointer) => offset_of!(State, ip),
        Some(ArfKind::MaskStack) => offset_of!(State, mask_stack),
        Some(ArfKind::MaskStackDepth) => offset_of!(State, mask_stack_depth),
        Some(ArfKind::Null) | None => return "-".to_owned(),
    };
    let size = data_type.size();
    let byte = start + element * size;
    if byte + size > state.image().len() {
        return "outside".to_owned();
    }
    typed(Extent::whole(byte, size).read(state.image()) as u32, data_type)
}

fn typed(bits: u32, data_type: DataType) -> String {
    match data_type {
        DataType::F => format!("{bits:08x} ({:e})", f32::from_bits(bits)),
        DataType::Ud => format!("{bits:08x}"),
        DataType::D => format!("{bits:08x} ({})", bits.cast_signed()),
        DataType::Uw => format!("{bits:04x}"),
        DataType::W => format!("{bits:04x} ({})", bits as u16 as i16),
        _ => format!("{bits:02x}"),
    }
}
