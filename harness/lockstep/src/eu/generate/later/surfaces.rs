//! Surfaces of Gen7 and later and the messages that reach them: what sampler messages share with those to typed
//! surfaces and render targets.

use std::ops::Range;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        DataType, Instruction, Opcode, State,
        instruction::{Descriptor, ExtendedDescriptor, Message, Predicate, PredicateControl},
        operand::{Destination, DestinationRegion, Register, Source},
    },
    shared::{Environment, environment::surface_state_dwords, memory::GRAPHICS_BYTES},
    surface::{Format, Numeric},
};

use super::{Later, data_cache::packed, registers::grf};
use crate::eu::hardware_state::{HardwareState, TexelSurface, Tiling};

/// The code of a type of surfaces.
pub(super) type Kind = u32;
pub(super) const LINE: Kind = 0;
pub(super) const PLANE: Kind = 1;
pub(super) const VOLUME: Kind = 2;
pub(super) const CUBE: Kind = 3;
pub(super) const BUFFER: Kind = 4;
pub(super) const NULL: Kind = 7;

/// Most registers of the first part of a message.
const LONGEST_PART: usize = 15;

/// Whether texels of a format are integers.
pub(super) fn has_integers(format: &Format) -> bool {
    let is_integer = |numeric| matches!(numeric, Numeric::Uint | Numeric::Sint);
    format.layout.components().any(|component| is_integer(component.numeric))
}

/// How the texels of a type and format lie, by a number below 4.
pub(super) fn tiling(kind: Kind, format: &Format, number: usize) -> Tiling {
    // Elements of 96 bits and the like are not tiled.
    let takes_tiles = kind != LINE && format.block.bytes.is_power_of_two();
    match number {
        0 if takes_tiles => Tiling::X,
        1 if takes_tiles => Tiling::Y,
        _ => Tiling::Linear,
    }
}

/// Gives a surface its place and pitch in graphics memory, with the slices before its own, and makes it smaller until it is
/// there: levels first, then slices before it, then sizes. A linear one begins at `offset`, one of tiles at `tile`.
pub(super) fn fit(
    mut surface: TexelSurface,
    generation: Generation,
    first_element: &mut u32,
    [offset, tile]: [u32; 2],
) -> TexelSurface {
    loop {
        let (tile_bytes, tile_rows, base) = match surface.tiling {
            Tiling::Linear => (1, 1, offset),
            Tiling::X => (512, 8, tile),
            Tiling::Y => (128, 32, tile),
        };
        let is_cube = surface.kind == CUBE;
        let faces = if is_cube { 6 } else { 1 };
        let [columns, rows] = surface.extent(generation, *first_element + faces * surface.depth);
        let row = columns * u32::from(surface.format.block.bytes);
        (surface.base, surface.pitch) = (base, row.next_multiple_of(tile_bytes));
        let bytes = u64::from(surface.pitch) * u64::from(rows.next_multiple_of(tile_rows));
        if u64::from(base) + bytes <= GRAPHICS_BYTES as u64 {
            return surface;
        }
        let TexelSurface { width, height, depth, levels, first_level, .. } = &mut surface;
        if *levels > 1 {
            *levels -= 1;
        } else if *first_level > 0 {
            *first_level -= 1;
        } else if *first_element > 0 {
            *first_element -= 1;
        } else if *depth > 1 {
            *depth /= 2;
        } else if is_cube && *width > 1 {
            *width /= 2;
            *height = *width;
        } else if *height > 1 {
            *height /= 2;
        } else if *width > 1 {
            *width /= 2;
        } else {
            // The six faces of a cube of Gen7 are too far apart for tiles.
            surface.tiling = Tiling::Linear;
        }
    }
}

/// Sets the fields of a buffer of so many elements, which lie so many bytes further apart than they need.
pub(super) fn describe_buffer(
    state: &mut HardwareState,
    format: &Format,
    base: u32,
    (entries, more): (u32, u32),
) {
    let last = entries - 1;
    state
        .set("Surface Type", BUFFER)
        .set("Surface Format", format.code.into())
        .set("Surface Base Address", base)
        .set("Width", last & 0x7F)
        .set("Height", last >> 7)
        .set("Surface Pitch", u32::from(format.block.bytes) - 1 + more);
}

/// Sets the fields of a null surface.
pub(super) fn describe_null(state: &mut HardwareState, format: &Format) {
    state.set("Surface Type", NULL).set("Surface Format", format.code.into());
}

