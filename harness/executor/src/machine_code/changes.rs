//! For tests of compilers: numbers from a seed, and how machine code is made wrong in one chosen way.

use iced_x86::{Decoder, DecoderOptions, Encoder, Instruction as Machine, Mnemonic, Register};

/// Numbers from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.next() as usize % bound
    }

    pub(crate) fn one_in(&mut self, number: usize) -> bool {
        self.below(number) == 0
    }

    pub(crate) fn bits(&mut self) -> u32 {
        self.next() << 16 ^ self.next()
    }
}

/// What becomes of an instruction.
pub(crate) enum Change {
    Other(Machine),
    /// It does nothing.
    Nothing,
}

/// Changes instructions of a piece of code, which stay as long as they are; whether there was one to change.
pub(crate) fn each(code: &mut [u8], change: impl Fn(Machine) -> Option<Change>) -> bool {
    let bytes = code.to_vec();
    let mut is_changed = false;
    for machine in &mut Decoder::new(64, &bytes, DecoderOptions::NONE) {
        let place = &mut code[machine.ip() as usize..][..machine.len()];
        match change(machine) {
            None => continue,
            Some(Change::Nothing) => place.fill(0x90),
            Some(Change::Other(other)) => {
                let mut encoder = Encoder::new(64);
                let length = encoder.encode(&other, machine.ip()).expect("an instruction");
                if length != machine.len() {
                    continue;
                }
                place.copy_from_slice(&encoder.take_buffer());
            }
        }
        is_changed = true;
    }
    is_changed
}

/// Gives what instructions of a kind are made of another value.
pub(crate) fn other(
    mut machine: Machine,
    from: Mnemonic,
    change: impl FnOnce(&mut Machine),
) -> Option<Change> {
    (machine.mnemonic() == from).then(|| {
        change(&mut machine);
        Change::Other(machine)
    })
}

/// Exchanges two registers that are sources.
pub(crate) fn exchange(machine: &mut Machine) {
    let (first, second) = (machine.op1_register(), machine.op2_register());
    if second != Register::None {
        machine.set_op1_register(second);
        machine.set_op2_register(first);
    }
}

/// Writes to a place are left out.
pub(crate) fn lost(machine: Machine, mnemonic: Mnemonic, base: Register) -> Option<Change> {
    let writes = machine.op0_register() == Register::None && machine.memory_base() == base;
    (machine.mnemonic() == mnemonic && writes).then_some(Change::Nothing)
}
