//! Branches.

use super::{
    super::super::{opcode::Opcode, types::DataType},
    Check, checks,
    facts::is_dword,
};

checks! {
    All Instruction ["leg.cf.jmpi"]
        about |f| f.opcode == Opcode::Jmpi,
        holds |f| f.channels == 1 && f.instruction.no_mask,
        "jmpi has one channel and {NoMask}";
    All Source ["leg.cf.jmpi-src"]
        about |f, _| f.opcode == Opcode::Jmpi,
        holds |_, s| s.data_type == DataType::D && (s.is_immediate() || s.is_scalar()),
        "the index of jmpi is one :d";
    Both Instruction ["leg.cf.branch-align"]
        about |f| f.is_branch(),
        holds |f| !f.is_align16(),
        "branches are Align1";
    All Destination ["leg.cf.call-dst", "gen7.isa.cf.call-dst"]
        about |f, _| f.is_any(&[Opcode::Call, Opcode::Calla]),
        holds |f, d| d.is_placed() && d.subregister() % 8 == 0 && f.channels >= 2,
        "call writes two doublewords that start at a multiple of 8 bytes, and has at least two channels";
    Gen7 Destination ["leg.cf.call-dst", "gen7.isa.cf.call-dst"]
        about |f, _| f.is_any(&[Opcode::Call, Opcode::Calla]),
        holds |_, d| is_dword(d.data_type) && d.stride() == 1,
        "call writes two doublewords: its destination is <1>:ud or <1>:d";
    All Source ["leg.cf.ret-src"]
        about |f, _| f.opcode == Opcode::Ret,
        holds |_, s| s.is_general(),
        "ret reads the two doublewords that call wrote, from a general register";
    Gen7 Source ["leg.cf.ret-src"]
        about |f, s| f.opcode == Opcode::Ret && s.is_general(),
        holds |_, s| is_dword(s.data_type),
        "ret reads two doublewords: its source is :ud or :d";
    Gen7 Instruction ["leg.cf.brd-brc-thread"]
        about |f| f.is_any(&[Opcode::Brd, Opcode::Brc]),
        holds |f| f.instruction.thread_control
            == super::super::super::instruction::ThreadControl::Switch,
        "brd and brc must have {Switch} on this device";
}
