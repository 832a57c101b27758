//! Instructions that break no rule: one for each operation, and shapes near the limits.

use super::builders::*;
use crate::Device;

pub(super) fn instructions() -> Vec<(Device, Instruction)> {
    let everywhere = on_every_device().into_iter();
    let mut cases: Vec<_> = everywhere
        .flat_map(|instruction| Device::GEN4.map(|device| (device, instruction)))
        .collect();
    cases.extend(on_g45().into_iter().map(|instruction| (Device::G45, instruction)));
    cases
}

fn on_every_device() -> Vec<Instruction> {
    use Opcode::*;
    let mut cases = vec![
        mov(),
        sel(),
        cmp(Cmp),
        cmp(Cmpn),
        lzd(),
        line(Line),
        sad(Sad2),
        sad(Sada2),
        mov16(),
        send(),
        last_send(),
        wait(),
        pop(),
        mrest(),
        push(Push),
        push(Msave),
        endif(),
        Instruction::bare(Do),
        Instruction::bare(Nop),
        Instruction::bare(Illegal),
        branch(Else, 0x1_0004),
        op(Mach, D),
        op(Mach, Ud),
        op(Shr, Ud),
        with(op(Shr, D), |i| i.sources[0] = absolute(i.sources[0])),
        with(lzd(), |i| i.sources[0] = absolute(src(r(2), D, V8))),
        // A raw move of packed bytes, odd bytes too.
        unary(Mov, 8, dst(rb(10, 3), Ub, 1), src(rb(2, 5), Ub, V8)),
        unary(Mov, 1, dst(r(10), B, 1), src(r(2), W, SCALAR)),
        unary(Mov, 8, dst(r(10), Ub, 4), src(r(2), F, V8)),
        // Accumulators.
        with(add(), |i| i.destination.register = arf(ACC0)),
        with(add(), |i| i.sources[0] = src(arf(ACC1), F, V8)),
        compressed(with(add(), |i| i.sources[0] = src(arf(ACC0), F, V8))),
        with(op(Mul, Ud), |i| i.destination.register = arf(ACC0)),
        // Regions.
        with(mov(), |i| i.sources[0] = src(rb(2, 28), F, align1(1, 1, 0))),
        with(add(), |i| i.sources[0] = src(r(2), F, align1(0, 4, 1))),
        with(add(), |i| i.sources[0] = src(r(2), F, align1(8, 4, 2))),
        unary(Mov, 8, dst(r(10), W, 1), src(r(2), W, align1(16, 8, 2))),
        unary(Mov, 16, dst(r(10), W, 1), src(r(2), W, V16)),
        // Compression: packed words beside doublewords, words, scalars, message registers.
        compressed(add()),
        compressed(with(mov(), |i| i.sources[0] = src(r(3), W, V8))),
        compressed(with(add(), |i| i.sources[1] = src(rb(3, 4), F, SCALAR))),
        compressed(with(mov(), |i| i.destination.register = m(3))),
        Instruction {
            execution_size: 32,
            ..compressed(unary(Mov, 16, dst(r(10), W, 1), src(r(2), W, V16)))
        },
        // The manual's example of compression with an indirect source.
        saturated(compressed(binary(
            Add,
            16,
            dst(r(26), Ub, 2),
            src(ri(2, 32), W, V8),
            src(r(26), Ub, align1(16, 8, 2)),
        ))),
        // Immediates.
        with(mov(), |i| i.sources[0] = imm(Vf, 0x3040_5060)),
        unary(Mov, 8, dst(rb(10, 16), W, 1), imm(V, 0x7654_3210)),
        with(op(Add, W), |i| i.sources[1] = imm(W, 0xFFFF_FFFF)),
        with(add(), |i| i.sources[1] = imm(F, 0x3F80_0000)),
        // Architecture registers.
        unary(Mov, 1, dst(arfb(ADDRESS, 6), Uw, 1), imm(Uw, 0x0040_0040)),
        switching(unary(Mov, 1, dst(arf(CONTROL), Ud, 1), imm(Ud, 1))),
        unary(Mov, 1, dst(arfb(FLAG, 2), Uw, 1), imm(Uw, 0)),
        unary(Mov, 1, dst(r(10), Ud, 1), src(arfb(STATE, 4), Ud, SCALAR)),
        switching(unary(Mov, 8, dst(r(10), Uw, 1), src(arf(MASK_STACK), Uw, V8))),
        // Indirect.
        unary(Mov, 8, dst(r(10), Uw, 1), src(ri(0, 0), Uw, per_row(1, 0))),
        unary(Mov, 8, dst(r(10), D, 1), src(ri(2, -32), D, per_row(4, 1))),
        with(mov(), |i| i.destination.register = ri(3, 511)),
        send_with(0x0421_0000 | 0x800),
    ];
    cases.extend([Not].map(|opcode| op1(opcode, Ud)));
    cases.extend([And, Or, Xor, Shl, Asr, Avg].map(|opcode| op(opcode, D)));
    cases.extend([Add, Mul, Mac, Dp4, Dph, Dp3, Dp2].map(|opcode| op(opcode, F)));
    cases.extend([Frc, Rndu, Rndd, Rnde, Rndz].map(|opcode| op1(opcode, F)));
    cases.extend([If, Iff, While, Halt, Jmpi, Break, Cont].map(|opcode| branch(opcode, 4)));
    let by_register = with(branch(Jmpi, 0), |i| i.sources[1] = src(r(3), D, SCALAR));
    cases.push(by_register);
    let address = with(send(), |i| {
        i.message.as_mut().unwrap().descriptor = Descriptor::Address;
    });
    cases.push(address);
    cases
}

fn on_g45() -> Vec<Instruction> {
    use Opcode::*;
    vec![
        movi(),
        line(Pln),
        compressed(line(Pln)),
        Instruction::bare(Nenop),
        Instruction { compact: true, ..Instruction::bare(Nenop) },
        Instruction { compact: true, ..mov() },
        compressed(with(mov(), |i| i.destination.register = m(0x82))),
        with(mov(), |i| {
            i.destination.register =
                Register::Indirect { file: RegisterFile::Mrf, address_subregister: 0, offset: 0 };
        }),
        // Bytes to the second lowest byte of a word channel.
        unary(Mov, 8, dst(rb(10, 1), B, 2), src(r(2), W, V8)),
        Instruction {
            execution_size: 16,
            compression: Compression::Compressed,
            ..send_with(0x0111_0081)
        },
    ]
}
