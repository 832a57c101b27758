//! From an instruction to micro-ops: compressed instructions are split, regions become byte
//! offsets, and the functions for types and shapes are chosen.

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        DataType, Opcode,
        register::{ArfKind, REGISTER_BYTES, RegisterFile},
        state::{GRF_COUNT, MRF_COUNT},
    },
};

use super::{
    compute::{self, Traits},
    decode::{Compression, Destination, Instruction, Layout, Origin, Region, Source},
    fetch,
    finish::{self, Kind},
    mask::MaskRule,
    micro::{AccumulatorUpdate, Half, Operand, Target},
    write,
};

/// Where an instruction is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    pub(super) device: Device,
    /// Byte offset of the instruction.
    pub(super) offset: u32,
}

impl Context {
    /// Devices whose `SecHalf` means the upper half of flags and masks and `acc0` even for 16
    /// channels.
    fn early(self) -> bool {
        self.device.generation() == Some(Generation::Gen4)
    }
}

/// The native instructions a data instruction executes as, in order.
pub(super) fn lower(instruction: &Instruction, context: Context) -> Result<Box<[Half]>, String> {
    Ok(if instruction.compression == Compression::Compressed {
        let first = lower_native(&first_half(instruction), context)?;
        Box::new([first, lower_native(&second_half(instruction, context), context)?])
    } else {
        Box::new([lower_native(instruction, context)?])
    })
}

/// Bit of an MRF register number that asks for the second half four registers on (Compr4).
const COMPR4: u8 = 0x80;

/// The first native instruction of a compressed one (section 11.5.2).
fn first_half(instruction: &Instruction) -> Instruction {
    let mut first = *instruction;
    first.compression = Compression::None;
    first.execution_size /= 2;
    if let (RegisterFile::Mrf, Origin::Direct { number, .. }) =
        (first.destination.file, &mut first.destination.origin)
    {
        *number &= !COMPR4;
    }
    first
}

/// The second native instruction of a compressed one (section 11.5.2).
fn second_half(instruction: &Instruction, context: Context) -> Instruction {
    let mut second = *instruction;
    second.compression = Compression::SecHalf;
    second.execution_size /= 2;
    second.breakpoint = false;
    let destination = &mut second.destination;
    match &mut destination.origin {
        Origin::Direct { number, .. } => match destination.file {
            RegisterFile::Mrf if *number & COMPR4 != 0 => *number = (*number & !COMPR4) + 4,
            RegisterFile::Mrf => *number += 1,
            RegisterFile::Grf => *number |= 1,
            RegisterFile::Arf => *number |= accumulator_step(*number),
        },
        Origin::Indirect { subregister, .. } => *subregister |= 1,
    }
    let packed_dwords = instruction.destination.stride == 1
        && instruction.destination.data_type.size() == 4
        && instruction.execution_size == 16;
    for (index, source) in second.sources.iter_mut().enumerate() {
        let Source::Register(region) = source else { continue };
        let Region { file, data_type, origin, layout, .. } = region;
        let scalar = *layout == Layout::Rows { vertical: Some(0), width: 1, horizontal: 0 };
        match origin {
            Origin::Indirect { subregister, .. } if !scalar || context.early() => *subregister |= 1,
            // A number that no register has may stand there: it stays one. Pln goes on by two
            // registers even if its region is a scalar.
            Origin::Direct { number, .. }
                if instruction.opcode == Opcode::Pln
                    && index == 1
                    && *file != RegisterFile::Arf =>
            {
                *number = number.wrapping_add(2);
            }
            Origin::Direct { number, subregister } if !scalar => {
                let packed_words = match (data_type.size(), *layout) {
                    (2, Layout::Rows { horizontal: 1, .. }) => packed_dwords,
                    (1, Layout::Rows { horizontal: 2, .. }) => packed_dwords,
                    _ => false,
                };
                match file {
                    RegisterFile::Arf => *number |= accumulator_step(*number),
                    _ if packed_words => *subregister |= 16,
                    _ => *number |= 1,
                }
            }
            _ => {}
        }
    }
    second
}

