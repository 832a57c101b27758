//! One data instruction after the other, legal by construction.

use std::{collections::HashMap, iter::repeat_n, sync::LazyLock};

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        DataType, Instruction, Opcode,
        instruction::{
            AccessMode, Compression, ConditionalModifier, Predicate, PredicateControl,
            ThreadControl,
        },
        opcode::Format,
        operand::{
            Destination, DestinationRegion, Region, Register, Source, SourceModifier,
            VerticalStride,
        },
        register::RegisterFile,
    },
};

use super::{
    combinations::{self, Combination},
    operands::{accumulator, address_register, is_accumulator, switches},
    shape::{MOST_DRAWN, OTHERS},
    straight::{Draft, Straight},
    weights::weighted,
};

/// The operations of a device, each as often as its weight says.
static OPCODES: LazyLock<HashMap<Device, Vec<Opcode>>> = LazyLock::new(|| {
    let of_device = |device: Device| {
        let opcodes = weighted(device).flat_map(|(opcode, weight)| repeat_n(opcode, weight));
        (device, opcodes.collect())
    };
    Device::GEN4.map(of_device).into()
});

impl Straight<'_, '_> {
    /// The next instruction.
    pub(in crate::eu) fn instruction(&mut self) -> Instruction {
        if let Some(pending) = self.pending.take() {
            return pending;
        }
        self.piece();
        if self.choices.sometimes(10) {
            return self.load_address();
        }
        let opcode = *self.choices.pick(&OPCODES[&self.device]);
        if opcode == Opcode::Nop {
            return Instruction::bare(opcode);
        }
        if opcode == Opcode::Illegal {
            // Its exception is off: it sets a status bit.
            return Instruction::bare(opcode);
        }
        if opcode == Opcode::Send {
            return self.send();
        }
        let types = *self.choices.pick(combinations::of(opcode));
        self.operation(opcode, types)
    }

    /// The next instruction of a program that has none but those that are accepted, most of them of some operations;
    /// `None` if none of many is accepted.
    pub(super) fn instruction_within(
        &mut self,
        operations: &[(Opcode, Vec<Combination>)],
        accepts: &dyn Fn(&Instruction) -> bool,
    ) -> Option<Instruction> {
        for _ in 0..MOST_DRAWN {
            let known = (self.addresses, self.logic_results);
            let any = self.pending.is_some() || operations.is_empty();
            let instruction = if any || self.choices.sometimes(OTHERS) {
                self.instruction()
            } else {
                let (opcode, types) = self.choices.pick(operations);
                let types = *self.choices.pick(types);
                self.operation(*opcode, types)
            };
            if accepts(&instruction) {
                return Some(instruction);
            }
            // What it leaves behind does not happen, and what builds on it makes no sense.
            (self.addresses, self.logic_results) = known;
            self.pending = None;
        }
        None
    }

    /// The operations of a device with the types that an engine has, each as often as its weight says.
    pub(super) fn operations_within(
        device: Device,
        has: &dyn Fn(Opcode, DataType, &[DataType]) -> bool,
    ) -> Vec<(Opcode, Vec<Combination>)> {
        let of = |opcode: &Opcode| {
            let all = combinations::of(*opcode).iter();
            let types = all.filter(|types| has(*opcode, types.destination, &types.sources));
            (*opcode, types.copied().collect::<Vec<_>>())
        };
        let is_data =
            |opcode: &&Opcode| !matches!(opcode, Opcode::Nop | Opcode::Illegal | Opcode::Send);
        let data = OPCODES[&device].iter().filter(is_data);
        data.map(of).filter(|(_, types)| !types.is_empty()).collect()
    }

    /// Operations with their types, first that of the destination.
    pub(super) fn typed(operations: &[(Opcode, Vec<Combination>)]) -> Vec<(Opcode, Vec<DataType>)> {
        let of = |(opcode, combinations): &(Opcode, Vec<Combination>)| {
            let sources = if opcode.format() == Format::Unary { 1 } else { 2 };
            let typed =
                |types: &Combination| [&[types.destination], &types.sources[..sources]].concat();
            let opcode = *opcode;
            combinations.iter().map(move |types| (opcode, typed(types))).collect::<Vec<_>>()
        };
        operations.iter().flat_map(of).collect()
    }

    /// An instruction of an operation and types.
    fn operation(&mut self, opcode: Opcode, types: Combination) -> Instruction {
        // Some types leave no way to write the destination in one access mode: the other is tried,
        // then a plain move.
        let align16 = opcode != Opcode::Movi && self.choices.sometimes(40);
        let instruction = self.attempt(opcode, types, align16);
        let instruction =
            instruction.or_else(|| self.attempt(opcode, types, opcode != Opcode::Movi && !align16));
        let instruction = instruction.unwrap_or_else(|| Instruction::bare(Opcode::Nop));
        // An accumulator that was last written in another mode has no defined value.
        let setting = self.accumulator_setting(&instruction, types);
        match setting.filter(|_| self.choices.sometimes(253)) {
            Some(setting) => {
                self.pending = Some(instruction);
                setting
            }
            None => instruction,
        }
    }

