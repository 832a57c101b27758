//! What the catalogues of Gen7 and later say about the parts of a data instruction: rules by opcode, type,
//! region and register. The rules of what a function computes stand there.

pub(super) mod gen12;

use std::sync::LazyLock;

use parallax_isa::{
    device::Generation,
    eu::{
        DataType, Opcode,
        instruction::{AccessMode, ConditionalModifier, PredicateControl},
        operand::{Destination, DestinationRegion, Region, Register, Source, VerticalStride},
        register::{ArfKind, RegisterFile},
    },
};

use parallax_spec::{RuleId, coverage};

use super::{
    execution::Execution,
    number::{ExecutionType, Value},
    rules::{Rules, count},
};

/// What each operation computes, where the catalogue has a rule of it by generation: Gen7, Gen8 and Gen9, Gen12.
static OPERATIONS: LazyLock<Vec<[Option<RuleId>; 3]>> = LazyLock::new(|| {
    let rule = |opcode: &Opcode, generation: &str| {
        RuleId::find(&format!("{generation}.inst.{}.semantics", opcode.mnemonic()))
    };
    let row = |opcode| ["gen7", "gen9", "gen12"].map(|generation| rule(opcode, generation));
    Opcode::ALL.iter().map(row).collect()
});

/// The rule of what an operation computes.
fn of_operation(x: &Execution) -> Option<RuleId> {
    let since = |generation| usize::from(x.since(generation));
    OPERATIONS[x.instruction.opcode as usize][since(Generation::Gen8) + since(Generation::Gen12)]
}

/// Counts the rules of an instruction's parts.
pub(super) fn count_parts(x: &Execution) {
    let instruction = x.instruction;
    if let Some(rule) = of_operation(x) {
        coverage::hit(rule);
    }
    count(of_opcode(instruction.opcode));
    if x.since(Generation::Gen8) {
        count(of_opcode_of_gen9(instruction.opcode, x.execution_type));
        let reads_half = |source: &Source| source.data_type() == DataType::Hf;
        let sources = &instruction.sources[..x.properties.sources];
        if x.execution_type == ExecutionType::Float && sources.iter().any(reads_half) {
            count(rules!["gen9.isa.type.hf-mixed"]);
        }
    }
    if x.since(Generation::Gen12) {
        gen12::count_parts(x);
    }
    count(EVERY);
    if x.execution_type == ExecutionType::Float {
        count(rules!["gen7.data.f-modes"]);
    }
    for source in &instruction.sources[..x.properties.sources] {
        count(of_type(source.data_type()));
        if let Source::Register { register, region, .. } = *source {
            count(of_region(region, instruction.execution_size));
            count(of_register(register));
        } else {
            count(rules!["gen7.imm.size", "gen7.imm.scalar-types"]);
        }
    }
    count(of_type(instruction.destination.data_type));
    count(of_destination(&instruction.destination, instruction.execution_size));
    if x.properties.sources == 3 {
        count(TERNARY);
    }
    if instruction.access_mode == AccessMode::Align16 {
        count(match instruction.execution_size {
            4 => rules!["gen7.simd4.example"],
            _ => rules!["gen7.isa.op.align16-simd4x2", "gen7.simd4x2.example"],
        });
    }
    count(match instruction.execution_size {
        16 => rules![
            "gen7.term.compressed",
            "gen7.simd16.example",
            "gen7.simd16.exec-mask",
            "gen7.simd8.sechalf"
        ],
        32 => rules!["gen7.gen.ivb-execsize32"],
        _ => rules!["gen7.simd4.execsize-limit"],
    });
    if instruction.predicate.control != PredicateControl::None {
        count(PREDICATED);
    }
    if instruction.predicate.inverse {
        count(rules!["talk.pred.invert", "talk.pred.example"]);
    }
    if instruction.first_channel != 0 {
        count(rules!["talk.pred.offset", "talk.mask.arf-part", "talk.mask.notation"]);
    }
    if instruction.condition != ConditionalModifier::None {
        count(of_condition(instruction.opcode, instruction.condition));
    }
    if instruction.saturate {
        count(rules!["talk.sat.clamp", "gen9.isa.exec.cmod-after-sat"]);
    }
}

