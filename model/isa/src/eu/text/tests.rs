use proptest::strategy::Strategy as _;
use rstest::rstest;

use super::{Detail, parse, parse_as, print, print_as};
use crate::{
    Device, Syntax,
    eu::{decode::decode, encode::tests::likely_later_word, program},
};

fn one(source: &str) -> String {
    match parse(Device::G45, source) {
        Ok(assembly) => {
            let texts =
                assembly.program.instructions().iter().map(|p| print(Device::G45, &p.instruction));
            texts.collect::<Vec<_>>().join("\n")
        }
        Err(wrong) => wrong.iter().map(|d| d.render("t", source)).collect(),
    }
}

#[rstest]
#[case("(f0.0) add.sat.g.f0.0 (8) r4<1>:f r2<8;8,1>:f -r3.1<0;1,0>:f {NoMask}")]
#[case("mov (16) m3<1>:f r16<8;8,1>:f {Compr4}")]
#[case("mov (1) a0.3<1>:uw 0x0020:uw")]
#[case("mov (1) a0.0<1>:ud 0x00500040:ud")]
#[case("mov (1) a0.1<1>:d 5242944:d")]
#[case("mov (1) a0.2b<1>:ud a0.3<0;1,0>:ud")]
#[case("mov (8) r1<1>:w 0x76543210:v")]
#[case("mov (4) r1<1>:f 0x30201000:vf")]
#[case("add (8) r4<1>.xz:f r2<4>.yyyy:f -(abs)r3.4<0>:f {Align16}")]
#[case("mov (8) r4<1>:f r[a0.2,-16]<8;8,1>:f")]
#[case("mov (8) r4<1>:f r[a0.2,16]<1,0>:f")]
#[case("mov (8) r4<1>:f 0x7fc00000:f")]
#[case("mov (8) r4<1>:f -0.0:f")]
#[case("mov (8) r4<1>:d -5:d")]
#[case("send (16) null<1>:uw m1 r0<8;8,1>:uw 0x05a04800 {EOT}")]
#[case("send (8) r10<1>:f m0 -(abs)r2<8;8,1>:f a0.0<0;1,0>:ud")]
#[case("(-f0.1.all16h) break (16) 9 pop 2")]
#[case("if (8) -3")]
#[case("jmpi (1) 3 {NoMask}")]
#[case("jmpi (1) 0x00000003:ud {NoMask}")]
#[case("jmpi (1) -3:w {NoMask}")]
#[case("jmpi (1) r4<0;1,0>:d {NoMask}")]
#[case("(f0.0) if (8) 3 {Align16}")]
#[case("(f0.0) if (8) ip<1>:ud ip<4>:ud 0x00000003:ud {Align16}")]
#[case("wait (1) n0 {Align16}")]
#[case("wait (1) n1")]
#[case("endif (16) 0 pop 1")]
#[case("push (1) ms0.16<1>:uw imask<0;1,0>:uw")]
#[case("nenop {Compact}")]
#[case("nop")]
#[case("do (16)")]
#[case("cmp.nz.f0.1 (8) null<1>:f r1<8;8,1>:f 0.0:f")]
#[case("mov (1) cr0.1<1>:ud 0x00000000:ud")]
#[case("mov (8) acc0<1>:f r2<8;8,1>:f")]
#[case("mov (1) r3.5<1>:ub r3.31<0;1,0>:ub")]
fn canonical_text_is_kept(#[case] text: &str) {
    assert_eq!(one(text), text);
}

#[rstest]
#[case(
    "ADD.G.SAT (8) R4<1>:F r2<8;8,1>:f r3<8;8,1>:f // sum",
    "add.sat.g.f0.0 (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f"
)]
#[case("(+f0) mov r4<1>:f r2<8;8,1>:f", "(f0.0) mov (8) r4<1>:f r2<8;8,1>:f")]
#[case("mov r4<1>:w r2<16;16,1>:w", "mov (16) r4<1>:w r2<16;16,1>:w")]
#[case("jmp 3", "add (1) ip<1>:ud ip<0;1,0>:ud 48:d")]
#[case("mov (1) ip r2.1<0;1,0>:ud", "mov (1) ip<1>:ud r2.1<0;1,0>:ud")]
#[case("mov (1) a0.1<1>:d 0x00500040:d", "mov (1) a0.1<1>:d 5242944:d")]
#[case("if (8) 0x3:ud", "if (8) ip<1>:ud ip<0;1,0>:ud 0x00000003:ud")]
#[case("endif", "endif (1) 0 pop 1")]
#[case("pop (1) ms0 3", "pop (1) ms0.0<1>:ud ms0.0<0;1,0>:ud 0x00000003:ud")]
fn other_forms_are_read(#[case] text: &str, #[case] canonical: &str) {
    assert_eq!(one(text), canonical);
}

