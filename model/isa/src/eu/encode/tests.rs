use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::eu::{
    DataType,
    decode::{DecodeError, decode},
    fields::{Word, basic},
    instruction::{Compression, Predicate, PredicateControl, SyncFunction},
    operand::{SourceModifier, VerticalStride},
    register::RegisterFile,
    text,
};

fn word(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.chars().filter(char::is_ascii_hexdigit).collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

fn grf(number: u8, subregister: u8) -> Register {
    Register::Direct { file: RegisterFile::Grf, number, subregister }
}

const fn region(vertical: u8, width: u8, horizontal: u8) -> Region {
    Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal }
}

#[test]
fn a_two_source_instruction() {
    // mul.nz.f0.0(16) r8<1>:f r2.1<0;1,0>:f r3.5<0;1,0>:f {Compr}
    let bytes = word("41208002bd7700214400000074000000");
    let scalar = |register| Source::Register {
        register,
        data_type: DataType::F,
        region: Region::SCALAR,
        modifier: SourceModifier::default(),
    };
    let expected = Instruction {
        execution_size: 16,
        compression: Compression::Compressed,
        condition: ConditionalModifier::NotEqual,
        destination: Destination {
            register: grf(8, 0),
            data_type: DataType::F,
            region: DestinationRegion::Stride(1),
        },
        sources: [scalar(grf(2, 4)), scalar(grf(3, 20)), Source::ABSENT],
        ..Instruction::bare(Opcode::Mul)
    };
    assert_eq!(decode(Device::G45, &bytes), Ok((expected, 16)));
    assert_eq!(encode(Device::G45, &expected), Ok(bytes));
}

#[test]
fn an_immediate_source() {
    // mov(16) r126<1>:ud 0:ud {Compr}
    let bytes = word("012080006100c02f0000000000000000");
    let (instruction, _) = decode(Device::Bw, &bytes).unwrap();
    assert_eq!(instruction.sources[0], Source::Immediate { data_type: DataType::Ud, bits: 0 });
    assert_eq!(instruction.sources[1], Source::null(DataType::Ud));
    assert_eq!(instruction.residue, 0);
}

#[test]
fn a_branch() {
    // (+f0.0) break(16), nine slots ahead, popping nothing
    let bytes = word("28008100001c00340014600009000000");
    let (instruction, _) = decode(Device::G45, &bytes).unwrap();
    let predicate = Predicate { control: PredicateControl::Sequential, inverse: false };
    assert_eq!((instruction.opcode, instruction.predicate), (Opcode::Break, predicate));
    assert_eq!(instruction.sources[1], Source::Immediate { data_type: DataType::D, bits: 9 });
    assert_eq!(instruction.residue, 0);
}

#[test]
fn a_send() {
    let bytes = word("31008001280d002000008d000048a085");
    let (instruction, _) = decode(Device::G45, &bytes).unwrap();
    let message = Message::of_registers(1, Descriptor::Immediate(0x05A0_4800), true);
    assert_eq!(instruction.message, Some(message));
    assert_eq!(instruction.condition, ConditionalModifier::None);
    assert_eq!(instruction.residue, 0);
    let address = Message { descriptor: Descriptor::Address, ..message };
    let by_address = Instruction { message: Some(address), ..instruction };
    let bytes = encode(Device::G45, &by_address).unwrap();
    assert_eq!(decode(Device::G45, &bytes), Ok((by_address, 16)));
}

#[test]
fn a_compact_instruction() {
    // mov(16) r12<1>:f -r6<8;8,1>:f {Compr}
    let bytes = word("012603e0050c0600");
    let (instruction, length) = decode(Device::G45, &bytes).unwrap();
    assert_eq!(length, 8);
    assert!(instruction.compact);
    assert_eq!(instruction.residue, 0);
    let negated = SourceModifier { absolute: false, negate: true };
    let expected = Source::Register {
        register: grf(6, 0),
        data_type: DataType::F,
        region: region(8, 8, 1),
        modifier: negated,
    };
    assert_eq!(instruction.sources[0], expected);
    let native = Instruction { compact: false, ..instruction };
    assert_eq!(encode(Device::G45, &native).unwrap().len(), 16);
    assert_eq!(compact(Device::G45, &native), Some(instruction));
    assert_eq!(encode(Device::G45, &instruction), Ok(bytes.clone()));
    assert_eq!(encode(Device::Ctg, &instruction), Err(EncodeError::Compact(Device::Ctg)));
    assert_eq!(decode(Device::Ctg, &bytes), Err(DecodeError::Compact(Device::Ctg)));
}