const EVERY: Rules = rules![
    "gen7.region.model",
    "gen7.region.type",
    "gen7.reg.files",
    "gen7.intro.channel-count-logical",
    "gen7.intro.operand-count",
    "gen7.intro.no-memory-access",
    "talk.mask.implicit",
    "talk.mask.flow-changes",
    "talk.pred.and-emask"
];
const TERNARY: Rules = rules![
    "gen7.isa.op.3src-a16",
    "gen7.isa.op.3src-type",
    "gen7.isa.op.3src-vstride",
    "gen7.isa.op.3src-modifiers",
    "gen7.gen.ivb-3src-types",
    "gen9.isa.op.ternary-dim",
    "gen9.isa.op.simd16-3src",
    "gen7.isa.flag.3src-selector"
];
const PREDICATED: Rules = rules![
    "talk.pred.selective",
    "talk.pred.width",
    "talk.flag.two-registers",
    "gen7.intro.example-add16"
];

/// The rules of what an operation is.
fn of_opcode(opcode: Opcode) -> Rules {
    match opcode {
        Opcode::Avg => rules!["talk.op": "avg"],
        Opcode::Bfe => rules!["talk.op": "bfe"],
        Opcode::Bfi1 => rules!["talk.op": "bfi1"],
        Opcode::Bfi2 => rules!["talk.op": "bfi2"],
        Opcode::Bfrev => rules!["talk.op": "bfrev"],
        Opcode::Cbit => rules!["talk.op": "cbit"],
        Opcode::Fbl => rules!["talk.op.fbl", "gen7.term.bit-numbering"],
        Opcode::Line => rules!["talk.op": "line"],
        Opcode::Lrp => rules!["talk.op": "lrp"],
        Opcode::Lzd => rules!["talk.op.lzd", "gen7.isa.bit.lzd"],
        Opcode::Pln => rules!["talk.op": "pln"],
        Opcode::Rndd => rules!["talk.op.rndd", "gen9.isa.cr.rounding-scope"],
        Opcode::Rnde => rules!["talk.op.rnde", "gen9.isa.cr.rounding-scope"],
        Opcode::Rndu => rules!["talk.op.rndu", "gen9.isa.cr.rounding-scope"],
        Opcode::Rndz => rules!["talk.op.rndz", "gen9.isa.cr.rounding-scope"],
        Opcode::Sad2 => rules!["talk.op.sad2", "gen7.region.dst-size"],
        Opcode::Sada2 => rules!["talk.op.sada2", "gen7.region.dst-size"],
        Opcode::Movi => rules!["gen7.isa.misc": "movi", "movi-oob"],
        Opcode::Cmp => rules!["talk.cmod.cmp-sources"],
        _ => rules![],
    }
}

/// The rules of the types that came with Gen8 and Gen9.
fn of_opcode_of_gen9(opcode: Opcode, execution_type: ExecutionType) -> Rules {
    match (execution_type, opcode) {
        (ExecutionType::Quadword, Opcode::Asr) => rules!["gen9.isa.type": "q", "q-mix", "asr-q"],
        (ExecutionType::Quadword, _) => rules!["gen9.isa.type": "q", "q-mix", "sat-q"],
        (ExecutionType::Double, _) => rules!["gen9.isa.type": "df"],
        (ExecutionType::Half, Opcode::Math) => rules!["gen9.isa.type.hf", "gen9.isa.op.math-hf"],
        (ExecutionType::Half, _) => rules!["gen9.isa.type": "hf", "hf-exec"],
        (_, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not) => {
            rules!["gen9.isa.op.logic-not"]
        }
        (_, Opcode::Math) => rules!["gen9.isa.op.math-imm"],
        _ => rules![],
    }
}

/// The rules of a type.
const fn of_type(data_type: DataType) -> Rules {
    match data_type {
        DataType::Ub => rules!["gen7": "type.ub", "data.sizes"],
        DataType::B => rules!["gen7": "type.b", "data.int-twos-complement"],
        DataType::Uw => rules!["gen7": "type.uw", "data.sizes"],
        DataType::W => rules!["gen7": "type.w", "data.int-twos-complement"],
        DataType::Ud => rules!["gen7": "type.ud", "data.sizes"],
        DataType::D => rules!["gen7": "type.d", "data.int-twos-complement"],
        DataType::Uq | DataType::Q => rules!["gen7": "term.qword"],
        DataType::F => rules!["gen7": "type.f", "data.f-layout", "data.f-range",
            "data.float-formats", "data.sign-magnitude"],
        DataType::Df => rules!["gen7": "type.df", "data.df-layout", "data.df-range",
            "data.float-formats", "data.sign-magnitude", "data.df-ieee-only", "alt.f-only",
            "data.df-denorm-control", "term.qword"],
        DataType::Hf => rules!["gen7": "alt.f-only", "data.sign-magnitude"],
        DataType::V => rules!["gen7": "type.v", "data.v-layout", "vec.v-expand", "imm.vector-v"],
        DataType::Uv => rules!["gen7": "type.uv", "data.uv-layout", "imm.vector-v"],
        DataType::Vf => rules!["gen7": "type.vf", "data.vf-layout", "data.vf-range",
            "vec.vf-fields", "vec.vf-to-f-exponent", "vec.vf-to-f-fraction", "vec.vf-no-specials",
            "vec.vf-expand", "imm.vector-vf"],
    }
}

