//! Compressed instructions (section 11.5.3).

use super::prelude::*;

checks! {
    Instruction UpToGen45 [each "g45.inst." Break "break" Cont "cont" Do "do" Else "else"
            Endif "endif" Halt "halt" If "if" Iff "iff" Jmpi "jmpi" Mrest "mrest" Msave "msave"
            Pop "pop" Push "push" Wait "wait" While "while"
            => ".compression", "g45.compr.not-for-branches"]
        | UpToGen45 ["g45.inst.nop.compression", "g45.special.no-compress"] of [Nop]
        | UpToGen45 ["g45.inst.nenop.compression"] of [Nenop]
        holds |f| !f.compressed,
        "{op} cannot be compressed; leave out {Compr}";
    Instruction UpToGen45 ["g45.inst.send.compression", "g45.compr.not-for-branches"] of [Send]
        holds |f| !f.compressed || super::messages::extended_math::has_two_halves(f),
        "a send can be compressed only as an Extended Math message of one register with a reply of \
         one; leave out {Compr}, or use two sends, the second with {SecHalf}";
    Instruction UpToGen45 ["g45.inst.movi.compression"] of [Movi]
        holds |f| !f.compressed,
        "movi cannot be compressed; use two instructions, the second with {SecHalf}";
    Instruction UpToGen45 [each "g45.inst." Sad2 "sad2" Sada2 "sada2" => ".compression"]
        holds |f| !f.compressed,
        "{op} cannot be compressed; use two instructions";
    Instruction UpToGen45 ["g45.compr.execsize"]
        about |f| is_pair(f) && !f.is_any(&[Opcode::Movi]),
        holds |f| f.channels >= 16,
        "a compressed instruction has 16 or 32 channels; leave out {Compr}";
    Instruction UpToGen45 ["g45.compr.align1-only"]
        about is_pair,
        holds |f| !f.is_align16(),
        "a compressed instruction must be Align1; use two instructions";
    Source UpToGen45 ["g45.compr.no-arf"]
        about |f, s| is_pair(f) && s.arf().is_some(),
        holds |_, s| is_allowed_arf(s),
        "a compressed instruction cannot name an architecture register other than acc0; copy it \
         to a general register first";
    Destination UpToGen45 ["g45.compr.no-arf"]
        about |f, d| is_pair(f) && d.arf().is_some(),
        holds |_, d| is_allowed_arf(d),
        "a compressed instruction cannot name an architecture register other than acc0; write a \
         general register and copy it";
    Source UpToGen45 ["g45.compr.align-even", "g45.compr.align-exc-a", "g45.compr.align-exc-b"]
        about |f, s| is_split(f, s) && f.opcode != Opcode::Pln,
        holds |_, s| s.number().is_multiple_of(2),
        "a compressed instruction takes its second half from the register with the lowest bit \
         set; start at an even register";
    Source UpToGen45 ["g45.compr.align-even"]
        about |f, s| is_split(f, s) && writes_packed_dwords(f) && !is_plane_coefficient(f, s),
        holds |_, s| s.subregister() == 0 || is_narrow_within_dwords(s),
        "an operand of a compressed instruction must start at the beginning of a register, unless \
         the destination is words";
    Source UpToGen45 ["g45.compr.align-even"]
        about is_split,
        holds |_, s| s.end() <= REGISTER_BYTES,
        "each half of a compressed instruction must read from one register; use a smaller region";
    Source UpToGen45 ["g45.compr.align-exc-c"]
        about |f, s| is_pair(f) && s.is_general_direct() && is_half_register_source(f, s),
        holds |_, s| s.subregister() == 0,
        "with a doubleword destination, packed words must start at the beginning of a register";
    Source UpToGen45 ["g45.compr.align-exc-c"]
        about |f, s| is_pair(f) && s.is_general_direct() && writes_packed_dwords(f) && s.data_type.size() == 1,
        holds |_, s| s.is_scalar() || s.horizontal() == Some(2),
        "with a doubleword destination, a byte source must be a scalar or have a horizontal \
         stride of 2";
    Destination UpToGen45 ["g45.compr.align-even"]
        about |f, d| is_pair(f) && d.is_general_direct(),
        holds |_, d| d.number().is_multiple_of(2),
        "a compressed instruction writes its second half to the register with the lowest bit set; \
         start at an even register";
    Destination UpToGen45 ["g45.compr.align-even"]
        about |f, d| is_pair(f) && d.is_general_direct() && writes_packed_dwords(f),
        holds |_, d| d.subregister() == 0,
        "a doubleword destination of a compressed instruction must start at the beginning of a \
         register";
    Destination UpToGen45 ["g45.compr.align-exc-d"]
        about |f, d| is_pair(f) && d.is_direct() && d.is_in(RegisterFile::Mrf),
        holds |_, d| d.subregister() == 0,
        "a message register written by a compressed instruction must be written from its beginning";
    Source UpToGen45 ["g45.compr.src-indirect-align"]
        about |f, s| is_pair(f) && s.is_indirect() && (!s.is_scalar() || f.generation == Generation::Gen4),
        holds |_, s| is_even_address(s) && !s.is_multi_index(),
        "an indirect operand of a compressed instruction must use one address, of an even \
         subregister";
    Destination UpToGen45 ["g45.compr.src-indirect-align"]
        about |f, d| is_pair(f) && d.is_indirect(),
        holds |_, d| is_even_address(d),
        "an indirect operand of a compressed instruction must use one address, of an even \
         subregister";
    Destination UpToGen45 ["g45.compr.no-compr4-bw", "g45.asm.compr4-dev"]
        about |_, d| is_compr4(d),
        holds |f, _| f.device.has(Feature::Compr4),
        "this device has no {Compr4}; use {Compr}, or two instructions";
    Destination UpToGen45 ["g45.compr.compr4-direct-only"]
        about |f, d| f.device.has(Feature::Compr4) && is_compr4(d),
        holds |f, _| is_pair(f),
        "the Compr4 mark belongs to a message register written by a compressed instruction; \
         clear bit 7 of the register number";
    Source UpToGen45 ["g45.compr.pln"] of [Pln]
        about |f, s| f.compressed && s.index == 1 && s.is_general_direct(),
        holds |_, s| s.number() <= 124,
        "the second half of a compressed pln reads src1 two registers further, up to r127; start \
         at a lower register";
}

