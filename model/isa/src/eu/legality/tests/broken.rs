//! For each rule an instruction or program that breaks it and nothing else.

use parallax_spec::{RuleId, rule_id};

use super::{broken_messages, builders::*};
use crate::Device::{self, Bw, Cl, Ctg, G45};

pub(super) type Case = (RuleId, Device, Instruction);

pub(super) fn instructions() -> Vec<Case> {
    [
        encoding(),
        regions(),
        destinations(),
        modifiers(),
        immediates(),
        registers(),
        accumulators(),
        addressing(),
        compression(),
        vectors(),
        types(),
        flow(),
        broken_messages::instructions(),
    ]
    .concat()
}

/// Rows of rule, device and instruction.
macro_rules! cases {
    ($($rule:expr, $device:expr, $instruction:expr;)*) => {
        vec![$((rule_id!($rule), $device, $instruction)),*]
    };
}
pub(super) use cases;

pub(super) fn residue(instruction: Instruction, bit: u32) -> Instruction {
    Instruction { residue: 1 << bit, ..instruction }
}

pub(super) fn first(instruction: Instruction, source: Source) -> Instruction {
    with(instruction, |i| i.sources[0] = source)
}

pub(super) fn second(instruction: Instruction, source: Source) -> Instruction {
    with(instruction, |i| i.sources[1] = source)
}

pub(super) fn to(instruction: Instruction, destination: Destination) -> Instruction {
    with(instruction, |i| i.destination = destination)
}

pub(super) fn channels(instruction: Instruction, execution_size: u8) -> Instruction {
    Instruction { execution_size, ..instruction }
}

pub(super) fn only_marked_compressed(instruction: Instruction) -> Instruction {
    Instruction { compression: Compression::Compressed, ..instruction }
}

fn encoding() -> Vec<Case> {
    cases! {
        "g45.inst.movi.device", Cl, movi();
        "g45.inst.pln.device", Bw, line(Opcode::Pln);
        "g45.opcode.nenop-device", Ctg, Instruction::bare(Opcode::Nenop);
        "g45.opcode.reserved", G45, Instruction { residue: 0x0A, ..Instruction::bare(Opcode::Illegal) };
        "g45.opcode.reserved", Bw, Instruction { residue: 0x5A, ..Instruction::bare(Opcode::Illegal) };
        "g45.simd.exec-pow2", G45, channels(Instruction::bare(Opcode::Nop), 5);
        "g45.compact.device", Ctg, Instruction { compact: true, ..mov() };
        "g45.compact.unlisted", G45, Instruction { compact: true, ..first(mov(), imm(F, 0)) };
        "g45.dw0.maskctrlex", Cl, residue(mov(), 28);
        "g45.dw0.maskctrl.reserved", G45, Instruction { mask_control_ex: true, ..mov() };
        "g45.dw0.bit7", G45, residue(mov(), 7);
        "g45.format.reserved-mbz", G45, residue(add(), 121);
        "g45.format.reserved-mbz", G45, residue(mov16(), 62);
        "g45.nonpresent.null", G45, residue(mov(), 42);
        "g45.nonpresent.null", Bw, residue(Instruction::bare(Opcode::Do), 32);
        "g45.nonpresent.single-src", G45, residue(first(mov(), imm(F, 0)), 42);
    }
}

