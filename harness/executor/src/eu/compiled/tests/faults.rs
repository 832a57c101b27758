//! Machine code made wrong in one chosen way, which the comparison with the interpreter has to find.

use std::{cell::Cell, mem::offset_of};

use iced_x86::{Code as Opcode, Instruction as Machine, Mnemonic, Register};
use parallax_isa::eu::State;

use super::{
    Random, block,
    changes::{
        Change, Fault, each, exchange, missed, other, rounding, sticky_flag_not_looked_at, wrong,
    },
    difference, setting, state,
};
use crate::{
    eu::compiled::{interpret, plan::plan},
    simd::Avx2,
};

/// Blocks among which each fault has to show.
const BLOCKS: u64 = 16_000;

/// Faults of a compiler, by what they do.
const FAULTS: &[(&str, Fault)] = &[
    ("rounded to nearest", |code| rounding(code, 0xFFF7, |word| word & !0x6000)),
    ("denormal results kept", |code| rounding(code, 0xFFF7, |word| word & !0x8000)),
    ("denormal sources kept", |code| rounding(code, 0xFFF7, |word| word & !0x0040)),
    ("inverses rounded as other floats are", |code| rounding(code, 0x9FF7, |word| word | 0x6000)),
    ("denormal inverses kept", |code| rounding(code, 0x9FF7, |word| word & !0x8000)),
    ("inverses and roots of denormals", |code| rounding(code, 0x9FF7, |word| word & !0x0040)),
    ("divided by one", |code| each(code, |i| other(i, Mnemonic::Vdivps, exchange))),
    ("roots about right", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vsqrtps, |i| i.set_code(Opcode::VEX_Vrsqrtps_ymm_ymmm256))
        })
    }),
    ("rounded to nearest behind an inverse", |code| {
        let loads = Cell::new(0);
        each(code, |i| {
            let is_load = i.mnemonic() == Mnemonic::Ldmxcsr && i.memory_base() == Register::RDX;
            loads.set(loads.get() + u32::from(is_load));
            (is_load && loads.get() > 2).then_some(Change::Nothing)
        })
    }),
    ("overflow in front of an inverse not looked at", |code| {
        let [seen, last] = [Cell::new(0), Cell::new(0)];
        let is_test = |i: Machine| {
            i.mnemonic() == Mnemonic::And
                && i.op0_register() == Register::EAX
                && i.immediate8() == 8
        };
        each(code, |i| {
            last.set(last.get() + u32::from(is_test(i)));
            None
        });
        each(code, |i| {
            seen.set(seen.get() + u32::from(is_test(i)));
            (is_test(i) && seen.get() < last.get()).then(|| {
                let mut never = i;
                never.set_immediate8(0);
                Change::Other(never)
            })
        })
    }),
    ("a message register that gets nothing", |code| {
        let messages = offset_of!(State, mrf) as u64..offset_of!(State, accumulator) as u64;
        each(code, |i| {
            let is_stored = i.mnemonic() == Mnemonic::Vmovups
                && i.memory_base() == Register::RDI
                && messages.contains(&i.memory_displacement64());
            (is_stored && i.op0_register() == Register::None).then_some(Change::Nothing)
        })
    }),
    ("overflow not looked at", |code| sticky_flag_not_looked_at(code, 8)),
    ("a difference for a sum", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vaddps, |i| {
                if i.code() == Opcode::VEX_Vaddps_ymm_ymm_ymmm256 {
                    i.set_code(Opcode::VEX_Vsubps_ymm_ymm_ymmm256);
                }
            })
        })
    }),
    ("all bits of a comparison written", |code| {
        each(code, |i| {
            let cuts = i.mnemonic() == Mnemonic::Vpsrld && i.immediate8() == 31;
            cuts.then_some(Change::Nothing)
        })
    }),
    ("flags of results that are one bit", |code| {
        each(code, |i| {
            let copies = i.mnemonic() == Mnemonic::Vmovaps
                && i.op0_register() == Register::YMM1
                && i.op1_register() == Register::YMM0;
            copies.then_some(Change::Nothing)
        })
    }),
    ("factors exchanged", |code| each(code, |i| other(i, Mnemonic::Vmulps, exchange))),
    ("sums without sign", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vpmovsxdq, |i| i.set_code(Opcode::VEX_Vpmovzxdq_ymm_xmmm128))
        })
    }),
    ("a scalar written to all channels", |code| {
        each(code, |i| other(i, Mnemonic::Vpblendd, |i| i.set_immediate8(0xFF)))
    }),
    ("not a number is equal", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vcmpps, |i| {
                if i.immediate8() == 4 {
                    i.set_immediate8(0x0C);
                }
            })
        })
    }),
    ("masks of the wrong channels", |code| {
        each(code, |i| {
            other(i, Mnemonic::Shr, |i| {
                if i.immediate8() == 8 {
                    i.set_immediate8(7);
                }
            })
        })
    }),
    ("words averaged without sign", |code| {
        each(code, |i| other(i, Mnemonic::Vpsraw, |i| i.set_code(Opcode::VEX_Vpsrlw_ymm_ymm_imm8)))
    }),
    ("halves of words exchanged", |code| {
        each(code, |i| other(i, Mnemonic::Vpermq, |i| i.set_immediate8(0b10)))
    }),
    ("words of one channel for those of two", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vpcmpgtw, |i| i.set_code(Opcode::VEX_Vpcmpgtd_ymm_ymm_ymmm256))
        })
    }),
    ("a second source that is not a number does not win", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vcmpps, |i| {
                if i.immediate8() == 3 {
                    i.set_immediate8(0x0B);
                }
            })
        })
    }),
    ("a part of a register from its first lane on", |code| {
        each(code, |i| {
            (i.mnemonic() == Mnemonic::Vpermd).then(|| {
                let mut whole = i;
                whole.set_op1_register(i.op2_register());
                Change::Other(whole)
            })
        })
    }),
    ("a part of a register from its first pair of lanes on", |code| {
        each(code, |i| other(i, Mnemonic::Vpermq, |i| i.set_immediate8(0b1110_0100)))
    }),
    ("the first lane for all for another", |code| {
        each(code, |i| other(i, Mnemonic::Vpshufd, |i| i.set_immediate8(0)))
    }),
    ("products of words without sign", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vpmovsxwq, |i| {
                i.set_code(match i.code() {
                    Opcode::VEX_Vpmovsxwq_ymm_xmmm64 => Opcode::VEX_Vpmovzxwq_ymm_xmmm64,
                    code => code,
                });
            })
        })
    }),
    ("an accumulator of words not cut to 33 bits", |code| {
        each(code, |i| {
            let cuts = matches!(i.mnemonic(), Mnemonic::Vpsllq | Mnemonic::Vpsrlq);
            (cuts && i.immediate8() == 31).then_some(Change::Nothing)
        })
    }),
    ("the 33rd bit of an accumulator no sign", |code| {
        each(code, |i| {
            let signs = matches!(i.mnemonic(), Mnemonic::Vpxor | Mnemonic::Vpsubq);
            (signs && i.memory_base() == Register::RDX && i.op0_register() == i.op1_register())
                .then_some(Change::Nothing)
        })
    }),
    ("words of the accumulator in another order", |code| {
        each(code, |i| other(i, Mnemonic::Vpackusdw, exchange))
    }),
    ("the accumulator shifted by one bit less", |code| {
        each(code, |i| {
            other(i, Mnemonic::Vpsllq, |i| {
                if i.immediate8() != 31 {
                    i.set_immediate8(i.immediate8() - 1);
                }
            })
        })
    }),
    ("the first quarter of words for another", |code| {
        each(code, |i| other(i, Mnemonic::Vpsrldq, |i| i.set_immediate8(0)))
    }),
    ("the first flag register for the second", |code| {
        each(code, |i| {
            let selects = i.mnemonic() == Mnemonic::Shr && i.immediate8() == 16;
            (selects && i.op0_register() == Register::RAX).then_some(Change::Nothing)
        })
    }),
    ("flags that a vector stands for forgotten", |code| {
        each(code, |i| {
            let takes = i.mnemonic() == Mnemonic::Or && i.op1_register() == Register::RAX;
            takes.then_some(Change::Nothing)
        })
    }),
    ("flags of other channels changed too", |code| {
        each(code, |i| {
            let keeps = i.mnemonic() == Mnemonic::And && i.op0_register() == Register::R8;
            keeps.then_some(Change::Nothing)
        })
    }),
    ("denormals in the accumulator", |code| {
        each(code, |i| {
            let notes = i.mnemonic() == Mnemonic::Or && i.op0_register() == Register::R10D;
            notes.then_some(Change::Nothing)
        })
    }),
];