/// The rules of a source region.
fn of_region(region: Region, execution_size: u8) -> Rules {
    match region {
        Region::Align16 { vertical: VerticalStride::Elements(0), .. } => {
            rules![
                "gen7.isa.op.align16-swizzle",
                "gen7.intro.swizzle-modulo4",
                "gen7.simd4x2.shared-constant"
            ]
        }
        Region::Align16 { .. } => {
            rules!["gen7.isa.op.align16-swizzle", "gen7.intro.swizzle-modulo4"]
        }
        Region::Align1 { vertical: VerticalStride::PerRowAddress, width, .. } => {
            if width == 1 {
                rules!["gen7.isa.op.indirect-vxh", "talk.indirect.vx1"]
            } else {
                rules!["gen7.isa.op.indirect-vxh", "gen7.a0.vx1-row"]
            }
        }
        Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal } => {
            match (vertical, width, horizontal) {
                (0, 1, 0) if execution_size == 8 => {
                    rules!["gen7.region.address", "gen7.region.width", "talk.region.replicate-8"]
                }
                (0, 1, 0) => rules!["gen7.region.address", "gen7.simd16.scalar-replicate"],
                (1, 1, 0) => rules!["gen7.region.address", "talk.region.contiguous-float"],
                (16, 8, 2) => {
                    rules!["gen7.region.address", "gen7.region.example-16-8-2", "gen7.region.rows"]
                }
                (1, 8, 2) => {
                    rules![
                        "gen7.region.address",
                        "gen7.region.example-1-8-2",
                        "gen7.region.interleave"
                    ]
                }
                (16, 4, 0) => rules!["gen7.region.address", "talk.region.replicate-4"],
                (16, 4, 1) => rules!["gen7.region.address", "talk.region.block-2x4"],
                (1, 4, 2) => {
                    rules![
                        "gen7.region.address",
                        "talk.region.interleaved",
                        "gen7.region.interleave"
                    ]
                }
                (vertical, width, horizontal) if vertical == width * horizontal => {
                    rules![
                        "gen7.region.address",
                        "gen7.region.row-major",
                        "gen7.region.origin",
                        "gen7.region.horzstride",
                        "gen7.region.vertstride",
                        "gen7.term.packed",
                        "talk.region.src-row-col"
                    ]
                }
                _ => {
                    rules![
                        "gen7.region.address",
                        "gen7.region.row-major",
                        "gen7.region.origin",
                        "gen7.region.horzstride",
                        "gen7.region.vertstride",
                        "gen7.region.rows",
                        "gen7.intro.region-span"
                    ]
                }
            }
        }
    }
}

/// The rules of a source's register.
fn of_register(register: Register) -> Rules {
    match (register, register.arf()) {
        (Register::Indirect { .. }, _) => rules!["talk.indirect.1x1", "gen7.a0.uses"],
        (_, Some(ArfKind::Address)) => rules!["gen7.a0": "uses", "example-copy8",
            "example-replicate", "fields-a2-a7"],
        (_, Some(ArfKind::Flag)) => rules![
            "gen7.arf.region-rules",
            "gen7.arf.subregnum-bytes",
            "talk.bigint.flag-read",
            "gen7.arfsum.flags"
        ],
        (_, Some(ArfKind::State)) => rules!["gen7": "arf.region-rules", "arfsum.sr", "sr.ffid",
            "sr.priority-class"],
        (_, Some(ArfKind::Control)) => rules!["gen7": "arf.region-rules", "arfsum.cr",
            "cr.sip-invisible"],
        (_, Some(ArfKind::InstructionPointer)) => rules!["gen7": "arfsum.ip", "ip.read"],
        (_, Some(_)) => rules!["gen7.arf": "region-rules", "subregnum-bytes"],
        (Register::Direct { file: RegisterFile::Grf, .. }, _) => {
            rules!["gen7.region.byte-array", "gen7.intro.grf-size", "gen9.isa.reg.grf"]
        }
        _ => rules![],
    }
}

