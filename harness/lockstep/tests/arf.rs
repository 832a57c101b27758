//! Every field of every architecture register, as the table `g45-arf` has it: what a write of ones
//! leaves there, what a read gives, and what it is when a thread starts; on both engines.

use std::mem::offset_of;

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Image, Model,
    device::Feature,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        encode::encode,
        instruction::ThreadControl,
        operand::{Destination, DestinationRegion, Region, Register, Source, SourceModifier},
        register::RegisterFile,
        state::control::SINGLE_PROGRAM_FLOW,
    },
};
use parallax_lockstep::{
    eu::Eu,
    lockstep::{Verdict, lockstep},
};
use parallax_reference::eu::Reference;
use parallax_spec::tables;
use serde::Deserialize;

/// A field.
#[derive(Debug, Deserialize)]
struct Row {
    register: String,
    regnum: String,
    dword: String,
    bits: String,
    field: String,
    access: String,
    reset: String,
    meaning: String,
}

impl Row {
    /// Its bits in its doubleword.
    fn mask(&self) -> u32 {
        let mut ends = self.bits.split(':').map(|bit| bit.parse::<u32>().expect("a bit"));
        let high = ends.next().expect("the highest bit");
        let low = ends.next().unwrap_or(high);
        (u32::MAX >> (31 - high)) & (u32::MAX << low)
    }

    fn is_on(&self, device: Device) -> bool {
        let early = device != Device::G45;
        !(self.field.contains("[DevCTG-B+]") && early
            || self.field.contains("[DevBW, DevCL]") && !early)
    }

    fn is_reserved(&self) -> bool {
        self.field.contains("reserved")
    }

    /// The bits that can be something else than zero.
    fn stored(&self, device: Device) -> u32 {
        let mask = self.mask();
        if self.is_reserved()
            || self.field.starts_with("MaskStack") && !device.has(Feature::MaskStackExceptions)
        {
            0
        } else if self.meaning.starts_with("12 bits stored") {
            // Two subregisters in a doubleword.
            mask & 0x0FFF_0FFF
        } else {
            mask
        }
    }

    /// The bits that a program can set.
    fn settable(&self, device: Device) -> u32 {
        // Writing 1 to the master bit has no effect, and of the status bits only those of
        // breakpoint, external halt and software exception are set by software (D-eu-status-write).
        let by_hardware = self.field.starts_with("Master")
            || self.register == "cr0" && self.dword == "1" && self.mask() & 0x1F00_0000 != 0;
        if self.access.starts_with("RW") && !by_hardware { self.stored(device) } else { 0 }
    }
}

/// The fields of each doubleword of a register that is part of the state, with its register number
/// and its place in the state.
fn doublewords(device: Device) -> Vec<(u8, u8, usize, Vec<Row>)> {
    let mut all: Vec<(u8, u8, usize, Vec<Row>)> = Vec::new();
    for row in tables::rows::<Row>("g45-arf") {
        let start = match row.register.as_str() {
            "a0" => offset_of!(State, address),
            "f0" => offset_of!(State, flag),
            "mask0" => offset_of!(State, mask),
            "ms0" => offset_of!(State, mask_stack),
            "msd0" => offset_of!(State, mask_stack_depth),
            "sr0" => offset_of!(State, status),
            "cr0" if row.dword != "3" => offset_of!(State, control),
            "n0" => offset_of!(State, notification),
            "n1" => offset_of!(State, notification) + 4,
            _ => continue,
        };
        if !row.is_on(device) {
            continue;
        }
        let number = u8::from_str_radix(&row.regnum.replace(' ', ""), 2).expect("a number");
        let dword: u8 = row.dword.parse().expect("a doubleword");
        let place = start + 4 * usize::from(dword);
        match all.iter_mut().find(|(n, d, ..)| (*n, *d) == (number, dword)) {
            Some((.., rows)) => rows.push(row),
            None => all.push((number, dword, place, vec![row])),
        }
    }
    all
}

fn doubleword(state: &State, place: usize) -> u32 {
    u32::from_le_bytes(*state.image()[place..].first_chunk().expect("four bytes"))
}