#[test]
fn padding() {
    let bytes = word("7d00002000000000");
    let expected = Instruction { compact: true, ..Instruction::bare(Opcode::Nenop) };
    assert_eq!(decode(Device::G45, &bytes), Ok((expected, 8)));
    assert_eq!(encode(Device::G45, &expected), Ok(bytes));
    assert_eq!(compact(Device::G45, &Instruction::bare(Opcode::Nenop)), Some(expected));
}

#[rstest]
#[case::execution_size(
    "0100c000 21002020 20008d00 00000000",
    "ExecSize (bits 23:21) has the reserved value 6; allowed: 0, 1, 2, 3, 4, 5"
)]
#[case::thread_control(
    "01408000 21002020 20008d00 00000000",
    "ThreadCtrl (bits 15:14) has the reserved value 1; allowed: 0, 2"
)]
#[case::destination_file(
    "01008000 23002020 20008d00 00000000",
    "DstRegFile (bits 33:32) has the reserved value 3; allowed: 0, 1, 2"
)]
#[case::register_type(
    "01008000 39002020 20008d00 00000000",
    "DstDataType (bits 36:34) has the reserved value 6; allowed: 0, 1, 2, 3, 4, 5, 7"
)]
#[case::immediate_type(
    "01008000 61022020 20008d00 00000000",
    "Src0DataType (bits 41:39) has the reserved value 4; allowed: 0, 1, 2, 3, 5, 6, 7"
)]
#[case::immediate_src0(
    "40008000 61002020 20008d00 00000000",
    "Src0RegFile (bits 38:37) has the reserved value 3; allowed: 0, 1, 2"
)]
#[case::grf_number(
    "01008000 21002030 20008d00 00000000",
    "DstRegNum (bits 60:53) has the reserved value 129; allowed: 0 to 127 in the GRF"
)]
#[case::width(
    "01008000 21002020 20009500 00000000",
    "Src0Width (bits 84:82) has the reserved value 5; allowed: 0, 1, 2, 3, 4"
)]
fn reserved_codes_are_named(#[case] bytes: &str, #[case] message: &str) {
    let mut bytes = word(bytes);
    bytes.resize(16, 0);
    let error = decode(Device::G45, &bytes).unwrap_err();
    assert_eq!(error.to_string(), message);
}

#[test]
fn truncated_instructions_are_refused() {
    let native = word("41208002bd7700214400000074000000");
    let compact = word("012603e0050c0600");
    for length in 0..16 {
        let error = DecodeError::Truncated { needed: 16, available: length };
        assert_eq!(decode(Device::G45, &native[..length]), Err(error));
    }
    for length in 4..8 {
        let error = DecodeError::Truncated { needed: 8, available: length };
        assert_eq!(decode(Device::G45, &compact[..length]), Err(error));
    }
}

#[rstest]
#[case(Instruction { execution_size: 3, ..Instruction::bare(Opcode::Mov) }, "ExecSize cannot be 3; allowed: 1, 2, 4, 8, 16, 32")]
#[case(Instruction { flag_subregister: 2, ..Instruction::bare(Opcode::Mov) }, "FlagSubRegNum cannot be 2; allowed: 0 to 1")]
#[case(Instruction { mask_control_ex: true, ..Instruction::bare(Opcode::Mov) }, "MaskCtrlEx cannot be 1; allowed: 0 on this device")]
#[case(Instruction { access_mode: AccessMode::Align16, ..Instruction::bare(Opcode::Mov) }, "an Align16 destination has channel enables, not a horizontal stride")]
#[case(Instruction { sources: [Source::Immediate { data_type: DataType::F, bits: 0 }; 3], ..Instruction::bare(Opcode::Add) }, "only the last source can be an immediate")]
#[case(Instruction::bare(Opcode::Send), "a message descriptor belongs to send and only to send")]
#[case(Instruction::bare(Opcode::Pln), "bw has no instruction `pln`")]
#[case(Instruction { destination: Destination { register: grf(128, 0), ..Destination::null(DataType::Ud) }, ..Instruction::bare(Opcode::Mov) }, "DstRegNum cannot be 128; allowed: 0 to 127 in the GRF")]
#[case(Instruction { destination: Destination { register: grf(1, 32), ..Destination::null(DataType::Ud) }, ..Instruction::bare(Opcode::Mov) }, "DstSubRegNum (Align1) cannot be 32; allowed: 0 to 31")]
#[case(Instruction { residue: 1 << 29, ..Instruction::bare(Opcode::Illegal) }, "the residue sets CmptCtrl of what is not compact")]
#[case(Instruction { residue: 1, ..Instruction::bare(Opcode::Illegal) }, "Opcode cannot be 0x01: on bw that is mov; allowed: 0x00 and codes that are no operation")]
#[case(Instruction { residue: 3, ..Instruction::bare(Opcode::Mov) }, "Opcode cannot be 0x02: on bw that is sel; allowed: 0x01")]
fn what_has_no_code_is_refused(#[case] instruction: Instruction, #[case] message: &str) {
    assert_eq!(encode(Device::Bw, &instruction).unwrap_err().to_string(), message);
}