#[test]
fn faults_of_machine_code_are_found() {
    let Some(proof) = Avx2::detect() else { return };
    let missed = missed(FAULTS, |fault| is_found(proof, fault));
    assert!(missed.is_empty(), "not found: {missed:?}");
}

fn is_found(proof: Avx2, fault: Fault) -> bool {
    for seed in 0..BLOCKS {
        let random = &mut Random(seed);
        let block = block(random);
        let start = state(random, seed % 2 == 0);
        let setting = setting(start.mask == [0xFFFF; 4], start.control[0] != 0);
        let mut first = 0;
        while first < block.len() {
            let plans = (first..block.len())
                .map_while(|index| plan(&block[index], &block[index + 1..], setting));
            let planned: Vec<_> = plans.collect();
            let (ops, rest) = block[first..].split_at(planned.len());
            first += planned.len() + 1;
            let Some(wrong) = wrong(proof, &planned, setting, fault) else { continue };
            let (mut interpreted, mut ran) = (start, start);
            interpret(ops, &mut interpreted);
            if !wrong.run(&mut ran, &mut Vec::new(), 0) {
                // It has to have changed nothing.
                interpret(ops, &mut ran);
            }
            // Accumulators that something behind the segment overwrites may differ before.
            interpret(rest, &mut interpreted);
            interpret(rest, &mut ran);
            if difference(&interpreted, &ran).is_some() {
                return true;
            }
        }
    }
    false
}
