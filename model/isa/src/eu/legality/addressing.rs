//! Register-indirect operands (section 11.3.10, rule 13) and movi.

use super::{
    prelude::*,
    region::{is_aligned_group, rows},
};

checks! {
    Source UpToGen45 ["g45.rr.13-1-indirect-support", "g45.operand.indirect-which"]
        about |f, s| f.is_data() && s.index == 1 && s.is_indirect(),
        holds |f, _| f.device.has(Feature::IndirectSource1),
        "this device cannot address src1 indirectly; exchange the sources or load it first";
    Source UpToGen45 ["g45.rr.13-2-src1-1x1", "g45.field.vertstride.src1"]
        about |f, s| f.is_data() && s.index == 1,
        holds |_, s| !s.is_multi_index(),
        "only src0 can have an address for each row; exchange the sources";
    Source UpToGen45 ["g45.rr.15-32-wide"]
        about |f, s| f.is_data() && s.is_multi_index() && s.index == 0,
        holds |_, s| s.is_indirect(),
        "a vertical stride of one address per row needs register-indirect addressing";
    Source UpToGen45 ["g45.rr.13-1-indirect-support"]
        about |f, s| f.is_data() && s.is_indirect(),
        holds |_, s| s.is_general(),
        "only general registers can be read indirectly";
    Destination UpToGen45 ["g45.mrf.indirect"]
        about |f, d| f.is_data() && d.is_indirect() && d.is_in(RegisterFile::Mrf),
        holds |f, _| f.device.has(Feature::IndirectMrf),
        "this device cannot address message registers indirectly; name the register";
    Destination UpToGen45 ["g45.dst.direct-indirect", "g45.rr.13-3-dst-1x1"]
        about |f, d| f.is_data() && d.is_indirect(),
        holds |_, d| !d.is_in(RegisterFile::Arf),
        "architecture registers cannot be written indirectly";
    Source UpToGen45 ["g45.exec.simd16-indirect-limit", "g45.addr.perchannel-limit"]
        about |f, s| f.is_data() && s.is_multi_index() && s.width() == Some(1),
        holds |f, _| f.channels <= 8,
        "with an address for each channel there are at most 8 channels; use two instructions, the \
         second with {SecHalf}";
    Source UpToGen45 ["g45.addr.group-align", "g45.vec.addr-legal"]
        about |f, s| f.is_data() && s.is_multi_index() && s.is_indirect() && rows(f, s) <= 8,
        holds is_aligned_group,
        "a group of address subregisters must start at a multiple of its size, as a0.2 for two";
    Source UpToGen45 ["g45.rr.13-4-index-span"]
        about |f, s| f.is_data() && s.is_indirect(),
        holds |_, s| index_span(s) <= REGISTER_BYTES,
        "the elements reached by one address must lie within one register; use narrower rows";
    Source Gen4 ["g45.rr.13-5-vxh-a06"]
        about |f, s| f.is_data() && s.is_multi_index() && rows(f, s) == 2,
        holds |_, s| s.address() != Some(6),
        "on this device a region of two addresses cannot start at a0.6; use another pair";
    Operand Gen4 ["g45.rr.13-6-a07-neg"]
        about |f, o| f.device == Device::Cl && f.is_data() && o.data_type().size() == 1,
        holds |_, o| !is_negative_a07(o),
        "on this device bytes cannot be addressed through a0.7 with a negative offset; use \
         another address subregister";
    Source UpToGen45 ["g45.inst.movi.src-indirect"] of [Movi]
        holds |_, s| s.is_indirect() && s.is_general() && !s.is_multi_index(),
        "the source of movi must be a general register addressed by one index, as in r[a0.0]";
    Source UpToGen45 ["g45.inst.movi.addr-base"] of [Movi]
        holds |_, s| s.address().is_none_or(|address| address == 0),
        "movi uses all address subregisters from a0.0 on; address through a0.0";
    Destination UpToGen45 ["g45.inst.movi.dst-align"] of [Movi]
        about |_, d| !d.is_null(),
        holds |_, d| d.subregister().is_multiple_of(16),
        "the destination of movi must start at a multiple of 16 bytes";
    Destination UpToGen45 ["g45.inst.movi.dst-stride"] of [Movi]
        about |_, d| !d.is_null(),
        holds |f, d| f.source(0).is_none_or(|source| source.data_type.size() == d.step()),
        "destination elements of movi must be one source element apart; use stride <1> and the \
         type of the source";
    Instruction UpToGen45 ["g45.inst.movi.align16"] of [Movi]
        holds |f| !f.is_align16(),
        "movi works in Align1 only";
    Instruction UpToGen45 ["g45.inst.movi.execsize"] of [Movi]
        holds |f| f.channels < 16,
        "movi moves at most 8 elements, one for each address subregister; use two instructions";
}

/// Bytes from the first to the last element reached by one address.
fn index_span(s: &SourceFacts) -> usize {
    if s.is_multi_index() {
        let (width, horizontal) = (s.width().unwrap_or(1), s.horizontal().unwrap_or(0));
        return (width.max(1) - 1) * horizontal * s.data_type.size() + s.data_type.size();
    }
    s.end()
}

fn is_negative_a07(o: &dyn Operand) -> bool {
    let register = o.register();
    matches!(register, Some(Register::Indirect { address_subregister: 7, offset: ..0, .. }))
}
