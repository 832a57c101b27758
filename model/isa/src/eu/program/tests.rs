use super::*;
use crate::eu::{Opcode, encode};

#[test]
fn compiled_programs_decode_and_encode_to_the_same_bytes() {
    let programs = compiled();
    assert_eq!(programs.len(), 96);
    let mut compact = 0;
    for (name, text) in programs {
        let program = Program::of_hex(Device::G45, &text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let instructions = program.instructions().iter().map(|placed| placed.instruction);
        let again = Program::assemble(Device::G45, instructions).unwrap();
        assert_eq!(again, program, "{name}");
        assert_eq!(program.instructions().len(), text.lines().count(), "{name}");
        for (index, line) in text.lines().enumerate() {
            let hex: String = program.bytes_of(index).iter().map(|b| format!("{b:02x}")).collect();
            assert_eq!(hex, line, "{name}");
        }
        compact += program.instructions().iter().filter(|p| p.instruction.compact).count();
    }
    assert_eq!(compact, 3922);
}

/// The compiler set no bit without a meaning, but for the operands it spelled out on `do`.
#[test]
fn compiled_programs_have_no_residue() {
    for (name, text) in compiled() {
        let program = Program::of_hex(Device::G45, &text).unwrap();
        for Placed { offset, instruction } in program.instructions() {
            if instruction.opcode != Opcode::Do {
                assert_eq!(instruction.residue, 0, "{name} at {offset}: {instruction:?}");
            }
        }
    }
}

/// What the compiler compacted we compact, to the same bytes.
#[test]
fn compact_forms_are_found_again() {
    for (name, text) in compiled() {
        let program = Program::of_hex(Device::G45, &text).unwrap();
        for placed in program.instructions().iter().filter(|placed| placed.instruction.compact) {
            let native = Instruction { compact: false, ..placed.instruction };
            assert_eq!(encode::compact(Device::G45, &native), Some(placed.instruction), "{name}");
        }
    }
}

#[test]
fn offsets_count_both_lengths() {
    let compact = Instruction { compact: true, ..Instruction::bare(Opcode::Nenop) };
    let native = Instruction::bare(Opcode::Nop);
    let program = Program::assemble(Device::G45, [compact, native, compact]).unwrap();
    let offsets: Vec<_> = program.instructions().iter().map(|placed| placed.offset).collect();
    assert_eq!(offsets, [0, 8, 24]);
    assert_eq!(program.bytes().len(), 32);
    assert_eq!(program.index_at(8), Some(1));
    assert_eq!(program.index_at(16), None);
    assert_eq!(program.index_at(32), None);
    assert_eq!(Program::decode(Device::G45, program.bytes()), Ok(program));
}

#[test]
fn errors_say_where() {
    let text = "7e000000000000000000000000000000\n7e00e000000000000000000000000000";
    let error = Program::of_hex(Device::Bw, text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "instruction 1 at byte 16: ExecSize (bits 23:21) has the reserved value 7; allowed: 0, 1, 2, 3, 4, 5"
    );
    let error = Program::of_hex(Device::Bw, &text[..34]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2, column 1: `7` has 1 digits; expected 2 (a byte), 8 (a doubleword), or a multiple of \
         16 (whole instructions, bytes in memory order)"
    );
    let error = Program::decode(Device::Bw, &[0x7E; 20]).unwrap_err();
    assert!(error.to_string().starts_with("instruction 0 at byte 0: "), "{error}");
    let error = Program::decode(Device::Bw, &vec![0; LARGEST + 1]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the program is 2097153 bytes long, more than the 2097152 that are read"
    );
}

/// Programs of G45 are recognised on the devices that came after it.
#[test]
fn programs_of_g45_look_like_what_they_are() {
    for (name, text) in compiled() {
        let code = crate::hex::parse(&text).unwrap();
        for device in Device::LATER {
            assert_eq!(looks_like(device, &code), Some(Device::G45), "{name} on {device}");
        }
        assert_eq!(looks_like(Device::G45, &code), None, "{name}");
    }
}