/// What the second half sets in an ARF register number: `acc0` becomes `acc1`.
fn accumulator_step(number: u8) -> u8 {
    u8::from(ArfKind::of_register_number(number) == Some(ArfKind::Accumulator))
}

/// The kind of architecture register an operand names directly.
fn architecture(file: RegisterFile, origin: Origin) -> Option<(ArfKind, u8)> {
    match (file, origin) {
        (RegisterFile::Arf, Origin::Direct { number, .. }) => {
            // Numbers without a register are dropped like null.
            let kind = ArfKind::of_register_number(number).unwrap_or(ArfKind::Null);
            Some((kind, number))
        }
        _ => None,
    }
}

/// The accumulator an instruction names, if it names one.
pub(super) fn explicit_accumulator(instruction: &Instruction) -> Option<u8> {
    let Destination { file, origin, .. } = instruction.destination;
    let sources = instruction.sources.iter().filter_map(|source| match source {
        Source::Register(region) => architecture(region.file, region.origin),
        Source::Immediate { .. } => None,
    });
    sources
        .chain(architecture(file, origin))
        .find(|(kind, _)| *kind == ArfKind::Accumulator)
        .map(|(_, number)| number & 1)
}

/// Whether an operation implicitly writes the accumulator with a defined value. Those that leave
/// it undefined do not touch it here.
fn updates_accumulator(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, Add | Mul | Avg | Mac | Mach | Sad2 | Sada2 | Line | Pln)
}

/// How many of the sources an operation uses.
pub(super) fn used_sources(opcode: Opcode) -> usize {
    use Opcode::*;
    match opcode {
        Mov | Movi | Not | Frc | Rndu | Rndd | Rnde | Rndz | Lzd | Send => 1,
        _ => 2,
    }
}

/// What the lanes of an instruction hold: its execution type, or raw bits.
pub(super) fn lane_kind(instruction: &Instruction) -> Kind {
    let sources = &instruction.sources[..used_sources(instruction.opcode)];
    let types = sources.iter().map(source_type);
    let to = instruction.destination.data_type;
    let moves = matches!(instruction.opcode, Opcode::Mov | Opcode::Sel | Opcode::Movi);
    let plain = sources.iter().all(|source| match source {
        Source::Register(region) => !region.absolute && !region.negate,
        Source::Immediate { .. } => true,
    });
    let same = types.clone().all(|from| from == to);
    let raw = moves && plain && same && !instruction.saturate;
    if raw && explicit_accumulator(instruction).is_none() {
        Kind::Raw
    } else if types.clone().any(DataType::is_float) {
        Kind::Float
    } else {
        Kind::Integer
    }
}

/// The type of a source's elements once expanded.
fn source_type(source: &Source) -> DataType {
    match source {
        Source::Immediate { data_type: DataType::V, .. } => DataType::W,
        Source::Immediate { data_type: DataType::Vf, .. } => DataType::F,
        Source::Immediate { data_type, .. } => *data_type,
        Source::Register(region) => region.data_type,
    }
}