    /// A move that gives the accumulator an instruction reads a value of its mode; none for logic,
    /// which reads any bits, and for an instruction that reads none.
    fn accumulator_setting(
        &mut self,
        reader: &Instruction,
        types: Combination,
    ) -> Option<Instruction> {
        use Opcode::{And, Mac, Mach, Not, Or, Sada2, Xor};
        let named = match reader.sources[0] {
            Source::Register { register, .. } => Some(register).filter(|r| is_accumulator(*r)),
            Source::Immediate { .. } => None,
        };
        let implicit = matches!(reader.opcode, Mac | Mach | Sada2);
        if named.is_none() && !implicit || matches!(reader.opcode, And | Or | Xor | Not) {
            return None;
        }
        let data_type = types.execution_type();
        let second = u8::from(reader.compression == Compression::SecHalf);
        let register = named.unwrap_or(accumulator(second));
        let compressed = reader.compression == Compression::Compressed;
        let width = reader.execution_size >> u8::from(compressed);
        let region = match width {
            1 => Region::SCALAR,
            width => {
                Region::Align1 { vertical: VerticalStride::Elements(width), width, horizontal: 1 }
            }
        };
        let number = self.choices.below(12) as u8 & !u8::from(compressed);
        let from = Register::Direct { file: RegisterFile::Grf, number, subregister: 0 };
        // A float with a modifier is not moved bit by bit: of a denormal, which an accumulator has none of, it makes
        // a zero.
        let absolute = data_type.is_float() && self.choices.sometimes(128);
        let modifier = SourceModifier { absolute, negate: data_type.is_float() && !absolute };
        let source = Source::Register { register: from, data_type, region, modifier };
        let instruction = Instruction {
            execution_size: reader.execution_size,
            no_mask: true,
            compression: if compressed { Compression::Compressed } else { Compression::None },
            destination: Destination { register, data_type, region: DestinationRegion::Stride(1) },
            sources: [source, Source::null(DataType::Ud), Source::ABSENT],
            ..Instruction::bare(Opcode::Mov)
        };
        self.note_effects(&instruction);
        Some(instruction)
    }

    fn attempt(
        &mut self,
        opcode: Opcode,
        types: Combination,
        align16: bool,
    ) -> Option<Instruction> {
        let draft = self.draft(opcode, types, align16);
        let saved = self.logic_results;
        let mut instruction = Instruction {
            execution_size: draft.execution_size,
            access_mode: if align16 { AccessMode::Align16 } else { AccessMode::Align1 },
            no_mask: self.choices.sometimes(90),
            compression: self.compression(&draft),
            predicate: self.predicate(opcode, align16),
            condition: self.condition(&draft),
            flag_subregister: self.choices.byte() & 1,
            saturate: false,
            no_dd_clear: self.choices.sometimes(4),
            no_dd_check: self.choices.sometimes(4),
            thread_control: if self.choices.sometimes(6) {
                ThreadControl::Switch
            } else {
                ThreadControl::Normal
            },
            ..Instruction::bare(opcode)
        };
        let sources = self.sources(&draft)?;
        let Some(destination) = self.destination(&draft, &sources) else {
            self.logic_results = saved;
            return None;
        };
        let single = opcode.format() == Format::Unary;
        instruction.sources = [sources[0].operand, sources[1].operand, Source::ABSENT];
        if single {
            instruction.sources[1] = Source::null(match sources[0].operand {
                Source::Immediate { data_type, .. } => data_type,
                Source::Register { .. } => DataType::Ud,
            });
        }
        instruction.destination = destination;
        if is_accumulator(destination.register) && !self.choices.sometimes(24) {
            // A channel that is off has no defined value in an accumulator.
            instruction.no_mask = true;
            if opcode != Opcode::Sel {
                instruction.predicate = Predicate::default();
            }
        }
        instruction.saturate = self.saturate(&draft, &destination);
        if sources.iter().any(|source| source.needs_switch) || needs_switch(&destination) {
            instruction.thread_control = ThreadControl::Switch;
        }
        self.note_effects(&instruction);
        Some(instruction)
    }