fn regions() -> Vec<Case> {
    let read = |region| first(mov(), src(r(2), F, region));
    let words = |region| unary(Opcode::Mov, 8, dst(r(10), W, 1), src(r(2), W, region));
    let scalar = |number| src(r(number), F, SCALAR);
    let compare = to(cmp(Opcode::Cmp), dst(NULL, F, 1));
    let scalars = second(first(compare, scalar(2)), scalar(4));
    cases! {
        "g45.rr.1-execsize-max", G45, channels(compare, 16);
        "g45.simd.max-exec-compressed", G45, channels(compressed(scalars), 32);
        "g45.rr.3-execsize-width", G45, channels(mov(), 4);
        "g45.rr.4-vstride-consistent", G45, read(align1(4, 8, 1));
        "g45.rr.6-width1", G45, read(align1(1, 1, 1));
        "g45.rr.7-scalar", G45, channels(read(align1(1, 1, 0)), 1);
        "g45.rr.8-replicate", G45, read(align1(0, 8, 0));
        "g45.field.vertstride.size-limit", G45, read(align1(16, 8, 0));
        "g45.rr.11-align1-src", G45, words(align1(16, 2, 1));
        "g45.rr.11-1-row", G45, first(mov(), src(rb(2, 16), F, V8));
        "g45.rr.11-2-src1", G45, second(add(), src(rb(4, 16), F, align1(2, 2, 1)));
        "g45.dt.natural-alignment", G45, first(mov(), src(rb(2, 2), F, SCALAR));
        "g45.field.regnum.grf", G45, first(mov(), src(r(127), F, align1(8, 4, 2)));
        "g45.access.align16-src-one-reg", G45, first(mov16(), src(rb(2, 16), F, align16(4)));
        "g45.access.align16", G45, channels(first(mov16(), src(rb(2, 8), F, align16(4))), 4);
        "g45.access.align16-vstride", G45, first(mov16(), src(r(2), F, align16(1)));
        "g45.field.chansel.scope", G45, read(align16(4));
        "g45.rr.15-32-wide", G45, read(per_row(8, 1));
    }
}

fn destinations() -> Vec<Case> {
    let from = |data_type| src(r(2), data_type, V8);
    let one = |data_type| src(r(2), data_type, SCALAR);
    let two_registers = first(channels(mov(), 4), src(r(2), F, align1(8, 2, 1)));
    let sel_bytes = predicated(op(Opcode::Sel, Ub));
    cases! {
        "g45.rr.9-dst-one-register", G45, to(mov(), dst(rb(10, 4), F, 1));
        "g45.rr.9-dst-one-register", G45, to(add(), dst(arf(ACC0), F, 2));
        "g45.rr.9-1-compressed", G45, to(compressed(mov()), dst(r(10), D, 2));
        "g45.rr.10-1-dst-align", G45, unary(Opcode::Mov, 1, dst(rb(10, 2), W, 1), one(D));
        "g45.rr.10-1-dst-align", G45, unary(Opcode::Mov, 1, dst(rb(10, 2), B, 1), one(D));
        "g45.dt.natural-alignment", G45, unary(Opcode::Mov, 1, dst(rb(10, 2), D, 1), one(W));
        "g45.rr.10-5-bw", Bw, unary(Opcode::Mov, 1, dst(rb(10, 1), B, 1), one(W));
        "g45.rr.example1", Cl, unary(Opcode::Mov, 8, dst(rb(10, 1), B, 2), from(W));
        "g45.rr.10-1-2-dst-stride", G45, unary(Opcode::Mov, 8, dst(r(10), W, 1), from(D));
        "g45.rr.10-2-dst-stride-one", G45, to(mov(), dst(r(10), F, 0));
        "g45.rr.10-3-packed-byte", G45, unary(Opcode::Mov, 8, dst(r(10), Ub, 1), from(W));
        "g45.rr.10-3-packed-byte", G45, saturated(unary(Opcode::Mov, 8, dst(r(10), Ub, 1), from(Ub)));
        "g45.inst.sel.byte-dst", G45, sel_bytes;
        "g45.inst.sel.byte-dst", G45, to(sel_bytes, dst(rb(10, 1), Ub, 2));
        "g45.rr.10-4-2reg-src", G45, to(two_registers, dst(rb(10, 4), F, 1));
        "g45.field.regnum.mrf", G45, to(compressed(mov()), dst(m(15), F, 1));
        "g45.field.regnum.mrf", G45, to(compressed(mov()), dst(m(0x80 | 12), F, 1));
    }
}

