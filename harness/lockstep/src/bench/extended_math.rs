//! Messages to Extended Math: inverses, roots, logarithms, powers and sines of 16 channels. What the processor
//! has no instruction for is computed with the crate `libm` beside them.

use parallax_isa::{
    Device,
    eu::{
        DataType, Opcode,
        instruction::{Descriptor, Message},
        operand::{Destination, Register, Source},
        register::RegisterFile,
    },
};

use super::{
    Exactness, Graphics, Kernel, Registers,
    program::{Program, float, packed, scramble, state, to},
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
    kernel("extended math INV", &[1], |registers, _| each(registers, |x| 1.0 / x))
}

/// `x = sqrt(x)` on floats.
pub(super) fn roots() -> Kernel {
    kernel("extended math SQRT", &[4], |registers, _| each(registers, f32::sqrt))
}

/// `x = sqrt(2^log(x))` on floats, a message for each: without the root nothing would change.
pub(super) fn logarithms() -> Kernel {
    kernel("extended math LOG, EXP, SQRT", &[2, 3, 4], |registers, _| {
        each(registers, |x| libm::exp2f(libm::log2f(x)).sqrt());
    })
}

/// `x = sin(x)` on floats.
pub(super) fn sines() -> Kernel {
    kernel("extended math SIN", &[6], |registers, _| each(registers, libm::sinf))
}

/// `x = x^0.75` on floats, eight channels a message: what has two operands cannot be compressed.
pub(super) fn powers() -> Kernel {
    const POWER: f32 = 0.75;
    let mut program = Program::on(Device::G45);
    let exponent = program.add(Opcode::Mov, 8, to(2, 0, DataType::F), &[float(POWER)]);
    let Destination { data_type, region, .. } = exponent.destination;
    let register = Register::Direct { file: RegisterFile::Mrf, number: 2, subregister: 0 };
    exponent.destination = Destination { register, data_type, region };
    for n in (0..ROUNDS).flat_map(|_| 0..2 * VECTORS) {
        let x = (VALUES + n) as u8;
        let send = program.add(Opcode::Send, 8, to(x, 0, DataType::F), &[packed(x, DataType::F)]);
        let descriptor = Descriptor::Immediate(0x0121_000A);
        send.sources[1] = Source::null(DataType::Ud);
        send.message = Some(Message::of_registers(1, descriptor, false));
    }
    let native = |registers: &mut Registers, _: &mut Graphics| {
        each(registers, |x| libm::powf(x, POWER));
    };
    finish("extended math POW", &program, native)
}

/// The functions one after the other, of every vector.
fn kernel(
    name: &'static str,
    functions: &[u32],
    native: fn(&mut Registers, &mut Graphics),
) -> Kernel {
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
    finish(name, &program, native)
}

fn finish(
    name: &'static str,
    program: &Program,
    native: fn(&mut Registers, &mut Graphics),
) -> Kernel {
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
