//! Text of other tools against machine code that they made of it.

use parallax_isa::{
    Device, Syntax,
    eu::{
        instruction::Instruction,
        program::Program,
        text::{self, Detail},
    },
};
use rstest::rstest;

/// The rows of a table, without its heading.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|line| line.split('\t').collect())
}

fn code(device: Device, syntax: Syntax, source: &str) -> Result<String, String> {
    let source = source.replace("\\n", "\n");
    let assembly = text::parse_as(device, syntax, &source)
        .map_err(|wrong| wrong.iter().map(|one| one.render("-", &source)).collect::<String>())?;
    Ok(assembly.program.bytes().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Texts that are judged otherwise here than by the tool, and why.
const JUDGED_OTHERWISE: [(&str, &str); 4] = [
    (
        "calla (1|M0) r20.0 0x100",
        "what is printed of a part of a kernel is read back; `check` says so of a program",
    ),
    (
        "mad (8|M0) r10.0<1>:nf r1.0<8;1>:nf r2.0<8;1>:f r3.0<1>:f",
        "no document has the type nf (dg1.ternary.code-111b.float)",
    ),
    ("mov (1|M0) r10.0<1>:ud msg0.0<0;1,0>:ud", "no document of dg1 has the register"),
    ("(W) sync.allwr (8|M0) null", "the channels are printed, since the word has them"),
];

fn is_judged_otherwise(text: &str) -> bool {
    JUDGED_OTHERWISE.iter().any(|(row, _)| *row == text)
}

#[rstest]
#[case(Device::Skl, include_str!("dialects/iga-skl.tsv"))]
#[case(Device::Dg1, include_str!("dialects/iga-dg1.tsv"))]
fn iga_text_is_read_as_iga_reads_it(#[case] device: Device, #[case] table: &'static str) {
    let mut wrong = Vec::new();
    for row in rows(table) {
        let [text, words, _] = row[..] else { panic!("{row:?}") };
        let words = words.replace(' ', "");
        match code(device, Syntax::Iga, text) {
            Ok(code) if code == words => {}
            _ if is_judged_otherwise(text) => {}
            Err(_) if words.is_empty() => {}
            Ok(code) if words.is_empty() => wrong.push(format!("{text}\n  taken: {code}")),
            Ok(code) => wrong.push(format!("{text}\n  is    {code}\n  not   {words}")),
            Err(error) => wrong.push(format!("{text}\n  {error}")),
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Programs in this project's own syntax, without what no field has.
fn own(device: Device, code: &[u8]) -> Vec<String> {
    let program = Program::decode(device, code).expect("decodes");
    let instructions = program.instructions().iter();
    instructions
        .map(|placed| {
            let plain = Instruction { residue: 0, compact_residue: 0, ..placed.instruction };
            text::print(device, &plain).replace("<0>.xxxx", "<0>")
        })
        .collect()
}

#[rstest]
fn mesa_text_is_read_as_mesa_writes_it() {
    let mut wrong = Vec::new();
    for row in rows(include_str!("dialects/mesa.tsv")) {
        let [device, source, words] = row[..] else { panic!("{row:?}") };
        let device: Device = device.parse().expect("is a device");
        let source = source.replace("\\n", "\n");
        let words: Vec<u8> = bytes(words);
        match text::parse_as(device, Syntax::Mesa, &source) {
            Ok(_) if words.is_empty() => wrong.push(format!("{source}\n  is taken")),
            Err(_) if words.is_empty() => {}
            Ok(assembly) => {
                let (is, expected) = (own(device, assembly.program.bytes()), own(device, &words));
                if is != expected {
                    wrong.push(format!("{source}\n  is  {is:?}\n  not {expected:?}"));
                }
            }
            Err(error) => {
                let error: String = error.iter().map(|one| one.render("-", &source)).collect();
                wrong.push(format!("{device} {source}\n  {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pairs = digits.chunks(2).map(|pair| std::str::from_utf8(pair).expect("is ASCII"));
    pairs.map(|pair| u8::from_str_radix(pair, 16).expect("is hexadecimal")).collect()
}

/// A text without blanks, comments and labels on lines of their own.
fn bare(text: &str) -> Vec<String> {
    let statements = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    statements
        .map(|line| line.chars().filter(|c| !c.is_whitespace()).collect::<String>())
        .filter(|line| !line.is_empty() && !line.ends_with(':'))
        .collect()
}

#[rstest]
#[case(Device::Skl, include_str!("dialects/iga-skl.tsv"))]
#[case(Device::Dg1, include_str!("dialects/iga-dg1.tsv"))]
fn iga_text_is_printed_as_iga_prints_it(#[case] device: Device, #[case] table: &'static str) {
    let mut wrong = Vec::new();
    for row in rows(table) {
        let [text, words, prints] = row[..] else { panic!("{row:?}") };
        if words.is_empty() {
            continue;
        }
        let program = match Program::decode(device, &bytes(words)) {
            Ok(program) => program,
            Err(_) if is_judged_otherwise(text) => continue,
            Err(error) => panic!("{text}: {error}"),
        };
        let printed = text::print_as(Syntax::Iga, Detail::Readable, &program);
        let expected = if prints.is_empty() { text } else { prints };
        let expected = bare(&expected.replace(" | ", "\n").replace("\\n", "\n"));
        if bare(&printed.to_string()) != expected && !is_judged_otherwise(text) {
            wrong.push(format!(
                "{text}\n  is  {:?}\n  not {expected:?}",
                bare(&printed.to_string())
            ));
        }
        let printed = text::print_as(Syntax::Iga, Detail::Exact, &program);
        let read = text::parse_as(device, Syntax::Iga, &printed.to_string());
        let read = read.map(|assembly| assembly.program.bytes().to_vec());
        if read.as_deref() != Ok(program.bytes()) {
            wrong.push(format!("{printed}is not read as {words}: {read:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[rstest]
fn mesa_text_is_printed_as_mesa_prints_it() {
    let mut wrong = Vec::new();
    for row in rows(include_str!("dialects/mesa.tsv")) {
        let [device, source, words] = row[..] else { panic!("{row:?}") };
        let device: Device = device.parse().expect("is a device");
        if words.is_empty() {
            continue;
        }
        let program = Program::decode(device, &bytes(words)).expect("decodes");
        let printed = text::print_as(Syntax::Mesa, Detail::Readable, &program);
        let expected = bare(&source.replace("\\n", "\n").replace("/* ", "/*")).join("");
        let is = bare(&printed.to_string()).join("");
        // Machine code of another assembler, with a region that operands of messages do not have.
        let has_region = expected.contains("g[a0]<UD") || expected.contains("null<0>.xUD");
        if is != expected && !has_region {
            wrong.push(format!("is  {is}\nnot {expected}"));
        }
        let printed = text::print_as(Syntax::Mesa, Detail::Exact, &program);
        let read = text::parse_as(device, Syntax::Mesa, &printed.to_string());
        let read = read.map(|assembly| assembly.program.bytes().to_vec());
        if read.as_deref() != Ok(program.bytes()) {
            wrong.push(format!("{printed}is not read as {words}: {read:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is said of a message, blank for blank, in compiled shaders: each kind of message once.
#[test]
fn messages_are_said_as_mesa_says_them() {
    let mut wrong = Vec::new();
    for row in rows(include_str!("dialects/mesa-messages.tsv")) {
        let [device, expected, words] = row[..] else { panic!("{row:?}") };
        let program = Program::decode(device.parse().expect("is a device"), &bytes(words));
        let program = program.expect("decodes");
        let printed = text::print_as(Syntax::Mesa, Detail::Readable, &program).to_string();
        let said = printed.split_once("MsgDesc:").and_then(|(_, said)| said.split_once(" {"));
        let said = said.map_or("", |(said, _)| said).trim_start();
        if said != expected {
            wrong.push(format!("{device} is  {said}\n    not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(20_000))]

    /// Text that is nearly right is taken or refused with the place, never half read.
    #[test]
    fn mutated_text_is_refused_in_words(
        row in proptest::sample::select(all_rows()),
        at: proptest::sample::Index,
        with in "[ -~é€]{0,3}",
        removed in 0_usize..4,
    ) {
        let (device, syntax, source) = row;
        let source = source.replace("\\n", "\n");
        let at = at.index(source.len() + 1);
        let end = (at + removed).min(source.len());
        let mutated = format!("{}{with}{}", &source[..at], &source[end..]);
        match text::parse_as(device, syntax, &mutated) {
            Ok(assembly) => {
                // What was taken is printed and read as the same.
                let printed = text::print_as(syntax, Detail::Exact, &assembly.program).to_string();
                let read = text::parse_as(device, syntax, &printed).map(|read| read.program);
                proptest::prop_assert_eq!(Ok(assembly.program), read, "{}: {}", mutated, printed);
            }
            Err(wrong) => for one in wrong {
                let line = mutated.lines().nth(one.line - 1).unwrap_or_default();
                proptest::prop_assert!(one.column <= line.chars().count() + 1, "{mutated}: {one:?}");
                proptest::prop_assert!(!one.message.is_empty());
            },
        }
    }
}

/// The rows of all tables.
fn all_rows() -> Vec<(Device, Syntax, &'static str)> {
    let iga = [
        (Device::Skl, include_str!("dialects/iga-skl.tsv")),
        (Device::Dg1, include_str!("dialects/iga-dg1.tsv")),
    ];
    let iga = iga
        .into_iter()
        .flat_map(|(device, table)| rows(table).map(move |row| (device, Syntax::Iga, row[0])));
    let mesa = rows(include_str!("dialects/mesa.tsv"))
        .map(|row| (row[0].parse().expect("is a device"), Syntax::Mesa, row[1]));
    iga.chain(mesa).collect()
}

/// The blocks of a page in a language.
fn blocks(page: &'static str, language: &str) -> Vec<&'static str> {
    let mut parts = page.split("```");
    let mut found = Vec::new();
    while let (Some(_), Some(block)) = (parts.next(), parts.next()) {
        found.extend(block.strip_prefix(language).and_then(|rest| rest.strip_prefix('\n')));
    }
    found
}

#[rstest]
#[case(
    Syntax::Iga,
    &[Device::Skl, Device::Dg1],
    include_str!("../../../docs/src/syntax/iga.md")
)]
#[case(
    Syntax::Mesa,
    &[Device::G45, Device::Skl, Device::Dg1],
    include_str!("../../../docs/src/syntax/mesa.md")
)]
fn examples_of_the_pages_are_read(
    #[case] syntax: Syntax,
    #[case] devices: &[Device],
    #[case] page: &'static str,
) {
    let blocks = blocks(page, syntax.name());
    assert_eq!(blocks.len(), devices.len());
    for (device, source) in devices.iter().zip(blocks) {
        assert_eq!(text::recognise(*device, source), syntax, "{source}");
        if let Err(wrong) = text::parse_as(*device, syntax, source) {
            panic!("{}", wrong[0].render("page", source));
        }
    }
}

/// Marks, tabs, line ends and comments as files of other systems have them.
#[rstest]
#[case(Syntax::Iga, "\u{FEFF}// all\r\n(W)\tmov (8|M0)\tr4.0<1>:f /* one\r\n*/ 1.0:f\r\n")]
#[case(
    Syntax::Mesa,
    "\u{FEFF}mov(8)\tg4<1>F\r\n  0x3f800000F /* 1F */ { align1 WE_all 1Q }; // end\r\n"
)]
fn foreign_line_ends_are_read(#[case] syntax: Syntax, #[case] source: &str) {
    assert_eq!(text::recognise(Device::Skl, source), syntax);
    let assembly = text::parse_as(Device::Skl, syntax, source).expect("is text");
    let texts = text::print_as(Syntax::Iga, Detail::Readable, &assembly.program).instructions;
    assert_eq!(texts, ["(W) mov (8|M0) r4.0<1>:f 1.0:f"]);
}

/// What `INTEL_DEBUG` prints around the instructions of a shader is skipped.
#[test]
fn shader_dumps_of_mesa_are_read() {
    let dump = "Native code for unnamed fragment shader GLSL1 (sha1 0f):\n\
                SIMD8 shader: 2 instructions. 0 loops. 12 cycles.\n   START B0 (12 cycles)\n\
                mov(8) g2<1>F g3<8,8,1>F { align1 1Q };\nnop ;\n   END B0\n";
    assert_eq!(text::recognise(Device::Skl, dump), Syntax::Mesa);
    let program = text::parse_as(Device::Skl, Syntax::Mesa, dump).expect("is text").program;
    assert_eq!(program.instructions().len(), 2);
}

/// A statement without an end is not kept for long.
#[test]
fn statements_that_do_not_end_are_bounded() {
    let source = "mov(8) g4<1>F g3<8,8,1>F { align1 1Q }\n".repeat(10_000);
    let wrong = text::parse_as(Device::Skl, Syntax::Mesa, &source).expect_err("does not end");
    assert!(wrong.len() > 1, "{wrong:?}");
    assert_eq!((wrong[0].line, wrong[0].column), (2, 1), "{wrong:?}");
    assert!(wrong[0].message.contains("expected `;` after the options"), "{wrong:?}");
}

/// Nor is a line that is longer than any instruction looked at.
#[rstest]
fn long_lines_are_refused(#[values(Syntax::Manual, Syntax::Iga, Syntax::Mesa)] syntax: Syntax) {
    let source = format!("nop\n(W) {}", "-".repeat(1 << 20));
    assert_eq!(text::recognise(Device::Skl, &source), Syntax::Manual);
    let wrong = text::parse_as(Device::Skl, syntax, &source).expect_err("is too long");
    let last = wrong.last().expect("one");
    assert!(last.line == 2 && last.message.contains("longer than any instruction"), "{wrong:?}");
}

/// With and without a point.
#[rstest]
#[case("0x1p-3", "0.125")]
#[case("-0x1p-3", "-0.125")]
#[case("0x1.8p+1", "3.0")]
#[case("0x3p1 + 0x1p0", "7.0")]
fn hexadecimal_floats_are_read(#[case] hexadecimal: &str, #[case] decimal: &str) {
    let of = |value| {
        code(Device::Skl, Syntax::Iga, &format!("mov (8|M0) r4.0<1>:f {value}:f")).expect(value)
    };
    assert_eq!(of(hexadecimal), of(decimal));
}

#[rstest]
#[case::another_tools(
    Syntax::Iga,
    "(W) mov (8|M0) r4.0<1>:f 1.0:f\nmov(8) g4<1>F g3<8,8,1>F { align1 1Q };",
    2,
    13
)]
#[case::capitals(Syntax::Iga, "ADD (8|M0) r4.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f", 1, 1)]
#[case::length(Syntax::Iga, "send (8|M0) r10 r4:2 0xC 0x04205E00", 1, 19)]
#[case::no_size(Syntax::Iga, "add r4.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f", 1, 5)]
#[case::no_type(Syntax::Iga, "mov (8|M0) r4.0<1> 1.0:f", 1, 20)]
#[case::label(Syntax::Iga, "L1: nop", 1, 5)]
#[case::integer_as_float(Syntax::Iga, "mov (8|M0) r4.0<1>:f 2:f", 1, 22)]
#[case::no_end(Syntax::Mesa, "mov(8) g4<1>F g3<8,8,1>F { align1 1Q }", 1, 1)]
#[case::own_text(Syntax::Mesa, "mov (8) r4<1>:f r2<8;8,1>:f;", 1, 21)]
#[case::option(Syntax::Mesa, "mov(8) g4<1>F g3<8,8,1>F { align1 9Q };", 1, 35)]
#[case::no_end_before_another(Syntax::Mesa, "nop\nmov(8) g4<1>F g3<8,8,1>F { align1 1Q };", 2, 1)]
#[case::group_of_more_bytes(Syntax::Mesa, "mov(8) g4<1>F g3<8,8,1>F { align1 1é };", 1, 35)]
#[case::no_value(Syntax::Mesa, "mov(8) g10<1>HF Half Float IMM { align1 1Q };", 1, 17)]
#[case::another_device(Syntax::Iga, "do(8) { align1 };", 1, 1)]
fn mistakes_are_shown_where_they_are(
    #[case] syntax: Syntax,
    #[case] source: &str,
    #[case] line: usize,
    #[case] column: usize,
) {
    let wrong = text::parse_as(Device::Skl, syntax, source).expect_err("is wrong");
    assert_eq!(
        (wrong[0].line, wrong[0].column),
        (line, column),
        "{}",
        wrong[0].render("-", source)
    );
}