fn modifiers() -> Vec<Case> {
    use Opcode::*;
    let flag = negated(src(arf(FLAG), Uw, SCALAR));
    cases! {
        "g45.inst.and.saturate", G45, saturated(op(And, D));
        "g45.inst.cmp.saturate", G45, saturated(cmp(Cmp));
        "g45.inst.cmpn.saturate", G45, saturated(cmp(Cmpn));
        "g45.inst.frc.saturate", G45, saturated(op1(Frc, F));
        "g45.inst.mach.saturate", G45, saturated(op(Mach, D));
        "g45.inst.not.saturate", G45, saturated(op1(Not, D));
        "g45.inst.or.saturate", G45, saturated(op(Or, D));
        "g45.inst.xor.saturate", G45, saturated(op(Xor, D));
        "g45.inst.do.predication", G45, predicated(Instruction::bare(Do));
        "g45.inst.else.predication", G45, predicated(branch(Else, 0x1_0004));
        "g45.inst.endif.predication", G45, predicated(endif());
        "g45.inst.mrest.predication", G45, predicated(mrest());
        "g45.inst.msave.predication", G45, predicated(push(Msave));
        "g45.inst.nop.predication", G45, predicated(Instruction::bare(Nop));
        "g45.inst.nenop.predication", G45, predicated(Instruction::bare(Nenop));
        "g45.inst.pop.predication", G45, predicated(pop());
        "g45.inst.push.predication", G45, predicated(push(Push));
        "g45.inst.wait.predication", G45, predicated(wait());
        "g45.inst.sel.predication", G45, op(Sel, F);
        "g45.inst.sel.condmod", G45, conditional(sel());
        "g45.inst.cmp.condmod", G45, op(Cmp, F);
        "g45.cond.cmp-modifiers", G45, Instruction { condition: ConditionalModifier::Overflow, ..cmp(Cmp) };
        "g45.inst.cmpn.condmod", G45, op(Cmpn, F);
        "g45.inst.send.condmod", G45, conditional(send());
        "g45.inst.mul.dword-no-flags", G45, saturated(op(Mul, D));
        "g45.inst.mul.dword-no-flags", G45, conditional(op(Mul, Ud));
        "g45.inst.shr.unsigned-src", G45, op(Shr, D);
        "g45.inst.shr.unsigned-src", G45, first(op(Shr, Ud), negated(src(r(2), Ud, V8)));
        "g45.inst.lzd.srcmod", G45, first(lzd(), src(r(2), D, V8));
        "g45.inst.lzd.srcmod", G45, first(lzd(), absolute(src(r(2), Ud, V8)));
        "g45.inst.mach.ud-dst", G45, first(op(Mach, Ud), src(r(2), D, V8));
        "g45.inst.mach.ud-dst", G45, second(op(Mach, Ud), imm(D, 0x8000_0000));
        "g45.asm.src.arf-no-modifier", G45, unary(Mov, 1, dst(r(10), W, 1), flag);
    }
}

fn immediates() -> Vec<Case> {
    let words = unary(Opcode::Mov, 8, dst(r(10), W, 1), src(r(2), W, V8));
    cases! {
        "g45.imm.one", G45, first(add(), imm(F, 0));
        "g45.imm.no-byte", G45, first(mov(), imm(Ub, 0));
        "g45.imm.word-replicate", G45, first(words, imm(W, 7));
        "g45.dt.v-only-imm", G45, first(words, src(r(2), V, V8));
        "g45.dt.v-only-imm", G45, to(words, dst(r(10), V, 1));
        "g45.dt.vf-only-imm", G45, first(mov(), src(r(2), Vf, V8));
        "g45.dt.vf-only-imm", G45, to(mov(), dst(r(10), Vf, 1));
        "g45.imm.vec-dest", G45, first(to(words, dst(rb(10, 8), W, 1)), imm(V, 0));
        "g45.imm.vec-dest", G45, to(first(words, imm(V, 0)), dst(r(10), F, 1));
        "g45.imm.vec-dest", G45, channels(to(first(mov(), imm(Vf, 0)), dst(r(10), F, 2)), 4);
    }
}