/// The rules of a destination.
fn of_destination(destination: &Destination, execution_size: u8) -> Rules {
    let register = destination.register;
    match (register, register.arf()) {
        (Register::Indirect { .. }, _) => rules!["talk.indirect.1x1", "gen7.a0.uses"],
        (_, Some(ArfKind::Null)) => rules!["gen7": "null.write", "null.side-effects",
            "arfsum.null-write"],
        (_, Some(ArfKind::Address)) if execution_size == 4 => {
            rules!["gen7.a0": "uses", "fields-a2-a7", "example-load4", "example-load-replicate"]
        }
        (_, Some(ArfKind::Address)) => rules!["gen7.a0": "uses", "fields-a2-a7"],
        (_, Some(ArfKind::State | ArfKind::Notification)) => {
            rules!["gen7.arf": "readonly-write", "region-rules"]
        }
        (_, Some(ArfKind::InstructionPointer)) => rules!["gen7": "ip.write",
            "intro.uncond-branch-mov-ip", "isa.cf.add-ip"],
        (_, Some(ArfKind::Accumulator)) if execution_size == 16 => {
            rules!["gen7.acc.example-simd16"]
        }
        (_, Some(_)) => rules!["gen7.arf": "region-rules", "unpopulated-write"],
        _ => match destination.region {
            DestinationRegion::Stride(1) => rules!["gen7.grf.granularity"],
            DestinationRegion::Stride(_) => {
                rules!["gen7.grf.granularity", "gen9.isa.conv.odd-words"]
            }
            DestinationRegion::ChannelEnable(_) => rules!["gen7.intro.mask-chanen"],
        },
    }
}

/// The rules of a conditional modifier.
fn of_condition(opcode: Opcode, condition: ConditionalModifier) -> Rules {
    match (opcode, condition) {
        (Opcode::Cmp | Opcode::Cmpn | Opcode::Sel | Opcode::Csel, _) => {
            rules!["talk.cmod": "form", "codes"]
        }
        (_, ConditionalModifier::Overflow) => {
            rules![
                "talk.cmod.form",
                "talk.cmod.overflow",
                "talk.flag.explicit-set",
                "gen7.ieee.no-fp-exceptions"
            ]
        }
        (_, ConditionalModifier::Unordered) => {
            rules![
                "talk.cmod.form",
                "talk.cmod.unordered",
                "talk.flag.explicit-set",
                "gen7.ieee.no-fp-exceptions"
            ]
        }
        _ => rules![
            "talk.cmod.form",
            "talk.cmod.codes",
            "talk.cmod.zero-compare",
            "talk.flag.explicit-set"
        ],
    }
}

/// The rules of a comparison by what its operands are.
pub(super) fn of_comparison(condition: ConditionalModifier, a: Value, b: Value) -> Rules {
    use ConditionalModifier::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let (Value::Float(a), Value::Float(b)) = (a, b) else {
        return rules![];
    };
    let is_nan = a.is_nan() || b.is_nan();
    let has_infinity = a.is_infinite() || b.is_infinite();
    let zeros = a.is_zero() && b.is_zero();
    match condition {
        Greater if is_nan => rules!["gen7": "cmp.g-nan", "ieee.cmp-nan-false"],
        Greater if has_infinity => rules!["gen7": "cmp.g-inf", "ieee.cmp-inf-exact"],
        Greater if zeros => rules!["gen7.cmp": "g-zero", "g-denorm"],
        Greater => rules!["gen7.cmp": "g-fin"],
        Less if is_nan => rules!["gen7": "cmp.l-nan", "ieee.cmp-nan-false"],
        Less if has_infinity => rules!["gen7": "cmp.l-inf", "ieee.cmp-inf-exact"],
        Less if zeros => rules!["gen7.cmp": "l-zero", "l-denorm"],
        Less => rules!["gen7.cmp": "l-fin"],
        Equal if is_nan => rules!["gen7": "cmp.e-nan", "ieee.cmp-nan-false", "ieee.nan-unordered"],
        Equal if has_infinity => rules!["gen7": "cmp.e-inf", "ieee.cmp-inf-exact"],
        Equal if zeros => rules!["gen7.cmp": "e-zero", "e-denorm"],
        Equal => rules!["gen7.cmp": "e-fin"],
        NotEqual if is_nan => rules!["gen7": "cmp.ne-nan", "ieee.cmp-nan-ne", "ieee.nan-unordered"],
        NotEqual => rules!["gen7.cmp": "ne-complement"],
        LessEqual if is_nan => rules!["gen7": "cmp.le-nan", "ieee.cmp-nan-false"],
        LessEqual if zeros => rules!["gen7.cmp": "le-union", "le-mode-free"],
        LessEqual => rules!["gen7.cmp": "le-union"],
        GreaterEqual if is_nan => rules!["gen7": "cmp.ge-nan", "ieee.cmp-nan-false"],
        GreaterEqual if zeros => rules!["gen7.cmp": "ge-union", "ge-mode-free"],
        GreaterEqual => rules!["gen7.cmp": "ge-union"],
        _ => rules![],
    }
}