/// On Gen12 a 64-bit immediate stands where CondModifier and the function of `sync` do.
#[rstest]
#[case::condition(Opcode::Mov, None, ConditionalModifier::Equal, 0, false)]
#[case::no_condition(Opcode::Mov, None, ConditionalModifier::None, u64::MAX, true)]
#[case::function_in_the_immediate(
    Opcode::Sync,
    Some(SyncFunction::Host),
    ConditionalModifier::None,
    u64::MAX,
    true
)]
#[case::no_function(Opcode::Sync, Some(SyncFunction::Nop), ConditionalModifier::None, 0, true)]
#[case::another_function(
    Opcode::Sync,
    Some(SyncFunction::Host),
    ConditionalModifier::None,
    0,
    false
)]
#[case::another_immediate(
    Opcode::Sync,
    Some(SyncFunction::Nop),
    ConditionalModifier::None,
    u64::MAX,
    false
)]
fn wide_immediates_leave_place_for_nothing_else(
    #[case] opcode: Opcode,
    #[case] sync: Option<SyncFunction>,
    #[case] condition: ConditionalModifier,
    #[case] bits: u64,
    #[case] fits: bool,
) {
    let [_, second, third] = Instruction::bare(opcode).sources;
    let wide = Source::Immediate { data_type: DataType::Uq, bits };
    let sources = [wide, second, third];
    let instruction = Instruction { sync, condition, sources, ..Instruction::bare(opcode) };
    match encode(Device::Dg1, &instruction) {
        Ok(bytes) => {
            assert!(fits);
            let (decoded, _) = decode(Device::Dg1, &bytes).unwrap();
            assert_eq!((decoded.sync, decoded.sources[0]), (sync, wide));
        }
        Err(error) => {
            assert!(!fits, "{error}");
            assert!(error.to_string().contains("leaves no place"), "{error}");
        }
    }
}

/// A word of little but an opcode, for every value on every device: the operation, or `illegal` with
/// the value.
#[test]
fn every_opcode_value_decodes() {
    for device in Device::GEN4 {
        for code in 0..128 {
            let mut bytes = [0; 16];
            bytes[0] = code;
            // src1 a0: a send needs a descriptor register.
            bytes[13] = 2;
            let (instruction, length) = decode(device, &bytes).unwrap();
            let operation = Opcode::of_code(device, code);
            assert_eq!(instruction.opcode, operation.unwrap_or(Opcode::Illegal));
            let undefined = operation.is_none().then_some(code);
            assert_eq!(instruction.undefined_opcode(), undefined, "{device} {code:#04x}");
            assert_eq!((encode(device, &instruction).as_deref(), length), (Ok(&bytes[..]), 16));
            let text = text::print(device, &instruction);
            assert_eq!(text.starts_with(&format!("illegal {code:#04x}")), operation.is_none());
            assert_eq!(text::parse(device, &text).unwrap().program.bytes(), bytes, "{text}");
        }
    }
}

/// Words that mostly decode: random bits with an existing opcode and no reserved control codes.
pub(in crate::eu) fn likely_word(device: Device) -> impl Strategy<Value = [u8; 16]> {
    let codes: Vec<u8> = Opcode::ALL.iter().filter_map(|opcode| opcode.code(device)).collect();
    (any::<u128>(), proptest::sample::select(codes), any::<bool>()).prop_map(
        |(mut bits, code, tame)| {
            bits = bits & !0x7F | u128::from(code);
            if tame {
                // Register files and widths that exist, no immediates, no reserved controls.
                bits &= !(0x20_00D0_5080_u128 | 1 << 29 | 0x0800_0000);
                bits &= !(1 << 33 | 1 << 38 | 1 << 43);
                bits &= !(1 << 60 | 1 << 76 | 1 << 108 | 1 << 84 | 1 << 116 | 1 << 88 | 1 << 120);
            }
            bits.to_le_bytes()
        },
    )
}