fn registers() -> Vec<Case> {
    let write =
        |register, data_type| unary(Opcode::Mov, 1, dst(register, data_type, 1), imm(data_type, 0));
    let read = |register, data_type| {
        unary(Opcode::Mov, 1, dst(r(10), data_type, 1), src(register, data_type, SCALAR))
    };
    let stack = unary(Opcode::Mov, 8, dst(r(10), Uw, 1), src(arf(MASK_STACK), Uw, V8));
    let bytes_to = |number| unary(Opcode::Mov, 1, dst(arf(number), Ub, 1), src(r(2), Ub, SCALAR));
    cases! {
        "g45.mrf.dest-only", G45, read(m(2), Ud);
        "g45.arf.reserved-type", G45, read(arf(0xB0), Ud);
        "g45.arf.reserved-type", G45, write(arf(0xF0), Ud);
        "g45.arf.subregnum", G45, read(arfb(FLAG, 4), Uw);
        "g45.arf.subregnum", G45, write(arfb(ACC0, 4), Ud);
        "g45.arf.subregnum", G45, read(arf(NOTIFICATION + 2), Ud);
        "g45.arf.subregnum", G45, switching(write(arfb(MASK, 8), Uw));
        "g45.asm.dst.readonly", G45, write(arf(STATE), Ud);
        "g45.asm.dst.readonly", G45, write(arf(NOTIFICATION), Ud);
        "g45.mstack.whole-access", G45, switching(read(arf(MASK_STACK), Uw));
        "g45.mstack.whole-access", G45, switching(write(arf(MASK_STACK), Uw));
        "g45.mask.switch", G45, read(arfb(MASK, 2), Uw);
        "g45.mstack.switch", G45, stack;
        "g45.mdepth.switch", G45, read(arf(DEPTH), Uw);
        "g45.cr.switch", Bw, write(arf(CONTROL), Ud);
        "g45.addr.uw-for-indirect", G45, read(arf(ADDRESS), Ub);
        "g45.addr.uw-for-indirect", G45, bytes_to(ADDRESS);
        "g45.flag.properties", G45, read(arf(FLAG), B);
        "g45.flag.properties", G45, bytes_to(FLAG);
        "g45.mask.properties", G45, switching(read(arf(MASK), B));
        "g45.mask.properties", G45, switching(bytes_to(MASK));
        "g45.cr.encoding", G45, switching(read(arf(CONTROL), Uw));
        "g45.cr.encoding", G45, switching(write(arf(CONTROL), Uw));
        "g45.ip.properties", G45, read(arf(IP), Uw);
        "g45.ip.properties", G45, write(arf(IP), Uw);
    }
}

fn accumulators() -> Vec<Case> {
    use Opcode::*;
    let acc = |data_type| src(arf(ACC0), data_type, V8);
    let reads = |opcode, data_type| first(op(opcode, data_type), acc(data_type));
    let writes = |instruction: Instruction| {
        let data_type = instruction.destination.data_type;
        to(instruction, dst(arf(ACC0), data_type, 1))
    };
    let plane = |opcode| first(line(opcode), src(arf(ACC0), F, SCALAR));
    let from_bytes = binary(Add, 8, dst(r(10), Uw, 1), acc(Ub), src(r(4), Uw, V8));
    let many = Instruction {
        execution_size: 32,
        ..compressed(binary(Mac, 32, dst(r(10), W, 1), src(r(2), W, V16), src(r(4), W, V16)))
    };
    cases! {
        "g45.inst.dp2.no-acc-src", G45, reads(Dp2, F);
        "g45.inst.dp3.no-acc-src", G45, reads(Dp3, F);
        "g45.inst.dp4.no-acc-src", G45, reads(Dp4, F);
        "g45.inst.dph.no-acc-src", G45, reads(Dph, F);
        "g45.inst.line.no-acc-src", G45, plane(Line);
        "g45.inst.mac.no-acc-src", G45, reads(Mac, F);
        "g45.inst.mach.no-acc-src", G45, reads(Mach, D);
        "g45.inst.mul.no-acc-src", G45, reads(Mul, F);
        "g45.inst.mul.no-acc-src", G45, second(op(Mul, F), acc(F));
        "g45.inst.pln.no-acc-src", G45, plane(Pln);
        "g45.inst.sad2.no-acc-src", G45, first(sad(Sad2), acc(Ub));
        "g45.inst.sada2.no-acc-src", G45, first(sad(Sada2), acc(Ub));
        "g45.inst.asr.no-acc-dst", G45, writes(op(Asr, D));
        "g45.inst.lzd.no-acc-dst", G45, writes(lzd());
        "g45.inst.shl.acc-no-store", G45, writes(op(Shl, D));
        "g45.inst.frc.no-acc", G45, writes(op1(Frc, F));
        "g45.inst.frc.no-acc", G45, first(op1(Frc, F), acc(F));
        "g45.inst.rnd.no-acc", G45, writes(op1(Rndu, F));
        "g45.inst.rnd.no-acc", G45, writes(op1(Rndd, F));
        "g45.inst.rnd.no-acc", G45, writes(op1(Rnde, F));
        "g45.inst.rnd.no-acc", G45, writes(op1(Rndz, F));
        "g45.inst.rnd.no-acc", G45, first(op1(Rndz, F), acc(F));
        "g45.inst.mov.acc-one-side", G45, writes(first(mov(), acc(F)));
        "g45.acc.src0-only", G45, second(add(), acc(F));
        "g45.acc.no-modifiers", G45, first(add(), negated(acc(F)));
        "g45.acc.no-byte", G45, from_bytes;
        "g45.exectype.no-acc-convert", G45, first(add(), acc(W));
        "g45.exectype.no-acc-convert", G45, to(mov(), dst(arf(ACC0), D, 1));
        "g45.acc.region-match", G45, first(add(), src(arf(ACC0), F, SCALAR));
        "g45.acc.cross-illegal", G45, to(first(add(), acc(F)), dst(arf(ACC1), F, 1));
        "g45.acc.no-sat", G45, saturated(writes(add()));
        "g45.acc.compr-acc0", G45, compressed(first(add(), src(arf(ACC1), F, V8)));
        "g45.acc.compr-acc0", G45, compressed(to(add(), dst(arf(ACC1), F, 1)));
        "g45.compr.acc32-bw", Bw, many;
    }
}