/// Line 8883 of the manual: a doubleword of a0 is two of its words.
#[test]
fn a_subregister_of_a0_counts_elements() {
    let byte = |text: &str| {
        let program = parse(Device::G45, text).expect("it assembles").program;
        // Bits 52:48 of the word: the destination's subregister.
        program.bytes()[6] & 0x1F
    };
    assert_eq!(byte("mov (1) a0.1<1>:d 0x00500040:d"), 4);
    assert_eq!(byte("mov (1) a0.1<1>:uw 0x0040:uw"), 2);
    assert_eq!(byte("mov (1) a0.3<1>:ud 0x0:ud"), 12);
}

/// Bits 62:61 of an Align16 destination are 01 as assemblers write them; 00 is kept and legal, the
/// others are kept and not legal.
#[test]
fn an_align16_destination_has_a_stride_of_one() {
    let text = "add (8) r4<1>.xz:f r2<4>.yyyy:f -(abs)r3<0>:f {Align16}";
    let program = parse(Device::G45, text).expect("it assembles").program;
    let word = u128::from_le_bytes(program.bytes().try_into().expect("one instruction"));
    assert_eq!(word >> 61 & 3, 1);
    for stride in 0..4 {
        let bytes = (word & !(3 << 61) | stride << 61).to_le_bytes();
        let (instruction, _) = decode(Device::G45, &bytes).expect("it decodes");
        let again = parse(Device::G45, &print(Device::G45, &instruction)).expect("it assembles");
        assert_eq!(again.program.bytes(), bytes, "stride code {stride}");
        let legal = crate::eu::legality::is_legal(Device::G45, &instruction);
        assert_eq!(legal, stride < 2, "stride code {stride}");
    }
}

#[test]
fn symbols_stand_for_registers() {
    let source = ".declare Trans Base=r5 ElementSize=4 SrcRegion=<0;8,1> Type=f
        mov (8) r10<1>:f Trans(1)
        mov (8) r10<1>:f Trans[a0.0,2]
        mov (8) r10<1>:f Trans[a0.0,2]<1,0>
        mov (8) r10<1>:f Trans[a0.0,2]<4,1>
        mov (8) r10<1>:f Trans[a0.0]";
    assert_eq!(
        one(source),
        "mov (8) r10<1>:f r6<0;8,1>:f\nmov (8) r10<1>:f r[a0.0,224]<0;8,1>:f\n\
         mov (8) r10<1>:f r[a0.0,224]<1,0>:f\nmov (8) r10<1>:f r[a0.0,224]<4,1>:f\n\
         mov (8) r10<1>:f r[a0.0,160]<0;8,1>:f"
    );
}

#[test]
fn labels_become_distances() {
    let source = "(f0.0) if (8) OTHER
        mov (8) r1<1>:f 1.0:f
        OTHER: else (8) END
        mov (8) r1<1>:f 2.0:f
        END: endif (8) 0 pop 1
        jmpi (1) END {NoMask}";
    let text = one(source);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "(f0.0) if (8) 2");
    assert_eq!(lines[2], "else (8) 2");
    assert_eq!(lines[5], "jmpi (1) -2 {NoMask}");
}

