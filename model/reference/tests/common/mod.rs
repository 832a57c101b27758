//! Small programs made from instructions, run on the reference.
#![allow(dead_code, reason = "each test uses some of it")]

use parallax_isa::{
    Acceptance, Device, Model, Outcome, Reference as _, Step,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        instruction::ConditionalModifier,
        operand::{Destination, DestinationRegion, Region, Register, Source, SourceModifier},
        program::Program,
        register::RegisterFile,
    },
};
use parallax_reference::eu::Reference;

/// The steps that were run: the state and the expectations after each.
pub(crate) struct Run {
    pub(crate) reference: Reference,
    pub(crate) outcome: Option<Outcome>,
}

/// Runs a program to its end.
pub(crate) fn run(device: Device, state: State, program: &[Instruction]) -> Run {
    let program = Program::assemble(device, program.iter().copied()).expect("a program");
    let case = Case::new(device, program.bytes().to_vec(), Box::new(state), 1000);
    let mut reference = Reference::new();
    reference.load(&case).expect("a case");
    for _ in program.instructions() {
        if let Step::Finished(outcome) = reference.step() {
            return Run { reference, outcome: Some(outcome) };
        }
    }
    Run { reference, outcome: None }
}

impl Run {
    /// The state at the end.
    pub(crate) fn state(&self) -> &State {
        self.reference.state()
    }

    /// What the last step would accept besides the dword at a byte of the general registers.
    pub(crate) fn acceptances(&self, byte: usize) -> Vec<Acceptance> {
        let expectations = self.reference.expectations().iter();
        expectations.filter(|e| e.extent.offset as usize == byte).map(|e| e.acceptance).collect()
    }

    /// The dword at a byte of the general registers.
    pub(crate) fn dword(&self, byte: usize) -> u32 {
        let bytes = &self.state().grf.as_flattened()[byte..byte + 4];
        u32::from_le_bytes(bytes.try_into().unwrap())
    }
}

/// A general register.
pub(crate) fn grf(number: u8, subregister: u8) -> Register {
    Register::Direct { file: RegisterFile::Grf, number, subregister }
}

/// An architecture register.
pub(crate) fn arf(number: u8, subregister: u8) -> Register {
    Register::Direct { file: RegisterFile::Arf, number, subregister }
}

/// A packed source.
pub(crate) fn packed(register: Register, data_type: DataType) -> Source {
    Source::Register {
        register,
        data_type,
        region: Region::PACKED8,
        modifier: SourceModifier::default(),
    }
}

/// A scalar source.
pub(crate) fn scalar(register: Register, data_type: DataType) -> Source {
    Source::Register {
        register,
        data_type,
        region: Region::SCALAR,
        modifier: SourceModifier::default(),
    }
}

/// An immediate.
pub(crate) fn immediate(data_type: DataType, bits: u32) -> Source {
    Source::Immediate { data_type, bits: bits.into() }
}

/// A destination of a stride.
pub(crate) fn strided(register: Register, stride: u8, data_type: DataType) -> Destination {
    Destination { register, data_type, region: DestinationRegion::Stride(stride) }
}

/// A packed destination.
pub(crate) fn to(register: Register, data_type: DataType) -> Destination {
    strided(register, 1, data_type)
}

/// An instruction of an execution size.
pub(crate) fn instruction(
    opcode: Opcode,
    execution_size: u8,
    destination: Destination,
    sources: &[Source],
) -> Instruction {
    let first = sources.first().copied().unwrap_or(Source::null(DataType::Ud));
    let second = sources.get(1).copied().unwrap_or(Source::null(first.data_type()));
    let sources = [first, second, Source::ABSENT];
    Instruction { execution_size, destination, sources, ..Instruction::bare(opcode) }
}

/// The same with a conditional modifier on f0.0.
pub(crate) fn flagged(instruction: Instruction, condition: ConditionalModifier) -> Instruction {
    Instruction { condition, ..instruction }
}

/// A state whose registers from `register` on hold dwords.
pub(crate) fn with_dwords(mut state: State, register: usize, dwords: &[u32]) -> State {
    for (index, dword) in dwords.iter().enumerate() {
        let byte = 4 * index;
        state.grf.as_flattened_mut()[32 * register + byte..][..4]
            .copy_from_slice(&dword.to_le_bytes());
    }
    state
}