fn lower_native(instruction: &Instruction, context: Context) -> Result<Half, String> {
    let opcode = instruction.opcode;
    let kind = lane_kind(instruction);
    let lanes = usize::from(instruction.execution_size.min(16));
    let words = instruction.sources[..used_sources(opcode)]
        .iter()
        .all(|source| source_type(source).size() <= 2);
    let destination = &instruction.destination;
    let to_accumulator = architecture(destination.file, destination.origin)
        .is_some_and(|(kind, _)| kind == ArfKind::Accumulator);
    let traits = Traits { dword_low_half: source_type(&instruction.sources[0]).size() == 4, words };
    let compute = match kind {
        Kind::Float => compute::float(opcode),
        Kind::Integer | Kind::Raw => compute::integer(opcode, traits),
    };
    let compute = compute
        .ok_or_else(|| format!("{} does not work on these operand types", opcode.mnemonic()))?;
    let second = instruction.compression == Compression::SecHalf;
    let explicit = explicit_accumulator(instruction);
    let implicit = u8::from(second && (lanes <= 8 || !context.early()));
    let accumulator = explicit.unwrap_or(implicit);
    let (target, place) = target(destination);
    let (sources, fetch) = sources(instruction, kind, accumulator, to_accumulator, context);
    let compares = matches!(opcode, Opcode::Cmp | Opcode::Cmpn);
    let mach = opcode == Opcode::Mach;
    Ok(Half {
        run: match moved_source(instruction) {
            Some(0) => Half::select_first_moved,
            Some(_) => Half::select_second_moved,
            None if compares => Half::compare,
            None => Half::general,
        },
        mask: mask_rule(instruction, lanes, upper_half(instruction, context)),
        lanes,
        condition: instruction.condition,
        fetch,
        compute,
        finish: if mach {
            finish::high_half(destination.data_type)
        } else {
            finish::choose(kind, destination.data_type, instruction.saturate)
        },
        write: write::choose(place, destination.data_type.size()),
        accumulator_update: if to_accumulator {
            AccumulatorUpdate::Explicit
        } else if updates_accumulator(opcode) {
            AccumulatorUpdate::Implicit
        } else {
            AccumulatorUpdate::Never
        },
        accumulator,
        accumulator_words: kind != Kind::Float
            && if to_accumulator { destination.data_type.size() <= 2 } else { words },
        reads_accumulator: explicit.is_some()
            || matches!(opcode, Opcode::Mac | Opcode::Mach | Opcode::Sada2)
            || place == write::Place::Architecture,
        target,
        sources,
    })
}

/// Whether an instruction uses the upper half of flags and masks.
pub(super) fn upper_half(instruction: &Instruction, context: Context) -> bool {
    instruction.compression == Compression::SecHalf
        && (instruction.execution_size <= 8 || context.early())
}

/// A source read as one integer: the operand, and the function that reads it.
pub(super) fn scalar(source: &Source, context: Context) -> (Operand, super::micro::Fetch) {
    let mut operand = Operand::absent(context.offset);
    let place = resolve(source, Kind::Integer, false, &mut operand);
    let fetch = fetch::choose(place, source_type(source), Kind::Integer, false);
    (operand, fetch)
}

/// The rule by which an instruction's channels are enabled.
pub(super) fn mask_rule(instruction: &Instruction, lanes: usize, upper_half: bool) -> MaskRule {
    let enables = u16::from(instruction.destination.channel_enable) * 0x1111;
    MaskRule {
        no_mask: instruction.no_mask,
        upper_half,
        select: instruction.opcode == Opcode::Sel,
        predicate: instruction.predicate,
        inverse: instruction.predicate_inverse,
        flag: instruction.flag,
        channels: enables & ((1_u32 << lanes) - 1) as u16,
    }
}

fn target(destination: &Destination) -> (Target, write::Place) {
    let Destination { file, data_type, origin, stride, .. } = *destination;
    let step = usize::from(stride) * data_type.size();
    let from = |start: usize| std::array::from_fn(|channel| (start + channel * step) as u16);
    let indirect = matches!(origin, Origin::Indirect { .. });
    let bounded = match file {
        RegisterFile::Grf => Some((indirect, (GRF_COUNT * REGISTER_BYTES) as u16)),
        RegisterFile::Mrf => Some((indirect, (MRF_COUNT * REGISTER_BYTES) as u16)),
        RegisterFile::Arf => None,
    };
    let mut target = Target { offsets: [0; 16], index: 0, file, number: 0, bounded };
    let place = match (file, origin) {
        (_, Origin::Indirect { subregister, offset }) => {
            target.index = subregister;
            target.offsets = from(0).map(|byte| byte.wrapping_add_signed(offset));
            write::Place::Indirect
        }
        (RegisterFile::Arf, Origin::Direct { number, subregister }) => {
            target.number = number;
            target.offsets = from(usize::from(subregister));
            match ArfKind::of_register_number(number) {
                Some(ArfKind::Null | ArfKind::Accumulator) | None => write::Place::Nowhere,
                Some(_) => write::Place::Architecture,
            }
        }
        (_, Origin::Direct { number, subregister }) => {
            target.offsets = from(origin_byte(number, subregister));
            match file {
                RegisterFile::Mrf => write::Place::Message,
                _ => write::Place::General,
            }
        }
    };
    (target, place)
}

