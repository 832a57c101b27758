//! For each rule about messages an instruction that breaks it and nothing else.

use parallax_spec::rule_id;

use super::{
    broken::{Case, cases, channels, first, only_marked_compressed, residue, to},
    builders::*,
};
use crate::Device::{Bw, Cl, Ctg, G45};

pub(super) fn instructions() -> Vec<Case> {
    [messages(), extended_math(), data_port(), sampler(), gateway_and_urb()].concat()
}

fn messages() -> Vec<Case> {
    let address = with(send(), |i| {
        i.message.as_mut().unwrap().descriptor = Descriptor::Address;
    });
    cases! {
        "g45.inst.send.src0-kinds", G45, first(send(), src(ri(0, 0), Ud, V8));
        "g45.inst.send.src0-kinds", G45, first(send(), src(arf(ADDRESS), Ud, V8));
        "g45.inst.send.postdst-kinds", G45, to(send(), dst(m(2), Ud, 1));
        "g45.inst.send.postdst-null", G45, to(send(), dst(NULL, Ud, 1));
        "g45.inst.send.postdst-grf", G45, send_with(0x0420_0000);
        "g45.inst.send.postdst-region", G45, to(send(), dst(rb(10, 4), Ud, 1));
        "g45.rr.10-2-dst-stride-one", G45, to(send(), dst(r(10), Ud, 0));
        "g45.dt.natural-alignment", G45, first(send(), src(rb(2, 1), Uw, SCALAR));
        "g45.inst.send.type-no-byte", G45, to(send(), dst(r(10), Ub, 1));
        "g45.inst.send.exec16-word", G45, channels(to(send(), dst(r(10), Ud, 1)), 16);
        "g45.inst.send.desc-reg-form", G45, residue(address, 44);
        "g45.inst.send.eot-postdst", G45, to(last(0x0521_C400), dst(r(10), Ud, 1));
        "g45.msg.eot.immediate", G45, with(last_send(), |i| {
            i.message.as_mut().unwrap().descriptor = Descriptor::Address;
        });
        "g45.inst.send.eot-target", G45, last(0x0020_0000);
        "g45.smsg.eot", G45, last(0x0220_0000);
        "g45.msg.eot.targets-no", G45, last(0x0420_0000);
        "g45.inst.send.desc.mbz", G45, send_with(0x1421_0000);
        "g45.inst.send.desc.mlen", G45, send_with(0x0401_0000);
        "g45.inst.send.desc.mlen", G45, with(send(), |i| i.message.as_mut().unwrap().current_destination = 15);
        "g45.inst.send.desc.rlen", G45, send_with(0x0429_0000);
    }
}

fn extended_math() -> Vec<Case> {
    cases! {
        "g45.extmath.general.no-eot", G45, last(0x0120_0004);
        "g45.extmath.general.reserved-func", G45, send_with(0x0111_0000);
        "g45.extmath.general.reserved-func", Ctg, send_with(0x0111_0009);
        "g45.extmath.general.reserved-func", Bw, send_with(0x0111_000E);
        "g45.extmath.desc.bits15-9", G45, send_with(0x0111_0204);
        "g45.extmath.desc.bits15-9", Cl, send_with(0x0111_8004);
        "g45.extmath.desc.saturate-int", G45, send_with(0x0122_004B);
        "g45.extmath.desc.saturate-int", G45, send_with(0x0121_004D);
        "g45.extmath.payload.16ch-no-two-op", G45, send_with(0x0142_000A);
        "g45.extmath.payload.16ch-no-two-op", G45, send_with(0x0142_000C);
        "g45.extmath.payload.16ch-bwcl", Bw, send_with(0x0122_0004);
        "g45.extmath.payload.16ch-bwcl", Cl, send_with(0x0122_0001);
        "g45.extmath.payload.lengths", G45, send_with(0x0131_0004);
        "g45.extmath.payload.lengths", G45, send_with(0x0111_000A);
        "g45.extmath.wb.lengths", G45, send_with(0x0112_0004);
        "g45.extmath.wb.lengths", G45, send_with(0x0111_0008);
        "g45.extmath.wb.lengths", G45, send_with(0x0121_000B);
        "g45.inst.send.compression", G45, only_marked_compressed(send_with(0x0112_0008));
    }
}

/// A message without a reply.
fn unanswered(descriptor: u32) -> Instruction {
    to(send_with(descriptor), dst(NULL, Ud, 1))
}