#[test]
fn compiled_programs_survive_text() {
    for (name, hex) in program::compiled() {
        let decoded = program::Program::of_hex(Device::G45, &hex).expect("it decodes");
        let texts =
            decoded.instructions().iter().map(|placed| print(Device::G45, &placed.instruction));
        let text = texts.collect::<Vec<_>>().join("\n");
        match parse(Device::G45, &text) {
            Ok(assembly) => assert_eq!(assembly.program.bytes(), decoded.bytes(), "{name}"),
            Err(wrong) => panic!("{name}: {}", wrong[0].render(&name, &text)),
        }
        let mesa = print_as(Syntax::Mesa, Detail::Exact, &decoded).to_string();
        assert!(!mesa.contains(".inline_inst"), "{name}: {mesa}");
        match parse_as(Device::G45, Syntax::Mesa, &mesa) {
            Ok(assembly) => assert_eq!(assembly.program.bytes(), decoded.bytes(), "{name}"),
            Err(wrong) => panic!("{name}: {}", wrong[0].render(&name, &mesa)),
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(20_000))]

    /// Whatever decodes prints to a text that assembles to the same bytes.
    #[test]
    fn text_keeps_every_bit(
        word: u128,
        tame in proptest::option::of((0_u8..3, 0_u8..11, 0_u8..11)),
        opcode in 0_u8..128,
        device in 0_usize..4,
    ) {
        let device = Device::GEN4[device];
        let mut bytes = word.to_le_bytes();
        bytes[0] = opcode;
        if let Some((file, destination, source)) = tame {
            // Register files and numbers that exist, so that more words decode.
            bytes[3] &= 0xD9;
            bytes[4] = bytes[4] & 0x9C | file | (file % 2) << 5;
            bytes[5] &= 0xF3;
            bytes[6..8].copy_from_slice(&(u16::from(destination) << 9 | 0x2000).to_le_bytes());
            let source = u16::from(source) << 9 | u16::from(bytes[8] & 31);
            bytes[8..10].copy_from_slice(&source.to_le_bytes());
        }
        if let Ok((instruction, length)) = decode(device, &bytes) {
            let text = print(device, &instruction);
            match parse(device, &text) {
                Ok(assembly) => proptest::prop_assert_eq!(
                    assembly.program.bytes(), &bytes[..length], "{}", text),
                Err(wrong) => proptest::prop_assert!(false, "{}", wrong[0].render("text", &text)),
            }
            other_tools_text_keeps_every_bit(device, &bytes[..length])?;
        }
    }
}

/// In the syntaxes of other tools too: what they have no words for stands as machine code.
fn other_tools_text_keeps_every_bit(
    device: Device,
    bytes: &[u8],
) -> Result<(), proptest::test_runner::TestCaseError> {
    let program = program::Program::decode(device, bytes).expect("it decodes");
    for syntax in Syntax::of(device).filter(|syntax| *syntax != Syntax::Manual) {
        let text = print_as(syntax, Detail::Exact, &program).to_string();
        match parse_as(device, syntax, &text) {
            Ok(assembly) => proptest::prop_assert_eq!(assembly.program.bytes(), bytes, "{}", text),
            Err(wrong) => proptest::prop_assert!(false, "{}", wrong[0].render("text", &text)),
        }
        // Without the bits that no field uses it still is text.
        let text = print_as(syntax, Detail::Readable, &program).to_string();
        proptest::prop_assert!(parse_as(device, syntax, &text).is_ok(), "{}", text);
    }
    Ok(())
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(50_000))]

    /// The same for Gen7 and later.
    #[test]
    fn text_of_later_generations_keeps_every_bit(
        (device, bytes) in proptest::sample::select(&Device::LATER).prop_flat_map(|device| {
            (proptest::prelude::Just(device), likely_later_word(device))
        }),
    ) {
        if let Ok((instruction, length)) = decode(device, &bytes) {
            let text = print(device, &instruction);
            match parse(device, &text) {
                Ok(assembly) => proptest::prop_assert_eq!(
                    assembly.program.bytes(), &bytes[..length], "{}", text),
                Err(wrong) => proptest::prop_assert!(false, "{}", wrong[0].render("text", &text)),
            }
            other_tools_text_keeps_every_bit(device, &bytes[..length])?;
        }
    }
}

/// What later generations have besides prints in their words, and is read back there.
mod wide {
    use rstest::rstest;

    use super::*;
    use crate::eu::{
        generation::Generation,
        instruction::{ConditionalModifier, Instruction, PredicateControl, ThreadControl},
        opcode::Opcode,
        operand::{Destination, DestinationRegion, Region, Register, Source, SourceModifier},
        register::RegisterFile,
        text::{Diagnostic, cursor::Target, lexer, settings::Settings, statement},
        types::DataType,
    };

    const GEN9: Target = Target { device: Device::G45, generation: Generation::Gen9 };

    fn read(target: Target, text: &str) -> Result<Instruction, Vec<Diagnostic>> {
        let mut wrong = Vec::new();
        let tokens = lexer::Lexer::default().line(1, text, &mut wrong);
        let read = statement::read(&tokens, 1, target, &Settings::default(), &mut wrong);
        read.map(|statement| statement.instruction).ok_or(wrong)
    }