/// Whether it computes, in two halves.
fn is_pair(f: &Facts) -> bool {
    f.is_data() && f.compressed
}

/// Whether the halves read a source in different registers.
fn is_split(f: &Facts, s: &SourceFacts) -> bool {
    is_pair(f) && s.is_general_direct() && !s.is_scalar() && !is_half_register_source(f, s)
}

fn is_compr4(d: &DestinationFacts) -> bool {
    d.is_in(RegisterFile::Mrf) && d.number() & 0x80 != 0
}

fn is_allowed_arf(o: &dyn Operand) -> bool {
    o.is_null() || o.is_accumulator()
}

/// Whether the destination is doublewords side by side, so that a half fills a register.
fn writes_packed_dwords(f: &Facts) -> bool {
    f.writes(|d| d.data_type.size() == 4 && d.stride() == 1)
}

/// Exception C: words side by side (or every second byte) read next to a doubleword destination.
/// The second half is the upper half of the same register.
fn is_half_register_source(f: &Facts, s: &SourceFacts) -> bool {
    let packed_words = s.data_type.size() == 2 && s.horizontal() == Some(1)
        || s.data_type.size() == 1 && s.horizontal() == Some(2);
    f.channels == 16 && writes_packed_dwords(f) && packed_words && !s.is_scalar()
}

/// src0 of line and pln is one scalar, whatever its region says.
fn is_plane_coefficient(f: &Facts, s: &SourceFacts) -> bool {
    f.is_any(&[Opcode::Line, Opcode::Pln]) && s.index == 0
}

fn is_even_address(o: &dyn Operand) -> bool {
    o.address().is_none_or(|address| address.is_multiple_of(2))
}

/// Whether a source is the odd words or bytes of doublewords that start at the beginning of a register, as
/// compilers write products of doublewords (decision D-eu-compressed-odd-words).
fn is_narrow_within_dwords(s: &SourceFacts) -> bool {
    let size = s.data_type.size();
    s.subregister() < 4 && size < 4 && s.horizontal().is_some_and(|stride| stride * size == 4)
}