fn addressing() -> Vec<Case> {
    let indirect = |file| Register::Indirect { file, address_subregister: 0, offset: 0 };
    let arf_bytes = indirect(RegisterFile::Arf);
    let words = |source| unary(Opcode::Mov, 16, dst(r(10), W, 1), source);
    let bytes = |source| unary(Opcode::Mov, 8, dst(r(10), Ub, 1), source);
    let dwords = |source| unary(Opcode::Mov, 8, dst(r(10), D, 1), source);
    let movi16 = Instruction {
        access_mode: AccessMode::Align16,
        destination: Destination {
            region: DestinationRegion::ChannelEnable(0xF),
            ..movi().destination
        },
        ..first(movi(), src(ri(0, 0), Ub, align16(4)))
    };
    cases! {
        "g45.rr.13-1-indirect-support", Bw, second(add(), src(ri(0, 0), F, V8));
        "g45.rr.13-1-indirect-support", G45, first(mov(), src(arf_bytes, F, V8));
        "g45.rr.13-2-src1-1x1", G45, second(add(), src(ri(0, 0), F, per_row(8, 1)));
        "g45.mrf.indirect", Cl, to(mov(), dst(indirect(RegisterFile::Mrf), F, 1));
        "g45.dst.direct-indirect", G45, to(mov(), dst(arf_bytes, F, 1));
        "g45.exec.simd16-indirect-limit", G45, words(src(ri(0, 0), W, per_row(1, 0)));
        "g45.addr.group-align", G45, dwords(src(ri(3, 0), D, per_row(4, 1)));
        "g45.rr.13-4-index-span", G45, first(mov(), src(ri(0, 0), F, align1(8, 4, 2)));
        "g45.rr.13-5-vxh-a06", Cl, dwords(src(ri(6, 0), D, per_row(4, 1)));
        "g45.rr.13-6-a07-neg", Cl, bytes(src(ri(7, -1), Ub, V8));
        "g45.rr.13-6-a07-neg", Cl, to(bytes(src(r(2), Ub, V8)), dst(ri(7, -1), Ub, 1));
        "g45.inst.movi.src-indirect", G45, first(movi(), src(r(2), Ub, V8));
        "g45.inst.movi.addr-base", G45, first(movi(), src(ri(1, 0), Ub, V8));
        "g45.inst.movi.dst-align", G45, to(movi(), dst(rb(10, 8), Ub, 1));
        "g45.inst.movi.dst-stride", G45, to(movi(), dst(r(10), Ub, 2));
        "g45.inst.movi.align16", G45, movi16;
        "g45.inst.movi.execsize", G45, channels(movi(), 16);
    }
}