    fn source(number: u8, data_type: DataType) -> Source {
        let file = RegisterFile::Grf;
        Source::Register {
            register: Register::Direct { file, number, subregister: 0 },
            data_type,
            region: Region::PACKED8,
            modifier: SourceModifier::default(),
        }
    }

    fn add() -> Instruction {
        let register = Register::Direct { file: RegisterFile::Grf, number: 4, subregister: 0 };
        let data_type = DataType::F;
        let region = DestinationRegion::Stride(1);
        let mut add = Instruction {
            execution_size: 8,
            destination: Destination { register, data_type, region },
            ..Instruction::bare(Opcode::Add)
        };
        add.sources[0] = source(2, DataType::F);
        add.sources[1] = source(3, DataType::F);
        add
    }

    fn with(change: impl FnOnce(&mut Instruction)) -> Instruction {
        let mut instruction = add();
        change(&mut instruction);
        instruction
    }

    #[rstest]
    #[case(with(|i| i.first_channel = 24), "add (8|M24) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f")]
    #[case(with(|i| (i.execution_size, i.first_channel) = (4, 12)), "add (4|M12) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f")]
    #[case(
        with(|i| {
            (i.flag_register, i.flag_subregister) = (1, 1);
            i.condition = ConditionalModifier::Less;
            i.predicate.control = PredicateControl::Any32H;
        }),
        "(f1.1.any32h) add.l.f1.1 (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f"
    )]
    #[case(with(|i| i.thread_control = ThreadControl::Atomic), "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f {Atomic}")]
    #[case(with(|i| i.sources[1] = Source::Immediate { data_type: DataType::Df, bits: 0.1_f64.to_bits() }), "add (8) r4<1>:f r2<8;8,1>:f 0.1:df")]
    #[case(with(|i| i.sources[1] = Source::Immediate { data_type: DataType::Q, bits: u64::MAX - 4 }), "add (8) r4<1>:f r2<8;8,1>:f -5:q")]
    #[case(with(|i| i.sources[1] = Source::Immediate { data_type: DataType::Uq, bits: 1 << 63 | 7 }), "add (8) r4<1>:f r2<8;8,1>:f 0x8000000000000007:uq")]
    #[case(with(|i| i.sources[1] = Source::Immediate { data_type: DataType::Hf, bits: 0x3C00_3C00 }), "add (8) r4<1>:f r2<8;8,1>:f 0x3c00:hf")]
    #[case(with(|i| i.sources[1] = source(3, DataType::Hf)), "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:hf")]
    fn prints_and_reads(#[case] instruction: Instruction, #[case] text: &str) {
        assert_eq!(print(Device::Ivb, &instruction), text);
        assert_eq!(read(GEN9, text), Ok(instruction));
    }

    #[test]
    fn three_sources_are_printed() {
        let mut mad = with(|i| i.opcode = Opcode::Mad);
        mad.sources[2] = source(5, DataType::F);
        let text = "mad (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f r5<8;8,1>:f";
        assert_eq!(print(Device::Ivb, &mad), text);
    }

    #[rstest]
    #[case("add (8|M8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f", "`)`")]
    #[case("(f1.0) add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f", "`f1`")]
    #[case("(f0.0.any32h) add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f", "no such predicate control")]
    #[case("add (8) r4<1>:f r2<8;8,1>:f 1:q", "g45 has no type `q`")]
    #[case("mad (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f r5<8;8,1>:f", "g45 has no instruction `mad`")]
    #[case("add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f {Atomic}", "Atomic has no code")]
    fn g45_refuses_it(#[case] text: &str, #[case] why: &str) {
        let wrong = parse(Device::G45, text).unwrap_err();
        assert!(wrong[0].message.contains(why), "{}", wrong[0].message);
    }

    #[rstest]
    #[case("add (8|M2) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f")]
    #[case("add (16|M32) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f")]
    #[case("add (8|M) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f")]
    fn a_first_channel_is_a_multiple_of_four(#[case] text: &str) {
        assert!(read(GEN9, text).is_err());
    }
}

/// The notation of Gen7 is that of G45, the one of Gen9 that of the talk; both are read on both.
mod later {
    use rstest::rstest;

    use super::*;

