//! Immediates (sections 11.3.5 and 13.2).

use super::prelude::*;

checks! {
    Instruction UpToGen45 ["g45.operand.imm-last", "g45.imm.one", "g45.dw1.imm.one-only"]
        about |f| f.format == Format::Binary,
        holds |f| f.source(0).is_some_and(|source| !source.is_immediate()),
        "only the last source can be an immediate; exchange the sources, or move the constant to \
         a register";
    Source UpToGen45 ["g45.imm.no-byte", "g45.field.imm32.no-byte"]
        about |_, s| s.is_immediate(),
        holds |_, s| s.data_type.size() > 1,
        "there are no byte immediates; use a word immediate";
    Source UpToGen45 ["g45.imm.word-replicate", "g45.field.imm32.word-replicate"]
        about |_, s| s.is_immediate() && [DataType::Uw, DataType::W].contains(&s.data_type),
        holds |_, s| s.immediate().is_none_or(|bits| bits >> 16 == bits & 0xFFFF),
        "a word immediate must stand in both halves of the 32 bits; repeat it";
    Source UpToGen45 ["g45.dt.v-only-imm"]
        about |_, s| s.data_type == DataType::V,
        holds |_, s| s.is_immediate(),
        "type :v exists for immediates only; use :w for a register";
    Destination UpToGen45 ["g45.dt.v-only-imm"]
        holds |_, d| d.data_type != DataType::V,
        "type :v exists for immediates only; use :w";
    Destination UpToGen45 ["g45.imm.vec-dest"]
        about |f, d| f.is_data() && !d.is_null() && vector_element(f).is_some(),
        holds |f, d| d.subregister().is_multiple_of(16) && Some(d.step()) == vector_element(f),
        "with a vector immediate the destination must start at a multiple of 16 bytes, its \
         elements a word apart for :v and a doubleword apart for :vf";
}

/// Bytes of an element of the vector immediate, if there is one.
fn vector_element(f: &Facts) -> Option<usize> {
    let vectors = [DataType::V, DataType::Vf];
    let source = f.sources().find(|s| s.is_immediate() && vectors.contains(&s.data_type));
    source.map(|source| source.data_type.size())
}