fn origin_byte(number: u8, subregister: u8) -> usize {
    usize::from(number) * REGISTER_BYTES + usize::from(subregister)
}

/// The operands and the functions that read them; the third is the implied one.
fn sources(
    instruction: &Instruction,
    kind: Kind,
    accumulator: u8,
    to_accumulator: bool,
    context: Context,
) -> ([Operand; 3], [super::micro::Fetch; 3]) {
    let absent = Operand::absent(context.offset);
    let mut operands = [absent.clone(), absent.clone(), absent];
    let mut fetch = [fetch::choose(fetch::Place::Nowhere, DataType::Ud, kind, false); 3];
    for index in 0..used_sources(instruction.opcode) {
        let source = &instruction.sources[index];
        let exact = exact_move(instruction, source, to_accumulator);
        let kind = if moved_source(instruction) == Some(index) { Kind::Raw } else { kind };
        let place = resolve(source, kind, exact, &mut operands[index]);
        fetch[index] = fetch::choose(place, source_type(source), kind, exact);
    }
    match instruction.opcode {
        Opcode::Mac | Opcode::Mach | Opcode::Sada2 => {
            operands[2].number = accumulator;
            let place = fetch::Place::Architecture(ArfKind::Accumulator);
            fetch[2] = fetch::choose(place, DataType::F, kind, false);
        }
        Opcode::Line => operands[0].plane(&[0, 12]),
        Opcode::Pln => {
            operands[0].plane(&[0, 4, 12]);
            operands[2] = operands[1].clone();
            // Offsets from an address wrap: they may be negative.
            for byte in &mut operands[2].offsets {
                *byte = byte.wrapping_add(REGISTER_BYTES as u16);
            }
            fetch[2] = fetch[1];
        }
        Opcode::Movi => operands[0].fields(&instruction.destination),
        _ => {}
    }
    if instruction.opcode == Opcode::Movi {
        let from = source_type(&instruction.sources[0]);
        fetch[0] = fetch::choose(fetch::Place::Fields, from, kind, false);
    }
    (operands, fetch)
}

/// Whether a source's own value is moved into an accumulator, although the instruction as a whole
/// is not a raw move.
fn exact_move(instruction: &Instruction, source: &Source, to_accumulator: bool) -> bool {
    instruction.opcode == Opcode::Mov && to_accumulator && is_unmodified(source)
}

fn is_unmodified(source: &Source) -> bool {
    match source {
        Source::Register(region) => !region.absolute && !region.negate,
        Source::Immediate { .. } => true,
    }
}

/// The source of a `sel` that is moved bit for bit because it has the destination's type and no
/// modifier, while the other one is changed on its way (decision D-eu-sel-mixed). An accumulator
/// channel has more digits than a register: it is never moved.
fn moved_source(instruction: &Instruction) -> Option<usize> {
    if instruction.opcode != Opcode::Sel || instruction.saturate {
        return None;
    }
    let is_accumulator = |file, origin| {
        architecture(file, origin).is_some_and(|(kind, _)| kind == ArfKind::Accumulator)
    };
    let destination = &instruction.destination;
    if is_accumulator(destination.file, destination.origin) {
        return None;
    }
    let moved = |index: usize| {
        let source = &instruction.sources[index];
        let in_register = match source {
            Source::Register(region) => !is_accumulator(region.file, region.origin),
            Source::Immediate { .. } => true,
        };
        in_register && is_unmodified(source) && source_type(source) == destination.data_type
    };
    match (moved(0), moved(1)) {
        (true, false) => Some(0),
        (false, true) => Some(1),
        _ => None,
    }
}

