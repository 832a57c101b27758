//! Operands that the address register points to.

use parallax_isa::{
    Device,
    eu::{
        DataType, Instruction, Opcode, State,
        operand::{Destination, DestinationRegion, Region, Register, Source, VerticalStride},
        register::{ArfKind, RegisterFile},
    },
};

use super::{
    Later,
    draft::Draft,
    registers::{address_count, architecture},
    shapes::Shape,
    sources::Drafted,
};
use crate::random::SplitMix64;

const BYTES: i32 = 128 * 32;
const REACH: i32 = 512;

/// Gives the address register useful contents.
pub(in crate::eu) fn fill(random: &mut SplitMix64, device: Device, state: &mut State) {
    for address in &mut state.address[..address_count(device)] {
        let within = random.below(8) * 4 * (random.next() & 1);
        let odd = if random.next() & 7 == 0 { random.below(4) } else { 0 };
        *address = (random.below(120) * 32 + within + odd) as u16;
    }
}

impl Later<'_, '_> {
    /// `mov (1) a0.n:uw address`, so that indirect operands have somewhere to point.
    pub(super) fn load_address(&mut self) -> Instruction {
        let subregister = self.choices.below(address_count(self.device));
        let mut address = 32 * self.choices.below(128) as u16 + 4 * self.choices.below(8) as u16;
        if self.choices.sometimes(24) {
            address |= 1 + self.choices.below(3) as u16;
        }
        if self.choices.sometimes(32) {
            address |= (self.choices.below(16) as u16) << 12;
        }
        // Bits above these are not looked at.
        let used = if self.is_gen7() { 0x0FFF } else { 0x1FFF };
        if i32::from(address & used) >= BYTES {
            // Beyond the registers: negative offsets lead back.
            address &= 0xF000 | (REACH as u16 - 1);
        }
        self.addresses[subregister] = Some(address & used);
        Instruction {
            no_mask: true,
            destination: Destination {
                register: architecture(ArfKind::Address, 0, 2 * subregister as u8),
                data_type: DataType::Uw,
                region: DestinationRegion::Stride(1),
            },
            sources: [
                Source::Immediate { data_type: DataType::Uw, bits: u64::from(address) * 0x1_0001 },
                Source::ABSENT,
                Source::ABSENT,
            ],
            ..Instruction::bare(Opcode::Mov)
        }
    }

    fn offset(&mut self) -> i32 {
        match self.choices.byte() & 3 {
            0 => 0,
            _ => self.choices.below(2 * REACH as usize) as i32 - REACH,
        }
    }

    /// A region where the address register points to, or one whose rows are there.
    pub(super) fn indirect(
        &mut self,
        draft: &Draft,
        index: usize,
        shape: Shape,
    ) -> Option<(Register, Region)> {
        let size = draft.types.sources[index].size() as i32;
        if matches!(draft.opcode(), Opcode::Line | Opcode::Pln) || draft.is_mixed() {
            return None;
        }
        if index == 0 && !draft.pairs && self.choices.sometimes(96) {
            return self.rows(draft, shape, size);
        }
        // The same bytes of a register, of the one that is pointed to.
        let subregister = self.choices.below(address_count(self.device));
        let address = i32::from(self.addresses[subregister]?);
        let registers = 1 + i32::from(shape.spans_two());
        let wanted = (address + self.offset()).clamp(0, BYTES - 32 * registers) / 32 * 32
            + i32::from(shape.origin);
        let offset = wanted - address;
        let register = Register::Indirect {
            file: RegisterFile::Grf,
            address_subregister: subregister as u8,
            offset: i16::try_from(offset).ok().filter(|_| (-REACH..REACH).contains(&offset))?,
        };
        Some((register, shape.region()))
    }

    /// Rows that each start where an address subregister of their own points to.
    fn rows(&mut self, draft: &Draft, shape: Shape, size: i32) -> Option<(Register, Region)> {
        let most = if self.is_gen7() { 8 } else { 16 };
        let width = shape.width.min(draft.channels);
        let rows = usize::from(draft.channels / width);
        if draft.channels > most || rows > address_count(self.device) || draft.execution.size() == 8
        {
            return None;
        }
        // Subregisters are aligned to their number.
        let first = self.choices.below(address_count(self.device) / rows) * rows;
        let offset = self.offset() / size * size;
        let horizontal = if width == 1 { 0 } else { shape.horizontal };
        let length = (i32::from(width) - 1) * i32::from(horizontal) * size + size;
        let fits = |address: &Option<u16>| {
            address.is_some_and(|address| {
                let start = i32::from(address) + offset;
                start % size == 0 && start >= 0 && start % 32 + length <= 32 && start < BYTES
            })
        };
        if !self.addresses[first..first + rows].iter().all(fits) {
            return None;
        }
        let register = Register::Indirect {
            file: RegisterFile::Grf,
            address_subregister: first as u8,
            offset: offset as i16,
        };
        let vertical = VerticalStride::PerRowAddress;
        Some((register, Region::Align1 { vertical, width, horizontal }))
    }

    /// A destination where an address subregister points to: the same bytes of another register.
    pub(super) fn indirect_destination(
        &mut self,
        draft: &Draft,
        origin: u8,
        end: u16,
    ) -> Option<Register> {
        if draft.is_mixed() {
            return None;
        }
        let subregister = self.choices.below(address_count(self.device));
        let address = i32::from(self.addresses[subregister]?);
        let registers = if end > 32 { 2 } else { 1 };
        let wanted = (address + self.offset()).clamp(0, BYTES - 32 * registers) / 32 * 32
            + i32::from(origin);
        let offset = wanted - address;
        Some(Register::Indirect {
            file: RegisterFile::Grf,
            address_subregister: subregister as u8,
            offset: i16::try_from(offset).ok().filter(|_| (-REACH..REACH).contains(&offset))?,
        })
    }

    /// The beginning of a register below another one, at most 16 registers from where an address subregister
    /// points to; `sends` counts that in sixteenths.
    pub(super) fn pointed_to(&mut self, end: usize, in_sixteenths: bool) -> Option<Register> {
        let subregister = self.choices.below(address_count(self.device));
        let address = i32::from(self.addresses[subregister]?);
        let register = address / 32 + self.choices.below(32) as i32 - 16;
        let offset = 32 * register - address;
        let is_named = (0..end as i32).contains(&register) && (-REACH..REACH).contains(&offset);
        let is_encoded = !in_sixteenths || offset % 16 == 0;
        (is_named && is_encoded).then_some(Register::Indirect {
            file: RegisterFile::Grf,
            address_subregister: subregister as u8,
            offset: offset as i16,
        })
    }

    /// The source of `movi`: bytes of one register, an address each.
    pub(super) fn gathered(&mut self, draft: &Draft) -> Option<Drafted> {
        let data_type = draft.types.sources[0];
        let size = data_type.size() as u16;
        let reachable = |address: &Option<u16>| {
            address.is_some_and(|at| at % size == 0 && i32::from(at) < BYTES)
        };
        if !self.addresses[..usize::from(draft.channels)].iter().all(reachable) {
            return None;
        }
        let register =
            Register::Indirect { file: RegisterFile::Grf, address_subregister: 0, offset: 0 };
        let modifier = self.modifier(draft, 0);
        let operand = Source::Register { register, data_type, region: Region::SCALAR, modifier };
        Some(Drafted::of(operand))
    }
}
