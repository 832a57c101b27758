//! Programs from a few words: what the kernels are written with.

use parallax_isa::{
    Device,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        encode::encode,
        instruction::{
            Compression, ConditionalModifier, Predicate, PredicateControl, ThreadControl,
        },
        operand::{
            Destination, DestinationRegion, Region, Register, Source, SourceModifier,
            VerticalStride,
        },
        register::RegisterFile,
    },
};

/// Register number of `ip`.
const IP: u8 = 0xA0;

/// A program being written.
pub(super) struct Program {
    device: Device,
    instructions: Vec<Instruction>,
}

/// A packed region that starts at a register.
pub(super) fn packed(number: u8, data_type: DataType) -> Source {
    at(number, 0, data_type, Region::PACKED8)
}

/// A packed region of 16 words.
pub(super) fn words(number: u8) -> Source {
    elements(number, DataType::W)
}

/// A packed region of 16 elements in one row.
pub(super) fn elements(number: u8, data_type: DataType) -> Source {
    let region =
        Region::Align1 { vertical: VerticalStride::Elements(16), width: 16, horizontal: 1 };
    at(number, 0, data_type, region)
}

/// The low words of eight doublewords.
pub(super) fn spread(number: u8) -> Source {
    let region = Region::Align1 { vertical: VerticalStride::Elements(16), width: 8, horizontal: 2 };
    at(number, 0, DataType::W, region)
}

/// One element for all channels.
pub(super) fn scalar(number: u8, subregister: u8, data_type: DataType) -> Source {
    at(number, subregister, data_type, Region::SCALAR)
}

/// A region of neighbouring elements in one row.
pub(super) fn row(number: u8, subregister: u8, data_type: DataType, width: u8) -> Source {
    let region = Region::Align1 { vertical: VerticalStride::Elements(width), width, horizontal: 1 };
    at(number, subregister, data_type, if width == 1 { Region::SCALAR } else { region })
}

fn at(number: u8, subregister: u8, data_type: DataType, region: Region) -> Source {
    let register = Register::Direct { file: RegisterFile::Grf, number, subregister };
    Source::Register { register, data_type, region, modifier: SourceModifier::default() }
}

/// A source subtracted instead of added.
pub(super) fn minus(source: Source) -> Source {
    match source {
        Source::Register { register, data_type, region, modifier } => Source::Register {
            register,
            data_type,
            region,
            modifier: SourceModifier { negate: !modifier.negate, ..modifier },
        },
        immediate @ Source::Immediate { .. } => immediate,
    }
}

/// A float constant.
pub(super) fn float(value: f32) -> Source {
    Source::Immediate { data_type: DataType::F, bits: value.to_bits().into() }
}

/// A word constant.
pub(super) fn word(value: i16) -> Source {
    let low = u64::from(value.cast_unsigned());
    Source::Immediate { data_type: DataType::W, bits: low << 16 | low }
}

/// A doubleword constant.
pub(super) fn dword(value: i32) -> Source {
    Source::Immediate { data_type: DataType::D, bits: value.cast_unsigned().into() }
}

/// A general register as destination, packed.
pub(super) fn to(number: u8, subregister: u8, data_type: DataType) -> Destination {
    let register = Register::Direct { file: RegisterFile::Grf, number, subregister };
    Destination { register, data_type, region: DestinationRegion::Stride(1) }
}

impl Program {
    /// An empty program for a device.
    pub(super) fn on(device: Device) -> Self {
        Self { device, instructions: Vec::new() }
    }

    /// Adds an instruction; channels beyond a register's worth make it a compressed one.
    pub(super) fn add(
        &mut self,
        opcode: Opcode,
        size: u8,
        destination: Destination,
        sources: &[Source],
    ) -> &mut Instruction {
        let mut instruction = Instruction::bare(opcode);
        instruction.execution_size = size;
        instruction.destination = destination;
        let widest = sources.iter().map(|source| source.data_type().size());
        let widest = widest.max().unwrap_or(4).max(destination.data_type.size());
        let has_compression = Device::GEN4.contains(&self.device);
        if has_compression && usize::from(size) * widest > 32 {
            instruction.compression = Compression::Compressed;
        }
        instruction.sources[0] = sources[0];
        instruction.sources[1] = match sources.get(1) {
            Some(second) => *second,
            None => Source::null(sources[0].data_type()),
        };
        self.instructions.push(instruction);
        self.instructions.last_mut().expect("just added")
    }

