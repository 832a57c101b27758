//! Messages to Extended Math: inverses, roots, logarithms, powers of two and sines of 16 channels.

use parallax_isa::{
    Device,
    eu::{
        DataType, Opcode,
        instruction::{Descriptor, Message},
        operand::Source,
    },
};

use super::{
    Exactness, Kernel, Registers,
    program::{Program, packed, scramble, state, to},
};

/// Vectors of 16 channels, two registers each, and how often each is worked on.
const VECTORS: usize = 4;
const ROUNDS: usize = 32;

/// The first register of the vectors.
const VALUES: usize = 10;

/// A descriptor of a message of one register with a reply of one, without its function.
const DESCRIPTOR: u32 = 0x0111_0000;

/// `x = 1 / x` on floats.
pub(super) fn inverses() -> Kernel {
    kernel("extended math INV", &[1], |registers| each(registers, |x| 1.0 / x))
}

/// `x = sqrt(x)` on floats.
pub(super) fn roots() -> Kernel {
    kernel("extended math SQRT", &[4], |registers| each(registers, f32::sqrt))
}

/// `x = sqrt(2^log(x))` on floats, a message for each: without the root nothing would change.
pub(super) fn logarithms() -> Kernel {
    kernel("extended math LOG, EXP, SQRT", &[2, 3, 4], |registers| {
        each(registers, |x| x.log2().exp2().sqrt());
    })
}

/// `x = sin(x)` on floats.
pub(super) fn sines() -> Kernel {
    kernel("extended math SIN", &[6], |registers| each(registers, f32::sin))
}

/// The functions one after the other, of every vector.
fn kernel(name: &'static str, functions: &[u32], native: fn(&mut Registers)) -> Kernel {
    let mut program = Program::on(Device::G45);
    let messages = (0..ROUNDS).flat_map(|_| 0..VECTORS);
    for (n, function) in messages.flat_map(|n| functions.iter().map(move |function| (n, function)))
    {
        let x = (VALUES + 2 * n) as u8;
        let source = packed(x, DataType::F);
        let send = program.add(Opcode::Send, 16, to(x, 0, DataType::F), &[source]);
        let descriptor = Descriptor::Immediate(DESCRIPTOR | function);
        send.sources[1] = Source::null(DataType::Ud);
        send.message = Some(Message::of_registers(1, descriptor, false));
    }
    let start = state(|index| {
        let unit = f32::from(scramble(index) as u16) / 65536.0;
        (0.5 + unit).to_le_bytes()
    });
    Kernel {
        suite: "eu",
        name,
        case: program.case(start),
        native,
        results: VALUES..VALUES + 2 * VECTORS,
        exactness: Exactness::Float,
    }
}

/// A function of every number, as often as the program has it.
fn each(registers: &mut Registers, function: impl Fn(f32) -> f32) {
    let mut vectors = [[0.0; 16]; VECTORS];
    let places = registers[VALUES..VALUES + 2 * VECTORS].as_flattened_mut().as_chunks_mut::<4>().0;
    for (number, bytes) in vectors.as_flattened_mut().iter_mut().zip(&*places) {
        *number = f32::from_le_bytes(*bytes);
    }
    for _ in 0..ROUNDS {
        for number in vectors.as_flattened_mut() {
            *number = function(*number);
        }
    }
    for (bytes, number) in places.iter_mut().zip(vectors.as_flattened()) {
        *bytes = number.to_le_bytes();
    }
}