fn compression() -> Vec<Case> {
    use Opcode::*;
    let marked = only_marked_compressed;
    let words = unary(Mov, 16, dst(r(10), W, 1), src(r(2), W, V8));
    let sad16 = |opcode| compressed(sad(opcode));
    cases! {
        "g45.inst.break.compression", G45, marked(branch(Break, 4));
        "g45.inst.cont.compression", G45, marked(branch(Cont, 4));
        "g45.inst.do.compression", G45, marked(Instruction::bare(Do));
        "g45.inst.else.compression", G45, marked(branch(Else, 0x1_0004));
        "g45.inst.endif.compression", G45, marked(endif());
        "g45.inst.halt.compression", G45, marked(branch(Halt, 4));
        "g45.inst.if.compression", G45, marked(branch(If, 4));
        "g45.inst.iff.compression", G45, marked(branch(Iff, 4));
        "g45.inst.jmpi.compression", G45, marked(branch(Jmpi, 4));
        "g45.inst.mrest.compression", G45, marked(mrest());
        "g45.inst.msave.compression", G45, marked(push(Msave));
        "g45.inst.pop.compression", G45, marked(pop());
        "g45.inst.push.compression", G45, marked(push(Push));
        "g45.inst.send.compression", G45, marked(send());
        "g45.inst.wait.compression", G45, marked(wait());
        "g45.inst.while.compression", G45, marked(branch(While, 4));
        "g45.inst.nop.compression", G45, marked(Instruction::bare(Nop));
        "g45.inst.nenop.compression", G45, marked(Instruction::bare(Nenop));
        "g45.inst.movi.compression", G45, marked(movi());
        "g45.inst.sad2.compression", G45, sad16(Sad2);
        "g45.inst.sada2.compression", G45, sad16(Sada2);
        "g45.compr.execsize", G45, marked(mov());
        "g45.compr.align1-only", G45, compressed(mov16());
        "g45.compr.no-arf", G45, first(compressed(mov()), src(arf(FLAG), Uw, SCALAR));
        "g45.compr.no-arf", G45, to(compressed(words), dst(arf(ADDRESS), W, 1));
        "g45.compr.align-even", G45, first(compressed(mov()), src(r(3), F, V8));
        "g45.compr.align-even", G45, to(compressed(mov()), dst(r(11), F, 1));
        "g45.compr.align-even", G45, first(compressed(mov()), src(r(2), F, align1(8, 4, 2)));
        "g45.compr.align-even", G45, first(compressed(mov()), src(rb(2, 4), F, align1(4, 8, 0)));
        "g45.compr.align-exc-c", G45, first(compressed(mov()), src(rb(3, 16), W, V8));
        "g45.compr.align-exc-c", G45, first(compressed(mov()), src(r(2), Ub, V8));
        "g45.compr.align-exc-d", G45, to(compressed(words), dst(mb(3, 4), W, 1));
        "g45.compr.src-indirect-align", G45, first(compressed(mov()), src(ri(1, 0), F, V8));
        "g45.compr.src-indirect-align", G45, to(compressed(mov()), dst(ri(1, 0), F, 1));
        "g45.compr.no-compr4-bw", Cl, to(compressed(mov()), dst(m(0x82), F, 1));
        "g45.compr.compr4-direct-only", G45, to(mov(), dst(m(0x82), F, 1));
        "g45.compr.pln", G45, second(compressed(line(Pln)), src(r(126), F, V8));
    }
}

