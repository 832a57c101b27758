//! Codes of opcode fields, by their names in the manual (chapter 10).

/// Names for the values of a field.
macro_rules! codes {
    ($($name:ident = $code:literal)*) => {
        $(pub(in crate::r700::decode) const $name: u32 = $code;)*
    };
}

/// `CF_INST` of the formats without an ALU clause.
pub(super) mod cf {
    codes! {
        NOP = 0 TEX = 1 VTX = 2 VTX_TC = 3
        LOOP_START = 4 LOOP_END = 5 LOOP_START_DX10 = 6 LOOP_START_NO_AL = 7
        LOOP_CONTINUE = 8 LOOP_BREAK = 9
        JUMP = 10 PUSH = 11 PUSH_ELSE = 12 ELSE = 13 POP = 14
        POP_JUMP = 15 POP_PUSH = 16 POP_PUSH_ELSE = 17
        CALL = 18 CALL_FS = 19 RETURN = 20
        EMIT_VERTEX = 21 EMIT_CUT_VERTEX = 22 CUT_VERTEX = 23
        KILL = 24 WAIT_ACK = 26
        MEM_STREAM0 = 32 MEM_STREAM1 = 33 MEM_STREAM2 = 34 MEM_STREAM3 = 35
        MEM_SCRATCH = 36 MEM_REDUCTION = 37 MEM_RING = 38
        EXPORT = 39 EXPORT_DONE = 40 MEM_EXPORT = 58
    }
}

/// `CF_INST` of ALU clauses.
pub(super) mod cf_alu {
    codes! {
        ALU = 8 ALU_PUSH_BEFORE = 9 ALU_POP_AFTER = 10 ALU_POP2_AFTER = 11
        ALU_CONTINUE = 13 ALU_BREAK = 14 ALU_ELSE_AFTER = 15
    }
}

/// `VTX_INST` and `TEX_INST`.
pub(super) mod fetch {
    codes! {
        FETCH = 0 SEMANTIC = 1 MEM = 2
        LD = 3 GET_TEXTURE_RESINFO = 4 GET_NUMBER_OF_SAMPLES = 5 GET_COMP_TEX_LOD = 6
        GET_GRADIENTS_H = 7 GET_GRADIENTS_V = 8 GET_LERP = 9 KEEP_GRADIENTS = 10
        SET_GRADIENTS_H = 11 SET_GRADIENTS_V = 12 RESERVED = 13 SET_CUBEMAP_INDEX = 14 FETCH4 = 15
    }
}

/// `MEM_OP`.
pub(super) mod memory {
    codes! {
        RD_SCRATCH = 0 RD_REDUC = 1 RD_SCATTER = 2 LOCAL_DS_WRITE = 4 LOCAL_DS_READ = 5
    }
}
