//! Statements that are right and the same with one mistake, rule by rule: a rule about text counts where
//! a wrong form was refused too.

mod later;

use parallax_isa::{Device, eu::text};
use parallax_rules::text::decides;
use parallax_spec::{RuleId, rule_id};

/// A rule, a statement that it allows, and some that it does not.
type Form = (RuleId, &'static str, &'static [&'static str]);

macro_rules! forms {
    ($($id:literal: $right:literal, not $($wrong:literal),+;)+) => {
        &[$((rule_id!($id), $right, &[$($wrong),+])),+]
    };
}

/// Statements of G45.
const FORMS: &[Form] = forms! {
    "g45.asm.addr-param": "mov (1) r4<1>:f r[a0.0, 511]<0;1,0>:f",
        not "mov (1) r4<1>:f r[a0.0, 512]<0;1,0>:f", "mov (1) r4<1>:f r[a0.8, 0]<0;1,0>:f";
    "g45.asm.binary": "mul (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f",
        not "mul (8) r4<1>:f r2<8;8,1>:f", "mul (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f r4<8;8,1>:f";
    "g45.asm.binary-acc": "add (8) r4<1>:f acc0<8;8,1>:f r3<8;8,1>:f",
        not "add (8) r4<1>:f acc0<8;8,1>:f";
    "g45.asm.branch": "if (8) 2", not "if (8)", "if (8) 2 2 2";
    "g45.asm.break": "break (8) out pop 1\nout:\nnop",
        not "break (8)", "break (8) out pop 1 1\nout:\nnop";
    "g45.asm.condmod": "add.ge.f0.1 (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f",
        not "add.gt.f0.1 (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f",
            "add.ge.f1.0 (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f";
    "g45.asm.dst.kinds": "mov (8) m4<1>:f r2<8;8,1>:f",
        not "mov (8) x4<1>:f r2<8;8,1>:f", "mov (8) 4 r2<8;8,1>:f";
    "g45.asm.else": "if (8) 2\nelse (8) 1\nendif", not "if (8) 2\nelse (8)\nendif";
    "g45.asm.execsize": "mov (8) r4<1>:f r2<8;8,1>:f",
        not "mov (3) r4<1>:f r2<8;8,1>:f", "mov (64) r4<1>:f r2<8;8,1>:f";
    "g45.asm.imm-ranges": "mov (8) r4<1>:w -32768:w",
        not "mov (8) r4<1>:w 65536:w", "mov (8) r4<1>:w -32769:w";
    "g45.asm.jump": "jmpi (1) r2<0;1,0>:d", not "jmpi (1)", "jmpi (1) r2<0;1,0>:d 2";
    "g45.asm.mask-control": "push (1) ms0.0<1>:uw amask<0;1,0>:uw",
        not "push (1) ms0.0<1>:uw";
    "g45.asm.options": "mov (8) r4<1>:f r2<8;8,1>:f {NoMask}",
        not "mov (8) r4<1>:f r2<8;8,1>:f {Nomask2}", "mov (8) r4<1>:f r2<8;8,1>:f {NoMask";
    "g45.asm.predicate": "(-f0.1.any8h) mov (8) r4<1>:f r2<8;8,1>:f",
        not "(-f0.2.any8h) mov (8) r4<1>:f r2<8;8,1>:f",
            "(-f0.1.any9h) mov (8) r4<1>:f r2<8;8,1>:f", "(-f0.1.x) mov (8) r4<1>:f r2<8;8,1>:f";
    "g45.asm.reg.flag": "add.z.f0.1 (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f",
        not "add.z.f0.2 (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f";
    "g45.asm.reg.grf": "mov (1) r127.7<1>:f 1.0:f",
        not "mov (1) r128<1>:f 1.0:f", "mov (1) r127.8<1>:f 1.0:f";
    "g45.asm.reg.mrf": "mov (8) m15<1>:f r2<8;8,1>:f", not "mov (8) m16<1>:f r2<8;8,1>:f";
    "g45.asm.region.dst": "mov (4) r4<2>:f r2<4;4,1>:f",
        not "mov (4) r4<3>:f r2<4;4,1>:f", "mov (4) r4<2;1>:f r2<4;4,1>:f";
    "g45.asm.region.src": "mov (4) r4<1>:f r2<4;4,1>:f",
        not "mov (4) r4<1>:f r2<5;4,1>:f", "mov (4) r4<1>:f r2<4;3,1>:f",
            "mov (4) r4<1>:f r2<4;4,8>:f";
    "g45.asm.saturate": "mov.sat (8) r4<1>:f r2<8;8,1>:f", not "mov.sut (8) r4<1>:f r2<8;8,1>:f";
    "g45.asm.send": "send (8) r4<1>:ud m1 r2<8;8,1>:ud 0x1010001:ud",
        not "send (8) r4<1>:ud r1 r2<8;8,1>:ud 0x1010001:ud", "send (8) r4<1>:ud m1 r2<8;8,1>:ud";
    "g45.asm.special": "nop", not "nop 3";
    "g45.asm.src.kinds": "mov (8) r4<1>:f r2<8;8,1>:f", not "mov (8) r4<1>:f x2<8;8,1>:f";
    "g45.asm.srcmod": "mov (8) r4<1>:f -(abs)r2<8;8,1>:f",
        not "mov (8) r4<1>:f (abs)-r2<8;8,1>:f", "mov (8) r4<1>:f (neg)r2<8;8,1>:f";
    "g45.asm.swizzle": "mov (8) r4<1>:f r2<4>.xyxw:f {Align16}",
        not "mov (8) r4<1>:f r2<4>.xy:f {Align16}", "mov (8) r4<1>:f r2<4>.xyxa:f {Align16}";
    "g45.asm.sync": "wait n0", not "wait n2", "wait r4";
    "g45.asm.types": "mov (8) r4<1>:ud r2<8;8,1>:d",
        not "mov (8) r4<1>:u r2<8;8,1>:d", "mov (8) r4<1>:ud r2<8;8,1>:v";
    "g45.asm.unary": "not (8) r4<1>:d r2<8;8,1>:d",
        not "not (8) r4<1>:d", "not (8) r4<1>:d r2<8;8,1>:d r2<8;8,1>:d";
    "g45.asm.writemask": "mov (8) r4<1>.xz:f r2<4>.xyzw:f {Align16}",
        not "mov (8) r4<1>.zx:f r2<4>.xyzw:f {Align16}", "mov (8) r4<1>.xq:f r2<4>.xyzw:f {Align16}";
    "g45.pg.comments": "nop // a comment\n/* another */ nop", not "nop /* not closed";
    "g45.pg.declare":
        ".declare s Base=r4 ElementSize=4 Type=f\nmov (8) s(0)<1>:f r2<8;8,1>:f",
        not ".declare s ElementSize=4 Type=f\nmov (8) s(0)<1>:f r2<8;8,1>:f",
            ".declare s Base=r4 Type=f\nmov (8) s(0)<1>:f r2<8;8,1>:f";
    "g45.pg.declare.direct":
        ".declare s Base=r4 ElementSize=4 Type=f\nmov (1) s(1,2)<1>:f r2<0;1,0>:f",
        not ".declare s Base=r4 ElementSize=4 Type=f\nmov (1) s(1,2<1>:f r2<0;1,0>:f",
            ".declare s Base=r4 ElementSize=4 Type=f\nmov (1) s(124,2)<1>:f r2<0;1,0>:f";
    "g45.pg.declare.indirect":
        ".declare s Base=r4 ElementSize=4 Type=f\nmov (1) s[a0.0,1,2]<1>:f r2<0;1,0>:f",
        not ".declare s Base=r4 ElementSize=4 Type=f\nmov (1) s[a0.0,100,2]<1>:f r2<0;1,0>:f",
            ".declare s Base=r4 ElementSize=4 Type=f\nmov (1) s[r0.0,1,2]<1>:f r2<0;1,0>:f";
    "g45.pg.declare.indirect-bare":
        ".declare s Base=r4 ElementSize=4 Type=f\nmov (1) s[a0.0]<1>:f r2<0;1,0>:f",
        not ".declare s Base=r4 ElementSize=4 Type=f\nmov (1) s[]<1>:f r2<0;1,0>:f";
    "g45.pg.default-directives": ".default_execution_size (4)\nmov r4<1>:f r2<4;4,1>:f",
        not ".default_execution_size (5)\nmov r4<1>:f r2<4;4,1>:f",
            ".default_execution_sizes (4)\nmov r4<1>:f r2<4;4,1>:f";
    "g45.pg.default-exec": "mov r4<1>:f r2<8;8,1>:f", not "mov r4<1>:f () r2<8;8,1>:f";
    "g45.pg.define": ".define x r4<1>:f\nmov (8) x r2<8;8,1>:f",
        not "mov (8) x r2<8;8,1>:f", ".define x x\nmov (8) x r2<8;8,1>:f";
    "g45.pg.flow.exitcode-macro": "do (8)\nbreak (8) out pop 1\nwhile (8) -2\nout:\nnop",
        not "do (8)\nbreak (8) out pop 16\nwhile (8) -2\nout:\nnop",
            "do (8)\nbreak (8) nowhere pop 1\nwhile (8) -2\nout:\nnop";
    "g45.pg.ip.jmp-pseudo": "jmp 2\nnop\nnop", not "jmp 2 2\nnop\nnop", "jmp r2\nnop\nnop";
    "g45.pg.kernel-structure":
        ".kernel k\n.reg_count_total 8\n.reg_count_payload 1\n.code\nnop\n.end_code\n.end_kernel",
        not ".kernel k\n.reg_count_total 8\n.code\nnop\n.end_code\n.end_kernel",
            ".kernel k\n.reg_count_total 8\n.reg_count_payload 1\n.code\nnop\n.end_code",
            ".kernel k\n.reg_count_total 8\n.reg_count_payload 1\nnop\n.end_code\n.end_kernel";
};

/// The mnemonics that kernels have, with operands that are right and others that are wrong.
const OPERANDS: &[Form] = forms! {
    "g45.inst.add.forms": "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f", not "add (8) r4<1>:f r2<8;8,1>:f";
    "g45.inst.avg.forms": "avg (8) r4<1>:d r2<8;8,1>:d r3<8;8,1>:d", not "avg (8) r4<1>:d r2<8;8,1>:d";
    "g45.inst.mul.forms": "mul (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f", not "mul (8) r4<1>:f r2<8;8,1>:f";
    "g45.inst.movi.forms": "movi (8) r4<1>:ud r[a0.0, 0]<0;1,0>:ud", not "movi (8) r4<1>:ud";
    "g45.inst.sad2.forms": "sad2 (8) r4<2>:uw r2<8;8,1>:ub r3<8;8,1>:ub",
        not "sad2 (8) r4<2>:uw r2<8;8,1>:ub";
    "g45.inst.sada2.forms": "sada2 (8) r4<2>:uw r2<8;8,1>:ub r3<8;8,1>:ub",
        not "sada2 (8) r4<2>:uw r2<8;8,1>:ub";
    "g45.inst.asr.forms": "asr (8) r4<1>:d r2<8;8,1>:d r3<8;8,1>:d", not "asr (8) r4<1>:d r2<8;8,1>:d";
    "g45.inst.shl.forms": "shl (8) r4<1>:d r2<8;8,1>:d r3<8;8,1>:d", not "shl (8) r4<1>:d r2<8;8,1>:d";
    "g45.inst.sel.forms": "(+f0.0) sel (8) r4<1>:d r2<8;8,1>:d r3<8;8,1>:d",
        not "(+f0.0) sel (8) r4<1>:d r2<8;8,1>:d";
    "g45.inst.cmp.forms": "cmp.z.f0.0 (8) r4<1>:d r2<8;8,1>:d r3<8;8,1>:d",
        not "cmp.z.f0.0 (8) r4<1>:d r2<8;8,1>:d";
    "g45.inst.if.forms": "if (8) 2", not "if (8)";
    "g45.inst.iff.forms": "iff (8) 2", not "iff (8)";
    "g45.inst.else.forms": "if (8) 2\nelse (8) 1\nendif", not "if (8) 2\nelse (8)\nendif";
    "g45.inst.endif.forms": "if (8) 2\nnop\nendif", not "if (8) 2\nnop\nendif r3 r4";
    "g45.inst.do.forms": "do (8)\nwhile (8) -1", not "do (8) r2\nwhile (8) -1";
    "g45.inst.while.forms": "do (8)\nwhile (8) -1", not "do (8)\nwhile (8)";
    "g45.inst.break.forms": "break (8) out pop 1\nout:\nnop", not "break (8)";
    "g45.inst.cont.forms": "cont (8) out pop 1\nout:\nnop", not "cont (8)";
    "g45.inst.halt.forms": "halt (8) out pop 1\nout:\nnop", not "halt (8)";
    "g45.inst.jmpi.forms": "jmpi (1) r2<0;1,0>:d", not "jmpi";
    "g45.inst.push.forms": "push (1) ms0.0<1>:uw amask<0;1,0>:uw", not "push (1) ms0.0<1>:uw";
    "g45.inst.msave.forms": "msave (1) ms0.0<1>:uw amask<0;1,0>:uw", not "msave (1) ms0.0<1>:uw";
    "g45.inst.mrest.forms": "mrest (1) amask<1>:uw ms0.0<0;1,0>:uw", not "mrest (1) amask<1>:uw";
    "g45.inst.pop.forms": "pop (1) ms0.0 1", not "pop (1) ms0.0";
    "g45.inst.wait.forms": "wait n0", not "wait";
    "g45.inst.nop.forms": "nop", not "nop r3";
    "g45.inst.send.forms": "send (8) r4<1>:ud m1 r2<8;8,1>:ud 0x1010001:ud",
        not "send (8) r4<1>:ud m1 r2<8;8,1>:ud";
};

/// What is not as it should be: the rule, the statement, and whether it should be read.
pub(super) type Wrong = (RuleId, &'static str, bool);

/// Holds each rule's statements against the assembler of a device: the rules of which all are taken as
/// they should be, and the statements that are not.
pub(super) fn guarded(device: Device) -> (Vec<RuleId>, Vec<Wrong>) {
    if Device::GEN4.contains(&device) { guarded_on_g45() } else { later::guarded(device) }
}

/// The forms of G45, each of which its rule has to decide.
fn guarded_on_g45() -> (Vec<RuleId>, Vec<Wrong>) {
    let (mut guarded, mut wrong) = (Vec::new(), Vec::new());
    for &(rule, right, mistakes) in FORMS.iter().chain(OPERANDS) {
        let before = wrong.len();
        let read = text::parse(Device::G45, right);
        if !read.is_ok_and(|assembly| decides(rule, right, &assembly)) {
            wrong.push((rule, right, true));
        }
        let taken = mistakes.iter().filter(|text| text::parse(Device::G45, text).is_ok());
        wrong.extend(taken.map(|text| (rule, *text, false)));
        if wrong.len() == before {
            guarded.push(rule);
        }
    }
    (guarded, wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_forms_are_read_and_wrong_ones_refused() {
        let (guarded, wrong) = guarded(Device::G45);
        for (rule, text, right) in &wrong {
            println!("{rule} {right} {text}");
        }
        assert_eq!(wrong, []);
        assert_eq!(guarded.len(), FORMS.len() + OPERANDS.len());
    }
}