fn vectors() -> Vec<Case> {
    use Opcode::*;
    let pair = |number| src(r(number), F, align1(2, 2, 1));
    let two = |opcode| channels(first(second(op(opcode, F), pair(4)), pair(2)), 2);
    let scalar = |opcode| first(op(opcode, F), src(r(2), F, SCALAR));
    let four = |opcode| channels(second(line(opcode), src(r(4), F, align1(4, 4, 1))), 4);
    let byte = |number| src(r(number), Ub, SCALAR);
    let single = |opcode| channels(first(second(sad(opcode), byte(4)), byte(2)), 1);
    let to_flag = |opcode| {
        let scalar = |number| src(r(number), W, SCALAR);
        conditional(binary(opcode, 1, dst(arf(FLAG), W, 1), scalar(2), scalar(4)))
    };
    cases! {
        "g45.inst.dp2.execsize", G45, two(Dp2);
        "g45.inst.dp3.execsize", G45, two(Dp3);
        "g45.inst.dp4.execsize", G45, two(Dp4);
        "g45.inst.dph.execsize", G45, two(Dph);
        "g45.inst.dp2.hstride", G45, scalar(Dp2);
        "g45.inst.dp3.hstride", G45, scalar(Dp3);
        "g45.inst.dp4.hstride", G45, scalar(Dp4);
        "g45.inst.dph.hstride", G45, scalar(Dph);
        "g45.inst.dp4.hstride", G45, to(op(Dp4, F), dst(r(10), W, 2));
        "g45.inst.line.execsize", G45, four(Line);
        "g45.inst.line.src0-scalar", G45, op(Line, F);
        "g45.inst.line.subreg", G45, first(line(Line), src(rb(2, 4), F, SCALAR));
        "g45.inst.line.subreg", G45, first(line(Line), src(ri(0, 0), F, SCALAR));
        "g45.inst.pln.subreg", G45, first(line(Pln), src(ri(0, 0), F, SCALAR));
        "g45.inst.pln.execsize", G45, four(Pln);
        "g45.inst.pln.src0-scalar", G45, op(Pln, F);
        "g45.inst.pln.subreg", G45, first(line(Pln), src(rb(2, 4), F, SCALAR));
        "g45.inst.pln.src1-even", G45, second(line(Pln), src(ri(0, 0), F, V8));
        "g45.inst.pln.src1-even", G45, second(line(Pln), src(r(5), F, V8));
        "g45.inst.sad2.execsize", G45, single(Sad2);
        "g45.inst.sada2.execsize", G45, single(Sada2);
        "g45.inst.sad2.dst-region", G45, to(sad(Sad2), dst(r(10), Uw, 2));
        "g45.inst.sada2.dst-region", G45, to(sad(Sada2), dst(rb(10, 2), Uw, 1));
        "g45.inst.lzd.exec-dword", G45, channels(to(lzd(), dst(NULL, Ud, 1)), 16);
        "g45.inst.cmp.dst-kinds", G45, to_flag(Cmp);
        "g45.inst.cmpn.dst-kinds", G45, to_flag(Cmpn);
    }
}

fn types() -> Vec<Case> {
    use Opcode::*;
    let mixed = |opcode| second(op(opcode, F), src(r(4), D, V8));
    let mixed_compare = |opcode| conditional(mixed(opcode));
    let by_vector = second(to(op(Add, D), dst(NULL, W, 1)), imm(V, 0));
    cases! {
        "g45.inst.add.types", G45, mixed(Add);
        "g45.inst.mul.types", G45, mixed(Mul);
        "g45.inst.cmp.types", G45, mixed_compare(Cmp);
        "g45.inst.cmpn.types", G45, mixed_compare(Cmpn);
        "g45.inst.and.types", G45, op(And, F);
        "g45.inst.or.types", G45, op(Or, F);
        "g45.inst.xor.types", G45, op(Xor, F);
        "g45.inst.not.types", G45, op1(Not, F);
        "g45.inst.asr.types", G45, op(Asr, F);
        "g45.inst.shl.types", G45, op(Shl, F);
        "g45.inst.shr.types", G45, op(Shr, F);
        "g45.inst.avg.types", G45, op(Avg, F);
        "g45.inst.dp2.types", G45, op(Dp2, D);
        "g45.inst.dp3.types", G45, op(Dp3, D);
        "g45.inst.dp4.types", G45, op(Dp4, D);
        "g45.inst.dph.types", G45, op(Dph, D);
        "g45.inst.frc.types", G45, op1(Frc, D);
        "g45.inst.rndu.types", G45, op1(Rndu, D);
        "g45.inst.rndd.types", G45, op1(Rndd, D);
        "g45.inst.rnde.types", G45, op1(Rnde, D);
        "g45.inst.rndz.types", G45, op1(Rndz, D);
        "g45.inst.sad2.types", G45, first(sad(Sad2), src(r(2), W, V8));
        "g45.inst.sada2.types", G45, first(sad(Sada2), src(r(2), W, V8));
        "g45.inst.movi.types", G45, to(movi(), dst(r(10), B, 1));
        "g45.inst.pln.types", G45, second(line(Pln), src(r(4), D, V8));
        "g45.inst.pln.no-imm", G45, second(line(Pln), imm(F, 0));
        "g45.inst.mac.types", G45, op(Mac, D);
        "g45.inst.line.types", G45, first(line(Line), src(r(2), D, SCALAR));
        "g45.inst.line.src1-dword", G45, second(line(Line), src(r(4), D, V8));
        "g45.inst.mach.types", G45, op(Mach, F);
        "g45.inst.mach.dword-only", G45, to(op(Mach, D), dst(r(10), F, 1));
        "g45.inst.mach.d-dst", G45, to(op(Mach, Ud), dst(r(10), D, 1));
        "g45.inst.mul.dword-no-float-dst", G45, to(op(Mul, D), dst(r(10), F, 1));
        "g45.inst.lzd.types", G45, first(lzd(), src(r(2), Uw, V8));
        "g45.inst.lzd.src-type", G45, first(lzd(), imm(Ud, 1));
        "g45.inst.lzd.dst-type", G45, to(lzd(), dst(r(10), D, 1));
        "g45.dw1.v.needs-word-src0", G45, by_vector;
    }
}