/// The rules of a conversion, by its types.
pub(super) fn of_conversion(x: &Execution) -> Rules {
    let from = x.instruction.sources[0].data_type();
    let to = x.instruction.destination.data_type;
    match (from, to) {
        (DataType::F, DataType::Hf) => rules!["gen9.isa.conv": "mov-hf-f"],
        (DataType::Hf, DataType::F) => rules!["gen9.isa.conv": "mov-f-hf"],
        (DataType::F, DataType::Df) => {
            rules!["gen7.conv.f2df-exact", "gen7.isa.op.ivb-df-mov"]
        }
        (DataType::Df, DataType::F) if x.since(Generation::Gen8) => {
            rules!["gen9.isa.conv.df-f-round", "gen7.isa.conv.df-f"]
        }
        (DataType::Df, DataType::F) => rules!["gen7": "conv.df2f-overflow", "conv.df2f-underflow",
            "conv.df2f-denorm", "conv.df2f-special", "isa.conv.df-f"],
        (DataType::Hf, _) | (_, DataType::Hf) if from != to => {
            rules!["gen9.isa.conv": "mov-hf-int"]
        }
        (DataType::Q | DataType::Uq, to) if to.is_float() => rules!["gen9.isa.conv": "mov-q-f"],
        (from, DataType::Q | DataType::Uq) if from.is_float() => {
            rules!["gen9.isa.conv": "mov-q-f"]
        }
        (from, to) if from.is_float() && !to.is_float() => of_float_to_integer(to),
        (from, to) if from.is_float() || to.is_float() => {
            if from == to {
                rules!["gen9.isa.exec.nonraw-mov"]
            } else {
                rules![]
            }
        }
        (from, to) => of_integers(from, to),
    }
}

fn of_float_to_integer(to: DataType) -> Rules {
    match to {
        DataType::Ud => rules!["gen7": "conv.f2ud", "conv.f2i-truncate", "isa.conv.f-to-int"],
        DataType::D => rules!["gen7": "conv.f2d", "conv.f2i-truncate", "isa.conv.f-to-int"],
        DataType::Uw => rules!["gen7": "conv.f2uw", "conv.f2i-truncate", "isa.conv.f-to-int"],
        DataType::W => rules!["gen7": "conv.f2w", "conv.f2i-truncate", "isa.conv.f-to-int"],
        DataType::Ub => rules!["gen7": "conv.f2ub", "conv.f2i-truncate", "isa.conv.f-to-int"],
        DataType::B => rules!["gen7": "conv.f2b", "conv.f2i-truncate", "isa.conv.f-to-int"],
        _ => rules![],
    }
}

fn of_integers(from: DataType, to: DataType) -> Rules {
    let signed = (from.is_signed_integer(), to.is_signed_integer());
    match (from.size().cmp(&to.size()), signed) {
        (std::cmp::Ordering::Less, (false, _)) => rules!["gen7.conv": "u-wider"],
        (std::cmp::Ordering::Less, (true, true)) => rules!["gen7.conv": "s2s-wider"],
        (std::cmp::Ordering::Less, (true, false)) => rules!["gen7.conv": "s2u-wider"],
        (std::cmp::Ordering::Equal, (false, true)) => rules!["gen7.conv": "u2s-same"],
        (std::cmp::Ordering::Equal, _) => rules![],
        (std::cmp::Ordering::Greater, _) => rules!["gen7.conv": "narrow"],
    }
}
