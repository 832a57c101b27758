//! Bits that no field covers must be zero (chapter 10).

use parallax_spec::{RuleId, rule_id};

use super::Findings;
use crate::r700::{
    instruction::{Cf, Fetch},
    program::{Clause, Program},
};

/// Reserved bits of a format.
struct Reserved {
    /// Name of the format's type.
    format: &'static str,
    dword: usize,
    high: u32,
    low: u32,
    rule: RuleId,
}

impl Reserved {
    const fn mask(&self) -> u32 {
        (u32::MAX >> (31 - (self.high - self.low))) << self.low
    }
}

macro_rules! reserved {
    ($($format:ident $dword:literal [$high:literal : $low:literal] $rule:literal;)*) => {
        static RESERVED: &[Reserved] = &[$(Reserved {
            format: stringify!($format),
            dword: $dword,
            high: $high,
            low: $low,
            rule: rule_id!($rule),
        }),*];
    };
}

reserved! {
    CfWord 1 [20:20] "r700.enc.cf_word1.reserved-20";
    ExportBuffer 1 [16:16] "r700.enc.cf_alloc_export_word1_buf.unused-16";
    ExportSwizzle 1 [16:12] "r700.enc.cf_alloc_export_word1_swiz.unused-16-12";
    VertexFetch 1 [8:8] "r700.enc.vtx_word1.reserved-8";
    VertexFetch 2 [31:21] "r700.enc.vtx_word2.reserved-31-21";
    VertexFetch 3 [31:0] "r700.enc.vtx.pad";
    SemanticFetch 1 [8:8] "r700.enc.vtx_word1.reserved-8";
    SemanticFetch 2 [31:21] "r700.enc.vtx_word2.reserved-31-21";
    SemanticFetch 3 [31:0] "r700.enc.vtx.pad";
    TextureFetch 0 [6:6] "r700.enc.tex_word0.reserved-6";
    TextureFetch 0 [31:25] "r700.enc.tex_word0.reserved-31-25";
    TextureFetch 1 [8:8] "r700.enc.tex_word1.reserved-8";
    TextureFetch 3 [31:0] "r700.enc.tex.pad";
    MemoryRead 0 [15:15] "r700.enc.mem_rd_word0.reserved-15";
    MemoryRead 0 [31:30] "r700.enc.mem_rd_word0.reserved-31-30";
    MemoryRead 1 [8:8] "r700.enc.mem_rd_word1.reserved-8";
    MemoryRead 1 [21:21] "r700.enc.mem_rd_word1.reserved-21";
    MemoryRead 2 [15:13] "r700.enc.mem_rd_word2.reserved-15-13";
    MemoryRead 2 [18:18] "r700.enc.mem_rd_word2.reserved-18";
    MemoryRead 3 [31:0] "r700.enc.mem_rd.pad";
    LocalWrite 0 [7:5] "r700.enc.mem_dsw_word0.reserved-7-5";
    LocalWrite 1 [15:8] "r700.enc.mem_dsw_word1.reserved-15-8";
    LocalWrite 1 [30:25] "r700.enc.mem_dsw_word1.reserved-30-25";
    LocalWrite 2 [31:4] "r700.enc.mem_dsw_word2.reserved-31-4";
    LocalWrite 3 [31:0] "r700.enc.mem_dsw.pad";
    LocalRead 0 [7:5] "r700.enc.mem_dsr_word0.reserved-7-5";
    LocalRead 1 [15:13] "r700.enc.mem_dsr_word1.reserved-15-13";
    LocalRead 1 [19:18] "r700.enc.mem_dsr_word1.reserved-19-18";
    LocalRead 1 [31:23] "r700.enc.mem_dsr_word1.reserved-31-23";
    LocalRead 2 [31:4] "r700.enc.mem_dsr_word2.reserved-31-4";
    LocalRead 3 [31:0] "r700.enc.mem_dsr.pad";
}

pub(super) fn check(program: &Program, findings: &mut Findings) {
    for (&address, cf) in &program.control_flow {
        let format = match cf {
            Cf::Plain(_) => "CfWord",
            Cf::Alu(_) => "CfAluWord",
            Cf::Export(_) => "ExportSwizzle",
            Cf::Memory(_) => "ExportBuffer",
        };
        zeros(address, format, &cf.dwords(), findings);
    }
    for (&start, clause) in &program.clauses {
        let Clause::Fetch(_, fetches) = clause else { continue };
        for (address, fetch) in (start..).step_by(2).zip(fetches) {
            let format = match fetch {
                Fetch::Vertex(_) => "VertexFetch",
                Fetch::Semantic(_) => "SemanticFetch",
                Fetch::Texture(_) => "TextureFetch",
                Fetch::MemoryRead(_) => "MemoryRead",
                Fetch::LocalWrite(_) => "LocalWrite",
                Fetch::LocalRead(_) => "LocalRead",
            };
            zeros(address, format, &fetch.dwords(), findings);
        }
    }
}

fn zeros(address: u32, format: &str, dwords: &[u32], findings: &mut Findings) {
    for reserved in RESERVED.iter().filter(|reserved| reserved.format == format) {
        let Reserved { dword, high, low, rule, .. } = *reserved;
        if dwords[dword] & reserved.mask() != 0 {
            let message = format!("bits {high}:{low} of dword {dword} are reserved and must be 0");
            findings.add(address, &[rule], message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::r700::microcode::FORMATS;

    /// Every bit of every format is in a field or in a row here, and never in both.
    #[test]
    fn rows_are_what_the_fields_leave() {
        for format in FORMATS {
            let mut rows = vec![0; format.dwords];
            for reserved in RESERVED.iter().filter(|reserved| reserved.format == format.name) {
                assert_eq!(rows[reserved.dword] & reserved.mask(), 0, "{}", format.name);
                rows[reserved.dword] |= reserved.mask();
            }
            assert_eq!(rows, format.reserved(), "{}", format.name);
        }
    }
}
