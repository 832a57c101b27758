//! Dot products, line and pln, sums of absolute differences, compares (chapter 14).

use super::prelude::*;

checks! {
    Instruction UpToGen45 [each "g45.inst." Dp2 "dp2" Dp3 "dp3" Dp4 "dp4" Dph "dph" => ".execsize"]
        holds |f| f.native >= 4,
        "{op} works on groups of four channels; use an execution size of 4 or more";
    Source UpToGen45 [each "g45.inst." Dp2 "dp2" Dp3 "dp3" Dp4 "dp4" Dph "dph" => ".hstride"]
        about |_, s| s.horizontal().is_some(),
        holds |_, s| s.horizontal() == Some(1),
        "sources of {op} must have a horizontal stride of 1, as in <4;4,1>";
    Destination UpToGen45 [each "g45.inst." Dp2 "dp2" Dp3 "dp3" Dp4 "dp4" Dph "dph" => ".hstride"]
        about |_, d| !d.is_null(),
        holds |_, d| d.stride() == 1,
        "the destination of {op} must have a horizontal stride of 1";
    Instruction UpToGen45 [each "g45.inst." Line "line" Pln "pln" => ".execsize"]
        holds |f| [8, 16].contains(&f.channels),
        "{op} works on 8 or 16 channels";
    Source UpToGen45 [each "g45.inst." Line "line" Pln "pln" => ".src0-scalar"]
        about |_, s| s.index == 0 && !s.is_accumulator(),
        holds |_, s| is_replicated(s),
        "src0 of {op} must be a general register scalar <0;1,0>";
    Source UpToGen45 [each "g45.inst." Line "line" Pln "pln" => ".subreg"]
        about |_, s| s.index == 0,
        holds |_, s| !s.is_indirect() && s.subregister().is_multiple_of(16),
        "src0 of {op} must be named, at subregister .0 or .4";
    Source UpToGen45 ["g45.inst.pln.src1-even"] of [Pln]
        about |_, s| s.index == 1 && !s.is_immediate(),
        holds |_, s| s.is_general_direct() && s.number().is_multiple_of(2) && s.subregister() == 0,
        "src1 of pln must name an even general register; the next one is read too";
    Instruction UpToGen45 [each "g45.inst." Sad2 "sad2" Sada2 "sada2" => ".execsize"]
        holds |f| f.native > 1,
        "{op} adds pairs of channels; use an execution size of 2 or more";
    Destination UpToGen45 [each "g45.inst." Sad2 "sad2" Sada2 "sada2" => ".dst-region"]
        about |_, d| !d.is_null(),
        holds |_, d| d.step() == 2 && d.subregister().is_multiple_of(4),
        "the destination of {op} is words side by side from an even word on";
    Instruction UpToGen45 ["g45.inst.lzd.exec-dword"] of [Lzd]
        holds |f| f.native <= 8,
        "lzd works on 32-bit channels: at most 8, or 16 compressed";
    Destination UpToGen45 [each "g45.inst." Cmp "cmp" Cmpn "cmpn" => ".dst-kinds"]
        holds |_, d| [None, Some(ArfKind::Null)].contains(&d.arf()),
        "{op} writes to a general or message register or null, never to another architecture \
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
    region && s.is_general()
}