/// A binding table that begins at a dword, with some surface states from an index on. The low bits of entries, of which some
/// are given, are not looked at.
pub(super) fn environment<'s>(
    device: Device,
    states: impl Iterator<Item = &'s Vec<u32>> + Clone,
    first: usize,
    (table, mut low_bits): (usize, impl FnMut() -> u32),
) -> Environment {
    let dwords = device.generation().map_or(8, surface_state_dwords);
    let table = dwords * table;
    let entries = first + states.clone().count();
    let mut heap = vec![0; table + entries.next_multiple_of(dwords)];
    for (number, state) in states.enumerate() {
        heap[table + first + number] = (4 * heap.len() as u32) | low_bits();
        heap.extend(state);
    }
    Environment { surface_states: heap, binding_table: 4 * table as u32, ..Environment::default() }
}

/// Puts registers into general registers.
pub(super) fn put(first: usize, registers: &[[u32; 8]], state: &mut State) {
    for (register, dwords) in state.grf[first..].iter_mut().zip(registers) {
        register.copy_from_slice(dwords.map(u32::to_le_bytes).as_flattened());
    }
}

/// A message with its payload.
#[derive(Debug)]
pub(super) struct SurfaceMessage {
    /// Header, if it has one, and parameters.
    pub(super) registers: Vec<[u32; 8]>,
    pub(super) function: u8,
    /// The descriptor without its lengths.
    pub(super) descriptor: u32,
    /// The extended descriptor without its length.
    pub(super) extended: u32,
    /// Registers of the reply.
    pub(super) returned: usize,
    /// Channels of the send.
    pub(super) channels: u8,
}

impl Later<'_, '_> {
    /// The instruction that puts the descriptor of a send into `a0.0`, where that is to be.
    pub(super) fn load_descriptor_of(&mut self, send: &mut Instruction) -> Option<Instruction> {
        let message = send.message.as_mut()?;
        let Descriptor::Immediate(bits) = message.descriptor else { return None };
        if !self.choices.sometimes(30) {
            return None;
        }
        message.descriptor = Descriptor::Address;
        Some(self.load_doubleword(0, bits))
    }

    /// The send of a message whose payload begins at a general register, in two parts where that is possible; the reply goes
    /// to some of `replies`.
    pub(super) fn send_to_surface(
        &mut self,
        message: &SurfaceMessage,
        first: usize,
        replies: Range<usize>,
        end_of_thread: bool,
    ) -> Instruction {
        let length = message.registers.len();
        let is_split = self.is_gen12() || !self.is_gen7() && self.choices.sometimes(128);
        let second_part = if is_split { self.choices.below(length) } else { 0 };
        let second_part = second_part.max(length.saturating_sub(LONGEST_PART));
        let first_part = length - second_part;
        let lengths = (first_part << 25 | message.returned << 20) as u32;
        let opcode = match (is_split && !self.is_gen12(), self.choices.sometimes(40)) {
            (false, false) => Opcode::Send,
            (false, true) => Opcode::Sendc,
            (true, false) => Opcode::Sends,
            (true, true) => Opcode::Sendsc,
        };
        let second = match (is_split, second_part) {
            (false, _) => Source::ABSENT,
            (true, 0) => packed(Register::NULL),
            (true, _) => packed(grf((first + first_part) as u8, 0)),
        };
        let predicate = match self.choices.sometimes(110) {
            true => Predicate {
                control: PredicateControl::Sequential,
                inverse: self.choices.sometimes(80),
            },
            false => Predicate::default(),
        };
        let register = match message.returned {
            0 => Register::NULL,
            returned => {
                let place = self.choices.below(replies.len() - returned);
                grf((replies.start + place) as u8, 0)
            }
        };
        Instruction {
            execution_size: message.channels,
            no_mask: self.choices.sometimes(60),
            first_channel: self.group(message.channels),
            predicate,
            flag_register: self.choices.byte() & 1,
            destination: Destination {
                register,
                data_type: DataType::Ud,
                region: DestinationRegion::Stride(1),
            },
            sources: [packed(grf(first as u8, 0)), second, Source::ABSENT],
            message: Some(Message {
                current_destination: 0,
                descriptor: Descriptor::Immediate(lengths | message.descriptor),
                shared_function: message.function,
                extended: ExtendedDescriptor::Immediate(
                    message.extended | (second_part << 6) as u32,
                ),
                fusion_control: false,
                end_of_thread,
            }),
            ..Instruction::bare(opcode)
        }
    }
}