    /// Adds a comparison that writes `f0.0`.
    pub(super) fn compare(&mut self, condition: ConditionalModifier, size: u8, sources: &[Source]) {
        let null = Destination::null(sources[0].data_type());
        self.add(Opcode::Cmp, size, null, sources).condition = condition;
    }

    /// Adds a select of the larger source, as the manual's macro writes it.
    pub(super) fn maximum(&mut self, size: u8, destination: Destination, sources: &[Source]) {
        let null = Destination::null(sources[0].data_type());
        let compare = self.add(Opcode::Cmpn, size, null, sources);
        compare.condition = ConditionalModifier::GreaterEqual;
        self.add(Opcode::Sel, size, destination, sources).predicate = flagged();
    }

    /// The place the next instruction will have.
    pub(super) fn here(&self) -> usize {
        self.instructions.len()
    }

    /// Adds a branch; its exit code is set by `lead`.
    pub(super) fn branch(&mut self, opcode: Opcode, size: u8, predicate: Predicate) -> usize {
        let mut instruction = Instruction::bare(opcode);
        instruction.execution_size = size;
        instruction.thread_control = ThreadControl::Normal;
        if !matches!(opcode, Opcode::Do) {
            let ip = Register::Direct { file: RegisterFile::Arf, number: IP, subregister: 0 };
            if opcode != Opcode::Endif {
                instruction.destination = Destination {
                    register: ip,
                    data_type: DataType::Ud,
                    region: DestinationRegion::Stride(1),
                };
                instruction.sources[0] = Source::Register {
                    register: ip,
                    data_type: DataType::Ud,
                    region: Region::SCALAR,
                    modifier: SourceModifier::default(),
                };
            }
            let code = if matches!(opcode, Opcode::Endif | Opcode::Else) { 1 << 16 } else { 0 };
            instruction.sources[1] = Source::Immediate { data_type: DataType::D, bits: code };
        }
        instruction.predicate = predicate;
        self.instructions.push(instruction);
        self.instructions.len() - 1
    }

    /// Makes a branch lead to a place, leaving a number of ifs on the way.
    pub(super) fn lead(&mut self, branch: usize, place: usize, pops: u32) {
        let distance = (place as i64 - branch as i64) as u64 & 0xFFFF;
        if let Source::Immediate { bits, .. } = &mut self.instructions[branch].sources[1] {
            *bits = (*bits).max(u64::from(pops) << 16) & 0xFFFF_0000 | distance;
        }
    }

    /// The case that runs the program from a state.
    ///
    /// # Panics
    /// If an instruction cannot be encoded, which no kernel's is.
    pub(super) fn case(&self, state: State) -> Case {
        let encoded = self.instructions.iter().flat_map(|instruction| {
            encode(self.device, instruction).expect("kernels use what can be encoded")
        });
        let grf = state.grf;
        let state = Box::new(State { grf, ..State::of(self.device) });
        Case::new(self.device, encoded.collect(), state, 10_000_000)
    }
}

/// Predication by `f0.0`, channel by channel.
pub(super) fn flagged() -> Predicate {
    Predicate { control: PredicateControl::Sequential, inverse: false }
}

/// A state whose registers hold numbers made by a function of their index.
pub(super) fn state<const SIZE: usize>(element: impl Fn(usize) -> [u8; SIZE]) -> State {
    let mut state = State::new();
    let elements = state.grf.as_flattened_mut().chunks_exact_mut(SIZE).enumerate();
    for (index, place) in elements {
        place.copy_from_slice(&element(index));
    }
    state
}

/// A number that looks random.
pub(super) fn scramble(index: usize) -> u32 {
    let mixed = (index as u32).wrapping_mul(0x9E37_79B1) ^ 0x85EB_CA6B;
    (mixed ^ mixed >> 15).wrapping_mul(0xC2B2_AE35)
}