    fn on(device: Device, text: &str) -> String {
        match parse(device, text) {
            Ok(assembly) => {
                let lines = assembly.program.instructions().iter();
                lines
                    .map(|placed| print(device, &placed.instruction))
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            Err(wrong) => wrong.iter().map(|d| d.render("t", text)).collect(),
        }
    }

    #[rstest]
    #[case(
        "(f0.0) add (16|M0) [(lt)f0.0] (sat)r10.0<1>:f -r12.0<0;1,0>:f 3.14159:f",
        "(f0.0) add.sat.l.f0.0 (16) r10<1>:f -r12<0;1,0>:f 3.14159:f"
    )]
    #[case("(~f1.0) mov (8|M8) r2.0<1>:f 2.71:f", "(-f1.0) mov (8|M8) r2<1>:f 2.71:f")]
    #[case(
        "add (8|M8) [(e)f0.0] (sat)r[a0.0]<2>:w r3.4<8;8,1>:w -r5.3<0;1,0>:w",
        "add.sat.z.f0.0 (8|M8) r[a0.0]<2>:w r3.4<8;8,1>:w -r5.3<0;1,0>:w"
    )]
    #[case("mov (1|M0) r1.1<1>:uw f0.1<0;1,0>:uw", "mov (1) r1.1<1>:uw f0.1<0;1,0>:uw")]
    #[case("math.inv (8|M0) r4.0<1>:f r2.0<8;8,1>:f", "math.inv (8) r4<1>:f r2<8;8,1>:f")]
    #[case(
        "math.pow (8|M0) (sat)r4.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f",
        "math.pow.sat (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f"
    )]
    #[case(
        "mad (8|M0) r4.0<1>:f r2.0<4>:f r3.2<0>.xxxx:f -r5.0<4>.wzyx:f {AccWrEn}",
        "mad (8) r4<1>:f r2<4>:f r3.2<0>.xxxx:f -r5<4>.wzyx:f {AccWrEn}"
    )]
    #[case("math.log (1|M0) r5.0<1>:f 10.0:f", "math.log (1) r5<1>:f 10.0:f")]
    #[case("wait (1|M0) n0.1", "wait (1) n0.1")]
    #[case("(f0.0) while (8|M0) -96", "(f0.0) while (8) -96")]
    #[case("break (8|M0) 48 96", "break (8) 48 96")]
    #[case("call (2|M0) r4.0<1>:d 32", "call (2) r4<1>:d 32")]
    #[case("ret (8|M0) r4.0<2;2,1>:d", "ret (8) r4<2;2,1>:d")]
    #[case(
        "send (8|M0) r4.0<1>:ud r8 0x2 0x024a0019 {EOT}",
        "send (8) r4<1>:ud r8 0x2 0x024a0019 {EOT}"
    )]
    fn both_notations_are_read(#[case] talk: &str, #[case] plain: &str) {
        for text in [talk, plain] {
            assert_eq!(on(Device::Skl, text), talk);
            assert_eq!(on(Device::Ivb, text), plain);
        }
    }

    /// A word that a compiler writes: the only source of `math` is an immediate. No campaign sees one that no
    /// generator makes, so the words of other tools have to be read.
    #[test]
    fn math_of_an_immediate_is_read() {
        let word = "38000002e83ea0200000000000002041";
        let program = program::Program::of_hex(Device::Skl, word).expect("it decodes");
        let [placed] = program.instructions() else { panic!("one instruction") };
        let text = print(Device::Skl, &placed.instruction);
        assert_eq!(text, "math.log (1|M0) r5.0<1>:f 10.0:f");
        assert_eq!(crate::eu::legality::check(Device::Skl, &placed.instruction), []);
        let again = parse(Device::Skl, &text).expect("it is text").program;
        assert_eq!(again.bytes(), program.bytes());
    }

    /// As disassemblers of later generations write them.
    #[rstest]
    #[case(
        "(W) mov (8|M0) r4.0<1>:ud r0.0<8;8,1>:ud",
        "mov (8|M0) r4.0<1>:ud r0.0<8;8,1>:ud {NoMask}"
    )]
    #[case(
        "(W&f0.1) mov (8|M0) r4.0<1>:ud r0.0<8;8,1>:ud",
        "(f0.1) mov (8|M0) r4.0<1>:ud r0.0<8;8,1>:ud {NoMask}"
    )]
    #[case(
        "(W&~f1.0.any8h) mov (8|M0) r4.0<1>:ud r0.0<8;8,1>:ud {NoMask}",
        "(~f1.0.any8h) mov (8|M0) r4.0<1>:ud r0.0<8;8,1>:ud {NoMask}"
    )]
    #[case(
        "cmp (16|M0) (lt)f0.0 null<1>:f r2.0<8;8,1>:f r4.0<8;8,1>:f",
        "cmp (16|M0) [(lt)f0.0] null<1>:f r2.0<8;8,1>:f r4.0<8;8,1>:f"
    )]
    #[case(
        "add (8|M0) (eq)f1.1 (sat)r4.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f",
        "add (8|M0) [(e)f1.1] (sat)r4.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f"
    )]
    #[case(
        "add (8|M0) r4.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f {Compacted}",
        "add (8|M0) r4.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f {Compact}"
    )]
    fn other_spellings_are_read(#[case] text: &str, #[case] talk: &str) {
        assert_eq!(on(Device::Skl, text), talk);
        assert!(parse(Device::G45, text).is_err());
        // On Gen12 with what the software scoreboard says.
        if !text.contains('{') {
            let options = if talk.contains("NoMask") { "NoMask, " } else { "" };
            let body = talk.split(" {").next().unwrap_or_default();
            let expected = format!("{body} {{{options}@2, $5.dst}}");
            assert_eq!(on(Device::Dg1, &format!("{text} {{@2,$5.dst}}")), expected);
        }
    }

    /// Disassemblers of Gen12 name the shared function behind the mnemonic.
    #[rstest]
    #[case("send.dc0 (8|M0) r10 r20 null 0x0 0x02106E00", "0xa 0x02106e00")]
    #[case("send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {$3}", "0xc 0x04205e00 {$3}")]
    #[case(
        "(W) send.DC0 (8|M0) null r20 r22 0x40 0x02026C00 {@1,$0}",
        "0x4a 0x02026c00 {NoMask, @1, $0}"
    )]
    #[case("send.ts (8|M0) null r112 null 0x0 0x02000010 {EOT}", "0x7 0x02000010 {EOT}")]
    #[case("sendc.rc (8|M0) null r6 null 0x5 0x10031400", "0x5 0x10031400")]
    #[case(
        "send.smpl (8|M0) r10 r20 null a0.2 0x02106E00",
        "a0.2<0;1,0>:ud 0x02106e00 {Sfid(0x2)}"
    )]
    #[case("send.null (8|M0) null r20 null 0x0 0x02000000", "0x0 0x02000000")]
    fn a_shared_function_behind_the_mnemonic_is_read(#[case] text: &str, #[case] plain: &str) {
        let printed = on(Device::Dg1, text);
        assert!(printed.ends_with(plain), "{printed}");
        assert_eq!(on(Device::Dg1, &printed), printed);
    }

    /// Every name has a code of the document's that is not reserved, and every such code a name.
    #[test]
    fn shared_functions_are_those_of_the_document() {
        let enums =
            parallax_spec::tables::rows::<std::collections::BTreeMap<String, String>>("dg1-enums");
        let listed = enums.iter().filter(|row| row["enum"] == "SFID");
        let listed = listed.filter(|row| !row["name"].to_lowercase().starts_with("reserved"));
        let codes: Vec<u8> = listed.map(|row| code(&row["value"])).collect();
        let known: Vec<u8> =
            crate::eu::text::names::SHARED_FUNCTIONS.iter().map(|(_, code)| *code).collect();
        assert_eq!(known, codes);
    }

    fn code(binary: &str) -> u8 {
        u8::from_str_radix(binary.trim_end_matches('b'), 2).expect("a code")
    }

    #[rstest]
    #[case(Device::Dg1, "send.dc4 (8|M0) r10 r20 null 0x0 0x02106E00", "did you mean `.dc")]
    #[case(Device::Dg1, "send.slm (8|M0) r10 r20 null 0x0 0x02106E00", "they are null, smpl,")]
    #[case(Device::Dg1, "send.dc0 (8|M0) r10 r20 null 0xc 0x02106E00", "names shared function 0xc")]
    #[case(
        Device::Dg1,
        "send. (8|M0) r10 r20 null 0xc 0x02106E00",
        "a shared function such as `dc0`"
    )]
    #[case(Device::Skl, "send.dc0 (8|M0) r10 r20 0x0 0x02106E00", "write dc0 as the low four bits")]
    #[case(Device::Ivb, "send.foo (8) r10 r20 0x0 0x02106E00", "`.foo` is no modifier")]
    fn a_wrong_shared_function_is_explained(
        #[case] device: Device,
        #[case] text: &str,
        #[case] what: &str,
    ) {
        let wrong = on(device, text);
        assert!(wrong.contains(what), "{wrong}");
    }

    #[rstest]
    #[case("(W f0.0) mov (8|M0) r4.0<1>:ud r0.0<8;8,1>:ud", "after `(W`")]
    #[case("(W&) mov (8|M0) r4.0<1>:ud r0.0<8;8,1>:ud", "&")]
    #[case("(W&f2.0) mov (8|M0) r4.0<1>:ud r0.0<8;8,1>:ud", "the flag register")]
    fn a_predicate_behind_a_write_enable_is_one(#[case] text: &str, #[case] what: &str) {
        let wrong = on(Device::Skl, text);
        assert!(wrong.contains(what), "{wrong}");
    }

    #[rstest]
    #[case("sends (8|M0) r4:ud r8 r9 0x42 0x024aa019")]
    #[case("sends (8|M0) r4:ud r8 r9 a0.2<0;1,0>:ud a0.0<0;1,0>:ud {Sfid(0x2)}")]
    #[case("goto (8|M0) 32 64 {BranchCtrl}")]
    #[case("join (8|M0) 16")]
    #[case("mov (8|M0) r4.0<1>:df 0.1:df")]
    #[case("mad (8|M0) r4.0<1>:hf r2.1<4>:hf r3.0<4>:f r5.0<4>:hf")]
    #[case("csel (8|M0) [(lt)f1.1] r4.0<1>:f r2.0<4>:f r3.0<4>:f r5.0<4>:f")]
    fn gen9_alone_has_it(#[case] text: &str) {
        assert_eq!(on(Device::Skl, text), text);
        assert!(parse(Device::Ivb, text).is_err());
    }

    #[test]
    fn labels_become_distances_in_the_units_of_the_generation() {
        let source = "cmp.nz.f0.0 (8) null<1>:d r2<8;8,1>:d 0:d
            (f0.0) if (8) OTHER, END
            mov (8) r1<1>:f 1.0:f
            else (8) END
            OTHER: mov (8) r1<1>:f 2.0:f
            END: endif (8) NEXT
            NEXT: jmpi (1) END {NoMask}";
        let text = on(Device::Ivb, source);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "(f0.0) if (8) 6 8");
        assert_eq!(lines[3], "else (8) 4");
        assert_eq!(lines[6], "jmpi (1) -4 {NoMask}");
        let text = on(Device::Skl, source);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "(f0.0) if (8|M0) 48 64");
        assert_eq!(lines[3], "else (8|M0) 32 32");
        assert_eq!(lines[6], "jmpi (1|M0) -32 {NoMask}");
    }

    #[rstest]
    #[case("add (8|M0) [(lte)f0.0] r4<1>:f r2<8;8,1>:f r3<8;8,1>:f", "`lte` is no condition")]
    #[case("add (8|M0) [(less)f0.0] r4<1>:f r2<8;8,1>:f r3<8;8,1>:f", "conditions are e,")]
    #[case("math (8) r4<1>:f r2<8;8,1>:f", "functions are inv,")]
    #[case("math.sqrt (8) r4<1>:f r2<8;8,1>:f", "did you mean `.sqt`?")]
    #[case("mov (8) r4<1>:f r2<8;8,1>:f {SecHalf}", "(8|M8)")]
    #[case("break (8) 12", "it has two")]
    #[case("break (8) 12", "`break (8) JIP UIP`")]
    #[case("rcp (8) r4<1>:f r2<8;8,1>:f", "write math.inv")]
    #[case("mov (8) r4<1>:q r2<8;8,1>:d", "ivb has no type `q`")]
    #[case("send (8) r4<1>:ud r8 0x2 0x824a0019", "the end of the thread is {EOT}")]
    fn mistakes_are_explained(#[case] text: &str, #[case] what: &str) {
        let wrong = on(Device::Ivb, text);
        assert!(wrong.contains(what), "{wrong}");
    }

    #[test]
    fn the_notation_of_the_talk_is_recognised_on_g45() {
        let text = "add (8) [(lt)f0.0] r4<1>:f r2<8;8,1>:f r3<8;8,1>:f";
        let wrong = on(Device::G45, text);
        assert!(wrong.contains("write `add.sat.l.f0.0 (8) …`"), "{wrong}");
    }
}