/// Resolves a source into an operand; says where its elements are.
fn resolve(source: &Source, kind: Kind, exact: bool, operand: &mut Operand) -> fetch::Place {
    let region = match source {
        Source::Immediate { data_type, bits } => {
            operand.constant = fetch::immediate(*data_type, *bits, kind, exact);
            return fetch::Place::Immediate;
        }
        Source::Register(region) => region,
    };
    operand.absolute = region.absolute;
    operand.negate = region.negate;
    let elements = elements(region.layout);
    let size = region.data_type.size();
    match region.origin {
        Origin::Indirect { subregister, offset } => {
            let (rows, width) = match region.layout {
                Layout::Rows { vertical: None, width, .. } => (true, usize::from(width)),
                _ => (false, 1),
            };
            operand.offsets =
                elements.map(|element| ((element * size) as u16).wrapping_add_signed(offset));
            operand.index = std::array::from_fn(|channel| {
                subregister + if rows { channel / width } else { 0 } as u8
            });
            fetch::Place::Indirect
        }
        Origin::Direct { number, subregister } => {
            let file = architecture(region.file, region.origin);
            let start = match file {
                Some(_) => usize::from(subregister),
                None => origin_byte(number, subregister),
            };
            operand.offsets = elements.map(|element| (start + element * size) as u16);
            operand.number = number;
            match (region.file, file) {
                (_, Some((ArfKind::Null, _))) | (RegisterFile::Mrf, _) => fetch::Place::Nowhere,
                (_, Some((kind, _))) => fetch::Place::Architecture(kind),
                _ => fetch::Place::General,
            }
        }
    }
}

/// The element each channel reads, counted from the origin (or from its row's address).
fn elements(layout: Layout) -> [usize; 16] {
    std::array::from_fn(|channel| match layout {
        Layout::Rows { vertical, width, horizontal } => {
            // Widths are powers of two.
            let (row, column) =
                (channel >> width.trailing_zeros(), channel & (usize::from(width) - 1));
            row * usize::from(vertical.unwrap_or(0)) + column * usize::from(horizontal)
        }
        Layout::Swizzle { vertical, select } => {
            channel / 4 * usize::from(vertical) + usize::from(select[channel % 4])
        }
    })
}

impl Operand {
    fn absent(offset: u32) -> Self {
        Self {
            offsets: [0; 16],
            index: [0; 16],
            absolute: false,
            negate: false,
            number: 0,
            ip: offset,
            constant: [0; 16],
            fields_from: None,
        }
    }

    /// Makes the first lanes the dwords of a plane equation, at bytes from the group's start.
    fn plane(&mut self, bytes: &[u16]) {
        let group = self.offsets[0] / 16 * 16;
        for (offset, byte) in self.offsets.iter_mut().zip(bytes) {
            *offset = group + byte;
        }
    }

    /// Makes each channel read the field at its destination's place, for `movi`.
    fn fields(&mut self, destination: &Destination) {
        let size = destination.data_type.size();
        let start = match destination.origin {
            Origin::Direct { subregister, .. } => usize::from(subregister),
            Origin::Indirect { subregister, offset } => {
                self.fields_from = Some((subregister, offset.cast_unsigned()));
                0
            }
        };
        self.constant = [(REGISTER_BYTES - size) as u64; 16];
        for (channel, index) in self.index.iter_mut().enumerate() {
            *index = (start / size + channel * usize::from(destination.stride)) as u8;
        }
    }
}