    /// Number of channels and compression that suit an operation and its types.
    fn draft(&mut self, opcode: Opcode, types: Combination, align16: bool) -> Draft {
        use Opcode::*;
        let most: u8 = if types.widest() >= 4 || opcode == Lzd { 8 } else { 16 };
        let least: u8 = match opcode {
            Dp2 | Dp3 | Dp4 | Dph => 4,
            Line | Pln => 8,
            Sad2 | Sada2 => 2,
            _ => 1,
        };
        let compressible = !align16 && !matches!(opcode, Movi | Sad2 | Sada2);
        if compressible && self.choices.sometimes(60) {
            let second_accumulator = self.device.generation() != Some(Generation::Gen4)
                || !matches!(opcode, Mac | Mach | Sada2);
            let wide = most == 16 && second_accumulator && self.choices.sometimes(128);
            let execution_size = if wide { 32 } else { 16 };
            return Draft { opcode, types, execution_size, compressed: true, align16 };
        }
        let most = if opcode == Movi { 8 } else { most };
        let sizes = [8, most, 4, most, 1, 8, most, 2];
        let execution_size = (*self.choices.pick(&sizes)).max(least);
        Draft { opcode, types, execution_size, compressed: false, align16 }
    }

    fn compression(&mut self, draft: &Draft) -> Compression {
        if draft.compressed {
            Compression::Compressed
        } else if draft.execution_size <= 8 && self.choices.sometimes(16) {
            Compression::SecHalf
        } else {
            Compression::None
        }
    }

    pub(in crate::eu) fn predicate(&mut self, opcode: Opcode, align16: bool) -> Predicate {
        use PredicateControl::*;
        const ALIGN1: &[PredicateControl] = &[
            Sequential, Sequential, AnyV, AllV, Any2H, All2H, Any4H, All4H, Any8H, All8H, Any16H,
            All16H,
        ];
        const ALIGN16: &[PredicateControl] =
            &[Sequential, Sequential, ReplicateX, ReplicateY, ReplicateZ, ReplicateW, Any4H, All4H];
        if opcode != Opcode::Sel && !self.choices.sometimes(100) {
            return Predicate::default();
        }
        let control = *self.choices.pick(if align16 { ALIGN16 } else { ALIGN1 });
        Predicate { control, inverse: self.choices.sometimes(80) }
    }

    fn condition(&mut self, draft: &Draft) -> ConditionalModifier {
        use ConditionalModifier::*;
        const COMPARISONS: &[ConditionalModifier] =
            &[Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual];
        const ALL: &[ConditionalModifier] = &[
            Equal,
            NotEqual,
            Greater,
            GreaterEqual,
            Less,
            LessEqual,
            RoundIncrement,
            Overflow,
            Unordered,
        ];
        match draft.opcode {
            Opcode::Cmp | Opcode::Cmpn => *self.choices.pick(COMPARISONS),
            Opcode::Sel => None,
            Opcode::Mul if draft.types.execution_type() == DataType::D => None,
            Opcode::Rndu | Opcode::Rnde | Opcode::Rndz if self.choices.sometimes(96) => {
                RoundIncrement
            }
            _ if self.choices.sometimes(64) => *self.choices.pick(ALL),
            _ => None,
        }
    }

    fn saturate(&mut self, draft: &Draft, destination: &Destination) -> bool {
        use Opcode::*;
        let never = matches!(draft.opcode, And | Or | Xor | Not | Cmp | Cmpn | Frc | Mach)
            || draft.opcode == Mul && draft.types.execution_type() == DataType::D
            || draft.types.unpredictable_saturation
            // What is shifted out is more than a channel holds, mostly: that saturates to nothing defined.
            || draft.opcode == Shl && !self.choices.sometimes(48)
            // A mov of bytes without change may pack them; one that saturates may not.
            || draft.opcode == Mov
                && draft.types.destination.size() == 1
                && draft.types.sources[0] == draft.types.destination
            || is_accumulator(destination.register);
        !never && self.choices.sometimes(64)
    }

    /// `mov (1) a0.n:uw address`, so that indirect operands have somewhere to point.
    fn load_address(&mut self) -> Instruction {
        let subregister = self.choices.below(8);
        let mut address = 32 * self.choices.below(128) as u16 + 4 * self.choices.below(8) as u16;
        if self.choices.sometimes(32) {
            address |= 1 + self.choices.below(3) as u16;
        }
        if subregister < 2 && self.choices.sometimes(64) {
            address |= u16::from(self.choices.byte()) << 12;
        }
        self.addresses[subregister] = Some(address);
        let bits = u32::from(address) * 0x1_0001;
        Instruction {
            no_mask: true,
            destination: Destination {
                register: address_register(subregister),
                data_type: DataType::Uw,
                region: DestinationRegion::Stride(1),
            },
            sources: [
                Source::Immediate { data_type: DataType::Uw, bits: bits.into() },
                Source::null(DataType::Uw),
                Source::ABSENT,
            ],
            ..Instruction::bare(Opcode::Mov)
        }
    }
}

/// Whether writing a destination needs a thread switch.
fn needs_switch(destination: &Destination) -> bool {
    switches(destination.register)
}
