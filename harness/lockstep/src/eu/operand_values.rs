//! The values an instruction reads, for people who look into a divergence.

use std::mem::offset_of;

use half::f16;
use parallax_isa::{
    Device, Extent, Image,
    eu::{
        Case, DataType, Instruction, State,
        generation::Generation,
        instruction::Compression,
        opcode::Format,
        operand::{Region, Register, Source, VerticalStride},
        register::{ArfKind, RegisterFile},
        text::{print_destination, print_source},
    },
};
use parallax_reference::eu::halves;

use crate::{subject::Typed, verdict::OperandValues};

/// What an instruction reads, channel by channel, and where it writes: both halves of a compressed one.
pub(super) fn operands(case: &Case, state: &State) -> Vec<OperandValues> {
    let Some(instruction) = super::instruction_at(case, state.ip) else { return Vec::new() };
    let mut operands = Vec::new();
    if instruction.compression == Compression::Compressed {
        for (half, name) in halves(&instruction, case.device).iter().zip(["first", "second"]) {
            let of_half = of_native(case.device, half, state).into_iter();
            operands.extend(of_half.map(|operand| OperandValues {
                name: format!("{} ({name} half)", operand.name),
                ..operand
            }));
        }
    } else {
        operands = of_native(case.device, &instruction, state);
    }
    if !operands.is_empty() {
        operands.push(registers(state));
    }
    operands
}

/// Operands of an instruction that is not compressed.
fn of_native(device: Device, instruction: &Instruction, state: &State) -> Vec<OperandValues> {
    let generation = device.generation().unwrap_or(Generation::Gen4);
    let present = match instruction.opcode.format_on(generation) {
        Format::Nothing | Format::Controls | Format::Branch | Format::Sync => return Vec::new(),
        Format::Unary | Format::Message => 1,
        Format::ExitCode | Format::Binary | Format::SplitMessage => 2,
        Format::Ternary => 3,
    };
    let sources = instruction.sources[..present].iter().enumerate();
    let sources = sources.map(|(index, source)| OperandValues {
        name: format!("src{index} {}", print_source(device, source)),
        channels: channels(instruction, source, state),
    });
    let destination = OperandValues {
        name: format!("dst  {}", print_destination(device, instruction)),
        channels: Vec::new(),
    };
    sources.chain([destination]).collect()
}

/// Flags, masks, control and address registers.
fn registers(state: &State) -> OperandValues {
    OperandValues {
        name: format!(
            "f0 {:08x}  masks {:04x} {:04x} {:04x} {:04x}  cr0.0 {:08x}  a0 {:03x?}",
            u32::from(state.flag[1]) << 16 | u32::from(state.flag[0]),
            state.mask[0],
            state.mask[1],
            state.mask[2],
            state.mask[3],
            state.control[0],
            &state.address[..8],
        ),
        channels: Vec::new(),
    }
}

/// The element of a register that the next instruction writes, by a byte of it: in the type of its
/// destination; of a flag register the channels that are set.
pub(super) fn element(case: &Case, state: &State, offset: usize) -> Option<Typed> {
    let bank = State::bank(offset);
    let within = offset - bank.offset;
    let data_type = super::instruction_at(case, state.ip)?.destination.data_type;
    let size = match bank.name {
        "r" | "m" => data_type.size(),
        "f" => 2,
        _ => return None,
    };
    let start = within / size * size;
    let (register, in_register) = (start / bank.bytes, start % bank.bytes / size);
    let places = bank.offset + start..bank.offset + start + size;
    if bank.name == "f" {
        let name = State::place(places.start);
        return Some(Typed { name, places, show: Box::new(channels_set) });
    }
    let name = format!("{}{register}.{in_register}:{}", bank.name, data_type.suffix());
    Some(Typed { name, places, show: Box::new(move |bits| typed(bits, data_type)) })
}

/// The channels whose flags are set, by number.
fn channels_set(bits: u64) -> String {
    let set = (0..16).filter(|channel| bits >> channel & 1 == 1);
    let set: Vec<_> = set.map(|channel: u32| channel.to_string()).collect();
    let set = if set.is_empty() { "none".to_owned() } else { set.join(",") };
    format!("{set} {bits:04x}")
}

/// The raw values a source gives to each channel, before modifiers.
fn channels(instruction: &Instruction, source: &Source, state: &State) -> Vec<String> {
    let Source::Register { register, data_type, region, .. } = *source else { return Vec::new() };
    let native = usize::from(instruction.execution_size);
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
        Some(byte) => typed(Extent::whole(byte, size).read(state.image()), data_type),
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
        _ => return "-".to_owned(),
    };
    let size = data_type.size();
    let byte = start + element * size;
    if byte + size > state.image().len() {
        return "outside".to_owned();
    }
    typed(Extent::whole(byte, size).read(state.image()), data_type)
}

/// Bits as a number of a type and as digits: `-1.5 bfc00000`.
fn typed(bits: u64, data_type: DataType) -> String {
    match data_type {
        DataType::F => format!("{:?} {bits:08x}", f32::from_bits(bits as u32)),
        DataType::Hf => format!("{:?} {bits:04x}", f16::from_bits(bits as u16).to_f32()),
        DataType::Df => format!("{:?} {bits:016x}", f64::from_bits(bits)),
        DataType::Ud => format!("{bits} {bits:08x}"),
        DataType::D => format!("{} {bits:08x}", (bits as u32).cast_signed()),
        DataType::Uq => format!("{bits} {bits:016x}"),
        DataType::Q => format!("{} {bits:016x}", bits.cast_signed()),
        DataType::Uw => format!("{bits} {bits:04x}"),
        DataType::W => format!("{} {bits:04x}", (bits as u16).cast_signed()),
        DataType::Ub => format!("{bits} {bits:02x}"),
        DataType::B => format!("{} {bits:02x}", (bits as u8).cast_signed()),
        DataType::V | DataType::Uv | DataType::Vf => format!("{bits:08x}"),
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::eu::text::parse;

    use super::*;

    #[test]
    fn both_halves_of_a_compressed_instruction_are_shown() {
        let text = "add (16) r4<1>:f r6<8;8,1>:f r8<0;1,0>:f {Compr}";
        let program = parse(Device::G45, text).expect("it assembles").program;
        let mut state = Box::new(State::new());
        state.grf[7][0..4].copy_from_slice(&1.5_f32.to_le_bytes());
        let case = Case::new(Device::G45, program.bytes().to_vec(), state, 1);
        let operands = operands(&case, &case.state);
        let names: Vec<&str> = operands.iter().map(|operand| &*operand.name).collect();
        assert_eq!(
            names[..6],
            [
                "src0 r6<8;8,1>:f (first half)",
                "src1 r8<0;1,0>:f (first half)",
                "dst  r4<1>:f (first half)",
                "src0 r7<8;8,1>:f (second half)",
                "src1 r8<0;1,0>:f (second half)",
                "dst  r5<1>:f (second half)",
            ]
        );
        assert_eq!(operands[3].channels[0], "1.5 3fc00000");
    }
}
