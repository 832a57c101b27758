//! Dot products, line and pln, sums of absolute differences, compares (chapter 14).

use super::prelude::*;

/// The four dot products say the same of their operands.
macro_rules! with_dot_products {
    ($($opcode:ident $mnemonic:literal;)* | $($rest:tt)*) => {
        checks! {
            $(Instruction UpToGen45 [concat!("g45.inst.", $mnemonic, ".execsize")]
                about |f| f.opcode == Opcode::$opcode,
                holds |f| f.native >= 4,
                concat!($mnemonic, " works on groups of four channels; use an execution size of 4 or more");
            Source UpToGen45 [concat!("g45.inst.", $mnemonic, ".hstride")]
                about |f, s| f.opcode == Opcode::$opcode && s.horizontal().is_some(),
                holds |_, s| s.horizontal() == Some(1),
                concat!("sources of ", $mnemonic, " must have a horizontal stride of 1, as in <4;4,1>");
            Destination UpToGen45 [concat!("g45.inst.", $mnemonic, ".hstride")]
                about |f, d| f.opcode == Opcode::$opcode && !d.is_null(),
                holds |_, d| d.stride() == 1,
                concat!("the destination of ", $mnemonic, " must have a horizontal stride of 1");)*
            $($rest)*
        }
    };
}

with_dot_products! {
    Dp2 "dp2";
    Dp3 "dp3";
    Dp4 "dp4";
    Dph "dph";
    |
    Instruction UpToGen45 ["g45.inst.line.execsize"]
        about |f| f.opcode == Opcode::Line,
        holds |f| [8, 16].contains(&f.channels),
        "line works on 8 or 16 channels";
    Source UpToGen45 ["g45.inst.line.src0-scalar"]
        about |f, s| f.opcode == Opcode::Line && s.index == 0 && !s.is_accumulator(),
        holds |_, s| is_replicated(s),
        "src0 of line must be a general register scalar <0;1,0>";
    Source UpToGen45 ["g45.inst.line.subreg"]
        about |f, s| f.opcode == Opcode::Line && s.index == 0,
        holds |_, s| !s.is_indirect() && s.subregister().is_multiple_of(16),
        "src0 of line must be named, at subregister .0 or .4";
    Instruction UpToGen45 ["g45.inst.pln.execsize"]
        about |f| f.opcode == Opcode::Pln,
        holds |f| [8, 16].contains(&f.channels),
        "pln works on 8 or 16 channels";
    Source UpToGen45 ["g45.inst.pln.src0-scalar"]
        about |f, s| f.opcode == Opcode::Pln && s.index == 0 && !s.is_accumulator(),
        holds |_, s| is_replicated(s),
        "src0 of pln must be a general register scalar <0;1,0>";
    Source UpToGen45 ["g45.inst.pln.subreg"]
        about |f, s| f.opcode == Opcode::Pln && s.index == 0,
        holds |_, s| !s.is_indirect() && s.subregister().is_multiple_of(16),
        "src0 of pln must be named, at subregister .0 or .4";
    Source UpToGen45 ["g45.inst.pln.src1-even"]
        about |f, s| f.opcode == Opcode::Pln && s.index == 1 && !s.is_immediate(),
        holds |_, s| {
            let file = s.register().map(|register| register.file());
            file == Some(RegisterFile::Grf) && !s.is_indirect() && s.number().is_multiple_of(2) && s.subregister() == 0
        },
        "src1 of pln must name an even general register; the next one is read too";
    Instruction UpToGen45 ["g45.inst.sad2.execsize"]
        about |f| f.opcode == Opcode::Sad2,
        holds |f| f.native > 1,
        "sad2 adds pairs of channels; use an execution size of 2 or more";
    Destination UpToGen45 ["g45.inst.sad2.dst-region"]
        about |f, d| f.opcode == Opcode::Sad2 && !d.is_null(),
        holds |_, d| d.step() == 2 && d.subregister().is_multiple_of(4),
        "the destination of sad2 is words side by side from an even word on";
    Instruction UpToGen45 ["g45.inst.sada2.execsize"]
        about |f| f.opcode == Opcode::Sada2,
        holds |f| f.native > 1,
        "sada2 adds pairs of channels; use an execution size of 2 or more";
    Destination UpToGen45 ["g45.inst.sada2.dst-region"]
        about |f, d| f.opcode == Opcode::Sada2 && !d.is_null(),
        holds |_, d| d.step() == 2 && d.subregister().is_multiple_of(4),
        "the destination of sada2 is words side by side from an even word on";
    Instruction UpToGen45 ["g45.inst.lzd.exec-dword"]
        about |f| f.opcode == Opcode::Lzd,
        holds |f| f.native <= 8,
        "lzd works on 32-bit channels: at most 8, or 16 compressed";
    Destination UpToGen45 ["g45.inst.cmp.dst-kinds"]
        about |f, _| f.opcode == Opcode::Cmp,
        holds |_, d| [None, Some(ArfKind::Null)].contains(&d.arf()),
        "cmp writes to a general or message register or null, never to another architecture \
         register";
    Destination UpToGen45 ["g45.inst.cmpn.dst-kinds"]
        about |f, _| f.opcode == Opcode::Cmpn,
        holds |_, d| [None, Some(ArfKind::Null)].contains(&d.arf()),
        "cmpn writes to a general or message register or null, never to another architecture \
         register";
}

/// One element of a general register for all channels; in Align16 a row that repeats, with one channel selected.
fn is_replicated(s: &SourceFacts) -> bool {
    let region = match s.shape() {
        Some(Region::Align16 { vertical, swizzle }) => {
            vertical == VerticalStride::Elements(0) && swizzle.iter().all(|c| *c == swizzle[0])
        }
        Some(Region::Align1 { .. }) => s.is_scalar() && s.width() == Some(1),
        None => false,
    };
    region && s.register().is_some_and(|register| register.file() == RegisterFile::Grf)
}
