//! Machine code made wrong in one chosen way, which the comparison with the interpreter has to find.

use iced_x86::{Code as Opcode, Mnemonic, Register};

use super::{block, channels, interpret, plan, setting, state};
use crate::{
    eu::{
        compiled::tests::{
            changes::{
                Change, Fault, each, exchange, missed, other, rounding, sticky_flag_not_looked_at,
                wrong,
            },
            difference,
        },
        description::Planned,
    },
    machine_code::changes::Random,
    simd::Avx2,
};

/// Blocks among which each fault has to show.
const BLOCKS: u64 = 4_000;

/// MXCSR as it is for code of Gen7 and later.
const NEAREST: u32 = 0x9FEF;

/// Faults of a compiler, by what they do.
const FAULTS: &[(&str, Fault)] = &[
    ("rounded toward zero", |code| rounding(code, NEAREST, |word| word | 0x6000)),
    ("denormal results kept", |code| rounding(code, NEAREST, |word| word & !0x8000)),
    ("denormal sources kept", |code| rounding(code, NEAREST, |word| word & !0x0040)),
    ("underflow not looked at", |code| sticky_flag_not_looked_at(code, 16)),
    ("what is not a number left as the processor makes it", |code| {
        each(code, |i| {
            let makes = i.mnemonic() == Mnemonic::Vblendvps && i.op3_register() == Register::YMM3;
            makes.then_some(Change::Nothing)
        })
    }),
    ("what is not a number made one where bits are kept", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vblendvps, |i| {
                if i.op3_register() == Register::YMM3 {
                    i.set_op3_register(i.op1_register());
                }
            })
        })
    }),
    ("a factor for the summand", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vfmadd231ps, |i| match i.code() {
                Opcode::VEX_Vfmadd231ps_ymm_ymm_ymmm256 => {
                    i.set_code(Opcode::VEX_Vfmadd213ps_ymm_ymm_ymmm256);
                }
                code => i.set_code(code),
            })
        })
    }),
    ("the other factor for the summand", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vfmadd213ps, |i| {
                i.set_code(Opcode::VEX_Vfmadd231ps_ymm_ymm_ymmm256);
            })
        })
    }),
    ("rounded down for another way", |code| {
        each(code, |i| other(i, Mnemonic::Vroundps, |i| i.set_immediate8(0b1001)))
    }),
    ("a zero of the wrong sign saturated", |code| {
        each(code, |i| other(i, Mnemonic::Vmaxps, exchange_registers))
    }),
    ("fractions that come to one", |code| {
        each(code, |i| {
            (i.mnemonic() == Mnemonic::Vminps && i.op1_register() == Register::YMM4)
                .then_some(Change::Nothing)
        })
    }),
    ("words blended upside down", |code| each(code, |i| other(i, Mnemonic::Vpblendvb, exchange))),
    ("a shift with sign", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vpsrlvd, |i| i.set_code(Opcode::VEX_Vpsravd_ymm_ymm_ymmm256))
        })
    }),
    ("flags of the wrong channels", |code| {
        each(code, |i| {
            other(i, Mnemonic::Shr, |i| {
                if i.op0_register() == Register::RAX && i.immediate8() >= 32 {
                    i.set_immediate8(i.immediate8() - 32);
                }
            })
        })
    }),
    ("active channels from the first one on", |code| {
        each(code, |i| {
            other(i, Mnemonic::Mov, |i| {
                if i.op0_register() == Register::R9D {
                    i.set_op1_register(Register::R8D);
                }
            })
        })
    }),
    ("half floats left as they are", |code| {
        each(code, |i| (i.mnemonic() == Mnemonic::Vcvtph2ps).then_some(Change::Nothing))
    }),
    ("half floats truncated", |code| {
        each(code, |i| other(i, Mnemonic::Vcvtps2ph, |i| i.set_immediate8(3)))
    }),
    ("denormal half floats kept", |code| {
        each(code, |i| {
            let flushes = i.mnemonic() == Mnemonic::Vandnps && i.op1_register() == Register::YMM2;
            flushes.then_some(Change::Nothing)
        })
    }),
    ("denormal results of half floats kept", |code| {
        each(code, |i| (i.mnemonic() == Mnemonic::Vpandn).then_some(Change::Nothing))
    }),
    ("lower words for upper ones", |code| {
        each(code, |i| {
            (i.mnemonic() == Mnemonic::Vpsrld && i.immediate8() == 16).then_some(Change::Nothing)
        })
    }),
    ("integers rounded", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vcvttps2dq, |i| i.set_code(Opcode::VEX_Vcvtps2dq_ymm_ymmm256))
        })
    }),
    ("negations that invert nothing", |code| {
        each(code, |i| {
            // A comparison changes signs in both registers, `not` the result.
            let inverts = i.mnemonic() == Mnemonic::Vpxor
                && i.memory_base() == Register::RDX
                && i.op0_register() == Register::YMM1;
            inverts.then_some(Change::Nothing)
        })
    }),
    ("flags of results that are short", |code| {
        each(code, |i| {
            let copies = i.mnemonic() == Mnemonic::Vmovaps
                && i.op0_register() == Register::YMM1
                && i.op1_register() == Register::YMM0;
            copies.then_some(Change::Nothing)
        })
    }),
    ("results of a comparison lost", |code| {
        each(code, |i| {
            let copies = i.mnemonic() == Mnemonic::Vmovaps
                && i.op0_register() == Register::YMM0
                && i.op1_register() == Register::YMM4;
            copies.then_some(Change::Nothing)
        })
    }),
];

/// Exchanges two registers, or makes the first the second where that is in memory.
fn exchange_registers(machine: &mut iced_x86::Instruction) {
    if machine.op2_register() == Register::None {
        machine.set_code(Opcode::VEX_Vminps_ymm_ymm_ymmm256);
    } else {
        exchange(machine);
    }
}

#[test]
fn faults_of_machine_code_of_gen7_are_found() {
    let Some(proof) = Avx2::detect() else { return };
    let missed = missed(FAULTS, |fault| is_found(proof, fault));
    assert!(missed.is_empty(), "not found: {missed:?}");
}

fn is_found(proof: Avx2, fault: Fault) -> bool {
    for seed in 0..BLOCKS {
        let random = &mut Random(seed);
        let block = block(random);
        let start = state(random);
        let (active, open) = channels(random, &block);
        let mut first = 0;
        while first < block.len() {
            let planned: Vec<Planned> = block[first..].iter().map_while(plan).collect();
            let ops = &block[first..first + planned.len()];
            first += planned.len() + 1;
            let Some(code) = wrong(proof, &planned, setting(open), fault) else { continue };
            let (mut interpreted, mut ran) = (start.clone(), start.clone());
            interpret(ops, &mut interpreted, active);
            if !code.run(&mut ran, &mut Vec::new(), active) {
                // It has to have changed nothing.
                interpret(ops, &mut ran, active);
            }
            if difference(&interpreted, &ran).is_some() {
                return true;
            }
        }
    }
    false
}