fn set(state: &mut State, place: usize, bits: u32) {
    state.image_mut()[place..place + 4].copy_from_slice(&bits.to_le_bytes());
}

/// `mov (1) destination:ud source:ud {NoMask, Switch}` run by both engines: the state after it.
fn moved(device: Device, into: Register, from: Source, start: State) -> State {
    let region = DestinationRegion::Stride(1);
    let instruction = Instruction {
        no_mask: true,
        thread_control: ThreadControl::Switch,
        destination: Destination { register: into, data_type: DataType::Ud, region },
        sources: [from, Source::null(DataType::Ud), Source::ABSENT],
        ..Instruction::bare(Opcode::Mov)
    };
    let program = encode(device, &instruction).expect("a mov has machine code");
    let case = Case::new(device, program, Box::new(start), 1);
    let mut reference = Reference::new();
    let verdict = lockstep::<Eu>(&mut reference, &mut Executor::new(), &case);
    assert!(matches!(verdict, Verdict::Agreed(_)), "{device} {instruction:?} {verdict:?}");
    *reference.state()
}

const ONES: Source = Source::Immediate { data_type: DataType::Ud, bits: u32::MAX as u64 };

fn architecture(number: u8, dword: u8) -> Register {
    Register::Direct { file: RegisterFile::Arf, number, subregister: 4 * dword }
}

#[test]
fn a_write_of_ones_leaves_what_the_fields_store() {
    for device in Device::GEN4 {
        for (number, dword, place, rows) in doublewords(device) {
            let expected = rows.iter().fold(0, |bits, row| bits | row.settable(device));
            let state = moved(device, architecture(number, dword), ONES, State::new());
            let before = doubleword(&State::new(), place);
            let is_read_only = rows.iter().all(|row| row.access.starts_with("RO"));
            let expected = if is_read_only { before } else { expected };
            let found = doubleword(&state, place);
            assert_eq!(found, expected, "{device} {}.{dword} {found:08x}", rows[0].register);
        }
    }
}

#[test]
fn mask_stacks_are_read_only_in_single_program_flow() {
    for device in Device::GEN4 {
        for (number, dword, place, rows) in doublewords(device) {
            if !rows.iter().any(|row| row.access.contains("SPF=1")) {
                continue;
            }
            let mut start = State::new();
            start.control[0] |= SINGLE_PROGRAM_FLOW;
            let state = moved(device, architecture(number, dword), ONES, start);
            assert_eq!(doubleword(&state, place), 0, "{device} {}.{dword}", rows[0].register);
        }
    }
}

#[test]
fn a_read_gives_every_field() {
    let into = Register::Direct { file: RegisterFile::Grf, number: 1, subregister: 0 };
    let mut fields = 0;
    for device in Device::GEN4 {
        for (number, dword, place, rows) in doublewords(device) {
            for row in &rows {
                let bits = row.stored(device);
                let mut start = State::new();
                set(&mut start, place, bits);
                let (region, modifier) = (Region::SCALAR, SourceModifier::default());
                let register = architecture(number, dword);
                let data_type = DataType::Ud;
                let from = Source::Register { register, data_type, region, modifier };
                // In the system routine, so that a status bit enters none.
                start.control[0] |= 1 << 31;
                let expected = doubleword(&start, place);
                let state = moved(device, into, from, start);
                let found = u32::from_le_bytes(*state.grf[1].first_chunk().expect("32 bytes"));
                assert_eq!(found, expected, "{device} {} of {}", row.field, row.register);
                fields += 1;
            }
        }
    }
    assert!(fields > 400, "only {fields} fields");
}

#[test]
fn a_thread_starts_with_the_reset_values() {
    let start = State::new();
    for (_, dword, place, rows) in doublewords(Device::G45) {
        let bits = doubleword(&start, place);
        for row in rows {
            let field = bits & row.mask();
            match row.reset.as_str() {
                "DMask" => assert_eq!(field, row.mask(), "{}.{dword}", row.register),
                reset if reset.starts_with('0') => {
                    assert_eq!(field, 0, "{} of {}.{dword}", row.field, row.register);
                }
                _ => {}
            }
        }
    }
}