/// The same for Gen7 and later: files that exist, Align16 for three sources, widths and sizes that
/// exist, types as they come.
pub(in crate::eu) fn likely_later_word(device: Device) -> impl Strategy<Value = [u8; 16]> {
    let generation = device.generation().unwrap();
    let codes: Vec<u8> = Opcode::ALL.iter().filter_map(|opcode| opcode.code(device)).collect();
    (any::<u128>(), any::<u128>(), proptest::sample::select(codes)).prop_map(
        move |(random, choices, code)| {
            let mut word = random & !0x7F | u128::from(code);
            let mut set = |field: &Field, value: u32| {
                let mut cleared = Word { bits: u128::MAX, generation };
                let mut place = Word { bits: 0, generation };
                place.put(field, u32::MAX);
                cleared.bits = word & !place.bits;
                cleared.put(field, value);
                word = cleared.bits;
            };
            let mut choices = choices;
            let mut next = |count: u128| {
                let choice = choices % count;
                choices /= count;
                choice as usize
            };
            // Few compact ones: their bits mean something else.
            let compact = next(8) == 0;
            set(&basic::CMPT_CTRL, compact.into());
            if !compact && next(16) != 0 {
                let opcode = Opcode::of_code(device, code).unwrap();
                let ternary = opcode.format_on(generation) == Format::Ternary;
                set(&basic::ACCESS_MODE, u32::from(ternary || next(2) == 0));
                set(&basic::EXEC_SIZE, next(6) as u32);
                set(&basic::THREAD_CTRL, next(3) as u32);
                set(&basic::SWSB, [0, 3, 0x25, 0x3F, 0x9A][next(5)]);
                set(fields::IS_IMMEDIATE[0], u32::from(next(4) == 0));
                set(fields::IS_IMMEDIATE[1], next(2) as u32);
                set(&basic::PRED_CTRL, next(8) as u32);
                if opcode.format_on(generation) != Format::Message && opcode != Opcode::Math {
                    set(&basic::COND_MODIFIER, next(7) as u32);
                }
                if !ternary && opcode.format_on(generation) != Format::SplitMessage {
                    set(&basic::DST_REG_FILE, next(2) as u32);
                    set(&basic::DST_REG_NUM, [0, 1, 0x10, 0x20, 0x30, 0x80][next(6)]);
                    for source in &fields::SOURCES {
                        set(source.file, [0, 1, 1, 3][next(4)]);
                        set(source.place.number, [0, 1, 0x10, 0x20, 0x30, 0x80][next(6)]);
                        set(source.vertical, [0, 3, 2, 4][next(4)]);
                        set(source.width, next(4) as u32);
                    }
                }
            }
            word.to_le_bytes()
        },
    )
}

/// Of Gen12 each source says with a bit of its own whether it is an immediate; the first of two is
/// none.
#[test]
fn the_first_of_two_sources_is_no_immediate() {
    let assembly = text::parse(Device::Dg1, "add (8|M0) r4<1>:f r2<8;8,1>:f 1.0:f").unwrap();
    let mut word: [u8; 16] = assembly.program.bytes().try_into().unwrap();
    assert!(decode(Device::Dg1, &word).is_ok());
    word[5] |= 1 << 6;
    let wrong = decode(Device::Dg1, &word).unwrap_err().to_string();
    assert!(wrong.contains("(bits 46)") && wrong.contains("reserved value 1"), "{wrong}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200_000))]

    #[test]
    fn what_decodes_on_later_generations_encodes_to_the_same_bytes(
        (device, bytes) in proptest::sample::select(&Device::LATER)
            .prop_flat_map(|device| (Just(device), likely_later_word(device))),
    ) {
        if let Ok((instruction, length)) = decode(device, &bytes) {
            let encoded = encode(device, &instruction);
            prop_assert_eq!(encoded.as_deref(), Ok(&bytes[..length]), "{:?}", instruction);
            let clean = Instruction { residue: 0, compact_residue: 0, ..instruction };
            if let Ok(canonical) = encode(device, &clean) {
                prop_assert_eq!(decode(device, &canonical).unwrap().0, clean);
            } else {
                prop_assert!(instruction.compact);
            }
        }
    }

    #[test]
    fn what_decodes_encodes_to_the_same_bytes(
        (device, bytes) in proptest::sample::select(&Device::GEN4)
            .prop_flat_map(|device| (Just(device), likely_word(device))),
    ) {
        if let Ok((instruction, length)) = decode(device, &bytes) {
            let encoded = encode(device, &instruction);
            prop_assert_eq!(encoded.as_deref(), Ok(&bytes[..length]));
            // Without the residue it is the same instruction.
            let clean = Instruction { residue: 0, ..instruction };
            let canonical = encode(device, &clean);
            if let Ok(canonical) = canonical {
                let again = decode(device, &canonical).unwrap().0;
                prop_assert_eq!(again, clean);
            } else {
                prop_assert!(instruction.compact);
            }
            let full = Instruction { compact: false, ..instruction };
            let compact = Instruction { compact: true, ..instruction };
            let shorter = encode(device, &compact).or_else(|_| encode(device, &full));
            prop_assert_eq!(encode_shortest(device, &instruction), shorter);
        }
    }
}
