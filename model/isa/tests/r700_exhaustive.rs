//! All 2^16 upper halves of every dword of every kind of R700 instruction: each decodes, and then
//! its fields and reserved bits are the same dwords again, or is refused by the name of a field that
//! has the value the message gives.

use parallax_isa::r700::{
    Alu, Cf, Fetch,
    decode::{DecodeError, FetchClause, alu, control_flow, fetch},
    microcode::{
        AluOp2, AluOp3, CfAluWord, CfWord, ExportBuffer, ExportSwizzle, Field, Format, LocalRead,
        LocalWrite, MemoryRead, SemanticFetch, TextureFetch, VertexFetch,
    },
    opcode::{AluFormat, AluOpcode, CfFormat, CfOpcode},
};
use rstest::rstest;

/// Lower halves that the upper ones are tried with.
const LOWER: [u32; 6] = [0, 0xFFFF, 0x8000, 0x5555, 0xAAAA, 0x00F9];

fn cf_format(cf: Cf) -> Format {
    match cf {
        Cf::Plain(_) => CfWord::FORMAT,
        Cf::Alu(_) => CfAluWord::FORMAT,
        Cf::Export(_) => ExportSwizzle::FORMAT,
        Cf::Memory(_) => ExportBuffer::FORMAT,
    }
}

fn alu_format(alu: Alu) -> Format {
    match alu {
        Alu::Op2(_) => AluOp2::FORMAT,
        Alu::Op3(_) => AluOp3::FORMAT,
    }
}

fn fetch_format(fetch: Fetch) -> Format {
    match fetch {
        Fetch::Vertex(_) => VertexFetch::FORMAT,
        Fetch::Semantic(_) => SemanticFetch::FORMAT,
        Fetch::Texture(_) => TextureFetch::FORMAT,
        Fetch::MemoryRead(_) => MemoryRead::FORMAT,
        Fetch::LocalWrite(_) => LocalWrite::FORMAT,
        Fetch::LocalRead(_) => LocalRead::FORMAT,
    }
}

/// An instruction put together again from the values of its fields and its reserved bits.
fn rebuilt(format: Format, dwords: &[u32]) -> Vec<u32> {
    let reserved = format.reserved();
    let mut built: Vec<u32> =
        dwords.iter().zip(reserved).map(|(dword, mask)| dword & mask).collect();
    for field in format.fields {
        field.set(&mut built, field.get(dwords));
    }
    built
}

/// Holds one decoding against the dwords. Whether they decode.
fn holds(dwords: &[u32], decoded: Result<(Format, Vec<u32>), DecodeError>) -> bool {
    match decoded {
        Ok((format, again)) => {
            assert_eq!(again, dwords, "{}", format.name);
            assert_eq!(rebuilt(format, dwords), dwords, "{}", format.name);
            true
        }
        Err(error) => {
            assert_eq!(error.field.get(dwords), error.value, "{error}");
            assert!(error.to_string().contains(error.field.name), "{error}");
            false
        }
    }
}

/// All upper halves of one dword, the others given. How many of them decode.
fn sweep<const N: usize>(
    start: [u32; N],
    dword: usize,
    decode: impl Fn([u32; N]) -> Result<(Format, Vec<u32>), DecodeError>,
) -> usize {
    (0..=u32::from(u16::MAX))
        .filter(|upper| {
            let mut dwords = start;
            dwords[dword] = dwords[dword] & 0xFFFF | upper << 16;
            holds(&dwords, decode(dwords))
        })
        .count()
}

#[test]
fn control_flow_instructions() {
    let decode = |dwords| control_flow(dwords).map(|cf| (cf_format(cf), cf.dwords().to_vec()));
    for lower in LOWER {
        let decoded = sweep([0, lower], 1, decode);
        assert!(decoded > 0, "{lower:x}");
    }
    // The first dword has the whole address: all of its upper halves decode under every opcode.
    for &opcode in CfOpcode::ALL {
        let field: Field = match opcode.format() {
            CfFormat::Plain => CfWord::CF_INST,
            CfFormat::Alu => CfAluWord::CF_INST,
            CfFormat::Export => ExportSwizzle::CF_INST,
            CfFormat::Memory => ExportBuffer::CF_INST,
        };
        let mut start = [0; 2];
        field.set(&mut start, opcode.code());
        assert_eq!(sweep(start, 0, decode), 1 << 16, "{}", opcode.mnemonic());
    }
}

#[test]
fn alu_instructions() {
    let decode = |dwords| alu(dwords).map(|alu| (alu_format(alu), alu.dwords().to_vec()));
    for lower in LOWER {
        for first in [0, 0x0000_00F9, 0xE000_01FF] {
            sweep([first, lower], 1, decode);
        }
    }
    for &opcode in AluOpcode::ALL {
        let field = match opcode.row().format {
            AluFormat::Op2 => AluOp2::ALU_INST,
            AluFormat::Op3 => AluOp3::ALU_INST,
        };
        let mut start = [0; 2];
        field.set(&mut start, opcode.row().code);
        let decoded = sweep(start, 0, decode);
        // Bits 31:16: LAST, three of four PRED_SEL, seven of eight INDEX_MODE, the rest of src1,
        // whose upper bits alone say nothing: 0 is a select.
        let modes = 2 * 3 * 7;
        let selects = if opcode.row().sources.len() < 2 { 1 << 10 } else { (1 << 10) - defined() };
        assert_eq!(decoded, modes * selects, "{}", opcode.mnemonic());
    }
}

/// Upper parts of SRC1_SEL (bits 21:16, the lower ones zero) that name no source, with every value
/// of the four bits above.
fn defined() -> usize {
    (0..1_usize << 6).filter(|upper| (192..=243).contains(&(upper << 3))).count() << 4
}

#[rstest]
#[case::vertex(FetchClause::Vertex)]
#[case::texture(FetchClause::Texture)]
fn fetch_instructions(#[case] clause: FetchClause) {
    let decode = |dwords: [u32; 4]| {
        fetch(clause, dwords).map(|fetch| (fetch_format(fetch), fetch.dwords().to_vec()))
    };
    // Opcodes, and MEM_OP of the memory ones.
    let memory = (0..8).map(|operation| 2 | operation << 8);
    for first in (0..32).chain(memory) {
        for dword in 0..3 {
            for lower in [0, 0xFFFF] {
                let mut start = [first, 0, 0, 0];
                if dword > 0 {
                    start[dword] = lower;
                }
                sweep(start, dword, decode);
            }
        }
    }
}