fn flow() -> Vec<Case> {
    use Opcode::*;
    let without_ip = |opcode, exit_code| first(branch(opcode, exit_code), src(r(2), D, SCALAR));
    let by_register = |instruction| second(instruction, src(r(2), D, SCALAR));
    let align16 = Instruction {
        access_mode: AccessMode::Align16,
        destination: Destination {
            region: DestinationRegion::ChannelEnable(0x7),
            ..branch(If, 4).destination
        },
        ..first(branch(If, 4), src(arf(IP), D, align16(0)))
    };
    let signed = |instruction| first(instruction, src(arfb(MASK, 2), W, SCALAR));
    let signed_stack = |instruction| first(instruction, src(arf(MASK_STACK), W, SCALAR));
    cases! {
        "g45.inst.if.exit-code", G45, branch(If, 0x1_0004);
        "g45.inst.if.exit-code", G45, without_ip(If, 4);
        "g45.inst.if.exit-code", G45, by_register(branch(If, 4));
        "g45.inst.iff.exit-code", G45, branch(Iff, 0x1_0004);
        "g45.inst.iff.exit-code", G45, without_ip(Iff, 4);
        "g45.inst.else.exit-code", G45, branch(Else, 0x2_0004);
        "g45.inst.endif.exit-code", G45, second(endif(), imm(D, 0x1_0004));
        "g45.inst.while.exit-code", G45, branch(While, 0xFFFF_FFFC);
        "g45.inst.break.exit-code", G45, branch(Break, 0x10_0004);
        "g45.inst.cont.exit-code", G45, branch(Cont, 0x10_0004);
        "g45.inst.halt.exit-code", G45, second(branch(Halt, 4), imm(Ud, 4));
        "g45.inst.break.ip-operands", G45, without_ip(Break, 4);
        "g45.inst.cont.ip-operands", G45, without_ip(Cont, 4);
        "g45.inst.else.ip-operands", G45, without_ip(Else, 0x1_0004);
        "g45.inst.halt.ip-operands", G45, without_ip(Halt, 4);
        "g45.inst.jmpi.ip-operands", G45, without_ip(Jmpi, 4);
        "g45.inst.while.ip-operands", G45, without_ip(While, 4);
        "g45.inst.else.imm-only", G45, by_register(branch(Else, 0x1_0004));
        "g45.inst.jmpi.execsize", G45, channels(branch(Jmpi, 4), 8);
        "g45.inst.jmpi.nomask", G45, Instruction { no_mask: false, ..branch(Jmpi, 4) };
        "g45.inst.jmpi.type", G45, second(branch(Jmpi, 4), imm(Ud, 4));
        "g45.mask.eval.flow-align16", G45, align16;
        "g45.inst.mrest.scalar", G45, channels(mrest(), 2);
        "g45.inst.msave.scalar", G45, channels(push(Msave), 8);
        "g45.inst.push.scalar", G45, channels(push(Push), 2);
        "g45.inst.pop.scalar", G45, channels(pop(), 2);
        "g45.inst.msave.operand-types", G45, signed(push(Msave));
        "g45.inst.push.operand-types", G45, signed(push(Push));
        "g45.inst.mrest.operand-types", G45, signed_stack(mrest());
        "g45.inst.pop.operand-types", G45, signed_stack(pop());
        "g45.inst.pop.depth-range", G45, second(pop(), imm(Ud, 16));
        "g45.inst.wait.operands", G45, first(wait(), src(arf(NOTIFICATION + 1), Ud, SCALAR));
        "g45.inst.wait.execsize", G45, channels(wait(), 2);
    }
}