fn last(descriptor: u32) -> Instruction {
    with(last_send(), |i| {
        i.message.as_mut().unwrap().descriptor = Descriptor::Immediate(descriptor);
    })
}

fn data_port() -> Vec<Case> {
    cases! {
        "g45.dataport.desc.read.type.reserved", G45, send_with(0x0411_2800);
        "g45.dataport.desc.read.type.reserved", Ctg, send_with(0x0411_3800);
        "g45.dataport.desc.read.type.reserved", Bw, send_with(0x0411_C000);
        "g45.dataport.owb.desc.block-size-6", G45, send_with(0x0411_0500);
        "g45.dataport.owb.desc.block-size-reserved", Cl, unanswered(0x0520_0600);
        "g45.dataport.owd.desc.block-size-other", G45, send_with(0x0421_1100);
        "g45.dataport.owd.desc.block-size-other", Bw, send_with(0x0421_1300);
        "g45.dataport.dws.desc.block-size-reserved", G45, send_with(0x0421_3000);
        "g45.dataport.dws.desc.block-size-reserved", Bw, unanswered(0x0530_3100);
        "g45.dataport.mb.no-data-cache", G45, send_with(0x0411_2000);
        "g45.dataport.media.stateless-forbidden", Bw, send_with(0x0411_60FF);
        "g45.dataport.media.stateless-forbidden", G45, unanswered(0x0520_20FF);
        "g45.dataport.svb.no-stateless", G45, unanswered(0x0510_50FF);
        "g45.dataport.rtw.no-stateless", G45, unanswered(0x0580_44FF);
        "g45.dataport.rtw.desc.type-reserved", G45, unanswered(0x0580_4500);
        "g45.dataport.rt.dual.devices", Bw, unanswered(0x0580_4200);
        "g45.dataport.rtw.desc.type011-clb", Cl, unanswered(0x0580_4300);
        "g45.dataport.commit.response-length", G45, unanswered(0x0520_8000);
        "g45.dataport.commit.response-length", Cl, send_with(0x0521_0000);
        "g45.dataport.svb.no-eot", G45, last(0x0510_5000);
        "g45.dataport.eot.general", G45, last(0x0520_0000);
        "g45.msg.error.rlen-check", G45, send_with(0x0412_0200);
        "g45.msg.error.rlen-check", Bw, send_with(0x0412_0200);
        "g45.msg.error.rlen-check", G45, send_with(0x0421_1200);
        "g45.msg.error.rlen-check", G45, send_with(0x0431_3300);
        "g45.msg.error.rlen-check", Ctg, send_with(0x0414_5800);
    }
}

fn sampler() -> Vec<Case> {
    cases! {
        "g45.smsg.desc.bad", G45, send_with(0x0284_0000);
        "g45.smsg.desc.bad", G45, send_with(0x0244_4000);
        "g45.smsg.desc.bad", Bw, send_with(0x0254_4000);
        "g45.smsg.desc.bad", G45, send_with(0x0235_0000);
        "g45.smsg.desc.bad", G45, send_with(0x0224_0000);
        "g45.smsg.sample-l-c.errata", Bw, send_with(0x0231_4000);
        "g45.smsg.wb.simd8-rlen", G45, send_with(0x0245_0000);
        "g45.smsg.killpix.simd", G45, send_with(0x0244_1000);
        "g45.msg.error.rlen-check", Cl, send_with(0x0237_0000);
    }
}

fn gateway_and_urb() -> Vec<Case> {
    cases! {
        "g45.gateway.desc.reserved", G45, unanswered(0x0310_0102);
        "g45.gateway.desc.ackreq-rules", G45, unanswered(0x0310_4002);
        "g45.gateway.desc.ackreq-rules", Bw, send_with(0x0311_0001);
        "g45.urb.desc.opcode-reserved", G45, unanswered(0x0620_0001);
        "g45.urb.desc.swizzle-reserved", G45, unanswered(0x0620_0C00);
        "g45.urb.desc.offset-transpose", Bw, unanswered(0x0640_0810);
        "g45.urb.tr.multiple3", G45, unanswered(0x0630_0800);
        "g45.urb.combo.alloc-eot", G45, last(0x0610_A000);
        "g45.msg.error.rlen-check", G45, unanswered(0x0610_A000);
        "g45.msg.error.rlen-check", Ctg, send_with(0x0621_8000);
    }
}
